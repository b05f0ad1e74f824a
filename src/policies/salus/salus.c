/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Salus policies (see README.md): parameters, turns, events, one decision, a record per rule.
 *
 * A decision first admits jobs, so that new members enter the queue before members whose mini-batch
 * has just ended. Then each changed lane chooses its runner. If this contradicts how the starts of
 * new members were written, the plan is rolled back and the starts are written again.
 *
 * Turns: in an exact lane one member runs one mini-batch at a time; with processor sharing each
 * member has a share of the time. The end of a mini-batch is awaited only if another member may be
 * next; otherwise the runner continues without an event.
 */
#include "policies/salus/salus.h"

#define ONE_Q32   (UINT64_C(1) << 32)
#define NS_PER_US 1000
#define POLL_TAG  UINT64_MAX /* tag of the poll timer; other tags are lanes */

enum { LANES_AUTO }; /* the rule decides; other values are enum hs_salus_model + 1 */

static const char *const rule_names[] = {"fifo", "srtf", "pack", "fair", "rr", NULL};
static const char *const lane_names[] = {"auto", "paper", "code", "one", NULL};
static const char *const mode_names[] = {"auto", "exact", "fluid", NULL};
static const char *const startup_names[] = {"fixed", "model", NULL};

static bool is_plain(const struct hs_salus *s)
{
    return s->rule == HS_SALUS_FIFO && s->lanes_of == LANES_AUTO;
}

static enum hs_salus_model model_of(const struct hs_salus *s)
{
    if (s->lanes_of != LANES_AUTO)
        return (enum hs_salus_model)(s->lanes_of - 1);
    return s->rule == HS_SALUS_PACK ? HS_SALUS_PAPER : HS_SALUS_ONE;
}

static void salus_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_salus *s = state;
    uint32_t clock = s->poll_us > 0 ? HS_CAN_TIME : 0;
    hs_place_needs((struct hs_place_rule){.types = s->types}, knows);
    if (s->rule == HS_SALUS_SRTF)
        hs_estimate_needs(&s->estimate, knows);
    else
        *knows &= ~(uint32_t)HS_ESTIMATE_KNOWS;
    if (is_plain(s)) {
        *knows &= HS_KNOWS_MEMORY | HS_KNOWS_SPEED;
        *can = clock;
        return;
    }
    *can = HS_CAN_COLOCATE | HS_CAN_SLICE | (s->rule == HS_SALUS_FAIR ? HS_CAN_TIME : clock);
}

static enum hs_status salus_init(void *state, const struct hs_view *v)
{
    struct hs_salus *s = state;
    s->v = v;
    s->is_plain = is_plain(s);
    s->touched = HS_NO_LANE;
    s->first_candidate = s->last_candidate = HS_NO_JOB;
    s->model = model_of(s);
    s->infl_p_millionths = (int64_t)(s->infl_p * 1e6 + 0.5);
    s->infl_total_millionths = (int64_t)(s->infl_total * 1e6 + 0.5);
    hs_salus_queue_init(s);
    hs_salus_lanes_init(s);
    if (s->is_plain)
        return HS_OK;
    if (s->rule == HS_SALUS_SRTF)
        HS_TRY(hs_estimate_open(&s->estimate, v));
    uint64_t gpus = s->gpu_count;
    s->picks = hs_view_alloc(v, gpus * sizeof *s->picks);
    s->picks_pm = hs_view_alloc(v, gpus * sizeof *s->picks_pm);
    return HS_OK;
}

static void touch(struct hs_salus *s, uint32_t id)
{
    struct hs_salus_lane *lane = &s->lanes[id];
    if (lane->is_touched)
        return;
    lane->is_touched = true;
    lane->next_touched = s->touched;
    s->touched = id;
}

/* ---- time used by members ---- */

static void account(const struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    int64_t now_us = hs_view_now_us(s->v), passed_us = now_us - j->since_us;
    j->since_us = now_us;
    j->used_ns += (int64_t)((hs_u128)(uint64_t)(passed_us * NS_PER_US) * j->share_q32 >> 32);
}

static void account_all(const struct hs_salus_lane *lane, const struct hs_salus *s)
{
    HS_EACH_CHAINED(m, &lane->queue, s->v)
        account(s, m);
}

