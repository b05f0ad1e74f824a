/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Job records to rows of a CSV by the table that reads them, the file around them, and the count of
 * what a format cannot hold. O(cells) a row.
 */
#include "traces/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/memory.h"

/* ---- layouts ---- */

/* A job without any optional value. */
static const struct hs_trace_job blank = HS_TRACE_JOB_BLANK(HS_GPU_MILLI);

static bool is_named(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && memcmp(name, text, len) == 0;
}

static bool has_cell(const struct hs_trace_layout *layout, const char *name)
{
    size_t len;
    const char *at = layout->header;
    for (; at != NULL && *at != '\0'; at += len + (at[len] == ',')) {
        len = strcspn(at, ",");
        if (is_named(name, at, len))
            return true;
    }
    return at == NULL;
}

const struct hs_column *hs_layout_holds(const struct hs_trace_layout *layout, size_t member)
{
    for (uint32_t i = 0; i < layout->column_count; i++)
        if (layout->columns[i].offset == member && has_cell(layout, layout->columns[i].name))
            return &layout->columns[i];
    return NULL;
}

static const void *member_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    return (const char *)job + column->offset;
}

static int64_t time_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    return *(const int64_t *)member_of(job, column);
}

static uint32_t number_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    return *(const uint32_t *)member_of(job, column);
}

static const char *text_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    return *(const char *const *)member_of(job, column);
}

bool hs_job_tells(const struct hs_trace_job *job, const struct hs_column *column)
{
    if (column->is_required)
        return true;
    switch ((int)column->kind) {
    case HS_CELL_ID:
    case HS_CELL_TEXT:
    case HS_CELL_BATCH:
        return text_of(job, column) != NULL && text_of(job, column)[0] != '\0';
    case HS_CELL_TIME:
    case HS_CELL_SPAN:
        return time_of(job, column) != time_of(&blank, column);
    case HS_CELL_ATTEMPTS:
        return job->attempts > 0;
    default:
        break;
    }
    /* An elastic range that is the demand itself is what a reader takes an empty cell for. */
    bool is_bound = column->offset == offsetof(struct hs_trace_job, gpus_min) ||
                    column->offset == offsetof(struct hs_trace_job, gpus_max);
    return number_of(job, column) != (is_bound ? job->gpus : number_of(&blank, column));
}

const char *hs_layout_outcome(const struct hs_trace_layout *layout, enum hs_outcome outcome)
{
    return layout->outcomes != NULL ? layout->outcomes[outcome] : hs_outcome_text(outcome);
}

int64_t hs_layout_round_time(const struct hs_trace_layout *layout, int64_t us)
{
    int64_t grain_us = layout->grain_us > 0 ? layout->grain_us : 1;
    return (us + grain_us / 2) / grain_us * grain_us;
}

int64_t hs_layout_round_span(const struct hs_trace_layout *layout, int64_t us)
{
    bool is_short = us > 0 && us < layout->grain_us;
    return is_short ? layout->grain_us : hs_layout_round_time(layout, us);
}

void hs_layout_round(const struct hs_trace_layout *layout, struct hs_trace_job *job)
{
    for (uint32_t i = 0; layout->grain_us > 1 && i < layout->column_count; i++) {
        const struct hs_column *column = &layout->columns[i];
        if ((column->kind != HS_CELL_TIME && column->kind != HS_CELL_SPAN) ||
            !hs_job_tells(job, column))
            continue;
        int64_t us = time_of(job, column);
        us = column->kind == HS_CELL_TIME ? hs_layout_round_time(layout, us)
                                          : hs_layout_round_span(layout, us);
        memcpy((char *)job + column->offset, &us, sizeof us);
    }
    uint32_t over = layout->cpu_grain > 0 ? job->cpus_milli % layout->cpu_grain : 0;
    if (over > 0)
        job->cpus_milli += layout->cpu_grain - over;
}

