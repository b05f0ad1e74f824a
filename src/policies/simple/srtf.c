/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Preemptive orders: shortest remaining time first (srtf) and shortest remaining service first
 * (srsf: time x GPUs), preemptive, in two published forms:
 *
 *     evict    the Helios artifact: at each decision jobs are chosen by GPU count, running and
 *              waiting ones together in order of what they have left; running jobs that were not
 *              chosen make way, the chosen waiting ones are placed round those that stay, and one
 *              that cannot be placed waits. Ties: jobs that hold GPUs first, then submission, rank;
 *              under compat=helios as the artifact, which sorts its queue and, behind it, its list
 *              of running jobs, stably: waiting jobs first, each in order of entry in their list.
 *              Cost of a decision: preempt_select.h; nothing when no job waits.
 *     replace  Tiresias' simulator (`shortest`, `shortest-gpu`): all live jobs are placed anew on
 *              an empty cluster, in order; those that find no place are preempted. With
 *              placement=count no job has a place, so none moves: the first jobs that fit by number
 *              hold the GPUs. Ties keep the order of the decision before, newcomers last: the
 *              published simulator sorts one list, stably, for ever, and its results depend on it.
 *              So a list a VC is sorted anew at each decision by insertion, which is stable: it is
 *              nearly in order. Cost: O(live jobs), and a step for each pair that changed places.
 *
 * What a job has left is true under pred=oracle, unpaid costs included; else its estimate less what
 * it attained, negative when it has outrun it: it is expected to end at any moment, and no job is
 * put before it.
 *
 * Earliest deadline first (edf) and least laxity first (llf: deadline - now - what is left) are
 * form evict by other keys. Decisions are at arrivals and ends, so laxities that cross between them
 * count at the next.
 *
 * Form evict: the key of a running job is when it will be done, which does not change while it
 * holds its GPUs; times GPUs, jobs of one size keep their order, so each size has a class. Sizes
 * that differ add up to the GPUs held, so there are few.
 */
#include "policies/lib/vc_queues.h"

enum srtf_order { BY_REMAINING, BY_SERVICE, BY_DEADLINE, BY_LAXITY };
enum { FORM_EVICT, FORM_REPLACE };
static const char *const form_names[] = {"evict", "replace", NULL};
enum { COMPAT_OFF, COMPAT_HELIOS, COMPAT_MURI };
static const char *const compat_names[] = {"off", "helios", "muri", NULL};
enum { ADMISSION_NONE, ADMISSION_REJECT, ADMISSION_DEMOTE };
static const char *const admission_names[] = {"none", "reject", "demote", NULL};

/* The jobs of a VC that hold GPUs: one class, or under srsf one for each gang size. */
struct running_jobs {
    struct hs_running_class *classes;
    uint32_t count;
    uint64_t held; /* GPUs that they hold */
};

/* form=replace: stands first in the scratch of each job. */
struct replace_scratch {
    struct hs_job_chain_link link; /* in the list of its VC */
    int64_t key;
    int64_t lost_us; /* time that it loses at this decision (compat=muri) */
    bool is_chosen;
};

/* form=evict under srtf and srsf: the scratch of each job. */
struct evict_scratch {
    struct hs_evict_link link;
    struct hs_job_queue_link by_start; /* reclaim: among the jobs of its VC that hold GPUs */
    uint64_t entry;                    /* compat=helios: number of its last entry in a list */
};

/* edf, llf: the scratch of each job. */
enum due_state { DUE_NONE, DUE_ADMITTED, DUE_REFUSED }; /* none: or demoted */
struct due_scratch {
    struct evict_scratch evict;
    struct hs_job_queue_link due; /* among the admitted jobs, by deadline */
    enum due_state state;
};
#define NO_DEADLINE (INT64_MAX / 2) /* behind all deadlines, and no sum with a time overflows */

/* form=replace: all live jobs of one VC, in the order of its last decision. */
struct job_list {
    struct hs_job_chain jobs;
    int64_t decided_us; /* time of the last decision */
};

