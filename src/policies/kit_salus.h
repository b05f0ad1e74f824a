/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Salus (Yu & Chowdhury, MLSys'20): jobs that stay on their GPUs until they end share them by
 * mini-batches, whose order is the rule of a lane (kit_salus_lane.h says who may come in).
 *
 *     fifo  the member that came first has all turns. Without lanes, which is the default: a plain
 *           server, where the next job starts when its GPUs are free, in strict order
 *     srtf  the member of least declared - used time; one that has outrun its declaration keeps on
 *     pack  as mini-batches were handed in: members alternate
 *     fair  the member that has used least time ever: a newcomer catches up with the others first
 *     rr    the member of fewest mini-batches since the last newcomer
 *
 * A member whose start-up is not over is chosen too by fifo, srtf and fair, and then nobody runs.
 * Ties go by the order in which mini-batches were handed in (srtf: submission, rank); at equal time
 * a newcomer's comes first. A mini-batch is never interrupted.
 *
 * exact: an event a mini-batch, where somebody else could have the next turn. fluid: members have
 * the shares of time that come of it in the long run, from when the mini-batch under way is over
 * until one member is left; so has, in any mode, a lane that a job joins whose mini-batches are not
 * known. Under fifo and srtf, where one member has all turns, there are no shares; a job whose
 * mini-batches are not known stops at once.
 *
 *     static const struct hs_param params[] = {HS_SALUS_PARAMS, {0}};
 *     .state_size = sizeof(struct hs_salus)      // or something that begins with it
 */
#ifndef HORUS_POLICIES_KIT_SALUS_H
#define HORUS_POLICIES_KIT_SALUS_H

#include "policies/kit_estimate.h"
#include "policies/kit_heads.h"
#include "policies/kit_queue.h"
#include "policies/kit_salus_kinds.h"

enum hs_salus_rule {
    HS_SALUS_FIFO,
    HS_SALUS_SRTF,
    HS_SALUS_PACK,
    HS_SALUS_FAIR,
    HS_SALUS_RR,
};

enum hs_salus_startup { HS_SALUS_FIXED, HS_SALUS_BY_MODEL };
enum hs_salus_mode { HS_SALUS_AUTO, HS_SALUS_EXACT, HS_SALUS_FLUID };

#define HS_SALUS_GANGS 19 /* kinds of gangs that are refused, by size */

/* Which GPUs a job is to get. */
struct hs_salus_picks {
    uint32_t *gpus, *utils_pm;
    uint32_t count;
};

struct hs_salus {
    /* parameters */
    int32_t lanes_of, mode, startup_by;
    int64_t fluid_above, reserve_mib, max_sessions, poll_us, startup_us, step_us;
    double infl_p, infl_total;
    struct hs_estimate_choice estimate; /* srtf */
    /* state */
    enum hs_salus_rule rule;
    bool is_plain; /* no lanes: `waiting` is a plain queue */
    struct hs_salus_lanes lanes;
    struct hs_queue waiting;     /* jobs that were not tried yet; plain: all that wait */
    struct hs_salus_kinds kinds; /* those that were, */
    struct hs_order *refused;    /* those of no kind, HS_SALUS_GANGS sets a VC, */
    uint32_t *refused_gpus;      /* and the smallest gang that ever was of each; 0 = none */
    struct hs_head *heads;       /* scratch of a scan: of all these */
    struct hs_salus_picks picks;
    hs_job_id first_newcomer, last_newcomer;
    uint32_t touched; /* lanes to look at: the first, or HS_NO_LANE */
    bool is_awake;    /* somebody came or left since the last scan */
    int64_t armed_us; /* timer of the next poll */
};

extern const char *const hs_salus_rule_names[],
    *const hs_salus_lane_names[], *const hs_salus_mode_names[], *const hs_salus_startup_names[];

/* Of a state that begins with a struct hs_salus. */
#define HS_SALUS_PARAMS                                                                            \
    {.key = "lanes",                                                                               \
     .type = HS_PARAM_CHOICE,                                                                      \
     .offset = offsetof(struct hs_salus, lanes_of),                                                \
     .preset = "auto",                                                                             \
     .choices = hs_salus_lane_names,                                                               \
     .help = "who may share a GPU: as in the paper, as in the code, or in one lane that has all "  \
             "of it; auto: paper for pack, one for srtf, fair and rr, nobody for fifo",            \
     .source = "lanemgr.cpp and the drivers of the trace experiment in Salus' repository"},        \
        {.key = "mode",                                                                            \
         .type = HS_PARAM_CHOICE,                                                                  \
         .offset = offsetof(struct hs_salus, mode),                                                \
         .preset = "auto",                                                                         \
         .choices = hs_salus_mode_names,                                                           \
         .help = "pack, fair, rr: turns by mini-batches, or the shares of time that come of "      \
                 "them; auto: exact while at most fluid_above jobs are admitted"},                 \
        {.key = "fluid_above",                                                                     \
         .type = HS_PARAM_INT,                                                                     \
         .offset = offsetof(struct hs_salus, fluid_above),                                         \
         .preset = "1000",                                                                         \
         .only_with = "mode=auto",                                                                 \
         .max = 1e9,                                                                               \
         .unit = "jobs",                                                                           \
         .help = "jobs that may take exact turns at the same time"},                               \
        {.key = "infl_p",                                                                          \
         .type = HS_PARAM_REAL,                                                                    \
         .offset = offsetof(struct hs_salus, infl_p),                                              \
         .preset = "1.1",                                                                          \
         .min = 1,                                                                                 \
         .max = 10,                                                                                \
         .help = "persistent memory is taken for so many times what is predicted",                 \
         .source = "Salus' drivers"},                                                              \
        {.key = "infl_total",                                                                      \
         .type = HS_PARAM_REAL,                                                                    \
         .offset = offsetof(struct hs_salus, infl_total),                                          \
         .preset = "1.05",                                                                         \
         .min = 1,                                                                                 \
         .max = 10,                                                                                \
         .help = "and this, with what a mini-batch needs beside it, for so many times that",       \
         .source = "Salus' drivers"},                                                              \
        {.key = "reserve",                                                                         \
         .type = HS_PARAM_SIZE_MIB,                                                                \
         .offset = offsetof(struct hs_salus, reserve_mib),                                         \
         .preset = "300MiB",                                                                       \
         .help = "memory of each GPU that no lane gets",                                           \
         .source = "Salus' code"},                                                                 \
        {.key = "max_sessions",                                                                    \
         .type = HS_PARAM_INT,                                                                     \
         .offset = offsetof(struct hs_salus, max_sessions),                                        \
         .preset = "100",                                                                          \
         .min = 1,                                                                                 \
         .max = 1e9,                                                                               \
         .unit = "jobs",                                                                           \
         .help = "jobs admitted to one GPU at most",                                               \
         .source = "Salus' drivers"},                                                              \
        {.key = "poll",                                                                            \
         .type = HS_PARAM_DURATION,                                                                \
         .offset = offsetof(struct hs_salus, poll_us),                                             \
         .preset = "0s",                                                                           \
         .max = 86400,                                                                             \
         .help = "admit one job at each multiple of this; 0: at once, any number",                 \
         .source = "0.1 s: the driver of Salus' fifo runs"},                                       \
        {.key = "startup",                                                                         \
         .type = HS_PARAM_DURATION,                                                                \
         .offset = offsetof(struct hs_salus, startup_us),                                          \
         .preset = "0s",                                                                           \
         .max = 86400,                                                                             \
         .help = "what a job does on the CPU before its first mini-batch"},                        \
        {.key = "startup_by",                                                                      \
         .type = HS_PARAM_CHOICE,                                                                  \
         .offset = offsetof(struct hs_salus, startup_by),                                          \
         .preset = "fixed",                                                                        \
         .choices = hs_salus_startup_names,                                                        \
         .help = "always startup, or by its model (--restart-table), and startup where that is "   \
                 "not known"},                                                                     \
    {                                                                                              \
        .key = "step", .type = HS_PARAM_DURATION, .offset = offsetof(struct hs_salus, step_us),    \
        .preset = "0.35s", .min = 1e-6, .max = 86400,                                              \
        .help = "mini-batch of a job of which it is not known, for its share of a lane",           \
        .source = "median of seven of Salus' workloads: 0.02 to 1.06 s"                            \
    }

/* Of each record, at most. */
#define HS_SALUS_CITE  "Yu & Chowdhury, MLSys'20 (lanes=paper), and its code (lanes=code, one)"
#define HS_SALUS_CAN   (HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_TIME)
#define HS_SALUS_KNOWS (HS_KNOWS_MEMORY | HS_KNOWS_RATE)

/* What the rules share, whatever the record. */
void hs_salus_needs(const void *state, enum hs_salus_rule rule, uint32_t *can, uint32_t *knows);
HS_MUST_USE enum hs_status hs_salus_init(void *state, const struct hs_view *v,
                                         enum hs_salus_rule rule);
void hs_salus_semantics(const void *state, enum hs_salus_rule rule, struct hs_semantics *out);
/* Of a record as they are. */
void hs_salus_event(void *state, const struct hs_view *v, const struct hs_event *event);
enum hs_status hs_salus_decide(void *state, const struct hs_view *v, struct hs_plan *p);
const char *hs_salus_check(const void *state, const struct hs_view *v);

#endif
