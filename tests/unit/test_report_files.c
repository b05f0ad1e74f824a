/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every file of a run directory for the run of support/handrun.h; each expected field is derived
 * from its diagram.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"
#include "report/run/manifest.h"
#include "report/report.h"
#include "support/handrun.h"
#include "support/sink.h"

static struct sink sink;
static struct hs_summary summary;
static char dir_path[4096];

static int write_run(void **state)
{
    if (scratch_open(state) != 0)
        return -1;
    sink_init(&sink);
    snprintf(dir_path, sizeof dir_path, "%s", scratch_path("run"));
    handrun_write(dir_path, &summary, &sink.diag);
    return 0;
}

static int remove_run(void **state)
{
    static const char *const names[] = {"jobs.csv",      "segments.csv",  "series.csv",
                                        "nodes.csv",     "summary.json",  "summary.csv",
                                        "manifest.json", "decisions.csv", "jobs.swf"};
    char path[4200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir_path, names[i]);
        if (unlink(path) != 0)
            return -1;
    }
    return rmdir(dir_path) == 0 ? scratch_close(state) : -1;
}

/* The text of a file after its first line. */
static char *read_body(const char *name, char **text)
{
    char path[4200];
    size_t length;
    snprintf(path, sizeof path, "%s/%s", dir_path, name);
    assert_int_equal(hs_read_file(path, 1 << 20, text, &length, &sink.diag), HS_OK);
    return strchr(*text, '\n') + 1;
}

static void expect_body(const char *name, const char *expected)
{
    char *text;
    assert_string_equal(read_body(name, &text), expected);
    hs_free(text);
}

static void expect_text(const char *name, const char *part)
{
    char *text;
    read_body(name, &text);
    if (strstr(text, part) == NULL)
        fail_msg("%s lacks '%s':\n%s", name, part, text);
    hs_free(text);
}

static void jobs_are_written_in_order_of_their_end(void **state)
{
    (void)state;
    expect_body("jobs.csv",
                "d,handrun,5,8,,0,,,,,,,,u2,v,rejected,,,,0,1,0,0,0,0,0,,0,0,0,0,,,,,,,1,,"
                "guaranteed,,0,0,1,,\n"
                "a,handrun,0,2,,1,0,10,10,0,10,1,0-1,u1,v,completed,resnet50,64,V100,1,10,10,0,0,0,"
                "0,1,0,0,0,20,0.48,0.5,ImageNet,amp,trace,1,1,8.25,guaranteed,0,0,0,1,,\n"
                "b,handrun,1,4,,1,10,4,14,9,13,3.25,0-3,u2,v,failed,,,V100,2,4,4,9,0,0,0,3.25,0,0,"
                "0,16,,,,,,1,1,,auto,10,0,0,1,,\n"
                "c,handrun,2,1,,1,14,6,20,12,18,4.5,2,u1,v,completed,,,V100,1,4,5,13,0,1,0,4.5,1,0,"
                "0,5,,,,,,1.25,3,,opportunistic,15,1,300,1,,\n");
}

static void segments_are_the_gantt(void **state)
{
    (void)state;
    expect_body("segments.csv", "a,0,10,0-1,1,1,finish\n"
                                "b,10,14,0-3,1,1,finish\n"
                                "c,14,16,0,0.5,1,suspend\n"
                                "c,17,18,3,1,1,preempt\n"
                                "c,18,20,2,1,1,finish\n");
}

/* The value: an overhead in seconds, a share of the speed, MiB. A decision without a reason of its
 * own has that of the order, or of the preemption. */
static void decisions_have_reasons(void **state)
{
    (void)state;
    expect_body("decisions.csv", "0,a,start,2,0-1,0,submit,\"its turn: order hand, scan none\"\n"
                                 "14,c,start,1,0,1,finish timer,\"alone, at last\"\n"
                                 "16,c,throttle,1,0,0.25,,\n"
                                 "16,c,limit,1,0,512,,\n"
                                 "16,c,suspend,1,0,0,step,preemption by hand\n");
}

/* In order of submission, although d is rejected first and b ends before c; 18 fields: number,
 * submission, wait, run, GPUs, -, -, requested GPUs, -, -, status, user, group, -, queue,
 * partition, -, -. d was never placed; b is recorded as failed; c is back on one GPU after two
 * stops. */
