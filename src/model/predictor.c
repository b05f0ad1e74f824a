/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Utilization, memory and slowdown as reported to policies. Everything that depends only on the
 * profile is computed once, at opening, into one row per profile. The measured rows of each model
 * are linked lists in file order, so that a catalogue of many thousand rows costs O(rows of the
 * model) per row; a query is O(1).
 *
 * Noise is one normal draw per job and purpose, a function of (seed, purpose, index of the job),
 * independent of other jobs and the order of queries. It is rounded to per mille or MiB, so that
 * the last bit of libm never affects a decision.
 */
#include "model/predictor.h"

#include <math.h>

#include "base/fmt.h"
#include "base/rng.h"
#include "model/speed.h"

/* ---- the form of solo utilization ----
 *
 * All values are finite for all finite features: the form has a lower limit (only launches), and ln
 * load is clipped where u is 0 or 1 in double precision. */

/* Above this, a GPU that is always busy looks like one with twice the work. */
#define HS_UTIL_SATURATED 0.98

#define UTIL_MIN     0.005 /* below half a per cent nvidia-smi prints 0 */
#define LOG_LOAD_MAX 30.0
#define BISECTIONS   200

double hs_util_of_log_load(double log_load)
{
    return -expm1(-exp(fmin(fmax(log_load, -LOG_LOAD_MAX), LOG_LOAD_MAX)));
}

double hs_util_to_log_load(double util)
{
    return log(-log1p(-fmin(fmax(util, UTIL_MIN), HS_UTIL_SATURATED)));
}

/* NaN = none */
static double batch_of(const struct hs_profile *profile)
{
    double batch;
    const char *text = profile->batch;
    return hs_parse_double(text, strlen(text), &batch) && batch > 0 ? batch : NAN;
}

static bool is_amp(const struct hs_profile *profile)
{
    return hs_model_same_name(profile->precision, "amp");
}

