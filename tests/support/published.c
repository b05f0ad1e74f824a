/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the published files with the reader of the traces, and uses no other code of the program.
 */
#include "support/published.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fmt.h"
#include "support/data.h"
#include "support/sheet.h"

#define SHOWN_MAX 20

static struct published *add(struct workload *w)
{
    w->jobs = realloc(w->jobs, (w->count + 1) * sizeof *w->jobs);
    assert_non_null(w->jobs);
    struct published *p = &w->jobs[w->count++];
    *p = (struct published){.start = -1, .end = -1};
    return p;
}

static struct published *find(const struct workload *w, const char *id)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (strcmp(w->jobs[i].id, id) == 0)
            return &w->jobs[i];
    fail_msg("job %s is not in the trace", id);
    return NULL;
}

void published_jobs(struct workload *w, const char *path, const char *const *columns)
{
    static struct sheet t;
    for (sheet_open(&t, path, columns); sheet_next(&t);) {
        struct published *p = add(w);
        snprintf(p->id, sizeof p->id, "%s", sheet_cell(&t, 0));
        p->gpus = (uint32_t)sheet_seconds(&t, 2);
        p->duration = sheet_seconds(&t, 3);
        int64_t us;
        const char *submit = sheet_cell(&t, 1);
        if (hs_parse_datetime_us(submit, strlen(submit), &us, NULL))
            p->submit = us / HS_TEST_S;
        else
            p->submit = sheet_seconds(&t, 1);
    }
    sheet_close(&t);
    for (uint32_t i = w->count; i-- > 0;) /* relative to the epoch: the first submission */
        w->jobs[i].submit -= w->jobs[0].submit;
}

void published_outcomes(const struct workload *w, const char *path, const char *const *columns)
{
    static struct sheet t;
    uint32_t rows = 0;
    for (sheet_open(&t, path, columns); sheet_next(&t); rows++) {
        struct published *p = find(w, sheet_cell(&t, 0));
        int64_t origin = sheet_seconds(&t, 1) - p->submit;
        p->start = sheet_seconds(&t, 2) - origin;
        p->end = sheet_seconds(&t, 3) - origin;
        p->preemptions = (uint32_t)sheet_seconds(&t, 4);
    }
    sheet_close(&t);
    assert_int_equal(rows, w->count);
}

/* ---- comparison ---- */

static struct hs_test_job *engine_jobs(const struct workload *w)
{
    struct hs_test_job *jobs = calloc(w->count, sizeof *jobs);
    assert_non_null(jobs);
    for (uint32_t i = 0; i < w->count; i++) {
        assert_true(i == 0 || w->jobs[i].submit >= w->jobs[i - 1].submit);
        jobs[i] = (struct hs_test_job){.id = w->jobs[i].id,
                                       .gpus = w->jobs[i].gpus,
                                       .submit_s = w->jobs[i].submit,
                                       .duration_s = w->jobs[i].duration};
    }
    return jobs;
}

void published_run(const struct workload *w, const char *cluster, const char *policy,
                   struct hs_test_result *r)
{
    struct hs_test_job *jobs = engine_jobs(w);
    enum hs_status status = hs_test_run(jobs, w->count, cluster, policy, r);
    if (status != HS_OK)
        fail_msg("%s on %s: %s: %s", policy, cluster, hs_status_text(status), r->message);
    free(jobs);
}

void published_compare(const struct workload *w, const char *cluster, const char *policy)
{
    struct hs_test_result r;
    uint32_t differ = 0;
    published_run(w, cluster, policy, &r);
    for (uint32_t i = 0; i < w->count; i++) {
        const struct published *p = &w->jobs[i];
        const struct hs_test_outcome *o = &r.jobs[i];
        if (o->start_us == p->start * HS_TEST_S && o->end_us == p->end * HS_TEST_S &&
            o->preemptions == p->preemptions)
            continue;
        if (differ++ < SHOWN_MAX)
            print_error("%s: job %s is %" PRId64 "-%" PRId64 " us, %" PRIu32
                        " preemptions; published %" PRId64 "-%" PRId64 " s, %" PRIu32 "\n",
                        policy, p->id, o->start_us, o->end_us, o->preemptions, p->start, p->end,
                        p->preemptions);
    }
    print_message("%s on %s: %" PRIu32 " jobs, %" PRIu32 " differ\n", policy, cluster, w->count,
                  differ);
    assert_int_equal(differ, 0);
    hs_test_free(&r);
}

void published_compare_reference(const struct workload *w, int nodes, int gpus,
                                 struct ref_scenario s)
{
    struct ref_job *jobs = calloc(w->count, sizeof *jobs);
    assert_non_null(jobs);
    s.jobs = jobs;
    s.job_count = (int)w->count;
    s.nodes = nodes;
    for (int n = 0; n < nodes; n++)
        s.node_gpus[n] = gpus;
    for (uint32_t i = 0; i < w->count; i++) {
        jobs[i].submit = w->jobs[i].submit;
        jobs[i].duration = w->jobs[i].duration;
        jobs[i].gpus = (int)w->jobs[i].gpus;
    }
    assert_true(ref_simulate(&s, 100 * 86400));
    for (uint32_t i = 0; i < w->count; i++) {
        assert_int_equal(jobs[i].first_start, w->jobs[i].start);
        assert_int_equal(jobs[i].finish, w->jobs[i].end);
        assert_int_equal(jobs[i].preemptions, w->jobs[i].preemptions);
    }
    free(jobs);
}

void published_helios(struct workload *w, const char *outcomes)
{
    static const char *const trace[] = {"job_id", "submit_time", "gpu_num", "duration", NULL};
    static const char *const expected[] = {"job_id", "submit_s",   "start_s",
                                           "end_s",  "ckpt_times", NULL};
    (void)data_need("oracles", "helios-venus/venus_vcvlY_sept2020.csv");
    published_jobs(w, data_path("oracles", "helios-venus/venus_vcvlY_sept2020.csv"), trace);
    published_outcomes(w, data_path("oracles", outcomes), expected);
    assert_int_equal(w->count, 415);
}

static const char *const tiresias_trace[] = {"job_id", "submit_time", "num_gpu", "duration", NULL};
static const char *const tiresias_outcome[] = {"job_id",   "submit_time", "start_time",
                                               "end_time", "preempt",     NULL};

void published_tiresias(struct workload *w, const char *outcomes)
{
    char path[256];
    (void)data_need("oracles", "tiresias/traces/60_job.csv");
    published_jobs(w, data_path("oracles", "tiresias/traces/60_job.csv"), tiresias_trace);
    snprintf(path, sizeof path, "tiresias/fixed/60_job/n4g4/%s/job.csv", outcomes);
    published_outcomes(w, data_path("oracles", path), tiresias_outcome);
    assert_int_equal(w->count, 60);
}

void published_micro(struct workload *w, const char *name)
{
    char jobs[128], outcomes[128];
    snprintf(jobs, sizeof jobs, "tiresias/micro/%s.tsimfix/jobs.csv", name);
    snprintf(outcomes, sizeof outcomes, "tiresias/micro/%s.tsimfix/job.csv", name);
    (void)data_need("oracles", jobs);
    published_jobs(w, data_path("oracles", jobs), tiresias_trace);
    published_outcomes(w, data_path("oracles", outcomes), tiresias_outcome);
}

void published_micro_compare(const char *name, const char *cluster, const char *policy)
{
    struct workload w = {0};
    published_micro(&w, name);
    published_compare(&w, cluster, policy);
    free(w.jobs);
}
