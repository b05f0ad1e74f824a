/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AlloX (Le et al., EuroSys'20), as Gavel has it: waiting jobs of one GPU are matched with places
 * of the free GPUs, counted from the end; a job in place k delays k jobs, itself among them, by its
 * time there, so that the sum over k times time is the sum of all waits and times. The matching of
 * least cost is exact (Hungarian method by shortest augmenting paths: Jonker and Volgenant,
 * Computing 38, 1987). The first job of each GPU is committed to the type until it ends, the others
 * are matched anew at the next solution.
 *
 * At equal cost the type that comes first by name is taken. Cost: O(jobs^2 x places) at worst;
 * where jobs that take long come first, as here, nearly every path has length one: O(jobs x
 * places).
 */
#include "policies/gavel/gavel.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

static bool by_time(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *nothing)
{
    const struct hs_gavel_scratch *x = hs_gavel_of(v, a), *y = hs_gavel_of(v, b);
    (void)nothing;
    return x->priority != y->priority ? x->priority > y->priority
                                      : hs_job_queue_tie_is_before(v, a, b);
}

/* Shortest augmenting path from a job to a free place. */
static void match(struct hs_gavel_allox *a, uint32_t row)
{
    uint32_t left = a->places, at = NONE;
    for (uint32_t c = 0; c < a->places;
         c++) { /* backwards: at equal cost the first place is found */
        a->left[c] = a->places - 1 - c;
        a->distance[c] = INFINITY;
    }
    double moved = 0;
    for (uint32_t r = row; at == NONE || a->taken_by[at] != NONE;) {
        uint32_t next = 0;
        double least = INFINITY;
        for (uint32_t i = 0; i < left; i++) {
            const uint32_t c = a->left[i];
            const struct hs_gavel_place *p = &a->place[c];
            const double distance = moved + (p->number * a->time[r][p->type] + a->age[r]) -
                                    a->job_price[r] - a->price[c];
            if (distance < a->distance[c]) {
                a->distance[c] = distance;
                a->before[c] = at;
            }
            if (a->distance[c] < least || (a->distance[c] == least && a->taken_by[c] == NONE)) {
                least = a->distance[c];
                next = i;
            }
        }
        at = a->left[next];
        a->left[next] = a->left[--left];
        a->left[left] = at; /* behind those that are left stand those that were reached */
        moved = least;
        r = a->taken_by[at];
    }
    a->job_price[row] += moved;
    for (uint32_t i = left; i < a->places; i++) {
        const uint32_t c = a->left[i];
        if (a->taken_by[c] != NONE)
            a->job_price[a->taken_by[c]] += moved - a->distance[c];
        a->price[c] -= moved - a->distance[c];
    }
    for (uint32_t c = at; c != NONE; c = a->before[c])
        a->taken_by[c] = a->before[c] != NONE ? a->taken_by[a->before[c]] : row;
}

/* Waiting jobs of one GPU, the first to come, then those that take longest first. */
static void collect(const struct hs_gavel *g, struct hs_gavel_pool *pool, const struct hs_view *v,
                    double *room)
{
    struct hs_gavel_allox *a = g->allox;
    uint32_t waiting = 0;
    hs_job_chain_sort(&pool->jobs, v, hs_gavel_by_arrival, NULL);
    HS_GAVEL_EACH(job, pool, v)
    {
        for (uint32_t t = 0; t < g->types; t++)
            room[t] -= hs_gavel_of(v, job)->share[t];
    }
    HS_GAVEL_EACH(job, pool, v)
    {
        struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        double speed = 0; /* the highest where there is room */
        bool is_committed = false;
        for (uint32_t t = 0; t < g->types; t++) {
            speed = room[t] > 0 ? fmax(speed, j->speed[t]) : speed;
            is_committed |= j->share[t] > 0;
        }
        const bool is_in = !is_committed && speed > 0 && hs_view_gpus(v, job) == 1 &&
                           waiting < HS_GAVEL_ALLOX_JOBS;
        waiting += is_in;
        j->priority = !is_in ? -1 : g->compat == HS_GAVEL_COMPAT_OFF ? j->left_us / speed : 0;
    }
    hs_job_chain_sort(&pool->jobs, v, by_time, NULL);
    a->jobs = 0;
    for (hs_job_id job = pool->jobs.first; a->jobs < waiting; job = hs_gavel_next(v, job)) {
        const struct hs_gavel_scratch *j = hs_gavel_of(v, job);
        const bool is_compat = g->compat != HS_GAVEL_COMPAT_OFF;
        const double left = is_compat ? j->steps - j->done : j->left_us;
        const double unit = is_compat ? j->steps_per_s : 1;
        for (uint32_t t = 0; t < g->types; t++)
            a->time[a->jobs][t] = j->speed[t] > 0 ? left / (unit * j->speed[t]) : INFINITY;
        a->age[a->jobs] = is_compat ? pool->now - (double)hs_view_submit_us(v, job) / 1e6 : 0;
        a->job_price[a->jobs] = 0;
        a->job[a->jobs++] = job;
    }
}

void hs_gavel_allox_share(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                          const struct hs_view *v)
{
    struct hs_gavel_allox *a = g->allox;
    double room[HS_GAVEL_TYPES];
    uint32_t gpus = 0;
    memcpy(room, pool->gpus, sizeof room);
    collect(g, pool, v, room);
    a->places = 0;
    for (uint32_t number = 1; number <= a->jobs; number++) {
        gpus = 0;
        for (uint32_t t = 0; t < g->types; t++) {
            /* no more GPUs than jobs, and places for all jobs on those of each type */
            const uint32_t free = (uint32_t)fmin(room[t], a->jobs);
            for (uint32_t i = 0; i < free && (number - 1) * free < a->jobs; i++)
                a->place[a->places++] = (struct hs_gavel_place){t, gpus + i, number};
            gpus += free;
        }
    }
    for (uint32_t c = 0; c < a->places; c++) {
        a->price[c] = 0;
        a->taken_by[c] = NONE;
    }
    for (uint32_t row = 0; row < a->jobs && a->places > 0; row++)
        match(a, row);
    for (uint32_t i = 0; i < gpus; i++)
        a->first[i] = NONE;
    for (uint32_t c = 0; c < a->places; c++) /* numbers rise */
        if (a->taken_by[c] != NONE)
            a->first[a->place[c].gpu] = c;
    for (uint32_t i = 0; i < gpus; i++)
        if (a->first[i] != NONE)
            hs_gavel_of(v, a->job[a->taken_by[a->first[i]]])->share[a->place[a->first[i]].type] = 1;
}
