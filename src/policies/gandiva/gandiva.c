/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gandiva (Xiao et al., OSDI'18; README.md): parameters, events, and one decision, whose order is:
 * trials and turns that are over, the queue, moves, what is due at a look of the introspection (at
 * multiples of `introspect`), then what runs on each server that changed.
 */
#include "policies/gandiva/gandiva.h"

#define EVERY_SERVER UINT64_MAX /* tag of the timer for defragmentation; other tags are servers */

static const char *const slicing_names[] = {"exact", "fluid", "auto", NULL};

static void gandiva_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_gandiva *g = state;
    bool packs = g->slices && g->packs;
    bool may_share_time = g->slices && g->slicing != HS_SLICING_EXACT;
    *can = (g->slices ? HS_CAN_PREEMPT | HS_CAN_TIME : 0) |
           (may_share_time ? HS_CAN_SLICE | HS_CAN_COLOCATE : 0) | (packs ? HS_CAN_COLOCATE : 0) |
           (g->migrates ? HS_CAN_MIGRATE : 0) | (g->defrags ? HS_CAN_MIGRATE | HS_CAN_TIME : 0) |
           (g->grows ? HS_CAN_MIGRATE | HS_CAN_RESIZE | HS_CAN_TIME : 0);
    *knows = (packs ? HS_KNOWS_MEMORY | HS_KNOWS_UTILIZATION | HS_KNOWS_RATE : 0) |
             (may_share_time ? HS_KNOWS_MEMORY : 0) | (g->migrates || g->grows ? HS_KNOWS_RATE : 0);
}

static uint32_t gandiva_tenants(const void *state)
{
    return (uint32_t)((const struct hs_gandiva *)state)->max_pack;
}

/* ---- before the run ---- */

/* Also scratch for the units of a server: their GPUs are at most max_height times its own and one
 * for each of their trials; if all groups were broken up, each would be as many units as it had
 * members. */
static void init_servers(struct hs_gandiva *g, const struct hs_view *v)
{
    uint32_t n = g->server_count = v->nodes;
    g->servers = hs_view_alloc(v, (uint64_t)n * sizeof *g->servers);
    g->dirty = hs_view_alloc(v, (uint64_t)n * sizeof *g->dirty);
    g->gained = hs_view_alloc(v, (uint64_t)n * sizeof *g->gained);
    g->span_nodes = hs_view_alloc(v, (uint64_t)n * sizeof *g->span_nodes);
    g->span_gpus = hs_view_alloc(v, (uint64_t)n * sizeof *g->span_gpus);
    g->narrowest = g->widest;
    uint64_t all_gpus = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t gpus = hs_view_node(v, i)->gpus;
        all_gpus += gpus;
        g->narrowest = gpus < g->narrowest ? gpus : g->narrowest;
        g->servers[i] = (struct hs_gandiva_server){.gpus = gpus,
                                                   .first_gpu = hs_view_node(v, i)->first_gpu,
                                                   .head = HS_NO_JOB,
                                                   .tail = HS_NO_JOB};
    }
    hs_gandiva_index_init(&g->by_height, v, n);
    hs_gandiva_index_init(&g->by_free, v, n);
    hs_gandiva_index_init(&g->unlabelled, v, n);
    hs_gandiva_index_init(&g->by_excess, v, n);
    uint64_t units = ((uint64_t)g->max_height + 1) * (uint64_t)g->max_pack * g->widest;
    g->turns = hs_view_alloc(v, units * sizeof *g->turns);
    g->movers = hs_view_alloc(v, units * sizeof *g->movers);
    g->targets = hs_view_alloc(v, units * sizeof *g->targets);
    g->levels = hs_view_alloc(v, (uint64_t)g->widest * sizeof *g->levels);
    g->pin_next = hs_view_alloc(v, all_gpus * sizeof *g->pin_next);
    g->pin_owner = hs_view_alloc(v, all_gpus * sizeof *g->pin_owner);
    for (uint32_t i = 0; i < g->pool_count; i++)
        g->pools[i].gpus = g->pool_count > 1 ? hs_view_total_gpus(v, i) : all_gpus;
}

