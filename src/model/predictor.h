/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predictions for policies, before and while a job runs: its utilization and memory, and the
 * slowdown of a pair, with their errors. They rest on the catalogue and predictor.json, never on
 * the interference model that the engine applies.
 *
 *     HS_TRY(hs_predictor_open(&p, set, &catalogue, &options, diag));
 *     hs_predictor_estimate(p, &facts, &estimate);
 *     s_q20 = hs_predictor_slowdown_q20(p, estimate_a.util_pm, estimate_b.util_pm);
 */
#ifndef HORUS_MODEL_PREDICTOR_H
#define HORUS_MODEL_PREDICTOR_H

#include <stdint.h>

#include "model/modelfile.h"
#include "model/profile.h"

enum hs_predictor_kind {
    HS_PREDICT_ORACLE,
    HS_PREDICT_NOISY,
    HS_PREDICT_TABLE,   /* other batches of the same model, linear in log batch */
    HS_PREDICT_REGRESS, /* predictor.json: fitted without the job's own configuration */
};

enum hs_memory_kind { HS_MEMORY_ORACLE, HS_MEMORY_FORMULA, HS_MEMORY_NOISY };

/* What regress may have seen of a job: other configurations of its model, or only other models. */
enum hs_holdout { HS_HOLDOUT_CONFIG, HS_HOLDOUT_MODEL };

struct hs_predictor_options {
    enum hs_predictor_kind kind;
    enum hs_memory_kind memory;
    enum hs_holdout holdout;
    double util_rmsle; /* NOISY: s of log1p(per cent); 0.154 (HotCloud'20) */
    double util_bias;  /* NOISY: mean of the same */
    double mem_ln_sd;  /* NOISY memory: s of ln(estimate / truth) */
    uint64_t seed;     /* of the run: draws are keyed by (seed, purpose, index of the job) */
};

/* What is true of a job, as the trace or the assign stage says. */
struct hs_job_facts {
    uint64_t index;                /* in the trace */
    uint32_t profile;              /* HS_NO_PROFILE = none */
    int32_t util_pm, util_peak_pm; /* -1 = unknown */
    uint32_t mem_mib;              /* per GPU; 0 = unknown */
};

struct hs_estimate {
    int32_t util_pm, util_peak_pm; /* -1 = no estimate */
    uint32_t mem_mib;              /* 0 = no estimate */
    uint32_t util_error_pm;        /* one standard error, absolute, from the hold-out */
    uint32_t mem_error_mib;
};

struct hs_predictor;

HS_MUST_USE enum hs_status hs_predictor_open(struct hs_predictor **out,
                                             const struct hs_modelset *set,
                                             const struct hs_catalogue *catalogue,
                                             const struct hs_predictor_options *options,
                                             struct hs_diag *diag);
/* O(1) after opening (table and regress are worked out per profile at opening); allocates
 * nothing. */
void hs_predictor_estimate(const struct hs_predictor *p, const struct hs_job_facts *facts,
                           struct hs_estimate *out);
/* Predicted slowdown of a job beside another, Q20; from utilizations alone. */
uint64_t hs_predictor_slowdown_q20(const struct hs_predictor *p, int32_t own_pm, int32_t other_pm);
/* Hold-out RMSE of the speed behind it. */
double hs_predictor_slowdown_error(const struct hs_predictor *p);
void hs_predictor_close(struct hs_predictor *p);

#endif
