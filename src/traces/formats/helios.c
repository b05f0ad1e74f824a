/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helios cluster_log.csv (HeliosData; Hu et al., SC'21) and files derived from it (Lucid's
 * cluster_full_log): columns by header name, since versions differ; CPU jobs with 0 GPUs; Slurm
 * states; local times without a zone. start_time, end_time, queue and node_num are decisions of the
 * cluster's scheduler, not demands: the first two are read only to be compared with, the others
 * not.
 */
#include <string.h>

#include "traces/format.h"

static const struct hs_column columns[] = {
    HS_COLUMN("status", "state", FATE, false, outcome),
    HS_COLUMN("gpus", "gpu_num", COUNT, true, gpus),
    HS_COLUMN("job_id", "job_id", ID, true, id),
    HS_COLUMN("submit_time", "submit_time", TIME, true, submit_us),
    HS_COLUMN("duration", "duration", SPAN, true, duration_us),
    HS_COLUMN("start_time", "start_time", TIME, false, start_us),
    HS_COLUMN("end_time", "end_time", TIME, false, end_us),
    HS_COLUMN("user", "user", TEXT, false, user),
    HS_COLUMN("vc", "vc", TEXT, false, vc),
    HS_COLUMN("cpus", "cpu_num", MILLI, false, cpus_milli),
    HS_COLUMN("model", "model", TEXT, false, model),
    HS_COLUMN("dataset", "dataset", TEXT, false, dataset),
    HS_COLUMN("batch", "batchsize", BATCH, false, batch),
    HS_COLUMN("gpu_util", "gpu_util", PERCENT, false, gpu_util_pm),
    HS_COLUMN("gpu_mem_mib", "gmem", MIB, false, gpu_mem_mib),
};

#define COLUMN_COUNT HS_COUNT_OF(columns)

#define NODE_GPUS 8 /* on every GPU node of Helios' clusters */

static void put_nodes(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    uint32_t least = job->gpus > 0 ? (job->gpus + NODE_GPUS - 1) / NODE_GPUS : 1;
    hs_csvw_u64(csv, job->nodes > 0 ? job->nodes : least);
}

static int64_t start_of(const struct hs_trace_job *job)
{
    return job->start_us >= 0 ? job->start_us : job->submit_us;
}

static void put_start(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    hs_layout_put_date(csv, start_of(job));
}

static void put_end(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    hs_layout_put_date(csv, job->end_us >= 0 ? job->end_us : start_of(job) + job->duration_us);
}

static void put_wait(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    hs_csvw_seconds(csv, start_of(job) - job->submit_us);
}

/* Slurm's words for outcomes. */
static const char *const outcomes[HS_OUTCOME_COUNT] = {[HS_OUTCOME_COMPLETED] = "COMPLETED",
                                                       [HS_OUTCOME_CANCELLED] = "CANCELLED",
                                                       [HS_OUTCOME_FAILED] = "FAILED"};

static const struct hs_layout_cell made_up[] = {{"node_num", put_nodes},
                                                {"start_time", put_start},
                                                {"end_time", put_end},
                                                {"queue", put_wait},
                                                {NULL, NULL}};

/* The columns of the published file; additional ones of Lucid's are only read. */
static const struct hs_trace_layout layout = {
    .made_up = "for jobs without them, start_time, end_time and queue as if started at once, and "
               "node_num by 8 GPUs a node",
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

const struct hs_trace_format hs_trace_format_helios = {
    .name = "helios",
    .summary = "Helios cluster_log.csv (SC'21)",
    .columns = "job_id, gpu_num, submit_time, duration; optional: state, user, vc, cpu_num, model, "
               "dataset, batchsize, gpu_util, gmem",
    .layout = &layout,
    .header = "job_id,gpu_num,submit_time,state",
    .certainty = 90,
    HS_TABLE(columns),
    .is_unit_fixed = true,
};

/* ---- Acme ---- */

/* Acme, job traces of two clusters for large models (InternLM/AcmeTrace; Hu et al., NSDI'24):
 * trace_seren.csv and trace_kalos.csv. A job runs from start_time to end_time, which is `duration`
 * in Seren; in Kalos, contrary to its documentation, that counts from the submission. Times carry
 * an offset from UTC, "+08:00" in Seren and "+00:00" in Kalos. Kalos has counts such as "10.0" and
 * empty cells.
 *
 * A pod is a node of the job: its memory is mem_per_pod_GB times node_num. What results from the
 * cluster's scheduler (queue) or other columns (gpu_time) is not read. `type`, the kind of work,
 * becomes the model, from which model/assign.c draws. */
enum { START = 4, END, NODES, MEMORY };

static const struct hs_column acme_columns[] = {
    HS_COLUMN("status", "state", FATE, false, outcome),
    HS_COLUMN("gpus", "gpu_num", COUNT, true, gpus),
    HS_COLUMN("job_id", "job_id", ID, true, id),
    HS_COLUMN("submit_time", "submit_time", TIME, true, submit_us),
    [START] = HS_COLUMN("duration", "start_time", OWN, true, duration_us),
    [END] = HS_COLUMN("duration", "end_time", OWN, true, duration_us),
    [NODES] = HS_COLUMN("mem_mib", "node_num", OWN, false, mem_mib),
    [MEMORY] = HS_COLUMN("mem_mib", "mem_per_pod_GB", OWN, false, mem_mib),
    HS_COLUMN("user", "user", TEXT, false, user),
    HS_COLUMN("cpus", "cpu_num", MILLI, false, cpus_milli),
    HS_COLUMN("model", "type", TEXT, false, model),
};

/* One GB is one GiB here, as is usual for memory. */
static enum hs_status next_acme(void *state, struct hs_trace_job *job, int *dropped)
{
    struct hs_table *table = state;
    int64_t start_us, end_us, mib;
    bool has_start, has_end;
    uint32_t nodes;
    HS_TRY(hs_table_next(table, job, dropped));
    if (*dropped)
        return HS_OK;
    HS_TRY(hs_table_cell_time(table, START, &start_us, &has_start));
    HS_TRY(hs_table_cell_time(table, END, &end_us, &has_end));
    if (!has_start || !has_end) {
        *dropped = 1 + HS_DROP_NO_TIMES;
        return HS_OK;
    }
    if (end_us < start_us)
        return hs_trace_bad_row(table->faults, HS_FAULT_RANGE, hs_table_spot(table, END), NULL,
                                "end_time is before start_time");
    job->start_us = start_us;
    job->end_us = end_us;
    job->duration_us = end_us - start_us;
    if (hs_cell_is_missing(hs_table_cell(table, NODES)))
        return HS_OK;
    HS_TRY(hs_table_cell_count(table, NODES, &nodes));
    HS_TRY(hs_table_cell_scaled(table, MEMORY, 1024, &mib));
    if (nodes > 0 && mib > (int64_t)(UINT32_MAX / nodes))
        return hs_table_check(table, MEMORY, HS_CELL_TOO_LARGE);
    job->mem_mib = (uint32_t)mib * nodes;
    return HS_OK;
}

const struct hs_trace_format hs_trace_format_acme = {
    .name = "acme",
    .summary = "Acme trace_seren.csv, trace_kalos.csv (NSDI'24)",
    .columns = "job_id, gpu_num, submit_time, start_time, end_time, type; optional: state, user, "
               "cpu_num, node_num with mem_per_pod_GB",
    /* Helios' files have the first four as well. */
    .header = "job_id,gpu_num,submit_time,state,type,start_time,end_time",
    .certainty = 95,
    HS_TABLE(acme_columns),
    .next = next_acme,
};
