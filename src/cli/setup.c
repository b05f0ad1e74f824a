/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each part of a run is prepared by one function that reports what it refuses; hs_setup_open()
 * calls them in order. Then the identity of a run: a hash over configuration, inputs and version.
 */
#include "cli/setup.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "base/rng.h"
#include "base/fmt.h"
#include "base/io.h"
#include "cli/run_options.h"
#include "data/param_table.h"
#include "horus/version.h"
#include "traces/trace_stream.h"
#include "workload/workload.h"

void hs_workload_name(const char *path, char *name, size_t size)
{
    static const char *const suffixes[] = {".gz", ".zst", ".csv", ".json", ".jsonl", ".txt"};
    bool is_generated = strncmp(path, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) == 0;
    const char *begin = path + (is_generated ? strlen(HS_INPUT_GENERATED) : 0);
    const char *end = begin + (is_generated ? strcspn(begin, ",") : strlen(begin)), *base = end;
    while (base > begin && base[-1] != '/')
        base--;
    if (strcmp(path, "-") == 0)
        (void)snprintf(name, size, "stdin");
    else
        (void)snprintf(name, size, "%.*s", (int)(end - base), base);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t len = strlen(name), cut = strlen(suffixes[i]);
        if (len > cut && strcmp(name + len - cut, suffixes[i]) == 0)
            name[len - cut] = '\0';
    }
}

static void bits_text(uint32_t bits, const char *const *words, size_t count, char *text,
                      size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if ((bits & (1u << i)) != 0)
            hs_append(text, size, "%s%s", text[0] != '\0' ? ", " : "", words[i]);
    if (text[0] == '\0')
        hs_append(text, size, "nothing");
}

void hs_setup_knows_text(uint32_t knows, char *text, size_t size)
{
    static const char *const words[] = {"duration", "utilization", "memory", "rate",
                                        "estimate", "history",     "model"};
    bits_text(knows, words, sizeof words / sizeof *words, text, size);
}

void hs_setup_can_text(uint32_t can, char *text, size_t size)
{
    static const char *const words[] = {"preempt",    "migrate",      "co-locate",
                                        "slice",      "throttle",     "resize",
                                        "set timers", "borrow quota", "divide GPUs"};
    bits_text(can, words, sizeof words / sizeof *words, text, size);
}

static const char *policy_name_at(size_t index)
{
    const struct hs_policy_ops *policy = hs_policy_at(index);
    return policy != NULL ? policy->name : NULL;
}

enum hs_status hs_setup_find_policy(const char *name, size_t len,
                                    const struct hs_policy_ops **policy, struct hs_diag *diag)
{
    char text[64];
    uint32_t index;
    (void)snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text), name);
    if (strchr(text, ',') != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "one -p each, e.g. -p fifo -p sjf",
                       "'%s' is not one policy", text);
    HS_TRY(hs_word_find_at(policy_name_at, text, "unknown policy", "'horus policies' lists them",
                           &index, diag));
    *policy = hs_policy_at(index);
    return HS_OK;
}

enum hs_status hs_setup_policy(const char *spec, const struct hs_policy_ops **policy, void **state,
                               struct hs_arena *arena, struct hs_diag *diag)
{
    char what[96];
    size_t len = strcspn(spec, ":");
    HS_TRY(hs_setup_find_policy(spec, len, policy, diag));
    *state = hs_arena_alloc(arena, (*policy)->state_size + 1);
    HS_TRY(hs_param_defaults((*policy)->params, *state, arena));
    if (spec[len] == '\0')
        return HS_OK;
    (void)snprintf(what, sizeof what, "policy '%s'", (*policy)->name);
    return hs_param_set_list((*policy)->params, *state, arena, what, spec + len + 1, diag);
}

/* The files that the parameters of the policy name are inputs of the run. */
static enum hs_status open_files(struct hs_setup *setup, struct hs_diag *diag)
{
    for (const struct hs_param *p = setup->policy->params; p != NULL && p->key != NULL; p++) {
        const void *value = (const char *)setup->policy_state + p->offset;
        if (p->type != HS_PARAM_FILE || *(const char *const *)value == NULL)
            continue;
        struct hs_manifest_input *file = &setup->files[setup->file_count++];
        assert(setup->file_count <= HS_POLICY_FILES_MAX);
        size_t size = sizeof "policy:" + strlen(p->key);
        char *role = hs_arena_alloc(&setup->arena, size);
        (void)snprintf(role, size, "policy:%s", p->key);
        *file = (struct hs_manifest_input){.role = role, .path = *(const char *const *)value};
        if (strcmp(file->path, "-") == 0)
            return hs_fail(diag, HS_E_USAGE, NULL, "put it into a file",
                           "policy '%s': '%s' is read several times: standard input cannot be",
                           setup->policy->name, p->key);
        HS_TRY(hs_hash_file(file->path, &file->hash, &file->bytes, diag));
    }
    return HS_OK;
}

