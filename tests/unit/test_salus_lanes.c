/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory of lanes by hand: two nodes of two GPUs of 16000 MiB, with a view implemented by the test.
 * Expected values are by the arithmetic of the policy text (3.1, 3.2).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "policies/lib/place.h"
#include "policies/salus/salus.h"

#define JOBS 8

static struct hs_salus lanes;
static struct hs_salus_job scratch[JOBS];
static struct {
    uint32_t gpus, peak_mib, persistent_mib, ooms;
} jobs[JOBS];
static uint32_t gpu_mib;
static struct hs_view view = {.nodes = 2, .vcs = 1};
static void *blocks[16];
static uint32_t block_count;

void *hs_view_alloc(const struct hs_view *v, uint64_t bytes)
{
    (void)v;
    assert_in_range(block_count, 0, 15);
    return blocks[block_count++] = calloc(1, bytes);
}

void *hs_view_scratch(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return &scratch[job];
}

const struct hs_node *hs_view_node(const struct hs_view *v, uint32_t node)
{
    static const struct hs_node nodes[] = {{.gpus = 2}, {.gpus = 2, .first_gpu = 2}};
    (void)v;
    return &nodes[node];
}

/* Referenced by the check of the allocation map, which no test calls. */
uint32_t hs_view_gpu_tenants(const struct hs_view *v, uint32_t gpu)
{
    (void)v;
    (void)gpu;
    return 0;
}

hs_job_id hs_view_gpu_tenant(const struct hs_view *v, uint32_t gpu, uint32_t i)
{
    (void)v;
    (void)gpu;
    (void)i;
    return HS_NO_JOB;
}

/* Referenced by job queues; the trees use only a hash of it. */
unsigned char *hs_view_scratches(const struct hs_view *v, size_t *size)
{
    (void)v;
    (void)size;
    return NULL;
}

int32_t hs_view_priority(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    (void)job;
    return 0;
}

enum hs_job_class hs_view_class(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    (void)job;
    return HS_JOB_CLASS_AUTO;
}

int64_t hs_view_submit_us(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    (void)job;
    return 0;
}

uint64_t hs_view_rank(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return job;
}

bool hs_view_is_constrained(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    (void)job;
    return false;
}

uint32_t hs_view_gpu_node(const struct hs_view *v, uint32_t gpu)
{
    (void)v;
    return gpu / 2;
}

uint32_t hs_view_gpu_capacity_mib(const struct hs_view *v, uint32_t gpu)
{
    (void)v;
    (void)gpu;
    return gpu_mib;
}

uint32_t hs_view_vc(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    (void)job;
    return 0;
}

uint32_t hs_view_gpus(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return jobs[job].gpus;
}

uint32_t hs_view_gpu_mem_mib(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return jobs[job].peak_mib;
}

uint32_t hs_view_gpu_mem_persistent_mib(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return jobs[job].persistent_mib;
}

uint32_t hs_view_ooms(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return jobs[job].ooms;
}

/* As with types=any. */
uint64_t hs_place_kind(const struct hs_view *v, int32_t types, uint32_t node)
{
    (void)v;
    (void)types;
    (void)node;
    return 0;
}

/* Without inflation and reserve, unless a test changes them before lanes_ready. */
static void lanes_open(enum hs_salus_model model)
{
    lanes = (struct hs_salus){.v = &view,
                              .model = model,
                              .max_sessions = 100,
                              .infl_p_millionths = 1000000,
                              .infl_total_millionths = 1000000};
    memset(scratch, 0, sizeof scratch);
    memset(jobs, 0, sizeof jobs);
    gpu_mib = 16000;
    view.max_tenants = 4;
}

static void lanes_ready(void)
{
    hs_salus_lanes_init(&lanes);
}

static void lanes_close(void)
{
    while (block_count > 0)
        free(blocks[--block_count]);
}

/* A job of `gpus` GPUs with persistent memory P and E in addition. */
static void asks(hs_job_id job, uint32_t gpus, uint32_t kept_mib, uint32_t rest_mib)
{
    jobs[job].gpus = gpus;
    jobs[job].persistent_mib = kept_mib;
    jobs[job].peak_mib = kept_mib + rest_mib;
    scratch[job].need = hs_salus_need(&lanes, job);
}

static uint32_t opens(hs_job_id job, uint32_t gpu)
{
    const uint32_t gpus[] = {gpu, gpu + 1};
    hs_salus_lane_open(&lanes, job, gpus, jobs[job].gpus);
    assert_null(hs_salus_lanes_check(&lanes));
    return scratch[job].lane - 1;
}

static void joins(hs_job_id job, uint32_t lane)
{
    assert_true(hs_salus_fits(&lanes, lane, &scratch[job].need));
    hs_salus_lane_join(&lanes, job, lane);
    assert_null(hs_salus_lanes_check(&lanes));
}

static void leaves(hs_job_id job)
{
    hs_salus_lane_leave(&lanes, job);
    assert_null(hs_salus_lanes_check(&lanes));
}

