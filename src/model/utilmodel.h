/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Solo GPU utilization of a configuration that was never measured, from the counts of its graph:
 * the form, and its evaluation with the coefficients of predictor.json (`horus calibrate predictor`
 * fits them). What nvidia-smi calls utilization is the share of time in which a kernel is resident,
 * so a step is told by its load, GPU time over the host time that does not overlap it, and
 *
 *     u = 1 - exp(-load)
 *     load = (launch + (per_gmac MACs/1e9 + per_moutput outputs/1e6) batch / layers) exp(-amp)
 *
 * (amp only in mixed precision). Measured configurations of the same model move ln load: below the
 * form, by host time a sample (data loader, environment: invisible in the graph), above it, by work
 * that the counts miss; then by a batch slope and a precision effect of its own.
 */
#ifndef HORUS_MODEL_UTILMODEL_H
#define HORUS_MODEL_UTILMODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"

struct hs_utilwork {
    double batch;
    double gmacs, moutputs; /* of one sample, forward */
    double layers;
    bool is_amp;
};

struct hs_utilform {
    double launch, per_gmac, per_moutput, amp;                     /* ln load lost to amp */
    double busy_layer_ms, busy_gmac_ms, busy_moutput_ms, busy_amp; /* GPU time of a step */
    double busy_margin; /* the host limits only what it would with so many times the GPU time */
};

/* What the measured configurations of a model add to ln load:
 * more_work - ln(1 + host B / 64) + slope ln(B / 64) + (amp + slope_amp ln(B / 64)) (is_amp - 1/2);
 * one of more_work and host is 0. */
struct hs_utilmate {
    double more_work, host, slope, amp, slope_amp;
};

#define HS_UTIL_BATCH 64.0 /* the middle of Lucid's batches, where effects are centred */

double hs_util_batch(const struct hs_profile *profile); /* NaN = it has none */
bool hs_util_is_amp(const struct hs_profile *profile);
double hs_util_of_log_load(double log_load);
double hs_util_to_log_load(double util); /* of a utilization clipped to 0.005..HS_UTIL_SATURATED */
/* False: batch, MACs, outputs or layers unknown. */
bool hs_utilwork_of(const struct hs_profile *profile, struct hs_utilwork *work);
double hs_utilform_log_load(const struct hs_utilform *form, const struct hs_utilwork *work);
double hs_utilform_busy_ms(const struct hs_utilform *form, const struct hs_utilwork *work);
double hs_utilmate_effect(const struct hs_utilmate *mate, const struct hs_utilwork *work);
/* host and more_work such that `mean` is the mean effect on `count` batches, in units of
 * HS_UTIL_BATCH; the other effects are set to 0. */
void hs_utilmate_centre(struct hs_utilmate *mate, double mean, const double *batches,
                        uint32_t count);
/* What is left of the effect on ln load that one measurement shows: a saturated GPU tells only that
 * the load is not smaller. */
double hs_util_residual(double util, double log_load);
/* The host feeds a batch in host_ms: util, or less if the GPU then waits. */
double hs_utilform_host_limit(const struct hs_utilform *form, const struct hs_utilwork *work,
                              double util, double host_ms);

#endif
