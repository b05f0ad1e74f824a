/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of Gandiva's scheduler (README.md says what it does):
 *
 *     gandiva.c          parameters, events, one decision, packing by trial, invariants
 *     gandiva_server.c   jobs of a server; GPUs given and taken; indexes over servers
 *     gandiva_place.c    Algorithm 1, and the queue of jobs that it finds no server for; moves
 *                        between servers, and growth on idle GPUs
 *     gandiva_slicing.c  turns on a server, by quanta or as shares of time
 *
 * A job belongs to one server at a time, whether it runs there or waits for its turn. The ring of a
 * server holds its units in the order of turns: a unit is a job, or a group of jobs packed on one
 * GPU, named by its leader. A spread job is a gang over several servers: in no ring, its GPUs are
 * pinned. Demand counts requested GPUs, of jobs that run and jobs that wait for a turn alike; free
 * GPUs are those without demand, which may be fewer than are idle at an instant. A server is
 * over-subscribed when its demand exceeds its GPUs. What runs on the servers that changed is
 * settled once, at the end of the decision.
 */
#pragma once

#include "policies/lib/place.h"
#include "policies/lib/vc_queues.h"

/* Servers in order of (key, rank): a sorted array. */
struct hs_gandiva_index {
    struct hs_gandiva_entry {
        uint64_t key;
        uint32_t server;
    } * at;
    uint64_t *keys;        /* key of each server; UINT64_MAX: not in the index */
    const uint32_t *ranks; /* of each server: its number, or by types != any that by kind of node */
    uint32_t count;
};

/* A unit of a ring, while shares of time are computed. */
struct hs_gandiva_turn {
    uint32_t gpus;
    int64_t priority;
    uint64_t share_q32; /* result; 0: it never gets a turn */
    /* memory: turns of the unit, now and at the last check */
    uint32_t turns, turns_before;
    bool runs;
    uint32_t unit, unit_before, unit_next;
};

enum hs_slicing { HS_SLICING_EXACT, HS_SLICING_PROCESSOR_SHARING, HS_SLICING_AUTO };

#define HS_GANDIVA_FIXED                                                                           \
    (INT64_C(1) << 31) /* precedence of a unit that must run: above all priorities */
#define HS_GANDIVA_ONE_Q32 (UINT64_C(1) << 32)
#define HS_GANDIVA_FAILED  8  /* a job is not packed any more after so many failed trials */
#define HS_GANDIVA_WIDEST  64 /* largest server that is sliced by shares, GPUs */

struct hs_gandiva_server {
    uint32_t gpus, first_gpu, pool; /* pool: the pool of the jobs on it */
    uint32_t affinity;              /* gang size that it was opened for; 0 = none */
    uint32_t demand;                /* GPUs demanded by its units and held by spread jobs */
    uint32_t pinned;                /* GPUs held by spread jobs */
    uint32_t grown;                 /* GPUs that its jobs hold beyond their demand */
    uint32_t units, jobs, elastic;  /* elastic: jobs that can still grow */
    uint32_t trials;                /* trials in progress */
    uint32_t giants; /* jobs that need more memory than a GPU has; kept where shares are possible */
    struct hs_job_chain ring;                          /* leaders of its units */
    uint32_t counted_gpus, counted_free, counted_jobs; /* what its pool counts of it at present */
    uint32_t reserved; /* GPUs set aside for moves or for a spread gang being placed */
    int64_t alarm_us;  /* time of the timer that is set; 0 = none */
    int64_t look_us;   /* next time to look for jobs to pack; 0 = after the next event */
    int64_t idle_since_us;
    bool is_dirty;             /* in the list of servers to be settled */
    bool is_changed;           /* its jobs have changed since it was settled */
    bool is_over;              /* demand exceeds its GPUs */
    bool is_processor_sharing; /* sliced by shares of time, not by turns */
    bool has_gained;           /* GPUs became free on it in this instant */
    bool may_burst;            /* the memory of a job has changed since the server was empty */
    bool has_split;            /* a group was split in this instant: two units may hold one GPU */
};

/* The jobs that may use the same servers: those of a virtual cluster, or all. */
struct hs_gandiva_pool {
    uint64_t gpus;                   /* GPUs of the pool */
    uint64_t opened_gpus;            /* GPUs of servers with jobs */
    uint64_t free_gpus;              /* GPUs of these without demand */
    uint32_t jobs;                   /* jobs on a server, or spread */
    uint32_t sliced_jobs;            /* jobs on over-subscribed servers */
    bool has_arrival, has_departure; /* since the last scan of its queues */
    bool has_gained;                 /* GPUs became free in this instant */
    bool is_defrag_due;              /* an event happened since the last defragmentation */
};

enum hs_gandiva_where {
    HS_GANDIVA_NOWHERE, /* a job without GPUs, or one that has ended */
    HS_GANDIVA_WAITS,
    HS_GANDIVA_ON_SERVER,
    HS_GANDIVA_SPREAD,
};

