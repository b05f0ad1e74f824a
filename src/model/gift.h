/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What of a profile goes to the jobs that bear it: what a record tells holds, the rest is as in the
 * profile.
 *
 *     struct hs_gift gift = hs_gift_of(&catalogue->profiles[i]);   // once
 *     hs_gift_name(&gift, job);                                    // if its names are made up, too
 *     hs_gift_give(&gift, job);
 */
#ifndef HORUS_MODEL_GIFT_H
#define HORUS_MODEL_GIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/compiler.h"
#include "horus/trace.h"
#include "model/profile.h"

/* Closer together than in the catalogue. Texts are those of the catalogue; an absent one is NULL,
 * as a reader has it. */
struct hs_gift {
    const char *model, *dataset, *batch, *precision;
    int64_t step_us; /* 0 = not known, or more than a trace can carry */
    int32_t util_pm; /* -1 = not measured */
    uint32_t mem_mib, mem_persistent_mib, checkpoint_mib; /* 0 = unknown */
    uint32_t mem_kept_mib; /* what stays of a job that tells nothing of all this, of whole GPUs */
};

struct hs_gift hs_gift_of(const struct hs_profile *profile);
void hs_gift_complete(const struct hs_gift *gift, struct hs_trace_job *job);
/* What the record tells of memory holds whatever the profile says, and nothing that stays is more
 * than a peak. Of a job whose peak is not known nothing is made up. */
void hs_gift_settle_memory(struct hs_trace_job *job);

static inline void hs_gift_name(const struct hs_gift *gift, struct hs_trace_job *job)
{
    job->model = gift->model;
    job->dataset = gift->dataset;
    job->batch = gift->batch;
    job->precision = gift->precision;
}

/* The job tells nothing of what a profile gives, nor that it wants but a share of its GPUs. */
static inline bool hs_gift_is_all(const struct hs_trace_job *job)
{
    const uint32_t memory = job->gpu_mem_mib | job->gpu_mem_persistent_mib |
                            job->gpu_mem_later_mib | job->checkpoint_mib;
    const bool is_whole = job->gpu_milli == HS_GPU_MILLI;
    return (memory | (uint64_t)job->step_us) == 0 && job->gpu_util_pm == -1 && is_whole;
}

/* Memory is settled, too. */
static inline void hs_gift_give(const struct hs_gift *gift, struct hs_trace_job *job)
{
    if (HS_UNLIKELY(!hs_gift_is_all(job))) {
        hs_gift_complete(gift, job);
        return;
    }
    job->gpu_util_pm = gift->util_pm;
    job->gpu_mem_mib = gift->mem_mib;
    job->gpu_mem_persistent_mib = gift->mem_kept_mib;
    job->step_us = gift->step_us;
    job->checkpoint_mib = gift->checkpoint_mib;
}

#endif
