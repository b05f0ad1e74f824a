/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placement by GPU type does not depend on the order in which the groups of nodes are written: for
 * every policy of the table with the parameter `types` and each of its choices but `any`, with
 * every choice of every other parameter, and for gavel by all its names, on random clusters of
 * several types, some with nodes of two sizes of one type, each job starts and ends at the same
 * times when the groups are in another order. The reference type is the default. With types=any
 * some runs must differ, else the test shows nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "data/param_table.h"
#include "horus/policy.h"
#include "model/speed.h"
#include "support/run.h"
#include "support/sink.h"

#define JOBS   40
#define ROUNDS 5
#define SEED   25u
#define GROUPS 4u

static struct hs_catalogue catalogue;
static uint32_t differences; /* of runs with types=any */

struct world {
    char shape[2][128]; /* the same groups in two orders */
    struct hs_test_job jobs[JOBS];
    char wishes[JOBS][16];
    struct hs_speed_predictor how;
};

/* In every other world the second group is of the same type as the first, its nodes of another
 * size. */
static uint32_t mixed(uint64_t seed)
{
    return seed % 2 == 0;
}

static void make_world(struct world *w, uint64_t seed)
{
    static const char *const types[GROUPS] = {"K80", "P100", "V100", "T4"};
    struct hs_rng rng;
    hs_rng_open(&rng, seed, "types");
    memset(w, 0, sizeof *w);
    const uint32_t count = 2 + (uint32_t)hs_rng_below(&rng, GROUPS - 1);
    const uint32_t first = (uint32_t)hs_rng_below(&rng, GROUPS);
    char groups[GROUPS][32];
    const uint32_t kinds = count - mixed(seed);
    uint32_t size = 0;
    for (uint32_t g = 0; g < count; g++) {
        const uint32_t same = g > 0 ? mixed(seed) : 0;
        size = g == 1 && mixed(seed) > 0 ? size * 2 : 1u << hs_rng_below(&rng, 4);
        (void)snprintf(groups[g], sizeof groups[g], "%ux%u:%s", 1 + (unsigned)hs_rng_below(&rng, 3),
                       size, types[(first + g - same) % GROUPS]);
    }
    const uint32_t turn = 1 + (uint32_t)hs_rng_below(&rng, count - 1); /* another order: rotated */
    for (uint32_t order = 0; order < 2; order++)
        for (uint32_t g = 0, len = 0; g < count; g++)
            len += (uint32_t)snprintf(w->shape[order] + len, sizeof w->shape[order] - len, "%s%s",
                                      g > 0 ? "," : "", groups[(g + order * turn) % count]);
    w->how = (struct hs_speed_predictor){
        .kind = (enum hs_speed_predictor_kind)(seed % 3), .sigma = 0.5, .seed = seed};
    int64_t at_s = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        at_s += (int64_t)hs_rng_below(&rng, 6);
        w->jobs[i] = (struct hs_test_job){
            .submit_s = at_s,
            .gpus = 1 + (uint32_t)hs_rng_below(&rng, i % 5 == 0 ? 10 : 3),
            .duration_s = 1 + (int64_t)hs_rng_below(&rng, 60),
            .profile = (uint32_t)hs_rng_below(&rng, (uint64_t)catalogue.count + 1)};
        const uint32_t ran = (uint32_t)hs_rng_below(&rng, kinds); /* types=match */
        w->jobs[i].gpu_type_ran = types[(first + ran) % GROUPS];
        if (hs_rng_below(&rng, 6) == 0) { /* some may have two of the types */
            (void)snprintf(w->wishes[i], sizeof w->wishes[i], "%s|%s", w->jobs[i].gpu_type_ran,
                           types[(first + (ran + 1) % kinds) % GROUPS]);
            w->jobs[i].gpu_type = w->wishes[i];
        }
    }
    hs_rng_close(&rng);
}

static void play(const struct world *w, uint32_t order, const char *spec, struct hs_test_result *r)
{
    struct sink sink;
    struct hs_cluster cluster;
    struct hs_speed *speed;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load(&cluster, w->shape[order], &sink.diag), HS_OK);
    assert_int_equal(
        hs_speed_load(&speed, "configs/models/speed.json", &catalogue, &cluster, NULL, &sink.diag),
        HS_OK);
    hs_speed_predict_by(speed, &catalogue, &cluster, &w->how);
    const struct hs_test_options options = {.speed = speed, .catalogue = &catalogue};
    if (hs_test_run_with(w->jobs, JOBS, w->shape[order], spec, &options, r) != HS_OK)
        fail_msg("%s on %s: %s", spec, w->shape[order], r->message);
    hs_speed_free(speed);
    hs_cluster_free(&cluster);
}

