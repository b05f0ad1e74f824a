/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs of an array led through the assign stage, with a catalogue that is loaded once a test.
 *
 *     assigned_load("builtin:profiles.csv");
 *     struct hs_trace_job job = assigned_blank(1);
 *     assigned_pass(&job, 1, &options);
 *     assert_int_equal(assigned_counts.by_mix, 1);
 *     assigned_free();
 */
#ifndef HORUS_TESTS_ASSIGNED_H
#define HORUS_TESTS_ASSIGNED_H

#include "model/assign.h"
#include "support/sink.h"

struct assigned_feed {
    const struct hs_trace_job *jobs;
    uint32_t count, next;
    enum hs_status end; /* status after the last job */
    struct hs_trace_job job;
};

extern struct sink assigned_sink;
extern struct hs_catalogue assigned_catalogue;
extern struct hs_assign_counts assigned_counts; /* of the last pass */

void assigned_load(const char *path);
void assigned_load_text(const char *text); /* through a file of the scratch folder */
void assigned_free(void);
/* A job as read from a trace. */
struct hs_trace_job assigned_blank(uint32_t gpus);
/* feed must outlive the source. */
struct hs_job_source assigned_source(struct assigned_feed *feed);
/* Replaces the jobs by the stage's output. */
void assigned_pass(struct hs_trace_job *jobs, uint32_t count,
                   const struct hs_assign_options *options);

#endif
