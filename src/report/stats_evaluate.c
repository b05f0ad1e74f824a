/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of stats.h at the end of a run.
 *
 * Each set of the quantile finder is one measure of one class; the bounded slowdown and the time to
 * the first progress have quantiles for all jobs only and a mean elsewhere. The first pass over the
 * spool also takes the sums: which jobs --cooldown leaves is known only at the end. It counts a job
 * once for its kind, and adds the kinds up to classes; later ones leave out the measures that are
 * known by then, and look at a job closely only where one of its classes asks for the bucket of one
 * of its values. What is done with a job is compiled twice: for a plain one much of it is known.
 */
#include "report/stats.h"

#include <math.h>
#include <string.h>

#include "report/exact.h"

#define SETS_A_CLASS 4 /* wait, JCT, slowdown, run slowdown */
#define SETS_OF_ALL  2 /* bounded slowdown, time to the first progress */
#define PPM          UINT64_C(1000000)
#define MASK_BITS    64u /* a class each; VCs may share one */
_Static_assert(HS_CLASS_VC < MASK_BITS, "of the other classes each has its own");

/* Of the jobs of a class or a kind; measures less the least. A value that fits is added to a sum of
 * 64 bits, which a block of samples cannot overflow. */
enum { WORK = HS_MEASURES, SUMS };
#define PART_BITS 48u
_Static_assert(HS_SPOOL_BUFFER / sizeof(struct hs_plain_sample) <= 1u << (63 - PART_BITS), "fits");
struct class_sums {
    uint64_t part[SUMS]; /* of this block of samples */
    hs_u128 whole[SUMS]; /* of those before */
};

/* One evaluation of the spool. */
struct evaluation {
    struct hs_stats *stats;
    struct hs_quantiles quantiles;
    uint32_t classes;
    /* what the slowdowns start from: less it, the many of 1 are alone in a bucket, no pass more */
    uint64_t least[HS_MEASURES];
    bool is_first_pass, has_quintiles, has_vcs;
    bool asks[HS_MEASURES]; /* the values of which measures this pass needs */
    struct class_sums sums[HS_CLASSES_MAX], kinds[HS_KINDS];
    bool has_kind[HS_KINDS];         /* a job is of it */
    uint64_t mask_of_kind[HS_KINDS]; /* its classes */
    uint64_t mask_of[HS_CLASSES_MAX];
    /* a later pass: the classes that ask for the values of a bucket */
    uint64_t wanted[HS_MEASURES][HS_QUANTILE_BUCKETS];
    hs_u128 run_us; /* of all */
};

static const char *const class_measures[HS_CLASS_MEASURES] = {
    "mean_wait",
    "p50_wait",
    "p90_wait",
    "p95_wait",
    "p99_wait",
    "max_wait",
    "mean_jct",
    "p50_jct",
    "p90_jct",
    "p95_jct",
    "p99_jct",
    "max_jct",
    "mean_slowdown",
    "p50_slowdown",
    "p90_slowdown",
    "p95_slowdown",
    "p99_slowdown",
    "max_slowdown",
    "mean_bounded_slowdown",
    "mean_isolated",
    "mean_run_slowdown",
    "p50_run_slowdown",
    "p90_run_slowdown",
    "p95_run_slowdown",
    "p99_run_slowdown",
    "max_run_slowdown",
    "mean_time_to_progress",
};

/* num / den in parts per million, rounded half up; the largest integer where it does not fit. */
HS_INLINE uint64_t ratio_ppm(int64_t num, int64_t den)
{
    uint64_t n = (uint64_t)num, d = (uint64_t)den;
    if (HS_LIKELY(n < UINT64_MAX / PPM / 2 && d < UINT64_MAX / 2))
        return (n * PPM + d / 2) / d;
    uint64_t ppm = hs_exact_scaled(n, d, PPM);
    return ppm < INT64_MAX ? ppm : INT64_MAX;
}

HS_INLINE uint64_t bounded_ppm(const struct hs_job_sample *job, uint64_t slowdown_ppm)
{
    uint64_t ppm = job->work_us >= HS_BOUND_US ? slowdown_ppm : ratio_ppm(job->jct_us, HS_BOUND_US);
    return ppm > PPM ? ppm : PPM;
}

static void add_user(struct hs_classes *classes, const struct hs_job_sample *job)
{
    struct hs_user_share *user = &classes->shares[job->place.user];
    uint64_t milli = (uint64_t)job->gpus * job->gpu_milli;
    user->need += (hs_u128)milli * (uint64_t)job->work_us;
    user->stay += (hs_u128)milli * (uint64_t)job->jct_us;
}

