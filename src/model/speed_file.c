/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads speed.json (configs/models/README.md documents it), strictly: whatever is not understood is
 * an error at its place, and all errors of the file are shown in one go.
 */
#include <math.h>
#include <string.h>

#include "base/fixed.h"
#include "model/modelfile.h"
#include "model/speed_private.h"

#define SPEED_MIN 1e-3 /* of one GPU type relative to another */
#define SPEED_MAX 1e3
#define SHARE_MIN 1e-3 /* of an efficiency or a spread factor */
#define GANG_MAX  1048576
#define MAPE_MAX  1e6 /* as far apart as two speeds within those limits can be */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct reader {
    struct hs_jsoncheck check;
    struct hs_speed_file *file;
};

static void *take(struct reader *r, uint64_t count, size_t size)
{
    void *memory = hs_arena_alloc(&r->file->arena, count * size);
    if (memory == NULL && r->check.status == HS_OK)
        hs_jsoncheck_note(&r->check, hs_fail(r->check.diag, HS_E_MEMORY, NULL, NULL,
                                             "no memory for the speed tables"));
    return memory;
}

static const char *copy_text(struct reader *r, const char *text)
{
    char *copy = take(r, strlen(text) + 1, 1);
    if (copy != NULL)
        memcpy(copy, text, strlen(text));
    return copy;
}

/* A text that must be there. */
static const char *read_name(struct reader *r, const struct hs_json *object, const char *key)
{
    if (hs_json_get(object, key) == NULL)
        hs_jsoncheck_fault(&r->check, object, NULL, "\"%s\" is missing", key);
    const char *text = hs_jsoncheck_text(&r->check, object, key);
    return text != NULL ? copy_text(r, text) : NULL;
}

/* The members of an array of objects; NULL and none if the array is not there. */
static const struct hs_json *read_list(struct reader *r, const char *key, const char *what)
{
    const struct hs_json *list = hs_json_get(hs_json_root(r->check.doc), key);
    if (list == NULL || !hs_jsoncheck_kind(&r->check, list, HS_JSON_ARRAY, key))
        return NULL;
    bool is_good = true;
    for (const struct hs_json *at = hs_json_first(list); at != NULL; at = hs_json_next(at))
        is_good &= hs_jsoncheck_kind(&r->check, at, HS_JSON_OBJECT, what);
    return is_good ? list : NULL;
}

/* ---- types ---- */

uint32_t hs_speed_file_type(const struct hs_speed_file *file, const char *name)
{
    for (uint32_t t = 0; t < file->type_count; t++)
        if (hs_model_same_name(file->types[t], name))
            return t;
    return UINT32_MAX;
}

static uint32_t find_type(struct reader *r, const struct hs_json *at, const char *name)
{
    uint32_t type = hs_speed_file_type(r->file, name);
    if (type == UINT32_MAX)
        hs_jsoncheck_fault(&r->check, at, "list it under \"types\"", "unknown GPU type '%s'", name);
    return type;
}

/* UINT32_MAX after a fault. */
static uint32_t read_type(struct reader *r, const struct hs_json *object, const char *key)
{
    const char *name = read_name(r, object, key);
    return name != NULL ? find_type(r, hs_json_get(object, key), name) : UINT32_MAX;
}

static void read_types(struct reader *r)
{
    const struct hs_json *root = hs_json_root(r->check.doc);
    const struct hs_json *list = hs_json_get(root, "types");
    struct hs_speed_file *file = r->file;
    if (!hs_jsoncheck_filled(&r->check, list, HS_JSON_ARRAY, "types"))
        return;
    for (const struct hs_json *t = hs_json_first(list); t != NULL; t = hs_json_next(t)) {
        const char *name = hs_json_text(t);
        if (!hs_jsoncheck_kind(&r->check, t, HS_JSON_TEXT, "a GPU type") ||
            !hs_jsoncheck_name(&r->check, t, name, "a GPU type"))
            continue;
        if (hs_speed_file_type(file, name) != UINT32_MAX) {
            hs_jsoncheck_fault(&r->check, t, NULL, "GPU type '%s' appears twice", name);
        } else if (file->type_count == HS_GPU_TYPES_MAX) {
            hs_jsoncheck_fault(&r->check, t, NULL, "more than %u GPU types", HS_GPU_TYPES_MAX);
            return;
        } else {
            const char *copy = copy_text(r, name);
            if (copy == NULL)
                return;
            file->types[file->type_count++] = copy;
        }
    }
    (void)read_type(r, root, "reference");
}

/* ---- jobs and families ---- */

static const double *read_speeds(struct reader *r, const struct hs_json *owner)
{
    const struct hs_json *speeds = hs_json_get(owner, "speed");
    double *out = take(r, r->file->type_count, sizeof *out);
    if (out == NULL || !hs_jsoncheck_kind(&r->check, speeds, HS_JSON_OBJECT, "speed"))
        return out;
    for (const struct hs_json *s = hs_json_first(speeds); s != NULL; s = hs_json_next(s)) {
        uint32_t type = find_type(r, s, hs_json_key(s));
        double speed;
        if (hs_jsoncheck_number(&r->check, speeds, hs_json_key(s), SPEED_MIN, SPEED_MAX, &speed) &&
            type != UINT32_MAX)
            out[type] = speed;
    }
    return out;
}

