/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cleaning rules about the speeds alone that all others are measured by (calibration.md 2, traps 1,
 * 3, 5, 6, 7): none by the name of a data set; what they look for can be found in anybody's
 * measurements. Speeds are compared exactly where the fault is an exact number: one that was
 * written in, copied, or divided by itself. O(rows log rows) at most.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/clean_rules.h"
#include "calibrate/score.h"

/* A median speed no whole campaign shows: in Lucid, and in Gavel's oracle and simulation files, the
 * medians of jobs lie in 0.32..1.2; baselines of another campaign gave 0.04 (calibration.md 2,
 * traps 5 and 8). */
#define PLAUSIBLE_MIN 0.2
#define PLAUSIBLE_MAX 1.5

/* Trap 1. */
enum hs_status hs_clean_written_in(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    struct hs_clean_tally *tallies = hs_clean_tally(m);
    if (tallies == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_clean_tally *t = &tallies[m->pairs[i].own];
        if (hs_clean_is_measured(&m->pairs[i]) && t->rows >= HS_CLEAN_JUDGED_ROWS &&
            t->ones == t->rows)
            m->pairs[i].dropped |= HS_DROPPED(WRITTEN_IN);
    }
    hs_free(tallies);
    return HS_OK;
}

static void rebase_row(const struct hs_measurements *m, struct hs_pair *row,
                       const struct hs_clean_tally *t)
{
    if (hs_clean_is_idle(&m->solos[row->other]))
        row->dropped |= HS_DROPPED(BASELINE);
    else if (t->idle_rows == 0)
        row->dropped |= HS_DROPPED(NO_BASELINE);
    else
        row->rebased = row->speed / (t->idle_sum / t->idle_rows);
}

/* Trap 3. On a GPU type without idle jobs there is nothing better than the published baseline. */
enum hs_status hs_clean_rebase(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    bool has_idle[sizeof m->gpus / sizeof m->gpus[0]] = {false};
    struct hs_clean_tally *tallies = hs_clean_tally(m);
    if (tallies == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < m->solo_count; i++)
        if (tallies[i].idle_rows > 0)
            has_idle[m->solos[i].gpu] = true;
    for (uint32_t i = 0; i < m->pair_count; i++)
        if (hs_clean_is_measured(&m->pairs[i]) && has_idle[m->pairs[i].gpu])
            rebase_row(m, &m->pairs[i], &tallies[m->pairs[i].own]);
    hs_free(tallies);
    return HS_OK;
}

/* ---- campaigns ---- */

static int by_job_speed(const void *a, const void *b)
{
    const struct hs_clean_ranked *x = a, *y = b;
    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    if (x->speed != y->speed)
        return x->speed < y->speed ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

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
                fabs(solo->speed - spread->speed) > 0 && strcmp(solo->key, spread->key) == 0)
                suspect[j] = true;
        }
    }
}

static enum hs_status suspect_medians(const struct hs_measurements *m, bool *suspect)
{
    uint32_t count;
    struct hs_clean_ranked *ranked = hs_clean_rank(m, &count, by_job_speed);
    if (ranked == NULL)
        return HS_E_MEMORY;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && ranked[end].own == ranked[begin].own;)
            end++;
        double low = ranked[begin + (end - begin - 1) / 2].speed;
        double high = ranked[begin + (end - begin) / 2].speed;
        if (end - begin >= HS_CLEAN_JUDGED_ROWS && (high < PLAUSIBLE_MIN || low > PLAUSIBLE_MAX))
            suspect[ranked[begin].own] = true;
    }
    hs_free(ranked);
    return HS_OK;
}

/* Where half of the jobs of a GPU type are suspect, all are: a file whose baselines were exchanged
 * may keep some that were not measured anew. */
static void suspect_types(const struct hs_measurements *m, const struct hs_clean_tally *tallies,
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
    struct hs_clean_tally *tallies = hs_clean_tally(m);
    if (tallies == NULL)
        return HS_E_MEMORY;
    suspect_types(m, tallies, suspect);
    hs_free(tallies);
    return HS_OK;
}

/* Trap 5: what an exchange of the baselines leaves to see. */
enum hs_status hs_clean_campaign(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    bool *suspect = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *suspect);
    if (suspect == NULL)
        return HS_E_MEMORY;
    enum hs_status status = find_suspects(m, suspect);
    for (uint32_t i = 0; status == HS_OK && i < m->pair_count; i++)
        if (hs_clean_is_measured(&m->pairs[i]) && suspect[m->pairs[i].own])
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
enum hs_status hs_clean_clipped(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    struct hs_clean_tally *tallies = hs_clean_tally(m);
    if (tallies == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        struct hs_pair *row = &m->pairs[i];
        if (hs_clean_is_measured(row) && row->speed == 1 && tallies[row->own].highest == 1 &&
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

/* They are of two GPU types, then: all else would make them one. */
static bool is_copy(const struct hs_solo *a, const struct hs_solo *b)
{
    return a->speed == b->speed && a->gpus == b->gpus && a->is_spread == b->is_spread &&
           strcmp(a->key, b->key) == 0;
}

/* Trap 7. Which of the two is the original cannot be told: both are marked, as speeds of their GPU
 * type; their pairs stay. */
enum hs_status hs_clean_copied(struct hs_measurements *m, double tolerance)
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
