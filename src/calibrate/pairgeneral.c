/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Least squares on the speed, 1 / S, with theta = (ln k, alpha, beta) and the analytic Jacobian
 * (calibration.md 4, recipe). With x = k u^alpha v^beta the speed is 1 / (1 + x) and its derivative
 * by ln x is -x / (1 + x)^2.
 */
#include "calibrate/pairgeneral.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "calibrate/solve.h"

#define STEPS_MAX    200u
#define K_MAX        100.0 /* what interference.json may hold */
#define EXPONENT_MIN 0.01
#define EXPONENT_MAX 10.0
#define CUT_STEP     0.01

static const double start[HS_GENERAL_PARAMETERS] = {-0.35667494393873245 /* ln 0.7 */, 1, 1.5};

enum hs_status hs_pairgeneral_open(struct hs_pairgeneral *g, const struct hs_pairset *set,
                                   struct hs_diag *diag)
{
    *g = (struct hs_pairgeneral){.set = set, .cut = HS_TUNED_THRESHOLD};
    uint64_t rows = (uint64_t)set->row_count + 1;
    g->ln_own = hs_alloc_zeroed(rows, sizeof *g->ln_own);
    g->ln_other = hs_alloc_zeroed(rows, sizeof *g->ln_other);
    g->work = hs_alloc_zeroed(rows * 3 + (uint64_t)set->runs * 2, sizeof *g->work);
    if (g->ln_own == NULL || g->ln_other == NULL || g->work == NULL) {
        hs_pairgeneral_close(g);
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: no memory to fit", set->gpu);
    }
    for (uint32_t r = 0; r < set->row_count; r++) {
        g->ln_own[r] = log(hs_pairset_util(set, set->rows[r].own));
        g->ln_other[r] = log(hs_pairset_util(set, set->rows[r].other));
    }
    return HS_OK;
}

void hs_pairgeneral_close(struct hs_pairgeneral *g)
{
    hs_free(g->ln_own);
    hs_free(g->ln_other);
    hs_free(g->work);
    *g = (struct hs_pairgeneral){0};
}

/* ---- the fit ---- */

/* theta of all parameters from those that are fitted: all three, or ln k alone. */
static const double *whole(const struct hs_pairgeneral *g, const double *theta,
                           double full[HS_GENERAL_PARAMETERS])
{
    if (g->fixed_alpha <= 0)
        return theta;
    full[HS_GENERAL_LN_K] = theta[0];
    full[HS_GENERAL_ALPHA] = g->fixed_alpha;
    full[HS_GENERAL_BETA] = g->fixed_beta;
    return full;
}

/* work: (ln u, ln v, speed) of each used row. */
static void residual(void *ctx, const double *theta, double *f)
{
    const struct hs_pairgeneral *g = ctx;
    double full[HS_GENERAL_PARAMETERS];
    const double *t = whole(g, theta, full);
    for (uint32_t i = 0; i < g->used; i++) {
        const double *row = g->work + (size_t)i * 3;
        f[i] = 1 / (1 + exp(t[0] + t[1] * row[0] + t[2] * row[1])) - row[2];
    }
}

static void jacobian(void *ctx, const double *theta, double *j)
{
    const struct hs_pairgeneral *g = ctx;
    double full[HS_GENERAL_PARAMETERS];
    const double *t = whole(g, theta, full);
    for (uint32_t i = 0; i < g->used; i++) {
        const double *row = g->work + (size_t)i * 3;
        double speed = 1 / (1 + exp(t[0] + t[1] * row[0] + t[2] * row[1]));
        double slope = -speed * (1 - speed);
        *j++ = slope;
        if (g->fixed_alpha <= 0) {
            *j++ = slope * row[0];
            *j++ = slope * row[1];
        }
    }
}

