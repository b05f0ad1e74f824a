/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The free index: hand-made cases for each rule, then 10^5 random takes and gives on mixed clusters
 * with every search compared with a scan of all nodes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/cluster.h"
#include "model/freeindex.h"
#include "support/sink.h"

#define NONE UINT32_MAX

static const struct hs_ask any = {.type_mask = UINT64_MAX};

struct fixture {
    struct sink sink;
    struct hs_cluster cluster;
    struct hs_arena arena;
    struct hs_free *f;
};

static void open_cluster(struct fixture *x, const char *spec, enum hs_vc_mode mode, uint64_t seed)
{
    *x = (struct fixture){0};
    sink_init(&x->sink);
    if (hs_cluster_load(&x->cluster, spec, &x->sink.diag) != HS_OK)
        fail_msg("%s", x->sink.text);
    if (mode != HS_VC_IGNORE &&
        hs_cluster_set_vcs(&x->cluster, mode, NULL, "", &x->sink.diag) != HS_OK)
        fail_msg("%s", x->sink.text);
    hs_free_init(&x->f, &x->cluster, mode == HS_VC_PARTITION, seed, &x->arena);
    assert_true(hs_free_is_valid(x->f));
}

static void close_cluster(struct fixture *x)
{
    assert_true(hs_free_is_valid(x->f));
    hs_arena_free(&x->arena);
    hs_cluster_free(&x->cluster);
}

/* Three nodes of 4 with 4, 2 and 1 free. */
static void test_fits(void **state)
{
    (void)state;
    struct fixture x;
    open_cluster(&x, "3x4:V100", HS_VC_IGNORE, 0);
    hs_free_take(x.f, 1, 2, &any);
    hs_free_take(x.f, 2, 3, &any);
    assert_int_equal(hs_free_total(x.f, 0), 7);
    assert_int_equal(hs_free_max(x.f, 0), 4);
    assert_int_equal(hs_free_of_node(x.f, 1), 2);
    assert_int_equal(hs_free_fit(x.f, &any, 1, HS_FIT_BEST), 2);
    assert_int_equal(hs_free_fit(x.f, &any, 2, HS_FIT_BEST), 1);
    assert_int_equal(hs_free_fit(x.f, &any, 3, HS_FIT_BEST), 0);
    assert_int_equal(hs_free_fit(x.f, &any, 5, HS_FIT_BEST), NONE);
    assert_int_equal(hs_free_fit(x.f, &any, 1, HS_FIT_BEST_BUSY), 2);
    assert_int_equal(hs_free_fit(x.f, &any, 2, HS_FIT_BEST_BUSY), 1);
    assert_int_equal(hs_free_fit(x.f, &any, 3, HS_FIT_BEST_BUSY), NONE); /* node 0 is idle */
    assert_int_equal(hs_free_fit(x.f, &any, 1, HS_FIT_WORST), 0);
    assert_int_equal(hs_free_fit(x.f, &any, 5, HS_FIT_WORST), NONE);
    assert_int_equal(hs_free_first(x.f, &any, 1, 0), 0);
    assert_int_equal(hs_free_first(x.f, &any, 1, 1), 1);
    assert_int_equal(hs_free_first(x.f, &any, 2, 2), NONE);
    assert_int_equal(hs_free_first(x.f, &any, 1, 3), NONE);
    assert_int_equal(hs_free_idle(x.f, &any, 4, 0), 0);
    assert_int_equal(hs_free_idle(x.f, &any, 4, 1), NONE);
    hs_free_take(x.f, 0, 4, &any);
    assert_int_equal(hs_free_fit(x.f, &any, 1, HS_FIT_WORST), 1);
    hs_free_give(x.f, 2, 3, &any);
    assert_int_equal(hs_free_fit(x.f, &any, 1, HS_FIT_WORST), 2);
    assert_int_equal(hs_free_idle(x.f, &any, 4, 0), 2);
    close_cluster(&x);
}

