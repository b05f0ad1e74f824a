/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Horus+: the placement of Horus, and queues of alike jobs in place of its one; the queue of
 * most jobs times wait is served first, so that no kind of job starves.
 * Credits grow with time alone, hence the timers.
 */
#include "policies/lib/colocate.h"
#include "policies/horus/hplus_queues.h"
#include "policies/horus/horus_place.h"

struct horus_plus {
    struct hs_horus place; /* begins with a struct hs_colocation */
    int64_t look_ahead;
    struct hs_hplus_queues hqueues;
    bool *is_awake; /* per VC: something happened since its last scan */
    bool has_room;  /* a job was refused although a GPU is open: time alone may change that */
};

static void horus_plus_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    *can = HS_CAN_COLOCATE | HS_CAN_TIME;
    *knows = hs_horus_knows(&((const struct horus_plus *)state)->place);
}

static enum hs_status horus_plus_init(void *state, const struct hs_view *v)
{
    struct horus_plus *h = state;
    hs_horus_init(&h->place, v);
    h->is_awake = hs_view_alloc(v, (uint64_t)hs_view_vcs(v) * sizeof *h->is_awake);
    return hs_hplus_queues_init(&h->hqueues, v);
}

static void horus_plus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct horus_plus *h = state;
    uint32_t vcs = hs_view_vcs(v);
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_STOPPED)
        hs_hplus_queues_add(&h->hqueues, v, event->job, hs_horus_by_utilization(v, event->job));
    else if (event->kind == HS_EVENT_FINISH)
        hs_hplus_queues_remove(&h->hqueues, v, event->job);
    if (event->kind == HS_EVENT_TIMER)
        for (uint32_t vc = 0; vc < vcs; vc++)
            h->is_awake[vc] = true;
    else if (event->kind != HS_EVENT_STARTED && event->kind != HS_EVENT_PROGRESS)
        hs_wake(h->is_awake, vcs, v, event->job);
}

/* Starts the first job of a window that can be placed; false when none can. */
static bool start_one(struct horus_plus *h, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    struct hs_hplus_queues_window window;
    hs_job_id job;
    hs_hplus_queues_open(&window, &h->hqueues, v, vc, (uint32_t)h->look_ahead);
    while ((job = hs_hplus_queues_next(&window)) != HS_NO_JOB) {
        if (hs_horus_place(&h->place, v, p, job) || hs_reject_hopeless(v, p, job)) {
            hs_hplus_queues_remove(&h->hqueues, v, job);
            return true;
        }
        if (hs_is_full(v, job) && !hs_hplus_queues_have_cpu_jobs(&h->hqueues, v, vc))
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
        hs_hplus_queues_refresh(&h->hqueues, v, vc);
        while (hs_hplus_queues_count(&h->hqueues, vc) > 0 && start_one(h, v, p, vc))
            continue;
    }
    if (h->has_room)
        hs_hplus_queues_wake(&h->hqueues, v, p);
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
    return hs_hplus_queues_check(&((const struct horus_plus *)state)->hqueues, v);
}

static const struct hs_param params[] = {
    HS_PARAM_INT(struct horus_plus, look_ahead, "look_ahead", "5", 1, HS_HPLUS_LOOK_AHEAD,
                 "waiting jobs that are tried before the rest waits", .unit = "jobs",
                 .source = "5: the authors' simulator"),
    HS_HPLUS_PARAMS(struct horus_plus, hqueues),
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
    .job_state_size = sizeof(struct hs_hplus_queues_scratch),
    .tenants = hs_share_tenants,
    .load = hs_share_load,
    .needs = horus_plus_needs,
    .init = horus_plus_init,
    .on_event = horus_plus_event,
    .decide = horus_plus_decide,
    .semantics = horus_plus_semantics,
    .check = horus_plus_check,
};
