/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Picks the metrics that are worth a spread and seeds the runs that give it.
 */
#include "cli/jitter.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

/* What a comparison of policies reads first; the others can be had from the runs themselves. */
static const char *const main_metrics[] = {
    "makespan", "mean_wait", "p50_wait", "p99_wait",       "mean_jct",
    "p50_jct",  "p99_jct",   "max_wait", "gpu_allocation", "mean_bounded_slowdown",
};

uint64_t hs_jitter_seed(uint64_t seed, uint32_t k)
{
    uint64_t drawn = hs_mix64(hs_seed_of(seed, "tie-jitter"), k);
    return drawn != 0 ? drawn : 1;
}

static struct hs_spread *spread_of(struct hs_summary *summary, const struct hs_metric *metric)
{
    for (uint32_t i = 0; i < summary->spread_count; i++)
        if (strcmp(summary->spreads[i].name, metric->name) == 0)
            return &summary->spreads[i];
    if (summary->spread_count == HS_SPREADS_MAX)
        return NULL;
    struct hs_spread *spread = &summary->spreads[summary->spread_count++];
    *spread = (struct hs_spread){.name = metric->name, .unit = metric->unit};
    return spread;
}

void hs_jitter_add(struct hs_summary *summary, const struct hs_summary *run)
{
    for (size_t i = 0; i < sizeof main_metrics / sizeof *main_metrics; i++) {
        for (uint32_t m = 0; m < run->count; m++) {
            const struct hs_metric *metric = &run->metrics[m];
            if (strcmp(metric->name, main_metrics[i]) != 0 || isnan(metric->value))
                continue;
            struct hs_spread *spread = spread_of(summary, metric);
            if (spread != NULL)
                hs_spread_add(spread, metric->value);
        }
    }
}
