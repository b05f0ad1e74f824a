/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Service is accounted when the state of a job changes, and the moment at which a job will change
 * its queue is kept in order, so that nothing is done for jobs that stay where they are. One timer
 * is set, for the first such moment.
 */
#include "policies/kit_tiresias.h"

#include "policies/kit_queue.h"
#include "policies/kit_service.h"

enum { INDEX_LAS, INDEX_GITTINS };
enum { GITTINS_EXACT, GITTINS_REPO };
enum { INQUEUE_RUNNING_FIRST, INQUEUE_SUBMIT };
const char *const hs_tiresias_index_names[] = {"las", "gittins", NULL};
const char *const hs_tiresias_gittins_names[] = {"exact", "repo", NULL};
const char *const hs_tiresias_inqueue_names[] = {"running_first", "submit", NULL};
const char *const hs_tiresias_compat_names[] = {"off", "tiresias", "helios", "muri", NULL};

static bool is_by_arrival(const struct hs_tiresias *t)
{
    return t->index == INDEX_LAS && t->inqueue == INQUEUE_RUNNING_FIRST;
}

void hs_tiresias_needs(const struct hs_tiresias *t, uint32_t *can, uint32_t *knows)
{
    *can = HS_CAN_PREEMPT | HS_CAN_TIME;
    *knows = (t->index == INDEX_GITTINS ? HS_KNOWS_HISTORY : 0) |
             (t->compat == HS_COMPAT_MURI ? HS_KNOWS_DURATION : 0) |
             (t->placement == HS_PLACE_SKEW ? HS_KNOWS_MODEL : 0);
}

enum hs_status hs_tiresias_init(struct hs_tiresias *t, const struct hs_view *v, bool weighs_gpus)
{
    t->weighs_gpus = weighs_gpus;
    t->levels = t->limits.count + 1;
    t->vcs = hs_view_vcs(v);
    t->by_vc = hs_view_alloc(v, t->vcs * sizeof *t->by_vc);
    t->is_awake = hs_view_alloc(v, t->vcs * sizeof *t->is_awake);
    if (t->by_vc == NULL || t->is_awake == NULL)
        return HS_E_MEMORY;
    for (uint32_t vc = 0; vc < t->vcs; vc++) {
        struct hs_tiresias_queues *q = &t->by_vc[vc];
        q->due.link_offset = offsetof(struct hs_tiresias_job, due);
        q->lead = q->starting = INT64_MIN / 2;
        q->holding = hs_view_alloc(v, t->levels * sizeof *q->holding);
        q->waiting = hs_view_alloc(v, t->levels * sizeof *q->waiting);
        if (q->holding == NULL || q->waiting == NULL)
            return HS_E_MEMORY;
        for (uint32_t level = 0; level < t->levels; level++)
            q->holding[level] = (struct hs_class){.set.is_backwards = true, .level = level};
    }
    if (t->index == INDEX_LAS)
        return HS_OK;
    t->gittins.is_repo = t->gittins_form == GITTINS_REPO;
    t->gittins.repo_delta_us = t->gittins_delta_us;
    return t->samples != NULL ? hs_gittins_load(&t->gittins, v, t->samples)
                              : hs_gittins_init(&t->gittins, v);
}

/* ---- the queues ---- */

static int64_t gittins_key(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const struct hs_tiresias *t = ctx;
    struct hs_tiresias_job *j = hs_service_job(v, job);
    int64_t served_us = j->choice.is_served ? hs_view_now_us(v) - j->since_us : 0;
    int64_t delta_us = j->choice.level + 1u < t->levels ? t->limits.us[j->choice.level] : INT64_MAX;
    int64_t attained = hs_choice_weigh(j->service_us + served_us, hs_service_weight(t, v, job));
    struct hs_gittins_hint none = {0};
    return -hs_gittins_index(&t->gittins, attained, delta_us,
                             hs_service_promotes(t) ? &none : &j->hint);
}

/* By its place, if that is what the order goes by. */
static int64_t key_of(const struct hs_tiresias *t, const struct hs_view *v, hs_job_id job,
                      int64_t place)
{
    if (t->index == INDEX_GITTINS)
        return gittins_key(v, job, t);
    return t->inqueue == INQUEUE_SUBMIT ? hs_view_submit_us(v, job) : place;
}