static enum hs_status gandiva_init(void *state, const struct hs_view *v)
{
    struct hs_gandiva *g = state;
    g->packs = g->packs && g->slices; /* without slicing no server is over-subscribed */
    if (g->max_pack > v->max_tenants)
        g->max_pack = v->max_tenants;
    g->widest = v->max_node_gpus;
    g->vcs = v->vcs;
    g->sizes = g->widest + 2;
    g->pool_count = v->vcs_are_apart ? g->vcs : 1;
    g->spread.link_offset = offsetof(struct hs_gandiva_job, spread);
    g->keep_q32 = HS_GANDIVA_ONE_Q32 + (uint64_t)(g->keep_margin * (double)HS_GANDIVA_ONE_Q32);
    g->defrag_ppm = (uint32_t)(g->defrag_free * 1e6 + 0.5);
    g->max_speed_q32 = HS_GANDIVA_ONE_Q32;
    for (uint32_t t = 0; t < v->gpu_types; t++)
        if (hs_view_gpu_type(v, t)->speed_q32 > g->max_speed_q32)
            g->max_speed_q32 = hs_view_gpu_type(v, t)->speed_q32;
    uint64_t queues = (uint64_t)g->vcs * g->sizes;
    g->pools = hs_view_alloc(v, (uint64_t)g->pool_count * sizeof *g->pools);
    g->claimed = hs_view_alloc(v, (uint64_t)g->vcs * sizeof *g->claimed);
    g->queues = hs_view_alloc(v, queues * sizeof *g->queues);
    g->waits = hs_view_alloc(v, (queues / 64 + 1) * sizeof *g->waits);
    g->heads = hs_view_alloc(v, queues * sizeof *g->heads);
    g->limits = hs_view_alloc(v, queues * sizeof *g->limits);
    init_servers(g, v);
    return HS_OK;
}

/* ---- events ---- */

static void submitted(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    *j = (struct hs_gandiva_job){.first_pin = HS_NO_GPU};
    j->is_elastic = g->grows && hs_view_gpus_max(v, job) > hs_view_gpus(v, job) &&
                    hs_view_quota(v, hs_view_vc(v, job)) == UINT64_MAX;
    if (!g->has_job)
        g->priority = hs_view_priority(v, job);
    g->has_priorities = g->has_priorities || hs_view_priority(v, job) != g->priority;
    g->has_job = true;
    hs_gandiva_enqueue(g, v, job);
}

static void gandiva_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_gandiva *g = state;
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        submitted(g, v, job);
        break;
    case HS_EVENT_FINISH:
        if (hs_gandiva_job(v, job)->where == HS_GANDIVA_WAITS)
            hs_gandiva_dequeue(g, v, job);
        hs_gandiva_leave(g, v, job);
        break;
    case HS_EVENT_STOPPED: /* not by a plan: its GPU ran out of memory */
        if (hs_gandiva_job(v, job)->is_running) {
            hs_gandiva_leave(g, v, job);
            hs_gandiva_enqueue(g, v, job);
        }
        break;
    case HS_EVENT_STEP:
        if (hs_gandiva_job(v, job)->is_awaited)
            hs_gandiva_touch(g, hs_gandiva_job(v, job)->server);
        hs_gandiva_job(v, job)->is_awaited = false;
        break;
    case HS_EVENT_TIMER:
        if (event->tag != EVERY_SERVER &&
            g->servers[event->tag].alarm_us == hs_view_now_us(v)) { /* no later one was set */
            g->servers[event->tag].alarm_us = 0;
            hs_gandiva_touch(g, (uint32_t)event->tag);
        }
        break;
    case HS_EVENT_MEMORY:
        if (hs_gandiva_job(v, job)->where == HS_GANDIVA_ON_SERVER)
            g->servers[hs_gandiva_job(v, job)->server].may_burst = true;
        break;
    case HS_EVENT_STARTED:
    case HS_EVENT_PROGRESS:
        break;
    }
}

