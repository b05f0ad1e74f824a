/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers the jobs, models and pairs of the rows that are left after cleaning. Everything is
 * numbered in the order of the data but the ranks that deal pairs of jobs to folds, which come from
 * the keys alone. O(rows log rows + models^2).
 */
#include "calibrate/pairset.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"

#define JOBS_MAX 1024u /* as many as a table of interference.json may have */

/* What is only needed while rows are collected; numbers are + 1, 0 = not seen yet. */
struct collector {
    struct hs_pairset *set;
    const struct hs_measurements *m;
    uint32_t *job_of_solo, *run_of_pair, *models_pair, *model_pair;
    uint32_t rows_used;
};

static bool is_used(const struct hs_measurements *m, const struct hs_pair *pair, uint32_t gpu)
{
    const struct hs_solo *own = &m->solos[pair->own], *other = &m->solos[pair->other];
    return pair->dropped == 0 && pair->gpu == gpu && own->gpus == 1 && other->gpus == 1 &&
           !own->is_spread && !other->is_spread;
}

static uint32_t number_model(struct hs_pairset *set, const char *model)
{
    for (uint32_t i = 0; i < set->model_count; i++)
        if (strcmp(set->models[i], model) == 0)
            return i;
    set->models[set->model_count] = model;
    return set->model_count++;
}

static void number_job(struct collector *c, uint32_t solo)
{
    struct hs_pairset *set = c->set;
    const struct hs_solo *s = &c->m->solos[solo];
    if (c->job_of_solo[solo] != 0)
        return;
    set->jobs[set->job_count++] =
        (struct hs_pairjob){.key = s->key, .model = number_model(set, s->model), .util = s->util};
    c->job_of_solo[solo] = set->job_count;
    set->has_utils = set->has_utils && isfinite(s->util);
}

/* The number of a cell, in the order of first use. */
static uint32_t number_cell(uint32_t *cell, uint32_t *count)
{
    if (*cell == 0)
        *cell = ++*count;
    return *cell - 1;
}

static void add_row(struct collector *c, const struct hs_pair *pair)
{
    struct hs_pairset *set = c->set;
    struct hs_pairrow *row = &set->rows[set->row_count++];
    row->own = c->job_of_solo[pair->own] - 1;
    row->other = c->job_of_solo[pair->other] - 1;
    row->speed = pair->rebased;
    row->pair = number_cell(&c->run_of_pair[pair->pair], &set->runs);
    uint32_t own = set->jobs[row->own].model, other = set->jobs[row->other].model;
    uint32_t first = own < other ? own : other, last = own < other ? other : own;
    row->models =
        number_cell(&c->models_pair[(size_t)first * set->model_count + last], &set->models_pairs);
    uint32_t known = set->model_pair_count;
    row->model_pair =
        number_cell(&c->model_pair[(size_t)own * set->model_count + other], &set->model_pair_count);
    if (set->model_pair_count > known)
        set->model_pairs[known] = (struct hs_model_pair){own, other};
}

/* ---- ranks of pairs of jobs ---- */

struct ranked {
    uint64_t hash;
    uint32_t first, last, row; /* first and last job by key */
};

