/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A queue of jobs ordered by ([level of priority,] key, submission, rank), a total order. Each job
 * carries the links in its scratch, so a queue needs no memory of its own; a job is in at most one
 * queue per link. Every node knows the smallest gang below it, so "the next job in order that needs
 * at most n GPUs" is one descent.
 *
 *     struct scratch { struct hs_job_queue_link link; ... };          // link first in the scratch
 *     hs_job_queue_add(&queue, v, job, key);
 *     for (j = hs_job_queue_next_fitting(&queue, v, HS_NO_JOB, free); j != HS_NO_JOB; ...)
 *
 *     struct scratch { struct hs_job_queue_link link, other; };       // in two queues at once
 *     struct hs_job_queue queue = {.link_offset = offsetof(struct scratch, other)};
 *
 * A treap (Seidel & Aragon, Algorithmica 1996) whose priorities are a hash of the handle: the same
 * shape on every machine; its nodes also form a list. O(log n) each; the first, the last and a step
 * take O(1), and so does, in the mean, a job added or removed at either end.
 */
#pragma once

#include "policies/lib/params.h"

static inline uint64_t hs_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
/* The first of the times phase, phase + every, .. at or after a time. */
static inline int64_t hs_round_from(int64_t phase_us, int64_t every_us, int64_t at_us)
{
    const int64_t since_us = at_us > phase_us ? at_us - phase_us : 0;
    return phase_us + (since_us + every_us - 1) / every_us * every_us;
}

static inline int64_t hs_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t hs_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* 40 bytes; every live job has one or more. */
struct hs_job_queue_link {
    int64_t key;
    uint32_t child[2];    /* left, right; HS_NO_JOB = none */
    uint32_t parent : 30; /* all bits set = none */
    uint32_t is_constrained : 1;
    uint32_t is_linked : 1;
    uint32_t gpus;              /* size of the job: its gang, or the result of size_of */
    uint32_t least_gpus;        /* minimum of the subtree over jobs that any node may serve */
    uint32_t least_constrained; /* minimum of the subtree over the other jobs */
    uint32_t prev, next;        /* in the order; HS_NO_JOB = none */
};

/* The size of a job that is compared with limits; *is_constrained selects the limit. */
typedef uint32_t hs_job_queue_size(const struct hs_view *v, hs_job_id job, bool *is_constrained);

/* A zeroed structure is an empty queue. */
struct hs_job_queue {
    uint32_t root, first, last; /* job + 1; 0 = none */
    uint32_t count;
    uint32_t link_offset; /* offset of the link in the scratch of a job */
    /* Where not 0, equal keys go by the number (uint64_t) at this offset in the scratch of a job,
     * all different, in place of submission and rank. */
    uint32_t tie_offset;
    hs_job_queue_size *size_of;       /* its result is below UINT32_MAX; NULL: the gang size */
    const struct hs_priority *levels; /* NULL: priorities do not count in the order */
};

/* Order of two jobs of equal key: by submission, then by rank. */
bool hs_job_queue_tie_is_before(const struct hs_view *v, hs_job_id a, hs_job_id b);
/* The same for jobs of a queue that may have a tie_offset. */
static inline bool hs_job_queue_own_tie_is_before(const struct hs_job_queue *queue,
                                                  const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    if (queue->tie_offset == 0)
        return hs_job_queue_tie_is_before(v, a, b);
    const unsigned char *scratch_a = hs_view_scratch(v, a), *scratch_b = hs_view_scratch(v, b);
    const uint64_t *tie_a = (const void *)(scratch_a + queue->tie_offset);
    const uint64_t *tie_b = (const void *)(scratch_b + queue->tie_offset);
    return *tie_a < *tie_b;
}
/* Order of two members of the queue. */
bool hs_job_queue_is_before(const struct hs_job_queue *queue, const struct hs_view *v, hs_job_id a,
                            hs_job_id b);
void hs_job_queue_add(struct hs_job_queue *queue, const struct hs_view *v, hs_job_id job,
                      int64_t key);
/* The job must be a member. */
void hs_job_queue_remove(struct hs_job_queue *queue, const struct hs_view *v, hs_job_id job);
/* Changes the key of a member. */
void hs_job_queue_rekey(struct hs_job_queue *queue, const struct hs_view *v, hs_job_id job,
                        int64_t key);
/* Sets the key of every member to key_of(member). O(members), plus O(log members) for each member
 * whose place in the order changes. */
typedef int64_t hs_job_queue_key_of(const struct hs_view *v, hs_job_id job, const void *ctx);
void hs_job_queue_rekey_all(struct hs_job_queue *queue, const struct hs_view *v,
                            hs_job_queue_key_of *key_of, const void *ctx);
/* The two functions below use the link at the start of the scratch. */
static inline bool hs_job_queue_has(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job_queue_link *link = hs_view_scratch(v, job);
    return link->is_linked;
}
static inline int64_t hs_job_queue_key(const struct hs_view *v, hs_job_id job)
{
    const struct hs_job_queue_link *link = hs_view_scratch(v, job);
    return link->key;
}
/* The same by the link of that queue. */
static inline int64_t hs_job_queue_key_in(const struct hs_job_queue *queue, const struct hs_view *v,
                                          hs_job_id job)
{
    const unsigned char *scratch = hs_view_scratch(v, job);
    const struct hs_job_queue_link *link = (const void *)(scratch + queue->link_offset);
    return link->key;
}
/* HS_NO_JOB if the queue is empty, and beyond either end of it. */
static inline hs_job_id hs_job_queue_first(const struct hs_job_queue *queue)
{
    return queue->first - 1;
}
static inline hs_job_id hs_job_queue_last(const struct hs_job_queue *queue)
{
    return queue->last - 1;
}
hs_job_id hs_job_queue_next(const struct hs_job_queue *queue, const struct hs_view *v,
                            hs_job_id job);
