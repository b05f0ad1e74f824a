/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See bounds.h for the theory. A job is held back until its instant is over, because a job that
 * can never fit is submitted and rejected in one instant and must not enter the bounds; and then
 * until there are several, for what is done at once stays in the cache of the processor.
 */
#include "report/bounds.h"

#include <math.h>
#include <stddef.h>

#include "base/fixed.h"
#include "base/memory.h"
#include "report/exact.h"

#define JOBS_MAX UINT32_MAX
/* Of each job in the heap, side by side: with two it would be twice as deep. */
#define CHILDREN 4u

/* Puts a job that waits for so many units into the heap. */
static enum hs_status heap_push(struct hs_bounds *b, int64_t units)
{
    HS_TRY(hs_grow_bare((void **)&b->left, &b->left_cap, (uint64_t)b->left_count + 1,
                        sizeof *b->left, JOBS_MAX));
    uint32_t at = b->left_count++;
    for (; at > 0 && b->left[(at - 1) / CHILDREN] > units; at = (at - 1) / CHILDREN)
        b->left[at] = b->left[(at - 1) / CHILDREN];
    b->left[at] = units;
    return HS_OK;
}

/* Takes the least out. */
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

static void end_first(struct hs_bounds *b, hs_i128 end)
{
    b->jct_sum += (hs_u128)end;
    heap_pop(b);
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
        end_first(b, until - units);
    }
}

/* In steps that 64 bits hold: it is hardly ever more than one. */
static void serve_until(struct hs_bounds *b, hs_i128 until)
{
    while (HS_UNLIKELY(until - b->clock > INT64_MAX) && b->left_count > 0) {
        b->clock += INT64_MAX;
        serve(b, INT64_MAX, b->clock);
    }
    serve(b, (int64_t)(until - b->clock), until);
    b->clock = until;
}

/* A profile that is slower than the scalars everywhere counts as they are. */
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

/* Units that a job takes at least. */
static hs_i128 units_of(const struct hs_bounds_arrival *job, uint64_t need_q32)
{
    hs_u128 gpu_us = (hs_u128)job->gpus * (uint64_t)job->work_us;
    if (job->gpu_milli < HS_GPU_MILLI)
        gpu_us = gpu_us * job->gpu_milli / HS_GPU_MILLI;
    if (need_q32 == HS_Q32_ONE)
        return (hs_i128)gpu_us;
    return (hs_i128)((gpu_us * need_q32) >> 32);
}

static enum hs_status queue_job(struct hs_bounds *b, const struct hs_bounds_arrival *job,
                                hs_i128 now, hs_i128 units)
{
    /* a job that asks for no GPU waits for none */
    if (job->gpus == 0) {
        b->jct_sum += (hs_u128)(uint64_t)job->work_us * b->capacity;
        return HS_OK;
    }
    b->jct_sum -= (hs_u128)now;
    /* keys have 63 bits; a job cut down to that only loosens the bound */
    return heap_push(b, units > INT64_MAX ? INT64_MAX : (int64_t)units);
}

static int64_t on_fastest_us(const struct hs_bounds_arrival *job, uint64_t top_q32)
{
    if (top_q32 == HS_Q32_ONE)
        return job->work_us;
    return (int64_t)(((hs_u128)(uint64_t)job->work_us << 32) / top_q32);
}

/* A job without GPUs counts as it is. Of several that came in one instant only the first can raise
 * the lead. */
static enum hs_status count_arrival(struct hs_bounds *b, const struct hs_bounds_arrival *job,
                                    int64_t submit_us)
{
    struct hs_bounds_speed speed = {HS_Q32_ONE, HS_Q32_ONE};
    if (job->gpus > 0)
        speed = b->has_one_speed ? b->one_speed : speed_of(b, job->profile);
    const hs_i128 now = (hs_i128)((hs_u128)(uint64_t)submit_us * b->capacity);
    const hs_i128 units = units_of(job, speed.need_q32);
    const int64_t fastest_us = on_fastest_us(job, speed.top_q32);
    serve_until(b, now);
    if (b->jobs == 0)
        b->first_submit_us = submit_us;
    if (b->jobs == 0 || now - b->work_before > b->makespan_lead)
        b->makespan_lead = now - b->work_before;
    HS_TRY(queue_job(b, job, now, units));
    if (submit_us + fastest_us > b->longest_end_us)
        b->longest_end_us = submit_us + fastest_us;
    b->isolated_sum += (uint64_t)fastest_us;
    b->work_before += units;
    b->jobs++;
    return HS_OK;
}

