/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurements as CSV: Lucid's folder, and a file of one's own.
 */
#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fmt.h"
#include "base/io.h"
#include "base/timeparse.h"
#include "calibrate/measure.h"
#include "data/csvread.h"

#define FAULTS_MAX 20u       /* of a file: then reading stops */
#define MIB_MAX    1048576.0 /* 1 TiB on one GPU is a unit mistaken */

/* The numbers of a column: min, max, unit, hint. */
#define NO_NUMBER 0, 0, 1, NULL
#define ANY(hint) -DBL_MAX, DBL_MAX, 1, hint
#define PER_CENT  0, 100, 100, "per cent"
#define MIB       0, MIB_MAX, 1, "MiB"

/* ---- CSV by the names of columns ---- */

/* A CSV by the names of its columns. Faults are reported at their place and reading goes on, so
 * that one call shows them all (at most 20). */
struct sheet_column {
    const char *name;
    bool is_required;
    double min, max, unit; /* a number is in [min, max] and is divided by unit */
    const char *hint;      /* for a number that is none or out of range; may be NULL */
};
#define SHEET_COLUMNS 32

struct sheet {
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    const struct sheet_column *columns;
    uint32_t count;
    uint32_t width;             /* fields of the header, and hence of every row */
    uint32_t at[SHEET_COLUMNS]; /* UINT32_MAX: the file has no such column */
    struct hs_diag *diag;
    enum hs_status status; /* the first failure */
    uint32_t faults;
    uint64_t rows;
};

static void note(struct sheet *s, enum hs_status status)
{
    if (s->status == HS_OK)
        s->status = status;
    s->faults++;
}

HS_PRINTF(4, 5)
static void sheet_fault(struct sheet *s, uint32_t column, const char *hint, const char *fmt, ...)
{
    struct hs_place place = hs_csv_place(s->csv, s->at[column]);
    char message[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    note(s, hs_fail(s->diag, HS_E_INPUT, &place, hint, "%s", message));
}

static enum hs_status find_columns(struct sheet *s)
{
    char missing[512] = "";
    size_t used = 0;
    uint32_t lacking = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        s->at[i] = hs_csv_column(&s->row, s->columns[i].name);
        if (s->at[i] != UINT32_MAX || !s->columns[i].is_required || used >= sizeof missing)
            continue;
        used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%s",
                                 lacking++ > 0 ? ", " : "", s->columns[i].name);
    }
    if (lacking == 0)
        return HS_OK;
    struct hs_place place = hs_csv_place(s->csv, 0);
    return hs_fail(s->diag, HS_E_INPUT, &place, NULL, "missing column%s: %s",
                   lacking > 1 ? "s" : "", missing);
}

static void close_files(struct sheet *s)
{
    hs_csv_close(s->csv);
    hs_input_close(s->input);
}

static enum hs_status sheet_open(struct sheet *s, const char *path,
                                 const struct sheet_column *columns, uint32_t count,
                                 struct hs_diag *diag)
{
    *s = (struct sheet){.columns = columns, .count = count, .diag = diag};
    HS_TRY(hs_input_open(&s->input, path, diag));
    hs_csv_open(&s->csv, s->input, ',', diag);
    enum hs_status status = hs_csv_next(s->csv, &s->row);
    s->width = s->row.count;
    if (status == HS_END)
        status =
            hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL, "the file is empty");
    else if (status == HS_OK)
        status = find_columns(s);
    if (status != HS_OK)
        close_files(s);
    return status;
}

static bool sheet_next(struct sheet *s)
{
    while (s->faults < FAULTS_MAX) {
        enum hs_status status = hs_csv_next(s->csv, &s->row);
        if (status == HS_END)
            return false;
        if (status == HS_OK) {
            s->rows++;
            if (s->row.count == s->width)
                return true;
            struct hs_place place = hs_csv_place(s->csv, s->row.count);
            status = hs_fail(s->diag, HS_E_INPUT, &place, NULL,
                             "%" PRIu32 " fields, the header has %" PRIu32, s->row.count, s->width);
        }
        note(s, status);
        if (status != HS_E_INPUT)
            return false;
    }
    return false;
}

static const char *sheet_text(const struct sheet *s, uint32_t column)
{
    return s->at[column] < s->row.count ? s->row.fields[s->at[column]] : "";
}

