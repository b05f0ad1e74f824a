/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads speed.json (documented in configs/models/README.md) strictly: unknown content is an error
 * at its place, and all errors of the file are reported at once. Then builds a dense table, profile
 * x type.
 */
#include "model/speed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "base/rng.h"
#include "data/names.h"

#define NONE UINT32_MAX

/* Speeds of a job or a family, relative to the file's reference; 0 = unknown. */
struct speed_row {
    const char *name;                                /* of the profile or the family */
    const char *model, *dataset, *batch, *precision; /* of a job */
    const char *family;                              /* NULL: not stated */
    const double *speed;
};

struct family_curve {
    const char *family;
    uint32_t type; /* of the file */
    struct hs_curve curve;
};

/* Hold-out error of a fallback from one type of the file to another. */
struct holdout {
    enum hs_speed_source fallback;
    uint32_t type, reference;
    double mape;
};

enum curve_kind { SCALING, SPREAD, CURVE_KINDS };

struct speed_cell {
    uint64_t speed_q32;
    enum hs_speed_source source;
    double exact; /* before it was rounded; 0: speed_q32 is it */
};

struct hs_speed {
    /* the file */
    const char *file_types[HS_GPU_TYPES_MAX];
    struct speed_row *jobs, *families;
    struct family_curve *curves[CURVE_KINDS];
    struct holdout *holdout;
    uint32_t file_type_count, job_count, family_count, curve_count[CURVE_KINDS], holdout_count;
    /* the run */
    struct speed_cell *cells; /* [(profile + 1) x types + type] */
    uint32_t *family;         /* of a profile + 1; NONE */
    uint32_t *file_type;      /* of a type of the cluster; NONE */
    uint32_t reference;       /* type of the file; NONE */
    const char *reference_name;
    uint64_t reference_scalar_q32; /* 1 if the type is not in the cluster */
    uint32_t profiles, types;
    const char *type_names[HS_GPU_TYPES_MAX];
    uint64_t uniform_q32;
    struct speed_cell *abroad[HS_GPU_TYPES_MAX]; /* on other types of the file; NULL: unused */
    enum hs_speed_predictor_kind predicted_by;
    uint64_t *predicted_q32; /* predictions, like cells; NULL: no predictor was given */
    uint64_t *mean_q32;      /* of predicted_q32, by type */
    uint64_t *noise_seed;    /* by type; NULL: without noise */
    double noise_sigma;      /* of ln(predicted / predicted_q32) */
    const struct hs_curve **curve_of[CURVE_KINDS];     /* [family x types + type]; NULL = unknown */
    const struct hs_curve **predicted_of[CURVE_KINDS]; /* by family and type like these */
    const struct hs_curve **spread_of_any; /* of jobs without a family, by type; NULL: unknown */
    struct hs_arena arena;
};

#define SPEED_MIN 1e-3 /* of one GPU type relative to another */
#define SPEED_MAX 1e3
#define SHARE_MIN 1e-3 /* of an efficiency or a spread factor */
#define GANG_MAX  1048576
#define MAPE_MAX  1e6 /* the maximum for two speeds within those limits */

struct speed_reader {
    struct hs_jsoncheck check;
    struct hs_speed *m;
};

/* Returns the members of an array of objects; NULL if it is absent. */
static const struct hs_json *read_list(struct speed_reader *r, const char *key, const char *what)
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

static uint32_t find_file_type(const struct hs_speed *m, const char *name)
{
    for (uint32_t t = 0; t < m->file_type_count; t++)
        if (hs_model_same_name(m->file_types[t], name))
            return t;
    return NONE;
}

static uint32_t find_type(struct speed_reader *r, const struct hs_json *at, const char *name)
{
    uint32_t type = find_file_type(r->m, name);
    if (type == NONE)
        hs_jsoncheck_fault(&r->check, at, "list it under \"types\"", "unknown GPU type '%s'", name);
    return type;
}

/* Returns NONE after a fault. */
static uint32_t read_type(struct speed_reader *r, const struct hs_json *object, const char *key)
{
    const char *name = hs_modelfile_name(&r->check, &r->m->arena, object, key);
    return name != NULL ? find_type(r, hs_json_get(object, key), name) : NONE;
}

static void read_types(struct speed_reader *r)
{
    const struct hs_json *root = hs_json_root(r->check.doc);
    const struct hs_json *t = hs_jsoncheck_first(&r->check, root, "types", true);
    struct hs_speed *m = r->m;
    if (t == NULL)
        return;
    for (; t != NULL; t = hs_json_next(t)) {
        const char *name = hs_json_text(t);
        if (!hs_jsoncheck_kind(&r->check, t, HS_JSON_TEXT, "a GPU type") ||
            !hs_jsoncheck_name(&r->check, t, name, "a GPU type"))
            continue;
        if (find_file_type(m, name) != NONE) {
            hs_jsoncheck_fault(&r->check, t, NULL, "GPU type '%s' appears twice", name);
        } else if (m->file_type_count == HS_GPU_TYPES_MAX) {
            hs_jsoncheck_fault(&r->check, t, NULL, "more than %u GPU types", HS_GPU_TYPES_MAX);
            return;
        } else {
            m->file_types[m->file_type_count++] = hs_arena_text(&m->arena, name, strlen(name));
        }
    }
    (void)read_type(r, root, "reference");
}

