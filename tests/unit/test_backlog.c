/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Causes of waiting, worked out by hand for one pool of two 4-GPU nodes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/backlog.h"
#include "support/sink.h"

static struct hs_cluster cluster;
static struct hs_arena arena;
static struct hs_backlog backlog;

static int open_backlog(void **state)
{
    static struct sink sink;
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load(&cluster, "2x4", &sink.diag), HS_OK);
    assert_int_equal(hs_backlog_init(&backlog, &cluster, &arena), HS_OK);
    hs_backlog_add(&backlog, 0, 1);
    hs_backlog_add(&backlog, 0, 3);
    hs_backlog_add(&backlog, 0, 4);
    hs_backlog_add(&backlog, 0, 8);
    return 0;
}

static int close_backlog(void **state)
{
    (void)state;
    hs_arena_free(&arena);
    hs_cluster_free(&cluster);
    return 0;
}

static void assert_causes(struct hs_wait_causes c, uint64_t quota, uint64_t capacity,
                          uint64_t shape, uint64_t order)
{
    assert_int_equal(c.quota, quota);
    assert_int_equal(c.capacity, capacity);
    assert_int_equal(c.shape, shape);
    assert_int_equal(c.order, order);
}

/* 4 GPUs free, at most 2 on a node, no quota: the 8 lacks capacity, 3 and 4 lack a node (7 GPUs),
 * the 1 would fit. */
static void shape_and_capacity(void **state)
{
    (void)state;
    struct hs_wait_causes c = {0};
    hs_backlog_causes(&backlog, 0, 4, 2, UINT64_MAX, &c);
    assert_causes(c, 0, 8, 7, 1);
}

/* All 8 free but a quota of 3: 4 and 8 are over it, 1 and 3 would fit. */
static void quota_comes_first(void **state)
{
    (void)state;
    struct hs_wait_causes c = {0};
    hs_backlog_causes(&backlog, 0, 8, 4, 3, &c);
    assert_causes(c, 12, 0, 0, 4);
}

/* No node holds the 8, so its wait for nodes is one for locality, as soon as 8 are free and may be
 * taken. */
static void large_gangs_wait_for_locality(void **state)
{
    (void)state;
    struct hs_wait_causes all_free = {0}, one_less = {0}, under_quota = {0};
    hs_backlog_causes(&backlog, 0, 8, 2, UINT64_MAX, &all_free);
    assert_causes(all_free, 0, 0, 15, 1);
    assert_int_equal(all_free.locality, 8);
    hs_backlog_causes(&backlog, 0, 7, 2, UINT64_MAX, &one_less);
    assert_causes(one_less, 0, 8, 7, 1);
    assert_int_equal(one_less.locality, 0);
    hs_backlog_causes(&backlog, 0, 8, 2, 7, &under_quota);
    assert_causes(under_quota, 8, 0, 7, 1);
    assert_int_equal(under_quota.locality, 0);
}

static void sums_follow_removals(void **state)
{
    (void)state;
    assert_int_equal(hs_backlog_upto(&backlog, 0, 3), 4);
    assert_int_equal(hs_backlog_upto(&backlog, 0, 1000), 16);
    hs_backlog_remove(&backlog, 0, 3);
    assert_int_equal(hs_backlog_upto(&backlog, 0, 3), 1);
    assert_int_equal(backlog.gpus_wanted, 13);
    hs_backlog_add(&backlog, 0, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_and_capacity), cmocka_unit_test(quota_comes_first),
        cmocka_unit_test(large_gangs_wait_for_locality), cmocka_unit_test(sums_follow_removals)};
    return cmocka_run_group_tests(tests, open_backlog, close_backlog);
}