/* The start-up of the job is over: its first mini-batch is ready. */
static void ready(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    struct hs_salus_lane *lane = &s->lanes[j->lane - 1];
    j->is_ready = true;
    hs_salus_requeue(s, job);
    HS_EACH_CHAINED(m, &lane->queue, s->v)
        hs_salus_job(s, m)->steps = 0;
    touch(s, j->lane - 1);
}

void hs_salus_came(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    j->used_ns = 0;
    j->since_us = hs_view_now_us(s->v);
    j->share_q32 = j->wanted_q32 = 0;
    j->given_q32 = ONE_Q32;
    j->declared_us = s->rule == HS_SALUS_SRTF ? hs_view_estimate_us(s->v, job) : 0;
    if (j->is_ready)
        ready(s, job);
    else
        touch(s, j->lane - 1);
}

/* Removes the job from its lane. */
static void left(struct hs_salus *s, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    uint32_t id = j->lane - 1;
    struct hs_salus_lane *lane = &s->lanes[id];
    account_all(lane, s);
    if (lane->runner == job) {
        lane->runner = HS_NO_JOB;
        lane->has_ended = lane->is_awaited = false;
    }
    j->share_q32 = 0;
    hs_salus_lane_leave(s, job);
    touch(s, id);
}

/* Handles the timer of a lane that shares by fair: the running members have used (to the
 * microsecond) as much as the next one. */
static void due(struct hs_salus *s, uint32_t id)
{
    struct hs_salus_lane *lane = &s->lanes[id];
    if (lane->due_us != hs_view_now_us(s->v) || lane->members == 0)
        return;
    account_all(lane, s);
    HS_EACH_CHAINED(m, &lane->queue, s->v)
        if (hs_salus_job(s, m)->share_q32 > 0)
            hs_salus_job(s, m)->used_ns = lane->level_ns;
    touch(s, id);
}

/* ---- the rules ---- */

/* One member runs until it ends or another precedes it. */
static bool has_head(const struct hs_salus *s)
{
    return s->rule == HS_SALUS_FIFO || s->rule == HS_SALUS_SRTF;
}

/* A member that still starts up may be next; the others then wait for it. */
static bool waits_for_startup(const struct hs_salus *s)
{
    return has_head(s) || s->rule == HS_SALUS_FAIR;
}

/* Returns the next member, ready or not. Ties: earliest submission under fifo and srtf, else the
 * first in the queue, except members that start up, as they have no mini-batch in the queue. */
static hs_job_id next_in(const struct hs_salus *s, const struct hs_salus_lane *lane)
{
    hs_job_id best = HS_NO_JOB;
    int64_t best_key = INT64_MAX;
    HS_EACH_CHAINED(m, &lane->queue, s->v) {
        const struct hs_salus_job *j = hs_salus_job(s, m);
        /* the least is next, on ties the first in the queue; srtf: may be negative */
        const int64_t key = s->rule == HS_SALUS_SRTF   ? j->declared_us - j->used_ns / NS_PER_US
                            : s->rule == HS_SALUS_FAIR ? j->used_ns
                            : s->rule == HS_SALUS_RR   ? (int64_t)j->steps
                                                       : 0;
        if (!j->is_ready && !waits_for_startup(s))
            continue;
        bool is_first = best == HS_NO_JOB || key < best_key;
        if (!is_first && key == best_key)
            is_first = has_head(s) ? hs_job_queue_tie_is_before(s->v, m, best)
                                   : j->is_ready && !hs_salus_job(s, best)->is_ready;
        if (is_first) {
            best = m;
            best_key = key;
        }
    }
    return best;
}

/* ---- exact turns ---- */

/* The mini-batch of the runner is done: an event says so, or the present is between two of them. A
 * turn has at least one, but of a job of unknown mini-batches none can be awaited: it ends at
 * once. */
static bool is_at_end(const struct hs_salus *s, const struct hs_salus_lane *lane)
{
    const bool has_run = lane->began_us < hs_view_now_us(s->v);
    return lane->has_ended ||
           (!lane->is_awaited && (has_run || hs_view_step_us(s->v, lane->runner) == 0) &&
            hs_view_is_between_steps(s->v, lane->runner));
}

