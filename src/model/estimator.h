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
#ifndef HORUS_MODEL_ESTIMATOR_H
#define HORUS_MODEL_ESTIMATOR_H

#include <stdint.h>

#include "base/diag.h"
#include "horus/compiler.h"
#include "horus/status.h"
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

struct hs_rolling_mean {
    hs_u128 sum_us;
    uint64_t count;
};

struct hs_rolling_pair {
    uint64_t key; /* user and GPUs */
    struct hs_rolling_mean mean;
};

/* Zeroed is empty. */
struct hs_rolling {
    struct hs_rolling_mean all;
    struct hs_rolling_mean *users; /* by id */
    struct hs_rolling_pair *pairs; /* in order of appearance */
    uint32_t *table;               /* open addressing; pair + 1, 0 = empty */
    uint32_t user_cap, pair_count, pair_cap, table_size;
};

/* user: a dense id; run_us >= 0. */
void hs_rolling_add(struct hs_rolling *r, uint32_t user, uint32_t gpus, int64_t run_us);
/* Of the finished jobs of the same user and GPUs; if there is none, of the same user; if there is
 * none, of all; -1 if there is none. */
int64_t hs_rolling_mean_us(const struct hs_rolling *r, uint32_t user, uint32_t gpus);
void hs_rolling_free(struct hs_rolling *r);

struct hs_estimate_file;

HS_MUST_USE enum hs_status hs_estimate_file_open(struct hs_estimate_file **f, const char *path,
                                                 struct hs_diag *diag);
int64_t hs_estimate_file_us(const struct hs_estimate_file *f, const char *id);
void hs_estimate_file_close(struct hs_estimate_file *f); /* NULL is fine */

#endif
