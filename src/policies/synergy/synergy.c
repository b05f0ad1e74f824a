/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Synergy: rounds that give jobs the CPUs and the host memory that make them fastest.
 *
 *     at a multiple of `round`, if anything can have changed
 *         an empty cluster; jobs in order (fifo: arrival; las: attained time x GPUs; srtf: time
 *             left; ftf: finish time relative to run time, the largest first)
 *         fair:   each with the share of a GPU in its node
 *         greedy: each with the least that makes it fastest, or not at all
 *         tune:   each with the least that makes it fastest, else with at most the fair share,
 *                 for which others are cut to theirs
 *         opt:    as tune, with what an integer program finds for them (synergy_opt.c)
 *         a job that keeps nodes and allotment goes on; others are taken off, then placed
 *
 * A job that has no room is passed over. Under las, and with opt, only those are tried whose gangs
 * have GPUs, with tune and opt the largest first. Between boundaries freed GPUs stay idle and
 * arrivals wait. Under all orders but fifo a job that has not run for 1,000 hours is first. Where a
 * node states no CPUs or no memory, nothing is allotted and all jobs run as they are.
 *
 * Cost of a round: O(jobs tried x log nodes), and under las, srtf and ftf O(jobs log jobs); a round
 * of fifo without arrival or end is skipped.
 */
#include "policies/synergy/synergy.h"

#include <math.h>

static const char *const mechanism_names[] = {"fair", "greedy", "tune", "opt", NULL};
static const char *const compat_names[] = {"off", "synergy", NULL};
static const char *const order_names[] = {"fifo", "las", "srtf", "ftf", NULL};

#define ROUNDED_OFF 1e-9 /* of a product in Q32 */
#define LATE_US     1000 /* compat: the most that these add up to in a run of a job */
#define STARVED_US  (INT64_C(1000) * 3600 * 1000000) /* msr-fiddle/synergy 1bb2bed, simulator */

/* ---- order ---- */

/* Predicted, with what it had in the last round; of a job that did not run in it, the highest. */
static double speed_of(const struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    const struct hs_synergy_share share = j->places > 0 ? j->gets : hs_synergy_demand(s, v, job);
    return (double)hs_view_host_q32(v, job, (uint32_t)share.cpus_milli, (uint32_t)share.mem_mib) /
           0x1p32;
}

static int64_t key_of(const struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    if (hs_view_now_us(v) - j->ran_us >= STARVED_US)
        return INT64_MIN;
    const bool is_compat = s->compat != HS_SYNERGY_COMPAT_OFF;
    if (s->order == HS_SYNERGY_LAS)
        return (is_compat ? j->used_us : hs_view_attained_us(v, job)) * hs_view_gpus(v, job);
    const double left_us =
        (double)(is_compat ? j->steps_left * j->step_us : hs_view_remaining_us(v, job));
    if (s->order == HS_SYNERGY_SRTF)
        return llround(left_us / speed_of(s, v, job));
    const double age_us = (double)(hs_view_now_us(v) - hs_view_submit_us(v, job));
    const double alone_us = fmax(1, (double)hs_view_duration_us(v, job));
    return -llround(fmin((age_us + left_us) / alone_us, 1e9) * 1e6);
}

static bool by_key(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *nothing)
{
    (void)nothing;
    const int64_t x = hs_synergy_of(v, a)->key, y = hs_synergy_of(v, b)->key;
    return x != y ? x < y : hs_job_queue_tie_is_before(v, a, b);
}

/* Returns whether the order may have changed. */
static bool put_in_order(struct hs_synergy *s, const struct hs_view *v)
{
    bool is_in_order = true;
    if (s->order == HS_SYNERGY_FIFO)
        return false;
    hs_job_id before = HS_NO_JOB;
    HS_SYNERGY_EACH(job, &s->jobs, v)
    {
        hs_synergy_of(v, job)->key = key_of(s, v, job);
        is_in_order = is_in_order && (before == HS_NO_JOB || by_key(v, before, job, NULL));
        before = job;
    }
    if (!is_in_order)
        hs_job_chain_sort(&s->jobs, v, by_key, NULL);
    return !is_in_order;
}

