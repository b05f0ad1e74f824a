/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * O(log HS_WORKPLAN_JOBS + sizes) a job.
 */
#include "workload/workplan.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

/* 2^64 / g and 2^64 / g^2, g the real root of g^3 = g + 1: multiples of the two, modulo 2^64, are
 * points that fill the square evenly, however many they are (Roberts' R2 sequence). */
#define NEXT_RANK UINT64_C(0xc13fa9a902a6328f)
#define NEXT_FATE UINT64_C(0x91e10da5c79e7b1d)

/* What random bits are for: of a plan, of a job of it, of a batch. */
enum draw { DRAW_OWED, DRAW_RANK, DRAW_FATE, DRAW_LEAVES, DRAW_SIZE, DRAW_OWN, DRAW_COMMON };

static uint64_t bits(const struct hs_workplan *plan, uint64_t which, enum draw purpose)
{
    return hs_mix64(hs_mix64(hs_mix64(plan->seed, plan->number), purpose), which);
}

static double uniform(const struct hs_workplan *plan, uint64_t which, enum draw purpose)
{
    return hs_uniform_of(bits(plan, which, purpose));
}

/* The same in all plans. */
static uint64_t first_bits(const struct hs_workplan *plan, uint64_t which, enum draw purpose)
{
    return hs_mix64(hs_mix64(plan->seed, purpose), which);
}

static void begin_sizes(struct hs_workplan *plan)
{
    struct hs_workplan_size *size = plan->sizes;
    for (uint32_t b = 0; b < plan->workload->bucket_count; b++) {
        const struct hs_workload_bucket *bucket = &plan->workload->buckets[b];
        plan->last[b].key = first_bits(plan, b, DRAW_RANK);
        plan->last[b].value = first_bits(plan, b, DRAW_FATE);
        for (uint32_t s = 0; s < bucket->size_count; s++, size++) {
            uint64_t which = (uint64_t)(size - plan->sizes);
            *size = (struct hs_workplan_size){.size = bucket->sizes[s], .bucket = b};
            size->owed = hs_uniform_of(first_bits(plan, which, DRAW_OWED)) - 0.5;
        }
    }
}

