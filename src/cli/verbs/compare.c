/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus compare TRACE -p A -p B ...` (compare_cells.c), and `horus compare RUN RUN`: two finished
 * runs of one workload, job by job.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/simulate.h"
#include "report/compare/paired.h"

struct comparing {
    struct hs_call *call;
    const struct hs_run_options *options;
    struct hs_message_log log;
    struct hs_status_line stopwatch;
    struct hs_paired paired;
};

static bool is_run(const char *path)
{
    return hs_rundir_has(path, "manifest.json");
}

static enum hs_status check_run(struct hs_call *call, const char *path)
{
    static const char expected[] = "two operands are two finished runs; policies are named with -p";
    if (access(path, F_OK) != 0)
        return hs_fail(&call->diag, HS_E_IO, HS_AT({.file = path}), expected, "cannot open: %s",
                       strerror(errno));
    if (!is_run(path))
        return hs_fail(&call->diag, HS_E_USAGE, NULL, expected, "compare: '%s' is no run directory",
                       path);
    if (hs_rundir_has(path, "compare.csv"))
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       "name two of the runs in its runs/ (--outputs=jobs keeps them)",
                       "compare: '%s' is a comparison, not a run", path);
    if (hs_rundir_has(path, "paired.csv"))
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "name the two runs themselves",
                       "compare: '%s' is a comparison of two runs, not a run", path);
    return HS_OK;
}

/* Otherwise --force would remove the run before it is read. */
static enum hs_status check_output(struct hs_call *call, const char *dir)
{
    const char *output = ((const struct hs_run_options *)call->options)->output;
    struct stat ours, theirs;
    if (output == NULL || stat(output, &ours) != 0 || stat(dir, &theirs) != 0 ||
        ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino)
        return HS_OK;
    return hs_fail(&call->diag, HS_E_USAGE, NULL, "give another name",
                   "-o %s is one of the runs that are compared", output);
}

static void write_config(void *ctx, struct hs_jsonw *w)
{
    const struct hs_paired *p = ctx;
    hs_jsonw_put(w, "={ run_a=%s run_b=%s bootstrap=%u blocks=%u }", p->runs[HS_PAIRED_A].dir,
                 p->runs[HS_PAIRED_B].dir, p->resamples, p->blocks);
}

static enum hs_status write_manifest(struct comparing *c, const struct hs_rundir *dir,
                                     const struct hs_output_file files[HS_PAIRED_FILES])
{
    static const char *const roles[HS_PAIRED_RUNS] = {"run_a", "run_b"};
    char paths[HS_PAIRED_RUNS][HS_PATH_SIZE];
    struct hs_manifest_input inputs[HS_PAIRED_RUNS];
    struct hs_manifest manifest = {.status = "complete",
                                   .seed = c->paired.seed,
                                   .inputs = inputs,
                                   .input_count = HS_PAIRED_RUNS,
                                   .outputs = files,
                                   .output_count = HS_PAIRED_FILES,
                                   .write_config = write_config,
                                   .config_ctx = &c->paired};
    for (int r = 0; r < HS_PAIRED_RUNS; r++) {
        const struct hs_paired_run *run = &c->paired.runs[r];
        (void)snprintf(paths[r], sizeof paths[r], "%s/jobs.csv", run->dir);
        inputs[r] = (struct hs_manifest_input){.role = roles[r],
                                               .path = paths[r],
                                               .hash = run->manifest.rows_hash,
                                               .bytes = run->manifest.rows_bytes,
                                               .rows = run->count};
    }
    manifest.machine =
        hs_record_machine(c->call->command, hs_status_line_elapsed_s(&c->stopwatch), false);
    return hs_record_manifest(&manifest, &c->log, dir, &c->log.diag);
}

static enum hs_status write_dir(struct comparing *c)
{
    struct hs_rundir dir;
    struct hs_output_file files[HS_PAIRED_FILES];
    hs_interrupt_watch();
    HS_TRY(hs_rundir_open(&dir, c->options->output, c->options->force, &c->log.diag));
    enum hs_status status = hs_paired_write(&c->paired, &dir, files);
    if (status == HS_OK)
        status = write_manifest(c, &dir, files);
    if (status == HS_OK && hs_interrupt_signal() != 0)
        status = hs_fail(&c->log.diag, HS_E_INTERRUPTED, NULL, NULL,
                         "stopped by %s: nothing was kept", hs_interrupt_name());
    return hs_rundir_close(&dir, status, &c->log.diag);
}

static enum hs_status compare_runs(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    const char *output = options->output;
    /* Options of a run have no effect on finished ones. */
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
    HS_TRY(check_output(call, call->operands[0]));
    HS_TRY(check_output(call, call->operands[1]));
    struct comparing *c = hs_arena_alloc(&call->arena, sizeof *c);
    c->call = call;
    c->options = options;
    if (hs_run_shows_progress(call))
        hs_show_reading(call);
    hs_message_log_open(&c->log, &call->diag, HS_LOG_WARNINGS);
    hs_status_line_start(&c->stopwatch, &call->terminal, false, 0);
    enum hs_status status =
        hs_paired_load(&c->paired, (const char *const *)call->operands, &c->log.diag);
    if (status == HS_OK)
        status =
            hs_paired_compare(&c->paired, (uint32_t)options->bootstrap, (uint64_t)options->seed);
    if (status == HS_OK && output != NULL)
        status = write_dir(c);
    if (status == HS_OK)
        hs_paired_print(&c->paired, &call->out, call->terminal.columns);
    if (status == HS_OK && output != NULL)
        hs_say(&call->out, "\nfiles       %s/\n", output);
    hs_paired_free(&c->paired);
    hs_message_log_close(&c->log);
    return status;
}

/* ---- runs that cannot differ ---- */

bool hs_compare_say_alike(const double *values, uint32_t policies, uint32_t runs, size_t count,
                          struct hs_output *out)
{
    for (uint32_t i = 0; i < policies * runs; i++)
        if (memcmp(values + i * count, values + i / runs * runs * count, count * sizeof *values) !=
            0)
            return false;
    if (runs > 1)
        hs_say(out,
               "seeds       the %" PRIu32 " runs of a policy are the same: " HS_NOTHING_DRAWN "\n",
               runs);
    return runs > 1;
}

/* ---- terms of policies ---- */

void hs_compare_say_terms(const struct hs_setup *const *setups, uint32_t count,
                          struct hs_output *out)
{
    static const struct {
        const char *name;
        size_t offset;
    } terms[] = {{"scan", offsetof(struct hs_semantics, scan)},
                 {"placement", offsetof(struct hs_semantics, placement)},
                 {"cost", offsetof(struct hs_semantics, cost)}};
    for (size_t i = 0; i < HS_COUNT_OF(terms); i++) {
        bool is_alike = true;
        const char *first = NULL, *text = NULL;
        for (int prints = 0; prints < 2; prints++)
            for (uint32_t p = 0; p < count && (prints == 0 || !is_alike); p++) {
                const char *at = (const char *)&setups[p]->card.policy_semantics;
                memcpy(&text, at + terms[i].offset, sizeof text);
                text = text != NULL ? text : "-";
                first = p == 0 ? text : first;
                is_alike = is_alike && strcmp(text, first) == 0;
                if (prints == 1)
                    hs_say(out, "%-11s %s: %s\n", p == 0 ? terms[i].name : "",
                           setups[p]->options->policy, text);
            }
    }
}

/* ---- the verb ---- */

static enum hs_status compare(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    HS_TRY(hs_run_begin(call));
    if (options->print_config) {
        hs_config_print(&call->config, &call->out);
        return HS_OK;
    }
    if (call->operand_count == 2 || (call->operand_count == 1 && is_run(call->operands[0])))
        return compare_runs(call);
    return hs_compare_policies(call);
}

const struct hs_verb hs_verb_compare = {
    .name = "compare",
    .operands = "TRACE | RUN RUN",
    .summary = "Compare policies on a trace, or two runs job by job.",
    .details =
        "With TRACE, each combination of policy, seed and assignment seed is one run with the "
        "options of 'horus run'. The table has the means over the runs and, below each, the ratio "
        "to the first policy with its 95 % interval (for the first policy: +- the interval of its "
        "mean); * marks the best. The directory has compare.csv (one row per policy and metric), "
        "runs.csv (one row per run), order.csv and manifest.json. With RUN RUN, two finished run "
        "directories of the same workload are compared job by job.",
    .examples = {"compare traces/sample.csv -c 8x8:V100 -p fifo -p sjf -p srtf",
                 "compare jobs.csv -c 16x8:V100 -p fifo -p srtf --seeds 1..5 --assignments 1..3 "
                 "-j 4",
                 "compare results/a results/b"},
    .options = hs_compare_option_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_max = 2,
    .run = compare,
};
