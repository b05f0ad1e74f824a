/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The index of shared GPUs: hand-made cases for each rule, and damaged states, which
 * hs_share_is_valid must reject. Random states are in test_shareindex_random.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/shareindex.c"
#include "support/sink.h"

#define NO_LIMIT UINT32_MAX

static const struct hs_ask any = {.type_mask = UINT64_MAX};

/* Workers that leave less than one of 1000 thousandths, even on a node without stated CPUs. */
#define ALL_CPUS INT64_C(5000000000000000)

struct fixture {
    struct sink sink;
    struct hs_cluster cluster;
    struct hs_arena arena;
    struct hs_share *s;
    struct hs_free *f;
};

static void open_index(struct fixture *x, const char *spec, enum hs_vc_mode mode,
                       const uint32_t *limit_mib)
{
    *x = (struct fixture){0};
    sink_init(&x->sink);
    if (hs_cluster_load(&x->cluster, spec, &x->sink.diag) != HS_OK)
        fail_msg("%s", x->sink.text);
    if (mode != HS_VC_IGNORE &&
        hs_cluster_set_vcs(&x->cluster, mode, NULL, "", &x->sink.diag) != HS_OK)
        fail_msg("%s", x->sink.text);
    hs_free_init(&x->f, &x->cluster, mode == HS_VC_PARTITION, 0, &x->arena);
    hs_share_init(&x->s, &x->cluster, x->f, mode == HS_VC_PARTITION, limit_mib, &x->arena);
    assert_true(hs_share_is_valid(x->s));
}

static void close_index(struct fixture *x)
{
    assert_true(hs_share_is_valid(x->s));
    hs_arena_free(&x->arena);
    hs_cluster_free(&x->cluster);
}

/* Places a load on a GPU. */
static void hold(struct fixture *x, uint32_t gpu, struct hs_load load)
{
    hs_share_open(x->s, gpu, &load);
    assert_true(hs_share_is_open(x->s, gpu, &load));
}

static int64_t cost_of_sum(const void *ctx, const struct hs_load_range *r)
{
    (void)ctx;
    return r->least.sum[0];
}

static int64_t cost_of_type(const void *ctx, const struct hs_load_range *r)
{
    (void)ctx;
    return 1000 * (int64_t)r->gpu_type + r->capacity_mib;
}

static int64_t cost_never(const void *ctx, const struct hs_load_range *r)
{
    (void)ctx;
    (void)r;
    return HS_NEVER;
}

/* Cheapest by sum[0]; also sets *cost. */
static uint32_t cheapest(const struct fixture *x, uint32_t claim_mib, int64_t below, int64_t *cost)
{
    const struct hs_share_query q = {
        .ask = &any, .claim_mib = claim_mib, .cost_of = cost_of_sum, .below = below};
    return hs_share_cheapest(x->s, &q, cost);
}

/* ---- rules ---- */

/* Six GPUs on two nodes, all idle; then 4, 1 and 2 open with sums 30, 20 and 20. */
static void test_cheapest(void **state)
{
    (void)state;
    struct fixture x;
    int64_t cost;
    open_index(&x, "2x3", HS_VC_IGNORE, (uint32_t[]){NO_LIMIT});
    assert_int_equal(cheapest(&x, 0, 77, &cost), HS_NO_GPU);
    assert_int_equal(cost, 77);
    hold(&x, 4, (struct hs_load){.tenants = 1, .sum = {30}});
    assert_int_equal(cheapest(&x, 0, HS_NEVER, &cost), 4);
    assert_int_equal(cost, 30);
    assert_int_equal(cheapest(&x, 0, 30, &cost), HS_NO_GPU); /* not below 30 */
    assert_int_equal(cheapest(&x, 0, 31, &cost), 4);
    hold(&x, 2, (struct hs_load){.tenants = 1, .sum = {20}});
    hold(&x, 1, (struct hs_load){.tenants = 2, .sum = {20}});
    assert_int_equal(cheapest(&x, 0, HS_NEVER, &cost), 1); /* a tie: the lower id */
    assert_int_equal(cost, 20);
    hs_share_close(x.s, 1, true); /* full */
    assert_int_equal(cheapest(&x, 0, HS_NEVER, &cost), 2);
    hold(&x, 2, (struct hs_load){.tenants = 1, .sum = {40}}); /* another load */
    assert_int_equal(cheapest(&x, 0, HS_NEVER, &cost), 4);
    hs_share_close(x.s, 4, false);
    assert_int_equal(cheapest(&x, 0, HS_NEVER, &cost), 2);
    close_index(&x);
}

