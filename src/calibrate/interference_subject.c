/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus calibrate interference`: how much slower a job runs beside others. Every GPU type and
 * sharing mode of every set of data with pairs gets a table of its own, for slowdowns do not carry
 * over from one type, mode or campaign to another. Where utilizations of all jobs were measured,
 * the general form is fitted to it and the table is two-way, with effects on that form; else it is
 * rank-1. What sets of jobs used of a GPU together gives its capacity; forms and capacities are
 * held against all sets that were measured.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fixed.h"
#include "calibrate/calibration.h"
#include "calibrate/pairs.h"
#include "model/interference.h"

/* ---- measured sets: pairs, and the sets of three or more that some data have ---- */

/* The tenants of a measured set. */
struct tenants {
    uint32_t count;
    bool is_itself; /* one job, several times */
    const struct hs_solo *solos[HS_TENANTS_MAX];
    double util[HS_TENANTS_MAX], speed[HS_TENANTS_MAX];
};

struct set_visitor {
    const struct hs_measurements *set; /* all data */
    uint32_t sets;
    const char *gpu, *mode;
    bool borrows; /* utilizations that a campaign lacks from another */
    void (*visit)(void *ctx, const struct hs_measurements *m, const struct tenants *t);
    void *ctx;
};

static bool is_of(const struct hs_measurements *m, uint32_t gpu, const struct set_visitor *v)
{
    return hs_model_same_name(m->gpus[gpu], v->gpu) && strcmp(m->modes[gpu], v->mode) == 0;
}

static void add_tenant(const struct set_visitor *v, struct tenants *t, const struct hs_solo *solo,
                       double speed)
{
    double util = solo->util; /* of another campaign where this one did not measure it */
    for (const struct hs_measurements *m = v->set; v->borrows && m < v->set + v->sets; m++)
        for (uint32_t i = 0; i < m->solo_count && !isfinite(util); i++)
            if (isfinite(m->solos[i].util) && strcmp(m->solos[i].key, solo->key) == 0)
                util = m->solos[i].util;
    t->is_itself &= t->count == 0 || solo == t->solos[0];
    t->solos[t->count] = solo;
    t->util[t->count] = util;
    t->speed[t->count++] = speed;
}

/* All sets with known utilizations. */
static void visit_sets(const struct set_visitor *v)
{
    for (const struct hs_measurements *m = v->set; m < v->set + v->sets; m++) {
        for (uint32_t i = 0; i + 1 < m->pair_count; i++) {
            const struct hs_pair *a = &m->pairs[i], *b = a + 1;
            struct tenants t = {.is_itself = true};
            if (a->pair != b->pair || (a->dropped | b->dropped) != 0 || !is_of(m, a->gpu, v))
                continue;
            add_tenant(v, &t, &m->solos[a->own], a->rebased);
            add_tenant(v, &t, &m->solos[b->own], b->rebased);
            if (isfinite(t.util[0] + t.util[1]))
                v->visit(v->ctx, m, &t);
        }
        for (uint32_t i = 0, end; i < m->tenancy_count; i = end) {
            struct tenants t = {.is_itself = true};
            double sum = 0;
            for (end = i; end < m->tenancy_count && m->tenancies[end].set == m->tenancies[i].set;
                 end++) {
                const struct hs_tenancy *row = &m->tenancies[end];
                if (t.count < HS_TENANTS_MAX)
                    add_tenant(v, &t, &m->solos[row->solo], row->speed);
                sum += t.util[t.count - 1] * row->speed;
            }
            if (isfinite(sum) && sum > 0 && end - i == t.count && is_of(m, m->tenancies[i].gpu, v))
                v->visit(v->ctx, m, &t);
        }
    }
}

/* ---- capacities ---- */

/* Of a GPU type in a sharing mode, for 2, 3, ... tenants. */
#define CAPACITIES 8u
struct capacities {
    double c[CAPACITIES];      /* mean of sum(u x speed) of sets that want SATURATED at least */
    uint32_t sets[CAPACITIES]; /* 0: that of the next number of tenants that was measured */
    uint32_t count;            /* 0 = nothing measured */
};
/* Sum of utilizations alone from which a GPU counts as wanted by more than it has time for: below,
 * Lucid's jobs beside themselves use as much of it as they want, less than 1.05. */
#define SATURATED 1.25

/* Pairs of jobs with themselves alone where two others may have run for different times. */
static void add_saturated(void *ctx, const struct hs_measurements *m, const struct tenants *t)
{
    struct capacities *capacities = ctx;
    double wanted = 0, used = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        wanted += t->util[i];
        used += t->util[i] * t->speed[i];
    }
    if (t->count - 2 >= CAPACITIES || wanted < SATURATED ||
        (m->windows == HS_WINDOWS_PARTLY_ALONE && !t->is_itself))
        return;
    capacities->c[t->count - 2] += used;
    capacities->sets[t->count - 2]++;
}

static void find_capacities(const struct hs_measurements *set, uint32_t sets, const char *gpu,
                            const char *mode, struct capacities *capacities)
{
    *capacities = (struct capacities){0};
    visit_sets(&(struct set_visitor){set, sets, gpu, mode, false, add_saturated, capacities});
    for (uint32_t n = 0; n < CAPACITIES; n++)
        if (capacities->sets[n] > 0) {
            capacities->c[n] /= capacities->sets[n];
            capacities->count = n + 1;
        }
    for (uint32_t n = capacities->count; n-- > 0;)
        if (capacities->sets[n] == 0)
            capacities->c[n] = capacities->c[n + 1];
}

/* ---- checks ---- */

/* Speeds of sets as the engine would have them: by a form, cut by a capacity. */
struct sharing_check {
    const char *gpu, *mode, *what;    /* what: which sets */
    const char *form_gpu, *form_mode; /* of the coefficients */
    const double *theta;              /* ln k, alpha, beta */
    double capacity;                  /* NAN = a GPU's time */
    uint32_t tenants;
    bool is_itself;                     /* pairs of a job with itself alone */
    uint32_t sets;                      /* checked */
    double sum_observed, sum_predicted; /* mean over sets of the sum of speeds */
    struct hs_predictions speeds;       /* while the sets are visited */
    struct hs_score speed;
};

static double clipped(double util)
{
    return fmin(1, fmax(HS_UTIL_MIN, util));
}

static void check_set(void *ctx, const struct hs_measurements *m, const struct tenants *t)
{
    struct sharing_check *check = ctx;
    struct hs_fair_share shares[HS_TENANTS_MAX];
    double speeds[HS_TENANTS_MAX];
    const double k = exp(check->theta[HS_GENERAL_LN_K]), alpha = check->theta[HS_GENERAL_ALPHA],
                 beta = check->theta[HS_GENERAL_BETA];
    (void)m;
    if (t->count != check->tenants || (check->is_itself && !t->is_itself))
        return;
    for (uint32_t i = 0; i < t->count; i++) {
        const double u = clipped(t->util[i]);
        double slowdown = 1;
        for (uint32_t j = 0; j < t->count; j++)
            if (j != i)
                slowdown += k * pow(u, alpha) * pow(clipped(t->util[j]), beta);
        speeds[i] = 1 / slowdown;
        shares[i].demand_q32 = (uint64_t)(u * speeds[i] * (double)HS_Q32_ONE);
        shares[i].weight_q32 = HS_Q32_ONE;
    }
    const double capacity = isnan(check->capacity) ? 1 : check->capacity;
    hs_share_fairly(shares, t->count, (uint64_t)(capacity * (double)HS_Q32_ONE));
    check->sets++;
    for (uint32_t i = 0; i < t->count; i++) {
        if (shares[i].given_q32 < shares[i].demand_q32)
            speeds[i] = (double)shares[i].given_q32 / (double)HS_Q32_ONE / clipped(t->util[i]);
        check->sum_observed += t->speed[i];
        check->sum_predicted += speeds[i];
        hs_predictions_add(&check->speeds, t->speed[i], speeds[i]);
    }
}

/* Utilizations that a campaign lacks are those of the same job in another. False: no set is such.
 */
static bool check_sharing(const struct hs_measurements *set, uint32_t sets,
                          struct sharing_check *check)
{
    visit_sets(&(struct set_visitor){set, sets, check->gpu, check->mode, true, check_set, check});
    hs_predictions_score(&check->speeds, &check->speed);
    check->sum_observed /= check->sets;
    check->sum_predicted /= check->sets;
    return check->sets > 0;
}

/* ---- the study ---- */

#define TABLES_MAX 64u
#define CHECKS_MAX (TABLES_MAX * 6u) /* fit() makes at most six of a table */

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
    bool is_two_way, has_table;
    double ridge;
    struct hs_paireffects effects; /* two-way */
    struct hs_pairrank1 rank1;
    struct hs_pairscore scores[TABLE_LINES];
    struct hs_score cold[HS_COLD_STEPS]; /* rank-1 */
    double *held, *fitted;               /* a row: predicted by the fold that holds it, by all */
    /* The general form. */
    bool has_form;
    struct hs_pairset form_set; /* its rows: of one model where windows may overlap in part */
    struct hs_pairgeneral general;
    struct hs_pairscore form_scores[HS_UNSEEN_KINDS], tuned[HS_UNSEEN_KINDS];
    double tuned_cut;
    double *form_held, *form_fitted; /* held: own model unseen */
    struct capacities capacities;
    struct hs_score gangs; /* of data for scores alone: leave one pair out */
};

struct interference_study {
    struct interference_table tables[TABLES_MAX];
    uint32_t count;
    struct sharing_check checks[CHECKS_MAX];
    uint32_t check_count;
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

static enum hs_status fit_form(struct interference_table *t, struct hs_diag *diag)
{
    struct hs_pairgeneral *g = &t->general;
    struct hs_pairset *set = &t->form_set;
    t->has_form = true;
    hs_pairgeneral_open(g, set);
    t->form_held = hs_arena_alloc(set->arena, set->row_count * sizeof *t->form_held);
    t->form_fitted = hs_arena_alloc(set->arena, set->row_count * sizeof *t->form_fitted);
    HS_TRY(g->fit.fit(&g->fit, NULL, diag)); /* with the reason if it cannot */
    g->is_tuned = true;
    HS_TRY(score_general(g, t->form_held, t->tuned, diag));
    t->tuned_cut = g->cut;
    g->is_tuned = false;
    HS_TRY(score_general(g, t->form_fitted, t->form_scores, diag));
    HS_TRY(hs_pairholdout(&g->fit, HS_UNSEEN_OWN_MODEL, t->form_held, NULL, diag));
    return g->fit.fit(&g->fit, NULL, diag);
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
    for (size_t i = 0; i < HS_COUNT_OF(protocols); i++) {
        HS_TRY(
            hs_pairholdout(fit, protocols[i].what, t->held, &t->scores[protocols[i].line], diag));
        for (uint32_t r = 0; r < set->row_count; r++)
            t->fitted[r] = t->held[r] > 1 ? 1 : t->held[r];
        hs_pairscore(set, t->fitted, &t->scores[protocols[i].cut]);
    }
    return hs_pairholdout(fit, HS_UNSEEN_NOTHING, t->fitted, &t->scores[ALL], diag);
}

static enum hs_status fit_table(struct interference_table *t, double ridge, struct hs_diag *diag)
{
    struct hs_pairset *set = &t->set;
    t->held = hs_arena_alloc(set->arena, set->row_count * sizeof *t->held);
    t->fitted = hs_arena_alloc(set->arena, set->row_count * sizeof *t->fitted);
    t->has_table = true;
    if (t->is_two_way) {
        t->ridge = ridge > 0 ? ridge : HS_EFFECT_RIDGE;
        /* a form of these rows is fitted again in each fold; one of other rows is kept */
        HS_TRY(hs_paireffects_open(&t->effects, set,
                                   t->form_set.row_count < set->row_count ? t->general.theta : NULL,
                                   t->ridge, diag));
        return score_table(t, &t->effects.fit, diag);
    }
    t->ridge = ridge > 0 ? ridge : HS_RANK1_RIDGE;
    hs_pairrank1_open(&t->rank1, set, t->ridge);
    HS_TRY(t->rank1.fit.fit(&t->rank1.fit, NULL, diag)); /* with the reason if it cannot */
    HS_TRY(hs_paircold_study(&t->rank1, t->cold, diag));
    return score_table(t, &t->rank1.fit, diag);
}

/* Gangs of which neither GPU type nor mode is known: how well coefficients of jobs predict a pair
 * that was left out. */
static enum hs_status check_gangs(struct interference_table *t, struct hs_diag *diag)
{
    struct hs_pairset *set = &t->set;
    struct hs_pairscore score;
    double *held = hs_arena_alloc(set->arena, set->row_count * sizeof *held);
    for (uint32_t r = 0; r < set->row_count; r++)
        if (set->rows[r].jobs_rank >= set->job_folds)
            set->job_folds = set->rows[r].jobs_rank + 1;
    hs_pairrank1_open(&t->rank1, set, HS_RANK1_RIDGE);
    HS_TRY(t->rank1.fit.fit(&t->rank1.fit, NULL, diag));
    HS_TRY(hs_pairholdout(&t->rank1.fit, HS_UNSEEN_JOB_PAIR, held, &score, diag));
    t->gangs = score.speed;
    return HS_OK;
}

static enum hs_status collect(struct hs_calibrate_run *run, const struct hs_measurements *m,
                              uint32_t gpu, struct interference_table *t)
{
    const bool is_of_one =
        (run->options.clean & HS_CLEAN(WINDOW)) != 0 && m->windows == HS_WINDOWS_PARTLY_ALONE;
    HS_TRY(hs_pairset_collect(&t->set, m, gpu, HS_PAIRS_ALL, &run->arena, run->diag));
    t->is_two_way = t->set.has_utils;
    t->set.gpu = m->gpus[gpu];
    if (t->is_two_way)
        return hs_pairset_collect(&t->form_set, m, gpu,
                                  is_of_one ? HS_PAIRS_OF_ONE_MODEL : HS_PAIRS_ALL, &run->arena,
                                  run->diag);
    hs_pairset_merge(&t->set);
    uint32_t without = 0;
    for (uint32_t i = 0; i < t->set.job_count; i++)
        without += isnan(t->set.jobs[i].util) ? 1 : 0;
    if (without > 0 && without < t->set.job_count)
        hs_report(run->diag, HS_NOTE, NULL, NULL,
                  "%s: %" PRIu32 " of %" PRIu32 " jobs have no utilization alone: the table is "
                  "rank-1 and the general form does not use its rows",
                  t->set.gpu, without, t->set.job_count);
    return HS_OK;
}

/* Finds the last table of the GPU type and sharing mode of the set. */
static const struct interference_table *find_table(const struct interference_study *s,
                                                   const struct hs_pairset *set)
{
    const struct interference_table *t = s->tables + s->count;
    while (t-- > s->tables)
        if (hs_model_same_name(t->set.gpu, set->gpu) && strcmp(t->set.mode, set->mode) == 0)
            return t;
    return NULL;
}

static enum hs_status add_table(struct hs_calibrate_run *run, struct interference_study *s,
                                const struct hs_measurements *m, uint32_t gpu)
{
    if (s->count == TABLES_MAX)
        return hs_fail(run->diag, HS_E_LIMIT, NULL, NULL, "pairs on more than %u GPU types",
                       TABLES_MAX - 1);
    struct interference_table *t = &s->tables[s->count];
    *t = (struct interference_table){0};
    HS_TRY(collect(run, m, gpu, t));
    find_capacities(run->set, run->sets, m->gpus[gpu], m->modes[gpu], &t->capacities);
    const struct interference_table *before = find_table(s, &t->set);
    if (before != NULL && t->set.row_count == 0)
        return HS_OK; /* its capacities are in that one */
    if (before != NULL && before->set.row_count > 0)
        return hs_fail(run->diag, HS_E_INPUT, NULL,
                       "campaigns disagree by more than jobs do: calibrate from one of them",
                       "two sets of data have pairs on %s", before->set.gpu);
    if (t->set.row_count == 0 && t->capacities.count == 0)
        return HS_OK;
    s->count++;
    if (m->is_checked_only)
        return check_gangs(t, run->diag);
    /* Two numbers of a job, or its curves, rest on what it did itself and what it did to others. */
    const bool is_enough = t->set.row_count > 0 && t->set.row_count >= 2 * t->set.job_count;
    if (!is_enough && t->capacities.count == 0)
        return hs_fail(
            run->diag, HS_E_INPUT, NULL,
            "measure every job beside itself or two others; check the rows dropped by cleaning",
            "%s: %" PRIu32 " speeds of %" PRIu32 " jobs are too few: each job needs two at least",
            t->set.gpu, t->set.row_count, t->set.job_count);
    if (is_enough && t->is_two_way)
        HS_TRY(fit_form(t, run->diag));
    return is_enough ? fit_table(t, run->options.ridge, run->diag) : HS_OK;
}

/* ---- checks ---- */

static const char itself[] = "pairs of a job with itself";

static void check(struct hs_calibrate_run *run, struct interference_study *s,
                  const struct interference_table *t, const char *what, uint32_t tenants,
                  double capacity)
{
    /* The form that a run takes for a GPU type and mode: its own, else the first of the mode. */
    const struct interference_table *form = t->has_form ? t : NULL;
    for (const struct interference_table *f = s->tables; !t->has_form && f < s->tables + s->count;
         f++)
        if (f->has_form && (form == NULL || (strcmp(form->set.mode, t->set.mode) != 0 &&
                                             strcmp(f->set.mode, t->set.mode) == 0)))
            form = f;
    if (form == NULL)
        return;
    struct sharing_check *check = &s->checks[s->check_count];
    *check = (struct sharing_check){.gpu = t->set.gpu,
                                    .mode = t->set.mode,
                                    .what = what,
                                    .form_gpu = form->set.gpu,
                                    .form_mode = form->set.mode,
                                    .theta = form->general.theta,
                                    .capacity = capacity,
                                    .tenants = tenants,
                                    .is_itself = what == itself};
    s->check_count += check_sharing(run->set, run->sets, check);
}

static enum hs_status fit(struct hs_calibrate_run *run, void *study)
{
    struct interference_study *s = study;
    hs_calibrate_say_counts(run, run->sets);
    for (uint32_t i = 0; i < run->sets; i++)
        for (uint32_t gpu = 0; gpu < run->set[i].gpu_count; gpu++)
            HS_TRY(add_table(run, s, &run->set[i], gpu));
    if (s->count == 0)
        return hs_fail(run->diag, HS_E_INPUT, NULL, "see which rows cleaning dropped, and why",
                       "no pair of jobs is left to fit to");
    static const char *const sets[] = {"pairs", "sets of 3", "sets of 4"};
    static const char *const uncut[] = {"pairs, not cut", "sets of 3, not cut",
                                        "sets of 4, not cut"};
    static const char *const by_pairs[] = {NULL, "sets of 3, capacity of pairs",
                                           "sets of 4, capacity of pairs"};
    for (const struct interference_table *t = s->tables; t < s->tables + s->count; t++) {
        const struct capacities *c = &t->capacities;
        if (c->count > 0)
            check(run, s, t, itself, 2, c->c[0]);
        for (uint32_t n = 0; n < HS_COUNT_OF(sets); n++) {
            const double own = c->count == 0 ? (double)NAN : c->c[n < c->count ? n : c->count - 1];
            check(run, s, t, sets[n], n + 2, own);
            if (c->count == 0) /* a capacity of as many GPUs as there are tenants never binds */
                check(run, s, t, uncut[n], n + 2, n + 2);
            if (by_pairs[n] != NULL && c->count > n && c->sets[0] > 0)
                check(run, s, t, by_pairs[n], n + 2, c->c[0]);
        }
    }
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
    hs_say(out, "\n  %-42s%7s   share of correct decisions  balanced\n", "S of both at most",
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
    hs_say(out, "\n%s, %s, %s table: %s\n  ", t->set.gpu, t->set.mode, form_of(t),
           t->is_two_way ? "general form + curves of both jobs + effect of both models"
                         : "1 / (1 + a b) + effect of both models");
    say_size(out, &t->set);
    hs_say(out, ", lambda %s\n  measured pairs %s\n", HS_DIGITS(hs_fmt_round6(t->ridge)),
           keeps_pairs(run, t)             ? "written to the model file, and used before the fit"
           : run->options.is_keeping_pairs ? "not written: Lucid's licence does not allow it"
                                           : "not written: --keep-pairs is not given");
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

static void say_form(struct hs_output *out, const struct interference_table *t)
{
    const double *theta = t->general.theta;
    hs_say(out, "\n%s, %s, general form S = 1 + k u^alpha v^beta\n  ", t->set.gpu, t->set.mode);
    say_size(out, &t->form_set);
    hs_say_row(out, "\n   k %.4f   alpha %.4f   beta %.4f\n", exp(theta[HS_GENERAL_LN_K]),
               theta[HS_GENERAL_ALPHA], theta[HS_GENERAL_BETA]);
    hs_say_score_head(out, "speed beside another");
    for (int line = 0; line < HS_UNSEEN_KINDS; line++)
        hs_say_score(out, general_lines[line], &t->form_scores[line].speed);
    say_decisions_head(out);
    for (int line = 0; line < HS_UNSEEN_KINDS; line++)
        say_decisions(out, general_lines[line], &t->form_scores[line]);
    /* Only the last threshold is tuned. */
    hs_say_row(out,
               "\n  S above %.1f is seldom predicted: threshold %.2f instead, chosen without the "
               "unseen rows\n",
               HS_TUNED_THRESHOLD, t->tuned_cut);
    for (int line = 0; line < HS_UNSEEN_KINDS; line++)
        hs_say_row(out, "  %-42s%7u%24.3f%24.3f\n", general_lines[line], t->tuned[line].pairs,
                   t->tuned[line].accuracy[HS_PAIR_THRESHOLDS - 1],
                   t->tuned[line].balanced[HS_PAIR_THRESHOLDS - 1]);
}

static void say(const struct hs_calibrate_run *run, const void *study)
{
    const struct interference_study *s = study;
    struct hs_output *out = run->out;
    char name[128];
    for (const struct interference_table *t = s->tables; t < s->tables + s->count; t++) {
        if (t->has_form)
            say_form(out, t);
        if (t->has_table)
            say_table(run, t);
    }
    hs_say(out, "\ncapacity: time of a GPU that jobs together use when they need %.3g or more\n",
           SATURATED);
    for (const struct interference_table *t = s->tables; t < s->tables + s->count; t++)
        for (uint32_t n = 0; n < t->capacities.count; n++) {
            (void)snprintf(name, sizeof name, "%s, %s, %" PRIu32 " tenants", t->set.gpu,
                           t->set.mode, n + 2);
            hs_say_row(out, "  %-42s%7u sets%8.3f\n", name, t->capacities.sets[n],
                       t->capacities.c[n]);
        }
    hs_say_score_head(out, "form, then capacity, compared with measured sets");
    for (const struct sharing_check *c = s->checks; c < s->checks + s->check_count; c++) {
        (void)snprintf(name, sizeof name, "%s, %s: %s (form: %s)", c->gpu, c->mode, c->what,
                       c->form_gpu);
        hs_say_score(out, name, &c->speed);
    }
    for (const struct interference_table *t = s->tables; t < s->tables + s->count; t++)
        if (t->gangs.n > 0) {
            (void)snprintf(name, sizeof name, "%s, leave one pair out", t->set.gpu);
            hs_say_score(out, name, &t->gangs);
        }
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
    hs_jsonw_put(w, "] model_pairs=[");
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

static void write_form(const struct interference_table *t, struct hs_jsonw *w)
{
    const uint32_t last = HS_PAIR_THRESHOLDS - 1;
    const struct hs_pairscore *tuned = &t->tuned[HS_UNSEEN_OWN_MODEL];
    const double *theta = t->general.theta;
    hs_jsonw_put(w, "={ gpu=%s mode=%s", t->set.gpu, t->set.mode);
    if (t->capacities.count > 0) {
        hs_jsonw_put(w, "capacity=![");
        for (uint32_t n = 0; n < t->capacities.count; n++)
            hs_jsonw_put(w, "=%.6g", t->capacities.c[n]);
        hs_jsonw_put(w, "] capacity_sets=![");
        for (uint32_t n = 0; n < t->capacities.count; n++)
            hs_jsonw_put(w, "=%u", t->capacities.sets[n]);
        hs_jsonw_put(w, "]");
    }
    if (t->has_form) {
        hs_jsonw_put(w, "form=%s k=%.6g alpha=%.6g beta=%.6g in_sample={", "1 + k u^alpha v^beta",
                     exp(theta[HS_GENERAL_LN_K]), theta[HS_GENERAL_ALPHA], theta[HS_GENERAL_BETA]);
        hs_pairscore_write_members(w, general_lines[HS_UNSEEN_NOTHING],
                                   &t->form_scores[HS_UNSEEN_NOTHING]);
        hs_jsonw_put(w,
                     "tuned_cut={ threshold=%.6g cut=%.6g accuracy=%.6g balanced_accuracy=%.6g } } "
                     "holdout=[",
                     HS_TUNED_THRESHOLD, t->tuned_cut, tuned->accuracy[last],
                     tuned->balanced[last]);
        for (int line = 0; line < HS_UNSEEN_NOTHING; line++)
            hs_pairscore_write(w, general_lines[line], &t->form_scores[line]);
        hs_jsonw_put(w, "]");
    }
    hs_jsonw_put(w, "}");
}

static void write(const struct hs_calibrate_run *run, const void *study, struct hs_jsonw *w)
{
    const struct interference_study *s = study;
    const struct interference_table *end = s->tables + s->count;
    hs_jsonw_put(w, "forms=[");
    for (const struct interference_table *t = s->tables; t < end; t++)
        if (t->has_form || t->capacities.count > 0)
            write_form(t, w);
    hs_jsonw_put(w, "] tables=[");
    for (const struct interference_table *t = s->tables; t < end; t++)
        if (t->has_table)
            write_table(run, t, w);
    hs_jsonw_put(w, "] checks=[");
    for (const struct sharing_check *c = s->checks; c < s->checks + s->check_count; c++) {
        hs_jsonw_put(w, "=!{ gpu=%s mode=%s form_gpu=%s form_mode=%s", c->gpu, c->mode, c->form_gpu,
                     c->form_mode);
        if (!isnan(c->capacity))
            hs_jsonw_put(w, "capacity=%.6g", c->capacity);
        hs_jsonw_put(w, "sets=%u sum=%.6g sum_predicted=%.6g", c->sets, c->sum_observed,
                     c->sum_predicted);
        hs_score_write_members(w, c->what, &c->speed);
        hs_jsonw_put(w, "}");
    }
    for (const struct interference_table *t = s->tables; t < end; t++)
        if (t->gangs.n > 0) {
            hs_jsonw_put(w, "=!{ gpu=%s mode=%s", t->set.gpu, t->set.mode);
            hs_score_write_members(w, "leave one pair out", &t->gangs);
            hs_jsonw_put(w, "}");
        }
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
        char fold[16];
        (void)snprintf(fold, sizeof fold, "%" PRIu32, row->jobs_rank % set->job_folds);
        hs_csvw_row(w, "%s %s %s %s %.6g %.6g %.6g %.6g %.6g %s", set->gpu,
                    form != NULL ? form : "general", own->key, other->key, own->util, other->util,
                    row->speed, held[i], fitted[i], form != NULL ? fold : set->models[own->model]);
    }
}

/* All rows, once for each form that was fitted to them. */
static void write_rows(const void *study, struct hs_csvw *w)
{
    const struct interference_study *s = study;
    for (const struct interference_table *t = s->tables; t < s->tables + s->count; t++) {
        if (t->has_form)
            write_set(w, &t->form_set, NULL, t->form_held, t->form_fitted);
        if (t->has_table)
            write_set(w, &t->set, form_of(t), t->held, t->fitted);
    }
}

const struct hs_calibration hs_calibration_interference = {
    .name = "interference",
    .summary = "how much slower jobs run beside others, by GPU type",
    .data = "speeds of jobs beside others: a campaign, a folder of Lucid's or Tally's, a JSON of "
            "Gavel's, ...; pairs of each GPU type and mode in one of them",
    .steps = HS_CLEAN_ALL,
    .rows = "gpu,form,own,other,own_util,other_util,observed,held_out,in_sample,fold",
    .study_size = sizeof(struct interference_study),
    .fit = fit,
    .say = say,
    .write = write,
    .write_rows = write_rows,
};
