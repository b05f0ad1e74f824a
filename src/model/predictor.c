/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Utilization, memory and slowdown as policies get them: everything that depends on the profile
 * alone is computed once, at opening, into one row a profile. The measured rows of each model are
 * linked lists in file order, so that a catalogue of many thousand rows costs O(rows of the model)
 * a row; a query is O(1).
 *
 * Noise is one normal draw per job and purpose, a function of (seed, purpose, index of the job): no
 * other job and no order of queries can shift it. It is rounded to per mille or MiB at once, so
 * that the last bit of libm never reaches a decision.
 */
#include "model/predictor.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/fmt.h"
#include "model/modelfile.h"
#include "model/pairform.h"
#include "model/profile.h"
#include "model/utilmodel.h"

struct hs_profile_guess {
    int32_t util_pm, util_peak_pm; /* -1 = none */
    uint32_t util_error_pm;
    uint32_t mem_mib; /* by the formula; 0 = none */
    uint32_t mem_error_mib;
};

struct hs_predictor {
    struct hs_predictor_options options;
    struct hs_pairform general; /* its own copy: the truth has another */
    double general_error;
    uint64_t util_seed, mem_seed;
    struct hs_profile_guess *guesses; /* one a profile of the catalogue */
    uint32_t guess_count;
};

/* An error of which nothing is known: the estimate may be off by anything. */
#define HS_UTIL_ERROR_MAX_PM 1000u

/* The measured rows of the model of row i, i among them, in file order:
 *     for (at = hs_peers_first(&peers, i); at != HS_NO_PEER; at = hs_peers_next(&peers, at)) */
struct hs_peers {
    struct hs_intern models;
    uint32_t *model_of;     /* by row: id of its model */
    uint32_t *first, *next; /* by model id, by row: row + 1; 0 = none */
};

#define HS_NO_PEER UINT32_MAX

static void link_rows(struct hs_peers *peers, const struct hs_catalogue *catalogue)
{
    hs_intern_init(&peers->models);
    for (uint32_t i = catalogue->count; i-- > 0;) {
        const struct hs_profile *row = &catalogue->profiles[i];
        peers->model_of[i] = hs_intern_get(&peers->models, row->model);
        if (row->util_pm < 0)
            continue;
        peers->next[i] = peers->first[peers->model_of[i]];
        peers->first[peers->model_of[i]] = i + 1;
    }
}

static void hs_peers_open(struct hs_peers *peers, const struct hs_catalogue *catalogue)
{
    uint64_t count = (uint64_t)catalogue->count + 1; /* ids of models begin at 1 */
    *peers = (struct hs_peers){.model_of = hs_alloc_zeroed(count, sizeof *peers->model_of),
                               .first = hs_alloc_zeroed(count, sizeof *peers->first),
                               .next = hs_alloc_zeroed(count, sizeof *peers->next)};
    link_rows(peers, catalogue);
}

static uint32_t hs_peers_first(const struct hs_peers *peers, uint32_t row)
{
    return peers->first[peers->model_of[row]] - 1;
}

static uint32_t hs_peers_next(const struct hs_peers *peers, uint32_t at)
{
    return peers->next[at] - 1;
}

static void hs_peers_close(struct hs_peers *peers)
{
    hs_intern_free(&peers->models);
    hs_free(peers->model_of);
    hs_free(peers->first);
    hs_free(peers->next);
    *peers = (struct hs_peers){0};
}

/* NaN where the row has no batch. */
static double hs_predictor_log_batch(const struct hs_profile *row)
{
    double batch;
    if (!hs_parse_double(row->batch, strlen(row->batch), &batch) || batch <= 0)
        return NAN;
    return log(batch);
}

enum way { WAY_LINE, WAY_MODEL, WAY_ALL, WAY_COUNT };

#define PM_PER_PERCENT 10.0
#define SPREAD_MIN     1e-6 /* of log(batch), squared: below it all batches are one */

/* Utilizations predicted for one row, per cent; NaN = this way cannot be gone. */
struct attempt {
    double util[WAY_COUNT], peak[WAY_COUNT];
};

/* Sums over points (x, util) and (x, peak). */
struct sums {
    uint32_t n;
    double x, xx, util, x_util, peak, x_peak;
};