struct srtf {
    int32_t form, compat;
    struct hs_place_rule placement;
    struct hs_estimate_choice estimate;
    struct hs_preempt_cost cost;
    struct hs_priority priority;
    int32_t admission;             /* edf, llf */
    bool preempts;                 /* edf, llf; the parameters end here */
    int32_t order;                 /* enum srtf_order; of the policy */
    struct hs_job_queue *waiting;  /* form=evict: one per VC */
    struct running_jobs *running;  /* form=evict: one per VC */
    struct job_list *lists;        /* form=replace: one per VC */
    struct hs_evictions evictions; /* form=evict */
    struct hs_job_queue *due;      /* edf, llf, per VC: admitted jobs by deadline */
    struct hs_job_queue refused;   /* edf, llf: to be rejected by the next decision */
    uint64_t entries;              /* compat=helios: jobs that started to wait or to run */
    bool *is_awake;                /* per VC: a job came or ended since its last decision */
    uint32_t vcs;
};

static bool is_replacing(const struct srtf *s)
{
    /* compat=muri exists in the form replace only. */
    return s->form == FORM_REPLACE || s->compat == COMPAT_MURI;
}

static enum hs_compat compat_of(const struct srtf *s)
{
    return s->compat == COMPAT_HELIOS ? HS_COMPAT_HELIOS
           : s->compat == COMPAT_MURI ? HS_COMPAT_MURI
                                      : HS_COMPAT_OFF;
}

/* Remaining time of a job as of now, unpaid costs included, times its weight: on the GPUs that it
 * holds, where it then decreases by a second per second; else on the reference type. */
static int64_t left_us(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const struct srtf *s = ctx;
    bool is_true = s->estimate.from == HS_ESTIMATE_ORACLE;
    if (is_true && !hs_job_waits(v, job))
        return hs_view_finish_us(v, job) - hs_view_now_us(v);
    int64_t work_us = is_true ? hs_view_remaining_us(v, job)
                              : hs_view_estimate_us(v, job) - hs_view_attained_us(v, job);
    return work_us + hs_view_cost_left_us(v, job) + hs_compat_first_us(compat_of(s), v, job);
}

static int64_t weight_of(const struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    return s->order == BY_SERVICE ? (int64_t)hs_view_gpus(v, job) : 1;
}

/* Deadlines alone order jobs, unless they are admitted by what is left to do. */
static bool uses_estimates(const struct srtf *s)
{
    return s->order != BY_DEADLINE || s->admission != ADMISSION_NONE;
}

static void srtf_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct srtf *s = state;
    if (!hs_evictions_can(&s->priority, s->priority.classes != HS_CLASS_IGNORE))
        *can &= ~(uint32_t)HS_CAN_TIME;
    if (s->order >= BY_DEADLINE && !s->preempts)
        *can &= ~(uint32_t)(HS_CAN_PREEMPT | HS_CAN_TIME);
    if (!uses_estimates(s))
        *knows &= ~(uint32_t)HS_ESTIMATE_KNOWS;
    hs_estimate_needs(&s->estimate, knows);
    hs_place_needs(s->placement, knows);
    if (s->compat == COMPAT_MURI) /* iterations take longer by a share of the run time */
        *knows |= HS_KNOWS_DURATION;
}

static void hold(void *state, const struct hs_view *v, hs_job_id job, bool holds);