static bool sheet_name(struct sheet *s, uint32_t column, const char **out)
{
    const char *text = sheet_text(s, column);
    bool is_name = text[0] != '\0' && strlen(text) <= HS_MEASURE_NAME_MAX;
    for (const char *c = text; *c != '\0'; c++)
        is_name = is_name && *c != '/' && !iscntrl((unsigned char)*c);
    if (is_name)
        *out = text;
    else
        sheet_fault(s, column, "1 to 255 characters without '/'", "%s is not a name: '%.80s'",
                    s->columns[column].name, text);
    return is_name;
}

static bool sheet_number(struct sheet *s, uint32_t column, double *out)
{
    const struct sheet_column *c = &s->columns[column];
    const char *text = sheet_text(s, column);
    char low[HS_FMT_MAX + 1], high[HS_FMT_MAX + 1];
    double value;
    /* Programs write these for a run that gave no figure; other text is a slip. */
    static const char *const none[] = {"",          "nan",       "inf",  "+inf", "-inf",
                                       "infinity",  "-infinity", "null", "na",   "n/a",
                                       "+infinity", "-nan",      "none"};

    *out = NAN;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (strcasecmp(text, none[i]) == 0)
            return true;
    if (!hs_parse_double(text, strlen(text), &value)) {
        sheet_fault(s, column, c->hint, "%s is not a number: '%.80s'", c->name, text);
        return false;
    }
    if (value >= c->min && value <= c->max) {
        *out = value / c->unit;
        return true;
    }
    low[hs_fmt_double(low, c->min)] = '\0';
    high[hs_fmt_double(high, c->max)] = '\0';
    sheet_fault(s, column, c->hint, "%s is %.80s, out of %s..%s", c->name, text, low, high);
    return false;
}

static enum hs_status sheet_close(struct sheet *s, struct hs_measurements *m)
{
    if (s->status == HS_OK)
        hs_measure_file_add(m, hs_input_path(s->input), hs_input_hash(s->input),
                            hs_input_bytes(s->input), s->rows);
    close_files(s);
    return s->status;
}

/* ---- Lucid ----
 * The artifact of Lucid (ASPLOS'23): single_data.csv, 66 configurations alone, and
 * colocate_info.csv, 1388 pairs of them on one GPU, an RTX 3090 (comment in its policy/lucid.py).
 * Speeds of pairs are relative to the same job alone. */

#define LUCID_GPU  "RTX3090"
#define SOLO_FILE  "single_data.csv"
#define PAIR_FILE  "colocate_info.csv"
#define PATH_SIZE  4096
#define BESIDE_ONE "1 is the speed alone"

#define SOLO_COLUMNS(X)                                                                            \
    X(MODEL, "model", true, NO_NUMBER)                                                             \
    X(DATASET, "dataset", true, NO_NUMBER)                                                         \
    X(BATCH, "batchsize", true, NO_NUMBER)                                                         \
    X(AMP, "amp", true, NO_NUMBER)                                                                 \
    X(SPEED, "speed", true, ANY(NULL))                                                             \
    X(UTIL, "gpu_util", true, PER_CENT)                                                            \
    X(BW_UTIL, "gmem_util", true, PER_CENT)                                                        \
    X(MEMORY, "gmem", true, MIB)

#define PAIR_COLUMNS(X)                                                                            \
    X(MODEL_A, "model1", true, NO_NUMBER)                                                          \
    X(DATASET_A, "dataset1", true, NO_NUMBER)                                                      \
    X(BATCH_A, "batchsize1", true, NO_NUMBER)                                                      \
    X(AMP_A, "amp1", true, NO_NUMBER)                                                              \
    X(GPUS_A, "gpu_num1", false, ANY(NULL))                                                        \
    X(SPEED_A, "speed1", true, ANY(BESIDE_ONE))                                                    \
    X(MODEL_B, "model2", true, NO_NUMBER)                                                          \
    X(DATASET_B, "dataset2", true, NO_NUMBER)                                                      \
    X(BATCH_B, "batchsize2", true, NO_NUMBER)                                                      \
    X(AMP_B, "amp2", true, NO_NUMBER)                                                              \
    X(GPUS_B, "gpu_num2", false, ANY(NULL))                                                        \
    X(SPEED_B, "speed2", true, ANY(BESIDE_ONE))                                                    \
    X(UTIL, "gpu_util", true, PER_CENT)                                                            \
    X(BW_UTIL, "gmem_util", true, PER_CENT)                                                        \
    X(MEMORY, "gmem", true, MIB)

