/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * First come, first served. scan=strict is what Helios and the Philly cluster call FIFO, scan=fit
 * what Tiresias' simulator calls fjf; scan=easy backfills behind a reservation and needs run times,
 * true or estimated: a wrong one is corrected, never a reason to stop a job.
 */
#include "policies/kit_easy.h"
#include "policies/kit_estimate.h"
#include "policies/kit_queue.h"

struct fifo {
    int32_t scan, placement;
    struct hs_queue waiting;
    struct hs_estimate_choice estimate; /* under easy, which has jobs of its own: */
    struct hs_easy easy;
};

struct fifo_scratch {
    struct hs_order_link link;
};

static void fifo_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct fifo *f = state;
    (void)can;
    if (f->scan == HS_SCAN_EASY)
        hs_estimate_needs(&f->estimate, knows);
    else
        *knows = 0;
}

static enum hs_status fifo_init(void *state, const struct hs_view *v)
{
    struct fifo *f = state;
    if (f->scan == HS_SCAN_EASY) {
        HS_TRY(hs_estimate_open(&f->estimate, v));
        return hs_easy_init(&f->easy, v);
    }
    return hs_queue_init_for(&f->waiting, v, (enum hs_scan)f->scan);
}

static void easy_event(struct hs_easy *e, const struct hs_view *v, const struct hs_event *event)
{
    if (event->kind == HS_EVENT_SUBMIT)
        hs_easy_add(e, v, event->job, hs_view_submit_us(v, event->job));
    else if (event->kind == HS_EVENT_FINISH)
        hs_easy_remove(e, v, event->job);
}

static void fifo_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct fifo *f = state;
    if (f->scan == HS_SCAN_EASY) {
        easy_event(&f->easy, v, event);
    } else if (event->kind == HS_EVENT_SUBMIT) {
        hs_queue_submit(&f->waiting, v, event->job, hs_view_submit_us(v, event->job));
    } else if (event->kind == HS_EVENT_STARTED) {
        hs_queue_remove(&f->waiting, v, event->job);
    } else if (event->kind == HS_EVENT_FINISH) {
        hs_queue_finish(&f->waiting, v, event->job);
    }
}

static enum hs_status fifo_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct fifo *f = state;
    enum hs_placer placer = (enum hs_placer)f->placement;
    if (f->scan == HS_SCAN_EASY)
        hs_easy_scan(&f->easy, v, p, placer);
    else
        hs_queue_scan(&f->waiting, v, p, placer);
    return HS_OK;
}

static void fifo_semantics(const void *state, struct hs_semantics *out)
{
    const struct fifo *f = state;
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = hs_scan_names[f->scan],
                                 .placement = hs_placer_names[f->placement],
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *fifo_check(const void *state, const struct hs_view *v)
{
    const struct fifo *f = state;
    return f->scan == HS_SCAN_EASY ? hs_easy_check(&f->easy, v) : hs_queue_check(&f->waiting, v);
}

static const struct hs_param params[] = {
    {.key = "scan",
     .type = HS_PARAM_CHOICE,
     .offset = offsetof(struct fifo, scan),
     .preset = "strict",
     .choices = hs_scan_names,
     .help = "behind a job that does not fit: stop, skip it, or backfill behind its reservation",
     .source = "strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, JSSPP'95"},
    HS_PLACEMENT_PARAM(struct fifo, placement),
    HS_ESTIMATE_PARAMS(struct fifo, estimate, "oracle"),
    {0}};

const struct hs_policy_ops hs_policy_fifo = {
    .name = "fifo",
    .summary = "first come, first served",
    .cite = "Hu et al. SC'21 (strict, per VC); Gu et al. NSDI'19 (fit); Lifka JSSPP'95 (easy)",
    .can = HS_CAN_DIVIDE,
    .knows = HS_ESTIMATE_KNOWS,
    .params = params,
    .state_size = sizeof(struct fifo),
    .job_state_size = sizeof(struct fifo_scratch),
    .needs = fifo_needs,
    .init = fifo_init,
    .on_event = fifo_event,
    .decide = fifo_decide,
    .semantics = fifo_semantics,
    .check = fifo_check,
};
