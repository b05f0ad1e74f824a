/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time slicing on one server, in one of two ways.
 *
 * Round robin (exact). Units are chosen by priority, highest first, then in ring order, each that
 * still fits; the others are suspended, at the end of their mini-batches. Turns end only where some
 * unit is left out:
 *
 *     - the turn of a unit is a quantum from the moment it gets its GPUs, or from the last dispatch
 *       because a job came or left; at its end the unit goes to the tail, and units are chosen anew
 *     - what a unit runs on after its turn, to the end of a mini-batch, is taken from its next turn
 *     - a chosen unit whose GPUs are held by one that is about to stop waits for them
 *
 * Where CPUs or host memory do not suffice for all that are chosen, the first in the ring have
 * them. O(ring) for a dispatch, times the priorities there.
 *
 * Processor sharing (fluid). All units are in the slice group of the server, each with the share of
 * time that its turns come to in the long run; a unit that would never have a turn is suspended. A
 * unit with less than all of the time pays for switches: its share counts Q / (Q + c). The GPUs of
 * a unit are a home in name only. Homes go to the GPUs with fewest units, lowest first, and no GPU
 * stays empty while another is home of two: a slice group has no more time than its GPUs.
 * O(ring x GPUs), and the cost of the shares, when a job comes or leaves; nothing in between.
 */
#include "policies/gandiva/gandiva.h"

#define LEAST_TURNS 127u
#define PINNED      UINT32_MAX /* level of a GPU of a spread job */

/* One dispatch of one server. */
struct slice_pass {
    struct hs_gandiva *g;
    struct hs_gandiva_server *s;
    uint32_t server;
};

static struct hs_gandiva_job *job_of(const struct slice_pass *x, hs_job_id job)
{
    return hs_gandiva_job(x->g, job);
}

/* The plan has started, moved or suspended it already: it cannot be suspended by the same plan. */
static bool is_touched(const struct slice_pass *x, hs_job_id job)
{
    return job_of(x, job)->touched == x->g->plan;
}

static hs_job_id running_member(const struct slice_pass *x, hs_job_id leader)
{
    hs_job_id m = leader;
    while (m != HS_NO_JOB && !job_of(x, m)->is_running)
        m = job_of(x, m)->member;
    return m;
}

/* ---- which units have a turn ---- */

/* Lists the units of the server in ring order. What the plan of this instant runs already comes
 * first, if `is_fixed`. */
static uint32_t list_turns(const struct slice_pass *x, bool is_fixed)
{
    uint32_t count = 0;
    for (hs_job_id u = x->s->ring.first; u != HS_NO_JOB; u = job_of(x, u)->ring.after, count++) {
        bool runs_on = is_fixed && job_of(x, u)->is_running && is_touched(x, u);
        x->g->turns[count] = (struct hs_gandiva_turn){
            .gpus = hs_view_gpus(x->g->v, u),
            .priority = runs_on ? HS_GANDIVA_FIXED : hs_view_priority(x->g->v, u),
            .unit = count};
    }
    return count;
}

/* Those of higher priority first, then in order, each that still fits. */
static void choose_turns(struct hs_gandiva_turn *ring, uint32_t count, uint32_t slots)
{
    for (uint32_t i = 0; i < count; i++)
        ring[i].runs = false;
    for (int64_t priority = INT64_MAX, next;; priority = next) {
        next = INT64_MIN;
        for (uint32_t i = 0; i < count; i++)
            if (ring[i].priority < priority && ring[i].priority > next)
                next = ring[i].priority;
        if (next == INT64_MIN)
            return;
        for (uint32_t at = 0; at < count; at++) {
            struct hs_gandiva_turn *unit = &ring[ring[at].unit];
            if (unit->priority == next && unit->gpus <= slots) {
                slots -= unit->gpus;
                unit->runs = true;
            }
        }
    }
}

/* ---- round robin: what stops ---- */

