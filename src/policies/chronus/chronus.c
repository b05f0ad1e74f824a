/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chronus: jobs with a deadline get leases of GPUs, all others what the leases leave.
 *
 *     at the boundary of a lease
 *         a plan of leases for the accepted jobs (chronus_lease.c): those with this lease run until
 *         the next boundary; all others may lose their GPUs
 *     at a tick
 *         a job with a deadline that came since the last tick is accepted, if leases for it fit
 *         into the plan, else unaccepted: it then runs as one of the best effort
 *     at both, GPUs that are left go, in this order, to
 *         forced jobs: unaccepted ones that are done before the boundary if they start now, least
 *             time x GPUs first; at ticks, too, they evict jobs without a guarantee, and have one
 *         jobs of the best effort and unaccepted ones, least time x GPUs left first
 *         accepted ones, least slack x GPUs first
 *         those whose deadline cannot be met any more, least time x GPUs first
 *
 * A job that is chosen again keeps its GPUs. With leases above 30 minutes none is forced, and
 * accepted jobs have leases only. A pool is a virtual cluster: with its own nodes, or its quota of
 * those of all.
 *
 * Cost: of a boundary O(accepted jobs x (leases + log jobs)), of either O(accepted and unaccepted
 * jobs, and (jobs that start or stop) x log jobs).
 */
#include "policies/chronus/chronus.h"

#define MINUTE_US INT64_C(60000000)
#define SPOT_US   (30 * MINUTE_US) /* longest leases beside which accepted jobs run [artifact] */

static const char *const objective_names[] = {"adaptive", "maximise", "minimise", NULL};
static const char *const solver_names[] = {"greedy", "milp", NULL};
static const char *const spot_names[] = {"tick", "event", NULL};
static const char *const compat_names[] = {"off", "chronus", NULL};

/* ---- where jobs are ---- */

static bool has_short_leases(const struct hs_chronus *o)
{
    return o->lease_us <= SPOT_US;
}

static enum hs_chronus_level level_of(const struct hs_chronus *o,
                                      const struct hs_chronus_scratch *j)
{
    switch (j->state) {
    case HS_CHRONUS_IS_RECENT:
    case HS_CHRONUS_IS_PLANNED:
        return j->is_leased          ? HS_CHRONUS_LEASED
               : has_short_leases(o) ? HS_CHRONUS_ACCEPTED
                                     : HS_CHRONUS_PARKED;
    case HS_CHRONUS_IS_FRESH:
        return HS_CHRONUS_PARKED;
    case HS_CHRONUS_IS_HOPELESS:
        return HS_CHRONUS_HOPELESS;
    default:
        return j->is_forced ? HS_CHRONUS_FORCED : HS_CHRONUS_OPEN;
    }
}

/* Of its level: smaller ones first. */
static int64_t key_of(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const struct hs_chronus *o = ctx;
    const int64_t left_us = hs_chronus_left_us(o, v, job), gpus = hs_view_gpus(v, job);
    if (hs_chronus_of(v, job)->level != HS_CHRONUS_ACCEPTED)
        return hs_choice_weigh(left_us, gpus);
    return hs_choice_weigh(hs_chronus_of(v, job)->due_us - hs_view_now_us(v) - left_us, gpus);
}

/* The class of a job with GPUs; HS_CHRONUS_CLASSES of one that is in none, as it has a lease or is
 * to be preempted. */
static uint32_t class_of(const struct hs_chronus_scratch *j)
{
    if (j->level == HS_CHRONUS_FORCED)
        return 0;
    return j->level >= HS_CHRONUS_OPEN && j->level < HS_CHRONUS_LEVELS
               ? 1 + (uint32_t)(j->level - HS_CHRONUS_OPEN)
               : HS_CHRONUS_CLASSES;
}

static void leave(struct hs_chronus_pool *pool, const struct hs_view *v, hs_job_id job)
{
    struct hs_chronus_scratch *j = hs_chronus_of(v, job);
    const uint32_t class = class_of(j);
    if (!j->link.is_holding) {
        hs_job_queue_remove(&pool->waiting[j->level], v, job);
    } else if (class < HS_CHRONUS_CLASSES) {
        pool->spot_gpus[class] -= hs_view_gpus(v, job);
        hs_job_queue_remove(&pool->spot[class].set, v, job);
    }
}

