/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole runs from bytes: a cluster (racks, types, cores, memory, virtual clusters), a policy of the
 * table with values of its parameters, a few jobs with every possible request; run with
 * --check=full for at most EVENTS instants. Guarantees: no plan is refused, no invariant breaks,
 * every job ends done or rejected with all its work done, and the same run by a scan of all shared
 * GPUs instead of the index gives the same schedule. Also, another policy continues from some time
 * on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/beside.h"
#include "base/io.h"
#include "data/param_table.h"
#include "fuzz/fuzz.h"
#include "horus/policy.h"
#include "support/run.h"

#define JOBS_MAX 14
#define INSTANTS 4000

struct bytes {
    const uint8_t *at, *end;
};

/* Past the last byte there are zeros. */
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

/* A value in the range of the parameter: a limit, near one, or in between; "" if there is no
 * range. */
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
        j->gpu_mem_later_mib = j->gpu_mem_later_mib < j->gpu_mem_persistent_mib
                                   ? j->gpu_mem_persistent_mib
                                   : j->gpu_mem_later_mib;
        j->later_us = (1 + draw(b, 60)) * HS_TEST_S;
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

/* As a field of a trace; a request that the job does not state is empty. */
static void put_count(FILE *out, double value)
{
    if (value > 0)
        (void)fprintf(out, "%.6f", value);
    (void)fputc(',', out);
}

static void put_jobs(FILE *out, const struct hs_test_job *jobs, uint32_t count)
{
    static const char *const classes[HS_JOB_CLASS_COUNT] = {"auto", "guaranteed", "opportunistic"};
    (void)fputs("job_id,user,vc,gpu_type,class,submit_time,gpus,gpus_min,gpus_max,priority,"
                "gpu_milli,mem_mib,gpu_mem_mib,gpu_mem_persistent_mib,checkpoint_mib,"
                "gpu_mem_later_mib,gpu_mem_later_after,gpu_util,cpus,preempt_cost,step,duration,"
                "attempts\n",
                out);
    for (const struct hs_test_job *j = jobs; j < jobs + count; j++) {
        double last_s = (double)j->duration_s + (double)j->duration_us / 1e6, all_s = last_s;
        for (uint32_t k = 0; k < j->failures; k++)
            all_s += (double)j->failed_s[k];
        (void)fprintf(out, "%d,%s,%s,%s,%s,%" PRId64 ",%" PRIu32 ",", (int)(j - jobs),
                      j->user != NULL ? j->user : "", j->vc, j->gpu_type != NULL ? j->gpu_type : "",
                      classes[j->job_class], j->submit_s, j->gpus);
        (void)fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRId32 ",%" PRIu32 ",",
                      j->gpus_min > 0 ? j->gpus_min : j->gpus,
                      j->gpus_max > 0 ? j->gpus_max : j->gpus, j->priority,
                      j->gpu_milli > 0 ? j->gpu_milli : 1000);
        const uint32_t mib[] = {j->mem_mib, j->gpu_mem_mib, j->gpu_mem_persistent_mib,
                                j->checkpoint_mib, j->gpu_mem_later_mib};
        for (size_t k = 0; k < sizeof mib / sizeof *mib; k++)
            (void)fprintf(out, mib[k] > 0 ? "%" PRIu32 "," : ",", mib[k]);
        put_count(out, j->gpu_mem_later_mib > 0 ? (double)j->later_us / 1e6 : 0);
        put_count(out, j->gpu_util_pm / 10.0);
        put_count(out, j->cpus_milli / 1000.0);
        put_count(out, (double)j->preempt_cost_s);
        put_count(out, (double)j->step_us / 1e6);
        (void)fprintf(out, "%.6f,", all_s);
        for (uint32_t k = 0; k < j->failures; k++)
            (void)fprintf(out, "%" PRId64 "/", j->failed_s[k]);
        (void)fprintf(out, j->failures > 0 ? "%.6f\n" : "\n", last_s);
    }
}

/* ---- a scenario, and what is promised of it ---- */

