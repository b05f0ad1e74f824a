/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each part of a run is prepared by one function that reports what it refuses; hs_setup_open()
 * calls them in order. Then the identity of a run: a hash of configuration, inputs and version.
 */
#include "cli/simulate.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "data/names.h"
#include "data/param_table.h"
#include "horus/version.h"
#include "workload/workload.h"

void hs_workload_name(const char *path, char *name, size_t size)
{
    static const char *const suffixes[] = {".gz", ".zst", ".csv", ".json", ".jsonl", ".txt"};
    bool is_generated = strncmp(path, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) == 0;
    const char *begin = path + (is_generated ? strlen(HS_INPUT_GENERATED) : 0);
    const char *end = begin + (is_generated ? strcspn(begin, ",") : strlen(begin)), *base = end;
    while (base > begin && base[-1] != '/')
        base--;
    const bool is_stdin = strcmp(path, "-") == 0;
    (void)snprintf(name, size, "%.*s", is_stdin ? 5 : (int)(end - base), is_stdin ? "stdin" : base);
    for (size_t i = 0; i < HS_COUNT_OF(suffixes); i++) {
        size_t len = strlen(name), cut = strlen(suffixes[i]);
        if (len > cut && strcmp(name + len - cut, suffixes[i]) == 0)
            name[len - cut] = '\0';
    }
}

const char *hs_policy_name_at(size_t index)
{
    const struct hs_policy_ops *policy = hs_policy_at(index);
    return policy != NULL ? policy->name : NULL;
}

enum hs_status hs_setup_find_policy(const char *name, size_t len,
                                    const struct hs_policy_ops **policy, struct hs_diag *diag)
{
    char text[HS_WHOLEFILE_PATH_MAX];
    uint32_t index;
    (void)snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text), name);
    if (strchr(text, ',') != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "one -p each, e.g. -p fifo -p sjf",
                       "'%s' is not one policy", text);
    if (strchr(text, '/') != NULL)
        return hs_plugin_load(text, policy, diag);
    HS_TRY(hs_word_find_at(hs_policy_name_at, text, "unknown policy",
                           strpbrk(text, ". ") != NULL
                               ? "a library is ./FILE.so, a program 'exec:COMMAND'"
                               : "'horus policies' lists them",
                           &index, diag));
    *policy = hs_policy_at(index);
    return HS_OK;
}

enum hs_status hs_setup_policy(const char *spec, const struct hs_policy_ops **policy, void **state,
                               struct hs_arena *arena, struct hs_diag *diag)
{
    size_t len = strcspn(spec, ":");
    if (hs_is_command(spec))
        return hs_exec_policy(spec + strlen(HS_EXEC), policy, state, arena, diag);
    HS_TRY(hs_setup_find_policy(spec, len, policy, diag));
    *state = hs_arena_alloc(arena, (*policy)->state_size + 1);
    HS_TRY(hs_param_defaults((*policy)->params, *state, arena));
    if (spec[len] == '\0')
        return HS_OK;
    return hs_param_set_list((*policy)->params, *state, arena,
                             HS_TEXT("policy '%s'", (*policy)->name), spec + len + 1, diag);
}

const char *hs_setup_file(const struct hs_run_options *options, enum hs_kept_role role)
{
    const char *const named[HS_KEPT_ROLES] = {hs_builtin_cluster(options->cluster), options->events,
                                              options->reservations};
    return options->kept[role] != NULL ? options->kept[role] : named[role];
}

/* Files of the policy, and those named by its parameters, are inputs of the run. */
static enum hs_status open_files(struct hs_setup *s, struct hs_diag *diag)
{
    HS_TRY(hs_own_policy_files(s, diag));
    for (const struct hs_param *p = s->policy->params; p != NULL && p->key != NULL; p++) {
        const void *value = (const char *)s->policy_state + p->offset;
        if (p->type != HS_PARAM_FILE || *(const char *const *)value == NULL)
            continue;
        struct hs_manifest_input *file = &s->files[s->file_count++];
        assert(s->file_count <= HS_POLICY_FILES_MAX);
        size_t size = sizeof "policy:" + strlen(p->key);
        char *role = hs_arena_alloc(&s->arena, size);
        (void)snprintf(role, size, "policy:%s", p->key);
        *file = (struct hs_manifest_input){.role = role, .path = *(const char *const *)value};
        if (strcmp(file->path, "-") == 0)
            return hs_fail(diag, HS_E_USAGE, NULL, "put it into a file",
                           "policy '%s': '%s' is read several times: it cannot be standard input",
                           s->policy->name, p->key);
        HS_TRY(hs_hash_file(file->path, &file->hash, &file->bytes, diag));
    }
    return HS_OK;
}

