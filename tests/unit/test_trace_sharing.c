/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The columns of the native format for schedulers that slice and share: how they are read, and
 * contradictions. Expected numbers are read off the text of each test's trace.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "support/traced.h"

#define SECOND INT64_C(1000000)

static struct traced t;

static void read_it(const char *text)
{
    traced_text(&t, "t.csv", text);
}

/* The trace must fail with a message that contains `words`. */
static void expect_fault(const char *text, const char *words)
{
    traced_options(&t);
    read_it(text);
    assert_int_equal(t.status, HS_E_INPUT);
    if (strstr(t.sink.text, words) == NULL)
        fail_msg("no '%s' in: %s", words, t.sink.text);
}

static void test_columns(void **state)
{
    (void)state;
    traced_options(&t);
    read_it("job_id,submit_time,gpus,duration,class,step,gpu_mem_mib,gpu_mem_persistent_mib,"
            "checkpoint_mib,gpu_mem_later_mib,gpu_mem_later_after\n"
            "a,0,1,10,Guaranteed,0.25,8GiB,512,98,12GiB,100\n"
            "b,0,1,10,opportunistic,,,,,,\n"
            "c,0,1,10,auto,0,,0,0,0,0\n"
            "d,0,1,10,NaN,-,-,none,nan,NA,null\n"
            "e,0,1,10,,1e-6,1000,1000,,1000,1e-6\n");
    if (t.status != HS_END)
        fail_msg("%s", t.sink.text);
    assert_int_equal(t.count, 5);
    const struct hs_trace_job *a = &t.jobs[0], *e = &t.jobs[4];
    assert_int_equal(a->job_class, HS_JOB_CLASS_GUARANTEED);
    assert_int_equal(a->step_us, 250000);
    assert_int_equal(a->gpu_mem_persistent_mib, 512);
    assert_int_equal(a->checkpoint_mib, 98);
    assert_int_equal(a->gpu_mem_later_mib, 12288);
    assert_int_equal(a->later_us, 100 * SECOND);
    assert_int_equal(t.jobs[1].job_class, HS_JOB_CLASS_OPPORTUNISTIC);
    for (int i = 1; i < 4; i++) { /* b, c, d state nothing else */
        assert_int_equal(t.jobs[i].step_us, 0);
        assert_int_equal(t.jobs[i].gpu_mem_persistent_mib, 0);
        assert_int_equal(t.jobs[i].gpu_mem_later_mib, 0);
        assert_int_equal(t.jobs[i].later_us, 0);
    }
    assert_int_equal(t.jobs[2].job_class, HS_JOB_CLASS_AUTO);
    assert_int_equal(t.jobs[3].job_class, HS_JOB_CLASS_AUTO);
    assert_int_equal(e->job_class, HS_JOB_CLASS_AUTO);
    assert_int_equal(e->step_us, 1);
    assert_int_equal(e->gpu_mem_persistent_mib, 1000); /* all of it may be persistent */
    assert_int_equal(e->later_us, 1);
}

static void test_wrong(void **state)
{
    (void)state;
#define WITH(columns) "job_id,submit_time,gpus,duration," columns "\n"
    expect_fault(WITH("class") "a,0,1,1,auto\nb,0,1,1,guarantee\n",
                 "t.csv:3:9: error: unknown class 'guarantee'");
    expect_fault(WITH("class") "a,0,1,1,oportunistic\n", "did you mean 'opportunistic'?");
    expect_fault(WITH("class") "a,0,1,1,production\n",
                 "guaranteed, opportunistic (or spot) or auto");
    expect_fault(WITH("step") "a,0,1,1,-1\n", "t.csv:2:9: error: step is out of range");
    expect_fault(WITH("step") "a,0,1,1,1e10\n", "step is out of range"); /* 317 years */
    expect_fault(WITH("step") "a,0,1,1,slow\n", "step is not a number: 'slow'");
    expect_fault(WITH("checkpoint_mib") "a,0,1,1,-1\n", "checkpoint_mib is negative");
    expect_fault(WITH("gpu_mem_mib,gpu_mem_persistent_mib") "a,0,1,1,100,101\n",
                 "t.csv:2:13: error: gpu_mem_persistent_mib is more than gpu_mem_mib");
    expect_fault(
        WITH("gpu_mem_persistent_mib,gpu_mem_later_mib,gpu_mem_later_after") "a,0,1,1,101,100,1\n",
        "gpu_mem_persistent_mib is more than gpu_mem_later_mib");
    expect_fault(WITH("gpu_mem_later_mib,gpu_mem_later_after") "a,0,1,1,100,-1\n",
                 "t.csv:2:13: error: gpu_mem_later_after is negative");
    expect_fault(WITH("gpu_mem_later_mib,gpu_mem_later_after") "a,0,1,1,100,1e10\n",
                 "gpu_mem_later_after is beyond 285 years");
    expect_fault(WITH("gpu_mem_later_mib,gpu_mem_later_after") "a,0,1,1,100,\n",
                 "t.csv:2:9: error: gpu_mem_later_mib is set without gpu_mem_later_after");
    expect_fault(WITH("gpu_mem_later_mib,gpu_mem_later_after") "a,0,1,1,100,0\n",
                 "is set without gpu_mem_later_after");
    expect_fault(WITH("gpu_mem_later_mib,gpu_mem_later_after") "a,0,1,1,,100\n",
                 "t.csv:2:10: error: gpu_mem_later_after is set without gpu_mem_later_mib");
#undef WITH
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests_name("traces/native, sharing", tests, scratch_open,
                                       scratch_close);
}
