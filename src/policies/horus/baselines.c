/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Policies that serve in order of submission and share GPUs: one queue, and a cost of a GPU for
 * each.
 *
 *     pack               the fullest GPU that has memory for the job, idle ones last; it knows
 *                        nothing of utilization, so it pairs what should not be paired
 *     gandiva-pack-only  what AntMan's authors call Gandiva: the GPU of lowest utilization, as
 *                        predicted of its tenants, that has memory for the job; idle ones win ties.
 *                        No slicing, no migration, no trial: what was packed stays packed
 *     gandiva-like       what Horus' authors call Gandiva: the GPU of least memory, load and
 *                        tenants, with no prediction of the candidate; with a quantum, a job that
 *                        has run for so long makes way when others wait
 *     colocate-fifo      Horus' cost: what the placement is worth without Horus' queue
 */
#include "policies/horus/horus_place.h"
#include "policies/lib/colocate.h"

#define FULL_PM 1000

struct baseline {
    struct hs_horus place; /* first: begins with a struct hs_colocation */
    struct hs_colocate waiting;
    int64_t quantum_us, suspend_us; /* gandiva-like; parameters up to here; quantum 0 = none */
    hs_load_cost *cost;             /* ctx: struct candidate; NULL: Horus' own */
    struct hs_job_queue running;    /* by the end of the quantum; a job is in it or waits */
    int64_t timer_us;               /* of the timer that is set; 0 = none */
    int64_t due_us;                 /* end of the first quantum that began in this pass */
};

struct candidate {
    struct hs_candidate job;
    const struct baseline *s;
};

/* ---- costs ---- */

/* Minus the share of the memory in use. */
static int64_t pack_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct candidate *c = ctx;
    if (!hs_share_allows(&c->job, r))
        return HS_NEVER;
    int64_t claim_mib = r->most.claim_mib;
    return r->capacity_mib == 0 ? -claim_mib : -(claim_mib * (1 << 20) / r->capacity_mib);
}

/* The utilization of the tenants, 0 of an idle GPU. */
static int64_t pack_only_cost(const void *ctx, const struct hs_load_range *r)
{
    return hs_share_allows(&((const struct candidate *)ctx)->job, r) ? r->least.sum[0] : HS_NEVER;
}

static int64_t like_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct candidate *c = ctx;
    const struct hs_horus *h = &c->s->place;
    if (!hs_share_allows(&c->job, r))
        return HS_NEVER;
    int64_t util_pm =
        h->signal == HS_SIGNAL_MEASURED ? (int64_t)r->least.measured_pm : r->least.sum[0];
    util_pm = util_pm < FULL_PM ? util_pm : FULL_PM;
    int64_t mem_mib = r->least.claim_mib + c->job.mem_mib;
    return hs_cost_of_memory(h->mem_q20, mem_mib, r->capacity_mib) + util_pm * (1 << 20) / FULL_PM +
           h->tenant_q20 * r->least.tenants;
}

/* ---- the queue ---- */

static enum hs_status init(struct baseline *s, const struct hs_view *v, hs_load_cost *cost)
{
    s->cost = cost;
    hs_horus_init(&s->place, v);
    hs_vc_queues_init(&s->waiting.queue, v);
    return HS_OK;
}

/* A quantum is one of service: what the job owes is paid before it counts, so that every turn
 * brings it on, however short the quantum. */
static int64_t end_of_quantum_us(const struct baseline *s, const struct hs_view *v, hs_job_id job)
{
    return hs_view_now_us(v) + hs_view_cost_left_us(v, job) + s->quantum_us;
}

static void baseline_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct baseline *s = state;
    bool has_run = event->kind == HS_EVENT_STOPPED ||
                   (event->kind == HS_EVENT_FINISH && hs_view_first_start_us(v, event->job) >= 0);
    if (has_run && s->quantum_us > 0)
        hs_job_queue_remove(&s->running, v, event->job);
    if (event->kind == HS_EVENT_STARTED && s->quantum_us > 0)
        hs_job_queue_add(&s->running, v, event->job, end_of_quantum_us(s, v, event->job));
    if (event->kind == HS_EVENT_TIMER)
        hs_vc_queues_wake_all(&s->waiting.queue);
    else /* with a quantum, a job that was stopped goes to the end of the queue */
        hs_colocate_event(&s->waiting.queue, v, event, s->quantum_us > 0 ? hs_view_now_us(v) : 0);
}