enum hs_status hs_setup_cluster(struct hs_cluster *cluster, const struct hs_run_options *options,
                                struct hs_diag *diag)
{
    HS_TRY(hs_cluster_load(cluster, options->cluster, diag));
    if (options->vc == HS_VC_IGNORE) {
        if (options->vc_file != NULL || options->vc_date != NULL)
            return hs_fail(diag, HS_E_USAGE, NULL, "say --vc=partition or --vc=quota",
                           "--vc-file and --vc-date mean nothing with --vc=ignore");
        return HS_OK;
    }
    const char *date = options->vc_date != NULL ? options->vc_date : "";
    return hs_cluster_set_vcs(cluster, (enum hs_vc_mode)options->vc, options->vc_file, date, diag);
}

enum hs_status hs_setup_trace(struct hs_trace_options *trace, const struct hs_run_options *options,
                              struct hs_diag *diag)
{
    static const int64_t units_us[] = {0, HS_US_PER_S,      1000,
                                       1, 60 * HS_US_PER_S, 3600 * HS_US_PER_S};
    *trace = options->read;
    trace->path = options->trace;
    trace->time_unit_us = units_us[options->time_unit];
    trace->keeps_attempts = options->retries == HS_RETRIES_ATTEMPTS;
    trace->sample_seed = (uint64_t)options->seed;
    trace->skip_bad_permille = (uint32_t)(options->skip_bad_rows * 10 + 0.5);
    trace->window = (struct hs_trace_window){.to_us = INT64_MAX};
    if (options->window != NULL)
        HS_TRY(hs_trace_window_parse(options->window, &trace->window, diag));
    return hs_sort_parse(options->sort, &trace->sort_window, diag);
}

/* The workload file of a generated trace is an input of the run. */
static enum hs_status find_workload(struct hs_setup *setup, struct hs_diag *diag)
{
    char path[HS_WHOLEFILE_PATH_MAX];
    const char *trace = setup->options->trace, *name = trace + strlen(HS_INPUT_GENERATED);
    if (strncmp(trace, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) != 0)
        return HS_OK;
    name = hs_arena_text(&setup->arena, name, strcspn(name, ","));
    HS_TRY(hs_workload_path(name, path, sizeof path, diag));
    setup->workload_file = hs_arena_text(&setup->arena, path, strlen(path));
    return HS_OK;
}

static void fill_card(struct hs_setup *setup)
{
    static const char *const vc_texts[] = {"ignored: one pool for all",
                                           "partition: each virtual cluster has nodes of its own",
                                           "quota: shared nodes, a GPU quota each"};
    const struct hs_run_options *options = setup->options;
    struct hs_card *card = &setup->card;
    card->workload = setup->workload;
    card->cluster = options->cluster;
    card->seed = (uint64_t)options->seed;
    card->policy = setup->policy->name;
    card->gang = "all or nothing";
    const char *ties = card->policy_semantics.ties;
    (void)snprintf(card->ties, sizeof card->ties, "%s; equally good nodes: lowest id",
                   ties != NULL ? ties : "submission, then trace row");
    card->speeds = setup->models.speeds_text;
    card->locality = setup->models.locality_text;
    card->vc = vc_texts[options->vc];
    if (options->vc == HS_VC_QUOTA && (setup->can & HS_CAN_BORROW) != 0)
        card->vc = "quota: shared nodes, a GPU quota each, which may be exceeded";
    card->interference = "none: jobs have their GPUs to themselves";
    if (setup->models.is_sharing)
        card->interference = setup->models.interference_text;
    card->profiles = setup->models.profiles_text;
    if (setup->models.is_told)
        card->predictor = setup->models.predictor_text;
    hs_setup_knows_text(setup->knows, card->knows, sizeof card->knows);
    /* dividing GPUs is left out: the result says how many jobs have shares of GPUs */
    hs_setup_can_text(setup->can & ~(uint32_t)HS_CAN_DIVIDE, card->can, sizeof card->can);
}

enum hs_status hs_setup_open(struct hs_setup *setup, const struct hs_run_options *options,
                             const struct hs_config *config, struct hs_diag *diag)
{
    memset(setup, 0, sizeof *setup);
    setup->options = options;
    setup->config = config;
    if (options->trace == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "usage: horus run [options] TRACE",
                       "run: TRACE is missing");
    if (options->tie_jitter > 0 && strcmp(options->trace, "-") == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "put the trace into a file",
                       "--tie-jitter reads the trace several times: standard input cannot be");
    if (options->name != NULL)
        (void)snprintf(setup->workload, sizeof setup->workload, "%s", options->name);
    else
        hs_workload_name(options->trace, setup->workload, sizeof setup->workload);
    HS_TRY(hs_outputs_parse(options->outputs, &setup->outputs, diag));
    if (options->decisions)
        setup->outputs |= HS_OUT_DECISIONS;
    HS_TRY(hs_sample_parse(options->sample, &setup->sample_us, diag));
    HS_TRY(hs_setup_policy(options->policy, &setup->policy, &setup->policy_state, &setup->arena,
                           diag));
    setup->can = setup->policy->can;
    setup->knows = setup->policy->knows;
    if (setup->policy->needs != NULL)
        setup->policy->needs(setup->policy_state, &setup->can, &setup->knows);
    HS_TRY(open_files(setup, diag));
    HS_TRY(hs_setup_trace(&setup->trace, options, diag));
    HS_TRY(hs_setup_cluster(&setup->cluster, options, diag));
    setup->trace.gpus = setup->cluster.gpu_count;
    HS_TRY(find_workload(setup, diag));
    struct hs_semantics *semantics = &setup->card.policy_semantics;
    if (setup->policy->semantics != NULL)
        setup->policy->semantics(setup->policy_state, semantics);
    struct hs_models_need need = {.policy = setup->policy->name,
                                  .can = setup->can,
                                  .knows = setup->knows,
                                  .tenants = (uint32_t)options->max_tenants,
                                  .cost = semantics->cost};
    if (setup->policy->tenants != NULL &&
        setup->policy->tenants(setup->policy_state) < need.tenants)
        need.tenants = setup->policy->tenants(setup->policy_state);
    HS_TRY(hs_models_open(&setup->models, options, config, &setup->cluster, &need, diag));
    fill_card(setup);
    return HS_OK;
}