bool hs_utilwork_of(const struct hs_profile *profile, struct hs_utilwork *work)
{
    const double *features = profile->features;
    *work = (struct hs_utilwork){.batch = batch_of(profile),
                                 .gmacs = features[HS_FEATURE_MACS] / 1e9,
                                 .moutputs = features[HS_FEATURE_OUTPUTS] / 1e6,
                                 .layers = features[HS_FEATURE_LAYERS],
                                 .is_amp = is_amp(profile)};
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
    /* A single batch would need exactly expm1(-mean) / batch. */
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

/* ---- shared by the kinds of prediction ---- */

/* Predictions for the jobs of a profile. */
struct guess {
    int32_t util_pm, util_peak_pm; /* -1 = none */
    uint32_t util_error_pm;
    uint32_t mem_mib; /* by the formula; 0 = none */
    uint32_t mem_error_mib;
};

struct hs_predictor {
    struct hs_predictor_options options;
    struct hs_pairform general; /* a copy: the true interference has its own */
    double general_error;
    uint64_t util_seed, mem_seed;
    struct guess *guesses; /* one per profile of the catalogue */
    uint32_t guess_count;
};

#define PM_PER_PERCENT    10.0
#define UTIL_ERROR_MAX_PM 1000u /* nothing is known: any error is possible */

/* The measured rows of the model of row i, including i, in file order:
 *     for (uint32_t at = peers_first(&peers, i); at != NO_PEER; at = peers.next[at]) */
struct peers {
    struct hs_intern models;
    uint32_t *model_of;     /* by row: id of its model */
    uint32_t *first, *next; /* by model id, by row: a row */
};

#define NO_PEER UINT32_MAX

static void peers_open(struct peers *peers, const struct hs_catalogue *catalogue)
{
    uint64_t count = (uint64_t)catalogue->count + 1; /* ids of models begin at 1 */
    *peers = (struct peers){.model_of = hs_alloc_zeroed(count, sizeof *peers->model_of),
                            .first = hs_alloc_zeroed(count, sizeof *peers->first),
                            .next = hs_alloc_zeroed(count, sizeof *peers->next)};
    hs_intern_init(&peers->models);
    memset(peers->first, 0xff, count * sizeof *peers->first);
    for (uint32_t i = catalogue->count; i-- > 0;) {
        const struct hs_profile *row = &catalogue->profiles[i];
        peers->model_of[i] = hs_intern_get(&peers->models, row->model);
        if (row->util_pm < 0)
            continue;
        peers->next[i] = peers->first[peers->model_of[i]];
        peers->first[peers->model_of[i]] = i;
    }
}

static uint32_t peers_first(const struct peers *peers, uint32_t row)
{
    return peers->first[peers->model_of[row]];
}

static void peers_close(struct peers *peers)
{
    hs_intern_free(&peers->models);
    hs_free(peers->model_of);
    hs_free(peers->first);
    hs_free(peers->next);
}

/* Converts percent to per mille within 1..100 %. */
static int32_t predicted_pm(double util_percent)
{
    double clipped = fmin(fmax(util_percent, 1), 100);
    return (int32_t)lround(clipped * PM_PER_PERCENT);
}

/* Sum of squared residuals; NaN residuals are skipped. */
struct residuals {
    double squares;
    uint32_t count;
};

static void residuals_add(struct residuals *r, double residual)
{
    if (isnan(residual))
        return;
    r->squares += residual * residual;
    r->count++;
}

/* Returns the root mean square of all residuals except the own one, so that the stated error of an
 * estimate is independent of its own truth; NaN if there is no other. */
static double rms_of_others(struct residuals r, double own)
{
    if (!isnan(own)) {
        r.squares -= own * own;
        r.count--;
    }
    return r.count > 0 ? sqrt(fmax(r.squares, 0) / r.count) : NAN;
}

static uint32_t util_error_pm(double error_pm)
{
    return isnan(error_pm) ? UTIL_ERROR_MAX_PM : (uint32_t)lround(error_pm);
}

/* ---- table: other batches of the same model ---- */

enum way { WAY_LINE, WAY_MODEL, WAY_ALL, WAY_COUNT };

#define SPREAD_MIN 1e-6 /* of log(batch), squared: below it all batches are equal */

enum { MEAN, PEAK, KINDS }; /* of utilization */

/* Utilizations predicted for one row, per cent; NaN = not possible this way. */
struct attempt {
    double util[WAY_COUNT][KINDS];
};

/* Sums over points (x, mean) and (x, peak). */
struct sums {
    uint32_t n;
    double x, xx, y[KINDS], x_y[KINDS];
};

struct peer_table {
    const struct hs_catalogue *catalogue;
    struct peers peers;
    struct sums all; /* measured rows */
    struct attempt *attempts;
};

static double percent(int32_t pm)
{
    return (double)pm / PM_PER_PERCENT;
}

static void sums_add(struct sums *s, double x, double mean, double peak)
{
    const double y[KINDS] = {mean, peak};
    s->n++;
    s->x += x;
    s->xx += x * x;
    for (int k = 0; k < KINDS; k++) {
        s->y[k] += y[k];
        s->x_y[k] += x * y[k];
    }
}

/* Returns the least-squares line at x; NaN through fewer than two different points. */
static double line_at(const struct sums *s, double y, double x_y, double x)
{
    double spread = s->n > 0 ? s->xx - s->x * s->x / s->n : 0;
    if (isnan(x) || spread < SPREAD_MIN)
        return NAN;
    double slope = (x_y - s->x * y / s->n) / spread;
    return (y + slope * (x * s->n - s->x)) / s->n;
}

static bool is_same_series(const struct hs_profile *row, const struct hs_profile *other)
{
    return strcmp(row->dataset, other->dataset) == 0 &&
           strcmp(row->precision, other->precision) == 0;
}

static const char *line_gpu(const struct peer_table *t, uint32_t i)
{
    const struct hs_profile *rows = t->catalogue->profiles, *row = &rows[i];
    const char *gpu = NULL;
    for (uint32_t at = peers_first(&t->peers, i); at != NO_PEER; at = t->peers.next[at]) {
        const struct hs_profile *other = &rows[at];
        if (at == i || !is_same_series(row, other))
            continue;
        if (strcmp(row->gpu, other->gpu) == 0)
            return row->gpu;
        if (gpu == NULL)
            gpu = other->gpu;
    }
    return gpu;
}

static void attempt_row(const struct peer_table *t, uint32_t i, struct attempt *a)
{
    const struct hs_profile *rows = t->catalogue->profiles, *row = &rows[i];
    const char *gpu = line_gpu(t, i);
    struct sums line = {0}, mean = {0}, all = t->all;
    for (uint32_t at = peers_first(&t->peers, i); at != NO_PEER; at = t->peers.next[at]) {
        const struct hs_profile *other = &rows[at];
        if (at == i)
            continue;
        double x = log(batch_of(other)), util = percent(other->util_pm),
               peak = percent(other->util_peak_pm);
        sums_add(&mean, 0, util, peak);
        if (!isnan(x) && is_same_series(row, other) && strcmp(other->gpu, gpu) == 0)
            sums_add(&line, x, log1p(util), log1p(peak));
    }
    if (row->util_pm >= 0) {
        all.n--;
        all.y[MEAN] -= percent(row->util_pm);
        all.y[PEAK] -= percent(row->util_peak_pm);
    }
    double x = log(batch_of(row));
    for (int k = 0; k < KINDS; k++) {
        a->util[WAY_LINE][k] = expm1(line_at(&line, line.y[k], line.x_y[k], x));
        a->util[WAY_MODEL][k] = mean.n > 0 ? mean.y[k] / mean.n : NAN;
        a->util[WAY_ALL][k] = all.n > 0 ? all.y[k] / all.n : NAN;
    }
}

/* Predicted minus measured, in per mille; NaN if either is unknown. */
static double residual_pm(const struct hs_profile *row, const struct attempt *a, enum way way)
{
    if (row->util_pm < 0 || isnan(a->util[way][MEAN]))
        return NAN;
    return predicted_pm(a->util[way][MEAN]) - row->util_pm;
}

/* Fills the predictions of each profile from other batches of the same model in the catalogue. */
static void guess_table(const struct hs_catalogue *catalogue, struct guess *guesses)
{
    const struct hs_profile *rows = catalogue->profiles;
    struct peer_table t = {.catalogue = catalogue};
    struct residuals residuals[WAY_COUNT] = {{0}};
    t.attempts = hs_alloc_zeroed((uint64_t)catalogue->count + 1, sizeof *t.attempts);
    peers_open(&t.peers, catalogue);
    for (uint32_t i = 0; i < catalogue->count; i++)
        if (rows[i].util_pm >= 0)
            sums_add(&t.all, 0, percent(rows[i].util_pm), percent(rows[i].util_peak_pm));
    for (uint32_t i = 0; i < catalogue->count; i++)
        attempt_row(&t, i, &t.attempts[i]);
    for (uint32_t i = 0; i < catalogue->count; i++)
        for (uint32_t way = 0; way < WAY_COUNT; way++)
            residuals_add(&residuals[way], residual_pm(&rows[i], &t.attempts[i], (enum way)way));
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct attempt *a = &t.attempts[i];
        uint32_t way = 0;
        while (way < WAY_COUNT && isnan(a->util[way][MEAN]))
            way++;
        if (way == WAY_COUNT)
            continue;
        double own = residual_pm(&rows[i], a, (enum way)way);
        guesses[i].util_pm = predicted_pm(a->util[way][MEAN]);
        guesses[i].util_peak_pm = predicted_pm(fmax(a->util[way][PEAK], a->util[way][MEAN]));
        guesses[i].util_error_pm = util_error_pm(rms_of_others(residuals[way], own));
    }
    peers_close(&t.peers);
    hs_free(t.attempts);
}

