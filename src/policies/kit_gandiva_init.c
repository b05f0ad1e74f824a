/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is there before the first job: servers, sums, and room for all that is worked out later.
 */
#include "policies/kit_gandiva.h"

const char *const hs_slicing_names[] = {"exact", "fluid", "auto", NULL};

static enum hs_status init_servers(struct hs_gandiva *g, const struct hs_view *v)
{
    uint32_t n = g->server_count = hs_view_nodes(v);
    g->servers = hs_view_alloc(v, (uint64_t)n * sizeof *g->servers);
    g->dirty = hs_view_alloc(v, (uint64_t)n * sizeof *g->dirty);
    g->gained = hs_view_alloc(v, (uint64_t)n * sizeof *g->gained);
    g->span_nodes = hs_view_alloc(v, (uint64_t)n * sizeof *g->span_nodes);
    g->span_gpus = hs_view_alloc(v, (uint64_t)n * sizeof *g->span_gpus);
    if (g->servers == NULL || g->dirty == NULL || g->gained == NULL || g->span_nodes == NULL ||
        g->span_gpus == NULL)
        return HS_E_MEMORY;
    g->narrowest = g->widest;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t gpus = hs_view_node_gpus(v, i);
        g->narrowest = gpus < g->narrowest ? gpus : g->narrowest;
        g->servers[i] = (struct hs_gandiva_server){.gpus = gpus,
                                                   .first_gpu = hs_view_node_first_gpu(v, i),
                                                   .head = HS_NO_JOB,
                                                   .tail = HS_NO_JOB};
    }
    HS_TRY(hs_gandiva_index_init(&g->by_height, v, n));
    HS_TRY(hs_gandiva_index_init(&g->by_free, v, n));
    HS_TRY(hs_gandiva_index_init(&g->unlabelled, v, n));
    return hs_gandiva_index_init(&g->by_excess, v, n);
}

/* Units of a server: their GPUs are at most max_height times its own and one for each of their
 * trials; were all groups broken up, each would be as many as it had members. */
static enum hs_status init_scratch(struct hs_gandiva *g, const struct hs_view *v)
{
    uint64_t units = ((uint64_t)g->max_height + 1) * (uint64_t)g->max_pack * g->widest, gpus = 0;
    for (uint32_t i = 0; i < g->server_count; i++)
        gpus += g->servers[i].gpus;
    g->ring = hs_view_alloc(v, units * sizeof *g->ring);
    g->movers = hs_view_alloc(v, units * sizeof *g->movers);
    g->targets = hs_view_alloc(v, units * sizeof *g->targets);
    g->levels = hs_view_alloc(v, (uint64_t)g->widest * sizeof *g->levels);
    g->pin_next = hs_view_alloc(v, gpus * sizeof *g->pin_next);
    g->pin_owner = hs_view_alloc(v, gpus * sizeof *g->pin_owner);
    if (g->ring == NULL || g->movers == NULL || g->targets == NULL || g->levels == NULL ||
        g->pin_next == NULL || g->pin_owner == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < g->pool_count; i++)
        g->pools[i].gpus = g->pool_count > 1 ? hs_view_total_gpus(v, i) : gpus;
    return HS_OK;
}

static enum hs_status init_queues(struct hs_gandiva *g, const struct hs_view *v)
{
    uint64_t queues = (uint64_t)g->vcs * g->sizes;
    g->queues = hs_view_alloc(v, queues * sizeof *g->queues);
    g->waits = hs_view_alloc(v, (queues / 64 + 1) * sizeof *g->waits);
    g->fresh = hs_view_alloc(v, queues * sizeof *g->fresh);
    g->heads = hs_view_alloc(v, queues * sizeof *g->heads);
    bool has_all = g->queues != NULL && g->waits != NULL && g->fresh != NULL && g->heads != NULL;
    return has_all ? HS_OK : HS_E_MEMORY;
}

enum hs_status hs_gandiva_init(struct hs_gandiva *g, const struct hs_view *v)
{
    g->widest = hs_view_max_node_gpus(v);
    g->vcs = hs_view_vcs(v);
    g->sizes = g->widest + 2;
    g->pool_count = hs_view_vcs_are_apart(v) ? g->vcs : 1;
    g->spread.link_offset = offsetof(struct hs_gandiva_job, spread);
    g->keep_q32 = HS_GANDIVA_ONE_Q32 + (uint64_t)(g->keep_margin * (double)HS_GANDIVA_ONE_Q32);
    g->defrag_ppm = (uint32_t)(g->defrag_free * 1e6 + 0.5);
    g->max_speed_q32 = HS_GANDIVA_ONE_Q32;
    for (uint32_t t = 0; t < hs_view_gpu_types(v); t++)
        if (hs_view_type_speed_q32(v, t) > g->max_speed_q32)
            g->max_speed_q32 = hs_view_type_speed_q32(v, t);
    g->pools = hs_view_alloc(v, (uint64_t)g->pool_count * sizeof *g->pools);
    g->claimed = hs_view_alloc(v, (uint64_t)g->vcs * sizeof *g->claimed);
    g->has_arrival = hs_view_alloc(v, (uint64_t)g->vcs * sizeof *g->has_arrival);
    if (g->pools == NULL || g->claimed == NULL || g->has_arrival == NULL)
        return HS_E_MEMORY;
    HS_TRY(init_queues(g, v));
    HS_TRY(init_servers(g, v));
    return init_scratch(g, v);
}
