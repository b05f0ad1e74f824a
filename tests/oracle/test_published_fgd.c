/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fgd on openb as published (Weng et al., ATC'23; oracles/openb-frag): the pods of the default list
 * in ten orders, followed by drawn copies of them, up to 130 % of the cluster's GPUs; none ends.
 * The orders of pods and of nodes are those of the published runs, whose simulator draws both with
 * Go's math/rand. A second program, below, places every pod by the simulator's rules: its curves
 * are the published ones, figure by figure, and the policy must place each pod on the same GPU.
 * With the argument `table` the test prints the table of results/openb.md.
 *
 * The policy has run the list once before: each pod alone, for a second.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/csv.h"
#include "support/data.h"
#include "support/run.h"
#include "support/sink.h"

#define NODES     1213
#define LISTED    8152
#define PODS_MAX  12000
#define HISTORY   8192 /* the list and others, a power of two: they set the typical pods */
#define KINDS_MAX 160
#define SEEDS     10
#define SEED      42 /* generate_run_scripts.py: of the first run */
#define PERCENTS  131
#define INFLATION 1.3 /* generate_run_scripts.py: tune_ratio */
#define GPUS_MAX  8

enum { FGD, BEST_FIT, DOT_PRODUCT, SCORES };
static const struct {
    const char *policy, *published;
} scores[SCORES] = {{"fgd:scan=fit,typical=0.945361", "FGD"}, /* 0.95 LISTED / HISTORY */
                    {"fgd:scan=fit,score=best_fit", "BestFit"},
                    {"fgd:scan=fit,score=dot_product", "DotProd"}};

struct pod {
    int64_t cpus_milli, gpus, milli, mem_mib; /* the first three define its kind */
};
struct node {
    int64_t cpus_milli, mem_mib, gpus, room[GPUS_MAX];
};

static struct node listed_nodes[NODES], cluster[NODES], nodes[NODES];
static uint32_t first_gpu[NODES];
static struct pod listed[LISTED], pods[PODS_MAX], kinds[KINDS_MAX];
static uint32_t pod_count, kind_count, typical_count, kind_of[PODS_MAX], kind_seen[KINDS_MAX];
static uint32_t typical[KINDS_MAX];
static int64_t typical_seen, gpu_milli;
static uint32_t gpu_of[PODS_MAX]; /* by the second program; UINT32_MAX = none */
/* Allocated and fragmented GPUs by percent of demand submitted, in percent of all. */
static double ours[SCORES][SEEDS][2][PERCENTS], theirs[SCORES][SEEDS][2][PERCENTS];
static uint32_t compared[SCORES], placed_elsewhere[SCORES];

/* ---- files ---- */

typedef void row_fn(const struct hs_csv_row *row, uint32_t number);

static void read_file(const char *folder, const char *name, row_fn *use)
{
    static struct sink sink;
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    sink_init(&sink);
    assert_int_equal(hs_input_open(&input, data_need(folder, name), &sink.diag), HS_OK);
    hs_csv_open(&csv, input, ',', &sink.diag);
    for (uint32_t n = 0; hs_csv_next(csv, &row) == HS_OK; n++)
        if (n > 0)
            use(&row, n - 1);
    hs_csv_close(csv);
    hs_input_close(input);
}

static int64_t number(const struct hs_csv_row *row, uint32_t field)
{
    return strtoll(row->fields[field], NULL, 10);
}

static void use_node(const struct hs_csv_row *row, uint32_t n)
{
    struct node *node = &listed_nodes[n];
    assert_true(n < NODES);
    *node = (struct node){number(row, 1), number(row, 2), number(row, 3), {0}};
    for (int64_t g = 0; g < node->gpus; g++)
        node->room[g] = 1000;
    gpu_milli += node->gpus * 1000;
}

static uint32_t kind_number(const struct pod *p)
{
    uint32_t k = 0;
    while (k < kind_count && memcmp(&kinds[k], p, offsetof(struct pod, mem_mib)) != 0)
        k++;
    if (k == kind_count)
        kinds[kind_count++] = *p;
    assert_true(kind_count < KINDS_MAX);
    return k;
}

static void use_pod(const struct hs_csv_row *row, uint32_t n)
{
    assert_true(n < LISTED);
    listed[n] = (struct pod){number(row, 1), number(row, 3), 0, number(row, 2)};
    listed[n].milli = listed[n].gpus > 0 ? number(row, 4) : 0;
    (void)kind_number(&listed[n]);
}

static void use_published(const struct hs_csv_row *row, uint32_t n)
{
    (void)n;
    for (uint32_t s = 0; s < SCORES && strcmp(row->fields[0], "default") == 0; s++)
        for (int what = 0; what < 2 && strcmp(row->fields[1], scores[s].published) == 0; what++)
            theirs[s][number(row, 2) - SEED][what][number(row, 4)] =
                strtod(row->fields[5 + what], NULL);
}

/* Finds the kinds that make up 95 % of the list, the most frequent first; ties: the first in the
 * list. */
static void find_typical(void)
{
    for (uint32_t i = 0; i < LISTED; i++)
        kind_seen[kind_number(&listed[i])]++;
    static bool is_taken[KINDS_MAX];
    while (typical_seen * 100 < (int64_t)LISTED * 95) {
        uint32_t best = KINDS_MAX;
        for (uint32_t k = 0; k < kind_count; k++)
            if (!is_taken[k] && (best == KINDS_MAX || kind_seen[k] > kind_seen[best]))
                best = k;
        is_taken[best] = true;
        typical[typical_count++] = best;
        typical_seen += kind_seen[best];
    }
}

static int set_up(void **state)
{
    (void)scratch_open(state);
    if (data_find("oracles", "openb-frag/default_gpushare.csv.gz") == NULL)
        return 0;
    read_file("traces", "openb_node_list_gpu_node.csv", use_node);
    read_file("traces", "openb_pod_list_default.csv", use_pod);
    read_file("oracles", "openb-frag/default_gpushare.csv.gz", use_published);
    find_typical();
    return 0;
}

/* ---- the orders ---- */

/* Go's math/rand (D. P. Mitchell and J. A. Reeds): x[n] = x[n - 607] + x[n - 273] modulo 2^64. The
 * start is the numbers of the seed, XORed with the state of a generator of seed 1 after COOKED
 * numbers (gen_cooked.go). */
#define LAG    607
#define TAP    273
#define COOKED UINT64_C(7800000000000)

static uint64_t cooked[LAG], state_of[LAG];
static uint32_t tap, feed;

static void fill(uint64_t *to, uint64_t seed, int shift)
{
    uint64_t x = seed;
    for (int i = -20 * 3; i < LAG * 3; i++) {
        if (i < 0 && i % 3 != 0)
            continue; /* one number for each of twenty, then three */
        x = x * 48271 % INT32_MAX;
        if (i >= 0)
            to[i / 3] = (i % 3 == 0 ? 0 : to[i / 3]) ^ x << shift * (2 - i % 3);
    }
}

/* x[n + k] is a sum of x[0 + k] to x[606 + k]; its factors are those of y^n modulo
 * y^607 - y^334 - 1. */
static void cook(void)
{
    uint64_t factors[LAG] = {1}, start[LAG], x[2 * LAG];
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t product[2 * LAG] = {0};
        for (uint32_t i = 0; i < LAG; i++)
            for (uint32_t j = 0; j < LAG; j++)
                product[i + j + (COOKED >> bit & 1)] += factors[i] * factors[j];
        for (uint32_t i = 2 * LAG - 1; i >= LAG; i--) {
            product[i - LAG] += product[i];
            product[i - TAP] += product[i];
        }
        memcpy(factors, product, sizeof factors);
    }
    fill(start, 1, 10);
    for (uint32_t n = 0; n < 2 * LAG; n++)
        x[n] = n < LAG ? start[(2 * LAG - TAP - 1 - n) % LAG] : x[n - LAG] + x[n - TAP];
    for (uint32_t k = 0; k < LAG; k++) {
        uint64_t *to = &cooked[(2 * LAG - TAP - 1 - (COOKED + k) % LAG) % LAG];
        *to = 0;
        for (uint32_t i = 0; i < LAG; i++)
            *to += factors[i] * x[i + k];
    }
}

