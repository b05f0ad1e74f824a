/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The choice between the two forms of preemption.
 */
#include "policies/kit_preempt.h"

const char *const hs_form_names[] = {"evict", "replace", NULL};

enum hs_status hs_preempt_init(struct hs_preempt *s, const struct hs_view *v)
{
    return s->form == HS_FORM_REPLACE ? hs_replace_init(&s->replace, v)
                                      : hs_evict_init(&s->evict, v);
}

void hs_preempt_event(struct hs_preempt *s, const struct hs_view *v, const struct hs_event *event,
                      hs_key *key)
{
    if (s->form == HS_FORM_REPLACE)
        hs_replace_event(&s->replace, v, event);
    else
        hs_evict_event(&s->evict, v, event, key);
}

void hs_preempt_decide(struct hs_preempt *s, const struct hs_view *v, struct hs_plan *p,
                       hs_key *key)
{
    enum hs_placer placer = (enum hs_placer)s->placement;
    if (s->form == HS_FORM_REPLACE)
        hs_replace_decide(&s->replace, v, p, placer, &s->cost, key);
    else
        hs_evict_decide(&s->evict, v, p, placer, &s->cost, key);
}

const char *hs_preempt_check(const struct hs_preempt *s, const struct hs_view *v)
{
    return s->form == HS_FORM_REPLACE ? hs_replace_check(&s->replace, v)
                                      : hs_evict_check(&s->evict, v);
}

void hs_preempt_semantics(const struct hs_preempt *s, struct hs_semantics *out)
{
    out->scan = "fit";
    out->placement = hs_placer_names[s->placement];
    out->preemption = hs_form_names[s->form];
    out->cost = hs_cost_names[s->cost.model];
    out->ties = s->form == HS_FORM_REPLACE ? "as the decision before, newcomers last"
                                           : "jobs that hold GPUs, then submission, then trace row";
}
