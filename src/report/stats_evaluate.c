/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of stats.h at the end of a run.
 *
 * Each set of the quantile finder is one measure of one class; the bounded slowdown and the time to
 * the first progress have quantiles for all jobs only and a mean elsewhere. The first pass over the
 * spool also takes the sums: which jobs --cooldown leaves is known only at the end. It counts a job
 * once for its kind, and adds the kinds up to classes; later ones leave out the measures that are
 * known by then, look at a job closely only where one of its classes asks for the bucket of one of
 * its values, and keep no other in the spool.
 *
 * What is done with a job is compiled apart for a usual one: a plain one of a run in which every
 * job made progress at its start and took its isolated time. Of it two measures are known, and from
 * 10 s on its bounded slowdown is its slowdown.
 */
#include "report/evaluation.h"

#include <math.h>
#include <string.h>

#include "report/exact.h"

#define MASK_BITS 64u /* a class each; VCs may share one */
_Static_assert(HS_CLASS_VC < MASK_BITS, "of the other classes each has its own");

/* num / den in parts per million, rounded half up; the largest integer where it does not fit. */
HS_INLINE uint64_t ratio_ppm(int64_t num, int64_t den)
{
    uint64_t n = (uint64_t)num, d = (uint64_t)den;
    if (HS_LIKELY(n < UINT64_MAX / HS_PPM / 2 && d < UINT64_MAX / 2))
        return (n * HS_PPM + d / 2) / d;
    uint64_t ppm = hs_exact_scaled(n, d, HS_PPM);
    return ppm < INT64_MAX ? ppm : INT64_MAX;
}

HS_INLINE uint64_t bounded_ppm(const struct hs_job_sample *job, uint64_t slowdown_ppm)
{
    uint64_t ppm = job->work_us >= HS_BOUND_US ? slowdown_ppm : ratio_ppm(job->jct_us, HS_BOUND_US);
    return ppm > HS_PPM ? ppm : HS_PPM;
}

/* Of a plain job the products have less than 64 bits. */
HS_INLINE void add_user(struct hs_classes *classes, const struct hs_job_sample *job, bool is_plain)
{
    struct hs_user_share *user = &classes->shares[job->place.user];
    const uint64_t milli = (uint64_t)job->gpus * job->gpu_milli;
    const uint64_t work_us = (uint64_t)job->work_us, jct_us = (uint64_t)job->jct_us;
    user->need += is_plain ? milli * work_us : (hs_u128)milli * work_us;
    user->stay += is_plain ? milli * jct_us : (hs_u128)milli * jct_us;
}

/* One of the two measures that most runs need no value of? */
HS_INLINE bool is_known(const struct hs_evaluation *e, uint32_t measure, bool is_usual)
{
    return (measure == HS_M_RUN_SLOWDOWN || measure == HS_M_PROGRESS) &&
           (is_usual || !e->asks[measure]);
}

/* What a job counts, less the least, and the buckets of that; of what it has not 0, which lies
 * alone in its bucket: no later pass wants it. */
struct measured {
    uint64_t value[HS_SUMS];
    uint32_t bucket[HS_MEASURES];
};

HS_INLINE void measure(const struct hs_evaluation *e, const struct hs_job_sample *job,
                       bool is_usual, struct measured *to)
{
    uint64_t slowdown = 0, run_slowdown = HS_PPM;
    to->value[HS_SUM_WORK] = (uint64_t)job->work_us;
    to->value[HS_M_WAIT] = (uint64_t)job->wait_us;
    to->value[HS_M_JCT] = (uint64_t)job->jct_us;
    to->value[HS_M_PROGRESS] = (uint64_t)job->progress_us;
    to->value[HS_M_SLOWDOWN] = 0;
    to->value[HS_M_RUN_SLOWDOWN] = 0;
    if (HS_LIKELY(job->work_us > 0)) {
        slowdown = ratio_ppm(job->jct_us, job->work_us);
        if (job->run_us != job->work_us)
            run_slowdown = ratio_ppm(job->run_us, job->work_us);
        to->value[HS_M_SLOWDOWN] = slowdown - (is_usual ? HS_PPM : e->least[HS_M_SLOWDOWN]);
        to->value[HS_M_RUN_SLOWDOWN] = run_slowdown - e->least[HS_M_RUN_SLOWDOWN];
    }
    HS_UNROLL
    for (uint32_t m = 0; m < HS_MEASURES; m++)
        if (m != HS_M_BOUNDED)
            to->bucket[m] = is_known(e, m, is_usual) ? 0 : hs_quantile_bucket(to->value[m]);
    if (is_usual && HS_LIKELY(job->work_us >= HS_BOUND_US)) {
        to->value[HS_M_BOUNDED] = to->value[HS_M_SLOWDOWN];
        to->bucket[HS_M_BOUNDED] = to->bucket[HS_M_SLOWDOWN];
    } else {
        to->value[HS_M_BOUNDED] = bounded_ppm(job, slowdown) - HS_PPM;
        to->bucket[HS_M_BOUNDED] = hs_quantile_bucket(to->value[HS_M_BOUNDED]);
    }
}

