/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects both sides of a backtest, compares them, and writes the comparison: tables for a reader,
 * JSON, and the files of its directory. O(jobs log jobs) a group; the shares of waiting with room
 * O(changes) for each size of gang.
 */
#include "report/backtest/backtest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/run/run_table.h"
#include "report/stats/exact.h"
#include "traces/trace_stream.h"

#define JOBS_MAX    (UINT64_C(1) << 31)
#define CHANGES_MAX (UINT64_C(1) << 31)

/* ---- collection ---- */

static enum hs_status next_job(void *ctx, struct hs_trace_job **job)
{
    struct hs_backtest *b = ctx;
    HS_TRY(b->trace.next(b->trace.ctx, job));
    const struct hs_trace_job *t = *job;
    const int64_t end_us =
        t->end_us < 0 && t->start_us >= 0 ? t->start_us + t->duration_us : t->end_us;
    const bool is_told = t->start_us >= t->submit_us && end_us >= t->start_us;
    if (b->count == 0)
        b->epoch_us = t->submit_us;
    *hs_push(b->jobs, b->count, b->cap, JOBS_MAX) = (struct hs_backtest_job){
        .id = hs_arena_text(&b->arena, t->id, strlen(t->id)),
        .run_us = t->duration_us,
        .us = {{is_told ? t->start_us - t->submit_us : -1, is_told ? end_us - t->submit_us : -1},
               {-1, -1}},
        .gpus = t->gpus,
        .milli = t->gpus * t->gpu_milli,
        .user = hs_intern_get(&b->users, t->user),
        .vc = hs_intern_get(&b->vcs, t->vc),
        .outcome = t->outcome,
    };
    return HS_OK;
}

struct hs_job_source hs_backtest_source(struct hs_backtest *b, struct hs_job_source jobs)
{
    b->trace = jobs;
    return (struct hs_job_source){.next = next_job, .ctx = b};
}

static enum hs_status on_submit(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct hs_backtest *b = ctx;
    if (job->index == 0)
        b->epoch_us -= now_us;
    b->jobs[job->index].submit_us = now_us;
    return HS_OK;
}

static void add_change(struct hs_backtest_changes *changes, int64_t at_us, int64_t milli)
{
    *hs_push(changes->of, changes->count, changes->cap, CHANGES_MAX) =
        (struct hs_backtest_change){at_us, milli};
}

static enum hs_status on_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_backtest *b = ctx;
    const int64_t milli = (int64_t)segment->gpu_count * segment->job->gpu_milli;
    if (!b->keeps_changes)
        return HS_OK;
    add_change(&b->changes, segment->start_us, milli);
    add_change(&b->changes, segment->end_us, -milli);
    return HS_OK;
}

static enum hs_status on_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_backtest *b = ctx;
    int64_t *us = b->jobs[job->index].us[HS_SIMULATED];
    (void)now_us;
    if (job->state != HS_JOB_DONE)
        return HS_OK;
    us[HS_BACKTEST_WAIT] = job->first_start_us - job->submit_us;
    us[HS_BACKTEST_JCT] = job->finish_us - job->submit_us;
    return HS_OK;
}

void hs_backtest_init(struct hs_backtest *b, uint64_t gpus)
{
    *b = (struct hs_backtest){.gpus = gpus, .keeps_changes = true};
    b->observer = (struct hs_observer){
        .ctx = b, .on_submit = on_submit, .on_segment = on_segment, .on_finish = on_finish};
    hs_intern_init(&b->users);
    hs_intern_init(&b->vcs);
}

void hs_backtest_free(struct hs_backtest *b)
{
    hs_arena_free(&b->arena);
    hs_intern_free(&b->users);
    hs_intern_free(&b->vcs);
    hs_free(b->jobs);
    hs_free(b->changes.of);
}

/* ---- least squares ---- */

static bool is_compared(const struct hs_backtest_job *job)
{
    return job->us[HS_RECORDED][HS_BACKTEST_JCT] >= 0 &&
           job->us[HS_SIMULATED][HS_BACKTEST_JCT] >= 0;
}

