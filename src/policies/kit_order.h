/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ordered sets of jobs: by (key, submission, rank), a total order. Each job carries its links in
 * its scratch, so sets need no memory of their own; a job is in at most one set per link. Every
 * node knows the smallest gang below it, so "the next job in order that needs at most n GPUs" is
 * one descent.
 *
 *     struct scratch { struct hs_order_link link; ... };          // link first in the scratch
 *     hs_order_add(&set, v, job, key);
 *     for (j = hs_order_next_fitting(&set, v, HS_NO_JOB, free); j != HS_NO_JOB; ...)
 *
 *     struct scratch { struct hs_order_link link, other; };       // in two sets at once
 *     struct hs_order set = {.link_offset = offsetof(struct scratch, other)};
 *
 * A treap whose priorities are a mix of the handle: same shape on every machine. O(log n) each; a
 * walk takes O(1) a step, and so do, in the mean, the first, the last, and a job that is added
 * before or behind all others or taken from either end.
 */
#ifndef HORUS_POLICIES_KIT_ORDER_H
#define HORUS_POLICIES_KIT_ORDER_H

#include <stdbool.h>

#include "horus/policy.h"

/* Half a cache line: there is one, or more, for each live job. */
struct hs_order_link {
    int64_t key;
    uint32_t left, right; /* HS_NO_JOB = none */
    uint32_t parent : 30; /* all ones = none */
    uint32_t is_constrained : 1;
    uint32_t is_linked : 1;
    uint32_t gpus;              /* of the job */
    uint32_t least_gpus;        /* of its subtree: of the jobs that any node may serve */
    uint32_t least_constrained; /* of its subtree: of the others */
};

/* What bounds are held against in place of the gang, and of which bound (hs_bounds). */
typedef uint32_t hs_order_size(const struct hs_view *v, hs_job_id job, bool *is_constrained);

struct hs_order {
    /* Each is a job + 1; 0 = none, so that zeroed state is an empty set. */
    uint32_t root, chain, first, last;
    uint32_t count;
    bool is_loose;          /* in whatever order among equal keys: no job's record is looked at */
    bool knows_sizes;       /* somebody looked for a size: nodes know what is below them */
    uint32_t link_offset;   /* of its links in the scratch of a job */
    hs_order_size *size_of; /* below UINT32_MAX; NULL: the gang */
};

/* As the parent of a link: all ones = none, and what it is part of. */
#define HS_ORDER_MARKLESS  0x3fffffffu /* of a handle: there are fewer jobs than that */
#define HS_ORDER_NO_PARENT (HS_NO_JOB & HS_ORDER_MARKLESS)
#define HS_ORDER_CHAINED   (HS_ORDER_NO_PARENT - 1)
#define HS_ORDER_PILED     (HS_ORDER_NO_PARENT - 2) /* on a pile (kit_piles.h) */

static inline struct hs_order_link *hs_order_link_of(const struct hs_order *set,
                                                     const struct hs_view *v, hs_job_id job)
{
    char *scratch = hs_view_scratch(v, job);
    void *link = scratch + set->link_offset;
    return link;
}
/* Where such links lie: that of a job at its handle times the size. */
struct hs_links {
    unsigned char *at;
    size_t size;
};

static inline struct hs_links hs_links_of(const struct hs_view *v, uint32_t link_offset)
{
    struct hs_links links;
    links.at = hs_view_scratches(v, &links.size) + link_offset;
    return links;
}

static inline struct hs_order_link *hs_link_at(struct hs_links links, hs_job_id job)
{
    void *link = links.at + job * links.size;
    return link;
}