static void enter(const struct hs_chronus *o, struct hs_chronus_pool *pool, const struct hs_view *v,
                  hs_job_id job)
{
    struct hs_chronus_scratch *j = hs_chronus_of(v, job);
    const uint32_t class = class_of(j);
    j->link.is_holding = !hs_job_waits(v, job);
    if (!j->link.is_holding) {
        hs_job_queue_add(&pool->waiting[j->level], v, job, key_of(v, job, o));
    } else if (class < HS_CHRONUS_CLASSES) {
        pool->spot_gpus[class] += hs_view_gpus(v, job);
        hs_job_queue_add(&pool->spot[class].set, v, job, key_of(v, job, o));
    }
}

static void requeue(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                    const struct hs_view *v, hs_job_id job)
{
    struct hs_chronus_scratch *j = hs_chronus_of(v, job);
    const enum hs_chronus_level level = level_of(o, j);
    if (level == j->level)
        return;
    leave(pool, v, job);
    j->level = level;
    enter(o, pool, v, job);
}

/* What a job that is taken off its GPUs owes. compat: at a boundary all have been charged. */
static int64_t cost_us(const struct hs_chronus *o, const struct hs_view *v, hs_job_id job)
{
    const bool is_charged = o->compat && hs_view_now_us(v) % o->lease_us == 0;
    return is_charged ? 0 : hs_chronus_cost_us(o, hs_chronus_of(v, job)->gpus);
}

/* ---- boundaries and ticks ---- */

static void renew(const struct hs_chronus *o, struct hs_chronus_pool *pool, const struct hs_view *v,
                  struct hs_plan *p)
{
    hs_chronus_renew(o, pool, v);
    hs_plan_reason(p, "its lease has ended");
    HS_EACH_CHAINED(job, &pool->chains[HS_CHRONUS_IS_PLANNED], v) {
        struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        requeue(o, pool, v, job);
        if (j->link.is_holding && j->level == HS_CHRONUS_PARKED)
            hs_plan_preempt(p, job, cost_us(o, v, job));
    }
    hs_plan_reason(p, NULL);
}

/* Which unaccepted jobs are forced, and which have no hope. */
static void sort_unaccepted(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                            const struct hs_view *v, bool is_boundary)
{
    const int64_t now_us = hs_view_now_us(v);
    const int64_t boundary_us = (now_us / o->lease_us + 1) * o->lease_us;
    for (hs_job_id job = pool->chains[HS_CHRONUS_IS_UNACCEPTED].first, next; job != HS_NO_JOB;
         job = next) {
        struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        const int64_t end_us = now_us + hs_chronus_left_us(o, v, job);
        const bool is_kept = j->level == HS_CHRONUS_FORCED && j->link.is_holding && !is_boundary;
        next = hs_chronus_next(v, job);
        j->is_forced = is_kept || (has_short_leases(o) && end_us <= boundary_us);
        if (end_us > j->due_us && !is_kept)
            hs_chronus_move(pool, v, job, HS_CHRONUS_IS_HOPELESS);
        requeue(o, pool, v, job);
    }
}

/* ---- placement ----
 *
 * Consolidation: a gang that one node can hold may be spread over several where no node has room
 * for it, at the predicted speed of a spread gang. The reward of a placement is GPUs times that
 * speed. A batch of jobs is placed in several orders, and the one with the largest sum of rewards
 * is kept (the fourth of the artifact, by the best reward of each job, is that by GPUs: alone on a
 * node each has speed 1). Cost: four placements a job at most, one where all find single nodes. */

enum { BY_RANGE, BY_MOST_GPUS, BY_FEWEST_GPUS, ORDERS };

static uint64_t spread_q32(const struct hs_view *v, hs_job_id job)
{
    const uint32_t node = hs_view_worst_fit(v, job, 1);
    return node != HS_NO_NODE ? hs_view_spread_q32(v, job, hs_view_node(v, node)->type)
                              : UINT64_C(1) << 32;
}

