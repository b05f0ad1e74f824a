/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of the policy's window (horus/view.h) for those who make jobs take turns: mini-batches,
 * memory that is kept or limited, and how busy a GPU is.
 */
#include "engine/busy.h"
#include "engine/lookup.h"
#include "engine/plan.h"
#include "horus/policy.h"

int64_t hs_view_step_us(const struct hs_view *v, hs_job_id job)
{
    return hs_lookup_traits(v, job)->step_ns / HS_NS_PER_US;
}

/* A step ends within a microsecond, and at most rates a little work of the next is done by then:
 * where the policy was told of the end, it is the end. */
bool hs_view_is_between_steps(const struct hs_view *v, hs_job_id job)
{
    int64_t step_ns = hs_lookup_traits(v, job)->step_ns;
    if (step_ns == 0)
        return true;
    const int64_t done_ns = hs_lookup_work(v, job).done_ns;
    return done_ns == hs_toll_of(&v->engine->jobs, hs_lookup_job(v, job))->at_step_ns ||
           done_ns % step_ns == 0;
}

uint64_t hs_view_steps(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_RATE, "mini-batches done"))
        return 0;
    int64_t step_ns = hs_lookup_traits(v, job)->step_ns;
    return step_ns > 0 ? (uint64_t)(hs_lookup_work(v, job).done_ns / step_ns) : 0;
}

enum hs_job_class hs_view_class(const struct hs_view *v, hs_job_id job)
{
    return (enum hs_job_class)hs_lookup_label(v, job)->job_class;
}

uint32_t hs_view_gpu_mem_persistent_mib(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_MEMORY, "GPU memory"))
        return 0;
    uint32_t kept_mib = hs_lookup_traits(v, job)->gpu_mem_persistent_mib;
    uint32_t mib = hs_lookup_needs(v, job)->estimate.mem_mib;
    return kept_mib < mib ? kept_mib : mib;
}

uint64_t hs_view_limited_q32(const struct hs_view *v, hs_job_id job, uint32_t limit_mib)
{
    const struct hs_engine *e = v->engine;
    if (!hs_lookup_may_know(v, job, HS_KNOWS_RATE, "speed under a memory limit"))
        return HS_Q32_ONE;
    uint32_t peak_mib = hs_lookup_needs(v, job)->gpu_mem_peak_mib;
    if (e->config.memcurve == NULL || limit_mib >= peak_mib)
        return HS_Q32_ONE;
    return hs_memcurve_q32(e->config.memcurve,
                           hs_intern_text(&e->names, hs_lookup_traits(v, job)->model), limit_mib,
                           peak_mib);
}

uint32_t hs_view_gpu_util_pm(const struct hs_view *v, uint32_t gpu)
{
    if (!hs_lookup_may_know(v, HS_NO_JOB, HS_KNOWS_RATE, "utilization of a GPU"))
        return 0;
    return hs_lookup_gpu(v, gpu)->util_model_pm;
}

uint32_t hs_view_gpu_mean_util_pm(const struct hs_view *v, uint32_t gpu, int64_t window_us)
{
    if (!hs_lookup_may_know(v, HS_NO_JOB, HS_KNOWS_RATE, "utilization of a GPU"))
        return 0;
    if (v->engine->util_memory == NULL) {
        hs_plan_refuse(&v->engine->plan, HS_NO_JOB,
                       "it asked for the mean utilization of a GPU, which it did not declare to "
                       "want");
        return 0;
    }
    return gpu < v->engine->cluster->gpu_count ? hs_busy_mean_pm(v->engine, gpu, window_us)
                                               : hs_lookup_gpu(v, gpu)->util_model_pm;
}

uint32_t hs_view_gpu_capacity_mib(const struct hs_view *v, uint32_t gpu)
{
    const struct hs_engine *e = v->engine;
    const struct hs_gpu *g = hs_lookup_gpu(v, gpu);
    if (e->cluster->types[e->cluster->nodes[g->node].type].mem_mib == 0)
        return UINT32_MAX;
    return (uint32_t)hs_gpu_capacity_mib(e, g, 2);
}

uint32_t hs_view_max_tenants(const struct hs_view *v)
{
    return v->engine->config.max_tenants;
}

uint32_t hs_view_node_type(const struct hs_view *v, uint32_t node)
{
    return hs_lookup_node(v, node)->type;
}

bool hs_view_may_use(const struct hs_view *v, hs_job_id job, uint32_t node)
{
    const struct hs_engine *e = v->engine;
    const struct hs_job *j = hs_lookup_job(v, job);
    const struct hs_node *n = hs_lookup_node(v, node);
    bool is_of_vc = e->cluster->vc_mode != HS_VC_PARTITION || n->vc == j->ask.vc;
    return n->gpus > 0 && is_of_vc && (j->ask.type_mask >> n->type & 1) != 0;
}