/* Splits Model/Dataset/batch/precision. */
static void read_profile(struct reader *r, const struct hs_json *json, struct hs_speed_job *job)
{
    const char **parts[] = {&job->model, &job->dataset, &job->batch, &job->precision};
    const char *key = hs_jsoncheck_text(&r->check, json, "profile");
    uint32_t slashes = 0;
    for (const char *c = key != NULL ? key : ""; *c != '\0'; c++)
        slashes += *c == '/';
    if (key == NULL || slashes != COUNT_OF(parts) - 1) {
        hs_jsoncheck_fault(&r->check, json, NULL,
                           "a job names its profile: Model/Dataset/batch/precision");
        return;
    }
    char *at = take(r, strlen(key) + 1, 1);
    if (at == NULL)
        return;
    memcpy(at, key, strlen(key));
    job->profile = copy_text(r, key);
    for (uint32_t i = 0; i < COUNT_OF(parts); i++) {
        *parts[i] = at;
        at += strcspn(at, "/");
        *at++ = '\0';
    }
}

static void check_job_once(struct reader *r, const struct hs_json *at,
                           const struct hs_speed_job *job)
{
    for (const struct hs_speed_job *other = r->file->jobs; job->profile != NULL && other < job;
         other++)
        if (other->profile != NULL && hs_model_same_name(other->profile, job->profile))
            hs_jsoncheck_fault(&r->check, hs_json_get(at, "profile"), NULL,
                               "profile '%s' appears twice", job->profile);
}

static void read_jobs(struct reader *r)
{
    static const char *const keys[] = {"profile", "family", "speed"};
    const struct hs_json *list = read_list(r, "jobs", "a job");
    struct hs_speed_file *file = r->file;
    file->jobs = take(r, hs_json_count(list), sizeof *file->jobs);
    if (file->jobs == NULL)
        return;
    for (const struct hs_json *j = hs_json_first(list); j != NULL; j = hs_json_next(j)) {
        struct hs_speed_job *job = &file->jobs[file->job_count++];
        hs_jsoncheck_keys(&r->check, j, keys, COUNT_OF(keys), "a job");
        read_profile(r, j, job);
        check_job_once(r, j, job);
        (void)hs_jsoncheck_text(&r->check, j, "family");
        job->speed = read_speeds(r, j);
    }
}

static void check_family_once(struct reader *r, const struct hs_json *at,
                              const struct hs_speed_family *family)
{
    const struct hs_speed_family *other = r->file->families;
    for (; family->name != NULL && other < family; other++)
        if (other->name != NULL && hs_model_same_name(other->name, family->name))
            hs_jsoncheck_fault(&r->check, hs_json_get(at, "family"), NULL,
                               "family '%s' appears twice", family->name);
}

static void read_families(struct reader *r)
{
    static const char *const keys[] = {"family", "jobs", "speed"};
    const struct hs_json *list = read_list(r, "families", "a family");
    struct hs_speed_file *file = r->file;
    file->families = take(r, hs_json_count(list), sizeof *file->families);
    if (file->families == NULL)
        return;
    for (const struct hs_json *f = hs_json_first(list); f != NULL; f = hs_json_next(f)) {
        struct hs_speed_family *family = &file->families[file->family_count++];
        hs_jsoncheck_keys(&r->check, f, keys, COUNT_OF(keys), "a family");
        (void)hs_jsoncheck_int(&r->check, f, "jobs", 1, UINT32_MAX, 1);
        family->name = read_name(r, f, "family");
        check_family_once(r, f, family);
        family->speed = read_speeds(r, f);
    }
}

/* ---- gangs ---- */

static void read_point(struct reader *r, const struct hs_json *size, const struct hs_json *value,
                       struct hs_speed_curve *curve)
{
    int64_t gpus;
    double share = hs_json_number(value);
    uint32_t before = curve->count > 0 ? curve->gpus[curve->count - 1] : 1;
    if (!hs_json_int(size, &gpus) || gpus <= before || gpus > GANG_MAX) {
        hs_jsoncheck_fault(&r->check, size, "one GPU is the reference",
                           "gpus must be whole numbers from 2 on, ascending");
        return;
    }
    if (!(share >= SHARE_MIN && share <= 1)) {
        hs_jsoncheck_fault(&r->check, value, NULL, "a share must be a number %g..1", SHARE_MIN);
        return;
    }
    curve->gpus[curve->count] = (uint32_t)gpus;
    curve->value_q32[curve->count++] = (uint64_t)(share * (double)HS_Q32_ONE + 0.5);
}

