/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clusters from lists of machines. Lines and columns of messages are counted by hand in the text
 * beside them: 1-based, in bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/cluster.h"
#include "support/data.h"
#include "support/sink.h"

static struct sink sink;

static const char *write_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

static void load(struct hs_cluster *c, const char *spec)
{
    sink_init(&sink);
    if (hs_cluster_load(c, spec, &sink.diag) != HS_OK)
        fail_msg("%s", sink.text);
}

static void expect_node(const struct hs_cluster *c, uint32_t id, const char *name, uint32_t gpus,
                        const char *type, uint32_t cpus, uint32_t mem_mib)
{
    const struct hs_node *node = &c->nodes[id];
    assert_string_equal(node->name, name);
    assert_int_equal(node->gpus, gpus);
    assert_string_equal(c->types[node->type].name, type);
    assert_int_equal(node->cpus, cpus);
    assert_int_equal(node->mem_mib, mem_mib);
}

/* openb: CPU-only machines are left out; types in order of appearance, with the memory of those
 * with a known name (16 and 32 GiB); cores are thousandths, 31.85 of them count as 31. */
static void test_openb(void **state)
{
    (void)state;
    struct hs_cluster c;
    load(&c, write_text("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\n"
                                     "a-1,64000,262144,2,V100M32\n"
                                     "cpu-1,32000,262144,0,\n"
                                     "a-2,31850,1024,8,G2\r\n"
                                     "a-3,8000,2048,1,V100M16"));
    assert_int_equal(c.node_count, 3);
    assert_int_equal(c.gpu_count, 2 + 8 + 1);
    assert_int_equal(c.rack_count, 1);
    assert_int_equal(c.max_node_gpus, 8);
    expect_node(&c, 0, "a-1", 2, "V100M32", 64, 262144);
    expect_node(&c, 1, "a-2", 8, "G2", 31, 1024);
    expect_node(&c, 2, "a-3", 1, "V100M16", 8, 2048);
    assert_int_equal(c.nodes[2].first_gpu, 10);
    assert_int_equal(c.types[0].mem_mib, 32768);
    assert_int_equal(c.types[1].mem_mib, 0);
    assert_int_equal(c.types[2].mem_mib, 16384);
    assert_int_equal(sink.diag.warnings, 2);
    assert_non_null(strstr(sink.text, "1 machines without GPUs are left out"));
    assert_non_null(strstr(sink.text, "1 nodes have a part of a CPU core"));
    hs_cluster_free(&c);
}

/* Philly: blanks after commas; types by their memory. Its revision has an unnamed first column and
 * no memory. */
static void test_philly(void **state)
{
    (void)state;
    struct hs_cluster c;
    load(&c, write_text("cluster_machine_list",
                        "machineId, number of GPUs, single GPU mem\nm0,2, 12GB\nm7,8, 24GB\n"));
    assert_int_equal(c.node_count, 2);
    expect_node(&c, 0, "m0", 2, "GPU-12GB", 0, 0);
    expect_node(&c, 1, "m7", 8, "GPU-24GB", 0, 0);
    assert_int_equal(c.types[0].mem_mib, 12288);
    assert_int_equal(c.types[1].mem_mib, 24576);
    assert_int_equal(sink.diag.warnings, 0);
    hs_cluster_free(&c);

    load(&c, write_text("revised.csv", ",machineId,number of GPUs\n0,m0,8\n1,m1,0\n2,m2,3\n"));
    assert_int_equal(c.node_count, 2);
    expect_node(&c, 0, "m0", 8, "GPU", 0, 0);
    expect_node(&c, 1, "m2", 3, "GPU", 0, 0);
    hs_cluster_free(&c);
}

