/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * horus-s, ours: place by predicted slowdown in place of utilization. A job costs a GPU what it is
 * predicted to be slowed down there plus what it slows down those that are there; with run times
 * unknown and alike, that is the completion time it adds, in run times. It goes where it costs
 * least, and waits
 *
 *   - where one of the two parts is more than slowdown_cap allows, so that no job is made very slow
 *     (a window of jobs is tried: another one will suit that GPU better);
 *   - where it costs more than waiting. By Little's law GPUs wanted / GPUs held is the wait that
 * the queue stands for, in run times; with an empty queue no job shares a GPU but for free.
 *
 * Light and heavy jobs come before those in the middle, which pair well among themselves; but
 * no job is passed by jobs submitted more than `overtake` later.
 *
 * The predicted slowdown beyond 1 is f(own utilization) x g(other's), and adds up over several
 * others, so two sums a GPU are all that is needed: of f, the sensitivity of
 * its tenants, and of g, their contentiousness.
 */
#include "policies/lib/colocate.h"
#include "policies/lib/share_place.h"

#define FULL_PM 1000
#define FOLD_PM 400 /* ours: results/horus.md */
#define ONE_Q20 (INT64_C(1) << 20)
/* What is predicted to be slower counts as this: 16 of it are still below 2^31. */
#define EXCESS_MOST_Q20 (127 * ONE_Q20)

enum { UTIL, SENSITIVITY, CONTENTIOUSNESS }; /* the sums of a GPU */

struct horus_s {
    struct hs_colocation colocation; /* first: hs_share_load */
    int64_t look_ahead, overtake_us;
    double slowdown_cap, patience; /* parameters up to here */
    struct hs_vc_queues queue;
    uint64_t *wanted_gpus; /* per VC, by the jobs that wait */
    int64_t cap_q20;       /* slowdown_cap - 1 */
    int32_t sensitivity_q20[FULL_PM + 1],
        contentiousness_q20[FULL_PM + 1]; /* by utilization, per mille */
};

/* Jobs that pair well with many come first: light ones, and heavy ones while there are light ones;
 * what is left over in the middle pairs with itself. 0 .. FOLD_PM, folded at FOLD_PM. */
static int64_t unfitness_pm(int64_t util_pm)
{
    return util_pm <= FOLD_PM ? util_pm : (FULL_PM - util_pm) * FOLD_PM / (FULL_PM - FOLD_PM);
}

static int64_t excess_q20(const struct hs_view *v, int32_t own_pm, int32_t beside_pm)
{
    return (int64_t)(hs_view_slowdown_q32(v, own_pm, beside_pm) >> 12) - ONE_Q20;
}

static int32_t bounded_q20(int64_t excess)
{
    return (int32_t)(excess < EXCESS_MOST_Q20 ? excess : EXCESS_MOST_Q20);
}

static enum hs_status horus_s_init(void *state, const struct hs_view *v)
{
    struct horus_s *s = state;
    int64_t full_q20 = excess_q20(v, FULL_PM, FULL_PM);
    for (int32_t pm = 0; pm <= FULL_PM; pm++) {
        s->sensitivity_q20[pm] = bounded_q20(excess_q20(v, pm, FULL_PM));
        s->contentiousness_q20[pm] =
            full_q20 > 0 ? (int32_t)(excess_q20(v, FULL_PM, pm) * ONE_Q20 / full_q20) : 0;
    }
    s->cap_q20 = hs_cost_q20(s->slowdown_cap - 1);
    s->wanted_gpus = hs_view_alloc(v, hs_view_vcs(v) * sizeof *s->wanted_gpus);
    hs_colocation_init(&s->colocation, v);
    hs_vc_queues_init(&s->queue, v);
    return HS_OK;
}

/* Submission, and up to `overtake` later for those that pair badly: no job is passed for ever. */
static int64_t key_of(const struct horus_s *s, const struct hs_view *v, hs_job_id job)
{
    int32_t util_pm = hs_view_util_pm(v, job);
    int64_t unfit_pm = unfitness_pm(util_pm >= 0 ? util_pm : FULL_PM);
    return hs_view_submit_us(v, job) + s->overtake_us / FOLD_PM * unfit_pm;
}

static void horus_s_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct horus_s *s = state;
    bool comes = event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_STOPPED;
    if (comes)
        s->wanted_gpus[hs_view_vc(v, event->job)] += hs_view_gpus(v, event->job);
    else if (event->kind == HS_EVENT_FINISH && hs_job_queue_has(v, event->job)) /* rejected */
        s->wanted_gpus[hs_view_vc(v, event->job)] -= hs_view_gpus(v, event->job);
    hs_colocate_event(&s->queue, v, event, key_of(s, v, event->job));
}

static bool horus_s_load(const void *state, const struct hs_view *v, hs_job_id job,
                         int32_t sum[HS_LOADS])
{
    const struct horus_s *s = state;
    bool may_share = hs_share_load(s, v, job, sum);
    sum[SENSITIVITY] = s->sensitivity_q20[sum[UTIL]];
    sum[CONTENTIOUSNESS] = s->contentiousness_q20[sum[UTIL]];
    return may_share;
}

