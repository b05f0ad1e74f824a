/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Preemption costs.
 */
#include "policies/kit_cost.h"

enum { COST_FREE, COST_TABLE, COST_JOB };
const char *const hs_cost_names[] = {"free", "table", "job", NULL};

/* The last entry of a shorter table serves all larger gangs. */
static int64_t table_us(const struct hs_durations *table, uint32_t gpus)
{
    uint32_t size_class = gpus <= 1 ? 0 : gpus <= 8 ? 1 : 2;
    if (table->count == 0)
        return 0;
    return table->us[size_class < table->count ? size_class : table->count - 1];
}

int64_t hs_cost_us(const struct hs_preempt_cost *cost, const struct hs_view *v, hs_job_id job)
{
    if (cost->model == COST_FREE)
        return 0;
    int64_t own_us = cost->model == COST_JOB ? hs_view_preempt_cost_us(v, job) : -1;
    return own_us >= 0 ? own_us : table_us(&cost->table, hs_view_gpus(v, job));
}
