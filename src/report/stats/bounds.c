/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See bounds.h for the theory. A job is held back until its instant is over, because a job that
 * can never fit is submitted and rejected in one instant and must not enter the bounds.
 */
#include "report/stats/bounds.h"

#include <stddef.h>

#include "base/fixed.h"
#include "base/memory.h"
#include "report/stats/exact.h"

#define JOBS_MAX UINT32_MAX
/* A 4-ary heap: half as deep as a binary one, and the children of a job are side by side. */
#define CHILDREN 4u

/* Removes the least. */
static void heap_pop(struct hs_bounds *b)
{
    int64_t *left = b->left, last = left[--b->left_count];
    uint64_t at = 0, child;
    while ((child = CHILDREN * at + 1) < b->left_count) {
        const uint64_t end = child + CHILDREN < b->left_count ? child + CHILDREN : b->left_count;
        for (uint64_t other = child + 1; other < end; other++)
            child = left[other] < left[child] ? other : child;
        if (left[child] >= last)
            break;
        left[at] = left[child];
        at = child;
    }
    left[at] = last;
}

/* Serves the relaxed machine, shortest remaining work first, for so many units until a time. */
static void serve(struct hs_bounds *b, int64_t units, hs_i128 until)
{
    while (units > 0 && b->left_count > 0) {
        if (b->left[0] > units) {
            b->left[0] -= units;
            break;
        }
        units -= b->left[0];
        b->jct_sum += (hs_u128)(until - units);
        heap_pop(b);
    }
}

/* A profile that is slower than the scalar speed on every type counts with that speed. */
static struct hs_bounds_speed speed_of(const struct hs_bounds *b, uint32_t profile)
{
    struct hs_bounds_speed of = {.top_q32 = HS_Q32_ONE, .need_q32 = HS_Q32_ONE};
    for (uint32_t t = 0; t < b->cluster->type_count; t++) {
        if (!(b->types >> t & 1))
            continue;
        uint64_t scalar_q32 = b->cluster->types[t].speed_q32, speed_q32 = scalar_q32;
        if (b->speed != NULL)
            speed_q32 = hs_speed_q32(b->speed, profile, t, NULL);
        uint64_t need_q32 = (uint64_t)(((hs_u128)scalar_q32 << 32) / speed_q32);
        if (speed_q32 > of.top_q32)
            of.top_q32 = speed_q32;
        if (need_q32 < of.need_q32)
            of.need_q32 = need_q32;
    }
    return of;
}

/* Moves the relaxed machine on, in steps that fit 64 bits: hardly ever more than one. Then puts a
 * job into it, whose units are cut to the 63 bits of a key, which only loosens the bound. */
static void serve_and_push(struct hs_bounds *b, hs_i128 until, hs_i128 units)
{
    while (HS_UNLIKELY(until - b->clock > INT64_MAX) && b->left_count > 0) {
        b->clock += INT64_MAX;
        serve(b, INT64_MAX, b->clock);
    }
    serve(b, (int64_t)(until - b->clock), until);
    b->clock = until;
    if (units < 0)
        return;
    const int64_t key = units > INT64_MAX ? INT64_MAX : (int64_t)units;
    hs_grow_bare((void **)&b->left, &b->left_cap, (uint64_t)b->left_count + 1, sizeof *b->left,
                 JOBS_MAX);
    uint32_t at = b->left_count++;
    for (; at > 0 && b->left[(at - 1) / CHILDREN] > key; at = (at - 1) / CHILDREN)
        b->left[at] = b->left[(at - 1) / CHILDREN];
    b->left[at] = key;
}

/* A job without GPUs waits for none and counts as it is. Of several that came in one instant only
 * the first can raise the lead. */
static void count_arrival(struct hs_bounds *b, const struct hs_bounds_arrival *job)
{
    struct hs_bounds_speed speed = {HS_Q32_ONE, HS_Q32_ONE};
    if (job->gpus > 0)
        speed = b->has_one_speed ? b->one_speed : speed_of(b, job->profile);
    const hs_i128 now = (hs_i128)((hs_u128)(uint64_t)b->submit_us * b->capacity);
    hs_u128 units = (hs_u128)job->gpus * (uint64_t)job->work_us; /* the least that it takes */
    int64_t fastest_us = job->work_us;
    if (job->gpu_milli < HS_GPU_MILLI)
        units = units * job->gpu_milli / HS_GPU_MILLI;
    if (speed.need_q32 != HS_Q32_ONE)
        units = (units * speed.need_q32) >> 32;
    if (speed.top_q32 != HS_Q32_ONE)
        fastest_us = (int64_t)(((hs_u128)(uint64_t)job->work_us << 32) / speed.top_q32);
    serve_and_push(b, now, job->gpus > 0 ? (hs_i128)units : -1);
    if (b->jobs == 0)
        b->first_submit_us = b->submit_us;
    if (b->jobs == 0 || now - b->work_before > b->makespan_lead)
        b->makespan_lead = now - b->work_before;
    if (b->submit_us + fastest_us > b->longest_end_us)
        b->longest_end_us = b->submit_us + fastest_us;
    b->isolated_sum += (uint64_t)fastest_us;
    b->work_before += (hs_i128)units;
    b->jobs++;
    if (job->gpus > 0)
        b->jct_sum -= (hs_u128)now;
    else
        b->jct_sum += (hs_u128)(uint64_t)job->work_us * b->capacity;
}

