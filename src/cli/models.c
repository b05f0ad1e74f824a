/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options to models, from the files given or else from those compiled in; what they mean in words,
 * for the lines of the run's card; and what to warn of.
 */
#include "cli/models.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/fixed.h"
#include "cli/run_options.h"
#include "data/param_table.h"
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

/* ---- in words ---- */

static const char *const assign_texts[] = {
    [HS_ASSIGN_AUTO] = "named by the trace, else by utilization, else drawn",
    [HS_ASSIGN_COLUMNS] = "named by the trace",
    [HS_ASSIGN_TELEMETRY] = "named by the trace, else by utilization",
    [HS_ASSIGN_MIX] = "drawn for every job",
    [HS_ASSIGN_OFF] = "none"};

#define ERRORS_SIZE 128

/* "0.058", or of several GPU types "V100 0.039, K80 0.016", without those that were not measured.
 */
static const char *error_text(const struct hs_models *m, const struct hs_cluster *cluster,
                              enum hs_slowdown_source source, char text[ERRORS_SIZE])
{
    size_t used = 0;
    for (uint32_t t = 0; t < cluster->type_count && used < ERRORS_SIZE; t++) {
        double error = hs_interference_error(m->interference, t, source);
        bool is_one = cluster->type_count == 1;
        if (isnan(error))
            continue;
        used +=
            (size_t)snprintf(text + used, ERRORS_SIZE - used, "%s%s%s%.3f", used > 0 ? ", " : "",
                             is_one ? "" : cluster->types[t].name, is_one ? "" : " ", error);
    }
    return used > 0 ? text : "unknown";
}

/* "; noise 1 x RMSE", with the RMSE taken for pairs of unknown error. */
static void noise_text(const struct hs_models *m, char text[64])
{
    double noise = m->interference_options.noise;
    double error = hs_interference_error(m->interference, 0, HS_SLOWDOWN_GENERAL);
    double taken = hs_interference_noise_rmse(m->interference, 0, HS_SLOWDOWN_GENERAL);
    if (!(noise > 0))
        text[0] = '\0';
    else if (isnan(error) && !isnan(taken))
        (void)snprintf(text, 64, "; noise %g x RMSE (others %.3f)", noise, taken);
    else
        (void)snprintf(text, 64, "; noise %g x RMSE", noise);
}

static void say_interference(struct hs_models *m, const struct hs_run_options *options,
                             const struct hs_cluster *cluster)
{
    char *text = m->interference_text;
    const size_t size = sizeof m->interference_text;
    enum hs_interference_mode mode = m->interference_options.mode;
    if (mode == HS_INTERFERENCE_NONE || mode == HS_INTERFERENCE_CONST) {
        (void)snprintf(text, size, "%s: %s", options->interference,
                       mode == HS_INTERFERENCE_NONE
                           ? "jobs that share a GPU run at full speed"
                           : "slower by this share beside anybody, not measured");
        return;
    }
    char fitted[ERRORS_SIZE], general[ERRORS_SIZE], noise[64], gamma[32] = "", crowd[48] = "";
    if (m->tenants > 2)
        (void)snprintf(crowd, sizeof crowd, "; 3+ tenants %s, not measured",
                       m->interference_options.crowd == HS_CROWD_ADDITIVE ? "additive"
                                                                          : "queueing");
    if (options->gamma != 1)
        (void)snprintf(gamma, sizeof gamma, "; gamma %g", options->gamma);
    noise_text(m, noise);
    (void)snprintf(text, size, "%s (RMSE of speed: profiled pairs %s%s others %s)%s%s%s",
                   options->interference, error_text(m, cluster, HS_SLOWDOWN_FITTED, fitted),
                   cluster->type_count > 1 ? ";" : ",",
                   error_text(m, cluster, HS_SLOWDOWN_GENERAL, general), noise, gamma, crowd);
}

static const char *type_text(const char *name)
{
    return strcmp(name, HS_UNTYPED) == 0 ? "untyped GPUs" : name;
}

/* "V100, P100": the types on which the slowdown of spread gangs is known, or is not. */
static void list_types(char text[96], const struct hs_models *m, const struct hs_cluster *cluster,
                       bool is_known)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t t = 0; t < cluster->type_count && used < 96; t++)
        if (hs_speed_has_spread(m->speed, t) == is_known)
            used += (size_t)snprintf(text + used, 96 - used, "%s%s", used > 0 ? ", " : "",
                                     type_text(cluster->types[t].name));
}

/* Is the speed of jobs on the type measured by model? Only where jobs have profiles. */
static bool is_by_model(const struct hs_models *m, uint32_t type)
{
    return m->assign.mode != HS_ASSIGN_OFF && hs_speed_is_by_model(m->speed, type);
}

