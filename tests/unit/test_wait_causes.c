/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Causes of waiting, calculated by hand for one pool of two 4-GPU nodes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/engine.c" /* NOLINT(bugprone-suspicious-include) */
#include "support/sink.h"

static struct hs_cluster cluster;
static struct hs_arena arena;
static struct hs_wait_account wait_account;

/* Adds the causes of the waiting gangs to *c; returns the GPUs requested by gangs not larger than
 * the number of free GPUs. */
static uint64_t book(uint64_t free_gpus, uint64_t largest, uint64_t quota, struct hs_instant *c)
{
    const struct hs_wait_account_vc *vc = &wait_account.vcs[0];
    return book_waiting(&vc->gangs, &(struct room){free_gpus, largest, quota}, vc->max_node_gpus,
                        c);
}

static void change(uint32_t gpus, uint16_t milli, int sign)
{
    const struct hs_ask ask = {.gpu_milli = milli};
    hs_wait_account_change(&wait_account, &ask, gpus, sign);
}

static int open_wait_account(void **state)
{
    static struct sink sink;
    (void)state;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load(&cluster, "2x4", &sink.diag), HS_OK);
    wait_account_init(&wait_account, &cluster, &arena);
    change(1, HS_GPU_MILLI, 1);
    change(3, HS_GPU_MILLI, 1);
    change(4, HS_GPU_MILLI, 1);
    change(8, HS_GPU_MILLI, 1);
    return 0;
}

static int close_wait_account(void **state)
{
    (void)state;
    hs_arena_free(&arena);
    hs_cluster_free(&cluster);
    return 0;
}

static void assert_causes(struct hs_instant c, uint64_t quota, uint64_t capacity, uint64_t shape,
                          uint64_t order)
{
    assert_int_equal(c.wait_quota, quota);
    assert_int_equal(c.wait_resources, capacity);
    assert_int_equal(c.wait_placement, shape);
    assert_int_equal(c.wait_priority, order);
}

/* 4 GPUs free, at most 2 on a node, no quota: the 8 lacks capacity, 3 and 4 lack a node (7 GPUs),
 * the 1 would fit. */
static void shape_and_capacity(void **state)
{
    (void)state;
    struct hs_instant c = {0};
    book(4, 2, UINT64_MAX, &c);
    assert_causes(c, 0, 8, 7, 1);
}

/* All 8 free but a quota of 3: 4 and 8 are over it, 1 and 3 would fit. */
static void quota_comes_first(void **state)
{
    (void)state;
    struct hs_instant c = {0};
    book(8, 4, 3, &c);
    assert_causes(c, 12, 0, 0, 4);
}

/* No node can hold the 8, so its wait for nodes counts as one for locality, as soon as 8 are free
 * and within the quota. */
static void large_gangs_wait_for_locality(void **state)
{
    (void)state;
    struct hs_instant all_free = {0}, one_less = {0}, under_quota = {0};
    book(8, 2, UINT64_MAX, &all_free);
    assert_causes(all_free, 0, 0, 15, 1);
    assert_int_equal(all_free.wait_constraint, 8);
    book(7, 2, UINT64_MAX, &one_less);
    assert_causes(one_less, 0, 8, 7, 1);
    assert_int_equal(one_less.wait_constraint, 0);
    book(8, 2, 7, &under_quota);
    assert_causes(under_quota, 8, 0, 7, 1);
    assert_int_equal(under_quota.wait_constraint, 0);
}

static void sums_follow_removals(void **state)
{
    (void)state;
    struct hs_instant c = {0};
    assert_int_equal(book(3, 3, UINT64_MAX, &c), 4);
    assert_int_equal(book(1000, 4, UINT64_MAX, &c), 16);
    change(3, HS_GPU_MILLI, -1);
    assert_int_equal(book(3, 3, UINT64_MAX, &c), 1);
    assert_int_equal(wait_account.gpus_wanted, 13);
    change(3, HS_GPU_MILLI, 1);
}

/* By the definition: GPUs of the gangs in `waiting`, a count by size, of at most `size`. */
static uint64_t summed(const uint32_t waiting[9], uint64_t size)
{
    uint64_t sum = 0;
    for (uint64_t i = 1; i <= 8 && i <= size; i++)
        sum += i * waiting[i];
    return sum;
}

