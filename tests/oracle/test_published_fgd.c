/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fgd on openb as published (Weng et al., ATC'23; oracles/openb-frag): the pods of the default list
 * and more drawn of them, up to 130 % of the cluster's GPUs, shuffled; none leaves. Ten orders,
 * three scores. A second program, below, places every pod by the rules of the published simulator;
 * the policy must put each where it does. The curves of both, by percent of the GPUs that has
 * arrived, lie beside the published ones. `table` as an argument prints them for results/openb.md.
 *
 * The policy has seen the list once before: each pod alone, for a second.
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

#include "base/rng.h"
#include "data/csv.h"
#include "support/data.h"
#include "support/run.h"
#include "support/sink.h"

#define NODES     1213
#define LISTED    8152
#define PODS_MAX  12000
#define HISTORY   8192 /* a power of two: the policy learns there, and next at twice as many */
#define KINDS_MAX 160
#define SEEDS     10
#define PERCENTS  131
#define INFLATION 1.3 /* generate_run_scripts.py: tune_ratio */
#define GPUS_MAX  8

enum { FGD, BEST_FIT, DOT_PRODUCT, SCORES };
static const struct {
    const char *policy, *published;
} scores[SCORES] = {{"fgd:scan=fit", "FGD"},
                    {"fgd:scan=fit,score=best_fit", "BestFit"},
                    {"fgd:scan=fit,score=dot_product", "DotProd"}};

struct pod {
    int64_t cpus_milli, gpus, milli;
};
struct node {
    int64_t cpus_milli, gpus, room[GPUS_MAX];
};
struct band {
    double least, most, sum;
    uint32_t count;
};

static struct node cluster[NODES], nodes[NODES];
static uint32_t first_gpu[NODES];
static struct pod listed[LISTED], pods[PODS_MAX], kinds[KINDS_MAX];
static uint32_t pod_count, kind_count, typical_count, kind_of[PODS_MAX], kind_seen[KINDS_MAX];
static uint32_t typical[KINDS_MAX];
static int64_t typical_seen, gpu_milli;
static uint32_t gpu_of[PODS_MAX]; /* by the second program; UINT32_MAX = none */
static struct band ours[SCORES][2][PERCENTS], theirs[SCORES][2][PERCENTS];
static uint32_t compared[SCORES], placed_elsewhere[SCORES];

static void band_add(struct band *b, double x)
{
    b->least = b->count == 0 || x < b->least ? x : b->least;
    b->most = b->count == 0 || x > b->most ? x : b->most;
    b->sum += x;
    b->count++;
}

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
    struct node *node = &cluster[n];
    assert_true(n < NODES);
    *node = (struct node){.cpus_milli = number(row, 1), .gpus = number(row, 3)};
    first_gpu[n] = n == 0 ? 0 : first_gpu[n - 1] + (uint32_t)cluster[n - 1].gpus;
    for (int64_t g = 0; g < node->gpus; g++)
        node->room[g] = 1000;
    gpu_milli += node->gpus * 1000;
}

static uint32_t kind_number(const struct pod *p)
{
    uint32_t k = 0;
    while (k < kind_count && memcmp(&kinds[k], p, sizeof *p) != 0)
        k++;
    if (k == kind_count)
        kinds[kind_count++] = *p;
    assert_true(kind_count < KINDS_MAX);
    return k;
}

static void use_pod(const struct hs_csv_row *row, uint32_t n)
{
    assert_true(n < LISTED);
    listed[n] = (struct pod){number(row, 1), number(row, 3), 0};
    listed[n].milli = listed[n].gpus > 0 ? number(row, 4) : 0;
    (void)kind_number(&listed[n]);
}

