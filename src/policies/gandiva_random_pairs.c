/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The baseline that Gavel calls Gandiva: random packing. It knows no profiles, and has neither
 * servers nor affinity, time slices, tests of memory or utilization, or costs.
 *
 * - Jobs start in order of submission, alone on idle GPUs while there are enough: a gang on the
 *   fullest node that holds it, a larger one on as few nodes as its free GPUs force it to.
 * - When there are not, a job joins a random one of the running jobs with as many GPUs that have
 *   no partner, on its GPUs. Random: jobs stand on a circle by a mix of rank and seed, and the one
 *   that comes next after the job's own draw is taken; each try is another draw. So the choice
 *   depends on nothing but who is there.
 * - After `trial` the pair is judged: it stays if the measured rates of the two, relative to that
 *   of the first when it was alone there, add up to at least 1. (What the second would do alone
 *   there nobody has seen.) Else the second goes back to its place in the queue with what it has
 *   done, and its next partner is another one. In a pair nothing changes until one of them ends,
 *   so that one trial tells all.
 * - Who is left alone by its partner may be joined again.
 *
 * Cost of a start: O(log jobs) and its GPUs; more where partners cannot be joined (GPU type, CPUs).
 */
#include "policies/kit_colocate.h"
#include "policies/kit_holds.h"

struct random_pairs {
    int64_t seed, trial_us;
    struct hs_colocate waiting; /* parameters up to here */
    struct hs_holds holds;
    struct hs_order alone;  /* running jobs without a partner, on the circle of their gang size */
    struct hs_order trials; /* the second ones of pairs, by the time of their judgement */
};

/* link: in the queue, on the circle or among the trials. */
struct random_pairs_scratch {
    struct hs_order_link link;
    uint64_t alone_q32;    /* its rate when it was last alone; 0 = not seen since it started */
    uint64_t refused_rank; /* of the partner of its last trial, if that was undone: is_refused */
    uint32_t first_hold;
    uint32_t tries : 29;
    uint32_t is_alone : 1, is_on_trial : 1, is_refused : 1;
};

static struct random_pairs_scratch *scratch_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* Who is on its GPUs, too; HS_NO_JOB: nobody. */
static hs_job_id partner_of(const struct random_pairs *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_hold *holds = s->holds.holds;
    uint32_t h = scratch_of(v, job)->first_hold;
    if (h == 0)
        return HS_NO_JOB;
    h = s->holds.on_gpu[holds[h].gpu];
    while (h != 0 && holds[h].job == job)
        h = holds[h].next_on_gpu;
    return h != 0 ? holds[h].job : HS_NO_JOB;
}

/* One step of splitmix64 (Steele, Lea, Flood: OOPSLA 2014). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Gangs of one size stand together; a draw takes the low 31 bits. */
static int64_t circle_start(uint32_t gpus)
{
    return (int64_t)((uint64_t)gpus << 32);
}

static int64_t draw(const struct random_pairs *s, const struct hs_view *v, hs_job_id job,
                    uint32_t tries)
{
    uint64_t drawn = mix(mix(mix((uint64_t)s->seed) + hs_view_rank(v, job)) + tries);
    return circle_start(hs_view_gpus(v, job)) + (int64_t)(drawn >> 33);
}

static enum hs_status random_pairs_init(void *state, const struct hs_view *v)
{
    struct random_pairs *s = state;
    HS_TRY(hs_holds_init(&s->holds, v));
    return hs_queue_init(&s->waiting.queue, v);
}

static void become_alone(struct random_pairs *s, const struct hs_view *v, hs_job_id job)
{
    struct random_pairs_scratch *j = scratch_of(v, job);
    if (hs_view_gpus(v, job) == 0)
        return;
    j->is_alone = true;
    hs_order_add(&s->alone, v, job, draw(s, v, job, 0));
}

static void begin_trial(struct random_pairs *s, const struct hs_view *v, hs_job_id job)
{
    scratch_of(v, job)->is_on_trial = true;
    hs_order_add(&s->trials, v, job, hs_view_now_us(v) + s->trial_us);
}

static void end_trial(struct random_pairs *s, const struct hs_view *v, hs_job_id job)
{
    struct random_pairs_scratch *j = scratch_of(v, job);
    if (j->is_on_trial)
        hs_order_remove(&s->trials, v, job);
    j->is_on_trial = false;
}

/* The job leaves its GPUs; its partner stays there alone. */
static void part(struct random_pairs *s, const struct hs_view *v, hs_job_id job)
{
    struct random_pairs_scratch *j = scratch_of(v, job);
    hs_job_id partner = partner_of(s, v, job);
    hs_holds_drop(&s->holds, &j->first_hold);
    end_trial(s, v, job);
    if (j->is_alone)
        hs_order_remove(&s->alone, v, job);
    j->is_alone = false;
    if (partner != HS_NO_JOB) {
        end_trial(s, v, partner);
        become_alone(s, v, partner);
    }
    j->alone_q32 = 0;
}