/* The first job that differs; JOBS if none does. */
static uint32_t first_difference(const struct hs_test_result *a, const struct hs_test_result *b)
{
    uint32_t i = 0;
    while (i < JOBS && a->jobs[i].state == b->jobs[i].state &&
           a->jobs[i].start_us == b->jobs[i].start_us && a->jobs[i].end_us == b->jobs[i].end_us &&
           a->jobs[i].run_us == b->jobs[i].run_us &&
           a->jobs[i].preemptions == b->jobs[i].preemptions)
        i++;
    return i;
}

static void check(const char *spec, bool is_any)
{
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct world w;
        struct hs_test_result one, other;
        make_world(&w, SEED + round);
        play(&w, 0, spec, &one);
        play(&w, 1, spec, &other);
        const uint32_t job = first_difference(&one, &other);
        differences += is_any && job < JOBS;
        if (!is_any && job < JOBS)
            fail_msg("%s: job %u ends at %g s on %s, at %g s on %s", spec, job,
                     (double)one.jobs[job].end_us / 1e6, w.shape[0],
                     (double)other.jobs[job].end_us / 1e6, w.shape[1]);
        if (!is_any) /* the same number of placements, hence of moves */
            assert_int_equal(one.segment_count, other.segment_count);
        hs_test_free(&one);
        hs_test_free(&other);
    }
}

/* "fifo:types=fastest", and with each choice of each other parameter. */
static void check_types(const struct hs_policy_ops *policy, const char *setting)
{
    const bool is_any = strcmp(setting, "types=any") == 0;
    char spec[256];
    (void)snprintf(spec, sizeof spec, "%s:%s", policy->name, setting);
    check(spec, is_any);
    for (const struct hs_param *p = policy->params; p->key != NULL && !is_any; p++)
        for (size_t c = 0; p->type == HS_PARAM_CHOICE && p->choices[c] != NULL; c++) {
            const bool is_refused =
                strcmp(policy->name, "antman") == 0 && strcmp(p->choices[c], "muri") == 0;
            if (is_refused || strcmp(p->key, "types") == 0 || strcmp(p->choices[c], "file") == 0)
                continue;
            (void)snprintf(spec, sizeof spec, "%s:%s,%s=%s", policy->name, setting, p->key,
                           p->choices[c]);
            check(spec, false);
        }
}

static void order_of_groups_does_not_matter(void **state)
{
    (void)state;
    /* policies without `types`: they know no speeds and use any type, as published, for clusters of
     * one */
    static const char *const without[] = {"fgd", "optimus", "synergy", "lucid", "chronus"};
    const struct hs_policy_ops *policy;
    size_t others = 0;
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        const struct hs_param *types = hs_param_find(policy->params, "types");
        const bool has_shares = hs_param_find(policy->params, "aware") != NULL; /* by type */
        for (size_t c = 0; types != NULL && types->choices[c] != NULL; c++) {
            char setting[64];
            (void)snprintf(setting, sizeof setting, "types=%s", types->choices[c]);
            check_types(policy, setting);
        }
        if (strcmp(policy->name, "gavel") == 0)
            check_types(policy, "round=100s");
        else if (has_shares)
            check(strcmp(policy->name, "ftf") == 0 ? "ftf:round=100s,share=pairs"
                                                   : "allox:round=100s",
                  false);
        else if (types == NULL)
            assert_string_equal(policy->name, without[others++]);
    }
    assert_int_equal(others, sizeof without / sizeof *without);
    assert_true(differences > 0);
}

static int open_all(void **state)
{
    struct sink sink;
    sink_init(&sink);
    if (scratch_open(state) != 0)
        return -1;
    return hs_catalogue_load(&catalogue, "configs/profiles.csv", &sink.diag) == HS_OK ? 0 : -1;
}

static int close_all(void **state)
{
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_of_groups_does_not_matter)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
