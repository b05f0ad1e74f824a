/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The evaluation of the samples of a run, which stats_evaluate.c goes through and stats_figures.c
 * takes the figures from.
 */
#ifndef HORUS_REPORT_EVALUATION_H
#define HORUS_REPORT_EVALUATION_H

#include "report/stats.h"

#define HS_SETS_A_CLASS 4 /* wait, JCT, slowdown, run slowdown */
#define HS_SETS_OF_ALL  2 /* bounded slowdown, time to the first progress */
#define HS_PPM          UINT64_C(1000000)

/* Of the jobs of a class or a kind; measures less the least. A value that fits is added to a sum of
 * 64 bits, which a block of samples cannot overflow. */
enum { HS_SUM_WORK = HS_MEASURES, HS_SUMS };
#define HS_PART_BITS 48u
_Static_assert(HS_SPOOL_BUFFER / sizeof(struct hs_plain_sample) <= 1u << (63 - HS_PART_BITS),
               "fits");
struct hs_class_sums {
    uint32_t (*cells)[HS_QUANTILE_CELLS]; /* of the first pass: of its first measure and the next */
    uint64_t part[HS_SUMS];               /* of this block of samples */
    hs_u128 whole[HS_SUMS];               /* of those before */
};

/* One evaluation of the spool. */
struct hs_evaluation {
    struct hs_stats *stats;
    struct hs_quantiles quantiles;
    uint32_t classes;
    /* what the slowdowns start from: less it, the many of 1 are alone in a bucket, no pass more */
    uint64_t least[HS_MEASURES];
    bool is_first_pass, has_quintiles, has_vcs;
    bool asks[HS_MEASURES]; /* the values of which measures this pass needs */
    struct hs_class_sums sums[HS_CLASSES_MAX], kinds[HS_KINDS];
    uint64_t mask_of_kind[HS_KINDS]; /* its classes */
    uint64_t mask_of[HS_CLASSES_MAX];
    /* a later pass: the classes that ask for the values of a bucket */
    uint64_t wanted[HS_MEASURES][HS_QUANTILE_BUCKETS];
    hs_u128 run_us; /* of all */
};

/* A class has the sets of its measures one after the other; behind all classes come those of the
 * measures that only all jobs have. */
static inline uint32_t hs_set_of(const struct hs_evaluation *e, enum hs_measure measure,
                                 uint32_t class)
{
    if (measure < HS_M_BOUNDED)
        return HS_SETS_A_CLASS * class + measure;
    return HS_SETS_A_CLASS * e->classes + (uint32_t)(measure - HS_M_BOUNDED);
}

/* Fills the results of the statistics and the classes of the summary. */
void hs_evaluation_fill(const struct hs_evaluation *e, struct hs_summary *summary);

#endif
