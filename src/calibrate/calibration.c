/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of subjects, and what they have in common: read the data, report which files it was,
 * which steps cleaned it and what became of each row, write the head of the model file. A file is
 * named by its base name, size and hash, so that a model file does not depend on where the data
 * lay. And errors of predictions and least squares: the only file that includes GSL's sorting,
 * statistics, linear algebra and fitting. Sums run in the order of the rows, so that the last bit
 * is the same everywhere.
 */
#include "calibrate/calibration.h"

#include <assert.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multilarge_nlinear.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"

extern const struct hs_calibration hs_calibration_interference, hs_calibration_utilization,
    hs_calibration_predictor, hs_calibration_speed;

const struct hs_calibration *hs_calibration_at(size_t index)
{
    static const struct hs_calibration *const subjects[] = {
        &hs_calibration_interference, &hs_calibration_utilization, &hs_calibration_predictor,
        &hs_calibration_speed};
    return index < HS_COUNT_OF(subjects) ? subjects[index] : NULL;
}

/* ---- rows ---- */

void hs_calibrate_say_counts(const struct hs_calibrate_run *run, uint32_t sets)
{
    struct hs_output *out = run->out;
    for (uint32_t i = 0; i < sets; i++) {
        const struct hs_clean_counts *counts = &run->counts[i];
        hs_say(out, "%s:", run->set[i].format);
        for (uint32_t f = 0; f < run->set[i].file_count; f++) {
            const struct hs_measure_file *file = &run->set[i].files[f];
            hs_say(out, " %s (%" PRIu64 " rows, %016" PRIx64 ")", file->name, file->rows,
                   file->hash);
        }
        hs_say(out, "\n%10" PRIu32 "  rows read\n%10" PRIu32 "  kept\n", counts->read,
               counts->kept);
        if (counts->rebased > 0)
            hs_say(out, "%10" PRIu32 "  of them re-based on runs beside an idle job\n",
                   counts->rebased);
        for (uint32_t why = 0; why < HS_DROPPED_COUNT; why++)
            if (counts->dropped[why] > 0)
                hs_say(out, "%10" PRIu32 "  dropped: %s\n", counts->dropped[why],
                       hs_dropped_texts[why]);
    }
}

void hs_calibrate_write_dropped(struct hs_jsonw *w, const char *const *texts,
                                const uint32_t *counts, uint32_t n)
{
    hs_jsonw_put(w, "dropped=[");
    for (uint32_t why = 0; why < n; why++)
        if (counts[why] > 0)
            hs_jsonw_put(w, "=!{ why=%s rows=%u }", texts[why], counts[why]);
    hs_jsonw_put(w, "]");
}

/* ---- a run ---- */

static enum hs_status calibrate(struct hs_calibrate_run *run, const struct hs_calibration *subject,
                                void *study, struct hs_jsonw *model)
{
    struct hs_clean_counts sum = {0};
    struct hs_csvw rows;
    if (subject->needs_catalogue && run->options.profiles != NULL)
        HS_TRY(hs_catalogue_load(&run->catalogue, run->options.profiles, run->diag));
    if (subject->read != NULL)
        HS_TRY(subject->read(run));
    else
        for (; run->sets < run->options.data_count; run->sets++)
            HS_TRY(hs_measure_read(&run->set[run->sets], run->options.data[run->sets], run->diag));
    for (uint32_t i = 0; i < run->sets; i++)
        hs_clean(&run->set[i], run->options.clean | subject->always, run->options.overlap,
                 &run->counts[i]);
    HS_TRY(subject->fit(run, study));
    subject->say(run, study);
    if (model != NULL) {
        hs_jsonw_put(model, "={");
        hs_jsonw_put(model, "kind=%s format=%u data=[", subject->name, HS_MODEL_FORMAT);
        for (uint32_t i = 0; i < run->sets; i++) {
            sum.read += run->counts[i].read;
            sum.kept += run->counts[i].kept;
            for (uint32_t why = 0; why < HS_DROPPED_COUNT; why++)
                sum.dropped[why] += run->counts[i].dropped[why];
            hs_jsonw_put(model, "=!{ format=%s files=[", run->set[i].format);
            for (uint32_t f = 0; f < run->set[i].file_count; f++) {
                const struct hs_measure_file *file = &run->set[i].files[f];
                hs_jsonw_put(model,
                             "=!{ name=%s hash=%016" PRIx64 " bytes=%" PRIu64 " rows=%" PRIu64 " }",
                             file->name, file->hash, file->bytes, file->rows);
            }
            hs_jsonw_put(model, "] }");
        }
        hs_jsonw_put(model, "] cleaning=[");
        for (uint32_t bit = 0; bit < HS_CLEAN_COUNT; bit++)
            if ((run->options.clean >> bit & 1) != 0)
                hs_jsonw_text(model, hs_clean_step_at(bit));
        hs_jsonw_put(model, "] rows={ read=%u kept=%u", sum.read, sum.kept);
        hs_calibrate_write_dropped(model, hs_dropped_texts, sum.dropped, HS_DROPPED_COUNT);
        hs_jsonw_put(model, "}");
        subject->write(run, study, model);
        hs_jsonw_put(model, "}");
    }
    if (run->options.rows == NULL)
        return HS_OK;
    HS_TRY(hs_csvw_open(&rows, run->options.rows, subject->rows, run->diag));
    subject->write_rows(study, &rows);
    return hs_csvw_close(&rows, run->diag);
}

