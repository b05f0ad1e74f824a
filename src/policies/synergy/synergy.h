/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of synergy share.
 */
#pragma once

#include "policies/lib/vc_queues.h"

enum hs_synergy_mechanism { HS_SYNERGY_FAIR, HS_SYNERGY_GREEDY, HS_SYNERGY_TUNE, HS_SYNERGY_OPT };
enum hs_synergy_order { HS_SYNERGY_FIFO, HS_SYNERGY_LAS, HS_SYNERGY_SRTF, HS_SYNERGY_FTF };
enum hs_synergy_compat { HS_SYNERGY_COMPAT_OFF, HS_SYNERGY_COMPAT_SYNERGY };

/* CPUs, in thousandths, and host memory: of a GPU of a job, unless stated. */
struct hs_synergy_share {
    uint64_t cpus_milli, mem_mib;
};

/* A job on a node in one round. */
struct hs_synergy_place {
    hs_job_id job; /* HS_NO_JOB: it has finished */
    uint32_t node, gpus;
    uint32_t before; /* the place on the node that was given before it; HS_SYNERGY_NONE */
};
#define HS_SYNERGY_NONE UINT32_MAX

/* What this round leaves of a node. */
struct hs_synergy_node {
    uint32_t gpus, last; /* place */
    struct hs_synergy_share left;
};

/* What found no room in a round. */
struct hs_synergy_refused {
    uint32_t gang, vc;
    struct hs_synergy_share share;
};
#define HS_SYNERGY_REFUSED 32 /* remembered: more than twelve models times four gangs leave */

/* The places of one round, of each job one behind the other. */
struct hs_synergy_round {
    struct hs_synergy_place *places;
    uint32_t count;
};

struct hs_synergy {
    int32_t mechanism, order, compat;
    int64_t round_us, phase_us;
    struct hs_preempt_cost cost; /* parameters up to here */
    /* 0: the nodes do not state what they have: nothing is allotted. */
    struct hs_synergy_share fair;
    struct hs_synergy_share server; /* the largest node */
    struct hs_synergy_node *nodes;
    uint64_t *by_free; /* bits of the nodes with 0, 1, 2, .. free GPUs, each so many words */
    uint32_t words;
    struct hs_synergy_round now, last;
    struct hs_synergy_refused refused[HS_SYNERGY_REFUSED];
    uint32_t refused_count;
    struct hs_job_place *kept; /* jobs that this round tries */
    uint64_t *room;            /* GPUs that each VC may still have in this round */
    uint64_t free;             /* GPUs of all nodes */
    struct hs_job_chain jobs;  /* in order */
    uint64_t count;
    int64_t boundary_us, next_us; /* that is due; INT64_MAX: none */
    uint32_t ending;              /* compat: jobs that end at the next boundary */
    bool is_woken;                /* a job came or went since the last round */
    struct hs_vc_queues cpu_jobs;
};

struct hs_synergy_scratch {
    union {
        struct hs_job_queue_link queue; /* of a CPU job */
        struct hs_job_chain_link chain;
    };
    int64_t key;
    int64_t ran_us;                       /* when it last held GPUs, or came */
    struct hs_synergy_share best;         /* the least that makes it fastest */
    struct hs_synergy_share wants;        /* opt: of this round */
    struct hs_synergy_share gets, had;    /* in this round, and in the last one */
    uint32_t first, places;               /* in this round */
    uint32_t last_first, last_places;     /* in the last one */
    bool holds;                           /* GPUs */
    bool is_picky;                        /* not all nodes of its VC will do */
    int64_t steps_left, step_us, used_us; /* compat */
};

static inline struct hs_synergy_scratch *hs_synergy_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

#define HS_SYNERGY_EACH(job, chain_of, v)                                                          \
    for (hs_job_id job = (chain_of)->first; job != HS_NO_JOB;                                      \
         job = hs_synergy_of(v, job)->chain.after)

static inline struct hs_synergy_share hs_synergy_at_most(struct hs_synergy_share a,
                                                         struct hs_synergy_share b)
{
    return (struct hs_synergy_share){hs_smaller(a.cpus_milli, b.cpus_milli),
                                     hs_smaller(a.mem_mib, b.mem_mib)};
}

static inline bool hs_synergy_is_same(struct hs_synergy_share a, struct hs_synergy_share b)
{
    return a.cpus_milli == b.cpus_milli && a.mem_mib == b.mem_mib;
}

/* synergy_place.c: an empty cluster for a round; a place for a job with what its mechanism gives
 * it, at the cost of others under tune and opt. */
void hs_synergy_clear(struct hs_synergy *s, const struct hs_view *v);
/* synergy_opt.c: what so many jobs of `kept` want on an empty cluster. */
void hs_synergy_optimise(struct hs_synergy *s, const struct hs_view *v, uint32_t count);
/* What it wants: of one node no more than it has; of several the fair share. */
struct hs_synergy_share hs_synergy_demand(const struct hs_synergy *s, const struct hs_view *v,
                                          hs_job_id job);
bool hs_synergy_give(struct hs_synergy *s, const struct hs_view *v, hs_job_id job);
