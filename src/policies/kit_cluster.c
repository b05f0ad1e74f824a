/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * k-means in fixed point. Bounds, with at most 2^12 jobs of features below 2^20: n * sum of squares
 * < 2^64; 1 / deviation <= n, so a z-score in Q16 is below 2^48 and a sum over the sample below
 * 2^60.
 */
#include "policies/kit_cluster.h"

#include <string.h>

#include "horus/compiler.h"

enum hs_status hs_cluster_sample_init(struct hs_cluster_sample *s, const struct hs_view *v)
{
    s->points = hs_view_alloc(v, HS_CLUSTER_SAMPLE * sizeof *s->points);
    s->order = hs_view_alloc(v, HS_CLUSTER_SAMPLE * sizeof *s->order);
    return s->points != NULL && s->order != NULL ? HS_OK : HS_E_MEMORY;
}

void hs_cluster_sample_clear(struct hs_cluster_sample *s)
{
    s->count = 0;
    s->limit = UINT64_C(1) << 32;
}

/* Halves the range of the mixes; about half of the points go. */
static void sample_thin(struct hs_cluster_sample *s)
{
    uint32_t kept = 0;
    s->limit >>= 1;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->points[i].mix >= s->limit)
            continue;
        s->points[kept] = s->points[i];
        s->order[kept] = s->order[i];
        kept++;
    }
    s->count = kept;
}

void hs_cluster_sample_offer(struct hs_cluster_sample *s, const struct hs_features *features,
                             int64_t submit_us, uint64_t rank, uint32_t mix)
{
    while (mix < s->limit && s->count == HS_CLUSTER_SAMPLE)
        sample_thin(s);
    if (mix >= s->limit)
        return;
    s->points[s->count] = (struct hs_cluster_point){.features = *features, .mix = mix};
    s->order[s->count] = (struct hs_sort_entry){.submit_us = submit_us, .rank = rank};
    s->count++;
}

/* Floor of the root: bit by bit, the same everywhere. */
static uint64_t root_of(uint64_t x)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= x)
            root += bit;
    return root;
}

static uint64_t feature_of(const struct hs_features *features, uint32_t f)
{
    return features->x[f] < HS_FEATURE_MAX ? features->x[f] : HS_FEATURE_MAX;
}

/* 1 / standard deviation: n / root of (n sum of squares - square of the sum). */
static uint64_t weight_of(const struct hs_cluster_sample *s, uint32_t f)
{
    uint64_t n = s->count, sum = 0, squares = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t x = feature_of(&s->points[i].features, f);
        sum += x;
        squares += x * x;
    }
    uint64_t scaled = n * squares - sum * sum;
    if (scaled == 0)
        return 0;
    uint32_t half_shift = HS_CLZ64(scaled) / 2; /* leaves the root 32 bits */
    uint64_t root = root_of(scaled << 2 * half_shift);
    return (uint64_t)(((hs_u128)n << (32 + half_shift)) / root);
}

static void z_scores(const struct hs_clusters *c, const struct hs_features *features,
                     uint64_t z_q16[HS_FEATURES])
{
    for (uint32_t f = 0; f < HS_FEATURES; f++)
        z_q16[f] = feature_of(features, f) * c->weight_q32[f] >> 16;
}

static inline uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

_Static_assert(HS_FEATURES == 4, "nearest() adds up four");

static uint32_t nearest(const struct hs_clusters *c, const uint64_t z_q16[HS_FEATURES],
                        uint64_t *distance_q16)
{
    uint32_t best = 0;
    *distance_q16 = UINT64_MAX;
    for (uint32_t g = 0; g < c->count; g++) {
        const uint64_t *b = c->centroid_q16[g];
        uint64_t distance = apart(z_q16[0], b[0]) + apart(z_q16[1], b[1]) + apart(z_q16[2], b[2]) +
                            apart(z_q16[3], b[3]);
        if (distance < *distance_q16) {
            *distance_q16 = distance;
            best = g;
        }
    }
    return best;
}

uint32_t hs_clusters_nearest(const struct hs_clusters *c, const struct hs_features *features)
{
    uint64_t z_q16[HS_FEATURES], distance;
    z_scores(c, features, z_q16);
    return nearest(c, z_q16, &distance);
}

static void seed(struct hs_clusters *c, struct hs_cluster_sample *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct hs_cluster_point *point = &s->points[i];
        z_scores(c, &point->features, point->z_q16);
        point->group = UINT32_MAX;
        s->order[i].job = i;
        s->order[i].key = 0;
        for (uint32_t f = 0; f < HS_FEATURES; f++)
            s->order[i].key += (int64_t)point->z_q16[f];
    }
    hs_sort(s->order, s->count);
    for (uint32_t g = 0; g < c->count; g++) {
        uint32_t at = (2 * g + 1) * s->count / (2 * c->count);
        memcpy(c->centroid_q16[g], s->points[s->order[at].job].z_q16, sizeof c->centroid_q16[g]);
    }
}

/* False when every job was in its group already. */
static bool assign(const struct hs_clusters *c, struct hs_cluster_sample *s)
{
    bool has_moved = false;
    for (uint32_t i = 0; i < s->count; i++) {
        struct hs_cluster_point *point = &s->points[i];
        uint32_t group = nearest(c, point->z_q16, &point->distance_q16);
        has_moved |= group != point->group;
        point->group = group;
    }
    return has_moved;
}

struct group_sum {
    uint64_t z_q16[HS_FEATURES];
    uint32_t count;
};

/* An empty group takes the job that is farthest from its centroid, if any is away from its own. */
static void fill_empty(const struct hs_cluster_sample *s, struct group_sum *sums, uint32_t group)
{
    struct hs_cluster_point *best = &s->points[s->order[0].job];
    for (uint32_t i = 1; i < s->count; i++) {
        struct hs_cluster_point *point = &s->points[s->order[i].job];
        best = point->distance_q16 > best->distance_q16 ? point : best;
    }
    if (best->distance_q16 == 0)
        return;
    for (uint32_t f = 0; f < HS_FEATURES; f++) {
        sums[best->group].z_q16[f] -= best->z_q16[f];
        sums[group].z_q16[f] = best->z_q16[f];
    }
    sums[best->group].count--;
    sums[group].count = 1;
    best->distance_q16 = 0; /* not again for the next empty group */
}

static void update(struct hs_clusters *c, const struct hs_cluster_sample *s)
{
    struct group_sum sums[HS_CLUSTERS_MAX] = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        struct group_sum *sum = &sums[s->points[i].group];
        sum->count++;
        for (uint32_t f = 0; f < HS_FEATURES; f++)
            sum->z_q16[f] += s->points[i].z_q16[f];
    }
    for (uint32_t g = 0; g < c->count; g++)
        if (sums[g].count == 0)
            fill_empty(s, sums, g);
    for (uint32_t g = 0; g < c->count; g++)
        for (uint32_t f = 0; f < HS_FEATURES && sums[g].count > 0; f++)
            c->centroid_q16[g][f] = sums[g].z_q16[f] / sums[g].count;
}

void hs_clusters_fit(struct hs_clusters *c, uint32_t count, struct hs_cluster_sample *s)
{
    if (s->count == 0)
        return;
    c->count = count;
    for (uint32_t f = 0; f < HS_FEATURES; f++)
        c->weight_q32[f] = weight_of(s, f);
    seed(c, s);
    for (uint32_t round = 0; round < HS_CLUSTER_ROUNDS && assign(c, s); round++)
        update(c, s);
}
