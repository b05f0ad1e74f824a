/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of run times: the true one times noise, the rolling mean of a user's similar jobs (or
 * the median of the last ones), or a file. Noise is a factor exp(sigma z) of a draw that depends
 * only on (seed, job), rounded to 2^-20; further computations are in integers, so that the last bit
 * of libm never affects a decision. O(1) per job, for the rolling mean O(sizes of the user's jobs).
 */
#include "model/estimator.h"

#include <math.h>

#include "base/fixed.h"
#include "base/intern.h"
#include "base/rng.h"
#include "data/csv.h"

/* ---- rolling means ---- */

#define SIZES_MAX (1u << 28)

#define LAST_MAX HS_ESTIMATE_LAST_MAX

struct rolling_mean {
    hs_u128 sum_us;
    uint64_t count;
    uint32_t ring; /* number + 1 of its ring of last run times; 0 = none */
};

/* Jobs of one user with this number of GPUs. */
struct rolling_size {
    struct rolling_mean mean;
    uint32_t gpus;
    uint32_t next; /* next of the user + 1; 0 = none */
};

struct rolling_user {
    struct rolling_mean mean;
    uint32_t first; /* size + 1; 0 = none */
};

/* Empty if zeroed. */
struct rolling {
    uint32_t last;  /* number of run times in the median; 0: mean of all */
    int64_t *rings; /* rings of `last` run times each */
    uint32_t ring_count, ring_cap;
    struct rolling_mean all;
    struct rolling_user *users; /* by id */
    struct rolling_size *sizes;
    uint32_t user_cap, size_count, size_cap;
};

/* Returns NULL if there is none; otherwise moves it to the front of the user's short list. */
static struct rolling_size *size_of(struct rolling *r, uint32_t user, uint32_t gpus)
{
    if (user >= r->user_cap)
        return NULL;
    uint32_t *const first = &r->users[user].first, *link = first;
    while (*link != 0 && r->sizes[*link - 1].gpus != gpus)
        link = &r->sizes[*link - 1].next;
    const uint32_t at = *link;
    if (at == 0)
        return NULL;
    *link = r->sizes[at - 1].next;
    r->sizes[at - 1].next = *first;
    *first = at;
    return &r->sizes[at - 1];
}

static void mean_add(struct rolling *r, struct rolling_mean *mean, int64_t run_us)
{
    if (r->last > 0 && mean->ring == 0) {
        mean->ring = ++r->ring_count;
        hs_grow(r->rings, r->ring_cap, (uint64_t)mean->ring * r->last, UINT32_MAX);
    }
    if (r->last > 0)
        r->rings[(mean->ring - 1) * r->last + mean->count % r->last] = run_us;
    mean->sum_us += (uint64_t)run_us;
    mean->count++;
}

/* user: dense id; run_us >= 0. */
static void rolling_add(struct rolling *r, uint32_t user, uint32_t gpus, int64_t run_us)
{
    hs_grow(r->users, r->user_cap, (uint64_t)user + 1, HS_INTERN_MAX);
    struct rolling_size *size = size_of(r, user, gpus);
    if (size == NULL) {
        size = hs_push(r->sizes, r->size_count, r->size_cap, SIZES_MAX);
        *size = (struct rolling_size){.gpus = gpus, .next = r->users[user].first};
        r->users[user].first = r->size_count;
    }
    mean_add(r, &size->mean, run_us);
    mean_add(r, &r->users[user].mean, run_us);
    mean_add(r, &r->all, run_us);
}

/* For an even number of run times, the median is the mean of the middle two, rounded down. */
static int64_t mean_us(const struct rolling *r, const struct rolling_mean *mean)
{
    int64_t sorted[LAST_MAX];
    const uint32_t count = mean->count < r->last ? (uint32_t)mean->count : r->last;
    if (count == 0)
        return (int64_t)(mean->sum_us / mean->count);
    for (uint32_t i = 0, at; i < count; i++) {
        const int64_t run_us = r->rings[(mean->ring - 1) * r->last + i];
        for (at = i; at > 0 && sorted[at - 1] > run_us; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = run_us;
    }
    const int64_t low = sorted[(count - 1) / 2];
    return low + (sorted[count / 2] - low) / 2;
}

/* Mean or median of finished jobs of the same user and GPUs, else of the user, else of all; -1:
 * none. */
static int64_t rolling_mean_us(struct rolling *r, uint32_t user, uint32_t gpus)
{
    const struct rolling_size *size = size_of(r, user, gpus);
    if (size != NULL)
        return mean_us(r, &size->mean);
    if (user < r->user_cap && r->users[user].mean.count > 0)
        return mean_us(r, &r->users[user].mean);
    return r->all.count > 0 ? mean_us(r, &r->all) : -1;
}

/* ---- a file ---- */

struct estimate_file {
    struct hs_intern ids;
    int64_t *us; /* by id */
    uint32_t us_cap;
};

enum { JOB_ID, ESTIMATE, DURATION, PRIORITY, COLUMNS };
static const char *const columns[] = {"job_id", "estimate", "duration", "priority"};

/* Chooses the column with the estimate; others are ignored. */
static enum hs_status choose_column(const struct hs_csv_table *t, uint32_t *column)
{
    const bool has_duration = hs_csv_has(t, DURATION), has_priority = hs_csv_has(t, PRIORITY);
    *column = hs_csv_has(t, ESTIMATE) ? ESTIMATE : has_duration ? DURATION : PRIORITY;
    if (*column == DURATION && has_priority)
        return hs_csv_fail(t->csv, t->width, "name the column of the estimates 'estimate'",
                           "is 'duration' the estimate, or 'priority'?");
    if (!hs_csv_has(t, *column))
        return hs_csv_fail(t->csv, t->width,
                           "run times in seconds; 'duration' and 'priority' are understood too",
                           "missing column 'estimate'");
    return HS_OK;
}

static enum hs_status read_row(struct estimate_file *file, const struct hs_csv_table *t,
                               uint32_t column)
{
    const char *text = hs_csv_cell(t, column), *job = hs_csv_cell(t, JOB_ID), *is = NULL,
               *hint = NULL;
    int64_t us;
    if (!hs_parse_decimal_us(text, strlen(text), HS_US_PER_S, &us)) {
        is = "not a number of seconds";
        hint = "for example 90 or 4.5; leave out the row of a job without an estimate";
    } else if (us < 0) {
        is = "negative";
        hint = "write 0 or the least run time, or leave the row out if the job has no estimate";
    } else if (us > HS_ESTIMATE_MAX_US) {
        is = "too large to be counted";
    }
    if (is != NULL)
        return hs_csv_fail(t->csv, t->at[column], hint, "%s is %s: '%.64s'", columns[column], is,
                           text);
    const uint32_t known = file->ids.count, id = hs_intern_get(&file->ids, job);
    if (id == 0)
        return hs_csv_fail(t->csv, t->at[JOB_ID], NULL, "job_id is empty");
    if (id < known)
        return hs_csv_fail(t->csv, t->at[JOB_ID], "leave one of them out",
                           "job '%.64s' has an estimate already", job);
    hs_grow(file->us, file->us_cap, (uint64_t)id + 1, HS_INTERN_MAX);
    file->us[id] = us;
    return HS_OK;
}

static enum hs_status estimate_file_load(struct estimate_file *file, const char *path,
                                         struct hs_diag *diag)
{
    static const struct hs_csv_head head = {
        "file of estimates", columns, COLUMNS,
        JOB_ID + 1,          "",      "the columns are job_id and estimate, seconds"};
    struct hs_csv_table t;
    uint32_t column;
    hs_intern_init(&file->ids);
    enum hs_status status = hs_csv_table_open(&t, path, &head, diag);
    if (status == HS_OK)
        status = choose_column(&t, &column);
    while (status == HS_OK && (status = hs_csv_table_next(&t)) == HS_OK)
        status = read_row(file, &t, column);
    return hs_csv_table_close(&t, status);
}

/* ---- estimates ---- */

#define FACTOR_ONE 0x1p20
#define FACTOR_MAX 0x1p40 /* a factor of a million */

struct hs_estimation {
    struct hs_estimator how; /* its file is not used after opening */
    struct estimate_file file;
    struct rolling rolling;
    uint64_t noise_seed;
    uint64_t unnamed;
};

static int64_t bounded(hs_u128 us)
{
    return us < HS_ESTIMATE_MAX_US ? (int64_t)us : HS_ESTIMATE_MAX_US;
}

int64_t hs_estimator_us(struct hs_estimation *e, const struct hs_estimate_facts *facts)
{
    int64_t us = -1;
    double factor;
    uint64_t factor_q20;
    uint32_t id;
    switch (e->how.from) {
    case HS_ESTIMATE_ORACLE:
        return bounded((uint64_t)facts->run_us);
    case HS_ESTIMATE_NOISY:
        factor = exp(e->how.sigma * hs_normal_of(e->noise_seed, facts->index));
        factor_q20 = (uint64_t)rint(fmin(factor * FACTOR_ONE, FACTOR_MAX));
        return bounded((hs_u128)(uint64_t)facts->run_us * factor_q20 >> 20);
    case HS_ESTIMATE_FILE:
        id = hs_intern_find(&e->file.ids, facts->id);
        us = id != 0 && id != UINT32_MAX ? e->file.us[id] : -1;
        e->unnamed += us < 0 && facts->attempt == 0;
        break;
    case HS_ESTIMATE_ROLLING:
        us = rolling_mean_us(&e->rolling, facts->user, facts->gpus);
        break;
    }
    return bounded((uint64_t)(us >= 0 ? us : e->how.unknown_us));
}

void hs_estimator_learn(struct hs_estimation *e, const struct hs_estimate_facts *facts,
                        int64_t run_us)
{
    if (e->how.from != HS_ESTIMATE_ROLLING)
        return;
    rolling_add(&e->rolling, facts->user, facts->gpus, run_us);
}

uint64_t hs_estimator_unnamed(const struct hs_estimation *e)
{
    return e->unnamed;
}

enum hs_status hs_estimator_open(struct hs_estimation **e, const struct hs_estimator *how,
                                 uint64_t seed, struct hs_diag *diag)
{
    enum hs_status status = HS_OK;
    *e = hs_alloc_zeroed(1, sizeof **e);
    (*e)->how = *how;
    (*e)->rolling.last = how->last;
    (*e)->noise_seed = hs_seed_of(seed, "duration-noise");
    if (how->from == HS_ESTIMATE_FILE)
        status = estimate_file_load(&(*e)->file, how->file, diag);
    if (status != HS_OK) {
        hs_estimator_close(*e);
        *e = NULL;
    }
    return status;
}

void hs_estimator_close(struct hs_estimation *e)
{
    if (e == NULL)
        return;
    hs_intern_free(&e->file.ids);
    hs_free(e->file.us);
    hs_free(e->rolling.users);
    hs_free(e->rolling.sizes);
    hs_free(e->rolling.rings);
    hs_free(e);
}