/* ---- memory by the formula ---- */

#define BYTES_PER_MIB 1048576.0

/* SD of the log ratio on 18 points of an A100, for a catalogue without data. */
#define LN_ERROR 0.665

/* Rounded up; 0 if a feature or the batch is unknown. */
static double formula_mib(const struct hs_profile *row)
{
    double batch = batch_of(row), outputs = row->features[HS_FEATURE_OUTPUTS],
           params = row->features[HS_FEATURE_PARAMS];
    double bytes = 4 * (outputs * batch + params + batch * params);
    return isnan(bytes) ? 0 : fmin(ceil(bytes / BYTES_PER_MIB), UINT32_MAX);
}

static double residual_ln(const struct hs_profile *row)
{
    double mib = formula_mib(row);
    return mib > 0 && row->mem_mib > 0 ? log(mib / row->mem_mib) : NAN;
}

static void guess_memory(const struct hs_catalogue *catalogue, struct guess *guesses)
{
    struct residuals residuals = {0};
    for (uint32_t i = 0; i < catalogue->count; i++)
        residuals_add(&residuals, residual_ln(&catalogue->profiles[i]));
    for (uint32_t i = 0; i < catalogue->count; i++) {
        double mib = formula_mib(&catalogue->profiles[i]);
        double error = rms_of_others(residuals, residual_ln(&catalogue->profiles[i]));
        guesses[i].mem_mib = (uint32_t)mib;
        guesses[i].mem_error_mib =
            (uint32_t)fmin(round(mib * (isnan(error) ? LN_ERROR : error)), UINT32_MAX);
    }
}