struct horus_s_job {
    struct hs_candidate candidate;
    int64_t sensitivity_q20, contentiousness_q20;
    int64_t cap_q20, wait_q20;
};

static int64_t horus_s_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct horus_s_job *job = ctx;
    int64_t own_q20 = job->sensitivity_q20 * r->least.sum[CONTENTIOUSNESS] >> 20;
    int64_t others_q20 = job->contentiousness_q20 * r->least.sum[SENSITIVITY] >> 20;
    bool is_too_slow =
        own_q20 > job->cap_q20 || others_q20 > job->cap_q20 || own_q20 + others_q20 > job->wait_q20;
    return is_too_slow || !hs_share_allows(&job->candidate, r) ? HS_NEVER : own_q20 + others_q20;
}

/* What the queue stands for, in run times; INT64_MAX where no cost that passes the caps is more. */
static int64_t wait_q20(const struct horus_s *s, const struct hs_view *v, uint32_t vc)
{
    uint64_t held = hs_view_total_gpus(v, vc) - hs_view_free_gpus(v, vc);
    double wait = s->patience * (double)s->wanted_gpus[vc];
    if (wait * (double)ONE_Q20 >= 2 * (double)s->cap_q20 * (double)held)
        return INT64_MAX;
    return (int64_t)(wait * (double)ONE_Q20 / (double)held);
}

static bool horus_s_place(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    struct horus_s *s = state;
    hs_plan_reason(p, NULL);
    if (hs_share_is_blocked(&s->colocation, v, id))
        return false;
    uint32_t vc = hs_view_vc(v, id);
    struct horus_s_job job = {.cap_q20 = s->cap_q20, .wait_q20 = wait_q20(s, v, vc)};
    hs_candidate_set(&job.candidate, &s->colocation, v, id);
    job.sensitivity_q20 = s->sensitivity_q20[job.candidate.util_pm];
    job.contentiousness_q20 = s->contentiousness_q20[job.candidate.util_pm];
    if (!hs_share_place(&s->colocation, v, p, id, horus_s_cost, &job))
        return false;
    s->wanted_gpus[vc] -= hs_view_gpus(v, id);
    return true;
}

static enum hs_status horus_s_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct horus_s *s = state;
    const struct hs_colocate_rule rule = {.place = horus_s_place,
                                          .state = s,
                                          .colocation = &s->colocation,
                                          .max_refusals = (uint64_t)s->look_ahead};
    (void)hs_colocate_scan(&s->queue, v, p, &rule);
    return HS_OK;
}

static void horus_s_semantics(const void *state, struct hs_semantics *out)
{
    (void)state;
    *out = (struct hs_semantics){.order = "submit, utilization",
                                 .scan = "look-ahead",
                                 .placement = "predicted slowdown",
                                 .preemption = "none",
                                 .cost = "none"};
}

static const char *horus_s_check(const void *state, const struct hs_view *v)
{
    return hs_vc_queues_check(&((const struct horus_s *)state)->queue, v);
}

static const struct hs_param params[] = {
    HS_PARAM_INT(struct horus_s, look_ahead, "look_ahead", "300", 1, 1000000,
                 "waiting jobs that are tried before the rest waits", .unit = "jobs",
                 .source = "ours: results/horus.md"),
    HS_PARAM_DURATION(struct horus_s, overtake_us, "overtake", "6h", 0, 1e9,
                      "jobs that pair well pass others that were submitted up to this much earlier",
                      .source = "ours: results/horus.md"),
    HS_PARAM_REAL(
        struct horus_s, slowdown_cap, "slowdown_cap", "1.35", 1, 1000,
        "predicted slowdown of a newcomer, and what it adds to all tenants together, at most",
        .source = "ours: results/horus.md"),
    HS_PARAM_REAL(
        struct horus_s, patience, "patience", "10", 0, 1e9,
        "a job waits rather than add more slowdown than this times GPUs wanted / GPUs held",
        .source = "ours: results/horus.md"),
    HS_SHARE_PARAMS(struct horus_s, colocation, "3"),
    {0}};

const struct hs_policy_ops hs_policy_horus_s = {
    .name = "horus-s",
    .summary = "about in order of submission, where the predicted slowdown added is least",
    .cite = "ours; after Horus (Yeung et al., TPDS 33(1), 2022)",
    .can = HS_CAN_COLOCATE,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY,
    .params = params,
    .state_size = sizeof(struct horus_s),
    .job_state_size = sizeof(struct hs_job_queue_link),
    .tenants = hs_share_tenants,
    .load = horus_s_load,
    .init = horus_s_init,
    .on_event = horus_s_event,
    .decide = horus_s_decide,
    .semantics = horus_s_semantics,
    .check = horus_s_check,
};
