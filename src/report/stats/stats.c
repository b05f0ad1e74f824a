/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See observers.h. At the end the samples are read repeatedly until every quantile is known. Each
 * set contains one measure of one class; the bounded slowdown and the time to first progress have
 * quantiles only for all jobs, and means otherwise. The first pass also computes the sums, because
 * the jobs excluded by --cooldown are known only at the end of the run. Later passes examine a job
 * only if one of its classes needs the bucket of one of its values, and drop it if none needs a
 * value.
 */
#include "report/run/observers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/stats/exact.h"

#define PPM UINT64_C(1000000)

#define CLASSES_OF_JOB 6 /* all, GPUs, outcome, job class, quintile of the user, VC */
_Static_assert(HS_CLASSES_MAX <= UINT8_MAX, "bytes of a sample");

/* The keys that determine the classes of a completed job. */
struct class_key {
    uint32_t user;
    uint8_t gpus, outcome, job_class, vc; /* indices of classes */
};

struct job_sample {
    int64_t submit_us, wait_us, jct_us, run_us, work_us;
    int64_t progress_us; /* from submission to first progress */
    uint32_t milli_gpus; /* requested, in thousandths; at most UINT32_MAX */
    struct class_key key;
};

/* ---- quantiles ----
 *
 * Exact order statistics of many sets of integers in bounded memory: the caller replays the same
 * values until every quantile is known.
 *
 *     quantiles_open(&q, sets);
 *     for (bool is_first = true; quantiles_begin(&q); is_first = false)
 *         for each value
 *             if (is_first)
 *                 q.cells[set][bucket_of(value)]++; // value < 2^63
 *             else
 *                 quantiles_take(&q, set, value);
 *     p90 = q.sets[set].value[P90]; // 0 for an empty set
 *
 * A quantile is the smallest value with at least q n values <= it; the maximum is one, too. The
 * first pass counts values in logarithmic buckets; each later pass splits the buckets that contain
 * a wanted rank by 64: radix selection with replay. Most values of a later pass are in no such
 * bucket, so a caller with many sets skips them, or drops them. A bucket of values below 2^b has at
 * most b - 6 bits to split: eight passes for times up to a year, eleven always. 7.5 KiB per set;
 * exact for any number of values.
 *
 * Invariant between passes: each wanted rank is either resolved or in a range of its set, ranges
 * are disjoint, ascending and non-empty, and `below` of a range is exact. */

enum { P50, P90, P95, P99, P100, QUANTILES };

#define SUB_BITS   5u
#define BUCKETS    1920u /* counters per set in every pass */
#define SPLIT_BITS 6u    /* a range is split into 64 parts */
#define SPLIT      (1u << SPLIT_BITS)
_Static_assert(QUANTILES *SPLIT <= BUCKETS, "ranges split have room");

/* Values in [low, low + 2^bits) that contain wanted ranks. */
struct quantile_range {
    uint64_t low;
    uint64_t below; /* number of values < low */
    uint32_t bits;
};

struct quantile_set {
    uint64_t count;            /* number of values, after the first pass */
    uint64_t value[QUANTILES]; /* set when resolved */
    struct quantile_range range[QUANTILES];
    uint8_t range_of[QUANTILES]; /* index into range; QUANTILES = resolved */
    uint8_t ranges;
};

struct quantiles {
    struct quantile_set *sets;
    uint32_t (*cells)[BUCKETS];
    uint32_t set_count;
    enum { PASS_NONE, PASS_FIRST, PASS_SPLIT } pass;
};

/* Bucket of the first pass: one per value below 32, then 32 per power of two, up to 63 bits. */
static uint32_t bucket_of(uint64_t value)
{
    const uint32_t log2 = 63 ^ HS_CLZ64(value | 1u << SUB_BITS);
    const uint32_t shift = log2 - SUB_BITS;
    return (shift << SUB_BITS) + (uint32_t)(value >> shift);
}

static const uint64_t permille_of[QUANTILES] = {500, 900, 950, 990, 1000};

static uint64_t rank_of(uint64_t count, int which)
{
    return (count * permille_of[which] + 999) / 1000; /* count is below 2^32 */
}

/* Assigns rank `which` to range r, which is added unless it equals the last one. */
static void want(struct quantile_set *set, int which, const struct quantile_range *r)
{
    if (r->bits == 0) {
        set->value[which] = r->low;
        set->range_of[which] = QUANTILES;
        return;
    }
    if (set->ranges == 0 || set->range[set->ranges - 1].low != r->low)
        set->range[set->ranges++] = *r;
    set->range_of[which] = (uint8_t)(set->ranges - 1);
}

