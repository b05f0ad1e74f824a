/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads what was simulated and the results: the configuration in manifest.json, whose keys are
 * those of `horus run --config`; the cluster that it names, parsed here again so that the check
 * shares no code with the model; the trace; jobs.csv and segments.csv. A malformed file is bad
 * input and ends the verification; wrong contents are found by the rules. O(trace + segments) time
 * and memory.
 *
 * GPU ids are consecutive over the nodes, in the order of the cluster's description; a node without
 * a type has GPUs of type GPU. A description that the simulator accepted is assumed to be well
 * formed; what cannot be parsed is bad input.
 *
 * Applies every rule to the loaded run directory and prints one line per rule, with the first
 * faults of those that fail. The rules of this file compare the files with the hashes of the
 * manifest.
 */
#include "report/verify/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fixed.h"
#include "data/param_table.h"
#include "report/stats/exact.h"

#define NODES_MAX     1000000u
#define NODE_GPUS_MAX 1024
#define TYPE_SIZE     256

/* ---- faults ---- */

void verify_fault(struct verify_check *c, const char *file, int64_t line, const char *id,
                  const char *fmt, ...)
{
    va_list args;
    int used = 0;
    if (c->faults++ >= VERIFY_LINES)
        return;
    char *text = c->lines[c->faults - 1];
    if (file != NULL)
        used = snprintf(text, VERIFY_LINE_SIZE, "%s:%" PRId64 "%s%s", file, line,
                        id != NULL ? ": job " : "", id != NULL ? id : "");
    va_start(args, fmt);
    if (used >= 0 && used < VERIFY_LINE_SIZE)
        (void)vsnprintf(text + used, VERIFY_LINE_SIZE - (size_t)used, fmt, args);
    va_end(args);
}

const char *verify_id_of(const struct verify_run *run, const struct hs_placed *seg)
{
    return seg->job != VERIFY_NONE ? run->jobs[seg->job].id : "?";
}

int64_t verify_ppm(int64_t num, int64_t den)
{
    if (num < 0 || den <= 0)
        return -1;
    hs_i128 ppm = (2 * (hs_i128)num * 1000000 + den) / (2 * (hs_i128)den);
    return ppm < INT64_MAX ? (int64_t)ppm : INT64_MAX;
}

/* ---- the cluster ---- */

/* Adds `count` copies of `node`, with GPUs of that type. */
static enum hs_status add_nodes(struct verify_run *run, int64_t count, int64_t gpus,
                                struct verify_node node, const char *type)
{
    if (count < 0 || gpus < 0 || gpus > NODE_GPUS_MAX ||
        (uint64_t)count + run->node_count > NODES_MAX)
        return HS_E_LIMIT;
    node.type = hs_intern_get(&run->types, type != NULL && type[0] != '\0' ? type : "GPU");
    hs_grow(run->nodes, run->node_cap, run->node_count + (uint64_t)count + 1, NODES_MAX + 1);
    for (int64_t i = 0; i < count; i++) {
        node.first_gpu = run->gpu_count;
        run->nodes[run->node_count++] = node;
        run->gpu_count += (uint32_t)gpus;
    }
    run->nodes[run->node_count].first_gpu = run->gpu_count;
    return HS_OK;
}

/* Parses "133x8:V100,2x4". */
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

/* An absent key leaves the value unchanged. */
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
        struct verify_node node = {0};
        int64_t count = 1, gpus = -1, cpus = 0;
        bool is_whole = read_whole(group, "count", &count) && read_whole(group, "gpus", &gpus) &&
                        read_whole(group, "cpus", &cpus) &&
                        read_whole(group, "mem_mib", &node.mem_mib);
        node.cpus_milli = cpus * 1000;
        if (!is_whole ||
            add_nodes(run, count, gpus, node, hs_json_text(hs_json_get(group, "type"))) != HS_OK)
            return hs_fail(run->diag, HS_E_INPUT, HS_AT(hs_json_place(doc, group)), NULL,
                           "not a group of nodes with 'gpus' and perhaps 'count'");
    }
    return HS_OK;
}

static bool read_cell(const struct hs_csv_row *row, uint32_t field, int64_t *value)
{
    return field < row->count && hs_parse_int64(row->fields[field], row->lengths[field], value);
}

/* Reads a list of machines: GPUs and type of each row; rows without GPUs are skipped. Types are
 * given by a model, or by their memory: 12GB is the type GPU-12GB. */
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
            return hs_csv_fail(csv, gpu_column, NULL, "not a machine with GPUs");
    }
    return status == HS_END ? HS_OK : status;
}

