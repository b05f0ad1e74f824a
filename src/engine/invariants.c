/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checks of MODEL.md 11, after every instant. fast: sums that must balance, O(1). full: also
 * the jobs of the plan and, unless GPUs are exclusive, their nodes; and a recount of every index,
 * O(cluster + live jobs), so rarely that its cost stays below RECOUNT_SHARE items an instant, and
 * ever more rarely in runs of many instants. Each returns the text of the violated rule, or NULL;
 * the first violation ends the run.
 */
#include "engine/state.h"

#define RECOUNT_SHARE 64u
#define RECOUNT_RARER 4096u /* instants after which one more passes between recounts */

/* Sums over the GPUs of some nodes. */
struct gpu_sums {
    uint64_t held, shared, milli;
};

static const char *check_sums(struct hs_engine *e)
{
    const struct hs_instant *i = &e->instant;
    const struct hs_engine_figures *f = &e->figures;
    if (i->running + i->pending + i->suspended != e->jobs.live)
        return "running + pending + suspended jobs are not the live jobs";
    if (f->finished + f->failed + f->rejected + e->jobs.live != f->jobs)
        return "ended and live jobs are not the submitted ones";
    if (i->gpus_held > e->cluster->gpu_count)
        return "more GPUs are held than there are";
    if (i->gpus_shared > i->gpus_held)
        return "more GPUs are shared than held";
    if (hs_heap_next_us(&e->job_events) < e->now_us)
        return "a job's event lies in the past";
    if (hs_heap_next_us(&e->timer_events) < e->now_us)
        return "a timer lies in the past";
    return NULL;
}

static const char *check_gpu_memory(const struct hs_engine *e, const struct hs_gpu *gpu)
{
    uint64_t used_mib = hs_gpu_memory(e, hs_gpu_first(e, gpu), HS_NEED_USED), claimed_mib = 0;
    bool is_dying = false, has_grown = false;
    for (const struct hs_allocation *a = hs_gpu_first(e, gpu); a != NULL; a = hs_gpu_next(e, a)) {
        const struct hs_job *job = hs_tenant(e, a);
        claimed_mib += hs_claim_mib(e, job);
        is_dying |= hs_placement_of(&e->jobs, job)->oom_us != HS_TIME_MAX;
        has_grown |= hs_run_of(&e->jobs, job)->done_ns >= /* not requested by a plan */
                     hs_needs_of(&e->jobs, job)->later_ns;
    }
    uint64_t capacity_mib = hs_gpu_memory_capacity_mib(e, gpu, hs_gpu_first(e, gpu));
    if (used_mib != gpu->mem_used_mib || claimed_mib != gpu->mem_claimed_mib)
        return "the memory of a GPU is miscounted";
    claimed_mib = hs_gpu_memory(e, hs_gpu_first(e, gpu), HS_NEED_CLAIMED);
    if (gpu->part_milli > 0) /* each has a part of the memory, by its GPU types */
        return NULL;
    if (gpu->tenants > 1 && claimed_mib > capacity_mib && !is_dying && !has_grown)
        return "tenants claim more memory than the GPU has";
    if (gpu->tenants > 1 && used_mib > capacity_mib && !is_dying)
        return "tenants use more memory than the GPU has, and none is killed for it";
    return NULL;
}

static const char *check_shares(const struct hs_engine *e, uint32_t id)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    uint32_t milli = 0, parts = 0;
    for (const struct hs_allocation *a = hs_gpu_first(e, gpu); a != NULL; a = hs_gpu_next(e, a)) {
        const struct hs_job *job = hs_tenant(e, a);
        parts += hs_job_is_part(job);
        milli += hs_job_is_part(job) ? job->ask.gpu_milli : 0;
    }
    if (parts > 0 && parts < gpu->tenants)
        return "a GPU holds shares and a whole job";
    if (milli > HS_GPU_MILLI)
        return "the shares of a GPU are more than the GPU";
    if (milli != gpu->part_milli || gpu->is_given)
        return "the shares of a GPU are miscounted";
    if (gpu->tenants > 1 && parts == 0 && !(e->can & HS_CAN_COLOCATE))
        return "a GPU is held twice under a policy that does not co-locate";
    if (e->parts != NULL && hs_part_room(e->parts, id) != hs_tentative_room_milli(e, gpu))
        return "the index of shares disagrees with a GPU";
    return NULL;
}

