/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of gavel share.
 *
 */
#pragma once

#include "policies/lib/allocation_map.h"
#include "policies/lib/place.h"
#include "policies/lib/vc_queues.h"

#define HS_GAVEL_ALLOX_JOBS 512       /* that allox looks at, the first to come */
#define HS_GAVEL_TYPES      8         /* of GPUs at most: each job has its figures by type */
#define HS_GAVEL_CLASSES    4096      /* of jobs that share GPUs; those of others run alone */
#define HS_GAVEL_PAIRS      (1 << 18) /* of jobs with a share, of all pools */
#define HS_GAVEL_COLUMNS    (1 << 16) /* of pairs of classes */
#define HS_GAVEL_GAIN_MIN   1e-6      /* less is noise: the solver's own tolerance is 1e-7 */

enum hs_gavel_objective {
    HS_GAVEL_LAS,        /* the least of the rates, each relative to an equal part of all GPUs */
    HS_GAVEL_FIFO,       /* no program */
    HS_GAVEL_ISOLATED,   /* an equal part of each type: no program */
    HS_GAVEL_FTF,        /* the largest finish time relative to that of an equal part */
    HS_GAVEL_MAKESPAN,   /* the time until the last job is done */
    HS_GAVEL_THROUGHPUT, /* the sum of the rates */
    HS_GAVEL_ALLOX,      /* the mean completion time of jobs of one GPU: no program */
};

struct hs_gavel_class {
    uint32_t members, gang;
    double weight;                /* las, */
    double level;                 /* and the rate of which it can have no more, as counted; 0: t */
    double speed[HS_GAVEL_TYPES]; /* rate at its gang, on any scale for las; 0 = cannot run */
    double left;                  /* makespan: work to do */
    double least;                 /* ftf: the least rate that is enough */
};

struct hs_gavel_program {
    struct hs_lp *lp;
    enum hs_gavel_objective objective;
    bool is_tight; /* makespan: no job more than it needs, as the simulator has it */
    uint32_t types;
    double gpus[HS_GAVEL_TYPES];
    uint32_t rows[HS_GAVEL_TYPES]; /* of the GPUs of each type */
    uint32_t goal;                 /* column of what is as large as possible; not throughput */
    uint32_t first_row;            /* of the first class; each has two: of its time, of its rate */
};

/* Two classes, by number in the order of the program, and the rates of a member of each beside one
 * of the other; number[0] = number[1]: two members of one class. */
struct hs_gavel_couple {
    const struct hs_gavel_class *of[2];
    uint32_t number[2], type;
    double rate[2];
};
/* What a unit of time of such pairs would add to the optimum of the solved program; the column of
 * their time in all. */
double hs_gavel_couple_gain(const struct hs_gavel_program *p, const struct hs_gavel_couple *c);
uint32_t hs_gavel_add_couple(struct hs_gavel_program *p, const struct hs_gavel_couple *c);
/* ---- the policy ---- */

struct hs_gavel {
    int32_t objective, placer, compat; /* the last: 0 = off */
    bool is_aware, refills, carries, joins, fills;
    int32_t share; /* 1: pairs */
    double threshold;
    int64_t round_us, reset_us, seed;
    struct hs_preempt_cost cost; /* parameters up to here */
    uint32_t types;
    uint32_t type_of[HS_GAVEL_TYPES]; /* of the cluster, by name */
    uint32_t pool_count;
    double second; /* in the unit of times received: microseconds, or, compat, seconds */
    struct hs_gavel_pool *pools; /* and one more: of jobs to reject */
    struct hs_vc_queues cpu_jobs;
    struct hs_gavel_allox *allox; /* its memory */
    struct hs_gavel_pairs *pairs; /* NULL: jobs run alone */
};

/* Two jobs that share GPUs of a type for a part of the time. */
struct hs_gavel_pair {
    hs_job_id job[2]; /* in order of arrival */
    uint32_t type;
    double share, got, deficit, priority; /* as of a job */
};

