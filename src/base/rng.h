/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Named random streams (GSL taus2), one per purpose, each seeded from (run seed, purpose), so that
 * a new consumer never shifts another; counter-based draws for decisions that must depend on (seed,
 * key) alone; quantiles of distributions. The only file that includes gsl_rng.h and gsl_cdf.h.
 */
#pragma once

#include <stdint.h>

#include "horus/status.h"

/* From now on GSL returns its errors to its caller, where its default aborts the program; being out
 * of memory ends it by hs_fatal. */
void hs_gsl_begin(void);

struct hs_rng {
    void *gsl; /* gsl_rng */
};

void hs_rng_open(struct hs_rng *rng, uint64_t seed, const char *purpose);
/* 0 .. n-1, unbiased; n from 1 to 2^32. */
uint64_t hs_rng_below(struct hs_rng *rng, uint64_t n);
void hs_rng_close(struct hs_rng *rng);

/* One step of splitmix64 (Steele, Lea, Flood: OOPSLA 2014; constants of Vigna's splitmix64.c). */
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
/* Seed of a named stream. */
uint64_t hs_seed_of(uint64_t seed, const char *purpose);

/* A draw from (0, 1) of 64 mixed bits: the middle of one of 2^52 equal steps. */
static inline double hs_uniform_of(uint64_t word)
{
    return ((double)(word >> 12) + 0.5) * 0x1p-52;
}

/* A standard normal draw of (seed, index) alone. Its last bit is libm's: round what you make of it.
 */
double hs_normal_of(uint64_t seed, uint64_t index);

/* Of GSL, e.g. "2.7.1"; the same call exists for every library, in its one file. */
const char *hs_rng_library_version(void);

/* The t with P(T <= t) = p, 0 < p < 1, at `freedom` >= 1 degrees of freedom. */
double hs_t_quantile(double p, uint32_t freedom);
/* The same of the standard normal distribution. */
double hs_normal_quantile(double p);
/* The same of the gamma distribution of mean 1 and this coefficient of variation, above 0. */
double hs_gamma_quantile(double p, double variation);
