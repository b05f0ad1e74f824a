/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placements and progress: which job holds which GPU, at which rate each job runs (MODEL.md 4),
 * when its next event is due. A gang runs at the rate of its slowest worker; jobs that run on a GPU
 * at one time have the speeds of the interference model. A job that pays a cost or is paused slows
 * no other. GPUs whose tenants changed are marked, and their speeds computed before time advances:
 * O(tenants) per GPU; only jobs whose speed changed get a new rate. O(1) if a job shares no GPU and
 * all types are equally fast.
 *
 * Exclusive mode: if the policy does not share, throttle or divide GPUs and asks about no single
 * one (e->is_exclusive), one allocation represents all GPUs that a job holds on a node, and of
 * struct hs_gpu only the node is kept. It makes runs 1.2 to 1.4 times as fast.
 */
#include "engine/state.h"

static void book_held(struct hs_engine *e, uint64_t gpus)
{
    e->instant.gpus_held += gpus;
    e->instant.milli_held += gpus * HS_GPU_MILLI;
}

/* Allocates `count` GPUs of one word of the map and appends them to the list that ends at
 * `*last`. */
static inline void allocation_append(struct hs_engine *e, const struct hs_job *job, uint32_t node,
                                     uint64_t gpus, uint32_t gpu, uint32_t count, uint32_t *last)
{
    const uint32_t at = hs_jobs_allocate(&e->jobs);
    e->jobs.allocations[at] = (struct hs_allocation){.gpus = gpus,
                                                     .gpu = gpu,
                                                     .count = count,
                                                     .node = node,
                                                     .job = hs_slot_of(&e->jobs, job),
                                                     .next_of_job = HS_NO_ALLOCATION,
                                                     .next_on_gpu = HS_NO_ALLOCATION,
                                                     .speed_q32 = HS_Q32_ONE};
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    *(*last == HS_NO_ALLOCATION ? &placement->first_allocation
                                : &e->jobs.allocations[*last].next_of_job) = at;
    *last = at;
    for (; HS_UNLIKELY(e->gpu_holder != NULL) && gpus != 0; gpus &= gpus - 1)
        e->gpu_holder[gpu / 64 * 64 + HS_CTZ64(gpus)] = hs_slot_of(&e->jobs, job);
}

/* Allocates the lowest free GPUs of a node, which has enough, word by word of the map. */
static void node_allocate(struct hs_engine *e, const struct hs_job *job, const struct hs_pick *pick,
                          uint32_t *last)
{
    uint32_t first = e->cluster->nodes[pick->node].first_gpu, word = first / 64;
    uint64_t bits = e->gpu_free[word] & (UINT64_MAX << (first % 64));
    for (uint32_t left = pick->count; left > 0; bits = e->gpu_free[++word]) {
        uint64_t rest = bits;
        uint32_t count = 0;
        for (; count < left && rest != 0; count++)
            rest &= rest - 1;
        if (count == 0)
            continue;
        e->gpu_free[word] ^= bits ^ rest;
        allocation_append(e, job, pick->node, bits ^ rest, word * 64 + HS_CTZ64(bits), count, last);
        left -= count;
    }
}

void hs_exclusive_allocate(struct hs_engine *e, const struct hs_action *a)
{
    struct hs_pick *picks = e->plan.picks; /* NULL if no job had GPUs before this CPU job */
    const uint32_t first = a->first_pick, end = first + a->pick_count;
    struct hs_job *job = hs_engine_job(e, a->job);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    uint32_t last = HS_NO_ALLOCATION, nodes = 0, node = HS_NO_NODE;
    for (uint32_t i = first + 1, at; i < end; i++) { /* sorts, as GPU ids ascend */
        const struct hs_pick pick = picks[i];
        for (at = i; at > first && picks[at - 1].node > pick.node; at--)
            picks[at] = picks[at - 1];
        picks[at] = pick;
    }
    for (uint32_t i = first; i < end; i++) {
        node_allocate(e, job, &picks[i], &last);
        nodes += picks[i].node != node;
        node = picks[i].node;
    }
    run->nodes_spanned = (uint16_t)nodes;
    placement->gpus_held = a->gpus;
    placement->segment_max_tenants = 1;
    if (a->gpus > 0)
        run->gpu_type = (uint8_t)e->cluster->nodes[picks[first].node].type;
    book_held(e, a->gpus);
}

