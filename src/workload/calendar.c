/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A block: normal scores of its hours (two autoregressive parts), their ranks to quantiles of the
 * gamma distribution, times the profile, raked (Deming and Stephan, Ann. Math. Stat. 11 (1940) 427)
 * to the sums of the profile; then each of the block's jobs falls into an hour with a chance that
 * is its rate, which makes the counts of a Poisson process with that many points.
 */
#include "workload/calendar.h"

#include <math.h>

#include "base/rng.h"
#include "base/tquantile.h"

#define BLOCK_DAYS 28
#define LEAST_DAYS 14 /* of a block, whose hours beyond the span are planned and left out */
#define HOURS_MAX  (2 * BLOCK_DAYS * HS_WORKLOAD_HOURS)
#define RAKING     50 /* rounds; the sums of hours are exact, those of weekdays to 1e-6 */
#define US_PER_DAY INT64_C(86400000000)
#define THURSDAY   3 /* 1970-01-01 */

/* 2^64 / golden ratio: its multiples, modulo 2^64, fill the range evenly. */
#define NEXT_LENGTH UINT64_C(0x9e3779b97f4a7c15)

/* What random bits are for. */
enum draw { DRAW_QUICK, DRAW_SLOW, DRAW_HOUR, DRAW_OUTAGE };

static uint32_t weekday_of(const struct hs_calendar *c, uint64_t hour)
{
    uint64_t day = (uint64_t)(c->arrivals->first_us / US_PER_DAY) + hour / HS_WORKLOAD_HOURS;
    return (uint32_t)((day + THURSDAY) % HS_WORKLOAD_WEEKDAYS);
}

static double profile(const struct hs_calendar *c, uint64_t hour)
{
    return c->arrivals->weekdays[weekday_of(c, hour)] *
           c->arrivals->hours[hour % HS_WORKLOAD_HOURS];
}

enum hs_status hs_calendar_open(struct hs_calendar *calendar,
                                const struct hs_workload_arrivals *arrivals, uint64_t jobs,
                                uint64_t hours, uint64_t seed)
{
    uint64_t days = (hours + HS_WORKLOAD_HOURS - 1) / HS_WORKLOAD_HOURS;
    *calendar = (struct hs_calendar){.arrivals = arrivals,
                                     .seed = hs_seed_of(seed, "workload-hours"),
                                     .jobs = jobs,
                                     .hours = hours,
                                     .blocks = (uint32_t)(days / BLOCK_DAYS)};
    if (calendar->blocks == 0)
        calendar->blocks = 1;
    for (uint64_t h = 0; h < hours; h++)
        calendar->weight += profile(calendar, h);
    calendar->rates = hs_alloc_zeroed(HOURS_MAX, sizeof *calendar->rates);
    calendar->ranks = hs_alloc_zeroed(HOURS_MAX, sizeof *calendar->ranks);
    calendar->spare = hs_alloc_zeroed(HOURS_MAX, sizeof *calendar->spare);
    calendar->counts = hs_alloc_zeroed(HOURS_MAX, sizeof *calendar->counts);
    if (calendar->rates == NULL || calendar->ranks == NULL || calendar->spare == NULL ||
        calendar->counts == NULL)
        return HS_E_MEMORY;
    calendar->quick = hs_normal_of(hs_mix64(calendar->seed, DRAW_QUICK), UINT64_MAX);
    calendar->slow = hs_normal_of(hs_mix64(calendar->seed, DRAW_SLOW), UINT64_MAX);
    return HS_OK;
}

/* One step of an autoregressive process of variance 1 that forgets as exp(-1 / hours). */
static double step(double state, double hours, uint64_t seed, uint64_t hour)
{
    double keeps = exp(-1 / hours);
    return keeps * state + sqrt(1 - keeps * keeps) * hs_normal_of(seed, hour);
}

/* Multiplies the rates of a block of n hours. */
static void modulate(struct hs_calendar *c, uint32_t n)
{
    const struct hs_workload_modulation *m = &c->arrivals->modulation;
    uint64_t quick_seed = hs_mix64(c->seed, DRAW_QUICK), slow_seed = hs_mix64(c->seed, DRAW_SLOW);
    for (uint32_t i = 0; i < n; i++) {
        c->quick = step(c->quick, m->hours, quick_seed, c->first_hour + i);
        double score = sqrt(1 - m->slow_share) * c->quick;
        if (m->slow_share > 0) {
            c->slow = step(c->slow, m->slow_hours, slow_seed, c->first_hour + i);
            score += sqrt(m->slow_share) * c->slow;
        }
        c->ranks[i] = (struct hs_keyed){hs_key_of(score), i};
    }
    hs_keysort(c->ranks, c->spare, n);
    for (uint32_t i = 0; i < n; i++)
        c->rates[c->ranks[i].value] *= hs_gamma_quantile((i + 0.5) / n, m->cv);
}

