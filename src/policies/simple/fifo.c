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
 * With scan=easy and scan=conservative jobs backfill (backfill.h).
 */
#include "policies/lib/backfill.h"

enum order { BY_SUBMISSION, BY_RUN_TIME, BY_GPU_TIME };
enum { COMPAT_OFF, COMPAT_HELIOS };
static const char *const compat_names[] = {"off", "helios", NULL};

struct fifo {
    int32_t scan, compat;
    struct hs_place_rule placement;
    struct hs_estimate_choice estimate;
    struct hs_priority priority;
    struct hs_preempt_cost cost;  /* the parameters end here */
    int32_t order;                /* enum order; of the policy */
    struct hs_vc_queues waiting;  /* for scan=strict and fit */
    uint32_t *arrivals;           /* compat=helios, per VC: submissions since the last pass */
    uint32_t gpus_bits;           /* compat=helios: low bits of the key that hold the GPU count */
    struct hs_backfill *backfill; /* for scan=easy and conservative */
};

static bool backfills(const struct fifo *f)
{
    return f->scan == HS_SCAN_EASY || f->scan == HS_SCAN_CONSERVATIVE;
}

/* compat=helios has no effect where jobs backfill, as a warning says. */
static bool is_helios(const struct fifo *f)
{
    return f->compat == COMPAT_HELIOS && !backfills(f);
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
    if (!is_helios(s))
        return gpu_time_us;
    gpu_time_us = gpu_time_us < most_us ? gpu_time_us : most_us;
    return (int64_t)((uint64_t)gpu_time_us << s->gpus_bits) | hs_view_gpus(v, job);
}

static int64_t gpus_of(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    (void)ctx;
    return hs_view_gpus(v, job);
}

static HS_APART void scan_helios(struct fifo *s, const struct hs_view *v, struct hs_plan *p)
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

static void fifo_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct fifo *f = state;
    *can = is_helios(f) ? HS_CAN_DIVIDE : HS_CAN_DIVIDE | HS_CAN_RESERVE;
    if (preempts(f))
        *can =
            HS_CAN_PREEMPT | hs_evictions_can(&f->priority, f->priority.classes == HS_CLASS_EVICT);
    if (backfills(f) || f->order != BY_SUBMISSION)
        hs_estimate_needs(&f->estimate, knows);
    else
        *knows &= HS_KNOWS_SPEED;
    hs_place_needs(f->placement, knows);
}

static enum hs_status open_helios(struct fifo *s, const struct hs_view *v)
{
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

static enum hs_status fifo_init(void *state, const struct hs_view *v)
{
    struct fifo *f = state;
    if (is_helios(f))
        return open_helios(f, v);
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
    f->backfill = hs_backfill_open(v, f->scan == HS_SCAN_CONSERVATIVE, f->placement,
                                   hs_priority_counts(&f->priority) ? &f->priority : NULL);
    return HS_OK;
}

static void fifo_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct fifo *f = state;
    const bool is_submission = event->kind == HS_EVENT_SUBMIT;
    const bool waits = is_submission || event->kind == HS_EVENT_STOPPED;
    const int64_t key = waits ? key_of(v, event->job, f) : 0;
    if (HS_UNLIKELY(f->backfill != NULL)) {
        hs_backfill_event(f->backfill, v, event, key);
        return;
    }
    if (HS_UNLIKELY(v->windows > 0) && waits) /* behind others, too, it may start on its nodes */
        hs_vc_queues_wake(&f->waiting, v, event->job);
    if (HS_UNLIKELY(f->arrivals != NULL) && is_submission)
        f->arrivals[hs_view_vc(v, event->job)]++;
    hs_vc_queues_event(&f->waiting, v, event, key);
}

