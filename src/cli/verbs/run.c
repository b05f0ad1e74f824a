/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus run TRACE`: one simulation. Standard output gets the table, the assumptions, the bounds
 * and the location of the files; everything else is on standard error. `horus rerun RUN`: repeats
 * the run of a manifest on its inputs, and compares the hash of every file with the recorded one.
 * The values of the manifest, including the policy's parameters, replace the defaults of this
 * program, which may have changed.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "cli/option_rows.h"
#include "cli/simulate.h"
#include "horus/version.h"
#include "report/html/page.h"

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
    if (card->power != NULL)
        hs_say(out, "power       %s\n", card->power);
    if (card->checkpoints != NULL)
        hs_say(out, "checkpoints %s\n", card->checkpoints);
    if (card->fork != NULL)
        hs_say(out, "fork        %s\n", card->fork);
}

/* Prints the sources of the jobs' profiles. */
static void say_profiles(struct hs_output *out, const struct hs_setup *setup,
                         const struct hs_assign_counts *n)
{
    const struct hs_run_options *options = setup->options;
    hs_say(out, "profiles    %" PRIu64 " named, %" PRIu64 " by utilization, %" PRIu64 " assumed",
           n->by_columns, n->by_telemetry, n->by_mix);
    if (n->by_mix > 0)
        hs_say(out, " (drawn, mean GPU util %g %%, --%s %" PRIu64 ")", options->assign_target,
               options->assign_seed != 0 ? "assign-seed" : "seed", setup->assign.seed);
    hs_say(out, ", %" PRIu64 " none%s\n", n->none,
           setup->needs_no_draw && n->none > 0 ? " (not drawn: nothing here depends on them)" : "");
    char unknown[512];
    hs_setup_unknown(n, unknown, sizeof unknown);
    if (unknown[0] != '\0')
        hs_say(out, "unknown     %s\n", unknown);
    if (n->ran > 0)
        hs_say(out,
               "ran on      %" PRIu64 " run times are those of the GPU type that the trace names\n",
               n->ran);
}

/* Prints lower bounds; "makespan_bound" is that of "makespan". */
static void say_bounds(struct hs_output *out, const struct hs_summary *summary)
{
    static const char *const bounded[] = {"makespan", "mean_wait", "mean_jct"};
    for (size_t i = 0; i < HS_COUNT_OF(bounded); i++)
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

/* Prints what failures and drains of nodes did, of a run with any. */
static void say_outages(struct hs_output *out, const struct hs_summary *summary)
{
    const double faults = hs_summary_get(summary, "faults");
    if (isnan(faults))
        return;
    hs_say(out, "outages     %g stops by failures and %g by drains, of %g jobs; %.6g GPU h lost\n",
           faults, hs_summary_get(summary, "drains"), hs_summary_get(summary, "jobs_hit"),
           hs_summary_get(summary, "fault_lost_gpu_seconds") / 3600);
    hs_say(out, "            GPUs in service %.4g %%; useful share of run time (ETTR) %.4g\n",
           100 * hs_summary_get(summary, "availability"), hs_summary_get(summary, "ettr"));
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
        hs_say(out, "  %-24s%14.8g%14.8g%14s%14.8g%14.8g\n", s->name,
               hs_summary_get(summary, s->name), s->mean,
               isnan(deviation) ? "-" : HS_TEXT("%.6g", deviation), s->min, s->max);
    }
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
    say_profiles(out, setup, &result->intake.assigned);
    hs_say(out, "directory   %s/ (not written)\n", dir);
    return HS_OK;
}

/* Prints summary.json of the finished run. */
static enum hs_status say_summary(struct hs_call *call, const char *dir)
{
    char *text;
    size_t length;
    HS_TRY(hs_read_file(HS_PATH("%s/summary.json", dir), UINT64_C(1) << 30, &text, &length,
                        &call->diag));
    hs_output_put(&call->out, text, length);
    hs_free(text);
    return HS_OK;
}

/* Notes what the run cost: with a policy in a child process mostly its decisions. */
static void note_cost(const struct hs_run_result *result, struct hs_diag *diag)
{
    hs_report(diag, HS_NOTE, NULL, NULL,
              "%" PRIu64 " events, %" PRIu64 " decisions, %" PRIu64
              " checks; %.3f s wall, %.1f us per decision, %.3f s CPU, %" PRIu64 " KiB peak memory",
              result->figures.events, result->figures.decisions, result->figures.checks,
              result->machine.wall_s,
              result->machine.wall_s * 1e6 / fmax(1, (double)result->figures.decisions),
              result->machine.cpu_s, result->machine.peak_rss_kib);
}

static enum hs_status say_run(struct hs_call *call, const struct hs_run_result *result,
                              const char *dir)
{
    const struct hs_run_options *options = call->options;
    hs_run_note_demand(result->setup, result, &call->diag);
    if (options->json)
        HS_TRY(say_summary(call, dir));
    else {
        struct hs_output *out = &call->out;
        const struct hs_table_row row = {.label = result->setup->options->policy,
                                         .summary = &result->summary};
        hs_say(out, "%s (%s) on %s: %" PRIu32 " GPUs, %" PRIu32 " nodes\n\n",
               result->setup->options->trace, result->format, result->setup->options->cluster,
               result->setup->cluster.gpu_count, result->setup->cluster.node_count);
        if (result->figures.finished == 0)
            hs_say(out,
                   "no job ran to its end: %" PRIu64 " of %" PRIu64 " rejected, %" PRIu64
                   " unfinished\n",
                   result->figures.rejected, result->figures.jobs, result->figures.unfinished);
        hs_table_print(out, &(struct hs_run_table){.rows = &row,
                                                   .row_count = 1,
                                                   .columns = call->terminal.columns,
                                                   .use_utf8 = call->terminal.use_utf8,
                                                   .use_color = call->terminal.use_color});
        say_spreads(out, &result->summary);
        hs_say(out, "\n");
        say_card(out, &result->setup->card);
        say_profiles(out, result->setup, &result->intake.assigned);
        const struct hs_engine_figures *f = &result->figures;
        if (f->shares_divided > 0)
            hs_say(out,
                   "shares      %" PRIu64 " of %" PRIu64 " jobs have shares of GPUs, reserved\n",
                   f->shares_divided, f->jobs);
        if (f->shares_rounded > 0)
            hs_say(out,
                   "shares      %" PRIu64 " of %" PRIu64
                   " jobs request shares of GPUs and have whole ones\n",
                   f->shares_rounded, f->jobs);
        for (uint32_t i = 0; i < result->intake.reason_count; i++)
            hs_say(out, "rejected    %" PRIu64 " of %" PRIu64 " jobs: %s\n",
                   result->intake.reasons[i].jobs, f->jobs, result->intake.reasons[i].reason);
        say_outages(out, &result->summary);
        say_bounds(out, &result->summary);
        if (hs_run_is_cut(result))
            hs_say(out, "cut         by %s; %" PRIu64 " jobs unfinished\n", HS_RUN_CUT(result),
                   f->unfinished);
        hs_say(out, "files       %s/\n", dir);
    }
    if (options->verbose)
        note_cost(result, &call->diag);
    if (hs_run_is_cut(result))
        return HS_E_LIMIT;
    return hs_check_rejected(result->setup->options->trace, result->setup->options->policy,
                             (double)result->figures.rejected, (double)result->figures.jobs,
                             &call->diag);
}

/* ---- checkpoints ---- */

static enum hs_status program_hash(uint64_t *hash, struct hs_diag *diag)
{
    uint64_t bytes;
    return hs_hash_file("/proc/self/exe", hash, &bytes, diag);
}

static bool has_image(const struct hs_run_options *options)
{
    return options->snapshot != NULL || options->save_us + options->save_sim_us > 0;
}

/* What is common to a new run and one that goes on. */
struct prepared {
    struct hs_setup *setup;
    struct hs_run_call call;
    struct hs_image_head image;
    char dir[HS_PATH_SIZE];
};

static enum hs_status prepare(struct prepared *p, struct hs_call *call,
                              const struct hs_run_options *options, const struct hs_config *config)
{
    *p = (struct prepared){.setup = hs_alloc_zeroed(1, sizeof *p->setup),
                           .call = {.by = call, .shows_progress = hs_run_shows_progress(call)}};
    HS_TRY(hs_setup_open(p->setup, options, config, &call->diag));
    HS_TRY(hs_setup_dir(p->setup, p->dir, &call->diag));
    if (!options->resume && !has_image(options))
        return HS_OK;
    HS_TRY(hs_run_identity(p->setup, p->image.name, &call->diag));
    p->call.image = &p->image;
    return program_hash(&p->image.program, &call->diag);
}

static void unprepare(struct prepared *p)
{
    hs_setup_close(p->setup);
    hs_free(p->setup);
}

static enum hs_status run_new(struct hs_call *call, struct hs_run_options *options,
                              const struct hs_config *config)
{
    struct prepared p;
    struct hs_run_result *result = hs_alloc_zeroed(1, sizeof *result);
    enum hs_status status = prepare(&p, call, options, config);
    p.call.kept = options;
    if (status == HS_OK) {
        hs_run_note_cluster(call);
        if (options->dry_run)
            status = dry_run(call, p.setup, p.dir, result);
        else
            status = hs_simulate(p.setup, &p.call, p.dir, result, &call->diag);
    }
    if (status == HS_OK && !options->dry_run)
        status = say_run(call, result, p.dir);
    unprepare(&p);
    hs_free(result);
    return status;
}

/* What the image of a run needs of its call. */
struct kept {
    struct hs_run_options options;
    struct hs_config config;
    struct hs_arena arena;
};

static enum hs_status run_in_image(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    struct hs_diag *diag = &call->diag;
    HS_TRY(hs_run_refuse_both(call, options->tie_jitter > 0, "a checkpoint", "--tie-jitter"));
    if (options->snapshot != NULL && options->until_us == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "--until TIME", "--snapshot without --until");
    if (hs_is_command(options->policy) || strchr(options->policy, '/') != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL,
                       "a checkpoint cannot hold the state of a policy outside the program");
    if (options->snapshot != NULL)
        HS_TRY(hs_wholefile_check(options->snapshot, "--snapshot",
                                  options->force || hs_image_is_file(options->snapshot, diag),
                                  &options->trace, 1, diag));
    if (!hs_image_begin())
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL,
                       "the addresses that checkpoints need are not free");
    struct kept *kept = hs_alloc_zeroed(1, sizeof *kept);
    hs_config_copy(&kept->config, &call->config, &kept->options, sizeof kept->options,
                   &kept->arena);
    return run_new(call, &kept->options, &kept->config);
}

/* *is_there: there is a checkpoint, and the run went on from it. */
static enum hs_status resume(struct hs_call *call, bool *is_there)
{
    const struct hs_run_options *options = call->options;
    struct prepared p;
    struct hs_rundir left;
    struct hs_run_result *result;
    enum hs_status status = prepare(&p, call, options, &call->config);
    if (status == HS_OK && !options->force && hs_rundir_has(p.dir, "manifest.json"))
        status = hs_fail(&call->diag, HS_E_IO, HS_AT({.file = p.dir}), "--force runs it again",
                         "this run is finished: there is nothing to resume");
    if (status == HS_OK)
        status = hs_rundir_resume(&left, p.dir, options->force, is_there, &call->diag);
    unprepare(&p);
    if (status != HS_OK || !*is_there)
        return status;
    HS_TRY(hs_simulate_image(HS_RUNDIR_FILE(&left, HS_RUNDIR_CHECKPOINT), &left, &p.call, options,
                             NULL, &result, &call->diag));
    return say_run(call, result, p.dir);
}

static enum hs_status run_from(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    struct hs_image_head image = {.has_files = true};
    const struct hs_run_call run_call = {
        .by = call, .shows_progress = hs_run_shows_progress(call), .image = &image};
    struct hs_rundir dir;
    struct hs_run_result *result;
    const bool is_fork = hs_config_origin(&call->config, "policy") != HS_FROM_DEFAULT;
    for (const struct hs_option *o = call->config.options; o->param.key != NULL; o++)
        if (!o->is_local && hs_config_origin(&call->config, o->param.key) != HS_FROM_DEFAULT &&
            strcmp(o->param.key, "until") != 0 && strcmp(o->param.key, "policy") != 0)
            return hs_fail(&call->diag, HS_E_USAGE, NULL, "only -p and --until can differ",
                           "--from: '%s' is given by the snapshot", HS_LONG_NAME(&o->param));
    HS_TRY(hs_run_refuse_both(call, options->resume || has_image(options), "--from",
                              "--resume, --checkpoint or --snapshot"));
    if (options->output == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "-o DIR", "--from without -o");
    HS_TRY(program_hash(&image.program, &call->diag));
    HS_TRY(hs_rundir_open(&dir, options->output, options->force, &call->diag));
    HS_TRY(hs_simulate_image(options->from, &dir, &run_call, options,
                             is_fork ? options->policy : NULL, &result, &call->diag));
    return say_run(call, result, options->output);
}

static enum hs_status run(struct hs_call *call)
{
    struct hs_run_options *options = call->options;
    bool is_there = false;
    HS_TRY(hs_run_begin(call));
    if (options->print_config) {
        hs_config_print(&call->config, &call->out);
        return HS_OK;
    }
    if (options->from != NULL)
        return run_from(call);
    if (options->resume && !options->dry_run) {
        const enum hs_status status = resume(call, &is_there);
        if (status != HS_OK || is_there)
            return status;
    }
    if (has_image(options) && !options->dry_run)
        return run_in_image(call);
    return run_new(call, options, &call->config);
}

const struct hs_verb hs_verb_run = {
    .name = "run",
    .operands = "TRACE",
    .summary = "Replay a trace on a cluster under a policy.",
    .details = "Reads the jobs of TRACE (a file, or - for standard input), schedules them on the "
               "cluster and writes a run directory: jobs.csv, segments.csv, series.csv, nodes.csv, "
               "summary.json, summary.csv and manifest.json. The results do not depend on time "
               "zone, locale or machine load. If all jobs are rejected, the exit code is 3.",
    .examples = {"run traces/sample.csv",
                 "run cluster_log.csv.gz -c 133x8:V100 -p srtf:preempt_cost=table",
                 "run jobs.csv --map submit_time=timestamp,gpus=num_gpus -c cluster.json -o out"},
    .options = hs_run_option_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_max = 1,
    .run = run,
};

/* ---- rerun ---- */

#define MANIFEST "manifest.json"

struct rerun {
    char path[HS_PATH_SIZE]; /* of the manifest */
    char dir[HS_PATH_SIZE];  /* of the run, if it is known */
    struct hs_runmanifest manifest;
    struct hs_run_options options; /* from the manifest */
    struct hs_config config;       /* over these */
};

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static enum hs_status find_manifest(struct rerun *r, const char *operand, struct hs_diag *diag)
{
    size_t len = strlen(operand), tail = sizeof "/" MANIFEST - 1;
    if (len + tail + 1 > sizeof r->path)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the path is too long: %s", operand);
    while (len > 1 && operand[len - 1] == '/')
        len--;
    if (is_directory(operand)) {
        (void)snprintf(r->path, sizeof r->path, "%.*s/" MANIFEST, (int)len, operand);
    } else {
        (void)snprintf(r->path, sizeof r->path, "%s", operand);
        if (len <= tail || strcmp(operand + len - tail, "/" MANIFEST) != 0) {
            enum hs_status status = hs_runmanifest_load(&r->manifest, r->path, diag);
            if (status == HS_E_INPUT)
                hs_report(diag, HS_NOTE, HS_AT({.file = operand}), NULL,
                          "rerun takes the directory of a run or its " MANIFEST);
            return status;
        }
    }
    const char *dir = r->dir;
    (void)snprintf(r->dir, sizeof r->dir, "%.*s", (int)(strlen(r->path) - tail), r->path);
    HS_TRY(hs_rundir_refuse_many(dir, "/" HS_RUNS_DIR, diag));
    return hs_runmanifest_open(&r->manifest, dir, diag);
}

static const struct hs_json *root_of(const struct rerun *r)
{
    return hs_json_root(r->manifest.doc);
}

static const char *text_or(const struct rerun *r, const char *key)
{
    const char *text = hs_json_text(hs_json_get(root_of(r), key));
    return text != NULL ? text : "?";
}

static void find_kept(struct rerun *r, struct hs_arena *arena)
{
    char path[HS_PATH_SIZE];
    for (int role = 0; role < HS_KEPT_ROLES; role++)
        if (hs_runmanifest_kept(&r->manifest, (enum hs_kept_role)role, path) != NULL)
            r->options.kept[role] = hs_arena_text(arena, path, strlen(path));
}

/* operand: a run's directory or its manifest; trace: the current path of the trace, NULL as
 * recorded. HS_E_INPUT for what is not a run, such as a comparison, and for a configuration that
 * this program does not understand. */
static enum hs_status open_manifest(struct rerun *r, const char *operand, const char *trace,
                                    struct hs_call *call)
{
    struct hs_diag *diag = &call->diag;
    memset(r, 0, sizeof *r);
    HS_TRY(find_manifest(r, operand, diag));
    const struct hs_place place = {.file = r->path};
    const struct hs_json *inputs = hs_json_get(root_of(r), "inputs");
    if (hs_runmanifest_file(&r->manifest, "summary.json") == NULL)
        return hs_fail(diag, HS_E_INPUT, &place,
                       "`horus compare ... --outputs all` keeps the directories of its runs",
                       "not the manifest of a run: it lists no summary.json");
    if (hs_runmanifest_trace(&r->manifest) == NULL ||
        hs_json_count(inputs) != r->manifest.input_count)
        return hs_fail(diag, HS_E_INPUT, &place, NULL,
                       "not every input has a role, a path, a hash and a size, or there is no "
                       "trace among them");
    if (hs_json_count(hs_json_get(root_of(r), "outputs")) != r->manifest.file_count)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "not every output has a name and a hash");
    if (hs_json_get(r->manifest.assumptions, "fork") != NULL)
        return hs_fail(diag, HS_E_INPUT, &place, "horus run --from SNAPSHOT -p POLICY",
                       "a run made by --from cannot be repeated: its start is in a snapshot");
    HS_TRY(hs_config_init(&r->config, hs_run_option_table, &r->options, &call->arena));
    r->config.file = r->path;
    HS_TRY(hs_config_load_object(&r->config, r->manifest.doc, r->manifest.config, diag));
    /* HS_FROM_DEFAULT: not given in this call. */
    memset(r->config.origin, 0, sizeof r->config.origin);
    if (hs_config_check(&r->config, call->verb->name, diag) != HS_OK)
        return HS_E_INPUT;
    if (r->options.max_wall_us > 0 && hs_runmanifest_horizon_us(&r->manifest) > 0) {
        r->options.until_us = hs_runmanifest_horizon_us(&r->manifest); /* the end of that run */
        r->options.max_wall_us = 0;
    }
    const struct hs_json *p = hs_json_first(hs_json_get(root_of(r), "policy_parameters"));
    for (; p != NULL; p = hs_json_next(p)) { /* -p with every parameter of the policy */
        if (hs_json_text(p) == NULL)
            return hs_fail(diag, HS_E_INPUT, HS_AT(hs_json_place(r->manifest.doc, p)), NULL,
                           "a parameter is not a text");
        r->options.policy = hs_policyspec_set(&call->arena, r->options.policy, hs_json_key(p),
                                              hs_json_text(p), false);
    }
    find_kept(r, &call->arena);
    if (trace == NULL)
        return HS_OK;
    if (strcmp(trace, "-") == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "put it into a file",
                       "the trace is checked before it is replayed: it cannot be standard input");
    /* a trace with another file name is the same workload, whose name is in the results */
    const char *name = hs_json_text(hs_json_get(r->manifest.assumptions, "workload"));
    HS_TRY(hs_config_set(&r->config, "trace", trace, HS_FROM_FLAG, diag));
    if (r->options.name == NULL && name != NULL)
        HS_TRY(hs_config_set(&r->config, "name", name, HS_FROM_FLAG, diag));
    return HS_OK;
}

static const char *path_now(const struct rerun *r, const struct hs_manifest_input *input)
{
    for (int role = 0; role < HS_KEPT_ROLES; role++)
        if (strcmp(input->role, hs_kept_names[role].role) == 0 && r->options.kept[role] != NULL)
            return r->options.kept[role];
    return input->path;
}

/* Counts and reports an input that differs from the recorded one. */
static enum hs_status check_input(const struct rerun *r, const struct hs_manifest_input *input,
                                  uint32_t *faults, struct hs_diag *diag)
{
    const char *hint = "paths are as they were given: run in the folder that they are relative to";
    uint64_t hash = 0, bytes = 0;
    bool is_trace = strcmp(input->role, "trace") == 0;
    const char *path = is_trace ? r->options.trace : path_now(r, input);
    const struct hs_place place = {.file = path};
    bool is_there = strncmp(path, HS_BUILTIN, strlen(HS_BUILTIN)) == 0 ||
                    strncmp(path, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) == 0 ||
                    (strcmp(path, "-") != 0 && access(path, R_OK) == 0 && !is_directory(path));
    if (is_there)
        HS_TRY(hs_hash_file(path, &hash, &bytes, diag));
    if (is_there && hash == input->hash && bytes == input->bytes)
        return HS_OK;
    const char *part = HS_TEXT("it is a built-in file of horus %s (%s)", text_or(r, "version"),
                               text_or(r, "commit"));
    (*faults)++;
    if (is_trace)
        hint = "--trace FILE gives its new path";
    if (strncmp(input->path, HS_BUILTIN, strlen(HS_BUILTIN)) == 0)
        hint = part;
    if (is_there)
        hs_report(diag, HS_ERROR, &place, hint,
                  "input '%s' is not that of the run: recorded %016" PRIx64 ", %" PRIu64
                  " bytes; found %016" PRIx64 ", %" PRIu64 " bytes",
                  input->role, input->hash, input->bytes, hash, bytes);
    else
        hs_report(diag, HS_ERROR, &place, hint,
                  "input '%s' of the run is missing: recorded %016" PRIx64 ", %" PRIu64 " bytes",
                  input->role, input->hash, input->bytes);
    return HS_OK;
}

/* Members of the manifest that depend only on inputs and configuration; inputs and outputs are
 * compared separately. */
static const char *const members[] = {"assumptions", "seed",     "policy_parameters",
                                      "engine",      "assigned", "checks"};

/* Prints one line per file; returns the number that differ from the recorded ones. */
static uint32_t say_files(struct hs_output *out, const struct hs_runmanifest *was,
                          const struct hs_runmanifest *is)
{
    uint32_t differing = 0;
    for (uint32_t i = 0; i < was->file_count; i++) {
        const struct hs_output_file *old = &was->files[i];
        const struct hs_output_file *now = hs_runmanifest_file(is, old->name);
        const bool is_page = strcmp(old->name, HS_PAGE_FILE) == 0;
        if (is_page || strncmp(old->name, "backtest", 8) == 0) {
            hs_say(out, "%-14s  %016" PRIx64 "  %s: not compared\n", old->name, old->hash,
                   is_page ? "derived from the others" : "of 'horus backtest'");
            continue;
        }
        bool is_same = now != NULL && now->hash == old->hash;
        differing += !is_same;
        hs_say(out, "%-14s  %016" PRIx64 "  ", old->name, old->hash);
        if (is_same)
            hs_say(out, "same\n");
        else if (now == NULL)
            hs_say(out, "differs: it is missing now\n");
        else
            hs_say(out, "differs: %016" PRIx64 "\n", now->hash);
    }
    for (uint32_t i = 0; i < is->file_count; i++)
        if (hs_runmanifest_file(was, is->files[i].name) == NULL)
            hs_say(out, "%-14s  %-16s  not in the run: not compared\n", is->files[i].name, "-");
    return differing;
}

static enum hs_status hold(const struct rerun *r, const char *dir, struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    struct hs_runmanifest now;
    enum hs_status status = hs_runmanifest_open(&now, dir, &call->diag);
    if (status != HS_OK) {
        hs_runmanifest_close(&now);
        return status;
    }
    hs_say(&call->out, "%-14s  %-16s  now\n", "file", "recorded");
    uint32_t differing = say_files(&call->out, &r->manifest, &now), members_differing = 0;
    hs_say(&call->out, "%-14s  %-16s  ", MANIFEST, "-");
    for (size_t i = 0; i < HS_COUNT_OF(members); i++)
        if (!hs_json_equal(hs_json_get(root_of(r), members[i]),
                           hs_json_get(hs_json_root(now.doc), members[i])))
            hs_say(&call->out, "%s %s", members_differing++ == 0 ? "differs:" : ",", members[i]);
    hs_say(&call->out, members_differing == 0 ? "same\n" : "\n");
    differing += members_differing > 0;
    hs_runmanifest_close(&now);
    if (options->output != NULL)
        hs_say(&call->out, "files           %s/\n", dir);
    if (differing == 0)
        return HS_OK;
    return hs_fail(&call->diag, HS_E_DIFFERS, HS_AT({.file = r->path}),
                   options->output == NULL
                       ? "-o DIR keeps the new files"
                       : HS_PATH("horus compare %s %s: job by job", call->operands[0], dir),
                   "not the same run: %" PRIu32 " of %" PRIu32 " files differ", differing,
                   r->manifest.file_count + 1);
}

static enum hs_status repeat(struct rerun *r, struct hs_call *call)
{
    const char *output = ((const struct hs_run_options *)call->options)->output;
    const char *version = text_or(r, "version"), *commit = text_or(r, "commit");
    const char *here = hs_version_commit();
    const struct hs_run_call run_call = {.by = call, .shows_progress = call->terminal.err_is_tty};
    uint32_t faults = 0;
    if (strcmp(version, HS_VERSION) != 0 || strcmp(commit, here) != 0)
        hs_report(&call->diag, HS_NOTE, NULL, "differences of files may come from that",
                  "the run is of horus %s (%s), this is %s (%s)", version, commit, HS_VERSION,
                  here);
    for (uint32_t i = 0; i < r->manifest.input_count; i++)
        if (strcmp(r->manifest.inputs[i].role, "config") != 0) /* its values are in the manifest */
            HS_TRY(check_input(r, &r->manifest.inputs[i], &faults, &call->diag));
    if (faults > 0)
        return HS_E_INPUT;
    /* beside the run, where there is space for such a directory */
    const char *slash = strrchr(r->path, '/'), *name = slash != NULL ? slash + 1 : r->path;
    const char *scratch = HS_PATH("%.*s%srerun-%ld", (int)(name - r->path), r->path,
                                  strcmp(name, MANIFEST) == 0 ? "../" : "", (long)getpid());
    const char *dir = output != NULL ? output : scratch;
    r->options.force = output == NULL;  /* replaces a leftover scratch directory */
    struct hs_diag errors = call->diag; /* notes and warnings were shown for the recorded run */
    errors.least = HS_ERROR;
    enum hs_status status = hs_simulate_options(&r->options, &r->config, &run_call, dir, &errors);
    call->diag.errors = errors.errors;
    if (status == HS_E_USAGE) {
        hs_report(&call->diag, HS_NOTE, HS_AT({.file = r->path}), NULL,
                  "the refused value is in the configuration of the run");
        status = HS_E_INPUT;
    }
    HS_TRY(status);
    status = hold(r, dir, call);
    enum hs_status removed = output == NULL ? hs_rundir_remove(dir, &call->diag) : HS_OK;
    return status != HS_OK ? status : removed;
}

static enum hs_status rerun(struct hs_call *call)
{
    struct hs_run_options *options = call->options;
    struct rerun r;
    HS_TRY(hs_run_check_looks(call));
    const char *run = call->operands[0];
    if (options->trace == NULL && is_directory(run))
        run = hs_enter_folder_of(call, run, &options->output);
    enum hs_status status = open_manifest(&r, run, options->trace, call);
    if (status == HS_OK)
        status = repeat(&r, call);
    hs_runmanifest_close(&r.manifest);
    return status;
}

#define OWNER struct hs_run_options
static const struct hs_option options_table[] = {
    TEXT("trace", trace, "Rerun", NULL, "FILE",
         "path of the trace if it has moved; its content must be the recorded one", SHORT),
    TEXT("output", output, "Rerun", NULL, "DIR",
         "directory in which to keep the new run; absent: it is removed after the comparison",
         LETTER('o'), SHORT),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_rerun = {
    .name = "rerun",
    .operands = "RUN",
    .summary = "Repeat a finished run and compare the hashes of its files.",
    .details = "RUN is a run directory or its manifest.json, which has the configuration with all "
               "defaults, the parameters of the policy, and the hashes of inputs and outputs. "
               "Cluster, machine events and reservations are read from the copies in the "
               "directory; other files from the paths given then, and only the trace may have "
               "moved (--trace). The exit code is 0 if all files are identical byte for byte, 1 if "
               "one differs, and 3 if an input is missing or has changed.",
    .examples = {"rerun results/sample-fifo-0123456789ab",
                 "rerun from-a-colleague/manifest.json --trace ~/traces/sample.csv",
                 "rerun results/mine -o results/mine-again"},
    .options = options_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = rerun,
};
