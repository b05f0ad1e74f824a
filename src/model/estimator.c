/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates of run times: the true one times noise, the rolling mean of a user's similar jobs, or a
 * file. Noise is a factor exp(sigma z) of a draw that depends on (seed, job) alone, rounded to
 * 2^-20 at once; what follows is in integers, so that the last bit of libm never reaches a
 * decision. Keys are found by linear probing in a table that is at most half full: O(1) a job.
 */
#include "model/estimator.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/fixed.h"
#include "base/intern.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/fmt.h"
#include "data/csvread.h"
#include "horus/compiler.h"
#include "horus/status.h"
#include "horus/view.h"

#define TABLE_FIRST 64u
#define PAIRS_MAX   (1u << 28)

static uint64_t key_of(uint32_t user, uint32_t gpus)
{
    return (uint64_t)user << 32 | gpus;
}

/* Where the pair stands, or where it would. */
static uint32_t slot_find(const struct hs_rolling *r, uint64_t key)
{
    uint32_t mask = r->table_size - 1;
    uint32_t slot = (uint32_t)hs_splitmix64(key) & mask;
    while (r->table[slot] != 0 && r->pairs[r->table[slot] - 1].key != key)
        slot = (slot + 1) & mask;
    return slot;
}

static void table_double(struct hs_rolling *r)
{
    uint32_t size = r->table_size == 0 ? TABLE_FIRST : 2 * r->table_size;
    uint32_t *table = hs_alloc_zeroed(size, sizeof *table);
    hs_free(r->table);
    r->table = table;
    r->table_size = size;
    for (uint32_t i = 0; i < r->pair_count; i++)
        table[slot_find(r, r->pairs[i].key)] = i + 1;
}

static void pair_get(struct hs_rolling *r, uint64_t key, struct hs_rolling_pair **pair)
{
    if (2 * ((uint64_t)r->pair_count + 1) > r->table_size)
        table_double(r);
    uint32_t slot = slot_find(r, key);
    if (r->table[slot] == 0) {
        hs_grow((void **)&r->pairs, &r->pair_cap, (uint64_t)r->pair_count + 1, sizeof *r->pairs,
                PAIRS_MAX);
        r->pairs[r->pair_count].key = key;
        r->table[slot] = ++r->pair_count;
    }
    *pair = &r->pairs[r->table[slot] - 1];
}

static void mean_add(struct hs_rolling_mean *mean, int64_t run_us)
{
    mean->sum_us += (uint64_t)run_us;
    mean->count++;
}

void hs_rolling_add(struct hs_rolling *r, uint32_t user, uint32_t gpus, int64_t run_us)
{
    struct hs_rolling_pair *pair;
    hs_grow((void **)&r->users, &r->user_cap, (uint64_t)user + 1, sizeof *r->users, HS_INTERN_MAX);
    pair_get(r, key_of(user, gpus), &pair);
    mean_add(&pair->mean, run_us);
    mean_add(&r->users[user], run_us);
    mean_add(&r->all, run_us);
}

static int64_t mean_us(const struct hs_rolling_mean *mean)
{
    return (int64_t)(mean->sum_us / mean->count);
}

int64_t hs_rolling_mean_us(const struct hs_rolling *r, uint32_t user, uint32_t gpus)
{
    if (r->all.count == 0)
        return -1;
    uint32_t pair = r->table[slot_find(r, key_of(user, gpus))];
    if (pair != 0)
        return mean_us(&r->pairs[pair - 1].mean);
    if (user < r->user_cap && r->users[user].count > 0)
        return mean_us(&r->users[user]);
    return mean_us(&r->all);
}

void hs_rolling_free(struct hs_rolling *r)
{
    hs_free(r->users);
    hs_free(r->pairs);
    hs_free(r->table);
    *r = (struct hs_rolling){0};
}

struct hs_estimate_file {
    struct hs_intern ids;
    int64_t *us; /* by id */
    uint32_t us_cap;
};

struct estimate_reader {
    struct hs_estimate_file *file;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t id, estimate; /* fields */
    uint32_t field_count;  /* of the header */
    const char *name;      /* of the column with the estimate */
    struct hs_diag *diag;
};

