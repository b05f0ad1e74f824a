/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between the engine and the reference of shares (ref/refparts.h): the same cluster and jobs for
 * both, and an observer of the engine's run.
 *
 *     parted_cluster(&s, text, sizeof text);             // as JSON
 *     parted_jobs(&s, jobs, count, mine);                // in the form of the reference
 *     options.observer = parted_watch(&w, &s);           // then run the engine
 *     assert_string_equal(parted_fault(&w), "");
 *
 * GPU types are X0, X1, ..., virtual clusters v0, v1, ...
 */
#ifndef HORUS_TESTS_PARTED_H
#define HORUS_TESTS_PARTED_H

#include <stddef.h>

#include "ref/refparts.h"
#include "support/run.h"

#define PARTED_JOBS_MAX 8192

/* What holds under any policy: at most 1000 thousandths of a GPU (hence no share of one that is
 * held whole), workers of a job on different GPUs, of allowed types and with the memory that they
 * request, CPU and host memory of the nodes, pools and quotas of the virtual clusters. Also sums:
 * GPUs held and thousandths of them over time, as observed and as reported at each instant; the GPU
 * time of each job. */
struct parted_watch {
    struct hs_observer observer;
    const struct parts *s;
    int milli[PARTS_GPUS_MAX], tenants[PARTS_GPUS_MAX];
    int64_t cpus_milli[PARTS_NODES_MAX], mem_mib[PARTS_NODES_MAX], vc_milli[PARTS_VCS_MAX];
    int64_t job_us[PARTED_JOBS_MAX]; /* GPUs x time */
    int64_t seen_us, held_us, milli_us;
    int64_t predicted_us, told_held, told_milli, told_held_us, told_milli_us;
    char fault[512]; /* the first */
};

void parted_cluster(const struct parts *s, char *json, size_t size);
/* Converts the jobs into mine, and sets s to those. */
void parted_jobs(struct parts *s, const struct hs_test_job *jobs, int count,
                 struct parts_job *mine);
/* Returns an observer of one run of the jobs of s. */
const struct hs_observer *parted_watch(struct parted_watch *w, const struct parts *s);
/* After the run: the first fault; "" = none. In w. */
const char *parted_fault(struct parted_watch *w);
/* The same, and a difference of times and sums from those of the reference, which has simulated
 * s. */
const char *parted_difference(struct parted_watch *w);

#endif