static int by_hash(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void rank_rows(struct hs_pairset *set, struct ranked *order)
{
    uint32_t rank = 0;
    for (uint32_t r = 0; r < set->row_count; r++) {
        uint32_t first = set->rows[r].own, last = set->rows[r].other;
        if (strcmp(set->jobs[first].key, set->jobs[last].key) > 0) {
            first = set->rows[r].other;
            last = set->rows[r].own;
        }
        const char *a = set->jobs[first].key, *b = set->jobs[last].key;
        order[r] = (struct ranked){hs_mix64(hs_hash_of(a, strlen(a)), hs_hash_of(b, strlen(b))),
                                   first, last, r};
    }
    qsort(order, set->row_count, sizeof *order, by_hash);
    for (uint32_t i = 0; i < set->row_count; i++) {
        if (i > 0 && (order[i].first != order[i - 1].first || order[i].last != order[i - 1].last))
            rank++;
        set->rows[order[i].row].jobs_rank = rank;
    }
}

/* ---- all ---- */

static enum hs_status number_rows(struct collector *c, uint32_t gpu)
{
    struct hs_pairset *set = c->set;
    struct hs_arena *arena = &set->arena;
    set->rows = hs_arena_alloc(arena, (uint64_t)c->rows_used * sizeof *set->rows);
    uint64_t cells = (uint64_t)set->model_count * set->model_count;
    set->model_pairs = hs_arena_alloc(arena, cells * sizeof *set->model_pairs);
    c->run_of_pair = hs_alloc_zeroed((uint64_t)c->m->pair_ids + 1, sizeof *c->run_of_pair);
    c->models_pair = hs_alloc_zeroed(cells, sizeof *c->models_pair);
    c->model_pair = hs_alloc_zeroed(cells, sizeof *c->model_pair);
    struct ranked *order = hs_alloc_zeroed(c->rows_used, sizeof *order);
    bool has_room = set->rows != NULL && set->model_pairs != NULL && c->run_of_pair != NULL &&
                    c->models_pair != NULL && c->model_pair != NULL && order != NULL;
    for (uint32_t i = 0; has_room && i < c->m->pair_count; i++)
        if (is_used(c->m, &c->m->pairs[i], gpu))
            add_row(c, &c->m->pairs[i]);
    if (has_room)
        rank_rows(set, order);
    hs_free(order);
    return has_room ? HS_OK : HS_E_MEMORY;
}

static enum hs_status number_jobs(struct collector *c, uint32_t gpu, struct hs_diag *diag)
{
    struct hs_pairset *set = c->set;
    c->job_of_solo = hs_alloc_zeroed((uint64_t)c->m->solo_count + 1, sizeof *c->job_of_solo);
    set->jobs = hs_arena_alloc(&set->arena, JOBS_MAX * sizeof *set->jobs);
    set->models = hs_arena_alloc(&set->arena, JOBS_MAX * sizeof *set->models);
    if (c->job_of_solo == NULL || set->jobs == NULL || set->models == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < c->m->pair_count; i++) {
        if (!is_used(c->m, &c->m->pairs[i], gpu))
            continue;
        if (set->job_count + 2 > JOBS_MAX)
            return hs_fail(diag, HS_E_LIMIT, NULL, NULL,
                           "%s: pairs of more than %u jobs on one GPU type", c->m->gpus[gpu],
                           JOBS_MAX - 1);
        number_job(c, c->m->pairs[i].own);
        number_job(c, c->m->pairs[i].other);
        c->rows_used++;
    }
    return HS_OK;
}

enum hs_status hs_pairset_collect(struct hs_pairset *set, const struct hs_measurements *m,
                                  uint32_t gpu, struct hs_diag *diag)
{
    struct collector c = {.set = set, .m = m};
    *set = (struct hs_pairset){.gpu = m->gpus[gpu], .format = m->format, .has_utils = true};
    enum hs_status status = number_jobs(&c, gpu, diag);
    if (status == HS_OK && c.rows_used > 0)
        status = number_rows(&c, gpu);
    hs_free(c.job_of_solo);
    hs_free(c.run_of_pair);
    hs_free(c.models_pair);
    hs_free(c.model_pair);
    if (status != HS_OK)
        hs_pairset_free(set);
    return status == HS_E_MEMORY ? hs_fail(diag, status, NULL, NULL, "no memory for the pairs")
                                 : status;
}

void hs_pairset_free(struct hs_pairset *set)
{
    hs_arena_free(&set->arena);
    *set = (struct hs_pairset){0};
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

uint32_t hs_pairset_folds(const struct hs_pairset *set, enum hs_unseen what, uint32_t job_folds)
{
    switch (what) {
    case HS_UNSEEN_OWN_MODEL:
    case HS_UNSEEN_OTHER_MODEL:
        return set->model_count;
    case HS_UNSEEN_MODEL_PAIR:
        return set->models_pairs;
    case HS_UNSEEN_JOB_PAIR:
        return job_folds;
    case HS_UNSEEN_NOTHING:
        break;
    }
    return 1;
}

bool hs_pairset_is_held(const struct hs_pairset *set, enum hs_unseen what, uint32_t job_folds,
                        uint32_t fold, uint32_t row)
{
    const struct hs_pairrow *r = &set->rows[row];
    switch (what) {
    case HS_UNSEEN_OWN_MODEL:
    case HS_UNSEEN_OTHER_MODEL:
        return set->jobs[r->own].model == fold || set->jobs[r->other].model == fold;
    case HS_UNSEEN_MODEL_PAIR:
        return r->models == fold;
    case HS_UNSEEN_JOB_PAIR:
        return r->jobs_rank % job_folds == fold;
    case HS_UNSEEN_NOTHING:
        break;
    }
    return false;
}

bool hs_pairset_is_tested(const struct hs_pairset *set, enum hs_unseen what, uint32_t job_folds,
                          uint32_t fold, uint32_t row)
{
    const struct hs_pairrow *r = &set->rows[row];
    if (what == HS_UNSEEN_NOTHING)
        return true;
    if (what == HS_UNSEEN_OWN_MODEL)
        return set->jobs[r->own].model == fold;
    if (what == HS_UNSEEN_OTHER_MODEL)
        return set->jobs[r->other].model == fold;
    return hs_pairset_is_held(set, what, job_folds, fold, row);
}