static enum hs_status open_queues(struct srtf *s, const struct hs_view *v)
{
    const struct hs_priority *priority = &s->priority;
    if (is_replacing(s) && (priority->classes != HS_CLASS_IGNORE || priority->reclaims))
        return hs_view_fail(v, HS_E_USAGE, "class and reclaim=yes need form=evict");
    if (s->order >= BY_DEADLINE && !s->preempts && priority->reclaims)
        return hs_view_fail(v, HS_E_USAGE, "reclaim=yes needs preempt=yes");
    HS_TRY(hs_evictions_init(&s->evictions, v, priority, &s->cost, false));
    s->evictions.hold = hold;
    s->evictions.state = s;
    struct hs_job_queue *by_start = hs_view_alloc(v, v->vcs * sizeof *by_start);
    s->vcs = v->vcs;
    s->is_awake = hs_view_alloc(v, s->vcs * sizeof *s->is_awake);
    s->lists = hs_view_alloc(v, s->vcs * sizeof *s->lists);
    s->waiting = hs_view_alloc(v, s->vcs * sizeof *s->waiting);
    s->running = hs_view_alloc(v, s->vcs * sizeof *s->running);
    s->due = hs_view_alloc(v, s->vcs * sizeof *s->due);
    for (uint32_t vc = 0; vc < s->vcs; vc++) {
        /* Gangs of k different sizes hold at least 1 + 2 + ... + k GPUs together, which bounds the
         * number of classes. llf has two. */
        uint64_t gpus = s->order == BY_SERVICE ? hs_view_total_gpus(v, vc) : 0,
                 classes = s->order == BY_LAXITY;
        for (uint64_t needed = 0; needed <= gpus; needed += classes)
            classes++;
        s->lists[vc].jobs = hs_job_chain_empty(offsetof(struct replace_scratch, link));
        s->running[vc].classes = hs_view_alloc(v, classes * sizeof *s->running[vc].classes);
        s->waiting[vc].levels = hs_priority_counts(priority) ? priority : NULL;
        by_start[vc] =
            (struct hs_job_queue){.link_offset = offsetof(struct evict_scratch, by_start),
                                  .levels = s->waiting[vc].levels};
        hs_evictions_order(&s->evictions, vc, &by_start[vc]);
        s->due[vc].link_offset = offsetof(struct due_scratch, due);
        if (s->compat == COMPAT_HELIOS)
            s->waiting[vc].tie_offset = offsetof(struct evict_scratch, entry);
    }
    return HS_OK;
}

static enum hs_status srtf_init(void *state, const struct hs_view *v)
{
    struct srtf *s = state;
    HS_TRY(open_queues(s, v));
    return uses_estimates(s) ? hs_estimate_open(&s->estimate, v) : HS_OK;
}

/* ---- form replace ---- */

static struct replace_scratch *link_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* Whether a job comes behind another, by keys that are up to date. */
static bool is_behind(const struct srtf *s, const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    if (hs_priority_counts(&s->priority)) {
        const int64_t level_a = hs_priority_level(&s->priority, v, a);
        const int64_t level_b = hs_priority_level(&s->priority, v, b);
        if (level_a != level_b)
            return level_a > level_b;
    }
    return link_of(v, a)->key > link_of(v, b)->key;
}

static void list_sort(struct job_list *list, const struct hs_view *v, const struct srtf *s)
{
    for (hs_job_id at = list->jobs.first, after; at != HS_NO_JOB; at = after) {
        struct replace_scratch *link = link_of(v, at);
        after = link->link.after;
        link->key = hs_choice_weigh(left_us(v, at, s) + link->lost_us, weight_of(s, v, at));
        link->is_chosen = false;
        hs_job_id before = link->link.before;
        while (before != HS_NO_JOB && is_behind(s, v, before, at))
            before = link_of(v, before)->link.before;
        if (before != link->link.before) {
            hs_job_chain_remove(&list->jobs, v, at);
            hs_job_chain_insert(&list->jobs, v, at, before);
        }
    }
}

/* Chooses the first jobs that fit by number; running jobs that were not chosen are evicted. */
static void decide_by_count(const struct job_list *list, const struct hs_view *v, struct hs_plan *p,
                            uint64_t capacity, const struct srtf *s)
{
    hs_plan_reason(p, "not among the first in the order that fit by number");
    HS_EACH_CHAINED(at, &list->jobs, v) {
        uint32_t gpus = hs_view_gpus(v, at);
        link_of(v, at)->is_chosen = gpus <= capacity;
        if (gpus <= capacity)
            capacity -= gpus;
        else if (hs_view_gpus_held(v, at) > 0)
            hs_plan_preempt(p, at, hs_cost_us(&s->cost, v, at));
    }
    HS_EACH_CHAINED(at, &list->jobs, v) {
        hs_plan_reason(p, NULL);
        if (link_of(v, at)->is_chosen && hs_job_waits(v, at) && hs_place(v, p, at, s->placement))
            hs_compat_add_overhead(compat_of(s), v, p, at);
    }
}

