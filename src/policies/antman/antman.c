/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AntMan (Xiao et al., OSDI'20): parameters, classes of jobs, coordinators of GPUs, decisions.
 *
 * Tenants take turns: a job's round is the one after that of the previous job of its tenant, or the
 * current one; jobs are served in order of rounds, then of submission.
 *
 * The ramp of a GPU begins when the owner arrives: for `init` its guests are paused, then their
 * caps rise by a step each tick up to what it leaves. On several GPUs the least cap and limit
 * count.
 *
 * Memory: the owner has its peak; the guests share the rest so that the sum of their speeds is
 * large (AntMan tries; here the speeds are known). Each has `least`, and more in chunks of its
 * peak: as curves of speed over memory have cliffs, a move is the best gain per MiB over all higher
 * points that fit; ties: larger gain, then the first job. What is left goes to them in order.
 *
 * Cost of a decision, however many jobs wait: O(log) for each job that comes or goes, O(nodes) for
 * a guaranteed one that fits no node's idle GPUs, O(log GPUs) per GPU of an opportunistic one or
 * O(GPUs) where one fails, once for all of equal needs, and the GPUs that changed in the window.
 */
#include "policies/antman/antman.h"

#define FULL_PM       1000u
#define BYTES_PER_GB  1000000000
#define BYTES_PER_MIB 1048576
#define STILL         UINT32_MAX /* cap_steps of a job with a negligible cap */
#define GUESTS_MOST   16         /* guests of one GPU whose memory is split */
#define CHUNKS_MOST   20         /* of a job's peak memory */

/* ---- caps ---- */

static uint32_t full_steps(uint32_t step_pm)
{
    return (FULL_PM + step_pm - 1) / step_pm;
}

static uint64_t cap_pm(uint32_t step_pm, uint32_t steps)
{
    uint64_t pm = (uint64_t)step_pm * steps;
    return pm < FULL_PM ? pm : FULL_PM;
}

static uint64_t cap_q32(uint32_t step_pm, uint32_t steps)
{
    return (cap_pm(step_pm, steps) << 32) / FULL_PM;
}

static uint32_t most_steps(uint32_t step_pm, uint32_t owner_pm, uint32_t guest_pm)
{
    uint32_t full = full_steps(step_pm);
    uint64_t left = owner_pm < FULL_PM ? (uint64_t)(FULL_PM - owner_pm) * FULL_PM : 0;
    if (cap_pm(step_pm, full) * guest_pm <= left)
        return full;
    return (uint32_t)(left / ((uint64_t)step_pm * guest_pm)); /* rounded down to full steps */
}

/* ---- splitting memory ---- */

/* A guest whose memory limit is being chosen: points of its speed over memory; current point. */
struct guest {
    uint32_t entry; /* in the allocation map */
    hs_job_id job;
    uint32_t least_mib, peak_mib; /* least <= peak */
    uint32_t given_mib;           /* the result */
    uint32_t points, at;
    uint32_t limit_mib[CHUNKS_MOST + 1];
    uint64_t speed_q32[CHUNKS_MOST + 1];
};

/* Makes the best move that fits. Returns the memory it takes, or 0 if none gains. */
static uint32_t move_best(struct guest *guests, uint32_t count, uint64_t room_mib)
{
    uint32_t best_mib = 1, to_best = 0;
    uint64_t best_q32 = 0; /* its gain */
    struct guest *best = NULL;
    for (struct guest *c = guests; c < guests + count; c++) {
        for (uint32_t to = c->at + 1; to < c->points; to++) {
            uint32_t mib = c->limit_mib[to] - c->limit_mib[c->at];
            if (mib > room_mib || c->speed_q32[to] <= c->speed_q32[c->at])
                continue;
            uint64_t gain_q32 = c->speed_q32[to] - c->speed_q32[c->at];
            hs_u128 own = (hs_u128)gain_q32 * best_mib, old = (hs_u128)best_q32 * mib;
            if (own < old || (own == old && gain_q32 <= best_q32))
                continue;
            best = c;
            to_best = to;
            best_q32 = gain_q32;
            best_mib = mib;
        }
    }
    if (best == NULL)
        return 0;
    best->at = to_best;
    return best_mib;
}

/* Splits room_mib among guests so that the sum of their speeds is large. The total exceeds room_mib
 * only if the least demands do. */
static void split_memory(const struct hs_antman *s, struct guest *guests, uint32_t count,
                         uint32_t room_mib)
{
    uint64_t used_mib = 0;
    uint32_t moved_mib;
    for (struct guest *c = guests; c < guests + count; c++) {
        c->points = c->at = 0;
        for (uint32_t k = 0; k <= s->chunks; k++) {
            uint32_t mib = (uint32_t)(((uint64_t)c->peak_mib * k + s->chunks - 1) / s->chunks);
            if (k == 0)
                mib = c->least_mib > 0 ? c->least_mib : 1;
            else if (mib <= c->limit_mib[0])
                continue;
            c->limit_mib[c->points] = mib;
            c->speed_q32[c->points++] = hs_view_limited_q32(s->v, c->job, mib);
        }
        used_mib += c->limit_mib[0];
    }
    while (used_mib < room_mib && (moved_mib = move_best(guests, count, room_mib - used_mib)) > 0)
        used_mib += moved_mib;
    uint64_t left_mib = used_mib < room_mib ? room_mib - used_mib : 0;
    for (struct guest *c = guests; c < guests + count; c++) {
        uint32_t given_mib = c->limit_mib[c->at];
        uint32_t lack_mib = c->peak_mib > given_mib ? c->peak_mib - given_mib : 0;
        uint32_t more_mib = lack_mib < left_mib ? lack_mib : (uint32_t)left_mib;
        c->given_mib = given_mib + more_mib;
        left_mib -= more_mib;
    }
}

/* ---- lists ---- */

static void touch(struct hs_antman *s, uint32_t gpu)
{
    if (s->gpus[gpu].is_coordinated)
        return;
    s->gpus[gpu].is_coordinated = true;
    s->gpus[gpu].next_coordinated = s->first_coordinated;
    s->first_coordinated = gpu + 1;
}

static void review(struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    if (j->is_reviewed)
        return;
    j->is_reviewed = true;
    j->next_review = s->first_review;
    s->first_review = job + 1;
}

/* ---- the ramp ---- */

bool hs_antman_is_settling(const struct hs_antman *s, const struct hs_antman_gpu *g)
{
    return s->has_ramp && g->owner != 0 && s->now_us < g->since_us + s->init_us;
}

static void set_tick(struct hs_antman *s, uint32_t gpu)
{
    struct hs_antman_gpu *g = &s->gpus[gpu];
    int64_t start_us = g->since_us + s->init_us, past_us = s->now_us - start_us;
    int64_t at_us = past_us < 0 ? start_us : start_us + (past_us / s->tick_us + 1) * s->tick_us;
    if (g->tick_us == at_us)
        return;
    g->tick_us = at_us;
    hs_plan_timer(s->p, at_us, gpu);
}

static void measure(struct hs_antman *s, struct hs_antman_gpu *g)
{
    g->most = most_steps(s->step_pm, hs_antman_job(s, g->owner - 1)->util_pm, g->guest_pm);
    g->steps = s->has_ramp && g->steps < g->most ? g->steps : g->most;
}

static void begin_ramp(struct hs_antman *s, uint32_t gpu)
{
    struct hs_antman_gpu *g = &s->gpus[gpu];
    touch(s, gpu);
    if (g->owner == 0)
        return;
    g->steps = hs_antman_is_settling(s, g) ? 0 : 1;
    measure(s, g);
    if (g->guests > 0)
        set_tick(s, gpu);
}

/* ---- memory ---- */

static uint32_t usable_mib(const struct hs_antman_job *j, uint32_t limit_mib)
{
    return limit_mib == 0 || limit_mib > j->peak_mib ? j->peak_mib : limit_mib;
}

static void set_limit(struct hs_antman *s, hs_job_id job, uint32_t mib)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    if (mib == j->limit_mib)
        return;
    hs_plan_mem_limit(s->p, job, mib);
    j->limit_mib = mib;
}

