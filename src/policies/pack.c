/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Packing by memory alone, in order of submission: the fullest GPU that still has memory for the
 * job, idle ones last. It knows nothing of utilization, so it pairs what should not be paired.
 */
#include "policies/kit_colocate.h"
#include "policies/kit_share.h"

struct pack {
    struct hs_colocate waiting;
    struct hs_sharer sharer;
};

struct pack_scratch {
    struct hs_order_link link;
    struct hs_refusal refusal;
};

static struct hs_refusal *refusal_of(const struct hs_view *v, hs_job_id job)
{
    return &((struct pack_scratch *)hs_view_scratch(v, job))->refusal;
}

static enum hs_status pack_init(void *state, const struct hs_view *v)
{
    struct pack *s = state;
    s->sharer.is_blind = true;
    HS_TRY(hs_sharer_init(&s->sharer, v));
    return hs_queue_init(&s->waiting.queue, v);
}

static void pack_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    hs_colocate_event(&((struct pack *)state)->waiting.queue, v, event, 0);
}

static uint32_t pack_tenants(const void *state)
{
    return (uint32_t)((const struct pack *)state)->sharer.max_tenants;
}

static bool pack_load(const void *state, const struct hs_view *v, hs_job_id job,
                      int32_t sum[HS_LOADS])
{
    return hs_share_load(&((const struct pack *)state)->sharer, v, job, sum);
}

/* Minus the share of the memory in use. */
static int64_t pack_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct hs_newcomer *job = ctx;
    if (!hs_share_allows(job, r))
        return HS_NEVER;
    int64_t claim_mib = r->most.claim_mib;
    return r->capacity_mib == 0 ? -claim_mib : -(claim_mib * (1 << 20) / r->capacity_mib);
}

static bool pack_place(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    struct pack *s = state;
    struct hs_newcomer job;
    hs_newcomer_set(&job, &s->sharer, v, id);
    return hs_share_place(&s->sharer, v, p, id, pack_cost, &job, refusal_of(v, id));
}

static enum hs_status pack_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct pack *s = state;
    hs_colocate_decide(&s->waiting, v, p, pack_place, s, &s->sharer);
    return HS_OK;
}

static void pack_semantics(const void *state, struct hs_semantics *out)
{
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = hs_scan_names[((const struct pack *)state)->waiting.scan],
                                 .placement = "pack",
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *pack_check(const void *state, const struct hs_view *v)
{
    return hs_queue_check(&((const struct pack *)state)->waiting.queue, v);
}

static const struct hs_param params[] = {
    HS_COLOCATE_SCAN(struct pack, waiting), HS_SHARE_PARAMS(struct pack, sharer, "2"), {0}};

const struct hs_policy_ops hs_policy_pack = {
    .name = "pack",
    .summary = "first come, first served on the fullest GPU with memory for the job",
    .cite = "the packing baseline of Yeung et al., TPDS 33(1), 2022",
    .can = HS_CAN_COLOCATE,
    .knows = HS_KNOWS_MEMORY,
    .params = params,
    .state_size = sizeof(struct pack),
    .job_state_size = sizeof(struct pack_scratch),
    .tenants = pack_tenants,
    .load = pack_load,
    .init = pack_init,
    .on_event = pack_event,
    .decide = pack_decide,
    .semantics = pack_semantics,
    .check = pack_check,
};
