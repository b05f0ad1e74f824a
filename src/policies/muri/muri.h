/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of muri share: its state, and the groups of one decision.
 */
#pragma once

#include "policies/lib/allocation_map.h"
#include "policies/lib/vc_queues.h"
#include "policies/muri/muri_match.h"

#define HS_MURI_MATCHED 512u /* groups matched one by one at most; O(512^2) memory */

/* Periods of groups that are remembered, each in the best and in the worst order. */
#define HS_MURI_PERIODS 1024u
/* compat=muri: scores of two groups that are remembered. 256 KB. */
#define HS_MURI_SCORES 16384u

/* Matchings of classes that are remembered: most decisions match the same numbers of the same kinds
 * of groups as one shortly before. 3.6 MB; a larger one with more kinds of pairs is matched anew.
 */
#define HS_MURI_SOLVED       1024u
#define HS_MURI_SOLVED_PAIRS 128u
#define HS_MURI_PAIRS        (HS_MATCH_CLASSES * (HS_MATCH_CLASSES + 1) / 2)

enum { HS_MURI_DURATION, HS_MURI_NOTHING };
enum { HS_MURI_BLOSSOM, HS_MURI_NEIGHBOURS };

struct hs_muri_scratch {
    struct hs_job_chain_link chain; /* in the list of its VC */
    int64_t key;
    uint64_t tie;
    struct hs_iteration iteration;
    uint64_t kinds, ask;       /* as of its group */
    int64_t held_us, since_us; /* time with GPUs, until and since the last change */
    int64_t lost_us;           /* compat=muri: what each event costs it where it runs, */
    uint64_t rate_q32;         /* and how fast it runs there */
    hs_job_id next;            /* of its gang size, in the order of this decision */
    uint32_t first_allocation;
    uint32_t place; /* in the order of this decision */
    uint32_t leads; /* the group of which it is the first member; UINT32_MAX: none */
    bool is_taken, is_old;
    bool is_staying, is_claimed; /* where it is; its GPUs, by a group */
};

struct hs_muri_group {
    hs_job_id members[HS_INTERLEAVED_MOST]; /* the first in the order comes first */
    uint32_t count, gang;
    uint32_t class, mate; /* of the last matching; UINT32_MAX: none */
    hs_job_id anchor;     /* a member that stays where it is; HS_NO_JOB */
    /* Kinds of its iterations, each + 1, in 16 bits, the largest in the lowest; 0: of a job that
     * must stay alone. Groups of the same kinds and ask have the same weight with any other. */
    uint64_t kinds, ask;
    /* The same kinds in the order of the members, the first in the lowest bits. */
    uint64_t sequence;
};

struct hs_muri_period {
    uint64_t kinds;
    int64_t ns;
};

struct hs_muri_score {
    uint64_t sequence; /* of the first group, then of the second; 0: none yet */
    double gamma;
};

/* A class of equal groups, and pairs of two classes in a matching. */
struct hs_muri_class {
    uint64_t kinds, ask, size;
};

struct hs_muri_pairs {
    int64_t weight;
    uint32_t count;
    uint16_t a, b;
};

struct hs_muri_solved {
    uint32_t classes, count; /* 0 classes: none yet */
    struct hs_muri_class class[HS_MATCH_CLASSES];
    struct hs_muri_pairs pairs[HS_MURI_SOLVED_PAIRS]; /* the heaviest first */
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
    uint32_t vcs, gang_count, count;
    uint64_t arrivals;
    int64_t *decided_us; /* per VC */
    struct hs_allocation_map map;
    struct hs_muri_group *groups, *merged;
    uint32_t *gangs;    /* sizes in the order of their first jobs: a bucket of groups each */
    uint32_t *by_class; /* groups of one bucket */
    hs_job_id *last_of_gang;
    struct hs_muri_period *periods[2]; /* by a hash of the kinds; in the worst order */
    struct hs_muri_score *scores;      /* compat=muri: by a hash of the sequence */
    struct hs_match match;
    struct hs_match_classes *classes;
    struct hs_muri_class class[HS_MATCH_CLASSES];
    struct hs_muri_pairs *pairs; /* of a matching of these: [HS_MURI_PAIRS] */
    uint32_t class_count, pair_count;
    struct hs_muri_solved *solved; /* by a hash of their classes: [HS_MURI_SOLVED] */
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
