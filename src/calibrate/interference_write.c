/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of interference as a model file (configs/models/README.md), and as rows for plots.
 */
#include <math.h>

#include "calibrate/interference_study.h"
#include "data/csvwrite.h"

/* a and b scaled to equal means: only their product is known. */
static double scale_of(const struct hs_table_study *t)
{
    double a = 0, b = 0;
    for (uint32_t i = 0; i < t->set.job_count; i++) {
        a += exp(t->rank1.ln_a[i]);
        b += exp(t->rank1.ln_b[i]);
    }
    return sqrt(b / a);
}

static const double *pair_effects(const struct hs_table_study *t)
{
    return t->is_two_way ? t->effects.pairs : t->rank1.pairs;
}

static void write_tuned(const struct hs_interference_study *s, struct hs_jsonw *w)
{
    uint32_t last = HS_PAIR_THRESHOLDS - 1;
    hs_jsonw_key(w, "tuned_cut");
    hs_jsonw_object(w);
    hs_score_write_number(w, "threshold", HS_TUNED_THRESHOLD);
    hs_score_write_number(w, "cut", s->tuned_cut);
    hs_score_write_number(w, "accuracy", s->tuned[HS_GENERAL_OWN].accuracy[last]);
    hs_score_write_number(w, "balanced_accuracy", s->tuned[HS_GENERAL_OWN].balanced[last]);
    hs_jsonw_end_object(w);
}

static void write_general(const struct hs_interference_study *s, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "general");
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "gpu", s->general.set->gpu);
    hs_jsonw_member_text(w, "form", "1 + k u^alpha v^beta");
    hs_score_write_number(w, "k", exp(s->general.theta[HS_GENERAL_LN_K]));
    hs_score_write_number(w, "alpha", s->general.theta[HS_GENERAL_ALPHA]);
    hs_score_write_number(w, "beta", s->general.theta[HS_GENERAL_BETA]);
    hs_jsonw_key(w, "in_sample");
    hs_jsonw_object(w);
    hs_pairscore_write_members(w, hs_general_lines[HS_GENERAL_ALL], &s->scores[HS_GENERAL_ALL]);
    write_tuned(s, w);
    hs_jsonw_end_object(w);
    hs_jsonw_key(w, "holdout");
    hs_jsonw_array(w);
    for (int line = 0; line < HS_GENERAL_ALL; line++)
        hs_pairscore_write(w, hs_general_lines[line], &s->scores[line]);
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

/* A curve of three knots as a line with a bend at the middle one:
 * effect(v) = value + slope v + bend max(0, v - 0.5). */
static void write_curve(struct hs_jsonw *w, const char *const *names, const double *at_knot)
{
    double first = (at_knot[1] - at_knot[0]) / (hs_effect_knots[1] - hs_effect_knots[0]);
    double second = (at_knot[2] - at_knot[1]) / (hs_effect_knots[2] - hs_effect_knots[1]);
    hs_score_write_number(w, names[0], at_knot[0]);
    hs_score_write_number(w, names[1], first);
    hs_score_write_number(w, names[2], second - first);
}

static void write_job(const struct hs_table_study *t, uint32_t job, double scale,
                      struct hs_jsonw *w)
{
    static const char *const own_names[] = {"own", "own_slope", "own_bend"};
    static const char *const other_names[] = {"other", "other_slope", "other_bend"};
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "profile", t->set.jobs[job].key);
    if (t->is_two_way) {
        hs_score_write_number(w, "util", hs_pairset_util(&t->set, job));
        write_curve(w, own_names, t->effects.jobs[job].own);
        write_curve(w, other_names, t->effects.jobs[job].other);
    } else {
        hs_score_write_number(w, "a", exp(t->rank1.ln_a[job]) * scale);
        hs_score_write_number(w, "b", exp(t->rank1.ln_b[job]) / scale);
    }
    hs_jsonw_end_object(w);
}

static void write_model_pairs(const struct hs_table_study *t, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "model_pairs");
    hs_jsonw_array(w);
    for (uint32_t p = 0; p < t->set.model_pair_count; p++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_array(w);
        hs_jsonw_text(w, t->set.models[t->set.model_pairs[p].own]);
        hs_jsonw_text(w, t->set.models[t->set.model_pairs[p].other]);
        hs_jsonw_double(w, hs_score_round(pair_effects(t)[p]));
        hs_jsonw_end_array(w);
    }
    hs_jsonw_end_array(w);
}

