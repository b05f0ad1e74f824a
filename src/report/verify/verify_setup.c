/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was simulated: the configuration in manifest.json, whose keys are those of `horus run
 * --config`, and the cluster that it names, which is parsed here a second time so that the check
 * shares no code with the model. GPU ids count up through the nodes in the order of the
 * description; a node without a type has GPUs of the type GPU. A description that the simulator
 * took is taken to be well formed; what is not understood is bad input all the same.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fixed.h"
#include "base/timeparse.h"
#include "data/csvread.h"
#include "data/json.h"
#include "data/param_table.h"
#include "report/verify/verify_data.h"
#include "traces/replay.h"

#define NODES_MAX     1000000u
#define NODE_GPUS_MAX 1024
#define TYPE_SIZE     256

/* ---- the cluster ---- */

/* Adds `count` nodes that are like `node`, with GPUs of that type. */
static enum hs_status add_nodes(struct verify_run *run, int64_t count, int64_t gpus,
                                struct verify_node node, const char *type)
{
    if (count < 0 || gpus < 0 || gpus > NODE_GPUS_MAX ||
        (uint64_t)count + run->node_count > NODES_MAX)
        return HS_E_LIMIT;
    node.type = hs_intern_get(&run->types, type != NULL && type[0] != '\0' ? type : "GPU");
    hs_grow((void **)&run->nodes, &run->node_cap, run->node_count + (uint64_t)count + 1,
            sizeof *run->nodes, NODES_MAX + 1);
    for (int64_t i = 0; i < count; i++) {
        node.first_gpu = run->gpu_count;
        run->nodes[run->node_count++] = node;
        run->gpu_count += (uint32_t)gpus;
    }
    run->nodes[run->node_count].first_gpu = run->gpu_count;
    return HS_OK;
}

/* "133x8:V100,2x4". */
static enum hs_status read_shape(struct verify_run *run, const char *spec)
{
    for (const char *at = spec;; at++) {
        size_t length = strcspn(at, ","), x = strcspn(at, "x,"), type = strcspn(at, ":,");
        int64_t count, gpus;
        if (x >= type || !hs_parse_int64(at, x, &count) ||
            !hs_parse_int64(at + x + 1, type - x - 1, &gpus))
            return hs_fail(run->diag, HS_E_INPUT, NULL, NULL,
                           "manifest: the cluster is neither a file nor a shape: '%s'", spec);
        char name[TYPE_SIZE] = "";
        if (type < length)
            (void)snprintf(name, sizeof name, "%.*s", (int)(length - type - 1), at + type + 1);
        HS_TRY(add_nodes(run, count, gpus, (struct verify_node){0}, name));
        at += length;
        if (*at == '\0')
            return HS_OK;
    }
}

/* An absent key leaves the value as it is. */
static bool read_whole(const struct hs_json *group, const char *key, int64_t *value)
{
    const struct hs_json *given = hs_json_get(group, key);
    return given == NULL || hs_json_int(given, value);
}

static enum hs_status read_groups(struct verify_run *run, const struct hs_json_doc *doc,
                                  const struct hs_json *nodes)
{
    const struct hs_json *group = hs_json_first(nodes);
    for (; group != NULL; group = hs_json_next(group)) {
        struct hs_place place = hs_json_place(doc, group);
        struct verify_node node = {0};
        int64_t count = 1, gpus = -1, cpus = 0;
        bool is_whole = read_whole(group, "count", &count) && read_whole(group, "gpus", &gpus) &&
                        read_whole(group, "cpus", &cpus) &&
                        read_whole(group, "mem_mib", &node.mem_mib);
        node.cpus_milli = cpus * 1000;
        if (!is_whole ||
            add_nodes(run, count, gpus, node, hs_json_text(hs_json_get(group, "type"))) != HS_OK)
            return hs_fail(run->diag, HS_E_INPUT, &place, NULL,
                           "not a group of nodes with 'gpus' and perhaps 'count'");
    }
    return HS_OK;
}

