/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurements of one's own as CSV. Columns go by their names, in any order; a name that is none of
 * these is an error, so that no slip of the pen loses data. An empty field is "not measured".
 *
 *     job_a,job_b,gpu,rate_a,rate_b,util_a,util_joint,mem_a,note
 *     ResNet18/CIFAR-10/64/fp32,,A100,29.5,,81,,2660,alone
 *     ResNet18/CIFAR-10/64/fp32,LSTM/Wikitext2/64/amp,A100,24.1,60.2,,97,,
 *
 * column                      unit        what
 * job_a (required)            -           profile key Model/Dataset/batch/precision; batch a whole
 *                                         number, or empty for a model without one (A3C/Pong//fp32)
 * job_b (required)            -           the co-runner; empty: job_a ran alone
 * gpu (required)              -           GPU type, as in cluster files
 * speed_a, speed_b            1 = alone   speed of a job beside the other, relative to alone; for
 *                                         pairs, not for a job alone
 * rate_a, rate_b              per second  the same absolute, steps or samples, for jobs alone and
 *                                         for pairs; a pair by rates needs the rate of each of its
 *                                         jobs alone, in any row of the file, in the same unit
 * util_a, util_b              per cent    GPU utilization (nvidia-smi) of each job ALONE, 0..100
 * util_joint                  per cent    of the GPU while the pair ran
 * bandwidth_a, bandwidth_b    per cent    memory utilization (nvidia-smi) of each job ALONE
 * bandwidth_joint             per cent    while the pair ran
 * memory_a, memory_b          MiB         peak GPU memory of each job ALONE
 * memory_joint                MiB         of the pair
 * gpus                        -           of job_a, for a job alone on many; empty = 1
 * spread                      yes, no     over several nodes; empty = no
 * note                        -           not read
 *
 * A job alone is told by rows with an empty job_b, or beside each pair it is part of; what is told
 * twice must agree. A pair may give one speed only: that is one row. Both speeds 0: the pair was
 * tried and failed, out of memory for example. The same pair measured again is another row: runs
 * are repeated, and `contradicted` of the cleaning says when they are too far apart.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/timeparse.h"
#include "calibrate/measure_private.h"

#define RATE_MAX     1e12
#define MIB_MAX      1048576.0 /* 1 TiB on one GPU is a unit mistaken */
#define GPUS_MAX     1024
#define SHARE_OF_ONE 0.01 /* what a fraction looks like when it is read as per cent */
#define SHARE_ADDED  0.05 /* what no job of 1 % adds to a pair */
#define SPEED_MAX    5.0  /* nothing near it was ever seen (Lucid: 1.5): that is a rate */

enum column {
    JOB_A,
    JOB_B,
    GPU,
    SPEED_A,
    SPEED_B,
    RATE_A,
    RATE_B,
    UTIL_A,
    UTIL_B,
    UTIL_JOINT,
    BANDWIDTH_A,
    BANDWIDTH_B,
    BANDWIDTH_JOINT,
    MEMORY_A,
    MEMORY_B,
    MEMORY_JOINT,
    GPUS,
    SPREAD,
    NOTE,
    COLUMNS
};

#define SPEED_HINT "1 is the speed alone; steps or samples a second go into rate_a, rate_b"
#define SHARE_HINT "per cent"
#define MIB_HINT   "MiB"

static const struct hs_sheet_column columns[COLUMNS] = {
    [JOB_A] = {"job_a", true, NULL},
    [JOB_B] = {"job_b", true, NULL},
    [GPU] = {"gpu", true, NULL},
    [SPEED_A] = {"speed_a", false, SPEED_HINT},
    [SPEED_B] = {"speed_b", false, SPEED_HINT},
    [RATE_A] = {"rate_a", false, NULL},
    [RATE_B] = {"rate_b", false, NULL},
    [UTIL_A] = {"util_a", false, SHARE_HINT},
    [UTIL_B] = {"util_b", false, SHARE_HINT},
    [UTIL_JOINT] = {"util_joint", false, SHARE_HINT},
    [BANDWIDTH_A] = {"bandwidth_a", false, SHARE_HINT},
    [BANDWIDTH_B] = {"bandwidth_b", false, SHARE_HINT},
    [BANDWIDTH_JOINT] = {"bandwidth_joint", false, SHARE_HINT},
    [MEMORY_A] = {"memory_a", false, MIB_HINT},
    [MEMORY_B] = {"memory_b", false, MIB_HINT},
    [MEMORY_JOINT] = {"memory_joint", false, MIB_HINT},
    [GPUS] = {"gpus", false, NULL},
    [SPREAD] = {"spread", false, NULL},
    [NOTE] = {"note", false, NULL},
};

struct job_text { /* the parts of a profile key */
    char part[4][HS_MEASURE_NAME_MAX + 1];
};

struct reading {
    struct hs_measurements *m;
    struct hs_sheet sheet;
    uint32_t *by_rate; /* rows of pairs whose speed is a rate until all rates alone are known */
    uint32_t by_rate_count, by_rate_cap;
    double highest_share; /* of any utilization, per cent */
};

/* ---- cells ---- */

static bool is_empty(const struct reading *r, uint32_t column)
{
    return hs_sheet_text(&r->sheet, column)[0] == '\0';
}

/* NaN for an empty field; a word like nan is a slip here. */
static bool read_number(struct reading *r, uint32_t column, double min, double max, double *out)
{
    if (!hs_sheet_number(&r->sheet, column, min, max, out))
        return false;
    if (!isnan(*out) || is_empty(r, column))
        return true;
    hs_sheet_fault(&r->sheet, column, "leave empty what was not measured",
                   "%s is not a number: '%.80s'", columns[column].name,
                   hs_sheet_text(&r->sheet, column));
    return false;
}

static bool read_share(struct reading *r, uint32_t column, double *out)
{
    bool is_good = read_number(r, column, 0, 100, out);
    r->highest_share = fmax(r->highest_share, *out); /* fmax passes over NaN */
    *out /= 100;
    return is_good;
}

/* Splits a key into model, dataset, batch, precision. */
static bool split_key(const char *key, struct job_text *job)
{
    for (int i = 0; i < 4; i++) {
        size_t len = strcspn(key, "/");
        if (len > HS_MEASURE_NAME_MAX || (len == 0 && i != 2) || (key[len] == '\0') != (i == 3))
            return false;
        memcpy(job->part[i], key, len);
        job->part[i][len] = '\0';
        key += len + (key[len] == '/');
    }
    const char *batch = job->part[2];
    int64_t size;
    return batch[0] == '\0' || (hs_parse_int64(batch, strlen(batch), &size) && size > 0 &&
                                strspn(batch, "0123456789") == strlen(batch) && batch[0] != '0');
}

static bool read_key(struct reading *r, uint32_t column, struct job_text *text, struct hs_solo *job)
{
    const char *key = hs_sheet_text(&r->sheet, column);
    if (!split_key(key, text)) {
        hs_sheet_fault(&r->sheet, column,
                       "Model/Dataset/batch/precision, e.g. ResNet18/CIFAR-10/64/fp32; a model "
                       "without batch: A3C/Pong//fp32",
                       "%s is not a profile key: '%.80s'", columns[column].name, key);
        return false;
    }
    *job = (struct hs_solo){.model = text->part[0],
                            .dataset = text->part[1],
                            .batch = text->part[2],
                            .precision = text->part[3],
                            .gpus = 1,
                            .speed = NAN,
                            .util = NAN,
                            .bw_util = NAN,
                            .mem_mib = NAN,
                            .line = r->sheet.row.line};
    return true;
}

/* ---- jobs alone ---- */

/* What is told of a job alone: an empty field says nothing, two figures must be one. */
static void agree(struct reading *r, uint32_t column, double told, double *known)
{
    if (isnan(told) || told == *known)
        return;
    if (isnan(*known))
        *known = told;
    else
        hs_sheet_fault(&r->sheet, column, "a job alone has one figure: their mean, for example",
                       "%s differs from an earlier row", columns[column].name);
}

/* The columns of one job alone, `a` or `b`, but for its rate. */
static enum hs_status take_alone(struct reading *r, const struct hs_solo *job, bool is_b,
                                 uint32_t *index)
{
    double util, bandwidth, memory;
    bool is_good = read_share(r, is_b ? UTIL_B : UTIL_A, &util);
    is_good = read_share(r, is_b ? BANDWIDTH_B : BANDWIDTH_A, &bandwidth) && is_good;
    is_good = read_number(r, is_b ? MEMORY_B : MEMORY_A, 0, MIB_MAX, &memory) && is_good;
    HS_TRY(hs_measure_solo(r->m, job, index));
    if (!is_good)
        return HS_OK;
    struct hs_solo *solo = &r->m->solos[*index];
    agree(r, is_b ? UTIL_B : UTIL_A, util, &solo->util);
    agree(r, is_b ? BANDWIDTH_B : BANDWIDTH_A, bandwidth, &solo->bw_util);
    agree(r, is_b ? MEMORY_B : MEMORY_A, memory, &solo->mem_mib);
    return HS_OK;
}

static bool read_shape(struct reading *r, struct hs_solo *job)
{
    double gpus;
    const char *spread = hs_sheet_text(&r->sheet, SPREAD);
    if (!read_number(r, GPUS, 1, GPUS_MAX, &gpus))
        return false;
    job->gpus = isnan(gpus) ? 1 : (uint32_t)gpus;
    job->is_spread = strcmp(spread, "yes") == 0;
    if (!isnan(gpus) && gpus != job->gpus) {
        hs_sheet_fault(&r->sheet, GPUS, NULL, "gpus is a whole number");
        return false;
    }
    if (spread[0] != '\0' && !job->is_spread && strcmp(spread, "no") != 0) {
        hs_sheet_fault(&r->sheet, SPREAD, NULL, "spread is yes or no, not '%.80s'", spread);
        return false;
    }
    if (job->is_spread && job->gpus == 1) {
        hs_sheet_fault(&r->sheet, SPREAD, NULL, "a job on one GPU cannot be spread");
        return false;
    }
    return true;
}

static enum hs_status take_solo(struct reading *r, struct hs_solo *job)
{
    static const uint32_t of_pairs[] = {SPEED_B,     RATE_B,   UTIL_B,          UTIL_JOINT,
                                        BANDWIDTH_B, MEMORY_B, BANDWIDTH_JOINT, MEMORY_JOINT};
    uint32_t index;
    double rate;

    for (size_t i = 0; i < sizeof of_pairs / sizeof of_pairs[0]; i++)
        if (!is_empty(r, of_pairs[i]))
            hs_sheet_fault(&r->sheet, of_pairs[i], NULL, "%s of a job alone: job_b is empty",
                           columns[of_pairs[i]].name);
    if (!is_empty(r, SPEED_A))
        hs_sheet_fault(&r->sheet, SPEED_A, "what it does a second goes into rate_a",
                       "the speed of a job alone is 1 by definition");
    if (!read_shape(r, job) || !read_number(r, RATE_A, 0, RATE_MAX, &rate))
        return HS_OK;
    if (rate == 0)
        hs_sheet_fault(&r->sheet, RATE_A, NULL, "a job that does nothing alone");
    HS_TRY(take_alone(r, job, false, &index));
    agree(r, RATE_A, rate, &r->m->solos[index].speed);
    return HS_OK;
}

/* ---- pairs ---- */

/* Both speeds of the row, relative or as rates. */
static bool read_speeds(struct reading *r, double speeds[2], bool *by_rate)
{
    bool has_speed = !is_empty(r, SPEED_A) || !is_empty(r, SPEED_B);
    *by_rate = !is_empty(r, RATE_A) || !is_empty(r, RATE_B);
    if (has_speed == *by_rate) {
        hs_sheet_fault(&r->sheet, has_speed ? RATE_A : JOB_B,
                       "speed_a and speed_b relative to alone, or rate_a and rate_b a second",
                       has_speed ? "speeds and rates of one pair" : "a pair without a speed");
        return false;
    }
    double max = *by_rate ? RATE_MAX : SPEED_MAX;
    bool is_good = read_number(r, *by_rate ? RATE_A : SPEED_A, 0, max, &speeds[0]);
    return read_number(r, *by_rate ? RATE_B : SPEED_B, 0, max, &speeds[1]) && is_good;
}

static enum hs_status wait_for_rate(struct reading *r)
{
    HS_TRY(hs_grow((void **)&r->by_rate, &r->by_rate_cap, (uint64_t)r->by_rate_count + 1,
                   sizeof *r->by_rate, HS_MEASURE_MAX));
    r->by_rate[r->by_rate_count++] = r->m->pair_count;
    return HS_OK;
}

static enum hs_status add_rows(struct reading *r, const struct hs_pair *pair,
                               const double speeds[2], bool by_rate)
{
    uint32_t id = r->m->pair_ids;
    for (int side = 0; side < 2; side++) {
        struct hs_pair row = *pair;
        row.own = side == 0 ? pair->own : pair->other;
        row.other = side == 0 ? pair->other : pair->own;
        row.pair = id;
        row.speed = speeds[side];
        if (isnan(row.speed))
            continue;
        if (by_rate)
            HS_TRY(wait_for_rate(r));
        HS_TRY(hs_measure_pair(r->m, &row));
    }
    return HS_OK;
}

static enum hs_status take_pair(struct reading *r, const struct hs_solo *a, const struct hs_solo *b)
{
    struct hs_pair pair = {.gpu = a->gpu, .line = r->sheet.row.line};
    double speeds[2];
    bool by_rate;

    if ((!is_empty(r, GPUS) && strcmp(hs_sheet_text(&r->sheet, GPUS), "1") != 0) ||
        strcmp(hs_sheet_text(&r->sheet, SPREAD), "yes") == 0)
        hs_sheet_fault(&r->sheet, GPUS, NULL, "pairs are of jobs on one GPU");
    HS_TRY(take_alone(r, a, false, &pair.own));
    HS_TRY(take_alone(r, b, true, &pair.other));
    bool is_good = read_share(r, UTIL_JOINT, &pair.joint_util);
    is_good = read_share(r, BANDWIDTH_JOINT, &pair.joint_bw_util) && is_good;
    is_good = read_number(r, MEMORY_JOINT, 0, MIB_MAX, &pair.joint_mem_mib) && is_good;
    is_good = read_speeds(r, speeds, &by_rate) && is_good;
    return is_good ? add_rows(r, &pair, speeds, by_rate) : HS_OK;
}

static enum hs_status take_row(struct reading *r)
{
    struct job_text text_a, text_b;
    struct hs_solo a, b;
    const char *gpu;

    bool is_pair = !is_empty(r, JOB_B);
    bool is_good = hs_sheet_name(&r->sheet, GPU, &gpu);
    is_good = read_key(r, JOB_A, &text_a, &a) && is_good;
    is_good = (!is_pair || read_key(r, JOB_B, &text_b, &b)) && is_good;
    if (!is_good)
        return HS_OK;
    HS_TRY(hs_measure_gpu(r->m, gpu, &a.gpu));
    b.gpu = a.gpu;
    return is_pair ? take_pair(r, &a, &b) : take_solo(r, &a);
}

/* ---- the file ---- */

/* A column that nobody reads is data lost. */
static void header_fault(struct reading *r, uint32_t field)
{
    const char *name = r->sheet.row.fields[field], *names[COLUMNS];
    char hint[64];
    for (uint32_t c = 0; c < COLUMNS; c++)
        names[c] = columns[c].name;
    struct hs_place place = hs_csv_place(r->sheet.csv, field);
    const char *nearest = hs_nearest(name, names, COLUMNS);
    (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest != NULL ? nearest : "");
    bool is_twice = nearest != NULL && strcasecmp(nearest, name) == 0;
    r->sheet.status =
        hs_fail(r->sheet.diag, HS_E_INPUT, &place, nearest != NULL && !is_twice ? hint : NULL,
                is_twice ? "column '%.80s' twice" : "unknown column '%.80s'", name);
    r->sheet.faults++;
}

/* An unnamed column is the index that some programs write. */
static void check_header(struct reading *r)
{
    for (uint32_t i = 0; i < r->sheet.row.count; i++) {
        uint32_t c = 0;
        while (c < COLUMNS && r->sheet.at[c] != i)
            c++;
        if (c == COLUMNS && r->sheet.row.fields[i][0] != '\0')
            header_fault(r, i);
    }
}

/* All rates alone are known now. A job whose rate alone is nowhere has none: counted, not used. */
static void divide_rates(struct reading *r)
{
    for (uint32_t i = 0; i < r->by_rate_count; i++) {
        struct hs_pair *row = &r->m->pairs[r->by_rate[i]];
        double alone = r->m->solos[row->own].speed;
        if (row->speed == 0)
            continue;
        if (isnan(alone))
            row->dropped |= HS_DROPPED(NO_SOLO);
        row->speed /= alone;
        row->rebased = row->speed;
    }
}

/* By how much the pairs of a job are busier than its co-runners alone, on average; NaN if nobody
 * knows. */
static double added_share(const struct hs_measurements *m, uint32_t solo)
{
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *pair = &m->pairs[i];
        double added = pair->joint_util - m->solos[pair->other].util;
        if (pair->own != solo || isnan(added))
            continue;
        sum += added;
        count++;
    }
    return sum / count;
}