/* A class has the sets of its measures one after the other; behind all classes come those of the
 * measures that only all jobs have. */
static uint32_t set_of(const struct evaluation *e, enum hs_measure measure, uint32_t class)
{
    if (measure < HS_M_BOUNDED)
        return SETS_A_CLASS * class + measure;
    return SETS_A_CLASS * e->classes + (uint32_t)(measure - HS_M_BOUNDED);
}

/* What a job counts, less the least; of what it has not 0, which lies alone in its bucket: no later
 * pass wants it. */
HS_INLINE void measure(const struct evaluation *e, const struct hs_job_sample *job,
                       uint64_t value[HS_MEASURES])
{
    uint64_t slowdown = 0, run_slowdown = PPM;
    value[HS_M_WAIT] = (uint64_t)job->wait_us;
    value[HS_M_JCT] = (uint64_t)job->jct_us;
    value[HS_M_PROGRESS] = (uint64_t)job->progress_us;
    value[HS_M_SLOWDOWN] = 0;
    value[HS_M_RUN_SLOWDOWN] = 0;
    if (HS_LIKELY(job->work_us > 0)) {
        slowdown = ratio_ppm(job->jct_us, job->work_us);
        if (job->run_us != job->work_us)
            run_slowdown = ratio_ppm(job->run_us, job->work_us);
        value[HS_M_SLOWDOWN] = slowdown - e->least[HS_M_SLOWDOWN];
        value[HS_M_RUN_SLOWDOWN] = run_slowdown - e->least[HS_M_RUN_SLOWDOWN];
    }
    value[HS_M_BOUNDED] = bounded_ppm(job, slowdown) - PPM;
}

/* The counters of a kind, behind the sets. */
static uint32_t set_of_kind(const struct evaluation *e, uint32_t kind)
{
    return SETS_A_CLASS * e->classes + SETS_OF_ALL + SETS_A_CLASS * kind;
}

/* One of the two measures that most runs need no value of? */
HS_INLINE bool is_known(const struct evaluation *e, uint32_t measure)
{
    return (measure == HS_M_RUN_SLOWDOWN || measure == HS_M_PROGRESS) && !e->asks[measure];
}

static void add_wide(const struct evaluation *e, struct class_sums *sums,
                     const uint64_t value[SUMS])
{
    for (uint32_t m = 0; m < SUMS; m++)
        if (!is_known(e, m))
            sums->whole[m] += value[m];
}

/* The first pass: sums, and the buckets of the values that a class has quantiles of. A job without
 * work has no slowdowns; where nobody is delayed the sums of the progress are those of the wait. */
HS_INLINE void count_sample(struct evaluation *e, struct class_sums *sums, uint32_t set,
                            const uint64_t value[SUMS], const uint32_t bucket[HS_MEASURES],
                            bool is_wide)
{
    uint32_t(*cells)[HS_QUANTILE_CELLS] = hs_quantiles_cells(&e->quantiles, set);
    if (HS_UNLIKELY(is_wide)) {
        add_wide(e, sums, value);
    } else {
        sums->part[WORK] += value[WORK];
        sums->part[HS_M_WAIT] += value[HS_M_WAIT];
        sums->part[HS_M_JCT] += value[HS_M_JCT];
        sums->part[HS_M_SLOWDOWN] += value[HS_M_SLOWDOWN];
        sums->part[HS_M_BOUNDED] += value[HS_M_BOUNDED];
        if (!is_known(e, HS_M_RUN_SLOWDOWN))
            sums->part[HS_M_RUN_SLOWDOWN] += value[HS_M_RUN_SLOWDOWN];
        if (!is_known(e, HS_M_PROGRESS))
            sums->part[HS_M_PROGRESS] += value[HS_M_PROGRESS];
    }
    cells[HS_M_WAIT][bucket[HS_M_WAIT]]++;
    cells[HS_M_JCT][bucket[HS_M_JCT]]++;
    if (HS_UNLIKELY(value[WORK] == 0))
        return;
    cells[HS_M_SLOWDOWN][bucket[HS_M_SLOWDOWN]]++;
    if (!is_known(e, HS_M_RUN_SLOWDOWN))
        cells[HS_M_RUN_SLOWDOWN][bucket[HS_M_RUN_SLOWDOWN]]++;
}