static void placement_clear(struct hs_job_placement *placement)
{
    placement->first_allocation = HS_NO_ALLOCATION;
    placement->gpus_held = placement->shared_gpus = 0;
    placement->rate_q32 = 0;
}

void hs_exclusive_deallocate(struct hs_engine *e, struct hs_job *job, bool is_release)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    hs_utilization_book(e, job, 0, 0);
    book_held(e, 0 - (uint64_t)placement->gpus_held);
    for (uint32_t s = placement->first_allocation, next; s != HS_NO_ALLOCATION; s = next) {
        const struct hs_allocation *allocation = &e->jobs.allocations[s];
        next = allocation->next_of_job;
        if (is_release) {
            e->releases++;
            hs_free_give(e->free_index, allocation->node, allocation->count, &job->ask);
        }
        e->gpu_free[allocation->gpu / 64] |= allocation->gpus;
        hs_jobs_free_allocation(&e->jobs, s);
    }
    if (is_release)
        hs_quota_change(e->cluster, e->vc_held_milli, job->ask.vc,
                        -(int64_t)placement->gpus_held * HS_GPU_MILLI);
    placement_clear(placement);
}

/* ---- end of exclusive mode ---- */

/* Replaces the job's allocations by one per GPU, and sets what its record would contain by now. */
static void job_spread(struct hs_engine *e, struct hs_job *job)
{
    const bool has_left = e->plan.is_writing && (job->plan & HS_PLAN_RELEASED) != 0;
    uint32_t last = HS_NO_ALLOCATION;
    for (uint32_t s = hs_placement_of(&e->jobs, job)->first_allocation, next; s != HS_NO_ALLOCATION;
         s = next) {
        const struct hs_allocation allocation = e->jobs.allocations[s];
        next = allocation.next_of_job;
        hs_jobs_free_allocation(&e->jobs, s);
        for (uint64_t bits = allocation.gpus; bits != 0; bits &= bits - 1) {
            const uint32_t id = allocation.gpu / 64 * 64 + HS_CTZ64(bits);
            struct hs_gpu *gpu = &e->gpus[id];
            allocation_append(e, job, allocation.node, bits & (0 - bits), id, 1, &last);
            gpu->first_allocation = last;
            gpu->tenants = 1;
            gpu->tentative_tenants = !has_left;
            gpu->mem_claimed_mib = has_left ? 0 : hs_claim_mib(e, job);
            gpu->mem_used_mib = hs_needs_of(&e->jobs, job)->gpu_mem_mib;
            gpu->load_pm_q32 = e->jobs.allocations[last].load_pm_q32 = allocation.load_pm_q32;
            gpu->solo_pm_q32 = e->jobs.allocations[last].solo_pm_q32 = allocation.solo_pm_q32;
        }
    }
}

void hs_exclusive_end_now(struct hs_engine *e)
{
    e->is_exclusive = false;
    for (uint32_t slot = 0; slot < e->jobs.slots.high; slot++)
        if (hs_engine_has_job(e, slot))
            job_spread(e, hs_engine_job(e, slot));
}

static uint32_t profile_of(const struct hs_engine *e, const struct hs_job *job)
{
    return hs_identity_of(&e->jobs, job)->profile;
}

uint64_t hs_speed_alone_q32(const struct hs_engine *e, const struct hs_job *job, uint32_t type)
{
    return e->config.speed != NULL ? hs_speed_q32(e->config.speed, profile_of(e, job), type, NULL)
                                   : e->cluster->types[type].speed_q32;
}

/* ---- the speeds of the tenants of a GPU ---- */

/* A member of a group that interleaves counts before it makes progress, too: its place in the
 * period is kept. */
static bool has_speed(const struct hs_engine *e, const struct hs_job *job)
{
    return job->state == HS_JOB_RUNNING || e->config.stages != NULL;
}

/* Copies the running tenants, in the order of the GPU's list, to e->tenants; returns their number.
 * Background tenants yield while there is capacity for all. */