/* ---- decisions ---- */

/* Ends trials and turns that are over. */
static void end_turns(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p)
{
    for (uint32_t i = 0; i < g->dirty_count; i++) {
        uint32_t server = g->dirty[i];
        if (g->servers[server].trials > 0)
            hs_gandiva_judge_trials(g, v, p, server);
        if (!g->servers[server].is_over || g->servers[server].is_processor_sharing)
            continue;
        hs_job_id next, u = g->servers[server].head;
        for (uint32_t n = g->servers[server].units; n > 0; n--, u = next) {
            struct hs_gandiva_job *l = hs_gandiva_job(v, u);
            next = l->next;
            if (l->deadline_us == 0 || l->deadline_us > hs_view_now_us(v))
                continue;
            l->ended_us = l->deadline_us;
            l->deadline_us = 0;
            hs_gandiva_to_tail(g, v, u);
        }
    }
}

static void fill_free_gpus(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p)
{
    bool has_moved = false;
    hs_gandiva_scan(g, v, p);
    for (uint32_t pool = 0; pool < g->pool_count && g->migrates; pool++)
        if (g->pools[pool].has_gained)
            has_moved = hs_gandiva_reduce_heights(g, v, p, pool) || has_moved;
    if (g->migrates && g->gained_count > 0)
        has_moved = hs_gandiva_gather(g, v, p) || has_moved;
    if (has_moved)
        hs_gandiva_scan(g, v, p);
}

static void introspect(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v);
    if (now_us == 0 || now_us % g->introspect_us != 0)
        return;
    for (uint32_t i = 0; i < g->dirty_count && g->packs; i++) {
        struct hs_gandiva_server *s = &g->servers[g->dirty[i]];
        if (s->is_over && (s->is_changed || s->look_us == now_us))
            hs_gandiva_look_for_pairs(g, v, g->dirty[i]);
    }
    for (uint32_t pool = 0; pool < g->pool_count && g->defrags; pool++)
        if (g->pools[pool].is_defrag_due) {
            hs_gandiva_defragment(g, v, p, pool);
            hs_gandiva_scan(g, v, p);
        }
}

static int64_t earlier(int64_t a_us, int64_t b_us)
{
    return b_us > 0 && b_us < a_us ? b_us : a_us;
}

/* Sets the timer for the next time at which something is due on the server. */
static void set_alarm(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                      uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    int64_t at_us = s->idle_since_us + g->grow_idle_us;
    if (!g->grows || s->elastic == 0 || s->is_over || at_us <= hs_view_now_us(v) ||
        hs_view_node_free(v, server) == 0)
        at_us = INT64_MAX; /* no job may grow before something changes */
    if (s->is_over)
        at_us = earlier(at_us, s->look_us);
    for (hs_job_id u = s->is_over || s->trials > 0 ? s->head : HS_NO_JOB; u != HS_NO_JOB;
         u = hs_gandiva_job(v, u)->next) {
        const struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        at_us = earlier(at_us, l->deadline_us);
        at_us = earlier(at_us, l->trial != HS_NO_JOB ? l->trial_until_us : 0);
    }
    if (at_us == INT64_MAX || (s->alarm_us > 0 && s->alarm_us <= at_us))
        return;
    hs_plan_timer(p, at_us, server);
    s->alarm_us = at_us;
}