static uint64_t next63(void)
{
    tap = (tap + LAG - 1) % LAG;
    feed = (feed + LAG - 1) % LAG;
    state_of[feed] += state_of[tap];
    return state_of[feed] & INT64_MAX;
}

static void seed_go(uint64_t seed)
{
    fill(state_of, seed, 20);
    for (uint32_t i = 0; i < LAG; i++)
        state_of[i] ^= cooked[i];
    tap = 0;
    feed = LAG - TAP;
}

static uint32_t intn(uint32_t below) /* rand.Intn, rand.Perm */
{
    const uint64_t most = (UINT64_C(1) << 31) - 1 - (UINT64_C(1) << 31) % below;
    uint64_t x;
    do
        x = next63() >> 32;
    while (x > most);
    return (uint32_t)(x % below);
}

static uint32_t int31n(uint32_t below) /* rand.Shuffle */
{
    uint64_t product;
    do
        product = (next63() >> 31 & UINT32_MAX) * below;
    while ((uint32_t)product < below && (uint32_t)product < (0u - below) % below);
    return (uint32_t)(product >> 32);
}

/* Before the nodes get the names that break ties the simulator draws one number for a line of the
 * log, and one for each of ten watches of the API server (client-go, Reflector.ListAndWatch). */
#define LOG_DRAWS   1
#define WATCH_DRAWS 10