/* ---- a round ---- */

/* The jobs that are tried, in this order: all, or those whose gangs have GPUs. */
static void try_jobs(struct hs_synergy *s, const struct hs_view *v)
{
    const bool keeps = s->order == HS_SYNERGY_LAS || s->mechanism == HS_SYNERGY_OPT;
    uint32_t count = 0;
    uint64_t left = s->free;
    HS_SYNERGY_EACH(job, &s->jobs, v)
    {
        const uint32_t gang = hs_view_gpus(v, job);
        uint64_t *room = &s->room[hs_view_vc(v, job)];
        if ((keeps ? left : s->free) == 0)
            break;
        if (gang > (keeps ? left : s->free) || gang > *room)
            continue;
        if (keeps) {
            s->kept[count] = (struct hs_job_place){
                s->mechanism >= HS_SYNERGY_TUNE ? -(int64_t)gang : 0, count, 0, job};
            count++;
            left -= gang;
        }
        if (keeps || hs_synergy_give(s, v, job))
            *room -= gang;
    }
    hs_sort(s->kept, count);
    if (s->mechanism == HS_SYNERGY_OPT && s->fair.cpus_milli > 0)
        hs_synergy_optimise(s, v, count);
    for (uint32_t i = 0; i < count; i++)
        (void)hs_synergy_give(s, v, s->kept[i].job);
}

static bool keeps_its_place(const struct hs_synergy *s, const struct hs_synergy_scratch *j)
{
    bool is_same = j->places == j->last_places && hs_synergy_is_same(j->gets, j->had);
    for (uint32_t i = 0; is_same && i < j->places; i++) {
        const struct hs_synergy_place *now = &s->now.places[j->first + i];
        const struct hs_synergy_place *last = &s->last.places[j->last_first + i];
        is_same = now->node == last->node && now->gpus == last->gpus;
    }
    return is_same;
}

/* The places of the last round become those before this one. */
static void turn_over(struct hs_synergy *s, const struct hs_view *v)
{
    const struct hs_synergy_round last = s->now;
    s->now = (struct hs_synergy_round){s->last.places, 0};
    s->last = last;
    for (uint32_t i = 0; i < last.count; i += 1) {
        if (last.places[i].job == HS_NO_JOB)
            continue;
        struct hs_synergy_scratch *j = hs_synergy_of(v, last.places[i].job);
        if (j->places == 0) /* not the first of its places */
            continue;
        j->last_first = j->first;
        j->last_places = j->places;
        j->had = j->gets;
        j->ran_us = hs_view_now_us(v);
        j->places = 0;
    }
}

static void apply(struct hs_synergy *s, const struct hs_view *v, struct hs_plan *p)
{
    hs_plan_reason(p, "other jobs are before it in this round");
    for (uint32_t i = 0; i < s->last.count; i++) {
        const hs_job_id job = s->last.places[i].job;
        struct hs_synergy_scratch *j = job != HS_NO_JOB ? hs_synergy_of(v, job) : NULL;
        if (j == NULL || i != j->last_first || keeps_its_place(s, j))
            continue;
        hs_plan_preempt(p, job, hs_cost_us(&s->cost, v, job));
        j->holds = false;
    }
    hs_plan_reason(p, NULL);
    for (uint32_t i = 0; i < s->now.count; i++) {
        const hs_job_id job = s->now.places[i].job;
        struct hs_synergy_scratch *j = hs_synergy_of(v, job);
        if (i != j->first || j->holds)
            continue;
        hs_plan_host(p, job, (uint32_t)j->gets.cpus_milli, (uint32_t)j->gets.mem_mib);
        hs_plan_reason(p, hs_job_waits(v, job) ? NULL : "all are placed anew in this round");
        hs_plan_start(p, job);
        for (uint32_t k = i; k < i + j->places; k++)
            hs_plan_on_node(p, s->now.places[k].node, s->now.places[k].gpus);
        j->holds = true;
    }
    hs_plan_reason(p, NULL);
}

