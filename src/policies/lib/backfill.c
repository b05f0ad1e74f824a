/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs wait in classes of those that want as many GPUs, or as large a share of as many: whether one
 * of a class may start depends on its run time alone, so what the queue of a class compares with
 * limits is the time that a job will be busy, in steps, and the next that may start is one descent.
 * A pass merges the classes by the order of their jobs. O(classes + jobs that may start x (log
 * classes + log n)), whatever the number of those that wait. A conservative pass ends where no job
 * further back could start: O(jobs up to there x (parts of the profile + log n)), and few are,
 * since what is free now has been refused by the jobs that wait.
 */
#include "policies/lib/backfill.h"

#include <string.h>

#define CLASSES    1024u
#define PARTS      2048u /* of the profile: 65,000 steps, two for each job with a reservation */
#define PART_STEPS 64u
#define STEP_BITS  20 /* 2^20 us, about a second, is one step of a busy time */
#define STEPS_MOST (UINT32_MAX - 2)
#define ENDS       8u /* that are added to the profile at once */

/* ---- the profile ----
 * What will be free over time: a step function from now on, whose last step has no end (Mu'alem &
 * Feitelson, TPDS 2001, section 2). The steps lie in parts, in order (an unrolled linked list;
 * Shao, Reppy & Appel, LFP 1994), each with its least and most, so that a search passes over whole
 * parts and an addition shifts them. */

struct profile_part {
    int64_t from_us;     /* of its first step */
    int64_t shift;       /* to be added to each of its steps */
    int64_t least, most; /* of its steps, shift included */
    uint32_t count;      /* of its steps */
    uint32_t place;      /* its steps begin at place x PART_STEPS */
};

struct profile_step {
    int64_t from_us, free;
};

struct profile {
    struct profile_part *parts;
    struct profile_step *steps;
    uint32_t count, most; /* of parts */
};

/* One step from now on. O(1). */
static void profile_reset(struct profile *f, int64_t now_us, int64_t free)
{
    f->count = 1;
    f->parts[0] = (struct profile_part){
        .from_us = now_us, .least = free, .most = free, .count = 1, .place = 0};
    f->steps[0] = (struct profile_step){now_us, free};
}

static struct profile_step *steps_in(const struct profile *f, uint32_t part)
{
    return &f->steps[(size_t)f->parts[part].place * PART_STEPS];
}

static int64_t end_of(const struct profile *f, uint32_t part)
{
    return part + 1 < f->count ? f->parts[part + 1].from_us : INT64_MAX;
}

static int64_t step_end(const struct profile *f, uint32_t part, uint32_t step)
{
    return step + 1 < f->parts[part].count ? steps_in(f, part)[step + 1].from_us : end_of(f, part);
}

/* The part with the time; the first for a time before it. */
static uint32_t part_at(const struct profile *f, int64_t at_us)
{
    uint32_t low = 0, count = f->count;
    while (count - low > 1) {
        uint32_t middle = low + (count - low) / 2;
        if (f->parts[middle].from_us <= at_us)
            low = middle;
        else
            count = middle;
    }
    return low;
}

static void measure(struct profile *f, uint32_t part)
{
    struct profile_part *p = &f->parts[part];
    const struct profile_step *steps = steps_in(f, part);
    p->least = INT64_MAX;
    p->most = INT64_MIN;
    for (uint32_t i = 0; i < p->count; i++) {
        const int64_t free = steps[i].free + p->shift;
        p->least = free < p->least ? free : p->least;
        p->most = free > p->most ? free : p->most;
    }
}

