/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placement by levels of locality, through the real engine: some GPUs of each node are taken, then
 * one gang is tried at each level, in one plan that is rolled back. A placement is written
 * node:gpus+node:gpus, "-" is none. By hand from the rules in philly.c; then random clusters and
 * gangs compared with placements computed here, node by node.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "policies/philly/philly.c"
#include "support/run.h"
#include "support/sink.h"

#define NODES_MAX 16
#define LEVELS    3
#define BY_RACK   LEVELS /* also tried: the placer `rack` of policies/lib/place.h */

/* A trial: the cluster, its state, the gang and the placements. */
static struct trial {
    const char *cluster;
    enum hs_vc_mode vc;
    uint32_t taken[NODES_MAX]; /* by job 0 */
    struct hs_test_job filler, gang;
    char placement[LEVELS + 1][128];
    uint32_t given[LEVELS + 1][NODES_MAX];
} t;

struct trier {
    struct philly_policy policy;
    hs_job_id jobs[2];
    uint32_t count;
};

static enum hs_status trier_init(void *state, const struct hs_view *v)
{
    return philly_init(&((struct trier *)state)->policy, v);
}

static void trier_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct trier *x = state;
    (void)v;
    if (event->kind == HS_EVENT_SUBMIT)
        x->jobs[x->count++] = event->job;
}

static void try_at(struct trier *x, const struct hs_view *v, struct hs_plan *p, uint32_t level)
{
    uint32_t free[NODES_MAX], mark = hs_plan_mark(p), sum = 0;
    char *text = t.placement[level];
    for (uint32_t n = 0; n < v->nodes; n++)
        free[n] = hs_view_node_free(v, n);
    const struct hs_place_rule rule = {.placer = HS_PLACE_RACK};
    bool is_placed =
        level == BY_RACK ? hs_place(v, p, x->jobs[1], rule) : place(&x->policy, x->jobs[1], level);
    assert_int_equal(hs_plan_mark(p) > mark, is_placed);
    (void)strcpy(text, is_placed ? "" : "-");
    for (uint32_t n = 0; n < v->nodes; n++) {
        uint32_t gpus = free[n] - hs_view_node_free(v, n);
        t.given[level][n] = gpus;
        sum += gpus;
        if (gpus > 0)
            (void)sprintf(text + strlen(text), "%s%u:%u", text[0] != '\0' ? "+" : "", n, gpus);
    }
    assert_int_equal(sum, is_placed ? t.gang.gpus : 0);
    hs_plan_rollback(p, mark);
    for (uint32_t n = 0; n < v->nodes; n++)
        assert_int_equal(hs_view_node_free(v, n), free[n]);
}

/* The first plan. The gang is absent if it was rejected at submission. */
static enum hs_status trier_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct trier *x = state;
    x->policy.p = p;
    hs_plan_start(p, x->jobs[0]);
    for (uint32_t n = 0; n < v->nodes; n++)
        if (t.taken[n] > 0)
            hs_plan_on_node(p, n, t.taken[n]);
    for (uint32_t level = 0; x->count == 2 && level <= BY_RACK; level++)
        try_at(x, v, p, level);
    return HS_OK;
}

static const struct hs_policy_ops trier = {.name = "trier",
                                           .can = HS_CAN_BORROW,
                                           .state_size = sizeof(struct trier),
                                           .init = trier_init,
                                           .on_event = trier_event,
                                           .decide = trier_decide};

/* Stops before the second plan. */
static void run_trial(void)
{
    const struct hs_test_options options = {.policy = &trier, .vc = t.vc, .until_us = 1};
    struct hs_test_job jobs[2] = {t.filler, t.gang};
    struct hs_test_result r;
    jobs[0].gpus = 0;
    for (uint32_t n = 0; n < NODES_MAX; n++)
        jobs[0].gpus += t.taken[n];
    jobs[0].duration_s = jobs[1].duration_s = 1;
    if (hs_test_run_with(jobs, 2, t.cluster, NULL, &options, &r) != HS_OK)
        fail_msg("%s", r.message);
    assert_int_equal(r.jobs[0].state, HS_JOB_RUNNING);
    hs_test_free(&r);
}