/* Sets the keys of a batch: smaller ones first. */
static void order_batch(struct hs_job_place *batch, uint32_t count, const struct hs_view *v,
                        uint32_t order)
{
    for (uint32_t i = 0; i < count; i++) {
        const hs_job_id job = batch[i].job;
        const int64_t gpus = hs_view_gpus(v, job);
        batch[i] = hs_job_place(v, job,
                                order == BY_RANGE
                                    ? -gpus * (int64_t)((UINT64_C(1) << 32) - spread_q32(v, job))
                                : order == BY_MOST_GPUS ? -gpus
                                                        : gpus);
    }
    hs_sort(batch, count);
}

/* The sum of rewards. */
static uint64_t place_batch(const struct hs_view *v, struct hs_plan *p,
                            const struct hs_job_place *batch, uint32_t count, bool *are_placed)
{
    uint64_t reward = 0;
    *are_placed = true;
    for (uint32_t i = 0; i < count; i++) {
        const hs_job_id job = batch[i].job;
        const uint64_t gpus = hs_view_gpus(v, job), spread = spread_q32(v, job);
        if (hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE}))
            reward += gpus << 32;
        else if (hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_BEST_FIT}))
            reward += gpus * spread;
        else if (!hs_reject_hopeless(v, p, job))
            *are_placed &= hs_chronus_of(v, job)->level != HS_CHRONUS_LEASED;
    }
    return reward;
}

/* Places the first `count` jobs of o->batch, jobs that need several nodes first; returns whether
 * each job of a lease has a place. */
static bool place_chosen(const struct hs_chronus *o, const struct hs_view *v, struct hs_plan *p,
                         uint32_t count)
{
    struct hs_job_place *batch = o->batch;
    bool are_placed = true;
    uint64_t gpus = 0;
    uint32_t large = 0; /* gangs larger than a node: fewest nodes, or none */
    order_batch(batch, count, v, BY_MOST_GPUS);
    for (; large < count && hs_view_gpus(v, batch[large].job) > v->max_node_gpus; large++) {
        const hs_job_id job = batch[large].job;
        if (!hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE}) &&
            !hs_reject_hopeless(v, p, job))
            are_placed &= hs_chronus_of(v, job)->level != HS_CHRONUS_LEASED;
    }
    batch += large;
    count -= large;
    for (uint32_t i = 0; i < count; i++)
        gpus += hs_view_gpus(v, batch[i].job);
    const uint32_t mark = hs_plan_mark(p);
    uint64_t most = 0, reward = 0;
    uint32_t best = 0;
    bool are_all = true;
    for (uint32_t order = 0; order < ORDERS && reward < gpus << 32; order++) {
        hs_plan_rollback(p, mark);
        order_batch(batch, count, v, order);
        reward = place_batch(v, p, batch, count, &are_all);
        if (reward > most) {
            most = reward;
            best = order;
        }
    }
    if (reward < most) { /* the last order tried is not the best */
        hs_plan_rollback(p, mark);
        order_batch(batch, count, v, best);
        (void)place_batch(v, p, batch, count, &are_all);
    }
    return are_placed && are_all;
}

/* ---- spot ---- */

/* Appends jobs of a list to o->batch. */
static uint32_t add_chosen(const struct hs_chronus *o, const struct hs_view *v, hs_job_id first,
                           bool are_guaranteed, uint32_t count)
{
    for (hs_job_id job = first; job != HS_NO_JOB; job = hs_choice_next(v, job))
        if ((hs_chronus_of(v, job)->level < HS_CHRONUS_HELD) == are_guaranteed)
            o->batch[count++].job = job;
    return count;
}

/* Takes a job off its GPUs, to be placed anew, most likely there. */
static uint32_t lift(const struct hs_chronus *o, const struct hs_view *v, struct hs_plan *p,
                     hs_job_id job, uint32_t count)
{
    hs_plan_preempt(p, job, cost_us(o, v, job));
    o->batch[count].job = job;
    return count + 1;
}