/* Takes all jobs off their GPUs and places them again in order; the plan drops moves to the same
 * GPUs. */
static void decide_anew(const struct job_list *list, const struct hs_view *v, struct hs_plan *p,
                        uint64_t capacity, const struct srtf *s)
{
    hs_plan_reason(p, "all are placed anew, and jobs before it in the order get its GPUs");
    HS_EACH_CHAINED(at, &list->jobs, v)
        if (hs_view_gpus_held(v, at) > 0)
            hs_plan_preempt(p, at, hs_cost_us(&s->cost, v, at));
    uint64_t bound = capacity;
    HS_EACH_CHAINED(at, &list->jobs, v) {
        uint32_t gpus = hs_view_gpus(v, at);
        bool is_running_cpu_job = gpus == 0 && !hs_job_waits(v, at);
        bool is_constrained = hs_view_is_constrained(v, at);
        if (gpus > (is_constrained ? capacity : bound) || is_running_cpu_job)
            continue;
        hs_plan_reason(p, hs_job_waits(v, at) ? NULL : "all are placed anew, in the order");
        if (hs_place(v, p, at, s->placement))
            hs_compat_add_overhead(compat_of(s), v, p, at);
        else if (!hs_reject_hopeless(v, p, at) && !is_constrained &&
                 hs_place_is_monotone(s->placement))
            bound = gpus - 1;
    }
}

static void replace_all(const struct srtf *s, const struct hs_view *v, struct hs_plan *p,
                        uint32_t vc)
{
    struct job_list *list = &s->lists[vc];
    uint64_t capacity = hs_vc_queues_room(v, vc);
    int64_t since_us = hs_view_now_us(v) - list->decided_us;
    list->decided_us = hs_view_now_us(v);
    hs_plan_reason(p, hs_compat_lost_text);
    for (hs_job_id at = list->jobs.first; at != HS_NO_JOB && compat_of(s) == HS_COMPAT_MURI;
         at = link_of(v, at)->link.after) { /* each event costs a running job its restart time */
        int64_t *lost_us = &link_of(v, at)->lost_us;
        *lost_us = hs_job_waits(v, at) ? 0 : hs_compat_lost_us(v, at, since_us);
        if (*lost_us > 0)
            hs_plan_add_overhead(p, at, *lost_us);
    }
    list_sort(list, v, s);
    HS_EACH_CHAINED(at, &list->jobs, v)
        capacity += hs_view_gpus_held(v, at);
    if (s->placement.placer == HS_PLACE_COUNT && s->placement.types == HS_TYPES_ANY)
        decide_by_count(list, v, p, capacity, s);
    else
        decide_anew(list, v, p, capacity, s);
}

static void replace_event(struct srtf *s, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_job_chain *jobs = &s->lists[hs_view_vc(v, event->job)].jobs;
    if (event->kind == HS_EVENT_SUBMIT)
        hs_job_chain_insert(jobs, v, event->job, jobs->last);
    else if (event->kind == HS_EVENT_FINISH)
        hs_job_chain_remove(jobs, v, event->job);
}

static const char *replace_check(const struct srtf *s, const struct hs_view *v, uint32_t vc)
{
    const struct job_list *list = &s->lists[vc];
    hs_job_id before = HS_NO_JOB;
    HS_EACH_CHAINED(at, &list->jobs, v) {
        if (link_of(v, at)->link.before != before || hs_view_vc(v, at) != vc)
            return "the list of live jobs is broken";
        before = at;
    }
    return list->jobs.last == before ? NULL : "the list of live jobs has lost its end";
}

/* ---- form evict ---- */

static struct due_scratch *due_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