enum hs_status hs_setup_cluster(struct hs_cluster *cluster, const struct hs_run_options *options,
                                struct hs_diag *diag)
{
    HS_TRY(hs_cluster_load(cluster, hs_setup_file(options, HS_KEPT_CLUSTER), diag));
    HS_TRY(hs_cluster_overcommit(cluster, options->overcommit, diag));
    const bool is_ignored = options->vc == HS_VC_IGNORE;
    if (is_ignored && (options->vc_file != NULL || options->vc_date != NULL))
        return hs_fail(diag, HS_E_USAGE, NULL, "say --vc=partition or --vc=quota",
                       "--vc-file and --vc-date have no effect with --vc=ignore");
    const char *date = options->vc_date != NULL ? options->vc_date : "";
    return is_ignored ? HS_OK
                      : hs_cluster_set_vcs(cluster, (enum hs_vc_mode)options->vc, options->vc_file,
                                           date, diag);
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
    trace->seed = (uint64_t)options->seed;
    trace->skip_bad_permille = (uint32_t)(options->skip_bad_rows * 10 + 0.5);
    trace->window = (struct hs_trace_window){.to_us = INT64_MAX};
    if (options->window != NULL)
        HS_TRY(hs_trace_window_parse(options->window, &trace->window, diag));
    return hs_sort_parse(options->sort, &trace->sort_window, diag);
}

bool hs_setup_needs_profiles(const struct hs_policy_ops *policy, const void *state)
{
    uint32_t can = policy->can, knows = policy->knows;
    struct hs_semantics semantics = {0};
    if (policy->needs != NULL)
        policy->needs(state, &can, &knows);
    if (policy->semantics != NULL)
        policy->semantics(state, &semantics);
    const char *cost = semantics.cost != NULL ? semantics.cost : "";
    return (can & (HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_RESIZE)) != 0 ||
           (knows & (HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE | HS_KNOWS_MODEL)) !=
               0 ||
           strstr(cost, "checkpoint") != NULL || strstr(cost, "restart") != NULL;
}

struct hs_assign_options hs_setup_assign(const struct hs_run_options *options,
                                         const struct hs_cluster *cluster)
{
    const bool has_seed = options->assign_seed != 0;
    const int32_t mode = options->assign == HS_ASSIGN_ALWAYS ? HS_ASSIGN_AUTO : options->assign;
    struct hs_assign_options assign = {
        .mode = (enum hs_assign_mode)mode,
        .deadlines = (enum hs_deadlines)options->deadlines,
        .losses = (enum hs_losses)options->losses,
        .seed = (uint64_t)(has_seed ? options->assign_seed : options->seed),
        .target_util = options->assign_target / 100,
        .sticky = options->assign_sticky,
        .load = options->read.load / options->read.scale_time};
    for (uint32_t t = 0; t < cluster->type_count; t++) {
        uint32_t mib = cluster->types[t].mem_mib;
        if (mib > 0 && (assign.mem_limit_mib == 0 || mib < assign.mem_limit_mib))
            assign.mem_limit_mib = mib;
        assign.mem_most_mib = mib > assign.mem_most_mib ? mib : assign.mem_most_mib;
    }
    return assign;
}

enum hs_sharing_mode hs_setup_sharing_mode(const struct hs_setup *s, uint32_t type)
{
    const int32_t given = s->options->sharing_mode;
    return given > 0 ? (enum hs_sharing_mode)(given - 1) : s->cluster.types[type].sharing_mode;
}

bool hs_setup_costs(const struct hs_setup *s, const char *word)
{
    const char *cost = s->card.policy_semantics.cost;
    return cost != NULL && strstr(cost, word) != NULL;
}