/* All jobs of a pool anew: those with a guarantee first, so that these find whole nodes. */
static void place_anew(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                       const struct hs_view *v, struct hs_plan *p, const struct hs_choice *c)
{
    uint32_t count = 0;
    hs_plan_reason(p, "jobs with a lease are placed anew");
    for (uint32_t i = 0; i < HS_CHRONUS_CLASSES; i++)
        HS_EACH_QUEUED(job, &pool->spot[i].set, v)
            (void)lift(o, v, p, job, 0);
    HS_EACH_CHAINED(job, &pool->chains[HS_CHRONUS_IS_PLANNED], v) {
        const struct hs_chronus_scratch *j = hs_chronus_of(v, job);
        if (j->link.is_holding && j->level == HS_CHRONUS_LEASED)
            count = lift(o, v, p, job, count);
    }
    (void)place_chosen(o, v, p, add_chosen(o, v, c->chosen.first, true, count));
    count = 0;
    for (uint32_t i = 0; i < HS_CHRONUS_CLASSES; i++)
        HS_EACH_QUEUED(job, &pool->spot[i].set, v)
            if (!hs_chronus_of(v, job)->link.is_evicted)
                o->batch[count++].job = job;
    (void)place_chosen(o, v, p, add_chosen(o, v, c->chosen.first, false, count));
}

static void apply(const struct hs_chronus *o, struct hs_chronus_pool *pool, const struct hs_view *v,
                  struct hs_plan *p, const struct hs_choice *c)
{
    const uint32_t mark = hs_plan_mark(p);
    const hs_job_id evicted = c->evicted.first;
    hs_plan_reason(p, "jobs with a lease, or before it in the order, get its GPUs");
    for (hs_job_id job = evicted; job != HS_NO_JOB; job = hs_choice_next(v, job)) {
        hs_plan_preempt(p, job, cost_us(o, v, job));
        hs_chronus_of(v, job)->link.is_evicted = true;
    }
    hs_plan_reason(p, NULL);
    if (place_chosen(o, v, p, add_chosen(o, v, c->chosen.first, true, 0))) {
        (void)place_chosen(o, v, p, add_chosen(o, v, c->chosen.first, false, 0));
    } else {
        hs_plan_rollback(p, mark);
        place_anew(o, pool, v, p, c);
    }
    hs_plan_reason(p, "not needed after all: its GPUs did not suit the jobs before it");
    for (hs_job_id job = evicted; job != HS_NO_JOB; job = hs_choice_next(v, job)) {
        hs_chronus_of(v, job)->link.is_evicted = false;
        (void)hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE});
    }
    hs_plan_reason(p, NULL);
}

/* Chooses by number which jobs have GPUs from now on. Between boundaries only jobs that do not wait
 * for one, leased and forced ones, evict others. */
static void give_spot(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                      const struct hs_view *v, struct hs_plan *p, bool is_boundary)
{
    const uint32_t vc = (uint32_t)(pool - o->pools);
    const uint32_t first = is_boundary ? 0 : 1;
    struct hs_choice choice = {.classes = pool->spot + first,
                               .class_count = HS_CHRONUS_CLASSES - first,
                               .waiting = pool->waiting,
                               .levels = HS_CHRONUS_LEVELS,
                               .room = hs_vc_queues_room(v, vc)};
    pool->spot[0].level = HS_CHRONUS_FORCED;
    for (uint32_t i = first; i < HS_CHRONUS_CLASSES; i++) {
        if (i > 0)
            pool->spot[i].level = (is_boundary ? HS_CHRONUS_OPEN : HS_CHRONUS_HELD) + i - 1;
        if (is_boundary || pool->waiting[HS_CHRONUS_FORCED].count > 0)
            hs_job_queue_rekey_all(&pool->spot[i].set, v, key_of, o);
        choice.held += pool->spot_gpus[i];
    }
    hs_job_queue_rekey_all(&pool->waiting[HS_CHRONUS_ACCEPTED], v, key_of, o);
    hs_preempt_select(&choice, v);
    if (choice.chosen.first != HS_NO_JOB)
        apply(o, pool, v, p, &choice);
}