/* compat: a job that the engine runs continuously does whole steps alone if it rests first; the end
 * of its last one is at the boundary, give or take what microseconds round off. */
static void book_steps(struct hs_synergy *s, const struct hs_view *v, struct hs_plan *p,
                       hs_job_id job)
{
    struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    const double speed = speed_of(s, v, job);
    const double steps = (double)s->round_us / ((double)j->step_us / speed);
    j->steps_left -= (int64_t)fmin(floor(steps * (1 + ROUNDED_OFF)), (double)j->steps_left);
    j->used_us += s->round_us;
    s->ending += j->steps_left == 0;
    const int64_t work_us = hs_view_remaining_us(v, job) - j->steps_left * j->step_us;
    const int64_t end_us = s->boundary_us + s->round_us;
    const int64_t rest_us = end_us - hs_view_now_us(v) - (int64_t)ceil((double)work_us / speed);
    if (rest_us > 0)
        hs_plan_add_overhead(p, job, rest_us);
}

static void begin_round(struct hs_synergy *s, const struct hs_view *v, struct hs_plan *p)
{
    const bool is_compat = s->compat != HS_SYNERGY_COMPAT_OFF;
    if (put_in_order(s, v) || s->is_woken) {
        turn_over(s, v);
        hs_synergy_clear(s, v);
        try_jobs(s, v);
        apply(s, v, p);
    }
    for (uint32_t i = 0; is_compat && i < s->now.count; i++)
        if (i == hs_synergy_of(v, s->now.places[i].job)->first)
            book_steps(s, v, p, s->now.places[i].job);
}

/* The next boundary, perhaps now. Under compat it is still now as long as a job that ends there has
 * not. */
static int64_t boundary_of(const struct hs_synergy *s, const struct hs_view *v)
{
    const int64_t late_us = s->compat != HS_SYNERGY_COMPAT_OFF ? LATE_US : 0;
    const int64_t since_us = hs_later(0, hs_view_now_us(v) - s->phase_us - late_us);
    return s->phase_us + (since_us + s->round_us - 1) / s->round_us * s->round_us;
}

static void decide_round(struct hs_synergy *s, const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v), next_us = s->next_us;
    const bool is_each = s->order != HS_SYNERGY_FIFO || s->compat != HS_SYNERGY_COMPAT_OFF;
    s->boundary_us = boundary_of(s, v);
    if (s->count == 0) {
        s->next_us = INT64_MAX;
        s->is_woken = false;
    } else if (now_us >= s->boundary_us && (s->is_woken || now_us == next_us)) {
        if (s->ending > 0)
            return;
        begin_round(s, v, p);
        s->is_woken = false;
        s->next_us = is_each ? s->boundary_us + s->round_us : INT64_MAX;
    } else if (s->is_woken) {
        s->next_us = s->boundary_us;
    }
    if (s->next_us != next_us && s->next_us != INT64_MAX)
        hs_plan_timer(p, s->next_us, 0);
}

static enum hs_status synergy_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_synergy *s = state;
    hs_vc_queues_scan(&s->cpu_jobs, v, p, (struct hs_place_rule){.placer = HS_PLACE_FIRST_FIT});
    decide_round(s, v, p);
    return HS_OK;
}

/* ---- jobs ---- */

/* The first point of the measurement with the highest speed, memory before CPUs. */
static struct hs_synergy_share best_of(const struct hs_synergy *s, const struct hs_view *v,
                                       hs_job_id job)
{
    struct hs_host_axes axes;
    struct hs_synergy_share best = s->fair;
    uint64_t most_q32 = 0;
    if (s->fair.cpus_milli == 0 || !hs_view_host_axes(v, job, &axes))
        return best;
    for (uint32_t m = 0; m < axes.mem_count; m++)
        for (uint32_t c = 0; c < axes.cpu_count; c++) {
            const uint64_t q32 = hs_view_host_q32(v, job, axes.cpus_milli[c], axes.mem_mib[m]);
            if (q32 <= most_q32)
                continue;
            most_q32 = q32;
            best = (struct hs_synergy_share){axes.cpus_milli[c], axes.mem_mib[m]};
        }
    return best;
}

