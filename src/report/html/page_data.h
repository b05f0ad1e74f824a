/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files of finished runs as charts need them: step functions of time in equal intervals, sorted
 * values of jobs, and where jobs ran.
 */
#ifndef HORUS_REPORT_HTML_PAGE_DATA_H
#define HORUS_REPORT_HTML_PAGE_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "report/html/page.h"

/* ---- a step function of time: mean, smallest and largest value of each interval ----
 *
 *     hs_buckets_open(&b, &arena, 360, span_s);
 *     hs_buckets_put(&b, time_s, value);                // holds until the next one
 *     hs_buckets_finish(&b);
 *     ... b.of[i].mean ...
 */
struct hs_bucket {
    double mean, min, max; /* NaN where nothing is known */
    double known_s;        /* time with a value */
};
struct hs_buckets {
    struct hs_bucket *of;
    uint32_t count;
    double span_s;
    double time_s, value; /* the last change */
    bool has_value;
};
/* span_s > 0. */
void hs_buckets_open(struct hs_buckets *b, struct hs_arena *arena, uint32_t count, double span_s);
/* In order of time; times past the span are not counted. O(1) a change and an interval. */
void hs_buckets_put(struct hs_buckets *b, double time_s, double value);
void hs_buckets_finish(struct hs_buckets *b); /* the last value holds until the end */

/* ---- jobs: those of the statistics in summary.json (done, and submitted inside the window of
 * --warmup and --cooldown) ---- */

enum hs_jobvalue {
    HS_JOBVALUE_JCT,
    HS_JOBVALUE_WAIT,
    HS_JOBVALUE_SLOWDOWN,
    HS_JOBVALUE_PENDING,
    HS_JOBVALUE_RUN_SLOWDOWN,
    HS_JOBVALUES
};
/* Microseconds, or millionths of the slowdown; ascending. */
struct hs_jobvalues {
    int64_t *of[HS_JOBVALUES];
    uint32_t count[HS_JOBVALUES], cap[HS_JOBVALUES];
};
/* The wanted values (bit 1 << enum hs_jobvalue) of all runs of the group together.
 * O(jobs log jobs). */
HS_MUST_USE enum hs_status hs_jobvalues_read(struct hs_jobvalues *values, struct hs_page *page,
                                             const struct hs_page_group *group, uint32_t wanted);
void hs_jobvalues_free(struct hs_jobvalues *values);
/* How many of count ascending values are at or below limit. O(log count). */
uint32_t hs_rank(const int64_t *values, uint32_t count, int64_t limit);
/* The smallest value with at least permille/1000 of all values at or below it; count > 0. */
int64_t hs_nearest_rank(const int64_t *values, uint32_t count, uint32_t permille);

/* ---- where jobs ran: jobs per GPU by node and interval of time, in a table whose size does not
 * depend on the jobs, and the placements themselves where they are few ---- */

struct hs_occupancy_map_node {
    const char *name, *gpu_type;
    uint32_t gpus;
    uint64_t placements;
    double allocation; /* 0 to 1 */
};
struct hs_placement {
    const char *job, *gpus, *ended_by; /* gpus: as in the file, "0-3 6" */
    double start_s, end_s;
};

#define HS_PLACEMENTS_MAX 500u

struct hs_occupancy_map {
    struct hs_arena arena;
    struct hs_occupancy_map_node *nodes;
    uint32_t *row_of_gpu; /* row of the table */
    uint32_t node_count, node_cap, gpu_count, gpu_cap;
    uint32_t rows, columns, nodes_a_row; /* the last row may have fewer */
    double *jobs_per_gpu;                /* rows x columns, means over the interval */
    double span_s, most;                 /* most: the largest of these */
    struct hs_placement placements[HS_PLACEMENTS_MAX];
    uint64_t segments; /* of the run; placements are complete up to HS_PLACEMENTS_MAX */
};
struct hs_occupancy_map_size {
    uint32_t rows_max, columns_min, columns_max, cells; /* as near to `cells` as the others allow */
    double span_s;                                      /* > 0 */
};
/* nodes.csv and segments.csv of the first run of the group. O(segments + cells). */
HS_MUST_USE enum hs_status hs_occupancy_map_read(struct hs_occupancy_map *map, struct hs_page *page,
                                                 const struct hs_page_group *group,
                                                 const struct hs_occupancy_map_size *size);
void hs_occupancy_map_free(struct hs_occupancy_map *map);

#endif
