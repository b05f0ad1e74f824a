/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gandiva (Xiao et al., OSDI'18): jobs are placed by affinity and height (Algorithm 1,
 * kit_gandiva_place.c), take turns where more is asked of a server than it has (kit_gandiva_ring.c,
 * by shares kit_gandiva_fluid.c), are packed by trial and undo (kit_gandiva_pack.c), move when GPUs
 * fall free (kit_gandiva_move.c), and grow on idle ones (kit_gandiva_grow.c). It knows nothing of
 * run times. Order of a decision: trials, turns, the queue, moves, what is due at a look of the
 * introspection (at multiples of `introspect`), then what runs on each server that changed.
 *
 * Our readings where the paper is silent:
 *     - weights are left out: traces have none. Priorities are strict, in turns as in shares
 *     - a gang that is spread over servers, because it is larger than one or was placed so, takes
 *       no turns: it keeps its GPUs until it ends or moves to one server
 *     - a height is limited (max_height): the paper's only limit is the memory of the host
 *     - GPUs that nobody asks for are free, not those that happen to be idle in a turn
 *     - under a quota what a job asks for counts from its placement on, turn or no turn
 */
#include "policies/kit_gandiva.h"

#define EVERY_SERVER UINT64_MAX /* tag of the timer of all, not of one server */

static bool is_fluid_possible(const struct hs_gandiva *g)
{
    return g->slices && g->slicing != HS_SLICING_EXACT;
}

static void gandiva_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_gandiva *g = state;
    bool packs = g->slices && g->packs;
    *can = (g->slices ? HS_CAN_PREEMPT | HS_CAN_TIME : 0) |
           (is_fluid_possible(g) ? HS_CAN_SLICE | HS_CAN_COLOCATE : 0) |
           (packs ? HS_CAN_COLOCATE : 0) | (g->migrates ? HS_CAN_MIGRATE : 0) |
           (g->defrags ? HS_CAN_MIGRATE | HS_CAN_TIME : 0) |
           (g->grows ? HS_CAN_MIGRATE | HS_CAN_RESIZE | HS_CAN_TIME : 0);
    *knows = (packs ? HS_KNOWS_MEMORY | HS_KNOWS_UTILIZATION | HS_KNOWS_RATE : 0) |
             (is_fluid_possible(g) ? HS_KNOWS_MEMORY : 0) |
             (g->migrates || g->grows ? HS_KNOWS_RATE : 0);
}

static enum hs_status gandiva_init(void *state, const struct hs_view *v)
{
    struct hs_gandiva *g = state;
    g->packs = g->packs && g->slices; /* nothing is in excess otherwise */
    if (g->max_pack > hs_view_max_tenants(v))
        g->max_pack = hs_view_max_tenants(v);
    return hs_gandiva_init(g, v);
}

