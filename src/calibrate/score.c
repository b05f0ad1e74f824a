/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Errors of predictions. Sums run in the order of the rows, so that the last bit is the same
 * everywhere; O(n log n) for the rank correlation and the percentile.
 */
#include "calibrate/score.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

#define ROUNDING 1e-12 /* of the mean, relative: far above 2^-53, far below any measurement */

struct ranked {
    double value;
    uint32_t row;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* ranks[row] = 1 + how many are smaller, ties the mean of their ranks. */
static void rank_rows(const double *values, uint32_t n, struct ranked *order, double *ranks)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct ranked){values[i], i};
    qsort(order, n, sizeof *order, by_value);
    for (uint32_t first = 0, end = 0; first < n; first = end) {
        while (end < n && order[end].value == order[first].value)
            end++;
        for (uint32_t i = first; i < end; i++)
            ranks[order[i].row] = 0.5 * ((double)first + 1 + (double)end);
    }
}

static double mean(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    return sum / n;
}

/* NaN when one side is constant. */
static double correlation(const double *x, const double *y, uint32_t n)
{
    double mean_x = mean(x, n), mean_y = mean(y, n);
    double xx = 0, yy = 0, xy = 0;
    for (uint32_t i = 0; i < n; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

static void score_moments(const double *observed, const double *predicted, uint32_t n,
                          struct hs_score *s)
{
    double centre = mean(observed, n);
    double absolute = 0, squared = 0, signed_sum = 0, spread = 0;
    for (uint32_t i = 0; i < n; i++) {
        double error = predicted[i] - observed[i];
        assert(isfinite(error));
        absolute += fabs(error);
        squared += error * error;
        signed_sum += error;
        spread += (observed[i] - centre) * (observed[i] - centre);
    }
    s->n = n;
    s->mae = absolute / n;
    s->rmse = sqrt(squared / n);
    s->bias = signed_sum / n;
    /* What equal numbers are away from their rounded mean is no spread. */
    double rounding = n * (ROUNDING * centre) * (ROUNDING * centre);
    s->r2 = spread > rounding ? 1 - squared / spread : NAN;
}

enum hs_status hs_score(const double *observed, const double *predicted, uint32_t n,
                        struct hs_score *score)
{
    *score = (struct hs_score){0, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n == 0)
        return HS_OK;
    struct ranked *order = hs_alloc_zeroed(n, sizeof *order);
    double *ranks = hs_alloc_zeroed((uint64_t)n * 2, sizeof *ranks);
    if (order == NULL || ranks == NULL) {
        hs_free(order);
        hs_free(ranks);
        return HS_E_MEMORY;
    }
    score_moments(observed, predicted, n, score);
    rank_rows(observed, n, order, ranks);
    rank_rows(predicted, n, order, ranks + n);
    score->rho = correlation(ranks, ranks + n, n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct ranked){fabs(predicted[i] - observed[i]), i};
    qsort(order, n, sizeof *order, by_value);
    score->p95 = order[((uint64_t)n * 95 + 99) / 100 - 1].value;
    hs_free(order);
    hs_free(ranks);
    return HS_OK;
}

double hs_score_rmsle(const double *observed, const double *predicted, uint32_t n, double scale)
{
    double squared = 0;
    for (uint32_t i = 0; i < n; i++) {
        double error = log1p(scale * predicted[i]) - log1p(scale * observed[i]);
        squared += error * error;
    }
    return n > 0 ? sqrt(squared / n) : NAN;
}

void hs_score_write_number(struct hs_jsonw *w, const char *key, double value)
{
    hs_jsonw_key(w, key);
    hs_jsonw_double(w, hs_score_round(value));
}

void hs_score_write_members(struct hs_jsonw *w, const char *protocol, const struct hs_score *score)
{
    hs_jsonw_member_text(w, "protocol", protocol);
    hs_jsonw_member_u64(w, "n", score->n);
    hs_score_write_number(w, "mae", score->mae);
    hs_score_write_number(w, "rmse", score->rmse);
    hs_score_write_number(w, "r2", score->r2);
    hs_score_write_number(w, "bias", score->bias);
    hs_score_write_number(w, "p95", score->p95);
    hs_score_write_number(w, "rho", score->rho);
}

void hs_score_write(struct hs_jsonw *w, const char *protocol, const struct hs_score *score)
{
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    hs_score_write_members(w, protocol, score);
    hs_jsonw_end_object(w);
}

double hs_score_round(double value)
{
    char text[32];
    if (!isfinite(value))
        return value;
    snprintf(text, sizeof text, "%.5e", value);
    return strtod(text, NULL);
}
