/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cost of finding GPUs to share, by the index and by a scan of all GPUs, in random states in
 * which half of the GPUs have room for one more tenant and none is idle: the search for one worker;
 * and the placement of a gang of 4, planned and rolled back. CPU time, the best of three rounds.
 *
 *     build/release/tests/bench/bench_share          prints GPUS WORKERS INDEX_NS SCAN_NS
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/rng.h"
#include "data/param_table.h"
#include "engine/engine.h"
#include "policies/horus/horus.c"
#include "support/share_scan.h"

#define ASKERS      64u /* of each kind */
#define GANG        4u
#define TENANTS     3u
#define ROUNDS      3
#define NODE_GPUS   8u
#define NODES_MAX   12500u
#define FILLERS_MAX (TENANTS * NODE_GPUS * NODES_MAX)

/* ---- the state: jobs that fill the GPUs, then those to be placed ---- */

static uint32_t filler_gpu[FILLERS_MAX], filler_count;
static hs_job_id handles[FILLERS_MAX + 2 * ASKERS];
static uint32_t handle_count;

/* Half of the GPUs are full, of the others half have one tenant and half two. */
static void draw_fillers(uint32_t gpus)
{
    filler_count = 0;
    for (uint32_t g = 0; g < gpus; g++) {
        uint32_t draw = (uint32_t)(hs_mix64(1, g) >> 62);
        uint32_t tenants = draw >= 2 ? TENANTS : draw + 1;
        for (uint32_t i = 0; i < tenants; i++)
            filler_gpu[filler_count++] = g;
    }
}

static enum hs_status next_job(void *ctx, struct hs_trace_job **out)
{
    static struct hs_trace_job job;
    uint32_t *next = ctx, index = (*next)++;
    uint64_t draw = hs_mix64(2, index);
    if (index == filler_count + 2 * ASKERS)
        return HS_END;
    job = (struct hs_trace_job){.id = "job",
                                .duration_us = 1000000,
                                .deadline_us = -1,
                                .preempt_cost_us = -1,
                                .gpus = index < filler_count + ASKERS ? 1 : GANG,
                                .gpu_mem_mib = 1000 + (uint32_t)(draw % 4000),
                                .gpu_util_pm = 50 + (int32_t)(draw >> 33) % 450,
                                .profile = HS_NO_PROFILE,
                                .line = index + 1};
    job.gpus_min = job.gpus_max = job.gpus;
    *out = &job;
    return HS_OK;
}

/* ---- the policy that searches ---- */

static double one_ns, gang_ns; /* the measurements */
static uint64_t answers;       /* all of them, mixed */

static void asker_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    (void)state;
    (void)v;
    if (event->kind == HS_EVENT_SUBMIT)
        handles[handle_count++] = event->job;
}

static double now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void search_one(struct horus *h, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    const struct candidate c = {.h = h,
                                .v = v,
                                .p = p,
                                .id = id,
                                .gpus = 1,
                                .util_pm = utilization_pm(v, id),
                                .util_peak_pm = utilization_pm(v, id),
                                .mem_mib = hs_view_gpu_mem_mib(v, id)};
    int64_t least;
    uint32_t gpu = hs_view_cheapest_shared(v, id, horus_cost, &c, HS_NEVER, &least);
    answers = hs_mix64(answers ^ gpu, (uint64_t)least);
}

static void place_gang(struct horus *h, const struct hs_view *v, struct hs_plan *p, hs_job_id id)
{
    uint32_t mark = hs_plan_mark(p);
    bool is_placed = place(h, v, p, id);
    hs_plan_rollback(p, mark);
    answers = hs_mix64(answers, is_placed);
}

typedef void search_fn(struct horus *h, const struct hs_view *v, struct hs_plan *p, hs_job_id id);

static double measure(struct horus *h, const struct hs_view *v, struct hs_plan *p,
                      const hs_job_id *jobs, search_fn *search)
{
    double best_ns = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double begin_ns = now_ns();
        for (uint32_t i = 0; i < ASKERS; i++)
            search(h, v, p, jobs[i]);
        double round_ns = (now_ns() - begin_ns) / ASKERS;
        best_ns = round == 0 || round_ns < best_ns ? round_ns : best_ns;
    }
    return best_ns;
}

static enum hs_status asker_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    if (handle_count < filler_count + 2 * ASKERS)
        return HS_OK;
    for (uint32_t i = 0; i < filler_count; i++) {
        hs_plan_start(p, handles[i]);
        hs_plan_on_gpu(p, filler_gpu[i]);
    }
    one_ns = measure(state, v, p, handles + filler_count, search_one);
    gang_ns = measure(state, v, p, handles + filler_count + ASKERS, place_gang);
    handle_count = 0;
    return HS_OK;
}

static const struct hs_policy_ops asker = {
    .name = "asker",
    .summary = "asks",
    .can = HS_CAN_COLOCATE,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY,
    .params = colocate_fifo_params,
    .state_size = sizeof(struct horus),
    .load = horus_load,
    .init = horus_init,
    .on_event = asker_event,
    .decide = asker_decide,
};

/* ---- all sizes ---- */

static enum hs_status play(const struct hs_cluster *cluster, bool scans, struct hs_diag *diag)
{
    struct horus state = {0};
    struct hs_arena arena = {0};
    struct hs_engine *engine;
    uint32_t next = 0;
    const struct hs_engine_config config = {.cluster = cluster,
                                            .policy = &asker,
                                            .policy_state = &state,
                                            .check = HS_CHECK_OFF,
                                            .until_us = 1,
                                            .max_tenants = TENANTS,
                                            .oom_delay_us = 1};
    hs_test_scans_shared = scans;
    answers = 0;
    handle_count = 0;
    HS_TRY(hs_param_defaults(colocate_fifo_params, &state, &arena));
    HS_TRY(hs_engine_open(&engine, &config, diag));
    enum hs_status status =
        hs_engine_run(engine, (struct hs_job_source){.next = next_job, .ctx = &next});
    hs_engine_close(engine);
    hs_arena_free(&arena);
    return status;
}

static enum hs_status play_both(uint32_t nodes, struct hs_diag *diag)
{
    struct hs_cluster cluster;
    char shape[32];
    (void)snprintf(shape, sizeof shape, "%" PRIu32 "x%u:V100", nodes, NODE_GPUS);
    HS_TRY(hs_cluster_load(&cluster, shape, diag));
    draw_fillers(cluster.gpu_count);
    HS_TRY(play(&cluster, false, diag));
    double one_index_ns = one_ns, gang_index_ns = gang_ns;
    uint64_t by_index = answers;
    HS_TRY(play(&cluster, true, diag));
    (void)printf("%" PRIu32 " 1 %.0f %.0f\n%" PRIu32 " %u %.0f %.0f\n", cluster.gpu_count,
                 one_index_ns, one_ns, cluster.gpu_count, GANG, gang_index_ns, gang_ns);
    hs_cluster_free(&cluster);
    return answers == by_index ? HS_OK : HS_E_INVARIANT;
}

static void on_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    (void)ctx;
    (void)severity;
    (void)fprintf(stderr, "%.*s\n", (int)len, text);
}

int main(void)
{
    static const uint32_t nodes[] = {128, 1250, NODES_MAX};
    struct hs_diag diag;
    hs_diag_init(&diag, on_message, NULL);
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        enum hs_status status = play_both(nodes[i], &diag);
        if (status != HS_OK)
            return hs_status_exit_code(status);
    }
    return 0;
}
