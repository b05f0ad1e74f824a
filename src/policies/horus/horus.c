/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Horus: of the waiting jobs of least predicted utilization the first that can be placed, idle GPUs
 * before shared ones, by predicted utilization and memory (README.md). It neither preempts nor
 * ages: jobs of high utilization can starve, and large gangs at the head can block.
 *
 * Migration, off by default, is what the authors meant; in their code it is never reached: now and
 * then, when a GPU is idle, the job of highest predicted utilization (unknown counts as 100 %)
 * leaves a GPU of more than two tenants for it. Jobs on one GPU only.
 */
#include "policies/lib/colocate.h"
#include "policies/horus/horus_place.h"

#define CROWDED 3 /* tenants: "more than two" */

struct horus {
    struct hs_horus place; /* begins with a struct hs_colocation */
    int32_t order;
    int64_t look_ahead, max_starts, wake_period_us;
    bool migrates;
    int64_t migrate_every_us; /* parameters up to here */
    int64_t migrate_next_us;  /* not before */
    struct hs_vc_queues queue;
};

enum { BY_UTILIZATION, BY_SUBMISSION };
static const char *const orders[] = {"util_asc", "fifo", NULL};

static void horus_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct horus *h = state;
    *can = HS_CAN_COLOCATE | (h->max_starts > 0 ? HS_CAN_TIME : 0) |
           (h->migrates ? HS_CAN_MIGRATE : 0);
    *knows = hs_horus_knows(&h->place);
}

static enum hs_status horus_init(void *state, const struct hs_view *v)
{
    struct horus *h = state;
    hs_horus_init(&h->place, v);
    hs_vc_queues_init(&h->queue, v);
    return HS_OK;
}

static void horus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct horus *h = state;
    if (event->kind == HS_EVENT_TIMER)
        hs_vc_queues_wake_all(&h->queue);
    else
        hs_colocate_event(&h->queue, v, event,
                          h->order == BY_UTILIZATION ? hs_horus_by_utilization(v, event->job) : 0);
}

static bool horus_place(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    return hs_horus_place(&((struct horus *)state)->place, v, p, id);
}

/* ---- migration ---- */

/* What moves: the busiest single-GPU job on a crowded GPU that an idle one could host, ties to the
 * first GPU and the later tenant. */
struct migration {
    hs_job_id job; /* HS_NO_JOB = none */
    uint32_t from, to_node;
    int64_t util_pm;
};

static struct migration best_move(const struct hs_view *v)
{
    struct migration best = {.job = HS_NO_JOB, .util_pm = -1};
    uint32_t last = hs_view_nodes(v) - 1;
    uint32_t gpus = hs_view_node_first_gpu(v, last) + hs_view_node_gpus(v, last);
    for (uint32_t g = 0; g < gpus; g++)
        for (uint32_t i = 0, n = hs_view_gpu_tenants(v, g); n >= CROWDED && i < n; i++) {
            const hs_job_id job = hs_view_gpu_tenant(v, g, i);
            int64_t util_pm = hs_horus_by_utilization(v, job);
            if (hs_view_gpus(v, job) != 1 || util_pm <= best.util_pm)
                continue;
            uint32_t node = hs_view_best_fit(v, job, 1);
            if (node != HS_NO_NODE)
                best = (struct migration){job, g, node, util_pm};
        }
    return best;
}

/* True when a job is moved: there may be room where it was. O(GPUs) while a GPU is idle and no job
 * was moved within `migrate_every`. */