/* ---- jobs and families ---- */

static void read_profile(struct speed_reader *r, const struct hs_json *json, struct speed_row *job)
{
    const char **parts[] = {&job->model, &job->dataset, &job->batch, &job->precision};
    const char *key = hs_jsoncheck_text(&r->check, json, "profile");
    uint32_t slashes = 0;
    for (const char *c = key != NULL ? key : ""; *c != '\0'; c++)
        slashes += *c == '/';
    if (key == NULL || slashes != HS_COUNT_OF(parts) - 1) {
        hs_jsoncheck_fault(&r->check, json, NULL,
                           "a job names its profile: Model/Dataset/batch/precision");
        return;
    }
    char *at = hs_arena_text(&r->m->arena, key, strlen(key));
    job->name = hs_arena_text(&r->m->arena, key, strlen(key));
    for (uint32_t i = 0; i < HS_COUNT_OF(parts); i++) {
        *parts[i] = at;
        at += strcspn(at, "/");
        *at++ = '\0';
    }
}

/* Reads jobs or families: a row has a unique name under `name_key`, and speeds. */
static struct speed_row *read_rows(struct speed_reader *r, const char *list_key,
                                   const char *name_key, uint32_t *count)
{
    const bool is_job = strcmp(name_key, "profile") == 0;
    const char *const what = is_job ? "a job" : "a family";
    const struct hs_json *list = read_list(r, list_key, what);
    struct speed_row *rows =
        hs_arena_alloc(&r->m->arena, hs_json_count(list) * sizeof(struct speed_row));
    for (const struct hs_json *at = hs_json_first(list); at != NULL; at = hs_json_next(at)) {
        struct speed_row *row = &rows[(*count)++];
        (void)hs_jsoncheck_object(&r->check, at, what,
                                  is_job ? "profile family speed" : "family jobs speed");
        if (is_job) {
            read_profile(r, at, row);
        } else {
            (void)hs_jsoncheck_int(&r->check, at, "jobs", 1, UINT32_MAX, 1);
            row->name = hs_modelfile_name(&r->check, &r->m->arena, at, name_key);
        }
        for (const struct speed_row *other = rows; row->name != NULL && other < row; other++)
            if (other->name != NULL && hs_model_same_name(other->name, row->name))
                hs_jsoncheck_fault(&r->check, hs_json_get(at, name_key), NULL,
                                   "%s '%s' appears twice", name_key, row->name);
        if (is_job && hs_json_get(at, "family") != NULL)
            row->family = hs_modelfile_name(&r->check, &r->m->arena, at, "family");
        double *speed = hs_arena_alloc(&r->m->arena, r->m->file_type_count * sizeof *speed), one;
        const struct hs_json *speeds = hs_json_get(at, "speed");
        const bool is_good = hs_jsoncheck_kind(&r->check, speeds, HS_JSON_OBJECT, "speed");
        for (const struct hs_json *s = is_good ? hs_json_first(speeds) : NULL; s != NULL;
             s = hs_json_next(s)) {
            const uint32_t type = find_type(r, s, hs_json_key(s));
            if (hs_jsoncheck_number(&r->check, speeds, hs_json_key(s), SPEED_MIN, SPEED_MAX,
                                    &one) &&
                type != NONE)
                speed[type] = one;
        }
        row->speed = speed;
    }
    return rows;
}

/* ---- gangs ---- */

static void read_curve(struct speed_reader *r, const struct hs_json *owner, const char *key,
                       struct hs_curve *curve)
{
    const struct hs_json *sizes = hs_json_get(owner, "gpus"), *values = hs_json_get(owner, key);
    if (!hs_jsoncheck_filled(&r->check, sizes, HS_JSON_ARRAY, "gpus") ||
        !hs_jsoncheck_filled(&r->check, values, HS_JSON_ARRAY, key))
        return;
    if (hs_json_count(sizes) != hs_json_count(values) ||
        hs_json_count(sizes) > HS_SPEED_CURVE_SIZES) {
        hs_jsoncheck_fault(&r->check, values, NULL,
                           "one number for each of \"gpus\", of which there are at most %u",
                           HS_SPEED_CURVE_SIZES);
        return;
    }
    const struct hs_json *size = hs_json_first(sizes), *value = hs_json_first(values);
    for (; size != NULL; size = hs_json_next(size), value = hs_json_next(value)) {
        int64_t gpus;
        double share = hs_json_number(value);
        uint32_t before = curve->count > 0 ? curve->gpus[curve->count - 1] : 1;
        if (!hs_json_int(size, &gpus) || gpus <= before || gpus > GANG_MAX) {
            hs_jsoncheck_fault(&r->check, size, "one GPU is the reference",
                               "gpus must be whole numbers from 2 on, ascending");
        } else if (!(share >= SHARE_MIN && share <= 1)) {
            hs_jsoncheck_fault(&r->check, value, NULL, "a share must be a number %g..1", SHARE_MIN);
        } else {
            curve->gpus[curve->count] = (uint32_t)gpus;
            curve->value_q32[curve->count++] = (uint64_t)(share * (double)HS_Q32_ONE + 0.5);
        }
    }
}

