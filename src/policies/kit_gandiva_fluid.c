/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The turns of a server as shares of its time: all units sit in its lane, which keeps nothing of
 * those that wait, each with the share that its turns would come to (kit_gandiva_shares.h). A unit
 * that would never have a turn is suspended. Who has not all of the time pays for switches: its
 * share counts Q / (Q + c). GPUs are homes in name only, given to the units with fewest on them,
 * lowest first; none stays empty while another is home of two, for the lane has no more time than
 * the GPUs on which it sits. O(ring x GPUs), and what the shares cost, whenever somebody comes or
 * goes; nothing in between.
 */
#include "policies/kit_gandiva.h"

struct pass {
    struct hs_gandiva *g;
    const struct hs_view *v;
    struct hs_plan *p;
    struct hs_gandiva_server *s;
    uint32_t server;
};

#define PINNED UINT32_MAX

static struct hs_gandiva_job *job_of(const struct pass *x, hs_job_id job)
{
    return hs_gandiva_job(x->v, job);
}

static bool is_touched(const struct pass *x, hs_job_id job)
{
    return job_of(x, job)->touched == x->g->plan;
}

/* The home of a unit: that of its first member that has one and keeps it. */
static uint64_t home_of(const struct pass *x, hs_job_id leader)
{
    uint64_t seats = 0;
    for (hs_job_id m = leader; m != HS_NO_JOB && seats == 0; m = job_of(x, m)->member)
        seats = job_of(x, m)->is_regrouped ? 0 : job_of(x, m)->seats;
    return seats;
}

/* ---- homes ---- */

static void count_home(const struct pass *x, uint64_t seats, uint32_t change)
{
    for (; seats != 0; seats &= seats - 1)
        x->g->levels[HS_CTZ64(seats)] += change;
}

/* Units at home on each GPU. */
static void count_homes(const struct pass *x)
{
    for (uint32_t i = 0; i < x->s->gpus; i++)
        x->g->levels[i] = x->g->pin_owner[x->s->first_gpu + i] != 0 ? PINNED : 0;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next)
        count_home(x, home_of(x, u), 1);
}

static uint64_t choose_home(const struct pass *x, uint32_t gpus)
{
    uint64_t seats = 0;
    for (uint32_t level = 0; gpus > 0; level++)
        for (uint32_t i = 0; i < x->s->gpus && gpus > 0; i++)
            if (x->g->levels[i] == level) {
                seats |= UINT64_C(1) << i;
                gpus--;
            }
    return seats;
}

static void sit_down(const struct pass *x, hs_job_id job, uint64_t seats)
{
    uint32_t gpus[HS_GANDIVA_WIDEST], count = 0;
    for (; seats != 0; seats &= seats - 1)
        gpus[count++] = x->s->first_gpu + HS_CTZ64(seats);
    hs_gandiva_seat(x->g, x->v, x->p, job,
                    job_of(x, job)->is_running ? HS_GANDIVA_RESTART : HS_GANDIVA_START, gpus,
                    count);
}

/* Those of the unit who are not at home; where CPUs or host memory do not suffice they wait until
 * somebody goes. */
static void sit_unit_down(const struct pass *x, hs_job_id leader, uint64_t seats)
{
    for (hs_job_id m = leader; m != HS_NO_JOB; m = job_of(x, m)->member) {
        const struct hs_gandiva_job *j = job_of(x, m);
        bool is_there = j->is_running && !j->is_regrouped && j->seats == seats;
        if (!is_there &&
            (j->is_running || hs_gandiva_has_workers(x->v, m, x->server, hs_view_gpus(x->v, m))))
            sit_down(x, m, seats);
    }
}

static void give_homes(const struct pass *x)
{
    uint32_t i = 0;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next) {
        if (x->g->ring[i++].share_q32 == 0 || home_of(x, u) != 0)
            continue;
        sit_unit_down(x, u, choose_home(x, hs_view_gpus(x->v, u)));
        count_home(x, home_of(x, u), 1);
    }
}

static void bring_home(const struct pass *x)
{
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next)
        if (job_of(x, u)->members > 1 && home_of(x, u) != 0)
            sit_unit_down(x, u, home_of(x, u));
}

static uint32_t find_level(const struct pass *x, bool is_empty)
{
    uint32_t best = HS_NO_GPU;
    for (uint32_t i = 0; i < x->s->gpus; i++) {
        uint32_t level = x->g->levels[i];
        if (level == PINNED || (is_empty ? level > 0 : level < 2))
            continue;
        if (best == HS_NO_GPU || (!is_empty && level > x->g->levels[best]))
            best = i;
    }
    return best;
}

/* The unit submitted last of those at home on one GPU, and not on the other. */
static hs_job_id youngest_at(const struct pass *x, uint32_t gpu, uint32_t not_at)
{
    hs_job_id best = HS_NO_JOB;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next) {
        uint64_t seats = home_of(x, u);
        bool is_fixed = false;
        for (hs_job_id m = u; m != HS_NO_JOB; m = job_of(x, m)->member)
            is_fixed = is_fixed || is_touched(x, m);
        if (is_fixed || !(seats >> gpu & 1) || (seats >> not_at & 1))
            continue;
        if (best == HS_NO_JOB || hs_view_submit_us(x->v, u) > hs_view_submit_us(x->v, best) ||
            (hs_view_submit_us(x->v, u) == hs_view_submit_us(x->v, best) &&
             hs_view_rank(x->v, u) > hs_view_rank(x->v, best)))
            best = u;
    }
    return best;
}

