/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Named random streams (GSL taus2), one per purpose, each seeded from (run seed, purpose), so that
 * a new consumer does not shift others; counter-based draws for decisions that must depend only on
 * (seed, key); quantiles of distributions. The only file that includes gsl_rng.h and gsl_cdf.h.
 */
#pragma once

#include <stdint.h>

#include "horus/status.h"

/* From now on GSL returns errors to its caller, instead of aborting the program; lack of memory
 * ends it by hs_fatal. */
void hs_gsl_begin(void);

struct hs_rng {
    void *gsl; /* gsl_rng */
};

void hs_rng_open(struct hs_rng *rng, uint64_t seed, const char *purpose);
/* Returns 0 .. n-1, unbiased; n from 1 to 2^32. */
uint64_t hs_rng_below(struct hs_rng *rng, uint64_t n);
void hs_rng_close(struct hs_rng *rng);

/* A step of splitmix64 (Steele, Lea, Flood: OOPSLA 2014; constants of Vigna's splitmix64.c). */
static inline uint64_t hs_splitmix64(uint64_t state)
{
    uint64_t z = state + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
/* 64-bit mix of two words: same bits everywhere. */
static inline uint64_t hs_mix64(uint64_t a, uint64_t b)
{
    return hs_splitmix64(hs_splitmix64(a) + b);
}
/* Returns the seed of a named stream. */
uint64_t hs_seed_of(uint64_t seed, const char *purpose);

/* Converts 64 mixed bits to a draw from (0, 1): the middle of one of 2^52 equal steps. */
static inline double hs_uniform_of(uint64_t word)
{
    return ((double)(word >> 12) + 0.5) * 0x1p-52;
}

/* A standard normal draw that depends only on (seed, index). Its last bit is libm's: results must
 * be rounded. */
double hs_normal_of(uint64_t seed, uint64_t index);

/* Version of GSL, such as "2.7.1"; such a call exists for every library, in its one file. */
const char *hs_rng_library_version(void);

/* Returns t with P(T <= t) = p, 0 < p < 1, for `freedom` >= 1 degrees of freedom. */
double hs_t_quantile(double p, uint32_t freedom);
/* The same for the standard normal distribution. */
double hs_normal_quantile(double p);
/* The same for the gamma distribution with mean 1 and this coefficient of variation > 0. */
double hs_gamma_quantile(double p, double variation);
