/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of measurement formats, and the store that their readers fill. Jobs are found again by
 * a hash of what makes them one job: O(1) a row. Nothing depends on the order of the hash: jobs are
 * numbered as they first appear.
 */
#include "calibrate/measure.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "calibrate/measure_private.h"

#define GPUS_MAX (sizeof((struct hs_measurements *)0)->gpus / sizeof(const char *))
#define KEY_MAX  (4 * (HS_MEASURE_NAME_MAX + 1))

const char *const hs_dropped_texts[HS_DROPPED_COUNT] = {
#define DROPPED_TEXT(name, text) [HS_DROPPED_BIT_##name] = text,
    HS_DROPPED_LIST(DROPPED_TEXT)
#undef DROPPED_TEXT
};

#define FORMATS(X)                                                                                 \
    X(lucid)                                                                                       \
    X(gavel)                                                                                       \
    X(own)

#define DECLARE(name) extern const struct hs_measure_format hs_measure_format_##name;
FORMATS(DECLARE)
#undef DECLARE

static const struct hs_measure_format *const formats[] = {
#define ENTRY(name) &hs_measure_format_##name,
    FORMATS(ENTRY)
#undef ENTRY
};
#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

/* ---- for the readers ---- */

void hs_measure_head(const char *path, char text[HS_MEASURE_HEAD])
{
    struct hs_diag quiet;
    struct hs_input *input = NULL;
    const char *data = NULL;
    size_t len = 0;

    hs_diag_init(&quiet, NULL, NULL);
    text[0] = '\0';
    if (hs_input_open(&input, path, &quiet) != HS_OK)
        return;
    if (hs_input_peek(input, &data, &len) == HS_OK && len > 0) {
        if (len >= HS_MEASURE_HEAD)
            len = HS_MEASURE_HEAD - 1;
        memcpy(text, data, len);
        text[len] = '\0';
    }
    hs_input_close(input);
}

enum hs_status hs_measure_file_add(struct hs_measurements *m, const char *path, uint64_t hash,
                                   uint64_t bytes, uint64_t rows)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    if (m->file_count == HS_MEASURE_FILES_MAX)
        return HS_E_LIMIT;
    struct hs_measure_file *file = &m->files[m->file_count];
    *file = (struct hs_measure_file){
        .name = hs_arena_text(&m->arena, name, strlen(name)),
        .hash = hash,
        .bytes = bytes,
        .rows = rows,
    };
    if (file->name == NULL)
        return HS_E_MEMORY;
    m->file_count++;
    return HS_OK;
}

enum hs_status hs_measure_gpu(struct hs_measurements *m, const char *name, uint32_t *index)
{
    for (*index = 0; *index < m->gpu_count; ++*index)
        if (strcmp(m->gpus[*index], name) == 0)
            return HS_OK;
    if (m->gpu_count == GPUS_MAX)
        return HS_E_LIMIT;
    const char *copy = hs_arena_text(&m->arena, name, strlen(name));
    if (copy == NULL)
        return HS_E_MEMORY;
    m->gpus[m->gpu_count++] = copy;
    return HS_OK;
}

static const char *copy_of(struct hs_measurements *m, const char *text)
{
    return text != NULL ? hs_arena_text(&m->arena, text, strlen(text)) : NULL;
}

static enum hs_status solo_add(struct hs_measurements *m, const struct hs_solo *solo,
                               const char *key)
{
    struct hs_solo copy = *solo;
    copy.key = copy_of(m, key);
    copy.model = copy_of(m, solo->model);
    copy.dataset = copy_of(m, solo->dataset);
    copy.batch = copy_of(m, solo->batch);
    copy.precision = copy_of(m, solo->precision);
    copy.family = solo->family != NULL ? copy_of(m, solo->family) : copy.model;
    if (copy.key == NULL || copy.model == NULL || copy.dataset == NULL || copy.batch == NULL ||
        copy.precision == NULL || copy.family == NULL)
        return HS_E_MEMORY;
    HS_TRY(hs_grow((void **)&m->solos, &m->solo_cap, (uint64_t)m->solo_count + 1, sizeof *m->solos,
                   HS_MEASURE_MAX));
    m->solos[m->solo_count++] = copy;
    return HS_OK;
}