static uint32_t gather_tenants(struct hs_engine *e, const struct hs_gpu *gpu, uint32_t type)
{
    uint64_t wanted_q32 = 0;
    uint32_t count = 0;
    bool has_background = false;
    hs_grow(e->tenants, e->tenant_cap, gpu->tenants, UINT16_MAX);
    hs_grow(e->fair_shares, e->fair_share_cap, gpu->tenants, UINT16_MAX);
    for (const struct hs_allocation *a = hs_gpu_first(e, gpu); a != NULL; a = hs_gpu_next(e, a)) {
        const struct hs_job *job = hs_tenant(e, a);
        const struct hs_job_placement *placement = hs_tenant_placement(e, a);
        if (!has_speed(e, job))
            continue;
        e->tenants[count++] = (struct hs_tenant){.profile = profile_of(e, job),
                                                 .util_pm = job->gpu_util_pm,
                                                 .turn_group = placement->slice_group,
                                                 .turn_set = placement->coscheduled_set,
                                                 .away_q32 = HS_Q32_ONE - placement->share_q32,
                                                 .rest_q32 = HS_Q32_ONE - placement->cap_q32,
                                                 .yields = placement->is_background,
                                                 .stages = hs_identity_of(&e->jobs, job)->stages};
        has_background |= placement->is_background;
        wanted_q32 += hs_utilization_alone_pm(job) *
                      hs_q32_mul(placement->share_q32, placement->cap_q32) / 1000;
    }
    if (has_background && e->config.stages == NULL &&
        wanted_q32 > hs_interference_capacity_q32(e->config.interference, type, 2))
        for (uint32_t i = 0; i < count; i++)
            e->tenants[i].yields = false;
    return count;
}

/* Computes the speeds of the running tenants, into e->fair_shares, in the order of the list. */
static void gpu_speeds(struct hs_engine *e, const struct hs_gpu *gpu)
{
    const uint32_t type = e->cluster->nodes[gpu->node].type;
    const uint32_t count = gather_tenants(e, gpu, type);
    if (e->config.stages != NULL)
        hs_stages_speeds(e->config.stages, e->is_worst_order, e->tenants, count, e->fair_shares);
    else
        hs_interference_speeds(e->config.interference, type, e->tenants, count, e->fair_shares);
}

/* Tells whether tenants of the GPU slow each other. Shares of a divided GPU do not. */
static bool is_contended(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    return gpu->tenants > 1 && gpu->part_milli == 0 &&
           (e->config.interference != NULL || e->config.stages != NULL);
}

static void gpu_rerate(struct hs_engine *e, struct hs_gpu *gpu)
{
    const bool contended = is_contended(e, gpu);
    uint32_t next = 0;
    gpu->is_marked = false;
    if (contended)
        gpu_speeds(e, gpu);
    for (uint32_t s = gpu->first_allocation; s != HS_NO_ALLOCATION;
         s = e->jobs.allocations[s].next_on_gpu) {
        struct hs_allocation *a = &e->jobs.allocations[s];
        struct hs_job *job = hs_tenant(e, a);
        uint64_t speed_q32 = HS_Q32_ONE;
        if (contended && has_speed(e, job))
            speed_q32 = e->fair_shares[next++].speed_q32;
        if (a->speed_q32 == speed_q32)
            continue;
        a->speed_q32 = speed_q32;
        hs_progress_sync(e, job);
        hs_progress_touch(e, job);
    }
}

