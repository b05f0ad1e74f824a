/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The queues and passes of philly, whose definition is in philly.c.
 *
 * A waiting job is in one of two sets of its virtual cluster: due, in the order of the queue, or
 * asleep until its next try. A pass empties the first: it starts jobs or sends them to sleep.
 *
 * Sleepers cost nothing while they sleep on. Who fails is tried every `retry` from then on, so what
 * orders them is the phase of that time, and the number of their tries follows from the clock: in a
 * pass those of its phase are due, and a failure changes nothing. Who has given up all the locality
 * that he may, and is larger than one of his kind that failed, is not even looked at.
 */
#ifndef HORUS_POLICIES_KIT_PHILLY_H
#define HORUS_POLICIES_KIT_PHILLY_H

#include "policies/kit_cost.h"
#include "policies/kit_locality.h"
#include "policies/kit_order.h"

#define HS_PHILLY_PPM 1000000u /* of fair_ppm */

enum hs_requeue { HS_REQUEUE_TAIL, HS_REQUEUE_HEAD };
extern const char *const hs_requeue_names[];

struct hs_philly_vc {
    struct hs_order due;    /* by place in the queue */
    struct hs_order asleep; /* by time modulo retry, then by place in the queue */
    int64_t wake_us;        /* of the first of them; INT64_MAX = there is none, 0 = in each pass */
    uint32_t waker;         /* that one + 1; 0 = it is not known */
    int64_t passes;         /* so far */
    bool has_sleepers;      /* within a pass: some are due and have not been walked yet */
    uint64_t quota;
};

struct hs_philly {
    int64_t retry_us, relax_after, max_level;
    double fair_preempt;
    int32_t requeue;
    struct hs_preempt_cost cost; /* parameters up to here */
    uint64_t fair_ppm;
    struct hs_locality locality;
    struct hs_philly_vc *vcs;
    uint32_t *by_use; /* VCs with due jobs in the order of the walk */
    uint32_t vc_count, due_count;
    struct hs_order running; /* by start of the placement */
    bool *is_awake;          /* per VC: something happened since its last pass */
    bool is_time;            /* somebody's next try is now */
    int64_t timer_us;        /* of the last timer set */
    uint32_t preemptors;     /* counts the tries by preemption */
};

/* A job is in one of these sets at most. */
enum hs_philly_set { HS_PHILLY_NONE, HS_PHILLY_DUE, HS_PHILLY_ASLEEP, HS_PHILLY_RUNNING };

struct hs_philly_scratch {
    struct hs_order_link link;
    int64_t first_round; /* of its tries */
    uint32_t victim_of;  /* number of the try that preempts it in this plan; 0 = none */
    enum hs_philly_set set : 8;
    bool is_new;     /* it was not tried yet */
    bool is_relaxed; /* asleep: to be tried at the last level, where larger gangs fail first */
};

HS_MUST_USE enum hs_status hs_philly_init(struct hs_philly *s, const struct hs_view *v);
void hs_philly_event(struct hs_philly *s, const struct hs_view *v, const struct hs_event *event);
void hs_philly_decide(struct hs_philly *s, const struct hs_view *v, struct hs_plan *p);
/* NULL, or the rule broken. */
const char *hs_philly_check(const struct hs_philly *s, const struct hs_view *v);

#endif
