/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurements as files: CSV by the names of columns, Lucid's folder, a CSV of one's own, and
 * Gavel's JSON.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>

#include "calibrate/sheet.h"
#include "data/names.h"
#include "data/json.h"

enum hs_status hs_measure_head(const char *path, char text[HS_MEASURE_HEAD], struct hs_diag *diag)
{
    struct hs_input *input;
    const char *data;
    size_t len = 0;
    text[0] = '\0';
    HS_TRY(hs_input_open(&input, path, diag));
    enum hs_status status = hs_input_peek(input, &data, &len);
    if (status == HS_OK) {
        len = len < HS_MEASURE_HEAD ? len : HS_MEASURE_HEAD - 1;
        memcpy(text, data, len);
        text[len] = '\0';
    }
    hs_input_close(input);
    return status == HS_END ? HS_OK : status;
}

/* ---- CSV ---- */

#define FAULTS_MAX 20u /* of a file: then reading stops */

static void note(struct hs_sheet *s, enum hs_status status)
{
    if (s->status == HS_OK)
        s->status = status;
    s->faults++;
    s->is_good = false;
}

void hs_sheet_fault(struct hs_sheet *s, uint32_t column, const char *hint, const char *fmt, ...)
{
    char message[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    note(s, hs_csv_fail(s->csv, s->at[column], hint, "%s", message));
}

/* A column that is not read is data lost. An unnamed one is the index that some programs write. */
static void check_header(struct hs_sheet *s)
{
    for (uint32_t i = 0; i < s->row.count; i++) {
        const char *name = s->row.fields[i], *names[HS_SHEET_COLUMNS];
        bool is_known = name[0] == '\0';
        char hint[HS_HINT_SIZE];
        for (uint32_t c = 0; c < s->count; c++) {
            names[c] = s->columns[c].name;
            is_known = is_known || s->at[c] == i;
        }
        if (is_known)
            continue;
        const char *nearest = hs_nearest(name, names, s->count);
        bool is_twice = nearest != NULL && strcasecmp(nearest, name) == 0;
        note(s, hs_csv_fail(s->csv, i,
                            is_twice ? NULL : hs_did_you_mean(hint, name, names, s->count, NULL),
                            is_twice ? "column '%.80s' twice" : "unknown column '%.80s'", name));
    }
}

static bool sheet_next(struct hs_sheet *s, uint32_t width)
{
    while (s->faults < FAULTS_MAX) {
        enum hs_status status = hs_csv_next(s->csv, &s->row);
        if (status == HS_END)
            return false;
        if (status == HS_OK) {
            s->rows++;
            s->is_good = true;
            if (s->row.count == width)
                return true;
            status =
                hs_csv_fail(s->csv, s->row.count, NULL,
                            "%" PRIu32 " fields, the header has %" PRIu32, s->row.count, width);
        }
        note(s, status);
        if (status != HS_E_INPUT)
            return false;
    }
    return false;
}

enum hs_status hs_sheet_read(struct hs_sheet *s, const char *path,
                             enum hs_status (*take)(struct hs_sheet *s))
{
    HS_TRY(hs_input_open(&s->input, path, s->diag));
    hs_csv_open(&s->csv, s->input, ',', s->diag);
    enum hs_status status = hs_csv_next(s->csv, &s->row);
    uint32_t width = s->row.count;
    if (status == HS_END)
        status = hs_fail(s->diag, HS_E_INPUT, HS_AT({.file = path}), NULL, "the file is empty");
    else if (status == HS_OK) {
        char missing[512] = "";
        uint32_t lacking = 0;
        for (uint32_t i = 0; i < s->count; i++) {
            s->at[i] = hs_csv_column(&s->row, s->columns[i].name);
            if (s->at[i] == UINT32_MAX && s->columns[i].is_required)
                hs_append(missing, sizeof missing, "%s%s", lacking++ > 0 ? ", " : "",
                          s->columns[i].name);
        }
        status = lacking == 0 ? HS_OK
                              : hs_csv_fail(s->csv, 0, NULL, "missing column%s: %s",
                                            lacking > 1 ? "s" : "", missing);
    }
    if (status == HS_OK && s->is_own)
        check_header(s);
    while (status == HS_OK && sheet_next(s, width))
        status = take(s);
    if (status == HS_OK)
        status = s->status;
    if (status == HS_OK)
        hs_measure_file_add(s->m, path, hs_input_hash(s->input), hs_input_bytes(s->input), s->rows);
    hs_csv_close(s->csv);
    hs_input_close(s->input);
    return status;
}

const char *hs_sheet_text(const struct hs_sheet *s, uint32_t column)
{
    return s->at[column] < s->row.count ? s->row.fields[s->at[column]] : "";
}

const char *hs_sheet_name(struct hs_sheet *s, uint32_t column)
{
    const char *text = hs_sheet_text(s, column);
    bool is_name = text[0] != '\0' && strlen(text) <= HS_MEASURE_NAME_MAX;
    for (const char *c = text; *c != '\0'; c++)
        is_name = is_name && *c != '/' && !iscntrl((unsigned char)*c);
    if (!is_name)
        hs_sheet_fault(s, column, "1 to 255 characters without '/'", "%s is not a name: '%.80s'",
                       s->columns[column].name, text);
    return text;
}

double hs_sheet_number(struct hs_sheet *s, uint32_t column)
{
    const struct hs_sheet_column *c = &s->columns[column];
    const char *text = hs_sheet_text(s, column);
    double value;
    /* Programs write these for a run that gave no figure; other text is a slip. */
    static const char *const none[] = {"",          "nan",       "inf",  "+inf", "-inf",
                                       "infinity",  "-infinity", "null", "na",   "n/a",
                                       "+infinity", "-nan",      "none"};
    for (size_t i = 0; i < HS_COUNT_OF(none); i++) {
        if (strcasecmp(text, none[i]) != 0)
            continue;
        if (s->is_own && text[0] != '\0')
            hs_sheet_fault(s, column, "leave empty what was not measured",
                           "%s is not a number: '%.80s'", c->name, text);
        return NAN;
    }
    if (!hs_parse_double(text, strlen(text), &value)) {
        hs_sheet_fault(s, column, c->hint, "%s is not a number: '%.80s'", c->name, text);
        return NAN;
    }
    if (value >= c->min && value <= c->max) {
        if (c->unit == 100)
            s->highest_share = fmax(s->highest_share, value / c->unit);
        return value / c->unit;
    }
    hs_sheet_fault(s, column, c->hint, "%s is %.80s, out of %s..%s", c->name, text,
                   HS_DIGITS(c->min), HS_DIGITS(c->max));
    return NAN;
}

/* Splits a key into model, dataset, batch (a whole number or empty), precision. */
static bool split_key(const char *key, struct hs_key_parts *parts)
{
    for (int i = 0; i < 4; i++) {
        size_t len = strcspn(key, "/");
        if (len > HS_MEASURE_NAME_MAX || (len == 0 && i != 2) || (key[len] == '\0') != (i == 3))
            return false;
        memcpy(parts->part[i], key, len);
        parts->part[i][len] = '\0';
        key += len + (key[len] == '/');
    }
    const char *batch = parts->part[2];
    int64_t size;
    return batch[0] == '\0' || (hs_parse_int64(batch, strlen(batch), &size) && size > 0 &&
                                strspn(batch, "0123456789") == strlen(batch) && batch[0] != '0');
}

struct hs_solo hs_sheet_job(struct hs_sheet *s, uint32_t column, struct hs_key_parts *parts)
{
    const char *key = hs_sheet_text(s, column);
    struct hs_solo job = hs_solo_unmeasured;
    if (!split_key(key, parts))
        hs_sheet_fault(s, column,
                       "Model/Dataset/batch/precision, e.g. ResNet18/CIFAR-10/64/fp32; a model "
                       "without batch: A3C/Pong//fp32",
                       "%s is not a profile key: '%.80s'", s->columns[column].name, key);
    job.model = parts->part[0];
    job.dataset = parts->part[1];
    job.batch = parts->part[2];
    job.precision = parts->part[3];
    job.line = s->row.line;
    return job;
}

/* ---- Lucid ----
 * The artifact of Lucid (ASPLOS'23): single_data.csv, 66 configurations alone, and
 * colocate_info.csv, 1388 pairs of them on one GPU, an RTX 3090 (comment in its policy/lucid.py).
 * Speeds of pairs are relative to the same job alone. */

#define LUCID_GPU  "RTX3090"
#define LUCID_MODE "timeslice" /* its artifact starts no MPS daemon */
#define SOLO_FILE  "single_data.csv"
#define PAIR_FILE  "colocate_info.csv"
#define PATH_SIZE  4096
#define BESIDE_ONE "1 is the speed alone"

#define SOLO_COLUMNS(X)                                                                            \
    X(MODEL, "model", true, HS_NO_NUMBER)                                                          \
    X(DATASET, "dataset", true, HS_NO_NUMBER)                                                      \
    X(BATCH, "batchsize", true, HS_NO_NUMBER)                                                      \
    X(AMP, "amp", true, HS_NO_NUMBER)                                                              \
    X(SPEED, "speed", true, HS_ANY(NULL))                                                          \
    X(UTIL, "gpu_util", true, HS_PER_CENT)                                                         \
    X(BW_UTIL, "gmem_util", true, HS_PER_CENT)                                                     \
    X(MEMORY, "gmem", true, HS_MIB)

#define PAIR_COLUMNS(X)                                                                            \
    X(MODEL_A, "model1", true, HS_NO_NUMBER)                                                       \
    X(DATASET_A, "dataset1", true, HS_NO_NUMBER)                                                   \
    X(BATCH_A, "batchsize1", true, HS_NO_NUMBER)                                                   \
    X(AMP_A, "amp1", true, HS_NO_NUMBER)                                                           \
    X(GPUS_A, "gpu_num1", false, HS_ANY(NULL))                                                     \
    X(SPEED_A, "speed1", true, HS_ANY(BESIDE_ONE))                                                 \
    X(MODEL_B, "model2", true, HS_NO_NUMBER)                                                       \
    X(DATASET_B, "dataset2", true, HS_NO_NUMBER)                                                   \
    X(BATCH_B, "batchsize2", true, HS_NO_NUMBER)                                                   \
    X(AMP_B, "amp2", true, HS_NO_NUMBER)                                                           \
    X(GPUS_B, "gpu_num2", false, HS_ANY(NULL))                                                     \
    X(SPEED_B, "speed2", true, HS_ANY(BESIDE_ONE))                                                 \
    X(UTIL, "gpu_util", true, HS_PER_CENT)                                                         \
    X(BW_UTIL, "gmem_util", true, HS_PER_CENT)                                                     \
    X(MEMORY, "gmem", true, HS_MIB)

#define SOLO_ENUM(name, ...) SOLO_##name,
#define PAIR_ENUM(name, ...) PAIR_##name,
enum { SOLO_COLUMNS(SOLO_ENUM) SOLO_COUNT };
enum { PAIR_COLUMNS(PAIR_ENUM) PAIR_COUNT };
static const struct hs_sheet_column solo_columns[SOLO_COUNT] = {SOLO_COLUMNS(HS_SHEET_COLUMN)};
static const struct hs_sheet_column pair_columns[PAIR_COUNT] = {PAIR_COLUMNS(HS_SHEET_COLUMN)};

const char *const hs_measure_folder_files[HS_MEASURE_FOLDER_FILES] = {SOLO_FILE, PAIR_FILE};

/* The job of four columns from `first` on: model, dataset, batch, amp. Texts are of the row. */
static struct hs_solo read_lucid_job(struct hs_sheet *s, uint32_t first)
{
    uint32_t batch = first + SOLO_BATCH, amp = first + SOLO_AMP;
    const char *precision = hs_sheet_text(s, amp);
    struct hs_solo job = hs_solo_unmeasured;
    int64_t size;
    job.line = s->row.line;
    job.model = hs_sheet_name(s, first);
    job.dataset = hs_sheet_name(s, first + SOLO_DATASET);
    job.batch = hs_sheet_text(s, batch);
    job.precision = precision[0] == '1' ? "amp" : "fp32";
    if (strlen(job.batch) > HS_MEASURE_NAME_MAX ||
        !hs_parse_int64(job.batch, strlen(job.batch), &size) || size < 1)
        hs_sheet_fault(s, batch, NULL, "%s is not a whole number: '%.80s'", s->columns[batch].name,
                       job.batch);
    if (strcmp(precision, "0") != 0 && strcmp(precision, "1") != 0)
        hs_sheet_fault(s, amp, NULL, "%s is 0 or 1, not '%.80s'", s->columns[amp].name, precision);
    return job;
}

static enum hs_status take_lucid_solo(struct hs_sheet *s)
{
    uint32_t before = s->m->solo_count;
    struct hs_solo job = read_lucid_job(s, SOLO_MODEL);
    job.speed = hs_sheet_number(s, SOLO_SPEED);
    job.util = hs_sheet_number(s, SOLO_UTIL);
    job.bw_util = hs_sheet_number(s, SOLO_BW_UTIL);
    job.mem_mib = hs_sheet_number(s, SOLO_MEMORY);
    if (!s->is_good)
        return HS_OK;
    uint32_t index = hs_measure_solo(s->m, &job);
    if (index < before)
        hs_sheet_fault(s, SOLO_MODEL, NULL, "%s was listed in line %" PRId64,
                       s->m->solos[index].key, s->m->solos[index].line);
    return HS_OK;
}

static enum hs_status take_lucid_pair(struct hs_sheet *s)
{
    struct hs_pair row = {.line = s->row.line};
    struct hs_solo a = read_lucid_job(s, PAIR_MODEL_A), b = read_lucid_job(s, PAIR_MODEL_B);
    double gpus_a = hs_sheet_number(s, PAIR_GPUS_A), gpus_b = hs_sheet_number(s, PAIR_GPUS_B);
    if (!(isnan(gpus_a) || gpus_a == 1) || !(isnan(gpus_b) || gpus_b == 1))
        hs_sheet_fault(s, isnan(gpus_a) || gpus_a == 1 ? PAIR_GPUS_B : PAIR_GPUS_A, NULL,
                       "only pairs on one GPU are understood");
    row.speed = hs_sheet_number(s, PAIR_SPEED_A);
    double speed_b = hs_sheet_number(s, PAIR_SPEED_B);
    row.joint_util = hs_sheet_number(s, PAIR_UTIL);
    row.joint_bw_util = hs_sheet_number(s, PAIR_BW_UTIL);
    row.joint_mem_mib = hs_sheet_number(s, PAIR_MEMORY);
    if (!s->is_good)
        return HS_OK;
    row.own = hs_measure_solo(s->m, &a);
    row.other = hs_measure_solo(s->m, &b);
    /* A job that is not in single_data.csv has no utilization, and its speed no known baseline. */
    if (isnan(s->m->solos[row.own].speed) || isnan(s->m->solos[row.other].speed))
        row.dropped = HS_DROPPED(NO_SOLO);
    hs_measure_both(s->m, &row, speed_b, row.dropped);
    return HS_OK;
}

static void join(char path[PATH_SIZE], const char *folder, const char *name)
{
    size_t len = strlen(folder);
    (void)snprintf(path, PATH_SIZE, "%s%s%s", folder, len > 0 && folder[len - 1] == '/' ? "" : "/",
                   name);
}

static enum hs_status read_lucid(struct hs_measurements *m, const char *folder,
                                 struct hs_diag *diag)
{
    struct hs_sheet solos = {.m = m, .columns = solo_columns, .count = SOLO_COUNT, .diag = diag};
    struct hs_sheet pairs = {.m = m, .columns = pair_columns, .count = PAIR_COUNT, .diag = diag};
    char path[PATH_SIZE];
    uint32_t gpu; /* 0: the only one */
    m->windows = HS_WINDOWS_PARTLY_ALONE;
    HS_TRY(hs_measure_gpu(m, LUCID_GPU, LUCID_MODE, &gpu));
    join(path, folder, SOLO_FILE);
    HS_TRY(hs_sheet_read(&solos, path, take_lucid_solo));
    join(path, folder, PAIR_FILE);
    return hs_sheet_read(&pairs, path, take_lucid_pair);
}

static bool is_lucid(const char *path, const char *head)
{
    char name[PATH_SIZE], text[HS_MEASURE_HEAD];
    struct hs_diag quiet = {0};
    bool is_filled = false;
    (void)head;
    for (int i = 0; i < HS_MEASURE_FOLDER_FILES; i++) {
        join(name, path, hs_measure_folder_files[i]);
        (void)hs_measure_head(name, text, &quiet);
        is_filled = is_filled || text[0] != '\0';
    }
    return is_filled;
}

/* ---- a CSV of one's own ----
 * configs/models/README.md has the form. Columns are found by name; an unknown name is an error, so
 * that a misspelt one loses no data. What is said of a job alone, in a row without job_b or beside
 * a pair, must agree in all rows. The same pair measured again is another run, for the cleaning
 * step `contradicted` to judge. */

#define RATE_MAX     1e12
#define GPUS_MAX     1024
#define SHARE_OF_ONE 0.01 /* what a fraction looks like when it is read as per cent */
#define SHARE_ADDED  0.05 /* more than a job of 1 % adds to a pair */
#define SPEED_MAX    5.0  /* far above any speed measured (Lucid: 1.5): beyond, it is a rate */
#define SPEED_HINT   "1 is the speed alone; put steps or samples a second into rate_a, rate_b"

#define OWN_COLUMNS(X)                                                                             \
    X(JOB_A, "job_a", true, HS_NO_NUMBER)                                                          \
    X(JOB_B, "job_b", true, HS_NO_NUMBER)                                                          \
    X(GPU, "gpu", true, HS_NO_NUMBER)                                                              \
    X(SPEED_A, "speed_a", false, 0, SPEED_MAX, 1, SPEED_HINT)                                      \
    X(SPEED_B, "speed_b", false, 0, SPEED_MAX, 1, SPEED_HINT)                                      \
    X(RATE_A, "rate_a", false, 0, RATE_MAX, 1, NULL)                                               \
    X(RATE_B, "rate_b", false, 0, RATE_MAX, 1, NULL)                                               \
    X(UTIL_A, "util_a", false, HS_PER_CENT)                                                        \
    X(UTIL_B, "util_b", false, HS_PER_CENT)                                                        \
    X(UTIL_JOINT, "util_joint", false, HS_PER_CENT)                                                \
    X(BANDWIDTH_A, "bandwidth_a", false, HS_PER_CENT)                                              \
    X(BANDWIDTH_B, "bandwidth_b", false, HS_PER_CENT)                                              \
    X(BANDWIDTH_JOINT, "bandwidth_joint", false, HS_PER_CENT)                                      \
    X(MEMORY_A, "memory_a", false, HS_MIB)                                                         \
    X(MEMORY_B, "memory_b", false, HS_MIB)                                                         \
    X(MEMORY_JOINT, "memory_joint", false, HS_MIB)                                                 \
    X(GPUS, "gpus", false, 1, GPUS_MAX, 1, NULL)                                                   \
    X(SPREAD, "spread", false, HS_NO_NUMBER)                                                       \
    X(FAMILY, "family", false, HS_NO_NUMBER)                                                       \
    X(NOTE, "note", false, HS_NO_NUMBER)

#define OWN_ENUM(name, ...) OWN_##name,
enum { OWN_COLUMNS(OWN_ENUM) OWN_COUNT };
static const struct hs_sheet_column own_columns[OWN_COUNT] = {OWN_COLUMNS(HS_SHEET_COLUMN)};

/* A figure of a job alone: an empty field says nothing, two figures must be one. */
static void agree(struct hs_sheet *s, uint32_t column, double found, double *known)
{
    if (isnan(found) || found == *known)
        return;
    if (isnan(*known))
        *known = found;
    else
        hs_sheet_fault(s, column, "a job alone has one figure: their mean, for example",
                       "%s differs from an earlier row", own_columns[column].name);
}

/* Reads the columns of one job alone, without its rate; side: 0 = a, 1 = b. */
static uint32_t take_alone(struct hs_sheet *s, const struct hs_solo *job, uint32_t side)
{
    uint32_t faults = s->faults;
    double util = hs_sheet_number(s, OWN_UTIL_A + side);
    double bandwidth = hs_sheet_number(s, OWN_BANDWIDTH_A + side);
    double memory = hs_sheet_number(s, OWN_MEMORY_A + side);
    uint32_t index = hs_measure_solo(s->m, job);
    struct hs_solo *solo = &s->m->solos[index];
    if (s->faults > faults)
        return index;
    agree(s, OWN_UTIL_A + side, util, &solo->util);
    agree(s, OWN_BANDWIDTH_A + side, bandwidth, &solo->bw_util);
    agree(s, OWN_MEMORY_A + side, memory, &solo->mem_mib);
    return index;
}

static void take_own_solo(struct hs_sheet *s, struct hs_solo *job)
{
    static const uint32_t of_pairs[] = {OWN_SPEED_B,         OWN_RATE_B,      OWN_UTIL_B,
                                        OWN_UTIL_JOINT,      OWN_BANDWIDTH_B, OWN_MEMORY_B,
                                        OWN_BANDWIDTH_JOINT, OWN_MEMORY_JOINT};
    const char *spread = hs_sheet_text(s, OWN_SPREAD);
    for (size_t i = 0; i < HS_COUNT_OF(of_pairs); i++)
        if (!hs_sheet_is_empty(s, of_pairs[i]))
            hs_sheet_fault(s, of_pairs[i], NULL, "%s of a job alone: job_b is empty",
                           own_columns[of_pairs[i]].name);
    if (!hs_sheet_is_empty(s, OWN_SPEED_A))
        hs_sheet_fault(s, OWN_SPEED_A, "put its rate per second into rate_a",
                       "the speed of a job alone is 1 by definition");
    uint32_t faults = s->faults;
    double gpus = hs_sheet_number(s, OWN_GPUS);
    job->gpus = isnan(gpus) ? 1 : (uint32_t)gpus;
    job->is_spread = strcmp(spread, "yes") == 0;
    if (!isnan(gpus) && gpus != job->gpus)
        hs_sheet_fault(s, OWN_GPUS, NULL, "gpus is a whole number");
    else if (spread[0] != '\0' && !job->is_spread && strcmp(spread, "no") != 0)
        hs_sheet_fault(s, OWN_SPREAD, NULL, "spread is yes or no, not '%.80s'", spread);
    else if (job->is_spread && job->gpus == 1)
        hs_sheet_fault(s, OWN_SPREAD, NULL, "a job on one GPU cannot be spread");
    double rate = s->faults > faults ? NAN : hs_sheet_number(s, OWN_RATE_A);
    if (s->faults > faults)
        return;
    if (rate == 0)
        hs_sheet_fault(s, OWN_RATE_A, NULL, "a job alone with a rate of 0");
    uint32_t index = take_alone(s, job, 0);
    agree(s, OWN_RATE_A, rate, &s->m->solos[index].speed);
}

/* A pair may give one speed only: that is one row. Speeds are relative, or rates. */
static void take_own_pair(struct hs_sheet *s, const struct hs_solo *a, const struct hs_solo *b)
{
    struct hs_pair pair = {.gpu = a->gpu, .line = s->row.line, .pair = s->m->pair_ids};
    bool has_speed = !hs_sheet_is_empty(s, OWN_SPEED_A) || !hs_sheet_is_empty(s, OWN_SPEED_B);
    bool has_rate = !hs_sheet_is_empty(s, OWN_RATE_A) || !hs_sheet_is_empty(s, OWN_RATE_B);
    if ((!hs_sheet_is_empty(s, OWN_GPUS) && strcmp(hs_sheet_text(s, OWN_GPUS), "1") != 0) ||
        strcmp(hs_sheet_text(s, OWN_SPREAD), "yes") == 0)
        hs_sheet_fault(s, OWN_GPUS, NULL, "pairs are of jobs on one GPU");
    const uint32_t first = take_alone(s, a, 0), jobs[] = {first, take_alone(s, b, 1)};
    pair.joint_util = hs_sheet_number(s, OWN_UTIL_JOINT);
    pair.joint_bw_util = hs_sheet_number(s, OWN_BANDWIDTH_JOINT);
    pair.joint_mem_mib = hs_sheet_number(s, OWN_MEMORY_JOINT);
    if (has_speed == has_rate)
        hs_sheet_fault(s, has_speed ? OWN_RATE_A : OWN_JOB_B,
                       "speed_a and speed_b relative to alone, or rate_a and rate_b a second",
                       has_speed ? "speeds and rates of one pair" : "a pair without a speed");
    for (uint32_t side = 0; has_speed != has_rate && side < 2; side++) {
        pair.own = jobs[side];
        pair.other = jobs[1 - side];
        pair.speed = hs_sheet_number(s, (has_rate ? OWN_RATE_A : OWN_SPEED_A) + side);
        if (isnan(pair.speed))
            continue;
        if (has_rate) {
            *hs_push(s->by_rate, s->by_rate_count, s->by_rate_cap, HS_MEASURE_MAX) =
                s->m->pair_count;
        }
        hs_measure_pair(s->m, &pair);
    }
}

static enum hs_status take_own(struct hs_sheet *s)
{
    struct hs_key_parts parts_a, parts_b;
    bool is_pair = !hs_sheet_is_empty(s, OWN_JOB_B);
    const char *gpu = hs_sheet_name(s, OWN_GPU);
    struct hs_solo a = hs_sheet_job(s, OWN_JOB_A, &parts_a), b = a;
    if (!hs_sheet_is_empty(s, OWN_FAMILY))
        a.family = hs_sheet_text(s, OWN_FAMILY);
    if (is_pair)
        b = hs_sheet_job(s, OWN_JOB_B, &parts_b);
    if (!s->is_good)
        return HS_OK;
    HS_TRY(hs_measure_gpu(s->m, gpu, HS_MODE_UNKNOWN, &a.gpu));
    b.gpu = a.gpu;
    if (is_pair)
        take_own_pair(s, &a, &b);
    else
        take_own_solo(s, &a);
    return HS_OK;
}

/* Tells whether the first line contains the text. */
static bool has_text(const char *head, const char *text)
{
    const char *found = strstr(head, text);
    return found != NULL && found < head + strcspn(head, "\r\n");
}

/* A campaign in which no GPU was ever busy for more than 1 % is one of fractions. So, probably, is
 * the row of a job that is idle alone and not beside others: a job that is idle in truth adds
 * nothing to a pair. */
static enum hs_status doubt_shares(const struct hs_sheet *own, const char *path)
{
    const struct hs_measurements *m = own->m;
    struct hs_place place = {.file = path};
    if (own->highest_share > 0 && own->highest_share <= SHARE_OF_ONE)
        return hs_fail(own->diag, HS_E_INPUT, &place, "per cent: 45, not 0.45",
                       "no utilization is above 1: these are fractions");
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *solo = &m->solos[i];
        double sum = 0, count = 0; /* by how much its pairs are busier than the others alone */
        for (uint32_t p = 0; p < m->pair_count; p++) {
            double added = m->pairs[p].joint_util - m->solos[m->pairs[p].other].util;
            if (m->pairs[p].own != i || isnan(added))
                continue;
            sum += added;
            count++;
        }
        place.line = solo->line;
        if (solo->util > 0 && solo->util <= SHARE_OF_ONE && sum / count > SHARE_ADDED)
            hs_report(own->diag, HS_WARNING, &place, "per cent: 45, not 0.45",
                      "%s: at most 1 %% busy alone, but pairs with it are busier than the other "
                      "jobs alone by more than 5 %%",
                      solo->key);
    }
    return HS_OK;
}

