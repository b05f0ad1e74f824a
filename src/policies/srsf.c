/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shortest remaining service first: remaining time, unpaid costs included, times GPUs
 * (`shortest-gpu` of Tiresias' simulator).
 */
#include "policies/kit_preempt.h"

struct srsf {
    struct hs_preempt preempt;
};

static int64_t srsf_key(const struct hs_view *v, hs_job_id job)
{
    int64_t left_us = hs_view_remaining_us(v, job) + hs_view_cost_left_us(v, job);
    int64_t gpus = hs_view_gpus(v, job);
    return gpus > 0 && left_us > INT64_MAX / gpus ? INT64_MAX : left_us * gpus;
}

static enum hs_status srsf_init(void *state, const struct hs_view *v)
{
    return hs_preempt_init(&((struct srsf *)state)->preempt, v);
}

static void srsf_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    hs_preempt_event(&((struct srsf *)state)->preempt, v, event, srsf_key);
}

static enum hs_status srsf_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    hs_preempt_decide(&((struct srsf *)state)->preempt, v, p, srsf_key);
    return HS_OK;
}

static void srsf_semantics(const void *state, struct hs_semantics *out)
{
    hs_preempt_semantics(&((const struct srsf *)state)->preempt, out);
    out->order = "remaining x gpus";
}

static const char *srsf_check(const void *state, const struct hs_view *v)
{
    return hs_preempt_check(&((const struct srsf *)state)->preempt, v);
}

static const struct hs_param params[] = {HS_PREEMPT_PARAMS(struct srsf, preempt), {0}};

const struct hs_policy_ops hs_policy_srsf = {
    .name = "srsf",
    .summary = "shortest remaining service (time x GPUs) first, by true run time, preemptive",
    .cite = "Gu et al. NSDI'19",
    .can = HS_CAN_PREEMPT,
    .knows = HS_KNOWS_DURATION,
    .params = params,
    .state_size = sizeof(struct srsf),
    .job_state_size = HS_PREEMPT_SCRATCH,
    .init = srsf_init,
    .on_event = srsf_event,
    .decide = srsf_decide,
    .semantics = srsf_semantics,
    .check = srsf_check,
};