static bool place(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    struct baseline *s = state;
    struct candidate c = {.s = s};
    if (s->cost == NULL)
        return hs_horus_place(&s->place, v, p, id);
    hs_candidate_set(&c.job, &s->place.colocation, v, id);
    if (!hs_share_place(&s->place.colocation, v, p, id, s->cost, &c))
        return false;
    int64_t end_us = end_of_quantum_us(s, v, id);
    s->due_us = end_us < s->due_us ? end_us : s->due_us;
    return true;
}

/* Another job may want what this one holds. */
static bool must_yield(const struct baseline *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_vc_queues *q = &s->waiting.queue;
    uint32_t own = hs_view_vc(v, job);
    bool is_wanted = false;
    for (uint32_t vc = 0; vc < q->vcs; vc++)
        if (q->by_vc[vc].count > 0 && (vc == own || !hs_view_vcs_are_apart(v)))
            is_wanted = true;
    return is_wanted && hs_view_gpus(v, job) > 0;
}

/* Jobs whose quantum is over make way for those that wait, or get another one. */
static void end_quanta(struct baseline *s, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v);
    hs_job_id job = hs_job_queue_first(&s->running, v);
    while (job != HS_NO_JOB && hs_job_queue_key(v, job) <= now_us) {
        hs_job_id next = hs_job_queue_next(&s->running, v, job);
        if (must_yield(s, v, job)) {
            hs_plan_reason(p, "its quantum is over, and others wait");
            hs_plan_preempt(p, job, s->suspend_us);
            s->due_us = now_us; /* it may start again where others did not want its place */
        } else {
            hs_job_queue_remove(&s->running, v, job);
            hs_job_queue_add(&s->running, v, job, now_us + s->quantum_us);
        }
        job = next;
    }
}

/* For the quantum that ends first: of the jobs that run, or have been started just now. */
static void set_timer(struct baseline *s, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v), due_us = s->due_us;
    hs_job_id job = hs_job_queue_first(&s->running, v);
    if (job != HS_NO_JOB && hs_job_queue_key(v, job) < due_us)
        due_us = hs_job_queue_key(v, job);
    if (due_us == INT64_MAX)
        return;
    due_us = due_us > now_us ? due_us : now_us; /* in the past: it was preempted just now */
    if (due_us == now_us || s->timer_us <= now_us || due_us < s->timer_us) {
        hs_plan_timer(p, due_us, 0);
        s->timer_us = due_us;
    }
}

static enum hs_status baseline_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct baseline *s = state;
    s->due_us = INT64_MAX;
    if (s->quantum_us > 0)
        end_quanta(s, v, p);
    hs_colocate_decide(&s->waiting, v, p, place, s, &s->place.colocation);
    if (s->quantum_us > 0)
        set_timer(s, v, p);
    return HS_OK;
}

static const char *baseline_check(const void *state, const struct hs_view *v)
{
    return hs_vc_queues_check(&((const struct baseline *)state)->waiting.queue, v);
}

static void card(const struct baseline *s, const char *placement, struct hs_semantics *out)
{
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = hs_scan_names[s->waiting.scan],
                                 .placement = placement,
                                 .preemption = s->quantum_us > 0 ? "quantum" : "none",
                                 .cost = s->quantum_us > 0 ? "fixed" : "none"};
}

/* ---- the policies ---- */

static enum hs_status pack_init(void *state, const struct hs_view *v)
{
    ((struct baseline *)state)->place.colocation.is_blind = true;
    return init(state, v, pack_cost);
}

static enum hs_status gandiva_pack_only_init(void *state, const struct hs_view *v)
{
    return init(state, v, pack_only_cost);
}

static enum hs_status gandiva_like_init(void *state, const struct hs_view *v)
{
    return init(state, v, like_cost);
}

static enum hs_status colocate_fifo_init(void *state, const struct hs_view *v)
{
    return init(state, v, NULL);
}

/* By the signal and the quantum; for pack and gandiva-pack-only, which have neither, NULL. */
static void baseline_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct baseline *s = state;
    *can = HS_CAN_COLOCATE | (s->quantum_us > 0 ? HS_CAN_PREEMPT | HS_CAN_TIME : 0);
    *knows = hs_horus_knows(&s->place);
}

