/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clusters, policies and jobs from one counter.
 */
#include "support/shared.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "horus/policy.h"
#include "support/rated.h"
#include "support/script.h"
#include "support/predictor_fixture.h"

#define NOISES   4
#define PROFILES 9
#define ONE_Q20  (1 << 20)
#define ONE_Q32  (UINT64_C(1) << 32)

/* Jobs have the rows of batch 1; --predictor=table predicts their utilizations from those of batch
 * 2, the formula their memory from their own, 4 bytes x 2 x params: 500 MiB to 7000, or unknown. */
static const char profiles[] = "model,dataset,batch,precision,util,util_peak,params,outputs\n"
                               "A,d,1,fp32,1,1,131072000,0\nA,d,2,fp32,10,10,,\n"
                               "B,d,1,fp32,1,1,262144000,0\nB,d,2,fp32,10,40,,\n"
                               "C,d,1,fp32,1,1,131072000,0\nC,d,2,fp32,30,30,,\n"
                               "D,d,1,fp32,1,1,524288000,0\nD,d,2,fp32,30,70,,\n"
                               "E,d,1,fp32,1,1,917504000,0\nE,d,2,fp32,50,50,,\n"
                               "F,d,1,fp32,1,1,262144000,0\nF,d,2,fp32,50,100,,\n"
                               "G,d,1,fp32,1,1,524288000,0\nG,d,2,fp32,90,100,,\n"
                               "H,d,1,fp32,1,1,,\nH,d,2,fp32,50,60,,\n"
                               "I,d,1,fp32,1,1,65536000,0\nI,d,2,fp32,,,,\n";

static struct predictor_fixture predictor;
static struct hs_predictor *from_table, *noisy[NOISES];

static int one_of(struct dice *d, int count, const int *of)
{
    return of[roll(d, 0, count - 1)];
}

HS_PRINTF(3, 4)
static void append(char *text, size_t size, const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(text + used, size - used, fmt, args);
    va_end(args);
    assert_true(len >= 0 && (size_t)len < size - used);
}

/* ---- clusters ---- */

static void draw_types(struct shared *t, struct dice *d, int types)
{
    static const int memories[] = {0, 8192, 8192, 16384, 32768};
    bool is_plain = roll(d, 0, 1) == 0; /* all equal except for the name */
    int mem_mib = one_of(d, 5, memories);
    for (int i = 0; i < types; i++) {
        /* the first has speed 1: run times are those of it */
        int halvings = is_plain || i == 0 ? 0 : roll(d, 0, 2);
        t->s.type_mem_mib[i] = is_plain || i == 0 ? mem_mib : one_of(d, 5, memories);
        t->s.type_speed_q32[i] = ONE_Q32 >> halvings;
        snprintf(t->type_names[i], sizeof t->type_names[i], "T%d", i);
    }
}

static void put_cluster(struct shared *t)
{
    const struct share_scenario *s = &t->s;
    char *text = t->cluster;
    const size_t size = sizeof t->cluster;
    int types = 0;
    for (int n = 0; n < s->node_count; n++)
        types = s->node_type[n] >= types ? s->node_type[n] + 1 : types;
    append(text, size, "{\"gpu_types\": {");
    for (int i = 0; i < types; i++) {
        append(text, size, "%s\"T%d\": {\"speed\": %g", i > 0 ? ", " : "", i,
               (double)s->type_speed_q32[i] / (double)ONE_Q32);
        if (s->type_mem_mib[i] > 0)
            append(text, size, ", \"mem_mib\": %" PRId64, s->type_mem_mib[i]);
        append(text, size, "}");
    }
    append(text, size, "},\n \"racks\": [");
    for (int n = 0; n < s->node_count; n++) {
        bool is_first = n == 0 || s->node_rack[n] != s->node_rack[n - 1];
        append(text, size, "%s", n == 0 ? "{\"nodes\": [" : is_first ? "]}, {\"nodes\": [" : ", ");
        append(text, size, "{\"gpus\": %d, \"type\": \"T%d\"}", s->node_gpus[n], s->node_type[n]);
    }
    append(text, size, "]}]}\n");
}