static bool migrate(struct horus *h, const struct hs_view *v, struct hs_plan *p)
{
    bool is_a_gpu_idle = false;
    for (uint32_t vc = 0; vc < hs_view_vcs(v); vc++)
        is_a_gpu_idle = is_a_gpu_idle || hs_view_free_gpus(v, vc) > 0;
    if (!h->migrates || hs_view_now_us(v) < h->migrate_next_us || !is_a_gpu_idle)
        return false;
    const struct migration move = best_move(v);
    if (move.job == HS_NO_JOB)
        return false;
    uint32_t first = hs_view_node_first_gpu(v, move.to_node);
    bool is_across = move.from < first || move.from >= first + hs_view_node_gpus(v, move.to_node);
    uint32_t to = hs_view_idle_gpu(v, move.to_node, 0);
    /* 0.3 s + 1.6 s/GB within a server, + 2.4 s/GB across (MODEL.md 7); a MiB is 1.048576e-3 GB,
     * and 1048576 / 1000000 = 16384 / 15625. */
    int64_t ms_per_gb = is_across ? 1600 + 2400 : 1600;
    int64_t pause_us = 300000 + hs_view_gpu_mem_mib(v, move.job) * ms_per_gb * 16384 / 15625;
    hs_plan_reason(p, "the busiest on a crowded GPU: to an idle one");
    hs_plan_migrate(p, move.job, pause_us);
    hs_plan_on_gpu(p, to);
    h->migrate_next_us = hs_view_now_us(v) + h->migrate_every_us;
    return true;
}

static enum hs_status horus_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct horus *h = state;
    if (migrate(h, v, p))
        hs_vc_queues_wake_all(&h->queue);
    const struct hs_colocate_rule rule = {.place = horus_place,
                                          .state = h,
                                          .colocation = &h->place.colocation,
                                          .max_refusals = (uint64_t)h->look_ahead,
                                          .max_starts = (uint32_t)h->max_starts};
    uint32_t starts = hs_colocate_scan(&h->queue, v, p, &rule);
    if (h->max_starts > 0 && starts > 0) /* there may be more to start, at the next tick */
        hs_plan_timer(p, hs_view_now_us(v) + h->wake_period_us, 0);
    return HS_OK;
}

static void horus_semantics(const void *state, struct hs_semantics *out)
{
    const struct horus *h = state;
    *out = (struct hs_semantics){.order = h->order == BY_UTILIZATION ? "utilization" : "submit",
                                 .scan = "look-ahead",
                                 .placement = hs_horus_placement(&h->place),
                                 .preemption = h->migrates ? "migrate" : "none",
                                 .cost = h->migrates ? "memory" : "none"};
}

static const char *horus_check(const void *state, const struct hs_view *v)
{
    return hs_vc_queues_check(&((const struct horus *)state)->queue, v);
}

static const struct hs_param params[] = {
    HS_PARAM_CHOICE(struct horus, order, "order", "util_asc", orders,
                    "of the waiting jobs: least predicted utilization first, or submission",
                    .source = "util_asc: the authors' simulator"),
    HS_PARAM_INT(struct horus, look_ahead, "look_ahead", "5", 1, 1000000,
                 "waiting jobs that are tried before the rest waits", .unit = "jobs",
                 .source = "5: the authors' simulator"),
    HS_PARAM_INT(struct horus, max_starts, "max_starts", "0", 0, 1000000,
                 "started at one moment; 0: as many as fit (1, a tick apart: the authors' loop)",
                 .unit = "jobs"),
    HS_PARAM_DURATION(struct horus, wake_period_us, "tick", "60s", 1, 86400,
                      "with max_starts: from one moment to the next",
                      .source = "60 s: the authors' simulator counts minutes"),
    HS_HORUS_PARAMS(struct horus, place),
    HS_PARAM_FLAG(struct horus, migrates, "migrate", "no",
                  "move the busiest job of a GPU with more than two to an idle GPU",
                  .source = "the authors' intention; never reached in their simulator"),
    HS_PARAM_DURATION(struct horus, migrate_every_us, "migrate_every", "5min", 1, 1e9,
                      "at most one move in this time"),
    {0}};

const struct hs_policy_ops hs_policy_horus = {
    .name = "horus",
    .summary = "least predicted utilization first, placed by predicted utilization and memory",
    .cite = "Yeung et al., Horus, TPDS 33(1), 2022; as in their simulator, its faults mended",
    .can = HS_CAN_COLOCATE | HS_CAN_TIME | HS_CAN_MIGRATE,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE,
    .params = params,
    .state_size = sizeof(struct horus),
    .job_state_size = sizeof(struct hs_job_queue_link),
    .tenants = hs_share_tenants,
    .load = hs_share_load,
    .needs = horus_needs,
    .init = horus_init,
    .on_event = horus_event,
    .decide = horus_decide,
    .semantics = horus_semantics,
    .check = horus_check,
};
