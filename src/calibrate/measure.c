/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store that readers of measurements fill, the table of formats, and Gavel's. A job is found
 * again by a hash of what makes it one job: O(1) a row. Jobs are numbered as they first appear, so
 * that nothing depends on the order of the hash.
 */
#include "calibrate/measure.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fmt.h"
#include "base/io.h"
#include "data/gaveljob.h"
#include "data/json.h"

#define KEY_MAX (4 * (HS_MEASURE_NAME_MAX + 1))

const char *const hs_dropped_texts[HS_DROPPED_COUNT] = {
#define DROPPED_TEXT(name, text) [HS_DROPPED_BIT_##name] = text,
    HS_DROPPED_LIST(DROPPED_TEXT)
#undef DROPPED_TEXT
};

/* ---- the store ---- */

const struct hs_solo hs_solo_unmeasured = {
    .gpus = 1, .speed = NAN, .util = NAN, .bw_util = NAN, .mem_mib = NAN};

/* The first bytes of a file as text; "" of an empty one. */
static enum hs_status read_head(const char *path, char text[HS_MEASURE_HEAD], struct hs_diag *diag)
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

void hs_measure_head(const char *path, char text[HS_MEASURE_HEAD])
{
    struct hs_diag quiet;
    hs_diag_init(&quiet, NULL, NULL);
    (void)read_head(path, text, &quiet); /* one that cannot be read is as good as empty */
}

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

enum hs_status hs_measure_gpu(struct hs_measurements *m, const char *name, uint32_t *index)
{
    for (*index = 0; *index < m->gpu_count; ++*index)
        if (strcmp(m->gpus[*index], name) == 0)
            return HS_OK;
    if (m->gpu_count == HS_MEASURE_GPUS_MAX)
        return HS_E_LIMIT;
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
    hs_grow((void **)&m->solos, &m->solo_cap, (uint64_t)m->solo_count + 1, sizeof *m->solos,
            HS_MEASURE_MAX);
    struct hs_solo *copy = &m->solos[m->solo_count++];
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
    hs_grow((void **)&m->pairs, &m->pair_cap, (uint64_t)m->pair_count + 1, sizeof *m->pairs,
            HS_MEASURE_MAX);
    struct hs_pair *row = &m->pairs[m->pair_count++];
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

#define JSON_MAX (UINT64_C(16) << 20) /* of hs_json_load */
#define SPREAD   "_unconsolidated"
#define ALONE    "null"

struct gavel_reading {
    struct hs_measurements *m;
    struct hs_jsoncheck check;
    uint32_t gpu;
    bool is_spread;
    uint64_t numbers;
};

/* The job that a member is about; known to m afterwards. */
static enum hs_status find_job(const struct gavel_reading *r, const struct hs_json *member,
                               double speed, uint32_t *index)
{
    struct hs_gavel_job name;
    const char *dataset;
    if (!hs_gavel_job_parse(hs_json_key(member), &name)) {
        struct hs_place place = hs_json_place_key(r->check.doc, member);
        return hs_fail(r->check.diag, HS_E_INPUT, &place,
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

/* Both speeds of a pair; false if the entry is none. */
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

/* Relative to the speed alone. What ran at 0 did so whatever its speed alone. */
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
    struct hs_pair row = {
        .own = own, .gpu = r->gpu, .joint_util = NAN, .joint_bw_util = NAN, .joint_mem_mib = NAN};
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

/* All jobs first: a pair needs the speed alone of both. */
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
        struct hs_place place = hs_json_place_key(r->check.doc, jobs);
        return hs_fail(r->check.diag, HS_E_INPUT, &place, NULL, "not the name of a GPU type");
    }
    for (size_t i = 0; i < len; i++)
        name[i] = (char)toupper((unsigned char)key[i]);
    name[len] = '\0';
    HS_TRY(hs_measure_gpu(r->m, name, &r->gpu));
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
    char *text;
    size_t len;
    HS_TRY(hs_json_load(&r.check.doc, path, diag));
    const struct hs_json *root = hs_json_root(r.check.doc);
    enum hs_status status = HS_OK;
    if (hs_jsoncheck_filled(&r.check, root, HS_JSON_OBJECT, "a file of throughputs"))
        for (const struct hs_json *g = hs_json_first(root); g != NULL && status == HS_OK;
             g = hs_json_next(g))
            status = read_gpu(&r, g);
    hs_json_close(r.check.doc);
    HS_TRY(status);
    HS_TRY(r.check.status);
    HS_TRY(hs_read_file(path, JSON_MAX, &text, &len, diag)); /* for the hash of its bytes */
    uint64_t hash = hs_hash_of(text, len);
    hs_free(text);
    hs_measure_file_add(m, path, hash, len, r.numbers);
    return HS_OK;
}

static bool is_gavel(const char *path, const char *head)
{
    (void)path;
    const char *text = strncmp(head, "\xEF\xBB\xBF", 3) == 0 ? head + 3 : head;
    return text[strspn(text, " \t\r\n")] == '{';
}

/* ---- reading ---- */

static const struct hs_measure_format gavel = {
    "gavel", "a JSON of throughputs {gpu: {job: {\"null\": alone, other: [own, other]}}}", is_gavel,
    read_gavel};
static const struct hs_measure_format *const formats[] = {&hs_measure_lucid, &gavel,
                                                          &hs_measure_own};

static enum hs_status read_any(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    struct stat info;
    char head[HS_MEASURE_HEAD] = "", hint[512] = "";
    bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    if (strcmp(path, "-") == 0)
        return hs_fail(diag, HS_E_INPUT, NULL, "write them to a file first",
                       "measurements cannot be read from standard input");
    if (!is_folder)
        HS_TRY(read_head(path, head, diag));
    if (!is_folder && head[0] == '\0')
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                       "the file is empty");
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const struct hs_measure_format *format = formats[i];
        if (format->recognise(path, head)) {
            m->format = format->name;
            return format->read(m, path, diag);
        }
        hs_append(hint, sizeof hint, "%s%s: %s", i > 0 ? "; " : "", format->name, format->summary);
    }
    return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, hint,
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

void hs_measure_free(struct hs_measurements *m)
{
    hs_arena_free(&m->arena);
    hs_intern_free(&m->solo_names);
    hs_free(m->solos);
    hs_free(m->pairs);
    *m = (struct hs_measurements){0};
}