/* Lets a step begin at that time. */
static void cut(struct profile *f, int64_t at_us)
{
    uint32_t part = part_at(f, at_us);
    struct profile_part *p = &f->parts[part];
    if (p->count == PART_STEPS) { /* the later half moves into a new part behind it */
        const uint32_t kept = PART_STEPS / 2;
        memmove(p + 2, p + 1, (f->count - part - 1) * sizeof *p);
        p[1] = p[0];
        p[1].place = f->count++;
        p[0].count = kept;
        p[1].count -= kept;
        memcpy(steps_in(f, part + 1), steps_in(f, part) + kept,
               p[1].count * sizeof(struct profile_step));
        p[1].from_us = steps_in(f, part + 1)->from_us;
        measure(f, part);
        measure(f, part + 1);
        part += p[1].from_us <= at_us;
        p = &f->parts[part];
    }
    struct profile_step *steps = steps_in(f, part);
    uint32_t i = p->count;
    while (i > 1 && steps[i - 1].from_us > at_us)
        i--;
    if (steps[i - 1].from_us == at_us)
        return;
    memmove(&steps[i + 1], &steps[i], (p->count - i) * sizeof *steps);
    steps[i] = (struct profile_step){at_us, steps[i - 1].free};
    p->count++;
}

/* Adds to [from_us, to_us), from now on at the earliest; to_us INT64_MAX: without end. Returns
 * false, and changes nothing, if there is no memory for two more parts. O(parts). */
static bool profile_add(struct profile *f, int64_t from_us, int64_t to_us, int64_t free)
{
    if (f->count + 2 > f->most)
        return false;
    if (from_us >= to_us || free == 0)
        return true;
    cut(f, from_us);
    if (to_us < INT64_MAX)
        cut(f, to_us);
    for (uint32_t i = part_at(f, from_us); i < f->count && f->parts[i].from_us < to_us; i++) {
        struct profile_part *p = &f->parts[i];
        if (p->from_us >= from_us && end_of(f, i) <= to_us) {
            p->shift += free;
            p->least += free;
            p->most += free;
            continue;
        }
        struct profile_step *steps = steps_in(f, i);
        for (uint32_t s = 0; s < p->count; s++)
            if (steps[s].from_us >= from_us && steps[s].from_us < to_us)
                steps[s].free += free;
        measure(f, i);
    }
    return true;
}

/* The first time at or after from_us from which at least `wanted` stays free for length_us, where
 * 0 asks for nothing; INT64_MAX: there is none. O(parts + parts with steps on either side). */
static int64_t profile_first(const struct profile *f, int64_t from_us, int64_t length_us,
                             int64_t wanted)
{
    int64_t at_us = from_us; /* enough is free from here to the step looked at */
    if (length_us <= 0)
        return from_us;
    for (uint32_t i = part_at(f, from_us); i < f->count; i++) {
        const struct profile_part *p = &f->parts[i];
        const bool is_even = p->least >= wanted || p->most < wanted; /* all or none of its steps */
        for (uint32_t s = 0; s < (is_even ? 1 : p->count); s++) {
            const int64_t end_us = is_even ? end_of(f, i) : step_end(f, i, s);
            if (end_us <= at_us)
                continue;
            if ((is_even ? p->least : steps_in(f, i)[s].free + p->shift) < wanted)
                at_us = end_us;
            else if (end_us - at_us >= length_us)
                return at_us;
        }
    }
    return INT64_MAX;
}

/* The first time at which less than `wanted` is free; INT64_MAX: there is none. O(parts). */
static int64_t profile_below(const struct profile *f, int64_t wanted)
{
    uint32_t i = 0, s = 0;
    while (i < f->count && f->parts[i].least >= wanted)
        i++;
    if (i == f->count)
        return INT64_MAX;
    while (steps_in(f, i)[s].free + f->parts[i].shift >= wanted)
        s++;
    return steps_in(f, i)[s].from_us;
}

static int64_t last_free(const struct profile *f)
{
    const struct profile_part *p = &f->parts[f->count - 1];
    return steps_in(f, f->count - 1)[p->count - 1].free + p->shift;
}

/* ---- windows of reservations (MODEL.md 14) ---- */

/* Takes from a profile of the VC's free GPUs, in thousandths, what is free of windows to come while
 * they are open, and gives back what is free of open ones at their end. False: see profile_add.
 * O(nodes of the windows). */
