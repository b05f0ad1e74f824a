/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which row of the one run is which of the other. jobs.csv is in the order in which jobs end, and a
 * job id may come more than once in a trace; so both are sorted by submission, id, GPUs, work and
 * place in the file, and then row i must be row i. Jobs that are equal in all of these are the same
 * to every scheduler that is not told more; they are joined in the order in which they ended.
 * O(jobs log jobs).
 */
#include "report/paired.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "base/timeparse.h"

#define HINT_SIZE 512

/* Keys of the configuration that say which jobs there are. */
static const char *const workload_keys[] = {
    "load",         "scale_time", "window",          "sample_jobs",
    "max_jobs",     "until",      "format",          "map",
    "time_unit",    "cpu_jobs",   "zero_duration",   "skip_bad_rows",
    "outcomes",     "sort",       "philly_attempts", "gavel_throughputs",
    "openb_pending"};

static int compare_int64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const struct hs_paired_row *a, const struct hs_paired_row *b)
{
    int order = compare_int64(a->submit_us, b->submit_us);
    return order != 0 ? order : strcmp(a->id, b->id);
}

static int compare_demands(const struct hs_paired_row *a, const struct hs_paired_row *b)
{
    int order = compare_int64(a->gpus, b->gpus);
    return order != 0 ? order : compare_int64(a->work_us, b->work_us);
}

/* Total: no two rows have one number. */
static int compare_rows(const void *a, const void *b)
{
    const struct hs_paired_row *x = a, *y = b;
    int order = compare_keys(x, y);
    if (order == 0)
        order = compare_demands(x, y);
    return order != 0 ? order : compare_int64(x->number, y->number);
}

/* A setting that differs explains more than the first job that does. */
static const char *hint_of(const struct hs_paired *p, char hint[HINT_SIZE])
{
    for (size_t i = 0; i < sizeof workload_keys / sizeof *workload_keys; i++) {
        const char *text[HS_PAIRED_RUNS];
        char number[HS_PAIRED_RUNS][HS_RUNMANIFEST_NUMBER_SIZE];
        for (int r = 0; r < HS_PAIRED_RUNS; r++) {
            const struct hs_json *config = p->runs[r].manifest.config;
            text[r] = hs_runmanifest_text(hs_json_get(config, workload_keys[i]), number[r]);
            text[r] = text[r] != NULL ? text[r] : "not set";
        }
        if (strcmp(text[0], text[1]) == 0)
            continue;
        (void)snprintf(hint, HINT_SIZE, "%s differs: %s in %s, %s in %s", workload_keys[i], text[0],
                       p->runs[0].dir, text[1], p->runs[1].dir);
        return hint;
    }
    return NULL;
}

static enum hs_status differs(const struct hs_paired *p, const char *what)
{
    char hint[HINT_SIZE];
    struct hs_place place = {.file = p->runs[HS_PAIRED_B].dir};
    return hs_fail(p->diag, HS_E_INPUT, &place, hint_of(p, hint), "not of the workload of %s: %s",
                   p->runs[HS_PAIRED_A].dir, what);
}

static enum hs_status check_trace(const struct hs_paired *p)
{
    const struct hs_runmanifest *a = &p->runs[HS_PAIRED_A].manifest,
                                *b = &p->runs[HS_PAIRED_B].manifest;
    char what[2 * HS_PATH_SIZE];
    const char *trace_a = hs_json_text(hs_json_get(a->config, "trace"));
    const char *trace_b = hs_json_text(hs_json_get(b->config, "trace"));
    if (!a->has_trace_hash || !b->has_trace_hash ||
        (a->trace_hash == b->trace_hash && a->trace_bytes == b->trace_bytes))
        return HS_OK;
    (void)snprintf(what, sizeof what,
                   "trace %s (%016" PRIx64 ", %" PRIu64 " bytes) against %s (%016" PRIx64
                   ", %" PRIu64 " bytes)",
                   trace_b != NULL ? trace_b : "-", b->trace_hash, b->trace_bytes,
                   trace_a != NULL ? trace_a : "-", a->trace_hash, a->trace_bytes);
    return differs(p, what);
}

static const char *seconds(char text[HS_FMT_MAX + 1], int64_t us)
{
    text[hs_fmt_seconds(text, us)] = '\0';
    return text;
}