static void the_workload_is_standard(void **state)
{
    (void)state;
    expect_body("jobs.swf", "; Computer: GPUs of a simulated cluster\n"
                            "; Conversion: horus, a simulator; the workload is handrun\n"
                            "; MaxJobs: 4\n"
                            "; MaxRecords: 4\n"
                            "; Preemption: TS\n"
                            "; MaxNodes: 2\n"
                            "; MaxProcs: 4\n"
                            "; MaxQueues: 1\n"
                            "; Queues: virtual clusters, which are groups too\n"
                            "; Queue: 1 v\n"
                            "; MaxPartitions: 1\n"
                            "; Partitions: GPU types\n"
                            "; Partition: 1 V100\n"
                            "; Note: a processor is a GPU; allocated are those of the last "
                            "placement\n"
                            "; Note: run time is from first start to end, whatever came between\n"
                            "; Note: times are differences of instants rounded to the second\n"
                            "1 0 0 10 2 -1 -1 2 -1 -1 1 1 1 -1 1 1 -1 -1\n"
                            "2 1 9 4 4 -1 -1 4 -1 -1 0 2 1 -1 1 1 -1 -1\n"
                            "3 2 12 6 1 -1 -1 1 -1 -1 1 1 1 -1 1 1 -1 -1\n"
                            "4 5 -1 -1 -1 -1 -1 8 -1 -1 5 2 1 -1 1 -1 -1 -1\n");
}

/* n0: a 2x10 + b 2x4 + c 2 = 30 of 40 GPU-s, of which a's 20 at 50 %; n1: b 8 + c 1 + c 2
 * = 11. */
static void nodes_are_booked(void **state)
{
    (void)state;
    expect_body("nodes.csv", "0,n0,V100,0,2,3,30,0,0.75,0.25\n"
                             "1,n1,V100,0,2,3,11,0,0.275,0\n");
}

static void expect_metric(const char *name, double expected)
{
    double value = hs_summary_get(&summary, name);
    if (!(value == expected))
        fail_msg("%s is %.17g, not %.17g", name, value, expected);
}

static void metrics_are_exact(void **state)
{
    (void)state;
    expect_metric("n_jobs", 4);
    expect_metric("n_done", 3);
    expect_metric("n_rejected", 1);
    expect_metric("n_counted", 3);
    expect_metric("makespan", 20);
    expect_metric("mean_wait", 7); /* 0, 9, 12 */
    expect_metric("p50_wait", 9);
    expect_metric("max_wait", 12);
    expect_metric("mean_jct", 41.0 / 3); /* 10, 13, 18 */
    expect_metric("p90_jct", 18);
    expect_metric("p50_slowdown", 3.25);        /* 1, 3.25, 4.5 */
    expect_metric("p50_bounded_slowdown", 1.3); /* 10/10, 13/10, 18/10 */
    expect_metric("mean_bounded_slowdown", 41.0 / 30);
    expect_metric("max_run_slowdown", 1.25);        /* c was placed for 5 s, for 4 s of work */
    expect_metric("mean_queueing_delay", 22.0 / 3); /* c was suspended for 1 s: 0, 9, 13 */
    expect_metric("colocated_share", 0);            /* of 10 + 4 + 5 s */
    expect_metric("held_gpu_seconds", 41);          /* 20 + 16 + 2 + 3 */
    expect_metric("gpu_allocation", 41.0 / 80);
    expect_metric("gpu_allocated_share", 41.0 / 80); /* no job has a share of a GPU */
    expect_metric("useful_gpu_share", 0.5);          /* 20 + 16 + 4 of 80 */
    expect_metric("gpu_utilization", 0.125);         /* a: 2 x 50 % for 10 of 20 s on 4 GPUs */
    expect_metric("loaded_share", 0.7);              /* [1, 14) and [16, 17) */
    expect_metric("gpu_allocation_loaded", 34.0 / 56);
    expect_metric("fragmentation", 0.2); /* 2 of 4 GPUs in [2, 10) */
    expect_metric("preemptions", 1);
    expect_metric("retries", 2);
    expect_metric("overhead_gpu_seconds", 1);
    expect_metric("wait_resources_gpu_seconds", 40); /* 4 in [1, 10), 1 in [10, 14) */
    expect_metric("wait_priority_gpu_seconds", 9);   /* 1 in [2, 10) and [16, 17) */
    expect_metric("mean_queue_length", 1.1);         /* 1 + 16 + 4 + 1 = 22 job-s */
    expect_metric("mean_in_system", 2.05);           /* 41 job-s, the sum of the JCTs */
    expect_metric("little_gap", 0);
}