/* Gangs arrive and leave, the number of free GPUs rises and falls: the marks agree with a sum over
 * all sizes. */
static void marks_follow_whatever_comes(void **state)
{
    (void)state;
    uint32_t waiting[9] = {0, 1, 0, 1, 1, 0, 0, 0, 1}; /* as opened */
    uint64_t dice = 1;
    for (int step = 0; step < 5000; step++) {
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint32_t size = 1 + (uint32_t)(dice >> 33) % 8, free_gpus = (uint32_t)(dice >> 40) % 9;
        uint32_t largest = (uint32_t)(dice >> 45) % 5;
        uint64_t quota = (dice >> 50) % 3 == 0 ? (dice >> 55) % 10 : UINT64_MAX;
        if ((dice >> 60) % 2 == 0 || waiting[size] == 0) {
            change(size, HS_GPU_MILLI, 1);
            waiting[size]++;
        } else {
            change(size, HS_GPU_MILLI, -1);
            waiting[size]--;
        }
        uint64_t number = quota < free_gpus ? quota : free_gpus;
        uint64_t within_quota = summed(waiting, quota), within = summed(waiting, number);
        uint64_t fits = summed(waiting, largest < number ? largest : number);
        struct hs_instant c = {0};
        assert_int_equal(book(free_gpus, largest, quota, &c), summed(waiting, free_gpus));
        assert_causes(c, summed(waiting, 8) - within_quota, within_quota - within, within - fits,
                      fits);
        assert_int_equal(c.wait_constraint, number > 4 ? within - summed(waiting, 4) : 0);
    }
    for (uint32_t size = 1; size <= 8; size++)
        for (; waiting[size] > (size == 1 || size == 3 || size == 4 || size == 8); waiting[size]--)
            change(size, HS_GPU_MILLI, -1);
    for (uint32_t size = 1; size <= 8; size++)
        if (waiting[size] < (size == 1 || size == 3 || size == 4 || size == 8))
            change(size, HS_GPU_MILLI, 1);
}

static void expect_shares(uint64_t most, uint64_t all, uint64_t quota_milli, uint64_t quota,
                          uint64_t capacity, uint64_t shape, uint64_t order)
{
    struct hs_instant c = {0};
    (void)book_waiting(&wait_account.vcs[0].shares, &(struct room){all, most, quota_milli},
                       UINT64_MAX, &c);
    assert_causes(c, quota, capacity, shape, order);
    assert_int_equal(c.wait_constraint, 0);
}

/* Workers that request shares: 2 x 300, 4 x 500, 1 x 999. */
static void shares_wait_one_by_one(void **state)
{
    (void)state;
    expect_shares(1000, 8000, UINT64_MAX, 0, 0, 0, 0);
    change(2, 300, 1);
    change(4, 500, 1);
    change(1, 999, 1);
    assert_int_equal(wait_account.gpus_wanted, 16 + 7);
    expect_shares(1000, 8000, UINT64_MAX, 0, 0, 0, 7); /* a GPU is idle */
    expect_shares(300, 700, UINT64_MAX, 0, 1, 4, 2);   /* 500 are left, but not on one GPU */
    expect_shares(299, 299, UINT64_MAX, 0, 7, 0, 0);
    expect_shares(1000, 8000, 500, 1, 0, 0, 6);
    expect_shares(300, 998, 998, 1, 0, 4, 2);
    expect_shares(0, 0, 100, 7, 0, 0, 0);
    change(4, 500, -1);
    expect_shares(300, 700, UINT64_MAX, 0, 1, 0, 2);
    change(2, 300, -1);
    change(1, 999, -1);
    assert_int_equal(wait_account.gpus_wanted, 16);
    assert_int_equal(wait_account.vcs[0].shares.wanted, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shape_and_capacity),
                                       cmocka_unit_test(quota_comes_first),
                                       cmocka_unit_test(large_gangs_wait_for_locality),
                                       cmocka_unit_test(sums_follow_removals),
                                       cmocka_unit_test(marks_follow_whatever_comes),
                                       cmocka_unit_test(shares_wait_one_by_one)};
    return cmocka_run_group_tests(tests, open_wait_account, close_wait_account);
}
