/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run says of itself: the assumptions of its models, as texts; at its begin, notes on
 * options without effect; at its end, warnings of what was left out, assumed, ignored or cut, and
 * whether the load distinguishes policies.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fixed.h"
#include "cli/simulate.h"
#include "data/param_table.h"
#include "report/run/run_table.h"

/* ---- descriptions of the models ---- */

static const char *const assign_texts[] = {
    [HS_ASSIGN_AUTO] = "named by the trace, else assumed: by utilization, else drawn",
    [HS_ASSIGN_COLUMNS] = "named by the trace",
    [HS_ASSIGN_TELEMETRY] = "named by the trace, else assumed by utilization",
    [HS_ASSIGN_MIX] = "assumed: drawn for every job",
    [HS_ASSIGN_OFF] = "none"};

#define ERRORS_SIZE 128

/* Formats "0.058", or for several GPU types "V100 0.039, K80 0.016", without unmeasured ones. */
static const char *error_text(const struct hs_setup *s, enum hs_slowdown_source source,
                              char text[ERRORS_SIZE])
{
    text[0] = '\0';
    for (uint32_t t = 0; t < s->cluster.type_count; t++) {
        double error = hs_interference_error(s->interference, t, source);
        if (isnan(error))
            continue;
        if (s->cluster.type_count > 1)
            hs_append(text, ERRORS_SIZE, "%s%s ", text[0] != '\0' ? ", " : "",
                      s->cluster.types[t].name);
        hs_append(text, ERRORS_SIZE, "%.3f%s", error,
                  hs_interference_is_unstated(s->interference, t, source)
                      ? " (sharing mode not stated)"
                      : "");
    }
    return text[0] != '\0' ? text : "unknown";
}

static void say_interference(struct hs_setup *s)
{
    char *text = s->interference_text, fitted[ERRORS_SIZE], general[ERRORS_SIZE];
    const size_t size = sizeof s->interference_text;
    const struct hs_interference_options *how = &s->how;
    text[0] = '\0';
    if (s->interference == NULL)
        return;
    for (uint32_t t = 0; t < s->cluster.type_count; t++) {
        const uint64_t capacity_q32 = hs_interference_capacity_q32(s->interference, t, 2);
        if (s->cluster.type_count > 1)
            hs_append(text, size, "%s ", s->cluster.types[t].name);
        hs_append(text, size, "%s, capacity ", hs_sharing_modes[hs_setup_sharing_mode(s, t)]);
        if (capacity_q32 == UINT64_MAX)
            hs_append(text, size, "not limited; ");
        else
            hs_append(text, size, "%.3g GPU; ", (double)capacity_q32 / (double)HS_Q32_ONE);
    }
    hs_append(text, size, "%s", s->options->interference);
    if (how->mode == HS_INTERFERENCE_NONE || how->mode == HS_INTERFERENCE_CONST) {
        hs_append(text, size,
                  how->mode == HS_INTERFERENCE_NONE
                      ? ": no slowdown beyond that"
                      : ": slower by this share beside any other, not measured");
        return;
    }
    hs_append(text, size, " (RMSE of speed: profiled pairs %s%s others %s)",
              error_text(s, HS_SLOWDOWN_FITTED, fitted), s->cluster.type_count > 1 ? ";" : ",",
              error_text(s, HS_SLOWDOWN_GENERAL, general));
    if (how->noise > 0) { /* with the RMSE used for pairs with unknown error */
        double taken = hs_interference_noise_rmse(s->interference, 0, HS_SLOWDOWN_GENERAL);
        hs_append(text, size, "; noise %g x RMSE", how->noise);
        if (isnan(hs_interference_error(s->interference, 0, HS_SLOWDOWN_GENERAL)) && !isnan(taken))
            hs_append(text, size, " (others %.3f)", taken);
    }
    if (how->gamma != 1)
        hs_append(text, size, "; gamma %g", how->gamma);
    if (s->tenants > 2)
        hs_append(text, size, "; 3+ tenants: excesses added up, not measured");
}

static const char *type_text(const char *name)
{
    return strcmp(name, HS_UNTYPED) == 0 ? "untyped GPUs" : name;
}

/* Tells whether the speed of jobs on the type is measured by model. Only if jobs have profiles. */
static bool is_by_model(const struct hs_setup *s, uint32_t type)
{
    return s->assign.mode != HS_ASSIGN_OFF && hs_speed_is_by_model(s->speed, type);
}

