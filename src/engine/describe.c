/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a record of the trace makes of a job under the policy of the run: its demand, its needs and
 * their predictions, its profile and request, and why it can never run. O(1), plus its GPU types.
 */
#include "engine/state.h"

#include <stdio.h>

#include "data/names.h"

/* Returns the training record of a job: usually the cached one of its profile. */
static uint32_t training_of(struct hs_engine *e, const struct hs_trace_job *r)
{
    const bool has_its_names = /* names from the catalogue, along with its profile */
        r->profile_from == HS_PROFILE_FROM_DRAW || r->profile_from == HS_PROFILE_FROM_UTILIZATION;
    const uint64_t row = r->profile != HS_NO_PROFILE ? r->profile + UINT64_C(1) : 0;
    const uint64_t kind = 2 * row + has_its_names;
    struct hs_training_profile training = {.step_ns = r->step_us * HS_NS_PER_US,
                                           .gpu_mem_persistent_mib = r->gpu_mem_persistent_mib,
                                           .checkpoint_mib = r->checkpoint_mib};
    hs_grow(e->usual_training, e->usual_training_cap, kind + 1, 2 * (HS_PROFILES_MAX + 1));
    const uint32_t usual = e->usual_training[kind];
    struct hs_training_profile *known = &e->jobs.training[usual];
    if (usual != 0 && has_its_names) { /* no look-up needed */
        training.model = known->model;
        training.dataset = known->dataset;
        training.batch = known->batch;
        training.precision = known->precision;
    } else {
        training.model = hs_intern_get(&e->names, r->model);
        training.dataset = hs_intern_get(&e->names, r->dataset);
        training.batch = hs_intern_get(&e->names, r->batch);
        training.precision = hs_intern_get(&e->names, r->precision);
    }
    if (usual != 0 && memcmp(known, &training, offsetof(struct hs_training_profile, users)) == 0) {
        known->users++;
        return usual;
    }
    training.users = usual == 0 ? 2 : 1;
    const uint32_t at = hs_jobs_add_training(&e->jobs, training);
    if (usual == 0)
        e->usual_training[kind] = at;
    return at;
}

/* The name in the trace has precedence, as for restarts. */
static uint32_t stages_of(const struct hs_engine *e, const struct hs_trace_job *r)
{
    const struct hs_catalogue *catalogue = e->config.catalogue;
    const bool has_profile = catalogue != NULL && r->profile < catalogue->count;
    if (e->config.stages == NULL)
        return HS_STAGES_UNKNOWN;
    return hs_stages_row(e->config.stages, r->model,
                         has_profile ? catalogue->profiles[r->profile].model : NULL, r->gpus);
}

/* Returns its number + 1; 0: not stated, or not in the cluster. */
static uint32_t type_that_ran(const struct hs_cluster *cluster, const char *name)
{
    for (uint32_t t = 0; name != NULL && t < cluster->type_count; t++)
        if (hs_gpu_type_is(cluster->types[t].name, name, strlen(name)))
            return t + 1;
    return 0;
}

static uint32_t of_cpu_job(const struct hs_engine *e, const struct hs_trace_job *r, uint32_t amount)
{
    return r->gpus == 0 && e->nodes_state_limits ? amount : 0;
}

static uint32_t request_of(struct hs_engine *e, const struct hs_trace_job *r)
{
    const uint32_t type_ran = type_that_ran(e->cluster, r->gpu_type_ran);
    const uint32_t cpus_milli = of_cpu_job(e, r, r->cpus_milli);
    const uint32_t mem_mib = of_cpu_job(e, r, r->mem_mib);
    if (!r->has_range && r->deadline_us < 0 && r->preempt_cost_us == -1 && r->priority == 0 &&
        r->steps == 0 && type_ran == 0 && r->loss.b0 == 0 && (cpus_milli | mem_mib) == 0)
        return 0;
    int64_t deadline_us = -1; /* clamped to 0, the first submission */
    if (r->deadline_us >= 0)
        deadline_us =
            r->deadline_us > e->figures.epoch_us ? r->deadline_us - e->figures.epoch_us : 0;
    const struct hs_job_request request = {
        .deadline_us = deadline_us,
        .preempt_cost_us = r->preempt_cost_us,
        .steps = r->attempts > 0 ? 0 : r->steps,
        .steps_per_s = r->steps_per_s,
        .loss = r->loss.b0 > 0 ? r->loss : (struct hs_loss_curve)HS_LOSS_UNKNOWN,
        .gpus_min = r->has_range ? (uint16_t)r->gpus_min : 0,
        .gpus_max = r->has_range ? (uint16_t)r->gpus_max : 0,
        .options = hs_jobs_add_options(&e->jobs, r->options, r->option_count),
        .priority = r->priority,
        .type_ran = type_ran,
        .cpus_milli = cpus_milli,
        .mem_mib = mem_mib,
    };
    return hs_jobs_add_request(&e->jobs, request);
}

