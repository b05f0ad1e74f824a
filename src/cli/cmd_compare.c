/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus compare TRACE -p A -p B ...`: one workload under several policies, with any number of
 * seeds. Standard output gets the table; the figures behind it are in the directory. `horus compare
 * RUN RUN`: two finished runs, job by job.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/compare_runs.h"
#include "cli/meter.h"
#include "cli/run_begin.h"
#include "cli/simulate.h"

/* Everything in the directory but its manifest. */
static enum hs_status fill_dir(struct hs_compare *compare, const struct hs_rundir *dir)
{
    HS_TRY(hs_compare_run(compare, dir));
    HS_TRY(hs_compare_read(compare, dir));
    if (compare->policies[0].setup.outputs == HS_OUT_SUMMARY)
        HS_TRY(hs_rundir_drop_runs(dir, &compare->call->diag));
    return hs_compare_write(compare, dir);
}

static enum hs_status compare_into(struct hs_compare *compare, const char *path)
{
    struct hs_diag *diag = &compare->call->diag;
    struct hs_rundir dir = {0};
    struct hs_meter clock;
    hs_meter_start(&clock, &compare->call->terminal, false, 0);
    HS_TRY(hs_rundir_open(&dir, path, compare->options->run.force, diag));
    enum hs_status status = fill_dir(compare, &dir);
    if (status == HS_OK)
        status = hs_compare_record(compare, &dir, hs_meter_elapsed_s(&clock));
    if (status == HS_OK)
        status = hs_rundir_commit(&dir, diag);
    if (status != HS_OK)
        hs_rundir_discard(&dir);
    return status;
}

static enum hs_status dry_run(struct hs_compare *compare, const char *dir)
{
    struct hs_call *call = compare->call;
    struct hs_run_result *result = hs_arena_alloc(&call->arena, sizeof *result);
    if (result == NULL)
        return hs_fail(&call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    HS_TRY(hs_simulate_dry(&compare->policies[0].setup, result, &compare->once.diag));
    hs_say(&call->out, "trace       %s (%s): %" PRIu64 " jobs of %" PRIu64 " rows\n",
           compare->options->run.trace, result->format, result->intake.accepted,
           result->intake.rows);
    for (uint32_t i = 0; i < compare->cell_count; i++)
        hs_say(&call->out, "%-11s %s\n", i == 0 ? "runs" : "", compare->cells[i].name);
    hs_say(&call->out, "directory   %s/ (not written)\n", dir);
    return HS_OK;
}

static enum hs_status compare_planned(struct hs_compare *compare)
{
    char dir[HS_PATH_SIZE];
    if (compare->options->run.output != NULL)
        (void)snprintf(dir, sizeof dir, "%s", compare->options->run.output);
    else
        HS_TRY(hs_compare_dir(compare, dir, sizeof dir));
    hs_run_note_cluster(compare->call);
    if (compare->options->run.dry_run)
        return dry_run(compare, dir);
    HS_TRY(compare_into(compare, dir));
    hs_compare_say(compare, dir);
    return hs_compare_judge(compare);
}

static enum hs_status compare_policies(struct hs_call *call)
{
    struct hs_compare *compare = hs_arena_alloc(&call->arena, sizeof *compare);
    if (compare == NULL)
        return hs_fail(&call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    enum hs_status status = hs_compare_plan(compare, call);
    if (status == HS_OK)
        status = compare_planned(compare);
    hs_compare_close(compare);
    return status;
}

static bool has_file(const char *dir, const char *name)
{
    char path[HS_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

static bool is_run(const char *path)
{
    return has_file(path, "manifest.json");
}

static enum hs_status check_run(struct hs_call *call, const char *path)
{
    static const char expected[] = "two operands are two finished runs; policies are named with -p";
    const struct hs_place place = {.file = path};
    if (access(path, F_OK) != 0)
        return hs_fail(&call->diag, HS_E_IO, &place, expected, "cannot open: %s", strerror(errno));
    if (!is_run(path))
        return hs_fail(&call->diag, HS_E_USAGE, NULL, expected, "compare: '%s' is no run directory",
                       path);
    if (has_file(path, "compare.csv"))
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       "name two of the runs in its runs/ (--outputs=jobs keeps them)",
                       "compare: '%s' is a comparison, not a run", path);
    if (has_file(path, "paired.csv"))
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "name the two runs themselves",
                       "compare: '%s' is a comparison of two runs, not a run", path);
    return HS_OK;
}

/* Two finished runs have their policies and options. */
static enum hs_status check_runs(struct hs_call *call)
{
    const struct hs_config *config = &call->config;
    HS_TRY(check_run(call, call->operands[0]));
    if (call->operand_count == 1)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "horus compare RUN RUN",
                       "compare: '%s' is a run directory: a second one is missing",
                       call->operands[0]);
    HS_TRY(check_run(call, call->operands[1]));
    for (size_t i = 0; config->options[i].param.key != NULL; i++) {
        const struct hs_option *o = &config->options[i];
        if (!o->is_local && config->origin[i] != HS_FROM_DEFAULT &&
            strcmp(o->param.key, "seed") != 0)
            return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave it out",
                           "compare: %s has no meaning for two finished runs", o->param.key);
    }
    return HS_OK;
}

static enum hs_status compare(struct hs_call *call)
{
    const struct hs_compare_options *options = call->options;
    HS_TRY(hs_run_begin(call));
    if (options->run.print_config) {
        hs_config_print(&call->config, &call->out);
        return HS_OK;
    }
    if (call->operand_count == 0 || (call->operand_count == 1 && !is_run(call->operands[0])))
        return compare_policies(call);
    HS_TRY(check_runs(call));
    const struct hs_compare_runs_options runs = {.bootstrap = options->bootstrap,
                                                 .seed = options->run.seed,
                                                 .output = options->run.output,
                                                 .force = options->run.force};
    return hs_compare_runs(call, &runs, call->operands[0], call->operands[1]);
}

const struct hs_verb hs_verb_compare = {
    .name = "compare",
    .operands = "TRACE | RUN RUN",
    .summary = "A trace under several policies, or two runs job by job.",
    .details =
        "TRACE: every policy, seed and assignment seed is one run with the options of 'horus run'. "
        "The table has means over the runs and, below, the ratio to the first policy with "
        "its 95 % interval (of the first policy: +- that of its mean); * marks the best. The "
        "directory has compare.csv (a row a policy and metric), "
        "runs.csv (a row a run), order.csv and manifest.json. RUN RUN: two directories that "
        "'horus run' has finished, of one workload.",
    .examples = {"compare traces/sample.csv -c 8x8:V100 -p fifo -p sjf -p srtf",
                 "compare jobs.csv -c 16x8:V100 -p fifo -p srtf --seeds 1..5 --assignments 1..3 "
                 "-j 4",
                 "compare results/a results/b"},
    .options = hs_compare_option_table,
    .options_size = sizeof(struct hs_compare_options),
    .operands_max = 2,
    .run = compare,
};