/* The rule of --overcommit: round(f (n + 1)) - round(f n) copies of node n, at least one in all. */
static void overcommit(struct verify_run *run, double factor)
{
    struct verify_node *was = run->nodes;
    const uint32_t count = run->node_count;
    const bool is_one = factor * count + 0.5 < 1;
    run->nodes = NULL;
    run->node_count = run->node_cap = run->gpu_count = 0;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t gpus = was[n + 1].first_gpu - was[n].first_gpu;
        const uint64_t end = is_one ? 1 : (uint64_t)(factor * (n + 1) + 0.5);
        while (run->node_count < end) {
            hs_grow(run->nodes, run->node_cap, run->node_count + UINT64_C(2), NODES_MAX + 1);
            was[n].first_gpu = run->gpu_count;
            run->nodes[run->node_count++] = was[n];
            run->gpu_count += gpus;
            run->nodes[run->node_count].first_gpu = run->gpu_count;
        }
    }
    hs_free(was);
}

/* A file without the suffix .json is a list of machines unless it begins like JSON. */
static enum hs_status load_cluster(struct verify_run *run, const char *spec)
{
    spec = hs_builtin_cluster(spec);
    const size_t length = strlen(spec);
    const bool is_json = length > 5 && strcmp(spec + length - 5, ".json") == 0;
    struct hs_input *input;
    struct hs_csv *csv;
    const char *head;
    size_t len = 0;
    if (!is_json && access(spec, F_OK) != 0)
        return read_shape(run, spec);
    HS_TRY(hs_regular_check(spec, run->diag));
    HS_TRY(hs_input_open(&input, spec, run->diag));
    enum hs_status status = hs_input_peek(input, &head, &len);
    const bool is_list =
        !is_json && status == HS_OK && len > 0 && strchr("{/ \t\r\n", head[0]) == NULL;
    if (is_list) {
        hs_csv_open(&csv, input, ',', run->diag);
        status = read_machines(run, csv);
        hs_csv_close(csv);
    }
    hs_input_close(input);
    if (is_list || status != HS_OK)
        return status;
    struct hs_json_doc *doc;
    HS_TRY(hs_json_load(&doc, spec, run->diag));
    const struct hs_json *root = hs_json_root(doc);
    const struct hs_json *rack = hs_json_first(hs_json_get(root, "racks"));
    status = read_groups(run, doc, hs_json_get(root, "nodes"));
    for (; status == HS_OK && rack != NULL; rack = hs_json_next(rack))
        status = read_groups(run, doc, hs_json_get(rack, "nodes"));
    hs_json_close(doc);
    return status;
}

/* ---- the manifest ---- */

static const char *const time_units[] = {"auto", "s", "ms", "us", "min", "h", NULL};
static const int64_t time_units_us[] = {0, HS_US_PER_S,      1000,
                                        1, 60 * HS_US_PER_S, 3600 * HS_US_PER_S};
static const char *const attempts[] = {"merge", "split", "sum", NULL};
static const char *const retries[] = {
    [VERIFY_MERGE] = "merge", [VERIFY_ATTEMPTS] = "attempts", [VERIFY_GENERATE] = "generate", NULL};
static const char *const cpu_jobs[] = {"skip", "keep", NULL};
static const char *const zero_durations[] = {"keep", "drop", "1s", NULL};
static const char *const openb_pending[] = {"drop", "run", NULL};
static const char *const deadline_rules[] = {
    "trace", [VERIFY_GAVEL] = "gavel", [VERIFY_ELASTICFLOW] = "elasticflow", NULL};
static const char *const vc_modes[] = {"ignore", [VERIFY_PARTITION] = "partition", "quota", NULL};

/* The configuration keys that describe the simulation. Presets apply only to keys that the
 * configuration omits when absent. */
#define KEY(name, kind, field, value)                                                              \
    .key = name, .type = HS_PARAM_##kind, .offset = offsetof(struct verify_setup, field),          \
    .preset = value
