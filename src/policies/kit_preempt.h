/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Preemptive scheduling by the time that jobs have left, in the two published forms, behind one set
 * of parameters:
 *
 *     evict    running jobs keep their nodes, those with most left make way (kit_evict.h)
 *     replace  everything is placed anew at each decision (kit_replace.h)
 *
 *     struct srtf { struct hs_preempt preempt; };
 *     static const struct hs_param params[] = {HS_PREEMPT_PARAMS(struct srtf, preempt), {0}};
 *
 * What a job has left is true under pred=oracle; else its estimate less what it attained, negative
 * when it has outrun it: it is expected to end at any moment, and nobody is put before it.
 */
#ifndef HORUS_POLICIES_KIT_PREEMPT_H
#define HORUS_POLICIES_KIT_PREEMPT_H

#include "policies/kit_estimate.h"
#include "policies/kit_evict.h"
#include "policies/kit_replace.h"

enum hs_form { HS_FORM_EVICT, HS_FORM_REPLACE };
extern const char *const hs_form_names[];
extern const char *const hs_preempt_compat_names[];

struct hs_preempt {
    int32_t form, placement, compat;
    bool weighs_gpus;
    struct hs_estimate_choice estimate;
    struct hs_preempt_cost cost;
    struct hs_evict evict; /* one of the two is in use */
    struct hs_replace replace;
};

#define HS_PREEMPT_SCRATCH                                                                         \
    (sizeof(struct hs_choice_link) > sizeof(struct hs_replace_scratch)                             \
         ? sizeof(struct hs_choice_link)                                                           \
         : sizeof(struct hs_replace_scratch))

#define HS_PREEMPT_PARAMS(state_type, field)                                                       \
    {.key = "form",                                                                                \
     .type = HS_PARAM_CHOICE,                                                                      \
     .offset = offsetof(state_type, field.form),                                                   \
     .preset = "evict",                                                                            \
     .choices = hs_form_names,                                                                     \
     .help = "evict: running jobs keep their nodes; replace: place all anew (Tiresias)"},          \
        HS_ESTIMATE_PARAMS(state_type, field.estimate, "oracle"),                                  \
        HS_PLACEMENT_PARAM(state_type, field.placement), HS_COST_PARAMS(state_type, field.cost),   \
    {                                                                                              \
        .key = "compat", .type = HS_PARAM_CHOICE, .offset = offsetof(state_type, field.compat),    \
        .preset = "off", .choices = hs_preempt_compat_names,                                       \
        .help = "quirks of a published simulator. helios: 1 s more a job (with "                   \
                "preempt_cost=table). muri: 1.5 % more a job, and a restart lost at every event "  \
                "(with placement=yarn and always form=replace)",                                   \
        .source = "Hu et al. SC'21 artifact; Zhao et al. SIGCOMM'22 simulator"                     \
    }

void hs_preempt_needs(const struct hs_preempt *s, uint32_t *knows);
/* weighs_gpus: the time left counts times the GPUs. */
HS_MUST_USE enum hs_status hs_preempt_init(struct hs_preempt *s, const struct hs_view *v,
                                           bool weighs_gpus);
void hs_preempt_event(struct hs_preempt *s, const struct hs_view *v, const struct hs_event *event);
void hs_preempt_decide(struct hs_preempt *s, const struct hs_view *v, struct hs_plan *p);
const char *hs_preempt_check(const struct hs_preempt *s, const struct hs_view *v);
void hs_preempt_semantics(const struct hs_preempt *s, bool weighs_gpus, struct hs_semantics *out);

#endif