/* ---- opening ---- */

/* A given file is read and checked even if no policy uses it. */
static bool is_given(const char *path)
{
    return strncmp(path, HS_BUILTIN, strlen(HS_BUILTIN)) != 0;
}

static enum hs_status open_interference(struct hs_setup *s, struct hs_diag *diag)
{
    struct hs_interference_type types[HS_GPU_TYPES_MAX];
    const char *path = s->models.path[HS_MODEL_INTERFERENCE];
    const struct hs_run_options *options = s->options;
    struct hs_interference_options *how = &s->how;
    *how = options->how;
    HS_TRY(hs_interference_parse(options->interference, how, diag));
    how->seed = (uint64_t)options->seed;
    HS_TRY(hs_capacity_parse(options->sharing_capacity, &how->capacity, diag));
    if ((s->can & HS_CAN_INTERLEAVE) != 0 || (!s->is_sharing && !is_given(path)))
        return HS_OK; /* jobs that interleave have the stages of their iterations instead */
    for (uint32_t t = 0; t < s->cluster.type_count; t++)
        types[t] = (struct hs_interference_type){.gpu = s->cluster.types[t].name,
                                                 .mode = hs_setup_sharing_mode(s, t)};
    return hs_interference_load(&s->interference, path, &s->catalogue, how, types,
                                s->cluster.type_count, diag);
}

/* "auto": from the calibration of joint memory. */
static enum hs_status open_reserve(struct hs_setup *s, struct hs_diag *diag)
{
    int64_t mib;
    const char *path = s->models.path[HS_MODEL_UTILIZATION];
    HS_TRY(hs_reserve_parse(s->options->memory_reserve, &mib, diag));
    if (mib >= 0)
        s->memory_reserve_mib = (uint32_t)mib;
    if (mib >= 0 || (!s->is_sharing && !is_given(path)))
        return HS_OK;
    struct hs_jsoncheck check;
    s->is_reserve_fitted = true;
    if (hs_modelfile_open(&check, path, HS_MODEL_UTILIZATION, diag) == HS_OK) {
        const struct hs_json *memory = hs_json_get(hs_json_root(check.doc), "memory");
        s->memory_reserve_mib =
            (uint32_t)hs_jsoncheck_int(&check, memory, "reserve_p95_mib", 0, UINT32_MAX, 0);
    }
    return hs_jsoncheck_close(&check);
}

/* Draws profiles if something depends on them; fills in unknown values if GPUs are shared. */
static void open_assign(struct hs_setup *s, const struct hs_run_options *options)
{
    s->assign = hs_setup_assign(options, &s->cluster);
    s->assign.speed = s->speed;
    s->needs_no_draw = options->assign == HS_ASSIGN_AUTO && s->cluster.type_count == 1 &&
                       (options->locality != 0 || !hs_speed_has_spread(s->speed, 0)) &&
                       !hs_setup_needs_profiles(s->policy, s->policy_state);
    if (s->needs_no_draw)
        s->assign.mode = HS_ASSIGN_COLUMNS;
    if (s->is_sharing) {
        s->assign.unknown_util = HS_UNKNOWN_FULL + (enum hs_unknown)options->unknown_util;
        if (s->assign.mem_most_mib > 0)
            s->assign.unknown_mem = HS_UNKNOWN_FULL + (enum hs_unknown)options->unknown_memory;
    }
}

