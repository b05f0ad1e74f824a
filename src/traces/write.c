/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One file of jobs: opened beside its place, compressed by its suffix, rows by the format's layout.
 */
#include "traces/write.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Both without what it is compressed by. */
static bool has_suffix(const char *path, const char *suffix)
{
    const char *packed = hs_output_packed_suffix(path);
    size_t len = packed != NULL ? (size_t)(packed - path) : strlen(path), cut = strlen(suffix);
    return len > cut && memcmp(path + len - cut, suffix, cut) == 0;
}

static enum hs_status choose_by_suffix(const char *path, const struct hs_trace_format **format,
                                       struct hs_diag *diag)
{
    char list[HS_FORMAT_LIST_MAX], hint[HS_FORMAT_LIST_MAX + 32];
    for (size_t i = 0; (*format = hs_trace_format_at(i)) != NULL; i++) {
        const struct hs_trace_layout *layout = (*format)->layout;
        if (layout != NULL && layout->suffix != NULL && has_suffix(path, layout->suffix))
            return HS_OK;
    }
    (void)snprintf(hint, sizeof hint, "name the format: %s", hs_trace_format_list(true, list));
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "no format is known by the name of the file '%s'",
                   path);
}

enum hs_status hs_trace_writer_check(const char *name, struct hs_diag *diag)
{
    char list[HS_FORMAT_LIST_MAX];
    HS_TRY(hs_trace_format_check(name, diag));
    const struct hs_trace_format *format = hs_trace_format_find(name);
    if (format != NULL && format->layout == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, hs_trace_format_list(true, list),
                       "the %s format can be read, not written", name);
    return HS_OK;
}

enum hs_status hs_trace_writer_choose(const char *name, const char *path,
                                      const struct hs_trace_format **format, struct hs_diag *diag)
{
    if (name == NULL || strcmp(name, "auto") == 0)
        return choose_by_suffix(path, format, diag);
    HS_TRY(hs_trace_writer_check(name, diag));
    *format = hs_trace_format_find(name);
    return HS_OK;
}

static enum hs_status begin(struct hs_trace_writer *w, const struct hs_trace_options *options,
                            struct hs_diag *diag)
{
    if (w->layout->cells != NULL) {
        hs_layout_rows_begin(&w->rows, w->layout, &w->csv);
        return HS_OK;
    }
    w->state = hs_alloc_zeroed(1, w->layout->state_size);
    if (w->state == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory to write a trace");
    return w->layout->begin(w->state, &w->csv, options, diag);
}

enum hs_status hs_trace_writer_open(struct hs_trace_writer *w, const struct hs_trace_format *format,
                                    const struct hs_trace_options *options, const char *path,
                                    struct hs_diag *diag)
{
    *w = (struct hs_trace_writer){.layout = format->layout};
    HS_TRY(hs_wholefile_open(&w->file, path, diag));
    enum hs_status status = hs_output_pack(&w->file.out, path, diag);
    w->csv = (struct hs_csvw){.out = w->file.out};
    if (status == HS_OK)
        status = begin(w, options, diag);
    if (status == HS_OK)
        return HS_OK;
    hs_free(w->state);
    w->file.out = w->csv.out;
    return hs_wholefile_close(&w->file, status, diag);
}

void hs_trace_writer_put(struct hs_trace_writer *w, const struct hs_trace_job *job)
{
    struct hs_trace_job rounded = *job;
    hs_layout_round(w->layout, &rounded);
    if (w->layout->cells != NULL)
        hs_layout_rows_put(&w->rows, &rounded);
    else
        w->layout->put(w->state, &rounded);
}

enum hs_status hs_trace_writer_close(struct hs_trace_writer *w, enum hs_status status,
                                     struct hs_diag *diag)
{
    enum hs_status ended = w->layout->cells == NULL ? w->layout->end(w->state) : HS_OK;
    hs_free(w->state);
    w->file.out = w->csv.out;
    return hs_wholefile_close(&w->file, status != HS_OK ? status : ended, diag);
}