static void choose_exact(struct hs_salus *s, struct hs_salus_lane *lane)
{
    hs_job_id before = lane->runner;
    if (before != HS_NO_JOB) {
        account(s, before);
        if (is_at_end(s, lane)) {
            hs_salus_requeue(s, before);
            lane->runner = HS_NO_JOB;
            lane->is_awaited = false;
        }
    }
    if (lane->runner == HS_NO_JOB) {
        hs_job_id next = next_in(s, lane);
        if (before != HS_NO_JOB)
            hs_salus_job(s, before)->wanted_q32 = 0;
        if (next != HS_NO_JOB && hs_salus_job(s, next)->is_ready) {
            lane->runner = next;
            lane->began_us = hs_view_now_us(s->v);
            hs_salus_job(s, next)->wanted_q32 = ONE_Q32;
        }
    }
    lane->has_ended = false;
    lane->awaits = false; /* unless another member may run after this mini-batch */
    if (lane->runner == HS_NO_JOB || lane->is_awaited)
        return;
    if (has_head(s)) /* the first remains first until a member is added */
        lane->awaits = next_in(s, lane) != lane->runner;
    for (hs_job_id m = has_head(s) ? HS_NO_JOB : lane->queue.first; m != HS_NO_JOB && !lane->awaits;
         m = hs_salus_job(s, m)->turn.after)
        lane->awaits = m != lane->runner && (hs_salus_job(s, m)->is_ready || waits_for_startup(s));
}

/* ---- processor sharing ---- */

static uint64_t step_us(const struct hs_salus *s, hs_job_id job)
{
    int64_t us = hs_view_step_us(s->v, job);
    return (uint64_t)(us > 0 ? us : s->step_us);
}

/* Sets the shares that turns of one mini-batch each amount to. If their sum is so large that a
 * share could be 0, each member first gets the smallest share, because share 0 pauses a job. */
static void share_by_step(struct hs_salus *s, struct hs_salus_lane *lane)
{
    uint64_t sum_us = 0;
    HS_EACH_CHAINED(m, &lane->queue, s->v)
        if (hs_salus_job(s, m)->is_ready)
            sum_us += step_us(s, m);
    HS_EACH_CHAINED(m, &lane->queue, s->v) {
        uint64_t us = step_us(s, m);
        if (!hs_salus_job(s, m)->is_ready)
            continue;
        hs_salus_job(s, m)->wanted_q32 =
            sum_us < ONE_Q32 ? us * ONE_Q32 / sum_us
                             : (uint64_t)((hs_u128)us * (ONE_Q32 - lane->members) / sum_us) + 1;
    }
}

/* Gives equal shares to the members that have used least, until their use equals the next one's. */
static void share_fairly(const struct hs_salus *s, struct hs_salus_lane *lane)
{
    int64_t least_ns = INT64_MAX, next_ns = INT64_MAX;
    uint64_t count = 0;
    bool is_ready = true;
    HS_EACH_CHAINED(m, &lane->queue, s->v) {
        const struct hs_salus_job *j = hs_salus_job(s, m);
        if (j->used_ns < least_ns) {
            next_ns = least_ns;
            least_ns = j->used_ns;
            count = 0;
            is_ready = true;
        }
        if (j->used_ns == least_ns) {
            count++;
            is_ready = is_ready && j->is_ready;
        } else if (j->used_ns < next_ns) {
            next_ns = j->used_ns;
        }
    }
    for (hs_job_id m = lane->queue.first; m != HS_NO_JOB && is_ready;
         m = hs_salus_job(s, m)->turn.after)
        if (hs_salus_job(s, m)->used_ns == least_ns)
            hs_salus_job(s, m)->wanted_q32 = ONE_Q32 / count;
    lane->level_ns = next_ns;
    if (is_ready && next_ns < INT64_MAX) {
        hs_u128 wait_ns = (hs_u128)(uint64_t)(next_ns - least_ns) * count;
        lane->due_us = hs_view_now_us(s->v) + (int64_t)((wait_ns + NS_PER_US - 1) / NS_PER_US);
    }
}

/* Shares apply to lanes of several members where the rule does not give one member all turns. */
static bool is_to_share_processor(const struct hs_salus *s, const struct hs_salus_lane *lane)
{
    bool is_crowded = (int64_t)s->sessions > s->fluid_above || s->turns >= s->exact_turns;
    if (lane->members < 2 || has_head(s))
        return false;
    if (lane->is_processor_sharing || s->mode == HS_SALUS_PROCESSOR_SHARING ||
        (s->mode == HS_SALUS_AUTO && is_crowded))
        return true;
    HS_EACH_CHAINED(m, &lane->queue, s->v)
        if (hs_view_step_us(s->v, m) == 0)
            return true;
    return false;
}

