/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of the hours, and the profile of week and day from their means.
 */
#include <math.h>

#include "workload/fit_parts.h"

#define HOURS_MOST 10000000 /* of a trace: 1,141 years */
#define HOUR_US    (INT64_C(3600) * HS_FIT_SECOND)
#define DAY_US     (24 * HOUR_US)
#define THURSDAY   3 /* 1970-01-01 */

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

uint32_t hs_fit_hour_of_day(const struct hs_fit_arrivals *a, uint32_t hour)
{
    int64_t at = floor_div(a->first_us, HOUR_US) + hour;
    return (uint32_t)(at - floor_div(at, HS_WORKLOAD_HOURS) * HS_WORKLOAD_HOURS);
}

uint32_t hs_fit_weekday_of(const struct hs_fit_arrivals *a, uint32_t hour)
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
        uint32_t day = hs_fit_weekday_of(a, h), hour = hs_fit_hour_of_day(a, h);
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

void hs_fit_profile(const struct hs_fit_arrivals *a, struct hs_workload_arrivals *out)
{
    const int rounds = 10; /* the first differs from the last only where the ends cut a day */
    for (uint32_t d = 0; d < HS_WORKLOAD_WEEKDAYS; d++)
        out->weekdays[d] = 1.0 / HS_WORKLOAD_WEEKDAYS;
    for (int i = 0; i < rounds; i++) {
        weigh(a, false, out->weekdays, HS_WORKLOAD_HOURS, out->hours);
        weigh(a, true, out->hours, HS_WORKLOAD_WEEKDAYS, out->weekdays);
    }
}

double *hs_fit_expected(const struct hs_fit_arrivals *arrivals,
                        const struct hs_workload_arrivals *profile)
{
    const struct hs_fit_arrivals *a = arrivals;
    double *mean = hs_alloc_zeroed(a->hours, sizeof *mean), sum = 0;
    if (mean == NULL)
        return NULL;
    for (uint32_t h = 0; h < a->hours; h++) {
        if (a->is_out == NULL || !a->is_out[h])
            mean[h] = profile->weekdays[hs_fit_weekday_of(a, h)] *
                      profile->hours[hs_fit_hour_of_day(a, h)];
        sum += mean[h];
    }
    for (uint32_t h = 0; h < a->hours; h++)
        mean[h] *= (double)a->jobs / sum;
    return mean;
}

/* Counts of the hours with the rates r are Poisson: the variance is mean + var(r) mean^2. */
double hs_fit_covariance(const struct hs_fit_arrivals *arrivals, const double *expected,
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

enum hs_status hs_fit_arrivals_finish(struct hs_fit_arrivals *arrivals, struct hs_arena *arena,
                                      struct hs_workload_arrivals *out)
{
    struct hs_fit_arrivals *a = arrivals;
    double span_us = (double)(a->last_us - a->first_us) * (double)a->jobs / (double)(a->jobs - 1);
    int64_t midnight = floor_div(a->first_us, DAY_US) * DAY_US;
    out->first_us = midnight > 0 ? midnight : 0;
    out->jobs_per_day = (double)a->jobs / fmax(span_us / DAY_US, 1.0 / HS_WORKLOAD_HOURS);
    hs_fit_profile(a, out);
    HS_TRY(hs_fit_outages(a, arena, out));
    hs_fit_profile(a, out);
    return hs_fit_modulation(a, out);
}

void hs_fit_arrivals_free(struct hs_fit_arrivals *arrivals)
{
    hs_free(arrivals->counts);
    hs_free(arrivals->is_out);
    *arrivals = (struct hs_fit_arrivals){0};
}