/* --checkpoint-interval, with what it depends on, and its text among the assumptions. */
static enum hs_status open_checkpoints(struct hs_setup *s, struct hs_diag *diag)
{
    const struct hs_run_options *options = s->options;
    const bool has_law = options->faults != NULL && options->checkpoint_cost_us > 0;
    HS_TRY(hs_checkpoints_parse(options->checkpoint_interval, &s->checkpoint_us, diag));
    if (s->checkpoint_us == HS_YOUNG_DALY && !has_law)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       options->faults == NULL ? "--checkpoint-interval=1h, or --faults"
                                               : "--checkpoint-cost=1min",
                       "--checkpoint-interval=young-daly needs %s",
                       options->faults == NULL ? "the mean time between failures of --faults"
                                               : "the cost of a checkpoint");
    if (s->checkpoint_us == HS_CHECKPOINTS_AUTO)
        s->checkpoint_us = has_law ? HS_YOUNG_DALY : 0;
    if (s->checkpoint_us == 0 && options->faults == NULL && options->events == NULL)
        return HS_OK;
    s->card.checkpoints = s->checkpoint_us == 0 ? "none" : s->checkpoints_text;
    (void)snprintf(s->checkpoints_text, sizeof s->checkpoints_text, "after each %s of work",
                   s->checkpoint_us == HS_YOUNG_DALY
                       ? "sqrt(2 x cost x mean time between failures of the job's nodes)"
                       : options->checkpoint_interval);
    return HS_OK;
}

/* Events of machines, of a file or by draw; the cluster is open. */
static enum hs_status open_machines(struct hs_setup *s, struct hs_diag *diag)
{
    const struct hs_run_options *options = s->options;
    if (options->faults != NULL && options->events != NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "leave one out", "both --events and --faults");
    HS_TRY(open_checkpoints(s, diag));
    if (options->faults == NULL)
        return hs_machines_load(&s->machines, hs_setup_file(options, HS_KEPT_EVENTS), &s->cluster,
                                &s->arena, diag);
    if (s->checkpoint_us == 0 && options->until_us == 0)
        hs_report(
            diag, HS_WARNING, NULL,
            "--checkpoint-cost=1min or --checkpoint-interval=1h, or --until",
            "jobs without checkpoints start again after each failure: long ones may never end");
    s->machines.law.seed = (uint64_t)options->seed;
    const struct hs_fault_law *law = &s->machines.law;
    HS_TRY(hs_machines_parse_law(&s->machines, options->faults, &s->arena, diag));
    if (law->mtbf_us > 0 && law->mtbf_us < law->repair_us)
        hs_report(diag, HS_WARNING, NULL, "a bare number is seconds",
                  "nodes fail after %g s in the mean, their repair takes %g s: most will be out of "
                  "service",
                  (double)law->mtbf_us / 1e6, (double)law->repair_us / 1e6);
    return HS_OK;
}

/* Reads the reservations, which the policy must know. */
static enum hs_status open_reservations(struct hs_setup *s, struct hs_diag *diag)
{
    const char *path = hs_setup_file(s->options, HS_KEPT_RESERVATIONS);
    if (path == NULL)
        return HS_OK;
    if ((s->can & HS_BARS_RESERVATIONS) != 0)
        return hs_fail(
            diag, HS_E_USAGE, NULL,
            "use a policy that gives each job its own whole GPUs, as many as it requests",
            "--reservations: policy '%s', as it is set, shares GPUs, resizes jobs or "
            "sets nodes aside itself",
            s->policy->name);
    return hs_reservations_load(&s->reservations, path, &s->cluster, diag);
}

/* Models that the policy cannot use are not loaded unless --models names them. */
static enum hs_status open_models(struct hs_setup *s, struct hs_diag *diag)
{
    const struct hs_run_options *options = s->options;
    s->is_sharing = (s->can & (HS_CAN_COLOCATE | HS_CAN_SLICE)) != 0;
    HS_TRY(hs_catalogue_load(&s->catalogue, options->profiles, diag));
    HS_TRY(hs_modelset_init(&s->models, options->models, diag));
    HS_TRY(open_interference(s, diag));
    HS_TRY(hs_speed_load(&s->speed, s->models.path[HS_MODEL_SPEED], &s->catalogue, &s->cluster,
                         options->reference_type, diag));
    struct hs_speed_predictor speeds = {.seed = (uint64_t)options->seed};
    HS_TRY(hs_speed_predictor_parse(options->speed_predictor, &speeds, diag));
    if ((s->knows & HS_KNOWS_SPEEDS) != 0)
        hs_speed_predict_by(s->speed, &s->catalogue, &s->cluster, &speeds);
    if ((s->can & HS_CAN_HOST) != 0 || is_given(s->models.path[HS_MODEL_HOST]))
        HS_TRY(hs_host_load(&s->host, s->models.path[HS_MODEL_HOST], &s->catalogue, diag));
    if ((s->can & HS_CAN_INTERLEAVE) != 0)
        HS_TRY(hs_stages_load(&s->stages, s->models.path[HS_MODEL_STAGES], &speeds, diag));
    open_assign(s, options);
    struct hs_predictor_options prediction = options->prediction;
    prediction.seed = (uint64_t)options->seed;
    if ((s->knows & (HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_PAIRS)) != 0 ||
        is_given(s->models.path[HS_MODEL_PREDICTOR]))
        HS_TRY(hs_predictor_open(&s->predictor, &s->models, &s->catalogue, &prediction, diag));
    HS_TRY(open_reserve(s, diag));
    if ((s->can & HS_CAN_PREEMPT) != 0 || hs_setup_costs(s, "restart") ||
        is_given(options->restart_table))
        HS_TRY(hs_restart_load(&s->restart, options->restart_table, diag));
    if ((s->can & HS_CAN_THROTTLE) != 0 || is_given(options->memory_limits))
        HS_TRY(hs_memcurve_load(&s->memcurve, options->memory_limits, diag));
    hs_setup_say_models(s, diag);
    return HS_OK;
}