static int by_length(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void set_lengths(struct hs_workplan *plan)
{
    const struct hs_workload *w = plan->workload;
    uint32_t *lengths = plan->lengths, count = 0;
    for (uint32_t b = 0; b < w->bucket_count; b++)
        lengths[b] = w->buckets[b].batch_max;
    lengths[w->bucket_count] = UINT32_MAX;
    qsort(lengths, w->bucket_count + 1, sizeof *lengths, by_length);
    for (uint32_t b = 0; b <= w->bucket_count; b++)
        if (count == 0 || lengths[b] > lengths[count - 1])
            lengths[count++] = lengths[b];
    plan->length_count = count;
}

enum hs_status hs_workplan_open(struct hs_workplan *plan, const struct hs_workload *workload,
                                uint64_t jobs, uint64_t hours, uint64_t seed)
{
    *plan = (struct hs_workplan){
        .workload = workload, .seed = hs_seed_of(seed, "workload-jobs"), .jobs_left = jobs};
    uint32_t most = jobs < HS_WORKPLAN_JOBS ? (uint32_t)jobs : HS_WORKPLAN_JOBS;
    for (uint32_t b = 0; b < workload->bucket_count; b++)
        plan->size_count += workload->buckets[b].size_count;
    plan->sizes = hs_alloc_zeroed(plan->size_count, sizeof *plan->sizes);
    plan->last = hs_alloc_zeroed(workload->bucket_count, sizeof *plan->last);
    plan->scores = hs_alloc_zeroed(most, sizeof *plan->scores);
    plan->spare = hs_alloc_zeroed(most, sizeof *plan->spare);
    plan->order = hs_alloc_zeroed(most, sizeof *plan->order);
    plan->jobs = hs_alloc_zeroed(most, sizeof *plan->jobs);
    HS_TRY(hs_arrival_open(&plan->arrival, &workload->arrivals, jobs, hours, seed));
    if (plan->sizes == NULL || plan->last == NULL || plan->scores == NULL || plan->spare == NULL ||
        plan->order == NULL || plan->jobs == NULL)
        return HS_E_MEMORY;
    begin_sizes(plan);
    set_lengths(plan);
    return HS_OK;
}

/* ---- sizes ---- */

/* How many jobs of each size are among the next ones: what is due to it, rounded down, and one more
 * to those that the largest parts are due to. */
static void set_quotas(struct hs_workplan *plan)
{
    uint32_t given = 0;
    for (uint32_t s = 0; s < plan->size_count; s++) {
        struct hs_workplan_size *size = &plan->sizes[s];
        size->owed += plan->count * size->size.share;
        size->left = size->owed > 0 ? (uint32_t)floor(size->owed) : 0;
        if (size->left > plan->count - given)
            size->left = plan->count - given;
        size->owed -= size->left;
        given += size->left;
    }
    for (; given < plan->count; given++) {
        struct hs_workplan_size *most = plan->sizes;
        for (uint32_t s = 1; s < plan->size_count; s++)
            if (plan->sizes[s].owed > most->owed)
                most = &plan->sizes[s];
        most->left++;
        most->owed--;
    }
}

/* One of the jobs that are not dealt yet, of an open size if there is one left. */
static uint32_t deal_size(const struct hs_workplan *plan, double part)
{
    uint32_t open = 0, all = 0, s = 0;
    for (uint32_t i = 0; i < plan->size_count; i++) {
        all += plan->sizes[i].left;
        open += plan->sizes[i].is_open ? plan->sizes[i].left : 0;
    }
    uint32_t at = (uint32_t)(part * (open > 0 ? open : all));
    for (;; s++) {
        const struct hs_workplan_size *size = &plan->sizes[s];
        uint32_t left = open > 0 && !size->is_open ? 0 : size->left;
        if (at < left)
            return s;
        at -= left;
    }
}

static void deal_to_batch(struct hs_workplan *plan, uint32_t first, uint32_t end)
{
    double leaves = 1 - plan->workload->arrivals.batches.same_size;
    uint32_t of_batch = deal_size(plan, uniform(plan, first, DRAW_SIZE));
    plan->jobs[first].size = of_batch;
    plan->sizes[of_batch].left--;
    for (uint32_t i = first + 1; i < end; i++) {
        bool is_free = plan->sizes[of_batch].left == 0 ||
                       (leaves > 0 && uniform(plan, i, DRAW_LEAVES) < leaves);
        uint32_t size = is_free ? deal_size(plan, uniform(plan, i, DRAW_SIZE)) : of_batch;
        plan->jobs[i].size = size;
        plan->sizes[size].left--;
    }
}

/* To batches longer than `above` and no longer than `most`. */
static void deal_to_batches(struct hs_workplan *plan, uint32_t above, uint32_t most)
{
    for (uint32_t s = 0; s < plan->size_count; s++) {
        struct hs_workplan_size *size = &plan->sizes[s];
        size->is_open = plan->workload->buckets[size->bucket].batch_max >= most;
    }
    for (uint32_t i = 0, end; i < plan->count; i = end) {
        for (end = i + 1; end < plan->count && plan->jobs[end].batch == plan->jobs[i].batch;)
            end++;
        if (end - i > above && end - i <= most)
            deal_to_batch(plan, i, end);
    }
}

/* The longest first, who have the least choice: otherwise their sizes would be scarce in the later
 * part of every plan. */
static void deal_sizes(struct hs_workplan *plan)
{
    for (uint32_t k = plan->length_count; k-- > 0;)
        deal_to_batches(plan, k > 0 ? plan->lengths[k - 1] : 0, plan->lengths[k]);
}

/* ---- durations and fates ---- */

/* Jobs by bucket, those of a bucket in the order of their scores. */
static void set_order(struct hs_workplan *plan)
{
    double common = plan->workload->arrivals.batches.duration_correlation;
    double of_batch = sqrt(common), own = sqrt(1 - common), shared = 0;
    uint64_t own_seed = bits(plan, 0, DRAW_OWN), batch_seed = hs_mix64(plan->seed, DRAW_COMMON);
    uint32_t *first = plan->first;
    for (uint32_t b = 0; b <= plan->workload->bucket_count; b++)
        first[b] = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct hs_workplan_job *job = &plan->jobs[i];
        if (common > 0 && (i == 0 || job->batch != plan->jobs[i - 1].batch))
            shared = of_batch * hs_normal_of(batch_seed, job->batch);
        double score = shared + own * hs_normal_of(own_seed, i);
        plan->scores[i] = (struct hs_keyed){hs_key_of(score), i};
        first[plan->sizes[job->size].bucket + 1]++;
    }
    for (uint32_t b = 0; b < plan->workload->bucket_count; b++)
        first[b + 1] += first[b];
    hs_keysort(plan->scores, plan->spare, plan->count);
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t job = (uint32_t)plan->scores[i].value;
        plan->order[first[plan->sizes[plan->jobs[job].size].bucket]++] = job;
    }
    for (uint32_t b = plan->workload->bucket_count; b > 0; b--) /* they have moved one on */
        first[b] = first[b - 1];
    first[0] = 0;
}

