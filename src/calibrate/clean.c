/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cleaning as a list of steps: takes back the marks of an earlier cleaning, marks what has no speed
 * at all, applies the rules (clean_baseline.c, clean_runs.c), counts each row once, under its first
 * reason. O(rows log rows).
 */
#include "calibrate/clean.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calibrate/clean_rules.h"

/* Set by the reader, who alone knows why a row has no speed. */
#define OF_READER HS_DROPPED(NO_SOLO)

/* Of a speed beside another to that alone. The largest slowdown that anybody measured is 11
 * (calibration.md 6); model files hold none above this. */
#define FACTOR_MAX 1000.0

/* In the order in which they are applied. */
static hs_clean_rule *const rules[HS_CLEAN_COUNT] = {
    [HS_CLEAN_BIT_WRITTEN_IN] = hs_clean_written_in,
    [HS_CLEAN_BIT_OVERLAP] = hs_clean_overlap,
    [HS_CLEAN_BIT_REBASE] = hs_clean_rebase,
    [HS_CLEAN_BIT_CAMPAIGN] = hs_clean_campaign,
    [HS_CLEAN_BIT_CLIPPED] = hs_clean_clipped,
    [HS_CLEAN_BIT_COPIED] = hs_clean_copied,
    [HS_CLEAN_BIT_CONTRADICTED] = hs_clean_contradicted,
    [HS_CLEAN_BIT_LONE] = hs_clean_lone,
};

static void solos_mark(struct hs_measurements *m)
{
    for (uint32_t i = 0; i < m->solo_count; i++) {
        struct hs_solo *solo = &m->solos[i];
        solo->dropped = 0;
        if (isnan(solo->speed))
            solo->dropped |= HS_DROPPED(NO_SOLO);
        else if (!isfinite(solo->speed) || solo->speed <= 0)
            solo->dropped |= HS_DROPPED(NEGATIVE);
    }
}

/* failed: by pair id. A pair in which one job stood still did not run together: the other's speed
 * is that of a job alone. */
static void row_mark(const struct hs_measurements *m, struct hs_pair *row, const bool *failed)
{
    const struct hs_solo *own = &m->solos[row->own];
    row->rebased = row->speed;
    row->dropped &= OF_READER;
    if (failed[row->pair])
        row->dropped |= own->gpus > 1 ? HS_DROPPED(NOT_MEASURED) : HS_DROPPED(FAILED);
    else if (row->dropped == 0 && (!isfinite(row->speed) || row->speed < 0 ||
                                   (own->dropped & HS_DROPPED(NEGATIVE)) != 0))
        row->dropped |= HS_DROPPED(NEGATIVE);
    else if (row->dropped == 0 && (row->speed > FACTOR_MAX || row->speed * FACTOR_MAX < 1))
        row->dropped |= HS_DROPPED(IMPLAUSIBLE);
    if (own->is_spread && own->gpus == 1)
        row->dropped |= HS_DROPPED(REPEATED);
}

static enum hs_status unusable_mark(struct hs_measurements *m)
{
    bool *failed = hs_alloc_zeroed((uint64_t)m->pair_ids + 1, sizeof *failed);
    if (failed == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < m->pair_count; i++)
        if (m->pairs[i].speed == 0)
            failed[m->pairs[i].pair] = true;
    solos_mark(m);
    for (uint32_t i = 0; i < m->pair_count; i++)
        row_mark(m, &m->pairs[i], failed);
    hs_free(failed);
    return HS_OK;
}

static void count_one(uint32_t marks, uint32_t *dropped)
{
    for (uint32_t why = 0; why < HS_DROPPED_COUNT; why++) {
        if ((marks >> why & 1) != 0) {
            dropped[why]++;
            return;
        }
    }
}

static void count_all(const struct hs_measurements *m, struct hs_clean_counts *counts)
{
    *counts = (struct hs_clean_counts){.read = m->pair_count, .solos = m->solo_count};
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        count_one(row->dropped, counts->dropped);
        counts->kept += row->dropped == 0;
        counts->rebased += row->dropped == 0 && row->rebased != row->speed;
    }
    for (uint32_t i = 0; i < m->solo_count; i++)
        count_one(m->solos[i].dropped, counts->solos_dropped);
}

enum hs_status hs_clean_within(struct hs_measurements *m, uint32_t steps, double tolerance,
                               struct hs_clean_counts *counts)
{
    HS_TRY(unusable_mark(m));
    for (uint32_t bit = 0; bit < HS_CLEAN_COUNT; bit++)
        if ((steps >> bit & 1) != 0)
            HS_TRY(rules[bit](m, tolerance));
    count_all(m, counts);
    return HS_OK;
}

enum hs_status hs_clean(struct hs_measurements *m, uint32_t steps, struct hs_clean_counts *counts)
{
    return hs_clean_within(m, steps, HS_OVERLAP_TOLERANCE, counts);
}

/* ---- names ---- */

static const struct {
    const char *name;
    uint32_t steps;
} words[] = {
#define WORD(name, word, text) {word, HS_CLEAN_##name},
    HS_CLEAN_LIST(WORD)
#undef WORD
        {"all", HS_CLEAN_ALL},
    {"default", HS_CLEAN_DEFAULT},
    {"none", 0},
};
#define WORD_COUNT (sizeof words / sizeof words[0])

const char *hs_clean_step_at(size_t index)
{
    return index < WORD_COUNT ? words[index].name : NULL;
}

static enum hs_status word_fail(const char *word, struct hs_diag *diag)
{
    const char *names[WORD_COUNT];
    char hint[256];
    size_t used = 0;
    for (size_t i = 0; i < WORD_COUNT; i++)
        names[i] = words[i].name;
    const char *nearest = hs_nearest(word, names, WORD_COUNT);
    if (nearest != NULL) {
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    } else {
        used = (size_t)snprintf(hint, sizeof hint, "steps:");
        for (size_t i = 0; i < WORD_COUNT && used < sizeof hint; i++)
            used += (size_t)snprintf(hint + used, sizeof hint - used, " %s", names[i]);
    }
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "no cleaning step is called '%s'", word);
}

enum hs_status hs_clean_parse(const char *text, uint32_t *steps, struct hs_diag *diag)
{
    uint32_t sum = 0;
    for (const char *at = text;; at++) {
        char word[64];
        size_t len = strcspn(at, ","), i = 0;
        (void)snprintf(word, sizeof word, "%.*s", len < sizeof word ? (int)len : 63, at);
        while (i < WORD_COUNT && strcmp(words[i].name, word) != 0)
            i++;
        if (i == WORD_COUNT)
            return word_fail(word, diag);
        sum |= words[i].steps;
        at += len;
        if (*at == '\0')
            break;
    }
    *steps = sum;
    return HS_OK;
}
