/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The account of a job under Tiresias: service since it was last promoted, time that it waited, and
 * when the one or the other will make it change its queue (kit_tiresias.h).
 *
 *     hs_service_account(t, v, job);          // before its state changes
 *     hs_service_forget(q, v, job);
 *     ... is_holding, is_served, level ...
 *     hs_service_watch(t, q, v, job);         // it stands among those that are due again
 */
#ifndef HORUS_POLICIES_KIT_SERVICE_H
#define HORUS_POLICIES_KIT_SERVICE_H

#include "policies/kit_tiresias.h"

#define HS_NEVER_DUE INT64_MAX

static inline struct hs_tiresias_job *hs_service_job(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

static inline struct hs_tiresias_queues *hs_service_queues(const struct hs_tiresias *t,
                                                           const struct hs_view *v, hs_job_id job)
{
    return &t->by_vc[hs_view_vc(v, job)];
}

/* GPUs, or 1 where seconds count. */
int64_t hs_service_weight(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job);
/* What it pays counts as service: compat=helios, muri. Nobody is promoted there: jobs could go
 * round for ever, each up again before it has paid for its last eviction. */
bool hs_service_counts_costs(const struct hs_tiresias *t);
/* Who waits long enough goes back to the first queue. */
static inline bool hs_service_promotes(const struct hs_tiresias *t)
{
    return t->promote_knob > 0;
}
/* Brings the account up to now. */
void hs_service_account(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job);
/* When a job whose account is of now will have the service of its queue, if it is served from now
 * on; when it will have waited long enough, if it waits. HS_NEVER_DUE if it will not. */
int64_t hs_service_demotion_us(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job);
int64_t hs_service_promotion_us(const struct hs_tiresias *t, const struct hs_view *v,
                                hs_job_id job);
/* Into the set of those that are due, and out of it; the account is of now, the queues its own. */
void hs_service_watch(const struct hs_tiresias *t, struct hs_tiresias_queues *q,
                      const struct hs_view *v, hs_job_id job);
static inline void hs_service_forget(struct hs_tiresias_queues *q, const struct hs_view *v,
                                     hs_job_id job)
{
    if (hs_service_job(v, job)->due.is_linked)
        hs_front_remove(&q->due, v, job);
}
/* It has had the service of its queue by now. */
bool hs_service_is_beyond(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job);

#endif
