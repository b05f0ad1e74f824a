/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The baseline that Horus' authors call Gandiva: order of submission, the GPU of least memory, load
 * and tenants, with no prediction of the newcomer; optionally a job that has run for a quantum
 * makes way when others wait. Not Gandiva itself.
 */
#include "policies/kit_colocate.h"
#include "policies/kit_horus.h"

#define FULL_PM 1000

struct gandiva_like {
    struct hs_colocate waiting;
    struct hs_sharer sharer;
    int32_t signal;
    double w_mem, w_n;
    int64_t quantum_us, suspend_us; /* parameters up to here; quantum 0 = none */
    int64_t mem_q20, tenant_q20;
    struct hs_order running; /* by the end of the quantum */
    int64_t timer_us;        /* of the timer that is set; 0 = none */
    int64_t due_us;          /* end of the first quantum that began in this pass */
};

/* A job is in one of the two. */
struct gandiva_like_scratch {
    struct hs_order_link link;
    struct hs_refusal refusal;
};

static void gandiva_like_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct gandiva_like *s = state;
    *can = HS_CAN_COLOCATE | (s->quantum_us > 0 ? HS_CAN_PREEMPT | HS_CAN_TIME : 0);
    *knows = HS_KNOWS_MEMORY | HS_KNOWS_UTILIZATION |
             (s->signal == HS_SIGNAL_MEASURED ? HS_KNOWS_RATE : 0);
}

static struct hs_refusal *refusal_of(const struct hs_view *v, hs_job_id job)
{
    return &((struct gandiva_like_scratch *)hs_view_scratch(v, job))->refusal;
}

static enum hs_status gandiva_like_init(void *state, const struct hs_view *v)
{
    struct gandiva_like *s = state;
    s->mem_q20 = hs_cost_q20(s->w_mem);
    s->tenant_q20 = hs_cost_q20(s->w_n);
    HS_TRY(hs_sharer_init(&s->sharer, v));
    return hs_queue_init(&s->waiting.queue, v);
}

/* A quantum is one of service: what the job owes is paid before it counts, so that every turn
 * brings it on, however short the quantum. */
static int64_t end_of_quantum_us(const struct gandiva_like *s, const struct hs_view *v,
                                 hs_job_id job)
{
    return hs_view_now_us(v) + hs_view_cost_left_us(v, job) + s->quantum_us;
}

static void gandiva_like_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct gandiva_like *s = state;
    bool is_running =
        event->kind == HS_EVENT_STOPPED ||
        (event->kind == HS_EVENT_FINISH && hs_view_first_start_us(v, event->job) >= 0);
    if (is_running && s->quantum_us > 0)
        hs_order_remove(&s->running, v, event->job);
    if (event->kind == HS_EVENT_STARTED && s->quantum_us > 0)
        hs_order_add(&s->running, v, event->job, end_of_quantum_us(s, v, event->job));
    if (event->kind == HS_EVENT_TIMER)
        hs_queue_wake_all(&s->waiting.queue);
    else
        /* with a quantum, who was stopped goes to the end of the queue */
        hs_colocate_event(&s->waiting.queue, v, event, s->quantum_us > 0 ? hs_view_now_us(v) : 0);
}

static uint32_t gandiva_like_tenants(const void *state)
{
    return (uint32_t)((const struct gandiva_like *)state)->sharer.max_tenants;
}

static bool gandiva_like_load(const void *state, const struct hs_view *v, hs_job_id job,
                              int32_t sum[HS_LOADS])
{
    return hs_share_load(&((const struct gandiva_like *)state)->sharer, v, job, sum);
}

struct gandiva_like_job {
    struct hs_newcomer newcomer;
    const struct gandiva_like *s;
};

static int64_t gandiva_like_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct gandiva_like_job *job = ctx;
    const struct gandiva_like *s = job->s;
    if (!hs_share_allows(&job->newcomer, r))
        return HS_NEVER;
    int64_t util_pm =
        s->signal == HS_SIGNAL_MEASURED ? (int64_t)r->least.measured_pm : r->least.sum[0];
    util_pm = util_pm < FULL_PM ? util_pm : FULL_PM;
    int64_t mem_mib = r->least.claim_mib + job->newcomer.mem_mib;
    return hs_cost_of_memory(s->mem_q20, mem_mib, r->capacity_mib) + util_pm * (1 << 20) / FULL_PM +
           s->tenant_q20 * r->least.tenants;
}

static bool gandiva_like_place(void *state, const struct hs_view *v, struct hs_plan *p,
                               hs_job_id id)
{
    struct gandiva_like *s = state;
    struct gandiva_like_job job = {.s = s};
    hs_newcomer_set(&job.newcomer, &s->sharer, v, id);
    if (!hs_share_place(&s->sharer, v, p, id, gandiva_like_cost, &job, refusal_of(v, id)))
        return false;
    int64_t end_us = end_of_quantum_us(s, v, id);
    s->due_us = end_us < s->due_us ? end_us : s->due_us;
    return true;
}

static bool somebody_waits(const struct gandiva_like *s)
{
    for (uint32_t vc = 0; vc < s->waiting.queue.vcs; vc++)
        if (s->waiting.queue.by_vc[vc].count > 0)
            return true;
    return false;
}