static bool reserved_take(struct profile *f, const struct hs_view *v, uint32_t vc)
{
    bool has_memory = true;
    for (uint32_t i = 0; i < v->windows && has_memory; i++) {
        const struct hs_reserved *w = hs_view_window(v, i);
        if (hs_view_window_is_over(v, i) ||
            (v->vcs_are_apart && hs_view_node(v, w->nodes[0])->vc != vc))
            continue;
        const int64_t milli = (int64_t)(hs_view_window_free(v, i) * HS_GPU_MILLI);
        has_memory = hs_view_window_is_open(v, i) ? profile_add(f, w->end_us, INT64_MAX, milli)
                                                  : profile_add(f, w->start_us, w->end_us, -milli);
    }
    return has_memory;
}

/* Of a job that starts or is expected to end at that time, which the profile counts on all nodes:
 * gives (1) or takes (-1) from then on what it holds of windows while they are open, for what is
 * free of these then is theirs. O(windows x nodes of the job). */
static bool reserved_correct(struct profile *f, const struct hs_view *v, hs_job_id job,
                             int64_t from_us, int64_t sign)
{
    bool has_memory = true;
    for (uint32_t i = 0; i < v->windows && has_memory; i++) {
        const struct hs_reserved *w = hs_view_window(v, i);
        if (hs_view_window_is_over(v, i) || w->end_us <= from_us)
            continue;
        const int64_t milli = (int64_t)hs_view_window_held(v, i, job) * HS_GPU_MILLI;
        has_memory = profile_add(f, hs_later(w->start_us, from_us), w->end_us, sign * milli);
    }
    return has_memory;
}

/* ---- classes ---- */

/* The first class of a VC holds the jobs that fit no other class. A class stays when it is empty.
 */
struct size_class {
    struct hs_job_queue jobs;
    uint32_t gpus, milli; /* of a job: its GPUs, and the thousandths of each */
    uint32_t next;        /* next class of the VC: its index + 1; 0 = none */
};

/* Conservative: within a pass what is free at any time only falls, so no job has a time before
 * that of a job of its class which is no longer. One job for each length in powers of 4. */
#define LENGTHS 32u
struct slot_bound {
    int64_t length_us, at_us;
    uint64_t pass; /* in which this was found */
};

struct hs_backfill {
    bool is_conservative;
    struct hs_place_rule placement;
    struct size_class *classes;    /* one class per VC, then further ones as needed */
    uint32_t class_count;          /* number of the further ones */
    struct hs_merge_head *heads;   /* memory of a pass */
    struct hs_merge_head *hopeful; /* the same, by a profile */
    struct profile profile;        /* the same */
    struct slot_bound *slots;      /* the same: LENGTHS a class */
    uint64_t passes;
    struct hs_job_queue *running; /* per VC: started jobs by expected end */
    bool *is_awake;               /* per VC: an event since its last pass may let a job start */
    uint32_t vcs;
};

/* Estimated time that the job would hold its GPUs if it started now. */
static int64_t busy_us(const struct hs_view *v, hs_job_id job)
{
    return hs_view_cost_left_us(v, job) + hs_view_estimate_us(v, job);
}

/* At least 1, since a limit of 0 admits no job. */
static uint32_t steps_of(int64_t us)
{
    return (uint32_t)hs_smaller((uint64_t)us >> STEP_BITS, STEPS_MOST - 1) + 1;
}

static uint32_t size_of(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    (void)is_constrained;
    return steps_of(busy_us(v, job));
}

/* Thousandths of GPUs that the job requests in all. */
static uint64_t milli_of(const struct hs_view *v, hs_job_id job)
{
    return (uint64_t)hs_view_gpus(v, job) * hs_view_gpu_milli(v, job);
}

/* Finds or makes the class of the job. O(classes of the VC), as a pass is. */
static struct size_class *class_of(struct hs_backfill *b, const struct hs_view *v, hs_job_id job)
{
    struct size_class *mixed = &b->classes[hs_view_vc(v, job)], *made;
    const uint32_t gpus = hs_view_gpus(v, job), milli = hs_view_gpu_milli(v, job);
    for (uint32_t i = mixed->next; i != 0; i = b->classes[i - 1].next)
        if (b->classes[i - 1].gpus == gpus && b->classes[i - 1].milli == milli)
            return &b->classes[i - 1];
    if (b->class_count == CLASSES)
        return mixed;
    made = &b->classes[b->vcs + b->class_count++];
    made->gpus = gpus;
    made->milli = milli;
    made->next = mixed->next;
    mixed->next = b->vcs + b->class_count;
    return made;
}

