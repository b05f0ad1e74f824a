/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gandiva, salus and antman, with any values of any of their parameters, under small random
 * workloads: gangs, classes, quotas, GPU memory that changes, mini-batches, elastic jobs,
 * priorities, attempts that fail, GPU types. The engine checks its own invariants at every instant;
 * this test checks from outside, by the stretches that observers receive:
 *
 * - the run ends, every job is done, with exactly its work, or was rejected with a reason, which is
 *   possible only for a job that asks for what is not there; its record agrees with its stretches;
 * - gangs are whole, on different GPUs, and of a size that the job allows;
 * - a job is in one place at a time, and the GPUs held are those of the stretches: a suspended job
 *   holds none;
 * - antman: one guaranteed job a GPU; gandiva, slicing exactly and not packing: one job.
 *
 *   HORUS_SCENARIOS=N, HORUS_SEED=S, HORUS_FROM=N as in trials.h; HORUS_POLICY=NAME: only this one
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "data/param_table.h"
#include "horus/policy.h"
#include "model/speed.h"
#include "support/sink.h"
#include "support/trials.h"

#define JOBS_MAX   12
#define SHOWN_MAX  2 /* of a policy */
#define HORIZON_US (100000 * HS_TEST_S)
#define MEMORY_MIB 16000

static const char *const names[] = {
    "gandiva",    "gandiva-pack-only", "gandiva-random-pairs", "salus",    "salus-fifo",
    "salus-srtf", "salus-pack",        "salus-fair",           "salus-rr", "antman"};
#define NAMES (sizeof names / sizeof names[0])

/* GPUs of type T come last. */
static const struct {
    const char *text;
    uint32_t s_gpus, t_gpus;
} shapes[] = {
    {"{\"gpus\": 1, \"type\": \"S\"}", 1, 0},
    {"{\"gpus\": 4, \"type\": \"S\"}", 4, 0},
    {"{\"count\": 2, \"gpus\": 2, \"type\": \"S\"}", 4, 0},
    {"{\"count\": 3, \"gpus\": 4, \"type\": \"S\"}", 12, 0},
    {"{\"count\": 2, \"gpus\": 2, \"type\": \"S\"}, {\"gpus\": 4, \"type\": \"T\"}", 4, 4},
    {"{\"gpus\": 3, \"type\": \"S\"}, {\"gpus\": 1, \"type\": \"T\"}", 3, 1}};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static char clusters[SHAPES][256], quotas[SHAPES][256], estimates[256];
static struct hs_overheads *memcurve;

struct workload {
    struct hs_test_job jobs[JOBS_MAX];
    uint32_t count, shape;
    char policy[1024];
    struct hs_test_options options;
};