static enum hs_status gandiva_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_gandiva *g = state;
    int64_t look_us = hs_gandiva_next_look_us(g, hs_view_now_us(v));
    g->plan++;
    end_turns(g, v, p);
    fill_free_gpus(g, v, p);
    introspect(g, v, p);
    for (uint32_t i = 0; i < g->dirty_count; i++) {
        struct hs_gandiva_server *s = &g->servers[g->dirty[i]];
        if (s->may_burst && s->jobs > s->units)
            hs_gandiva_break_up(g, v, g->dirty[i]);
        if (g->packs && s->is_over && s->is_changed)
            s->look_us = look_us;
        hs_gandiva_slice(g, v, p, g->dirty[i]);
        hs_gandiva_grow(g, v, p, g->dirty[i]);
        set_alarm(g, v, p, g->dirty[i]);
    }
    for (uint32_t i = 0; i < g->dirty_count; i++)
        g->servers[g->dirty[i]].is_dirty = false;
    for (uint32_t i = 0; i < g->gained_count; i++)
        g->servers[g->gained[i]].has_gained = false;
    g->dirty_count = g->gained_count = 0;
    bool is_due = false;
    for (uint32_t pool = 0; pool < g->pool_count; pool++) {
        g->pools[pool].has_gained = false;
        is_due = is_due || (g->pools[pool].is_defrag_due && g->pools[pool].free_gpus > 0);
    }
    if (g->defrags && is_due && g->defrag_alarm_us != look_us) {
        hs_plan_timer(p, look_us, EVERY_SERVER);
        g->defrag_alarm_us = look_us;
    }
    return HS_OK;
}

static void gandiva_semantics(const void *state, struct hs_semantics *out)
{
    const struct hs_gandiva *g = state;
    static const char *const turns[] = {"quanta", "shares of time", "quanta or shares of time"};
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = "fit",
                                 .placement = "affinity and height",
                                 .preemption = g->slices ? turns[g->slicing] : "none",
                                 .cost = "fixed for a switch, by size for a move"};
}

/* ---- invariants, O(live jobs) ---- */

static bool is_placed(const struct hs_view *v, hs_job_id job)
{
    enum hs_job_state state = hs_view_state(v, job);
    return state == HS_JOB_STARTING || state == HS_JOB_RUNNING || state == HS_JOB_MIGRATING;
}

static const char *check_member(const struct hs_view *v, uint32_t server, hs_job_id leader,
                                hs_job_id job)
{
    const struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    if (j->where != HS_GANDIVA_ON_SERVER || j->server != server)
        return "a ring holds a job of another server";
    if (j->leader != leader)
        return "a packed job has another leader";
    if (j->is_running != is_placed(v, job) || (j->held > 0) != j->is_running)
        return "a job of a ring runs although it should not, or the other way round";
    if (j->is_running && j->held != hs_view_gpus_held(v, job))
        return "a job of a ring holds other GPUs than it should";
    return NULL;
}

/* Sums over the ring of a server. */
struct server_sums {
    uint32_t units, jobs, trials;
    uint64_t demand;
    bool waits, is_awaited; /* a job for its turn; a mini-batch to end */
};

static const char *check_ring(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                              struct server_sums *sums)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id before = HS_NO_JOB;
    for (hs_job_id u = s->head; u != HS_NO_JOB; before = u, u = hs_gandiva_job(v, u)->next) {
        const struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        uint32_t members = 0;
        for (hs_job_id m = u; m != HS_NO_JOB; m = hs_gandiva_job(v, m)->member, members++) {
            const char *broken = check_member(v, server, u, m);
            if (broken != NULL)
                return broken;
            sums->is_awaited = sums->is_awaited || hs_gandiva_job(v, m)->is_awaited;
        }
        if (members != l->members || members > (uint64_t)g->max_pack)
            return "a group has other members than it counts, or too many";
        if (members > 1 && hs_view_gpus(v, u) != 1)
            return "gangs are packed";
        if (l->prev != before)
            return "a ring is torn";
        sums->units++;
        sums->jobs += members;
        sums->trials += l->trial != HS_NO_JOB;
        sums->demand += hs_view_gpus(v, u);
        sums->waits =
            sums->waits || (members == 1 && !l->is_running && !hs_view_is_constrained(v, u));
    }
    return before == s->tail ? NULL : "a ring is torn at its end";
}

