/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See fit.h. Arrivals: counts of the hours, the profile of week and day from their means, outages,
 * and the modulation of the rate. Then sizes, runs of jobs, users and virtual clusters.
 */
#include "workload/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/intern.h"
#include "base/rng.h"

/* ---- arrivals ---- */

#define HOURS_MOST 10000000 /* of a trace: 1,141 years */
#define HOUR_US    (INT64_C(3600) * HS_US_PER_S)
#define DAY_US     (24 * HOUR_US)

struct fit_arrivals {
    uint32_t *counts; /* jobs per hour, from the first hour on */
    bool *is_out;     /* hours of an outage, excluded elsewhere; NULL: none */
    uint32_t hours, counts_cap;
    int64_t first_us, last_us;
    uint64_t jobs;
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static uint32_t hour_of_day(const struct fit_arrivals *a, uint32_t hour)
{
    int64_t at = floor_div(a->first_us, HOUR_US) + hour;
    return (uint32_t)(at - floor_div(at, HS_WORKLOAD_HOURS) * HS_WORKLOAD_HOURS);
}

static uint32_t weekday_of(const struct fit_arrivals *a, uint32_t hour)
{
    return hs_weekday_of(floor_div(a->first_us, HOUR_US) + hour);
}

/* Computes weights of hours of the day, given those of weekdays, or vice versa: jobs per hour
 * covered by the trace, where an hour is weighted by the other profile. All equal unless the trace
 * covers all of them. */
static void weigh(const struct fit_arrivals *a, bool is_weekday, const double *others,
                  uint32_t groups, double *weights)
{
    double covered[HS_WORKLOAD_HOURS] = {0}, hours[HS_WORKLOAD_HOURS] = {0}, sum = 0;
    uint32_t least = is_weekday ? HS_WORKLOAD_HOURS / 2 : 1;
    bool is_whole = true;
    for (uint32_t g = 0; g < groups; g++)
        weights[g] = 0;
    for (uint32_t h = 0; h < a->hours; h++) {
        uint32_t day = weekday_of(a, h), hour = hour_of_day(a, h);
        uint32_t group = is_weekday ? day : hour;
        if (a->is_out != NULL && a->is_out[h])
            continue;
        weights[group] += a->counts[h];
        covered[group] += others[is_weekday ? hour : day];
        hours[group]++;
    }
    for (uint32_t g = 0; g < groups; g++) {
        is_whole = is_whole && hours[g] >= least;
        weights[g] /= covered[g] > 0 ? covered[g] : 1;
        sum += weights[g];
    }
    for (uint32_t g = 0; g < groups; g++)
        weights[g] = is_whole ? weights[g] / sum : 1.0 / groups;
}

static void set_profile(const struct fit_arrivals *a, struct hs_workload_arrivals *out)
{
    const int rounds = 10; /* rounds differ only if the ends of the trace cut a day */
    for (uint32_t d = 0; d < HS_WORKLOAD_WEEKDAYS; d++)
        out->weekdays[d] = 1.0 / HS_WORKLOAD_WEEKDAYS;
    for (int i = 0; i < rounds; i++) {
        weigh(a, false, out->weekdays, HS_WORKLOAD_HOURS, out->hours);
        weigh(a, true, out->hours, HS_WORKLOAD_WEEKDAYS, out->weekdays);
    }
}

static double *expected_counts(const struct fit_arrivals *a,
                               const struct hs_workload_arrivals *profile)
{
    double *mean = hs_alloc_zeroed(a->hours, sizeof *mean), sum = 0;
    for (uint32_t h = 0; h < a->hours; h++) {
        if (a->is_out == NULL || !a->is_out[h])
            mean[h] = profile->weekdays[weekday_of(a, h)] * profile->hours[hour_of_day(a, h)];
        sum += mean[h];
    }
    for (uint32_t h = 0; h < a->hours; h++)
        mean[h] *= (double)a->jobs / sum;
    return mean;
}

/* Counts of hours with rates r are Poisson: the variance is mean + var(r) mean^2. */
static double covariance(const struct fit_arrivals *arrivals, const double *expected,
                         uint32_t hours)
{
    const uint32_t *counts = arrivals->counts;
    double sum = 0, weight = 0;
    for (uint32_t h = hours; h < arrivals->hours; h++) {
        uint32_t b = h - hours;
        sum += (counts[h] - expected[h]) * (counts[b] - expected[b]);
        sum -= hours == 0 ? expected[h] : 0;
        weight += expected[h] * expected[b];
    }
    return weight > 0 ? sum / weight : 0;
}

/* ---- outages ----
 * Intervals of whole hours without jobs, where so many are expected that the modulation alone is an
 * unlikely cause. A gamma distributed rate is near 0 more often the more it varies, so the limit in
 * jobs grows with (1 + cv^2)^2. It finds none in ten times a hundred days generated without
 * outages, and most of those of five hours and more at 30 jobs per hour and a cv of 1. */

#define JOBS_LEAST   30 /* expected jobs, times (1 + cv^2)^2 */
#define HOURS_LEAST  3
#define OUTAGE_MOST  168 /* most hours of an outage; a longer one is split */
#define PER_DAY_MOST 1.0

static void find_outages(struct fit_arrivals *a, struct hs_arena *arena,
                         struct hs_workload_arrivals *out)
{
    struct hs_loghist lengths = {0};
    double *expected = expected_counts(a, out), spread = 1 + fmax(covariance(a, expected, 0), 0);
    a->is_out = hs_alloc_zeroed(a->hours, sizeof *a->is_out);
    for (uint32_t first = 0, end; first < a->hours; first = end + 1) {
        double jobs = 0;
        for (end = first; end < a->hours && a->counts[end] == 0; end++)
            jobs += expected[end];
        if (jobs < JOBS_LEAST * spread * spread || end - first < HOURS_LEAST)
            continue;
        for (uint32_t h = first; h < end; h++)
            a->is_out[h] = true;
        for (uint32_t left = end - first, hours; left > 0; left -= hours) { /* several if long */
            hours = left < OUTAGE_MOST ? left : OUTAGE_MOST;
            hs_loghist_add(&lengths, hours);
        }
    }
    if (lengths.count > 0) {
        double days = (double)a->hours / HS_WORKLOAD_HOURS;
        double per_day = (double)lengths.count / days;
        out->outages.per_day = per_day < PER_DAY_MOST ? per_day : PER_DAY_MOST;
        hs_quantile_fn_of(&lengths, true, arena, &out->outages.hours);
    }
    hs_loghist_free(&lengths);
    hs_free(expected);
}

/* ---- modulation ----
 * Estimated from the variation of the hours' counts around the profile. A count is Poisson, so its
 * variance is mean + cv^2 mean^2, and the covariance of two hours is that of their rates; the times
 * are the pair on a grid whose exponentials fit best.
 *
 * A modulation as generated by workload/generator has slightly less variance and shorter memory,
 * because every block of weeks matches its profile exactly. Therefore hours are generated with the
 * result and measured like the trace, and the difference is added to the target (indirect
 * inference; Gourieroux, Monfort, Renault, J. Appl. Econometrics 8 (1993) S85). */

#define CV_MAX    10.0
#define ROUNDS    4
#define DRAWS     6      /* generated traces per round */
#define RUNS_MOST 100000 /* runs per draw: more only take time */

static const uint32_t lags[] = {0, 1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72, 96, 120, 168};
#define LAGS HS_COUNT_OF(lags)

/* Moments of the rate around its mean of 1: variance, then covariances at these lags in hours. */
struct moments {
    double at[LAGS];
    uint32_t count; /* number for which the trace is long enough */
};

static void measure(const struct fit_arrivals *a, const struct hs_workload_arrivals *profile,
                    struct moments *moments)
{
    double *mean = expected_counts(a, profile);
    moments->count = 0;
    for (uint32_t i = 0; i < LAGS && 2 * lags[i] < a->hours; i++)
        moments->at[moments->count++] = covariance(a, mean, lags[i]);
    hs_free(mean);
}

/* ---- times of the modulation ---- */

/* Searches quick times from a quarter of an hour on, slow ones from twice that to two weeks (the
 * generator forgets between its blocks), each 1.2 times the previous; shares in fortieths. */
static struct hs_workload_modulation nearest(const struct moments *wanted)
{
    const double step = 1.2, quick_least = .25, quick_most = 48, slow_most = 336;
    const uint32_t shares = 40;
    double least = INFINITY;
    struct hs_workload_modulation m, best = {.hours = 1};
    for (m.hours = quick_least; m.hours < quick_most; m.hours *= step)
        for (m.slow_hours = 2 * m.hours; m.slow_hours < slow_most; m.slow_hours *= step)
            for (uint32_t s = 0; s < shares; s++) {
                double squares = 0;
                m.slow_share = (double)s / shares;
                for (uint32_t i = 1; i < wanted->count; i++) {
                    double expected = (1 - m.slow_share) * exp(-(double)lags[i] / m.hours) +
                                      m.slow_share * exp(-(double)lags[i] / m.slow_hours);
                    double off = wanted->at[i] / wanted->at[0] - expected;
                    squares += off * off;
                }
                if (squares < least) {
                    least = squares;
                    best = m;
                }
            }
    best.cv = fmin(sqrt(wanted->at[0]), CV_MAX);
    return best;
}

/* ---- moments of generated hours ---- */

static void fit_modulation(const struct fit_arrivals *a, uint64_t runs,
                           struct hs_workload_arrivals *out)
{
    const struct hs_quantile_fn *jobs = &out->batches.jobs;
    struct moments seen, wanted, made;
    out->modulation = (struct hs_workload_modulation){.hours = 1};
    measure(a, out, &seen);
    wanted = seen;
    for (int round = 0; round < ROUNDS && seen.at[0] > 0 && wanted.at[0] > 0; round++) {
        double means[LAGS] = {0};
        out->modulation = nearest(&wanted);
        for (uint64_t seed = 0; seed < DRAWS; seed++) {
            struct hs_arrival_rate rate;
            struct hs_workload_arrivals profile = {0}, steady = *out;
            struct fit_arrivals drawn = {.hours = a->hours + hour_of_day(a, 0),
                                         .first_us = out->first_us};
            uint64_t hour, drawn_runs = runs < RUNS_MOST ? runs : RUNS_MOST;
            uint64_t batch = 0;
            uint32_t count;
            drawn.counts = hs_alloc_zeroed(drawn.hours, sizeof *drawn.counts);
            steady.outages.per_day = 0; /* their hours are excluded from the trace, too */
            hs_arrival_rate_open(&rate, &steady, drawn_runs, drawn.hours, seed);
            while (hs_arrival_rate_next(&rate, &hour, &count)) {
                drawn.counts[hour] = jobs->count > 0 ? 0 : count;
                for (uint32_t i = 0; i < count && jobs->count > 0; i++) {
                    double draw = hs_uniform_of(hs_mix64(seed, batch++));
                    drawn.counts[hour] += (uint32_t)ceil(hs_quantile_fn_at(jobs, draw));
                }
                drawn.jobs += drawn.counts[hour];
            }
            set_profile(&drawn, &profile);
            measure(&drawn, &profile, &made);
            hs_free(drawn.counts);
            for (uint32_t i = 0; i < seen.count; i++)
                means[i] += made.at[i] / DRAWS;
        }
        for (uint32_t i = 0; i < seen.count; i++)
            wanted.at[i] += seen.at[i] - means[i];
    }
    if (wanted.at[0] <= 0) /* batches alone vary as much */
        out->modulation.cv = 0;
}

/* ---- sizes, runs and users ---- */

#define CLASSES       33 /* shares of a GPU; 1; 2; 3; 4; 5-7; 8; 9-15; ...; 32769-65535 */
#define MILLI         1000
#define ROUNDED       1e-5
#define STATES_MOST   10  /* most ranges of ranks with a separate mix of outcomes */
#define STATES_SAMPLE 500 /* fewest jobs per range */
#define GAP_MOST_S    60  /* within a run of one user */
#define GAP_OF_MEAN   .1  /* the same if users are unknown */
#define GAP_LEAST_S   1
#define PAIRS         4096
#define PAIRS_LEAST   100 /* with fewer, a correlation may be random */
#define RUN_MOST      1000000
#define MOST_IN       .97
#define LEAST_OFF     1e-6
#define EXACT         1024 /* of a loghist: above, a bucket has 2^k / 1,024 values */
#define SIGMA_MAX     10.0
#define HALVINGS      30

struct fit_class {
    struct hs_workload_size *sizes; /* share: number of jobs so far */
    uint32_t size_count, size_cap;
    struct hs_loghist durations;                    /* whole seconds, rounded up */
    struct hs_loghist of_outcome[HS_OUTCOME_COUNT]; /* the same; only known outcomes */
    uint64_t jobs, retries;
};

struct fit_run {
    int64_t last_us;
    uint64_t jobs; /* 0: no run yet */
    uint64_t batches;
    uint64_t duration_s;      /* of the last one */
    uint32_t gpus, gpu_milli; /* of the first job */
    uint32_t class;           /* of the last job */
    uint32_t first_class;
    enum hs_outcome outcome; /* of the last job */
    uint64_t earlier_s;      /* first job of one of the user's runs, drawn evenly */
    uint32_t earlier_class;
};

struct fit_pair {
    uint64_t first_s, second_s;
    uint32_t class;
};

/* Sample of neighbours of one user and class. */
struct fit_pairs {
    struct fit_pair pair[PAIRS];
    uint64_t seen;
};

struct fit_vc {
    uint64_t jobs[CLASSES];
    uint32_t gpus_max;
};

struct hs_fit {
    struct fit_arrivals arrivals;
    /* sizes */
    struct fit_class classes[CLASSES];
    struct hs_loghist failures; /* times of failed attempts that were retried, s */
    uint32_t retries_max;
    /* Runs: submissions of one user, each at most a minute after the previous. Without users:
     * consecutive jobs of one size, at most a tenth of the trace's mean gap apart. */
    struct fit_run *runs; /* by user */
    uint32_t run_count, runs_cap;
    struct hs_loghist run_jobs, run_gaps;   /* jobs per run; gaps within runs, s */
    struct hs_loghist run_jobs_of[CLASSES]; /* by class of the first job */
    uint64_t members, members_alike;        /* jobs after the first of a run; of its size */
    struct fit_pairs in_runs, between_runs;
    uint64_t fates, fates_alike; /* pairs of known outcomes of two runs in a row of a user */
    /* owners */
    struct hs_intern users, vcs; /* id 0: no name */
    struct fit_vc *of_vc;
    uint32_t of_vc_cap;
};

/* ---- sizes ----
 * Powers of two have classes of their own, because most jobs have such sizes; all sizes between two
 * of them form one class, and so do shares of one GPU. */

static uint32_t class_of(const struct hs_trace_job *job)
{
    uint32_t milli = job->gpu_milli > 0 ? job->gpu_milli : MILLI;
    uint64_t demand = (uint64_t)job->gpus * milli;
    if (demand < MILLI)
        return 0;
    /* Class 1 + 2 k is 2^k GPUs, the next one all above, up to 2^(k + 1) - 1. */
    uint32_t gpus = (uint32_t)((demand + MILLI - 1) / MILLI), k = 63 - HS_CLZ64(gpus);
    uint32_t class = 1 + 2 * k + (gpus > (UINT32_C(1) << k));
    return class < CLASSES ? class : CLASSES - 1;
}

static uint64_t seconds_of(int64_t us)
{
    return (uint64_t)((us + HS_US_PER_S - 1) / HS_US_PER_S);
}

/* Counts the job in the entry of its size; if the class is full, in that of the nearest size. */
static void count_size(struct fit_class *class, const struct hs_trace_job *job)
{
    uint32_t milli = job->gpu_milli > 0 ? job->gpu_milli : MILLI, nearest = 0;
    int64_t demand = (int64_t)job->gpus * milli, least = INT64_MAX;
    for (uint32_t i = 0; i < class->size_count; i++) {
        struct hs_workload_size *size = &class->sizes[i];
        if (size->gpus == job->gpus && size->gpu_milli == milli) {
            size->share++;
            return;
        }
        int64_t off = llabs((int64_t)size->gpus * size->gpu_milli - demand);
        if (off < least) {
            least = off;
            nearest = i;
        }
    }
    if (class->size_count == HS_WORKLOAD_SIZES_MAX) {
        class->sizes[nearest].share++;
        return;
    }
    *hs_push(class->sizes, class->size_count, class->size_cap, HS_WORKLOAD_SIZES_MAX) =
        (struct hs_workload_size){job->gpus, milli, 1};
}

/* ---- conversion to a workload ---- */

/* Sets the mix of outcomes by ranges of duration ranks, as many as the number of jobs allows. */
static void fit_states(const struct fit_class *class, struct hs_arena *arena,
                       struct hs_workload_bucket *bucket)
{
    uint64_t known = 0, done[HS_WORKLOAD_STATES] = {0}, sum = 0, value, count;
    uint32_t at = 0;
    for (uint32_t s = 0; s < HS_WORKLOAD_STATES; s++)
        known += class->of_outcome[HS_OUTCOME_COMPLETED + s].count;
    if (known == 0)
        return;
    uint64_t stretches = known / STATES_SAMPLE + 1;
    if (stretches > STATES_MOST)
        stretches = STATES_MOST;
    bucket->states = hs_arena_alloc(arena, STATES_MOST * sizeof *bucket->states);
    while (hs_loghist_next(&class->durations, &at, &value, &count)) {
        struct hs_workload_states *row = &bucket->states[bucket->state_count];
        double all = 0;
        sum += count;
        if (sum * stretches < (bucket->state_count + UINT64_C(1)) * class->jobs)
            continue;
        for (uint32_t s = 0; s < HS_WORKLOAD_STATES; s++) {
            uint64_t upto = hs_loghist_below(&class->of_outcome[HS_OUTCOME_COMPLETED + s], value);
            row->share[s] = (double)(upto - done[s]);
            all += row->share[s];
        }
        if (all == 0) /* no known outcomes here: merged with the next */
            continue;
        for (uint32_t s = 0; s < HS_WORKLOAD_STATES; s++) {
            done[s] += (uint64_t)row->share[s];
            row->share[s] /= all;
        }
        row->rank = (double)sum / (double)class->jobs;
        bucket->state_count++;
    }
    bucket->states[bucket->state_count - 1].rank = 1;
}

static void fit_bucket(const struct hs_fit *f, uint32_t c, struct hs_workload *workload,
                       struct hs_workload_bucket *bucket)
{
    const struct fit_class *class = &f->classes[c];
    char name[32];
    uint32_t least = c > 0 ? UINT32_C(1) << (c - 1) / 2 : 0;
    int len = c == 0       ? snprintf(name, sizeof name, "share")
              : c % 2 == 1 ? snprintf(name, sizeof name, "%u", least)
              : least == 2 ? snprintf(name, sizeof name, "3")
                           : snprintf(name, sizeof name, "%u-%u", least + 1, 2 * least - 1);
    bucket->name = hs_arena_text(&workload->arena, name, (size_t)len);
    bucket->sizes = hs_arena_alloc(&workload->arena, class->size_count * sizeof *bucket->sizes);
    for (; bucket->size_count < class->size_count; bucket->size_count++) {
        bucket->sizes[bucket->size_count] = class->sizes[bucket->size_count];
        bucket->sizes[bucket->size_count].share /= (double)f->arrivals.jobs;
    }
    bucket->share = (double)class->jobs / (double)f->arrivals.jobs;
    hs_quantile_fn_of(&class->durations, true, &workload->arena, &bucket->duration_s);
    fit_states(class, &workload->arena, bucket);
    double retries = (double)class->retries / (double)class->jobs;
    /* only failed jobs are retried; written values are rounded */
    double failed = bucket->state_count > 0 ? hs_bucket_state_share(bucket, HS_OUTCOME_FAILED) : 0;
    bucket->retries = fmin(retries, workload->retries.max * failed * (1 - ROUNDED));
}

/* ---- runs ----
 * Consecutive jobs of one user. A sample of fixed size is kept of neighbours in a run that have one
 * class of sizes (Vitter's reservoir); their durations become normal scores once the distribution
 * of the class is known. */

static void pairs_add(struct fit_pairs *pairs, uint64_t first_s, uint64_t second_s, uint32_t class)
{
    uint64_t at = pairs->seen++;
    if (at >= PAIRS)
        at = hs_mix64(PAIRS, at) % (at + 1);
    if (at < PAIRS)
        pairs->pair[at] = (struct fit_pair){first_s, second_s, class};
}

static void close_run(struct hs_fit *f, struct fit_run *run)
{
    if (run->jobs == 0)
        return;
    run->batches++;
    hs_loghist_add(&f->run_jobs_of[run->first_class], run->jobs);
    hs_loghist_add(&f->run_jobs, run->jobs);
}

/* The first job of a run beside earlier ones of its user: its duration beside that of any run,
 * which shows what lasts; its outcome beside that of the last job (a campaign's jobs end alike).
 * With these two the users of the real Venus and Philly explain as much of the generated durations
 * and outcomes as of theirs (results/held-out.md). */
static void meet_earlier(struct hs_fit *f, struct fit_run *run, const struct hs_trace_job *job,
                         uint32_t class, uint32_t user)
{
    const uint64_t runs = run->batches + (run->jobs > 0), duration_s = seconds_of(job->duration_us);
    if (runs > 0 && run->earlier_class == class)
        pairs_add(&f->between_runs, run->earlier_s, duration_s, class);
    if (runs > 0 && run->outcome != HS_OUTCOME_UNKNOWN && job->outcome != HS_OUTCOME_UNKNOWN) {
        f->fates++;
        f->fates_alike += run->outcome == job->outcome;
    }
    if (hs_mix64(user, runs) % (runs + 1) == 0) {
        run->earlier_s = duration_s;
        run->earlier_class = class;
    }
}

static void runs_add(struct hs_fit *f, const struct hs_trace_job *job, uint32_t class,
                     uint32_t user)
{
    uint64_t duration_s = seconds_of(job->duration_us);
    hs_grow(f->runs, f->runs_cap, (uint64_t)user + 1, HS_INTERN_MAX);
    if (user >= f->run_count)
        f->run_count = user + 1;
    struct fit_run *run = &f->runs[user];
    bool is_alike = run->gpus == job->gpus && run->gpu_milli == job->gpu_milli;
    double mean_us = (double)(job->submit_us - f->arrivals.first_us) / (double)f->arrivals.jobs;
    double gap_us = fmax(GAP_OF_MEAN * mean_us, GAP_LEAST_S * (double)HS_US_PER_S);
    if (user > 0 || gap_us > GAP_MOST_S * (double)HS_US_PER_S)
        gap_us = GAP_MOST_S * (double)HS_US_PER_S;
    if (run->jobs > 0 && run->jobs < RUN_MOST && (user > 0 || is_alike) &&
        job->submit_us - run->last_us <= (int64_t)gap_us) {
        hs_loghist_add(&f->run_gaps, (uint64_t)(job->submit_us - run->last_us) / HS_US_PER_S);
        f->members++;
        f->members_alike += is_alike;
        if (run->class == class)
            pairs_add(&f->in_runs, run->duration_s, duration_s, class);
        run->jobs++;
    } else {
        if (user > 0)
            meet_earlier(f, run, job, class, user);
        close_run(f, run);
        run->jobs = 1;
        run->gpus = job->gpus;
        run->gpu_milli = job->gpu_milli;
        run->first_class = class;
    }
    run->last_us = job->submit_us;
    run->duration_s = duration_s;
    run->outcome = job->outcome;
    run->class = class;
}

/* ---- conversion to a workload ---- */

/* Normal score of a duration, at the middle of equal ones. */
static double score(const struct hs_loghist *durations, uint64_t value)
{
    uint64_t width = value < EXACT ? 1 : (UINT64_C(1) << (63 - HS_CLZ64(value))) / EXACT;
    uint64_t below = value > 0 ? hs_loghist_below(durations, value - width) : 0;
    uint64_t upto = hs_loghist_below(durations, value);
    return hs_normal_quantile(((double)below + (double)upto) / 2 / (double)durations->count);
}

static double correlation(const struct hs_fit *f, const struct fit_pairs *pairs)
{
    uint64_t count = pairs->seen < PAIRS ? pairs->seen : PAIRS;
    double products = 0, squares = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct hs_loghist *durations = &f->classes[pairs->pair[i].class].durations;
        double x = score(durations, pairs->pair[i].first_s);
        double y = score(durations, pairs->pair[i].second_s);
        products += x * y;
        squares += (x * x + y * y) / 2;
    }
    return count >= PAIRS_LEAST && squares > 0 ? fmin(fmax(products / squares, 0), 1) : 0;
}

