/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole runs from bytes: a cluster (racks, types, cores, memory, virtual clusters), a policy of the
 * table with values of its parameters, a few jobs with everything that a job may ask for; run with
 * --check=full for at most EVENTS instants. Promises: no plan is refused, no invariant breaks,
 * every job ends done or rejected with all its work done, and the same run by a scan of all shared
 * GPUs instead of the index gives the same schedule.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/param_table.h"
#include "fuzz/fuzz.h"
#include "horus/policy.h"
#include "support/run.h"

#define JOBS_MAX 14
#define INSTANTS 4000

struct bytes {
    const uint8_t *at, *end;
};

/* Behind the last byte there are zeros. */
static uint32_t draw(struct bytes *b, uint32_t below)
{
    return b->at < b->end ? *b->at++ % below : 0;
}

static bool chance(struct bytes *b, uint32_t of)
{
    return draw(b, of) == of - 1;
}

#define PICK(b, list) list[draw(b, sizeof(list) / sizeof *(list))]

#define ADD(text, ...)                                                                             \
    (void)snprintf((text) + strlen(text), sizeof(text) - strlen(text), __VA_ARGS__)

/* ---- cluster ---- */

static const char *const vcs[] = {"", "a", "b"};
static const char *const types[] = {"V100", "P100", "K80"};

static void make_cluster(struct bytes *b, char text[2048], enum hs_vc_mode *vc)
{
    static const char *const modes[] = {"timeslice", "mps", "mig"};
    static const char *const speeds[] = {"1", "0.5", "0.37", "2.25"};
    static const uint32_t sizes[] = {1, 2, 4, 8, 3};
    char json[2048] = "{\"gpu_types\": {";
    uint32_t racks = 1 + draw(b, 3), gpus = 0;
    *vc = (enum hs_vc_mode)draw(b, 3);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        ADD(json, "%s\"%s\": {\"mem_mib\": 16384, \"speed\": %s, \"sharing_mode\": \"%s\"}",
            t > 0 ? ", " : "", types[t], PICK(b, speeds), PICK(b, modes));
    ADD(json, "}, \"racks\": [");
    for (uint32_t r = 0; r < racks; r++) {
        uint32_t nodes = 1 + draw(b, 3), size = PICK(b, sizes);
        gpus += nodes * size;
        ADD(json, "%s{\"nodes\": [{\"count\": %u, \"gpus\": %u, \"type\": \"%s\"",
            r > 0 ? ", " : "", nodes, size, PICK(b, types));
        if (chance(b, 3))
            ADD(json, ", \"cpus\": %u, \"mem_mib\": %u", 1 + draw(b, 40), 1000 * (1 + draw(b, 60)));
        if (*vc == HS_VC_PARTITION)
            ADD(json, ", \"vc\": \"%s\"", vcs[1 + draw(b, 2)]);
        ADD(json, "}]}");
    }
    ADD(json, "]");
    if (*vc == HS_VC_QUOTA) {
        uint32_t quota[2] = {1 + draw(b, gpus), 1 + draw(b, gpus)};
        ADD(json, ", \"vcs\": {\"a\": %u, \"b\": %u}", quota[0], quota[1]);
    }
    ADD(json, "}");
    memcpy(text, json, sizeof json);
}

/* ---- policy ---- */

/* A value in the range of the parameter: an end, near one, or in between; "" where there is none to
 * draw. */
