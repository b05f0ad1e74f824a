/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_share.h: limits, and the GPU of a single worker. Gangs are in kit_gang.c.
 */
#include "policies/kit_share.h"

#include "policies/kit_gang.h"

#define FULL_PM 1000

enum hs_status hs_sharer_init(struct hs_sharer *s, const struct hs_view *v)
{
    s->idle_refusals = hs_view_alloc(v, hs_view_vcs(v) * sizeof *s->idle_refusals);
    return s->idle_refusals != NULL ? hs_gang_init(s, v) : HS_E_MEMORY;
}

static int64_t util_pm(const struct hs_sharer *s, const struct hs_view *v, hs_job_id job,
                       int32_t (*ask)(const struct hs_view *v, hs_job_id job))
{
    if (s->is_blind)
        return 0;
    int32_t predicted_pm = ask(v, job);
    return predicted_pm >= 0 ? predicted_pm : FULL_PM;
}

bool hs_share_load(const struct hs_sharer *s, const struct hs_view *v, hs_job_id job,
                   int32_t sum[HS_LOADS])
{
    sum[0] = (int32_t)util_pm(s, v, job, hs_view_util_pm);
    return (int64_t)hs_view_gpus(v, job) <= s->share_up_to;
}

void hs_newcomer_set(struct hs_newcomer *job, const struct hs_sharer *s, const struct hs_view *v,
                     hs_job_id id)
{
    *job = (struct hs_newcomer){
        .sharer = s,
        .util_pm = util_pm(s, v, id, hs_view_util_pm),
        .util_peak_pm = util_pm(s, v, id, hs_view_util_peak_pm),
        .mem_mib = hs_view_gpu_mem_mib(v, id),
        .cap_pm = s->util_cap > 0 ? (int64_t)(s->util_cap * 10 + 0.5) : INT64_MAX,
    };
}

bool hs_share_allows(const struct hs_newcomer *job, const struct hs_load_range *r)
{
    const struct hs_load *least = &r->least;
    if (least->tenants == 0)
        return true;
    if (r->capacity_mib > 0 &&
        least->claim_mib + job->mem_mib + job->sharer->mem_margin_mib >= (int64_t)r->capacity_mib)
        return false;
    return least->sum[0] + job->util_pm <= job->cap_pm;
}

int64_t hs_cost_q20(double w)
{
    return (int64_t)(w * (1 << 20) + (w < 0 ? -0.5 : 0.5));
}

int64_t hs_cost_of_memory(int64_t w_q20, int64_t mib, uint32_t capacity_mib)
{
    return capacity_mib == 0 ? 0 : w_q20 * mib / capacity_mib;
}

/* Fewer GPUs free, or as few and the lower id. */
static bool is_fuller(const struct hs_view *v, uint32_t a, uint32_t b)
{
    if (b == HS_NO_NODE)
        return true;
    uint32_t x = hs_view_node_free(v, a), y = hs_view_node_free(v, b);
    return x < y || (x == y && a < b);
}

/* The cheapest idle GPU: a node of each type to choose from, the fullest, then the first. */
static uint32_t cheapest_idle(const struct hs_view *v, hs_job_id id, hs_load_cost *cost,
                              const void *ctx, int64_t *least)
{
    uint32_t best = HS_NO_NODE;
    *least = HS_NEVER;
    for (uint32_t type = 0; type < hs_view_gpu_types(v); type++) {
        uint32_t node = hs_view_best_fit_of(v, id, 1, type);
        if (node == HS_NO_NODE)
            continue;
        int64_t here = hs_gang_idle_cost(v, type, cost, ctx);
        if (here < *least || (here == *least && is_fuller(v, node, best))) {
            *least = here;
            best = node;
        }
    }
    return best;
}

static bool place_one(const struct hs_view *v, struct hs_plan *p, hs_job_id id, hs_load_cost *cost,
                      const void *ctx)
{
    int64_t least;
    uint32_t node = cheapest_idle(v, id, cost, ctx, &least);
    uint32_t gpu = hs_view_cheapest_shared(v, id, cost, ctx, least, &least);
    bool is_beside = gpu != HS_NO_GPU;
    if (!is_beside && node != HS_NO_NODE)
        gpu = hs_view_idle_gpu(v, node, 0);
    if (gpu == HS_NO_GPU)
        return false;
    hs_plan_because(p, !is_beside           ? "on an idle GPU: the cheapest for it"
                       : node == HS_NO_NODE ? "beside others: no GPU is idle for it"
                                            : "beside others: cheaper than an idle GPU");
    hs_plan_start(p, id);
    hs_plan_on_gpu(p, gpu);
    return true;
}

/* Workers of the job, at most all, for which there is room now where one left. With demands on CPU
 * or host memory that may be on any GPU of the node. */