static enum hs_status read_json(struct verify_run *run, const char *path)
{
    struct hs_json_doc *doc;
    HS_TRY(hs_json_load(&doc, path, run->diag));
    const struct hs_json *root = hs_json_root(doc);
    const struct hs_json *rack = hs_json_first(hs_json_get(root, "racks"));
    enum hs_status s = read_groups(run, doc, hs_json_get(root, "nodes"));
    for (; s == HS_OK && rack != NULL; rack = hs_json_next(rack))
        s = read_groups(run, doc, hs_json_get(rack, "nodes"));
    hs_json_close(doc);
    return s;
}

static bool read_cell(const struct hs_csv_row *row, uint32_t field, int64_t *value)
{
    return field < row->count && hs_parse_int64(row->fields[field], row->lengths[field], value);
}

/* A list of machines: GPUs and type of each row, those without GPUs left out. Types are named by a
 * model, or by their memory: 12GB is the type GPU-12GB. */
static enum hs_status read_machines(struct verify_run *run, struct hs_csv *csv)
{
    struct hs_csv_row row;
    HS_TRY(hs_csv_next(csv, &row));
    uint32_t gpu_column = hs_csv_column(&row, "gpu"), cpus = hs_csv_column(&row, "cpu_milli"),
             mem = hs_csv_column(&row, "memory_mib"), model = hs_csv_column(&row, "model"),
             gpu_memory = hs_csv_column(&row, "single GPU mem");
    if (gpu_column == UINT32_MAX)
        gpu_column = hs_csv_column(&row, "number of GPUs");
    enum hs_status status;
    while ((status = hs_csv_next(csv, &row)) == HS_OK) {
        struct hs_place place = hs_csv_place(csv, gpu_column);
        struct verify_node node = {0};
        char type[TYPE_SIZE] = "";
        int64_t gpus;
        bool has_model = model < row.count;
        uint32_t named = has_model ? model : gpu_memory;
        (void)read_cell(&row, cpus, &node.cpus_milli);
        (void)read_cell(&row, mem, &node.mem_mib);
        if (named < row.count)
            (void)snprintf(type, sizeof type, "%s%.*s", has_model ? "" : "GPU-",
                           (int)row.lengths[named], row.fields[named]);
        if (!read_cell(&row, gpu_column, &gpus) ||
            (gpus != 0 && add_nodes(run, 1, gpus, node, type) != HS_OK))
            return hs_fail(run->diag, HS_E_INPUT, &place, NULL, "not a machine with GPUs");
    }
    return status == HS_END ? HS_OK : status;
}

/* A file that is not called JSON is a list of machines if it does not begin like JSON. */
static enum hs_status read_file(struct verify_run *run, const char *path)
{
    struct hs_input *input;
    struct hs_csv *csv;
    const char *head;
    size_t len = 0;
    HS_TRY(hs_input_open(&input, path, run->diag));
    enum hs_status status = hs_input_peek(input, &head, &len);
    bool is_list = status == HS_OK && len > 0 && strchr("{/ \t\r\n", head[0]) == NULL;
    if (is_list) {
        hs_csv_open(&csv, input, ',', run->diag);
        status = read_machines(run, csv);
        hs_csv_close(csv);
    }
    hs_input_close(input);
    return is_list || status != HS_OK ? status : read_json(run, path);
}

static enum hs_status load_cluster(struct verify_run *run, const char *spec)
{
    size_t length = strlen(spec);
    if (length > 5 && strcmp(spec + length - 5, ".json") == 0)
        HS_TRY(read_json(run, spec));
    else if (access(spec, F_OK) == 0)
        HS_TRY(read_file(run, spec));
    else
        HS_TRY(read_shape(run, spec));
    run->gpus = hs_alloc_zeroed(run->gpu_count + UINT64_C(1), sizeof *run->gpus);
    return HS_OK;
}

/* ---- the manifest ---- */

/* Those keys of the configuration that say what was simulated. Presets: only for a key that the
 * configuration leaves out because it is absent by default. */
