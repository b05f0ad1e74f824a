/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines that fail, are drained, join, leave or are slow (model/machine.h, MODEL.md 13). A node
 * out of service offers no GPU; jobs that it stops come to the policy as submitted anew. An event
 * costs O(GPUs of the node), its jobs, and O(log nodes).
 */
#include "engine/state.h"

#include <math.h>

/* Why a node is out of service: bits. */
enum { IS_DOWN = 1u << 0, IS_DRAINED = 1u << 1, IS_ABSENT = 1u << 2 };

void hs_machines_know_holders(struct hs_engine *e)
{
    if (e->gpu_holder == NULL)
        e->gpu_holder =
            hs_arena_alloc(&e->arena, (uint64_t)e->cluster->gpu_count * sizeof *e->gpu_holder);
}

uint64_t *hs_machines_type_gpus(const struct hs_engine *e, uint32_t node)
{
    const struct hs_node *n = &e->cluster->nodes[node];
    const uint32_t pool = e->cluster->vc_mode == HS_VC_PARTITION ? n->vc : 0;
    return &e->type_gpus[pool * e->cluster->type_count + n->type];
}

/* In the index of free GPUs, and in the numbers of GPUs in service. */
static void set_service(struct hs_engine *e, uint32_t node, bool is_out)
{
    const uint64_t gpus = e->cluster->nodes[node].gpus;
    if (is_out != hs_free_is_out(e->free_index, node))
        *hs_machines_type_gpus(e, node) += is_out ? 0 - gpus : gpus;
    hs_free_set_out(e->free_index, node, is_out);
}

void hs_machines_open(struct hs_engine *e)
{
    const struct hs_machines *machines = e->config.machines;
    if (!hs_machines_are_any(machines))
        return;
    hs_machine_feed_open(&e->machine_feed, machines, e->cluster, &e->arena);
    const uint32_t nodes = e->cluster->node_count;
    e->machines = hs_arena_alloc(&e->arena, nodes * sizeof *e->machines);
    hs_machines_know_holders(e);
    for (uint32_t n = 0; n < nodes; n++)
        e->machines[n].speed_q32 = HS_Q32_ONE;
    for (uint32_t i = machines->count; i-- > 0;) /* the first event of each node decides */
        e->machines[machines->events[i].node].why_out =
            machines->events[i].change == HS_MACHINE_ADD ? IS_ABSENT : 0;
    for (uint32_t n = 0; n < nodes; n++)
        set_service(e, n, e->machines[n].why_out != 0);
}

/* Root of x < 2^100, rounded down. */
static uint64_t root(hs_u128 x)
{
    uint64_t r = (uint64_t)sqrt((double)x); /* too large or too small by one at most */
    r -= (hs_u128)r * r > x;
    return r + ((hs_u128)(r + 1) * (r + 1) <= x);
}

/* HS_YOUNG_DALY: sqrt(2 C M) (Young, CACM 17, 1974; Daly, Future Generation Computer Systems 22,
 * 2006), where C is the cost of a checkpoint and M the mean time to a failure of the gang, which
 * all its nodes and racks can stop: 1 / (nodes / mtbf + racks / rack_mtbf). Both are rounded down
 * to a microsecond. */
int64_t hs_checkpoint_interval_us(const struct hs_engine *e, const struct hs_job *job)
{
    if (e->config.checkpoint_us != HS_YOUNG_DALY)
        return e->config.checkpoint_us;
    const struct hs_fault_law *law = &e->config.machines->law;
    const uint64_t node_us = (uint64_t)law->mtbf_us, rack_us = (uint64_t)law->rack_mtbf_us;
    const uint64_t nodes = hs_run_of(&e->jobs, job)->nodes_spanned;
    hs_u128 gang_us = node_us / nodes;
    if (rack_us > 0) {
        const uint64_t racks = hs_progress_racks(e, job);
        gang_us = node_us > 0 ? (hs_u128)node_us * rack_us /
                                    ((hs_u128)nodes * rack_us + (hs_u128)racks * node_us)
                              : rack_us / racks;
    }
    const uint64_t us = root(2 * gang_us * (uint64_t)e->config.checkpoint_cost_us);
    return us > 0 ? (int64_t)us : 1;
}

uint64_t hs_checkpoint_speed_q32(const struct hs_engine *e, const struct hs_job *job)
{
    const uint64_t cost_us = (uint64_t)e->config.checkpoint_cost_us;
    const uint64_t us = cost_us > 0 ? (uint64_t)hs_checkpoint_interval_us(e, job) : 1;
    return (uint64_t)(((hs_u128)us << 32) / (us + cost_us));
}