static int set_up(void **state)
{
    static const char curve[] = "model,limit,speed\nM,100,1\nM,70,0.8\nM,40,0.25\n*,50,0.5\n";
    char text[512], name[32];
    struct sink sink;
    (void)scratch_open(state);
    sink_init(&sink);
    for (size_t i = 0; i < SHAPES; i++) {
        uint32_t gpus = shapes[i].s_gpus + shapes[i].t_gpus;
        (void)snprintf(name, sizeof name, "cluster%zu.json", i);
        (void)snprintf(text, sizeof text,
                       "{\"gpu_types\": {\"S\": {\"mem_mib\": %d},"
                       " \"T\": {\"mem_mib\": %d, \"speed\": 0.5}}, \"nodes\": [%s]}",
                       MEMORY_MIB, 2 * MEMORY_MIB, shapes[i].text);
        scratch_keep(clusters[i], sizeof clusters[i], name, text);
        (void)snprintf(name, sizeof name, "quotas%zu.json", i);
        (void)snprintf(text, sizeof text, "{\"vcs\": {\"u\": %" PRIu32 ", \"w\": %" PRIu32 "}}",
                       gpus - gpus / 2, gpus > 1 ? gpus / 2 : 0);
        scratch_keep(quotas[i], sizeof quotas[i], name, text);
    }
    size_t len = (size_t)snprintf(text, sizeof text, "job_id,estimate\n");
    for (unsigned i = 1; i < JOBS_MAX; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%u,%u\n", i, i * 37 % 10);
    scratch_keep(estimates, sizeof estimates, "estimates.csv", text);
    return hs_memcurve_load(&memcurve, scratch_write("limits.csv", curve, sizeof curve - 1),
                            &sink.diag) != HS_OK;
}

static int tear_down(void **state)
{
    hs_overheads_free(memcurve);
    return scratch_close(state);
}

/* ---- drawing ---- */

HS_PRINTF(2, 3)
static void add(struct workload *w, const char *fmt, ...)
{
    size_t len = strlen(w->policy);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(w->policy + len, sizeof w->policy - len, fmt, args);
    va_end(args);
}

static bool one_in(struct dice *d, int n)
{
    return dice_roll(d, 1, n) == 1;
}

/* Draws millionths, from the least value to the largest, or to `most` if that is less; small ones
 * as often as large ones. */
static int64_t draw_value(struct dice *d, const struct hs_param *p, double least, double most)
{
    double high = p->max > p->min && p->max < most ? p->max : most;
    double low = p->min > least || high < least ? p->min : least;
    if (p->max > p->min && one_in(d, 8))
        return (int64_t)(p->min * 1e6);
    double value = high;
    for (int halvings = dice_roll(d, 0, 7); halvings > 0 && value / 2 >= low; halvings--)
        value /= 2;
    value -= (value - low) * dice_roll(d, 0, 1000) / 2000;
    value = value > 0 && value < p->floor ? p->floor : value;
    return (int64_t)(value * 1e6);
}

/* Longest time in seconds. A turn of gandiva lasts 1 s or more; if a switch took as long no job
 * would make progress. */
static double longest(const struct hs_param *p)
{
    return strcmp(p->key, "switch") == 0 ? 0.9 : 30;
}

static void draw_param(struct workload *w, struct dice *d, const struct hs_param *p)
{
    char key[64];
    size_t choices = 0;
    (void)snprintf(key, sizeof key, "%c%s=", strchr(w->policy, ':') == NULL ? ':' : ',', p->key);
    switch (p->type) {
    case HS_PARAM_FLAG:
        add(w, "%s%s", key, one_in(d, 2) ? "yes" : "no");
        return;
    case HS_PARAM_CHOICE:
        while (p->choices[choices] != NULL)
            choices++;
        const char *choice = p->choices[dice_roll(d, 0, (int)choices - 1)];
        add(w, "%s%s", key, choice);
        if (strcmp(choice, "file") == 0)
            add(w, ",%s_file=%s", p->key, estimates);
        return;
    case HS_PARAM_INT:
        add(w, "%s%" PRId64, key, draw_value(d, p, 1, 64) / 1000000);
        return;
    case HS_PARAM_SIZE_MIB:
        add(w, "%s%" PRId64, key, draw_value(d, p, 1, 4000) / 1000000);
        return;
    case HS_PARAM_REAL:
        add(w, "%s%s", key, trial_seconds(draw_value(d, p, 0.05, 4)));
        return;
    case HS_PARAM_DURATION:
        add(w, "%s%s", key, trial_seconds(draw_value(d, p, 0.25, longest(p))));
        return;
    case HS_PARAM_TEXT:
    case HS_PARAM_FILE:
    case HS_PARAM_DURATIONS:
        return;
    }
}

static void draw_memory(struct hs_test_job *j, struct dice *d)
{
    j->gpu_mem_mib =
        (uint32_t)(one_in(d, 12) ? dice_roll(d, 12000, 18000) : 500 * dice_roll(d, 0, 16));
    if (j->gpu_mem_mib > 0 && !one_in(d, 4))
        j->gpu_mem_persistent_mib = (uint32_t)dice_roll(d, 1, (int)j->gpu_mem_mib);
    if (j->gpu_mem_mib > 0 && one_in(d, 8)) {
        j->gpu_mem_later_mib =
            j->gpu_mem_persistent_mib + (uint32_t)dice_roll(d, 1, MEMORY_MIB / 2);
        j->later_us = dice_roll(d, 1, 8000000);
    }
}

static void draw_job(struct workload *w, struct dice *d, struct hs_test_job *j, bool is_odd)
{
    static const char *const vcs[] = {"u", "w"};
    uint32_t all = shapes[w->shape].s_gpus + shapes[w->shape].t_gpus;
    j->gpus = (uint32_t)dice_roll(d, 1, one_in(d, 3) ? (int)all : 2);
    if (one_in(d, 30))
        j->gpus = all + 1;
    j->duration_us = trial_draw_us(d, 0, one_in(d, 4) ? 40 : 8, is_odd);
    j->vc = vcs[dice_roll(d, 0, 1)];
    j->user = vcs[dice_roll(d, 0, 1)];
    j->gpu_util_pm = 50 * dice_roll(d, 0, 20);
    draw_memory(j, d);
    if (!one_in(d, 4))
        j->step_us = one_in(d, 2) ? 250000 * dice_roll(d, 1, 8) : dice_roll(d, 100000, 3000000);
    j->gpus_min = j->gpus_max = j->gpus;
    if (one_in(d, 4)) {
        j->gpus_min = (uint32_t)dice_roll(d, 1, (int)j->gpus);
        j->gpus_max = j->gpus + (uint32_t)dice_roll(d, 0, 3);
    }
    if (one_in(d, 3))
        j->priority = dice_roll(d, 0, 2);
    j->job_class = (enum hs_job_class)dice_roll(d, HS_JOB_CLASS_AUTO, HS_JOB_CLASS_OPPORTUNISTIC);
    if (one_in(d, 3))
        j->checkpoint_mib = (uint32_t)dice_roll(d, 1, 2000);
    if (one_in(d, 3))
        j->model = "M";
    if (one_in(d, 8))
        j->gpu_type = one_in(d, 2) ? "S" : "T";
    if (one_in(d, 8)) {
        j->failures = (uint32_t)dice_roll(d, 1, 2);
        j->failed_s[0] = dice_roll(d, 0, 6);
        j->failed_s[1] = dice_roll(d, 0, 6);
    }
}

static void draw(struct workload *w, struct dice *d, uint64_t number)
{
    static const double excesses[] = {0, 0.125, 0.5, 1, 3};
    const char *given = getenv("HORUS_POLICY");
    const char *name = given != NULL ? given : names[number % NAMES];
    const struct hs_policy_ops *policy = hs_policy_find(name);
    if (policy == NULL)
        fail_msg("there is no policy %s", name);
    *w = (struct workload){.shape = (uint32_t)dice_roll(d, 0, SHAPES - 1)};
    add(w, "%s", name);
    for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++)
        if (one_in(d, 2) && (strcmp(p->key, "compat") != 0 || strstr(w->policy, "types=") == NULL))
            draw_param(w, d, p); /* compat knows no types */
    w->options = (struct hs_test_options){.until_us = HORIZON_US,
                                          .seed = number,
                                          .excess = excesses[dice_roll(d, 0, 4)],
                                          .memcurve = memcurve,
                                          .max_tenants = (uint32_t)dice_roll(d, 1, 6),
                                          .oom_delay_s = dice_roll(d, 1, 5)};
    if (one_in(d, 2)) {
        w->options.vc = HS_VC_QUOTA;
        w->options.vc_file = quotas[w->shape];
    }
    if (one_in(d, 4))
        w->options.startup_us = dice_roll(d, 1, 2000000);
    if (one_in(d, 4))
        w->options.memory_reserve_mib = 300;
    bool is_odd = one_in(d, 2);
    int64_t submit_us = 0;
    w->count = (uint32_t)dice_roll(d, 2, JOBS_MAX);
    for (uint32_t i = 0; i < w->count; i++) {
        submit_us += i > 0 && one_in(d, 2) ? trial_draw_us(d, 0, 4, is_odd) : 0;
        draw_job(w, d, &w->jobs[i], is_odd);
        w->jobs[i].submit_us = submit_us;
    }
}

