/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The default name of a run directory. Equal configuration, inputs and version give an equal name,
 * so that repeating a run is noticed; where the files lie has no say, nor whether a parameter was
 * given or stood by default.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "cli/record.h"
#include "data/param.h"
#include "horus/version.h"

/* Files count by their content, the policy by all its parameters. */
static bool counts_otherwise(const char *key)
{
    return strcmp(key, "policy") == 0 || strcmp(key, "trace") == 0 || strcmp(key, "vc_file") == 0 ||
           strcmp(key, "gavel_throughputs") == 0 || strcmp(key, "profiles") == 0 ||
           strcmp(key, "models") == 0 || strcmp(key, "restart_table") == 0 ||
           strcmp(key, "memory_limits") == 0;
}

static uint64_t hash_of_param(uint64_t hash, const struct hs_param *param, const void *base)
{
    char value[4096];
    (void)hs_param_print(param, base, value, sizeof value);
    return hs_seed_of(hs_seed_of(hash, param->key), value);
}

static uint64_t hash_of_config(uint64_t hash, const struct hs_setup *setup)
{
    for (const struct hs_option *o = setup->config->options; o->param.key != NULL; o++)
        if (!o->is_local && !counts_otherwise(o->param.key))
            hash = hash_of_param(hash, &o->param, setup->options);
    hash = hs_seed_of(hash, setup->policy->name);
    for (const struct hs_param *p = setup->policy->params; p != NULL && p->key != NULL; p++)
        if (p->type != HS_PARAM_FILE)
            hash = hash_of_param(hash, p, setup->policy_state);
    for (uint32_t i = 0; i < setup->file_count; i++)
        hash = hs_mix64(hs_seed_of(hash, setup->files[i].role), setup->files[i].hash);
    return hash;
}

enum hs_status hs_setup_hash(const struct hs_setup *setup, uint64_t *out, struct hs_diag *diag)
{
    uint64_t hash = hs_seed_of(0, HS_VERSION), content, bytes;
    hash = hash_of_config(hs_seed_of(hash, hs_version_commit()), setup);
    hash = hs_mix64(hash, setup->cluster.input_hash);
    hash = hs_mix64(hash, setup->models.catalogue.input_hash);
    if (setup->models.restart != NULL) {
        HS_TRY(hs_hash_file(setup->options->restart_table, &content, &bytes, diag));
        hash = hs_mix64(hash, content);
    }
    if (setup->workload_file != NULL) {
        HS_TRY(hs_hash_file(setup->workload_file, &content, &bytes, diag));
        hash = hs_mix64(hash, content);
    }
    if (setup->models.memcurve != NULL) {
        HS_TRY(hs_hash_file(setup->options->memory_limits, &content, &bytes, diag));
        hash = hs_mix64(hash, content);
    }
    for (int kind = 0; kind < HS_MODEL_COUNT; kind++) {
        if (!hs_models_use(&setup->models, (enum hs_model_kind)kind))
            continue;
        HS_TRY(hs_hash_file(setup->models.files.path[kind], &content, &bytes, diag));
        hash = hs_mix64(hash, content);
    }
    *out = hash;
    return HS_OK;
}

enum hs_status hs_workload_hash(const struct hs_run_options *options, uint64_t *hash,
                                struct hs_diag *diag)
{
    uint64_t content, bytes;
    *hash = 0;
    if (strcmp(options->trace, "-") != 0) {
        HS_TRY(hs_hash_file(options->trace, &content, &bytes, diag));
        *hash = hs_mix64(*hash, content);
    }
    const char *const files[] = {options->vc_file, options->gavel_throughputs};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i] == NULL)
            continue;
        HS_TRY(hs_hash_file(files[i], &content, &bytes, diag));
        *hash = hs_mix64(*hash, content);
    }
    return HS_OK;
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
