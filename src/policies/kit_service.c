/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Service, accounted when the state of a job changes, and the moments that follow from it.
 */
#include "policies/kit_service.h"

#define SECOND_US INT64_C(1000000)

int64_t hs_service_weight(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    return t->weighs_gpus ? (int64_t)hs_view_gpus(v, job) : 1;
}

bool hs_service_counts_costs(const struct hs_tiresias *t)
{
    return t->compat == HS_COMPAT_HELIOS || t->compat == HS_COMPAT_MURI;
}

void hs_service_account(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct hs_tiresias_job *j = hs_service_job(v, job);
    int64_t passed_us = hs_view_now_us(v) - j->since_us;
    j->since_us += passed_us;
    if (j->choice.is_served)
        j->service_us += passed_us;
    else if (hs_service_promotes(t) && !j->choice.is_holding && j->service_us > 0)
        j->waited_us += passed_us;
}

static int64_t latest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Both rounded up. */
static int64_t divided(int64_t service, int64_t weight)
{
    return (service - 1) / weight + 1;
}

static int64_t whole_seconds(int64_t us)
{
    return (us + SECOND_US - 1) / SECOND_US * SECOND_US;
}

/* When a job will have served so much, that is weighed. */
static inline int64_t served_us(const struct hs_tiresias_job *j, int64_t limit, int64_t weight)
{
    int64_t left = limit - hs_choice_weigh(j->service_us, weight);
    return j->since_us + (left > 0 ? divided(left, weight) : 0);
}

static HS_COLD int64_t demotion_by_quirk_us(const struct hs_tiresias *t,
                                            const struct hs_tiresias_job *j, int64_t limit,
                                            int64_t weight)
{
    if (t->compat == HS_COMPAT_MURI) /* its timer rounds limit / n up to seconds */
        return j->since_us + latest(0, whole_seconds(divided(limit, weight)) - j->service_us);
    if (t->compat == HS_COMPAT_TIRESIAS)
        return whole_seconds(served_us(j, limit, weight));
    return served_us(j, limit + 1, weight); /* helios: its test is > and not >= */
}

int64_t hs_service_demotion_us(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    const struct hs_tiresias_job *j = hs_service_job(v, job);
    int64_t weight = hs_service_weight(t, v, job);
    if (j->choice.level + 1u >= t->levels || weight == 0)
        return HS_NEVER_DUE;
    int64_t limit = t->limits.us[j->choice.level];
    return HS_LIKELY(t->compat == HS_COMPAT_OFF) ? served_us(j, limit, weight)
                                                 : demotion_by_quirk_us(t, j, limit, weight);
}

int64_t hs_service_promotion_us(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    const struct hs_tiresias_job *j = hs_service_job(v, job);
    int64_t unit_us = t->compat == HS_COMPAT_TIRESIAS ? SECOND_US : 1;
    double units = t->promote_knob * (double)(j->service_us / unit_us);
    if (j->choice.level == 0 || j->service_us == 0 || !hs_service_promotes(t) ||
        units > (double)(HS_NEVER_DUE / 4 / unit_us) || hs_service_counts_costs(t))
        return HS_NEVER_DUE;
    int64_t wait_us = (int64_t)units * unit_us;
    return j->since_us + latest(0, wait_us - j->waited_us);
}

void hs_service_watch(const struct hs_tiresias *t, struct hs_tiresias_queues *q,
                      const struct hs_view *v, hs_job_id job)
{
    const struct hs_tiresias_job *j = hs_service_job(v, job);
    int64_t at_us = j->choice.is_served     ? hs_service_demotion_us(t, v, job)
                    : !j->choice.is_holding ? hs_service_promotion_us(t, v, job)
                                            : HS_NEVER_DUE;
    if (at_us != HS_NEVER_DUE)
        hs_front_add(&q->due, v, job, at_us);
}

bool hs_service_is_beyond(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    const struct hs_tiresias_job *j = hs_service_job(v, job);
    int64_t served_us = j->choice.is_served ? hs_view_now_us(v) - j->since_us : 0;
    return j->choice.level + 1u < t->levels &&
           hs_choice_weigh(j->service_us + served_us, hs_service_weight(t, v, job)) >=
               t->limits.us[j->choice.level];
}
