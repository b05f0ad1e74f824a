/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Speed tables: the model file is matched once with catalogue and cluster, and leaves a dense
 * table of profile x type, row 0 for jobs of no profile, and two curves by family x type. A speed
 * is the quotient of two figures of one source: the same job, or the same family.
 */
#include "model/speed.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/timeparse.h"
#include "model/modelfile.h"
#include "model/speed_private.h"

#define NONE UINT32_MAX

struct cell {
    uint64_t speed_q32;
    enum hs_speed_source source;
};

struct hs_speed {
    struct cell *cells;  /* [(profile + 1) x types + type] */
    uint32_t *family;    /* of a profile + 1; NONE */
    uint32_t *file_type; /* of a type of the cluster; NONE */
    uint32_t reference;  /* type of the file; NONE */
    const char *reference_name;
    uint64_t reference_scalar_q32; /* 1 if the cluster has no such type */
    uint32_t profiles, types;
    uint64_t uniform_q32;
    const struct hs_speed_curve **scaling, **spread; /* [family x types + type]; NULL = unknown */
    struct hs_speed_file file;
    struct hs_arena arena;
};

const char *hs_speed_source_text(enum hs_speed_source source)
{
    static const char *const texts[] = {
        [HS_SPEED_REFERENCE] = "reference", [HS_SPEED_MEASURED] = "measured",
        [HS_SPEED_BATCH] = "nearest batch", [HS_SPEED_FAMILY] = "family",
        [HS_SPEED_SCALAR] = "cluster",
    };
    return (size_t)source < sizeof texts / sizeof texts[0] ? texts[source] : "invalid";
}

/* ---- matching ---- */

static uint32_t find_family(const struct hs_speed_file *file, const char *name)
{
    for (uint32_t f = 0; f < file->family_count; f++)
        if (name[0] != '\0' && hs_model_same_name(file->families[f].name, name))
            return f;
    return NONE;
}

static int64_t batch_of(const char *text)
{
    int64_t batch;
    return hs_parse_int64(text, strlen(text), &batch) ? batch : 0;
}

/* How far a job of the file is from a profile of its model and dataset: the quotient of their
 * batches, at least 1; infinite if only one of them has a batch. */
static double batch_distance(const struct hs_profile *p, const struct hs_speed_job *job)
{
    int64_t own = batch_of(p->batch), other = batch_of(job->batch);
    if (hs_model_same_name(p->batch, job->batch))
        return 1;
    if (own <= 0 || other <= 0)
        return HUGE_VAL;
    return own > other ? (double)own / (double)other : (double)other / (double)own;
}

/* Nearest batch first, then the same precision, then the smaller batch, then the order of the
 * file. */
static bool is_nearer(const struct hs_profile *p, const struct hs_speed_job *job,
                      const struct hs_speed_job *best)
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
    return batch_of(job->batch) < batch_of(best->batch);
}

/* The job of the file that stands for a profile between two types; NULL if none does. */
static const struct hs_speed_job *find_job(const struct hs_speed_file *file,
                                           const struct hs_profile *p, uint32_t type,
                                           uint32_t reference)
{
    const struct hs_speed_job *best = NULL;
    for (uint32_t j = 0; j < file->job_count; j++) {
        const struct hs_speed_job *job = &file->jobs[j];
        if (job->speed[type] > 0 && job->speed[reference] > 0 &&
            hs_model_same_name(p->model, job->model) &&
            hs_model_same_name(p->dataset, job->dataset) && is_nearer(p, job, best))
            best = job;
    }
    return best;
}

static struct cell cell_of(const double *speed, uint32_t type, uint32_t reference,
                           enum hs_speed_source source)
{
    uint64_t q32 = (uint64_t)(speed[type] / speed[reference] * (double)HS_Q32_ONE + 0.5);
    return (struct cell){q32 > 0 ? q32 : 1, source};
}

/* Of a profile on a type of the cluster, whose scalar is the last resort. */
static struct cell find_cell(const struct hs_speed *m, const struct hs_profile *p, uint32_t family,
                             uint32_t cluster_type, struct cell scalar)
{
    const struct hs_speed_file *file = &m->file;
    uint32_t type = m->file_type[cluster_type], reference = m->reference;
    if (type == NONE || reference == NONE)
        return scalar;
    const struct hs_speed_job *job = find_job(file, p, type, reference);
    const double *speed = family != NONE ? file->families[family].speed : NULL;
    if (job == NULL && (speed == NULL || speed[type] <= 0 || speed[reference] <= 0))
        return scalar;
    if (type == reference)
        return (struct cell){HS_Q32_ONE, HS_SPEED_REFERENCE};
    if (job == NULL)
        return cell_of(speed, type, reference, HS_SPEED_FAMILY);
    bool is_exact = hs_model_same_name(p->batch, job->batch) &&
                    hs_model_same_name(p->precision, job->precision);
    return cell_of(job->speed, type, reference, is_exact ? HS_SPEED_MEASURED : HS_SPEED_BATCH);
}