static const char *check_tenants(struct hs_engine *e, uint32_t id)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    uint32_t tenants = 0, laned = 0;
    for (const struct hs_allocation *a = hs_gpu_first(e, gpu); a != NULL; a = hs_gpu_next(e, a)) {
        const struct hs_job *job = hs_tenant(e, a);
        if (a->gpu != id || !job->is_live || !hs_job_is_placed(job))
            return "a GPU lists a tenant that does not hold it";
        const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
        tenants++;
        laned += placement->slice_group != 0;
        if (job->state == HS_JOB_RUNNING && placement->is_waiting)
            return "a tenant runs while it waits for its turn";
    }
    if (tenants != gpu->tenants || tenants != gpu->tentative_tenants || laned != gpu->laned)
        return "the tenants of a GPU are miscounted";
    const char *broken = check_shares(e, id);
    return broken != NULL ? broken : check_gpu_memory(e, gpu);
}

static const char *check_open(const struct hs_engine *e, uint32_t id)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    int64_t sum[HS_LOADS] = {0};
    for (const struct hs_allocation *a = hs_gpu_first(e, gpu); a != NULL; a = hs_gpu_next(e, a))
        for (int i = 0; i < HS_LOADS; i++)
            sum[i] += hs_needs_of(&e->jobs, hs_tenant(e, a))->load[i];
    for (int i = 0; i < HS_LOADS; i++)
        if (sum[i] != gpu->load_sum[i])
            return "the load of a GPU is not the sum of its tenants'";
    const struct hs_load load = hs_tentative_load(e, gpu);
    bool is_open = gpu->tenants > 0 && hs_tentative_is_open(e, gpu);
    return hs_share_is_open(e->share, id, is_open ? &load : NULL) == is_open
               ? NULL
               : "the index of shared GPUs disagrees with a GPU";
}

/* ---- exclusive mode ---- */

/* Writes the holder of each GPU to gpu_ids. */
static const char *find_holders(const struct hs_engine *e)
{
    for (uint32_t id = 0; id < e->cluster->gpu_count; id++)
        e->gpu_ids[id] = HS_NO_JOB;
    for (uint32_t slot = 0; slot < e->jobs.slots.high; slot++) {
        if (!hs_engine_has_job(e, slot))
            continue;
        const struct hs_job *job = &e->jobs.jobs[slot];
        for (struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a)) {
            if (a->job != slot || a->gpus == 0)
                return "a job has the allocation of another, or one of no GPU";
            for (uint64_t bits = a->gpus; bits != 0; bits &= bits - 1) {
                uint32_t id = a->gpu / 64 * 64 + HS_CTZ64(bits);
                if (id >= e->cluster->gpu_count || e->gpus[id].node != a->node)
                    return "an allocation is not on its node";
                if (e->gpu_ids[id] != HS_NO_JOB)
                    return "a GPU is held twice by jobs that have theirs to themselves";
                e->gpu_ids[id] = slot;
            }
        }
    }
    return NULL;
}

/* ---- nodes ---- */

/* Checks CPUs and host memory of a node that states them: each worker has its share. */
static const char *check_node_rest(const struct hs_engine *e, uint32_t n)
{
    const struct hs_node *node = &e->cluster->nodes[n];
    int64_t cpus_milli, mem_mib;
    hs_free_rest(e->free_index, n, &cpus_milli, &mem_mib);
    if ((node->cpus > 0 && cpus_milli < 0) || (node->mem_mib > 0 && mem_mib < 0))
        return "a node gave more CPUs or host memory than it has";
    for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
        const struct hs_gpu *gpu = &e->gpus[id];
        if (e->is_exclusive && e->gpu_ids[id] != HS_NO_JOB) {
            cpus_milli += e->jobs.jobs[e->gpu_ids[id]].ask.cpus_milli_per_gpu;
            mem_mib += e->jobs.jobs[e->gpu_ids[id]].ask.mem_mib_per_gpu;
        }
        for (struct hs_allocation *a = hs_gpu_first(e, gpu); a != NULL; a = hs_gpu_next(e, a)) {
            cpus_milli += hs_tenant(e, a)->ask.cpus_milli_per_gpu;
            mem_mib += hs_tenant(e, a)->ask.mem_mib_per_gpu;
        }
    }
    if ((node->cpus > 0 && cpus_milli != node->cpus * INT64_C(1000)) ||
        (node->mem_mib > 0 && mem_mib != node->mem_mib))
        return "the CPUs or the host memory of a node are miscounted";
    return NULL;
}

