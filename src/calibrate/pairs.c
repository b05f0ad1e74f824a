/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows that are left after cleaning, with jobs, models and pairs numbered in the order of the
 * data; which rows a fold holds out; the scores of what was predicted for them; and the forms of
 * slowdown: general, two-way effects on it, rank-1, and a rank-1 job from a few tries.
 */
#include "calibrate/pairs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

#define JOBS_MAX 1024u /* as many as a table of interference.json may have */
/* Folds of pairs of jobs, by the form that the rows get. */
#define TWO_WAY_FOLDS 20u
#define RANK1_FOLDS   10u

const double hs_pair_thresholds[HS_PAIR_THRESHOLDS] = {1.1, 1.2, 1.5};

static const char *const unseen_texts[HS_UNSEEN_KINDS] = {
    [HS_UNSEEN_OWN_MODEL] = "unseen model, own",
    [HS_UNSEEN_OTHER_MODEL] = "unseen model, other",
    [HS_UNSEEN_MODEL_PAIR] = "unseen pair of models",
    [HS_UNSEEN_JOB_PAIR] = "unseen pair of jobs",
    [HS_UNSEEN_NOTHING] = "fit",
};

/* ---- rows ---- */

static bool is_used(const struct hs_measurements *m, const struct hs_pair *pair, uint32_t gpu,
                    enum hs_pair_choice choice)
{
    const struct hs_solo *own = &m->solos[pair->own], *other = &m->solos[pair->other];
    const bool is_one = strcmp(own->model, other->model) == 0;
    if (choice != HS_PAIRS_ALL && is_one != (choice == HS_PAIRS_OF_ONE_MODEL))
        return false;
    return pair->dropped == 0 && pair->gpu == gpu && own->gpus == 1 && other->gpus == 1 &&
           !own->is_spread && !other->is_spread;
}

/* A cell is a number + 1, given at its first use; 0 = none yet. */
static uint32_t number_cell(uint32_t *cell, uint32_t *count)
{
    if (*cell == 0)
        *cell = ++*count;
    return *cell - 1;
}

static void number_job(struct hs_pairset *set, const struct hs_solo *solo, uint32_t *cell)
{
    uint32_t model = 0;
    if (*cell != 0)
        return;
    while (model < set->model_count && strcmp(set->models[model], solo->model) != 0)
        model++;
    if (model == set->model_count)
        set->models[set->model_count++] = solo->model;
    set->jobs[number_cell(cell, &set->job_count)] =
        (struct hs_pairjob){.key = solo->key, .model = model, .util = solo->util};
    set->has_utils = set->has_utils && isfinite(solo->util);
}

/* job_of: the number of the job + 1, by solo; 0 = none. */
static void number_rows(struct hs_pairset *set, const struct hs_measurements *m, uint32_t gpu,
                        enum hs_pair_choice choice, const uint32_t *job_of)
{
    uint64_t cells = (uint64_t)set->model_count * set->model_count;
    uint32_t *run_of = hs_alloc_zeroed((uint64_t)m->pair_ids + 1, sizeof *run_of);
    uint32_t *unordered = hs_alloc_zeroed(cells * 2, sizeof *unordered);
    uint32_t *directed = unordered + cells;
    set->model_pairs = hs_arena_alloc(set->arena, cells * sizeof *set->model_pairs);
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *pair = &m->pairs[i];
        if (!is_used(m, pair, gpu, choice))
            continue;
        struct hs_pairrow *row = &set->rows[set->row_count++];
        row->own = job_of[pair->own] - 1;
        row->other = job_of[pair->other] - 1;
        row->speed = pair->rebased;
        row->pair = number_cell(&run_of[pair->pair], &set->runs);
        uint32_t own = set->jobs[row->own].model, other = set->jobs[row->other].model;
        uint32_t first = own < other ? own : other, last = own < other ? other : own;
        row->models =
            number_cell(&unordered[(size_t)first * set->model_count + last], &set->models_pairs);
        row->model_pair =
            number_cell(&directed[(size_t)own * set->model_count + other], &set->model_pair_count);
        set->model_pairs[row->model_pair] = (struct hs_model_pair){own, other};
    }
    hs_free(unordered);
    hs_free(run_of);
}

/* A job, or a pair of jobs, in an order without meaning: that of a hash of keys. */
struct ranked {
    uint64_t hash;
    uint32_t first, last, row; /* first and last job by key */
};

static uint64_t hash_of(const struct hs_pairset *set, uint32_t first, uint32_t last)
{
    const char *a = set->jobs[first].key, *b = set->jobs[last].key;
    return hs_mix64(hs_hash_of(a, strlen(a)), hs_hash_of(b, strlen(b)));
}

