/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Horus' placement, and the policies that use it or are compared with it (README.md). horus neither
 * preempts nor ages: jobs of high utilization can starve, and large gangs at the head of the queue
 * can block it. The credits of horus+ grow with time alone, hence its timers. pack knows no
 * utilization, so it may co-locate two busy jobs. With a quantum, gandiva-like preempts a job that
 * has run for so long when others wait.
 *
 * A job of one GPU goes to the GPU of least cost, idle or shared, an idle one on ties; a gang to
 * the node whose cheapest GPUs cost least in all, or, if no node has enough, to whole nodes from
 * the one with most room outwards through the racks. Only nodes with enough GPUs that are idle or
 * have memory for one more tenant are looked at; where no shared GPU is as cheap as an idle one
 * that is O(log nodes). Costs are integers, 2^-20; divisions round down. For Horus the cost of a
 * GPU is the memory in use, how far the utilizations on it miss 100 %, and its tenants.
 *
 * Migration, off by default, is described by Horus' authors, but their code never reaches it: at
 * most once in migrate_every, when a GPU is idle, the job of highest predicted utilization (unknown
 * counts as 100 %) on a GPU of more than two tenants moves to it. Single-GPU jobs only.
 *
 * horus-s, our own policy, places by predicted slowdown in place of utilization. The cost of a GPU
 * is the predicted slowdown of the job there plus what it adds to the slowdowns of the tenants; if
 * run times are unknown and alike, that is the completion time that the placement adds, in run
 * times. The job goes where the cost is least. It waits where one of the two parts exceeds
 * slowdown_cap (a window of jobs is tried, so another job may suit that GPU), or where the cost
 * exceeds that of waiting: by Little's law the wait in the queue is GPUs wanted / GPUs held, in run
 * times. With an empty queue a job shares a GPU only at no cost.
 *
 * Jobs of low and of high utilization come before those between, which pair well with each other;
 * but no job is overtaken by one submitted more than `overtake` later. The predicted slowdown
 * beyond 1 is f(own utilization) x g(other's) and adds up over several tenants, so two sums per GPU
 * suffice: of f, the sensitivity of its tenants, and of g, their contentiousness.
 */
#include "policies/horus/hplus_queues.h"
#include "policies/horus/horus_params.h"

#include <math.h>

#define FULL_PM 1000
#define FOLD_PM 400 /* horus-s, chosen by us: results/horus.md */
#define ONE_Q20 (INT64_C(1) << 20)
/* Larger predicted slowdowns count as this, so that the sum of 16 of them stays below 2^31. */
#define EXCESS_MOST_Q20 (127 * ONE_Q20)

enum { UTIL, SENSITIVITY, CONTENTIOUSNESS }; /* sums kept per GPU; only horus-s uses the last two */
enum { INTENDED, ASCODED };
enum { PREDICTED, MEASURED };
enum { BY_UTILIZATION, BY_SUBMISSION };
static const char *const cost_names[] = {"intended", "ascoded", NULL};
static const char *const signal_names[] = {"predicted", "measured", NULL};
static const char *const order_names[] = {"util_asc", "fifo", NULL};

enum horus_kind { HORUS, HORUS_PLUS, HORUS_S, PACK, PACK_ONLY, GANDIVA_LIKE };

/* State of all policies of this file; parameters that a policy does not have are 0. */
struct horus {
    int64_t max_tenants, mem_margin_mib, share_up_to;
    double util_cap; /* per cent; 0 = no cap */
    double w_u_over, w_u_under, w_mem, w_n, w_type;
    int32_t kind; /* enum horus_kind; of the policy */
    int32_t cost, signal, order, types;
    bool migrates;
    int64_t look_ahead, max_starts, wake_period_us, migrate_every_us;
    struct hs_priority priority;
    int64_t quantum_us, suspend_us; /* gandiva-like; quantum 0 = no quantum */
    int64_t overtake_us;            /* horus-s, as these */
    double slowdown_cap, patience;
    struct hs_colocate waiting;     /* horus+ uses only its flags of awake VCs */
    struct hs_hplus_queues hqueues; /* horus+; the parameters end here */
    hs_load_cost *cost_of;          /* its ctx is a struct candidate */
    bool is_blind;                  /* the policy knows no utilization: all are 0 */
    int64_t cap_pm;                 /* util_cap; INT64_MAX = no cap */
    int64_t over_q20, under_q20, mem_q20, tenant_q20; /* weights of the cost */
    int64_t type_q20[HS_GPU_TYPES_MAX]; /* cost of one that is slower than the fastest */
    int64_t migrate_next_us;            /* earliest time of the next migration */
    struct hs_job_queue running;        /* running jobs by the end of their quantum */
    int64_t timer_us;                   /* time of the timer that is set; 0 = none */
    int64_t due_us;                     /* end of the first quantum that begins in this pass */
    uint64_t *wanted_gpus; /* horus-s, else NULL: GPUs that the waiting jobs of each VC need */
    int64_t cap_q20;       /* slowdown_cap - 1 */
    int32_t sensitivity_q20[FULL_PM + 1], contentiousness_q20[FULL_PM + 1]; /* by utilization */
    /* memory of the placement of a gang: the capacity of each node, and the GPUs of one node */
    struct gang_node {
        int64_t cost; /* sum over its `room` cheapest GPUs */
        uint32_t node, room;
        bool is_used;
    } * gang_nodes;
    struct gang_gpu {
        int64_t cost;
        uint32_t id;
    } * gang_gpus;
    int64_t *costs;
    /* Per VC: an unconstrained gang above share_up_to found no idle GPUs, and no worker has left a
     * GPU since; `gpus` is its size. */
    struct idle_blocked {
        uint64_t releases; /* hs_view_releases() at that time, + 1; 0 = no such gang */
        uint32_t gpus;
    } * idle_blocked;
};

/* A job to be placed. Unknown utilization counts as 100 %, unknown memory as 0. */
struct candidate {
    struct horus *h;
    const struct hs_view *v;
    struct hs_plan *p;
    hs_job_id id;
    uint32_t gpus, type; /* type: to which searches are limited; HS_ANY_TYPE */
    int64_t util_pm, util_peak_pm, mem_mib;
    int64_t wait_q20; /* horus-s: the wait in the queue, in run times */
};

/* ---- costs ---- */

/* Rounded to 2^-20. */
static int64_t as_q20(double w)
{
    return (int64_t)(w * (1 << 20) + (w < 0 ? -0.5 : 0.5));
}

/* 0 where the capacity is not known. */
static int64_t cost_of_memory(int64_t w_q20, int64_t mib, uint32_t capacity_mib)
{
    return capacity_mib == 0 ? 0 : w_q20 * mib / capacity_mib;
}

/* Whether the memory and utilization of some GPU of the range admit the job; true for idle GPUs. */
static bool may_join(const struct candidate *c, const struct hs_load_range *r)
{
    const struct hs_load *least = &r->least;
    if (least->tenants == 0)
        return true;
    if (r->capacity_mib > 0 &&
        least->claim_mib + c->mem_mib + c->h->mem_margin_mib >= (int64_t)r->capacity_mib)
        return false;
    return least->sum[0] + c->util_pm <= c->h->cap_pm;
}

static int64_t load_pm(const struct horus *h, const struct hs_load *load)
{
    return h->signal == MEASURED ? (int64_t)load->measured_pm : load->sum[0];
}

static int64_t horus_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct candidate *c = ctx;
    const struct horus *h = c->h;
    if (!may_join(c, r))
        return HS_NEVER;
    int64_t cost = h->tenant_q20 * r->least.tenants + h->type_q20[r->gpu_type];
    /* smallest distance of the utilization from 100 % within the range */
    int64_t over = load_pm(h, &r->least) + c->util_peak_pm - FULL_PM;
    int64_t under = FULL_PM - load_pm(h, &r->most) - c->util_peak_pm;
    if (over > 0)
        cost += h->over_q20 * over / FULL_PM;
    else if (under > 0)
        cost += h->under_q20 * under / FULL_PM;
    int64_t claim_mib = r->least.claim_mib, mem_mib = c->mem_mib;
    if (h->cost == INTENDED)
        return cost + cost_of_memory(h->mem_q20, claim_mib + mem_mib, r->capacity_mib);
    return cost + (r->capacity_mib > 0 ? h->mem_q20 * claim_mib : 0) +
           cost_of_memory(h->mem_q20, mem_mib, r->capacity_mib);
}