static enum hs_status read_own(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct hs_sheet own = {
        .m = m, .columns = own_columns, .count = OWN_COUNT, .diag = diag, .is_own = true};
    enum hs_status status = hs_sheet_read(&own, path, take_own);
    /* All rates alone are known now. A job without one has no speed: counted, not used. */
    for (uint32_t i = 0; i < own.by_rate_count; i++) {
        struct hs_pair *row = &m->pairs[own.by_rate[i]];
        double alone = m->solos[row->own].speed;
        if (row->speed == 0)
            continue;
        if (isnan(alone))
            row->dropped |= HS_DROPPED(NO_SOLO);
        row->speed /= alone;
        row->rebased = row->speed;
    }
    hs_free(own.by_rate);
    return status == HS_OK ? doubt_shares(&own, path) : status;
}

static bool is_own(const char *path, const char *head)
{
    (void)path;
    for (uint32_t c = OWN_JOB_A; c <= OWN_RATE_B; c++)
        if (c != OWN_GPU && has_text(head, own_columns[c].name))
            return true;
    return false;
}

/* ---- Gavel ----
 * The throughput files of Gavel (OSDI'20, MIT licence): one JSON object
 *
 *     {gpu: {job: {"null": alone, other: [of job, of other], ...}, ...}, ...}
 *
 * in steps a second; job is "('ResNet-18 (batch size 16)', 2)", with the number of GPUs, or
 * "ResNet-18 (batch size 16)" in the file of the paper's heat map, which has one-GPU jobs only. A
 * GPU type NAME_unconsolidated holds the same jobs spread over several nodes.
 *
 * A pair is in the file twice, as [x, y] and mirrored as [y, x]. It becomes one pair of two rows;
 * an entry that contradicts its mirror becomes a pair of its own, which the cleaning judges. A job
 * beside itself is one entry and two rows, one for each process. */