static bool has_due(const struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    return s->order >= BY_DEADLINE && due_of(v, job)->state == DUE_ADMITTED;
}

static int64_t slope_of(const struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    if (s->order < BY_DEADLINE)
        return weight_of(s, v, job);
    return s->order == BY_LAXITY && has_due(s, v, job) ? -1 : 0;
}

/* edf: the deadline. llf: the laxity as of now, which is constant while a job runs; of a waiting
 * job the last time at which it may start, which is its laxity plus the time. */
static int64_t due_key(const struct srtf *s, const struct hs_view *v, hs_job_id job,
                       bool is_running)
{
    if (!has_due(s, v, job))
        return NO_DEADLINE;
    const int64_t key = hs_view_deadline_us(v, job);
    if (s->order == BY_DEADLINE)
        return key;
    return key - left_us(v, job, s) - (is_running ? hs_view_now_us(v) : 0);
}

/* Index of the class of this slope; the number of classes if there is none yet. */
static inline uint32_t class_of(const struct running_jobs *running, int64_t slope)
{
    uint32_t i = 0;
    while (i < running->count && running->classes[i].slope != slope)
        i++;
    return i;
}

/* compat=helios: the job enters the queue or the list of running jobs. */
static void count_entry(struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    if (s->compat != COMPAT_HELIOS)
        return;
    struct evict_scratch *scratch = hs_view_scratch(v, job);
    scratch->entry = ++s->entries;
}

HS_INLINE void running_add(struct srtf *s, const struct hs_view *v, hs_job_id job, int64_t key,
                           int64_t start_us)
{
    struct running_jobs *running = &s->running[hs_view_vc(v, job)];
    const int64_t slope = slope_of(s, v, job);
    uint32_t i = class_of(running, slope);
    if (i == running->count)
        running->classes[running->count++] =
            (struct hs_running_class){.slope = slope,
                                      .set.tie_offset = s->waiting[hs_view_vc(v, job)].tie_offset,
                                      .set.levels = s->waiting[hs_view_vc(v, job)].levels};
    running->held += hs_view_gpus(v, job);
    hs_job_queue_add(&running->classes[i].set, v, job, key);
    if (s->priority.reclaims)
        hs_job_queue_add(s->evictions.vcs[hs_view_vc(v, job)].by_start, v, job, start_us);
}

static void running_remove(const struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    struct running_jobs *running = &s->running[hs_view_vc(v, job)];
    uint32_t i = class_of(running, slope_of(s, v, job));
    running->held -= hs_view_gpus(v, job);
    hs_job_queue_remove(&running->classes[i].set, v, job);
    if (running->classes[i].set.count == 0)
        running->classes[i] = running->classes[--running->count];
    if (s->priority.reclaims)
        hs_job_queue_remove(s->evictions.vcs[hs_view_vc(v, job)].by_start, v, job);
}

static void hold(void *state, const struct hs_view *v, hs_job_id job, bool holds)
{
    const struct evict_scratch *scratch = hs_view_scratch(v, job);
    if (holds)
        running_add(state, v, job, hs_job_queue_key(v, job), scratch->by_start.key);
    else
        running_remove(state, v, job);
}

/* A job with GPUs ends, or was stopped: perhaps by reclaim, and then it is in no set any more. */
static void lose_gpus(struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    if (s->priority.reclaims && hs_evictions_forget(&s->evictions, v, job))
        return;
    if (hs_job_queue_has(v, job))
        running_remove(s, v, job);
}

static void waiting_add(struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    count_entry(s, v, job);
    hs_job_queue_add(&s->waiting[hs_view_vc(v, job)], v, job,
                     s->order < BY_DEADLINE
                         ? hs_choice_weigh(left_us(v, job, s), weight_of(s, v, job))
                         : due_key(s, v, job, false));
}

/* Whether each admitted job of the VC, and this one, can be done by its deadline as far as GPU time
 * tells: for each deadline, the work due by then is at most the GPU time until then. On one GPU
 * that is exact (Liu and Layland, J. ACM 20, 1973: earliest deadline first is optimal); a gang may
 * miss its deadline all the same. O(admitted jobs). */