static bool counts_right(const struct hs_gandiva *g, const struct hs_gandiva_server *s,
                         const struct server_sums *sums)
{
    uint32_t pinned = 0;
    for (uint32_t gpu = s->first_gpu; gpu < s->first_gpu + s->gpus; gpu++)
        pinned += g->pin_owner[gpu] != 0;
    return sums->units == s->units && sums->jobs == s->jobs && pinned == s->pinned &&
           sums->demand + pinned == s->demand && sums->trials == s->trials;
}

static const char *check_server(const struct hs_gandiva *g, const struct hs_view *v,
                                uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    struct server_sums sums = {0};
    const char *broken = check_ring(g, v, server, &sums);
    if (broken != NULL)
        return broken;
    if (!counts_right(g, s, &sums))
        return "a server counts other jobs or GPUs than it has";
    if (hs_gandiva_is_empty(s) && s->affinity != 0)
        return "an empty server has an affinity";
    if (hs_gandiva_is_empty(s) == (g->by_free.keys[server] != UINT64_MAX))
        return "an index has empty servers, or has not all others";
    /* except where groups were broken up because their memory grew */
    if (!s->may_burst && s->demand > (uint64_t)(g->max_height + 1) * s->gpus)
        return "a server is higher than it may be";
    /* but for the GPU of one that stops, or while the engine is about to end one */
    if (!s->is_over && sums.waits && !sums.is_awaited && !s->is_processor_sharing)
        return "a job waits for its turn on a server that has room for all";
    return NULL;
}

static const char *gandiva_check(const void *state, const struct hs_view *v)
{
    const struct hs_gandiva *g = state;
    const char *broken = NULL;
    for (uint32_t i = 0; i < g->server_count && broken == NULL; i++)
        broken = check_server(g, v, i);
    for (uint32_t i = 0; i < g->vcs * g->sizes && broken == NULL; i++) {
        const struct hs_job_queue *queue = &g->queues[i];
        broken = hs_waiting_check(queue, v);
        for (hs_job_id j = hs_job_queue_first(queue, v); j != HS_NO_JOB;
             j = hs_job_queue_next(queue, v, j))
            if (hs_gandiva_job(v, j)->where != HS_GANDIVA_WAITS)
                return "a waiting queue holds a job that does not wait";
    }
    for (hs_job_id j = hs_job_queue_first(&g->spread, v); j != HS_NO_JOB;
         j = hs_job_queue_next(&g->spread, v, j))
        if (hs_gandiva_job(v, j)->where != HS_GANDIVA_SPREAD || !is_placed(v, j))
            return "a job that is said to be spread is not, or does not run";
    return broken;
}

/* ---- the record ---- */