static void expect(const struct trial *given, const char *servers, const char *rack,
                   const char *anywhere)
{
    t = *given;
    run_trial();
    assert_string_equal(t.placement[LEVEL_SERVERS], servers);
    assert_string_equal(t.placement[LEVEL_RACK], rack);
    assert_string_equal(t.placement[LEVEL_ANYWHERE], anywhere);
}

/* ---- by hand ---- */

/* Free 2 3 8 4 in one rack. Up to 8 GPUs fit on one server, the fullest with room, at any level; 9
 * need two: the two with most free, 8 + 4 = 12; 13 do not fit on two; 17 need three, with 15. */
static void one_rack(void **state)
{
    (void)state;
    struct trial c = {.cluster = "4x8", .taken = {6, 5, 0, 4}};
    static const char *const on_one[] = {"0:1", "0:2", "1:3", "3:4", "2:5"};
    for (uint32_t i = 0; i < 5; i++) {
        c.gang.gpus = i + 1;
        expect(&c, on_one[i], on_one[i], on_one[i]);
    }
    c.gang.gpus = 9;
    expect(&c, "2:8+3:1", "2:8+3:1", "2:8+3:1");
    c.gang.gpus = 13;
    expect(&c, "-", "1:1+2:8+3:4", "1:1+2:8+3:4");
    c.gang.gpus = 17;
    expect(&c, "-", "0:2+1:3+2:8+3:4", "0:2+1:3+2:8+3:4");
    c.gang.gpus = 18;
    expect(&c, "-", "-", "-");
}

/* r0: n0 n1, r1: n2 n3 n4, r2: n5; 4 GPUs each. */
static const char *three_racks(void)
{
    static const char json[] = "{\"racks\": [{\"nodes\": [{\"count\": 2, \"gpus\": 4}]},"
                               "             {\"nodes\": [{\"count\": 3, \"gpus\": 4}]},"
                               "             {\"nodes\": [{\"gpus\": 4}]}]}";
    return scratch_write("racks.json", json, strlen(json));
}

/* Best fit is over all racks: 1 GPU beside three on n5, not in the rack with most free GPUs. */
static void small_jobs_pack(void **state)
{
    (void)state;
    struct trial c = {.cluster = three_racks(), .taken = {0, 0, 0, 0, 0, 3}, .gang.gpus = 1};
    expect(&c, "5:1", "5:1", "5:1");
}

/* 6 GPUs need two servers. Free 4 4 | 4 4 4 | 4: r1 has most GPUs. Free 4 4 | 4 2 2 | 4: r0 and r1
 * have 8: the lower. Free 4 1 | 3 3 3 | 4: r1 has 9, its two first 6. Free 4 1 | 2 3 2 | 4: two
 * servers of r1 have 5, and r0 has 5 in all: on three servers of r1. 8 need two servers: free
 * 4 3 | 4 2 2 | 4 has 7 on two of r0 and 6 on two of r1. */
static void the_rack_with_most_free(void **state)
{
    (void)state;
    struct trial c = {.cluster = three_racks(), .gang.gpus = 6};
    expect(&c, "2:4+3:2", "2:4+3:2", "2:4+3:2");
    c.taken[3] = c.taken[4] = 2;
    expect(&c, "0:4+1:2", "0:4+1:2", "0:4+1:2");
    c = (struct trial){.cluster = c.cluster, .taken = {0, 3, 1, 1, 1}, .gang.gpus = 6};
    expect(&c, "2:3+3:3", "2:3+3:3", "2:3+3:3");
    c.taken[2] = c.taken[4] = 2;
    expect(&c, "-", "2:2+3:3+4:1", "2:2+3:3+4:1");
    c = (struct trial){.cluster = c.cluster, .taken = {0, 1, 0, 2, 2}, .gang.gpus = 8};
    expect(&c, "-", "2:4+3:2+4:2", "2:4+3:2+4:2");
}

/* 4 GPUs fit on one server; free 2 2 | 1 2 0 | 2. Level 1: r0 has 4, r1 has 3, r2 has 2. With one
 * more taken of n1 no rack has 4: 3 of r0, of r1 (3 too, but higher) one. */
static void over_racks(void **state)
{
    (void)state;
    struct trial c = {.cluster = three_racks(), .taken = {2, 2, 3, 2, 4, 2}, .gang.gpus = 4};
    expect(&c, "-", "0:2+1:2", "0:2+1:2");
    c.taken[1] = 3;
    expect(&c, "-", "-", "0:2+1:1+3:1");
    c.gang.gpus = 7;
    expect(&c, "-", "-", "0:2+1:1+2:1+3:2+5:1");
    c.gang.gpus = 9;
    expect(&c, "-", "-", "-");
}

