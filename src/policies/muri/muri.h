/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of muri share: its state, and the groups of one decision.
 */
#pragma once

#include "policies/lib/allocation_map.h"
#include "policies/lib/vc_queues.h"
#include "policies/muri/muri_match.h"

#define HS_MURI_MATCHED 512u /* groups matched one by one at most; O(512^2) memory */

enum { HS_MURI_DURATION, HS_MURI_NOTHING };
enum { HS_MURI_BLOSSOM, HS_MURI_NEIGHBOURS };

struct hs_muri_scratch {
    struct hs_job_chain_link chain; /* in the list of its VC */
    int64_t key;
    uint64_t tie;
    struct hs_iteration iteration;
    uint64_t ask;
    int64_t held_us, since_us; /* time with GPUs, until and since the last change */
    int64_t lost_us;           /* compat=muri: what each event costs it where it runs, */
    uint64_t rate_q32;         /* and how fast it runs there */
    hs_job_id next;            /* of its gang size, in the order of this decision */
    uint32_t first_allocation;
    uint32_t place; /* in the order of this decision */
    bool is_taken, is_old;
    bool is_staying, is_claimed; /* where it is; its GPUs, by a group */
};

struct hs_muri_group {
    hs_job_id members[HS_INTERLEAVED_MOST]; /* the first in the order comes first */
    uint32_t count, gang, bucket;
    hs_job_id anchor; /* a member that stays where it is; HS_NO_JOB */
};

/* A bucket: the jobs of one gang size. */
struct hs_muri_bucket {
    uint32_t gang, opened; /* jobs of it that fitted alone */
};

struct hs_muri {
    struct hs_place_rule placement;
    int32_t know, matching, order, compat;
    int64_t cap;
    double lambda;
    bool is_unpacking;
    struct hs_preempt_cost cost; /* the parameters end here */
    struct hs_vc_queues cpu_jobs;
    struct hs_job_chain *lists; /* one per VC: live jobs with GPUs */
    bool *is_awake;
    uint32_t vcs, bucket_count, count;
    uint64_t arrivals;
    int64_t *decided_us; /* per VC */
    struct hs_allocation_map map;
    struct hs_muri_group *groups, *merged;
    uint32_t *of_bucket; /* groups of one bucket */
    struct hs_muri_bucket *buckets;
    struct hs_job_place *sorted;
    hs_job_id *last_of_gang;
    struct hs_match match;
    struct hs_match_classes *classes;
    hs_job_id misfit; /* the first that did not fit, though nothing came before it; HS_NO_JOB */
};

static inline struct hs_muri_scratch *hs_muri_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* From the jobs that the order brings to the GPUs of a VC, `room` of them, to groups in m->groups,
 * the first in the order first. muri_group.c */
void hs_muri_group(struct hs_muri *m, const struct hs_view *v, struct hs_plan *p, uint32_t vc,
                   uint64_t room);
