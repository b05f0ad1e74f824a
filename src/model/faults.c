/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Failures of machines by draw, and the feed of events. Units that fail are the nodes, then the
 * racks; the heap has the next change of each. Draw k of a unit is a hash of seed, unit and k.
 */
#include <math.h>

#include "base/heap.h"
#include "base/rng.h"
#include "data/param_table.h"
#include "model/machine.h"

/* Times beyond this are never: the sum with any time of a run must not overflow. */
#define LATEST_US (INT64_MAX / 4)

struct fault_unit {
    uint64_t draws;
    bool is_down;
};

struct hs_machine_feed {
    const struct hs_machines *machines;
    const struct hs_cluster *cluster;
    uint32_t next; /* index of the event of the file */
    struct hs_heap changes;
    struct fault_unit *units;
    uint8_t *down;                /* by node: number of units that have it down */
    uint32_t rack_next, rack_end; /* nodes of a rack that still change with it */
    struct hs_machine_event drawn;
};

/* ---- the law ---- */

#define LAW       struct hs_fault_law
#define LONGEST_S 3.2e9 /* 100 years */
static const struct hs_param params[] = {
    HS_PARAM_DURATION(LAW, mtbf_us, "mtbf", "0s", 0, LONGEST_S,
                      "mean time between failures of a node; 0: none"),
    HS_PARAM_DURATION(LAW, rack_mtbf_us, "rack_mtbf", "0s", 0, LONGEST_S,
                      "the same of a rack as a whole"),
    HS_PARAM_DURATION(LAW, repair_us, "repair", "0s", 0, LONGEST_S, "mean time to repair"),
    HS_PARAM_REAL(LAW, shape, "shape", "1", 0.1, 10,
                  "of the Weibull distribution of times between failures; 1: exponential"),
    {0}};

enum hs_status hs_machines_parse_law(struct hs_machines *machines, const char *text,
                                     struct hs_arena *arena, struct hs_diag *diag)
{
    struct hs_fault_law *law = &machines->law;
    HS_TRY(hs_param_defaults(params, law, arena));
    HS_TRY(hs_param_set_list(params, law, arena, "faults", text, diag));
    if (law->repair_us > 0 && (law->mtbf_us > 0 || law->rack_mtbf_us > 0))
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, "--faults=mtbf=30d,repair=4h",
                   "faults need mtbf or rack_mtbf, and repair");
}

/* ---- draws ---- */

static int64_t draw_us(const struct hs_machine_feed *f, uint32_t unit)
{
    const struct hs_fault_law *law = &f->machines->law;
    struct fault_unit *u = &f->units[unit];
    const uint64_t seed = hs_mix64(hs_seed_of(law->seed, "faults"), unit);
    const double e = -log(hs_uniform_of(hs_mix64(seed, u->draws++)));
    const bool is_node = unit < f->cluster->node_count;
    const double mtbf_us = (double)(is_node ? law->mtbf_us : law->rack_mtbf_us);
    double us = e * (double)law->repair_us;
    if (!u->is_down) /* the mean of the Weibull distribution is scale x gamma(1 + 1 / shape) */
        us = mtbf_us / tgamma(1 + 1 / law->shape) * pow(e, 1 / law->shape);
    us = us > 1 ? us : 1;
    return us < (double)LATEST_US ? llrint(us) : LATEST_US;
}

static void schedule(struct hs_machine_feed *f, uint32_t unit, int64_t now_us)
{
    const int64_t wait_us = draw_us(f, unit);
    if (wait_us < LATEST_US - now_us)
        hs_heap_set(&f->changes, unit, now_us + wait_us, unit);
}

/* Changes a node with one of its units; true if it went down or came up by that. */
static bool change_node(struct hs_machine_feed *f, uint32_t node, bool is_down)
{
    const uint8_t before = f->down[node];
    f->down[node] = (uint8_t)(before + (is_down ? 1 : -1));
    f->drawn.node = node;
    f->drawn.change = is_down ? HS_MACHINE_DOWN : HS_MACHINE_UP;
    return (before == 0) != (f->down[node] == 0);
}

/* Draws until some node changes. */
static void draw_next(struct hs_machine_feed *f)
{
    const uint32_t nodes = f->cluster->node_count;
    for (;;) {
        const bool is_down = f->drawn.change == HS_MACHINE_DOWN;
        while (f->rack_next < f->rack_end)
            if (change_node(f, f->rack_next++, is_down))
                return;
        f->drawn.at_us = hs_heap_next_us(&f->changes);
        if (f->drawn.at_us == INT64_MAX)
            return;
        const uint32_t unit = hs_heap_next_id(&f->changes);
        hs_heap_remove(&f->changes, unit);
        f->units[unit].is_down = !f->units[unit].is_down;
        schedule(f, unit, f->drawn.at_us);
        if (unit < nodes && change_node(f, unit, f->units[unit].is_down))
            return;
        if (unit < nodes)
            continue;
        f->rack_next = f->cluster->rack_first[unit - nodes];
        f->rack_end = f->cluster->rack_first[unit - nodes + 1];
        f->drawn.change = f->units[unit].is_down ? HS_MACHINE_DOWN : HS_MACHINE_UP;
    }
}

/* ---- the feed ---- */

void hs_machine_feed_open(struct hs_machine_feed **feed, const struct hs_machines *machines,
                          const struct hs_cluster *cluster, struct hs_arena *arena)
{
    const struct hs_fault_law *law = &machines->law;
    struct hs_machine_feed *f = hs_arena_alloc(arena, sizeof *f);
    *feed = f;
    f->machines = machines;
    f->cluster = cluster;
    if (machines->events != NULL || law->mtbf_us + law->rack_mtbf_us == 0)
        return;
    const uint32_t units = cluster->node_count + cluster->rack_count;
    f->units = hs_arena_alloc(arena, (uint64_t)units * sizeof *f->units);
    f->down = hs_arena_alloc(arena, (uint64_t)cluster->node_count + 1);
    for (uint32_t unit = 0; unit < units; unit++)
        if ((unit < cluster->node_count ? law->mtbf_us : law->rack_mtbf_us) > 0)
            schedule(f, unit, 0);
    draw_next(f);
}

const struct hs_machine_event *hs_machine_feed_next(const struct hs_machine_feed *f)
{
    const struct hs_machines *machines = f->machines;
    if (f->units != NULL)
        return f->drawn.at_us < INT64_MAX ? &f->drawn : NULL;
    return f->next < machines->count ? &machines->events[f->next] : NULL;
}

void hs_machine_feed_advance(struct hs_machine_feed *f)
{
    f->next++;
    if (f->units != NULL)
        draw_next(f);
}

void hs_machine_feed_close(struct hs_machine_feed *f)
{
    if (f != NULL)
        hs_heap_free(&f->changes);
}
