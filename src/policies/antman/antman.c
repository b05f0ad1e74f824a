/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AntMan (Xiao et al., OSDI'20; README.md): parameters; which jobs are guaranteed and which
 * opportunistic; events, and one decision. Tenants take turns: a job gets the round after that of
 * the job before it of its tenant, or the present one, and jobs are served in order of rounds, then
 * of submission.
 *
 * Cost of a decision: O(log) for each job that comes or goes, O(nodes) for a guaranteed job that
 * does not fit idle GPUs of one node, O(log GPUs) a GPU of an opportunistic one, and O(GPUs that
 * changed within the window).
 */
#include "policies/antman/antman.h"

#define FULL_PM       1000
#define BYTES_PER_GB  1000000000
#define BYTES_PER_MIB 1048576

static enum hs_status antman_init(void *state, const struct hs_view *v)
{
    struct hs_antman *s = state;
    uint32_t nodes = v->nodes;
    s->host_mib = s->host_gb * BYTES_PER_GB / BYTES_PER_MIB;
    s->thr_pm = (uint32_t)(s->util_thr * FULL_PM + 0.5);
    s->step_pm = (uint32_t)(s->step * FULL_PM + 0.5);
    s->full_steps = hs_antman_full_steps(s->step_pm);
    s->chunks = (uint32_t)(1 / s->mem_chunk + 0.5);
    s->sample_at_us = s->conversion_at_us = -1;
    s->waiting.size_of = hs_antman_need_pm;
    s->autos.link_offset = offsetof(struct hs_antman_job, other);
    s->tenant_count = v->vcs;
    s->tenants = hs_view_alloc(v, (uint64_t)s->tenant_count * sizeof *s->tenants);
    for (uint32_t vc = 0; vc < s->tenant_count; vc++)
        s->tenants[vc] = (struct hs_antman_tenant){.quota = hs_view_quota(v, vc),
                                                   .upgradable.link_offset =
                                                       offsetof(struct hs_antman_job, other)};
    hs_allocation_map_init(&s->allocations, v);
    s->gpu_count = s->allocations.gpus;
    hs_capacity_tree_init(&s->candidates, v, s->gpu_count, 1);
    s->gpus = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->gpus);
    s->open = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->open);
    s->reserved = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->reserved);
    s->node_taken = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->node_taken);
    s->is_freed = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->is_freed);
    s->freed = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->freed);
    s->looked = hs_view_alloc(v, (uint64_t)nodes * sizeof *s->looked);
    s->chosen = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->chosen);
    s->unsettled = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->unsettled);
    s->due = hs_view_alloc(v, (uint64_t)s->gpu_count * sizeof *s->due);
    s->node_gpus = hs_view_alloc(v, (uint64_t)v->max_node_gpus * sizeof *s->node_gpus);
    for (uint32_t node = 0; node < nodes; node++) {
        s->open[node] = hs_view_node(v, node)->gpus;
        s->open_gpus += s->open[node];
    }
    for (uint32_t gpu = 0; gpu < s->gpu_count; gpu++)
        hs_capacity_tree_put(&s->candidates, 0, gpu, 0,
                             (struct hs_capacity){{UINT32_MAX, UINT32_MAX}});
    return HS_OK;
}

/* ---- queues ---- */

static struct hs_antman_tenant *tenant_of(const struct hs_antman *s, const struct hs_view *v,
                                          hs_job_id job)
{
    return &s->tenants[hs_view_vc(v, job)];
}

static bool is_auto(const struct hs_view *v, hs_job_id job)
{
    return hs_view_class(v, job) == HS_JOB_CLASS_AUTO;
}

static int64_t next_round(int64_t *of_tenant, int64_t now)
{
    *of_tenant = *of_tenant + 1 > now ? *of_tenant + 1 : now;
    return *of_tenant;
}

/* As an opportunistic job. */
static void enqueue_waiting(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    hs_antman_job(v, job)->role = HS_ANTMAN_WAITING;
    hs_job_queue_add(&s->waiting, v, job,
                     next_round(&tenant_of(s, v, job)->waiting_round, s->waiting_round));
}