bool hs_progress_recount(struct hs_engine *e, uint32_t id, struct hs_gpu_time *time)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    const uint32_t type = e->cluster->nodes[gpu->node].type;
    const bool contended = is_contended(e, gpu);
    uint32_t next = 0;
    *time = (struct hs_gpu_time){.limit_pm_q32 = e->config.interference != NULL ? 1000 * HS_Q32_ONE
                                                                                : UINT64_MAX / 2};
    if (contended)
        gpu_speeds(e, gpu);
    for (const struct hs_allocation *a = hs_gpu_first(e, gpu); a != NULL; a = hs_gpu_next(e, a)) {
        const struct hs_job *job = hs_tenant(e, a);
        const bool runs = has_speed(e, job);
        if (a->speed_q32 != (contended && runs ? e->fair_shares[next++].speed_q32 : HS_Q32_ONE))
            return false;
        const struct hs_job_placement *placement = hs_tenant_placement(e, a);
        time->load_pm_q32 += hs_utilization_load_pm_q32(e, job, a, placement->rate_q32,
                                                        hs_part_of_time_q32(job, placement));
    }
    if (e->config.stages != NULL) /* GPU stages may be more than what counts as utilization */
        return time->load_pm_q32 == gpu->load_pm_q32 &&
               (!contended ||
                hs_stages_are_within(e->config.stages, e->is_worst_order, e->tenants, next));
    for (uint32_t n = 2; n <= next; n++) { /* maximum over numbers of tenants */
        const uint64_t q32 = hs_interference_capacity_q32(e->config.interference, type, n);
        if (q32 == UINT64_MAX) /* not limited: at most full speed each */
            time->limit_pm_q32 = UINT64_MAX / 2;
        else if (1000 * q32 > time->limit_pm_q32)
            time->limit_pm_q32 = 1000 * q32;
    }
    return time->load_pm_q32 == gpu->load_pm_q32;
}

static HS_APART uint64_t slowest_allocation_q32(const struct hs_engine *e, const struct hs_job *job)
{
    uint64_t slowest = UINT64_MAX;
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        uint64_t speed =
            hs_q32_mul(hs_speed_alone_q32(e, job, e->cluster->nodes[a->node].type), a->speed_q32);
        if (e->machines != NULL)
            speed = hs_q32_mul(speed, e->machines[a->node].speed_q32);
        if (speed < slowest)
            slowest = speed;
    }
    return slowest;
}

static inline uint64_t job_slowest_q32(const struct hs_engine *e, const struct hs_job *job,
                                       const struct hs_job_placement *placement)
{
    if (placement->gpus_held == 0) /* a CPU job */
        return HS_Q32_ONE;
    if (e->uniform_speed_q32 != 0 && placement->shared_gpus == 0 && e->slow_nodes == 0) /* equal */
        return e->uniform_speed_q32;
    return slowest_allocation_q32(e, job);
}

/* Tells whether it uses more nodes than it would need if the largest nodes it may use were idle,
 * set aside now or not. */
static bool job_is_spread(const struct hs_engine *e, const struct hs_job *job)
{
    uint32_t spanned = hs_run_of(&e->jobs, job)->nodes_spanned;
    uint32_t size = e->cluster->max_node_gpus + 1, left = hs_placement_of(&e->jobs, job)->gpus_held,
             nodes = 0;
    while ((size = hs_free_node_size(e->free_index, &job->ask, size - 1, HS_NODES_ALL)) > 0) {
        uint32_t need = (left + size - 1) / size;
        uint32_t count = hs_free_node_count(e->free_index, &job->ask, size, HS_NODES_ALL);
        if (need <= count)
            return spanned > nodes + need;
        nodes += count;
        left -= count * size;
    }
    return spanned > nodes;
}

/* Factor on one GPU type for a spread gang and for a number of GPUs other than requested. */
static uint64_t type_factor_q32(const struct hs_engine *e, const struct hs_job *job, uint32_t type,
                                bool is_spread)
{
    const struct hs_speed *speed = e->config.speed;
    const uint32_t held = hs_placement_of(&e->jobs, job)->gpus_held;
    uint64_t factor =
        is_spread ? hs_speed_spread_q32(speed, profile_of(e, job), type, held) : HS_Q32_ONE;
    if (held == job->gpus || job->gpus == 0)
        return factor;
    return hs_q32_mul(factor,
                      hs_speed_resize_q32(speed, profile_of(e, job), type, held, job->gpus));
}

/* The same for a gang of several types: the minimum, because all wait for the slowest. */
static uint64_t gang_factor_q32(const struct hs_engine *e, const struct hs_job *job, bool is_spread)
{
    uint64_t least = UINT64_MAX;
    uint32_t last = UINT32_MAX;
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        uint32_t type = e->cluster->nodes[a->node].type;
        uint64_t factor = type != last ? type_factor_q32(e, job, type, is_spread) : least;
        least = factor < least ? factor : least;
        last = type;
    }
    return least;
}