/* GPUs 0, 1 and 2 of one node hold 5000, 5001 and 6000 of at most 8000 MiB. */
static void test_claims(void **state)
{
    (void)state;
    struct fixture x;
    int64_t cost;
    open_index(&x, "1x4", HS_VC_IGNORE, (uint32_t[]){8000});
    hold(&x, 0, (struct hs_load){.tenants = 1, .claim_mib = 5000, .sum = {9}});
    hold(&x, 1, (struct hs_load){.tenants = 1, .claim_mib = 5001, .sum = {8}});
    hold(&x, 2, (struct hs_load){.tenants = 1, .claim_mib = 6000, .sum = {7}});
    assert_int_equal(cheapest(&x, 2000, HS_NEVER, &cost), 2);
    assert_int_equal(cheapest(&x, 2001, HS_NEVER, &cost), 1); /* 6000 + 2001 > 8000 */
    assert_int_equal(cheapest(&x, 2999, HS_NEVER, &cost), 1);
    assert_int_equal(cheapest(&x, 3000, HS_NEVER, &cost), 0);
    assert_int_equal(cheapest(&x, 3001, HS_NEVER, &cost), HS_NO_GPU);
    assert_int_equal(cheapest(&x, 8001, HS_NEVER, &cost), HS_NO_GPU);
    close_index(&x);
}

/* The caller's filter: the second best is found if the filter rejects the best. */
static void test_accepts(void **state)
{
    (void)state;
    struct fixture x;
    int64_t cost;
    const struct hs_ask ask = {.type_mask = UINT64_MAX, .cpus_milli_per_gpu = 1000};
    open_index(&x, "4x1", HS_VC_IGNORE, (uint32_t[]){NO_LIMIT});
    for (uint32_t g = 0; g < 4; g++)
        hold(&x, g, (struct hs_load){.tenants = 1, .sum = {(int32_t)g / 2}});
    const struct hs_share_query q = {.ask = &ask, .cost_of = cost_of_sum, .below = HS_NEVER};
    hs_free_book(x.f, 0, ALL_CPUS, &ask);
    assert_int_equal(hs_share_cheapest(x.s, &q, &cost), 1);
    hs_free_book(x.f, 0, -ALL_CPUS, &ask);
    assert_int_equal(hs_share_cheapest(x.s, &q, &cost), 0);
    const struct hs_share_query never = {.ask = &any, .cost_of = cost_never, .below = HS_NEVER};
    assert_int_equal(hs_share_cheapest(x.s, &never, &cost), HS_NO_GPU);
    close_index(&x);
}

/* n0: V100 of a; n1: P100 of a; n2: V100 of b; two GPUs each. V100 is type 0, P100 type 1. */
static void test_pools(void **state)
{
    (void)state;
    static const char json[] =
        "{\"gpu_types\": {\"V100\": {\"mem_mib\": 16000}, \"P100\": {\"mem_mib\": 12000}},"
        " \"nodes\": [{\"gpus\": 2, \"type\": \"V100\", \"vc\": \"a\"},"
        "             {\"gpus\": 2, \"type\": \"P100\", \"vc\": \"a\"},"
        "             {\"gpus\": 2, \"type\": \"V100\", \"vc\": \"b\"}],"
        " \"vcs\": {\"a\": 4, \"b\": 2}}";
    struct fixture x;
    int64_t cost;
    struct hs_ask ask = {.type_mask = UINT64_MAX};
    open_index(&x, scratch_write("pools.json", json, strlen(json)), HS_VC_PARTITION,
               (uint32_t[]){16000, 12000});
    for (uint32_t n = 0; n < 3; n++)
        hold(&x, 2 * n + 1, (struct hs_load){.tenants = 1});
    struct hs_share_query q = {.ask = &ask, .cost_of = cost_of_type, .below = HS_NEVER};
    assert_int_equal(hs_share_cheapest(x.s, &q, &cost), 3); /* 1000 + 12000 < 16000 */
    assert_int_equal(cost, 13000);
    ask.type_mask = 1;
    assert_int_equal(hs_share_cheapest(x.s, &q, &cost), 1);
    assert_int_equal(hs_share_find_node(x.s, &ask, 0, 0, 0), 0);
    assert_int_equal(hs_share_find_node(x.s, &ask, 0, 0, 1), HS_NO_NODE);
    ask.vc = 1;
    assert_int_equal(hs_share_cheapest(x.s, &q, &cost), 5);
    assert_int_equal(hs_share_find_node(x.s, &ask, 0, 0, 0), 2);
    ask.type_mask = 2; /* b has none of them */
    assert_int_equal(hs_share_cheapest(x.s, &q, &cost), HS_NO_GPU);
    assert_int_equal(hs_share_find_node(x.s, &ask, 0, 0, 0), HS_NO_NODE);
    close_index(&x);
}

