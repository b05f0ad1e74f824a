/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns in the lanes of Salus: who has the next mini-batch (exact), or what share of the time
 * (fluid). Lanes where something happened are looked at once a decision, in two steps: what is to
 * be, and, when the plan says how newcomers start, what is to be said for it.
 *
 * Cost of a lane that is looked at: O(members).
 */
#ifndef HORUS_POLICIES_KIT_SALUS_TURN_H
#define HORUS_POLICIES_KIT_SALUS_TURN_H

#include "policies/kit_salus.h"

/* Look at this lane. */
void hs_salus_touch(struct hs_salus *s, uint32_t lane);
/* A job was admitted to its lane. */
void hs_salus_came(struct hs_salus *s, const struct hs_view *v, hs_job_id job);
/* A member hands its first mini-batch in. */
void hs_salus_ready(struct hs_salus *s, const struct hs_view *v, hs_job_id job);
/* The mini-batch of a member that was asked for is done. */
void hs_salus_stepped(struct hs_salus *s, const struct hs_view *v, hs_job_id job);
/* It leaves its lane. */
void hs_salus_left(struct hs_salus *s, const struct hs_view *v, hs_job_id job);
/* The timer of a lane. */
void hs_salus_due(struct hs_salus *s, const struct hs_view *v, uint32_t lane);
/* Who is to run from now on. */
void hs_salus_choose(struct hs_salus *s, const struct hs_view *v, uint32_t lane);
/* Says so. */
void hs_salus_turn(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, uint32_t lane);
/* NULL, or the rule broken. */
const char *hs_salus_turns_check(const struct hs_salus *s, const struct hs_view *v);

#endif