struct settings {
    const char *trace, *format, *map, *gavel_throughputs, *cluster, *outcomes, *sort, *window;
    int32_t time_unit, philly_attempts, retries, cpu_jobs, zero_duration, openb_pending, vc;
    int64_t max_jobs, seed, until_us, warmup_us, cooldown_us;
    double load, scale_time, sample_jobs, skip_bad_rows;
};

static const char *const time_units[] = {"auto", "s", "ms", "us", "min", "h", NULL};
static const int64_t time_units_us[] = {0, HS_US_PER_S,      1000,
                                        1, 60 * HS_US_PER_S, 3600 * HS_US_PER_S};
static const char *const attempts[] = {"merge", "split", "sum", NULL};
static const char *const retries[] = {
    [VERIFY_MERGE] = "merge", [VERIFY_ATTEMPTS] = "attempts", [VERIFY_GENERATE] = "generate", NULL};
static const char *const cpu_jobs[] = {"skip", "keep", NULL};
static const char *const zero_durations[] = {"keep", "drop", "1s", NULL};
static const char *const openb_pending[] = {"drop", "run", NULL};
static const char *const vc_modes[] = {"ignore", "partition", "quota", NULL};
enum { VC_PARTITION = 1 };

#define KEY(name, kind, field, value)                                                              \
    .key = name, .type = HS_PARAM_##kind, .offset = offsetof(struct settings, field),              \
    .preset = value

static const struct hs_param table[] = {
    {KEY("trace", TEXT, trace, NULL)},
    {KEY("format", TEXT, format, "auto")},
    {KEY("map", TEXT, map, NULL)},
    {KEY("gavel_throughputs", TEXT, gavel_throughputs, NULL)},
    {KEY("cluster", TEXT, cluster, NULL)},
    {KEY("outcomes", TEXT, outcomes, NULL)},
    {KEY("sort", TEXT, sort, "8192")},
    {KEY("time_unit", CHOICE, time_unit, "auto"), .choices = time_units},
    {KEY("philly_attempts", CHOICE, philly_attempts, "merge"), .choices = attempts},
    {KEY("retries", CHOICE, retries, "merge"), .choices = retries},
    {KEY("cpu_jobs", CHOICE, cpu_jobs, "skip"), .choices = cpu_jobs},
    {KEY("zero_duration", CHOICE, zero_duration, "keep"), .choices = zero_durations},
    {KEY("openb_pending", CHOICE, openb_pending, "drop"), .choices = openb_pending},
    {KEY("vc", CHOICE, vc, "ignore"), .choices = vc_modes},
    {KEY("max_jobs", INT, max_jobs, "0")},
    {KEY("until", DURATION, until_us, "0s")},
    {KEY("warmup", DURATION, warmup_us, "0s")},
    {KEY("cooldown", DURATION, cooldown_us, "0s")},
    {KEY("seed", INT, seed, "1")},
    {KEY("load", REAL, load, "1")},
    {KEY("scale_time", REAL, scale_time, "1")},
    {KEY("window", TEXT, window, NULL)},
    {KEY("sample_jobs", REAL, sample_jobs, "1")},
    {KEY("skip_bad_rows", REAL, skip_bad_rows, "0")},
    {.key = NULL},
};

static enum hs_status read_settings(struct verify_run *run, struct settings *settings)
{
    const struct hs_json_doc *doc = run->manifest.doc;
    struct hs_place place = hs_json_place(doc, hs_json_root(doc));
    HS_TRY(hs_param_defaults(table, settings, &run->arena));
    for (const struct hs_param *p = table; p->key != NULL; p++) {
        const struct hs_json *value = hs_json_get(run->manifest.config, p->key);
        struct hs_place at = hs_json_place(doc, value);
        char number[HS_RUNMANIFEST_NUMBER_SIZE];
        const char *text = hs_runmanifest_text(value, number);
        if (text != NULL)
            HS_TRY(hs_param_set(table, settings, &run->arena, "manifest", p->key, text, &at,
                                run->diag));
    }
    if (settings->trace == NULL || settings->cluster == NULL)
        return hs_fail(run->diag, HS_E_INPUT, &place, NULL, "the manifest names no %s",
                       settings->trace == NULL ? "trace" : "cluster");
    if (strcmp(settings->trace, "-") == 0)
        return hs_fail(run->diag, HS_E_INPUT, &place, "run it from a file",
                       "the run read its trace from standard input: it cannot be read again");
    return HS_OK;
}