static void make_value(struct bytes *b, const struct hs_param *p, char value[64])
{
    static const double loose[] = {0, 1, 2, 0.5, 10, 60, 3600, 100000};
    uint32_t count = 0;
    double x = p->max > p->min ? p->min + (p->max - p->min) * draw(b, 256) / 255 : PICK(b, loose);
    if (p->max > p->min && draw(b, 2) == 0) {
        x = p->min + PICK(b, loose);
        x = x > p->max ? p->max : x;
    }
    value[0] = '\0';
    switch (p->type) {
    case HS_PARAM_FLAG:
        (void)snprintf(value, 64, "%s", draw(b, 2) != 0 ? "yes" : "no");
        break;
    case HS_PARAM_CHOICE:
        while (p->choices[count] != NULL)
            count++;
        (void)snprintf(value, 64, "%s", p->choices[draw(b, count)]);
        break;
    case HS_PARAM_INT:
    case HS_PARAM_SIZE_MIB:
        (void)snprintf(value, 64, "%.0f", x);
        break;
    case HS_PARAM_REAL:
    case HS_PARAM_DURATION:
        (void)snprintf(value, 64, "%.6f", x);
        break;
    case HS_PARAM_DURATIONS:
        for (count = 1 + draw(b, 4); count > 0; count--) {
            (void)snprintf(value + strlen(value), 64 - strlen(value), "%s%.0f", *value ? "/" : "",
                           x);
            x += 1 + draw(b, 60);
        }
        break;
    case HS_PARAM_TEXT:
    case HS_PARAM_FILE:
        break;
    }
}

static void make_policy(struct bytes *b, char spec[1024])
{
    uint32_t policies = 0, params = 0;
    while (hs_policy_at(policies) != NULL)
        policies++;
    const struct hs_policy_ops *policy = hs_policy_at(draw(b, policies));
    (void)snprintf(spec, 1024, "%s", policy->name);
    while (policy->params != NULL && policy->params[params].key != NULL)
        params++;
    uint32_t set = params > 0 ? draw(b, 5) : 0;
    for (uint32_t i = 0; i < set; i++) {
        char value[64];
        const struct hs_param *p = &policy->params[draw(b, params)];
        make_value(b, p, value);
        if (*value != '\0')
            (void)snprintf(spec + strlen(spec), 1024 - strlen(spec), "%s%s=%s",
                           strchr(spec, ':') != NULL ? "," : ":", p->key, value);
    }
}

/* ---- jobs ---- */

static void make_wishes(struct bytes *b, struct hs_test_job *j)
{
    static const uint32_t shares[] = {1, 250, 333, 500, 501, 999};
    static const char *const sets[] = {"V100", "P100", "V100|P100", "K80|P100"};
    if (chance(b, 3))
        j->gpu_milli = PICK(b, shares);
    if (chance(b, 3))
        j->gpu_type = PICK(b, sets);
    if (chance(b, 3))
        j->cpus_milli = 125 * draw(b, 100);
    if (chance(b, 3))
        j->mem_mib = 500 * draw(b, 100);
    if (chance(b, 4)) {
        j->gpus_min = 1 + draw(b, j->gpus);
        j->gpus_max = j->gpus + draw(b, 8);
    }
    if (chance(b, 4)) {
        j->gpu_mem_persistent_mib = 100 * draw(b, 100);
        j->gpu_mem_persistent_mib =
            j->gpu_mem_persistent_mib > j->gpu_mem_mib ? j->gpu_mem_mib : j->gpu_mem_persistent_mib;
        j->checkpoint_mib = 10 * draw(b, 200);
    }
    if (chance(b, 5)) {
        j->gpu_mem_later_mib = 100 * draw(b, 180);
        j->later_us = draw(b, 60) * HS_TEST_S;
    }
    if (chance(b, 3))
        j->preempt_cost_s = draw(b, 20);
    if (chance(b, 4)) {
        j->failures = 1 + draw(b, 3);
        for (uint32_t i = 0; i < j->failures; i++)
            j->failed_s[i] = draw(b, 12);
    }
}

