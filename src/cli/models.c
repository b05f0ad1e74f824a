/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options to models, from the files given or else from those compiled in; what they mean in words,
 * for the lines of the run's card; and what to warn of.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/fixed.h"
#include "base/fmt.h"
#include "cli/setup.h"
#include "data/param_table.h"

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
                                         .load = options->read.load / options->read.scale_time};
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
static const char *error_text(const struct hs_models *m, enum hs_slowdown_source source,
                              char text[ERRORS_SIZE])
{
    text[0] = '\0';
    for (uint32_t t = 0; t < m->cluster->type_count; t++) {
        double error = hs_interference_error(m->interference, t, source);
        if (isnan(error))
            continue;
        if (m->cluster->type_count > 1)
            hs_append(text, ERRORS_SIZE, "%s%s ", text[0] != '\0' ? ", " : "",
                      m->cluster->types[t].name);
        hs_append(text, ERRORS_SIZE, "%.3f", error);
    }
    return text[0] != '\0' ? text : "unknown";
}

static void say_interference(struct hs_models *m)
{
    char *text = m->interference_text, fitted[ERRORS_SIZE], general[ERRORS_SIZE];
    const size_t size = sizeof m->interference_text;
    const struct hs_interference_options *how = &m->interference_options;
    (void)snprintf(text, size, "%s", m->options->interference);
    if (how->mode == HS_INTERFERENCE_NONE || how->mode == HS_INTERFERENCE_CONST) {
        hs_append(text, size,
                  how->mode == HS_INTERFERENCE_NONE
                      ? ": jobs that share a GPU run at full speed"
                      : ": slower by this share beside anybody, not measured");
        return;
    }
    hs_append(text, size, " (RMSE of speed: profiled pairs %s%s others %s)",
              error_text(m, HS_SLOWDOWN_FITTED, fitted), m->cluster->type_count > 1 ? ";" : ",",
              error_text(m, HS_SLOWDOWN_GENERAL, general));
    if (how->noise > 0) { /* with the RMSE taken for pairs of unknown error */
        double taken = hs_interference_noise_rmse(m->interference, 0, HS_SLOWDOWN_GENERAL);
        hs_append(text, size, "; noise %g x RMSE", how->noise);
        if (isnan(hs_interference_error(m->interference, 0, HS_SLOWDOWN_GENERAL)) && !isnan(taken))
            hs_append(text, size, " (others %.3f)", taken);
    }
    if (how->gamma != 1)
        hs_append(text, size, "; gamma %g", how->gamma);
    if (m->need.tenants > 2)
        hs_append(text, size, "; 3+ tenants %s, not measured",
                  how->crowd == HS_CROWD_ADDITIVE ? "additive" : "queueing");
}

static const char *type_text(const char *name)
{
    return strcmp(name, HS_UNTYPED) == 0 ? "untyped GPUs" : name;
}

/* Is the speed of jobs on the type measured by model? Only where jobs have profiles. */
static bool is_by_model(const struct hs_models *m, uint32_t type)
{
    return m->assign.mode != HS_ASSIGN_OFF && hs_speed_is_by_model(m->speed, type);
}

static bool is_reference(const struct hs_models *m, uint32_t type)
{
    return hs_model_same_name(m->cluster->types[type].name, hs_speed_reference(m->speed));
}

/* Of jobs without a profile. */
static double speed_of(const struct hs_models *m, uint32_t type)
{
    return (double)hs_speed_q32(m->speed, HS_NO_PROFILE, type, NULL) / (double)HS_Q32_ONE;
}