/* Decides which members of a touched lane run. O(members). */
static void choose(struct hs_salus *s, uint32_t id)
{
    struct hs_salus_lane *lane = &s->lanes[id];
    if (lane->members == 0)
        return;
    lane->due_us = 0;
    /* Sharing begins at the end of the current mini-batch, as fair may pause its job for long. */
    bool was_shared = lane->is_processor_sharing;
    bool is_in_step = !was_shared && lane->runner != HS_NO_JOB && !is_at_end(s, lane) &&
                      hs_view_step_us(s->v, lane->runner) > 0;
    lane->is_processor_sharing = is_to_share_processor(s, lane) && !is_in_step;
    if (was_shared && !lane->is_processor_sharing) {
        account_all(lane, s);
        if (hs_salus_job(s, lane->queue.first)->share_q32 > 0) { /* the last member runs alone */
            lane->runner = lane->queue.first;
            lane->began_us = hs_view_now_us(s->v);
            hs_salus_job(s, lane->queue.first)->wanted_q32 = ONE_Q32;
        }
    }
    if (!lane->is_processor_sharing) {
        choose_exact(s, lane);
        return;
    }
    account_all(lane, s);
    lane->runner = HS_NO_JOB;
    lane->has_ended = lane->is_awaited = lane->awaits = false;
    HS_EACH_CHAINED(m, &lane->queue, s->v)
        hs_salus_job(s, m)->wanted_q32 = 0;
    if (s->rule == HS_SALUS_FAIR)
        share_fairly(s, lane);
    else
        share_by_step(s, lane);
}

/* ---- the plan ---- */

/* Writes the change of a member's share into the plan. */
static void member_turn(const struct hs_salus *s, uint32_t id, hs_job_id job, bool awaits)
{
    struct hs_salus_job *j = hs_salus_job(s, job);
    bool had_turn = j->share_q32 > 0 || (j->is_candidate && !j->starts_waiting);
    if (awaits)
        hs_plan_notify_step(s->p, job, 1);
    hs_plan_reason(s->p, j->wanted_q32 > 0 ? "its turn in its lane" : "another turn in its lane");
    if (j->wanted_q32 > 0 && j->wanted_q32 != j->given_q32) {
        hs_plan_slice(s->p, job, id + 1, j->wanted_q32);
        j->given_q32 = j->wanted_q32;
    }
    if (j->wanted_q32 > 0 && !had_turn)
        hs_plan_resume(s->p, job);
    else if (j->wanted_q32 == 0 && had_turn)
        hs_plan_pause(s->p, job);
    j->share_q32 = j->wanted_q32;
    j->since_us = hs_view_now_us(s->v);
}

/* Writes the turns of a lane into the plan, after the starts of new members. */
static void write_turns(struct hs_salus *s, uint32_t id)
{
    struct hs_salus_lane *lane = &s->lanes[id];
    lane->is_touched = false;
    if (lane->members == 0)
        return;
    HS_EACH_CHAINED(m, &lane->queue, s->v)
        if (m != lane->runner)
            member_turn(s, id, m, false);
    if (lane->runner != HS_NO_JOB)
        member_turn(s, id, lane->runner, lane->awaits);
    lane->is_awaited = lane->is_awaited || lane->awaits;
    if (lane->due_us > 0)
        hs_plan_timer(s->p, lane->due_us, id);
}

/* ---- events ---- */