static void read_curves(struct speed_reader *r, enum curve_kind kind)
{
    static const char *const names[CURVE_KINDS][3] = {
        [SCALING] = {"scaling", "efficiency", "family gpu jobs gpus efficiency"},
        [SPREAD] = {"spread", "factor", "family gpu jobs gpus factor"}};
    const char *const *name = names[kind];
    const struct hs_json *list = read_list(r, name[0], "an entry");
    struct family_curve *out = hs_arena_alloc(&r->m->arena, hs_json_count(list) * sizeof *out);
    uint32_t count = 0;
    for (const struct hs_json *s = hs_json_first(list); s != NULL; s = hs_json_next(s)) {
        struct family_curve *one = &out[count++];
        (void)hs_jsoncheck_object(&r->check, s, name[0], name[2]);
        one->family = hs_modelfile_name(&r->check, &r->m->arena, s, "family");
        one->type = read_type(r, s, "gpu");
        for (const struct family_curve *other = out; one->family != NULL && other < one; other++)
            if (other->family != NULL && other->type == one->type &&
                hs_model_same_name(other->family, one->family))
                hs_jsoncheck_fault(&r->check, s, NULL, "family '%s' appears twice on this GPU type",
                                   one->family);
        (void)hs_jsoncheck_int(&r->check, s, "jobs", 1, UINT32_MAX, 1);
        read_curve(r, s, name[1], &one->curve);
    }
    r->m->curves[kind] = out;
    r->m->curve_count[kind] = count;
}

/* ---- errors ---- */

/* The runtime needs only the errors of jobs held out from the fit. */
static void read_holdout(struct speed_reader *r)
{
    static const struct {
        const char *name, *protocol;
        enum hs_speed_source source;
    } fallbacks[] = {{"batch", "unseen job", HS_SPEED_BATCH},
                     {"family", "unseen job", HS_SPEED_FAMILY},
                     {"scalar", "unseen family", HS_SPEED_OTHERS}};
    const struct hs_json *list = read_list(r, "holdout", "a score of holdout");
    struct hs_speed *m = r->m;
    m->holdout = hs_arena_alloc(&m->arena, hs_json_count(list) * sizeof *m->holdout);
    for (const struct hs_json *h = hs_json_first(list); h != NULL; h = hs_json_next(h)) {
        struct holdout one = {.type = read_type(r, h, "gpu"),
                              .reference = read_type(r, h, "reference")};
        const char *protocol = hs_modelfile_name(&r->check, &r->m->arena, h, "protocol"),
                   *fallback = hs_modelfile_name(&r->check, &r->m->arena, h, "fallback");
        (void)hs_jsoncheck_object(&r->check, h, "a score of holdout",
                                  "protocol fallback gpu reference n mape p95");
        (void)hs_jsoncheck_number(&r->check, h, "mape", 0, MAPE_MAX, &one.mape);
        if (protocol == NULL || fallback == NULL)
            continue;
        for (uint32_t i = 0; i < HS_COUNT_OF(fallbacks); i++)
            if (strcmp(fallback, fallbacks[i].name) == 0 &&
                strcmp(protocol, fallbacks[i].protocol) == 0) {
                one.fallback = fallbacks[i].source;
                m->holdout[m->holdout_count++] = one;
            }
    }
}

static enum hs_status read_file(struct hs_speed *m, const char *path, struct hs_diag *diag)
{
    struct speed_reader r = {.m = m};
    if (hs_modelfile_open(&r.check, path, HS_MODEL_SPEED, diag) == HS_OK) {
        (void)hs_jsoncheck_object(
            &r.check, hs_json_root(r.check.doc), "a speed model",
            "kind format data cleaning rows notes types jobs reference families scaling spread "
            "holdout spread_holdout");
        read_types(&r);
        if (m->file_type_count > 0) { /* otherwise nothing can be right */
            m->jobs = read_rows(&r, "jobs", "profile", &m->job_count);
            m->families = read_rows(&r, "families", "family", &m->family_count);
            read_curves(&r, SCALING);
            read_curves(&r, SPREAD);
            read_holdout(&r);
        }
    }
    return hs_jsoncheck_close(&r.check);
}

const char *const hs_speed_sources[] = {
    [HS_SPEED_REFERENCE] = "reference",   [HS_SPEED_MEASURED] = "measured",
    [HS_SPEED_BATCH] = "nearest batch",   [HS_SPEED_FAMILY] = "family",
    [HS_SPEED_OTHERS] = "other families", [HS_SPEED_SCALAR] = "cluster",
};

