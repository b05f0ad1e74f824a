/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The coordinator of each GPU. Its clock runs from the arrival of the owner: for `init` the guests
 * stop, then their caps rise by a step each tick, until they fill what the owner leaves. A job on
 * several GPUs has the least cap and the least limit of them.
 *
 * Memory: the owner has its peak, the guests share the rest so that the sum of their speeds is
 * large (AntMan finds that by trial and error; here the speeds are known). Each guest has at least
 * `least`, and beyond that multiples of a chunk of its own peak. Curves of speed over memory have
 * cliffs, before which a search by single chunks would stop: each move is the best gain per MiB
 * over all higher points of all curves that still fit; of equal ones the larger gain, then the
 * first job. What is left when nothing gains goes to the guests in order. The result is within one
 * move's gain of the best split on these points.
 */
#include "horus/compiler.h"
#include "policies/antman/antman.h"

#define FULL_PM       1000u
#define BYTES_PER_MIB 1048576
#define BYTES_PER_GB  1000000000
#define STILL         UINT32_MAX /* cap_steps of a job whose cap is as good as nothing */

/* ---- caps ---- */

uint32_t hs_antman_full_steps(uint32_t step_pm)
{
    return (FULL_PM + step_pm - 1) / step_pm;
}

static uint64_t cap_pm(uint32_t step_pm, uint32_t steps)
{
    uint64_t pm = (uint64_t)step_pm * steps;
    return pm < FULL_PM ? pm : FULL_PM;
}

uint64_t hs_antman_cap_q32(uint32_t step_pm, uint32_t steps)
{
    return (cap_pm(step_pm, steps) << 32) / FULL_PM;
}

uint32_t hs_antman_most_steps(uint32_t step_pm, uint32_t owner_pm, uint32_t guest_pm)
{
    uint32_t full = hs_antman_full_steps(step_pm);
    uint64_t left = owner_pm < FULL_PM ? (uint64_t)(FULL_PM - owner_pm) * FULL_PM : 0;
    if (cap_pm(step_pm, full) * guest_pm <= left)
        return full;
    return (uint32_t)(left / ((uint64_t)step_pm * guest_pm)); /* below full: no step is short */
}

/* ---- splitting memory ---- */

/* Points of one guest: what it has now, and what it could have. */
struct curve {
    uint32_t limit_mib[HS_ANTMAN_CHUNKS_MOST + 1];
    uint64_t speed_q32[HS_ANTMAN_CHUNKS_MOST + 1];
    uint32_t points, at;
};

struct move {
    uint32_t job, to;
    uint64_t gain_q32;
    uint32_t mib;
};

/* The best move that fits; gain 0: none gains. */
static struct move best_move(const struct curve *curves, uint32_t count, uint64_t room_mib)
{
    struct move best = {.mib = 1};
    for (uint32_t i = 0; i < count; i++) {
        const struct curve *c = &curves[i];
        for (uint32_t to = c->at + 1; to < c->points; to++) {
            uint32_t mib = c->limit_mib[to] - c->limit_mib[c->at];
            if (mib > room_mib || c->speed_q32[to] <= c->speed_q32[c->at])
                continue;
            uint64_t gain_q32 = c->speed_q32[to] - c->speed_q32[c->at];
            hs_u128 own = (hs_u128)gain_q32 * best.mib, old = (hs_u128)best.gain_q32 * mib;
            if (own > old || (own == old && gain_q32 > best.gain_q32))
                best = (struct move){.job = i, .to = to, .gain_q32 = gain_q32, .mib = mib};
        }
    }
    return best;
}

void hs_antman_split(struct hs_antman_share *shares, uint32_t count, uint32_t room_mib,
                     uint32_t chunks, hs_antman_speed_q32 *speed_of, const void *ctx)
{
    struct curve curves[HS_ANTMAN_GUESTS_MOST];
    uint64_t used_mib = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct curve *c = &curves[i];
        c->points = c->at = 0;
        for (uint32_t k = 0; k <= chunks; k++) {
            uint32_t mib = (uint32_t)(((uint64_t)shares[i].peak_mib * k + chunks - 1) / chunks);
            if (k == 0)
                mib = shares[i].least_mib > 0 ? shares[i].least_mib : 1;
            else if (mib <= c->limit_mib[0])
                continue;
            c->limit_mib[c->points] = mib;
            c->speed_q32[c->points++] = speed_of(ctx, i, mib);
        }
        used_mib += c->limit_mib[0];
    }
    while (used_mib < room_mib) {
        const struct move m = best_move(curves, count, room_mib - used_mib);
        if (m.gain_q32 == 0)
            break;
        curves[m.job].at = m.to;
        used_mib += m.mib;
    }
    uint64_t left_mib = used_mib < room_mib ? room_mib - used_mib : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t given_mib = curves[i].limit_mib[curves[i].at];
        uint32_t lack_mib = shares[i].peak_mib > given_mib ? shares[i].peak_mib - given_mib : 0;
        uint32_t more_mib = lack_mib < left_mib ? lack_mib : (uint32_t)left_mib;
        shares[i].given_mib = given_mib + more_mib;
        left_mib -= more_mib;
    }
}