/* The cluster's scalars are relative to each other: that of the reference divides them all. */
static struct cell scalar_of(const struct hs_speed *m, const struct hs_gpu_type *type)
{
    uint64_t q32 = (uint64_t)(((hs_u128)type->speed_q32 << 32) / m->reference_scalar_q32);
    bool is_reference = hs_model_same_name(type->name, m->reference_name);
    return (struct cell){q32 > 0 ? q32 : 1, is_reference ? HS_SPEED_REFERENCE : HS_SPEED_SCALAR};
}

/* ---- building ---- */

/* GPU type on which the trace was recorded. */
static enum hs_status find_reference(struct hs_speed *m, const struct hs_cluster *cluster,
                                     const char *given, struct hs_diag *diag)
{
    for (uint32_t t = 0; given == NULL && t < cluster->type_count; t++)
        if (cluster->types[t].speed_q32 == HS_Q32_ONE)
            given = cluster->types[t].name;
    if (given == NULL) /* all scalars are given: they decide */
        given = "";
    m->reference = hs_speed_file_type(&m->file, given);
    m->reference_name = hs_arena_text(&m->arena, given, strlen(given));
    if (m->reference_name == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the speed tables");
    m->reference_scalar_q32 = HS_Q32_ONE;
    bool is_known = given[0] == '\0' || m->reference != NONE;
    for (uint32_t t = 0; t < cluster->type_count; t++)
        if (hs_model_same_name(cluster->types[t].name, given)) {
            m->reference_scalar_q32 = cluster->types[t].speed_q32;
            is_known = true;
        }
    if (is_known)
        return HS_OK;
    char hint[128] = "one of the cluster, or of the speed model";
    const char *nearest = hs_nearest(given, m->file.types, m->file.type_count);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    return hs_fail(diag, HS_E_USAGE, NULL, hint,
                   "reference_type: nobody knows a GPU type '%s', neither the cluster nor the "
                   "speed model",
                   given);
}

static void build_row(struct hs_speed *m, const struct hs_cluster *cluster,
                      const struct hs_profile *p, uint32_t row)
{
    uint32_t family = p != NULL ? find_family(&m->file, p->family) : NONE;
    m->family[row] = family;
    for (uint32_t t = 0; t < m->types; t++) {
        struct cell *cell = &m->cells[(size_t)row * m->types + t];
        *cell = scalar_of(m, &cluster->types[t]);
        if (p != NULL)
            *cell = find_cell(m, p, family, t, *cell);
    }
}

/* By family and type of the cluster; entries of families without speeds are of no use. */
static void build_curves(const struct hs_speed *m, const struct hs_speed_scaling *entries,
                         uint32_t count, const struct hs_speed_curve **curves)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t family = find_family(&m->file, entries[i].family);
        for (uint32_t t = 0; family != NONE && t < m->types; t++)
            if (m->file_type[t] == entries[i].type)
                curves[(size_t)family * m->types + t] = &entries[i].curve;
    }
}

static enum hs_status take_tables(struct hs_speed *m)
{
    uint64_t rows = (uint64_t)m->profiles + 1, curves = (uint64_t)m->file.family_count * m->types;
    m->cells = hs_arena_alloc(&m->arena, rows * m->types * sizeof *m->cells);
    m->family = hs_arena_alloc(&m->arena, rows * sizeof *m->family);
    m->file_type = hs_arena_alloc(&m->arena, m->types * sizeof *m->file_type);
    m->scaling = hs_arena_alloc(&m->arena, curves * sizeof(void *));
    m->spread = hs_arena_alloc(&m->arena, curves * sizeof(void *));
    bool has_all = m->cells != NULL && m->family != NULL && m->file_type != NULL &&
                   m->scaling != NULL && m->spread != NULL;
    return has_all ? HS_OK : HS_E_MEMORY;
}

static uint64_t find_uniform_q32(const struct hs_speed *m)
{
    size_t count = ((size_t)m->profiles + 1) * m->types;
    for (size_t i = 1; i < count; i++)
        if (m->cells[i].speed_q32 != m->cells[0].speed_q32)
            return 0;
    return m->cells[0].speed_q32;
}

