/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The coordinator of each GPU. Its clock runs from the arrival of the owner: for `init` the others
 * make way, then their caps rise by a step each tick, until they fill what the owner leaves. What
 * concerns a job, which may sit on several GPUs, is the least of what they allow it.
 */
#include "policies/kit_antman.h"

#include "policies/kit_antman_memory.h"

#define BYTES_PER_MIB 1048576
#define BYTES_PER_GB  1000000000
#define STILL         UINT32_MAX /* steps of a job whose cap is as good as nothing */

void hs_antman_touch(struct hs_antman *s, uint32_t gpu)
{
    if (s->gpus[gpu].is_touched)
        return;
    s->gpus[gpu].is_touched = true;
    s->gpus[gpu].next_touched = s->first_touched;
    s->first_touched = gpu + 1;
}

void hs_antman_move(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    if (j->is_moved)
        return;
    j->is_moved = true;
    j->next_moved = s->first_moved;
    s->first_moved = job + 1;
}

void hs_antman_forget(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    uint32_t *link = &s->first_moved;
    if (!hs_antman_job(v, job)->is_moved)
        return;
    while (*link != job + 1)
        link = &hs_antman_job(v, *link - 1)->next_moved;
    *link = hs_antman_job(v, job)->next_moved;
    hs_antman_job(v, job)->is_moved = false;
}

/* ---- the clock ---- */

bool hs_antman_is_settling(const struct hs_antman *s, const struct hs_antman_gpu *g, int64_t now_us)
{
    return s->has_ramp && g->owner != 0 && now_us < g->since_us + s->init_us;
}

static void set_tick(const struct hs_antman_pass *x, uint32_t gpu)
{
    struct hs_antman_gpu *g = &x->s->gpus[gpu];
    int64_t start_us = g->since_us + x->s->init_us, past_us = x->now_us - start_us;
    int64_t at_us =
        past_us < 0 ? start_us : start_us + (past_us / x->s->tick_us + 1) * x->s->tick_us;
    if (g->tick_us == at_us)
        return;
    g->tick_us = at_us;
    hs_plan_timer(x->p, at_us, gpu);
}

static void measure(const struct hs_antman_pass *x, struct hs_antman_gpu *g)
{
    const struct hs_antman *s = x->s;
    g->most =
        hs_antman_most_steps(s->step_pm, hs_antman_job(x->v, g->owner - 1)->util_pm, g->spare_pm);
    g->steps = s->has_ramp && g->steps < g->most ? g->steps : g->most;
}

void hs_antman_begin_ramp(const struct hs_antman_pass *x, uint32_t gpu)
{
    const struct hs_antman *s = x->s;
    struct hs_antman_gpu *g = &x->s->gpus[gpu];
    hs_antman_touch(x->s, gpu);
    if (g->owner == 0)
        return;
    g->steps = hs_antman_is_settling(s, g, x->now_us) ? 0 : 1;
    measure(x, g);
    if (g->spares > 0)
        set_tick(x, gpu);
}

void hs_antman_tick(const struct hs_antman_pass *x, uint32_t gpu)
{
    struct hs_antman_gpu *g = &x->s->gpus[gpu];
    if (g->owner == 0)
        return;
    g->steps++;
    hs_antman_touch(x->s, gpu);
}

/* ---- memory ---- */

static uint32_t usable_mib(const struct hs_antman_job *j, uint32_t limit_mib)
{
    return limit_mib == 0 || limit_mib > j->peak_mib ? j->peak_mib : limit_mib;
}

void hs_antman_limit(const struct hs_antman_pass *x, hs_job_id job, uint32_t mib)
{
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    if (mib == j->limit_mib)
        return;
    hs_plan_mem_limit(x->p, job, mib);
    j->limit_mib = mib;
}

/* What those who are there may use as things stand. */
static uint64_t used_mib(const struct hs_antman_pass *x, uint32_t gpu)
{
    const struct hs_holds *holds = &x->s->holds;
    uint64_t mib = 0;
    for (uint32_t h = holds->on_gpu[gpu]; h != 0; h = holds->holds[h].next_on_gpu) {
        const struct hs_antman_job *j = hs_antman_job(x->v, holds->holds[h].job);
        mib += usable_mib(j, j->limit_mib);
    }
    return mib;
}

