/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel: shares of time on each GPU type that are best for an objective (gavel_program.c), and
 * rounds that give jobs about these shares.
 *
 *     at the boundary of a round
 *         if a job came or went, and the last solution is `reset` old: new shares X
 *         for each type, fastest first: jobs by priority X / (time got there / time of all there),
 *             then by what they are behind (deficit), then by X, then by arrival, as many as fit;
 *             a job runs on one type
 *         who was chosen for the type it runs on stays; others are preempted, then placed, large
 *             gangs first
 *
 * Jobs of share 0 fill what is left (not under fifo). What a job got is counted from the last
 * solution on, and begins with half a round. Between boundaries freed GPUs stay idle, and arrivals
 * wait, unless refill=yes. The first job on an idle cluster begins a round. A pool is a virtual
 * cluster with nodes of its own, else all of them.
 *
 * Cost of a boundary: O(types x jobs log jobs) and, where shares are anew, a linear program of the
 * classes of jobs. While all jobs run on one type nothing can change, and no boundary is due.
 */
#include "policies/gavel/gavel.h"

#include <math.h>
#include <string.h>

#include "policies/lib/place.h"
#include "policies/lib/vc_queues.h"

#define NO_TYPE HS_GAVEL_TYPES
#define HALF    0.5 /* of a round: what each job begins with */

static const char *const objective_names[] = {"las",      "fifo",       "isolated", "ftf",
                                              "makespan", "throughput", NULL};

struct gavel_policy {
    int32_t objective, placer;
    bool is_aware, refills, carries, joins;
    int64_t round_us, reset_us, seed;
    struct hs_preempt_cost cost; /* parameters up to here */
    uint32_t types;
    uint32_t type_of[HS_GAVEL_TYPES]; /* of the cluster, by name */
    uint32_t pool_count;
    struct gavel_pool *pools; /* and one more: of jobs to reject */
    struct hs_vc_queues cpu_jobs;
};

struct gavel_pool {
    struct hs_job_chain jobs;
    uint64_t count;
    double gpus[HS_GAVEL_TYPES];
    double speeds[HS_GAVEL_TYPES]; /* sums over its jobs */
    double got_us[HS_GAVEL_TYPES]; /* by all, since the last solution */
    int64_t boundary_us, next_us;  /* of rounds: the last one; INT64_MAX = none is due */
    int64_t solved_us;             /* -1 = never */
    bool is_dirty;                 /* a job came or went since then */
    bool is_woken;                 /* or since the last decision */
};

struct gavel_job {
    union {
        struct hs_job_queue_link queue; /* of a CPU job */
        struct hs_job_chain_link chain;
    };
    double speed[HS_GAVEL_TYPES]; /* told, or 1; 0 = cannot run there */
    double share[HS_GAVEL_TYPES], got_us[HS_GAVEL_TYPES], deficit_us[HS_GAVEL_TYPES];
    double priority;         /* on the type that is looked at */
    double left_us, base_us; /* at the last solution: work to do; ftf: the time that what is done
                                takes with an equal part, */
    double isolated;         /* and the rate of such a part since */
    int64_t since_us;        /* counted up to then */
    uint32_t first_column, pool;
    uint8_t held, chosen; /* type; NO_TYPE */
};

static struct gavel_job *job_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

static hs_job_id next_of(const struct hs_view *v, hs_job_id job)
{
    return job_of(v, job)->chain.after;
}

#define FOR_EACH(job, pool, v)                                                                     \
    for (hs_job_id job = (pool)->jobs.first; job != HS_NO_JOB; job = next_of(v, job))

static struct gavel_pool *pool_of(const struct gavel_policy *g, const struct hs_view *v,
                                  hs_job_id job)
{
    return &g->pools[job_of(v, job)->pool];
}

static double weight_of(const struct hs_view *v, hs_job_id job)
{
    const int32_t priority = hs_view_priority(v, job);
    return priority > 0 ? 1.0 + priority : 1;
}

/* ---- orders of jobs ---- */

static bool by_arrival(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *nothing)
{
    (void)nothing;
    return hs_job_queue_tie_is_before(v, a, b);
}

