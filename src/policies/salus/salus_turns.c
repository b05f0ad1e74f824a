/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns in the lanes of Salus: which member has the next mini-batch (exact), or which share of the
 * time (processor sharing). Each lane where something happened is handled once a decision, in two
 * steps: hs_salus_choose decides, and hs_salus_turn writes it, after the starts of new members.
 *
 * In an exact lane the runner has all the time until its mini-batch is done. The end of that
 * mini-batch is awaited only if another member may be next; otherwise the runner goes on without
 * an event.
 */
#include "policies/salus/salus.h"

#define ONE_Q32   (UINT64_C(1) << 32)
#define NS_PER_US 1000

static struct hs_salus_lane *lane_at(struct hs_salus *s, uint32_t id)
{
    return &s->lanes.lanes[id];
}

static void touch(struct hs_salus *s, uint32_t id)
{
    struct hs_salus_lane *lane = lane_at(s, id);
    if (lane->is_touched)
        return;
    lane->is_touched = true;
    lane->next_touched = s->touched;
    s->touched = id;
}

/* ---- what members have used ---- */

static void account(const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    int64_t now_us = hs_view_now_us(v), passed_us = now_us - j->since_us;
    j->since_us = now_us;
    j->used_ns += (int64_t)((hs_u128)(uint64_t)(passed_us * NS_PER_US) * j->share_q32 >> 32);
}

static void account_all(const struct hs_salus_lane *lane, const struct hs_view *v)
{
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after)
        account(v, m);
}

void hs_salus_came(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    j->used_ns = 0;
    j->since_us = hs_view_now_us(v);
    j->share_q32 = j->wanted_q32 = 0;
    j->given_q32 = ONE_Q32;
    j->declared_us = s->rule == HS_SALUS_SRTF ? hs_view_estimate_us(v, job) : 0;
    if (j->is_ready)
        hs_salus_ready(s, v, job);
    else
        touch(s, j->lane - 1);
}

void hs_salus_ready(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    struct hs_salus_lane *lane = lane_at(s, j->lane - 1);
    j->is_ready = true;
    hs_salus_requeue(&s->lanes, v, job);
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after)
        hs_salus_job(v, m)->steps = 0;
    touch(s, j->lane - 1);
}

void hs_salus_stepped(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    struct hs_salus_lane *lane = lane_at(s, j->lane - 1);
    if (lane->runner != job || lane->is_processor_sharing)
        return;
    j->steps++;
    lane->has_ended = true;
    lane->is_awaited = false;
    touch(s, j->lane - 1);
}

void hs_salus_left(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    uint32_t id = j->lane - 1;
    struct hs_salus_lane *lane = lane_at(s, id);
    account_all(lane, v);
    if (lane->runner == job) {
        lane->runner = HS_NO_JOB;
        lane->has_ended = lane->is_awaited = false;
    }
    j->share_q32 = 0;
    hs_salus_lane_leave(&s->lanes, v, job);
    touch(s, id);
}

/* Shares by fair: members that run have used, to the microsecond, as much as the next one. */
void hs_salus_due(struct hs_salus *s, const struct hs_view *v, uint32_t id)
{
    struct hs_salus_lane *lane = lane_at(s, id);
    if (lane->due_us != hs_view_now_us(v) || lane->members == 0)
        return;
    account_all(lane, v);
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after)
        if (hs_salus_job(v, m)->share_q32 > 0)
            hs_salus_job(v, m)->used_ns = lane->level_ns;
    touch(s, id);
}

/* ---- the rules ---- */

/* One member has all turns until it ends or another comes before it. */
static bool has_head(const struct hs_salus *s)
{
    return s->rule == HS_SALUS_FIFO || s->rule == HS_SALUS_SRTF;
}

/* A member that still starts up has its place in the order, and keeps the others waiting. */
static bool waits_for_startup(const struct hs_salus *s)
{
    return has_head(s) || s->rule == HS_SALUS_FAIR;
}

/* The member of least key is next; of equal keys the first in the queue. */
static int64_t key_of(const struct hs_salus *s, const struct hs_salus_job *j)
{
    switch (s->rule) {
    case HS_SALUS_SRTF: /* a declaration may be anything */
        return j->declared_us - j->used_ns / NS_PER_US;
    case HS_SALUS_FAIR:
        return j->used_ns;
    case HS_SALUS_RR:
        return (int64_t)j->steps;
    case HS_SALUS_FIFO:
    case HS_SALUS_PACK:
        break;
    }
    return 0;
}

/* Of equal keys; `a` stands behind `b` in the queue. A member that starts up has handed no
 * mini-batch in. */
static bool is_before(const struct hs_salus *s, const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    if (has_head(s))
        return hs_job_queue_tie_is_before(v, a, b);
    return hs_salus_job(v, a)->is_ready && !hs_salus_job(v, b)->is_ready;
}