/* Determines the ranges of the ranks from the buckets of the first pass. */
static void settle_first(struct quantile_set *set, const uint32_t cells[BUCKETS])
{
    struct quantile_range r = {0};
    uint32_t count = 0; /* 32 bits like a counter, to add several at once */
    for (uint32_t i = 0; i < BUCKETS; i++)
        count += cells[i];
    set->count = count;
    if (count == 0)
        return;
    uint32_t bucket = 0;
    for (int which = 0; which < QUANTILES; which++) {
        uint64_t rank = rank_of(set->count, which);
        while (r.below + cells[bucket] < rank)
            r.below += cells[bucket++];
        const uint32_t shift = bucket >> SUB_BITS;
        r.bits = shift > 0 ? shift - 1 : 0;
        r.low = (uint64_t)(bucket - (r.bits << SUB_BITS)) << r.bits;
        want(set, which, &r);
    }
}

/* Returns the part of range r that contains the rank, from its SPLIT counters. */
static struct quantile_range narrow(const struct quantile_range *r, const uint32_t *cells,
                                    uint64_t rank)
{
    uint32_t bits = r->bits > SPLIT_BITS ? r->bits - SPLIT_BITS : 0;
    struct quantile_range part = {.below = r->below, .bits = bits};
    uint32_t cell = 0;
    while (part.below + cells[cell] < rank)
        part.below += cells[cell++];
    part.low = r->low + ((uint64_t)cell << bits);
    return part;
}

static void quantiles_open(struct quantiles *q, uint32_t sets)
{
    *q = (struct quantiles){.set_count = sets,
                            .sets = hs_alloc_zeroed(sets, sizeof *q->sets),
                            .cells = hs_alloc_zeroed(sets, sizeof *q->cells)};
}

/* Ends a pass and begins the next; returns false, at the last call, when everything is known. */
static bool quantiles_begin(struct quantiles *q)
{
    if (q->pass == PASS_NONE) {
        q->pass = PASS_FIRST;
        return true;
    }
    uint32_t left = 0; /* unresolved ranges */
    for (uint32_t i = 0; i < q->set_count; i++) {
        struct quantile_set *set = &q->sets[i];
        if (q->pass == PASS_FIRST)
            settle_first(set, q->cells[i]);
        else if (set->ranges > 0) {
            struct quantile_set old = *set;
            set->ranges = 0;
            for (int which = 0; which < QUANTILES; which++) {
                uint32_t index = old.range_of[which];
                if (index == QUANTILES)
                    continue;
                struct quantile_range part = narrow(&old.range[index], q->cells[i] + index * SPLIT,
                                                    rank_of(set->count, which));
                want(set, which, &part);
            }
        }
        memset(q->cells[i], 0, set->ranges * SPLIT * sizeof *q->cells[i]);
        left += set->ranges;
    }
    q->pass = PASS_SPLIT;
    return left > 0;
}

/* Adds a value to a set in a later pass if one of its ranges contains it; returns whether. */
static bool quantiles_take(struct quantiles *q, uint32_t set_index, uint64_t value)
{
    const struct quantile_range *r = q->sets[set_index].range, *end = r + q->sets[set_index].ranges;
    for (uint32_t *cells = q->cells[set_index]; r < end; r++, cells += SPLIT) {
        const uint64_t offset = value - r->low;
        if (offset >> r->bits != 0)
            continue;
        cells[offset >> (r->bits > SPLIT_BITS ? r->bits - SPLIT_BITS : 0)]++;
        return true;
    }
    return false;
}

static void quantiles_close(struct quantiles *q)
{
    hs_free(q->sets);
    hs_free(q->cells);
    *q = (struct quantiles){0};
}

/* ---- classes ---- */

/* Adds the GPU time of a job that ended to its user. */
static struct hs_user_account *add_user(struct hs_stats *s, const struct hs_job_record *job)
{
    hs_grow(s->users, s->user_cap, (uint64_t)job->user_index + 1, HS_INTERN_MAX);
    struct hs_user_account *user = &s->users[job->user_index];
    user->milli_us += (hs_u128)(uint64_t)job->gpu_us * job->gpu_milli;
    return user;
}

