/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate interference`: how much slower a job runs beside another (calibration.md 4).
 * Every GPU type of every set of data with pairs gets a table of its own, for slowdowns do not
 * carry over from one type or campaign to another (calibration.md 6); the general form is fitted
 * to the type with most rows that tell utilizations.
 */
#include "calibrate/interference_study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/modelfile.h"

/* Simple numbers near the fitted exponents, to see what fitting them buys: calibration.md 4. */
#define FIXED_ALPHA 1.0
#define FIXED_BETA  1.75

/* ---- the general form ---- */

static const enum hs_unseen general_unseen[HS_GENERAL_LINES] = {
    [HS_GENERAL_OWN] = HS_UNSEEN_OWN_MODEL,     [HS_GENERAL_OTHER] = HS_UNSEEN_OTHER_MODEL,
    [HS_GENERAL_MODELS] = HS_UNSEEN_MODEL_PAIR, [HS_GENERAL_JOBS] = HS_UNSEEN_JOB_PAIR,
    [HS_GENERAL_ALL] = HS_UNSEEN_NOTHING,
};

/* Ends with the fit to all rows. */
static enum hs_status score_general(struct hs_pairgeneral *g, double *predicted,
                                    struct hs_pairscore *scores, struct hs_diag *diag)
{
    struct hs_pairmodel model = hs_pairgeneral_model(g);
    for (int line = 0; line < HS_GENERAL_LINES; line++) {
        HS_TRY(hs_pairholdout(g->set, &model, general_unseen[line], HS_TWO_WAY_FOLDS, predicted,
                              diag));
        HS_TRY(hs_pairscore(g->set, predicted, &scores[line], diag));
    }
    return HS_OK;
}

static enum hs_status score_variants(struct hs_interference_study *s, struct hs_diag *diag)
{
    struct hs_pairgeneral *g = &s->general;
    g->is_tuned = true;
    HS_TRY(score_general(g, s->held, s->tuned, diag));
    s->tuned_cut = g->cut;
    g->is_tuned = false;
    g->fixed_alpha = FIXED_ALPHA;
    g->fixed_beta = FIXED_BETA;
    HS_TRY(score_general(g, s->held, s->fixed, diag));
    g->fixed_alpha = g->fixed_beta = 0;
    return HS_OK;
}

static enum hs_status study_general(struct hs_interference_study *s, struct hs_diag *diag)
{
    const struct hs_pairset *set = &s->tables[s->chosen].set;
    HS_TRY(hs_pairgeneral_open(&s->general, set, diag));
    s->held = hs_alloc_zeroed(set->row_count, sizeof *s->held);
    s->fitted = hs_alloc_zeroed(set->row_count, sizeof *s->fitted);
    if (s->held == NULL || s->fitted == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: no memory to fit", set->gpu);
    HS_TRY(hs_pairgeneral_fit(&s->general, NULL, diag)); /* says why it cannot */
    HS_TRY(score_variants(s, diag));
    struct hs_pairmodel model = hs_pairgeneral_model(&s->general);
    HS_TRY(score_general(&s->general, s->fitted, s->scores, diag));
    HS_TRY(hs_pairholdout(set, &model, HS_UNSEEN_OWN_MODEL, 0, s->held, diag));
    return hs_pairgeneral_fit(&s->general, NULL, diag);
}

/* ---- tables ---- */

/* The engine runs nothing faster than alone. */
static enum hs_status score_applied(const struct hs_pairset *set, const double *predicted,
                                    double *work, struct hs_pairscore *score, struct hs_diag *diag)
{
    for (uint32_t r = 0; r < set->row_count; r++)
        work[r] = predicted[r] > 1 ? 1 : predicted[r];
    return hs_pairscore(set, work, score, diag);
}

/* Ends with the fit to all rows. */
static enum hs_status score_table(struct hs_table_study *t, const struct hs_pairmodel *model,
                                  uint32_t folds, struct hs_diag *diag)
{
    const struct hs_pairset *set = &t->set;
    double *work = t->fitted;
    HS_TRY(hs_pairholdout(set, model, HS_UNSEEN_MODEL_PAIR, 0, t->held, diag));
    HS_TRY(hs_pairscore(set, t->held, &t->scores[HS_TABLE_MODELS], diag));
    HS_TRY(score_applied(set, t->held, work, &t->scores[HS_TABLE_MODELS_APPLIED], diag));
    HS_TRY(hs_pairholdout(set, model, HS_UNSEEN_JOB_PAIR, folds, t->held, diag));
    HS_TRY(hs_pairscore(set, t->held, &t->scores[HS_TABLE_JOBS], diag));
    HS_TRY(score_applied(set, t->held, work, &t->scores[HS_TABLE_JOBS_APPLIED], diag));
    HS_TRY(hs_pairholdout(set, model, HS_UNSEEN_NOTHING, 0, t->fitted, diag));
    return hs_pairscore(set, t->fitted, &t->scores[HS_TABLE_ALL], diag);
}

static enum hs_status study_two_way(struct hs_interference_study *s, struct hs_table_study *t,
                                    struct hs_diag *diag)
{
    bool is_own_general = t == &s->tables[s->chosen];
    t->ridge = s->options->ridge > 0 ? s->options->ridge : HS_EFFECT_RIDGE;
    HS_TRY(hs_paireffects_open(&t->effects, &t->set, is_own_general ? NULL : s->general.theta,
                               t->ridge, diag));
    struct hs_pairmodel model = hs_paireffects_model(&t->effects);
    return score_table(t, &model, HS_TWO_WAY_FOLDS, diag);
}

static enum hs_status study_rank1(struct hs_interference_study *s, struct hs_table_study *t,
                                  struct hs_diag *diag)
{
    t->ridge = s->options->ridge > 0 ? s->options->ridge : HS_RANK1_RIDGE;
    HS_TRY(hs_pairrank1_open(&t->rank1, &t->set, t->ridge, diag));
    struct hs_pairmodel model = hs_pairrank1_model(&t->rank1);
    HS_TRY(hs_pairrank1_fit(&t->rank1, NULL, diag)); /* says why it cannot */
    HS_TRY(hs_paircold_study(&t->rank1, t->cold, diag));
    return score_table(t, &model, HS_RANK1_FOLDS, diag);
}

static enum hs_status study_table(struct hs_interference_study *s, struct hs_table_study *t,
                                  struct hs_diag *diag)
{
    const struct hs_pairset *set = &t->set;
    /* Two numbers of a job, or its curves, rest on what it did itself and what it did to others. */
    if (set->row_count < 2 * set->job_count)
        return hs_fail(diag, HS_E_INPUT, NULL,
                       "let every job run beside itself or two others; see what cleaning dropped",
                       "%s: %" PRIu32 " speeds of %" PRIu32
                       " jobs are too few: each job needs two at least",
                       set->gpu, set->row_count, set->job_count);
    t->held = hs_alloc_zeroed(set->row_count, sizeof *t->held);
    t->fitted = hs_alloc_zeroed(set->row_count, sizeof *t->fitted);
    if (t->held == NULL || t->fitted == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: no memory to fit", set->gpu);
    return t->is_two_way ? study_two_way(s, t, diag) : study_rank1(s, t, diag);
}

/* ---- data ---- */

static void note_no_utils(const struct hs_pairset *set, struct hs_diag *diag)
{
    uint32_t without = 0;
    for (uint32_t i = 0; i < set->job_count; i++)
        without += isnan(set->jobs[i].util) ? 1 : 0;
    if (without > 0 && without < set->job_count)
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "%s: %" PRIu32 " of %" PRIu32 " jobs have no utilization alone: the table is "
                  "rank-1 and the general form does not use its rows",
                  set->gpu, without, set->job_count);
}

static enum hs_status add_table(struct hs_interference_study *s, const struct hs_measurements *m,
                                uint32_t gpu, struct hs_diag *diag)
{
    struct hs_pairset set;
    HS_TRY(hs_pairset_collect(&set, m, gpu, diag));
    if (set.row_count == 0) {
        hs_pairset_free(&set);
        return HS_OK;
    }
    const char *known = NULL;
    for (uint32_t i = 0; i < s->count; i++)
        if (hs_model_same_name(s->tables[i].set.gpu, set.gpu))
            known = s->tables[i].set.gpu;
    if (known != NULL || s->count == HS_TABLES_MAX) {
        hs_pairset_free(&set);
        if (known != NULL)
            return hs_fail(diag, HS_E_INPUT, NULL,
                           "campaigns disagree by more than jobs do: calibrate from one of them",
                           "two sets of data have pairs on %s", known);
        return hs_fail(diag, HS_E_LIMIT, NULL, NULL, "pairs on more than %u GPU types",
                       HS_TABLES_MAX);
    }
    struct hs_table_study *t = &s->tables[s->count++];
    t->set = set;
    t->is_two_way = set.has_utils;
    if (!t->is_two_way) {
        hs_pairset_merge(&t->set);
        note_no_utils(&t->set, diag);
    }
    return HS_OK;
}

static uint32_t choose(const struct hs_interference_study *s)
{
    struct hs_pairset sets[HS_TABLES_MAX];
    for (uint32_t i = 0; i < s->count; i++)
        sets[i] = s->tables[i].set;
    return hs_general_choose(sets, s->count);
}

static enum hs_status study_all(struct hs_interference_study *s, const struct hs_measurements *set,
                                struct hs_diag *diag)
{
    for (uint32_t i = 0; i < s->options->data_count; i++)
        for (uint32_t gpu = 0; gpu < set[i].gpu_count; gpu++)
            HS_TRY(add_table(s, &set[i], gpu, diag));
    if (s->count == 0)
        return hs_fail(diag, HS_E_INPUT, NULL, "see which rows cleaning dropped, and why",
                       "no pair of jobs is left to fit to");
    s->chosen = choose(s);
    if (s->chosen != UINT32_MAX)
        HS_TRY(study_general(s, diag));
    for (uint32_t i = 0; i < s->count; i++)
        HS_TRY(study_table(s, &s->tables[i], diag));
    return HS_OK;
}

enum hs_status hs_interference_study(struct hs_interference_study *study,
                                     const struct hs_calibrate_options *options,
                                     const struct hs_measurements *set, struct hs_diag *diag)
{
    *study = (struct hs_interference_study){.options = options, .chosen = UINT32_MAX};
    enum hs_status status = study_all(study, set, diag);
    if (status != HS_OK)
        hs_interference_study_free(study);
    return status;
}

void hs_interference_study_free(struct hs_interference_study *study)
{
    for (uint32_t i = 0; i < study->count; i++) {
        struct hs_table_study *t = &study->tables[i];
        hs_paireffects_close(&t->effects);
        hs_pairrank1_close(&t->rank1);
        hs_free(t->held);
        hs_free(t->fitted);
        hs_pairset_free(&t->set);
    }
    hs_pairgeneral_close(&study->general);
    hs_free(study->held);
    hs_free(study->fitted);
    *study = (struct hs_interference_study){.chosen = UINT32_MAX};
}

const char *hs_interference_form(const struct hs_table_study *table)
{
    return table->is_two_way ? "two-way" : "rank-1";
}

/* S-Lab License 1.0 of Lucid's data is for non-commercial use only: coefficients may be shipped,
 * measured rows may not (SOURCES.md). */
bool hs_interference_keeps_pairs(const struct hs_interference_study *study,
                                 const struct hs_table_study *table)
{
    return study->options->is_keeping_pairs && strcmp(table->set.format, "lucid") != 0;
}

static enum hs_status tell(const struct hs_interference_study *study,
                           const struct hs_measurements *set, const struct hs_clean_counts *counts,
                           struct hs_output *out, struct hs_jsonw *model, struct hs_diag *diag)
{
    const struct hs_calibrate_options *options = study->options;
    hs_interference_say(study, out);
    if (model != NULL) {
        hs_jsonw_object(model);
        hs_calibrate_write_head(model, "interference", options, set, counts);
        hs_interference_write(study, model);
        hs_jsonw_end_object(model);
    }
    return options->rows != NULL ? hs_interference_write_rows(study, options->rows, diag) : HS_OK;
}

static enum hs_status run_sets(const struct hs_calibrate_options *options,
                               struct hs_measurements *set, struct hs_output *out,
                               struct hs_jsonw *model, struct hs_diag *diag)
{
    struct hs_clean_counts counts[HS_CALIBRATE_DATA_MAX];
    for (uint32_t i = 0; i < options->data_count; i++)
        HS_TRY(hs_clean_within(&set[i], options->clean, options->overlap, &counts[i]));
    hs_calibrate_say_counts(out, set, counts, options->data_count);
    struct hs_interference_study *study = hs_alloc_zeroed(1, sizeof *study);
    if (study == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory to calibrate interference");
    enum hs_status status = hs_interference_study(study, options, set, diag);
    if (status == HS_OK) {
        status = tell(study, set, counts, out, model, diag);
        hs_interference_study_free(study);
    }
    hs_free(study);
    return status;
}

static enum hs_status run(const struct hs_calibrate_options *options, struct hs_output *out,
                          struct hs_jsonw *model, struct hs_diag *diag)
{
    struct hs_measurements set[HS_CALIBRATE_DATA_MAX];
    HS_TRY(hs_calibrate_read(options, set, diag));
    enum hs_status status = run_sets(options, set, out, model, diag);
    for (uint32_t i = 0; i < options->data_count; i++)
        hs_measure_free(&set[i]);
    return status;
}

const struct hs_calibration hs_calibration_interference = {
    .name = "interference",
    .summary = "how much slower jobs run beside others, by GPU type",
    .data = "speeds of pairs of jobs: a folder of Lucid's, a JSON of Gavel's, or your CSV; "
            "one of each GPU type",
    .run = run,
};
