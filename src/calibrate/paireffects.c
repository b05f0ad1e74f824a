/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One ridge problem on what the general form leaves of each speed. A row has at most nine entries:
 * two knots of four around each utilization, and its two models. O(rows + columns^3) a fit.
 */
#include "calibrate/paireffects.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "calibrate/solve.h"

#define COLUMNS_MAX 4096u /* their products take 128 MiB */
#define A_JOB       (2 * HS_EFFECT_KNOTS)

const double hs_effect_knots[HS_EFFECT_KNOTS] = {0, 0.5, 1};

/* Weights of the knots at a utilization: they sum to 1. */
static void weigh(double util, double weights[HS_EFFECT_KNOTS])
{
    for (uint32_t k = 0; k < HS_EFFECT_KNOTS; k++)
        weights[k] = 0;
    for (uint32_t k = 1; k < HS_EFFECT_KNOTS; k++) {
        double low = hs_effect_knots[k - 1], high = hs_effect_knots[k];
        if (util > high)
            continue;
        weights[k] = (util - low) / (high - low);
        weights[k - 1] = 1 - weights[k];
        return;
    }
    weights[HS_EFFECT_KNOTS - 1] = 1;
}

static enum hs_status allocate(struct hs_paireffects *e)
{
    uint64_t cells = (uint64_t)e->set->row_count * e->columns;
    e->solution = hs_alloc_zeroed(e->columns, sizeof *e->solution);
    e->lambdas = hs_alloc_zeroed(e->columns, sizeof *e->lambdas);
    e->x = hs_alloc_zeroed(cells, sizeof *e->x);
    e->y = hs_alloc_zeroed(e->set->row_count, sizeof *e->y);
    e->jobs = hs_alloc_zeroed(e->set->job_count, sizeof *e->jobs);
    if (e->solution == NULL || e->lambdas == NULL || e->x == NULL || e->y == NULL ||
        e->jobs == NULL)
        return HS_E_MEMORY;
    e->pairs = e->solution + (size_t)e->set->job_count * A_JOB;
    return HS_OK;
}

enum hs_status hs_paireffects_open(struct hs_paireffects *e, const struct hs_pairset *set,
                                   const double *general, double ridge, struct hs_diag *diag)
{
    *e = (struct hs_paireffects){.set = set, .ridge = ridge};
    e->columns = set->job_count * A_JOB + set->model_pair_count;
    if (e->columns > COLUMNS_MAX)
        return hs_fail(diag, HS_E_LIMIT, NULL, "calibrate the models you schedule, not all",
                       "%s: %" PRIu32 " effects of %" PRIu32 " jobs, more than %u", set->gpu,
                       e->columns, set->job_count, COLUMNS_MAX);
    HS_TRY(hs_pairgeneral_open(&e->general, set, diag));
    e->is_general_given = general != NULL;
    if (general != NULL)
        memcpy(e->general.theta, general, sizeof e->general.theta);
    if (allocate(e) != HS_OK) {
        hs_paireffects_close(e);
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: no memory for effects", set->gpu);
    }
    for (uint32_t c = 0; c < e->columns; c++)
        e->lambdas[c] = c < set->job_count * A_JOB ? ridge : ridge * HS_EFFECT_PAIRS;
    return HS_OK;
}

void hs_paireffects_close(struct hs_paireffects *e)
{
    hs_pairgeneral_close(&e->general);
    hs_free(e->solution);
    hs_free(e->lambdas);
    hs_free(e->x);
    hs_free(e->y);
    hs_free(e->jobs);
    *e = (struct hs_paireffects){0};
}

static void fill_row(const struct hs_paireffects *e, const struct hs_pairrow *row, double *x)
{
    double weights[HS_EFFECT_KNOTS];
    memset(x, 0, e->columns * sizeof *x);
    weigh(hs_pairset_util(e->set, row->other), weights);
    memcpy(x + (size_t)row->own * A_JOB, weights, sizeof weights);
    weigh(hs_pairset_util(e->set, row->own), weights);
    memcpy(x + (size_t)row->other * A_JOB + HS_EFFECT_KNOTS, weights, sizeof weights);
    x[(size_t)e->set->job_count * A_JOB + row->model_pair] = 1;
}

enum hs_status hs_paireffects_fit(struct hs_paireffects *e, const bool *is_held,
                                  struct hs_diag *diag)
{
    uint32_t used = 0;
    if (!e->is_general_given)
        HS_TRY(hs_pairgeneral_fit(&e->general, is_held, diag));
    for (uint32_t r = 0; r < e->set->row_count; r++) {
        if (is_held != NULL && is_held[r])
            continue;
        fill_row(e, &e->set->rows[r], e->x + (size_t)used * e->columns);
        e->y[used++] = e->set->rows[r].speed - hs_pairgeneral_speed(&e->general, r);
    }
    HS_TRY(hs_solve_ridge(e->x, e->y, NULL, used, e->columns, e->lambdas, e->solution,
                          "effects of jobs on speed", diag));
    for (uint32_t i = 0; i < e->set->job_count; i++)
        memcpy(&e->jobs[i], e->solution + (size_t)i * A_JOB, sizeof e->jobs[i]);
    return HS_OK;
}

double hs_paireffects_speed(const struct hs_paireffects *e, uint32_t row)
{
    const struct hs_pairrow *r = &e->set->rows[row];
    double own[HS_EFFECT_KNOTS], other[HS_EFFECT_KNOTS];
    double speed = hs_pairgeneral_speed(&e->general, row) + e->pairs[r->model_pair];
    weigh(hs_pairset_util(e->set, r->other), own);
    weigh(hs_pairset_util(e->set, r->own), other);
    for (uint32_t k = 0; k < HS_EFFECT_KNOTS; k++)
        speed += own[k] * e->jobs[r->own].own[k] + other[k] * e->jobs[r->other].other[k];
    return fmax(HS_SPEED_MIN, speed);
}

static enum hs_status model_fit(void *ctx, const struct hs_pairset *set, const bool *is_held,
                                struct hs_diag *diag)
{
    (void)set;
    return hs_paireffects_fit(ctx, is_held, diag);
}

static double model_speed(const void *ctx, const struct hs_pairset *set, uint32_t row)
{
    (void)set;
    return hs_paireffects_speed(ctx, row);
}

struct hs_pairmodel hs_paireffects_model(struct hs_paireffects *e)
{
    return (struct hs_pairmodel){model_fit, model_speed, e};
}
