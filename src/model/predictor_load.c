/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * predictor.json at opening: the pair form that policies are given, and for the regression the
 * held-out prediction of each measured row. A prediction of a profile that this catalogue does not
 * have is passed over: the file belongs to a catalogue with more rows.
 */
#include <math.h>
#include <string.h>

#include "model/predictor_private.h"

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
static double residual_pm(const struct hs_profile *row, const struct hs_profile_guess *guess)
{
    return row->util_pm < 0 || guess->util_pm < 0 ? NAN : (double)(guess->util_pm - row->util_pm);
}

static void set_errors(struct hs_predictor *p, const struct hs_catalogue *catalogue)
{
    double squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->guess_count; i++) {
        double residual = residual_pm(&catalogue->profiles[i], &p->guesses[i]);
        if (isnan(residual))
            continue;
        squares += residual * residual;
        count++;
    }
    for (uint32_t i = 0; i < p->guess_count; i++) {
        double own = residual_pm(&catalogue->profiles[i], &p->guesses[i]);
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

enum hs_status hs_predictor_read(struct hs_predictor *p, const char *path,
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
