/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Until the first eviction, what is free for a waiting job is the room left and all holders behind
 * it: that part of the walk looks at waiting jobs alone (choose_freely). From the first holder on
 * that does not fit, the two orders are merged step by step (choose_onwards).
 *
 * A position in the order of the holders is one cursor a class: the way back is along the last jobs
 * before it, the way onwards along the first ones behind it.
 */
#include "policies/lib/preempt_select.h"

#include "policies/lib/vc_queues.h"

struct walk {
    struct hs_choice *c;
    const struct hs_view *v;
    unsigned char *links; /* scratches of all jobs */
    size_t link_size;
    int64_t now_us;
    uint64_t taken; /* GPUs of the jobs chosen so far */
    uint64_t bound; /* gangs larger than this do not fit any more */
    bool is_placed; /* the backward search has begun: the position below is valid */
    uint64_t gpus;  /* GPUs of the holders behind the position */
    struct hs_running_class *before; /* class of the last holder before the position; NULL = none */
    struct hs_running_class *behind; /* class of the first holder behind the position */
    hs_job_id behind_job;            /* that holder */
    int64_t behind_key;              /* its key as of now */
    uint32_t level;                  /* level of the waiting job under test */
    hs_job_id next;                  /* the waiting job under test; HS_NO_JOB = none left */
    int64_t next_key;
    uint32_t next_gpus;
    const struct hs_priority *levels; /* NULL: no priorities */
};

static struct hs_choice_link *link_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

int64_t hs_choice_weigh(int64_t us, int64_t weight)
{
    const int64_t short_us = INT64_C(1) << 40, few = INT64_C(1) << 22;
    if (HS_LIKELY(us < short_us && us > -short_us &&
                  weight < few)) /* the common case: the product fits into 64 bits */
        return us * weight;
    const int64_t most_us = INT64_MAX / (weight > 0 ? weight : 1);
    return us > most_us ? INT64_MAX : us < -most_us ? -INT64_MAX : us * weight;
}

hs_job_id hs_choice_next(const struct hs_view *v, hs_job_id job)
{
    return link_of(v, job)->next;
}

static void list_add(struct hs_job_list *list, const struct hs_view *v, hs_job_id job)
{
    link_of(v, job)->next = HS_NO_JOB;
    if (list->first == HS_NO_JOB)
        list->first = job;
    else
        link_of(v, list->last)->next = job;
    list->last = job;
}

static const struct hs_job_queue_link *link_in(const struct walk *w, hs_job_id job)
{
    const void *link = w->links + job * w->link_size;
    return link;
}

/* Sets the cursor of a class to one of its jobs (its key as of now), or to none. */
static inline void put_cursor(const struct walk *w, struct hs_running_class *class, hs_job_id job)
{
    class->at = job;
    if (job == HS_NO_JOB)
        return;
    const struct hs_job_queue_link *link = link_in(w, job);
    class->gpus = link->gpus;
    class->key = class->slope == 0   ? link->key
                 : class->slope == 1 ? link->key - w->now_us
                 : class->slope < 0  ? link->key + w->now_us
                                     : hs_choice_weigh(link->key - w->now_us, class->slope);
}

/* By how many levels of priority a job is below another. */
static int64_t below_by(const struct walk *w, hs_job_id a, hs_job_id b)
{
    if (HS_LIKELY(w->levels == NULL))
        return 0;
    return hs_priority_level(w->levels, w->v, a) - hs_priority_level(w->levels, w->v, b);
}

/* Compares the cursors of two classes. */
static bool is_before(const struct walk *w, const struct hs_running_class *a,
                      const struct hs_running_class *b)
{
    const int64_t below = below_by(w, a->at, b->at);
    if (below != 0)
        return below < 0;
    if (a->level != b->level)
        return a->level < b->level;
    return a->key != b->key ? a->key < b->key
                            : hs_job_queue_own_tie_is_before(&a->set, w->v, a->at, b->at);
}

/* Whether a holder precedes the waiting job under test. */
static inline bool is_before_next(const struct walk *w, uint32_t level, int64_t key, hs_job_id job)
{
    const int64_t below = below_by(w, job, w->next);
    if (below != 0 || w->c->holders_first)
        return below <= 0;
    if (level != w->level)
        return level < w->level;
    if (key != w->next_key)
        return key < w->next_key;
    if (w->c->waiting_first)
        return false;
    const struct hs_job_queue *queue = &w->c->waiting[level];
    if (w->c->by_submit && queue->tie_offset != 0)
        return hs_job_queue_own_tie_is_before(queue, w->v, job, w->next);
    return !w->c->by_submit || hs_view_submit_us(w->v, job) <= hs_view_submit_us(w->v, w->next);
}

