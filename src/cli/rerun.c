/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of the manifest stand in the place of the defaults of this program, the parameters of
 * the policy among them: a run is the same although a default has changed since.
 */
#include "cli/rerun.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record.h"
#include "cli/simulate.h"
#include "data/policyspec.h"
#include "horus/version.h"

#define MANIFEST "manifest.json"

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static enum hs_status no_memory(struct hs_diag *diag)
{
    return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
}

/* A comparison or sweep has its runs in a folder: names one of them. */
static enum hs_status refuse_many(const char *dir, struct hs_diag *diag)
{
    char runs[HS_PATH_SIZE + 8], first[256] = "", hint[HS_PATH_SIZE + 512];
    uint32_t count = 0;
    (void)snprintf(runs, sizeof runs, "%s/" HS_RUNS_DIR, dir);
    DIR *entries = opendir(runs);
    if (entries == NULL)
        return HS_OK;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        if (count++ == 0 || strcmp(entry->d_name, first) < 0)
            (void)snprintf(first, sizeof first, "%s", entry->d_name);
    }
    closedir(entries);
    (void)snprintf(hint, sizeof hint, "for example: horus rerun %s/%s", runs, first);
    return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = dir}, count > 0 ? hint : NULL,
                   "several runs, each of which is repeated by itself: %" PRIu32 " in %s", count,
                   runs);
}

static enum hs_status find_manifest(struct hs_rerun *r, const char *operand, struct hs_diag *diag)
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
        if (len <= tail || strcmp(operand + len - tail, "/" MANIFEST) != 0)
            return hs_runmanifest_load(&r->manifest, r->path, diag);
    }
    char dir[HS_PATH_SIZE];
    (void)snprintf(dir, sizeof dir, "%.*s", (int)(strlen(r->path) - tail), r->path);
    HS_TRY(refuse_many(dir, diag));
    return hs_runmanifest_open(&r->manifest, dir, diag);
}

static const struct hs_json *root_of(const struct hs_rerun *r)
{
    return hs_json_root(r->manifest.doc);
}

/* -p as it would set every parameter that the policy had. */
static enum hs_status take_policy(struct hs_rerun *r, struct hs_call *call)
{
    const char *spec = r->options.policy;
    const struct hs_json *p = hs_json_first(hs_json_get(root_of(r), "policy_parameters"));
    for (; p != NULL; p = hs_json_next(p)) {
        if (hs_json_text(p) == NULL) {
            struct hs_place place = hs_json_place(r->manifest.doc, p);
            return hs_fail(&call->diag, HS_E_INPUT, &place, NULL, "a parameter is not a text");
        }
        spec = hs_policyspec_set(&call->arena, spec, hs_json_key(p), hs_json_text(p), false);
        if (spec == NULL)
            return no_memory(&call->diag);
    }
    r->options.policy = spec;
    return HS_OK;
}

/* A trace of another name is the same workload, whose name is in the results. */
static enum hs_status take_trace(struct hs_rerun *r, const char *trace, struct hs_call *call)
{
    const char *name = hs_json_text(hs_json_get(hs_json_get(root_of(r), "card"), "workload"));
    if (trace == NULL)
        return HS_OK;
    if (strcmp(trace, "-") == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "put it into a file",
                       "the trace is checked before it is replayed: standard input cannot be");
    HS_TRY(hs_config_set(&r->config, "trace", trace, HS_FROM_FLAG, &call->diag));
    if (r->options.name == NULL && name != NULL)
        HS_TRY(hs_config_set(&r->config, "name", name, HS_FROM_FLAG, &call->diag));
    return HS_OK;
}

enum hs_status hs_rerun_open(struct hs_rerun *r, const char *operand, const char *trace,
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
    if (!r->manifest.has_trace_hash || hs_json_count(inputs) != r->manifest.input_count)
        return hs_fail(diag, HS_E_INPUT, &place, NULL,
                       "not every input has a role, a path, a hash and a size, or there is no "
                       "trace among them");
    if (hs_json_count(hs_json_get(root_of(r), "outputs")) != r->manifest.file_count)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "not every output has a name and a hash");
    if (hs_config_init(&r->config, hs_run_option_table, &r->options, &call->arena) != HS_OK)
        return no_memory(diag);
    r->config.file = r->path;
    HS_TRY(hs_config_load_object(&r->config, r->manifest.doc, r->manifest.config, diag));
    memset(r->config.origin, 0, sizeof r->config.origin); /* HS_FROM_DEFAULT: nobody gave them */
    if (hs_config_check(&r->config, call->verb->name, diag) != HS_OK)
        return HS_E_INPUT;
    HS_TRY(take_policy(r, call));
    return take_trace(r, trace, call);
}

