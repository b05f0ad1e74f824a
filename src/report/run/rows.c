/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of jobs.csv, segments.csv and decisions.csv.
 *
 * A job's finish follows its last segment directly, so the GPUs of the last segment are those of
 * the job that ends, if the segment is of that job at all: one list serves all jobs, whatever their
 * number.
 */
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/memory.h"
#include "model/cluster.h"
#include "report/run/observers.h"

/* ---- jobs.csv ---- */

#define NO_JOB UINT64_MAX
#define NANO   UINT64_C(1000000000)

/* Each of these writes a field and its comma, and returns their end. */
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

/* Empty where it is not known. */
static char *put_seconds_if(char *to, bool is_known, int64_t us)
{
    return put_end(to, is_known ? hs_fmt_seconds(to, us) : 0);
}

/* A time over the isolated run time; empty for a job without work or without an end. */
static char *put_slowdown(char *to, const struct hs_job_record *job, int64_t us)
{
    if (job->finish_us < 0 || job->work_us <= 0)
        return put_end(to, 0);
    return put_end(to, hs_fmt_ratio(to, (uint64_t)us, (uint64_t)job->work_us, 6));
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

static char *put_gpu_time(char *to, const struct hs_job_record *job)
{
    if (job->gpu_milli == HS_GPU_MILLI)
        return put_seconds(to, job->gpu_us);
    return put_nano(to, (uint64_t)job->gpu_us * job->gpu_milli);
}

static char *put_text(struct hs_jobs_file *f, char *to, const char *text)
{
    return hs_csvtexts_put(&f->texts, &f->csv, to, text);
}

/* The columns of jobs.csv behind the id, in order, and how each is written: in two parts, between
 * which stand the GPUs of the last placement. end_us: when the job ended, or the run. No trace
 * gives a requested time. */
#define COLUMNS_BEFORE_GPUS(COLUMN)                                                                \
    COLUMN("workload_name", put_text(f, to, f->workload))                                          \
    COLUMN("submission_time", put_seconds(to, job->submit_us))                                     \
    COLUMN("requested_number_of_resources", put_u64(to, job->gpus))                                \
    COLUMN("requested_time", put_end(to, 0))                                                       \
    COLUMN("success", put_u64(to, job->state == HS_JOB_DONE))                                      \
    COLUMN("starting_time", put_seconds_if(to, has_started, job->first_start_us))                  \
    COLUMN("execution_time", put_seconds_if(to, has_run, job->finish_us - job->first_start_us))    \
    COLUMN("finish_time", put_seconds_if(to, has_ended, job->finish_us))                           \
    COLUMN("waiting_time", put_seconds_if(to, has_started, job->first_start_us - job->submit_us))  \
    COLUMN("turnaround_time", put_seconds_if(to, has_ended, job->finish_us - job->submit_us))      \
    COLUMN("stretch", put_slowdown(to, job, job->finish_us - job->submit_us))
#define COLUMNS_BEHIND_GPUS(COLUMN)                                                                \
    COLUMN("user", put_text(f, to, job->user))                                                     \
    COLUMN("vc", put_text(f, to, job->vc))                                                         \
    COLUMN("status", put_text(f, to, hs_job_status_text(job)))                                     \
    COLUMN("model", put_text(f, to, job->model))                                                   \
    COLUMN("batch", put_text(f, to, job->batch))                                                   \
    COLUMN("gpu_type", put_text(f, to, job->gpu_type))                                             \
    COLUMN("nodes", put_u64(to, job->nodes_spanned))                                               \
    COLUMN("isolated", put_seconds(to, job->work_us))                                              \
    COLUMN("run", put_seconds(to, job->run_us))                                                    \
    COLUMN("queueing_delay", put_seconds(to, end_us - job->submit_us - job->run_us))               \
    COLUMN("colocated", put_seconds(to, job->colocated_us))                                        \
    COLUMN("overhead", put_seconds(to, job->overhead_us))                                          \
    COLUMN("lost", put_nano(to, (uint64_t)job->lost_ns))                                           \
    COLUMN("slowdown", put_slowdown(to, job, job->finish_us - job->submit_us))                     \
    COLUMN("preemptions", put_u64(to, job->preemptions))                                           \
    COLUMN("migrations", put_u64(to, job->migrations))                                             \
    COLUMN("ooms", put_u64(to, job->ooms))                                                         \
    COLUMN("gpu_seconds", put_gpu_time(to, job))                                                   \
    COLUMN("predicted_util", put_milli(to, job->predicted_util_pm))                                \
    COLUMN("gpu_util", put_milli(to, job->gpu_util_pm))                                            \
    COLUMN("dataset", put_text(f, to, job->dataset))                                               \
    COLUMN("precision", put_text(f, to, job->precision))                                           \
    COLUMN("profile_from", put_text(f, to, hs_profile_from_text(job->profile_from)))               \
    COLUMN("run_slowdown", put_slowdown(to, job, job->run_us))                                     \
    COLUMN("attempts", put_u64(to, UINT64_C(1) + job->retries))                                    \
    COLUMN("estimate", put_seconds_if(to, job->estimate_us >= 0, job->estimate_us))                \
    COLUMN("class", put_text(f, to, hs_job_class_text(job->job_class)))                            \
    COLUMN("first_progress",                                                                       \
           put_seconds_if(to, job->first_progress_us >= 0, job->first_progress_us))                \
    COLUMN("switches", put_u64(to, job->switches))                                                 \
    COLUMN("host_mib_seconds", put_seconds(to, job->host_mib_us)) /* the same decimals */          \
    COLUMN("gpu_share", put_milli(to, (int32_t)job->gpu_milli))

#define NAME(name, written)  "," name
#define WRITE(name, written) to = written;
static const char jobs_header[] =
    "job_id" COLUMNS_BEFORE_GPUS(NAME) ",allocated_resources" COLUMNS_BEHIND_GPUS(NAME);

static enum hs_status on_job_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_jobs_file *f = ctx;
    hs_grow((void **)&f->gpus, &f->gpus_cap, segment->gpu_count, sizeof *f->gpus,
            (uint64_t)HS_NODES_MAX * HS_NODE_GPUS_MAX);
    if (segment->gpu_count > 0)
        memcpy(f->gpus, segment->gpus, segment->gpu_count * sizeof *f->gpus);
    f->gpu_count = segment->gpu_count;
    f->gpus_of = segment->job->index;
    return HS_OK;
}