/* Minus the share of memory in use: the fullest GPU is cheapest. */
static int64_t pack_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct candidate *c = ctx;
    if (!may_join(c, r))
        return HS_NEVER;
    int64_t claim_mib = r->most.claim_mib;
    return r->capacity_mib == 0 ? -claim_mib : -(claim_mib * (1 << 20) / r->capacity_mib);
}

/* Utilization of the tenants; 0 for an idle GPU. */
static int64_t pack_only_cost(const void *ctx, const struct hs_load_range *r)
{
    return may_join(ctx, r) ? r->least.sum[0] : HS_NEVER;
}

static int64_t like_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct candidate *c = ctx;
    if (!may_join(c, r))
        return HS_NEVER;
    int64_t util_pm = load_pm(c->h, &r->least), mem_mib = r->least.claim_mib + c->mem_mib;
    util_pm = util_pm < FULL_PM ? util_pm : FULL_PM;
    return cost_of_memory(c->h->mem_q20, mem_mib, r->capacity_mib) + util_pm * (1 << 20) / FULL_PM +
           c->h->tenant_q20 * r->least.tenants;
}

static int64_t slowdown_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct candidate *c = ctx;
    const struct horus *h = c->h;
    int64_t own_q20 = (int64_t)h->sensitivity_q20[c->util_pm] * r->least.sum[CONTENTIOUSNESS] >> 20;
    int64_t rest_q20 =
        (int64_t)h->contentiousness_q20[c->util_pm] * r->least.sum[SENSITIVITY] >> 20;
    bool is_slow =
        own_q20 > h->cap_q20 || rest_q20 > h->cap_q20 || own_q20 + rest_q20 > c->wait_q20;
    return is_slow || !may_join(c, r) ? HS_NEVER : own_q20 + rest_q20;
}

/* Predicted utilization, per mille; unknown counts as 100 %. */
static int64_t known_pm(int32_t predicted_pm)
{
    return predicted_pm >= 0 ? predicted_pm : FULL_PM;
}

static int64_t utilization_pm(const struct hs_view *v, hs_job_id job)
{
    return known_pm(hs_view_util_pm(v, job));
}

static uint32_t horus_tenants(const void *state)
{
    return (uint32_t)((const struct horus *)state)->max_tenants;
}

static bool horus_load(const void *state, const struct hs_view *v, hs_job_id job,
                       int32_t sum[HS_LOADS])
{
    const struct horus *h = state;
    sum[UTIL] = h->is_blind ? 0 : (int32_t)utilization_pm(v, job);
    sum[SENSITIVITY] = h->sensitivity_q20[sum[UTIL]];
    sum[CONTENTIOUSNESS] = h->contentiousness_q20[sum[UTIL]];
    return (int64_t)hs_view_gpus(v, job) <= h->share_up_to;
}