/* ---- the fit of predictor.json ---- */

/* The basis of a prediction. */
enum utilbasis {
    UTIL_NOT_KNOWN,    /* no features or batch, model not measured */
    UTIL_KNOWN_MODEL,  /* other configurations of model and dataset measured */
    UTIL_ONE_MEASURED, /* exactly one measured */
    UTIL_UNSEEN_MODEL, /* only features */
    UTIL_UNSEEN_HOST,  /* features and host time per batch */
    UTIL_SHIFT,        /* one measured; no features, or not the fitted GPU type */
    UTIL_BASIS_COUNT
};

struct utilmodel_entry {
    const char *model, *dataset;
    uint32_t configs; /* number measured */
    struct hs_utilmate mate;
};

struct utilmodel {
    struct hs_arena arena;
    const char *gpu; /* it was fitted on, and predicts for */
    struct hs_utilform form;
    double shift_per_ln_batch, shift_amp;
    struct utilmodel_entry *entries;
    uint32_t count;
    double error[UTIL_BASIS_COUNT]; /* hold-out RMSE; NaN = unknown */
};

static const char *const basis_texts[UTIL_BASIS_COUNT] = {
    [UTIL_NOT_KNOWN] = "not known",
    [UTIL_KNOWN_MODEL] = "known model, unseen configuration",
    [UTIL_ONE_MEASURED] = "one measured configuration",
    [UTIL_UNSEEN_MODEL] = "unseen model",
    [UTIL_UNSEEN_HOST] = "unseen model, host time known",
    [UTIL_SHIFT] = "one measured configuration, no features",
};

/* Returns 0..1 on the fitted GPU type, without measurements of the profile itself except those that
 * the file was fitted to; NaN with UTIL_NOT_KNOWN. O(models measured). */
static double utilmodel_predict(const struct utilmodel *m, const struct hs_profile *profile,
                                enum utilbasis *basis)
{
    struct hs_utilwork work;
    *basis = UTIL_NOT_KNOWN;
    if (!hs_utilwork_of(profile, &work))
        return NAN;
    double log_load = hs_utilform_log_load(&m->form, &work);
    for (const struct utilmodel_entry *entry = m->entries; entry < m->entries + m->count; entry++) {
        if (!hs_model_same_name(entry->model, profile->model) ||
            !hs_model_same_name(entry->dataset, profile->dataset))
            continue;
        *basis = entry->configs > 1 ? UTIL_KNOWN_MODEL : UTIL_ONE_MEASURED;
        return hs_util_of_log_load(log_load + hs_utilmate_effect(&entry->mate, &work));
    }
    *basis = profile->host_ms > 0 ? UTIL_UNSEEN_HOST : UTIL_UNSEEN_MODEL;
    return hs_utilform_host_limit(&m->form, &work, hs_util_of_log_load(log_load), profile->host_ms);
}

/* Without features: uses the mean effect of batch and precision within a model. */
static double shift(const struct utilmodel *m, const struct hs_profile *from, double util,
                    const struct hs_profile *to, enum utilbasis *basis)
{
    const double before = batch_of(from), after = batch_of(to);
    const bool is_known = before > 0 && after > 0;
    if (!is_known && !hs_model_same_name(from->batch, to->batch)) {
        *basis = UTIL_NOT_KNOWN;
        return NAN;
    }
    *basis = UTIL_SHIFT;
    double moved = is_known ? m->shift_per_ln_batch * log(after / before) : 0;
    moved += m->shift_amp * ((int)is_amp(to) - (int)is_amp(from));
    return hs_util_of_log_load(hs_util_to_log_load(util) + moved);
}

/* Predicts `to` from the utilization of `from`, the same model and dataset on from->gpu. */
static double utilmodel_transfer(const struct utilmodel *m, const struct hs_profile *from,
                                 double util, const struct hs_profile *to, enum utilbasis *basis)
{
    struct hs_utilwork before, after;
    if (!hs_model_same_name(from->gpu, m->gpu) || !hs_utilwork_of(from, &before) ||
        !hs_utilwork_of(to, &after))
        return shift(m, from, util, to, basis);
    struct hs_utilmate mate;
    double batch = before.batch / HS_UTIL_BATCH;
    hs_utilmate_centre(&mate, hs_util_residual(util, hs_utilform_log_load(&m->form, &before)),
                       &batch, 1);
    *basis = UTIL_ONE_MEASURED;
    return hs_util_of_log_load(hs_utilform_log_load(&m->form, &after) +
                               hs_utilmate_effect(&mate, &after));
}

