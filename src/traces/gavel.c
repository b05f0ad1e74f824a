/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel's traces (stanford-futuredata/gavel; Narayanan et al., OSDI'20), a line of fields between
 * tabs a job and no header. Ten fields, seven in the old ones (traces/msr, of clusters of Philly),
 * and twelve in those of Shockwave (NSDI'23):
 *
 *     job type, command, [working directory,] steps argument, needs data, total steps, GPUs,
 *     [mode,] priority weight, SLO, [duration,] arrival
 *     job type, command, steps argument, needs data, total steps, arrival, GPUs
 *
 * A job runs for total steps / throughput, alone on V100 GPUs, by a file of throughputs that the
 * user names (traces/gavelspeed.h): the profiles that we ship time 18 of Gavel's 26 jobs on a V100
 * and cannot stand in. Shockwave's duration is taken as it stands. The SLO is a multiple of the
 * duration after the arrival, -1 none. The priority is the weight less one: that of every job of
 * most traces, 1, is none. "LM (batch size 5)" is model and batch, by our names of Gavel's models,
 * "-" no model. Jobs are numbered from 0, as Gavel does.
 */
#include <string.h>

#include "base/fmt.h"
#include "base/timeparse.h"
#include "data/fieldread.h"
#include "traces/cell.h"
#include "traces/format.h"
#include "traces/gavel_layout.h"
#include "traces/gavelspeed.h"

enum part { TYPE, STEPS, GPUS, WEIGHT, SLO, DURATION, ARRIVAL, PARTS };

#define NONE UINT32_MAX

static const struct shape {
    uint32_t fields;
    uint32_t at[PARTS]; /* of which fields */
} shapes[] = {
    {7, {[TYPE] = 0, 4, 6, NONE, NONE, NONE, 5}},
    {10, {[TYPE] = 0, 5, 6, 7, 8, NONE, 9}},
    {12, {[TYPE] = 0, 5, 6, 8, 9, 10, 11}},
};

static const char *const names[PARTS] = {"job type",        "total steps", "scale factor",
                                         "priority weight", "SLO",         "duration",
                                         "arrival time"};

struct gavel {
    struct hs_fieldread in;
    struct hs_faults *faults;
    struct hs_gavel_speeds speeds;
    const struct shape *shape; /* of the row, and of those before it */
    struct hs_gavel_job name;
    const char *path; /* of the speeds; NULL = none */
    uint64_t row;
    char id[HS_FMT_MAX + 1];
};

static const struct shape *find_shape(uint32_t fields)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].fields == fields)
            return &shapes[i];
    return NULL;
}

static int recognise(const char *head, size_t len)
{
    static const enum part numbers[] = {STEPS, GPUS, ARRIVAL};
    const char *line, *fields[HS_FIELDS_MAX];
    uint32_t lengths[HS_FIELDS_MAX];
    size_t line_len;
    double value;
    if (!hs_fields_head(head, len, '\0', &line, &line_len))
        return 0;
    const struct shape *shape =
        find_shape(hs_fields_split(line, line_len, HS_FIELDS_TABS, fields, lengths));
    if (shape == NULL)
        return 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint32_t at = shape->at[numbers[i]];
        if (!hs_parse_double(fields[at], lengths[at], &value))
            return 0;
    }
    return 90;
}

static enum hs_status open_gavel(void *state, struct hs_input *input,
                                 const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct gavel *g = state;
    g->faults = faults;
    g->path = options->gavel_throughputs;
    hs_fieldread_init(&g->in, input, HS_FIELDS_TABS, hs_faults_relay(faults));
    return g->path != NULL ? hs_gavel_speeds_load(&g->speeds, g->path, faults->diag) : HS_OK;
}

static struct hs_place place_of(const struct gavel *g, enum part part)
{
    return hs_fieldread_place(&g->in, g->shape != NULL ? g->shape->at[part] : 0);
}

