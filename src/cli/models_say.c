/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the models of a run mean, in words: the lines of its card, and what to warn of.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "cli/models.h"
#include "data/param.h"
#include "horus/policy.h"

static const char *const assign_texts[] = {
    [HS_ASSIGN_AUTO] = "named by the trace, else by utilization, else drawn",
    [HS_ASSIGN_COLUMNS] = "named by the trace",
    [HS_ASSIGN_TELEMETRY] = "named by the trace, else by utilization",
    [HS_ASSIGN_MIX] = "drawn for every job",
    [HS_ASSIGN_OFF] = "none"};

#define ERRORS_SIZE 128

/* "0.058", or of several GPU types "V100 0.039, K80 0.016", those left out that nobody measured. */
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

/* "; noise 1 x RMSE", and which that is for pairs whose own error is unknown. */
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

/* What a fit knows of some GPU types and not of others. */
typedef bool knows_type_fn(const struct hs_speed *speed, uint32_t type);

/* Appends "V100, P100" to a text: the types for which knows() is `wanted`, the reference left out.
 */
static void list_types(char *text, size_t size, const struct hs_models *m,
                       const struct hs_cluster *cluster, knows_type_fn *knows, bool wanted)
{
    size_t used = strlen(text);
    const char *comma = "";
    for (uint32_t t = 0; t < cluster->type_count && used < size; t++) {
        if (knows(m->speed, t) != wanted)
            continue;
        int n =
            snprintf(text + used, size - used, "%s%s", comma, type_text(cluster->types[t].name));
        used += n > 0 ? (size_t)n : 0;
        comma = ", ";
    }
}

/* Measured speeds are for jobs of known models. */
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
    char slowed[96] = "", full[96] = "";
    list_types(slowed, sizeof slowed, m, cluster, hs_speed_has_spread, true);
    list_types(full, sizeof full, m, cluster, hs_speed_has_spread, false);
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

/* ", slowdown by it (RMSE of speed 0.094)": of a pair, whoever predicts the utilizations. */
static size_t say_slowdown(const struct hs_models *m, char *text, size_t size)
{
    if (!m->is_told_slowdown)
        return 0;
    double error = hs_predictor_slowdown_error(m->predictor);
    int n = isnan(error) ? snprintf(text, size, ", slowdown by it (error unknown)")
                         : snprintf(text, size, ", slowdown by it (RMSE of speed %.3f)", error);
    return n > 0 ? (size_t)n : 0;
}

/* What the policy asks for, and no more: pack is told nothing of utilization. */
static void say_predictor(struct hs_models *m, const struct hs_run_options *options)
{
    static const char *const kinds[] = {"oracle", "noisy", "table", "regress"};
    static const char *const memories[] = {"oracle", "formula", "noisy"};
    char *text = m->predictor_text;
    const size_t size = sizeof m->predictor_text;
    size_t used = 0;
    text[0] = '\0';
    if ((m->told & HS_KNOWS_UTILIZATION) != 0)
        used = (size_t)snprintf(text, size, "utilization %s", kinds[options->predictor]);
    if (used > 0 && options->predictor == HS_PREDICT_NOISY)
        used += (size_t)snprintf(text + used, size - used, " (RMSLE %.3g",
                                 hypot(options->util_noise, options->util_bias));
    if (used > 0 && options->predictor == HS_PREDICT_NOISY && options->util_bias != 0)
        used += (size_t)snprintf(text + used, size - used, ", bias %g", options->util_bias);
    if (used > 0 && options->predictor == HS_PREDICT_NOISY)
        used += (size_t)snprintf(text + used, size - used, ")");
    if (used > 0 && options->predictor == HS_PREDICT_REGRESS)
        used += (size_t)snprintf(text + used, size - used, " (fitted without the job's %s)",
                                 options->predictor_holdout == HS_HOLDOUT_MODEL ? "model"
                                                                                : "configuration");
    used += say_slowdown(m, text + used, size - used);
    if ((m->told & HS_KNOWS_MEMORY) == 0)
        return;
    used += (size_t)snprintf(text + used, size - used, "%smemory %s", used > 0 ? ", " : "",
                             memories[options->memory_predictor]);
    if (options->memory_predictor == HS_MEMORY_NOISY)
        (void)snprintf(text + used, size - used, " (standard deviation of ln %g)",
                       options->memory_noise);
}

