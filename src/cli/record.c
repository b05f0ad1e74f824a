/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers what the manifest states from where it is known. Nothing is computed here.
 */
#include "cli/record.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/io.h"
#include "base/rng.h"
#include "data/param.h"
#include "report/page.h"

enum hs_status hs_hash_file(const char *path, uint64_t *hash, uint64_t *bytes, struct hs_diag *diag)
{
    struct hs_input *input;
    const char *data;
    size_t len;
    enum hs_status status;
    HS_TRY(hs_input_open(&input, path, diag));
    while ((status = hs_input_read(input, &data, &len)) == HS_OK)
        ;
    *hash = hs_input_hash(input);
    *bytes = hs_input_bytes(input);
    hs_input_close(input);
    return status == HS_END ? HS_OK : status;
}

/* A repeated option's values are lines: a list when there are several. */
static void write_text(const struct hs_option *option, const char *text, struct hs_jsonw *w)
{
    char line[4096];
    if (!option->is_repeated || strchr(text, '\n') == NULL) {
        hs_jsonw_text(w, text);
        return;
    }
    hs_jsonw_array(w);
    for (size_t len;; text += len + 1) {
        len = strcspn(text, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)len, text);
        hs_jsonw_text(w, line);
        if (text[len] == '\0')
            break;
    }
    hs_jsonw_end_array(w);
}

void hs_record_config(void *ctx, struct hs_jsonw *w)
{
    const struct hs_config *config = ctx;
    const void *base = config->base;
    char text[4096];
    hs_jsonw_object(w);
    for (const struct hs_option *o = config->options; o->param.key != NULL; o++) {
        const void *value = (const char *)base + o->param.offset;
        if (o->is_local)
            continue;
        if (o->param.type == HS_PARAM_TEXT && *(const char *const *)value == NULL)
            continue;
        hs_jsonw_key(w, o->param.key);
        switch (o->param.type) {
        case HS_PARAM_FLAG:
            hs_jsonw_bool(w, *(const bool *)value);
            break;
        case HS_PARAM_INT:
            hs_jsonw_i64(w, *(const int64_t *)value);
            break;
        case HS_PARAM_REAL:
            hs_jsonw_double(w, *(const double *)value);
            break;
        case HS_PARAM_TEXT:
            write_text(o, *(const char *const *)value, w);
            break;
        case HS_PARAM_FILE:
        case HS_PARAM_DURATION:
        case HS_PARAM_SIZE_MIB:
        case HS_PARAM_CHOICE:
        case HS_PARAM_DURATIONS:
            (void)hs_param_print(&o->param, base, text, sizeof text);
            hs_jsonw_text(w, text);
            break;
        }
    }
    hs_jsonw_end_object(w);
}

void hs_record_parameters(const struct hs_setup *setup, struct hs_jsonw *w)
{
    char text[4096];
    hs_jsonw_key(w, "policy_parameters");
    hs_jsonw_object(w);
    for (const struct hs_param *p = setup->policy->params; p != NULL && p->key != NULL; p++) {
        (void)hs_param_print(p, setup->policy_state, text, sizeof text);
        hs_jsonw_member_text(w, p->key, text);
    }
    hs_jsonw_end_object(w);
}

static void write_parameters(void *ctx, struct hs_jsonw *w)
{
    const struct hs_setup *const *setup = ctx;
    hs_record_parameters(*setup, w);
}

static bool is_listed(const struct hs_manifest_input *inputs, uint32_t count, const char *role,
                      const char *path)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(inputs[i].role, role) == 0 && strcmp(inputs[i].path, path) == 0)
            return true;
    return false;
}

static enum hs_status add_input(struct hs_manifest_input *inputs, uint32_t *count, const char *role,
                                const char *path, struct hs_diag *diag)
{
    struct hs_manifest_input *input = &inputs[*count];
    if (path == NULL || is_listed(inputs, *count, role, path))
        return HS_OK;
    *input = (struct hs_manifest_input){.role = role, .path = path};
    HS_TRY(hs_hash_file(path, &input->hash, &input->bytes, diag));
    (*count)++;
    return HS_OK;
}

/* A cluster may be a shape and a map a list: these are in the configuration, not files. */
static const char *if_file(const char *spec)
{
    size_t len = spec != NULL ? strlen(spec) : 0;
    return len > 5 && strcmp(spec + len - 5, ".json") == 0 ? spec : NULL;
}