static bool is_reference(const struct hs_setup *s, uint32_t type)
{
    return hs_model_same_name(s->cluster.types[type].name, hs_speed_reference(s->speed));
}

/* Speed of jobs without a profile. */
static double speed_of(const struct hs_setup *s, uint32_t type)
{
    return (double)hs_speed_q32(s->speed, HS_NO_PROFILE, type, NULL) / (double)HS_Q32_ONE;
}

static void say_speeds(struct hs_setup *s)
{
    const char *reference = hs_speed_reference(s->speed);
    char *text = s->speeds_text;
    const size_t size = sizeof s->speeds_text;
    (void)snprintf(text, size, "run times are those of %s",
                   reference[0] != '\0' ? type_text(reference) : "no GPU type here");
    if (reference[0] != '\0' && s->options->reference_type == NULL && s->cluster.type_count > 1)
        hs_append(text, size, " (the type with most GPUs)");
    for (uint32_t t = 0; t < s->cluster.type_count; t++) {
        const char *name = s->cluster.types[t].name;
        double speed = speed_of(s, t);
        if (is_by_model(s, t))
            hs_append(text, size, "; %s by model, x %g without", name, speed);
        else if (!is_reference(s, t))
            hs_append(text, size, "; %s x %g%s", name, speed, speed == 1 ? ", not measured" : "");
    }
    if ((s->can & HS_CAN_RESIZE) != 0)
        hs_append(text, size, "; on other numbers of GPUs by model, in proportion without");
    if (s->cluster.type_count > 1 && hs_param_find(s->policy->params, "types") != NULL &&
        strstr(s->card.policy_semantics.placement, "GPU type") == NULL)
        hs_append(text, size, "; jobs take any type that is free");
}

static void say_locality(struct hs_setup *s, struct hs_diag *diag)
{
    enum { NOT_KNOWN, KNOWN };
    char types[2][64] = {"", ""}; /* with unknown, and known, slowdown of spread gangs */
    const bool is_untyped = strcmp(s->cluster.types[0].name, HS_UNTYPED) == 0;
    for (uint32_t t = 0; t < s->cluster.type_count; t++) {
        char *list = types[hs_speed_has_spread(s->speed, t) ? KNOWN : NOT_KNOWN];
        hs_append(list, sizeof types[0], "%s%s", list[0] != '\0' ? ", " : "",
                  type_text(s->cluster.types[t].name));
    }
    char *text = s->locality_text;
    const size_t size = sizeof s->locality_text;
    if (s->options->locality != 0)
        (void)snprintf(text, size, "none: a spread gang runs at full speed");
    else if (is_untyped && s->cluster.type_count == 1)
        (void)snprintf(text, size, "not known of %s: a spread gang runs at full speed",
                       types[NOT_KNOWN]);
    else if (types[KNOWN][0] == '\0')
        (void)snprintf(text, size,
                       "cross-type: a spread gang on %s is slowed by the mean of other types",
                       types[NOT_KNOWN]);
    else
        (void)snprintf(text, size, "a spread gang is slowed as measured on %s%s%s", types[KNOWN],
                       types[NOT_KNOWN][0] != '\0' ? "; cross-type, by the mean of other types, on "
                                                   : "",
                       types[NOT_KNOWN]);
    if (s->options->locality == 0 && s->options->rack_speed < 1)
        hs_append(text, size, "; in more racks than needed x %g", s->options->rack_speed);
    if (s->options->rack_speed < 1 && (s->options->locality != 0 || s->cluster.rack_count == 1))
        hs_report(diag, HS_NOTE, NULL, NULL, "rack_speed has no effect: %s",
                  s->options->locality != 0 ? "locality is none" : "the cluster has one rack");
}

static void say_predicted_speeds(struct hs_setup *s)
{
    char *text = s->predictor_text;
    const char *by = s->options->speed_predictor;
    const size_t size = sizeof s->predictor_text;
    if ((s->knows & HS_KNOWS_SPEEDS) != 0)
        hs_append(text, size, "%sspeed %s%s %s", text[0] != '\0' ? ", " : "",
                  (s->knows & HS_KNOWS_SPEED) != 0 ? "on GPU types" : "by number of GPUs",
                  (s->knows & HS_KNOWS_PAIRS) != 0 ? " and of pairs" : "", by);
    if ((s->knows & HS_KNOWS_HOST) != 0)
        hs_append(text, size, "%sspeed by CPUs and memory oracle", text[0] != '\0' ? ", " : "");
}

