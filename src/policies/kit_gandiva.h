/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of Gandiva's scheduler, shared by the files kit_gandiva_*.c and policies/gandiva.c, and
 * what each of them does. A job belongs to one server at a time, whether it runs there or waits for
 * its turn; the ring of a server holds its units: single jobs, and groups of jobs packed on one
 * GPU, which go by their leader. Jobs that had to be spread over servers are in no ring: they keep
 * the GPUs they got, and those are out of the reach of the rings.
 *
 *     server  who belongs where; affinity, height, indexes over servers
 *     place   Algorithm 1: the server of a new job          queue  those that have none
 *     ring    turns by quanta (exact)                       fluid  the same by shares
 *     pack    trials of two units on one GPU                move   between servers
 *     grow    elastic jobs
 *
 * All bookkeeping is done when something is decided, within decide(); what is to run on a server is
 * settled once, at the end of it (hs_gandiva_settle).
 */
#ifndef HORUS_POLICIES_KIT_GANDIVA_H
#define HORUS_POLICIES_KIT_GANDIVA_H

#include "horus/compiler.h"
#include "policies/kit_gandiva_index.h"
#include "policies/kit_gandiva_shares.h"
#include "policies/kit_queue.h"
#include "policies/kit_sort.h"

enum hs_slicing { HS_SLICING_EXACT, HS_SLICING_FLUID, HS_SLICING_AUTO };
extern const char *const hs_slicing_names[];

#define HS_GANDIVA_ONE_Q32 (UINT64_C(1) << 32)
#define HS_GANDIVA_FAILED  8  /* pairings that did not do; then it is not tried again */
#define HS_GANDIVA_WIDEST  64 /* GPUs of a server that is sliced by shares */

struct hs_gandiva_server {
    uint32_t gpus, first_gpu, pool; /* pool: of who is on it */
    uint32_t affinity;              /* gang size it was opened for; 0 = none */
    uint32_t demand;                /* GPUs that its units ask for, and those of spread jobs */
    uint32_t pinned;                /* GPUs of spread jobs */
    uint32_t grown;                 /* GPUs that its jobs hold beyond what they asked for */
    uint32_t units, jobs, elastic;  /* elastic: jobs that could grow */
    uint32_t trials;                /* that are going on */
    uint32_t least, least_count;    /* smallest gang of its single jobs, and how many have it */
    uint32_t giants;                /* jobs of more memory than a GPU has, where that counts */
    hs_job_id head, tail;           /* of the ring */
    uint32_t counted_gpus, counted_free, counted_jobs; /* in the sums of its pool */
    uint32_t reserved; /* by moves, or a gang to be spread, that are thought about */
    int64_t alarm_us;  /* of the timer that is set; 0 = none */
    int64_t look_us;   /* when to look for jobs to pack; 0 = not before something changes */
    int64_t idle_since_us;
    bool is_dirty;   /* to be settled */
    bool is_changed; /* who belongs to it has changed since it was settled */
    bool is_over;    /* more is asked of it than it has */
    bool is_fluid;   /* it is sliced by shares */
    bool has_gained; /* GPUs fell free on it in this instant */
    bool may_burst;  /* the memory of some job changed since it was empty */
    bool has_split;  /* a group was taken apart in this instant: two units may share a GPU */
};

/* Of the jobs that may use the same servers: a virtual cluster, or all. */
struct hs_gandiva_pool {
    uint64_t gpus;        /* in all */
    uint64_t opened_gpus; /* of servers that somebody belongs to, */
    uint64_t free_gpus;   /* and what nobody asks for of these */
    uint32_t jobs;        /* that belong to a server or are spread */
    uint32_t sliced_jobs; /* on servers that are asked for more than they have */
    bool has_departure;   /* since the last scan of its queues */
    bool has_gained;      /* GPUs fell free in this instant */
    bool is_defrag_due;   /* something changed since the last look */
};

enum hs_gandiva_where {
    HS_GANDIVA_NOWHERE, /* a job without GPUs, or one that is over */
    HS_GANDIVA_WAITS,
    HS_GANDIVA_ON_SERVER,
    HS_GANDIVA_SPREAD,
};