static void say_speeds(struct hs_models *m)
{
    const char *reference = hs_speed_reference(m->speed);
    char *text = m->speeds_text;
    const size_t size = sizeof m->speeds_text;
    (void)snprintf(text, size, "run times are those of %s",
                   reference[0] != '\0' ? type_text(reference) : "no GPU type here");
    if (reference[0] != '\0' && m->options->reference_type == NULL && m->cluster->type_count > 1)
        hs_append(text, size, " (the first type)");
    for (uint32_t t = 0; t < m->cluster->type_count; t++) {
        const char *name = m->cluster->types[t].name;
        double speed = speed_of(m, t);
        if (is_reference(m, t))
            continue;
        if (is_by_model(m, t))
            hs_append(text, size, "; %s by model, x %g without", name, speed);
        else
            hs_append(text, size, "; %s x %g%s", name, speed, speed == 1 ? ", not measured" : "");
    }
}

static void say_locality(struct hs_models *m)
{
    enum { NOT_KNOWN, KNOWN };
    char types[2][96] = {"", ""}; /* whose slowdown of spread gangs is not known, and is */
    for (uint32_t t = 0; t < m->cluster->type_count; t++) {
        char *list = types[hs_speed_has_spread(m->speed, t) ? KNOWN : NOT_KNOWN];
        hs_append(list, sizeof types[0], "%s%s", list[0] != '\0' ? ", " : "",
                  type_text(m->cluster->types[t].name));
    }
    char *text = m->locality_text;
    const size_t size = sizeof m->locality_text;
    if (m->options->locality != 0)
        (void)snprintf(text, size, "none: a spread gang runs at full speed");
    else if (m->assign.mode == HS_ASSIGN_OFF)
        (void)snprintf(text, size, "none: a spread gang without a profile runs at full speed");
    else if (types[KNOWN][0] == '\0')
        (void)snprintf(text, size, "not measured on %s: a spread gang runs at full speed",
                       types[NOT_KNOWN]);
    else
        (void)snprintf(text, size, "a spread gang is slowed by its profile on %s%s%s", types[KNOWN],
                       types[NOT_KNOWN][0] != '\0' ? "; full speed on " : "", types[NOT_KNOWN]);
}