static enum hs_status use_settings(struct verify_run *run, const struct settings *settings)
{
    struct verify_setup *m = &run->setup;
    struct hs_trace_options *t = &m->trace;
    int64_t window = 0;
    hs_trace_options_default(t);
    t->path = settings->trace;
    t->format = settings->format;
    t->map = settings->map;
    t->gavel_throughputs = settings->gavel_throughputs;
    t->time_unit_us = time_units_us[settings->time_unit];
    t->philly_attempts = settings->philly_attempts;
    m->retries = (enum verify_retries)settings->retries;
    t->keeps_attempts = m->retries == VERIFY_ATTEMPTS;
    t->cpu_jobs = settings->cpu_jobs;
    t->zero_duration = settings->zero_duration;
    t->openb_pending = settings->openb_pending;
    t->outcomes = settings->outcomes;
    t->max_jobs = (uint64_t)settings->max_jobs;
    t->load = settings->load;
    t->scale_time = settings->scale_time;
    t->sample = settings->sample_jobs;
    t->sample_seed = (uint64_t)settings->seed;
    if (settings->window != NULL)
        HS_TRY(hs_trace_window_parse(settings->window, &t->window, run->diag));
    t->skip_bad_permille = (uint32_t)(settings->skip_bad_rows * 10 + 0.5);
    if (strcmp(settings->sort, "all") == 0)
        t->sort_window = HS_SORT_ALL;
    else if (hs_parse_int64(settings->sort, strlen(settings->sort), &window) && window >= 0)
        t->sort_window = (uint64_t)window;
    else
        return hs_fail(run->diag, HS_E_INPUT, NULL, NULL, "manifest: sort is not understood: '%s'",
                       settings->sort);
    m->cluster = settings->cluster;
    m->is_partitioned = settings->vc == VC_PARTITION;
    m->until_us = settings->until_us > 0 ? settings->until_us : HS_TIME_MAX;
    m->warmup_us = settings->warmup_us;
    m->cooldown_us = settings->cooldown_us;
    return HS_OK;
}

/* A run with --outputs=summary has no schedule to look at. */
static enum hs_status require_output(const struct verify_run *run, const char *name)
{
    const struct hs_runmanifest *manifest = &run->manifest;
    /* a manifest without a list: the files decide */
    if (manifest->file_count == 0 || hs_runmanifest_file(manifest, name) != NULL)
        return HS_OK;
    struct hs_place place = {.file = run->dir};
    if (hs_runmanifest_file(manifest, "compare.csv") != NULL)
        return hs_fail(run->diag, HS_E_INPUT, &place,
                       "name one of the runs in its runs/ (--outputs=all keeps them)",
                       "a comparison, not a run");
    return hs_fail(run->diag, HS_E_INPUT, &place, "repeat the run with --outputs=all",
                   "nothing to verify: the run was made without %s", name);
}

enum hs_status verify_load_setup(struct verify_run *run)
{
    struct settings settings;
    struct verify_setup *m = &run->setup;
    HS_TRY(hs_runmanifest_open(&run->manifest, run->dir, run->diag));
    HS_TRY(read_settings(run, &settings));
    const char *can = run->manifest.can != NULL ? run->manifest.can : ""; /* words of the card */
    m->is_slicing = strstr(can, "slice") != NULL;
    m->is_throttling = strstr(can, "throttle") != NULL;
    m->is_resizing = strstr(can, "resize") != NULL;
    m->is_sharing = strstr(can, "co-locate") != NULL; /* slice groups too */
    HS_TRY(use_settings(run, &settings));
    HS_TRY(require_output(run, "jobs.csv"));
    HS_TRY(require_output(run, "segments.csv"));
    return load_cluster(run, m->cluster);
}