static enum hs_status check(const struct hs_pairgeneral *g, const double *theta,
                            struct hs_diag *diag)
{
    double k = exp(theta[HS_GENERAL_LN_K]);
    double alpha = theta[HS_GENERAL_ALPHA], beta = theta[HS_GENERAL_BETA];
    if (k <= K_MAX && alpha >= EXPONENT_MIN && alpha <= EXPONENT_MAX && beta >= EXPONENT_MIN &&
        beta <= EXPONENT_MAX)
        return HS_OK;
    return hs_fail(
        diag, HS_E_INPUT, NULL,
        "slowdown must grow with the utilization of both jobs; are the columns mixed up?",
        "%s: 1 + k u^alpha v^beta does not fit: k = %.3g, alpha = %.3g, beta = %.3g", g->set->gpu,
        k, alpha, beta);
}

/* The worst of a run at each cut from 1 to the threshold and as far beyond; of the best cuts the
 * one nearest to the threshold. */
static double best_cut(struct hs_pairgeneral *g, const bool *is_held)
{
    double *observed = g->work + ((size_t)g->set->row_count + 1) * 3;
    double *predicted = observed + g->set->runs;
    for (uint32_t r = 0; r < g->set->row_count; r++)
        g->work[r] = hs_pairgeneral_speed(g, r);
    hs_pairset_worst(g->set, NULL, is_held, observed);
    hs_pairset_worst(g->set, g->work, is_held, predicted);
    double best = HS_TUNED_THRESHOLD;
    uint32_t best_right = 0;
    int steps = (int)((HS_TUNED_THRESHOLD - 1) / CUT_STEP + 0.5);
    for (int i = 0; i < 2 * steps; i++) {
        int away = (i + 1) / 2 * (i % 2 == 0 ? 1 : -1); /* 0, -1, 1, -2, 2 ... */
        double cut = HS_TUNED_THRESHOLD + away * CUT_STEP;
        uint32_t right = 0;
        for (uint32_t p = 0; p < g->set->runs; p++)
            right +=
                observed[p] > 0 && (observed[p] <= HS_TUNED_THRESHOLD) == (predicted[p] <= cut);
        if (right > best_right) {
            best_right = right;
            best = cut;
        }
    }
    return best;
}

enum hs_status hs_pairgeneral_fit(struct hs_pairgeneral *g, const bool *is_held,
                                  struct hs_diag *diag)
{
    bool is_fixed = g->fixed_alpha > 0;
    double theta[HS_GENERAL_PARAMETERS];
    memcpy(theta, start, sizeof theta);
    g->used = 0;
    for (uint32_t r = 0; r < g->set->row_count; r++) {
        if (is_held != NULL && is_held[r])
            continue;
        double *row = g->work + (size_t)g->used++ * 3;
        row[0] = g->ln_own[r];
        row[1] = g->ln_other[r];
        row[2] = g->set->rows[r].speed;
    }
    struct hs_nls nls = {g->used, is_fixed ? 1 : HS_GENERAL_PARAMETERS, residual, jacobian, g};
    HS_TRY(hs_solve_nls(&nls, theta, STEPS_MAX, "the form 1 + k u^alpha v^beta", diag));
    double full[HS_GENERAL_PARAMETERS];
    const double *found = whole(g, theta, full);
    HS_TRY(check(g, found, diag));
    memcpy(g->theta, found, sizeof g->theta);
    if (g->is_tuned)
        g->cut = best_cut(g, is_held);
    return HS_OK;
}

double hs_pairgeneral_speed(const struct hs_pairgeneral *g, uint32_t row)
{
    return 1 /
           (1 + exp(g->theta[0] + g->theta[1] * g->ln_own[row] + g->theta[2] * g->ln_other[row]));
}

static enum hs_status model_fit(void *ctx, const struct hs_pairset *set, const bool *is_held,
                                struct hs_diag *diag)
{
    (void)set;
    return hs_pairgeneral_fit(ctx, is_held, diag);
}