/* The counters of a kind, behind the sets. */
static uint32_t set_of_kind(const struct hs_evaluation *e, uint32_t kind)
{
    return HS_SETS_A_CLASS * e->classes + HS_SETS_OF_ALL + HS_SETS_A_CLASS * kind;
}

static void add_wide(struct hs_class_sums *sums, const uint64_t value[HS_SUMS])
{
    for (uint32_t m = 0; m < HS_SUMS; m++)
        sums->whole[m] += value[m];
}

/* The first pass: sums, and the buckets of the values that a class has quantiles of. A job without
 * work has no slowdowns; where nobody is delayed the sums of the progress are those of the wait. */
HS_INLINE void count_sample(const struct hs_evaluation *e, struct hs_class_sums *sums,
                            const struct measured *job, bool is_usual, bool is_wide)
{
    uint32_t(*cells)[HS_QUANTILE_CELLS] = sums->cells;
    if (HS_UNLIKELY(is_wide)) {
        add_wide(sums, job->value);
    } else {
        HS_UNROLL
        for (uint32_t m = 0; m < HS_SUMS; m++)
            if (!is_known(e, m, is_usual))
                sums->part[m] += job->value[m];
    }
    cells[HS_M_WAIT][job->bucket[HS_M_WAIT]]++;
    cells[HS_M_JCT][job->bucket[HS_M_JCT]]++;
    if (HS_UNLIKELY(job->value[HS_SUM_WORK] == 0))
        return;
    cells[HS_M_SLOWDOWN][job->bucket[HS_M_SLOWDOWN]]++;
    if (!is_known(e, HS_M_RUN_SLOWDOWN, is_usual))
        cells[HS_M_RUN_SLOWDOWN][job->bucket[HS_M_RUN_SLOWDOWN]]++;
}

HS_INLINE void count_job(struct hs_evaluation *e, const struct hs_job_sample *job, bool is_usual)
{
    struct measured measured;
    struct hs_classes *classes = &e->stats->classes;
    const uint32_t kind = job->place.kind, vc = HS_CLASS_VC + job->place.vc;
    const uint32_t quintile = HS_CLASS_QUINTILE + classes->quintiles[job->place.user];
    uint64_t all = 0;
    measure(e, job, is_usual, &measured);
    HS_UNROLL
    for (uint32_t m = 0; m < HS_SUMS; m++)
        all |= is_usual && m != HS_M_SLOWDOWN && m != HS_M_BOUNDED ? 0 : measured.value[m];
    const bool is_wide = all >> HS_PART_BITS != 0; /* of a usual job only a slowdown may be */
    count_sample(e, &e->kinds[kind], &measured, is_usual, is_wide);
    if (e->has_quintiles)
        count_sample(e, &e->sums[quintile], &measured, is_usual, is_wide);
    if (e->has_vcs)
        count_sample(e, &e->sums[vc], &measured, is_usual, is_wide);
    HS_UNROLL
    for (uint32_t m = HS_M_BOUNDED; m < HS_MEASURES; m++)
        if (!is_known(e, m, is_usual))
            hs_quantiles_count(&e->quantiles, hs_set_of(e, (enum hs_measure)m, HS_CLASS_ALL),
                               measured.bucket[m]);
    e->run_us += (uint64_t)job->run_us;
    add_user(classes, job, is_usual);
}

/* After a block of samples. */
static void settle_sums(struct hs_class_sums *sums, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t m = 0; m < HS_SUMS; m++)
            sums[i].whole[m] += sums[i].part[m];
    for (uint32_t i = 0; i < count; i++)
        memset(sums[i].part, 0, sizeof sums[i].part);
}

static void settle_block(struct hs_evaluation *e)
{
    settle_sums(e->sums, e->classes);
    settle_sums(e->kinds, HS_KINDS);
}

/* After the first pass: what a kind has counted goes to its classes. */
static void merge_kind(struct hs_evaluation *e, uint32_t kind)
{
    const struct hs_class_sums *from = &e->kinds[kind];
    for (uint64_t left = e->mask_of_kind[kind]; left != 0; left &= left - 1) {
        const uint32_t class = HS_CTZ64(left);
        struct hs_class_sums *sums = &e->sums[class];
        for (uint32_t m = 0; m < HS_SUMS; m++)
            sums->whole[m] += from->whole[m];
        for (uint32_t m = 0; m < HS_SETS_A_CLASS && !is_known(e, m, false); m++)
            hs_quantiles_merge(&e->quantiles, HS_SETS_A_CLASS * class + m,
                               set_of_kind(e, kind) + m);
    }
}

