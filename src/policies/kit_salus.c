/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_salus.h: events in, and the order of a decision. Admission comes first, so that newcomers
 * hand their mini-batches in before those whose own has just ended; then lanes say who runs; if
 * that is not how newcomers were said to start, the starts are written once more.
 */
#include "policies/kit_salus.h"

#include "policies/kit_salus_place.h"
#include "policies/kit_salus_queue.h"
#include "policies/kit_salus_turn.h"

enum { LANES_AUTO, LANES_PAPER, LANES_CODE, LANES_ONE };

const char *const hs_salus_rule_names[] = {"fifo", "srtf", "pack", "fair", "rr", NULL};
const char *const hs_salus_lane_names[] = {"auto", "paper", "code", "one", NULL};
const char *const hs_salus_mode_names[] = {"auto", "exact", "fluid", NULL};
const char *const hs_salus_startup_names[] = {"fixed", "model", NULL};

static bool is_plain(const struct hs_salus *s, enum hs_salus_rule rule)
{
    return rule == HS_SALUS_FIFO && s->lanes_of == LANES_AUTO;
}

static enum hs_salus_model model_of(const struct hs_salus *s, enum hs_salus_rule rule)
{
    if (s->lanes_of == LANES_CODE)
        return HS_SALUS_CODE;
    bool is_paper =
        s->lanes_of == LANES_PAPER || (s->lanes_of == LANES_AUTO && rule == HS_SALUS_PACK);
    return is_paper ? HS_SALUS_PAPER : HS_SALUS_ONE;
}

void hs_salus_needs(const void *state, enum hs_salus_rule rule, uint32_t *can, uint32_t *knows)
{
    const struct hs_salus *s = state;
    uint32_t clock = s->poll_us > 0 ? HS_CAN_TIME : 0;
    if (rule == HS_SALUS_SRTF)
        hs_estimate_needs(&s->estimate, knows);
    else
        *knows &= ~(uint32_t)HS_ESTIMATE_KNOWS;
    if (is_plain(s, rule)) {
        *knows = HS_KNOWS_MEMORY;
        *can = clock;
        return;
    }
    *can = HS_CAN_COLOCATE | HS_CAN_SLICE | (rule == HS_SALUS_FAIR ? HS_CAN_TIME : clock);
}

/* Parts in a million, exact for what a table states. */
static int64_t millionths(double x)
{
    return (int64_t)(x * 1e6 + 0.5);
}

enum hs_status hs_salus_init(void *state, const struct hs_view *v, enum hs_salus_rule rule)
{
    struct hs_salus *s = state;
    s->rule = rule;
    s->is_plain = is_plain(s, rule);
    s->touched = HS_NO_LANE;
    s->first_newcomer = s->last_newcomer = HS_NO_JOB;
    s->lanes.model = model_of(s, rule);
    s->lanes.reserve_mib = s->reserve_mib;
    s->lanes.max_sessions = s->max_sessions;
    s->lanes.infl_p_millionths = millionths(s->infl_p);
    s->lanes.infl_total_millionths = millionths(s->infl_total);
    HS_TRY(hs_salus_queue_init(s, v));
    HS_TRY(hs_salus_gpus_init(&s->lanes, v));
    if (s->is_plain)
        return HS_OK;
    if (rule == HS_SALUS_SRTF)
        HS_TRY(hs_estimate_open(&s->estimate, v));
    HS_TRY(hs_salus_lanes_init(&s->lanes, v));
    return hs_salus_place_init(s, v);
}

/* ---- events ---- */

static bool is_member(const struct hs_view *v, hs_job_id job)
{
    return hs_salus_job(v, job)->lane > 0;
}

static void left(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    if (is_member(v, job))
        hs_salus_left(s, v, job);
    hs_salus_queue_wake(s);
}

static void rang(struct hs_salus *s, const struct hs_view *v, uint64_t tag)
{
    if (tag != HS_SALUS_POLL_TAG)
        hs_salus_due(s, v, (uint32_t)tag);
}