/* Corrects for members that have the size of the first by chance. */
static double same_size(const struct hs_fit *f, const struct hs_workload *workload)
{
    double chance = 0, alike = (double)f->members_alike / (double)f->members;
    for (uint32_t i = 0; i < workload->bucket_count; i++)
        for (uint32_t s = 0; s < workload->buckets[i].size_count; s++)
            chance += workload->buckets[i].sizes[s].share * workload->buckets[i].sizes[s].share;
    return chance < 1 - LEAST_OFF ? fmin(fmax((alike - chance) / (1 - chance), 0), 1) : 1;
}

/* Returns a length such that MOST_IN of the jobs in these runs are in runs not longer. */
static uint32_t batch_max(const struct hs_loghist *runs, uint64_t longest)
{
    uint32_t at = 0;
    uint64_t jobs, count;
    double sum = 0;
    while (hs_loghist_next(runs, &at, &jobs, &count)) {
        sum += (double)jobs * (double)count;
        if (sum >= MOST_IN * (double)runs->sum)
            return jobs < longest && jobs < HS_WORKLOAD_BATCH_MAX ? (uint32_t)jobs : UINT32_MAX;
    }
    return UINT32_MAX;
}

static void runs_finish(struct hs_fit *f, const uint32_t *bucket_of, struct hs_workload *workload)
{
    struct hs_workload_batches *out = &workload->arrivals.batches;
    for (uint32_t u = 0; u < f->run_count; u++)
        close_run(f, &f->runs[u]);
    for (uint32_t c = 0; c < CLASSES; c++)
        if (bucket_of[c] != UINT32_MAX)
            workload->buckets[bucket_of[c]].batch_max =
                batch_max(&f->run_jobs_of[c], f->run_jobs.max);
    if (f->members == 0)
        return;
    hs_quantile_fn_of(&f->run_jobs, true, &workload->arena, &out->jobs);
    hs_quantile_fn_of(&f->run_gaps, false, &workload->arena, &out->gap_s);
    out->same_size = same_size(f, workload);
    out->is_whole = true;
    out->duration_correlation = correlation(f, &f->in_runs);
}