static void make_room(struct hs_antman *s, uint32_t gpu, uint32_t mib)
{
    uint32_t first = s->allocations.on_gpu[gpu];
    uint64_t used_mib = mib;
    for (uint32_t h = first; h != 0; h = s->entries[h].next_on_gpu) {
        const struct hs_antman_job *j = hs_antman_job(s, s->entries[h].job);
        used_mib += usable_mib(j, j->limit_mib);
    }
    if (used_mib <= hs_view_gpu_capacity_mib(s->v, gpu))
        return;
    for (uint32_t h = first; h != 0; h = s->entries[h].next_on_gpu) {
        const struct hs_antman_job *j = hs_antman_job(s, s->entries[h].job);
        if (j->role != HS_ANTMAN_OPPORTUNISTIC || usable_mib(j, j->limit_mib) <= j->least_mib)
            continue;
        s->entries[h].limit_mib = j->least_mib;
        set_limit(s, s->entries[h].job, j->least_mib);
        review(s, s->entries[h].job);
    }
}

/* Returns the limit of an owner or of a job alone on its GPU. A job alone has none unless it has
 * outgrown the GPU; as submitted it fits the device. */
static uint32_t limit_of_one(struct hs_antman *s, uint32_t gpu, hs_job_id job)
{
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    const struct hs_antman_job *j = hs_antman_job(s, job);
    uint64_t most_mib = hs_view_gpu_capacity_mib(s->v, gpu);
    if (g->guests == (g->owner == 0) && (j->peak_mib <= most_mib || !j->has_grown))
        return UINT32_MAX;
    most_mib -= g->owner != 0 ? g->least_mib : 0;
    return j->peak_mib < most_mib ? j->peak_mib : (uint32_t)most_mib;
}