hs_u128 hs_backtest_squares(const struct hs_backtest *b, uint32_t from, uint32_t to, uint64_t *jobs)
{
    hs_u128 sum = 0;
    for (uint32_t i = from; i < to && i < b->count; i++) {
        const struct hs_backtest_job *job = &b->jobs[i];
        const int64_t error_us =
            job->us[HS_SIMULATED][HS_BACKTEST_JCT] - job->us[HS_RECORDED][HS_BACKTEST_JCT];
        if (!is_compared(job))
            continue;
        sum += (hs_u128)((hs_i128)error_us * error_us);
        (*jobs)++;
    }
    return sum;
}

/* ---- groups ---- */

/* Of sorted values, count > 0. */
static double quantile(const double *values, uint64_t count, uint32_t permille)
{
    return values[(count * permille + 999) / 1000 - 1];
}

static struct hs_backtest_figures figures_of(double *values, uint64_t count)
{
    double sum = 0;
    qsort(values, count, sizeof *values, hs_order_doubles);
    for (uint64_t i = 0; i < count; i++)
        sum += values[i];
    return (struct hs_backtest_figures){sum / (double)count, quantile(values, count, 500),
                                        quantile(values, count, 900), quantile(values, count, 950)};
}

enum { BY_ALL, BY_GPUS, BY_VC, BY_USER, BY_OUTCOME, BY_TIME, PARTITIONS };

static const char *const kinds[PARTITIONS] = {"all", "gpus", "vc", "user", "outcome", "time"};

/* A partition of the jobs by keys from 0 on. */
struct partition {
    int by;
    uint32_t keys;
    uint32_t top[HS_BACKTEST_NAMES]; /* ids of the names with most jobs */
};

static uint32_t id_of(const struct hs_backtest_job *job, int by)
{
    return by == BY_USER ? job->user : job->vc;
}

/* Equal intervals between the first and the last submission compared. */
static int64_t time_of(const struct hs_backtest *b, uint32_t key)
{
    const int64_t from_us = b->jobs[b->first].submit_us;
    const int64_t span_us = b->jobs[b->count - 1].submit_us - from_us + 1;
    return from_us + (int64_t)((hs_i128)span_us * key / HS_BACKTEST_TIMES);
}

static uint32_t key_of(const struct hs_backtest *b, const struct partition *p,
                       const struct hs_backtest_job *job)
{
    uint32_t key = 0;
    switch (p->by) {
    case BY_GPUS:
        return hs_class_of_gpus(job->gpus);
    case BY_VC:
    case BY_USER:
        while (key + 1 < p->keys && p->top[key] != id_of(job, p->by))
            key++;
        return key;
    case BY_OUTCOME:
        return job->outcome;
    case BY_TIME:
        while (key + 1 < HS_BACKTEST_TIMES && time_of(b, key + 1) <= job->submit_us)
            key++;
        return key;
    default:
        return 0;
    }
}

static void name_key(const struct hs_backtest *b, const struct partition *p, uint32_t key,
                     struct hs_backtest_group *g)
{
    char clock[HS_CLOCK_TEXT];
    struct hs_class class;
    const char *text = "all";
    g->kind = kinds[p->by];
    if (p->by == BY_GPUS) {
        hs_class_name(HS_CLASS_GPUS + key, NULL, &class);
        text = class.name;
    } else if (p->by == BY_OUTCOME) {
        text = hs_outcome_text((enum hs_outcome)key);
    } else if (p->by == BY_TIME) {
        text = hs_trace_clock_text(clock, b->epoch_us + time_of(b, key));
    } else if (p->by != BY_ALL) {
        text = key + 1 < p->keys
                   ? hs_intern_text(p->by == BY_USER ? &b->users : &b->vcs, p->top[key])
                   : "(others)";
        text = text[0] != '\0' ? text : "(none)";
    }
    (void)snprintf(g->name, sizeof g->name, "%s", text);
}

/* The names with most compared jobs, of equals the first in the trace; no group if there is one. */
static void rank_names(const struct hs_backtest *b, struct partition *p)
{
    const uint32_t names = p->by == BY_USER ? b->users.count : b->vcs.count;
    uint64_t *jobs = hs_alloc_zeroed(names, sizeof *jobs);
    uint32_t used = 0;
    for (uint32_t i = b->first; i < b->count; i++)
        if (is_compared(&b->jobs[i]))
            used += jobs[id_of(&b->jobs[i], p->by)]++ == 0;
    for (p->keys = 0; used > 1 && p->keys < HS_BACKTEST_NAMES && p->keys < used; p->keys++) {
        uint32_t best = 0;
        for (uint32_t n = 1; n < names; n++)
            best = jobs[n] > jobs[best] ? n : best;
        p->top[p->keys] = best;
        jobs[best] = 0;
    }
    p->keys += used > 1; /* the others */
    hs_free(jobs);
}