/* Describes the predictions that the policy uses. */
static void say_predictor(struct hs_setup *s)
{
    const struct hs_predictor_options *prediction = &s->options->prediction;
    char *text = s->predictor_text;
    const size_t size = sizeof s->predictor_text;
    if ((s->knows & HS_KNOWS_UTILIZATION) != 0) {
        hs_append(text, size, "utilization %s", hs_predictors[prediction->kind]);
        if (prediction->kind == HS_PREDICT_NOISY) {
            hs_append(text, size, " (RMSLE %.3g",
                      hypot(prediction->util_rmsle, prediction->util_bias));
            if (prediction->util_bias != 0)
                hs_append(text, size, ", bias %g", prediction->util_bias);
            hs_append(text, size, ")");
        }
        if (prediction->kind == HS_PREDICT_REGRESS)
            hs_append(text, size, " (fitted without the job's %s)",
                      prediction->holdout == HS_HOLDOUT_MODEL ? "model" : "configuration");
        uint32_t i = 0;
        while (i < s->catalogue.count &&
               s->catalogue.profiles[i].util_peak_pm <= s->catalogue.profiles[i].util_pm)
            i++;
        if (i == s->catalogue.count)
            hs_append(text, size, ", its peak is the mean (none measured)");
        if ((s->can & HS_CAN_COLOCATE) != 0) { /* the slowdown of a pair */
            double error = hs_predictor_slowdown_error(s->predictor);
            if (isnan(error))
                hs_append(text, size, ", slowdown by it (error unknown)");
            else
                hs_append(text, size, ", slowdown by it (RMSE of speed %.3f)", error);
        }
    }
    if ((s->knows & HS_KNOWS_MEMORY) != 0)
        hs_append(text, size, "%smemory %s", text[0] != '\0' ? ", " : "",
                  hs_memory_predictors[prediction->memory]);
    if ((s->knows & HS_KNOWS_MEMORY) != 0 && prediction->memory == HS_MEMORY_NOISY)
        hs_append(text, size, " (standard deviation of ln %g)", prediction->mem_ln_sd);
    say_predicted_speeds(s);
}

/* ---- options without effect ---- */

/* Warns of a parameter for an unused predictor given in this call; a --config file may have all. */
static void warn_of_idle_predictor(const struct hs_config *config, struct hs_diag *diag)
{
    static const struct {
        const char *parameter, *key, *kind, *hint;
    } rules[] = {{"util_noise", "predictor", "noisy", "--predictor=noisy"},
                 {"util_bias", "predictor", "noisy", "--predictor=noisy"},
                 {"predictor_holdout", "predictor", "regress", "--predictor=regress"},
                 {"memory_noise", "memory_predictor", "noisy", "--memory-predictor=noisy"}};
    char kind[64] = "";
    for (size_t r = 0; r < HS_COUNT_OF(rules); r++) {
        if (hs_config_origin(config, rules[r].parameter) < HS_FROM_SET)
            continue;
        const struct hs_option *option = hs_option_find(config->options, rules[r].key);
        (void)hs_param_print(&option->param, config->base, kind, sizeof kind);
        if (strcmp(kind, rules[r].kind) != 0)
            hs_report(diag, HS_WARNING, NULL, rules[r].hint, "%s has no effect: %s is %s",
                      rules[r].parameter, rules[r].key, kind);
    }
}