static const char *text_of(const struct gavel *g, enum part part, size_t *len)
{
    *len = g->in.lengths[g->shape->at[part]];
    return g->in.fields[g->shape->at[part]];
}

static enum hs_status fail_part(const struct gavel *g, enum part part, enum hs_cell_result result)
{
    size_t len;
    const char *text = text_of(g, part, &len);
    struct hs_place place = place_of(g, part);
    return hs_cell_fail(g->faults, result, &place, names[part], text);
}

static enum hs_status read_span(const struct gavel *g, enum part part, int64_t *out_us)
{
    size_t len;
    const char *text = text_of(g, part, &len);
    enum hs_cell_result result = hs_cell_span(text, len, HS_TRACE_TIME_UNIT_US, out_us);
    return result == HS_CELL_OK ? HS_OK : fail_part(g, part, result);
}

static enum hs_status read_type(struct gavel *g, struct hs_trace_job *job)
{
    size_t len;
    const char *text = text_of(g, TYPE, &len);
    struct hs_place place = place_of(g, TYPE);
    if (!hs_gavel_template_parse(text, len, &g->name))
        return hs_trace_bad_row(g->faults, HS_FAULT_STATE, &place, "\"ResNet-18 (batch size 16)\"",
                                "not the name of a job: '%.80s'", text);
    if (strcmp(g->name.family, HS_GAVEL_NO_MODEL) != 0)
        job->model = hs_gavel_model(g->name.family, &job->dataset);
    if (g->name.batch[0] != '\0')
        job->batch = g->name.batch;
    return HS_OK;
}

static enum hs_status no_speeds(const struct gavel *g)
{
    struct hs_place place = place_of(g, STEPS);
    return hs_fail(g->faults->diag, HS_E_USAGE, &place,
                   "--gavel-throughputs=FILE, one of Gavel's *_throughputs.json",
                   "a trace of Gavel tells the steps of a job: how long one takes is missing");
}

/* Duration and time of a step, both from the speed. */
static enum hs_status apply_speed(const struct gavel *g, int64_t steps, struct hs_trace_job *job)
{
    struct hs_place place = place_of(g, TYPE);
    size_t len;
    if (g->path == NULL)
        return no_speeds(g);
    double per_second = hs_gavel_speeds_find(&g->speeds, &g->name, job->gpus);
    if (per_second <= 0)
        return hs_trace_bad_row(g->faults, HS_FAULT_MISSING, &place,
                                g->shape->fields == 7
                                    ? "old traces, of 7 fields, go with oracle_throughputs.json"
                                    : "another of Gavel's *_throughputs.json may have it",
                                "%s has no speed of '%.80s' on %u GPU%s", g->path,
                                text_of(g, TYPE, &len), job->gpus, job->gpus == 1 ? "" : "s");
    double us = (double)steps / per_second * 1e6, step_us = 1e6 / per_second;
    if (us > (double)HS_TRACE_TIME_MAX || step_us > (double)HS_TRACE_TIME_MAX)
        return fail_part(g, STEPS, HS_CELL_TOO_LARGE);
    job->duration_us = (int64_t)(us + 0.5);
    job->step_us = (int64_t)(step_us + 0.5);
    return HS_OK;
}

static enum hs_status read_duration(const struct gavel *g, struct hs_trace_job *job)
{
    size_t len;
    int64_t steps;
    const char *text = text_of(g, STEPS, &len);
    if (!hs_parse_int64(text, len, &steps))
        return fail_part(g, STEPS, HS_CELL_NOT_A_COUNT);
    if (steps < 0)
        return fail_part(g, STEPS, HS_CELL_NEGATIVE);
    if (g->shape->at[DURATION] == NONE)
        return apply_speed(g, steps, job);
    HS_TRY(read_span(g, DURATION, &job->duration_us));
    if (steps > 0 && job->duration_us > 0)
        job->step_us = (job->duration_us + steps / 2) / steps;
    return HS_OK;
}