static bool by_gang(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *nothing)
{
    (void)nothing;
    return hs_view_gpus(v, a) > hs_view_gpus(v, b);
}

static bool by_priority(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *type)
{
    const uint32_t t = *(const uint32_t *)type;
    const struct gavel_job *x = job_of(v, a), *y = job_of(v, b);
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (x->deficit_us[t] != y->deficit_us[t])
        return x->deficit_us[t] > y->deficit_us[t];
    if (x->share[t] != y->share[t])
        return x->share[t] > y->share[t];
    return hs_job_queue_tie_is_before(v, a, b);
}

#define CLASS_FIGURES (5 + HS_GAVEL_TYPES)

/* All that the linear program knows of a job. */
static void class_figures(const struct gavel_policy *g, const struct hs_view *v, hs_job_id job,
                          double figures[CLASS_FIGURES])
{
    const struct gavel_job *j = job_of(v, job);
    const bool is_ftf = g->objective == HS_GAVEL_FTF;
    figures[0] = hs_view_gpus(v, job);
    figures[1] = weight_of(v, job);
    figures[2] = j->left_us;
    figures[3] = is_ftf ? j->base_us : 0;
    figures[4] = is_ftf ? (double)hs_view_submit_us(v, job) : 0;
    memcpy(figures + 5, j->speed, sizeof j->speed);
}

