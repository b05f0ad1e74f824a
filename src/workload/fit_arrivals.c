/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profile of week and day from the mean counts of the hours; then the modulation from what the
 * counts do around that profile. Counts of an hour with the rate r are Poisson, so that their
 * variance is mean + cv^2 mean^2, and their covariance over some hours is that of the rates alone;
 * rates being gamma quantiles of normal scores, their correlation is a power series in that of the
 * scores (Mehler), which is inverted by trying all pairs of times on a grid.
 */
#include <math.h>

#include "base/tquantile.h"
#include "workload/fit_parts.h"

#define HOURS_MOST  10000000 /* of a trace: 1,141 years */
#define HOUR_US     (INT64_C(3600) * HS_FIT_SECOND)
#define DAY_US      (24 * HOUR_US)
#define THURSDAY    3 /* 1970-01-01 */
#define CV_MAX      10.0
#define TERMS       8 /* of the series */
#define SLICES      2000
#define BLOCK_HOURS 672 /* four weeks */
#define HALVINGS    20

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

enum hs_status hs_fit_arrivals_add(struct hs_fit_arrivals *arrivals, int64_t submit_us,
                                   struct hs_diag *diag)
{
    struct hs_fit_arrivals *a = arrivals;
    if (a->jobs == 0)
        a->first_us = submit_us;
    uint64_t hour = (uint64_t)(floor_div(submit_us, HOUR_US) - floor_div(a->first_us, HOUR_US));
    if (hour >= HOURS_MOST)
        return hs_fail(diag, HS_E_LIMIT, NULL, "are its times in another unit?",
                       "the trace spans more than %d hours", HOURS_MOST);
    HS_TRY(hs_grow((void **)&a->counts, &a->counts_cap, hour + 1, sizeof *a->counts, HOURS_MOST));
    if (hour >= a->hours)
        a->hours = (uint32_t)hour + 1;
    a->counts[hour]++;
    a->last_us = submit_us;
    a->jobs++;
    return HS_OK;
}

/* ---- profile ---- */

static uint32_t hour_of_day(const struct hs_fit_arrivals *a, uint32_t hour)
{
    int64_t at = floor_div(a->first_us, HOUR_US) + hour;
    return (uint32_t)(at - floor_div(at, HS_WORKLOAD_HOURS) * HS_WORKLOAD_HOURS);
}

static uint32_t weekday_of(const struct hs_fit_arrivals *a, uint32_t hour)
{
    int64_t day = floor_div(floor_div(a->first_us, HOUR_US) + hour, HS_WORKLOAD_HOURS) + THURSDAY;
    return (uint32_t)(day - floor_div(day, HS_WORKLOAD_WEEKDAYS) * HS_WORKLOAD_WEEKDAYS);
}

/* Weights of hours of the day, given those of weekdays, or the other way round: jobs per hour that
 * the trace covers, where an hour counts as much as the other profile says. All alike unless the
 * trace covers them all. */
static void weigh(const struct hs_fit_arrivals *a, bool is_weekday, const double *others,
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

static void fit_profile(const struct hs_fit_arrivals *a, struct hs_workload_arrivals *out)
{
    const int rounds = 10; /* the first differs from the last only where the ends cut a day */
    for (uint32_t d = 0; d < HS_WORKLOAD_WEEKDAYS; d++)
        out->weekdays[d] = 1.0 / HS_WORKLOAD_WEEKDAYS;
    for (int i = 0; i < rounds; i++) {
        weigh(a, false, out->weekdays, HS_WORKLOAD_HOURS, out->hours);
        weigh(a, true, out->hours, HS_WORKLOAD_WEEKDAYS, out->weekdays);
    }
}

/* Expected counts by the profile, with the trace's sum. */
static double *expected_counts(const struct hs_fit_arrivals *a,
                               const struct hs_workload_arrivals *out)
{
    double *mean = hs_alloc_zeroed(a->hours, sizeof *mean), sum = 0;
    if (mean == NULL)
        return NULL;
    for (uint32_t h = 0; h < a->hours; h++) {
        mean[h] = out->weekdays[weekday_of(a, h)] * out->hours[hour_of_day(a, h)];
        sum += mean[h];
    }
    for (uint32_t h = 0; h < a->hours; h++)
        mean[h] *= (double)a->jobs / sum;
    return mean;
}

/* ---- modulation ---- */

static const uint32_t lags[] = {1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72, 96, 120, 168};
#define LAGS (sizeof lags / sizeof *lags)

/* Variance, or covariance over some hours, of the rate around its mean of 1. */
static double covariance(const struct hs_fit_arrivals *a, const double *mean, uint32_t lag)
{
    double sum = 0, weight = 0;
    for (uint32_t h = lag; h < a->hours; h++) {
        double off = a->counts[h] - mean[h], before = a->counts[h - lag] - mean[h - lag];
        sum += off * before - (lag == 0 ? mean[h] : 0);
        weight += mean[h] * mean[h - lag];
    }
    return weight > 0 ? sum / weight : 0;
}

/* Squared coefficients of the gamma distribution with this cv in Hermite polynomials of its normal
 * score, as parts of their sum: the correlation of two rates whose scores have the correlation r
 * is sum of part[k] r^(k + 1). */
static void hermite(double cv, double *parts)
{
    double sum = 0;
    for (uint32_t k = 0; k < TERMS; k++)
        parts[k] = 0;
    for (uint32_t i = 0; i < SLICES; i++) {
        double rank = (i + .5) / SLICES, z = hs_normal_quantile(rank);
        double value = hs_gamma_quantile(rank, cv), before = 1, now = z;
        for (uint32_t k = 0; k < TERMS; k++) { /* normalised: He_k / sqrt(k!) */
            parts[k] += value * now / SLICES;
            double next = (z * now - sqrt(k + 1.0) * before) / sqrt(k + 2.0);
            before = now;
            now = next;
        }
    }
    for (uint32_t k = 0; k < TERMS; k++) {
        parts[k] *= parts[k];
        sum += parts[k];
    }
    for (uint32_t k = 0; k < TERMS; k++)
        parts[k] /= sum;
}

static double misfit(const struct hs_workload_modulation *m, const double *parts,
                     const double *seen, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double r = (1 - m->slow_share) * exp(-(double)lags[i] / m->hours) +
                   m->slow_share * exp(-(double)lags[i] / m->slow_hours);
        double power = 1, expected = 0;
        for (uint32_t k = 0; k < TERMS; k++) {
            power *= r;
            expected += parts[k] * power;
        }
        sum += (seen[i] - expected) * (seen[i] - expected);
    }
    return sum;
}

