/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Generates jobs of a workload: arrivals, sizes, durations and outcomes planned together, users,
 * names and attempts.
 */
#include "workload/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "base/rng.h"

#define S_PER_DAY  86400
#define WHOLE_DAYS 28  /* from here on a span that was not requested is whole days */
#define SPAN_MAX_S 9e9 /* about 2^53 microseconds: the limit of a trace */

/* ---- sorting and drawing ---- */

struct keyed {
    uint64_t key, value;
};

/* Returns a key with the order of the numbers, which must not be NaN. */
static uint64_t key_of(double number)
{
    uint64_t bits, sign = UINT64_C(1) << 63;
    memcpy(&bits, &number, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return 2 * HS_ORDER(x->key, y->key) + HS_ORDER(x->value, y->value);
}

/* Returns the first running sum above draw x the last one; 0 <= draw < 1. O(log count). */
static uint32_t pick(const double *sums, uint32_t count, double draw)
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

/* ---- jobs per hour ----
 * A block of hours: normal scores of its hours (two autoregressive parts), whose ranks give
 * quantiles of the gamma distribution, times the profile, raked (Deming and Stephan, Ann. Math.
 * Stat. 11 (1940) 427) to the sums of the profile; then each job of the block gets an hour, with a
 * probability proportional to its rate: a Poisson process given its number of points. */

#define LEAST_DAYS 14 /* of a block; hours after the span are planned but not used */
#define RAKING     50 /* rounds; sums of hours are then exact, those of weekdays to 1e-6 */
#define HOUR_S     3600

/* 2^64 / golden ratio: its multiples, modulo 2^64, fill the range evenly. */
#define NEXT_LENGTH UINT64_C(0x9e3779b97f4a7c15)

/* Purposes of random bits. */
enum { RATE_QUICK, RATE_SLOW, RATE_HOUR, RATE_OUTAGE };

static uint32_t weekday_of(const struct hs_arrival_rate *c, uint64_t hour)
{
    return hs_weekday_of(c->arrivals->first_us / HS_US_PER_S / HOUR_S + (int64_t)hour);
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

/* One step of an autoregressive process of variance 1 with correlation exp(-1 / hours). */
static double step(double state, double hours, uint64_t seed, uint64_t hour)
{
    double keeps = exp(-1 / hours);
    return keeps * state + sqrt(1 - keeps * keeps) * hs_normal_of(seed, hour);
}

/* Scales rates so that their sums are those of the profile; a sum of 0 remains. */
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

/* Places one outage in each period of 1 / per_day days, at a random hour. */
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
    const struct hs_workload_modulation *m = &c->arrivals->modulation;
    struct keyed ranks[HS_ARRIVAL_BLOCK_HOURS];
    bool is_stopped = c->arrivals->outages.per_day > 0 && n <= c->block_hours;
    for (uint32_t i = 0; i < n; i++)
        c->rates[i] = profile(c, c->first_hour + i);
    if (m->cv > 0) {
        for (uint32_t i = 0; i < n; i++) {
            uint64_t hour = c->first_hour + i;
            c->quick = step(c->quick, m->hours, hs_mix64(c->seed, RATE_QUICK), hour);
            double score = sqrt(1 - m->slow_share) * c->quick;
            if (m->slow_share > 0) {
                c->slow = step(c->slow, m->slow_hours, hs_mix64(c->seed, RATE_SLOW), hour);
                score += sqrt(m->slow_share) * c->slow;
            }
            ranks[i] = (struct keyed){key_of(score), i};
        }
        qsort(ranks, n, sizeof *ranks, by_key);
        for (uint32_t i = 0; i < n; i++)
            c->rates[ranks[i].value] *= hs_gamma_quantile((i + 0.5) / n, m->cv);
    }
    if (is_stopped)
        stop(c, n);
    for (int i = 0; i < RAKING && (m->cv > 0 || is_stopped); i++) {
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
    for (uint64_t j = c->jobs_done; j < upto; j++) /* distributes jobs over hours by their rates */
        c->counts[pick(c->rates, c->block_hours, hs_uniform_of(hs_mix64(key, j - c->jobs_done)))]++;
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

/* ---- submissions ----
 * The jobs of an hour are divided into batches; or rates are those of batches, which are then as
 * long as drawn ("whole": few hours of a small cluster have room for its longest batches). The time
 * not used by gaps within batches is split between the batches by uniform order statistics, drawn
 * sequentially, so that no hour is stored in memory. Batches are drawn twice, from the same bits:
 * first for their number and duration, then to return their jobs. */

/* Most of an hour used by gaps within batches, which shrink otherwise. Whole ones: fits to
 * generated traces have gaps off by .031 in KS with 30 minutes, .030 with 50, .020 with 40. */
#define GAPS_MAX_S       (HOUR_S / 2.0)
#define WHOLE_GAPS_MAX_S (HOUR_S * 2 / 3.0)

struct arrival {
    const struct hs_workload_batches *batches;
    struct hs_arrival_rate rate;
    uint64_t seed;
    uint64_t key, hour;            /* current hour */
    uint64_t jobs_left;            /* of all hours after this one; of whole batches */
    uint64_t left;                 /* remaining jobs of the hour */
    uint32_t batches_left;         /* remaining batches of the hour */
    uint64_t batch;                /* number of the batch in the hour; whole ones: of all */
    uint32_t members_left, member; /* remaining members of the batch; number of the last */
    double gap_scale;              /* shrinks gaps if the hour is too short */
    double free_s;                 /* time of the hour between batches */
    double free_part;              /* part of free_s before the batch */
    double gaps_s;                 /* sum of the gaps within batches so far */
};

/* Purposes of a batch's bits; BATCH_GAP + n: gap before member n. */
enum { BATCH_JOBS, BATCH_BEGIN, BATCH_GAP };

static uint64_t draw_members(const struct arrival *a, uint64_t batch, uint64_t most)
{
    if (a->batches->jobs.count == 0)
        return 1;
    double drawn =
        ceil(hs_quantile_fn_at(&a->batches->jobs, hs_uniform_of(hs_mix64(batch, BATCH_JOBS))));
    if (drawn >= (double)most)
        return most;
    return drawn >= 1 ? (uint64_t)drawn : 1;
}

static double draw_gap(const struct arrival *a, uint64_t batch, uint32_t member)
{
    return hs_quantile_fn_at(&a->batches->gap_s,
                             hs_uniform_of(hs_mix64(batch, BATCH_GAP + (uint64_t)member)));
}

/* Returns seconds since the first midnight, non-decreasing; batch: random bits of its own. False at
 * the end. */
static bool arrival_next(struct arrival *a, int64_t *submit_s, uint64_t *batch)
{
    if (a->left == 0) { /* the next hour: number of batches, and their duration */
        const bool is_whole = a->batches->is_whole;
        double gaps_s = 0;
        uint32_t count, taken = 0; /* jobs, or whole batches */
        if (!hs_arrival_rate_next(&a->rate, &a->hour, &count))
            return false;
        if (!is_whole) {
            a->key = hs_mix64(a->seed, a->hour);
            a->batch = 0;
        }
        for (a->batches_left = 0; taken < count; a->batches_left++) {
            uint64_t drawn = hs_mix64(a->key, a->batch + a->batches_left);
            uint64_t members = draw_members(a, drawn, is_whole ? a->jobs_left : count - taken);
            for (uint32_t i = 1; i < members; i++)
                gaps_s += draw_gap(a, drawn, i);
            taken += is_whole ? 1 : (uint32_t)members;
            a->left += members;
            a->jobs_left -= members;
        }
        const double most_s = is_whole ? WHOLE_GAPS_MAX_S : GAPS_MAX_S;
        a->gap_scale = gaps_s > most_s ? most_s / gaps_s : 1;
        a->free_s = HOUR_S - gaps_s * a->gap_scale;
        a->free_part = a->gaps_s = 0;
        a->members_left = 0;
    }
    if (a->members_left == 0) {
        *batch = hs_mix64(a->key, a->batch++);
        a->members_left = (uint32_t)draw_members(a, *batch, a->left);
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

/* ---- the sampler: jobs that are planned together ----
 * Sizes are drawn without replacement, so that each has exactly its share; ranks of durations and
 * outcomes of a size bucket are points that fill the square evenly over all plans, assigned to jobs
 * in the order of correlated scores. A hundred thousand jobs match a published distribution more
 * closely than independent draws would, although batches are correlated and few jobs have most of
 * the GPU time. O(log PLAN_JOBS + sizes) per job. */

#define PLAN_JOBS 16384

struct sampled_job {
    int64_t submit_s, duration_s;
    uint64_t batch;
    uint32_t size;     /* index in job_sampler.sizes */
    uint32_t vc, user; /* in the order of user_table */
    enum hs_outcome outcome;
};

struct user_table {
    double *vc_sums;         /* [size][VC] running sums of weights; NULL without VCs */
    uint32_t *vc_users;      /* [VC + 1] first user of a VC */
    double *user_sums;       /* running sums of weights, within a VC */
    const char **user_names; /* "u00001" has the largest weight */
};

struct sampled_size {
    struct hs_workload_size size;
    uint32_t bucket;
    uint32_t left; /* jobs of this plan not assigned yet */
    bool is_open;  /* available to the current batches */
    double owed;   /* fraction of a job due, below 1 */
};

struct job_sampler {
    struct hs_arena arena;
    const struct hs_workload *workload;
    struct arrival arrival;
    struct user_table users;
    struct sampled_size *sizes; /* of all buckets */
    struct keyed *last;         /* by bucket: last bits of rank and outcome */
    struct keyed *scores, *fates;
    uint32_t *order;                               /* jobs by bucket */
    uint32_t first[HS_WORKLOAD_BUCKETS_MAX + 1];   /* first job of each bucket in order */
    uint32_t lengths[HS_WORKLOAD_BUCKETS_MAX + 1]; /* ascending lengths of batches: between two of
                                                      them all buckets accept the same batches */
    uint32_t length_count;
    struct sampled_job *jobs;
    uint32_t size_count, count, next;
    uint64_t seed, number; /* number of plans so far */
    uint64_t jobs_left;    /* not planned yet */
};

/* 2^64 / g and 2^64 / g^2, g the real root of g^3 = g + 1: multiples of the two, modulo 2^64, are
 * points that fill the square evenly, for any number of points (Roberts' R2 sequence). */
#define NEXT_RANK    UINT64_C(0xc13fa9a902a6328f)
#define NEXT_OUTCOME UINT64_C(0x91e10da5c79e7b1d)

/* Purposes of random bits: of a plan, a job of it, a batch. */
enum sampler_draw {
    DRAW_OWED,
    DRAW_RANK,
    DRAW_OUTCOME,
    DRAW_LEAVES,
    DRAW_SIZE,
    DRAW_OWN,
    DRAW_COMMON,
    DRAW_OF_USER,
    DRAW_VC = 0x7c,
    DRAW_USER
};

static uint64_t bits(const struct job_sampler *plan, uint64_t which, enum sampler_draw purpose)
{
    return hs_mix64(hs_mix64(hs_mix64(plan->seed, plan->number), purpose), which);
}

/* Equal in all plans. */
static uint64_t first_bits(const struct job_sampler *plan, uint64_t which,
                           enum sampler_draw purpose)
{
    return hs_mix64(hs_mix64(plan->seed, purpose), which);
}

static void open_sampler(struct job_sampler *plan, const struct hs_workload *workload,
                         uint64_t jobs, uint64_t hours, uint64_t seed)
{
    *plan = (struct job_sampler){
        .workload = workload, .seed = hs_seed_of(seed, "workload-jobs"), .jobs_left = jobs};
    uint32_t most = jobs < PLAN_JOBS ? (uint32_t)jobs : PLAN_JOBS;
    for (uint32_t b = 0; b < workload->bucket_count; b++)
        plan->size_count += workload->buckets[b].size_count;
    plan->sizes = hs_arena_alloc(&plan->arena, plan->size_count * sizeof *plan->sizes);
    plan->last = hs_arena_alloc(&plan->arena, workload->bucket_count * sizeof *plan->last);
    plan->scores = hs_arena_alloc(&plan->arena, most * sizeof *plan->scores);
    plan->fates = hs_arena_alloc(&plan->arena, most * sizeof *plan->fates);
    plan->order = hs_arena_alloc(&plan->arena, most * sizeof *plan->order);
    plan->jobs = hs_arena_alloc(&plan->arena, most * sizeof *plan->jobs);
    plan->arrival.batches = &workload->arrivals.batches;
    plan->arrival.seed = hs_seed_of(seed, "workload-batches");
    plan->arrival.key = plan->arrival.seed;
    plan->arrival.jobs_left = jobs;
    uint64_t counted = plan->arrival.batches->is_whole ? 0 : jobs; /* jobs, or whole batches */
    for (uint64_t left = jobs - counted; left > 0; counted++)
        left -= draw_members(&plan->arrival, hs_mix64(plan->arrival.key, counted), left);
    hs_arrival_rate_open(&plan->arrival.rate, &workload->arrivals, counted, hours, seed);
    struct sampled_size *size = plan->sizes;
    uint32_t *lengths = plan->lengths;
    for (uint32_t b = 0; b < workload->bucket_count; b++) {
        const struct hs_workload_bucket *bucket = &workload->buckets[b];
        plan->last[b].key = first_bits(plan, b, DRAW_RANK);
        plan->last[b].value = first_bits(plan, b, DRAW_OUTCOME);
        for (uint32_t s = 0; s < bucket->size_count; s++, size++) {
            uint64_t which = (uint64_t)(size - plan->sizes);
            *size = (struct sampled_size){.size = bucket->sizes[s], .bucket = b};
            size->owed = hs_uniform_of(first_bits(plan, which, DRAW_OWED)) - 0.5;
        }
    }
    for (uint32_t b = 0; b <= workload->bucket_count; b++) {
        uint32_t at = plan->length_count;
        uint32_t length = b < workload->bucket_count ? workload->buckets[b].batch_max : UINT32_MAX;
        while (at > 0 && lengths[at - 1] > length)
            at--;
        if (at > 0 && lengths[at - 1] == length)
            continue;
        memmove(&lengths[at + 1], &lengths[at], (plan->length_count++ - at) * sizeof *lengths);
        lengths[at] = length;
    }
}

/* ---- sizes ---- */

/* Sets how many jobs of each size the plan has: the number due, rounded down, and one more for
 * those with the largest fractions. */
static void set_quotas(struct job_sampler *plan)
{
    uint32_t given = 0;
    for (uint32_t s = 0; s < plan->size_count; s++) {
        struct sampled_size *size = &plan->sizes[s];
        size->owed += plan->count * size->size.share;
        size->left = size->owed > 0 ? (uint32_t)floor(size->owed) : 0;
        if (size->left > plan->count - given)
            size->left = plan->count - given;
        size->owed -= size->left;
        given += size->left;
    }
    for (; given < plan->count; given++) {
        struct sampled_size *most = plan->sizes;
        for (uint32_t s = 1; s < plan->size_count; s++)
            if (plan->sizes[s].owed > most->owed)
                most = &plan->sizes[s];
        most->left++;
        most->owed--;
    }
}

/* Draws the size of a job not assigned yet, an open size if there is one. */
static uint32_t deal_size(const struct job_sampler *plan, double part)
{
    uint32_t open = 0, all = 0, s = 0;
    for (uint32_t i = 0; i < plan->size_count; i++) {
        all += plan->sizes[i].left;
        open += plan->sizes[i].is_open ? plan->sizes[i].left : 0;
    }
    uint32_t at = (uint32_t)(part * (open > 0 ? open : all));
    for (;; s++) {
        const struct sampled_size *size = &plan->sizes[s];
        uint32_t left = open > 0 && !size->is_open ? 0 : size->left;
        if (at < left)
            return s;
        at -= left;
    }
}

/* Starts with the longest batches, which have the least choice; otherwise their sizes would be rare
 * in the later part of every plan. */
static void deal_sizes(struct job_sampler *plan)
{
    double leaves = 1 - plan->workload->arrivals.batches.same_size;
    for (uint32_t k = plan->length_count; k-- > 0;) {
        uint32_t above = k > 0 ? plan->lengths[k - 1] : 0, most = plan->lengths[k];
        for (uint32_t s = 0; s < plan->size_count; s++)
            plan->sizes[s].is_open =
                plan->workload->buckets[plan->sizes[s].bucket].batch_max >= most;
        for (uint32_t first = 0, end; first < plan->count; first = end) {
            struct sampled_job *jobs = plan->jobs;
            for (end = first + 1; end < plan->count && jobs[end].batch == jobs[first].batch;)
                end++;
            if (end - first <= above || end - first > most)
                continue;
            for (uint32_t i = first; i < end; i++) {
                bool is_free = i == first || plan->sizes[jobs[first].size].left == 0 ||
                               (leaves > 0 && hs_uniform_of(bits(plan, i, DRAW_LEAVES)) < leaves);
                jobs[i].size = is_free ? deal_size(plan, hs_uniform_of(bits(plan, i, DRAW_SIZE)))
                                       : jobs[first].size;
                plan->sizes[jobs[i].size].left--;
            }
        }
    }
}

/* ---- durations and outcomes ---- */

/* VC and user depend only on the batch and the size; 0 if the workload has none. */
static void draw_user(const struct job_sampler *plan, struct sampled_job *job)
{
    const struct user_table *users = &plan->users;
    const uint32_t vcs = plan->workload->vc_count;
    double draw = hs_uniform_of(hs_mix64(job->batch, DRAW_VC));
    job->vc = vcs > 0 ? pick(users->vc_sums + (size_t)job->size * vcs, vcs, draw) : 0;
    if (plan->workload->users == 0)
        return;
    uint32_t first = users->vc_users[job->vc], count = users->vc_users[job->vc + 1] - first;
    draw = hs_uniform_of(hs_mix64(job->batch, DRAW_USER));
    job->user = first + pick(users->user_sums + first, count, draw);
}

/* Orders jobs by bucket, then by score: a part of its user, one of its batch and one of its own. */
static void set_order(struct job_sampler *plan)
{
    double of_users = plan->workload->users_duration_correlation;
    double common = fmax(plan->workload->arrivals.batches.duration_correlation, of_users);
    double of_batch = sqrt(common - of_users), own = sqrt(1 - common), shared = 0;
    uint64_t own_seed = bits(plan, 0, DRAW_OWN), batch_seed = hs_mix64(plan->seed, DRAW_COMMON);
    uint64_t user_seed = hs_mix64(plan->seed, DRAW_OF_USER);
    uint32_t *first = plan->first;
    for (uint32_t b = 0; b <= plan->workload->bucket_count; b++)
        first[b] = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        struct sampled_job *job = &plan->jobs[i];
        draw_user(plan, job);
        if (common > of_users && (i == 0 || job->batch != plan->jobs[i - 1].batch))
            shared = of_batch * hs_normal_of(batch_seed, job->batch);
        double score = shared + own * hs_normal_of(own_seed, i);
        if (of_users > 0)
            score += sqrt(of_users) * hs_normal_of(user_seed, job->user);
        plan->scores[i] = (struct keyed){key_of(score), i};
        first[plan->sizes[job->size].bucket + 1]++;
    }
    for (uint32_t b = 0; b < plan->workload->bucket_count; b++)
        first[b + 1] += first[b];
    qsort(plan->scores, plan->count, sizeof *plan->scores, by_key);
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t job = (uint32_t)plan->scores[i].value;
        plan->order[first[plan->sizes[plan->jobs[job].size].bucket]++] = job;
    }
    for (uint32_t b = plan->workload->bucket_count; b > 0; b--) /* they have advanced by one */
        first[b] = first[b - 1];
    first[0] = 0;
}

static const struct hs_workload_states *states_at(const struct hs_workload_bucket *bucket,
                                                  double rank)
{
    const struct hs_workload_states *row = bucket->states;
    while (row->rank < rank && row + 1 < bucket->states + bucket->state_count)
        row++;
    return row;
}

static enum hs_outcome outcome_of(const struct hs_workload_bucket *bucket, double rank, double draw)
{
    if (bucket->state_count == 0)
        return HS_OUTCOME_UNKNOWN;
    const struct hs_workload_states *row = states_at(bucket, rank);
    if (draw < row->share[0])
        return HS_OUTCOME_COMPLETED;
    return draw < row->share[0] + row->share[1] ? HS_OUTCOME_CANCELLED : HS_OUTCOME_FAILED;
}

/* Replaces the draws of outcomes, `value` of n points, so that the jobs of a user have like ones
 * without a change of the mix: jobs of one mix are ordered by a number, in some, by chance, that of
 * their user, and their draws are the ranks in this order. */
static void join_outcomes(struct job_sampler *plan, const struct hs_workload_bucket *bucket,
                          const uint32_t *order, struct keyed *points, uint32_t n)
{
    const double alike = sqrt(plan->workload->users_outcome_correlation);
    struct keyed *fates = plan->fates;
    for (uint32_t low = 0, end; low < n; low = end) {
        const struct hs_workload_states *row = states_at(bucket, hs_uniform_of(points[low].key));
        for (end = low; end < n && states_at(bucket, hs_uniform_of(points[end].key)) == row;
             end++) {
            uint64_t own = bits(plan, order[end], DRAW_OUTCOME);
            if (hs_uniform_of(own) < alike)
                own = first_bits(plan, plan->jobs[order[end]].user, DRAW_OUTCOME);
            fates[end] = (struct keyed){hs_mix64(own, 0), end};
        }
        qsort(fates + low, end - low, sizeof *fates, by_key);
        double part = hs_uniform_of(points[low].value);
        for (uint32_t i = low; i < end; i++)
            points[fates[i].value].value = (uint64_t)ldexp((i - low + part) / (end - low), 64);
    }
}

/* ---- plans ---- */

/* The plans share the remaining jobs evenly, so that the last one is not short. */
static bool make_plan(struct job_sampler *plan)
{
    uint64_t plans = (plan->jobs_left + PLAN_JOBS - 1) / PLAN_JOBS;
    if (plans == 0)
        return false;
    plan->number++;
    plan->count = (uint32_t)(plan->jobs_left / plans);
    plan->jobs_left -= plan->count;
    for (uint32_t i = 0; i < plan->count; i++)
        if (!arrival_next(&plan->arrival, &plan->jobs[i].submit_s, &plan->jobs[i].batch))
            return false;
    set_quotas(plan);
    deal_sizes(plan);
    set_order(plan);
    for (uint32_t b = 0; b < plan->workload->bucket_count; b++) {
        const struct hs_workload_bucket *bucket = &plan->workload->buckets[b];
        const uint32_t *order = plan->order + plan->first[b];
        uint32_t n = plan->first[b + 1] - plan->first[b];
        struct keyed *last = &plan->last[b], *points = plan->scores;
        for (uint32_t i = 0; i < n; i++) {
            last->key += NEXT_RANK;
            last->value += NEXT_OUTCOME;
            points[i] = *last;
        }
        qsort(points, n, sizeof *points, by_key);
        if (plan->workload->users_outcome_correlation > 0 && bucket->state_count > 0)
            join_outcomes(plan, bucket, order, points, n);
        for (uint32_t i = 0; i < n; i++) { /* in order of score */
            struct sampled_job *job = &plan->jobs[order[i]];
            double rank = hs_uniform_of(points[i].key);
            job->duration_s = (int64_t)ceil(hs_quantile_fn_at(&bucket->duration_s, rank));
            job->outcome = outcome_of(bucket, rank, hs_uniform_of(points[i].value));
        }
    }
    plan->next = 0;
    return true;
}

/* ---- users ----
 * The VC of a job is drawn by its size, then its user among the users of that VC, by weight. Users
 * are assigned to VCs once, the largest first, so that the sum of their weights matches the GPU
 * time of the VC's jobs. Weights of users are the quantiles of a log-normal distribution at equal
 * steps: the inequality of users is a parameter of the workload, not random. */

struct weighted_user {
    double weight;
    uint32_t vc, number;
};

/* Computes each VC's share of all GPU time, from running sums of weights by size. */
static void set_vcs(struct user_table *p, const struct job_sampler *plan, double *gpu_time)
{
    const struct hs_workload *w = plan->workload;
    for (uint32_t s = 0; s < plan->size_count; s++) {
        const struct sampled_size *size = &plan->sizes[s];
        const struct hs_workload_size *demand = &size->size;
        double *sums = p->vc_sums + (size_t)s * w->vc_count, sum = 0;
        for (uint32_t v = 0; v < w->vc_count; v++) {
            const struct hs_workload_vc *vc = &w->vcs[v];
            if (vc->gpus_max == 0 || vc->gpus_max >= demand->gpus)
                sum += vc->shares[size->bucket];
            sums[v] = sum;
        }
        double each = hs_quantile_fn_mean(&w->buckets[size->bucket].duration_s) * demand->share *
                      demand->gpus * demand->gpu_milli;
        for (uint32_t v = 0; sum > 0 && v < w->vc_count; v++)
            gpu_time[v] += each * (sums[v] - (v > 0 ? sums[v - 1] : 0)) / sum;
    }
}

/* Each user is assigned to the VC that lacks most of its weight, first to VCs without users. */
static void spread_users(const struct hs_workload *w, struct weighted_user *users,
                         const double *gpu_time, double *lacks, uint32_t *members)
{
    uint32_t vcs = w->vc_count > 0 ? w->vc_count : 1;
    double all = 0, all_time = 0;
    for (uint32_t u = 0; u < w->users; u++)
        all += users[u].weight;
    for (uint32_t v = 0; v < vcs; v++)
        all_time += gpu_time[v];
    for (uint32_t v = 0; v < vcs; v++)
        lacks[v] = all_time > 0 ? all * gpu_time[v] / all_time : 0;
    for (uint32_t u = 0, empty = vcs; u < w->users; u++) {
        bool must_fill = w->users - u <= empty; /* the last users go to VCs without any */
        uint32_t best = vcs;
        for (uint32_t v = 0; v < vcs; v++)
            if ((!must_fill || members[v] == 0) && (best == vcs || lacks[v] > lacks[best]))
                best = v;
        empty -= members[best]++ == 0;
        lacks[best] -= users[u].weight;
        users[u].vc = best;
    }
}

static void open_users(struct job_sampler *plan)
{
    struct user_table *p = &plan->users;
    const struct hs_workload *w = plan->workload;
    uint32_t vcs = w->vc_count > 0 ? w->vc_count : 1;
    double *gpu_time = hs_arena_alloc(&plan->arena, vcs * sizeof *gpu_time);
    if (w->vc_count > 0) {
        uint64_t cells = (uint64_t)plan->size_count * w->vc_count;
        p->vc_sums = hs_arena_alloc(&plan->arena, cells * sizeof *p->vc_sums);
        set_vcs(p, plan, gpu_time);
    }
    if (w->users == 0)
        return;
    struct weighted_user *users = hs_arena_alloc(&plan->arena, w->users * sizeof *users);
    double *lacks = hs_arena_alloc(&plan->arena, vcs * sizeof *lacks);
    uint32_t *members = hs_arena_alloc(&plan->arena, vcs * sizeof *members);
    uint32_t *filled = hs_arena_alloc(&plan->arena, vcs * sizeof *filled);
    p->vc_users = hs_arena_alloc(&plan->arena, (vcs + 1) * sizeof *p->vc_users);
    p->user_sums = hs_arena_alloc(&plan->arena, w->users * sizeof *p->user_sums);
    p->user_names = hs_arena_alloc(&plan->arena, w->users * sizeof *p->user_names);
    for (uint32_t u = 0; u < w->users; u++) {
        double z = hs_normal_quantile((w->users - u - 0.5) / w->users);
        users[u] = (struct weighted_user){.weight = exp(w->users_sigma * z), .number = u + 1};
    }
    spread_users(w, users, gpu_time, lacks, members);
    for (uint32_t v = 0; v < vcs; v++)
        p->vc_users[v + 1] = p->vc_users[v] + members[v];
    for (uint32_t u = 0; u < w->users; u++) { /* by VC, then by weight */
        char name[16];
        uint32_t vc = users[u].vc, at = p->vc_users[vc] + filled[vc]++;
        int len = snprintf(name, sizeof name, "u%05u", users[u].number);
        p->user_sums[at] = users[u].weight + (filled[vc] > 1 ? p->user_sums[at - 1] : 0);
        p->user_names[at] = hs_arena_text(&plan->arena, name, (size_t)len);
    }
}

/* ---- the generator ---- */

struct hs_generator {
    struct hs_workload workload;
    struct job_sampler plan;
    struct hs_generator_about about;
    uint64_t index;
    uint64_t retry_seed;
    double retried_again[HS_WORKLOAD_BUCKETS_MAX]; /* probability of each further retry */
    int64_t attempts_us[HS_WORKLOAD_RETRIES_MAX + 1];
    char id[HS_FMT_MAX + 1];
};

static enum hs_status settle(struct hs_generator *g, const struct hs_generate_request *q,
                             struct hs_diag *diag)
{
    double per_day = g->workload.arrivals.jobs_per_day, days = q->days, jobs = (double)q->jobs;
    if (q->load > 0 && q->jobs > 0 && q->days > 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "leave one of the three out",
                       "jobs and days set the number of jobs a day, and so does load");
    if (q->load > 0 && q->gpus == 0)
        return hs_fail(
            diag, HS_E_USAGE, NULL,
            "-c CLUSTER sets the number of GPUs; gen:NAME,load=X,gpus=N sets it in the text",
            "an offered load needs a cluster");
    if (q->load > 0)
        per_day = q->load * (double)q->gpus * S_PER_DAY / hs_workload_gpu_seconds(&g->workload);
    if (jobs == 0)
        jobs = days > 0 ? fmax(1, round(days * per_day)) : HS_GENERATE_JOBS;
    if (days == 0)
        days = jobs / per_day;
    if (q->days == 0 && q->load == 0 && days >= WHOLE_DAYS)
        days = round(days);
    double span_s = fmax(1, round(days * HS_WORKLOAD_HOURS)) * (S_PER_DAY / HS_WORKLOAD_HOURS);
    double first_s = (double)(g->workload.arrivals.first_us / HS_US_PER_S);
    if (jobs > HS_GENERATE_JOBS_MAX || first_s + span_s > SPAN_MAX_S)
        return hs_fail(diag, HS_E_USAGE, NULL, "more jobs a day, or fewer jobs",
                       "%.0f jobs in %.0f days exceed the range of a trace", jobs, days);
    g->about.jobs = (uint64_t)jobs;
    g->about.hours = (uint64_t)(span_s * HS_WORKLOAD_HOURS / S_PER_DAY + 0.5);
    g->about.hash =
        hs_mix64(hs_mix64(hs_mix64(g->workload.hash, g->about.jobs), g->about.hours), q->seed);
    return HS_OK;
}

/* ---- retries ---- */

/* Draws the times of all attempts but the last, which keeps its part of the duration. */
static void give_attempts(struct hs_generator *g, struct hs_trace_job *job, uint32_t bucket)
{
    uint64_t key = hs_mix64(g->retry_seed, g->index);
    int64_t left_s = job->duration_us / HS_US_PER_S;
    uint32_t retries = 0, draws = 0;
    double times_s[HS_WORKLOAD_RETRIES_MAX], sum_s = 0;
    while (retries < g->workload.retries.max && retries + 1 < left_s &&
           hs_uniform_of(hs_mix64(key, draws++)) < g->retried_again[bucket]) {
        double rank = hs_uniform_of(hs_mix64(key, draws++));
        times_s[retries] = fmax(0, hs_quantile_fn_at(&g->workload.retries.time_s, rank) - 1);
        sum_s += times_s[retries++];
    }
    if (retries == 0)
        return;
    /* each takes a second; of the rest the last attempt keeps its part */
    double most_s = (double)(left_s - retries - 1) * retries / (retries + 1);
    double scale = sum_s > most_s ? most_s / sum_s : 1;
    for (uint32_t i = 0; i < retries; i++) {
        int64_t time_s = 1 + (int64_t)floor(times_s[i] * scale);
        g->attempts_us[i] = time_s * HS_US_PER_S;
        left_s -= time_s;
    }
    g->attempts_us[retries] = left_s * HS_US_PER_S;
    job->attempts_us = g->attempts_us;
    job->attempts = retries + 1;
}

/* ---- the stream ---- */

enum hs_status hs_generator_open(struct hs_generator **generator,
                                 const struct hs_generate_request *request, struct hs_diag *diag)
{
    struct hs_generator *g = hs_alloc_zeroed(1, sizeof *g);
    *generator = NULL;
    enum hs_status status = hs_workload_load(&g->workload, request->name, diag);
    if (status == HS_OK)
        status = settle(g, request, diag);
    if (status != HS_OK) {
        hs_generator_close(g);
        return status;
    }
    g->about.workload = &g->workload;
    g->retry_seed = hs_seed_of(request->seed, "workload-retries");
    for (uint32_t b = 0; b < g->workload.bucket_count; b++) {
        const struct hs_workload_bucket *bucket = &g->workload.buckets[b];
        double mean = bucket->retries / hs_bucket_state_share(bucket, HS_OUTCOME_FAILED);
        double low = 0, high = 1;
        /* Retries of a failed job are geometric, truncated at max: q + q^2 + ... + q^max is their
         * mean. */
        for (int i = 0; bucket->retries > 0 && i < 60; i++) {
            double q = (low + high) / 2, sum = 0, power = 1;
            for (uint32_t k = 0; k < g->workload.retries.max; k++)
                sum += power *= q;
            *(sum < mean ? &low : &high) = q;
        }
        g->retried_again[b] = bucket->retries > 0 ? high : 0;
    }
    open_sampler(&g->plan, &g->workload, g->about.jobs, g->about.hours, request->seed);
    open_users(&g->plan);
    *generator = g;
    return HS_OK;
}

enum hs_status hs_generator_next(struct hs_generator *generator, struct hs_trace_job *job)
{
    struct hs_generator *g = generator;
    if (g->plan.next == g->plan.count && !make_plan(&g->plan))
        return HS_END;
    const struct sampled_job *planned = &g->plan.jobs[g->plan.next++];
    const struct sampled_size *size = &g->plan.sizes[planned->size];
    g->index++;
    g->id[hs_fmt_u64(g->id, g->index)] = '\0';
    *job = (struct hs_trace_job)HS_TRACE_JOB_BLANK(size->size.gpu_milli);
    job->id = g->id;
    job->submit_us = g->workload.arrivals.first_us + planned->submit_s * HS_US_PER_S;
    job->duration_us = planned->duration_s * HS_US_PER_S;
    job->gpus = job->gpus_min = job->gpus_max = size->size.gpus;
    job->outcome = planned->outcome;
    job->line = (int64_t)g->index;
    job->vc = g->workload.vc_count > 0 ? g->workload.vcs[planned->vc].name : NULL;
    job->user = g->workload.users > 0 ? g->plan.users.user_names[planned->user] : NULL;
    if (planned->outcome == HS_OUTCOME_FAILED && g->retried_again[size->bucket] > 0)
        give_attempts(g, job, size->bucket);
    return HS_OK;
}

const struct hs_generator_about *hs_generator_about(const struct hs_generator *generator)
{
    return &generator->about;
}

void hs_generator_close(struct hs_generator *generator)
{
    if (generator == NULL)
        return;
    hs_arena_free(&generator->plan.arena);
    hs_workload_free(&generator->workload);
    hs_free(generator);
}
