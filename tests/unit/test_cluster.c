/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clusters from shapes and JSON. Lines and columns of messages are counted by hand in the text
 * beside them: 1-based, in bytes.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "base/io.h"
#include "model/cluster.h"
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

/* ---- shapes ---- */

static void test_shape(void **state)
{
    (void)state;
    struct hs_cluster c;
    load(&c, "2x8:V100,1x4:P100,3x1:V100");
    assert_int_equal(c.node_count, 6);
    assert_int_equal(c.gpu_count, 2 * 8 + 4 + 3);
    assert_int_equal(c.max_node_gpus, 8);
    assert_int_equal(c.rack_count, 1);
    assert_int_equal(c.rack_first[0], 0);
    assert_int_equal(c.rack_first[1], 6);
    assert_int_equal(c.type_count, 2);
    assert_int_equal(c.types[0].mem_mib, 16384); /* 16 GiB, datasheet */
    assert_int_equal(c.types[1].speed_q32, HS_Q32_ONE);
    assert_string_equal(c.nodes[3].name, "n3");
    assert_int_equal(c.nodes[2].type, 1);
    assert_int_equal(c.nodes[3].type, 0);
    assert_int_equal(c.nodes[2].first_gpu, 16);
    assert_int_equal(c.nodes[3].first_gpu, 20);
    assert_string_equal(c.types[1].name, "P100");
    assert_int_equal(c.vc_count, 1);
    assert_int_equal(c.vc_mode, HS_VC_IGNORE);
    assert_string_equal(c.vcs[0].name, "");
    assert_int_equal(c.vcs[0].gpus, 23);
    assert_int_equal(hs_cluster_vc(&c, "whatever"), 0);
    assert_int_equal(c.input_hash, hs_hash_of("2x8:V100,1x4:P100,3x1:V100", 26));
    hs_cluster_free(&c);
}

/* Memory of the types that are known by name, MiB per GPU, from the datasheets; 0 = not known. */
static void test_shape_types(void **state)
{
    (void)state;
    static const uint32_t mem_gib[] = {16, 16, 24, 12, 40, 16, 24, 16, 32, 0, 0};
    struct hs_cluster c;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load_shape(&c,
                                           "1x1:V100,1x1:P100,1x1:P40,1x1:K80,1x1:A100,1x1:T4,"
                                           "1x1:A10,1x1:V100M16,1x1:V100M32,1x1:My-GPU_2.0+,1x1",
                                           &sink.diag),
                     HS_OK);
    for (uint32_t i = 0; i < 11; i++)
        assert_int_equal(c.types[c.nodes[i].type].mem_mib, mem_gib[i] * 1024);
    assert_string_equal(c.types[10].name, "GPU");
    hs_cluster_free(&c);
}

static void test_shape_errors(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *message;
        int column; /* of the caret */
        enum hs_status status;
    } cases[] = {
        {"", "expected a number of nodes", 1, HS_E_USAGE},
        {"x8", "expected a number of nodes", 1, HS_E_USAGE},
        {"no-such-file", "expected a number of nodes", 1, HS_E_USAGE},
        {"16", "expected 'x' after the number of nodes", 3, HS_E_USAGE},
        {"16X8", "expected 'x' after the number of nodes", 3, HS_E_USAGE},
        {"16x", "expected a number of GPUs per node", 4, HS_E_USAGE},
        {"16x8:", "expected the name of a GPU type", 6, HS_E_USAGE},
        {"16x8:,1x1", "expected the name of a GPU type", 6, HS_E_USAGE},
        {"16x8;1x1", "expected ',' or the end", 5, HS_E_USAGE},
        {"16x8:V100,", "expected a number of nodes", 11, HS_E_USAGE},
        {"16x8, 1x1", "expected a number of nodes", 6, HS_E_USAGE},
        {"0x8", "the number of nodes must be 1..1000000", 1, HS_E_USAGE},
        {"1000001x8", "the number of nodes must be 1..1000000", 1, HS_E_USAGE},
        {"99999999999999999999x8", "the number of nodes must be 1..1000000", 1, HS_E_USAGE},
        {"4x0", "a node must have 1..1024 GPUs", 3, HS_E_USAGE},
        {"4x8,4x1025", "a node must have 1..1024 GPUs", 7, HS_E_USAGE},
        {"1000000x1,1x8:T4", "more than 1000000 nodes", 11, HS_E_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_cluster c;
        char expected[512];
        sink_init(&sink);
        assert_int_equal(hs_cluster_load(&c, cases[i].spec, &sink.diag), cases[i].status);
        (void)snprintf(expected, sizeof expected,
                       "error: cluster '%s': %s\n    1 | %s\n      | %*s", cases[i].spec,
                       cases[i].message, cases[i].spec, cases[i].column, "^");
        sink.text[strlen(expected)] = '\0';
        assert_string_equal(sink.text, expected);
        assert_int_equal(c.node_count, 0);
    }
}