static void waiting_add(const struct hs_tiresias *t, struct hs_tiresias_queues *q,
                        const struct hs_view *v, hs_job_id job, int64_t place)
{
    struct hs_gangs *queue = &q->waiting[hs_service_job(v, job)->choice.level];
    hs_gangs_add(queue, v, job, key_of(t, v, job, place));
}

static void holding_add(const struct hs_tiresias *t, struct hs_tiresias_queues *q,
                        const struct hs_view *v, hs_job_id job, int64_t place)
{
    if (hs_view_gpus(v, job) == 0) /* a CPU job is never in anyone's way */
        return;
    hs_front_add(&q->holding[hs_service_job(v, job)->choice.level].set, v, job,
                 key_of(t, v, job, place));
}

static void queue_remove(struct hs_tiresias_queues *q, const struct hs_view *v, hs_job_id job)
{
    const struct hs_tiresias_job *j = hs_service_job(v, job);
    if (!j->choice.link.is_linked)
        return;
    if (j->choice.is_holding)
        hs_front_remove(&q->holding[j->choice.level].set, v, job);
    else
        hs_gangs_remove(&q->waiting[j->choice.level], v, job);
}

/* ---- events ---- */

static void started(struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct hs_tiresias_queues *q = hs_service_queues(t, v, job);
    struct hs_tiresias_job *j = hs_service_job(v, job);
    hs_service_account(t, v, job);
    hs_service_forget(q, v, job);
    queue_remove(q, v, job);
    j->choice.is_holding = true;
    j->choice.is_served = hs_service_counts_costs(t) || hs_view_state(v, job) == HS_JOB_RUNNING;
    holding_add(t, q, v, job, ++q->starting);
    q->held += hs_view_gpus(v, job);
    hs_service_watch(t, q, v, job);
}

static void progresses(struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct hs_tiresias_queues *q = hs_service_queues(t, v, job);
    hs_service_account(t, v, job);
    hs_service_forget(q, v, job);
    hs_service_job(v, job)->choice.is_served = true;
    hs_service_watch(t, q, v, job);
}

/* It was evicted: these jobs share no GPU, whose memory could run out. */
static void stopped(struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct hs_tiresias_queues *q = hs_service_queues(t, v, job);
    struct hs_tiresias_job *j = hs_service_job(v, job);
    bool is_at_tail = j->choice.link.key > 0;
    hs_service_account(t, v, job);
    hs_service_forget(q, v, job);
    queue_remove(q, v, job);
    q->held -= hs_view_gpus(v, job);
    j->choice.is_holding = j->choice.is_served = j->choice.is_evicted = false;
    waiting_add(t, q, v, job, is_at_tail ? j->choice.link.key : q->stopped++);
    hs_service_watch(t, q, v, job);
}

/* Service of a finished job, for the Gittins index: all that it had, before promotions, too. */
static HS_COLD void learn(struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    const struct hs_tiresias_job *j = hs_service_job(v, job);
    int64_t had_us = hs_service_counts_costs(t) ? j->service_us : hs_view_attained_us(v, job);
    int64_t service = hs_choice_weigh(had_us, hs_service_weight(t, v, job));
    bool is_news = j->choice.is_holding && hs_gittins_learn(&t->gittins, service);
    for (uint32_t vc = 0; is_news && vc < t->vcs; vc++)
        t->by_vc[vc].is_stale = true;
}

static void finished(struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct hs_tiresias_queues *q = hs_service_queues(t, v, job);
    const struct hs_tiresias_job *j = hs_service_job(v, job);
    hs_service_forget(q, v, job);
    queue_remove(q, v, job);
    q->held -= j->choice.is_holding ? hs_view_gpus(v, job) : 0;
    if (t->index == INDEX_GITTINS) {
        hs_service_account(t, v, job);
        learn(t, v, job);
    }
    hs_wake(t->is_awake, t->vcs, v, job);
}

static void submitted(struct hs_tiresias *t, const struct hs_view *v, hs_job_id job)
{
    struct hs_tiresias_queues *q = hs_service_queues(t, v, job);
    hs_service_job(v, job)->since_us = hs_view_now_us(v);
    waiting_add(t, q, v, job, ++q->tail);
    hs_wake(t->is_awake, t->vcs, v, job);
}