#define HEAD "sn,cpu_milli,memory_mib,gpu,model\n"

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *message;
    } cases[] = {
        {HEAD "a,1000,1,x,G2\n", ":2:10", "gpu must be a whole number 0..1024, not 'x'"},
        {HEAD "a,1000,1,,G2\n", ":2:10", "gpu must be a whole number 0..1024, not ''"},
        {HEAD "a,1000,1,2000,G2\n", ":2:10", "gpu must be a whole number 0..1024, not '2000'"},
        {HEAD "a,1.5,1,1,G2\n", ":2:3", "cpu_milli must be a whole number 0..65536000, not '1.5'"},
        {HEAD "a,1,-1,1,G2\n", ":2:5", "memory_mib must be a whole number 0..1073741824, not '-1'"},
        {HEAD "a,1,1,1,G2\na,1,1,1,G2\n", ":3:1", "a second node of name 'a'"},
        {HEAD ",1,1,1,G2\n", ":2:1", "a node without name"},
        {HEAD "a,1,1,1\n", ":2:8", "4 fields where the header has 5"},
        {HEAD "a,1,1,0,\n", "", "no node has a GPU"},
        {HEAD, "", "no node has a GPU"},
        {"machineId,gpus\nm0,2\n", ":1:1", "missing column 'gpu'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_cluster c;
        char expected[512];
        const char *path = write_text("bad.csv", cases[i].text);
        sink_init(&sink);
        assert_int_equal(hs_cluster_load(&c, path, &sink.diag), HS_E_INPUT);
        (void)snprintf(expected, sizeof expected, "%s%s: error: %s", path, cases[i].place,
                       cases[i].message);
        char *end = strchr(sink.text, '\n');
        if (end != NULL)
            *end = '\0';
        assert_string_equal(sink.text, expected);
        assert_int_equal(sink.diag.errors, 1);
    }
}

/* ---- the lists themselves, if available ---- */

static uint64_t kind_of(const struct hs_cluster *c, uint32_t id)
{
    const struct hs_node *n = &c->nodes[id];
    uint64_t kind = 1469598103934665603u;
    const uint64_t parts[] = {n->gpus, n->cpus, n->mem_mib, c->types[n->type].mem_mib};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        kind = (kind ^ parts[i]) * 1099511628211u;
    for (const char *at = c->types[n->type].name; *at != '\0'; at++)
        kind = (kind ^ (unsigned char)*at) * 1099511628211u;
    return kind;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The nodes are the same except for names and order. */
static void expect_same_nodes(const char *list, const char *preset)
{
    enum { MOST = 1300 };
    static uint64_t kinds[2][MOST];
    uint32_t counts[2];
    for (int side = 0; side < 2; side++) {
        struct hs_cluster c;
        load(&c, side == 0 ? list : preset);
        counts[side] = c.node_count;
        assert_in_range(c.node_count, 1, MOST);
        for (uint32_t n = 0; n < c.node_count; n++)
            kinds[side][n] = kind_of(&c, n);
        qsort(kinds[side], c.node_count, sizeof kinds[side][0], by_value);
        hs_cluster_free(&c);
    }
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(kinds[0], kinds[1], counts[0] * sizeof kinds[0][0]);
}

/* 1,213 nodes and 6,212 GPUs: awk -F, 'NR>1 {n++; g+=$4} END {print n, g}'. */
static void test_openb_itself(void **state)
{
    (void)state;
    const char *path = data_need("traces", "openb_node_list_gpu_node.csv");
    struct hs_cluster c;
    load(&c, path);
    assert_int_equal(c.node_count, 1213);
    assert_int_equal(c.gpu_count, 6212);
    assert_string_equal(c.nodes[1212].name, "openb-node-1212");
    assert_int_equal(sink.diag.warnings, 0);
    hs_cluster_free(&c);
    expect_same_nodes(path, "configs/clusters/openb.json");
}

static void test_philly_itself(void **state)
{
    (void)state;
    expect_same_nodes(data_need("traces", "cluster_machine_list"), "configs/clusters/philly.json");
    expect_same_nodes(data_need("traces", "revised_machine_list.csv"),
                      "configs/clusters/philly-revised.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openb),         cmocka_unit_test(test_philly),
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_openb_itself),
        cmocka_unit_test(test_philly_itself),
    };
    return cmocka_run_group_tests_name("model/cluster_list", tests, scratch_open, scratch_close);
}