enum hs_status hs_calibrate(const struct hs_calibration *subject,
                            const struct hs_calibrate_options *options, struct hs_output *out,
                            struct hs_jsonw *model, struct hs_diag *diag)
{
    uint64_t errors = diag->errors;
    struct hs_calibrate_run *run = hs_alloc_zeroed(1, sizeof *run);
    *run = (struct hs_calibrate_run){
        .options = *options, .has_model = model != NULL, .out = out, .diag = diag};
    run->options.clean &= subject->steps;
    void *study = hs_arena_alloc(&run->arena, subject->study_size);
    enum hs_status status = calibrate(run, subject, study, model);
    if (status != HS_OK && diag->errors == errors) /* a limit, which could not be reported */
        status = hs_fail(diag, status, NULL, NULL, "calibrate %s: %s", subject->name,
                         hs_status_text(status));
    for (uint32_t i = 0; i <= HS_CALIBRATE_DATA_MAX; i++)
        hs_measure_free(&run->set[i]);
    hs_catalogue_free(&run->catalogue);
    hs_arena_free(&run->arena);
    hs_free(run);
    return status;
}

/* ---- scores ---- */

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
    /* Equal numbers differ from their mean by rounding errors only: that is no spread. */
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
    hs_grow(list->observed, list->observed_cap, need, UINT32_MAX);
    hs_grow(list->predicted, list->predicted_cap, need, UINT32_MAX);
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

/* ---- least squares ----
 * Linear problems go through the normal equations, scaled to a unit diagonal, and Cholesky,
 * nonlinear ones through GSL's trust region with Levenberg-Marquardt steps on the normal equations.
 * The matrices of effects and of products are almost empty: only entries that are not zero are
 * multiplied, which GSL's dense routines cannot do. A problem whose scaled normal equations have a
 * reciprocal condition number below RCOND_MIN is refused: its answer is undetermined. */

#define RCOND_MIN 1e-13 /* of X'X: three digits above the rounding of its sums */
#define STEP_MIN  1e-10 /* relative; results are written to six digits */