/* start_reserved for scan=strict and fit. */
static HS_APART void start_reserved_of_queues(struct fifo *f, const struct hs_view *v,
                                              struct hs_plan *p)
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
        hs_backfill_scan(f->backfill, v, p);
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
static void fifo_semantics(const void *state, struct hs_semantics *out)
{
    static const char *const orders[][2] = {[BY_SUBMISSION] = {"submit", "submit"},
                                            [BY_RUN_TIME] = {"duration", "estimated duration"},
                                            [BY_GPU_TIME] = {"GPU time", "estimated GPU time"}};
    const struct fifo *f = state;
    *out = (struct hs_semantics){.order = orders[f->order][f->estimate.from != HS_ESTIMATE_ORACLE],
                                 .scan = hs_scan_names[f->scan],
                                 .placement = hs_place_text(f->placement),
                                 .preemption = preemption_text(f),
                                 .cost = preempts(f) ? hs_cost_text(&f->cost, false) : "none",
                                 .priority = hs_priority_text(&f->priority)};
    if (is_helios(f))
        out->ties = "GPUs, submission, then trace row; jobs that arrive where none waits: GPUs, "
                    "then trace row";
}

static const char *fifo_check(const void *state, const struct hs_view *v)
{
    const struct fifo *f = state;
    return backfills(f) ? hs_backfill_check(f->backfill, v) : hs_vc_queues_check(&f->waiting, v);
}

/* ---- the policies ---- */

#define PRIORITY_ROWS                                                                              \
    HS_PRIORITY_PREEMPT_PARAMS(struct fifo, priority),                                             \
        HS_COST_PARAMS_WITH(struct fifo, cost, "priority=preempt or class=evict or reclaim=yes")

#define SCAN_ROW                                                                                   \
    HS_PARAM_CHOICE(struct fifo, scan, "scan", "strict", hs_scan_names,                            \
                    "when a job does not fit: stop (strict), skip it (fit), or backfill around "   \
                    "its reservation (easy) or around those of all earlier jobs (conservative)",   \
                    .source = "strict: Helios, Philly; fit: Tiresias' fjf; easy: Lifka, "          \
                              "JSSPP'95; conservative: Mu'alem & Feitelson, TPDS'01")

#define ROWS(estimates)                                                                            \
    SCAN_ROW, HS_PLACEMENT_PARAM(struct fifo, placement),                                          \
        HS_ESTIMATE_PARAMS(struct fifo, estimate, estimates), PRIORITY_ROWS

static const struct hs_param fifo_params[] = {ROWS("oracle"), {0}};
static const struct hs_param sjf_params[] = {ROWS("oracle"),
                                             HS_PARAM_END(struct fifo, order, BY_RUN_TIME)};
static const struct hs_param qssf_params[] = {
    ROWS("rolling"),
    HS_PARAM_CHOICE(
        struct fifo, compat, "compat", "off", compat_names,
        "helios: order by GPUs jobs that arrive while none waits, and jobs of equal GPU time",
        .only_with = "scan=strict|fit", .source = "Helios artifact, simulator of QSSF"),
    HS_PARAM_END(struct fifo, order, BY_GPU_TIME)};

#define FIFO_POLICY(id, text, source)                                                              \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = #id,                                                                               \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .can = HS_CAN_DIVIDE | HS_CAN_PREEMPT | HS_CAN_RESERVE | HS_CAN_TIME,                      \
        .knows = HS_ESTIMATE_KNOWS | HS_KNOWS_SPEED,                                               \
        .params = id##_params,                                                                     \
        HS_POLICY_HOOKS(fifo, struct fifo, struct hs_evict_link),                                  \
    }

FIFO_POLICY(fifo, "first come, first served",
            "Hu et al. SC'21 (strict, per VC); Gu et al. NSDI'19 (fit); Lifka JSSPP'95 (easy); "
            "Mu'alem & Feitelson TPDS'01 (conservative)");
FIFO_POLICY(sjf, "shortest job first, no preemption", "Hu et al. SC'21");
FIFO_POLICY(qssf, "least estimated GPU time first, no preemption", "Hu et al. SC'21");
