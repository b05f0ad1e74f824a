/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fits a workload to the jobs of a trace, in one pass: what workload/generator then generates is
 * similar in sizes, durations within a size, outcomes by duration, days and weeks, bursts, users,
 * virtual clusters and retries.
 *
 *     hs_fit_open(&fit);
 *     while (next(&job) == HS_OK) HS_TRY(hs_fit_add(fit, &job, diag));
 *     HS_TRY(hs_fit_finish(fit, "lab", &workload, diag));
 *     hs_fit_close(fit);                                      // the workload stays
 *
 * Memory does not grow with the jobs: distributions are logarithmic histograms (base/loghist: whole
 * seconds up to 2,047, then 0.1 %), four for each of at most 33 classes of sizes; in addition one
 * count per hour of the trace, a few numbers per user and virtual cluster, and 4,096 pairs of jobs.
 */
#pragma once

#include "workload/workload.h"

#define HS_FIT_JOBS_LEAST 10

struct hs_fit;

void hs_fit_open(struct hs_fit **fit);
/* Adds a job, in order of submission. Jobs without GPUs are ignored. */
HS_MUST_USE enum hs_status hs_fit_add(struct hs_fit *fit, const struct hs_trace_job *job,
                                      struct hs_diag *diag);
/* Fills the workload, which owns its contents: hs_workload_free(). HS_E_INPUT if there were fewer
 * than HS_FIT_JOBS_LEAST jobs. */
HS_MUST_USE enum hs_status hs_fit_finish(struct hs_fit *fit, const char *name,
                                         struct hs_workload *workload, struct hs_diag *diag);
uint64_t hs_fit_jobs(const struct hs_fit *fit); /* added so far */
void hs_fit_close(struct hs_fit *fit);          /* NULL is allowed */
