/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shortest job first by run time, true or estimated, never preempting. scan=strict as in the
 * Helios artifact. Not Tiresias' `sjf`, which orders by GPU count.
 */
#include "policies/kit_estimate.h"
#include "policies/kit_queue.h"

struct sjf {
    int32_t scan, placement;
    struct hs_estimate_choice estimate;
    struct hs_queue waiting;
};

struct sjf_scratch {
    struct hs_order_link link;
};

static void sjf_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    (void)can;
    hs_estimate_needs(&((const struct sjf *)state)->estimate, knows);
}

static enum hs_status sjf_init(void *state, const struct hs_view *v)
{
    struct sjf *s = state;
    HS_TRY(hs_estimate_open(&s->estimate, v));
    return hs_queue_init_for(&s->waiting, v, (enum hs_scan)s->scan);
}

static void sjf_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct sjf *s = state;
    if (event->kind == HS_EVENT_SUBMIT)
        hs_queue_submit(&s->waiting, v, event->job, hs_view_estimate_us(v, event->job));
    else if (event->kind == HS_EVENT_STARTED)
        hs_queue_remove(&s->waiting, v, event->job);
    else if (event->kind == HS_EVENT_FINISH)
        hs_queue_finish(&s->waiting, v, event->job);
}

static enum hs_status sjf_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct sjf *s = state;
    hs_queue_scan(&s->waiting, v, p, (enum hs_placer)s->placement);
    return HS_OK;
}

static void sjf_semantics(const void *state, struct hs_semantics *out)
{
    const struct sjf *s = state;
    *out = (struct hs_semantics){.order = hs_estimate_order(&s->estimate),
                                 .scan = hs_scan_names[s->scan],
                                 .placement = hs_placer_names[s->placement],
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *sjf_check(const void *state, const struct hs_view *v)
{
    return hs_queue_check(&((const struct sjf *)state)->waiting, v);
}

static const struct hs_param params[] = {
    {.key = "scan",
     .type = HS_PARAM_CHOICE,
     .offset = offsetof(struct sjf, scan),
     .preset = "strict",
     .choices = hs_scan_two_names,
     .help = "behind a job that does not fit: stop, or skip it",
     .source = "strict: Helios artifact (Hu et al. SC'21)"},
    HS_PLACEMENT_PARAM(struct sjf, placement),
    HS_ESTIMATE_PARAMS(struct sjf, estimate, "oracle"),
    {0}};

const struct hs_policy_ops hs_policy_sjf = {
    .name = "sjf",
    .summary = "shortest job first, no preemption",
    .cite = "Hu et al. SC'21",
    .can = HS_CAN_DIVIDE,
    .knows = HS_ESTIMATE_KNOWS,
    .params = params,
    .state_size = sizeof(struct sjf),
    .job_state_size = sizeof(struct sjf_scratch),
    .needs = sjf_needs,
    .init = sjf_init,
    .on_event = sjf_event,
    .decide = sjf_decide,
    .semantics = sjf_semantics,
    .check = sjf_check,
};