/* The predictions that the policy asks for. */
static void say_predictor(struct hs_models *m)
{
    static const char *const kinds[] = {"oracle", "noisy", "table", "regress"};
    static const char *const memories[] = {"oracle", "formula", "noisy"};
    const struct hs_predictor_options *told = &m->options->told;
    char *text = m->predictor_text;
    const size_t size = sizeof m->predictor_text;
    if ((m->need.knows & HS_KNOWS_UTILIZATION) != 0) {
        hs_append(text, size, "utilization %s", kinds[told->kind]);
        if (told->kind == HS_PREDICT_NOISY) {
            hs_append(text, size, " (RMSLE %.3g", hypot(told->util_rmsle, told->util_bias));
            if (told->util_bias != 0)
                hs_append(text, size, ", bias %g", told->util_bias);
            hs_append(text, size, ")");
        }
        if (told->kind == HS_PREDICT_REGRESS)
            hs_append(text, size, " (fitted without the job's %s)",
                      told->holdout == HS_HOLDOUT_MODEL ? "model" : "configuration");
        if ((m->need.can & HS_CAN_COLOCATE) != 0) { /* the slowdown of a pair */
            double error = hs_predictor_slowdown_error(m->predictor);
            if (isnan(error))
                hs_append(text, size, ", slowdown by it (error unknown)");
            else
                hs_append(text, size, ", slowdown by it (RMSE of speed %.3f)", error);
        }
    }
    if ((m->need.knows & HS_KNOWS_MEMORY) == 0)
        return;
    hs_append(text, size, "%smemory %s", text[0] != '\0' ? ", " : "", memories[told->memory]);
    if (told->memory == HS_MEMORY_NOISY)
        hs_append(text, size, " (standard deviation of ln %g)", told->mem_ln_sd);
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

/* Does the cost of a preemption have that word? */
static bool costs(const struct hs_models *m, const char *word)
{
    return m->need.cost != NULL && strstr(m->need.cost, word) != NULL;
}

/* Options that were given and have no effect on a policy with these needs. */
static void note_idle_options(const struct hs_models *m, const struct hs_config *config,
                              struct hs_diag *diag)
{
    static const char *const of_sharing[] = {
        "interference",   "gamma",     "interference_noise", "crowd",
        "memory_reserve", "oom_delay", "oom_retries",        NULL};
    static const char *const of_limits[] = {"memory_limits", NULL};
    static const char *const of_utilization[] = {"predictor", "util_noise", "util_bias",
                                                 "predictor_holdout", NULL};
    static const char *const of_memory[] = {"memory_predictor", "memory_noise", NULL};
    static const char *const of_saving[] = {"storage_bandwidth", NULL};
    static const char *const of_restart[] = {"restart_table", NULL};
    static const char asks[] = "asks for no such prediction ('horus policies')";
    const struct hs_models_need *need = &m->need;
    const bool preempts = (need->can & HS_CAN_PREEMPT) != 0;
    const struct {
        const char *const *keys;
        bool has_effect;
        const char *why; /* NULL: the cost of a preemption, of a policy that preempts */
    } rules[] = {
        {of_sharing, m->is_sharing, "shares no GPU"},
        {of_limits, (need->can & HS_CAN_THROTTLE) != 0, "limits nobody's memory"},
        {of_utilization, (need->knows & HS_KNOWS_UTILIZATION) != 0, asks},
        {of_memory, (need->knows & HS_KNOWS_MEMORY) != 0, asks},
        {of_saving, costs(m, "checkpoint"), preempts ? NULL : "preempts nobody"},
        {of_restart, costs(m, "checkpoint") || costs(m, "restart"),
         preempts ? NULL : "preempts nobody"},
    };
    warn_of_idle_predictor(config, diag);
    for (uint32_t i = 0; config->options[i].param.key != NULL; i++) {
        const char *key = config->options[i].param.key;
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            if (config->origin[i] == HS_FROM_DEFAULT || rules[r].has_effect ||
                !hs_word_is_in(rules[r].keys, key))
                continue;
            if (rules[r].why != NULL)
                hs_report(diag, HS_NOTE, NULL, NULL, "%s has no effect: %s %s", key, need->policy,
                          rules[r].why);
            else
                hs_report(diag, HS_NOTE, NULL, "the policy's parameter preempt_cost",
                          "%s has no effect: a preemption costs '%s'", key,
                          need->cost != NULL ? need->cost : "not stated");
        }
    }
}

/* ---- opening ---- */

/* A file that was given is read, and checked, also where no policy asks for it. */
static bool is_given(const char *path)
{
    return strncmp(path, HS_BUILTIN, strlen(HS_BUILTIN)) != 0;
}

static enum hs_status open_interference(struct hs_models *m, struct hs_diag *diag)
{
    const char *types[HS_GPU_TYPES_MAX], *path = m->files.path[HS_MODEL_INTERFERENCE];
    const struct hs_run_options *options = m->options;
    struct hs_interference_options *how = &m->interference_options;
    *how = options->how;
    HS_TRY(hs_interference_parse(options->interference, how, diag));
    how->seed = (uint64_t)options->seed;
    if (how->crowd == HS_CROWD_QUEUEING && options->max_tenants > (int64_t)HS_QUEUEING_TENANTS)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "its cost doubles with each: --max-tenants=8 or less",
                       "--crowd=queueing is for at most %u tenants of a GPU", HS_QUEUEING_TENANTS);
    if (!m->is_sharing && !is_given(path))
        return HS_OK;
    for (uint32_t t = 0; t < m->cluster->type_count; t++)
        types[t] = m->cluster->types[t].name;
    return hs_interference_load(&m->interference, path, &m->catalogue, how, types,
                                m->cluster->type_count, diag);
}

