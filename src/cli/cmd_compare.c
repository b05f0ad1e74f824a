/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus compare TRACE -p A -p B ...`: one workload under several policies, with any number of
 * seeds. Standard output gets the table; the figures behind it are in the directory.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/meter.h"
#include "cli/run_begin.h"

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

static enum hs_status compare_planned(struct hs_compare *compare)
{
    char dir[4096];
    if (compare->options->run.output != NULL)
        (void)snprintf(dir, sizeof dir, "%s", compare->options->run.output);
    else
        HS_TRY(hs_compare_dir(compare, dir, sizeof dir));
    hs_run_note_cluster(compare->call);
    HS_TRY(compare_into(compare, dir));
    hs_compare_say(compare, dir);
    return hs_compare_judge(compare);
}

static enum hs_status compare(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    struct hs_compare compare;
    HS_TRY(hs_run_begin(call));
    if (options->print_config) {
        hs_config_print(&call->config, &call->out);
        return HS_OK;
    }
    enum hs_status status = hs_compare_plan(&compare, call);
    if (status == HS_OK)
        status = compare_planned(&compare);
    hs_compare_close(&compare);
    return status;
}

const struct hs_verb hs_verb_compare = {
    .name = "compare",
    .operands = "TRACE",
    .summary = "Replay a trace under several policies and seeds.",
    .details = "Every policy, seed and assignment seed is one run with the options of 'horus run'. "
               "The table has means over the runs and, below, the ratio to the first policy with "
               "its 95 % interval. The directory has compare.csv (a row a policy and metric), "
               "runs.csv (a row a run), order.csv and manifest.json.",
    .examples = {"compare traces/sample.csv -c 8x8:V100 -p fifo -p sjf -p srtf",
                 "compare jobs.csv -c 16x8:V100 -p fifo -p srtf --seeds 1..5 --assignments 1..3 "
                 "-j 4",
                 "compare jobs.csv -p sjf -p sjf:scan=fit --fail-if 'mean_jct>+1%'"},
    .options = hs_compare_option_table,
    .options_size = sizeof(struct hs_compare_options),
    .operands_max = 1,
    .run = compare,
};
