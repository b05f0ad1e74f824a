/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predictions for policies, before and while a job runs: its utilization and memory, and the
 * slowdown of a pair, with their errors. They are based on the catalogue and predictor.json, never
 * on the interference model of the engine.
 *
 *     HS_TRY(hs_predictor_open(&p, set, &catalogue, &options, diag));
 *     hs_predictor_estimate(p, &facts, &estimate);
 *     s_q20 = hs_predictor_slowdown_q20(p, estimate_a.util_pm, estimate_b.util_pm);
 */
#pragma once

#include "model/profile.h"

enum hs_predictor_kind {
    HS_PREDICT_ORACLE,
    HS_PREDICT_NOISY,
    HS_PREDICT_TABLE,   /* other batches of the same model, linear in log batch */
    HS_PREDICT_REGRESS, /* predictor.json: fitted without the job's own configuration */
};

enum hs_memory_kind { HS_MEMORY_ORACLE, HS_MEMORY_FORMULA, HS_MEMORY_NOISY };

/* Rows that regress may use for a job: other configurations of its model, or only other models. */
enum hs_holdout { HS_HOLDOUT_CONFIG, HS_HOLDOUT_MODEL };

struct hs_predictor_options {
    enum hs_predictor_kind kind;
    enum hs_memory_kind memory;
    enum hs_holdout holdout;
    double util_rmsle; /* NOISY: sd of log1p(per cent); 0.154 (HotCloud'20) */
    double util_bias;  /* NOISY: mean of the same */
    double mem_ln_sd;  /* NOISY memory: sd of ln(estimate / truth) */
    uint64_t seed;     /* of the run: draws are keyed by (seed, purpose, index of the job) */
};

/* The true values of a job, from the trace or the assign stage. */
struct hs_job_facts {
    uint64_t index;                /* in the trace */
    uint32_t profile;              /* HS_NO_PROFILE = none */
    int32_t util_pm, util_peak_pm; /* -1 = unknown */
    uint32_t mem_mib;              /* per GPU; 0 = unknown */
};

struct hs_estimate {
    int32_t util_pm, util_peak_pm; /* -1 = no estimate */
    uint32_t mem_mib;              /* 0 = no estimate */
    uint32_t util_error_pm;        /* one standard error, absolute, from hold-outs */
    uint32_t mem_error_mib;
};

struct hs_predictor;

HS_MUST_USE enum hs_status hs_predictor_open(struct hs_predictor **out,
                                             const struct hs_modelset *set,
                                             const struct hs_catalogue *catalogue,
                                             const struct hs_predictor_options *options,
                                             struct hs_diag *diag);
/* O(1): table and regress are evaluated per profile at opening. Does not allocate. */
void hs_predictor_estimate(const struct hs_predictor *p, const struct hs_job_facts *facts,
                           struct hs_estimate *out);
/* Predicted slowdown of a job beside another, Q20, from utilizations only. */
uint64_t hs_predictor_slowdown_q20(const struct hs_predictor *p, int32_t own_pm, int32_t other_pm);
/* Hold-out RMSE of the speed. */
double hs_predictor_slowdown_error(const struct hs_predictor *p);
void hs_predictor_close(struct hs_predictor *p);

/* ---- the form of solo utilization ----
 *
 * Solo GPU utilization of a configuration that was never measured, from the counts of its graph:
 * the form, evaluated with the coefficients of predictor.json (fitted by `horus calibrate
 * predictor`). nvidia-smi reports the fraction of time in which a kernel is resident, so a step is
 * described by its load, GPU time over the host time that does not overlap it, and
 *
 *     u = 1 - exp(-load)
 *     load = (launch + (per_gmac MACs/1e9 + per_moutput outputs/1e6) batch / layers) exp(-amp)
 *
 * (amp only in mixed precision). Measured configurations of the same model change ln load: if below
 * the form, by host time per sample (data loader, environment: not in the graph), if above, by work
 * missing in the counts; then by a batch slope and a precision effect of the model. */

struct hs_utilwork {
    double batch;
    double gmacs, moutputs; /* per sample, forward */
    double layers;
    bool is_amp;
};

struct hs_utilform {
    double launch, per_gmac, per_moutput, amp;                     /* ln load lost to amp */
    double busy_layer_ms, busy_gmac_ms, busy_moutput_ms, busy_amp; /* GPU time per step */
    double busy_margin; /* factor on the GPU time before the host limits it */
};

/* Effect of the measured configurations of a model on ln load: more_work - ln(1 + host B / 64) +
 * slope ln(B / 64) + (amp + slope_amp ln(B / 64)) (is_amp - 1/2); one of more_work and host is
 * 0. */
struct hs_utilmate {
    double more_work, host, slope, amp, slope_amp;
};

#define HS_UTIL_BATCH 64.0 /* the middle of Lucid's batches, at which effects are centred */

double hs_util_of_log_load(double log_load);
double hs_util_to_log_load(double util); /* clips util to 0.005..HS_UTIL_SATURATED */
/* Returns false if batch, MACs, outputs or layers are unknown. */
bool hs_utilwork_of(const struct hs_profile *profile, struct hs_utilwork *work);
double hs_utilform_log_load(const struct hs_utilform *form, const struct hs_utilwork *work);
double hs_utilform_busy_ms(const struct hs_utilform *form, const struct hs_utilwork *work);
double hs_utilmate_effect(const struct hs_utilmate *mate, const struct hs_utilwork *work);
/* Sets host and more_work such that `mean` is the mean effect on `count` batches, in units of
 * HS_UTIL_BATCH; sets the other effects to 0. */
void hs_utilmate_centre(struct hs_utilmate *mate, double mean, const double *batches,
                        uint32_t count);
/* Returns the effect on ln load of one measurement: a lower limit if the GPU is saturated. */
double hs_util_residual(double util, double log_load);
/* Returns util, or less if the GPU waits for a host that needs host_ms per batch. */
double hs_utilform_host_limit(const struct hs_utilform *form, const struct hs_utilwork *work,
                              double util, double host_ms);
