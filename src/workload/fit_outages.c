/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Outages: spans of whole hours without a job in which so many are expected that the modulation
 * alone hardly explains it. A gamma distributed rate is near 0 more often the more it varies, hence
 * the limit in jobs grows with (1 + cv^2)^2. It finds none in ten times a hundred days generated
 * without outages, and most of those of five hours and more at 30 jobs an hour and a cv of 1.
 */
#include "workload/fit_parts.h"

#define JOBS_LEAST   30 /* expected, times (1 + cv^2)^2 */
#define HOURS_LEAST  3
#define HOURS_MOST   168 /* of an outage; what is longer is left to it */
#define PER_DAY_MOST 1.0

/* Marks the outages of a span without jobs; longer ones are several. */
static enum hs_status mark(struct hs_fit_arrivals *a, uint32_t first, uint32_t end,
                           struct hs_loghist *lengths)
{
    for (uint32_t h = first; h < end; h++)
        a->is_out[h] = true;
    for (uint32_t left = end - first; left > 0;) {
        uint32_t hours = left < HOURS_MOST ? left : HOURS_MOST;
        HS_TRY(hs_loghist_add(lengths, hours));
        left -= hours;
    }
    return HS_OK;
}

static enum hs_status find(struct hs_fit_arrivals *a, const double *expected,
                           struct hs_loghist *lengths)
{
    double spread = 1 + hs_fit_covariance(a, expected, 0), limit = JOBS_LEAST * spread * spread;
    for (uint32_t first = 0, end; first < a->hours; first = end + 1) {
        double jobs = 0;
        for (end = first; end < a->hours && a->counts[end] == 0; end++)
            jobs += expected[end];
        if (jobs >= limit && end - first >= HOURS_LEAST)
            HS_TRY(mark(a, first, end, lengths));
    }
    return HS_OK;
}

enum hs_status hs_fit_outages(struct hs_fit_arrivals *arrivals, struct hs_arena *arena,
                              struct hs_workload_arrivals *out)
{
    struct hs_loghist lengths = {0};
    double *expected = hs_fit_expected(arrivals, out);
    arrivals->is_out = hs_alloc_zeroed(arrivals->hours, sizeof *arrivals->is_out);
    enum hs_status status = HS_E_MEMORY;
    if (expected != NULL && arrivals->is_out != NULL)
        status = find(arrivals, expected, &lengths);
    if (status == HS_OK && lengths.count > 0) {
        double days = (double)arrivals->hours / HS_WORKLOAD_HOURS;
        double per_day = (double)lengths.count / days;
        out->outages.per_day = per_day < PER_DAY_MOST ? per_day : PER_DAY_MOST;
        status = hs_fit_curve(&lengths, true, arena, &out->outages.hours);
    }
    hs_loghist_free(&lengths);
    hs_free(expected);
    return status;
}