struct peer_table {
    const struct hs_catalogue *catalogue;
    struct hs_peers peers;
    struct sums all;
    struct attempt *attempts;
};

/* Utilization in percent to the form of estimates: 1..100 %, in per mille. */
static int32_t hs_predictor_told_pm(double util_percent)
{
    double clipped = fmin(fmax(util_percent, 1), 100);
    return (int32_t)lround(clipped * PM_PER_PERCENT);
}

/* Root mean square of all residuals but the own one (NaN = there is none), so that the error told
 * of an estimate does not hold its own truth; NaN when no other is left. */
static double hs_predictor_other_rms(double sum_of_squares, uint32_t count, double own_residual)
{
    if (!isnan(own_residual)) {
        sum_of_squares -= own_residual * own_residual;
        count--;
    }
    return count > 0 ? sqrt(fmax(sum_of_squares, 0) / count) : NAN;
}

static double percent(int32_t pm)
{
    return (double)pm / PM_PER_PERCENT;
}

static void sums_add(struct sums *s, double x, double util, double peak)
{
    s->n++;
    s->x += x;
    s->xx += x * x;
    s->util += util;
    s->x_util += x * util;
    s->peak += peak;
    s->x_peak += x * peak;
}

/* The least-squares line at x; NaN through fewer than two different points. */
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

