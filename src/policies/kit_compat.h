/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quirks of published simulators that no sensible parameter would have, to compare like with like;
 * off by default. What a job needs besides its run time it owes at its first start.
 *
 *     tiresias  the clock has whole seconds (NSDI'19 simulator)
 *     helios    each preemptible job runs one second too long: the clock ticks in seconds and looks
 *               for finished jobs before it counts the tick (SC'21 and ASPLOS'23 artifacts)
 *     muri      iterations take 1.5 % longer than the trace says; at every event each running job
 *               loses the time of a restart, or, if that is less, what it did since the last event
 *               (SIGCOMM'22 simulator)
 */
#ifndef HORUS_POLICIES_KIT_COMPAT_H
#define HORUS_POLICIES_KIT_COMPAT_H

#include "horus/policy.h"

enum hs_compat { HS_COMPAT_OFF, HS_COMPAT_TIRESIAS, HS_COMPAT_HELIOS, HS_COMPAT_MURI };

/* What the job will owe at its first start; 0 once it has started. muri needs its run time. */
int64_t hs_compat_first_us(enum hs_compat compat, const struct hs_view *v, hs_job_id job);
/* Says so of a job that this plan starts. */
void hs_compat_owe(enum hs_compat compat, const struct hs_view *v, struct hs_plan *p,
                   hs_job_id job);
/* muri: what a job that holds GPUs loses at an event, so long after the last one; 0 where the time
 * of a restart is not known. */
extern const char hs_compat_lost_text[]; /* why, for the plan */
int64_t hs_compat_lost_us(const struct hs_view *v, hs_job_id job, int64_t since_us);

#endif