/* The scratch of a job. */
struct hs_gandiva_job {
    struct hs_job_queue_link queue;  /* first member: link of the waiting queue */
    struct hs_job_queue_link spread; /* link among spread jobs that one server could hold */
    uint32_t server;
    struct hs_job_chain_link ring; /* link of a leader in the ring of its server */
    hs_job_id leader;              /* leader of its group; itself unless it is packed */
    hs_job_id member;              /* next member of its group */
    uint32_t members;              /* of a leader: size of the group */
    uint32_t set;                  /* coscheduled set in its slice group, while it runs */
    uint32_t held;                 /* number of GPUs that it holds */
    uint32_t gpu;                  /* the first of them */
    uint32_t first_pin;            /* of a spread job: its first GPU */
    uint32_t failed_count;
    uint64_t gpu_bits; /* set of the GPUs of its server that it holds */
    uint64_t share_q32;
    uint64_t alone_q32, packed_q32; /* measured rates; 0 = not measured yet */
    uint64_t failed[HS_GANDIVA_FAILED];
    int64_t joined_us;      /* when it joined its server */
    uint64_t touched;       /* number of the last plan that started, moved or suspended it */
    int64_t deadline_us;    /* end of its turn; 0 = none */
    int64_t ended_us;       /* end of the turn after which it is to be suspended; 0 = none */
    int64_t overshoot_us;   /* time by which its last turn was too long: the next is shorter */
    int64_t trial_until_us; /* of a leader: end of the trial; 0: not all members have run together
                               yet */
    hs_job_id trial;        /* of a leader: the member on trial */
    enum hs_gandiva_where where : 8;
    bool is_running : 1;   /* holds GPUs according to the plan of this instant */
    bool is_awaited : 1;   /* the end of its mini-batch is awaited */
    bool has_turn : 1;     /* of a leader: chosen to run */
    bool is_giant : 1;     /* counted in giants of its server */
    bool is_regrouped : 1; /* it has changed its unit since its start */
    bool is_elastic : 1;
};

struct hs_gandiva {
    /* parameters */
    bool slices, packs, migrates, defrags, grows, arrival_front;
    int32_t slicing, types;
    int64_t fluid_above, max_height, max_pack, profile_steps;
    int64_t quantum_us, switch_us, introspect_us, trial_us, grow_idle_us;
    int64_t migrate_us, migrate_intra_us, migrate_inter_us; /* the last two are per GB */
    double keep_margin, defrag_free;
    /* state */
    const struct hs_view *v;
    struct hs_plan *p; /* plan of the present decision */
    uint64_t keep_q32;
    uint32_t defrag_ppm;
    uint64_t plan; /* number of the present plan, from 1 */
    struct hs_gandiva_server *servers;
    struct hs_gandiva_pool *pools;
    uint32_t server_count, pool_count, widest, narrowest;
    uint64_t max_speed_q32; /* speed of the fastest GPU type */
    bool has_priorities;    /* jobs of different priorities were submitted */
    int32_t priority;       /* priority of the first job */
    bool has_job;
    struct hs_gandiva_index by_height; /* (pool, affinity, height): servers with an affinity */
    struct hs_gandiva_index by_free;   /* (pool, free GPUs): servers that are not empty */
    /* (pool, smallest unpacked job, free GPUs): over-subscribed servers. */
    struct hs_gandiva_index by_excess;
    /* (pool, free GPUs, GPUs): servers with free GPUs and no affinity. */
    struct hs_gandiva_index unlabelled;
    uint64_t *claimed;    /* per VC: GPUs demanded by its placed jobs */
    uint32_t *pin_next;   /* per GPU: next GPU of the same spread job */
    hs_job_id *pin_owner; /* per GPU: spread job + 1; 0 = none */
    uint32_t *dirty;      /* servers to be settled */
    uint32_t dirty_count, gained_count;
    uint32_t *gained;            /* servers on which GPUs became free */
    uint32_t last_set;           /* last number given to a coscheduled set */
    struct hs_job_queue *queues; /* per VC and gang size; the last one is for all larger gangs */
    uint64_t *waits;             /* set of the queues with jobs */
    uint32_t vcs, sizes;
    struct hs_merge_head *heads; /* memory of a scan */
    uint64_t *limits;            /* per queue, during a scan: the largest gang that may fit */
    struct hs_job_queue spread;
    struct hs_gandiva_turn *turns; /* memory for a ring */
    struct hs_job_place *movers, *targets;
    uint32_t *span_nodes, *span_gpus; /* memory for the parts of a spread gang */
    uint32_t span_count;
    uint32_t levels[HS_GANDIVA_WIDEST]; /* memory: one entry per GPU of a server */
    int64_t defrag_alarm_us;
};

static inline struct hs_gandiva_job *hs_gandiva_job(const struct hs_gandiva *g, hs_job_id job)
{
    return hs_view_scratch(g->v, job);
}