/* GPU type of the line of row i. */
static const char *line_gpu(const struct peer_table *t, uint32_t i)
{
    const struct hs_profile *rows = t->catalogue->profiles, *row = &rows[i];
    const char *gpu = NULL;
    for (uint32_t at = hs_peers_first(&t->peers, i); at != HS_NO_PEER;
         at = hs_peers_next(&t->peers, at)) {
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
    for (uint32_t at = hs_peers_first(&t->peers, i); at != HS_NO_PEER;
         at = hs_peers_next(&t->peers, at)) {
        const struct hs_profile *other = &rows[at];
        if (at == i)
            continue;
        double x = hs_predictor_log_batch(other), util = percent(other->util_pm),
               peak = percent(other->util_peak_pm);
        sums_add(&mean, 0, util, peak);
        if (!isnan(x) && is_same_series(row, other) && strcmp(other->gpu, gpu) == 0)
            sums_add(&line, x, log1p(util), log1p(peak));
    }
    if (row->util_pm >= 0) {
        all.n--;
        all.util -= percent(row->util_pm);
        all.peak -= percent(row->util_peak_pm);
    }
    double x = hs_predictor_log_batch(row);
    a->util[WAY_LINE] = expm1(line_at(&line, line.util, line.x_util, x));
    a->peak[WAY_LINE] = expm1(line_at(&line, line.peak, line.x_peak, x));
    a->util[WAY_MODEL] = mean.n > 0 ? mean.util / mean.n : NAN;
    a->peak[WAY_MODEL] = mean.n > 0 ? mean.peak / mean.n : NAN;
    a->util[WAY_ALL] = all.n > 0 ? all.util / all.n : NAN;
    a->peak[WAY_ALL] = all.n > 0 ? all.peak / all.n : NAN;
}

static void add_measured(struct peer_table *t)
{
    for (uint32_t i = 0; i < t->catalogue->count; i++) {
        const struct hs_profile *row = &t->catalogue->profiles[i];
        if (row->util_pm >= 0)
            sums_add(&t->all, 0, percent(row->util_pm), percent(row->util_peak_pm));
    }
}

/* Predicted less measured, as told, per mille; NaN where either is unknown. */
static double residual_pm(const struct hs_profile *row, const struct attempt *a, enum way way)
{
    if (row->util_pm < 0 || isnan(a->util[way]))
        return NAN;
    return hs_predictor_told_pm(a->util[way]) - row->util_pm;
}

static void settle(const struct peer_table *t, struct hs_profile_guess *guesses)
{
    double squares[WAY_COUNT] = {0};
    uint32_t counts[WAY_COUNT] = {0};
    const struct hs_profile *rows = t->catalogue->profiles;
    for (uint32_t i = 0; i < t->catalogue->count; i++)
        for (uint32_t way = 0; way < WAY_COUNT; way++) {
            double residual = residual_pm(&rows[i], &t->attempts[i], (enum way)way);
            if (isnan(residual))
                continue;
            squares[way] += residual * residual;
            counts[way]++;
        }
    for (uint32_t i = 0; i < t->catalogue->count; i++) {
        const struct attempt *a = &t->attempts[i];
        uint32_t way = 0;
        while (way < WAY_COUNT && isnan(a->util[way]))
            way++;
        if (way == WAY_COUNT)
            continue;
        double own = residual_pm(&rows[i], a, (enum way)way);
        double error = hs_predictor_other_rms(squares[way], counts[way], own);
        guesses[i].util_pm = hs_predictor_told_pm(a->util[way]);
        guesses[i].util_peak_pm = hs_predictor_told_pm(fmax(a->peak[way], a->util[way]));
        guesses[i].util_error_pm = isnan(error) ? HS_UTIL_ERROR_MAX_PM : (uint32_t)lround(error);
    }
}

/* Fills in what other batches of the same model say of each profile, from the catalogue alone. */
static void hs_predictor_guess_table(const struct hs_catalogue *catalogue,
                                     struct hs_profile_guess *guesses)
{
    struct peer_table t = {.catalogue = catalogue};
    t.attempts = hs_alloc_zeroed((uint64_t)catalogue->count + 1, sizeof *t.attempts);
    hs_peers_open(&t.peers, catalogue);
    add_measured(&t);
    for (uint32_t i = 0; i < catalogue->count; i++)
        attempt_row(&t, i, &t.attempts[i]);
    settle(&t, guesses);
    hs_peers_close(&t.peers);
    hs_free(t.attempts);
}

#define BYTES_PER_MIB 1048576.0

/* SD of the log ratio on 18 measured points of an A100, for a catalogue that has none to compare.
 */
#define LN_ERROR 0.665

/* Rounded up; 0 where a feature or the batch is unknown. */
static double formula_mib(const struct hs_profile *row)
{
    double batch, outputs = row->features[HS_FEATURE_OUTPUTS],
                  params = row->features[HS_FEATURE_PARAMS];
    if (isnan(outputs) || isnan(params) ||
        !hs_parse_double(row->batch, strlen(row->batch), &batch) || batch <= 0)
        return 0;
    double bytes = 4 * (outputs * batch + params + batch * params);
    return fmin(ceil(bytes / BYTES_PER_MIB), UINT32_MAX);
}

static double residual_ln(const struct hs_profile *row)
{
    double mib = formula_mib(row);
    return mib > 0 && row->mem_mib > 0 ? log(mib / row->mem_mib) : NAN;
}

static void hs_predictor_guess_memory(const struct hs_catalogue *catalogue,
                                      struct hs_profile_guess *guesses)
{
    double squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < catalogue->count; i++) {
        double residual = residual_ln(&catalogue->profiles[i]);
        if (isnan(residual))
            continue;
        squares += residual * residual;
        count++;
    }
    for (uint32_t i = 0; i < catalogue->count; i++) {
        double mib = formula_mib(&catalogue->profiles[i]);
        double error = hs_predictor_other_rms(squares, count, residual_ln(&catalogue->profiles[i]));
        guesses[i].mem_mib = (uint32_t)mib;
        guesses[i].mem_error_mib =
            (uint32_t)fmin(round(mib * (isnan(error) ? LN_ERROR : error)), UINT32_MAX);
    }
}

/* Added to a distance in ln(batch): any row of the same precision is nearer than one of another.
 * Batches are below 2^31. */
#define OTHER_PRECISION 22.0

struct regress {
    const struct hs_catalogue *catalogue;
    const struct hs_utilmodel *model;
    struct hs_peers peers;
    enum hs_holdout holdout;
};

/* Infinite where nothing can be carried over. */
static double distance(const struct hs_profile *row, const struct hs_profile *other)
{
    bool is_same_batch = strcmp(row->batch, other->batch) == 0;
    double apart =
        is_same_batch ? 0 : fabs(hs_predictor_log_batch(row) - hs_predictor_log_batch(other));
    if (isnan(apart) || !hs_model_same_name(row->dataset, other->dataset) ||
        !hs_model_same_name(row->gpu, other->gpu))
        return HUGE_VAL;
    return apart + (hs_model_same_name(row->precision, other->precision) ? 0 : OTHER_PRECISION);
}