static const struct hs_param table[] = {
    {KEY("trace", TEXT, trace.path, NULL)},
    {KEY("format", TEXT, trace.format, "auto")},
    {KEY("map", TEXT, trace.map, NULL)},
    {KEY("map_value", TEXT, trace.map_values, NULL)},
    {KEY("gavel_throughputs", TEXT, trace.gavel_throughputs, NULL)},
    {KEY("cluster", TEXT, cluster, NULL)},
    {KEY("overcommit", REAL, overcommit, "1"), .min = 0, .max = 1e6},
    {KEY("events", TEXT, events, NULL)},
    {KEY("faults", TEXT, faults, NULL)},
    {KEY("reservations", TEXT, reservations, NULL)},
    {KEY("outcomes", TEXT, trace.outcomes, NULL)},
    {KEY("sort", TEXT, sort, "8192")},
    {KEY("time_unit", CHOICE, time_unit, "auto"), .choices = time_units},
    {KEY("philly_attempts", CHOICE, trace.philly_attempts, "merge"), .choices = attempts},
    {KEY("retries", CHOICE, retries, "merge"), .choices = retries},
    {KEY("cpu_jobs", CHOICE, trace.cpu_jobs, "skip"), .choices = cpu_jobs},
    {KEY("zero_duration", CHOICE, trace.zero_duration, "keep"), .choices = zero_durations},
    {KEY("openb_pending", CHOICE, trace.openb_pending, "drop"), .choices = openb_pending},
    {KEY("vc", CHOICE, vc, "ignore"), .choices = vc_modes},
    {KEY("deadlines", CHOICE, deadlines, "trace"), .choices = deadline_rules},
    {KEY("max_jobs", INT, trace.max_jobs, "0")},
    {KEY("warmup", DURATION, warmup_us, "0s")},
    {KEY("cooldown", DURATION, cooldown_us, "0s")},
    {KEY("seed", INT, trace.seed, "1")},
    {KEY("load", REAL, trace.load, "1")},
    {KEY("scale_time", REAL, trace.scale_time, "1")},
    {KEY("window", TEXT, window, NULL)},
    {KEY("sample_jobs", REAL, trace.sample, "1")},
    {KEY("skip_bad_rows", REAL, skip_bad_rows, "0")},
    {.key = NULL},
};

static enum hs_status read_config(struct verify_run *run)
{
    const struct hs_json_doc *doc = run->manifest.doc;
    const struct hs_place place = hs_json_place(doc, hs_json_root(doc));
    struct verify_setup *m = &run->setup;
    struct hs_trace_options *t = &m->trace;
    int64_t window = 0;
    hs_trace_options_default(t);
    HS_TRY(hs_param_defaults(table, m, &run->arena));
    for (const struct hs_param *p = table; p->key != NULL; p++) {
        const struct hs_json *value = hs_json_get(run->manifest.config, p->key);
        char number[HS_RUNMANIFEST_NUMBER_SIZE];
        const char *text = hs_runmanifest_text(value, number);
        if (text != NULL)
            HS_TRY(hs_param_set(table, m, &run->arena, "manifest", p->key, text,
                                HS_AT(hs_json_place(doc, value)), run->diag));
    }
    if (t->path == NULL || m->cluster == NULL)
        return hs_fail(run->diag, HS_E_INPUT, &place, NULL, "the manifest names no %s",
                       t->path == NULL ? "trace" : "cluster");
    if (strcmp(t->path, "-") == 0)
        return hs_fail(run->diag, HS_E_INPUT, &place, "run it from a file",
                       "the run read its trace from standard input: it cannot be read again");
    t->time_unit_us = time_units_us[m->time_unit];
    t->keeps_attempts = m->retries == VERIFY_ATTEMPTS;
    t->skip_bad_permille = (uint32_t)(m->skip_bad_rows * 10 + 0.5);
    if (m->window != NULL)
        HS_TRY(hs_trace_window_parse(m->window, &t->window, run->diag));
    if (strcmp(m->sort, "all") == 0)
        t->sort_window = HS_SORT_ALL;
    else if (hs_parse_int64(m->sort, strlen(m->sort), &window) && window >= 0)
        t->sort_window = (uint64_t)window;
    else
        return hs_fail(run->diag, HS_E_INPUT, NULL, NULL, "manifest: sort is not understood: '%s'",
                       m->sort);
    m->checkpoint_us = hs_runmanifest_duration_us(&run->manifest, "checkpoint_interval");
    m->checkpoint_cost_us = hs_runmanifest_duration_us(&run->manifest, "checkpoint_cost");
    m->until_us = hs_runmanifest_horizon_us(&run->manifest);
    if (m->until_us < 0)
        m->until_us = HS_TIME_MAX;
    m->gpu_time = hs_json_number(hs_json_get(hs_json_root(run->manifest.doc), "gpu_time"));
    m->gpu_time = m->gpu_time > 0 ? m->gpu_time : 0; /* NaN: unlimited */
    const char *can = run->manifest.can;
    m->is_slicing = strstr(can, "slice") != NULL;
    m->is_throttling = strstr(can, "throttle") != NULL;
    m->is_resizing = strstr(can, "resize") != NULL;
    m->is_resizing_any = strstr(can, "resize any") != NULL;
    m->is_preempting = strstr(can, "preempt") != NULL;
    m->is_forked = hs_json_get(run->manifest.assumptions, "fork") != NULL;
    m->is_reserving = strstr(can, "reserve") != NULL;
    m->is_profiling = strstr(can, "profile") != NULL;
    m->is_allotting = strstr(can, "host") != NULL;
    m->is_sharing = strstr(can, "co-locate") != NULL; /* slice groups, too */
    const char *cost = hs_json_text(hs_json_get(run->manifest.assumptions, "preempt_cost"));
    m->is_interleaving = strstr(can, "interleave") != NULL;
    m->loses_at_events =
        m->is_interleaving && cost != NULL && strcmp(cost, "restart at every event") == 0;
    return HS_OK;
}