/* n0 n1: 4 V100; n2: 8 P100; n3: 4 V100. V100 is type 0, P100 type 1. */
static void test_types_and_sizes(void **state)
{
    (void)state;
    struct fixture x;
    struct hs_ask v100 = {.type_mask = 1}, p100 = {.type_mask = 2}, none = {.type_mask = 4};
    open_cluster(&x, "2x4:V100,1x8:P100,1x4:V100", HS_VC_IGNORE, 0);
    assert_int_equal(hs_free_fit(x.f, &any, 4, HS_FIT_BEST), 0);
    assert_int_equal(hs_free_fit(x.f, &any, 5, HS_FIT_BEST), 2);
    assert_int_equal(hs_free_fit(x.f, &v100, 5, HS_FIT_BEST), NONE);
    assert_int_equal(hs_free_fit(x.f, &v100, 1, HS_FIT_WORST), 0);
    assert_int_equal(hs_free_first(x.f, &v100, 1, 2), 3);
    assert_int_equal(hs_free_idle(x.f, &any, 8, 0), 2);
    assert_int_equal(hs_free_idle(x.f, &p100, 4, 0), NONE);
    assert_int_equal(hs_free_first(x.f, &none, 1, 0), NONE);
    assert_int_equal(hs_free_capacity(x.f, &any, false), 20);
    assert_int_equal(hs_free_capacity(x.f, &v100, false), 12);
    assert_int_equal(hs_free_capacity(x.f, &p100, false), 8);
    assert_int_equal(hs_free_capacity(x.f, &none, false), 0);
    assert_int_equal(hs_free_node_size(x.f, &any, NONE, HS_NODES_ALL), 8);
    assert_int_equal(hs_free_node_size(x.f, &any, 7, HS_NODES_ALL), 4);
    assert_int_equal(hs_free_node_size(x.f, &any, 3, HS_NODES_ALL), 0);
    assert_int_equal(hs_free_node_count(x.f, &any, 4, HS_NODES_ALL), 3);
    assert_int_equal(hs_free_node_count(x.f, &p100, 4, HS_NODES_ALL), 0);
    assert_int_equal(hs_free_fit(x.f, &any, 1, HS_FIT_BEST_BUSY), NONE);
    hs_free_take(x.f, 2, 4, &p100); /* as many free as the idle nodes of 4 before and after it */
    assert_int_equal(hs_free_fit(x.f, &any, 4, HS_FIT_BEST), 0);
    assert_int_equal(hs_free_fit(x.f, &any, 4, HS_FIT_BEST_BUSY), 2);
    assert_int_equal(hs_free_fit(x.f, &v100, 4, HS_FIT_BEST_BUSY), NONE);
    hs_free_take(x.f, 3, 2, &v100);
    assert_int_equal(hs_free_fit(x.f, &any, 1, HS_FIT_BEST_BUSY), 3);
    hs_free_take(x.f, 3, 2, &v100); /* a node with no free GPU is never found */
    assert_int_equal(hs_free_fit(x.f, &any, 1, HS_FIT_BEST_BUSY), 2);
    close_cluster(&x);
}

/* Racks of 2, 3 and 2 nodes of 4 GPUs: n0 n1 | n2 n3 n4 | n5 n6. */
static void test_racks(void **state)
{
    (void)state;
    static const char json[] = "{\"racks\": ["
                               "{\"nodes\": [{\"count\": 2, \"gpus\": 4}]},"
                               "{\"nodes\": [{\"count\": 3, \"gpus\": 4}]},"
                               "{\"nodes\": [{\"count\": 2, \"gpus\": 4}]}]}";
    struct fixture x;
    open_cluster(&x, scratch_write("racks.json", json, strlen(json)), HS_VC_IGNORE, 0);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 4, 1, 0), 0);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 4, 3, 0), 1);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 4, 4, 0), NONE);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 4, 2, 1), 1);
    assert_int_equal(hs_free_of_rack(x.f, 0), 8);
    assert_int_equal(hs_free_of_rack(x.f, 1), 12);
    hs_free_take(x.f, 3, 1, &any);
    hs_free_take(x.f, 4, 1, &any);
    assert_int_equal(hs_free_of_rack(x.f, 0), 8);
    assert_int_equal(hs_free_of_rack(x.f, 1), 10);
    assert_int_equal(hs_free_of_rack(x.f, 2), 8);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 4, 2, 1), 2);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 4, 1, 1), 1);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 4, 1, 3), NONE);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 8, 1, 0), NONE);
    hs_free_give(x.f, 3, 1, &any);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 4, 2, 1), 1);
    close_cluster(&x);
}