void hs_backfill_event(struct hs_backfill *b, const struct hs_view *v, const struct hs_event *event,
                       int64_t key)
{
    const hs_job_id job = event->job;
    if (event->kind == HS_EVENT_SUBMIT) {
        hs_job_queue_add(&class_of(b, v, job)->jobs, v, job, key);
    } else if (event->kind == HS_EVENT_FINISH && hs_job_queue_has(v, job)) {
        bool has_run = hs_view_first_start_us(v, job) >= 0;
        hs_job_queue_remove(has_run ? &b->running[hs_view_vc(v, job)] : &class_of(b, v, job)->jobs,
                            v, job);
    }
    if (hs_event_wakes(event))
        hs_wake(b->is_awake, b->vcs, v, job);
}

/* ---- a pass ---- */

struct backfill_pass {
    struct hs_backfill *b;
    const struct hs_view *v;
    struct hs_plan *p;
    uint32_t vc;
    struct hs_merge_heap heads;   /* first jobs of the classes, in order */
    struct hs_gang_limits bounds; /* largest sizes that may still fit (hs_vc_queues_size) */
    bool has_windows;             /* reservations that are not over: plans are by the profile */
    /* easy */
    int64_t until_us; /* time until the reservation begins */
    uint64_t extra;   /* thousandths that the reservation leaves free */
    /* by a profile */
    struct hs_merge_heap hopeful; /* of each class the first job that may start now, in order */
    hs_job_id last_end;           /* the last running job with its end in the profile */
};

static bool is_by_profile(const struct backfill_pass *x)
{
    return x->b->is_conservative || x->has_windows;
}

static struct hs_job_queue *jobs_of(const struct backfill_pass *x, uint32_t set)
{
    return &x->b->classes[set].jobs;
}

/* Counts a started job as running: its expected end matters for the next reservation. */
static void move_to_running(struct backfill_pass *x, hs_job_id job, uint32_t set)
{
    hs_job_queue_remove(jobs_of(x, set), x->v, job);
    hs_job_queue_add(&x->b->running[x->vc], x->v, job, hs_view_now_us(x->v) + busy_us(x->v, job));
}

/* Where reservations are left, not on nodes of one that begins before the job is done. */
static bool place(struct backfill_pass *x, hs_job_id job)
{
    if (!x->has_windows)
        return hs_place(x->v, x->p, job, x->b->placement);
    hs_view_search_until(x->v, hs_view_now_us(x->v) + busy_us(x->v, job));
    const bool is_placed = hs_place(x->v, x->p, job, x->b->placement);
    hs_view_search_until(x->v, 0);
    return is_placed;
}

/* A job that does not fit an idle pool is rejected, unless it may fit when a reservation is over.
 */
static bool reject_hopeless(struct backfill_pass *x, hs_job_id job)
{
    return !x->has_windows && hs_reject_hopeless(x->v, x->p, job);
}

static void find_heads(struct backfill_pass *x)
{
    x->heads.count = 0;
    for (uint32_t set = x->vc + 1; set != 0; set = x->b->classes[set - 1].next) {
        hs_job_id first = hs_job_queue_first(jobs_of(x, set - 1));
        if (first != HS_NO_JOB)
            hs_merge_heap_add(&x->heads, x->v, (struct hs_merge_head){first, set - 1});
    }
}

/* Starts, in order, jobs that fit on nodes reserved for them. O(jobs that wait x open windows). */
static void start_reserved(struct backfill_pass *x)
{
    if (!x->has_windows || !hs_view_reserved_room(x->v))
        return;
    for (find_heads(x); x->heads.count > 0;) {
        const struct hs_merge_head head = x->heads.at[0];
        const hs_job_id next = hs_job_queue_next(jobs_of(x, head.set), x->v, head.job);
        hs_merge_heap_replace_first(&x->heads, x->v, (struct hs_merge_head){next, head.set});
        if (hs_plan_start_reserved(x->p, x->v, head.job))
            move_to_running(x, head.job, head.set);
    }
}

