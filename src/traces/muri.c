/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Muri's job files (Rivendile/Muri; Zhao et al., SIGCOMM'22): those of Tiresias and the time of an
 * iteration, all times in milliseconds. `iterations` and `interval` follow from other columns;
 * resource_time_0..2, how an iteration divides among storage and CPU, GPU and network, belongs to
 * the model, not the job, and is not read.
 */
#include "traces/table.h"

#define COLUMN(key, name, kind, is_required, member)                                               \
    {                                                                                              \
        key, name, HS_CELL_##kind, is_required, offsetof(struct hs_trace_job, member)              \
    }

static const struct hs_column columns[] = {
    COLUMN("gpus", "num_gpu", COUNT, true, gpus),
    COLUMN("job_id", "job_id", ID, true, id),
    COLUMN("submit_time", "submit_time", TIME, true, submit_us),
    COLUMN("duration", "duration", SPAN, true, duration_us),
    COLUMN("step", "iteration_time", SPAN, false, step_us),
    COLUMN("user", "user", TEXT, false, user),
    COLUMN("model", "model_name", TEXT, false, model),
    COLUMN("batch", "batch_size", BATCH, false, batch),
    COLUMN("priority", "priority", INT, false, priority),
};

/* Tiresias' files have all but the last. */
static int recognise(const char *head, size_t len)
{
    static const char *const names[] = {"job_id",   "num_gpu",        "submit_time",
                                        "duration", "iteration_time", NULL};
    return hs_header_has_all(head, len, names) ? 95 : 0;
}

static enum hs_status open_muri(void *state, struct hs_input *input,
                                const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct hs_trace_options own = *options;
    if (own.time_unit_us == 0)
        own.time_unit_us = 1000;
    return hs_table_open(state, input, &own, faults, columns, sizeof columns / sizeof *columns,
                         NULL);
}

const struct hs_trace_format hs_trace_format_muri = {
    .name = "muri",
    .summary = "Muri job files, in ms (SIGCOMM'22)",
    .columns = "job_id, num_gpu, submit_time, duration, iteration_time; optional: user, "
               "model_name, batch_size, priority",
    .recognise = recognise,
    .state_size = sizeof(struct hs_table),
    .open = open_muri,
    .next = hs_table_format_next,
    .place = hs_table_format_place,
    .close = hs_table_format_close,
};