/* values: room for three figures a job. */
static void compare_group(const struct hs_backtest *b, const struct partition *p, uint32_t key,
                          double *values, struct hs_backtest_group *g)
{
    double *side[HS_SIDES] = {values, values + b->count}, *errors = values + 2 * (size_t)b->count;
    for (int metric = HS_BACKTEST_METRICS - 1; metric >= 0; metric--) {
        g->jobs = 0;
        for (uint32_t i = b->first; i < b->count; i++) {
            const struct hs_backtest_job *job = &b->jobs[i];
            if (!is_compared(job) || key_of(b, p, job) != key)
                continue;
            for (int s = 0; s < HS_SIDES; s++)
                side[s][g->jobs] = (double)job->us[s][metric] / 1e6;
            errors[g->jobs] = side[HS_RECORDED][g->jobs];
            errors[g->jobs] = fabs(side[HS_SIMULATED][g->jobs] - errors[g->jobs]) / errors[g->jobs];
            g->jobs++;
        }
        if (g->jobs == 0)
            return;
        if (metric == HS_BACKTEST_JCT) {
            qsort(errors, g->jobs, sizeof *errors, hs_order_doubles);
            g->p50_error = quantile(errors, g->jobs, 500);
            g->p90_error = quantile(errors, g->jobs, 900);
        }
        for (int s = 0; s < HS_SIDES; s++)
            g->figures[metric][s] = figures_of(side[s], g->jobs);
        g->mean_error[metric] =
            g->figures[metric][HS_SIMULATED].mean / g->figures[metric][HS_RECORDED].mean - 1;
    }
}

/* ---- GPUs held ---- */

static int by_time(const void *a, const void *b)
{
    const struct hs_backtest_change *x = a, *y = b;
    return HS_ORDER(x->at_us, y->at_us);
}

/* Sorts the changes, and turns each into the thousandths held from then on. */
static void sum_up(struct hs_backtest_changes *changes)
{
    int64_t held = 0;
    qsort(changes->of, changes->count, sizeof *changes->of, by_time);
    for (uint32_t i = 0; i < changes->count; i++)
        held = changes->of[i].milli += held;
}

/* Figures over [from_us, to_us). In `spans` at_us is a level, milli its length. */
static struct hs_backtest_figures held_figures(const struct hs_backtest_changes *levels,
                                               int64_t from_us, int64_t to_us)
{
    struct hs_backtest_changes spans = {0};
    struct hs_backtest_figures f = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    double *const wanted[] = {&f.p50, &f.p90, &f.p95};
    static const uint32_t permille[] = {500, 900, 950};
    const int64_t length_us = to_us - from_us;
    int64_t begin_us = from_us, level = 0, seen_us = 0;
    hs_i128 sum = 0;
    if (length_us <= 0)
        return f;
    for (uint32_t i = 0; i <= levels->count; i++) {
        const int64_t at_us = i < levels->count ? levels->of[i].at_us : to_us;
        const int64_t end_us = at_us < to_us ? at_us : to_us;
        if (end_us > begin_us) {
            add_change(&spans, level, end_us - begin_us);
            sum += (hs_i128)(end_us - begin_us) * level;
            begin_us = end_us;
        }
        level = i < levels->count ? levels->of[i].milli : level;
    }
    f.mean = (double)sum / (double)length_us / 1000;
    qsort(spans.of, spans.count, sizeof *spans.of, by_time);
    for (uint32_t i = 0, q = 0; i < spans.count; i++) {
        seen_us += spans.of[i].milli;
        for (; q < 3 && (hs_i128)seen_us * 1000 >= (hs_i128)length_us * permille[q]; q++)
            *wanted[q] = (double)spans.of[i].at_us / 1000;
    }
    hs_free(spans.of);
    return f;
}

static int by_gpus(const void *a, const void *b)
{
    const struct hs_backtest_job *const *x = a, *const *y = b;
    return HS_ORDER((*x)->milli, (*y)->milli);
}