/* r0: 2 8 2 2 2 GPUs, r1: 4 4. g = 8, so 12 need two servers: r0 has 16 free, but 10 on its two
 * largest, and r1 has 8; on any number of servers it is r0. With n1 busy 3 do not fit on a pair. */
static void servers_of_several_sizes(void **state)
{
    (void)state;
    static const char json[] = "{\"racks\": [{\"nodes\": [{\"gpus\": 2}, {\"gpus\": 8},"
                               "                          {\"count\": 3, \"gpus\": 2}]},"
                               "             {\"nodes\": [{\"count\": 2, \"gpus\": 4}]}]}";
    struct trial c = {.cluster = scratch_write("sizes.json", json, strlen(json)), .gang.gpus = 12};
    expect(&c, "-", "0:2+1:8+2:2", "0:2+1:8+2:2");
    c.gang.gpus = 10;
    expect(&c, "0:2+1:8", "0:2+1:8", "0:2+1:8");
    c.taken[1] = 8;
    c.gang.gpus = 3;
    expect(&c, "5:3", "5:3", "5:3");
    c.taken[5] = c.taken[6] = 4;
    expect(&c, "-", "0:2+2:1", "0:2+2:1");
}

/* n0 and n1: 8 GPUs, 8 CPUs; n2: 4 GPUs, CPUs not stated. Of 3 CPUs for each GPU n0 has enough for
 * 2, so g is 4: that of n2. 4 go there. 5 need two servers: 4 + 2. 7 need two, which have 6. With a
 * CPU taken n0 has 7, enough for 2 still; with three taken 5, for one: 4 + 2 + 1. */
static void cpus_are_limits(void **state)
{
    (void)state;
    static const char json[] = "{\"nodes\": [{\"count\": 2, \"gpus\": 8, \"cpus\": 8},"
                               "             {\"gpus\": 4}]}";
    struct trial c = {.cluster = scratch_write("cpus.json", json, strlen(json)),
                      .gang = {.gpus = 4, .cpus = 12}};
    expect(&c, "2:4", "2:4", "2:4");
    c.gang = (struct hs_test_job){.gpus = 5, .cpus = 15};
    expect(&c, "0:1+2:4", "0:1+2:4", "0:1+2:4");
    c.gang = (struct hs_test_job){.gpus = 7, .cpus = 21};
    expect(&c, "-", "0:2+1:1+2:4", "0:2+1:1+2:4");
    c.taken[0] = 1;
    c.filler.cpus = 1;
    expect(&c, "-", "0:2+1:1+2:4", "0:2+1:1+2:4");
    c.filler.cpus = 3;
    expect(&c, "-", "0:1+1:2+2:4", "0:1+1:2+2:4");
}

/* Host memory likewise: 2 of 3 GPUs on each node; g is 2, and 3 need two servers. */
static void host_memory_is_a_limit(void **state)
{
    (void)state;
    static const char json[] = "{\"nodes\": [{\"count\": 2, \"gpus\": 3, \"mem_mib\": 1000}]}";
    const struct trial c = {.cluster = scratch_write("memory.json", json, strlen(json)),
                            .gang = {.gpus = 3, .mem_mib = 1200}};
    expect(&c, "0:2+1:1", "0:2+1:1", "0:2+1:1");
}

/* r0: V100 8 and P100 4 4, r1: P100 4. A gang of 6 on P100: g is 4, two servers. r0 comes first
 * with 16 free GPUs, and has 8 of that type. */
static void types_are_kept(void **state)
{
    (void)state;
    static const char json[] =
        "{\"racks\": [{\"nodes\": [{\"gpus\": 8, \"type\": \"V100\"},"
        "                          {\"count\": 2, \"gpus\": 4, \"type\": \"P100\"}]},"
        "             {\"nodes\": [{\"gpus\": 4, \"type\": \"P100\"}]}]}";
    struct trial c = {.cluster = scratch_write("types.json", json, strlen(json)),
                      .gang = {.gpus = 6, .gpu_type = "P100"}};
    expect(&c, "1:4+2:2", "1:4+2:2", "1:4+2:2");
    c.gang.gpus = 10;
    expect(&c, "-", "-", "1:4+2:4+3:2");
    c.gang = (struct hs_test_job){.gpus = 2, .gpu_type = "V100"};
    expect(&c, "0:2", "0:2", "0:2");
}

