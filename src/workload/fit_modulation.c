/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The modulation from what the counts of the hours do around the profile. An hour's count is
 * Poisson, so that its variance is mean + cv^2 mean^2, and the covariance of two hours is that of
 * their rates; times are those of all pairs on a grid whose exponentials come nearest to it.
 *
 * What workload/calendar makes of a modulation has somewhat less variance and shorter memory, for
 * every block of weeks gets its profile exactly. So the calendar is asked: hours are made with what
 * was found, measured as the trace was, and what they lack is added to what is looked for (indirect
 * inference; Gourieroux, Monfort, Renault, J. Appl. Econometrics 8 (1993) S85).
 */
#include <math.h>

#include "base/rng.h"
#include "workload/calendar.h"
#include "workload/fit_parts.h"

#define CV_MAX    10.0
#define ROUNDS    4
#define DRAWS     6      /* of the calendar, a round */
#define JOBS_MOST 100000 /* of a draw: more of them only take time */

static const uint32_t lags[] = {0, 1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72, 96, 120, 168};
#define LAGS (sizeof lags / sizeof *lags)

/* Of the rate around its mean of 1: variance, then covariances over so many hours. */
struct moments {
    double at[LAGS];
    uint32_t count; /* the trace is long enough for */
};

static enum hs_status measure(const struct hs_fit_arrivals *a,
                              const struct hs_workload_arrivals *profile, struct moments *moments)
{
    double *mean = hs_fit_expected(a, profile);
    if (mean == NULL)
        return HS_E_MEMORY;
    moments->count = 0;
    for (uint32_t i = 0; i < LAGS && 2 * lags[i] < a->hours; i++)
        moments->at[moments->count++] = hs_fit_covariance(a, mean, lags[i]);
    hs_free(mean);
    return HS_OK;
}

/* ---- the times ---- */

static double misfit(const struct hs_workload_modulation *m, const struct moments *wanted)
{
    double sum = 0;
    for (uint32_t i = 1; i < wanted->count; i++) {
        double expected = (1 - m->slow_share) * exp(-(double)lags[i] / m->hours) +
                          m->slow_share * exp(-(double)lags[i] / m->slow_hours);
        double off = wanted->at[i] / wanted->at[0] - expected;
        sum += off * off;
    }
    return sum;
}

/* Quick times from a quarter of an hour on, slow ones from twice that to two weeks (the calendar
 * forgets between its blocks), each 1.2 times the one before; shares in fortieths. */
static struct hs_workload_modulation nearest(const struct moments *wanted)
{
    const double step = 1.2, quick_least = .25, quick_most = 48, slow_most = 336;
    const uint32_t shares = 40;
    double least = INFINITY;
    struct hs_workload_modulation m, best = {.hours = 1};
    for (m.hours = quick_least; m.hours < quick_most; m.hours *= step)
        for (m.slow_hours = 2 * m.hours; m.slow_hours < slow_most; m.slow_hours *= step)
            for (uint32_t s = 0; s < shares; s++) {
                m.slow_share = (double)s / shares;
                double off = misfit(&m, wanted);
                if (off < least) {
                    least = off;
                    best = m;
                }
            }
    best.cv = fmin(sqrt(wanted->at[0]), CV_MAX);
    return best;
}

/* ---- what the calendar makes of them ---- */

static enum hs_status draw(const struct hs_fit_arrivals *a, const struct hs_workload_arrivals *from,
                           uint64_t seed, struct moments *moments)
{
    struct hs_calendar calendar;
    struct hs_workload_arrivals profile = {0}, steady = *from;
    struct hs_fit_arrivals made = {.hours = a->hours + hs_fit_hour_of_day(a, 0),
                                   .first_us = from->first_us};
    uint64_t hour, jobs = a->jobs < JOBS_MOST ? a->jobs : JOBS_MOST;
    uint32_t count;
    made.counts = hs_alloc_zeroed(made.hours, sizeof *made.counts);
    if (made.counts == NULL)
        return HS_E_MEMORY;
    steady.outages.per_day = 0; /* their hours are left out of the trace's, too */
    enum hs_status status = hs_calendar_open(&calendar, &steady, jobs, made.hours, seed);
    while (status == HS_OK && hs_calendar_next(&calendar, &hour, &count)) {
        made.counts[hour] = count;
        made.jobs += count;
    }
    hs_calendar_close(&calendar);
    if (status == HS_OK) {
        hs_fit_profile(&made, &profile);
        status = measure(&made, &profile, moments);
    }
    hs_free(made.counts);
    return status;
}

static enum hs_status correct(const struct hs_fit_arrivals *a,
                              const struct hs_workload_arrivals *out, const struct moments *seen,
                              struct moments *wanted)
{
    double means[LAGS] = {0};
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct moments made;
        HS_TRY(draw(a, out, seed, &made));
        for (uint32_t i = 0; i < seen->count; i++)
            means[i] += made.at[i] / DRAWS;
    }
    for (uint32_t i = 0; i < seen->count; i++)
        wanted->at[i] += seen->at[i] - means[i];
    return HS_OK;
}

enum hs_status hs_fit_modulation(const struct hs_fit_arrivals *arrivals,
                                 struct hs_workload_arrivals *out)
{
    struct moments seen, wanted;
    out->modulation = (struct hs_workload_modulation){.hours = 1};
    HS_TRY(measure(arrivals, out, &seen));
    wanted = seen;
    for (int round = 0; round < ROUNDS && seen.at[0] > 0 && wanted.at[0] > 0; round++) {
        out->modulation = nearest(&wanted);
        HS_TRY(correct(arrivals, out, &seen, &wanted));
    }
    return HS_OK;
}
