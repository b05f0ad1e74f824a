/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The index of shared GPUs on 10^5 random states, few values so that ties are frequent: every
 * answer compared with a scan of all GPUs by loads that the test maintains itself, for costs with
 * close, loose and no bounds; counts to the documented resolution; all invariants every 50th state.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/shareindex.h"
#include "support/sink.h"

#define GPUS_MAX    4096
#define TENANTS_MAX 4

static uint64_t states_seen;

enum use { IDLE, OPEN, HELD };

struct walk {
    struct sink sink;
    struct hs_cluster cluster;
    struct hs_arena arena;
    struct hs_share *s;
    struct hs_free *f;
    bool by_vc;
    uint32_t limit_mib[HS_GPU_TYPES_MAX];
    uint32_t node_of[GPUS_MAX];
    enum use use[GPUS_MAX];
    struct hs_load load[GPUS_MAX];
    uint64_t seed, draws;
};

static uint32_t draw(struct walk *w, uint32_t count)
{
    return (uint32_t)(hs_mix64(w->seed, w->draws++) >> 33) % count;
}

static uint32_t draw_of(struct walk *w, uint32_t count, const uint32_t *of)
{
    return of[draw(w, count)];
}

/* ---- costs ---- */

struct newcomer {
    int64_t util_pm, mem_mib, margin_mib;
    uint32_t max_tenants;
};

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool allows(const struct newcomer *j, const struct hs_load_range *r)
{
    return r->least.tenants < j->max_tenants &&
           (r->capacity_mib == 0 ||
            r->least.claim_mib + j->mem_mib + j->margin_mib < r->capacity_mib);
}

/* Horus: 1.3 (M + m) / C, + 1.6 x beyond and 1.0 x short of 100 % of U + u, + tenants. */
static int64_t horus_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct newcomer *j = ctx;
    if (!allows(j, r))
        return HS_NEVER;
    int64_t memory = 0, claims_mib = r->least.claim_mib + j->mem_mib;
    if (r->capacity_mib > 0)
        memory = INT64_C(1363149) * claims_mib / r->capacity_mib;
    int64_t over = most_of(r->least.sum[0] + j->util_pm - 1000, 0);
    int64_t under = most_of(1000 - r->most.sum[0] - j->util_pm, 0);
    return memory + INT64_C(1677722) * over / 1000 + INT64_C(1048576) * under / 1000 +
           INT64_C(1048576) * r->least.tenants;
}

/* The fullest first. */
static int64_t pack_cost(const void *ctx, const struct hs_load_range *r)
{
    int64_t claims_mib = r->most.claim_mib;
    if (!allows(ctx, r))
        return HS_NEVER;
    return r->capacity_mib == 0 ? -claims_mib : -(claims_mib << 20) / r->capacity_mib;
}

/* Distance from x to the nearest number of an interval. */
static int64_t distance(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least - x : x > most ? x - most : 0;
}

/* Both sums, the measured load and the type. */
static int64_t sums_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct newcomer *j = ctx;
    int64_t measured = distance(j->util_pm, r->least.measured_pm, r->most.measured_pm);
    return distance(j->util_pm, r->least.sum[0], r->most.sum[0]) / 100 +
           3 * distance(-1, r->least.sum[1], r->most.sum[1]) + measured / 300 + r->gpu_type;
}

/* A hash of the load, so that only branches without memory can be pruned. */
static int64_t boundless_cost(const void *ctx, const struct hs_load_range *r)
{
    const struct newcomer *j = ctx;
    if (memcmp(&r->least, &r->most, sizeof r->least) != 0)
        return INT64_MIN;
    uint64_t mix = hs_mix64((uint64_t)(r->least.sum[0] + 16 * r->least.sum[1]),
                            (uint64_t)j->util_pm + r->least.claim_mib);
    return mix % 8 == 0 ? HS_NEVER : (int64_t)(mix >> 3) % 8 - 4;
}

