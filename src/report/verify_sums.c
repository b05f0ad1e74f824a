/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of summary.json, computed anew from the rows: counts, makespan, means, quantiles and
 * maxima of wait, JCT and slowdowns, GPU time and shares. Sums are exact; what is compared are
 * doubles, so that one part in 10^12 is allowed for the division. O(jobs log jobs).
 *
 * Statistics of jobs under --warmup or --cooldown are left out: which jobs count is the simulator's
 * choice there.
 */
#include "report/verify_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "data/json.h"

#define TOLERANCE 1e-12

/* Of done jobs of one class. */
struct class_sums {
    uint64_t jobs;
    hs_i128 wait_us, jct_us;
};

struct sums {
    uint64_t jobs, done, failed, rejected, unfinished;
    uint64_t preemptions, migrations, ooms, retries, switches;
    int64_t last_finish_us, span_us;
    hs_i128 wait_us, jct_us, pending_us, isolated_us, run_us, colocated_us;
    hs_i128 progress_us;                    /* until the first progress */
    hs_i128 slowdown_ppm, run_slowdown_ppm; /* of done jobs that have work */
    hs_i128 overhead_us, lost_ns;           /* x thousandths of GPUs */
    hs_i128 host_mib_us;
    int64_t *waits, *jcts, *progress; /* of done jobs, ascending */
    int64_t *slowdowns, *run_slowdowns;
    uint64_t with_work;
    struct class_sums classes[HS_JOB_CLASS_COUNT];
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The last instant at which something became of the job. One that was turned away has no finish,
 * and may have waited before. */
static int64_t last_us(const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    int64_t rejected_us = row->is_rejected ? row->submit_us + row->run_us + row->pending_us : -1;
    return later(later(j->submit_us, j->sum.last_end_us), later(row->finish_us, rejected_us));
}

static void add_class(struct class_sums *s, int64_t wait_us, int64_t jct_us)
{
    s->jobs++;
    s->wait_us += wait_us;
    s->jct_us += jct_us;
}

static void add_job(struct sums *s, const struct verify_job *j)
{
    const struct verify_row *row = &j->row;
    s->jobs++;
    s->rejected += row->is_rejected;
    s->failed += !row->is_rejected && !row->is_done && row->finish_us >= 0;
    s->unfinished += !row->is_rejected && row->finish_us < 0;
    s->preemptions += j->sum.preemptions;
    s->migrations += j->sum.migrations;
    s->ooms += j->sum.ooms;
    s->retries += j->sum.failures;
    s->switches += row->switches;
    s->host_mib_us += row->host_mib_us;
    s->lost_ns += (hs_i128)row->lost_ns * j->gpus * row->gpu_milli;
    s->run_us += j->sum.run_us;
    s->colocated_us += j->sum.colocated_us;
    s->overhead_us += (hs_i128)row->overhead_us * j->gpus * row->gpu_milli;
    s->last_finish_us = later(s->last_finish_us, row->finish_us);
    s->span_us = later(s->span_us, last_us(j));
    if (!row->is_done)
        return;
    s->waits[s->done] = j->sum.first_start_us - j->submit_us;
    s->jcts[s->done] = j->sum.finish_us - j->submit_us;
    s->wait_us += s->waits[s->done];
    s->jct_us += s->jcts[s->done];
    s->pending_us += s->jcts[s->done] - j->sum.run_us;
    s->progress[s->done] =
        (row->progress_us >= 0 ? row->progress_us : j->sum.finish_us) - j->submit_us;
    s->progress_us += s->progress[s->done];
    add_class(&s->classes[row->job_class], s->waits[s->done], s->jcts[s->done]);
    s->isolated_us += j->work_us;
    if (j->work_us > 0) {
        s->slowdowns[s->with_work] = verify_ppm(s->jcts[s->done], j->work_us);
        s->run_slowdowns[s->with_work] = verify_ppm(j->sum.run_us, j->work_us);
        s->slowdown_ppm += s->slowdowns[s->with_work];
        s->run_slowdown_ppm += s->run_slowdowns[s->with_work];
        s->with_work++;
    }
    s->done++;
}

static int compare_us(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static enum hs_status add_jobs(struct verify_run *run, struct sums *s)
{
    int64_t **lists[] = {&s->waits, &s->jcts, &s->progress, &s->slowdowns, &s->run_slowdowns};
    bool has_memory = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        *lists[i] = hs_alloc_zeroed(run->job_count + UINT64_C(1), sizeof **lists[i]);
        has_memory = has_memory && *lists[i] != NULL;
    }
    if (!has_memory)
        return hs_fail(run->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    for (uint32_t i = 0; i < run->job_count; i++)
        if (run->jobs[i].row.line != 0)
            add_job(s, &run->jobs[i]);
    qsort(s->waits, s->done, sizeof *s->waits, compare_us);
    qsort(s->jcts, s->done, sizeof *s->jcts, compare_us);
    qsort(s->progress, s->done, sizeof *s->progress, compare_us);
    qsort(s->slowdowns, s->with_work, sizeof *s->slowdowns, compare_us);
    qsort(s->run_slowdowns, s->with_work, sizeof *s->run_slowdowns, compare_us);
    return HS_OK;
}

/* num / den seconds or shares; a den of 0 means that the figure is not defined. */
static void compare_of(struct verify_check *c, const struct hs_json *metrics, const char *whose,
                       const char *name, double num, double den)
{
    const struct hs_json *stated = hs_json_get(metrics, name);
    bool is_stated = hs_json_kind(stated) == HS_JSON_NUMBER;
    double value = hs_json_number(stated), rebuilt = den > 0 ? num / den : 0;
    char left[HS_FMT_MAX + 1], right[HS_FMT_MAX + 1];
    c->looked++;
    if (is_stated && den > 0 && fabs(value - rebuilt) <= TOLERANCE * fabs(rebuilt))
        return;
    if (!is_stated && !(den > 0))
        return;
    left[hs_fmt_double(left, value)] = '\0';
    right[hs_fmt_double(right, rebuilt)] = '\0';
    verify_fault(c, "summary.json: %s%s is %s, by the rows it is %s", whose, name,
                 is_stated ? left : "missing", den > 0 ? right : "undefined");
}

static void compare(struct verify_check *c, const struct hs_json *metrics, const char *name,
                    double num, double den)
{
    compare_of(c, metrics, "", name, num, den);
}

/* Smallest value with at least percent/100 of all values not above it; ascending values. */
static double quantile(const int64_t *values, uint64_t count, uint64_t percent)
{
    uint64_t rank = (count * percent + 99) / 100;
    return count > 0 ? (double)values[(rank > 0 ? rank : 1) - 1] : 0;
}

/* Values in millionths: of a second or of 1. */
static void compare_spread(struct verify_check *c, const struct hs_json *metrics, const char *what,
                           const int64_t *values, uint64_t count)
{
    static const uint64_t percents[] = {50, 90, 95, 99, 100};
    static const char *const prefixes[] = {"p50", "p90", "p95", "p99", "max"};
    char name[32];
    for (int i = 0; i < 5; i++) {
        (void)snprintf(name, sizeof name, "%s_%s", prefixes[i], what);
        compare(c, metrics, name, quantile(values, count, percents[i]), count > 0 ? 1e6 : 0);
    }
}

/* Classes are told where a job asks for one, and then those that have jobs. */
static void compare_classes(struct verify_check *c, const struct hs_json *classes,
                            const struct sums *s)
{
    bool is_told = s->classes[HS_JOB_CLASS_AUTO].jobs < s->done;
    for (int i = 0; i < HS_JOB_CLASS_COUNT; i++) {
        const char *name = hs_job_class_text((enum hs_job_class)i);
        const struct hs_json *told = hs_json_get(hs_json_get(classes, "class"), name);
        const struct class_sums *class = &s->classes[i];
        double n_us = is_told ? 1e6 * (double)class->jobs : 0;
        char whose[32];
        if (told == NULL && !(n_us > 0))
            continue;
        (void)snprintf(whose, sizeof whose, "%s: ", name);
        compare_of(c, told, whose, "jobs", n_us, 1e6);
        compare_of(c, told, whose, "mean_wait", (double)class->wait_us, n_us);
        compare_of(c, told, whose, "mean_jct", (double)class->jct_us, n_us);
    }
}

static void compare_statistics(const struct verify_run *run, struct verify_check *c,
                               const struct hs_json *root, const struct sums *s)
{
    const struct hs_json *metrics = hs_json_get(root, "metrics");
    double n_us = 1e6 * (double)s->done;
    if (run->made_of.warmup_us > 0 || run->made_of.cooldown_us > 0) {
        (void)snprintf(c->note, sizeof c->note, " (job statistics left out: a window is set)");
        return;
    }
    compare(c, metrics, "n_counted", (double)s->done, 1);
    compare(c, metrics, "mean_wait", (double)s->wait_us, n_us);
    compare(c, metrics, "mean_jct", (double)s->jct_us, n_us);
    compare(c, metrics, "mean_pending", (double)s->pending_us, n_us);
    compare(c, metrics, "mean_time_to_progress", (double)s->progress_us, n_us);
    compare(c, metrics, "mean_isolated", (double)s->isolated_us, n_us);
    compare_spread(c, metrics, "wait", s->waits, s->done);
    compare_spread(c, metrics, "jct", s->jcts, s->done);
    compare_spread(c, metrics, "time_to_progress", s->progress, s->done);
    double n_ppm = 1e6 * (double)s->with_work;
    compare(c, metrics, "mean_slowdown", (double)s->slowdown_ppm, n_ppm);
    compare(c, metrics, "mean_run_slowdown", (double)s->run_slowdown_ppm, n_ppm);
    compare_spread(c, metrics, "slowdown", s->slowdowns, s->with_work);
    compare_spread(c, metrics, "run_slowdown", s->run_slowdowns, s->with_work);
    compare_classes(c, hs_json_get(root, "classes"), s);
}

static void compare_all(const struct verify_run *run, struct verify_check *c,
                        const struct hs_json *root, const struct sums *s)
{
    const struct hs_json *metrics = hs_json_get(root, "metrics");
    double gpu_span = (double)run->cluster.gpu_count * (double)s->span_us;
    compare(c, metrics, "n_jobs", (double)s->jobs, 1);
    compare(c, metrics, "n_done", (double)s->done, 1);
    compare(c, metrics, "n_failed", (double)s->failed, 1);
    compare(c, metrics, "n_rejected", (double)s->rejected, 1);
    compare(c, metrics, "n_unfinished", (double)s->unfinished, 1);
    compare(c, metrics, "preemptions", (double)s->preemptions, 1);
    compare(c, metrics, "migrations", (double)s->migrations, 1);
    compare(c, metrics, "ooms", (double)s->ooms, 1);
    compare(c, metrics, "retries", (double)s->retries, 1);
    compare(c, metrics, "switches", (double)s->switches, 1);
    compare(c, metrics, "host_mib_seconds", (double)s->host_mib_us, 1e6);
    compare(c, metrics, "lost_gpu_seconds", (double)s->lost_ns, 1e9 * VERIFY_GPU_MILLI);
    compare(c, metrics, "overhead_gpu_seconds", (double)s->overhead_us, 1e6 * VERIFY_GPU_MILLI);
    compare(c, metrics, "colocated_share", (double)s->colocated_us, (double)s->run_us);
    compare_statistics(run, c, root, s);
    compare(c, metrics, "held_gpu_seconds", (double)run->held_us, 1e6);
    if (run->made_of.until_us != HS_TIME_MAX)
        return; /* makespan and span end at the horizon */
    compare(c, metrics, "makespan", (double)s->last_finish_us, s->done + s->failed > 0 ? 1e6 : 0);
    compare(c, metrics, "mean_running", (double)s->run_us, (double)s->span_us);
    compare(c, metrics, "gpu_allocation", (double)run->held_us, gpu_span);
    compare(c, metrics, "gpu_sharing", (double)run->shared_us, gpu_span);
    compare(c, metrics, "gpu_allocated_share", (double)run->allocated_us,
            gpu_span * VERIFY_GPU_MILLI);
}

static enum hs_status check_summary(struct verify_run *run, struct verify_check *c)
{
    char path[VERIFY_PATH_SIZE];
    struct hs_json_doc *doc;
    struct sums sums = {0};
    HS_TRY(verify_path(run, "summary.json", path));
    HS_TRY(hs_json_load(&doc, path, run->diag));
    enum hs_status s = add_jobs(run, &sums);
    if (s == HS_OK)
        compare_all(run, c, hs_json_root(doc), &sums);
    hs_free(sums.waits);
    hs_free(sums.jcts);
    hs_free(sums.progress);
    hs_free(sums.slowdowns);
    hs_free(sums.run_slowdowns);
    hs_json_close(doc);
    return s;
}

const struct verify_rule verify_sum_rules[] = {
    {"summary.json follows from the rows", "figures", "differences", check_summary},
    {NULL, NULL, NULL, NULL},
};