/* ---- users ----
 * Weights of users among runs are the quantiles of a log-normal distribution at equal steps, as in
 * workload/generator. Its sigma is derived from the Gini coefficient of the trace's users, to which
 * all users contribute; the share of the top few percent would depend on a handful. */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return HS_ORDER(x, y);
}

/* Gini coefficient of n ascending numbers. */
static double gini(const double *numbers, uint32_t n)
{
    double sum = 0, weighted = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += numbers[i];
        weighted += (2.0 * (i + 1) - n - 1) * numbers[i];
    }
    return sum > 0 ? weighted / n / sum : 0;
}

/* How much likelier than by chance a user's run begins with the outcome of the one before. */
static double like_outcomes(const struct hs_fit *f)
{
    double known[HS_OUTCOME_COUNT] = {0}, all = 0, chance = 0;
    for (uint32_t c = 0; c < CLASSES; c++)
        for (uint32_t o = 0; o < HS_OUTCOME_COUNT; o++) {
            known[o] += (double)f->classes[c].of_outcome[o].count;
            all += (double)f->classes[c].of_outcome[o].count;
        }
    for (uint32_t o = 0; o < HS_OUTCOME_COUNT && all > 0; o++)
        chance += known[o] / all * known[o] / all;
    if (f->fates < PAIRS_LEAST || chance >= 1 - LEAST_OFF)
        return 0;
    return fmax(((double)f->fates_alike / (double)f->fates - chance) / (1 - chance), 0);
}

