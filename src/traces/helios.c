/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helios cluster_log.csv (HeliosData; Hu et al., SC'21) and the files made from it (Lucid's
 * cluster_full_log): columns by header name, since versions differ; CPU jobs with 0 GPUs; Slurm
 * states; local times without a zone. start_time, end_time and queue tell what the cluster's own
 * scheduler did, and node_num where it put the job: none of them is a demand, so they are not read.
 */
#include "traces/layout.h"

static const struct hs_column columns[] = {
    HS_COLUMN("status", "state", FATE, false, outcome),
    HS_COLUMN("gpus", "gpu_num", COUNT, true, gpus),
    HS_COLUMN("job_id", "job_id", ID, true, id),
    HS_COLUMN("submit_time", "submit_time", TIME, true, submit_us),
    HS_COLUMN("duration", "duration", SPAN, true, duration_us),
    HS_COLUMN("user", "user", TEXT, false, user),
    HS_COLUMN("vc", "vc", TEXT, false, vc),
    HS_COLUMN("cpus", "cpu_num", MILLI, false, cpus_milli),
    HS_COLUMN("model", "model", TEXT, false, model),
    HS_COLUMN("dataset", "dataset", TEXT, false, dataset),
    HS_COLUMN("batch", "batchsize", BATCH, false, batch),
    HS_COLUMN("gpu_util", "gpu_util", PERCENT, false, gpu_util_pm),
    HS_COLUMN("gpu_mem_mib", "gmem", MIB, false, gpu_mem_mib),
};

#define COLUMN_COUNT (sizeof columns / sizeof *columns)

static void put_nodes(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_u64(csv, hs_layout_nodes(job));
}

static void put_date(struct hs_csvw *csv, int64_t us)
{
    char *to = hs_csvw_begin_field(csv);
    hs_csvw_end_field(csv, to + hs_fmt_datetime(to, us));
}

static void put_start(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    put_date(csv, job->submit_us);
}

static void put_end(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    put_date(csv, job->submit_us + job->duration_us);
}

/* The columns of the published file; those of Lucid's are only read. */
static const struct hs_layout_cell cells[] = {
    {.name = "job_id"},
    {.name = "user"},
    {.name = "vc"},
    {.name = "gpu_num"},
    {.name = "cpu_num"},
    {.name = "node_num", .put = put_nodes},
    {.name = "state"},
    {.name = "submit_time"},
    {.name = "start_time", .put = put_start},
    {.name = "end_time", .put = put_end},
    {.name = "duration"},
    {.name = "queue", .put = hs_put_zero},
};

static const struct hs_trace_layout layout = {
    .made_up = "start_time, end_time and queue as if each job had started at once, node_num by 8 "
               "GPUs a node where the job tells none",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .cells = cells,
    .cell_count = sizeof cells / sizeof *cells,
    .grain_us = HS_TRACE_TIME_UNIT_US,
    .cpu_grain = 1000,
    .date_suffix = "",
    .outcomes = hs_slurm_outcomes,
};

static int recognise(const char *head, size_t len)
{
    static const char *const names[] = {"job_id", "gpu_num", "submit_time", "state", NULL};
    return hs_header_has_all(head, len, names) ? 90 : 0;
}

static enum hs_status open_helios(void *state, struct hs_input *input,
                                  const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct hs_trace_options own = *options;
    own.time_unit_us = HS_TRACE_TIME_UNIT_US; /* the format is in seconds by definition */
    return hs_table_open(state, input, &own, faults, columns, COLUMN_COUNT, NULL);
}

const struct hs_trace_format hs_trace_format_helios = {
    .name = "helios",
    .summary = "Helios cluster_log.csv (SC'21)",
    .columns = "job_id, gpu_num, submit_time, duration; optional: state, user, vc, cpu_num, model, "
               "dataset, batchsize, gpu_util, gmem",
    .has_text_room = true,
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct hs_table),
    .open = open_helios,
    .next = hs_table_format_next,
    .place = hs_table_format_place,
    .close = hs_table_format_close,
};