void hs_antman_make_room(const struct hs_antman_pass *x, uint32_t gpu, uint32_t mib)
{
    struct hs_hold *holds = x->s->holds.holds;
    if (used_mib(x, gpu) + mib <= hs_view_gpu_capacity_mib(x->v, gpu))
        return;
    for (uint32_t h = x->s->holds.on_gpu[gpu]; h != 0; h = holds[h].next_on_gpu) {
        hs_job_id job = holds[h].job;
        const struct hs_antman_job *j = hs_antman_job(x->v, job);
        if (j->role != HS_ANTMAN_SPARE || usable_mib(j, j->limit_mib) <= j->least_mib)
            continue;
        holds[h].limit_mib = j->least_mib;
        hs_antman_limit(x, job, j->least_mib);
        hs_antman_move(x->s, x->v, job);
    }
}

/* The opportunistic jobs of one GPU. */
struct guests {
    const struct hs_antman_pass *x;
    uint32_t holds[HS_ANTMAN_SHARERS];
    struct hs_antman_share shares[HS_ANTMAN_SHARERS];
    uint32_t count;
    uint64_t peak_mib;
};

static uint64_t speed_of(const void *ctx, uint32_t i, uint32_t limit_mib)
{
    const struct guests *guests = ctx;
    const struct hs_antman_pass *x = guests->x;
    return hs_view_limited_q32(x->v, x->s->holds.holds[guests->holds[i]].job, limit_mib);
}

static void find_guests(struct guests *guests, const struct hs_antman_pass *x, uint32_t gpu)
{
    const struct hs_hold *holds = x->s->holds.holds;
    guests->x = x;
    guests->count = 0;
    guests->peak_mib = 0;
    for (uint32_t h = x->s->holds.on_gpu[gpu]; h != 0; h = holds[h].next_on_gpu) {
        const struct hs_antman_job *j = hs_antman_job(x->v, holds[h].job);
        if (j->role != HS_ANTMAN_SPARE || j->peak_mib == 0)
            continue;
        guests->holds[guests->count] = h;
        guests->shares[guests->count++] = (struct hs_antman_share){
            .least_mib = j->least_mib, .peak_mib = j->peak_mib, .given_mib = j->least_mib};
        guests->peak_mib += j->peak_mib;
    }
}

/* The owner, or who is alone, may have what it needs. Who is alone has no limit, but where it has
 * grown beyond what is for the tenants of the GPU; it fits on the device as it was submitted. */
static uint32_t share_of_one(const struct hs_antman_pass *x, uint32_t gpu, hs_job_id job)
{
    const struct hs_antman_gpu *g = &x->s->gpus[gpu];
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    uint32_t peak_mib = j->peak_mib;
    uint64_t most_mib = hs_view_gpu_capacity_mib(x->v, gpu);
    if (g->spares == (g->owner == 0) && (peak_mib <= most_mib || !j->has_grown))
        return UINT32_MAX;
    most_mib -= g->owner != 0 ? g->least_mib : 0;
    return peak_mib < most_mib ? peak_mib : (uint32_t)most_mib;
}

/* The owner has what it needs, the others the rest; while the owner settles, the least. */
static void share_memory(const struct hs_antman_pass *x, uint32_t gpu)
{
    struct hs_antman *s = x->s;
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    struct hs_hold *holds = s->holds.holds;
    struct guests guests;
    uint32_t capacity_mib = hs_view_gpu_capacity_mib(x->v, gpu), room_mib = capacity_mib;
    bool is_settling = hs_antman_is_settling(s, g, x->now_us);
    for (uint32_t h = s->holds.on_gpu[gpu]; h != 0; h = holds[h].next_on_gpu) {
        holds[h].limit_mib =
            capacity_mib < UINT32_MAX ? share_of_one(x, gpu, holds[h].job) : UINT32_MAX;
        if (holds[h].job + 1 == g->owner && g->spares > 0)
            room_mib -= holds[h].limit_mib;
    }
    if (capacity_mib == UINT32_MAX || g->spares == (g->owner == 0))
        return;
    find_guests(&guests, x, gpu);
    if (!is_settling && guests.peak_mib > room_mib)
        hs_antman_split(guests.shares, guests.count, room_mib, s->chunks, speed_of, &guests);
    for (uint32_t i = 0; i < guests.count; i++)
        holds[guests.holds[i]].limit_mib = is_settling || guests.peak_mib > room_mib
                                               ? guests.shares[i].given_mib
                                               : guests.shares[i].peak_mib;
}