static void put_cell(const struct hs_trace_layout *layout, struct hs_csvw *csv,
                     const struct hs_column *column, const struct hs_trace_job *job)
{
    if (!hs_job_tells(job, column)) {
        hs_csvw_empty(csv);
        return;
    }
    switch ((int)column->kind) {
    case HS_CELL_ID:
    case HS_CELL_TEXT:
    case HS_CELL_BATCH:
        hs_csvw_text(csv, text_of(job, column));
        break;
    case HS_CELL_TIME:
        if (layout->has_dates)
            hs_layout_put_date(csv, time_of(job, column));
        else
            hs_csvw_seconds(csv, time_of(job, column));
        break;
    case HS_CELL_SPAN:
        hs_csvw_seconds(csv, time_of(job, column));
        break;
    case HS_CELL_FATE:
        hs_csvw_text(csv, hs_layout_outcome(layout, job->outcome));
        break;
    case HS_CELL_CLASS:
        hs_csvw_text(csv, hs_job_class_text(job->job_class));
        break;
    case HS_CELL_ATTEMPTS: /* "10/20": run times joined by slashes */
        for (uint32_t i = 0; i < job->attempts; i++) {
            hs_csvw_seconds(csv, job->attempts_us[i]);
            if (i + 1 < job->attempts)
                csv->out.at[-1] = '/'; /* the comma that ended the field */
        }
        break;
    case HS_CELL_MILLI:
        hs_csvw_ratio(csv, number_of(job, column), 1000, 3);
        break;
    case HS_CELL_PERCENT:
        hs_csvw_ratio(csv, number_of(job, column), 10, 1); /* per mille as percent */
        break;
    case HS_CELL_INT:
        hs_csvw_i64(csv, (int32_t)number_of(job, column));
        break;
    default:
        hs_csvw_u64(csv, number_of(job, column));
    }
}

void hs_layout_put_date(struct hs_csvw *csv, int64_t us)
{
    char *to = hs_csvw_begin_field(csv);
    hs_csvw_end_field(csv, to + hs_fmt_datetime(to, us));
}

/* ---- files ---- */

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
    char list[HS_FORMAT_LIST_MAX], hint[HS_FORMAT_LIST_MAX + 32];
    if (name != NULL && strcmp(name, "auto") != 0) {
        HS_TRY(hs_trace_writer_check(name, diag));
        *format = hs_trace_format_find(name);
        return HS_OK;
    }
    const char *packed = hs_output_packed_suffix(path);
    const size_t len = packed != NULL ? (size_t)(packed - path) : strlen(path);
    for (size_t i = 0; (*format = hs_trace_format_at(i)) != NULL; i++) {
        const char *suffix = (*format)->layout != NULL ? (*format)->layout->suffix : NULL;
        size_t cut = suffix != NULL ? strlen(suffix) : len;
        if (cut < len && memcmp(path + len - cut, suffix, cut) == 0)
            return HS_OK;
    }
    (void)snprintf(hint, sizeof hint, "name the format: %s", hs_trace_format_list(true, list));
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "no format is known by the name of the file '%s'",
                   path);
}

enum hs_status hs_trace_writer_open(struct hs_trace_writer *w, const struct hs_trace_format *format,
                                    const struct hs_trace_options *options, const char *path,
                                    struct hs_diag *diag)
{
    const struct hs_trace_layout *layout = format->layout;
    *w = (struct hs_trace_writer){.layout = layout};
    HS_TRY(hs_wholefile_open(&w->file, path, diag));
    hs_output_pack(&w->file.out, path);
    w->csv = (struct hs_csvw){.out = w->file.out};
    if (layout->header != NULL) {
        size_t len;
        for (const char *at = layout->header; *at != '\0'; at += len + (at[len] == ',')) {
            struct hs_writer_cell *cell = &w->cells[w->cell_count++];
            const struct hs_layout_cell *own = layout->cells;
            len = strcspn(at, ",");
            while (own != NULL && own->name != NULL && !is_named(own->name, at, len))
                own++;
            if (own != NULL && own->name != NULL)
                cell->put = own->put;
            else
                for (cell->column = layout->columns; !is_named(cell->column->name, at, len);)
                    cell->column++;
        }
        hs_say(&w->csv.out, "%s\n", layout->header);
        return HS_OK;
    }
    w->state = hs_alloc_zeroed(1, layout->state_size);
    enum hs_status status = layout->begin(w->state, &w->csv, options, diag);
    if (status == HS_OK)
        return HS_OK;
    hs_free(w->state);
    w->file.out = w->csv.out;
    return hs_wholefile_close(&w->file, status, diag);
}

void hs_trace_writer_put(struct hs_trace_writer *w, const struct hs_trace_job *job)
{
    const struct hs_trace_layout *layout = w->layout;
    struct hs_trace_job rounded = *job;
    hs_layout_round(layout, &rounded);
    if (layout->header == NULL) {
        layout->put(w->state, &rounded);
        return;
    }
    for (uint32_t i = 0; i < w->cell_count; i++) {
        if (w->cells[i].put != NULL)
            w->cells[i].put(&w->csv, &rounded);
        else
            put_cell(layout, &w->csv, w->cells[i].column, &rounded);
    }
    hs_csvw_end(&w->csv);
}

enum hs_status hs_trace_writer_close(struct hs_trace_writer *w, enum hs_status status,
                                     struct hs_diag *diag)
{
    enum hs_status ended = w->layout->header == NULL ? w->layout->end(w->state) : HS_OK;
    hs_free(w->state);
    w->file.out = w->csv.out;
    return hs_wholefile_close(&w->file, status != HS_OK ? status : ended, diag);
}