#define SOLO_ENUM(name, ...)                 SOLO_##name,
#define PAIR_ENUM(name, ...)                 PAIR_##name,
#define COLUMN(name, text, is_required, ...) {text, is_required, __VA_ARGS__},
enum { SOLO_COLUMNS(SOLO_ENUM) SOLO_COUNT };
enum { PAIR_COLUMNS(PAIR_ENUM) PAIR_COUNT };
static const struct sheet_column solo_columns[SOLO_COUNT] = {SOLO_COLUMNS(COLUMN)};
static const struct sheet_column pair_columns[PAIR_COUNT] = {PAIR_COLUMNS(COLUMN)};

const char *const hs_measure_folder_files[HS_MEASURE_FOLDER_FILES] = {SOLO_FILE, PAIR_FILE};

static void join(char path[PATH_SIZE], const char *folder, const char *name)
{
    size_t len = strlen(folder);
    (void)snprintf(path, PATH_SIZE, "%s%s%s", folder, len > 0 && folder[len - 1] == '/' ? "" : "/",
                   name);
}

/* The job of four columns from `first` on: model, dataset, batch, amp. Texts are of the row. */
static bool read_lucid_job(struct sheet *s, uint32_t first, uint32_t gpu, struct hs_solo *job)
{
    uint32_t batch = first + SOLO_BATCH, amp = first + SOLO_AMP;
    const char *precision = sheet_text(s, amp);
    int64_t size;
    *job = hs_solo_unmeasured;
    job->gpu = gpu;
    job->line = s->row.line;
    bool is_good = sheet_name(s, first, &job->model);
    is_good = sheet_name(s, first + SOLO_DATASET, &job->dataset) && is_good;
    job->batch = sheet_text(s, batch);
    if (!hs_parse_int64(job->batch, strlen(job->batch), &size) || size < 1) {
        sheet_fault(s, batch, NULL, "%s is not a whole number: '%.80s'", s->columns[batch].name,
                    job->batch);
        is_good = false;
    }
    job->precision = precision[0] == '1' ? "amp" : "fp32";
    if (strcmp(precision, "0") != 0 && strcmp(precision, "1") != 0) {
        sheet_fault(s, amp, NULL, "%s is 0 or 1, not '%.80s'", s->columns[amp].name, precision);
        is_good = false;
    }
    return is_good;
}

static enum hs_status solo_row(struct hs_measurements *m, struct sheet *s, uint32_t gpu)
{
    struct hs_solo job;
    uint32_t index, before = m->solo_count;
    bool is_good = read_lucid_job(s, SOLO_MODEL, gpu, &job);
    is_good = sheet_number(s, SOLO_SPEED, &job.speed) && is_good;
    is_good = sheet_number(s, SOLO_UTIL, &job.util) && is_good;
    is_good = sheet_number(s, SOLO_BW_UTIL, &job.bw_util) && is_good;
    is_good = sheet_number(s, SOLO_MEMORY, &job.mem_mib) && is_good;
    if (!is_good)
        return HS_OK;
    HS_TRY(hs_measure_solo(m, &job, &index));
    if (index < before)
        sheet_fault(s, SOLO_MODEL, NULL, "%s was listed in line %" PRId64, m->solos[index].key,
                    m->solos[index].line);
    return HS_OK;
}

static bool check_one_gpu(struct sheet *s, uint32_t column)
{
    double gpus;
    if (!sheet_number(s, column, &gpus))
        return false;
    if (isnan(gpus) || gpus == 1)
        return true;
    sheet_fault(s, column, NULL, "only pairs on one GPU are understood");
    return false;
}

static enum hs_status pair_row(struct hs_measurements *m, struct sheet *s, uint32_t gpu)
{
    struct hs_solo a, b;
    struct hs_pair row = {.gpu = gpu, .line = s->row.line};
    double speed_b;
    bool is_good = read_lucid_job(s, PAIR_MODEL_A, gpu, &a);
    is_good = read_lucid_job(s, PAIR_MODEL_B, gpu, &b) && is_good;
    is_good = check_one_gpu(s, PAIR_GPUS_A) && check_one_gpu(s, PAIR_GPUS_B) && is_good;
    is_good = sheet_number(s, PAIR_SPEED_A, &row.speed) && is_good;
    is_good = sheet_number(s, PAIR_SPEED_B, &speed_b) && is_good;
    is_good = sheet_number(s, PAIR_UTIL, &row.joint_util) && is_good;
    is_good = sheet_number(s, PAIR_BW_UTIL, &row.joint_bw_util) && is_good;
    is_good = sheet_number(s, PAIR_MEMORY, &row.joint_mem_mib) && is_good;
    if (!is_good)
        return HS_OK;
    HS_TRY(hs_measure_solo(m, &a, &row.own));
    HS_TRY(hs_measure_solo(m, &b, &row.other));
    /* A job that is not in single_data.csv has no utilization, and its speed no known baseline. */
    if (isnan(m->solos[row.own].speed) || isnan(m->solos[row.other].speed))
        row.dropped = HS_DROPPED(NO_SOLO);
    hs_measure_both(m, &row, speed_b, row.dropped);
    return HS_OK;
}

