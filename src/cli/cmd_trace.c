/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace info FILE` and `horus trace validate FILE`, the doctor of traces, and `horus trace
 * assign FILE`, which writes the jobs with their profiles.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup.h"
#include "cli/trace_assign.h"
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
    return hs_trace_info(trace, &call->out, &call->diag);
}

static enum hs_status examine(struct hs_call *call, const struct hs_trace_options *trace)
{
    const struct hs_run_options *options = call->options;
    struct hs_cluster cluster = {0};
    struct pools pools;
    if (options->cluster == NULL)
        return hs_trace_validate(trace, NULL, &call->out, &call->diag);
    enum hs_status status = hs_setup_cluster(&cluster, options, &call->diag);
    if (status == HS_OK)
        status = pools_fill(&pools, &cluster, &call->arena, &call->diag);
    if (status == HS_OK)
        status = hs_trace_validate(trace, &pools.cluster, &call->out, &call->diag);
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

struct action {
    const char *name;
    bool takes_cluster, writes_file;
    enum hs_status (*run)(struct hs_call *call, const struct hs_trace_options *trace);
};

static const struct action actions[] = {{"info", false, false, inform},
                                        {"validate", true, false, validate},
                                        {"assign", true, true, hs_trace_assign}};
#define ACTION_COUNT (sizeof actions / sizeof *actions)

static enum hs_status find_action(const char *name, const struct action **action,
                                  struct hs_diag *diag)
{
    const char *names[ACTION_COUNT];
    char hint[64];
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
    else
        (void)snprintf(hint, sizeof hint, "usage: horus trace %s", hs_verb_trace.operands);
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "trace: unknown action '%s'", name);
}

/* What would be passed over in silence. */
static enum hs_status check_meaning(const struct action *action,
                                    const struct hs_run_options *options, struct hs_diag *diag)
{
    if (options->cluster != NULL && !action->takes_cluster)
        return hs_fail(diag, HS_E_USAGE, NULL, "trace validate takes a cluster",
                       "trace %s: -c has no meaning", action->name);
    if (options->output != NULL && !action->writes_file)
        return hs_fail(diag, HS_E_USAGE, NULL, "trace assign writes a file",
                       "trace %s: -o has no meaning", action->name);
    if (options->retries == HS_RETRIES_GENERATE && !action->writes_file)
        return hs_fail(diag, HS_E_USAGE, NULL, "trace assign writes jobs with made-up attempts",
                       "trace %s: --retries=generate has no meaning", action->name);
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
    .operands = "info|validate|assign FILE",
    .summary = "Statistics, faults or profiles of a trace.",
    .details = "info: counts, span, GPU mix, quantiles of duration and inter-arrival time. "
               "validate: reads the whole file whatever is wrong with it, lists every fault by "
               "kind with its first lines and the option that would repair it, the offered load "
               "per GPU type and VC, and the jobs that can never fit the cluster. assign: gives "
               "each job a profile, as a run does, and writes the jobs as a CSV that every run "
               "reads back with the same profiles.",
    .examples = {"trace info jobs.csv.zst --map submit_time=timestamp,gpus=num_gpus",
                 "trace validate cluster_log.csv -c 133x8:V100",
                 "trace assign traces/sample.csv -o profiled.csv --seed 7"},
    .options = hs_trace_option_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_min = 2,
    .operands_max = 2,
    .run = trace,
};
