/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Published outcomes of simulators, job by job, compared with runs of the engine. The files may not
 * be shipped: they are read from $HORUS_DATA/oracles, or ../shared/data/oracles; without them the
 * test is skipped, with a message. Any other failure fails the test.
 *
 *     struct workload w = {0};
 *     published_helios(&w, "helios-venus/expected_vcvlY_fifo.csv");
 *     published_compare(&w, "2x8", "fifo:scan=strict,placement=consolidate");
 *     free(w.jobs);
 */
#ifndef HORUS_TESTS_PUBLISHED_H
#define HORUS_TESTS_PUBLISHED_H

#include <stdint.h>

#include "ref/refsim.h"
#include "support/run.h"

/* A job and its published outcome, in seconds from the first submission. */
struct published {
    char id[24];
    int64_t submit, duration, start, end; /* start -1: no outcomes of single jobs are published */
    uint32_t gpus, preemptions;
};

struct workload {
    struct published *jobs;
    uint32_t count;
};

/* Adds the jobs of a trace; columns: job id, submission, GPUs, duration. */
void published_jobs(struct workload *w, const char *path, const char *const *columns);
/* Their outcomes; columns: job id, submission, start, end, preemptions, on the simulator's own
 * clock. */
void published_outcomes(const struct workload *w, const char *path, const char *const *columns);

/* 415 real jobs of VC vcvlY on 2x8, and their outcomes in the Helios/Lucid artifact: a file of
 * oracles/. */
void published_helios(struct workload *w, const char *outcomes);
/* 60 jobs on 4x4 by Tiresias' simulator, with fixes: a folder of 60_job/n4g4, "count/fifo". */
void published_tiresias(struct workload *w, const char *outcomes);
/* A micro-scenario by the same simulator, "S1.fifo". */
void published_micro(struct workload *w, const char *name);

void published_run(const struct workload *w, const char *cluster, const char *policy,
                   struct hs_test_result *r);
/* Runs it: every start, every end and every number of preemptions must be as published. */
void published_compare(const struct workload *w, const char *cluster, const char *policy);
/* The same for a micro-scenario. */
void published_micro_compare(const char *name, const char *cluster, const char *policy);
/* The reference simulator is compared with the same files, so that it can be used without files. */
void published_compare_reference(const struct workload *w, int nodes, int gpus,
                                 struct ref_scenario s);

#endif
