/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quantiles of Student's t and of the normal distribution. The only user of gsl_cdf.h.
 */
#ifndef HORUS_BASE_TQUANTILE_H
#define HORUS_BASE_TQUANTILE_H

#include <stdint.h>

/* The t with P(T <= t) = p, 0 < p < 1, at `freedom` >= 1 degrees of freedom. */
double hs_t_quantile(double p, uint32_t freedom);
/* The same of the standard normal distribution. */
double hs_normal_quantile(double p);

#endif
