/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completes the jobs of a trace, before any policy sees them, by two filters on a job source:
 * records are returned in input order.
 *
 * The first gives each job a profile: the model it names; else a profile whose utilization is near
 * its telemetry; else a draw from a mix. The second adds attempts that fail before the recorded
 * run, as often and as late as in Philly: the recorded run time is the last attempt, failing ones
 * are added (Jeon et al., USENIX ATC 2019; further assumptions: assign.c).
 *
 *     HS_TRY(hs_assign_open(&a, source, &catalogue, &options, diag));
 *     hs_retry_open(&retry, hs_assign_source(a), seed);
 *     HS_TRY(hs_engine_run(engine, hs_retry_source(&retry)));
 *     hs_assign_get_counts(a, &counts);
 *
 * Draws are keyed by (seed, purpose, index of the job), so that policies do not affect them. Jobs
 * without GPUs get no profile and do not fail.
 */
#pragma once

#include "base/sample.h"
#include "model/speed.h"

enum hs_assign_mode {
    HS_ASSIGN_AUTO,      /* columns, else telemetry, else mix */
    HS_ASSIGN_COLUMNS,   /* only what the trace states */
    HS_ASSIGN_TELEMETRY, /* columns or telemetry; a utilization of 0 (idle) is ignored */
    HS_ASSIGN_MIX,       /* mix for every job, whatever the trace states */
    HS_ASSIGN_OFF,
};

/* The value if the trace, the profile and the family of the profile state none. */
enum hs_unknown {
    HS_UNKNOWN_KEPT, /* unknown: no GPU is shared; GPUs have no stated memory */
    HS_UNKNOWN_FULL, /* a whole GPU: utilization 1, or memory that excludes other jobs */
    HS_UNKNOWN_DRAW, /* that of a random row of the catalogue that states it */
    HS_UNKNOWN_ERROR
};

/* Deadlines of jobs without a deadline in the trace. */
enum hs_deadlines {
    HS_DEADLINES_TRACE, /* none */
    HS_DEADLINES_GAVEL, /* 1.2, 2 or 10 times the run time after submission, with equal probability:
                           Narayanan et al., OSDI'20, generator of the released code */
    HS_DEADLINES_ELASTICFLOW, /* 0.5 to 1.5 times, uniform: Gu et al., ASPLOS'23,
                                 pkusys/ElasticFlow, trace_generator/generate_trace.py, which rounds
                                 to seconds */
};

/* Loss curves of jobs without one in the trace. */
enum hs_losses { HS_LOSSES_TRACE, HS_LOSSES_DRAW };

struct hs_assign_options {
    enum hs_assign_mode mode;
    enum hs_deadlines deadlines;
    enum hs_losses losses;
    uint64_t seed;
    double target_util; /* mean solo utilization of the mix, 0..1 */
    double sticky; /* probability to reuse the last profile of the user and size within a day */
    uint32_t mem_limit_mib; /* GPU memory: larger profiles are not drawn; 0 = none */
    const char *gpu; /* telemetry and mix draw from profiles measured on this type; NULL = the type
                        with the most profiles in the catalogue */
    enum hs_unknown unknown_util, unknown_mem;
    uint32_t mem_most_mib; /* memory of the largest GPU type */
    double load; /* factor by which the source divided gaps (--load), used to keep days and profiles
                    as recorded; 0 = 1 */
    /* Converts run times on gpu_type_ran to the reference type; NULL: unchanged. */
    struct hs_speed *speed;
};

#define HS_ASSIGN_EXAMPLE 160 /* bytes; longer names are truncated */

struct hs_assign_counts {
    uint64_t by_columns, by_telemetry, by_mix, none;
    uint64_t inexact; /* by_columns, but with another batch, dataset or precision */
    char inexact_example[HS_ASSIGN_EXAMPLE]; /* names in the first of them, as a key */
    char inexact_instead[HS_ASSIGN_EXAMPLE]; /* the profile used instead */
    uint64_t unknown_model;                  /* jobs with a model not in the catalogue */
    char unknown_example[64];
    uint64_t ran;              /* jobs with a GPU type that they ran on */
    uint64_t ran_unknown;      /* of those, of unknown speed there, where another may run them */
    char ran_example[64];      /* the first such type */
    struct hs_fractions utils; /* of jobs with GPUs, from the trace */
    uint64_t util_from[HS_FIGURE_FROM_COUNT], mem_from[HS_FIGURE_FROM_COUNT]; /* jobs with GPUs */
    uint64_t deadlines_drawn, losses_drawn, with_loss;
    uint64_t with_priority, with_deadline, with_range; /* jobs; priority not 0 */
    uint64_t classes[HS_JOB_CLASS_COUNT];
    int32_t least_priority, most_priority;
};

struct hs_assign;

/* HS_E_USAGE if no mix of the profiles reaches target_util: the message states what is possible. */
HS_MUST_USE enum hs_status hs_assign_open(struct hs_assign **assign, struct hs_job_source source,
                                          const struct hs_catalogue *catalogue,
                                          const struct hs_assign_options *options,
                                          struct hs_diag *diag);
/* Fills profile, and gpu_util_pm, gpu_mem_mib if the record has none (of a profile's value a share
 * of a GPU gets that share), their sources, and the peak utilization; if the profile is not from
 * columns also model, dataset, batch and precision. Idle utilizations are replaced by the mix, and
 * under HS_ASSIGN_MIX all utilization and memory of the record. The new texts belong to the
 * catalogue. Then a run time on gpu_type_ran is converted to work: times the speed of the profile
 * there, in whole microseconds, rounded half up; each attempt separately, and later_us. step_us is
 * unchanged. */
struct hs_job_source hs_assign_source(struct hs_assign *assign);
void hs_assign_get_counts(const struct hs_assign *assign, struct hs_assign_counts *counts);
void hs_assign_close(struct hs_assign *assign);

#define HS_RETRIES_MAX     3 /* Philly retries a job up to a fixed number */
#define HS_RETRY_CLASSES   4
#define HS_FAILURE_REASONS 6

struct hs_retry_counts {
    uint64_t jobs;     /* with failing attempts */
    uint64_t failures; /* failing attempts */
    int64_t added_us;  /* their total run time */
};

struct hs_retry {
    struct hs_job_source source;
    uint64_t seed, index;
    uint64_t fails_below[HS_RETRY_CLASSES], again_below[HS_RETRY_CLASSES]; /* of 2^32 */
    double spread[HS_FAILURE_REASONS]; /* standard deviation of the logarithm */
    uint32_t trials;
    int64_t attempts_us[HS_RETRIES_MAX + 1]; /* of the record returned */
    struct hs_retry_counts counts;
};

void hs_retry_open(struct hs_retry *retry, struct hs_job_source source, uint64_t seed);
/* Sets attempts_us and attempts of jobs that fail, and adds failed attempts to the duration. */
struct hs_job_source hs_retry_source(struct hs_retry *retry);