/* Scratch of a job. */
struct hs_gandiva_job {
    struct hs_order_link queue;  /* first: of those that wait */
    struct hs_order_link spread; /* of spread jobs that one server could hold */
    uint32_t server;
    hs_job_id prev, next; /* in the ring, of leaders */
    hs_job_id leader;     /* itself unless it is packed with others */
    hs_job_id member;     /* the next of its group */
    uint32_t members;     /* of a leader */
    uint32_t unit;        /* number of its turn in the lane, while it runs */
    uint32_t held;        /* GPUs that it holds, */
    uint32_t gpu;         /* and the first of them */
    uint32_t first_pin;   /* first GPU of a spread job */
    uint32_t failed_count;
    uint64_t seats; /* GPUs that it holds, of its server, bit by bit */
    uint64_t share_q32;
    uint64_t alone_q32, packed_q32; /* rates that were measured; 0 = not yet */
    uint64_t failed[HS_GANDIVA_FAILED];
    int64_t joined_us;      /* its server */
    uint64_t touched;       /* number of the last plan that started, moved or suspended it */
    int64_t deadline_us;    /* end of its turn; 0 = none */
    int64_t ended_us;       /* end of the turn from which it is to be suspended; 0 = none */
    int64_t overshoot_us;   /* time that its next turn is shorter by */
    int64_t trial_until_us; /* of a leader; 0: not all of its group have run together yet */
    hs_job_id trial;        /* of a leader: who joined its group on trial */
    enum hs_gandiva_where where : 8;
    bool is_running : 1;   /* it holds GPUs, as the plan of this instant will have it */
    bool is_awaited : 1;   /* the end of its mini-batch */
    bool has_turn : 1;     /* of a leader: it was chosen to run */
    bool is_giant : 1;     /* in the sum of its server */
    bool is_regrouped : 1; /* since it was started it has changed its unit */
    bool is_elastic : 1;
};

/* A queue in a scan: who is tried next, and the largest gang without demands of its own that may
 * still fit. */
struct hs_gandiva_head {
    int64_t submit_us; /* of the job */
    uint64_t rank;
    hs_job_id job;
    uint64_t plain;
};

struct hs_gandiva {
    /* parameters */
    bool slices, packs, migrates, defrags, grows, arrival_front;
    int32_t slicing;
    int64_t fluid_above, max_height, max_pack, profile_steps;
    int64_t quantum_us, switch_us, introspect_us, trial_us, grow_idle_us;
    int64_t migrate_us, migrate_intra_us, migrate_inter_us; /* the last two for each GB */
    double keep_margin, defrag_free;
    /* state */
    uint64_t keep_q32;
    uint32_t defrag_ppm;
    uint64_t plan; /* number of the one that is being written, from 1 */
    struct hs_gandiva_server *servers;
    struct hs_gandiva_pool *pools;
    uint32_t server_count, pool_count, widest, narrowest;
    uint64_t max_speed_q32; /* of the fastest GPU type */
    bool has_priorities;    /* jobs of different priority have been seen */
    int32_t priority;       /* of the first job */
    bool has_job;
    /* by (pool, affinity, height): those that have an affinity; by (pool, GPUs nobody asks for);
     * by (pool, smallest gang of a single job, free GPUs), of those in excess of what they have;
     * by (pool, free GPUs, GPUs): those without affinity that are not empty and have some free */
    struct hs_gandiva_index by_height, by_free, by_excess, unlabelled;
    uint64_t *claimed;    /* per VC: GPUs that its jobs ask for on servers */
    uint32_t *pin_next;   /* per GPU: the next of the same spread job, */
    hs_job_id *pin_owner; /* + 1; 0 = none */
    uint32_t *dirty;      /* servers */
    uint32_t dirty_count, gained_count;
    uint32_t *gained;
    uint32_t unit;           /* last number given */
    struct hs_order *queues; /* per VC and gang size, the last one for all that are larger */
    uint64_t *waits;         /* bit per queue: somebody does */
    uint32_t *fresh;         /* queues that jobs came to in the instant of the last that came */
    uint32_t fresh_count;
    int64_t fresh_us;
    bool *has_arrival; /* per VC */
    uint32_t vcs, sizes;
    struct hs_gandiva_head *heads; /* scratch of a scan */
    struct hs_order spread;
    struct hs_gandiva_turn *ring; /* scratch, as long as a ring may be */
    struct hs_sort_entry *movers, *targets;
    uint32_t *span_nodes, *span_gpus; /* scratch of a gang that is spread */
    uint32_t span_count;
    uint32_t *levels; /* scratch, one a GPU of a server */
    int64_t defrag_alarm_us;
};

HS_MUST_USE enum hs_status hs_gandiva_init(struct hs_gandiva *g, const struct hs_view *v);
/* NULL, or the rule that is broken. */
const char *hs_gandiva_check(const struct hs_gandiva *g, const struct hs_view *v);

