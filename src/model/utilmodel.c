/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The form of solo utilization, read out of predictor.json ("fit", "shift" and, for the errors,
 * "holdout"), and its evaluation. All values are finite for all finite features: the form has a
 * floor (launches alone), and ln load is cut where u is 0 or 1 in double precision. A prediction
 * is O(models measured).
 */
#include "model/utilmodel.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/memory.h"
#include "base/fmt.h"
#include "model/modelfile.h"
#include "model/profile.h"

/* From here on a GPU that is busy all the time looks like one with twice the work. */
#define HS_UTIL_SATURATED 0.98

struct hs_utilmodel_entry {
    const char *model, *dataset;
    uint32_t configs; /* measured */
    struct hs_utilmate mate;
};

struct hs_utilmodel {
    struct hs_arena arena;
    const char *gpu;
    struct hs_utilform form;
    double shift_per_ln_batch, shift_amp;
    struct hs_utilmodel_entry *entries;
    uint32_t count;
    double error[HS_UTIL_BASIS_COUNT]; /* NaN = not told */
};

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

static const char *hs_utilbasis_text(enum hs_utilbasis basis)
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

#define COEFFICIENT_MAX 1e18
#define EFFECT_MAX      100.0
#define CONFIGS_MAX     1e9

struct util_reader {
    struct hs_jsoncheck check;
    struct hs_utilmodel *m;
};

struct regress_number {
    const char *key;
    double min, max;
    double *to;
};

/* A container that must be there; NULL after a fault. */
static const struct hs_json *read_member(struct util_reader *r, const struct hs_json *object,
                                         const char *key, enum hs_json_kind kind)
{
    const struct hs_json *member = hs_json_get(object, key);
    if (member == NULL)
        hs_jsoncheck_fault(&r->check, object, "write the file again with 'horus calibrate'",
                           "\"%s\" is missing", key);
    else if (hs_jsoncheck_kind(&r->check, member, kind, key))
        return member;
    return NULL;
}

/* The members of object are numbers, at their places in the rows. NULL: it is not there, a fault
 * that is reported already. */
static void read_numbers(struct util_reader *r, const struct hs_json *object,
                         const struct regress_number *numbers, uint32_t count)
{
    for (uint32_t i = 0; object != NULL && i < count; i++)
        (void)hs_jsoncheck_number(&r->check, object, numbers[i].key, numbers[i].min, numbers[i].max,
                                  numbers[i].to);
}

/* A load of 0 has no logarithm. */
#define POSITIVE    1e-12, COEFFICIENT_MAX
#define AT_LEAST_0  0, COEFFICIENT_MAX
#define ANY_EFFECT  -EFFECT_MAX, EFFECT_MAX
#define COUNT_OF(a) (uint32_t)(sizeof(a) / sizeof((a)[0]))

static void read_form(struct util_reader *r, const struct hs_json *fit)
{
    struct hs_utilform *form = &r->m->form;
    const struct regress_number load[] = {{"launch", POSITIVE, &form->launch},
                                          {"per_gmac", AT_LEAST_0, &form->per_gmac},
                                          {"per_moutput", AT_LEAST_0, &form->per_moutput},
                                          {"amp", ANY_EFFECT, &form->amp}};
    const struct regress_number busy[] = {{"layer_ms", AT_LEAST_0, &form->busy_layer_ms},
                                          {"gmac_ms", AT_LEAST_0, &form->busy_gmac_ms},
                                          {"moutput_ms", AT_LEAST_0, &form->busy_moutput_ms},
                                          {"amp", ANY_EFFECT, &form->busy_amp},
                                          {"margin", POSITIVE, &form->busy_margin}};
    read_numbers(r, read_member(r, fit, "load", HS_JSON_OBJECT), load, COUNT_OF(load));
    read_numbers(r, read_member(r, fit, "busy", HS_JSON_OBJECT), busy, COUNT_OF(busy));
}

