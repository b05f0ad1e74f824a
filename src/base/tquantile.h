/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quantiles of Student's t, of the normal and of the gamma distribution. The only user of
 * gsl_cdf.h.
 */
#ifndef HORUS_BASE_TQUANTILE_H
#define HORUS_BASE_TQUANTILE_H

#include <stdint.h>

/* The t with P(T <= t) = p, 0 < p < 1, at `freedom` >= 1 degrees of freedom. */
double hs_t_quantile(double p, uint32_t freedom);
/* The same of the standard normal distribution. */
double hs_normal_quantile(double p);
/* The same of the gamma distribution of mean 1 and this coefficient of variation, above 0. */
double hs_gamma_quantile(double p, double variation);

#endif
