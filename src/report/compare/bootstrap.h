/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Confidence intervals for means, and ratios of means, over jobs that follow each other in time.
 *
 *     uint32_t blocks = hs_bootstrap_blocks(differences, jobs, &correlation);
 *     for each job i   num[hs_bootstrap_block(i, jobs, blocks)] += value, den[...] += 1;
 *     HS_TRY(hs_bootstrap_open(&boot, blocks, 2000, seed));
 *     interval = hs_bootstrap_interval(&boot, num, den);         // of sum(num) / sum(den), 95 %
 *
 * Jobs wait for the same GPUs, so neighbours have similar waits: drawing jobs one by one would
 * treat them as independent and give intervals that are far too narrow. Blocks of jobs that were
 * submitted one after another are drawn instead, all of one length, as many as there are, with
 * replacement (Carlstein, Annals of Statistics 14, 1986; Kuensch, Annals of Statistics 17, 1989),
 * and the interval is that of the percentiles (Efron and Tibshirani, 1993, 13.3). A resample costs
 * a sum over blocks, whatever the number of jobs.
 */
#ifndef HORUS_REPORT_COMPARE_BOOTSTRAP_H
#define HORUS_REPORT_COMPARE_BOOTSTRAP_H

#include <stdint.h>

#include "horus/compiler.h"
#include "horus/status.h"

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