static void random_pairs_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct random_pairs *s = state;
    bool is_start = event->kind == HS_EVENT_STARTED;
    if (is_start && partner_of(s, v, event->job) == HS_NO_JOB)
        become_alone(s, v, event->job);
    else if (is_start)
        begin_trial(s, v, event->job);
    if (event->kind == HS_EVENT_FINISH || event->kind == HS_EVENT_STOPPED)
        part(s, v, event->job);
    if (event->kind == HS_EVENT_TIMER)
        hs_queue_wake_all(&s->waiting.queue);
    else
        hs_colocate_event(&s->waiting.queue, v, event, 0);
}

/* A pair at most. */
static uint32_t random_pairs_tenants(const void *state)
{
    (void)state;
    return 2;
}

static bool random_pairs_load(const void *state, const struct hs_view *v, hs_job_id job,
                              int32_t sum[HS_LOADS])
{
    (void)state;
    (void)v;
    (void)job;
    sum[0] = 0;
    return true;
}

/* ---- alone ---- */

static void take(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                 uint32_t gpu)
{
    hs_plan_on_gpu(p, gpu);
    hs_holds_add(&s->holds, job, &scratch_of(v, job)->first_hold, gpu);
}

static bool place_alone(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p,
                        hs_job_id job)
{
    uint32_t mark = hs_plan_mark(p), rest = hs_view_gpus(v, job);
    hs_plan_because(p, NULL);
    if (hs_view_free_for(v, job) < rest)
        return false;
    hs_plan_start(p, job);
    while (rest > 0) {
        uint32_t node = hs_view_best_fit(v, job, rest);
        if (node == HS_NO_NODE)
            node = hs_view_worst_fit(v, job, 1);
        if (node == HS_NO_NODE) {
            hs_plan_rollback(p, mark);
            hs_holds_drop(&s->holds, &scratch_of(v, job)->first_hold);
            return false;
        }
        for (; rest > 0 && hs_view_first_fit(v, job, 1, node) == node; rest--)
            take(s, v, p, job, hs_view_idle_gpu(v, node, 0));
    }
    return true;
}

/* ---- in pairs ---- */

static int64_t anything_goes(const void *ctx, const struct hs_load_range *range)
{
    (void)ctx;
    (void)range;
    return 0;
}

static bool is_refused(const struct hs_view *v, hs_job_id job, hs_job_id other)
{
    const struct random_pairs_scratch *j = scratch_of(v, job);
    return j->is_refused && j->refused_rank == hs_view_rank(v, other);
}

/* On the GPUs of the other; false, and nothing was said, if one of them is not for this job. */
static bool join(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                 hs_job_id other)
{
    uint32_t mark = hs_plan_mark(p);
    const struct hs_hold *holds = s->holds.holds;
    if (hs_view_state(v, other) != HS_JOB_RUNNING || is_refused(v, job, other))
        return false; /* its rate alone is not known yet, or too well */
    hs_plan_because(p, "no idle GPUs: on trial beside a random job of its size");
    hs_plan_start(p, job);
    for (uint32_t h = scratch_of(v, other)->first_hold; h != 0; h = holds[h].next_of_job) {
        if (hs_view_gpu_cost(v, job, holds[h].gpu, anything_goes, NULL) == HS_NEVER) {
            hs_plan_rollback(p, mark);
            hs_holds_drop(&s->holds, &scratch_of(v, job)->first_hold);
            return false;
        }
        take(s, v, p, job, holds[h].gpu);
    }
    return true;
}

/* Of the jobs on the circle behind the place that the key would give this one, up to `end`, the
 * first that can be joined. */
static hs_job_id join_next(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p,
                           hs_job_id job, int64_t from, int64_t end)
{
    const struct hs_order_place place = {from, hs_view_submit_us(v, job), hs_view_rank(v, job)};
    const struct hs_bounds all = {UINT64_MAX, UINT64_MAX};
    hs_job_id other = hs_order_next_from(&s->alone, v, place, all);
    while (other != HS_NO_JOB && hs_order_key(v, other) < end && !join(s, v, p, job, other))
        other = hs_order_next(&s->alone, v, other);
    return other != HS_NO_JOB && hs_order_key(v, other) < end ? other : HS_NO_JOB;
}

static bool place_in_pair(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p,
                          hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(v, job);
    struct random_pairs_scratch *j = scratch_of(v, job);
    int64_t own = draw(s, v, job, j->tries + 1);
    hs_job_id other = join_next(s, v, p, job, own, circle_start(gpus + 1) - 1);
    if (other == HS_NO_JOB)
        other = join_next(s, v, p, job, circle_start(gpus) - 1, own);
    if (other == HS_NO_JOB)
        return false;
    struct random_pairs_scratch *o = scratch_of(v, other);
    if (o->alone_q32 == 0)
        o->alone_q32 = hs_view_rate_q32(v, other);
    hs_order_remove(&s->alone, v, other);
    o->is_alone = false;
    j->tries++;
    return true;
}