static void draw_orders(uint64_t seed)
{
    uint32_t place[NODES];
    int64_t asked = 0;
    seed_go(seed);
    for (int i = 0; i < LOG_DRAWS; i++)
        (void)next63();
    memcpy(pods, listed, sizeof listed);
    for (uint32_t i = LISTED - 1; i > 0; i--) {
        const uint32_t j = int31n(i + 1);
        const struct pod swapped = pods[i];
        pods[i] = pods[j];
        pods[j] = swapped;
    }
    for (uint32_t i = 0; i < LISTED; i++)
        asked += listed[i].gpus * listed[i].milli;
    for (pod_count = LISTED;; pod_count++) {
        const struct pod *p = &listed[intn(LISTED)]; /* a gang counts as one GPU in the test */
        if ((double)(asked + p->milli) > INFLATION * (double)gpu_milli)
            break;
        assert_true(pod_count < PODS_MAX);
        asked += p->gpus * p->milli;
        pods[pod_count] = *p;
    }
    for (uint32_t i = 0; i < pod_count; i++)
        kind_of[i] = kind_number(&pods[i]);
    for (int i = 0; i < WATCH_DRAWS; i++)
        (void)next63();
    for (uint32_t n = 0; n < NODES; n++) {
        const uint32_t j = intn(n + 1);
        place[n] = place[j];
        place[j] = n;
    }
    for (uint32_t n = 0; n < NODES; n++)
        cluster[place[n]] = listed_nodes[n];
    for (uint32_t n = 1; n < NODES; n++)
        first_gpu[n] = first_gpu[n - 1] + (uint32_t)cluster[n - 1].gpus;
}

/* ---- the second program ---- */

static int64_t room_of(const struct node *n)
{
    int64_t total = 0;
    for (int64_t g = 0; g < n->gpus; g++)
        total += n->room[g];
    return total;
}

/* Fragmentation in thousandths of GPUs, summed over the pods of the typical kinds: a whole number,
 * so that placements that save the same have the same score. */
static int64_t fragments(const struct node *n)
{
    const int64_t total = room_of(n);
    int64_t sum = 0;
    for (uint32_t i = 0; i < typical_count; i++) {
        const struct pod *p = &kinds[typical[i]];
        int64_t fitting = 0, lost = 0;
        for (int64_t g = 0; g < n->gpus; g++)
            if (n->room[g] >= p->milli)
                fitting++;
            else
                lost += n->room[g];
        const bool fits = p->gpus > 0 && fitting >= p->gpus && n->cpus_milli >= p->cpus_milli;
        sum += (fits ? lost : total) * kind_seen[typical[i]];
    }
    return sum;
}

/* The node after the pod takes idle GPUs, or for a share the GPU. */
static struct node after(const struct node *n, const struct pod *p, int64_t gpu)
{
    struct node m = *n;
    int64_t left = p->gpus;
    m.cpus_milli -= p->cpus_milli;
    m.mem_mib -= p->mem_mib;
    if (p->milli < 1000 && p->gpus > 0)
        m.room[gpu] -= p->milli;
    else
        for (int64_t g = 0; g < m.gpus && left > 0; g++)
            if (m.room[g] == 1000) {
                m.room[g] = 0;
                left--;
            }
    return m;
}

static int score_of(int how, const struct node *n, const struct pod *p, int64_t gpu)
{
    if (how == FGD) {
        const struct node m = after(n, p, gpu);
        const double saved = (double)(fragments(n) - fragments(&m)) / (double)typical_seen;
        return (int)(100 / (1 + exp(-saved / 1000)));
    }
    const double cpus = (double)n->cpus_milli / 128000, gpus = (double)room_of(n) / 8000;
    const double c = (double)p->cpus_milli / 128000, g = (double)(p->gpus * p->milli) / 8000;
    return (int)(100 * (1 - (how == BEST_FIT ? cpus - c + gpus - g : cpus * c + gpus * g) / 2));
}