/* The nearest other measured row; ties to the first of the file. */
static const struct hs_profile *nearest_row(const struct regress *r, uint32_t i)
{
    const struct hs_profile *rows = r->catalogue->profiles, *nearest = NULL;
    double best = HUGE_VAL;
    for (uint32_t at = hs_peers_first(&r->peers, i); at != HS_NO_PEER;
         at = hs_peers_next(&r->peers, at)) {
        double apart = distance(&rows[i], &rows[at]);
        if (at == i || !(apart < best))
            continue;
        nearest = &rows[at];
        best = apart;
    }
    return nearest;
}

static double predict(const struct regress *r, uint32_t i, enum hs_utilbasis *basis)
{
    struct hs_profile row = r->catalogue->profiles[i];
    if (r->holdout == HS_HOLDOUT_MODEL) {
        row.model = ""; /* as if it had not been measured */
        return hs_utilmodel_predict(r->model, &row, basis);
    }
    double util = hs_utilmodel_predict(r->model, &row, basis);
    bool is_known = *basis == HS_UTIL_KNOWN_MODEL || *basis == HS_UTIL_ONE_MEASURED;
    if (is_known && hs_model_same_name(row.gpu, hs_utilmodel_gpu(r->model)))
        return util;
    const struct hs_profile *from = nearest_row(r, i);
    if (from == NULL)
        return util;
    return hs_utilmodel_transfer(r->model, from, from->util_pm / 1000.0, &row, basis);
}

static void guess_rows(const struct regress *r, struct hs_profile_guess *guesses)
{
    for (uint32_t i = 0; i < r->catalogue->count; i++) {
        enum hs_utilbasis basis;
        if (guesses[i].util_pm >= 0)
            continue;
        double util = predict(r, i, &basis);
        if (isnan(util))
            continue;
        double error_pm = 1000 * hs_utilmodel_error(r->model, basis);
        guesses[i].util_pm = guesses[i].util_peak_pm = hs_predictor_told_pm(100 * util);
        guesses[i].util_error_pm =
            isnan(error_pm) ? HS_UTIL_ERROR_MAX_PM : (uint32_t)lround(error_pm);
    }
}

/* Fills in the utilizations that are still unknown, by the fit of predictor.json. */
static enum hs_status hs_predictor_guess_regress(const struct hs_catalogue *catalogue,
                                                 const char *path, enum hs_holdout holdout,
                                                 struct hs_profile_guess *guesses,
                                                 struct hs_diag *diag)
{
    struct hs_utilmodel *model;
    struct regress r = {.catalogue = catalogue, .holdout = holdout};
    HS_TRY(hs_utilmodel_load(&model, path, diag));
    hs_peers_open(&r.peers, catalogue);
    r.model = model;
    guess_rows(&r, guesses);
    hs_peers_close(&r.peers);
    hs_utilmodel_free(model);
    return HS_OK;
}

#define K_MAX        1e6
#define EXPONENT_MAX 100.0
#define ERROR_MAX    1000.0 /* of a speed; as in interference.json */

static void read_general(struct hs_predictor *p, struct hs_jsoncheck *check,
                         const struct hs_json *root)
{
    const struct hs_json *general = hs_json_get(root, "general");
    double k = 0, alpha = 1, beta = 1;
    if (general == NULL) {
        hs_jsoncheck_fault(check, root, NULL, "\"general\" is missing");
        return;
    }
    if (!hs_jsoncheck_kind(check, general, HS_JSON_OBJECT, "general"))
        return;
    bool is_good = hs_jsoncheck_number(check, general, "k", 0, K_MAX, &k);
    is_good &= hs_jsoncheck_number(check, general, "alpha", 1e-3, EXPONENT_MAX, &alpha);
    is_good &= hs_jsoncheck_number(check, general, "beta", 1e-3, EXPONENT_MAX, &beta);
    p->general_error = NAN; /* null: too little data to hold any of it out */
    if (hs_json_kind(hs_json_get(general, "error")) != HS_JSON_NULL)
        is_good &= hs_jsoncheck_number(check, general, "error", 0, ERROR_MAX, &p->general_error);
    if (is_good)
        hs_pairform_init(&p->general, k, alpha, beta);
}

