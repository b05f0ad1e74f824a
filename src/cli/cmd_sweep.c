/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus sweep EXPERIMENT.json`: many runs, each a point of a grid, a zip or a list over the
 * options of a run. Here they are run in processes of this machine; --index is what every other
 * launcher calls.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/run_begin.h"
#include "cli/sweep.h"

static enum hs_status check_index(const struct hs_sweep *sweep)
{
    char hint[64];
    (void)snprintf(hint, sizeof hint, "from 1 to %" PRIu32, sweep->point_count);
    if (sweep->options->index > sweep->point_count)
        return hs_fail(&sweep->call->diag, HS_E_USAGE, NULL, hint, "there is no point %" PRId64,
                       sweep->options->index);
    return HS_OK;
}

/* The one point of --index: nothing else of the sweep is set up. */
static enum hs_status one_point(struct hs_sweep *sweep)
{
    uint32_t index = (uint32_t)sweep->options->index - 1;
    struct hs_arena *arena = &sweep->call->arena;
    HS_TRY(check_index(sweep));
    struct hs_sweep_made *made = hs_arena_alloc(arena, sizeof *made);
    sweep->points = hs_arena_alloc(arena, sweep->point_count * sizeof *sweep->points);
    if (made == NULL || sweep->points == NULL)
        return hs_fail(&sweep->call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    enum hs_status status = hs_sweep_make(sweep, index, made, &sweep->call->diag);
    if (status == HS_OK && sweep->options->run.print_config)
        hs_config_print(&made->config, &sweep->call->out);
    else if (status == HS_OK)
        status = hs_sweep_locate(sweep, made, &sweep->points[index], &sweep->call->diag);
    hs_sweep_unmake(made);
    if (status == HS_OK && !sweep->options->run.print_config)
        status = hs_sweep_run_one(sweep, index);
    return status;
}

static enum hs_status all_points(struct hs_sweep *sweep)
{
    const struct hs_sweep_options *options = sweep->options;
    if (options->lists || options->makes) {
        (options->lists ? hs_sweep_say_list : hs_sweep_say_make)(sweep);
        return HS_OK;
    }
    if (options->run.print_config) {
        hs_config_print(&sweep->config, &sweep->call->out);
        return HS_OK;
    }
    HS_TRY(hs_sweep_plan(sweep));
    if (options->pending || options->status) {
        (options->pending ? hs_sweep_say_pending : hs_sweep_say_status)(sweep);
        return HS_OK;
    }
    char runs[HS_PATH_SIZE];
    hs_sweep_path(sweep, HS_RUNS_DIR, "", "", runs);
    HS_TRY(hs_rundir_make_parents(runs, &sweep->call->diag)); /* told once, not by every point */
    enum hs_status status = options->gathers ? HS_OK : hs_sweep_run_all(sweep);
    if (status == HS_E_INTERRUPTED)
        return status;
    HS_TRY(hs_sweep_gather(sweep));
    uint32_t left = sweep->point_count - hs_sweep_count(sweep, HS_POINT_DONE);
    if (left > 0)
        hs_report(&sweep->call->diag, HS_WARNING, NULL, "--status says more",
                  "%" PRIu32 " of %" PRIu32 " points are not finished", left, sweep->point_count);
    HS_TRY(hs_sweep_say_end(sweep));
    return status;
}

/* One thing at a time. */
static enum hs_status check_wishes(struct hs_call *call)
{
    const struct hs_sweep_options *o = call->options;
    int wishes = o->lists + o->makes + o->pending + o->status + o->gathers + (o->index > 0);
    if (wishes > 1)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "one of them at a time",
                       "sweep: more than one of --list, --make, --pending, --status, --gather and "
                       "--index");
    return hs_run_check_looks(call);
}

static enum hs_status sweep(struct hs_call *call)
{
    struct hs_sweep *sweep = hs_arena_alloc(&call->arena, sizeof *sweep);
    if (sweep == NULL)
        return hs_fail(&call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    HS_TRY(check_wishes(call));
    enum hs_status status = hs_sweep_read(sweep, call);
    if (status == HS_OK)
        status = sweep->options->index > 0 ? one_point(sweep) : all_points(sweep);
    hs_sweep_close(sweep);
    return status;
}

const struct hs_verb hs_verb_sweep = {
    .name = "sweep",
    .operands = "EXPERIMENT.json",
    .summary = "Many runs over a grid of options, resumed where they stopped.",
    .details =
        "The experiment is JSON: \"config\" has keys of a run that hold for all points, \"grid\" "
        "lists of values that are combined, \"zip\" lists that advance together, \"list\" points "
        "one by one; \"name\" names the directory. Numbers may be a range: \"seed\": \"1..5\". A "
        "point that is finished is never run again, and one that fails does not stop the others: "
        "the same command goes on. The directory has runs/ (a run's directory a point), failed/ "
        "(messages of those that failed), sweep.csv (a row a point: its place on the axes, then "
        "its summary) and manifest.json. scripts/sweep-parallel.sh and scripts/sweep-slurm.sh "
        "run the points elsewhere.",
    .examples = {"sweep configs/sweeps/load.json -j 2", "sweep load.json --status",
                 "sweep load.json --index 7"},
    .options = hs_sweep_option_table,
    .options_size = sizeof(struct hs_sweep_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = sweep,
};
