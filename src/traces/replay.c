/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times to other times, jobs in or out. O(attempts) a job, no allocation but for the longest list
 * of attempts.
 */
#include "traces/replay.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "base/timeparse.h"

#define ONE UINT64_C(1000000000)

/* false for what is no number, too. */
static bool is_factor(double value)
{
    return value >= HS_REPLAY_LEAST && value <= HS_REPLAY_MOST;
}

enum hs_status hs_replay_open(struct hs_replay *replay, const struct hs_trace_options *options,
                              struct hs_diag *diag)
{
    if (!is_factor(options->load))
        return hs_fail(diag, HS_E_USAGE, NULL, "1 replays as recorded, 2 twice as fast",
                       "load must be between 0.000001 and 1000000");
    if (!is_factor(options->scale_time))
        return hs_fail(diag, HS_E_USAGE, NULL, "1 replays as recorded, 0.1 in a tenth of the time",
                       "scale_time must be between 0.000001 and 1000000");
    if (!(options->sample > 0 && options->sample <= 1))
        return hs_fail(diag, HS_E_USAGE, NULL, "0.1 keeps about every tenth job",
                       "sample_jobs must be above 0, and at most 1");
    *replay = (struct hs_replay){.load = (uint64_t)(options->load * (double)ONE + 0.5),
                                 .scale = (uint64_t)(options->scale_time * (double)ONE + 0.5),
                                 .sample = UINT64_MAX,
                                 .seed = hs_seed_of(options->sample_seed, "sample of jobs"),
                                 .window = options->window};
    replay->moves = replay->load != ONE || replay->scale != ONE;
    if (options->sample < 1)
        replay->sample = (uint64_t)(options->sample * 0x1p64);
    return HS_OK;
}

bool hs_replay_is_before(const struct hs_replay *replay, int64_t first_us, int64_t submit_us)
{
    const struct hs_trace_window *window = &replay->window;
    return submit_us - (window->is_from_date ? 0 : first_us) < window->from_us;
}

bool hs_replay_is_behind(const struct hs_replay *replay, int64_t first_us, int64_t submit_us)
{
    const struct hs_trace_window *window = &replay->window;
    return submit_us - (window->is_to_date ? 0 : first_us) >= window->to_us;
}

bool hs_replay_samples(const struct hs_replay *replay, const char *id)
{
    return replay->sample == UINT64_MAX ||
           hs_mix64(replay->seed, hs_hash_of(id, strlen(id))) < replay->sample;
}

/* us >= 0 times the scale, or no more than the largest time. */
static int64_t scaled(const struct hs_replay *replay, int64_t us)
{
    hs_u128 moved = (hs_u128)(uint64_t)us * replay->scale / ONE;
    if (moved == 0 && us > 0)
        return 1;
    return moved < INT64_MAX / 4 ? (int64_t)moved : INT64_MAX / 4;
}

/* The sums up to each, so that all together are the whole. */
static void scale_attempts(struct hs_replay *replay, struct hs_trace_job *job)
{
    int64_t sum_us = 0, before_us = 0;
    replay->attempts.count = 0;
    for (uint32_t i = 0; i < job->attempts; i++) {
        sum_us += job->attempts_us[i];
        int64_t end_us = scaled(replay, sum_us);
        hs_attempts_add(&replay->attempts, end_us - before_us);
        before_us = end_us;
    }
    if (job->attempts > 0)
        job->attempts_us = replay->attempts.run_us;
}

/* A deadline may lie before the submission. */
static int64_t moved_deadline(const struct hs_replay *replay, const struct hs_trace_job *job,
                              int64_t submit_us)
{
    int64_t left_us = job->deadline_us - job->submit_us;
    int64_t moved_us =
        submit_us + (left_us < 0 ? -scaled(replay, -left_us) : scaled(replay, left_us));
    return moved_us > 0 ? moved_us : 0;
}

HS_APART enum hs_status hs_replay_move(struct hs_replay *replay, int64_t first_us,
                                       struct hs_trace_job *job, struct hs_diag *diag)
{
    if (!replay->moves)
        return HS_OK;
    uint64_t offset_us = (uint64_t)(job->submit_us - first_us);
    hs_u128 moved = (hs_u128)offset_us * replay->scale / replay->load;
    int64_t submit_us = first_us + (int64_t)(moved < INT64_MAX / 4 ? moved : INT64_MAX / 4);
    if (job->deadline_us >= 0)
        job->deadline_us = moved_deadline(replay, job, submit_us);
    job->submit_us = submit_us;
    if (replay->scale != ONE) {
        job->duration_us = scaled(replay, job->duration_us);
        job->later_us = scaled(replay, job->later_us);
        scale_attempts(replay, job);
    }
    if (job->submit_us > HS_TRACE_TIME_MAX || job->duration_us > HS_TRACE_TIME_MAX ||
        job->deadline_us > HS_TRACE_TIME_MAX || job->later_us > HS_TRACE_TIME_MAX)
        return hs_fail(diag, HS_E_INPUT, NULL, "a larger load, or a smaller scale of time",
                       "job '%s' moves beyond 285 years (2^53 microseconds)", job->id);
    return HS_OK;
}

void hs_replay_close(struct hs_replay *replay)
{
    hs_attempts_free(&replay->attempts);
}

/* A bound that is not given leaves what is there. */
static bool read_bound(const char *text, size_t len, int64_t *us, bool *is_date)
{
    static const char midnight[] = " 00:00:00";
    char whole[32];
    if (len == 0)
        return true;
    *is_date = hs_parse_datetime_us(text, len, us);
    if (!*is_date && len == strlen("2017-10-01")) {
        (void)snprintf(whole, sizeof whole, "%.*s%s", (int)len, text, midnight);
        *is_date = hs_parse_datetime_us(whole, strlen(whole), us);
    }
    return *is_date || (hs_parse_duration_us(text, len, us) && *us >= 0);
}

enum hs_status hs_trace_window_parse(const char *text, struct hs_trace_window *window,
                                     struct hs_diag *diag)
{
    static const char form[] = "FROM..TO, for example 10d..20d, 2017-10-01..2017-12-01 or ..12h";
    const char *dots = strstr(text, "..");
    *window = (struct hs_trace_window){.to_us = INT64_MAX};
    if (dots == NULL ||
        !read_bound(text, (size_t)(dots - text), &window->from_us, &window->is_from_date) ||
        !read_bound(dots + 2, strlen(dots + 2), &window->to_us, &window->is_to_date))
        return hs_fail(diag, HS_E_USAGE, NULL, form,
                       "window is not two times or dates with '..' between: '%s'", text);
    bool is_open = window->to_us == INT64_MAX;
    if (!is_open && window->is_from_date == window->is_to_date && window->from_us >= window->to_us)
        return hs_fail(diag, HS_E_USAGE, NULL, form, "the window ends before it begins: '%s'",
                       text);
    return HS_OK;
}
