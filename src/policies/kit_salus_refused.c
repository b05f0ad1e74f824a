/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_salus_refused.h. Gangs over several nodes stand in sets of their own, by size; they are
 * tried again wherever room was made, but only those for which there may be enough of it.
 *
 * Jobs of a kind (kit_salus_kinds.h) stand with their like, and a scan that did not admit one of
 * them is done with all. Not where ties are drawn, for a search in vain may draw, nor with poll,
 * under which what is left to be tried decides when the next scan is.
 *
 * Bounds of a set (kit_order.h): of jobs that keep memory, what they keep; of the others, and under
 * lanes as cut, where that says little, all that they need.
 */
#include "policies/kit_salus_refused.h"

/* The set without bounds, of gangs on one node that are larger than the others; behind it are those
 * of gangs over several. */
#define ANY_GANG     5
#define FIRST_SPREAD (ANY_GANG + 1)
#define LAST_SPREAD  (HS_SALUS_GANGS - 1)

/* Smallest gang of each set with bounds: 1, 2, 3 and 4, 5 to 8, 9 to 16. */
static const uint32_t least_gang[ANY_GANG] = {1, 2, 3, 5, 9};

static uint32_t set_of_gang(uint32_t gpus)
{
    uint32_t set = 0;
    while (set + 1 < ANY_GANG && gpus >= least_gang[set + 1])
        set++;
    return gpus <= 16 ? set : ANY_GANG;
}

/* A set of gangs over several nodes is of one size, that of the first which came; the last set is
 * of all other sizes. */
static uint32_t set_of_spread(const uint32_t *sizes, uint32_t gpus)
{
    uint32_t set = FIRST_SPREAD;
    while (set < LAST_SPREAD && sizes[set] != gpus && sizes[set] != 0)
        set++;
    return set;
}

static uint64_t number_of(const struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    uint64_t first = (uint64_t)hs_view_vc(v, job) * HS_SALUS_GANGS;
    uint32_t gpus = hs_view_gpus(v, job);
    bool is_spread = gpus > hs_view_node_size(v, job, UINT32_MAX);
    return first + (is_spread ? set_of_spread(&s->refused_gpus[first], gpus) : set_of_gang(gpus));
}

static uint32_t bounded(uint64_t mib)
{
    return mib < UINT32_MAX ? (uint32_t)mib : UINT32_MAX - 1;
}

static uint32_t size_of(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    const struct hs_salus_job *j = hs_salus_job(v, job);
    *is_constrained = j->least.kept_mib == 0;
    return bounded(*is_constrained ? j->least.all_mib : j->least.kept_mib);
}

enum hs_status hs_salus_refused_init(struct hs_salus *s, const struct hs_view *v)
{
    uint64_t sets = (uint64_t)hs_view_vcs(v) * HS_SALUS_GANGS;
    s->refused = hs_view_alloc(v, sets * sizeof *s->refused);
    s->refused_gpus = hs_view_alloc(v, sets * sizeof *s->refused_gpus);
    s->heads = hs_view_alloc(v, (HS_SALUS_GANGS + HS_SALUS_KINDS) * sizeof *s->heads);
    if (s->refused == NULL || s->refused_gpus == NULL || s->heads == NULL)
        return HS_E_MEMORY;
    HS_TRY(hs_salus_kinds_init(&s->kinds, v));
    for (uint64_t i = 0; i < sets; i++)
        s->refused[i].size_of = size_of;
    return HS_OK;
}

void hs_salus_refused_add(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    j->least = hs_salus_least(&s->lanes, &j->need);
    if (s->lanes.model == HS_SALUS_CODE)
        j->least.kept_mib = 0;
    uint64_t set = number_of(s, v, job);
    if (s->refused_gpus[set] == 0 || hs_view_gpus(v, job) < s->refused_gpus[set])
        s->refused_gpus[set] = hs_view_gpus(v, job);
    bool may_have_kind = s->poll_us == 0 && !hs_view_ties_are_drawn(v);
    if (!may_have_kind || !hs_salus_kinds_add(&s->kinds, v, job, (uint32_t)(set % HS_SALUS_GANGS)))
        hs_order_add(&s->refused[set], v, job, 0);
}

