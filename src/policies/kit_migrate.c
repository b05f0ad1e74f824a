/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_migrate.h. O(GPUs) at most once in `every`, and only while a GPU is idle.
 */
#include "policies/kit_migrate.h"

#define CROWDED 3 /* tenants: "more than two" */

uint32_t hs_migrate_can(const struct hs_migrate *m)
{
    return m->is_on ? HS_CAN_MIGRATE : 0;
}

const char *hs_migrate_name(const struct hs_migrate *m)
{
    return m->is_on ? "migrate" : "none";
}

const char *hs_migrate_cost_name(const struct hs_migrate *m)
{
    return m->is_on ? "memory" : "none";
}

/* 0.3 s + 1.6 s/GB within a server, + 2.4 s/GB across (model.md 7); a MiB is 1.048576e-3 GB. */
static int64_t pause_us(int64_t mem_mib, bool is_across)
{
    int64_t ms_per_gb = is_across ? 1600 + 2400 : 1600;
    return 300000 + mem_mib * ms_per_gb * 1048576 / 1000000;
}

/* The busiest single-GPU job on a crowded GPU, ties to the first GPU and the later tenant. */
static hs_job_id busiest(const struct hs_view *v, uint32_t *gpu)
{
    hs_job_id best = HS_NO_JOB;
    int32_t most_pm = -1;
    uint32_t gpus = hs_view_node_first_gpu(v, hs_view_nodes(v) - 1) +
                    hs_view_node_gpus(v, hs_view_nodes(v) - 1);
    for (uint32_t g = 0; g < gpus; g++) {
        if (hs_view_gpu_tenants(v, g) < CROWDED)
            continue;
        for (uint32_t i = 0; i < hs_view_gpu_tenants(v, g); i++) {
            hs_job_id job = hs_view_gpu_tenant(v, g, i);
            if (hs_view_gpus(v, job) != 1 || hs_view_util_pm(v, job) <= most_pm)
                continue;
            most_pm = hs_view_util_pm(v, job);
            best = job;
            *gpu = g;
        }
    }
    return best;
}

void hs_migrate_decide(struct hs_migrate *m, const struct hs_view *v, struct hs_plan *p)
{
    uint32_t from = HS_NO_GPU;
    if (!m->is_on || hs_view_now_us(v) < m->next_us)
        return;
    hs_job_id job = busiest(v, &from);
    uint32_t node = job == HS_NO_JOB ? HS_NO_NODE : hs_view_best_fit(v, job, 1);
    if (node == HS_NO_NODE)
        return;
    uint32_t first = hs_view_node_first_gpu(v, node);
    bool is_across = from < first || from >= first + hs_view_node_gpus(v, node);
    uint32_t to = hs_view_idle_gpu(v, node, 0);
    hs_plan_migrate(p, job, pause_us(hs_view_gpu_mem_mib(v, job), is_across));
    hs_plan_on_gpu(p, to);
    m->next_us = hs_view_now_us(v) + m->every_us;
}