struct scenario {
    struct hs_test_job jobs[JOBS_MAX];
    uint32_t count;
    char cluster[2048], spec[1024];
    struct hs_test_options options;
    char words[1800]; /* of a command line, but for the trace and the cluster */
};

static void make_scenario(struct scenario *s, const uint8_t *bytes, size_t len)
{
    static const char *const modes[] = {"ignore", "partition", "quota"};
    struct bytes b = {bytes, bytes + len};
    enum hs_vc_mode vc;
    make_policy(&b, s->spec);
    make_cluster(&b, s->cluster, &vc);
    s->options = (struct hs_test_options){
        .vc = vc,
        .seed = draw(&b, 4),
        .jitter_seed = chance(&b, 4) ? 7 : 0,
        .until_us = chance(&b, 4) ? draw(&b, 200) * HS_TEST_S : 0,
        .startup_us = chance(&b, 4) ? draw(&b, 20) * HS_TEST_S : 0,
        .excess = draw(&b, 4) / 2.0,
        .max_tenants = 1 + draw(&b, 5),
        .memory_reserve_mib = chance(&b, 3) ? 1000 * draw(&b, 17) : 0,
        .oom_delay_s = 1 + draw(&b, 60),
        .oom_retries = 1 + draw(&b, 4),
    };
    s->count = make_jobs(&b, s->jobs);
    (void)snprintf(s->words, sizeof s->words,
                   "-p %s --vc %s --seed %" PRIu64 " --until %" PRId64 "us --startup %" PRId64
                   "us --interference const:%.1f --max-tenants %" PRIu32
                   " --memory-reserve %" PRIu32 " --oom-delay %" PRId64 " --oom-retries %" PRIu32
                   " --assign off --locality none --check=full",
                   s->spec, modes[vc], s->options.seed, s->options.until_us, s->options.startup_us,
                   s->options.excess, s->options.max_tenants, s->options.memory_reserve_mib,
                   s->options.oom_delay_s, s->options.oom_retries);
}

/* Prints almost the command that runs it: ties are drawn by --tie-jitter in other runs. */
static void broken(const struct scenario *s, const char *what, const char *detail)
{
    (void)fprintf(stderr, "%s\n%s\n", s->words, s->cluster);
    put_jobs(stderr, s->jobs, s->count);
    fuzz_broken(what, detail);
}

static void check_ends(const struct scenario *s, const struct hs_test_result *r)
{
    char detail[400];
    for (uint32_t i = 0; i < s->count; i++) {
        const struct hs_test_outcome *o = &r->jobs[i];
        int64_t work_ns = s->jobs[i].duration_s * 1000000000 + s->jobs[i].duration_us * 1000;
        for (uint32_t k = 0; k < s->jobs[i].failures; k++)
            work_ns += s->jobs[i].failed_s[k] * 1000000000;
        (void)snprintf(detail, sizeof detail,
                       "job %" PRIu32 ", state %d (%s), done %" PRId64 " of %" PRId64 " ns", i,
                       (int)o->state, o->reason, o->done_ns, work_ns);
        /* antman kills if memory is insufficient, the released Gavel drops small rests */
        const bool may_fail = o->start_us >= 0 || strstr(s->spec, "compat=gavel") != NULL;
        const bool is_refused =
            o->state == HS_JOB_REJECTED || (o->state == HS_JOB_FAILED && may_fail);
        if (is_refused ? *o->reason == '\0' : o->state != HS_JOB_DONE || o->done_ns != work_ns)
            broken(s, "a job is lost", detail);
    }
}

static void check_same(const struct scenario *s, const struct hs_test_result *a,
                       const struct hs_test_result *b)
{
    bool is_same = a->segment_count == b->segment_count;
    for (uint32_t i = 0; is_same && i < a->segment_count; i++)
        is_same = memcmp(&a->segments[i], &b->segments[i], sizeof a->segments[i]) == 0;
    if (!is_same)
        broken(s, "the index of shared GPUs and a scan differ", s->spec);
}