/* compat: all running jobs restart at a boundary. */
static void charge_all(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                       const struct hs_view *v, struct hs_plan *p)
{
    for (uint32_t i = 0; i < HS_CHRONUS_STATES; i++)
        HS_EACH_CHAINED(job, &pool->chains[i], v) {
            const struct hs_chronus_scratch *j = hs_chronus_of(v, job);
            if (j->link.is_holding && j->level != HS_CHRONUS_PARKED)
                hs_plan_add_overhead(p, job, hs_chronus_cost_us(o, j->gpus));
        }
}

/* compat: at odd minutes free GPUs go to jobs in the reverse of the order of classes. */
static void fill_backwards(struct hs_chronus_pool *pool, const struct hs_view *v, struct hs_plan *p)
{
    for (uint32_t level = HS_CHRONUS_HOPELESS; level >= HS_CHRONUS_OPEN; level--)
        for (hs_job_id job = hs_job_queue_last(&pool->waiting[level]); job != HS_NO_JOB;
             job = hs_job_queue_prev(&pool->waiting[level], v, job))
            (void)hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE});
}

/* ---- the policy ---- */

static void set_timer(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                      const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v);
    int64_t at_us = (now_us / o->lease_us + 1) * o->lease_us;
    if (pool->is_woken)
        at_us = hs_earlier(at_us, (now_us / o->tick_us + 1) * o->tick_us);
    if (pool->is_odd) /* the next odd minute */
        at_us = hs_earlier(at_us, ((now_us + MINUTE_US) / (2 * MINUTE_US) * 2 + 1) * MINUTE_US);
    if (at_us == pool->timer_us || pool->jobs == 0)
        return;
    hs_plan_timer(p, at_us, 0);
    pool->timer_us = at_us;
}

static void decide_pool(const struct hs_chronus *o, struct hs_chronus_pool *pool,
                        const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v);
    const bool is_boundary = now_us % o->lease_us == 0;
    const bool is_tick = now_us % o->tick_us == 0 && pool->is_woken;
    const bool is_odd = pool->is_odd && now_us / MINUTE_US % 2 == 1 && now_us % MINUTE_US == 0;
    if (is_boundary && o->compat)
        charge_all(o, pool, v, p);
    if (is_boundary)
        renew(o, pool, v, p);
    if (is_tick)
        for (hs_job_id job; (job = pool->chains[HS_CHRONUS_IS_FRESH].first) != HS_NO_JOB;) {
            hs_chronus_admit(o, pool, v, job);
            requeue(o, pool, v, job);
        }
    if (is_boundary || is_tick || (pool->is_freed && o->spot == HS_CHRONUS_AT_EVENTS)) {
        sort_unaccepted(o, pool, v, is_boundary);
        give_spot(o, pool, v, p, is_boundary);
    } else if (is_odd) {
        fill_backwards(pool, v, p);
    }
    pool->is_woken &= !is_tick;
    pool->is_odd &= !is_odd;
    pool->is_freed = false;
    set_timer(o, pool, v, p);
}

static enum hs_status chronus_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_chronus *o = state;
    hs_vc_queues_scan(&o->cpu_jobs, v, p, (struct hs_place_rule){.placer = HS_PLACE_FIRST_FIT});
    for (uint32_t i = 0; i < o->pool_count; i++)
        if (o->pools[i].jobs > 0)
            decide_pool(o, &o->pools[i], v, p);
    return HS_OK;
}

static void come(const struct hs_chronus *o, struct hs_chronus_pool *pool, const struct hs_view *v,
                 hs_job_id job)
{
    struct hs_chronus_scratch *j = hs_chronus_of(v, job);
    j->gpus =
        (uint32_t)hs_smaller(hs_chronus_gpus(hs_view_gpus(v, job), v->max_node_gpus), pool->gpus);
    j->state = hs_view_deadline_us(v, job) < 0 ? HS_CHRONUS_IS_FREE : HS_CHRONUS_IS_FRESH;
    j->level = level_of(o, j);
    hs_job_chain_insert(&pool->chains[j->state], v, job, pool->chains[j->state].last);
    enter(o, pool, v, job);
    pool->jobs++;
}