static uint32_t make_jobs(struct bytes *b, struct hs_test_job *jobs)
{
    static const char *const users[] = {"ann", "bob", NULL};
    int64_t at_s = 0;
    uint32_t count = 0;
    while (b->at < b->end && count < JOBS_MAX) {
        struct hs_test_job *j = &jobs[count++];
        at_s += draw(b, 8);
        *j = (struct hs_test_job){.gpus = 1 + draw(b, draw(b, 4) == 0 ? 12 : 3),
                                  .submit_s = at_s,
                                  .duration_s = draw(b, 40),
                                  .duration_us = draw(b, 3) == 0 ? draw(b, 250) * 4000 : 0,
                                  .user = users[draw(b, 3)],
                                  .vc = vcs[draw(b, 3)],
                                  .gpu_util_pm = 5 * (int32_t)draw(b, 201),
                                  .gpu_mem_mib = 100 * draw(b, 180),
                                  .priority = (int32_t)draw(b, 4),
                                  .step_us = draw(b, 2) == 0 ? 0 : 10000 * (1 + draw(b, 250)),
                                  .job_class = (enum hs_job_class)draw(b, 3)};
        if (chance(b, 2))
            make_wishes(b, j);
    }
    return count;
}

/* ---- runs ---- */

struct limit {
    uint32_t instants;
};

static enum hs_status stop_late(void *ctx, const struct hs_instant *instant)
{
    struct limit *limit = ctx;
    (void)instant;
    return ++limit->instants > INSTANTS ? HS_E_INTERRUPTED : HS_OK;
}

static void check_ends(const struct hs_test_job *jobs, uint32_t count, const char *what,
                       const struct hs_test_result *r)
{
    char detail[3600];
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_test_outcome *o = &r->jobs[i];
        int64_t work_ns = jobs[i].duration_s * 1000000000 + jobs[i].duration_us * 1000;
        for (uint32_t k = 0; k < jobs[i].failures; k++)
            work_ns += jobs[i].failed_s[k] * 1000000000;
        (void)snprintf(detail, sizeof detail,
                       "%s: job %" PRIu32 " state %d done %" PRId64 " of %" PRId64 " ns", what, i,
                       (int)o->state, o->done_ns, work_ns);
        if (o->state == HS_JOB_REJECTED ? *o->reason == '\0'
                                        : o->state != HS_JOB_DONE || o->done_ns != work_ns)
            fuzz_broken("a job is lost", detail);
    }
}

static void check_same(const struct hs_test_result *a, const struct hs_test_result *b,
                       const char *what)
{
    bool is_same = a->segment_count == b->segment_count;
    for (uint32_t i = 0; is_same && i < a->segment_count; i++)
        is_same = memcmp(&a->segments[i], &b->segments[i], sizeof a->segments[i]) == 0;
    if (!is_same)
        fuzz_broken("the index of shared GPUs and a scan differ", what);
}

/* For a look at it by the command line: the cluster, and the jobs as a trace. */
static void show(const char *what, const struct hs_test_job *jobs, uint32_t count)
{
    static const char *const classes[HS_JOB_CLASS_COUNT] = {"auto", "guaranteed", "opportunistic"};
    (void)fprintf(stderr,
                  "%s\njob_id,user,vc,gpu_type,submit_time,gpus,duration,gpu_milli,cpus,mem_mib,"
                  "gpu_mem_mib,gpu_util,priority,preempt_cost,gpus_min,gpus_max,class,step,"
                  "gpu_mem_persistent_mib,checkpoint_mib,gpu_mem_later_mib,gpu_mem_later_after,"
                  "attempts\n",
                  what);
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_test_job *j = &jobs[i];
        int64_t failed_s = 0;
        for (uint32_t k = 0; k < j->failures; k++)
            failed_s += j->failed_s[k];
        (void)fprintf(stderr, "%" PRIu32 ",%s,%s,%s,%" PRId64 ",%" PRIu32 ",%.6f,", i,
                      j->user != NULL ? j->user : "", j->vc, j->gpu_type != NULL ? j->gpu_type : "",
                      j->submit_s, j->gpus,
                      (double)(j->duration_s + failed_s) + (double)j->duration_us / 1e6);
        (void)fprintf(stderr, "%" PRIu32 ",%.3f,%" PRIu32 ",%" PRIu32 ",%.1f,%" PRId32 ",%" PRId64,
                      j->gpu_milli > 0 ? j->gpu_milli : 1000, j->cpus_milli / 1000.0, j->mem_mib,
                      j->gpu_mem_mib, j->gpu_util_pm / 10.0, j->priority, j->preempt_cost_s);
        (void)fprintf(stderr, ",%" PRIu32 ",%" PRIu32 ",%s,%.6f,%" PRIu32 ",%" PRIu32 ",",
                      j->gpus_min > 0 ? j->gpus_min : j->gpus,
                      j->gpus_max > 0 ? j->gpus_max : j->gpus, classes[j->job_class],
                      (double)j->step_us / 1e6, j->gpu_mem_persistent_mib, j->checkpoint_mib);
        (void)fprintf(stderr, "%" PRIu32 ",%.6f,", j->gpu_mem_later_mib, (double)j->later_us / 1e6);
        for (uint32_t k = 0; k < j->failures; k++)
            (void)fprintf(stderr, "%" PRId64 "/", j->failed_s[k]);
        if (j->failures > 0)
            (void)fprintf(stderr, "%.6f", (double)j->duration_s + (double)j->duration_us / 1e6);
        (void)fprintf(stderr, "\n");
    }
}