static bool fits(hs_job_id job, uint32_t lane)
{
    return hs_salus_fits(&lanes, lane, &scratch[job].need);
}

/* P' = 1.1 x 1001 = 1101.1, so 1102; P' + E' = 1.05 x (1102 + 2000) = 3257.1, so 3258. On a GPU of
 * 3000 it gets all of it, and keeps 1102. A job of unknown demand, or with a wrong estimate, gets
 * the whole GPU as persistent memory. */
static void what_a_job_asks_for(void **state)
{
    (void)state;
    lanes_open(HS_SALUS_PAPER);
    lanes.infl_p_millionths = 1100000;
    lanes.infl_total_millionths = 1050000;
    lanes.reserve_mib = 300;
    lanes_ready();
    assert_int_equal(lanes.most_capacity_mib, 15700);
    asks(0, 1, 1001, 2000);
    assert_int_equal(scratch[0].need.kept_mib, 1102);
    assert_int_equal(scratch[0].need.all_mib, 3258);
    assert_int_equal(scratch[0].need.peak_mib, 3001);
    struct hs_capacity all = hs_salus_clip(&scratch[0].need, 3000);
    assert_int_equal(all.of[HS_SALUS_ALL], 3000);
    assert_int_equal(all.of[HS_SALUS_KEPT], 1102);
    assert_true(hs_salus_suits(&lanes, 0, &scratch[0].need));
    asks(1, 1, 1000, 14701); /* 15701 and not 15700 */
    assert_false(hs_salus_suits(&lanes, 0, &scratch[1].need));
    jobs[1].ooms = 1;
    asks(1, 1, 1000, 14701);
    asks(2, 1, 0, 0);
    for (hs_job_id job = 1; job <= 2; job++) {
        assert_true(scratch[job].need.is_alone);
        assert_true(hs_salus_suits(&lanes, 0, &scratch[job].need));
        all = hs_salus_clip(&scratch[job].need, 15700);
        assert_int_equal(all.of[HS_SALUS_ALL], 15700);
        assert_int_equal(all.of[HS_SALUS_KEPT], 15700);
    }
    lanes_close();
}

/* S2 of the text. */
static void lanes_of_the_paper(void **state)
{
    (void)state;
    lanes_open(HS_SALUS_PAPER);
    lanes_ready();
    asks(0, 1, 1000, 7000);
    asks(1, 1, 1000, 5000);
    asks(2, 1, 1000, 4000);
    asks(3, 1, 1000, 8000);
    asks(4, 1, 500, 7500);
    uint32_t seven = opens(0, 0), five = opens(1, 0);
    assert_int_equal(hs_salus_free_mib(&lanes, 0), 2000);
    assert_int_equal(hs_salus_free_mib(&lanes, 1), 16000);
    assert_true(fits(2, seven) && fits(2, five)); /* either fits: the order is decided elsewhere */
    joins(2, five);
    assert_int_equal(lanes.gpus[0].used_mib, 15000);
    assert_false(fits(3, seven) || fits(3, five));
    joins(4, seven);
    assert_int_equal(lanes.lanes[seven].size_mib, 7500);
    assert_int_equal(lanes.gpus[0].used_mib, 16000);
    leaves(4); /* a lane does not shrink: 1000 + 7500 + 2000 + 5000 */
    assert_int_equal(lanes.gpus[0].used_mib, 15500);
    leaves(0); /* closed with its last member */
    assert_int_equal(lanes.gpus[0].used_mib, 7000);
    leaves(1);
    leaves(2);
    assert_int_equal(lanes.gpus[0].used_mib, 0);
    assert_int_equal(lanes.sessions, 0);
    lanes_close();
}

/* S3: a lane of fixed size has room for a job without persistent memory that needs no more than the
 * lane, alone. */
static void lanes_of_the_code(void **state)
{
    (void)state;
    lanes_open(HS_SALUS_CODE);
    lanes_ready();
    asks(0, 1, 1000, 7000);
    asks(1, 1, 1000, 5000);
    asks(2, 1, 1000, 4000);
    asks(3, 1, 0, 5000);
    asks(4, 1, 0, 5001);
    uint32_t eight = opens(0, 0), six = opens(1, 0);
    assert_int_equal(hs_salus_free_mib(&lanes, 0), 2000);
    assert_int_equal(lanes.lanes[eight].cut_mib, 7000);
    assert_false(fits(2, eight) || fits(2, six));
    assert_true(fits(3, six));
    assert_false(fits(4, six));
    assert_true(fits(4, eight));
    joins(3, six);
    leaves(1); /* its persistent memory is now free for the lane: 6000 - 5000 */
    assert_true(fits(2, six));
    assert_int_equal(hs_salus_free_mib(&lanes, 0), 2000);
    lanes_close();
}

