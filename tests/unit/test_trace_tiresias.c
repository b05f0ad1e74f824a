/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tiresias' job files.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "support/traced.h"

#include "support/data.h"

static struct traced t;

static void read_it(const char *text)
{
    traced_text(&t, "jobs.csv", text);
}

/* 60_job.csv has CRLF ends; tf_job.csv ends without a newline. */
static void test_crlf_and_no_final_newline(void **state)
{
    (void)state;
    traced_options(&t);
    read_it("job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n"
            "0,1,0,606,vgg19,164,30\r\n1,8,30,133,vgg11,147,23");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.format, "tiresias");
    assert_int_equal(t.count, 2);
    assert_string_equal(t.jobs[1].id, "1");
    assert_string_equal(t.jobs[1].model, "vgg11");
    assert_null(t.jobs[1].batch);
    assert_int_equal(t.jobs[1].gpus, 8);
    assert_int_equal(t.jobs[1].submit_us, 30000000);
    assert_int_equal(t.jobs[1].duration_us, 147000000);
}

/* Files need not be in order of submission. */
static void test_out_of_order(void **state)
{
    (void)state;
    traced_options(&t);
    read_it("job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval\n"
            "0,vc_a,1,8555,5049,vgg16,747,14\n1,vc_b,1,832,296,mobilenet,98,8\n");
    assert_int_equal(t.status, HS_END);
    assert_string_equal(t.jobs[0].id, "1");
    assert_string_equal(t.jobs[0].user, "vc_b");
    assert_string_equal(t.jobs[1].id, "0");
    assert_int_equal(t.counts.reordered, 1);
}

static void test_real_60_jobs(void **state)
{
    (void)state;
    const char *path = data_find("traces", "60_job.csv");
    if (path == NULL)
        skip();
    traced_options(&t);
    traced_file(&t, path);
    assert_int_equal(t.status, HS_END);
    assert_int_equal(t.count, 60);
    assert_int_equal(t.gpus, 170); /* awk -F, 'NR>1{s+=$2}END{print s}' */
    assert_string_equal(t.jobs[0].model, "vgg19");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crlf_and_no_final_newline),
        cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_real_60_jobs),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
