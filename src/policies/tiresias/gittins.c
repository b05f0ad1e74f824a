/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorted samples with prefix sums, so that an index is two searches and a division.
 */
#include "policies/tiresias/gittins.h"

#include <math.h>
#include <string.h>

#define US_PER_S 1000000

static void allocate(struct hs_gittins *g, const struct hs_view *v, uint32_t cap)
{
    g->sizes = hs_view_alloc(v, cap * sizeof *g->sizes);
    g->sums = hs_view_alloc(v, (cap + UINT64_C(1)) * sizeof *g->sums);
    g->scale = hs_view_alloc(v, cap * sizeof *g->scale);
    g->entries = hs_view_alloc(v, cap * sizeof *g->entries);
}

enum hs_status hs_gittins_init(struct hs_gittins *g, const struct hs_view *v)
{
    g->recent = hs_view_alloc(v, HS_GITTINS_KEPT * sizeof *g->recent);
    allocate(g, v, HS_GITTINS_KEPT);
    return HS_OK;
}

/* How many of the sample are at most so large. */
static uint32_t count_until(const struct hs_gittins *g, int64_t size)
{
    uint32_t low = 0, high = g->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->sizes[middle] <= size)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double seconds(int64_t us)
{
    return (double)us / US_PER_S;
}

/* As published, at a = S_m - 1. */
static double repo_index(const struct hs_gittins *g, int64_t attained_us)
{
    uint32_t n = g->count, i = count_until(g, attained_us), k = n;
    if (i == n)
        return 0;
    if (attained_us < INT64_MAX - g->repo_delta_us)
        k = count_until(g, attained_us + g->repo_delta_us);
    double p = (double)(k - i) / (double)(n - i);
    double e =
        (g->sums[k] - g->sums[i] + seconds(g->repo_delta_us) * (double)(n - k)) / (double)(n - i);
    return 1e6 * p / e;
}

static void sort(struct hs_gittins *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        g->entries[i] = (struct hs_sort_entry){.key = g->sizes[i], .rank = i};
    hs_sort(g->entries, g->count);
    for (uint32_t i = 0; i < g->count; i++)
        g->sizes[i] = g->entries[i].key;
}

static void tabulate(struct hs_gittins *g)
{
    sort(g);
    g->sums[0] = 0;
    for (uint32_t i = 0; i < g->count; i++)
        g->sums[i + 1] = g->sums[i] + seconds(g->sizes[i]);
    for (uint32_t i = 0; g->is_repo && i < g->count; i++)
        g->scale[i] = repo_index(g, g->sizes[i] - US_PER_S);
}

enum hs_status hs_gittins_load(struct hs_gittins *g, const struct hs_view *v, const char *path)
{
    const int64_t *values;
    HS_TRY(hs_view_numbers(v, path, &values, &g->count));
    allocate(g, v, g->count);
    memcpy(g->sizes, values, g->count * sizeof *values);
    tabulate(g);
    return HS_OK;
}

static bool is_taken_anew_at(uint64_t finished)
{
    if (finished >= HS_GITTINS_KEPT)
        return finished % HS_GITTINS_KEPT == 0;
    return finished >= HS_GITTINS_FIRST && (finished & (finished - 1)) == 0;
}

bool hs_gittins_learn(struct hs_gittins *g, int64_t service_us)
{
    if (g->recent == NULL)
        return false;
    g->recent[g->finished++ % HS_GITTINS_KEPT] = service_us;
    if (!is_taken_anew_at(g->finished))
        return false;
    g->count = g->finished < HS_GITTINS_KEPT ? (uint32_t)g->finished : HS_GITTINS_KEPT;
    memcpy(g->sizes, g->recent, g->count * sizeof *g->sizes);
    tabulate(g);
    return true;
}

static double exact_index(const struct hs_gittins *g, int64_t attained_us, int64_t delta_us)
{
    uint32_t n = g->count, i = count_until(g, attained_us), k = n;
    double beyond = 0; /* what those that end later take */
    if (i == n)
        return 0;
    if (delta_us < INT64_MAX - attained_us) {
        k = count_until(g, attained_us + delta_us);
        if (k == i) /* also where it does not look ahead at all: then e is 0 */
            return 0;
        beyond = seconds(delta_us) * (double)(n - k);
    }
    double p = (double)(k - i) / (double)(n - i);
    double e = (g->sums[k] - g->sums[i] - seconds(attained_us) * (double)(k - i) + beyond) /
               (double)(n - i);
    return p / fmax(e, p * seconds(1)); /* each takes 1 us at least, whatever cancelled out */
}

int64_t hs_gittins_index(const struct hs_gittins *g, int64_t attained_us, int64_t delta_us)
{
    if (!g->is_repo)
        return llrint(1e12 * exact_index(g, attained_us, delta_us));
    uint32_t m = count_until(g, attained_us / US_PER_S * US_PER_S);
    return m < g->count ? llrint(1e4 * g->scale[m]) : 0;
}
