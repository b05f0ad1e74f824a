/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store that readers of measurements fill, and the cleaning rules. A job is found again by a
 * hash of what makes it one job: O(1) a row. Jobs are numbered as they first appear, so that
 * nothing depends on the order of the hash. No rule goes by the name of a data set: what it looks
 * for can be found in any measurements. Speeds are compared exactly where the fault is an exact
 * number: one that was written in, copied, or divided by itself.
 */
#include "calibrate/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fmt.h"

#define KEY_MAX (4 * (HS_MEASURE_NAME_MAX + 1))

const char *const hs_dropped_texts[HS_DROPPED_COUNT] = {
#define DROPPED_TEXT(name, text) [HS_DROPPED_BIT_##name] = text,
    HS_DROPPED_LIST(DROPPED_TEXT)
#undef DROPPED_TEXT
};

/* ---- the store ---- */

const struct hs_solo hs_solo_unmeasured = {
    .gpus = 1, .speed = NAN, .util = NAN, .bw_util = NAN, .mem_mib = NAN};

static const char *copy_of(struct hs_measurements *m, const char *text)
{
    return hs_arena_text(&m->arena, text, strlen(text));
}

void hs_measure_file_add(struct hs_measurements *m, const char *path, uint64_t hash, uint64_t bytes,
                         uint64_t rows)
{
    const char *slash = strrchr(path, '/');
    assert(m->file_count < HS_MEASURE_FILES_MAX);
    m->files[m->file_count++] =
        (struct hs_measure_file){copy_of(m, slash != NULL ? slash + 1 : path), hash, bytes, rows};
}

enum hs_status hs_measure_gpu(struct hs_measurements *m, const char *name, const char *mode,
                              uint32_t *index)
{
    for (*index = 0; *index < m->gpu_count; ++*index)
        if (strcmp(m->gpus[*index], name) == 0 && strcmp(m->modes[*index], mode) == 0)
            return HS_OK;
    if (m->gpu_count == HS_MEASURE_GPUS_MAX)
        return HS_E_LIMIT;
    m->modes[m->gpu_count] = copy_of(m, mode);
    m->gpus[m->gpu_count++] = copy_of(m, name);
    return HS_OK;
}

uint32_t hs_measure_solo(struct hs_measurements *m, const struct hs_solo *solo)
{
    char key[KEY_MAX], name[KEY_MAX + 64];
    (void)snprintf(key, sizeof key, "%s/%s/%s/%s", solo->model, solo->dataset, solo->batch,
                   solo->precision);
    (void)snprintf(name, sizeof name, "%s %" PRIu32 " %" PRIu32 " %d", key, solo->gpu, solo->gpus,
                   solo->is_spread);
    if (m->solo_names.table_size == 0)
        hs_intern_init(&m->solo_names);
    uint32_t index = hs_intern_get(&m->solo_names, name) - 1; /* id 0 is the empty text */
    if (index < m->solo_count)
        return index;
    struct hs_solo *copy = hs_push(m->solos, m->solo_count, m->solo_cap, HS_MEASURE_MAX);
    *copy = *solo;
    copy->key = copy_of(m, key);
    copy->model = copy_of(m, solo->model);
    copy->dataset = copy_of(m, solo->dataset);
    copy->batch = copy_of(m, solo->batch);
    copy->precision = copy_of(m, solo->precision);
    copy->family = solo->family != NULL ? copy_of(m, solo->family) : copy->model;
    return index;
}

void hs_measure_pair(struct hs_measurements *m, const struct hs_pair *pair)
{
    assert(pair->own < m->solo_count && pair->other < m->solo_count);
    struct hs_pair *row = hs_push(m->pairs, m->pair_count, m->pair_cap, HS_MEASURE_MAX);
    *row = *pair;
    row->rebased = row->speed;
    if (pair->pair >= m->pair_ids)
        m->pair_ids = pair->pair + 1;
}

void hs_measure_both(struct hs_measurements *m, const struct hs_pair *first, double speed_of_other,
                     uint32_t dropped_of_other)
{
    struct hs_pair row = *first;
    row.pair = m->pair_ids;
    hs_measure_pair(m, &row);
    row.own = first->other;
    row.other = first->own;
    row.speed = speed_of_other;
    row.dropped = dropped_of_other;
    hs_measure_pair(m, &row);
}

void hs_measure_free(struct hs_measurements *m)
{
    hs_arena_free(&m->arena);
    hs_intern_free(&m->solo_names);
    hs_free(m->solos);
    hs_free(m->pairs);
    hs_free(m->tenancies);
    *m = (struct hs_measurements){0};
}