void hs_salus_refused_remove(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    if (hs_salus_job(v, job)->kind != 0)
        hs_salus_kinds_remove(&s->kinds, v, job);
    else if (hs_order_has(v, job))
        hs_order_remove(&s->refused[number_of(s, v, job)], v, job);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static const struct hs_salus_pool *pool_of(const struct hs_salus_refused_scan *scan)
{
    return &scan->s->lanes.pools[scan->s->lanes.pool_count > 1 ? scan->vc : 0];
}

/* All are tried then, so that who cannot have even that is turned away. */
static bool is_pool_idle(const struct hs_salus_refused_scan *scan)
{
    return hs_view_free_gpus(scan->v, scan->vc) == hs_view_total_gpus(scan->v, scan->vc);
}

/* Not only certain nodes are worth a look; a quota may have been what was short. */
static bool is_all_new(const struct hs_salus_refused_scan *scan)
{
    return pool_of(scan)->freed_count > HS_SALUS_FREED || is_pool_idle(scan) ||
           hs_view_quota(scan->v, scan->vc) != UINT64_MAX;
}

/* The largest rooms for new lanes on GPUs of a node, largest first; the rest stays 0. */
static void largest_rooms(const struct hs_salus_refused_scan *scan, uint32_t node, uint64_t *mib,
                          uint32_t count)
{
    uint32_t first = hs_view_node_first_gpu(scan->v, node);
    for (uint32_t id = first; id < first + hs_view_node_gpus(scan->v, node); id++) {
        uint64_t free_mib = hs_salus_free_mib(&scan->s->lanes, id);
        for (uint32_t i = 0; i < count; i++)
            if (free_mib > mib[i]) {
                uint64_t smaller = mib[i];
                mib[i] = free_mib;
                free_mib = smaller;
            }
    }
}

static void widen(struct hs_bounds *bounds, uint64_t all_mib, uint64_t kept_mib)
{
    bounds->plain = larger(bounds->plain, kept_mib);
    bounds->constrained = larger(bounds->constrained, all_mib);
}

static void widen_by_node(struct hs_salus_refused_scan *scan, uint32_t node)
{
    const struct hs_salus_lanes *l = &scan->s->lanes;
    uint64_t free_mib[9] = {0};
    largest_rooms(scan, node, free_mib, 9);
    for (uint32_t set = 0; set < ANY_GANG; set++) {
        uint64_t mib = free_mib[least_gang[set] - 1];
        widen(&scan->bounds[set], mib, mib);
    }
    uint32_t first = hs_view_node_first_gpu(scan->v, node);
    for (uint32_t id = first; id < first + hs_view_node_gpus(scan->v, node); id++)
        for (uint32_t at = l->gpus[id].first_seat; at != HS_NO_SEAT;
             at = l->seats[at].next_on_gpu) {
            uint32_t lane = l->seats[at].lane;
            struct hs_room room = hs_salus_room(l, lane);
            widen(&scan->bounds[set_of_gang(l->lanes[lane].gpus)], room.all_mib, room.kept_mib);
        }
}

/* Of all GPUs, for the smallest gang of a set of spread ones, and of lanes of gangs of its sizes.
 */
static void widen_by_pool(struct hs_salus_refused_scan *scan, uint32_t set)
{
    const struct hs_salus *s = scan->s;
    const struct hs_salus_lanes *l = &s->lanes;
    uint64_t number = (uint64_t)scan->vc * HS_SALUS_GANGS + set;
    uint32_t pool = l->pool_count > 1 ? scan->vc : 0;
    if (s->refused_gpus[number] == 0)
        return;
    uint32_t gpus = s->refused_gpus[number], most = set < LAST_SPREAD ? gpus : UINT32_MAX - 1;
    uint64_t mib = hs_salus_gang_mib(l, pool, hs_view_free_gpus(scan->v, scan->vc), gpus);
    struct hs_room room = hs_rooms_most(&l->lane_rooms, pool, hs_salus_lane_key(gpus, 0),
                                        hs_salus_lane_key(most + 1, 0));
    widen(&scan->bounds[set], mib, mib);
    widen(&scan->bounds[set], room.all_mib, room.kept_mib);
}

/* What those may need at most who are worth a try. */
static void set_bounds(struct hs_salus_refused_scan *scan)
{
    bool is_all = is_all_new(scan), is_idle = is_pool_idle(scan);
    const struct hs_salus_pool *pool = pool_of(scan);
    for (uint32_t set = 0; set < HS_SALUS_GANGS; set++) {
        bool has_all =
            set < FIRST_SPREAD ? is_all || (set == ANY_GANG && pool->freed_count > 0) : is_idle;
        uint64_t most = has_all ? UINT64_MAX : 0;
        scan->bounds[set] = (struct hs_bounds){most, most};
    }
    for (uint32_t i = 0; !is_all && i < pool->freed_count; i++)
        widen_by_node(scan, pool->freed[i]);
    for (uint32_t set = FIRST_SPREAD; set < HS_SALUS_GANGS && !is_idle; set++)
        if (is_all || pool->freed_count > 0)
            widen_by_pool(scan, set);
}

/* ---- a scan ---- */

/* Heads are numbered: sets first, then kinds. */
static bool is_of_kind(const struct hs_head *head)
{
    return head->set >= HS_SALUS_GANGS;
}

static hs_job_id next_of_set(const struct hs_salus_refused_scan *scan, uint32_t set,
                             hs_job_id after)
{
    const struct hs_salus *s = scan->s;
    return hs_order_next_within(&s->refused[(uint64_t)scan->vc * HS_SALUS_GANGS + set], scan->v,
                                after, scan->bounds[set]);
}

/* All of a kind are within the bounds, or none is. */
static hs_job_id next_of_kind(const struct hs_salus_refused_scan *scan, uint32_t kind,
                              hs_job_id after)
{
    const struct hs_order *jobs = &scan->s->kinds.at[kind].jobs;
    hs_job_id job =
        after == HS_NO_JOB ? hs_order_first(jobs, scan->v) : hs_order_next(jobs, scan->v, after);
    if (job == HS_NO_JOB)
        return HS_NO_JOB;
    const struct hs_bounds *bounds = &scan->bounds[scan->s->kinds.at[kind].group];
    const struct hs_room *least = &hs_salus_job(scan->v, job)->least;
    return least->kept_mib <= bounds->plain && least->all_mib <= bounds->constrained ? job
                                                                                     : HS_NO_JOB;
}

static void add_head(struct hs_salus_refused_scan *scan, hs_job_id job, uint32_t set)
{
    if (job != HS_NO_JOB)
        hs_heads_add(&scan->heads, scan->v, (struct hs_head){job, set});
}

void hs_salus_refused_begin(struct hs_salus_refused_scan *scan, struct hs_salus *s,
                            const struct hs_view *v, uint32_t vc)
{
    *scan = (struct hs_salus_refused_scan){
        .s = s, .v = v, .vc = vc, .heads = {.at = s->heads, .order = s->refused}};
    hs_salus_kinds_clear(&s->kinds, vc);
    set_bounds(scan);
    for (uint32_t set = 0; set < HS_SALUS_GANGS; set++)
        add_head(scan, next_of_set(scan, set, HS_NO_JOB), set);
    for (uint32_t kind = s->kinds.first[vc]; kind != 0; kind = s->kinds.at[kind - 1].next)
        add_head(scan, next_of_kind(scan, kind - 1, HS_NO_JOB), HS_SALUS_GANGS + kind - 1);
}

hs_job_id hs_salus_refused_head(const struct hs_salus_refused_scan *scan)
{
    return scan->heads.count > 0 ? scan->heads.at[0].job : HS_NO_JOB;
}

static bool may_fit_node(const struct hs_salus_refused_scan *scan, uint32_t node, uint32_t gpus,
                         const struct hs_salus_need *need)
{
    const struct hs_salus_lanes *l = &scan->s->lanes;
    uint32_t first = hs_view_node_first_gpu(scan->v, node), open = 0;
    for (uint32_t id = first; id < first + hs_view_node_gpus(scan->v, node); id++) {
        open += hs_salus_may_open(l, id, need);
        for (uint32_t at = l->gpus[id].first_seat; at != HS_NO_SEAT; at = l->seats[at].next_on_gpu)
            if (l->lanes[l->seats[at].lane].gpus == gpus &&
                hs_salus_fits(l, l->seats[at].lane, need))
                return true;
    }
    return open >= gpus;
}

bool hs_salus_refused_may_fit(const struct hs_salus_refused_scan *scan, hs_job_id job)
{
    const struct hs_salus_pool *pool = pool_of(scan);
    const struct hs_head *head = &scan->heads.at[0];
    uint32_t set =
        is_of_kind(head) ? scan->s->kinds.at[head->set - HS_SALUS_GANGS].group : head->set;
    if (set >= ANY_GANG || is_all_new(scan))
        return true;
    for (uint32_t i = 0; i < pool->freed_count; i++)
        if (may_fit_node(scan, pool->freed[i], hs_view_gpus(scan->v, job),
                         &hs_salus_job(scan->v, job)->need))
            return true;
    return false;
}

void hs_salus_refused_next(struct hs_salus_refused_scan *scan, bool is_out)
{
    struct hs_head head = scan->heads.at[0];
    hs_job_id job = head.job;
    if (is_out)
        set_bounds(scan);
    if (!is_of_kind(&head))
        head.job = next_of_set(scan, head.set, job);
    else
        head.job = is_out ? next_of_kind(scan, head.set - HS_SALUS_GANGS, job) : HS_NO_JOB;
    if (is_out)
        hs_salus_refused_remove(scan->s, scan->v, job);
    hs_heads_replace_first(&scan->heads, scan->v, head);
}

const char *hs_salus_refused_check(const struct hs_salus *s, const struct hs_view *v)
{
    for (uint64_t i = 0; i < (uint64_t)hs_view_vcs(v) * HS_SALUS_GANGS; i++) {
        const struct hs_order *set = &s->refused[i];
        if (!hs_order_is_valid(set, v))
            return "refused jobs are out of order";
        for (hs_job_id j = hs_order_first(set, v); j != HS_NO_JOB; j = hs_order_next(set, v, j))
            if (!hs_job_waits(v, j))
                return "a refused job does not wait";
    }
    return hs_salus_kinds_check(&s->kinds, v);
}
