/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A job of a trace: the plain record that every reader yields, whatever its format, and from which
 * the engine makes a live job. Readers fill it; the stages between a reader and the engine (time
 * scaling, profiles, failures) change it in place.
 * Strings are borrowed from the reader and valid until its next record; NULL = not in the trace.
 * Times are microseconds. submit_us is on the trace's own clock (naive local time counted from
 * 1970-01-01, or the file's own origin); the engine shifts the first one to 0.
 */
#ifndef HORUS_TRACE_H
#define HORUS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "horus/loss.h"
#include "horus/status.h"

/* The outcome that the trace records: a label, it does not change how long the job runs. */
#define HS_OUTCOME_LIST(X)                                                                         \
    X(UNKNOWN, "unknown")                                                                          \
    X(COMPLETED, "completed")                                                                      \
    X(CANCELLED, "cancelled")                                                                      \
    X(FAILED, "failed")

enum hs_outcome {
#define HS_OUTCOME_ENUM(name, text) HS_OUTCOME_##name,
    HS_OUTCOME_LIST(HS_OUTCOME_ENUM)
#undef HS_OUTCOME_ENUM
        HS_OUTCOME_COUNT
};

const char *hs_outcome_text(enum hs_outcome outcome);

/* The service that a job requests: guaranteed in a quota, best effort, the scheduler's choice. */
#define HS_JOB_CLASS_LIST(X)                                                                       \
    X(AUTO, "auto")                                                                                \
    X(GUARANTEED, "guaranteed")                                                                    \
    X(OPPORTUNISTIC, "opportunistic")

enum hs_job_class {
#define HS_JOB_CLASS_ENUM(name, text) HS_JOB_CLASS_##name,
    HS_JOB_CLASS_LIST(HS_JOB_CLASS_ENUM)
#undef HS_JOB_CLASS_ENUM
        HS_JOB_CLASS_COUNT
};

const char *hs_job_class_text(enum hs_job_class job_class);

/* Where a job's profile comes from. */
#define HS_PROFILE_FROM_LIST(X)                                                                    \
    X(NOWHERE, "")                                                                                 \
    X(TRACE, "trace")                 /* its columns name a row of the catalogue */                \
    X(TRACE_NEAREST, "trace-nearest") /* they name its model; the nearest configuration stands */  \
    X(UTILIZATION, "utilization")     /* drawn among those of nearly its utilization */            \
    X(DRAW, "drawn")                  /* from a mix: the trace has no information */

enum hs_profile_from {
#define HS_PROFILE_FROM_ENUM(name, text) HS_PROFILE_FROM_##name,
    HS_PROFILE_FROM_LIST(HS_PROFILE_FROM_ENUM)
#undef HS_PROFILE_FROM_ENUM
        HS_PROFILE_FROM_COUNT
};

const char *hs_profile_from_text(enum hs_profile_from from);

/* Where a figure of a job comes from, its GPU utilization or its GPU memory. */
#define HS_FIGURE_FROM_LIST(X)                                                                     \
    X(NOWHERE, "") /* it is not known */                                                           \
    X(TRACE, "trace")                                                                              \
    X(PROFILE, "profile") /* the row of its profile */                                             \
    X(ASSUMED, "assumed") /* the same, but the profile is drawn */                                 \
    X(FAMILY, "family")   /* mean of the family of its profile, on the GPU type of that row */     \
    X(FULL, "full")       /* not known: taken for a whole GPU */                                   \
    X(DRAW, "drawn")      /* not known: that of a row of the catalogue, drawn */

enum hs_figure_from {
#define HS_FIGURE_FROM_ENUM(name, text) HS_FIGURE_FROM_##name,
    HS_FIGURE_FROM_LIST(HS_FIGURE_FROM_ENUM)
#undef HS_FIGURE_FROM_ENUM
        HS_FIGURE_FROM_COUNT
};

const char *hs_figure_from_text(enum hs_figure_from from);

#define HS_JOB_TEXTS    9
#define HS_JOB_ID_MAX   255
#define HS_JOB_GPUS_MAX 65535u /* gpus, and gpus_max */
/* The elastic range of a job without one, for policies that resize any: from 1 to this, or to what
 * it asks for. The GPUs of Pollux' testbed, 16 nodes of 4 (Qiao et al., OSDI'21 5.1). */