static void dequeue(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    struct hs_antman_tenant *t = tenant_of(s, v, job);
    if (j->role == HS_ANTMAN_QUEUED) {
        hs_job_queue_remove(&t->queue, v, job);
        if (is_auto(v, job))
            hs_job_queue_remove(&s->autos, v, job);
    }
    if (j->role == HS_ANTMAN_WAITING)
        hs_job_queue_remove(&s->waiting, v, job);
    if (j->role == HS_ANTMAN_OPPORTUNISTIC && is_auto(v, job))
        hs_job_queue_remove(&t->upgradable, v, job);
    if (j->role == HS_ANTMAN_RESERVING) {
        hs_job_queue_remove(&s->reserving, v, job);
        hs_antman_unreserve(s, v, job);
    }
    if (j->role == HS_ANTMAN_RESERVING || j->role == HS_ANTMAN_GUARANTEED)
        t->charged -= hs_view_gpus(v, job);
    j->role = HS_ANTMAN_NONE;
}

static uint64_t quota_left(const struct hs_antman_tenant *t)
{
    return t->quota > t->charged ? t->quota - t->charged : 0;
}

/* ---- upgrade ---- */

/* In place. It has run there, so the other guests need not make way for it at first. */
static void upgrade(const struct hs_antman_pass *x, hs_job_id job)
{
    struct hs_antman *s = x->s;
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    struct hs_antman_tenant *t = tenant_of(s, x->v, job);
    const struct hs_map_entry *entries = s->allocations.allocations;
    hs_job_queue_remove(&t->upgradable, x->v, job);
    t->charged += hs_view_gpus(x->v, job);
    j->role = HS_ANTMAN_GUARANTEED;
    for (uint32_t h = j->first_allocation; h != 0; h = entries[h].next_of_job) {
        uint32_t gpu = entries[h].gpu;
        struct hs_antman_gpu *g = &s->gpus[gpu];
        hs_antman_count_guest(g, j, -1);
        hs_antman_set_owner(s, x->v, gpu, job + 1);
        g->since_us = x->now_us - s->init_us;
        hs_antman_begin_ramp(x, gpu);
        hs_antman_unsettle(s, x->v, gpu);
    }
    hs_plan_reason(x->p, "quota is free again: guaranteed from here on");
    hs_plan_background(x->p, job, false);
}

static void upgrade_all(const struct hs_antman_pass *x)
{
    const struct hs_map_entry *entries = x->s->allocations.allocations;
    for (uint32_t vc = 0; vc < x->s->tenant_count; vc++) {
        struct hs_antman_tenant *t = &x->s->tenants[vc];
        hs_job_id next,
            job = hs_job_queue_next_fitting(&t->upgradable, x->v, HS_NO_JOB, quota_left(t));
        for (; job != HS_NO_JOB; job = next) {
            next = hs_job_queue_next_fitting(&t->upgradable, x->v, job, quota_left(t));
            /* if no other job has a right to its GPUs, and they have memory for its peak */
            bool may = hs_view_gpus(x->v, job) <= quota_left(t);
            const struct hs_antman_job *j = hs_antman_job(x->v, job);
            for (uint32_t h = j->first_allocation; h != 0 && may; h = entries[h].next_of_job) {
                const struct hs_antman_gpu *g = &x->s->gpus[entries[h].gpu];
                uint64_t peak_mib = g->least_mib - j->least_mib + j->peak_mib;
                may =
                    g->owner == 0 && g->reserved == 0 &&
                    (g->guests <= 1 || peak_mib <= hs_view_gpu_capacity_mib(x->v, entries[h].gpu));
            }
            if (may)
                upgrade(x, job);
        }
    }
}

/* ---- guaranteed jobs ---- */

/* A job that is charged to its quota starts, or waits with all GPUs that it could have. before:
 * GPUs reserved for jobs that come before it. */