static bool is_reference(const struct hs_models *m, const struct hs_cluster *cluster, uint32_t type)
{
    return hs_model_same_name(cluster->types[type].name, hs_speed_reference(m->speed));
}

static void say_speeds(struct hs_models *m, const struct hs_run_options *options,
                       const struct hs_cluster *cluster)
{
    const char *reference = hs_speed_reference(m->speed);
    char *text = m->speeds_text;
    const size_t size = sizeof m->speeds_text;
    size_t used = (size_t)snprintf(text, size, "run times are those of %s%s",
                                   reference[0] != '\0' ? type_text(reference) : "no GPU type here",
                                   reference[0] != '\0' && options->reference_type == NULL &&
                                           cluster->type_count > 1
                                       ? " (the first type)"
                                       : "");
    for (uint32_t t = 0; t < cluster->type_count && used < size; t++) {
        if (is_reference(m, cluster, t))
            continue;
        const char *name = cluster->types[t].name;
        double scalar = (double)hs_speed_q32(m->speed, HS_NO_PROFILE, t, NULL) / (double)HS_Q32_ONE;
        int n = is_by_model(m, t) ? snprintf(text + used, size - used,
                                             "; %s by model, x %g without", name, scalar)
                                  : snprintf(text + used, size - used, "; %s x %g%s", name, scalar,
                                             scalar == 1 ? ", not measured" : "");
        used += n > 0 ? (size_t)n : 0;
    }
}

static void say_locality(struct hs_models *m, const struct hs_run_options *options,
                         const struct hs_cluster *cluster)
{
    char slowed[96], full[96];
    list_types(slowed, m, cluster, true);
    list_types(full, m, cluster, false);
    char *text = m->locality_text;
    const size_t size = sizeof m->locality_text;
    if (options->locality != 0)
        (void)snprintf(text, size, "none: a spread gang runs at full speed");
    else if (m->assign.mode == HS_ASSIGN_OFF)
        (void)snprintf(text, size, "none: a spread gang without a profile runs at full speed");
    else if (slowed[0] == '\0')
        (void)snprintf(text, size, "not measured on %s: a spread gang runs at full speed", full);
    else
        (void)snprintf(text, size, "a spread gang is slowed by its profile on %s%s%s", slowed,
                       full[0] != '\0' ? "; full speed on " : "", full);
}

/* The predictions that the policy asks for. */
static void say_predictor(struct hs_models *m, const struct hs_run_options *options)
{
    static const char *const kinds[] = {"oracle", "noisy", "table", "regress"};
    static const char *const memories[] = {"oracle", "formula", "noisy"};
    char *text = m->predictor_text, bias[32] = "", detail[96] = "";
    const size_t size = sizeof m->predictor_text;
    size_t used = 0;
    text[0] = '\0';
    if ((m->told & HS_KNOWS_UTILIZATION) != 0) {
        if (options->util_bias != 0)
            (void)snprintf(bias, sizeof bias, ", bias %g", options->util_bias);
        if (options->predictor == HS_PREDICT_NOISY)
            (void)snprintf(detail, sizeof detail, " (RMSLE %.3g%s)",
                           hypot(options->util_noise, options->util_bias), bias);
        if (options->predictor == HS_PREDICT_REGRESS)
            (void)snprintf(detail, sizeof detail, " (fitted without the job's %s)",
                           options->predictor_holdout == HS_HOLDOUT_MODEL ? "model"
                                                                          : "configuration");
        used = (size_t)snprintf(text, size, "utilization %s%s", kinds[options->predictor], detail);
    }
    if (m->is_told_slowdown) { /* of a pair */
        double error = hs_predictor_slowdown_error(m->predictor);
        used += (size_t)(isnan(error) ? snprintf(text + used, size - used,
                                                 ", slowdown by it (error unknown)")
                                      : snprintf(text + used, size - used,
                                                 ", slowdown by it (RMSE of speed %.3f)", error));
    }
    if ((m->told & HS_KNOWS_MEMORY) == 0)
        return;
    used += (size_t)snprintf(text + used, size - used, "%smemory %s", used > 0 ? ", " : "",
                             memories[options->memory_predictor]);
    if (options->memory_predictor == HS_MEMORY_NOISY)
        (void)snprintf(text + used, size - used, " (standard deviation of ln %g)",
                       options->memory_noise);
}

static void say_models(struct hs_models *m, const struct hs_run_options *options,
                       const struct hs_cluster *cluster)
{
    if (m->interference != NULL)
        say_interference(m, options, cluster);
    int len =
        snprintf(m->profiles_text, sizeof m->profiles_text, "%s", assign_texts[m->assign.mode]);
    if (m->assign.mode == HS_ASSIGN_AUTO || m->assign.mode == HS_ASSIGN_MIX)
        (void)snprintf(m->profiles_text + len, sizeof m->profiles_text - (size_t)len,
                       " (mean %g %%, kept by a user %g)", options->assign_target,
                       options->assign_sticky);
    say_speeds(m, options, cluster);
    say_locality(m, options, cluster);
    say_predictor(m, options);
}