/* Returns whether all nodes have one size. */
static bool draw_cluster(struct shared *t, struct dice *d)
{
    struct share_scenario *s = &t->s;
    int types = roll(d, 1, 3), size = roll(d, 1, 4);
    bool is_mixed = roll(d, 0, 2) == 0, is_racked = roll(d, 0, 1) == 0;
    s->node_count = roll(d, 1, 4);
    for (int n = 0; n < s->node_count; n++) {
        int most = n == 0 ? 0 : s->node_type[n - 1] + 1;
        s->node_gpus[n] = is_mixed ? roll(d, 1, 4) : size;
        /* type 0 first, and no number is left out */
        s->node_type[n] = roll(d, 0, most < types ? most : types - 1);
        s->node_rack[n] = n == 0 ? 0 : s->node_rack[n - 1] + (is_racked ? roll(d, 0, 1) : 0);
    }
    draw_types(t, d, types);
    put_cluster(t);
    return !is_mixed;
}

/* ---- policies ---- */

enum {
    TAKES_COST = 1 << 0,
    TAKES_WINDOW = 1 << 1,
    TAKES_SCAN = 1 << 2,
    TAKES_MEMORY_WEIGHT = 1 << 3,
    TAKES_LANES = 1 << 5, /* of which one is horus */
    TAKES_UTIL = 1 << 4,  /* weights of utilization and of types, a cap */
};

static const struct {
    const char *name;
    enum place_cost cost;
    int takes;
} policies[] = {
    {"horus", PLACE_HORUS, TAKES_COST | TAKES_WINDOW | TAKES_MEMORY_WEIGHT | TAKES_UTIL},
    {"horus+", PLACE_HORUS, TAKES_COST | TAKES_LANES | TAKES_MEMORY_WEIGHT | TAKES_UTIL},
    {"colocate-fifo", PLACE_HORUS, TAKES_COST | TAKES_SCAN | TAKES_MEMORY_WEIGHT | TAKES_UTIL},
    {"gandiva-like", PLACE_GANDIVA, TAKES_SCAN | TAKES_MEMORY_WEIGHT},
    {"pack", PLACE_PACK, TAKES_SCAN},
};

static int64_t draw_weight(struct shared *t, struct dice *d, const char *key)
{
    static const char *const weights[] = {"0", "0.1", "0.5", "1", "1.3", "1.6", "2.75"};
    const char *text = weights[roll(d, 0, 6)];
    append(t->policy, sizeof t->policy, ",%s=%s", key, text);
    return llround(strtod(text, NULL) * ONE_Q20);
}

static void draw_weights(struct shared *t, struct dice *d, int takes)
{
    struct place_rules *r = &t->s.rules;
    r->w_mem_q20 = llround(1.3 * ONE_Q20);
    r->w_u_over_q20 = llround(1.6 * ONE_Q20);
    r->w_u_under_q20 = r->w_n_q20 = ONE_Q20;
    if (roll(d, 0, 1) == 0)
        return;
    if (takes & TAKES_MEMORY_WEIGHT) {
        r->w_mem_q20 = draw_weight(t, d, "w_mem");
        r->w_n_q20 = draw_weight(t, d, "w_n");
    }
    if (takes & TAKES_UTIL) {
        r->w_u_over_q20 = draw_weight(t, d, "w_u_over");
        r->w_u_under_q20 = draw_weight(t, d, "w_u_under");
        if (roll(d, 0, 1) == 0) { /* of a speed of 1/2 or 1/4: a number without remainder */
            r->w_type_q20 = (int64_t)roll(d, 1, 3) * ONE_Q20 / 2;
            append(t->policy, sizeof t->policy, ",w_type=%g", (double)r->w_type_q20 / ONE_Q20);
        }
    }
}

static void draw_queue(struct shared *t, struct dice *d, int takes)
{
    struct share_scenario *s = &t->s;
    int which = roll(d, 0, 1);
    s->look_ahead = roll(d, 0, 2) == 0 ? 5 : roll(d, 1, 8);
    if (takes & TAKES_LANES) {
        s->order = SHARE_WINDOW_UTIL;
        append(t->policy, sizeof t->policy, "queues=1,look_ahead=%d", s->look_ahead);
    } else if (takes & TAKES_WINDOW) {
        s->order = which == 0 ? SHARE_WINDOW_UTIL : SHARE_WINDOW_SUBMIT;
        append(t->policy, sizeof t->policy, "order=%s,look_ahead=%d",
               which == 0 ? "util_asc" : "fifo", s->look_ahead);
    } else {
        s->order = which == 0 ? SHARE_STRICT : SHARE_FIT;
        append(t->policy, sizeof t->policy, "scan=%s", which == 0 ? "strict" : "fit");
    }
}

