/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a preemption costs the victim before it makes progress again, charged when it resumes.
 *
 *     free        nothing (Tiresias' simulator)
 *     table       by gang size: 1 GPU, 2-8, more (Helios' simulator: 7, 30 and 60 s)
 *     job         the trace's own preempt_cost column
 *     restart     starting the training of its model again, by model and gang size (Muri's
 *                 simulator: 4 to 46 s; --restart-table)
 *     checkpoint  saving and restoring its state at --storage-bandwidth, and that restart
 *
 * The last three fall back to the table for a job of which they, or a part of them, are not known.
 */
#ifndef HORUS_POLICIES_KIT_COST_H
#define HORUS_POLICIES_KIT_COST_H

#include "horus/policy.h"

struct hs_preempt_cost {
    int32_t model;
    struct hs_durations table;
};

extern const char *const hs_cost_names[];

#define HS_COST_PARAMS(state_type, field)                                                          \
    {.key = "preempt_cost",                                                                        \
     .type = HS_PARAM_CHOICE,                                                                      \
     .offset = offsetof(state_type, field) + offsetof(struct hs_preempt_cost, model),              \
     .preset = "free",                                                                             \
     .choices = hs_cost_names,                                                                     \
     .help = "what a preempted job pays when it resumes; restart, checkpoint: by its model",       \
     .source = "free: Tiresias simulator; restart: Zhao et al. SIGCOMM'22, Muri simulator"},       \
    {                                                                                              \
        .key = "cost_table", .type = HS_PARAM_DURATIONS,                                           \
        .offset = offsetof(state_type, field) + offsetof(struct hs_preempt_cost, table),           \
        .preset = "7/30/60", .only_with = "preempt_cost=table|job|restart|checkpoint", .min = 0,   \
        .max = 1e6, .unit = "s",                                                                   \
        .help = "cost for 1, 2-8, more GPUs; also where the job's own is not known",               \
        .source = "Hu et al. SC'21, Helios simulator"                                              \
    }

/* O(1); for restart and checkpoint O(length of its model's name). */
int64_t hs_cost_us(const struct hs_preempt_cost *cost, const struct hs_view *v, hs_job_id job);

/* For the card; is_at_events: compat=muri, each event costs whoever holds GPUs a restart. */
const char *hs_cost_text(const struct hs_preempt_cost *cost, bool is_at_events);

#endif