/* ---- what must hold ---- */

/* Whether the job asks only for what is everywhere: GPUs, their memory with any reserve and
 * inflation. */
static bool is_modest(const struct workload *w, const struct hs_test_job *j)
{
    return j->gpu_type == NULL && w->options.vc == HS_VC_IGNORE &&
           j->gpus <= shapes[w->shape].s_gpus && j->gpu_mem_mib <= MEMORY_MIB / 2 &&
           j->gpu_mem_later_mib <= MEMORY_MIB / 2;
}

/* antman ends a job that needs more than a GPU and the host memory, which by default is plenty. */
static bool may_fail(const struct workload *w)
{
    return strncmp(w->policy, "antman", 6) == 0 && strstr(w->policy, "host_gb=") != NULL;
}

static const char *wrong_outcome(const struct workload *w, const struct hs_test_result *r,
                                 uint32_t i)
{
    const struct hs_test_job *j = &w->jobs[i];
    const struct hs_test_outcome *o = &r->jobs[i];
    int64_t work_ns = j->duration_us * 1000, done_ns = 0, held_us = 0;
    uint32_t suspensions = 0;
    for (uint32_t k = 0; k < j->failures; k++)
        work_ns += j->failed_s[k] * 1000000000;
    static char text[512];
    (void)snprintf(text, sizeof text, "job %" PRIu32 " asks for little, but: %s", i, o->reason);
    if (o->state == HS_JOB_REJECTED)
        return o->reason[0] == '\0' ? "rejected without a reason" : is_modest(w, j) ? text : NULL;
    if (o->state == HS_JOB_FAILED && may_fail(w))
        return NULL;
    if (o->state != HS_JOB_DONE)
        return "not done";
    for (uint32_t k = 0; k < r->segment_count; k++) {
        const struct hs_test_segment *s = &r->segments[k];
        done_ns += s->job == i ? s->done_ns : 0;
        held_us += s->job == i ? s->end_us - s->start_us : 0;
        suspensions += s->job == i && s->ended_by == HS_SEGMENT_SUSPEND;
    }
    if (o->run_us != held_us || o->overhead_us > held_us || o->switches < suspensions)
        return "its record is not that of its stretches";
    if (o->done_ns != work_ns || done_ns != work_ns + o->lost_ns)
        return "work not conserved";
    return o->attempts == j->failures + 1 ? NULL : "other attempts than failed";
}