void hs_tiresias_event(struct hs_tiresias *t, const struct hs_view *v, const struct hs_event *event)
{
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        submitted(t, v, job);
        break;
    case HS_EVENT_STARTED:
        started(t, v, job);
        break;
    case HS_EVENT_PROGRESS:
        progresses(t, v, job);
        break;
    case HS_EVENT_STOPPED:
        stopped(t, v, job);
        break;
    case HS_EVENT_FINISH:
        finished(t, v, job);
        break;
    case HS_EVENT_TIMER:
        if (t->armed_us <= hs_view_now_us(v))
            t->armed_us = 0;
        break;
    case HS_EVENT_STEP:
    case HS_EVENT_MEMORY:
        break;
    }
}

/* ---- decisions ---- */

/* compat=muri: whoever holds GPUs loses the time of a restart at every event, a submission, an end
 * or a timer of the queues; there service is compared with the limit, however the timer rounds. */
static HS_COLD void lose_restarts(struct hs_tiresias *t, const struct hs_view *v, struct hs_plan *p,
                                  struct hs_tiresias_queues *q)
{
    int64_t now_us = hs_view_now_us(v), since_us = now_us - q->decided_us;
    q->decided_us = now_us;
    hs_plan_because(p, hs_compat_lost_text);
    for (uint32_t level = 0; level < t->levels; level++) {
        struct hs_front *set = &q->holding[level].set;
        hs_job_id j = hs_front_first(set, v);
        while (j != HS_NO_JOB) /* backwards, up to where the queue begins */
            j = hs_front_next(set, v, j);
        for (j = hs_front_reached(set); j != HS_NO_JOB; j = hs_front_prev(set, v, j)) {
            if (since_us > 0)
                hs_plan_owe(p, j, hs_compat_lost_us(v, j, since_us));
            if (hs_service_is_beyond(t, v, j)) {
                hs_service_forget(q, v, j);
                hs_front_add(&q->due, v, j, now_us);
            }
        }
    }
}

/* When the first job is; HS_NEVER_DUE if none will be. */
static inline int64_t first_due_us(struct hs_tiresias_queues *q, const struct hs_view *v)
{
    hs_job_id first = hs_front_first(&q->due, v);
    return first != HS_NO_JOB ? hs_service_job(v, first)->due.key : HS_NEVER_DUE;
}

/* Jobs that are due change their queue, in order of row; `moved` gets those that hold GPUs. They
 * stand at the tail, behind those that wait, until the others are chosen. */
static HS_COLD void change_queues(struct hs_tiresias *t, const struct hs_view *v,
                                  struct hs_tiresias_queues *q, struct hs_order *moved)
{
    hs_job_id job;
    do {
        job = hs_front_first(&q->due, v);
        hs_front_remove(&q->due, v, job);
        hs_order_add(moved, v, job, 0);
    } while (first_due_us(q, v) <= hs_view_now_us(v));
    for (hs_job_id next = hs_order_first(moved, v); (job = next) != HS_NO_JOB;) {
        struct hs_tiresias_job *j = hs_service_job(v, job);
        next = hs_order_next(moved, v, job);
        hs_service_account(t, v, job);
        queue_remove(q, v, job);
        if (j->choice.is_holding) {
            j->choice.level++;
            holding_add(t, q, v, job, ++q->tail);
        } else {
            hs_order_remove(moved, v, job);
            j->choice.level = 0;
            j->service_us = j->waited_us = 0;
            waiting_add(t, q, v, job, ++q->tail);
        }
    }
}

/* Those of waiting jobs change with the sample, those of holders with their service. The latter are
 * looked up when they are asked for; under compat=muri all are, in whose order costs are owed. */
static HS_COLD void look_indices_up(const struct hs_tiresias *t, const struct hs_view *v,
                                    struct hs_tiresias_queues *q)
{
    uint32_t waiting = 0;
    for (uint32_t level = 0; level < t->levels; level++)
        waiting += q->waiting[level].count;
    for (uint32_t level = 0; waiting > 0 && level < t->levels; level++) {
        q->holding[level].is_stale = t->compat != HS_COMPAT_MURI;
        if (!q->holding[level].is_stale)
            hs_front_rekey_all(&q->holding[level].set, v, gittins_key, t);
        if (q->is_stale)
            hs_gangs_rekey_all(&q->waiting[level], v, gittins_key, t);
    }
    q->is_stale = q->is_stale && waiting == 0;
}

