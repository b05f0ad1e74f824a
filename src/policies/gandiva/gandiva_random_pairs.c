/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The baseline that Gavel (Narayanan et al., OSDI'20) calls Gandiva: random packing, without
 * profiles, servers, affinity, time slices, tests of memory or utilization, or costs.
 *
 * - Jobs start in order of submission, alone on idle GPUs while there are enough: a gang on the
 *   fullest node that holds it, a larger one on as few nodes as its free GPUs allow.
 * - When there are not, a job joins a random one of the running jobs with as many GPUs and no
 *   partner. Jobs stand on a circle by a mix of rank and seed, and the one behind the job's own
 *   draw, another at each try, is taken: the choice depends on the jobs that are there alone.
 * - After `trial` the pair stays if the measured rates of the two, relative to that of the first
 *   when it was alone there, add up to at least 1. (The rate of the second alone was never seen.)
 *   Otherwise the second returns to its place in the queue with what it has done, and its next
 *   partner is another one. In a pair nothing changes until one ends: one trial is enough.
 * - A job that is left alone by its partner may be joined again.
 *
 * Cost of a start: O(log jobs) and its GPUs; more where partners cannot be joined (GPU type, CPUs).
 */
#include "policies/lib/allocation_map.h"
#include "policies/lib/vc_queues.h"

struct random_pairs {
    int64_t seed, trial_us;
    int32_t types;
    struct hs_colocate waiting; /* parameters up to here */
    struct hs_allocation_map allocations;
    struct hs_job_queue alone;  /* running jobs without a partner, on the circle of their size */
    struct hs_job_queue trials; /* the second jobs of pairs, by the time of their judgement */
};

struct random_pairs_job {
    struct hs_job_queue_link link; /* in the queue, on the circle or among the trials */
    uint64_t alone_q32;            /* its rate when it was last alone; 0 = not seen */
    uint64_t refused_rank;         /* if is_refused: the partner of its last trial, undone */
    uint32_t first_allocation;
    uint32_t tries : 29;
    uint32_t is_alone : 1, is_on_trial : 1, is_refused : 1;
};

static struct random_pairs_job *job_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

/* The other job on its GPUs, or HS_NO_JOB. */
static hs_job_id partner_of(const struct random_pairs *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_map_entry *entries = s->allocations.allocations;
    uint32_t h = job_of(v, job)->first_allocation;
    if (h == 0)
        return HS_NO_JOB;
    h = s->allocations.on_gpu[entries[h].gpu];
    while (h != 0 && entries[h].job == job)
        h = entries[h].next_on_gpu;
    return h != 0 ? entries[h].job : HS_NO_JOB;
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

static void random_pairs_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct random_pairs *s = state;
    (void)can;
    hs_place_needs((struct hs_place_rule){.types = s->types}, knows);
}

static enum hs_status random_pairs_init(void *state, const struct hs_view *v)
{
    struct random_pairs *s = state;
    hs_allocation_map_init(&s->allocations, v);
    hs_vc_queues_init(&s->waiting.queue, v, HS_SCAN_FIT);
    return HS_OK;
}

static void become_alone(struct random_pairs *s, const struct hs_view *v, hs_job_id job)
{
    if (hs_view_gpus(v, job) == 0)
        return;
    job_of(v, job)->is_alone = true;
    hs_job_queue_add(&s->alone, v, job, draw(s, v, job, 0));
}

static void end_trial(struct random_pairs *s, const struct hs_view *v, hs_job_id job)
{
    struct random_pairs_job *j = job_of(v, job);
    if (j->is_on_trial)
        hs_job_queue_remove(&s->trials, v, job);
    j->is_on_trial = false;
}

/* The job leaves its GPUs; its partner stays there alone. */
static void leave(struct random_pairs *s, const struct hs_view *v, hs_job_id job)
{
    struct random_pairs_job *j = job_of(v, job);
    hs_job_id partner = partner_of(s, v, job);
    hs_allocation_map_drop(&s->allocations, &j->first_allocation);
    end_trial(s, v, job);
    if (j->is_alone)
        hs_job_queue_remove(&s->alone, v, job);
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
    hs_job_id job = event->job;
    if (job == HS_NO_JOB) { /* a timer or a node */
        hs_vc_queues_wake(&s->waiting.queue, v, HS_NO_JOB);
        return;
    }
    if (event->kind == HS_EVENT_STARTED && partner_of(s, v, job) == HS_NO_JOB) {
        become_alone(s, v, job);
    } else if (event->kind == HS_EVENT_STARTED) {
        job_of(v, job)->is_on_trial = true;
        hs_job_queue_add(&s->trials, v, job, hs_view_now_us(v) + s->trial_us);
    }
    if (event->kind == HS_EVENT_FINISH || event->kind == HS_EVENT_STOPPED)
        leave(s, v, job);
    hs_colocate_event(&s->waiting.queue, v, event, 0);
}

/* ---- starts ---- */

/* On the GPUs of the other; false, with the plan unchanged, if one of them is not for this job, the
 * rate of the other alone is not known yet, or they have failed together. */
static bool join(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                 hs_job_id other)
{
    struct random_pairs_job *j = job_of(v, job);
    if (hs_view_state(v, other) != HS_JOB_RUNNING ||
        (j->is_refused && j->refused_rank == hs_view_rank(v, other)))
        return false;
    hs_plan_reason(p, "no idle GPUs: on trial beside a random job of its size");
    return hs_place_beside(v, p, job, &s->allocations, &j->first_allocation,
                           job_of(v, other)->first_allocation);
}

/* The first job of the circle that can be joined, from one place to before another. */
static hs_job_id join_next(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p,
                           hs_job_id job, int64_t from, int64_t end)
{
    const struct hs_job_place place = hs_job_place(v, job, from);
    const struct hs_gang_limits all = {UINT64_MAX, UINT64_MAX};
    hs_job_id other = hs_job_queue_next_from(&s->alone, v, place, all);
    while (other != HS_NO_JOB && hs_job_queue_key(v, other) < end && !join(s, v, p, job, other))
        other = hs_job_queue_next(&s->alone, v, other);
    return other != HS_NO_JOB && hs_job_queue_key(v, other) < end ? other : HS_NO_JOB;
}

static bool place_in_pair(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p,
                          hs_job_id job)
{
    uint32_t gpus = hs_view_gpus(v, job);
    struct random_pairs_job *j = job_of(v, job);
    int64_t own = draw(s, v, job, j->tries + 1);
    hs_job_id other = join_next(s, v, p, job, own, circle_start(gpus + 1) - 1);
    if (other == HS_NO_JOB)
        other = join_next(s, v, p, job, circle_start(gpus) - 1, own);
    if (other == HS_NO_JOB)
        return false;
    struct random_pairs_job *o = job_of(v, other);
    if (o->alone_q32 == 0)
        o->alone_q32 = hs_view_rate_q32(v, other);
    hs_job_queue_remove(&s->alone, v, other);
    o->is_alone = false;
    j->tries++;
    hs_plan_timer(p, hs_view_now_us(v) + s->trial_us, 0);
    return true;
}

/* Alone on any type before in a pair on the first one. */
static bool random_pairs_place(void *state, const struct hs_view *v, struct hs_plan *p,
                               hs_job_id job)
{
    struct random_pairs *s = state;
    const uint32_t gpus = hs_view_gpus(v, job);
    const struct hs_place_rule rule = {.placer = HS_PLACE_BEST_FIT, .types = s->types};
    const bool may_join = gpus > 0 && hs_view_quota_room(v, hs_view_vc(v, job)) >= gpus;
    bool is_placed = false;
    hs_plan_reason(p, NULL);
    if (hs_view_free_for(v, job) >= gpus && hs_place(v, p, job, rule)) {
        hs_allocation_map_add_planned(&s->allocations, p, job, &job_of(v, job)->first_allocation);
        return true;
    }
    struct hs_type_turns turns = hs_type_turns(v, job, s->types);
    while (may_join && hs_next_type(&turns, v, is_placed))
        is_placed = place_in_pair(s, v, p, job);
    return is_placed;
}

/* ---- judgement ---- */

static void judge(struct random_pairs *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    int64_t now_us = hs_view_now_us(v);
    hs_job_id other = partner_of(s, v, job);
    if (hs_view_state(v, job) != HS_JOB_RUNNING || hs_view_state(v, other) != HS_JOB_RUNNING) {
        hs_job_queue_rekey(&s->trials, v, job, now_us + s->trial_us); /* one still pays a cost */
        hs_plan_timer(p, now_us + s->trial_us, 0);
        return;
    }
    end_trial(s, v, job);
    if (hs_view_rate_q32(v, job) + hs_view_rate_q32(v, other) >= job_of(v, other)->alone_q32) {
        hs_plan_count(p, HS_POLICY_COUNTER_TRIAL_KEPT);
        return;
    }
    job_of(v, job)->is_refused = true;
    job_of(v, job)->refused_rank = hs_view_rank(v, other);
    hs_plan_count(p, HS_POLICY_COUNTER_TRIAL_UNDONE);
    hs_plan_reason(p, "trial undone: the two together are slower than one alone");
    hs_plan_preempt(p, job, 0);
    hs_plan_timer(p, now_us, 0); /* it may find another partner at once */
    leave(s, v, job);
}

static enum hs_status random_pairs_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct random_pairs *s = state;
    hs_job_id job;
    while ((job = hs_job_queue_first(&s->trials)) != HS_NO_JOB &&
           job_of(v, job)->link.key <= hs_view_now_us(v))
        judge(s, v, p, job);
    const struct hs_colocate_rule rule = {.place = random_pairs_place,
                                          .state = s,
                                          .max_refusals =
                                              s->waiting.scan == HS_SCAN_STRICT ? 1 : UINT64_MAX};
    (void)hs_colocate_scan(&s->waiting.queue, v, p, &rule);
    return HS_OK;
}