/* r0: n0 of a, n1 of b; r1: n2 n3 of b; 4 GPUs each. b's 6: r0 has 8 free GPUs, 4 of them b's; r1
 * has 8. a's 4 fit on n0 only; with one of it taken they do not. */
static void partitions_are_kept(void **state)
{
    (void)state;
    static const char json[] = "{\"racks\": [{\"nodes\": [{\"gpus\": 4, \"vc\": \"a\"},"
                               "                          {\"gpus\": 4, \"vc\": \"b\"}]},"
                               "             {\"nodes\": [{\"count\": 2, \"gpus\": 4,"
                               "                           \"vc\": \"b\"}]}]}";
    struct trial c = {.cluster = scratch_write("owners.json", json, strlen(json)),
                      .vc = HS_VC_PARTITION,
                      .filler.vc = "a",
                      .gang = {.gpus = 6, .vc = "b"}};
    expect(&c, "2:4+3:2", "2:4+3:2", "2:4+3:2");
    c.gang = (struct hs_test_job){.gpus = 4, .vc = "a"};
    expect(&c, "0:4", "0:4", "0:4");
    c.taken[0] = 1;
    expect(&c, "-", "-", "-");
}

/* ---- drawn: racks of up to 3 kinds of nodes ---- */

static struct world {
    char json[2048];
    uint32_t nodes, racks;
    uint32_t rack[NODES_MAX], gpus[NODES_MAX], cpus[NODES_MAX], type[NODES_MAX], vc[NODES_MAX];
    uint32_t free[NODES_MAX], room[NODES_MAX]; /* room: for the gang */
} w;

static const char *const types[] = {"V100", "P100"};
static const char *const vcs[] = {"a", "b"};
static uint64_t draws, seed;

static uint32_t draw(uint32_t below)
{
    return (uint32_t)(hs_mix64(seed, draws++) % below);
}

static bool is_own(uint32_t n)
{
    return t.vc != HS_VC_PARTITION || strcmp(vcs[w.vc[n]], t.gang.vc) == 0;
}

static bool is_its_type(uint32_t n)
{
    return t.gang.gpu_type == NULL || strcmp(types[w.type[n]], t.gang.gpu_type) == 0;
}

static void draw_world(void)
{
    memset(&w, 0, sizeof w);
    uint32_t racks = 1 + draw(4), kinds = 1 + draw(3);
    (void)strcpy(w.json, "{\"racks\": [");
    for (; w.racks < racks && w.nodes < NODES_MAX - 4; w.racks++) {
        (void)sprintf(w.json + strlen(w.json), "%s{\"nodes\": [", w.racks > 0 ? "," : "");
        for (uint32_t i = 0, count = 1 + draw(4); i < count; i++) {
            uint32_t n = w.nodes++, kind = draw(kinds);
            w.rack[n] = w.racks;
            w.gpus[n] = kind == 0 ? 8 : kind == 1 ? 4 : 2;
            w.cpus[n] = draw(2) * 2 * w.gpus[n];
            w.type[n] = draw(2);
            w.vc[n] = n < 2 ? n : draw(2); /* both own at least one node */
            (void)sprintf(w.json + strlen(w.json),
                          "%s{\"gpus\": %u, \"type\": \"%s\", \"vc\": \"%s\"", i > 0 ? "," : "",
                          w.gpus[n], types[w.type[n]], vcs[w.vc[n]]);
            if (w.cpus[n] > 0)
                (void)sprintf(w.json + strlen(w.json), ", \"cpus\": %u", w.cpus[n]);
            (void)strcat(w.json, "}");
        }
        (void)strcat(w.json, "]}");
    }
    (void)strcat(w.json, "]}");
}