/* "in queue 1: ..."; of the last ones together, should there be so many. */
#define OF_QUEUES(before, after)                                                                   \
    {                                                                                              \
        before "1" after, before "2" after, before "3" after, before "4" after, before "5" after,  \
            before "6" after, before "7" after, before "8" after, before "9" after                 \
    }

static const char *because(const struct hs_view *v, hs_job_id job, bool is_evicted)
{
    static const char *const of_turn[] = OF_QUEUES("its turn in queue ", "");
    static const char *const of_eviction[] =
        OF_QUEUES("in queue ", ": jobs before it get its GPUs");
    static const char *const of_demotion[] =
        OF_QUEUES("served beyond the limit, now in queue ", ": jobs before it get its GPUs");
    _Static_assert(HS_DURATIONS_MAX < sizeof of_turn / sizeof *of_turn, "a text a queue");
    const struct hs_tiresias_job *j = hs_service_job(v, job);
    if (!is_evicted)
        return of_turn[j->choice.level];
    bool is_just_demoted = j->choice.link.key > 0;
    return is_just_demoted ? of_demotion[j->choice.level] : of_eviction[j->choice.level];
}

/* Evicted jobs come before all that wait in their queue, in the order that they had, in which it is
 * told that they stopped; but one that has just come to the queue keeps its place at the tail. */
static void mark_evicted(const struct hs_view *v, struct hs_tiresias_queues *q,
                         const struct hs_choice *choice)
{
    int64_t count = 0;
    for (hs_job_id j = choice->evicted.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        hs_service_job(v, j)->choice.is_evicted = true;
        count++;
    }
    q->front -= count;
    q->stopped = q->front;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When jobs that this plan starts or evicts will be due: it is the last chance to set a timer.
 * Those that it starts are counted. */
static int64_t due_of_plan(const struct hs_tiresias *t, const struct hs_view *v,
                           struct hs_tiresias_queues *q, const struct hs_choice *choice)
{
    int64_t at_us = HS_NEVER_DUE;
    q->starting = q->lead;
    for (hs_job_id j = choice->chosen.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        q->lead++;
        hs_service_account(t, v, j);
        at_us = earlier(at_us, hs_service_demotion_us(t, v, j));
    }
    for (hs_job_id j = choice->evicted.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        hs_service_account(t, v, j);
        at_us = earlier(at_us, hs_service_promotion_us(t, v, j));
    }
    return at_us;
}

/* Who changed its queue and holds on to its GPUs comes behind the holders there, those included
 * that this decision starts. */
static void settle_moved(const struct hs_tiresias *t, const struct hs_view *v,
                         struct hs_tiresias_queues *q, struct hs_order *moved)
{
    for (hs_job_id job; (job = hs_order_first(moved, v)) != HS_NO_JOB;) {
        hs_order_remove(moved, v, job);
        if (hs_service_job(v, job)->choice.is_evicted)
            continue;
        if (is_by_arrival(t) && hs_order_has(v, job)) {
            queue_remove(q, v, job);
            holding_add(t, q, v, job, ++q->lead);
        }
        hs_service_watch(t, q, v, job);
    }
}

/* One virtual cluster; when its jobs started and evicted now will be due. */
static int64_t decide_queues(struct hs_tiresias *t, const struct hs_view *v, struct hs_plan *p,
                             uint32_t vc)
{
    struct hs_tiresias_queues *q = &t->by_vc[vc];
    struct hs_order moved = {.link_offset = offsetof(struct hs_tiresias_job, due)};
    struct hs_choice choice;
    const int64_t now_us = hs_view_now_us(v);
    int64_t due_us = first_due_us(q, v);
    if (!t->is_awake[vc] && due_us > now_us)
        return HS_NEVER_DUE;
    if (t->compat == HS_COMPAT_MURI) {
        lose_restarts(t, v, p, q);
        due_us = first_due_us(q, v);
    }
    if (due_us <= now_us)
        change_queues(t, v, q, &moved);
    t->is_awake[vc] = false;
    if (t->index == INDEX_GITTINS)
        look_indices_up(t, v, q);
    choice.classes = q->holding;
    choice.class_count = choice.levels = t->levels;
    choice.is_apart = true;
    choice.waiting = q->waiting;
    choice.by_submit = t->index == INDEX_GITTINS;
    choice.key_of = gittins_key;
    choice.key_ctx = t;
    choice.room = hs_queue_room(v, vc);
    choice.held = q->held;
    choice.because = because;
    hs_choose(&choice, v);
    if (choice.evicted.first != HS_NO_JOB)
        mark_evicted(v, q, &choice);
    hs_choice_apply(&choice, v, p, (enum hs_placer)t->placement, &t->cost,
                    (enum hs_compat)t->compat);
    due_us = due_of_plan(t, v, q, &choice);
    settle_moved(t, v, q, &moved);
    return due_us;
}

/* The first round at or after that time; the time itself without rounds. */
static int64_t round_from(const struct hs_tiresias *t, int64_t at_us)
{
    if (t->round_us == 0)
        return at_us;
    int64_t since_us = at_us > t->phase_us ? at_us - t->phase_us : 0;
    return t->phase_us + (since_us + t->round_us - 1) / t->round_us * t->round_us;
}

static void arm(struct hs_tiresias *t, const struct hs_view *v, struct hs_plan *p, int64_t due_us)
{
    int64_t now_us = hs_view_now_us(v);
    if (due_us == HS_NEVER_DUE)
        return;
    bool is_decided = t->round_us > 0 && round_from(t, now_us) == now_us;
    int64_t first_us = is_decided ? now_us + 1 : now_us;
    int64_t at_us = round_from(t, due_us > first_us ? due_us : first_us);
    if (t->armed_us > now_us && t->armed_us <= at_us)
        return;
    t->armed_us = at_us;
    hs_plan_timer(p, at_us, 0);
}

void hs_tiresias_decide(struct hs_tiresias *t, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v), due_us = HS_NEVER_DUE;
    bool is_round = round_from(t, now_us) == now_us;
    for (uint32_t vc = 0; vc < t->vcs; vc++) {
        struct hs_tiresias_queues *q = &t->by_vc[vc];
        if (is_round)
            due_us = earlier(due_us, decide_queues(t, v, p, vc));
        else if (t->is_awake[vc])
            due_us = now_us;
        due_us = earlier(due_us, first_due_us(q, v));
    }
    arm(t, v, p, due_us);
}