static int by_hash(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return 8 * HS_ORDER(x->hash, y->hash) + 4 * HS_ORDER(x->first, y->first) +
           2 * HS_ORDER(x->last, y->last) + HS_ORDER(x->row, y->row);
}

enum hs_status hs_pairset_collect(struct hs_pairset *set, const struct hs_measurements *m,
                                  uint32_t gpu, enum hs_pair_choice choice, struct hs_arena *arena,
                                  struct hs_diag *diag)
{
    *set = (struct hs_pairset){.arena = arena,
                               .gpu = m->gpus[gpu],
                               .mode = m->modes[gpu],
                               .format = m->format,
                               .has_utils = true};
    uint32_t *job_of = hs_arena_alloc(arena, (uint64_t)m->solo_count * sizeof *job_of), used = 0;
    set->jobs = hs_arena_alloc(arena, JOBS_MAX * sizeof *set->jobs);
    set->models = hs_arena_alloc(arena, JOBS_MAX * sizeof *set->models);
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *pair = &m->pairs[i];
        if (!is_used(m, pair, gpu, choice))
            continue;
        number_job(set, &m->solos[pair->own], &job_of[pair->own]);
        number_job(set, &m->solos[pair->other], &job_of[pair->other]);
        if (set->job_count + 2 > JOBS_MAX)
            return hs_fail(diag, HS_E_LIMIT, NULL, NULL,
                           "%s: pairs of more than %u jobs on one GPU type", m->gpus[gpu],
                           JOBS_MAX - 1);
        used++;
    }
    if (used == 0)
        return HS_OK;
    set->rows = hs_arena_alloc(arena, (uint64_t)used * sizeof *set->rows);
    number_rows(set, m, gpu, choice, job_of);
    /* Ranks pairs of jobs by a hash of their keys, whatever the order of the rows. */
    struct ranked *order = hs_alloc_zeroed(used, sizeof *order);
    for (uint32_t r = 0; r < used; r++) {
        uint32_t own = set->rows[r].own, other = set->rows[r].other;
        bool is_ordered = strcmp(set->jobs[own].key, set->jobs[other].key) <= 0;
        uint32_t first = is_ordered ? own : other, last = is_ordered ? other : own;
        order[r] = (struct ranked){hash_of(set, first, last), first, last, r};
    }
    qsort(order, used, sizeof *order, by_hash);
    for (uint32_t i = 0, rank = 0; i < used; i++) {
        rank +=
            i > 0 && (order[i].first != order[i - 1].first || order[i].last != order[i - 1].last);
        set->rows[order[i].row].jobs_rank = rank;
    }
    hs_free(order);
    set->job_folds = set->has_utils ? TWO_WAY_FOLDS : RANK1_FOLDS;
    return HS_OK;
}

void hs_pairset_merge(struct hs_pairset *set)
{
    uint32_t kept = 0;
    for (uint32_t r = 0; r < set->row_count; r++) {
        struct hs_pairrow row = set->rows[r];
        struct hs_pairrow *last = kept > 0 ? &set->rows[kept - 1] : NULL;
        if (last != NULL && row.own == row.other && last->pair == row.pair) {
            last->speed = 0.5 * (last->speed + row.speed);
            last->is_merged = true;
        } else {
            set->rows[kept++] = row;
        }
    }
    set->row_count = kept;
}

double hs_pairset_util(const struct hs_pairset *set, uint32_t job)
{
    return fmin(1, fmax(HS_UTIL_MIN, set->jobs[job].util));
}

/* ---- folds ---- */

/* Returns the fold of the fit that predicts the row. */
static uint32_t fold_of(const struct hs_pairset *set, enum hs_unseen what, uint32_t row)
{
    const struct hs_pairrow *r = &set->rows[row];
    const uint32_t folds[HS_UNSEEN_KINDS] = {set->jobs[r->own].model, set->jobs[r->other].model,
                                             r->models, r->jobs_rank % set->job_folds, 0};
    return folds[what];
}

/* Tells whether the fit of that fold leaves the row out. */
static bool is_held_out(const struct hs_pairset *set, enum hs_unseen what, uint32_t fold,
                        uint32_t row)
{
    if (what == HS_UNSEEN_OWN_MODEL || what == HS_UNSEEN_OTHER_MODEL)
        return fold_of(set, HS_UNSEEN_OWN_MODEL, row) == fold ||
               fold_of(set, HS_UNSEEN_OTHER_MODEL, row) == fold;
    return what != HS_UNSEEN_NOTHING && fold_of(set, what, row) == fold;
}

