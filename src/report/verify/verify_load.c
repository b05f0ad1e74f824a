/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads what was simulated and what came of it: the configuration in manifest.json, whose keys are
 * those of `horus run --config`; the cluster that it names, parsed here a second time so that the
 * check shares no code with the model; the trace; jobs.csv and segments.csv. A file that is not
 * what it should be is bad input and ends the verification; a file that states something wrong is
 * for the rules to find. O(trace + segments) time and memory.
 *
 * GPU ids count up through the nodes in the order of the description of the cluster; a node without
 * a type has GPUs of the type GPU. A description that the simulator took is taken to be well
 * formed; what is not understood is bad input all the same.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "data/csvread.h"
#include "data/json.h"
#include "data/param_table.h"
#include "report/run/manifest.h"
#include "report/verify/verify_data.h"
#include "traces/trace_stream.h"

#define JOBS_MAX      (HS_INTERN_MAX - 1)
#define SEGMENTS_MAX  UINT32_MAX
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

/* Those keys of the configuration that say what was simulated. Presets: only for a key that the
 * configuration leaves out because it is absent by default. */
#define KEY(name, kind, field, value)                                                              \
    .key = name, .type = HS_PARAM_##kind, .offset = offsetof(struct verify_setup, field),          \
    .preset = value