static void fit_users(const struct hs_fit *f, struct hs_workload *workload)
{
    uint32_t named = f->users.count - 1; /* excluding "no name" */
    double low = 0, high = SIGMA_MAX;
    if (named == 0)
        return;
    double *weights = hs_alloc_zeroed(named, sizeof *weights);
    for (uint32_t u = 0; u < named; u++)
        weights[u] = u + 1 < f->run_count ? (double)f->runs[u + 1].batches : 0;
    qsort(weights, named, sizeof *weights, by_size);
    double wanted = gini(weights, named);
    for (int i = 0; i < HALVINGS; i++) { /* finds the sigma whose weights have this coefficient */
        double middle = (low + high) / 2;
        for (uint32_t u = 0; u < named; u++)
            weights[u] = exp(middle * hs_normal_quantile((u + .5) / named));
        *(gini(weights, named) < wanted ? &low : &high) = middle;
    }
    workload->users = named < HS_WORKLOAD_USERS_MAX ? named : HS_WORKLOAD_USERS_MAX;
    workload->users_sigma = (low + high) / 2;
    workload->users_duration_correlation = correlation(f, &f->between_runs);
    workload->users_outcome_correlation = like_outcomes(f);
    hs_free(weights);
}

/* ---- virtual clusters ---- */

