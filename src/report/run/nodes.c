/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every GPU is booked when its tenants change, so that a shared GPU counts once as held however
 * many jobs are on it. Utilization is the proxy min(100 %, sum of the tenants' solo utilizations):
 * the value of the joint model for a single GPU is not handed to observers.
 */
#include "report/run/observers.h"

#include <string.h>

#include "base/memory.h"
#include "data/csvwrite.h"
#include "report/stats/exact.h"

#define FULL_PM 1000u

static void book(struct hs_nodes *n, struct hs_node_gpu *gpu, int64_t now_us)
{
    uint64_t dt = (uint64_t)(now_us - gpu->since_us);
    gpu->since_us = now_us;
    if (gpu->tenants == 0)
        return;
    struct hs_node_account *account = &n->accounts[gpu->node];
    account->held_us += dt;
    if (gpu->tenants > 1 && !gpu->is_divided)
        account->shared_us += dt;
    if (gpu->util_pm > 0)
        account->util_pm_us += (hs_u128)dt * (gpu->util_pm < FULL_PM ? gpu->util_pm : FULL_PM);
}

static uint32_t known_util_pm(const struct hs_job_record *job)
{
    return job->gpu_util_pm > 0 ? (uint32_t)job->gpu_util_pm : 0;
}

static enum hs_status on_start(void *ctx, int64_t now_us, const struct hs_job_record *job,
                               const uint32_t *gpus, uint32_t gpu_count)
{
    struct hs_nodes *n = ctx;
    uint32_t util_pm = known_util_pm(job), node = n->cluster->node_count;
    if (job->gpu_util_pm >= 0)
        n->has_util = true;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct hs_node_gpu *gpu = &n->gpus[gpus[i]];
        book(n, gpu, now_us);
        gpu->tenants++;
        gpu->is_divided = job->gpu_milli < HS_GPU_MILLI;
        gpu->util_pm += util_pm;
        if (gpu->node != node)
            n->accounts[gpu->node].placements++;
        node = gpu->node;
    }
    return HS_OK;
}

static enum hs_status on_segment(void *ctx, const struct hs_segment *segment)
{
    struct hs_nodes *n = ctx;
    uint32_t util_pm = known_util_pm(segment->job);
    for (uint32_t i = 0; i < segment->gpu_count; i++) {
        struct hs_node_gpu *gpu = &n->gpus[segment->gpus[i]];
        book(n, gpu, segment->end_us);
        gpu->tenants--;
        gpu->util_pm -= util_pm;
    }
    return HS_OK;
}

void hs_nodes_open(struct hs_nodes *n, const struct hs_cluster *cluster)
{
    *n = (struct hs_nodes){.cluster = cluster};
    n->gpus = hs_alloc_zeroed(cluster->gpu_count, sizeof *n->gpus);
    n->accounts = hs_alloc_zeroed(cluster->node_count, sizeof *n->accounts);
    for (uint32_t i = 0; i < cluster->node_count; i++)
        for (uint32_t g = 0; g < cluster->nodes[i].gpus; g++)
            n->gpus[cluster->nodes[i].first_gpu + g].node = i;
}

struct hs_observer hs_nodes_observer(struct hs_nodes *n)
{
    return (struct hs_observer){.ctx = n, .on_start = on_start, .on_segment = on_segment};
}

static void write_node(struct hs_csvw *w, const struct hs_nodes *n, uint32_t index, int64_t span_us)
{
    const struct hs_node *node = &n->cluster->nodes[index];
    const struct hs_node_account *account = &n->accounts[index];
    hs_u128 capacity_us = (hs_u128)node->gpus * (uint64_t)span_us;
    uint64_t unit = capacity_us > 0 ? UINT64_C(1000000) : 0; /* 0 = empty field */
    hs_csvw_u64(w, index);
    hs_csvw_text(w, node->name);
    hs_csvw_text(w, n->cluster->types[node->type].name);
    hs_csvw_u64(w, node->rack);
    hs_csvw_u64(w, node->gpus);
    hs_csvw_u64(w, account->placements);
    hs_csvw_seconds(w, (int64_t)account->held_us);
    hs_csvw_seconds(w, (int64_t)account->shared_us);
    hs_csvw_ratio(w, unit > 0 ? hs_exact_scaled(account->held_us, capacity_us, unit) : 0, unit, 6);
    if (!n->has_util)
        unit = 0;
    hs_csvw_ratio(w,
                  unit > 0 ? hs_exact_scaled(account->util_pm_us, capacity_us * FULL_PM, unit) : 0,
                  unit, 6);
    hs_csvw_end(w);
}

enum hs_status hs_nodes_write(const struct hs_nodes *n, const char *path, int64_t span_us,
                              struct hs_output_file *file, struct hs_diag *diag)
{
    struct hs_csvw w;
    HS_TRY(hs_csvw_open(&w, path,
                        "node,name,gpu_type,rack,gpus,placements,gpu_seconds,shared_gpu_seconds,"
                        "allocation,utilization",
                        diag));
    for (uint32_t i = 0; i < n->cluster->node_count; i++)
        write_node(&w, n, i, span_us);
    *file = hs_output_file_of(&w.out, "nodes.csv", w.rows);
    return hs_csvw_close(&w, diag);
}

void hs_nodes_free(struct hs_nodes *n)
{
    hs_free(n->gpus);
    hs_free(n->accounts);
    n->gpus = NULL;
    n->accounts = NULL;
}