enum hs_status hs_record_inputs(const struct hs_setup *setup, struct hs_manifest_input *inputs,
                                uint32_t *count, struct hs_diag *diag)
{
    const struct hs_run_options *options = setup->options;
    HS_TRY(add_input(inputs, count, "cluster", if_file(options->cluster), diag));
    HS_TRY(add_input(inputs, count, "workload", setup->workload_file, diag));
    HS_TRY(add_input(inputs, count, "vcs", options->vc_file, diag));
    HS_TRY(add_input(inputs, count, "map", if_file(options->map), diag));
    HS_TRY(add_input(inputs, count, "gavel_throughputs", options->gavel_throughputs, diag));
    HS_TRY(add_input(inputs, count, "config", options->config_file, diag));
    HS_TRY(add_input(inputs, count, "profiles", options->profiles, diag));
    if (setup->models.restart != NULL)
        HS_TRY(add_input(inputs, count, "restarts", options->restart_table, diag));
    if (setup->models.memcurve != NULL)
        HS_TRY(add_input(inputs, count, "memory_limits", options->memory_limits, diag));
    for (int kind = 0; kind < HS_MODEL_COUNT; kind++)
        if (hs_models_use(&setup->models, (enum hs_model_kind)kind))
            HS_TRY(add_input(inputs, count, hs_model_kinds[kind], setup->models.files.path[kind],
                             diag));
    for (uint32_t i = 0; i < setup->file_count; i++)
        if (!is_listed(inputs, *count, setup->files[i].role, setup->files[i].path))
            inputs[(*count)++] = setup->files[i];
    return HS_OK;
}

/* The page is made of the directory as it is, manifest and all; then it is listed there itself. */
static enum hs_status write_page(const struct hs_rundir *dir, struct hs_output_file *file,
                                 struct hs_diag *diag)
{
    const char *const paths[] = {dir->tmp_path};
    char path[HS_PATH_SIZE];
    struct hs_page page;
    struct hs_output out;
    hs_rundir_file(dir, HS_PAGE_FILE, path, sizeof path);
    enum hs_status status = hs_page_open(&page, paths, 1, diag);
    if (status == HS_OK)
        status = hs_output_open(&out, path, diag);
    if (status == HS_OK) {
        status = hs_page_write(&page, &out);
        *file = (struct hs_output_file){
            .name = HS_PAGE_FILE, .hash = hs_output_hash(&out), .bytes = hs_output_bytes(&out)};
        const enum hs_status closed = hs_output_close(&out, diag);
        status = status != HS_OK ? status : closed;
    }
    hs_page_close(&page);
    return status;
}

static const char *const check_names[] = {"off", "fast", "full"};

enum hs_status hs_record_write(const struct hs_setup *setup, const struct hs_run_call *call,
                               const struct hs_run_result *result, struct hs_runlog *log,
                               const struct hs_rundir *dir)
{
    struct hs_manifest_input inputs[HS_INPUTS_MAX];
    struct hs_output_file files[HS_RUN_FILES_MAX + HS_SUMMARY_FILES + 1];
    const struct hs_engine_figures *figures = &result->figures;
    const struct hs_manifest_count engine[] = {{"events", figures->events},
                                               {"instants", figures->instants},
                                               {"decisions", figures->decisions},
                                               {"jobs", figures->jobs},
                                               {"finished", figures->finished},
                                               {"failed", figures->failed},
                                               {"rejected", figures->rejected},
                                               {"unfinished", figures->unfinished},
                                               {"peak_live_jobs", figures->peak_live_jobs},
                                               {"shares_divided", figures->shares_divided},
                                               {"shares_rounded", figures->shares_rounded}};
    const struct hs_assign_counts *assigned = &result->intake.assigned;
    const struct hs_manifest_count profiles[] = {{"by_columns", assigned->by_columns},
                                                 {"by_columns_inexact", assigned->inexact},
                                                 {"by_telemetry", assigned->by_telemetry},
                                                 {"by_mix", assigned->by_mix},
                                                 {"none", assigned->none}};
    const struct hs_manifest_count checks = {check_names[setup->options->check], figures->checks};
    struct hs_manifest manifest = {.status = "complete",
                                   .card = &setup->card,
                                   .seed = (uint64_t)setup->options->seed,
                                   .inputs = inputs,
                                   .outputs = files,
                                   .engine = engine,
                                   .engine_count = sizeof engine / sizeof *engine,
                                   .assigned = profiles,
                                   .assigned_count = sizeof profiles / sizeof *profiles,
                                   .checks = &checks,
                                   .check_count = 1,
                                   .write_config = hs_record_config,
                                   .write_more = write_parameters,
                                   .more_ctx = &setup};
    struct utsname machine;

    inputs[0] = result->trace_input;
    manifest.input_count = 1;
    HS_TRY(hs_record_inputs(setup, inputs, &manifest.input_count, &log->diag));
    memcpy(files, result->files, result->file_count * sizeof *files);
    HS_TRY(hs_summary_write(&result->summary, &setup->card, dir, files + result->file_count,
                            &log->diag));
    manifest.output_count = result->file_count + HS_SUMMARY_FILES;
    manifest.libraries = hs_libraries(&manifest.libraries_count);
    manifest.warnings = log->warnings;
    manifest.warning_count = log->count;
    struct hs_config config = *setup->config;
    manifest.config_ctx = &config;
    manifest.machine =
        (struct hs_manifest_volatile){.command = call->command,
                                      .host = uname(&machine) == 0 ? machine.nodename : NULL,
                                      .wall_s = result->wall_s,
                                      .cpu_s = result->cpu_s,
                                      .peak_rss_kib = result->peak_rss_kib};
    HS_TRY(hs_manifest_write(&manifest, dir, &log->diag));
    if (!setup->options->report)
        return HS_OK;
    HS_TRY(write_page(dir, &files[manifest.output_count++], &log->diag));
    return hs_manifest_write(&manifest, dir, &log->diag);
}
