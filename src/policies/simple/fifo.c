/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Three orders that never preempt; a job's place is settled when it is submitted.
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
 * is expected to end now. Jobs wait in classes of those that want as many GPUs, or as large a share
 * of as many: whether one of a class may start depends on its run time alone, so what the queue of
 * a class compares with limits is the time that a job will be busy, in steps, and the next that may
 * start is one descent. A pass merges the classes by the order of their jobs. O(classes + jobs that
 * may start x (log classes + log n)), whatever the number of those that wait.
 */
#include "policies/lib/vc_queues.h"

#define CLASSES    1024u
#define STEP_BITS  20 /* 2^20 us, about a second, is one step of a busy time */
#define STEPS_MOST (UINT32_MAX - 2)

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

struct fifo {
    int32_t scan, compat;
    struct hs_place_rule placement;
    struct hs_estimate_choice estimate; /* the parameters end here */
    enum order order;
    struct hs_vc_queues waiting;  /* for scan=strict and fit */
    uint32_t *arrivals;           /* compat=helios, per VC: submissions since the last pass */
    uint32_t gpus_bits;           /* compat=helios: low bits of the key that hold the GPU count */
    struct easy_class *classes;   /* scan=easy: one class per VC, then further ones as needed */
    uint32_t class_count;         /* scan=easy: number of the further ones */
    struct hs_merge_head *heads;  /* memory of a pass */
    struct hs_job_queue *running; /* scan=easy, per VC: started jobs by expected end */
    bool *is_awake; /* scan=easy, per VC: an event since its last pass may let a job start */
    uint32_t vcs;
};

/* ---- scan=easy ---- */

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

static void easy_event(struct fifo *e, const struct hs_view *v, const struct hs_event *event)
{
    const hs_job_id job = event->job;
    if (event->kind == HS_EVENT_SUBMIT) {
        hs_job_queue_add(&class_of(e, v, job)->jobs, v, job, hs_view_submit_us(v, job));
    } else if (event->kind == HS_EVENT_FINISH && hs_job_queue_has(v, job)) {
        bool has_run = hs_view_first_start_us(v, job) >= 0;
        hs_job_queue_remove(has_run ? &e->running[hs_view_vc(v, job)] : &class_of(e, v, job)->jobs,
                            v, job);
    }
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_FINISH)
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
    int64_t until_us;             /* time until the reservation begins */
    uint64_t extra;               /* thousandths that the reservation leaves free */
};

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

/* Starts jobs in order while they fit. Returns the first that does not fit, or HS_NO_JOB. */
static hs_job_id start_in_order(struct easy_pass *x)
{
    for (uint32_t set = x->vc + 1; set != 0; set = x->e->classes[set - 1].next) {
        hs_job_id first = hs_job_queue_first(jobs_of(x, set - 1));
        if (first != HS_NO_JOB)
            hs_merge_heap_add(&x->heads, x->v, (struct hs_merge_head){first, set - 1});
    }
    while (x->heads.count > 0) {
        const struct hs_merge_head head = x->heads.at[0];
        hs_job_id next = hs_job_queue_next(jobs_of(x, head.set), x->v, head.job);
        bool is_started = hs_place(x->v, x->p, head.job, x->placement);
        if (!is_started && !hs_reject_hopeless(x->v, x->p, head.job))
            return head.job;
        hs_merge_heap_replace_first(&x->heads, x->v, (struct hs_merge_head){next, head.set});
        if (is_started)
            move_to_running(x, head.job, head.set);
    }
    return HS_NO_JOB;
}

/* Computes the reservation of the first job in order, by thousandths of GPUs alone: it begins at
 * the expected end of the running job that frees the last GPUs needed, or now if that time has
 * passed. */