/* Of two jobs: less than 0, 0 if they are of one class, or more. */
static int compare_classes(const struct gavel_policy *g, const struct hs_view *v, hs_job_id a,
                           hs_job_id b)
{
    double x[CLASS_FIGURES], y[CLASS_FIGURES];
    class_figures(g, v, a, x);
    class_figures(g, v, b, y);
    for (uint32_t i = 0; i < CLASS_FIGURES; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool by_class(const struct hs_view *v, hs_job_id a, hs_job_id b, const void *g)
{
    const int order = compare_classes(g, v, a, b);
    return order != 0 ? order < 0 : hs_job_queue_tie_is_before(v, a, b);
}

/* ---- shares ---- */

static struct hs_gavel_class class_of(const struct hs_view *v, hs_job_id job)
{
    const struct gavel_job *j = job_of(v, job);
    struct hs_gavel_class c = {.members = 1,
                               .gang = hs_view_gpus(v, job),
                               .weight = weight_of(v, job),
                               .left = j->left_us};
    memcpy(c.speed, j->speed, sizeof c.speed);
    return c;
}

/* The time that the job takes in all with an equal part. */
static double isolated_us(const struct gavel_job *j)
{
    return j->base_us + j->left_us / j->isolated;
}

static double age_us(const struct hs_view *v, hs_job_id job)
{
    return (double)(hs_view_now_us(v) - hs_view_submit_us(v, job));
}

/* Solves for the classes of all jobs; ftf: for a largest ratio of rho. */
static bool solve_program(const struct gavel_policy *g, const struct gavel_pool *pool,
                          const struct hs_view *v, struct hs_gavel_program *program, double rho)
{
    hs_gavel_begin(program);
    for (hs_job_id job = pool->jobs.first, after; job != HS_NO_JOB; job = after) {
        struct hs_gavel_class c = class_of(v, job);
        after = next_of(v, job);
        for (; g->joins && after != HS_NO_JOB && compare_classes(g, v, job, after) == 0;
             c.members++)
            after = next_of(v, after);
        if (g->objective == HS_GAVEL_FTF)
            c.least = c.left / (rho * isolated_us(job_of(v, job)) - age_us(v, job));
        const uint32_t first = hs_gavel_add(program, &c);
        for (hs_job_id at = job; at != after; at = next_of(v, at))
            job_of(v, at)->first_column = first;
    }
    return hs_lp_solve(v->lp, HS_LP_ITERATIONS) == HS_LP_OPTIMAL;
}

static void read_shares(const struct gavel_pool *pool, const struct hs_view *v,
                        const struct hs_gavel_program *program)
{
    FOR_EACH(job, pool, v)
    {
        struct gavel_job *j = job_of(v, job);
        hs_gavel_shares(program, j->first_column, j->share);
    }
}

/* Finish-time fairness (Themis, NSDI'20): the least rho for which (age + left / rate) / isolated
 * time is at most rho for every job, between the most that an age forces and what equal parts give;
 * to 1e-4 of it, as the released code does. */
static void bisect_rho(const struct gavel_policy *g, const struct gavel_pool *pool,
                       const struct hs_view *v, struct hs_gavel_program *program)
{
    double low = 0, high = 0;
    FOR_EACH(job, pool, v)
    {
        const struct gavel_job *j = job_of(v, job);
        low = fmax(low, age_us(v, job) / isolated_us(j));
        high = fmax(high, (age_us(v, job) + j->left_us / j->isolated) / isolated_us(j));
    }
    while (high - low > 1e-4 * high) {
        const double rho = (low + high) / 2;
        const bool is_enough = solve_program(g, pool, v, program, rho);
        if (is_enough)
            read_shares(pool, v, program);
        *(is_enough ? &high : &low) = rho;
    }
}

/* The free type of highest speed; not aware: any with room, drawn by seed and rank. */
static uint32_t choose_type(const struct gavel_policy *g, const struct hs_view *v, hs_job_id job,
                            const double *room)
{
    const struct gavel_job *j = job_of(v, job);
    uint32_t best = NO_TYPE, fitting = 0;
    for (uint32_t t = 0; t < g->types; t++) {
        if (j->speed[t] <= 0 || hs_view_gpus(v, job) > room[t])
            continue;
        const uint32_t draw =
            hs_job_queue_mix(((uint64_t)g->seed << 32) + hs_view_rank(v, job)) % ++fitting;
        if (best == NO_TYPE || (g->is_aware ? j->speed[t] > j->speed[best] : draw == 0))
            best = t;
    }
    return best;
}

/* In order of arrival, each on one type; aware, a running job may go to a better one. */
static void share_by_arrival(const struct gavel_policy *g, struct gavel_pool *pool,
                             const struct hs_view *v)
{
    double room[HS_GAVEL_TYPES];
    memcpy(room, pool->gpus, sizeof room);
    hs_job_chain_sort(&pool->jobs, v, by_arrival, NULL);
    FOR_EACH(job, pool, v)
    {
        struct gavel_job *j = job_of(v, job);
        for (uint32_t t = 0; t < g->types; t++) {
            if (g->is_aware)
                j->share[t] = 0;
            room[t] -= j->share[t] * hs_view_gpus(v, job);
        }
    }
    bool is_open = true;
    FOR_EACH(job, pool, v)
    {
        struct gavel_job *j = job_of(v, job);
        bool has_type = false;
        for (uint32_t t = 0; t < g->types; t++)
            has_type |= j->share[t] > 0;
        const uint32_t type = has_type || !is_open ? NO_TYPE : choose_type(g, v, job, room);
        is_open &= has_type || type != NO_TYPE;
        if (type == NO_TYPE)
            continue;
        j->share[type] = 1;
        room[type] -= hs_view_gpus(v, job);
    }
}

/* What changes with a new solution, and equal parts as the shares. */
static void begin_solution(const struct gavel_policy *g, struct gavel_pool *pool,
                           const struct hs_view *v, const struct hs_gavel_program *program)
{
    const bool knows_left = g->objective == HS_GAVEL_FTF || g->objective == HS_GAVEL_MAKESPAN;
    FOR_EACH(job, pool, v)
    {
        struct gavel_job *j = job_of(v, job);
        const double left_us = knows_left ? (double)hs_view_remaining_us(v, job) : 0;
        if (j->isolated > 0)
            j->base_us += (j->left_us - left_us) / j->isolated;
        j->left_us = left_us;
        if (g->objective == HS_GAVEL_FIFO)
            continue;
        const struct hs_gavel_class c = class_of(v, job);
        hs_gavel_isolated(program, &c, pool->count, j->share);
        j->isolated = hs_gavel_rate(program, &c, j->share);
    }
}

static void solve(const struct gavel_policy *g, struct gavel_pool *pool, const struct hs_view *v)
{
    struct hs_gavel_program program = {
        .lp = v->lp, .objective = (enum hs_gavel_objective)g->objective, .types = g->types};
    memcpy(program.gpus, pool->gpus, sizeof program.gpus);
    begin_solution(g, pool, v, &program);
    if (g->objective == HS_GAVEL_FIFO) {
        share_by_arrival(g, pool, v);
    } else if (g->objective != HS_GAVEL_ISOLATED) {
        hs_job_chain_sort(&pool->jobs, v, by_class, g);
        if (g->objective == HS_GAVEL_FTF)
            bisect_rho(g, pool, v, &program);
        else if (solve_program(g, pool, v, &program, 0))
            read_shares(pool, v, &program);
    }
    pool->solved_us = hs_view_now_us(v);
    pool->is_dirty = false;
}

/* ---- rounds ---- */

static double first_us(const struct gavel_policy *g)
{
    return HALF * (double)g->round_us;
}

/* Counts the time of a running job up to now. */
static void account(struct gavel_pool *pool, const struct hs_view *v, hs_job_id job)
{
    struct gavel_job *j = job_of(v, job);
    if (j->held == NO_TYPE)
        return;
    const double time_us = (double)(hs_view_now_us(v) - j->since_us);
    j->got_us[j->held] += time_us;
    pool->got_us[j->held] += time_us;
    j->since_us = hs_view_now_us(v);
}

/* What was promised and not got is kept as a deficit; with `carry` it is also taken from what the
 * job got. */
static void close_accounts(const struct gavel_policy *g, struct gavel_pool *pool,
                           const struct hs_view *v)
{
    const double time_us = pool->solved_us >= 0 ? (double)(hs_view_now_us(v) - pool->solved_us) : 0;
    memset(pool->got_us, 0, sizeof pool->got_us);
    FOR_EACH(job, pool, v)
    {
        struct gavel_job *j = job_of(v, job);
        for (uint32_t t = 0; t < g->types; t++) {
            const double behind_us = j->share[t] * time_us - (j->got_us[t] - first_us(g));
            j->deficit_us[t] += behind_us;
            j->got_us[t] = g->carries ? fmax(1e6, first_us(g) - behind_us) : first_us(g);
            pool->got_us[t] += j->got_us[t];
        }
    }
}

static double priority_of(const struct gavel_pool *pool, const struct gavel_job *j, uint32_t t)
{
    if (j->share[t] <= 0 || j->speed[t] <= 0)
        return 0;
    if (j->got_us[t] <= 0 || pool->got_us[t] <= 0)
        return j->share[t] * 1e9;
    return j->share[t] / (j->got_us[t] / pool->got_us[t]);
}

/* Which jobs run on which type; is_refill: beside those that run. */
static void choose(const struct gavel_policy *g, struct gavel_pool *pool, const struct hs_view *v,
                   bool is_refill)
{
    uint32_t order[HS_GAVEL_TYPES];
    double room[HS_GAVEL_TYPES];
    memcpy(room, pool->gpus, sizeof room);
    FOR_EACH(job, pool, v)
    {
        struct gavel_job *j = job_of(v, job);
        j->chosen = is_refill ? j->held : NO_TYPE;
        if (j->chosen != NO_TYPE)
            room[j->chosen] -= hs_view_gpus(v, job);
    }
    for (uint32_t i = 0, at; i < g->types; i++) { /* the type of the highest sum of speeds first */
        for (at = i; at > 0 && pool->speeds[order[at - 1]] < pool->speeds[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (uint32_t i = 0; i < g->types; i++) {
        const uint32_t t = order[i];
        FOR_EACH(job, pool, v)
        {
            job_of(v, job)->priority = priority_of(pool, job_of(v, job), t);
        }
        hs_job_chain_sort(&pool->jobs, v, by_priority, &t);
        FOR_EACH(job, pool, v)
        {
            struct gavel_job *j = job_of(v, job);
            if (j->chosen != NO_TYPE || j->speed[t] <= 0 || hs_view_gpus(v, job) > room[t] ||
                (g->objective == HS_GAVEL_FIFO && j->priority <= 0))
                continue;
            j->chosen = (uint8_t)t;
            room[t] -= hs_view_gpus(v, job);
        }
    }
}

/* On free GPUs of its type; a gang for which the placer finds no room there on any of them. */
static void place(const struct gavel_policy *g, const struct hs_view *v, struct hs_plan *p,
                  hs_job_id job)
{
    struct gavel_job *j = job_of(v, job);
    hs_view_search_type(v, g->type_of[j->chosen]);
    const bool is_placed =
        hs_place(v, p, job, (struct hs_place_rule){.placer = g->placer}) ||
        hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_FIRST_FIT});
    hs_view_search_type(v, HS_ANY_TYPE);
    if (is_placed) {
        j->held = j->chosen;
        j->since_us = hs_view_now_us(v);
    } else {
        (void)hs_reject_hopeless(v, p, job);
    }
}

/* Returns whether a job waits. */
static bool place_chosen(const struct gavel_policy *g, struct gavel_pool *pool,
                         const struct hs_view *v, struct hs_plan *p)
{
    bool is_any_waiting = false;
    hs_plan_reason(p, "other jobs are before it in this round");
    FOR_EACH(job, pool, v)
    {
        struct gavel_job *j = job_of(v, job);
        if (j->held == NO_TYPE || j->held == j->chosen)
            continue;
        hs_plan_preempt(p, job, hs_cost_us(&g->cost, v, job));
        j->held = NO_TYPE;
    }
    hs_job_chain_sort(&pool->jobs, v, by_gang, NULL);
    hs_plan_reason(p, NULL);
    FOR_EACH(job, pool, v)
    {
        struct gavel_job *j = job_of(v, job);
        if (j->chosen != NO_TYPE && j->held == NO_TYPE)
            place(g, v, p, job);
        is_any_waiting |= j->held == NO_TYPE;
    }
    return is_any_waiting;
}

static void begin_round(const struct gavel_policy *g, struct gavel_pool *pool,
                        const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v);
    FOR_EACH(job, pool, v)
    {
        account(pool, v, job);
    }
    if (pool->is_dirty && (pool->solved_us < 0 || now_us - pool->solved_us >= g->reset_us)) {
        close_accounts(g, pool, v);
        solve(g, pool, v);
    }
    choose(g, pool, v, false);
    const bool is_any_waiting = place_chosen(g, pool, v, p);
    pool->boundary_us = now_us;
    pool->next_us =
        g->types > 1 || is_any_waiting || pool->is_dirty ? now_us + g->round_us : INT64_MAX;
}

static void decide_pool(const struct gavel_policy *g, struct gavel_pool *pool,
                        const struct hs_view *v, struct hs_plan *p)
{
    const int64_t now_us = hs_view_now_us(v), next_us = pool->next_us;
    if (pool->count == 0) {
        pool->boundary_us = -1;
        pool->next_us = INT64_MAX;
    } else if (pool->boundary_us < 0 || now_us == pool->next_us) {
        begin_round(g, pool, v, p);
    } else if (pool->is_woken) {
        const int64_t rounds = (now_us - pool->boundary_us + g->round_us - 1) / g->round_us;
        pool->next_us = pool->boundary_us + rounds * g->round_us;
        if (pool->next_us == now_us) {
            begin_round(g, pool, v, p);
        } else if (g->refills) {
            choose(g, pool, v, true);
            (void)place_chosen(g, pool, v, p);
        }
    }
    pool->is_woken = false;
    if (pool->next_us != next_us && pool->next_us != INT64_MAX)
        hs_plan_timer(p, pool->next_us, 0);
}

static enum hs_status gavel_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct gavel_policy *g = state;
    hs_vc_queues_scan(&g->cpu_jobs, v, p, (struct hs_place_rule){.placer = g->placer});
    FOR_EACH(job, &g->pools[g->pool_count], v)
    {
        hs_plan_reject(p, job, "no GPU type has as many GPUs as its gang");
    }
    for (uint32_t i = 0; i < g->pool_count; i++)
        decide_pool(g, &g->pools[i], v, p);
    return HS_OK;
}

/* ---- jobs ---- */

/* How many GPUs the job may have of one type at once. */
static uint64_t gpus_for(const struct hs_view *v, hs_job_id job, uint32_t type)
{
    uint64_t sum = 0;
    hs_view_search_type(v, type);
    for (uint32_t size = hs_view_node_size(v, job, UINT32_MAX); size > 0;
         size = hs_view_node_size(v, job, size - 1))
        sum += (uint64_t)size * hs_view_node_count(v, job, size, false);
    hs_view_search_type(v, HS_ANY_TYPE);
    return sum;
}

static void come(const struct gavel_policy *g, const struct hs_view *v, hs_job_id job)
{
    struct gavel_job *j = job_of(v, job);
    bool can_run = false;
    j->held = j->chosen = NO_TYPE;
    for (uint32_t t = 0; t < g->types; t++) {
        const uint32_t type = g->type_of[t];
        if (gpus_for(v, job, type) >= hs_view_gpus(v, job))
            j->speed[t] = g->is_aware ? (double)hs_view_speed_q32(v, job, type) / 0x1p32 : 1;
        j->got_us[t] = first_us(g);
        can_run |= j->speed[t] > 0;
    }
    j->pool = !can_run ? g->pool_count : v->vcs_are_apart ? hs_view_vc(v, job) : 0;
    struct gavel_pool *pool = pool_of(g, v, job);
    for (uint32_t t = 0; t < g->types; t++)
        pool->speeds[t] += j->speed[t];
    hs_job_chain_insert(&pool->jobs, v, job, pool->jobs.last);
    pool->count++;
    pool->is_dirty = pool->is_woken = true;
}

static void go(const struct gavel_policy *g, const struct hs_view *v, hs_job_id job)
{
    struct gavel_pool *pool = pool_of(g, v, job);
    account(pool, v, job);
    for (uint32_t t = 0; t < g->types; t++)
        pool->speeds[t] -= job_of(v, job)->speed[t];
    hs_job_chain_remove(&pool->jobs, v, job);
    pool->count--;
    pool->is_dirty = pool->is_woken = true;
}

static void gavel_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct gavel_policy *g = state;
    if (event->kind == HS_EVENT_TIMER)
        return;
    if (hs_view_gpus(v, event->job) == 0)
        hs_vc_queues_event(&g->cpu_jobs, v, event, 0);
    else if (event->kind == HS_EVENT_SUBMIT)
        come(g, v, event->job);
    else if (event->kind == HS_EVENT_FINISH)
        go(g, v, event->job);
}

