/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Confidence intervals of 95 %: of means over independent runs, and of means, and ratios of means,
 * over jobs that follow each other in time.
 */
#ifndef HORUS_REPORT_COMPARE_INTERVALS_H
#define HORUS_REPORT_COMPARE_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "horus/compiler.h"

/* ---- over runs, by Student's t; NaN stands for an absent value, in arguments and results ---- */

struct hs_replicated {
    double value, low, high; /* low and high NaN below two runs */
    uint32_t runs;           /* that have a value */
};

/* Of values[0], values[stride], ... count of them; those that are NaN are left out. */
struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count);

/* Of two policies over pairs of runs that share their seeds, where what a seed does to both cancels
 * (common random numbers): the ratio estimator of survey sampling (Cochran, Sampling Techniques,
 * 3rd ed., ch. 6): sum of the values / sum of the firsts, which is the ratio of the means; its
 * interval by t with the residuals values[i] - ratio * firsts[i], and not below 0. Nothing where
 * one of a pair is absent or negative, and where the firsts are all 0. */
struct hs_replicated hs_replicated_ratio(const double *values, const double *firsts, size_t stride,
                                         uint32_t count);

/* ---- over jobs, by drawing blocks of them ----
 *
 *     uint32_t blocks = hs_bootstrap_blocks(differences, jobs, &correlation);
 *     for each job i   num[hs_bootstrap_block(i, jobs, blocks)] += value, den[...] += 1;
 *     hs_bootstrap_open(&boot, blocks, 2000, seed);
 *     interval = hs_bootstrap_interval(&boot, num, den);         // of sum(num) / sum(den)
 *
 * Jobs wait for the same GPUs, so neighbours have similar waits: drawing jobs one by one would
 * treat them as independent and give intervals that are far too narrow. Blocks of jobs that were
 * submitted one after another are drawn instead, all of one length, as many as there are, with
 * replacement (Carlstein, Annals of Statistics 14, 1986; Kuensch, Annals of Statistics 17, 1989),
 * and the interval is that of the percentiles (Efron and Tibshirani, 1993, 13.3). A resample costs
 * a sum over blocks, whatever the number of jobs.
 */

/* Long blocks cut few of the dependences between neighbours, many blocks estimate the spread well:
 * that of 100 is known to 7 %, and past 30 there is little to gain (Schmeiser, Operations Research
 * 30, 1982). */
#define HS_BOOTSTRAP_BLOCKS_MAX   100u
#define HS_BOOTSTRAP_BLOCKS_LEAST 25u
/* A class of jobs that lies in fewer blocks has no interval: too many draws would miss it. */
#define HS_BOOTSTRAP_BLOCKS_WITH 10u

struct hs_bootstrap {
    uint8_t *times; /* resamples x blocks: how often a block was drawn */
    double *values; /* of one figure, a resample each */
    uint32_t resamples, blocks;
};

struct hs_bootstrap_range {
    double low, high; /* NaN = none */
};

/* 100 blocks, or one a value below 100 values; half as many, down to 25, as long as means of
 * neighbouring blocks correlate more than by chance (Fishman, Management Science 24,
 * 1978). *correlation: of the means of neighbouring blocks that remain; 0 where all are equal. */
uint32_t hs_bootstrap_blocks(const int64_t *values, uint32_t count, double *correlation);
/* The correlation that independent blocks exceed once in 40 times. */
double hs_bootstrap_chance(uint32_t blocks);
/* The block of value `index` of `count`. */
static inline uint32_t hs_bootstrap_block(uint32_t index, uint32_t count, uint32_t blocks)
{
    return (uint32_t)((uint64_t)index * blocks / count);
}

/* Draws all resamples at once, from the stream "bootstrap" of the seed, so that every figure meets
 * the same ones. resamples 0: no figure has an interval. blocks <= HS_BOOTSTRAP_BLOCKS_MAX. */
void hs_bootstrap_open(struct hs_bootstrap *b, uint32_t blocks, uint32_t resamples, uint64_t seed);
/* 95 % interval of sum(num) / sum(den) over `blocks` sums each; den >= 0. Resamples with nothing in
 * den are left out. */
struct hs_bootstrap_range hs_bootstrap_interval(struct hs_bootstrap *b, const hs_i128 *num,
                                                const hs_i128 *den);
void hs_bootstrap_close(struct hs_bootstrap *b);

#endif
