/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Before somebody has to make way, what is free for a waiting job is the room left and all holders
 * behind it: that part of the walk looks at waiting jobs alone (choose_freely). From the holder on
 * that is the first not to fit, the two orders are merged step by step (choose_onwards).
 *
 * A position in the order of the holders is one cursor a class. Their sets are backwards: what
 * comes before the cursor in the order is next in the set.
 */
#include "policies/kit_choose.h"

#include "policies/kit_queue.h"

/* One that holds GPUs, with its key as of now; of no class: there is none. */
struct holder {
    struct hs_class *class;
    hs_job_id job;
    int64_t key;
};

/* And a cursor in each class. */
struct position {
    uint64_t gpus;            /* of the holders behind it */
    struct holder behind;     /* the first of them */
    struct holder before;     /* the last that is not, */
    bool is_before_looked_up; /* if it is known */
};

struct walk {
    struct hs_choice *c;
    const struct hs_view *v;
    int64_t now_us;
    uint64_t taken;                   /* GPUs of the jobs chosen so far */
    uint64_t bound;                   /* larger gangs do not fit any more */
    bool is_placed;                   /* the position is somewhere */
    struct position at;               /* where the search has come to from the end */
    uint32_t level;                   /* of the waiting jobs that are looked at, */
    const struct hs_gangs_head *next; /* and the next of them; NULL = none left */
    struct hs_gangs_walk *waiting;
};

static struct hs_choice_link *link_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