static void use_published(const struct hs_csv_row *row, uint32_t n)
{
    (void)n;
    for (uint32_t s = 0; s < SCORES && strcmp(row->fields[0], "default") == 0; s++) {
        if (strcmp(row->fields[1], scores[s].published) != 0)
            continue;
        band_add(&theirs[s][0][number(row, 4)], strtod(row->fields[5], NULL));
        band_add(&theirs[s][1][number(row, 4)], strtod(row->fields[6], NULL));
    }
}

/* The kinds that make up 95 % of the history, the most frequent first; first come, first. */
static void find_typical(void)
{
    for (uint32_t i = 0; i < HISTORY; i++)
        kind_seen[kind_number(&listed[i % LISTED])]++;
    static bool is_taken[KINDS_MAX];
    while (typical_seen * 100 < (int64_t)HISTORY * 95) {
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

/* More pods, then another order of all (Fisher and Yates). */
static void make_pods(uint64_t seed)
{
    struct hs_rng rng;
    hs_rng_open(&rng, seed, "openb");
    int64_t asked = 0;
    for (pod_count = 0; pod_count < LISTED || (double)asked <= INFLATION * (double)gpu_milli;
         pod_count++) {
        struct pod *p = &pods[pod_count];
        assert_true(pod_count < PODS_MAX);
        *p = listed[pod_count < LISTED ? pod_count : hs_rng_below(&rng, LISTED)];
        asked += p->gpus * p->milli;
    }
    for (uint32_t i = pod_count - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)hs_rng_below(&rng, i + 1);
        const struct pod swapped = pods[i];
        pods[i] = pods[j];
        pods[j] = swapped;
    }
    for (uint32_t i = 0; i < pod_count; i++)
        kind_of[i] = kind_number(&pods[i]);
    hs_rng_close(&rng);
}

/* ---- the second program ---- */

static int64_t room_of(const struct node *n)
{
    int64_t total = 0;
    for (int64_t g = 0; g < n->gpus; g++)
        total += n->room[g];
    return total;
}

/* Thousandths of GPUs, the sum over the pods of the typical kinds: a whole number, so that
 * placements that save the same get the same score. */
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

/* Takes idle GPUs, or for a share the GPU. */
static struct node after(const struct node *n, const struct pod *p, int64_t gpu)
{
    struct node m = *n;
    int64_t left = p->gpus;
    m.cpus_milli -= p->cpus_milli;
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

/* The best score of the node and the GPU of it; -1: no room. */
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

static uint32_t find_node(int how, uint32_t kind, int64_t *gpu)
{
    uint32_t found = NODES;
    int best = -1;
    for (uint32_t n = 0; n < NODES; n++) {
        if (kept[kind][n].version != version[n]) {
            kept[kind][n].score = best_on(how, &nodes[n], &kinds[kind], &kept[kind][n].gpu);
            kept[kind][n].version = version[n];
        }
        if (kept[kind][n].score > best) {
            best = kept[kind][n].score;
            *gpu = kept[kind][n].gpu;
            found = n;
        }
    }
    return found;
}

/* Places all pods; the curves are means over the pods whose arrival makes that percent, rounded, as
 * in merge_alloc_discrete.py and merge_frag_discrete.py. */
static void place_all(int how)
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
        const uint32_t n = find_node(how, kind_of[i], &gpu);
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
            sum[0][at] += 100.0 * (double)allocated / (double)gpu_milli;
            sum[1][at] += 100.0 * (double)frag / (double)typical_seen / (double)gpu_milli;
            count[at]++;
        }
    }
    for (int at = 0; at < PERCENTS; at++)
        for (int what = 0; what < 2; what++)
            band_add(&ours[how][what][at], sum[what][at] / (double)count[at]);
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
        const struct pod *p = is_past ? &listed[i % LISTED] : &pods[i - HISTORY];
        jobs[i] = (struct hs_test_job){.gpus = (uint32_t)p->gpus,
                                       .gpu_milli = (uint32_t)p->milli,
                                       .cpus_milli = (uint32_t)p->cpus_milli,
                                       .submit_s = 2 * i,
                                       .duration_s = is_past ? 1 : 1000000};
    }
    if (hs_test_run_with(jobs, HISTORY + pod_count, node_list, scores[how].policy, &options, &r) !=
        HS_OK)
        fail_msg("%s", r.message);
    memset(got, 0xff, sizeof got);
    for (uint32_t s = 0; s < r.segment_count; s++) {
        const struct hs_test_segment *g = &r.segments[s];
        /* none leaves before the last has come */
        if (g->job >= HISTORY && g->start_us < 1000000 * HS_TEST_S && g->gpu_count > 0)
            got[g->job - HISTORY] = g->gpus[0];
    }
    for (uint32_t i = 0; i < pod_count; i++) {
        compared[how] += pods[i].gpus > 0;
        placed_elsewhere[how] += pods[i].gpus > 0 && got[i] != gpu_of[i];
    }
    hs_test_free(&r);
}

