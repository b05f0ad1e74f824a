/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The form of solo utilization. All values are finite for all finite features: the form has a floor
 * (launches alone), and ln load is cut where u is 0 or 1 in double precision.
 */
#include "model/utilmodel.h"

#include <math.h>
#include <string.h>

#include "base/fmt.h"
#include "model/modelfile.h"

/* From here on a GPU that is busy all the time looks like one with twice the work. */
#define HS_UTIL_SATURATED 0.98

#define UTIL_MIN     0.005 /* below half a per cent nvidia-smi prints 0 */
#define LOG_LOAD_MAX 30.0
#define BISECTIONS   200

/* ---- the form ---- */

double hs_util_of_log_load(double log_load)
{
    return -expm1(-exp(fmin(fmax(log_load, -LOG_LOAD_MAX), LOG_LOAD_MAX)));
}

double hs_util_to_log_load(double util)
{
    return log(-log1p(-fmin(fmax(util, UTIL_MIN), HS_UTIL_SATURATED)));
}

double hs_util_batch(const struct hs_profile *profile)
{
    double batch;
    const char *text = profile->batch;
    return hs_parse_double(text, strlen(text), &batch) && batch > 0 ? batch : NAN;
}

bool hs_util_is_amp(const struct hs_profile *profile)
{
    return hs_model_same_name(profile->precision, "amp");
}

bool hs_utilwork_of(const struct hs_profile *profile, struct hs_utilwork *work)
{
    const double *features = profile->features;
    *work = (struct hs_utilwork){.batch = hs_util_batch(profile),
                                 .gmacs = features[HS_FEATURE_MACS] / 1e9,
                                 .moutputs = features[HS_FEATURE_OUTPUTS] / 1e6,
                                 .layers = features[HS_FEATURE_LAYERS],
                                 .is_amp = hs_util_is_amp(profile)};
    return work->batch > 0 && work->gmacs >= 0 && work->moutputs >= 0 && work->layers >= 1;
}

double hs_utilform_log_load(const struct hs_utilform *form, const struct hs_utilwork *work)
{
    double sample = form->per_gmac * work->gmacs + form->per_moutput * work->moutputs;
    double load = form->launch + sample * work->batch / work->layers;
    return log(load) - (work->is_amp ? form->amp : 0);
}

double hs_utilform_busy_ms(const struct hs_utilform *form, const struct hs_utilwork *work)
{
    double sample = form->busy_gmac_ms * work->gmacs + form->busy_moutput_ms * work->moutputs;
    double ms = form->busy_layer_ms * work->layers + sample * work->batch;
    return ms * (work->is_amp ? exp(-form->busy_amp) : 1);
}

double hs_utilmate_effect(const struct hs_utilmate *mate, const struct hs_utilwork *work)
{
    double ln_batch = log(work->batch / HS_UTIL_BATCH);
    double precision = work->is_amp ? 0.5 : -0.5;
    return mate->more_work - log1p(mate->host * work->batch / HS_UTIL_BATCH) +
           mate->slope * ln_batch + (mate->amp + mate->slope_amp * ln_batch) * precision;
}

void hs_utilmate_centre(struct hs_utilmate *mate, double mean, const double *batches,
                        uint32_t count)
{
    *mate = (struct hs_utilmate){.more_work = fmax(mean, 0)};
    if (mean >= 0)
        return;
    double smallest = batches[0], largest = batches[0];
    for (uint32_t i = 1; i < count; i++) {
        smallest = fmin(smallest, batches[i]);
        largest = fmax(largest, batches[i]);
    }
    /* One batch alone would need exactly expm1(-mean) / batch. */
    double low = expm1(-mean) / largest, high = expm1(-mean) / smallest;
    for (uint32_t step = 0; step < BISECTIONS && low < high; step++) {
        double middle = low + (high - low) / 2, sum = 0;
        for (uint32_t i = 0; i < count; i++)
            sum += log1p(middle * batches[i]);
        if (middle <= low || middle >= high)
            break;
        if (sum < -mean * count)
            low = middle;
        else
            high = middle;
    }
    mate->host = high;
}

double hs_util_residual(double util, double log_load)
{
    double residual = hs_util_to_log_load(util) - log_load;
    return util >= HS_UTIL_SATURATED ? fmax(residual, 0) : residual;
}

double hs_utilform_host_limit(const struct hs_utilform *form, const struct hs_utilwork *work,
                              double util, double host_ms)
{
    if (!(host_ms > 0))
        return util;
    return fmin(util, form->busy_margin * hs_utilform_busy_ms(form, work) / host_ms);
}
