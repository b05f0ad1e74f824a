/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cleaning rules, one function each, all about data whose faults are known (calibration.md 2)
 * but none by the name of a data set: what they look for can be found in anybody's measurements.
 * Speeds are compared exactly where the fault is an exact number: one that was written in, copied,
 * or divided by itself. O(rows log rows) at most.
 */
#include "calibrate/clean_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/score.h"

/* An idle job leaves the GPU to the other: busy up to 15 % of the time with a memory traffic that
 * nvidia-smi shows as 0, as Lucid's PPO and TD3 (calibration.md 2, trap 3). Where memory traffic
 * was not measured, up to 5 %: by the fitted form S = 1 + 0.677 u^1.016 v^1.763 (calibration.md 0)
 * such a co-runner costs at most 0.4 %. */
#define IDLE_UTIL       0.15
#define IDLE_UTIL_NO_BW 0.05
/* A job of which fewer runs are there is not judged by its speeds. */
#define JUDGED_ROWS 3u
/* A median speed no whole campaign shows: in Lucid, and in Gavel's oracle and simulation files, the
 * medians of jobs lie in 0.32..1.2; baselines of another campaign gave 0.04 (calibration.md 2,
 * traps 5 and 8). */
#define PLAUSIBLE_MIN 0.2
#define PLAUSIBLE_MAX 1.5
/* Two runs of one pair differ by sqrt 2 x 0.047 (standard deviation, calibration.md 2, trap 4);
 * three times that is no noise. */
#define CONTRADICTION 0.2

struct tally { /* of the rows of one job */
    uint32_t rows, ones;
    double highest;
    double idle_sum; /* beside idle jobs */
    uint32_t idle_rows;
};

static bool is_measured(const struct hs_pair *row)
{
    return (row->dropped & HS_CLEAN_UNUSABLE) == 0;
}

static bool is_idle(const struct hs_solo *solo)
{
    if (isnan(solo->bw_util))
        return solo->util <= IDLE_UTIL_NO_BW;
    return solo->bw_util == 0 && solo->util <= IDLE_UTIL;
}

/* By solo; NULL when out of memory. */
static struct tally *tally_rows(const struct hs_measurements *m)
{
    struct tally *tallies = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *tallies);
    if (tallies == NULL)
        return NULL;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        struct tally *t = &tallies[row->own];
        if (!is_measured(row))
            continue;
        t->rows++;
        t->ones += row->speed == 1;
        t->highest = fmax(t->highest, row->speed);
        if (is_idle(&m->solos[row->other])) {
            t->idle_sum += row->speed;
            t->idle_rows++;
        }
    }
    return tallies;
}

/* Trap 1. */
static enum hs_status written_in(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    struct tally *tallies = tally_rows(m);
    if (tallies == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct tally *t = &tallies[m->pairs[i].own];
        if (is_measured(&m->pairs[i]) && t->rows >= JUDGED_ROWS && t->ones == t->rows)
            m->pairs[i].dropped |= HS_DROPPED(WRITTEN_IN);
    }
    hs_free(tallies);
    return HS_OK;
}

/* Trap 2. A comparison with a NaN is false: what was not measured is not judged. */
static enum hs_status overlap(struct hs_measurements *m, double tolerance)
{
    for (uint32_t i = 0; i < m->pair_count; i++) {
        struct hs_pair *row = &m->pairs[i];
        double busier = fmax(m->solos[row->own].util, m->solos[row->other].util);
        if (is_measured(row) && row->joint_util < busier - tolerance)
            row->dropped |= HS_DROPPED(NO_OVERLAP);
    }
    return HS_OK;
}

static void rebase_row(const struct hs_measurements *m, struct hs_pair *row, const struct tally *t)
{
    if (is_idle(&m->solos[row->other]))
        row->dropped |= HS_DROPPED(BASELINE);
    else if (t->idle_rows == 0)
        row->dropped |= HS_DROPPED(NO_BASELINE);
    else
        row->rebased = row->speed / (t->idle_sum / t->idle_rows);
}

/* Trap 3. On a GPU type without idle jobs there is nothing better than the published baseline. */
static enum hs_status rebase(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    bool has_idle[sizeof m->gpus / sizeof m->gpus[0]] = {false};
    struct tally *tallies = tally_rows(m);
    if (tallies == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < m->solo_count; i++)
        if (tallies[i].idle_rows > 0)
            has_idle[m->solos[i].gpu] = true;
    for (uint32_t i = 0; i < m->pair_count; i++)
        if (is_measured(&m->pairs[i]) && has_idle[m->pairs[i].gpu])
            rebase_row(m, &m->pairs[i], &tallies[m->pairs[i].own]);
    hs_free(tallies);
    return HS_OK;
}

/* ---- order of rows ---- */

struct ranked {
    uint32_t own, other, row;
    double speed;
};