/* Returns the time with free GPUs before at_us, from its sums at the changes. */
static int64_t time_with_room(const struct hs_backtest_changes *levels, const int64_t *sums,
                              int64_t most, int64_t at_us)
{
    uint32_t low = 0, high = levels->count; /* first change behind at_us */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (levels->of[middle].at_us <= at_us)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct hs_backtest_change *last = &levels->of[low - 1];
    return sums[low - 1] + (last->milli <= most ? at_us - last->at_us : 0);
}

/* Sets the share of recorded waiting during which the log itself left idle what the job wanted. */
static void find_room(struct hs_backtest *b, const struct hs_backtest_changes *levels)
{
    const struct hs_backtest_job **jobs = hs_alloc_zeroed(b->count, sizeof *jobs);
    int64_t *sums = hs_alloc_zeroed(levels->count + 1, sizeof *sums);
    hs_i128 waited = 0, roomy = 0;
    uint32_t count = 0;
    for (uint32_t i = b->first; i < b->count; i++)
        if (b->jobs[i].us[HS_RECORDED][HS_BACKTEST_WAIT] > 0)
            jobs[count++] = &b->jobs[i];
    qsort(jobs, count, sizeof *jobs, by_gpus);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t most = (int64_t)b->gpus * 1000 - jobs[i]->milli;
        const int64_t from_us = jobs[i]->submit_us,
                      wait_us = jobs[i]->us[HS_RECORDED][HS_BACKTEST_WAIT];
        for (uint32_t k = 1; (i == 0 || jobs[i - 1]->milli != jobs[i]->milli) && k < levels->count;
             k++)
            sums[k] = sums[k - 1] + (levels->of[k - 1].milli <= most
                                         ? levels->of[k].at_us - levels->of[k - 1].at_us
                                         : 0);
        waited += wait_us;
        roomy += time_with_room(levels, sums, most, from_us + wait_us) -
                 time_with_room(levels, sums, most, from_us);
    }
    b->roomy = count > 0 ? (double)roomy / (double)waited : (double)NAN;
    hs_free(sums);
    hs_free(jobs);
}

/* ---- limits of the comparison ---- */

#define ADD_LIMIT(b, ...)                                                                          \
    (void)snprintf((b)->limits[(b)->limits_count++], sizeof(b)->limits[0], __VA_ARGS__)

static void list_limits(struct hs_backtest *b)
{
    if (b->untimed > 0)
        ADD_LIMIT(b,
                  "%llu of %u jobs lack a valid recorded start and end: they are simulated but "
                  "not compared",
                  (unsigned long long)b->untimed, b->count - b->first);
    if (!isnan(b->roomy))
        ADD_LIMIT(b,
                  "during %.1f %% of the recorded waiting as many GPUs of this cluster were idle "
                  "in the log as the job requested: possible causes are placement, quotas, holds, "
                  "or machines out of service",
                  100 * b->roomy);
    if (b->peak_milli > b->gpus * 1000)
        ADD_LIMIT(b,
                  "up to %.6g GPUs are allocated at once in the log, but the cluster has %llu: "
                  "jobs were interrupted or shared GPUs, or the cluster was larger",
                  (double)b->peak_milli / 1000, (unsigned long long)b->gpus);
    if (b->own_run_times == 0)
        ADD_LIMIT(b, "run times are measured from start to end and include the start-up, so "
                     "--startup is not calibrated");
    ADD_LIMIT(b, "the simulated cluster begins empty: jobs that ran or waited before the first "
                 "submission are not in the log");
    ADD_LIMIT(b, "a job that was stopped and resumed counts as running all the time; priorities, "
                 "dependencies and abandoned waits are not recorded");
}