/* ---- what is lost ---- */

void hs_lossy_fields_open(struct hs_lossy_fields *lossy, const struct hs_trace_format *to)
{
    const struct hs_trace_layout *native = hs_trace_format_find("csv")->layout;
    *lossy = (struct hs_lossy_fields){.to = to, .native = native};
    for (uint32_t i = 0; i < native->column_count; i++) {
        size_t member = native->columns[i].offset;
        lossy->held[i] = hs_layout_holds(to->layout, member);
        for (uint32_t k = i + 1; k < native->column_count; k++)
            if (native->columns[k].offset == member)
                lossy->is_alias[i] = true;
    }
}

static bool is_rounded(const struct hs_trace_layout *layout, const struct hs_column *column,
                       const struct hs_trace_job *job)
{
    const char *at = (const char *)job + column->offset;
    int64_t us = 0;
    if (column->kind == HS_CELL_MILLI)
        return layout->cpu_grain > 1 && job->cpus_milli % layout->cpu_grain > 0;
    if (layout->grain_us <= 1)
        return false;
    if (column->kind == HS_CELL_TIME || column->kind == HS_CELL_SPAN)
        memcpy(&us, at, sizeof us);
    for (uint32_t i = 0; column->kind == HS_CELL_ATTEMPTS && i < job->attempts; i++)
        if (job->attempts_us[i] % layout->grain_us > 0)
            us = job->attempts_us[i];
    return us % layout->grain_us > 0;
}

void hs_lossy_fields_count(struct hs_lossy_fields *lossy, const struct hs_trace_job *job)
{
    const struct hs_trace_layout *layout = lossy->to->layout;
    /* the word of a format for one outcome may be read as another */
    const char *word = hs_layout_outcome(layout, job->outcome);
    bool is_kept =
        word != NULL && hs_trace_word(&hs_outcome_words, word, strlen(word)) == (int)job->outcome;
    lossy->jobs++;
    for (uint32_t i = 0; i < lossy->native->column_count; i++) {
        const struct hs_column *column = &lossy->native->columns[i];
        if (lossy->is_alias[i] || !hs_job_tells(job, column))
            continue;
        if (lossy->held[i] == NULL)
            lossy->lost[i]++;
        else if (column->kind == HS_CELL_FATE)
            lossy->outcomes[job->outcome] += !is_kept;
        else if (layout->keeps != NULL && !layout->keeps(job, column))
            lossy->changed[i]++;
        else if (is_rounded(layout, column, job))
            lossy->rounded[i]++;
    }
}

bool hs_lossy_fields_any(const struct hs_lossy_fields *lossy)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lossy->native->column_count; i++)
        sum += lossy->lost[i] + lossy->rounded[i] + lossy->changed[i];
    for (int i = 0; i < HS_OUTCOME_COUNT; i++)
        sum += lossy->outcomes[i];
    return sum > 0;
}

void hs_lossy_fields_warn(const struct hs_lossy_fields *lossy, struct hs_diag *diag)
{
    for (uint32_t i = 0; i < lossy->native->column_count; i++) {
        const struct hs_column *column = &lossy->native->columns[i];
        bool is_share = column->kind == HS_CELL_SHARE;
        hs_warn_some(diag, NULL, lossy->lost[i], lossy->jobs,
                     "jobs lose their %s: the %s format has none%s", column->key, lossy->to->name,
                     is_share ? ", a share becomes a whole GPU" : "");
        hs_warn_some(diag, NULL, lossy->changed[i], lossy->jobs,
                     "jobs: %s is not what the %s format can hold, and reads back as something "
                     "else",
                     column->key, lossy->to->name);
        char grain[HS_FMT_MAX + 1];
        bool is_time = column->kind != HS_CELL_MILLI;
        size_t len = is_time ? hs_fmt_seconds(grain, lossy->to->layout->grain_us)
                             : hs_fmt_ratio(grain, lossy->to->layout->cpu_grain, 1000, 3);
        grain[len] = '\0';
        hs_warn_some(diag, NULL, lossy->rounded[i], lossy->jobs,
                     "jobs: %s rounded%s to steps of %s %s", column->key, is_time ? "" : " up",
                     grain, is_time ? "s" : "core");
    }
    for (int i = 0; i < HS_OUTCOME_COUNT; i++) {
        const char *word = hs_layout_outcome(lossy->to->layout, (enum hs_outcome)i);
        hs_warn_some(diag, NULL, lossy->outcomes[i], lossy->jobs,
                     "jobs: outcome '%s' becomes %s, the %s format has no word of its own for it",
                     hs_outcome_text((enum hs_outcome)i), word != NULL ? word : "unknown",
                     lossy->to->name);
    }
}