static int64_t excess_q20(const struct hs_view *v, int32_t own_pm, int32_t beside_pm)
{
    return (int64_t)(hs_view_slowdown_q32(v, own_pm, beside_pm) >> 12) - ONE_Q20;
}

/* horus-s: tabulates the two factors of the predicted slowdown. */
static void init_slowdowns(struct horus *h, const struct hs_view *v)
{
    int64_t full_q20 = excess_q20(v, FULL_PM, FULL_PM);
    for (int32_t pm = 0; pm <= FULL_PM; pm++) {
        int64_t excess = excess_q20(v, pm, FULL_PM);
        h->sensitivity_q20[pm] = (int32_t)(excess < EXCESS_MOST_Q20 ? excess : EXCESS_MOST_Q20);
        h->contentiousness_q20[pm] =
            full_q20 > 0 ? (int32_t)(excess_q20(v, FULL_PM, pm) * ONE_Q20 / full_q20) : 0;
    }
    h->cap_q20 = as_q20(h->slowdown_cap - 1);
    h->wanted_gpus = hs_view_alloc(v, v->vcs * sizeof *h->wanted_gpus);
}

/* What the policies differ in besides parameters; order: NULL = by these; placement: by types. */
static const struct {
    hs_load_cost *cost_of;
    const char *order;
    const char *const *placement;
} kinds[] = {
    [HORUS] = {horus_cost, NULL, HS_TYPES_TEXTS("horus")},
    [HORUS_PLUS] = {horus_cost, "queues by credit, utilization", HS_TYPES_TEXTS("horus")},
    [HORUS_S] = {slowdown_cost, "submit, utilization", HS_TYPES_TEXTS("predicted slowdown")},
    [PACK] = {pack_cost, NULL, HS_TYPES_TEXTS("pack")},
    [PACK_ONLY] = {pack_only_cost, NULL, HS_TYPES_TEXTS("lowest utilization")},
    [GANDIVA_LIKE] = {like_cost, NULL, HS_TYPES_TEXTS("gandiva-like")},
};

static enum hs_status horus_init(void *state, const struct hs_view *v)
{
    struct horus *h = state;
    h->cost_of = kinds[h->kind].cost_of;
    h->over_q20 = as_q20(h->w_u_over);
    h->under_q20 = as_q20(h->w_u_under);
    h->mem_q20 = as_q20(h->w_mem);
    h->tenant_q20 = as_q20(h->w_n);
    h->is_blind = h->kind == PACK;
    h->cap_pm = h->util_cap > 0 ? (int64_t)(h->util_cap * 10 + 0.5) : INT64_MAX;
    h->idle_blocked = hs_view_alloc(v, v->vcs * sizeof *h->idle_blocked);
    h->gang_nodes = hs_view_alloc(v, (uint64_t)v->nodes * sizeof *h->gang_nodes);
    h->gang_gpus = hs_view_alloc(v, v->max_node_gpus * sizeof *h->gang_gpus);
    h->costs = hs_view_alloc(v, v->max_node_gpus * sizeof *h->costs);
    hs_vc_queues_init(&h->waiting.queue, v, HS_SCAN_FIT);
    HS_TRY(hs_vc_queues_prioritize(&h->waiting.queue, v, &h->priority, NULL));
    if (h->hqueues.queues > 0)
        hs_hplus_queues_init(&h->hqueues, v);
    if (h->slowdown_cap > 0)
        init_slowdowns(h, v);
    return HS_OK;
}

/* Wait in the queue of the VC by Little's law, in run times; INT64_MAX if it exceeds every cost
 * that the caps admit. */
static int64_t wait_q20(const struct horus *h, const struct hs_view *v, uint32_t vc)
{
    uint64_t held = hs_view_total_gpus(v, vc) - hs_view_free_gpus(v, vc);
    double wait = h->patience * (double)h->wanted_gpus[vc];
    if (wait * (double)ONE_Q20 >= 2 * (double)h->cap_q20 * (double)held)
        return INT64_MAX;
    return (int64_t)(wait * (double)ONE_Q20 / (double)held);
}

/* ---- the queue ---- */

static void horus_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct horus *h = state;
    *can &= HS_CAN_COLOCATE | (h->migrates ? HS_CAN_MIGRATE : 0) |
            (h->quantum_us > 0 ? HS_CAN_PREEMPT : 0) |
            (h->max_starts > 0 || h->quantum_us > 0 || h->hqueues.queues > 0 ? HS_CAN_TIME : 0);
    *knows &= HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_SPEED |
              (h->signal == MEASURED ? HS_KNOWS_RATE : 0);
    if (h->w_type <= 0)
        hs_place_needs((struct hs_place_rule){.types = h->types}, knows);
}

static bool is_by_utilization(const struct horus *h)
{
    return h->look_ahead > 0 && h->order == BY_UTILIZATION && h->slowdown_cap == 0;
}

/* Order of horus-s: submission plus up to `overtake` for jobs that pair badly, so that no job is
 * overtaken without limit. Jobs that pair well with many others come first: those of low
 * utilization, and those of high utilization, which pair with the former. The delay is largest at
 * FOLD_PM. */
static int64_t pairing_key(const struct horus *h, const struct hs_view *v, hs_job_id job)
{
    int64_t pm = utilization_pm(v, job);
    int64_t unfit_pm = pm <= FOLD_PM ? pm : (FULL_PM - pm) * FOLD_PM / (FULL_PM - FOLD_PM);
    return hs_view_submit_us(v, job) + h->overtake_us / FOLD_PM * unfit_pm;
}