static void build(struct hs_speed *m, const struct hs_catalogue *catalogue,
                  const struct hs_cluster *cluster)
{
    for (uint32_t t = 0; t < m->types; t++)
        m->file_type[t] = hs_speed_file_type(&m->file, cluster->types[t].name);
    for (uint32_t row = 0; row <= m->profiles; row++)
        build_row(m, cluster, row > 0 ? &catalogue->profiles[row - 1] : NULL, row);
    build_curves(m, m->file.scaling, m->file.scaling_count, m->scaling);
    build_curves(m, m->file.spread, m->file.spread_count, m->spread);
    m->uniform_q32 = find_uniform_q32(m);
}

enum hs_status hs_speed_load(struct hs_speed **out, const char *path,
                             const struct hs_catalogue *catalogue, const struct hs_cluster *cluster,
                             const char *reference, struct hs_diag *diag)
{
    struct hs_speed *m = hs_alloc_zeroed(1, sizeof *m);
    *out = NULL;
    if (m == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the speed tables");
    m->profiles = catalogue->count;
    m->types = cluster->type_count;
    enum hs_status status = hs_speed_file_read(&m->file, path, diag);
    if (status == HS_OK && (status = take_tables(m)) != HS_OK)
        status = hs_fail(diag, status, NULL, NULL, "no memory for the speed tables");
    if (status == HS_OK)
        status = find_reference(m, cluster, reference, diag);
    if (status != HS_OK) {
        hs_speed_free(m);
        return status;
    }
    build(m, catalogue, cluster);
    *out = m;
    return HS_OK;
}

void hs_speed_free(struct hs_speed *m)
{
    if (m == NULL)
        return;
    hs_arena_free(&m->file.arena);
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
    const struct cell *cell = &m->cells[(size_t)row_of(m, profile) * m->types + type];
    if (source != NULL)
        *source = cell->source;
    return cell->speed_q32;
}

const char *hs_speed_reference(const struct hs_speed *m)
{
    return m->reference_name;
}

bool hs_speed_is_by_model(const struct hs_speed *m, uint32_t type)
{
    return m->reference != NONE && m->file_type[type] != NONE && m->file_type[type] != m->reference;
}

bool hs_speed_has_spread(const struct hs_speed *m, uint32_t type)
{
    for (uint32_t f = 0; f < m->file.family_count; f++)
        if (m->spread[(size_t)f * m->types + type] != NULL)
            return true;
    return false;
}

uint64_t hs_speed_uniform_q32(const struct hs_speed *m)
{
    return m->uniform_q32;
}

static const struct hs_speed_curve *curve_of(const struct hs_speed *m,
                                             const struct hs_speed_curve *const *curves,
                                             uint32_t profile, uint32_t type)
{
    uint32_t family = m->family[row_of(m, profile)];
    return family != NONE ? curves[(size_t)family * m->types + type] : NULL;
}

uint64_t hs_speed_spread_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                             uint32_t gpus)
{
    const struct hs_speed_curve *c = curve_of(m, m->spread, profile, type);
    if (c == NULL)
        return HS_Q32_ONE;
    uint32_t i = 0;
    while (i + 1 < c->count && gpus > c->gpus[i] &&
           (gpus >= c->gpus[i + 1] || gpus - c->gpus[i] > c->gpus[i + 1] - gpus))
        i++;
    return c->value_q32[i];
}

/* In GPUs, Q32: 1 at one GPU. */
static uint64_t throughput_q32(const struct hs_speed_curve *c, uint32_t gpus)
{
    uint64_t low = 1, low_q32 = HS_Q32_ONE;
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t high = c->gpus[i], high_q32 = high * c->value_q32[i];
        if (gpus >= high) {
            low = high;
            low_q32 = high_q32;
            continue;
        }
        hs_u128 sum = (hs_u128)low_q32 * (high - gpus) + (hs_u128)high_q32 * (gpus - low);
        return (uint64_t)(sum / (high - low));
    }
    return (uint64_t)((hs_u128)low_q32 * gpus / low);
}

uint64_t hs_speed_resize_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                             uint32_t held, uint32_t gpus)
{
    const struct hs_speed_curve *c = curve_of(m, m->scaling, profile, type);
    if (held == gpus || gpus == 0)
        return HS_Q32_ONE;
    if (c == NULL)
        return (uint64_t)(((hs_u128)held << 32) / gpus);
    if (held == 0)
        return 0;
    return (uint64_t)(((hs_u128)throughput_q32(c, held) << 32) / throughput_q32(c, gpus));
}

double hs_speed_error(const struct hs_speed *m, uint32_t type, enum hs_speed_source source)
{
    for (uint32_t i = 0; i < m->file.holdout_count; i++) {
        const struct hs_speed_holdout *h = &m->file.holdout[i];
        if (h->fallback == source && h->type == m->file_type[type] && h->reference == m->reference)
            return h->mape;
    }
    return NAN;
}
