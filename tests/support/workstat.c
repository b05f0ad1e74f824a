/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See workstat.h. All jobs are kept: plain sums over them, and one sorted copy of their durations.
 */
#include "support/workstat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/sink.h"

#define SECOND    INT64_C(1000000)
#define MILLI     1000
#define HOUR      (INT64_C(3600) * SECOND)
#define DAY       (24 * HOUR)
#define JOBS_MOST 10000000

static void take(struct workstat *w, const struct hs_trace_job *job)
{
    struct work_job *own = hs_push(w->jobs, w->count, w->cap, JOBS_MOST);
    own->submit_us = job->submit_us;
    own->duration_us = job->duration_us;
    own->demand = (uint64_t)job->gpus * (job->gpu_milli > 0 ? job->gpu_milli : 1000);
    own->outcome = job->outcome;
    own->user = hs_intern_get(&w->users, job->user);
}

enum hs_status workstat_from(struct workstat *w, struct hs_job_source source, int64_t from_us,
                             int64_t to_us)
{
    struct hs_trace_job *job;
    enum hs_status status;
    bool is_all = from_us == 0 && to_us == 0;
    *w = (struct workstat){.sorted_of = "-"};
    hs_intern_init(&w->users);
    while ((status = source.next(source.ctx, &job)) == HS_OK)
        if (job->gpus > 0 && (is_all || (job->submit_us >= from_us && job->submit_us < to_us)))
            take(w, job);
    return status;
}

void workstat_read(struct workstat *w, const struct hs_trace_options *options, int64_t from_us,
                   int64_t to_us)
{
    struct sink sink;
    struct hs_trace *trace;
    sink_init(&sink);
    if (hs_trace_open(&trace, options, &sink.diag) != HS_OK ||
        workstat_from(w, hs_trace_source(trace), from_us, to_us) != HS_END)
        fail_msg("%s", sink.text);
    hs_trace_close(trace);
    assert_true(w->count > 1);
}

void workstat_cut(struct workstat *w, int64_t most_s)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->jobs[i].duration_us > most_s * SECOND)
            w->jobs[i].duration_us = most_s * SECOND;
    strcpy(w->sorted_of, "-");
}

void workstat_free(struct workstat *w)
{
    hs_intern_free(&w->users);
    hs_free(w->jobs);
    hs_free(w->durations);
    *w = (struct workstat){0};
}

bool workstat_in(const char *gpus, uint64_t demand)
{
    char *end;
    if (gpus[0] == '\0')
        return true;
    if (gpus[0] == '>') {
        bool is_from = gpus[1] == '=';
        uint64_t least = strtoull(gpus + (is_from ? 2 : 1), NULL, 10) * 1000;
        return is_from ? demand >= least : demand > least;
    }
    uint64_t least = strtoull(gpus, &end, 10);
    uint64_t most = *end == '-' ? strtoull(end + 1, NULL, 10) : least;
    return demand > (least - 1) * 1000 && demand <= most * 1000;
}

/* ---- durations ---- */

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_durations(struct workstat *w, const char *gpus)
{
    if (strcmp(w->sorted_of, gpus) == 0)
        return;
    assert_true(strlen(gpus) < sizeof w->sorted_of);
    strcpy(w->sorted_of, gpus);
    hs_grow(w->durations, w->durations_cap, w->count, JOBS_MOST);
    w->durations_count = 0;
    for (uint32_t i = 0; i < w->count; i++)
        if (workstat_in(gpus, w->jobs[i].demand))
            w->durations[w->durations_count++] = w->jobs[i].duration_us;
    qsort(w->durations, w->durations_count, sizeof *w->durations, by_size);
}