#define SPREAD "_unconsolidated"
#define ALONE  "null"

struct gavel_reading {
    struct hs_measurements *m;
    struct hs_jsoncheck check;
    uint32_t gpu;
    bool is_spread;
    uint64_t numbers;
};

/* Finds the job that a member names, and adds it to m if it is new. */
static enum hs_status find_job(const struct gavel_reading *r, const struct hs_json *member,
                               double speed, uint32_t *index)
{
    struct hs_gavel_job name;
    const char *dataset;
    if (!hs_gavel_job_parse(hs_json_key(member), &name)) {
        return hs_fail(r->check.diag, HS_E_INPUT, HS_AT(hs_json_place_key(r->check.doc, member)),
                       "\"('ResNet-18 (batch size 16)', 1)\" or \"ResNet-18 (batch size 16)\"",
                       "not the name of a job: '%.80s'", hs_json_key(member));
    }
    struct hs_solo solo = hs_solo_unmeasured;
    solo.model = hs_gavel_model(name.family, &dataset);
    solo.dataset = dataset != NULL ? dataset : "Gavel";
    solo.batch = name.batch;
    solo.precision = "fp32";
    solo.family = name.family;
    solo.gpu = r->gpu;
    solo.gpus = name.gpus > 0 ? name.gpus : 1;
    solo.is_spread = r->is_spread;
    solo.speed = speed;
    *index = hs_measure_solo(r->m, &solo);
    return HS_OK;
}