static bool is_feasible(const struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    const uint32_t vc = hs_view_vc(v, job);
    const struct hs_job_queue *due = &s->due[vc];
    const int64_t now_us = hs_view_now_us(v), deadline_us = hs_view_deadline_us(v, job);
    hs_u128 work = (hs_u128)hs_view_gpus(v, job) * (uint64_t)left_us(v, job, s);
    bool is_tested = false;
    for (hs_job_id at = hs_job_queue_first(due); at != HS_NO_JOB || !is_tested;) {
        const int64_t at_us = at != HS_NO_JOB ? hs_view_deadline_us(v, at) : INT64_MAX;
        const bool is_own = at_us > deadline_us && !is_tested;
        const int64_t until_us = (is_own ? deadline_us : at_us) - now_us;
        if (!is_own) {
            const int64_t left = left_us(v, at, s);
            work += (hs_u128)hs_view_gpus(v, at) * (uint64_t)(left > 0 ? left : 0);
            at = hs_job_queue_next(due, v, at);
        }
        is_tested |= is_own;
        if (at_us >= deadline_us &&
            (until_us < 0 || work > (hs_u128)hs_view_total_gpus(v, vc) * (uint64_t)until_us))
            return false;
    }
    return true;
}

/* Settles at its submission whether the deadline of a job counts. */
static void admit(struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    struct due_scratch *j = due_of(v, job);
    if (hs_view_deadline_us(v, job) < 0)
        return;
    if (s->admission == ADMISSION_NONE || is_feasible(s, v, job)) {
        j->state = DUE_ADMITTED;
        hs_job_queue_add(&s->due[hs_view_vc(v, job)], v, job, hs_view_deadline_us(v, job));
    } else if (s->admission == ADMISSION_REJECT) {
        j->state = DUE_REFUSED;
        hs_job_queue_add(&s->refused, v, job, 0);
    }
}

/* The end of a job under edf and llf; true if it was refused, and in no other queue. */
static bool leave_due(struct srtf *s, const struct hs_view *v, hs_job_id job)
{
    const enum due_state state = due_of(v, job)->state;
    if (state == DUE_ADMITTED)
        hs_job_queue_remove(&s->due[hs_view_vc(v, job)], v, job);
    if (state == DUE_REFUSED)
        hs_job_queue_remove(&s->refused, v, job);
    return state == DUE_REFUSED;
}

static void srtf_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct srtf *s = state;
    const hs_job_id job = event->job;
    if (hs_event_wakes(event))
        hs_wake(s->is_awake, s->vcs, v, job);
    if (event->kind == HS_EVENT_TIMER) /* the end of a notice */
        s->is_awake[event->tag] = true;
    if (event->kind == HS_EVENT_NODE || event->kind == HS_EVENT_TIMER)
        return;
    if (is_replacing(s)) {
        replace_event(s, v, event);
        return;
    }
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        if (s->order >= BY_DEADLINE)
            admit(s, v, job);
        if (s->order < BY_DEADLINE || due_of(v, job)->state != DUE_REFUSED)
            waiting_add(s, v, job);
        break;
    case HS_EVENT_STARTED:
        hs_job_queue_remove(&s->waiting[hs_view_vc(v, job)], v, job);
        if (hs_view_gpus(v, job) == 0) /* it is never evicted */
            break;
        count_entry(s, v, job);
        running_add(s, v, job,
                    s->order < BY_DEADLINE ? hs_view_now_us(v) + left_us(v, job, s)
                                           : due_key(s, v, job, true),
                    hs_view_now_us(v));
        break;
    case HS_EVENT_STOPPED:
        lose_gpus(s, v, job);
        waiting_add(s, v, job);
        break;
    case HS_EVENT_FINISH:
        if (s->order >= BY_DEADLINE && leave_due(s, v, job))
            break;
        if (hs_view_first_start_us(v, job) < 0) /* rejected */
            hs_job_queue_remove(&s->waiting[hs_view_vc(v, job)], v, job);
        else
            lose_gpus(s, v, job);
        break;
    default:
        break;
    }
}