/* Checks a GPU, shared or exclusive, and adds it to the sums. */
static const char *check_gpu(struct hs_engine *e, uint32_t id, struct gpu_sums *sums)
{
    const struct hs_gpu *gpu = &e->gpus[id];
    const bool is_held = e->is_exclusive ? e->gpu_ids[id] != HS_NO_JOB : gpu->tenants > 0;
    if ((e->gpu_free[id / 64] >> (id % 64) & 1) == is_held)
        return "a GPU is free and held at once, or neither";
    sums->held += is_held;
    sums->shared += gpu->tenants > 1 && gpu->part_milli == 0;
    if (is_held)
        sums->milli += gpu->part_milli > 0 ? gpu->part_milli : HS_GPU_MILLI;
    const char *broken = e->is_exclusive ? NULL : check_tenants(e, id);
    return broken == NULL && e->share != NULL ? check_open(e, id) : broken;
}

/* By rounding, speeds may exceed the capacity by up to 2^-32. Jobs of a slice group take turns on
 * all GPUs of their node, so only the node is checked. */
static const char *check_gpu_time(struct hs_engine *e, const struct hs_node *node)
{
    struct hs_gpu_time sum = {0}, time;
    for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
        if (!hs_progress_recount(e, id, &time))
            return "the speeds or the utilization of a GPU are out of date";
        const uint64_t slack = time.limit_pm_q32 / 1000000;
        if (e->gpus[id].laned == 0 && time.load_pm_q32 > time.limit_pm_q32 + slack)
            return "the tenants of a GPU use more time than it has";
        sum.load_pm_q32 += time.load_pm_q32;
        sum.limit_pm_q32 += time.limit_pm_q32 + slack;
        if (sum.limit_pm_q32 > UINT64_MAX / 4)
            sum.limit_pm_q32 = UINT64_MAX / 4;
    }
    return sum.load_pm_q32 > sum.limit_pm_q32
               ? "the tenants of a node use more time than its GPUs have"
               : NULL;
}

static const char *check_node(struct hs_engine *e, uint32_t n, struct gpu_sums *sums)
{
    const struct hs_node *node = &e->cluster->nodes[n];
    const uint64_t held_before = sums->held;
    for (uint32_t id = node->first_gpu; id < node->first_gpu + node->gpus; id++) {
        const char *broken = check_gpu(e, id, sums);
        if (broken != NULL)
            return broken;
    }
    uint32_t free_gpus = node->gpus - (uint32_t)(sums->held - held_before);
    if (free_gpus != hs_free_of_node(e->free_index, n))
        return "free + held GPUs of a node are not its GPUs";
    const char *broken = e->is_exclusive ? NULL : check_gpu_time(e, node);
    return broken != NULL ? broken : check_node_rest(e, n);
}

static const char *check_cluster(struct hs_engine *e)
{
    struct gpu_sums sums = {0};
    const char *unclear = e->is_exclusive ? find_holders(e) : NULL;
    if (unclear != NULL)
        return unclear;
    for (uint32_t n = 0; n < e->cluster->node_count; n++) {
        const char *broken = check_node(e, n, &sums);
        if (broken != NULL)
            return broken;
    }
    if (sums.held != e->instant.gpus_held || sums.shared != e->instant.gpus_shared ||
        sums.milli != e->instant.milli_held)
        return "held or shared GPUs are miscounted";
    if (e->parts != NULL && !hs_part_is_valid(e->parts))
        return "the index of shares is out of order";
    if (e->share != NULL && !hs_share_is_valid(e->share))
        return "the index of shared GPUs disagrees with a recount";
    return hs_free_is_valid(e->free_index) ? NULL
                                           : "the index of free GPUs disagrees with a recount";
}

static const char *check_gang(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    uint32_t allocations = 0;
    for (const struct hs_allocation *a = hs_job_first(e, job); a != NULL; a = hs_job_next(e, a))
        allocations += a->count;
    bool is_placed = hs_job_is_placed(job), has_placement = job->placement != 0;
    if (has_placement != (is_placed || placement->is_hosted) ||
        (has_placement && (job->run == 0 || placement->slot != hs_slot_of(&e->jobs, job))))
        return "a job lacks the record of its placement, or has one without a placement";
    if (allocations != placement->gpus_held || (!is_placed && allocations != 0))
        return "a job that is not placed holds GPUs, or its GPUs are miscounted";
    if (is_placed && (allocations < hs_job_gpus_min(&e->jobs, job) ||
                      allocations > hs_job_gpus_max(&e->jobs, job)))
        return "a gang is placed in part";
    return NULL;
}

