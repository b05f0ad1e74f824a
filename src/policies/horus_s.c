/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * horus-s: exploratory
 */
#include "policies/kit_colocate.h"
#include "policies/kit_horus.h"

#define FULL_PM 1000
#define ONE_Q20 (INT64_C(1) << 20)

struct horus_s {
    int32_t order;
    int64_t look_ahead;
    double own_cap, others_cap, patience, mix;
    struct hs_sharer sharer;
    struct hs_queue queue;
    uint64_t *wanted; /* per VC: GPUs of the jobs that wait */
    int64_t own_cap_q20, others_cap_q20;
    int32_t suffers_q20[FULL_PM + 1], hurts_q20[FULL_PM + 1];
};

struct horus_s_scratch {
    struct hs_order_link link;
    struct hs_refusal refusal;
};
static const char *const orders[] = {"util_asc", "fifo", "util_desc", NULL};

static void horus_s_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    (void)state;
    *can = HS_CAN_COLOCATE;
    *knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY;
}

static int64_t excess_q20(const struct hs_view *v, int32_t own_pm, int32_t beside_pm)
{
    return (int64_t)(hs_view_slowdown_of_q32(v, own_pm, beside_pm) >> 12) - ONE_Q20;
}

static struct hs_refusal *refusal_of(const struct hs_view *v, hs_job_id job)
{
    return &((struct horus_s_scratch *)hs_view_scratch(v, job))->refusal;
}

static enum hs_status horus_s_init(void *state, const struct hs_view *v)
{
    struct horus_s *s = state;
    int64_t full = excess_q20(v, FULL_PM, FULL_PM);
    for (int32_t pm = 0; pm <= FULL_PM; pm++) {
        s->suffers_q20[pm] = (int32_t)excess_q20(v, pm, FULL_PM);
        s->hurts_q20[pm] = full == 0 ? 0 : (int32_t)(excess_q20(v, FULL_PM, pm) * ONE_Q20 / full);
    }
    s->own_cap_q20 = hs_cost_q20(s->own_cap);
    s->others_cap_q20 = hs_cost_q20(s->others_cap);
    uint64_t vcs = hs_view_vcs(v);
    s->wanted = hs_view_alloc(v, vcs * sizeof *s->wanted);
    if (s->wanted == NULL)
        return HS_E_MEMORY;
    HS_TRY(hs_sharer_init(&s->sharer, v));
    return hs_queue_init(&s->queue, v);
}

static int64_t by_fill(const struct hs_view *v, hs_job_id job)
{
    return -hs_horus_by_utilization(v, job);
}

static void horus_s_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct horus_s *s = state;
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_STOPPED)
        s->wanted[hs_view_vc(v, event->job)] += hs_view_gpus(v, event->job);
    hs_colocate_event(&s->queue, v, event,
                      s->order == 0   ? hs_horus_by_utilization
                      : s->order == 1 ? hs_key_none
                                      : by_fill);
}

static bool horus_s_load(const void *state, const struct hs_view *v, hs_job_id job,
                         int32_t sum[HS_LOADS])
{
    const struct horus_s *s = state;
    bool shares = hs_share_load(&s->sharer, v, job, sum);
    sum[1] = s->suffers_q20[sum[0]];
    sum[2] = s->hurts_q20[sum[0]];
    return shares;
}

static uint32_t horus_s_tenants(const void *state)
{
    return (uint32_t)((const struct horus_s *)state)->sharer.max_tenants;
}

struct horus_s_job {
    struct hs_newcomer newcomer;
    int64_t suffers_q20, hurts_q20;
    int64_t own_cap_q20, others_cap_q20, patience_q20;
};

static int64_t horus_s_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct horus_s_job *job = ctx;
    if (!hs_share_allows(&job->newcomer, r))
        return HS_NEVER;
    int64_t own_q20 = job->suffers_q20 * r->least.sum[2] >> 20;
    int64_t others_q20 = job->hurts_q20 * r->least.sum[1] >> 20;
    if (own_q20 > job->own_cap_q20 || others_q20 > job->others_cap_q20 ||
        own_q20 + others_q20 > job->patience_q20)
        return HS_NEVER;
    return own_q20 + others_q20;
}

static bool horus_s_place(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    struct horus_s *s = state;
    struct horus_s_job job = {.own_cap_q20 = s->own_cap_q20, .others_cap_q20 = s->others_cap_q20};
    hs_newcomer_set(&job.newcomer, &s->sharer, v, id);
    job.suffers_q20 = s->suffers_q20[job.newcomer.util_pm];
    job.hurts_q20 = s->hurts_q20[job.newcomer.util_pm];
    uint32_t vc = hs_view_vc(v, id);
    uint64_t held = hs_view_total_gpus(v, vc) - hs_view_free_gpus(v, vc);
    job.patience_q20 =
        held == 0 ? INT64_MAX
                  : (int64_t)(s->patience * (double)s->wanted[vc] * (double)ONE_Q20 / (double)held);
    if (!hs_share_place(
            &s->sharer, v, p, id, horus_s_cost, &job,
            job.patience_q20 < job.own_cap_q20 + job.others_cap_q20 ? NULL : refusal_of(v, id)))
        return false;
    s->wanted[vc] -= hs_view_gpus(v, id);
    return true;
}

static enum hs_status horus_s_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct horus_s *s = state;
    (void)hs_colocate_scan(&s->queue, v, p, (uint64_t)s->look_ahead, 0, horus_s_place, s);
    return HS_OK;
}

static void horus_s_semantics(const void *state, struct hs_semantics *out)
{
    const struct horus_s *h = state;
    *out = (struct hs_semantics){.order = orders[h->order],
                                 .scan = "look-ahead",
                                 .placement = "predicted slowdown",
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *horus_s_check(const void *state, const struct hs_view *v)
{
    return hs_queue_check(&((const struct horus_s *)state)->queue, v);
}
#define REAL(field, value)                                                                         \
    {                                                                                              \
        .key = #field, .type = HS_PARAM_REAL, .offset = offsetof(struct horus_s, field),           \
        .preset = value, .max = 1e6, .help = "x"                                                   \
    }

static const struct hs_param params[] = {
    {.key = "order",
     .type = HS_PARAM_CHOICE,
     .offset = offsetof(struct horus_s, order),
     .preset = "util_asc",
     .choices = orders,
     .help = "x"},
    {.key = "look_ahead",
     .type = HS_PARAM_INT,
     .offset = offsetof(struct horus_s, look_ahead),
     .preset = "5",
     .min = 1,
     .max = 1000000,
     .unit = "jobs",
     .help = "waiting jobs that are tried before the rest waits"},
    REAL(own_cap, "1000"),
    REAL(others_cap, "1000"),
    REAL(patience, "1000"),
    REAL(mix, "0"),
    HS_SHARE_PARAMS(struct horus_s, sharer, "3"),
    HS_UTIL_CAP_PARAM(struct horus_s, sharer),
    {0}};

const struct hs_policy_ops hs_policy_horus_s = {
    .name = "horus-s",
    .summary = "x",
    .cite = "ours",
    .can = HS_CAN_COLOCATE,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY,
    .params = params,
    .state_size = sizeof(struct horus_s),
    .job_state_size = sizeof(struct horus_s_scratch),
    .tenants = horus_s_tenants,
    .load = horus_s_load,
    .needs = horus_s_needs,
    .init = horus_s_init,
    .on_event = horus_s_event,
    .decide = horus_s_decide,
    .semantics = horus_s_semantics,
    .check = horus_s_check,
};