/* Reads both speeds of a pair; returns false if the entry is not a pair. */
static bool read_entry(const struct hs_json *entry, double speeds[2])
{
    const struct hs_json *first = hs_json_first(entry), *second = hs_json_next(first);
    if (hs_json_kind(entry) != HS_JSON_ARRAY || hs_json_count(entry) != 2 ||
        hs_json_kind(first) != HS_JSON_NUMBER || hs_json_kind(second) != HS_JSON_NUMBER)
        return false;
    speeds[0] = hs_json_number(first);
    speeds[1] = hs_json_number(second);
    return true;
}

/* Returns the speed relative to that alone. A speed of 0 needs no speed alone. */
static double relative(const struct hs_measurements *m, uint32_t solo, double speed,
                       uint32_t *dropped)
{
    double alone = m->solos[solo].speed;
    *dropped = speed != 0 && isnan(alone) ? HS_DROPPED(NO_SOLO) : 0;
    return speed == 0 ? 0 : speed / alone;
}

/* The entry of (own, other), unless its mirror came first and says the same. */
static enum hs_status read_pair(struct gavel_reading *r, const struct hs_json *jobs,
                                const struct hs_json *job, const struct hs_json *entry,
                                uint32_t own)
{
    struct hs_pair row = {.own = own, .gpu = r->gpu, HS_JOINT_UNMEASURED};
    double speeds[2], mirrored[2];
    uint32_t dropped;

    r->numbers++;
    if (!read_entry(entry, speeds)) {
        hs_jsoncheck_fault(&r->check, entry, "[steps a second of the job, of the other]",
                           "a pair is two numbers");
        return HS_OK;
    }
    HS_TRY(find_job(r, entry, NAN, &row.other));
    const struct hs_solo *a = &r->m->solos[own], *b = &r->m->solos[row.other];
    if (a->gpus != b->gpus) {
        hs_jsoncheck_fault(&r->check, entry, NULL,
                           "a pair of jobs on %" PRIu32 " and %" PRIu32 " GPUs", a->gpus, b->gpus);
        return HS_OK;
    }
    const struct hs_json *mirror =
        hs_json_get(hs_json_get(jobs, hs_json_key(entry)), hs_json_key(job));
    if (own > row.other && mirror != NULL &&
        !(read_entry(mirror, mirrored) && (mirrored[0] != speeds[1] || mirrored[1] != speeds[0])))
        return HS_OK;
    row.speed = relative(r->m, own, speeds[0], &row.dropped);
    double speed_of_other = relative(r->m, row.other, speeds[1], &dropped);
    hs_measure_both(r->m, &row, speed_of_other, dropped);
    return HS_OK;
}