/* ---- matching ---- */

static uint32_t find_family(const struct hs_speed *m, const char *name)
{
    for (uint32_t f = 0; f < m->family_count; f++)
        if (name[0] != '\0' && hs_model_same_name(m->families[f].name, name))
            return f;
    return NONE;
}

/* Distance of a job of the file from a profile of its model and dataset: the quotient of their
 * batches, at least 1; infinite if only one of them has a batch. */
static double batch_distance(const struct hs_profile *p, const struct speed_row *job)
{
    int64_t own = hs_batch_of(p->batch), other = hs_batch_of(job->batch);
    if (hs_model_same_name(p->batch, job->batch))
        return 1;
    if (own <= 0 || other <= 0)
        return HUGE_VAL;
    return own > other ? (double)own / (double)other : (double)other / (double)own;
}

/* Nearest batch first, then same precision, smaller batch, order of the file. */
static bool is_nearer(const struct hs_profile *p, const struct speed_row *job,
                      const struct speed_row *best)
{
    double distance = batch_distance(p, job);
    if (distance >= HUGE_VAL || best == NULL)
        return distance < HUGE_VAL;
    double best_distance = batch_distance(p, best);
    if (distance < best_distance || distance > best_distance)
        return distance < best_distance;
    bool is_same = hs_model_same_name(p->precision, job->precision);
    if (is_same != hs_model_same_name(p->precision, best->precision))
        return is_same;
    return hs_batch_of(job->batch) < hs_batch_of(best->batch);
}

static bool is_configuration(const struct hs_profile *p, const struct speed_row *job)
{
    return hs_model_same_name(p->batch, job->batch) &&
           hs_model_same_name(p->precision, job->precision);
}

/* Returns the job of the file that is used for a profile between two types; NULL if there is none.
 * is_unseen: ignores the measurement of its own configuration. */
static const struct speed_row *find_job(const struct hs_speed *m, const struct hs_profile *p,
                                        uint32_t type, uint32_t reference, bool is_unseen)
{
    const struct speed_row *best = NULL;
    for (uint32_t j = 0; j < m->job_count; j++) {
        const struct speed_row *job = &m->jobs[j];
        if (job->speed[type] > 0 && job->speed[reference] > 0 &&
            hs_model_same_name(p->model, job->model) &&
            hs_model_same_name(p->dataset, job->dataset) &&
            !(is_unseen && is_configuration(p, job)) && is_nearer(p, job, best))
            best = job;
    }
    return best;
}

static struct speed_cell cell_of(const double *speed, uint32_t type, uint32_t reference,
                                 enum hs_speed_source source)
{
    const double exact = speed[type] / speed[reference];
    uint64_t q32 = (uint64_t)(exact * (double)HS_Q32_ONE + 0.5);
    return (struct speed_cell){q32 > 0 ? q32 : 1, source, exact};
}

/* Geometric mean over the jobs of other models, of the profile's family or of all others; 0 if none
 * was measured on both types. */
static double mean_of_others(const struct hs_speed *m, const struct hs_profile *p, uint32_t type,
                             uint32_t reference, bool is_of_family)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t j = 0; j < m->job_count; j++) {
        const struct speed_row *job = &m->jobs[j];
        bool is_same = p->family[0] != '\0' && job->family != NULL &&
                       hs_model_same_name(p->family, job->family);
        if (job->speed[type] <= 0 || job->speed[reference] <= 0 || is_same != is_of_family ||
            hs_model_same_name(p->model, job->model))
            continue;
        sum += log(job->speed[type] / job->speed[reference]);
        count++;
    }
    return count > 0 ? exp(sum / count) : 0;
}

/* Converts a factor via Q20, so that the last bits of libm do not matter. */
static uint64_t rounded_q32(double factor)
{
    const double most = SPEED_MAX * SPEED_MAX;
    uint64_t q20 = (uint64_t)rint(fmin(factor, most) * 0x1p20);
    return (q20 > 0 ? q20 : 1) << 12;
}

/* Returns the speed of a profile on a type of the file, or at last the scalar of the type. */
static struct speed_cell find_cell(const struct hs_speed *m, const struct hs_profile *p,
                                   uint32_t family, uint32_t type, struct speed_cell scalar)
{
    const uint32_t reference = m->reference;
    if (type == NONE || reference == NONE)
        return scalar;
    const struct speed_row *job = find_job(m, p, type, reference, false);
    const double *speed = family != NONE ? m->families[family].speed : NULL;
    if (job == NULL && speed == NULL)
        return scalar;
    if (type == reference)
        return (struct speed_cell){HS_Q32_ONE, HS_SPEED_REFERENCE, 1};
    if (job != NULL)
        return cell_of(job->speed, type, reference,
                       is_configuration(p, job) ? HS_SPEED_MEASURED : HS_SPEED_BATCH);
    if (speed[type] > 0 && speed[reference] > 0)
        return cell_of(speed, type, reference, HS_SPEED_FAMILY);
    /* a speed in the cluster file precedes the mean of other jobs */
    const double mean =
        scalar.speed_q32 == HS_Q32_ONE ? mean_of_others(m, p, type, reference, false) : 0;
    return mean > 0 ? (struct speed_cell){rounded_q32(mean), HS_SPEED_OTHERS, 0} : scalar;
}