/* n0: 4 GPUs with 8 CPUs and 1000 MiB; n1: 4 GPUs that state neither. */
static void test_cpu_and_memory(void **state)
{
    (void)state;
    static const char json[] = "{\"nodes\": [{\"gpus\": 4, \"cpus\": 8, \"mem_mib\": 1000},"
                               "{\"gpus\": 4}]}";
    struct fixture x;
    struct hs_ask cpu3 = {.type_mask = UINT64_MAX, .cpus_milli_per_gpu = 3000};
    struct hs_ask mem400 = {.type_mask = UINT64_MAX, .mem_mib_per_gpu = 400};
    open_cluster(&x, scratch_write("limits.json", json, strlen(json)), HS_VC_IGNORE, 0);
    /* 2 x 3 CPUs fit in 8, 3 x 3 do not; 2 x 400 MiB fit in 1000, 3 x 400 do not. */
    assert_int_equal(hs_free_fit(x.f, &cpu3, 2, HS_FIT_BEST), 0);
    assert_int_equal(hs_free_fit(x.f, &cpu3, 3, HS_FIT_BEST), 1);
    assert_int_equal(hs_free_fit(x.f, &mem400, 2, HS_FIT_BEST), 0);
    assert_int_equal(hs_free_fit(x.f, &mem400, 3, HS_FIT_BEST), 1);
    assert_int_equal(hs_free_capacity(x.f, &cpu3, false), 2 + 4);
    assert_int_equal(hs_free_capacity(x.f, &mem400, false), 2 + 4);
    assert_int_equal(hs_free_node_size(x.f, &cpu3, 3, HS_NODES_ALL), 2);
    assert_int_equal(hs_free_idle(x.f, &cpu3, 4, 0), 1);
    assert_int_equal(hs_free_idle(x.f, &cpu3, 2, 0), 0);
    assert_int_equal(hs_free_idle_rack(x.f, &cpu3, 4, 2, 0), NONE);
    assert_int_equal(hs_free_idle_rack(x.f, &any, 4, 2, 0), 0);
    /* One GPU with 3 CPUs taken: 5 CPUs left, so one more such GPU, and any GPUs without CPUs. */
    hs_free_take(x.f, 0, 1, &cpu3);
    assert_true(hs_free_fits(x.f, 0, &cpu3, 1));
    assert_false(hs_free_fits(x.f, 0, &cpu3, 2));
    assert_true(hs_free_fits(x.f, 0, &any, 3));
    assert_int_equal(hs_free_fit(x.f, &cpu3, 2, HS_FIT_BEST), 1);
    assert_int_equal(hs_free_fit(x.f, &cpu3, 1, HS_FIT_WORST), 1);
    hs_free_give(x.f, 0, 1, &cpu3);
    assert_int_equal(hs_free_fit(x.f, &cpu3, 2, HS_FIT_BEST), 0);
    close_cluster(&x);
}

/* VC a has n0 n1, VC b has none, VC c has n2. */
static void test_partition(void **state)
{
    (void)state;
    static const char json[] = "{\"nodes\": [{\"count\": 3, \"gpus\": 4}],"
                               " \"vcs\": {\"a\": 8, \"b\": 0, \"c\": 4}}";
    struct fixture x;
    struct hs_ask a = {.vc = 0, .type_mask = UINT64_MAX}, b = a, c = a;
    b.vc = 1;
    c.vc = 2;
    const char *path = scratch_write("vcs.json", json, strlen(json));
    open_cluster(&x, path, HS_VC_PARTITION, 0);
    assert_int_equal(hs_free_fit(x.f, &a, 1, HS_FIT_BEST), 0);
    assert_int_equal(hs_free_fit(x.f, &b, 1, HS_FIT_BEST), NONE);
    assert_int_equal(hs_free_fit(x.f, &c, 1, HS_FIT_BEST), 2);
    assert_int_equal(hs_free_total(x.f, 0), 8);
    assert_int_equal(hs_free_total(x.f, 1), 0);
    assert_int_equal(hs_free_max(x.f, 1), 0);
    assert_int_equal(hs_free_capacity(x.f, &b, false), 0);
    assert_int_equal(hs_free_node_size(x.f, &b, NONE, HS_NODES_ALL), 0);
    assert_false(hs_free_fits(x.f, 0, &c, 1));
    hs_free_take(x.f, 2, 4, &c);
    assert_int_equal(hs_free_total(x.f, 2), 0);
    assert_int_equal(hs_free_total(x.f, 0), 8);
    close_cluster(&x);
    /* Under quota all VCs use all nodes. */
    open_cluster(&x, path, HS_VC_QUOTA, 0);
    assert_int_equal(hs_free_fit(x.f, &b, 1, HS_FIT_BEST), 0);
    assert_int_equal(hs_free_total(x.f, 1), 12);
    close_cluster(&x);
}