static enum hs_status read_header(struct estimate_reader *r)
{
    enum hs_status status = hs_csv_next(r->csv, &r->row);
    struct hs_place place = hs_csv_place(r->csv, 0);
    if (status == HS_END)
        return hs_fail(r->diag, HS_E_INPUT, &place, "the first line names job_id and estimate",
                       "the file of estimates is empty");
    HS_TRY(status);
    place = hs_csv_place(r->csv, r->row.count);
    r->field_count = r->row.count;
    r->id = hs_csv_column(&r->row, "job_id");
    if (r->id == UINT32_MAX)
        return hs_fail(r->diag, HS_E_INPUT, &place, "the columns are job_id and estimate, seconds",
                       "missing column 'job_id'");
    uint32_t duration = hs_csv_column(&r->row, "duration");
    uint32_t priority = hs_csv_column(&r->row, "priority");
    r->estimate = hs_csv_column(&r->row, "estimate");
    if (r->estimate == UINT32_MAX && duration != UINT32_MAX && priority != UINT32_MAX)
        return hs_fail(r->diag, HS_E_INPUT, &place, "call the column that is meant 'estimate'",
                       "is 'duration' the estimate, or 'priority'?");
    if (r->estimate == UINT32_MAX)
        r->estimate = duration != UINT32_MAX ? duration : priority;
    if (r->estimate == UINT32_MAX)
        return hs_fail(r->diag, HS_E_INPUT, &place,
                       "run times in seconds; 'duration' and 'priority' are understood too",
                       "missing column 'estimate'");
    r->name = r->estimate == duration   ? "duration"
              : r->estimate == priority ? "priority"
                                        : "estimate";
    return HS_OK;
}

static enum hs_status read_estimate(const struct estimate_reader *r, int64_t *us)
{
    const char *text = r->row.fields[r->estimate];
    struct hs_place place = hs_csv_place(r->csv, r->estimate);
    if (!hs_parse_decimal_us(text, r->row.lengths[r->estimate], HS_US_PER_S, us))
        return hs_fail(r->diag, HS_E_INPUT, &place,
                       "for example 90 or 4.5; leave out the row of a job of which nothing is "
                       "known",
                       "%s is not a number of seconds: '%.64s'", r->name, text);
    if (*us < 0)
        return hs_fail(r->diag, HS_E_INPUT, &place,
                       "write what is meant by it: 0, or a least run time; or leave the row out, "
                       "and nothing is known of the job",
                       "%s is negative: '%.64s'", r->name, text);
    if (*us > HS_ESTIMATE_MAX_US)
        return hs_fail(r->diag, HS_E_INPUT, &place, NULL,
                       "%s is beyond what can be counted: '%.64s'", r->name, text);
    return HS_OK;
}

static enum hs_status read_row(struct estimate_reader *r)
{
    struct hs_estimate_file *file = r->file;
    uint32_t known = file->ids.count, id;
    struct hs_place place = hs_csv_place(r->csv, r->row.count);
    int64_t us;
    if (r->row.count != r->field_count)
        return hs_fail(r->diag, HS_E_INPUT, &place, NULL, "%u fields where the header has %u",
                       r->row.count, r->field_count);
    HS_TRY(read_estimate(r, &us));
    id = hs_intern_get(&file->ids, r->row.fields[r->id]);
    place = hs_csv_place(r->csv, r->id);
    if (id == 0)
        return hs_fail(r->diag, HS_E_INPUT, &place, NULL, "job_id is empty");
    if (id < known)
        return hs_fail(r->diag, HS_E_INPUT, &place, "leave one of them out",
                       "job '%.64s' has an estimate already", r->row.fields[r->id]);
    hs_grow((void **)&file->us, &file->us_cap, (uint64_t)id + 1, sizeof *file->us, HS_INTERN_MAX);
    file->us[id] = us;
    return HS_OK;
}

