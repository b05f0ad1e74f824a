/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The placers. Each picks nodes until the gang is whole, the first after `start`; the view already
 * counts what was picked, so a placer is a loop of searches. hs_place rolls back what did not come
 * to an end; where counts tell that a gang finds no place, nothing is picked for it. Cost: one
 * search a node used, and one for a gang of at most a node's size that fits nowhere.
 */
#include "policies/lib/place.h"

#include <string.h>

#include "policies/lib/allocation_map.h"

#define PLAIN_NAMES(types)                                                                         \
    [HS_PLACE_COUNT] = ("count" types), [HS_PLACE_YARN] = ("yarn" types),                          \
    [HS_PLACE_CONSOLIDATE] = ("consolidate" types), [HS_PLACE_BEST_FIT] = ("best_fit" types),      \
    [HS_PLACE_FIRST_FIT] = ("first_fit" types), [HS_PLACE_SPREAD] = ("spread" types),              \
    [HS_PLACE_RANDOM] = ("random" types), [HS_PLACE_RACK] = ("rack" types)

const char *const hs_placer_names[] = {PLAIN_NAMES(""), [HS_PLACE_SKEW] = "skew", NULL};
const char *const hs_placer_plain_names[] = {PLAIN_NAMES(""), NULL};
const char *const hs_place_types_names[] = {"any", "fastest", "spare", "match", NULL};

const char *hs_place_text(struct hs_place_rule rule)
{
#define NAMES(types)                                                                               \
    {                                                                                              \
        PLAIN_NAMES(types), [HS_PLACE_SKEW] = ("skew" types)                                       \
    }
    static const char *const texts[][HS_PLACE_SKEW + 1] = {
        [HS_TYPES_ANY] = NAMES(""),
        [HS_TYPES_FASTEST] = NAMES(HS_ON_FASTEST),
        [HS_TYPES_SPARE] = NAMES(HS_ON_SPARE),
        [HS_TYPES_MATCH] = NAMES(HS_ON_TYPE_RAN)};
    return texts[rule.types][rule.placer];
}

void hs_place_needs(struct hs_place_rule rule, uint32_t *knows)
{
    if (rule.types != HS_TYPES_FASTEST && rule.types != HS_TYPES_SPARE)
        *knows &= ~(uint32_t)HS_KNOWS_SPEED;
}

/* With types=fastest every gang tries every type, so the rule stays monotone; under match two jobs
 * may be confined to different types. */
bool hs_place_is_monotone(struct hs_place_rule rule)
{
    return rule.placer != HS_PLACE_SKEW && rule.types != HS_TYPES_MATCH;
}

uint32_t hs_best_fit_of(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t type,
                        int32_t types)
{
    hs_view_search_type(v, type, types != HS_TYPES_ANY);
    return hs_view_best_fit(v, job, gpus);
}

/* The placement of one gang. */
struct gang_request {
    const struct hs_view *v;
    struct hs_plan *p;
    hs_job_id job;
    uint32_t rest; /* GPUs still to be found */
    uint32_t mark; /* savepoint of the plan before the start */
    bool is_started;
};

static void start(struct gang_request *g)
{
    if (!g->is_started)
        hs_plan_start(g->p, g->job);
    g->is_started = true;
}

static bool take(struct gang_request *g, uint32_t node, uint32_t gpus)
{
    if (node == HS_NO_NODE)
        return false;
    start(g);
    hs_plan_on_node(g->p, node, gpus);
    g->rest -= gpus;
    return true;
}

/* Takes as many GPUs of the node as the gang still needs and the node has, at least one. The CPU
 * and memory demand of the job may allow fewer than are free. */
static bool take_most(struct gang_request *g, uint32_t node)
{
    if (node == HS_NO_NODE)
        return false;
    uint32_t gpus = hs_view_node_free(g->v, node);
    if (gpus > g->rest)
        gpus = g->rest;
    const uint32_t workers = hs_view_node_workers(g->v, g->job, node);
    if (gpus > workers)
        gpus = workers;
    return take(g, node, gpus);
}