/* The same for a gang on several nodes, or with another number of GPUs than requested. */
static HS_APART uint64_t changed_q32(const struct hs_engine *e, const struct hs_job *job,
                                     bool may_be_spread, bool is_resized, uint64_t rate)
{
    bool is_spread = may_be_spread && job_is_spread(e, job);
    if (is_resized && e->config.speed == NULL) /* linear if nothing is known */
        return (uint64_t)((hs_u128)rate * hs_placement_of(&e->jobs, job)->gpus_held / job->gpus);
    return is_spread || is_resized ? hs_q32_mul(rate, gang_factor_q32(e, job, is_spread)) : rate;
}

/* Tells whether it uses more racks than it would need if the largest it may use were idle. O(racks
 * x their kinds of nodes x their sizes). */
static HS_APART bool job_is_over_racks(const struct hs_engine *e, const struct hs_job *job)
{
    const uint32_t spanned = hs_progress_racks(e, job);
    uint64_t size = UINT64_MAX, left = hs_placement_of(&e->jobs, job)->gpus_held;
    uint32_t racks = 0;
    while (spanned > 1 && size > 0 && left > 0) {
        uint64_t next = 0; /* next smaller size */
        uint32_t count = 0;
        for (uint32_t rack = 0; rack < e->cluster->rack_count; rack++) {
            const uint64_t room = hs_free_rack_room(e->free_index, &job->ask, rack, true);
            if (room >= size || room < next)
                continue;
            count = room > next ? 1 : count + 1;
            next = room;
        }
        if (next > 0 && left <= next * count)
            return spanned > racks + (left + next - 1) / next;
        size = next;
        racks += count;
        left -= next * count;
    }
    return false;
}

HS_EXPANDED uint64_t hs_rate_placed(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    uint64_t rate = job_slowest_q32(e, job, placement);
    bool may_be_spread = e->config.has_locality && !hs_job_is_part(job) &&
                         hs_run_of(&e->jobs, job)->nodes_spanned > 1;
    bool is_resized = placement->gpus_held != job->gpus && job->gpus > 0;
    if (may_be_spread || is_resized)
        rate = changed_q32(e, job, may_be_spread, is_resized, rate);
    if (HS_UNLIKELY(e->config.rack_q32 != 0) && !hs_job_is_part(job) && job_is_over_racks(e, job))
        rate = hs_q32_mul(rate, e->config.rack_q32);
    if (HS_UNLIKELY(e->config.host != NULL))
        rate = hs_q32_mul(rate,
                          hs_host_speed_q32(e->config.host, profile_of(e, job),
                                            job->ask.cpus_milli_per_gpu, job->ask.mem_mib_per_gpu));
    rate = hs_q32_mul(hs_q32_mul(rate, placement->share_q32), placement->cap_q32);
    if (HS_UNLIKELY(e->config.checkpoint_us != 0) && job->gpus > 0)
        rate = hs_q32_mul(rate, hs_checkpoint_speed_q32(e, job));
    return hs_q32_mul(rate, placement->mem_factor_q32);
}

HS_EXPANDED uint64_t hs_rate_now(const struct hs_engine *e, const struct hs_job *job)
{
    return job->state == HS_JOB_RUNNING ? hs_rate_placed(e, job) : 0;
}

/* Bit of struct hs_job.plan, above its marks: the job is in the touched list. */
enum { JOB_TOUCHED = 1u << 7 };

void hs_progress_account(struct hs_engine *e, struct hs_job *job, int64_t dt)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    if (placement->host_mib != 0)
        hs_sharing_overhead_of(&e->jobs, job)->host_mib_us += dt * placement->host_mib;
    if (!hs_job_is_placed(job))
        return;
    run->run_us += dt;
    run->gpu_us += dt * placement->gpus_held;
    if (placement->shared_gpus > 0)
        hs_sharing_overhead_of(&e->jobs, job)->colocated_us += dt;
    if (job->state == HS_JOB_STARTING || job->state == HS_JOB_MIGRATING) {
        run->cost_left_us -= dt;
        run->overhead_us += dt;
    } else if (job->state == HS_JOB_RUNNING) {
        struct hs_work work = hs_work_of(&e->jobs, job);
        hs_work_advance(&work, placement->rate_q32, dt);
        e->work_done_ns += (uint64_t)(work.done_ns - run->done_ns);
        run->done_ns = work.done_ns;
        run->carry = (uint32_t)work.carry;
        run->attained_us += dt;
    }
}