/* How many of the sorted durations are below limit_us. */
static uint32_t shorter(const struct workstat *w, double limit_us)
{
    uint32_t low = 0, high = w->durations_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if ((double)w->durations[mid] < limit_us)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static double durations_below(struct workstat *w, const char *gpus, int64_t below_s,
                              double limit_us)
{
    sort_durations(w, gpus);
    uint32_t all = below_s > 0 ? shorter(w, (double)below_s * (double)SECOND) : w->durations_count;
    uint32_t some = shorter(w, limit_us);
    return all > 0 ? (double)(some < all ? some : all) / all : NAN;
}

double workstat_duration_cdf(struct workstat *w, const char *gpus, int64_t below_s, double at_s)
{
    return durations_below(w, gpus, below_s, floor(at_s * (double)SECOND) + 1);
}

double workstat_duration_before(struct workstat *w, const char *gpus, int64_t below_s, double at_s)
{
    return durations_below(w, gpus, below_s, at_s * (double)SECOND);
}

double workstat_duration_quantile(struct workstat *w, const char *gpus, double share)
{
    sort_durations(w, gpus);
    if (w->durations_count == 0)
        return NAN;
    double rank = ceil(share * w->durations_count);
    return (double)w->durations[rank < 1 ? 0 : (uint32_t)rank - 1] / (double)SECOND;
}

double workstat_mean_s(const struct workstat *w)
{
    double sum = 0;
    for (uint32_t i = 0; i < w->count; i++)
        sum += (double)w->jobs[i].duration_us;
    return sum / w->count / (double)SECOND;
}

/* ---- sizes, GPU time, outcomes ---- */

static double gputime(const struct work_job *job)
{
    return (double)job->demand * (double)job->duration_us;
}

double workstat_mean_gpus(const struct workstat *w)
{
    double sum = 0;
    for (uint32_t i = 0; i < w->count; i++)
        sum += (double)w->jobs[i].demand;
    return sum / 1000 / w->count;
}

double workstat_gpus_cdf(const struct workstat *w, double at_gpus)
{
    uint32_t some = 0;
    for (uint32_t i = 0; i < w->count; i++)
        some += (double)w->jobs[i].demand <= at_gpus * 1000;
    return (double)some / w->count;
}

double workstat_gputime_cdf(const struct workstat *w, double at_gpus)
{
    double some = 0, all = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        all += gputime(&w->jobs[i]);
        some += (double)w->jobs[i].demand <= at_gpus * 1000 ? gputime(&w->jobs[i]) : 0;
    }
    return some / all;
}

struct work_share workstat_outcome(const struct workstat *w, const char *gpus,
                                   enum hs_outcome outcome)
{
    struct work_share share = {0, 0};
    for (uint32_t i = 0; i < w->count; i++) {
        bool is_in = workstat_in(gpus, w->jobs[i].demand);
        share.whole += is_in;
        share.part += is_in && w->jobs[i].outcome == outcome;
    }
    share.part /= w->count;
    share.whole /= w->count;
    return share;
}

double workstat_outcome_gputime(const struct workstat *w, enum hs_outcome outcome)
{
    double some = 0, all = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        all += gputime(&w->jobs[i]);
        some += w->jobs[i].outcome == outcome ? gputime(&w->jobs[i]) : 0;
    }
    return some / all;
}

/* ---- arrivals ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static uint32_t weekday(int64_t day) /* 1970-01-01 was a Thursday */
{
    return (uint32_t)((day % 7 + 7 + 3) % 7);
}

double workstat_hour(const struct workstat *w, uint32_t hour)
{
    uint32_t some = 0;
    for (uint32_t i = 0; i < w->count; i++)
        some += (uint32_t)(floor_div(w->jobs[i].submit_us, HOUR) % 24 + 24) % 24 == hour;
    return (double)some / w->count;
}

double workstat_weekday(const struct workstat *w, uint32_t day)
{
    double jobs[7] = {0}, days[7] = {0}, sum = 0;
    int64_t last = floor_div(w->jobs[w->count - 1].submit_us, DAY);
    for (int64_t d = floor_div(w->jobs[0].submit_us, DAY); d <= last; d++)
        days[weekday(d)]++;
    for (uint32_t i = 0; i < w->count; i++)
        jobs[weekday(floor_div(w->jobs[i].submit_us, DAY))]++;
    for (uint32_t d = 0; d < 7; d++)
        sum += days[d] > 0 ? jobs[d] / days[d] : 0;
    return days[day] > 0 ? jobs[day] / days[day] / sum : 0;
}

static double gap_s(const struct workstat *w, uint32_t i)
{
    return (double)(w->jobs[i].submit_us - w->jobs[i - 1].submit_us) / (double)SECOND;
}