/* The member that is next, ready or not. */
static hs_job_id next_in(const struct hs_salus *s, const struct hs_view *v,
                         const struct hs_salus_lane *lane)
{
    hs_job_id best = HS_NO_JOB;
    int64_t best_key = 0;
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after) {
        const struct hs_salus_job *j = hs_salus_job(v, m);
        int64_t key = key_of(s, j);
        if (!j->is_ready && !waits_for_startup(s))
            continue;
        if (best == HS_NO_JOB || key < best_key || (key == best_key && is_before(s, v, m, best))) {
            best = m;
            best_key = key;
        }
    }
    return best;
}

/* ---- exact ---- */

/* Another member may have the turn after this mini-batch. */
static bool may_end(const struct hs_salus *s, const struct hs_view *v,
                    const struct hs_salus_lane *lane)
{
    if (has_head(s)) /* the first stays first until a member is added */
        return next_in(s, v, lane) != lane->runner;
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after)
        if (m != lane->runner && (hs_salus_job(v, m)->is_ready || waits_for_startup(s)))
            return true;
    return false;
}

/* The mini-batch of the runner is done: by an event, or it happens to be between two now. */
static bool is_at_end(const struct hs_view *v, const struct hs_salus_lane *lane)
{
    return lane->has_ended || (!lane->is_awaited && lane->began_us < hs_view_now_us(v) &&
                               hs_view_is_between_steps(v, lane->runner));
}

static void choose_exact(struct hs_salus *s, const struct hs_view *v, struct hs_salus_lane *lane)
{
    hs_job_id before = lane->runner;
    if (before != HS_NO_JOB) {
        account(v, before);
        if (is_at_end(v, lane)) {
            hs_salus_requeue(&s->lanes, v, before);
            lane->runner = HS_NO_JOB;
            lane->is_awaited = false;
        }
    }
    if (lane->runner == HS_NO_JOB) {
        hs_job_id next = next_in(s, v, lane);
        if (before != HS_NO_JOB)
            hs_salus_job(v, before)->wanted_q32 = 0;
        if (next != HS_NO_JOB && hs_salus_job(v, next)->is_ready) {
            lane->runner = next;
            lane->began_us = hs_view_now_us(v);
            hs_salus_job(v, next)->wanted_q32 = ONE_Q32;
        }
    }
    lane->has_ended = false;
    lane->awaits = lane->runner != HS_NO_JOB && !lane->is_awaited && may_end(s, v, lane);
}

/* ---- processor sharing ---- */

static uint64_t step_us(const struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    int64_t us = hs_view_step_us(v, job);
    return (uint64_t)(us > 0 ? us : s->step_us);
}

/* Shares that turns of one mini-batch each come to. Where their sum is so large that one could be
 * 0, each member gets the least share first: a job without a share is stopped. */
static void share_by_step(struct hs_salus *s, const struct hs_view *v, struct hs_salus_lane *lane)
{
    uint64_t sum_us = 0;
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after)
        if (hs_salus_job(v, m)->is_ready)
            sum_us += step_us(s, v, m);
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after) {
        uint64_t us = step_us(s, v, m);
        if (!hs_salus_job(v, m)->is_ready)
            continue;
        hs_salus_job(v, m)->wanted_q32 =
            sum_us < ONE_Q32 ? us * ONE_Q32 / sum_us
                             : (uint64_t)((hs_u128)us * (ONE_Q32 - lane->members) / sum_us) + 1;
    }
}

/* Members that have used least share the time equally, until they have used as much as the next. */
static void share_fairly(const struct hs_view *v, struct hs_salus_lane *lane)
{
    int64_t least_ns = INT64_MAX, next_ns = INT64_MAX;
    uint64_t count = 0;
    bool is_ready = true;
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after) {
        const struct hs_salus_job *j = hs_salus_job(v, m);
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
    for (hs_job_id m = lane->first; m != HS_NO_JOB && is_ready; m = hs_salus_job(v, m)->after)
        if (hs_salus_job(v, m)->used_ns == least_ns)
            hs_salus_job(v, m)->wanted_q32 = ONE_Q32 / count;
    lane->level_ns = next_ns;
    if (is_ready && next_ns < INT64_MAX) {
        hs_u128 wait_ns = (hs_u128)(uint64_t)(next_ns - least_ns) * count;
        lane->due_us = hs_view_now_us(v) + (int64_t)((wait_ns + NS_PER_US - 1) / NS_PER_US);
    }
}

/* Shares are for lanes of several members where no member has all turns. */
static bool is_to_share_processor(const struct hs_salus *s, const struct hs_view *v,
                                  const struct hs_salus_lane *lane)
{
    bool is_crowded = (int64_t)s->lanes.sessions > s->fluid_above;
    if (lane->members < 2 || has_head(s))
        return false;
    if (lane->is_processor_sharing || s->mode == HS_SALUS_PROCESSOR_SHARING ||
        (s->mode == HS_SALUS_AUTO && is_crowded))
        return true;
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after)
        if (hs_view_step_us(v, m) == 0)
            return true;
    return false;
}