/* Notes options that were given and have no effect on a policy with these needs. */
static void note_idle_options(const struct hs_setup *s, struct hs_diag *diag)
{
    static const char asks[] = "uses no such prediction ('horus policies')";
    const char *cost = s->card.policy_semantics.cost;
    const char *spares = (s->can & HS_CAN_PREEMPT) != 0 ? NULL : "preempts no job";
    const struct {
        const char *keys; /* each between blanks */
        bool has_effect;
        const char *why; /* NULL: the cost of preemption, for a preemptive policy */
    } rules[] = {
        {" interference gamma interference_noise sharing_mode sharing_capacity memory_reserve "
         "oom_delay oom_retries unknown_util unknown_memory ",
         s->is_sharing, "shares no GPU"},
        {" memory_limits ", (s->can & HS_CAN_THROTTLE) != 0, "limits no job's memory"},
        {" predictor util_noise util_bias predictor_holdout ",
         (s->knows & (HS_KNOWS_UTILIZATION | HS_KNOWS_PAIRS)) != 0, asks},
        {" memory_predictor memory_noise ", (s->knows & HS_KNOWS_MEMORY) != 0, asks},
        {" speed_predictor ", (s->knows & HS_KNOWS_SPEEDS) || s->stages, asks},
        {" storage_bandwidth ", hs_setup_costs(s, "checkpoint"), spares},
        {" restart_table ", hs_setup_costs(s, "checkpoint") || hs_setup_costs(s, "restart"),
         spares},
    };
    warn_of_idle_predictor(s->config, diag);
    for (uint32_t i = 0; s->config->options[i].param.key != NULL; i++) {
        const char *key = s->config->options[i].param.key;
        for (size_t r = 0; r < HS_COUNT_OF(rules); r++) {
            if (s->config->origin[i] == HS_FROM_DEFAULT || rules[r].has_effect ||
                strstr(rules[r].keys, HS_TEXT(" %s ", key)) == NULL)
                continue;
            if (rules[r].why != NULL)
                hs_report(diag, HS_NOTE, NULL, NULL, "%s has no effect: %s %s", key,
                          s->policy->name, rules[r].why);
            else
                hs_report(diag, HS_NOTE, NULL, "the policy's parameter preempt_cost",
                          "%s has no effect: a preemption costs '%s'", key,
                          cost != NULL ? cost : "not stated");
        }
    }
}

void hs_setup_say_models(struct hs_setup *s, struct hs_diag *diag)
{
    say_interference(s);
    hs_append(s->profiles_text, sizeof s->profiles_text, "%s%s", assign_texts[s->assign.mode],
              s->needs_no_draw ? "; none drawn, nothing here depends on them" : "");
    if (s->assign.mode == HS_ASSIGN_AUTO || s->assign.mode == HS_ASSIGN_MIX)
        hs_append(s->profiles_text, sizeof s->profiles_text, " (mean %g %%, kept by a user %g)",
                  s->options->assign_target, s->options->assign_sticky);
    say_speeds(s);
    say_locality(s, diag);
    say_predictor(s);
    note_idle_options(s, diag);
}

/* ---- models at the end of a run ---- */

/* Warns of an option that has no effect without measurements, or without their error. */
static void warn_of_noise(const struct hs_setup *s, struct hs_diag *diag)
{
    if (!(s->how.noise > 0) || s->interference == NULL)
        return;
    if (!hs_setup_uses(s, HS_MODEL_INTERFERENCE)) {
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "interference_noise has no effect: interference %s is nothing measured",
                  s->options->interference);
        return;
    }
    for (uint32_t t = 0; t < s->cluster.type_count; t++)
        if (isnan(hs_interference_noise_rmse(s->interference, t, HS_SLOWDOWN_FITTED)) &&
            isnan(hs_interference_noise_rmse(s->interference, t, HS_SLOWDOWN_GENERAL)))
            hs_report(diag, HS_WARNING, NULL, "\"holdout\" of its table and of \"general\"",
                      "interference_noise has no effect on %s: the model file has no error of the "
                      "speeds there",
                      s->cluster.types[t].name);
}

/* Tells whether the other shipped speed file knows a type that this one does not. */
static bool knows_more(const struct hs_setup *s, struct hs_diag *diag)
{
    struct hs_speed *other;
    bool is_known = false;
    if (hs_speed_load(&other, HS_BUILTIN "models/speed-lambda.json", &s->catalogue, &s->cluster,
                      hs_speed_reference(s->speed), diag) != HS_OK)
        return false;
    for (uint32_t t = 0; t < s->cluster.type_count; t++)
        is_known |= hs_speed_is_by_model(other, t) && !hs_speed_is_by_model(s->speed, t);
    hs_speed_free(other);
    return is_known;
}