static void turns_are_counted(void **state)
{
    (void)state;
    expect_metric("mean_time_to_progress", 22.0 / 3); /* 0, 9, and c from 2 to 15 */
    expect_metric("p50_time_to_progress", 9);
    expect_metric("p99_time_to_progress", 13);
    expect_metric("max_time_to_progress", 13);
    expect_metric("switches", 1);
    expect_metric("trials_kept", 2);
    expect_metric("trials_undone", 1);
    expect_metric("host_mib_seconds", 300); /* c's 300 MiB in [16, 17) */
}

/* Capacity 4: 40 GPU-s from time 0 on take 10 s; later arrivals give less; the longest job ends at
 * 10. The relaxed machine would end c, a, b after 1, 6, 9 s, less than the isolated 10 + 4 + 4 s.
 */
static void bounds_are_beside_the_figures(void **state)
{
    (void)state;
    expect_metric("makespan_bound_work", 10);
    expect_metric("makespan_bound_longest", 10);
    expect_metric("makespan_bound", 10);
    expect_metric("makespan_bound_share", 0.5);
    expect_metric("mean_isolated", 6);
    expect_metric("mean_jct_bound", 6);
    expect_text("summary.json", "\"mean_wait_bound\": null");
    expect_text("summary.json",
                "\"mean_wait_bound\": \"with preemption a job may start early and wait later\"");
}

static void classes_are_nested(void **state)
{
    (void)state;
    /* gpus 1, 2-4; completed, failed; auto, guaranteed, opportunistic; v */
    assert_int_equal(summary.class_count, 8);
    assert_string_equal(summary.classes[0].name, "1");
    assert_int_equal(summary.classes[0].jobs, 1);
    assert_string_equal(summary.classes[1].name, "2-4");
    assert_true(summary.classes[1].value[0] == 4.5); /* mean wait of a and b */
    assert_string_equal(summary.classes[3].kind, "outcome");
    assert_string_equal(summary.classes[5].kind, "class");
    assert_string_equal(summary.classes[5].name, "guaranteed");
    assert_int_equal(summary.classes[5].jobs, 1); /* d was rejected */
    assert_string_equal(summary.classes[7].kind, "vc");
    assert_int_equal(summary.classes[7].jobs, 3);
    expect_text("summary.json", "\"opportunistic\": {\n        \"jobs\": 1,\n"
                                "        \"mean_wait\": 12,");
    expect_text("summary.json", "\"mean_time_to_progress\": 13\n"); /* the last metric of a class */
    expect_text("summary.json", "\"2-4\": {\n        \"jobs\": 2,\n        \"mean_wait\": 4.5,");
    expect_text("summary.csv", "\nhandrun,2x2:V100,1,none,");
    expect_text("summary.csv", ",gpus_over_32_mean_slowdown,");
    /* c: 12 s wait, 18 s JCT, 18 / 4; then the time to progress of all ... wait for locality: none,
     * and 41 of 80 GPU-s allocated */
    expect_text("summary.csv",
                ",1,12,18,4.5,7.333333333333333,9,13,13,13,13,1,2,1,300,0,0.5125,0,0,0\n");
}

/* Users get 24/38 and 16/52 of what they requested: Jain's index of two numbers. */
static void fairness_is_jains(void **state)
{
    (void)state;
    double x = 24.0 / 38, y = 16.0 / 52, jain = (x + y) * (x + y) / (2 * (x * x + y * y));
    double value = hs_summary_get(&summary, "fairness_jain");
    assert_true(value > jain - 1e-15 && value < jain + 1e-15);
}

/* 20 intervals of 1 s on 4 GPUs: 2 held = 7.5 of 15, rounded up to 8; 4 = f; 1 = 3.75, 4. */
static void sparkline_shows_gpus_held(void **state)
{
    (void)state;
    assert_string_equal(summary.sparkline, "8888888888ffff440444");
}

static void manifest_lists_the_files(void **state)
{
    (void)state;
    expect_text("manifest.json", "\"status\": \"complete\"");
    expect_text("manifest.json", "\"name\": \"jobs.csv\"");
    expect_text("manifest.json", "\"rows\": 4");
    expect_text("manifest.json", "\"name\": \"summary.csv\"");
    expect_text("manifest.json", "\"workload\": \"handrun\"");
}

