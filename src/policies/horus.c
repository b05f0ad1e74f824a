/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Horus: of the waiting jobs of least predicted utilization the first that can be placed, idle GPUs
 * before shared ones, by predicted utilization and memory (policies/horus.md 4). It neither
 * preempts nor ages: jobs of high utilization can starve, and large gangs at the head can block.
 */
#include "policies/kit_colocate.h"
#include "policies/kit_horus.h"
#include "policies/kit_migrate.h"

struct horus {
    int32_t order;
    int64_t look_ahead, max_starts, wake_period_us; /* parameters */
    struct hs_horus place;
    struct hs_migrate migrate;
    struct hs_queue queue;
};

struct horus_scratch {
    struct hs_order_link link;
    struct hs_refusal refusal;
};

enum { BY_UTILIZATION, BY_SUBMISSION };
static const char *const orders[] = {"util_asc", "fifo", NULL};

static void horus_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct horus *h = state;
    *can = HS_CAN_COLOCATE | (h->max_starts > 0 ? HS_CAN_TIME : 0) | hs_migrate_can(&h->migrate);
    *knows = hs_horus_knows(&h->place);
}

static struct hs_refusal *refusal_of(const struct hs_view *v, hs_job_id job)
{
    return &((struct horus_scratch *)hs_view_scratch(v, job))->refusal;
}

static enum hs_status horus_init(void *state, const struct hs_view *v)
{
    struct horus *h = state;
    HS_TRY(hs_horus_init(&h->place, v));
    return hs_queue_init(&h->queue, v);
}

static void horus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct horus *h = state;
    if (event->kind == HS_EVENT_TIMER)
        hs_queue_wake_all(&h->queue);
    else
        hs_colocate_event(&h->queue, v, event,
                          h->order == BY_UTILIZATION ? hs_horus_by_utilization(v, event->job) : 0);
}

static uint32_t horus_tenants(const void *state)
{
    return (uint32_t)((const struct horus *)state)->place.sharer.max_tenants;
}

static bool horus_load(const void *state, const struct hs_view *v, hs_job_id job,
                       int32_t sum[HS_LOADS])
{
    return hs_share_load(&((const struct horus *)state)->place.sharer, v, job, sum);
}

static bool horus_place(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    return hs_horus_place(&((struct horus *)state)->place, v, p, id, refusal_of(v, id));
}

static enum hs_status horus_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct horus *h = state;
    if (hs_migrate_decide(&h->migrate, v, p))
        hs_queue_wake_all(&h->queue);
    const struct hs_colocate_rule rule = {.place = horus_place,
                                          .state = h,
                                          .sharer = &h->place.sharer,
                                          .refusals = (uint64_t)h->look_ahead,
                                          .max_starts = (uint32_t)h->max_starts};
    uint32_t starts = hs_colocate_scan(&h->queue, v, p, &rule);
    if (h->max_starts > 0 && starts > 0) /* there may be more to start, at the next tick */
        hs_plan_timer(p, hs_view_now_us(v) + h->wake_period_us, 0);
    return HS_OK;
}

static void horus_semantics(const void *state, struct hs_semantics *out)
{
    const struct horus *h = state;
    *out = (struct hs_semantics){.order = h->order == BY_UTILIZATION ? "utilization" : "submit",
                                 .scan = "look-ahead",
                                 .placement = hs_horus_placement(&h->place),
                                 .preemption = hs_migrate_name(&h->migrate),
                                 .cost = hs_migrate_cost_name(&h->migrate)};
}

static const char *horus_check(const void *state, const struct hs_view *v)
{
    return hs_queue_check(&((const struct horus *)state)->queue, v);
}

static const struct hs_param params[] = {
    {.key = "order",
     .type = HS_PARAM_CHOICE,
     .offset = offsetof(struct horus, order),
     .preset = "util_asc",
     .choices = orders,
     .help = "of the waiting jobs: least predicted utilization first, or submission",
     .source = "util_asc: the authors' simulator"},
    {.key = "look_ahead",
     .type = HS_PARAM_INT,
     .offset = offsetof(struct horus, look_ahead),
     .preset = "5",
     .min = 1,
     .max = 1000000,
     .unit = "jobs",
     .help = "waiting jobs that are tried before the rest waits",
     .source = "5: the authors' simulator"},
    {.key = "max_starts",
     .type = HS_PARAM_INT,
     .offset = offsetof(struct horus, max_starts),
     .preset = "0",
     .max = 1000000,
     .unit = "jobs",
     .help = "started at one moment; 0: as many as fit (1, a tick apart: the authors' loop)"},
    {.key = "tick",
     .type = HS_PARAM_DURATION,
     .offset = offsetof(struct horus, wake_period_us),
     .preset = "60s",
     .min = 1,
     .max = 86400,
     .help = "with max_starts: from one moment to the next",
     .source = "60 s: the authors' simulator counts minutes"},
    HS_HORUS_PARAMS(struct horus, place),
    HS_MIGRATE_PARAMS(struct horus, migrate),
    {0}};

const struct hs_policy_ops hs_policy_horus = {
    .name = "horus",
    .summary = "least predicted utilization first, placed by predicted utilization and memory",
    .cite = "Yeung et al., Horus, TPDS 33(1), 2022; as in their simulator, its faults mended",
    .can = HS_CAN_COLOCATE | HS_CAN_TIME | HS_CAN_MIGRATE,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE,
    .params = params,
    .state_size = sizeof(struct horus),
    .job_state_size = sizeof(struct horus_scratch),
    .tenants = horus_tenants,
    .load = horus_load,
    .needs = horus_needs,
    .init = horus_init,
    .on_event = horus_event,
    .decide = horus_decide,
    .semantics = horus_semantics,
    .check = horus_check,
};