/* A job that left the GPU idle alone and not beside others: a slip in its row. One that is idle in
 * truth, and a good baseline, adds nothing. */
static void doubt_jobs(const struct reading *r)
{
    for (uint32_t i = 0; i < r->m->solo_count; i++) {
        const struct hs_solo *solo = &r->m->solos[i];
        struct hs_place place = {.file = hs_input_path(r->sheet.input), .line = solo->line};
        if (solo->util > 0 && solo->util <= SHARE_OF_ONE && added_share(r->m, i) > SHARE_ADDED)
            hs_report(r->sheet.diag, HS_WARNING, &place, "per cent: 45, not 0.45",
                      "%s: at most 1 %% busy alone, but pairs with it are busier than the other "
                      "jobs alone by more than 5 %%",
                      solo->key);
    }
}

/* A campaign in which no GPU was ever busy for more than 1 % is one of fractions. */
static void doubt_shares(struct reading *r)
{
    struct hs_place place = {.file = hs_input_path(r->sheet.input)};
    if (r->sheet.status != HS_OK)
        return;
    if (r->highest_share > 0 && r->highest_share <= 1)
        r->sheet.status = hs_fail(r->sheet.diag, HS_E_INPUT, &place, "per cent: 45, not 0.45",
                                  "no utilization is above 1: these are fractions");
    else
        doubt_jobs(r);
}

static enum hs_status read_own(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct reading r = {.m = m};
    HS_TRY(hs_sheet_open(&r.sheet, path, columns, COLUMNS, diag));
    check_header(&r);
    while (hs_sheet_next(&r.sheet)) {
        enum hs_status status = take_row(&r);
        if (status != HS_OK) {
            r.sheet.status = status;
            break;
        }
    }
    divide_rates(&r);
    doubt_shares(&r);
    hs_free(r.by_rate);
    return hs_sheet_close(&r.sheet, m);
}

static bool recognise(const char *path)
{
    char head[HS_MEASURE_HEAD];
    hs_measure_head(path, head);
    head[strcspn(head, "\r\n")] = '\0';
    for (uint32_t c = JOB_A; c <= RATE_B; c++)
        if (c != GPU && strstr(head, columns[c].name) != NULL)
            return true;
    return false;
}

const struct hs_measure_format hs_measure_format_own = {
    .name = "own",
    .summary = "a CSV with job_a, job_b, gpu, speed_a, speed_b, ... (configs/models/README.md)",
    .recognise = recognise,
    .read = read_own,
};
