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

#define UNKNOWN    INT64_MIN
#define NUMBER_MAX 32 /* of seconds and of ratios, the comma among them */

static const char header[] =
    "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
    "allocated_resources,user,vc,status,model,batch,gpu_type,nodes,isolated,run,pending,colocated,"
    "overhead,lost,slowdown,preemptions,migrations,ooms,gpu_seconds,predicted_util,"
    "gpu_util,dataset,precision,profile_from,run_slowdown,attempts,estimate,class,"
    "first_progress,switches,host_mib_seconds,gpu_share";

/* A field with its comma, made before the row is: several fields of most jobs are the same time. */
struct number {
    int64_t us; /* UNKNOWN: the field is empty */
    uint32_t len;
    char text[NUMBER_MAX];
};

struct times {
    struct number submit, start, held, end, wait, stay, stretch;
};

static void number_end(struct number *n, size_t len)
{
    n->text[len] = ',';
    n->len = (uint32_t)len + 1;
}

static void set_seconds(struct number *n, bool is_known, int64_t us)
{
    n->us = is_known ? us : UNKNOWN;
    number_end(n, is_known ? hs_fmt_seconds(n->text, us) : 0);
}

/* A time over the isolated run time; empty for a job without work or without an end. */
static size_t fmt_slowdown(char *to, const struct hs_job_record *job, int64_t us)
{
    if (job->finish_us < 0 || job->work_us <= 0)
        return 0;
    return hs_fmt_ratio(to, (uint64_t)us, (uint64_t)job->work_us, 6);
}

static void times_of(struct times *t, const struct hs_job_record *job)
{
    const bool has_started = job->first_start_us >= 0, has_ended = job->finish_us >= 0;
    set_seconds(&t->submit, true, job->submit_us);
    set_seconds(&t->start, has_started, job->first_start_us);
    set_seconds(&t->held, has_started && has_ended, job->finish_us - job->first_start_us);
    set_seconds(&t->end, has_ended, job->finish_us);
    set_seconds(&t->wait, has_started, job->first_start_us - job->submit_us);
    set_seconds(&t->stay, has_ended, job->finish_us - job->submit_us);
    number_end(&t->stretch, fmt_slowdown(t->stretch.text, job, job->finish_us - job->submit_us));
}

static char *put(char *to, const struct number *n)
{
    memcpy(to, n->text, sizeof n->text);
    return to + n->len;
}

static char *put_end(char *to, size_t len) /* of a number of so many bytes */
{
    to[len] = ',';
    return to + len + 1;
}

static char *put_u64(char *to, uint64_t value)
{
    return put_end(to, hs_fmt_u64(to, value));
}

static char *put_seconds(char *to, int64_t us)
{
    return put_end(to, hs_fmt_seconds(to, us));
}

/* Seconds that are likely those of a number; us < 0: empty. */
static char *put_like(char *to, int64_t us, const struct number *n)
{
    if (us == n->us)
        return put(to, n);
    return us < 0 ? put_end(to, 0) : put_seconds(to, us);
}

/* Billionths, which are hardly ever any. */
static char *put_nano(char *to, uint64_t value)
{
    return put_end(to, value == 0 ? hs_fmt_u64(to, 0) : hs_fmt_ratio(to, value, NANO, 9));
}

/* Thousandths, 0 to 1000; negative: empty. */
static char *put_milli(char *to, int32_t value)
{
    if (value < 0)
        return put_end(to, 0);
    if (value % 1000 == 0)
        return put_u64(to, value != 0);
    to[0] = '0';
    to[1] = '.';
    to[2] = (char)('0' + value / 100);
    to[3] = (char)('0' + value / 10 % 10);
    to[4] = (char)('0' + value % 10);
    return put_end(to, 5u - (value % 10 == 0) - (value % 100 == 0));
}

/* submission_time ... stretch */
static char *row_times(char *to, const struct times *t, const struct hs_job_record *job)
{
    to = put(to, &t->submit);
    to = put_u64(to, job->gpus);
    to = put_end(to, 0); /* requested_time: no trace gives one */
    to = put_u64(to, job->state == HS_JOB_DONE);
    to = put(to, &t->start);
    to = put(to, &t->held);
    to = put(to, &t->end);
    to = put(to, &t->wait);
    to = put(to, &t->stay);
    return put(to, &t->stretch);
}

/* nodes ... gpu_util; now_us: when the job ended, or the run */
static char *row_account(char *to, const struct times *t, const struct hs_job_record *job,
                         int64_t now_us)
{
    const int64_t end_us = job->finish_us >= 0 ? job->finish_us : now_us;
    to = put_u64(to, job->nodes_spanned);
    to = put_like(to, job->work_us, &t->held);
    to = put_like(to, job->run_us, &t->held);
    to = put_like(to, end_us - job->submit_us - job->run_us, &t->wait);
    to = put_seconds(to, job->colocated_us);
    to = put_seconds(to, job->overhead_us);
    to = put_nano(to, (uint64_t)job->lost_ns);
    to = put(to, &t->stretch);
    to = put_u64(to, job->preemptions);
    to = put_u64(to, job->migrations);
    to = put_u64(to, job->ooms);
    if (job->gpu_milli == HS_GPU_MILLI)
        to = put_like(to, job->gpu_us, &t->held);
    else
        to = put_nano(to, (uint64_t)job->gpu_us * job->gpu_milli);
    to = put_milli(to, job->predicted_util_pm);
    return put_milli(to, job->gpu_util_pm);
}

/* run_slowdown ... gpu_share, with the class among them; the end of the row */
static char *row_rest(struct hs_jobs_file *f, char *to, const struct times *t,
                      const struct hs_job_record *job)
{
    to = put_end(to, fmt_slowdown(to, job, job->run_us));
    to = put_u64(to, UINT64_C(1) + job->retries);
    to = put_like(to, job->estimate_us, &t->held);
    to = hs_csvtexts_put(&f->texts, &f->csv, to, hs_job_class_text(job->job_class));
    to = put_like(to, job->first_progress_us, &t->start);
    to = put_u64(to, job->switches);
    to = put_seconds(to, job->host_mib_us); /* the same decimals */
    return put_milli(to, (int32_t)job->gpu_milli);
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
    struct hs_csvtexts *texts = &f->texts;
    struct times times;
    times_of(&times, job);
    hs_csvw_text(w, job->id);
    char *to = hs_output_room(&w->out, HS_OUTPUT_ROOM);
    to = hs_csvtexts_put(texts, w, to, f->workload);
    to = row_times(to, &times, job);
    hs_output_wrote(&w->out, to);
    hs_csvw_ids(w, f->gpus, f->gpus_of == job->index ? f->gpu_count : 0);
    to = hs_output_room(&w->out, HS_OUTPUT_ROOM);
    to = hs_csvtexts_put(texts, w, to, job->user);
    to = hs_csvtexts_put(texts, w, to, job->vc);
    to = hs_csvtexts_put(texts, w, to, hs_job_status_text(job));
    to = hs_csvtexts_put(texts, w, to, job->model);
    to = hs_csvtexts_put(texts, w, to, job->batch);
    to = hs_csvtexts_put(texts, w, to, job->gpu_type);
    to = row_account(to, &times, job, now_us);
    to = hs_csvtexts_put(texts, w, to, job->dataset);
    to = hs_csvtexts_put(texts, w, to, job->precision);
    to = hs_csvtexts_put(texts, w, to, hs_profile_from_text(job->profile_from));
    hs_output_wrote(&w->out, row_rest(f, to, &times, job));
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
