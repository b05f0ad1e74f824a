/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table predictor (policies/horus.md 2.2): the utilization of a configuration from other rows
 * of the catalogue, never from its own. The first of three ways that can be gone:
 *   a line of log1p(per cent) over log(batch) through the other batches of the same model, dataset
 *   and precision, on its GPU type, or the first of the file if no other was measured on that; the
 *   mean of the other rows of the model; the mean of all other rows.
 * The line is drawn in log1p(per cent), the scale in which predictors are scored: on Lucid's 54
 * rows with two other batches that gives an RMSLE of 0.19, a line in per cent 0.23.
 * A way's error is its root mean square over every row on which it can be tried.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/predictor_private.h"

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

struct table {
    const struct hs_catalogue *catalogue;
    struct hs_peers peers;
    struct sums all;
    struct attempt *attempts;
};

int32_t hs_predictor_told_pm(double util_percent)
{
    /* clip to [1, 100] %: policies/horus.md 2.2 */
    double clipped = fmin(fmax(util_percent, 1), 100);
    return (int32_t)lround(clipped * PM_PER_PERCENT);
}

double hs_predictor_other_rms(double sum_of_squares, uint32_t count, double own_residual)
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
static const char *line_gpu(const struct table *t, uint32_t i)
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

static void attempt_row(const struct table *t, uint32_t i, struct attempt *a)
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

static void add_measured(struct table *t)
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

static void settle(const struct table *t, struct hs_profile_guess *guesses)
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

enum hs_status hs_predictor_guess_table(const struct hs_catalogue *catalogue,
                                        struct hs_profile_guess *guesses, struct hs_diag *diag)
{
    struct table t = {.catalogue = catalogue};
    t.attempts = hs_alloc_zeroed((uint64_t)catalogue->count + 1, sizeof *t.attempts);
    if (t.attempts == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the table predictor");
    enum hs_status status = hs_peers_open(&t.peers, catalogue, diag);
    if (status == HS_OK) {
        add_measured(&t);
        for (uint32_t i = 0; i < catalogue->count; i++)
            attempt_row(&t, i, &t.attempts[i]);
        settle(&t, guesses);
    }
    hs_peers_close(&t.peers);
    hs_free(t.attempts);
    return status;
}
