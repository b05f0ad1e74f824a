/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helios cluster_log.csv (HeliosData; Hu et al., SC'21) and the files made from it (Lucid's
 * cluster_full_log): columns by header name, since versions differ; CPU jobs with 0 GPUs; Slurm
 * states; local times without a zone. start_time, end_time and queue tell what the cluster's own
 * scheduler did, and node_num where it put the job: none of them is a demand, so they are not read.
 */
#include "traces/table.h"

#define COLUMN(key, name, kind, is_required, member)                                               \
    {                                                                                              \
        key, name, HS_CELL_##kind, is_required, offsetof(struct hs_trace_job, member)              \
    }

static const struct hs_column columns[] = {
    COLUMN("status", "state", FATE, false, outcome),
    COLUMN("gpus", "gpu_num", COUNT, true, gpus),
    COLUMN("job_id", "job_id", ID, true, id),
    COLUMN("submit_time", "submit_time", TIME, true, submit_us),
    COLUMN("duration", "duration", SPAN, true, duration_us),
    COLUMN("user", "user", TEXT, false, user),
    COLUMN("vc", "vc", TEXT, false, vc),
    COLUMN("cpus", "cpu_num", MILLI, false, cpus_milli),
    COLUMN("model", "model", TEXT, false, model),
    COLUMN("dataset", "dataset", TEXT, false, dataset),
    COLUMN("batch", "batchsize", BATCH, false, batch),
    COLUMN("gpu_util", "gpu_util", PERCENT, false, gpu_util_pm),
    COLUMN("gpu_mem_mib", "gmem", MIB, false, gpu_mem_mib),
};

static int recognise(const char *head, size_t len)
{
    return hs_header_has(head, len, "job_id") && hs_header_has(head, len, "gpu_num") &&
                   hs_header_has(head, len, "submit_time") && hs_header_has(head, len, "state")
               ? 90
               : 0;
}

static enum hs_status open_helios(void *state, struct hs_input *input,
                                  const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct hs_trace_options own = *options;
    own.time_unit_us = HS_TRACE_TIME_UNIT_US; /* the format is in seconds by definition */
    return hs_table_open(state, input, &own, faults, columns, sizeof columns / sizeof columns[0],
                         NULL);
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    return hs_table_next(state, job, dropped);
}

static struct hs_place place(void *state, const char *column)
{
    return hs_table_place(state, column);
}

static void close_helios(void *state)
{
    hs_table_close(state);
}

const struct hs_trace_format hs_trace_format_helios = {
    .name = "helios",
    .summary = "Helios cluster_log.csv (SC'21)",
    .columns = "job_id, gpu_num, submit_time, duration; optional: state, user, vc, cpu_num, model, "
               "dataset, batchsize, gpu_util, gmem",
    .recognise = recognise,
    .state_size = sizeof(struct hs_table),
    .open = open_helios,
    .next = next,
    .place = place,
    .close = close_helios,
};