static void reserve(struct easy_pass *x, hs_job_id head)
{
    const struct hs_view *v = x->v;
    const struct hs_job_queue *running = &x->e->running[x->vc];
    const uint64_t wanted = milli_of(v, head);
    uint64_t free_milli =
        hs_view_free_gpus(v, x->vc) * HS_GPU_MILLI + hs_view_share_rooms(v, x->vc);
    free_milli = hs_smaller(free_milli, hs_view_quota_room_milli(v, x->vc));
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

/* Limits of the busy time of jobs of the class, in steps. */
static struct hs_gang_limits bounds_of(const struct easy_pass *x, uint32_t set, hs_job_id job)
{
    const bool is_mixed = set == x->vc;
    bool is_constrained = false;
    const uint64_t size = is_mixed ? 0 : hs_vc_queues_size(x->v, job, &is_constrained);
    const uint64_t least = is_mixed ? 1 : milli_of(x->v, job);
    const uint64_t steps = least <= x->extra ? UINT64_MAX : steps_of(x->until_us);
    return (struct hs_gang_limits){.plain = size <= x->bounds.plain ? steps : 0,
                                   .constrained = size <= x->bounds.constrained ? steps : 0};
}

static hs_job_id next_of(struct easy_pass *x, uint32_t set, hs_job_id member, hs_job_id after)
{
    return hs_job_queue_next_within(jobs_of(x, set), x->v, after, bounds_of(x, set, member));
}

/* Tries to backfill a job. Returns whether it was started. */
static bool try_behind(struct easy_pass *x, hs_job_id job)
{
    const struct hs_view *v = x->v;
    const uint64_t milli = milli_of(v, job);
    bool ends_before = busy_us(v, job) <= x->until_us, is_constrained = false;
    uint32_t size = hs_vc_queues_size(v, job, &is_constrained);
    is_constrained = hs_view_is_constrained(v, job);
    if (size > (is_constrained ? x->bounds.constrained : x->bounds.plain) ||
        (!ends_before && milli > x->extra))
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

/* Backfills behind the first job: from each class the first job that may start. */
static void backfill(struct easy_pass *x, hs_job_id head)
{
    const uint32_t count = x->heads.count;
    x->bounds = (struct hs_gang_limits){UINT64_MAX, UINT64_MAX};
    hs_vc_queues_narrow_by_room(&x->bounds, x->v, x->vc);
    x->heads.count = 0;
    for (uint32_t i = 0; i < count; i++) { /* the heap grows while its unread entries are visited */
        const struct hs_merge_head h = x->heads.at[i];
        hs_job_id before = hs_job_queue_prev(jobs_of(x, h.set), x->v, h.job);
        hs_job_id job = next_of(x, h.set, h.job, h.job == head ? head : before);
        if (job != HS_NO_JOB)
            hs_merge_heap_add(&x->heads, x->v, (struct hs_merge_head){job, h.set});
    }
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
                              .heads = {.at = e->heads, .order = &e->classes[vc].jobs}};
        hs_job_id head = start_in_order(&x);
        if (head == HS_NO_JOB)
            continue;
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

static void fifo_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct fifo *f = state;
    (void)can;
    if (f->scan == HS_SCAN_EASY)
        hs_estimate_needs(&f->estimate, knows);
    else
        *knows &= HS_KNOWS_SPEED;
    hs_place_needs(f->placement, knows);
}

static void sjf_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct fifo *f = state;
    (void)can;
    hs_estimate_needs(&f->estimate, knows);
    hs_place_needs(f->placement, knows);
}

static enum hs_status fifo_init(void *state, const struct hs_view *v)
{
    struct fifo *f = state;
    if (f->scan == HS_SCAN_EASY || f->order != BY_SUBMISSION)
        HS_TRY(hs_estimate_open(&f->estimate, v));
    if (f->scan != HS_SCAN_EASY) {
        hs_vc_queues_init(&f->waiting, v, (enum hs_scan)f->scan);
        return HS_OK;
    }
    f->vcs = v->vcs;
    const uint64_t classes = (uint64_t)f->vcs + CLASSES;
    f->classes = hs_view_alloc(v, classes * sizeof *f->classes);
    f->heads = hs_view_alloc(v, classes * sizeof *f->heads);
    f->running = hs_view_alloc(v, (uint64_t)f->vcs * sizeof *f->running);
    f->is_awake = hs_view_alloc(v, (uint64_t)f->vcs * sizeof *f->is_awake);
    for (uint32_t i = 0; i < classes; i++)
        f->classes[i].jobs.size_of = size_of;
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
    HS_TRY(hs_estimate_open(&s->estimate, v));
    hs_vc_queues_init(&s->waiting, v, HS_SCAN_FIT);
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
    if (f->scan == HS_SCAN_EASY) {
        easy_event(f, v, event);
        return;
    }
    hs_vc_queues_event(&f->waiting, v, event, is_submission ? key_of(v, event->job, f) : 0);
    if (f->arrivals != NULL && is_submission)
        f->arrivals[hs_view_vc(v, event->job)]++;
}