void hs_salus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_salus *s = state;
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_STOPPED: /* its GPU ran out of memory */
        left(s, v, job);
        hs_salus_queue_add(s, v, job);
        break;
    case HS_EVENT_SUBMIT:
        hs_salus_queue_wake(s);
        hs_salus_queue_add(s, v, job);
        break;
    case HS_EVENT_FINISH:
        left(s, v, job);
        hs_salus_queue_remove(s, v, job);
        break;
    case HS_EVENT_PROGRESS:
        if (is_member(v, job))
            hs_salus_ready(s, v, job);
        break;
    case HS_EVENT_STEP:
        hs_salus_stepped(s, v, job);
        break;
    case HS_EVENT_MEMORY:
        if (is_member(v, job))
            hs_salus_lane_renew(&s->lanes, v, job);
        hs_salus_queue_wake(s);
        break;
    case HS_EVENT_TIMER:
        rang(s, v, event->tag);
        break;
    case HS_EVENT_STARTED:
        break;
    }
}

/* ---- decisions ---- */

/* Newcomers start as the lanes have it; true if that is not what was written. */
static bool settle_starts(struct hs_salus *s, const struct hs_view *v)
{
    bool is_other = false;
    for (hs_job_id m = s->first_newcomer; m != HS_NO_JOB; m = hs_salus_job(v, m)->next_newcomer) {
        struct hs_salus_job *j = hs_salus_job(v, m);
        bool waits = j->lane > 0 && j->wanted_q32 == 0;
        is_other = is_other || waits != j->starts_waiting;
        j->starts_waiting = waits;
    }
    return is_other;
}

static void forget_newcomers(struct hs_salus *s, const struct hs_view *v)
{
    for (hs_job_id m = s->first_newcomer; m != HS_NO_JOB; m = hs_salus_job(v, m)->next_newcomer)
        hs_salus_job(v, m)->is_newcomer = false;
    s->first_newcomer = s->last_newcomer = HS_NO_JOB;
}

enum hs_status hs_salus_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_salus *s = state;
    if (s->is_plain) {
        hs_salus_queue_serve(s, v, p);
        hs_salus_queue_poll(s, v, p);
        return HS_OK;
    }
    uint32_t mark = hs_plan_mark(p);
    hs_salus_queue_scan(s, v, p);
    for (uint32_t id = s->touched; id != HS_NO_LANE; id = s->lanes.lanes[id].next_touched)
        hs_salus_choose(s, v, id);
    if (settle_starts(s, v)) {
        hs_plan_rollback(p, mark);
        hs_salus_queue_repeat(s, v, p);
    }
    for (uint32_t id = s->touched; id != HS_NO_LANE; id = s->lanes.lanes[id].next_touched)
        hs_salus_turn(s, v, p, id);
    s->touched = HS_NO_LANE;
    hs_salus_queue_poll(s, v, p);
    forget_newcomers(s, v);
    return HS_OK;
}

/* ---- what it is ---- */

void hs_salus_semantics(const void *state, enum hs_salus_rule rule, struct hs_semantics *out)
{
    static const char *const orders[] = {[HS_SALUS_FIFO] = "submit",
                                         [HS_SALUS_SRTF] = "declared - used time",
                                         [HS_SALUS_PACK] = "mini-batches as handed in",
                                         [HS_SALUS_FAIR] = "used time",
                                         [HS_SALUS_RR] = "mini-batches since a job came"};
    static const char *const placements[] = {[HS_SALUS_PAPER] = "lanes that grow",
                                             [HS_SALUS_CODE] = "lanes as cut",
                                             [HS_SALUS_ONE] = "one lane a GPU"};
    const struct hs_salus *s = state;
    bool is_server = is_plain(s, rule);
    *out = (struct hs_semantics){
        .order = orders[rule],
        .scan = is_server ? "strict" : "fit",
        .placement = is_server ? "consolidate" : placements[model_of(s, rule)],
        .preemption = is_server ? "none" : "at mini-batches, memory kept",
        .cost = s->startup_by == HS_SALUS_BY_MODEL ? "restart at the start" : "free",
        .ties = is_server || rule == HS_SALUS_SRTF ? NULL : "as handed in"};
}

const char *hs_salus_check(const void *state, const struct hs_view *v)
{
    const struct hs_salus *s = state;
    const char *broken = hs_salus_queue_check(s, v);
    if (broken == NULL && !s->is_plain)
        broken = hs_salus_lanes_check(&s->lanes, v);
    return broken != NULL || s->is_plain ? broken : hs_salus_turns_check(s, v);
}