/* ---- server ---- */
struct hs_gandiva_job *hs_gandiva_job(const struct hs_view *v, hs_job_id job);
uint32_t hs_gandiva_pool_of(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job);
/* GPUs that nobody asks for; below 0: in excess. */
int64_t hs_gandiva_free(const struct hs_gandiva_server *s);
bool hs_gandiva_is_empty(const struct hs_gandiva_server *s);
bool hs_gandiva_is_usable(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                          uint32_t server);
/* Has the server, as far as CPU and host memory go, room for so many workers of the job now? */
bool hs_gandiva_has_workers(const struct hs_view *v, hs_job_id job, uint32_t server, uint32_t gpus);
/* Keys of the indexes. */
uint64_t hs_gandiva_free_key(uint32_t pool, int64_t free_gpus);
uint64_t hs_gandiva_class_key(const struct hs_gandiva *g, uint32_t pool, uint32_t size);
/* Brings indexes and sums up to date, after anything below. */
void hs_gandiva_refresh(struct hs_gandiva *g, uint32_t server);
void hs_gandiva_touch(struct hs_gandiva *g, uint32_t server);
/* The job becomes a unit of the server; it does not run yet. */
void hs_gandiva_join(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job, uint32_t server);
/* It belongs to no server any more, wherever it was; how it got its GPUs is forgotten. */
void hs_gandiva_leave(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job);
/* One job, alone in its unit, joins the group of another leader of the server; and leaves it. */
void hs_gandiva_merge(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                      hs_job_id leader);
void hs_gandiva_split(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job);
void hs_gandiva_to_tail(struct hs_gandiva *g, const struct hs_view *v, hs_job_id leader);
void hs_gandiva_pin(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job, uint32_t server,
                    uint32_t gpus);

/* ---- seat: the only places where a job gets GPUs or loses them ---- */
enum hs_gandiva_how { HS_GANDIVA_START, HS_GANDIVA_RESTART, HS_GANDIVA_MIGRATE };
/* Onto these GPUs of its server: from none, or from others of it, at the cost of a switch. */
void hs_gandiva_seat(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                     hs_job_id job, enum hs_gandiva_how how, const uint32_t *gpus, uint32_t count);
/* Onto idle ones of its server, lowest first, of which there are enough; MIGRATE: from anywhere,
 * what it gives up included, with a pause. */
void hs_gandiva_seat_idle(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                          hs_job_id job, enum hs_gandiva_how how, int64_t pause_us, uint32_t count);
void hs_gandiva_suspend(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                        hs_job_id job);
int64_t hs_gandiva_pause_us(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                            bool is_across);

/* ---- place, queue ---- */
bool hs_gandiva_place(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                      hs_job_id job);
/* An empty server of the pool for a gang of at most a server's size: the smallest that will do. */
uint32_t hs_gandiva_empty_server(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                                 uint32_t gpus);
/* GPUs of the job's pool that nobody asks for. */
uint64_t hs_gandiva_room(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job);
/* Does the quota of its VC allow it? */
bool hs_gandiva_is_within_quota(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job);
/* The server with fewest GPUs that nobody asks for, but enough. */
uint32_t hs_gandiva_best_fit(const struct hs_gandiva *g, const struct hs_view *v, hs_job_id job,
                             uint32_t gpus);
void hs_gandiva_enqueue(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job);
void hs_gandiva_dequeue(struct hs_gandiva *g, const struct hs_view *v, hs_job_id job);
/* Places who can be placed, in order of submission. */
void hs_gandiva_scan(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p);

/* ---- ring, fluid ---- */
/* Turns that are over. */
void hs_gandiva_end_turns(struct hs_gandiva *g, const struct hs_view *v, uint32_t server);
/* Who runs on the server from now on. */
void hs_gandiva_dispatch(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                         uint32_t server);
void hs_gandiva_share_out(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                          uint32_t server);

/* ---- pack ---- */
bool hs_gandiva_fits_gpu(const struct hs_view *v, uint32_t gpu, uint64_t mem_mib);
/* Predicted, of all members. */
uint64_t hs_gandiva_unit_mib(const struct hs_view *v, hs_job_id leader);
/* What the job does now, per second that it runs. */
void hs_gandiva_measure(const struct hs_view *v, hs_job_id job);
void hs_gandiva_judge_trials(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                             uint32_t server);
void hs_gandiva_look_for_pairs(struct hs_gandiva *g, const struct hs_view *v, uint32_t server);
/* The next time at which the introspection looks, after `at_us`. */
int64_t hs_gandiva_next_look_us(const struct hs_gandiva *g, int64_t at_us);
/* Where a group has outgrown a GPU, those of it who do not run with the others leave it. */
void hs_gandiva_break_up(struct hs_gandiva *g, const struct hs_view *v, uint32_t server);

/* ---- move ---- */
/* True when somebody moved. */
bool hs_gandiva_reduce_heights(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                               uint32_t pool);
bool hs_gandiva_gather(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p);
void hs_gandiva_defragment(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                           uint32_t pool);

/* ---- grow ---- */
/* So many GPUs of the server are to be idle; jobs that have grown give back what it takes, or all.
 */
void hs_gandiva_reclaim(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                        uint32_t server, uint32_t gpus, bool takes_all);
int64_t hs_gandiva_grow_at_us(const struct hs_gandiva *g, const struct hs_view *v, uint32_t server);
void hs_gandiva_grow(struct hs_gandiva *g, const struct hs_view *v, struct hs_plan *p,
                     uint32_t server);

#endif