struct hs_gavel_pool {
    struct hs_job_chain jobs;
    uint64_t count;
    double gpus[HS_GAVEL_TYPES];
    double speeds[HS_GAVEL_TYPES]; /* sums over its jobs: the order of the types */
    double got[HS_GAVEL_TYPES];    /* time of all there, since the last solution */
    struct hs_gavel_pair *pairs;   /* with a share; none twice */
    uint32_t pair_count;
    int64_t boundary_us, next_us; /* of rounds: the last one; INT64_MAX = none is due */
    double now, solved;           /* of this decision, and of the last solution; < 0: never */
    bool is_dirty;                /* a job came or went since then */
    bool is_woken;                /* or since the last decision */
    bool has_failed;              /* the solver has: the run ends */
    /* compat */
    double end;          /* of the last job of the last round */
    bool is_running;     /* some ran in it */
    uint32_t ending;     /* jobs that end within it */
    uint32_t last_ended; /* see ended */
};

struct hs_gavel_scratch {
    union {
        struct hs_job_queue_link queue; /* of a CPU job */
        struct hs_job_chain_link chain;
    };
    double speed[HS_GAVEL_TYPES]; /* predicted, or 1; 0 = cannot run there */
    double share[HS_GAVEL_TYPES], got[HS_GAVEL_TYPES], deficit[HS_GAVEL_TYPES]; /* times */
    double priority;         /* on the type that is looked at */
    double left_us, base_us; /* at the last solution: work to do; ftf: the time that what is done
                                takes with an equal part, */
    double isolated;         /* and the rate of such a part since */
    int64_t since_us;        /* counted up to then */
    uint32_t first_column, pool;
    uint8_t held, chosen;      /* type; HS_GAVEL_TYPES = none */
    bool stays;                /* on the GPUs that it holds, in this decision */
    hs_job_id beside, mate;    /* shares its GPUs now; is to share them; HS_NO_JOB */
    uint32_t first_allocation; /* with pairs */
    /* compat */
    uint8_t failures;            /* rounds in a row in which it did nothing */
    bool is_unsolved;            /* it came after the last solution */
    bool is_ending;              /* within this round */
    double steps, done;          /* whole numbers */
    double steps_per_s;          /* on the reference type */
    double round_steps, round_s; /* of this round, that it does and works */
    uint32_t ended; /* jobs with a share that ended since the last solution, and stood between
                       it and the one with a share before it */
};

static inline struct hs_gavel_scratch *hs_gavel_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

static inline hs_job_id hs_gavel_next(const struct hs_view *v, hs_job_id job)
{
    return hs_gavel_of(v, job)->chain.after;
}

static inline struct hs_gavel_pool *hs_gavel_pool_of(const struct hs_gavel *g,
                                                     const struct hs_view *v, hs_job_id job)
{
    return &g->pools[hs_gavel_of(v, job)->pool];
}

/* Whether shares depend on what jobs have left to do. */
static inline bool hs_gavel_needs_left(const struct hs_gavel *g)
{
    return g->objective == HS_GAVEL_FTF || g->objective == HS_GAVEL_MAKESPAN ||
           g->objective == HS_GAVEL_ALLOX;
}

static inline bool hs_gavel_fills(const struct hs_gavel *g)
{
    return g->fills && g->objective == HS_GAVEL_LAS;
}

/* What each job and each pair has got at the beginning. */
static inline double hs_gavel_half_round(const struct hs_gavel *g)
{
    return .5 * (double)g->round_us / 1e6 * g->second;
}

/* Whether jobs may share GPUs; equal parts and matchings are of single jobs. */
static inline bool hs_gavel_has_pairs(const struct hs_gavel *g)
{
    return g->share != 0 && g->objective != HS_GAVEL_ISOLATED && g->objective != HS_GAVEL_ALLOX;
}

