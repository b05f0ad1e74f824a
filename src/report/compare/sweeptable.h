/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * sweep.csv of a sweep: its points, on the axes that were swept, with the metrics that a report
 * draws; and which axis plays which part in a chart.
 *
 *     enum hs_status s = hs_sweeptable_read(&t, path, hs_sweep_metrics, NULL, diag);
 *     hs_sweeptable_values(&t, facet, metric, values);             // of all replicates
 *     hs_sweeptable_free(&t);                                      // also after a failed read
 */
#ifndef HORUS_REPORT_COMPARE_SWEEPTABLE_H
#define HORUS_REPORT_COMPARE_SWEEPTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"

#define HS_SWEEPTABLE_AXES_MAX 12u
#define HS_SWEEP_VALUES_MAX    256u /* of an axis */
#define HS_SWEEP_POINTS_MAX    100000u
#define HS_SWEEP_METRICS_MAX   6u
#define HS_SWEEP_NONE          UINT32_MAX /* no axis */

/* Those of the page of a sweep, NULL behind the last. */
extern const char *const hs_sweep_metrics[HS_SWEEP_METRICS_MAX + 1];

enum hs_sweep_part {
    HS_SWEEP_FIXED,     /* one value, or the value follows from that of another axis */
    HS_SWEEP_LINE,      /* one line each: policies where they are swept */
    HS_SWEEP_X,         /* the numeric axis with most values */
    HS_SWEEP_REPLICATE, /* seeds: what means and intervals are taken over */
    HS_SWEEP_FACET,     /* one chart each */
};

struct hs_sweeptable_axis {
    const char *key;                         /* as in the experiment: "load" */
    const char *values[HS_SWEEP_VALUES_MAX]; /* ascending if all are numbers, else as they came */
    double numbers[HS_SWEEP_VALUES_MAX];
    uint32_t count;
    bool is_numeric;
    enum hs_sweep_part part;
};

struct hs_sweeptable_point {
    const char *run, *state, *exit;
    uint32_t at[HS_SWEEPTABLE_AXES_MAX]; /* its value on each axis */
    double value[HS_SWEEP_METRICS_MAX];  /* of the metrics; NaN = none */
    uint32_t facet, replicate;           /* which combination of the axes that play these parts */
    bool is_done;
};

struct hs_sweeptable {
    struct hs_arena arena;
    struct hs_sweeptable_axis axes[HS_SWEEPTABLE_AXES_MAX];
    struct hs_sweeptable_point *points;
    uint32_t axis_count, point_count, point_cap;
    const char *metrics[HS_SWEEP_METRICS_MAX];
    uint32_t metric_count;
    uint32_t line, x;       /* axes; HS_SWEEP_NONE: one line, one place */
    uint32_t lines, places; /* values of these axes, at least 1 */
    uint32_t facets, replicates;
    const char *workload, *cluster; /* of the first point that is done, NULL if they differ */
};

/* metrics: columns of the file, NULL behind the last, at most HS_SWEEP_METRICS_MAX; they are
 * borrowed. HS_E_INPUT where a column is not there while hs_sweep_metrics is not asked for. x: the
 * key along the x axis, HS_E_INPUT unless it was swept; NULL = the one of most numbers. */
HS_MUST_USE enum hs_status hs_sweeptable_read(struct hs_sweeptable *t, const char *path,
                                              const char *const *metrics, const char *x,
                                              struct hs_diag *diag);
/* The metric of the runs of a facet, values[(line x places + x) x replicates + replicate]; NaN
 * where there is none. O(points + values). */
void hs_sweeptable_values(const struct hs_sweeptable *t, uint32_t facet, uint32_t metric,
                          double *values);
/* "gpus = 8, order = fit": what the points of a facet share; "" if there is one facet alone. */
void hs_sweeptable_facet(const struct hs_sweeptable *t, uint32_t facet, char *text, size_t size);
void hs_sweeptable_free(struct hs_sweeptable *t);

#endif