static void salus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_salus *s = state;
    s->v = v;
    hs_job_id job = event->job;
    bool is_end = event->kind == HS_EVENT_FINISH || event->kind == HS_EVENT_STOPPED;
    struct hs_salus_job *j = job != HS_NO_JOB ? hs_salus_job(s, job) : NULL;
    const bool is_member = j != NULL && j->lane > 0;
    if (is_end && is_member)
        left(s, job);
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
    case HS_EVENT_STOPPED: /* its GPU ran out of memory */
        hs_salus_queue_add(s, job);
        s->is_awake = true;
        break;
    case HS_EVENT_FINISH:
        hs_salus_queue_remove(s, job);
        s->is_awake = true;
        break;
    case HS_EVENT_PROGRESS:
        if (is_member)
            ready(s, job);
        break;
    case HS_EVENT_STEP: /* the awaited mini-batch is done */
        if (s->lanes[j->lane - 1].runner != job || s->lanes[j->lane - 1].is_processor_sharing)
            break;
        j->steps++;
        s->turns++;
        s->lanes[j->lane - 1].has_ended = true;
        s->lanes[j->lane - 1].is_awaited = false;
        touch(s, j->lane - 1);
        break;
    case HS_EVENT_MEMORY:
        if (is_member)
            hs_salus_lane_renew(s, job);
        s->is_awake = true;
        break;
    case HS_EVENT_TIMER:
        if (event->tag != POLL_TAG)
            due(s, (uint32_t)event->tag);
        break;
    case HS_EVENT_NODE:
        s->is_awake = true;
        break;
    case HS_EVENT_STARTED:
        break;
    }
}

/* ---- decisions ---- */

static enum hs_status salus_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_salus *s = state;
    s->p = p;
    uint32_t mark = hs_plan_mark(p);
    hs_salus_queue_scan(s);
    for (uint32_t id = s->touched; id != HS_NO_LANE; id = s->lanes[id].next_touched)
        choose(s, id);
    bool is_other = false; /* a candidate's start differs from what its lane chose */
    for (hs_job_id m = s->first_candidate; m != HS_NO_JOB; m = hs_salus_job(s, m)->next_candidate) {
        struct hs_salus_job *j = hs_salus_job(s, m);
        bool waits = j->lane > 0 && j->wanted_q32 == 0;
        is_other = is_other || waits != j->starts_waiting;
        j->starts_waiting = waits;
    }
    if (is_other) {
        hs_plan_rollback(p, mark);
        hs_salus_queue_repeat(s);
    }
    for (uint32_t id = s->touched; id != HS_NO_LANE; id = s->lanes[id].next_touched)
        write_turns(s, id);
    s->touched = HS_NO_LANE;
    if (s->mode == HS_SALUS_AUTO && s->turns >= s->exact_turns && !has_head(s) && !s->has_told) {
        hs_plan_count(p, HS_POLICY_COUNTER_TURNS_SHARED);
        s->has_told = true;
    }
    if (s->is_awake && s->armed_us <= hs_view_now_us(v)) { /* something could be tried then */
        s->armed_us = (hs_view_now_us(v) / s->poll_us + 1) * s->poll_us;
        hs_plan_timer(p, s->armed_us, POLL_TAG);
    }
    for (hs_job_id m = s->first_candidate; m != HS_NO_JOB; m = hs_salus_job(s, m)->next_candidate)
        hs_salus_job(s, m)->is_candidate = false;
    s->first_candidate = s->last_candidate = HS_NO_JOB;
    return HS_OK;
}

/* ---- description ---- */

static void salus_semantics(const void *state, struct hs_semantics *out)
{
    static const char *const orders[] = {[HS_SALUS_FIFO] = "submit",
                                         [HS_SALUS_SRTF] = "declared - used time",
                                         [HS_SALUS_PACK] = "mini-batches as handed in",
                                         [HS_SALUS_FAIR] = "used time",
                                         [HS_SALUS_RR] = "mini-batches since a job came"};
    const struct hs_salus *s = state;
    const char *const placements[] = {[HS_SALUS_PAPER] =
                                          HS_TYPES_TEXTS("lanes that grow")[s->types],
                                      [HS_SALUS_CODE] = HS_TYPES_TEXTS("lanes as cut")[s->types],
                                      [HS_SALUS_ONE] = HS_TYPES_TEXTS("one lane a GPU")[s->types]};
    bool is_server = is_plain(s);
    bool may_share_turns =
        s->mode == HS_SALUS_AUTO && s->rule != HS_SALUS_FIFO && s->rule != HS_SALUS_SRTF;
    *out = (struct hs_semantics){
        .order = orders[s->rule],
        .scan = is_server ? "strict" : "fit",
        .placement = is_server ? HS_TYPES_TEXTS("consolidate")[s->types] : placements[model_of(s)],
        .preemption = is_server ? "none"
                      : may_share_turns
                          ? "at mini-batches, memory kept; shares of time after exact_turns"
                          : "at mini-batches, memory kept",
        .cost = s->startup_by == HS_SALUS_BY_MODEL ? "restart at the start" : "free",
        .ties = is_server || s->rule == HS_SALUS_SRTF ? NULL : "as handed in"};
}