void hs_setup_close(struct hs_setup *setup)
{
    hs_models_close(&setup->models);
    hs_cluster_free(&setup->cluster);
    hs_arena_free(&setup->arena);
}

/* ---- identity of a run ---- */

static uint64_t mix_param(uint64_t hash, const struct hs_param *param, const void *base)
{
    char value[4096];
    (void)hs_param_print(param, base, value, sizeof value);
    return hs_seed_of(hs_seed_of(hash, param->key), value);
}

/* The content of a file; path NULL: nothing. */
static enum hs_status mix_file(uint64_t *hash, const char *path, struct hs_diag *diag)
{
    uint64_t content, bytes;
    if (path == NULL)
        return HS_OK;
    HS_TRY(hs_hash_file(path, &content, &bytes, diag));
    *hash = hs_mix64(*hash, content);
    return HS_OK;
}

enum hs_status hs_setup_hash(const struct hs_setup *setup, uint64_t *out, struct hs_diag *diag)
{
    /* By the content of their files, or the policy by its parameters. */
    static const char *const by_content[] = {
        "policy",        "trace",         "vc_file",           "profiles", "models",
        "restart_table", "memory_limits", "gavel_throughputs", NULL};
    const struct hs_run_options *options = setup->options;
    uint64_t hash = hs_seed_of(hs_seed_of(0, HS_VERSION), hs_version_commit());
    for (const struct hs_option *o = setup->config->options; o->param.key != NULL; o++)
        if (!o->is_local && !hs_word_is_in(by_content, o->param.key))
            hash = mix_param(hash, &o->param, options);
    hash = hs_seed_of(hash, setup->policy->name);
    for (const struct hs_param *p = setup->policy->params; p != NULL && p->key != NULL; p++)
        if (p->type != HS_PARAM_FILE)
            hash = mix_param(hash, p, setup->policy_state);
    for (uint32_t i = 0; i < setup->file_count; i++)
        hash = hs_mix64(hs_seed_of(hash, setup->files[i].role), setup->files[i].hash);
    hash = hs_mix64(hash, setup->cluster.input_hash);
    hash = hs_mix64(hash, setup->models.catalogue.input_hash);
    HS_TRY(mix_file(&hash, setup->models.restart != NULL ? options->restart_table : NULL, diag));
    HS_TRY(mix_file(&hash, setup->workload_file, diag));
    HS_TRY(mix_file(&hash, setup->models.memcurve != NULL ? options->memory_limits : NULL, diag));
    for (int kind = 0; kind < HS_MODEL_COUNT; kind++)
        if (hs_models_use(&setup->models, (enum hs_model_kind)kind))
            HS_TRY(mix_file(&hash, setup->models.files.path[kind], diag));
    *out = hash;
    return HS_OK;
}

enum hs_status hs_workload_hash(const struct hs_run_options *options, uint64_t *hash,
                                struct hs_diag *diag)
{
    *hash = 0;
    HS_TRY(mix_file(hash, strcmp(options->trace, "-") != 0 ? options->trace : NULL, diag));
    HS_TRY(mix_file(hash, options->vc_file, diag));
    return mix_file(hash, options->read.gavel_throughputs, diag);
}

enum hs_status hs_run_name(const struct hs_setup *setup, uint64_t workload_hash,
                           char name[HS_RUN_NAME_SIZE], struct hs_diag *diag)
{
    uint64_t hash;
    HS_TRY(hs_setup_hash(setup, &hash, diag));
    (void)snprintf(name, HS_RUN_NAME_SIZE, "%s-%s-%012" PRIx64, setup->workload,
                   setup->policy->name, hs_mix64(hash, workload_hash) >> 16);
    return HS_OK;
}

enum hs_status hs_default_dir(const struct hs_setup *setup, char *path, size_t size,
                              struct hs_diag *diag)
{
    uint64_t workload_hash;
    char name[HS_RUN_NAME_SIZE];
    HS_TRY(hs_workload_hash(setup->options, &workload_hash, diag));
    HS_TRY(hs_run_name(setup, workload_hash, name, diag));
    (void)snprintf(path, size, "results/%s", name);
    return HS_OK;
}