static bool place_in_order(struct gang_request *g)
{
    if (hs_view_free_for(g->v, g->job) < g->rest)
        return false;
    while (g->rest > 0) /* a node from which all was taken is not found again */
        if (!take_most(g, hs_view_first_fit(g->v, g->job, 1, 0)))
            return false;
    return true;
}

/* Takes `count` idle nodes of that size, from node `from` on. */
static bool take_idle(struct gang_request *g, uint32_t size, uint32_t count, uint32_t from)
{
    for (uint32_t i = 0; i < count; i++)
        if (!take(g, hs_view_idle_node(g->v, g->job, size, from), size))
            return false;
    return true;
}

/* For a gang larger than any node; size: that of the largest ones. Which idle nodes a gang needs
 * follows from its size alone: whole nodes of the largest size, of the next one only when the gang
 * is larger than all nodes of the largest. So a gang never runs where it would be more scattered
 * than it must be, a larger gang never needs less, and every gang that the pool could hold has a
 * shape. */
static bool place_on_idle(struct gang_request *g, uint32_t size)
{
    while (size > 0) {
        uint32_t whole = g->rest / size;
        uint32_t nodes = hs_view_node_count(g->v, g->job, size, false);
        uint32_t count = whole < nodes ? whole : nodes;
        if (hs_view_node_count(g->v, g->job, size, true) < count || !take_idle(g, size, count, 0))
            return false;
        if (whole < nodes)
            break;
        size = hs_view_node_size(g->v, g->job, size - 1);
    }
    return g->rest == 0 || take(g, hs_view_worst_fit(g->v, g->job, g->rest), g->rest);
}

static bool place_consolidated(struct gang_request *g)
{
    if (take(g, hs_view_best_fit(g->v, g->job, g->rest), g->rest))
        return true;
    const uint32_t size = hs_view_node_size(g->v, g->job, UINT32_MAX);
    return g->rest > size && place_on_idle(g, size);
}

static bool take_in_rack(struct gang_request *g, uint32_t rack, uint32_t size)
{
    uint32_t first = g->v->rack_first[rack];
    uint32_t next = g->v->rack_first[rack + 1];
    if (!take_idle(g, size, g->rest / size, first))
        return false;
    if (g->rest == 0)
        return true;
    uint32_t node = hs_view_first_fit(g->v, g->job, g->rest, first);
    return node < next && take(g, node, g->rest);
}

static bool place_yarn(struct gang_request *g)
{
    uint32_t gpus = g->rest;
    uint32_t size = hs_view_node_size(g->v, g->job, UINT32_MAX);
    if (gpus <= size)
        return take(g, hs_view_first_fit(g->v, g->job, gpus, 0), gpus);
    if (size == 0)
        return false;
    for (uint32_t rack = 0;; rack++) {
        rack = hs_view_idle_rack(g->v, g->job, size, gpus / size, rack);
        if (rack == HS_NO_RACK)
            return false;
        if (take_in_rack(g, rack, size))
            return true;
        hs_plan_rollback(g->p, g->mark);
        g->is_started = false;
        g->rest = gpus;
    }
}

/* The rack with fewest free GPUs that suffice, else that with most; ties: the lowest number. */
static uint32_t rack_for(const struct gang_request *g)
{
    uint32_t best = HS_NO_RACK;
    uint64_t best_room = 0;
    for (uint32_t rack = 0; rack < g->v->racks; rack++) {
        const uint64_t room = hs_view_rack_room(g->v, g->job, rack);
        if (best_room >= g->rest ? room >= g->rest && room < best_room : room > best_room) {
            best = rack;
            best_room = room;
        }
    }
    return best;
}

static bool take_racks(struct gang_request *g)
{
    while (g->rest > 0) {
        const uint32_t rack = rack_for(g);
        if (rack == HS_NO_RACK)
            return false;
        while (g->rest > 0 &&
               (take(g, hs_view_fit_in_rack(g->v, g->job, g->rest, rack, false), g->rest) ||
                take_most(g, hs_view_fit_in_rack(g->v, g->job, 1, rack, true))))
            ;
    }
    return true;
}