static enum hs_status count_arrivals(struct hs_bounds *b)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < b->instant_count; i++) {
        uint32_t end = i + 1 < b->instant_count ? b->instants[i + 1].first : b->arrival_count;
        for (; next < end; next++)
            if (b->arrivals[next].work_us != HS_BOUNDS_REJECTED)
                HS_TRY(count_arrival(b, &b->arrivals[next], b->instants[i].submit_us));
    }
    b->arrival_count = b->instant_count = 0;
    return HS_OK;
}

/* The last of those that are held; NULL without one. */
static struct hs_bounds_instant *last_instant(struct hs_bounds *b)
{
    return b->instant_count > 0 ? &b->instants[b->instant_count - 1] : NULL;
}

enum hs_status hs_bounds_submit(struct hs_bounds *b, int64_t now_us,
                                const struct hs_submission *job)
{
    const struct hs_bounds_instant *last = last_instant(b);
    if (last == NULL || last->submit_us != now_us) {
        if (b->arrival_count >= HS_BOUNDS_HELD)
            HS_TRY(count_arrivals(b));
        b->instants[b->instant_count++] = (struct hs_bounds_instant){
            .submit_us = now_us, .first_index = job->index, .first = b->arrival_count};
    }
    HS_TRY(hs_grow_bare((void **)&b->arrivals, &b->arrivals_cap, (uint64_t)b->arrival_count + 1,
                        sizeof *b->arrivals, JOBS_MAX));
    b->arrivals[b->arrival_count++] = (struct hs_bounds_arrival){
        .work_us = job->work_us,
        .profile = job->profile,
        .gpus = job->gpus & ((1u << HS_BOUNDS_GPUS_BITS) - 1),
        .gpu_milli = job->gpu_milli & ((1u << HS_BOUNDS_MILLI_BITS) - 1)};
    return HS_OK;
}

/* Of the last instant; NULL if no job of that number came then. They come one after the other in
 * the order of the trace. */
static struct hs_bounds_arrival *find_arrival(struct hs_bounds *b, uint64_t index)
{
    const struct hs_bounds_instant *last = last_instant(b);
    if (last == NULL || index < last->first_index)
        return NULL;
    const uint64_t at = last->first + (index - last->first_index);
    return at < b->arrival_count ? &b->arrivals[at] : NULL;
}

void hs_bounds_reject(struct hs_bounds *b, const struct hs_job_record *job)
{
    struct hs_bounds_arrival *arrival = find_arrival(b, job->index);
    if (arrival != NULL)
        arrival->work_us = HS_BOUNDS_REJECTED;
    else
        b->has_late_rejection = true;
}

enum hs_status hs_bounds_open(struct hs_bounds *b, const struct hs_cluster *cluster,
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
    return HS_OK;
}

enum hs_status hs_bounds_finish(struct hs_bounds *b)
{
    HS_TRY(count_arrivals(b));
    while (b->left_count > 0) {
        b->clock += b->left[0];
        end_first(b, b->clock);
    }
    return HS_OK;
}

/* From the first submission, as the makespan is. */
static double since_first_us(const struct hs_bounds *b, hs_i128 units)
{
    hs_i128 from = (hs_i128)b->first_submit_us * b->capacity;
    return hs_exact_double(units > from ? (hs_u128)(units - from) : 0,
                           (hs_u128)b->capacity * HS_US_PER_S);
}

double hs_bounds_makespan_work(const struct hs_bounds *b)
{
    return b->jobs > 0 ? since_first_us(b, b->makespan_lead + b->work_before) : (double)NAN;
}

double hs_bounds_makespan_longest(const struct hs_bounds *b)
{
    return b->jobs > 0 ? since_first_us(b, (hs_i128)b->longest_end_us * b->capacity) : (double)NAN;
}

/* Sum of the JCTs in units: the better of the two bounds. */
static hs_u128 jct_units(const struct hs_bounds *b)
{
    hs_u128 isolated = b->isolated_sum * b->capacity;
    return b->jct_sum > isolated ? b->jct_sum : isolated;
}

double hs_bounds_mean_jct(const struct hs_bounds *b)
{
    return hs_exact_double(jct_units(b), (hs_u128)b->capacity * HS_US_PER_S * b->jobs);
}

double hs_bounds_mean_wait(const struct hs_bounds *b, hs_u128 isolated_us)
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