/* Under jitter best and worst draw among equal nodes only: 64 idle nodes, one of them with 3 of 4
 * free. The chance that 640 fair draws miss a node is 64 (63/64)^640 < 0.3 %; the seed is fixed, so
 * the outcome is too. */
static void test_jitter(void **state)
{
    (void)state;
    struct fixture x, y;
    uint32_t drawn[64] = {0};
    open_cluster(&x, "64x4", HS_VC_IGNORE, 7);
    open_cluster(&y, "64x4", HS_VC_IGNORE, 7);
    for (int i = 0; i < 640; i++) {
        uint32_t node = hs_free_fit(x.f, &any, 4, HS_FIT_BEST);
        assert_int_equal(hs_free_fit(y.f, &any, 4, HS_FIT_BEST), node);
        drawn[node]++;
    }
    for (int i = 0; i < 64; i++)
        assert_true(drawn[i] > 0);
    hs_free_take(x.f, 9, 1, &any);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(hs_free_fit(x.f, &any, 2, HS_FIT_BEST), 9);
        assert_int_not_equal(hs_free_fit(x.f, &any, 2, HS_FIT_WORST), 9);
        assert_int_equal(hs_free_first(x.f, &any, 2, 5), 5);
        assert_int_equal(hs_free_idle(x.f, &any, 4, 9), 10);
    }
    close_cluster(&x);
    close_cluster(&y);
}

/* ---- random walk against a scan ---- */

struct naive {
    uint32_t free;
    int64_t cpus_milli, mem_mib;
};

struct holding {
    uint32_t node, gpus;
    struct hs_ask ask;
};

struct walk {
    struct fixture x;
    bool by_vc;
    struct naive nodes[256];
    struct holding held[1024];
    uint32_t held_count;
};

static bool serves(const struct walk *w, uint32_t node, const struct hs_ask *ask)
{
    const struct hs_node *n = &w->x.cluster.nodes[node];
    return (ask->type_mask >> n->type & 1) && (!w->by_vc || n->vc == ask->vc);
}

static bool fits(const struct walk *w, uint32_t node, const struct hs_ask *ask, uint32_t gpus)
{
    const struct hs_node *n = &w->x.cluster.nodes[node];
    const struct naive *s = &w->nodes[node];
    return serves(w, node, ask) && s->free >= gpus &&
           (n->cpus == 0 || s->cpus_milli >= (int64_t)gpus * ask->cpus_milli_per_gpu) &&
           (n->mem_mib == 0 || s->mem_mib >= (int64_t)gpus * ask->mem_mib_per_gpu);
}

static uint32_t usable(const struct walk *w, uint32_t node, const struct hs_ask *ask)
{
    const struct hs_node *n = &w->x.cluster.nodes[node];
    uint32_t gpus = serves(w, node, ask) ? n->gpus : 0;
    while (gpus > 0 && ((n->cpus > 0 && gpus * ask->cpus_milli_per_gpu > n->cpus * 1000) ||
                        (n->mem_mib > 0 && gpus * ask->mem_mib_per_gpu > n->mem_mib)))
        gpus--;
    return gpus;
}

static bool idles(const struct walk *w, uint32_t node, const struct hs_ask *ask, uint32_t size)
{
    return w->nodes[node].free == w->x.cluster.nodes[node].gpus && usable(w, node, ask) == size &&
           fits(w, node, ask, size);
}

static void compare_nodes(struct walk *w, const struct hs_ask *ask, uint32_t gpus, uint32_t from)
{
    uint32_t best = NONE, busy = NONE, worst = NONE, first = NONE, idle = NONE;
    for (uint32_t n = w->x.cluster.node_count; n-- > 0;) {
        uint32_t free = w->nodes[n].free;
        if (n >= from && idles(w, n, ask, gpus))
            idle = n;
        if (!fits(w, n, ask, gpus))
            continue;
        if (best == NONE || free <= w->nodes[best].free)
            best = n;
        if (free < w->x.cluster.nodes[n].gpus && (busy == NONE || free <= w->nodes[busy].free))
            busy = n;
        if (worst == NONE || free >= w->nodes[worst].free)
            worst = n;
        if (n >= from)
            first = n;
    }
    assert_int_equal(hs_free_fit(w->x.f, ask, gpus, HS_FIT_BEST), best);
    assert_int_equal(hs_free_fit(w->x.f, ask, gpus, HS_FIT_BEST_BUSY), busy);
    assert_int_equal(hs_free_fit(w->x.f, ask, gpus, HS_FIT_WORST), worst);
    assert_int_equal(hs_free_first(w->x.f, ask, gpus, from), first);
    assert_int_equal(hs_free_idle(w->x.f, ask, gpus, from), idle);
    assert_int_equal(hs_free_fits(w->x.f, from, ask, gpus), fits(w, from, ask, gpus));
}