static void warn_of_speeds(const struct hs_setup *s, uint64_t jobs, uint64_t without,
                           struct hs_diag *diag)
{
    static const char hint[] = "\"speed\" of its GPU type in the cluster file";
    const char *reference = hs_speed_reference(s->speed);
    char names[256] = "";
    bool is_relative = false;
    if (reference[0] == '\0') {
        hs_report(diag, HS_WARNING, NULL, "--reference-type=TYPE",
                  "no GPU type has speed 1, so the type of the trace is not known: every model has "
                  "the speeds of the cluster file");
        return;
    }
    for (uint32_t t = 0; t < s->cluster.type_count; t++) {
        if (is_reference(s, t))
            continue;
        if (is_by_model(s, t))
            is_relative = true;
        else if (speed_of(s, t) == 1)
            hs_append(names, sizeof names, "%s%s", names[0] != '\0' ? ", " : "",
                      s->cluster.types[t].name);
    }
    if (names[0] != '\0')
        hs_report(diag, HS_WARNING, NULL,
                  knows_more(s, diag) ? "--models=" HS_BUILTIN
                                        "models/speed-lambda.json knows more; "
                                        "or \"speed\" of its GPU type in the cluster file"
                                      : hint,
                  "the speed of %s relative to %s is not known: taken as 1", names, reference);
    if (is_relative && s->options->reference_type == NULL)
        hs_report(
            diag, HS_WARNING, NULL, "--reference-type=TYPE names another",
            "%s, the type with most GPUs, is assumed to be the one on which the trace was recorded",
            reference);
    for (uint32_t t = 0; t < s->cluster.type_count; t++)
        if (is_by_model(s, t) && !is_reference(s, t))
            hs_warn_some(diag, hint, without, jobs,
                         "jobs have no profile: on %s they run at %g times the speed of %s",
                         s->cluster.types[t].name, speed_of(s, t), reference);
}

/* Counts the jobs with an unknown value, *unknown of *jobs; text: how they are counted, such as
 * "counted as 100 %". */
static void count_unknown(const uint64_t from[HS_FIGURE_FROM_COUNT], const char *full,
                          uint64_t *unknown, uint64_t *jobs, char *text, size_t size)
{
    *jobs = *unknown = 0;
    text[0] = '\0';
    for (int i = 0; i < HS_FIGURE_FROM_COUNT; i++) {
        *jobs += from[i];
        *unknown += i >= HS_FIGURE_FROM_FAMILY ? from[i] : 0;
    }
    for (int i = HS_FIGURE_FROM_FAMILY; i < HS_FIGURE_FROM_COUNT; i++) {
        if (from[i] == 0)
            continue;
        hs_append(text, size, text[0] != '\0' ? ", " : "");
        if (from[i] < *unknown)
            hs_append(text, size, "%" PRIu64 " ", from[i]);
        hs_append(text, size, "counted as %s",
                  i == HS_FIGURE_FROM_FULL     ? full
                  : i == HS_FIGURE_FROM_FAMILY ? "the mean of their family"
                                               : "one drawn from the catalogue");
    }
}

static const char full_util[] = "100 %", full_memory[] = "a whole GPU, which they do not share";

void hs_setup_unknown(const struct hs_assign_counts *assigned, char *text, size_t size)
{
    const struct {
        const char *what, *full;
        const uint64_t *from;
    } figures[] = {{"utilization", full_util, assigned->util_from},
                   {"memory", full_memory, assigned->mem_from}};
    char how[160];
    text[0] = '\0';
    for (size_t i = 0; i < HS_COUNT_OF(figures); i++) {
        uint64_t unknown, jobs;
        count_unknown(figures[i].from, figures[i].full, &unknown, &jobs, how, sizeof how);
        if (unknown > 0)
            hs_append(text, size, "%sGPU %s of %" PRIu64 " of %" PRIu64 " jobs, %s",
                      text[0] != '\0' ? "; " : "", figures[i].what, unknown, jobs, how);
    }
}

static void warn_of_unknown(const char *what, const char *option, const char *full,
                            const uint64_t from[HS_FIGURE_FROM_COUNT], struct hs_diag *diag)
{
    uint64_t unknown, jobs;
    char how[160];
    count_unknown(from, full, &unknown, &jobs, how, sizeof how);
    hs_warn_some(diag, "add it to the trace, or to a row of --profiles", unknown, jobs,
                 "jobs have no known GPU %s: %s (%s)", what, how, option);
}

