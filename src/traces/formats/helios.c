/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helios cluster_log.csv (HeliosData; Hu et al., SC'21) and the files made from it (Lucid's
 * cluster_full_log): columns by header name, since versions differ; CPU jobs with 0 GPUs; Slurm
 * states; local times without a zone. start_time, end_time and queue tell what the cluster's own
 * scheduler did, and node_num where it put the job: none of them is a demand, so they are not read.
 */
#include "traces/write.h"

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

#define NODE_GPUS 8 /* of every GPU node of Helios' clusters */

static void put_nodes(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    uint32_t least = job->gpus > 0 ? (job->gpus + NODE_GPUS - 1) / NODE_GPUS : 1;
    hs_csvw_u64(csv, job->nodes > 0 ? job->nodes : least);
}

static void put_start(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    hs_layout_put_date(csv, job->submit_us);
}

static void put_end(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    hs_layout_put_date(csv, job->submit_us + job->duration_us);
}

static void put_no_wait(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    (void)job;
    hs_csvw_u64(csv, 0);
}

/* Slurm's words for what became of a job. */
static const char *const outcomes[HS_OUTCOME_COUNT] = {[HS_OUTCOME_COMPLETED] = "COMPLETED",
                                                       [HS_OUTCOME_CANCELLED] = "CANCELLED",
                                                       [HS_OUTCOME_FAILED] = "FAILED"};

static const struct hs_layout_cell made_up[] = {{"node_num", put_nodes},
                                                {"start_time", put_start},
                                                {"end_time", put_end},
                                                {"queue", put_no_wait},
                                                {NULL, NULL}};

/* The columns of the published file; those of Lucid's are only read. */
static const struct hs_trace_layout layout = {
    .made_up = "start_time, end_time and queue as if each job had started at once, node_num by 8 "
               "GPUs a node where the job tells none",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .header = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,"
              "duration,queue",
    .cells = made_up,
    .grain_us = HS_TRACE_TIME_UNIT_US,
    .cpu_grain = 1000,
    .has_dates = true,
    .outcomes = outcomes,
};

static const char *const header[] = {"job_id", "gpu_num", "submit_time", "state", NULL};

const struct hs_trace_format hs_trace_format_helios = {
    .name = "helios",
    .summary = "Helios cluster_log.csv (SC'21)",
    .columns = "job_id, gpu_num, submit_time, duration; optional: state, user, vc, cpu_num, model, "
               "dataset, batchsize, gpu_util, gmem",
    .layout = &layout,
    .header = header,
    .certainty = 90,
    .table = columns,
    .table_columns = COLUMN_COUNT,
    .is_unit_fixed = true,
};