static void run_all(bool with_policy)
{
    const char *node_list = data_need("traces", "openb_node_list_gpu_node.csv");
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        make_pods(seed);
        for (int how = 0; how < SCORES; how++) {
            place_all(how);
            if (with_policy)
                run_policy(how, node_list);
        }
    }
}

static double mean(const struct band *b)
{
    return b->sum / b->count;
}

/* At how many percents our mean is within the published band. */
static int within(int how, int what)
{
    int count = 0;
    for (int at = 0; at < PERCENTS; at++) {
        const struct band *band = &theirs[how][what][at];
        const double x = mean(&ours[how][what][at]);
        count += x >= band->least && x <= band->most;
    }
    return count;
}

static void every_pod_is_where_the_rules_put_it(void **state)
{
    (void)state;
    (void)data_need("oracles", "openb-frag/default_gpushare.csv.gz");
    run_all(true);
    for (int how = 0; how < SCORES; how++) {
        print_message("%s: %u of %u elsewhere; mean in the published band at %d, %d of %d\n",
                      scores[how].published, placed_elsewhere[how], compared[how], within(how, 0),
                      within(how, 1), PERCENTS);
        assert_int_equal(placed_elsewhere[how], 0);
    }
    /* Ten draws are never all inside the band of ten others: 1 in 20 may be out. Of best fit the
     * published runs are .2 points below those by its published rules; why is not known. */
    for (int what = 0; what < 2; what++) {
        assert_true(within(FGD, what) * 20 >= PERCENTS * 19);
        assert_true(within(DOT_PRODUCT, what) * 20 >= PERCENTS * 19);
        assert_true(fabs(mean(&ours[BEST_FIT][what][100]) - mean(&theirs[BEST_FIT][what][100])) <
                    0.3);
    }
}

/* ---- the table of results/openb.md ---- */

static void print_bands(const struct band *out, const struct band *in)
{
    (void)printf(" %.2f to %.2f | %.2f to %.2f |", out->least, out->most, in->least, in->most);
}

static int print_table(void)
{
    run_all(false);
    for (int how = 0; how < SCORES; how++) {
        (void)printf(
            "%s. Our mean is inside the published band of allocation at %d of %d percents, "
            "of fragments at %d.\n\n",
            scores[how].published, within(how, 0), PERCENTS, within(how, 1));
        (void)printf(
            "| arrived %% | allocated %%, published | ours | fragments %%, published | ours |\n"
            "| --- | --- | --- | --- | --- |\n");
        for (int at = 10; at < PERCENTS; at += at < 90 || at >= 100 ? 10 : 1) {
            (void)printf("| %d |", at);
            print_bands(&theirs[how][0][at], &ours[how][0][at]);
            print_bands(&theirs[how][1][at], &ours[how][1][at]);
            (void)printf("\n");
        }
        (void)printf("\n");
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "table") == 0)
        return set_up(NULL) != 0 || print_table() != 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pod_is_where_the_rules_put_it)};
    return cmocka_run_group_tests(tests, set_up, scratch_close);
}