static void come(struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    j->is_picky = hs_view_is_constrained(v, job);
    j->ran_us = hs_view_now_us(v);
    j->best = j->wants = s->mechanism != HS_SYNERGY_FAIR ? best_of(s, v, job) : s->fair;
    j->step_us = 1;
    if (s->compat != HS_SYNERGY_COMPAT_OFF) {
        j->step_us = hs_later(1, hs_view_step_us(v, job));
        j->steps_left = (hs_view_duration_us(v, job) + j->step_us - 1) / j->step_us;
    }
    hs_job_id behind = s->jobs.last; /* of those that come at the same time, by their ties */
    while (s->order == HS_SYNERGY_FIFO && behind != HS_NO_JOB &&
           hs_job_queue_tie_is_before(v, job, behind))
        behind = hs_synergy_of(v, behind)->chain.before;
    hs_job_chain_insert(&s->jobs, v, job, behind);
    s->count++;
    s->is_woken = true;
}

static void go(struct hs_synergy *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_synergy_scratch *j = hs_synergy_of(v, job);
    for (uint32_t i = j->first; i < j->first + j->places; i++)
        s->now.places[i].job = HS_NO_JOB;
    s->ending -= j->places > 0 && j->steps_left == 0 && s->compat != HS_SYNERGY_COMPAT_OFF;
    hs_job_chain_remove(&s->jobs, v, job);
    s->count--;
    s->is_woken = true;
}

static void synergy_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_synergy *s = state;
    if (event->kind == HS_EVENT_TIMER)
        return;
    s->is_woken |= event->kind == HS_EVENT_NODE;
    if (event->kind == HS_EVENT_NODE || hs_view_gpus(v, event->job) == 0)
        hs_vc_queues_event(&s->cpu_jobs, v, event, 0);
    else if (event->kind == HS_EVENT_SUBMIT)
        come(s, v, event->job);
    else if (event->kind == HS_EVENT_FINISH)
        go(s, v, event->job);
}

static enum hs_status synergy_init(void *state, const struct hs_view *v)
{
    struct hs_synergy *s = state;
    uint64_t gpus = 0;
    if (v->has_cohorts)
        return hs_view_fail(v, HS_E_USAGE, "rounds are of fixed quotas: not with cohorts");
    s->fair = (struct hs_synergy_share){UINT64_MAX, UINT64_MAX};
    for (uint32_t i = 0; i < v->nodes; i++) {
        const struct hs_node *node = hs_view_node(v, i);
        const struct hs_synergy_share all = {UINT64_C(1000) * node->cpus, node->mem_mib};
        s->fair = hs_synergy_at_most(s->fair, (struct hs_synergy_share){all.cpus_milli / node->gpus,
                                                                        all.mem_mib / node->gpus});
        s->server.cpus_milli +=
            all.cpus_milli > s->server.cpus_milli ? all.cpus_milli - s->server.cpus_milli : 0;
        s->server.mem_mib += all.mem_mib > s->server.mem_mib ? all.mem_mib - s->server.mem_mib : 0;
        gpus += node->gpus;
    }
    if (s->fair.cpus_milli == 0 || s->fair.mem_mib == 0)
        s->fair = (struct hs_synergy_share){0, 0};
    s->nodes = hs_view_alloc(v, v->nodes * sizeof *s->nodes);
    s->now.places = hs_view_alloc(v, gpus * sizeof *s->now.places);
    s->last.places = hs_view_alloc(v, gpus * sizeof *s->last.places);
    s->kept = hs_view_alloc(v, gpus * sizeof *s->kept);
    s->room = hs_view_alloc(v, v->vcs * sizeof *s->room);
    s->words = v->nodes / 64 + 1; /* the number behind the last is a bit, too */
    s->by_free = hs_view_alloc(v, (v->max_node_gpus + UINT64_C(1)) * s->words * sizeof *s->by_free);
    hs_vc_queues_init(&s->cpu_jobs, v, HS_SCAN_FIT);
    s->jobs = hs_job_chain_empty(offsetof(struct hs_synergy_scratch, chain));
    s->next_us = INT64_MAX;
    return HS_OK;
}

