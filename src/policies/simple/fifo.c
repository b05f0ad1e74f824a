/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Three orders that preempt for priority=preempt alone; a job's place is settled when it is
 * submitted.
 *
 *     fifo   first come, first served: scan=strict is what Helios and the Philly cluster call FIFO,
 *            scan=fit what Tiresias' simulator calls fjf
 *     sjf    shortest job first, by run times true or estimated; not the `sjf` of Tiresias'
 *            simulator, which orders by GPU count
 *     qssf   quasi-shortest service first: the least GPUs times estimated run time
 *
 * sjf and qssf with scan=strict are as in the Helios artifact (Hu et al., SC'21). qssf with
 * compat=helios does as the published simulator does: where no job waits, jobs that arrive together
 * are tried by their number of GPUs, whatever their estimate; and of equal GPU times the smaller
 * gang goes first.
 *
 * fifo with scan=easy backfills behind a reservation (Lifka, JSSPP'95) and needs run times, true or
 * estimated: a wrong one is corrected, never a reason to stop a job. The first job in order holds a
 * reservation at the time when enough GPUs will be free, counting GPUs and thousandths of them; a
 * later job starts if it ends by then or fits beside it. A running job that has outrun its estimate
 * is expected to end now.
 *
 * fifo with scan=conservative lets every waiting job hold a reservation (Mu'alem & Feitelson, TPDS
 * 2001): in order, each takes the first time from which enough GPUs are free for as long as it will
 * be busy, in a profile with the expected ends of running jobs and the reservations before it; one
 * whose time is now starts. The profile is made anew at each event, so no job is delayed by one
 * behind it; but a job may lose a time it held when one before it moves up. Where the GPUs free now
 * are enough by number and the placement finds none, the time is that of the next expected end or
 * later. A pass ends where no job further back could start: O(jobs up to there x (parts of the
 * profile + log n)), and few are, since what is free now has been refused by the jobs that wait.
 *
 * Under both, jobs wait in classes of those that want as many GPUs, or as large a share
 * of as many: whether one of a class may start depends on its run time alone, so what the queue of
 * a class compares with limits is the time that a job will be busy, in steps, and the next that may
 * start is one descent. A pass merges the classes by the order of their jobs. O(classes + jobs that
 * may start x (log classes + log n)), whatever the number of those that wait.
 */
#include "policies/lib/reserved.h"
#include "policies/lib/vc_queues.h"

#define CLASSES    1024u
#define PARTS      2048u /* of the profile: 65,000 steps, two for each job with a reservation */
#define STEP_BITS  20    /* 2^20 us, about a second, is one step of a busy time */
#define STEPS_MOST (UINT32_MAX - 2)
#define ENDS       8u /* that are added to the profile at once */

enum order { BY_SUBMISSION, BY_RUN_TIME, BY_GPU_TIME };
enum { COMPAT_OFF, COMPAT_HELIOS };
static const char *const compat_names[] = {"off", "helios", NULL};

/* The first class of a VC holds the jobs that fit no other class. A class stays when it is empty.
 */
struct easy_class {
    struct hs_job_queue jobs;
    uint32_t gpus, milli; /* of a job: its GPUs, and the thousandths of each */
    uint32_t next;        /* next class of the VC: its index + 1; 0 = none */
};

/* scan=conservative: within a pass what is free at any time only falls, so no job has a time before
 * that of a job of its class which is no longer. One job for each length in powers of 4. */
#define LENGTHS 32u
struct slot_bound {
    int64_t length_us, at_us;
    uint64_t pass; /* in which this was found */
};

struct fifo {
    int32_t scan, compat;
    struct hs_place_rule placement;
    struct hs_estimate_choice estimate;
    struct hs_priority priority;
    struct hs_preempt_cost cost; /* the parameters end here */
    enum order order;
    struct hs_vc_queues waiting; /* for scan=strict and fit */
    uint32_t *arrivals;          /* compat=helios, per VC: submissions since the last pass */
    uint32_t gpus_bits;          /* compat=helios: low bits of the key that hold the GPU count */
    /* for scan=easy and conservative */
    struct easy_class *classes;     /* one class per VC, then further ones as needed */
    uint32_t class_count;           /* number of the further ones */
    struct hs_merge_head *heads;    /* memory of a pass */
    struct hs_merge_head *hopeful;  /* the same, scan=conservative */
    struct hs_free_profile profile; /* the same */
    struct slot_bound *slots;       /* the same: LENGTHS a class */
    uint64_t passes;
    struct hs_job_queue *running; /* per VC: started jobs by expected end */
    bool *is_awake;               /* per VC: an event since its last pass may let a job start */
    uint32_t vcs;
};

static bool backfills(const struct fifo *f)
{
    return f->scan == HS_SCAN_EASY || f->scan == HS_SCAN_CONSERVATIVE;
}

/* ---- scan=easy and conservative ---- */

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
static struct easy_class *class_of(struct fifo *e, const struct hs_view *v, hs_job_id job)
{
    struct easy_class *mixed = &e->classes[hs_view_vc(v, job)], *made;
    const uint32_t gpus = hs_view_gpus(v, job), milli = hs_view_gpu_milli(v, job);
    for (uint32_t i = mixed->next; i != 0; i = e->classes[i - 1].next)
        if (e->classes[i - 1].gpus == gpus && e->classes[i - 1].milli == milli)
            return &e->classes[i - 1];
    if (e->class_count == CLASSES)
        return mixed;
    made = &e->classes[e->vcs + e->class_count++];
    made->gpus = gpus;
    made->milli = milli;
    made->next = mixed->next;
    mixed->next = e->vcs + e->class_count;
    return made;
}

static int64_t key_of(const struct hs_view *v, hs_job_id job, const void *ctx);

static void easy_event(struct fifo *e, const struct hs_view *v, const struct hs_event *event)
{
    const hs_job_id job = event->job;
    if (event->kind == HS_EVENT_SUBMIT) {
        hs_job_queue_add(&class_of(e, v, job)->jobs, v, job, key_of(v, job, e));
    } else if (event->kind == HS_EVENT_FINISH && hs_job_queue_has(v, job)) {
        bool has_run = hs_view_first_start_us(v, job) >= 0;
        hs_job_queue_remove(has_run ? &e->running[hs_view_vc(v, job)] : &class_of(e, v, job)->jobs,
                            v, job);
    }
    if (hs_event_wakes(event))
        hs_wake(e->is_awake, e->vcs, v, job);
}

/* ---- a pass ---- */

struct easy_pass {
    struct fifo *e;
    const struct hs_view *v;
    struct hs_plan *p;
    uint32_t vc;
    struct hs_place_rule placement;
    struct hs_merge_heap heads;   /* first jobs of the classes, in order */
    struct hs_gang_limits bounds; /* largest sizes that may still fit (hs_vc_queues_size) */
    bool has_windows;             /* reservations that are not over: plans are by the profile */
    /* scan=easy */
    int64_t until_us; /* time until the reservation begins */
    uint64_t extra;   /* thousandths that the reservation leaves free */
    /* scan=conservative, and scan=easy with reservations */
    struct hs_merge_heap hopeful; /* of each class the first job that may start now, in order */
    hs_job_id last_end;           /* last of the running jobs whose end is in the profile */
};

static bool is_by_profile(const struct easy_pass *x)
{
    return x->e->scan == HS_SCAN_CONSERVATIVE || x->has_windows;
}

static struct hs_job_queue *jobs_of(const struct easy_pass *x, uint32_t set)
{
    return &x->e->classes[set].jobs;
}

/* Counts a started job as running: its expected end matters for the next reservation. */
static void move_to_running(struct easy_pass *x, hs_job_id job, uint32_t set)
{
    hs_job_queue_remove(jobs_of(x, set), x->v, job);
    hs_job_queue_add(&x->e->running[x->vc], x->v, job, hs_view_now_us(x->v) + busy_us(x->v, job));
}

/* Where reservations are left, not on nodes of one that begins before the job is done. */
static bool place(struct easy_pass *x, hs_job_id job)
{
    if (!x->has_windows)
        return hs_place(x->v, x->p, job, x->placement);
    hs_view_search_until(x->v, hs_view_now_us(x->v) + busy_us(x->v, job));
    const bool is_placed = hs_place(x->v, x->p, job, x->placement);
    hs_view_search_until(x->v, 0);
    return is_placed;
}

/* A job that does not fit an idle pool is rejected, unless it may fit when a reservation is over.
 */
static bool reject_hopeless(struct easy_pass *x, hs_job_id job)
{
    return !x->has_windows && hs_reject_hopeless(x->v, x->p, job);
}

static void find_heads(struct easy_pass *x)
{
    x->heads.count = 0;
    for (uint32_t set = x->vc + 1; set != 0; set = x->e->classes[set - 1].next) {
        hs_job_id first = hs_job_queue_first(jobs_of(x, set - 1));
        if (first != HS_NO_JOB)
            hs_merge_heap_add(&x->heads, x->v, (struct hs_merge_head){first, set - 1});
    }
}

/* Starts, in order, jobs that fit on nodes reserved for them. O(jobs that wait x open windows). */
static void start_reserved(struct easy_pass *x)
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
static hs_job_id start_in_order(struct easy_pass *x)
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
static void reserve(struct easy_pass *x, hs_job_id head)
{
    const struct hs_view *v = x->v;
    const struct hs_job_queue *running = &x->e->running[x->vc];
    const uint64_t wanted = milli_of(v, head);
    uint64_t free_milli = free_milli_of(v, x->vc);
    for (hs_job_id j = hs_job_queue_first(running); j != HS_NO_JOB;
         j = hs_job_queue_next(running, v, j)) {
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
static bool add_end(struct easy_pass *x, hs_job_id job)
{
    const int64_t end_us = hs_later(hs_job_queue_key(x->v, job), hs_view_now_us(x->v));
    return hs_free_profile_add(&x->e->profile, end_us, INT64_MAX, (int64_t)milli_of(x->v, job)) &&
           (!x->has_windows || hs_reserved_correct(&x->e->profile, x->v, job, end_us, -1));
}

/* Adds expected ends of running jobs to the profile, in order: those up to that time, or, where it
 * is INT64_MAX, until so much is free at last. Returns whether there was one. A few ends too many
 * do no harm, and save searches. */
static bool add_ends(struct easy_pass *x, int64_t until_us, int64_t wanted)
{
    const struct hs_job_queue *running = &x->e->running[x->vc];
    const struct hs_free_profile *profile = &x->e->profile;
    bool is_any = false;
    for (uint32_t n = 0; n < ENDS || until_us == INT64_MAX; n++) {
        hs_job_id job = x->last_end == HS_NO_JOB ? hs_job_queue_first(running)
                                                 : hs_job_queue_next(running, x->v, x->last_end);
        if (job == HS_NO_JOB || hs_job_queue_key(x->v, job) > until_us ||
            (until_us == INT64_MAX && is_any && hs_free_profile_last(profile) >= wanted) ||
            !add_end(x, job))
            break;
        x->last_end = job;
        is_any = true;
    }
    return is_any;
}

/* The first time from then on at which the job could start, by thousandths of GPUs alone. */
static int64_t slot_us(struct easy_pass *x, hs_job_id job, int64_t from_us)
{
    const int64_t milli = (int64_t)milli_of(x->v, job), length_us = busy_us(x->v, job);
    int64_t at_us;
    do
        at_us = hs_free_profile_first(&x->e->profile, from_us, length_us, milli);
    while (add_ends(x, at_us, milli));
    return at_us;
}

/* The same from now on, of a job of that class. */
static int64_t first_slot_us(struct easy_pass *x, hs_job_id job, uint32_t set)
{
    struct slot_bound *bounds = &x->e->slots[(size_t)set * LENGTHS];
    const int64_t length_us = busy_us(x->v, job);
    int64_t from_us = hs_view_now_us(x->v);
    uint32_t i = 0;
    if (set == x->vc) /* jobs of any size */
        return slot_us(x, job, from_us);
    for (;; i++) {
        if (bounds[i].pass == x->e->passes && bounds[i].length_us <= length_us)
            from_us = hs_later(from_us, bounds[i].at_us);
        if (length_us >> (2 * i) < 4)
            break;
    }
    bounds[i] = (struct slot_bound){length_us, slot_us(x, job, from_us), x->e->passes};
    return bounds[i].at_us;
}

/* How long so much stays free from now on. */
static int64_t room_us(struct easy_pass *x, uint64_t milli)
{
    int64_t at_us;
    do
        at_us = hs_free_profile_below(&x->e->profile, (int64_t)milli);
    while (at_us < INT64_MAX && add_ends(x, at_us, 0));
    return at_us - hs_view_now_us(x->v);
}

/* Limits of the busy time of jobs of the class, in steps. */
static struct hs_gang_limits bounds_of(struct easy_pass *x, uint32_t set, hs_job_id job)
{
    const bool is_mixed = set == x->vc;
    bool is_constrained = false;
    const uint64_t size = is_mixed ? 0 : hs_vc_queues_size(x->v, job, &is_constrained);
    const uint64_t least = is_mixed ? 1 : milli_of(x->v, job);
    const uint64_t steps = is_by_profile(x)    ? steps_of(room_us(x, least))
                           : least <= x->extra ? UINT64_MAX
                                               : steps_of(x->until_us);
    return (struct hs_gang_limits){.plain = size <= x->bounds.plain ? steps : 0,
                                   .constrained = size <= x->bounds.constrained ? steps : 0};
}

static hs_job_id next_of(struct easy_pass *x, uint32_t set, hs_job_id member, hs_job_id after)
{
    return hs_job_queue_next_within(jobs_of(x, set), x->v, after, bounds_of(x, set, member));
}

/* Whether jobs of that size found a place in this pass, as far as is known. */
static bool is_within(const struct easy_pass *x, hs_job_id job)
{
    bool is_constrained = false;
    const uint32_t size = hs_vc_queues_size(x->v, job, &is_constrained);
    return size <= (hs_view_is_constrained(x->v, job) ? x->bounds.constrained : x->bounds.plain);
}

/* Tries to backfill a job. Returns whether it was started. */
static bool try_behind(struct easy_pass *x, hs_job_id job)
{
    const struct hs_view *v = x->v;
    const uint64_t milli = milli_of(v, job);
    const bool ends_before = busy_us(v, job) <= x->until_us;
    if (!is_within(x, job) || (!ends_before && milli > x->extra))
        return false;
    hs_plan_reason(x->p, ends_before ? "backfilled: done before the reservation of the head"
                                     : "backfilled: on GPUs that the head will not need");
    if (!hs_place(v, x->p, job, x->placement)) {
        hs_vc_queues_narrow_by_failure(&x->bounds, v, job, x->placement);
        return false;
    }
    x->extra -= ends_before ? 0 : milli;
    hs_vc_queues_narrow_by_room(&x->bounds, v, x->vc);
    return true;
}

/* Puts into the heap, from each class that waits, the first job behind `head` that may start; the
 * heap may take the place of x->heads. */
static void find_hopeful(struct easy_pass *x, struct hs_merge_heap *heap, hs_job_id head)
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
static void backfill(struct easy_pass *x, hs_job_id head)
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

/* Starts a job whose reservation begins now, or lets it hold one, if it may. Returns false if it
 * can hold none: no job behind it may start then. */
static bool reserve_or_start(struct easy_pass *x, hs_job_id job, uint32_t set, bool may_hold,
                             bool *is_started)
{
    const struct hs_view *v = x->v;
    struct hs_free_profile *profile = &x->e->profile;
    const int64_t now_us = hs_view_now_us(v), milli = (int64_t)milli_of(v, job);
    int64_t at_us = first_slot_us(x, job, set);
    *is_started = at_us == now_us && is_within(x, job) && place(x, job);
    if (*is_started) {
        hs_vc_queues_narrow_by_room(&x->bounds, v, x->vc);
        return hs_free_profile_add(profile, now_us, INT64_MAX, -milli) &&
               (!x->has_windows || hs_reserved_correct(profile, v, job, now_us, 1));
    }
    if (at_us == now_us) {
        const hs_job_id first = hs_job_queue_first(&x->e->running[x->vc]);
        if (reject_hopeless(x, job))
            return true;
        if (!x->has_windows) /* else others, which are done earlier, may find more nodes */
            hs_vc_queues_narrow_by_failure(&x->bounds, v, job, x->placement);
        if (first != HS_NO_JOB)
            at_us = slot_us(x, job, hs_later(hs_job_queue_key(v, first), now_us));
    }
    if (!may_hold)
        return true;
    return at_us < INT64_MAX &&
           hs_free_profile_add(profile, at_us, at_us + busy_us(v, job), -milli);
}

/* Whether a job that has no reservation yet may start now; x->hopeful begins with it then. */
static bool has_hopeful(struct easy_pass *x)
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
static bool begin_profile(struct easy_pass *x)
{
    const uint64_t free_milli =
        x->has_windows ? hs_view_free_gpus(x->v, x->vc) * HS_GPU_MILLI : free_milli_of(x->v, x->vc);
    hs_free_profile_reset(&x->e->profile, hs_view_now_us(x->v), (int64_t)free_milli);
    x->last_end = HS_NO_JOB;
    x->e->passes++;
    return !x->has_windows || hs_reserved_take(&x->e->profile, x->v, x->vc);
}

/* Goes on, in order, from the first job that did not fit. */
static void reserve_all(struct easy_pass *x, hs_job_id head)
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
        const bool may_hold = x->e->scan == HS_SCAN_CONSERVATIVE || h.job == head;
        if ((may_hold || is_hopeful) && !reserve_or_start(x, h.job, h.set, may_hold, &is_started))
            x->hopeful.count = 0;
        hs_merge_heap_replace_first(&x->heads, x->v, (struct hs_merge_head){next, h.set});
        if (!is_started)
            continue;
        move_to_running(x, h.job, h.set);
        if (x->last_end != HS_NO_JOB &&
            hs_job_queue_is_before(&x->e->running[x->vc], x->v, h.job, x->last_end))
            (void)add_end(x, h.job);
    }
    hs_plan_reason(x->p, NULL);
}

static void easy_scan(struct fifo *e, const struct hs_view *v, struct hs_plan *p)
{
    for (uint32_t vc = 0; vc < e->vcs; vc++) {
        if (!e->is_awake[vc])
            continue;
        e->is_awake[vc] = false;
        struct easy_pass x = {.e = e,
                              .v = v,
                              .p = p,
                              .vc = vc,
                              .placement = e->placement,
                              .heads = {.at = e->heads, .order = &e->classes[vc].jobs},
                              .hopeful = {.at = e->hopeful, .order = &e->classes[vc].jobs},
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

/* ---- the orders ---- */

/* compat=helios: GPU time, and among equal ones the GPU count; exact up to 142 GPU-years on 1,000
 * GPUs (2^52 us). */
static int64_t key_of(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const struct fifo *s = ctx;
    if (s->order != BY_GPU_TIME)
        return s->order == BY_RUN_TIME ? hs_view_estimate_us(v, job) : hs_view_submit_us(v, job);
    int64_t gpu_time_us = hs_estimate_gpu_time_us(v, job), most_us = INT64_MAX >> s->gpus_bits;
    if (s->compat == COMPAT_OFF)
        return gpu_time_us;
    gpu_time_us = gpu_time_us < most_us ? gpu_time_us : most_us;
    return (int64_t)((uint64_t)gpu_time_us << s->gpus_bits) | hs_view_gpus(v, job);
}

static int64_t gpus_of(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    (void)ctx;
    return hs_view_gpus(v, job);
}

static void scan_helios(struct fifo *s, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_vc_queues *q = &s->waiting;
    for (uint32_t vc = 0; vc < q->vcs; vc++) {
        struct hs_job_queue *jobs = &q->by_vc[vc];
        if (!hs_vc_queues_needs_scan(q, vc))
            continue;
        bool is_only_arrivals = s->arrivals[vc] == jobs->count && jobs->count > 1;
        if (is_only_arrivals)
            hs_job_queue_rekey_all(jobs, v, gpus_of, NULL);
        hs_vc_queues_scan_set(jobs, v, p, vc, (enum hs_scan)s->scan, s->placement);
        if (is_only_arrivals) /* the jobs left count as waiting from now on */
            hs_job_queue_rekey_all(jobs, v, key_of, s);
        s->arrivals[vc] = 0;
    }
}

static bool preempts(const struct fifo *f)
{
    return hs_priority_evicts(&f->priority);
}

static uint32_t can_of(const struct fifo *f)
{
    if (preempts(f))
        return HS_CAN_PREEMPT |
               hs_evictions_can(&f->priority, f->priority.classes == HS_CLASS_EVICT);
    return f->compat == COMPAT_OFF ? HS_CAN_DIVIDE | HS_CAN_RESERVE : HS_CAN_DIVIDE;
}

static void fifo_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct fifo *f = state;
    *can = can_of(f);
    if (backfills(f))
        hs_estimate_needs(&f->estimate, knows);
    else
        *knows &= HS_KNOWS_SPEED;
    hs_place_needs(f->placement, knows);
}

static void sjf_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct fifo *f = state;
    *can = can_of(f);
    hs_estimate_needs(&f->estimate, knows);
    hs_place_needs(f->placement, knows);
}

static enum hs_status fifo_init(void *state, const struct hs_view *v)
{
    struct fifo *f = state;
    if (backfills(f) || f->order != BY_SUBMISSION)
        HS_TRY(hs_estimate_open(&f->estimate, v));
    if (!backfills(f)) {
        hs_vc_queues_init(&f->waiting, v, (enum hs_scan)f->scan);
        return hs_vc_queues_prioritize(&f->waiting, v, &f->priority, &f->cost);
    }
    if (preempts(f))
        return hs_view_fail(
            v, HS_E_USAGE,
            "priority=preempt, class=evict and reclaim=yes need scan=strict or scan=fit");
    f->vcs = v->vcs;
    const uint64_t classes = (uint64_t)f->vcs + CLASSES;
    f->classes = hs_view_alloc(v, classes * sizeof *f->classes);
    f->heads = hs_view_alloc(v, classes * sizeof *f->heads);
    if (f->scan == HS_SCAN_CONSERVATIVE || v->windows > 0) {
        f->hopeful = hs_view_alloc(v, classes * sizeof *f->hopeful);
        f->slots = hs_view_alloc(v, classes * LENGTHS * sizeof *f->slots);
        hs_free_profile_init(&f->profile, v, PARTS);
    }
    f->running = hs_view_alloc(v, (uint64_t)f->vcs * sizeof *f->running);
    f->is_awake = hs_view_alloc(v, (uint64_t)f->vcs * sizeof *f->is_awake);
    for (uint32_t i = 0; i < classes; i++) {
        f->classes[i].jobs.size_of = size_of;
        f->classes[i].jobs.levels = hs_priority_counts(&f->priority) ? &f->priority : NULL;
    }
    return HS_OK;
}

static enum hs_status sjf_init(void *state, const struct hs_view *v)
{
    ((struct fifo *)state)->order = BY_RUN_TIME;
    return fifo_init(state, v);
}

static enum hs_status qssf_init(void *state, const struct hs_view *v)
{
    struct fifo *s = state;
    s->order = BY_GPU_TIME;
    if (s->compat == COMPAT_OFF)
        return fifo_init(state, v);
    if (preempts(s))
        return hs_view_fail(v, HS_E_USAGE,
                            "priority=preempt, class=evict and reclaim=yes need compat=off");
    HS_TRY(hs_estimate_open(&s->estimate, v));
    hs_vc_queues_init(&s->waiting, v, HS_SCAN_FIT);
    HS_TRY(hs_vc_queues_prioritize(&s->waiting, v, &s->priority, NULL));
    for (uint32_t vc = 0; vc < v->vcs; vc++)
        while (hs_view_total_gpus(v, vc) >> s->gpus_bits !=
               0) /* no job has more GPUs than its VC */
            s->gpus_bits++;
    s->arrivals = hs_view_alloc(v, (uint64_t)s->waiting.vcs * sizeof *s->arrivals);
    return HS_OK;
}

static void fifo_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct fifo *f = state;
    const bool is_submission = event->kind == HS_EVENT_SUBMIT;
    if (backfills(f)) {
        easy_event(f, v, event);
        return;
    }
    const bool waits = is_submission || event->kind == HS_EVENT_STOPPED;
    hs_vc_queues_event(&f->waiting, v, event, waits ? key_of(v, event->job, f) : 0);
    if (v->windows > 0 && waits) /* behind others, too, it may start on nodes of its own */
        hs_vc_queues_wake(&f->waiting, v, event->job);
    if (f->arrivals != NULL && is_submission)
        f->arrivals[hs_view_vc(v, event->job)]++;
}

/* start_reserved for scan=strict and fit. */
static void start_reserved_of_queues(struct fifo *f, const struct hs_view *v, struct hs_plan *p)
{
    for (uint32_t vc = 0; vc < v->vcs; vc++) {
        hs_job_id next = HS_NO_JOB, job = hs_job_queue_first(&f->waiting.by_vc[vc]);
        for (; job != HS_NO_JOB && f->waiting.is_awake[vc]; job = next) {
            next = hs_job_queue_next(&f->waiting.by_vc[vc], v, job);
            if (hs_plan_start_reserved(p, v, job))
                hs_vc_queues_remove(&f->waiting, v, job);
        }
    }
}

static enum hs_status fifo_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct fifo *f = state;
    if (v->windows > 0 && !backfills(f) && hs_view_reserved_room(v))
        start_reserved_of_queues(f, v, p);
    if (backfills(f))
        easy_scan(f, v, p);
    else if (f->arrivals != NULL)
        scan_helios(f, v, p);
    else
        hs_vc_queues_scan(&f->waiting, v, p, f->placement);
    return HS_OK;
}

static const char *preemption_text(const struct fifo *f)
{
    static const char *const texts[] = {"none",
                                        "by priority",
                                        "by class",
                                        "by class and priority",
                                        "reclaimed",
                                        "by priority, reclaimed",
                                        "by class, reclaimed",
                                        "by class and priority, reclaimed"};
    return texts[(f->priority.use == HS_PRIORITY_PREEMPT) +
                 2 * (f->priority.classes == HS_CLASS_EVICT) + 4 * f->priority.reclaims];
}

/* Also called for a state before its init, to print the assumptions. */
static void semantics_of(const struct fifo *f, const char *exact, const char *estimated,
                         struct hs_semantics *out)
{
    *out =
        (struct hs_semantics){.order = f->estimate.from == HS_ESTIMATE_ORACLE ? exact : estimated,
                              .scan = hs_scan_names[f->scan],
                              .placement = hs_place_text(f->placement),
                              .preemption = preemption_text(f),
                              .cost = preempts(f) ? hs_cost_text(&f->cost, false) : "none",
                              .priority = hs_priority_text(&f->priority)};
}

static void fifo_semantics(const void *state, struct hs_semantics *out)
{
    semantics_of(state, "submit", "submit", out);
}

static void sjf_semantics(const void *state, struct hs_semantics *out)
{
    semantics_of(state, "duration", "estimated duration", out);
}

static void qssf_semantics(const void *state, struct hs_semantics *out)
{
    semantics_of(state, "GPU time", "estimated GPU time", out);
    if (((const struct fifo *)state)->compat == COMPAT_HELIOS)
        out->ties = "GPUs, submission, then trace row; jobs that arrive where none waits: GPUs, "
                    "then trace row";
}

static const char *fifo_check(const void *state, const struct hs_view *v)
{
    const struct fifo *f = state;
    if (!backfills(f))
        return hs_vc_queues_check(&f->waiting, v);
    const char *fault = NULL;
    for (uint32_t vc = 0; vc < f->vcs; vc++)
        if (!hs_job_queue_is_valid(&f->running[vc], v))
            return "the ends of the running jobs are out of order";
    for (uint32_t set = 0; fault == NULL && set < f->vcs + CLASSES; set++)
        fault = hs_waiting_check(&f->classes[set].jobs, v);
    return fault;
}

/* ---- the policies ---- */

#define PRIORITY_ROWS                                                                              \
    HS_PRIORITY_PREEMPT_PARAMS(struct fifo, priority),                                             \
        HS_COST_PARAMS_WITH(struct fifo, cost, "priority=preempt or class=evict or reclaim=yes")

#define SCAN_ROW                                                                                   \
    HS_PARAM_CHOICE(struct fifo, scan, "scan", "strict", hs_scan_names,                            \
                    "behind a job that does not fit: stop, skip it, or backfill behind its "       \
                    "reservation, or behind those of all before",                                  \
                    .source = "strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, "          \
                              "JSSPP'95; conservative: Mu'alem & Feitelson, TPDS'01")

static const struct hs_param fifo_params[] = {SCAN_ROW,
                                              HS_PLACEMENT_PARAM(struct fifo, placement),
                                              HS_ESTIMATE_PARAMS(struct fifo, estimate, "oracle"),
                                              PRIORITY_ROWS,
                                              {0}};

static const struct hs_param sjf_params[] = {SCAN_ROW,
                                             HS_PLACEMENT_PARAM(struct fifo, placement),
                                             HS_ESTIMATE_PARAMS(struct fifo, estimate, "oracle"),
                                             PRIORITY_ROWS,
                                             {0}};

static const struct hs_param qssf_params[] = {
    SCAN_ROW,
    HS_PLACEMENT_PARAM(struct fifo, placement),
    HS_ESTIMATE_PARAMS(struct fifo, estimate, "rolling"),
    PRIORITY_ROWS,
    HS_PARAM_CHOICE(
        struct fifo, compat, "compat", "off", compat_names,
        "helios: jobs that arrive where none waits go by GPUs, and so do equal GPU times",
        .only_with = "scan=strict|fit", .source = "Helios artifact, simulator of QSSF"),
    {0}};

#define FIFO_POLICY(id, label, text, source, needs_of)                                             \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = label,                                                                             \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .can = HS_CAN_DIVIDE | HS_CAN_PREEMPT | HS_CAN_RESERVE | HS_CAN_TIME,                      \
        .knows = HS_ESTIMATE_KNOWS | HS_KNOWS_SPEED,                                               \
        .params = id##_params,                                                                     \
        .state_size = sizeof(struct fifo),                                                         \
        .job_state_size = sizeof(struct hs_evict_link),                                            \
        .needs = needs_of,                                                                         \
        .init = id##_init,                                                                         \
        .on_event = fifo_event,                                                                    \
        .decide = fifo_decide,                                                                     \
        .semantics = id##_semantics,                                                               \
        .check = fifo_check,                                                                       \
    }

FIFO_POLICY(
    fifo, "fifo", "first come, first served",
    "Hu et al. SC'21 (strict, per VC); Gu et al. NSDI'19 (fit); Lifka JSSPP'95 (easy); Mu'alem "
    "& Feitelson TPDS'01 (conservative)",
    fifo_needs);
FIFO_POLICY(sjf, "sjf", "shortest job first, no preemption", "Hu et al. SC'21", sjf_needs);
FIFO_POLICY(qssf, "qssf", "least estimated GPU time first, no preemption", "Hu et al. SC'21",
            sjf_needs);