static void test_shape_type_limit(void **state)
{
    (void)state;
    char spec[1024] = "1x1:t0";
    for (int i = 1; i < 64; i++)
        (void)snprintf(spec + strlen(spec), sizeof spec - strlen(spec), ",1x1:t%d", i);
    struct hs_cluster c;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load_shape(&c, spec, &sink.diag), HS_OK);
    assert_int_equal(c.type_count, 64);
    hs_cluster_free(&c);
    strcat(spec, ",1x1:t64");
    assert_int_equal(hs_cluster_load_shape(&c, spec, &sink.diag), HS_E_LIMIT);
    assert_non_null(strstr(sink.text, "more than 64 GPU types"));
}

/* ---- JSON ---- */

static void test_json(void **state)
{
    (void)state;
    static const char json[] =
        "// two racks\n"
        "{\"name\": \"lab\",\n"
        " \"gpu_types\": {\"V100\": {\"mem_mib\": 32768, \"speed\": 1.0},\n"
        "               \"P100\": {\"speed\": 0.5}, \"mine\": {}},\n"
        " \"racks\": [\n"
        "   {\"nodes\": [{\"count\": 2, \"gpus\": 8, \"type\": \"V100\", \"cpus\": 64,\n"
        "               \"mem_mib\": 524288, \"vc\": \"a\"}]},\n"
        "   {\"nodes\": [{\"gpus\": 4, \"type\": \"P100\", \"name\": \"solo\", \"vc\": \"b\"},\n"
        "              {\"count\": 2, \"gpus\": 1, \"type\": \"mine\", \"name\": \"m\",\n"
        "               \"vc\": \"a\"}]}],\n"
        " \"vcs\": {\"a\": 18, \"b\": 4}}\n";
    struct hs_cluster c;
    load(&c, write_text("lab.json", json));
    assert_int_equal(c.node_count, 5);
    assert_int_equal(c.gpu_count, 22);
    assert_int_equal(c.rack_count, 2);
    assert_int_equal(c.rack_first[1], 2);
    assert_int_equal(c.rack_first[2], 5);
    assert_int_equal(c.nodes[2].rack, 1);
    assert_int_equal(c.types[0].mem_mib, 32768);
    assert_int_equal(c.types[1].mem_mib, 16384); /* known from its name */
    assert_int_equal(c.types[1].speed_q32, HS_Q32_ONE / 2);
    assert_int_equal(c.types[2].mem_mib, 0);
    assert_int_equal(c.types[2].speed_q32, HS_Q32_ONE);
    assert_int_equal(c.nodes[0].cpus, 64);
    assert_int_equal(c.nodes[0].mem_mib, 524288);
    assert_int_equal(c.nodes[2].cpus, 0);
    static const char *const names[] = {"n0", "n1", "solo", "m0", "m1"};
    for (uint32_t i = 0; i < 5; i++)
        assert_string_equal(c.nodes[i].name, names[i]);
    assert_int_equal(c.input_hash, hs_hash_of(json, sizeof json - 1));
    /* A VC is defined, but VCs are not in use. */
    assert_int_equal(c.vc_count, 1);
    assert_int_equal(hs_cluster_vc(&c, "b"), 0);
    assert_int_equal(hs_cluster_set_vcs(&c, HS_VC_PARTITION, NULL, "", &sink.diag), HS_OK);
    assert_int_equal(c.vc_count, 2);
    assert_int_equal(hs_cluster_vc(&c, "b"), 1);
    assert_int_equal(hs_cluster_vc(&c, "c"), UINT32_MAX);
    assert_int_equal(hs_cluster_vc(&c, ""), UINT32_MAX);
    static const uint32_t owners[] = {0, 0, 1, 0, 0};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(c.nodes[i].vc, owners[i]);
    assert_int_equal(c.vcs[0].gpus, 18);
    assert_int_equal(c.vcs[0].quota_gpus, UINT64_MAX);
    hs_cluster_free(&c);
}