static void expect_no_bound(const struct hs_report_options *options)
{
    struct hs_report *report;
    static struct hs_summary shared;
    assert_int_equal(hs_report_open(&report, options, &sink.diag), HS_OK);
    handrun_play(report);
    assert_int_equal(hs_report_finish(report, HANDRUN_END_US, &shared, &sink.diag), HS_OK);
    uint32_t count;
    hs_report_files(report, &count);
    assert_int_equal(count, 0); /* no directory, no files */
    hs_report_close(report);
    assert_true(hs_summary_get(&shared, "makespan_bound") != hs_summary_get(&shared, "makespan"));
    for (uint32_t i = 0; i < shared.count; i++)
        if (strstr(shared.metrics[i].name, "bound") != NULL &&
            strstr(shared.metrics[i].name, "bounded") == NULL)
            assert_non_null(shared.metrics[i].absent_because);
}

static void no_bound_where_gpus_are_shared_or_gangs_resized(void **state)
{
    (void)state;
    struct hs_cluster cluster;
    handrun_cluster(&cluster);
    expect_no_bound(&(struct hs_report_options){.cluster = &cluster, .is_sharing = true});
    expect_no_bound(&(struct hs_report_options){.cluster = &cluster, .is_resizing = true});
    expect_no_bound(&(struct hs_report_options){.cluster = &cluster, .is_allotting = true});
}

/* Only b is submitted at least 1 s after the first and 3 s before the last submission (5 s). */
static void window_leaves_jobs_out(void **state)
{
    (void)state;
    struct hs_cluster cluster;
    struct hs_report *report;
    static struct hs_summary window;
    handrun_cluster(&cluster);
    struct hs_report_options options = {
        .cluster = &cluster, .warmup_us = 500000, .cooldown_us = 3500000};
    assert_int_equal(hs_report_open(&report, &options, &sink.diag), HS_OK);
    handrun_play(report);
    assert_int_equal(hs_report_finish(report, HANDRUN_END_US, &window, &sink.diag), HS_OK);
    hs_report_close(report);
    assert_true(hs_summary_get(&window, "n_counted") == 1);
    assert_true(hs_summary_get(&window, "mean_wait") == 9);
    assert_true(hs_summary_get(&window, "n_done") == 3);
    assert_true(hs_summary_get(&window, "makespan_bound") == 10);
    double bound = hs_summary_get(&window, "mean_jct_bound");
    assert_true(bound != bound); /* NaN: the bound is one for all jobs */
}

/* Two jobs of 60 % on GPU 0, in [0, 4) and [2, 6) s: held 6 s, shared 2 s, and in the proxy 60 %
 * for 4 s and 100 % for 2 s, 4.4 of the 2 x 10 GPU-s of the node. */
static void shared_gpus_are_held_once(void **state)
{
    (void)state;
    static const uint32_t gpu[] = {0};
    const struct hs_job_record job = {.gpus = 1, .gpu_milli = HS_GPU_MILLI, .gpu_util_pm = 600};
    struct hs_segment segment = {.job = &job, .gpus = gpu, .gpu_count = 1};
    const struct hs_submission submission = {.gpus = 1, .gpu_milli = HS_GPU_MILLI};
    static struct hs_summary shared;
    struct hs_cluster cluster;
    struct hs_report *report;
    struct hs_rundir dir;
    char *text;
    size_t length;
    handrun_cluster(&cluster);
    assert_int_equal(hs_rundir_open(&dir, scratch_path("shared"), false, &sink.diag), HS_OK);
    const struct hs_report_options options = {
        .dir = &dir, .cluster = &cluster, .outputs = HS_OUT_NODES};
    assert_int_equal(hs_report_open(&report, &options, &sink.diag), HS_OK);
    const struct hs_observer *o = hs_report_observer(report, 0),
                             *figures = hs_report_observer(report, 1);
    assert_int_equal(figures->on_submit(figures->ctx, 0, &submission), HS_OK);
    assert_int_equal(o->on_start(o->ctx, 0, &job, gpu, 1), HS_OK);
    assert_int_equal(o->on_start(o->ctx, 2000000, &job, gpu, 1), HS_OK);
    segment.end_us = 4000000;
    assert_int_equal(o->on_segment(o->ctx, &segment), HS_OK);
    segment.end_us = 6000000;
    assert_int_equal(o->on_segment(o->ctx, &segment), HS_OK);
    assert_int_equal(hs_report_finish(report, 10000000, &shared, &sink.diag), HS_OK);
    hs_report_close(report);
    const char *path = HS_RUNDIR_FILE(&dir, "nodes.csv");
    assert_int_equal(hs_read_file(path, 1 << 16, &text, &length, &sink.diag), HS_OK);
    assert_string_equal(strchr(text, '\n') + 1, "0,n0,V100,0,2,2,6,2,0.3,0.22\n"
                                                "1,n1,V100,0,2,0,0,0,0,0\n");
    hs_free(text);
    hs_rundir_discard(&dir);
}