static enum hs_status on_job_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_jobs_file *f = ctx;
    struct hs_csvw *w = &f->csv;
    const int64_t end_us = job->finish_us >= 0 ? job->finish_us : now_us;
    const bool has_started = job->first_start_us >= 0, has_ended = job->finish_us >= 0;
    const bool has_run = has_started && has_ended;
    hs_csvw_text(w, job->id);
    char *to = hs_output_room(&w->out, HS_OUTPUT_ROOM);
    COLUMNS_BEFORE_GPUS(WRITE)
    hs_output_wrote(&w->out, to);
    hs_csvw_ids(w, f->gpus, f->gpus_of == job->index ? f->gpu_count : 0);
    to = hs_output_room(&w->out, HS_OUTPUT_ROOM);
    COLUMNS_BEHIND_GPUS(WRITE)
    hs_output_wrote(&w->out, to);
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
    return hs_csvw_open(&f->csv, path, jobs_header, diag);
}

struct hs_observer hs_jobs_file_observer(struct hs_jobs_file *f)
{
    return (struct hs_observer){.ctx = f, .on_segment = on_job_segment, .on_finish = on_job_finish};
}

void hs_jobs_file_free(struct hs_jobs_file *f)
{
    hs_free(f->gpus);
    f->gpus = NULL;
}

/* ---- segments.csv ---- */

/* mean_rate is the work done over the time held, from integers: work rebuilt from it is off by at
 * most half a nanosecond per second held. */
#define RATE_DECIMALS 9

static enum hs_status on_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_csvw *w = ctx;
    uint64_t held_ns = (uint64_t)((segment->end_us - segment->start_us) * HS_NS_PER_US);
    hs_csvw_text(w, segment->job->id);
    hs_csvw_seconds(w, segment->start_us);
    hs_csvw_seconds(w, segment->end_us);
    hs_csvw_ids(w, segment->gpus, segment->gpu_count);
    hs_csvw_ratio(w, (uint64_t)segment->done_ns, held_ns, RATE_DECIMALS);
    hs_csvw_u64(w, segment->max_tenants);
    hs_csvw_text(w, hs_segment_end_text(segment->ended_by));
    hs_csvw_end(w);
    return HS_OK;
}

enum hs_status hs_segments_open(struct hs_csvw *csv, const char *path, struct hs_diag *diag)
{
    return hs_csvw_open(csv, path,
                        "job_id,start,end,allocated_resources,mean_rate,tenants,ended_by", diag);
}

struct hs_observer hs_segments_observer(struct hs_csvw *csv)
{
    return (struct hs_observer){.ctx = csv, .on_segment = on_segment};
}

/* ---- decisions.csv ---- */

#define SHARE_DECIMALS 6
#define WORD_SIZE      8u

static const struct {
    enum hs_event_kind kind;
    char word[WORD_SIZE];
} trigger_words[] = {
    {HS_EVENT_FINISH, "finish"}, {HS_EVENT_STOPPED, "oom"},   {HS_EVENT_SUBMIT, "submit"},
    {HS_EVENT_PROGRESS, "paid"}, {HS_EVENT_MEMORY, "memory"}, {HS_EVENT_STEP, "step"},
    {HS_EVENT_TIMER, "timer"},
};