void hs_backtest_compare(struct hs_backtest *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const int64_t *us = b->jobs[i].us[HS_RECORDED];
        const int64_t span_us = us[HS_BACKTEST_JCT] - us[HS_BACKTEST_WAIT];
        b->untimed += i >= b->first && us[HS_BACKTEST_JCT] < 0;
        b->own_run_times += us[HS_BACKTEST_JCT] >= 0 && span_us != b->jobs[i].run_us;
    }
    static const uint32_t keys[PARTITIONS] = {[BY_ALL] = 1,
                                              [BY_GPUS] = HS_CLASS_GPUS_COUNT,
                                              [BY_OUTCOME] = HS_OUTCOME_COUNT,
                                              [BY_TIME] = HS_BACKTEST_TIMES};
    double *values = hs_alloc_zeroed(3 * (size_t)b->count + 1, sizeof *values);
    for (int by = 0; by < PARTITIONS; by++) {
        struct partition p = {.by = by, .keys = keys[by]};
        if (by == BY_VC || by == BY_USER)
            rank_names(b, &p);
        for (uint32_t key = 0; key < p.keys; key++) {
            struct hs_backtest_group *g = &b->groups[b->group_count];
            *g = (struct hs_backtest_group){.jobs = 0};
            name_key(b, &p, key, g);
            compare_group(b, &p, key, values, g);
            b->group_count += g->jobs > 0;
        }
    }
    hs_free(values);
    struct hs_backtest_changes recorded = {0};
    const int64_t from_us = b->jobs[b->first].submit_us, to_us = b->jobs[b->count - 1].submit_us;
    for (uint32_t i = 0; i < b->count; i++) {
        const struct hs_backtest_job *job = &b->jobs[i];
        const int64_t *us = job->us[HS_RECORDED];
        if (us[HS_BACKTEST_WAIT] < 0)
            continue;
        add_change(&recorded, job->submit_us + us[HS_BACKTEST_WAIT], job->milli);
        add_change(&recorded, job->submit_us + us[HS_BACKTEST_JCT], -(int64_t)job->milli);
    }
    sum_up(&recorded);
    sum_up(&b->changes);
    for (uint32_t i = 0; i + 1 < recorded.count; i++)
        if (recorded.of[i].at_us < recorded.of[i + 1].at_us &&
            recorded.of[i].milli > (int64_t)b->peak_milli)
            b->peak_milli = (uint64_t)recorded.of[i].milli;
    b->held[HS_RECORDED] = held_figures(&recorded, from_us, to_us);
    b->held[HS_SIMULATED] = held_figures(&b->changes, from_us, to_us);
    find_room(b, &recorded);
    hs_free(recorded.of);
    list_limits(b);
}

static const char *const metric_names[HS_BACKTEST_METRICS] = {"wait", "jct"};
static const char *const side_names[HS_SIDES] = {"recorded", "simulated"};

/* ---- for a reader ---- */

/* "+3.2 %", "3.2 %"; "-" for a ratio that is not finite. */
#define ERROR(share) (isfinite(share) ? HS_TEXT("%+.1f %%", 100 * (share)) : "-")
#define SHARE(share) (isfinite(share) ? HS_TEXT("%.1f %%", 100 * (share)) : "-")

static void put_calibration(const struct hs_backtest *b, struct hs_output *out)
{
    if (b->first == 0) {
        hs_say(out, "calibrated  nothing: all jobs are compared\n");
        return;
    }
    hs_say(out, "calibrated  on the first %u of %u jobs\n", b->first, b->count);
    hs_say(out, "start-up    --startup=%ss%s\n", HS_SECONDS(b->startup_us),
           b->fits_startup ? ", by least trimmed squares of start to end minus run time"
                           : " (not calibrated)");
    if (b->fits_overcommit)
        hs_say(out, "overcommit  --overcommit=%g, by least squares of JCT in %u simulations\n",
               b->overcommit, b->runs);
    else
        hs_say(out, "overcommit  --overcommit=%g (not calibrated)\n", b->overcommit);
    hs_say(out, "error       RMSE of JCT: %s as given, %s calibrated; on the rest %s, %s%s\n",
           HS_TIME(b->rms[0][0]), HS_TIME(b->rms[0][1]), HS_TIME(b->rms[1][0]),
           HS_TIME(b->rms[1][1]),
           b->rms[1][1] > b->rms[1][0] ? ": the fit to the first part does not improve it" : "");
}

static void put_figures(struct hs_output *out, const char *title, bool is_time,
                        const struct hs_backtest_figures sides[HS_SIDES])
{
    for (int s = 0; s < HS_SIDES; s++) {
        const struct hs_backtest_figures *f = &sides[s];
        const double values[] = {f->mean, f->p50, f->p90, f->p95};
        hs_say(out, "  %-11s %-10s", s == 0 ? title : "", side_names[s]);
        for (size_t i = 0; i < HS_COUNT_OF(values); i++)
            if (is_time || isnan(values[i]))
                hs_say(out, "%12s", isnan(values[i]) ? "-" : HS_TIME(values[i]));
            else
                hs_say(out, "%12.1f", values[i]);
        hs_say(out, "\n");
    }
}

