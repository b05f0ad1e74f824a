/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Errors of predictions; the only file that includes GSL's sorting and statistics. Sums run in the
 * order of the rows, so that the last bit is the same everywhere.
 */
#include "calibrate/score.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "base/fmt.h"
#include "base/memory.h"

#define ROUNDING    1e-12 /* of the mean, relative: far above 2^-53, far below any measurement */
#define LARGEST     1e9   /* of what is printed; keeps the scaled number within 63 bits */
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

void hs_predictions_score(struct hs_predictions *list, struct hs_score *score)
{
    hs_score(list->observed, list->predicted, list->count, score);
    hs_free(list->observed);
    hs_free(list->predicted);
    *list = (struct hs_predictions){0};
}

/* ---- in a model file ---- */

void hs_score_write_members(struct hs_jsonw *w, const char *protocol, const struct hs_score *score)
{
    hs_jsonw_put(w, "protocol=%s n=%u mae=%.6g rmse=%.6g r2=%.6g bias=%.6g p95=%.6g rho=%.6g",
                 protocol, score->n, score->mae, score->rmse, score->r2, score->bias, score->p95,
                 score->rho);
}

void hs_score_write(struct hs_jsonw *w, const char *protocol, const struct hs_score *score)
{
    hs_jsonw_put(w, "=!{");
    hs_score_write_members(w, protocol, score);
    hs_jsonw_put(w, "}");
}

void hs_score_write_fields(struct hs_csvw *w, const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hs_csvw_double(w, hs_fmt_round6(numbers[i]));
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

void hs_say_number(struct hs_output *out, double value, unsigned decimals, int width)
{
    char text[64];
    format(text, value, decimals);
    while (width > 0 && strlen(text) >= (size_t)width && decimals > 0)
        format(text, value, --decimals);
    bool is_wide = width > 0 && strlen(text) >= (size_t)width;
    hs_say(out, "%s%*s", is_wide ? " " : "", width, text);
}

void hs_say_row(struct hs_output *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    while (*fmt != '\0') {
        size_t plain = strcspn(fmt, "%");
        hs_output_put(out, fmt, plain);
        fmt += plain;
        if (*fmt == '\0')
            break;
        char *end;
        int width = (int)strtol(fmt + 1, &end, 10);
        unsigned decimals = *end == '.' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
        if (*end == 'f')
            hs_say_number(out, va_arg(args, double), decimals, width);
        else if (*end == 's')
            hs_say(out, "%*s", width, va_arg(args, const char *));
        else if (*end == 'u')
            hs_say(out, "%*u", width, va_arg(args, unsigned));
        else
            hs_output_put(out, end, 1); /* of %% */
        fmt = end + 1;
    }
    va_end(args);
}

void hs_say_score_head(struct hs_output *out, const char *title)
{
    hs_say(out, "\n%-44s%7s%8s%8s%8s%8s%8s%8s\n", title, "n", "MAE", "RMSE", "R2", "bias", "p95",
           "rho");
}

void hs_say_score(struct hs_output *out, const char *name, const struct hs_score *score)
{
    hs_say_row(out, "  %-42s%7u%8.4f%8.4f%8.4f%8.4f%8.4f%8.4f\n", name, score->n, score->mae,
               score->rmse, score->r2, score->bias, score->p95, score->rho);
}
