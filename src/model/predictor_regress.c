/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The regression for profiles of which predictor.json lists no held-out prediction: they were not
 * in its data, so the fitted model may say what it knows. Of a model or on a GPU type that the fit
 * has not seen, one other measured row tells more than features do: it is carried over.
 */
#include <math.h>
#include <string.h>

#include "model/modelfile.h"
#include "model/predictor_private.h"
#include "model/utilmodel.h"

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
        row.model = ""; /* as if nobody had measured it */
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

enum hs_status hs_predictor_guess_regress(const struct hs_catalogue *catalogue, const char *path,
                                          enum hs_holdout holdout, struct hs_profile_guess *guesses,
                                          struct hs_diag *diag)
{
    struct hs_utilmodel *model;
    struct regress r = {.catalogue = catalogue, .holdout = holdout};
    HS_TRY(hs_utilmodel_load(&model, path, diag));
    enum hs_status status = hs_peers_open(&r.peers, catalogue, diag);
    if (status == HS_OK) {
        r.model = model;
        guess_rows(&r, guesses);
    }
    hs_peers_close(&r.peers);
    hs_utilmodel_free(model);
    return status;
}