void hs_backtest_print(const struct hs_backtest *b, struct hs_output *out)
{
    const struct hs_backtest_group *all = &b->groups[0];
    put_calibration(b, out);
    hs_say(out, "compared    %" PRIu64 " of %u jobs\n\n", b->group_count > 0 ? all->jobs : 0,
           b->count - b->first);
    if (b->group_count > 0) {
        hs_say(out, "%24s%12s%12s%12s%12s\n", "", "mean", "p50", "p90", "p95");
        put_figures(out, "wait", true, all->figures[HS_BACKTEST_WAIT]);
        put_figures(out, "JCT", true, all->figures[HS_BACKTEST_JCT]);
        put_figures(out, "GPUs held", false, b->held);
        hs_say(
            out,
            "\nmean JCT    %s; the error per job has a median of %s and a 90th percentile of %s\n",
            ERROR(all->mean_error[HS_BACKTEST_JCT]), SHARE(all->p50_error), SHARE(all->p90_error));
        const char *kind = "";
        for (uint32_t i = 1; i < b->group_count; i++) {
            const struct hs_backtest_group *g = &b->groups[i];
            const struct hs_backtest_figures *wait = g->figures[HS_BACKTEST_WAIT],
                                             *jct = g->figures[HS_BACKTEST_JCT];
            if (g->jobs == b->groups[0].jobs)
                continue; /* all are of one kind */
            if (strcmp(kind, g->kind) != 0)
                hs_say(out, "\n%-22s%9s%12s%12s%12s%12s%10s%11s\n", g->kind, "jobs", "p95 wait",
                       "simulated", "mean JCT", "simulated", "", "JCT +-");
            kind = g->kind;
            hs_say(out, "  ");
            hs_say_padded(out, g->name, 20);
            hs_say(out, "%9" PRIu64 "%12s%12s%12s%12s%10s%11s\n", g->jobs,
                   HS_TIME(wait[HS_RECORDED].p95), HS_TIME(wait[HS_SIMULATED].p95),
                   HS_TIME(jct[HS_RECORDED].mean), HS_TIME(jct[HS_SIMULATED].mean),
                   ERROR(g->mean_error[HS_BACKTEST_JCT]), SHARE(g->p50_error));
        }
        hs_say(out, "\n");
    }
    for (uint32_t i = 0; i < b->limits_count; i++)
        hs_say(out, "%-11s %s\n", i == 0 ? "limits" : "", b->limits[i]);
}

/* ---- JSON ---- */

static void json_figures(struct hs_jsonw *w, const char *name,
                         const struct hs_backtest_figures sides[HS_SIDES])
{
    hs_jsonw_put(w, "%s={", name);
    for (int s = 0; s < HS_SIDES; s++)
        hs_jsonw_put(w, "%s=!{ mean=%g p50=%g p90=%g p95=%g }", side_names[s], sides[s].mean,
                     sides[s].p50, sides[s].p90, sides[s].p95);
    hs_jsonw_put(w, "}");
}

void hs_backtest_json(const struct hs_backtest *b, struct hs_jsonw *w)
{
    hs_jsonw_put(w, "calibration={ jobs=%u of=%u simulations=%u", b->first, b->count, b->runs);
    hs_jsonw_key(w, "startup");
    hs_jsonw_seconds(w, b->startup_us);
    hs_jsonw_put(w,
                 "overcommit=%g rms_jct=!{ first=%g first_calibrated=%g rest=%g "
                 "rest_calibrated=%g } }",
                 b->overcommit, b->rms[0][0], b->rms[0][1], b->rms[1][0], b->rms[1][1]);
    json_figures(w, "gpus_held", b->held);
    hs_jsonw_put(w, "groups=[");
    for (uint32_t i = 0; i < b->group_count; i++) {
        const struct hs_backtest_group *g = &b->groups[i];
        hs_jsonw_put(w, "={ group=%s key=%s jobs=%" PRIu64, g->kind, g->name, g->jobs);
        for (int m = 0; m < HS_BACKTEST_METRICS; m++)
            json_figures(w, metric_names[m], g->figures[m]);
        hs_jsonw_put(w, "mean_wait_error=%g mean_jct_error=%g p50_jct_error=%g p90_jct_error=%g }",
                     g->mean_error[HS_BACKTEST_WAIT], g->mean_error[HS_BACKTEST_JCT], g->p50_error,
                     g->p90_error);
    }
    hs_jsonw_put(w, "] not_told=[");
    for (uint32_t i = 0; i < b->limits_count; i++)
        hs_jsonw_put(w, "=%s", b->limits[i]);
    hs_jsonw_put(w, "]");
}