static void place_or_reserve(const struct hs_antman_pass *x, hs_job_id job, uint64_t before)
{
    struct hs_antman *s = x->s;
    struct hs_antman_job *j = hs_antman_job(x->v, job);
    if (hs_antman_place(x, job, before)) {
        if (j->role == HS_ANTMAN_RESERVING)
            hs_job_queue_remove(&s->reserving, x->v, job);
        hs_antman_start(x, job, HS_ANTMAN_GUARANTEED);
        hs_antman_unreserve(s, x->v, job);
        return;
    }
    if (j->role != HS_ANTMAN_RESERVING) {
        j->role = HS_ANTMAN_RESERVING;
        hs_job_queue_add(&s->reserving, x->v, job, s->reservations++);
    }
    if (hs_reject_hopeless(x->v, x->p, job))
        dequeue(s, x->v, job);
    else
        hs_antman_reserve(x, job, before);
}

/* Jobs with reservations, in the order of these, as long as there are GPUs without an owner that no
 * job before has reserved. Nodes that are freed meanwhile are looked at in another round. */
static void serve_reserving(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    const struct hs_job_queue *set = &s->reserving;
    while (s->freed_count > 0) {
        uint32_t count = s->freed_count, *taken = s->freed;
        uint64_t before = 0;
        for (uint32_t i = 0; i < count; i++)
            s->is_freed[taken[i]] = false;
        s->freed = s->looked;
        s->looked = taken;
        s->freed_count = 0;
        hs_job_id job = hs_job_queue_first(set, x->v), next;
        for (; job != HS_NO_JOB && s->open_gpus + s->reserved_gpus > before; job = next) {
            /* worth a try if a GPU that it may use was freed; the first in any case, since it may
             * turn out to be hopeless */
            bool is_worth_it = job == hs_job_queue_first(set, x->v);
            next = hs_job_queue_next(set, x->v, job);
            for (uint32_t i = 0; i < count && !is_worth_it; i++)
                is_worth_it = hs_view_may_use(x->v, job, s->looked[i]);
            if (is_worth_it)
                place_or_reserve(x, job, before);
            before += hs_antman_job(x->v, job)->reserved_count;
        }
    }
}

/* The tenant that is next among those that are not blocked, and its first job; NULL: none. */
static struct hs_antman_tenant *next_tenant(const struct hs_antman_pass *x, hs_job_id *head)
{
    struct hs_antman_tenant *best = NULL;
    for (uint32_t vc = 0; vc < x->s->tenant_count; vc++) {
        struct hs_antman_tenant *t = &x->s->tenants[vc];
        hs_job_id job = t->is_blocked ? HS_NO_JOB : hs_job_queue_first(&t->queue, x->v);
        if (job == HS_NO_JOB ||
            (best != NULL && hs_job_queue_is_before(&t->queue, x->v, *head, job)))
            continue;
        best = t;
        *head = job;
    }
    return best;
}

static void become_opportunistic(const struct hs_antman_pass *x, hs_job_id job)
{
    dequeue(x->s, x->v, job);
    enqueue_waiting(x->s, x->v, job);
}

static void serve_queues(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    struct hs_antman_tenant *t;
    hs_job_id job = HS_NO_JOB;
    for (uint32_t vc = 0; vc < s->tenant_count; vc++)
        s->tenants[vc].is_blocked = false;
    while ((t = next_tenant(x, &job)) != NULL) {
        uint32_t gpus = hs_view_gpus(x->v, job);
        bool has_auto = is_auto(x->v, job);
        if (gpus <= quota_left(t)) {
            int64_t round = hs_job_queue_key(x->v, job);
            s->round = round > s->round ? round : s->round;
            dequeue(s, x->v, job);
            t->charged += gpus;
            place_or_reserve(x, job, s->reserved_gpus);
        } else if (gpus > t->quota && !has_auto && hs_view_state(x->v, job) == HS_JOB_PENDING) {
            hs_plan_reject(x->p, job, "it needs more GPUs than the quota of its virtual cluster");
            dequeue(s, x->v, job);
        } else if (has_auto && hs_antman_job(x->v, job)->other.key <= x->now_us) {
            become_opportunistic(x, job); /* it has waited for quota long enough */
        } else {
            t->is_blocked = true;
        }
    }
}

