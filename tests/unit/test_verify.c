/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus verify` on a run directory written by hand, first sound, then with one thing wrong at a
 * time: each lie must be found by the check that is there for it. The run is micro-scenario M3 of
 * the design: 1x2, SRTF without cost, jobs 0:2,0,100 1:1,10,60 2:2,20,20,
 *     0 0-10 and 90-180, 1 10-20 and 40-90, 2 20-40.
 * Of it: JCT 180, 80, 20, in all 280 s; run 10 + 10 + 20 + 50 + 90 = 180 s of 180; GPU-seconds held
 * 20 + 10 + 40 + 50 + 180 = 300 of 360. Slowdowns 1.8, 80/60, 1: rounded to 1e-6, the mean is
 * 4.133333 / 3; every job runs for as long as its work takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "report/verify.h"
#include "support/sink.h"

enum { TRACE, MANIFEST, JOBS, SEGMENTS, SUMMARY, FILES };
static const char *const names[FILES] = {"trace.csv", "manifest.json", "jobs.csv", "segments.csv",
                                         "summary.json"};

/* %TRACE stands for the path of the trace. */
static const char *const sound[FILES] = {
    "job_id,submit_time,gpus,duration\n"
    "0,0,2,100\n"
    "1,10,1,60\n"
    "2,20,2,20\n",

    "{\"config\": {\"trace\": \"%TRACE\", \"cluster\": \"1x2:V100\", \"load\": 1, \"max_jobs\": "
    "0,\n"
    "  \"until\": \"0s\", \"warmup\": \"0s\", \"philly_attempts\": \"merge\"},\n"
    " \"card\": {\"can\": \"preempt\"}, \"inputs\": [], \"outputs\": []}\n",

    "job_id,submission_time,requested_number_of_resources,success,starting_time,finish_time,"
    "waiting_time,turnaround_time,status,nodes,isolated,run,overhead,lost,preemptions,migrations,"
    "gpu_seconds,colocated,slowdown,run_slowdown,ooms,attempts,pending,class,first_progress,"
    "switches,host_mib_seconds\n"
    "2,20,2,1,20,40,0,20,unknown,1,20,20,0,0,0,0,40,0,1,1,0,1,0,auto,20,0,0\n"
    "1,10,1,1,10,90,0,80,unknown,1,60,60,0,0,1,0,60,0,1.333333,1,0,1,20,auto,10,0,0\n"
    "0,0,2,1,0,180,0,180,unknown,1,100,100,0,0,1,0,200,0,1.8,1,0,1,80,auto,0,0,0\n",

    "job_id,start,end,allocated_resources,mean_rate,tenants,ended_by\n"
    "0,0,10,0-1,1,1,preempt\n"
    "1,10,20,0,1,1,preempt\n"
    "2,20,40,0-1,1,1,finish\n"
    "1,40,90,1,1,1,finish\n"
    "0,90,180,0-1,1,1,finish\n",

    "{\"metrics\": {\"n_jobs\": 3, \"n_done\": 3, \"n_failed\": 0, \"n_rejected\": 0,\n"
    "  \"n_unfinished\": 0, \"n_counted\": 3, \"preemptions\": 2, \"migrations\": 0,\n"
    "  \"makespan\": 180, \"mean_wait\": 0, \"mean_jct\": 93.33333333333333,\n"
    "  \"mean_isolated\": 60, \"p50_wait\": 0, \"p90_wait\": 0, \"p95_wait\": 0, \"p99_wait\": 0,\n"
    "  \"max_wait\": 0, \"p50_jct\": 80, \"p90_jct\": 180, \"p95_jct\": 180, \"p99_jct\": 180,\n"
    "  \"max_jct\": 180, \"overhead_gpu_seconds\": 0, \"held_gpu_seconds\": 300,\n"
    "  \"mean_running\": 1, \"gpu_allocation\": 0.8333333333333334,\n"
    "  \"mean_slowdown\": 1.3777776666666666, \"p50_slowdown\": 1.333333, \"p90_slowdown\": 1.8,\n"
    "  \"p95_slowdown\": 1.8, \"p99_slowdown\": 1.8, \"max_slowdown\": 1.8,\n"
    "  \"mean_run_slowdown\": 1, \"p50_run_slowdown\": 1, \"p90_run_slowdown\": 1,\n"
    "  \"p95_run_slowdown\": 1, \"p99_run_slowdown\": 1, \"max_run_slowdown\": 1,\n"
    "  \"colocated_share\": 0, \"gpu_sharing\": 0, \"ooms\": 0, \"retries\": 0,\n"
    "  \"mean_pending\": 33.333333333333336, \"lost_gpu_seconds\": 0, \"switches\": 0,\n"
    "  \"mean_time_to_progress\": 0, \"p50_time_to_progress\": 0, \"p90_time_to_progress\": 0,\n"
    "  \"p95_time_to_progress\": 0, \"p99_time_to_progress\": 0, \"max_time_to_progress\": 0,\n"
    "  \"host_mib_seconds\": 0}}\n",
};

struct report {
    enum hs_status status;
    char text[8192]; /* what was printed */
    struct sink sink;
};

/* Writes `text` with the first `find` replaced; find NULL = as it is. */
static void write_replaced(const char *name, const char *text, const char *find,
                           const char *replacement)
{
    char out[4096];
    const char *at = find != NULL ? strstr(text, find) : NULL;
    assert_true(find == NULL || at != NULL);
    if (find == NULL)
        snprintf(out, sizeof out, "%s", text);
    else
        snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, replacement,
                 at + strlen(find));
    scratch_write(name, out, strlen(out));
}

static void verify(struct report *r)
{
    struct hs_output out;
    char dir[512], *text;
    size_t len;
    snprintf(dir, sizeof dir, "%s", scratch_path(""));
    sink_init(&r->sink);
    assert_int_equal(hs_output_open(&out, scratch_path("out.txt"), &r->sink.diag), HS_OK);
    r->status = hs_verify_run(dir, &out, &r->sink.diag);
    assert_int_equal(hs_output_close(&out, &r->sink.diag), HS_OK);
    assert_int_equal(
        hs_read_file(scratch_path("out.txt"), sizeof r->text - 1, &text, &len, &r->sink.diag),
        HS_OK);
    memcpy(r->text, text, len + 1);
    hs_free(text);
}

static void with(struct report *r, int file, const char *find, const char *replacement)
{
    for (int i = 0; i < FILES; i++) {
        if (i == file)
            write_replaced(names[i], sound[i], find, replacement);
        else
            write_replaced(names[i], sound[i], NULL, NULL);
    }
    /* the path of the trace goes in last */
    char *text;
    size_t len;
    sink_init(&r->sink);
    assert_int_equal(hs_read_file(scratch_path("manifest.json"), 4096, &text, &len, &r->sink.diag),
                     HS_OK);
    if (strstr(text, "%TRACE") != NULL)
        write_replaced("manifest.json", text, "%TRACE", scratch_path("trace.csv"));
    hs_free(text);
    verify(r);
}

static void expect_fault(int file, const char *find, const char *replacement, const char *line)
{
    static struct report r;
    with(&r, file, find, replacement);
    if (r.status != HS_E_DIFFERS || strstr(r.text, line) == NULL)
        fail_msg("'%s' for '%s' in %s: %s, wanted\n%s\ngot\n%s%s", replacement, find, names[file],
                 hs_status_text(r.status), line, r.text, r.sink.text);
}

static void expect_bad_input(int file, const char *find, const char *replacement,
                             const char *message)
{
    static struct report r;
    with(&r, file, find, replacement);
    if (r.status != HS_E_INPUT || strstr(r.sink.text, message) == NULL)
        fail_msg("'%s' for '%s' in %s: %s, wanted\n%s\ngot\n%s%s", replacement, find, names[file],
                 hs_status_text(r.status), message, r.text, r.sink.text);
}

static void a_sound_run(void **state)
{
    static struct report r;
    (void)state;
    with(&r, FILES, NULL, NULL);
    assert_string_equal(r.sink.text, "");
    assert_string_equal(
        r.text, "ok    the output files are as the manifest lists them: 0 files, 0 changed\n"
                "skip  the trace is the one that was simulated: the manifest has no hash of it\n"
                "ok    every segment is of a job of the trace: 5 segments, 0 strangers\n"
                "ok    every GPU exists in the cluster: 8 GPU holdings, 0 beyond it\n"
                "ok    every gang is whole: 5 segments, 0 of another size\n"
                "ok    nothing starts before its submission: 5 segments, 0 too early\n"
                "ok    no GPU is held twice: 5 segments, 0 overlaps\n"
                "skip  no node serves two virtual clusters: the run has no partition into virtual "
                "clusters\n"
                "ok    a job is in one place at a time and ends once: 5 segments, 0 overlaps\n"
                "ok    jobs.csv has one row a job of the trace: 3 jobs, 0 missing or too many\n"
                "ok    jobs.csv says what the trace says: 3 jobs, 0 differences\n"
                "ok    jobs.csv says what segments.csv says: 3 jobs, 0 differences\n"
                "ok    waits and turnarounds follow from the times: 3 jobs, 0 differences\n"
                "ok    slowdowns follow from the times: 3 jobs, 0 differences\n"
                "ok    every job comes to its end: 3 jobs, 0 do not\n"
                "ok    work is lost where a GPU ran out of memory: 3 jobs, 0 differences\n"
                "ok    every finished job has done its work: 3 jobs, 0 differences (3 exactly, 0 "
                "within the "
                "printed digits of mean_rate)\n"
                "ok    jobs fail and are tried again as they should: 0 attempts, 0 differences\n"
                "ok    every suspension is a switch: 3 jobs, 0 differences\n"
                "ok    jobs make progress from where they say: 3 jobs, 0 differences\n"
                "ok    memory lies on the host while jobs are suspended: 3 jobs, 0 differences\n"
                "ok    summary.json follows from the rows: 52 figures, 0 differences\n"
                "20 checks passed\n");
    assert_int_equal(r.status, HS_OK);
}

static void lies_in_segments(void **state)
{
    (void)state;
    expect_fault(SEGMENTS, "2,20,40", "7,20,40",
                 "FAIL  every segment is of a job of the trace: 5 segments, 1 strangers\n"
                 "        segments.csv:4: the trace has no such job\n");
    expect_fault(SEGMENTS, "40,90,1,", "40,90,2,",
                 "        segments.csv:5: job 1 on GPU 2, the cluster's last is 1\n");
    expect_fault(SEGMENTS, "2,20,40,0-1", "2,20,40,0",
                 "        segments.csv:4: job 2 holds 1 GPUs and needs 2\n");
    expect_fault(SEGMENTS, "1,10,20", "1,9.5,20",
                 "        segments.csv:3: job 1 starts at 9.5, submitted at 10\n");
    expect_fault(SEGMENTS, "1,40,90", "1,39,90",
                 "        GPU 1 at 39: job 2 (segments.csv:4) and job 1 (segments.csv:5)\n");
    /* a segment of no length inside another one's holds its GPU all the same */
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

static void lies_in_jobs(void **state)
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
    expect_fault(JOBS, "unknown,1,20", "unknown,2,20",
                 "        jobs.csv:2: job 2: nodes 2, by segments.csv 1\n");
    expect_fault(JOBS, "1,20,40,0,20", "1,20,40,1,20",
                 "        jobs.csv:2: job 2: waiting_time 1, by its own times 0\n");
    expect_fault(JOBS, "1,20,40,0,20", "1,20,40,0,",
                 "        jobs.csv:2: job 2: turnaround_time missing, by its own times 20\n");
    expect_fault(JOBS, "1.333333,1,0,1,20", "1.333333,1,0,1,21", /* 80 from end to end, 60 on it */
                 "        jobs.csv:3: job 1: pending 21, by its own times 20\n");
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
    static struct report r;
    (void)state;
    expect_fault(TRACE, "2,20,2,20", "2,20,2,21",
                 "        job 2 ran 20, 0 of it overhead, for 21 of work\n");
    /* one microsecond in 20 s is less than a digit of mean_rate, and still wrong at full speed */
    expect_fault(TRACE, "2,20,2,20", "2,20,2,20.000001",
                 "        job 2 ran 20, 0 of it overhead, for 20.000001 of work\n");
    /* 1 s of work in 3 s is a rate of 1/3: of the printed digits 1e-9 s is missing, and half a
     * digit over 3 s is 1.5e-9 s; one digit less would be 4e-9 s. Other checks fail, job 2 now ends
     * at 23. */
    with(&r, TRACE, "2,20,2,20", "2,20,2,1");
    write_replaced("segments.csv", sound[SEGMENTS], "2,20,40,0-1,1,", "2,20,23,0-1,0.333333333,");
    verify(&r);
    assert_null(strstr(r.text, "of work\n"));
    assert_non_null(strstr(r.text, "(2 exactly, 1 within the printed digits"));
    write_replaced("segments.csv", sound[SEGMENTS], "2,20,40,0-1,1,", "2,20,23,0-1,0.333333332,");
    verify(&r);
    assert_non_null(strstr(r.text, "        job 2 ran 3, 0 of it overhead, for 1 of work\n"));
    /* the times alone do not make up for a rate that says otherwise */
    expect_fault(SEGMENTS, "2,20,40,0-1,1,", "2,20,40,0-1,0.5,",
                 "        job 2 ran 20, 0 of it overhead, for 20 of work\n");
}

static void expect_in_rows(struct report *r, const char *row, const char *said)
{
    write_replaced("jobs.csv", sound[JOBS],
                   "0,0,2,1,0,180,0,180,unknown,1,100,100,0,0,1,0,200,0,1.8,1,0", row);
    verify(r);
    if (strstr(r->text, said) == NULL)
        fail_msg("%s: wanted\n%s\ngot\n%s%s", row, said, r->text, r->sink.text);
}

/* Job 0 now has 90 s of work and loses its first 10 s because the GPU ran out of memory; 90 s in
 * its second placement are its work. mean_rate has nine decimals: 10 s of it are known to 5 ns. */
static void losses(void **state)
{
    static struct report r;
    static const char sound_line[] =
        "ok    work is lost where a GPU ran out of memory: 3 jobs, 0 differences\n"
        "ok    every finished job has done its work: 3 jobs, 0 differences";
    (void)state;
    with(&r, TRACE, "0,0,2,100", "0,0,2,90");
    write_replaced("segments.csv", sound[SEGMENTS], "0,0,10,0-1,1,1,preempt", "0,0,10,0-1,1,1,oom");
    expect_in_rows(&r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,10,0,0,200,0,2,1.111111,1",
                   sound_line);
    assert_non_null(strstr(r.text, "ok    jobs.csv says what segments.csv says: 3 jobs"));
    assert_non_null(strstr(r.text, "summary.json: ooms is 0, by the rows it is 1\n"));
    assert_non_null(strstr(r.text, "summary.json: lost_gpu_seconds is 0, by the rows it is 20\n"));
    expect_in_rows(&r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,10.000000005,0,0,200,0,2,1.111111,1",
                   sound_line);
    expect_in_rows(&r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,10.000000006,0,0,200,0,2,1.111111,1",
                   "FAIL  work is lost where a GPU ran out of memory: 3 jobs, 1 differences\n"
                   "        jobs.csv:4: job 0: lost 10.000000006, by segments.csv 10\n");
    expect_in_rows(&r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,0,0,0,200,0,2,1.111111,1",
                   "        jobs.csv:4: job 0: lost 0, by segments.csv 10\n");
    expect_in_rows(&r, "0,0,2,1,0,180,0,180,unknown,1,90,100,0,10,0,0,200,0,2,1.111111,0",
                   "        jobs.csv:4: job 0: ooms 0, by segments.csv 1\n");
    /* given up at 180, it has lost what it did in both placements */
    write_replaced("segments.csv", sound[SEGMENTS], "0,90,180,0-1,1,1,finish",
                   "0,90,180,0-1,1,1,kill");
    expect_in_rows(&r, "0,0,2,0,0,180,0,180,failed,1,90,100,0,100,1,0,200,0,2,1.111111,0",
                   "ok    work is lost where a GPU ran out of memory: 3 jobs, 0 differences\n");
    expect_in_rows(&r, "0,0,2,0,0,180,0,180,failed,1,90,100,0,0,1,0,200,0,2,1.111111,0",
                   "        jobs.csv:4: job 0: lost 0, by segments.csv 100\n");
}

static void lies_in_summary(void **state)
{
    (void)state;
    expect_fault(SUMMARY, "\"ooms\": 0", "\"ooms\": 1",
                 "        summary.json: ooms is 1, by the rows it is 0\n");
    expect_fault(SUMMARY, "\"makespan\": 180", "\"makespan\": 181",
                 "FAIL  summary.json follows from the rows: 52 figures, 1 differences\n"
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

static void lies_in_manifest(void **state)
{
    (void)state;
    expect_fault(MANIFEST, "\"outputs\": []",
                 "\"outputs\": [{\"name\": \"jobs.csv\", \"xxh3_64\": \"0123456789abcdef\"}, "
                 "{\"name\": \"segments.csv\", \"xxh3_64\": \"0123456789abcdef\"}]",
                 "        jobs.csv is not the file that the manifest lists\n");
    expect_fault(MANIFEST, "\"inputs\": []",
                 "\"inputs\": [{\"role\": \"trace\", \"xxh3_64\": \"0123456789abcdef\", "
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

/* GPUs that a card declares as shared may be held by two, if both segments say so. */
static void sharing(void **state)
{
    static struct report r;
    (void)state;
    with(&r, MANIFEST, "\"can\": \"preempt\"", "\"can\": \"preempt, co-locate\"");
    assert_int_equal(r.status, HS_OK);
    write_replaced("segments.csv", sound[SEGMENTS], "1,40,90", "1,39,90");
    verify(&r);
    assert_non_null(strstr(r.text, "FAIL  no GPU is held twice"));
    write_replaced("segments.csv", sound[SEGMENTS], "1,1,finish\n1,40,90,1,1,1",
                   "1,2,finish\n1,39,90,1,1,2");
    verify(&r);
    assert_non_null(strstr(r.text, "ok    no GPU is held twice"));
    /* in [39, 40) job 2 shares one of its GPUs with job 1 */
    assert_non_null(strstr(r.text, "        jobs.csv:3: job 1: run 60, by segments.csv 61\n"
                                   "        jobs.csv:3: job 1: colocated 0, by segments.csv 1\n"));
    assert_null(strstr(r.text, "summary.json: held_gpu_seconds"));
    assert_non_null(strstr(r.text, "summary.json: colocated_share is 0, by the rows it is 0.0110"));
}

static void windows(void **state)
{
    static struct report r;
    (void)state;
    with(&r, MANIFEST, "\"warmup\": \"0s\"", "\"warmup\": \"5s\"");
    assert_int_equal(r.status, HS_OK);
    assert_non_null(strstr(r.text, "19 figures, 0 differences (job statistics left out: a window "
                                   "is set)\n"));
}

/* VCs a, b, a on one node; then b alone on node 1 of two. */
static void partition(void **state)
{
    static struct report r;
    (void)state;
    with(&r, MANIFEST, "1x2:V100\"", "1x2:V100\", \"vc\": \"partition\"");
    assert_int_equal(r.status, HS_OK); /* no job has a VC: all of one */
    assert_non_null(strstr(r.text, "ok    no node serves two virtual clusters: 5 segments"));
    write_replaced("trace.csv",
                   "job_id,submit_time,gpus,duration,vc\n0,0,2,100,a\n1,10,1,60,b\n2,20,2,20,a\n",
                   NULL, NULL);
    verify(&r);
    assert_non_null(strstr(r.text,
                           "FAIL  no node serves two virtual clusters: 5 segments, 2 strangers\n"
                           "        segments.csv:3: job 1 of VC 'b' on node 0, which VC 'a' used\n"
                           "        segments.csv:5: job 1 of VC 'b' on node 0"));
}

/* Two racks, node 0 with GPU 0, node 1 with GPU 1: job 0 spans two nodes. */
static void cluster_from_json(void **state)
{
    static struct report r;
    static const char racks[] = "{\"racks\": [{\"nodes\": [{\"gpus\": 1}]},"
                                " {\"nodes\": [{\"count\": 1, \"gpus\": 1}]}]}";
    char text[1024];
    (void)state;
    scratch_write("racks.json", racks, sizeof racks - 1);
    snprintf(text, sizeof text, "%s", scratch_path("racks.json"));
    with(&r, MANIFEST, "1x2:V100", text);
    assert_non_null(strstr(r.text, "ok    every GPU exists in the cluster: 8 GPU holdings"));
    assert_non_null(strstr(r.text, "        jobs.csv:4: job 0: nodes 1, by segments.csv 2\n"
                                   "        jobs.csv:2: job 2: nodes 1, by segments.csv 2\n"));
    scratch_write("racks.json", "{\"nodes\": [{\"cpus\": 1}]}", 24);
    verify(&r);
    assert_int_equal(r.status, HS_E_INPUT);
    assert_non_null(strstr(r.sink.text, "not a group of nodes with 'gpus'"));
}

static void what_cannot_be_read(void **state)
{
    static struct report r;
    (void)state;
    expect_bad_input(TRACE, "1,10,1,60", "0,10,1,60", "job id '0' is not unique");
    expect_bad_input(MANIFEST, "\"config\"", "\"konfig\"", "the manifest has no configuration");
    expect_bad_input(MANIFEST, "\"trace\":", "\"track\":", "the manifest names no trace");
    expect_bad_input(MANIFEST, "%TRACE", "-", "from standard input");
    expect_bad_input(MANIFEST, "1x2:V100", "1-2", "neither a file nor a shape: '1-2'");
    expect_bad_input(MANIFEST, "\"merge\"", "\"melt\"", "melt");
    expect_bad_input(JOBS, "success", "succes", "there is no column 'success'");
    expect_bad_input(JOBS, "2,20,2,1,20", "2,x,2,1,20", "submission_time is not a time in seconds");
    expect_bad_input(JOBS, "0,0,40,", "0,-1,40,", "migrations is not a count");
    expect_bad_input(JOBS, "1.333333", "-1.3", "slowdown is not a ratio");
    expect_bad_input(SEGMENTS, "0,0,10,0-1", "0,0,10,1-0", "ascending GPU ids");
    expect_bad_input(SEGMENTS, "0,0,10,0-1", "0,0,10,0 0", "ascending GPU ids");
    expect_bad_input(SEGMENTS, "0,0,10,0-1", "0,0,10,a", "ascending GPU ids");
    expect_bad_input(SEGMENTS, "0,0,10", "0,20,10", "end is not a time at or after start");
    expect_bad_input(SEGMENTS, "0-1,1,1,preempt", "0-1,fast,1,preempt", "mean_rate is not a rate");
    expect_bad_input(SEGMENTS, "preempt", "bored", "ended_by is not finish, preempt");
    with(&r, FILES, NULL, NULL);
    remove(scratch_path("segments.csv"));
    verify(&r);
    assert_int_equal(r.status, HS_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_run),
        cmocka_unit_test(lies_in_segments),
        cmocka_unit_test(lies_in_jobs),
        cmocka_unit_test(work),
        cmocka_unit_test(losses),
        cmocka_unit_test(lies_in_summary),
        cmocka_unit_test(lies_in_manifest),
        cmocka_unit_test(sharing),
        cmocka_unit_test(windows),
        cmocka_unit_test(partition),
        cmocka_unit_test(cluster_from_json),
        cmocka_unit_test(what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