static enum hs_status read_lucid(struct hs_measurements *m, const char *folder,
                                 struct hs_diag *diag)
{
    static const struct {
        const char *file;
        const struct sheet_column *columns;
        uint32_t count;
        enum hs_status (*row)(struct hs_measurements *m, struct sheet *s, uint32_t gpu);
    } sheets[] = {{SOLO_FILE, solo_columns, SOLO_COUNT, solo_row},
                  {PAIR_FILE, pair_columns, PAIR_COUNT, pair_row}};
    uint32_t gpu;
    HS_TRY(hs_measure_gpu(m, LUCID_GPU, &gpu));
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        char path[PATH_SIZE];
        struct sheet sheet;
        join(path, folder, sheets[i].file);
        HS_TRY(sheet_open(&sheet, path, sheets[i].columns, sheets[i].count, diag));
        enum hs_status status = HS_OK;
        while (status == HS_OK && sheet_next(&sheet))
            status = sheets[i].row(m, &sheet, gpu);
        if (status != HS_OK)
            sheet.status = status;
        HS_TRY(sheet_close(&sheet, m));
    }
    return HS_OK;
}

static bool is_lucid(const char *path)
{
    char name[PATH_SIZE], head[HS_MEASURE_HEAD];
    join(name, path, PAIR_FILE);
    hs_measure_head(name, head);
    if (head[0] != '\0')
        return true;
    join(name, path, SOLO_FILE);
    hs_measure_head(name, head);
    return head[0] != '\0';
}

const struct hs_measure_format hs_measure_lucid = {
    "lucid", "a folder with " PAIR_FILE " and " SOLO_FILE, is_lucid, read_lucid};

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
#define SPEED_HINT   "1 is the speed alone; steps or samples a second go into rate_a, rate_b"

#define OWN_COLUMNS(X)                                                                             \
    X(JOB_A, "job_a", true, NO_NUMBER)                                                             \
    X(JOB_B, "job_b", true, NO_NUMBER)                                                             \
    X(GPU, "gpu", true, NO_NUMBER)                                                                 \
    X(SPEED_A, "speed_a", false, 0, SPEED_MAX, 1, SPEED_HINT)                                      \
    X(SPEED_B, "speed_b", false, 0, SPEED_MAX, 1, SPEED_HINT)                                      \
    X(RATE_A, "rate_a", false, 0, RATE_MAX, 1, NULL)                                               \
    X(RATE_B, "rate_b", false, 0, RATE_MAX, 1, NULL)                                               \
    X(UTIL_A, "util_a", false, PER_CENT)                                                           \
    X(UTIL_B, "util_b", false, PER_CENT)                                                           \
    X(UTIL_JOINT, "util_joint", false, PER_CENT)                                                   \
    X(BANDWIDTH_A, "bandwidth_a", false, PER_CENT)                                                 \
    X(BANDWIDTH_B, "bandwidth_b", false, PER_CENT)                                                 \
    X(BANDWIDTH_JOINT, "bandwidth_joint", false, PER_CENT)                                         \
    X(MEMORY_A, "memory_a", false, MIB)                                                            \
    X(MEMORY_B, "memory_b", false, MIB)                                                            \
    X(MEMORY_JOINT, "memory_joint", false, MIB)                                                    \
    X(GPUS, "gpus", false, 1, GPUS_MAX, 1, NULL)                                                   \
    X(SPREAD, "spread", false, NO_NUMBER)                                                          \
    X(NOTE, "note", false, NO_NUMBER)

#define OWN_ENUM(name, ...) OWN_##name,
enum { OWN_COLUMNS(OWN_ENUM) OWN_COUNT };
static const struct sheet_column own_columns[OWN_COUNT] = {OWN_COLUMNS(COLUMN)};