/* Without "vcs" the owners of the nodes are the list, in the order of the file. */
/* 2.5 times the nodes of two racks, of three and of one: 2.5, 5, 7.5 and 10 in all up to each,
 * rounded 3, 5, 8 and 10. */
static void test_overcommit(void **state)
{
    static const char text[] = "{\"racks\": [{\"nodes\": [{\"count\": 3, \"gpus\": 1}]},"
                               " {\"nodes\": [{\"gpus\": 4}]}]}";
    struct hs_cluster c;
    (void)state;
    load(&c, scratch_write("racks.json", text, strlen(text)));
    assert_int_equal(hs_cluster_overcommit(&c, 2.5, &sink.diag), HS_OK);
    assert_int_equal(c.node_count, 10);
    assert_int_equal(c.gpu_count, 8 * 1 + 2 * 4);
    assert_int_equal(c.rack_first[0], 0);
    assert_int_equal(c.rack_first[1], 8);
    assert_int_equal(c.rack_first[2], 10);
    hs_cluster_free(&c);
}

static void test_json_owners_alone(void **state)
{
    (void)state;
    struct hs_cluster c;
    load(&c, write_text("own.json", "{\"nodes\": [{\"gpus\": 8, \"type\": \"V100\", \"vc\": \"z\"},"
                                    " {\"count\": 2, \"gpus\": 4, \"vc\": \"a\"}]}"));
    assert_int_equal(c.type_count, 2); /* V100, and the nodes without a type */
    assert_int_equal(hs_cluster_set_vcs(&c, HS_VC_QUOTA, NULL, NULL, &sink.diag), HS_OK);
    assert_string_equal(c.vcs[0].name, "z");
    assert_int_equal(c.vcs[0].quota_gpus, 8);
    assert_int_equal(c.vcs[1].quota_gpus, 8);
    assert_int_equal(c.vcs[1].gpus, 16); /* all share the cluster */
    assert_int_equal(c.nodes[2].vc, 0);
    hs_cluster_free(&c);
}