static void fit_vcs(const struct hs_fit *f, const uint32_t *bucket_of, struct hs_workload *workload)
{
    double of_class[CLASSES] = {0};
    uint32_t first = 1;
    if (f->vcs.count < 2)
        return;
    for (uint32_t c = 0; c < CLASSES; c++)
        if (f->of_vc[0].jobs[c] > 0)
            first = 0; /* "no VC" counts as a VC without a name */
    workload->vcs = hs_arena_alloc(&workload->arena, f->vcs.count * sizeof *workload->vcs);
    for (uint32_t v = first; v < f->vcs.count; v++)
        for (uint32_t c = 0; c < CLASSES; c++)
            of_class[c] += (double)f->of_vc[v].jobs[c];
    for (uint32_t v = first; v < f->vcs.count; v++) {
        struct hs_workload_vc *out = &workload->vcs[workload->vc_count++];
        const char *name = hs_intern_text(&f->vcs, v);
        out->name = hs_arena_text(&workload->arena, name, strlen(name));
        out->shares =
            hs_arena_alloc(&workload->arena, workload->bucket_count * sizeof *out->shares);
        out->gpus_max = f->of_vc[v].gpus_max;
        for (uint32_t c = 0; c < CLASSES; c++)
            if (bucket_of[c] != UINT32_MAX && of_class[c] > 0)
                out->shares[bucket_of[c]] = (double)f->of_vc[v].jobs[c] / of_class[c];
    }
    if (workload->users > 0 && workload->users < workload->vc_count)
        workload->users = workload->vc_count;
}