/* jobs.csv links to a device that is always full: the run ends at the next instant. */
static void a_full_disk_ends_the_run(void **state)
{
    (void)state;
    struct hs_rundir dir;
    struct hs_cluster cluster;
    struct hs_report *report;
    const struct hs_job_record job = {
        .id = "x", .user = "", .vc = "", .model = "", .batch = "", .gpu_type = ""};
    const struct hs_instant now = {0};
    if (access("/dev/full", W_OK) != 0) {
        print_message("no /dev/full here: skipped\n");
        skip();
    }
    handrun_cluster(&cluster);
    sink_clear(&sink);
    assert_int_equal(hs_rundir_open(&dir, scratch_path("full"), false, &sink.diag), HS_OK);
    const char *path = HS_RUNDIR_FILE(&dir, "jobs.csv");
    assert_int_equal(symlink("/dev/full", path), 0);
    const struct hs_report_options options = {
        .dir = &dir, .cluster = &cluster, .workload_name = "", .outputs = HS_OUT_JOBS};
    assert_int_equal(hs_report_open(&report, &options, &sink.diag), HS_OK);
    enum hs_status status = HS_OK;
    const struct hs_observer *o;
    for (uint32_t n = 0; n < 100000 && status == HS_OK; n++)
        for (size_t i = 0; (o = hs_report_observer(report, i)) != NULL && status == HS_OK; i++) {
            if (o->on_finish != NULL)
                status = o->on_finish(o->ctx, 0, &job);
            if (o->on_instant != NULL && status == HS_OK)
                status = o->on_instant(o->ctx, &now);
        }
    assert_int_equal(status, HS_E_IO);
    assert_non_null(strstr(sink.text, "jobs.csv: error: cannot write: No space left on device"));
    hs_report_close(report);
    hs_rundir_discard(&dir);
}

static void a_run_without_jobs_has_reasons(void **state)
{
    (void)state;
    struct hs_cluster cluster;
    struct hs_report *report;
    static struct hs_summary empty;
    handrun_cluster(&cluster);
    struct hs_report_options options = {.cluster = &cluster};
    assert_int_equal(hs_report_open(&report, &options, &sink.diag), HS_OK);
    assert_int_equal(hs_report_finish(report, 0, &empty, &sink.diag), HS_OK);
    hs_report_close(report);
    for (uint32_t i = 0; i < empty.count; i++) {
        double value = empty.metrics[i].value;
        assert_true((value != value) == (empty.metrics[i].absent_because != NULL));
    }
    assert_true(hs_summary_get(&empty, "n_jobs") == 0);
    assert_int_equal(empty.class_count, 0);
    assert_string_equal(empty.sparkline, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_are_written_in_order_of_their_end),
        cmocka_unit_test(segments_are_the_gantt),
        cmocka_unit_test(decisions_have_reasons),
        cmocka_unit_test(the_workload_is_standard),
        cmocka_unit_test(nodes_are_booked),
        cmocka_unit_test(metrics_are_exact),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(bounds_are_beside_the_figures),
        cmocka_unit_test(classes_are_nested),
        cmocka_unit_test(fairness_is_jains),
        cmocka_unit_test(sparkline_shows_gpus_held),
        cmocka_unit_test(manifest_lists_the_files),
        cmocka_unit_test(no_bound_where_gpus_are_shared_or_gangs_resized),
        cmocka_unit_test(shared_gpus_are_held_once),
        cmocka_unit_test(a_full_disk_ends_the_run),
        cmocka_unit_test(window_leaves_jobs_out),
        cmocka_unit_test(a_run_without_jobs_has_reasons),
    };
    return cmocka_run_group_tests_name("report_files", tests, write_run, remove_run);
}