/* The class whose cursor is last (or first) in the order; NULL if no class has one. */
static struct hs_running_class *find_class(const struct walk *w, bool is_last)
{
    struct hs_running_class *best = NULL;
    for (uint32_t i = 0; i < w->c->class_count; i++) {
        struct hs_running_class *class = &w->c->classes[i];
        if (class->at != HS_NO_JOB && (best == NULL || is_before(w, best, class) == is_last))
            best = class;
    }
    return best;
}

/* Moves the position to before the holder that precedes it. */
static inline void step_back(struct walk *w)
{
    struct hs_running_class *class = w->before;
    w->gpus += class->gpus;
    w->behind = class;
    w->behind_job = class->at;
    w->behind_key = class->key;
    put_cursor(w, class, hs_job_queue_prev(&class->set, w->v, class->at));
    w->before = find_class(w, true);
}

/* Finds the next waiting job, behind the one under test, that needs at most `gpus` GPUs. */
static void look_for_next(struct walk *w, uint64_t gpus)
{
    if (w->c->is_strict)
        gpus = UINT64_MAX;
    w->next = hs_job_queue_next_fitting(&w->c->waiting[w->level], w->v, w->next, gpus);
    if (w->next != HS_NO_JOB) {
        const struct hs_job_queue_link *link = link_in(w, w->next);
        w->next_key = link->key;
        w->next_gpus = link->gpus;
    } else if (w->level + 1 < w->c->levels) {
        w->level++;
        look_for_next(w, gpus);
    }
}

/* Moves the position back until the holders behind it have `need` GPUs. Fails if the holder before
 * it precedes the waiting job: the position then stays, and the GPUs found bound later gangs. */
static bool finds_behind(struct walk *w, uint64_t need)
{
    struct hs_running_class *const classes = w->c->classes;
    const uint32_t count = w->c->class_count;
    if (!w->is_placed) {
        for (uint32_t i = 0; i < count; i++)
            put_cursor(w, &classes[i], hs_job_queue_last(&classes[i].set));
        w->before = find_class(w, true);
        w->is_placed = true;
    }
    const struct walk from = *w;
    for (; w->gpus < need; step_back(w)) {
        const struct hs_running_class *last = w->before;
        if (last == NULL || is_before_next(w, last->level, last->key, last->at)) {
            w->bound = w->c->room + w->gpus - w->taken;
            break;
        }
        for (uint32_t i = 0; w->gpus == from.gpus && i < count; i++)
            classes[i].kept = classes[i].at;
    }
    if (w->gpus >= need || w->gpus == from.gpus)
        return w->gpus >= need;
    const uint64_t bound = w->bound;
    *w = from;
    w->bound = bound;
    for (uint32_t i = 0; i < count; i++)
        put_cursor(w, &classes[i], classes[i].kept);
    return false;
}

/* Chooses among the waiting jobs before the first holder that must be evicted. Leaves the position
 * right before that holder, if there is one. */
static void choose_freely(struct walk *w)
{
    const uint64_t room = w->c->room;
    while (
        w->next != HS_NO_JOB &&
        (w->taken <= room || !is_before_next(w, w->behind->level, w->behind_key, w->behind_job))) {
        uint64_t taken = w->taken + w->next_gpus;
        if (taken <= room + w->gpus || finds_behind(w, taken - room)) {
            list_add(&w->c->chosen, w->v, w->next);
            w->taken = taken;
        } else if (w->c->is_strict) {
            w->next = HS_NO_JOB;
            return;
        }
        look_for_next(w, w->bound);
    }
}