/* ---- options without effect ---- */

/* A parameter of a predictor that is not in use, given in this call: a --config file may have all.
 */
static void warn_of_idle_predictor(const struct hs_config *config, struct hs_diag *diag)
{
    static const struct {
        const char *parameter, *key, *kind, *hint;
    } rules[] = {{"util_noise", "predictor", "noisy", "--predictor=noisy"},
                 {"util_bias", "predictor", "noisy", "--predictor=noisy"},
                 {"predictor_holdout", "predictor", "regress", "--predictor=regress"},
                 {"memory_noise", "memory_predictor", "noisy", "--memory-predictor=noisy"}};
    char kind[64] = "";
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        if (hs_config_origin(config, rules[r].parameter) < HS_FROM_SET)
            continue;
        const struct hs_option *option = hs_option_find(config->options, rules[r].key);
        (void)hs_param_print(&option->param, config->base, kind, sizeof kind);
        if (strcmp(kind, rules[r].kind) != 0)
            hs_report(diag, HS_WARNING, NULL, rules[r].hint, "%s has no effect: %s is %s",
                      rules[r].parameter, rules[r].key, kind);
    }
}

static void note_idle_cost(const char *key, const struct hs_models_need *need, struct hs_diag *diag)
{
    const char *cost = need->cost != NULL ? need->cost : "not stated";
    bool has_checkpoint = strstr(cost, "checkpoint") != NULL;
    bool is_idle =
        (strcmp(key, "storage_bandwidth") == 0 && !has_checkpoint) ||
        (strcmp(key, "restart_table") == 0 && !has_checkpoint && strstr(cost, "restart") == NULL);
    if (is_idle && (need->can & HS_CAN_PREEMPT) == 0)
        hs_report(diag, HS_NOTE, NULL, NULL, "%s has no effect: %s preempts nobody", key,
                  need->policy);
    else if (is_idle)
        hs_report(diag, HS_NOTE, NULL, "the policy's parameter preempt_cost",
                  "%s has no effect: a preemption costs '%s'", key, cost);
}

/* Options that were given and have no effect on a policy with these needs. */
static void note_idle_options(const struct hs_config *config, const struct hs_models_need *need,
                              bool is_sharing, struct hs_diag *diag)
{
    static const char *const of_sharing[] = {
        "interference",   "gamma",     "interference_noise", "crowd",
        "memory_reserve", "oom_delay", "oom_retries",        NULL};
    static const char *const of_utilization[] = {"predictor", "util_noise", "util_bias",
                                                 "predictor_holdout", NULL};
    static const char *const of_memory[] = {"memory_predictor", "memory_noise", NULL};
    warn_of_idle_predictor(config, diag);
    for (uint32_t i = 0; config->options[i].param.key != NULL; i++) {
        const char *key = config->options[i].param.key;
        if (config->origin[i] == HS_FROM_DEFAULT)
            continue;
        if (!is_sharing && hs_word_is_in(of_sharing, key))
            hs_report(diag, HS_NOTE, NULL, NULL, "%s has no effect: %s shares no GPU", key,
                      need->policy);
        note_idle_cost(key, need, diag);
        if (strcmp(key, "memory_limits") == 0 && (need->can & HS_CAN_THROTTLE) == 0)
            hs_report(diag, HS_NOTE, NULL, NULL, "%s has no effect: %s limits nobody's memory", key,
                      need->policy);
        if (((need->knows & HS_KNOWS_UTILIZATION) == 0 && hs_word_is_in(of_utilization, key)) ||
            ((need->knows & HS_KNOWS_MEMORY) == 0 && hs_word_is_in(of_memory, key)))
            hs_report(diag, HS_NOTE, NULL, NULL,
                      "%s has no effect: %s asks for no such prediction ('horus policies')", key,
                      need->policy);
    }
}

/* ---- opening ---- */

/* A file that was given is read, and checked, also where no policy asks for it. */
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
                              const struct hs_config *config, const struct hs_cluster *cluster,
                              const struct hs_models_need *need, struct hs_diag *diag)
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
    bool has_restart_cost = need->cost != NULL && strstr(need->cost, "restart") != NULL;
    if ((need->can & HS_CAN_PREEMPT) != 0 || has_restart_cost ||
        is_given_path(options->restart_table))
        HS_TRY(hs_restart_load(&m->restart, options->restart_table, diag));
    if ((need->can & HS_CAN_THROTTLE) != 0 || is_given_path(options->memory_limits))
        HS_TRY(hs_memcurve_load(&m->memcurve, options->memory_limits, diag));
    say_models(m, options, cluster);
    note_idle_options(config, need, m->is_sharing, diag);
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

