/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate interference`: how much slower a job runs beside another. Every GPU type of
 * every set of data with pairs gets a table of its own, for slowdowns do not carry over from one
 * type or campaign to another; the general form is fitted to the type with most rows that have
 * utilizations. A table is two-way, with effects on the general form, where utilizations of all
 * jobs were measured, else rank-1.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "calibrate/calibration.h"
#include "calibrate/pairs.h"

#define TABLES_MAX 64u
/* Simple numbers near the fitted exponents, to see what fitting them buys. */
#define FIXED_ALPHA 1.0
#define FIXED_BETA  1.75

/* In the order of the file, which begins with what the form is used for. */
static const char *const general_lines[HS_UNSEEN_KINDS] = {
    [HS_UNSEEN_OWN_MODEL] = "unseen model, own",
    [HS_UNSEEN_OTHER_MODEL] = "unseen model, co-runner",
    [HS_UNSEEN_MODEL_PAIR] = "unseen pair of models",
    [HS_UNSEEN_JOB_PAIR] = "unseen pair of jobs",
    [HS_UNSEEN_NOTHING] = "in sample",
};
/* CUT: speeds cut to 1, as the engine applies them. */
enum { JOBS, MODELS, JOBS_CUT, MODELS_CUT, ALL, TABLE_LINES };
static const char *const table_lines[TABLE_LINES] = {
    [JOBS] = "unseen pair of jobs",
    [MODELS] = "unseen pair of models",
    [JOBS_CUT] = "unseen pair of jobs, S cut to 1",
    [MODELS_CUT] = "unseen pair of models, S cut to 1",
    [ALL] = "in sample",
};
static const char *const cold_lines[HS_COLD_STEPS] = {
    "new job after 0 tries", "new job after 1 try",   "new job after 2 tries",
    "new job after 3 tries", "new job after 5 tries", "new job after 8 tries",
};

struct interference_table {
    struct hs_pairset set;
    bool is_two_way;
    double ridge;
    struct hs_paireffects effects; /* two-way */
    struct hs_pairrank1 rank1;
    struct hs_pairscore scores[TABLE_LINES];
    struct hs_score cold[HS_COLD_STEPS]; /* rank-1 */
    double *held, *fitted;               /* a row: predicted by the fold that holds it, by all */
};

struct interference_study {
    struct interference_table tables[TABLES_MAX];
    uint32_t count;
    struct interference_table
        *chosen; /* the general form is fitted to its rows; NULL = there is none */
    struct hs_pairgeneral general;
    struct hs_pairscore scores[HS_UNSEEN_KINDS], fixed[HS_UNSEEN_KINDS], tuned[HS_UNSEEN_KINDS];
    double tuned_cut;
    double *held, *fitted; /* by the general form; held: own model unseen */
};

/* ---- fits ---- */

/* Ends with the fit to all rows. */
static enum hs_status score_general(struct hs_pairgeneral *g, double *predicted,
                                    struct hs_pairscore *scores, struct hs_diag *diag)
{
    for (int what = 0; what < HS_UNSEEN_KINDS; what++)
        HS_TRY(hs_pairholdout(&g->fit, (enum hs_unseen)what, predicted, &scores[what], diag));
    return HS_OK;
}

/* Ends with the fit to all rows. */
static enum hs_status score_table(struct interference_table *t, struct hs_pairfit *fit,
                                  struct hs_diag *diag)
{
    static const struct {
        enum hs_unseen what;
        int line, cut;
    } protocols[] = {{HS_UNSEEN_MODEL_PAIR, MODELS, MODELS_CUT},
                     {HS_UNSEEN_JOB_PAIR, JOBS, JOBS_CUT}};
    const struct hs_pairset *set = &t->set;
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        HS_TRY(
            hs_pairholdout(fit, protocols[i].what, t->held, &t->scores[protocols[i].line], diag));
        for (uint32_t r = 0; r < set->row_count; r++)
            t->fitted[r] = t->held[r] > 1 ? 1 : t->held[r];
        hs_pairscore(set, t->fitted, &t->scores[protocols[i].cut]);
    }
    return hs_pairholdout(fit, HS_UNSEEN_NOTHING, t->fitted, &t->scores[ALL], diag);
}

static enum hs_status fit_table(struct interference_study *s, struct interference_table *t,
                                double ridge, struct hs_diag *diag)
{
    struct hs_pairset *set = &t->set;
    /* Two numbers of a job, or its curves, rest on what it did itself and what it did to others. */
    if (set->row_count < 2 * set->job_count)
        return hs_fail(diag, HS_E_INPUT, NULL,
                       "let every job run beside itself or two others; see what cleaning dropped",
                       "%s: %" PRIu32 " speeds of %" PRIu32
                       " jobs are too few: each job needs two at least",
                       set->gpu, set->row_count, set->job_count);
    t->held = hs_arena_alloc(set->arena, set->row_count * sizeof *t->held);
    t->fitted = hs_arena_alloc(set->arena, set->row_count * sizeof *t->fitted);
    if (t->is_two_way) {
        t->ridge = ridge > 0 ? ridge : HS_EFFECT_RIDGE;
        HS_TRY(hs_paireffects_open(&t->effects, set, t == s->chosen ? NULL : s->general.theta,
                                   t->ridge, diag));
        return score_table(t, &t->effects.fit, diag);
    }
    t->ridge = ridge > 0 ? ridge : HS_RANK1_RIDGE;
    hs_pairrank1_open(&t->rank1, set, t->ridge);
    HS_TRY(t->rank1.fit.fit(&t->rank1.fit, NULL, diag)); /* with the reason if it cannot */
    HS_TRY(hs_paircold_study(&t->rank1, t->cold, diag));
    return score_table(t, &t->rank1.fit, diag);
}

static enum hs_status add_table(struct interference_study *s, const struct hs_measurements *m,
                                uint32_t gpu, struct hs_arena *arena, struct hs_diag *diag)
{
    if (s->count == TABLES_MAX)
        return hs_fail(diag, HS_E_LIMIT, NULL, NULL, "pairs on more than %u GPU types",
                       TABLES_MAX - 1);
    struct interference_table *t = &s->tables[s->count];
    struct hs_pairset *set = &t->set;
    HS_TRY(hs_pairset_collect(set, m, gpu, arena, diag));
    if (set->row_count == 0)
        return HS_OK;
    s->count++;
    for (uint32_t i = 0; i + 1 < s->count; i++)
        if (hs_model_same_name(s->tables[i].set.gpu, set->gpu) &&
            strcmp(s->tables[i].set.mode, set->mode) == 0)
            return hs_fail(diag, HS_E_INPUT, NULL,
                           "campaigns disagree by more than jobs do: calibrate from one of them",
                           "two sets of data have pairs on %s", s->tables[i].set.gpu);
    t->is_two_way = set->has_utils;
    if (t->is_two_way)
        return HS_OK;
    hs_pairset_merge(set);
    uint32_t without = 0;
    for (uint32_t i = 0; i < set->job_count; i++)
        without += isnan(set->jobs[i].util) ? 1 : 0;
    if (without > 0 && without < set->job_count)
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "%s: %" PRIu32 " of %" PRIu32 " jobs have no utilization alone: the table is "
                  "rank-1 and the general form does not use its rows",
                  set->gpu, without, set->job_count);
    return HS_OK;
}

static enum hs_status fit(struct hs_calibrate_run *run, void *study)
{
    struct interference_study *s = study;
    struct hs_pairgeneral *g = &s->general;
    hs_calibrate_say_counts(run, run->sets);
    for (uint32_t i = 0; i < run->sets; i++)
        for (uint32_t gpu = 0; gpu < run->set[i].gpu_count; gpu++)
            HS_TRY(add_table(s, &run->set[i], gpu, &run->arena, run->diag));
    if (s->count == 0)
        return hs_fail(run->diag, HS_E_INPUT, NULL, "see which rows cleaning dropped, and why",
                       "no pair of jobs is left to fit to");
    for (uint32_t i = 0; i < s->count; i++) {
        struct interference_table *t = &s->tables[i];
        if (t->is_two_way && (s->chosen == NULL || t->set.row_count > s->chosen->set.row_count))
            s->chosen = t;
    }
    if (s->chosen != NULL) {
        struct hs_pairset *set = &s->chosen->set;
        hs_pairgeneral_open(g, set);
        s->held = hs_arena_alloc(set->arena, set->row_count * sizeof *s->held);
        s->fitted = hs_arena_alloc(set->arena, set->row_count * sizeof *s->fitted);
        HS_TRY(g->fit.fit(&g->fit, NULL, run->diag)); /* with the reason if it cannot */
        g->is_tuned = true;
        HS_TRY(score_general(g, s->held, s->tuned, run->diag));
        s->tuned_cut = g->cut;
        g->is_tuned = false;
        g->fixed_alpha = FIXED_ALPHA;
        g->fixed_beta = FIXED_BETA;
        HS_TRY(score_general(g, s->held, s->fixed, run->diag));
        g->fixed_alpha = g->fixed_beta = 0;
        HS_TRY(score_general(g, s->fitted, s->scores, run->diag));
        HS_TRY(hs_pairholdout(&g->fit, HS_UNSEEN_OWN_MODEL, s->held, NULL, run->diag));
        HS_TRY(g->fit.fit(&g->fit, NULL, run->diag));
    }
    for (uint32_t i = 0; i < s->count; i++)
        HS_TRY(fit_table(s, &s->tables[i], run->options.ridge, run->diag));
    return HS_OK;
}

static const char *form_of(const struct interference_table *t)
{
    return t->is_two_way ? "two-way" : "rank-1";
}

/* S-Lab License 1.0 of Lucid's data is for non-commercial use only: coefficients may be shipped,
 * measured rows may not. */
static bool keeps_pairs(const struct hs_calibrate_run *run, const struct interference_table *t)
{
    return run->options.is_keeping_pairs && strcmp(t->set.format, "lucid") != 0;
}

/* ---- the table ---- */

static void say_decisions_head(struct hs_output *out)
{
    const double *at = hs_pair_thresholds;
    hs_say(out, "\n  %-42s%7s   share of right decisions  balanced\n", "S of both at most",
           "pairs");
    hs_say_row(out, "%51s%8.1f%8.1f%8.1f%8.1f%8.1f%8.1f\n", "", at[0], at[1], at[2], at[0], at[1],
               at[2]);
}

static void say_decisions(struct hs_output *out, const char *name, const struct hs_pairscore *s)
{
    hs_say_row(out, "  %-42s%7u%8.3f%8.3f%8.3f%8.3f%8.3f%8.3f\n", name, s->pairs, s->accuracy[0],
               s->accuracy[1], s->accuracy[2], s->balanced[0], s->balanced[1], s->balanced[2]);
}

static void say_size(struct hs_output *out, const struct hs_pairset *set)
{
    hs_say(out, "%" PRIu32 " speeds, %" PRIu32 " pairs, %" PRIu32 " jobs of %" PRIu32 " models",
           set->row_count, set->runs, set->job_count, set->model_count);
}

static void say_table(const struct hs_calibrate_run *run, const struct interference_table *t)
{
    struct hs_output *out = run->out;
    char lambda[HS_FMT_MAX];
    hs_say(out, "\n%s, %s table: %s\n  ", t->set.gpu, form_of(t),
           t->is_two_way ? "general form + curves of both jobs + effect of both models"
                         : "1 / (1 + a b) + effect of both models");
    say_size(out, &t->set);
    size_t len = hs_fmt_double(lambda, hs_fmt_round6(t->ridge));
    hs_say(out, ", lambda %.*s\n  measured pairs %s\n", (int)len, lambda,
           keeps_pairs(run, t)             ? "written to the model file, and used before the fit"
           : run->options.is_keeping_pairs ? "not written: Lucid's licence does not allow it"
                                           : "not written: not asked for");
    hs_say_score_head(out, "speed beside another");
    for (int line = 0; line < TABLE_LINES; line++)
        hs_say_score(out, table_lines[line], &t->scores[line].speed);
    for (uint32_t step = 0; !t->is_two_way && step < HS_COLD_STEPS; step++)
        hs_say_score(out, cold_lines[step], &t->cold[step]);
    say_decisions_head(out);
    for (int line = 0; line < TABLE_LINES; line++)
        if (line != JOBS_CUT && line != MODELS_CUT)
            say_decisions(out, table_lines[line], &t->scores[line]);
}

static void say(const struct hs_calibrate_run *run, const void *study)
{
    const struct interference_study *s = study;
    const double *theta = s->general.theta;
    struct hs_output *out = run->out;
    char name[64];
    if (s->chosen != NULL) {
        hs_say(out, "\n%s, general form S = 1 + k u^alpha v^beta\n  ", s->chosen->set.gpu);
        say_size(out, &s->chosen->set);
        hs_say_row(out, "\n   k %.4f   alpha %.4f   beta %.4f\n", exp(theta[HS_GENERAL_LN_K]),
                   theta[HS_GENERAL_ALPHA], theta[HS_GENERAL_BETA]);
        hs_say_score_head(out, "speed beside another");
        for (int line = 0; line < HS_UNSEEN_KINDS; line++)
            hs_say_score(out, general_lines[line], &s->scores[line].speed);
        for (int line = 0; line <= HS_UNSEEN_OTHER_MODEL; line++) {
            (void)snprintf(name, sizeof name, "%s, exponents 1, 1.75", general_lines[line]);
            hs_say_score(out, name, &s->fixed[line].speed);
        }
        say_decisions_head(out);
        for (int line = 0; line < HS_UNSEEN_KINDS; line++)
            say_decisions(out, general_lines[line], &s->scores[line]);
        /* Only the last threshold is tuned. */
        hs_say_row(out,
                   "\n  S above %.1f is seldom predicted: cut at %.2f instead, found without the "
                   "unseen rows\n",
                   HS_TUNED_THRESHOLD, s->tuned_cut);
        for (int line = 0; line < HS_UNSEEN_KINDS; line++)
            hs_say_row(out, "  %-42s%7u%24.3f%24.3f\n", general_lines[line], s->tuned[line].pairs,
                       s->tuned[line].accuracy[HS_PAIR_THRESHOLDS - 1],
                       s->tuned[line].balanced[HS_PAIR_THRESHOLDS - 1]);
    } else {
        hs_say(out, "\nno general form: the data tells no utilization of jobs alone\n");
    }
    for (uint32_t i = 0; i < s->count; i++)
        say_table(run, &s->tables[i]);
}

/* ---- the model file ---- */

/* A curve of three knots as a line with a bend at the middle one:
 * effect(v) = value + slope v + bend max(0, v - 0.5). */
static void write_curve(struct hs_jsonw *w, const char *const *names, const double *at_knot)
{
    double first = (at_knot[1] - at_knot[0]) / (hs_effect_knots[1] - hs_effect_knots[0]);
    double second = (at_knot[2] - at_knot[1]) / (hs_effect_knots[2] - hs_effect_knots[1]);
    hs_jsonw_put(w, "%s=%.6g %s=%.6g %s=%.6g", names[0], at_knot[0], names[1], first, names[2],
                 second - first);
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
    hs_jsonw_put(w, "=![ =%u =%u =%.6g ]", first->own, first->other, count / sum);
}

static void write_table(const struct hs_calibrate_run *run, const struct interference_table *t,
                        struct hs_jsonw *w)
{
    static const char *const own_names[] = {"own", "own_slope", "own_bend"};
    static const char *const other_names[] = {"other", "other_slope", "other_bend"};
    const struct hs_pairrank1 *f = &t->rank1;
    double a = 0, b = 0;
    const double *effects = t->is_two_way ? t->effects.pairs : f->pairs;
    hs_jsonw_put(w, "={ gpu=%s mode=%s form=%s lambda=%.6g", t->set.gpu, t->set.mode, form_of(t),
                 t->ridge);
    for (uint32_t i = 0; !t->is_two_way && i < t->set.job_count; i++) {
        a += exp(f->ln_a[i]);
        b += exp(f->ln_b[i]);
    }
    double scale = sqrt(b / a); /* to equal means: only the product of a and b is known */
    hs_jsonw_put(w, "jobs=[");
    for (uint32_t i = 0; i < t->set.job_count; i++) {
        hs_jsonw_put(w, "=!{ profile=%s", t->set.jobs[i].key);
        if (t->is_two_way) {
            hs_jsonw_put(w, "util=%.6g", hs_pairset_util(&t->set, i));
            write_curve(w, own_names, t->effects.jobs[i].own);
            write_curve(w, other_names, t->effects.jobs[i].other);
        } else {
            hs_jsonw_put(w, "a=%.6g b=%.6g", exp(f->ln_a[i]) * scale, exp(f->ln_b[i]) / scale);
        }
        hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "]");
    hs_jsonw_put(w, "model_pairs=[");
    for (uint32_t p = 0; p < t->set.model_pair_count; p++)
        hs_jsonw_put(w, "=![ =%s =%s =%.6g ]", t->set.models[t->set.model_pairs[p].own],
                     t->set.models[t->set.model_pairs[p].other], effects[p]);
    hs_jsonw_put(w, "]");
    if (keeps_pairs(run, t)) {
        hs_jsonw_put(w, "pairs=[");
        for (uint32_t r = 0; r < t->set.row_count; r++)
            write_pair(&t->set, r, w);
        hs_jsonw_put(w, "]");
    }
    hs_jsonw_key(w, "in_sample");
    hs_pairscore_write(w, table_lines[ALL], &t->scores[ALL]);
    hs_jsonw_put(w, "holdout=[");
    /* First as the engine applies it: a run reports the error of the first line. */
    hs_pairscore_write(w, table_lines[JOBS_CUT], &t->scores[JOBS_CUT]);
    for (int line = 0; line < ALL; line++)
        if (line != JOBS_CUT)
            hs_pairscore_write(w, table_lines[line], &t->scores[line]);
    for (uint32_t step = 0; !t->is_two_way && step < HS_COLD_STEPS; step++)
        hs_score_write(w, cold_lines[step], &t->cold[step]);
    hs_jsonw_put(w, "] }");
}

static void write(const struct hs_calibrate_run *run, const void *study, struct hs_jsonw *w)
{
    const struct interference_study *s = study;
    if (s->chosen != NULL) {
        uint32_t last = HS_PAIR_THRESHOLDS - 1;
        const struct hs_pairscore *tuned = &s->tuned[HS_UNSEEN_OWN_MODEL];
        const double *theta = s->general.theta;
        hs_jsonw_put(w, "forms=[ ={ gpu=%s mode=%s form=%s k=%.6g alpha=%.6g beta=%.6g in_sample={",
                     s->chosen->set.gpu, s->chosen->set.mode, "1 + k u^alpha v^beta",
                     exp(theta[HS_GENERAL_LN_K]), theta[HS_GENERAL_ALPHA], theta[HS_GENERAL_BETA]);
        hs_pairscore_write_members(w, general_lines[HS_UNSEEN_NOTHING],
                                   &s->scores[HS_UNSEEN_NOTHING]);
        hs_jsonw_put(w,
                     "tuned_cut={ threshold=%.6g cut=%.6g accuracy=%.6g balanced_accuracy=%.6g } } "
                     "holdout=[",
                     HS_TUNED_THRESHOLD, s->tuned_cut, tuned->accuracy[last],
                     tuned->balanced[last]);
        for (int line = 0; line < HS_UNSEEN_NOTHING; line++)
            hs_pairscore_write(w, general_lines[line], &s->scores[line]);
        hs_jsonw_put(w, "] } ]");
    }
    hs_jsonw_put(w, "tables=[");
    for (uint32_t i = 0; i < s->count; i++)
        write_table(run, &s->tables[i], w);
    hs_jsonw_put(w, "]");
}

/* ---- rows for plots ---- */

/* form NULL: the general one, whose rows tell the model in the place of the fold. */
static void write_set(struct hs_csvw *w, const struct hs_pairset *set, const char *form,
                      const double *held, const double *fitted)
{
    for (uint32_t i = 0; i < set->row_count; i++) {
        const struct hs_pairrow *row = &set->rows[i];
        const struct hs_pairjob *own = &set->jobs[row->own], *other = &set->jobs[row->other];
        const double numbers[] = {own->util, other->util, row->speed, held[i], fitted[i]};
        const char *const texts[] = {set->gpu, form != NULL ? form : "general", own->key,
                                     other->key, NULL};
        hs_score_write_fields(w, texts, numbers, sizeof numbers / sizeof numbers[0]);
        if (form == NULL)
            hs_csvw_text(w, set->models[own->model]);
        else
            hs_csvw_u64(w, row->jobs_rank % set->job_folds);
        hs_csvw_end(w);
    }
}

/* All rows, once for each form that was fitted to them. */
static void write_rows(const void *study, struct hs_csvw *w)
{
    const struct interference_study *s = study;
    if (s->chosen != NULL)
        write_set(w, &s->chosen->set, NULL, s->held, s->fitted);
    for (const struct interference_table *t = s->tables; t < s->tables + s->count; t++)
        write_set(w, &t->set, form_of(t), t->held, t->fitted);
}

const struct hs_calibration hs_calibration_interference = {
    .name = "interference",
    .summary = "how much slower jobs run beside others, by GPU type",
    .data = "speeds of pairs of jobs: a folder of Lucid's, a JSON of Gavel's, or your CSV; "
            "one of each GPU type",
    .steps = HS_CLEAN_ALL,
    .rows = "gpu,form,own,other,own_util,other_util,observed,held_out,in_sample,fold",
    .study_size = sizeof(struct interference_study),
    .fit = fit,
    .say = say,
    .write = write,
    .write_rows = write_rows,
};