/* ---- cleaning ---- */

/* Marks of rows without a usable speed: no cleaning step removes them. */
#define UNUSABLE                                                                                   \
    (HS_DROPPED(FAILED) | HS_DROPPED(NOT_MEASURED) | HS_DROPPED(NO_SOLO) | HS_DROPPED(NEGATIVE) |  \
     HS_DROPPED(IMPLAUSIBLE) | HS_DROPPED(REPEATED) | HS_DROPPED(OTHER_SYSTEM))
/* Marks set by the reader: later steps do not know the reason. */
#define OF_READER (HS_DROPPED(NO_SOLO) | HS_DROPPED(OTHER_SYSTEM))

/* Of a speed beside another to that alone. The largest slowdown ever measured is 11 (Gavel's
 * simulation file); model files hold none above this. */
#define FACTOR_MAX 1000.0
/* A job with fewer rows is not judged by its speeds. */
#define JUDGED_ROWS 3u
/* An idle job leaves the GPU to the other: busy up to 15 % of the time with a memory traffic that
 * nvidia-smi shows as 0, as Lucid's PPO and TD3. Where memory traffic was not measured, up to 5 %:
 * by the fitted form S = 1 + 0.677 u^1.016 v^1.763 such a co-runner costs at most 0.4 %. */
#define IDLE_UTIL       0.15
#define IDLE_UTIL_NO_BW 0.05
/* The medians of jobs lie in 0.32..1.2 in Lucid and in Gavel's oracle and simulation files;
 * baselines of another campaign gave 0.04. */
#define PLAUSIBLE_MIN 0.2
#define PLAUSIBLE_MAX 1.5
/* Two runs of a pair differ by sqrt 2 x 0.047 (Lucid's deviation); three times that is no noise. */
#define CONTRADICTION 0.2
/* Sum of utilizations alone. Lucid's mean of sum(u x speed) in pairs of two models is .70 below 1,
 * 1.02 up to 1.25, where pairs of one model have 1.00, and 1.25 from 1.6 on, where those have 1.07:
 * more time than a GPU has. */
#define WINDOW_DEMAND 1.1

static bool is_measured(const struct hs_pair *row)
{
    return (row->dropped & UNUSABLE) == 0;
}

static bool is_idle(const struct hs_solo *solo)
{
    if (isnan(solo->bw_util))
        return solo->util <= IDLE_UTIL_NO_BW;
    return solo->bw_util == 0 && solo->util <= IDLE_UTIL;
}

struct job_tally { /* of the measured rows of one job */
    uint32_t rows, ones;
    double highest;
    double idle_sum; /* beside idle jobs */
    uint32_t idle_rows;
};

/* What the rules share. No rule changes which rows are measured. */
struct cleaning {
    struct hs_measurements *m;
    struct job_tally *tallies;          /* by solo */
    bool has_idle[HS_MEASURE_GPUS_MAX]; /* a job ran beside an idle one */
    double tolerance;
};

/* ---- rules about one measured row ---- */

/* More digits than a rounded figure has: two such numbers are not equal by chance. */
static bool is_unrounded(double value)
{
    return isfinite(value) && value > 0 && hs_fmt_round6(value) != value;
}

/* Whether a rule marks a row. A comparison with a NaN is false: what was not measured is not
 * judged. */
static bool is_marked(const struct cleaning *c, const struct hs_pair *row, enum hs_clean_bit rule)
{
    const struct hs_solo *own = &c->m->solos[row->own], *other = &c->m->solos[row->other];
    const struct job_tally *t = &c->tallies[row->own];
    const enum hs_windows windows = c->m->windows;
    switch (rule) {
    case HS_CLEAN_BIT_WRITTEN_IN: /* Lucid's PPO and TD3: speeds that were not measured */
        return t->rows >= JUDGED_ROWS && t->ones == t->rows;
    case HS_CLEAN_BIT_OVERLAP: /* Lucid's MobileNetV3: one was done while the other still loaded */
        return windows != HS_WINDOWS_COMMON &&
               row->joint_util < fmax(own->util, other->util) - c->tolerance;
    case HS_CLEAN_BIT_WINDOW:
        /* Lucid ran pairs to the end of both: of two models the longer one was measured alone for a
         * while, which joint utilization cannot show on a GPU that one job fills. Below
         * WINDOW_DEMAND the jobs hardly slow each other, and it does no harm; a model beside itself
         * ends when the other does. */
        return windows == HS_WINDOWS_PARTLY_ALONE && strcmp(own->model, other->model) != 0 &&
               own->util + other->util > WINDOW_DEMAND;
    case HS_CLEAN_BIT_CLIPPED:
        /* Gavel: no speed of the job is above 1, and some are 1 to the last digit: its speed alone
         * was raised to that of its best pair. */
        return row->speed == 1 && t->highest == 1 && is_unrounded(own->speed);
    default:
        return false;
    }
}