/* ---- warnings of a run ---- */

/* An option without effect where there is nothing measured, or no error of it. */
static void warn_of_noise(const struct hs_models *m, const struct hs_run_options *options,
                          const struct hs_cluster *cluster, struct hs_diag *diag)
{
    if (!(m->interference_options.noise > 0) || m->interference == NULL)
        return;
    if (!hs_models_use(m, HS_MODEL_INTERFERENCE)) {
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "interference_noise has no effect: interference %s is nothing measured",
                  options->interference);
        return;
    }
    for (uint32_t t = 0; t < cluster->type_count; t++)
        if (isnan(hs_interference_noise_rmse(m->interference, t, HS_SLOWDOWN_FITTED)) &&
            isnan(hs_interference_noise_rmse(m->interference, t, HS_SLOWDOWN_GENERAL)))
            hs_report(diag, HS_WARNING, NULL, "\"holdout\" of its table and of \"general\"",
                      "interference_noise has no effect on %s: the model file tells no error of "
                      "the speeds there",
                      cluster->types[t].name);
}

/* Jobs without a profile: neither their slowdowns nor the sizes of their checkpoints are known. */
static void warn_of_profiles(const struct hs_models *m, uint64_t jobs, uint64_t without,
                             struct hs_diag *diag)
{
    if (without == 0)
        return;
    if (m->is_sharing && hs_models_use(m, HS_MODEL_INTERFERENCE))
        hs_report(diag, HS_WARNING, NULL, "--assign=auto draws one for each",
                  "%" PRIu64 " of %" PRIu64
                  " jobs have no profile: sharing a GPU slows neither them nor others beside them",
                  without, jobs);
    if (m->cost != NULL && strstr(m->cost, "checkpoint") != NULL)
        hs_report(diag, HS_WARNING, NULL, "--assign=auto draws one for each",
                  "%" PRIu64 " of %" PRIu64 " jobs have no profile, so their checkpoints have no "
                  "size: preempted, they pay by cost_table",
                  without, jobs);
}

static void warn_of_speeds(const struct hs_models *m, const struct hs_run_options *options,
                           const struct hs_cluster *cluster, uint64_t jobs, uint64_t without,
                           struct hs_diag *diag)
{
    static const char hint[] = "\"speed\" of its GPU type in the cluster file";
    const char *reference = hs_speed_reference(m->speed);
    char names[256] = "";
    size_t used = 0;
    bool is_unknown = false, is_relative = false;
    for (uint32_t t = 0; t < cluster->type_count; t++) {
        if (is_reference(m, cluster, t))
            continue;
        if (is_by_model(m, t)) {
            is_relative = true;
        } else if (hs_speed_q32(m->speed, HS_NO_PROFILE, t, NULL) == HS_Q32_ONE) {
            is_unknown = true;
            if (used < sizeof names)
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                         used > 0 ? ", " : "", cluster->types[t].name);
        }
    }
    if (is_unknown)
        hs_report(diag, HS_WARNING, NULL, hint,
                  "the speed of %s relative to %s is not known: taken as 1", names, reference);
    if (is_relative && options->reference_type == NULL)
        hs_report(diag, HS_WARNING, NULL, "--reference-type=TYPE names another",
                  "%s, the first GPU type, is taken for the one that the trace was recorded on",
                  reference);
    for (uint32_t t = 0; t < cluster->type_count && without > 0; t++)
        if (is_by_model(m, t) && !is_reference(m, cluster, t))
            hs_report(diag, HS_WARNING, NULL, hint,
                      "%" PRIu64 " of %" PRIu64 " jobs have no profile: on %s they run at %g times "
                      "the speed of %s",
                      without, jobs, cluster->types[t].name,
                      (double)hs_speed_q32(m->speed, HS_NO_PROFILE, t, NULL) / (double)HS_Q32_ONE,
                      reference);
}

void hs_models_warn(const struct hs_models *m, const struct hs_run_options *options,
                    const struct hs_cluster *cluster, const struct hs_assign_counts *assigned,
                    struct hs_diag *diag)
{
    uint64_t jobs =
        assigned->by_columns + assigned->by_telemetry + assigned->by_mix + assigned->none;
    warn_of_noise(m, options, cluster, diag);
    warn_of_profiles(m, jobs, assigned->none, diag);
    if (hs_speed_reference(m->speed)[0] == '\0')
        hs_report(diag, HS_WARNING, NULL, "--reference-type=TYPE",
                  "no GPU type has speed 1, so none is that of the trace: speeds are those of the "
                  "cluster file for every model");
    else
        warn_of_speeds(m, options, cluster, jobs, assigned->none, diag);
}