/* Continues from the first holder that must be evicted. */
static void choose_onwards(struct walk *w)
{
    uint64_t left = w->c->room + w->gpus - w->taken;
    for (uint32_t i = 0; i < w->c->class_count; i++) {
        struct hs_running_class *class = &w->c->classes[i];
        put_cursor(w, class,
                   class->at == HS_NO_JOB ? hs_job_queue_first(&class->set)
                                          : hs_job_queue_next(&class->set, w->v, class->at));
    }
    for (struct hs_running_class *class = w->behind;;) {
        if (w->next != HS_NO_JOB && w->next_gpus > left) {
            if (w->c->is_strict)
                w->next = HS_NO_JOB;
            else
                look_for_next(w, left);
        }
        if (class == NULL && w->next == HS_NO_JOB)
            return;
        if (class != NULL &&
            (w->next == HS_NO_JOB || is_before_next(w, class->level, class->key, class->at))) {
            hs_job_id job = class->at;
            if (class->gpus <= left) {
                left -= class->gpus;
            } else {
                list_add(&w->c->evicted, w->v, job);
                w->next = w->c->is_strict ? HS_NO_JOB : w->next;
            }
            put_cursor(w, class, hs_job_queue_next(&class->set, w->v, job));
            class = find_class(w, false);
        } else {
            left -= w->next_gpus;
            list_add(&w->c->chosen, w->v, w->next);
            look_for_next(w, left);
        }
    }
}

void hs_preempt_select(struct hs_choice *c, const struct hs_view *v)
{
    struct walk w;
    w.c = c;
    w.v = v;
    w.links = hs_view_scratches(v, &w.link_size);
    w.now_us = hs_view_now_us(v);
    w.levels = c->class_count > 0 ? c->classes[0].set.levels : NULL; /* by these it preempts */
    w.taken = 0;
    w.bound = c->room + c->held;
    w.is_placed = false;
    w.gpus = 0;
    w.behind = NULL;
    w.behind_job = HS_NO_JOB;
    w.behind_key = 0;
    c->chosen = c->evicted = (struct hs_job_list){HS_NO_JOB, HS_NO_JOB};
    w.level = 0;
    w.next = HS_NO_JOB;
    look_for_next(&w, w.bound);
    if (w.next == HS_NO_JOB) /* no holder is evicted */
        return;
    choose_freely(&w);
    if (w.taken > c->room)
        choose_onwards(&w);
}

/* ---- notices ---- */