static hs_load_cost *const costs[] = {horus_cost, pack_cost, sums_cost, boundless_cost};
#define COSTS (sizeof costs / sizeof costs[0])

/* ---- scans ---- */

static bool serves(const struct walk *w, uint32_t node, const struct hs_ask *ask)
{
    const struct hs_node *n = &w->cluster.nodes[node];
    return (ask->type_mask >> n->type & 1) && (!w->by_vc || n->vc == ask->vc);
}

static bool has_memory(const struct walk *w, uint32_t gpu, uint32_t claim_mib)
{
    uint32_t limit_mib = w->limit_mib[w->cluster.nodes[w->node_of[gpu]].type];
    return limit_mib == UINT32_MAX ||
           (uint64_t)w->load[gpu].claim_mib + claim_mib <= (uint64_t)limit_mib;
}

/* Regardless of memory. */
static int64_t open_cost_at(const struct walk *w, const struct hs_share_query *q, uint32_t gpu)
{
    const struct hs_node *n = &w->cluster.nodes[w->node_of[gpu]];
    const struct hs_load_range point = {.least = w->load[gpu],
                                        .most = w->load[gpu],
                                        .capacity_mib = w->cluster.types[n->type].mem_mib,
                                        .gpu_type = n->type};
    return w->use[gpu] == OPEN ? q->cost_of(q->ctx, &point) : HS_NEVER;
}

static int64_t cost_at(const struct walk *w, const struct hs_share_query *q, uint32_t gpu)
{
    return has_memory(w, gpu, q->claim_mib) ? open_cost_at(w, q, gpu) : HS_NEVER;
}

/* In units of a worker's request: a quarter of the nodes have no CPUs left, a quarter have one. */
static uint32_t cpus_left(uint32_t node)
{
    const uint32_t cpus = hs_mix64(20261122, node) & 3;
    return cpus < 2 ? cpus : UINT32_MAX;
}

static bool accepts(const struct hs_share_query *q, uint32_t node, uint32_t workers)
{
    return q->ask->cpus_milli_per_gpu == 0 || workers <= cpus_left(node);
}

static void compare_cheapest(const struct walk *w, const struct hs_share_query *q)
{
    uint32_t best = HS_NO_GPU;
    int64_t least = q->below, cost;
    for (uint32_t g = 0; g < w->cluster.gpu_count; g++) {
        int64_t here = serves(w, w->node_of[g], q->ask) ? cost_at(w, q, g) : HS_NEVER;
        if (here < least && accepts(q, w->node_of[g], 1)) {
            least = here;
            best = g;
        }
    }
    uint32_t gpu = hs_share_cheapest(w->s, q, &cost);
    if (gpu != best || cost != least)
        fail_msg("state %llu: GPU %u at %lld, want %u at %lld", (unsigned long long)states_seen,
                 gpu, (long long)cost, best, (long long)least);
}

static void compare_count(const struct walk *w, const struct hs_share_query *q, uint64_t most)
{
    uint64_t count = 0;
    for (uint32_t g = 0; g < w->cluster.gpu_count; g++)
        if (serves(w, w->node_of[g], q->ask))
            count +=
                w->use[g] == IDLE || (cost_at(w, q, g) != HS_NEVER && accepts(q, w->node_of[g], 1));
    assert_int_equal(hs_share_count(w->s, q, most), count < most ? count : most);
}

/* True if it could be placed with the margin. */
static bool has_allocation(const struct walk *w, const struct hs_share_query *q, uint32_t gpu,
                           uint32_t margin_mib)
{
    uint32_t type = w->cluster.nodes[w->node_of[gpu]].type, limit_mib = w->limit_mib[type];
    uint64_t claim_mib = q->claim_mib, held_mib = w->load[gpu].claim_mib;
    if (w->use[gpu] != OPEN)
        return w->use[gpu] == IDLE;
    if (limit_mib == UINT32_MAX)
        return true;
    return held_mib <= limit_mib && claim_mib <= limit_mib &&
           claim_mib + margin_mib < w->cluster.types[type].mem_mib &&
           held_mib + claim_mib <= limit_mib &&
           held_mib + claim_mib + margin_mib < w->cluster.types[type].mem_mib;
}