static void warn_of_models(const struct hs_setup *s, const struct hs_assign_counts *assigned,
                           struct hs_diag *diag)
{
    static const char hint[] = "--assign=always draws one for each";
    uint64_t jobs = 0; /* with GPUs: others need no profile */
    for (size_t i = 0; i < HS_FIGURE_FROM_COUNT; i++)
        jobs += assigned->util_from[i];
    const uint64_t without =
        jobs - assigned->by_columns - assigned->by_telemetry - assigned->by_mix;
    warn_of_noise(s, diag);
    warn_of_unknown("utilization", "--unknown-util", full_util, assigned->util_from, diag);
    warn_of_unknown("memory", "--unknown-memory", full_memory, assigned->mem_from, diag);
    if (hs_setup_costs(s, "checkpoint"))
        hs_warn_some(diag, hint, without, jobs,
                     "jobs have no profile, so the size of their checkpoints is not known: their "
                     "preemptions cost as in cost_table");
    warn_of_speeds(s, jobs, without, diag);
}

/* ---- the run ---- */

bool hs_run_is_cut(const struct hs_run_result *result)
{
    return result->figures.stop == HS_STOP_EVENTS || result->figures.stop == HS_STOP_POLL;
}

const char *hs_run_cut_text(const struct hs_run_result *result, char text[HS_RUN_CUT_SIZE])
{
    const struct hs_run_options *options = result->setup->options;
    const char *at = HS_SECONDS(result->figures.end_us);
    if (result->figures.stop == HS_STOP_EVENTS)
        (void)snprintf(text, HS_RUN_CUT_SIZE, "--max-events=%" PRId64 " at %s s of the simulation",
                       options->max_events, at);
    else
        (void)snprintf(text, HS_RUN_CUT_SIZE,
                       "--max-wall=%ss at %s s of the simulation: not deterministic, a faster "
                       "machine gets further",
                       HS_SECONDS(options->max_wall_us), at);
    return text;
}

void hs_warn_of_rows(const struct hs_trace_counts *counts, bool has_order, struct hs_diag *diag)
{
    for (int i = 0; i < HS_DROP_COUNT; i++)
        hs_warn_some(diag, NULL, counts->drops[i], counts->rows, "rows left out: %s",
                     hs_drop_texts[i]);
    hs_warn_some(diag, NULL, has_order ? counts->reordered : 0, counts->rows,
                 "rows were late and were sorted by submission");
    hs_warn_some(diag, NULL, counts->rounded, counts->accepted,
                 "jobs had their GPUs rounded up: " HS_ROUNDED_TEXT);
}

void hs_warn_of_profiles(const struct hs_assign_counts *assigned,
                         const struct hs_retry_counts *retries, uint64_t jobs, struct hs_diag *diag)
{
    hs_warn_some(diag, NULL, assigned->inexact, jobs,
                 "jobs name a batch, dataset or precision that the catalogue does not have, e.g. "
                 "'%s': %s is used for it",
                 assigned->inexact_example, assigned->inexact_instead);
    hs_warn_some(diag,
                 "add its row to the catalogue (--profiles); by default an assumed profile is "
                 "drawn for them, --assign=columns leaves them without one",
                 assigned->unknown_model, jobs,
                 "jobs name a model that is not in the catalogue, e.g. '%s'",
                 assigned->unknown_example);
    hs_fractions_warn(&assigned->utils, NULL, "gpu_util", "jobs", diag);
    hs_warn_some(diag, NULL, assigned->deadlines_drawn, jobs,
                 "jobs have a random deadline (--deadlines), not one of the trace");
    hs_warn_some(diag, NULL, assigned->losses_drawn, jobs,
                 "jobs have a random loss curve (--losses), not one of the trace");
    hs_warn_some(diag, NULL, retries->jobs, jobs,
                 "jobs fail %" PRIu64
                 " times before their recorded run: %.1f h of run time in addition to the trace's",
                 retries->failures, (double)retries->added_us / 3600e6);
}

enum hs_status hs_check_rejected(const char *trace, const char *policy, double rejected,
                                 double jobs, struct hs_diag *diag)
{
    if (!(jobs > 0 && rejected >= jobs))
        return HS_OK;
    return hs_fail(diag, HS_E_INPUT, HS_AT({.file = trace}),
                   "is it the right cluster? `horus trace validate TRACE -c CLUSTER` lists the "
                   "jobs that do not fit, and why",
                   "all %.0f jobs were rejected under '%s': nothing ran", jobs, policy);
}