/* Gives the owner what it needs and the guests the rest; while the owner settles, their least. */
static void share_memory(struct hs_antman *s, uint32_t gpu)
{
    const struct hs_antman_gpu *g = &s->gpus[gpu];
    struct guest guests[GUESTS_MOST]; /* those with known memory */
    uint32_t capacity_mib = hs_view_gpu_capacity_mib(s->v, gpu), room_mib = capacity_mib, count = 0;
    bool is_limited = capacity_mib < UINT32_MAX, is_settling = hs_antman_is_settling(s, g);
    uint64_t peak_mib = 0; /* sum over the guests */
    for (uint32_t h = s->allocations.on_gpu[gpu]; h != 0; h = s->entries[h].next_on_gpu) {
        const struct hs_antman_job *j = hs_antman_job(s, s->entries[h].job);
        s->entries[h].limit_mib = is_limited ? limit_of_one(s, gpu, s->entries[h].job) : UINT32_MAX;
        if (s->entries[h].job + 1 == g->owner && g->guests > 0)
            room_mib -= s->entries[h].limit_mib;
        if (j->role != HS_ANTMAN_OPPORTUNISTIC || j->peak_mib == 0)
            continue;
        guests[count].entry = h;
        guests[count].job = s->entries[h].job;
        guests[count].least_mib = guests[count].given_mib = j->least_mib;
        guests[count++].peak_mib = j->peak_mib;
        peak_mib += j->peak_mib;
    }
    if (!is_limited || g->guests == (g->owner == 0))
        return;
    if (!is_settling && peak_mib > room_mib)
        split_memory(s, guests, count, room_mib);
    for (uint32_t i = 0; i < count; i++)
        s->entries[guests[i].entry].limit_mib =
            is_settling || peak_mib > room_mib ? guests[i].given_mib : guests[i].peak_mib;
}

/* ---- jobs ---- */

static uint32_t allowed_mib(struct hs_antman *s, const struct hs_antman_job *j)
{
    uint32_t mib = UINT32_MAX;
    for (uint32_t h = j->first_allocation; h != 0; h = s->entries[h].next_of_job)
        mib = s->entries[h].limit_mib < mib ? s->entries[h].limit_mib : mib;
    return mib == UINT32_MAX || j->peak_mib == 0 ? 0 : mib;
}

static void set_cap(struct hs_antman *s, hs_job_id job, uint32_t steps)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    enum hs_job_state state = hs_view_state(s->v, job);
    if (steps == j->cap_steps)
        return;
    hs_plan_reason(s->p, steps == s->full_steps ? "no guaranteed job on its GPUs is disturbed"
                         : steps == 0           ? "the guaranteed job on its GPU leaves nothing"
                                                : "what the guaranteed job on its GPU leaves");
    if (steps == 0 && state == HS_JOB_RUNNING) {
        hs_plan_pause(s->p, job);
        j->cap_steps = 0;
    } else if (steps == 0 && j->cap_steps != STILL) { /* until it runs and can be paused */
        hs_plan_cap(s->p, job, 1);
        j->cap_steps = STILL;
    } else if (steps > 0) {
        hs_plan_cap(s->p, job, cap_q32(s->step_pm, steps));
        if (state == HS_JOB_PAUSED)
            hs_plan_resume(s->p, job);
        j->cap_steps = steps;
    }
    for (uint32_t h = j->first_allocation; h != 0; h = s->entries[h].next_of_job)
        hs_antman_unsettle(s, s->entries[h].gpu);
}

static void settle(struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    uint32_t steps = s->full_steps;
    for (uint32_t h = j->first_allocation; h != 0 && j->role == HS_ANTMAN_OPPORTUNISTIC;
         h = s->entries[h].next_of_job) {
        const struct hs_antman_gpu *g = &s->gpus[s->entries[h].gpu];
        if (g->owner != 0 && g->steps < steps)
            steps = g->steps;
    }
    j->is_reviewed = false;
    if (j->has_surged && !j->is_step_awaited)
        hs_plan_notify_step(s->p, job, 1);
    j->is_step_awaited = j->has_surged;
    hs_plan_reason(s->p, "its part of the memory of its GPUs");
    set_limit(s, job, allowed_mib(s, j));
    int64_t more_mib = (int64_t)usable_mib(j, j->limit_mib) - j->old_usable_mib;
    int64_t ns_per_gb = more_mib > 0 ? s->growth_ns_per_gb : s->shrink_ns_per_gb;
    int64_t bytes = (more_mib > 0 ? more_mib : -more_mib) * BYTES_PER_MIB;
    int64_t ns = (int64_t)((hs_i128)bytes * ns_per_gb / BYTES_PER_GB);
    /* a paused job pays nothing: its memory moves meanwhile */
    if (!j->is_new && steps > 0 && j->limit_mib != j->old_limit_mib && ns > 0 &&
        hs_view_state(s->v, job) == HS_JOB_RUNNING) {
        hs_plan_reason(s->p, "its memory moves between GPU and host");
        hs_plan_add_overhead(s->p, job, (ns + 999) / 1000);
    }
    set_cap(s, job, steps);
    j->old_limit_mib = j->limit_mib;
    j->old_usable_mib = usable_mib(j, j->limit_mib);
    j->is_new = false;
}