static enum hs_status missing(const struct hs_paired *p, const struct hs_paired_row *row,
                              int has_it)
{
    char what[HS_PATH_SIZE], at[HS_FMT_MAX + 1];
    (void)snprintf(what, sizeof what, "job %s, submitted at %s, is %s", row->id,
                   seconds(at, row->submit_us),
                   has_it == HS_PAIRED_A ? "not in it" : "in it alone");
    return differs(p, what);
}

static enum hs_status check_row(const struct hs_paired *p, const struct hs_paired_row *a,
                                const struct hs_paired_row *b)
{
    char what[HS_PATH_SIZE], at[HS_FMT_MAX + 1], work[2][HS_FMT_MAX + 1];
    int order = compare_keys(a, b);
    if (order != 0)
        return missing(p, order < 0 ? a : b, order < 0 ? HS_PAIRED_A : HS_PAIRED_B);
    if (compare_demands(a, b) == 0)
        return HS_OK;
    (void)snprintf(what, sizeof what,
                   "job %s, submitted at %s, wants %" PRIu32 " GPUs for %s s, not %" PRIu32
                   " for %s s",
                   a->id, seconds(at, a->submit_us), b->gpus, seconds(work[1], b->work_us), a->gpus,
                   seconds(work[0], a->work_us));
    return differs(p, what);
}

static enum hs_status check_rows(const struct hs_paired *p)
{
    const struct hs_paired_run *a = &p->runs[HS_PAIRED_A], *b = &p->runs[HS_PAIRED_B];
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        HS_TRY(check_row(p, &a->rows[i], &b->rows[i]));
    if (a->count > b->count)
        return missing(p, &a->rows[b->count], HS_PAIRED_A);
    if (a->count < b->count)
        return missing(p, &b->rows[a->count], HS_PAIRED_B);
    return HS_OK;
}

static int64_t duration_of(const struct hs_paired_run *run, const char *key)
{
    const char *text = hs_json_text(hs_json_get(run->manifest.config, key));
    int64_t us;
    return text != NULL && hs_parse_duration_us(text, strlen(text), &us) ? us : 0;
}

/* Submissions inside the windows of both runs, as `horus run` counts them. */
static void find_window(const struct hs_paired *p, int64_t *from_us, int64_t *to_us)
{
    const struct hs_paired_run *a = &p->runs[HS_PAIRED_A];
    *from_us = INT64_MIN;
    *to_us = INT64_MAX;
    for (int r = 0; r < HS_PAIRED_RUNS && a->count > 0; r++) {
        int64_t from = a->rows[0].submit_us + duration_of(&p->runs[r], "warmup");
        int64_t to = a->rows[a->count - 1].submit_us - duration_of(&p->runs[r], "cooldown");
        *from_us = from > *from_us ? from : *from_us;
        *to_us = to < *to_us ? to : *to_us;
    }
}

static enum hs_status pick_compared(struct hs_paired *p)
{
    const struct hs_paired_run *a = &p->runs[HS_PAIRED_A], *b = &p->runs[HS_PAIRED_B];
    int64_t from_us, to_us;
    find_window(p, &from_us, &to_us);
    p->compared = hs_alloc_zeroed((uint64_t)a->count + 1, sizeof *p->compared);
    if (p->compared == NULL)
        return hs_fail(p->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    for (uint32_t i = 0; i < a->count; i++) {
        bool in_a = a->rows[i].is_done, in_b = b->rows[i].is_done;
        bool is_inside = a->rows[i].submit_us >= from_us && a->rows[i].submit_us <= to_us;
        if (in_a && in_b && is_inside)
            p->compared[p->count++] = i;
        p->outside += in_a && in_b && !is_inside;
        p->only_done[HS_PAIRED_A] += in_a && !in_b;
        p->only_done[HS_PAIRED_B] += in_b && !in_a;
        p->done_in_none += !in_a && !in_b;
    }
    return HS_OK;
}

enum hs_status hs_paired_join(struct hs_paired *p)
{
    HS_TRY(check_trace(p));
    for (int r = 0; r < HS_PAIRED_RUNS; r++)
        if (p->runs[r].count > 0)
            qsort(p->runs[r].rows, p->runs[r].count, sizeof *p->runs[r].rows, compare_rows);
    HS_TRY(check_rows(p));
    return pick_compared(p);
}