/* Warns of columns of the trace in which jobs differ and that the policy did not read; not if
 * nothing ran. */
static void warn_of_ignored(const struct hs_setup *setup, const struct hs_run_result *result,
                            struct hs_diag *diag)
{
    const struct hs_assign_counts *a = &result->intake.assigned;
    const struct hs_engine_figures *f = &result->figures;
    const uint64_t jobs = result->intake.trace.accepted;
    uint64_t largest = 0, classes = jobs - a->classes[HS_JOB_CLASS_AUTO];
    for (int i = 0; i < HS_JOB_CLASS_COUNT; i++)
        largest = a->classes[i] > largest ? a->classes[i] : largest;
    const struct {
        const char *column;
        uint64_t jobs;
        bool is_telling;
        const char *hint;
    } columns[] = {{"priority", a->with_priority,
                    !f->reads_priority && setup->card.policy_semantics.priority == NULL &&
                        a->least_priority < a->most_priority,
                    hs_param_find(setup->policy->params, "priority") != NULL
                        ? "its parameter priority=order puts jobs of higher priority first"
                        : NULL},
                   {"deadline", a->with_deadline, !f->reads_deadline, NULL},
                   {"range of GPUs", a->with_range, (setup->can & HS_CAN_RESIZE) == 0,
                    "'horus policies' shows which policies may resize jobs"},
                   {"class", classes, !f->reads_class && largest < jobs,
                    hs_param_find(setup->policy->params, "class") != NULL
                        ? "its parameter class=order puts guaranteed jobs first"
                        : NULL}};
    for (size_t i = 0; i < HS_COUNT_OF(columns) && f->finished > 0; i++)
        if (columns[i].is_telling)
            hs_warn_some(diag, columns[i].hint, columns[i].jobs, jobs,
                         "jobs have a %s: policy '%s' ignores it", columns[i].column,
                         setup->policy->name);
}

static void warn_of_unused(const struct hs_setup *setup, const struct hs_reservation *of,
                           struct hs_diag *diag)
{
    if (of != NULL)
        hs_report(diag, HS_WARNING, HS_AT({.file = setup->options->reservations, .line = of->line}),
                  NULL, "reserved for user '%s', but no job of the run is of that user", of->user);
}

void hs_run_note_demand(const struct hs_setup *setup, const struct hs_run_result *result,
                        struct hs_diag *diag)
{
    const uint64_t jobs_min = 100;
    const struct hs_intake *intake = &result->intake;
    const double span_us = (double)(intake->last_us - intake->first_us);
    const double gpus = (double)setup->cluster.gpu_count;
    const double load = (double)intake->demand_us / HS_GPU_MILLI / gpus / span_us;
    const bool is_idle = hs_summary_get(&result->summary, "max_wait") == 0 &&
                         hs_summary_get(&result->summary, "mean_queueing_delay") == 0 &&
                         result->figures.unfinished == 0;
    if (span_us <= 0 || result->figures.jobs - intake->rejected < jobs_min)
        return;
    if (is_idle)
        hs_report(diag, HS_NOTE, NULL, "--load=2 submits the jobs in half the time",
                  "no job waited: jobs request %.0f %% of the GPU time over the span of their "
                  "submissions, so policies that order jobs cannot differ",
                  100 * load);
    else if (load > 1)
        hs_report(diag, HS_NOTE, NULL, "--load below 1 submits them in more time",
                  "jobs request %.0f %% of the GPU time over the span of their submissions: the "
                  "queue grows all the time, so waits depend on the length of the trace",
                  100 * load);
}

#define LONG_LEFT_S 2.0

/* Returns the key of the parameter that can be set to `fluid`, which replaces turns played one by
 * one; NULL if the policy has none or it is set so already. */
static const char *fluid_key(const struct hs_setup *setup)
{
    for (const struct hs_param *p = setup->policy->params; p != NULL && p->key != NULL; p++) {
        if (p->type != HS_PARAM_CHOICE)
            continue;
        int32_t value;
        memcpy(&value, (const char *)setup->policy_state + p->offset, sizeof value);
        for (int32_t i = 0; p->choices[i] != NULL; i++)
            if (strcmp(p->choices[i], "fluid") == 0 && i != value)
                return p->key;
    }
    return NULL;
}