/* Starts jobs in order while they fit. Returns the first that does not fit, or HS_NO_JOB. */
static hs_job_id start_in_order(struct backfill_pass *x)
{
    for (find_heads(x); x->heads.count > 0;) {
        const struct hs_merge_head head = x->heads.at[0];
        hs_job_id next = hs_job_queue_next(jobs_of(x, head.set), x->v, head.job);
        bool is_started = place(x, head.job);
        if (!is_started && !reject_hopeless(x, head.job))
            return head.job;
        hs_merge_heap_replace_first(&x->heads, x->v, (struct hs_merge_head){next, head.set});
        if (is_started)
            move_to_running(x, head.job, head.set);
    }
    return HS_NO_JOB;
}

/* Thousandths of GPUs that the VC may have now. */
static uint64_t free_milli_of(const struct hs_view *v, uint32_t vc)
{
    const uint64_t free_milli =
        hs_view_free_gpus(v, vc) * HS_GPU_MILLI + hs_view_share_rooms(v, vc);
    return hs_smaller(free_milli, hs_view_quota_room_milli(v, vc));
}

/* Computes the reservation of the first job in order, by thousandths of GPUs alone: it begins at
 * the expected end of the running job that frees the last GPUs needed, or now if that time has
 * passed. */
static void reserve(struct backfill_pass *x, hs_job_id head)
{
    const struct hs_view *v = x->v;
    const struct hs_job_queue *running = &x->b->running[x->vc];
    const uint64_t wanted = milli_of(v, head);
    uint64_t free_milli = free_milli_of(v, x->vc);
    HS_EACH_QUEUED(j, running, v) {
        free_milli += milli_of(v, j);
        if (free_milli >= wanted) {
            int64_t until_us = hs_job_queue_key(v, j) - hs_view_now_us(v);
            x->until_us = until_us > 0 ? until_us : 0;
            x->extra = free_milli - wanted;
            return;
        }
    }
}

/* Adds the expected end of a running job to the profile. False: no memory. */
static bool add_end(struct backfill_pass *x, hs_job_id job)
{
    const int64_t end_us = hs_later(hs_job_queue_key(x->v, job), hs_view_now_us(x->v));
    return profile_add(&x->b->profile, end_us, INT64_MAX, (int64_t)milli_of(x->v, job)) &&
           (!x->has_windows || reserved_correct(&x->b->profile, x->v, job, end_us, -1));
}

/* Adds expected ends of running jobs to the profile, in order: those up to that time, or, where it
 * is INT64_MAX, until so much is free at last. Returns whether there was one. A few ends too many
 * do no harm, and save searches. */
static bool add_ends(struct backfill_pass *x, int64_t until_us, int64_t wanted)
{
    const struct hs_job_queue *running = &x->b->running[x->vc];
    bool is_any = false;
    for (uint32_t n = 0; n < ENDS || until_us == INT64_MAX; n++) {
        hs_job_id job = x->last_end == HS_NO_JOB ? hs_job_queue_first(running)
                                                 : hs_job_queue_next(running, x->v, x->last_end);
        if (job == HS_NO_JOB || hs_job_queue_key(x->v, job) > until_us ||
            (until_us == INT64_MAX && is_any && last_free(&x->b->profile) >= wanted) ||
            !add_end(x, job))
            break;
        x->last_end = job;
        is_any = true;
    }
    return is_any;
}

/* The first time from then on at which the job could start, by thousandths of GPUs alone. */
static int64_t slot_us(struct backfill_pass *x, hs_job_id job, int64_t from_us)
{
    const int64_t milli = (int64_t)milli_of(x->v, job), length_us = busy_us(x->v, job);
    int64_t at_us;
    do
        at_us = profile_first(&x->b->profile, from_us, length_us, milli);
    while (add_ends(x, at_us, milli));
    return at_us;
}