static const char *wrong_gang(const struct workload *w, const struct hs_test_segment *s)
{
    const struct hs_test_job *j = &w->jobs[s->job];
    if (s->gpu_count < j->gpus_min || s->gpu_count > j->gpus_max)
        return "not a whole gang";
    for (uint32_t i = 1; i < s->gpu_count; i++)
        if (s->gpus[i] <= s->gpus[i - 1])
            return "two workers on one GPU";
    return s->end_us < s->start_us ? "ends before it starts" : NULL;
}

static bool overlap(const struct hs_test_segment *a, const struct hs_test_segment *b)
{
    return a->start_us < b->end_us && b->start_us < a->end_us;
}

static bool share_a_gpu(const struct hs_test_segment *a, const struct hs_test_segment *b)
{
    for (uint32_t i = 0; i < a->gpu_count; i++)
        for (uint32_t k = 0; k < b->gpu_count; k++)
            if (a->gpus[i] == b->gpus[k])
                return true;
    return false;
}

/* Segments come in order of their ends. */
static const char *wrong_pair(const struct workload *w, const struct hs_test_result *r, uint32_t at)
{
    const struct hs_test_segment *s = &r->segments[at];
    bool is_antman = strncmp(w->policy, "antman", 6) == 0;
    bool is_alone =
        strstr(w->policy, "slicing=exact") != NULL && strstr(w->policy, "pack=no") != NULL;
    for (uint32_t i = 0; i < at; i++) {
        const struct hs_test_segment *other = &r->segments[i];
        if (!overlap(s, other))
            continue;
        if (s->job == other->job)
            return "in two places at a time";
        if (!share_a_gpu(s, other))
            continue;
        if (is_antman && w->jobs[s->job].job_class == HS_JOB_CLASS_GUARANTEED &&
            w->jobs[other->job].job_class == HS_JOB_CLASS_GUARANTEED)
            return "two guaranteed jobs on one GPU";
        if (is_alone)
            return "two jobs at a time, but not packed";
    }
    return NULL;
}

/* GPUs that the stretches hold at an instant. */
static uint64_t held_at(const struct hs_test_result *r, int64_t time_us)
{
    uint64_t gpus = 0, count = 0;
    for (uint32_t k = 0; k < r->segment_count; k++) {
        const struct hs_test_segment *s = &r->segments[k];
        for (uint32_t i = 0; i < s->gpu_count; i++)
            if (s->start_us <= time_us && time_us < s->end_us)
                gpus |= UINT64_C(1) << s->gpus[i];
    }
    for (; gpus > 0; gpus &= gpus - 1)
        count++;
    return count;
}

/* Several events can have one time, one after the other: the last of them holds. */
static bool is_wrong_instant(const struct hs_test_result *r, uint32_t i)
{
    const struct hs_instant *at = &r->instants[i];
    bool is_last = i + 1 == r->instant_count || at[1].time_us > at->time_us;
    return is_last && held_at(r, at->time_us) != at->gpus_held;
}

/* The fault of a run, or NULL. Of many instants some are checked. */
static const char *wrong(const struct workload *w, const struct hs_test_result *r)
{
    const char *said = NULL;
    for (uint32_t i = 0; i < w->count && said == NULL; i++)
        said = wrong_outcome(w, r, i);
    for (uint32_t i = 0; i < r->segment_count && said == NULL; i++)
        said = wrong_gang(w, &r->segments[i]);
    for (uint32_t i = 0; i < r->segment_count && said == NULL; i++)
        said = wrong_pair(w, r, i);
    uint32_t stride = 1 + r->instant_count / 100;
    for (uint32_t i = 0; i < r->instant_count && said == NULL; i += stride)
        if (is_wrong_instant(r, i))
            said = "holds GPUs without a stretch, or the reverse";
    return said;
}