/* Factors by which sums fall short of those of the profile; a sum of 0 stays. */
static void rake(struct hs_calendar *c, uint32_t n, uint32_t groups, bool is_weekday)
{
    double wanted[HS_WORKLOAD_HOURS] = {0}, found[HS_WORKLOAD_HOURS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint64_t hour = c->first_hour + i;
        uint32_t group = is_weekday ? weekday_of(c, hour) : (uint32_t)(hour % HS_WORKLOAD_HOURS);
        wanted[group] += profile(c, hour);
        found[group] += c->rates[i];
    }
    for (uint32_t g = 0; g < groups; g++)
        found[g] = found[g] > 0 ? wanted[g] / found[g] : 1;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t hour = c->first_hour + i;
        c->rates[i] *= found[is_weekday ? weekday_of(c, hour) : hour % HS_WORKLOAD_HOURS];
    }
}

/* One outage in each stretch of 1 / per_day days, at an hour of its own. */
static void stop(struct hs_calendar *c, uint32_t n)
{
    const struct hs_workload_outages *o = &c->arrivals->outages;
    uint64_t seed = hs_mix64(c->seed, DRAW_OUTAGE), end = c->first_hour + n;
    double stretch = HS_WORKLOAD_HOURS / o->per_day;
    double longest = ceil(o->hours.value[o->hours.count - 1]);
    double before = ((double)c->first_hour - longest) / stretch - 1;
    for (uint64_t i = before > 0 ? (uint64_t)before : 0; (double)i * stretch < (double)end; i++) {
        double part = hs_uniform_of(hs_mix64(seed, i));
        double rank = hs_uniform_of(seed + i * NEXT_LENGTH);
        uint64_t from = (uint64_t)(((double)i + part) * stretch);
        uint64_t upto = from + (uint64_t)ceil(hs_curve_at(&o->hours, rank));
        for (uint64_t h = from > c->first_hour ? from : c->first_hour; h < upto && h < end; h++)
            c->rates[h - c->first_hour] = 0;
    }
}

static void set_rates(struct hs_calendar *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        c->rates[i] = profile(c, c->first_hour + i);
    bool is_modulated = c->arrivals->modulation.cv > 0;
    bool is_stopped = c->arrivals->outages.per_day > 0 && n <= c->block_hours;
    if (!is_modulated && !is_stopped)
        return;
    if (is_modulated)
        modulate(c, n);
    if (is_stopped)
        stop(c, n);
    for (int i = 0; i < RAKING; i++) {
        rake(c, n, HS_WORKLOAD_WEEKDAYS, true);
        rake(c, n, HS_WORKLOAD_HOURS, false);
    }
}

/* The jobs of a block fall into its hours by their rates. */
static void deal(struct hs_calendar *c, uint64_t jobs)
{
    uint64_t key = hs_mix64(hs_mix64(c->seed, DRAW_HOUR), c->next_block);
    uint32_t n = c->block_hours;
    for (uint32_t i = 1; i < n; i++)
        c->rates[i] += c->rates[i - 1];
    for (uint32_t i = 0; i < n; i++)
        c->counts[i] = 0;
    for (uint64_t j = 0; j < jobs; j++) {
        double at = hs_uniform_of(hs_mix64(key, j)) * c->rates[n - 1];
        uint32_t low = 0, high = n - 1; /* the first hour whose sum is above it */
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (c->rates[middle] > at)
                high = middle;
            else
                low = middle + 1;
        }
        c->counts[low]++;
    }
}

static void next_block(struct hs_calendar *c)
{
    uint64_t days = (c->hours + HS_WORKLOAD_HOURS - 1) / HS_WORKLOAD_HOURS;
    uint64_t end = days * (c->next_block + 1) / c->blocks * HS_WORKLOAD_HOURS;
    c->first_hour = days * c->next_block / c->blocks * HS_WORKLOAD_HOURS;
    c->block_hours = (uint32_t)((end < c->hours ? end : c->hours) - c->first_hour);
    uint32_t least = LEAST_DAYS * HS_WORKLOAD_HOURS;
    set_rates(c, c->block_hours > least ? c->block_hours : least);
    for (uint32_t i = 0; i < c->block_hours; i++)
        c->weight_done += profile(c, c->first_hour + i);
    c->next_block++;
    bool is_last = c->next_block == c->blocks;
    uint64_t upto =
        is_last ? c->jobs : (uint64_t)llround((double)c->jobs * c->weight_done / c->weight);
    deal(c, upto - c->jobs_done);
    c->jobs_done = upto;
    c->next = 0;
}

bool hs_calendar_next(struct hs_calendar *calendar, uint64_t *hour, uint32_t *count)
{
    for (;;) {
        for (; calendar->next < calendar->block_hours; calendar->next++) {
            *count = calendar->counts[calendar->next];
            *hour = calendar->first_hour + calendar->next;
            if (*count > 0) {
                calendar->next++;
                return true;
            }
        }
        if (calendar->next_block == calendar->blocks)
            return false;
        next_block(calendar);
    }
}

void hs_calendar_close(struct hs_calendar *calendar)
{
    hs_free(calendar->rates);
    hs_free(calendar->ranks);
    hs_free(calendar->spare);
    hs_free(calendar->counts);
    *calendar = (struct hs_calendar){0};
}