/* ---- the fit ---- */

void hs_fit_open(struct hs_fit **fit)
{
    *fit = hs_alloc_zeroed(1, sizeof **fit);
    hs_intern_init(&(*fit)->users);
    hs_intern_init(&(*fit)->vcs);
}

enum hs_status hs_fit_add(struct hs_fit *fit, const struct hs_trace_job *job, struct hs_diag *diag)
{
    struct fit_arrivals *a = &fit->arrivals;
    uint32_t number = class_of(job);
    struct fit_class *class = &fit->classes[number];
    uint32_t retries = job->attempts > 1 ? job->attempts - 1 : 0;
    uint64_t duration = seconds_of(job->duration_us);
    if (job->gpus == 0)
        return HS_OK;
    if (a->jobs == 0)
        a->first_us = job->submit_us;
    uint64_t hour =
        (uint64_t)(floor_div(job->submit_us, HOUR_US) - floor_div(a->first_us, HOUR_US));
    if (hour >= HOURS_MOST)
        return hs_fail(diag, HS_E_LIMIT, NULL, "are its times in another unit?",
                       "the trace spans more than %d hours", HOURS_MOST);
    hs_grow(a->counts, a->counts_cap, hour + 1, HOURS_MOST);
    if (hour >= a->hours)
        a->hours = (uint32_t)hour + 1;
    a->counts[hour]++;
    a->last_us = job->submit_us;
    a->jobs++;
    count_size(class, job);
    hs_loghist_add(&class->durations, duration);
    if (job->outcome != HS_OUTCOME_UNKNOWN)
        hs_loghist_add(&class->of_outcome[job->outcome], duration);
    for (uint32_t i = 0; i < retries; i++)
        hs_loghist_add(&fit->failures, seconds_of(job->attempts_us[i]));
    if (retries > fit->retries_max)
        fit->retries_max = retries;
    class->retries += retries;
    class->jobs++;
    uint32_t vc = hs_intern_get(&fit->vcs, job->vc);
    hs_grow(fit->of_vc, fit->of_vc_cap, (uint64_t)vc + 1, HS_WORKLOAD_VCS_MAX + 1);
    struct fit_vc *of = &fit->of_vc[vc];
    of->jobs[number]++;
    if (job->gpus > of->gpus_max)
        of->gpus_max = job->gpus;
    runs_add(fit, job, number, hs_intern_get(&fit->users, job->user));
    return HS_OK;
}

