/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Preemption costs.
 */
#include "policies/kit_cost.h"

enum { COST_FREE, COST_TABLE, COST_JOB, COST_RESTART, COST_CHECKPOINT };
const char *const hs_cost_names[] = {"free", "table", "job", "restart", "checkpoint", NULL};

/* The last entry of a shorter table serves all larger gangs. */
static int64_t table_us(const struct hs_durations *table, uint32_t gpus)
{
    uint32_t size_class = gpus <= 1 ? 0 : gpus <= 8 ? 1 : 2;
    if (table->count == 0)
        return 0;
    return table->us[size_class < table->count ? size_class : table->count - 1];
}

/* -1: not known. */
static int64_t own_us(const struct hs_preempt_cost *cost, const struct hs_view *v, hs_job_id job)
{
    if (cost->model == COST_JOB)
        return hs_view_preempt_cost_us(v, job);
    if (cost->model != COST_RESTART && cost->model != COST_CHECKPOINT)
        return -1;
    int64_t restart_us = hs_view_restart_us(v, job);
    if (cost->model == COST_RESTART || restart_us < 0)
        return restart_us;
    int64_t checkpoint_us = hs_view_checkpoint_us(v, job);
    return checkpoint_us < 0 ? -1 : checkpoint_us + restart_us;
}

int64_t hs_cost_us(const struct hs_preempt_cost *cost, const struct hs_view *v, hs_job_id job)
{
    if (cost->model == COST_FREE)
        return 0;
    int64_t us = own_us(cost, v, job);
    return us >= 0 ? us : table_us(&cost->table, hs_view_gpus(v, job));
}

const char *hs_cost_text(const struct hs_preempt_cost *cost, bool is_at_events)
{
    static const char *const at_events[] = {
        "restart at every event", "restart at every event, table at a resumption",
        "restart at every event, job at a resumption", "restart at every event and a resumption",
        "restart at every event, checkpoint at a resumption"};
    return is_at_events ? at_events[cost->model] : hs_cost_names[cost->model];
}
