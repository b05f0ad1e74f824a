/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Octave 0 holds 0..1023 one by one; octave e >= 1 holds [2^(e+9), 2^(e+10)) in 1,024 equal parts.
 * Adding is O(1), a quantile O(buckets).
 */
#include "base/loghist.h"

#include "base/memory.h"

#define PARTS_LOG2 10
#define PARTS      (1u << PARTS_LOG2)

struct hs_loghist_octave {
    uint64_t counts[PARTS];
    uint64_t largest[PARTS];
};

/* Number of a value's bucket, counted from the first of octave 0. */
static unsigned bucket_of(uint64_t value)
{
    unsigned octave = value < PARTS ? 0 : 64 - PARTS_LOG2 - HS_CLZ64(value);
    unsigned shift = octave > 0 ? octave - 1 : 0;
    return octave * PARTS + ((unsigned)(value >> shift) & (PARTS - 1));
}

enum hs_status hs_loghist_add(struct hs_loghist *h, uint64_t value)
{
    unsigned octave = bucket_of(value) / PARTS, part = bucket_of(value) % PARTS;
    if (octave >= HS_LOGHIST_OCTAVES)
        return HS_E_LIMIT;
    if (!h->octaves[octave])
        h->octaves[octave] = hs_alloc_zeroed(1, sizeof *h->octaves[octave]);
    if (!h->octaves[octave])
        return HS_E_MEMORY;
    struct hs_loghist_octave *o = h->octaves[octave];
    o->counts[part]++;
    if (value > o->largest[part])
        o->largest[part] = value;
    if (value > h->max)
        h->max = value;
    h->count++;
    h->sum += value;
    return HS_OK;
}

uint64_t hs_loghist_quantile(const struct hs_loghist *h, uint32_t permille)
{
    uint64_t wanted = (uint64_t)(((hs_u128)h->count * permille + 999) / 1000), seen = 0;
    for (unsigned e = 0; e < HS_LOGHIST_OCTAVES; e++) {
        const struct hs_loghist_octave *o = h->octaves[e];
        for (unsigned part = 0; o && part < PARTS; part++) {
            seen += o->counts[part];
            if (o->counts[part] > 0 && seen >= wanted)
                return o->largest[part];
        }
    }
    return h->max;
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

uint64_t hs_loghist_below(const struct hs_loghist *h, uint64_t value)
{
    uint64_t sum = 0;
    unsigned last = bucket_of(value);
    for (unsigned i = 0; i <= last && i < HS_LOGHIST_OCTAVES * PARTS; i++) {
        const struct hs_loghist_octave *o = h->octaves[i / PARTS];
        if (o == NULL)
            i += PARTS - 1;
        else
            sum += o->counts[i % PARTS];
    }
    return sum;
}

uint64_t hs_loghist_mean(const struct hs_loghist *h)
{
    return h->count > 0 ? (uint64_t)(h->sum / h->count) : 0;
}

void hs_loghist_free(struct hs_loghist *h)
{
    for (unsigned e = 0; e < HS_LOGHIST_OCTAVES; e++)
        hs_free(h->octaves[e]);
    *h = (struct hs_loghist){0};
}
