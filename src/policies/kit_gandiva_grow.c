/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Elastic jobs: when GPUs of their server have been idle for grow_idle, the one that makes most
 * progress for each GPU that it holds grows to the largest power of two that is free for it and in
 * its range; and so on while GPUs are idle. They give back what somebody else can use, at once,
 * down to what they asked for, the largest first. What a job would gain is not known before it has
 * it. Where virtual clusters have quotas nobody grows: what one holds beyond its demand would bar
 * others. O(ring).
 */
#include "policies/kit_gandiva.h"

static uint32_t largest_power_of_two(uint32_t most)
{
    uint32_t power = 1;
    while (power <= most / 2)
        power *= 2;
    return power;
}

/* GPUs that the job could have with so many more; what it holds, if not more. */
static uint32_t could_hold(const struct hs_view *v, hs_job_id job, uint32_t idle)
{
    uint32_t held = hs_gandiva_job(v, job)->held, most = hs_view_gpus_max(v, job);
    uint32_t size = largest_power_of_two(held + idle < most ? held + idle : most);
    return size > held ? size : held;
}

/* What it keeps when at least `gpus` of its GPUs are wanted. */
static uint32_t to_keep(const struct hs_view *v, hs_job_id job, uint32_t gpus)
{
    uint32_t held = hs_gandiva_job(v, job)->held, asked = hs_view_gpus(v, job);
    if (held < gpus + asked)
        return asked;
    uint32_t size = largest_power_of_two(held - gpus);
    return size > asked ? size : asked;
}

/* The largest of those that have grown, of equal ones the youngest. */
static hs_job_id to_shrink(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    hs_job_id best = HS_NO_JOB;
    for (hs_job_id u = g->servers[server].head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        const struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        if (l->held <= hs_view_gpus(v, u) || l->touched == g->plan)
            continue;
        const struct hs_gandiva_job *b = best == HS_NO_JOB ? l : hs_gandiva_job(v, best);
        if (best == HS_NO_JOB || l->held > b->held ||
            (l->held == b->held && (hs_view_submit_us(v, u) > hs_view_submit_us(v, best) ||
                                    (hs_view_submit_us(v, u) == hs_view_submit_us(v, best) &&
                                     hs_view_rank(v, u) > hs_view_rank(v, best)))))
            best = u;
    }
    return best;
}

void hs_gandiva_reclaim(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                        uint32_t server, uint32_t gpus, bool takes_all)
{
    uint32_t idle;
    while (g->servers[server].grown > 0 && (idle = hs_view_node_free(v, server)) < gpus) {
        hs_job_id job = to_shrink(g, v, server);
        if (job == HS_NO_JOB)
            return;
        hs_plan_because(p, "shrinks: others of its server want the GPUs that it grew onto");
        uint32_t kept = takes_all ? hs_view_gpus(v, job) : to_keep(v, job, gpus - idle);
        hs_gandiva_seat_idle(g, v, p, job, HS_GANDIVA_MIGRATE,
                             hs_gandiva_pause_us(g, v, job, false), kept);
    }
}

/* Makes more progress for each GPU. */
static bool is_better(const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    hs_u128 x = (hs_u128)hs_view_rate_q32(v, a) * hs_gandiva_job(v, b)->held;
    hs_u128 y = (hs_u128)hs_view_rate_q32(v, b) * hs_gandiva_job(v, a)->held;
    if (x != y)
        return x > y;
    if (hs_view_submit_us(v, a) != hs_view_submit_us(v, b))
        return hs_view_submit_us(v, a) < hs_view_submit_us(v, b);
    return hs_view_rank(v, a) < hs_view_rank(v, b);
}

static hs_job_id to_grow(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                         uint32_t idle)
{
    hs_job_id best = HS_NO_JOB;
    for (hs_job_id u = g->servers[server].head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        const struct hs_gandiva_job *l = hs_gandiva_job(v, u);
        if (!l->is_elastic || l->members > 1 || !l->is_running || l->touched == g->plan ||
            hs_view_state(v, u) != HS_JOB_RUNNING)
            continue;
        uint32_t more = could_hold(v, u, idle) - l->held;
        if (more > 0 && hs_gandiva_has_workers(v, u, server, more) &&
            (best == HS_NO_JOB || is_better(v, u, best)))
            best = u;
    }
    return best;
}

int64_t hs_gandiva_grow_at_us(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    if (!g->grows || s->elastic == 0 || s->is_over || hs_view_node_free(v, server) == 0)
        return INT64_MAX;
    int64_t at_us = s->idle_since_us + g->grow_idle_us;
    return at_us > hs_view_now_us(v) ? at_us : INT64_MAX;
}

void hs_gandiva_grow(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                     uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    uint32_t idle;
    if (!g->grows || s->elastic == 0 || s->is_over || s->has_split ||
        hs_view_now_us(v) - s->idle_since_us < g->grow_idle_us)
        return;
    while ((idle = hs_view_node_free(v, server)) > 0) {
        hs_job_id job = to_grow(g, v, server, idle);
        if (job == HS_NO_JOB)
            return;
        hs_plan_because(p, "grows onto idle GPUs of its server");
        hs_gandiva_seat_idle(g, v, p, job, HS_GANDIVA_MIGRATE,
                             hs_gandiva_pause_us(g, v, job, false), could_hold(v, job, idle));
    }
}
