/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the GNU Scientific Library.
 */
#include "base/tquantile.h"

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
    double scale = variation * variation; /* its shape is 1 / scale */
    return gsl_cdf_gamma_Pinv(p, 1 / scale, scale);
}