/* One node of 5 GPUs of 10000 MiB, of which tenants may claim 8191: GPU 0 is idle, 1 and 2 hold
 * 3000 and 4001, 3 holds 9000 (one job, larger than the limit of a shared GPU), 4 is full. */
static void test_counts(void **state)
{
    (void)state;
    struct fixture x;
    static const char json[] = "{\"gpu_types\": {\"V100\": {\"mem_mib\": 10000}},"
                               " \"nodes\": [{\"gpus\": 5, \"type\": \"V100\"}]}";
    open_index(&x, scratch_write("counts.json", json, strlen(json)), HS_VC_IGNORE,
               (uint32_t[]){8191});
    hold(&x, 1, (struct hs_load){.tenants = 1, .claim_mib = 3000, .sum = {1}});
    hold(&x, 2, (struct hs_load){.tenants = 1, .claim_mib = 4001, .sum = {2}});
    hold(&x, 3, (struct hs_load){.tenants = 1, .claim_mib = 9000, .sum = {3}});
    hold(&x, 4, (struct hs_load){.tenants = 2, .claim_mib = 2000, .sum = {4}});
    hs_share_close(x.s, 4, true);
    /* The count of nodes is exact: 4001 + 4191 > 8191. */
    hs_share_close(x.s, 0, true);
    assert_int_equal(hs_share_find_node(x.s, &any, 5191, 0, 0), 0);
    assert_int_equal(hs_share_find_node(x.s, &any, 5192, 0, 0), HS_NO_NODE); /* with 3000 */
    assert_int_equal(hs_share_find_node(x.s, &any, 4000, 2999, 0), 0);
    assert_int_equal(hs_share_find_node(x.s, &any, 4000, 3000, 0), HS_NO_NODE);
    assert_int_equal(hs_share_find_node(x.s, &any, UINT32_MAX, 0, 0), HS_NO_NODE);
    assert_int_equal(hs_share_find_node(x.s, &any, 0, 0, 1), HS_NO_NODE);
    close_index(&x);
}

/* Full when all GPUs of the pools are closed; an open one beyond the limit still counts. */
static void test_is_full(void **state)
{
    (void)state;
    struct fixture x;
    struct hs_ask v100 = {.type_mask = 1};
    open_index(&x, "1x2:V100,1x1:P100", HS_VC_IGNORE, (uint32_t[]){8000, 8000});
    assert_false(hs_share_is_full(x.s, &v100));
    for (uint32_t g = 0; g < 2; g++)
        hs_share_close(x.s, g, true);
    assert_true(hs_share_is_full(x.s, &v100));
    assert_false(hs_share_is_full(x.s, &any)); /* the P100 */
    hs_share_open(x.s, 1, &(struct hs_load){.tenants = 1, .claim_mib = 9000});
    assert_false(hs_share_is_full(x.s, &v100));
    close_index(&x);
}

/* The search must skip n1, which has open GPUs but not enough memory on them. */
static void test_allocation_node_passes_by(void **state)
{
    (void)state;
    struct fixture x;
    open_index(&x, "3x2:V100", HS_VC_IGNORE, (uint32_t[]){8000});
    for (uint32_t g = 0; g < 6; g++)
        hold(&x, g, (struct hs_load){.tenants = 1, .claim_mib = g == 0 || g >= 4 ? 1000 : 7000});
    assert_int_equal(hs_share_find_node(x.s, &any, 2000, 0, 0), 0);
    assert_int_equal(hs_share_find_node(x.s, &any, 2000, 0, 1), 2);
    assert_int_equal(hs_share_find_node(x.s, &any, 1000, 0, 0), 0);
    assert_int_equal(hs_share_find_node(x.s, &any, 1000, 0, 1), 1);
    close_index(&x);
}

/* True if it is open with exactly that load. */
static void test_is_open(void **state)
{
    (void)state;
    struct fixture x;
    const struct hs_load load = {.tenants = 2, .claim_mib = 3, .measured_pm = 4, .sum = {5, 6}};
    struct hs_load other;
    open_index(&x, "1x2", HS_VC_IGNORE, (uint32_t[]){NO_LIMIT});
    assert_false(hs_share_is_open(x.s, 0, NULL));
    assert_false(hs_share_is_open(x.s, 0, &load));
    hold(&x, 0, load);
    assert_true(hs_share_is_open(x.s, 0, NULL));
    uint32_t *fields[] = {&other.tenants, &other.claim_mib, &other.measured_pm};
    for (int i = 0; i < 3; i++) {
        other = load;
        ++*fields[i];
        assert_false(hs_share_is_open(x.s, 0, &other));
    }
    for (int i = 0; i < HS_LOADS; i++) {
        other = load;
        other.sum[i]++;
        assert_false(hs_share_is_open(x.s, 0, &other));
    }
    hs_share_close(x.s, 0, true);
    assert_false(hs_share_is_open(x.s, 0, NULL));
    close_index(&x);
}