HS_INLINE void count_job(struct evaluation *e, const struct hs_job_sample *job,
                         const uint64_t value[SUMS], const uint32_t bucket[HS_MEASURES])
{
    struct hs_classes *classes = &e->stats->classes;
    const uint32_t kind = job->place.kind, vc = HS_CLASS_VC + job->place.vc;
    const uint32_t quintile = HS_CLASS_QUINTILE + classes->quintiles[job->place.user];
    uint64_t all = 0;
    HS_UNROLL
    for (uint32_t m = 0; m < SUMS; m++)
        all |= value[m];
    const bool is_wide = all >> PART_BITS != 0;
    e->has_kind[kind] = true;
    count_sample(e, &e->kinds[kind], set_of_kind(e, kind), value, bucket, is_wide);
    if (e->has_quintiles)
        count_sample(e, &e->sums[quintile], SETS_A_CLASS * quintile, value, bucket, is_wide);
    if (e->has_vcs)
        count_sample(e, &e->sums[vc], SETS_A_CLASS * vc, value, bucket, is_wide);
    for (int m = HS_M_BOUNDED; m < HS_MEASURES; m++)
        if (e->asks[m])
            hs_quantiles_count(&e->quantiles, set_of(e, (enum hs_measure)m, HS_CLASS_ALL),
                               bucket[m]);
    e->run_us += (uint64_t)job->run_us;
    add_user(classes, job);
}

/* After a block of samples. */
static void settle_sums(struct class_sums *sums, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t m = 0; m < SUMS; m++)
            sums[i].whole[m] += sums[i].part[m];
    for (uint32_t i = 0; i < count; i++)
        memset(sums[i].part, 0, sizeof sums[i].part);
}

static void settle_block(struct evaluation *e)
{
    if (!e->is_first_pass)
        return;
    settle_sums(e->sums, e->classes);
    settle_sums(e->kinds, HS_KINDS);
}

/* After the first pass: what a kind has counted goes to its classes. */
static void merge_kind(struct evaluation *e, uint32_t kind)
{
    const struct class_sums *from = &e->kinds[kind];
    for (uint64_t left = e->mask_of_kind[kind]; left != 0; left &= left - 1) {
        const uint32_t class = HS_CTZ64(left);
        struct class_sums *sums = &e->sums[class];
        for (uint32_t m = 0; m < SUMS; m++)
            sums->whole[m] += from->whole[m];
        for (uint32_t m = 0; m < SETS_A_CLASS && !is_known(e, m); m++)
            hs_quantiles_merge(&e->quantiles, SETS_A_CLASS * class + m, set_of_kind(e, kind) + m);
    }
}

static uint64_t mask_of_class(uint32_t class)
{
    if (class >= HS_CLASS_VC)
        class = HS_CLASS_VC + (class - HS_CLASS_VC) % (MASK_BITS - HS_CLASS_VC);
    return UINT64_C(1) << class;
}

/* Before a later pass. */
static void mark_wanted(struct evaluation *e)
{
    uint32_t buckets[HS_QUANTILES];
    memset(e->wanted, 0, sizeof e->wanted);
    for (uint32_t m = 0; m < HS_MEASURES; m++) {
        for (uint32_t class = 0; class < (m < HS_M_BOUNDED ? e->classes : 1); class ++) {
            uint32_t set = set_of(e, (enum hs_measure)m, class);
            for (uint32_t i = hs_quantiles_wanted(&e->quantiles, set, buckets); i-- > 0;)
                e->wanted[m][buckets[i]] |= e->mask_of[class];
        }
    }
}

/* A later pass: whichever of the classes of a job ask for its values. */
HS_INLINE void pick_job(struct evaluation *e, const struct hs_job_sample *job,
                        const uint64_t value[HS_MEASURES], const uint32_t bucket[HS_MEASURES])
{
    uint64_t mask = e->mask_of_kind[job->place.kind], hits[HS_MEASURES], any = 0;
    if (e->has_quintiles)
        mask |= e->mask_of[HS_CLASS_QUINTILE + e->stats->classes.quintiles[job->place.user]];
    if (e->has_vcs)
        mask |= e->mask_of[HS_CLASS_VC + (uint32_t)job->place.vc];
    HS_UNROLL
    for (uint32_t m = 0; m < HS_MEASURES; m++) {
        hits[m] = is_known(e, m) ? 0 : e->wanted[m][bucket[m]] & mask;
        any |= hits[m];
    }
    for (uint32_t m = 0; any != 0 && m < HS_MEASURES; m++) {
        for (uint64_t left = hits[m]; left != 0; left &= left - 1) {
            uint32_t class = HS_CTZ64(left);
            if (class >= HS_CLASS_VC)
                class = HS_CLASS_VC + (uint32_t)job->place.vc;
            hs_quantiles_take(&e->quantiles, set_of(e, (enum hs_measure)m, class), value[m]);
        }
    }
}