/* The quantum begins when the cost that the job owes is paid, so that it makes progress in every
 * turn, however short the quantum. */
static int64_t end_of_quantum_us(const struct horus *h, const struct hs_view *v, hs_job_id job)
{
    return hs_view_now_us(v) + hs_view_cost_left_us(v, job) + h->quantum_us;
}

/* horus+ */
static void plus_event(struct horus *h, const struct hs_view *v, const struct hs_event *event)
{
    if (event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_STOPPED)
        hs_hplus_queues_add(&h->hqueues, v, event->job, utilization_pm(v, event->job));
    else if (event->kind == HS_EVENT_FINISH)
        hs_hplus_queues_remove(&h->hqueues, v, event->job);
    if (event->kind != HS_EVENT_STARTED && event->kind != HS_EVENT_PROGRESS)
        hs_vc_queues_wake(&h->waiting.queue, v, event->job); /* all, by a timer or a node */
}

static void horus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct horus *h = state;
    hs_job_id job = event->job;
    if (h->kind == HORUS_PLUS) {
        plus_event(h, v, event);
        return;
    }
    bool has_run = event->kind == HS_EVENT_STOPPED ||
                   (event->kind == HS_EVENT_FINISH && hs_view_first_start_us(v, job) >= 0);
    if (h->quantum_us > 0) {
        if (has_run)
            hs_job_queue_remove(&h->running, v, job);
        else if (event->kind == HS_EVENT_STARTED)
            hs_job_queue_add(&h->running, v, job, end_of_quantum_us(h, v, job));
    }
    if (job == HS_NO_JOB) { /* a timer or a node */
        hs_vc_queues_wake(&h->waiting.queue, v, HS_NO_JOB);
        return;
    }
    int64_t key = 0;
    if (h->wanted_gpus != NULL) {
        bool comes = event->kind == HS_EVENT_SUBMIT || event->kind == HS_EVENT_STOPPED;
        bool is_rejected = event->kind == HS_EVENT_FINISH && hs_job_queue_has(v, job);
        key = pairing_key(h, v, job);
        h->wanted_gpus[hs_view_vc(v, job)] += comes ? hs_view_gpus(v, job) : 0;
        h->wanted_gpus[hs_view_vc(v, job)] -= is_rejected ? hs_view_gpus(v, job) : 0;
    } else if (is_by_utilization(h)) {
        key = utilization_pm(v, job);
    } else if (h->quantum_us > 0) { /* a preempted job goes to the end of the queue */
        key = hs_view_now_us(v);
    }
    hs_colocate_event(&h->waiting.queue, v, event, key);
}

/* ---- placement ---- */

/* The node with enough idle GPUs on which an idle GPU costs least: the fullest node of each type is
 * considered; at equal costs the one with fewer idle GPUs, then the lowest id. *least: smallest
 * cost of an idle GPU on any node. */
static uint32_t cheapest_idle(const struct candidate *c, int64_t *best_cost, int64_t *least)
{
    uint32_t best = HS_NO_NODE, best_free = 0;
    *best_cost = *least = HS_NEVER;
    const bool is_any = c->type == HS_ANY_TYPE;
    const uint32_t end = is_any ? c->v->gpu_types : c->type + 1;
    for (uint32_t type = is_any ? 0 : c->type; type < end; type++) {
        uint32_t node = hs_best_fit_of(c->v, c->id, c->gpus, type, c->h->types);
        if (node == HS_NO_NODE && hs_best_fit_of(c->v, c->id, 1, type, c->h->types) == HS_NO_NODE)
            continue;
        const struct hs_load_range idle = {.capacity_mib = hs_view_gpu_type(c->v, type)->mem_mib,
                                           .gpu_type = type};
        int64_t cost = c->h->cost_of(c, &idle);
        uint32_t free_gpus = node == HS_NO_NODE ? 0 : hs_view_node_free(c->v, node);
        bool is_fuller = best != HS_NO_NODE && cost == *best_cost &&
                         (free_gpus < best_free || (free_gpus == best_free && node < best));
        *least = cost < *least ? cost : *least;
        if (node == HS_NO_NODE || (cost >= *best_cost && !is_fuller))
            continue;
        best = node;
        best_free = free_gpus;
        *best_cost = cost;
    }
    hs_view_search_type(c->v, c->type, true);
    return best;
}

static bool place_one(const struct candidate *c)
{
    int64_t cost, least;
    uint32_t node = cheapest_idle(c, &cost, &least);
    uint32_t gpu = hs_view_cheapest_shared(c->v, c->id, c->h->cost_of, c, least, &least);
    bool is_beside = gpu != HS_NO_GPU;
    if (!is_beside && node != HS_NO_NODE)
        gpu = hs_view_idle_gpu(c->v, node, 0);
    if (gpu == HS_NO_GPU)
        return false;
    hs_plan_reason(c->p, !is_beside           ? "on an idle GPU: the cheapest for it"
                         : node == HS_NO_NODE ? "beside others: no GPU is idle for it"
                                              : "beside others: cheaper than an idle GPU");
    hs_plan_start(c->p, c->id);
    hs_plan_on_gpu(c->p, gpu);
    return true;
}

/* ---- gangs ---- */

/* Finds the cheapest GPUs of a node, as many as the gang needs, and puts them into gang_gpus in
 * order of (cost, id). Insertion sort: a node has few GPUs. */
