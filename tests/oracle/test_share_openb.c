/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pods of openb (Weng et al., USENIX ATC'23) on a third of its nodes, 404 of seven GPU types:
 * the engine against the reference of ref/refparts.h, pod by pod. The files are read here
 * independently, as far as needed. All nodes could hold all pods at once; on a third of them, with
 * submissions 600 times as fast, pods queue. A third of the pods are given sets of GPU types, which
 * the public list does not contain.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/data.h"
#include "support/parted.h"
#include "support/sink.h"

#define PODS_MAX 8192
#define NODES    1213
#define THIN     3
#define GPU_PODS 7064
#define FASTER   600

static const char *const models[] = {"P100", "T4", "V100M16", "V100M32", "G2", "G3", "A10"};
static const char *const wishes[] = {"V100M16|V100M32", "T4", "G2|G3", "T4|P100|A10", "G2"};

static struct parts s;
static struct hs_test_job jobs[PODS_MAX];
static struct parts_job mine[PODS_MAX];
static struct parted_watch watch;
static int count;

static int model_of(const char *name)
{
    int m = 0;
    while (m < 7 && strcmp(models[m], name) != 0)
        m++;
    assert_true(m < 7);
    return m;
}

static uint32_t bits_of(const char *wish)
{
    char copy[64];
    uint32_t bits = 0;
    (void)snprintf(copy, sizeof copy, "%s", wish);
    for (char *name = strtok(copy, "|"); name != NULL; name = strtok(NULL, "|"))
        bits |= UINT32_C(1) << model_of(name);
    return bits;
}

/* Copies every third node into a list of its own. */
static const char *thin_nodes(const char *path)
{
    static char text[65536];
    char line[256], model[32];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    int row = 0;
    for (s.nodes = 0; fgets(line, sizeof line, file) != NULL; row++) {
        if (row % THIN != 0)
            continue;
        struct parts_node *n = &s.node[s.nodes++];
        assert_true(strlen(text) + strlen(line) < sizeof text);
        strcat(text, line);
        assert_int_equal(sscanf(line, "%*[^,],%" SCNd64 ",%" SCNd64 ",%d,%31[^\r\n]",
                                &n->cpus_milli, &n->mem_mib, &n->gpus, model),
                         4);
        n->type = model_of(model);
    }
    (void)fclose(file);
    assert_int_equal(row, NODES);
    assert_int_equal(s.nodes, (NODES + THIN - 1) / THIN);
    return scratch_write("nodes.csv", text, strlen(text));
}

/* The text of a column, from 0; "" where it is empty. */
static const char *column(const char *line, int number, char *cell, size_t size)
{
    for (; number > 0; number--)
        line = strchr(line, ',') + 1;
    (void)snprintf(cell, size, "%.*s", (int)strcspn(line, ",\r\n"), line);
    return cell;
}

/* Rows are in order of creation. A pod without an end runs for a day. */
static void read_pods(const char *path)
{
    char line[512], cell[64];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    int64_t epoch_s = -1;
    for (count = 0; fgets(line, sizeof line, file) != NULL;) {
        struct hs_test_job *j = &jobs[count];
        int64_t value[11];
        for (int c = 1; c < 11; c++)
            value[c] = strtoll(column(line, c, cell, sizeof cell), NULL, 10);
        if (value[3] == 0)
            continue;
        assert_true(count < GPU_PODS);
        epoch_s = epoch_s < 0 ? value[8] : epoch_s;
        uint64_t draw = hs_mix64(3, (uint64_t)count++);
        *j = (struct hs_test_job){
            .submit_us = (value[8] - epoch_s) * HS_TEST_S / FASTER,
            .duration_s = *column(line, 9, cell, sizeof cell) != '\0' ? value[9] - value[8] : 86400,
            .gpus = (uint32_t)value[3],
            .gpu_milli = (uint32_t)value[4],
            .cpus_milli = (uint32_t)value[1],
            .mem_mib = (uint32_t)value[2],
            .gpu_type = draw % 3 == 0 ? wishes[draw / 3 % 5] : NULL};
    }
    (void)fclose(file);
    assert_int_equal(count, GPU_PODS);
}

static void refer(void)
{
    /* parted_jobs reads names X0, X1, ...; the sets of types are entered here */
    for (int i = 0; i < count; i++) {
        const char *wish = jobs[i].gpu_type;
        jobs[i].gpu_type = NULL;
        parted_jobs(&s, &jobs[i], 1, &mine[i]);
        mine[i].types = wish != NULL ? bits_of(wish) : 0;
        jobs[i].gpu_type = wish;
    }
    s.jobs = mine;
    s.count = count;
    parts_simulate(&s);
}

static void compare(const char *nodes, const char *policy)
{
    struct hs_test_result r;
    struct hs_test_options options = {.observer = parted_watch(&watch, &s), .checks_fast = true};
    int rejected = 0, waited = 0;
    if (hs_test_run_with(jobs, (uint32_t)count, nodes, policy, &options, &r) != HS_OK)
        fail_msg("%s", r.message);
    for (int i = 0; i < count; i++) {
        const struct hs_test_outcome *o = &r.jobs[i];
        rejected += mine[i].is_rejected;
        waited += mine[i].start_us > mine[i].submit_us;
        assert_int_equal(o->state, mine[i].is_rejected ? HS_JOB_REJECTED : HS_JOB_DONE);
        assert_int_equal(o->start_us, mine[i].start_us);
        assert_int_equal(o->end_us, mine[i].finish_us);
    }
    for (uint32_t k = 0; k < r.segment_count; k++)
        for (uint32_t g = 0; g < r.segments[k].gpu_count; g++)
            assert_int_equal(r.segments[k].gpus[g], mine[r.segments[k].job].held[g]);
    hs_test_free(&r);
    assert_string_equal(parted_difference(&watch), "");
    print_message("%s: %d pods, %d rejected, %d waited\n", policy, count, rejected, waited);
    assert_true(rejected == 0 && waited > 100);
}

static void test_pods(void **state)
{
    (void)state;
    read_pods(data_need("traces", "openb_pod_list_default.csv"));
    const char *nodes = thin_nodes(data_need("traces", "openb_node_list_gpu_node.csv"));
    s.placer = REF_BEST_FIT;
    refer();
    compare(nodes, "fifo:scan=strict,placement=best_fit");
    s.is_fit = true;
    s.placer = REF_FIRST_FIT;
    refer();
    compare(nodes, "fifo:scan=fit,placement=first_fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pods)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
