/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus run TRACE`: one simulation. Standard output gets the table, the assumptions, the bounds
 * and where the files are; everything else is on standard error.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/run/run_table.h"
#include "cli/run_options.h"
#include "cli/simulate.h"

static void say_card(struct hs_output *out, const struct hs_card *card)
{
    const struct hs_semantics *s = &card->policy_semantics;
    hs_say(out,
           "order       %s; scan %s; placement %s; gang %s\npreemption  %s; cost %s\n"
           "knows       %s; may: %s\nties        %s\nvc          %s\nspeeds      %s\n"
           "locality    %s\nsharing     %s\n",
           s->order, s->scan, s->placement, card->gang, s->preemption, s->cost, card->knows,
           card->can, card->ties, card->vc, card->speeds, card->locality, card->interference);
    if (card->predictor != NULL)
        hs_say(out, "predictor   %s\n", card->predictor);
}

/* Where the profiles of the jobs come from. */
static void say_profiles(struct hs_output *out, const struct hs_run_options *options,
                         const struct hs_assign_counts *n)
{
    hs_say(out, "profiles    %" PRIu64 " named, %" PRIu64 " by utilization, %" PRIu64 " assumed",
           n->by_columns, n->by_telemetry, n->by_mix);
    if (n->by_mix > 0)
        hs_say(out, " (drawn, GPU util with them: mean %g %%, --%s %" PRId64 ")",
               options->assign_target, options->assign_seed != 0 ? "assign-seed" : "seed",
               hs_models_assign_seed(options));
    hs_say(out, ", %" PRIu64 " none\n", n->none);
}

/* Lower bounds; "makespan_bound" is that of "makespan". */
static void say_bounds(struct hs_output *out, const struct hs_summary *summary)
{
    static const char *const bounded[] = {"makespan", "mean_wait", "mean_jct"};
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
        for (uint32_t m = 0; m < summary->count; m++) {
            const struct hs_metric *bound = &summary->metrics[m];
            size_t len = strlen(bounded[i]);
            if (strncmp(bound->name, bounded[i], len) != 0 ||
                strcmp(bound->name + len, "_bound") != 0)
                continue;
            double value = hs_summary_get(summary, bounded[i]);
            hs_say(out, "bound       %-9s ", bounded[i]);
            if (isnan(bound->value))
                hs_say(out, "none: %s\n", bound->absent_because);
            else if (value > 0)
                hs_say(out, ">= %.8g s, %.1f %% of %.8g s\n", bound->value,
                       100 * bound->value / value, value);
            else
                hs_say(out, ">= %.8g s, reached\n", bound->value);
        }
}

static void say_spreads(struct hs_output *out, const struct hs_summary *summary)
{
    if (summary->spread_count == 0)
        return;
    hs_say(out, "\nTies drawn at random in %" PRIu32 " runs:\n", summary->spreads[0].runs);
    hs_say(out, "  %-24s%14s%14s%14s%14s%14s\n", "metric", "by rule", "mean", "deviation", "min",
           "max");
    for (uint32_t i = 0; i < summary->spread_count; i++) {
        const struct hs_spread *s = &summary->spreads[i];
        double deviation = hs_spread_deviation(s);
        char plus_minus[32] = "-";
        if (!isnan(deviation))
            (void)snprintf(plus_minus, sizeof plus_minus, "%.6g", deviation);
        hs_say(out, "  %-24s%14.8g%14.8g%14s%14.8g%14.8g\n", s->name,
               hs_summary_get(summary, s->name), s->mean, plus_minus, s->min, s->max);
    }
}

static void say_result(struct hs_call *call, const struct hs_setup *setup,
                       const struct hs_run_result *result, const char *dir)
{
    struct hs_output *out = &call->out;
    const struct hs_table_row row = {.label = setup->options->policy, .summary = &result->summary};
    hs_say(out, "%s (%s) on %s: %" PRIu32 " GPUs, %" PRIu32 " nodes\n\n", setup->options->trace,
           result->format, setup->options->cluster, setup->cluster.gpu_count,
           setup->cluster.node_count);
    if (result->figures.finished == 0)
        hs_say(out, "no job ran to its end: %" PRIu64 " of %" PRIu64 " rejected\n",
               result->figures.rejected, result->figures.jobs);
    hs_table_print(out, &(struct hs_run_table){.rows = &row,
                                               .row_count = 1,
                                               .columns = call->terminal.columns,
                                               .use_utf8 = call->terminal.use_utf8,
                                               .use_color = call->terminal.use_color});
    say_spreads(out, &result->summary);
    hs_say(out, "\n");
    say_card(out, &setup->card);
    say_profiles(out, setup->options, &result->intake.assigned);
    const struct hs_engine_figures *f = &result->figures;
    if (f->shares_divided > 0)
        hs_say(out, "shares      %" PRIu64 " of %" PRIu64 " jobs have shares of GPUs, reserved\n",
               f->shares_divided, f->jobs);
    if (f->shares_rounded > 0)
        hs_say(out,
               "shares      %" PRIu64 " of %" PRIu64 " jobs want shares of GPUs and have whole "
               "ones\n",
               f->shares_rounded, f->jobs);
    say_bounds(out, &result->summary);
    hs_say(out, "files       %s/\n", dir);
}

static enum hs_status dry_run(struct hs_call *call, const struct hs_setup *setup, const char *dir,
                              struct hs_run_result *result)
{
    struct hs_output *out = &call->out;
    HS_TRY(hs_simulate_dry(setup, result, &call->diag));
    hs_say(out, "trace       %s (%s): %" PRIu64 " jobs of %" PRIu64 " rows, %" PRIu64 " bytes\n",
           setup->options->trace, result->format, result->intake.trace.accepted,
           result->intake.trace.rows, result->trace_input.bytes);
    hs_say(out,
           "cluster     %s: nodes %" PRIu32 ", GPUs %" PRIu32 ", GPU types %" PRIu32
           ", racks %" PRIu32 "\n",
           setup->options->cluster, setup->cluster.node_count, setup->cluster.gpu_count,
           setup->cluster.type_count, setup->cluster.rack_count);
    hs_say(out, "policy      %s\n", setup->options->policy);
    say_card(out, &setup->card);
    say_profiles(out, setup->options, &result->intake.assigned);
    hs_say(out, "directory   %s/ (not written)\n", dir);
    return HS_OK;
}

static enum hs_status run_prepared(struct hs_call *call, const struct hs_setup *setup)
{
    const struct hs_run_options *options = call->options;
    const struct hs_run_call run_call = {.terminal = &call->terminal,
                                         .shows_progress = hs_run_shows_progress(call),
                                         .command = call->command};
    char dir[HS_PATH_SIZE];
    struct hs_run_result *result = hs_arena_alloc(&call->arena, sizeof *result);
    if (options->output != NULL)
        (void)snprintf(dir, sizeof dir, "%s", options->output);
    else
        HS_TRY(hs_default_dir(setup, dir, sizeof dir, &call->diag));
    hs_run_note_cluster(call);
    if (options->dry_run)
        return dry_run(call, setup, dir, result);
    HS_TRY(hs_simulate(setup, &run_call, dir, result, &call->diag));
    say_result(call, setup, result, dir);
    if (options->verbose)
        hs_report(&call->diag, HS_NOTE, NULL, NULL,
                  "%" PRIu64 " events, %" PRIu64 " decisions, %" PRIu64
                  " checks; %.3f s wall, %.3f s CPU, %" PRIu64 " KiB at most",
                  result->figures.events, result->figures.decisions, result->figures.checks,
                  result->machine.wall_s, result->machine.cpu_s, result->machine.peak_rss_kib);
    return HS_OK;
}

static enum hs_status run(struct hs_call *call)
{
    struct hs_setup setup;
    HS_TRY(hs_run_begin(call));
    if (((const struct hs_run_options *)call->options)->print_config) {
        hs_config_print(&call->config, &call->out);
        return HS_OK;
    }
    enum hs_status status = hs_setup_open(&setup, call->options, &call->config, &call->diag);
    if (status == HS_OK)
        status = run_prepared(call, &setup);
    hs_setup_close(&setup);
    return status;
}

const struct hs_verb hs_verb_run = {
    .name = "run",
    .operands = "TRACE",
    .summary = "Replay a trace on a cluster under a policy.",
    .details = "Reads the jobs of TRACE (a file, or - for standard input), schedules them on the "
               "cluster and writes a run directory: jobs.csv, segments.csv, series.csv, nodes.csv, "
               "summary.json, summary.csv and manifest.json. Nothing of it depends on time zone, "
               "locale or machine load.",
    .examples = {"run traces/sample.csv",
                 "run cluster_log.csv.gz -c 133x8:V100 -p srtf:preempt_cost=table",
                 "run jobs.csv --map submit_time=timestamp,gpus=num_gpus -c cluster.json -o out"},
    .options = hs_run_option_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_max = 1,
    .run = run,
};
