/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See rowfile.h.
 */
#include "report/run/rowfile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/timeparse.h"
#include "report/run/manifest.h"

#define GPU_MILLI 1000
#define NS_PER_S  INT64_C(1000000000)

/* Of the kinds that are decimal numbers. */
static const struct {
    int64_t unit;
    const char *expected;
    bool may_be_empty;
} decimals[] = {
    [HS_CELL_SHARE] = {GPU_MILLI, "a share of a GPU, at most 1, in thousandths", false},
    [HS_CELL_TIME] = {HS_US_PER_S, "a time in seconds", false},
    [HS_CELL_TIME_OR_NONE] = {HS_US_PER_S, "a time in seconds", true},
    [HS_CELL_NUMBER] = {HS_US_PER_S, "a number", true},
    [HS_CELL_RATIO] = {HS_US_PER_S, "a ratio", true},
    [HS_CELL_MIB_SECONDS] = {HS_US_PER_S, "MiB times seconds", true},
    [HS_CELL_NANO] = {NS_PER_S, "a time in seconds", false},
    [HS_CELL_RATE] = {NS_PER_S, "a rate", true},
};

/* Names of columns, metrics, causes and members: today's, and that of the version before. */
static const struct {
    const char *present, *former;
} renamed[] = {
    {"queueing_delay", "pending"},
    {"mean_queueing_delay", "mean_pending"},
    {"useful_gpu_share", "goodput"},
    {"resources", "capacity"},
    {"placement", "shape"},
    {"constraint", "locality"},
    {"priority", "order"},
    {"wait_resources_gpu_seconds", "wait_capacity_gpu_seconds"},
    {"wait_placement_gpu_seconds", "wait_shape_gpu_seconds"},
    {"wait_constraint_gpu_seconds", "wait_locality_gpu_seconds"},
    {"wait_priority_gpu_seconds", "wait_order_gpu_seconds"},
    {"assumptions", "card"},
};

const char *hs_present_name(const char *name)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i].former, name) == 0)
            return renamed[i].present;
    return name;
}

static const char *former_name(const char *name)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i].present, name) == 0)
            return renamed[i].former;
    return name;
}

uint32_t hs_renamed_column(const struct hs_csv_row *head, const char *name)
{
    const uint32_t column = hs_csv_column(head, name);
    return column < head->count ? column : hs_csv_column(head, former_name(name));
}

const struct hs_json *hs_renamed_get(const struct hs_json *object, const char *key)
{
    const struct hs_json *value = hs_json_get(object, key);
    return value != NULL ? value : hs_json_get(object, former_name(key));
}

enum hs_status hs_rowfile_open(struct hs_rowfile *f, const char *path, const struct hs_cell *cells,
                               struct hs_diag *diag)
{
    *f = (struct hs_rowfile){.diag = diag, .cells = cells};
    HS_TRY(hs_input_open(&f->input, path, diag));
    hs_csv_open(&f->csv, f->input, ',', diag);
    enum hs_status s = hs_csv_next(f->csv, &f->row);
    if (s == HS_END)
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                       "the file is empty");
    HS_TRY(s);
    for (uint32_t i = 0; cells[i].column != NULL; i++) {
        f->at[i] = hs_renamed_column(&f->row, cells[i].column);
        struct hs_place place = hs_csv_place(f->csv, f->row.count);
        if (f->at[i] == UINT32_MAX)
            return hs_fail(diag, HS_E_INPUT, &place, NULL, "there is no column '%s'",
                           cells[i].column);
    }
    return HS_OK;
}

enum hs_status hs_rowfile_next(struct hs_rowfile *f)
{
    return hs_csv_next(f->csv, &f->row);
}

const char *hs_rowfile_text(const struct hs_rowfile *f, uint32_t column)
{
    return f->at[column] < f->row.count ? f->row.fields[f->at[column]] : "";
}

static enum hs_status bad(const struct hs_rowfile *f, uint32_t column, const char *expected)
{
    struct hs_place place = hs_csv_place(f->csv, f->at[column]);
    return hs_fail(f->diag, HS_E_INPUT, &place, NULL, "%s is not %s", f->cells[column].column,
                   expected);
}

enum hs_status hs_rowfile_bad(const struct hs_rowfile *f, const char *name, const char *expected)
{
    uint32_t column = 0;
    while (strcmp(f->cells[column].column, name) != 0)
        column++;
    return bad(f, column, expected);
}

