/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Virtual clusters from JSON and CSV, as partitions and as quotas. Lines and columns of messages
 * are counted by hand in the text beside them: 1-based, in bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
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

static void expect_vcs(const char *cluster, enum hs_vc_mode mode, const char *file,
                       const char *date, enum hs_status status, const char *first_line)
{
    struct hs_cluster c;
    load(&c, cluster);
    assert_int_equal(hs_cluster_set_vcs(&c, mode, file, date, &sink.diag), status);
    char *end = strchr(sink.text, '\n');
    if (end != NULL)
        *end = '\0';
    assert_string_equal(sink.text, first_line);
    hs_cluster_free(&c);
}

/* 4 nodes of 8, assigned in order: b gets n0 n1 n2, n- gets none, a gets n3. */
static void test_vcs_of_json(void **state)
{
    (void)state;
    struct hs_cluster c;
    const char json[] = "{\"vcs\": {\"b\": 24, \"none\": 0, \"a\": 8}}";
    const char *path = write_text("vcs.json", json);
    load(&c, "4x8");
    assert_int_equal(hs_cluster_set_vcs(&c, HS_VC_PARTITION, path, "", &sink.diag), HS_OK);
    assert_int_equal(c.vc_count, 3);
    static const uint32_t owners[] = {0, 0, 0, 2};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(c.nodes[i].vc, owners[i]);
    assert_int_equal(hs_cluster_vc(&c, "none"), 1);
    assert_int_equal(c.vcs[1].gpus, 0);
    hs_cluster_free(&c);

    load(&c, "4x8");
    assert_int_equal(hs_cluster_set_vcs(&c, HS_VC_QUOTA, path, "", &sink.diag), HS_OK);
    assert_int_equal(c.vcs[0].quota_gpus, 24);
    assert_int_equal(c.vcs[0].gpus, 32);
    assert_int_equal(c.nodes[3].vc, 0);
    hs_cluster_free(&c);
}

static void test_vcs_that_do_not_come_out_even(void **state)
{
    (void)state;
    char line[512];
    const char *path = write_text("odd.json", "{\"vcs\": {\"a\": 12, \"b\": 4}}");
    (void)snprintf(line, sizeof line,
                   "%s:1:15: error: virtual cluster 'a' needs 12 GPUs, but node 'n1' ends its "
                   "share at 16",
                   path);
    expect_vcs("2x8", HS_VC_PARTITION, path, "", HS_E_INPUT, line);

    path = write_text("much.json", "{\"vcs\": {\"a\": 8, \"b\": 16}}");
    (void)snprintf(line, sizeof line,
                   "%s:1:23: error: virtual cluster 'b' needs 16 GPUs, but only 8 are left of the "
                   "cluster's 16",
                   path);
    expect_vcs("2x8", HS_VC_PARTITION, path, "", HS_E_INPUT, line);

    path = write_text("few.json", "{\"vcs\": {\"a\": 8}}");
    (void)snprintf(line, sizeof line,
                   "%s:1:9: error: the virtual clusters have 8 GPUs in all, the cluster 24: 2 "
                   "nodes are left",
                   path);
    expect_vcs("3x8", HS_VC_PARTITION, path, "", HS_E_INPUT, line);
    /* As quotas all of them are valid. */
    expect_vcs("3x8", HS_VC_QUOTA, path, "", HS_OK, "");

    expect_vcs("3x8", HS_VC_PARTITION, NULL, "", HS_E_USAGE,
               "error: the cluster has no virtual clusters");
    expect_vcs("3x8", HS_VC_PARTITION, NULL, "2020-09-01", HS_E_USAGE,
               "error: a date selects a row of a CSV, but no CSV is given");
    (void)snprintf(line, sizeof line, "error: a date selects a row of a CSV; %s is JSON", path);
    expect_vcs("3x8", HS_VC_PARTITION, path, "2020-09-01", HS_E_USAGE, line);
}

/* all: own 1; it is lent 4 of a, which keeps 0, and 2 of lab, which keeps 3 of its 2 + 3 (b lends
 * all, and the lab's own 3): subtree 1 + 4 + 2 = 7. So a may hold 4 + 3, of which it borrows the 1
 * and the 2 that are not its own; with a borrowing limit of 2 it may hold 6. b may hold the 3 that
 * the lab keeps and the 7. c is in no cohort. */