static enum hs_status read_alone(struct gavel_reading *r, const struct hs_json *job)
{
    const struct hs_json *alone = hs_json_get(job, ALONE);
    uint32_t index, before = r->m->solo_count;

    if (!hs_jsoncheck_kind(&r->check, job, HS_JSON_OBJECT, "a job"))
        return HS_OK;
    if (alone == NULL) {
        hs_jsoncheck_fault(&r->check, job, NULL, "a job without \"" ALONE "\", its speed alone");
        return HS_OK;
    }
    if (!hs_jsoncheck_kind(&r->check, alone, HS_JSON_NUMBER, "\"" ALONE "\", the speed alone,"))
        return HS_OK;
    r->numbers++;
    /* 0: it did not run (ResNet-50 of batch 128 on 2, 4, 8 K80 of physical_cluster) */
    double speed = hs_json_number(alone) != 0 ? hs_json_number(alone) : NAN;
    HS_TRY(find_job(r, job, speed, &index));
    if (index < before)
        hs_jsoncheck_fault(&r->check, job, NULL, "the same job as another of this GPU type");
    return HS_OK;
}

/* Reads all jobs first: a pair needs the speeds of both jobs alone. */
static enum hs_status read_gpu(struct gavel_reading *r, const struct hs_json *jobs)
{
    if (!hs_jsoncheck_filled(&r->check, jobs, HS_JSON_OBJECT, "a GPU type"))
        return HS_OK;
    char name[HS_MEASURE_NAME_MAX + 1];
    const char *key = hs_json_key(jobs);
    size_t len = strlen(key), tail = strlen(SPREAD);
    r->is_spread = len > tail && strcmp(key + len - tail, SPREAD) == 0;
    if (r->is_spread)
        len -= tail;
    if (len == 0 || len >= sizeof name) {
        return hs_fail(r->check.diag, HS_E_INPUT, HS_AT(hs_json_place_key(r->check.doc, jobs)),
                       NULL, "not the name of a GPU type");
    }
    for (size_t i = 0; i < len; i++)
        name[i] = (char)toupper((unsigned char)key[i]);
    name[len] = '\0';
    HS_TRY(hs_measure_gpu(r->m, name, HS_MODE_UNKNOWN, &r->gpu));
    for (const struct hs_json *job = hs_json_first(jobs); job != NULL; job = hs_json_next(job))
        HS_TRY(read_alone(r, job));
    if (r->check.status != HS_OK)
        return HS_OK;
    for (const struct hs_json *job = hs_json_first(jobs); job != NULL; job = hs_json_next(job)) {
        uint32_t own;
        HS_TRY(find_job(r, job, NAN, &own));
        for (const struct hs_json *e = hs_json_first(job); e != NULL; e = hs_json_next(e))
            if (strcmp(hs_json_key(e), ALONE) != 0)
                HS_TRY(read_pair(r, jobs, job, e, own));
    }
    return HS_OK;
}

