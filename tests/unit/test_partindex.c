/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The index of GPUs that hold shares: hand-made cases for each rule, then random changes with every
 * search compared with a scan of all GPUs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/freeindex.h"
#include "support/sink.h"

#define NONE UINT32_MAX

static const struct hs_ask any = {.type_mask = UINT64_MAX};

struct fixture {
    struct sink sink;
    struct hs_cluster cluster;
    struct hs_arena arena;
    struct hs_free *f;
    struct hs_part *p;
};

static void open_cluster(struct fixture *x, const char *spec, enum hs_vc_mode mode)
{
    const bool by_vc = mode == HS_VC_PARTITION;
    *x = (struct fixture){0};
    sink_init(&x->sink);
    if (hs_cluster_load(&x->cluster, spec, &x->sink.diag) != HS_OK)
        fail_msg("%s", x->sink.text);
    if (mode != HS_VC_IGNORE &&
        hs_cluster_set_vcs(&x->cluster, mode, NULL, "", &x->sink.diag) != HS_OK)
        fail_msg("%s", x->sink.text);
    hs_free_init(&x->f, &x->cluster, by_vc, 0, &x->arena);
    hs_part_init(&x->p, x->f, &x->cluster, &x->arena);
    assert_true(hs_part_is_valid(x->p));
}

static void close_cluster(struct fixture *x)
{
    assert_true(hs_part_is_valid(x->p));
    hs_arena_free(&x->arena);
    hs_cluster_free(&x->cluster);
}

static uint32_t tightest(const struct fixture *x, const struct hs_ask *ask, uint32_t milli)
{
    return hs_part_tightest(x->p, ask, milli);
}

static void least_room_then_lowest_id(void **state)
{
    (void)state;
    struct fixture x;
    open_cluster(&x, "2x4:V100", HS_VC_IGNORE);
    assert_int_equal(tightest(&x, &any, 1), NONE);
    assert_int_equal(hs_part_most(x.p, 0), 0);
    hs_part_set(x.p, 6, 300);
    hs_part_set(x.p, 1, 500);
    hs_part_set(x.p, 5, 300);
    hs_part_set(x.p, 2, 999);
    assert_int_equal(tightest(&x, &any, 300), 5);
    assert_int_equal(tightest(&x, &any, 301), 1);
    assert_int_equal(tightest(&x, &any, 501), 2);
    assert_int_equal(tightest(&x, &any, 1000), NONE);
    assert_int_equal(hs_part_most(x.p, 0), 999);
    hs_part_set(x.p, 2, 0); /* full, or idle again */
    assert_int_equal(hs_part_room(x.p, 2), 0);
    assert_int_equal(tightest(&x, &any, 501), NONE);
    assert_int_equal(hs_part_most(x.p, 0), 500);
    close_cluster(&x);
}

/* GPUs 0, 1 are T4, 2, 3 P100; and a type that does not exist. */
static void types_that_will_do(void **state)
{
    (void)state;
    struct fixture x;
    open_cluster(&x, "1x2:T4,1x2:P100", HS_VC_IGNORE);
    const struct hs_ask t4 = {.type_mask = 1}, p100 = {.type_mask = 2}, both = {.type_mask = 3};
    hs_part_set(x.p, 1, 400);
    hs_part_set(x.p, 2, 300);
    hs_part_set(x.p, 3, 400);
    assert_int_equal(tightest(&x, &t4, 100), 1);
    assert_int_equal(tightest(&x, &p100, 100), 2);
    assert_int_equal(tightest(&x, &p100, 301), 3);
    assert_int_equal(tightest(&x, &both, 100), 2);
    assert_int_equal(tightest(&x, &both, 301), 1); /* as tight as 3 */
    assert_int_equal(tightest(&x, &(struct hs_ask){.type_mask = 4}, 100), NONE);
    close_cluster(&x);
}