static const struct hs_param table[] = {
    {KEY("trace", TEXT, trace.path, NULL)},
    {KEY("format", TEXT, trace.format, "auto")},
    {KEY("map", TEXT, trace.map, NULL)},
    {KEY("gavel_throughputs", TEXT, trace.gavel_throughputs, NULL)},
    {KEY("cluster", TEXT, cluster, NULL)},
    {KEY("outcomes", TEXT, trace.outcomes, NULL)},
    {KEY("sort", TEXT, sort, "8192")},
    {KEY("time_unit", CHOICE, time_unit, "auto"), .choices = time_units},
    {KEY("philly_attempts", CHOICE, trace.philly_attempts, "merge"), .choices = attempts},
    {KEY("retries", CHOICE, retries, "merge"), .choices = retries},
    {KEY("cpu_jobs", CHOICE, trace.cpu_jobs, "skip"), .choices = cpu_jobs},
    {KEY("zero_duration", CHOICE, trace.zero_duration, "keep"), .choices = zero_durations},
    {KEY("openb_pending", CHOICE, trace.openb_pending, "drop"), .choices = openb_pending},
    {KEY("vc", CHOICE, vc, "ignore"), .choices = vc_modes},
    {KEY("max_jobs", INT, trace.max_jobs, "0")},
    {KEY("until", DURATION, until_us, "0s")},
    {KEY("warmup", DURATION, warmup_us, "0s")},
    {KEY("cooldown", DURATION, cooldown_us, "0s")},
    {KEY("seed", INT, trace.sample_seed, "1")},
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
        const struct hs_place at = hs_json_place(doc, value);
        char number[HS_RUNMANIFEST_NUMBER_SIZE];
        const char *text = hs_runmanifest_text(value, number);
        if (text != NULL)
            HS_TRY(hs_param_set(table, m, &run->arena, "manifest", p->key, text, &at, run->diag));
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
    if (m->until_us == 0)
        m->until_us = HS_TIME_MAX;
    const char *can = run->manifest.can != NULL ? run->manifest.can : ""; /* words of the card */
    m->is_slicing = strstr(can, "slice") != NULL;
    m->is_throttling = strstr(can, "throttle") != NULL;
    m->is_resizing = strstr(can, "resize") != NULL;
    m->is_sharing = strstr(can, "co-locate") != NULL; /* slice groups too */
    m->is_partitioned = m->vc == VC_PARTITION;
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

/* ---- the trace ---- */

static enum hs_status add_job(struct verify_run *run, const struct hs_trace_job *j,
                              int64_t *epoch_us)
{
    if (run->job_count == 0)
        *epoch_us = j->submit_us;
    uint32_t name, vc, types, workers = j->gpus > 0 ? j->gpus : 1;
    vc = hs_intern_get(&run->vcs, j->vc);
    types = hs_intern_get(&run->types, j->gpu_type);
    name = hs_intern_get(&run->ids, j->id);
    if (name != run->job_count + 1)
        return hs_fail(run->diag, HS_E_INPUT, NULL, "give every job of the trace an id of its own",
                       "%s:%" PRId64 ": job id '%s' is not unique, so its segments cannot be told "
                       "apart",
                       run->setup.trace.path, j->line, j->id);
    hs_grow((void **)&run->jobs, &run->job_cap, (uint64_t)run->job_count + 1, sizeof *run->jobs,
            JOBS_MAX);
    run->jobs[run->job_count++] = (struct verify_job){.id = hs_intern_text(&run->ids, name),
                                                      .submit_us = j->submit_us - *epoch_us,
                                                      .recorded_us = j->duration_us,
                                                      .work_us = j->duration_us,
                                                      .first_attempt = run->attempt_count,
                                                      .attempts = j->attempts,
                                                      .gpus = j->gpus,
                                                      .gpus_min = j->gpus_min,
                                                      .gpus_max = j->gpus_max,
                                                      .gpu_milli = j->gpu_milli,
                                                      .types = types,
                                                      .worker_cpus_milli = j->cpus_milli / workers,
                                                      .worker_mem_mib = j->mem_mib / workers,
                                                      .persistent_mib = j->gpu_mem_persistent_mib,
                                                      .vc = vc,
                                                      .job_class = j->job_class,
                                                      .sum = {.first_start_us = -1,
                                                              .last_end_us = -1,
                                                              .finish_us = -1,
                                                              .suspended_from_us = -1,
                                                              .suspended_node = VERIFY_NONE,
                                                              .first_long_us = -1,
                                                              .is_full_speed = true}};
    hs_grow((void **)&run->attempts_us, &run->attempt_cap,
            (uint64_t)run->attempt_count + j->attempts, sizeof *run->attempts_us, SEGMENTS_MAX);
    for (uint32_t i = 0; i < j->attempts; i++)
        run->attempts_us[run->attempt_count++] = j->attempts_us[i];
    return HS_OK;
}

static enum hs_status load_trace(struct verify_run *run)
{
    struct hs_trace *trace;
    HS_TRY(hs_trace_open(&trace, &run->setup.trace, run->diag));
    struct hs_trace_job *job;
    int64_t epoch_us = 0;
    enum hs_status s = HS_OK;
    while (s == HS_OK && (s = hs_trace_next(trace, &job)) == HS_OK)
        s = add_job(run, job, &epoch_us);
    if (s == HS_END)
        s = hs_trace_identity(trace, &run->trace_hash, &run->trace_bytes);
    hs_trace_close(trace);
    return s;
}

/* ---- jobs.csv ---- */

struct job_cells {
    struct verify_row row;
    const char *id, *success, *status, *job_class, *gpu_seconds;
};
#define AT(field) offsetof(struct job_cells, field)

static const struct hs_rowcell job_cells[] = {
    {"gpu_seconds", HS_ROWCELL_TEXT, AT(gpu_seconds)}, /* first: read by number */
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
    {"class", HS_ROWCELL_TEXT, AT(job_class)},
    {"success", HS_ROWCELL_TEXT, AT(success)},
    {"status", HS_ROWCELL_TEXT, AT(status)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static uint32_t job_of(const struct verify_run *run, const char *id)
{
    const uint32_t name = hs_intern_find(&run->ids, id);
    return name != UINT32_MAX && name != 0 ? name - 1 : VERIFY_NONE;
}

static enum hs_status add_job_row(void *ctx, const struct hs_rowfile *f)
{
    struct verify_run *run = ctx;
    struct job_cells cells = {.row = {.line = f->row.line}};
    struct verify_row *row = &cells.row;
    const uint32_t index = job_of(run, hs_rowfile_text(f, 1));
    if (index == VERIFY_NONE || run->jobs[index].row.line != 0) {
        if (run->strange_rows++ == 0)
            run->strange_line = f->row.line;
        return HS_OK;
    }
    struct verify_job *job = &run->jobs[index];
    HS_TRY(hs_rowfile_read(f, &cells));
    /* it has three decimals more for a share of a GPU */
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
    row->is_done = strcmp(cells.success, "1") == 0;
    row->is_rejected = strcmp(cells.status, "rejected") == 0;
    job->row = *row;
    run->is_divided = run->is_divided || row->gpu_milli < VERIFY_GPU_MILLI;
    /* generated attempts come on top of the trace; less is reported as a difference */
    if (run->setup.retries == VERIFY_GENERATE && row->work_us > job->recorded_us)
        job->work_us = row->work_us;
    return HS_OK;
}

/* ---- segments.csv ---- */

struct segment_cells {
    struct verify_segment seg;
    const char *id, *gpus, *ended_by;
};
#define SEG(field) offsetof(struct segment_cells, field)

static const struct hs_rowcell segment_cells[] = {
    {"job_id", HS_ROWCELL_TEXT, SEG(id)},
    {"start", HS_ROWCELL_TIME_OR_NONE, SEG(seg.start_us)},
    {"end", HS_ROWCELL_TIME_OR_NONE, SEG(seg.end_us)},
    {"mean_rate", HS_ROWCELL_RATE, SEG(seg.rate_nano)},
    {"tenants", HS_ROWCELL_COUNT32, SEG(seg.tenants)},
    {"allocated_resources", HS_ROWCELL_TEXT, SEG(gpus)},
    {"ended_by", HS_ROWCELL_TEXT, SEG(ended_by)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

/* "0-7 16 20-23": blanks between ranges, ids ascending. */
static enum hs_status read_gpus(struct verify_run *run, const struct hs_rowfile *f, const char *at,
                                struct verify_segment *seg)
{
    int64_t above = -1;
    seg->range_first = run->range_count;
    while (*at != '\0') {
        uint32_t first, last;
        if (!hs_rowfile_range(&at, &first, &last) || (int64_t)first <= above)
            return hs_rowfile_bad(f, "allocated_resources",
                                  "a list of ascending GPU ids such as '0-7 16'");
        hs_grow((void **)&run->ranges, &run->range_cap, (uint64_t)run->range_count + 1,
                sizeof *run->ranges, SEGMENTS_MAX);
        run->ranges[run->range_count++] = (struct verify_range){first, last};
        seg->range_count++;
        seg->gpus += last - first + 1;
        above = last;
    }
    return HS_OK;
}

static enum hs_status add_segment(void *ctx, const struct hs_rowfile *f)
{
    struct verify_run *run = ctx;
    struct segment_cells cells = {.seg = {.line = f->row.line}};
    struct verify_segment *seg = &cells.seg;
    HS_TRY(hs_rowfile_read(f, &cells));
    if (seg->start_us < 0 || seg->end_us < seg->start_us)
        return hs_rowfile_bad(f, "end", "a time at or after start");
    int end = 0;
    while (end <= HS_SEGMENT_FAILURE &&
           strcmp(cells.ended_by, hs_segment_end_text((enum hs_segment_end)end)) != 0)
        end++;
    if (end > HS_SEGMENT_FAILURE)
        return hs_rowfile_bad(f, "ended_by",
                              "finish, preempt, suspend, migrate, kill, horizon, oom or failure");
    seg->ended_by = (enum hs_segment_end)end;
    HS_TRY(read_gpus(run, f, cells.gpus, seg));
    seg->job = job_of(run, cells.id);
    hs_grow((void **)&run->segments, &run->segment_cap, (uint64_t)run->segment_count + 1,
            sizeof *run->segments, SEGMENTS_MAX);
    run->segments[run->segment_count++] = *seg;
    return HS_OK;
}

/* ---- the whole ---- */

enum hs_status verify_load(struct verify_run *run)
{
    hs_intern_init(&run->ids);
    hs_intern_init(&run->vcs);
    hs_intern_init(&run->types);
    HS_TRY(hs_runmanifest_open(&run->manifest, run->dir, run->diag));
    HS_TRY(read_config(run));
    HS_TRY(require_output(run, "jobs.csv"));
    HS_TRY(require_output(run, "segments.csv"));
    HS_TRY(load_cluster(run, run->setup.cluster));
    HS_TRY(load_trace(run));
    run->manifest.keeps_quiet = true; /* a rule compares the hashes */
    HS_TRY(hs_rowfile_each(&run->manifest, "jobs.csv", job_cells, add_job_row, run));
    return hs_rowfile_each(&run->manifest, "segments.csv", segment_cells, add_segment, run);
}

void verify_free(struct verify_run *run)
{
    hs_free(run->nodes);
    hs_free(run->gpus);
    hs_free(run->jobs);
    hs_free(run->segments);
    hs_free(run->ranges);
    hs_free(run->attempts_us);
    hs_intern_free(&run->ids);
    hs_intern_free(&run->vcs);
    hs_intern_free(&run->types);
    hs_runmanifest_close(&run->manifest);
    hs_arena_free(&run->arena);
}
