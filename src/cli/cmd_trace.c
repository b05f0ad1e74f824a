/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace info FILE` and `horus trace validate FILE`, the doctor of traces; `horus trace
 * convert FILE`, which writes the jobs in another format, and `horus trace assign FILE`, which
 * writes them with their profiles.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup.h"
#include "cli/trace_assign.h"
#include "cli/trace_convert.h"
#include "traces/doctor.h"

/* What the doctor needs of a cluster: GPUs per type and per VC. */
struct pools {
    struct hs_doctor_pool *types, *vcs;
    struct hs_doctor_cluster cluster;
};

static enum hs_status pools_fill(struct pools *pools, const struct hs_cluster *cluster,
                                 struct hs_arena *arena, struct hs_diag *diag)
{
    pools->types = hs_arena_alloc(arena, cluster->type_count * sizeof *pools->types + 1);
    pools->vcs = hs_arena_alloc(arena, cluster->vc_count * sizeof *pools->vcs + 1);
    if (pools->types == NULL || pools->vcs == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    for (uint32_t i = 0; i < cluster->type_count; i++)
        pools->types[i].name = cluster->types[i].name;
    for (uint32_t i = 0; i < cluster->node_count; i++)
        pools->types[cluster->nodes[i].type].gpus += cluster->nodes[i].gpus;
    for (uint32_t i = 0; i < cluster->vc_count; i++) {
        const struct hs_vc *vc = &cluster->vcs[i];
        bool is_quota = cluster->vc_mode == HS_VC_QUOTA && vc->quota_gpus < vc->gpus;
        pools->vcs[i] = (struct hs_doctor_pool){vc->name, is_quota ? vc->quota_gpus : vc->gpus};
    }
    pools->cluster = (struct hs_doctor_cluster){
        .types = pools->types,
        .vcs = pools->vcs,
        .type_count = cluster->type_count,
        .vc_count = cluster->vc_mode == HS_VC_IGNORE ? 0 : cluster->vc_count,
        .gpus = cluster->gpu_count};
    return HS_OK;
}

static enum hs_status inform(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
    struct hs_trace_options reference = *trace;
    if (options->reference == NULL)
        return hs_trace_info(trace, &call->out, &call->diag);
    reference.path = options->reference; /* what describes the file is of the operand alone */
    reference.format = reference.map = NULL;
    reference.time_unit_us = HS_TRACE_TIME_UNIT_US;
    if (strcmp(reference.path, "-") == 0 && strcmp(trace->path, "-") == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "put one of them into a file",
                       "trace info: both traces are standard input");
    return hs_trace_compare(&reference, trace, &call->out, &call->diag);
}

static enum hs_status examine(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
    struct hs_trace_options asked = *trace;
    struct hs_cluster cluster = {0};
    struct pools pools;
    if (options->cluster == NULL)
        return hs_trace_validate(trace, NULL, &call->out, &call->diag);
    enum hs_status status = hs_setup_cluster(&cluster, options, &call->diag);
    if (status == HS_OK)
        status = pools_fill(&pools, &cluster, &call->arena, &call->diag);
    asked.gpus = cluster.gpu_count;
    if (status == HS_OK)
        status = hs_trace_validate(&asked, &pools.cluster, &call->out, &call->diag);
    hs_cluster_free(&cluster);
    return status;
}

static enum hs_status validate(struct hs_call *call, const struct hs_trace_options *trace)
{
    enum hs_status status = examine(call, trace);
    if (status == HS_E_INPUT && call->diag.errors == 0)
        hs_report(&call->diag, HS_ERROR, &(struct hs_place){.file = trace->path}, NULL,
                  "the trace has faults, listed above");
    return status;
}

/* The options that mean something to an action. */
enum {
    TAKES_CLUSTER = 1,
    TAKES_OUTPUT = 2,
    TAKES_FORMAT = 4,
    TAKES_GENERATED = 8,
    TAKES_REFERENCE = 16
};

struct action {
    const char *name;
    unsigned takes;
    enum hs_status (*run)(struct hs_call *call, const struct hs_trace_options *trace);
};

static const struct action actions[] = {
    {"info", TAKES_REFERENCE, inform},
    {"validate", TAKES_CLUSTER, validate},
    {"convert", TAKES_OUTPUT | TAKES_FORMAT, hs_trace_convert},
    {"assign", TAKES_CLUSTER | TAKES_OUTPUT | TAKES_GENERATED, hs_trace_assign}};
#define ACTION_COUNT (sizeof actions / sizeof *actions)

static const char *action_at(size_t index)
{
    return index < ACTION_COUNT ? actions[index].name : NULL;
}

static enum hs_status find_action(const char *name, const struct action **action,
                                  struct hs_diag *diag)
{
    const char *names[ACTION_COUNT];
    char hint[64] = "info, validate, convert or assign";
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        names[i] = actions[i].name;
        if (strcmp(name, names[i]) == 0) {
            *action = &actions[i];
            return HS_OK;
        }
    }
    const char *nearest = hs_nearest(name, names, ACTION_COUNT);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "trace: unknown action '%s'", name);
}

/* What would be passed over in silence. */
static enum hs_status check_meaning(const struct action *action,
                                    const struct hs_run_options *options, struct hs_diag *diag)
{
    const struct {
        bool is_given;
        unsigned taken;
        const char *option, *hint;
    } rules[] = {
        {options->cluster != NULL, TAKES_CLUSTER, "-c", "trace validate takes a cluster"},
        {options->output != NULL, TAKES_OUTPUT, "-o",
         "trace convert and trace assign write a file"},
        {strcmp(options->to, "auto") != 0, TAKES_FORMAT, "--to", "trace convert writes formats"},
        {options->retries == HS_RETRIES_GENERATE, TAKES_GENERATED, "--retries=generate",
         "trace assign writes jobs with made-up attempts"},
        {options->reference != NULL, TAKES_REFERENCE, "--compare",
         "trace info compares two traces"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].is_given && (action->takes & rules[i].taken) == 0)
            return hs_fail(diag, HS_E_USAGE, NULL, rules[i].hint, "trace %s: %s has no meaning",
                           action->name, rules[i].option);
    return HS_OK;
}

static enum hs_status trace(struct hs_call *call)
{
    struct hs_run_options *options = call->options;
    struct hs_trace_options trace_options;
    const struct action *action = NULL;
    HS_TRY(find_action(call->operands[0], &action, &call->diag));
    if (options->quiet)
        call->diag.least = HS_WARNING;
    options->trace = call->operands[1];
    if (options->print_config) {
        hs_config_print(&call->config, &call->out);
        return HS_OK;
    }
    HS_TRY(hs_setup_trace(&trace_options, options, &call->diag));
    HS_TRY(check_meaning(action, options, &call->diag));
    return action->run(call, &trace_options);
}

const struct hs_verb hs_verb_trace = {
    .name = "trace",
    .operands = "ACTION FILE",
    .summary = "A trace: statistics, faults, another format, profiles.",
    .details = "ACTION is one of: "
               "info: counts, span, GPU mix, quantiles of duration and inter-arrival time; with "
               "--compare how far the trace is from another one. "
               "validate: reads the whole file whatever is wrong with it, lists every fault by "
               "kind with its first lines and the option that would repair it, the offered load "
               "per GPU type and VC, and the jobs that can never fit the cluster. convert: writes "
               "the jobs in another format, and tells what that cannot hold. assign: gives each "
               "job a profile, as a run does, and writes the jobs as a CSV that every run reads "
               "back with the same profiles.",
    .examples = {"trace info jobs.csv.zst --map submit_time=timestamp,gpus=num_gpus",
                 "trace convert cluster_job_log --retries=attempts -o philly.csv.zst",
                 "trace assign traces/sample.csv -o profiled.csv --seed 7"},
    .word_at = action_at,
    .options = hs_trace_option_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_min = 2,
    .operands_max = 2,
    .run = trace,
};
