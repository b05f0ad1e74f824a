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

struct walk {
    struct hs_choice *c;
    const struct hs_view *v;
    int64_t now_us;
    uint64_t taken;                /* GPUs of the jobs chosen so far */
    uint64_t behind;               /* GPUs of the holders behind the position */
    uint64_t bound;                /* larger gangs do not fit any more */
    bool is_placed;                /* the position is somewhere */
    hs_job_id next;                /* waiting job that is looked at; HS_NO_JOB = none left */
    uint32_t level;                /* of it, */
    int64_t key;                   /* its key, */
    struct hs_gangs_walk *waiting; /* and it is the one found last */
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

static int64_t key_now(const struct walk *w, const struct hs_class *class, hs_job_id job)
{
    int64_t key = link_of(w->v, job)->link.key;
    return class->slope == 0 ? key : hs_choice_weigh(key - w->now_us, class->slope);
}

/* Is holder a of class x before holder b of class y? */
static bool is_before(const struct walk *w, const struct hs_class *x, hs_job_id a,
                      const struct hs_class *y, hs_job_id b)
{
    if (x->level != y->level)
        return x->level < y->level;
    int64_t key_a = key_now(w, x, a), key_b = key_now(w, y, b);
    if (key_a != key_b)
        return key_a < key_b;
    int64_t submit_a_us = hs_view_submit_us(w->v, a), submit_b_us = hs_view_submit_us(w->v, b);
    if (submit_a_us != submit_b_us)
        return submit_a_us < submit_b_us;
    return hs_view_rank(w->v, a) < hs_view_rank(w->v, b);
}

/* Is the holder before the waiting job that is looked at? */
static bool is_before_next(const struct walk *w, const struct hs_class *class, hs_job_id holder)
{
    if (class->level != w->level)
        return class->level < w->level;
    int64_t key = key_now(w, class, holder);
    if (key != w->key)
        return key < w->key;
    return !w->c->by_submit || hs_view_submit_us(w->v, holder) <= hs_view_submit_us(w->v, w->next);
}

static void go_to_end(struct walk *w)
{
    for (uint32_t i = 0; i < w->c->class_count; i++)
        w->c->classes[i].at = hs_front_first(&w->c->classes[i].set, w->v);
    w->behind = 0;
    w->is_placed = true;
}

/* Of a class that no position has gone back into: this one and the one kept are at its end. */
static void look_keys_up(const struct walk *w, struct hs_class *class)
{
    hs_front_rekey_all(&class->set, w->v, w->c->key_of, w->c->key_ctx);
    class->at = class->kept = hs_front_first(&class->set, w->v);
    class->is_stale = false;
}

static void keep_position(const struct walk *w)
{
    for (uint32_t i = 0; i < w->c->class_count; i++)
        w->c->classes[i].kept = w->c->classes[i].at;
}

static void return_to_kept(const struct walk *w)
{
    for (uint32_t i = 0; i < w->c->class_count; i++)
        w->c->classes[i].at = w->c->classes[i].kept;
}

/* The class of the last holder before the position; NULL if there is none. */
static struct hs_class *class_before(const struct walk *w)
{
    struct hs_class *best = NULL;
    for (uint32_t i = 0; i < w->c->class_count; i++) {
        struct hs_class *class = &w->c->classes[i];
        if (class->at != HS_NO_JOB &&
            (best == NULL || is_before(w, best, best->at, class, class->at)))
            best = class;
    }
    if (best != NULL && best->is_stale)
        look_keys_up(w, best);
    return best;
}

static hs_job_id after_cursor(const struct walk *w, const struct hs_class *class)
{
    return class->at == HS_NO_JOB ? hs_front_reached(&class->set)
                                  : hs_front_prev(&class->set, w->v, class->at);
}

/* The class of the first holder behind the position, and that holder; NULL if there is none. */
static struct hs_class *class_behind(const struct walk *w, hs_job_id *holder)
{
    struct hs_class *best = NULL;
    for (uint32_t i = 0; i < w->c->class_count; i++) {
        struct hs_class *class = &w->c->classes[i];
        hs_job_id job = after_cursor(w, class);
        if (job == HS_NO_JOB || (best != NULL && is_before(w, best, *holder, class, job)))
            continue;
        best = class;
        *holder = job;
    }
    return best;
}

/* The next waiting job that needs at most so many GPUs. */
static void look_for_next(struct walk *w, uint64_t gpus)
{
    w->next = hs_gangs_look(w->waiting, w->v, gpus);
    while (w->next == HS_NO_JOB && w->level + 1 < w->c->levels) {
        hs_gangs_begin(w->waiting, &w->c->waiting[++w->level], w->v);
        w->next = hs_gangs_look(w->waiting, w->v, gpus);
    }
    if (w->next != HS_NO_JOB)
        w->key = hs_order_key(w->v, w->next);
}

static void choose_next(struct walk *w)
{
    list_add(&w->c->chosen, w->v, w->next);
    hs_gangs_pass(w->waiting, w->v);
}

/* Goes back until the holders behind the position have `need` GPUs, or those before it are before
 * the waiting job: then they never will. */
static bool finds_behind(struct walk *w, uint64_t need)
{
    while (w->behind < need) {
        struct hs_class *class = class_before(w);
        if (class == NULL || is_before_next(w, class, class->at))
            return false;
        w->behind += hs_view_gpus(w->v, class->at);
        class->at = hs_front_next(&class->set, w->v, class->at);
    }
    return true;
}

/* The first holder that must make way is before the waiting job. */
static bool is_past_the_first_eviction(const struct walk *w)
{
    hs_job_id holder;
    if (w->taken <= w->c->room)
        return false;
    const struct hs_class *class = class_behind(w, &holder);
    return class != NULL && is_before_next(w, class, holder);
}

/* Waiting jobs before the first holder that has to make way. Leaves the position right before that
 * holder, if there is one. */
static void choose_freely(struct walk *w)
{
    while (w->next != HS_NO_JOB && !is_past_the_first_eviction(w)) {
        uint32_t gpus = hs_view_gpus(w->v, w->next);
        uint64_t room = w->c->room, behind = w->behind;
        uint64_t need = w->taken + gpus > room ? w->taken + gpus - room : 0;
        if (need > 0 && !w->is_placed)
            go_to_end(w);
        keep_position(w);
        if (finds_behind(w, need)) {
            choose_next(w);
            w->taken += gpus;
        } else {
            w->bound = room + w->behind - w->taken; /* what there is here, and not more later */
            w->behind = behind;
            return_to_kept(w);
        }
        look_for_next(w, w->bound);
    }
}

/* From the first holder on that has to make way. */
static void choose_onwards(struct walk *w)
{
    uint64_t left = w->c->room + w->behind - w->taken;
    for (;;) {
        hs_job_id holder;
        struct hs_class *class = class_behind(w, &holder);
        if (w->next != HS_NO_JOB && hs_view_gpus(w->v, w->next) > left)
            look_for_next(w, left);
        if (class == NULL && w->next == HS_NO_JOB)
            return;
        if (class != NULL && (w->next == HS_NO_JOB || is_before_next(w, class, holder))) {
            class->at = holder;
            if (hs_view_gpus(w->v, holder) <= left)
                left -= hs_view_gpus(w->v, holder);
            else
                list_add(&w->c->evicted, w->v, holder);
        } else {
            left -= hs_view_gpus(w->v, w->next);
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
    hs_gangs_begin(&waiting, &c->waiting[0], v);
    look_for_next(&w, w.bound);
    if (w.next == HS_NO_JOB) /* who holds GPUs keeps them */
        return;
    choose_freely(&w);
    if (w.taken > c->room)
        choose_onwards(&w);
}

void hs_choice_apply(const struct hs_choice *c, const struct hs_view *v, struct hs_plan *p,
                     enum hs_placer placer, const struct hs_preempt_cost *cost,
                     enum hs_compat compat)
{
    uint64_t bound = UINT64_MAX; /* gangs beyond it were seen to fail */
    for (hs_job_id j = c->evicted.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        hs_plan_because(p, c->because(v, j, true));
        hs_plan_preempt(p, j, hs_cost_us(cost, v, j));
    }
    for (hs_job_id j = c->chosen.first; j != HS_NO_JOB; j = hs_choice_next(v, j)) {
        bool is_constrained = hs_view_is_constrained(v, j);
        if (!is_constrained && hs_view_gpus(v, j) > bound)
            continue;
        hs_plan_because(p, c->because(v, j, false));
        if (hs_place(v, p, j, placer))
            hs_compat_owe(compat, v, p, j);
        else if (!hs_reject_hopeless(v, p, j) && !is_constrained && hs_placer_is_monotone(placer))
            bound = hs_view_gpus(v, j) - 1;
    }
    hs_plan_because(p, NULL);
}