enum hs_status hs_rowfile_decimal(const struct hs_rowfile *f, uint32_t column, int64_t unit,
                                  const char *expected, int64_t *value)
{
    const char *text = hs_rowfile_text(f, column);
    *value = -1;
    if (text[0] != '\0' && (!hs_parse_decimal_us(text, strlen(text), unit, value) || *value < 0))
        return bad(f, column, expected);
    return HS_OK;
}

static enum hs_status read_count(const struct hs_rowfile *f, uint32_t column, uint64_t *count)
{
    const char *text = hs_rowfile_text(f, column);
    int64_t value = 0;
    if (text[0] != '\0' && (!hs_parse_int64(text, strlen(text), &value) || value < 0))
        return bad(f, column, "a count");
    *count = (uint64_t)value;
    return HS_OK;
}

static enum hs_status read_cell(const struct hs_rowfile *f, uint32_t column, void *to)
{
    const enum hs_cell_kind kind = f->cells[column].kind;
    const char *text = hs_rowfile_text(f, column);
    uint64_t count;
    int64_t value;
    switch (kind) {
    case HS_CELL_TEXT:
        *(const char **)to = text;
        return HS_OK;
    case HS_CELL_DOUBLE:
        *(double *)to = (double)NAN;
        return text[0] == '\0' || hs_parse_double(text, strlen(text), to)
                   ? HS_OK
                   : bad(f, column, "a number");
    case HS_CELL_COUNT:
        return read_count(f, column, to);
    case HS_CELL_COUNT32:
        HS_TRY(read_count(f, column, &count));
        *(uint32_t *)to = (uint32_t)count;
        return count > UINT32_MAX ? bad(f, column, "a count") : HS_OK;
    default:
        HS_TRY(hs_rowfile_decimal(f, column, decimals[kind].unit, decimals[kind].expected, &value));
        if (value < 0 && !decimals[kind].may_be_empty)
            return bad(f, column, decimals[kind].expected);
    }
    if (kind != HS_CELL_SHARE) {
        *(int64_t *)to = value;
        return HS_OK;
    }
    *(uint32_t *)to = (uint32_t)value;
    return value < 1 || value > GPU_MILLI ? bad(f, column, decimals[kind].expected) : HS_OK;
}

enum hs_status hs_rowfile_read(const struct hs_rowfile *f, void *row)
{
    for (uint32_t i = 0; f->cells[i].column != NULL; i++)
        HS_TRY(read_cell(f, i, (char *)row + f->cells[i].offset));
    return HS_OK;
}

bool hs_rowfile_range(const char **at, uint32_t *first, uint32_t *last)
{
    size_t length = strcspn(*at, " "), first_length = strcspn(*at, "- ");
    int64_t from, to;
    if (!hs_parse_int64(*at, first_length, &from))
        return false;
    to = from;
    if (first_length < length &&
        !hs_parse_int64(*at + first_length + 1, length - first_length - 1, &to))
        return false;
    if (from < 0 || to < from || to >= UINT32_MAX)
        return false;
    *first = (uint32_t)from;
    *last = (uint32_t)to;
    *at += length;
    *at += **at == ' ';
    return true;
}

void hs_rowfile_close(struct hs_rowfile *f)
{
    if (f->csv != NULL)
        hs_csv_close(f->csv);
    if (f->input != NULL)
        hs_input_close(f->input);
}

enum hs_status hs_rowfile_each(struct hs_runmanifest *m, const char *name,
                               const struct hs_cell *cells,
                               enum hs_status (*each)(void *ctx, const struct hs_rowfile *f),
                               void *ctx)
{
    char path[HS_PATH_SIZE];
    struct hs_rowfile f;
    const struct hs_output_file *listed = hs_runmanifest_file(m, name);
    (void)snprintf(path, sizeof path, "%s/%s", m->dir, name); /* no longer than manifest.json */
    enum hs_status s = hs_rowfile_open(&f, path, cells, m->diag);
    while (s == HS_OK && (s = hs_rowfile_next(&f)) == HS_OK)
        s = each(ctx, &f);
    if (s == HS_END) {
        s = HS_OK;
        m->rows_hash = hs_input_hash(f.input);
        m->rows_bytes = hs_input_bytes(f.input);
        if (listed != NULL && listed->hash != m->rows_hash && !m->keeps_quiet)
            hs_report(m->diag, HS_WARNING, &(struct hs_place){.file = path},
                      "`horus verify` says more",
                      "not the file that the manifest lists: it was changed after the run");
    }
    hs_rowfile_close(&f);
    return s;
}