/* ---- predictions ---- */

/* Uses the fallback after the one that determines the truth; if that is the mean over the jobs of
 * other families, the mean of these families. */
static uint64_t table_q32(const struct hs_speed *m, const struct hs_profile *p,
                          uint32_t cluster_type, struct speed_cell truth)
{
    const uint32_t type = m->file_type[cluster_type], reference = m->reference;
    const struct speed_row *job = NULL;
    double speed = 0;
    if (p == NULL || truth.source == HS_SPEED_REFERENCE || truth.source == HS_SPEED_SCALAR)
        return truth.speed_q32;
    if (truth.source == HS_SPEED_MEASURED)
        job = find_job(m, p, type, reference, true);
    if (job != NULL)
        return cell_of(job->speed, type, reference, HS_SPEED_BATCH).speed_q32;
    if (truth.source == HS_SPEED_OTHERS) { /* the geometric mean over the families */
        double sum = 0;
        uint32_t count = 0;
        for (const struct speed_row *f = m->families; f < m->families + m->family_count; f++)
            if (f->speed[type] > 0 && f->speed[reference] > 0) {
                sum += log(f->speed[type] / f->speed[reference]);
                count++;
            }
        speed = count > 0 ? exp(sum / count) : 0;
    } else if (truth.source != HS_SPEED_FAMILY)
        speed = mean_of_others(m, p, type, reference, true);
    if (speed <= 0)
        speed = mean_of_others(m, p, type, reference, false);
    /* no other measurement: as for a job without a profile */
    return speed > 0 ? rounded_q32(speed) : m->cells[cluster_type].speed_q32;
}

void hs_speed_predict_by(struct hs_speed *m, const struct hs_catalogue *catalogue,
                         const struct hs_cluster *cluster, const struct hs_speed_predictor *how)
{
    const uint64_t cells = ((uint64_t)m->profiles + 1) * m->types;
    m->predicted_by = how->kind;
    m->predicted_q32 = hs_arena_alloc(&m->arena, cells * sizeof *m->predicted_q32);
    for (uint64_t i = 0; i < cells; i++) {
        const uint64_t row = i / m->types;
        const struct hs_profile *p = row > 0 ? &catalogue->profiles[row - 1] : NULL;
        m->predicted_q32[i] = how->kind == HS_SPEED_PREDICTOR_TABLE
                                  ? table_q32(m, p, (uint32_t)(i % m->types), m->cells[i])
                                  : m->cells[i].speed_q32;
    }
    m->mean_q32 = hs_arena_alloc(&m->arena, m->types * sizeof *m->mean_q32);
    for (uint32_t t = 0; t < m->types; t++) {
        double sum = 0;
        uint32_t count = 0;
        for (uint64_t cell = m->types + t; cell < cells; cell += m->types) {
            const bool is_known = m->cells[cell].source != HS_SPEED_SCALAR;
            sum += is_known ? log((double)m->predicted_q32[cell] / (double)HS_Q32_ONE) : 0;
            count += is_known;
        }
        m->mean_q32[t] = count > 0 ? rounded_q32(exp(sum / count)) : m->cells[t].speed_q32;
    }
    if (how->kind != HS_SPEED_PREDICTOR_NOISY)
        return;
    m->noise_sigma = how->sigma;
    m->noise_seed = hs_arena_alloc(&m->arena, m->types * sizeof *m->noise_seed);
    for (uint32_t t = 0; t < m->types; t++) /* by name: the order of types does not matter */
        m->noise_seed[t] = hs_seed_of(hs_seed_of(how->seed, "speed-noise"), cluster->types[t].name);
}

/* ---- building ---- */

static enum hs_status find_reference(struct hs_speed *m, const struct hs_cluster *cluster,
                                     const char *given, struct hs_diag *diag)
{
    if (given == NULL) {
        /* Of the GPU types with scalar speed 1 the one with most GPUs; ties go to the first name,
         * so that the order of the node groups does not matter. Empty: all scalars are given. */
        uint64_t gpus[HS_GPU_TYPES_MAX] = {0}, most = 0;
        given = "";
        for (uint32_t n = 0; n < cluster->node_count; n++)
            gpus[cluster->nodes[n].type] += cluster->nodes[n].gpus;
        for (uint32_t t = 0; t < cluster->type_count; t++) {
            const struct hs_gpu_type *type = &cluster->types[t];
            const bool is_tie = gpus[t] == most && given[0] != '\0';
            if (type->speed_q32 != HS_Q32_ONE || gpus[t] < most ||
                (is_tie && strcmp(type->name, given) > 0))
                continue;
            given = type->name;
            most = gpus[t];
        }
    }
    m->reference = find_file_type(m, given);
    m->reference_name = hs_arena_text(&m->arena, given, strlen(given));
    m->reference_scalar_q32 = HS_Q32_ONE;
    bool is_known = given[0] == '\0' || m->reference != NONE;
    for (uint32_t t = 0; t < cluster->type_count; t++)
        if (hs_model_same_name(cluster->types[t].name, given)) {
            m->reference_scalar_q32 = cluster->types[t].speed_q32;
            is_known = true;
        }
    if (is_known)
        return HS_OK;
    char hint[HS_HINT_SIZE];
    return hs_fail(diag, HS_E_USAGE, NULL,
                   hs_did_you_mean(hint, given, m->file_types, m->file_type_count,
                                   "one of the cluster, or of the speed model"),
                   "reference_type: neither the cluster nor the speed model has a GPU type '%s'",
                   given);
}