/* One fault a text; place is line:column. */
static void test_json_errors(void **state)
{
    (void)state;
    static const struct {
        const char *json, *place, *message, *hint;
    } cases[] = {
        {"[]", "1:1", "a cluster must be an object, not an array", NULL},
        {"{}", "1:1", "a cluster has either racks or nodes", "is one rack"},
        {"{\"nodes\": [{\"gpus\": 8}],\n \"racks\": []}", "1:11",
         "a cluster has either racks or nodes", NULL},
        {"{\"nodes\": {}}", "1:11", "nodes must be an array, not an object", NULL},
        {"{\"nodes\": []}", "1:11", "nodes is empty", NULL},
        {"{\"nodes\": [8]}", "1:12", "a node group must be an object, not a number", NULL},
        {"{\"nodes\": [{}]}", "1:12", "a node group without gpus", "add \"gpus\""},
        {"{\"nodes\": [\n  {\"gpu\": 8, \"gpus\": 8}]}", "2:4", "unknown key 'gpu' in a node group",
         "did you mean 'gpus'?"},
        {"{\"nodes\": [{\"gpus\": 8, \"quux\": 1}]}", "1:24", "unknown key 'quux' in a node group",
         "known keys: count gpus type"},
        {"{\"nodes\": [{\"gpus\": 0}]}", "1:21", "gpus must be a whole number 1..1024", NULL},
        {"{\"nodes\": [{\"gpus\": 1025}]}", "1:21", "gpus must be a whole number 1..1024", NULL},
        {"{\"nodes\": [{\"gpus\": 1.5}]}", "1:21", "gpus must be a whole number 1..1024", NULL},
        {"{\"nodes\": [{\"gpus\": \"8\"}]}", "1:21", "gpus must be a whole number 1..1024", NULL},
        {"{\"nodes\": [{\"count\": 0, \"gpus\": 8}]}", "1:22",
         "count must be a whole number 1..1000000", NULL},
        {"{\"nodes\": [{\"count\": 1000000, \"gpus\": 1},\n{\"gpus\": 1}]}", "2:1",
         "more than 1000000 nodes", NULL},
        {"{\"nodes\": [{\"gpus\": 8, \"cpus\": 0}]}", "1:32",
         "cpus must be a whole number 1..65536", NULL},
        {"{\"nodes\": [{\"gpus\": 8, \"mem_mib\": -1}]}", "1:35",
         "mem_mib must be a whole number 1..1073741824", NULL},
        {"{\"nodes\": [{\"gpus\": 8, \"type\": 100}]}", "1:32", "type must be text, not a number",
         NULL},
        {"{\"nodes\": [{\"gpus\": 8, \"type\": \"\"}]}", "1:32", "type must have 1..255 bytes",
         NULL},
        {"{\"nodes\": [{\"gpus\": 8, \"type\": \"H1000\"}]}", "1:32", "unknown GPU type 'H1000'",
         "declare it under \"gpu_types\""},
        {"{\"gpu_types\": {\"V100\": {}},\n\"nodes\": [{\"gpus\": 8, \"type\": \"v100\"}]}", "2:31",
         "unknown GPU type 'v100'", "did you mean 'V100'?"},
        {"{\"gpu_types\": {\"V100\": {}},\n\"nodes\": [{\"gpus\": 8}]}", "2:11",
         "a node group without GPU type", "one of \"gpu_types\""},
        {"{\"gpu_types\": {\"V100\": 16}, \"nodes\": [{\"gpus\": 8, \"type\": \"V100\"}]}", "1:24",
         "a GPU type must be an object, not a number", NULL},
        {"{\"gpu_types\": {\"T\": {\"speed\": 0}}, \"nodes\": [{\"gpus\": 8, \"type\": \"T\"}]}",
         "1:31", "speed must be a number above 0, at most 1000", "on which the trace was"},
        {"{\"gpu_types\": {\"T\": {\"mem\": 1}}, \"nodes\": [{\"gpus\": 8, \"type\": \"T\"}]}",
         "1:22", "unknown key 'mem' in a GPU type", NULL},
        {"{\"gpu_types\": {}, \"nodes\": [{\"gpus\": 8}]}", "1:15", "gpu_types is empty", NULL},
        {"{\"name\": 7, \"nodes\": [{\"gpus\": 8}]}", "1:10", "name must be text, not a number",
         NULL},
        {"{\"nodes\": [{\"gpus\": 8}], \"vc\": {}}", "1:26", "unknown key 'vc' in a cluster",
         "did you mean 'vcs'?"},
        {"{\"nodes\": [{\"gpus\": 8}], \"vcs\": []}", "1:33", "vcs must be an object, not an array",
         NULL},
        {"{\"nodes\": [{\"gpus\": 8}], \"vcs\": {\"a\": -8}}", "1:39",
         "a must be a whole number 0..4294967295", NULL},
        {"{\"nodes\": [{\"gpus\": 8}], \"vcs\": {\"\": 8}}", "1:38",
         "the name of a virtual cluster must have 1..255 bytes", NULL},
        {"{\"nodes\": [{\"gpus\": 8, \"vc\": \"b\"}], \"vcs\": {\"a\": 8}}", "1:30",
         "unknown virtual cluster 'b'", "add it to \"vcs\""},
        {"{\"nodes\": [{\"gpus\": 8, \"vc\": \"a\"},\n {\"gpus\": 8}]}", "2:2",
         "a node group without virtual cluster among others with one", "to all node groups or"},
        {"{\"nodes\": [{\"gpus\": 8, \"vc\": \"a\"}],\n \"vcs\": {\"a\": 16}}", "2:15",
         "virtual cluster 'a' has 16 GPUs here, but its nodes have 8", NULL},
        {"{\"racks\": [{\"nodes\": [{\"gpus\": 8}]}, {}]}", "1:38", "a rack without nodes", NULL},
        {"{\"racks\": [7]}", "1:12", "a rack must be an object, not a number", NULL},
        {"{\"racks\": [{\"name\": \"r\", \"nodes\": [{\"gpus\": 8}]}]}", "1:13",
         "unknown key 'name' in a rack", NULL},
        {"{\"nodes\": [{\"gpus\": 8, \"name\": \"x\"},\n {\"gpus\": 4, \"name\": \"x\"}]}", "2:2",
         "a second node of name 'x'", NULL},
        {"{\"nodes\": [{\"gpus\": 8, \"name\": \"n1\"},\n {\"count\": 2, \"gpus\": 4}]}", "2:2",
         "a second node of name 'n1'", "nodes without name are n0, n1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_cluster c;
        char expected[512];
        const char *path = write_text("bad.json", cases[i].json);
        sink_init(&sink);
        assert_int_equal(hs_cluster_load(&c, path, &sink.diag), HS_E_INPUT);
        (void)snprintf(expected, sizeof expected, "%s:%s: error: %s", path, cases[i].place,
                       cases[i].message);
        char *end = strchr(sink.text, '\n');
        assert_non_null(end);
        if (cases[i].hint != NULL && strstr(end, cases[i].hint) == NULL)
            fail_msg("no hint '%s' in\n%s", cases[i].hint, sink.text);
        *end = '\0';
        assert_string_equal(sink.text, expected);
        if (sink.diag.errors != 1)
            fail_msg("more than one error for %s", cases[i].json);
    }
}

/* All faults in one call, the first 20 with messages. */
static void test_json_many_errors(void **state)
{
    (void)state;
    struct hs_cluster c;
    sink_init(&sink);
    const char *path = write_text("two.json", "{\"nodes\": [{\"gpus\": 0},\n{\"gpus\": 2000}]}");
    assert_int_equal(hs_cluster_load(&c, path, &sink.diag), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 2);
    assert_non_null(strstr(sink.text, "two.json:2:10: error: gpus"));

    char text[1024] = "{\"nodes\": [{}";
    for (int i = 1; i < 25; i++)
        strcat(text, ",{}");
    strcat(text, "]}");
    sink_init(&sink);
    assert_int_equal(hs_cluster_load(&c, write_text("many.json", text), &sink.diag), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 20);
    assert_non_null(strstr(sink.text, "further errors are not shown"));
}

static void test_missing_file(void **state)
{
    (void)state;
    struct hs_cluster c;
    sink_init(&sink);
    assert_int_equal(hs_cluster_load(&c, "no/such/cluster.json", &sink.diag), HS_E_IO);
    assert_int_equal(sink.diag.errors, 1);
}

/* ---- shipped files ---- */

/* Totals by hand, from the sources that the files name. Philly: 321 x 2 + 231 x 8 as released;
 * 264 x 8 + 271 x 4 + 3 + 3 x 2 as revised, without the 13 machines that have no GPU; 352 nodes of
 * 8 by VC in the reproduction, of them 2 x 32 in two VCs. Helios: 133, 143, 262 and 264 nodes of 8.
 * PAI: 6,742 GPUs (NSDI'22), 798 + 497 + 280 + 135 + 104 nodes. openb: its node list has 1,213 rows
 * and 6,212 GPUs. Horus 3 x 4. Tiresias: 15 x 4 and 4 x 4. Gandiva: 50 + 50 in 2 x (12 x 4 + 2),
 * and 45 x 4. AntMan: 64. Gavel: 3 x 36. */
static const struct {
    const char *file;
    uint32_t nodes, gpus, vcs, types;
} shipped[] = {
    {"philly.json", 552, 2490, 0, 2},
    {"philly-revised.json", 552 - 13, 3205, 0, 1},
    {"philly-8gpu.json", 352, 2816, 11, 1},
    {"philly-2vc.json", 64, 512, 2, 1},
    {"venus.json", 133, 1064, 16, 1},
    {"earth.json", 143, 1144, 18, 1},
    {"saturn.json", 262, 2096, 0, 1},
    {"uranus.json", 264, 2112, 0, 1},
    {"pai.json", 1814, 6742, 0, 5},
    {"openb.json", 1213, 6212, 0, 7},
    {"horus-3x4.json", 3, 12, 0, 1},
    {"tiresias-15x4-p100.json", 15, 60, 0, 1},
    {"gandiva-100.json", 26, 100, 0, 2},
    {"gandiva-45x4.json", 45, 180, 0, 2},
    {"antman-8x8-v100.json", 8, 64, 0, 1},
    {"gavel-36-36-36.json", 27, 108, 0, 3},
    {"n4g4.json", 4, 16, 0, 1},
};

#define SHIPPED_COUNT (sizeof shipped / sizeof shipped[0])

static void test_shipped_clusters(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHIPPED_COUNT; i++) {
        struct hs_cluster c;
        char path[128];
        (void)snprintf(path, sizeof path, "configs/clusters/%s", shipped[i].file);
        load(&c, path);
        assert_int_equal(c.node_count, shipped[i].nodes);
        assert_int_equal(c.gpu_count, shipped[i].gpus);
        assert_int_equal(c.own_vc_count, shipped[i].vcs);
        assert_int_equal(c.type_count, shipped[i].types);
        if (shipped[i].vcs > 0)
            assert_int_equal(hs_cluster_set_vcs(&c, HS_VC_PARTITION, NULL, "", &sink.diag), HS_OK);
        hs_cluster_free(&c);
    }
}