static struct gang_node judge_node(const struct candidate *c, uint32_t node)
{
    struct gang_gpu *best = c->h->gang_gpus;
    uint32_t workers = hs_view_node_workers(c->v, c->id, node);
    uint32_t size = hs_view_node(c->v, node)->gpus, first = hs_view_node(c->v, node)->first_gpu;
    uint32_t most = c->gpus < size ? c->gpus : size;
    struct gang_node n = {.node = node};
    if (workers == 0)
        return n;
    most = workers < most ? workers : most;
    hs_view_node_costs(c->v, c->id, node, c->h->cost_of, c, c->h->costs);
    for (uint32_t i = 0; i < size; i++) {
        int64_t cost = c->h->costs[i];
        if (cost == HS_NEVER || (n.room == most && cost >= best[most - 1].cost))
            continue;
        uint32_t at = n.room < most ? n.room++ : most - 1;
        for (; at > 0 && best[at - 1].cost > cost; at--)
            best[at] = best[at - 1];
        best[at] = (struct gang_gpu){cost, first + i};
    }
    for (uint32_t i = 0; i < n.room; i++)
        n.cost += best[i].cost;
    return n;
}

/* Adds the first `gpus` GPUs of the last call of judge_node to the plan. */
static void take(const struct candidate *c, uint32_t gpus)
{
    for (uint32_t i = 0; i < gpus; i++)
        hs_plan_on_gpu(c->p, c->h->gang_gpus[i].id);
}

static bool place_on_one(const struct candidate *c)
{
    int64_t cost, least;
    uint32_t idle = cheapest_idle(c, &cost, &least), node;
    /* Skip the search where no node can be cheaper: this one has the cheapest idle GPUs, and every
     * shared GPU costs more. */
    if (idle != HS_NO_NODE &&
        (cost > least ||
         hs_view_cheapest_shared(c->v, c->id, c->h->cost_of, c, least + 1, &least) != HS_NO_GPU))
        idle = HS_NO_NODE;
    node = idle != HS_NO_NODE ? idle
                              : hs_view_cheapest_node(c->v, c->id, (uint32_t)c->h->mem_margin_mib,
                                                      c->h->cost_of, c);
    if (node == HS_NO_NODE)
        return false;
    hs_plan_reason(c->p, "on the cheapest node that can hold it");
    hs_plan_start(c->p, c->id);
    if (idle != HS_NO_NODE)
        hs_plan_on_node(c->p, node, c->gpus);
    else
        take(c, judge_node(c, node).room);
    return true;
}

static bool is_better(const struct candidate *c, const struct gang_node *a,
                      const struct gang_node *b)
{
    if (a->room != b->room)
        return a->room > b->room;
    return a->cost != b->cost ? a->cost < b->cost
                              : hs_place_node_is_before(c->v, c->h->types, a->node, b->node);
}

/* Judges every node with room, into gang_nodes, and returns their number. *anchor: the node with
 * most room, or HS_NO_NODE if all together have too little. */
static uint32_t judge_all(const struct candidate *c, uint32_t *anchor)
{
    const uint32_t margin_mib = (uint32_t)c->h->mem_margin_mib;
    struct gang_node *nodes = c->h->gang_nodes;
    uint64_t room = 0;
    uint32_t count = 0, best = 0;
    uint32_t node = hs_view_find_node(c->v, c->id, margin_mib, 0);
    for (; node != HS_NO_NODE; node = hs_view_find_node(c->v, c->id, margin_mib, node + 1)) {
        const struct gang_node n = judge_node(c, node);
        if (n.room == 0)
            continue;
        if (count == 0 || is_better(c, &n, &nodes[best]))
            best = count;
        nodes[count++] = n;
        room += n.room;
    }
    *anchor = room >= c->gpus ? nodes[best].node : HS_NO_NODE;
    return count;
}

static bool is_next(const struct candidate *c, const struct gang_node *a, const struct gang_node *b,
                    uint32_t anchor)
{
    uint32_t rack = hs_view_node(c->v, anchor)->rack;
    uint32_t x = hs_view_node(c->v, a->node)->rack, y = hs_view_node(c->v, b->node)->rack;
    x = x > rack ? x - rack : rack - x;
    y = y > rack ? y - rack : rack - y;
    return x != y ? x < y : is_better(c, a, b);
}

/* Places the gang on whole nodes, beginning at the anchor and going on by distance of racks.
 * O(nodes with room x nodes taken). */
static bool place_spread(const struct candidate *c)
{
    struct gang_node *nodes = c->h->gang_nodes;
    uint32_t anchor, count = judge_all(c, &anchor), rest = c->gpus;
    if (anchor == HS_NO_NODE)
        return false;
    hs_plan_reason(c->p, "spread: no node can hold all of it");
    hs_plan_start(c->p, c->id);
    while (rest > 0) {
        struct gang_node *next = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (!nodes[i].is_used && (next == NULL || is_next(c, &nodes[i], next, anchor)))
                next = &nodes[i];
        next->is_used = true;
        uint32_t gpus = next->room < rest ? next->room : rest;
        (void)judge_node(c, next->node);
        take(c, gpus);
        rest -= gpus;
    }
    return true;
}

/* ---- jobs ---- */

/* The smallest unconstrained gang of the VC that would find no idle GPUs, as would all larger ones,
 * because one failed and no GPU was released since; UINT32_MAX: not known. */
static uint32_t blocked_gpus(const void *state, const struct hs_view *v, uint32_t vc)
{
    const struct idle_blocked *blocked = &((const struct horus *)state)->idle_blocked[vc];
    return blocked->releases == hs_view_releases(v) + 1 ? blocked->gpus : UINT32_MAX;
}