static uint32_t gandiva_tenants(const void *state)
{
    return (uint32_t)((const struct hs_gandiva *)state)->max_pack;
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

static void timer_rang(struct hs_gandiva *g, const struct hs_view *v, uint64_t tag)
{
    if (tag == EVERY_SERVER)
        return;
    struct hs_gandiva_server *s = &g->servers[tag];
    if (s->alarm_us != hs_view_now_us(v)) /* one that was overtaken */
        return;
    s->alarm_us = 0;
    hs_gandiva_touch(g, (uint32_t)tag);
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
        timer_rang(g, v, event->tag);
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

/* What ended with this instant. */
static void end_spells(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p)
{
    for (uint32_t i = 0; i < g->dirty_count; i++) {
        uint32_t server = g->dirty[i];
        if (g->servers[server].trials > 0)
            hs_gandiva_judge_trials(g, v, p, server);
        if (g->servers[server].is_over && !g->servers[server].is_fluid)
            hs_gandiva_end_turns(g, v, server);
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

/* When the server is to be looked at next. */
static void set_alarm(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                      uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    int64_t at_us = hs_gandiva_grow_at_us(g, v, server);
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

static void settle(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                   uint32_t server)
{
    struct hs_gandiva_server *s = &g->servers[server];
    int64_t look_us = hs_gandiva_next_look_us(g, hs_view_now_us(v));
    if (s->may_burst && s->jobs > s->units)
        hs_gandiva_break_up(g, v, server);
    if (g->packs && s->is_over && s->is_changed)
        s->look_us = look_us;
    if (s->is_fluid)
        hs_gandiva_share_out(g, v, p, server);
    else
        hs_gandiva_dispatch(g, v, p, server);
    hs_gandiva_grow(g, v, p, server);
    set_alarm(g, v, p, server);
}

static void set_defrag_alarm(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p)
{
    int64_t look_us = hs_gandiva_next_look_us(g, hs_view_now_us(v));
    bool is_due = false;
    for (uint32_t pool = 0; pool < g->pool_count; pool++)
        is_due = is_due || (g->pools[pool].is_defrag_due && g->pools[pool].free_gpus > 0);
    if (!g->defrags || !is_due || g->defrag_alarm_us == look_us)
        return;
    hs_plan_timer(p, look_us, EVERY_SERVER);
    g->defrag_alarm_us = look_us;
}

static enum hs_status gandiva_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_gandiva *g = state;
    g->plan++;
    end_spells(g, v, p);
    fill_free_gpus(g, v, p);
    introspect(g, v, p);
    for (uint32_t i = 0; i < g->dirty_count; i++)
        settle(g, v, p, g->dirty[i]);
    for (uint32_t i = 0; i < g->dirty_count; i++)
        g->servers[g->dirty[i]].is_dirty = false;
    for (uint32_t i = 0; i < g->gained_count; i++)
        g->servers[g->gained[i]].has_gained = false;
    for (uint32_t pool = 0; pool < g->pool_count; pool++)
        g->pools[pool].has_gained = false;
    g->dirty_count = g->gained_count = 0;
    set_defrag_alarm(g, v, p);
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

static const char *gandiva_check(const void *state, const struct hs_view *v)
{
    return hs_gandiva_check(state, v);
}

#define SWITCH(key_text, field, preset_text, help_text)                                            \
    {                                                                                              \
        .key = (key_text), .type = HS_PARAM_FLAG, .offset = offsetof(struct hs_gandiva, field),    \
        .preset = (preset_text), .help = (help_text), .source = "Xiao et al., Gandiva, OSDI'18"    \
    }
#define SPAN(key_text, field, preset_text, least_s, most_s, help_text, source_text)                \
    {                                                                                              \
        .key = (key_text), .type = HS_PARAM_DURATION,                                              \
        .offset = offsetof(struct hs_gandiva, field), .preset = (preset_text), .min = (least_s),   \
        .max = (most_s), .help = (help_text), .source = (source_text)                              \
    }
#define NUMBER(key_text, field, preset_text, least, most, unit_text, help_text, source_text)       \
    {                                                                                              \
        .key = (key_text), .type = HS_PARAM_INT, .offset = offsetof(struct hs_gandiva, field),     \
        .preset = (preset_text), .min = (least), .max = (most), .unit = (unit_text),               \
        .help = (help_text), .source = (source_text)                                               \
    }

static const struct hs_param params[] = {
    SWITCH("slice", slices, "yes", "put more jobs on a server than it has GPUs; they take turns"),
    SWITCH("pack", packs, "yes", "with slice: try jobs on one GPU, and keep those that gain"),
    SWITCH("migrate", migrates, "yes", "when GPUs fall free: lower heights, gather spread gangs"),
    SWITCH("defrag", defrags, "yes", "empty servers of which a large part is free"),
    SWITCH("grow", grows, "yes", "elastic jobs take idle GPUs of their server"),
    {.key = "slicing",
     .type = HS_PARAM_CHOICE,
     .offset = offsetof(struct hs_gandiva, slicing),
     .preset = "auto",
     .choices = hs_slicing_names,
     .help = "turns by quanta, as shares of time, or shares while many jobs are sliced"},
    NUMBER("fluid_above", fluid_above, "1000", 0, 1e9, "jobs",
           "slicing=auto: while so many are sliced, servers that change go by shares", NULL),
    NUMBER("max_height", max_height, "4", 1, 16, NULL,
           "GPUs asked of a server, in turns, for each that it has", NULL),
    SPAN("quantum", quantum_us, "60s", 1, 86400, "length of a turn",
         "Xiao et al., Gandiva, OSDI'18: 60 s"),
    SPAN("switch", switch_us, "0.1s", 0, 3600, "what suspending and resuming costs, at the resume",
         "Xiao et al., Gandiva, OSDI'18: below 0.1 s, up to 1 s for large translation models"),
    SWITCH("arrival_front", arrival_front, "yes",
           "a new job is the first in the turns of its server, not the last"),
    SPAN("introspect", introspect_us, "60s", 1, 86400,
         "time between looks for jobs to pack and servers to empty", NULL),
    SPAN("trial", trial_us, "60s", 1, 86400, "for how long jobs are packed on trial", NULL),
    NUMBER("profile_steps", profile_steps, "20", 0, 1e6, "mini-batches",
           "a job does alone, besides one quantum, before it is packed", NULL),
    {.key = "keep_margin",
     .type = HS_PARAM_REAL,
     .offset = offsetof(struct hs_gandiva, keep_margin),
     .preset = "0",
     .min = 0,
     .max = 15,
     .help = "packed jobs stay so if together they do more than 1 + this of one alone"},
    NUMBER("max_pack", max_pack, "8", 1, 16, "jobs", "packed on one GPU at most",
           "VAE's gain in Gandiva's Table 1 takes more than five"),
    {.key = "defrag_free",
     .type = HS_PARAM_REAL,
     .offset = offsetof(struct hs_gandiva, defrag_free),
     .preset = "0.75",
     .min = 0.01,
     .max = 1,
     .help = "part of a server that is free for it to be emptied",
     .source = "Xiao et al., Gandiva, OSDI'18: 3 GPUs of 4"},
    SPAN("grow_idle", grow_idle_us, "300s", 0, 1e6, "for how long GPUs are idle before a job grows",
         "Xiao et al., Gandiva, OSDI'18, Fig. 11: about 5 minutes"),
    SPAN("migrate_base", migrate_us, "0.3s", 0, 3600, "pause of a job that moves or grows, and",
         "fitted to Gandiva's Fig. 13"),
    SPAN("migrate_intra", migrate_intra_us, "1.6s", 0, 3600,
         "for each GB of its checkpoint within a server,", "fitted to Gandiva's Fig. 13"),
    SPAN("migrate_inter", migrate_inter_us, "2.4s", 0, 3600, "or to another server",
         "fitted to Gandiva's Fig. 13"),
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
