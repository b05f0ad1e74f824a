/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ln a of the new job is found from its own speeds beside the anchors, ln b from theirs beside it,
 * each by one-dimensional least squares with a ridge term towards the medians of its kin.
 */
#include "calibrate/paircold.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "calibrate/solve.h"

#define STEPS_MAX 200u
#define PULL      0.01 /* in rows; .001 to .03 are alike from three anchors on */

const uint32_t hs_cold_anchors[HS_COLD_STEPS] = {0, 1, 2, 3, 5, 8};

struct partner {
    uint64_t hash;
    uint32_t job;
};

struct study {
    struct hs_pairrank1 *fit;
    bool *is_held;
    struct partner *partners; /* of the job, in order of trial */
    uint32_t partner_count;
    uint32_t *rank_of; /* by job: place among the partners + 1 */
    double *medians;   /* work */
    double *observed[HS_COLD_STEPS], *predicted[HS_COLD_STEPS];
    uint32_t counts[HS_COLD_STEPS];
};

/* One number of the new job: its ln a (is_own) or its ln b. */
struct anchored {
    const struct study *study;
    uint32_t job, anchors;
    bool is_own;
    double prior;
    uint32_t rows;
};

static int by_hash(const void *a, const void *b)
{
    const struct partner *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void find_partners(struct study *s, uint32_t job)
{
    const struct hs_pairset *set = s->fit->set;
    uint64_t hash = hs_hash_of(set->jobs[job].key, strlen(set->jobs[job].key));
    memset(s->rank_of, 0, set->job_count * sizeof *s->rank_of);
    s->partner_count = 0;
    for (uint32_t r = 0; r < set->row_count; r++) {
        const struct hs_pairrow *row = &set->rows[r];
        s->is_held[r] = row->own == job || row->other == job;
        uint32_t other = row->own == job ? row->other : row->own;
        if (!s->is_held[r] || other == job || s->rank_of[other] != 0)
            continue;
        const char *key = set->jobs[other].key;
        s->partners[s->partner_count++] =
            (struct partner){hs_mix64(hash, hs_hash_of(key, strlen(key))), other};
        s->rank_of[other] = s->partner_count;
    }
    qsort(s->partners, s->partner_count, sizeof *s->partners, by_hash);
    for (uint32_t i = 0; i < s->partner_count; i++)
        s->rank_of[s->partners[i].job] = i + 1;
}

/* Median of ln a or ln b over the other jobs of its model, or of all where it is the only one. */
static double kin_median(struct study *s, const double *ln, uint32_t job)
{
    const struct hs_pairset *set = s->fit->set;
    uint32_t count = 0;
    for (int is_any_model = 0; is_any_model <= 1 && count == 0; is_any_model++)
        for (uint32_t i = 0; i < set->job_count; i++)
            if (i != job && (is_any_model || set->jobs[i].model == set->jobs[job].model))
                s->medians[count++] = ln[i];
    if (count == 0)
        return s->fit->theta[2 * set->job_count]; /* the mean */
    qsort(s->medians, count, sizeof *s->medians, by_number);
    return 0.5 * (s->medians[(count - 1) / 2] + s->medians[count / 2]);
}

/* Is the row one of the job beside an anchor, in the direction that tells this number? */
static bool tells(const struct anchored *a, const struct hs_pairrow *row)
{
    uint32_t job = a->is_own ? row->own : row->other;
    uint32_t rank = a->study->rank_of[a->is_own ? row->other : row->own];
    return job == a->job && rank > 0 && rank <= a->anchors;
}

static double base_speed(const struct anchored *a, const struct hs_pairrow *row, double ln)
{
    const struct hs_pairrank1 *f = a->study->fit;
    return 1 / (1 + exp(ln + (a->is_own ? f->ln_b[row->other] : f->ln_a[row->own])));
}

static void residual(void *ctx, const double *theta, double *out)
{
    const struct anchored *a = ctx;
    const struct hs_pairset *set = a->study->fit->set;
    for (uint32_t r = 0; r < set->row_count; r++)
        if (tells(a, &set->rows[r]))
            *out++ = base_speed(a, &set->rows[r], theta[0]) +
                     a->study->fit->pairs[set->rows[r].model_pair] - set->rows[r].speed;
    *out = sqrt(PULL) * (theta[0] - a->prior);
}

static void jacobian(void *ctx, const double *theta, double *j)
{
    const struct anchored *a = ctx;
    const struct hs_pairset *set = a->study->fit->set;
    for (uint32_t r = 0; r < set->row_count; r++)
        if (tells(a, &set->rows[r])) {
            double speed = base_speed(a, &set->rows[r], theta[0]);
            *j++ = -speed * (1 - speed);
        }
    *j = sqrt(PULL);
}

static enum hs_status find_number(struct study *s, uint32_t job, uint32_t anchors, bool is_own,
                                  double *ln, struct hs_diag *diag)
{
    const struct hs_pairset *set = s->fit->set;
    struct anchored a = {s, job, anchors, is_own, *ln, 0};
    for (uint32_t r = 0; r < set->row_count; r++)
        a.rows += tells(&a, &set->rows[r]);
    struct hs_nls nls = {a.rows + 1, 1, residual, jacobian, &a};
    return a.rows == 0 ? HS_OK : hs_solve_nls(&nls, ln, STEPS_MAX, "a new job", diag);
}

static void predict(struct study *s, uint32_t job, uint32_t step)
{
    const struct hs_pairset *set = s->fit->set;
    for (uint32_t r = 0; r < set->row_count; r++) {
        const struct hs_pairrow *row = &set->rows[r];
        uint32_t other = row->own == job ? row->other : row->own;
        bool is_anchor = s->rank_of[other] > 0 && s->rank_of[other] <= hs_cold_anchors[step];
        if (!s->is_held[r] || is_anchor)
            continue;
        s->observed[step][s->counts[step]] = row->speed;
        s->predicted[step][s->counts[step]++] = hs_pairrank1_speed(s->fit, r);
    }
}

static enum hs_status study_job(struct study *s, uint32_t job, struct hs_diag *diag)
{
    struct hs_pairrank1 *f = s->fit;
    find_partners(s, job);
    struct hs_pairmodel model = hs_pairrank1_model(f);
    enum hs_status status = hs_pairmodel_try(&model, f->set, s->is_held);
    if (status != HS_OK) /* all rows are of this job */
        return status == HS_E_INPUT ? HS_OK : status;
    double prior_a = kin_median(s, f->ln_a, job), prior_b = kin_median(s, f->ln_b, job);
    for (uint32_t step = 0; step < HS_COLD_STEPS; step++) {
        f->ln_a[job] = prior_a;
        f->ln_b[job] = prior_b;
        HS_TRY(find_number(s, job, hs_cold_anchors[step], true, &f->ln_a[job], diag));
        HS_TRY(find_number(s, job, hs_cold_anchors[step], false, &f->ln_b[job], diag));
        predict(s, job, step);
    }
    return HS_OK;
}

static enum hs_status study_open(struct study *s, struct hs_pairrank1 *f)
{
    const struct hs_pairset *set = f->set;
    uint64_t rows = (uint64_t)set->row_count * 2;
    *s = (struct study){.fit = f};
    s->is_held = hs_alloc_zeroed(set->row_count, sizeof *s->is_held);
    s->partners = hs_alloc_zeroed(set->job_count, sizeof *s->partners);
    s->rank_of = hs_alloc_zeroed(set->job_count, sizeof *s->rank_of);
    s->medians = hs_alloc_zeroed(set->job_count, sizeof *s->medians);
    bool has_room =
        s->is_held != NULL && s->partners != NULL && s->rank_of != NULL && s->medians != NULL;
    for (uint32_t step = 0; step < HS_COLD_STEPS; step++) {
        s->observed[step] = hs_alloc_zeroed(rows, sizeof *s->observed[step]);
        s->predicted[step] = hs_alloc_zeroed(rows, sizeof *s->predicted[step]);
        has_room = has_room && s->observed[step] != NULL && s->predicted[step] != NULL;
    }
    return has_room ? HS_OK : HS_E_MEMORY;
}

static void study_close(struct study *s)
{
    hs_free(s->is_held);
    hs_free(s->partners);
    hs_free(s->rank_of);
    hs_free(s->medians);
    for (uint32_t step = 0; step < HS_COLD_STEPS; step++) {
        hs_free(s->observed[step]);
        hs_free(s->predicted[step]);
    }
}

enum hs_status hs_paircold_study(struct hs_pairrank1 *f, struct hs_score scores[HS_COLD_STEPS],
                                 struct hs_diag *diag)
{
    struct study s;
    enum hs_status status = study_open(&s, f);
    for (uint32_t job = 0; status == HS_OK && job < f->set->job_count; job++)
        status = study_job(&s, job, diag);
    for (uint32_t step = 0; status == HS_OK && step < HS_COLD_STEPS; step++)
        status = hs_score(s.observed[step], s.predicted[step], s.counts[step], &scores[step]);
    study_close(&s);
    return status;
}
