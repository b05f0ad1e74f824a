/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Horus' cost in order of submission: what the placement is worth without Horus' queue.
 */
#include "policies/kit_colocate.h"
#include "policies/kit_horus.h"

struct colocate_fifo {
    struct hs_colocate waiting;
    struct hs_horus place;
};

struct colocate_fifo_scratch {
    struct hs_order_link link;
    struct hs_refusal refusal;
};

static void colocate_fifo_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    *can = HS_CAN_COLOCATE;
    *knows = hs_horus_knows(&((const struct colocate_fifo *)state)->place);
}

static struct hs_refusal *refusal_of(const struct hs_view *v, hs_job_id job)
{
    return &((struct colocate_fifo_scratch *)hs_view_scratch(v, job))->refusal;
}

static enum hs_status colocate_fifo_init(void *state, const struct hs_view *v)
{
    struct colocate_fifo *s = state;
    HS_TRY(hs_horus_init(&s->place, v));
    return hs_queue_init(&s->waiting.queue, v);
}

static void colocate_fifo_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    hs_colocate_event(&((struct colocate_fifo *)state)->waiting.queue, v, event, 0);
}

static uint32_t colocate_fifo_tenants(const void *state)
{
    return (uint32_t)((const struct colocate_fifo *)state)->place.sharer.max_tenants;
}

static bool colocate_fifo_load(const void *state, const struct hs_view *v, hs_job_id job,
                               int32_t sum[HS_LOADS])
{
    return hs_share_load(&((const struct colocate_fifo *)state)->place.sharer, v, job, sum);
}

static bool colocate_fifo_place(void *state, const struct hs_view *v, struct hs_plan *p,
                                hs_job_id id)
{
    return hs_horus_place(&((struct colocate_fifo *)state)->place, v, p, id, refusal_of(v, id));
}

static enum hs_status colocate_fifo_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct colocate_fifo *s = state;
    hs_colocate_decide(&s->waiting, v, p, colocate_fifo_place, s, &s->place.sharer);
    return HS_OK;
}

static void colocate_fifo_semantics(const void *state, struct hs_semantics *out)
{
    const struct colocate_fifo *s = state;
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = hs_scan_names[s->waiting.scan],
                                 .placement = hs_horus_placement(&s->place),
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *colocate_fifo_check(const void *state, const struct hs_view *v)
{
    return hs_queue_check(&((const struct colocate_fifo *)state)->waiting.queue, v);
}

static const struct hs_param params[] = {HS_COLOCATE_SCAN(struct colocate_fifo, waiting),
                                         HS_HORUS_PARAMS(struct colocate_fifo, place),
                                         {0}};

const struct hs_policy_ops hs_policy_colocate_fifo = {
    .name = "colocate-fifo",
    .summary = "first come, first served, placed by the cost of horus",
    .cite = "ours: Horus' placement (Yeung et al., TPDS 33(1), 2022) without its queue",
    .can = HS_CAN_COLOCATE,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE,
    .params = params,
    .state_size = sizeof(struct colocate_fifo),
    .job_state_size = sizeof(struct colocate_fifo_scratch),
    .tenants = colocate_fifo_tenants,
    .load = colocate_fifo_load,
    .needs = colocate_fifo_needs,
    .init = colocate_fifo_init,
    .on_event = colocate_fifo_event,
    .decide = colocate_fifo_decide,
    .semantics = colocate_fifo_semantics,
    .check = colocate_fifo_check,
};