static enum hs_status stop_late(void *ctx, const struct hs_instant *instant)
{
    uint32_t *instants = ctx;
    (void)instant;
    return ++*instants > INSTANTS ? HS_E_INTERRUPTED : HS_OK;
}

static enum hs_status play(struct scenario *s, bool scans_shared, struct hs_test_result *r)
{
    uint32_t instants = 0;
    const struct hs_observer observer = {
        .ctx = &instants, .on_instant = stop_late, .is_counts_only = true};
    s->options.observer = &observer;
    s->options.scans_shared = scans_shared;
    return hs_test_run_with(s->jobs, s->count, fuzz_file(1, s->cluster, strlen(s->cluster)),
                            s->spec, &s->options, r);
}

/* A fork at a time and to a policy that follow from the bytes. */
static void play_fork(struct scenario *s, const uint8_t *bytes, size_t len)
{
    struct hs_test_result r;
    const uint64_t draw = hs_hash_of(bytes, len);
    uint32_t policies = 0;
    while (hs_policy_at(policies) != NULL)
        policies++;
    s->options.until_us = 0;
    s->options.fork_us = (int64_t)(1 + draw % 97) * HS_TEST_S / 2;
    s->options.fork_to = hs_policy_at((draw >> 32) % policies)->name;
    const enum hs_status status = play(s, false, &r);
    if (status == HS_E_POLICY || status == HS_E_INVARIANT)
        broken(s, s->options.fork_to, r.message);
    if (status == HS_OK)
        check_ends(s, &r);
    hs_test_free(&r);
}

void fuzz_run(const struct fuzz_target *target, const uint8_t *bytes, size_t len)
{
    static struct scenario s;
    struct hs_test_result r, by_scan;
    (void)target;
    make_scenario(&s, bytes, len);
    enum hs_status status = play(&s, false, &r);
    if (status == HS_E_POLICY || status == HS_E_INVARIANT)
        broken(&s, hs_status_text(status), r.message);
    if (status == HS_OK && s.options.until_us == 0)
        check_ends(&s, &r);
    if (status == HS_OK) {
        if (play(&s, true, &by_scan) != HS_OK)
            broken(&s, "by a scan the run fails", by_scan.message);
        check_same(&s, &r, &by_scan);
        hs_test_free(&by_scan);
        play_fork(&s, bytes, len);
    }
    hs_test_free(&r);
}

/* The same by the command line, with all its files; they are verified and explained. Runs of more
 * than INSTANTS instants, and without jobs, are left out. */
void fuzz_verified(const struct fuzz_target *target, const uint8_t *bytes, size_t len)
{
    static struct scenario s;
    static char words[2400], folder[128];
    struct hs_test_result r;
    char *trace;
    size_t trace_len;
    (void)target;
    make_scenario(&s, bytes, len);
    enum hs_status status = play(&s, false, &r);
    hs_test_free(&r);
    if (status != HS_OK || s.count == 0)
        return;
    FILE *out = open_memstream(&trace, &trace_len);
    put_jobs(out, s.jobs, s.count);
    (void)fclose(out);
    (void)snprintf(words, sizeof words, "run %s -c %s %s --outputs=all --decisions -q -o %%",
                   fuzz_file(0, trace, trace_len), fuzz_file(1, s.cluster, strlen(s.cluster)),
                   s.words);
    free(trace);
    (void)snprintf(folder, sizeof folder, "%s/run", fuzz_folder());
    (void)hs_beside_remove(folder); /* that of the last scenario */
    status = fuzz_command(words, folder);
    if (status == HS_E_INPUT) /* all jobs are rejected */
        return;
    if (status != HS_OK)
        broken(&s, "the run fails by the command line", fuzz_last_message());
    if (fuzz_command("verify %", folder) != HS_OK)
        broken(&s, "the run does not verify", fuzz_last_message());
    if (fuzz_command("explain % --json", folder) != HS_OK)
        broken(&s, "the run cannot be explained", fuzz_last_message());
}