/* ---- invariants ---- */

static const char *member_check(const struct hs_salus *s, hs_job_id job)
{
    const struct hs_salus_job *j = hs_salus_job(s, job);
    enum hs_job_state state = hs_view_state(s->v, job);
    if (j->share_q32 > 0)
        return state == HS_JOB_RUNNING && j->is_ready ? NULL
                                                      : "a member that has a turn does not run";
    if (!j->is_ready)
        return state == HS_JOB_STARTING ? NULL : "a member is neither ready nor starting";
    return state == HS_JOB_PAUSED ? NULL : "a member runs without a turn";
}

static const char *turns_check(const struct hs_salus *s, const struct hs_salus_lane *lane)
{
    uint64_t sum_q32 = 0;
    bool all_ready = true;
    HS_EACH_CHAINED(m, &lane->queue, s->v) {
        const char *broken = member_check(s, m);
        all_ready = all_ready && hs_salus_job(s, m)->is_ready;
        if (broken != NULL)
            return broken;
        sum_q32 += hs_salus_job(s, m)->share_q32;
        if (!lane->is_processor_sharing && hs_salus_job(s, m)->share_q32 > 0 && m != lane->runner)
            return "two mini-batches run in a lane";
    }
    if (sum_q32 > ONE_Q32)
        return "the shares of a lane are more than all of its time";
    hs_job_id next = next_in(s, lane);
    bool is_held_up = lane->is_processor_sharing && waits_for_startup(s) && !all_ready;
    if (sum_q32 == 0 && !is_held_up && next != HS_NO_JOB && hs_salus_job(s, next)->is_ready)
        return "no member runs in a lane where one may";
    return lane->is_touched ? "a lane was not looked at" : NULL;
}

static const char *salus_check(const void *state, const struct hs_view *v)
{
    const struct hs_salus *s = state;
    (void)v;
    const char *broken = hs_salus_queue_check(s);
    if (broken == NULL && !s->is_plain)
        broken = hs_salus_lanes_check(s);
    for (uint32_t id = 0; id < s->lanes_used && broken == NULL; id++)
        if (s->lanes[id].members > 0)
            broken = turns_check(s, &s->lanes[id]);
    return broken;
}

/* ---- records ---- */

#define LANE_PARAMS                                                                                \
    HS_PARAM_CHOICE(                                                                               \
        struct hs_salus, lanes_of, "lanes", "auto", lane_names,                                    \
        "which jobs may share a GPU: as in the paper, as in the code, or all in one lane of the "  \
        "whole GPU; auto: paper for pack, one for srtf, fair and rr, none for fifo",               \
        .source = "lanemgr.cpp and the drivers of the trace experiment in Salus' repository"),     \
        HS_PARAM_CHOICE(struct hs_salus, mode, "mode", "auto", mode_names,                         \
                        "for pack, fair, rr. exact: each mini-batch is simulated; fluid: only "    \
                        "the resulting shares of time; auto: exact while at most fluid_above "     \
                        "jobs are admitted, up to exact_turns"),                                   \
        HS_PARAM_INT(struct hs_salus, fluid_above, "fluid_above", "1000", 0, 1e9,                  \
                     "mode=auto: most admitted jobs for which turns are exact",                    \
                     .only_with = "mode=auto", .unit = "jobs"),                                    \
        HS_PARAM_INT(struct hs_salus, exact_turns, "exact_turns", "2000000", 0, 1e12,              \
                     "mode=auto: number of exact turns in a run, one event each, after which "     \
                     "shares of time replace them",                                                \
                     .only_with = "mode=auto", .unit = "mini-batches",                             \
                     .source =                                                                     \
                         "some seconds of simulation; the traces of Salus' paper need fewer"),     \
        HS_PARAM_REAL(struct hs_salus, infl_p, "infl_p", "1.1", 1, 10,                             \
                      "factor on the predicted persistent memory", .source = "Salus' drivers"),    \
        HS_PARAM_REAL(struct hs_salus, infl_total, "infl_total", "1.05", 1, 10,                    \
                      "factor on the sum of this and the memory of a mini-batch",                  \
                      .source = "Salus' drivers"),                                                 \
        HS_PARAM_SIZE_MIB(struct hs_salus, reserve_mib, "reserve", "300MiB", 0, 0,                 \
                          "memory of each GPU that is not given to lanes",                         \
                          .source = "Salus' code"),                                                \
        HS_PARAM_INT(struct hs_salus, max_sessions, "max_sessions", "100", 1, 1e9,                 \
                     "most jobs admitted to one GPU", .unit = "jobs", .source = "Salus' drivers"), \
        HS_PARAM_DURATION(struct hs_salus, poll_us, "poll", "0s", 0, 86400,                        \
                          "admit one job at each multiple of this; 0: at once, any number",        \
                          .source = "0.1 s: the driver of Salus' fifo runs"),                      \
        HS_PARAM_DURATION(struct hs_salus, startup_us, "startup", "0s", 0, 86400,                  \
                          "time that a job spends on the CPU before its first mini-batch"),        \
        HS_PARAM_CHOICE(                                                                           \
            struct hs_salus, startup_by, "startup_by", "fixed", startup_names,                     \
            "fixed: always startup; model: by its model (--restart-table), else startup"),         \
        HS_TYPES_PARAM(struct hs_salus, types),                                                    \
        HS_PARAM_DURATION(                                                                         \
            struct hs_salus, step_us, "step", "0.35s", 1e-6, 86400,                                \
            "length of a mini-batch where the trace has none, for the share of a lane",            \
            .source = "median of seven of Salus' workloads: 0.02 to 1.06 s")

