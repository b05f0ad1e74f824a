/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of shared GPUs: from the record of which job was placed, throttled, paused, moved
 * and killed where and when, it computes the outcome of every job. Slow and plain, written from
 * MODEL.md 1 and 4 to 8 and the public headers alone: between any two changes all rates are
 * computed anew.
 *
 *     rates_play(&s);       // fills outcome and segments from jobs, nodes and plans
 *
 * Readings of the text where it leaves room:
 *   - A job that pays a cost holds its GPUs and slows no other, like a paused one.
 *   - Over GPU types a gang's speed is that of its slowest worker; its scaling with its GPUs and
 *     its slowdown by being spread, by as many as it holds, are those of the type on which both
 *     together are worst. It is spread when fewer of the nodes that it may use would hold as many.
 *   - A pair's speed 1 / S and every speed of a model are rounded down to Q32 once; their product
 *     is rounded down at its end.
 *   - The releases of a plan come first, then its placements, then its settings, each in its order.
 *     A job is to be killed if it is placed where there is not enough memory beside the jobs placed
 *     there by then, or if its limit is raised above what there is; it is safe once there is room
 *     for it beside the jobs placed before it, at the end of an instant or at the moment of the
 *     kill.
 *   - A killed attempt is undone: work and owed cost are those at its start.
 *   - Cap and slice group end with the placement, also when the job is moved; a memory limit stays
 *     until it is lifted.
 */
#ifndef HORUS_TESTS_REFRATES_H
#define HORUS_TESTS_REFRATES_H

#include <stdbool.h>
#include <stdint.h>

#include "refslow.h"

#define RATES_JOBS_MAX     8
#define RATES_GPUS_MAX     8
#define RATES_NODES_MAX    4
#define RATES_PROFILES_MAX 8
#define RATES_ACTIONS_MAX  32
#define RATES_PLANS_MAX    400
#define RATES_SEGMENTS_MAX 512

enum rates_kind {
    RATES_START,
    RATES_PREEMPT,
    RATES_MIGRATE,
    RATES_PAUSE,
    RATES_RESUME,
    RATES_SLICE,
    RATES_CAP,
    RATES_LIMIT,
    RATES_KILL,
};

struct rates_action {
    enum rates_kind kind;
    int job;
    int gpus[RATES_GPUS_MAX], gpu_count; /* START, MIGRATE; ascending */
    int64_t cost_us;                     /* PREEMPT, MIGRATE */
    long double value;                   /* share, cap */
    int slice_group;
    int64_t mib; /* LIMIT; 0 = none */
};

struct rates_plan {
    int64_t time_us;
    int count;
    struct rates_action actions[RATES_ACTIONS_MAX];
};

/* Speeds of one profile (or, last, of jobs without a profile) on one GPU type. */
struct rates_speed {
    long double speed;
    int sizes;   /* gangs measured, ascending; 0 = unknown: linear */
    int spreads; /* the same of spread ones; 0 = unknown: factor 1 */
    int size[3];
    long double efficiency[3], spread[3];
};

struct rates_job {
    int gpus;
    int64_t duration_us;
    int profile; /* REF_NO_PROFILE = none */
    int util_pm; /* -1 = unknown */
    int64_t mem_mib;
    int type; /* the only one it may use; -1 = any */
};

enum rates_end { RATES_FINISHED, RATES_PREEMPTED, RATES_MIGRATED, RATES_KILLED, RATES_OOM };

struct rates_segment {
    int job;
    int64_t start_us, end_us, done_ns;
    int gpus[RATES_GPUS_MAX], gpu_count;
    int max_tenants;
    enum rates_end ended_by;
    long double end_error_us, done_error_ns;
};

struct rates_outcome {
    int64_t start_us, end_us, run_us, overhead_us, lost_ns, done_ns; /* times: -1 = never */
    int preemptions, migrations, ooms;
    bool is_failed;
    long double end_error_us, run_error_us, done_error_ns; /* see rates_play */
};

struct rates_scenario {
    int nodes, node_gpus[RATES_NODES_MAX], node_type[RATES_NODES_MAX];
    int64_t type_mem_mib[REF_TYPES_MAX], reserve_mib, oom_delay_us, startup_us;
    struct rates_speed speed[RATES_PROFILES_MAX + 1][REF_TYPES_MAX];
    const struct ref_slow_model *slow;
    long double capacity; /* of a GPU that two or more share; INFINITY = no limit */
    int job_count;
    struct rates_job jobs[RATES_JOBS_MAX];
    int plan_count;
    struct rates_plan plans[RATES_PLANS_MAX];
    /* out */
    struct rates_outcome outcome[RATES_JOBS_MAX];
    int segment_count;
    struct rates_segment segments[RATES_SEGMENTS_MAX];
    /* An action names a job to which it cannot apply: it had ended, or not yet started. */
    bool is_confused;
};

/* The errors of the outcome bound the difference of a simulator whose rates are these but for their
 * rounding (refrates.c, rate), carried through progress, finishes and their effect on other jobs; 0
 * where is_exact. */
void rates_play(struct rates_scenario *s, bool is_exact);

#endif
