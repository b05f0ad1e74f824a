/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs that have their GPUs to themselves. Where no policy shares, throttles or divides GPUs and
 * nobody asks about a single one (e->is_whole), a job sits on all that it has of a node at once:
 * one seat, and of struct hs_gpu nothing but the node is kept.
 */
#ifndef HORUS_ENGINE_WHOLE_H
#define HORUS_ENGINE_WHOLE_H

#include "engine/state.h"

/* Does the policy leave it at that? Before the first job; it may end later. */
bool hs_whole_may_begin(const struct hs_engine *e);
/* Somebody asks about a single GPU: from now on each is kept. O(live jobs + GPUs held), once. */
HS_COLD HS_MUST_USE enum hs_status hs_whole_end_now(struct hs_engine *e);
HS_MUST_USE static inline enum hs_status hs_whole_end(struct hs_engine *e)
{
    return HS_LIKELY(!e->is_whole) ? HS_OK : hs_whole_end_now(e);
}

/* Seats the job of a placement on the lowest free GPUs of the nodes that were picked; its state is
 * set by the caller, who has it rated. O(nodes). */
HS_MUST_USE enum hs_status hs_whole_seat(struct hs_engine *e, const struct hs_action *a);
/* Frees all its seats. */
void hs_whole_unseat(struct hs_engine *e, struct hs_job *job);
/* The same of a job whose attempt is over: plans may have its GPUs from now on, too. */
void hs_whole_leave(struct hs_engine *e, struct hs_job *job);

#endif
