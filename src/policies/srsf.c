/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shortest remaining service first: remaining time, unpaid costs included, times GPUs
 * (`shortest-gpu` of Tiresias' simulator).
 */
#include "policies/kit_preempt.h"

struct srsf {
    struct hs_preempt preempt;
};

static void srsf_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    *can = HS_CAN_PREEMPT;
    hs_preempt_needs(&((const struct srsf *)state)->preempt, knows);
}

static enum hs_status srsf_init(void *state, const struct hs_view *v)
{
    return hs_preempt_init(&((struct srsf *)state)->preempt, v, true);
}

static void srsf_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    hs_preempt_event(&((struct srsf *)state)->preempt, v, event);
}

static enum hs_status srsf_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    hs_preempt_decide(&((struct srsf *)state)->preempt, v, p);
    return HS_OK;
}

static void srsf_semantics(const void *state, struct hs_semantics *out)
{
    hs_preempt_semantics(&((const struct srsf *)state)->preempt, true, out);
}

static const char *srsf_check(const void *state, const struct hs_view *v)
{
    return hs_preempt_check(&((const struct srsf *)state)->preempt, v);
}

static const struct hs_param params[] = {HS_PREEMPT_PARAMS(struct srsf, preempt), {0}};

const struct hs_policy_ops hs_policy_srsf = {
    .name = "srsf",
    .summary = "shortest remaining service (time x GPUs) first, preemptive",
    .cite = "Gu et al. NSDI'19",
    .can = HS_CAN_PREEMPT,
    .knows = HS_ESTIMATE_KNOWS,
    .params = params,
    .state_size = sizeof(struct srsf),
    .job_state_size = HS_PREEMPT_SCRATCH,
    .needs = srsf_needs,
    .init = srsf_init,
    .on_event = srsf_event,
    .decide = srsf_decide,
    .semantics = srsf_semantics,
    .check = srsf_check,
};