/* Free GPUs; negative: the excess of demand. */
static inline int64_t hs_gandiva_free(const struct hs_gandiva_server *s)
{
    return (int64_t)s->gpus - s->demand;
}

static inline bool hs_gandiva_is_empty(const struct hs_gandiva_server *s)
{
    return s->units == 0 && s->pinned == 0;
}

/* ---- gandiva_server.c ---- */

void hs_gandiva_servers_init(struct hs_gandiva *g);
/* Position of the first server with at least this key; `count` if there is none. */
uint32_t hs_gandiva_index_from(const struct hs_gandiva_index *set, uint64_t key);

uint32_t hs_gandiva_pool_of(const struct hs_gandiva *g, hs_job_id job);
/* Whether the server has CPUs and host memory for so many workers of the job now. */
bool hs_gandiva_has_workers(const struct hs_gandiva *g, hs_job_id job, uint32_t server,
                            uint32_t gpus);
/* Keys of the indexes: (pool, free GPUs), of which INT32_MIN is the least; (pool, size, 0). */
uint64_t hs_gandiva_free_key(uint32_t pool, int64_t free_gpus);
uint64_t hs_gandiva_class_key(const struct hs_gandiva *g, uint32_t pool, uint32_t size);
/* Brings indexes and sums up to date after a change. O(servers between its places), and O(ring)
 * for an over-subscribed server. */
void hs_gandiva_refresh(struct hs_gandiva *g, uint32_t server);
/* Marks the server to be settled in this decision. */
void hs_gandiva_touch(struct hs_gandiva *g, uint32_t server);
/* Adds the job to the server as a unit of its own; it does not run yet. */
void hs_gandiva_join(struct hs_gandiva *g, hs_job_id job, uint32_t server);
/* Removes the job from its server, or from all servers over which it is spread. */
void hs_gandiva_leave(struct hs_gandiva *g, hs_job_id job);
/* Adds a single job to the group of another leader of the server, and removes it from a group. */
void hs_gandiva_merge(struct hs_gandiva *g, hs_job_id job, hs_job_id leader);
void hs_gandiva_split(struct hs_gandiva *g, hs_job_id job);
/* Moves a unit to the tail of its ring. */
void hs_gandiva_to_tail(struct hs_gandiva *g, hs_job_id leader);

/* Gives a job of a ring GPUs of its server: these, or idle ones, lowest first, of which there are
 * enough (gpus NULL). RESTART: in place of others of the server, at the cost of a switch; MOVE,
 * RESIZE: in place of others, of another or the same server, which count as idle, with a pause. */
enum hs_gandiva_how { HS_GANDIVA_START, HS_GANDIVA_RESTART, HS_GANDIVA_MOVE, HS_GANDIVA_RESIZE };
void hs_gandiva_allocate(struct hs_gandiva *g, hs_job_id job, enum hs_gandiva_how how,
                         const uint32_t *gpus, uint32_t count);
/* Suspends the job and records its present rate. */
void hs_gandiva_suspend(struct hs_gandiva *g, hs_job_id job);
/* Pause of a migration, by the size of the checkpoint. */
int64_t hs_gandiva_pause_us(const struct hs_gandiva *g, hs_job_id job, bool is_across);

/* Sum of the predicted memory of all members. */
uint64_t hs_gandiva_unit_mib(const struct hs_gandiva *g, hs_job_id leader);
bool hs_gandiva_fits_gpu(const struct hs_gandiva *g, uint32_t gpu, uint64_t mem_mib);
/* Whether some unit needs more memory than its GPU has. O(ring) if the memory of a job has changed.
 */
bool hs_gandiva_is_overfull(const struct hs_gandiva *g, const struct hs_gandiva_server *s);
/* Records the present rate of the job, per second that it runs; its rate alone once per server. */
void hs_gandiva_measure(const struct hs_gandiva *g, hs_job_id job);

/* ---- gandiva_place.c ---- */

void hs_gandiva_enqueue(struct hs_gandiva *g, hs_job_id job);
void hs_gandiva_dequeue(struct hs_gandiva *g, hs_job_id job);
/* Places all waiting jobs that can be placed, in order of submission. */
void hs_gandiva_scan(struct hs_gandiva *g);

/* ---- gandiva_slicing.c ---- */

/* Decides what runs on the server from now on. */
void hs_gandiva_slice(struct hs_gandiva *g, uint32_t server);

/* ---- gandiva_place.c ---- */

/* Both make one of the moves that are due; false if none is. */
bool hs_gandiva_reduce_height(struct hs_gandiva *g, uint32_t pool);
bool hs_gandiva_vacate_one(struct hs_gandiva *g, uint32_t pool);
void hs_gandiva_gather(struct hs_gandiva *g);
/* Shrinks jobs that have grown until so many GPUs are idle: only as many GPUs as that takes, or all
 * that they have grown by. */
void hs_gandiva_reclaim(struct hs_gandiva *g, uint32_t server, uint32_t gpus, bool takes_all);
void hs_gandiva_grow(struct hs_gandiva *g, uint32_t server);