#define COEFFICIENT_MAX 1e18
#define EFFECT_MAX      100.0
#define CONFIGS_MAX     1e9

/* Returns a required container; NULL after a fault. */
static const struct hs_json *read_member(struct hs_jsoncheck *check, const struct hs_json *object,
                                         const char *key, enum hs_json_kind kind)
{
    const struct hs_json *member = hs_json_get(object, key);
    if (member == NULL)
        hs_jsoncheck_fault(check, object, "write the file again with 'horus calibrate'",
                           "\"%s\" is missing", key);
    else if (hs_jsoncheck_kind(check, member, kind, key))
        return member;
    return NULL;
}

/* 0 is excluded, as a load of 0 has no logarithm. */
#define POSITIVE   1e-12, COEFFICIENT_MAX
#define AT_LEAST_0 0, COEFFICIENT_MAX
#define ANY_EFFECT -EFFECT_MAX, EFFECT_MAX

static void read_models(struct utilmodel *m, struct hs_jsoncheck *check, const struct hs_json *fit)
{
    const struct hs_json *list = read_member(check, fit, "models", HS_JSON_ARRAY);
    m->entries = hs_arena_alloc(&m->arena, hs_json_count(list) * sizeof *m->entries);
    for (const struct hs_json *at = hs_json_first(list); at != NULL; at = hs_json_next(at)) {
        struct utilmodel_entry *entry = &m->entries[m->count];
        double configs = 1;
        const struct hs_model_number numbers[] = {
            {"configs", 1, CONFIGS_MAX, &configs},
            {"more_work", AT_LEAST_0, &entry->mate.more_work},
            {"host", AT_LEAST_0, &entry->mate.host},
            {"slope", ANY_EFFECT, &entry->mate.slope},
            {"amp", ANY_EFFECT, &entry->mate.amp},
            {"slope_amp", ANY_EFFECT, &entry->mate.slope_amp}};
        if (!hs_jsoncheck_kind(check, at, HS_JSON_OBJECT, "a measured model"))
            continue;
        entry->model = hs_modelfile_name(check, &m->arena, at, "model");
        entry->dataset = hs_modelfile_name(check, &m->arena, at, "dataset");
        hs_modelfile_numbers(check, at, numbers, HS_COUNT_OF(numbers));
        entry->configs = (uint32_t)configs;
        m->count++;
    }
}

static void utilmodel_read(struct utilmodel *m, struct hs_jsoncheck *check,
                           const struct hs_json *root)
{
    const struct hs_model_number shift[] = {{"per_ln_batch", ANY_EFFECT, &m->shift_per_ln_batch},
                                            {"amp", ANY_EFFECT, &m->shift_amp}};
    struct hs_utilform *form = &m->form;
    const struct hs_model_number load[] = {{"launch", POSITIVE, &form->launch},
                                           {"per_gmac", AT_LEAST_0, &form->per_gmac},
                                           {"per_moutput", AT_LEAST_0, &form->per_moutput},
                                           {"amp", ANY_EFFECT, &form->amp}};
    const struct hs_model_number busy[] = {{"layer_ms", AT_LEAST_0, &form->busy_layer_ms},
                                           {"gmac_ms", AT_LEAST_0, &form->busy_gmac_ms},
                                           {"moutput_ms", AT_LEAST_0, &form->busy_moutput_ms},
                                           {"amp", ANY_EFFECT, &form->busy_amp},
                                           {"margin", POSITIVE, &form->busy_margin}};
    const struct hs_json *fit = read_member(check, root, "fit", HS_JSON_OBJECT);
    if (fit != NULL) {
        m->gpu = hs_modelfile_name(check, &m->arena, fit, "gpu");
        hs_modelfile_numbers(check, read_member(check, fit, "load", HS_JSON_OBJECT), load,
                             HS_COUNT_OF(load));
        hs_modelfile_numbers(check, read_member(check, fit, "busy", HS_JSON_OBJECT), busy,
                             HS_COUNT_OF(busy));
        read_models(m, check, fit);
    }
    hs_modelfile_numbers(check, read_member(check, root, "shift", HS_JSON_OBJECT), shift,
                         HS_COUNT_OF(shift));
    for (uint32_t basis = 0; basis < UTIL_BASIS_COUNT; basis++)
        m->error[basis] = NAN;
    const struct hs_json *list = read_member(check, root, "holdout", HS_JSON_ARRAY);
    for (const struct hs_json *at = hs_json_first(list); at != NULL; at = hs_json_next(at)) {
        if (!hs_jsoncheck_kind(check, at, HS_JSON_OBJECT, "a score"))
            continue;
        const char *protocol = hs_jsoncheck_text(check, at, "protocol");
        for (uint32_t basis = UTIL_KNOWN_MODEL; basis < UTIL_BASIS_COUNT; basis++)
            if (protocol != NULL && strcmp(protocol, basis_texts[basis]) == 0 &&
                hs_json_kind(hs_json_get(at, "rmse")) != HS_JSON_NULL)
                (void)hs_jsoncheck_number(check, at, "rmse", 0, 1, &m->error[basis]);
    }
}