static bool random_pairs_place(void *state, const struct hs_view *v, struct hs_plan *p,
                               hs_job_id job)
{
    struct random_pairs *s = state;
    if (hs_view_quota_room(v, hs_view_vc(v, job)) < hs_view_gpus(v, job))
        return false;
    if (place_alone(s, v, p, job))
        return true;
    if (hs_view_gpus(v, job) == 0 || !place_in_pair(s, v, p, job))
        return false;
    hs_plan_timer(p, hs_view_now_us(v) + s->trial_us, 0);
    return true;
}

/* ---- judgement ---- */

static void judge(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    int64_t now_us = hs_view_now_us(v);
    hs_job_id other = partner_of(s, v, job);
    if (hs_view_state(v, job) != HS_JOB_RUNNING || hs_view_state(v, other) != HS_JOB_RUNNING) {
        hs_order_rekey(&s->trials, v, job, now_us + s->trial_us); /* somebody pays a cost */
        hs_plan_timer(p, now_us + s->trial_us, 0);
        return;
    }
    end_trial(s, v, job);
    if (hs_view_rate_q32(v, job) + hs_view_rate_q32(v, other) >= scratch_of(v, other)->alone_q32) {
        hs_plan_count(p, HS_TALLY_TRIAL_KEPT);
        return;
    }
    scratch_of(v, job)->is_refused = true;
    scratch_of(v, job)->refused_rank = hs_view_rank(v, other);
    hs_plan_count(p, HS_TALLY_TRIAL_UNDONE);
    hs_plan_because(p, "trial undone: the two together are slower than one alone");
    hs_plan_preempt(p, job, 0);
    hs_plan_timer(p, now_us, 0); /* it may find another partner at once */
    part(s, v, job);
}

static enum hs_status random_pairs_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct random_pairs *s = state;
    hs_job_id job;
    while ((job = hs_order_first(&s->trials, v)) != HS_NO_JOB &&
           scratch_of(v, job)->link.key <= hs_view_now_us(v))
        judge(s, v, p, job);
    hs_colocate_decide(&s->waiting, v, p, random_pairs_place, s, NULL);
    return HS_OK;
}

static void random_pairs_semantics(const void *state, struct hs_semantics *out)
{
    const struct random_pairs *s = state;
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = hs_scan_names[s->waiting.scan],
                                 .placement = "random pairs",
                                 .preemption = "undo of a trial",
                                 .cost = "free"};
}

static const char *check_alone(const struct random_pairs *s, const struct hs_view *v)
{
    if (!hs_order_is_valid(&s->alone, v) || !hs_order_is_valid(&s->trials, v))
        return "the circle or the trials are out of order";
    for (hs_job_id j = hs_order_first(&s->alone, v); j != HS_NO_JOB;
         j = hs_order_next(&s->alone, v, j))
        if (hs_view_gpus_held(v, j) == 0 || partner_of(s, v, j) != HS_NO_JOB)
            return "a job on the circle is not alone on its GPUs";
    for (hs_job_id j = hs_order_first(&s->trials, v); j != HS_NO_JOB;
         j = hs_order_next(&s->trials, v, j)) {
        hs_job_id partner = partner_of(s, v, j);
        if (partner == HS_NO_JOB || partner_of(s, v, partner) != j ||
            hs_view_gpus_held(v, j) != hs_view_gpus_held(v, partner))
            return "a job is on trial without a partner of its size";
    }
    return NULL;
}

static const char *random_pairs_check(const void *state, const struct hs_view *v)
{
    const struct random_pairs *s = state;
    const char *broken = hs_queue_check(&s->waiting.queue, v);
    if (broken == NULL)
        broken = hs_holds_check(&s->holds, v);
    return broken != NULL ? broken : check_alone(s, v);
}

static const struct hs_param params[] = {
    HS_COLOCATE_SCAN(struct random_pairs, waiting),
    {.key = "trial",
     .type = HS_PARAM_DURATION,
     .offset = offsetof(struct random_pairs, trial_us),
     .preset = "360s",
     .min = 1,
     .max = 1e6,
     .help = "time until a new pair is judged",
     .source = "Narayanan et al., OSDI'20: rounds of 6 minutes"},
    {.key = "seed",
     .type = HS_PARAM_INT,
     .offset = offsetof(struct random_pairs, seed),
     .preset = "0",
     .max = 1e9,
     .help = "of the random choice of partners"},
    {0}};

const struct hs_policy_ops hs_policy_gandiva_random_pairs = {
    .name = "gandiva-random-pairs",
    .summary = "random pairs of jobs of equal gang size when GPUs are short, kept if they pay",
    .cite = "Gandiva as the baseline of Narayanan et al., Gavel, OSDI'20",
    .can = HS_CAN_COLOCATE | HS_CAN_PREEMPT | HS_CAN_TIME,
    .knows = HS_KNOWS_RATE,
    .params = params,
    .state_size = sizeof(struct random_pairs),
    .job_state_size = sizeof(struct random_pairs_scratch),
    .tenants = random_pairs_tenants,
    .load = random_pairs_load,
    .init = random_pairs_init,
    .on_event = random_pairs_event,
    .decide = random_pairs_decide,
    .semantics = random_pairs_semantics,
    .check = random_pairs_check,
};
