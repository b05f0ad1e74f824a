/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See gittins.h.
 */
#include "policies/tiresias/gittins.h"

#include <math.h>
#include <string.h>

#define SECOND_US     INT64_C(1000000)
#define GITTINS_KEPT  1024u /* about the size of the published sample, 1,001 */
#define GITTINS_FIRST 16u

static void allocate(struct hs_gittins *g, const struct hs_view *v, uint32_t cap)
{
    g->sizes = hs_view_alloc(v, cap * sizeof *g->sizes);
    g->sums = hs_view_alloc(v, (cap + UINT64_C(1)) * sizeof *g->sums);
    g->scale = hs_view_alloc(v, cap * sizeof *g->scale);
    g->entries = hs_view_alloc(v, cap * sizeof *g->entries);
}

/* Number of entries of the sample that are at most `size`. */
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
    return (double)us / (double)SECOND_US;
}

/* To the nearest of 5 decimals. */
static double rounded(double value)
{
    return rint(value * 1e5) / 1e5;
}

/* The published form, at a = S_m - 1. */
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
    return 1e6 * rounded(p) / fmax(rounded(e), 1e-5); /* nothing is divided by 0 */
}

static void tabulate(struct hs_gittins *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        g->entries[i] = (struct hs_job_place){.key = g->sizes[i], .rank = i};
    hs_sort(g->entries, g->count);
    g->sums[0] = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        g->sizes[i] = g->entries[i].key;
        g->sums[i + 1] = g->sums[i] + seconds(g->sizes[i]);
    }
    for (uint32_t i = 0; g->is_repo && i < g->count; i++)
        g->scale[i] = repo_index(g, g->sizes[i] - SECOND_US);
}

enum hs_status hs_gittins_open(struct hs_gittins *g, const struct hs_view *v, const char *path)
{
    const int64_t *values;
    if (path == NULL) {
        g->recent = hs_view_alloc(v, GITTINS_KEPT * sizeof *g->recent);
        allocate(g, v, GITTINS_KEPT);
        return HS_OK;
    }
    HS_TRY(hs_view_numbers(v, path, &values, &g->count));
    allocate(g, v, g->count);
    memcpy(g->sizes, values, g->count * sizeof *values);
    tabulate(g);
    return HS_OK;
}

bool hs_gittins_learn(struct hs_gittins *g, int64_t service_us)
{
    if (g->recent == NULL)
        return false;
    g->recent[g->finished++ % GITTINS_KEPT] = service_us;
    bool is_due = g->finished >= GITTINS_KEPT
                      ? g->finished % GITTINS_KEPT == 0
                      : g->finished >= GITTINS_FIRST && (g->finished & (g->finished - 1)) == 0;
    if (!is_due)
        return false;
    g->count = g->finished < GITTINS_KEPT ? (uint32_t)g->finished : GITTINS_KEPT;
    memcpy(g->sizes, g->recent, g->count * sizeof *g->sizes);
    tabulate(g);
    return true;
}

static double exact_index(const struct hs_gittins *g, int64_t attained_us, int64_t delta_us)
{
    uint32_t n = g->count, i = count_until(g, attained_us), k = n;
    double beyond = 0; /* service of the entries beyond the horizon */
    if (i == n)
        return 0;
    if (delta_us < INT64_MAX - attained_us) {
        k = count_until(g, attained_us + delta_us);
        if (k == i) /* also if the horizon is 0: e would be 0 */
            return 0;
        beyond = seconds(delta_us) * (double)(n - k);
    }
    double p = (double)(k - i) / (double)(n - i);
    double e = (g->sums[k] - g->sums[i] - seconds(attained_us) * (double)(k - i) + beyond) /
               (double)(n - i);
    return p / fmax(e, p * seconds(1)); /* each entry takes at least 1 us, whatever rounding left */
}

int64_t hs_gittins_index(const struct hs_gittins *g, int64_t attained_us, int64_t delta_us)
{
    if (!g->is_repo)
        return llrint(1e12 * exact_index(g, attained_us, delta_us));
    uint32_t m = count_until(g, attained_us / SECOND_US * SECOND_US);
    return m < g->count ? llrint(1e4 * g->scale[m]) : 0;
}
