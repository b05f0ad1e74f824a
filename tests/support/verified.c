/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See verified.h.
 */
#include "support/verified.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "report/verify/verify.h"

const char *const verified_names[FILES] = {"trace.csv", "manifest.json", "jobs.csv", "segments.csv",
                                           "summary.json"};

/* %TRACE stands for the path of the trace. */
const char *const verified_sound[FILES] = {
    "job_id,submit_time,gpus,duration\n"
    "0,0,2,100\n"
    "1,10,1,60\n"
    "2,20,2,20\n",

    "{\"config\": {\"trace\": \"%TRACE\", \"cluster\": \"1x2:V100\", \"load\": 1, \"max_jobs\": "
    "0,\n"
    "  \"until\": \"0s\", \"warmup\": \"0s\", \"philly_attempts\": \"merge\"},\n"
    " \"gpu_time\": 1, \"card\": {\"can\": \"preempt\"}, \"inputs\": [], \"outputs\": []}\n",

    "job_id,submission_time,requested_number_of_resources,success,starting_time,finish_time,"
    "waiting_time,turnaround_time,status,nodes,isolated,run,overhead,lost,preemptions,migrations,"
    "gpu_seconds,colocated,slowdown,run_slowdown,ooms,attempts,queueing_delay,class,first_progress,"
    "switches,host_mib_seconds,gpu_share,gpu_util,gpu_type\n"
    "2,20,2,1,20,40,0,20,unknown,1,20,20,0,0,0,0,40,0,1,1,0,1,0,auto,20,0,0,1,0.25,V100\n"
    "1,10,1,1,10,90,0,80,unknown,1,60,60,0,0,1,0,60,0,1.333333,1,0,1,20,auto,10,0,0,1,1,V100\n"
    "0,0,2,1,0,180,0,180,unknown,1,100,100,0,0,1,0,200,0,1.8,1,0,1,80,auto,0,0,0,1,0.5,V100\n",

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
    "  \"mean_queueing_delay\": 33.333333333333336, \"lost_gpu_seconds\": 0, \"switches\": 0,\n"
    "  \"mean_time_to_progress\": 0, \"p50_time_to_progress\": 0, \"p90_time_to_progress\": 0,\n"
    "  \"p95_time_to_progress\": 0, \"p99_time_to_progress\": 0, \"max_time_to_progress\": 0,\n"
    "  \"host_mib_seconds\": 0, \"gpu_allocated_share\": 0.8333333333333334,\n"
    "  \"gpu_utilization\": 0.4722222222222222}}\n",
};

void verified_replace(const char *name, const char *text, const char *find, const char *replacement)
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

void verified_again(struct verified *r)
{
    struct hs_output out;
    char dir[512], *text;
    size_t len;
    snprintf(dir, sizeof dir, "%s", scratch_path(""));
    sink_init(&r->sink);
    assert_int_equal(hs_output_open(&out, scratch_path("out.txt"), &r->sink.diag), HS_OK);
    r->status = hs_verify_run(dir, false, &out, &r->sink.diag);
    assert_int_equal(hs_output_close(&out, &r->sink.diag), HS_OK);
    assert_int_equal(
        hs_read_file(scratch_path("out.txt"), sizeof r->text - 1, &text, &len, &r->sink.diag),
        HS_OK);
    memcpy(r->text, text, len + 1);
    hs_free(text);
}

void verified_with(struct verified *r, int file, const char *find, const char *replacement)
{
    for (int i = 0; i < FILES; i++) {
        if (i == file)
            verified_replace(verified_names[i], verified_sound[i], find, replacement);
        else
            verified_replace(verified_names[i], verified_sound[i], NULL, NULL);
    }
    /* the path of the trace is inserted last */
    char *text;
    size_t len;
    sink_init(&r->sink);
    assert_int_equal(hs_read_file(scratch_path("manifest.json"), 4096, &text, &len, &r->sink.diag),
                     HS_OK);
    if (strstr(text, "%TRACE") != NULL)
        verified_replace("manifest.json", text, "%TRACE", scratch_path("trace.csv"));
    hs_free(text);
    verified_again(r);
}
