/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the jobs of a finished run were and when, from nodes.csv and segments.csv: jobs per GPU by
 * node and interval of time, in a table whose size does not depend on the jobs, and the placements
 * themselves where they are few. O(segments + cells).
 */
#ifndef HORUS_REPORT_PLACEMAP_H
#define HORUS_REPORT_PLACEMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "report/page.h"

struct hs_placemap_node {
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

struct hs_placemap {
    struct hs_arena arena;
    struct hs_placemap_node *nodes;
    uint32_t *row_of_gpu; /* row of the table */
    uint32_t node_count, node_cap, gpu_count, gpu_cap;
    uint32_t rows, columns, nodes_a_row; /* the last row may have fewer */
    double *jobs_per_gpu;                /* rows x columns, means over the interval */
    double span_s, most;                 /* most: the largest of these */
    struct hs_placement placements[HS_PLACEMENTS_MAX];
    uint64_t segments; /* of the run; placements are complete up to HS_PLACEMENTS_MAX */
};

struct hs_placemap_size {
    uint32_t rows_max, columns_min, columns_max, cells; /* as near to `cells` as the others allow */
    double span_s;                                      /* > 0 */
};

/* Of the first run of the group. */
HS_MUST_USE enum hs_status hs_placemap_read(struct hs_placemap *map, struct hs_page *page,
                                            const struct hs_page_group *group,
                                            const struct hs_placemap_size *size);
void hs_placemap_free(struct hs_placemap *map);

/* The next interval of a set such as "0-3 6 8-9"; false at its end, and *text is NULL if it is no
 * such set. */
bool hs_gpuset_next(const char **text, uint32_t *first, uint32_t *last);

#endif