enum hs_status hs_measure_solo(struct hs_measurements *m, const struct hs_solo *solo,
                               uint32_t *index)
{
    char key[KEY_MAX], name[KEY_MAX + 64];
    uint32_t id;

    int len = snprintf(key, sizeof key, "%s/%s/%s/%s", solo->model, solo->dataset, solo->batch,
                       solo->precision);
    if (len < 0 || (size_t)len >= sizeof key)
        return HS_E_LIMIT;
    (void)snprintf(name, sizeof name, "%s %" PRIu32 " %" PRIu32 " %d", key, solo->gpu, solo->gpus,
                   solo->is_spread);
    if (m->solo_names.table_size == 0)
        HS_TRY(hs_intern_init(&m->solo_names));
    HS_TRY(hs_intern_get(&m->solo_names, name, &id));
    *index = id - 1; /* id 0 is the empty text */
    if (*index < m->solo_count)
        return HS_OK;
    assert(*index == m->solo_count);
    return solo_add(m, solo, key);
}

enum hs_status hs_measure_pair(struct hs_measurements *m, const struct hs_pair *pair)
{
    assert(pair->own < m->solo_count && pair->other < m->solo_count);
    HS_TRY(hs_grow((void **)&m->pairs, &m->pair_cap, (uint64_t)m->pair_count + 1, sizeof *m->pairs,
                   HS_MEASURE_MAX));
    struct hs_pair *row = &m->pairs[m->pair_count++];
    *row = *pair;
    row->rebased = row->speed;
    if (pair->pair >= m->pair_ids)
        m->pair_ids = pair->pair + 1;
    return HS_OK;
}

enum hs_status hs_measure_both(struct hs_measurements *m, const struct hs_pair *first,
                               double speed_of_other, uint32_t dropped_of_other)
{
    struct hs_pair row = *first;
    row.pair = m->pair_ids;
    HS_TRY(hs_measure_pair(m, &row));
    row.own = first->other;
    row.other = first->own;
    row.speed = speed_of_other;
    row.dropped = dropped_of_other;
    return hs_measure_pair(m, &row);
}

/* ---- reading ---- */

static enum hs_status unknown_fail(const char *path, bool is_folder, struct hs_diag *diag)
{
    char hint[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < FORMAT_COUNT && used < sizeof hint; i++) {
        int len = snprintf(hint + used, sizeof hint - used, "%s%s: %s", i > 0 ? "; " : "",
                           formats[i]->name, formats[i]->summary);
        used += len > 0 ? (size_t)len : 0;
    }
    return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, hint,
                   is_folder ? "no measurements are known in this folder"
                             : "not a file of measurements");
}

/* Sees to it that a path that cannot be read, or has nothing in it, is told as such. */
static enum hs_status path_check(const char *path, bool *is_folder, struct hs_diag *diag)
{
    struct hs_place place = {.file = path};
    struct stat info;
    struct hs_input *input;
    const char *data;
    size_t len;

    *is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    if (*is_folder)
        return HS_OK;
    if (strcmp(path, "-") == 0)
        return hs_fail(diag, HS_E_INPUT, NULL, "write them to a file first",
                       "measurements cannot be read from standard input");
    HS_TRY(hs_input_open(&input, path, diag));
    enum hs_status status = hs_input_peek(input, &data, &len);
    hs_input_close(input);
    if (status == HS_END || (status == HS_OK && len == 0))
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "the file is empty");
    return status;
}

static enum hs_status read_any(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    bool is_folder;
    HS_TRY(path_check(path, &is_folder, diag));
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (!formats[i]->recognise(path))
            continue;
        m->format = formats[i]->name;
        return formats[i]->read(m, path, diag);
    }
    return unknown_fail(path, is_folder, diag);
}

enum hs_status hs_measure_read(struct hs_measurements *m, const char *path, struct hs_diag *diag)
{
    uint64_t errors = diag->errors;
    enum hs_status status = read_any(m, path, diag);
    struct hs_place place = {.file = path};

    if (status != HS_OK && diag->errors == errors) /* of the store, which cannot report */
        return hs_fail(diag, status, &place, NULL, "%s: at most %u measurements, %zu GPU types",
                       hs_status_text(status), HS_MEASURE_MAX, GPUS_MAX);
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