/* Baselines that are biased for jobs that wait for the host, as Lucid's. On a GPU type without idle
 * jobs there is nothing better than the published baseline. */
static void rebase(const struct cleaning *c)
{
    for (uint32_t i = 0; i < c->m->pair_count; i++) {
        struct hs_pair *row = &c->m->pairs[i];
        const struct job_tally *t = &c->tallies[row->own];
        if (!is_measured(row) || !c->has_idle[row->gpu])
            continue;
        if (is_idle(&c->m->solos[row->other]))
            row->dropped |= HS_DROPPED(BASELINE);
        else if (t->idle_rows == 0)
            row->dropped |= HS_DROPPED(NO_BASELINE);
        else
            row->rebased = row->speed / (t->idle_sum / t->idle_rows);
    }
}

/* ---- rules about all rows ---- */

struct ranked_row {
    uint32_t own, other, row;
    double speed, key; /* key: the speed, or the other job */
};

static int by_job_key(const void *a, const void *b)
{
    const struct ranked_row *x = a, *y = b;
    return 4 * HS_ORDER(x->own, y->own) + 2 * HS_ORDER(x->key, y->key) + HS_ORDER(x->row, y->row);
}

/* The measured rows by job, then by speed or by the other job; *count of them, to be freed. */
static struct ranked_row *rank_rows(const struct hs_measurements *m, bool by_speed, uint32_t *count)
{
    struct ranked_row *ranked = hs_alloc_zeroed((uint64_t)m->pair_count + 1, sizeof *ranked);
    *count = 0;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        if (is_measured(row))
            ranked[(*count)++] = (struct ranked_row){row->own, row->other, i, row->speed,
                                                     by_speed ? row->speed : row->other};
    }
    qsort(ranked, *count, sizeof *ranked, by_job_key);
    return ranked;
}

/* The baseline of a one-GPU job is in the file twice, on one node and, since it cannot be spread,
 * once more: both are one figure, unless they come from different campaigns. */
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

/* Gavel's physical file: what an exchange of the baselines leaves to see. Where half of the jobs of
 * a GPU type are suspect, all are: some baselines may not have been exchanged. */
static void campaign(const struct cleaning *c)
{
    struct hs_measurements *m = c->m;
    bool *suspect = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *suspect);
    uint32_t jobs[HS_MEASURE_GPUS_MAX] = {0}, suspects[HS_MEASURE_GPUS_MAX] = {0}, count;
    suspect_twins(m, suspect);
    struct ranked_row *ranked = rank_rows(m, true, &count);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && ranked[end].own == ranked[begin].own;)
            end++;
        double low = ranked[begin + (end - begin - 1) / 2].speed;
        double high = ranked[begin + (end - begin) / 2].speed;
        if (end - begin >= JUDGED_ROWS && (high < PLAUSIBLE_MIN || low > PLAUSIBLE_MAX))
            suspect[ranked[begin].own] = true;
    }
    hs_free(ranked);
    for (uint32_t i = 0; i < m->solo_count; i++) {
        jobs[m->solos[i].gpu] += c->tallies[i].rows > 0;
        suspects[m->solos[i].gpu] += c->tallies[i].rows > 0 && suspect[i];
    }
    for (uint32_t i = 0; i < m->pair_count; i++) {
        struct hs_pair *row = &m->pairs[i];
        uint32_t gpu = m->solos[row->own].gpu;
        if (is_measured(row) &&
            (suspect[row->own] || (suspects[gpu] > 0 && 2 * suspects[gpu] >= jobs[gpu])))
            row->dropped |= HS_DROPPED(MIXED_CAMPAIGN);
    }
    hs_free(suspect);
}

/* Gavel's oracle file. Which of the two is the original cannot be seen: both are marked, as speeds
 * of their GPU type; their pairs stay. Two solos that agree in all else are of two GPU types. */
