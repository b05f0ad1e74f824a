/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A policy with decisions written by the test: the n-th call of its function writes the n-th plan.
 * Beside another tenant a job runs at speed 1/2.
 *
 *     static void start(const struct hs_view *v, struct hs_plan *p, int call)
 *     {
 *         hs_plan_start(p, script_handle[0]);
 *         hs_plan_on_node(p, 0, 2);
 *     }
 *     status = script_play(jobs, 1, "1x4", HS_CAN_TIME, start, &result);
 */
#ifndef HORUS_TESTS_SCRIPT_H
#define HORUS_TESTS_SCRIPT_H

#include "support/run.h"

typedef void script_fn(const struct hs_view *v, struct hs_plan *p, int call);

extern hs_job_id script_handle[16]; /* of the jobs, in order of submission */
/* The policy's notifications, a letter each: U submit, F finish, S started, O stopped, P overhead
 * paid, B mini-batches done, M memory demand changed, and the tag of a timer. */
extern char script_told[256];

extern uint32_t script_knows; /* what it declares to know; 0 unless a test sets it */
/* Options of the runs; the policy is set by script_play, and speed 1/2 beside another job unless
 * there is an interference or an excess below 0. */
extern struct hs_test_options script_options;

enum hs_status script_play(const struct hs_test_job *jobs, uint32_t count, const char *cluster,
                           uint32_t can, script_fn *what, struct hs_test_result *result);
/* Asserts that the run failed for a policy bug with `rule` in its message; frees the result. */
void assert_script_refused(enum hs_status status, struct hs_test_result *result, const char *rule);

#endif
