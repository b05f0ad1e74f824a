/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A view implemented by the test, for code that uses waiting jobs only (the queues of Horus+): an
 * array of jobs and a clock. Must be included by the one source file of such a test: the
 * definitions replace the engine's.
 *
 *     waiting_open(&queues, 4, HS_HPLUS_CREDIT_MEDIAN);
 *     waiting[0] = (struct waiting_job){.gpus = 1, .util_pm = 300, .submit_us = 5};
 *     waiting_add(&queues, 0);                      // at waiting_now_us, key = util_pm
 */
#ifndef HORUS_TESTS_WAITING_H
#define HORUS_TESTS_WAITING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "policies/lib/vc_queues.h"
#include "policies/horus/hplus_queues.c"

#define WAITING_MAX 20000

static struct waiting_job {
    uint32_t gpus, mem_mib, vc;
    int32_t util_pm, peak_pm;
    int64_t submit_us;
    bool is_placed;
} waiting[WAITING_MAX];
static struct hs_hplus_queues_scratch waiting_scratch[WAITING_MAX];
static const struct hs_view waiting_view = {.vcs = 2};
static int64_t waiting_now_us;
static uint64_t waiting_looks; /* calls of hs_view_scratch and _scratches */
static int64_t waiting_timers[8];
static uint32_t waiting_timer_count;
static void *waiting_blocks[8];
static uint32_t waiting_block_count;

void *hs_view_alloc(const struct hs_view *v, uint64_t bytes)
{
    (void)v;
    assert_in_range(waiting_block_count, 0, 7);
    return waiting_blocks[waiting_block_count++] = calloc(1, bytes);
}

void *hs_view_scratch(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    waiting_looks++;
    return &waiting_scratch[job];
}

unsigned char *hs_view_scratches(const struct hs_view *v, size_t *size)
{
    (void)v;
    *size = sizeof *waiting_scratch;
    waiting_looks++;
    void *first = waiting_scratch;
    return first;
}

int64_t hs_view_now_us(const struct hs_view *v)
{
    (void)v;
    return waiting_now_us;
}

uint32_t hs_view_vc(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return waiting[job].vc;
}

uint32_t hs_view_gpus(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return waiting[job].gpus;
}

int32_t hs_view_util_pm(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return waiting[job].util_pm;
}

int32_t hs_view_util_peak_pm(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return waiting[job].peak_pm;
}

uint32_t hs_view_gpu_mem_mib(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return waiting[job].mem_mib;
}

int32_t hs_view_priority(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    (void)job;
    return 0;
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
    return waiting[job].submit_us;
}

uint64_t hs_view_rank(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return job;
}

bool hs_view_is_constrained(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    (void)job;
    return false;
}

bool hs_job_waits(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    return !waiting[job].is_placed;
}

bool hs_reject_hopeless(const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    (void)v;
    (void)p;
    (void)job;
    return false;
}

bool hs_is_full(const struct hs_view *v, hs_job_id job)
{
    (void)v;
    (void)job;
    return false;
}

void hs_plan_timer(struct hs_plan *p, int64_t at_us, uint64_t tag)
{
    (void)p;
    assert_int_equal(tag, 0);
    assert_in_range(waiting_timer_count, 0, 7);
    waiting_timers[waiting_timer_count++] = at_us;
}

/* Empty queues with the presets of the parameters, at time 0. */
static inline void waiting_open(struct hs_hplus_queues *l, int64_t queues,
                                enum hs_hplus_credit credit)
{
    memset(waiting, 0, sizeof waiting);
    memset(waiting_scratch, 0, sizeof waiting_scratch);
    waiting_now_us = 0;
    waiting_timer_count = 0;
    *l = (struct hs_hplus_queues){.queues = queues,
                                  .credit = (int32_t)credit,
                                  .recluster_growth = 20,
                                  .recluster_period_us = 10 * MINUTE_US,
                                  .wake_period_us = MINUTE_US};
    hs_hplus_queues_init(l, &waiting_view);
}

/* Queues with centroids at 0, 1, 2, ... GPUs, regardless of a job's other requests, which do not
 * change unless they are clustered again. */
static inline void waiting_open_by_gpus(struct hs_hplus_queues *l, int64_t queues,
                                        enum hs_hplus_credit credit)
{
    waiting_open(l, queues, credit);
    for (uint32_t vc = 0; vc < 2; vc++) {
        struct hs_clusters *c = &l->by_vc[vc].clusters;
        c->count = (uint32_t)queues;
        c->weight_q32[0] = UINT64_C(1) << 32;
        for (uint32_t g = 0; g < c->count; g++)
            c->centroid_q16[g][0] = (uint64_t)g << 16;
    }
}

static inline void waiting_close(void)
{
    while (waiting_block_count > 0)
        free(waiting_blocks[--waiting_block_count]);
}

static inline void waiting_add(struct hs_hplus_queues *l, hs_job_id job)
{
    hs_hplus_queues_add(l, NULL, job, waiting[job].util_pm);
}

#endif