/* Mean over the curves of a family (NULL: of all; is_other: of all others) on a type of the file
 * (NONE: on all), for gangs of 2, 4 and 8; NULL if there is none. */
static const struct hs_curve *mean_curve(struct hs_speed *m, enum curve_kind kind,
                                         const char *family, bool is_other, uint32_t type)
{
    struct hs_curve *mean = hs_arena_alloc(&m->arena, sizeof *mean);
    uint64_t n = 0;
    *mean = (struct hs_curve){.count = 3, .gpus = {2, 4, 8}};
    for (uint32_t i = 0; i < m->curve_count[kind]; i++) {
        const struct family_curve *c = &m->curves[kind][i];
        if ((family != NULL && hs_model_same_name(c->family, family) == is_other) ||
            (type != NONE && c->type != type) || c->curve.count == 0)
            continue;
        for (uint32_t k = 0; k < mean->count; k++)
            mean->value_q32[k] += hs_curve_nearest_q32(&c->curve, mean->gpus[k]);
        n++;
    }
    for (uint32_t k = 0; n > 0 && k < mean->count; k++)
        mean->value_q32[k] /= n;
    return n > 0 ? mean : NULL;
}

/* The prediction for a family on a type (NULL: none): the mean of the others there, else on all. */
static const struct hs_curve *predicted_curve(struct hs_speed *m, enum curve_kind kind,
                                              const char *family, uint32_t type)
{
    const struct hs_curve *c = type != NONE ? mean_curve(m, kind, family, true, type) : NULL;
    return c != NULL ? c : mean_curve(m, kind, family, true, NONE);
}

/* Entries of families without speeds are not used. A family not measured on a type uses its mean
 * over other types. For spread, one that was never measured, and jobs without a family, use the
 * mean over all on the type, else over all. For GPUs without a type nothing is known. */
static void fill_curves(struct hs_speed *m, enum curve_kind kind, const struct hs_cluster *cluster)
{
    const uint64_t size = (uint64_t)m->family_count * m->types * sizeof(void *);
    m->curve_of[kind] = hs_arena_alloc(&m->arena, size);
    m->predicted_of[kind] = hs_arena_alloc(&m->arena, size);
    for (uint32_t i = 0; i < m->curve_count[kind]; i++) {
        const struct family_curve *entry = &m->curves[kind][i];
        const uint32_t family = find_family(m, entry->family);
        for (uint32_t t = 0; family != NONE && t < m->types; t++)
            if (m->file_type[t] == entry->type)
                m->curve_of[kind][(size_t)family * m->types + t] = &entry->curve;
    }
    for (uint32_t t = 0; t < m->types; t++) {
        const uint32_t type = m->file_type[t];
        const struct hs_curve *any = NULL;
        if (strcmp(cluster->types[t].name, HS_UNTYPED) == 0)
            continue;
        if (kind == SPREAD)
            any = m->spread_of_any[t] = predicted_curve(m, kind, NULL, type);
        for (uint32_t f = 0; f < m->family_count; f++) {
            const struct hs_curve **truth = &m->curve_of[kind][(size_t)f * m->types + t];
            if (*truth == NULL)
                *truth = mean_curve(m, kind, m->families[f].name, false, NONE);
            if (*truth == NULL)
                *truth = any;
            if (*truth != NULL)
                m->predicted_of[kind][(size_t)f * m->types + t] =
                    predicted_curve(m, kind, m->families[f].name, type);
        }
    }
}

