/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How well a job that has just arrived can be told after a few tries: each job in turn is left out
 * of the rank-1 fit, then a and b are found from `anchors` co-runs with known jobs, drawn towards
 * those of its own model (of all jobs, where no other of its model is known), and everything else
 * that it did is predicted. Trial packing like Gandiva's needs no more than this.
 *
 *     HS_TRY(hs_paircold_study(&rank1, scores, diag));       // scores[k]: hs_cold_anchors[k] tries
 */
#ifndef HORUS_CALIBRATE_PAIRCOLD_H
#define HORUS_CALIBRATE_PAIRCOLD_H

#include "calibrate/pairrank1.h"

#define HS_COLD_STEPS 6u
extern const uint32_t hs_cold_anchors[HS_COLD_STEPS]; /* 0, 1, 2, 3, 5, 8: calibration.md 4 */

/* Anchors are the first of the job's partners in the order of a hash of both keys; a job with fewer
 * partners is tried with all. A row counts twice, once for each of its jobs as the new one, where
 * neither is an anchor of the other. Jobs without which nothing can be fitted are left out. */
HS_MUST_USE enum hs_status hs_paircold_study(struct hs_pairrank1 *f,
                                             struct hs_score scores[HS_COLD_STEPS],
                                             struct hs_diag *diag);

#endif