/* gavel_shares.c: gives each job of a pool its shares. */
void hs_gavel_solve(const struct hs_gavel *g, struct hs_gavel_pool *pool, const struct hs_view *v);
hs_job_chain_order hs_gavel_by_arrival;

/* Memory of objective=allox. */
#define HS_GAVEL_PLACES (HS_GAVEL_TYPES * 2 * HS_GAVEL_ALLOX_JOBS)

struct hs_gavel_place {
    uint32_t type, gpu, number; /* number from the end: 1 is the last */
};

struct hs_gavel_allox {
    uint32_t jobs, places;
    hs_job_id job[HS_GAVEL_ALLOX_JOBS];
    double time[HS_GAVEL_ALLOX_JOBS][HS_GAVEL_TYPES]; /* work left by speed; INFINITY: not there */
    double age[HS_GAVEL_ALLOX_JOBS]; /* compat: part of every cost, and of what is rounded off */
    double job_price[HS_GAVEL_ALLOX_JOBS];
    struct hs_gavel_place place[HS_GAVEL_PLACES];
    double price[HS_GAVEL_PLACES], distance[HS_GAVEL_PLACES];
    uint32_t taken_by[HS_GAVEL_PLACES]; /* row of jobs; NONE */
    uint32_t before[HS_GAVEL_PLACES];   /* on the path: place; NONE = its start */
    uint32_t left[HS_GAVEL_PLACES];     /* that no path has reached */
    uint32_t first[HS_GAVEL_PLACES];    /* by GPU: the place of its first job; NONE */
};

/* gavel_pairs.c */
struct hs_gavel_column { /* of the linear program */
    uint32_t number[2], type, column;
};
struct hs_gavel_pairs {
    uint32_t capacity_mib[HS_GAVEL_TYPES], most; /* pairs of a pool */
    struct hs_allocation_map map;
    struct hs_gavel_pair *old; /* of the last solution, by their jobs */
    uint32_t old_count;
    /* of this solution */
    uint32_t classes, columns;
    hs_job_id first[HS_GAVEL_CLASSES]; /* member of each class; the others follow in the chain */
    struct hs_gavel_class class_of[HS_GAVEL_CLASSES];
    struct hs_gavel_column column[HS_GAVEL_COLUMNS];
};
enum hs_status hs_gavel_pairs_init(struct hs_gavel *g, const struct hs_view *v);
/* A solution: begin; then for each class its number, or none; the program of the classes is solved
 * with pairs of them; members of those that have time get shares. */
void hs_gavel_pairs_begin(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                          const struct hs_view *v);
enum hs_lp_status hs_gavel_pairs_solve(const struct hs_gavel *g, const struct hs_view *v,
                                       struct hs_gavel_program *program);
void hs_gavel_pairs_read(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                         const struct hs_view *v, const struct hs_gavel_program *program);
/* fifo: jobs without a share, in order, beside those with one. */
void hs_gavel_pairs_by_arrival(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                               const struct hs_view *v);
/* Those of a type first, in the order of by_priority. */
void hs_gavel_pairs_sort(struct hs_gavel_pool *pool, const struct hs_view *v, uint32_t type);
/* Counts the time of pairs that run, up to now. */
void hs_gavel_pairs_account(struct hs_gavel_pool *pool, const struct hs_view *v);
/* A job takes the GPUs that the plan gave it last, or, if `holder` is a job, those of that one:
 * false if it may not. Leaves them; and its pairs. */
bool hs_gavel_pairs_take(const struct hs_gavel *g, const struct hs_view *v, struct hs_plan *p,
                         hs_job_id job, hs_job_id holder);
void hs_gavel_pairs_leave(const struct hs_gavel *g, const struct hs_view *v, hs_job_id job);
void hs_gavel_pairs_go(const struct hs_gavel *g, struct hs_gavel_pool *pool,
                       const struct hs_view *v, hs_job_id job);
