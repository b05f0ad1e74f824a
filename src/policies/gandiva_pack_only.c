/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The baseline that AntMan's authors call Gandiva: greedy packing and nothing else. A job goes to
 * the GPU of lowest utilization that has memory for it; profiles are known, so utilization is the
 * sum of what is predicted of the tenants, and an idle GPU is always better than a shared one. No
 * slicing, no migration, no trial that could be undone: what was packed stays packed.
 */
#include "policies/kit_colocate.h"
#include "policies/kit_share.h"

struct gandiva_pack_only {
    struct hs_colocate waiting;
    struct hs_sharer sharer;
};

struct gandiva_pack_only_scratch {
    struct hs_order_link link;
    struct hs_refusal refusal;
};

static enum hs_status gandiva_pack_only_init(void *state, const struct hs_view *v)
{
    struct gandiva_pack_only *s = state;
    HS_TRY(hs_sharer_init(&s->sharer, v));
    return hs_queue_init(&s->waiting.queue, v);
}

static void gandiva_pack_only_event(void *state, const struct hs_view *v,
                                    const struct hs_event *event)
{
    hs_colocate_event(&((struct gandiva_pack_only *)state)->waiting.queue, v, event, 0);
}

static uint32_t gandiva_pack_only_tenants(const void *state)
{
    return (uint32_t)((const struct gandiva_pack_only *)state)->sharer.max_tenants;
}

static bool gandiva_pack_only_load(const void *state, const struct hs_view *v, hs_job_id job,
                                   int32_t sum[HS_LOADS])
{
    return hs_share_load(&((const struct gandiva_pack_only *)state)->sharer, v, job, sum);
}

/* The utilization of those who are there; of GPUs with none that of idle ones, which win ties. */
static int64_t gandiva_pack_only_cost(const void *ctx, const struct hs_load_range *r)
{
    return hs_share_allows(ctx, r) ? r->least.sum[0] : HS_NEVER;
}

static bool gandiva_pack_only_place(void *state, const struct hs_view *v, struct hs_plan *p,
                                    hs_job_id id)
{
    struct gandiva_pack_only *s = state;
    struct gandiva_pack_only_scratch *j = hs_view_scratch(v, id);
    struct hs_newcomer job;
    hs_newcomer_set(&job, &s->sharer, v, id);
    return hs_share_place(&s->sharer, v, p, id, gandiva_pack_only_cost, &job, &j->refusal);
}

static enum hs_status gandiva_pack_only_decide(void *state, const struct hs_view *v,
                                               struct hs_plan *p)
{
    struct gandiva_pack_only *s = state;
    hs_colocate_decide(&s->waiting, v, p, gandiva_pack_only_place, s, &s->sharer);
    return HS_OK;
}

static void gandiva_pack_only_semantics(const void *state, struct hs_semantics *out)
{
    const struct gandiva_pack_only *s = state;
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = hs_scan_names[s->waiting.scan],
                                 .placement = "lowest utilization",
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *gandiva_pack_only_check(const void *state, const struct hs_view *v)
{
    return hs_queue_check(&((const struct gandiva_pack_only *)state)->waiting.queue, v);
}

static const struct hs_param params[] = {HS_COLOCATE_SCAN(struct gandiva_pack_only, waiting),
                                         HS_SHARE_PARAMS(struct gandiva_pack_only, sharer, "2"),
                                         {0}};

const struct hs_policy_ops hs_policy_gandiva_pack_only = {
    .name = "gandiva-pack-only",
    .summary = "first come, first served on the GPU of lowest utilization with enough memory",
    .cite = "Gandiva as the baseline of Xiao et al., AntMan, OSDI'20",
    .can = HS_CAN_COLOCATE,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY,
    .params = params,
    .state_size = sizeof(struct gandiva_pack_only),
    .job_state_size = sizeof(struct gandiva_pack_only_scratch),
    .tenants = gandiva_pack_only_tenants,
    .load = gandiva_pack_only_load,
    .init = gandiva_pack_only_init,
    .on_event = gandiva_pack_only_event,
    .decide = gandiva_pack_only_decide,
    .semantics = gandiva_pack_only_semantics,
    .check = gandiva_pack_only_check,
};