static void read_models(struct util_reader *r, const struct hs_json *fit)
{
    struct hs_utilmodel *m = r->m;
    const struct hs_json *list = read_member(r, fit, "models", HS_JSON_ARRAY);
    m->entries = hs_arena_alloc(&m->arena, hs_json_count(list) * sizeof *m->entries);
    for (const struct hs_json *at = hs_json_first(list); at != NULL; at = hs_json_next(at)) {
        struct hs_utilmodel_entry *entry = &m->entries[m->count];
        double configs = 1;
        const struct regress_number numbers[] = {{"configs", 1, CONFIGS_MAX, &configs},
                                                 {"more_work", AT_LEAST_0, &entry->mate.more_work},
                                                 {"host", AT_LEAST_0, &entry->mate.host},
                                                 {"slope", ANY_EFFECT, &entry->mate.slope},
                                                 {"amp", ANY_EFFECT, &entry->mate.amp},
                                                 {"slope_amp", ANY_EFFECT, &entry->mate.slope_amp}};
        if (!hs_jsoncheck_kind(&r->check, at, HS_JSON_OBJECT, "a measured model"))
            continue;
        entry->model = hs_modelfile_name(&r->check, &m->arena, at, "model");
        entry->dataset = hs_modelfile_name(&r->check, &m->arena, at, "dataset");
        read_numbers(r, at, numbers, COUNT_OF(numbers));
        entry->configs = (uint32_t)configs;
        m->count++;
    }
}

static void read_errors(struct util_reader *r, const struct hs_json *root)
{
    for (uint32_t basis = 0; basis < HS_UTIL_BASIS_COUNT; basis++)
        r->m->error[basis] = NAN;
    const struct hs_json *list = read_member(r, root, "holdout", HS_JSON_ARRAY);
    for (const struct hs_json *at = hs_json_first(list); at != NULL; at = hs_json_next(at)) {
        if (!hs_jsoncheck_kind(&r->check, at, HS_JSON_OBJECT, "a score"))
            continue;
        const char *protocol = hs_jsoncheck_text(&r->check, at, "protocol");
        for (uint32_t basis = HS_UTIL_KNOWN_MODEL; basis < HS_UTIL_BASIS_COUNT; basis++)
            if (protocol != NULL && strcmp(protocol, hs_utilbasis_text(basis)) == 0 &&
                hs_json_kind(hs_json_get(at, "rmse")) != HS_JSON_NULL)
                (void)hs_jsoncheck_number(&r->check, at, "rmse", 0, 1, &r->m->error[basis]);
    }
}

static enum hs_status read_all(struct util_reader *r)
{
    const struct hs_json *root = hs_json_root(r->check.doc);
    const struct regress_number shift[] = {{"per_ln_batch", ANY_EFFECT, &r->m->shift_per_ln_batch},
                                           {"amp", ANY_EFFECT, &r->m->shift_amp}};
    const struct hs_json *fit = read_member(r, root, "fit", HS_JSON_OBJECT);
    if (fit != NULL) {
        r->m->gpu = hs_modelfile_name(&r->check, &r->m->arena, fit, "gpu");
        read_form(r, fit);
        read_models(r, fit);
    }
    read_numbers(r, read_member(r, root, "shift", HS_JSON_OBJECT), shift, COUNT_OF(shift));
    read_errors(r, root);
    return r->check.status;
}

enum hs_status hs_utilmodel_load(struct hs_utilmodel **m, const char *path, struct hs_diag *diag)
{
    *m = hs_alloc_zeroed(1, sizeof **m);
    struct util_reader r = {.m = *m};
    enum hs_status status = hs_modelfile_open(&r.check, path, HS_MODEL_PREDICTOR, diag);
    if (status == HS_OK)
        status = read_all(&r);
    hs_json_close(r.check.doc);
    if (status != HS_OK) {
        hs_utilmodel_free(*m);
        *m = NULL;
    }
    return status;
}

void hs_utilmodel_free(struct hs_utilmodel *m)
{
    if (m == NULL)
        return;
    hs_arena_free(&m->arena);
    hs_free(m);
}