/* "finish submit": each word is put with a blank behind it, which the last one gives back. */
static void put_triggers(struct hs_csvw *w, uint32_t triggers)
{
    char *start = hs_output_room(&w->out, sizeof trigger_words + 1), *to = start;
    for (size_t i = 0; i < sizeof trigger_words / sizeof *trigger_words; i++) {
        if ((triggers >> trigger_words[i].kind & 1) == 0)
            continue;
        memcpy(to, trigger_words[i].word, WORD_SIZE);
        to += strlen(trigger_words[i].word);
        *to++ = ' ';
    }
    if (to > start)
        hs_csvw_end_field(w, to - 1);
    else
        hs_csvw_empty(w);
}

/* What the value of an action is, and the reason of an action for which the policy gives none. */
enum { VALUE_NONE, VALUE_SECONDS, VALUE_SHARE, VALUE_COUNT };
enum { REASON_NONE, REASON_ORDER, REASON_PREEMPTION };
static const struct {
    uint8_t value, reason;
} actions[] = {
    [HS_DECISION_START] = {VALUE_SECONDS, REASON_ORDER},
    [HS_DECISION_RESUME] = {VALUE_SECONDS, REASON_ORDER},
    [HS_DECISION_MIGRATE] = {VALUE_SECONDS, REASON_PREEMPTION},
    [HS_DECISION_PREEMPT] = {VALUE_SECONDS, REASON_PREEMPTION},
    [HS_DECISION_SUSPEND] = {VALUE_SECONDS, REASON_PREEMPTION},
    [HS_DECISION_KILL] = {VALUE_NONE, REASON_PREEMPTION},
    [HS_DECISION_REJECT] = {VALUE_NONE, REASON_NONE},
    [HS_DECISION_PAUSE] = {VALUE_NONE, REASON_NONE},
    [HS_DECISION_UNPAUSE] = {VALUE_NONE, REASON_NONE},
    [HS_DECISION_SHARE] = {VALUE_SHARE, REASON_NONE},
    [HS_DECISION_THROTTLE] = {VALUE_SHARE, REASON_NONE},
    [HS_DECISION_BACKGROUND] = {VALUE_NONE, REASON_NONE},
    [HS_DECISION_FOREGROUND] = {VALUE_NONE, REASON_NONE},
    [HS_DECISION_LIMIT] = {VALUE_COUNT, REASON_NONE},
    [HS_DECISION_ADD_OVERHEAD] = {VALUE_SECONDS, REASON_NONE},
};

static void put_value(struct hs_csvw *w, const struct hs_decision *decision)
{
    switch (actions[decision->kind].value) {
    case VALUE_SECONDS:
        hs_csvw_seconds(w, (int64_t)decision->value);
        break;
    case VALUE_SHARE:
        hs_csvw_ratio(w, decision->value, UINT64_C(1) << 32, SHARE_DECIMALS);
        break;
    case VALUE_COUNT:
        hs_csvw_u64(w, decision->value);
        break;
    default:
        hs_csvw_empty(w);
    }
}

static enum hs_status on_decision(void *ctx, int64_t now_us, const struct hs_decision *decision)
{
    struct hs_decisions *d = ctx;
    struct hs_csvw *w = &d->csv;
    const char *const reasons[] = {
        [REASON_NONE] = "", [REASON_ORDER] = d->by_order, [REASON_PREEMPTION] = d->by_preemption};
    hs_csvw_seconds(w, now_us);
    hs_csvw_text(w, decision->job->id);
    hs_csvw_text(w, hs_decision_text(decision->kind));
    hs_csvw_u64(w, decision->gpu_count);
    hs_csvw_ids(w, decision->gpus, decision->gpu_count);
    put_value(w, decision);
    put_triggers(w, decision->triggers);
    hs_csvw_text(w, decision->plan_reason != NULL ? decision->plan_reason
                                                  : reasons[actions[decision->kind].reason]);
    hs_csvw_end(w);
    return HS_OK;
}

enum hs_status hs_decisions_open(struct hs_decisions *d, const char *path,
                                 const struct hs_semantics *semantics, struct hs_diag *diag)
{
    d->by_order[0] = d->by_preemption[0] = '\0';
    if (semantics != NULL) {
        (void)snprintf(d->by_order, sizeof d->by_order, "its turn: order %s, scan %s",
                       semantics->order, semantics->scan);
        (void)snprintf(d->by_preemption, sizeof d->by_preemption, "preemption %s",
                       semantics->preemption);
    }
    return hs_csvw_open(&d->csv, path,
                        "time,job_id,action,gpus,allocated_resources,value,trigger,because", diag);
}

struct hs_observer hs_decisions_observer(struct hs_decisions *d)
{
    return (struct hs_observer){.ctx = d, .on_decision = on_decision};
}