static void draw_policy(struct shared *t, struct dice *d, bool is_even)
{
    static const int margins[] = {0, 500, 500, 1192, 4000}, caps[] = {60, 100, 130, 150, 200};
    struct place_rules *r = &t->s.rules;
    int which = roll(d, 0, 4), takes = policies[which].takes;
    int own_tenants = roll(d, 1, 4), tenants = roll(d, 2, 4);
    append(t->policy, sizeof t->policy, "%s:", policies[which].name);
    draw_queue(t, d, takes);
    r->cost = policies[which].cost;
    if ((takes & TAKES_COST) && roll(d, 0, 3) == 0) {
        r->cost = PLACE_AS_CODED;
        append(t->policy, sizeof t->policy, ",cost=ascoded");
    }
    draw_weights(t, d, takes);
    r->mem_margin_mib = one_of(d, 5, margins);
    /* `consolidate`, which places the others, is defined for nodes of one size */
    r->share_up_to = is_even ? roll(d, 1, 8) : 8;
    r->max_tenants = own_tenants < tenants ? own_tenants : tenants;
    t->options.max_tenants = (uint32_t)tenants;
    append(t->policy, sizeof t->policy, ",max_tenants=%d,mem_margin=%" PRId64 ",share_up_to=%d",
           own_tenants, r->mem_margin_mib, r->share_up_to);
    if ((takes & TAKES_UTIL) && roll(d, 0, 2) == 0) {
        r->util_cap_pm = 10 * one_of(d, 5, caps);
        append(t->policy, sizeof t->policy, ",util_cap=%d", r->util_cap_pm / 10);
    }
}

/* ---- physics and jobs ---- */

static void draw_physics(struct shared *t, struct dice *d)
{
    static const int reserves[] = {0, 1024, 1192, 1384}; /* 8192 - 1192 is a sum of memories */
    static const double excesses[] = {0, 0.2, 0.25, 0.5, 1, 3};
    struct share_scenario *s = &t->s;
    t->options.excess = excesses[roll(d, 0, 5)];
    s->slowdown_q20 = (uint64_t)llround((1 + t->options.excess) * ONE_Q20);
    s->rules.reserve_mib = one_of(d, 4, reserves);
    t->options.memory_reserve_mib = (uint32_t)s->rules.reserve_mib;
    t->options.oom_delay_s = roll(d, 0, 7) == 0 ? 30 : roll(d, 1, 4);
    s->oom_delay_us = t->options.oom_delay_s * HS_TEST_S;
    s->oom_retries = roll(d, 1, 3);
    t->options.oom_retries = (uint32_t)s->oom_retries;
    int predicted_by = roll(d, 0, 3);
    t->options.predictor = predicted_by == 0   ? noisy[roll(d, 0, NOISES - 1)]
                           : predicted_by == 1 ? NULL /* the true values */
                                               : from_table;
}

static void draw_job(struct shared *t, struct dice *d, int most, struct hs_test_job *j)
{
    static const int utils[] = {0, 100, 100, 300, 300, 500, 500, 600, 900, 1000};
    static const int memories[] = {0, 1000, 2000, 4000, 6000, 6000, 8000, 8000, 12000, 20000};
    bool is_small = roll(d, 0, 2) > 0;
    int size = is_small ? 1 : roll(d, 1, most < 8 ? most : 8);
    if (roll(d, 0, 24) == 0)
        size = most + 1;
    *j = (struct hs_test_job){.gpus = (uint32_t)size,
                              .duration_s = roll(d, 0, 8) == 0 ? 0 : roll(d, 1, 10),
                              .gpu_util_pm = one_of(d, 10, utils),
                              .gpu_mem_mib = (uint32_t)one_of(d, 10, memories),
                              .profile = 2 * (uint32_t)roll(d, 0, PROFILES - 1) + 1};
    if (roll(d, 0, 3) == 0)
        j->duration_us = roll(d, 0, 999999);
    if (roll(d, 0, 7) == 0)
        j->profile = 0;
    if (roll(d, 0, 7) == 0)
        j->gpu_type = t->type_names[t->s.node_type[roll(d, 0, t->s.node_count - 1)]];
}