/* For a completed job. VCs beyond the named ones share the last class. */
static struct class_key key_of(struct hs_stats *s, const struct hs_job_record *job)
{
    hs_grow(s->vc_of, s->vc_of_cap, (uint64_t)job->vc_index + 1, HS_INTERN_MAX);
    uint32_t *vc = &s->vc_of[job->vc_index];
    if (*vc == 0) {
        *vc = hs_intern_get(&s->vcs, job->vc) + 1;
        s->has_vcs = s->has_vcs || job->vc[0] != '\0';
    }
    s->has_job_classes = s->has_job_classes || job->job_class != HS_JOB_CLASS_AUTO;
    return (struct class_key){
        .user = job->user_index,
        .gpus = (uint8_t)(HS_CLASS_GPUS + hs_class_of_gpus(job->gpus)),
        .outcome = (uint8_t)(HS_CLASS_OUTCOME + job->outcome),
        .job_class = (uint8_t)(HS_CLASS_JOB + job->job_class),
        .vc = (uint8_t)(HS_CLASS_VC + (*vc <= HS_CLASS_VCS_MAX ? *vc : HS_CLASS_VCS_MAX) - 1)};
}

struct user_rank {
    hs_u128 milli_us;
    uint32_t user;
};

static int compare_users(const void *a, const void *b)
{
    const struct user_rank *x = a, *y = b;
    if (x->milli_us != y->milli_us)
        return x->milli_us < y->milli_us ? -1 : 1;
    return (x->user > y->user) - (x->user < y->user);
}

/* Called after the last job. With fewer users than quintiles, classes would just rename users. */
static void rank_users(struct hs_stats *s)
{
    struct user_rank *ranks = hs_alloc_zeroed((uint64_t)s->user_cap + 1, sizeof *ranks);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->user_cap; i++)
        if (s->users[i].jobs > 0)
            ranks[count++] = (struct user_rank){.milli_us = s->users[i].milli_us, .user = i};
    qsort(ranks, count, sizeof *ranks, compare_users);
    for (uint32_t i = 0; i < count; i++)
        s->users[ranks[i].user].quintile = (uint8_t)((uint64_t)i * HS_CLASS_QUINTILES / count);
    s->has_users = s->has_users && count >= HS_CLASS_QUINTILES;
    hs_free(ranks);
}

/* Sets the classes of a job, after the users are ranked; returns their number. */
static inline uint32_t classes_of(const struct hs_stats *s, const struct class_key *key,
                                  uint32_t of[CLASSES_OF_JOB])
{
    uint32_t count = 0;
    of[count++] = HS_CLASS_ALL;
    of[count++] = key->gpus;
    of[count++] = key->outcome;
    if (s->has_job_classes)
        of[count++] = key->job_class;
    if (s->has_users)
        of[count++] = HS_CLASS_QUINTILE + s->users[key->user].quintile;
    if (s->has_vcs)
        of[count++] = key->vc;
    return count;
}

/* Fairness: Jain, Chiu, Hawe, "A quantitative measure of fairness", DEC TR-301, 1984: (sum x)^2 /
 * (n sum x^2) with x of each user: the GPU time that its jobs needed over the GPU time between
 * their submission and end, which is 1 if its jobs never wait. NaN with fewer than two users. */
static double jain_index(const struct hs_stats *s)
{
    double sum = 0, squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->user_cap; i++) {
        if (s->users[i].sojourn == 0)
            continue;
        double share = hs_exact_double(s->users[i].need, s->users[i].sojourn);
        sum += share;
        squares += share * share;
        count++;
    }
    return count >= 2 && squares > 0 ? sum * sum / (count * squares) : (double)NAN;
}

/* ---- during a run ---- */

void hs_stats_open(struct hs_stats *s, const char *dir, int64_t warmup_us, int64_t cooldown_us,
                   struct hs_diag *diag)
{
    *s = (struct hs_stats){.diag = diag,
                           .warmup_us = warmup_us,
                           .cooldown_us = cooldown_us,
                           .first_submit_us = -1,
                           .last_submit_us = -1,
                           .last_finish_us = -1};
    hs_temp_records_open(&s->samples, sizeof(struct job_sample), dir);
    hs_intern_init(&s->vcs);
}

void hs_stats_submit(struct hs_stats *s, int64_t now_us, const struct hs_submission *job)
{
    if (s->submitted++ == 0)
        s->first_submit_us = now_us;
    s->last_submit_us = now_us;
    if (job->gpu_util_pm >= 0)
        s->has_util = true;
    s->assumed_util += job->util_from >= HS_FIGURE_FROM_ASSUMED;
}

