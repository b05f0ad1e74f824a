/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A block of hours: normal scores of its hours (two autoregressive parts), their ranks to quantiles
 * of the gamma distribution, times the profile, raked (Deming and Stephan, Ann. Math. Stat. 11
 * (1940) 427) to the sums of the profile; then each of the block's jobs falls into an hour with a
 * chance that is its rate, which makes the counts of a Poisson process with that many points.
 *
 * The jobs of an hour are cut into batches. What the gaps within batches leave of the hour is split
 * among the batches by uniform order statistics, drawn one after the other, so that no hour is held
 * in memory. Batches are drawn twice, from the same bits: once to know their number and how long
 * they take, once to hand them out.
 */
#include "workload/arrival.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

/* ---- sorting: by digits of eight bits, the lowest first ---- */

#define DIGITS 8
#define VALUES 256 /* of a digit */

uint64_t hs_key_of(double number)
{
    uint64_t bits, sign = UINT64_C(1) << 63;
    memcpy(&bits, &number, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static uint32_t digit_of(uint64_t key, int digit)
{
    return (uint32_t)(key >> (8 * digit)) & (VALUES - 1);
}

void hs_keysort(struct hs_keyed *items, struct hs_keyed *spare, uint32_t count)
{
    uint32_t places[DIGITS][VALUES] = {{0}};
    struct hs_keyed *from = items, *to = spare;
    for (uint32_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++)
            places[d][digit_of(items[i].key, d)]++;
    for (int d = 0; d < DIGITS && count > 0; d++) {
        uint32_t before = 0;
        if (places[d][digit_of(from[0].key, d)] == count)
            continue; /* all alike */
        for (int v = 0; v < VALUES; v++) {
            uint32_t of_value = places[d][v];
            places[d][v] = before;
            before += of_value;
        }
        for (uint32_t i = 0; i < count; i++)
            to[places[d][digit_of(from[i].key, d)]++] = from[i];
        struct hs_keyed *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

uint32_t hs_pick(const double *sums, uint32_t count, double draw)
{
    double at = draw * sums[count - 1];
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sums[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---- jobs an hour ---- */

#define LEAST_DAYS 14 /* of a block; its hours beyond the span are planned and left out */
#define RAKING     50 /* rounds; the sums of hours are exact, those of weekdays to 1e-6 */
#define US_PER_DAY INT64_C(86400000000)
#define THURSDAY   3 /* 1970-01-01 */

/* 2^64 / golden ratio: its multiples, modulo 2^64, fill the range evenly. */
#define NEXT_LENGTH UINT64_C(0x9e3779b97f4a7c15)

/* What random bits are for. */
enum { RATE_QUICK, RATE_SLOW, RATE_HOUR, RATE_OUTAGE };

static uint32_t weekday_of(const struct hs_arrival_rate *c, uint64_t hour)
{
    uint64_t day = (uint64_t)(c->arrivals->first_us / US_PER_DAY) + hour / HS_WORKLOAD_HOURS;
    return (uint32_t)((day + THURSDAY) % HS_WORKLOAD_WEEKDAYS);
}

static double profile(const struct hs_arrival_rate *c, uint64_t hour)
{
    return c->arrivals->weekdays[weekday_of(c, hour)] *
           c->arrivals->hours[hour % HS_WORKLOAD_HOURS];
}

void hs_arrival_rate_open(struct hs_arrival_rate *rate, const struct hs_workload_arrivals *arrivals,
                          uint64_t jobs, uint64_t hours, uint64_t seed)
{
    uint64_t days = (hours + HS_WORKLOAD_HOURS - 1) / HS_WORKLOAD_HOURS;
    *rate = (struct hs_arrival_rate){.arrivals = arrivals,
                                     .seed = hs_seed_of(seed, "workload-hours"),
                                     .jobs = jobs,
                                     .hours = hours,
                                     .blocks = (uint32_t)(days / HS_ARRIVAL_BLOCK_DAYS)};
    if (rate->blocks == 0)
        rate->blocks = 1;
    for (uint64_t h = 0; h < hours; h++)
        rate->weight += profile(rate, h);
    rate->quick = hs_normal_of(hs_mix64(rate->seed, RATE_QUICK), UINT64_MAX);
    rate->slow = hs_normal_of(hs_mix64(rate->seed, RATE_SLOW), UINT64_MAX);
}

/* One step of an autoregressive process of variance 1 that forgets as exp(-1 / hours). */
static double step(double state, double hours, uint64_t seed, uint64_t hour)
{
    double keeps = exp(-1 / hours);
    return keeps * state + sqrt(1 - keeps * keeps) * hs_normal_of(seed, hour);
}

/* Factors by which sums fall short of those of the profile; a sum of 0 stays. */
static void rake(struct hs_arrival_rate *c, uint32_t n, uint32_t groups, bool is_weekday)
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
static void stop(struct hs_arrival_rate *c, uint32_t n)
{
    const struct hs_workload_outages *o = &c->arrivals->outages;
    uint64_t seed = hs_mix64(c->seed, RATE_OUTAGE), end = c->first_hour + n;
    double stretch = HS_WORKLOAD_HOURS / o->per_day;
    double longest = ceil(o->hours.value[o->hours.count - 1]);
    double before = ((double)c->first_hour - longest) / stretch - 1;
    for (uint64_t i = before > 0 ? (uint64_t)before : 0; (double)i * stretch < (double)end; i++) {
        double part = hs_uniform_of(hs_mix64(seed, i));
        double rank = hs_uniform_of(seed + i * NEXT_LENGTH);
        uint64_t from = (uint64_t)(((double)i + part) * stretch);
        uint64_t upto = from + (uint64_t)ceil(hs_quantile_fn_at(&o->hours, rank));
        for (uint64_t h = from > c->first_hour ? from : c->first_hour; h < upto && h < end; h++)
            c->rates[h - c->first_hour] = 0;
    }
}

static void set_rates(struct hs_arrival_rate *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        c->rates[i] = profile(c, c->first_hour + i);
    const struct hs_workload_modulation *m = &c->arrivals->modulation;
    bool is_modulated = m->cv > 0;
    bool is_stopped = c->arrivals->outages.per_day > 0 && n <= c->block_hours;
    if (!is_modulated && !is_stopped)
        return;
    for (uint32_t i = 0; is_modulated && i < n; i++) {
        uint64_t hour = c->first_hour + i;
        c->quick = step(c->quick, m->hours, hs_mix64(c->seed, RATE_QUICK), hour);
        double score = sqrt(1 - m->slow_share) * c->quick;
        if (m->slow_share > 0) {
            c->slow = step(c->slow, m->slow_hours, hs_mix64(c->seed, RATE_SLOW), hour);
            score += sqrt(m->slow_share) * c->slow;
        }
        c->ranks[i] = (struct hs_keyed){hs_key_of(score), i};
    }
    if (is_modulated)
        hs_keysort(c->ranks, c->spare, n);
    for (uint32_t i = 0; is_modulated && i < n; i++)
        c->rates[c->ranks[i].value] *= hs_gamma_quantile((i + 0.5) / n, m->cv);
    if (is_stopped)
        stop(c, n);
    for (int i = 0; i < RAKING; i++) {
        rake(c, n, HS_WORKLOAD_WEEKDAYS, true);
        rake(c, n, HS_WORKLOAD_HOURS, false);
    }
}

static void next_block(struct hs_arrival_rate *c)
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
    uint64_t key = hs_mix64(hs_mix64(c->seed, RATE_HOUR), c->next_block);
    for (uint32_t i = 1; i < c->block_hours; i++)
        c->rates[i] += c->rates[i - 1];
    for (uint32_t i = 0; i < c->block_hours; i++)
        c->counts[i] = 0;
    for (uint64_t j = c->jobs_done; j < upto; j++) /* they fall into its hours by their rates */
        c->counts[hs_pick(c->rates, c->block_hours,
                          hs_uniform_of(hs_mix64(key, j - c->jobs_done)))]++;
    c->jobs_done = upto;
    c->next = 0;
}

bool hs_arrival_rate_next(struct hs_arrival_rate *rate, uint64_t *hour, uint32_t *count)
{
    for (;;) {
        for (; rate->next < rate->block_hours; rate->next++) {
            *count = rate->counts[rate->next];
            *hour = rate->first_hour + rate->next;
            if (*count > 0) {
                rate->next++;
                return true;
            }
        }
        if (rate->next_block == rate->blocks)
            return false;
        next_block(rate);
    }
}

/* ---- submissions ---- */

#define HOUR_S     3600
#define GAPS_MAX_S (HOUR_S / 2.0) /* of an hour that is taken up by gaps within batches */

/* What the bits of a batch are for; BATCH_GAP + n: before its member n. */
enum { BATCH_JOBS, BATCH_BEGIN, BATCH_GAP };

void hs_arrival_open(struct hs_arrival *arrival, const struct hs_workload_arrivals *arrivals,
                     uint64_t jobs, uint64_t hours, uint64_t seed)
{
    *arrival = (struct hs_arrival){.batches = &arrivals->batches,
                                   .seed = hs_seed_of(seed, "workload-batches")};
    hs_arrival_rate_open(&arrival->rate, arrivals, jobs, hours, seed);
}

static uint32_t draw_members(const struct hs_arrival *a, uint64_t batch, uint32_t most)
{
    if (a->batches->jobs.count == 0)
        return 1;
    double drawn =
        ceil(hs_quantile_fn_at(&a->batches->jobs, hs_uniform_of(hs_mix64(batch, BATCH_JOBS))));
    if (drawn >= most)
        return most;
    return drawn >= 1 ? (uint32_t)drawn : 1;
}

static double draw_gap(const struct hs_arrival *a, uint64_t batch, uint32_t member)
{
    return hs_quantile_fn_at(&a->batches->gap_s,
                             hs_uniform_of(hs_mix64(batch, BATCH_GAP + (uint64_t)member)));
}

/* The next hour: how many batches it has, and how long they take. */
static bool begin_hour(struct hs_arrival *a)
{
    if (!hs_arrival_rate_next(&a->rate, &a->hour, &a->left))
        return false;
    double gaps_s = 0;
    a->key = hs_mix64(a->seed, a->hour);
    a->batches_left = 0;
    for (uint32_t left = a->left; left > 0; a->batches_left++) {
        uint64_t batch = hs_mix64(a->key, a->batches_left);
        uint32_t members = draw_members(a, batch, left);
        for (uint32_t i = 1; i < members; i++)
            gaps_s += draw_gap(a, batch, i);
        left -= members;
    }
    a->gap_scale = gaps_s > GAPS_MAX_S ? GAPS_MAX_S / gaps_s : 1;
    a->free_s = HOUR_S - gaps_s * a->gap_scale;
    a->free_part = a->gaps_s = 0;
    a->batch = a->members_left = 0;
    return true;
}

bool hs_arrival_next(struct hs_arrival *arrival, int64_t *submit_s, uint64_t *batch)
{
    struct hs_arrival *a = arrival;
    if (a->left == 0 && !begin_hour(a))
        return false;
    if (a->members_left == 0) {
        *batch = hs_mix64(a->key, a->batch++);
        a->members_left = draw_members(a, *batch, a->left);
        double begin = hs_uniform_of(hs_mix64(*batch, BATCH_BEGIN));
        a->free_part += (1 - a->free_part) * (1 - pow(begin, 1.0 / a->batches_left--));
        a->member = 0;
    } else {
        *batch = hs_mix64(a->key, a->batch - 1);
        a->gaps_s += draw_gap(a, *batch, ++a->member) * a->gap_scale;
    }
    double second = floor(a->free_s * a->free_part + a->gaps_s);
    *submit_s = (int64_t)a->hour * HOUR_S + (second < HOUR_S ? (int64_t)second : HOUR_S - 1);
    a->members_left--;
    a->left--;
    return true;
}