static void test_cohorts(void **state)
{
    (void)state;
    static const char json[] =
        "{\"vcs\": {\"a\": {\"gpus\": 4, \"cohort\": \"all\", \"borrowing_limit\": 2},"
        " \"b\": {\"gpus\": 2, \"cohort\": \"lab\"}, \"c\": {\"gpus\": 3}},"
        " \"cohorts\": {\"lab\": {\"gpus\": 3, \"cohort\": \"all\", \"lending_limit\": 2},"
        " \"all\": 1}}";
    struct hs_cluster c;
    uint64_t held[5] = {0};
    load(&c, "2x8");
    const char *path = write_text("cohorts.json", json);
    assert_int_equal(hs_cluster_set_vcs(&c, HS_VC_QUOTA, path, "", &sink.diag), HS_OK);
    assert_int_equal(c.quota_count, 5);
    assert_int_equal(c.quotas[4].subtree_milli, 7000);
    assert_int_equal(c.quotas[3].kept_milli, 3000);
    assert_int_equal(c.vcs[0].most_gpus, 6);
    assert_int_equal(c.vcs[1].most_gpus, 10);
    assert_int_equal(c.vcs[2].most_gpus, 3);
    /* b holds 5, of which the lab keeps 3: 2 are charged to all, and a has 5 left; then b gives 4
     * back, and nothing is charged. */
    hs_quota_change(&c, held, 1, 5000);
    assert_int_equal(held[3], 5000);
    assert_int_equal(held[4], 2000);
    assert_int_equal(hs_quota_room(&c, held, 0, HS_NO_QUOTA), 5000);
    assert_int_equal(hs_quota_room(&c, held, 0, 0), 4000);
    assert_int_equal(hs_quota_room(&c, held, 1, 3), 0); /* of the lab's 5 */
    hs_quota_change(&c, held, 1, -4000);
    assert_int_equal(held[4], 0);
    hs_cluster_free(&c);

    load(&c, "2x8"); /* without cohorts, or with partitions, nothing is lent */
    path = write_text("none.json", "{\"vcs\": {\"a\": {\"gpus\": 8}, \"b\": 8}}");
    assert_int_equal(hs_cluster_set_vcs(&c, HS_VC_QUOTA, path, "", &sink.diag), HS_OK);
    assert_null(c.quotas);
    assert_int_equal(c.vcs[0].most_gpus, 8);
    hs_cluster_free(&c);
}