static void coordinate(struct hs_antman *s)
{
    for (uint32_t at = s->first_coordinated; at != 0; at = s->gpus[at - 1].next_coordinated) {
        struct hs_antman_gpu *g = &s->gpus[at - 1];
        g->is_coordinated = false;
        if (g->owner != 0)
            measure(s, g);
        if (g->owner != 0 && g->guests > 0 && g->steps < g->most)
            set_tick(s, at - 1);
        if (g->owner == 0 || !hs_antman_job(s, g->owner - 1)->has_surged)
            share_memory(s, at - 1);
        for (uint32_t h = s->allocations.on_gpu[at - 1]; h != 0; h = s->entries[h].next_on_gpu)
            review(s, s->entries[h].job);
    }
    s->first_coordinated = 0;
    /* first the jobs whose limit shrinks */
    for (uint32_t at = s->first_review; at != 0; at = hs_antman_job(s, at - 1)->next_review) {
        const struct hs_antman_job *j = hs_antman_job(s, at - 1);
        uint32_t mib = allowed_mib(s, j);
        hs_plan_reason(s->p, "its part of the memory of its GPUs");
        if (usable_mib(j, mib) < usable_mib(j, j->limit_mib))
            set_limit(s, at - 1, mib);
    }
    for (uint32_t at = s->first_review; at != 0; at = hs_antman_job(s, at - 1)->next_review)
        settle(s, at - 1);
    s->first_review = 0;
}

/* ---- kills ---- */

/* Kills jobs whose grown demand fits neither the device nor, beside the others, the memory allowed
 * on the host; never kills an owner in favour of guests. */
static bool kill_jobs(struct hs_antman *s)
{
    bool has_killed = false;
    for (uint32_t at = s->first_review; at != 0; at = hs_antman_job(s, at - 1)->next_review) {
        struct hs_antman_job *j = hs_antman_job(s, at - 1);
        uint64_t beyond_host_mib =
            j->peak_mib > s->host_mib ? j->peak_mib - (uint64_t)s->host_mib : 0;
        bool is_beyond_help = false;
        for (uint32_t h = j->first_allocation; h != 0 && j->needs_more && !is_beyond_help;
             h = s->entries[h].next_of_job) {
            const struct hs_antman_gpu *g = &s->gpus[s->entries[h].gpu];
            uint64_t least_mib = g->least_mib;
            if (j->role == HS_ANTMAN_GUARANTEED)
                least_mib = beyond_host_mib;
            else if (g->owner != 0)
                least_mib += hs_antman_job(s, g->owner - 1)->peak_mib;
            is_beyond_help = least_mib > hs_view_gpu_capacity_mib(s->v, s->entries[h].gpu);
        }
        if (is_beyond_help) {
            hs_plan_reason(s->p, "it needs more memory now than its GPUs have left");
            hs_plan_kill(s->p, at - 1);
            has_killed = true;
        }
        j->needs_more = false;
    }
    return has_killed;
}

/* ---- starts ---- */

/* Adds (1) or removes (-1) a guest in the sums of the GPU. */
static void count_guest(struct hs_antman_gpu *g, const struct hs_antman_job *j, int times)
{
    g->guests += (uint32_t)times;
    g->guest_pm += (uint32_t)times * j->util_pm;
    g->least_mib += (uint64_t)times * j->least_mib;
}

void hs_antman_start(struct hs_antman *s, hs_job_id job, enum hs_antman_role role)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    bool is_guest = role == HS_ANTMAN_OPPORTUNISTIC;
    hs_plan_reason(s->p, "memory for a job that starts beside it");
    for (uint32_t i = 0; i < s->chosen_count; i++)
        make_room(s, s->chosen[i], is_guest ? j->least_mib : j->peak_mib);
    hs_plan_reason(s->p, is_guest ? "opportunistic: fills the GPUs of least load"
                                  : "guaranteed: within the quota of its virtual cluster");
    set_limit(s, job, is_guest && j->peak_mib > 0 ? j->least_mib : 0);
    j->role = role;
    j->is_new = true;
    hs_plan_start(s->p, job);
    for (uint32_t i = 0; i < s->chosen_count; i++) {
        hs_plan_on_gpu(s->p, s->chosen[i]);
        hs_allocation_map_add(&s->allocations, job, &j->first_allocation, s->chosen[i]);
        s->entries[j->first_allocation].limit_mib = is_guest ? j->least_mib : UINT32_MAX;
    }
    if (is_guest)
        hs_plan_background(s->p, job, true);
    for (uint32_t i = 0; i < s->chosen_count; i++) {
        struct hs_antman_gpu *g = &s->gpus[s->chosen[i]];
        if (is_guest) {
            count_guest(g, j, 1);
        } else {
            hs_antman_set_owner(s, s->chosen[i], job + 1);
            g->since_us = s->now_us;
        }
        g->known_us = s->now_us + s->window_us;
        begin_ramp(s, s->chosen[i]);
        hs_antman_unsettle(s, s->chosen[i]);
    }
    s->chosen_count = 0;
}

/* ---- queues ---- */

static struct hs_antman_tenant *tenant_of(const struct hs_antman *s, hs_job_id job)
{
    return &s->tenants[hs_view_vc(s->v, job)];
}

static bool is_auto(const struct hs_antman *s, hs_job_id job)
{
    return hs_view_class(s->v, job) == HS_JOB_CLASS_AUTO;
}

static int64_t next_round(int64_t *of_tenant, int64_t now)
{
    return *of_tenant = hs_later(*of_tenant + 1, now);
}

/* Enqueues the job as opportunistic. */
static void enqueue_waiting(struct hs_antman *s, hs_job_id job)
{
    hs_antman_job(s, job)->role = HS_ANTMAN_WAITING;
    s->has_gained = true;
    hs_antman_wait(s, job, next_round(&tenant_of(s, job)->waiting_round, s->waiting_round));
}