/* ---- regress: by the fit ---- */

/* Added to a distance in ln(batch), of batches below 2^31: the same precision is nearer. */
#define OTHER_PRECISION 22.0

struct regress {
    const struct hs_catalogue *catalogue;
    const struct utilmodel *model;
    struct peers peers;
    enum hs_holdout holdout;
};

/* Returns the nearest other measured row of the same dataset and GPU type; ties: the first. */
static const struct hs_profile *nearest_row(const struct regress *r, uint32_t i)
{
    const struct hs_profile *rows = r->catalogue->profiles, *row = &rows[i], *nearest = NULL;
    double best = HUGE_VAL;
    for (uint32_t at = peers_first(&r->peers, i); at != NO_PEER; at = r->peers.next[at]) {
        const struct hs_profile *other = &rows[at];
        double apart = fabs(log(batch_of(row)) - log(batch_of(other)));
        if (strcmp(row->batch, other->batch) == 0)
            apart = 0;
        if (!hs_model_same_name(row->precision, other->precision))
            apart += OTHER_PRECISION;
        if (at == i || !(apart < best) || !hs_model_same_name(row->dataset, other->dataset) ||
            !hs_model_same_name(row->gpu, other->gpu))
            continue;
        nearest = other;
        best = apart;
    }
    return nearest;
}

static double predict(const struct regress *r, uint32_t i, enum utilbasis *basis)
{
    struct hs_profile row = r->catalogue->profiles[i];
    if (r->holdout == HS_HOLDOUT_MODEL) {
        row.model = ""; /* as if it were not measured */
        return utilmodel_predict(r->model, &row, basis);
    }
    double util = utilmodel_predict(r->model, &row, basis);
    bool is_known = *basis == UTIL_KNOWN_MODEL || *basis == UTIL_ONE_MEASURED;
    if (is_known && hs_model_same_name(row.gpu, r->model->gpu))
        return util;
    const struct hs_profile *from = nearest_row(r, i);
    if (from == NULL)
        return util;
    return utilmodel_transfer(r->model, from, from->util_pm / 1000.0, &row, basis);
}

static void guess_regress(const struct hs_catalogue *catalogue, const struct utilmodel *model,
                          enum hs_holdout holdout, struct guess *guesses)
{
    struct regress r = {.catalogue = catalogue, .model = model, .holdout = holdout};
    peers_open(&r.peers, catalogue);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        enum utilbasis basis;
        double util = guesses[i].util_pm < 0 ? predict(&r, i, &basis) : NAN;
        if (isnan(util))
            continue;
        guesses[i].util_pm = guesses[i].util_peak_pm = predicted_pm(100 * util);
        guesses[i].util_error_pm = util_error_pm(1000 * model->error[basis]);
    }
    peers_close(&r.peers);
}

/* ---- the file ---- */

#define K_MAX        1e6
#define EXPONENT_MAX 100.0
#define ERROR_MAX    1000.0 /* of a speed, as in interference.json */

/* Reads a fraction 0..1 as per mille; -1 if absent or null. */
static int32_t read_share(struct hs_jsoncheck *check, const struct hs_json *row, const char *key)
{
    double share;
    if (hs_json_kind(hs_json_get(row, key)) <= HS_JSON_NULL ||
        !hs_jsoncheck_number(check, row, key, 0, 1, &share))
        return -1;
    return predicted_pm(100 * share);
}

/* Residuals of the listed predictions, which are hold-outs, relative to the catalogue. */
static double file_residual_pm(const struct hs_profile *row, const struct guess *guess)
{
    return row->util_pm < 0 || guess->util_pm < 0 ? NAN : (double)(guess->util_pm - row->util_pm);
}