/* The mean of all rows of the same two jobs, at the first of them. */
static void write_pair(const struct hs_pairset *set, uint32_t row, struct hs_jsonw *w)
{
    const struct hs_pairrow *first = &set->rows[row];
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t r = 0; r < set->row_count; r++) {
        const struct hs_pairrow *other = &set->rows[r];
        if (other->own != first->own || other->other != first->other)
            continue;
        if (r < row)
            return;
        sum += other->speed;
        count++;
    }
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    hs_jsonw_u64(w, first->own);
    hs_jsonw_u64(w, first->other);
    hs_jsonw_double(w, hs_score_round(count / sum));
    hs_jsonw_end_array(w);
}

static void write_holdout(const struct hs_table_study *t, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "holdout");
    hs_jsonw_array(w);
    /* First as the engine applies it: a run tells the error of the first line. */
    hs_pairscore_write(w, hs_table_lines[HS_TABLE_JOBS_APPLIED], &t->scores[HS_TABLE_JOBS_APPLIED]);
    for (int line = 0; line < HS_TABLE_ALL; line++)
        if (line != HS_TABLE_JOBS_APPLIED)
            hs_pairscore_write(w, hs_table_lines[line], &t->scores[line]);
    for (uint32_t step = 0; !t->is_two_way && step < HS_COLD_STEPS; step++) {
        hs_score_write(w, hs_cold_lines[step], &t->cold[step]);
    }
    hs_jsonw_end_array(w);
}

static void write_table(const struct hs_interference_study *s, const struct hs_table_study *t,
                        struct hs_jsonw *w)
{
    double scale = t->is_two_way ? 1 : scale_of(t);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "gpu", t->set.gpu);
    hs_jsonw_member_text(w, "form", hs_interference_form(t));
    hs_score_write_number(w, "lambda", t->ridge);
    hs_jsonw_key(w, "jobs");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < t->set.job_count; i++)
        write_job(t, i, scale, w);
    hs_jsonw_end_array(w);
    write_model_pairs(t, w);
    if (hs_interference_keeps_pairs(s, t)) {
        hs_jsonw_key(w, "pairs");
        hs_jsonw_array(w);
        for (uint32_t r = 0; r < t->set.row_count; r++)
            write_pair(&t->set, r, w);
        hs_jsonw_end_array(w);
    }
    hs_jsonw_key(w, "in_sample");
    hs_pairscore_write(w, hs_table_lines[HS_TABLE_ALL], &t->scores[HS_TABLE_ALL]);
    write_holdout(t, w);
    hs_jsonw_end_object(w);
}

void hs_interference_write(const struct hs_interference_study *study, struct hs_jsonw *w)
{
    if (study->chosen != UINT32_MAX)
        write_general(study, w);
    hs_jsonw_key(w, "tables");
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < study->count; i++)
        write_table(study, &study->tables[i], w);
    hs_jsonw_end_array(w);
}

/* ---- rows for plots ---- */

static void write_row(struct hs_csvw *w, const struct hs_pairset *set, const char *form,
                      uint32_t row, double held, double fitted)
{
    const struct hs_pairrow *r = &set->rows[row];
    hs_csvw_text(w, set->gpu);
    hs_csvw_text(w, form);
    hs_csvw_text(w, set->jobs[r->own].key);
    hs_csvw_text(w, set->jobs[r->other].key);
    hs_csvw_double(w, hs_score_round(set->jobs[r->own].util));
    hs_csvw_double(w, hs_score_round(set->jobs[r->other].util));
    hs_csvw_double(w, hs_score_round(r->speed));
    hs_csvw_double(w, hs_score_round(held));
    hs_csvw_double(w, hs_score_round(fitted));
}

static void write_table_rows(struct hs_csvw *w, const struct hs_table_study *t)
{
    uint32_t folds = t->is_two_way ? HS_TWO_WAY_FOLDS : HS_RANK1_FOLDS;
    for (uint32_t r = 0; r < t->set.row_count; r++) {
        write_row(w, &t->set, hs_interference_form(t), r, t->held[r], t->fitted[r]);
        hs_csvw_u64(w, t->set.rows[r].jobs_rank % folds);
        hs_csvw_end(w);
    }
}

enum hs_status hs_interference_write_rows(const struct hs_interference_study *study,
                                          const char *path, struct hs_diag *diag)
{
    struct hs_csvw w;
    HS_TRY(hs_csvw_open(
        &w, path, "gpu,form,own,other,own_util,other_util,observed,held_out,in_sample,fold", diag));
    const struct hs_pairset *set = study->general.set;
    for (uint32_t r = 0; study->chosen != UINT32_MAX && r < set->row_count; r++) {
        write_row(&w, set, "general", r, study->held[r], study->fitted[r]);
        hs_csvw_text(&w, set->models[set->jobs[set->rows[r].own].model]);
        hs_csvw_end(&w);
    }
    for (uint32_t i = 0; i < study->count; i++)
        write_table_rows(&w, &study->tables[i]);
    return hs_csvw_close(&w, diag);
}
