/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples and their largest difference. Sorting is that of the C library, on whole numbers: equal
 * values are the same value, so that its order of equal ones makes no difference.
 */
#include "base/ks.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "horus/compiler.h"

enum hs_status hs_sample_add(struct hs_sample *sample, uint64_t value)
{
    HS_TRY(hs_grow((void **)&sample->values, &sample->cap, (uint64_t)sample->count + 1,
                   sizeof *sample->values, UINT32_MAX));
    sample->values[sample->count++] = value;
    return HS_OK;
}

static int compare_values(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

void hs_sample_sort(struct hs_sample *sample)
{
    if (sample->count > 1)
        qsort(sample->values, sample->count, sizeof *sample->values, compare_values);
}

double hs_sample_median(const struct hs_sample *sample)
{
    uint32_t middle = sample->count / 2;
    if (sample->count % 2 == 1)
        return (double)sample->values[middle];
    return ((double)sample->values[middle - 1] + (double)sample->values[middle]) / 2;
}

double hs_sample_mean(const struct hs_sample *sample)
{
    hs_u128 sum = 0;
    for (uint32_t i = 0; i < sample->count; i++)
        sum += sample->values[i];
    return (double)sum / (double)sample->count;
}

void hs_sample_free(struct hs_sample *sample)
{
    hs_free(sample->values);
    *sample = (struct hs_sample){0};
}

/* How many values are not above the limit, from those on that are known to be. */
static uint32_t pass(const struct hs_sample *sample, uint32_t from, uint64_t limit)
{
    while (from < sample->count && sample->values[from] <= limit)
        from++;
    return from;
}

/* At each value: i / n against j / m, as i m against j n. */
double hs_ks(const struct hs_sample *a, const struct hs_sample *b)
{
    uint64_t n = a->count, m = b->count, largest = 0;
    uint32_t i = 0, j = 0;
    while (i < n && j < m) {
        uint64_t left = a->values[i], right = b->values[j], at = left < right ? left : right;
        i = pass(a, i, at);
        j = pass(b, j, at);
        uint64_t share_a = i * m, share_b = j * n;
        uint64_t difference = share_a > share_b ? share_a - share_b : share_b - share_a;
        if (difference > largest)
            largest = difference;
    }
    return (double)largest / ((double)n * (double)m);
}

double hs_ks_noise(uint64_t n, uint64_t m)
{
    return 1.36 * sqrt(1 / (double)n + 1 / (double)m);
}
