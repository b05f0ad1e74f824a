/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens everything that `horus predict` asks, for the GPU types that there is something to say of:
 * the one asked about, those with speeds, and those on which the jobs were measured.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/predict_private.h"
#include "data/jsoncheck.h"
#include "model/modelfile.h"

const char *hs_predict_text(struct hs_prediction *p, const char *before, const char *name)
{
    char text[256];
    (void)snprintf(text, sizeof text, "%s%s", before, name);
    const char *copy = hs_arena_text(&p->arena, text, strlen(text));
    return copy != NULL ? copy : before;
}

/* ---- GPU types ---- */

/* A type that is there takes the spelling of the file: names of memory sizes are exact. */
static void add_type(struct hs_prediction *p, const char *name)
{
    if (name[0] == '\0' || strpbrk(name, ",:") != NULL)
        return;
    uint32_t t = 0;
    while (t < p->type_count && !hs_model_same_name(p->types[t], name))
        t++;
    if (t == HS_GPU_TYPES_MAX)
        return;
    p->types[t] = hs_predict_text(p, "", name);
    if (t == p->type_count)
        p->type_count++;
}

/* The type asked about comes first: times and speeds are relative to it. */
static enum hs_status collect_types(struct hs_prediction *p, struct hs_predict_models *m,
                                    const char *gpu, struct hs_diag *diag)
{
    char spec[HS_GPU_TYPES_MAX * 64] = "";
    p->types = hs_arena_alloc(&p->arena, HS_GPU_TYPES_MAX * sizeof *p->types);
    if (p->types == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    add_type(p, gpu);
    if (p->type_count == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "for example V100",
                       "predict: '%s' is not the name of a GPU type", gpu);
    for (uint32_t i = 0; i < p->speed_type_count; i++)
        add_type(p, p->speed_types[i]);
    for (uint32_t i = 0; i < p->count; i++)
        add_type(p, p->catalogue.profiles[p->jobs[i].row].gpu);
    for (uint32_t i = 0; i < p->measured_count; i++)
        if (hs_model_same_name(p->measured[i], gpu))
            add_type(p, p->measured[i]);
    size_t len = 0;
    for (uint32_t t = 0; t < p->type_count && len < sizeof spec; t++)
        len += (size_t)snprintf(spec + len, sizeof spec - len, "%s1x1:%s", t > 0 ? "," : "",
                                p->types[t]);
    if (len >= sizeof spec)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL,
                       "predict: the names of GPU types are too long");
    return hs_cluster_load(&m->cluster, spec, diag);
}

/* ---- models ---- */

static enum hs_status read_joint(struct hs_predict_models *m, struct hs_prediction *p,
                                 struct hs_diag *diag)
{
    struct hs_jsoncheck check;
    const char *path = m->files.path[HS_MODEL_UTILIZATION];
    enum hs_status status = hs_modelfile_open(&check, path, HS_MODEL_UTILIZATION, diag);
    m->joint_error = m->memory_error_mib = NAN;
    if (status == HS_OK) {
        const struct hs_json *root = hs_json_root(check.doc), *memory = hs_json_get(root, "memory");
        const struct hs_json *joint = hs_json_get(root, "joint");
        const struct hs_json *score = hs_json_first(hs_json_get(joint, "holdout"));
        if (hs_json_kind(hs_json_get(score, "rmse")) == HS_JSON_NUMBER)
            (void)hs_jsoncheck_number(&check, score, "rmse", 0, 1, &m->joint_error);
        if (hs_json_kind(hs_json_get(memory, "mae_mib")) == HS_JSON_NUMBER)
            (void)hs_jsoncheck_number(&check, memory, "mae_mib", 0, UINT32_MAX,
                                      &m->memory_error_mib);
        double reserve = 0;
        if (memory != NULL &&
            hs_jsoncheck_number(&check, memory, "reserve_p95_mib", 0, UINT32_MAX, &reserve))
            p->reserve_mib = (uint32_t)reserve;
        status = check.status;
    }
    hs_json_close(check.doc);
    return status;
}

static enum hs_status open_truth(struct hs_predict_models *m, struct hs_prediction *p,
                                 const struct hs_predict_options *options, struct hs_diag *diag)
{
    struct hs_interference_options how = {0};
    HS_TRY(hs_interference_parse(options->interference, &how, diag));
    how.gamma = options->gamma;
    how.crowd = (enum hs_crowd)options->crowd;
    if (how.crowd == HS_CROWD_QUEUEING && p->count > HS_QUEUEING_TENANTS)
        return hs_fail(diag, HS_E_USAGE, NULL, "its cost doubles with each job",
                       "predict: --crowd=queueing is for at most %u jobs", HS_QUEUEING_TENANTS);
    return hs_interference_load(&m->truth, m->files.path[HS_MODEL_INTERFERENCE], &p->catalogue,
                                &how, p->types, p->type_count, diag);
}

enum hs_status hs_predict_open(struct hs_predict_models *m, struct hs_prediction *p,
                               const struct hs_predict_options *options, struct hs_diag *diag)
{
    const struct hs_predictor_options best = {.kind = HS_PREDICT_REGRESS};
    const struct hs_predictor_options told = {
        .kind = (enum hs_predictor_kind)options->predictor,
        .memory = (enum hs_memory_kind)options->memory_predictor,
        .holdout = (enum hs_holdout)options->predictor_holdout,
        .util_rmsle = options->util_noise,
        .util_bias = options->util_bias,
        .mem_ln_sd = options->memory_noise,
        .seed = (uint64_t)options->seed};
    HS_TRY(hs_modelset_init(&m->files, options->models, diag));
    HS_TRY(hs_predict_survey(m, p, options, diag));
    HS_TRY(collect_types(p, m, options->gpu, diag));
    HS_TRY(open_truth(m, p, options, diag));
    HS_TRY(hs_speed_load(&m->speed, m->files.path[HS_MODEL_SPEED], &p->catalogue, &m->cluster,
                         p->types[0], diag));
    HS_TRY(hs_predictor_open(&m->regress, &m->files, &p->catalogue, &best, diag));
    HS_TRY(hs_predictor_open(&m->told, &m->files, &p->catalogue, &told, diag));
    p->capacity_mib = m->cluster.types[0].mem_mib;
    return read_joint(m, p, diag);
}

void hs_predict_close(struct hs_predict_models *m)
{
    hs_predictor_close(m->told);
    hs_predictor_close(m->regress);
    hs_speed_free(m->speed);
    hs_interference_free(m->truth);
    hs_cluster_free(&m->cluster);
    hs_modelset_free(&m->files);
}
