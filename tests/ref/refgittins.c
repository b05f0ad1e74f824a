/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refgittins.h. Sums are differences of prefix sums, so that the rounding is that of the text.
 */
#include "refgittins.h"

#include <math.h>

void ref_sample_sort(double *sample, int count)
{
    for (int i = 1; i < count; i++) {
        double value = sample[i];
        int at = i;
        for (; at > 0 && sample[at - 1] > value; at--)
            sample[at] = sample[at - 1];
        sample[at] = value;
    }
}

/* Sum of the first `end` values. */
static double prefix(const double *sample, int end)
{
    double sum = 0;
    for (int i = 0; i < end; i++)
        sum += sample[i];
    return sum;
}

static int count_up_to(const double *sample, int count, double limit)
{
    int n = 0;
    while (n < count && sample[n] <= limit)
        n++;
    return n;
}

int64_t ref_gittins_exact(const double *sample, int count, double attained, double delta)
{
    int i = count_up_to(sample, count, attained);
    if (i == count)
        return 0;
    int k = delta < 0 ? count : count_up_to(sample, count, attained + delta);
    double larger = count - i, p = (k - i) / larger;
    double e = prefix(sample, k) - prefix(sample, i) - (k - i) * attained;
    if (k < count)
        e += delta * (count - k);
    return llround(p / (e / larger) * 1e12);
}

/* To the nearest of 5 decimals. */
static double round5(double value)
{
    return rint(value * 1e5) / 1e5;
}

int64_t ref_gittins_repo(const double *sample, int count, int64_t attained_whole, double delta)
{
    int m = count_up_to(sample, count, (double)attained_whole);
    if (m == count)
        return 0;
    double a = sample[m] - 1;
    int i = count_up_to(sample, count, a), k = count_up_to(sample, count, a + delta);
    double larger = count - i, p = round5((k - i) / larger);
    double e = round5((prefix(sample, k) - prefix(sample, i) + delta * (count - k)) / larger);
    return llround(1e6 * p / (e > 0 ? e : 1e-5) * 1e4);
}