/* Takes free GPUs anywhere; idle nodes are used last. */
static bool place_scattered(struct gang_request *g)
{
    while (g->rest > 0)
        if (!take_most(g, hs_view_best_busy(g->v, g->job, 1)) &&
            !take_most(g, hs_view_best_fit(g->v, g->job, 1)))
            return false;
    return true;
}

HS_INLINE bool place(struct gang_request *g, enum hs_placer placer)
{
    switch (placer) {
    case HS_PLACE_YARN:
        return place_yarn(g);
    case HS_PLACE_CONSOLIDATE:
        return place_consolidated(g);
    case HS_PLACE_BEST_FIT:
        while (!take(g, hs_view_best_fit(g->v, g->job, g->rest), g->rest))
            if (!take_most(g, hs_view_worst_fit(g->v, g->job, 1)))
                return false;
        return true;
    case HS_PLACE_FIRST_FIT:
        return take(g, hs_view_first_fit(g->v, g->job, g->rest, 0), g->rest) || place_in_order(g);
    case HS_PLACE_SPREAD:
        while (g->rest > 0)
            if (!take(g, hs_view_worst_fit(g->v, g->job, 1), 1))
                return false;
        return true;
    case HS_PLACE_RACK:
        return take(g, hs_view_best_fit(g->v, g->job, g->rest), g->rest) ||
               (hs_view_free_for(g->v, g->job) >= g->rest && take_racks(g));
    case HS_PLACE_SKEW: /* a model of unknown skew counts as Inception v3, below the limit */
        return hs_view_skew_pm(g->v, g->job) > HS_PACK_LIMIT_PM ? place_consolidated(g)
                                                                : place_scattered(g);
    case HS_PLACE_COUNT:
    case HS_PLACE_RANDOM:
        break;
    }
    return place_in_order(g);
}

/* Places each worker where its share fits most tightly, else on an idle GPU as a gang of one. */
static bool place_shares(struct gang_request *g, enum hs_placer placer)
{
    start(g);
    for (uint32_t left = g->rest; left > 0; left--) {
        uint32_t gpu = hs_view_tightest_share(g->v, g->job);
        g->rest = gpu == HS_NO_GPU;
        if (gpu != HS_NO_GPU)
            hs_plan_on_gpu(g->p, gpu);
        else if (!place(g, placer))
            return false;
    }
    return true;
}

static HS_APART bool place_gang(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                                enum hs_placer placer, uint32_t idle_size)
{
    struct gang_request g = {
        .v = v, .p = p, .job = job, .rest = hs_view_gpus(v, job), .mark = hs_plan_mark(p)};
    const bool is_part = hs_view_gpu_milli(v, job) < HS_GPU_MILLI;
    if (g.rest == 0)
        start(&g);
    if (g.rest == 0 || (idle_size > 0 ? place_on_idle(&g, idle_size)
                        : is_part     ? place_shares(&g, placer)
                                      : place(&g, placer)))
        return true;
    if (g.is_started)
        hs_plan_rollback(p, g.mark);
    return false;
}

/* Inlined, so that the common case, a gang of whole GPUs on one node, pays for no more. */
HS_INLINE bool place_on_types(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                              enum hs_placer placer)
{
    const uint32_t gpus = hs_view_gpus(v, job);
    if (placer != HS_PLACE_CONSOLIDATE || gpus == 0 || hs_view_gpu_milli(v, job) < HS_GPU_MILLI)
        return place_gang(v, p, job, placer, 0);
    const uint32_t node = hs_view_best_fit(v, job, gpus);
    if (node != HS_NO_NODE) {
        hs_plan_start_on_node(p, job, node);
        return true;
    }
    const uint32_t size = hs_view_node_size(v, job, UINT32_MAX);
    return gpus > size && size > 0 && place_gang(v, p, job, placer, size);
}