void hs_progress_touch(struct hs_engine *e, struct hs_job *job)
{
    if (job->plan & JOB_TOUCHED)
        return;
    job->plan |= JOB_TOUCHED;
    *hs_push(e->touched, e->touched_count, e->touched_cap, HS_LIVE_JOBS_MAX) =
        hs_slot_of(&e->jobs, job);
}

/* Marks a GPU, and those of its other tenants whose rate must be recomputed in any case; the number
 * of GPUs that each shares changed by `delta`. */
static void gpu_touch_others(struct hs_engine *e, struct hs_gpu *gpu, const struct hs_job *job,
                             int delta)
{
    if (!gpu->is_marked) {
        gpu->is_marked = true;
        *hs_push(e->marked_gpus, e->marked_gpu_count, e->marked_gpu_cap, HS_LIVE_JOBS_MAX) =
            (uint32_t)(gpu - e->gpus);
    }
    for (const struct hs_allocation *a = hs_gpu_first(e, gpu); a != NULL; a = hs_gpu_next(e, a)) {
        struct hs_job *other = hs_tenant(e, a);
        struct hs_job_placement *placement = hs_tenant_placement(e, a);
        if (gpu->tenants > placement->segment_max_tenants)
            placement->segment_max_tenants = gpu->tenants;
        if (other == job || (delta == 0 && placement->oom_us == HS_TIME_MAX))
            continue; /* a job waiting to be killed may now have room */
        hs_progress_sync(e, other);
        placement->shared_gpus = (uint32_t)((int64_t)placement->shared_gpus + delta);
        hs_progress_touch(e, other);
    }
}

/* Counts the memory of the job and of tenants placed before it, which follow it in the list. */
bool hs_progress_overflows(const struct hs_engine *e, const struct hs_job *job)
{
    if (hs_placement_of(&e->jobs, job)->shared_gpus == 0)
        return false;
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        const struct hs_gpu *gpu = &e->gpus[a->gpu];
        if (gpu->mem_used_mib > hs_gpu_capacity_mib(e, gpu, gpu->tenants) && /* rare */
            a->next_on_gpu != HS_NO_ALLOCATION &&
            hs_gpu_memory(e, a, HS_NEED_USED) > hs_gpu_memory_capacity_mib(e, gpu, a))
            return true;
    }
    return false;
}

static void allocation_unlink(struct hs_engine *e, struct hs_gpu *gpu, uint32_t allocation)
{
    uint32_t *link = &gpu->first_allocation;
    while (*link != allocation)
        link = &e->jobs.allocations[*link].next_on_gpu;
    *link = e->jobs.allocations[allocation].next_on_gpu;
}

void hs_progress_renew(struct hs_engine *e, const struct hs_job *job)
{
    if (e->is_exclusive) /* it has no co-runner */
        return;
    for (uint32_t s = hs_placement_of(&e->jobs, job)->first_allocation; s != HS_NO_ALLOCATION;
         s = e->jobs.allocations[s].next_of_job) {
        struct hs_gpu *gpu = &e->gpus[e->jobs.allocations[s].gpu];
        allocation_unlink(e, gpu, s);
        e->jobs.allocations[s].next_on_gpu = gpu->first_allocation;
        gpu->first_allocation = s;
    }
}

/* Allocates every GPU, which were marked as used when they were picked; counts the GPUs of which
 * the job is the first tenant, and their nodes. */