struct key_parts {
    char part[4][HS_MEASURE_NAME_MAX + 1];
};

struct own_reading {
    struct hs_measurements *m;
    struct sheet sheet;
    uint32_t *by_rate; /* rows of pairs whose speed is a rate until all rates alone are known */
    uint32_t by_rate_count, by_rate_cap;
    double highest_share; /* of all utilizations */
};

static bool is_empty(const struct own_reading *r, uint32_t column)
{
    return sheet_text(&r->sheet, column)[0] == '\0';
}

/* NaN for an empty field; a word like nan is a slip here. */
static bool read_number(struct own_reading *r, uint32_t column, double *out)
{
    if (!sheet_number(&r->sheet, column, out))
        return false;
    if (own_columns[column].unit == 100)
        r->highest_share = fmax(r->highest_share, *out); /* fmax passes over NaN */
    if (!isnan(*out) || is_empty(r, column))
        return true;
    sheet_fault(&r->sheet, column, "leave empty what was not measured",
                "%s is not a number: '%.80s'", own_columns[column].name,
                sheet_text(&r->sheet, column));
    return false;
}

/* Splits a key into model, dataset, batch (a whole number or empty), precision. */
static bool split_key(const char *key, struct key_parts *parts)
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

static bool read_key(struct own_reading *r, uint32_t column, struct key_parts *parts,
                     struct hs_solo *job)
{
    const char *key = sheet_text(&r->sheet, column);
    *job = hs_solo_unmeasured;
    if (!split_key(key, parts)) {
        sheet_fault(&r->sheet, column,
                    "Model/Dataset/batch/precision, e.g. ResNet18/CIFAR-10/64/fp32; a model "
                    "without batch: A3C/Pong//fp32",
                    "%s is not a profile key: '%.80s'", own_columns[column].name, key);
        return false;
    }
    job->model = parts->part[0];
    job->dataset = parts->part[1];
    job->batch = parts->part[2];
    job->precision = parts->part[3];
    job->line = r->sheet.row.line;
    return true;
}

/* A figure of a job alone: an empty field says nothing, two figures must be one. */
static void agree(struct own_reading *r, uint32_t column, double found, double *known)
{
    if (isnan(found) || found == *known)
        return;
    if (isnan(*known))
        *known = found;
    else
        sheet_fault(&r->sheet, column, "a job alone has one figure: their mean, for example",
                    "%s differs from an earlier row", own_columns[column].name);
}

/* The columns of one job alone but for its rate; side: 0 = a, 1 = b. */
static enum hs_status take_alone(struct own_reading *r, const struct hs_solo *job, uint32_t side,
                                 uint32_t *index)
{
    double util, bandwidth, memory;
    bool is_good = read_number(r, OWN_UTIL_A + side, &util);
    is_good = read_number(r, OWN_BANDWIDTH_A + side, &bandwidth) && is_good;
    is_good = read_number(r, OWN_MEMORY_A + side, &memory) && is_good;
    HS_TRY(hs_measure_solo(r->m, job, index));
    if (!is_good)
        return HS_OK;
    struct hs_solo *solo = &r->m->solos[*index];
    agree(r, OWN_UTIL_A + side, util, &solo->util);
    agree(r, OWN_BANDWIDTH_A + side, bandwidth, &solo->bw_util);
    agree(r, OWN_MEMORY_A + side, memory, &solo->mem_mib);
    return HS_OK;
}

static bool read_shape(struct own_reading *r, struct hs_solo *job)
{
    double gpus;
    const char *spread = sheet_text(&r->sheet, OWN_SPREAD);
    if (!read_number(r, OWN_GPUS, &gpus))
        return false;
    job->gpus = isnan(gpus) ? 1 : (uint32_t)gpus;
    job->is_spread = strcmp(spread, "yes") == 0;
    if (!isnan(gpus) && gpus != job->gpus)
        sheet_fault(&r->sheet, OWN_GPUS, NULL, "gpus is a whole number");
    else if (spread[0] != '\0' && !job->is_spread && strcmp(spread, "no") != 0)
        sheet_fault(&r->sheet, OWN_SPREAD, NULL, "spread is yes or no, not '%.80s'", spread);
    else if (job->is_spread && job->gpus == 1)
        sheet_fault(&r->sheet, OWN_SPREAD, NULL, "a job on one GPU cannot be spread");
    else
        return true;
    return false;
}