static void compare_racks(struct walk *w, const struct hs_ask *ask, uint32_t size, uint32_t count,
                          uint32_t from)
{
    const struct hs_cluster *c = &w->x.cluster;
    uint32_t rack = from;
    for (; rack < c->rack_count; rack++) {
        uint32_t idle = 0;
        for (uint32_t n = c->rack_first[rack]; n < c->rack_first[rack + 1]; n++)
            idle += idles(w, n, ask, size);
        if (idle >= count)
            break;
    }
    assert_int_equal(hs_free_idle_rack(w->x.f, ask, size, count, from),
                     rack < c->rack_count ? rack : NONE);
}

/* GPUs of all owners and types. */
static void compare_rack_sum(struct walk *w, uint32_t rack)
{
    const struct hs_cluster *c = &w->x.cluster;
    uint32_t free = 0;
    for (uint32_t n = c->rack_first[rack]; n < c->rack_first[rack + 1]; n++)
        free += w->nodes[n].free;
    assert_int_equal(hs_free_of_rack(w->x.f, rack), free);
}

static void compare_sums(struct walk *w, const struct hs_ask *ask, uint32_t size)
{
    uint64_t capacity = 0, total = 0;
    uint32_t most = 0, largest = 0, count = 0;
    for (uint32_t n = 0; n < w->x.cluster.node_count; n++) {
        uint32_t u = usable(w, n, ask);
        capacity += u;
        count += u == size;
        if (u <= size && u > largest)
            largest = u;
        if (w->by_vc && w->x.cluster.nodes[n].vc != ask->vc)
            continue;
        total += w->nodes[n].free;
        if (w->nodes[n].free > most)
            most = w->nodes[n].free;
    }
    assert_int_equal(hs_free_capacity(w->x.f, ask, false), capacity);
    assert_int_equal(hs_free_total(w->x.f, ask->vc), total);
    assert_int_equal(hs_free_max(w->x.f, ask->vc), most);
    assert_int_equal(hs_free_node_size(w->x.f, ask, size, HS_NODES_ALL), largest);
    assert_int_equal(hs_free_node_count(w->x.f, ask, size, HS_NODES_ALL), count);
}

static struct hs_ask draw_ask(const struct walk *w, uint64_t draw)
{
    static const uint64_t masks[] = {UINT64_MAX, UINT64_MAX, 1, 2, 3, 4};
    struct hs_ask ask = {.vc = w->by_vc ? (uint32_t)(draw >> 8) % w->x.cluster.vc_count : 0,
                         .type_mask = masks[draw % 6]};
    if (draw >> 32 & 1) {
        ask.cpus_milli_per_gpu = (uint32_t)(draw >> 40) % 9000;
        ask.mem_mib_per_gpu = (uint32_t)(draw >> 48) % 3000;
    }
    return ask;
}

static void move(struct walk *w, const struct holding *h, int sign)
{
    struct naive *n = &w->nodes[h->node];
    n->free += (uint32_t)sign * h->gpus;
    n->cpus_milli += sign * (int64_t)h->gpus * h->ask.cpus_milli_per_gpu;
    n->mem_mib += sign * (int64_t)h->gpus * h->ask.mem_mib_per_gpu;
    if (sign < 0)
        hs_free_take(w->x.f, h->node, h->gpus, &h->ask);
    else
        hs_free_give(w->x.f, h->node, h->gpus, &h->ask);
    assert_int_equal(hs_free_of_node(w->x.f, h->node), n->free);
}