static void copied(const struct cleaning *c)
{
    struct hs_measurements *m = c->m;
    for (uint32_t i = 0; i < m->solo_count; i++) {
        struct hs_solo *a = &m->solos[i];
        for (uint32_t j = i + 1; is_unrounded(a->speed) && j < m->solo_count; j++) {
            struct hs_solo *b = &m->solos[j];
            if (a->speed == b->speed && a->gpus == b->gpus && a->is_spread == b->is_spread &&
                strcmp(a->key, b->key) == 0) {
                a->dropped |= HS_DROPPED(COPIED);
                b->dropped |= HS_DROPPED(COPIED);
            }
        }
    }
}

/* Nothing says which of the runs of one direction of a pair is right: all are marked. The two rows
 * of a job beside itself are one run: their mean. */
static void contradicted(const struct cleaning *c)
{
    struct hs_measurements *m = c->m;
    uint32_t count;
    struct ranked_row *ranked = rank_rows(m, false, &count);
    for (uint32_t begin = 0, end = 0; begin < count; begin = end) {
        const struct ranked_row *first = &ranked[begin];
        double low = INFINITY, high = 0;
        while (end < count && ranked[end].own == first->own && ranked[end].other == first->other) {
            uint32_t pair = m->pairs[ranked[end].row].pair, rows = 0;
            double sum = 0;
            for (; end < count && m->pairs[ranked[end].row].pair == pair &&
                   ranked[end].own == first->own;
                 end++, rows++)
                sum += ranked[end].speed;
            low = fmin(low, sum / rows);
            high = fmax(high, sum / rows);
        }
        for (uint32_t i = begin; i < end && high - low > CONTRADICTION; i++)
            m->pairs[ranked[i].row].dropped |= HS_DROPPED(CONTRADICTED);
    }
    hs_free(ranked);
}

/* Lucid's NeuMF: nothing about other models can be learned from such a model, nor can it be held
 * out. Where no model met another on a GPU type, that is the campaign's subject. */
static void lone(const struct cleaning *c)
{
    struct hs_measurements *m = c->m;
    uint32_t *model = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *model); /* first solo */
    bool *met = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *met);
    bool is_mixed[HS_MEASURE_GPUS_MAX] = {false};
    for (uint32_t i = 0; i < m->solo_count; i++)
        while (m->solos[model[i]].gpu != m->solos[i].gpu ||
               strcmp(m->solos[model[i]].model, m->solos[i].model) != 0)
            model[i]++;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        uint32_t own = model[row->own], other = model[row->other];
        if (row->dropped != 0 || own == other)
            continue;
        met[own] = met[other] = true;
        is_mixed[row->gpu] = true;
    }
    for (uint32_t i = 0; i < m->pair_count; i++) {
        struct hs_pair *row = &m->pairs[i];
        if (row->dropped == 0 && !met[model[row->own]] && is_mixed[row->gpu])
            row->dropped |= HS_DROPPED(LONE);
    }
    hs_free(model);
    hs_free(met);
}

/* ---- all rules ---- */

/* Why a row has no usable speed. A pair in which one job stood still did not run together: the
 * other's speed is that of a job alone. */
static uint32_t unusable(const struct hs_pair *row, const struct hs_solo *own, bool has_failed)
{
    const uint32_t marks = row->dropped & OF_READER;
    if (has_failed)
        return marks | (own->gpus > 1 ? HS_DROPPED(NOT_MEASURED) : HS_DROPPED(FAILED));
    if (marks == 0 &&
        (!isfinite(row->speed) || row->speed < 0 || (own->dropped & HS_DROPPED(NEGATIVE)) != 0))
        return HS_DROPPED(NEGATIVE);
    if (marks == 0 && (row->speed > FACTOR_MAX || row->speed * FACTOR_MAX < 1))
        return HS_DROPPED(IMPLAUSIBLE);
    return marks;
}

static void mark_unusable(struct hs_measurements *m)
{
    bool *failed = hs_alloc_zeroed((uint64_t)m->pair_ids + 1, sizeof *failed);
    for (uint32_t i = 0; i < m->solo_count; i++) {
        double speed = m->solos[i].speed;
        m->solos[i].dropped = isnan(speed)                       ? HS_DROPPED(NO_SOLO)
                              : !isfinite(speed) || !(speed > 0) ? HS_DROPPED(NEGATIVE)
                                                                 : 0;
    }
    for (uint32_t i = 0; i < m->pair_count; i++)
        failed[m->pairs[i].pair] = failed[m->pairs[i].pair] || m->pairs[i].speed == 0;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        struct hs_pair *row = &m->pairs[i];
        const struct hs_solo *own = &m->solos[row->own];
        row->rebased = row->speed;
        row->dropped = unusable(row, own, failed[row->pair]);
        if (own->is_spread && own->gpus == 1)
            row->dropped |= HS_DROPPED(REPEATED);
    }
    hs_free(failed);
}

