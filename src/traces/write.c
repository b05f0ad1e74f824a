/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The columns of traces/native.c, all of them, in the order of their importance to a reader; what a
 * job does not have is an empty cell. Times are seconds with as many decimals as they need, so that
 * no microsecond is lost.
 */
#include "traces/write.h"

#include <string.h>

static const char header[] =
    "job_id,submit_time,gpus,duration,user,vc,gpu_type,model,dataset,batch,precision,nodes,cpus,"
    "mem_mib,gpu_mem_mib,gpu_util,priority,deadline,preempt_cost,gpus_min,gpus_max,outcome,"
    "attempts,class,step,gpu_mem_persistent_mib,checkpoint_mib,gpu_mem_later_mib,"
    "gpu_mem_later_after,gpu_milli";

enum hs_status hs_trace_writer_open(struct hs_trace_writer *w, const char *path,
                                    struct hs_diag *diag)
{
    HS_TRY(hs_wholefile_open(&w->file, path, diag));
    w->csv = (struct hs_csvw){.out = w->file.out};
    hs_output_put(&w->csv.out, header, strlen(header));
    hs_output_put(&w->csv.out, "\n", 1);
    return HS_OK;
}

static void put_given(struct hs_csvw *csv, uint32_t value)
{
    if (value > 0)
        hs_csvw_u64(csv, value);
    else
        hs_csvw_empty(csv);
}

static void put_cores(struct hs_csvw *csv, uint32_t milli)
{
    hs_csvw_ratio(csv, milli, milli > 0 ? 1000 : 0, 3);
}

static void put_span(struct hs_csvw *csv, int64_t us)
{
    if (us >= 0)
        hs_csvw_seconds(csv, us);
    else
        hs_csvw_empty(csv);
}

/* An elastic range that is the demand itself is what a reader takes an empty cell for. */
static void put_bound(struct hs_csvw *csv, uint32_t bound, uint32_t gpus)
{
    put_given(csv, bound != gpus ? bound : 0);
}

/* "10/20": run times joined by slashes. */
static void put_attempts(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    if (job->attempts == 0)
        hs_csvw_empty(csv);
    for (uint32_t i = 0; i < job->attempts; i++) {
        hs_csvw_seconds(csv, job->attempts_us[i]);
        if (i + 1 < job->attempts)
            csv->out.at[-1] = '/'; /* the comma that ended the field */
    }
}

/* What only schedulers that share or slice GPUs make use of. */
static void put_sharing(struct hs_csvw *csv, const struct hs_trace_job *job)
{
    if (job->job_class != HS_JOB_CLASS_AUTO)
        hs_csvw_text(csv, hs_job_class_text(job->job_class));
    else
        hs_csvw_empty(csv);
    put_span(csv, job->step_us > 0 ? job->step_us : -1);
    put_given(csv, job->gpu_mem_persistent_mib);
    put_given(csv, job->checkpoint_mib);
    put_given(csv, job->gpu_mem_later_mib);
    put_span(csv, job->gpu_mem_later_mib > 0 ? job->later_us : -1);
}

void hs_trace_writer_put(struct hs_trace_writer *w, const struct hs_trace_job *job)
{
    struct hs_csvw *csv = &w->csv;
    hs_csvw_text(csv, job->id);
    hs_csvw_seconds(csv, job->submit_us);
    hs_csvw_u64(csv, job->gpus);
    hs_csvw_seconds(csv, job->duration_us);
    hs_csvw_text(csv, job->user);
    hs_csvw_text(csv, job->vc);
    hs_csvw_text(csv, job->gpu_type);
    hs_csvw_text(csv, job->model);
    hs_csvw_text(csv, job->dataset);
    hs_csvw_text(csv, job->batch);
    hs_csvw_text(csv, job->precision);
    put_given(csv, job->nodes);
    put_cores(csv, job->cpus_milli);
    put_given(csv, job->mem_mib);
    put_given(csv, job->gpu_mem_mib);
    /* per mille as percent; a denominator of 0 is an empty cell */
    hs_csvw_ratio(csv, job->gpu_util_pm >= 0 ? (uint64_t)job->gpu_util_pm : 0,
                  job->gpu_util_pm >= 0 ? 10 : 0, 1);
    if (job->priority != 0)
        hs_csvw_i64(csv, job->priority);
    else
        hs_csvw_empty(csv);
    put_span(csv, job->deadline_us);
    put_span(csv, job->preempt_cost_us);
    put_bound(csv, job->gpus_min, job->gpus);
    put_bound(csv, job->gpus_max, job->gpus);
    if (job->outcome != HS_OUTCOME_UNKNOWN)
        hs_csvw_text(csv, hs_outcome_text(job->outcome));
    else
        hs_csvw_empty(csv);
    put_attempts(csv, job);
    put_sharing(csv, job);
    put_given(csv, job->gpu_milli < 1000 ? job->gpu_milli : 0);
    hs_csvw_end(csv);
}

enum hs_status hs_trace_writer_close(struct hs_trace_writer *w, enum hs_status status,
                                     struct hs_diag *diag)
{
    w->file.out = w->csv.out;
    return hs_wholefile_close(&w->file, status, diag);
}