static enum hs_status read_gavel(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct gavel_reading r = {.m = m, .check = {.diag = diag}};
    uint64_t bytes;
    HS_TRY(hs_json_load(&r.check.doc, path, diag));
    const struct hs_json *root = hs_json_root(r.check.doc);
    enum hs_status status = HS_OK;
    if (hs_jsoncheck_filled(&r.check, root, HS_JSON_OBJECT, "a file of throughputs"))
        for (const struct hs_json *g = hs_json_first(root); g != NULL && status == HS_OK;
             g = hs_json_next(g))
            status = read_gpu(&r, g);
    uint64_t hash = hs_json_hash(r.check.doc, &bytes);
    hs_json_close(r.check.doc);
    HS_TRY(status);
    HS_TRY(r.check.status);
    hs_measure_file_add(m, path, hash, bytes, r.numbers);
    return HS_OK;
}

static bool is_gavel(const char *path, const char *head)
{
    (void)path;
    const char *text = strncmp(head, "\xEF\xBB\xBF", 3) == 0 ? head + 3 : head;
    return text[strspn(text, " \t\r\n")] == '{';
}

/* ---- reading ---- */

static const struct hs_measure_format lucid_format = {
    "lucid", "a folder with " PAIR_FILE " and " SOLO_FILE, NULL, is_lucid, read_lucid};