static void job_allocate_gpus(struct hs_engine *e, const struct hs_job *job, const uint32_t *ids,
                              uint32_t count, uint32_t *first_of)
{
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const uint32_t mem_mib = hs_needs_of(&e->jobs, job)->gpu_mem_mib;
    const bool is_laned = placement->slice_group > 0, is_part = hs_job_is_part(job);
    uint32_t last = HS_NO_ALLOCATION, last_node = HS_NO_NODE;
    for (uint32_t i = 0; i < count; i++) {
        struct hs_gpu *gpu = &e->gpus[ids[i]];
        allocation_append(e, job, gpu->node, UINT64_C(1) << (ids[i] % 64), ids[i], 1, &last);
        e->jobs.allocations[last].next_on_gpu = gpu->first_allocation;
        gpu->first_allocation = last;
        gpu->tenants++;
        gpu->laned = (uint16_t)(gpu->laned + is_laned);
        hs_gpu_memory_recount(e, gpu, mem_mib);
        if (gpu->tenants == 1) {
            ++*first_of;
        } else if (!is_part) { /* they slow each other unless all have shares */
            e->instant.gpus_shared += gpu->tenants == 2;
            placement->shared_gpus++;
            gpu_touch_others(e, gpu, job, gpu->tenants == 2 ? 1 : 0);
        }
        if (is_laned)
            hs_utilization_mark(e, gpu->node);
        run->nodes_spanned = (uint16_t)(run->nodes_spanned + (gpu->node != last_node));
        last_node = gpu->node;
    }
}

void hs_progress_allocate(struct hs_engine *e, struct hs_job *job, const uint32_t *ids,
                          uint32_t count)
{
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    uint32_t first_of = 0;
    placement->gpus_held = count;
    placement->shared_gpus = 0;
    run->nodes_spanned = 0;
    placement->segment_max_tenants = 1;
    job_allocate_gpus(e, job, ids, count, &first_of);
    e->instant.gpus_held += first_of;
    e->instant.milli_held +=
        (uint64_t)(hs_job_is_part(job) ? count : first_of) * job->ask.gpu_milli;
    if (count > 0)
        run->gpu_type = (uint8_t)e->cluster->nodes[e->gpus[ids[0]].node].type;
    placement->oom_us =
        hs_progress_overflows(e, job) ? e->now_us + e->config.oom_delay_us : HS_TIME_MAX;
}

/* Leaves every GPU; counts those of which it was the last tenant. */
static void job_free_gpus(struct hs_engine *e, const struct hs_job *job, uint32_t *last_of)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    const uint32_t mem_mib = hs_needs_of(&e->jobs, job)->gpu_mem_mib;
    const bool is_laned = placement->slice_group > 0, is_part = hs_job_is_part(job);
    for (uint32_t allocation = placement->first_allocation, next; allocation != HS_NO_ALLOCATION;
         allocation = next) {
        const uint32_t id = e->jobs.allocations[allocation].gpu;
        struct hs_gpu *gpu = &e->gpus[id];
        next = e->jobs.allocations[allocation].next_of_job;
        allocation_unlink(e, gpu, allocation);
        hs_jobs_free_allocation(&e->jobs, allocation);
        gpu->tenants--;
        hs_gpu_memory_recount(e, gpu, -(int64_t)mem_mib);
        gpu->laned = (uint16_t)(gpu->laned - is_laned);
        if (is_laned)
            hs_utilization_mark(e, gpu->node);
        if (gpu->tenants == 0) {
            e->gpu_free[id / 64] |= UINT64_C(1) << (id % 64);
            ++*last_of;
        } else if (!is_part) {
            e->instant.gpus_shared -= gpu->tenants == 1;
            gpu_touch_others(e, gpu, job, gpu->tenants == 1 ? -1 : 0);
        }
    }
}

void hs_progress_deallocate(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    uint32_t last_of = 0;
    if (e->is_exclusive) {
        hs_exclusive_deallocate(e, job, false);
        return;
    }
    hs_utilization_book(e, job, 0, 0);
    job_free_gpus(e, job, &last_of);
    e->instant.gpus_held -= last_of;
    e->instant.milli_held -=
        (uint64_t)(hs_job_is_part(job) ? placement->gpus_held : last_of) * job->ask.gpu_milli;
    placement_clear(placement);
}

uint32_t hs_progress_gpu_ids(const struct hs_engine *e, const struct hs_job *job)
{
    uint32_t count = 0;
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a))
        for (uint64_t bits = a->gpus; bits != 0; bits &= bits - 1)
            e->gpu_ids[count++] = a->gpu / 64 * 64 + HS_CTZ64(bits);
    return count;
}

