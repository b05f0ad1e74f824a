/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two orders by run time, true or estimated, that never preempt; scan=strict as in the Helios
 * artifact (Hu et al., SC'21). A job's place is settled when it is submitted.
 *
 *     sjf    shortest job first; not the `sjf` of Tiresias' simulator, which orders by GPU count
 *     qssf   quasi-shortest service first: the least GPUs times estimated run time
 *
 * qssf with compat=helios does as the published simulator does: where no job waits, jobs that
 * arrive together are tried by their number of GPUs, whatever their estimate; and of equal GPU
 * times the smaller gang goes first.
 */
#include "policies/lib/params.h"
#include "policies/lib/vc_queues.h"

enum { COMPAT_OFF, COMPAT_HELIOS };
static const char *const compat_names[] = {"off", "helios", NULL};

struct sjf {
    int32_t scan, placement, compat;
    struct hs_estimate_choice estimate;
    struct hs_vc_queues waiting;
    bool is_by_gpu_time; /* qssf */
    uint32_t *arrivals;  /* helios, per VC: jobs that came since the last pass */
    uint32_t gpus_bits;  /* helios: of the key, for the GPUs of a job */
};

static void sjf_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    (void)can;
    hs_estimate_needs(&((const struct sjf *)state)->estimate, knows);
}

static enum hs_status sjf_init(void *state, const struct hs_view *v)
{
    struct sjf *s = state;
    HS_TRY(hs_estimate_open(&s->estimate, v));
    hs_vc_queues_init_for(&s->waiting, v, (enum hs_scan)s->scan);
    return HS_OK;
}

static enum hs_status qssf_init(void *state, const struct hs_view *v)
{
    struct sjf *s = state;
    s->is_by_gpu_time = true;
    if (s->compat == COMPAT_OFF)
        return sjf_init(state, v);
    HS_TRY(hs_estimate_open(&s->estimate, v));
    hs_vc_queues_init(&s->waiting, v);
    for (uint32_t vc = 0; vc < hs_view_vcs(v); vc++)
        while (hs_view_total_gpus(v, vc) >> s->gpus_bits != 0) /* no job has more than its VC */
            s->gpus_bits++;
    s->arrivals = hs_view_alloc(v, (uint64_t)s->waiting.vcs * sizeof *s->arrivals);
    return HS_OK;
}

/* helios: GPU time, and its ties by GPUs; exact up to 142 GPU-years on 1,000 GPUs (2^52 us). */
static int64_t key_of(const struct hs_view *v, hs_job_id job, const void *ctx)
{
    const struct sjf *s = ctx;
    if (!s->is_by_gpu_time)
        return hs_view_estimate_us(v, job);
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

static void sjf_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct sjf *s = state;
    int64_t key = event->kind == HS_EVENT_SUBMIT ? key_of(v, event->job, s) : 0;
    hs_vc_queues_event(&s->waiting, v, event, key);
    if (s->arrivals != NULL && event->kind == HS_EVENT_SUBMIT)
        s->arrivals[hs_view_vc(v, event->job)]++;
}

static void scan_helios(struct sjf *s, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_vc_queues *q = &s->waiting;
    for (uint32_t vc = 0; vc < q->vcs; vc++) {
        struct hs_job_queue *jobs = &q->by_vc[vc];
        if (!hs_vc_queues_needs_scan(q, vc))
            continue;
        bool is_only_arrivals = s->arrivals[vc] == jobs->count && jobs->count > 1;
        if (is_only_arrivals)
            hs_job_queue_rekey_all(jobs, v, gpus_of, NULL);
        hs_vc_queues_scan_set(jobs, v, p, vc, (enum hs_scan)s->scan, (enum hs_placer)s->placement);
        if (is_only_arrivals) /* the jobs left are among those that wait from now on */
            hs_job_queue_rekey_all(jobs, v, key_of, s);
        s->arrivals[vc] = 0;
    }
}

static enum hs_status sjf_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct sjf *s = state;
    if (s->arrivals != NULL)
        scan_helios(s, v, p);
    else
        hs_vc_queues_scan(&s->waiting, v, p, (enum hs_placer)s->placement);
    return HS_OK;
}

static void sjf_semantics(const void *state, struct hs_semantics *out)
{
    const struct sjf *s = state;
    bool is_true = s->estimate.from == HS_ESTIMATE_ORACLE;
    *out = (struct hs_semantics){.order = is_true ? "duration" : "estimated duration",
                                 .scan = hs_scan_names[s->scan],
                                 .placement = hs_placer_names[s->placement],
                                 .preemption = "none",
                                 .cost = "none"};
}

static void qssf_semantics(const void *state, struct hs_semantics *out)
{
    const struct sjf *s = state;
    sjf_semantics(state, out);
    out->order = s->estimate.from == HS_ESTIMATE_ORACLE ? "GPU time" : "estimated GPU time";
    if (s->compat == COMPAT_HELIOS)
        out->ties = "GPUs, submission, then trace row; jobs that arrive where none waits: GPUs, "
                    "then trace row";
}

static const char *sjf_check(const void *state, const struct hs_view *v)
{
    return hs_vc_queues_check(&((const struct sjf *)state)->waiting, v);
}

#define SCAN_ROW                                                                                   \
    HS_PARAM_CHOICE(struct sjf, scan, "scan", "strict", hs_scan_two_names,                         \
                    "behind a job that does not fit: stop, or skip it",                            \
                    .source = "strict: Helios artifact (Hu et al. SC'21)")

static const struct hs_param sjf_params[] = {SCAN_ROW,
                                             HS_PLACEMENT_PARAM(struct sjf, placement),
                                             HS_ESTIMATE_PARAMS(struct sjf, estimate, "oracle"),
                                             {0}};

static const struct hs_param qssf_params[] = {
    SCAN_ROW,
    HS_PLACEMENT_PARAM(struct sjf, placement),
    HS_ESTIMATE_PARAMS(struct sjf, estimate, "rolling"),
    HS_PARAM_CHOICE(
        struct sjf, compat, "compat", "off", compat_names,
        "helios: jobs that arrive where none waits go by GPUs, and so do equal GPU times",
        .source = "Helios artifact, simulator of QSSF"),
    {0}};

#define SJF_POLICY(id, label, text)                                                                \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = label,                                                                             \
        .summary = text,                                                                           \
        .cite = "Hu et al. SC'21",                                                                 \
        .can = HS_CAN_DIVIDE,                                                                      \
        .knows = HS_ESTIMATE_KNOWS,                                                                \
        .params = id##_params,                                                                     \
        .state_size = sizeof(struct sjf),                                                          \
        .job_state_size = sizeof(struct hs_job_queue_link),                                        \
        .needs = sjf_needs,                                                                        \
        .init = id##_init,                                                                         \
        .on_event = sjf_event,                                                                     \
        .decide = sjf_decide,                                                                      \
        .semantics = id##_semantics,                                                               \
        .check = sjf_check,                                                                        \
    }

SJF_POLICY(sjf, "sjf", "shortest job first, no preemption");
SJF_POLICY(qssf, "qssf", "least estimated GPU time first, no preemption");