static enum hs_status take_solo(struct own_reading *r, struct hs_solo *job)
{
    static const uint32_t of_pairs[] = {OWN_SPEED_B,         OWN_RATE_B,      OWN_UTIL_B,
                                        OWN_UTIL_JOINT,      OWN_BANDWIDTH_B, OWN_MEMORY_B,
                                        OWN_BANDWIDTH_JOINT, OWN_MEMORY_JOINT};
    uint32_t index;
    double rate;

    for (size_t i = 0; i < sizeof of_pairs / sizeof of_pairs[0]; i++)
        if (!is_empty(r, of_pairs[i]))
            sheet_fault(&r->sheet, of_pairs[i], NULL, "%s of a job alone: job_b is empty",
                        own_columns[of_pairs[i]].name);
    if (!is_empty(r, OWN_SPEED_A))
        sheet_fault(&r->sheet, OWN_SPEED_A, "what it does a second goes into rate_a",
                    "the speed of a job alone is 1 by definition");
    if (!read_shape(r, job) || !read_number(r, OWN_RATE_A, &rate))
        return HS_OK;
    if (rate == 0)
        sheet_fault(&r->sheet, OWN_RATE_A, NULL, "a job that does nothing alone");
    HS_TRY(take_alone(r, job, 0, &index));
    agree(r, OWN_RATE_A, rate, &r->m->solos[index].speed);
    return HS_OK;
}

/* Both speeds of the row, relative or as rates. */
static bool read_speeds(struct own_reading *r, double speeds[2], bool *by_rate)
{
    bool has_speed = !is_empty(r, OWN_SPEED_A) || !is_empty(r, OWN_SPEED_B);
    *by_rate = !is_empty(r, OWN_RATE_A) || !is_empty(r, OWN_RATE_B);
    if (has_speed == *by_rate) {
        sheet_fault(&r->sheet, has_speed ? OWN_RATE_A : OWN_JOB_B,
                    "speed_a and speed_b relative to alone, or rate_a and rate_b a second",
                    has_speed ? "speeds and rates of one pair" : "a pair without a speed");
        return false;
    }
    uint32_t first = *by_rate ? OWN_RATE_A : OWN_SPEED_A;
    bool is_good = read_number(r, first, &speeds[0]);
    return read_number(r, first + 1, &speeds[1]) && is_good;
}

/* A pair may give one speed only: that is one row. */
static enum hs_status take_pair(struct own_reading *r, const struct hs_solo *a,
                                const struct hs_solo *b)
{
    struct hs_pair pair = {.gpu = a->gpu, .line = r->sheet.row.line, .pair = r->m->pair_ids};
    uint32_t jobs[2];
    double speeds[2];
    bool by_rate;

    if ((!is_empty(r, OWN_GPUS) && strcmp(sheet_text(&r->sheet, OWN_GPUS), "1") != 0) ||
        strcmp(sheet_text(&r->sheet, OWN_SPREAD), "yes") == 0)
        sheet_fault(&r->sheet, OWN_GPUS, NULL, "pairs are of jobs on one GPU");
    HS_TRY(take_alone(r, a, 0, &jobs[0]));
    HS_TRY(take_alone(r, b, 1, &jobs[1]));
    bool is_good = read_number(r, OWN_UTIL_JOINT, &pair.joint_util);
    is_good = read_number(r, OWN_BANDWIDTH_JOINT, &pair.joint_bw_util) && is_good;
    is_good = read_number(r, OWN_MEMORY_JOINT, &pair.joint_mem_mib) && is_good;
    is_good = read_speeds(r, speeds, &by_rate) && is_good;
    for (int side = 0; is_good && side < 2; side++) {
        pair.own = jobs[side];
        pair.other = jobs[1 - side];
        pair.speed = speeds[side];
        if (isnan(pair.speed))
            continue;
        if (by_rate) {
            hs_grow((void **)&r->by_rate, &r->by_rate_cap, (uint64_t)r->by_rate_count + 1,
                    sizeof *r->by_rate, HS_MEASURE_MAX);
            r->by_rate[r->by_rate_count++] = r->m->pair_count;
        }
        hs_measure_pair(r->m, &pair);
    }
    return HS_OK;
}