uint32_t hs_progress_racks(const struct hs_engine *e, const struct hs_job *job)
{
    uint32_t racks = 0, last = UINT32_MAX; /* GPUs, and so racks, ascend */
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
        const uint32_t rack = e->cluster->nodes[a->node].rack;
        racks += rack != last;
        last = rack;
    }
    return racks;
}

void hs_progress_touch_beside(struct hs_engine *e, struct hs_job *job)
{
    if (!e->is_exclusive)
        for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a))
            if (e->gpus[a->gpu].tenants > 1)
                gpu_touch_others(e, &e->gpus[a->gpu], job, 0);
    hs_progress_touch(e, job);
}

/* Time of the next milestone: the end of an awaited mini-batch, or a change of the job's memory. */
static int64_t milestone_us(const struct hs_engine *e, const struct hs_job *job,
                            const struct hs_job_placement *placement)
{
    struct hs_work work = hs_work_of(&e->jobs, job);
    int64_t at_ns = placement->alarm_ns;
    int64_t later_ns = hs_needs_of(&e->jobs, job)->later_ns;
    if (later_ns > work.done_ns && later_ns < at_ns)
        at_ns = later_ns;
    if (at_ns >= job->work_ns)
        return HS_TIME_MAX;
    work.total_ns = at_ns;
    int64_t wait_us = hs_work_eta_us(&work, placement->rate_q32);
    return wait_us < HS_TIME_MAX - e->now_us ? e->now_us + wait_us : HS_TIME_MAX;
}

/* Schedules a job's next event: its cost is paid, its work done, or a milestone. */
static void job_schedule(struct hs_engine *e, const struct hs_job *job,
                         const struct hs_job_run *run, struct hs_job_placement *placement)
{
    const struct hs_work work = hs_work_of(&e->jobs, job);
    int64_t wait_us = HS_TIME_MAX;
    if (job->state == HS_JOB_STARTING || job->state == HS_JOB_MIGRATING)
        wait_us = run->cost_left_us;
    else if (job->state == HS_JOB_RUNNING)
        wait_us = hs_work_eta_us(&work, placement->rate_q32);
    placement->finish_us = wait_us < HS_TIME_MAX - e->now_us ? e->now_us + wait_us : HS_TIME_MAX;
    int64_t next_us =
        placement->oom_us < placement->finish_us ? placement->oom_us : placement->finish_us;
    int64_t predicted_us =
        job->state == HS_JOB_RUNNING ? milestone_us(e, job, placement) : HS_TIME_MAX;
    next_us = predicted_us < next_us ? predicted_us : next_us;
    if (next_us == HS_TIME_MAX) {
        hs_heap_remove(&e->job_events, job->placement);
        return;
    }
    hs_heap_set(&e->job_events, job->placement, next_us, job->index);
}

void hs_progress_rate(struct hs_engine *e, struct hs_job *job)
{
    struct hs_job_run *run = hs_run_of(&e->jobs, job);
    struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    hs_progress_sync(e, job);
    if (placement->oom_us != HS_TIME_MAX && !hs_progress_overflows(e, job))
        placement->oom_us = HS_TIME_MAX; /* others made room in time */
    if (e->jobs.has_needs || placement->host_mib != 0)
        hs_gpu_memory_settle(e, job);
    placement->rate_q32 = hs_rate_now(e, job);
    hs_utilization_book(e, job, placement->rate_q32, hs_part_of_time_q32(job, placement));
    if (run->first_progress_us < 0 && placement->rate_q32 > 0)
        run->first_progress_us = e->now_us;
    job_schedule(e, job, run, placement);
}

enum hs_status hs_progress_rerate_touched(struct hs_engine *e)
{
    for (uint32_t i = 0; i < e->marked_gpu_count; i++)
        gpu_rerate(e, &e->gpus[e->marked_gpus[i]]);
    e->marked_gpu_count = 0;
    for (uint32_t i = 0; i < e->touched_count; i++) {
        struct hs_job *job = hs_engine_job(e, e->touched[i]);
        job->plan &= (uint8_t)~JOB_TOUCHED;
        if (job->is_live && job->placement != 0)
            hs_progress_rate(e, job);
    }
    e->touched_count = 0;
    return e->marked_count > 0 ? hs_utilization_settle(e) : e->plan.refused;
}
