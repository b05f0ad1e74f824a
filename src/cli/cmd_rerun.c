/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus rerun RUN`: is this what comes out? The run of a manifest again, and the hash of every
 * file beside the one recorded.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/rerun.h"
#include "horus/version.h"
#include "report/page.h"

struct rerun_options {
    const char *trace, *output;
};

/* What of the manifest is a function of inputs and configuration; inputs and outputs are compared
 * one by one. */
static const char *const members[] = {"card",   "seed",     "policy_parameters",
                                      "engine", "assigned", "checks"};

static const char *text_or(const struct hs_json *root, const char *key)
{
    const char *text = hs_json_text(hs_json_get(root, key));
    return text != NULL ? text : "?";
}

/* Another program may do otherwise, and be right. */
static void note_version(const struct hs_rerun *r, struct hs_diag *diag)
{
    const struct hs_json *root = hs_json_root(r->manifest.doc);
    const char *version = text_or(root, "version"), *commit = text_or(root, "commit");
    const char *here = hs_version_commit();
    if (strcmp(version, HS_VERSION) != 0 || strcmp(commit, here) != 0)
        hs_report(diag, HS_NOTE, NULL, "where files differ, that may be why",
                  "the run is of horus %s (%s), this is %s (%s)", version, commit, HS_VERSION,
                  here);
}

/* Beside the run, on the disk that has room for such a directory; gone when it was compared. */
static void scratch_path(const struct hs_rerun *r, char path[HS_PATH_SIZE])
{
    const char *slash = strrchr(r->path, '/'), *name = slash != NULL ? slash + 1 : r->path;
    bool is_inside = strcmp(name, "manifest.json") == 0;
    int folder = slash != NULL ? (int)(slash - r->path) + 1 : 0;
    (void)snprintf(path, HS_PATH_SIZE, "%.*s%srerun-%ld", folder, r->path, is_inside ? "../" : "",
                   (long)getpid());
}

/* A line a file; how many are not as recorded. */
static uint32_t say_files(struct hs_output *out, const struct hs_runmanifest *was,
                          const struct hs_runmanifest *is)
{
    uint32_t differing = 0;
    for (uint32_t i = 0; i < was->file_count; i++) {
        const struct hs_runmanifest_file *old = &was->files[i];
        const struct hs_runmanifest_file *now = hs_runmanifest_file(is, old->name);
        if (strcmp(old->name, HS_PAGE_FILE) == 0) {
            hs_say(out, "%-14s  %016" PRIx64 "  made of the others: not compared\n", old->name,
                   old->hash);
            continue;
        }
        bool is_same = now != NULL && now->hash == old->hash;
        differing += !is_same;
        hs_say(out, "%-14s  %016" PRIx64 "  ", old->name, old->hash);
        if (is_same)
            hs_say(out, "same\n");
        else if (now == NULL)
            hs_say(out, "differs: there is none now\n");
        else
            hs_say(out, "differs: %016" PRIx64 "\n", now->hash);
    }
    for (uint32_t i = 0; i < is->file_count; i++)
        if (hs_runmanifest_file(was, is->files[i].name) == NULL)
            hs_say(out, "%-14s  %-16s  not in the run: not compared\n", is->files[i].name, "-");
    return differing;
}

static uint32_t say_members(struct hs_output *out, const struct hs_runmanifest *was,
                            const struct hs_runmanifest *is)
{
    uint32_t differing = 0;
    hs_say(out, "%-14s  %-16s  ", "manifest.json", "-");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!hs_json_equal(hs_json_get(hs_json_root(was->doc), members[i]),
                           hs_json_get(hs_json_root(is->doc), members[i])))
            hs_say(out, "%s %s", differing++ == 0 ? "differs:" : ",", members[i]);
    hs_say(out, differing == 0 ? "same\n" : "\n");
    return differing > 0;
}

static enum hs_status hold(const struct hs_rerun *r, const char *dir, struct hs_call *call)
{
    const struct rerun_options *options = call->options;
    char hint[2 * HS_PATH_SIZE];
    struct hs_runmanifest now;
    enum hs_status status = hs_runmanifest_open(&now, dir, &call->diag);
    if (status != HS_OK) {
        hs_runmanifest_close(&now);
        return status;
    }
    hs_say(&call->out, "%-14s  %-16s  now\n", "file", "recorded");
    uint32_t differing = say_files(&call->out, &r->manifest, &now);
    differing += say_members(&call->out, &r->manifest, &now);
    hs_runmanifest_close(&now);
    if (options->output != NULL)
        hs_say(&call->out, "files           %s/\n", dir);
    if (differing == 0)
        return HS_OK;
    (void)snprintf(hint, sizeof hint, "-o DIR keeps what came out now");
    if (options->output != NULL)
        (void)snprintf(hint, sizeof hint, "horus compare %s %s: job by job", call->operands[0],
                       dir);
    return hs_fail(&call->diag, HS_E_DIFFERS, &(struct hs_place){.file = r->path}, hint,
                   "not the same run: %" PRIu32 " of %" PRIu32 " files differ", differing,
                   r->manifest.file_count + 1);
}

static enum hs_status repeat(struct hs_rerun *r, struct hs_call *call)
{
    const struct rerun_options *options = call->options;
    char dir[HS_PATH_SIZE];
    note_version(r, &call->diag);
    HS_TRY(hs_rerun_check_inputs(r, &call->diag));
    if (options->output != NULL)
        (void)snprintf(dir, sizeof dir, "%s", options->output);
    else
        scratch_path(r, dir);
    r->options.force = options->output == NULL; /* a scratch directory that was left: ours */
    HS_TRY(hs_rerun_simulate(r, dir, call));
    enum hs_status status = hold(r, dir, call);
    if (options->output != NULL)
        return status;
    enum hs_status removed = hs_rundir_remove(dir, &call->diag);
    return status != HS_OK ? status : removed;
}

static enum hs_status rerun(struct hs_call *call)
{
    const struct rerun_options *options = call->options;
    struct hs_rerun r;
    enum hs_status status = hs_rerun_open(&r, call->operands[0], options->trace, call);
    if (status == HS_OK)
        status = repeat(&r, call);
    hs_rerun_close(&r);
    return status;
}

#define AT(field) offsetof(struct rerun_options, field)

static const struct hs_option options_table[] = {
    {.param = {.key = "trace",
               .type = HS_PARAM_TEXT,
               .offset = AT(trace),
               .unit = "FILE",
               .help = "the trace, where it lies now; its content must be the recorded one"},
     .group = "Rerun",
     .in_short_help = true},
    {.param = {.key = "output",
               .type = HS_PARAM_TEXT,
               .offset = AT(output),
               .unit = "DIR",
               .help = "keep the new run here; absent: it is removed when it has been compared"},
     .letter = 'o',
     .group = "Rerun",
     .in_short_help = true},
    {.param = {.key = NULL}}};

const struct hs_verb hs_verb_rerun = {
    .name = "rerun",
    .operands = "RUN",
    .summary = "Repeat a finished run and compare the hashes of its files.",
    .details = "RUN is a run's directory or its manifest.json, which has all that is needed: the "
               "configuration with every default, the parameters of the policy, and the hashes of "
               "inputs and outputs. Paths are as they were given then; only the trace may lie "
               "elsewhere. Exit code 0 when every file is the same byte for byte, 1 when one "
               "differs, 3 when an input is not there or has changed since.",
    .examples = {"rerun results/sample-fifo-0123456789ab",
                 "rerun from-a-colleague/manifest.json --trace ~/traces/sample.csv",
                 "rerun results/mine -o results/mine-again"},
    .options = options_table,
    .options_size = sizeof(struct rerun_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = rerun,
};
