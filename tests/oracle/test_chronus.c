/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chronus on drawn jobs: with exact run times, no costs and any margin no accepted job misses its
 * deadline, and no lease is planned above the number of GPUs (its own check verifies this at each
 * instant); the greedy plans against those of integer programs. And on the trace of its authors
 * beside other policies. HORUS_LONG makes the loops ten times as long.
 *
 * No file of a run shows whether a job was accepted: a copy of the policy marks the jobs that are
 * in its plan.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "data/csv.h"
#include "policies/chronus/chronus.h"
#include "support/data.h"
#include "support/run.h"
#include "support/sink.h"

#define SEED     20261127u
#define JOBS_MAX 40000u
#define MIN      60

static struct hs_test_job jobs[JOBS_MAX];
static uint32_t job_count;
static bool accepted[JOBS_MAX];
static struct hs_test_result result;

static uint32_t loops(uint32_t count)
{
    const char *is_long = getenv("HORUS_LONG"); /* make check sets it to nothing */
    return is_long != NULL && *is_long != '\0' ? 10 * count : count;
}

/* ---- runs ---- */

static enum hs_status decide_and_mark(void *state, const struct hs_view *v, struct hs_plan *p)
{
    const struct hs_chronus *o = state;
    const enum hs_status status = hs_policy_find("chronus")->decide(state, v, p);
    for (uint32_t i = 0; i < o->pool_count; i++)
        for (int chain = HS_CHRONUS_IS_RECENT; chain <= HS_CHRONUS_IS_PLANNED; chain++)
            HS_EACH_CHAINED(job, &o->pools[i].chains[chain], v) {
                accepted[hs_view_rank(v, job)] = true;
            }
    return status;
}

static enum hs_status deadline_init(void *state, const struct hs_view *v)
{
    hs_vc_queues_init(state, v, HS_SCAN_FIT);
    return HS_OK;
}

static void deadline_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    const int64_t due_us = event->kind == HS_EVENT_SUBMIT ? hs_view_deadline_us(v, event->job) : 0;
    hs_vc_queues_event(state, v, event, due_us < 0 ? INT64_MAX : due_us);
}

static enum hs_status deadline_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    hs_vc_queues_scan(state, v, p, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE});
    return HS_OK;
}

/* Earliest deadline first without preemption, the EDF that the authors compare with. */
static const struct hs_policy_ops by_deadline = {
    .name = "by-deadline",
    .state_size = sizeof(struct hs_vc_queues),
    .job_state_size = sizeof(struct hs_job_queue_link),
    .init = deadline_init,
    .on_event = deadline_event,
    .decide = deadline_decide,
};

static void play(const char *cluster, const char *spec, bool is_large)
{
    struct hs_policy_ops marking = *hs_policy_find("chronus");
    struct hs_test_options options = {.checks_fast = is_large, .keeps_ends_only = is_large};
    marking.decide = decide_and_mark;
    if (strncmp(spec, "chronus", 7) == 0)
        options.policy = &marking;
    else if (strcmp(spec, by_deadline.name) == 0)
        options.policy = &by_deadline;
    memset(accepted, 0, sizeof accepted);
    if (hs_test_run_with(jobs, job_count, cluster, spec, &options, &result) != HS_OK)
        fail_msg("%s on %s: %s", spec, cluster, result.message);
}

static bool is_late(uint32_t i)
{
    return jobs[i].deadline_s > 0 && (result.jobs[i].state != HS_JOB_DONE ||
                                      result.jobs[i].end_us > jobs[i].deadline_s * HS_TEST_S);
}

/* Missed deadlines of accepted jobs alone, or of all. */
static uint32_t misses(bool are_accepted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < job_count; i++)
        count += is_late(i) && (accepted[i] || !are_accepted);
    return count;
}

static uint32_t accepted_jobs(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < job_count; i++)
        count += accepted[i];
    return count;
}

/* ---- drawn jobs ---- */

static int by_submission(const void *a, const void *b)
{
    const struct hs_test_job *x = a, *y = b;
    if (x->submit_s != y->submit_s)
        return x->submit_s < y->submit_s ? -1 : 1;
    return x->priority - y->priority; /* then by row */
}