static enum hs_status gavel_init(void *state, const struct hs_view *v)
{
    struct gavel_policy *g = state;
    /* types that nodes have, by name: their numbers do not matter */
    for (uint32_t n = 0; n < v->nodes; n++) {
        const uint32_t type = hs_view_node(v, n)->type;
        const char *name = hs_view_gpu_type(v, type)->name;
        uint32_t at = 0;
        while (at < g->types && strcmp(hs_view_gpu_type(v, g->type_of[at])->name, name) < 0)
            at++;
        if (hs_view_node(v, n)->gpus == 0 || (at < g->types && g->type_of[at] == type))
            continue;
        if (g->types == HS_GAVEL_TYPES)
            return HS_E_LIMIT;
        for (uint32_t i = g->types++; i > at; i--)
            g->type_of[i] = g->type_of[i - 1];
        g->type_of[at] = type;
    }
    hs_vc_queues_init(&g->cpu_jobs, v, HS_SCAN_FIT);
    g->pool_count = v->vcs_are_apart ? v->vcs : 1;
    g->pools = hs_view_alloc(v, (g->pool_count + UINT64_C(1)) * sizeof *g->pools);
    for (uint32_t i = 0; i <= g->pool_count; i++)
        g->pools[i] =
            (struct gavel_pool){.jobs = hs_job_chain_empty(offsetof(struct gavel_job, chain)),
                                .boundary_us = -1,
                                .next_us = INT64_MAX,
                                .solved_us = -1};
    for (uint32_t n = 0; n < v->nodes; n++) {
        const struct hs_node *node = hs_view_node(v, n);
        for (uint32_t t = 0; t < g->types; t++)
            if (g->type_of[t] == node->type)
                g->pools[v->vcs_are_apart ? node->vc : 0].gpus[t] += node->gpus;
    }
    return HS_OK;
}