static void build(struct hs_speed *m, const struct hs_catalogue *catalogue,
                  const struct hs_cluster *cluster)
{
    const uint64_t rows = (uint64_t)m->profiles + 1, cells = rows * m->types;
    m->cells = hs_arena_alloc(&m->arena, cells * sizeof *m->cells);
    m->family = hs_arena_alloc(&m->arena, rows * sizeof *m->family);
    m->file_type = hs_arena_alloc(&m->arena, m->types * sizeof *m->file_type);
    for (uint32_t t = 0; t < m->types; t++) {
        const char *name = cluster->types[t].name;
        m->type_names[t] = hs_arena_text(&m->arena, name, strlen(name));
        m->file_type[t] = find_file_type(m, name);
    }
    for (uint32_t row = 0; row < rows; row++) {
        const struct hs_profile *p = row > 0 ? &catalogue->profiles[row - 1] : NULL;
        m->family[row] = p != NULL ? find_family(m, p->family) : NONE;
        for (uint32_t t = 0; t < m->types; t++) {
            const struct hs_gpu_type *type = &cluster->types[t];
            /* scalars are relative to each other, so they are divided by that of the reference */
            uint64_t q32 = (uint64_t)(((hs_u128)type->speed_q32 << 32) / m->reference_scalar_q32);
            bool is_reference = hs_model_same_name(type->name, m->reference_name);
            struct speed_cell scalar = {q32 > 0 ? q32 : 1,
                                        is_reference ? HS_SPEED_REFERENCE : HS_SPEED_SCALAR, 0};
            m->cells[(size_t)row * m->types + t] =
                p != NULL ? find_cell(m, p, m->family[row], m->file_type[t], scalar) : scalar;
        }
    }
    m->spread_of_any = hs_arena_alloc(&m->arena, m->types * sizeof(void *));
    for (uint32_t kind = 0; kind < CURVE_KINDS; kind++)
        fill_curves(m, (enum curve_kind)kind, cluster);
    m->uniform_q32 = m->cells[0].speed_q32;
    for (uint64_t i = 1; i < cells; i++)
        if (m->cells[i].speed_q32 != m->cells[0].speed_q32)
            m->uniform_q32 = 0;
}

enum hs_status hs_speed_load(struct hs_speed **out, const char *path,
                             const struct hs_catalogue *catalogue, const struct hs_cluster *cluster,
                             const char *reference, struct hs_diag *diag)
{
    struct hs_speed *m = hs_alloc_zeroed(1, sizeof *m);
    m->profiles = catalogue->count;
    m->types = cluster->type_count;
    enum hs_status status = read_file(m, path, diag);
    if (status == HS_OK)
        status = find_reference(m, cluster, reference, diag);
    if (status == HS_OK)
        build(m, catalogue, cluster);
    else
        hs_speed_free(m);
    *out = status == HS_OK ? m : NULL;
    return status;
}

void hs_speed_free(struct hs_speed *m)
{
    if (m == NULL)
        return;
    hs_arena_free(&m->arena);
    hs_free(m);
}

/* ---- queries ---- */

static uint32_t row_of(const struct hs_speed *m, uint32_t profile)
{
    return profile < m->profiles ? profile + 1 : 0; /* HS_NO_PROFILE is row 0 */
}

uint64_t hs_speed_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                      enum hs_speed_source *source)
{
    const struct speed_cell *cell = &m->cells[(size_t)row_of(m, profile) * m->types + type];
    if (source != NULL)
        *source = cell->source;
    return cell->speed_q32;
}

/* The truth times the draw of a seed and a job. */
static uint64_t noisy_q32(const struct hs_speed *m, uint64_t q32, uint64_t seed, uint64_t index)
{
    return hs_q32_mul(q32, rounded_q32(exp(m->noise_sigma * hs_normal_of(seed, index))));
}

uint64_t hs_speed_predicted_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                                uint64_t index)
{
    if (m->predicted_q32 == NULL)
        return m->cells[type].speed_q32;
    if (profile == HS_MEAN_PROFILE)
        return m->mean_q32[type];
    const size_t cell = (size_t)row_of(m, profile) * m->types + type;
    if (m->noise_seed == NULL || m->cells[cell].source == HS_SPEED_REFERENCE)
        return m->predicted_q32[cell];
    const uint64_t q32 = noisy_q32(m, m->predicted_q32[cell], m->noise_seed[type], index);
    return q32 > 0 ? q32 : 1;
}

double hs_speed_predicted(const struct hs_speed *m, uint32_t profile, uint32_t type, uint64_t index)
{
    const struct speed_cell *cell = &m->cells[(size_t)row_of(m, profile) * m->types + type];
    const uint64_t q32 = hs_speed_predicted_q32(m, profile, type, index);
    return q32 == cell->speed_q32 && cell->exact > 0 ? cell->exact : (double)q32 / 0x1p32;
}

bool hs_speed_by_name(struct hs_speed *m, const struct hs_catalogue *catalogue, uint32_t profile,
                      const char *name, uint64_t *speed_q32)
{
    const char *usual = hs_gpu_type_name(name, strlen(name));
    const uint32_t type = find_file_type(m, usual != NULL ? usual : name);
    struct speed_cell cell = {.speed_q32 = HS_Q32_ONE, .source = HS_SPEED_SCALAR};
    for (uint32_t t = 0; t < m->types; t++)
        if (hs_gpu_type_is(m->type_names[t], name, strlen(name))) {
            *speed_q32 = hs_speed_q32(m, profile, t, &cell.source);
            return cell.source != HS_SPEED_SCALAR || *speed_q32 != HS_Q32_ONE;
        }
    if (type != NONE && m->abroad[type] == NULL) {
        m->abroad[type] = hs_arena_alloc(&m->arena, ((uint64_t)m->profiles + 1) * sizeof cell);
        m->abroad[type][0] = cell;
        for (uint32_t row = 1; row <= m->profiles; row++)
            m->abroad[type][row] =
                find_cell(m, &catalogue->profiles[row - 1], m->family[row], type, cell);
    }
    if (type != NONE)
        cell = m->abroad[type][row_of(m, profile)];
    *speed_q32 = cell.speed_q32;
    return cell.source != HS_SPEED_SCALAR ||
           hs_model_same_name(usual != NULL ? usual : name, m->reference_name);
}