/* ---- the trace ---- */

static enum hs_status add_job(struct verify_run *run, const struct hs_trace_job *j)
{
    if (run->job_count == 0)
        run->epoch_us = j->submit_us;
    uint32_t name, vc, user, types, workers = j->gpus > 0 ? j->gpus : 1;
    int64_t deadline_us = j->deadline_us < 0 ? -1 : j->deadline_us - run->epoch_us;
    if (j->deadline_us >= 0 && deadline_us < 0) /* one before the first submission is at it */
        deadline_us = 0;
    run->has_deadlines = run->has_deadlines || deadline_us >= 0;
    vc = hs_intern_get(&run->vcs, j->vc);
    user = hs_intern_get(&run->users, j->user);
    types = hs_intern_get(&run->types, j->gpu_type);
    name = hs_intern_get(&run->ids, j->id);
    if (name != run->job_count + 1)
        return hs_fail(run->diag, HS_E_INPUT, NULL, "give every job of the trace an id of its own",
                       "%s:%" PRId64
                       ": job id '%s' is not unique, so its segments cannot be distinguished",
                       run->setup.trace.path, j->line, j->id);
    hs_spill_grow(&run->spill, (void **)&run->jobs, &run->job_cap, (uint64_t)run->job_count + 1,
                  sizeof *run->jobs);
    run->jobs[run->job_count++] = (struct verify_job){.id = hs_intern_text(&run->ids, name),
                                                      .submit_us = j->submit_us - run->epoch_us,
                                                      .recorded_us = j->duration_us,
                                                      .deadline_us = deadline_us,
                                                      .work_us = j->duration_us,
                                                      .has_ran = j->gpu_type_ran != NULL,
                                                      .first_attempt = run->attempt_count,
                                                      .attempts = j->attempts,
                                                      .first_option = run->option_count,
                                                      .options = j->option_count,
                                                      .gpus = j->gpus,
                                                      .gpus_min = j->gpus_min,
                                                      .gpus_max = j->gpus_max,
                                                      .has_range = j->has_range,
                                                      .gpu_milli = j->gpu_milli,
                                                      .types = types,
                                                      .worker_cpus_milli = j->cpus_milli / workers,
                                                      .worker_mem_mib = j->mem_mib / workers,
                                                      .persistent_mib = j->gpu_mem_persistent_mib,
                                                      .vc = vc,
                                                      .user = user,
                                                      .job_class = j->job_class,
                                                      .sum = {.first_start_us = -1,
                                                              .last_end_us = -1,
                                                              .finish_us = -1,
                                                              .suspended_from_us = -1,
                                                              .suspended_node = VERIFY_NONE,
                                                              .first_long_us = -1,
                                                              .is_full_speed = true}};
    hs_spill_grow(&run->spill, (void **)&run->attempts_us, &run->attempt_cap,
                  (uint64_t)run->attempt_count + j->attempts, sizeof *run->attempts_us);
    for (uint32_t i = 0; i < j->attempts; i++)
        run->attempts_us[run->attempt_count++] = j->attempts_us[i];
    hs_spill_grow(&run->spill, (void **)&run->options, &run->option_cap,
                  (uint64_t)run->option_count + j->option_count, sizeof *run->options);
    for (uint32_t i = 0; i < j->option_count; i++)
        run->options[run->option_count++] = j->options[i];
    return HS_OK;
}

/* ---- jobs.csv ---- */

struct job_cells {
    struct verify_row row;
    const char *id, *success, *status, *job_class, *gpu_type, *gpu_seconds;
};
#define AT(field) offsetof(struct job_cells, field)