/* Now if it is between mini-batches, else at the end of the present one. */
static void stop_job(const struct slice_pass *x, hs_job_id job)
{
    struct hs_gandiva_job *j = job_of(x, job), *l = job_of(x, j->leader);
    int64_t now_us = hs_view_now_us(x->g->v);
    if (!j->is_running || is_touched(x, job))
        return;
    if (!hs_view_is_between_steps(x->g->v, job)) {
        if (!j->is_awaited)
            hs_plan_notify_step(x->g->p, job, 1);
        j->is_awaited = true;
        return;
    }
    if (l->ended_us > 0 && now_us - l->ended_us > l->overshoot_us)
        l->overshoot_us = now_us - l->ended_us;
    hs_gandiva_suspend(x->g, job);
}

static void stop_unit(const struct slice_pass *x, hs_job_id leader)
{
    for (hs_job_id m = leader; m != HS_NO_JOB; m = job_of(x, m)->member)
        stop_job(x, m);
}

/* Since a group was taken apart a chosen unit before it in the ring holds the same GPU. */
static bool is_in_the_way(const struct slice_pass *x, hs_job_id leader)
{
    hs_job_id own = running_member(x, leader), u = x->s->ring.first;
    bool is = false;
    for (; u != leader && own != HS_NO_JOB && !is; u = job_of(x, u)->ring.after) {
        hs_job_id other = job_of(x, u)->has_turn ? running_member(x, u) : HS_NO_JOB;
        is = other != HS_NO_JOB && job_of(x, other)->gpu == job_of(x, own)->gpu;
    }
    return is;
}

static void stop_others(const struct slice_pass *x)
{
    bool is_split = false;
    HS_EACH_CHAINED(u, &x->s->ring, x->g->v) {
        bool is_blocking = x->s->has_split && job_of(x, u)->has_turn && is_in_the_way(x, u);
        if (!job_of(x, u)->has_turn || is_blocking) {
            stop_unit(x, u);
        } else { /* members of a group run on the GPU of the first of them that runs */
            hs_job_id first = running_member(x, u);
            for (hs_job_id m = first; m != HS_NO_JOB; m = job_of(x, m)->member) {
                if (job_of(x, m)->gpu == job_of(x, first)->gpu)
                    job_of(x, m)->is_awaited = false;
                else
                    stop_job(x, m);
            }
        }
        is_split = is_split || (is_blocking && running_member(x, u) != HS_NO_JOB);
    }
    x->s->has_split = is_split;
}

/* ---- round robin: what starts ---- */

/* Constrained units behind it in the ring stop until there are CPUs and host memory for the job. */
static bool make_room(const struct slice_pass *x, hs_job_id leader, hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(x->g->v, job);
    hs_job_id u = x->s->ring.last;
    for (; !hs_gandiva_has_workers(x->g, job, x->server, gpus) && u != leader;
         u = job_of(x, u)->ring.before) {
        bool is_constrained = false;
        for (hs_job_id m = u; m != HS_NO_JOB && !is_constrained; m = job_of(x, m)->member)
            is_constrained = hs_view_is_constrained(x->g->v, m);
        if (job_of(x, u)->has_turn && !is_touched(x, u) && is_constrained) {
            job_of(x, u)->has_turn = false;
            stop_unit(x, u);
        }
    }
    return hs_gandiva_has_workers(x->g, job, x->server, gpus);
}

static void start_unit(const struct slice_pass *x, hs_job_id leader)
{
    hs_job_id first = running_member(x, leader);
    for (hs_job_id m = leader; m != HS_NO_JOB; m = job_of(x, m)->member) {
        uint32_t gpus = hs_view_gpus(x->g->v, m), own = 0;
        if (job_of(x, m)->is_running)
            continue;
        if (first == HS_NO_JOB) {
            if (hs_view_node_free(x->g->v, x->server) < gpus || !make_room(x, leader, m))
                continue;
            hs_gandiva_allocate(x->g, m, HS_GANDIVA_START, NULL, gpus);
            first = m;
            continue;
        }
        /* a job that was taken out of the group may run there to the end of a mini-batch */
        const uint32_t *gpu = &job_of(x, first)->gpu;
        for (hs_job_id n = leader; n != HS_NO_JOB; n = job_of(x, n)->member)
            own += job_of(x, n)->is_running && job_of(x, n)->gpu == *gpu;
        if (hs_view_gpu_tenants(x->g->v, *gpu) == own && make_room(x, leader, m))
            hs_gandiva_allocate(x->g, m, HS_GANDIVA_START, gpu, 1);
    }
}