const char *hs_speed_reference(const struct hs_speed *m)
{
    return m->reference_name;
}

bool hs_speed_is_by_model(const struct hs_speed *m, uint32_t type)
{
    const uint32_t t = m->file_type[type];
    bool is_known = false; /* the file may have only gangs of the types */
    for (uint32_t f = 0; t != NONE && f < m->family_count; f++)
        is_known |= m->reference != NONE && m->families[f].speed[t] > 0 &&
                    m->families[f].speed[m->reference] > 0;
    return is_known && t != m->reference;
}

bool hs_speed_has_spread(const struct hs_speed *m, uint32_t type)
{
    for (uint32_t i = 0; i < m->curve_count[SPREAD]; i++)
        if (m->curves[SPREAD][i].type == m->file_type[type])
            return true;
    return false;
}

uint64_t hs_speed_uniform_q32(const struct hs_speed *m)
{
    return m->uniform_q32;
}

static const struct hs_curve *curve_of(const struct hs_speed *m, enum curve_kind kind,
                                       uint32_t profile, uint32_t type)
{
    uint32_t family = m->family[row_of(m, profile)];
    return family != NONE ? m->curve_of[kind][(size_t)family * m->types + type] : NULL;
}

/* What predictions come from: the truth, or the table. */
static const struct hs_curve *predicted_curve_of(const struct hs_speed *m, enum curve_kind kind,
                                                 uint32_t profile, uint32_t type)
{
    const uint32_t family = m->family[row_of(m, profile)];
    return m->predicted_by == HS_SPEED_PREDICTOR_TABLE && family != NONE
               ? m->predicted_of[kind][(size_t)family * m->types + type]
               : curve_of(m, kind, profile, type);
}

uint64_t hs_speed_spread_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                             uint32_t gpus)
{
    const struct hs_curve *c = curve_of(m, SPREAD, profile, type);
    if (c == NULL)
        c = m->spread_of_any[type];
    return c != NULL ? hs_curve_nearest_q32(c, gpus) : HS_Q32_ONE;
}

uint64_t hs_speed_predicted_spread_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                                       uint32_t gpus, uint64_t index)
{
    const struct hs_curve *c = predicted_curve_of(m, SPREAD, profile, type);
    const uint64_t q32 =
        c != NULL ? hs_curve_nearest_q32(c, gpus) : hs_speed_spread_q32(m, profile, type, gpus);
    if (m->noise_seed == NULL)
        return q32;
    const uint64_t predicted_q32 = /* no size is 0 */
        noisy_q32(m, q32, hs_mix64(m->noise_seed[type], 0), index);
    return predicted_q32 < HS_Q32_ONE ? predicted_q32 : HS_Q32_ONE;
}

enum hs_speed_predictor_kind hs_speed_predicted_by(const struct hs_speed *m)
{
    return m->predicted_q32 != NULL ? m->predicted_by : HS_SPEED_PREDICTOR_ORACLE;
}

uint64_t hs_speed_pair_noise_q32(const struct hs_speed *m, uint32_t type, uint64_t index,
                                 uint64_t beside)
{
    if (m->noise_seed == NULL)
        return HS_Q32_ONE;
    return noisy_q32(m, HS_Q32_ONE, hs_mix64(hs_seed_of(m->noise_seed[type], "pair"), beside),
                     index);
}

uint64_t hs_speed_resize_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                             uint32_t held, uint32_t gpus)
{
    return hs_curve_resized_q32(curve_of(m, SCALING, profile, type), held, gpus);
}

uint64_t hs_speed_predicted_resize_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                                       uint32_t held, uint32_t gpus, uint64_t index)
{
    const struct hs_curve *c = predicted_curve_of(m, SCALING, profile, type);
    const uint64_t predicted_q32 = hs_curve_resized_q32(c, held, gpus);
    if (m->noise_seed == NULL || held == gpus || predicted_q32 == 0)
        return predicted_q32;
    const uint64_t q32 = noisy_q32(m, predicted_q32, hs_mix64(m->noise_seed[type], held), index);
    return q32 > 0 ? q32 : 1;
}

double hs_speed_error(const struct hs_speed *m, uint32_t type, enum hs_speed_source source)
{
    for (uint32_t i = 0; i < m->holdout_count; i++) {
        const struct holdout *h = &m->holdout[i];
        if (h->fallback == source && h->type == m->file_type[type] && h->reference == m->reference)
            return h->mape;
    }
    return NAN;
}