bool hs_run_note_length(const struct hs_setup *setup, double used_s, double share, uint64_t events,
                        struct hs_diag *diag)
{
    const double left_s = share > 0 ? used_s / share * (1 - share) : 0;
    if (left_s < LONG_LEFT_S)
        return false;
    const char *key = fluid_key(setup);
    hs_report(diag, HS_NOTE, NULL,
              HS_TEXT("%s%s%s--max-wall=1min ends it, --max-jobs takes fewer jobs",
                      key != NULL ? "the policy's parameter " : "", key != NULL ? key : "",
                      key != NULL ? "=fluid makes it cheaper, " : ""),
              "this run takes long: %.1f %% is done after %.0f s, so it needs about %s "
              "more; '%s' takes %.1f us per event",
              100 * share, used_s, HS_TIME(left_s), setup->policy->name,
              1e6 * used_s / (double)events);
    return true;
}

void hs_run_warn(const struct hs_setup *setup, const struct hs_run_result *result,
                 struct hs_diag *diag)
{
    const struct hs_intake *intake = &result->intake;
    const struct hs_engine_figures *figures = &result->figures;
    const uint64_t jobs = intake->trace.accepted;
    warn_of_models(setup, &intake->assigned, diag);
    hs_warn_of_rows(&intake->trace, true, diag);
    hs_warn_of_profiles(&intake->assigned, &intake->retries, jobs, diag);
    if (figures->reads_loss)
        hs_warn_some(diag, "--losses=draw draws a curve for each",
                     jobs - intake->assigned.with_loss - intake->assigned.losses_drawn, jobs,
                     "jobs have no loss curve: one default curve is used for all of them");
    hs_warn_some(diag, "\"speed\" of the GPU type in the cluster file, or --models with its speeds",
                 intake->assigned.ran_unknown, jobs,
                 "jobs ran on a GPU type on which their speed is not known, e.g. '%s': their run "
                 "times count as those of the reference type",
                 intake->assigned.ran_example);
    for (uint64_t i = 0; i < intake->rejected && i < HS_REJECTED_SHOWN; i++)
        hs_report(diag, HS_WARNING, NULL, NULL, "job %s", intake->rejections[i]);
    hs_warn_some(diag,
                 "they have status rejected in jobs.csv; `horus trace validate TRACE` prints a "
                 "cluster for them",
                 intake->rejected, jobs, "jobs were rejected");
    if (figures->mem_capped > 0)
        hs_report(diag, HS_NOTE, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " jobs have more GPU memory by their profile than any "
                  "GPU that they may use: it is capped at the GPU's%s",
                  figures->mem_capped, figures->jobs,
                  setup->is_sharing ? ", which they do not share" : "");
    hs_warn_some(
        diag, "'horus policies' shows which policies may divide GPUs", figures->shares_rounded,
        figures->jobs,
        "jobs request a share of a GPU and get whole GPUs: policy '%s' does not divide GPUs",
        setup->policy->name);
    hs_warn_some(diag, "the policy's pred_unknown is used for them", figures->unnamed,
                 figures->jobs, "jobs are not in the file of estimates");
    warn_of_unused(setup, figures->unused, diag);
    if (result->summary.overhead_share > 0.5)
        hs_report(diag, HS_WARNING, NULL,
                  "longer quanta or rounds, fewer preemptions or a smaller cost help (parameters "
                  "in 'horus policies NAME', and --startup)",
                  "%.0f %% of the GPU time of jobs is overhead of starts, switches, preemptions "
                  "and moves, not work",
                  100 * result->summary.overhead_share);
    if (figures->has_shared_turns)
        hs_report(
            diag, HS_WARNING, NULL, "mode=exact simulates all turns, one event each",
            "policy '%s' has simulated exact_turns turns: from then on shares of time replace them",
            setup->policy->name);
    if (hs_run_is_cut(result))
        hs_report(diag, HS_WARNING, NULL, "later jobs of the trace are in no file",
                  "the run was cut by %s", HS_RUN_CUT(result));
    hs_warn_some(diag, NULL, result->cut_ties, (uint64_t)setup->options->tie_jitter,
                 "runs with random ties were cut by --max-events or --max-wall");
    if (figures->unfinished > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "jobs not finished at the end of the simulation: %" PRIu64, figures->unfinished);
    warn_of_ignored(setup, result, diag);
}
