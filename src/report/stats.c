/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See stats.h: what is counted while the run goes on. The figures at its end: stats_evaluate.c.
 */
#include "report/stats.h"

void hs_stats_submit(struct hs_stats *s, int64_t now_us, const struct hs_submission *job)
{
    if (s->submitted++ == 0)
        s->first_submit_us = now_us;
    s->last_submit_us = now_us;
    if (job->gpu_util_pm >= 0)
        s->has_util = true;
}

/* A job without work is done when it would have made some. */
static int64_t first_progress_us(const struct hs_job_record *job)
{
    return job->first_progress_us >= job->submit_us ? job->first_progress_us : job->finish_us;
}

/* Where a cooldown cuts the end of the window off, only the end of the run tells which jobs count:
 * of each its submission is kept. */
static enum hs_status keep(struct hs_stats *s, const struct hs_job_sample *sample)
{
    void *at;
    if (HS_LIKELY(s->cooldown_us == 0 && hs_sample_is_plain(sample))) {
        HS_TRY(hs_spool_add(&s->plain, &at, s->diag));
        *(struct hs_plain_sample *)at = hs_sample_pack(sample);
        return HS_OK;
    }
    s->has_faster = s->has_faster || sample->jct_us < sample->work_us;
    s->ran_faster = s->ran_faster || sample->run_us < sample->work_us;
    s->ran_otherwise = s->ran_otherwise || sample->run_us != sample->work_us;
    s->is_delayed = s->is_delayed || sample->progress_us != sample->wait_us;
    HS_TRY(hs_spool_add(&s->others, &at, s->diag));
    *(struct hs_job_sample *)at = *sample;
    return HS_OK;
}

static enum hs_status book_done(struct hs_stats *s, const struct hs_job_record *job)
{
    struct hs_job_place place;
    if (s->done == UINT32_MAX)
        return hs_fail(s->diag, HS_E_LIMIT, NULL, NULL,
                       "job statistics hold at most 4,294,967,295 completed jobs");
    HS_TRY(hs_classes_book_done(&s->classes, job, &place));
    s->done++;
    s->work_us += (uint64_t)job->work_us;
    s->done_run_us += (uint64_t)job->run_us;
    if (job->submit_us < s->first_submit_us + s->warmup_us)
        return HS_OK;
    const struct hs_job_sample sample = {.submit_us = job->submit_us,
                                         .wait_us = job->first_start_us - job->submit_us,
                                         .jct_us = job->finish_us - job->submit_us,
                                         .run_us = job->run_us,
                                         .work_us = job->work_us,
                                         .progress_us = first_progress_us(job) - job->submit_us,
                                         .gpus = job->gpus,
                                         .gpu_milli = (uint16_t)job->gpu_milli,
                                         .place = place};
    return keep(s, &sample);
}

/* Over when it ended, or when a horizon or the policy ended it first. */
static bool misses_deadline(const struct hs_job_record *job, int64_t now_us)
{
    return job->state == HS_JOB_DONE ? job->finish_us > job->deadline_us
                                     : job->state == HS_JOB_REJECTED ||
                                           job->state == HS_JOB_FAILED || now_us > job->deadline_us;
}

static void count_disturbances(struct hs_stats *s, const struct hs_job_record *job)
{
    s->preemptions += job->preemptions;
    s->migrations += job->migrations;
    s->ooms += job->ooms;
    s->retries += job->retries;
    s->switches += job->switches;
}

/* Where it had a part in it. */
static void count_costs(struct hs_stats *s, const struct hs_job_record *job)
{
    s->colocated_us += (uint64_t)job->colocated_us;
    s->lost_milli_ns += hs_record_milli(job) * (uint64_t)job->lost_ns;
    s->overhead_milli_us += hs_record_milli(job) * (uint64_t)job->overhead_us;
    s->host_mib_us += (uint64_t)job->host_mib_us;
}

enum hs_status hs_stats_end(struct hs_stats *s, int64_t now_us, const struct hs_job_record *job)
{
    int64_t end_us = job->finish_us >= 0 ? job->finish_us : now_us;
    s->in_system_us += (uint64_t)(end_us - job->submit_us);
    s->run_us += (uint64_t)job->run_us;
    if ((job->preemptions | job->migrations | job->ooms | job->retries | job->switches) != 0)
        count_disturbances(s, job);
    if ((job->colocated_us | job->lost_ns | job->overhead_us | job->host_mib_us) != 0)
        count_costs(s, job);
    if (job->deadline_us >= 0) {
        s->deadlines++;
        s->deadline_misses += misses_deadline(job, now_us);
    }
    s->done_milli_ns += hs_record_milli(job) * (uint64_t)job->done_ns;
    if (job->finish_us > s->last_finish_us)
        s->last_finish_us = job->finish_us;
    if (job->state == HS_JOB_DONE)
        return book_done(s, job);
    if (job->state == HS_JOB_FAILED)
        s->failed++;
    else if (job->state == HS_JOB_REJECTED)
        s->rejected++;
    else
        s->unfinished++;
    return hs_classes_book(&s->classes, job);
}

enum hs_status hs_stats_open(struct hs_stats *s, const char *dir, int64_t warmup_us,
                             int64_t cooldown_us, struct hs_diag *diag)
{
    *s = (struct hs_stats){.diag = diag,
                           .warmup_us = warmup_us,
                           .cooldown_us = cooldown_us,
                           .first_submit_us = -1,
                           .last_submit_us = -1,
                           .last_finish_us = -1};
    enum hs_status status = hs_spool_open(&s->plain, sizeof(struct hs_plain_sample), dir);
    if (status == HS_OK)
        status = hs_spool_open(&s->others, sizeof(struct hs_job_sample), dir);
    if (status == HS_OK)
        status = hs_classes_open(&s->classes);
    if (status != HS_OK) {
        hs_stats_close(s);
        return hs_fail(diag, status, NULL, NULL, "no memory for job statistics");
    }
    return HS_OK;
}

void hs_stats_close(struct hs_stats *s)
{
    hs_spool_close(&s->plain);
    hs_spool_close(&s->others);
    hs_classes_close(&s->classes);
}