static struct hs_evict_link *evict_link(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

enum hs_status hs_evictions_init(struct hs_evictions *x, const struct hs_view *v,
                                 const struct hs_priority *priority,
                                 const struct hs_preempt_cost *cost, bool is_strict)
{
    if (priority->reclaims && !v->has_cohorts)
        return hs_view_fail(v, HS_E_USAGE,
                            "reclaim=yes needs --vc=quota and virtual clusters in cohorts");
    *x = (struct hs_evictions){.priority = priority,
                               .cost = cost,
                               .vcs = hs_view_alloc(v, (uint64_t)v->vcs * sizeof *x->vcs),
                               .vc_count = v->vcs,
                               .is_strict = is_strict};
    return HS_OK;
}

void hs_evictions_order(struct hs_evictions *x, uint32_t vc, struct hs_job_queue *by_start)
{
    x->vcs[vc].by_start = by_start;
    x->vcs[vc].on_notice = *by_start; /* as empty */
}

uint32_t hs_evictions_can(const struct hs_priority *priority, bool notifies_last)
{
    return priority->grace_us > 0 && (priority->reclaims || notifies_last) ? HS_CAN_TIME : 0;
}

/* Gives the job notice, if it has none, and returns whether that is over. */
static bool give_notice(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                        hs_job_id job)
{
    struct hs_evict_link *link = evict_link(v, job);
    const uint32_t vc = hs_view_vc(v, job), decision = x->vcs[vc].decisions;
    const bool was_chosen = link->chosen_in == decision || link->chosen_in + 1 == decision;
    if (x->priority->grace_us == 0)
        return true;
    if (!was_chosen || link->due_us == 0) {
        link->due_us = hs_view_now_us(v) + x->priority->grace_us;
        hs_plan_timer(p, link->due_us, vc);
    }
    link->chosen_in = decision;
    return link->due_us <= hs_view_now_us(v);
}

static bool has_claim(const struct hs_evict_vc *vc, const struct hs_evict_link *link)
{
    return link->chosen_in == vc->decisions && link->due_us == 0;
}

/* The plan starts the job. */
static void meet_claim(struct hs_evictions *x, const struct hs_view *v, hs_job_id job)
{
    const struct hs_evict_link *link = evict_link(v, job);
    struct hs_evict_vc *vc = &x->vcs[hs_view_vc(v, job)];
    if (vc->claimed > 0 && has_claim(vc, link))
        vc->claimed -= hs_view_gpus(v, job);
}

/* ---- the plan ---- */

static const char *reason_of(const struct hs_choice *c, const struct hs_view *v, hs_job_id job,
                             bool is_evicted)
{
    return c->plan_reason != NULL ? c->plan_reason(v, job, is_evicted)
           : is_evicted           ? c->evict_reason
                                  : NULL;
}

void hs_choice_apply(const struct hs_choice *c, const struct hs_view *v, struct hs_plan *p,
                     struct hs_place_rule rule, const struct hs_preempt_cost *cost,
                     enum hs_compat compat)
{
    struct hs_evictions *x = c->evictions;
    if (c->chosen.first == HS_NO_JOB) /* none was chosen, so none is evicted */
        return;
    for (hs_job_id j = c->evicted.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        if (x != NULL && hs_priority_is_last(x->priority, v, j) && !give_notice(x, v, p, j))
            continue; /* only opportunistic jobs get notice */
        hs_plan_reason(p, reason_of(c, v, j, true));
        hs_plan_preempt(p, j, hs_cost_us(cost, v, j));
    }
    uint64_t bound = UINT64_MAX;
    for (hs_job_id j = c->chosen.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        const bool is_constrained = hs_view_is_constrained(v, j);
        if (hs_view_gpus(v, j) <= bound || is_constrained) {
            hs_plan_reason(p, reason_of(c, v, j, false));
            if (hs_place(v, p, j, rule)) {
                hs_compat_add_overhead(compat, v, p, j);
                if (x != NULL)
                    meet_claim(x, v, j);
                continue;
            }
            if (hs_reject_hopeless(v, p, j))
                continue;
            if (!is_constrained && hs_place_is_monotone(rule))
                bound = hs_view_gpus(v, j) - 1;
        }
        if (c->is_strict)
            break;
    }
    hs_plan_reason(p, NULL);
}

/* ---- reclaim ---- */

bool hs_evictions_forget(struct hs_evictions *x, const struct hs_view *v, hs_job_id job)
{
    struct hs_evict_link *link = evict_link(v, job);
    const bool had_notice = link->has_notice;
    if (had_notice)
        hs_job_queue_remove(&x->vcs[hs_view_vc(v, job)].on_notice, v, job);
    link->has_notice = false;
    return had_notice;
}

/* The job of the VC that is stopped next. */
static hs_job_id last_of(const struct hs_evict_vc *vc)
{
    return vc->notice_at != HS_NO_JOB ? vc->notice_at : vc->at;
}

/* Whether the job of one VC is stopped before that of another. */
static bool goes_before(const struct hs_view *v, const struct hs_evict_vc *a,
                        const struct hs_evict_vc *b)
{
    const bool a_has_notice = a->notice_at != HS_NO_JOB, b_has_notice = b->notice_at != HS_NO_JOB;
    return a_has_notice != b_has_notice
               ? a_has_notice
               : hs_job_queue_is_before(a->by_start, v, last_of(b), last_of(a));
}

/* Chooses a job that borrows what a quota lends, and stops it or gives it notice: one with notice,
 * else the last in order. One that has notice counts as gone while others claim. */
static bool take_back(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                      struct hs_evict_vc *lender)
{
    struct hs_evict_vc *best = NULL;
    for (uint32_t vc = 0; vc < x->vc_count; vc++)
        if (last_of(&x->vcs[vc]) != HS_NO_JOB && hs_view_is_borrowing(v, vc, lender->quota) &&
            (best == NULL || goes_before(v, &x->vcs[vc], best)))
            best = &x->vcs[vc];
    if (best == NULL)
        return false;
    const hs_job_id job = last_of(best);
    struct hs_evict_link *link = evict_link(v, job);
    if (link->has_notice) {
        best->notice_at = hs_job_queue_prev(&best->on_notice, v, job);
    } else {
        best->at = hs_job_queue_prev(best->by_start, v, job);
        x->hold(x->state, v, job, false);
    }
    if (give_notice(x, v, p, job)) {
        (void)hs_evictions_forget(x, v, job);
        hs_plan_preempt(p, job, hs_cost_us(x->cost, v, job));
        return true;
    }
    if (!link->has_notice)
        hs_job_queue_add(&best->on_notice, v, job, hs_job_queue_key_in(best->by_start, v, job));
    link->has_notice = true;
    lender->coming += hs_view_gpus(v, job);
    hs_view_quota_count(v, hs_view_vc(v, job), -(int64_t)hs_view_gpus(v, job));
    return true;
}

/* Claims room of the quota that is the turn of the VC. */
static void claim(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                  struct hs_job_queue *waiting, uint32_t vc)
{
    struct hs_evict_vc *u = &x->vcs[vc];
    for (hs_job_id job = u->claimer;;) {
        const uint64_t most = hs_view_quota_within(v, vc, u->quota);
        job = hs_job_queue_next_fitting(waiting, v, job, x->is_strict ? UINT64_MAX : most);
        if (job == HS_NO_JOB || hs_view_gpus(v, job) > most)
            return;
        if (has_claim(u, evict_link(v, job)))
            continue;
        const uint32_t gpus = hs_view_gpus(v, job);
        while (hs_view_quota_room(v, vc) < gpus && take_back(x, v, p, u))
            ;
        hs_view_quota_count(v, vc, gpus);
        u->claimed += gpus;
        evict_link(v, job)->chosen_in = u->decisions;
        evict_link(v, job)->due_us = 0;
        if (x->is_strict)
            u->claimer = job;
    }
}

static void claim_all(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                      struct hs_job_queue *waiting)
{
    uint32_t deepest = 0;
    for (uint32_t vc = 0; vc < x->vc_count; vc++) {
        struct hs_evict_vc *u = &x->vcs[vc];
        u->at = hs_job_queue_last(u->by_start);
        u->notice_at = hs_job_queue_last(&u->on_notice);
        u->claimer = HS_NO_JOB;
        u->quota = vc;
        u->depth = 0;
        for (uint32_t at = vc; (at = hs_view_cohort(v, at)) != HS_NO_QUOTA;)
            u->depth++;
        deepest = u->depth > deepest ? u->depth : deepest;
    }
    hs_plan_reason(p, "the quota that it borrows is taken back");
    for (uint32_t depth = deepest; depth > 0; depth--)
        for (uint32_t vc = 0; vc < x->vc_count; vc++) {
            struct hs_evict_vc *u = &x->vcs[vc];
            if (u->depth != depth)
                continue;
            claim(x, v, p, &waiting[vc], vc);
            u->quota = hs_view_cohort(v, u->quota);
            u->depth--;
        }
    hs_plan_reason(p, NULL);
    /* Jobs that have notice count as held again, in place of as much that is claimed; those that
     * had it before and were not chosen now go on. */
    for (uint32_t vc = 0; vc < x->vc_count; vc++) {
        struct hs_evict_vc *u = &x->vcs[vc];
        hs_view_quota_count(v, vc, -(int64_t)hs_smaller(u->claimed, u->coming));
        for (hs_job_id job = hs_job_queue_first(&u->on_notice), next; job != HS_NO_JOB;
             job = next) {
            next = hs_job_queue_next(&u->on_notice, v, job);
            if (evict_link(v, job)->chosen_in == u->decisions) {
                hs_view_quota_count(v, vc, hs_view_gpus(v, job));
                continue;
            }
            (void)hs_evictions_forget(x, v, job);
            x->hold(x->state, v, job, true);
        }
    }
}

/* What is claimed and not held by jobs on notice. */
static int64_t reserved(const struct hs_evict_vc *vc)
{
    return vc->claimed > vc->coming ? (int64_t)(vc->claimed - vc->coming) : 0;
}

void hs_evictions_scan(struct hs_evictions *x, const struct hs_view *v, struct hs_plan *p,
                       struct hs_job_queue *waiting, bool *is_awake, hs_evict_scan *scan,
                       void *state)
{
    bool is_any = false;
    for (uint32_t vc = 0; vc < x->vc_count; vc++) {
        if (!is_awake[vc])
            continue;
        is_awake[vc] = false;
        is_any = true;
        if (x->priority->reclaims)
            continue;
        x->vcs[vc].decisions++;
        if (waiting[vc].count > 0)
            scan(state, v, p, vc);
    }
    if (!is_any || !x->priority->reclaims)
        return;
    for (uint32_t vc = 0; vc < x->vc_count; vc++)
        x->vcs[vc].decisions++;
    claim_all(x, v, p, waiting);
    for (uint32_t vc = 0; vc < x->vc_count; vc++) {
        hs_view_quota_count(v, vc, -reserved(&x->vcs[vc]));
        if (waiting[vc].count > 0)
            scan(state, v, p, vc);
        hs_view_quota_count(v, vc, reserved(&x->vcs[vc]));
    }
    for (uint32_t vc = 0; vc < x->vc_count; vc++) {
        hs_view_quota_count(v, vc, -reserved(&x->vcs[vc]));
        x->vcs[vc].claimed = x->vcs[vc].coming = 0;
    }
}
