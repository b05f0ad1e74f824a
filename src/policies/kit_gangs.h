/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting jobs in one order, (key, submission, rank), kept apart by the size of their gang: "the
 * next one in order that needs at most n GPUs" is the first of the first ones of the sizes up to n,
 * and a job that comes or goes at the front of its size, as one that is evicted and soon goes on,
 * disturbs nobody.
 *
 *     struct hs_gangs set = {0};
 *     hs_gangs_add(&set, v, job, key);
 *     struct hs_gangs_walk walk;
 *     const struct hs_gangs_head *head;
 *     hs_gangs_begin(&walk, &set, v, left);
 *     while ((head = hs_gangs_look(&walk, v, left)) != NULL) {
 *         left -= head->gpus;
 *         hs_gangs_pass(&walk, v);
 *     }
 *
 * A power of two has a lane of its own, where only the front is ordered (kit_front.h); all sizes
 * between two of them share one. Where each lane begins is remembered, and looked up anew only for
 * those where somebody came or went and that a walk comes to. The links are those of kit_order.h,
 * first in the scratch of each job.
 */
#ifndef HORUS_POLICIES_KIT_GANGS_H
#define HORUS_POLICIES_KIT_GANGS_H

#include "policies/kit_front.h"

#define HS_GANG_LANES 63 /* 0, 1, 2, 3, 4, 5-7, 8, 9-15, ... GPUs */

/* A job, by what a search asks of it. */
struct hs_gangs_head {
    int64_t key;
    hs_job_id job;
    uint32_t gpus;
};

struct hs_gangs {
    struct hs_front exact[(HS_GANG_LANES + 1) / 2];  /* 0, 1, 2, 4, ... */
    struct hs_order shared[(HS_GANG_LANES + 1) / 2]; /* what is between; the first is not in use */
    uint64_t filled;                                 /* a bit each lane: somebody is in */
    uint64_t stale, moved; /* lanes whose first job is another; where the last walk went on */
    uint32_t count;        /* of jobs */
    struct hs_gangs_head heads[HS_GANG_LANES]; /* of the others the first that no walk has passed */
};

void hs_gangs_add(struct hs_gangs *set, const struct hs_view *v, hs_job_id job, int64_t key);
void hs_gangs_remove(struct hs_gangs *set, const struct hs_view *v, hs_job_id job); /* must be in */
/* Gives every member the key that key_of says now (hs_order_rekey_all). */
void hs_gangs_rekey_all(struct hs_gangs *set, const struct hs_view *v, hs_order_key_of *key_of,
                        const void *ctx);

/* Over a set that stays as it is meanwhile, and has one walk at a time. */
struct hs_gangs_walk {
    struct hs_gangs *set;
    uint64_t open;  /* lanes that have jobs for it */
    uint64_t bound; /* GPUs: larger gangs have no place in it */
    uint32_t lane;  /* of the job that was found last */
};
/* Over gangs of at most so many GPUs. */
void hs_gangs_begin(struct hs_gangs_walk *w, struct hs_gangs *set, const struct hs_view *v,
                    uint64_t gpus);
/* The first job not passed that needs at most so many GPUs, never more than when it was asked
 * before; NULL if there is none. It is there until the next call. */
const struct hs_gangs_head *hs_gangs_look(struct hs_gangs_walk *w, const struct hs_view *v,
                                          uint64_t gpus);
/* Goes beyond the job that was found last. */
void hs_gangs_pass(struct hs_gangs_walk *w, const struct hs_view *v);

/* Everybody once, in no order: who comes after whom; HS_NO_JOB: the first of them, or no more. */
hs_job_id hs_gangs_another(struct hs_gangs *set, const struct hs_view *v, hs_job_id after);
/* Orders hold, and every member is in the lane of its size; O(n). */
bool hs_gangs_is_valid(struct hs_gangs *set, const struct hs_view *v);

#endif