/* Node 0 has 2 CPUs, of which one is taken: it is skipped for a worker of 2. */
static void nodes_without_cpus_are_passed_by(void **state)
{
    (void)state;
    struct fixture x;
    char path[256];
    scratch_keep(path, sizeof path, "cpus.json",
                 "{\"nodes\": [{\"gpus\": 2, \"cpus\": 2}, {\"gpus\": 2, \"cpus\": 4}]}");
    open_cluster(&x, path, HS_VC_IGNORE);
    const struct hs_ask one = {.type_mask = UINT64_MAX, .cpus_milli_per_gpu = 1000};
    const struct hs_ask two = {.type_mask = UINT64_MAX, .cpus_milli_per_gpu = 2000};
    hs_part_set(x.p, 0, 200);
    hs_part_set(x.p, 3, 900);
    hs_free_book(x.f, 0, 1, &one);
    assert_int_equal(tightest(&x, &one, 100), 0);
    assert_int_equal(tightest(&x, &two, 100), 3);
    hs_free_book(x.f, 0, 1, &one);
    assert_int_equal(tightest(&x, &one, 100), 3);
    hs_free_book(x.f, 1, 4, &one);
    assert_int_equal(tightest(&x, &one, 100), NONE);
    close_cluster(&x);
}

/* ---- random ---- */

static uint32_t scan(const struct fixture *x, const struct hs_ask *ask, uint32_t milli, bool by_vc)
{
    uint32_t best = NONE;
    for (uint32_t n = 0; n < x->cluster.node_count; n++) {
        const struct hs_node *node = &x->cluster.nodes[n];
        if ((by_vc && node->vc != ask->vc) || !(ask->type_mask >> node->type & 1) ||
            !hs_free_can_book(x->f, n, 1, ask))
            continue;
        for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
            uint32_t room = hs_part_room(x->p, id);
            if (room >= milli && (best == NONE || room < hs_part_room(x->p, best)))
                best = id;
        }
    }
    return best;
}

static void compare_with_a_scan(struct fixture *x, uint64_t *draw, bool by_vc)
{
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = hs_mix64(7, (*draw)++);
        uint32_t gpu = (uint32_t)(bits % x->cluster.gpu_count);
        /* few levels, so that ties are frequent */
        uint32_t room = (uint32_t)(bits >> 32) % 3 == 0 ? 0 : (uint32_t)(bits >> 40) % 9 * 100;
        hs_part_set(x->p, gpu, room);
        const struct hs_ask ask = {.vc = by_vc ? (uint32_t)(bits >> 50) % x->cluster.vc_count : 0,
                                   .type_mask = bits >> 56 & 7};
        uint32_t milli = 1 + (uint32_t)(bits >> 20) % 900;
        assert_int_equal(tightest(x, &ask, milli), scan(x, &ask, milli, by_vc));
        uint64_t most = 0, all = 0;
        for (uint32_t n = 0; n < x->cluster.node_count; n++) {
            const struct hs_node *node = &x->cluster.nodes[n];
            for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++)
                if (!by_vc || node->vc == ask.vc) {
                    most = hs_part_room(x->p, id) > most ? hs_part_room(x->p, id) : most;
                    all += hs_part_room(x->p, id);
                }
        }
        assert_int_equal(hs_part_most(x->p, ask.vc), most);
        assert_int_equal(hs_part_all(x->p, ask.vc), all);
        if (i % 1000 == 0)
            assert_true(hs_part_is_valid(x->p));
    }
}

static void as_a_scan_of_all_gpus(void **state)
{
    (void)state;
    struct fixture x;
    uint64_t draw = 0;
    char path[256];
    open_cluster(&x, "5x4:T4,3x8:P100,2x1:V100", HS_VC_IGNORE);
    compare_with_a_scan(&x, &draw, false);
    close_cluster(&x);
    scratch_keep(path, sizeof path, "vcs.json",
                 "{\"nodes\": [{\"count\": 4, \"gpus\": 4, \"type\": \"T4\", \"vc\": \"a\"},"
                 "             {\"count\": 4, \"gpus\": 4, \"type\": \"P100\", \"vc\": \"b\"},"
                 "             {\"count\": 2, \"gpus\": 4, \"type\": \"T4\", \"vc\": \"b\"}]}");
    open_cluster(&x, path, HS_VC_PARTITION);
    compare_with_a_scan(&x, &draw, true);
    close_cluster(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_room_then_lowest_id),
        cmocka_unit_test(types_that_will_do),
        cmocka_unit_test(nodes_without_cpus_are_passed_by),
        cmocka_unit_test(as_a_scan_of_all_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