static enum hs_status add_done(struct hs_stats *s, const struct hs_job_record *job)
{
    if (s->done == UINT32_MAX)
        return hs_fail(s->diag, HS_E_LIMIT, NULL, NULL,
                       "job statistics hold at most 4,294,967,295 completed jobs");
    struct hs_user_account *user = add_user(s, job);
    if (user->jobs++ == 0)
        s->has_users = s->has_users || job->user[0] != '\0';
    const struct class_key key = key_of(s, job);
    s->done++;
    s->work_us += (uint64_t)job->work_us;
    s->done_run_us += (uint64_t)job->run_us;
    if (job->submit_us < s->first_submit_us + s->warmup_us)
        return HS_OK;
    /* a job without work counts as progressing at its end */
    const int64_t progress_us =
        job->first_progress_us >= job->submit_us ? job->first_progress_us : job->finish_us;
    const int64_t jct_us = job->finish_us - job->submit_us;
    void *at;
    HS_TRY(hs_temp_records_add(&s->samples, &at, s->diag));
    *(struct job_sample *)at = (struct job_sample){.submit_us = job->submit_us,
                                                   .wait_us = job->first_start_us - job->submit_us,
                                                   .jct_us = jct_us,
                                                   .run_us = job->run_us,
                                                   .work_us = job->work_us,
                                                   .progress_us = progress_us - job->submit_us,
                                                   .milli_gpus = (uint32_t)hs_record_milli(job),
                                                   .key = key};
    s->has_faster = s->has_faster || jct_us < job->work_us || job->run_us < job->work_us;
    return HS_OK;
}

enum hs_status hs_stats_end(struct hs_stats *s, int64_t now_us, const struct hs_job_record *job)
{
    const hs_u128 milli = hs_record_milli(job); /* times nanoseconds exceeds 64 bits */
    const int64_t end_us = job->finish_us >= 0 ? job->finish_us : now_us;
    s->in_system_us += (uint64_t)(end_us - job->submit_us);
    s->run_us += (uint64_t)job->run_us;
    s->preemptions += job->preemptions;
    s->migrations += job->migrations;
    s->ooms += job->ooms;
    s->retries += job->retries;
    s->switches += job->switches;
    s->colocated_us += (uint64_t)job->colocated_us;
    s->lost_milli_ns += milli * (uint64_t)job->lost_ns;
    s->overhead_milli_us += milli * (uint64_t)job->overhead_us;
    s->run_milli_us += milli * (uint64_t)job->run_us;
    s->host_mib_us += (uint64_t)job->host_mib_us;
    s->done_milli_ns += milli * (uint64_t)job->done_ns;
    if (job->deadline_us >= 0)
        HS_TRY(hs_deadlines_end(s, now_us, job));
    if (job->finish_us > s->last_finish_us)
        s->last_finish_us = job->finish_us;
    if (job->state == HS_JOB_DONE)
        return add_done(s, job);
    if (job->state == HS_JOB_FAILED)
        s->failed++;
    else if (job->state == HS_JOB_REJECTED)
        s->rejected++;
    else
        s->unfinished++;
    (void)add_user(s, job);
    return HS_OK;
}

void hs_stats_close(struct hs_stats *s)
{
    hs_temp_records_close(&s->samples);
    hs_free(s->users);
    hs_free(s->vc_of);
    hs_intern_free(&s->vcs);
    hs_deadlines_close(s->deadlines);
}

/* ---- at the end of a run ---- */

enum { SUM_WORK = HS_MEASURES, SUMS };
#define SETS_OF_CLASS 4 /* wait, JCT, slowdown, run slowdown */
#define SETS_OF_ALL   2 /* bounded slowdown, time to first progress */

struct evaluation {
    struct hs_stats *stats;
    struct quantiles quantiles;
    uint32_t classes;
    /* Lower bound of a measure's values. Slowdowns minus it are 0 for the many jobs with 1, which
     * are then alone in a bucket: their quantiles need no further pass. */
    uint64_t least[HS_MEASURES];
    hs_u128 sums[HS_CLASSES_MAX][SUMS]; /* minus least */
    hs_u128 run_us;                     /* of all jobs */
    /* later passes: the classes that need values of a bucket, modulo 64 */
    uint64_t wanted[HS_MEASURES][BUCKETS];
};