/* The same from now on, of a job of that class. */
static int64_t first_slot_us(struct backfill_pass *x, hs_job_id job, uint32_t set)
{
    struct slot_bound *bounds = &x->b->slots[(size_t)set * LENGTHS];
    const int64_t length_us = busy_us(x->v, job);
    int64_t from_us = hs_view_now_us(x->v);
    uint32_t i = 0;
    if (set == x->vc) /* jobs of any size */
        return slot_us(x, job, from_us);
    for (;; i++) {
        if (bounds[i].pass == x->b->passes && bounds[i].length_us <= length_us)
            from_us = hs_later(from_us, bounds[i].at_us);
        if (length_us >> (2 * i) < 4)
            break;
    }
    bounds[i] = (struct slot_bound){length_us, slot_us(x, job, from_us), x->b->passes};
    return bounds[i].at_us;
}

/* How long so much stays free from now on. */
static int64_t room_us(struct backfill_pass *x, uint64_t milli)
{
    int64_t at_us;
    do
        at_us = profile_below(&x->b->profile, (int64_t)milli);
    while (at_us < INT64_MAX && add_ends(x, at_us, 0));
    return at_us - hs_view_now_us(x->v);
}

/* Returns the next job of the class of `member` with a busy time, in steps, that may fit. */
static hs_job_id next_of(struct backfill_pass *x, uint32_t set, hs_job_id member, hs_job_id after)
{
    const bool is_mixed = set == x->vc;
    bool is_constrained = false;
    const uint64_t size = is_mixed ? 0 : hs_vc_queues_size(x->v, member, &is_constrained);
    const uint64_t least = is_mixed ? 1 : milli_of(x->v, member);
    const uint64_t steps = is_by_profile(x)    ? steps_of(room_us(x, least))
                           : least <= x->extra ? UINT64_MAX
                                               : steps_of(x->until_us);
    const struct hs_gang_limits limits = {.plain = size <= x->bounds.plain ? steps : 0,
                                          .constrained = size <= x->bounds.constrained ? steps : 0};
    return hs_job_queue_next_within(jobs_of(x, set), x->v, after, limits);
}

/* Whether jobs of that size found a place in this pass, as far as is known. */
static bool is_within(const struct backfill_pass *x, hs_job_id job)
{
    bool is_constrained = false;
    const uint32_t size = hs_vc_queues_size(x->v, job, &is_constrained);
    return size <= (hs_view_is_constrained(x->v, job) ? x->bounds.constrained : x->bounds.plain);
}

/* Tries to backfill a job. Returns whether it was started. */
static bool try_behind(struct backfill_pass *x, hs_job_id job)
{
    const struct hs_view *v = x->v;
    const uint64_t milli = milli_of(v, job);
    const bool ends_before = busy_us(v, job) <= x->until_us;
    if (!is_within(x, job) || (!ends_before && milli > x->extra))
        return false;
    hs_plan_reason(x->p, ends_before ? "backfilled: done before the reservation of the head"
                                     : "backfilled: on GPUs that the head will not need");
    if (!hs_place(v, x->p, job, x->b->placement)) {
        hs_vc_queues_narrow_by_failure(&x->bounds, v, job, x->b->placement);
        return false;
    }
    x->extra -= ends_before ? 0 : milli;
    hs_vc_queues_narrow_by_room(&x->bounds, v, x->vc);
    return true;
}

/* Puts into the heap, from each class that waits, the first job behind `head` that may start; the
 * heap may take the place of x->heads. */
static void find_hopeful(struct backfill_pass *x, struct hs_merge_heap *heap, hs_job_id head)
{
    const uint32_t count = x->heads.count;
    heap->count = 0;
    for (uint32_t i = 0; i < count; i++) { /* the heap grows while its unread entries are visited */
        const struct hs_merge_head h = x->heads.at[i];
        hs_job_id before = hs_job_queue_prev(jobs_of(x, h.set), x->v, h.job);
        hs_job_id job = next_of(x, h.set, h.job, h.job == head ? head : before);
        if (job != HS_NO_JOB)
            hs_merge_heap_add(heap, x->v, (struct hs_merge_head){job, h.set});
    }
}