static void gavel_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct gavel_policy *g = state;
    (void)can;
    if (!g->is_aware)
        *knows &= ~(uint32_t)HS_KNOWS_SPEED;
    if (g->objective != HS_GAVEL_FTF && g->objective != HS_GAVEL_MAKESPAN)
        *knows &= ~(uint32_t)HS_KNOWS_DURATION;
}

static void gavel_semantics(const void *state, struct hs_semantics *out)
{
    static const char *const orders[] = {
        [HS_GAVEL_LAS] = "shares by max-min fairness, rounds",
        [HS_GAVEL_FIFO] = "submit, rounds",
        [HS_GAVEL_ISOLATED] = "equal shares, rounds",
        [HS_GAVEL_FTF] = "shares by finish-time fairness, rounds",
        [HS_GAVEL_MAKESPAN] = "shares of least makespan, rounds",
        [HS_GAVEL_THROUGHPUT] = "shares of most throughput, rounds",
    };
    const struct gavel_policy *g = state;
    *out = (struct hs_semantics){.order = orders[g->objective],
                                 .scan = g->objective == HS_GAVEL_FIFO ? "strict" : "fit",
                                 .placement = hs_placer_names[g->placer],
                                 .preemption = "evict",
                                 .cost = hs_cost_text(&g->cost, false),
                                 .ties = "what a job is behind its share, its share, submission"};
}