static int by_pair(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    if (x->other != y->other)
        return x->other < y->other ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int by_job_speed(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    if (x->speed != y->speed)
        return x->speed < y->speed ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The measured rows in order, *count of them; NULL when out of memory. */
static struct ranked *rank_rows(const struct hs_measurements *m, uint32_t *count,
                                int (*order)(const void *, const void *))
{
    struct ranked *ranked = hs_alloc_zeroed((uint64_t)m->pair_count + 1, sizeof *ranked);
    *count = 0;
    if (ranked == NULL)
        return NULL;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        if (is_measured(row))
            ranked[(*count)++] = (struct ranked){row->own, row->other, i, row->speed};
    }
    qsort(ranked, *count, sizeof *ranked, order);
    return ranked;
}

/* ---- campaigns ---- */

/* The baseline of a one-GPU job is told twice, on one node and, since it cannot be spread, once
 * more: both are one figure, unless they come from different campaigns. */
static void suspect_twins(const struct hs_measurements *m, bool *suspect)
{
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *spread = &m->solos[i];
        if (!spread->is_spread || spread->gpus != 1)
            continue;
        for (uint32_t j = 0; j < m->solo_count; j++) {
            const struct hs_solo *solo = &m->solos[j];
            if (!solo->is_spread && solo->gpus == 1 && solo->gpu == spread->gpu &&
                strcmp(solo->key, spread->key) == 0 && solo->speed != spread->speed)
                suspect[j] = true;
        }
    }
}

static enum hs_status suspect_medians(const struct hs_measurements *m, bool *suspect)
{
    uint32_t count;
    struct ranked *ranked = rank_rows(m, &count, by_job_speed);
    if (ranked == NULL)
        return HS_E_MEMORY;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && ranked[end].own == ranked[begin].own;)
            end++;
        double low = ranked[begin + (end - begin - 1) / 2].speed;
        double high = ranked[begin + (end - begin) / 2].speed;
        if (end - begin >= JUDGED_ROWS && (high < PLAUSIBLE_MIN || low > PLAUSIBLE_MAX))
            suspect[ranked[begin].own] = true;
    }
    hs_free(ranked);
    return HS_OK;
}

/* Where half of the jobs of a GPU type are suspect, all are: a file whose baselines were exchanged
 * may keep some that were not measured anew. */
static void suspect_types(const struct hs_measurements *m, const struct tally *tallies,
                          bool *suspect)
{
    for (uint32_t gpu = 0; gpu < m->gpu_count; gpu++) {
        uint32_t jobs = 0, suspects = 0;
        for (uint32_t i = 0; i < m->solo_count; i++) {
            bool is_judged = m->solos[i].gpu == gpu && tallies[i].rows > 0;
            jobs += is_judged;
            suspects += is_judged && suspect[i];
        }
        for (uint32_t i = 0; i < m->solo_count; i++)
            if (m->solos[i].gpu == gpu && suspects > 0 && 2 * suspects >= jobs)
                suspect[i] = true;
    }
}

static enum hs_status find_suspects(const struct hs_measurements *m, bool *suspect)
{
    HS_TRY(suspect_medians(m, suspect));
    suspect_twins(m, suspect);
    struct tally *tallies = tally_rows(m);
    if (tallies == NULL)
        return HS_E_MEMORY;
    suspect_types(m, tallies, suspect);
    hs_free(tallies);
    return HS_OK;
}

/* Trap 5: what an exchange of the baselines leaves to see. */
static enum hs_status campaign(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    bool *suspect = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *suspect);
    if (suspect == NULL)
        return HS_E_MEMORY;
    enum hs_status status = find_suspects(m, suspect);
    for (uint32_t i = 0; status == HS_OK && i < m->pair_count; i++)
        if (is_measured(&m->pairs[i]) && suspect[m->pairs[i].own])
            m->pairs[i].dropped |= HS_DROPPED(MIXED_CAMPAIGN);
    hs_free(suspect);
    return status;
}

/* ---- numbers that are too equal ---- */

/* More digits than anybody rounds to: two such numbers are not equal by chance. */
static bool is_unrounded(double value)
{
    return isfinite(value) && value > 0 && hs_score_round(value) != value;
}

/* Traps 6 and 7: no speed of the job is above 1, and some are 1 to the last digit: its speed alone
 * was raised to that of its best pair. */
static enum hs_status clipped(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    struct tally *tallies = tally_rows(m);
    if (tallies == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        struct hs_pair *row = &m->pairs[i];
        if (is_measured(row) && row->speed == 1 && tallies[row->own].highest == 1 &&
            is_unrounded(m->solos[row->own].speed))
            row->dropped |= HS_DROPPED(CLIPPED);
    }
    hs_free(tallies);
    return HS_OK;
}

struct baseline {
    const struct hs_solo *solo;
    uint32_t index;
};