/* Somebody may want what it holds. */
static bool must_yield(const struct gandiva_like *s, const struct hs_view *v, hs_job_id job,
                       bool does_somebody_wait)
{
    if (!does_somebody_wait || hs_view_gpus(v, job) == 0)
        return false;
    return !hs_view_vcs_are_apart(v) || s->waiting.queue.by_vc[hs_view_vc(v, job)].count > 0;
}

/* Jobs whose quantum is over make way for those that wait, or get another one. */
static void end_quanta(struct gandiva_like *s, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v);
    bool does_somebody_wait = somebody_waits(s);
    hs_job_id job = hs_order_first(&s->running, v);
    while (job != HS_NO_JOB && hs_order_key(v, job) <= now_us) {
        hs_job_id next = hs_order_next(&s->running, v, job);
        if (must_yield(s, v, job, does_somebody_wait)) {
            hs_plan_because(p, "its quantum is over, and others wait");
            hs_plan_preempt(p, job, s->suspend_us);
            s->due_us = now_us; /* it may start again where others did not want its place */
        } else {
            hs_order_remove(&s->running, v, job);
            hs_order_add(&s->running, v, job, now_us + s->quantum_us);
        }
        job = next;
    }
}

/* For the quantum that ends first: of those that run, or have been started just now. */
static void set_timer(struct gandiva_like *s, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v), due_us = s->due_us;
    hs_job_id job = hs_order_first(&s->running, v);
    if (job != HS_NO_JOB && hs_order_key(v, job) < due_us)
        due_us = hs_order_key(v, job);
    if (due_us == INT64_MAX)
        return;
    due_us = due_us > now_us ? due_us : now_us; /* in the past: it was preempted just now */
    if (due_us == now_us || s->timer_us <= now_us || due_us < s->timer_us) {
        hs_plan_timer(p, due_us, 0);
        s->timer_us = due_us;
    }
}

static enum hs_status gandiva_like_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct gandiva_like *s = state;
    s->due_us = INT64_MAX;
    if (s->quantum_us > 0)
        end_quanta(s, v, p);
    hs_colocate_decide(&s->waiting, v, p, gandiva_like_place, s, &s->sharer);
    if (s->quantum_us > 0)
        set_timer(s, v, p);
    return HS_OK;
}

static void gandiva_like_semantics(const void *state, struct hs_semantics *out)
{
    const struct gandiva_like *s = state;
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = hs_scan_names[s->waiting.scan],
                                 .placement = "gandiva-like",
                                 .preemption = s->quantum_us > 0 ? "quantum" : "none",
                                 .cost = s->quantum_us > 0 ? "fixed" : "none"};
}

static const char *gandiva_like_check(const void *state, const struct hs_view *v)
{
    return hs_queue_check(&((const struct gandiva_like *)state)->waiting.queue, v);
}

static const struct hs_param params[] = {
    HS_COLOCATE_SCAN(struct gandiva_like, waiting),
    {.key = "signal",
     .type = HS_PARAM_CHOICE,
     .offset = offsetof(struct gandiva_like, signal),
     .preset = "predicted",
     .choices = hs_horus_signals,
     .help = "utilization of a GPU: sum of what is told of its tenants, or measured on it",
     .source = "predicted: the authors' simulator sums the telemetry of the tasks"},
    HS_HORUS_WEIGHT(struct gandiva_like, w_mem, "w_mem", "1.3", "weight of memory in use",
                    "the authors' simulator"),
    HS_HORUS_WEIGHT(struct gandiva_like, w_n, "w_n", "1", "weight of each tenant",
                    "the authors' simulator"),
    {.key = "quantum",
     .type = HS_PARAM_DURATION,
     .offset = offsetof(struct gandiva_like, quantum_us),
     .preset = "0s",
     .max = 1e9,
     .help = "after this time of progress a job makes way if others wait; 0: never",
     .source = "the authors' simulator: 100 ticks of about a minute"},
    {.key = "suspend",
     .type = HS_PARAM_DURATION,
     .offset = offsetof(struct gandiva_like, suspend_us),
     .preset = "0.1s",
     .max = 1e6,
     .help = "with quantum: what suspending and resuming costs",
     .source = "Xiao et al., Gandiva, OSDI'18"},
    HS_SHARE_PARAMS(struct gandiva_like, sharer, "2"),
    {0}};

const struct hs_policy_ops hs_policy_gandiva_like = {
    .name = "gandiva-like",
    .summary = "first come, first served on the GPU of least memory, load and tenants",
    .cite = "the baseline of Yeung et al., TPDS 33(1), 2022, as in their simulator, faults mended",
    .can = HS_CAN_COLOCATE | HS_CAN_PREEMPT | HS_CAN_TIME,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE,
    .params = params,
    .state_size = sizeof(struct gandiva_like),
    .job_state_size = sizeof(struct gandiva_like_scratch),
    .tenants = gandiva_like_tenants,
    .load = gandiva_like_load,
    .needs = gandiva_like_needs,
    .init = gandiva_like_init,
    .on_event = gandiva_like_event,
    .decide = gandiva_like_decide,
    .semantics = gandiva_like_semantics,
    .check = gandiva_like_check,
};
