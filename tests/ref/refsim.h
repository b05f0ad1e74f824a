/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference simulator: slow, short, obviously correct, written from the design text alone
 * without a line of the engine. It steps through whole seconds, keeps one flat array of jobs and
 * re-sorts everything at every pass. Exclusive GPUs, one pool, one rack, rates 1.
 *
 *     struct ref_scenario s = {.jobs = jobs, .job_count = 3, .node_gpus = {4}, .nodes = 1,
 *                              .policy = REF_SRTF, .form = REF_EVICT, .placer = REF_CONSOLIDATE};
 *     ref_simulate(&s);         // fills first_start, finish, preemptions of each job
 *
 * Readings of the text where it leaves room:
 *   - Ties: (key, submit, row) in a queue. In the replace form "L = running + pending, stable,
 *     running keep their earlier rank": equal keys keep the order of the pass before, new jobs are
 *     last by (submit, row); so does Tiresias' simulator (60_job under shortest-gpu: jobs 13 and 16
 *     at 504 s). In the evict form a job is evicted for a smaller key only: running before pending,
 *     then (submit, row); the published runs do not distinguish this from (submit, row) alone.
 *   - An instant is: finishes, submissions, one pass; it is repeated while the pass lets a job
 *     finish at the same second (zero-duration jobs).
 *   - A pass happens only at a second with a finish, a submission or the end of a cost.
 *   - easy: the shadow time is the end of the first running job, by (end, row), with which enough
 *     GPUs are free in number; `extra` counts the jobs up to that one and no further.
 *   - replace: a job that keeps as many GPUs on every node has not moved; one that moves pays its
 *     cost as a migration, which is not a preemption.
 */
#ifndef HORUS_TESTS_REFSIM_H
#define HORUS_TESTS_REFSIM_H

#include <stdbool.h>
#include <stdint.h>

#include "refgang.h"

enum ref_policy { REF_FIFO, REF_SJF, REF_SRTF, REF_SRSF };
enum ref_scan { REF_STRICT, REF_FIT, REF_EASY };
enum ref_form { REF_EVICT, REF_REPLACE };
struct ref_job {
    /* in */
    int64_t submit, duration; /* seconds */
    int64_t preempt_cost;     /* REF_PER_JOB */
    int gpus;
    /* out */
    int64_t first_start, finish; /* -1 = never */
    int preemptions;
    bool is_rejected; /* more GPUs than the cluster has */
    /* state */
    int64_t left, cost_left;
    bool is_submitted, is_placed, is_done;
    int rank;                   /* in the last pass of the replace form */
    int on_node[REF_NODES_MAX]; /* GPUs held on each node */
};

struct ref_scenario {
    struct ref_job *jobs; /* in trace order: submit ascending */
    int job_count;
    int node_gpus[REF_NODES_MAX], nodes;
    enum ref_policy policy;
    enum ref_scan scan; /* fifo and sjf */
    enum ref_form form; /* srtf and srsf */
    enum ref_cost cost;
    int64_t cost_table[3]; /* 1 GPU, up to 8, more */
    enum ref_placer placer;
};

/* False if the jobs are not all done by `horizon` seconds. */
bool ref_simulate(struct ref_scenario *s, int64_t horizon);

#endif