static void draw_jobs(struct hs_rng *rng, uint32_t count, uint32_t gpus_max)
{
    static const uint32_t gangs[] = {1, 1, 1, 1, 2, 2, 3, 4, 5, 8, 12, 16};
    memset(jobs, 0, (count + 1) * sizeof *jobs);
    jobs[0].duration_s = 1; /* the clock of a run begins with its first job */
    for (uint32_t i = 1; i <= count; i++) {
        const uint32_t gang = gangs[hs_rng_below(rng, sizeof gangs / sizeof *gangs)];
        const int64_t submit_s = (int64_t)hs_rng_below(rng, 6 * 60 * MIN);
        const int64_t duration_s =
            1 + (int64_t)hs_rng_below(rng, i % 3 == 0 ? 200 * MIN : 40 * MIN);
        jobs[i] = (struct hs_test_job){.gpus = gang < gpus_max ? gang : gpus_max,
                                       .submit_s = submit_s,
                                       .duration_s = duration_s,
                                       .priority = (int32_t)i};
        if (hs_rng_below(rng, 4) > 0)
            jobs[i].deadline_s = submit_s + duration_s + 10 * MIN +
                                 (int64_t)hs_rng_below(rng, 3 * (uint64_t)duration_s);
    }
    job_count = count + 1;
    qsort(jobs + 1, count, sizeof *jobs, by_submission);
}

static void the_accepted_never_miss(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        uint32_t gpus;
    } clusters[] = {{"1x8", 8}, {"2x8", 16}, {"4x4", 16}, {"3x8", 24}};
    static const char *const leases[] = {"600s", "1200s", "2400s", "1500s"};
    static const char *const objectives[] = {"adaptive", "maximise", "minimise"};
    struct hs_rng rng;
    uint32_t taken = 0, missed = 0;
    hs_rng_open(&rng, SEED, "chronus");
    for (uint32_t n = 0; n < loops(1000); n++) {
        char spec[256];
        draw_jobs(&rng, 8 + (uint32_t)hs_rng_below(&rng, 40), clusters[n % 4].gpus);
        (void)snprintf(spec, sizeof spec,
                       "chronus:checkpoint=0,resume=0,margin=%s,lease=%s,objective=%s,spot=%s,"
                       "solver=%s",
                       n % 2 == 0 ? "0" : "0.1", leases[n / 4 % 4], objectives[n % 3],
                       n / 2 % 2 == 0 ? "tick" : "event", n / 3 % 4 == 0 ? "milp" : "greedy");
        play(clusters[n % 4].shape, spec, false);
        for (uint32_t i = 0; i < job_count; i++)
            if (accepted[i] && is_late(i))
                fail_msg("%u: %s on %s: job %u of %u GPUs, at %g for %g due at %g min, ends at %g",
                         n, spec, clusters[n % 4].shape, i, jobs[i].gpus,
                         (double)jobs[i].submit_s / MIN, (double)jobs[i].duration_s / MIN,
                         (double)jobs[i].deadline_s / MIN,
                         (double)result.jobs[i].end_us / 1e6 / MIN);
        taken += accepted_jobs();
        missed += misses(false);
        hs_test_free(&result);
    }
    hs_rng_close(&rng);
    print_message("%u accepted jobs: none misses; %u of the others do\n", taken, missed);
    assert_true(taken > loops(1000) && missed > loops(1000)); /* else the loads show nothing */
}

/* ---- windows ---- */

/* 200 jobs with deadlines in 12 hours on 6 nodes of 8: loads as those for which the artifact gives
 * times, and higher ones. The values of all jobs are equal, so the accepted value is a number of
 * jobs. */
static void greedy_is_near_the_optimum(void **state)
{
    (void)state;
    struct hs_rng rng;
    uint32_t taken[2] = {0};
    double worst = 0;
    hs_rng_open(&rng, SEED, "windows");
    for (uint32_t n = 0; n < loops(2); n++) {
        static const char *const specs[] = {"chronus:checkpoint=0,resume=0,margin=0",
                                            "chronus:checkpoint=0,resume=0,margin=0,solver=milp,"
                                            "iterations=20000"};
        uint32_t count[2];
        draw_jobs(&rng, 200, 16);
        for (uint32_t k = 0; k < 2; k++) {
            play(n % 2 == 0 ? "6x8" : "4x8", specs[k], false);
            assert_int_equal(misses(true), 0);
            taken[k] += count[k] = accepted_jobs();
            hs_test_free(&result);
        }
        const double gap = 1 - (double)count[0] / count[1];
        worst = gap > worst ? gap : worst;
        print_message("window %u: greedy accepts %u, milp %u\n", n, count[0], count[1]);
    }
    hs_rng_close(&rng);
    print_message("greedy accepts %.2f %% fewer than milp, at worst %.2f %%\n",
                  100 * (1 - (double)taken[0] / taken[1]), 100 * worst);
    assert_true(worst <= 0.05);
}

/* ---- the trace of the authors ---- */

enum { GPUS = 2, SUBMIT, DURATION = 6, EXPECTED = 8, BEST_EFFORT = 10 };