/* ---- running and shrinking ---- */

/* True: the fault is in `said`. */
static bool fails(const struct workload *w, char *said, size_t size)
{
    struct hs_test_result r;
    enum hs_status status =
        hs_test_run_with(w->jobs, w->count, clusters[w->shape], w->policy, &w->options, &r);
    const char *what = status == HS_OK ? wrong(w, &r) : r.message;
    if (what != NULL)
        (void)snprintf(said, size, "%s", what);
    hs_test_free(&r);
    return what != NULL;
}

static void shrink(struct workload *w)
{
    char said[1024];
    for (uint32_t i = 0; i < w->count && w->count > 1;) {
        struct workload less = *w;
        less.count--;
        memmove(&less.jobs[i], &less.jobs[i + 1], (less.count - i) * sizeof less.jobs[0]);
        int64_t first_us = less.jobs[0].submit_us;
        for (uint32_t k = 0; k < less.count; k++)
            less.jobs[k].submit_us -= first_us;
        bool still = fails(&less, said, sizeof said);
        i = still ? 0 : i + 1;
        if (still)
            *w = less;
    }
}

static void print_job(const struct hs_test_job *j)
{
    static const char letters[] = "ago";
    print_error("  %" PRIu32 ",%s,", j->gpus, trial_seconds(j->submit_us));
    for (uint32_t k = 0; k < j->failures; k++)
        print_error("%" PRId64 "/", j->failed_s[k]);
    print_error("%s@%s~%s%%%d&%" PRIu32 "/%" PRIu32 "^%d!%c", trial_seconds(j->duration_us), j->vc,
                j->user, j->gpu_util_pm / 10, j->gpu_mem_mib, j->gpu_mem_persistent_mib,
                j->priority, letters[j->job_class]);
    if (j->step_us > 0)
        print_error("*%s", trial_seconds(j->step_us));
    if (j->model != NULL)
        print_error("#%s", j->model);
    if (j->gpus_min < j->gpus_max)
        print_error(" elastic %" PRIu32 "..%" PRIu32, j->gpus_min, j->gpus_max);
    if (j->gpu_mem_later_mib > 0)
        print_error(" &%" PRIu32 " after %s", j->gpu_mem_later_mib, trial_seconds(j->later_us));
    print_error(" checkpoint %" PRIu32 " type %s\n", j->checkpoint_mib,
                j->gpu_type != NULL ? j->gpu_type : "any");
}

static void print_workload(const struct workload *w, uint64_t number, const char *said)
{
    const struct hs_test_options *o = &w->options;
    print_error("scenario %" PRIu64 ": %s\n %s\n on %s%s excess=%g tenants=%" PRIu32
                " startup=%s reserve=%" PRIu32 " oom_delay=%" PRId64 "\n",
                number, said, w->policy, shapes[w->shape].text,
                o->vc == HS_VC_QUOTA ? " quotas" : "", o->excess, o->max_tenants,
                trial_seconds(o->startup_us), o->memory_reserve_mib, o->oom_delay_s);
    for (uint32_t i = 0; i < w->count; i++)
        print_job(&w->jobs[i]);
}

static uint64_t setting(const char *name, uint64_t preset)
{
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10) : preset;
}

static void whatever_the_parameters(void **state)
{
    (void)state;
    static struct workload w;
    char said[1024];
    uint64_t seed = setting("HORUS_SEED", 1), first = setting("HORUS_FROM", 0);
    uint64_t failed = 0, failed_of[NAMES] = {0};
    uint64_t count = setting("HORUS_SCENARIOS", setting("HORUS_LONG", 0) != 0 ? 100000 : 10000);
    for (uint64_t number = first; number < first + count; number++) {
        struct dice d = {.seed = hs_mix64(seed, number)};
        draw(&w, &d, number);
        if (!fails(&w, said, sizeof said))
            continue;
        failed++;
        if (failed_of[number % NAMES]++ >= SHOWN_MAX)
            continue;
        shrink(&w);
        (void)fails(&w, said, sizeof said);
        print_workload(&w, number, said);
    }
    print_message("%" PRIu64 " random workloads (seed %" PRIu64 "), %" PRIu64 " fail\n", count,
                  seed, failed);
    assert_true(failed == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whatever_the_parameters)};
    return cmocka_run_group_tests_name("sharing, seen from outside", tests, set_up, tear_down);
}