double workstat_gap_cv(const struct workstat *w)
{
    double mean = (double)(w->jobs[w->count - 1].submit_us - w->jobs[0].submit_us) /
                  (double)SECOND / (w->count - 1);
    double squares = 0;
    for (uint32_t i = 1; i < w->count; i++)
        squares += (gap_s(w, i) - mean) * (gap_s(w, i) - mean);
    return sqrt(squares / (w->count - 1)) / mean;
}

double workstat_gap_cdf(const struct workstat *w, double at_s)
{
    uint32_t some = 0;
    for (uint32_t i = 1; i < w->count; i++)
        some += gap_s(w, i) <= at_s;
    return (double)some / (w->count - 1);
}

double workstat_dispersion(const struct workstat *w)
{
    int64_t first = floor_div(w->jobs[0].submit_us, HOUR);
    int64_t last = floor_div(w->jobs[w->count - 1].submit_us, HOUR);
    double hours = (double)(last - first + 1), mean = w->count / hours, squares = 0;
    int64_t expected = first;
    for (uint32_t i = 0; i < w->count;) {
        int64_t hour = floor_div(w->jobs[i].submit_us, HOUR);
        double jobs = 0;
        for (; i < w->count && floor_div(w->jobs[i].submit_us, HOUR) == hour; i++)
            jobs++;
        squares += (jobs - mean) * (jobs - mean) + (double)(hour - expected) * mean * mean;
        expected = hour + 1;
    }
    return squares / hours / mean;
}

/* ---- users ---- */

/* A start or an end of a job. */
struct step {
    int64_t at_us, demand;
};

static int by_time(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->at_us != y->at_us)
        return x->at_us < y->at_us ? -1 : 1;
    return x->demand < y->demand ? -1 : x->demand > y->demand; /* ends before starts */
}

struct work_wanted workstat_wanted(const struct workstat *w)
{
    struct step *steps = hs_alloc_zeroed(2 * (uint64_t)w->count, sizeof *steps);
    double sum = 0, squares = 0, most = 0, span = 0;
    int64_t wanted = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct work_job *job = &w->jobs[i];
        steps[2 * i] = (struct step){job->submit_us, (int64_t)job->demand};
        steps[2 * i + 1] = (struct step){job->submit_us + job->duration_us, -(int64_t)job->demand};
    }
    qsort(steps, 2 * (size_t)w->count, sizeof *steps, by_time);
    for (uint32_t i = 0; i + 1 < 2 * w->count; i++) {
        wanted += steps[i].demand;
        double gpus = (double)wanted / MILLI;
        double spent = (double)(steps[i + 1].at_us - steps[i].at_us) / SECOND;
        span += spent;
        sum += gpus * spent;
        squares += gpus * gpus * spent;
        most = gpus > most && spent > 0 ? gpus : most;
    }
    hs_free(steps);
    double mean = sum / span;
    return (struct work_wanted){mean, sqrt(squares / span - mean * mean), most};
}

static int by_size_down(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static double lorenz(const struct workstat *w, double share_of_users, bool of_jobs)
{
    double *of_user = hs_alloc_zeroed(w->users.count, sizeof *of_user);
    uint32_t users = 0;
    double all = 0, sum = 0;
    assert_non_null(of_user);
    for (uint32_t i = 0; i < w->count; i++) {
        double own = of_jobs ? 1 : gputime(&w->jobs[i]);
        of_user[w->jobs[i].user] += own;
        all += own;
    }
    qsort(of_user, w->users.count, sizeof *of_user, by_size_down);
    while (users < w->users.count && of_user[users] > 0)
        users++;
    double place = share_of_users * (users - 1);
    for (uint32_t k = 0; k < users && k <= place; k++)
        sum += of_user[k];
    uint32_t next = (uint32_t)place + 1;
    if (next < users)
        sum += (place - floor(place)) * of_user[next];
    hs_free(of_user);
    return sum / all;
}

double workstat_users_gputime(const struct workstat *w, double share_of_users)
{
    return lorenz(w, share_of_users, false);
}

double workstat_users_jobs(const struct workstat *w, double share_of_users)
{
    return lorenz(w, share_of_users, true);
}