/* Jobs of class auto that have waited for quota long enough, also behind other jobs. */
static void convert(const struct hs_antman_pass *x)
{
    struct hs_antman *s = x->s;
    hs_job_id job;
    while ((job = hs_job_queue_first(&s->autos, x->v)) != HS_NO_JOB) {
        int64_t at_us = hs_antman_job(x->v, job)->other.key;
        if (at_us > x->now_us) {
            if (at_us != s->conversion_at_us)
                hs_plan_timer(x->p, at_us, s->gpu_count + UINT64_C(1));
            s->conversion_at_us = at_us;
            return;
        }
        become_opportunistic(x, job);
    }
}

/* ---- events ---- */

static void learn(const struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    int32_t util_pm = hs_view_util_pm(v, job);
    uint32_t least_mib = hs_view_gpu_mem_persistent_mib(v, job);
    j->util_pm = util_pm > 0 ? (uint32_t)util_pm : 0;
    j->peak_mib = hs_view_gpu_mem_mib(v, job);
    if ((int64_t)j->peak_mib - least_mib > s->host_mib)
        least_mib = j->peak_mib - (uint32_t)s->host_mib;
    least_mib = least_mib > 0 ? least_mib : 1;
    j->least_mib = least_mib < j->peak_mib ? least_mib : j->peak_mib;
}

static void submitted(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    learn(s, v, job);
    hs_antman_job(v, job)->cap_steps = s->full_steps;
    s->is_woken = true;
    if (hs_view_class(v, job) == HS_JOB_CLASS_OPPORTUNISTIC) {
        enqueue_waiting(s, v, job);
        return;
    }
    struct hs_antman_tenant *t = tenant_of(s, v, job);
    hs_antman_job(v, job)->role = HS_ANTMAN_QUEUED;
    hs_job_queue_add(&t->queue, v, job, next_round(&t->round, s->round));
    if (is_auto(v, job))
        hs_job_queue_add(&s->autos, v, job, hs_view_now_us(v) + s->conv_wait_us);
}

/* The job left its GPUs: what it had is free, and others there may have more. */
static void left(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    const struct hs_map_entry *entries = s->allocations.allocations;
    for (uint32_t h = j->first_allocation; h != 0; h = entries[h].next_of_job) {
        uint32_t gpu = entries[h].gpu;
        if (j->role == HS_ANTMAN_OPPORTUNISTIC) {
            hs_antman_count_guest(&s->gpus[gpu], j, -1);
            hs_antman_note_freed(s, hs_view_gpu_node(v, gpu));
        } else {
            hs_antman_set_owner(s, v, gpu, 0);
        }
        hs_antman_unsettle(s, v, gpu);
        hs_antman_touch(s, gpu);
    }
    hs_allocation_map_drop(&s->allocations, &j->first_allocation);
    hs_antman_forget(s, v, job);
    j->has_surged = j->is_step_awaited = false;
    dequeue(s, v, job);
    s->is_woken = true;
}

static void touch_all(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_map_entry *entries = s->allocations.allocations;
    for (uint32_t h = hs_antman_job(v, job)->first_allocation; h != 0; h = entries[h].next_of_job)
        hs_antman_touch(s, entries[h].gpu);
}

/* A limit counts from the end of a mini-batch on: an owner that needs more than its limit is slow
 * for one. */
static void needs_other_memory(struct hs_antman *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_antman_job *j = hs_antman_job(v, job);
    const struct hs_map_entry *entries = s->allocations.allocations;
    uint32_t least_mib = j->least_mib, peak_mib = j->peak_mib;
    learn(s, v, job);
    j->has_grown = j->has_grown || j->peak_mib > peak_mib;
    for (uint32_t h = j->first_allocation; h != 0; h = entries[h].next_of_job) {
        if (j->role == HS_ANTMAN_OPPORTUNISTIC)
            s->gpus[entries[h].gpu].least_mib += (uint64_t)j->least_mib - least_mib;
        hs_antman_unsettle(s, v, entries[h].gpu);
    }
    j->has_surged = j->role == HS_ANTMAN_GUARANTEED && j->limit_mib > 0 &&
                    j->limit_mib < j->peak_mib && hs_view_step_us(v, job) > 0;
    j->needs_more = true;
    touch_all(s, v, job);
    hs_antman_review(s, v, job);
}