int64_t hs_choice_weigh(int64_t us, int64_t weight)
{
    const int64_t short_us = INT64_C(1) << 40, few = INT64_C(1) << 22;
    if (us < short_us && us > -short_us && weight < few) /* days: no division is needed to see it */
        return us * weight;
    int64_t most_us = INT64_MAX / (weight > 0 ? weight : 1);
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

static struct holder holder_of(const struct walk *w, struct hs_class *class, hs_job_id job)
{
    int64_t key = link_of(w->v, job)->link.key;
    return (struct holder){
        class, job, class->slope == 0 ? key : hs_choice_weigh(key - w->now_us, class->slope)};
}

static bool is_before(const struct walk *w, const struct holder *a, const struct holder *b)
{
    if (a->class->level != b->class->level)
        return a->class->level < b->class->level;
    return a->key != b->key ? a->key < b->key : hs_order_tie_is_before(w->v, a->job, b->job);
}

/* Is the holder before the waiting job that is looked at? */
static bool is_before_next(const struct walk *w, const struct holder *holder)
{
    if (holder->class->level != w->level)
        return holder->class->level < w->level;
    if (holder->key != w->next->key)
        return holder->key < w->next->key;
    return !w->c->by_submit ||
           hs_view_submit_us(w->v, holder->job) <= hs_view_submit_us(w->v, w->next->job);
}

static void go_to_end(struct walk *w)
{
    for (uint32_t i = 0; i < w->c->class_count; i++)
        w->c->classes[i].at = hs_front_first(&w->c->classes[i].set, w->v);
    w->at = (struct position){0};
    w->is_placed = true;
}

/* Of a class that no position has gone back into: this one and the one kept are at its end. */
static void look_keys_up(const struct walk *w, struct hs_class *class)
{
    hs_front_rekey_all(&class->set, w->v, w->c->key_of, w->c->key_ctx);
    class->at = class->kept = hs_front_first(&class->set, w->v);
    class->is_stale = false;
}

/* The last holder before the position. */
static struct holder find_before(const struct walk *w)
{
    struct holder best = {0};
    for (uint32_t i = 0; i < w->c->class_count; i++) {
        struct hs_class *class = &w->c->classes[i];
        if (class->at == HS_NO_JOB)
            continue;
        struct holder holder = holder_of(w, class, class->at);
        if (best.class == NULL || is_before(w, &best, &holder))
            best = holder;
    }
    if (best.class != NULL && best.class->is_stale) {
        look_keys_up(w, best.class);
        best = holder_of(w, best.class, best.class->at);
    }
    return best;
}

/* The first holder behind the position. */
static struct holder find_behind(const struct walk *w)
{
    struct holder best = {0};
    for (uint32_t i = 0; i < w->c->class_count; i++) {
        struct hs_class *class = &w->c->classes[i];
        hs_job_id job = class->at == HS_NO_JOB ? hs_front_reached(&class->set)
                                               : hs_front_prev(&class->set, w->v, class->at);
        if (job == HS_NO_JOB)
            continue;
        struct holder holder = holder_of(w, class, job);
        if (best.class == NULL || is_before(w, &holder, &best))
            best = holder;
    }
    return best;
}

/* Beyond the holder before the position, which is looked up. */
static void step_back(struct walk *w)
{
    struct holder holder = w->at.before;
    w->at.gpus += hs_view_gpus(w->v, holder.job);
    w->at.behind = holder;
    w->at.is_before_looked_up = false;
    holder.class->at = hs_front_next(&holder.class->set, w->v, holder.job);
}

static struct position keep_position(const struct walk *w)
{
    for (uint32_t i = 0; i < w->c->class_count; i++)
        w->c->classes[i].kept = w->c->classes[i].at;
    return w->at;
}

static void return_to(struct walk *w, const struct position *kept)
{
    for (uint32_t i = 0; i < w->c->class_count; i++)
        w->c->classes[i].at = w->c->classes[i].kept;
    w->at = *kept;
}

/* The next waiting job that needs at most so many GPUs. */
static void look_for_next(struct walk *w, uint64_t gpus)
{
    w->next = hs_gangs_look(w->waiting, w->v, gpus);
    while (w->next == NULL && w->level + 1 < w->c->levels) {
        hs_gangs_begin(w->waiting, &w->c->waiting[++w->level]);
        w->next = hs_gangs_look(w->waiting, w->v, gpus);
    }
}

static void choose_next(struct walk *w)
{
    list_add(&w->c->chosen, w->v, w->next->job);
    hs_gangs_pass(w->waiting, w->v);
}

/* Goes back until the holders behind the position have `need` GPUs. If those before it come before
 * the waiting job, they never will: the position stays, and what there was bounds later gangs. */
static bool finds_behind(struct walk *w, uint64_t need)
{
    struct position kept;
    bool is_kept = false;
    if (!w->is_placed)
        go_to_end(w);
    for (; w->at.gpus < need; step_back(w)) {
        if (!w->at.is_before_looked_up)
            w->at.before = find_before(w);
        w->at.is_before_looked_up = true;
        if (w->at.before.class == NULL || is_before_next(w, &w->at.before)) {
            w->bound = w->c->room + w->at.gpus - w->taken;
            if (is_kept)
                return_to(w, &kept);
            return false;
        }
        if (!is_kept)
            kept = keep_position(w);
        is_kept = true;
    }
    return true;
}

/* The first holder that must make way is before the waiting job. */
static bool is_past_the_first_eviction(const struct walk *w)
{
    return w->taken > w->c->room && is_before_next(w, &w->at.behind);
}

/* Waiting jobs before the first holder that has to make way. Leaves the position right before that
 * holder, if there is one. */
static void choose_freely(struct walk *w)
{
    while (w->next != NULL && !is_past_the_first_eviction(w)) {
        uint64_t room = w->c->room, taken = w->taken + w->next->gpus;
        if (taken <= room + w->at.gpus || finds_behind(w, taken - room)) {
            choose_next(w);
            w->taken = taken;
        }
        look_for_next(w, w->bound);
    }
}

/* From the first holder on that has to make way. */
static void choose_onwards(struct walk *w)
{
    uint64_t left = w->c->room + w->at.gpus - w->taken;
    for (struct holder holder = w->at.behind;;) {
        if (w->next != NULL && w->next->gpus > left)
            look_for_next(w, left);
        if (holder.class == NULL && w->next == NULL)
            return;
        if (holder.class != NULL && (w->next == NULL || is_before_next(w, &holder))) {
            uint32_t gpus = hs_view_gpus(w->v, holder.job);
            if (gpus <= left)
                left -= gpus;
            else
                list_add(&w->c->evicted, w->v, holder.job);
            holder.class->at = holder.job;
            holder = find_behind(w);
        } else {
            left -= w->next->gpus;
            choose_next(w);
            look_for_next(w, left);
        }
    }
}

void hs_choose(struct hs_choice *c, const struct hs_view *v)
{
    struct hs_gangs_walk waiting;
    struct walk w = {.c = c,
                     .v = v,
                     .now_us = hs_view_now_us(v),
                     .bound = c->room + c->held,
                     .waiting = &waiting};
    c->chosen = c->evicted = (struct hs_job_list){HS_NO_JOB, HS_NO_JOB};
    hs_gangs_begin(&waiting, &c->waiting[0]);
    look_for_next(&w, w.bound);
    if (w.next == NULL) /* who holds GPUs keeps them */
        return;
    choose_freely(&w);
    if (w.taken > c->room)
        choose_onwards(&w);
}

/* Larger gangs are known to find no place: none of their size did, and nobody has left a GPU since.
 */
static uint64_t known_bound(const struct hs_choice *c, const struct hs_view *v)
{
    return c->failure->releases == hs_view_releases(v) + 1 ? c->failure->bound : UINT64_MAX;
}

/* Where ties are drawn, each try draws; and an idle pool is where jobs are turned away. */
static bool is_telling(const struct hs_view *v, hs_job_id failed)
{
    return !hs_view_ties_are_drawn(v) && !hs_pool_is_idle(v, failed);
}

void hs_choice_apply(const struct hs_choice *c, const struct hs_view *v, struct hs_plan *p,
                     enum hs_placer placer, const struct hs_preempt_cost *cost,
                     enum hs_compat compat)
{
    bool is_lasting = true; /* what failures tell */
    for (hs_job_id j = c->evicted.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        hs_plan_because(p, c->because(v, j, true));
        hs_plan_preempt(p, j, hs_cost_us(cost, v, j));
    }
    uint64_t bound = known_bound(c, v);
    for (hs_job_id j = c->chosen.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        bool is_constrained = hs_view_is_constrained(v, j);
        if (!is_constrained && hs_view_gpus(v, j) > bound)
            continue;
        hs_plan_because(p, c->because(v, j, false));
        if (hs_place(v, p, j, placer))
            hs_compat_owe(compat, v, p, j);
        else if (!hs_reject_hopeless(v, p, j) && !is_constrained && hs_placer_is_monotone(placer)) {
            bound = hs_view_gpus(v, j) - 1;
            is_lasting = is_lasting && is_telling(v, j);
        }
    }
    *c->failure = (struct hs_choice_failure){.releases = is_lasting ? hs_view_releases(v) + 1 : 0,
                                             .bound = bound};
    hs_plan_because(p, NULL);
}