/* Of two with the same key. */
bool hs_order_tie_is_before(const struct hs_view *v, hs_job_id a, hs_job_id b);
/* The order of all such sets; of jobs that are in one, or whose link knows their key. */
static inline bool hs_order_link_is_before(const struct hs_view *v, hs_job_id a,
                                           const struct hs_order_link *of_a, hs_job_id b,
                                           const struct hs_order_link *of_b)
{
    return of_a->key != of_b->key ? of_a->key < of_b->key : hs_order_tie_is_before(v, a, b);
}
void hs_order_add(struct hs_order *set, const struct hs_view *v, hs_job_id job, int64_t key);
void hs_order_remove(struct hs_order *set, const struct hs_view *v, hs_job_id job); /* must be in */
/* Gives a member another key; cheap if its place stays the same. */
void hs_order_rekey(struct hs_order *set, const struct hs_view *v, hs_job_id job, int64_t key);
/* Gives every member the key that key_of says now. O(members), and log of them for each whose place
 * is another. */
typedef int64_t hs_order_key_of(const struct hs_view *v, hs_job_id job, const void *ctx);
void hs_order_rekey_all(struct hs_order *set, const struct hs_view *v, hs_order_key_of *key_of,
                        const void *ctx);
/* By its first link, both. */
static inline bool hs_order_has(const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = hs_view_scratch(v, job);
    return link->is_linked;
}
int64_t hs_order_key(const struct hs_view *v, hs_job_id job);
static inline hs_job_id hs_order_first(const struct hs_order *set, const struct hs_view *v)
{
    (void)v;
    return set->first - 1; /* of none HS_NO_JOB */
}
static inline hs_job_id hs_order_last(const struct hs_order *set, const struct hs_view *v)
{
    (void)v;
    return set->last - 1;
}
hs_job_id hs_order_next_hung(const struct hs_order *set, const struct hs_view *v, hs_job_id job);
static inline hs_job_id hs_order_next(const struct hs_order *set, const struct hs_view *v,
                                      hs_job_id job)
{
    const struct hs_order_link *link = hs_order_link_of(set, v, job);
    return link->parent == HS_ORDER_CHAINED ? link->right : hs_order_next_hung(set, v, job);
}
hs_job_id hs_order_prev(const struct hs_order *set, const struct hs_view *v, hs_job_id job);
bool hs_order_is_before(const struct hs_order *set, const struct hs_view *v, hs_job_id a,
                        hs_job_id b);
/* How large a gang may be to be worth a try. What a failure tells of the gangs that any node may
 * serve, it does not tell of those that ask for certain nodes: they have a bound of their own. */
struct hs_bounds {
    uint64_t plain, constrained;
};
/* First job after `after` (HS_NO_JOB: from the start) within the bounds. */
hs_job_id hs_order_next_within(struct hs_order *set, const struct hs_view *v, hs_job_id after,
                               struct hs_bounds bounds);
/* The same job by job, where it counts how many are passed: each takes one of *left, and with the
 * last one it ends, at HS_NO_JOB. */
hs_job_id hs_order_pass(const struct hs_order *set, const struct hs_view *v, hs_job_id after,
                        struct hs_bounds bounds, uint64_t *left);
/* hs_order_next_within with one bound for all. */
static inline hs_job_id hs_order_next_fitting(struct hs_order *set, const struct hs_view *v,
                                              hs_job_id after, uint64_t gpus)
{
    return hs_order_next_within(set, v, after, (struct hs_bounds){gpus, gpus});
}
/* Where a job stands in an order. */
struct hs_order_place {
    int64_t key;
    int64_t submit_us;
    uint64_t rank;
};
static inline bool hs_order_place_is_before(const struct hs_order_place *a,
                                            const struct hs_order_place *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->submit_us != b->submit_us ? a->submit_us < b->submit_us : a->rank < b->rank;
}
/* First job at that place or behind it within the bounds. */
hs_job_id hs_order_next_from(struct hs_order *set, const struct hs_view *v,
                             struct hs_order_place from, struct hs_bounds bounds);
/* First job with at least that key behind one with a lower key; O(log jobs between them). */
hs_job_id hs_order_seek(struct hs_order *set, const struct hs_view *v, hs_job_id at, int64_t key);
/* Spreads numbers that count up (Murmur3's finaliser). */
uint32_t hs_order_mix(uint64_t number);
/* Order, links and what nodes know of their subtrees hold everywhere; O(n). */
bool hs_order_is_valid(const struct hs_order *set, const struct hs_view *v);

#endif