#define PAPER "Xiao et al., Gandiva, OSDI'18"
static const struct hs_param params[] = {
    HS_PARAM_FLAG(struct hs_gandiva, slices, "slice", "yes",
                  "put more jobs on a server than it has GPUs; they take turns", .source = PAPER),
    HS_PARAM_FLAG(struct hs_gandiva, packs, "pack", "yes",
                  "with slice: try jobs on one GPU, and keep those that gain", .source = PAPER),
    HS_PARAM_FLAG(struct hs_gandiva, migrates, "migrate", "yes",
                  "when GPUs fall free: lower heights, gather spread gangs", .source = PAPER),
    HS_PARAM_FLAG(struct hs_gandiva, defrags, "defrag", "yes",
                  "empty servers of which a large part is free", .source = PAPER),
    HS_PARAM_FLAG(struct hs_gandiva, grows, "grow", "yes",
                  "elastic jobs take idle GPUs of their server", .source = PAPER),
    HS_PARAM_CHOICE(struct hs_gandiva, slicing, "slicing", "auto", slicing_names,
                    "turns by quanta, as shares of time, or shares while many jobs are sliced"),
    HS_PARAM_INT(struct hs_gandiva, fluid_above, "fluid_above", "1000", 0, 1e9,
                 "slicing=auto: while so many are sliced, servers that change go by shares",
                 .unit = "jobs"),
    HS_PARAM_INT(struct hs_gandiva, max_height, "max_height", "4", 1, 16,
                 "GPUs asked of a server, in turns, for each that it has"),
    HS_PARAM_DURATION(struct hs_gandiva, quantum_us, "quantum", "60s", 1, 86400, "length of a turn",
                      .source = PAPER ": 60 s"),
    HS_PARAM_DURATION(struct hs_gandiva, switch_us, "switch", "0.1s", 0, 3600,
                      "what suspending and resuming costs, at the resume",
                      .source = PAPER ": below 0.1 s, up to 1 s for large translation models"),
    HS_PARAM_FLAG(struct hs_gandiva, arrival_front, "arrival_front", "yes",
                  "a new job is the first in the turns of its server, not the last",
                  .source = PAPER),
    HS_PARAM_DURATION(struct hs_gandiva, introspect_us, "introspect", "60s", 1, 86400,
                      "time between looks for jobs to pack and servers to empty"),
    HS_PARAM_DURATION(struct hs_gandiva, trial_us, "trial", "60s", 1, 86400,
                      "for how long jobs are packed on trial"),
    HS_PARAM_INT(struct hs_gandiva, profile_steps, "profile_steps", "20", 0, 1e6,
                 "a job does alone, besides one quantum, before it is packed",
                 .unit = "mini-batches"),
    HS_PARAM_REAL(struct hs_gandiva, keep_margin, "keep_margin", "0", 0, 15,
                  "packed jobs stay so if together they do more than 1 + this of one alone"),
    HS_PARAM_INT(struct hs_gandiva, max_pack, "max_pack", "8", 1, 16, "packed on one GPU at most",
                 .unit = "jobs", .source = "VAE's gain in Gandiva's Table 1 takes more than five"),
    HS_PARAM_REAL(struct hs_gandiva, defrag_free, "defrag_free", "0.75", 0.01, 1,
                  "part of a server that is free for it to be emptied",
                  .source = PAPER ": 3 GPUs of 4"),
    HS_PARAM_DURATION(struct hs_gandiva, grow_idle_us, "grow_idle", "300s", 0, 1e6,
                      "for how long GPUs are idle before a job grows",
                      .source = PAPER ", Fig. 11: about 5 minutes"),
    HS_PARAM_DURATION(struct hs_gandiva, migrate_us, "migrate_base", "0.3s", 0, 3600,
                      "pause of a job that moves or grows, and",
                      .source = "fitted to Gandiva's Fig. 13"),
    HS_PARAM_DURATION(struct hs_gandiva, migrate_intra_us, "migrate_intra", "1.6s", 0, 3600,
                      "for each GB of its checkpoint within a server,",
                      .source = "fitted to Gandiva's Fig. 13"),
    HS_PARAM_DURATION(struct hs_gandiva, migrate_inter_us, "migrate_inter", "2.4s", 0, 3600,
                      "or to another server", .source = "fitted to Gandiva's Fig. 13"),
    {0}};

const struct hs_policy_ops hs_policy_gandiva = {
    .name = "gandiva",
    .summary = "turns on servers in excess, packing by trial, moves, growth; knows no run times",
    .cite = "Xiao et al., Gandiva, OSDI 2018",
    .can = HS_CAN_PREEMPT | HS_CAN_MIGRATE | HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_RESIZE |
           HS_CAN_TIME,
    .knows = HS_KNOWS_MEMORY | HS_KNOWS_UTILIZATION | HS_KNOWS_RATE,
    .params = params,
    .state_size = sizeof(struct hs_gandiva),
    .job_state_size = sizeof(struct hs_gandiva_job),
    .tenants = gandiva_tenants,
    .needs = gandiva_needs,
    .init = gandiva_init,
    .on_event = gandiva_event,
    .decide = gandiva_decide,
    .semantics = gandiva_semantics,
    .check = gandiva_check,
};
