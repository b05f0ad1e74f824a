/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Horus+: the placement of Horus, and lanes of alike jobs in place of its one queue; the lane of
 * most jobs times wait is served first, so that no kind of job starves (policies/horus.md 4).
 * Credits grow with time alone, hence the timers.
 */
#include "policies/kit_colocate.h"
#include "policies/kit_credit.h"
#include "policies/kit_horus.h"

struct horus_plus {
    int64_t look_ahead;
    struct hs_horus place;
    struct hs_lanes lanes;
    bool *is_awake; /* per VC: something happened since its last scan */
    bool has_room;  /* somebody was refused although some GPU is open: time alone may change that */
};

struct horus_plus_scratch {
    struct hs_lanes_scratch lanes;
    struct hs_refusal refusal;
};

static void horus_plus_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    *can = HS_CAN_COLOCATE | HS_CAN_TIME;
    *knows = hs_horus_knows(&((const struct horus_plus *)state)->place);
}

static struct hs_refusal *refusal_of(const struct hs_view *v, hs_job_id job)
{
    return &((struct horus_plus_scratch *)hs_view_scratch(v, job))->refusal;
}

static enum hs_status horus_plus_init(void *state, const struct hs_view *v)
{
    struct horus_plus *h = state;
    HS_TRY(hs_horus_init(&h->place, v));
    h->is_awake = hs_view_alloc(v, (uint64_t)hs_view_vcs(v) * sizeof *h->is_awake);
    if (h->is_awake == NULL)
        return HS_E_MEMORY;
    return hs_lanes_init(&h->lanes, v);
}

static void horus_plus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct horus_plus *h = state;
    uint32_t vcs = hs_view_vcs(v);
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_STOPPED)
        hs_lanes_add(&h->lanes, v, event->job, hs_horus_by_utilization(v, event->job));
    else if (event->kind == HS_EVENT_FINISH)
        hs_lanes_remove(&h->lanes, v, event->job);
    if (event->kind == HS_EVENT_TIMER)
        for (uint32_t vc = 0; vc < vcs; vc++)
            h->is_awake[vc] = true;
    else if (event->kind != HS_EVENT_STARTED && event->kind != HS_EVENT_PROGRESS)
        hs_wake(h->is_awake, vcs, v, event->job);
}

static uint32_t horus_plus_tenants(const void *state)
{
    return (uint32_t)((const struct horus_plus *)state)->place.sharer.max_tenants;
}

static bool horus_plus_load(const void *state, const struct hs_view *v, hs_job_id job,
                            int32_t sum[HS_LOADS])
{
    return hs_share_load(&((const struct horus_plus *)state)->place.sharer, v, job, sum);
}

/* Starts the first job of a window that can be placed; false when none can. */
static bool start_one(struct horus_plus *h, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    struct hs_lanes_window window;
    hs_job_id job;
    hs_lanes_open(&window, &h->lanes, v, vc, (uint32_t)h->look_ahead);
    while ((job = hs_lanes_next(&window)) != HS_NO_JOB) {
        if (hs_horus_place(&h->place, v, p, job, refusal_of(v, job)) ||
            hs_reject_hopeless(v, p, job)) {
            hs_lanes_remove(&h->lanes, v, job);
            return true;
        }
        if (hs_is_full(v, job) && !hs_lanes_have_cpu_jobs(&h->lanes, v, vc))
            return false;
        h->has_room = true;
    }
    return false;
}

static enum hs_status horus_plus_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct horus_plus *h = state;
    h->has_room = false;
    for (uint32_t vc = 0; vc < hs_view_vcs(v); vc++) {
        if (!h->is_awake[vc])
            continue;
        h->is_awake[vc] = false;
        hs_lanes_refresh(&h->lanes, v, vc);
        while (hs_lanes_count(&h->lanes, vc) > 0 && start_one(h, v, p, vc))
            continue;
    }
    if (h->has_room)
        hs_lanes_wake(&h->lanes, v, p);
    return HS_OK;
}

static void horus_plus_semantics(const void *state, struct hs_semantics *out)
{
    const struct horus_plus *h = state;
    *out = (struct hs_semantics){.order = "lanes by credit, utilization",
                                 .scan = "look-ahead",
                                 .placement = hs_horus_placement(&h->place),
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *horus_plus_check(const void *state, const struct hs_view *v)
{
    return hs_lanes_check(&((const struct horus_plus *)state)->lanes, v);
}

static const struct hs_param params[] = {
    {.key = "look_ahead",
     .type = HS_PARAM_INT,
     .offset = offsetof(struct horus_plus, look_ahead),
     .preset = "5",
     .min = 1,
     .max = HS_LANES_LOOK_AHEAD,
     .unit = "jobs",
     .help = "waiting jobs that are tried before the rest waits",
     .source = "5: the authors' simulator"},
    HS_LANES_PARAMS(struct horus_plus, lanes),
    HS_HORUS_PARAMS(struct horus_plus, place),
    {0}};

const struct hs_policy_ops hs_policy_horus_plus = {
    .name = "horus+",
    .summary = "horus with lanes of alike jobs, the lane of most jobs times wait first",
    .cite = "Yeung et al., Horus+, TPDS 33(1), 2022; as in their simulator, its faults mended",
    .can = HS_CAN_COLOCATE | HS_CAN_TIME,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE,
    .params = params,
    .state_size = sizeof(struct horus_plus),
    .job_state_size = sizeof(struct horus_plus_scratch),
    .tenants = horus_plus_tenants,
    .load = horus_plus_load,
    .needs = horus_plus_needs,
    .init = horus_plus_init,
    .on_event = horus_plus_event,
    .decide = horus_plus_decide,
    .semantics = horus_plus_semantics,
    .check = horus_plus_check,
};