static void chronus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_chronus *o = state;
    const hs_job_id job = event->job;
    if (event->kind == HS_EVENT_TIMER)
        return;
    for (uint32_t i = 0; event->kind == HS_EVENT_NODE && i < o->pool_count; i++)
        o->pools[i].is_woken = o->pools[i].is_freed = true;
    if (event->kind == HS_EVENT_NODE || hs_view_gpus(v, job) == 0) {
        hs_vc_queues_event(&o->cpu_jobs, v, event, 0);
        return;
    }
    struct hs_chronus_pool *pool = &o->pools[hs_view_vc(v, job)];
    if (event->kind == HS_EVENT_SUBMIT) {
        come(o, pool, v, job);
    } else if (event->kind == HS_EVENT_FINISH) {
        leave(pool, v, job);
        hs_chronus_move(pool, v, job, HS_CHRONUS_IS_FREE);
        hs_job_chain_remove(&pool->chains[HS_CHRONUS_IS_FREE], v, job);
        pool->jobs--;
    } else if (event->kind == HS_EVENT_STARTED || event->kind == HS_EVENT_STOPPED) {
        leave(pool, v, job);
        enter(o, pool, v, job);
        return;
    } else {
        return;
    }
    for (uint32_t i = 0; i < o->pool_count; i++)
        if (!v->vcs_are_apart || &o->pools[i] == pool) {
            o->pools[i].is_woken = true;
            o->pools[i].is_odd = o->compat != 0;
            o->pools[i].is_freed |= event->kind == HS_EVENT_FINISH;
        }
}

static enum hs_status chronus_init(void *state, const struct hs_view *v)
{
    struct hs_chronus *o = state;
    uint64_t most = 0;
    if (v->has_cohorts)
        return hs_view_fail(v, HS_E_USAGE, "leases are of fixed quotas: not with cohorts");
    o->pool_count = v->vcs;
    o->pools = hs_view_alloc(v, o->pool_count * sizeof *o->pools);
    for (uint32_t i = 0; i < o->pool_count; i++) {
        struct hs_chronus_pool *pool = &o->pools[i];
        pool->gpus = hs_smaller(hs_view_total_gpus(v, i), hs_view_quota(v, i));
        pool->used = hs_view_alloc(v, HS_CHRONUS_LEASES * sizeof *pool->used);
        for (uint32_t k = 0; k < HS_CHRONUS_STATES; k++)
            pool->chains[k] = hs_job_chain_empty(offsetof(struct hs_chronus_scratch, chain));
        most = pool->gpus > most ? pool->gpus : most;
    }
    o->batch = hs_view_alloc(v, most * sizeof *o->batch);
    hs_vc_queues_init(&o->cpu_jobs, v, HS_SCAN_FIT);
    return hs_estimate_open(&o->estimate, v);
}

static void chronus_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    (void)can;
    hs_estimate_needs(&((const struct hs_chronus *)state)->estimate, knows);
}

static void chronus_semantics(const void *state, struct hs_semantics *out)
{
    const struct hs_chronus *o = state;
    *out = (struct hs_semantics){.order = "leases by deadline, then remaining x GPUs",
                                 .scan = "fit",
                                 .placement = "best_fit, by the speed of spread gangs",
                                 .preemption = "evict",
                                 .cost = o->checkpoint_us + o->resume_us > 0 ? "by GPUs" : "free",
                                 .ties = "jobs that hold GPUs, then submission, then trace row"};
}

static const char *chronus_check(const void *state, const struct hs_view *v)
{
    const struct hs_chronus *o = state;
    for (uint32_t i = 0; i < o->pool_count; i++) {
        const struct hs_chronus_pool *pool = &o->pools[i];
        uint64_t count = 0, spot = 0, planned = 0, used = 0;
        for (uint32_t k = 0; k < HS_CHRONUS_CLASSES; k++)
            spot -= pool->spot_gpus[k];
        for (uint32_t k = 0; k < HS_CHRONUS_STATES; k++)
            HS_EACH_CHAINED(job, &pool->chains[k], v) {
                const struct hs_chronus_scratch *j = hs_chronus_of(v, job);
                if (j->link.is_holding == hs_job_waits(v, job))
                    return "a job is on the wrong side of starts and stops";
                spot += j->link.is_holding && hs_job_queue_has(v, job) ? hs_view_gpus(v, job) : 0;
                for (uint32_t lease = 0; lease < HS_CHRONUS_LEASES; lease++)
                    planned += (j->plan[lease / 64] >> lease % 64 & 1) * j->gpus;
                count++;
            }
        for (uint32_t lease = 0; lease < HS_CHRONUS_LEASES; lease++) {
            used += pool->used[lease];
            if (pool->used[lease] > pool->gpus)
                return "more GPUs are planned for a lease than there are";
        }
        if (count != pool->jobs || spot != 0 || used != planned)
            return "jobs or GPUs are miscounted";
    }
    return hs_vc_queues_check(&o->cpu_jobs, v);
}