static void evict(void *state, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    struct srtf *s = state;
    const struct running_jobs *running = &s->running[vc];
    const bool may_evict = s->order < BY_DEADLINE || s->preempts;
    struct hs_choice choice = {
        .classes = running->classes,
        .class_count = may_evict ? running->count : 0,
        .waiting = &s->waiting[vc],
        .levels = 1,
        .waiting_first = s->compat == COMPAT_HELIOS,
        .room = hs_vc_queues_room(v, vc) + s->evictions.vcs[vc].coming,
        .held = may_evict ? running->held : 0,
        .evict_reason = s->waiting[vc].levels != NULL
                            ? "jobs before it by priority, then by the order, get its GPUs"
                        : s->order < BY_DEADLINE ? "has more left than jobs that get its GPUs"
                                                 : "jobs that are due before it get its GPUs",
        .evictions = hs_evictions_act(&s->evictions) ? &s->evictions : NULL};
    hs_preempt_select(&choice, v);
    hs_choice_apply(&choice, v, p, s->placement, &s->cost, compat_of(s));
}

static enum hs_status srtf_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct srtf *s = state;
    HS_EACH_QUEUED(job, &s->refused, v)
        hs_plan_reject(p, job, "its deadline cannot be met");
    if (!is_replacing(s)) {
        hs_evictions_scan(&s->evictions, v, p, s->waiting, s->is_awake, evict, s);
        return HS_OK;
    }
    for (uint32_t vc = 0; vc < s->vcs; vc++) {
        if (s->is_awake[vc])
            replace_all(s, v, p, vc);
        s->is_awake[vc] = false;
    }
    return HS_OK;
}

static const char *evict_check(const struct srtf *s, const struct hs_view *v, uint32_t vc)
{
    const struct running_jobs *running = &s->running[vc];
    const struct hs_job_queue *waiting = &s->waiting[vc];
    uint64_t held = 0;
    for (uint32_t i = 0; i < running->count; i++) {
        const struct hs_job_queue *set = &running->classes[i].set;
        if (!hs_job_queue_is_valid(set, v) || set->count == 0)
            return "a class of running jobs is out of order";
        HS_EACH_QUEUED(j, set, v) {
            if (hs_view_gpus_held(v, j) == 0)
                return "a class of running jobs holds one that has no GPUs";
            held += hs_view_gpus(v, j);
        }
    }
    if (held != running->held)
        return "the GPUs that the running jobs of a virtual cluster hold are miscounted";
    return hs_waiting_check(waiting, v);
}

static const char *srtf_check(const void *state, const struct hs_view *v)
{
    const struct srtf *s = state;
    const char *fault = NULL;
    for (uint32_t vc = 0; fault == NULL && vc < s->vcs; vc++)
        fault = is_replacing(s) ? replace_check(s, v, vc) : evict_check(s, v, vc);
    return fault;
}

/* ---- the policies ---- */

static void srtf_semantics(const void *state, struct hs_semantics *out)
{
    static const char *const orders[][2] = {
        [BY_REMAINING] = {"remaining", "estimated remaining"},
        [BY_SERVICE] = {"remaining x GPUs", "estimated remaining x GPUs"},
        [BY_DEADLINE] = {"deadline, jobs without one last", "deadline, jobs without one last"},
        [BY_LAXITY] = {"laxity at arrivals and ends, jobs without a deadline last",
                       "laxity at arrivals and ends, jobs without a deadline last"}};
    const struct srtf *s = state;
    const bool is_anew = is_replacing(s);
    *out =
        (struct hs_semantics){.order = orders[s->order][s->estimate.from != HS_ESTIMATE_ORACLE],
                              .scan = "fit",
                              .placement = hs_place_text(s->placement),
                              .preemption = is_anew ? "replace" : "evict",
                              .cost = hs_cost_text(&s->cost, s->compat == COMPAT_MURI),
                              .priority = hs_priority_text(&s->priority),
                              .ties = is_anew ? "as the decision before, newcomers last"
                                      : s->compat == COMPAT_HELIOS
                                          ? "waiting jobs, then entry in the list"
                                          : "jobs that hold GPUs, then submission, then trace row"};
    if (s->order >= BY_DEADLINE && !s->preempts)
        out->preemption = out->cost = "none";
}

