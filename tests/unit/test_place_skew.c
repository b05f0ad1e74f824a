/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placement by skew through the real engine: fifo, with skew among its placers. Jobs name models of
 * a made-up catalogue; all placements and times are derived by hand from the rule in place.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "policies/lib/place.h"
#include "support/scenario.h"
#include "support/sink.h"

static const char rows[] = "model,skew\n"
                           "packed,74.3\n"
                           "over,40.1\n"
                           "edge,40\n"
                           "flat,6\n"
                           "unknown,\n";

#define PARAMS_MAX 8

static struct hs_catalogue catalogue;
static struct hs_param params[PARAMS_MAX];
static struct hs_policy_ops fifo;

/* fifo, but with skew among the choices and with knowledge of models. */
static int set_up(void **state)
{
    const struct hs_policy_ops *plain = hs_policy_find("fifo");
    struct sink sink;
    size_t count = 0;
    sink_init(&sink);
    if (scratch_open(state) != 0 || plain == NULL)
        return -1;
    for (const struct hs_param *p = plain->params; p->key != NULL && count < PARAMS_MAX - 1; p++) {
        params[count] = *p;
        if (strcmp(p->key, "placement") == 0)
            params[count].choices = hs_placer_names;
        count++;
    }
    fifo = *plain;
    fifo.params = params;
    fifo.knows |= HS_KNOWS_MODEL;
    fifo.needs = NULL;
    const char *path = scratch_write("profiles.csv", rows, strlen(rows));
    return hs_catalogue_load(&catalogue, path, &sink.diag) == HS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

static void expect(const char *cluster, const char *scan, const char *jobs, const char *timeline)
{
    const struct hs_test_options options = {.policy = &fifo, .catalogue = &catalogue};
    char policy[64];
    (void)snprintf(policy, sizeof policy, "fifo:placement=skew,scan=%s", scan);
    scenario_expect_with(cluster, policy, jobs, &options, timeline);
}

/* 4x8. 6 and 3 are packed: nodes 0 and 1, then (2,5,8,8) are free. A packed 9 takes the idle node 2
 * and one GPU of the node with most free, node 3. A flat 9 takes the 2 of node 0, the 5 of node 1,
 * and 2 of the idle node 2. */
static void partly_used_nodes_first(void **state)
{
    (void)state;
    expect("4x8", "strict", "a:6,0,9#packed b:3,0,9#packed c:9,0,9#packed",
           "a:0-9@0+1+2+3+4+5 b:0-9@8+9+10 c:0-9@16+17+18+19+20+21+22+23+24");
    expect("4x8", "strict", "a:6,0,9#packed b:3,0,9#packed c:9,0,9#flat",
           "a:0-9@0+1+2+3+4+5 b:0-9@8+9+10 c:0-9@6+7+11+12+13+14+15+16+17");
}

/* Equally full nodes: the lowest first. 3x4, a and b leave one free on nodes 0 and 1; c takes these
 * two, and d must use the idle node 2. */
static void ties_go_to_the_lowest_node(void **state)
{
    (void)state;
    expect("3x4", "strict", "a:3,0,9#packed b:3,0,9#packed c:2,0,9#flat d:1,0,9#flat",
           "a:0-9@0+1+2 b:0-9@4+5+6 c:0-9@3+7 d:0-9@8");
}

/* Nodes of 2, 2 and 8: GPUs 0 1 | 2 3 | 4..11. The 6 leave 2 free on the large node. It is the one
 * in use, so a flat 3 takes these before it uses an idle node, which has no more free. */
static void idle_nodes_last_whatever_their_size(void **state)
{
    (void)state;
    expect("2x2,1x8", "strict", "a:6,0,9#packed b:3,0,9#flat", "a:0-9@4+5+6+7+8+9 b:0-9@0+10+11");
}

/* 2x4, 3 + 3 held until 100: one GPU is free on each node. Above 400 per mille a gang of 2 waits
 * for a node; at 400 it does not, and neither does one of unknown skew. */
static void the_limit(void **state)
{
    (void)state;
#define HELD "a:3,0,100#packed b:3,0,100#packed "
    expect("2x4", "strict", HELD "c:2,10,5#over", "a:0-100 b:0-100 c:100-105");
    expect("2x4", "strict", HELD "c:2,10,5#edge", "a:0-100 b:0-100 c:10-15");
    expect("2x4", "strict", HELD "c:2,10,5#flat", "a:0-100 b:0-100 c:10-15");
    expect("2x4", "strict", HELD "c:2,10,5#unknown", "a:0-100 b:0-100 c:10-15");
    expect("2x4", "strict", HELD "c:2,10,5#nobody", "a:0-100 b:0-100 c:10-15");
    expect("2x4", "strict", HELD "c:2,10,5", "a:0-100 b:0-100 c:10-15");
}

/* The same cluster. A failed packed gang of 2 does not bar a flat one: d starts behind c. Under
 * easy c is the head, reserved for 100 with 3 GPUs to spare; d (packed) would end by then and
 * fails, e (flat) starts. */
static void a_failure_bars_no_job(void **state)
{
    (void)state;
    expect("2x4", "fit", HELD "c:2,10,5#packed d:2,10,5#flat", "a:0-100 b:0-100 c:100-105 d:10-15");
    expect("2x4", "easy", HELD "c:2,10,5#packed d:2,10,50#packed e:2,10,50#flat",
           "a:0-100 b:0-100 c:100-105 d:100-150 e:10-60");
#undef HELD
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partly_used_nodes_first),
        cmocka_unit_test(ties_go_to_the_lowest_node),
        cmocka_unit_test(idle_nodes_last_whatever_their_size),
        cmocka_unit_test(the_limit),
        cmocka_unit_test(a_failure_bars_no_job),
    };
    return cmocka_run_group_tests_name("policies/place, skew", tests, set_up, tear_down);
}