/* ---- inputs ---- */

static const char *hint_for(const struct hs_rerun *r, const struct hs_runmanifest_input *input,
                            char *text, size_t size)
{
    const struct hs_json *root = root_of(r);
    const char *version = hs_json_text(hs_json_get(root, "version"));
    const char *commit = hs_json_text(hs_json_get(root, "commit"));
    (void)snprintf(text, size, "paths are as they were given: go to the folder where they hold");
    if (strcmp(input->role, "trace") == 0)
        (void)snprintf(text, size, "--trace FILE says where it lies now");
    if (strncmp(input->path, "builtin:", 8) == 0)
        (void)snprintf(text, size, "it is part of the program: that of horus %s (%s) has it",
                       version != NULL ? version : "?", commit != NULL ? commit : "?");
    return text;
}

static bool is_there(const char *path)
{
    return strncmp(path, "builtin:", 8) == 0 ||
           strncmp(path, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) == 0 ||
           (strcmp(path, "-") != 0 && access(path, R_OK) == 0 && !is_directory(path));
}

static enum hs_status check_input(const struct hs_rerun *r,
                                  const struct hs_runmanifest_input *input, uint32_t *faults,
                                  struct hs_diag *diag)
{
    char hint[256];
    uint64_t hash, bytes;
    bool is_trace = strcmp(input->role, "trace") == 0;
    const char *path = is_trace ? r->options.trace : input->path;
    const struct hs_place place = {.file = path};
    if (!is_there(path)) {
        (*faults)++;
        hs_report(diag, HS_ERROR, &place, hint_for(r, input, hint, sizeof hint),
                  "input '%s' of the run is not there: recorded %016" PRIx64 ", %" PRIu64 " bytes",
                  input->role, input->hash, input->bytes);
        return HS_OK;
    }
    HS_TRY(hs_hash_file(path, &hash, &bytes, diag));
    if (hash == input->hash && bytes == input->bytes)
        return HS_OK;
    (*faults)++;
    hs_report(diag, HS_ERROR, &place, hint_for(r, input, hint, sizeof hint),
              "input '%s' is not that of the run: recorded %016" PRIx64 ", %" PRIu64
              " bytes; found %016" PRIx64 ", %" PRIu64 " bytes",
              input->role, input->hash, input->bytes, hash, bytes);
    return HS_OK;
}

/* What stood in a file of --config is in the manifest. */
enum hs_status hs_rerun_check_inputs(const struct hs_rerun *r, struct hs_diag *diag)
{
    uint32_t faults = 0;
    for (uint32_t i = 0; i < r->manifest.input_count; i++)
        if (strcmp(r->manifest.inputs[i].role, "config") != 0)
            HS_TRY(check_input(r, &r->manifest.inputs[i], &faults, diag));
    return faults > 0 ? HS_E_INPUT : HS_OK;
}

/* ---- the run ---- */

static enum hs_status simulate(const struct hs_rerun *r, const char *dir, struct hs_call *call,
                               struct hs_diag *diag)
{
    const struct hs_run_call run_call = {.terminal = &call->terminal,
                                         .shows_progress = call->terminal.err_is_tty,
                                         .command = call->command};
    struct hs_setup setup;
    struct hs_run_result *result = hs_arena_alloc(&call->arena, sizeof *result);
    if (result == NULL)
        return no_memory(diag);
    enum hs_status status = hs_setup_open(&setup, &r->options, &r->config, diag);
    if (status == HS_OK)
        status = hs_simulate(&setup, &run_call, dir, result, diag);
    hs_setup_close(&setup);
    return status;
}

enum hs_status hs_rerun_simulate(const struct hs_rerun *r, const char *dir, struct hs_call *call)
{
    struct hs_diag errors = call->diag;
    errors.least = HS_ERROR;
    enum hs_status status = simulate(r, dir, call, &errors);
    call->diag.errors = errors.errors;
    if (status != HS_E_USAGE)
        return status;
    hs_report(&call->diag, HS_NOTE, &(struct hs_place){.file = r->path}, NULL,
              "what is refused stands in the configuration of the run");
    return HS_E_INPUT;
}

void hs_rerun_close(struct hs_rerun *r)
{
    hs_runmanifest_close(&r->manifest);
}