HS_INLINE void add_sample(struct evaluation *e, const struct hs_job_sample *job)
{
    uint32_t bucket[HS_MEASURES];
    uint64_t value[SUMS];
    measure(e, job, value);
    value[WORK] = (uint64_t)job->work_us;
    HS_UNROLL
    for (uint32_t m = 0; m < HS_MEASURES; m++)
        bucket[m] = is_known(e, m) ? 0 : hs_quantile_bucket(value[m]);
    if (e->is_first_pass)
        count_job(e, job, value, bucket);
    else
        pick_job(e, job, value, bucket);
}

/* Where every job makes progress at its start, as with most policies, the times to it are the
 * waits: nothing to sort a second time. Where each ran for as long as its work takes, the run
 * slowdowns are 1. */
static bool asks(const struct evaluation *e, enum hs_measure measure)
{
    if ((measure == HS_M_PROGRESS && !e->stats->is_delayed) ||
        (measure == HS_M_RUN_SLOWDOWN && !e->stats->ran_otherwise))
        return false;
    uint32_t classes = measure < HS_M_BOUNDED ? e->classes : 1;
    for (uint32_t i = 0; i < classes; i++)
        if (hs_quantiles_asks(&e->quantiles, set_of(e, measure, i)))
            return true;
    return false;
}

static enum hs_status add_plain(struct evaluation *e)
{
    struct hs_stats *s = e->stats;
    const void *block;
    uint32_t count;
    enum hs_status status;
    HS_TRY(hs_spool_rewind(&s->plain, s->diag));
    while ((status = hs_spool_next(&s->plain, &block, &count, s->diag)) == HS_OK) {
        const struct hs_plain_sample *jobs = block;
        for (uint32_t i = 0; i < count; i++) {
            const struct hs_job_sample job = hs_sample_unpack(&jobs[i]);
            add_sample(e, &job);
        }
        settle_block(e);
    }
    return status == HS_END ? HS_OK : status;
}

static enum hs_status add_others(struct evaluation *e)
{
    struct hs_stats *s = e->stats;
    const int64_t last_us = s->last_submit_us - s->cooldown_us;
    const void *block;
    uint32_t count;
    enum hs_status status;
    HS_TRY(hs_spool_rewind(&s->others, s->diag));
    while ((status = hs_spool_next(&s->others, &block, &count, s->diag)) == HS_OK) {
        const struct hs_job_sample *jobs = block;
        for (uint32_t i = 0; i < count; i++)
            if (jobs[i].submit_us <= last_us)
                add_sample(e, &jobs[i]);
        settle_block(e);
    }
    return status == HS_END ? HS_OK : status;
}

static enum hs_status run_pass(struct evaluation *e)
{
    for (int m = 0; m < HS_MEASURES; m++)
        e->asks[m] = asks(e, (enum hs_measure)m);
    if (!e->is_first_pass)
        mark_wanted(e);
    HS_TRY(add_plain(e));
    HS_TRY(add_others(e));
    for (uint32_t kind = 0; e->is_first_pass && kind < HS_KINDS; kind++)
        if (e->has_kind[kind])
            merge_kind(e, kind);
    return HS_OK;
}

static uint64_t jobs_of(const struct evaluation *e, uint32_t class)
{
    return e->quantiles.sets[set_of(e, HS_M_WAIT, class)].count;
}

/* Mean of a measure that so many jobs of the class have; NaN of none. */
static double mean_of(const struct evaluation *e, enum hs_measure measure, uint32_t class,
                      uint64_t count)
{
    if (measure == HS_M_PROGRESS && !e->stats->is_delayed)
        measure = HS_M_WAIT;
    return hs_exact_double(e->sums[class].whole[measure] + (hs_u128)e->least[measure] * count,
                           (hs_u128)count * PPM);
}

