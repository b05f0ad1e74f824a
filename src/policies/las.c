/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least attained service by seconds, whatever the number of GPUs: the queues of Tiresias where
 * every job weighs 1 (`dlas` of its simulator; kit_tiresias.h).
 */
#include "policies/kit_tiresias.h"

struct las {
    struct hs_tiresias core;
};

static void las_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    hs_tiresias_needs(&((const struct las *)state)->core, can, knows);
}

static enum hs_status las_init(void *state, const struct hs_view *v)
{
    return hs_tiresias_init(&((struct las *)state)->core, v, false);
}

static void las_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    hs_tiresias_event(&((struct las *)state)->core, v, event);
}

static enum hs_status las_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    hs_tiresias_decide(&((struct las *)state)->core, v, p);
    return HS_OK;
}

static void las_semantics(const void *state, struct hs_semantics *out)
{
    hs_tiresias_semantics(&((const struct las *)state)->core, HS_TIRESIAS_ORDERS("time"), out);
}

static const char *las_check(const void *state, const struct hs_view *v)
{
    return hs_tiresias_check(&((const struct las *)state)->core, v);
}

static const struct hs_param params[] = {HS_TIRESIAS_PARAMS(struct las, core, "s"), {0}};

const struct hs_policy_ops hs_policy_las = {
    .name = "las",
    .summary = "least attained service in discretized queues, by seconds",
    .cite = "Gu et al. NSDI'19",
    .can = HS_CAN_PREEMPT | HS_CAN_TIME,
    .knows = HS_KNOWS_HISTORY | HS_KNOWS_MODEL | HS_KNOWS_DURATION,
    .params = params,
    .state_size = sizeof(struct las),
    .job_state_size = sizeof(struct hs_tiresias_job),
    .needs = las_needs,
    .init = las_init,
    .on_event = las_event,
    .decide = las_decide,
    .semantics = las_semantics,
    .check = las_check,
};
