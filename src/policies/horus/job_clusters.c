/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * k-means in fixed point. Bounds, with at most 2^12 jobs of features below 2^20: n * sum of squares
 * < 2^64; 1 / deviation <= n, so a z-score in Q16 is below 2^48 and a sum over the sample below
 * 2^60.
 */
#include "policies/horus/job_clusters.h"

#include <string.h>

#include "horus/compiler.h"

#define NO_GROUP UINT32_MAX
#define NO_POINT UINT32_MAX

enum hs_status hs_cluster_sample_init(struct hs_cluster_sample *s, const struct hs_view *v)
{
    s->points = hs_view_alloc(v, HS_CLUSTER_SAMPLE * sizeof *s->points);
    s->order = hs_view_alloc(v, HS_CLUSTER_SAMPLE * sizeof *s->order);
    return HS_OK;
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
    s->points[s->count] = (struct hs_demand_point){.features = *features, .mix = mix};
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

_Static_assert(HS_FEATURES == 4, "distance_q16() adds up four");

static inline uint64_t distance_q16(const uint64_t a[HS_FEATURES], const uint64_t b[HS_FEATURES])
{
    return apart(a[0], b[0]) + apart(a[1], b[1]) + apart(a[2], b[2]) + apart(a[3], b[3]);
}

static uint32_t nearest(const struct hs_clusters *c, const uint64_t z_q16[HS_FEATURES])
{
    uint64_t least = INT64_MAX;
    uint32_t best = 0;
    for (uint32_t g = 0; g < c->count; g++) {
        uint64_t distance = distance_q16(z_q16, c->centroid_q16[g]);
        best = distance < least ? g : best;
        least = distance < least ? distance : least;
    }
    return best;
}

uint32_t hs_clusters_nearest(const struct hs_clusters *c, const struct hs_features *features)
{
    uint64_t z_q16[HS_FEATURES];
    z_scores(c, features, z_q16);
    return nearest(c, z_q16);
}

static void seed(struct hs_clusters *c, struct hs_cluster_sample *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct hs_demand_point *point = &s->points[i];
        z_scores(c, &point->features, point->z_q16);
        point->group = NO_GROUP;
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

/* What the fit keeps from round to round. */
struct fit {
    struct hs_clusters *c;
    struct hs_cluster_sample *s;
    struct group_sum {
        uint64_t z_q16[HS_FEATURES];
        uint32_t count;
    } sums[HS_CLUSTERS_MAX]; /* of the members of the groups */
};

static void group_add(struct group_sum *sum, const struct hs_demand_point *point)
{
    sum->count++;
    for (uint32_t f = 0; f < HS_FEATURES; f++)
        sum->z_q16[f] += point->z_q16[f];
}

static void group_remove(struct group_sum *sum, const struct hs_demand_point *point)
{
    sum->count--;
    for (uint32_t f = 0; f < HS_FEATURES; f++)
        sum->z_q16[f] -= point->z_q16[f];
}

/* False when every job was in its group already. */
static bool assign(struct fit *fit)
{
    bool has_moved = false;
    for (uint32_t i = 0; i < fit->s->count; i++) {
        struct hs_demand_point *point = &fit->s->points[i];
        const uint32_t before = point->group;
        point->group = nearest(fit->c, point->z_q16);
        if (point->group == before)
            continue;
        has_moved = true;
        group_add(&fit->sums[point->group], point);
        if (before != NO_GROUP)
            group_remove(&fit->sums[before], point);
    }
    return has_moved;
}

struct taken {
    uint32_t points[HS_CLUSTERS_MAX];
    uint32_t count;
};

/* The point farthest from its centroid that was not taken; NO_POINT: all are where theirs is. */
static uint32_t farthest(const struct fit *fit, const struct taken *taken)
{
    uint32_t best = NO_POINT;
    uint64_t most_q16 = 0;
    for (uint32_t i = 0; i < fit->s->count; i++) {
        uint32_t at = fit->s->order[i].job;
        const uint64_t *own = fit->c->centroid_q16[fit->s->points[at].group];
        uint64_t here_q16 = distance_q16(fit->s->points[at].z_q16, own);
        bool is_taken = false;
        for (uint32_t t = 0; t < taken->count; t++)
            is_taken = is_taken || taken->points[t] == at;
        if (here_q16 > most_q16 && !is_taken) {
            most_q16 = here_q16;
            best = at;
        }
    }
    return best;
}

/* Each group without jobs takes one, for its centroid alone: where the job is the next round says.
 */
static void fill_empty(const struct fit *fit, struct group_sum sums[HS_CLUSTERS_MAX])
{
    struct taken taken = {.count = 0};
    for (uint32_t g = 0; g < fit->c->count; g++) {
        uint32_t at = sums[g].count == 0 ? farthest(fit, &taken) : NO_POINT;
        if (at == NO_POINT)
            continue;
        group_remove(&sums[fit->s->points[at].group], &fit->s->points[at]);
        group_add(&sums[g], &fit->s->points[at]);
        taken.points[taken.count++] = at;
    }
}

static void update(struct fit *fit)
{
    struct hs_clusters *c = fit->c;
    struct group_sum sums[HS_CLUSTERS_MAX];
    memcpy(sums, fit->sums, sizeof sums);
    fill_empty(fit, sums);
    for (uint32_t g = 0; g < c->count; g++)
        for (uint32_t f = 0; f < HS_FEATURES && sums[g].count > 0; f++)
            c->centroid_q16[g][f] = sums[g].z_q16[f] / sums[g].count;
}

void hs_clusters_fit(struct hs_clusters *c, uint32_t count, struct hs_cluster_sample *s)
{
    struct fit fit = {.c = c, .s = s};
    if (s->count == 0)
        return;
    c->count = count;
    for (uint32_t f = 0; f < HS_FEATURES; f++)
        c->weight_q32[f] = weight_of(s, f);
    seed(c, s);
    for (uint32_t round = 0; round < HS_CLUSTER_ROUNDS && assign(&fit); round++)
        update(&fit);
}
