/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The native format "csv": one header line, columns by name in any order, only job_id,
 * submit_time, gpus and duration required, other names through a mapping. Bare numbers are in the
 * time unit (seconds), times may also be written as date and time; further columns are ignored.
 */
#include <string.h>

#include "traces/layout.h"
#include "traces/mapping.h"

#define COLUMN(name, kind, is_required, member) HS_COLUMN(name, name, kind, is_required, member)

/* State and GPU count first: see traces/table.h. */
static const struct hs_column columns[] = {
    COLUMN("status", FATE, false, outcome),
    COLUMN("gpus", GPUS, true, gpus),
    COLUMN("gpu_milli", SHARE, false, gpu_milli),
    COLUMN("job_id", ID, true, id),
    COLUMN("submit_time", TIME, true, submit_us),
    COLUMN("duration", SPAN, true, duration_us),
    COLUMN("user", TEXT, false, user),
    COLUMN("vc", TEXT, false, vc),
    COLUMN("gpu_type", TEXT, false, gpu_type),
    COLUMN("model", TEXT, false, model),
    COLUMN("dataset", TEXT, false, dataset),
    COLUMN("batch", BATCH, false, batch),
    COLUMN("precision", TEXT, false, precision),
    COLUMN("nodes", COUNT, false, nodes),
    COLUMN("cpus", MILLI, false, cpus_milli),
    COLUMN("mem_mib", MIB, false, mem_mib),
    COLUMN("gpu_mem_mib", MIB, false, gpu_mem_mib),
    COLUMN("gpu_util", PERCENT, false, gpu_util_pm),
    COLUMN("priority", INT, false, priority),
    COLUMN("deadline", TIME, false, deadline_us),
    COLUMN("preempt_cost", SPAN, false, preempt_cost_us),
    COLUMN("gpus_min", COUNT, false, gpus_min),
    COLUMN("gpus_max", COUNT, false, gpus_max),
    COLUMN("class", CLASS, false, job_class),
    COLUMN("step", SPAN, false, step_us),
    COLUMN("gpu_mem_persistent_mib", MIB, false, gpu_mem_persistent_mib),
    COLUMN("checkpoint_mib", MIB, false, checkpoint_mib),
    COLUMN("gpu_mem_later_mib", MIB, false, gpu_mem_later_mib),
    COLUMN("gpu_mem_later_after", SPAN, false, later_us),
    COLUMN("outcome", FATE, false, outcome),
    COLUMN("attempts", ATTEMPTS, false, attempts_us), /* behind duration, which it must add up to */
};

#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

/* In the order of their importance to a reader; later ones are appended. */
static const struct hs_layout_cell cells[] = {
    {.name = "job_id"},
    {.name = "submit_time"},
    {.name = "gpus"},
    {.name = "duration"},
    {.name = "user"},
    {.name = "vc"},
    {.name = "gpu_type"},
    {.name = "model"},
    {.name = "dataset"},
    {.name = "batch"},
    {.name = "precision"},
    {.name = "nodes"},
    {.name = "cpus"},
    {.name = "mem_mib"},
    {.name = "gpu_mem_mib"},
    {.name = "gpu_util"},
    {.name = "priority"},
    {.name = "deadline"},
    {.name = "preempt_cost"},
    {.name = "gpus_min"},
    {.name = "gpus_max"},
    {.name = "outcome"},
    {.name = "attempts"},
    {.name = "class"},
    {.name = "step"},
    {.name = "gpu_mem_persistent_mib"},
    {.name = "checkpoint_mib"},
    {.name = "gpu_mem_later_mib"},
    {.name = "gpu_mem_later_after"},
    {.name = "gpu_milli"},
};

static const struct hs_trace_layout layout = {
    .suffix = ".csv",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .cells = cells,
    .cell_count = sizeof cells / sizeof *cells,
};

struct native {
    struct hs_table table;
    struct hs_mapping mapping;
};

/* A header with the four required names is ours; any other CSV is, for want of something better,
 * and the message about its missing columns tells what to do. */
static int recognise(const char *head, size_t len)
{
    static const char *const names[] = {"job_id", "submit_time", "gpus", "duration", NULL};
    if (hs_header_has_all(head, len, names))
        return 80;
    const char *line_end = memchr(head, '\n', len);
    size_t line_len = line_end ? (size_t)(line_end - head) : len;
    return memchr(head, ',', line_len) && head[0] != '[' && head[0] != '{' ? 5 : 0;
}

static enum hs_status open_native(void *state, struct hs_input *input,
                                  const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct native *n = state;
    HS_TRY(hs_mapping_load(&n->mapping, options->map, columns, COLUMN_COUNT, faults->diag));
    struct hs_trace_options own = *options;
    if (own.time_unit_us == 0) /* the mapping describes the file, the option is about this run */
        own.time_unit_us = n->mapping.time_unit_us;
    return hs_table_open(&n->table, input, &own, faults, columns, COLUMN_COUNT, n->mapping.names);
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct native *n = state;
    return hs_table_next(&n->table, job, dropped);
}

static struct hs_place place(void *state, const char *column)
{
    const struct native *n = state;
    return hs_table_place(&n->table, column);
}

static void close_native(void *state)
{
    struct native *n = state;
    hs_table_close(&n->table);
    hs_mapping_free(&n->mapping);
}

const struct hs_trace_format hs_trace_format_csv = {
    .name = "csv",
    .summary = "native CSV: columns by name, others through --map",
    .columns = "job_id, submit_time, gpus, duration; optional: user, vc, gpu_type, model, dataset, "
               "batch, precision, nodes, cpus, mem_mib, gpu_mem_mib, gpu_util, priority, "
               "deadline, preempt_cost, gpus_min, gpus_max, status or outcome, attempts, "
               "class, step, gpu_mem_persistent_mib, checkpoint_mib, gpu_mem_later_mib, "
               "gpu_mem_later_after, gpu_milli",
    .has_attempts = true,
    .has_text_room = true,
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct native),
    .open = open_native,
    .next = next,
    .place = place,
    .close = close_native,
};