static void read_curve(struct reader *r, const struct hs_json *owner, const char *key,
                       struct hs_speed_curve *curve)
{
    const struct hs_json *sizes = hs_json_get(owner, "gpus"), *values = hs_json_get(owner, key);
    if (!hs_jsoncheck_filled(&r->check, sizes, HS_JSON_ARRAY, "gpus") ||
        !hs_jsoncheck_filled(&r->check, values, HS_JSON_ARRAY, key))
        return;
    if (hs_json_count(sizes) != hs_json_count(values) || hs_json_count(sizes) > HS_SPEED_SIZES) {
        hs_jsoncheck_fault(&r->check, values, NULL,
                           "one number for each of \"gpus\", of which there are at most %u",
                           HS_SPEED_SIZES);
        return;
    }
    const struct hs_json *size = hs_json_first(sizes), *value = hs_json_first(values);
    for (; size != NULL; size = hs_json_next(size), value = hs_json_next(value))
        read_point(r, size, value, curve);
}

static void check_scaling_once(struct reader *r, const struct hs_json *at,
                               const struct hs_speed_scaling *first,
                               const struct hs_speed_scaling *one)
{
    for (; one->family != NULL && first < one; first++)
        if (first->family != NULL && first->type == one->type &&
            hs_model_same_name(first->family, one->family))
            hs_jsoncheck_fault(&r->check, at, NULL, "family '%s' appears twice on this GPU type",
                               one->family);
}

static struct hs_speed_scaling *read_scaling(struct reader *r, const char *list_key,
                                             const char *value_key, uint32_t *count)
{
    const char *const keys[] = {"family", "gpu", "jobs", "gpus", value_key};
    const struct hs_json *list = read_list(r, list_key, "an entry");
    struct hs_speed_scaling *out = take(r, hs_json_count(list), sizeof *out);
    if (out == NULL)
        return NULL;
    for (const struct hs_json *s = hs_json_first(list); s != NULL; s = hs_json_next(s)) {
        struct hs_speed_scaling *one = &out[*count];
        hs_jsoncheck_keys(&r->check, s, keys, COUNT_OF(keys), list_key);
        one->family = read_name(r, s, "family");
        one->type = read_type(r, s, "gpu");
        check_scaling_once(r, s, out, one);
        (void)hs_jsoncheck_int(&r->check, s, "jobs", 1, UINT32_MAX, 1);
        read_curve(r, s, value_key, &one->curve);
        ++*count;
    }
    return out;
}

/* ---- errors ---- */

/* Of what is written, the runtime needs the errors of jobs that were left out of the fit. */
static void read_holdout(struct reader *r)
{
    static const char *const keys[] = {"protocol", "fallback", "gpu", "reference",
                                       "n",        "mape",     "p95"};
    static const struct {
        const char *name;
        enum hs_speed_source source;
    } fallbacks[] = {{"batch", HS_SPEED_BATCH}, {"family", HS_SPEED_FAMILY}};
    const struct hs_json *list = read_list(r, "holdout", "a score of holdout");
    struct hs_speed_file *file = r->file;
    file->holdout = take(r, hs_json_count(list), sizeof *file->holdout);
    if (file->holdout == NULL)
        return;
    for (const struct hs_json *h = hs_json_first(list); h != NULL; h = hs_json_next(h)) {
        struct hs_speed_holdout one = {.type = read_type(r, h, "gpu"),
                                       .reference = read_type(r, h, "reference")};
        const char *protocol = read_name(r, h, "protocol"), *fallback = read_name(r, h, "fallback");
        hs_jsoncheck_keys(&r->check, h, keys, COUNT_OF(keys), "a score of holdout");
        (void)hs_jsoncheck_number(&r->check, h, "mape", 0, MAPE_MAX, &one.mape);
        if (protocol == NULL || fallback == NULL || strcmp(protocol, "unseen job") != 0)
            continue;
        for (uint32_t i = 0; i < COUNT_OF(fallbacks); i++)
            if (strcmp(fallback, fallbacks[i].name) == 0) {
                one.fallback = fallbacks[i].source;
                file->holdout[file->holdout_count++] = one;
            }
    }
}

static enum hs_status read_all(struct reader *r)
{
    static const char *const keys[] = {"kind",    "format", "data",   "cleaning",  "rows",
                                       "notes",   "types",  "jobs",   "reference", "families",
                                       "scaling", "spread", "holdout"};
    struct hs_speed_file *file = r->file;
    hs_jsoncheck_keys(&r->check, hs_json_root(r->check.doc), keys, COUNT_OF(keys), "a speed model");
    read_types(r);
    if (file->type_count == 0) /* nothing else can be right */
        return r->check.status;
    read_jobs(r);
    read_families(r);
    file->scaling = read_scaling(r, "scaling", "efficiency", &file->scaling_count);
    file->spread = read_scaling(r, "spread", "factor", &file->spread_count);
    read_holdout(r);
    return r->check.status;
}

enum hs_status hs_speed_file_read(struct hs_speed_file *file, const char *path,
                                  struct hs_diag *diag)
{
    struct reader r = {.file = file};
    *file = (struct hs_speed_file){0};
    enum hs_status status = hs_modelfile_open(&r.check, path, HS_MODEL_SPEED, diag);
    if (status == HS_OK)
        status = read_all(&r);
    hs_json_close(r.check.doc);
    return status;
}
