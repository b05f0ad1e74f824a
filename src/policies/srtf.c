/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shortest remaining time first: the jobs with least work left, unpaid costs included, hold the
 * GPUs. form=evict is the Helios artifact's, form=replace the one of Tiresias' simulator
 * (`shortest`).
 */
#include "policies/kit_preempt.h"

struct srtf {
    struct hs_preempt preempt;
};

static void srtf_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    *can = HS_CAN_PREEMPT;
    hs_preempt_needs(&((const struct srtf *)state)->preempt, knows);
}

static enum hs_status srtf_init(void *state, const struct hs_view *v)
{
    return hs_preempt_init(&((struct srtf *)state)->preempt, v, false);
}

static void srtf_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    hs_preempt_event(&((struct srtf *)state)->preempt, v, event);
}

static enum hs_status srtf_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    hs_preempt_decide(&((struct srtf *)state)->preempt, v, p);
    return HS_OK;
}

static void srtf_semantics(const void *state, struct hs_semantics *out)
{
    hs_preempt_semantics(&((const struct srtf *)state)->preempt, false, out);
}

static const char *srtf_check(const void *state, const struct hs_view *v)
{
    return hs_preempt_check(&((const struct srtf *)state)->preempt, v);
}

static const struct hs_param params[] = {HS_PREEMPT_PARAMS(struct srtf, preempt), {0}};

const struct hs_policy_ops hs_policy_srtf = {
    .name = "srtf",
    .summary = "shortest remaining time first, preemptive",
    .cite = "Hu et al. SC'21 (evict); Gu et al. NSDI'19 (replace)",
    .can = HS_CAN_PREEMPT,
    .knows = HS_ESTIMATE_KNOWS,
    .params = params,
    .state_size = sizeof(struct srtf),
    .job_state_size = HS_PREEMPT_SCRATCH,
    .needs = srtf_needs,
    .init = srtf_init,
    .on_event = srtf_event,
    .decide = srtf_decide,
    .semantics = srtf_semantics,
    .check = srtf_check,
};