static const struct hs_rowcell job_cells[] = {
    {"gpu_seconds", HS_ROWCELL_TEXT, AT(gpu_seconds)}, /* must be first: read by number */
    {"job_id", HS_ROWCELL_TEXT, AT(id)},
    {"submission_time", HS_ROWCELL_TIME_OR_NONE, AT(row.submit_us)},
    {"starting_time", HS_ROWCELL_TIME_OR_NONE, AT(row.start_us)},
    {"finish_time", HS_ROWCELL_TIME_OR_NONE, AT(row.finish_us)},
    {"waiting_time", HS_ROWCELL_TIME_OR_NONE, AT(row.wait_us)},
    {"turnaround_time", HS_ROWCELL_TIME_OR_NONE, AT(row.turnaround_us)},
    {"isolated", HS_ROWCELL_TIME_OR_NONE, AT(row.work_us)},
    {"run", HS_ROWCELL_TIME_OR_NONE, AT(row.run_us)},
    {"queueing_delay", HS_ROWCELL_TIME_OR_NONE, AT(row.pending_us)},
    {"colocated", HS_ROWCELL_TIME_OR_NONE, AT(row.colocated_us)},
    {"overhead", HS_ROWCELL_TIME_OR_NONE, AT(row.overhead_us)},
    {"lost", HS_ROWCELL_NANO, AT(row.lost_ns)},
    {"gpu_share", HS_ROWCELL_SHARE, AT(row.gpu_milli)},
    {"slowdown", HS_ROWCELL_RATIO, AT(row.slowdown_ppm)},
    {"gpu_util", HS_ROWCELL_RATIO, AT(row.util_ppm)},
    {"run_slowdown", HS_ROWCELL_RATIO, AT(row.run_slowdown_ppm)},
    {"requested_number_of_resources", HS_ROWCELL_COUNT, AT(row.gpus)},
    {"nodes", HS_ROWCELL_COUNT, AT(row.nodes)},
    {"preemptions", HS_ROWCELL_COUNT, AT(row.preemptions)},
    {"migrations", HS_ROWCELL_COUNT, AT(row.migrations)},
    {"ooms", HS_ROWCELL_COUNT, AT(row.ooms)},
    {"attempts", HS_ROWCELL_COUNT, AT(row.attempts)},
    {"switches", HS_ROWCELL_COUNT, AT(row.switches)},
    {"first_progress", HS_ROWCELL_TIME_OR_NONE, AT(row.progress_us)},
    {"host_mib_seconds", HS_ROWCELL_MIB_SECONDS, AT(row.host_mib_us)},
    {"deadline", HS_ROWCELL_TIME_IF_ANY, AT(row.deadline_us)},
    {"lateness", HS_ROWCELL_SIGNED_IF_ANY, AT(row.late_us)},
    {"value", HS_ROWCELL_TIME_IF_ANY, AT(row.value_us)},
    {"value_most", HS_ROWCELL_TIME_IF_ANY, AT(row.most_us)},
    {"class", HS_ROWCELL_TEXT, AT(job_class)},
    {"gpu_type", HS_ROWCELL_TEXT, AT(gpu_type)},
    {"success", HS_ROWCELL_TEXT, AT(success)},
    {"status", HS_ROWCELL_TEXT, AT(status)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static enum hs_status add_job_row(void *ctx, const struct hs_rowfile *f)
{
    struct verify_run *run = ctx;
    struct job_cells cells = {.row = {.line = f->row.line}};
    struct verify_row *row = &cells.row;
    hs_spill_step(&run->spill);
    const uint32_t name = hs_intern_find(&run->ids, hs_rowfile_text(f, 1));
    if (name == 0 || name == UINT32_MAX || run->jobs[name - 1].row.line != 0) {
        if (run->strange_rows++ == 0)
            run->strange_line = f->row.line;
        return HS_OK;
    }
    struct verify_job *job = &run->jobs[name - 1];
    HS_TRY(hs_rowfile_read(f, &cells));
    /* three more decimals for a share of a GPU */
    const int64_t unit = row->gpu_milli < VERIFY_GPU_MILLI ? VERIFY_NANO : HS_US_PER_S;
    int64_t gpu_time;
    HS_TRY(hs_rowfile_decimal(f, 0, unit, "a time in seconds", &gpu_time));
    row->milli_us = (hs_i128)gpu_time * (VERIFY_NANO / unit);
    int class = 0;
    while (class < HS_JOB_CLASS_COUNT &&
           strcmp(cells.job_class, hs_job_class_text((enum hs_job_class) class)) != 0)
        class ++;
    if (class == HS_JOB_CLASS_COUNT)
        return hs_rowfile_bad(f, "class", "auto, guaranteed or opportunistic");
    row->job_class = (enum hs_job_class) class;
    row->type = hs_intern_get(&run->types, cells.gpu_type);
    row->is_done = strcmp(cells.success, "1") == 0;
    row->is_rejected = strcmp(cells.status, "rejected") == 0;
    job->row = *row;
    run->is_divided = run->is_divided || row->gpu_milli < VERIFY_GPU_MILLI;
    run->has_deadlines = run->has_deadlines || row->deadline_us >= 0;
    /* Generated attempts add to the trace's time; less is reported as a difference. The run time on
     * another GPU type, converted to the reference type, is known only to the model: it must be 0
     * if and only if the recorded one is. */
    if ((run->setup.retries == VERIFY_GENERATE && row->work_us > job->recorded_us) ||
        (job->has_ran && (row->work_us > 0) == (job->recorded_us > 0)))
        job->work_us = row->work_us;
    return HS_OK;
}

/* ---- machines and reservations ---- */

struct node_row {
    const char *name;
    uint32_t rack;
};
static const struct hs_rowcell node_cells[] = {
    {"name", HS_ROWCELL_TEXT, offsetof(struct node_row, name)},
    {"rack", HS_ROWCELL_COUNT32, offsetof(struct node_row, rack)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static enum hs_status add_node_row(void *ctx, const struct hs_rowfile *f)
{
    struct verify_run *run = ctx;
    struct node_row row;
    HS_TRY(hs_rowfile_read(f, &row));
    const uint32_t id = hs_intern_get(&run->node_names, row.name);
    if (id == 0 || id > run->node_count)
        return hs_rowfile_bad(f, "name", "the name of one more node of the cluster");
    run->nodes[id - 1].rack = row.rack;
    return HS_OK;
}

static enum hs_status load_machines(struct verify_run *run)
{
    const struct verify_setup *m = &run->setup;
    const bool is_fixed = m->events == NULL && m->faults == NULL && m->reservations == NULL;
    for (uint32_t i = 0; i < run->job_count; i++, hs_spill_step(&run->spill)) {
        const struct verify_job *j = &run->jobs[i];
        const int64_t end_us =
            j->row.line != 0 ? j->submit_us + j->row.run_us + j->row.pending_us : 0;
        run->end_us = end_us > run->end_us ? end_us : run->end_us;
    }
    run->has_nodes = hs_runmanifest_file(&run->manifest, "nodes.csv") != NULL;
    if (is_fixed || !run->has_nodes)
        return HS_OK;
    HS_TRY(hs_rowfile_each(&run->manifest, "nodes.csv", node_cells, add_node_row, run));
    return verify_machines_load(run);
}

/* ---- loading a run ---- */

#define JOBS_LISTED 1024 /* some milliseconds */

static enum hs_status load(struct verify_run *run)
{
    struct hs_trace *trace;
    struct hs_trace_job *job;
    char path[HS_PATH_SIZE];
    enum hs_status s = HS_OK;
    hs_intern_init(&run->ids);
    hs_intern_init(&run->vcs);
    hs_intern_init(&run->users);
    hs_intern_init(&run->types);
    hs_intern_init(&run->node_names);
    HS_TRY(hs_runmanifest_open(&run->manifest, run->dir, run->diag));
    HS_TRY(read_config(run));
    HS_TRY(hs_runmanifest_need(&run->manifest, "jobs.csv", "verify"));
    HS_TRY(hs_runmanifest_need(&run->manifest, "segments.csv", "verify"));
    const char *kept = hs_runmanifest_kept(&run->manifest, HS_KEPT_CLUSTER, path);
    HS_TRY(load_cluster(run, kept != NULL ? kept : run->setup.cluster));
    if (run->setup.overcommit != 1)
        overcommit(run, run->setup.overcommit);
    run->gpus = hs_alloc_zeroed(run->gpu_count + UINT64_C(1), sizeof *run->gpus);
    if (strcmp(run->setup.trace.path, "-") != 0)
        HS_TRY(hs_regular_check(run->setup.trace.path, run->diag));
    HS_TRY(hs_trace_open(&trace, &run->setup.trace, run->diag));
    while (s == HS_OK && (s = hs_trace_next(trace, &job)) == HS_OK) {
        s = add_job(run, job);
        hs_spill_step(&run->spill);
        const double expected = run->job_count % JOBS_LISTED == 0 ? hs_trace_expected(trace) : 0;
        if (run->job_count % JOBS_LISTED == 0)
            hs_advance(run->diag, "trace", expected > 0 ? run->job_count / expected : -1);
    }
    if (s == HS_END)
        s = hs_trace_identity(trace, &run->trace_hash, &run->trace_bytes);
    hs_trace_close(trace);
    HS_TRY(s);
    run->manifest.keeps_quiet = true; /* a rule compares the hashes */
    HS_TRY(hs_rowfile_each(&run->manifest, "jobs.csv", job_cells, add_job_row, run));
    run->schedule =
        (struct hs_schedule){.spill = &run->spill,
                             .ids = &run->ids,
                             .gpu_count = UINT32_MAX,
                             .expected_gpus = "a list of ascending GPU ids such as '0-7 16'",
                             .expected_ended_by = "finish, preempt, suspend, migrate, kill, "
                                                  "horizon, oom, failure, fault, drain or profile"};
    HS_TRY(hs_rowfile_each(&run->manifest, "segments.csv", hs_schedule_cells, hs_schedule_add,
                           &run->schedule));
    return load_machines(run);
}

/* ---- the files ---- */

static enum hs_status check_outputs(struct verify_check *c)
{
    const struct hs_runmanifest *manifest = &c->run->manifest;
    for (uint32_t i = 0; i < manifest->file_count; i++) {
        const struct hs_output_file *file = &manifest->files[i];
        uint64_t hash, bytes;
        HS_TRY(hs_hash_file(HS_PATH("%s/%s", manifest->dir, file->name), &hash, &bytes,
                            manifest->diag));
        c->looked++;
        if (hash != file->hash)
            VERIFY_FAULT(c, "%s is not the file that the manifest lists", file->name);
    }
    return HS_OK;
}

static enum hs_status check_trace(struct verify_check *c)
{
    struct verify_run *run = c->run;
    const struct hs_manifest_input *trace = hs_runmanifest_trace(&run->manifest);
    if (trace == NULL) {
        c->skipped = "the manifest has no hash of it";
        return HS_OK;
    }
    c->looked = 1;
    if (run->trace_hash != trace->hash || run->trace_bytes != trace->bytes)
        VERIFY_FAULT(c, "%s has changed since the run", run->setup.trace.path);
    return HS_OK;
}

static const struct verify_rule file_rules[] = {
    {"the output files are as the manifest lists them", "files", "changed", .run = check_outputs},
    {"the trace is the one that was simulated", "file", "changed", .run = check_trace},
    {.title = NULL},
};

/* ---- applying the rules ---- */

static void apply_to_segments(struct verify_run *run, const struct verify_rule *rules,
                              uint32_t count, struct verify_check *checks)
{
    for (uint32_t i = 0; i < run->schedule.segment_count; i++, hs_spill_step(&run->spill))
        for (uint32_t r = 0; r < count && run->schedule.segments[i].job != VERIFY_NONE; r++)
            if (rules[r].segment != NULL && checks[r].skipped == NULL)
                rules[r].segment(&checks[r], &run->schedule.segments[i]);
}

static void apply_to_jobs(struct verify_run *run, const struct verify_rule *rules, uint32_t count,
                          struct verify_check *checks)
{
    for (uint32_t i = 0; i < run->job_count; i++, hs_spill_step(&run->spill))
        for (uint32_t r = 0; r < count && run->jobs[i].row.line != 0; r++)
            if (rules[r].job != NULL && checks[r].skipped == NULL) {
                checks[r].looked += strcmp(rules[r].things, "jobs") == 0;
                rules[r].job(&checks[r], &run->jobs[i]);
            }
}

enum hs_status verify_apply(struct verify_run *run, const struct verify_rule *rules, uint32_t count,
                            struct verify_check *checks)
{
    bool has_segments = false, has_jobs = false;
    for (uint32_t r = 0; r < count; r++) {
        const char *note = run->setup.is_slicing ? rules[r].slicing_note : NULL;
        if (run->setup.is_throttling && rules[r].throttling_note != NULL)
            note = rules[r].throttling_note;
        (void)snprintf(checks[r].note, sizeof checks[r].note, "%s", note != NULL ? note : "");
        checks[r].run = run;
        HS_TRY(rules[r].run != NULL ? rules[r].run(&checks[r]) : HS_OK);
        has_segments = has_segments || rules[r].segment != NULL;
        has_jobs = has_jobs || rules[r].job != NULL;
    }
    if (has_segments)
        apply_to_segments(run, rules, count, checks);
    if (has_jobs)
        apply_to_jobs(run, rules, count, checks);
    for (uint32_t r = 0; r < count; r++)
        if (checks[r].looked == 0 && checks[r].skipped == NULL)
            checks[r].skipped = rules[r].skipped;
    return HS_OK;
}

/* Returns the number of rules, from the first on, that are applied together: of these only the
 * first may have a `run`. 0 at the end. */
static uint32_t rules_together(const struct verify_rule *rules)
{
    uint32_t count = rules[0].title != NULL;
    while (count > 0 && count < VERIFY_TOGETHER && rules[count].title != NULL &&
           rules[count].run == NULL)
        count++;
    return count;
}

/* w: as JSON; NULL: as lines. */
static void say_check(const struct verify_rule *rule, const struct verify_check *c,
                      struct hs_jsonw *w, struct hs_output *out)
{
    if (w != NULL) {
        hs_jsonw_put(w, "={ check=%s result=%s looked=%" PRIu64 " faults=%" PRIu64 " examples=[",
                     rule->title,
                     c->skipped != NULL ? "skipped"
                     : c->faults == 0   ? "ok"
                                        : "failed",
                     c->looked, c->faults);
        for (uint64_t f = 0; f < c->faults && f < VERIFY_LINES; f++)
            hs_jsonw_text(w, c->lines[f]);
        hs_jsonw_put(w, "] }");
        return;
    }
    if (c->skipped != NULL)
        hs_say(out, "skip  %s: %s\n", rule->title, c->skipped);
    else
        hs_say(out, "%s  %s: %s %s, %s %s%s\n", c->faults == 0 ? "ok  " : "FAIL", rule->title,
               HS_GROUPED(c->looked), rule->things, HS_GROUPED(c->faults), rule->faults, c->note);
    for (uint64_t f = 0; f < c->faults && f < VERIFY_LINES; f++)
        hs_say(out, "        %s\n", c->lines[f]);
}

static enum hs_status verify_all(struct verify_run *run, bool as_json, struct hs_output *out)
{
    const struct verify_rule *lists[] = {
        file_rules,          verify_schedule_rules, verify_job_rules,    verify_deadline_rules,
        verify_outage_rules, verify_window_rules,   verify_summary_rules};
    static const struct verify_rule none = {.title = NULL};
    struct hs_jsonw w;
    uint32_t made = 0, failed = 0;
    HS_TRY(load(run));
    hs_jsonw_begin(&w, out);
    if (as_json)
        hs_jsonw_put(&w, "={ run=%s checks=[", run->dir);
    if (!run->has_deadlines)
        lists[3] = &none;
    if (run->setup.events == NULL && run->setup.faults == NULL)
        lists[4] = &none;
    if (run->setup.reservations == NULL)
        lists[5] = &none;
    for (size_t i = 0; i < HS_COUNT_OF(lists); i++)
        for (uint32_t count; (count = rules_together(lists[i])) > 0; lists[i] += count) {
            struct verify_check checks[VERIFY_TOGETHER] = {0};
            hs_advance(run->diag, "checks", -1);
            HS_TRY(verify_apply(run, lists[i], count, checks));
            for (uint32_t r = 0; r < count; r++) {
                say_check(&lists[i][r], &checks[r], as_json ? &w : NULL, out);
                made += checks[r].skipped == NULL;
                failed += checks[r].faults > 0;
            }
        }
    if (as_json) {
        hs_jsonw_put(&w, "] made=%u failed=%u }", made, failed);
        hs_jsonw_finish(&w);
    }
    if (failed > 0)
        return hs_fail(run->diag, HS_E_DIFFERS, NULL, NULL,
                       "%s: %" PRIu32 " of %" PRIu32 " checks failed", run->dir, failed, made);
    if (!as_json)
        hs_say(out, "%" PRIu32 " checks passed\n", made);
    return HS_OK;
}

enum hs_status hs_verify_run(const char *run_dir, bool as_json, struct hs_output *out,
                             struct hs_diag *diag)
{
    struct verify_run run = {.dir = run_dir, .diag = diag};
    enum hs_status s = verify_all(&run, as_json, out);
    hs_free(run.nodes);
    hs_free(run.gpus);
    hs_spill_free(&run.spill);
    hs_free(run.events);
    hs_free(run.windows);
    hs_intern_free(&run.ids);
    hs_intern_free(&run.vcs);
    hs_intern_free(&run.users);
    hs_intern_free(&run.types);
    hs_intern_free(&run.node_names);
    hs_runmanifest_close(&run.manifest);
    hs_arena_free(&run.arena);
    return s;
}