static enum hs_status fifo_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct fifo *f = state;
    if (f->scan == HS_SCAN_EASY)
        easy_scan(f, v, p);
    else if (f->arrivals != NULL)
        scan_helios(f, v, p);
    else
        hs_vc_queues_scan(&f->waiting, v, p, f->placement);
    return HS_OK;
}

/* Also called for a state before its init, to print the assumptions. */
static void semantics_of(const struct fifo *f, const char *exact, const char *estimated,
                         struct hs_semantics *out)
{
    *out =
        (struct hs_semantics){.order = f->estimate.from == HS_ESTIMATE_ORACLE ? exact : estimated,
                              .scan = hs_scan_names[f->scan],
                              .placement = hs_place_text(f->placement),
                              .preemption = "none",
                              .cost = "none"};
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
    if (f->scan != HS_SCAN_EASY)
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

static const struct hs_param fifo_params[] = {
    HS_PARAM_CHOICE(struct fifo, scan, "scan", "strict", hs_scan_names,
                    "behind a job that does not fit: stop, skip it, or backfill behind its "
                    "reservation",
                    .source = "strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, JSSPP'95"),
    HS_PLACEMENT_PARAM(struct fifo, placement),
    HS_ESTIMATE_PARAMS(struct fifo, estimate, "oracle"),
    {0}};

#define SCAN_ROW                                                                                   \
    HS_PARAM_CHOICE(struct fifo, scan, "scan", "strict", hs_scan_two_names,                        \
                    "behind a job that does not fit: stop, or skip it",                            \
                    .source = "strict: Helios artifact (Hu et al. SC'21)")

static const struct hs_param sjf_params[] = {SCAN_ROW,
                                             HS_PLACEMENT_PARAM(struct fifo, placement),
                                             HS_ESTIMATE_PARAMS(struct fifo, estimate, "oracle"),
                                             {0}};

static const struct hs_param qssf_params[] = {
    SCAN_ROW,
    HS_PLACEMENT_PARAM(struct fifo, placement),
    HS_ESTIMATE_PARAMS(struct fifo, estimate, "rolling"),
    HS_PARAM_CHOICE(
        struct fifo, compat, "compat", "off", compat_names,
        "helios: jobs that arrive where none waits go by GPUs, and so do equal GPU times",
        .source = "Helios artifact, simulator of QSSF"),
    {0}};

#define FIFO_POLICY(id, label, text, source, needs_of)                                             \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = label,                                                                             \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .can = HS_CAN_DIVIDE,                                                                      \
        .knows = HS_ESTIMATE_KNOWS | HS_KNOWS_SPEED,                                               \
        .params = id##_params,                                                                     \
        .state_size = sizeof(struct fifo),                                                         \
        .job_state_size = sizeof(struct hs_job_queue_link),                                        \
        .needs = needs_of,                                                                         \
        .init = id##_init,                                                                         \
        .on_event = fifo_event,                                                                    \
        .decide = fifo_decide,                                                                     \
        .semantics = id##_semantics,                                                               \
        .check = fifo_check,                                                                       \
    }

FIFO_POLICY(fifo, "fifo", "first come, first served",
            "Hu et al. SC'21 (strict, per VC); Gu et al. NSDI'19 (fit); Lifka JSSPP'95 (easy)",
            fifo_needs);
FIFO_POLICY(sjf, "sjf", "shortest job first, no preemption", "Hu et al. SC'21", sjf_needs);
FIFO_POLICY(qssf, "qssf", "least estimated GPU time first, no preemption", "Hu et al. SC'21",
            sjf_needs);
