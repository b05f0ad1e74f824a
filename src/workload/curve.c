/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A look-up is a binary search and an exponential.
 */
#include "workload/curve.h"

#include <math.h>

/* The values of a stretch, at the share `part` of its way. */
static double between(double low, double high, double part)
{
    if (low >= high || part >= 1)
        return high; /* to the last bit: it may be rounded up */
    return low > 0 ? low * exp(part * log(high / low)) : part * high;
}

double hs_curve_at(const struct hs_curve *curve, double rank)
{
    uint32_t low = 0, high = curve->count - 1; /* rank lies between these points */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->rank[middle] < rank)
            low = middle;
        else
            high = middle;
    }
    double width = curve->rank[high] - curve->rank[low];
    return between(curve->value[low], curve->value[high], (rank - curve->rank[low]) / width);
}

double hs_curve_mean(const struct hs_curve *curve)
{
    double sum = 0;
    for (uint32_t i = 0; i + 1 < curve->count; i++) {
        double low = curve->value[i], high = curve->value[i + 1];
        double width = curve->rank[i + 1] - curve->rank[i];
        if (low >= high)
            sum += width * low;
        else if (low > 0)
            sum += width * (high - low) / log(high / low);
        else
            sum += width * high / 2;
    }
    return sum;
}
