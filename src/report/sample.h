/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is kept of a completed job until the end of a run. Of most jobs that is little: one that ran
 * once, at full speed, is told by its wait and its work, and fits 16 bytes.
 */
#ifndef HORUS_REPORT_SAMPLE_H
#define HORUS_REPORT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/observe.h"

/* Of which classes it is (report/classes.h). */
struct hs_job_place {
    uint32_t user;
    uint8_t kind, vc; /* vc: from HS_CLASS_VC on */
};

struct hs_job_sample {
    int64_t submit_us, wait_us, jct_us, run_us, work_us;
    int64_t progress_us; /* from submission to its first progress */
    uint32_t gpus;
    uint16_t gpu_milli; /* of each of them */
    struct hs_job_place place;
};

/* Made progress from its start on, held whole GPUs for as long as its work takes, and was done. */
struct hs_plain_sample {
    uint64_t wait_user;  /* us << 20 | user */
    uint64_t work_place; /* us << 24 | kind << 16 | vc << 8 | GPUs */
};
#define HS_PLAIN_USER_BITS  20u
#define HS_PLAIN_PLACE_BITS 24u

/* Is it one, and small enough in all its numbers? */
static inline bool hs_sample_is_plain(const struct hs_job_sample *job)
{
    const uint64_t too_large = (uint64_t)job->wait_us >> (64 - HS_PLAIN_USER_BITS) |
                               (uint64_t)job->work_us >> (64 - HS_PLAIN_PLACE_BITS) |
                               job->place.user >> HS_PLAIN_USER_BITS | job->gpus >> 8;
    const uint64_t differ = ((uint64_t)job->run_us ^ (uint64_t)job->work_us) |
                            ((uint64_t)job->progress_us ^ (uint64_t)job->wait_us) |
                            (uint64_t)(job->jct_us - job->wait_us - job->work_us);
    return (differ | too_large | (job->gpu_milli ^ HS_GPU_MILLI)) == 0;
}

static inline struct hs_plain_sample hs_sample_pack(const struct hs_job_sample *job)
{
    const uint32_t place = (uint32_t)job->place.kind << 16 | (uint32_t)job->place.vc << 8;
    return (struct hs_plain_sample){
        .wait_user = (uint64_t)job->wait_us << HS_PLAIN_USER_BITS | job->place.user,
        .work_place = (uint64_t)job->work_us << HS_PLAIN_PLACE_BITS | place | job->gpus};
}

/* All but when it was submitted. */
static inline struct hs_job_sample hs_sample_unpack(const struct hs_plain_sample *plain)
{
    const int64_t wait_us = (int64_t)(plain->wait_user >> HS_PLAIN_USER_BITS);
    const int64_t work_us = (int64_t)(plain->work_place >> HS_PLAIN_PLACE_BITS);
    return (struct hs_job_sample){
        .wait_us = wait_us,
        .jct_us = wait_us + work_us,
        .run_us = work_us,
        .work_us = work_us,
        .progress_us = wait_us,
        .gpus = (uint8_t)plain->work_place,
        .gpu_milli = HS_GPU_MILLI,
        .place = {.user = (uint32_t)plain->wait_user & ((1u << HS_PLAIN_USER_BITS) - 1),
                  .kind = (uint8_t)(plain->work_place >> 16),
                  .vc = (uint8_t)(plain->work_place >> 8)}};
}

#endif