void hs_antman_dequeue(struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    struct hs_antman_tenant *t = tenant_of(s, job);
    if (j->role == HS_ANTMAN_QUEUED) {
        hs_job_queue_remove(&t->queue, s->v, job);
        if (is_auto(s, job))
            hs_job_queue_remove(&s->autos, s->v, job);
    }
    if (j->role == HS_ANTMAN_WAITING)
        hs_antman_unwait(s, job);
    if (j->role == HS_ANTMAN_OPPORTUNISTIC && is_auto(s, job))
        hs_job_queue_remove(&t->upgradable, s->v, job);
    if (j->role == HS_ANTMAN_RESERVING) {
        hs_job_queue_remove(&s->reserving, s->v, job);
        hs_antman_unreserve(s, job);
    }
    if (j->role == HS_ANTMAN_RESERVING || j->role == HS_ANTMAN_GUARANTEED)
        t->charged -= hs_view_gpus(s->v, job);
    j->role = HS_ANTMAN_NONE;
}

static uint64_t quota_left(const struct hs_antman_tenant *t)
{
    return t->quota > t->charged ? t->quota - t->charged : 0;
}

/* ---- upgrade ---- */

/* Makes opportunistic jobs guaranteed in place; their guests ran beside them and are not paused. */
static void upgrade_all(struct hs_antman *s)
{
    for (uint32_t vc = 0; vc < s->tenant_count; vc++) {
        struct hs_antman_tenant *t = &s->tenants[vc];
        hs_job_id next,
            job = hs_job_queue_next_fitting(&t->upgradable, s->v, HS_NO_JOB, quota_left(t));
        for (; job != HS_NO_JOB; job = next) {
            next = hs_job_queue_next_fitting(&t->upgradable, s->v, job, quota_left(t));
            /* only if its GPUs are not reserved or owned and have memory for its peak */
            bool may = hs_view_gpus(s->v, job) <= quota_left(t);
            struct hs_antman_job *j = hs_antman_job(s, job);
            for (uint32_t h = j->first_allocation; h != 0 && may; h = s->entries[h].next_of_job) {
                const struct hs_antman_gpu *g = &s->gpus[s->entries[h].gpu];
                uint64_t peak_mib = g->least_mib - j->least_mib + j->peak_mib;
                may = g->owner == 0 && g->reserved == 0 &&
                      (g->guests <= 1 ||
                       peak_mib <= hs_view_gpu_capacity_mib(s->v, s->entries[h].gpu));
            }
            if (!may)
                continue;
            hs_job_queue_remove(&t->upgradable, s->v, job);
            t->charged += hs_view_gpus(s->v, job);
            j->role = HS_ANTMAN_GUARANTEED;
            for (uint32_t h = j->first_allocation; h != 0; h = s->entries[h].next_of_job) {
                uint32_t gpu = s->entries[h].gpu;
                count_guest(&s->gpus[gpu], j, -1);
                hs_antman_set_owner(s, gpu, job + 1);
                s->gpus[gpu].since_us = s->now_us - s->init_us;
                begin_ramp(s, gpu);
                hs_antman_unsettle(s, gpu);
            }
            hs_plan_reason(s->p, "quota is free again: guaranteed from here on");
            hs_plan_background(s->p, job, false);
        }
    }
}

/* ---- guaranteed jobs ---- */

/* Returns the next tenant that is not blocked, and its first job; NULL if there is none. */
static struct hs_antman_tenant *next_tenant(struct hs_antman *s, hs_job_id *head)
{
    struct hs_antman_tenant *best = NULL;
    for (uint32_t vc = 0; vc < s->tenant_count; vc++) {
        struct hs_antman_tenant *t = &s->tenants[vc];
        hs_job_id job = t->is_blocked ? HS_NO_JOB : hs_job_queue_first(&t->queue);
        if (job == HS_NO_JOB ||
            (best != NULL && hs_job_queue_is_before(&t->queue, s->v, *head, job)))
            continue;
        best = t;
        *head = job;
    }
    return best;
}

static void serve_queues(struct hs_antman *s)
{
    struct hs_antman_tenant *t;
    hs_job_id job = HS_NO_JOB;
    for (uint32_t vc = 0; vc < s->tenant_count; vc++)
        s->tenants[vc].is_blocked = false;
    while ((t = next_tenant(s, &job)) != NULL) {
        uint32_t gpus = hs_view_gpus(s->v, job);
        bool has_auto = is_auto(s, job);
        if (gpus <= quota_left(t)) {
            int64_t round = hs_job_queue_key(s->v, job);
            s->round = round > s->round ? round : s->round;
            hs_antman_dequeue(s, job);
            t->charged += gpus;
            hs_antman_place_or_reserve(s, job, s->reserved_gpus);
        } else if (gpus > t->quota && !has_auto && hs_view_state(s->v, job) == HS_JOB_PENDING) {
            hs_plan_reject(s->p, job, "it needs more GPUs than the quota of its virtual cluster");
            hs_antman_dequeue(s, job);
        } else if (has_auto && hs_antman_job(s, job)->other.key <= s->now_us) {
            hs_antman_dequeue(s, job); /* it exceeded its waiting time for quota */
            enqueue_waiting(s, job);
        } else {
            t->is_blocked = true;
        }
    }
}