enum hs_status hs_fit_finish(struct hs_fit *fit, const char *name, struct hs_workload *workload,
                             struct hs_diag *diag)
{
    struct fit_arrivals *a = &fit->arrivals;
    struct hs_workload_arrivals *out = &workload->arrivals;
    struct hs_arena *arena = &workload->arena;
    uint32_t bucket_of[CLASSES]; /* index in the workload; UINT32_MAX: class without jobs */
    *workload = (struct hs_workload){0};
    if (a->jobs < HS_FIT_JOBS_LEAST)
        return hs_fail(diag, HS_E_INPUT, NULL, NULL,
                       "a workload is fitted to %d jobs with GPUs or more, there are %u",
                       HS_FIT_JOBS_LEAST, (unsigned)a->jobs);
    workload->name = hs_arena_text(arena, name, strlen(name));
    double span_us = (double)(a->last_us - a->first_us) * (double)a->jobs / (double)(a->jobs - 1);
    int64_t midnight = floor_div(a->first_us, DAY_US) * DAY_US;
    out->first_us = midnight > 0 ? midnight : 0;
    out->jobs_per_day = (double)a->jobs / fmax(span_us / DAY_US, 1.0 / HS_WORKLOAD_HOURS);
    set_profile(a, out);
    find_outages(a, arena, out);
    set_profile(a, out);
    workload->buckets = hs_arena_alloc(arena, CLASSES * sizeof *workload->buckets);
    if (fit->failures.count > 0) {
        uint32_t most = fit->retries_max;
        workload->retries.max = most < HS_WORKLOAD_RETRIES_MAX ? most : HS_WORKLOAD_RETRIES_MAX;
        hs_quantile_fn_of(&fit->failures, false, arena, &workload->retries.time_s);
    }
    for (uint32_t c = 0; c < CLASSES; c++) {
        bucket_of[c] = fit->classes[c].jobs > 0 ? workload->bucket_count : UINT32_MAX;
        if (fit->classes[c].jobs > 0)
            fit_bucket(fit, c, workload, &workload->buckets[workload->bucket_count++]);
    }
    runs_finish(fit, bucket_of, workload);
    fit_modulation(a, fit->run_jobs.count, out);
    fit_users(fit, workload);
    fit_vcs(fit, bucket_of, workload);
    return HS_OK;
}

uint64_t hs_fit_jobs(const struct hs_fit *fit)
{
    return fit->arrivals.jobs;
}

void hs_fit_close(struct hs_fit *fit)
{
    if (fit == NULL)
        return;
    for (uint32_t c = 0; c < CLASSES; c++) {
        hs_free(fit->classes[c].sizes);
        hs_loghist_free(&fit->classes[c].durations);
        for (uint32_t o = 0; o < HS_OUTCOME_COUNT; o++)
            hs_loghist_free(&fit->classes[c].of_outcome[o]);
        hs_loghist_free(&fit->run_jobs_of[c]);
    }
    hs_loghist_free(&fit->failures);
    hs_loghist_free(&fit->run_jobs);
    hs_loghist_free(&fit->run_gaps);
    hs_free(fit->runs);
    hs_intern_free(&fit->users);
    hs_intern_free(&fit->vcs);
    hs_free(fit->of_vc);
    hs_free(fit->arrivals.counts);
    hs_free(fit->arrivals.is_out);
    hs_free(fit);
}