/* Backfills behind the first job: from each class the first job that may start. */
static void backfill(struct backfill_pass *x, hs_job_id head)
{
    find_hopeful(x, &x->heads, head);
    while (x->heads.count > 0) {
        const struct hs_merge_head h = x->heads.at[0];
        bool is_started = try_behind(x, h.job);
        hs_job_id next = next_of(x, h.set, h.job, h.job);
        hs_merge_heap_replace_first(&x->heads, x->v, (struct hs_merge_head){next, h.set});
        if (is_started)
            move_to_running(x, h.job, h.set);
    }
    hs_plan_reason(x->p, NULL);
}

/* Starts a job if its reservation begins now, else reserves for it if may_hold. Returns false if
 * nothing can be reserved: no job behind it may start then. */
static bool reserve_or_start(struct backfill_pass *x, hs_job_id job, uint32_t set, bool may_hold,
                             bool *is_started)
{
    const struct hs_view *v = x->v;
    struct profile *profile = &x->b->profile;
    const int64_t now_us = hs_view_now_us(v), milli = (int64_t)milli_of(v, job);
    int64_t at_us = first_slot_us(x, job, set);
    *is_started = at_us == now_us && is_within(x, job) && place(x, job);
    if (*is_started) {
        hs_vc_queues_narrow_by_room(&x->bounds, v, x->vc);
        return profile_add(profile, now_us, INT64_MAX, -milli) &&
               (!x->has_windows || reserved_correct(profile, v, job, now_us, 1));
    }
    if (at_us == now_us) {
        const hs_job_id first = hs_job_queue_first(&x->b->running[x->vc]);
        if (reject_hopeless(x, job))
            return true;
        if (!x->has_windows) /* else others, which are done earlier, may find more nodes */
            hs_vc_queues_narrow_by_failure(&x->bounds, v, job, x->b->placement);
        if (first != HS_NO_JOB)
            at_us = slot_us(x, job, hs_later(hs_job_queue_key(v, first), now_us));
    }
    if (!may_hold)
        return true;
    return at_us < INT64_MAX && profile_add(profile, at_us, at_us + busy_us(v, job), -milli);
}

/* Whether a job that has no reservation yet may start now; x->hopeful begins with it then. */
static bool has_hopeful(struct backfill_pass *x)
{
    while (x->hopeful.count > 0) {
        const struct hs_merge_head h = x->hopeful.at[0];
        const int64_t length_us = busy_us(x->v, h.job);
        if (is_within(x, h.job) &&
            (length_us == 0 || room_us(x, milli_of(x->v, h.job)) >= length_us))
            return true;
        hs_merge_heap_replace_first(&x->hopeful, x->v,
                                    (struct hs_merge_head){next_of(x, h.set, h.job, h.job), h.set});
    }
    return false;
}

/* Makes the profile of a pass. A quota counts in it only where no reservations are left: they may
 * take what is beyond the quota. */
static bool begin_profile(struct backfill_pass *x)
{
    const uint64_t free_milli =
        x->has_windows ? hs_view_free_gpus(x->v, x->vc) * HS_GPU_MILLI : free_milli_of(x->v, x->vc);
    profile_reset(&x->b->profile, hs_view_now_us(x->v), (int64_t)free_milli);
    x->last_end = HS_NO_JOB;
    x->b->passes++;
    return !x->has_windows || reserved_take(&x->b->profile, x->v, x->vc);
}