/* Converts jobs of class auto that exceeded their waiting time for quota, wherever they are
 * queued. */
static void convert(struct hs_antman *s)
{
    hs_job_id job;
    while ((job = hs_job_queue_first(&s->autos)) != HS_NO_JOB) {
        int64_t at_us = hs_antman_job(s, job)->other.key;
        if (at_us > s->now_us) {
            if (at_us != s->conversion_at_us)
                hs_plan_timer(s->p, at_us, s->gpu_count + UINT64_C(1));
            s->conversion_at_us = at_us;
            return;
        }
        hs_antman_dequeue(s, job);
        enqueue_waiting(s, job);
    }
}

/* ---- before the run ---- */

static enum hs_status antman_init(void *state, const struct hs_view *v)
{
    struct hs_antman *s = state;
    s->v = v;
    uint32_t nodes = v->nodes;
    if (s->compat && s->types != HS_TYPES_ANY)
        return hs_view_fail(v, HS_E_USAGE, "types goes with compat=off: compat=muri knows none");
    s->host_mib = s->host_gb * BYTES_PER_GB / BYTES_PER_MIB;
    s->thr_pm = (uint32_t)(s->util_thr * FULL_PM + 0.5);
    s->step_pm = (uint32_t)(s->step * FULL_PM + 0.5);
    s->full_steps = full_steps(s->step_pm);
    s->shrink_ns_per_gb = (int64_t)(s->shrink_ms_per_gb * 1e6 + 0.5);
    s->growth_ns_per_gb = (int64_t)(s->growth_ms_per_gb * 1e6 + 0.5);
    s->chunks = (uint32_t)(1 / s->mem_chunk + 0.5);
    s->sample_at_us = s->conversion_at_us = -1;
    s->reserving.size_of = hs_antman_need_mib;
    s->autos.link_offset = offsetof(struct hs_antman_job, other);
    s->tenant_count = v->vcs;
    s->tenants = hs_view_alloc(v, (uint64_t)s->tenant_count * sizeof *s->tenants);
    for (uint32_t vc = 0; vc < s->tenant_count; vc++)
        s->tenants[vc] = (struct hs_antman_tenant){.quota = hs_view_quota(v, vc),
                                                   .upgradable.link_offset =
                                                       offsetof(struct hs_antman_job, other)};
    hs_allocation_map_init(&s->allocations, v);
    s->entries = s->allocations.allocations;
    s->gpu_count = s->allocations.gpus;
    hs_capacity_tree_init(&s->candidates, v, s->gpu_count, 1);
    s->gpus = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->gpus);
    s->kinds = hs_view_alloc(v, sizeof *s->kinds);
    s->open = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->open);
    s->reserved = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->reserved);
    s->node_taken = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->node_taken);
    s->is_freed = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->is_freed);
    s->freed = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->freed);
    s->looked = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->looked);
    s->chosen = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->chosen);
    s->unsettled = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->unsettled);
    s->due = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->due);
    s->node_gpus = hs_view_alloc(v, (uint64_t)v->max_node_gpus * sizeof *s->node_gpus);
    s->by_load = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->by_load);
    for (uint32_t node = 0; node < nodes; node++) {
        s->open[node] = hs_view_node(v, node)->gpus;
        s->open_gpus += s->open[node];
    }
    for (uint32_t gpu = 0; gpu < s->gpu_count; gpu++)
        hs_capacity_tree_put(&s->candidates, 0, gpu, hs_antman_candidate_key(s, gpu, 0),
                             (struct hs_capacity){{UINT32_MAX, HS_ANTMAN_WHOLE}});
    return HS_OK;
}

/* ---- events ---- */

static void learn(const struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    int32_t util_pm = hs_view_util_pm(s->v, job);
    uint32_t least_mib = hs_view_gpu_mem_persistent_mib(s->v, job);
    j->is_alone = hs_view_is_alone(s->v, job);
    j->util_pm = util_pm >= 0 ? (uint32_t)util_pm : FULL_PM; /* unknown */
    j->peak_mib = hs_view_gpu_mem_mib(s->v, job);
    if ((int64_t)j->peak_mib - least_mib > s->host_mib)
        least_mib = j->peak_mib - (uint32_t)s->host_mib;
    least_mib = least_mib > 0 ? least_mib : 1;
    j->least_mib = least_mib < j->peak_mib ? least_mib : j->peak_mib;
}

static void submitted(struct hs_antman *s, hs_job_id job)
{
    learn(s, job);
    hs_antman_job(s, job)->cap_steps = s->full_steps;
    s->is_woken = true;
    if (hs_view_class(s->v, job) == HS_JOB_CLASS_OPPORTUNISTIC) {
        enqueue_waiting(s, job);
        return;
    }
    struct hs_antman_tenant *t = tenant_of(s, job);
    hs_antman_job(s, job)->role = HS_ANTMAN_QUEUED;
    hs_job_queue_add(&t->queue, s->v, job, next_round(&t->round, s->round));
    if (is_auto(s, job))
        hs_job_queue_add(&s->autos, s->v, job, hs_view_now_us(s->v) + s->conv_wait_us);
}