/* A fraction 0..1, as told in per mille; -1 where it is absent or null. */
static int32_t read_share(struct hs_jsoncheck *check, const struct hs_json *row, const char *key)
{
    double share;
    if (hs_json_kind(hs_json_get(row, key)) <= HS_JSON_NULL ||
        !hs_jsoncheck_number(check, row, key, 0, 1, &share))
        return -1;
    return hs_predictor_told_pm(100 * share);
}

/* The fit is of the mean: a peak of its own is not predicted. */
static void read_prediction(struct hs_predictor *p, struct hs_jsoncheck *check,
                            const struct hs_json *row, const struct hs_catalogue *catalogue)
{
    if (!hs_jsoncheck_kind(check, row, HS_JSON_OBJECT, "a prediction"))
        return;
    int32_t by_config = read_share(check, row, "config");
    int32_t by_model = read_share(check, row, "model");
    const char *key = hs_jsoncheck_text(check, row, "profile");
    if (key == NULL) {
        hs_jsoncheck_fault(check, row, NULL, "a prediction names its \"profile\"");
        return;
    }
    uint32_t profile = hs_catalogue_find(catalogue, key);
    if (profile == HS_NO_PROFILE)
        return;
    bool is_config = p->options.holdout == HS_HOLDOUT_CONFIG && by_config >= 0;
    struct hs_profile_guess *guess = &p->guesses[profile];
    guess->util_pm = guess->util_peak_pm = is_config ? by_config : by_model;
}

/* Residuals of the predictions listed against the catalogue: both are hold-outs. */
static double file_residual_pm(const struct hs_profile *row, const struct hs_profile_guess *guess)
{
    return row->util_pm < 0 || guess->util_pm < 0 ? NAN : (double)(guess->util_pm - row->util_pm);
}

static void set_errors(struct hs_predictor *p, const struct hs_catalogue *catalogue)
{
    double squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->guess_count; i++) {
        double residual = file_residual_pm(&catalogue->profiles[i], &p->guesses[i]);
        if (isnan(residual))
            continue;
        squares += residual * residual;
        count++;
    }
    for (uint32_t i = 0; i < p->guess_count; i++) {
        double own = file_residual_pm(&catalogue->profiles[i], &p->guesses[i]);
        double error = hs_predictor_other_rms(squares, count, own);
        if (p->guesses[i].util_pm >= 0)
            p->guesses[i].util_error_pm =
                isnan(error) ? HS_UTIL_ERROR_MAX_PM : (uint32_t)lround(error);
    }
}

static void read_predictions(struct hs_predictor *p, struct hs_jsoncheck *check,
                             const struct hs_json *root, const struct hs_catalogue *catalogue)
{
    const struct hs_json *list = hs_json_get(root, "predictions");
    if (list == NULL) {
        hs_jsoncheck_fault(check, root, NULL, "\"predictions\" is missing");
        return;
    }
    if (!hs_jsoncheck_kind(check, list, HS_JSON_ARRAY, "predictions"))
        return;
    for (const struct hs_json *row = hs_json_first(list); row != NULL; row = hs_json_next(row))
        read_prediction(p, check, row, catalogue);
    set_errors(p, catalogue);
}

/* predictor.json: the general form, and with REGRESS the utilizations it lists as held out. */
static enum hs_status hs_predictor_read(struct hs_predictor *p, const char *path,
                                        const struct hs_catalogue *catalogue, struct hs_diag *diag)
{
    struct hs_jsoncheck check;
    enum hs_status status = hs_modelfile_open(&check, path, HS_MODEL_PREDICTOR, diag);
    if (status == HS_OK) {
        const struct hs_json *root = hs_json_root(check.doc);
        read_general(p, &check, root);
        if (p->options.kind == HS_PREDICT_REGRESS)
            read_predictions(p, &check, root, catalogue);
        status = check.status;
    }
    hs_json_close(check.doc);
    return status;
}

