/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A queue of jobs ordered by (key, submission, rank), a total order. Each job carries the links in
 * its scratch, so a queue needs no memory of its own; a job is in at most one queue per link. Every
 * node knows the smallest gang below it, so "the next job in order that needs at most n GPUs" is
 * one descent.
 *
 *     struct scratch { struct hs_job_queue_link link; ... };          // link first in the scratch
 *     hs_job_queue_add(&queue, v, job, key);
 *     for (j = hs_job_queue_next_fitting(&queue, v, HS_NO_JOB, free); j != HS_NO_JOB; ...)
 *
 *     struct scratch { struct hs_job_queue_link link, other; };       // in two queues at once
 *     struct hs_job_queue queue = {.link_offset = offsetof(struct scratch, other)};
 *
 * A treap (Seidel & Aragon, Algorithmica 1996) whose priorities are a hash of the handle: the same
 * shape on every machine. O(log n) each; a walk takes O(1) a step, and so do, in the mean, the
 * first, the last, and a job that is added before or behind all others or taken from either end.
 */
#pragma once

#include "horus/policy.h"

static inline uint64_t hs_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static inline int64_t hs_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t hs_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Half a cache line: there is one, or more, for each live job. */
struct hs_job_queue_link {
    int64_t key;
    uint32_t child[2];    /* before it, behind it; HS_NO_JOB = none */
    uint32_t parent : 30; /* all ones = none */
    uint32_t is_constrained : 1;
    uint32_t is_linked : 1;
    uint32_t gpus;              /* of the job, or what size_of says */
    uint32_t least_gpus;        /* of its subtree: of the jobs that any node may serve */
    uint32_t least_constrained; /* of its subtree: of the others */
};

/* The size that limits are compared with in place of the gang, and which of the two limits. */
typedef uint32_t hs_job_queue_size(const struct hs_view *v, hs_job_id job, bool *is_constrained);

/* Zeroed state is an empty queue. */
struct hs_job_queue {
    uint32_t root, chain, first, last; /* each is a job + 1; 0 = none */
    uint32_t count;
    bool knows_sizes;           /* a size was searched for: nodes know what is below them */
    uint32_t link_offset;       /* of the links in the scratch of a job */
    hs_job_queue_size *size_of; /* below UINT32_MAX; NULL: the gang */
};

/* Of two jobs with the same key: by submission, then rank. */
bool hs_job_queue_tie_is_before(const struct hs_view *v, hs_job_id a, hs_job_id b);
/* Of two members. */
bool hs_job_queue_is_before(const struct hs_job_queue *queue, const struct hs_view *v, hs_job_id a,
                            hs_job_id b);
void hs_job_queue_add(struct hs_job_queue *queue, const struct hs_view *v, hs_job_id job,
                      int64_t key);
void hs_job_queue_remove(struct hs_job_queue *queue, const struct hs_view *v,
                         hs_job_id job); /* must be in */
/* Gives a member another key; cheap if its place stays the same. */
void hs_job_queue_rekey(struct hs_job_queue *queue, const struct hs_view *v, hs_job_id job,
                        int64_t key);
/* Gives every member the key that key_of says now. O(members), and the logarithm of them for each
 * whose place is another. */
typedef int64_t hs_job_queue_key_of(const struct hs_view *v, hs_job_id job, const void *ctx);
void hs_job_queue_rekey_all(struct hs_job_queue *queue, const struct hs_view *v,
                            hs_job_queue_key_of *key_of, const void *ctx);
/* Both by the link that is first in the scratch. */
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
/* HS_NO_JOB: the queue is empty; or the job was the last, or the first. */
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

/* How large a gang may be to be worth a try. The failure of a gang that any node may serve tells of
 * others like it, and nothing of those that ask for certain nodes: these have a limit of their own.
 */
struct hs_gang_limits {
    uint64_t plain, constrained;
};
/* First job after `after` (HS_NO_JOB: from the start) within the limits. */
hs_job_id hs_job_queue_next_within(struct hs_job_queue *queue, const struct hs_view *v,
                                   hs_job_id after, struct hs_gang_limits limits);
/* The same with one limit for all. */
static inline hs_job_id hs_job_queue_next_fitting(struct hs_job_queue *queue,
                                                  const struct hs_view *v, hs_job_id after,
                                                  uint64_t gpus)
{
    return hs_job_queue_next_within(queue, v, after, (struct hs_gang_limits){gpus, gpus});
}
/* A place in the order, whether or not a job has it. */
struct hs_job_place {
    int64_t key;
    int64_t submit_us;
    uint64_t rank;
    uint32_t job; /* no part of the order: what stands there, if it is to be told */
};
static inline bool hs_job_place_is_before(const struct hs_job_place *a,
                                          const struct hs_job_place *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->submit_us != b->submit_us ? a->submit_us < b->submit_us : a->rank < b->rank;
}
/* First job at that place or behind it within the limits. */
hs_job_id hs_job_queue_next_from(struct hs_job_queue *queue, const struct hs_view *v,
                                 struct hs_job_place from, struct hs_gang_limits limits);
/* Spreads numbers that count up (finaliser of MurmurHash3). */
uint32_t hs_job_queue_mix(uint64_t number);
/* Order, links and what nodes know of their subtrees hold everywhere; O(n). */
bool hs_job_queue_is_valid(const struct hs_job_queue *queue, const struct hs_view *v);

/* ---- heapsort by (key, submission, rank), the order of a queue, for what is sorted anew at each
 * decision because its keys change (heaps: Williams, CACM 1964, in arrays of the caller's) ---- */

/* In place, O(count log count). */
void hs_sort(struct hs_job_place *entries, uint32_t count);

/* ---- the heads of several queues, the one that comes first at at[0] ---- */

struct hs_merge_head {
    hs_job_id job;
    uint32_t set; /* whatever the caller numbers them by */
};

struct hs_merge_heap {
    struct hs_merge_head *at;
    uint32_t count;
    const struct hs_job_queue *order; /* any of the queues: all are in the same order */
};

/* There is room for one more. O(log count) each. */
void hs_merge_heap_add(struct hs_merge_heap *h, const struct hs_view *v, struct hs_merge_head head);
/* Another in place of the first; none: job is HS_NO_JOB. */
void hs_merge_heap_replace_first(struct hs_merge_heap *h, const struct hs_view *v,
                                 struct hs_merge_head head);

/* ---- chains of jobs in an order of the caller's own, by links in the scratch of the jobs ---- */

struct hs_job_chain_link {
    hs_job_id before, after; /* HS_NO_JOB = none */
};

struct hs_job_chain {
    hs_job_id first, last; /* HS_NO_JOB = none */
    uint32_t link_offset;  /* in the scratch of a job */
};

static inline struct hs_job_chain hs_job_chain_empty(size_t link_offset)
{
    return (struct hs_job_chain){HS_NO_JOB, HS_NO_JOB, (uint32_t)link_offset};
}
/* Behind a member, or to the front: HS_NO_JOB. O(1) each. */
void hs_job_chain_insert(struct hs_job_chain *c, const struct hs_view *v, hs_job_id job,
                         hs_job_id behind);
void hs_job_chain_remove(struct hs_job_chain *c, const struct hs_view *v, hs_job_id job);
/* In the order of precedes; members of which neither is before the other stay as they are. Merge
 * sort of lists (Knuth, TAOCP 3, 5.2.4 L), O(members log members). */
typedef bool hs_job_chain_order(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *ctx);
void hs_job_chain_sort(struct hs_job_chain *c, const struct hs_view *v,
                       hs_job_chain_order *precedes, const void *ctx);