static uint32_t room_at(struct hs_sharer *s, const struct hs_view *v, hs_job_id id, uint32_t gpu,
                        hs_load_cost *cost, const void *ctx)
{
    if (hs_view_gpus(v, id) == 1 && !hs_view_is_constrained(v, id))
        return hs_view_gpu_cost(v, id, gpu, cost, ctx) != HS_NEVER;
    return hs_gang_room(s, v, id, hs_view_gpu_node(v, gpu), cost, ctx);
}

/* A gang that ends leaves one GPU of a node after the other: the node is looked at once. */
static bool leaves_same_node(const struct hs_view *v, hs_job_id id, uint32_t gpu, uint32_t next)
{
    bool looks_at_nodes = hs_view_gpus(v, id) > 1 || hs_view_is_constrained(v, id);
    return looks_at_nodes && hs_view_gpu_node(v, gpu) == hs_view_gpu_node(v, next);
}

/* With room for so many workers, which are not all of the job's. */
static struct hs_refusal refused_now(const struct hs_view *v, uint64_t room)
{
    _Static_assert(HS_JOB_GPUS_MAX <= UINT16_MAX, "room for fewer workers than a job has fits");
    return (struct hs_refusal){.releases = (hs_view_releases(v) + 1) & UINT64_MAX >> 16,
                               .room = room & UINT16_MAX};
}

/* Nothing has changed for the job since it was refused: where workers left there is not enough room
 * for it, on one node or, for a gang to be spread, together with what there was. */
static bool is_refused_still(struct hs_sharer *s, const struct hs_view *v, hs_job_id id,
                             hs_load_cost *cost, const void *ctx, struct hs_refusal *refusal)
{
    uint64_t now = hs_view_releases(v), room = refusal->room;
    uint32_t gpus = hs_view_gpus(v, id);
    if (refusal->releases == 0)
        return false;
    for (uint64_t at = refusal->releases - 1; at < now; at++) {
        uint32_t gpu = hs_view_release_gpu(v, at);
        if (gpu == HS_NO_GPU)
            return false;
        if (at + 1 < now && leaves_same_node(v, id, gpu, hs_view_release_gpu(v, at + 1)))
            continue;
        room += room_at(s, v, id, gpu, cost, ctx);
        if (room >= gpus)
            return false;
    }
    *refusal = refused_now(v, room);
    return true;
}

/* What `consolidate` refuses it refuses to larger gangs, too. */
uint32_t hs_share_refused_gpus(const struct hs_sharer *s, const struct hs_view *v, uint32_t vc)
{
    const struct hs_idle_refusal *refusal = &s->idle_refusals[vc];
    return refusal->releases == hs_view_releases(v) + 1 ? refusal->gpus : UINT32_MAX;
}

bool hs_share_is_refused(const struct hs_sharer *s, const struct hs_view *v, hs_job_id id)
{
    int64_t gpus = hs_view_gpus(v, id);
    if (gpus <= s->share_up_to || hs_view_is_constrained(v, id))
        return false;
    return gpus >= hs_share_refused_gpus(s, v, hs_view_vc(v, id));
}

/* A gang that shares nothing. */
static bool place_on_idle(struct hs_sharer *s, const struct hs_view *v, struct hs_plan *p,
                          hs_job_id id, uint32_t gpus)
{
    if (hs_share_is_refused(s, v, id))
        return false;
    if (hs_place(v, p, id, HS_PLACE_CONSOLIDATE))
        return true;
    if (gpus > 0 && !hs_view_is_constrained(v, id))
        s->idle_refusals[hs_view_vc(v, id)] =
            (struct hs_idle_refusal){.releases = hs_view_releases(v) + 1, .gpus = gpus};
    return false;
}

bool hs_share_place(struct hs_sharer *s, const struct hs_view *v, struct hs_plan *p, hs_job_id id,
                    hs_load_cost *cost, const void *ctx, struct hs_refusal *refusal)
{
    uint32_t gpus = hs_view_gpus(v, id);
    hs_plan_because(p, NULL);
    if (gpus == 0 || (int64_t)gpus > s->share_up_to)
        return place_on_idle(s, v, p, id, gpus);
    if (refusal != NULL && is_refused_still(s, v, id, cost, ctx, refusal))
        return false;
    if (hs_view_quota_room(v, hs_view_vc(v, id)) < gpus ||
        hs_view_seats(v, id, (uint32_t)s->mem_margin_mib) < gpus)
        return false;
    uint64_t room = 0;
    if (gpus == 1 ? place_one(v, p, id, cost, ctx) : hs_gang_place(s, v, p, id, cost, ctx, &room))
        return true;
    if (refusal != NULL)
        *refusal = refused_now(v, room);
    return false;
}
