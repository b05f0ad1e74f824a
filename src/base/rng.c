/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random streams on GSL's taus2 (24 bytes of state, 32 bits per draw), counter-based mixing, and
 * quantiles. GSL generators ignore seed bits above 32, so the 64-bit seed of a stream is folded
 * first.
 */
#include "base/rng.h"

#include <assert.h>
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_version.h>

#include "base/memory.h"

#define TWO_PI 6.283185307179586

uint64_t hs_seed_of(uint64_t seed, const char *purpose)
{
    uint64_t mixed = hs_mix64(seed, strlen(purpose));
    for (const char *c = purpose; *c != '\0'; c++)
        mixed = hs_mix64(mixed, (unsigned char)*c);
    return mixed;
}

static void on_gsl_error(const char *reason, const char *file, int line, int gsl_errno)
{
    (void)reason;
    (void)file;
    (void)line;
    if (gsl_errno == GSL_ENOMEM) /* some callers inside GSL do not check */
        hs_fatal(HS_E_MEMORY);
}

void hs_gsl_begin(void)
{
    (void)gsl_set_error_handler(on_gsl_error);
}

void hs_rng_open(struct hs_rng *rng, uint64_t seed, const char *purpose)
{
    hs_gsl_begin();
    gsl_rng *stream = hs_must(gsl_rng_alloc(gsl_rng_taus2));
    rng->gsl = stream;
    uint64_t mixed = hs_seed_of(seed, purpose);
    gsl_rng_set(stream, (unsigned long)((mixed ^ (mixed >> 32)) & UINT32_MAX));
}

/* Draws below 2^32 mod n are rejected: the rest is a multiple of n. */
uint64_t hs_rng_below(struct hs_rng *rng, uint64_t n)
{
    assert(n >= 1 && n <= UINT64_C(1) << 32);
    uint64_t refused = (UINT64_C(1) << 32) % n, draw;
    do {
        draw = gsl_rng_get(rng->gsl) & UINT32_MAX;
    } while (draw < refused);
    return draw % n;
}

/* Box and Muller, Ann. Math. Stat. 29 (1958) 610. */
double hs_normal_of(uint64_t seed, uint64_t index)
{
    uint64_t key = hs_mix64(seed, index);
    double radius = sqrt(-2 * log(hs_uniform_of(hs_mix64(key, 1))));
    return radius * cos(TWO_PI * hs_uniform_of(hs_mix64(key, 2)));
}

void hs_rng_close(struct hs_rng *rng)
{
    gsl_rng_free(rng->gsl);
    rng->gsl = NULL;
}

const char *hs_rng_library_version(void)
{
    return gsl_version;
}

/* ---- quantiles ---- */

double hs_t_quantile(double p, uint32_t freedom)
{
    return gsl_cdf_tdist_Pinv(p, freedom);
}

double hs_normal_quantile(double p)
{
    return gsl_cdf_ugaussian_Pinv(p);
}

double hs_gamma_quantile(double p, double variation)
{
    double scale = variation * variation, shape = 1 / scale;
    double least = pow(p * tgamma(shape + 1), scale); /* leading term of the series at 0 */
    if (least < 1e-6) /* relative error below this value; GSL does not converge there */
        return least * scale;
    return gsl_cdf_gamma_Pinv(p, shape, scale);
}