static const struct hs_param salus_params[] = {
    HS_PARAM_CHOICE(struct hs_salus, rule, "rule", "srtf", rule_names,
                    "rule that chooses the job of a lane for the next mini-batch",
                    .source = "the runs of Salus' repository"),
    LANE_PARAMS,
    HS_ESTIMATE_PARAMS(struct hs_salus, estimate, "oracle"),
    {0}};

#define LANE_TABLE(id, rule_of)                                                                    \
    static const struct hs_param id##_params[] = {LANE_PARAMS,                                     \
                                                  HS_PARAM_END(struct hs_salus, rule, rule_of)}
LANE_TABLE(salus_fifo, HS_SALUS_FIFO);
LANE_TABLE(salus_pack, HS_SALUS_PACK);
LANE_TABLE(salus_fair, HS_SALUS_FAIR);
LANE_TABLE(salus_rr, HS_SALUS_RR);
static const struct hs_param salus_srtf_params[] = {
    LANE_PARAMS, HS_ESTIMATE_PARAMS(struct hs_salus, estimate, "oracle"),
    HS_PARAM_END(struct hs_salus, rule, HS_SALUS_SRTF)};

#define SALUS_POLICY(id, policy_name, more_knows, text)                                            \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = (policy_name),                                                                     \
        .summary = (text),                                                                         \
        .cite = "Yu & Chowdhury, MLSys'20 (lanes=paper), and its code (lanes=code, one)",          \
        .can = HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_TIME,                                       \
        .knows = HS_KNOWS_MEMORY | HS_KNOWS_RATE | HS_KNOWS_SPEED | (more_knows),                  \
        .params = id##_params,                                                                     \
        HS_POLICY_HOOKS(salus, struct hs_salus, struct hs_salus_job),                              \
    }

SALUS_POLICY(salus, "salus", HS_ESTIMATE_KNOWS,
             "jobs keep their memory on a GPU and share it by mini-batches");
SALUS_POLICY(salus_fifo, "salus-fifo", 0, "no sharing: the next job starts when its GPUs are free");
SALUS_POLICY(
    salus_srtf, "salus-srtf", HS_ESTIMATE_KNOWS,
    "the job of least declared minus used time runs on a GPU, others wait with their memory on it");
SALUS_POLICY(salus_pack, "salus-pack", 0,
             "mini-batches alternate within lanes, which run concurrently");
SALUS_POLICY(salus_fair, "salus-fair", 0,
             "the next mini-batch is of the job that used the GPU least");
SALUS_POLICY(salus_rr, "salus-rr", 0,
             "the next mini-batch is of the job with fewest since the last arrival");