static bool are_finite(const double *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static enum hs_status fail_not_finite(const char *what, struct hs_diag *diag)
{
    return hs_fail(diag, HS_E_INPUT, NULL, NULL,
                   "%s: the equations hold a number that is not finite", what);
}

static enum hs_status fail_singular(const char *what, uint32_t unknowns, struct hs_diag *diag)
{
    return hs_fail(
        diag, HS_E_INPUT, NULL, "more measurements are needed, of jobs that differ from each other",
        "%s: the data does not determine the %" PRIu32 " numbers to be fitted", what, unknowns);
}

enum hs_status hs_solve_spd(double *a, const double *b, uint32_t n, double *x, double *log_det,
                            const char *what, struct hs_diag *diag)
{
    if (!are_finite(a, (uint64_t)n * n) || !are_finite(b, n))
        return fail_not_finite(what, diag);
    double *memory = hs_alloc_zeroed((uint64_t)n * 4, sizeof *memory), rcond = 0;
    hs_gsl_begin();
    gsl_matrix_view matrix = gsl_matrix_view_array(a, n, n);
    gsl_vector_view scale = gsl_vector_view_array(memory, n);
    gsl_vector_view work = gsl_vector_view_array(memory + n, (size_t)n * 3);
    gsl_vector_const_view right = gsl_vector_const_view_array(b, n);
    gsl_vector_view answer = gsl_vector_view_array(x, n);
    bool is_solved =
        gsl_linalg_cholesky_decomp2(&matrix.matrix, &scale.vector) == GSL_SUCCESS &&
        gsl_linalg_cholesky_rcond(&matrix.matrix, &rcond, &work.vector) == GSL_SUCCESS &&
        rcond >= RCOND_MIN &&
        gsl_linalg_cholesky_solve2(&matrix.matrix, &scale.vector, &right.vector, &answer.vector) ==
            GSL_SUCCESS &&
        are_finite(x, n);
    if (is_solved && log_det != NULL) {
        *log_det = 0;
        for (uint32_t i = 0; i < n; i++)
            *log_det += 2 * (log(a[(size_t)i * n + i]) - log(memory[i]));
    }
    hs_free(memory);
    return is_solved ? HS_OK : fail_singular(what, n, diag);
}

/* Which of the row's entries are not 0. */
static uint32_t find_filled(const double *row, uint32_t width, uint32_t *filled)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < width; j++)
        if (row[j] != 0)
            filled[count++] = j;
    return count;
}

/* Adds the products x[i] x[j] to the lower triangle of a; its rows are `pitch` elements apart. */
static void add_products(double *a, size_t pitch, const double *x, const uint32_t *filled,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j <= i; j++)
            a[filled[i] * pitch + filled[j]] += x[filled[i]] * x[filled[j]];
}

enum hs_status hs_solve_ridge(const double *x, const double *y, uint32_t rows, uint32_t columns,
                              const double *lambdas, double *beta, const char *what,
                              struct hs_diag *diag)
{
    assert(columns >= 1);
    double *a = hs_alloc_zeroed((uint64_t)columns * (columns + 1), sizeof *a);
    double *b = a + (size_t)columns * columns;
    uint32_t *filled = hs_alloc_zeroed(columns, sizeof *filled);
    for (uint32_t r = 0; r < rows; r++) {
        const double *row = x + (size_t)r * columns;
        uint32_t count = find_filled(row, columns, filled);
        add_products(a, columns, row, filled, count);
        for (uint32_t c = 0; c < count; c++)
            b[filled[c]] += row[filled[c]] * y[r];
    }
    for (uint32_t i = 0; i < columns; i++) {
        a[(size_t)i * columns + i] += lambdas != NULL ? lambdas[i] : 0;
        for (uint32_t j = i + 1; j < columns; j++)
            a[(size_t)i * columns + j] = a[(size_t)j * columns + i];
    }
    enum hs_status status = hs_solve_spd(a, b, columns, beta, NULL, what, diag);
    hs_free(filled);
    hs_free(a);
    return status;
}

/* What GSL's callbacks get: the problem, and room for its Jacobian. */
struct nls_calls {
    const struct hs_nls *nls;
    double *jacobian;
    uint32_t *filled;
};

static int call_residual(const gsl_vector *theta, void *ctx, gsl_vector *f)
{
    const struct hs_nls *nls = ((const struct nls_calls *)ctx)->nls;
    nls->at(nls->ctx, theta->data, f->data, NULL);
    return are_finite(f->data, nls->residuals) ? GSL_SUCCESS : GSL_EBADFUNC;
}

