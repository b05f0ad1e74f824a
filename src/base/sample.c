/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Uses the C library's sort, on whole numbers: equal values are indistinguishable, so their order
 * has no effect. Octave 0 of a histogram has one bucket per value 0..1023; octave e >= 1 divides
 * [2^(e+9), 2^(e+10)) into 1,024 equal parts. Adding is O(1), a quantile O(buckets).
 */
#include "base/sample.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- samples ---- */

void hs_sample_add(struct hs_sample *sample, uint64_t value)
{
    *hs_push(sample->values, sample->count, sample->cap, UINT32_MAX) = value;
}

static int compare_values(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return HS_ORDER(*left, *right);
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

/* Number of values at or below the limit, given that the first `from` are. */
static uint32_t pass(const struct hs_sample *sample, uint32_t from, uint64_t limit)
{
    while (from < sample->count && sample->values[from] <= limit)
        from++;
    return from;
}

/* At each value compares i / n with j / m, as i m with j n. */
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

/* ---- logarithmic histograms ---- */

#define PARTS_LOG2 10
#define PARTS      (1u << PARTS_LOG2)

struct hs_loghist_octave {
    uint64_t counts[PARTS];
    uint64_t largest[PARTS];
};

/* Index of a value's bucket, from the first of octave 0. */
static unsigned bucket_of(uint64_t value)
{
    unsigned octave = value < PARTS ? 0 : 64 - PARTS_LOG2 - HS_CLZ64(value);
    unsigned shift = octave > 0 ? octave - 1 : 0;
    return octave * PARTS + ((unsigned)(value >> shift) & (PARTS - 1));
}

void hs_loghist_add(struct hs_loghist *h, uint64_t value)
{
    unsigned octave = bucket_of(value) / PARTS, part = bucket_of(value) % PARTS;
    assert(octave < HS_LOGHIST_OCTAVES);
    if (!h->octaves[octave])
        h->octaves[octave] = hs_alloc_zeroed(1, sizeof *h->octaves[octave]);
    struct hs_loghist_octave *o = h->octaves[octave];
    o->counts[part]++;
    if (value > o->largest[part])
        o->largest[part] = value;
    if (value > h->max)
        h->max = value;
    h->count++;
    h->sum += value;
}

bool hs_loghist_next(const struct hs_loghist *h, uint32_t *at, uint64_t *value, uint64_t *count)
{
    for (; *at < HS_LOGHIST_OCTAVES * PARTS; ++*at) {
        const struct hs_loghist_octave *o = h->octaves[*at / PARTS];
        if (o == NULL) {
            *at += PARTS - 1;
            continue;
        }
        if (o->counts[*at % PARTS] == 0)
            continue;
        *value = o->largest[*at % PARTS];
        *count = o->counts[*at % PARTS];
        ++*at;
        return true;
    }
    return false;
}

uint64_t hs_loghist_quantile(const struct hs_loghist *h, uint32_t permille)
{
    uint64_t wanted = (uint64_t)(((hs_u128)h->count * permille + 999) / 1000);
    uint64_t seen = 0, count, value = 0;
    for (uint32_t at = 0; hs_loghist_next(h, &at, &value, &count);)
        if ((seen += count) >= wanted)
            break;
    return value;
}

uint64_t hs_loghist_below(const struct hs_loghist *h, uint64_t value)
{
    uint64_t sum = 0, count, largest;
    unsigned last = bucket_of(value);
    for (uint32_t at = 0; hs_loghist_next(h, &at, &largest, &count) && at <= last + 1;)
        sum += count;
    return sum;
}

void hs_loghist_free(struct hs_loghist *h)
{
    for (unsigned e = 0; e < HS_LOGHIST_OCTAVES; e++)
        hs_free(h->octaves[e]);
    *h = (struct hs_loghist){0};
}

/* ---- columns of percent ---- */

#define ROWS_MIN 3u /* fewer may all be idle by chance, unless they are the whole file */

void hs_fractions_warn(const struct hs_fractions *seen, const struct hs_place *place,
                       const char *column, const char *rows, struct hs_diag *diag)
{
    if (seen->above_1 > 0 || seen->nonzero == 0)
        return;
    if (seen->nonzero < ROWS_MIN && seen->nonzero < seen->rows)
        return;
    hs_report(diag, HS_WARNING, place, "write 45 for 0.45",
              "%s is at most 1 in all %" PRIu64 " %s that have it: per cent are expected; "
              "are these fractions?",
              column, seen->filled, rows);
}