/* Goes on, in order, from the first job that did not fit. */
static void reserve_all(struct backfill_pass *x, hs_job_id head)
{
    if (!begin_profile(x))
        return;
    find_hopeful(x, &x->hopeful, head);
    hs_plan_reason(x->p, "backfilled: delays no job before it");
    while (has_hopeful(x)) {
        const struct hs_merge_head h = x->heads.at[0];
        const hs_job_id next = hs_job_queue_next(jobs_of(x, h.set), x->v, h.job);
        const bool is_hopeful = x->hopeful.at[0].job == h.job;
        if (is_hopeful)
            hs_merge_heap_replace_first(
                &x->hopeful, x->v, (struct hs_merge_head){next_of(x, h.set, h.job, h.job), h.set});
        bool is_started = false;
        const bool may_hold = x->b->is_conservative || h.job == head;
        if ((may_hold || is_hopeful) && !reserve_or_start(x, h.job, h.set, may_hold, &is_started))
            x->hopeful.count = 0;
        hs_merge_heap_replace_first(&x->heads, x->v, (struct hs_merge_head){next, h.set});
        if (!is_started)
            continue;
        move_to_running(x, h.job, h.set);
        if (x->last_end != HS_NO_JOB &&
            hs_job_queue_is_before(&x->b->running[x->vc], x->v, h.job, x->last_end))
            (void)add_end(x, h.job);
    }
    hs_plan_reason(x->p, NULL);
}

void hs_backfill_scan(struct hs_backfill *b, const struct hs_view *v, struct hs_plan *p)
{
    for (uint32_t vc = 0; vc < b->vcs; vc++) {
        if (!b->is_awake[vc])
            continue;
        b->is_awake[vc] = false;
        struct backfill_pass x = {.b = b,
                                  .v = v,
                                  .p = p,
                                  .vc = vc,
                                  .heads = {.at = b->heads, .order = &b->classes[vc].jobs},
                                  .hopeful = {.at = b->hopeful, .order = &b->classes[vc].jobs},
                                  .bounds = {UINT64_MAX, UINT64_MAX},
                                  .has_windows = v->windows > 0 && hs_view_windows_left(v) > 0};
        start_reserved(&x);
        hs_job_id head = start_in_order(&x);
        if (head == HS_NO_JOB)
            continue;
        hs_vc_queues_narrow_by_room(&x.bounds, v, vc);
        if (is_by_profile(&x)) {
            reserve_all(&x, head);
            continue;
        }
        reserve(&x, head);
        backfill(&x, head);
    }
}

struct hs_backfill *hs_backfill_open(const struct hs_view *v, bool is_conservative,
                                     struct hs_place_rule placement,
                                     const struct hs_priority *levels)
{
    struct hs_backfill *b = hs_view_alloc(v, sizeof *b);
    const uint64_t classes = (uint64_t)v->vcs + CLASSES;
    *b = (struct hs_backfill){
        .is_conservative = is_conservative,
        .placement = placement,
        .classes = hs_view_alloc(v, classes * sizeof *b->classes),
        .heads = hs_view_alloc(v, classes * sizeof *b->heads),
        .running = hs_view_alloc(v, (uint64_t)v->vcs * sizeof *b->running),
        .is_awake = hs_view_alloc(v, (uint64_t)v->vcs * sizeof *b->is_awake),
        .vcs = v->vcs,
    };
    if (is_conservative || v->windows > 0) {
        b->hopeful = hs_view_alloc(v, classes * sizeof *b->hopeful);
        b->slots = hs_view_alloc(v, classes * LENGTHS * sizeof *b->slots);
        b->profile = (struct profile){
            .most = PARTS,
            .parts = hs_view_alloc(v, PARTS * sizeof(struct profile_part)),
            .steps = hs_view_alloc(v, PARTS * PART_STEPS * sizeof(struct profile_step))};
    }
    for (uint32_t i = 0; i < classes; i++) {
        b->classes[i].jobs.size_of = size_of;
        b->classes[i].jobs.levels = levels;
    }
    return b;
}

const char *hs_backfill_check(const struct hs_backfill *b, const struct hs_view *v)
{
    const char *fault = NULL;
    for (uint32_t vc = 0; vc < b->vcs; vc++)
        if (!hs_job_queue_is_valid(&b->running[vc], v))
            return "the ends of the running jobs are out of order";
    for (uint32_t set = 0; fault == NULL && set < b->vcs + CLASSES; set++)
        fault = hs_waiting_check(&b->classes[set].jobs, v);
    return fault;
}