enum hs_status hs_pairholdout(struct hs_pairfit *fit, enum hs_unseen what, double *predicted,
                              struct hs_pairscore *score, struct hs_diag *diag)
{
    const struct hs_pairset *set = fit->set;
    const uint32_t folds[HS_UNSEEN_KINDS] = {set->model_count, set->model_count, set->models_pairs,
                                             set->job_folds, 1};
    bool *is_held = hs_alloc_zeroed((uint64_t)set->row_count + 1, sizeof *is_held);
    uint32_t failed = 0;
    struct hs_diag quiet = {0}; /* of a fold that leaves too little */
    enum hs_status status = HS_OK;
    for (uint32_t f = 0; f < folds[what] && (status == HS_OK || status == HS_E_INPUT); f++) {
        uint32_t tested = 0;
        for (uint32_t r = 0; r < set->row_count; r++) {
            is_held[r] = is_held_out(set, what, f, r);
            tested += fold_of(set, what, r) == f;
        }
        if (tested == 0)
            continue;
        status = fit->fit(fit, is_held, &quiet);
        failed += status == HS_E_INPUT;
        for (uint32_t r = 0; r < set->row_count; r++)
            if (fold_of(set, what, r) == f)
                predicted[r] = status == HS_OK ? fit->speed(fit, r) : NAN;
    }
    hs_free(is_held);
    if (status != HS_OK && status != HS_E_INPUT)
        return hs_fail(diag, status, NULL, NULL, "%s: %s: %s", set->gpu, unseen_texts[what],
                       hs_status_text(status));
    if (failed > 0)
        hs_report(diag, HS_WARNING, NULL, "their rows are not scored",
                  "%s: %s: %" PRIu32 " of %" PRIu32 " folds leave too little to fit to", set->gpu,
                  unseen_texts[what], failed, folds[what]);
    if (score != NULL)
        hs_pairscore(set, predicted, score);
    return HS_OK;
}

/* ---- scores ---- */

/* The worst S of each run, by row.pair, from the speeds of its rows (NULL = those measured); 0 for
 * runs of which a direction is missing, held or has no number. */
