/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From parameters to the engine's estimator.
 */
#include "policies/kit_estimate.h"

const char *const hs_estimate_names[] = {"oracle", "noisy", "file", "rolling", NULL};

void hs_estimate_needs(const struct hs_estimate_choice *choice, uint32_t *knows)
{
    static const uint32_t used[] = {[HS_ESTIMATE_ORACLE] = HS_KNOWS_DURATION,
                                    [HS_ESTIMATE_NOISY] = HS_KNOWS_ESTIMATE,
                                    [HS_ESTIMATE_FILE] = HS_KNOWS_ESTIMATE,
                                    [HS_ESTIMATE_ROLLING] = HS_KNOWS_HISTORY};
    *knows &= ~(uint32_t)HS_ESTIMATE_KNOWS | used[choice->from];
}

enum hs_status hs_estimate_open(const struct hs_estimate_choice *choice, const struct hs_view *v)
{
    const struct hs_estimator how = {.from = (enum hs_estimate_from)choice->from,
                                     .file = choice->file,
                                     .sigma = choice->sigma,
                                     .unknown_us = choice->unknown_us};
    return hs_view_estimate_by(v, &how);
}

const char *hs_estimate_order(const struct hs_estimate_choice *choice)
{
    return choice->from == HS_ESTIMATE_ORACLE ? "duration" : "estimated duration";
}

int64_t hs_estimate_gpu_time_us(const struct hs_view *v, hs_job_id job)
{
    int64_t us = hs_view_estimate_us(v, job);
    uint32_t gpus = hs_view_gpus(v, job), milli = hs_view_gpu_milli(v, job);
    us = gpus > 0 && us > INT64_MAX / gpus ? INT64_MAX : us * gpus;
    if (milli == HS_GPU_MILLI)
        return us;
    return us / HS_GPU_MILLI * milli + us % HS_GPU_MILLI * milli / HS_GPU_MILLI;
}
