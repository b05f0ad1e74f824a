/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options to models. Whatever is not given comes from the files that the program carries.
 */
#include "cli/models.h"

#include <stdio.h>
#include <string.h>

#include "base/builtin.h"
#include "cli/textform.h"
#include "data/param.h"
#include "horus/policy.h"

int64_t hs_models_assign_seed(const struct hs_run_options *options)
{
    return options->assign_seed != 0 ? options->assign_seed : options->seed;
}

void hs_models_assign_options(struct hs_assign_options *assign,
                              const struct hs_run_options *options,
                              const struct hs_cluster *cluster)
{
    *assign = (struct hs_assign_options){.mode = (enum hs_assign_mode)options->assign,
                                         .seed = (uint64_t)hs_models_assign_seed(options),
                                         .target_util = options->assign_target / 100,
                                         .sticky = options->assign_sticky,
                                         .load = options->load / options->scale_time};
    for (uint32_t t = 0; cluster != NULL && t < cluster->type_count; t++) {
        uint32_t mib = cluster->types[t].mem_mib;
        if (mib > 0 && (assign->mem_limit_mib == 0 || mib < assign->mem_limit_mib))
            assign->mem_limit_mib = mib;
    }
}

/* A given file is read, and checked, also where nobody asks for it. */
static bool is_given_path(const char *path)
{
    return strncmp(path, HS_BUILTIN, strlen(HS_BUILTIN)) != 0;
}

static bool is_given(const struct hs_models *m, enum hs_model_kind kind)
{
    return is_given_path(m->files.path[kind]);
}

static enum hs_status open_interference(struct hs_models *m, const struct hs_run_options *options,
                                        const struct hs_cluster *cluster, struct hs_diag *diag)
{
    const char *types[HS_GPU_TYPES_MAX];
    struct hs_interference_options *how = &m->interference_options;
    HS_TRY(hs_interference_parse(options->interference, how, diag));
    how->gamma = options->gamma;
    how->noise = options->interference_noise;
    how->seed = (uint64_t)options->seed;
    how->crowd = (enum hs_crowd)options->crowd;
    if (how->crowd == HS_CROWD_QUEUEING && options->max_tenants > (int64_t)HS_QUEUEING_TENANTS)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "its cost doubles with each: --max-tenants=8 or less",
                       "--crowd=queueing is for at most %u tenants of a GPU", HS_QUEUEING_TENANTS);
    for (uint32_t t = 0; t < cluster->type_count; t++)
        types[t] = cluster->types[t].name;
    if (!m->is_sharing && !is_given(m, HS_MODEL_INTERFERENCE))
        return HS_OK;
    return hs_interference_load(&m->interference, m->files.path[HS_MODEL_INTERFERENCE],
                                &m->catalogue, how, types, cluster->type_count, diag);
}

static enum hs_status open_predictor(struct hs_models *m, const struct hs_run_options *options,
                                     struct hs_diag *diag)
{
    if (m->told == 0 && !is_given(m, HS_MODEL_PREDICTOR))
        return HS_OK;
    const struct hs_predictor_options how = {.kind = (enum hs_predictor_kind)options->predictor,
                                             .memory =
                                                 (enum hs_memory_kind)options->memory_predictor,
                                             .holdout = (enum hs_holdout)options->predictor_holdout,
                                             .util_rmsle = options->util_noise,
                                             .util_bias = options->util_bias,
                                             .mem_ln_sd = options->memory_noise,
                                             .seed = (uint64_t)options->seed};
    return hs_predictor_open(&m->predictor, &m->files, &m->catalogue, &how, diag);
}

/* "auto": what the calibration of joint memory says. */
static enum hs_status open_reserve(struct hs_models *m, const struct hs_run_options *options,
                                   struct hs_diag *diag)
{
    int64_t mib;
    HS_TRY(hs_reserve_parse(options->memory_reserve, &mib, diag));
    if (mib >= 0) {
        m->memory_reserve_mib = (uint32_t)mib;
        return HS_OK;
    }
    if (!m->is_sharing && !is_given(m, HS_MODEL_UTILIZATION))
        return HS_OK;
    struct hs_jsoncheck check;
    m->is_reserve_fitted = true;
    enum hs_status status =
        hs_modelfile_open(&check, m->files.path[HS_MODEL_UTILIZATION], HS_MODEL_UTILIZATION, diag);
    if (status == HS_OK) {
        const struct hs_json *memory = hs_json_get(hs_json_root(check.doc), "memory");
        mib = hs_jsoncheck_int(&check, memory, "reserve_p95_mib", 0, UINT32_MAX, 0);
        m->memory_reserve_mib = (uint32_t)mib;
        status = check.status;
    }
    hs_json_close(check.doc);
    return status;
}

enum hs_status hs_models_open(struct hs_models *m, const struct hs_run_options *options,
                              const struct hs_cluster *cluster, const struct hs_models_need *need,
                              struct hs_diag *diag)
{
    memset(m, 0, sizeof *m);
    m->is_sharing = (need->can & (HS_CAN_COLOCATE | HS_CAN_SLICE)) != 0;
    m->tenants = need->tenants;
    m->cost = need->cost;
    m->told = need->knows & (HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY);
    m->is_told_slowdown =
        (need->can & HS_CAN_COLOCATE) != 0 && (need->knows & HS_KNOWS_UTILIZATION) != 0;
    HS_TRY(hs_catalogue_load(&m->catalogue, options->profiles, diag));
    HS_TRY(hs_modelset_init(&m->files, options->models, diag));
    hs_models_assign_options(&m->assign, options, cluster);
    HS_TRY(open_interference(m, options, cluster, diag));
    HS_TRY(hs_speed_load(&m->speed, m->files.path[HS_MODEL_SPEED], &m->catalogue, cluster,
                         options->reference_type, diag));
    HS_TRY(open_predictor(m, options, diag));
    HS_TRY(open_reserve(m, options, diag));
    bool asks_of_starts = need->cost != NULL && strstr(need->cost, "restart") != NULL;
    if ((need->can & HS_CAN_PREEMPT) != 0 || asks_of_starts ||
        is_given_path(options->restart_table))
        HS_TRY(hs_restart_load(&m->restart, options->restart_table, diag));
    if ((need->can & HS_CAN_THROTTLE) != 0 || is_given_path(options->memory_limits))
        HS_TRY(hs_memcurve_load(&m->memcurve, options->memory_limits, diag));
    hs_models_say(m, options, cluster);
    return HS_OK;
}

bool hs_models_use(const struct hs_models *m, enum hs_model_kind kind)
{
    switch (kind) {
    case HS_MODEL_INTERFERENCE:
        return m->interference != NULL &&
               (m->interference_options.mode == HS_INTERFERENCE_MEASURED ||
                m->interference_options.mode == HS_INTERFERENCE_FIT);
    case HS_MODEL_UTILIZATION:
        return m->is_reserve_fitted;
    case HS_MODEL_PREDICTOR:
        return m->predictor != NULL;
    case HS_MODEL_SPEED:
    case HS_MODEL_COUNT:
        break;
    }
    return true;
}

void hs_models_close(struct hs_models *m)
{
    hs_memcurve_free(m->memcurve);
    hs_restart_free(m->restart);
    hs_predictor_close(m->predictor);
    hs_speed_free(m->speed);
    hs_interference_free(m->interference);
    hs_modelset_free(&m->files);
    hs_catalogue_free(&m->catalogue);
}