#define DUE_ROWS                                                                                   \
    HS_ESTIMATE_PARAMS(struct srtf, estimate, "oracle"),                                           \
        HS_PLACEMENT_PARAM(struct srtf, placement), HS_COST_PARAMS(struct srtf, cost),             \
        HS_PRIORITY_PARAMS(struct srtf, priority),                                                 \
        HS_PARAM_CHOICE(                                                                           \
            struct srtf, admission, "admission", "none", admission_names,                          \
            "what happens to a job if its deadline or that of an admitted job cannot be met for "  \
            "lack of GPU time; demote: it counts as a job without a deadline",                     \
            .source = "Liu and Layland 1973: exact on one GPU, with preempt=yes"),                 \
        HS_PARAM_FLAG(struct srtf, preempts, "preempt", "yes",                                     \
                      "no: a running job keeps its GPUs until it ends")

#define ROWS                                                                                       \
    HS_PARAM_CHOICE(                                                                               \
        struct srtf, form, "form", "evict", form_names,                                            \
        "evict: running jobs keep their nodes; replace: all jobs are placed anew (Tiresias)"),     \
        HS_ESTIMATE_PARAMS(struct srtf, estimate, "oracle"),                                       \
        HS_PLACEMENT_PARAM(struct srtf, placement), HS_COST_PARAMS(struct srtf, cost),             \
        HS_PRIORITY_PARAMS(struct srtf, priority),                                                 \
        HS_PARAM_CHOICE(                                                                           \
            struct srtf, compat, "compat", "off", compat_names,                                    \
            "deviations of a published simulator. helios: each job runs 1 s longer, waiting jobs " \
            "win ties (use with preempt_cost=table). muri: each job runs 1.5 % longer and loses "  \
            "a restart at every event (use with placement=yarn; form is always replace)",          \
            .source = "Hu et al. SC'21 artifact; Zhao et al. SIGCOMM'22 simulator")

static const struct hs_param srtf_params[] = {ROWS, {0}};
static const struct hs_param srsf_params[] = {ROWS, HS_PARAM_END(struct srtf, order, BY_SERVICE)};
static const struct hs_param edf_params[] = {DUE_ROWS,
                                             HS_PARAM_END(struct srtf, order, BY_DEADLINE)};
static const struct hs_param llf_params[] = {DUE_ROWS, HS_PARAM_END(struct srtf, order, BY_LAXITY)};

union srtf_scratch {
    struct evict_scratch evict;
    struct replace_scratch replace;
};

#define SRTF_POLICY(id, text, source, scratch)                                                     \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = #id,                                                                               \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .can = HS_CAN_PREEMPT | HS_CAN_TIME,                                                       \
        .knows = HS_ESTIMATE_KNOWS | HS_KNOWS_SPEED,                                               \
        .params = id##_params,                                                                     \
        HS_POLICY_HOOKS(srtf, struct srtf, scratch),                                               \
    }

SRTF_POLICY(srtf, "shortest remaining time first, preemptive",
            "Hu et al. SC'21 (evict); Gu et al. NSDI'19 (replace)", union srtf_scratch);
SRTF_POLICY(srsf, "shortest remaining service (time x GPUs) first, preemptive", "Gu et al. NSDI'19",
            union srtf_scratch);
SRTF_POLICY(edf, "earliest deadline first, preemptive", "Liu and Layland, J. ACM 20 (1973)",
            struct due_scratch);
SRTF_POLICY(llf, "least laxity first, preemptive",
            "Dertouzos and Mok, IEEE Trans. Software Eng. 15 (1989)", struct due_scratch);
