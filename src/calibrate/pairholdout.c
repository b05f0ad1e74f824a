/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folds that leave too little to fit to are not scored: how many rows were is in the score, and a
 * warning says it. All else that fails, fails.
 */
#include "calibrate/pairholdout.h"

#include <inttypes.h>
#include <math.h>

const double hs_pair_thresholds[HS_PAIR_THRESHOLDS] = {1.1, 1.2, 1.5};

static const char *const unseen_texts[] = {
    [HS_UNSEEN_NOTHING] = "fit",
    [HS_UNSEEN_OWN_MODEL] = "unseen model, own",
    [HS_UNSEEN_OTHER_MODEL] = "unseen model, other",
    [HS_UNSEEN_MODEL_PAIR] = "unseen pair of models",
    [HS_UNSEEN_JOB_PAIR] = "unseen pair of jobs",
};

enum hs_status hs_pairmodel_try(const struct hs_pairmodel *model, const struct hs_pairset *set,
                                const bool *is_held)
{
    struct hs_diag quiet;
    hs_diag_init(&quiet, NULL, NULL);
    return model->fit(model->ctx, set, is_held, &quiet);
}

static enum hs_status run_folds(const struct hs_pairset *set, const struct hs_pairmodel *model,
                                enum hs_unseen what, uint32_t job_folds, bool *is_held,
                                double *predicted, uint32_t *failed)
{
    for (uint32_t fold = 0; fold < hs_pairset_folds(set, what, job_folds); fold++) {
        uint32_t tested = 0;
        for (uint32_t r = 0; r < set->row_count; r++) {
            is_held[r] = hs_pairset_is_held(set, what, job_folds, fold, r);
            tested += hs_pairset_is_tested(set, what, job_folds, fold, r);
        }
        if (tested == 0)
            continue;
        enum hs_status status = hs_pairmodel_try(model, set, is_held);
        *failed += status == HS_E_INPUT;
        if (status != HS_OK && status != HS_E_INPUT)
            return status;
        for (uint32_t r = 0; r < set->row_count; r++)
            if (hs_pairset_is_tested(set, what, job_folds, fold, r))
                predicted[r] = status == HS_OK ? model->speed(model->ctx, set, r) : NAN;
    }
    return HS_OK;
}

enum hs_status hs_pairholdout(const struct hs_pairset *set, const struct hs_pairmodel *model,
                              enum hs_unseen what, uint32_t job_folds, double *predicted,
                              struct hs_diag *diag)
{
    bool *is_held = hs_alloc_zeroed((uint64_t)set->row_count + 1, sizeof *is_held);
    uint32_t failed = 0;
    enum hs_status status = HS_E_MEMORY;
    if (is_held != NULL)
        status = run_folds(set, model, what, job_folds, is_held, predicted, &failed);
    hs_free(is_held);
    if (status != HS_OK)
        return hs_fail(diag, status, NULL, NULL, "%s: %s: %s", set->gpu, unseen_texts[what],
                       hs_status_text(status));
    if (failed > 0)
        hs_report(diag, HS_WARNING, NULL, "their rows are not scored",
                  "%s: %s: %" PRIu32 " of %" PRIu32 " folds leave too little to fit to", set->gpu,
                  unseen_texts[what], failed, hs_pairset_folds(set, what, job_folds));
    return HS_OK;
}

void hs_pairset_worst(const struct hs_pairset *set, const double *speeds, const bool *is_held,
                      double *worst)
{
    /* Rows a run first, so that a run of one direction is known. */
    for (uint32_t p = 0; p < set->runs; p++)
        worst[p] = 0;
    for (uint32_t r = 0; r < set->row_count; r++)
        worst[set->rows[r].pair] += set->rows[r].is_merged ? 2 : 1;
    for (uint32_t p = 0; p < set->runs; p++)
        worst[p] = worst[p] == 2 ? 0 : NAN;
    for (uint32_t r = 0; r < set->row_count; r++) {
        double speed = speeds != NULL ? speeds[r] : set->rows[r].speed;
        double *w = &worst[set->rows[r].pair];
        bool is_usable = !(is_held != NULL && is_held[r]) && speed > 0;
        *w = is_usable && !isnan(*w) ? fmax(*w, 1 / speed) : NAN;
    }
    for (uint32_t p = 0; p < set->runs; p++)
        if (isnan(worst[p]))
            worst[p] = 0;
}

static void score_decisions(const struct hs_pairset *set, const double *observed,
                            const double *predicted, struct hs_pairscore *score)
{
    for (uint32_t t = 0; t < HS_PAIR_THRESHOLDS; t++) {
        double counts[2][2] = {{0}}; /* [is good][is called good] */
        for (uint32_t p = 0; p < set->runs; p++)
            if (observed[p] > 0 && predicted[p] > 0)
                counts[observed[p] <= hs_pair_thresholds[t]]
                      [predicted[p] <= hs_pair_thresholds[t]]++;
        double good = counts[1][0] + counts[1][1], bad = counts[0][0] + counts[0][1];
        score->pairs = (uint32_t)(good + bad);
        score->accuracy[t] = good + bad > 0 ? (counts[1][1] + counts[0][0]) / (good + bad) : NAN;
        score->balanced[t] =
            good > 0 && bad > 0 ? 0.5 * (counts[1][1] / good + counts[0][0] / bad) : NAN;
    }
}

/* memory: 2 numbers a row, 2 a run. */
static enum hs_status score_in(const struct hs_pairset *set, const double *predicted,
                               double *memory, struct hs_pairscore *score)
{
    double *observed = memory, *kept = memory + set->row_count;
    uint32_t n = 0;
    for (uint32_t r = 0; r < set->row_count; r++)
        if (isfinite(predicted[r])) {
            observed[n] = set->rows[r].speed;
            kept[n++] = predicted[r];
        }
    HS_TRY(hs_score(observed, kept, n, &score->speed));
    double *worst = memory + (size_t)set->row_count * 2;
    hs_pairset_worst(set, NULL, NULL, worst);
    hs_pairset_worst(set, predicted, NULL, worst + set->runs);
    score_decisions(set, worst, worst + set->runs, score);
    return HS_OK;
}

enum hs_status hs_pairscore(const struct hs_pairset *set, const double *predicted,
                            struct hs_pairscore *score, struct hs_diag *diag)
{
    uint64_t numbers = ((uint64_t)set->row_count + set->runs) * 2;
    double *memory = hs_alloc_zeroed(numbers + 1, sizeof *memory);
    enum hs_status status = HS_E_MEMORY;
    if (memory != NULL)
        status = score_in(set, predicted, memory, score);
    hs_free(memory);
    return status != HS_OK ? hs_fail(diag, status, NULL, NULL, "no memory to score") : HS_OK;
}

static void write_list(struct hs_jsonw *w, const char *key, const double *values)
{
    hs_jsonw_key(w, key);
    hs_jsonw_array(w);
    for (uint32_t t = 0; t < HS_PAIR_THRESHOLDS; t++)
        hs_jsonw_double(w, hs_score_round(values[t]));
    hs_jsonw_end_array(w);
}

void hs_pairscore_write_members(struct hs_jsonw *w, const char *protocol,
                                const struct hs_pairscore *score)
{
    hs_score_write_members(w, protocol, &score->speed);
    if (score->pairs > 0) {
        write_list(w, "accuracy", score->accuracy);
        write_list(w, "balanced_accuracy", score->balanced);
    }
}

void hs_pairscore_write(struct hs_jsonw *w, const char *protocol, const struct hs_pairscore *score)
{
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    hs_pairscore_write_members(w, protocol, score);
    hs_jsonw_end_object(w);
}