void hs_salus_choose(struct hs_salus *s, const struct hs_view *v, uint32_t id)
{
    struct hs_salus_lane *lane = lane_at(s, id);
    if (lane->members == 0)
        return;
    lane->due_us = 0;
    /* shares begin at the end of the mini-batch under way: fair may pause its job for long */
    bool was_shared = lane->is_processor_sharing;
    bool is_in_step = !was_shared && lane->runner != HS_NO_JOB && !is_at_end(v, lane) &&
                      hs_view_step_us(v, lane->runner) > 0;
    lane->is_processor_sharing = is_to_share_processor(s, v, lane) && !is_in_step;
    if (was_shared && !lane->is_processor_sharing) {
        account_all(lane, v);
        if (hs_salus_job(v, lane->first)->share_q32 > 0) { /* the last member goes on alone */
            lane->runner = lane->first;
            lane->began_us = hs_view_now_us(v);
            hs_salus_job(v, lane->first)->wanted_q32 = ONE_Q32;
        }
    }
    if (!lane->is_processor_sharing) {
        choose_exact(s, v, lane);
        return;
    }
    account_all(lane, v);
    lane->runner = HS_NO_JOB;
    lane->has_ended = lane->is_awaited = lane->awaits = false;
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after)
        hs_salus_job(v, m)->wanted_q32 = 0;
    if (s->rule == HS_SALUS_FAIR)
        share_fairly(v, lane);
    else
        share_by_step(s, v, lane);
}

/* ---- the plan ---- */

/* Changes what a member has into what it wants. */
static void member_turn(const struct hs_view *v, struct hs_plan *p, uint32_t id, hs_job_id job,
                        bool awaits)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    bool had_turn = j->share_q32 > 0 || (j->is_candidate && !j->starts_waiting);
    if (awaits)
        hs_plan_notify_step(p, job, 1);
    hs_plan_reason(p, j->wanted_q32 > 0 ? "its turn in its lane" : "another turn in its lane");
    if (j->wanted_q32 > 0 && j->wanted_q32 != j->given_q32) {
        hs_plan_slice(p, job, id + 1, j->wanted_q32);
        j->given_q32 = j->wanted_q32;
    }
    if (j->wanted_q32 > 0 && !had_turn)
        hs_plan_resume(p, job);
    else if (j->wanted_q32 == 0 && had_turn)
        hs_plan_pause(p, job);
    j->share_q32 = j->wanted_q32;
    j->since_us = hs_view_now_us(v);
}

void hs_salus_turn(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, uint32_t id)
{
    struct hs_salus_lane *lane = lane_at(s, id);
    lane->is_touched = false;
    if (lane->members == 0)
        return;
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after)
        if (m != lane->runner)
            member_turn(v, p, id, m, false);
    if (lane->runner != HS_NO_JOB)
        member_turn(v, p, id, lane->runner, lane->awaits);
    lane->is_awaited = lane->is_awaited || lane->awaits;
    if (lane->due_us > 0)
        hs_plan_timer(p, lane->due_us, id);
}

/* ---- invariants ---- */

static const char *member_check(const struct hs_view *v, hs_job_id job)
{
    const struct hs_salus_job *j = hs_salus_job(v, job);
    enum hs_job_state state = hs_view_state(v, job);
    if (j->share_q32 > 0)
        return state == HS_JOB_RUNNING && j->is_ready ? NULL
                                                      : "a member that has a turn does not run";
    if (!j->is_ready)
        return state == HS_JOB_STARTING ? NULL : "a member is neither ready nor starting";
    return state == HS_JOB_PAUSED ? NULL : "a member runs without a turn";
}

static const char *turns_check(const struct hs_salus *s, const struct hs_view *v,
                               const struct hs_salus_lane *lane)
{
    uint64_t sum_q32 = 0;
    bool all_ready = true;
    for (hs_job_id m = lane->first; m != HS_NO_JOB; m = hs_salus_job(v, m)->after) {
        const char *broken = member_check(v, m);
        all_ready = all_ready && hs_salus_job(v, m)->is_ready;
        if (broken != NULL)
            return broken;
        sum_q32 += hs_salus_job(v, m)->share_q32;
        if (!lane->is_processor_sharing && hs_salus_job(v, m)->share_q32 > 0 && m != lane->runner)
            return "two mini-batches run in a lane";
    }
    if (sum_q32 > ONE_Q32)
        return "the shares of a lane are more than all of its time";
    hs_job_id next = next_in(s, v, lane);
    bool is_held_up = lane->is_processor_sharing && waits_for_startup(s) && !all_ready;
    if (sum_q32 == 0 && !is_held_up && next != HS_NO_JOB && hs_salus_job(v, next)->is_ready)
        return "no member runs in a lane where one may";
    return lane->is_touched ? "a lane was not looked at" : NULL;
}

const char *hs_salus_turns_check(const struct hs_salus *s, const struct hs_view *v)
{
    for (uint32_t id = 0; id < s->lanes.lanes_used; id++) {
        const struct hs_salus_lane *lane = &s->lanes.lanes[id];
        const char *broken = lane->members > 0 ? turns_check(s, v, lane) : NULL;
        if (broken != NULL)
            return broken;
    }
    return NULL;
}