static void antman_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_antman *s = state;
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        submitted(s, v, job);
        break;
    case HS_EVENT_FINISH:
        left(s, v, job);
        break;
    case HS_EVENT_STOPPED: /* it ran out of memory */
        left(s, v, job);
        submitted(s, v, job);
        hs_antman_job(v, job)->limit_mib = UINT32_MAX; /* unlike any: to be set anew */
        break;
    case HS_EVENT_PROGRESS: /* now it can be paused */
        hs_antman_review(s, v, job);
        break;
    case HS_EVENT_MEMORY:
        needs_other_memory(s, v, job);
        break;
    case HS_EVENT_STEP:
        hs_antman_job(v, job)->has_surged = hs_antman_job(v, job)->is_step_awaited = false;
        touch_all(s, v, job);
        break;
    case HS_EVENT_TIMER: /* tags: GPUs, then samples, then conversions */
        if (event->tag < s->gpu_count && s->gpus[event->tag].tick_us == hs_view_now_us(v)) {
            s->gpus[event->tag].tick_us = 0;
            s->due[s->due_count++] = (uint32_t)event->tag;
        }
        s->is_sampled = s->is_sampled || event->tag == s->gpu_count;
        s->is_woken = s->is_woken || event->tag > s->gpu_count;
        break;
    case HS_EVENT_STARTED:
        break;
    }
}

/* ---- a decision ---- */

static enum hs_status antman_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_antman *s = state;
    const struct hs_antman_pass x = {.s = s, .v = v, .p = p, .now_us = hs_view_now_us(v)};
    if (hs_antman_kill(&x)) /* another decision follows */
        return HS_OK;
    for (uint32_t i = 0; i < s->due_count; i++) {
        struct hs_antman_gpu *g = &s->gpus[s->due[i]];
        if (g->owner == 0)
            continue;
        g->steps++;
        hs_antman_touch(s, s->due[i]);
    }
    s->due_count = 0;
    if (s->is_woken) {
        upgrade_all(&x);
        serve_reserving(&x);
        serve_queues(&x);
        convert(&x);
    }
    if (s->is_woken || s->is_sampled)
        hs_antman_fill(&x);
    s->is_woken = s->is_sampled = false;
    hs_antman_coordinate(&x);
    int64_t sample_us = (x.now_us / s->tick_us + 1) * s->tick_us;
    if (s->waiting.count > 0 && s->unsettled_count > 0 && sample_us != s->sample_at_us) {
        hs_plan_timer(p, sample_us, s->gpu_count); /* a waiting job may then find a candidate */
        s->sample_at_us = sample_us;
    }
    return HS_OK;
}

static void antman_semantics(const void *state, struct hs_semantics *out)
{
    const struct hs_antman *s = state;
    *out = (struct hs_semantics){
        .order = "tenants in turn, submit",
        .scan = "guaranteed: strict with reservations; opportunistic: fit",
        .placement = "guaranteed: fewest nodes; opportunistic: least utilization",
        .preemption = s->has_ramp ? "opportunistic jobs are throttled, by a ramp"
                                  : "opportunistic jobs are throttled",
        .cost = "memory moved"};
}

static const char *check_set(const struct hs_job_queue *set, const struct hs_view *v,
                             enum hs_antman_role role)
{
    if (!hs_job_queue_is_valid(set, v))
        return "a queue is out of order";
    for (hs_job_id j = hs_job_queue_first(set, v); j != HS_NO_JOB; j = hs_job_queue_next(set, v, j))
        if (hs_antman_job(v, j)->role != role ||
            hs_job_waits(v, j) == (role == HS_ANTMAN_OPPORTUNISTIC))
            return "a queue holds a job that is something else";
    return NULL;
}

