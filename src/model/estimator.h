/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of the run time of a job, made at its submission: the truth, the truth with noise, the
 * figure of a file, or the mean of earlier jobs of its user.
 *
 *     HS_TRY(hs_estimator_open(&e, &how, seed, diag));
 *     int64_t us = hs_estimator_us(e, &facts);
 *     HS_TRY(hs_estimator_learn(e, &facts, run_us));    // of a job that is done
 *     hs_estimator_close(e);
 */
#pragma once

#include "base/diag.h"
#include "horus/view.h"

/* No estimate is longer: 36,558 years, so that it can be added to any time. */
#define HS_ESTIMATE_MAX_US (INT64_MAX / 8)

struct hs_estimate_facts {
    uint64_t index; /* of the job in the trace: key of its noise */
    const char *id;
    uint32_t user, gpus;
    uint32_t attempt; /* a job that the file does not name is counted once */
    int64_t run_us;   /* the truth: for the oracles only */
};

struct hs_estimation;

/* seed: of the run. how->file: only with HS_ESTIMATE_FILE. */
HS_MUST_USE enum hs_status hs_estimator_open(struct hs_estimation **e,
                                             const struct hs_estimator *how, uint64_t seed,
                                             struct hs_diag *diag);
/* 0..HS_ESTIMATE_MAX_US. */
int64_t hs_estimator_us(struct hs_estimation *e, const struct hs_estimate_facts *facts);
/* What the job took, without costs. */
void hs_estimator_learn(struct hs_estimation *e, const struct hs_estimate_facts *facts,
                        int64_t run_us);
/* Jobs asked about so far that the file does not name; 0 for other sources. */
uint64_t hs_estimator_unnamed(const struct hs_estimation *e);
void hs_estimator_close(struct hs_estimation *e); /* NULL is fine */