static const struct hs_measure_format gavel_format = {
    "gavel", "a JSON of throughputs {gpu: {job: {\"null\": alone, other: [own, other]}}}", NULL,
    is_gavel, read_gavel};
static const struct hs_measure_format own_format = {
    "own", "a CSV with job_a, job_b, gpu, speed_a, speed_b, ... (configs/models/README.md)", NULL,
    is_own, read_own};
static const struct hs_measure_format *const formats[] = {
    &lucid_format,       &gavel_format,       &hs_measure_sets[0], &hs_measure_sets[1],
    &hs_measure_sets[2], &hs_measure_sets[3], &hs_measure_sets[4], &own_format};

static enum hs_status read_any(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct stat info;
    char head[HS_MEASURE_HEAD] = "", hint[512] = "";
    bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    if (strcmp(path, "-") == 0)
        return hs_fail(diag, HS_E_INPUT, NULL, "write them to a file first",
                       "measurements cannot be read from standard input");
    if (!is_folder)
        HS_TRY(hs_measure_head(path, head, diag));
    if (!is_folder && head[0] == '\0')
        return hs_fail(diag, HS_E_INPUT, HS_AT({.file = path}), NULL, "the file is empty");
    for (size_t i = 0; i < HS_COUNT_OF(formats); i++) {
        const struct hs_measure_format *f = formats[i];
        if (f->columns != NULL ? has_text(head, f->columns) : f->recognise(path, head)) {
            m->format = f->name;
            return f->read(m, path, diag);
        }
        hs_append(hint, sizeof hint, "%s%s: %s", i > 0 ? "; " : "", f->name, f->summary);
    }
    return hs_fail(diag, HS_E_INPUT, HS_AT({.file = path}), hint,
                   is_folder ? "no measurements are known in this folder"
                             : "not a file of measurements");
}

enum hs_status hs_measure_read(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    uint64_t errors = diag->errors;
    enum hs_status status = read_any(m, path, diag);
    struct hs_place place = {.file = path};

    if (status != HS_OK && diag->errors == errors) /* of the store, which cannot report */
        return hs_fail(diag, status, &place, NULL, "%s: at most %u measurements, %d GPU types",
                       hs_status_text(status), HS_MEASURE_MAX, HS_MEASURE_GPUS_MAX);
    if (status == HS_OK && m->solo_count == 0)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "there are no measurements in it");
    return status;
}
