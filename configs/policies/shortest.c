/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * shortest: a policy outside the tree, as an example. It serves the job with the shortest run time
 * first, as the built-in sjf does with its defaults, and gives the same schedule.
 *
 *     cc -shared -fPIC $(pkg-config --cflags horus) -o shortest.so shortest.c
 *     horus run traces/sample.csv -p ./shortest.so
 */
#include "policies/lib/vc_queues.h"

/* Parameters, filled in from the table below, then the state; plain bytes, zeroed. */
struct shortest {
    int32_t scan;
    struct hs_place_rule placement;
    struct hs_estimate_choice estimate;
    struct hs_vc_queues waiting;
};

/* The source of estimates and the choice of GPU types decide what it has to know. */
static void shortest_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct shortest *s = state;
    (void)can;
    hs_estimate_needs(&s->estimate, knows);
    hs_place_needs(s->placement, knows);
}

static enum hs_status shortest_init(void *state, const struct hs_view *v)
{
    struct shortest *s = state;
    HS_TRY(hs_estimate_open(&s->estimate, v));
    hs_vc_queues_init(&s->waiting, v, (enum hs_scan)s->scan);
    return HS_OK;
}

static void shortest_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct shortest *s = state;
    int64_t key = event->kind == HS_EVENT_SUBMIT ? hs_view_estimate_us(v, event->job) : 0;
    hs_vc_queues_event(&s->waiting, v, event, key);
}

/* Once an instant, after all its events: what starts now, and where. */
static enum hs_status shortest_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct shortest *s = state;
    hs_vc_queues_scan(&s->waiting, v, p, s->placement);
    return HS_OK;
}

static void shortest_semantics(const void *state, struct hs_semantics *out)
{
    const struct shortest *s = state;
    *out = (struct hs_semantics){.order = "duration",
                                 .scan = hs_scan_names[s->scan],
                                 .placement = hs_place_text(s->placement),
                                 .preemption = "none",
                                 .cost = "none"};
}

static const struct hs_param params[] = {
    HS_PARAM_CHOICE(struct shortest, scan, "scan", "strict", hs_scan_two_names,
                    "when a job does not fit: stop (strict), or skip it (fit)"),
    HS_PLACEMENT_PARAM(struct shortest, placement),
    HS_ESTIMATE_PARAMS(struct shortest, estimate, "oracle"),
    {0}};

static const struct hs_policy_ops policy = {
    .name = "shortest",
    .summary = "shortest job first",
    .cite = "none",
    .can = HS_CAN_DIVIDE,
    .knows = HS_ESTIMATE_KNOWS | HS_KNOWS_SPEED, /* the view refuses what is not declared */
    .params = params,
    .state_size = sizeof(struct shortest),
    .job_state_size = sizeof(struct hs_job_queue_link),
    .needs = shortest_needs,
    .init = shortest_init,
    .on_event = shortest_event,
    .decide = shortest_decide,
    .semantics = shortest_semantics,
};

HS_POLICY_PLUGIN(policy);
