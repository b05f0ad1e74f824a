/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters that several policies have alike: estimates of run times, costs of preemption,
 * priorities, quirks of published simulators.
 *
 * Estimates (hs_view_estimate_us) come from one of
 *
 *     oracle   the true run time
 *     noisy    the true run time x exp(sigma z), z standard normal, drawn once for each job
 *     file     a CSV with columns job_id and estimate (seconds)
 *     rolling  mean of the finished jobs of the same user and GPUs; of the same user; of all; or
 *              the median of the last of them
 *
 *     struct sjf { struct hs_estimate_choice estimate; ... };
 *     static const struct hs_param params[] = {HS_ESTIMATE_PARAMS(struct sjf, estimate, "oracle"),
 *                                              {0}};
 *     .knows = HS_ESTIMATE_KNOWS                       // in its record: at most
 *     hs_estimate_needs(&s->estimate, knows);          // in its needs(): what this source uses
 *     HS_TRY(hs_estimate_open(&s->estimate, v));       // in its init()
 *
 * A preemption costs its victim, before it makes progress again and charged when it resumes,
 *
 *     free        nothing (Tiresias' simulator)
 *     table       by gang size: 1 GPU, 2-8, more (Helios' simulator: 7, 30 and 60 s)
 *     job         the trace's own preempt_cost column
 *     restart     starting the training of its model again, by model and gang size (Muri's
 *                 simulator: 4 to 46 s; --restart-table)
 *     checkpoint  saving and restoring its state at --storage-bandwidth, and that restart
 *
 * The last three fall back to the table for a job of which they, or a part of them, are not known.
 *
 * Priorities (column `priority` of the trace, larger first) make levels: jobs of a level before
 * those of all lower ones, in a level the order of the policy. With `ageing` T a job is one level
 * higher for each window of T that it was submitted earlier: its level is its priority less the
 * number of its window, so it never changes and nothing is sorted anew. After (P + 1) T, P the
 * range of priorities, no job that is submitted comes before a job any more. Cf. the age factor of
 * Slurm's multifactor priority, and aging in Silberschatz et al., Operating System Concepts, 5.3.4.
 *
 * Classes (column `class`) make levels above those: guaranteed jobs, and those of no class, before
 * opportunistic ones (spot is another word for these); ageing raises no job into another class.
 * Notices and reclaim: preempt_select.h.
 *
 * Quirks (enum hs_compat) are what no sensible parameter would have, to compare like with like; off
 * by default. What a job needs besides its run time it owes at its first start.
 *
 *     tiresias  the clock has whole seconds (NSDI'19 simulator)
 *     helios    each preemptible job runs one second too long: the clock ticks in seconds and looks
 *               for finished jobs before it counts the tick (SC'21 and ASPLOS'23 artifacts)
 *     muri      iterations take 1.5 % longer than the trace says; at every event each running job
 *               loses the time of a restart, or, if that is less, what it did since the last event
 *               (SIGCOMM'22 simulator)
 */
#pragma once

#include "horus/policy.h"

/* ---- estimates ---- */

struct hs_estimate_choice {
    int32_t from; /* enum hs_estimate_from */
    const char *file;
    double sigma;
    int64_t unknown_us, last;
};

#define HS_ESTIMATE_KNOWS (HS_KNOWS_DURATION | HS_KNOWS_ESTIMATE | HS_KNOWS_HISTORY)

extern const char *const hs_estimate_names[]; /* NULL-terminated, in the order of the enum */

/* source: the default of the parameter. */
#define HS_ESTIMATE_PARAMS(state_type, field, source)                                              \
    HS_ESTIMATE_PARAMS_OF(state_type, field, source, "0")
#define HS_ESTIMATE_PARAMS_OF(state_type, field, source, last_preset)                              \
    HS_PARAM_CHOICE(state_type, field.from, "pred", source, hs_estimate_names,                     \
                    "run times: the true ones, these with noise, from a file, or the mean of the " \
                    "user's finished jobs"),                                                       \
        HS_PARAM_FILE(state_type, field.file, "pred_file", NULL, NULL,                             \
                      "pred=file: CSV with job_id and estimate (s)"),                              \
        HS_PARAM_REAL(state_type, field.sigma, "pred_sigma", "1", 0, 10,                           \
                      "pred=noisy: standard deviation of ln(estimate / run time)",                 \
                      .only_with = "pred=noisy"),                                                  \
        HS_PARAM_DURATION(state_type, field.unknown_us, "pred_unknown", "1h", 0, 3650 * 86400.,    \
                          "estimate for a job without an entry in the file or history",            \
                          .only_with = "pred=file|rolling"),                                       \
        HS_PARAM_INT(state_type, field.last, "pred_last", last_preset, 0, HS_ESTIMATE_LAST_MAX,    \
                     "pred=rolling: use the median of this many last jobs; 0: the mean of all",    \
                     .only_with = "pred=rolling")

/* Removes from *knows what only the estimates that were not chosen need. */
void hs_estimate_needs(const struct hs_estimate_choice *choice, uint32_t *knows);
HS_MUST_USE enum hs_status hs_estimate_open(const struct hs_estimate_choice *choice,
                                            const struct hs_view *v);
/* GPUs times estimated run time, us, saturating at INT64_MAX. */
int64_t hs_estimate_gpu_time_us(const struct hs_view *v, hs_job_id job);

/* ---- costs of preemption ---- */

struct hs_preempt_cost {
    int32_t model;
    struct hs_durations table;
};

extern const char *const hs_cost_names[];

#define HS_COST_PARAMS(state_type, field) HS_COST_PARAMS_WITH(state_type, field, NULL)
/* with: what preemption depends on (only_with of horus/param.h). */
#define HS_COST_PARAMS_WITH(state_type, field, with)                                               \
    HS_PARAM_CHOICE(                                                                               \
        state_type, field.model, "preempt_cost", "free", hs_cost_names,                            \
        "overhead of a preempted job when it resumes; table: by cost_table; job: as in the "       \
        "trace; restart, checkpoint: by its model",                                                \
        .only_with = (with),                                                                       \
        .source = "free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator"),    \
        HS_PARAM_DURATIONS(                                                                        \
            state_type, field.table, "cost_table", "7/30/60", 0, 1e6,                              \
            "cost for 1, 2 to 8, and more GPUs; also used if the job's own cost is not known",     \
            .unit = "s", .only_with = "preempt_cost=table|job|restart|checkpoint",                 \
            .source = "Hu et al. SC'21, Helios simulator")

/* O(1); for restart and checkpoint O(length of its model's name). */
int64_t hs_cost_us(const struct hs_preempt_cost *cost, const struct hs_view *v, hs_job_id job);
/* The largest entry of the table; 0 where preemption is free. */
int64_t hs_cost_most_us(const struct hs_preempt_cost *cost);
/* Text for the assumptions. is_at_events: under compat=muri each event costs every running job a
 * restart. */
const char *hs_cost_text(const struct hs_preempt_cost *cost, bool is_at_events);

/* ---- priorities ---- */

enum hs_priority_use { HS_PRIORITY_IGNORE, HS_PRIORITY_ORDER, HS_PRIORITY_PREEMPT };
enum hs_class_use { HS_CLASS_IGNORE, HS_CLASS_ORDER, HS_CLASS_EVICT };
struct hs_priority {
    int32_t use;     /* enum hs_priority_use */
    int32_t classes; /* enum hs_class_use */
    int64_t ageing_us;
    /* of policies that preempt */
    int64_t grace_us;
    bool reclaims;
};

extern const char *const hs_priority_names[], *const hs_priority_order_names[];
extern const char *const hs_class_names[], *const hs_class_order_names[];

#define HS_PRIORITY_ROWS(state_type, field, names, used, ...)                                      \
    HS_PARAM_CHOICE(state_type, field.use, "priority", "ignore", names, __VA_ARGS__),              \
        HS_PARAM_DURATION(                                                                         \
            state_type, field.ageing_us, "ageing", "0s", 0, 1e9,                                   \
            "one level more for each such window by which a job was submitted earlier; 0: never",  \
            .floor = 1, .only_with = (used))
#define HS_CLASS_ROW(state_type, field, names, ...)                                                \
    HS_PARAM_CHOICE(state_type, field.classes, "class", "ignore", names,                           \
                    "order: guaranteed jobs before opportunistic ones" __VA_ARGS__)
#define HS_EVICT_ROWS(state_type, field, with, more)                                               \
    HS_CLASS_ROW(state_type, field, hs_class_names, more),                                         \
        HS_PARAM_FLAG(                                                                             \
            state_type, field.reclaims, "reclaim", "no",                                           \
            "jobs within the quota of their virtual cluster or cohort stop jobs that borrow it",   \
            .source = "Kueue, reclaimWithinCohort: Never or Any"),                                 \
        HS_PARAM_DURATION(                                                                         \
            state_type, field.grace_us, "grace", "30s", 0, 1e9,                                    \
            "notice that an opportunistic or borrowing job gets before it is stopped",             \
            .only_with = with " or reclaim=yes",                                                   \
            .source = "Kubernetes, Google Cloud and Azure Spot: 30 s; EC2 Spot: 2 "                \
                      "min")
/* Of a policy that does not preempt, of one that preempts by these alone, and of one that preempts
 * by its order. */
#define HS_PRIORITY_ORDER_PARAMS(state_type, field)                                                \
    HS_PRIORITY_ROWS(state_type, field, hs_priority_order_names, "priority=order",                 \
                     "order: jobs of higher priority first, then the order of the policy"),        \
        HS_CLASS_ROW(state_type, field, hs_class_order_names, "")
#define HS_PRIORITY_PREEMPT_PARAMS(state_type, field)                                              \
    HS_PRIORITY_ROWS(state_type, field, hs_priority_names, "priority=order|preempt",               \
                     "order: jobs of higher priority first, then the order of the policy; "        \
                     "preempt: they also preempt running jobs of lower priority"),                 \
        HS_EVICT_ROWS(state_type, field, "class=evict",                                            \
                      "; evict: they also preempt running opportunistic jobs")
#define HS_PRIORITY_PARAMS(state_type, field)                                                      \
    HS_PRIORITY_ROWS(state_type, field, hs_priority_names, "priority=order|preempt",               \
                     "order: jobs of higher priority first, then the order of the policy, "        \
                     "running jobs included, so that preempt is the same"),                        \
        HS_EVICT_ROWS(state_type, field, "class=order|evict",                                      \
                      ", running jobs included, so that evict is the same")

/* Whether jobs have levels. */
static inline bool hs_priority_counts(const struct hs_priority *priority)
{
    return priority->use != HS_PRIORITY_IGNORE || priority->classes != HS_CLASS_IGNORE;
}
/* Whether a policy that preempts by these alone does preempt. */
static inline bool hs_priority_evicts(const struct hs_priority *priority)
{
    return priority->use == HS_PRIORITY_PREEMPT || priority->classes == HS_CLASS_EVICT ||
           priority->reclaims;
}
/* Whether the job is of the class that comes last. */
static inline bool hs_priority_is_last(const struct hs_priority *priority, const struct hs_view *v,
                                       hs_job_id job)
{
    return priority->classes != HS_CLASS_IGNORE &&
           hs_view_class(v, job) == HS_JOB_CLASS_OPPORTUNISTIC;
}
/* The level of a job, where jobs have levels; the smaller goes first. */
static inline int64_t hs_priority_level(const struct hs_priority *priority, const struct hs_view *v,
                                        hs_job_id job)
{
    const int64_t ageing_us = priority->ageing_us;
    /* Priorities have 32 bits, and ages fewer than 60. */
    const int64_t all_levels = INT64_C(1) << 60;
    int64_t level = 0;
    if (HS_UNLIKELY(hs_priority_is_last(priority, v, job)))
        level = all_levels;
    if (HS_LIKELY(priority->use != HS_PRIORITY_IGNORE))
        level +=
            (ageing_us > 0 ? hs_view_submit_us(v, job) / ageing_us : 0) - hs_view_priority(v, job);
    return level;
}
/* For struct hs_semantics; NULL: ignored. */
const char *hs_priority_text(const struct hs_priority *priority);

/* ---- quirks ---- */

enum hs_compat { HS_COMPAT_OFF, HS_COMPAT_TIRESIAS, HS_COMPAT_HELIOS, HS_COMPAT_MURI };

/* The cost that the job owes at its first start; 0 once it has started. muri reads the run time. */
int64_t hs_compat_first_us(enum hs_compat compat, const struct hs_view *v, hs_job_id job);
/* Adds that cost to a job that this plan starts. */
void hs_compat_add_overhead(enum hs_compat compat, const struct hs_view *v, struct hs_plan *p,
                            hs_job_id job);
/* compat=muri: the time that a job with GPUs loses at an event `since_us` after the last one; 0
 * where its restart time is not known. */
extern const char hs_compat_lost_text[]; /* the reason in decisions.csv */
int64_t hs_compat_lost_us(const struct hs_view *v, hs_job_id job, int64_t since_us);
