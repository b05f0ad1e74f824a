/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The choice between the two forms of preemption, and what a job has left.
 */
#include "policies/kit_preempt.h"

#include "policies/kit_queue.h"

const char *const hs_form_names[] = {"evict", "replace", NULL};

enum { COMPAT_OFF, COMPAT_HELIOS, COMPAT_MURI };
const char *const hs_preempt_compat_names[] = {"off", "helios", "muri", NULL};

static enum hs_compat compat_of(const struct hs_preempt *s)
{
    return s->compat == COMPAT_HELIOS ? HS_COMPAT_HELIOS
           : s->compat == COMPAT_MURI ? HS_COMPAT_MURI
                                      : HS_COMPAT_OFF;
}

static int64_t left_us(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const struct hs_preempt *s = ctx;
    bool is_true = s->estimate.from == HS_ESTIMATE_ORACLE;
    if (is_true && !hs_job_waits(v, job))
        return hs_view_finish_us(v, job) - hs_view_now_us(v);
    int64_t work_us = is_true ? hs_view_remaining_us(v, job)
                              : hs_view_estimate_us(v, job) - hs_view_attained_us(v, job);
    return work_us + hs_view_cost_left_us(v, job) + hs_compat_first_us(compat_of(s), v, job);
}

void hs_preempt_needs(const struct hs_preempt *s, uint32_t *knows)
{
    hs_estimate_needs(&s->estimate, knows);
    if (s->compat == COMPAT_MURI) /* a part of the run time comes on top */
        *knows |= HS_KNOWS_DURATION;
}

enum hs_status hs_preempt_init(struct hs_preempt *s, const struct hs_view *v, bool weighs_gpus)
{
    s->weighs_gpus = weighs_gpus;
    if (s->compat == COMPAT_MURI) /* there is no other form of it */
        s->form = HS_FORM_REPLACE;
    HS_TRY(hs_estimate_open(&s->estimate, v));
    return s->form == HS_FORM_REPLACE ? hs_replace_init(&s->replace, v)
                                      : hs_evict_init(&s->evict, v, weighs_gpus);
}

void hs_preempt_event(struct hs_preempt *s, const struct hs_view *v, const struct hs_event *event)
{
    if (s->form == HS_FORM_REPLACE)
        hs_replace_event(&s->replace, v, event);
    else
        hs_evict_event(&s->evict, v, event, left_us, s);
}

void hs_preempt_decide(struct hs_preempt *s, const struct hs_view *v, struct hs_plan *p)
{
    enum hs_placer placer = (enum hs_placer)s->placement;
    if (s->form == HS_FORM_EVICT) {
        hs_evict_decide(&s->evict, v, p, placer, &s->cost, compat_of(s));
        return;
    }
    struct hs_replace_rule rule = {.left_us = left_us,
                                   .ctx = s,
                                   .weighs_gpus = s->weighs_gpus,
                                   .placer = placer,
                                   .compat = compat_of(s),
                                   .cost = &s->cost};
    hs_replace_decide(&s->replace, v, p, &rule);
}

const char *hs_preempt_check(const struct hs_preempt *s, const struct hs_view *v)
{
    return s->form == HS_FORM_REPLACE ? hs_replace_check(&s->replace, v)
                                      : hs_evict_check(&s->evict, v);
}

/* Asked before init: the caller says what init will be told. */
void hs_preempt_semantics(const struct hs_preempt *s, bool weighs_gpus, struct hs_semantics *out)
{
    bool is_true = s->estimate.from == HS_ESTIMATE_ORACLE;
    bool is_anew = s->form == HS_FORM_REPLACE || s->compat == COMPAT_MURI;
    *out = (struct hs_semantics){
        .order = is_true ? (weighs_gpus ? "remaining x GPUs" : "remaining")
                         : (weighs_gpus ? "estimated remaining x GPUs" : "estimated remaining"),
        .scan = "fit",
        .placement = hs_placer_names[s->placement],
        .preemption = is_anew ? "replace" : "evict",
        .cost = hs_cost_text(&s->cost, s->compat == COMPAT_MURI),
        .ties = is_anew ? "as the decision before, newcomers last"
                        : "jobs that hold GPUs, then submission, then trace row"};
}
