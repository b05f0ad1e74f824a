/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs that wait so far behind that nobody needs their order yet: piles by ranges of their keys,
 * finer the nearer they are, as in a hierarchical timing wheel (Varghese & Lauck, SOSP 1987). A job
 * that comes is put on its pile, wherever that is; the nearest pile is taken whole if it is small,
 * and else laid out on finer ones first. So of a million jobs each is looked at four or five times
 * until its turn comes, in the order in which they lie in memory, where a heap would visit twenty
 * that lie anywhere.
 *
 *     hs_piles_begin(&piles, least_key, false);
 *     hs_piles_add(&piles, links, job);
 *     for (job = hs_piles_take(&piles, links); job != HS_NO_JOB; job = next) ...
 *
 * Keys are compared as unsigned numbers, so that a set may be backwards. The links are those of
 * kit_order.h: left the job before it on its pile, right the one behind it.
 */
#ifndef HORUS_POLICIES_KIT_PILES_H
#define HORUS_POLICIES_KIT_PILES_H

#include "policies/kit_order.h"

#define HS_PILE_BITS   4u /* of a key, on each level */
#define HS_PILE_DIGITS (1u << HS_PILE_BITS)
#define HS_PILE_LEVELS (64 / HS_PILE_BITS)

/* Zeroed state is without jobs. */
struct hs_piles {
    uint64_t base; /* nobody's number is less; on level n a pile differs from it in the digit n */
    uint64_t last; /* nobody's number is that, or less, after some were taken */
    uint32_t count;
    bool is_backwards;
    uint16_t filled[HS_PILE_LEVELS];                /* a bit each pile that has jobs */
    uint32_t first[HS_PILE_LEVELS][HS_PILE_DIGITS]; /* a job + 1; 0 = none */
};

/* A key as a number in the order of the set. */
static inline uint64_t hs_pile_number(const struct hs_piles *p, int64_t key)
{
    uint64_t number = (uint64_t)key ^ UINT64_C(1) << 63;
    return p->is_backwards ? ~number : number;
}

/* Does a job with that key come behind all that were taken, while others wait here? */
static inline bool hs_piles_want(const struct hs_piles *p, int64_t key)
{
    return p->count > 0 && hs_pile_number(p, key) > p->last;
}

/* While it is without jobs: none with a key before that one will be added until it is again. */
void hs_piles_begin(struct hs_piles *p, int64_t key, bool is_backwards);
/* A job whose link knows its key; once some were taken, one that hs_piles_want. O(1). */
void hs_piles_add(struct hs_piles *p, struct hs_links links, hs_job_id job);
void hs_piles_remove(struct hs_piles *p, struct hs_links links, hs_job_id job); /* must be in */
/* Takes out those that come before all others, in no order, strung by `right`. There is a job. O(1)
 * a job over all its time here: at most a step a digit of its key. */
hs_job_id hs_piles_take(struct hs_piles *p, struct hs_links links);
/* Everybody once, in no order: who comes after whom; HS_NO_JOB: the first of them, or no more. */
hs_job_id hs_piles_another(const struct hs_piles *p, struct hs_links links, hs_job_id after);
/* Everybody is where its key wants it; O(n). */
bool hs_piles_are_valid(const struct hs_piles *p, struct hs_links links);

#endif
