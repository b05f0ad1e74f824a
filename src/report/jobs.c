/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One row a job, 44 fields.
 *
 * A job's finish follows its last segment directly, so the GPUs of the last segment told are those
 * of the job that ends, if they are its at all: one list serves all jobs, whatever their number.
 */
#include "report/jobs.h"

#include <string.h>

#include "base/memory.h"
#include "model/cluster.h"

#define NO_JOB UINT64_MAX
#define NANO   UINT64_C(1000000000)

static const char header[] =
    "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
    "allocated_resources,user,vc,status,model,batch,gpu_type,nodes,isolated,run,pending,colocated,"
    "overhead,lost,slowdown,preemptions,migrations,ooms,gpu_seconds,predicted_util,"
    "gpu_util,dataset,precision,profile_from,run_slowdown,attempts,estimate,class,"
    "first_progress,switches,host_mib_seconds,gpu_share";

static void put_seconds_if(struct hs_csvw *w, bool is_known, int64_t us)
{
    if (is_known)
        hs_csvw_seconds(w, us);
    else
        hs_csvw_empty(w);
}

/* A time over the isolated run time; empty for a job without work or without an end. */
static void put_slowdown(struct hs_csvw *w, const struct hs_job_record *job, int64_t us)
{
    if (job->finish_us < 0 || job->work_us <= 0)
        hs_csvw_empty(w);
    else
        hs_csvw_ratio(w, (uint64_t)us, (uint64_t)job->work_us, 6);
}

/* submission_time ... stretch */
static void row_times(struct hs_csvw *w, const struct hs_job_record *job)
{
    bool has_started = job->first_start_us >= 0, has_ended = job->finish_us >= 0;
    hs_csvw_seconds(w, job->submit_us);
    hs_csvw_u64(w, job->gpus);
    hs_csvw_empty(w); /* requested_time: no trace gives one */
    hs_csvw_u64(w, job->state == HS_JOB_DONE);
    put_seconds_if(w, has_started, job->first_start_us);
    put_seconds_if(w, has_started && has_ended, job->finish_us - job->first_start_us);
    put_seconds_if(w, has_ended, job->finish_us);
    put_seconds_if(w, has_started, job->first_start_us - job->submit_us);
    put_seconds_if(w, has_ended, job->finish_us - job->submit_us);
    put_slowdown(w, job, job->finish_us - job->submit_us);
}

/* A share of the GPU's time, or empty. */
static void put_util(struct hs_csvw *w, int32_t util_pm)
{
    hs_csvw_ratio(w, util_pm >= 0 ? (uint64_t)util_pm : 0, util_pm >= 0 ? 1000 : 0, 3);
}

/* nodes ... gpu_share; now_us: when the job ended, or the run */
static void row_account(struct hs_csvw *w, const struct hs_job_record *job, int64_t now_us)
{
    int64_t end_us = job->finish_us >= 0 ? job->finish_us : now_us;
    hs_csvw_u64(w, job->nodes_spanned);
    hs_csvw_seconds(w, job->work_us);
    hs_csvw_seconds(w, job->run_us);
    hs_csvw_seconds(w, end_us - job->submit_us - job->run_us);
    hs_csvw_seconds(w, job->colocated_us);
    hs_csvw_seconds(w, job->overhead_us);
    hs_csvw_ratio(w, (uint64_t)job->lost_ns, NANO, 9);
    put_slowdown(w, job, job->finish_us - job->submit_us);
    hs_csvw_u64(w, job->preemptions);
    hs_csvw_u64(w, job->migrations);
    hs_csvw_u64(w, job->ooms);
    if (job->gpu_milli == HS_GPU_MILLI)
        hs_csvw_seconds(w, job->gpu_us);
    else
        hs_csvw_ratio(w, (uint64_t)job->gpu_us * job->gpu_milli, NANO, 9);
    put_util(w, job->predicted_util_pm);
    put_util(w, job->gpu_util_pm);
    hs_csvw_text(w, job->dataset);
    hs_csvw_text(w, job->precision);
    hs_csvw_text(w, hs_profile_from_text(job->profile_from));
    put_slowdown(w, job, job->run_us);
    hs_csvw_u64(w, UINT64_C(1) + job->retries);
    put_seconds_if(w, job->estimate_us >= 0, job->estimate_us);
    hs_csvw_text(w, hs_job_class_text(job->job_class));
    put_seconds_if(w, job->first_progress_us >= 0, job->first_progress_us);
    hs_csvw_u64(w, job->switches);
    hs_csvw_seconds(w, job->host_mib_us); /* the same decimals */
    hs_csvw_ratio(w, job->gpu_milli, HS_GPU_MILLI, 3);
}

static enum hs_status on_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_jobs_file *f = ctx;
    HS_TRY(hs_grow((void **)&f->gpus, &f->gpus_cap, segment->gpu_count, sizeof *f->gpus,
                   (uint64_t)HS_NODES_MAX * HS_NODE_GPUS_MAX));
    if (segment->gpu_count > 0)
        memcpy(f->gpus, segment->gpus, segment->gpu_count * sizeof *f->gpus);
    f->gpu_count = segment->gpu_count;
    f->gpus_of = segment->job->index;
    return HS_OK;
}

static enum hs_status on_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_jobs_file *f = ctx;
    struct hs_csvw *w = &f->csv;
    hs_csvw_text(w, job->id);
    hs_csvw_text(w, f->workload);
    row_times(w, job);
    if (f->gpus_of == job->index)
        hs_csvw_ids(w, f->gpus, f->gpu_count);
    else
        hs_csvw_empty(w);
    hs_csvw_text(w, job->user);
    hs_csvw_text(w, job->vc);
    hs_csvw_text(w, hs_job_status_text(job));
    hs_csvw_text(w, job->model);
    hs_csvw_text(w, job->batch);
    hs_csvw_text(w, job->gpu_type);
    row_account(w, job, now_us);
    hs_csvw_end(w);
    return HS_OK;
}

const char *hs_job_status_text(const struct hs_job_record *job)
{
    switch (job->state) {
    case HS_JOB_DONE:
        return hs_outcome_text(job->outcome);
    case HS_JOB_FAILED:
        return "failed";
    case HS_JOB_REJECTED:
        return "rejected";
    default:
        return "unfinished";
    }
}

enum hs_status hs_jobs_file_open(struct hs_jobs_file *f, const char *path, const char *workload,
                                 struct hs_diag *diag)
{
    *f = (struct hs_jobs_file){.workload = workload, .gpus_of = NO_JOB};
    return hs_csvw_open(&f->csv, path, header, diag);
}

struct hs_observer hs_jobs_file_observer(struct hs_jobs_file *f)
{
    return (struct hs_observer){.ctx = f, .on_segment = on_segment, .on_finish = on_finish};
}

void hs_jobs_file_free(struct hs_jobs_file *f)
{
    hs_free(f->gpus);
    f->gpus = NULL;
}
