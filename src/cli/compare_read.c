/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The summaries of the cells, in their order: figures for the statistics, rows for runs.csv. What
 * compare.csv says can be computed again from runs.csv.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"
#include "cli/compare.h"
#include "cli/simulate.h"
#include "data/csvread.h"
#include "data/csvwrite.h"

#define HEADER_SIZE 32768
#define COLUMNS_MAX 1024

/* runs.csv while it is written. The columns policy and seed of a summary stand in front of a row,
 * policy as it was given. */
struct runs {
    struct hs_compare *compare;
    const struct hs_rundir *dir;
    struct hs_csvw csv;
    bool is_open;
    uint32_t column_of[HS_METRICS_MAX]; /* of each metric in a summary */
    bool is_taken[COLUMNS_MAX];         /* columns that go into the row */
    uint32_t columns;
};

static enum hs_status put_column(char header[HEADER_SIZE], size_t *len, const char *name,
                                 struct hs_diag *diag)
{
    int put = snprintf(header + *len, HEADER_SIZE - *len, ",%s", name);
    if (put < 0 || (size_t)put >= HEADER_SIZE - *len)
        return hs_fail(diag, HS_E_LIMIT, NULL, NULL, "the header of runs.csv is too long");
    *len += (size_t)put;
    return HS_OK;
}

static enum hs_status open_runs(struct runs *r, const struct hs_csv_row *head)
{
    struct hs_diag *diag = &r->compare->call->diag;
    const struct hs_summary *metrics = r->compare->metrics;
    char header[HEADER_SIZE], path[HS_PATH_SIZE];
    size_t len = strlen(HS_RUNS_COLUMNS);
    memcpy(header, HS_RUNS_COLUMNS, len + 1);
    if (head->count > COLUMNS_MAX)
        return hs_fail(diag, HS_E_LIMIT, NULL, NULL, "a summary has too many columns");
    r->columns = head->count;
    for (uint32_t i = 0; i < head->count; i++) {
        r->is_taken[i] =
            strcmp(head->fields[i], "policy") != 0 && strcmp(head->fields[i], "seed") != 0;
        if (r->is_taken[i])
            HS_TRY(put_column(header, &len, head->fields[i], diag));
    }
    for (uint32_t m = 0; m < metrics->count; m++)
        r->column_of[m] = hs_csv_column(head, metrics->metrics[m].name);
    hs_rundir_file(r->dir, "runs.csv", path, sizeof path);
    HS_TRY(hs_csvw_open(&r->csv, path, header, diag));
    r->is_open = true;
    return HS_OK;
}

static void take_row(struct runs *r, uint32_t index, const struct hs_csv_row *row)
{
    struct hs_compare *c = r->compare;
    const struct hs_cell *cell = &c->cells[index];
    double *values = c->values + (size_t)index * c->metrics->count;
    for (uint32_t m = 0; m < c->metrics->count; m++) {
        uint32_t column = r->column_of[m];
        if (column >= row->count ||
            !hs_parse_double(row->fields[column], row->lengths[column], &values[m]))
            values[m] = (double)NAN;
    }
    hs_csvw_text(&r->csv, c->policies[cell->policy].spec);
    hs_csvw_i64(&r->csv, cell->seed);
    hs_csvw_i64(&r->csv, cell->assignment);
    for (uint32_t i = 0; i < row->count && i < r->columns; i++)
        if (r->is_taken[i])
            hs_csvw_text(&r->csv, row->fields[i]);
    hs_csvw_end(&r->csv);
}

static enum hs_status read_rows(struct runs *r, uint32_t index, struct hs_input *input)
{
    struct hs_diag *diag = &r->compare->call->diag;
    struct hs_csv *csv;
    struct hs_csv_row row;
    HS_TRY(hs_csv_open(&csv, input, ',', diag));
    enum hs_status status = hs_csv_next(csv, &row);
    if (status == HS_OK && !r->is_open)
        status = open_runs(r, &row);
    if (status == HS_OK)
        status = hs_csv_next(csv, &row);
    if (status == HS_OK) {
        take_row(r, index, &row);
        status = hs_csv_next(csv, &row); /* to the end: the hash is of the whole file */
    }
    r->compare->cells[index].summary_hash = hs_input_hash(input);
    hs_csv_close(csv);
    return status == HS_END ? HS_OK : status;
}

static enum hs_status read_cell(struct runs *r, uint32_t index)
{
    char path[HS_PATH_SIZE];
    struct hs_input *input;
    hs_compare_cell_path(r->dir, &r->compare->cells[index], "summary.csv", path, sizeof path);
    HS_TRY(hs_input_open(&input, path, &r->compare->call->diag));
    enum hs_status status = read_rows(r, index, input);
    hs_input_close(input);
    return status;
}

static void compute(struct hs_compare *c)
{
    const size_t count = c->metrics->count;
    for (uint32_t p = 0; p < c->policy_count; p++)
        for (size_t m = 0; m < count; m++) {
            const double *values = c->values + (size_t)p * c->pair_count * count + m;
            c->means[p * count + m] = hs_replicated_mean(values, count, c->pair_count);
            c->ratios[p * count + m] =
                hs_replicated_ratio(values, c->values + m, count, c->pair_count);
        }
}

enum hs_status hs_compare_read(struct hs_compare *c, const struct hs_rundir *dir)
{
    struct runs r = {.compare = c, .dir = dir};
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; i < c->cell_count && status == HS_OK; i++)
        status = read_cell(&r, i);
    if (r.is_open) {
        c->files[1] = (struct hs_output_file){.name = "runs.csv",
                                              .hash = hs_output_hash(&r.csv.out),
                                              .bytes = hs_output_bytes(&r.csv.out),
                                              .rows = r.csv.rows};
        enum hs_status closed = hs_csvw_close(&r.csv, &c->call->diag);
        status = status != HS_OK ? status : closed;
    }
    if (status == HS_OK)
        compute(c);
    return status;
}
