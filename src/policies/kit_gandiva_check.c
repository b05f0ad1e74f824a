/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What must hold after each decision. O(live jobs).
 */
#include "policies/kit_gandiva.h"

static bool is_placed(const struct hs_view *v, hs_job_id job)
{
    enum hs_job_state state = hs_view_state(v, job);
    return state == HS_JOB_STARTING || state == HS_JOB_RUNNING || state == HS_JOB_MIGRATING;
}

/* What the ring of a server comes to. */
struct sums {
    uint32_t units, jobs, trials, least_count;
    uint64_t demand;
    bool waits, is_awaited; /* a job for its turn; a mini-batch to end */
};

static const char *check_member(const struct hs_view *v, uint32_t server, hs_job_id leader,
                                hs_job_id job)
{
    const struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    if (j->where != HS_GANDIVA_ON_SERVER || j->server != server)
        return "a ring holds a job of another server";
    if (j->leader != leader)
        return "a packed job goes by another leader";
    if (j->is_running != is_placed(v, job) || (j->held > 0) != j->is_running)
        return "a job of a ring runs although it should not, or the other way round";
    if (j->is_running && j->held != hs_view_gpus_held(v, job))
        return "a job of a ring holds other GPUs than it should";
    return NULL;
}

static const char *check_unit(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                              hs_job_id leader, struct sums *sums)
{
    const struct hs_gandiva_job *l = hs_gandiva_job(v, leader);
    uint32_t members = 0;
    for (hs_job_id m = leader; m != HS_NO_JOB; m = hs_gandiva_job(v, m)->member) {
        const char *broken = check_member(v, server, leader, m);
        if (broken != NULL)
            return broken;
        members++;
        sums->is_awaited = sums->is_awaited || hs_gandiva_job(v, m)->is_awaited;
    }
    if (members != l->members || members > (uint64_t)g->max_pack)
        return "a group has other members than it counts, or too many";
    if (members > 1 && hs_view_gpus(v, leader) != 1)
        return "gangs are packed";
    sums->units++;
    sums->jobs += members;
    sums->trials += l->trial != HS_NO_JOB;
    sums->demand += hs_view_gpus(v, leader);
    sums->least_count += members == 1 && hs_view_gpus(v, leader) == g->servers[server].least;
    sums->waits =
        sums->waits || (members == 1 && !l->is_running && !hs_view_is_constrained(v, leader));
    return NULL;
}

static const char *check_ring(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server,
                              struct sums *sums)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    hs_job_id before = HS_NO_JOB;
    for (hs_job_id u = s->head; u != HS_NO_JOB; u = hs_gandiva_job(v, u)->next) {
        const char *broken = check_unit(g, v, server, u, sums);
        if (broken != NULL)
            return broken;
        if (hs_gandiva_job(v, u)->prev != before)
            return "a ring is torn";
        if (hs_gandiva_job(v, u)->members == 1 && hs_view_gpus(v, u) < s->least)
            return "a job is smaller than the smallest of its server";
        before = u;
    }
    return before == s->tail ? NULL : "a ring is torn at its end";
}

static bool counts_right(const struct hs_gandiva *g, const struct hs_gandiva_server *s,
                         const struct sums *sums)
{
    uint32_t pinned = 0;
    for (uint32_t gpu = s->first_gpu; gpu < s->first_gpu + s->gpus; gpu++)
        pinned += g->pin_owner[gpu] != 0;
    return sums->units == s->units && sums->jobs == s->jobs && pinned == s->pinned &&
           sums->demand + pinned == s->demand && sums->trials == s->trials &&
           sums->least_count == s->least_count;
}

static const char *check_server(const struct hs_gandiva *g, const struct hs_view *v,
                                uint32_t server)
{
    const struct hs_gandiva_server *s = &g->servers[server];
    struct sums sums = {0};
    const char *broken = check_ring(g, v, server, &sums);
    if (broken != NULL)
        return broken;
    if (!counts_right(g, s, &sums))
        return "a server counts other jobs or GPUs than it has";
    if (hs_gandiva_is_empty(s) && s->affinity != 0)
        return "an empty server has an affinity";
    if (hs_gandiva_is_empty(s) == hs_gandiva_index_has(&g->by_free, server))
        return "an index has empty servers, or has not all others";
    /* except where groups were broken up because their memory grew */
    if (!s->may_burst && s->demand > (uint64_t)(g->max_height + 1) * s->gpus)
        return "a server is higher than it may be";
    /* but for the GPU of one that stops, or while the engine is about to end one */
    if (!s->is_over && sums.waits && !sums.is_awaited && !s->is_fluid)
        return "a job waits for its turn on a server that has room for all";
    return NULL;
}

static const char *check_queues(const struct hs_gandiva *g, const struct hs_view *v)
{
    for (uint32_t i = 0; i < g->vcs * g->sizes; i++) {
        const struct hs_order *queue = &g->queues[i];
        if (!hs_order_is_valid(queue, v))
            return "a waiting queue is out of order";
        for (hs_job_id j = hs_order_first(queue, v); j != HS_NO_JOB; j = hs_order_next(queue, v, j))
            if (!hs_job_waits(v, j) || hs_gandiva_job(v, j)->where != HS_GANDIVA_WAITS)
                return "a waiting queue holds a job that does not wait";
    }
    return NULL;
}

const char *hs_gandiva_check(const struct hs_gandiva *g, const struct hs_view *v)
{
    for (uint32_t i = 0; i < g->server_count; i++) {
        const char *broken = check_server(g, v, i);
        if (broken != NULL)
            return broken;
    }
    for (hs_job_id j = hs_order_first(&g->spread, v); j != HS_NO_JOB;
         j = hs_order_next(&g->spread, v, j))
        if (hs_gandiva_job(v, j)->where != HS_GANDIVA_SPREAD || !is_placed(v, j))
            return "a job that is said to be spread is not, or does not run";
    return check_queues(g, v);
}