/* ---- lists ---- */

void hs_antman_touch(struct hs_antman *s, uint32_t gpu)
{
    if (s->gpus[gpu].is_coordinated)
        return;
    s->gpus[gpu].is_coordinated = true;
    s->gpus[gpu].next_coordinated = s->first_coordinated;
    s->first_coordinated = gpu + 1;
}

void hs_antman_review(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    if (j->is_reviewed)
        return;
    j->is_reviewed = true;
    j->next_review = s->first_review;
    s->first_review = job + 1;
}

void hs_antman_forget(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    uint32_t *link = &s->first_review;
    if (!hs_antman_job(v, job)->is_reviewed)
        return;
    while (*link != job + 1)
        link = &hs_antman_job(v, *link - 1)->next_review;
    *link = hs_antman_job(v, job)->next_review;
    hs_antman_job(v, job)->is_reviewed = false;
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
        hs_antman_most_steps(s->step_pm, hs_antman_job(x->v, g->owner - 1)->util_pm, g->guest_pm);
    g->steps = s->has_ramp && g->steps < g->most ? g->steps : g->most;
}

void hs_antman_begin_ramp(const struct hs_antman_pass *x, uint32_t gpu)
{
    struct hs_antman_gpu *g = &x->s->gpus[gpu];
    hs_antman_touch(x->s, gpu);
    if (g->owner == 0)
        return;
    g->steps = hs_antman_is_settling(x->s, g, x->now_us) ? 0 : 1;
    measure(x, g);
    if (g->guests > 0)
        set_tick(x, gpu);
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

void hs_antman_make_room(const struct hs_antman_pass *x, uint32_t gpu, uint32_t mib)
{
    struct hs_map_entry *entries = x->s->allocations.allocations;
    uint32_t first = x->s->allocations.on_gpu[gpu];
    uint64_t used_mib = mib;
    for (uint32_t h = first; h != 0; h = entries[h].next_on_gpu) {
        const struct hs_antman_job *j = hs_antman_job(x->v, entries[h].job);
        used_mib += usable_mib(j, j->limit_mib);
    }
    if (used_mib <= hs_view_gpu_capacity_mib(x->v, gpu))
        return;
    for (uint32_t h = first; h != 0; h = entries[h].next_on_gpu) {
        const struct hs_antman_job *j = hs_antman_job(x->v, entries[h].job);
        if (j->role != HS_ANTMAN_OPPORTUNISTIC || usable_mib(j, j->limit_mib) <= j->least_mib)
            continue;
        entries[h].limit_mib = j->least_mib;
        hs_antman_limit(x, entries[h].job, j->least_mib);
        hs_antman_review(x->s, x->v, entries[h].job);
    }
}

/* The guests of one GPU whose memory is known. */
struct guests {
    const struct hs_antman_pass *x;
    uint32_t entries[HS_ANTMAN_GUESTS_MOST];
    struct hs_antman_share shares[HS_ANTMAN_GUESTS_MOST];
    uint32_t count;
};

static uint64_t speed_of(const void *ctx, uint32_t i, uint32_t limit_mib)
{
    const struct guests *guests = ctx;
    const struct hs_antman_pass *x = guests->x;
    return hs_view_limited_q32(x->v, x->s->allocations.allocations[guests->entries[i]].job,
                               limit_mib);
}

/* Limit of an owner, or of a job that is alone. A job that is alone has none, unless it has grown
 * beyond what jobs of the GPU may have; as submitted it fits the device. */
static uint32_t limit_of_one(const struct hs_antman_pass *x, uint32_t gpu, hs_job_id job)
{
    const struct hs_antman_gpu *g = &x->s->gpus[gpu];
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    uint64_t most_mib = hs_view_gpu_capacity_mib(x->v, gpu);
    if (g->guests == (g->owner == 0) && (j->peak_mib <= most_mib || !j->has_grown))
        return UINT32_MAX;
    most_mib -= g->owner != 0 ? g->least_mib : 0;
    return j->peak_mib < most_mib ? j->peak_mib : (uint32_t)most_mib;
}

/* The owner has what it needs, the guests the rest; while the owner settles, the least. */
static void share_memory(const struct hs_antman_pass *x, uint32_t gpu)
{
    struct hs_antman *s = x->s;
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    struct hs_map_entry *entries = s->allocations.allocations;
    struct guests guests = {.x = x, .count = 0};
    uint32_t capacity_mib = hs_view_gpu_capacity_mib(x->v, gpu), room_mib = capacity_mib;
    bool is_limited = capacity_mib < UINT32_MAX,
         is_settling = hs_antman_is_settling(s, g, x->now_us);
    uint64_t peak_mib = 0; /* of all guests */
    for (uint32_t h = s->allocations.on_gpu[gpu]; h != 0; h = entries[h].next_on_gpu) {
        const struct hs_antman_job *j = hs_antman_job(x->v, entries[h].job);
        entries[h].limit_mib = is_limited ? limit_of_one(x, gpu, entries[h].job) : UINT32_MAX;
        if (entries[h].job + 1 == g->owner && g->guests > 0)
            room_mib -= entries[h].limit_mib;
        if (j->role != HS_ANTMAN_OPPORTUNISTIC || j->peak_mib == 0)
            continue;
        guests.entries[guests.count] = h;
        guests.shares[guests.count++] = (struct hs_antman_share){
            .least_mib = j->least_mib, .peak_mib = j->peak_mib, .given_mib = j->least_mib};
        peak_mib += j->peak_mib;
    }
    if (!is_limited || g->guests == (g->owner == 0))
        return;
    if (!is_settling && peak_mib > room_mib)
        hs_antman_split(guests.shares, guests.count, room_mib, s->chunks, speed_of, &guests);
    for (uint32_t i = 0; i < guests.count; i++)
        entries[guests.entries[i]].limit_mib = is_settling || peak_mib > room_mib
                                                   ? guests.shares[i].given_mib
                                                   : guests.shares[i].peak_mib;
}

/* ---- jobs ---- */

static uint32_t allowed_mib(const struct hs_antman_pass *x, const struct hs_antman_job *j)
{
    const struct hs_map_entry *entries = x->s->allocations.allocations;
    uint32_t mib = UINT32_MAX;
    for (uint32_t h = j->first_allocation; h != 0; h = entries[h].next_of_job)
        mib = entries[h].limit_mib < mib ? entries[h].limit_mib : mib;
    return mib == UINT32_MAX || j->peak_mib == 0 ? 0 : mib;
}

/* Rounded up to a microsecond. A job that stands still pays nothing: its memory moves meanwhile. */
static void charge_transfer(const struct hs_antman_pass *x, hs_job_id job, uint32_t steps)
{
    const struct hs_antman_job *j = hs_antman_job(x->v, job);
    int64_t more_mib = (int64_t)usable_mib(j, j->limit_mib) - j->old_usable_mib;
    double ms_per_gb = more_mib > 0 ? x->s->growth_ms_per_gb : x->s->shrink_ms_per_gb;
    if (j->is_new || steps == 0 || j->limit_mib == j->old_limit_mib ||
        hs_view_state(x->v, job) != HS_JOB_RUNNING)
        return;
    int64_t ns_per_gb = (int64_t)(ms_per_gb * 1e6 + 0.5);
    int64_t bytes = (more_mib > 0 ? more_mib : -more_mib) * BYTES_PER_MIB;
    int64_t ns = bytes / BYTES_PER_GB * ns_per_gb + bytes % BYTES_PER_GB * ns_per_gb / BYTES_PER_GB;
    if (ns <= 0)
        return;
    hs_plan_reason(x->p, "its memory moves between GPU and host");
    hs_plan_add_overhead(x->p, job, (ns + 999) / 1000);
}

static void set_cap(const struct hs_antman_pass *x, hs_job_id job, uint32_t steps)
{
    struct hs_antman *s = x->s;
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    enum hs_job_state state = hs_view_state(x->v, job);
    if (steps == j->cap_steps)
        return;
    hs_plan_reason(x->p, steps == s->full_steps ? "no guaranteed job on its GPUs is disturbed"
                         : steps == 0           ? "the guaranteed job on its GPU leaves nothing"
                                                : "what the guaranteed job on its GPU leaves");
    if (steps == 0 && state == HS_JOB_RUNNING) {
        hs_plan_pause(x->p, job);
        j->cap_steps = 0;
    } else if (steps == 0 && j->cap_steps != STILL) { /* until it runs, and can be paused */
        hs_plan_cap(x->p, job, 1);
        j->cap_steps = STILL;
    } else if (steps > 0) {
        hs_plan_cap(x->p, job, hs_antman_cap_q32(s->step_pm, steps));
        if (state == HS_JOB_PAUSED)
            hs_plan_resume(x->p, job);
        j->cap_steps = steps;
    }
    for (uint32_t h = j->first_allocation; h != 0; h = s->allocations.allocations[h].next_of_job)
        hs_antman_unsettle(s, x->v, s->allocations.allocations[h].gpu);
}

static void settle(const struct hs_antman_pass *x, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    const struct hs_map_entry *entries = x->s->allocations.allocations;
    uint32_t steps = x->s->full_steps;
    for (uint32_t h = j->first_allocation; h != 0 && j->role == HS_ANTMAN_OPPORTUNISTIC;
         h = entries[h].next_of_job) {
        const struct hs_antman_gpu *g = &x->s->gpus[entries[h].gpu];
        if (g->owner != 0 && g->steps < steps)
            steps = g->steps;
    }
    j->is_reviewed = false;
    if (j->has_surged && !j->is_step_awaited)
        hs_plan_notify_step(x->p, job, 1);
    j->is_step_awaited = j->has_surged;
    hs_plan_reason(x->p, "its part of the memory of its GPUs");
    hs_antman_limit(x, job, allowed_mib(x, j));
    charge_transfer(x, job, steps);
    set_cap(x, job, steps);
    j->old_limit_mib = j->limit_mib;
    j->old_usable_mib = usable_mib(j, j->limit_mib);
    j->is_new = false;
}

void hs_antman_coordinate(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    const struct hs_map_entry *entries = s->allocations.allocations;
    for (uint32_t at = s->first_coordinated; at != 0; at = s->gpus[at - 1].next_coordinated) {
        struct hs_antman_gpu *g = &s->gpus[at - 1];
        g->is_coordinated = false;
        if (g->owner != 0)
            measure(x, g);
        if (g->owner != 0 && g->tick_us == 0 && g->guests > 0 && g->steps < g->most)
            set_tick(x, at - 1);
        if (g->owner == 0 || !hs_antman_job(x->v, g->owner - 1)->has_surged)
            share_memory(x, at - 1);
        for (uint32_t h = s->allocations.on_gpu[at - 1]; h != 0; h = entries[h].next_on_gpu)
            hs_antman_review(s, x->v, entries[h].job);
    }
    s->first_coordinated = 0;
    /* jobs that have to give memory do before others take it */
    for (uint32_t at = s->first_review; at != 0; at = hs_antman_job(x->v, at - 1)->next_review) {
        const struct hs_antman_job *j = hs_antman_job(x->v, at - 1);
        uint32_t mib = allowed_mib(x, j);
        hs_plan_reason(x->p, "its part of the memory of its GPUs");
        if (usable_mib(j, mib) < usable_mib(j, j->limit_mib))
            hs_antman_limit(x, at - 1, mib);
    }
    for (uint32_t at = s->first_review; at != 0; at = hs_antman_job(x->v, at - 1)->next_review)
        settle(x, at - 1);
    s->first_review = 0;
}

/* ---- kills ---- */

/* The job that asks for more is killed if neither the device nor what may lie on the host has room
 * for it beside the others, and never an owner for the sake of guests. */
bool hs_antman_kill(const struct hs_antman_pass *x)
{
    const struct hs_map_entry *entries = x->s->allocations.allocations;
    bool has_killed = false;
    for (uint32_t at = x->s->first_review; at != 0; at = hs_antman_job(x->v, at - 1)->next_review) {
        struct hs_antman_job *j = hs_antman_job(x->v, at - 1);
        uint64_t beyond_host_mib =
            j->peak_mib > x->s->host_mib ? j->peak_mib - (uint64_t)x->s->host_mib : 0;
        bool is_beyond_help = false;
        for (uint32_t h = j->first_allocation; h != 0 && j->needs_more && !is_beyond_help;
             h = entries[h].next_of_job) {
            const struct hs_antman_gpu *g = &x->s->gpus[entries[h].gpu];
            uint64_t least_mib = g->least_mib;
            if (j->role == HS_ANTMAN_GUARANTEED)
                least_mib = beyond_host_mib;
            else if (g->owner != 0)
                least_mib += hs_antman_job(x->v, g->owner - 1)->peak_mib;
            is_beyond_help = least_mib > hs_view_gpu_capacity_mib(x->v, entries[h].gpu);
        }
        if (is_beyond_help) {
            hs_plan_reason(x->p, "it needs more memory now than its GPUs have left");
            hs_plan_kill(x->p, at - 1);
            has_killed = true;
        }
        j->needs_more = false;
    }
    return has_killed;
}