/* The sets of a class's measures are adjacent; after all classes follow the measures that exist
 * only for all jobs. */
static uint32_t set_of(const struct evaluation *e, uint32_t measure, uint32_t class)
{
    if (measure < HS_M_BOUNDED)
        return SETS_OF_CLASS * class + measure;
    return SETS_OF_CLASS * e->classes + (measure - HS_M_BOUNDED);
}

static const struct quantile_set *set_at(const struct evaluation *e, uint32_t measure,
                                         uint32_t class)
{
    return &e->quantiles.sets[set_of(e, measure, class)];
}

/* Returns num / den in parts per million, rounded half up, saturating. */
HS_INLINE uint64_t ratio_ppm(int64_t num, int64_t den)
{
    uint64_t n = (uint64_t)num, d = (uint64_t)den;
    if (HS_LIKELY(n < UINT64_MAX / PPM / 2 && d < UINT64_MAX / 2))
        return (n * PPM + d / 2) / d;
    uint64_t ppm = hs_exact_scaled(n, d, PPM);
    return ppm < INT64_MAX ? ppm : INT64_MAX;
}

/* Computes the values of a job, minus the lower bounds. Slowdowns without work are 0, which later
 * passes ignore. */
HS_INLINE void measure(const struct evaluation *e, const struct job_sample *job,
                       uint64_t value[SUMS])
{
    const bool has_work = job->work_us > 0;
    uint64_t slowdown = has_work ? ratio_ppm(job->jct_us, job->work_us) : 0, run_slowdown = PPM;
    if (has_work && job->run_us != job->work_us)
        run_slowdown = ratio_ppm(job->run_us, job->work_us);
    uint64_t bounded = job->work_us >= HS_BOUND_US ? slowdown : ratio_ppm(job->jct_us, HS_BOUND_US);
    value[HS_M_WAIT] = (uint64_t)job->wait_us;
    value[HS_M_JCT] = (uint64_t)job->jct_us;
    value[HS_M_SLOWDOWN] = has_work ? slowdown - e->least[HS_M_SLOWDOWN] : 0;
    value[HS_M_RUN_SLOWDOWN] = has_work ? run_slowdown - e->least[HS_M_RUN_SLOWDOWN] : 0;
    value[HS_M_BOUNDED] = bounded > PPM ? bounded - PPM : 0;
    value[HS_M_PROGRESS] = (uint64_t)job->progress_us;
    value[SUM_WORK] = (uint64_t)job->work_us;
}

/* First pass: adds to the sums, and to the buckets of the values, of all classes but the first. */
HS_INLINE bool count_job(struct evaluation *e, const struct job_sample *job)
{
    struct hs_user_account *user = &e->stats->users[job->key.user];
    uint64_t value[SUMS];
    uint32_t of[CLASSES_OF_JOB], bucket[HS_MEASURES];
    const uint32_t count = classes_of(e->stats, &job->key, of);
    measure(e, job, value);
    HS_UNROLL
    for (uint32_t m = 0; m < HS_MEASURES; m++)
        bucket[m] = bucket_of(value[m]);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t(*const cells)[BUCKETS] = e->quantiles.cells + SETS_OF_CLASS * of[i];
        hs_u128 *const sums = e->sums[of[i]];
        HS_UNROLL
        for (uint32_t m = 0; m < SUMS; m++)
            sums[m] += value[m];
        HS_UNROLL
        for (uint32_t m = 0; m < SETS_OF_CLASS; m++)
            cells[m][bucket[m]] += m < HS_M_SLOWDOWN || value[SUM_WORK] > 0; /* else no slowdown */
    }
    for (uint32_t m = HS_M_BOUNDED; m < HS_MEASURES; m++)
        e->quantiles.cells[set_of(e, m, HS_CLASS_ALL)][bucket[m]]++;
    e->run_us += (uint64_t)job->run_us;
    user->need += (hs_u128)job->milli_gpus * (uint64_t)job->work_us;
    user->sojourn += (hs_u128)job->milli_gpus * (uint64_t)job->jct_us;
    return true;
}

/* Later pass: adds the values of a job to those of its classes that need them; returns whether one
 * did. If not, no later pass needs the job either, since ranges only shrink. */