/* mean, p50, p90, p95, p99, max of a measure, in units of 1e6 of what was added (us, ppm). */
static void set_figures(const struct evaluation *e, enum hs_measure measure, uint32_t class,
                        double out[HS_FIGURES])
{
    const struct hs_quantiles *q = &e->quantiles;
    uint32_t set = set_of(e, measure, class);
    /* the same jobs have the two slowdowns */
    uint32_t counted = set_of(e, measure == HS_M_RUN_SLOWDOWN ? HS_M_SLOWDOWN : measure, class);
    uint64_t count = q->sets[counted].count, least = e->least[measure];
    out[HS_F_MEAN] = mean_of(e, measure, class, count);
    for (int i = 0; i < HS_QUANTILES; i++)
        out[HS_F_P50 + i] =
            count > 0 ? hs_exact_double(least + hs_quantiles_get(q, set, (enum hs_quantile)i), PPM)
                      : (double)NAN;
}

/* Figures of class `index`, which are those of class `of`. */
static void fill_class(const struct evaluation *e, uint32_t index, uint32_t of,
                       struct hs_class *out)
{
    const uint64_t jobs = jobs_of(e, of);
    hs_classes_name(&e->stats->classes, index, out);
    out->jobs = jobs;
    double *value = out->value; /* in the order of class_measures */
    for (uint32_t m = HS_M_WAIT; m <= HS_M_SLOWDOWN; m++, value += HS_FIGURES)
        set_figures(e, (enum hs_measure)m, of, value);
    *value++ = mean_of(e, HS_M_BOUNDED, of, jobs);
    *value++ = hs_exact_double(e->sums[of].whole[WORK], (hs_u128)jobs * PPM);
    set_figures(e, HS_M_RUN_SLOWDOWN, of, value);
    value[HS_FIGURES] = mean_of(e, HS_M_PROGRESS, of, jobs);
}

static void fill_results(const struct evaluation *e, struct hs_summary *summary)
{
    struct hs_stats *s = e->stats;
    const struct class_sums *all = &e->sums[HS_CLASS_ALL];
    s->counted = jobs_of(e, HS_CLASS_ALL);
    s->mean_pending = hs_exact_double(all->whole[HS_M_JCT] - e->run_us, (hs_u128)s->counted * PPM);
    for (uint32_t m = 0; m < HS_MEASURES; m++)
        set_figures(e, (enum hs_measure)m, HS_CLASS_ALL, s->figure[m]);
    if (!s->is_delayed)
        memcpy(s->figure[HS_M_PROGRESS], s->figure[HS_M_WAIT], sizeof s->figure[HS_M_WAIT]);
    s->jain = hs_classes_jain(&s->classes);
    summary->class_count = 0;
    for (uint32_t i = 1; i < e->classes; i++) {
        uint32_t of = hs_classes_is_all(&s->classes, i) ? HS_CLASS_ALL : i;
        if (jobs_of(e, of) > 0)
            fill_class(e, i, of, &summary->classes[summary->class_count++]);
    }
}

const char *hs_class_measure(uint32_t index)
{
    return index < HS_CLASS_MEASURES ? class_measures[index] : NULL;
}

enum hs_status hs_stats_finish(struct hs_stats *s, struct hs_summary *summary)
{
    struct evaluation e = {.stats = s,
                           .classes = hs_classes_count(&s->classes),
                           .least = {[HS_M_SLOWDOWN] = s->has_faster ? 0 : PPM,
                                     [HS_M_RUN_SLOWDOWN] = s->ran_faster ? 0 : PPM,
                                     [HS_M_BOUNDED] = PPM},
                           .is_first_pass = true};
    enum hs_status status = hs_classes_rank_users(&s->classes);
    if (status == HS_OK)
        status = hs_quantiles_open(&e.quantiles, SETS_A_CLASS * e.classes + SETS_OF_ALL,
                                   SETS_A_CLASS * HS_KINDS);
    if (status != HS_OK)
        return hs_fail(s->diag, status, NULL, NULL, "no memory for the quantiles of job figures");
    e.has_quintiles = s->classes.has_users;
    e.has_vcs = hs_classes_has_vcs(&s->classes);
    for (uint32_t class = 0; class < HS_CLASSES_MAX; class ++)
        e.mask_of[class] = mask_of_class(class);
    for (uint32_t kind = 0; kind < HS_KINDS; kind++)
        e.mask_of_kind[kind] = hs_classes_of_kind(&s->classes, kind);
    for (; status == HS_OK && hs_quantiles_begin(&e.quantiles); e.is_first_pass = false)
        status = run_pass(&e);
    if (status == HS_OK)
        fill_results(&e, summary);
    hs_quantiles_close(&e.quantiles);
    return status;
}