/* CPUs of the filler: 2 for each GPU, the ratio of a node that states CPUs. */
static void draw_trial(void)
{
    static const uint32_t cpus_per_gpu[] = {0, 0, 1, 3, 4};
    draw_world();
    t = (struct trial){.cluster = scratch_write("world.json", w.json, strlen(w.json)),
                       .vc = draw(3) == 0 ? HS_VC_PARTITION : HS_VC_IGNORE};
    uint32_t taken = 0, fullness = draw(4), per_gpu = cpus_per_gpu[draw(5)];
    int type = (int)draw(4);
    t.gang = (struct hs_test_job){.gpus = 1 + draw(draw(2) == 0 ? 8 : 24),
                                  .vc = vcs[draw(w.nodes > 1 ? 2 : 1)]};
    t.gang.cpus = per_gpu * t.gang.gpus;
    t.gang.gpu_type = type < 2 ? types[type] : NULL;
    t.filler.vc = t.gang.vc;
    for (uint32_t n = 0; n < w.nodes; n++) {
        bool is_busy = fullness > 0 && draw(4) < fullness;
        t.taken[n] = is_busy && is_own(n) ? draw(w.gpus[n] + 1) : 0;
        taken += t.taken[n];
        w.free[n] = w.room[n] = w.gpus[n] - t.taken[n];
        while (w.cpus[n] > 0 && w.room[n] * per_gpu > w.cpus[n] - 2 * t.taken[n])
            w.room[n]--;
        w.room[n] = is_own(n) && is_its_type(n) ? w.room[n] : 0;
    }
    t.filler.cpus = 2 * taken;
}

/* g: room for the gang on an idle node. */
static uint32_t largest_size(void)
{
    uint32_t g = 0, per_gpu = t.gang.cpus / t.gang.gpus;
    for (uint32_t n = 0; n < w.nodes; n++) {
        uint32_t size = is_own(n) && is_its_type(n) ? w.gpus[n] : 0;
        while (w.cpus[n] > 0 && size * per_gpu > w.cpus[n])
            size--;
        g = size > g ? size : g;
    }
    return g;
}

/* Racks that were not tried yet, by free GPUs; HS_NO_RACK if none is left. */
static uint32_t next_rack(bool *is_tried)
{
    uint32_t best = HS_NO_RACK, most = 0;
    for (uint32_t r = 0; r < w.racks; r++) {
        uint32_t free = 0;
        for (uint32_t n = 0; n < w.nodes; n++)
            free += w.rack[n] == r ? w.free[n] : 0;
        if (!is_tried[r] && (best == HS_NO_RACK || free > most)) {
            best = r;
            most = free;
        }
    }
    if (best != HS_NO_RACK)
        is_tried[best] = true;
    return best;
}

/* Adds the largest rooms of a rack, one after the other, to `given`; returns what is still
 * missing. */
static uint32_t fill(uint32_t rack, uint32_t servers, uint32_t rest, uint32_t *given)
{
    for (; servers > 0 && rest > 0; servers--) {
        uint32_t best = HS_NO_NODE;
        for (uint32_t n = 0; n < w.nodes; n++)
            if (w.rack[n] == rack && given[n] == 0 && w.room[n] > 0 &&
                (best == HS_NO_NODE || w.room[n] > w.room[best]))
                best = n;
        if (best == HS_NO_NODE)
            break;
        given[best] = w.room[best] < rest ? w.room[best] : rest;
        rest -= given[best];
    }
    return rest;
}

static void clear(uint32_t *given)
{
    memset(given, 0, NODES_MAX * sizeof *given);
}

static bool fits_one(uint32_t *given)
{
    uint32_t best = HS_NO_NODE;
    for (uint32_t n = 0; n < w.nodes; n++)
        if (w.room[n] >= t.gang.gpus && (best == HS_NO_NODE || w.free[n] < w.free[best]))
            best = n;
    if (best != HS_NO_NODE)
        given[best] = t.gang.gpus;
    return best != HS_NO_NODE;
}

static bool fits_rack(uint32_t servers, uint32_t *given)
{
    bool is_tried[NODES_MAX] = {false};
    for (uint32_t r; (r = next_rack(is_tried)) != HS_NO_RACK; clear(given))
        if (fill(r, servers, t.gang.gpus, given) == 0)
            return true;
    return false;
}

static bool fits_anywhere(uint32_t *given)
{
    uint32_t rest = t.gang.gpus;
    bool is_tried[NODES_MAX] = {false};
    for (uint32_t r; rest > 0 && (r = next_rack(is_tried)) != HS_NO_RACK;)
        rest = fill(r, NODES_MAX, rest, given);
    if (rest > 0)
        clear(given);
    return rest == 0;
}