static uint64_t mask_of_class(uint32_t class)
{
    if (class >= HS_CLASS_VC)
        class = HS_CLASS_VC + (class - HS_CLASS_VC) % (MASK_BITS - HS_CLASS_VC);
    return UINT64_C(1) << class;
}

/* Before a later pass. */
static void mark_wanted(struct hs_evaluation *e)
{
    uint32_t buckets[HS_QUANTILES];
    memset(e->wanted, 0, sizeof e->wanted);
    for (uint32_t m = 0; m < HS_MEASURES; m++) {
        for (uint32_t class = 0; class < (m < HS_M_BOUNDED ? e->classes : 1); class ++) {
            uint32_t set = hs_set_of(e, (enum hs_measure)m, class);
            for (uint32_t i = hs_quantiles_wanted(&e->quantiles, set, buckets); i-- > 0;)
                e->wanted[m][buckets[i]] |= e->mask_of[class];
        }
    }
}

/* The classes of a job, a bit each. */
HS_INLINE uint64_t mask_of_job(const struct hs_evaluation *e, const struct hs_job_sample *job)
{
    uint64_t mask = e->mask_of_kind[job->place.kind];
    if (e->has_quintiles)
        mask |= e->mask_of[HS_CLASS_QUINTILE + e->stats->classes.quintiles[job->place.user]];
    if (e->has_vcs)
        mask |= e->mask_of[HS_CLASS_VC + (uint32_t)job->place.vc];
    return mask;
}

/* A later pass: gives the values of a job to those of its classes that ask for them. */
static void take_job(struct hs_evaluation *e, const struct hs_job_sample *job)
{
    const uint64_t mask = mask_of_job(e, job);
    struct measured measured;
    measure(e, job, false, &measured);
    for (uint32_t m = 0; m < HS_MEASURES; m++) {
        uint64_t left = is_known(e, m, false) ? 0 : e->wanted[m][measured.bucket[m]] & mask;
        for (; left != 0; left &= left - 1) {
            uint32_t class = HS_CTZ64(left);
            if (class >= HS_CLASS_VC)
                class = HS_CLASS_VC + (uint32_t)job->place.vc;
            hs_quantiles_take(&e->quantiles, hs_set_of(e, (enum hs_measure)m, class),
                              measured.value[m]);
        }
    }
}

HS_APART static void take_plain(struct hs_evaluation *e, const struct hs_plain_sample *plain)
{
    const struct hs_job_sample job = hs_sample_unpack(plain);
    take_job(e, &job);
}

/* Does some class ask for one of its values? */
HS_INLINE bool is_wanted(const struct hs_evaluation *e, const struct hs_job_sample *job,
                         bool is_usual)
{
    struct measured measured;
    uint64_t asking = 0;
    measure(e, job, is_usual, &measured);
    HS_UNROLL
    for (uint32_t m = 0; m < HS_MEASURES; m++)
        if (!is_known(e, m, is_usual))
            asking |= e->wanted[m][measured.bucket[m]];
    return (asking & mask_of_job(e, job)) != 0;
}

/* Where every job makes progress at its start, as with most policies, the times to it are the
 * waits: nothing to sort a second time. Where each ran for as long as its work takes, the run
 * slowdowns are 1. */
static bool asks(const struct hs_evaluation *e, enum hs_measure measure)
{
    if ((measure == HS_M_PROGRESS && !e->stats->is_delayed) ||
        (measure == HS_M_RUN_SLOWDOWN && !e->stats->ran_otherwise))
        return false;
    uint32_t classes = measure < HS_M_BOUNDED ? e->classes : 1;
    for (uint32_t i = 0; i < classes; i++)
        if (hs_quantiles_asks(&e->quantiles, hs_set_of(e, measure, i)))
            return true;
    return false;
}

HS_INLINE void count_plain(struct hs_evaluation *e, const struct hs_plain_sample *jobs,
                           uint32_t count, bool is_usual)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_job_sample job = hs_sample_unpack(&jobs[i]);
        count_job(e, &job, is_usual);
    }
}

/* Keeps those that some class asks for; returns how many. */
HS_INLINE uint32_t pick_plain(struct hs_evaluation *e, struct hs_plain_sample *jobs, uint32_t count,
                              bool is_usual)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_job_sample job = hs_sample_unpack(&jobs[i]);
        if (HS_UNLIKELY(is_wanted(e, &job, is_usual))) {
            take_plain(e, &jobs[i]);
            jobs[kept++] = jobs[i];
        }
    }
    return kept;
}