void fuzz_run(const struct fuzz_target *target, const uint8_t *bytes, size_t len)
{
    struct bytes b = {bytes, bytes + len};
    struct hs_test_job jobs[JOBS_MAX];
    struct hs_test_result r, by_scan;
    struct limit limit = {0};
    char cluster[2048], spec[1024], what[3400];
    enum hs_vc_mode vc;
    (void)target;
    make_policy(&b, spec);
    make_cluster(&b, cluster, &vc);
    struct hs_test_options options = {.vc = vc,
                                      .seed = draw(&b, 4),
                                      .jitter_seed = chance(&b, 4) ? 7 : 0,
                                      .until_us = chance(&b, 4) ? draw(&b, 200) * HS_TEST_S : 0,
                                      .startup_us = chance(&b, 4) ? draw(&b, 20) * HS_TEST_S : 0,
                                      .excess = draw(&b, 4) / 2.0,
                                      .max_tenants = draw(&b, 5),
                                      .memory_reserve_mib = chance(&b, 3) ? 1000 * draw(&b, 17) : 0,
                                      .oom_delay_s = draw(&b, 60),
                                      .oom_retries = draw(&b, 4)};
    const struct hs_observer observer = {
        .ctx = &limit, .on_instant = stop_late, .is_counts_only = true};
    options.observer = &observer;
    uint32_t count = make_jobs(&b, jobs);
    const char *path = fuzz_file(1, cluster, strlen(cluster));
    (void)snprintf(what, sizeof what,
                   "%s --vc %d --seed %" PRIu64 " jitter %" PRIu64 " --until %" PRId64
                   "us --startup %" PRId64 "us --interference const:%.1f --max-tenants %" PRIu32
                   " --memory-reserve %" PRIu32 " --oom-delay %" PRId64 " --oom-retries %" PRIu32
                   " on %s",
                   spec, (int)vc, options.seed, options.jitter_seed, options.until_us,
                   options.startup_us, options.excess, options.max_tenants,
                   options.memory_reserve_mib, options.oom_delay_s, options.oom_retries, cluster);
    enum hs_status status = hs_test_run_with(jobs, count, path, spec, &options, &r);
    if (status == HS_E_POLICY || status == HS_E_INVARIANT) {
        show(what, jobs, count);
        fuzz_broken(hs_status_text(status), r.message);
    }
    if (status == HS_OK && options.until_us == 0)
        check_ends(jobs, count, what, &r);
    if (status == HS_OK) {
        limit.instants = 0;
        options.scans_shared = true;
        if (hs_test_run_with(jobs, count, path, spec, &options, &by_scan) != HS_OK)
            fuzz_broken("by a scan the run fails", by_scan.message);
        check_same(&r, &by_scan, what);
        hs_test_free(&by_scan);
    }
    hs_test_free(&r);
}