static enum hs_status read_weight(const struct gavel *g, struct hs_trace_job *job)
{
    const int64_t one = 1000000; /* in millionths */
    size_t len;
    int64_t weight;
    const char *text = text_of(g, WEIGHT, &len);
    struct hs_place place = place_of(g, WEIGHT);
    if (!hs_parse_decimal_us(text, len, one, &weight))
        return fail_part(g, WEIGHT, HS_CELL_NOT_A_NUMBER);
    if (weight % one != 0)
        return hs_trace_bad_row(g->faults, HS_FAULT_FRACTION, &place,
                                "priorities are whole numbers here: 3 and 2 for 1.5 and 1",
                                "priority weight is not a whole number: '%s'", text);
    weight = weight / one - 1;
    if (weight < INT32_MIN || weight > INT32_MAX)
        return fail_part(g, WEIGHT, HS_CELL_TOO_LARGE);
    job->priority = (int32_t)weight;
    return HS_OK;
}

static enum hs_status read_slo(const struct gavel *g, struct hs_trace_job *job)
{
    size_t len;
    double slo;
    const char *text = text_of(g, SLO, &len);
    if (!hs_parse_double(text, len, &slo))
        return fail_part(g, SLO, HS_CELL_NOT_A_NUMBER);
    if (slo < 0)
        return HS_OK;
    double after_us = slo * (double)job->duration_us;
    if (after_us > (double)HS_TRACE_TIME_MAX)
        return fail_part(g, SLO, HS_CELL_TOO_LARGE);
    job->deadline_us = job->submit_us + (int64_t)(after_us + 0.5);
    return HS_OK;
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct gavel *g = state;
    size_t len;
    (void)dropped;
    HS_TRY(hs_fieldread_next(&g->in));
    *job = (struct hs_trace_job)HS_TRACE_JOB_BLANK;
    job->line = g->in.line;
    g->shape = find_shape(g->in.count);
    if (g->shape == NULL) {
        struct hs_place place = hs_fieldread_place(&g->in, g->in.count);
        return hs_trace_bad_row(g->faults, HS_FAULT_FIELDS, &place, "7, 10 or 12, between tabs",
                                "%u fields", g->in.count);
    }
    g->id[hs_fmt_u64(g->id, g->row++)] = '\0';
    job->id = g->id;
    HS_TRY(read_type(g, job));
    const char *gpus = text_of(g, GPUS, &len);
    enum hs_cell_result result = hs_cell_count(gpus, len, &job->gpus);
    if (result != HS_CELL_OK)
        return fail_part(g, GPUS, result);
    HS_TRY(read_span(g, ARRIVAL, &job->submit_us));
    HS_TRY(read_duration(g, job));
    if (g->shape->at[WEIGHT] == NONE)
        return HS_OK;
    HS_TRY(read_weight(g, job));
    return read_slo(g, job);
}

static struct hs_place place(void *state, const char *column)
{
    static const struct {
        const char *key;
        enum part part;
    } parts[] = {{"submit_time", ARRIVAL}, {"duration", STEPS},  {"gpus", GPUS},
                 {"deadline", SLO},        {"priority", WEIGHT}, {"step", STEPS}};
    const struct gavel *g = state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].key, column) == 0)
            return place_of(g, parts[i].part);
    return place_of(g, TYPE);
}

static void close_gavel(void *state)
{
    struct gavel *g = state;
    hs_fieldread_free(&g->in);
    hs_gavel_speeds_free(&g->speeds);
}

const struct hs_trace_format hs_trace_format_gavel = {
    .name = "gavel",
    .summary = "Gavel's traces, 7 or 10 fields between tabs (OSDI'20), 12 of Shockwave (NSDI'23)",
    .columns = "job type, total steps, scale factor, arrival time; optional: priority weight, SLO, "
               "duration; without the last --gavel-throughputs",
    .layout = &hs_gavel_layout,
    .recognise = recognise,
    .state_size = sizeof(struct gavel),
    .open = open_gavel,
    .next = next,
    .place = place,
    .close = close_gavel,
};
