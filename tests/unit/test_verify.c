/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus verify` on the run of support/verified.h, first valid, then with one value wrong at a
 * time: the check that covers it must find it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/verified.h"

static void expect_fault(int file, const char *find, const char *replacement, const char *line)
{
    static struct verified r;
    verified_with(&r, file, find, replacement);
    if (r.status != HS_E_DIFFERS || strstr(r.text, line) == NULL)
        fail_msg("'%s' for '%s' in %s: %s, wanted\n%s\ngot\n%s%s", replacement, find,
                 verified_names[file], hs_status_text(r.status), line, r.text, r.sink.text);
}

static void expect_bad_input(int file, const char *find, const char *replacement,
                             const char *message)
{
    static struct verified r;
    verified_with(&r, file, find, replacement);
    if (r.status != HS_E_INPUT || strstr(r.sink.text, message) == NULL)
        fail_msg("'%s' for '%s' in %s: %s, wanted\n%s\ngot\n%s%s", replacement, find,
                 verified_names[file], hs_status_text(r.status), message, r.text, r.sink.text);
}

static void a_sound_run(void **state)
{
    static struct verified r;
    (void)state;
    verified_with(&r, FILES, NULL, NULL);
    assert_string_equal(r.sink.text, "");
    assert_string_equal(
        r.text,
        "ok    the output files are as the manifest lists them: 0 files, 0 changed\n"
        "skip  the trace is the one that was simulated: the manifest has no hash of it\n"
        "ok    every segment is of a job of the trace: 5 segments, 0 of unknown jobs\n"
        "ok    every GPU exists in the cluster: 8 GPU holdings, 0 beyond it\n"
        "ok    every gang is whole: 5 segments, 0 of another size\n"
        "ok    nothing starts before its submission: 5 segments, 0 too early\n"
        "ok    no GPU is held twice: 5 segments, 0 overlaps\n"
        "ok    no GPU gives more time than it has: 8 busy periods, 0 overused\n"
        "skip  every GPU is of a type that its job wants: no job that ran wants GPUs of a "
        "certain type\n"
        "skip  no node gives more cores or memory than it has: no job that ran wants cores "
        "or memory of a node\n"
        "skip  no node serves two virtual clusters: the run has no partition into virtual "
        "clusters\n"
        "ok    a job is in one place at a time and ends once: 5 segments, 0 overlaps\n"
        "ok    jobs.csv has one row a job of the trace: 3 jobs, 0 missing or too many\n"
        "ok    jobs.csv says what the trace says: 3 jobs, 0 differences\n"
        "ok    jobs.csv says what segments.csv says: 3 jobs, 0 differences\n"
        "ok    waits and turnarounds follow from the times: 3 jobs, 0 differences\n"
        "ok    slowdowns follow from the times: 3 jobs, 0 differences\n"
        "ok    every job comes to its end: 3 jobs, 0 not ended\n"
        "ok    work is lost where a GPU ran out of memory or a node failed: 3 jobs, 0 differences\n"
        "ok    every finished job has done its work: 3 jobs, 0 differences (3 exactly, 0 "
        "within the "
        "printed digits of mean_rate)\n"
        "ok    jobs fail and are tried again as they should: 0 attempts, 0 differences\n"
        "ok    every suspension is a switch: 3 jobs, 0 differences\n"
        "ok    jobs make progress from where they say: 3 jobs, 0 differences\n"
        "ok    memory lies on the host while jobs are suspended: 3 jobs, 0 differences\n"
        "ok    summary.json follows from the rows: 54 figures, 0 differences\n"
        "21 checks passed\n");
    assert_int_equal(r.status, HS_OK);
}

static void errors_in_segments(void **state)
{
    (void)state;
    expect_fault(SEGMENTS, "2,20,40", "7,20,40",
                 "FAIL  every segment is of a job of the trace: 5 segments, 1 of unknown jobs\n"
                 "        segments.csv:4: the trace has no such job\n");
    expect_fault(SEGMENTS, "40,90,1,", "40,90,2,",
                 "        segments.csv:5: job 1 on GPU 2, the cluster's last is 1\n");
    expect_fault(SEGMENTS, "2,20,40,0-1", "2,20,40,0",
                 "        segments.csv:4: job 2 holds 1 GPUs and needs 2\n");
    expect_fault(SEGMENTS, "1,10,20", "1,9.5,20",
                 "        segments.csv:3: job 1 starts at 9.5, submitted at 10\n");
    expect_fault(SEGMENTS, "1,40,90,1,1,1", "1,40,90,1,1.2,1", /* at a utilization of 1 */
                 "FAIL  no GPU gives more time than it has: 8 busy periods, 1 overused\n"
                 "        GPU 1 from 40 to 90: its jobs used 1.2 of its time\n");
    expect_fault(SEGMENTS, "1,40,90", "1,39,90",
                 "        GPU 1 at 39: job 2 (segments.csv:4) and job 1 (segments.csv:5)\n");
    /* a segment of no length inside another one's still holds its GPU */
    expect_fault(SEGMENTS, "2,20,40", "1,5,5,0,,1,preempt\n2,20,40",
                 "        GPU 0 at 5: job 0 (segments.csv:2) and job 1 (segments.csv:4)\n");
    expect_fault(SEGMENTS, "0,90,180", "0,10,180,0-1,1,1,finish\n0,90,180",
                 "        segments.csv:7: job 0 starts at 90, after its finish\n");
    expect_fault(SEGMENTS, "0,90,180", "0,5,8,0-1,1,1,preempt\n0,90,180",
                 "        segments.csv:6: job 0 starts at 5, while it still runs\n");
    expect_fault(SEGMENTS, "1,10,20,0,1,1,preempt", "1,10,20,0,1,1,migrate",
                 "        jobs.csv:3: job 1: preemptions 1, by segments.csv 0\n"
                 "        jobs.csv:3: job 1: migrations 0, by segments.csv 1\n");
    expect_fault(SEGMENTS, "0,90,180,0-1,1,1,finish", "0,90,180,0-1,1,1,kill",
                 "        jobs.csv:4: job 0: finish_time 180, by segments.csv missing\n");
}

static void errors_in_jobs(void **state)
{
    (void)state;
    expect_fault(JOBS, "1,10,1,1", "9,10,1,1",
                 "FAIL  jobs.csv has one row a job of the trace: 3 jobs, 2 missing or too many\n"
                 "        jobs.csv:3: not a job of the trace, or a second row of one\n"
                 "        job 1 of the trace has no row in jobs.csv\n");
    expect_fault(JOBS, "1,10,1,1", "1,11,1,1",
                 "        jobs.csv:3: job 1: submission_time 11, by the trace 10\n");
    expect_fault(JOBS, "0,0,2,1", "0,0,3,1",
                 "        jobs.csv:4: job 0: requested_number_of_resources 3, by the trace 2\n");
    expect_fault(JOBS, "1,100,100,0,0", "1,99,100,0,0",
                 "        jobs.csv:4: job 0: isolated 99, by the trace 100\n");
    expect_fault(JOBS, "1,20,40,0,20", "1,21,40,1,20",
                 "        jobs.csv:2: job 2: starting_time 21, by segments.csv 20\n");
    expect_fault(JOBS, "1,20,40,0,20", "1,20,41,0,21",
                 "        jobs.csv:2: job 2: finish_time 41, by segments.csv 40\n");
    expect_fault(JOBS, "1,60,60,0,0", "1,60,61,0,0",
                 "        jobs.csv:3: job 1: run 61, by segments.csv 60\n");
    expect_fault(JOBS, "1.333333", "1.333334",
                 "FAIL  slowdowns follow from the times: 3 jobs, 1 differences\n"
                 "        jobs.csv:3: job 1: slowdown 1.333334, by its own times 1.333333\n");
    expect_fault(JOBS, "0,1.8,1", "0,1.8,1.8",
                 "        jobs.csv:4: job 0: run_slowdown 1.8, by its own times 1\n");
    expect_fault(JOBS, "0,1.8,1", "0,1.8,",
                 "        jobs.csv:4: job 0: run_slowdown missing, by its own times 1\n");
    expect_fault(JOBS, "1,0,200", "1,0,201",
                 "        jobs.csv:4: job 0: gpu_seconds 201, by segments.csv 200\n");
    expect_fault(JOBS, "0.5,V100", "0.5,P100",
                 "        jobs.csv:4: job 0: gpu_type P100, by segments.csv V100\n");
    expect_fault(JOBS, "unknown,1,20", "unknown,2,20",
                 "        jobs.csv:2: job 2: nodes 2, by segments.csv 1\n");
    expect_fault(JOBS, "1,20,40,0,20", "1,20,40,1,20",
                 "        jobs.csv:2: job 2: waiting_time 1, by its own times 0\n");
    expect_fault(JOBS, "1,20,40,0,20", "1,20,40,0,",
                 "        jobs.csv:2: job 2: turnaround_time missing, by its own times 20\n");
    expect_fault(JOBS, "1.333333,1,0,1,20", "1.333333,1,0,1,21", /* 80 from end to end, 60 on it */
                 "        jobs.csv:3: job 1: queueing_delay 21, by its own times 20\n");
    expect_fault(JOBS, "2,20,2,1,20,40,0,20,unknown", "2,20,2,0,20,40,0,20,failed",
                 "        jobs.csv:2: job 2 is not done, by segments.csv it finished\n");
    expect_fault(JOBS, "2,20,2,1,20,40,0,20,unknown", "2,20,2,0,20,,0,,rejected",
                 "        jobs.csv:2: job 2 is rejected and yet ran\n");
    expect_fault(JOBS, "2,20,2,1,20,40,0,20,unknown", "2,20,2,0,20,,0,,unfinished",
                 "        jobs.csv:2: job 2 never ends, though the run has no horizon\n");
}

/* Job 2 does its 20 s of work in 20 s. */
static void work(void **state)
{
    static struct verified r;
    (void)state;
    expect_fault(TRACE, "2,20,2,20", "2,20,2,21",
                 "        job 2 ran 20, 0 of it overhead, for 21 of work\n");
    /* one microsecond in 20 s is less than a digit of mean_rate, but still an error at full
     * speed */
    expect_fault(TRACE, "2,20,2,20", "2,20,2,20.000001",
                 "        job 2 ran 20, 0 of it overhead, for 20.000001 of work\n");
    /* 1 s of work in 3 s is a rate of 1/3: of the printed digits 1e-9 s is missing, and half a
     * digit over 3 s is 1.5e-9 s; one digit less would be 4e-9 s. Other checks fail, job 2 now ends
     * at 23. */
    verified_with(&r, TRACE, "2,20,2,20", "2,20,2,1");
    verified_replace("segments.csv", verified_sound[SEGMENTS], "2,20,40,0-1,1,",
                     "2,20,23,0-1,0.333333333,");
    verified_again(&r);
    assert_null(strstr(r.text, "of work\n"));
    assert_non_null(strstr(r.text, "(2 exactly, 1 within the printed digits"));
    verified_replace("segments.csv", verified_sound[SEGMENTS], "2,20,40,0-1,1,",
                     "2,20,23,0-1,0.333333332,");
    verified_again(&r);
    assert_non_null(strstr(r.text, "        job 2 ran 3, 0 of it overhead, for 1 of work\n"));
    /* correct times do not compensate for a wrong rate */
    expect_fault(SEGMENTS, "2,20,40,0-1,1,", "2,20,40,0-1,0.5,",
                 "        job 2 ran 20, 0 of it overhead, for 20 of work\n");
}

static void expect_in_rows(struct verified *r, const char *row, const char *said)
{
    verified_replace("jobs.csv", verified_sound[JOBS],
                     "0,0,2,1,0,180,0,180,unknown,1,100,100,0,0,1,0,200,0,1.8,1,0", row);
    verified_again(r);
    if (strstr(r->text, said) == NULL)
        fail_msg("%s: wanted\n%s\ngot\n%s%s", row, said, r->text, r->sink.text);
}

/* Job 0 now has 90 s of work and loses its first 10 s because the GPU ran out of memory; the 90 s
 * of its second placement are its work. mean_rate has nine decimals: 10 s of it are known to 5
 * ns. */
static void losses(void **state)
{
    static struct verified r;
    static const char sound_line[] =
        "ok    work is lost where a GPU ran out of memory or a node failed: 3 jobs, 0 differences\n"
        "ok    every finished job has done its work: 3 jobs, 0 differences";
    (void)state;
    verified_with(&r, TRACE, "0,0,2,100", "0,0,2,90");
    verified_replace("segments.csv", verified_sound[SEGMENTS], "0,0,10,0-1,1,1,preempt",
                     "0,0,10,0-1,1,1,oom");
    expect_in_rows(&r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,10,0,0,200,0,2,1.111111,1",
                   sound_line);
    assert_non_null(strstr(r.text, "ok    jobs.csv says what segments.csv says: 3 jobs"));
    assert_non_null(strstr(r.text, "summary.json: ooms is 0, by the rows it is 1\n"));
    assert_non_null(strstr(r.text, "summary.json: lost_gpu_seconds is 0, by the rows it is 20\n"));
    expect_in_rows(&r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,10.000000005,0,0,200,0,2,1.111111,1",
                   sound_line);
    expect_in_rows(
        &r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,10.000000006,0,0,200,0,2,1.111111,1",
        "FAIL  work is lost where a GPU ran out of memory or a node failed: 3 jobs, 1 differences\n"
        "        jobs.csv:4: job 0: lost 10.000000006, by segments.csv 10\n");
    expect_in_rows(&r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,0,0,0,200,0,2,1.111111,1",
                   "        jobs.csv:4: job 0: lost 0, by segments.csv 10\n");
    expect_in_rows(&r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,10,0,0,200,0,2,1.111111,0",
                   "        jobs.csv:4: job 0: ooms 0, by segments.csv 1\n");
    /* killed at 180, it has lost the work of both placements */
    verified_replace("segments.csv", verified_sound[SEGMENTS], "0,90,180,0-1,1,1,finish",
                     "0,90,180,0-1,1,1,kill");
    expect_in_rows(&r, "0,0,2,0,0,180,0,180,failed,1,90,100,0,100,1,0,200,0,2,1.111111,0",
                   "ok    work is lost where a GPU ran out of memory or a node failed: 3 jobs, 0 "
                   "differences\n");
    expect_in_rows(&r, "0,0,2,0,0,180,0,180,failed,1,90,100,0,0,1,0,200,0,2,1.111111,0",
                   "        jobs.csv:4: job 0: lost 0, by segments.csv 100\n");
}

static void errors_in_summary(void **state)
{
    (void)state;
    expect_fault(SUMMARY, "\"ooms\": 0", "\"ooms\": 1",
                 "        summary.json: ooms is 1, by the rows it is 0\n");
    expect_fault(SUMMARY, "\"p50_time_to_progress\": 0", "\"p50_time_to_progress\": 1",
                 "        summary.json: p50_time_to_progress is 1, by the rows it is 0\n");
    expect_fault(SUMMARY, "\"makespan\": 180", "\"makespan\": 181",
                 "FAIL  summary.json follows from the rows: 54 figures, 1 differences\n"
                 "        summary.json: makespan is 181, by the rows it is 180\n");
    expect_fault(SUMMARY, "\"mean_jct\": 93.33333333333333", "\"mean_jct\": 93.33333333",
                 "        summary.json: mean_jct is 93.33333333, by the rows it is "
                 "93.33333333333333\n");
    expect_fault(SUMMARY, "\"p50_jct\": 80", "\"p50_jct\": 20",
                 "        summary.json: p50_jct is 20, by the rows it is 80\n");
    expect_fault(SUMMARY, "\"max_run_slowdown\": 1", "\"max_run_slowdown\": 1.8",
                 "        summary.json: max_run_slowdown is 1.8, by the rows it is 1\n");
    expect_fault(SUMMARY, "\"mean_slowdown\": 1.37", "\"mean_slowdown\": 1.38",
                 "        summary.json: mean_slowdown is 1.38777766666666");
    expect_fault(SUMMARY, "\"colocated_share\": 0", "\"colocated_share\": 0.5",
                 "        summary.json: colocated_share is 0.5, by the rows it is 0\n");
    expect_fault(SUMMARY, "\"n_done\": 3", "\"n_done\": 2",
                 "        summary.json: n_done is 2, by the rows it is 3\n");
    expect_fault(SUMMARY, "\"gpu_allocation\": 0.8333333333333334", "\"gpu_allocation\": null",
                 "        summary.json: gpu_allocation is missing, by the rows it is "
                 "0.8333333333333334\n");
    expect_fault(SUMMARY, "\"preemptions\": 2", "\"preemptions\": 0",
                 "        summary.json: preemptions is 0, by the rows it is 2\n");
}

static void errors_in_manifest(void **state)
{
    (void)state;
    expect_fault(MANIFEST, "\"outputs\": []",
                 "\"outputs\": [{\"name\": \"jobs.csv\", \"xxh3_64\": \"0123456789abcdef\"}, "
                 "{\"name\": \"segments.csv\", \"xxh3_64\": \"0123456789abcdef\"}]",
                 "        jobs.csv is not the file that the manifest lists\n");
    expect_fault(
        MANIFEST, "\"inputs\": []",
        "\"inputs\": [{\"role\": \"trace\", \"path\": \"t\", \"xxh3_64\": \"0123456789abcdef\", "
        "\"bytes\": 62}]",
        "trace.csv has changed since the run\n");
    expect_fault(MANIFEST, "1x2:V100", "1x1", "job 0 on GPU 1, the cluster's last is 0\n");
    /* twice the load: submissions at 0, 5, 10 */
    expect_fault(MANIFEST, "\"load\": 1", "\"load\": 2",
                 "        jobs.csv:3: job 1: submission_time 10, by the trace 5\n");
    expect_fault(MANIFEST, "\"max_jobs\": 0", "\"max_jobs\": 2",
                 "        jobs.csv:2: not a job of the trace, or a second row of one\n");
    expect_fault(MANIFEST, "\"until\": \"0s\"", "\"until\": \"15s\"",
                 "        jobs.csv:2: job 2 is submitted after the horizon\n");
}

static void what_cannot_be_read(void **state)
{
    static struct verified r;
    (void)state;
    expect_bad_input(TRACE, "1,10,1,60", "0,10,1,60", "job id '0' was seen before");
    expect_bad_input(MANIFEST, "\"config\"", "\"konfig\"", "the manifest has no configuration");
    expect_bad_input(MANIFEST, "\"trace\":", "\"track\":", "the manifest names no trace");
    expect_bad_input(MANIFEST, "%TRACE", "-", "from standard input");
    expect_bad_input(MANIFEST, "1x2:V100", "1-2", "neither a file nor a shape: '1-2'");
    expect_bad_input(MANIFEST, "\"merge\"", "\"melt\"", "melt");
    expect_bad_input(JOBS, "success", "succes", "there is no column 'success'");
    expect_bad_input(JOBS, "2,20,2,1,20", "2,x,2,1,20", "submission_time is not a time in seconds");
    expect_bad_input(JOBS, "0,0,40,", "0,-1,40,", "migrations is not a count");
    expect_bad_input(JOBS, "1.333333", "-1.3", "slowdown is not a ratio");
    expect_bad_input(JOBS, "20,auto,10", "20,best,10", "class is not auto, guaranteed or");
    expect_bad_input(SEGMENTS, "0,0,10,0-1", "0,0,10,1-0", "ascending GPU ids");
    expect_bad_input(SEGMENTS, "0,0,10,0-1", "0,0,10,0 0", "ascending GPU ids");
    expect_bad_input(SEGMENTS, "0,0,10,0-1", "0,0,10,a", "ascending GPU ids");
    expect_bad_input(SEGMENTS, "0,0,10", "0,20,10", "end is not a time at or after start");
    expect_bad_input(SEGMENTS, "0-1,1,1,preempt", "0-1,fast,1,preempt", "mean_rate is not a rate");
    expect_bad_input(SEGMENTS, "preempt", "bored", "ended_by is not finish, preempt");
    verified_with(&r, FILES, NULL, NULL);
    remove(scratch_path("segments.csv"));
    verified_again(&r);
    assert_int_equal(r.status, HS_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_run),
        cmocka_unit_test(errors_in_segments),
        cmocka_unit_test(errors_in_jobs),
        cmocka_unit_test(work),
        cmocka_unit_test(losses),
        cmocka_unit_test(errors_in_summary),
        cmocka_unit_test(errors_in_manifest),
        cmocka_unit_test(what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