static const struct hs_param params[] = {
    HS_PARAM_CHOICE(struct hs_chronus, objective, "objective", "adaptive", objective_names,
                    "GPUs that accepted jobs use in the next lease: as many or as few as possible; "
                    "adaptive: few while a rejected job could still meet its deadline",
                    .source = "ChronusArtifact bc7e15f"),
    HS_PARAM_CHOICE(struct hs_chronus, solver, "solver", "greedy", solver_names,
                    "solver of the plan of leases", .source = "greedy: ours; milp: SoCC'21"),
    HS_PARAM_INT(struct hs_chronus, iterations, "iterations", "2000", 1, HS_LP_ITERATIONS,
                 "solver=milp: limit on simplex iterations and on subproblems; beyond it greedy",
                 .only_with = "solver=milp"),
    HS_PARAM_DURATION(struct hs_chronus, lease_us, "lease", "1200s", 60, 86400, "length of a lease",
                      .source = "ChronusArtifact bc7e15f, run script: 20 minutes"),
    HS_PARAM_DURATION(struct hs_chronus, tick_us, "tick", "300s", 1, 86400,
                      "time between admissions, and between allocations of GPUs outside leases",
                      .source = "ChronusArtifact bc7e15f: 5 minutes"),
    HS_PARAM_CHOICE(
        struct hs_chronus, spot, "spot", "tick", spot_names,
        "when GPUs outside leases are allocated: at ticks, or also whenever a job ends"),
    HS_PARAM_REAL(struct hs_chronus, margin, "margin", "0.1", 0, 10,
                  "safety margin: plans make a job longer by this part of its time",
                  .source = "ChronusArtifact bc7e15f: factor 1.1"),
    HS_PARAM_REAL(struct hs_chronus, tolerance, "tolerance", "1", 1, 100,
                  "factor on the time to its deadline for a job that cannot meet it: it is "
                  "accepted if it fits by then",
                  .source = "ChronusArtifact bc7e15f: 1"),
    HS_PARAM_DURATION(struct hs_chronus, checkpoint_us, "checkpoint", "6s", 0, 3600,
                      "checkpoint time of a restart on one GPU; each doubling of GPUs adds as much",
                      .source = "ChronusArtifact bc7e15f: .1 minutes"),
    HS_PARAM_DURATION(struct hs_chronus, resume_us, "resume", "24s", 0, 3600,
                      "rest of the restart time, likewise for one GPU",
                      .source = "ChronusArtifact bc7e15f: .4 minutes"),
    HS_ESTIMATE_PARAMS(struct hs_chronus, estimate, "oracle"),
    HS_PARAM_CHOICE(struct hs_chronus, compat, "compat", "off", compat_names,
                    "deviations of the published simulator: whole minutes in plans, restarts at "
                    "each boundary, and free GPUs given in the wrong order at odd minutes",
                    .source = "ChronusArtifact bc7e15f; with --locality=none"),
    {0}};

const struct hs_policy_ops hs_policy_chronus = {
    .name = "chronus",
    .summary = "leases for jobs with a deadline, the remaining GPUs for all others",
    .cite = "Gao et al., Chronus: A Novel Deadline-aware Scheduler for Deep Learning Training "
            "Jobs, SoCC'21",
    .can = HS_CAN_PREEMPT | HS_CAN_TIME,
    .knows = HS_ESTIMATE_KNOWS | HS_KNOWS_SCALING,
    .params = params,
    HS_POLICY_HOOKS(chronus, struct hs_chronus, struct hs_chronus_scratch),
};