bool hs_setup_uses(const struct hs_setup *s, enum hs_model_kind kind)
{
    const enum hs_interference_mode mode = s->how.mode;
    if (kind == HS_MODEL_INTERFERENCE)
        return s->interference != NULL &&
               (mode == HS_INTERFERENCE_MEASURED || mode == HS_INTERFERENCE_FIT);
    if (kind == HS_MODEL_UTILIZATION)
        return s->is_reserve_fitted;
    if (kind == HS_MODEL_HOST || kind == HS_MODEL_STAGES)
        return kind == HS_MODEL_HOST ? s->host != NULL : s->stages != NULL;
    return kind != HS_MODEL_PREDICTOR || s->predictor != NULL;
}

static void fill_card(struct hs_setup *s)
{
    static const char *const vc_texts[] = {"ignored: one pool for all",
                                           "partition: each virtual cluster has nodes of its own",
                                           "quota: shared nodes, a GPU quota each"};
    const struct hs_run_options *options = s->options;
    struct hs_card *card = &s->card;
    card->workload = s->workload;
    card->cluster = options->cluster;
    card->seed = (uint64_t)options->seed;
    card->policy = s->policy->name;
    card->gang = "all or nothing";
    const char *ties = card->policy_semantics.ties;
    (void)snprintf(card->ties, sizeof card->ties, "%s; equally good nodes: lowest id",
                   ties != NULL ? ties : "submission, then trace row");
    card->speeds = s->speeds_text;
    if (options->power) {
        /* --power: states the watts of each type, idle and busy, and which are unknown. */
        uint32_t idle, active;
        for (uint32_t t = 0; t < s->cluster.type_count; t++) {
            const char *name = s->cluster.types[t].name;
            if (hs_gpu_type_watts(name, &idle, &active))
                hs_append(s->power_text, sizeof s->power_text, "%s%s %u W idle, %u W busy",
                          t > 0 ? "; " : "", name, idle, active);
            else
                hs_append(s->power_text, sizeof s->power_text, "%s%s not measured: no energy",
                          t > 0 ? "; " : "", name);
        }
        card->power = s->power_text;
    }
    card->locality = s->locality_text;
    card->vc = vc_texts[options->vc];
    if (options->vc == HS_VC_QUOTA && (s->can & HS_CAN_BORROW) != 0)
        card->vc = "quota: shared nodes, a GPU quota each, which may be exceeded";
    else if (s->cluster.quotas != NULL)
        card->vc = "quota: shared nodes, a GPU quota each, lent within cohorts";
    card->interference = "none: jobs have their GPUs to themselves";
    if (s->is_sharing)
        card->interference = (s->can & HS_CAN_INTERLEAVE) != 0 ? "stages" : s->interference_text;
    card->profiles = s->profiles_text;
    if (s->predictor_text[0] != '\0')
        card->predictor = s->predictor_text;
    hs_bits_text(s->knows, hs_knows_words, card->knows, sizeof card->knows);
    /* omits dividing GPUs: the result states how many jobs have shares; and reservations */
    const uint32_t omitted = HS_CAN_DIVIDE | HS_CAN_RESERVE;
    hs_bits_text(s->can & ~omitted, hs_can_words, card->can, sizeof card->can);
}