static const char *check_progress(const struct hs_engine *e, const struct hs_job *job)
{
    const struct hs_job_run *run = hs_run_of(&e->jobs, job);
    const struct hs_job_placement *placement = hs_placement_of(&e->jobs, job);
    if (run->done_ns < 0 || run->done_ns > job->work_ns)
        return "work done lies outside 0 .. total";
    if (job->state != HS_JOB_RUNNING && placement->rate_q32 != 0)
        return "a job that waits, pays a cost or is paused makes progress";
    if (placement->oom_us != HS_TIME_MAX && !hs_progress_overflows(e, job))
        return "a job is to be killed for memory, and its GPUs have enough";
    if (job->state == HS_JOB_RUNNING && placement->rate_q32 != hs_rate_now(e, job))
        return "a rate is out of date";
    if (run->cost_left_us < 0)
        return "more cost was paid than owed";
    if (job->plan != 0)
        return "a mark of the plan was left on a job";
    return NULL;
}

static const char *check_jobs(const struct hs_engine *e)
{
    hs_u128 remaining_ns = 0;
    uint64_t wanted = 0;
    for (uint32_t slot = 0; slot < e->jobs.slots.high; slot++) {
        const struct hs_job *job = &e->jobs.jobs[slot];
        if (!job->is_live)
            continue;
        const char *broken = check_gang(e, job);
        if (broken == NULL)
            broken = check_progress(e, job);
        if (broken != NULL)
            return broken;
        remaining_ns += (uint64_t)(hs_job_all_ns(&e->jobs, job) - hs_job_done_ns(&e->jobs, job));
        wanted += hs_job_is_placed(job) ? 0 : job->gpus;
    }
    if (e->work_done_ns + remaining_ns + e->work_lost_ns != e->work_submitted_ns)
        return "work done + remaining + lost is not the work submitted";
    if (wanted != e->wait_account.gpus_wanted)
        return "the GPUs that wait are miscounted";
    if (!hs_jobs_default_is_valid(&e->jobs))
        return "the default record of a job was changed";
    if (!hs_heap_is_valid(&e->job_events) || !hs_heap_is_valid(&e->timer_events))
        return "the event heap is out of order";
    return NULL;
}

/* Checks the jobs of the last plan and the nodes on which they are. */
static const char *check_plan(struct hs_engine *e)
{
    const char *broken = NULL;
    for (uint32_t i = 0; i < e->plan.count && broken == NULL; i++) {
        const uint32_t slot = e->plan.actions[i].job;
        if (!hs_engine_has_job(e, slot))
            continue;
        const struct hs_job *job = hs_engine_job(e, slot);
        broken = check_gang(e, job);
        if (broken == NULL)
            broken = check_progress(e, job);
        const struct hs_allocation *a = e->is_exclusive ? NULL : hs_job_first(e, job);
        uint32_t checked = HS_NO_NODE;
        for (; a != NULL && broken == NULL; a = hs_job_next(e, a)) {
            if (a->node != checked)
                broken = check_node(e, a->node, &(struct gpu_sums){0});
            checked = a->node;
        }
    }
    return broken;
}

static const char *check_all(struct hs_engine *e)
{
    const char *broken = check_cluster(e);
    if (broken == NULL)
        broken = check_jobs(e);
    if (broken == NULL && e->policy->check != NULL)
        broken = e->policy->check(e->policy_state, &e->view);
    return broken;
}

enum hs_status hs_invariants_check(struct hs_engine *e)
{
    if (e->config.check == HS_CHECK_OFF)
        return HS_OK;
    e->figures.checks++;
    const char *broken = check_sums(e);
    if (broken == NULL && e->config.check == HS_CHECK_FULL) {
        const bool is_due = e->recount_after == 0 || e->jobs.live == 0;
        if (is_due)
            e->recount_after = 1 + (e->cluster->gpu_count + e->jobs.live) / RECOUNT_SHARE +
                               e->figures.checks / RECOUNT_RARER;
        e->recount_after--;
        broken = is_due ? check_all(e) : check_plan(e);
    }
    if (broken == NULL)
        return HS_OK;
    return hs_fail(e->diag, HS_E_INVARIANT, NULL, "please report this with the command line",
                   "internal invariant violated at t = %.6f s, event %llu: %s",
                   (double)e->now_us / 1e6, (unsigned long long)e->figures.events, broken);
}