/* ---- jobs ---- */

static uint32_t allowed_mib(const struct hs_antman_pass *x, const struct hs_antman_job *j)
{
    const struct hs_hold *holds = x->s->holds.holds;
    uint32_t mib = UINT32_MAX;
    for (uint32_t h = j->first_hold; h != 0; h = holds[h].next_of_job)
        mib = holds[h].limit_mib < mib ? holds[h].limit_mib : mib;
    return mib == UINT32_MAX || j->peak_mib == 0 ? 0 : mib;
}

static uint32_t allowed_steps(const struct hs_antman_pass *x, const struct hs_antman_job *j)
{
    const struct hs_hold *holds = x->s->holds.holds;
    uint32_t steps = x->s->full_steps;
    for (uint32_t h = j->first_hold; h != 0 && j->role == HS_ANTMAN_SPARE;
         h = holds[h].next_of_job) {
        const struct hs_antman_gpu *g = &x->s->gpus[holds[h].gpu];
        if (g->owner != 0 && g->steps < steps)
            steps = g->steps;
    }
    return steps;
}

/* Of moving that much memory, rounded up to a microsecond. */
static int64_t transfer_us(double ms_per_gb, uint32_t mib)
{
    int64_t ns_per_gb = (int64_t)(ms_per_gb * 1e6 + 0.5);
    int64_t bytes = (int64_t)mib * BYTES_PER_MIB;
    int64_t ns = bytes / BYTES_PER_GB * ns_per_gb + bytes % BYTES_PER_GB * ns_per_gb / BYTES_PER_GB;
    return (ns + 999) / 1000;
}

/* A job that stands still pays nothing: its memory moves meanwhile. */
static void pay_for_memory(const struct hs_antman_pass *x, hs_job_id job, uint32_t steps)
{
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    uint32_t mib = usable_mib(j, j->limit_mib);
    if (j->is_new || steps == 0 || j->limit_mib == j->told_mib || mib == j->before_mib ||
        hs_view_state(x->v, job) != HS_JOB_RUNNING)
        return;
    int64_t cost_us = mib > j->before_mib
                          ? transfer_us(x->s->growth_ms_per_gb, mib - j->before_mib)
                          : transfer_us(x->s->shrink_ms_per_gb, j->before_mib - mib);
    if (cost_us <= 0)
        return;
    hs_plan_because(x->p, "its memory moves between GPU and host");
    hs_plan_owe(x->p, job, cost_us);
}

/* Only who runs can be paused; who still pays a cost is told to be still until then. */
static void stop(const struct hs_antman_pass *x, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    if (hs_view_state(x->v, job) == HS_JOB_RUNNING) {
        hs_plan_pause(x->p, job);
        j->steps = 0;
    } else if (j->steps != STILL) {
        hs_plan_cap(x->p, job, 1);
        j->steps = STILL;
    }
}

static void set_cap(const struct hs_antman_pass *x, hs_job_id job, uint32_t steps)
{
    struct hs_antman *s = x->s;
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    if (steps == j->steps)
        return;
    hs_plan_because(x->p, steps == s->full_steps ? "no guaranteed job on its GPUs is disturbed"
                          : steps == 0           ? "the guaranteed job on its GPU leaves nothing"
                                                 : "what the guaranteed job on its GPU leaves");
    if (steps == 0) {
        stop(x, job);
    } else {
        hs_plan_cap(x->p, job, hs_antman_cap_q32(s->step_pm, steps));
        if (hs_view_state(x->v, job) == HS_JOB_PAUSED)
            hs_plan_resume(x->p, job);
        j->steps = steps;
    }
    for (uint32_t h = j->first_hold; h != 0; h = s->holds.holds[h].next_of_job)
        hs_antman_unsettle(s, x->v, s->holds.holds[h].gpu);
}

