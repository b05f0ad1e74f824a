/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel's traces (stanford-futuredata/gavel; Narayanan et al., OSDI'20): one line of tab-separated
 * fields per job, no header. Ten fields, or seven in old ones (traces/msr, of clusters of Philly),
 * or twelve in those of Shockwave (NSDI'23):
 *
 *     job type, command, [working directory,] steps argument, needs data, total steps, GPUs,
 *         [mode,] priority weight, SLO, [duration,] arrival
 *     job type, command, steps argument, needs data, total steps, arrival, GPUs
 *
 * A job runs for total steps / throughput, alone on V100 GPUs, according to a file of throughputs
 * named by the user: the shipped profiles time only 18 of Gavel's 26 jobs on a V100. Shockwave's
 * duration is used directly. The SLO is a multiple of the duration after the arrival, -1 = none.
 * The priority is the weight - 1, so that the usual weight 1 is none. "LM (batch size 5)" gives
 * model and batch, under our names of Gavel's models, "-" = no model. Jobs are numbered from 0, as
 * in Gavel.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/intern.h"
#include "data/names.h"
#include "data/json.h"
#include "traces/format.h"

#define NO_MODEL "-" /* a job type without a model */

/* ---- speeds ---- */

#define GPU_TYPE "v100"
#define ALONE    "null"
#define KEY_SIZE (HS_GAVEL_NAME_MAX + 64)

/* Steps per second of each job alone on V100 GPUs, from a file of throughputs of the artifact:
 *
 *     {"v100": {"('LM (batch size 5)', 2)": {"null": 28.3, ...}, ...}, ...}
 *
 * In some of those files jobs have no number of GPUs; such a speed holds for any number, as in
 * traces/msr, whose steps are seconds times the speed on one GPU. A look-up is one in a hash
 * table. */
struct speeds {
    struct hs_intern jobs;
    double *per_second; /* by id in jobs; 0 = none */
    uint32_t cap;
};

/* Names have no '/'. */
static void make_key(const struct hs_gavel_job *job, uint32_t gpus, char key[KEY_SIZE])
{
    (void)snprintf(key, KEY_SIZE, "%s/%s/%" PRIu32, job->family, job->batch, gpus);
}

static enum hs_status speeds_read(struct speeds *speeds, const struct hs_json_doc *doc,
                                  struct hs_diag *diag)
{
    const struct hs_json *root = hs_json_root(doc), *jobs = NULL;
    struct hs_place place = hs_json_place(doc, root);
    if (hs_json_kind(root) == HS_JSON_OBJECT)
        for (const struct hs_json *m = hs_json_first(root); m != NULL; m = hs_json_next(m))
            if (strcasecmp(hs_json_key(m), GPU_TYPE) == 0)
                jobs = m;
    if (hs_json_kind(jobs) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, &place, "{\"v100\": {job: {\"null\": steps a second}}}",
                       "no throughputs of a V100");
    for (const struct hs_json *m = hs_json_first(jobs); m != NULL; m = hs_json_next(m)) {
        struct hs_gavel_job job;
        char key[KEY_SIZE];
        const struct hs_json *alone = hs_json_get(m, ALONE);
        place = hs_json_place_key(doc, m);
        if (!hs_gavel_job_parse(hs_json_key(m), &job))
            return hs_fail(diag, HS_E_INPUT, &place,
                           "\"('ResNet-18 (batch size 16)', 1)\" or \"ResNet-18 (batch size 16)\"",
                           "not the name of a job: '%.80s'", hs_json_key(m));
        if (hs_json_kind(alone) != HS_JSON_NUMBER || hs_json_number(alone) < 0)
            return hs_fail(diag, HS_E_INPUT, &place, "{\"" ALONE "\": 28.3, ...}",
                           "job '%.80s' has no \"" ALONE "\", its steps a second alone",
                           hs_json_key(m));
        make_key(&job, job.gpus, key);
        uint32_t id = hs_intern_get(&speeds->jobs, key);
        hs_grow(speeds->per_second, speeds->cap, (uint64_t)id + 1, HS_INTERN_MAX);
        speeds->per_second[id] = hs_json_number(alone);
    }
    return HS_OK;
}

static enum hs_status speeds_load(struct speeds *speeds, const char *path, struct hs_diag *diag)
{
    struct hs_json_doc *doc;
    *speeds = (struct speeds){0};
    hs_intern_init(&speeds->jobs);
    HS_TRY(hs_json_load(&doc, path, diag));
    enum hs_status status = speeds_read(speeds, doc, diag);
    hs_json_close(doc);
    return status;
}

static double speeds_find(const struct speeds *speeds, const struct hs_gavel_job *job,
                          uint32_t gpus)
{
    char key[KEY_SIZE];
    make_key(job, gpus, key);
    uint32_t id = hs_intern_find(&speeds->jobs, key);
    if (id == UINT32_MAX) {
        make_key(job, 0, key);
        id = hs_intern_find(&speeds->jobs, key);
    }
    return id != UINT32_MAX ? speeds->per_second[id] : 0;
}

static void speeds_free(struct speeds *speeds)
{
    hs_intern_free(&speeds->jobs);
    hs_free(speeds->per_second);
    speeds->per_second = NULL;
}

/* ---- writing ---- */

enum { TYPE, DATASET, BATCH, GPUS, WEIGHT, SLO, DURATION, STEPS, ARRIVAL, COLUMN_COUNT };

/* Dataset and batch follow from the type. A message about a duration points to the last column of
 * that name: the steps. */
static const struct hs_column columns[COLUMN_COUNT] = {
    [TYPE] = HS_COLUMN("model", "job type", TEXT, false, model),
    [DATASET] = HS_COLUMN("dataset", "job type", TEXT, false, dataset),
    [BATCH] = HS_COLUMN("batch", "job type", BATCH, false, batch),
    [GPUS] = HS_COLUMN("gpus", "scale factor", COUNT, true, gpus),
    [WEIGHT] = HS_COLUMN("priority", "priority weight", INT, false, priority),
    [SLO] = HS_COLUMN("deadline", "SLO", TIME, false, deadline_us),
    [DURATION] = HS_COLUMN("duration", "duration", SPAN, true, duration_us),
    [STEPS] = HS_COLUMN("duration", "total steps", OWN, false, step_us),
    [ARRIVAL] = HS_COLUMN("submit_time", "arrival time", TIME, true, submit_us),
};

struct writing {
    struct hs_csvw *csv;
    struct hs_diag *diag;
    const char *path; /* of the speeds; NULL = none */
    struct speeds speeds;
    enum hs_status status; /* the first failure */
};

/* ---- names of jobs ---- */

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static int64_t steps_of(const struct hs_trace_job *job)
{
    return job->step_us > 0 ? (job->duration_us + job->step_us / 2) / job->step_us : 0;
}

/* Characters not allowed in a name become '_'. */
static void name_job(const struct hs_trace_job *job, struct hs_gavel_job *name)
{
    const char *family = is_given(job->model) ? hs_gavel_family(job->model) : NO_MODEL;
    (void)snprintf(name->family, sizeof name->family, "%s", family);
    for (char *c = name->family; *c != '\0'; c++)
        if (*c == '/' || *c == '(' || iscntrl((unsigned char)*c))
            *c = '_';
    (void)snprintf(name->batch, sizeof name->batch, "%s", is_given(job->batch) ? job->batch : "");
    name->gpus = 0;
}

/* The dataset follows from the model, the step time from the number of steps; an SLO is at least 0,
 * a multiple of the duration. */
static bool keeps(const struct hs_trace_job *job, const struct hs_column *column)
{
    if (column->offset == offsetof(struct hs_trace_job, model) ||
        column->offset == offsetof(struct hs_trace_job, dataset)) {
        struct hs_gavel_job name;
        const char *dataset;
        name_job(job, &name);
        const char *model = hs_gavel_model(name.family, &dataset);
        if (column->offset == offsetof(struct hs_trace_job, dataset))
            return dataset != NULL && strcmp(dataset, job->dataset) == 0;
        return strcmp(job->model, NO_MODEL) != 0 && strcmp(model, job->model) == 0;
    }
    if (column->offset == offsetof(struct hs_trace_job, step_us)) {
        int64_t steps = steps_of(job);
        return steps > 0 && (job->duration_us + steps / 2) / steps == job->step_us;
    }
    if (column->offset == offsetof(struct hs_trace_job, deadline_us))
        return job->deadline_us == job->submit_us ||
               (job->deadline_us > job->submit_us && job->duration_us > 0);
    return true;
}

/* ---- lines ---- */

/* Writes a line without command, folder and argument of steps; it needs no data. */
static void put_line(struct writing *w, const struct hs_trace_job *job,
                     const struct hs_gavel_job *name, int64_t steps)
{
    const bool has_batch = name->batch[0] != '\0', has_span = w->path == NULL;
    double slo = job->deadline_us >= 0 ? 0 : -1;
    if (job->deadline_us >= job->submit_us && job->duration_us > 0)
        slo = (double)(job->deadline_us - job->submit_us) / (double)job->duration_us;
    hs_say(&w->csv->out, "%s%s%s%s\t-\t-\t-\t0\t%" PRId64 "\t%" PRIu32 "\t%s", name->family,
           has_batch ? " (batch size " : "", name->batch, has_batch ? ")" : "", steps, job->gpus,
           has_span ? "static\t" : "");
    hs_say(&w->csv->out, "%" PRId64 "\t%s\t%s%s%s\n", (int64_t)job->priority + 1, HS_DIGITS(slo),
           has_span ? HS_SECONDS(job->duration_us) : "", has_span ? "\t" : "",
           HS_SECONDS(job->submit_us));
}

static void put_job(void *state, const struct hs_trace_job *job)
{
    static const char hint[] =
        "without --gavel-throughputs durations are written, in the fields of Shockwave";
    struct writing *w = state;
    struct hs_gavel_job name;
    int64_t steps = steps_of(job);
    if (w->status != HS_OK)
        return;
    name_job(job, &name);
    double per_second = w->path != NULL ? speeds_find(&w->speeds, &name, job->gpus) : 0;
    if (w->path != NULL && per_second <= 0 && !is_given(job->model))
        w->status = hs_fail(w->diag, HS_E_INPUT, NULL, hint,
                            "job '%s' has no model: Gavel's traces need its steps", job->id);
    else if (w->path != NULL && per_second <= 0)
        w->status =
            hs_fail(w->diag, HS_E_INPUT, NULL, hint,
                    "%s has no speed of job '%s', %s of batch %s on %" PRIu32 " GPU%s", w->path,
                    job->id, job->model, is_given(job->batch) ? job->batch : "unknown", job->gpus,
                    job->gpus == 1 ? "" : "s");
    if (w->path != NULL)
        steps = (int64_t)llround((double)job->duration_us * per_second / 1e6);
    if (w->status == HS_OK)
        put_line(w, job, &name, steps);
}

static enum hs_status begin_writing(void *state, struct hs_csvw *csv,
                                    const struct hs_trace_options *options, struct hs_diag *diag)
{
    struct writing *w = state;
    *w = (struct writing){.csv = csv, .diag = diag};
    w->path = options != NULL ? options->gavel_throughputs : NULL;
    enum hs_status status = w->path != NULL ? speeds_load(&w->speeds, w->path, diag) : HS_OK;
    if (status != HS_OK)
        speeds_free(&w->speeds);
    return status;
}

static enum hs_status end_writing(void *state)
{
    struct writing *w = state;
    speeds_free(&w->speeds);
    return w->status;
}

static const struct hs_trace_layout layout = {
    .suffix = ".trace",
    .made_up = "no commands; a mode, static, where it is written as Shockwave's",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .keeps = keeps,
    .state_size = sizeof(struct writing),
    .begin = begin_writing,
    .put = put_job,
    .end = end_writing,
};

/* ---- reading ---- */

#define NONE       UINT32_MAX
#define FIELDS_MAX 12

/* Maps columns to fields, by the number of fields. */
static const struct field_shape {
    uint32_t fields, field_of[COLUMN_COUNT];
} shapes[] = {
    {7, {[TYPE] = 0, 0, 0, [GPUS] = 6, NONE, NONE, NONE, [STEPS] = 4, [ARRIVAL] = 5}},
    {10, {[TYPE] = 0, 0, 0, [GPUS] = 6, 7, 8, NONE, [STEPS] = 5, [ARRIVAL] = 9}},
    {12, {[TYPE] = 0, 0, 0, [GPUS] = 6, 8, 9, 10, [STEPS] = 5, [ARRIVAL] = 11}},
};

struct gavel {
    struct hs_table table; /* first: see traces/format.h */
    struct speeds speeds;
    struct hs_gavel_job name;
    const char *path; /* of the speeds; NULL = none */
    uint64_t row;
    char id[HS_FMT_MAX + 1];
};

static const struct field_shape *find_shape(uint32_t fields)
{
    for (size_t i = 0; i < HS_COUNT_OF(shapes); i++)
        if (shapes[i].fields == fields)
            return &shapes[i];
    return NULL;
}

static int recognise(const char *head, size_t len)
{
    static const uint32_t numbers[] = {STEPS, GPUS, ARRIVAL};
    const char *line, *fields[FIELDS_MAX];
    uint32_t lengths[FIELDS_MAX];
    size_t line_len;
    double value;
    if (!hs_plain_head(head, len, '\0', &line, &line_len))
        return 0;
    const struct field_shape *shape =
        find_shape(hs_plain_split(line, line_len, '\t', fields, lengths, FIELDS_MAX));
    for (size_t i = 0; shape != NULL && i < HS_COUNT_OF(numbers); i++) {
        uint32_t at = shape->field_of[numbers[i]];
        if (!hs_parse_double(fields[at], lengths[at], &value))
            return 0;
    }
    return shape != NULL ? 90 : 0;
}

static enum hs_status open_gavel(void *state, struct hs_input *input,
                                 const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct gavel *g = state;
    g->path = options->gavel_throughputs;
    hs_table_open_plain(&g->table, input, '\t', faults, columns, COLUMN_COUNT);
    return g->path != NULL ? speeds_load(&g->speeds, g->path, faults->diag) : HS_OK;
}

/* Computes duration and step time, both from the speed unless the trace has durations. */
static enum hs_status read_duration(const struct gavel *g, struct hs_trace_job *job)
{
    struct hs_faults *faults = g->table.faults;
    int64_t steps;
    HS_TRY(hs_table_cell_whole(&g->table, STEPS, &steps));
    job->steps = steps;
    if (g->table.field_of[DURATION] != NONE) {
        HS_TRY(hs_table_cell_span(&g->table, DURATION, &job->duration_us));
        if (steps > 0 && job->duration_us > 0)
            job->step_us = (job->duration_us + steps / 2) / steps;
        return HS_OK;
    }
    if (g->path == NULL) {
        return hs_fail(faults->diag, HS_E_USAGE, HS_AT(hs_table_spot(&g->table, STEPS)),
                       "--gavel-throughputs=FILE, one of Gavel's *_throughputs.json",
                       "a trace of Gavel has the steps of a job, not their duration");
    }
    double per_second = speeds_find(&g->speeds, &g->name, job->gpus);
    if (per_second <= 0)
        return hs_trace_bad_row(
            faults, HS_FAULT_MISSING, hs_table_spot(&g->table, TYPE),
            g->table.row.count == 7 ? "old traces, of 7 fields, go with oracle_throughputs.json"
                                    : "another of Gavel's *_throughputs.json may have it",
            "%s has no speed of '%.80s' on %u GPU%s", g->path, hs_table_cell(&g->table, TYPE),
            job->gpus, job->gpus == 1 ? "" : "s");
    double us = (double)steps / per_second * 1e6, step_us = 1e6 / per_second;
    if (us > (double)HS_TRACE_TIME_MAX || step_us > (double)HS_TRACE_TIME_MAX)
        return hs_table_check(&g->table, STEPS, HS_CELL_TOO_LARGE);
    job->steps_per_s = per_second;
    job->duration_us = (int64_t)(us + 0.5);
    job->step_us = (int64_t)(step_us + 0.5);
    return HS_OK;
}

static enum hs_status read_weight_and_slo(const struct gavel *g, struct hs_trace_job *job)
{
    const int64_t one = 1000000; /* in millionths */
    int64_t weight;
    double slo;
    const char *text = hs_table_cell(&g->table, WEIGHT);
    if (!hs_parse_decimal_us(text, strlen(text), one, &weight))
        return hs_table_check(&g->table, WEIGHT, HS_CELL_NOT_A_NUMBER);
    if (weight % one != 0)
        return hs_trace_bad_row(g->table.faults, HS_FAULT_FRACTION,
                                hs_table_spot(&g->table, WEIGHT),
                                "priorities are whole numbers here: 3 and 2 for 1.5 and 1",
                                "priority weight is not a whole number: '%s'", text);
    weight = weight / one - 1;
    if (weight < INT32_MIN || weight > INT32_MAX)
        return hs_table_check(&g->table, WEIGHT, HS_CELL_TOO_LARGE);
    job->priority = (int32_t)weight;
    text = hs_table_cell(&g->table, SLO);
    if (!hs_parse_double(text, strlen(text), &slo))
        return hs_table_check(&g->table, SLO, HS_CELL_NOT_A_NUMBER);
    double after_us = slo * (double)job->duration_us;
    if (slo >= 0 && after_us > (double)HS_TRACE_TIME_MAX)
        return hs_table_check(&g->table, SLO, HS_CELL_TOO_LARGE);
    if (slo >= 0)
        job->deadline_us = job->submit_us + (int64_t)(after_us + 0.5);
    return HS_OK;
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct gavel *g = state;
    struct hs_table *table = &g->table;
    (void)dropped;
    HS_TRY(hs_csv_next(table->csv, &table->row));
    *job = table->blank;
    job->line = table->row.line;
    const struct field_shape *shape = find_shape(table->row.count);
    if (shape == NULL)
        return hs_trace_bad_row(table->faults, HS_FAULT_FIELDS,
                                hs_csv_place(table->csv, table->row.count),
                                "7, 10 or 12, between tabs", "%u fields", table->row.count);
    memcpy(table->field_of, shape->field_of, sizeof shape->field_of);
    g->id[hs_fmt_u64(g->id, g->row++)] = '\0';
    job->id = g->id;
    const char *type = hs_table_cell(table, TYPE);
    if (!hs_gavel_job_parse(type, &g->name) || g->name.gpus > 0)
        return hs_trace_bad_row(table->faults, HS_FAULT_STATE, hs_table_spot(table, TYPE),
                                "\"ResNet-18 (batch size 16)\"", "not the name of a job: '%.80s'",
                                type);
    if (strcmp(g->name.family, NO_MODEL) != 0)
        job->model = hs_gavel_model(g->name.family, &job->dataset);
    if (g->name.batch[0] != '\0')
        job->batch = g->name.batch;
    HS_TRY(hs_table_cell_count(table, GPUS, &job->gpus));
    HS_TRY(hs_table_cell_span(table, ARRIVAL, &job->submit_us));
    HS_TRY(read_duration(g, job));
    return table->field_of[WEIGHT] == NONE ? HS_OK : read_weight_and_slo(g, job);
}

static void close_gavel(void *state)
{
    struct gavel *g = state;
    hs_table_close(&g->table);
    speeds_free(&g->speeds);
}

const struct hs_trace_format hs_trace_format_gavel = {
    .name = "gavel",
    .summary = "Gavel's traces, 7 or 10 fields between tabs (OSDI'20), 12 of Shockwave (NSDI'23)",
    .columns = "job type, total steps, scale factor, arrival time; optional: priority weight, SLO, "
               "duration; without the last --gavel-throughputs",
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct gavel),
    .open = open_gavel,
    .next = next,
    .close = close_gavel,
};
