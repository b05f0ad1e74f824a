/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quasi-shortest service first (Helios, SC'21): the least GPU time, GPUs times estimated run time,
 * goes first; each virtual cluster has a queue of its own, and nothing is preempted. A job's place
 * is settled when it is submitted: what is learnt later moves nobody who waits.
 *
 * compat=helios does as the published simulator does: where nobody waits, jobs that arrive together
 * are tried by their number of GPUs, whatever their estimate; and of equal GPU times the smaller
 * gang goes first.
 */
#include "policies/kit_estimate.h"
#include "policies/kit_queue.h"

enum { COMPAT_OFF, COMPAT_HELIOS };
static const char *const compat_names[] = {"off", "helios", NULL};

struct qssf {
    int32_t scan, placement, compat;
    struct hs_estimate_choice estimate;
    struct hs_queue waiting;
    uint32_t *arrivals; /* helios, per VC: jobs that came since the last pass */
    uint32_t gpus_bits; /* helios: of the key, for the GPUs of a job */
};

struct qssf_scratch {
    struct hs_order_link link;
};

static void qssf_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    (void)can;
    hs_estimate_needs(&((const struct qssf *)state)->estimate, knows);
}

/* How many bits hold the GPUs of any job: no job has more than its VC. */
static uint32_t bits_of_gpus(const struct hs_view *v)
{
    uint32_t bits = 0;
    for (uint32_t vc = 0; vc < hs_view_vcs(v); vc++)
        while (hs_view_total_gpus(v, vc) >> bits != 0)
            bits++;
    return bits;
}

static enum hs_status qssf_init(void *state, const struct hs_view *v)
{
    struct qssf *s = state;
    HS_TRY(hs_estimate_open(&s->estimate, v));
    HS_TRY(s->compat == COMPAT_OFF ? hs_queue_init_for(&s->waiting, v, (enum hs_scan)s->scan)
                                   : hs_queue_init(&s->waiting, v));
    s->gpus_bits = bits_of_gpus(v);
    s->arrivals = hs_view_alloc(v, (uint64_t)s->waiting.vcs * sizeof *s->arrivals);
    return s->arrivals != NULL ? HS_OK : HS_E_MEMORY;
}

/* helios: GPU time, and its ties by GPUs; exact up to 142 GPU-years on 1,000 GPUs (2^52 us). */
static int64_t key_of(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const struct qssf *s = ctx;
    int64_t gpu_time_us = hs_estimate_gpu_time_us(v, job);
    int64_t most_us = INT64_MAX >> s->gpus_bits;
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

static void qssf_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct qssf *s = state;
    if (event->kind == HS_EVENT_SUBMIT) {
        hs_queue_add(&s->waiting, v, event->job, key_of(v, event->job, s));
        s->arrivals[hs_view_vc(v, event->job)] += s->compat == COMPAT_HELIOS;
    } else if (event->kind == HS_EVENT_STARTED || event->kind == HS_EVENT_FINISH) {
        hs_queue_remove(&s->waiting, v, event->job); /* a rejected job still waits */
    }
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_FINISH)
        hs_queue_wake(&s->waiting, v, event->job);
}

static enum hs_status qssf_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct qssf *s = state;
    struct hs_queue *q = &s->waiting;
    if (s->compat == COMPAT_OFF) {
        hs_queue_scan(q, v, p, (enum hs_placer)s->placement);
        return HS_OK;
    }
    for (uint32_t vc = 0; vc < q->vcs; vc++) {
        struct hs_order *jobs = &q->by_vc[vc];
        if (!hs_queue_needs_scan(q, vc))
            continue;
        bool is_only_arrivals = s->arrivals[vc] == jobs->count && jobs->count > 1;
        if (is_only_arrivals)
            hs_order_rekey_all(jobs, v, gpus_of, NULL);
        hs_queue_scan_set(jobs, v, p, vc, (enum hs_scan)s->scan, (enum hs_placer)s->placement);
        if (is_only_arrivals) /* whoever is left is one of those who wait from now on */
            hs_order_rekey_all(jobs, v, key_of, s);
        s->arrivals[vc] = 0;
    }
    return HS_OK;
}

static void qssf_semantics(const void *state, struct hs_semantics *out)
{
    const struct qssf *s = state;
    *out = (struct hs_semantics){
        .order = s->estimate.from == HS_ESTIMATE_ORACLE ? "GPU time" : "estimated GPU time",
        .scan = hs_scan_names[s->scan],
        .placement = hs_placer_names[s->placement],
        .preemption = "none",
        .cost = "none"};
    if (s->compat == COMPAT_HELIOS)
        out->ties = "GPUs, submission, then trace row; jobs that arrive where none waits: GPUs, "
                    "then trace row";
}

static const char *qssf_check(const void *state, const struct hs_view *v)
{
    return hs_queue_check(&((const struct qssf *)state)->waiting, v);
}

static const struct hs_param params[] = {
    {.key = "scan",
     .type = HS_PARAM_CHOICE,
     .offset = offsetof(struct qssf, scan),
     .preset = "strict",
     .choices = hs_scan_two_names,
     .help = "behind a job that does not fit: stop, or skip it",
     .source = "strict: Helios artifact (Hu et al. SC'21)"},
    HS_PLACEMENT_PARAM(struct qssf, placement),
    HS_ESTIMATE_PARAMS(struct qssf, estimate, "rolling"),
    {.key = "compat",
     .type = HS_PARAM_CHOICE,
     .offset = offsetof(struct qssf, compat),
     .preset = "off",
     .choices = compat_names,
     .help = "helios: jobs that arrive where none waits go by GPUs, and so do equal GPU times",
     .source = "Helios artifact, simulator of QSSF"},
    {0}};

const struct hs_policy_ops hs_policy_qssf = {
    .name = "qssf",
    .summary = "least estimated GPU time first, no preemption",
    .cite = "Hu et al. SC'21",
    .can = HS_CAN_DIVIDE,
    .knows = HS_ESTIMATE_KNOWS,
    .params = params,
    .state_size = sizeof(struct qssf),
    .job_state_size = sizeof(struct qssf_scratch),
    .needs = qssf_needs,
    .init = qssf_init,
    .on_event = qssf_event,
    .decide = qssf_decide,
    .semantics = qssf_semantics,
    .check = qssf_check,
};