/* S4b; the memory of the largest member is free after its end. */
static void one_lane_has_all(void **state)
{
    (void)state;
    lanes_open(HS_SALUS_ONE);
    lanes_ready();
    asks(0, 1, 8000, 7000);
    asks(1, 1, 8000, 7000);
    asks(2, 1, 1000, 2000);
    asks(3, 1, 1000, 14000);
    asks(4, 1, 13000, 1000);
    uint32_t lane = opens(0, 0);
    assert_int_equal(hs_salus_free_mib(&lanes, 0), 0); /* for a lane of its own */
    assert_false(fits(1, lane));
    joins(2, lane);
    assert_false(fits(3, lane) || fits(4, lane));
    leaves(0); /* 1000 + 2000 are left */
    assert_true(fits(3, lane));
    assert_true(fits(4, lane)); /* 1000 + 13000 + 2000 */
    lanes_close();
}

/* A lane of two GPUs has the room of the GPU with less. */
static void a_gang_holds_all_its_gpus(void **state)
{
    (void)state;
    lanes_open(HS_SALUS_PAPER);
    lanes_ready();
    asks(0, 2, 1000, 3000);
    asks(1, 1, 2000, 9000);
    asks(2, 2, 1000, 3000);
    asks(3, 2, 1001, 3000);
    asks(4, 2, 500, 3500);
    uint32_t both = opens(0, 0);
    (void)opens(1, 1); /* GPU 0 has 12000 left, GPU 1 1000 */
    assert_int_equal(hs_salus_free_mib(&lanes, 0), 12000);
    assert_int_equal(hs_salus_free_mib(&lanes, 1), 1000);
    assert_true(fits(2, both));
    assert_false(fits(3, both));
    assert_true(fits(4, both)); /* 500 persistent, 500 for the lane */
    joins(2, both);
    leaves(1);
    assert_true(fits(3, both));
    leaves(2);
    leaves(0);
    lanes_close();
}

static void a_single_job_shares_nothing(void **state)
{
    (void)state;
    lanes_open(HS_SALUS_PAPER);
    lanes_ready();
    asks(0, 1, 0, 0);
    asks(1, 1, 1, 1);
    asks(2, 1, 0, 0);
    uint32_t lane = opens(0, 0);
    assert_int_equal(hs_salus_free_mib(&lanes, 0), 0);
    assert_false(fits(1, lane));
    leaves(0);
    lane = opens(1, 0);
    assert_false(fits(2, lane));
    leaves(1);
    lanes_close();
}

/* Three sessions on a GPU, two lanes. */
static void there_are_limits_besides_memory(void **state)
{
    (void)state;
    lanes_open(HS_SALUS_PAPER);
    view.max_tenants = 2;
    lanes.max_sessions = 3;
    lanes_ready();
    for (hs_job_id job = 0; job < 4; job++)
        asks(job, 1, 10, 10);
    (void)opens(0, 0);
    uint32_t lane = opens(1, 0);
    assert_int_equal(hs_salus_free_mib(&lanes, 0), 0);
    joins(2, lane);
    assert_false(fits(3, lane));
    leaves(0);
    assert_true(fits(3, lane));
    assert_int_equal(hs_salus_free_mib(&lanes, 0), 16000 - 10 - 10 - 10);
    lanes_close();
}

/* 8000 of 16000 become 12000, beside a lane of 6000: no other job fits until it ends. */
static void a_job_grows(void **state)
{
    (void)state;
    lanes_open(HS_SALUS_PAPER);
    lanes_ready();
    asks(0, 1, 1000, 7000);
    asks(1, 1, 1000, 5000);
    asks(2, 1, 0, 100);
    (void)opens(0, 0);
    uint32_t lane = opens(1, 0);
    assert_true(fits(2, lane));
    jobs[0].peak_mib = 12000;
    hs_salus_lane_renew(&lanes, 0);
    assert_null(hs_salus_lanes_check(&lanes));
    assert_int_equal(lanes.gpus[0].used_mib, 18000);
    assert_false(fits(2, lane));
    assert_int_equal(hs_salus_free_mib(&lanes, 0), 0);
    leaves(0);
    assert_true(fits(2, lane));
    lanes_close();
}

/* Nodes where memory was freed, each once. */
static void what_was_freed_is_noted(void **state)
{
    (void)state;
    lanes_open(HS_SALUS_PAPER);
    lanes_ready();
    asks(0, 2, 1, 1);
    asks(1, 1, 1, 1);
    (void)opens(0, 1);
    (void)opens(1, 2);
    assert_int_equal(lanes.pools[0].freed_count, 0);
    leaves(0);
    leaves(1);
    assert_int_equal(lanes.pools[0].freed_count, 2);
    assert_int_equal(lanes.pools[0].freed[0], 0);
    assert_int_equal(lanes.pools[0].freed[1], 1);
    lanes_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_job_asks_for),
                                       cmocka_unit_test(lanes_of_the_paper),
                                       cmocka_unit_test(lanes_of_the_code),
                                       cmocka_unit_test(one_lane_has_all),
                                       cmocka_unit_test(a_gang_holds_all_its_gpus),
                                       cmocka_unit_test(a_single_job_shares_nothing),
                                       cmocka_unit_test(a_job_grows),
                                       cmocka_unit_test(what_was_freed_is_noted),
                                       cmocka_unit_test(there_are_limits_besides_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
