/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_migrate.h. O(GPUs) while a GPU is idle and nobody was moved within `every`.
 */
#include "policies/kit_migrate.h"

#define CROWDED         3 /* tenants: "more than two" */
#define UNKNOWN_UTIL_PM 1000

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

/* 0.3 s + 1.6 s/GB within a server, + 2.4 s/GB across (model.md 7); a MiB is 1.048576e-3 GB, and
 * 1048576 / 1000000 = 16384 / 15625. */
static int64_t pause_us(int64_t mem_mib, bool is_across)
{
    int64_t ms_per_gb = is_across ? 1600 + 2400 : 1600;
    return 300000 + mem_mib * ms_per_gb * 16384 / 15625;
}

static bool is_a_gpu_idle(const struct hs_view *v)
{
    bool is_idle = false;
    for (uint32_t vc = 0; vc < hs_view_vcs(v) && !is_idle; vc++)
        is_idle = hs_view_free_gpus(v, vc) > 0;
    return is_idle;
}

/* What moves: the busiest single-GPU job on a crowded GPU that an idle one could host, ties to the
 * first GPU and the later tenant. */
struct move {
    hs_job_id job; /* HS_NO_JOB = none */
    uint32_t from, to_node;
    int64_t util_pm;
};

static void consider(struct move *best, const struct hs_view *v, hs_job_id job, uint32_t gpu)
{
    int64_t util_pm = hs_view_util_pm(v, job);
    util_pm = util_pm >= 0 ? util_pm : UNKNOWN_UTIL_PM;
    if (hs_view_gpus(v, job) != 1 || util_pm <= best->util_pm)
        return;
    uint32_t node = hs_view_best_fit(v, job, 1);
    if (node != HS_NO_NODE)
        *best = (struct move){.job = job, .from = gpu, .to_node = node, .util_pm = util_pm};
}

static struct move best_move(const struct hs_view *v)
{
    struct move best = {.job = HS_NO_JOB, .util_pm = -1};
    uint32_t last = hs_view_nodes(v) - 1;
    uint32_t gpus = hs_view_node_first_gpu(v, last) + hs_view_node_gpus(v, last);
    for (uint32_t g = 0; g < gpus; g++)
        for (uint32_t i = 0, n = hs_view_gpu_tenants(v, g); n >= CROWDED && i < n; i++)
            consider(&best, v, hs_view_gpu_tenant(v, g, i), g);
    return best;
}

bool hs_migrate_decide(struct hs_migrate *m, const struct hs_view *v, struct hs_plan *p)
{
    if (!m->is_on || hs_view_now_us(v) < m->next_us || !is_a_gpu_idle(v))
        return false;
    const struct move move = best_move(v);
    if (move.job == HS_NO_JOB)
        return false;
    uint32_t first = hs_view_node_first_gpu(v, move.to_node);
    bool is_across = move.from < first || move.from >= first + hs_view_node_gpus(v, move.to_node);
    uint32_t to = hs_view_idle_gpu(v, move.to_node, 0);
    hs_plan_because(p, "the busiest on a crowded GPU: to an idle one");
    hs_plan_migrate(p, move.job, pause_us(hs_view_gpu_mem_mib(v, move.job), is_across));
    hs_plan_on_gpu(p, to);
    m->next_us = hs_view_now_us(v) + m->every_us;
    return true;
}