static void start_chosen(const struct slice_pass *x)
{
    uint32_t gpus = 0;
    HS_EACH_CHAINED(u, &x->s->ring, x->g->v)
        if (job_of(x, u)->has_turn && running_member(x, u) == HS_NO_JOB)
            gpus += hs_view_gpus(x->g->v, u);
    hs_gandiva_reclaim(x->g, x->server, gpus, false);
    HS_EACH_CHAINED(u, &x->s->ring, x->g->v) {
        if (!job_of(x, u)->has_turn)
            continue;
        start_unit(x, u);
        if (running_member(x, u) == HS_NO_JOB && hs_view_is_constrained(x->g->v, u) &&
            hs_view_node_free(x->g->v, x->server) >= hs_view_gpus(x->g->v, u))
            job_of(x, u)->has_turn = false; /* left out for want of CPUs or host memory */
    }
}

/* ---- round robin: turns ---- */

/* A quantum includes the cost of the resume; one that is no longer than that cost begins behind it,
 * or no job would ever make progress. */
static void set_turns(const struct slice_pass *x)
{
    const struct hs_gandiva *g = x->g;
    int64_t turn_us = g->quantum_us + (g->quantum_us > g->switch_us ? 0 : g->switch_us);
    bool is_left_out = false;
    HS_EACH_CHAINED(u, &x->s->ring, x->g->v)
        is_left_out = is_left_out || !job_of(x, u)->has_turn;
    HS_EACH_CHAINED(u, &x->s->ring, x->g->v) {
        struct hs_gandiva_job *l = job_of(x, u);
        if (!is_left_out)
            l->deadline_us = l->ended_us = l->overshoot_us = 0;
        else if (!l->has_turn)
            l->deadline_us = 0;
        else if (running_member(x, u) != HS_NO_JOB && (x->s->is_changed || l->deadline_us == 0)) {
            int64_t rest_us = turn_us - l->overshoot_us;
            int64_t slice_us = rest_us > 1 ? rest_us : 1; /* a mini-batch at least */
            l->overshoot_us -= turn_us - slice_us;
            l->deadline_us = hs_view_now_us(x->g->v) + slice_us;
            l->ended_us = 0;
        }
    }
}

/* ---- shares of time ---- */

static void remember(struct hs_gandiva_turn *ring, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ring[i].unit_before = ring[i].unit;
        ring[i].turns_before = ring[i].turns;
    }
}

/* Rotates the ring until it is as it was at the last look; returns the turns since. The period is
 * found as by R. P. Brent (BIT 20, 1980): looks are after 1, 3, 7, ... turns. */
static uint32_t find_period(struct hs_gandiva_turn *ring, uint32_t count, uint32_t slots)
{
    uint32_t since = 0, look = 1, most = LEAST_TURNS;
    while (most < 2 * count)
        most = 2 * most + 1; /* the last look is then at as many turns as there are units */
    for (uint32_t turn = 1;; turn++) {
        choose_turns(ring, count, slots);
        for (uint32_t i = 0; i < count; i++)
            ring[i].turns += ring[i].runs;
        uint32_t to = 0;
        for (int ran = 0; ran < 2; ran++) /* units that ran go to the tail */
            for (uint32_t at = 0; at < count; at++)
                if (ring[ring[at].unit].runs == (ran == 1))
                    ring[to++].unit_next = ring[at].unit;
        for (uint32_t at = 0; at < count; at++)
            ring[at].unit = ring[at].unit_next;
        since++;
        bool is_as_before = true;
        for (uint32_t at = 0; at < count && is_as_before; at++)
            is_as_before = ring[at].unit == ring[at].unit_before;
        if (is_as_before || turn == most)
            return since;
        if (since == look) {
            remember(ring, count);
            look *= 2;
            since = 0;
        }
    }
}

