/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which column of a CSV file feeds which column of a trace: --map "submit_time=timestamp,..." or a
 * JSON file (`//` comments allowed):
 *
 *     {"columns": {"submit_time": "timestamp", "job_id": "@row", "user": null}, "time_unit": "s"}
 *
 * Columns that are not mapped keep their own names; null or an empty name leaves a column alone.
 */
#ifndef HORUS_TRACES_MAPPING_H
#define HORUS_TRACES_MAPPING_H

#include "base/memory.h"
#include "traces/table.h"

struct hs_mapping {
    struct hs_arena arena;                   /* of the names */
    const char *names[HS_TABLE_COLUMNS_MAX]; /* as hs_table_open takes them */
    int64_t time_unit_us;                    /* 0 = not said */
};

/* text NULL = no mapping. */
HS_MUST_USE enum hs_status hs_mapping_load(struct hs_mapping *mapping, const char *text,
                                           const struct hs_column *columns, uint32_t column_count,
                                           struct hs_diag *diag);
void hs_mapping_free(struct hs_mapping *mapping);

#endif