static void read_predictions(struct hs_predictor *p, struct hs_jsoncheck *check,
                             const struct hs_json *root, const struct hs_catalogue *catalogue)
{
    const struct hs_json *list = read_member(check, root, "predictions", HS_JSON_ARRAY);
    struct residuals residuals = {0};
    if (list == NULL)
        return;
    for (const struct hs_json *row = hs_json_first(list); row != NULL; row = hs_json_next(row)) {
        if (!hs_jsoncheck_kind(check, row, HS_JSON_OBJECT, "a prediction"))
            continue;
        int32_t by_config = read_share(check, row, "config");
        int32_t by_model = read_share(check, row, "model");
        const char *key = hs_jsoncheck_text(check, row, "profile");
        if (key == NULL)
            hs_jsoncheck_fault(check, row, NULL, "a prediction names its \"profile\"");
        uint32_t profile = key != NULL ? hs_catalogue_find(catalogue, key) : HS_NO_PROFILE;
        if (profile == HS_NO_PROFILE)
            continue;
        bool is_config = p->options.holdout == HS_HOLDOUT_CONFIG && by_config >= 0;
        struct guess *guess = &p->guesses[profile]; /* no separate peak: the fit is of the mean */
        guess->util_pm = guess->util_peak_pm = is_config ? by_config : by_model;
    }
    for (uint32_t i = 0; i < p->guess_count; i++)
        residuals_add(&residuals, file_residual_pm(&catalogue->profiles[i], &p->guesses[i]));
    for (uint32_t i = 0; i < p->guess_count; i++) {
        double own = file_residual_pm(&catalogue->profiles[i], &p->guesses[i]);
        if (p->guesses[i].util_pm >= 0)
            p->guesses[i].util_error_pm = util_error_pm(rms_of_others(residuals, own));
    }
}

/* Reads the general form, and with REGRESS the listed hold-out utilizations; then applies the
 * fit. */
static enum hs_status read_file(struct hs_predictor *p, const char *path,
                                const struct hs_catalogue *catalogue, struct hs_diag *diag)
{
    struct hs_jsoncheck check;
    struct utilmodel model = {.gpu = NULL};
    if (hs_modelfile_open(&check, path, HS_MODEL_PREDICTOR, diag) == HS_OK) {
        const struct hs_json *root = hs_json_root(check.doc);
        const bool is_regress = p->options.kind == HS_PREDICT_REGRESS;
        const struct hs_json *general = read_member(&check, root, "general", HS_JSON_OBJECT);
        p->general_error = NAN; /* null: too little data to hold any out */
        if (general != NULL) {
            (void)hs_pairform_read(&p->general, &check, general, K_MAX, 1e-3, EXPONENT_MAX);
            if (hs_json_kind(hs_json_get(general, "error")) != HS_JSON_NULL)
                (void)hs_jsoncheck_number(&check, general, "error", 0, ERROR_MAX,
                                          &p->general_error);
        }
        if (is_regress) {
            read_predictions(p, &check, root, catalogue);
            utilmodel_read(&model, &check, root);
        }
        if (check.status == HS_OK && is_regress)
            guess_regress(catalogue, &model, p->options.holdout, p->guesses);
    }
    hs_arena_free(&model.arena);
    return hs_jsoncheck_close(&check);
}

/* ---- estimates ---- */

/* log1p(u_hat) = log1p(u) + shift, in percent: the error is that of log1p (RMSLE). */
static int32_t shifted_pm(int32_t util_pm, double shift)
{
    return predicted_pm(expm1(log1p(util_pm / PM_PER_PERCENT) + shift));
}

void hs_predictor_estimate(const struct hs_predictor *p, const struct hs_job_facts *facts,
                           struct hs_estimate *out)
{
    static const struct guess none = {.util_pm = -1, .util_peak_pm = -1};
    const struct guess *guess =
        facts->profile < p->guess_count ? &p->guesses[facts->profile] : &none;
    const struct hs_predictor_options *o = &p->options;
    bool has_guess = p->options.kind == HS_PREDICT_TABLE || p->options.kind == HS_PREDICT_REGRESS;