static void test_wrong_cohorts(void **state)
{
    (void)state;
    static const struct {
        const char *json, *rest; /* of the first line, after the path */
    } cases[] = {
        {"{\"vcs\": {\"a\": {\"cohort\": \"c\"}}}", ":1:15: error: \"gpus\" of 'a' is missing"},
        {"{\"vcs\": {\"a\": {\"gpus\": 1, \"cohort\": \"d\"}}, \"cohorts\": {\"c\": 1}}",
         ":1:37: error: there is no cohort 'd'"},
        {"{\"vcs\": {\"a\": {\"gpus\": 1, \"lending_limit\": 1}}}",
         ":1:44: error: \"lending_limit\" of 'a', which is in no cohort"},
        {"{\"vcs\": {\"a\": {\"gpus\": 1, \"cohort\": \"c\", \"lending_limit\": 2}}}",
         ":1:59: error: 'a' has 1 GPUs and lends at most that, not 2"},
        {"{\"vcs\": {\"a\": 1}, \"cohorts\": {\"c\": {\"cohort\": \"d\"}, \"d\": {\"cohort\": "
         "\"c\"}}}",
         ":1:36: error: cohort 'c' is in itself"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[512];
        const char *path = write_text("bad.json", cases[i].json);
        (void)snprintf(line, sizeof line, "%s%s", path, cases[i].rest);
        expect_vcs("2x8", HS_VC_QUOTA, path, "", HS_E_INPUT, line);
    }
}

static void test_vcs_of_csv(void **state)
{
    (void)state;
    const char *path = write_text("vcs.csv", "date,x,y,z,total\r\n"
                                             "2020-09-01,8,0,16,24\r\n"
                                             "2020-09-02,16,8,0,24\r\n");
    static const uint32_t first[] = {0, 2, 2}, last[] = {0, 0, 1};
    struct hs_cluster c;
    for (int day = 0; day < 2; day++) {
        load(&c, "3x8:V100");
        assert_int_equal(
            hs_cluster_set_vcs(&c, HS_VC_PARTITION, path, day == 0 ? "2020-09-01" : "", &sink.diag),
            HS_OK);
        assert_int_equal(c.vc_count, 3);
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(c.nodes[i].vc, day == 0 ? first[i] : last[i]);
        assert_int_equal(hs_cluster_vc(&c, "z"), 2);
        hs_cluster_free(&c);
    }
}

static void test_vcs_of_csv_errors(void **state)
{
    (void)state;
    static const struct {
        const char *csv, *date, *rest; /* of the first line, after the path */
    } cases[] = {
        {"", "", ": error: the file is empty"},
        {"date,x,total\n", "", ": error: there is no row"},
        {"day,x,total\n1,8,8\n", "", ":1:1: error: there is no column 'date'"},
        {"date,x,,total\n1,8,8,16\n", "", ":1:8: error: a column without name"},
        {"date,x,x,total\n1,8,8,16\n", "", ":1:8: error: a second column 'x'"},
        {"date,x,total\n1,8\n", "", ":2:4: error: 2 fields, the header has 3"},
        {"date,x,total\n1,8,8,8\n", "", ":2:7: error: 4 fields, the header has 3"},
        {"date,x,total\n1,-8,8\n", "", ":2:3: error: '-8' is not a number of GPUs"},
        {"date,x,total\n1,8.5,8\n", "", ":2:3: error: '8.5' is not a number of GPUs"},
        {"date,x,total\n1,8,8\n2,x,8\n", "1", ":3:3: error: 'x' is not a number of GPUs"},
        {"date,x,y,total\n1,8,8,17\n", "",
         ":2:7: error: the total is 17, but the virtual clusters have 16"},
        {"date,x\n1,8\n2,8\n", "3", ": error: there is no row of 3; the rows are 1 to 2"},
        {"date,x\n1,8\n1,8\n", "1", ":3:1: error: a second row of 1"},
        {"date,x\n1,8\n2,12\n", "2",
         ":3: error: virtual cluster 'x' needs 12 GPUs, but node 'n1' ends its share at 16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[512];
        const char *path = write_text("bad.csv", cases[i].csv);
        (void)snprintf(line, sizeof line, "%s%s", path, cases[i].rest);
        expect_vcs("2x8", HS_VC_PARTITION, path, cases[i].date, HS_E_INPUT, line);
    }
}

/* Helios' own file: 133 nodes of 8 on 2020-09-01, of 25 VCs 16 with nodes; VC sizes of the shipped
 * venus.json are that day's. */
static void test_real_csv(void **state)
{
    (void)state;
    const char *path = data_need("traces", "venus_cluster_gpu_number.csv");
    struct hs_cluster c, shipped;
    load(&c, "133x8:V100");
    assert_int_equal(hs_cluster_set_vcs(&c, HS_VC_PARTITION, path, "2020-09-01", &sink.diag),
                     HS_OK);
    load(&shipped, "configs/clusters/venus.json");
    assert_int_equal(hs_cluster_set_vcs(&shipped, HS_VC_PARTITION, NULL, "", &sink.diag), HS_OK);
    assert_int_equal(c.vc_count, 25);
    uint32_t with_nodes = 0;
    for (uint32_t v = 0; v < c.vc_count; v++) {
        uint32_t same = hs_cluster_vc(&shipped, c.vcs[v].name);
        with_nodes += c.vcs[v].gpus > 0;
        assert_int_equal(c.vcs[v].gpus, same == UINT32_MAX ? 0 : shipped.vcs[same].gpus);
    }
    assert_int_equal(with_nodes, 16);
    hs_cluster_free(&c);
    hs_cluster_free(&shipped);
    expect_vcs("132x8", HS_VC_QUOTA, path, "", HS_OK, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vcs_of_json), cmocka_unit_test(test_vcs_that_do_not_come_out_even),
        cmocka_unit_test(test_cohorts),     cmocka_unit_test(test_wrong_cohorts),
        cmocka_unit_test(test_vcs_of_csv),  cmocka_unit_test(test_vcs_of_csv_errors),
        cmocka_unit_test(test_real_csv),
    };
    return cmocka_run_group_tests_name("model/cluster_vcs", tests, scratch_open, scratch_close);
}
