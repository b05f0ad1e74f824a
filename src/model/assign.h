/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a trace does not say of its jobs, decided once, before any policy sees them, by two filters
 * on a job source: records come out in the order they go in.
 *
 * The first gives each job a profile: the model it names; else the profile whose utilization is
 * near the telemetry it carries; else a draw from a mix. The second gives jobs attempts that fail
 * before the run that was recorded, as often and as late as on Philly: the recorded run time is the
 * last attempt, those that fail come on top of it (Jeon et al., USENIX ATC 2019; what they leave
 * open is in assign.c).
 *
 *     HS_TRY(hs_assign_open(&a, source, &catalogue, &options, diag));
 *     hs_retry_open(&retry, hs_assign_source(a), seed);
 *     HS_TRY(hs_engine_run(engine, hs_retry_source(&retry)));
 *     hs_assign_get_counts(a, &counts);
 *
 * Draws are keyed by (seed, purpose, index of the job): nothing a policy does shifts them. Jobs
 * without GPUs get no profile, and do not fail.
 */
#pragma once

#include "base/sample.h"
#include "model/speed.h"

enum hs_assign_mode {
    HS_ASSIGN_AUTO,      /* columns, else telemetry, else mix */
    HS_ASSIGN_COLUMNS,   /* only what the trace names */
    HS_ASSIGN_TELEMETRY, /* columns or telemetry; a utilization of 0 is idle, it tells nothing */
    HS_ASSIGN_MIX,       /* mix for every job, whatever the trace says */
    HS_ASSIGN_OFF,
};

/* What a figure is that neither the trace nor a profile tells, nor the family of the profile. */
enum hs_unknown {
    HS_UNKNOWN_KEPT, /* unknown: no GPU is shared, or GPUs have no stated memory */
    HS_UNKNOWN_FULL, /* a whole GPU: utilization 1, or memory that leaves room for no other job */
    HS_UNKNOWN_DRAW, /* that of a row of the catalogue in which it is known, all alike */
    HS_UNKNOWN_ERROR
};

/* Deadlines of jobs that the trace gives none. */
enum hs_deadlines {
    HS_DEADLINES_TRACE, /* none */
    HS_DEADLINES_GAVEL, /* 1.2, 2 or 10 times the run time from the submission on, a third each:
                           Narayanan et al., OSDI'20, generator of the released code */
};

struct hs_assign_options {
    enum hs_assign_mode mode;
    enum hs_deadlines deadlines;
    uint64_t seed;
    double target_util;     /* mean solo utilization of the mix, 0..1 */
    double sticky;          /* chance of the profile before, of that user and size in a day */
    uint32_t mem_limit_mib; /* memory of the GPUs: larger profiles are not drawn; 0 = none */
    const char *gpu;        /* telemetry and mix draw from profiles measured on this type; NULL =
                               the type with the most of them in the catalogue */
    enum hs_unknown unknown_util, unknown_mem;
    uint32_t mem_most_mib;  /* memory of the largest GPU type */
    double load;            /* by which the source divided its gaps (--load), so that a day stays a
                               recorded day and jobs their profiles; 0 = 1 */
    struct hs_speed *speed; /* makes run times on gpu_type_ran those on the reference type; NULL:
                               they stay */
};

#define HS_ASSIGN_EXAMPLE 160 /* of text; longer names are cut */

struct hs_assign_counts {
    uint64_t by_columns, by_telemetry, by_mix, none;
    uint64_t inexact; /* by_columns: another batch, dataset or precision than the job names */
    char inexact_example[HS_ASSIGN_EXAMPLE]; /* what the first of them names, as a key */
    char inexact_instead[HS_ASSIGN_EXAMPLE]; /* the profile that stands for it */
    uint64_t unknown_model;                  /* named a model that the catalogue does not know */
    char unknown_example[64];
    uint64_t ran, ran_unknown; /* named a GPU type that they ran on; with a speed not known there */
    char ran_example[64];      /* the first such type */
    struct hs_fractions utils; /* of the jobs on GPUs, as the trace has them */
    uint64_t util_from[HS_FIGURE_FROM_COUNT], mem_from[HS_FIGURE_FROM_COUNT]; /* jobs on GPUs */
    uint64_t deadlines_drawn;
    uint64_t with_priority, with_deadline, classes[HS_JOB_CLASS_COUNT]; /* jobs; priority not 0 */
    int32_t least_priority, most_priority;
};

struct hs_assign;

/* HS_E_USAGE when no mix of the profiles reaches target_util: the message tells what can be. */
HS_MUST_USE enum hs_status hs_assign_open(struct hs_assign **assign, struct hs_job_source source,
                                          const struct hs_catalogue *catalogue,
                                          const struct hs_assign_options *options,
                                          struct hs_diag *diag);
/* Fills profile, and gpu_util_pm, gpu_mem_mib where the record has none (a profile is of a whole
 * GPU: of a share they are as much less) and what they come from; the peak of the utilization;
 * unless the profile came by columns also model, dataset, batch and precision. Idle utilizations
 * give way to the mix, and under HS_ASSIGN_MIX so does all that the record says of utilization and
 * memory. The new texts are those of the catalogue. Then a run time on gpu_type_ran becomes work:
 * times the speed of the profile there, whole microseconds, rounded half up; attempts one by one,
 * and later_us. step_us stays. */
struct hs_job_source hs_assign_source(struct hs_assign *assign);
void hs_assign_get_counts(const struct hs_assign *assign, struct hs_assign_counts *counts);
void hs_assign_close(struct hs_assign *assign);

#define HS_RETRIES_MAX     3 /* Philly tries a job again up to a fixed count */
#define HS_RETRY_CLASSES   4
#define HS_FAILURE_REASONS 6

struct hs_retry_counts {
    uint64_t jobs;     /* with attempts that fail */
    uint64_t failures; /* attempts that fail */
    int64_t added_us;  /* their run time */
};

struct hs_retry {
    struct hs_job_source source;
    uint64_t seed, index;
    uint64_t fails_below[HS_RETRY_CLASSES], again_below[HS_RETRY_CLASSES]; /* of 2^32 */
    double spread[HS_FAILURE_REASONS]; /* standard deviation of the logarithm */
    uint32_t trials;
    int64_t attempts_us[HS_RETRIES_MAX + 1]; /* of the record handed out */
    struct hs_retry_counts counts;
};

void hs_retry_open(struct hs_retry *retry, struct hs_job_source source, uint64_t seed);
/* Fills attempts_us and attempts of jobs that fail, and adds these to their duration. */
struct hs_job_source hs_retry_source(struct hs_retry *retry);