/* Reads the jobs with GPUs, in order of submission; times are minutes. */
static void read_trace(const char *path)
{
    static struct sink sink;
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    sink_init(&sink);
    job_count = 0;
    assert_int_equal(hs_input_open(&input, path, &sink.diag), HS_OK);
    hs_csv_open(&csv, input, ',', &sink.diag);
    assert_int_equal(hs_csv_next(csv, &row), HS_OK); /* names */
    while (hs_csv_next(csv, &row) == HS_OK) {
        const int64_t submit_s = MIN * strtoll(row.fields[SUBMIT], NULL, 10);
        const bool has_deadline = strcmp(row.fields[BEST_EFFORT], "0") == 0;
        if (strcmp(row.fields[GPUS], "0") == 0)
            continue;
        assert_true(job_count < JOBS_MAX);
        jobs[job_count] = (struct hs_test_job){
            .gpus = (uint32_t)strtoul(row.fields[GPUS], NULL, 10),
            .submit_s = submit_s,
            .duration_s = MIN * strtoll(row.fields[DURATION], NULL, 10),
            .deadline_s =
                has_deadline ? submit_s + MIN * strtoll(row.fields[EXPECTED], NULL, 10) : 0,
            .priority = (int32_t)job_count};
        job_count++;
    }
    hs_csv_close(csv);
    hs_input_close(input);
    qsort(jobs, job_count, sizeof *jobs, by_submission);
    for (uint32_t i = job_count; i-- > 0;) { /* the clock of a run begins with its first job */
        jobs[i].deadline_s -= jobs[i].deadline_s > 0 ? jobs[0].submit_s : 0;
        jobs[i].submit_s -= jobs[0].submit_s;
    }
}

/* Returns the missed deadlines; *hours: mean JCT of the best-effort jobs. */
static uint32_t compare(const char *spec, double *hours)
{
    double sum = 0;
    uint32_t count = 0;
    play("120x8", spec, true);
    for (uint32_t i = 0; i < job_count; i++)
        if (jobs[i].deadline_s == 0) {
            sum += (double)result.jobs[i].end_us / 3.6e9 - (double)jobs[i].submit_s / 3600;
            count++;
        }
    *hours = sum / count;
    const uint32_t missed = misses(false);
    print_message("%-36s misses %5u, best effort %6.2f h", spec, missed, *hours);
    if (strncmp(spec, "chronus", 7) == 0)
        print_message(", accepted %u, of them missed %u", accepted_jobs(), misses(true));
    print_message("\n");
    return missed;
}

/* The order is that of the design, but for edf, srtf and srsf, which here are preemptive and
 * without lease or profile: they miss 75, 357 and 218 of the 21,600, Chronus 557. Under edf
 * best-effort jobs then wait 87 hours. */
static void the_order_of_policies_holds(void **state)
{
    (void)state;
    const char *path = data_need("traces", "trace_job_Philly_MIX1.csv");
    static const char *const others[] = {"fifo",     "fifo:scan=fit", "by-deadline", "sjf",
                                         "tiresias", "srtf",          "srsf",        "edf"};
    enum { FIFO, FIT, BY_DEADLINE, SJF, TIRESIAS, SRTF, SRSF, EDF };
    static const char *const exact = "chronus:checkpoint=0,resume=0,margin=0";
    uint32_t missed[8];
    double hours[8], own_hours;
    read_trace(path);
    for (uint32_t i = 0; i < 8; i++) {
        missed[i] = compare(others[i], &hours[i]);
        hs_test_free(&result);
    }
    const uint32_t own = compare("chronus", &own_hours);
    hs_test_free(&result);
    assert_true(own < missed[BY_DEADLINE] && own < missed[SJF]);
    assert_true(3 * own <= missed[FIFO] && 3 * own <= missed[FIT] && 3 * own <= missed[TIRESIAS]);
    assert_true(own_hours <= 2 * hours[SRSF]);
    (void)compare(exact, &own_hours);
    assert_int_equal(misses(true), 0);
    hs_test_free(&result);
}

/* Along each row more deadlines are missed: with longer leases, with errors in run times. */
static void misses_grow(void **state)
{
    (void)state;
    static const char *const rows[][4] = {
        {"chronus:lease=600s", "chronus:lease=1200s", "chronus:lease=2400s", "chronus:lease=3600s"},
        {"chronus", "chronus:pred=noisy,pred_sigma=0.1", "chronus:pred=noisy,pred_sigma=0.3",
         NULL}};
    read_trace(data_need("traces", "trace_job_Philly_MIX1.csv"));
    for (size_t r = 0; r < 2; r++) {
        uint32_t before = 0;
        for (uint32_t i = 0; i < 4 && rows[r][i] != NULL; i++) {
            double hours;
            const uint32_t missed = compare(rows[r][i], &hours);
            assert_true(missed > before);
            before = missed;
            hs_test_free(&result);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_accepted_never_miss), cmocka_unit_test(greedy_is_near_the_optimum),
        cmocka_unit_test(the_order_of_policies_holds), cmocka_unit_test(misses_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
