/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The queues of philly when they are empty, and what must hold of them between two passes.
 */
#include "policies/kit_philly.h"

#include "policies/kit_queue.h"

const char *const hs_requeue_names[] = {"tail", "head", NULL};

/* Sleepers are told apart by their bounds: who has given up all locality that he may fails when a
 * smaller gang did. */
static uint32_t sleeper_size(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    const struct hs_philly_scratch *j = hs_view_scratch(v, job);
    *is_constrained = hs_view_is_constrained(v, job) || !j->is_relaxed;
    return hs_view_gpus(v, job);
}

enum hs_status hs_philly_init(struct hs_philly *s, const struct hs_view *v)
{
    s->fair_ppm = (uint64_t)(s->fair_preempt * HS_PHILLY_PPM + 0.5);
    s->vc_count = hs_view_vcs(v);
    s->vcs = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->vcs);
    s->by_use = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->by_use);
    s->is_awake = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->is_awake);
    if (s->vcs == NULL || s->by_use == NULL || s->is_awake == NULL)
        return HS_E_MEMORY;
    for (uint32_t vc = 0; vc < s->vc_count; vc++) {
        uint64_t quota = hs_view_quota(v, vc), gpus = hs_view_total_gpus(v, vc);
        s->vcs[vc].quota = quota < gpus ? quota : gpus;
        s->vcs[vc].asleep.size_of = sleeper_size;
        s->vcs[vc].wake_us = s->retry_us > 0 ? INT64_MAX : 0;
    }
    return hs_locality_init(&s->locality, v);
}

const char *hs_philly_check(const struct hs_philly *s, const struct hs_view *v)
{
    if (!hs_order_is_valid(&s->running, v))
        return "the list of running jobs is out of order";
    for (hs_job_id j = hs_order_first(&s->running, v); j != HS_NO_JOB;
         j = hs_order_next(&s->running, v, j))
        if (hs_job_waits(v, j))
            return "the list of running jobs holds one that waits";
    for (uint32_t vc = 0; vc < s->vc_count; vc++) {
        const struct hs_order *asleep = &s->vcs[vc].asleep;
        for (hs_job_id j = hs_order_first(&s->vcs[vc].due, v); j != HS_NO_JOB;
             j = hs_order_next(&s->vcs[vc].due, v, j))
            if (hs_view_state(v, j) != HS_JOB_SUSPENDED) /* by the very pass */
                return "a job was due and was not tried";
        if (!hs_order_is_valid(asleep, v))
            return "a waiting queue is out of order";
        for (hs_job_id j = hs_order_first(asleep, v); j != HS_NO_JOB;
             j = hs_order_next(asleep, v, j))
            if (!hs_job_waits(v, j))
                return "a waiting queue holds a job that does not wait";
    }
    return NULL;
}