enum hs_status hs_setup_open(struct hs_setup *s, const struct hs_run_options *options,
                             const struct hs_config *config, struct hs_diag *diag)
{
    *s = (struct hs_setup){.options = options, .config = config};
    if (options->trace == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "usage: horus run [options] TRACE",
                       "run: TRACE is missing");
    if (options->tie_jitter > 0 && strcmp(options->trace, "-") == 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "put the trace into a file",
                       "--tie-jitter reads the trace several times: it cannot be standard input");
    if (options->name != NULL)
        (void)snprintf(s->workload, sizeof s->workload, "%s", options->name);
    else
        hs_workload_name(options->trace, s->workload, sizeof s->workload);
    HS_TRY(hs_outputs_parse(options->outputs, &s->outputs, diag));
    if (options->decisions)
        s->outputs |= HS_OUT_DECISIONS;
    HS_TRY(hs_sample_parse(options->sample, &s->sample_us, diag));
    HS_TRY(hs_setup_policy(options->policy, &s->policy, &s->policy_state, &s->arena, diag));
    s->can = s->policy->can;
    s->knows = s->policy->knows;
    if (s->policy->needs != NULL)
        s->policy->needs(s->policy_state, &s->can, &s->knows);
    HS_TRY(open_files(s, diag));
    HS_TRY(hs_setup_trace(&s->trace, options, diag));
    HS_TRY(hs_setup_cluster(&s->cluster, options, diag));
    HS_TRY(open_machines(s, diag));
    HS_TRY(open_reservations(s, diag));
    s->trace.gpus = s->cluster.gpu_count;
    if (strncmp(options->trace, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) == 0) {
        char path[HS_WHOLEFILE_PATH_MAX]; /* of the workload, an input of the run */
        const char *name = options->trace + strlen(HS_INPUT_GENERATED);
        name = hs_arena_text(&s->arena, name, strcspn(name, ","));
        HS_TRY(hs_workload_path(name, path, sizeof path, diag));
        s->workload_file = hs_arena_text(&s->arena, path, strlen(path));
    }
    struct hs_semantics *semantics = &s->card.policy_semantics;
    if (s->policy->semantics != NULL)
        s->policy->semantics(s->policy_state, semantics);
    if (semantics->priority != NULL) {
        (void)snprintf(s->order_text, sizeof s->order_text, "%s, then %s", semantics->priority,
                       semantics->order);
        semantics->order = s->order_text;
    }
    s->tenants = (uint32_t)options->max_tenants;
    if (s->policy->tenants != NULL && s->policy->tenants(s->policy_state) < s->tenants)
        s->tenants = s->policy->tenants(s->policy_state);
    HS_TRY(open_models(s, diag));
    fill_card(s);
    return HS_OK;
}

void hs_setup_close(struct hs_setup *s)
{
    hs_host_free(s->host);
    hs_stages_free(s->stages);
    hs_overheads_free(s->memcurve);
    hs_overheads_free(s->restart);
    hs_predictor_close(s->predictor);
    hs_speed_free(s->speed);
    hs_interference_free(s->interference);
    hs_modelset_free(&s->models);
    hs_catalogue_free(&s->catalogue);
    hs_reservations_free(&s->reservations);
    hs_cluster_free(&s->cluster);
    hs_arena_free(&s->arena);
}

/* ---- identity of a run ---- */

static uint64_t mix_param(uint64_t hash, const struct hs_param *param, const void *base)
{
    char value[4096];
    (void)hs_param_print(param, base, value, sizeof value);
    return hs_seed_of(hs_seed_of(hash, param->key), value);
}

/* Hashes the content of a file; path NULL: nothing. */
static enum hs_status mix_file(uint64_t *hash, const char *path, struct hs_diag *diag)
{
    uint64_t content, bytes;
    if (path == NULL)
        return HS_OK;
    HS_TRY(hs_hash_file(path, &content, &bytes, diag));
    *hash = hs_mix64(*hash, content);
    return HS_OK;
}