    *out = (struct hs_estimate){.util_pm = facts->util_pm,
                                .util_peak_pm =
                                    facts->util_peak_pm >= 0 ? facts->util_peak_pm : facts->util_pm,
                                .mem_mib = facts->mem_mib};
    if (has_guess) {
        out->util_pm = guess->util_pm;
        out->util_peak_pm = guess->util_peak_pm;
        out->util_error_pm = guess->util_error_pm;
    } else if (p->options.kind == HS_PREDICT_NOISY && out->util_pm >= 0) {
        /* one draw moves mean and peak */
        double shift = o->util_bias + o->util_rmsle * hs_normal_of(p->util_seed, facts->index);
        out->util_pm = shifted_pm(out->util_pm, shift);
        out->util_peak_pm = shifted_pm(out->util_peak_pm, shift);
        /* d log1p(u) = du / (1 + u) */
        double error = hypot(o->util_rmsle, o->util_bias) * (out->util_pm + PM_PER_PERCENT);
        out->util_error_pm = (uint32_t)lround(fmin(error, UTIL_ERROR_MAX_PM));
    }
    if (p->options.memory == HS_MEMORY_FORMULA) {
        out->mem_mib = guess->mem_mib;
        out->mem_error_mib = guess->mem_error_mib;
    } else if (p->options.memory == HS_MEMORY_NOISY && out->mem_mib > 0) {
        const double sd = p->options.mem_ln_sd;
        double mib = out->mem_mib * exp(sd * hs_normal_of(p->mem_seed, facts->index));
        out->mem_mib = (uint32_t)fmin(fmax(round(mib), 1), UINT32_MAX);
        out->mem_error_mib = (uint32_t)fmin(round(sd * out->mem_mib), UINT32_MAX);
    }
}

uint64_t hs_predictor_slowdown_q20(const struct hs_predictor *p, int32_t own_pm, int32_t other_pm)
{
    return HS_Q20_ONE + hs_pairform_excess_q20(&p->general, own_pm, other_pm);
}

double hs_predictor_slowdown_error(const struct hs_predictor *p)
{
    return p->general_error;
}

enum hs_status hs_predictor_open(struct hs_predictor **out, const struct hs_modelset *set,
                                 const struct hs_catalogue *catalogue,
                                 const struct hs_predictor_options *options, struct hs_diag *diag)
{
    struct hs_predictor *p = hs_alloc_zeroed(1, sizeof *p);
    p->guesses = hs_alloc_zeroed((uint64_t)catalogue->count + 1, sizeof *p->guesses);
    p->options = *options;
    p->guess_count = catalogue->count;
    p->util_seed = hs_seed_of(options->seed, "predictor-noise");
    p->mem_seed = hs_seed_of(options->seed, "memory-noise");
    for (uint32_t i = 0; i < p->guess_count; i++)
        p->guesses[i] = (struct guess){.util_pm = -1, .util_peak_pm = -1};
    if (options->memory == HS_MEMORY_FORMULA)
        guess_memory(catalogue, p->guesses);
    if (options->kind == HS_PREDICT_TABLE)
        guess_table(catalogue, p->guesses);
    enum hs_status status = read_file(p, set->path[HS_MODEL_PREDICTOR], catalogue, diag);
    *out = status == HS_OK ? p : NULL;
    if (status != HS_OK)
        hs_predictor_close(p);
    return status;
}

void hs_predictor_close(struct hs_predictor *p)
{
    if (p == NULL)
        return;
    hs_free(p->guesses);
    hs_free(p);
}

/* ---- of speeds (model/speed.h) ---- */

#define SIGMA_MAX 5.0 /* of predicted speeds, as of other predictions */

enum hs_status hs_speed_predictor_parse(const char *text, struct hs_speed_predictor *how,
                                        struct hs_diag *diag)
{
    static const char *const names[] = {[HS_SPEED_PREDICTOR_TABLE] = "table",
                                        [HS_SPEED_PREDICTOR_ORACLE] = "oracle",
                                        [HS_SPEED_PREDICTOR_NOISY] = "noisy"};
    const size_t len = strcspn(text, ":");
    how->sigma = 0;
    for (uint32_t i = 0; i < HS_COUNT_OF(names); i++) {
        if (len != strlen(names[i]) || strncmp(text, names[i], len) != 0)
            continue;
        how->kind = (enum hs_speed_predictor_kind)i;
        const char *sigma = text + len + (text[len] == ':');
        if (how->kind == HS_SPEED_PREDICTOR_NOISY
                ? hs_parse_double(sigma, strlen(sigma), &how->sigma) && how->sigma >= 0 &&
                      how->sigma <= SIGMA_MAX
                : text[len] == '\0')
            return HS_OK;
    }
    return hs_fail(diag, HS_E_USAGE, NULL, "noisy:0.2 is off by about 20 %",
                   "a predictor of speeds is oracle, table or noisy:SIGMA, SIGMA a number 0..%g, "
                   "not '%s'",
                   SIGMA_MAX, text);
}