/* Rounded down: rounded up, 10 CPUs for 3 GPUs would not fit a node with 10. */
static uint32_t per_gpu(uint64_t amount, uint32_t gpus)
{
    uint64_t share = gpus == 0 || amount == 0 ? 0 : amount / gpus;
    return share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

/* Sets the GPU memory of the job, if that is kept, and its predictions: drawn once, because an
 * estimate does not change while a job waits. */
static HS_APART void job_set_needs(struct hs_engine *e, struct hs_job *job,
                                   const struct hs_trace_job *r)
{
    if (!e->jobs.has_needs) /* its memory changes, which is an event */
        hs_jobs_know_needs(&e->jobs);
    struct hs_job_needs *needs = hs_needs_of(&e->jobs, job);
    needs->gpu_mem_mib = needs->gpu_mem_peak_mib = needs->gpu_mem_first_mib = r->gpu_mem_mib;
    needs->gpu_mem_later_mib = r->gpu_mem_later_mib;
    needs->later_ns = r->gpu_mem_later_mib > 0 ? r->later_us * HS_NS_PER_US : HS_TIME_MAX;
    if (needs->later_ns == 0) /* from the beginning */
        needs->gpu_mem_mib = needs->gpu_mem_peak_mib = needs->gpu_mem_first_mib =
            r->gpu_mem_later_mib;
    if ((e->knows & (HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY)) == 0)
        return;
    const struct hs_job_facts facts = {
        .index = job->index,
        .profile = hs_identity_of(&e->jobs, job)->profile,
        .util_pm = job->gpu_util_pm,
        .util_peak_pm = r->gpu_util_peak_pm > r->gpu_util_pm ? r->gpu_util_peak_pm : r->gpu_util_pm,
        .mem_mib = needs->gpu_mem_peak_mib};
    if (e->config.predictor != NULL)
        hs_predictor_estimate(e->config.predictor, &facts, &needs->estimate);
    else
        needs->estimate = (struct hs_estimate){
            .util_pm = facts.util_pm, .util_peak_pm = facts.util_peak_pm, .mem_mib = facts.mem_mib};
    if (r->util_from >= HS_FIGURE_FROM_FAMILY) { /* unknown to truth and prediction */
        needs->estimate.util_pm = facts.util_pm;
        needs->estimate.util_peak_pm = facts.util_peak_pm;
        needs->estimate.util_error_pm = 0;
    }
    if (r->mem_from >= HS_FIGURE_FROM_FAMILY || job->is_alone) {
        needs->estimate.mem_mib = job->is_alone ? 0 : facts.mem_mib; /* 0: policies share no GPU */
        needs->estimate.mem_error_mib = 0;
    }
    needs->mem_claim_mib = hs_oom_claim_mib(e, job, UINT32_MAX);
}

static void job_set_demand(struct hs_engine *e, struct hs_job *job, const struct hs_trace_job *r)
{
    job->gpus = (uint16_t)r->gpus;
    job->gpu_util_pm = (int16_t)r->gpu_util_pm;
    if (HS_UNLIKELY(r->gpu_milli > 0 && r->gpu_milli < HS_GPU_MILLI)) {
        const bool is_divided = (e->can & HS_CAN_DIVIDE) != 0;
        job->ask.gpu_milli = (uint16_t)(is_divided ? r->gpu_milli : HS_GPU_MILLI);
        e->figures.shares_divided += is_divided;
        e->figures.shares_rounded += !is_divided;
    }
    if (!e->nodes_state_limits || (e->can & HS_CAN_HOST) != 0) /* no limits, or by the policy */
        return;
    job->ask.cpus_milli_per_gpu = per_gpu(r->cpus_milli, r->gpus);
    job->ask.mem_mib_per_gpu = per_gpu(r->mem_mib, r->gpus);
}

static uint32_t most_mib(const struct hs_trace_job *r)
{
    bool is_later_at_once = r->gpu_mem_later_mib > 0 && r->later_us == 0;
    return is_later_at_once || r->gpu_mem_later_mib > r->gpu_mem_mib ? r->gpu_mem_later_mib
                                                                     : r->gpu_mem_mib;
}

/* Returns the types it names, joined by '|'; all if it names none, 0 if none exists. */
static HS_APART uint64_t named_types(const struct hs_cluster *c, const struct hs_trace_job *r)
{
    uint64_t mask = 0;
    if (r->gpu_type[0] == '\0')
        return UINT64_MAX;
    for (const char *name = r->gpu_type; name != NULL; name = strchr(name, '|')) {
        name += *name == '|';
        size_t length = strcspn(name, "|");
        const uint64_t before = mask;
        for (uint32_t t = 0; t < c->type_count; t++)
            if (strncmp(c->types[t].name, name, length) == 0 && c->types[t].name[length] == '\0')
                mask |= UINT64_C(1) << t;
        for (uint32_t t = 0; t < c->type_count && mask == before; t++)
            if (hs_gpu_type_is(c->types[t].name, name, length))
                mask |= UINT64_C(1) << t;
    }
    return mask;
}

/* Of these, returns the types with enough memory for its peak, or for its share of the GPU. */
static HS_APART uint64_t large_types(const struct hs_cluster *c, const struct hs_job *job,
                                     uint32_t most, uint64_t mask)
{
    for (uint32_t t = 0; t < c->type_count; t++) {
        uint64_t mib = c->types[t].mem_mib;
        if (hs_job_is_part(job))
            mib = mib * job->ask.gpu_milli / HS_GPU_MILLI;
        if (c->types[t].mem_mib > 0 && mib < most)
            mask &= ~(UINT64_C(1) << t);
    }
    return mask;
}

/* Memory that the trace does not state excludes no GPU. If all GPUs that it may use have less, or
 * unknown memory, it gets that of the smallest; if none of them has room for another job, it never
 * shares. */
static HS_COLD const struct hs_trace_job *cap_memory(struct hs_engine *e, struct hs_job *job,
                                                     const struct hs_trace_job *r,
                                                     struct hs_trace_job *capped)
{
    const struct hs_cluster *c = e->cluster;
    const uint64_t all = UINT64_MAX >> (64 - c->type_count);
    const uint64_t named = (r->gpu_type != NULL ? named_types(c, r) : all) & all;
    const bool is_full = r->mem_from == HS_FIGURE_FROM_FULL;
    uint32_t least_mib = r->gpu_mem_mib;
    bool has_room = false; /* for another job */
    if (hs_job_is_part(job))
        return r;
    for (uint32_t t = 0; t < c->type_count; t++) {
        if ((named >> t & 1) == 0)
            continue;
        if (c->types[t].mem_mib > 0 && c->types[t].mem_mib < least_mib)
            least_mib = c->types[t].mem_mib;
        has_room = has_room || hs_type_capacity_mib(e, t, 2) > r->gpu_mem_mib;
    }
    job->is_alone = is_full || !has_room;
    if (!is_full && large_types(c, job, most_mib(r), named) != 0)
        return r;
    *capped = *r;
    capped->gpu_mem_mib = least_mib;
    if (capped->gpu_mem_persistent_mib > least_mib)
        capped->gpu_mem_persistent_mib = least_mib;
    e->figures.mem_capped += !is_full;
    return capped;
}

/* Valid until the next call: observers copy it. */
static HS_COLD const char *memory_misfit(struct hs_engine *e, const struct hs_job *job,
                                         const struct hs_trace_job *r)
{
    int length =
        snprintf(e->misfit, sizeof e->misfit,
                 "it needs %u MiB of GPU memory (by the trace or its profile), and no GPU that it "
                 "may use has them",
                 most_mib(r));
    if (hs_job_is_part(job))
        (void)snprintf(e->misfit + length, sizeof e->misfit - (size_t)length,
                       " in a share of 0.%03u", job->ask.gpu_milli);
    return e->misfit;
}

/* Determines the GPU types that the job may use; returns why there are none, or NULL. */
static const char *types_misfit(struct hs_engine *e, struct hs_job *job,
                                const struct hs_trace_job *r)
{
    const struct hs_cluster *c = e->cluster;
    const uint32_t most = most_mib(r);
    const uint64_t named = HS_LIKELY(r->gpu_type == NULL) ? UINT64_MAX : named_types(c, r);
    const bool is_small = most <= e->least_gpu_mib && !hs_job_is_part(job);
    const uint64_t mask = HS_LIKELY(is_small) ? named : large_types(c, job, most, named);
    job->ask.type_mask = mask;
    job->is_constrained =
        mask != UINT64_MAX || (job->ask.cpus_milli_per_gpu | job->ask.mem_mib_per_gpu) != 0;
    if (HS_LIKELY((mask & (UINT64_MAX >> (64 - c->type_count))) != 0))
        return NULL;
    if (named != 0)
        return memory_misfit(e, job, r);
    const bool is_known = strchr(r->gpu_type, '|') != NULL ||
                          hs_gpu_type_name(r->gpu_type, strlen(r->gpu_type)) != NULL;
    (void)snprintf(e->misfit, sizeof e->misfit,
                   is_known ? "no node has its GPU type '%.60s'"
                            : "its GPU type '%.60s' is unknown",
                   r->gpu_type);
    return e->misfit;
}

/* Returns why the job can never run, or NULL. */
static const char *job_misfit(struct hs_engine *e, struct hs_job *job, const struct hs_trace_job *r)
{
    const struct hs_cluster *c = e->cluster;
    uint32_t vc = hs_cluster_vc(c, r->vc != NULL ? r->vc : "");
    if (vc == UINT32_MAX)
        return r->vc != NULL ? "its virtual cluster does not exist" : "it names no virtual cluster";
    job->ask.vc = vc;
    const char *misfit = types_misfit(e, job, r);
    if (misfit != NULL)
        return misfit;
    int64_t most_us = hs_job_is_part(job) ? INT64_MAX / 8 / HS_GPU_MILLI : INT64_MAX / 8;
    if ((hs_i128)r->duration_us * job->gpus > most_us)
        return "its GPU-seconds are beyond what can be counted";
    bool is_barred = c->vc_mode == HS_VC_QUOTA && (e->can & HS_CAN_BORROW) == 0;
    uint64_t gpus = ((uint64_t)job->gpus * job->ask.gpu_milli + HS_GPU_MILLI - 1) / HS_GPU_MILLI;
    if (is_barred && gpus > c->vcs[vc].most_gpus)
        return c->quotas == NULL ? "it needs more GPUs than the quota of its virtual cluster"
                                 : "it needs more GPUs than its virtual cluster may borrow";
    bool is_beyond = job->is_constrained ? hs_free_capacity(e->free_index, &job->ask,
                                                            e->windows.count > 0) < job->gpus
                                         : c->vcs[vc].gpus < job->gpus;
    if (is_beyond)
        return "it needs more GPUs than the nodes it may use have";
    return NULL;
}

const char *hs_lifecycle_describe(struct hs_engine *e, struct hs_job *job,
                                  const struct hs_trace_job *r)
{
    struct hs_trace_job capped;
    job_set_demand(e, job, r);
    const uint64_t taken_mib = (uint64_t)r->gpu_mem_mib + e->config.memory_reserve_mib;
    if (HS_UNLIKELY(r->mem_from == HS_FIGURE_FROM_FULL ||
                    (r->mem_from > HS_FIGURE_FROM_TRACE && taken_mib >= e->least_gpu_mib)))
        r = cap_memory(e, job, r, &capped);
    if (hs_job_is_part(job) && e->parts == NULL) { /* first such job of the run */
        hs_exclusive_end(e);
        hs_part_init(&e->parts, e->free_index, e->cluster, &e->arena);
    }
    struct hs_job_identity *identity = hs_identity_of(&e->jobs, job);
    identity->user = hs_intern_get(&e->names, r->user);
    if (HS_UNLIKELY(identity->user < e->windows.user_count))
        e->windows.has_job[identity->user] = true;
    identity->vc_name = hs_intern_get(&e->names, r->vc);
    hs_jobs_drop_training(&e->jobs, identity);
    identity->training = training_of(e, r);
    if (identity->request == 0)
        identity->request = request_of(e, r);
    identity->profile = r->profile;
    identity->stages = stages_of(e, r);
    identity->outcome = (uint8_t)r->outcome;
    identity->job_class = (uint8_t)r->job_class;
    identity->profile_from = (uint8_t)r->profile_from;
    identity->util_from = (uint8_t)r->util_from;
    identity->mem_from = (uint8_t)r->mem_from;
    if (e->jobs.has_needs || r->gpu_mem_later_mib > 0)
        job_set_needs(e, job, r);
    return job_misfit(e, job, r);
}