static enum hs_status read_all(struct hs_estimate_file *file, struct hs_input *input,
                               struct hs_diag *diag)
{
    struct estimate_reader r = {.file = file, .diag = diag};
    hs_csv_open(&r.csv, input, ',', diag);
    enum hs_status status = read_header(&r);
    while (status == HS_OK && (status = hs_csv_next(r.csv, &r.row)) == HS_OK)
        status = read_row(&r);
    hs_csv_close(r.csv);
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_estimate_file_open(struct hs_estimate_file **f, const char *path,
                                     struct hs_diag *diag)
{
    struct hs_input *input;
    *f = NULL;
    HS_TRY(hs_input_open(&input, path, diag));
    struct hs_estimate_file *file = hs_alloc_zeroed(1, sizeof *file);
    hs_intern_init(&file->ids);
    enum hs_status status = read_all(file, input, diag);
    hs_input_close(input);
    if (status == HS_OK)
        *f = file;
    else
        hs_estimate_file_close(file);
    return status;
}

int64_t hs_estimate_file_us(const struct hs_estimate_file *f, const char *id)
{
    uint32_t at = hs_intern_find(&f->ids, id);
    return at != 0 && at != UINT32_MAX ? f->us[at] : -1;
}

void hs_estimate_file_close(struct hs_estimate_file *f)
{
    if (f == NULL)
        return;
    hs_intern_free(&f->ids);
    hs_free(f->us);
    hs_free(f);
}

#define FACTOR_ONE 0x1p20
#define FACTOR_MAX 0x1p40 /* a million times */

struct hs_estimation {
    struct hs_estimator how; /* its file is not used after opening */
    struct hs_estimate_file *file;
    struct hs_rolling rolling;
    uint64_t noise_seed;
    uint64_t unnamed;
};

static int64_t bounded(hs_u128 us)
{
    return us < HS_ESTIMATE_MAX_US ? (int64_t)us : HS_ESTIMATE_MAX_US;
}

static int64_t noisy_us(const struct hs_estimation *e, const struct hs_estimate_facts *facts)
{
    double factor = exp(e->how.sigma * hs_normal_of(e->noise_seed, facts->index));
    uint64_t factor_q20 = (uint64_t)rint(fmin(factor * FACTOR_ONE, FACTOR_MAX));
    return bounded((hs_u128)(uint64_t)facts->run_us * factor_q20 >> 20);
}

int64_t hs_estimator_us(struct hs_estimation *e, const struct hs_estimate_facts *facts)
{
    int64_t us = -1;
    switch (e->how.from) {
    case HS_ESTIMATE_ORACLE:
        return bounded((uint64_t)facts->run_us);
    case HS_ESTIMATE_NOISY:
        return noisy_us(e, facts);
    case HS_ESTIMATE_FILE:
        us = hs_estimate_file_us(e->file, facts->id);
        e->unnamed += us < 0 && facts->attempt == 0;
        break;
    case HS_ESTIMATE_ROLLING:
        us = hs_rolling_mean_us(&e->rolling, facts->user, facts->gpus);
        break;
    }
    return bounded((uint64_t)(us >= 0 ? us : e->how.unknown_us));
}

void hs_estimator_learn(struct hs_estimation *e, const struct hs_estimate_facts *facts,
                        int64_t run_us)
{
    if (e->how.from != HS_ESTIMATE_ROLLING)
        return;
    hs_rolling_add(&e->rolling, facts->user, facts->gpus, run_us);
}

uint64_t hs_estimator_unnamed(const struct hs_estimation *e)
{
    return e->unnamed;
}

enum hs_status hs_estimator_open(struct hs_estimation **e, const struct hs_estimator *how,
                                 uint64_t seed, struct hs_diag *diag)
{
    *e = NULL;
    struct hs_estimation *new = hs_alloc_zeroed(1, sizeof *new);
    new->how = *how;
    new->noise_seed = hs_seed_of(seed, "duration-noise");
    if (how->from == HS_ESTIMATE_FILE) {
        enum hs_status status = hs_estimate_file_open(&new->file, how->file, diag);
        if (status != HS_OK) {
            hs_estimator_close(new);
            return status;
        }
    }
    *e = new;
    return HS_OK;
}

void hs_estimator_close(struct hs_estimation *e)
{
    if (e == NULL)
        return;
    hs_estimate_file_close(e->file);
    hs_rolling_free(&e->rolling);
    hs_free(e);
}