/* Quick times from a quarter of an hour on, slow ones from twice that, each 1.3 times the one
 * before; shares in twentieths. */
static void fit_times(struct hs_workload_modulation *m, const double *parts, const double *seen,
                      uint32_t count)
{
    const double step = 1.3, quick_least = .25, quick_most = 48, slow_most = 1000;
    const uint32_t shares = 20;
    struct hs_workload_modulation best = *m;
    double least = INFINITY;
    for (m->hours = quick_least; m->hours < quick_most; m->hours *= step)
        for (m->slow_hours = 2 * m->hours; m->slow_hours < slow_most; m->slow_hours *= step)
            for (uint32_t s = 0; s < shares; s++) {
                m->slow_share = (double)s / shares;
                double off = misfit(m, parts, seen, count);
                if (off < least) {
                    least = off;
                    best = *m;
                }
            }
    *m = best;
}

/* Variance of the rates of a block (workload/calendar), where they are the quantiles of the
 * distribution, each once, and the sums of weekdays and hours are those of the profile. */
static double made_of(double cv)
{
    const double bound = HS_WORKLOAD_HOURS + HS_WORKLOAD_WEEKDAYS - 1;
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < BLOCK_HOURS; i++) {
        double rate = hs_gamma_quantile((i + .5) / BLOCK_HOURS, cv);
        sum += rate;
        squares += rate * rate;
    }
    return (squares * BLOCK_HOURS / (sum * sum) - 1) * (1 - bound / BLOCK_HOURS);
}

/* The cv of which as much variance is made. */
static double cv_of(double variance)
{
    double low = 0, high = CV_MAX;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (made_of(middle) < variance)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void fit_modulation(const struct hs_fit_arrivals *a, const double *mean,
                           struct hs_workload_modulation *m)
{
    double parts[TERMS], seen[LAGS], variance = covariance(a, mean, 0);
    uint32_t count = 0;
    *m = (struct hs_workload_modulation){.hours = 1};
    if (variance <= 0)
        return;
    m->cv = cv_of(variance);
    for (; count < LAGS && 2 * lags[count] < a->hours; count++)
        seen[count] = covariance(a, mean, lags[count]) / variance;
    hermite(m->cv, parts);
    fit_times(m, parts, seen, count);
}

enum hs_status hs_fit_arrivals_finish(const struct hs_fit_arrivals *arrivals,
                                      struct hs_workload_arrivals *out)
{
    const struct hs_fit_arrivals *a = arrivals;
    double span_us = (double)(a->last_us - a->first_us) * (double)a->jobs / (double)(a->jobs - 1);
    int64_t midnight = floor_div(a->first_us, DAY_US) * DAY_US;
    out->first_us = midnight > 0 ? midnight : 0;
    out->jobs_per_day = (double)a->jobs / fmax(span_us / DAY_US, 1.0 / HS_WORKLOAD_HOURS);
    fit_profile(a, out);
    double *mean = expected_counts(a, out);
    if (mean == NULL)
        return HS_E_MEMORY;
    fit_modulation(a, mean, &out->modulation);
    hs_free(mean);
    return HS_OK;
}

void hs_fit_arrivals_free(struct hs_fit_arrivals *arrivals)
{
    hs_free(arrivals->counts);
    *arrivals = (struct hs_fit_arrivals){0};
}