/* The job left its GPUs: coordinates them anew, as their other jobs may have more. */
static void left(struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    for (uint32_t h = j->first_allocation; h != 0; h = s->entries[h].next_of_job) {
        uint32_t gpu = s->entries[h].gpu;
        if (j->role == HS_ANTMAN_OPPORTUNISTIC) {
            count_guest(&s->gpus[gpu], j, -1);
            hs_antman_note_freed(s, hs_view_gpu_node(s->v, gpu));
        } else {
            hs_antman_set_owner(s, gpu, 0);
        }
        hs_antman_unsettle(s, gpu);
        touch(s, gpu);
    }
    hs_allocation_map_drop(&s->allocations, &j->first_allocation);
    uint32_t *link = &s->first_review;
    while (j->is_reviewed && *link != job + 1)
        link = &hs_antman_job(s, *link - 1)->next_review;
    if (j->is_reviewed)
        *link = j->next_review;
    j->is_reviewed = false;
    j->has_surged = j->is_step_awaited = false;
    hs_antman_dequeue(s, job);
    s->is_woken = s->has_gained = true;
}

static void touch_all(struct hs_antman *s, hs_job_id job)
{
    for (uint32_t h = hs_antman_job(s, job)->first_allocation; h != 0;
         h = s->entries[h].next_of_job)
        touch(s, s->entries[h].gpu);
}

/* Handles a change of the job's memory demand. A new limit takes effect at the end of a mini-batch:
 * an owner that needs more than its limit is slow for one. */
static void needs_other_memory(struct hs_antman *s, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(s, job);
    uint32_t least_mib = j->least_mib, peak_mib = j->peak_mib;
    learn(s, job);
    j->has_grown = j->has_grown || j->peak_mib > peak_mib;
    for (uint32_t h = j->first_allocation; h != 0; h = s->entries[h].next_of_job) {
        if (j->role == HS_ANTMAN_OPPORTUNISTIC)
            s->gpus[s->entries[h].gpu].least_mib += (uint64_t)j->least_mib - least_mib;
        hs_antman_unsettle(s, s->entries[h].gpu);
    }
    j->has_surged = j->role == HS_ANTMAN_GUARANTEED && j->limit_mib > 0 &&
                    j->limit_mib < j->peak_mib && hs_view_step_us(s->v, job) > 0;
    j->needs_more = true;
    touch_all(s, job);
    review(s, job);
}

static void antman_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_antman *s = state;
    hs_job_id job = event->job;
    if (s->compat) {
        hs_antman_muri_event(s, event);
        return;
    }
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        submitted(s, job);
        break;
    case HS_EVENT_FINISH:
        left(s, job);
        break;
    case HS_EVENT_STOPPED: /* it ran out of memory */
        left(s, job);
        submitted(s, job);
        hs_antman_job(s, job)->limit_mib = UINT32_MAX; /* unlike any: to be set again */
        break;
    case HS_EVENT_PROGRESS: /* it can be paused from now on */
        review(s, job);
        break;
    case HS_EVENT_MEMORY:
        needs_other_memory(s, job);
        break;
    case HS_EVENT_STEP:
        hs_antman_job(s, job)->has_surged = hs_antman_job(s, job)->is_step_awaited = false;
        touch_all(s, job);
        break;
    case HS_EVENT_TIMER: /* tags: 0 to GPUs - 1, samples, conversions */
        if (event->tag < s->gpu_count && s->gpus[event->tag].tick_us == hs_view_now_us(v)) {
            s->gpus[event->tag].tick_us = 0;
            s->due[s->due_count++] = (uint32_t)event->tag;
        }
        s->is_sampled = s->is_sampled || event->tag == s->gpu_count;
        s->is_woken = s->is_woken || event->tag > s->gpu_count;
        break;
    case HS_EVENT_NODE:
        hs_antman_note_freed(s, (uint32_t)event->tag);
        s->is_woken = s->has_gained = true;
        break;
    case HS_EVENT_STARTED:
        break;
    }
}

/* ---- a decision ---- */

static enum hs_status antman_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_antman *s = state;
    s->v = v;
    s->p = p;
    s->now_us = hs_view_now_us(v);
    if (s->compat) {
        hs_antman_muri_decide(s);
        return HS_OK;
    }
    if (kill_jobs(s)) /* its events lead to another decision */
        return HS_OK;
    for (uint32_t i = 0; i < s->due_count; i++) {
        struct hs_antman_gpu *g = &s->gpus[s->due[i]];
        if (g->owner == 0)
            continue;
        g->steps++;
        touch(s, s->due[i]);
    }
    s->due_count = 0;
    if (s->is_woken) {
        upgrade_all(s);
        hs_antman_serve_reserving(s);
        serve_queues(s);
        convert(s);
    }
    if (s->is_woken || s->is_sampled)
        hs_antman_fill(s);
    s->is_woken = s->is_sampled = false;
    coordinate(s);
    int64_t sample_us = (s->now_us / s->tick_us + 1) * s->tick_us;
    if (s->kinds->jobs > 0 && s->unsettled_count > 0 && sample_us != s->sample_at_us) {
        hs_plan_timer(p, sample_us, s->gpu_count); /* a waiting job may find a candidate then */
        s->sample_at_us = sample_us;
    }
    return HS_OK;
}