static void draw_jobs(struct shared *t, struct dice *d)
{
    struct share_scenario *s = &t->s;
    int gpus = 0, gap_s = roll(d, 0, 3);
    int64_t submit_s = 0;
    for (int n = 0; n < s->node_count; n++)
        gpus += s->node_gpus[n];
    s->job_count = roll(d, 1, SHARED_JOBS_MAX);
    for (int i = 0; i < s->job_count; i++) {
        draw_job(t, d, gpus, &t->jobs[i]);
        submit_s += i > 0 && roll(d, 0, 1) == 1 ? roll(d, 0, gap_s) : 0;
        t->jobs[i].submit_s = submit_s;
    }
}

void shared_draw(struct shared *t, uint64_t seed, uint64_t number)
{
    struct dice d = {.seed = hs_mix64(seed, number)};
    memset(t, 0, sizeof *t);
    bool is_even = draw_cluster(t, &d);
    t->cluster_path = scratch_write("cluster.json", t->cluster, strlen(t->cluster));
    draw_policy(t, &d, is_even);
    draw_physics(t, &d);
    draw_jobs(t, &d);
}

/* ---- what policies see ---- */

static struct share_job *asked; /* by row */
static int asked_count;

static void ask(const struct hs_view *v, struct hs_plan *p, int call)
{
    int submitted = 0;
    (void)call;
    for (const char *c = script_told; *c != '\0'; c++)
        submitted += *c == 'U';
    for (; asked_count < submitted; asked_count++) {
        hs_job_id job = script_handle[asked_count];
        struct share_job *j = &asked[hs_view_rank(v, job)];
        j->util_pm = hs_view_util_pm(v, job);
        j->peak_pm = hs_view_util_peak_pm(v, job);
        j->predicted_mib = hs_view_gpu_mem_mib(v, job);
        hs_plan_reject(p, job, "only asked");
    }
}

static int type_index(const struct shared *t, const char *name)
{
    for (int i = 0; name != NULL && i < SHARE_TYPES_MAX; i++)
        if (strcmp(t->type_names[i], name) == 0)
            return i;
    return -1;
}

void shared_ask(struct shared *t)
{
    struct share_scenario *s = &t->s;
    struct hs_test_result r;
    int64_t first_s = t->jobs[0].submit_s; /* the epoch */
    for (int i = 0; i < s->job_count; i++) {
        const struct hs_test_job *j = &t->jobs[i];
        s->jobs[i] = (struct share_job){.submit_us = (j->submit_s - first_s) * HS_TEST_S,
                                        .duration_us = j->duration_s * HS_TEST_S + j->duration_us,
                                        .gpus = (int)j->gpus,
                                        .type = type_index(t, j->gpu_type),
                                        .mem_mib = j->gpu_mem_mib};
    }
    asked = s->jobs;
    asked_count = 0;
    script_options.predictor = t->options.predictor;
    script_knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY;
    if (script_play(t->jobs, (uint32_t)s->job_count, t->cluster_path, 0, ask, &r) != HS_OK)
        fail_msg("%s", r.message);
    hs_test_free(&r);
}

/* ---- predictors ---- */

int shared_open(void **state)
{
    (void)scratch_open(state);
    predictor_open(&predictor, profiles, predictor_plain_model());
    from_table =
        predictor_make(&predictor, (struct hs_predictor_options){.kind = HS_PREDICT_TABLE,
                                                                 .memory = HS_MEMORY_FORMULA});
    for (int i = 0; i < NOISES; i++)
        noisy[i] =
            predictor_make(&predictor, (struct hs_predictor_options){.kind = HS_PREDICT_NOISY,
                                                                     .memory = HS_MEMORY_NOISY,
                                                                     .util_rmsle = 0.154,
                                                                     .mem_ln_sd = 0.665,
                                                                     .seed = (uint64_t)i});
    return 0;
}

int shared_close(void **state)
{
    hs_predictor_close(from_table);
    for (int i = 0; i < NOISES; i++)
        hs_predictor_close(noisy[i]);
    predictor_close(&predictor);
    return scratch_close(state);
}