void hs_models_say(struct hs_models *m, const struct hs_run_options *options,
                   const struct hs_cluster *cluster)
{
    if (m->interference != NULL)
        say_interference(m, options, cluster);
    if (m->assign.mode == HS_ASSIGN_OFF || m->assign.mode == HS_ASSIGN_COLUMNS ||
        m->assign.mode == HS_ASSIGN_TELEMETRY)
        (void)snprintf(m->profiles_text, sizeof m->profiles_text, "%s",
                       assign_texts[m->assign.mode]);
    else
        (void)snprintf(m->profiles_text, sizeof m->profiles_text,
                       "%s (mean %g %%, kept by a user %g)", assign_texts[m->assign.mode],
                       options->assign_target, options->assign_sticky);
    say_speeds(m, options, cluster);
    say_locality(m, options, cluster);
    say_predictor(m, options);
}

/* Jobs that no model is known of, on types whose speed goes by model. */
static void warn_without(const struct hs_models *m, const struct hs_cluster *cluster, uint64_t jobs,
                         uint64_t without, struct hs_diag *diag)
{
    for (uint32_t t = 0; t < cluster->type_count && without > 0; t++)
        if (is_by_model(m, t) && !is_reference(m, cluster, t))
            hs_report(diag, HS_WARNING, NULL, "\"speed\" of its GPU type in the cluster file",
                      "%" PRIu64 " of %" PRIu64 " jobs have no profile: on %s they run at %g times "
                      "the speed of %s",
                      without, jobs, cluster->types[t].name,
                      (double)hs_speed_q32(m->speed, HS_NO_PROFILE, t, NULL) / (double)HS_Q32_ONE,
                      hs_speed_reference(m->speed));
}

/* A dial that turns nothing. */
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

/* Of a job without a profile no slowdown is known, its own or that of others. */
static void warn_of_free_sharing(const struct hs_models *m, uint64_t jobs, uint64_t without,
                                 struct hs_diag *diag)
{
    if (m->is_sharing && without > 0 && hs_models_use(m, HS_MODEL_INTERFERENCE))
        hs_report(diag, HS_WARNING, NULL, "--assign=auto draws one for each",
                  "%" PRIu64 " of %" PRIu64
                  " jobs have no profile: sharing a GPU slows neither them nor others beside them",
                  without, jobs);
}

/* Whose checkpoint has no size pays by the table of gang sizes. */
static void warn_of_checkpoints(const struct hs_models *m, uint64_t jobs, uint64_t without,
                                struct hs_diag *diag)
{
    if (without > 0 && m->cost != NULL && strstr(m->cost, "checkpoint") != NULL)
        hs_report(diag, HS_WARNING, NULL, "--assign=auto draws one for each",
                  "%" PRIu64 " of %" PRIu64 " jobs have no profile, so their checkpoints have no "
                  "size: preempted, they pay by cost_table",
                  without, jobs);
}

static void warn_of_speeds(const struct hs_models *m, const struct hs_cluster *cluster,
                           const char *reference, struct hs_diag *diag)
{
    char names[256] = "";
    size_t used = 0;
    uint32_t unknown = 0;
    for (uint32_t t = 0; t < cluster->type_count; t++) {
        if (is_reference(m, cluster, t) || is_by_model(m, t) ||
            hs_speed_q32(m->speed, HS_NO_PROFILE, t, NULL) != HS_Q32_ONE)
            continue;
        unknown++;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : "", cluster->types[t].name);
    }
    if (unknown > 0)
        hs_report(diag, HS_WARNING, NULL, "\"speed\" of its GPU type in the cluster file",
                  "the speed of %s relative to %s is not known: taken as 1", names, reference);
}

void hs_models_warn(const struct hs_models *m, const struct hs_run_options *options,
                    const struct hs_cluster *cluster, const struct hs_assign_counts *assigned,
                    struct hs_diag *diag)
{
    const char *reference = hs_speed_reference(m->speed);
    uint64_t jobs =
        assigned->by_columns + assigned->by_telemetry + assigned->by_mix + assigned->none;
    bool is_relative = false;
    warn_of_noise(m, options, cluster, diag);
    warn_of_free_sharing(m, jobs, assigned->none, diag);
    warn_of_checkpoints(m, jobs, assigned->none, diag);
    if (reference[0] == '\0') {
        hs_report(diag, HS_WARNING, NULL, "--reference-type=TYPE",
                  "no GPU type has speed 1, so none is that of the trace: speeds are those of the "
                  "cluster file for every model");
        return;
    }
    for (uint32_t t = 0; t < cluster->type_count; t++)
        is_relative = is_relative || (!is_reference(m, cluster, t) && is_by_model(m, t));
    warn_of_speeds(m, cluster, reference, diag);
    if (is_relative && options->reference_type == NULL)
        hs_report(diag, HS_WARNING, NULL, "--reference-type=TYPE names another",
                  "%s, the first GPU type, is taken for the one that the trace was recorded on",
                  reference);
    warn_without(m, cluster, jobs, assigned->none, diag);
}

