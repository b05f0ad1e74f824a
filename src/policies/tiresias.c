/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tiresias: two-dimensional least attained service (or Gittins index) in discretized queues, with
 * preemption and without knowledge of run times (kit_tiresias.h).
 */
#include "policies/kit_tiresias.h"

struct tiresias {
    struct hs_tiresias core;
};

static void tiresias_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    hs_tiresias_needs(&((const struct tiresias *)state)->core, can, knows);
}

static enum hs_status tiresias_init(void *state, const struct hs_view *v)
{
    return hs_tiresias_init(&((struct tiresias *)state)->core, v, true);
}

static void tiresias_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    hs_tiresias_event(&((struct tiresias *)state)->core, v, event);
}

static enum hs_status tiresias_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    hs_tiresias_decide(&((struct tiresias *)state)->core, v, p);
    return HS_OK;
}

static void tiresias_semantics(const void *state, struct hs_semantics *out)
{
    hs_tiresias_semantics(&((const struct tiresias *)state)->core, HS_TIRESIAS_ORDERS("GPU time"),
                          out);
}

static const char *tiresias_check(const void *state, const struct hs_view *v)
{
    return hs_tiresias_check(&((const struct tiresias *)state)->core, v);
}

static const struct hs_param params[] = {HS_TIRESIAS_PARAMS(struct tiresias, core, "GPU s"), {0}};

const struct hs_policy_ops hs_policy_tiresias = {
    .name = "tiresias",
    .summary = "least attained service in discretized queues, GPUs times seconds; or Gittins index",
    .cite = "Gu et al. NSDI'19",
    .can = HS_CAN_PREEMPT | HS_CAN_TIME,
    .knows = HS_KNOWS_HISTORY | HS_KNOWS_MODEL | HS_KNOWS_DURATION,
    .params = params,
    .state_size = sizeof(struct tiresias),
    .job_state_size = sizeof(struct hs_tiresias_job),
    .needs = tiresias_needs,
    .init = tiresias_init,
    .on_event = tiresias_event,
    .decide = tiresias_decide,
    .semantics = tiresias_semantics,
    .check = tiresias_check,
};