static void compare_allocation_node(const struct walk *w, const struct hs_share_query *q,
                                    uint32_t margin_mib, uint32_t from)
{
    uint32_t found = HS_NO_NODE;
    bool is_full = true;
    for (uint32_t node = 0; node < w->cluster.node_count; node++) {
        const struct hs_node *n = &w->cluster.nodes[node];
        uint32_t allocations = 0;
        if (!serves(w, node, q->ask))
            continue;
        for (uint32_t g = n->first_gpu; g < n->first_gpu + n->gpus; g++) {
            allocations += has_allocation(w, q, g, margin_mib);
            is_full = is_full && w->use[g] == HELD;
        }
        if (node >= from && found == HS_NO_NODE && allocations > 0)
            found = node;
    }
    assert_int_equal(hs_share_find_node(w->s, q->ask, q->claim_mib, margin_mib, from), found);
    assert_int_equal(hs_share_is_full(w->s, q->ask), is_full);
}

static int by_cost(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The cost of the `gpus` cheapest GPUs of a node with at least that many allocations; otherwise
 * HS_NEVER. */
static int64_t gang_sum(const struct walk *w, const struct hs_share_query *q, uint32_t node,
                        uint32_t gpus, uint32_t margin_mib, uint32_t *idle)
{
    const struct hs_node *n = &w->cluster.nodes[node];
    const struct hs_load_range nobody = {.capacity_mib = w->cluster.types[n->type].mem_mib,
                                         .gpu_type = n->type};
    int64_t list[HS_NODE_GPUS_MAX], sum = 0;
    uint32_t allocations = 0;
    *idle = 0;
    for (uint32_t i = 0; i < n->gpus; i++) {
        uint32_t g = n->first_gpu + i;
        allocations += has_allocation(w, q, g, margin_mib);
        *idle += w->use[g] == IDLE;
        list[i] = w->use[g] == IDLE ? q->cost_of(q->ctx, &nobody) : cost_at(w, q, g);
    }
    qsort(list, n->gpus, sizeof *list, by_cost);
    if (!serves(w, node, q->ask) || allocations < gpus || list[gpus - 1] == HS_NEVER ||
        !accepts(q, node, gpus))
        return HS_NEVER;
    for (uint32_t i = 0; i < gpus; i++)
        sum += list[i];
    return sum;
}

static void compare_gang_node(const struct walk *w, const struct hs_share_query *q, uint32_t gpus,
                              uint32_t margin_mib)
{
    uint32_t best = HS_NO_NODE, fewest = 0, idle;
    int64_t least = HS_NEVER;
    for (uint32_t node = 0; node < w->cluster.node_count; node++) {
        int64_t sum = gang_sum(w, q, node, gpus, margin_mib, &idle);
        if (sum == HS_NEVER || sum > least || (sum == least && idle >= fewest))
            continue;
        least = sum;
        fewest = idle;
        best = node;
    }
    assert_int_equal(hs_share_gang_node(w->s, q, gpus, margin_mib), best);
}

/* ---- states ---- */

static void draw_load(struct walk *w, struct hs_load *load)
{
    static const uint32_t claims[] = {0, 0, 1000, 2000, 2000, 4001, 8000, 12000, 20000};
    static const uint32_t measured[] = {0, 300, 300, 900};
    static const int32_t sums[] = {0, 100, 300, 300, 500, 1500};
    *load = (struct hs_load){.tenants = 1 + draw(w, TENANTS_MAX),
                             .claim_mib = draw_of(w, 9, claims),
                             .measured_pm = draw_of(w, 4, measured),
                             .sum = {sums[draw(w, 6)], (int32_t)draw(w, 5) - 3}};
}

static void change_gpu(struct walk *w, uint32_t gpu, enum use use)
{
    if (use == OPEN) {
        draw_load(w, &w->load[gpu]);
        hs_share_open(w->s, gpu, &w->load[gpu]);
    } else {
        hs_share_close(w->s, gpu, use == HELD);
    }
    w->use[gpu] = use;
    assert_int_equal(hs_share_is_open(w->s, gpu, NULL), use == OPEN);
    assert_int_equal(hs_share_is_open(w->s, gpu, &w->load[gpu]), use == OPEN);
}

static void ask_all(struct walk *w)
{
    static const uint64_t masks[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, 2, 4, 5, 8};
    static const uint32_t claims[] = {0, 0, 999, 1000, 4000, 8000, 9000, 40000};
    static const uint32_t margins[] = {0, 0, 191, 500, 4191};
    const struct hs_ask ask = {.vc = w->by_vc ? draw(w, w->cluster.vc_count) : 0,
                               .type_mask = masks[draw(w, 8)],
                               .cpus_milli_per_gpu = draw(w, 4) == 0 ? 1000 : 0};
    const struct newcomer job = {.util_pm = 100 * draw(w, 11),
                                 .mem_mib = draw_of(w, 8, claims),
                                 .margin_mib = draw_of(w, 5, margins),
                                 .max_tenants = 1 + draw(w, TENANTS_MAX + 1)};
    uint32_t some = draw(w, w->cluster.gpu_count);
    struct hs_share_query q = {.ask = &ask, .claim_mib = (uint32_t)job.mem_mib, .ctx = &job};
    uint32_t below = draw(w, 3);
    for (size_t i = 0; i < COSTS; i++) {
        q.cost_of = costs[i];
        q.below = below == 0 ? HS_NEVER : cost_at(w, &q, some); /* a tie, which does not count */
        if (below == 1 && q.below < HS_NEVER)
            q.below++;
        compare_cheapest(w, &q);
        compare_count(w, &q, draw(w, 12));
        compare_gang_node(w, &q, 1 + draw(w, 5), (uint32_t)job.margin_mib);
    }
    compare_allocation_node(w, &q, (uint32_t)job.margin_mib, draw(w, w->cluster.node_count + 1));
}

/* Drifts from a mostly idle cluster to a mostly open one, and to a mostly full one. */
static enum use draw_use(struct walk *w, uint32_t step)
{
    uint32_t phase = step / 400 % 3, x = draw(w, 8);
    if (x < 5)
        return phase == 0 ? IDLE : phase == 1 ? OPEN : HELD;
    return x == 5 ? IDLE : x == 6 ? OPEN : HELD;
}

static void open_walk(struct walk *w, const char *spec, enum hs_vc_mode mode, uint32_t reserve_mib)
{
    sink_init(&w->sink);
    if (hs_cluster_load(&w->cluster, spec, &w->sink.diag) != HS_OK)
        fail_msg("%s", w->sink.text);
    if (mode != HS_VC_IGNORE &&
        hs_cluster_set_vcs(&w->cluster, mode, NULL, "", &w->sink.diag) != HS_OK)
        fail_msg("%s", w->sink.text);
    w->by_vc = mode == HS_VC_PARTITION;
    assert_true(w->cluster.gpu_count <= GPUS_MAX);
    for (uint32_t t = 0; t < w->cluster.type_count; t++) {
        uint32_t mib = w->cluster.types[t].mem_mib;
        w->limit_mib[t] = mib == 0 ? UINT32_MAX : mib > reserve_mib ? mib - reserve_mib : 0;
    }
    for (uint32_t n = 0; n < w->cluster.node_count; n++)
        for (uint32_t i = 0; i < w->cluster.nodes[n].gpus; i++)
            w->node_of[w->cluster.nodes[n].first_gpu + i] = n;
    const struct hs_ask ask = {.cpus_milli_per_gpu = 1000};
    hs_free_init(&w->f, &w->cluster, w->by_vc, 0, &w->arena);
    for (uint32_t n = 0; n < w->cluster.node_count; n++)
        if (cpus_left(n) < 2) {
            int64_t cpus_milli, mem_mib;
            hs_free_rest(w->f, n, &cpus_milli, &mem_mib);
            hs_free_book(w->f, n, cpus_milli / 1000 - cpus_left(n), &ask);
        }
    hs_share_init(&w->s, &w->cluster, w->f, w->by_vc, w->limit_mib, &w->arena);
}

static void random_walk(const char *spec, enum hs_vc_mode mode, uint32_t reserve_mib,
                        uint32_t states)
{
    struct walk *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->seed = states_seen;
    open_walk(w, spec, mode, reserve_mib);
    for (uint32_t step = 0; step < states; step++) {
        change_gpu(w, draw(w, w->cluster.gpu_count), draw_use(w, step));
        ask_all(w);
        if (step % 50 == 0)
            assert_true(hs_share_is_valid(w->s));
        states_seen++;
    }
    assert_true(hs_share_is_valid(w->s));
    hs_arena_free(&w->arena);
    hs_cluster_free(&w->cluster);
    free(w);
}

/* Types of 8 GiB, of no stated memory, of 16 GiB less one MiB; sizes 1 to 8; three owners. */
static const char mixed[] =
    "{\"gpu_types\": {\"A\": {\"mem_mib\": 8192}, \"B\": {}, \"C\": {\"mem_mib\": 16383}},"
    " \"nodes\": ["
    "{\"count\": 2, \"gpus\": 4, \"type\": \"A\", \"vc\": \"a\"},"
    "{\"count\": 1, \"gpus\": 8, \"type\": \"B\", \"vc\": \"b\"},"
    "{\"count\": 3, \"gpus\": 1, \"type\": \"C\", \"vc\": \"c\"},"
    "{\"count\": 2, \"gpus\": 2, \"type\": \"B\", \"vc\": \"a\"},"
    "{\"count\": 2, \"gpus\": 4, \"type\": \"C\", \"vc\": \"b\"},"
    "{\"count\": 3, \"gpus\": 3, \"type\": \"A\", \"vc\": \"b\"},"
    "{\"count\": 1, \"gpus\": 8, \"type\": \"C\", \"vc\": \"a\"}],"
    " \"vcs\": {\"a\": 20, \"b\": 25, \"c\": 3}}";

static const char *mixed_path(void)
{
    return scratch_write("mixed.json", mixed, strlen(mixed));
}

static void test_one_type(void **state)
{
    (void)state;
    random_walk("8x4:V100", HS_VC_IGNORE, 0, 25000);
    random_walk("3x1:V100", HS_VC_IGNORE, 1000, 5000);
}

static void test_types(void **state)
{
    (void)state;
    random_walk(mixed_path(), HS_VC_IGNORE, 0, 25000);
    random_walk(mixed_path(), HS_VC_IGNORE, 9000, 10000); /* type A: nothing may be shared */
}

static void test_partition(void **state)
{
    (void)state;
    random_walk(mixed_path(), HS_VC_PARTITION, 0, 25000);
    random_walk(mixed_path(), HS_VC_PARTITION, 500, 10000);
}

/* Deep trees. */
static void test_many(void **state)
{
    (void)state;
    random_walk("64x8:V100", HS_VC_IGNORE, 500, 4000);
}

/* Runs after all others. */
static void test_states_seen(void **state)
{
    (void)state;
    print_message("%llu random states, %u searches each\n", (unsigned long long)states_seen,
                  (unsigned)COSTS);
    assert_true(states_seen >= 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_type),    cmocka_unit_test(test_types),
        cmocka_unit_test(test_partition),   cmocka_unit_test(test_many),
        cmocka_unit_test(test_states_seen),
    };
    return cmocka_run_group_tests_name("model/shareindex, random", tests, scratch_open,
                                       scratch_close);
}
