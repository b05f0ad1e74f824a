/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See gift.h.
 */
#include "model/gift.h"

#include <math.h>

#define STEP_US_MAX (INT64_C(1) << 53) /* what a trace can carry */

/* gandiva-antman-salus.md 4.2: what stays between mini-batches is 0.3 GB (10^9 bytes), or three
 * times the checkpoint if that is more: weights, gradients, optimizer. */
#define PERSISTENT_MIB         287u
#define PERSISTENT_CHECKPOINTS 3u

void hs_gift_settle_memory(struct hs_trace_job *job)
{
    uint64_t kept_mib = (uint64_t)PERSISTENT_CHECKPOINTS * job->checkpoint_mib;
    if (kept_mib < PERSISTENT_MIB)
        kept_mib = PERSISTENT_MIB;
    if (job->gpu_mem_persistent_mib > 0 || job->gpu_mem_mib == 0)
        kept_mib = job->gpu_mem_persistent_mib;
    if (job->gpu_mem_mib > 0 && kept_mib > job->gpu_mem_mib)
        kept_mib = job->gpu_mem_mib;
    if (job->gpu_mem_later_mib > 0 && kept_mib > job->gpu_mem_later_mib)
        kept_mib = job->gpu_mem_later_mib;
    job->gpu_mem_persistent_mib = (uint32_t)kept_mib;
}

/* Profiles are of whole GPUs; a job that wants a share of one is taken to need as much less. */
static uint32_t of_share(const struct hs_trace_job *job, uint32_t amount)
{
    return job->gpu_milli > 0 ? (uint32_t)((uint64_t)amount * job->gpu_milli / 1000) : amount;
}

HS_APART void hs_gift_complete(const struct hs_gift *gift, struct hs_trace_job *job)
{
    if (job->gpu_util_pm < 0 && gift->util_pm >= 0)
        job->gpu_util_pm = (int32_t)of_share(job, (uint32_t)gift->util_pm);
    if (job->gpu_mem_mib == 0 && gift->mem_mib > 0) {
        uint32_t mem_mib = of_share(job, gift->mem_mib);
        job->gpu_mem_mib =
            mem_mib > job->gpu_mem_persistent_mib ? mem_mib : job->gpu_mem_persistent_mib;
    }
    if (job->step_us == 0)
        job->step_us = gift->step_us;
    if (job->checkpoint_mib == 0)
        job->checkpoint_mib = gift->checkpoint_mib;
    if (job->gpu_mem_persistent_mib == 0)
        job->gpu_mem_persistent_mib = gift->mem_persistent_mib;
    hs_gift_settle_memory(job);
}

/* The step is as measured, on the GPU type of the row: it is not scaled to the reference type of
 * the trace, because most rows were measured on no type that a trace was recorded on, and a policy
 * cuts its turns of whole mini-batches anyway. */
struct hs_gift hs_gift_of(const struct hs_profile *p)
{
    double step_us = p->step_ms * 1000;
    struct hs_trace_job blank = {.gpu_milli = HS_GPU_MILLI, .gpu_util_pm = -1};
    struct hs_gift gift = {.model = p->model,
                           .dataset = p->dataset[0] != '\0' ? p->dataset : NULL,
                           .batch = p->batch[0] != '\0' ? p->batch : NULL,
                           .precision = p->precision[0] != '\0' ? p->precision : NULL,
                           .step_us =
                               step_us > 0 && step_us <= (double)STEP_US_MAX ? llround(step_us) : 0,
                           .util_pm = p->util_pm,
                           .mem_mib = p->mem_mib,
                           .mem_persistent_mib = p->mem_persistent_mib,
                           .checkpoint_mib = p->checkpoint_mib};
    hs_gift_complete(&gift, &blank);
    gift.mem_kept_mib = blank.gpu_mem_persistent_mib;
    return gift;
}