static void pack_semantics(const void *state, struct hs_semantics *out)
{
    card(state, "pack", out);
}

static void gandiva_pack_only_semantics(const void *state, struct hs_semantics *out)
{
    card(state, "lowest utilization", out);
}

static void gandiva_like_semantics(const void *state, struct hs_semantics *out)
{
    card(state, "gandiva-like", out);
}

static void colocate_fifo_semantics(const void *state, struct hs_semantics *out)
{
    card(state, hs_horus_placement(&((const struct baseline *)state)->place), out);
}

static const struct hs_param pack_params[] = {
    HS_COLOCATE_SCAN(struct baseline, waiting),
    HS_SHARE_PARAMS(struct baseline, place.colocation, "2"),
    {0}};

static const struct hs_param gandiva_like_params[] = {
    HS_COLOCATE_SCAN(struct baseline, waiting),
    HS_PARAM_CHOICE(struct baseline, place.signal, "signal", "predicted", hs_horus_signals,
                    "utilization of a GPU: sum of what is told of its tenants, or measured on it",
                    .source = "predicted: the authors' simulator sums the telemetry of the tasks"),
    HS_HORUS_WEIGHT(struct baseline, place.w_mem, "w_mem", "1.3", "weight of memory in use",
                    "the authors' simulator"),
    HS_HORUS_WEIGHT(struct baseline, place.w_n, "w_n", "1", "weight of each tenant",
                    "the authors' simulator"),
    HS_PARAM_DURATION(struct baseline, quantum_us, "quantum", "0s", 0, 1e9,
                      "after this time of progress a job makes way if others wait; 0: never",
                      .source = "the authors' simulator: 100 ticks of about a minute"),
    HS_PARAM_DURATION(struct baseline, suspend_us, "suspend", "0.1s", 0, 1e6,
                      "with quantum: what suspending and resuming costs",
                      .source = "Xiao et al., Gandiva, OSDI'18"),
    HS_SHARE_PARAMS(struct baseline, place.colocation, "2"),
    {0}};

static const struct hs_param colocate_fifo_params[] = {
    HS_COLOCATE_SCAN(struct baseline, waiting), HS_HORUS_PARAMS(struct baseline, place), {0}};

#define ALL_KNOWN (HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE)

/* Then what it may do, what it knows, its parameters, and what it needs with them. */
#define BASELINE(id, label, text, source, may, known, table, needs_of)                             \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = label,                                                                             \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .can = may,                                                                                \
        .knows = known,                                                                            \
        .params = table,                                                                           \
        .state_size = sizeof(struct baseline),                                                     \
        .job_state_size = sizeof(struct hs_job_queue_link),                                        \
        .tenants = hs_share_tenants,                                                               \
        .load = hs_share_load,                                                                     \
        .needs = needs_of,                                                                         \
        .init = id##_init,                                                                         \
        .on_event = baseline_event,                                                                \
        .decide = baseline_decide,                                                                 \
        .semantics = id##_semantics,                                                               \
        .check = baseline_check,                                                                   \
    }

BASELINE(pack, "pack", "first come, first served on the fullest GPU with memory for the job",
         "the packing baseline of Yeung et al., TPDS 33(1), 2022", HS_CAN_COLOCATE, HS_KNOWS_MEMORY,
         pack_params, NULL);
BASELINE(gandiva_pack_only, "gandiva-pack-only",
         "first come, first served on the GPU of lowest utilization with enough memory",
         "Gandiva as the baseline of Xiao et al., AntMan, OSDI'20", HS_CAN_COLOCATE,
         HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY, pack_params, NULL);
BASELINE(gandiva_like, "gandiva-like",
         "first come, first served on the GPU of least memory, load and tenants",
         "the baseline of Yeung et al., TPDS 33(1), 2022, as in their simulator, faults mended",
         HS_CAN_COLOCATE | HS_CAN_PREEMPT | HS_CAN_TIME, ALL_KNOWN, gandiva_like_params,
         baseline_needs);
BASELINE(colocate_fifo, "colocate-fifo", "first come, first served, placed by the cost of horus",
         "ours: Horus' placement (Yeung et al., TPDS 33(1), 2022) without its queue",
         HS_CAN_COLOCATE, ALL_KNOWN, colocate_fifo_params, baseline_needs);