static enum hs_status take_row(struct own_reading *r)
{
    struct key_parts parts_a, parts_b;
    struct hs_solo a, b;
    const char *gpu;
    bool is_pair = !is_empty(r, OWN_JOB_B);
    bool is_good = sheet_name(&r->sheet, OWN_GPU, &gpu);
    is_good = read_key(r, OWN_JOB_A, &parts_a, &a) && is_good;
    is_good = (!is_pair || read_key(r, OWN_JOB_B, &parts_b, &b)) && is_good;
    if (!is_good)
        return HS_OK;
    HS_TRY(hs_measure_gpu(r->m, gpu, &a.gpu));
    b.gpu = a.gpu;
    return is_pair ? take_pair(r, &a, &b) : take_solo(r, &a);
}

/* A column that is not read is data lost. An unnamed one is the index that some programs write. */
static void check_header(struct own_reading *r)
{
    for (uint32_t i = 0; i < r->sheet.row.count; i++) {
        const char *name = r->sheet.row.fields[i], *names[OWN_COUNT];
        bool is_known = name[0] == '\0';
        char hint[64];
        for (uint32_t c = 0; c < OWN_COUNT; c++) {
            names[c] = own_columns[c].name;
            is_known = is_known || r->sheet.at[c] == i;
        }
        if (is_known)
            continue;
        struct hs_place place = hs_csv_place(r->sheet.csv, i);
        const char *nearest = hs_nearest(name, names, OWN_COUNT);
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest != NULL ? nearest : "");
        bool is_twice = nearest != NULL && strcasecmp(nearest, name) == 0;
        r->sheet.status =
            hs_fail(r->sheet.diag, HS_E_INPUT, &place, nearest != NULL && !is_twice ? hint : NULL,
                    is_twice ? "column '%.80s' twice" : "unknown column '%.80s'", name);
        r->sheet.faults++;
    }
}

/* All rates alone are known now. A job without one has no speed: counted, not used. */
static void divide_rates(struct own_reading *r)
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

/* By how much the pairs of a job are busier than its co-runners alone, on average; NaN if not
 * measured. */
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

/* A campaign in which no GPU was ever busy for more than 1 % is one of fractions. So, probably, is
 * the row of a job that is idle alone and not beside others: a job that is idle in truth adds
 * nothing to a pair. */
static void doubt_shares(struct own_reading *r)
{
    struct hs_place place = {.file = hs_input_path(r->sheet.input)};
    if (r->sheet.status != HS_OK)
        return;
    if (r->highest_share > 0 && r->highest_share <= SHARE_OF_ONE) {
        r->sheet.status = hs_fail(r->sheet.diag, HS_E_INPUT, &place, "per cent: 45, not 0.45",
                                  "no utilization is above 1: these are fractions");
        return;
    }
    for (uint32_t i = 0; i < r->m->solo_count; i++) {
        const struct hs_solo *solo = &r->m->solos[i];
        place.line = solo->line;
        if (solo->util > 0 && solo->util <= SHARE_OF_ONE && added_share(r->m, i) > SHARE_ADDED)
            hs_report(r->sheet.diag, HS_WARNING, &place, "per cent: 45, not 0.45",
                      "%s: at most 1 %% busy alone, but pairs with it are busier than the other "
                      "jobs alone by more than 5 %%",
                      solo->key);
    }
}

static enum hs_status read_own(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct own_reading r = {.m = m};
    enum hs_status status = HS_OK;
    HS_TRY(sheet_open(&r.sheet, path, own_columns, OWN_COUNT, diag));
    check_header(&r);
    while (status == HS_OK && sheet_next(&r.sheet))
        status = take_row(&r);
    if (status != HS_OK)
        r.sheet.status = status;
    divide_rates(&r);
    doubt_shares(&r);
    hs_free(r.by_rate);
    return sheet_close(&r.sheet, m);
}

static bool is_own(const char *path)
{
    static const uint32_t telling[] = {OWN_JOB_A,   OWN_JOB_B,  OWN_SPEED_A,
                                       OWN_SPEED_B, OWN_RATE_A, OWN_RATE_B};
    char head[HS_MEASURE_HEAD];
    hs_measure_head(path, head);
    head[strcspn(head, "\r\n")] = '\0';
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++)
        if (strstr(head, own_columns[telling[i]].name) != NULL)
            return true;
    return false;
}

const struct hs_measure_format hs_measure_own = {
    "own", "a CSV with job_a, job_b, gpu, speed_a, speed_b, ... (configs/models/README.md)", is_own,
    read_own};