static int by_key_speed(const void *a, const void *b)
{
    const struct baseline *x = a, *y = b;
    int order = strcmp(x->solo->key, y->solo->key);
    if (order != 0)
        return order;
    if (x->solo->speed != y->solo->speed)
        return x->solo->speed < y->solo->speed ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool is_copy(const struct hs_solo *a, const struct hs_solo *b)
{
    return a->speed == b->speed && a->gpu != b->gpu && a->gpus == b->gpus &&
           a->is_spread == b->is_spread && strcmp(a->key, b->key) == 0;
}

/* Trap 7. Which of the two is the original cannot be told: both are marked, as speeds of their GPU
 * type; their pairs stay. */
static enum hs_status copied(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    uint32_t count = 0;
    struct baseline *bases = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *bases);
    if (bases == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < m->solo_count; i++)
        if (is_unrounded(m->solos[i].speed))
            bases[count++] = (struct baseline){&m->solos[i], i};
    qsort(bases, count, sizeof *bases, by_key_speed);
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_solo *a = bases[i].solo;
        for (uint32_t j = i + 1; j < count && bases[j].solo->speed == a->speed &&
                                 strcmp(bases[j].solo->key, a->key) == 0;
             j++) {
            if (is_copy(a, bases[j].solo)) {
                m->solos[bases[i].index].dropped |= HS_DROPPED(COPIED);
                m->solos[bases[j].index].dropped |= HS_DROPPED(COPIED);
            }
        }
    }
    hs_free(bases);
    return HS_OK;
}

/* The end of the rows of one direction of one pair of jobs, and how far its runs are apart. The two
 * rows of a job beside itself are one run: their mean. */
static uint32_t runs_spread(const struct hs_measurements *m, const struct ranked *ranked,
                            uint32_t begin, uint32_t count, double *spread)
{
    double low = INFINITY, high = 0;
    uint32_t end = begin;
    while (end < count && ranked[end].own == ranked[begin].own &&
           ranked[end].other == ranked[begin].other) {
        uint32_t pair = m->pairs[ranked[end].row].pair, rows = 0;
        double sum = 0;
        for (; end < count && m->pairs[ranked[end].row].pair == pair &&
               ranked[end].own == ranked[begin].own;
             end++, rows++)
            sum += ranked[end].speed;
        low = fmin(low, sum / rows);
        high = fmax(high, sum / rows);
    }
    *spread = high - low;
    return end;
}

/* Nothing tells which of the runs is right: all of them. */
static enum hs_status contradicted(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    uint32_t count;
    struct ranked *ranked = rank_rows(m, &count, by_pair);
    if (ranked == NULL)
        return HS_E_MEMORY;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        double spread;
        end = runs_spread(m, ranked, begin, count, &spread);
        for (uint32_t i = begin; i < end && spread > CONTRADICTION; i++)
            m->pairs[ranked[i].row].dropped |= HS_DROPPED(CONTRADICTED);
    }
    hs_free(ranked);
    return HS_OK;
}

/* ---- models that met nobody ---- */

struct meeting {
    struct hs_intern names; /* of a model on a GPU type */
    uint32_t *of_solo;
    bool *met; /* by name: another model */
    bool is_mixed[sizeof((struct hs_measurements *)0)->gpus / sizeof(const char *)]; /* GPU type */
};

static enum hs_status name_models(struct meeting *w, const struct hs_measurements *m)
{
    char name[512];
    w->of_solo = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *w->of_solo);
    w->met = hs_alloc_zeroed((uint64_t)m->solo_count + 2, sizeof *w->met);
    if (w->of_solo == NULL || w->met == NULL)
        return HS_E_MEMORY;
    HS_TRY(hs_intern_init(&w->names));
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *solo = &m->solos[i];
        (void)snprintf(name, sizeof name, "%u %.400s", solo->gpu, solo->model);
        HS_TRY(hs_intern_get(&w->names, name, &w->of_solo[i]));
    }
    return HS_OK;
}

static enum hs_status mark_lone(struct meeting *w, struct hs_measurements *m)
{
    HS_TRY(name_models(w, m));
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        uint32_t own = w->of_solo[row->own], other = w->of_solo[row->other];
        if (row->dropped != 0 || own == other)
            continue;
        w->met[own] = w->met[other] = true;
        w->is_mixed[row->gpu] = true;
    }
    for (uint32_t i = 0; i < m->pair_count; i++) {
        struct hs_pair *row = &m->pairs[i];
        if (row->dropped == 0 && !w->met[w->of_solo[row->own]] && w->is_mixed[row->gpu])
            row->dropped |= HS_DROPPED(LONE);
    }
    return HS_OK;
}

/* Nothing about other models can be learned from them, nor they be held out. Where no model met
 * another on a GPU type, that is the campaign's subject. */
static enum hs_status lone(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    struct meeting work = {.of_solo = NULL};
    enum hs_status status = mark_lone(&work, m);
    hs_intern_free(&work.names);
    hs_free(work.of_solo);
    hs_free(work.met);
    return status;
}

hs_clean_rule *const hs_clean_rules[HS_CLEAN_COUNT] = {
    [HS_CLEAN_BIT_WRITTEN_IN] = written_in,
    [HS_CLEAN_BIT_OVERLAP] = overlap,
    [HS_CLEAN_BIT_REBASE] = rebase,
    [HS_CLEAN_BIT_CAMPAIGN] = campaign,
    [HS_CLEAN_BIT_CLIPPED] = clipped,
    [HS_CLEAN_BIT_COPIED] = copied,
    [HS_CLEAN_BIT_CONTRADICTED] = contradicted,
    [HS_CLEAN_BIT_LONE] = lone,
};