/* Starts the job, or leaves the plan unchanged and returns false. */
static bool place_candidate(const struct candidate *c)
{
    uint32_t vc = hs_view_vc(c->v, c->id);
    hs_plan_reason(c->p, NULL);
    if (c->gpus == 0 || (int64_t)c->gpus > c->h->share_up_to) { /* shares no GPU */
        bool is_placed =
            hs_place(c->v, c->p, c->id, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE});
        if (!is_placed && c->gpus > 0 && !hs_view_is_constrained(c->v, c->id) &&
            c->h->types == HS_TYPES_ANY)
            c->h->idle_blocked[vc] =
                (struct idle_blocked){.releases = hs_view_releases(c->v) + 1, .gpus = c->gpus};
        return is_placed;
    }
    if (hs_view_quota_room(c->v, vc) < c->gpus)
        return false;
    if (c->gpus == 1)
        return place_one(c);
    return hs_view_find_at_cost(c->v, c->id, c->h->cost_of, c, c->gpus) >= c->gpus &&
           (place_on_one(c) || place_spread(c));
}

static bool place(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    struct horus *h = state;
    uint32_t gpus = hs_view_gpus(v, id), vc = hs_view_vc(v, id);
    if ((int64_t)gpus > h->share_up_to && !hs_view_is_constrained(v, id) &&
        gpus >= blocked_gpus(h, v, vc))
        return false;
    double fastest = 0; /* predicted speed, by which the cost of the types for the job counts */
    for (uint32_t t = 0; h->w_type > 0 && t < v->gpu_types; t++)
        fastest = fmax(fastest, (double)hs_view_speed_q32(v, id, t));
    for (uint32_t t = 0; h->w_type > 0 && t < v->gpu_types; t++)
        h->type_q20[t] = as_q20(h->w_type * (1 - (double)hs_view_speed_q32(v, id, t) / fastest));
    struct candidate c = {
        .h = h,
        .v = v,
        .p = p,
        .id = id,
        .gpus = gpus,
        .util_pm = h->is_blind ? 0 : utilization_pm(v, id),
        .util_peak_pm = h->is_blind ? 0 : known_pm(hs_view_util_peak_pm(v, id)),
        .mem_mib = hs_view_gpu_mem_mib(v, id),
        .wait_q20 = h->wanted_gpus != NULL ? wait_q20(h, v, vc) : 0,
    };
    struct hs_type_turns turns = hs_type_turns(v, id, h->types);
    bool is_placed = false;
    while (hs_next_type(&turns, v, is_placed)) {
        c.type = turns.type;
        is_placed = place_candidate(&c);
    }
    if (!is_placed)
        return false;
    if (h->wanted_gpus != NULL)
        h->wanted_gpus[vc] -= gpus;
    int64_t end_us = end_of_quantum_us(h, v, id);
    h->due_us = end_us < h->due_us ? end_us : h->due_us;
    return true;
}

/* ---- migration ---- */

/* Moves the single-GPU job of highest utilization on a crowded GPU to an idle GPU; ties go to the
 * first GPU and its later tenant. Returns whether a job was moved, since another may then start in
 * its place. O(GPUs) while a GPU is idle and no job was moved within `migrate_every`. */
static bool migrate(struct horus *h, const struct hs_view *v, struct hs_plan *p)
{
    if (!h->migrates || hs_view_now_us(v) < h->migrate_next_us)
        return false;
    bool is_a_gpu_idle = false;
    for (uint32_t vc = 0; vc < v->vcs; vc++)
        is_a_gpu_idle = is_a_gpu_idle || hs_view_free_gpus(v, vc) > 0;
    if (!is_a_gpu_idle)
        return false;
    hs_job_id moved = HS_NO_JOB;
    uint32_t from = 0, to_node = 0, last = v->nodes - 1;
    uint32_t gpus = hs_view_node(v, last)->first_gpu + hs_view_node(v, last)->gpus;
    int64_t most_pm = -1;
    for (uint32_t g = 0; g < gpus; g++)
        for (uint32_t i = 0, n = hs_view_gpu_tenants(v, g); n > 2 && i < n; i++) {
            const hs_job_id job = hs_view_gpu_tenant(v, g, i);
            int64_t util_pm = utilization_pm(v, job);
            bool is_worth_it = hs_view_gpus(v, job) == 1 && util_pm > most_pm;
            uint32_t node = is_worth_it ? hs_view_best_fit(v, job, 1) : HS_NO_NODE;
            if (node == HS_NO_NODE)
                continue;
            moved = job;
            from = g;
            to_node = node;
            most_pm = util_pm;
        }
    if (moved == HS_NO_JOB)
        return false;
    /* 0.3 s + 1.6 s/GB within a server, + 2.4 s/GB across (MODEL.md 7); a MiB is 1.048576e-3 GB,
     * and 1048576 / 1000000 = 16384 / 15625. */
    int64_t ms_per_gb = hs_view_gpu_node(v, from) == to_node ? 1600 : 1600 + 2400;
    int64_t pause_us = 300000 + hs_view_gpu_mem_mib(v, moved) * ms_per_gb * 16384 / 15625;
    hs_plan_reason(p, "the busiest on a crowded GPU: to an idle one");
    hs_plan_migrate(p, moved, pause_us);
    hs_plan_on_gpu(p, hs_view_idle_gpu(v, to_node, 0));
    hs_plan_reason(p, NULL);
    h->migrate_next_us = hs_view_now_us(v) + h->migrate_every_us;
    return true;
}

/* ---- quanta ---- */

/* Preempts jobs whose quantum has ended if waiting jobs could use their GPUs; else gives them
 * another quantum. */