static void synergy_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_synergy *s = state;
    (void)can;
    if ((s->order == HS_SYNERGY_FIFO || s->order == HS_SYNERGY_LAS) &&
        s->compat == HS_SYNERGY_COMPAT_OFF)
        *knows &= ~(uint32_t)HS_KNOWS_DURATION;
}

static void synergy_semantics(const void *state, struct hs_semantics *out)
{
    static const char *const orders[] = {
        [HS_SYNERGY_FIFO] = "submit, rounds",
        [HS_SYNERGY_LAS] = "attained GPU time, rounds",
        [HS_SYNERGY_SRTF] = "remaining, rounds",
        [HS_SYNERGY_FTF] = "finish time relative to run time, rounds",
    };
    const struct hs_synergy *s = state;
    *out = (struct hs_semantics){.order = orders[s->order],
                                 .scan = "fit",
                                 .placement = "best_fit",
                                 .preemption = "evict",
                                 .cost = hs_cost_text(&s->cost, false),
                                 .ties = NULL};
}

static const char *synergy_check(const void *state, const struct hs_view *v)
{
    const struct hs_synergy *s = state;
    uint64_t count = 0, places = 0;
    HS_SYNERGY_EACH(job, &s->jobs, v)
    {
        const struct hs_synergy_scratch *j = hs_synergy_of(v, job);
        if (j->holds == hs_job_waits(v, job) || j->holds != (j->places > 0))
            return "a job holds GPUs without a place in this round";
        places += j->places;
        count++;
    }
    if (count != s->count || places > s->now.count)
        return "the chain of live jobs is broken";
    return hs_vc_queues_check(&s->cpu_jobs, v);
}

static const struct hs_param params[] = {
    HS_PARAM_CHOICE(
        struct hs_synergy, mechanism, "mechanism", "tune", mechanism_names,
        "CPUs and host memory of a job: its part of the node; the least that makes it "
        "fastest, or it waits; that where there is enough, else at most its part; by an "
        "integer program of highest speed in all",
        .source = "Mohan et al. OSDI'22"),
    HS_PARAM_CHOICE(
        struct hs_synergy, order, "order", "fifo", order_names,
        "which job is first: by arrival, least attained service, shortest remaining time, "
        "largest finish time relative to its run time",
        .source = "Mohan et al. OSDI'22"),
    HS_PARAM_DURATION(struct hs_synergy, round_us, "round", "300s", 1, 1e6,
                      "time between boundaries",
                      .source = "msr-fiddle/synergy 1bb2bed, simulator: 5 minutes"),
    HS_PARAM_DURATION(struct hs_synergy, phase_us, "round_phase", "0s", 0, 86400,
                      "when the first round is, after the first submission"),
    HS_COST_PARAMS(struct hs_synergy, cost),
    HS_PARAM_CHOICE(struct hs_synergy, compat, "compat", "off", compat_names,
                    "whole steps and ends at boundaries, as in the published simulator",
                    .source = "msr-fiddle/synergy 1bb2bed; with --models "
                              "builtin:models/host-binary.json"),
    {0}};

const struct hs_policy_ops hs_policy_synergy = {
    .name = "synergy",
    .summary = "CPUs and host memory to the jobs that they make faster, given in rounds",
    .cite = "Mohan et al., Looking Beyond GPUs for DNN Scheduling on Multi-Tenant Clusters, "
            "OSDI'22",
    .can = HS_CAN_PREEMPT | HS_CAN_TIME | HS_CAN_HOST,
    .knows = HS_KNOWS_DURATION | HS_KNOWS_HOST,
    .params = params,
    .state_size = sizeof(struct hs_synergy),
    .job_state_size = sizeof(struct hs_synergy_scratch),
    .needs = synergy_needs,
    .init = synergy_init,
    .on_event = synergy_event,
    .decide = synergy_decide,
    .semantics = synergy_semantics,
    .check = synergy_check,
};