static void fill_empty_gpus(const struct pass *x)
{
    for (;;) {
        uint32_t empty = find_level(x, true), crowded = find_level(x, false);
        if (empty == HS_NO_GPU || crowded == HS_NO_GPU)
            return;
        hs_job_id unit = youngest_at(x, crowded, empty);
        if (unit == HS_NO_JOB)
            return;
        uint64_t seats = home_of(x, unit);
        count_home(x, seats, UINT32_MAX); /* - 1 */
        seats = choose_home(x, hs_view_gpus(x->v, unit));
        count_home(x, seats, 1);
        sit_unit_down(x, unit, seats);
    }
}

/* A unit whose members need more memory than predicted when they were put together, or than its GPU
 * has while others are at home there: the engine is about to end it, and until then nothing may be
 * changed here. */
static bool is_bursting(const struct pass *x)
{
    bool is = false;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB && !is; u = job_of(x, u)->next) {
        bool is_shared = job_of(x, u)->members > 1;
        for (uint64_t seats = home_of(x, u); seats != 0; seats &= seats - 1)
            is_shared = is_shared || x->g->levels[HS_CTZ64(seats)] > 1;
        is = is_shared && home_of(x, u) != 0 &&
             !hs_gandiva_fits_gpu(x->v, x->s->first_gpu, hs_gandiva_unit_mib(x->v, u));
    }
    return is;
}

/* ---- shares ---- */

/* What the plan has moved here cannot be suspended by it: it goes first, whatever its priority. */
static int32_t priority_of(const struct pass *x, hs_job_id leader)
{
    const struct hs_gandiva_job *l = job_of(x, leader);
    bool is_fixed = x->g->has_priorities && l->is_running && is_touched(x, leader);
    return is_fixed ? INT32_MAX : hs_view_priority(x->v, leader);
}

static void work_out_shares(const struct pass *x)
{
    uint32_t count = 0;
    for (hs_job_id u = x->s->head; u != HS_NO_JOB; u = job_of(x, u)->next)
        x->g->ring[count++] =
            (struct hs_gandiva_turn){.gpus = hs_view_gpus(x->v, u), .priority = priority_of(x, u)};
    hs_gandiva_shares(x->g->ring, count, x->s->gpus - x->s->pinned);
}

static uint64_t paid_share(const struct hs_gandiva *g, uint64_t share_q32)
{
    if (share_q32 == HS_GANDIVA_ONE_Q32)
        return share_q32;
    return (uint64_t)((hs_u128)share_q32 * (uint64_t)g->quantum_us /
                      (uint64_t)(g->quantum_us + g->switch_us));
}

static void set_share(const struct pass *x, hs_job_id leader, uint64_t share_q32)
{
    for (hs_job_id m = leader; m != HS_NO_JOB; m = job_of(x, m)->member) {
        struct hs_gandiva_job *j = job_of(x, m);
        if (!j->is_running || j->share_q32 == share_q32)
            continue;
        hs_plan_because(x->p, "the time of its server is shared out");
        hs_plan_slice(x->p, m, x->server + 1, share_q32);
        j->share_q32 = share_q32;
    }
}

/* No turns end here, if they did before. */
static void begin_spells(const struct pass *x, struct hs_gandiva_job *l)
{
    l->deadline_us = l->ended_us = l->overshoot_us = 0;
    if (l->trial != HS_NO_JOB && l->trial_until_us == 0)
        l->trial_until_us = hs_view_now_us(x->v) + x->g->trial_us;
}

void hs_gandiva_share_out(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                          uint32_t server)
{
    const struct pass x = {.g = g, .v = v, .p = p, .s = &g->servers[server], .server = server};
    if (!x.s->is_changed)
        return;
    count_homes(&x);
    if (x.s->may_burst && is_bursting(&x))
        return;
    work_out_shares(&x);
    uint32_t i = 0;
    for (hs_job_id u = x.s->head; u != HS_NO_JOB; u = job_of(&x, u)->next)
        for (hs_job_id m = g->ring[i++].share_q32 == 0 ? u : HS_NO_JOB; m != HS_NO_JOB;
             m = job_of(&x, m)->member)
            if (job_of(&x, m)->is_running && !is_touched(&x, m))
                hs_gandiva_suspend(g, v, p, m);
    if (x.s->grown > 0)
        hs_gandiva_reclaim(g, v, p, server, x.s->gpus, true);
    count_homes(&x);
    give_homes(&x);
    fill_empty_gpus(&x); /* before groups gather: who has moved once has to stay */
    bring_home(&x);
    i = 0;
    for (hs_job_id u = x.s->head; u != HS_NO_JOB; u = job_of(&x, u)->next) {
        uint64_t share_q32 = paid_share(g, g->ring[i++].share_q32);
        if (share_q32 > 0)
            set_share(&x, u, share_q32);
        begin_spells(&x, job_of(&x, u));
    }
    x.s->is_changed = false;
    x.s->is_fluid = x.s->is_over;
}