static void end_quanta(struct horus *h, const struct hs_view *v, struct hs_plan *p)
{
    const struct hs_vc_queues *q = &h->waiting.queue;
    int64_t now_us = hs_view_now_us(v);
    hs_job_id job = hs_job_queue_first(&h->running), next;
    for (; job != HS_NO_JOB && hs_job_queue_key(v, job) <= now_us; job = next) {
        bool is_wanted = false;
        next = hs_job_queue_next(&h->running, v, job);
        for (uint32_t vc = 0; vc < q->vcs; vc++)
            if (q->by_vc[vc].count > 0 && (vc == hs_view_vc(v, job) || !v->vcs_are_apart))
                is_wanted = hs_view_gpus(v, job) > 0;
        if (is_wanted) {
            hs_plan_reason(p, "its quantum is over, and others wait");
            hs_plan_preempt(p, job, h->suspend_us);
            h->due_us = now_us; /* it may start again at once where no other job takes its GPUs */
        } else {
            hs_job_queue_remove(&h->running, v, job);
            hs_job_queue_add(&h->running, v, job, now_us + h->quantum_us);
        }
    }
}

static enum hs_status horus_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct horus *h = state;
    uint64_t most = h->waiting.scan == HS_SCAN_STRICT ? 1 : UINT64_MAX;
    const struct hs_colocate_rule rule = {.place = place,
                                          .state = h,
                                          .blocked_gpus = blocked_gpus,
                                          .max_refusals =
                                              h->look_ahead > 0 ? (uint64_t)h->look_ahead : most,
                                          .max_starts = (uint32_t)h->max_starts};
    if (h->kind == HORUS_PLUS) {
        hs_hplus_queues_scan(&h->hqueues, v, p, &h->waiting.queue, &rule);
        return HS_OK;
    }
    h->due_us = INT64_MAX;
    if (migrate(h, v, p))
        hs_vc_queues_wake(&h->waiting.queue, v, HS_NO_JOB);
    end_quanta(h, v, p);
    uint32_t starts = hs_colocate_scan(&h->waiting.queue, v, p, &rule);
    if (h->max_starts > 0 && starts > 0) /* the scan may have been cut short */
        hs_plan_timer(p, hs_view_now_us(v) + h->wake_period_us, 0);
    if (h->quantum_us == 0)
        return HS_OK;
    /* Set the timer for the first end of a quantum, of running jobs and of those started now; a key
     * in the past belongs to a job that was just preempted. */
    int64_t now_us = hs_view_now_us(v), due_us = h->due_us;
    hs_job_id job = hs_job_queue_first(&h->running);
    if (job != HS_NO_JOB && hs_job_queue_key(v, job) < due_us)
        due_us = hs_job_queue_key(v, job);
    due_us = due_us > now_us ? due_us : now_us;
    if (due_us < INT64_MAX && (due_us == now_us || h->timer_us <= now_us || due_us < h->timer_us)) {
        hs_plan_timer(p, due_us, 0);
        h->timer_us = due_us;
    }
    return HS_OK;
}

static void horus_semantics(const void *state, struct hs_semantics *out)
{
    const struct horus *h = state;
    const char *order = kinds[h->kind].order;
    if (order == NULL)
        order = is_by_utilization(h) ? "utilization" : "submit";
    const char *const *as_coded = HS_TYPES_TEXTS("horus-ascoded"); /* lives as long as this block */
    const char *scan = h->look_ahead > 0 ? "look-ahead" : hs_scan_names[h->waiting.scan];
    const char *moves = h->quantum_us > 0 ? "quantum" : "none";
    const char *cost = h->quantum_us > 0 ? "fixed" : "none";
    *out = (struct hs_semantics){
        .order = order,
        .scan = scan,
        .placement = (h->cost == ASCODED ? as_coded : kinds[h->kind].placement)[h->types],
        .preemption = h->migrates ? "migrate" : moves,
        .cost = h->migrates ? "memory" : cost,
        .priority = hs_priority_text(&h->priority)};
}

static const char *horus_check(const void *state, const struct hs_view *v)
{
    const struct horus *h = state;
    const char *broken = hs_hplus_queues_check(&h->hqueues, v);
    return broken != NULL ? broken : hs_vc_queues_check(&h->waiting.queue, v);
}

/* ---- parameters ---- */

#define KIND(of) HS_PARAM_END(struct horus, kind, of)

#define IN_ORDER                                                                                   \
    HS_COLOCATE_SCAN(struct horus, waiting), HS_PRIORITY_ORDER_PARAMS(struct horus, priority)

static const struct hs_param pack_params[] = {IN_ORDER, LIMIT_PARAMS("2"), KIND(PACK)};
static const struct hs_param gandiva_pack_only_params[] = {IN_ORDER, LIMIT_PARAMS("2"),
                                                           KIND(PACK_ONLY)};
static const struct hs_param colocate_fifo_params[] = {IN_ORDER, COST_PARAMS, {0}};

static const struct hs_param gandiva_like_params[] = {
    IN_ORDER,
    SIGNAL_PARAM("utilization of a GPU: predicted sum of its tenants, or measured on it",
                 .source = "predicted: the authors' simulator sums the telemetry of the tasks"),
    MEMORY_WEIGHT_PARAM,
    TENANT_WEIGHT_PARAM,
    HS_PARAM_DURATION(struct horus, quantum_us, "quantum", "0s", 0, 1e9,
                      "a job is suspended after this time of progress if others wait; 0: never",
                      .floor = 1, /* below a second each quantum would be an event of each job */
                      .source = "the authors' simulator: 100 ticks of about a minute"),
    HS_PARAM_DURATION(struct horus, suspend_us, "suspend", "0.1s", 0, 1e6,
                      "with quantum: time of a suspension and resumption",
                      .source = "Xiao et al., Gandiva, OSDI'18"),
    LIMIT_PARAMS("2"),
    KIND(GANDIVA_LIKE)};