static bool is_listed(const char *const *keys, const char *key)
{
    while (*keys != NULL && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

/* A dial of a predictor that is not in use, turned in this call: a whole --config may have it. */
static void warn_of_dials(const struct hs_config *config, struct hs_diag *diag)
{
    static const struct {
        const char *dial, *key, *kind, *hint;
    } dials[] = {{"util_noise", "predictor", "noisy", "--predictor=noisy"},
                 {"util_bias", "predictor", "noisy", "--predictor=noisy"},
                 {"predictor_holdout", "predictor", "regress", "--predictor=regress"},
                 {"memory_noise", "memory_predictor", "noisy", "--memory-predictor=noisy"}};
    char kind[64] = "";
    for (size_t d = 0; d < sizeof dials / sizeof *dials; d++) {
        if (hs_config_origin(config, dials[d].dial) < HS_FROM_SET)
            continue;
        for (const struct hs_option *o = config->options; o->param.key != NULL; o++)
            if (strcmp(o->param.key, dials[d].key) == 0)
                (void)hs_param_print(&o->param, config->base, kind, sizeof kind);
        if (strcmp(kind, dials[d].kind) != 0)
            hs_report(diag, HS_WARNING, NULL, dials[d].hint, "%s has no effect: %s is %s",
                      dials[d].dial, dials[d].key, kind);
    }
}

/* Is the option about the cost of a preemption, and of no use to this one? */
static bool is_idle_cost(const char *key, const char *cost)
{
    bool is_checkpoint = strstr(cost, "checkpoint") != NULL;
    if (strcmp(key, "storage_bandwidth") == 0)
        return !is_checkpoint;
    return strcmp(key, "restart_table") == 0 && !is_checkpoint && strstr(cost, "restart") == NULL;
}

static void note_idle_cost(const char *key, const char *policy, const struct hs_models_need *need,
                           struct hs_diag *diag)
{
    const char *cost = need->cost != NULL ? need->cost : "not stated";
    if (!is_idle_cost(key, cost))
        return;
    if ((need->can & HS_CAN_PREEMPT) == 0)
        hs_report(diag, HS_NOTE, NULL, NULL, "%s has no effect: %s preempts nobody", key, policy);
    else
        hs_report(diag, HS_NOTE, NULL, "the policy's parameter preempt_cost",
                  "%s has no effect: a preemption costs '%s'", key, cost);
}

void hs_models_note_idle(const struct hs_config *config, const char *policy,
                         const struct hs_models_need *need, struct hs_diag *diag)
{
    static const char *const of_sharing[] = {
        "interference",   "gamma",     "interference_noise", "crowd",
        "memory_reserve", "oom_delay", "oom_retries",        NULL};
    static const char *const of_utilization[] = {"predictor", "util_noise", "util_bias",
                                                 "predictor_holdout", NULL};
    static const char *const of_memory[] = {"memory_predictor", "memory_noise", NULL};
    bool is_sharing = (need->can & (HS_CAN_COLOCATE | HS_CAN_SLICE)) != 0;
    uint32_t knows = need->knows;
    warn_of_dials(config, diag);
    for (uint32_t i = 0; config->options[i].param.key != NULL; i++) {
        const char *key = config->options[i].param.key;
        if (config->origin[i] == HS_FROM_DEFAULT)
            continue;
        if (!is_sharing && is_listed(of_sharing, key))
            hs_report(diag, HS_NOTE, NULL, NULL, "%s has no effect: %s shares no GPU", key, policy);
        note_idle_cost(key, policy, need, diag);
        if (strcmp(key, "memory_limits") == 0 && (need->can & HS_CAN_THROTTLE) == 0)
            hs_report(diag, HS_NOTE, NULL, NULL, "%s has no effect: %s limits nobody's memory", key,
                      policy);
        bool is_untold = ((knows & HS_KNOWS_UTILIZATION) == 0 && is_listed(of_utilization, key)) ||
                         ((knows & HS_KNOWS_MEMORY) == 0 && is_listed(of_memory, key));
        if (is_untold)
            hs_report(diag, HS_NOTE, NULL, NULL,
                      "%s has no effect: %s asks for no such prediction ('horus policies')", key,
                      policy);
    }
}