/* The best score of the pod on the node, and its GPU; -1: no room. */
static int best_on(int how, const struct node *n, const struct pod *p, int64_t *gpu)
{
    int64_t fitting = 0;
    for (int64_t g = 0; g < n->gpus; g++)
        fitting += n->room[g] >= p->milli;
    if (n->cpus_milli < p->cpus_milli || fitting < p->gpus)
        return -1;
    *gpu = 0;
    if (p->gpus == 0 || p->milli == 1000)
        return score_of(how, n, p, 0);
    int best = -1;
    int64_t least = 1001;
    for (int64_t g = 0; g < n->gpus; g++) {
        if (n->room[g] < p->milli || (how != FGD && n->room[g] >= least))
            continue;
        const int score = score_of(how, n, p, g);
        least = n->room[g];
        if (score > best || how != FGD) {
            best = score;
            *gpu = g;
        }
    }
    return best;
}

/* The best scores by kind and node are kept while the node does not change. */
static struct {
    uint32_t version;
    int score;
    int64_t gpu;
} kept[KINDS_MAX][NODES];
static uint32_t version[NODES];

static uint32_t find_node(int how, uint32_t kind, int64_t mem_mib, int64_t *gpu)
{
    uint32_t found = NODES;
    int best = -1;
    for (uint32_t n = 0; n < NODES; n++) {
        if (kept[kind][n].version != version[n]) {
            kept[kind][n].score = best_on(how, &nodes[n], &kinds[kind], &kept[kind][n].gpu);
            kept[kind][n].version = version[n];
        }
        if (kept[kind][n].score > best && nodes[n].mem_mib >= mem_mib) {
            best = kept[kind][n].score;
            *gpu = kept[kind][n].gpu;
            found = n;
        }
    }
    return found;
}

/* Places all pods; a point of a curve is the mean over the pods whose submission reaches that
 * percent, rounded as in merge_alloc_discrete.py, which rounds allocations before, and
 * merge_frag_discrete.py. */
static void place_all(int how, double curves[2][PERCENTS])
{
    int64_t frag = 0;
    double sum[2][PERCENTS] = {{0}};
    int64_t arrived = 0, allocated = 0, count[PERCENTS] = {0}, gpu = 0;
    memcpy(nodes, cluster, sizeof nodes);
    memset(kept, 0, sizeof kept);
    for (uint32_t n = 0; n < NODES; n++) {
        version[n] = 1;
        frag += fragments(&nodes[n]);
    }
    for (uint32_t i = 0; i < pod_count; i++) {
        const struct pod *p = &pods[i];
        const uint32_t n = find_node(how, kind_of[i], p->mem_mib, &gpu);
        gpu_of[i] = UINT32_MAX;
        arrived += p->gpus * p->milli;
        if (n < NODES) {
            const int64_t before = fragments(&nodes[n]);
            int64_t idle = 0;
            while (p->gpus > 0 && p->milli == 1000 && nodes[n].room[idle] < 1000)
                idle++;
            gpu_of[i] = first_gpu[n] + (uint32_t)(p->milli == 1000 ? idle : gpu);
            nodes[n] = after(&nodes[n], p, gpu);
            frag += fragments(&nodes[n]) - before;
            allocated += p->gpus * p->milli;
            version[n]++;
        }
        const int at = (int)nearbyint(100.0 * (double)arrived / (double)gpu_milli);
        if (at < PERCENTS) {
            sum[0][at] += nearbyint(1e4 * (double)allocated / (double)gpu_milli) / 100;
            sum[1][at] += 100.0 * (double)frag / (double)typical_seen / (double)gpu_milli;
            count[at]++;
        }
    }
    for (int at = 0; at < PERCENTS; at++)
        for (int what = 0; what < 2; what++)
            curves[what][at] = sum[what][at] / (double)count[at];
}

/* ---- the policy ---- */