static const struct hs_param horus_params[] = {
    HS_PARAM_CHOICE(struct horus, order, "order", "util_asc", order_names,
                    "order of waiting jobs: least predicted utilization first, or by submission",
                    .source = "util_asc: the authors' simulator"),
    HS_PRIORITY_ORDER_PARAMS(struct horus, priority),
    LOOK_AHEAD_PARAM("5", "5: " AUTHORS),
    HS_PARAM_INT(struct horus, max_starts, "max_starts", "0", 0, 1000000,
                 "most starts at one instant; 0: no limit (1, with tick: the authors' loop)",
                 .unit = "jobs"),
    HS_PARAM_DURATION(struct horus, wake_period_us, "tick", "60s", 1, 86400,
                      "with max_starts: time between two instants of starts",
                      .source = "60 s: the authors' simulator counts minutes"),
    COST_PARAMS,
    HS_PARAM_FLAG(
        struct horus, migrates, "migrate", "no",
        "move the job of highest utilization from a GPU with more than two jobs to an idle GPU",
        .source = "the authors' intention; never reached in their simulator"),
    HS_PARAM_DURATION(struct horus, migrate_every_us, "migrate_every", "5min", 1, 1e9,
                      "least time between two moves"),
    {0}};

static const struct hs_param horus_plus_params[] = {LOOK_AHEAD_PARAM("5", "5: " AUTHORS),
                                                    HS_HPLUS_PARAMS(struct horus, hqueues),
                                                    COST_PARAMS, KIND(HORUS_PLUS)};

#define OURS "ours: results/horus.md"
static const struct hs_param horus_s_params[] = {
    HS_PRIORITY_ORDER_PARAMS(struct horus, priority),
    LOOK_AHEAD_PARAM("1000000", OURS),
    HS_PARAM_DURATION(struct horus, overtake_us, "overtake", "6h", 0, 1e9,
                      "jobs that pair well may overtake jobs submitted up to this much earlier",
                      .source = OURS),
    HS_PARAM_REAL(struct horus, slowdown_cap, "slowdown_cap", "1.35", 1, 1000,
                  "limit on the predicted slowdown of a candidate, and on what it adds to all jobs "
                  "of its GPUs together",
                  .source = OURS),
    HS_PARAM_REAL(
        struct horus, patience, "patience", "10", 0, 1e9,
        "a job waits if it would add more slowdown than this times requested GPUs / allocated GPUs",
        .source = OURS),
    LIMIT_PARAMS("3"),
    KIND(HORUS_S)};

/* ---- the policies ---- */

#define ALL_KNOWN (HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE | HS_KNOWS_SPEED)

/* may, known: what it may do and know; links: in the scratch of a job. */
#define HORUS_POLICY(id, label, text, source, may, known, links)                                   \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = label,                                                                             \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .can = HS_CAN_COLOCATE | (may),                                                            \
        .knows = known,                                                                            \
        .params = id##_params,                                                                     \
        .tenants = horus_tenants,                                                                  \
        .load = horus_load,                                                                        \
        HS_POLICY_HOOKS(horus, struct horus, links),                                               \
    }

HORUS_POLICY(horus, "horus",
             "least predicted utilization first, placed by predicted utilization and memory",
             "Yeung et al., Horus, TPDS 33(1), 2022; as in their simulator, faults corrected",
             HS_CAN_TIME | HS_CAN_MIGRATE, ALL_KNOWN, struct hs_job_queue_link);
HORUS_POLICY(colocate_fifo, "colocate-fifo",
             "first come, first served, placed by the cost function of horus",
             "ours: Horus' placement (Yeung et al., TPDS 33(1), 2022) without its queue", 0,
             ALL_KNOWN, struct hs_job_queue_link);
HORUS_POLICY(pack, "pack", "first come, first served on the fullest GPU with memory for the job",
             "the packing baseline of Yeung et al., TPDS 33(1), 2022", 0,
             HS_KNOWS_MEMORY | HS_KNOWS_SPEED, struct hs_job_queue_link);
HORUS_POLICY(gandiva_pack_only, "gandiva-pack-only",
             "first come, first served on the GPU of lowest utilization with enough memory",
             "Gandiva as the baseline of Xiao et al., AntMan, OSDI'20", 0,
             HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_SPEED, struct hs_job_queue_link);
HORUS_POLICY(
    gandiva_like, "gandiva-like",
    "first come, first served on the GPU of least memory in use, load and jobs",
    "the baseline of Yeung et al., TPDS 33(1), 2022, as in their simulator, faults corrected",
    HS_CAN_PREEMPT | HS_CAN_TIME, ALL_KNOWN, struct hs_job_queue_link);
HORUS_POLICY(horus_plus, "horus+",
             "horus with queues of similar jobs; the queue of most jobs times wait is first",
             "Yeung et al., Horus+, TPDS 33(1), 2022; as in their simulator, faults corrected",
             HS_CAN_TIME, ALL_KNOWN, struct hs_hplus_queues_scratch);
HORUS_POLICY(horus_s, "horus-s",
             "roughly in order of submission, placed where the predicted slowdown added is least",
             "ours; after Horus (Yeung et al., TPDS 33(1), 2022)", 0,
             HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_SPEED, struct hs_job_queue_link);
