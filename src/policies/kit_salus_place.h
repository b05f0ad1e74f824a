/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a job of Salus is admitted in a cluster (design 3.4; Salus itself has one GPU): on GPUs
 * where a new lane fits, else in the lane of fewest members; among those where GPUs are least
 * utilized, as measured, then lowest ids. Idle GPUs first: the fullest node that has enough; a gang
 * of at most a node's size takes one node. Several lanes of the same GPUs are chosen among as Salus
 * does: paper, the smallest that need not grow, then the smallest; code, the one that had least
 * room when it was cut.
 *
 * Cost: O(log GPUs) and O(log lanes), and what stands there but may not be used; of those that may,
 * the utilization of the first HS_SALUS_LOOK in order (of lanes or members) is compared.
 */
#ifndef HORUS_POLICIES_KIT_SALUS_PLACE_H
#define HORUS_POLICIES_KIT_SALUS_PLACE_H

#include "policies/kit_salus.h"

#define HS_SALUS_LOOK 64

HS_MUST_USE enum hs_status hs_salus_place_init(struct hs_salus *s, const struct hs_view *v);
/* The job has come to sit in a lane, and the plan says that it starts there; false, and nothing has
 * changed, when it is to wait. */
bool hs_salus_admit(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job);
/* Appends the start of an admitted job: as it says, waiting for its turn or not. */
void hs_salus_start(const struct hs_salus *s, const struct hs_view *v, struct hs_plan *p,
                    hs_job_id job);
/* What a job that never ran owes for its start-up, beside what the run says. */
int64_t hs_salus_startup_us(const struct hs_salus *s, const struct hs_view *v, hs_job_id job);

#endif