/* Equal gangs of one priority: min(1, k / n) for k that fit at a time. Others: by turns of the rule
 * above, at most 127, or four times the units if that is more. A period of up to 64 turns that
 * begins within 63 is found, and the shares are exact; else they are means over the last 64 turns,
 * or as many as there are units: each unit of the highest priority has had a turn then, and a share
 * is off by at most the part of a period that these turns do not fill. */
static void find_shares(struct hs_gandiva_turn *ring, uint32_t count, uint32_t slots)
{
    bool are_equal = true;
    for (uint32_t i = 1; i < count && are_equal; i++)
        are_equal = ring[i].gpus == ring[0].gpus && ring[i].priority == ring[0].priority;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t fit = slots / ring[0].gpus;
        ring[i].share_q32 = fit >= count ? HS_GANDIVA_ONE_Q32 : (fit << 32) / count;
        ring[i].unit = i;
        ring[i].turns = 0;
    }
    if (are_equal)
        return;
    remember(ring, count);
    uint32_t turns = find_period(ring, count, slots);
    for (uint32_t i = 0; i < count; i++)
        ring[i].share_q32 = ((uint64_t)(ring[i].turns - ring[i].turns_before) << 32) / turns;
}

/* ---- processor sharing: homes ---- */

/* The home of a unit, as bits: that of its first member that has one and keeps it. */
static uint64_t home_of(const struct slice_pass *x, hs_job_id leader)
{
    uint64_t gpu_bits = 0;
    for (hs_job_id m = leader; m != HS_NO_JOB && gpu_bits == 0; m = job_of(x, m)->member)
        gpu_bits = job_of(x, m)->is_regrouped ? 0 : job_of(x, m)->gpu_bits;
    return gpu_bits;
}

static void count_home(const struct slice_pass *x, uint64_t gpu_bits, uint32_t change)
{
    for (; gpu_bits != 0; gpu_bits &= gpu_bits - 1)
        x->g->levels[HS_CTZ64(gpu_bits)] += change;
}

/* Sets the level of each GPU: the units at home there. */
static void count_homes(const struct slice_pass *x)
{
    for (uint32_t i = 0; i < x->s->gpus; i++)
        x->g->levels[i] = x->g->pin_owner[x->s->first_gpu + i] != 0 ? PINNED : 0;
    HS_EACH_CHAINED(u, &x->s->ring, x->g->v)
        count_home(x, home_of(x, u), 1);
}

static uint64_t choose_home(const struct slice_pass *x, uint32_t gpus)
{
    uint64_t gpu_bits = 0;
    for (uint32_t level = 0; gpus > 0; level++)
        for (uint32_t i = 0; i < x->s->gpus && gpus > 0; i++)
            if (x->g->levels[i] == level) {
                gpu_bits |= UINT64_C(1) << i;
                gpus--;
            }
    return gpu_bits;
}

/* Moves all members of the unit there. Where CPUs or host memory do not suffice a member that does
 * not run waits until others leave. */
static void move_home(const struct slice_pass *x, hs_job_id leader, uint64_t gpu_bits)
{
    uint32_t gpus[HS_GANDIVA_WIDEST], count = 0;
    for (uint64_t bits = gpu_bits; bits != 0; bits &= bits - 1)
        gpus[count++] = x->s->first_gpu + HS_CTZ64(bits);
    for (hs_job_id m = leader; m != HS_NO_JOB; m = job_of(x, m)->member) {
        const struct hs_gandiva_job *j = job_of(x, m);
        bool is_there = j->is_running && !j->is_regrouped && j->gpu_bits == gpu_bits;
        if (!is_there && (j->is_running || hs_gandiva_has_workers(x->g, m, x->server, count)))
            hs_gandiva_allocate(x->g, m, j->is_running ? HS_GANDIVA_RESTART : HS_GANDIVA_START,
                                gpus, count);
    }
}

