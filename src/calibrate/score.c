/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Errors of predictions; the only file that includes GSL's sorting and statistics. Sums run in the
 * order of the rows, so that the last bit is the same everywhere.
 */
#include "calibrate/score.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "base/fmt.h"
#include "base/memory.h"

#define ROUNDING    1e-12 /* of the mean, relative: far above 2^-53, far below any measurement */
#define NAME_WIDTH  44
#define LARGEST     1e9 /* of what is printed; keeps the scaled number within 63 bits */
#define DECIMAL_MAX 9u

void hs_sort_numbers(double *values, uint32_t n)
{
    gsl_sort(values, 1, n);
}

double hs_percentile(const double *sorted, uint32_t n, uint32_t percent)
{
    return n > 0 ? sorted[((uint64_t)n * percent + 99) / 100 - 1] : NAN;
}

void hs_score(const double *observed, const double *predicted, uint32_t n, struct hs_score *score)
{
    *score = (struct hs_score){n, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n == 0)
        return;
    double *work = hs_alloc_zeroed((uint64_t)n * 2, sizeof *work);
    double centre = 0, absolute = 0, squared = 0, bias = 0, spread = 0;
    for (uint32_t i = 0; i < n; i++)
        centre += observed[i];
    centre /= n;
    for (uint32_t i = 0; i < n; i++) {
        double error = predicted[i] - observed[i];
        assert(isfinite(error));
        absolute += fabs(error);
        squared += error * error;
        bias += error;
        spread += (observed[i] - centre) * (observed[i] - centre);
    }
    score->mae = absolute / n;
    score->rmse = sqrt(squared / n);
    score->bias = bias / n;
    /* What equal numbers are away from their rounded mean is no spread. */
    double rounding = n * (ROUNDING * centre) * (ROUNDING * centre);
    score->r2 = spread > rounding ? 1 - squared / spread : NAN;
    score->rho = gsl_stats_spearman(observed, 1, predicted, 1, n, work);
    for (uint32_t i = 0; i < n; i++)
        work[i] = fabs(predicted[i] - observed[i]);
    hs_sort_numbers(work, n);
    score->p95 = hs_percentile(work, n, 95);
    hs_free(work);
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

void hs_predictions_add(struct hs_predictions *list, double observed, double predicted)
{
    uint64_t need = (uint64_t)list->count + 1;
    hs_grow((void **)&list->observed, &list->observed_cap, need, sizeof(double), UINT32_MAX);
    hs_grow((void **)&list->predicted, &list->predicted_cap, need, sizeof(double), UINT32_MAX);
    list->observed[list->count] = observed;
    list->predicted[list->count++] = predicted;
}

void hs_predictions_score(const struct hs_predictions *list, struct hs_score *score)
{
    hs_score(list->observed, list->predicted, list->count, score);
}

void hs_predictions_free(struct hs_predictions *list)
{
    hs_free(list->observed);
    hs_free(list->predicted);
    *list = (struct hs_predictions){0};
}

/* ---- in a model file ---- */

void hs_score_write_number(struct hs_jsonw *w, const char *key, double value)
{
    hs_jsonw_key(w, key);
    hs_jsonw_double(w, hs_fmt_round6(value));
}

void hs_score_write_numbers(struct hs_jsonw *w, const struct hs_named_number *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hs_score_write_number(w, numbers[i].key, numbers[i].value);
}

void hs_score_write_members(struct hs_jsonw *w, const char *protocol, const struct hs_score *score)
{
    hs_jsonw_member_text(w, "protocol", protocol);
    hs_jsonw_member_u64(w, "n", score->n);
    HS_WRITE_NUMBERS(w, {"mae", score->mae}, {"rmse", score->rmse}, {"r2", score->r2},
                     {"bias", score->bias}, {"p95", score->p95}, {"rho", score->rho});
}

void hs_score_write(struct hs_jsonw *w, const char *protocol, const struct hs_score *score)
{
    hs_write_line(w);
    hs_score_write_members(w, protocol, score);
    hs_jsonw_end_object(w);
}

/* ---- in a table ---- */

/* By integer arithmetic, like base/fmt, but with trailing zeros: columns line up. */
static void format(char text[64], double value, unsigned decimals)
{
    uint64_t scale = 1;
    for (unsigned i = 0; i < decimals && i < DECIMAL_MAX; i++)
        scale *= 10;
    if (!(fabs(value) < LARGEST)) {
        (void)snprintf(text, 64, "%s", isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
        return;
    }
    uint64_t scaled = (uint64_t)(fabs(value) * (double)scale + 0.5);
    int len = snprintf(text, 64, "%s%" PRIu64, value < 0 && scaled > 0 ? "-" : "", scaled / scale);
    if (decimals > 0)
        (void)snprintf(text + len, 64 - (size_t)len, ".%0*" PRIu64, (int)decimals, scaled % scale);
}

/* Columns must not run together: decimals give way, then the column. */
void hs_say_number(struct hs_output *out, double value, unsigned decimals, int width)
{
    char text[64];
    format(text, value, decimals);
    while (width > 0 && strlen(text) >= (size_t)width && decimals > 0)
        format(text, value, --decimals);
    bool is_wide = width > 0 && strlen(text) >= (size_t)width;
    hs_say(out, "%s%*s", is_wide ? " " : "", width, text);
}

void hs_say_score_head(struct hs_output *out, const char *title)
{
    hs_say(out, "\n%-*s%7s%8s%8s%8s%8s%8s%8s\n", NAME_WIDTH, title, "n", "MAE", "RMSE", "R2",
           "bias", "p95", "rho");
}

void hs_say_score(struct hs_output *out, const char *name, const struct hs_score *score)
{
    const double values[] = {score->mae,  score->rmse, score->r2,
                             score->bias, score->p95,  score->rho};
    hs_say(out, "  %-*s%7" PRIu32, NAME_WIDTH - 2, name, score->n);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        hs_say_number(out, values[i], 4, 8);
    hs_say(out, "\n");
}
