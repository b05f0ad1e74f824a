/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the GNU Scientific Library.
 */
#include "base/tquantile.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

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
    if (least < 1e-6) /* right to that part of itself; GSL does not converge there */
        return least * scale;
    return gsl_cdf_gamma_Pinv(p, shape, scale);
}