enum hs_status hs_setup_hash(const struct hs_setup *s, uint64_t *out, struct hs_diag *diag)
{
    /* Compared by the content of their files, the policy by its parameters. */
    static const char *const by_content[] = {
        "policy",        "trace",         "vc_file",           "events",       "profiles", "models",
        "restart_table", "memory_limits", "gavel_throughputs", "reservations", NULL};
    const struct hs_run_options *options = s->options;
    uint64_t hash = hs_seed_of(hs_seed_of(0, HS_VERSION), hs_version_commit());
    for (const struct hs_option *o = s->config->options; o->param.key != NULL; o++)
        if (!o->is_local && !hs_word_is_in(by_content, o->param.key))
            hash = mix_param(hash, &o->param, options);
    hash = hs_seed_of(hash, hs_is_command(options->policy) ? options->policy : s->policy->name);
    for (const struct hs_param *p = s->policy->params; p != NULL && p->key != NULL; p++)
        if (p->type != HS_PARAM_FILE)
            hash = mix_param(hash, p, s->policy_state);
    for (uint32_t i = 0; i < s->file_count; i++)
        hash = hs_mix64(hs_seed_of(hash, s->files[i].role), s->files[i].hash);
    hash = hs_mix64(hash, s->cluster.input_hash);
    hash = hs_mix64(hash, s->catalogue.input_hash);
    HS_TRY(mix_file(&hash, s->restart != NULL ? options->restart_table : NULL, diag));
    HS_TRY(mix_file(&hash, s->workload_file, diag));
    HS_TRY(mix_file(&hash, options->vc_file, diag));
    HS_TRY(mix_file(&hash, options->events, diag));
    HS_TRY(mix_file(&hash, options->reservations, diag));
    HS_TRY(mix_file(&hash, options->read.gavel_throughputs, diag));
    HS_TRY(mix_file(&hash, hs_if_file(options->read.map), diag));
    HS_TRY(mix_file(&hash, s->memcurve != NULL ? options->memory_limits : NULL, diag));
    for (int kind = 0; kind < HS_MODEL_COUNT; kind++)
        if (hs_setup_uses(s, (enum hs_model_kind)kind))
            HS_TRY(mix_file(&hash, s->models.path[kind], diag));
    *out = hash;
    return HS_OK;
}

enum hs_status hs_workload_hash(const struct hs_run_options *options, uint64_t *hash,
                                struct hs_diag *diag)
{
    *hash = 0;
    return mix_file(hash, strcmp(options->trace, "-") != 0 ? options->trace : NULL, diag);
}

enum hs_status hs_run_name(const struct hs_setup *s, uint64_t workload_hash,
                           char name[HS_RUN_NAME_SIZE], struct hs_diag *diag)
{
    uint64_t hash;
    HS_TRY(hs_setup_hash(s, &hash, diag));
    (void)snprintf(name, HS_RUN_NAME_SIZE, "%s-%s-%012" PRIx64, s->workload, s->policy->name,
                   hs_mix64(hash, workload_hash) >> 16);
    return HS_OK;
}

enum hs_status hs_run_identity(const struct hs_setup *s, char name[HS_RUN_NAME_SIZE],
                               struct hs_diag *diag)
{
    uint64_t workload = hs_seed_of(0, s->options->trace);
    if (!hs_trace_is_read_once(s->options->trace))
        HS_TRY(hs_workload_hash(s->options, &workload, diag));
    return hs_run_name(s, workload, name, diag);
}

enum hs_status hs_setup_dir(const struct hs_setup *s, char path[HS_PATH_SIZE], struct hs_diag *diag)
{
    uint64_t workload_hash;
    char name[HS_RUN_NAME_SIZE];
    if (s->options->output != NULL) {
        (void)snprintf(path, HS_PATH_SIZE, "%s", s->options->output);
        return HS_OK;
    }
    HS_TRY(hs_workload_hash(s->options, &workload_hash, diag));
    HS_TRY(hs_run_name(s, workload_hash, name, diag));
    (void)snprintf(path, HS_PATH_SIZE, "results/%s", name);
    return HS_OK;
}