#define HS_ELASTIC_GPUS_MAX 64u
#define HS_GPU_MILLI        1000u /* gpu_milli of a whole GPU */
#define HS_NO_PROFILE       UINT32_MAX

/* Of several: done so long after its submission, a job is worth so much (soft deadlines). */
struct hs_deadline_option {
    int64_t after_us;
    uint32_t value_milli;
};

struct hs_trace_job {
    union {
        struct {
            const char *id, *user, *vc; /* id: verbatim, never NULL, at most HS_JOB_ID_MAX bytes */
            const char *gpu_type;       /* required type, or acceptable types: "V100M16|V100M32" */
            const char *model, *dataset, *batch, *precision;
            const char *gpu_type_ran; /* the type that duration_us was measured on */
        };
        const char *texts[HS_JOB_TEXTS];
    };
    int64_t submit_us;
    int64_t duration_us;        /* isolated run time, consolidated; >= 0. On gpu_type_ran, until
                                   model/assign makes it that on the reference type */
    int64_t deadline_us;        /* trace clock; -1 = none */
    int64_t start_us, end_us;   /* as recorded, trace clock; -1 = not given, or not asked for
                                   (hs_trace_options.keeps_recorded) */
    int64_t preempt_cost_us;    /* save + restore of this job; -1 = not given */
    const int64_t *attempts_us; /* borrowed: run times of its attempts, which add up to duration_us;
                                   all but the last fail */
    uint32_t attempts;          /* 0 = one, which does not fail */
    uint32_t gpus;              /* gang size, all or nothing; 0 = a CPU job */
    uint32_t gpu_milli;         /* thousandths of each, and of its memory alike; 1000 = whole GPUs
                                   (readers may leave 0 for that) */
    const struct hs_deadline_option *options; /* borrowed; in order of time. The value is that of
                                                 the first that is met, 0 if none is */
    uint32_t option_count;
    struct hs_loss_curve loss;   /* of its training; b0 0 = not given */
    uint32_t gpus_min, gpus_max; /* elastic range; both equal to gpus for a rigid job */
    bool has_range;              /* the trace states the range; otherwise a policy may choose one */
    uint32_t nodes;              /* node count as recorded; 0 = none. Carried, no placer uses it */
    uint32_t cpus_milli;         /* CPU cores in all, in thousandths; 0 = not given */
    uint32_t mem_mib;            /* host memory in all; 0 = not given */
    uint32_t gpu_mem_mib;        /* peak GPU memory, per GPU; 0 = not given */
    uint32_t gpu_mem_persistent_mib; /* of that, what stays between mini-batches; 0 = not given */
    uint32_t gpu_mem_later_mib; /* its peak after later_us of isolated run time; 0 = no change */
    int64_t later_us;
    uint32_t checkpoint_mib; /* 0 = not given */
    int64_t step_us;         /* one mini-batch in isolation; 0 = not given */
    int64_t steps;      /* mini-batches in all, where they are counted, and how many a second */
    double steps_per_s; /* on the reference type; 0 = not given */
    enum hs_job_class job_class;
    int32_t gpu_util_pm;       /* solo GPU utilization, per mille; -1 = not given */
    int32_t gpu_util_peak_pm;  /* its peak; below the mean = not known: the mean counts */
    int32_t priority;          /* higher first; 0 = none */
    uint32_t duration_rest_ns; /* of the work beyond duration_us, below 1000: by model/assign */
    uint32_t profile; /* row of the catalogue, by model/assign; readers leave HS_NO_PROFILE */
    enum hs_profile_from profile_from;
    enum hs_figure_from util_from, mem_from; /* by model/assign */
    enum hs_outcome outcome;
    int64_t line; /* of the file, for messages; 1-based */
};

/* A job without any known value. */
#define HS_TRACE_JOB_BLANK(milli)                                                                  \
    {                                                                                              \
        .gpu_milli = milli, .deadline_us = -1, .start_us = -1, .end_us = -1,                       \
        .preempt_cost_us = -1, .gpu_util_pm = -1, .job_class = HS_JOB_CLASS_AUTO,                  \
        .profile = HS_NO_PROFILE, .outcome = HS_OUTCOME_UNKNOWN                                    \
    }

/* The source of the engine's jobs, in order of (submit_us, row). next() returns HS_OK and a record,
 * HS_END, or a failure. The caller may use and change a record until the next call. */
struct hs_job_source {
    enum hs_status (*next)(void *ctx, struct hs_trace_job **job);
    void *ctx;
};

#endif
