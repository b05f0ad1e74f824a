/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The job files of the simulator that comes with Alibaba's PAI trace (alibaba/clusterdata,
 * cluster-trace-gpu-v2020/simulator: pai_job_no_estimate_100K.csv and the like). num_gpu and
 * num_cpu are what the job takes in all, in GPUs and cores, in parts too: so the simulator itself
 * takes them, whatever num_inst says. A part of one GPU is a share; what is above one and not whole
 * is rounded up. wait_time is what the cluster's own scheduler did, the columns ..._dur are
 * estimates: not read.
 *
 * The simulator runs jobs of 0 s for 1 s: --zero-duration=1s.
 */
#include <string.h>

#include "traces/demand.h"
#include "traces/layout.h"

enum { GPU, SHARE, JOB, SUBMIT, DURATION, CPU, USER, TYPE, COLUMN_COUNT };

static const struct hs_column columns[COLUMN_COUNT] = {
    [GPU] = HS_COLUMN("gpus", "num_gpu", OWN, true, gpus),
    [SHARE] = HS_COLUMN("gpu_milli", "num_gpu", OWN, true, gpu_milli),
    [JOB] = HS_COLUMN("job_id", "job_id", ID, true, id),
    [SUBMIT] = HS_COLUMN("submit_time", "submit_time", TIME, true, submit_us),
    [DURATION] = HS_COLUMN("duration", "duration", SPAN, true, duration_us),
    [CPU] = HS_COLUMN("cpus", "num_cpu", OWN, true, cpus_milli),
    [USER] = HS_COLUMN("user", "user", TEXT, false, user),
    [TYPE] = HS_COLUMN("gpu_type", "gpu_type", TEXT, false, gpu_type),
};

static void put_instances(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)job, (void)before_us;
    hs_csvw_u64(csv, 1);
}

static void put_gpus(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_ratio(csv, (uint64_t)job->gpus * job->gpu_milli, 1000, 3);
}

static void put_cpus(struct hs_csvw *csv, const struct hs_trace_job *job, int64_t before_us)
{
    (void)before_us;
    hs_csvw_ratio(csv, job->cpus_milli, 1000, 3);
}

/* A gang of shares is a number of GPUs in all, which reads as whole ones. */
static bool keeps(const struct hs_trace_job *job, const struct hs_column *column)
{
    bool is_gpus = column->offset == offsetof(struct hs_trace_job, gpus) ||
                   column->offset == offsetof(struct hs_trace_job, gpu_milli);
    return !is_gpus || job->gpus <= 1 || job->gpu_milli == 1000;
}

static const struct hs_layout_cell cells[] = {
    {.name = "job_id"},
    {.name = "num_inst", .put = put_instances},
    {.name = "submit_time"},
    {.name = "num_cpu", .put = put_cpus},
    {.name = "num_gpu", .put = put_gpus},
    {.name = "gpu_type"},
    {.name = "duration"},
    {.name = "user"},
};

static const struct hs_trace_layout layout = {
    .made_up = "num_inst as 1",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .cells = cells,
    .cell_count = sizeof cells / sizeof *cells,
    .keeps = keeps,
};

/* Tiresias' files have all but num_cpu. */
static int recognise(const char *head, size_t len)
{
    static const char *const names[] = {"num_gpu", "num_cpu", "submit_time", "duration"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!hs_header_has(head, len, names[i]))
            return 0;
    return 95;
}

static enum hs_status open_jobs(void *state, struct hs_input *input,
                                const struct hs_trace_options *options, struct hs_faults *faults)
{
    static const char *const numbered[COLUMN_COUNT] = {[JOB] = HS_ROW_NUMBER};
    const char *head;
    size_t len;
    HS_TRY(hs_input_peek(input, &head, &len));
    return hs_table_open(state, input, options, faults, columns, COLUMN_COUNT,
                         hs_header_has(head, len, "job_id") ? NULL : numbered);
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct hs_table *table = state;
    int64_t gpus, cpus;
    HS_TRY(hs_table_next(table, job, dropped));
    HS_TRY(hs_demand_cell(table, GPU, &gpus));
    HS_TRY(hs_demand_cell(table, CPU, &cpus));
    hs_demand_gpus(table->faults, job, 1, gpus);
    job->cpus_milli = hs_demand_sum(1, cpus, 1000);
    job->gpu_type = hs_demand_type(job->gpu_type);
    return HS_OK;
}

const struct hs_trace_format hs_trace_format_pai_jobs = {
    .name = "pai_jobs",
    .summary = "jobs of the simulator of Alibaba PAI 2020 (pai_job_no_estimate_100K.csv)",
    .columns = "num_gpu, num_cpu, submit_time, duration; optional: job_id, user, gpu_type",
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct hs_table),
    .open = open_jobs,
    .next = next,
    .place = hs_table_format_place,
    .close = hs_table_format_close,
};