/* Every shipped cluster has a line above. */
static void test_shipped_clusters_all(void **state)
{
    (void)state;
    size_t found = 0;
    DIR *folder = opendir("configs/clusters");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        found += strstr(entry->d_name, ".json") != NULL;
    closedir(folder);
    assert_int_equal(found, SHIPPED_COUNT);
}

static uint32_t gpus_of(const struct hs_cluster *c, const char *type)
{
    uint32_t gpus = 0;
    for (uint32_t n = 0; n < c->node_count; n++)
        if (strcmp(c->types[c->nodes[n].type].name, type) == 0)
            gpus += c->nodes[n].gpus;
    return gpus;
}

/* GPUs by type where there are several: Gandiva 50 + 50, and 23 and 22 machines of 4; Gavel 36
 * each; openb 549 x 8 G2, 387 x 2 + 17 x 4 T4, 39 x 8 G3 (Weng et al., ATC'23, and its node list).
 */
static void test_shipped_types(void **state)
{
    (void)state;
    struct hs_cluster c;
    load(&c, "configs/clusters/gandiva-100.json");
    assert_int_equal(gpus_of(&c, "P100"), 50);
    assert_int_equal(gpus_of(&c, "P40"), 50);
    hs_cluster_free(&c);
    load(&c, "configs/clusters/gandiva-45x4.json");
    assert_int_equal(gpus_of(&c, "P100"), 23 * 4);
    assert_int_equal(gpus_of(&c, "P40"), 22 * 4);
    hs_cluster_free(&c);
    load(&c, "configs/clusters/gavel-36-36-36.json");
    assert_int_equal(gpus_of(&c, "V100"), 36);
    assert_int_equal(gpus_of(&c, "P100"), 36);
    assert_int_equal(gpus_of(&c, "K80"), 36);
    hs_cluster_free(&c);
    load(&c, "configs/clusters/openb.json");
    assert_int_equal(gpus_of(&c, "G2"), 549 * 8);
    assert_int_equal(gpus_of(&c, "T4"), 387 * 2 + 17 * 4);
    assert_int_equal(gpus_of(&c, "G3"), 39 * 8);
    hs_cluster_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_shape_types),
        cmocka_unit_test(test_shape_errors),
        cmocka_unit_test(test_shape_type_limit),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_overcommit),
        cmocka_unit_test(test_json_owners_alone),
        cmocka_unit_test(test_json_errors),
        cmocka_unit_test(test_json_many_errors),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_shipped_clusters),
        cmocka_unit_test(test_shipped_clusters_all),
        cmocka_unit_test(test_shipped_types),
    };
    return cmocka_run_group_tests_name("model/cluster", tests, scratch_open, scratch_close);
}
