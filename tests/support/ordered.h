/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A view implemented by the test, for ordered sets of jobs: an array of jobs. Must be included by
 * the one source file of such a test: the definitions replace the engine's.
 *
 *     #define JOBS 1000                                       // 300 if it is not defined before
 *     ordered_clear();
 *     jobs[7].key = 3;                                        // and .submit_us, .gpus
 *     hs_job_queue_add(&set, NULL, 7, 3);
 *     qsort(sorted, count, sizeof sorted[0], by_order);
 */
#ifndef HORUS_TESTS_ORDERED_H
#define HORUS_TESTS_ORDERED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "policies/lib/job_queue.h"

#ifndef JOBS
#define JOBS 300
#endif

static struct scratch {
    struct hs_job_queue_link link, other;
} scratch[JOBS];
static struct {
    int64_t key, submit_us;
    uint32_t gpus;
    int32_t priority;
    bool is_in;
} jobs[JOBS];

static inline void ordered_clear(void)
{
    memset(scratch, 0, sizeof scratch);
    memset(jobs, 0, sizeof jobs);
}

void *hs_view_scratch(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return &scratch[job];
}

unsigned char *hs_view_scratches(const struct hs_view *v, size_t *size)
{
    (void)v;
    *size = sizeof scratch[0];
    return (unsigned char *)scratch;
}

uint32_t hs_view_gpus(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return jobs[job].gpus;
}

int32_t hs_view_priority(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return jobs[job].priority;
}

enum hs_job_class hs_view_class(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    (void)job;
    return HS_JOB_CLASS_AUTO;
}

int64_t hs_view_submit_us(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return jobs[job].submit_us;
}

bool hs_view_is_constrained(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return job % 3 == 0;
}

uint64_t hs_view_rank(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return job;
}

/* The window of ageing of queues with levels of priority; 0: no levels. */
static int64_t ordered_window_us;

static inline int64_t ordered_level(uint32_t job)
{
    return jobs[job].priority - jobs[job].submit_us / ordered_window_us;
}

/* Compares two jobs, for qsort. */
static inline int by_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (ordered_window_us > 0 && ordered_level(x) != ordered_level(y))
        return ordered_level(x) > ordered_level(y) ? -1 : 1;
    if (jobs[x].key != jobs[y].key)
        return jobs[x].key < jobs[y].key ? -1 : 1;
    if (jobs[x].submit_us != jobs[y].submit_us)
        return jobs[x].submit_us < jobs[y].submit_us ? -1 : 1;
    return (x > y) - (x < y);
}

#endif