/* "auto": what the calibration of joint memory says. */
static enum hs_status open_reserve(struct hs_models *m, struct hs_diag *diag)
{
    int64_t mib;
    const char *path = m->files.path[HS_MODEL_UTILIZATION];
    HS_TRY(hs_reserve_parse(m->options->memory_reserve, &mib, diag));
    if (mib >= 0)
        m->memory_reserve_mib = (uint32_t)mib;
    if (mib >= 0 || (!m->is_sharing && !is_given(path)))
        return HS_OK;
    struct hs_jsoncheck check;
    m->is_reserve_fitted = true;
    enum hs_status status = hs_modelfile_open(&check, path, HS_MODEL_UTILIZATION, diag);
    if (status == HS_OK) {
        const struct hs_json *memory = hs_json_get(hs_json_root(check.doc), "memory");
        m->memory_reserve_mib =
            (uint32_t)hs_jsoncheck_int(&check, memory, "reserve_p95_mib", 0, UINT32_MAX, 0);
        status = check.status;
    }
    hs_json_close(check.doc);
    return status;
}

enum hs_status hs_models_open(struct hs_models *m, const struct hs_run_options *options,
                              const struct hs_config *config, const struct hs_cluster *cluster,
                              const struct hs_models_need *need, struct hs_diag *diag)
{
    *m = (struct hs_models){.options = options, .cluster = cluster, .need = *need};
    m->is_sharing = (need->can & (HS_CAN_COLOCATE | HS_CAN_SLICE)) != 0;
    m->is_told = (need->knows & (HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY)) != 0;
    HS_TRY(hs_catalogue_load(&m->catalogue, options->profiles, diag));
    HS_TRY(hs_modelset_init(&m->files, options->models, diag));
    hs_models_assign_options(&m->assign, options, cluster);
    HS_TRY(open_interference(m, diag));
    HS_TRY(hs_speed_load(&m->speed, m->files.path[HS_MODEL_SPEED], &m->catalogue, cluster,
                         options->reference_type, diag));
    struct hs_predictor_options told = options->told;
    told.seed = (uint64_t)options->seed;
    if (m->is_told || is_given(m->files.path[HS_MODEL_PREDICTOR]))
        HS_TRY(hs_predictor_open(&m->predictor, &m->files, &m->catalogue, &told, diag));
    HS_TRY(open_reserve(m, diag));
    if ((need->can & HS_CAN_PREEMPT) != 0 || costs(m, "restart") ||
        is_given(options->restart_table))
        HS_TRY(hs_restart_load(&m->restart, options->restart_table, diag));
    if ((need->can & HS_CAN_THROTTLE) != 0 || is_given(options->memory_limits))
        HS_TRY(hs_memcurve_load(&m->memcurve, options->memory_limits, diag));
    if (m->interference != NULL)
        say_interference(m);
    hs_append(m->profiles_text, sizeof m->profiles_text, "%s", assign_texts[m->assign.mode]);
    if (m->assign.mode == HS_ASSIGN_AUTO || m->assign.mode == HS_ASSIGN_MIX)
        hs_append(m->profiles_text, sizeof m->profiles_text, " (mean %g %%, kept by a user %g)",
                  options->assign_target, options->assign_sticky);
    say_speeds(m);
    say_locality(m);
    say_predictor(m);
    note_idle_options(m, config, diag);
    return HS_OK;
}

bool hs_models_use(const struct hs_models *m, enum hs_model_kind kind)
{
    const enum hs_interference_mode mode = m->interference_options.mode;
    if (kind == HS_MODEL_INTERFERENCE)
        return m->interference != NULL &&
               (mode == HS_INTERFERENCE_MEASURED || mode == HS_INTERFERENCE_FIT);
    if (kind == HS_MODEL_UTILIZATION)
        return m->is_reserve_fitted;
    return kind != HS_MODEL_PREDICTOR || m->predictor != NULL;
}

void hs_models_close(struct hs_models *m)
{
    hs_overheads_free(m->memcurve);
    hs_overheads_free(m->restart);
    hs_predictor_close(m->predictor);
    hs_speed_free(m->speed);
    hs_interference_free(m->interference);
    hs_modelset_free(&m->files);
    hs_catalogue_free(&m->catalogue);
}

