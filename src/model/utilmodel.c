/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The form of solo utilization and its evaluation. All finite for whatever finite features: the
 * form has a floor (launches alone), and ln load is cut where u is 0 or 1 in double precision.
 * A prediction is one look along the measured models: O(models).
 */
#include "model/utilmodel.h"

#include <math.h>
#include <string.h>

#include "base/timeparse.h"
#include "model/modelfile.h"
#include "model/utilmodel_private.h"

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

static bool parse_batch(const struct hs_profile *profile, double *batch)
{
    return hs_parse_double(profile->batch, strlen(profile->batch), batch) && *batch > 0;
}

static bool is_amp(const struct hs_profile *profile)
{
    return hs_model_same_name(profile->precision, "amp");
}

bool hs_utilwork_of(const struct hs_profile *profile, struct hs_utilwork *work)
{
    const double *features = profile->features;
    *work = (struct hs_utilwork){.gmacs = features[HS_FEATURE_MACS] / 1e9,
                                 .moutputs = features[HS_FEATURE_OUTPUTS] / 1e6,
                                 .layers = features[HS_FEATURE_LAYERS],
                                 .is_amp = is_amp(profile)};
    return parse_batch(profile, &work->batch) && work->gmacs >= 0 && work->moutputs >= 0 &&
           work->layers >= 1;
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

/* ---- the fitted predictor ---- */

const char *hs_utilbasis_text(enum hs_utilbasis basis)
{
    static const char *const texts[HS_UTIL_BASIS_COUNT] = {
        [HS_UTIL_NOT_KNOWN] = "not known",
        [HS_UTIL_KNOWN_MODEL] = "known model, unseen configuration",
        [HS_UTIL_ONE_MEASURED] = "one measured configuration",
        [HS_UTIL_UNSEEN_MODEL] = "unseen model",
        [HS_UTIL_UNSEEN_HOST] = "unseen model, host time known",
        [HS_UTIL_SHIFT] = "one measured configuration, no features",
    };
    return texts[basis];
}

static const struct hs_utilmodel_entry *find_entry(const struct hs_utilmodel *m,
                                                   const struct hs_profile *profile)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (hs_model_same_name(m->entries[i].model, profile->model) &&
            hs_model_same_name(m->entries[i].dataset, profile->dataset))
            return &m->entries[i];
    return NULL;
}

const char *hs_utilmodel_gpu(const struct hs_utilmodel *m)
{
    return m->gpu;
}

double hs_utilmodel_predict(const struct hs_utilmodel *m, const struct hs_profile *profile,
                            enum hs_utilbasis *basis)
{
    struct hs_utilwork work;
    *basis = HS_UTIL_NOT_KNOWN;
    if (!hs_utilwork_of(profile, &work))
        return NAN;
    double log_load = hs_utilform_log_load(&m->form, &work);
    const struct hs_utilmodel_entry *entry = find_entry(m, profile);
    if (entry != NULL) {
        *basis = entry->configs > 1 ? HS_UTIL_KNOWN_MODEL : HS_UTIL_ONE_MEASURED;
        return hs_util_of_log_load(log_load + hs_utilmate_effect(&entry->mate, &work));
    }
    *basis = profile->host_ms > 0 ? HS_UTIL_UNSEEN_HOST : HS_UTIL_UNSEEN_MODEL;
    return hs_utilform_host_limit(&m->form, &work, hs_util_of_log_load(log_load), profile->host_ms);
}

/* Without features: the mean effect of batch and precision within a model. */
static double shift(const struct hs_utilmodel *m, const struct hs_profile *from, double util,
                    const struct hs_profile *to, enum hs_utilbasis *basis)
{
    double before = 1, after = 1;
    bool is_known = parse_batch(from, &before) && parse_batch(to, &after);
    if (!is_known && !hs_model_same_name(from->batch, to->batch)) {
        *basis = HS_UTIL_NOT_KNOWN;
        return NAN;
    }
    *basis = HS_UTIL_SHIFT;
    double moved = is_known ? m->shift_per_ln_batch * log(after / before) : 0;
    moved += m->shift_amp * ((int)is_amp(to) - (int)is_amp(from));
    return hs_util_of_log_load(hs_util_to_log_load(util) + moved);
}

double hs_utilmodel_transfer(const struct hs_utilmodel *m, const struct hs_profile *from,
                             double util, const struct hs_profile *to, enum hs_utilbasis *basis)
{
    struct hs_utilwork before, after;
    if (!hs_model_same_name(from->gpu, m->gpu) || !hs_utilwork_of(from, &before) ||
        !hs_utilwork_of(to, &after))
        return shift(m, from, util, to, basis);
    struct hs_utilmate mate;
    double batch = before.batch / HS_UTIL_BATCH;
    hs_utilmate_centre(&mate, hs_util_residual(util, hs_utilform_log_load(&m->form, &before)),
                       &batch, 1);
    *basis = HS_UTIL_ONE_MEASURED;
    return hs_util_of_log_load(hs_utilform_log_load(&m->form, &after) +
                               hs_utilmate_effect(&mate, &after));
}

double hs_utilmodel_error(const struct hs_utilmodel *m, enum hs_utilbasis basis)
{
    return m->error[basis];
}