/* v = J u or J' u, and the lower triangle of J'J. */
static int call_jacobian(CBLAS_TRANSPOSE_t form, const gsl_vector *theta, const gsl_vector *u,
                         void *ctx, gsl_vector *v, gsl_matrix *jtj)
{
    const struct nls_calls *calls = ctx;
    const struct hs_nls *nls = calls->nls;
    uint32_t width = nls->parameters;
    assert(theta->stride == 1);
    nls->at(nls->ctx, theta->data, NULL, calls->jacobian);
    if (!are_finite(calls->jacobian, (uint64_t)nls->residuals * width))
        return GSL_EBADFUNC;
    if (v != NULL)
        gsl_vector_set_zero(v);
    if (jtj != NULL)
        gsl_matrix_set_zero(jtj);
    for (uint32_t i = 0; i < nls->residuals; i++) {
        const double *row = calls->jacobian + (size_t)i * width;
        uint32_t count = find_filled(row, width, calls->filled);
        for (uint32_t c = 0; v != NULL && c < count; c++) {
            uint32_t j = calls->filled[c];
            if (form == CblasTrans)
                v->data[j * v->stride] += row[j] * u->data[i * u->stride];
            else
                v->data[i * v->stride] += row[j] * u->data[j * u->stride];
        }
        if (jtj != NULL)
            add_products(jtj->data, jtj->tda, row, calls->filled, count);
    }
    return GSL_SUCCESS;
}

static enum hs_status run_trust_region(gsl_multilarge_nlinear_workspace *work,
                                       struct nls_calls *calls, double *theta, uint32_t max_steps,
                                       const char *what, struct hs_diag *diag)
{
    uint32_t width = calls->nls->parameters;
    gsl_multilarge_nlinear_fdf fdf = {
        .f = call_residual,
        .df = call_jacobian,
        .n = calls->nls->residuals,
        .p = width,
        .params = calls,
    };
    gsl_vector_const_view start = gsl_vector_const_view_array(theta, width);
    if (gsl_multilarge_nlinear_init(&start.vector, &fdf, work) != GSL_SUCCESS)
        return fail_not_finite(what, diag);
    int info = 0;
    int done =
        gsl_multilarge_nlinear_driver(max_steps, STEP_MIN, STEP_MIN, 0, NULL, NULL, &info, work);
    /* ENOPROG: no better step, at the bottom as near as rounding lets it come. From the start on,
     * GSL tells it apart from too many steps by info alone. */
    if (done != GSL_SUCCESS && done != GSL_ENOPROG && info != GSL_ENOPROG)
        return hs_fail(diag, HS_E_INPUT, NULL,
                       "the form does not fit these measurements, or there are too few of them",
                       "%s: no best fit found in %" PRIu32 " steps", what, max_steps);
    const gsl_vector *found = gsl_multilarge_nlinear_position(work);
    if (!are_finite(found->data, width))
        return fail_singular(what, width, diag);
    /* Do the residuals near the answer move with every parameter, and with each in its own way? */
    const struct hs_nls *nls = calls->nls;
    double *zeros = hs_alloc_zeroed((uint64_t)nls->residuals + width, sizeof *zeros);
    nls->at(nls->ctx, found->data, NULL, calls->jacobian);
    enum hs_status status = hs_solve_ridge(calls->jacobian, zeros, nls->residuals, width, NULL,
                                           zeros + nls->residuals, what, diag);
    hs_free(zeros);
    HS_TRY(status);
    memcpy(theta, found->data, width * sizeof *theta);
    return HS_OK;
}

enum hs_status hs_solve_nls(const struct hs_nls *problem, double *theta, uint32_t max_steps,
                            const char *what, struct hs_diag *diag)
{
    uint32_t rows = problem->residuals, width = problem->parameters;
    if (rows < width)
        return fail_singular(what, width, diag);
    hs_gsl_begin();
    gsl_multilarge_nlinear_parameters parameters = gsl_multilarge_nlinear_default_parameters();
    struct nls_calls calls = {problem, hs_alloc_zeroed((uint64_t)rows * width, sizeof(double)),
                              hs_alloc_zeroed(width, sizeof(uint32_t))};
    gsl_multilarge_nlinear_workspace *work =
        gsl_multilarge_nlinear_alloc(gsl_multilarge_nlinear_trust, &parameters, rows, width);
    enum hs_status status = run_trust_region(work, &calls, theta, max_steps, what, diag);
    if (work != NULL)
        gsl_multilarge_nlinear_free(work);
    hs_free(calls.jacobian);
    hs_free(calls.filled);
    return status;
}