static enum hs_outcome fate_of(const struct hs_workload_bucket *bucket, double rank, double draw)
{
    const struct hs_workload_states *row = bucket->states;
    if (bucket->state_count == 0)
        return HS_OUTCOME_UNKNOWN;
    while (row->rank < rank && row + 1 < bucket->states + bucket->state_count)
        row++;
    if (draw < row->share[0])
        return HS_OUTCOME_COMPLETED;
    return draw < row->share[0] + row->share[1] ? HS_OUTCOME_CANCELLED : HS_OUTCOME_FAILED;
}

/* The n jobs of one bucket, in the order of their scores. */
static void set_durations(struct hs_workplan *plan, uint32_t b, const uint32_t *order, uint32_t n)
{
    const struct hs_workload_bucket *bucket = &plan->workload->buckets[b];
    struct hs_keyed *last = &plan->last[b], *points = plan->scores;
    for (uint32_t i = 0; i < n; i++) {
        last->key += NEXT_RANK;
        last->value += NEXT_FATE;
        points[i] = *last;
    }
    hs_keysort(points, plan->spare, n);
    for (uint32_t i = 0; i < n; i++) {
        struct hs_workplan_job *job = &plan->jobs[order[i]];
        double rank = hs_uniform_of(points[i].key);
        job->duration_s = (int64_t)ceil(hs_curve_at(&bucket->duration_s, rank));
        job->outcome = fate_of(bucket, rank, hs_uniform_of(points[i].value));
    }
}

/* ---- plans ---- */

/* Plans that share what is left evenly, so that the last one is not a short one. */
static bool make_plan(struct hs_workplan *plan)
{
    uint64_t plans = (plan->jobs_left + HS_WORKPLAN_JOBS - 1) / HS_WORKPLAN_JOBS;
    if (plans == 0)
        return false;
    plan->number++;
    plan->count = (uint32_t)(plan->jobs_left / plans);
    plan->jobs_left -= plan->count;
    for (uint32_t i = 0; i < plan->count; i++)
        if (!hs_arrival_next(&plan->arrival, &plan->jobs[i].submit_s, &plan->jobs[i].batch))
            return false;
    set_quotas(plan);
    deal_sizes(plan);
    set_order(plan);
    for (uint32_t b = 0; b < plan->workload->bucket_count; b++)
        set_durations(plan, b, plan->order + plan->first[b], plan->first[b + 1] - plan->first[b]);
    plan->next = 0;
    return true;
}

const struct hs_workplan_job *hs_workplan_next(struct hs_workplan *plan)
{
    if (plan->next == plan->count && !make_plan(plan))
        return NULL;
    return &plan->jobs[plan->next++];
}

void hs_workplan_close(struct hs_workplan *plan)
{
    hs_arrival_close(&plan->arrival);
    hs_free(plan->sizes);
    hs_free(plan->last);
    hs_free(plan->scores);
    hs_free(plan->spare);
    hs_free(plan->order);
    hs_free(plan->jobs);
    *plan = (struct hs_workplan){0};
}