/* Returns a job on the GPU, or NULL. */
static struct hs_job *holder_of(struct hs_engine *e, uint32_t gpu)
{
    if ((e->gpu_free[gpu / 64] >> (gpu % 64) & 1) != 0)
        return NULL;
    return hs_engine_job(e, e->is_exclusive
                                ? e->gpu_holder[gpu]
                                : e->jobs.allocations[e->gpus[gpu].first_allocation].job);
}

enum hs_status hs_machines_stop_jobs(struct hs_engine *e, uint32_t node, enum hs_segment_end why)
{
    const struct hs_node *n = &e->cluster->nodes[node];
    for (uint32_t gpu = n->first_gpu; gpu < n->first_gpu + n->gpus; gpu++)
        for (struct hs_job *job; (job = holder_of(e, gpu)) != NULL;)
            HS_TRY(hs_lifecycle_interrupt(e, job, why));
    return HS_OK;
}

static void set_speed(struct hs_engine *e, uint32_t node, uint64_t speed_q32)
{
    const struct hs_node *n = &e->cluster->nodes[node];
    struct hs_machine *machine = &e->machines[node];
    e->slow_nodes += speed_q32 != HS_Q32_ONE;
    e->slow_nodes -= machine->speed_q32 != HS_Q32_ONE;
    machine->speed_q32 = speed_q32;
    for (uint32_t gpu = n->first_gpu; gpu < n->first_gpu + n->gpus; gpu++) {
        struct hs_job *job = holder_of(e, gpu);
        const struct hs_allocation *a = e->is_exclusive ? NULL : hs_gpu_first(e, &e->gpus[gpu]);
        while (job != NULL) {
            hs_progress_sync(e, job);
            hs_progress_touch(e, job);
            a = a != NULL ? hs_gpu_next(e, a) : NULL;
            job = a != NULL ? hs_tenant(e, a) : NULL;
        }
    }
}

/* Updates the indexes after the node went out of service or came back. */
static void set_out(struct hs_engine *e, uint32_t node, uint8_t why_out)
{
    const struct hs_node *n = &e->cluster->nodes[node];
    struct hs_machine *machine = &e->machines[node];
    const bool changes = (why_out != 0) != (machine->why_out != 0);
    machine->why_out = why_out;
    if (!changes)
        return;
    set_service(e, node, why_out != 0);
    e->releases += why_out == 0; /* there is new room */
    for (uint32_t gpu = n->first_gpu; gpu < n->first_gpu + n->gpus; gpu++)
        hs_tentative_refresh(e, gpu);
}

static enum hs_status apply(struct hs_engine *e, const struct hs_machine_event *event)
{
    const uint32_t node = event->node;
    const uint8_t why_out = e->machines[node].why_out;
    const bool is_fault = event->change == HS_MACHINE_DOWN || event->change == HS_MACHINE_REMOVE;
    e->figures.events++;
    switch (event->change) {
    case HS_MACHINE_DOWN:
        set_out(e, node, why_out | IS_DOWN);
        break;
    case HS_MACHINE_REMOVE:
        set_out(e, node, IS_ABSENT);
        break;
    case HS_MACHINE_CORDON:
    case HS_MACHINE_DRAIN:
        set_out(e, node, why_out | IS_DRAINED);
        break;
    case HS_MACHINE_UP:
    case HS_MACHINE_ADD:
        set_out(e, node, 0);
        break;
    case HS_MACHINE_SLOW:
        break;
    }
    if (is_fault)
        HS_TRY(hs_machines_stop_jobs(e, node, HS_SEGMENT_FAULT));
    else if (event->change == HS_MACHINE_DRAIN && (e->can & HS_CAN_PREEMPT) != 0)
        HS_TRY(hs_machines_stop_jobs(e, node, HS_SEGMENT_DRAIN));
    if (event->change == HS_MACHINE_SLOW)
        set_speed(e, node, event->speed_q32);
    else if (e->machines[node].why_out == 0 || event->change == HS_MACHINE_REMOVE)
        set_speed(e, node, HS_Q32_ONE);
    hs_lifecycle_notify_policy(e, HS_EVENT_NODE, NULL, node);
    return HS_OK;
}

enum hs_status hs_machines_apply(struct hs_engine *e)
{
    while (hs_machines_next_us(e) == e->now_us) {
        HS_TRY(apply(e, hs_machine_feed_next(e->machine_feed)));
        hs_machine_feed_advance(e->machine_feed);
    }
    return HS_OK;
}

uint64_t hs_view_type_gpus(const struct hs_view *v, uint32_t vc, uint32_t type)
{
    const uint32_t pool = v->vcs_are_apart ? vc : 0;
    const bool is_there = pool < v->vcs && type < v->gpu_types;
    return is_there ? v->engine->type_gpus[pool * v->gpu_types + type] : 0;
}

bool hs_view_in_service(const struct hs_view *v, uint32_t node)
{
    return node < v->nodes && !hs_free_is_out(v->engine->free_index, node);
}