static enum hs_status add_plain(struct hs_evaluation *e)
{
    struct hs_stats *s = e->stats;
    const bool is_usual = !s->has_faster && !e->asks[HS_M_RUN_SLOWDOWN] && !e->asks[HS_M_PROGRESS];
    void *block;
    uint32_t count;
    enum hs_status status;
    HS_TRY(hs_spool_rewind(&s->plain, s->diag));
    while ((status = hs_spool_next(&s->plain, &block, &count, s->diag)) == HS_OK) {
        if (!e->is_first_pass) {
            count =
                is_usual ? pick_plain(e, block, count, true) : pick_plain(e, block, count, false);
            HS_TRY(hs_spool_keep(&s->plain, count, s->diag));
            continue;
        }
        if (is_usual)
            count_plain(e, block, count, true);
        else
            count_plain(e, block, count, false);
        settle_block(e);
    }
    return status == HS_END ? HS_OK : status;
}

static uint32_t pick_others(struct hs_evaluation *e, struct hs_job_sample *jobs, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_wanted(e, &jobs[i], false)) {
            take_job(e, &jobs[i]);
            jobs[kept++] = jobs[i];
        }
    }
    return kept;
}

/* Those in the window, which --cooldown ends. */
static uint32_t count_others(struct hs_evaluation *e, struct hs_job_sample *jobs, uint32_t count)
{
    const int64_t last_us = e->stats->last_submit_us - e->stats->cooldown_us;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].submit_us <= last_us) {
            count_job(e, &jobs[i], false);
            jobs[kept++] = jobs[i];
        }
    }
    settle_block(e);
    return kept;
}

static enum hs_status add_others(struct hs_evaluation *e)
{
    struct hs_stats *s = e->stats;
    void *block;
    uint32_t count;
    enum hs_status status;
    HS_TRY(hs_spool_rewind(&s->others, s->diag));
    while ((status = hs_spool_next(&s->others, &block, &count, s->diag)) == HS_OK) {
        count = e->is_first_pass ? count_others(e, block, count) : pick_others(e, block, count);
        HS_TRY(hs_spool_keep(&s->others, count, s->diag));
    }
    return status == HS_END ? HS_OK : status;
}

static enum hs_status run_pass(struct hs_evaluation *e)
{
    for (int m = 0; m < HS_MEASURES; m++)
        e->asks[m] = asks(e, (enum hs_measure)m);
    if (!e->is_first_pass)
        mark_wanted(e);
    HS_TRY(add_plain(e));
    HS_TRY(add_others(e));
    for (uint32_t kind = 0; e->is_first_pass && kind < HS_KINDS; kind++)
        if (e->stats->classes.has_kind[kind])
            merge_kind(e, kind);
    return HS_OK;
}

static void set_classes(struct hs_evaluation *e)
{
    const struct hs_classes *classes = &e->stats->classes;
    e->has_quintiles = classes->has_users;
    e->has_vcs = hs_classes_has_vcs(classes);
    for (uint32_t class = 0; class < HS_CLASSES_MAX; class ++)
        e->mask_of[class] = mask_of_class(class);
    for (uint32_t class = 0; class < e->classes; class ++)
        e->sums[class].cells = hs_quantiles_cells(&e->quantiles, hs_set_of(e, HS_M_WAIT, class));
    for (uint32_t kind = 0; kind < HS_KINDS; kind++) {
        e->mask_of_kind[kind] = hs_classes_of_kind(classes, kind);
        e->kinds[kind].cells = hs_quantiles_cells(&e->quantiles, set_of_kind(e, kind));
    }
}

enum hs_status hs_stats_finish(struct hs_stats *s, struct hs_summary *summary)
{
    struct hs_evaluation e = {.stats = s,
                              .classes = hs_classes_count(&s->classes),
                              .least = {[HS_M_SLOWDOWN] = s->has_faster ? 0 : HS_PPM,
                                        [HS_M_RUN_SLOWDOWN] = s->ran_faster ? 0 : HS_PPM,
                                        [HS_M_BOUNDED] = HS_PPM},
                              .is_first_pass = true};
    enum hs_status status = hs_classes_settle(&s->classes);
    if (status == HS_OK)
        status = hs_quantiles_open(&e.quantiles, HS_SETS_A_CLASS * e.classes + HS_SETS_OF_ALL,
                                   HS_SETS_A_CLASS * HS_KINDS);
    if (status != HS_OK)
        return hs_fail(s->diag, status, NULL, NULL, "no memory for the quantiles of job figures");
    set_classes(&e);
    for (; status == HS_OK && hs_quantiles_begin(&e.quantiles); e.is_first_pass = false)
        status = run_pass(&e);
    if (status == HS_OK)
        hs_evaluation_fill(&e, summary);
    hs_quantiles_close(&e.quantiles);
    return status;
}