static void run_policy(int how, const char *node_list)
{
    static struct hs_test_job jobs[HISTORY + PODS_MAX];
    const struct hs_test_options options = {.checks_fast = true};
    struct hs_test_result r;
    static uint32_t got[PODS_MAX];
    for (uint32_t i = 0; i < HISTORY + pod_count; i++) {
        const bool is_past = i < HISTORY;
        const struct pod other = {.cpus_milli = 1 + i}; /* of a kind of its own */
        const struct pod *p = i < LISTED ? &listed[i] : is_past ? &other : &pods[i - HISTORY];
        jobs[i] = (struct hs_test_job){.gpus = (uint32_t)p->gpus,
                                       .gpu_milli = (uint32_t)p->milli,
                                       .cpus_milli = (uint32_t)p->cpus_milli,
                                       .mem_mib = (uint32_t)p->mem_mib,
                                       .submit_s = 2 * i,
                                       .duration_s = is_past ? 1 : 1000000};
    }
    if (hs_test_run_with(jobs, HISTORY + pod_count, node_list, scores[how].policy, &options, &r) !=
        HS_OK)
        fail_msg("%s", r.message);
    memset(got, 0xff, sizeof got);
    for (uint32_t s = 0; s < r.segment_count; s++) {
        const struct hs_test_segment *g = &r.segments[s];
        /* no pod ends before the last is submitted */
        if (g->job >= HISTORY && g->start_us < 1000000 * HS_TEST_S && g->gpu_count > 0)
            got[g->job - HISTORY] = g->gpus[0];
    }
    for (uint32_t i = 0; i < pod_count; i++) {
        compared[how] += pods[i].gpus > 0;
        placed_elsewhere[how] += pods[i].gpus > 0 && got[i] != gpu_of[i];
    }
    hs_test_free(&r);
}

/* The nodes in the order of their names. */
static const char *write_nodes(void)
{
    static char text[64 * NODES];
    int used = snprintf(text, sizeof text, "sn,cpu_milli,memory_mib,gpu,model\n");
    for (uint32_t n = 0; n < NODES; n++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "%04" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",T4\n", n,
                         cluster[n].cpus_milli, cluster[n].mem_mib, cluster[n].gpus);
    return scratch_write("nodes.csv", text, (size_t)used);
}

static void run_all(bool with_policy)
{
    cook();
    for (uint64_t run = 0; run < SEEDS; run++) {
        draw_orders(SEED + run);
        for (int how = 0; how < SCORES; how++) {
            place_all(how, ours[how][run]);
            if (with_policy)
                run_policy(how, write_nodes());
        }
    }
}

/* Half of the last decimal, for figures and for sums of rounded addends. */
#define EQUAL 0.0051

static int differing(int how)
{
    int count = 0;
    for (int run = 0; run < SEEDS; run++)
        for (int what = 0; what < 2; what++)
            for (int at = 0; at < PERCENTS; at++)
                count += fabs(ours[how][run][what][at] - theirs[how][run][what][at]) > EQUAL;
    return count;
}

static void every_pod_is_where_the_rules_put_it(void **state)
{
    (void)state;
    (void)data_need("oracles", "openb-frag/default_gpushare.csv.gz");
    run_all(true);
    for (int how = 0; how < SCORES; how++) {
        print_message("%s: %u of %u elsewhere; %d of %d figures are not the published ones\n",
                      scores[how].published, placed_elsewhere[how], compared[how], differing(how),
                      SEEDS * 2 * PERCENTS);
        assert_int_equal(placed_elsewhere[how], 0);
        assert_int_equal(differing(how), 0);
    }
}

/* ---- the table of results/openb.md ---- */

static void print_band(int how, int what, int at)
{
    double least = 100, most = 0;
    for (int run = 0; run < SEEDS; run++) {
        least = fmin(least, ours[how][run][what][at]);
        most = fmax(most, ours[how][run][what][at]);
    }
    (void)printf(" %.2f to %.2f |", least, most);
}

static int print_table(void)
{
    int count = 0;
    run_all(false);
    (void)printf("| arrived %% |");
    for (int how = 0; how < SCORES; how++) {
        (void)printf(" %s: allocated %% | fragments %% |", scores[how].published);
        count += differing(how);
    }
    (void)printf("\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int at = 10; at < PERCENTS; at += at < 90 || at >= 100 ? 10 : 2) {
        (void)printf("| %d |", at);
        for (int how = 0; how < SCORES; how++)
            for (int what = 0; what < 2; what++)
                print_band(how, what, at);
        (void)printf("\n");
    }
    (void)printf(
        "\n%d of %d figures, those of the percentages between these rows included, differ from "
        "the published ones.\n",
        count, SCORES * SEEDS * 2 * PERCENTS);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "table") == 0)
        return set_up(NULL) != 0 || print_table() != 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pod_is_where_the_rules_put_it)};
    return cmocka_run_group_tests(tests, set_up, scratch_close);
}