static void find_worst(const struct hs_pairset *set, const double *speeds, const bool *is_held,
                       double *worst)
{
    /* Counts the rows of each run first: a run of one direction has no worst. */
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

void hs_pairscore(const struct hs_pairset *set, const double *predicted, struct hs_pairscore *score)
{
    struct hs_predictions list = {0};
    for (uint32_t r = 0; r < set->row_count; r++)
        if (isfinite(predicted[r]))
            hs_predictions_add(&list, set->rows[r].speed, predicted[r]);
    hs_predictions_score(&list, &score->speed);
    double *observed_s = hs_alloc_zeroed((uint64_t)set->runs * 2 + 1, sizeof *observed_s);
    double *predicted_s = observed_s + set->runs;
    find_worst(set, NULL, NULL, observed_s);
    find_worst(set, predicted, NULL, predicted_s);
    for (uint32_t t = 0; t < HS_PAIR_THRESHOLDS; t++) {
        double counts[2][2] = {{0}}; /* [is good][is called good] */
        for (uint32_t p = 0; p < set->runs; p++)
            if (observed_s[p] > 0 && predicted_s[p] > 0)
                counts[observed_s[p] <= hs_pair_thresholds[t]]
                      [predicted_s[p] <= hs_pair_thresholds[t]]++;
        double good = counts[1][0] + counts[1][1], bad = counts[0][0] + counts[0][1];
        score->pairs = (uint32_t)(good + bad);
        score->accuracy[t] = good + bad > 0 ? (counts[1][1] + counts[0][0]) / (good + bad) : NAN;
        score->balanced[t] =
            good > 0 && bad > 0 ? 0.5 * (counts[1][1] / good + counts[0][0] / bad) : NAN;
    }
    hs_free(observed_s);
}

void hs_pairscore_write_members(struct hs_jsonw *w, const char *protocol,
                                const struct hs_pairscore *score)
{
    const double *right = score->accuracy, *balanced = score->balanced;
    hs_score_write_members(w, protocol, &score->speed);
    if (score->pairs > 0)
        hs_jsonw_put(w, "accuracy=[ =%.6g =%.6g =%.6g ] balanced_accuracy=[ =%.6g =%.6g =%.6g ]",
                     right[0], right[1], right[2], balanced[0], balanced[1], balanced[2]);
}

void hs_pairscore_write(struct hs_jsonw *w, const char *protocol, const struct hs_pairscore *score)
{
    hs_jsonw_put(w, "=!{");
    hs_pairscore_write_members(w, protocol, score);
    hs_jsonw_put(w, "}");
}

#define STEPS_MAX 200u

static double *numbers_of(struct hs_pairset *set, uint64_t count)
{
    return hs_arena_alloc(set->arena, count * sizeof(double));
}

/* ---- logistic fits ----
 * All three forms are speeds 1 / (1 + exp(z)) with z linear in the parameters: the slowdown is
 * 1 + exp(z). Least squares on the speed, whose derivative by z is -speed (1 - speed). */

struct logistic_row {
    uint32_t terms, at[3]; /* z = offset + sum of factor x parameter */
    double factor[3], offset;
    double effect, target; /* speed + effect should be the target */
};

struct logistic {
    struct logistic_row *rows;
    uint32_t count, parameters;
    double pull;   /* of ridge terms, in roots of rows; 0 = none */
    bool has_mean; /* the last parameter is the mean towards which the others are pulled */
    double prior;  /* else towards this */
};

static uint32_t pulled(const struct logistic *l)
{
    return l->pull > 0 ? l->parameters - l->has_mean : 0;
}

static void logistic_at(void *ctx, const double *theta, double *f, double *j)
{
    const struct logistic *l = ctx;
    uint32_t count = l->count, width = l->parameters;
    if (j != NULL)
        memset(j, 0, ((size_t)count + pulled(l)) * width * sizeof *j);
    for (uint32_t i = 0; i < count; i++) {
        const struct logistic_row *row = &l->rows[i];
        double z = row->offset;
        for (uint32_t k = 0; k < row->terms; k++)
            z += row->factor[k] * theta[row->at[k]];
        double speed = 1 / (1 + exp(z));
        if (f != NULL)
            f[i] = speed + row->effect - row->target;
        for (uint32_t k = 0; k < row->terms && j != NULL; k++)
            j[(size_t)i * width + row->at[k]] = -speed * (1 - speed) * row->factor[k];
    }
    for (uint32_t p = 0; p < pulled(l); p++) {
        if (f != NULL)
            f[count + p] = l->pull * (theta[p] - (l->has_mean ? theta[width - 1] : l->prior));
        if (j == NULL)
            continue;
        j[(size_t)(count + p) * width + p] = l->pull;
        if (l->has_mean)
            j[(size_t)(count + p) * width + width - 1] = -l->pull;
    }
}

static enum hs_status solve(struct logistic *l, double *theta, const char *what,
                            struct hs_diag *diag)
{
    struct hs_nls nls = {l->count + pulled(l), l->parameters, logistic_at, l};
    return hs_solve_nls(&nls, theta, STEPS_MAX, what, diag);
}

/* ---- general ----
 * z = ln k + alpha ln u + beta ln v. */

#define K_MAX        100.0 /* what interference.json may hold */
#define EXPONENT_MIN 0.01
#define EXPONENT_MAX 10.0
#define CUT_STEP     0.01

static double general_plain(const struct hs_pairgeneral *g, uint32_t row)
{
    const struct hs_pairrow *r = &g->fit.set->rows[row];
    return 1 / (1 + exp(g->theta[HS_GENERAL_LN_K] +
                        g->theta[HS_GENERAL_ALPHA] * log(hs_pairset_util(g->fit.set, r->own)) +
                        g->theta[HS_GENERAL_BETA] * log(hs_pairset_util(g->fit.set, r->other))));
}

static double general_speed(const struct hs_pairfit *fit, uint32_t row)
{
    const struct hs_pairgeneral *g = (const struct hs_pairgeneral *)fit;
    double speed = general_plain(g, row);
    return g->is_tuned ? speed * g->cut / HS_TUNED_THRESHOLD : speed;
}

/* The worst of a run at each cut from 1 to the threshold and as far beyond; of the best cuts the
 * one nearest to the threshold. */
static double best_cut(const struct hs_pairgeneral *g, const bool *is_held)
{
    const struct hs_pairset *set = g->fit.set;
    double *speeds = hs_alloc_zeroed((uint64_t)set->row_count + 2 * set->runs, sizeof *speeds);
    double *observed = speeds + set->row_count, *predicted = observed + set->runs;
    for (uint32_t r = 0; r < set->row_count; r++)
        speeds[r] = general_plain(g, r);
    find_worst(set, NULL, is_held, observed);
    find_worst(set, speeds, is_held, predicted);
    double best = HS_TUNED_THRESHOLD;
    uint32_t best_right = 0;
    int steps = (int)((HS_TUNED_THRESHOLD - 1) / CUT_STEP + 0.5);
    for (int i = 0; i < 2 * steps; i++) {
        int away = (i + 1) / 2 * (i % 2 == 0 ? 1 : -1); /* 0, -1, 1, -2, 2 ... */
        double cut = HS_TUNED_THRESHOLD + away * CUT_STEP;
        uint32_t right = 0;
        for (uint32_t p = 0; p < set->runs; p++)
            right +=
                observed[p] > 0 && (observed[p] <= HS_TUNED_THRESHOLD) == (predicted[p] <= cut);
        if (right > best_right) {
            best_right = right;
            best = cut;
        }
    }
    hs_free(speeds);
    return best;
}

/* Fits the general form; alpha is held at that number, or fitted if it is 0. */
static enum hs_status general_solve(const struct hs_pairgeneral *g, const bool *is_held,
                                    double alpha, double *theta, struct hs_diag *diag)
{
    const struct hs_pairset *set = g->fit.set;
    const bool is_free = alpha == 0;
    double found[HS_GENERAL_PARAMETERS] = {-0.35667494393873245 /* ln 0.7 */, 1.5, 1};
    struct logistic l = {.rows = g->rows, .parameters = HS_GENERAL_PARAMETERS - !is_free};
    for (uint32_t r = 0; r < set->row_count; r++) {
        if (is_held != NULL && is_held[r])
            continue;
        double ln_u = log(hs_pairset_util(set, set->rows[r].own));
        double ln_v = log(hs_pairset_util(set, set->rows[r].other));
        l.rows[l.count++] = (struct logistic_row){.terms = l.parameters,
                                                  .at = {0, 1, 2},
                                                  .factor = {1, ln_v, ln_u},
                                                  .offset = alpha * ln_u,
                                                  .target = set->rows[r].speed};
    }
    HS_TRY(solve(&l, found, "the form 1 + k u^alpha v^beta", diag));
    theta[HS_GENERAL_LN_K] = found[0];
    theta[HS_GENERAL_BETA] = found[1];
    theta[HS_GENERAL_ALPHA] = is_free ? found[2] : alpha;
    return HS_OK;
}

static enum hs_status general_fit(struct hs_pairfit *fit, const bool *is_held, struct hs_diag *diag)
{
    struct hs_pairgeneral *g = (struct hs_pairgeneral *)fit;
    double theta[HS_GENERAL_PARAMETERS];
    HS_TRY(general_solve(g, is_held, 0, theta, diag));
    if (theta[HS_GENERAL_ALPHA] < EXPONENT_MIN) /* however busy a job is, it waits as long */
        HS_TRY(general_solve(g, is_held, EXPONENT_MIN, theta, diag));
    const double k = exp(theta[HS_GENERAL_LN_K]);
    const double alpha = theta[HS_GENERAL_ALPHA], beta = theta[HS_GENERAL_BETA];
    if (!(k <= K_MAX && alpha <= EXPONENT_MAX && beta >= EXPONENT_MIN && beta <= EXPONENT_MAX))
        return hs_fail(
            diag, HS_E_INPUT, NULL,
            "slowdown must grow with the utilization of the other job; are the columns mixed up?",
            "%s: 1 + k u^alpha v^beta does not fit: k = %.3g, alpha = %.3g, beta = %.3g",
            fit->set->gpu, k, alpha, beta);
    memcpy(g->theta, theta, sizeof g->theta);
    if (g->is_tuned)
        g->cut = best_cut(g, is_held);
    return HS_OK;
}

void hs_pairgeneral_open(struct hs_pairgeneral *g, struct hs_pairset *set)
{
    *g = (struct hs_pairgeneral){.fit = {set, general_fit, general_speed},
                                 .cut = HS_TUNED_THRESHOLD,
                                 .rows =
                                     hs_arena_alloc(set->arena, set->row_count * sizeof *g->rows)};
}

enum hs_status hs_general_study(const struct hs_measurements *set, uint32_t sets,
                                enum hs_pair_choice choice, struct hs_general_fit *fit,
                                struct hs_arena *arena, struct hs_diag *diag)
{
    /* The order matters: the last fit is that to all rows. */
    static const enum hs_unseen kinds[] = {HS_UNSEEN_OWN_MODEL, HS_UNSEEN_OTHER_MODEL,
                                           HS_UNSEEN_NOTHING};
    struct hs_pairset best = {0}, next;
    struct hs_pairgeneral g;
    for (uint32_t s = 0; s < sets; s++)
        for (uint32_t gpu = 0; gpu < set[s].gpu_count; gpu++) {
            HS_TRY(hs_pairset_collect(&next, &set[s], gpu, choice, arena, diag));
            if (next.has_utils && next.row_count > best.row_count)
                best = next;
        }
    if (best.row_count == 0)
        return hs_fail(diag, HS_E_INPUT, NULL,
                       "pairs need the utilization of both jobs alone (util_a, util_b)",
                       "no pair of jobs with measured utilizations is left to fit to");
    hs_pairgeneral_open(&g, &best);
    HS_TRY(g.fit.fit(&g.fit, NULL, diag)); /* with the reason if it cannot */
    double *predicted = numbers_of(&best, best.row_count);
    *fit = (struct hs_general_fit){.gpu = best.gpu, .rows = best.row_count};
    for (size_t i = 0; i < HS_COUNT_OF(kinds); i++)
        HS_TRY(hs_pairholdout(&g.fit, kinds[i], predicted, &fit->scores[kinds[i]], diag));
    fit->k = exp(g.theta[HS_GENERAL_LN_K]);
    fit->alpha = g.theta[HS_GENERAL_ALPHA];
    fit->beta = g.theta[HS_GENERAL_BETA];
    return HS_OK;
}

/* ---- two-way effects ----
 * One ridge problem on what the general form leaves of each speed. A row has at most nine entries
 * that are not 0: two knots of three around each utilization, and its two models. */

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

static enum hs_status effects_fit(struct hs_pairfit *fit, const bool *is_held, struct hs_diag *diag)
{
    struct hs_paireffects *e = (struct hs_paireffects *)fit;
    const struct hs_pairset *set = fit->set;
    uint32_t used = 0;
    if (!e->is_general_given)
        HS_TRY(e->general.fit.fit(&e->general.fit, is_held, diag));
    for (uint32_t r = 0; r < set->row_count; r++) {
        const struct hs_pairrow *row = &set->rows[r];
        double *x = e->x + (size_t)used * e->columns;
        if (is_held != NULL && is_held[r])
            continue;
        memset(x, 0, e->columns * sizeof *x);
        weigh(hs_pairset_util(set, row->other), x + (size_t)row->own * A_JOB);
        weigh(hs_pairset_util(set, row->own), x + (size_t)row->other * A_JOB + HS_EFFECT_KNOTS);
        x[(size_t)set->job_count * A_JOB + row->model_pair] = 1;
        e->y[used++] = row->speed - general_plain(&e->general, r);
    }
    return hs_solve_ridge(e->x, e->y, used, e->columns, e->lambdas, (double *)e->jobs,
                          "effects of jobs on speed", diag);
}

static double effects_speed(const struct hs_pairfit *fit, uint32_t row)
{
    const struct hs_paireffects *e = (const struct hs_paireffects *)fit;
    const struct hs_pairrow *r = &fit->set->rows[row];
    double own[HS_EFFECT_KNOTS], other[HS_EFFECT_KNOTS];
    double speed = general_plain(&e->general, row) + e->pairs[r->model_pair];
    weigh(hs_pairset_util(fit->set, r->other), own);
    weigh(hs_pairset_util(fit->set, r->own), other);
    for (uint32_t k = 0; k < HS_EFFECT_KNOTS; k++)
        speed += own[k] * e->jobs[r->own].own[k] + other[k] * e->jobs[r->other].other[k];
    return fmax(HS_SPEED_MIN, speed);
}

enum hs_status hs_paireffects_open(struct hs_paireffects *e, struct hs_pairset *set,
                                   const double *general, double ridge, struct hs_diag *diag)
{
    uint32_t of_jobs = set->job_count * A_JOB, columns = of_jobs + set->model_pair_count;
    *e = (struct hs_paireffects){.fit = {set, effects_fit, effects_speed},
                                 .is_general_given = general != NULL,
                                 .columns = columns};
    if (columns > COLUMNS_MAX)
        return hs_fail(diag, HS_E_LIMIT, NULL, "calibrate the models you schedule, not all",
                       "%s: %" PRIu32 " effects of %" PRIu32 " jobs, more than %u", set->gpu,
                       columns, set->job_count, COLUMNS_MAX);
    hs_pairgeneral_open(&e->general, set);
    if (general != NULL)
        memcpy(e->general.theta, general, sizeof e->general.theta);
    double *solution = numbers_of(set, columns);
    e->jobs = (struct hs_job_effects *)solution;
    e->pairs = solution + of_jobs;
    e->lambdas = numbers_of(set, columns);
    e->x = numbers_of(set, (uint64_t)set->row_count * columns);
    e->y = numbers_of(set, set->row_count);
    for (uint32_t c = 0; c < columns; c++)
        e->lambdas[c] = c < of_jobs ? ridge : ridge * HS_EFFECT_PAIRS;
    return HS_OK;
}

/* ---- rank-1 ----
 * z = ln a + ln b: a and b are positive by construction, and weak ridge terms towards one mean of
 * all ln a and ln b settle what only a b determines. Then the effects of two models, each a
 * shrunken mean of residuals: the ridge solution, for rows of different models share no effect. */

#define FACTOR_MAX 1000.0  /* what interference.json may hold */
#define LN_START   (-0.35) /* a = b = 0.7, about the mean of Gavel's */

static uint32_t parameters(const struct hs_pairrank1 *f)
{
    return 2 * f->fit.set->job_count + 1;
}

static double product_speed(const struct hs_pairrank1 *f, uint32_t row)
{
    const struct hs_pairrow *r = &f->fit.set->rows[row];
    return 1 / (1 + exp(f->ln_a[r->own] + f->ln_b[r->other]));
}

static enum hs_status rank1_fit(struct hs_pairfit *fit, const bool *is_held, struct hs_diag *diag)
{
    struct hs_pairrank1 *f = (struct hs_pairrank1 *)fit;
    const struct hs_pairset *set = fit->set;
    struct logistic l = {.rows = f->rows,
                         .parameters = parameters(f),
                         .pull = sqrt(HS_RANK1_PRIOR),
                         .has_mean = true};
    for (uint32_t r = 0; r < set->row_count; r++)
        if (is_held == NULL || !is_held[r])
            l.rows[l.count++] = (struct logistic_row){
                .terms = 2,
                .at = {set->rows[r].own, set->job_count + set->rows[r].other},
                .factor = {1, 1},
                .target = set->rows[r].speed,
            };
    if (l.count == 0)
        return hs_fail(diag, HS_E_INPUT, NULL, NULL, "%s: no row to fit to", set->gpu);
    memcpy(f->theta, f->start, parameters(f) * sizeof *f->theta);
    HS_TRY(solve(&l, f->theta, "the form 1 + a b", diag));
    if (is_held == NULL)
        memcpy(f->start, f->theta, parameters(f) * sizeof *f->theta);
    for (uint32_t p = 0; p < set->model_pair_count; p++) {
        f->pairs[p] = 0;
        f->weights[p] = f->ridge;
    }
    for (uint32_t r = 0; r < set->row_count; r++)
        if (is_held == NULL || !is_held[r]) {
            f->pairs[set->rows[r].model_pair] += set->rows[r].speed - product_speed(f, r);
            f->weights[set->rows[r].model_pair] += 1;
        }
    for (uint32_t p = 0; p < set->model_pair_count; p++)
        f->pairs[p] /= f->weights[p];
    for (uint32_t i = 0; is_held == NULL && i < set->job_count; i++) { /* this one is written */
        double a = exp(f->ln_a[i]), b = exp(f->ln_b[i]);
        if (a > FACTOR_MAX || b > FACTOR_MAX)
            return hs_fail(diag, HS_E_INPUT, NULL,
                           "its runs contradict each other, or stood still; see --clean",
                           "%s: 1 + a b does not fit: %s has a = %.3g, b = %.3g", set->gpu,
                           set->jobs[i].key, a, b);
    }
    return HS_OK;
}

static double rank1_speed(const struct hs_pairfit *fit, uint32_t row)
{
    const struct hs_pairrank1 *f = (const struct hs_pairrank1 *)fit;
    return fmax(HS_SPEED_MIN, product_speed(f, row) + f->pairs[fit->set->rows[row].model_pair]);
}

void hs_pairrank1_open(struct hs_pairrank1 *f, struct hs_pairset *set, double ridge)
{
    *f = (struct hs_pairrank1){.fit = {set, rank1_fit, rank1_speed}, .ridge = ridge};
    f->theta = numbers_of(set, (uint64_t)parameters(f) * 2);
    f->pairs = numbers_of(set, (uint64_t)set->model_pair_count * 2);
    f->rows = hs_arena_alloc(set->arena, set->row_count * sizeof *f->rows);
    f->ln_a = f->theta;
    f->ln_b = f->theta + set->job_count;
    f->start = f->theta + parameters(f);
    f->weights = f->pairs + set->model_pair_count;
    for (uint32_t i = 0; i < parameters(f); i++)
        f->start[i] = LN_START;
}

/* ---- a new job after a few tries ----
 * ln a of the new job is found from its own speeds beside the anchors, ln b from theirs beside it,
 * each by one-dimensional least squares with a ridge term towards the median of similar jobs. */

#define PULL 0.01 /* in rows; .001 to .03 are alike from three anchors on */

static const uint32_t cold_anchors[HS_COLD_STEPS] = {0, 1, 2, 3, 5, 8};

struct cold_start {
    struct hs_pairrank1 *f;
    uint32_t job; /* the new one */
    bool *is_held;
    struct ranked *partners; /* of the job, in order of trial */
    uint32_t *rank_of;       /* by job: place among the partners + 1 */
    double *medians;         /* work */
};

static void find_partners(struct cold_start *c)
{
    const struct hs_pairset *set = c->f->fit.set;
    uint32_t count = 0;
    memset(c->rank_of, 0, set->job_count * sizeof *c->rank_of);
    for (uint32_t r = 0; r < set->row_count; r++) {
        const struct hs_pairrow *row = &set->rows[r];
        c->is_held[r] = row->own == c->job || row->other == c->job;
        uint32_t other = row->own == c->job ? row->other : row->own;
        if (!c->is_held[r] || other == c->job || c->rank_of[other] != 0)
            continue;
        c->partners[count++] = (struct ranked){hash_of(set, c->job, other), other, 0, 0};
        c->rank_of[other] = count;
    }
    qsort(c->partners, count, sizeof *c->partners, by_hash);
    for (uint32_t i = 0; i < count; i++)
        c->rank_of[c->partners[i].first] = i + 1;
}

/* Median of ln a or ln b over the other jobs of its model, or of all where it is the only one. */
static double median_of_others(const struct cold_start *c, const double *ln)
{
    const struct hs_pairset *set = c->f->fit.set;
    uint32_t count = 0;
    for (int is_any_model = 0; is_any_model <= 1 && count == 0; is_any_model++)
        for (uint32_t i = 0; i < set->job_count; i++)
            if (i != c->job && (is_any_model || set->jobs[i].model == set->jobs[c->job].model))
                c->medians[count++] = ln[i];
    if (count == 0)
        return c->f->theta[2 * set->job_count]; /* the mean */
    hs_sort_numbers(c->medians, count);
    return 0.5 * (c->medians[(count - 1) / 2] + c->medians[count / 2]);
}

static enum hs_status find_number(struct cold_start *c, uint32_t anchors, bool is_own, double prior,
                                  struct hs_diag *diag)
{
    struct hs_pairrank1 *f = c->f;
    const struct hs_pairset *set = f->fit.set;
    double *ln = is_own ? &f->ln_a[c->job] : &f->ln_b[c->job];
    struct logistic l = {.rows = f->rows, .parameters = 1, .pull = sqrt(PULL), .prior = prior};
    for (uint32_t r = 0; r < set->row_count; r++) {
        const struct hs_pairrow *row = &set->rows[r];
        uint32_t job = is_own ? row->own : row->other, partner = is_own ? row->other : row->own;
        uint32_t rank = c->rank_of[partner];
        if (job == c->job && rank > 0 && rank <= anchors) /* beside an anchor */
            l.rows[l.count++] = (struct logistic_row){
                .terms = 1,
                .factor = {1},
                .offset = is_own ? f->ln_b[partner] : f->ln_a[partner],
                .effect = f->pairs[row->model_pair],
                .target = row->speed,
            };
    }
    *ln = prior;
    return l.count == 0 ? HS_OK : solve(&l, ln, "a new job", diag);
}

enum hs_status hs_paircold_study(struct hs_pairrank1 *f, struct hs_score scores[HS_COLD_STEPS],
                                 struct hs_diag *diag)
{
    struct hs_pairset *set = f->fit.set;
    struct hs_predictions lists[HS_COLD_STEPS] = {{0}};
    struct cold_start c = {
        .f = f,
        .is_held = hs_arena_alloc(set->arena, set->row_count * sizeof *c.is_held),
        .partners = hs_arena_alloc(set->arena, set->job_count * sizeof *c.partners),
        .rank_of = hs_arena_alloc(set->arena, set->job_count * sizeof *c.rank_of),
        .medians = numbers_of(set, set->job_count),
    };
    struct hs_diag quiet = {0};
    enum hs_status status = HS_OK;
    for (c.job = 0; status == HS_OK && c.job < set->job_count; c.job++) {
        find_partners(&c);
        status = rank1_fit(&f->fit, c.is_held, &quiet);
        if (status == HS_E_INPUT) { /* all rows are of this job */
            status = HS_OK;
            continue;
        }
        double prior_a = median_of_others(&c, f->ln_a), prior_b = median_of_others(&c, f->ln_b);
        for (uint32_t step = 0; status == HS_OK && step < HS_COLD_STEPS; step++) {
            uint32_t anchors = cold_anchors[step];
            f->ln_b[c.job] = prior_b;
            status = find_number(&c, anchors, true, prior_a, diag);
            if (status == HS_OK)
                status = find_number(&c, anchors, false, prior_b, diag);
            for (uint32_t r = 0; status == HS_OK && r < set->row_count; r++) {
                const struct hs_pairrow *row = &set->rows[r];
                uint32_t rank = c.rank_of[row->own == c.job ? row->other : row->own];
                if (c.is_held[r] && (rank == 0 || rank > anchors))
                    hs_predictions_add(&lists[step], row->speed, rank1_speed(&f->fit, r));
            }
        }
    }
    for (uint32_t step = 0; step < HS_COLD_STEPS; step++)
        hs_predictions_score(&lists[step], &scores[step]);
    return status;
}
