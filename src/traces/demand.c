/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Demands of instances, added up. O(1) a row.
 */
#include "traces/demand.h"

#include <string.h>

#include "base/timeparse.h"
#include "horus/compiler.h"

#define THOUSANDTH (HS_DEMAND_ONE / 1000)

enum hs_status hs_demand_cell(const struct hs_table *table, uint32_t index, int64_t *millionths)
{
    size_t len;
    const char *text = hs_table_cell(table, index, &len);
    *millionths = 0;
    if (hs_cell_is_missing(text, len))
        return HS_OK;
    if (!hs_parse_decimal_us(text, len, HS_DEMAND_ONE, millionths))
        return hs_table_fail(table, index, HS_CELL_NOT_A_NUMBER);
    return *millionths < 0 ? hs_table_fail(table, index, HS_CELL_NEGATIVE) : HS_OK;
}

void hs_demand_gpus(struct hs_faults *faults, struct hs_trace_job *job, uint32_t instances,
                    int64_t gpu_millionths)
{
    bool is_share = gpu_millionths < HS_DEMAND_ONE;
    int64_t unit = is_share ? THOUSANDTH : HS_DEMAND_ONE;
    int64_t over = gpu_millionths % unit, units = gpu_millionths / unit + (over > 0);
    if (gpu_millionths == 0)
        instances = 0;
    faults->is_rounded = instances > 0 && over > 0;
    job->gpus = is_share ? instances : hs_demand_sum(instances, units * HS_DEMAND_ONE, 1);
    job->gpu_milli = is_share && instances > 0 ? (uint32_t)units : 1000;
}

uint32_t hs_demand_sum(uint32_t instances, int64_t millionths, uint32_t unit)
{
    const uint64_t one = (uint64_t)HS_DEMAND_ONE;
    hs_u128 sum = ((hs_u128)instances * (uint64_t)millionths * unit + one / 2) / one;
    return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

const char *hs_demand_type(const char *text)
{
    return text != NULL && !hs_cell_is_missing(text, strlen(text)) ? text : NULL;
}