/* In order of predicted speed, or of the gain by it. */
struct hs_type_turns hs_type_turns(const struct hs_view *v, hs_job_id job, int32_t types)
{
    struct hs_type_turns turns;
    turns.is_limited = types != HS_TYPES_ANY;
    turns.is_ranked = types == HS_TYPES_FASTEST || types == HS_TYPES_SPARE;
    turns.type = types == HS_TYPES_MATCH ? hs_view_type_ran(v, job) : HS_ANY_TYPE;
    turns.left = 1;
    for (uint32_t t = 0; turns.is_ranked && t < v->gpu_types; t++) {
        turns.speed_q32[t] =
            types == HS_TYPES_SPARE ? hs_view_gain_q32(v, job, t) : hs_view_speed_q32(v, job, t);
        turns.left |= UINT64_C(1) << t;
    }
    return turns;
}

bool hs_next_type(struct hs_type_turns *turns, const struct hs_view *v, bool is_placed)
{
    const bool is_over = is_placed || turns->left == 0;
    const uint64_t *speed_q32 = turns->speed_q32;
    uint32_t best = HS_ANY_TYPE;
    for (uint32_t t = 0; turns->is_ranked && t < v->gpu_types; t++)
        if ((turns->left >> t & 1) != 0 &&
            (best == HS_ANY_TYPE || speed_q32[t] > speed_q32[best] ||
             (speed_q32[t] == speed_q32[best] &&
              strcmp(hs_view_gpu_type(v, t)->name, hs_view_gpu_type(v, best)->name) < 0)))
            best = t;
    turns->type = best != HS_ANY_TYPE ? best : turns->type;
    turns->left &= best != HS_ANY_TYPE ? ~(UINT64_C(1) << best) : 0;
    if (turns->is_limited)
        hs_view_search_type(v, is_over ? HS_ANY_TYPE : turns->type, !is_over);
    return !is_over;
}

uint64_t hs_place_kind(const struct hs_view *v, int32_t types, uint32_t node)
{
    const struct hs_node *n = hs_view_node(v, node);
    const uint64_t cpus = n->cpus < UINT16_MAX ? n->cpus : UINT16_MAX,
                   mem_mib = n->mem_mib < 1u << 24 ? n->mem_mib : (1u << 24) - 1;
    return types != HS_TYPES_ANY ? (uint64_t)n->gpus << 40 | cpus << 24 | mem_mib : 0;
}

bool hs_place_node_is_before(const struct hs_view *v, int32_t types, uint32_t a, uint32_t b)
{
    const uint64_t x = hs_place_kind(v, types, a), y = hs_place_kind(v, types, b);
    return x != y ? x < y : a < b;
}

bool hs_place(const struct hs_view *v, struct hs_plan *p, hs_job_id job, struct hs_place_rule rule)
{
    const enum hs_placer placer = (enum hs_placer)rule.placer;
    bool is_placed = false;
    if (!hs_view_has_room(v, job))
        return false;
    if (rule.types == HS_TYPES_ANY)
        return place_on_types(v, p, job, placer);
    const bool is_part = hs_view_gpu_milli(v, job) < HS_GPU_MILLI;
    struct hs_type_turns turns = hs_type_turns(v, job, rule.types);
    while (hs_next_type(&turns, v, is_placed))
        is_placed = (is_part || turns.type == HS_ANY_TYPE ||
                     hs_view_free_for(v, job) >= hs_view_gpus(v, job)) &&
                    place_on_types(v, p, job, placer);
    return is_placed;
}

static int64_t no_cost(const void *ctx, const struct hs_load_range *range)
{
    (void)ctx;
    (void)range;
    return 0;
}

bool hs_place_beside(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                     struct hs_allocation_map *s, uint32_t *first_of_job, uint32_t first_of_other)
{
    const uint32_t mark = hs_plan_mark(p);
    if (hs_view_quota_room(v, hs_view_vc(v, job)) < hs_view_gpus(v, job))
        return false;
    hs_plan_start(p, job);
    for (uint32_t h = first_of_other; h != 0; h = s->allocations[h].next_of_job) {
        if (hs_view_gpu_cost(v, job, s->allocations[h].gpu, no_cost, NULL) == HS_NEVER) {
            hs_plan_rollback(p, mark);
            return false;
        }
        hs_plan_on_gpu(p, s->allocations[h].gpu);
    }
    hs_allocation_map_add_planned(s, p, job, first_of_job);
    return true;
}