void hs_clean_count(uint32_t marks, uint32_t dropped[HS_DROPPED_COUNT])
{
    for (uint32_t why = 0; why < HS_DROPPED_COUNT; why++)
        if ((marks >> why & 1) != 0) {
            dropped[why]++;
            return;
        }
}

void hs_clean(struct hs_measurements *m, uint32_t steps, double tolerance,
              struct hs_clean_counts *counts)
{
    static const uint32_t marks[HS_CLEAN_COUNT] = {
        [HS_CLEAN_BIT_WRITTEN_IN] = HS_DROPPED(WRITTEN_IN),
        [HS_CLEAN_BIT_OVERLAP] = HS_DROPPED(NO_OVERLAP),
        [HS_CLEAN_BIT_WINDOW] = HS_DROPPED(WINDOW),
        [HS_CLEAN_BIT_CLIPPED] = HS_DROPPED(CLIPPED),
    };
    static void (*const of_all[HS_CLEAN_COUNT])(const struct cleaning *c) = {
        [HS_CLEAN_BIT_REBASE] = rebase, [HS_CLEAN_BIT_CAMPAIGN] = campaign,
        [HS_CLEAN_BIT_COPIED] = copied, [HS_CLEAN_BIT_CONTRADICTED] = contradicted,
        [HS_CLEAN_BIT_LONE] = lone,
    };
    struct cleaning c = {.m = m, .tolerance = tolerance};
    c.tallies = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *c.tallies);
    mark_unusable(m);
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        struct job_tally *t = &c.tallies[row->own];
        if (!is_measured(row))
            continue;
        t->rows++;
        t->ones += row->speed == 1;
        t->highest = fmax(t->highest, row->speed);
        if (is_idle(&m->solos[row->other])) {
            t->idle_sum += row->speed;
            t->idle_rows++;
            c.has_idle[m->solos[row->own].gpu] = true;
        }
    }
    for (uint32_t bit = 0; bit < HS_CLEAN_COUNT; bit++) {
        if ((steps >> bit & 1) == 0)
            continue;
        if (of_all[bit] != NULL)
            of_all[bit](&c);
        for (uint32_t i = 0; i < m->pair_count; i++)
            if (is_measured(&m->pairs[i]) && is_marked(&c, &m->pairs[i], (enum hs_clean_bit)bit))
                m->pairs[i].dropped |= marks[bit];
    }
    hs_free(c.tallies);
    *counts = (struct hs_clean_counts){.read = m->pair_count};
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        hs_clean_count(row->dropped, counts->dropped);
        counts->kept += row->dropped == 0;
        counts->rebased += row->dropped == 0 && row->rebased != row->speed;
    }
}

/* ---- names of steps ---- */

static const struct {
    const char *name;
    uint32_t steps;
} words[] = {
#define WORD(name, word) {word, HS_CLEAN(name)},
    HS_CLEAN_LIST(WORD)
#undef WORD
        {"all", HS_CLEAN_ALL},
    {"default", HS_CLEAN_DEFAULT},
    {"none", 0},
};
#define WORD_COUNT HS_COUNT_OF(words)

const char *hs_clean_step_at(size_t index)
{
    return index < WORD_COUNT ? words[index].name : NULL;
}

enum hs_status hs_clean_parse(const char *text, uint32_t *steps, struct hs_diag *diag)
{
    const char *names[WORD_COUNT];
    char list[256] = "steps:", hint[HS_HINT_SIZE];
    uint32_t sum = 0;
    for (size_t i = 0; i < WORD_COUNT; i++) {
        names[i] = words[i].name;
        hs_append(list, sizeof list, " %s", names[i]);
    }
    for (const char *at = text;; at++) {
        char word[64];
        size_t len = strcspn(at, ","), i = 0;
        (void)snprintf(word, sizeof word, "%.*s", len < sizeof word ? (int)len : 63, at);
        while (i < WORD_COUNT && strcmp(names[i], word) != 0)
            i++;
        if (i == WORD_COUNT)
            return hs_fail(diag, HS_E_USAGE, NULL,
                           hs_did_you_mean(hint, word, names, WORD_COUNT, list),
                           "no cleaning step is called '%s'", word);
        sum |= words[i].steps;
        at += len;
        if (*at == '\0')
            break;
    }
    *steps = sum;
    return HS_OK;
}