static const char *antman_check(const void *state, const struct hs_view *v)
{
    const struct hs_antman *s = state;
    const char *broken = hs_allocation_map_check(&s->allocations, v);
    broken = broken != NULL ? broken : check_set(&s->reserving, v, HS_ANTMAN_RESERVING);
    broken = broken != NULL ? broken : check_set(&s->waiting, v, HS_ANTMAN_WAITING);
    broken = broken != NULL ? broken : check_set(&s->autos, v, HS_ANTMAN_QUEUED);
    for (uint32_t vc = 0; vc < s->tenant_count && broken == NULL; vc++) {
        const struct hs_antman_tenant *t = &s->tenants[vc];
        broken = check_set(&t->queue, v, HS_ANTMAN_QUEUED);
        if (broken == NULL)
            broken = check_set(&t->upgradable, v, HS_ANTMAN_OPPORTUNISTIC);
        if (broken == NULL && t->charged > t->quota)
            broken = "a tenant is charged more than its quota";
    }
    return broken != NULL ? broken : hs_antman_check_gpus(s, v);
}

#define PAPER "Xiao et al., OSDI'20"
static const struct hs_param params[] = {
    HS_PARAM_REAL(struct hs_antman, util_thr, "util_thr", "0.8", 0.001, 1,
                  "an opportunistic job starts on GPUs of less mean utilization",
                  .source = PAPER ": 80 %"),
    HS_PARAM_DURATION(struct hs_antman, window_us, "util_window", "10s", 1, 1e6,
                      "over which that mean is taken", .source = PAPER),
    HS_PARAM_DURATION(struct hs_antman, tick_us, "tick", "10s", 0.001, 1e6,
                      "between steps of a ramp, and between looks at utilizations while jobs wait",
                      .source = "the authors' code: statistics every 10 s"),
    HS_PARAM_DURATION(struct hs_antman, init_us, "init", "10s", 0, 1e6,
                      "how long the others make way for a guaranteed job that starts"),
    HS_PARAM_FLAG(struct hs_antman, has_ramp, "ramp", "on",
                  "caps rise by steps; off: as high as they may be at once, without init"),
    HS_PARAM_REAL(struct hs_antman, step, "step", "0.1", 0.001, 1, "by which caps rise"),
    HS_PARAM_DURATION(struct hs_antman, conv_wait_us, "conv_wait", "0s", 0, 1e9,
                      "how long a job of class auto waits for quota before it is opportunistic"),
    HS_PARAM_REAL(struct hs_antman, shrink_ms_per_gb, "shrink_ms_per_gb", "1", 0, 1e6,
                  "what giving GPU memory costs a running job",
                  .source = PAPER ": 17 ms for 16.3 GB of ResNet-50"),
    HS_PARAM_REAL(struct hs_antman, growth_ms_per_gb, "growth_ms_per_gb", "7", 0, 1e6,
                  "what getting GPU memory costs a running job",
                  .source = PAPER ": 115 ms for 16.3 GB of ResNet-50"),
    HS_PARAM_INT(struct hs_antman, host_gb, "host_gb", "64", 0, 1e6,
                 "memory on the host that stands in for memory of the GPU, for each worker",
                 .unit = "GB", .source = "the authors' code: at most 64 GB"),
    HS_PARAM_REAL(struct hs_antman, mem_chunk, "mem_chunk", "0.1", 0.05, 1,
                  "share of its peak by which the memory of an opportunistic job is chosen"),
    {0}};

const struct hs_policy_ops hs_policy_antman = {
    .name = "antman",
    .summary = "guaranteed jobs as if alone, opportunistic ones in what these leave of their GPUs",
    .cite = "Xiao et al., OSDI'20",
    .can = HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_THROTTLE | HS_CAN_TIME | HS_CAN_BORROW |
           HS_CAN_PREEMPT,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE,
    .params = params,
    .state_size = sizeof(struct hs_antman),
    .job_state_size = sizeof(struct hs_antman_job),
    .wants_mean_util = true,
    .init = antman_init,
    .on_event = antman_event,
    .decide = antman_decide,
    .semantics = antman_semantics,
    .check = antman_check,
};