static void coordinate_gpu(const struct hs_antman_pass *x, uint32_t gpu)
{
    struct hs_antman *s = x->s;
    struct hs_antman_gpu *g = &s->gpus[gpu];
    if (g->owner != 0)
        measure(x, g);
    if (g->owner != 0 && g->tick_us == 0 && g->spares > 0 && g->steps < g->most)
        set_tick(x, gpu);
    if (g->owner == 0 || !hs_antman_job(x->v, g->owner - 1)->has_surged)
        share_memory(x, gpu);
    for (uint32_t h = s->holds.on_gpu[gpu]; h != 0; h = s->holds.holds[h].next_on_gpu)
        hs_antman_move(s, x->v, s->holds.holds[h].job);
}

/* Who has to give memory does before anybody takes it. */
static void shrink(const struct hs_antman_pass *x, hs_job_id job)
{
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    uint32_t mib = allowed_mib(x, j);
    hs_plan_because(x->p, "its part of the memory of its GPUs");
    if (usable_mib(j, mib) < usable_mib(j, j->limit_mib))
        hs_antman_limit(x, job, mib);
}

static void settle(const struct hs_antman_pass *x, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    j->is_moved = false;
    uint32_t steps = allowed_steps(x, j);
    if (j->has_surged && !j->is_step_awaited)
        hs_plan_await_step(x->p, job, 1);
    j->is_step_awaited = j->has_surged;
    hs_plan_because(x->p, "its part of the memory of its GPUs");
    hs_antman_limit(x, job, allowed_mib(x, j));
    pay_for_memory(x, job, steps);
    set_cap(x, job, steps);
    j->told_mib = j->limit_mib;
    j->before_mib = usable_mib(j, j->limit_mib);
    j->is_new = false;
}

/* Not on the device, and not with what may lie on the host, beside those who are there: it is the
 * one who asks for more that goes, and never an owner for the sake of the others. */
static bool is_beyond_help(const struct hs_antman_pass *x, const struct hs_antman_job *j)
{
    const struct hs_hold *holds = x->s->holds.holds;
    for (uint32_t h = j->needs_more ? j->first_hold : 0; h != 0; h = holds[h].next_of_job) {
        const struct hs_antman_gpu *g = &x->s->gpus[holds[h].gpu];
        uint64_t capacity_mib = hs_view_gpu_capacity_mib(x->v, holds[h].gpu);
        uint64_t least_mib = g->least_mib;
        if (g->owner != 0)
            least_mib += hs_antman_job(x->v, g->owner - 1)->peak_mib;
        if (j->role == HS_ANTMAN_GUARANTEED)
            least_mib = j->peak_mib > x->s->host_mib ? j->peak_mib - (uint64_t)x->s->host_mib : 0;
        if (least_mib > capacity_mib)
            return true;
    }
    return false;
}

bool hs_antman_kill(const struct hs_antman_pass *x)
{
    bool has_killed = false;
    for (uint32_t at = x->s->first_moved; at != 0; at = hs_antman_job(x->v, at - 1)->next_moved) {
        struct hs_antman_job *j = hs_antman_job(x->v, at - 1);
        if (is_beyond_help(x, j)) {
            hs_plan_because(x->p, "it needs more memory now than its GPUs have left");
            hs_plan_kill(x->p, at - 1);
            has_killed = true;
        }
        j->needs_more = false;
    }
    return has_killed;
}

void hs_antman_coordinate(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    for (uint32_t at = s->first_touched; at != 0; at = s->gpus[at - 1].next_touched) {
        s->gpus[at - 1].is_touched = false;
        coordinate_gpu(x, at - 1);
    }
    s->first_touched = 0;
    for (uint32_t at = s->first_moved; at != 0; at = hs_antman_job(x->v, at - 1)->next_moved)
        shrink(x, at - 1);
    for (uint32_t at = s->first_moved; at != 0; at = hs_antman_job(x->v, at - 1)->next_moved)
        settle(x, at - 1);
    s->first_moved = 0;
}