/* The unit submitted last of those at home on one GPU and not on the other. */
static hs_job_id youngest_at(const struct slice_pass *x, uint32_t gpu, uint32_t not_at)
{
    hs_job_id best = HS_NO_JOB;
    HS_EACH_CHAINED(u, &x->s->ring, x->g->v) {
        uint64_t gpu_bits = home_of(x, u);
        bool is_fixed = false;
        for (hs_job_id m = u; m != HS_NO_JOB; m = job_of(x, m)->member)
            is_fixed = is_fixed || is_touched(x, m);
        if (!is_fixed && (gpu_bits >> gpu & 1) && !(gpu_bits >> not_at & 1) &&
            (best == HS_NO_JOB || hs_job_queue_tie_is_before(x->g->v, best, u)))
            best = u;
    }
    return best;
}

/* While a GPU is home of no unit and another of several, a unit of the fullest moves. */
static void fill_empty_gpus(const struct slice_pass *x)
{
    const uint32_t *levels = x->g->levels;
    for (;;) {
        uint32_t empty = HS_NO_GPU, crowded = HS_NO_GPU;
        for (uint32_t i = x->s->gpus; i-- > 0;) {
            if (levels[i] == 0)
                empty = i;
            if (levels[i] != PINNED && levels[i] > 1 &&
                (crowded == HS_NO_GPU || levels[i] >= levels[crowded]))
                crowded = i;
        }
        if (empty == HS_NO_GPU || crowded == HS_NO_GPU)
            return;
        hs_job_id unit = youngest_at(x, crowded, empty);
        if (unit == HS_NO_JOB)
            return;
        count_home(x, home_of(x, unit), UINT32_MAX); /* - 1 */
        uint64_t gpu_bits = choose_home(x, hs_view_gpus(x->g->v, unit));
        count_home(x, gpu_bits, 1);
        move_home(x, unit, gpu_bits);
    }
}

/* A unit needs more memory than predicted when its members were put together, or than its GPU has
 * while others are at home there: the engine is about to end it, and until then nothing may be
 * changed here. */
static bool is_bursting(const struct slice_pass *x)
{
    bool is = false;
    count_homes(x);
    for (hs_job_id u = x->s->ring.first; u != HS_NO_JOB && !is; u = job_of(x, u)->ring.after) {
        bool is_shared = job_of(x, u)->members > 1;
        for (uint64_t bits = home_of(x, u); bits != 0; bits &= bits - 1)
            is_shared = is_shared || x->g->levels[HS_CTZ64(bits)] > 1;
        is = is_shared && home_of(x, u) != 0 &&
             !hs_gandiva_fits_gpu(x->g, x->s->first_gpu, hs_gandiva_unit_mib(x->g, u));
    }
    return is;
}

/* ---- processor sharing: the plan ---- */

static void set_share(const struct slice_pass *x, hs_job_id leader, uint64_t share_q32)
{
    uint64_t quantum_us = (uint64_t)x->g->quantum_us, switch_us = (uint64_t)x->g->switch_us;
    if (share_q32 < HS_GANDIVA_ONE_Q32)
        share_q32 = (uint64_t)((hs_u128)share_q32 * quantum_us / (quantum_us + switch_us));
    for (hs_job_id m = share_q32 > 0 ? leader : HS_NO_JOB; m != HS_NO_JOB;
         m = job_of(x, m)->member) {
        struct hs_gandiva_job *j = job_of(x, m);
        if (!j->is_running || j->share_q32 == share_q32)
            continue;
        hs_plan_reason(x->g->p, "the time of its server is shared out");
        hs_plan_slice(x->g->p, m, x->server + 1, share_q32);
        j->share_q32 = share_q32;
    }
}