/* The rack with the least room that suffices, otherwise the one with the most. */
static uint32_t rack_for(uint32_t rest)
{
    uint32_t least = HS_NO_RACK, most = HS_NO_RACK, least_room = 0, most_room = 0;
    for (uint32_t r = 0; r < w.racks; r++) {
        uint32_t room = 0;
        for (uint32_t n = 0; n < w.nodes; n++)
            room += w.rack[n] == r ? w.room[n] : 0;
        if (room >= rest && (least == HS_NO_RACK || room < least_room)) {
            least = r;
            least_room = room;
        }
        if (room > most_room) {
            most = r;
            most_room = room;
        }
    }
    return least != HS_NO_RACK ? least : most;
}

/* One node after the other: of the rack's nodes the one with fewest free GPUs that has room for the
 * rest, otherwise the one with most that has room for one. Subtracts from w.room and w.free. */
static uint32_t node_for(uint32_t rack, uint32_t rest)
{
    uint32_t best = HS_NO_NODE, other = HS_NO_NODE;
    for (uint32_t n = 0; n < w.nodes; n++) {
        if (w.rack[n] != rack || w.room[n] == 0)
            continue;
        if (w.room[n] >= rest && (best == HS_NO_NODE || w.free[n] < w.free[best]))
            best = n;
        if (other == HS_NO_NODE || w.free[n] > w.free[other])
            other = n;
    }
    return best != HS_NO_NODE ? best : other;
}

static bool fits_racks(uint32_t *given)
{
    uint32_t rest = t.gang.gpus, rack;
    clear(given);
    if (fits_one(given))
        return true;
    while (rest > 0 && (rack = rack_for(rest)) != HS_NO_RACK)
        for (uint32_t n; rest > 0 && (n = node_for(rack, rest)) != HS_NO_NODE;) {
            given[n] = w.room[n] < rest ? w.room[n] : rest;
            rest -= given[n];
            w.free[n] -= given[n];
            w.room[n] = 0;
        }
    if (rest > 0)
        clear(given);
    return rest == 0;
}

static bool fits(uint32_t level, uint32_t *given)
{
    uint32_t g = largest_size(), gpus = t.gang.gpus;
    clear(given);
    return g > 0 && ((gpus <= g ? fits_one(given) : fits_rack((gpus + g - 1) / g, given)) ||
                     (level >= LEVEL_RACK && fits_rack(NODES_MAX, given)) ||
                     (level >= LEVEL_ANYWHERE && fits_anywhere(given)));
}

static void any_cluster(void **state)
{
    (void)state;
    uint32_t placed[LEVELS] = {0}, tried = 0, by_rack = 0;
    for (seed = 1; seed <= 13500; seed++) {
        draws = 0;
        draw_trial();
        run_trial();
        (void)remove(t.cluster);
        if (t.placement[0][0] == '\0') /* more than its nodes have: rejected before */
            continue;
        tried++;
        for (uint32_t level = 0; level < LEVELS; level++) {
            uint32_t given[NODES_MAX];
            bool is_placed = fits(level, given);
            placed[level] += is_placed;
            if (memcmp(given, t.given[level], sizeof given) != 0)
                fail_msg("seed %u, level %u: %s", (unsigned)seed, level, t.placement[level]);
        }
        uint32_t given[NODES_MAX];
        by_rack += fits_racks(given);
        if (memcmp(given, t.given[BY_RACK], sizeof given) != 0)
            fail_msg("seed %u, by rack: %s", (unsigned)seed, t.placement[BY_RACK]);
    }
    /* at each level some gangs start that do not at the level below, and some never start */
    assert_true(placed[0] > 50 && placed[1] > placed[0] + 10 && placed[2] > placed[1] + 10);
    assert_true(tried > placed[2] + 10);
    assert_true(tried > 10000 && by_rack == placed[2]); /* both use any free GPUs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rack),
        cmocka_unit_test(small_jobs_pack),
        cmocka_unit_test(the_rack_with_most_free),
        cmocka_unit_test(over_racks),
        cmocka_unit_test(servers_of_several_sizes),
        cmocka_unit_test(cpus_are_limits),
        cmocka_unit_test(host_memory_is_a_limit),
        cmocka_unit_test(types_are_kept),
        cmocka_unit_test(partitions_are_kept),
        cmocka_unit_test(any_cluster),
    };
    return cmocka_run_group_tests_name("policies/locality", tests, scratch_open, scratch_close);
}