static void random_pairs_semantics(const void *state, struct hs_semantics *out)
{
    const struct random_pairs *s = state;
    *out = (struct hs_semantics){.order = "submit",
                                 .scan = hs_scan_names[s->waiting.scan],
                                 .placement = HS_TYPES_TEXTS("random pairs")[s->types],
                                 .preemption = "undo of a trial",
                                 .cost = "free"};
}

static const char *random_pairs_check(const void *state, const struct hs_view *v)
{
    const struct random_pairs *s = state;
    const char *broken = hs_vc_queues_check(&s->waiting.queue, v);
    if (broken == NULL)
        broken = hs_allocation_map_check(&s->allocations, v);
    if (broken != NULL)
        return broken;
    for (int i = 0; i < 2; i++) {
        const struct hs_job_queue *set = i == 0 ? &s->alone : &s->trials;
        if (!hs_job_queue_is_valid(set, v))
            return "the circle or the trials are out of order";
        HS_EACH_QUEUED(j, set, v) {
            hs_job_id partner = partner_of(s, v, j);
            uint32_t held = hs_view_gpus_held(v, j);
            if (i == 0 && (held == 0 || partner != HS_NO_JOB))
                return "a job on the circle is not alone on its GPUs";
            if (i == 1 && (partner == HS_NO_JOB || partner_of(s, v, partner) != j ||
                           held != hs_view_gpus_held(v, partner)))
                return "a job is on trial without a partner of its size";
        }
    }
    return NULL;
}

static const struct hs_param params[] = {
    HS_COLOCATE_SCAN(struct random_pairs, waiting),
    HS_PARAM_DURATION(struct random_pairs, trial_us, "trial", "360s", 1, 1e6,
                      "time until a new pair is evaluated",
                      .source = "Narayanan et al., OSDI'20: rounds of 6 minutes"),
    HS_TYPES_PARAM(struct random_pairs, types),
    HS_PARAM_INT(struct random_pairs, seed, "seed", "0", 0, 1e9,
                 "seed of the random choice of partners"),
    {0}};

const struct hs_policy_ops hs_policy_gandiva_random_pairs = {
    .name = "gandiva-random-pairs",
    .summary =
        "random pairs of jobs of equal gang size when GPUs are short, kept if throughput gains",
    .cite = "Gandiva as the baseline of Narayanan et al., Gavel, OSDI'20",
    .can = HS_CAN_COLOCATE | HS_CAN_PREEMPT | HS_CAN_TIME,
    .knows = HS_KNOWS_RATE | HS_KNOWS_SPEED,
    .params = params,
    HS_POLICY_HOOKS(random_pairs, struct random_pairs, struct random_pairs_job),
    .tenants = hs_pair_tenants,
    .load = hs_pair_load,
};