/* u becomes u_hat with log1p(u_hat) = log1p(u) + shift, in percent: the error is that of log1p
 * (RMSLE). */
static int32_t shifted_pm(int32_t util_pm, double shift)
{
    return hs_predictor_told_pm(expm1(log1p(util_pm / PM_PER_PERCENT) + shift));
}

/* The peak moves with the mean: one draw for both. */
static void add_util_noise(const struct hs_predictor *p, uint64_t index, struct hs_estimate *out)
{
    const struct hs_predictor_options *o = &p->options;
    double shift = o->util_bias + o->util_rmsle * hs_normal_of(p->util_seed, index);
    out->util_pm = shifted_pm(out->util_pm, shift);
    out->util_peak_pm = shifted_pm(out->util_peak_pm, shift);
    /* d log1p(u) = du / (1 + u) */
    double error = hypot(o->util_rmsle, o->util_bias) * (out->util_pm + PM_PER_PERCENT);
    out->util_error_pm = (uint32_t)lround(fmin(error, HS_UTIL_ERROR_MAX_PM));
}

static void add_memory_noise(const struct hs_predictor *p, uint64_t index, struct hs_estimate *out)
{
    double sd = p->options.mem_ln_sd;
    double mib = out->mem_mib * exp(sd * hs_normal_of(p->mem_seed, index));
    out->mem_mib = (uint32_t)fmin(fmax(round(mib), 1), UINT32_MAX);
    out->mem_error_mib = (uint32_t)fmin(round(sd * out->mem_mib), UINT32_MAX);
}

void hs_predictor_estimate(const struct hs_predictor *p, const struct hs_job_facts *facts,
                           struct hs_estimate *out)
{
    static const struct hs_profile_guess none = {.util_pm = -1, .util_peak_pm = -1};
    const struct hs_profile_guess *guess =
        facts->profile < p->guess_count ? &p->guesses[facts->profile] : &none;
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
        add_util_noise(p, facts->index, out);
    }
    if (p->options.memory == HS_MEMORY_FORMULA) {
        out->mem_mib = guess->mem_mib;
        out->mem_error_mib = guess->mem_error_mib;
    } else if (p->options.memory == HS_MEMORY_NOISY && out->mem_mib > 0) {
        add_memory_noise(p, facts->index, out);
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

static enum hs_status fill(struct hs_predictor *p, const struct hs_modelset *set,
                           const struct hs_catalogue *catalogue, struct hs_diag *diag)
{
    for (uint32_t i = 0; i < p->guess_count; i++)
        p->guesses[i] = (struct hs_profile_guess){.util_pm = -1, .util_peak_pm = -1};
    if (p->options.memory == HS_MEMORY_FORMULA)
        hs_predictor_guess_memory(catalogue, p->guesses);
    if (p->options.kind == HS_PREDICT_TABLE)
        hs_predictor_guess_table(catalogue, p->guesses);
    const char *path = set->path[HS_MODEL_PREDICTOR];
    HS_TRY(hs_predictor_read(p, path, catalogue, diag));
    if (p->options.kind != HS_PREDICT_REGRESS)
        return HS_OK;
    return hs_predictor_guess_regress(catalogue, path, p->options.holdout, p->guesses, diag);
}

enum hs_status hs_predictor_open(struct hs_predictor **p, const struct hs_modelset *set,
                                 const struct hs_catalogue *catalogue,
                                 const struct hs_predictor_options *options, struct hs_diag *diag)
{
    struct hs_predictor *new = hs_alloc_zeroed(1, sizeof *new);
    *p = new;
    new->guesses = hs_alloc_zeroed((uint64_t)catalogue->count + 1, sizeof *new->guesses);
    new->options = *options;
    new->guess_count = catalogue->count;
    new->util_seed = hs_seed_of(options->seed, "predictor-noise");
    new->mem_seed = hs_seed_of(options->seed, "memory-noise");
    enum hs_status status = fill(new, set, catalogue, diag);
    if (status != HS_OK) {
        hs_predictor_close(new);
        *p = NULL;
    }
    return status;
}

void hs_predictor_close(struct hs_predictor *p)
{
    if (p == NULL)
        return;
    hs_free(p->guesses);
    hs_free(p);
}