/* Drifts between full and empty: 500 steps of mostly takes, then of mostly gives. */
static void step_walk(struct walk *w, uint64_t seed, uint32_t step)
{
    uint64_t draw = hs_mix64(seed, 2 * step), other = hs_mix64(seed, 2 * step + 1);
    struct holding h = {.node = (uint32_t)(other % w->x.cluster.node_count),
                        .ask = draw_ask(w, draw)};
    bool is_take = draw >> 60 < (step / 500 % 2 == 0 ? 11u : 5u);
    h.gpus = 1 + (uint32_t)(other >> 40) % 8;
    if (is_take && w->held_count < 1024 && fits(w, h.node, &h.ask, h.gpus)) {
        move(w, &h, -1);
        w->held[w->held_count++] = h;
    } else if (!is_take && w->held_count > 0) {
        uint32_t i = (uint32_t)(other >> 20) % w->held_count;
        move(w, &w->held[i], 1);
        w->held[i] = w->held[--w->held_count];
    }
    uint32_t gpus = 1 + (uint32_t)(other >> 50) % 9;
    compare_nodes(w, &h.ask, gpus, h.node);
    compare_rack_sum(w, w->x.cluster.nodes[h.node].rack);
    if (step % 8 == 0) {
        compare_racks(w, &h.ask, gpus, 1 + (uint32_t)(draw >> 20) % 4,
                      (uint32_t)(draw >> 24) % w->x.cluster.rack_count);
        compare_sums(w, &h.ask, gpus);
    }
}

static void random_walk(const char *spec, enum hs_vc_mode mode, uint64_t seed, uint32_t steps)
{
    struct walk *w = calloc(1, sizeof *w);
    assert_non_null(w);
    open_cluster(&w->x, spec, mode, 0);
    w->by_vc = mode == HS_VC_PARTITION;
    for (uint32_t n = 0; n < w->x.cluster.node_count; n++)
        w->nodes[n] =
            (struct naive){w->x.cluster.nodes[n].gpus, w->x.cluster.nodes[n].cpus * INT64_C(1000),
                           w->x.cluster.nodes[n].mem_mib};
    for (uint32_t step = 0; step < steps; step++) {
        step_walk(w, seed, step);
        if (step % 1000 == 0)
            assert_true(hs_free_is_valid(w->x.f));
    }
    close_cluster(&w->x);
    free(w);
}

static void test_random_walk_of_one_kind(void **state)
{
    (void)state;
    random_walk("20x8:V100", HS_VC_IGNORE, 1, 20000);
}

static void test_random_walk_of_types(void **state)
{
    (void)state;
    random_walk("7x8:V100,9x4:P100,3x2:T4,5x8:P100,1x1:V100,70x4:V100", HS_VC_IGNORE, 2, 40000);
}

/* Racks, types, sizes, limits and owners that overlap arbitrarily. */
static void test_random_walk_of_everything(void **state)
{
    (void)state;
    static const char json[] =
        "{\"racks\": ["
        "{\"nodes\": [{\"count\": 3, \"gpus\": 8, \"type\": \"V100\", \"cpus\": 32, \"vc\": \"a\"},"
        "             {\"count\": 2, \"gpus\": 4, \"type\": \"P100\", \"vc\": \"b\"}]},"
        "{\"nodes\": [{\"count\": 4, \"gpus\": 8, \"type\": \"V100\", \"vc\": \"a\"},"
        "             {\"count\": 3, \"gpus\": 8, \"type\": \"V100\", \"cpus\": 32, \"vc\": \"b\"},"
        "             {\"count\": 2, \"gpus\": 4, \"type\": \"T4\", \"mem_mib\": 4000,"
        "              \"vc\": \"c\"}]},"
        "{\"nodes\": [{\"count\": 5, \"gpus\": 4, \"type\": \"P100\", \"cpus\": 16,"
        "              \"mem_mib\": 9000, \"vc\": \"b\"},"
        "             {\"count\": 3, \"gpus\": 8, \"type\": \"V100\", \"vc\": \"a\"}]}],"
        " \"vcs\": {\"a\": 80, \"b\": 52, \"c\": 8, \"d\": 0}}";
    const char *path = scratch_write("all.json", json, strlen(json));
    random_walk(path, HS_VC_IGNORE, 3, 20000);
    random_walk(path, HS_VC_PARTITION, 4, 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_types_and_sizes),
        cmocka_unit_test(test_racks),
        cmocka_unit_test(test_cpu_and_memory),
        cmocka_unit_test(test_partition),
        cmocka_unit_test(test_jitter),
        cmocka_unit_test(test_random_walk_of_one_kind),
        cmocka_unit_test(test_random_walk_of_types),
        cmocka_unit_test(test_random_walk_of_everything),
    };
    return cmocka_run_group_tests_name("model/freeindex", tests, scratch_open, scratch_close);
}
