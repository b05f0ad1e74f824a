/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus verify` on the run of support/verified.h as other policies and options would have made it:
 * what it accepts then, and what it still finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/verified.h"

/* GPUs that a card declares as shared may be held by two jobs, if both segments are marked as
 * shared. */
static void sharing(void **state)
{
    static struct verified r;
    (void)state;
    verified_with(&r, MANIFEST, "\"can\": \"preempt\"", "\"can\": \"preempt, co-locate\"");
    assert_int_equal(r.status, HS_OK);
    verified_replace("segments.csv", verified_sound[SEGMENTS], "1,40,90", "1,39,90");
    verified_again(&r);
    assert_non_null(strstr(r.text, "FAIL  no GPU is held twice"));
    verified_replace("segments.csv", verified_sound[SEGMENTS], "1,1,finish\n1,40,90,1,1,1",
                     "1,2,finish\n1,39,90,1,1,2");
    verified_again(&r);
    assert_non_null(strstr(r.text, "ok    no GPU is held twice"));
    /* in [39, 40) job 2 shares one of its GPUs with job 1 */
    assert_non_null(strstr(r.text, "        jobs.csv:3: job 1: run 60, by segments.csv 61\n"
                                   "        jobs.csv:3: job 1: colocated 0, by segments.csv 1\n"));
    assert_null(strstr(r.text, "summary.json: held_gpu_seconds"));
    assert_non_null(strstr(r.text, "summary.json: colocated_share is 0, by the rows it is 0.0110"));
}

/* Job 2 takes 1 or 2 GPUs: with one of them it is complete if gangs may be resized. */
static void elastic_gangs(void **state)
{
    static struct verified r;
    static const char trace[] = "job_id,submit_time,gpus,duration,gpus_min,gpus_max\n"
                                "0,0,2,100,2,2\n1,10,1,60,1,1\n2,20,2,20,1,2\n";
    (void)state;
    for (int is_resizing = 0; is_resizing < 2; is_resizing++) {
        verified_with(&r, MANIFEST, "\"preempt\"",
                      is_resizing ? "\"preempt, resize\"" : "\"preempt\"");
        scratch_write("trace.csv", trace, sizeof trace - 1);
        verified_replace("segments.csv", verified_sound[SEGMENTS], "2,20,40,0-1", "2,20,40,0");
        verified_again(&r);
        assert_int_equal(strstr(r.text, "ok    every gang is whole: 5 segments") != NULL,
                         is_resizing);
        verified_replace("segments.csv", verified_sound[SEGMENTS], "2,20,40,0-1", "2,20,40,");
        verified_again(&r);
        assert_non_null(strstr(r.text, is_resizing ? "job 2 holds 0 GPUs and needs 1 to 2\n"
                                                   : "job 2 holds 0 GPUs and needs 2\n"));
    }
}

/* The run was on 1x2: with GPU 1 of another type, jobs 0 and 2 have a GPU of each, and job 1 has
 * first the one (segments.csv:3), then the other (segments.csv:5). */
static void expect_types(const char *cluster, const char *types, const char *line)
{
    static struct verified r;
    char trace[256], quoted[1024];
    (void)snprintf(quoted, sizeof quoted, "\"cluster\": \"%s\"", cluster);
    verified_with(&r, MANIFEST, "\"cluster\": \"1x2:V100\"", quoted);
    int length = snprintf(trace, sizeof trace,
                          "job_id,submit_time,gpus,duration,gpu_type\n"
                          "0,0,2,100,\n1,10,1,60,%s\n2,20,2,20,V100|P100|X\n",
                          types);
    scratch_write("trace.csv", trace, (size_t)length);
    verified_again(&r);
    if (strstr(r.text, line) == NULL)
        fail_msg("%s on %s: wanted\n%s\ngot\n%s%s", types, cluster, line, r.text, r.sink.text);
}

static void gpu_types(void **state)
{
    static const char fine[] = "ok    every GPU is of a type that its job wants: 3 segments, 0 of";
    static const char first[] =
        "        segments.csv:3: job 1 wants GPUs of type P100, node 0 has V100\n";
    static const char later[] =
        "        segments.csv:5: job 1 wants GPUs of type V100, node 1 has P100\n";
    static const char json[] = "{\"racks\": [{\"nodes\": [{\"gpus\": 1, \"type\": \"V100\"}]},"
                               " {\"nodes\": [{\"gpus\": 1, \"type\": \"P100\"}]}]}";
    static const char list[] = "sn,cpu_milli,memory_mib,gpu,model\n"
                               "a,1000,1000,1,V100\nb,1000,1000,1,P100\n";
    static const char machines[] = "machineId, number of GPUs, single GPU mem\n"
                                   "m0,1, 12GB\nm1,1, 24GB\n";
    char file[768];
    (void)state;
    expect_types("1x2:V100", "V100", fine);
    expect_types("1x2:V100", "P100|V100", fine);
    expect_types("1x2:V100", "V10|V1000", "node 0 has V100\n");
    expect_types("1x2", "V100", "node 0 has GPU\n");
    expect_types("1x1:V100,1x1:P100", "P100", first);
    expect_types("1x1:V100,1x1:P100", "V100", later);
    scratch_keep(file, sizeof file, "types.json", json);
    expect_types(file, "V100", later);
    scratch_keep(file, sizeof file, "list.csv", list);
    expect_types(file, "P100", first);
    scratch_keep(file, sizeof file, "machines.csv", machines);
    expect_types(file, "GPU-24GB", "job 1 wants GPUs of type GPU-24GB, node 0 has GPU-12GB\n");
}

/* One node of 2 GPUs, 3 cores and 100 MiB. Two workers of job 0 have half of its demand, rounded
 * down: of 3.001 cores 1.5, of 101 MiB 50, which is all there is; of 3.002 and 102 slightly more.
 * The resources that job 0 releases at 10 (segments.csv:2) and at 180 are free for jobs that start
 * then. */
static void expect_hosts(const char *cluster, const char *needs, const char *line)
{
    static struct verified r;
    char trace[256], quoted[1024];
    (void)snprintf(quoted, sizeof quoted, "\"cluster\": \"%s\"", cluster);
    verified_with(&r, MANIFEST, "\"cluster\": \"1x2:V100\"", quoted);
    int length = snprintf(trace, sizeof trace,
                          "job_id,submit_time,gpus,duration,cpus,mem_mib\n"
                          "0,0,2,100,%s\n1,10,1,60,3,100\n2,20,2,20,,\n",
                          needs);
    scratch_write("trace.csv", trace, (size_t)length);
    verified_again(&r);
    if (strstr(r.text, line) == NULL)
        fail_msg("%s on %s: wanted\n%s\ngot\n%s%s", needs, cluster, line, r.text, r.sink.text);
}

static void hosts(void **state)
{
    static const char fine[] =
        "ok    no node gives more cores or memory than it has: 4 segments, 0";
    static const char json[] = "{\"nodes\": [{\"gpus\": 2, \"cpus\": 3, \"mem_mib\": 100}]}";
    static const char list[] = "sn,cpu_milli,memory_mib,gpu,model\na,3000,100,2,V100\n";
    char files[2][768];
    (void)state;
    scratch_keep(files[0], sizeof files[0], "hosts.json", json);
    scratch_keep(files[1], sizeof files[1], "hosts.csv", list);
    expect_hosts("1x2:V100", "9,900", fine);
    for (int i = 0; i < 2; i++) {
        expect_hosts(files[i], "3.001,101", fine);
        expect_hosts(files[i], "3.002,101",
                     "        segments.csv:2: with job 0 at 0, node 0 gives 3002 thousandths of "
                     "cores and has 3000\n"
                     "        segments.csv:6: with job 0 at 90, node 0 gives");
        expect_hosts(files[i], "3,102",
                     "segments.csv:2: with job 0 at 0, node 0 gives 102 MiB and has 100\n");
    }
}

/* Job 1 is guaranteed, with the wait and JCT of the sound run: 0 and 80; the others 0 and 100. */
static void job_classes(void **state)
{
    static struct verified r;
    static const char trace[] = "job_id,submit_time,gpus,duration,class\n"
                                "0,0,2,100,\n1,10,1,60,guaranteed\n2,20,2,20,auto\n";
    static const char classes[] =
        "{\"classes\": {\"class\": {\"auto\": {\"jobs\": 2, \"mean_wait\": 0, \"mean_jct\": 100},"
        " \"guaranteed\": {\"jobs\": 1, \"mean_wait\": 0, \"mean_jct\": 80}}}, \"metrics\"";
    (void)state;
    verified_with(&r, SUMMARY, "{\"metrics\"", classes);
    scratch_write("trace.csv", trace, sizeof trace - 1);
    verified_again(&r);
    assert_non_null(strstr(r.text, "jobs.csv:3: job 1: class auto, by the trace guaranteed\n"));
    assert_non_null(strstr(r.text, "summary.json: auto: jobs is 2, by the rows it is 0\n"));
    verified_replace("jobs.csv", verified_sound[JOBS], "20,auto,10", "20,guaranteed,10");
    verified_again(&r);
    assert_int_equal(r.status, HS_OK);
    verified_replace("summary.json", verified_sound[SUMMARY], NULL, NULL);
    verified_again(&r);
    assert_non_null(
        strstr(r.text, "summary.json: auto: mean_jct is missing, by the rows it is 100\n"));
}

/* Job 1 is suspended at 20 instead, with 10 MiB on the host until 40. */
static void suspensions(void **state)
{
    static struct verified r;
    (void)state;
    verified_with(&r, SEGMENTS, "1,10,20,0,1,1,preempt", "1,10,20,0,1,1,suspend");
    assert_non_null(strstr(r.text, "jobs.csv:3: job 1: preemptions 1, by segments.csv 0\n"));
    assert_non_null(strstr(r.text, "jobs.csv:3: job 1: switches 0, by segments.csv 1\n"));
    verified_replace("jobs.csv", verified_sound[JOBS], "0,0,1,0,60,0,1.333333,1,0,1,20,auto,10,0,0",
                     "0,0,0,0,60,0,1.333333,1,0,1,20,auto,10,1,200");
    verified_again(&r);
    assert_non_null(strstr(r.text, "ok    every suspension is a switch: 3 jobs, 0 differences\n"));
    assert_non_null(strstr(r.text,
                           "ok    memory lies on the host while jobs are suspended: 3 jobs, "
                           "0 differences\n"));
    assert_non_null(strstr(r.text, "summary.json: preemptions is 2, by the rows it is 1\n"
                                   "        summary.json: switches is 0, by the rows it is 1\n"
                                   "        summary.json: host_mib_seconds is 0, by the rows it is "
                                   "200\n"));
}

/* Nodes of one GPU: job 1 is suspended on node 0 at 20 and resumes on node 1 at 40. That is a
 * migration; on its own node, or after a preemption without saved state, it is not. */
static void a_process_that_wakes_elsewhere_has_moved(void **state)
{
    static struct verified r;
    static const char moved[] = "jobs.csv:3: job 1: migrations 0, by segments.csv 1\n";
    (void)state;
    verified_with(&r, MANIFEST, "1x2:V100", "2x1:V100");
    assert_null(strstr(r.text, "migrations 0"));
    /* nodes and preemptions would now be wrong and reported first, so they are corrected */
    verified_replace("segments.csv", verified_sound[SEGMENTS], "1,10,20,0,1,1,preempt",
                     "1,10,20,0,1,1,suspend");
    verified_replace("jobs.csv", verified_sound[JOBS],
                     "unknown,1,20,20,0,0,0,0,40,0,1,1,0,1,0,auto,20,0,0,1,0.25,V100\n"
                     "1,10,1,1,10,90,0,80,unknown,1,60,60,0,0,1,",
                     "unknown,2,20,20,0,0,0,0,40,0,1,1,0,1,0,auto,20,0,0,1,0.25,V100\n"
                     "1,10,1,1,10,90,0,80,unknown,1,60,60,0,0,0,");
    verified_again(&r);
    assert_non_null(strstr(r.text, moved));
    verified_with(&r, SEGMENTS, "1,10,20,0,1,1,preempt", "1,10,20,0,1,1,suspend"); /* 1x2 */
    assert_null(strstr(r.text, "migrations 0"));
}

static void windows(void **state)
{
    static struct verified r;
    (void)state;
    verified_with(&r, MANIFEST, "\"warmup\": \"0s\"", "\"warmup\": \"5s\"");
    assert_int_equal(r.status, HS_OK);
    assert_non_null(strstr(r.text, "21 figures, 0 differences (job statistics left out: a window "
                                   "is set)\n"));
}

/* VCs a, b, a on one node; then b alone on node 1 of two. */
static void partition(void **state)
{
    static struct verified r;
    (void)state;
    verified_with(&r, MANIFEST, "1x2:V100\"", "1x2:V100\", \"vc\": \"partition\"");
    assert_int_equal(r.status, HS_OK); /* no job has a VC: all are in one */
    assert_non_null(strstr(r.text, "ok    no node serves two virtual clusters: 5 segments"));
    verified_replace("trace.csv",
                     "job_id,submit_time,gpus,duration,vc\n0,0,2,100,a\n1,10,1,60,b\n2,20,2,20,a\n",
                     NULL, NULL);
    verified_again(&r);
    assert_non_null(
        strstr(r.text, "FAIL  no node serves two virtual clusters: 5 segments, 2 of a second one\n"
                       "        segments.csv:3: job 1 of VC 'b' on node 0, which VC 'a' used\n"
                       "        segments.csv:5: job 1 of VC 'b' on node 0"));
}

/* Two racks, node 0 with GPU 0, node 1 with GPU 1: job 0 spans two nodes. */
static void cluster_from_json(void **state)
{
    static struct verified r;
    static const char racks[] = "{\"racks\": [{\"nodes\": [{\"gpus\": 1, \"type\": \"V100\"}]}, {"
                                "\"nodes\": [{\"count\": 1, \"gpus\": 1, \"type\": \"V100\"}]}]}";
    char text[1024];
    (void)state;
    scratch_write("racks.json", racks, sizeof racks - 1);
    snprintf(text, sizeof text, "%s", scratch_path("racks.json"));
    verified_with(&r, MANIFEST, "1x2:V100", text);
    assert_non_null(strstr(r.text, "ok    every GPU exists in the cluster: 8 GPU holdings"));
    assert_non_null(strstr(r.text, "        jobs.csv:4: job 0: nodes 1, by segments.csv 2\n"
                                   "        jobs.csv:2: job 2: nodes 1, by segments.csv 2\n"));
    scratch_write("racks.json", "{\"nodes\": [{\"cpus\": 1}]}", 24);
    verified_again(&r);
    assert_int_equal(r.status, HS_E_INPUT);
    assert_non_null(strstr(r.sink.text, "not a group of nodes with 'gpus'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharing),
        cmocka_unit_test(elastic_gangs),
        cmocka_unit_test(gpu_types),
        cmocka_unit_test(hosts),
        cmocka_unit_test(job_classes),
        cmocka_unit_test(suspensions),
        cmocka_unit_test(a_process_that_wakes_elsewhere_has_moved),
        cmocka_unit_test(windows),
        cmocka_unit_test(partition),
        cmocka_unit_test(cluster_from_json),
    };
    return cmocka_run_group_tests_name("verify_runs", tests, scratch_open, scratch_close);
}