static void antman_semantics(const void *state, struct hs_semantics *out)
{
    const struct hs_antman *s = state;
    *out = (struct hs_semantics){
        .order = "tenants in turn, submit",
        .scan = "guaranteed: strict with reservations; opportunistic: fit",
        .placement =
            HS_TYPES_TEXTS("guaranteed: fewest nodes; opportunistic: least utilization")[s->types],
        .preemption = s->has_ramp ? "opportunistic jobs are throttled, by a ramp"
                                  : "opportunistic jobs are throttled",
        .cost = "memory moved"};
    if (s->compat)
        *out = (struct hs_semantics){
            .order = "class, submit",
            .scan = "fit; guaranteed: with reservations",
            .placement = "guaranteed: first node with room; opportunistic: least load",
            .preemption = "none",
            .cost = hs_cost_text(&(struct hs_preempt_cost){0}, true)};
}

static const char *const compat_names[] = {"off", "muri", NULL};
#define PAPER "Xiao et al., OSDI'20"
static const struct hs_param params[] = {
    HS_PARAM_REAL(struct hs_antman, util_thr, "util_thr", "0.8", 0.001, 1,
                  "mean utilization of GPUs below which an opportunistic job may start on them",
                  .source = PAPER ": 80 %", .only_with = "compat=off"),
    HS_PARAM_DURATION(struct hs_antman, window_us, "util_window", "10s", 1, 1e6,
                      "period over which that mean is taken", .source = PAPER),
    /* events on traces/sample-classes.csv, 6x8: 8,000; 39,000 at 0.1 s; 3.1 million at 0.001 s */
    HS_PARAM_DURATION(
        struct hs_antman, tick_us, "tick", "10s", 0.1, 1e6,
        "time between steps of a ramp, and between utilization samples while jobs wait",
        .source = "the authors' code: statistics every 10 s", .only_with = "compat=off"),
    HS_PARAM_DURATION(struct hs_antman, init_us, "init", "10s", 0, 1e6,
                      "time that others stop when a guaranteed job starts",
                      .only_with = "compat=off"),
    HS_PARAM_FLAG(struct hs_antman, has_ramp, "ramp", "on",
                  "caps rise in steps; off: they are at their limit at once, without init",
                  .only_with = "compat=off"),
    HS_PARAM_REAL(struct hs_antman, step, "step", "0.1", 0.001, 1, "step by which caps rise",
                  .only_with = "compat=off"),
    HS_PARAM_DURATION(struct hs_antman, conv_wait_us, "conv_wait", "0s", 0, 1e9,
                      "wait for quota after which a job of class auto is opportunistic",
                      .only_with = "compat=off"),
    HS_PARAM_REAL(struct hs_antman, shrink_ms_per_gb, "shrink_ms_per_gb", "1", 0, 1e6,
                  "pause of a job per GB of GPU memory that it releases",
                  .source = PAPER ": 17 ms for 16.3 GB of ResNet-50", .only_with = "compat=off"),
    HS_PARAM_REAL(struct hs_antman, growth_ms_per_gb, "growth_ms_per_gb", "7", 0, 1e6,
                  "pause of a job per GB of GPU memory that it gains",
                  .source = PAPER ": 115 ms for 16.3 GB of ResNet-50", .only_with = "compat=off"),
    HS_PARAM_INT(struct hs_antman, host_gb, "host_gb", "64", 0, 1e6,
                 "host memory per worker that can replace GPU memory", .unit = "GB",
                 .source = "the authors' code: at most 64 GB", .only_with = "compat=off"),
    HS_PARAM_REAL(struct hs_antman, mem_chunk, "mem_chunk", "0.1", 0.05, 1,
                  "step of the memory limit of an opportunistic job, as a share of its peak",
                  .only_with = "compat=off"),
    HS_TYPES_PARAM(struct hs_antman, types),
    HS_PARAM_CHOICE(struct hs_antman, compat, "compat", "off", compat_names,
                    "muri: the baseline of Muri's released simulator: by class and submission, at "
                    "most two jobs on a GPU, opportunistic ones in the resources that the stages "
                    "of the other job leave free; all other parameters are ignored",
                    .source = "Rivendile/Muri 4e69a78"),
    {0}};

const struct hs_policy_ops hs_policy_antman = {
    .name = "antman",
    .summary =
        "guaranteed jobs run as if alone, opportunistic ones use what these leave of their GPUs",
    .cite = "Xiao et al., OSDI'20",
    .can = HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_THROTTLE | HS_CAN_TIME | HS_CAN_BORROW |
           HS_CAN_PREEMPT | HS_CAN_INTERLEAVE,
    .knows =
        HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE | HS_KNOWS_SPEED | HS_KNOWS_STAGES,
    .params = params,
    .state_size = sizeof(struct hs_antman),
    .job_state_size = sizeof(struct hs_antman_job),
    .wants_mean_util = true,
    .needs = hs_antman_needs,
    .init = antman_init,
    .on_event = antman_event,
    .decide = antman_decide,
    .semantics = antman_semantics,
    .check = hs_antman_check,
};
