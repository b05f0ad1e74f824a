/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Backfilling: a job may start before others that wait if that delays none of them that holds a
 * reservation, by run times true or estimated; a wrong one is corrected, never a reason to stop a
 * job. A running job that has outrun its estimate is expected to end now.
 *
 *     easy          (Lifka, JSSPP'95) the first job in order holds a reservation at the time when
 *                   enough GPUs will be free, counting GPUs and thousandths of them; a later job
 *                   starts if it ends by then or fits beside it
 *     conservative  (Mu'alem & Feitelson, TPDS 2001) every waiting job holds one: in order, each
 *                   takes the first time from which enough GPUs are free for as long as it will be
 *                   busy, in a profile with the expected ends of running jobs and the reservations
 *                   before it; one whose time is now starts. The profile is made anew at each
 *                   event, so no job is delayed by one behind it; but a job may lose a time it held
 *                   when one before it moves up. Where the GPUs free now are enough by number and
 *                   the placement finds none, the time is that of the next expected end or later.
 *
 * Plans are made around the windows of --reservations (HS_CAN_RESERVE; MODEL.md 14).
 */
#pragma once

#include "policies/lib/vc_queues.h"

struct hs_backfill;

/* Only from init(). levels: priorities that count in the order; NULL: none. Both are kept. */
struct hs_backfill *hs_backfill_open(const struct hs_view *v, bool is_conservative,
                                     struct hs_place_rule placement,
                                     const struct hs_priority *levels);
/* The on_event and decide of a policy that does not preempt; key: of the job at
 * HS_EVENT_SUBMIT. */
void hs_backfill_event(struct hs_backfill *b, const struct hs_view *v, const struct hs_event *event,
                       int64_t key);
void hs_backfill_scan(struct hs_backfill *b, const struct hs_view *v, struct hs_plan *p);
const char *hs_backfill_check(const struct hs_backfill *b, const struct hs_view *v);
