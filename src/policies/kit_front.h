/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ordered sets of which somebody only ever looks at the front: by (key, submission, rank), a total
 * order, as kit_order.h has it, or that order backwards. The first few are a chain; behind them the
 * others are a heap, of which nothing is known but who is first, and which the chain takes its
 * next ones from; and when these are thousands, all but the nearest lie on piles (kit_piles.h),
 * which the heap is filled from. A job that comes costs a comparison or two wherever its place is,
 * and touches none of those that wait far behind.
 *
 *     hs_front_add(&set, v, job, key);
 *     for (j = hs_front_first(&set, v); j != HS_NO_JOB; j = hs_front_next(&set, v, j))
 *
 * The links are those of kit_order.h, and lie in the same way in the scratch of each job; of gangs
 * they say what the caller puts there. Adding, and removing in front, is O(1), a step beyond the
 * chain and removing elsewhere O(log n), each over many (pairing heap: Fredman et al., Algorithmica
 * 1986).
 */
#ifndef HORUS_POLICIES_KIT_FRONT_H
#define HORUS_POLICIES_KIT_FRONT_H

#include "policies/kit_piles.h"

struct hs_front {
    /* Each is a job + 1; 0 = none, so that zeroed state is an empty set. */
    uint32_t first, last;  /* of the chain */
    uint32_t root;         /* of the heap; nobody in it is before one of the chain */
    uint32_t heaped;       /* in the heap, */
    uint32_t count;        /* and in all */
    uint32_t link_offset;  /* of its links in the scratch of a job */
    bool is_backwards;     /* largest first, ties backwards too */
    struct hs_piles piles; /* nobody on them is before one of the heap */
};

void hs_front_add(struct hs_front *set, const struct hs_view *v, hs_job_id job, int64_t key);
void hs_front_remove(struct hs_front *set, const struct hs_view *v, hs_job_id job); /* must be in */
/* The first of the heap, which it leaves for the chain; HS_NO_JOB: there is none. */
hs_job_id hs_front_reach(struct hs_front *set, const struct hs_view *v);
/* HS_NO_JOB: there is none. */
static inline hs_job_id hs_front_first(struct hs_front *set, const struct hs_view *v)
{
    return set->first != 0 ? set->first - 1 : hs_front_reach(set, v);
}
/* Of a job to which such steps led from the first; HS_NO_JOB: there is none. */
hs_job_id hs_front_next(struct hs_front *set, const struct hs_view *v, hs_job_id job);
hs_job_id hs_front_prev(const struct hs_front *set, const struct hs_view *v, hs_job_id job);
/* The last to which a step led so far: of all, if one led beyond. */
hs_job_id hs_front_reached(const struct hs_front *set);
/* Everybody once, in no order: who comes after whom; HS_NO_JOB: the first of them, or no more. */
hs_job_id hs_front_another(const struct hs_front *set, const struct hs_view *v, hs_job_id after);
/* Gives every member the key that key_of says now. O(members), log of them for each on the way to
 * the front. */
void hs_front_rekey_all(struct hs_front *set, const struct hs_view *v, hs_order_key_of *key_of,
                        const void *ctx);
/* Order and links hold everywhere; O(n). */
bool hs_front_is_valid(const struct hs_front *set, const struct hs_view *v);

#endif