/* ---- warnings of a run ---- */

/* An option without effect where there is nothing measured, or no error of it. */
static void warn_of_noise(const struct hs_models *m, struct hs_diag *diag)
{
    if (!(m->interference_options.noise > 0) || m->interference == NULL)
        return;
    if (!hs_models_use(m, HS_MODEL_INTERFERENCE)) {
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "interference_noise has no effect: interference %s is nothing measured",
                  m->options->interference);
        return;
    }
    for (uint32_t t = 0; t < m->cluster->type_count; t++)
        if (isnan(hs_interference_noise_rmse(m->interference, t, HS_SLOWDOWN_FITTED)) &&
            isnan(hs_interference_noise_rmse(m->interference, t, HS_SLOWDOWN_GENERAL)))
            hs_report(diag, HS_WARNING, NULL, "\"holdout\" of its table and of \"general\"",
                      "interference_noise has no effect on %s: the model file tells no error of "
                      "the speeds there",
                      m->cluster->types[t].name);
}

static void warn_of_speeds(const struct hs_models *m, uint64_t jobs, uint64_t without,
                           struct hs_diag *diag)
{
    static const char hint[] = "\"speed\" of its GPU type in the cluster file";
    const char *reference = hs_speed_reference(m->speed);
    char names[256] = "";
    bool is_relative = false;
    if (reference[0] == '\0') {
        hs_report(diag, HS_WARNING, NULL, "--reference-type=TYPE",
                  "no GPU type has speed 1, so none is that of the trace: speeds are those of the "
                  "cluster file for every model");
        return;
    }
    for (uint32_t t = 0; t < m->cluster->type_count; t++) {
        if (is_reference(m, t))
            continue;
        if (is_by_model(m, t))
            is_relative = true;
        else if (speed_of(m, t) == 1)
            hs_append(names, sizeof names, "%s%s", names[0] != '\0' ? ", " : "",
                      m->cluster->types[t].name);
    }
    if (names[0] != '\0')
        hs_report(diag, HS_WARNING, NULL, hint,
                  "the speed of %s relative to %s is not known: taken as 1", names, reference);
    if (is_relative && m->options->reference_type == NULL)
        hs_report(diag, HS_WARNING, NULL, "--reference-type=TYPE names another",
                  "%s, the first GPU type, is taken for the one that the trace was recorded on",
                  reference);
    for (uint32_t t = 0; t < m->cluster->type_count && without > 0; t++)
        if (is_by_model(m, t) && !is_reference(m, t))
            hs_report(diag, HS_WARNING, NULL, hint,
                      "%" PRIu64 " of %" PRIu64 " jobs have no profile: on %s they run at %g times "
                      "the speed of %s",
                      without, jobs, m->cluster->types[t].name, speed_of(m, t), reference);
}

void hs_models_warn(const struct hs_models *m, const struct hs_assign_counts *assigned,
                    struct hs_diag *diag)
{
    uint64_t without = assigned->none;
    uint64_t jobs = assigned->by_columns + assigned->by_telemetry + assigned->by_mix + without;
    warn_of_noise(m, diag);
    /* Neither their slowdowns nor the sizes of their checkpoints are known. */
    if (without > 0 && m->is_sharing && hs_models_use(m, HS_MODEL_INTERFERENCE))
        hs_report(diag, HS_WARNING, NULL, "--assign=auto draws one for each",
                  "%" PRIu64 " of %" PRIu64
                  " jobs have no profile: sharing a GPU slows neither them nor others beside them",
                  without, jobs);
    if (without > 0 && costs(m, "checkpoint"))
        hs_report(diag, HS_WARNING, NULL, "--assign=auto draws one for each",
                  "%" PRIu64 " of %" PRIu64 " jobs have no profile, so their checkpoints have no "
                  "size: preempted, they pay by cost_table",
                  without, jobs);
    warn_of_speeds(m, jobs, without, diag);
}