HS_INLINE bool take_job(struct evaluation *e, const struct job_sample *job)
{
    uint64_t value[SUMS], asking[HS_MEASURES], any = 0;
    uint32_t of[CLASSES_OF_JOB];
    bool is_taken = false;
    measure(e, job, value);
    HS_UNROLL
    for (uint32_t m = 0; m < HS_MEASURES; m++)
        any |= asking[m] = e->wanted[m][bucket_of(value[m])];
    if (any == 0)
        return false;
    const uint32_t count = classes_of(e->stats, &job->key, of);
    for (uint32_t m = 0; m < HS_MEASURES; m++) {
        const uint32_t end = asking[m] == 0 ? 0 : m < HS_M_BOUNDED ? count : 1;
        for (uint32_t i = 0; i < end; i++)
            if (asking[m] >> of[i] % 64 & 1)
                is_taken |= quantiles_take(&e->quantiles, set_of(e, m, of[i]), value[m]);
    }
    return is_taken;
}

/* Called before each later pass, which needs values of no other buckets than the last one. */
static void mark_wanted(struct evaluation *e)
{
    for (uint32_t m = 0; m < HS_MEASURES; m++)
        for (uint32_t class = 0; class < (m < HS_M_BOUNDED ? e->classes : 1); class ++) {
            const struct quantile_set *set = set_at(e, m, class);
            for (uint32_t i = 0; i < set->ranges; i++)
                e->wanted[m][bucket_of(set->range[i].low)] |= UINT64_C(1) << class % 64;
        }
}

static enum hs_status read_samples(struct evaluation *e)
{
    const struct hs_stats *s = e->stats;
    struct hs_temp_records *samples = &e->stats->samples;
    const int64_t last_us = s->last_submit_us - s->cooldown_us;
    void *block;
    uint32_t count;
    enum hs_status status;
    while ((status = hs_temp_records_next(samples, &block, &count, s->diag)) == HS_OK) {
        struct job_sample *kept = block;
        for (const struct job_sample *job = block; count > 0; job++, count--)
            if (job->submit_us <= last_us &&
                (e->quantiles.pass == PASS_FIRST ? count_job(e, job) : take_job(e, job)))
                *kept++ = *job;
        HS_TRY(
            hs_temp_records_keep(samples, (uint32_t)(kept - (struct job_sample *)block), s->diag));
    }
    return status == HS_END ? HS_OK : status;
}

/* Called after the first pass: the classes by GPUs together are all jobs. */
static void add_all(struct evaluation *e)
{
    for (uint32_t class = HS_CLASS_GPUS; class < HS_CLASS_GPUS + HS_CLASS_GPUS_COUNT; class ++) {
        uint32_t(*const cells)[BUCKETS] = e->quantiles.cells + SETS_OF_CLASS * class;
        for (uint32_t m = 0; m < SUMS; m++)
            e->sums[HS_CLASS_ALL][m] += e->sums[class][m];
        for (uint32_t m = 0; m < SETS_OF_CLASS; m++)
            for (uint32_t i = 0; i < BUCKETS; i++)
                e->quantiles.cells[m][i] += cells[m][i];
    }
}

/* ---- the figures ---- */

/* In units of 1e6 of the values added (us, ppm); NaN without jobs. */
static double mean_of(const struct evaluation *e, uint32_t measure, uint32_t class, uint64_t count)
{
    return hs_exact_double(e->sums[class][measure] + (hs_u128)e->least[measure] * count,
                           (hs_u128)count * PPM);
}

/* Sets mean, p50, p90, p95, p99, max of a measure. */
static void set_figures(const struct evaluation *e, uint32_t measure, uint32_t class,
                        double out[HS_FIGURES])
{
    const struct quantile_set *set = set_at(e, measure, class);
    out[HS_F_MEAN] = mean_of(e, measure, class, set->count);
    for (int i = 0; i < QUANTILES; i++)
        out[HS_F_P50 + i] =
            hs_exact_double(e->least[measure] + set->value[i], set->count > 0 ? PPM : 0);
}

