/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See jobvalues.h. O(jobs log jobs).
 */
#include "report/jobvalues.h"

#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "base/timeparse.h"

#define JOBS_MAX (UINT32_MAX / 2)

enum { SUBMIT, SUCCESS, TURNAROUND, WAIT, SLOWDOWN };
static const char *const columns[] = {"submission_time", "success",  "turnaround_time",
                                      "waiting_time",    "slowdown", NULL};
static const uint32_t column_of[HS_JOBVALUES] = {TURNAROUND, WAIT, SLOWDOWN};

/* A job that is done; -1 = it has no such value. */
struct row {
    int64_t submit_us, value[HS_JOBVALUES];
};

struct reading {
    struct row *rows;
    uint32_t count, cap;
    int64_t last_submit_us; /* of any job */
};

static enum hs_status read_row(void *ctx, const struct hs_rowfile *f)
{
    struct reading *r = ctx;
    struct row row;
    HS_TRY(hs_rowfile_decimal(f, SUBMIT, HS_US_PER_S, "a time in seconds", &row.submit_us));
    r->last_submit_us = row.submit_us > r->last_submit_us ? row.submit_us : r->last_submit_us;
    if (strcmp(hs_rowfile_text(f, SUCCESS), "1") != 0)
        return HS_OK;
    for (int v = 0; v < HS_JOBVALUES; v++)
        HS_TRY(hs_rowfile_decimal(f, column_of[v], HS_US_PER_S, "a number", &row.value[v]));
    HS_TRY(hs_grow((void **)&r->rows, &r->cap, (uint64_t)r->count + 1, sizeof *r->rows, JOBS_MAX));
    r->rows[r->count++] = row;
    return HS_OK;
}

static int64_t duration_of(const struct hs_page_run *run, const char *key)
{
    const char *text = hs_json_text(hs_json_get(run->manifest.config, key));
    int64_t us;
    return text != NULL && hs_parse_duration_us(text, strlen(text), &us) ? us : 0;
}

static enum hs_status keep(struct hs_jobvalues *values, const struct reading *r,
                           const struct hs_page_run *run)
{
    const int64_t from_us = duration_of(run, "warmup"),
                  to_us = r->last_submit_us - duration_of(run, "cooldown");
    for (int v = 0; v < HS_JOBVALUES; v++) {
        HS_TRY(hs_grow((void **)&values->of[v], &values->cap[v],
                       (uint64_t)values->count[v] + r->count, sizeof *values->of[v], JOBS_MAX));
        for (uint32_t i = 0; i < r->count; i++)
            if (r->rows[i].value[v] >= 0 && r->rows[i].submit_us >= from_us &&
                r->rows[i].submit_us <= to_us)
                values->of[v][values->count[v]++] = r->rows[i].value[v];
    }
    return HS_OK;
}

static int compare_values(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

enum hs_status hs_jobvalues_read(struct hs_jobvalues *values, struct hs_page *page,
                                 const struct hs_page_group *group)
{
    enum hs_status s = HS_OK;
    for (uint32_t i = 0; i < group->count && s == HS_OK; i++) {
        const struct hs_page_run *run = &page->runs[group->first + i];
        struct reading reading = {0};
        s = hs_page_read(page, run, "jobs.csv", columns, read_row, &reading);
        if (s == HS_OK && keep(values, &reading, run) != HS_OK)
            s = hs_fail(page->diag, HS_E_MEMORY, NULL, NULL, "no memory for the jobs");
        hs_free(reading.rows);
    }
    for (int v = 0; v < HS_JOBVALUES && s == HS_OK; v++)
        if (values->count[v] > 0)
            qsort(values->of[v], values->count[v], sizeof *values->of[v], compare_values);
    return s;
}

void hs_jobvalues_free(struct hs_jobvalues *values)
{
    for (int v = 0; v < HS_JOBVALUES; v++)
        hs_free(values->of[v]);
}

uint32_t hs_rank(const int64_t *values, uint32_t count, int64_t limit)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (values[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t hs_nearest_rank(const int64_t *values, uint32_t count, uint32_t permille)
{
    const uint64_t rank = ((uint64_t)count * permille + 999) / 1000;
    return values[rank > 0 ? rank - 1 : 0];
}