/* ---- files ---- */

static void put_row(struct hs_csvw *w, const struct hs_backtest_group *g, const char *metric,
                    const struct hs_backtest_figures sides[HS_SIDES], double error, bool is_jct)
{
    const struct hs_backtest_figures *recorded = &sides[HS_RECORDED],
                                     *simulated = &sides[HS_SIMULATED];
    hs_csvw_row(w, "%s %s %s %" PRIu64 " %g %g %g %g %g %g %g %g %g %g %g", g->kind, g->name,
                metric, g->jobs, recorded->mean, recorded->p50, recorded->p90, recorded->p95,
                simulated->mean, simulated->p50, simulated->p90, simulated->p95, error,
                is_jct ? g->p50_error : (double)NAN, is_jct ? g->p90_error : (double)NAN);
}

static void put_table(struct hs_csvw *w, const struct hs_backtest *b)
{
    for (uint32_t i = 0; i < b->group_count; i++) {
        const struct hs_backtest_group *g = &b->groups[i];
        for (int m = 0; m < HS_BACKTEST_METRICS; m++)
            put_row(w, g, metric_names[m], g->figures[m], g->mean_error[m], m == HS_BACKTEST_JCT);
        if (i == 0)
            put_row(w, g, "gpus_held", b->held,
                    b->held[HS_SIMULATED].mean / b->held[HS_RECORDED].mean - 1, false);
    }
}

static void put_jobs(struct hs_csvw *w, const struct hs_backtest *b)
{
    for (uint32_t i = 0; i < b->count && w->out.error == 0; i++) {
        const struct hs_backtest_job *job = &b->jobs[i];
        const int64_t *recorded = job->us[HS_RECORDED], *simulated = job->us[HS_SIMULATED];
        hs_csvw_row(
            w, "%s %s %u %s %s %s %s %s %s %s %s", job->id, HS_SECONDS(job->submit_us), job->gpus,
            hs_intern_text(&b->vcs, job->vc), hs_intern_text(&b->users, job->user),
            hs_outcome_text(job->outcome), HS_SECONDS_OR_NONE(recorded[HS_BACKTEST_WAIT]),
            HS_SECONDS_OR_NONE(simulated[HS_BACKTEST_WAIT]),
            HS_SECONDS_OR_NONE(recorded[HS_BACKTEST_JCT]),
            HS_SECONDS_OR_NONE(simulated[HS_BACKTEST_JCT]), i < b->first ? "first" : "rest");
    }
}

enum hs_status hs_backtest_write(const struct hs_backtest *b, const struct hs_rundir *dir,
                                 struct hs_output_file files[HS_BACKTEST_FILES],
                                 struct hs_diag *diag)
{
    static const struct {
        const char *name, *header;
        void (*put)(struct hs_csvw *w, const struct hs_backtest *b);
    } written[HS_BACKTEST_FILES] = {
        {HS_BACKTEST_CSV,
         "group,key,metric,jobs,recorded_mean,recorded_p50,recorded_p90,recorded_p95,"
         "simulated_mean,simulated_p50,simulated_p90,simulated_p95,mean_error,p50_error,p90_error",
         put_table},
        {HS_BACKTEST_JOBS,
         "job_id,submission_time,gpus,vc,user,outcome,recorded_wait,simulated_wait,recorded_jct,"
         "simulated_jct,part",
         put_jobs}};
    for (int i = 0; i < HS_BACKTEST_FILES; i++) {
        struct hs_csvw w;
        HS_TRY(hs_open_listed(&w, dir, written[i].name, written[i].header, diag));
        written[i].put(&w, b);
        HS_TRY(hs_close_listed(&w, written[i].name, &files[i], diag));
    }
    return HS_OK;
}
