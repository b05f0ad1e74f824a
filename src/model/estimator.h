/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of the run time of a job, made at its submission: the true time, the true time with
 * noise, the value in a file, or the mean of earlier jobs of its user.
 *
 *     HS_TRY(hs_estimator_open(&e, &how, seed, diag));
 *     int64_t us = hs_estimator_us(e, &facts);
 *     HS_TRY(hs_estimator_learn(e, &facts, run_us));    // after a job completed
 *     hs_estimator_close(e);
 */
#pragma once

#include "base/diag.h"
#include "horus/view.h"

/* Upper limit of estimates: 36,558 years, so that an estimate can be added to any time. */
#define HS_ESTIMATE_MAX_US (INT64_MAX / 8)

struct hs_estimate_facts {
    uint64_t index; /* in the trace: key of the noise */
    const char *id;
    uint32_t user, gpus;
    uint32_t attempt; /* a job missing in the file is counted once */
    int64_t run_us;   /* the true time: only for oracles */
};

struct hs_estimation;

/* seed: of the run. how->file: only for HS_ESTIMATE_FILE. */
HS_MUST_USE enum hs_status hs_estimator_open(struct hs_estimation **e,
                                             const struct hs_estimator *how, uint64_t seed,
                                             struct hs_diag *diag);
/* Returns 0..HS_ESTIMATE_MAX_US. */
int64_t hs_estimator_us(struct hs_estimation *e, const struct hs_estimate_facts *facts);
/* run_us: time used by the job, without overheads. */
void hs_estimator_learn(struct hs_estimation *e, const struct hs_estimate_facts *facts,
                        int64_t run_us);
/* Number of jobs so far that the file does not contain; 0 for other sources. */
uint64_t hs_estimator_unnamed(const struct hs_estimation *e);
void hs_estimator_close(struct hs_estimation *e); /* NULL is allowed */
