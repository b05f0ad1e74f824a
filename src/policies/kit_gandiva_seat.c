/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a plan says of one job, and what is remembered of it. O(GPUs of the server).
 *
 * Where servers may be sliced by shares, every job on one of them sits in the lane of the server
 * from its start on, so that it can be given a share later; spread jobs sit in none.
 */
#include "policies/kit_gandiva.h"

static bool is_laned(const struct hs_gandiva *g)
{
    return g->slices && g->slicing != HS_SLICING_EXACT;
}

static void note_seats(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                       const uint32_t *gpus, uint32_t count)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    struct hs_gandiva_server *s = &g->servers[j->server];
    uint32_t asked = hs_view_gpus(v, job);
    s->grown -= j->held > asked ? j->held - asked : 0;
    s->grown += count > asked ? count - asked : 0;
    j->held = count;
    j->gpu = count > 0 ? gpus[0] : HS_NO_GPU;
    j->seats = 0;
    for (uint32_t i = 0; i < count && s->gpus <= HS_GANDIVA_WIDEST; i++)
        j->seats |= UINT64_C(1) << (gpus[i] - s->first_gpu);
}

/* The number of its turn in the lane: that of the members of its group that run on the GPU, or one
 * that nobody had before; 0, its own, for a job that is not packed because its GPU ran out of
 * memory once. Under shares a member that was of another unit before has the number of that still.
 */
static uint32_t turn_number(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                            uint32_t gpu)
{
    const struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    if (hs_view_ooms(v, job) > 0)
        return 0;
    for (hs_job_id id = j->leader; id != HS_NO_JOB; id = hs_gandiva_job(v, id)->member) {
        const struct hs_gandiva_job *m = hs_gandiva_job(v, id);
        if (m != j && m->is_running && m->gpu == gpu &&
            !(m->is_regrouped && g->servers[j->server].is_fluid))
            return m->unit;
    }
    return ++g->unit;
}

/* Of a start, or a change of seats; who moves a job says why himself. */
static const char *because(const struct hs_view *v, hs_job_id job, enum hs_gandiva_how how)
{
    const struct hs_gandiva_job *l = hs_gandiva_job(v, hs_gandiva_job(v, job)->leader);
    if (l->members > 1)
        return l->trial == job ? "packing trial: beside another job of its server"
                               : "packed with another job of its server";
    if (how == HS_GANDIVA_RESTART)
        return "the turns of its server are shared out anew";
    return hs_view_state(v, job) == HS_JOB_SUSPENDED ? "its turn on its server" : NULL;
}

/* Up to where the GPUs are given; gpu: the first of them if somebody may be there, or HS_NO_GPU. */
static void begin_seat(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                       hs_job_id job, enum hs_gandiva_how how, int64_t pause_us, uint32_t gpu)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    if (how != HS_GANDIVA_MIGRATE)
        hs_plan_because(p, because(v, job, how));
    if (how == HS_GANDIVA_RESTART)
        hs_plan_suspend(p, job, g->switch_us);
    if (how == HS_GANDIVA_MIGRATE)
        hs_plan_migrate(p, job, pause_us);
    else
        hs_plan_start(p, job);
    if (is_laned(g)) {
        j->unit = turn_number(g, v, job, gpu);
        hs_plan_lane(p, &(struct hs_turn){
                            .lane = j->server + 1, .unit = j->unit, .keeps = HS_KEEPS_NOTHING});
    }
    j->is_running = true;
    j->is_awaited = j->is_regrouped = false;
    j->share_q32 = HS_GANDIVA_ONE_Q32;
    j->touched = g->plan;
}

void hs_gandiva_seat(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                     hs_job_id job, enum hs_gandiva_how how, const uint32_t *gpus, uint32_t count)
{
    begin_seat(g, v, p, job, how, 0, gpus[0]);
    for (uint32_t i = 0; i < count; i++)
        hs_plan_on_gpu(p, gpus[i]);
    note_seats(g, v, job, gpus, count);
}

void hs_gandiva_seat_idle(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                          hs_job_id job, enum hs_gandiva_how how, int64_t pause_us, uint32_t count)
{
    uint32_t gpu = 0, server = hs_gandiva_job(v, job)->server;
    begin_seat(g, v, p, job, how, pause_us, HS_NO_GPU);
    for (uint32_t i = 0; i < count; i++) {
        g->levels[i] = gpu = hs_view_idle_gpu(v, server, gpu);
        hs_plan_on_gpu(p, gpu);
    }
    note_seats(g, v, job, g->levels, count);
}

void hs_gandiva_suspend(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                        hs_job_id job)
{
    struct hs_gandiva_job *j = hs_gandiva_job(v, job);
    if (g->packs)
        hs_gandiva_measure(v, job);
    hs_plan_because(p, "its turn is over: others of its server run");
    hs_plan_suspend(p, job, g->switch_us);
    note_seats(g, v, job, NULL, 0);
    j->is_running = j->is_awaited = false;
    j->touched = g->plan;
}

/* A GB is 10^9 bytes: a MiB is 16384 / 15625000 of it. */
int64_t hs_gandiva_pause_us(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                            bool is_across)
{
    int64_t per_gb_us = is_across ? g->migrate_inter_us : g->migrate_intra_us;
    hs_i128 us = (hs_i128)hs_view_checkpoint_mib(v, job) * per_gb_us * 16384 / 15625000;
    return g->migrate_us + (int64_t)us;
}