static void count_arrivals(struct hs_bounds *b)
{
    for (uint32_t i = 0; i < b->arrival_count; i++)
        if (b->arrivals[i].work_us != HS_BOUNDS_REJECTED)
            count_arrival(b, &b->arrivals[i]);
    b->arrival_count = 0;
}

void hs_bounds_submit(struct hs_bounds *b, int64_t now_us, const struct hs_submission *job)
{
    if (b->arrival_count > 0 && b->submit_us != now_us)
        count_arrivals(b);
    if (b->arrival_count == 0) {
        b->submit_us = now_us;
        b->first_index = job->index;
    }
    hs_grow_bare((void **)&b->arrivals, &b->arrivals_cap, (uint64_t)b->arrival_count + 1,
                 sizeof *b->arrivals, JOBS_MAX);
    b->arrivals[b->arrival_count++] = (struct hs_bounds_arrival){
        .work_us = job->work_us,
        .profile = job->profile,
        .gpus = job->gpus & ((1u << HS_BOUNDS_GPUS_BITS) - 1),
        .gpu_milli = job->gpu_milli & ((1u << HS_BOUNDS_MILLI_BITS) - 1)};
}

/* Jobs of one instant come one after the other in the order of the trace. */
void hs_bounds_reject(struct hs_bounds *b, const struct hs_job_record *job)
{
    const uint64_t at = job->index - b->first_index;
    if (job->index >= b->first_index && at < b->arrival_count)
        b->arrivals[at].work_us = HS_BOUNDS_REJECTED;
    else
        b->has_late_rejection = true;
}

void hs_bounds_open(struct hs_bounds *b, const struct hs_cluster *cluster,
                    const struct hs_speed *speed)
{
    *b = (struct hs_bounds){.cluster = cluster, .speed = speed};
    hs_u128 capacity_q32 = 0;
    for (uint32_t i = 0; i < cluster->node_count; i++) {
        uint32_t type = cluster->nodes[i].type;
        capacity_q32 += (hs_u128)cluster->nodes[i].gpus * cluster->types[type].speed_q32;
        b->types |= UINT64_C(1) << type;
    }
    b->capacity = (uint64_t)((capacity_q32 + HS_Q32_ONE - 1) >> 32);
    if (b->capacity == 0)
        b->capacity = 1;
    b->has_one_speed = speed == NULL || hs_speed_uniform_q32(speed) != 0;
    if (b->has_one_speed)
        b->one_speed = speed_of(b, HS_NO_PROFILE);
}

/* Units from the first submission on in seconds, as the makespan is. */
static double since_first_s(const struct hs_bounds *b, hs_i128 units)
{
    const hs_i128 from = (hs_i128)b->first_submit_us * b->capacity;
    return hs_exact_double(units > from ? (hs_u128)(units - from) : 0,
                           b->jobs > 0 ? (hs_u128)b->capacity * HS_US_PER_S : 0);
}

/* Sum of the JCTs in units: the better of the two bounds. */
static hs_u128 jct_units(const struct hs_bounds *b)
{
    hs_u128 isolated = b->isolated_sum * b->capacity;
    return b->jct_sum > isolated ? b->jct_sum : isolated;
}

void hs_bounds_finish(struct hs_bounds *b)
{
    count_arrivals(b);
    while (b->left_count > 0) {
        b->clock += b->left[0];
        b->jct_sum += (hs_u128)b->clock;
        heap_pop(b);
    }
    b->makespan_work_s = since_first_s(b, b->makespan_lead + b->work_before);
    b->makespan_longest_s = since_first_s(b, (hs_i128)b->longest_end_us * b->capacity);
    b->mean_jct_s = hs_exact_double(jct_units(b), (hs_u128)b->capacity * HS_US_PER_S * b->jobs);
}

double hs_bounds_mean_wait_s(const struct hs_bounds *b, hs_u128 isolated_us)
{
    hs_u128 jct = jct_units(b), isolated = isolated_us * b->capacity;
    return hs_exact_double(jct > isolated ? jct - isolated : 0,
                           (hs_u128)b->capacity * HS_US_PER_S * b->jobs);
}

void hs_bounds_close(struct hs_bounds *b)
{
    hs_free(b->arrivals);
    hs_free(b->left);
    *b = (struct hs_bounds){0};
}