void hs_tiresias_semantics(const struct hs_tiresias *t, const char *const orders[3],
                           struct hs_semantics *out)
{
    *out = (struct hs_semantics){.order = orders[t->index == INDEX_GITTINS ? 2 : t->inqueue],
                                 .scan = "fit",
                                 .placement = hs_placer_names[t->placement],
                                 .preemption = "evict",
                                 .cost = hs_cost_text(&t->cost, t->compat == HS_COMPAT_MURI),
                                 .ties = "jobs that hold GPUs, then submission, then trace row"};
}

static const char *queues_check(const struct hs_tiresias *t, const struct hs_tiresias_queues *q,
                                const struct hs_view *v)
{
    uint64_t held = 0;
    for (uint32_t level = 0; level < t->levels; level++) {
        struct hs_front *holding = &q->holding[level].set;
        struct hs_gangs *waiting = &q->waiting[level];
        if (!hs_front_is_valid(holding, v) || !hs_gangs_is_valid(waiting, v))
            return "a queue is out of order";
        for (hs_job_id j = HS_NO_JOB; (j = hs_front_another(holding, v, j)) != HS_NO_JOB;) {
            if (hs_job_waits(v, j) || hs_service_job(v, j)->choice.level != level)
                return "a queue counts a waiting job, or one of another, among those with GPUs";
            held += hs_view_gpus(v, j);
        }
        for (hs_job_id j = HS_NO_JOB; (j = hs_gangs_another(waiting, v, j)) != HS_NO_JOB;)
            if (!hs_job_waits(v, j) || hs_service_job(v, j)->choice.level != level)
                return "a queue counts a job with GPUs, or one of another, among those that wait";
    }
    return held == q->held ? NULL : "the GPUs that the jobs of a queue hold are miscounted";
}

const char *hs_tiresias_check(const struct hs_tiresias *t, const struct hs_view *v)
{
    for (uint32_t vc = 0; vc < t->vcs; vc++) {
        const char *fault = queues_check(t, &t->by_vc[vc], v);
        if (fault != NULL)
            return fault;
    }
    return NULL;
}
