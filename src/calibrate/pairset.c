/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows that are left after cleaning, with jobs, models and pairs numbered in the order of the
 * data; which rows a fold holds out; and the scores of what was predicted for them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/rng.h"
#include "base/fmt.h"
#include "calibrate/pairs.h"

#define JOBS_MAX 1024u /* as many as a table of interference.json may have */

const double hs_pair_thresholds[HS_PAIR_THRESHOLDS] = {1.1, 1.2, 1.5};

static const char *const unseen_texts[HS_UNSEEN_KINDS] = {
    [HS_UNSEEN_OWN_MODEL] = "unseen model, own",
    [HS_UNSEEN_OTHER_MODEL] = "unseen model, other",
    [HS_UNSEEN_MODEL_PAIR] = "unseen pair of models",
    [HS_UNSEEN_JOB_PAIR] = "unseen pair of jobs",
    [HS_UNSEEN_NOTHING] = "fit",
};

/* ---- rows ---- */

static bool is_used(const struct hs_measurements *m, const struct hs_pair *pair, uint32_t gpu)
{
    const struct hs_solo *own = &m->solos[pair->own], *other = &m->solos[pair->other];
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

/* job_of: by solo, + 1. */
static void number_rows(struct hs_pairset *set, const struct hs_measurements *m, uint32_t gpu,
                        const uint32_t *job_of)
{
    uint64_t cells = (uint64_t)set->model_count * set->model_count;
    uint32_t *run_of = hs_alloc_zeroed((uint64_t)m->pair_ids + 1, sizeof *run_of);
    uint32_t *unordered = hs_alloc_zeroed(cells * 2, sizeof *unordered);
    uint32_t *directed = unordered + cells;
    set->model_pairs = hs_arena_alloc(set->arena, cells * sizeof *set->model_pairs);
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *pair = &m->pairs[i];
        if (!is_used(m, pair, gpu))
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

struct ranked_pair {
    uint64_t hash;
    uint32_t first, last, row; /* first and last job by key */
};

static int by_hash(const void *a, const void *b)
{
    const struct ranked_pair *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Ranks of pairs of jobs, from their keys alone. */
static void rank_rows(struct hs_pairset *set)
{
    struct ranked_pair *order = hs_alloc_zeroed(set->row_count, sizeof *order);
    uint32_t rank = 0;
    for (uint32_t r = 0; r < set->row_count; r++) {
        uint32_t first = set->rows[r].own, last = set->rows[r].other;
        if (strcmp(set->jobs[first].key, set->jobs[last].key) > 0) {
            first = set->rows[r].other;
            last = set->rows[r].own;
        }
        const char *a = set->jobs[first].key, *b = set->jobs[last].key;
        order[r] = (struct ranked_pair){
            hs_mix64(hs_hash_of(a, strlen(a)), hs_hash_of(b, strlen(b))), first, last, r};
    }
    qsort(order, set->row_count, sizeof *order, by_hash);
    for (uint32_t i = 0; i < set->row_count; i++) {
        if (i > 0 && (order[i].first != order[i - 1].first || order[i].last != order[i - 1].last))
            rank++;
        set->rows[order[i].row].jobs_rank = rank;
    }
    hs_free(order);
}

enum hs_status hs_pairset_collect(struct hs_pairset *set, const struct hs_measurements *m,
                                  uint32_t gpu, struct hs_arena *arena, struct hs_diag *diag)
{
    *set = (struct hs_pairset){
        .arena = arena, .gpu = m->gpus[gpu], .format = m->format, .has_utils = true};
    uint32_t *job_of = hs_arena_alloc(arena, (uint64_t)m->solo_count * sizeof *job_of), used = 0;
    set->jobs = hs_arena_alloc(arena, JOBS_MAX * sizeof *set->jobs);
    set->models = hs_arena_alloc(arena, JOBS_MAX * sizeof *set->models);
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *pair = &m->pairs[i];
        if (!is_used(m, pair, gpu))
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
    number_rows(set, m, gpu, job_of);
    rank_rows(set);
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

uint32_t hs_pairset_folds(const struct hs_pairset *set, enum hs_unseen what, uint32_t job_folds)
{
    const uint32_t folds[HS_UNSEEN_KINDS] = {set->model_count, set->model_count, set->models_pairs,
                                             job_folds, 1};
    return folds[what];
}

uint32_t hs_pairset_fold(const struct hs_pairset *set, enum hs_unseen what, uint32_t job_folds,
                         uint32_t row)
{
    const struct hs_pairrow *r = &set->rows[row];
    switch (what) {
    case HS_UNSEEN_OWN_MODEL:
        return set->jobs[r->own].model;
    case HS_UNSEEN_OTHER_MODEL:
        return set->jobs[r->other].model;
    case HS_UNSEEN_MODEL_PAIR:
        return r->models;
    case HS_UNSEEN_JOB_PAIR:
        return r->jobs_rank % job_folds;
    default:
        return 0;
    }
}

bool hs_pairset_is_held(const struct hs_pairset *set, enum hs_unseen what, uint32_t job_folds,
                        uint32_t fold, uint32_t row)
{
    const struct hs_pairrow *r = &set->rows[row];
    if (what == HS_UNSEEN_OWN_MODEL || what == HS_UNSEEN_OTHER_MODEL)
        return set->jobs[r->own].model == fold || set->jobs[r->other].model == fold;
    return what != HS_UNSEEN_NOTHING && hs_pairset_fold(set, what, job_folds, row) == fold;
}

enum hs_status hs_pairfit_try(struct hs_pairfit *fit, const bool *is_held)
{
    struct hs_diag quiet;
    hs_diag_init(&quiet, NULL, NULL);
    return fit->fit(fit, is_held, &quiet);
}

enum hs_status hs_pairholdout(struct hs_pairfit *fit, enum hs_unseen what, uint32_t job_folds,
                              double *predicted, struct hs_pairscore *score, struct hs_diag *diag)
{
    const struct hs_pairset *set = fit->set;
    bool *is_held = hs_alloc_zeroed((uint64_t)set->row_count + 1, sizeof *is_held);
    uint32_t failed = 0, folds = hs_pairset_folds(set, what, job_folds);
    enum hs_status status = HS_OK;
    for (uint32_t fold = 0; fold < folds && (status == HS_OK || status == HS_E_INPUT); fold++) {
        uint32_t tested = 0;
        for (uint32_t r = 0; r < set->row_count; r++) {
            is_held[r] = hs_pairset_is_held(set, what, job_folds, fold, r);
            tested += hs_pairset_fold(set, what, job_folds, r) == fold;
        }
        if (tested == 0)
            continue;
        status = hs_pairfit_try(fit, is_held);
        failed += status == HS_E_INPUT;
        for (uint32_t r = 0; r < set->row_count; r++)
            if (hs_pairset_fold(set, what, job_folds, r) == fold)
                predicted[r] = status == HS_OK ? fit->speed(fit, r) : NAN;
    }
    hs_free(is_held);
    if (status != HS_OK && status != HS_E_INPUT)
        return hs_fail(diag, status, NULL, NULL, "%s: %s: %s", set->gpu, unseen_texts[what],
                       hs_status_text(status));
    if (failed > 0)
        hs_report(diag, HS_WARNING, NULL, "their rows are not scored",
                  "%s: %s: %" PRIu32 " of %" PRIu32 " folds leave too little to fit to", set->gpu,
                  unseen_texts[what], failed, folds);
    if (score != NULL)
        hs_pairscore(set, predicted, score);
    return HS_OK;
}

/* ---- scores ---- */

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

void hs_pairscore(const struct hs_pairset *set, const double *predicted, struct hs_pairscore *score)
{
    struct hs_predictions list = {0};
    for (uint32_t r = 0; r < set->row_count; r++)
        if (isfinite(predicted[r]))
            hs_predictions_add(&list, set->rows[r].speed, predicted[r]);
    hs_predictions_score(&list, &score->speed);
    double *observed_s = hs_alloc_zeroed((uint64_t)set->runs * 2 + 1, sizeof *observed_s);
    double *predicted_s = observed_s + set->runs;
    hs_pairset_worst(set, NULL, NULL, observed_s);
    hs_pairset_worst(set, predicted, NULL, predicted_s);
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