enum hs_status hs_stats_figures(const struct hs_stats *s, struct hs_temp_records *values,
                                int64_t least, struct hs_figures *figures)
{
    const int64_t last_us = s->last_submit_us - s->cooldown_us;
    struct quantiles q;
    hs_u128 sum = 0; /* of what is above the least, as are all values */
    uint64_t above_1 = 0;
    enum hs_status status = HS_OK;
    void *block;
    uint32_t count;
    quantiles_open(&q, 1);
    while (status == HS_OK && quantiles_begin(&q)) {
        while ((status = hs_temp_records_next(values, &block, &count, s->diag)) == HS_OK)
            for (uint32_t i = 0; i < count; i++) {
                const struct hs_timed_value timed = ((const struct hs_timed_value *)block)[i];
                const uint64_t value = timed.ppm - (uint64_t)least;
                if (timed.submit_us > last_us)
                    continue;
                if (q.pass != PASS_FIRST) {
                    (void)quantiles_take(&q, 0, value);
                    continue;
                }
                q.cells[0][bucket_of(value)]++;
                sum += value;
                above_1 += (int64_t)timed.ppm > (int64_t)PPM;
            }
        status = status == HS_END ? HS_OK : status;
    }
    const uint64_t jobs = q.sets[0].count;
    figures->count = jobs;
    figures->sum = (hs_i128)sum + (hs_i128)least * jobs;
    figures->value[HS_F_MEAN] = hs_exact_signed(figures->sum, (hs_i128)jobs * (hs_i128)PPM);
    for (int i = 0; i < QUANTILES; i++)
        figures->value[HS_F_P50 + i] =
            hs_exact_signed((hs_i128)q.sets[0].value[i] + least, jobs > 0 ? PPM : 0);
    figures->above_1 = hs_exact_double(above_1, jobs);
    quantiles_close(&q);
    return status;
}

static void fill(const struct evaluation *e, struct hs_summary *summary)
{
    struct hs_stats *s = e->stats;
    s->counted = set_at(e, HS_M_WAIT, HS_CLASS_ALL)->count;
    s->jct_us = e->sums[HS_CLASS_ALL][HS_M_JCT];
    s->mean_queueing_delay = hs_exact_double(s->jct_us - e->run_us, (hs_u128)s->counted * PPM);
    for (uint32_t m = 0; m < HS_MEASURES; m++)
        set_figures(e, m, HS_CLASS_ALL, s->figure[m]);
    s->jain = jain_index(s);
    summary->class_count = 0;
    for (uint32_t i = 1; i < e->classes; i++) {
        const uint64_t jobs = set_at(e, HS_M_WAIT, i)->count;
        if (jobs == 0)
            continue;
        struct hs_class *class = &summary->classes[summary->class_count++];
        double *value = class->value; /* in the order of hs_class_measures */
        const char *vc = i > HS_CLASS_VC ? hs_intern_text(&s->vcs, i - HS_CLASS_VC) : "(none)";
        hs_class_name(
            i, i == HS_CLASSES_MAX - 1 && s->vcs.count > HS_CLASS_VCS_MAX ? "(others)" : vc, class);
        class->jobs = jobs;
        for (uint32_t m = HS_M_WAIT; m <= HS_M_SLOWDOWN; m++, value += HS_FIGURES)
            set_figures(e, m, i, value);
        *value++ = mean_of(e, HS_M_BOUNDED, i, jobs);
        *value++ = hs_exact_double(e->sums[i][SUM_WORK], (hs_u128)jobs * PPM);
        set_figures(e, HS_M_RUN_SLOWDOWN, i, value);
        value[HS_FIGURES] = mean_of(e, HS_M_PROGRESS, i, jobs);
    }
}

enum hs_status hs_stats_finish(struct hs_stats *s, struct hs_summary *summary)
{
    const uint64_t least = s->has_faster ? 0 : PPM;
    const uint32_t vcs = s->vcs.count < HS_CLASS_VCS_MAX ? s->vcs.count : HS_CLASS_VCS_MAX;
    struct evaluation e = {
        .stats = s,
        .classes = HS_CLASS_VC + (s->has_vcs ? vcs : 0),
        .least = {[HS_M_SLOWDOWN] = least, [HS_M_RUN_SLOWDOWN] = least, [HS_M_BOUNDED] = PPM}};
    rank_users(s);
    quantiles_open(&e.quantiles, SETS_OF_CLASS * e.classes + SETS_OF_ALL);
    enum hs_status status = HS_OK;
    while (status == HS_OK && quantiles_begin(&e.quantiles)) {
        if (e.quantiles.pass != PASS_FIRST)
            mark_wanted(&e);
        status = read_samples(&e);
        if (e.quantiles.pass == PASS_FIRST)
            add_all(&e);
    }
    if (status == HS_OK)
        fill(&e, summary);
    quantiles_close(&e.quantiles);
    return status;
}