static double model_speed(const void *ctx, const struct hs_pairset *set, uint32_t row)
{
    const struct hs_pairgeneral *g = ctx;
    double speed = hs_pairgeneral_speed(g, row);
    (void)set;
    return g->is_tuned ? speed * g->cut / HS_TUNED_THRESHOLD : speed;
}

struct hs_pairmodel hs_pairgeneral_model(struct hs_pairgeneral *g)
{
    return (struct hs_pairmodel){model_fit, model_speed, g};
}

/* ---- fit and errors in one call ---- */

uint32_t hs_general_choose(const struct hs_pairset *pairsets, uint32_t count)
{
    uint32_t chosen = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (pairsets[i].row_count > 0 && pairsets[i].has_utils &&
            (chosen == UINT32_MAX || pairsets[i].row_count > pairsets[chosen].row_count))
            chosen = i;
    return chosen;
}

/* The order matters: the last fit is that to all rows. */
static enum hs_status study(struct hs_pairgeneral *g, double *predicted, struct hs_general_fit *fit,
                            struct hs_diag *diag)
{
    const struct hs_pairset *set = g->set;
    struct hs_pairmodel model = hs_pairgeneral_model(g);
    HS_TRY(hs_pairgeneral_fit(g, NULL, diag)); /* says why it cannot */
    HS_TRY(hs_pairholdout(set, &model, HS_UNSEEN_OWN_MODEL, 0, predicted, diag));
    HS_TRY(hs_pairscore(set, predicted, &fit->own_unseen, diag));
    HS_TRY(hs_pairholdout(set, &model, HS_UNSEEN_OTHER_MODEL, 0, predicted, diag));
    HS_TRY(hs_pairscore(set, predicted, &fit->other_unseen, diag));
    HS_TRY(hs_pairholdout(set, &model, HS_UNSEEN_NOTHING, 0, predicted, diag));
    HS_TRY(hs_pairscore(set, predicted, &fit->in_sample, diag));
    fit->gpu = set->gpu;
    fit->k = exp(g->theta[HS_GENERAL_LN_K]);
    fit->alpha = g->theta[HS_GENERAL_ALPHA];
    fit->beta = g->theta[HS_GENERAL_BETA];
    fit->rows = set->row_count;
    fit->runs = set->runs;
    fit->models = set->model_count;
    return HS_OK;
}

static enum hs_status study_pairset(const struct hs_pairset *set, struct hs_general_fit *fit,
                                    struct hs_diag *diag)
{
    struct hs_pairgeneral g;
    HS_TRY(hs_pairgeneral_open(&g, set, diag));
    double *predicted = hs_alloc_zeroed(set->row_count, sizeof *predicted);
    enum hs_status status =
        predicted == NULL ? hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: no memory to fit", set->gpu)
                          : study(&g, predicted, fit, diag);
    hs_free(predicted);
    hs_pairgeneral_close(&g);
    return status;
}

enum hs_status hs_general_study(const struct hs_measurements *set, uint32_t sets,
                                struct hs_general_fit *fit, struct hs_diag *diag)
{
    struct hs_pairset best = {0};
    *fit = (struct hs_general_fit){0};
    for (uint32_t s = 0; s < sets; s++)
        for (uint32_t gpu = 0; gpu < set[s].gpu_count; gpu++) {
            struct hs_pairset both[2] = {best};
            enum hs_status status = hs_pairset_collect(&both[1], &set[s], gpu, diag);
            if (status != HS_OK) {
                hs_pairset_free(&best);
                return status;
            }
            uint32_t chosen = hs_general_choose(both, 2);
            best = both[chosen == 1];
            hs_pairset_free(&both[chosen != 1]);
        }
    if (best.row_count == 0)
        return hs_fail(diag, HS_E_INPUT, NULL,
                       "pairs need the utilization of both jobs alone (util_a, util_b)",
                       "no pair of jobs with measured utilizations is left to fit to");
    enum hs_status status = study_pairset(&best, fit, diag);
    hs_pairset_free(&best);
    return status;
}
