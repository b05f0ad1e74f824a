/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tiresias' discretized two-dimensional scheduling (Gu et al., NSDI'19): K queues by the service
 * that jobs attained, GPUs times seconds (2D) or seconds alone. A job that has attained the limit
 * of its queue goes to the tail of the next one; one that has waited promote_knob times what it
 * attained goes back to the first and starts counting anew. At each decision queue by queue, and in
 * each in its order, jobs that fit by number are chosen (kit_choose.h).
 *
 * Order inside a queue:
 *     running_first  by arrival in the queue, but at each decision those that hold GPUs come before
 *                    the others: an older gang never evicts a younger one (published simulator)
 *     submit         by submission (Lucid's variant)
 *     index=gittins  by Gittins index, larger first, then submission
 *
 * Service is the time that a job made progress; a queue's limit is reached at the very microsecond,
 * or noticed at the next round. Cost of a decision: kit_choose.h, and O(log jobs) for each job that
 * changes its queue; gittins besides O(holders of the queues that lose GPUs), because service
 * changes the order.
 *
 *     struct tiresias { struct hs_tiresias core; };
 *     static const struct hs_param params[] = {
 *         HS_TIRESIAS_PARAMS(struct tiresias, core, "GPU s"), {0}};
 */
#ifndef HORUS_POLICIES_KIT_TIRESIAS_H
#define HORUS_POLICIES_KIT_TIRESIAS_H

#include "policies/kit_choose.h"
#include "policies/kit_gittins.h"

/* Of one virtual cluster. */
struct hs_tiresias_queues {
    struct hs_class *holding; /* a class each queue */
    struct hs_gangs *waiting; /* each queue */
    struct hs_front due;      /* by when they are to change their queue */
    uint64_t held;            /* GPUs */
    int64_t lead, starting;   /* running_first: keys of holders count up from far below 0, */
    int64_t front, tail;      /* of waiting jobs down and up from 0 */
    int64_t stopped;          /* running_first: the next of those that the last plan evicted */
    int64_t decided_us;       /* its last decision */
    bool is_stale;            /* gittins: all indices are to be looked up anew */
};

struct hs_tiresias {
    int32_t index, gittins_form, inqueue, placement, compat;
    struct hs_durations limits;
    double promote_knob;
    int64_t gittins_delta_us;
    int64_t round_us, phase_us;
    const char *samples;
    struct hs_preempt_cost cost;
    bool weighs_gpus; /* two dimensions; else seconds */
    uint32_t levels;
    struct hs_tiresias_queues *by_vc;
    bool *is_awake; /* per VC: something happened since its last decision */
    uint32_t vcs;
    struct hs_gittins gittins;
    int64_t armed_us; /* when the timer rings; 0 = none is set */
};

/* First in the scratch of each job. */
struct hs_tiresias_job {
    struct hs_choice_link choice;
    struct hs_order_link due;
    int64_t service_us; /* since it was last promoted, up to since_us */
    int64_t since_us;
    union {
        int64_t waited_us;           /* the same, if there are promotions; */
        struct hs_gittins_hint hint; /* else, gittins */
    };
};

extern const char *const hs_tiresias_index_names[], *const hs_tiresias_gittins_names[],
                                                        *const hs_tiresias_inqueue_names[],
                                                            *const hs_tiresias_compat_names[];

#define HS_TIRESIAS_AT(state_type, field, member)                                                  \
    (offsetof(state_type, field) + offsetof(struct hs_tiresias, member))

/* `service_unit`: of what is attained. */
#define HS_TIRESIAS_PARAMS(state_type, field, service_unit)                                        \
    {.key = "index",                                                                               \
     .type = HS_PARAM_CHOICE,                                                                      \
     .offset = HS_TIRESIAS_AT(state_type, field, index),                                           \
     .preset = "las",                                                                              \
     .choices = hs_tiresias_index_names,                                                           \
     .help = "order in a queue: by arrival (see inqueue), or by Gittins index",                    \
     .source = "Gu et al. NSDI'19"},                                                               \
        {.key = "gittins",                                                                         \
         .only_with = "index=gittins",                                                             \
         .type = HS_PARAM_CHOICE,                                                                  \
         .offset = HS_TIRESIAS_AT(state_type, field, gittins_form),                                \
         .preset = "exact",                                                                        \
         .choices = hs_tiresias_gittins_names,                                                     \
         .help =                                                                                   \
             "the index as defined, up to the limit of the queue; or the published simulator's"},  \
        {.key = "gittins_delta",                                                                   \
         .only_with = "gittins=repo",                                                              \
         .type = HS_PARAM_DURATION,                                                                \
         .offset = HS_TIRESIAS_AT(state_type, field, gittins_delta_us),                            \
         .preset = "3250s",                                                                        \
         .min = 1,                                                                                 \
         .max = 1e9,                                                                               \
         .unit = service_unit,                                                                     \
         .help = "gittins=repo: how much service it looks ahead, in every queue",                  \
         .source = "gittins_delta of the Tiresias simulator"},                                     \
        {.key = "samples",                                                                         \
         .only_with = "index=gittins",                                                             \
         .type = HS_PARAM_FILE,                                                                    \
         .offset = HS_TIRESIAS_AT(state_type, field, samples),                                     \
         .help = "distribution of service, one a line; without it learnt from finished jobs"},     \
        {.key = "queue_limits",                                                                    \
         .type = HS_PARAM_DURATIONS,                                                               \
         .offset = HS_TIRESIAS_AT(state_type, field, limits),                                      \
         .preset = "3250/7200",                                                                    \
         .min = 0,                                                                                 \
         .max = 1e9,                                                                               \
         .is_rising = true,                                                                        \
         .unit = service_unit,                                                                     \
         .help = "service at which a job leaves a queue; one queue more than limits",              \
         .source = "Tiresias simulator: 3 queues, so that its third limit, 18000, is unused"},     \
        {.key = "promote_knob",                                                                    \
         .only_with = "compat=off|tiresias",                                                       \
         .type = HS_PARAM_REAL,                                                                    \
         .offset = HS_TIRESIAS_AT(state_type, field, promote_knob),                                \
         .preset = "0",                                                                            \
         .min = 0,                                                                                 \
         .max = 1e6,                                                                               \
         .help = "back to the first queue after waiting so many times the service; 0 = never",     \
         .source = "PROMOTEKNOB, Gu et al. NSDI'19; off in its simulator"},                        \
        {.key = "inqueue",                                                                         \
         .only_with = "index=las",                                                                 \
         .type = HS_PARAM_CHOICE,                                                                  \
         .offset = HS_TIRESIAS_AT(state_type, field, inqueue),                                     \
         .preset = "running_first",                                                                \
         .choices = hs_tiresias_inqueue_names,                                                     \
         .help = "order in a queue under index=las",                                               \
         .source = "running_first: Tiresias simulator; submit: Lucid artifact"},                   \
        {.key = "round_s",                                                                         \
         .type = HS_PARAM_DURATION,                                                                \
         .offset = HS_TIRESIAS_AT(state_type, field, round_us),                                    \
         .preset = "0s",                                                                           \
         .min = 0,                                                                                 \
         .max = 86400,                                                                             \
         .help = "decide only every so often; 0 = at every event",                                 \
         .source = "60 s: Lucid artifact"},                                                        \
        {.key = "round_phase",                                                                     \
         .type = HS_PARAM_DURATION,                                                                \
         .offset = HS_TIRESIAS_AT(state_type, field, phase_us),                                    \
         .preset = "0s",                                                                           \
         .min = 0,                                                                                 \
         .max = 86400,                                                                             \
         .help = "when the first round is, after the first submission"},                           \
        HS_PLACEMENT_SKEW_PARAM(state_type, field.placement),                                      \
        HS_COST_PARAMS(state_type, field.cost),                                                    \
    {                                                                                              \
        .key = "compat", .type = HS_PARAM_CHOICE,                                                  \
        .offset = HS_TIRESIAS_AT(state_type, field, compat), .preset = "off",                      \
        .choices = hs_tiresias_compat_names,                                                       \
        .help = "quirks of a published simulator. tiresias: queues change at whole seconds (with " \
                "placement=count). helios: beyond a limit, 1 s more a job, restoring counts as "   \
                "service (with queue_limits=18000 inqueue=submit round_s=60 preempt_cost=table "   \
                "cost_table=40/40/60). muri: 1.5 % more a job, and a restart lost at every "       \
                "event, which counts as service (with placement=count)",                           \
        .source = "Tiresias simulator; Lucid artifact; Muri simulator"                             \
    }

void hs_tiresias_needs(const struct hs_tiresias *t, uint32_t *can, uint32_t *knows);
HS_MUST_USE enum hs_status hs_tiresias_init(struct hs_tiresias *t, const struct hs_view *v,
                                            bool weighs_gpus);
void hs_tiresias_event(struct hs_tiresias *t, const struct hs_view *v,
                       const struct hs_event *event);
void hs_tiresias_decide(struct hs_tiresias *t, const struct hs_view *v, struct hs_plan *p);
/* How the card names the order: HS_TIRESIAS_ORDERS("what is attained"), by inqueue, then gittins.
 */
#define HS_TIRESIAS_ORDERS(service)                                                                \
    (const char *const[])                                                                          \
    {                                                                                              \
        "queue by attained " service ", arrival there", "queue by attained " service ", submit",   \
            "queue by attained " service ", Gittins index"                                         \
    }
void hs_tiresias_semantics(const struct hs_tiresias *t, const char *const orders[3],
                           struct hs_semantics *out);
const char *hs_tiresias_check(const struct hs_tiresias *t, const struct hs_view *v);

#endif