hs_job_id hs_job_queue_prev(const struct hs_job_queue *queue, const struct hs_view *v,
                            hs_job_id job);
/* Goes through the members in order. The loop may not remove the one that it is at. */
#define HS_EACH_QUEUED(job, queue, v)                                                              \
    for (hs_job_id job = hs_job_queue_first(queue); job != HS_NO_JOB;                              \
         job = hs_job_queue_next(queue, v, job))

/* The largest gangs that may still find GPUs. When a gang that any node may serve finds none,
 * larger ones find none either; a gang with requirements on its nodes says nothing about others, so
 * these have a limit of their own. */
struct hs_gang_limits {
    uint64_t plain, constrained;
};
/* The first job behind `after` (HS_NO_JOB: from the front) that is within the limits. */
hs_job_id hs_job_queue_next_within(struct hs_job_queue *queue, const struct hs_view *v,
                                   hs_job_id after, struct hs_gang_limits limits);
/* The same with one limit for both kinds of jobs. */
static inline hs_job_id hs_job_queue_next_fitting(struct hs_job_queue *queue,
                                                  const struct hs_view *v, hs_job_id after,
                                                  uint64_t gpus)
{
    return hs_job_queue_next_within(queue, v, after, (struct hs_gang_limits){gpus, gpus});
}
/* A position in the order, whether or not a member has it. */
struct hs_job_place {
    int64_t key;
    int64_t submit_us;
    uint64_t rank;
    uint32_t job; /* the job at this position, for the caller; not compared */
};
static inline bool hs_job_place_is_before(const struct hs_job_place *a,
                                          const struct hs_job_place *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->submit_us != b->submit_us ? a->submit_us < b->submit_us : a->rank < b->rank;
}
/* The position of a job with that key. */
static inline struct hs_job_place hs_job_place(const struct hs_view *v, hs_job_id job, int64_t key)
{
    return (struct hs_job_place){key, hs_view_submit_us(v, job), hs_view_rank(v, job), job};
}
/* The first job at that position or behind it that is within the limits; of a queue without levels.
 */
hs_job_id hs_job_queue_next_from(struct hs_job_queue *queue, const struct hs_view *v,
                                 struct hs_job_place from, struct hs_gang_limits limits);
/* A hash of consecutive numbers (finaliser of MurmurHash3). */
uint32_t hs_job_queue_mix(uint64_t number);
/* Checks order, links and minima of every node. O(n). */
bool hs_job_queue_is_valid(const struct hs_job_queue *queue, const struct hs_view *v);

/* ---- heapsort by (key, submission, rank), the order of a queue, for what is sorted anew at each
 * decision because its keys change (heaps: Williams, CACM 1964, in arrays of the caller's) ---- */

/* Restores a heap, its last at entries[0], of which entries[root] alone is new. O(log count). */
void hs_sort_down(struct hs_job_place *entries, uint32_t root, uint32_t count);
/* Sorts in place. O(count log count). */
void hs_sort(struct hs_job_place *entries, uint32_t count);

/* ---- the heads of several queues, the one that comes first at at[0] ---- */

struct hs_merge_head {
    hs_job_id job;
    uint32_t set; /* number of the queue that the head is from, chosen by the caller */
};

struct hs_merge_heap {
    struct hs_merge_head *at;
    uint32_t count;
    const struct hs_job_queue *order; /* gives the order, which all queues share */
};

/* The caller has allocated room for one more entry. O(log count) each. */
void hs_merge_heap_add(struct hs_merge_heap *h, const struct hs_view *v, struct hs_merge_head head);
/* Replaces the first entry, or removes it if the job of the new one is HS_NO_JOB. */
void hs_merge_heap_replace_first(struct hs_merge_heap *h, const struct hs_view *v,
                                 struct hs_merge_head head);

/* ---- chains of jobs in an order of the caller's own, by links in the scratch of the jobs ---- */

struct hs_job_chain_link {
    hs_job_id before, after; /* HS_NO_JOB = none */
};

struct hs_job_chain {
    hs_job_id first, last; /* HS_NO_JOB = none */
    uint32_t link_offset;  /* offset of the link in the scratch of a job */
};

static inline struct hs_job_chain hs_job_chain_empty(size_t link_offset)
{
    return (struct hs_job_chain){HS_NO_JOB, HS_NO_JOB, (uint32_t)link_offset};
}
static inline hs_job_id hs_job_chain_next(const struct hs_job_chain *c, const struct hs_view *v,
                                          hs_job_id job)
{
    const unsigned char *scratch = hs_view_scratch(v, job);
    const struct hs_job_chain_link *link = (const void *)(scratch + c->link_offset);
    return link->after;
}
/* As HS_EACH_QUEUED. */
#define HS_EACH_CHAINED(job, chain, v)                                                             \
    for (hs_job_id job = (chain)->first; job != HS_NO_JOB; job = hs_job_chain_next(chain, v, job))
/* Inserts behind a member, or at the front if it is HS_NO_JOB. O(1) each. */
void hs_job_chain_insert(struct hs_job_chain *c, const struct hs_view *v, hs_job_id job,
                         hs_job_id behind);
void hs_job_chain_remove(struct hs_job_chain *c, const struct hs_view *v, hs_job_id job);
/* Sorts stably by `precedes`. Natural merge sort of lists (Knuth, TAOCP 3, 5.2.4 N, L): O(members
 * log pieces), a piece being members that are in order. */
typedef bool hs_job_chain_order(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *ctx);
void hs_job_chain_sort(struct hs_job_chain *c, const struct hs_view *v,
                       hs_job_chain_order *precedes, const void *ctx);
