/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs that only some nodes, or no placement at all, can serve, under the policies of policies/lib:
 * they do not block other jobs and are not blocked by them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/run.h"
#include "support/sink.h"

static const char two_racks[] = "{\"racks\": [{\"nodes\": [{\"count\": 1, \"gpus\": 2}]},"
                                "             {\"nodes\": [{\"count\": 1, \"gpus\": 2}]}]}";

/* Two racks of one 2-GPU node: yarn, which never crosses racks, can never place 4 GPUs. Job 0 (4
 * GPUs, 1 s) comes first by key, needs all GPUs of the cluster and cannot be placed: it is
 * rejected, and job 1 starts in the same instant, although there is no other event. */
static void a_hopeless_job_blocks_no_other(void **state)
{
    (void)state;
    static const char *const policies[] = {
        "srtf:form=evict,placement=yarn", "srtf:form=replace,placement=yarn",
        "srsf:form=evict,placement=yarn", "sjf:scan=strict,placement=yarn",
        "sjf:scan=fit,placement=yarn",    "fifo:scan=strict,placement=yarn",
        "fifo:scan=easy,placement=yarn"};
    static const struct hs_test_job jobs[] = {{.gpus = 4, .duration_s = 1},
                                              {.gpus = 2, .duration_s = 10}};
    const char *cluster = scratch_write("racks.json", two_racks, strlen(two_racks));
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        struct hs_test_result r;
        if (hs_test_run(jobs, 2, cluster, policies[i], &r) != HS_OK)
            fail_msg("%s: %s", policies[i], r.message);
        assert_int_equal(r.jobs[0].state, HS_JOB_REJECTED);
        assert_int_equal(r.jobs[1].start_us, 0);
        assert_int_equal(r.jobs[1].end_us, 10 * HS_TEST_S);
        hs_test_free(&r);
    }
}

/* The untyped gang of 8 waits for the node of 8; that does not affect the gang of 8 P100s, which
 * has two idle nodes of 4: it starts at once, under every scan that skips misfits. */
static void a_demand_for_nodes_is_tried_on_its_own(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo:scan=fit", "sjf:scan=fit", "fifo:scan=easy"};
    static const struct hs_test_job jobs[] = {
        {.gpus = 8, .duration_s = 10, .gpu_type = "V100"},
        {.gpus = 8, .submit_s = 1, .duration_s = 20},
        {.gpus = 8, .submit_s = 2, .duration_s = 30, .gpu_type = "P100"}};
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        struct hs_test_result r;
        assert_int_equal(hs_test_run(jobs, 3, "1x8:V100,2x4:P100", policies[i], &r), HS_OK);
        if (i < 2) /* easy: at 2 it would end after the reservation of the head, at 10 */
            assert_int_equal(r.jobs[2].start_us, 2 * HS_TEST_S);
        assert_int_equal(r.jobs[1].start_us, 10 * HS_TEST_S);
        hs_test_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hopeless_job_blocks_no_other),
                                       cmocka_unit_test(a_demand_for_nodes_is_tried_on_its_own)};
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
