/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the sums and quantiles of the samples to the figures of stats.h and of the classes.
 */
#include <math.h>
#include <string.h>

#include "report/evaluation.h"
#include "report/exact.h"

static const char *const class_measures[HS_CLASS_MEASURES] = {
    "mean_wait",
    "p50_wait",
    "p90_wait",
    "p95_wait",
    "p99_wait",
    "max_wait",
    "mean_jct",
    "p50_jct",
    "p90_jct",
    "p95_jct",
    "p99_jct",
    "max_jct",
    "mean_slowdown",
    "p50_slowdown",
    "p90_slowdown",
    "p95_slowdown",
    "p99_slowdown",
    "max_slowdown",
    "mean_bounded_slowdown",
    "mean_isolated",
    "mean_run_slowdown",
    "p50_run_slowdown",
    "p90_run_slowdown",
    "p95_run_slowdown",
    "p99_run_slowdown",
    "max_run_slowdown",
    "mean_time_to_progress",
};

static uint64_t jobs_of(const struct hs_evaluation *e, uint32_t class)
{
    return e->quantiles.sets[hs_set_of(e, HS_M_WAIT, class)].count;
}

/* Mean of a measure that so many jobs of the class have; NaN of none. */
static double mean_of(const struct hs_evaluation *e, enum hs_measure measure, uint32_t class,
                      uint64_t count)
{
    if (measure == HS_M_PROGRESS && !e->stats->is_delayed)
        measure = HS_M_WAIT;
    return hs_exact_double(e->sums[class].whole[measure] + (hs_u128)e->least[measure] * count,
                           (hs_u128)count * HS_PPM);
}

/* mean, p50, p90, p95, p99, max of a measure, in units of 1e6 of what was added (us, ppm). */
static void set_figures(const struct hs_evaluation *e, enum hs_measure measure, uint32_t class,
                        double out[HS_FIGURES])
{
    const struct hs_quantiles *q = &e->quantiles;
    uint32_t set = hs_set_of(e, measure, class);
    /* the same jobs have the two slowdowns */
    uint32_t counted = hs_set_of(e, measure == HS_M_RUN_SLOWDOWN ? HS_M_SLOWDOWN : measure, class);
    uint64_t count = q->sets[counted].count, least = e->least[measure];
    out[HS_F_MEAN] = mean_of(e, measure, class, count);
    for (int i = 0; i < HS_QUANTILES; i++)
        out[HS_F_P50 + i] =
            count > 0
                ? hs_exact_double(least + hs_quantiles_get(q, set, (enum hs_quantile)i), HS_PPM)
                : (double)NAN;
}

/* Figures of class `index`, which are those of class `of`. */
static void fill_class(const struct hs_evaluation *e, uint32_t index, uint32_t of,
                       struct hs_class *out)
{
    const uint64_t jobs = jobs_of(e, of);
    hs_classes_name(&e->stats->classes, index, out);
    out->jobs = jobs;
    double *value = out->value; /* in the order of class_measures */
    for (uint32_t m = HS_M_WAIT; m <= HS_M_SLOWDOWN; m++, value += HS_FIGURES)
        set_figures(e, (enum hs_measure)m, of, value);
    *value++ = mean_of(e, HS_M_BOUNDED, of, jobs);
    *value++ = hs_exact_double(e->sums[of].whole[HS_SUM_WORK], (hs_u128)jobs * HS_PPM);
    set_figures(e, HS_M_RUN_SLOWDOWN, of, value);
    value[HS_FIGURES] = mean_of(e, HS_M_PROGRESS, of, jobs);
}

void hs_evaluation_fill(const struct hs_evaluation *e, struct hs_summary *summary)
{
    struct hs_stats *s = e->stats;
    const struct hs_class_sums *all = &e->sums[HS_CLASS_ALL];
    s->counted = jobs_of(e, HS_CLASS_ALL);
    s->mean_pending =
        hs_exact_double(all->whole[HS_M_JCT] - e->run_us, (hs_u128)s->counted * HS_PPM);
    for (uint32_t m = 0; m < HS_MEASURES; m++)
        set_figures(e, (enum hs_measure)m, HS_CLASS_ALL, s->figure[m]);
    if (!s->is_delayed)
        memcpy(s->figure[HS_M_PROGRESS], s->figure[HS_M_WAIT], sizeof s->figure[HS_M_WAIT]);
    s->jain = hs_classes_jain(&s->classes);
    summary->class_count = 0;
    for (uint32_t i = 1; i < e->classes; i++) {
        uint32_t of = hs_classes_is_all(&s->classes, i) ? HS_CLASS_ALL : i;
        if (jobs_of(e, of) > 0)
            fill_class(e, i, of, &summary->classes[summary->class_count++]);
    }
}

const char *hs_class_measure(uint32_t index)
{
    return index < HS_CLASS_MEASURES ? class_measures[index] : NULL;
}