/* ---- damage ---- */

/* Seven open GPUs of eight, in two nodes; GPU g has sum g. */
static void open_seven(struct fixture *x)
{
    open_index(x, "2x4", HS_VC_IGNORE, (uint32_t[]){8000});
    for (uint32_t g = 0; g < 7; g++)
        hold(x, g,
             (struct hs_load){.tenants = 1 + g % 2, .claim_mib = 100 * g, .sum = {(int32_t)g}});
    assert_true(hs_share_is_valid(x->s));
}

/* A vertex with a child. */
static uint32_t inner_vertex(const struct hs_share *s)
{
    uint32_t root = s->pools[0].root;
    assert_true(s->vertices[root].left != NO_VERTEX || s->vertices[root].right != NO_VERTEX);
    return root;
}

static void break_box_most(struct hs_share *s)
{
    s->vertices[inner_vertex(s)].box.most.sum[0]--;
}

static void break_box_least(struct hs_share *s)
{
    s->vertices[inner_vertex(s)].box.least.claim_mib++;
}

static void break_box_of_leaf(struct hs_share *s)
{
    for (uint32_t i = 0; i < 7; i++)
        if (s->vertices[i].left == NO_VERTEX && s->vertices[i].right == NO_VERTEX)
            s->vertices[i].box.most.measured_pm = 1;
}

static void break_least_id(struct hs_share *s)
{
    s->vertices[inner_vertex(s)].least_id = 6;
}

/* The boxes are updated, the order is not. */
static void break_order(struct hs_share *s)
{
    struct vertex *root = &s->vertices[inner_vertex(s)];
    uint32_t left = root->left;
    root->left = root->right;
    root->right = left;
}

/* An unlinked subtree; its GPUs still count as members. */
static void break_link(struct hs_share *s)
{
    uint32_t root = inner_vertex(s);
    s->vertices[root].left = s->vertices[root].right = NO_VERTEX;
    (void)refresh(s, root);
}

static void break_heap(struct hs_share *s)
{
    s->vertices[inner_vertex(s)].priority = 0;
}

static void break_open(struct hs_share *s)
{
    s->level[s->vertices[inner_vertex(s)].gpu] = LEVEL_CLOSED;
}

static void break_handle(struct hs_share *s)
{
    s->vertex[3] = s->vertex[4]; /* its own and another GPU's */
}

static void break_level(struct hs_share *s)
{
    s->level[3]--; /* 1 MiB less than its tenants claim */
}

static void break_idle(struct hs_share *s)
{
    s->level[7] = LEVEL_CLOSED;
}

static void break_node_open(struct hs_share *s)
{
    s->nodes[0].open++;
}

/* The sums are right, the nodes are not. */
static void break_nodes_open(struct hs_share *s)
{
    s->nodes[0].open--;
    s->nodes[1].open++;
}

static void break_node_idle(struct hs_share *s)
{
    s->nodes[1].idle--;
}

static void break_pool_idle(struct hs_share *s)
{
    s->pools[0].idle++;
}

static void break_bit_open(struct hs_share *s)
{
    hs_bitset_put(&s->pools[0].with_open, 0, false);
}

static void break_bit_idle(struct hs_share *s)
{
    hs_bitset_put(&s->pools[0].with_idle, 0, true);
}

static void test_damage(void **state)
{
    (void)state;
    static void (*const damages[])(struct hs_share * s) = {
        break_box_most,  break_box_least, break_box_of_leaf, break_least_id,   break_order,
        break_link,      break_heap,      break_open,        break_level,      break_idle,
        break_bit_open,  break_bit_idle,  break_node_open,   break_nodes_open, break_node_idle,
        break_pool_idle, break_handle};
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct fixture x;
        open_seven(&x);
        damages[i](x.s);
        if (hs_share_is_valid(x.s))
            fail_msg("damage %zu is not seen", i);
        hs_arena_free(&x.arena);
        hs_cluster_free(&x.cluster);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cheapest),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_accepts),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_is_full),
        cmocka_unit_test(test_allocation_node_passes_by),
        cmocka_unit_test(test_is_open),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests_name("model/shareindex", tests, scratch_open, scratch_close);
}