static void give_homes(const struct slice_pass *x)
{
    const struct hs_gandiva_turn *turn = x->g->turns;
    if (!hs_view_in_service(x->g->v, x->server)) /* those that run stay where they are */
        return;
    count_homes(x);
    for (hs_job_id u = x->s->ring.first; u != HS_NO_JOB; u = job_of(x, u)->ring.after, turn++)
        if (turn->share_q32 > 0 && home_of(x, u) == 0) {
            move_home(x, u, choose_home(x, hs_view_gpus(x->g->v, u)));
            count_home(x, home_of(x, u), 1);
        }
    fill_empty_gpus(x); /* before groups gather: a job that has moved once has to stay */
    HS_EACH_CHAINED(u, &x->s->ring, x->g->v)
        if (job_of(x, u)->members > 1 && home_of(x, u) != 0)
            move_home(x, u, home_of(x, u));
}

static void share_time(const struct slice_pass *x)
{
    if (!x->s->is_changed || (x->s->may_burst && is_bursting(x)))
        return;
    find_shares(x->g->turns, list_turns(x, x->g->has_priorities), x->s->gpus - x->s->pinned);
    const struct hs_gandiva_turn *turn = x->g->turns;
    for (hs_job_id u = x->s->ring.first; u != HS_NO_JOB; u = job_of(x, u)->ring.after, turn++)
        for (hs_job_id m = u; m != HS_NO_JOB && turn->share_q32 == 0; m = job_of(x, m)->member)
            if (job_of(x, m)->is_running && !is_touched(x, m)) /* it never has a turn */
                hs_gandiva_suspend(x->g, m);
    hs_gandiva_reclaim(x->g, x->server, x->s->gpus, true);
    give_homes(x);
    turn = x->g->turns;
    for (hs_job_id u = x->s->ring.first; u != HS_NO_JOB; u = job_of(x, u)->ring.after, turn++) {
        struct hs_gandiva_job *l = job_of(x, u);
        set_share(x, u, turn->share_q32);
        l->deadline_us = l->ended_us = l->overshoot_us = 0; /* no turns end here */
        if (l->trial != HS_NO_JOB && l->trial_until_us == 0)
            l->trial_until_us = hs_view_now_us(x->g->v) + x->g->trial_us;
    }
    x->s->is_changed = false;
    x->s->is_processor_sharing = x->s->is_over;
}

void hs_gandiva_slice(struct hs_gandiva *g, uint32_t server)
{
    const struct slice_pass x = {.g = g, .s = &g->servers[server], .server = server};
    if (x.s->is_processor_sharing) {
        share_time(&x);
        return;
    }
    const struct hs_gandiva_turn *turn = g->turns;
    choose_turns(g->turns, list_turns(&x, true), x.s->gpus - x.s->pinned);
    for (hs_job_id u = x.s->ring.first; u != HS_NO_JOB; u = job_of(&x, u)->ring.after, turn++)
        job_of(&x, u)->has_turn = turn->runs;
    stop_others(&x);
    start_chosen(&x);
    set_turns(&x);
    x.s->is_changed = false;
    for (hs_job_id u = x.s->ring.first; u != HS_NO_JOB && x.s->trials > 0;
         u = job_of(&x, u)->ring.after) {
        struct hs_gandiva_job *l = job_of(&x, u);
        bool is_together = l->trial != HS_NO_JOB && l->trial_until_us == 0;
        for (hs_job_id m = u; m != HS_NO_JOB && is_together; m = job_of(&x, m)->member)
            is_together =
                job_of(&x, m)->is_running && job_of(&x, m)->gpu == job_of(&x, l->trial)->gpu;
        if (is_together) /* a trial begins when all of the group run together */
            l->trial_until_us = hs_view_now_us(g->v) + g->trial_us;
    }
}