static const char *gavel_check(const void *state, const struct hs_view *v)
{
    const struct gavel_policy *g = state;
    for (uint32_t i = 0; i < g->pool_count; i++) {
        uint64_t count = 0;
        FOR_EACH(job, &g->pools[i], v)
        {
            if ((job_of(v, job)->held == NO_TYPE) != hs_job_waits(v, job))
                return "a job holds GPUs that it was not chosen for";
            count++;
        }
        if (count != g->pools[i].count)
            return "the chain of live jobs is broken";
    }
    return hs_vc_queues_check(&g->cpu_jobs, v);
}

static const struct hs_param params[] = {
    HS_PARAM_CHOICE(struct gavel_policy, objective, "objective", "las", objective_names,
                    "what the shares of time are best for", .source = "Narayanan et al. OSDI'20"),
    HS_PARAM_FLAG(struct gavel_policy, is_aware, "aware", "yes",
                  "by the speeds of jobs on GPU types; else each type counts as the reference"),
    HS_PARAM_DURATION(struct gavel_policy, round_us, "round", "360s", 1, 1e6,
                      "time between boundaries", .source = "OSDI'20 3.2: rounds of 6 minutes"),
    HS_PARAM_DURATION(struct gavel_policy, reset_us, "reset", "0s", 0, 1e7,
                      "least time between solutions, which arrivals and ends ask for"),
    HS_PARAM_FLAG(struct gavel_policy, carries, "carry", "no",
                  "what a job got more than promised counts beyond the next solution"),
    HS_PARAM_FLAG(struct gavel_policy, refills, "refill", "no",
                  "jobs start on free GPUs between boundaries, too"),
    HS_PARAM_FLAG(struct gavel_policy, joins, "classes", "yes",
                  "like jobs are one variable of the linear program: the same optimum, sooner"),
    HS_PARAM_INT(struct gavel_policy, seed, "seed", "0", 0, 1e9,
                 "objective=fifo, aware=no: of the random types of jobs"),
    HS_PARAM_CHOICE(struct gavel_policy, placer, "placement", "consolidate", hs_placer_plain_names,
                    "which free GPUs of the type a gang gets; any, where this finds none"),
    HS_COST_PARAMS(struct gavel_policy, cost),
    {0}};

const struct hs_policy_ops hs_policy_gavel = {
    .name = "gavel",
    .summary = "shares of time on GPU types by a linear program, given in rounds",
    .cite = "Narayanan et al., Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning "
            "Workloads, OSDI'20",
    .can = HS_CAN_PREEMPT | HS_CAN_TIME,
    .knows = HS_KNOWS_SPEED | HS_KNOWS_DURATION,
    .params = params,
    .state_size = sizeof(struct gavel_policy),
    .job_state_size = sizeof(struct gavel_job),
    .needs = gavel_needs,
    .init = gavel_init,
    .on_event = gavel_event,
    .decide = gavel_decide,
    .semantics = gavel_semantics,
    .check = gavel_check,
};
