/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The common part of the references of preemptive policies: jobs that hold GPUs, owe costs, run and
 * end; time in microseconds. Flat arrays; everything is a scan over all jobs.
 *
 *     struct ref_world w = {.tasks = tasks, .count = 3, .node_gpus = {4}, .nodes = 1};
 *     ref_begin(&w);
 *     for (int64_t at_us; (at_us = ref_next_us(&w)) < INT64_MAX;) {
 *         ref_advance(&w, at_us);
 *         while (ref_finish_one(&w) >= 0) ...
 *     }
 *     free(w.segments);
 *
 * A job that holds GPUs pays what it owes, then runs. Of a cost that is being paid when it is
 * preempted the rest stays owed, and the cost of the preemption is added.
 */
#ifndef HORUS_TESTS_REFTASKS_H
#define HORUS_TESTS_REFTASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "refgang.h"

#define REF_FAILURES_MAX 2

struct ref_task {
    /* in; trace order, submit ascending */
    int64_t submit_us, duration_us;
    int64_t failed_us[REF_FAILURES_MAX]; /* attempts before that, for the policy to replay */
    int failures;
    int64_t cost_us; /* REF_PER_JOB */
    int gpus, user, vc, priority;
    bool is_last; /* opportunistic */
    /* out */
    int64_t start_us, finish_us; /* first start; -1 = never */
    int preemptions;
    bool is_rejected;
    /* state */
    int64_t left_us, owed_us;
    int64_t since_us; /* the start of this segment */
    bool is_live, is_holding;
    int on_node[REF_NODES_MAX];
};

/* One stretch of holding GPUs. */
struct ref_segment {
    int task, gpus;
    int64_t start_us, end_us;
};

struct ref_world {
    struct ref_task *tasks;
    int count;
    int node_gpus[REF_NODES_MAX], nodes;
    enum ref_placer placer;
    enum ref_cost cost;
    int64_t cost_table_us[3];
    int64_t now_us;
    struct ref_segment *segments;
    int segment_count;
};

/* Jobs by row, in the order in which they were added. */
struct ref_list {
    int *jobs, count; /* room for all jobs, zeroed */
};
void ref_list_add(struct ref_list *list, int task);
void ref_list_remove(struct ref_list *list, int task); /* nothing if it is not there */

void ref_begin(struct ref_world *w); /* before time 0: nothing is submitted */
int ref_gpus(const struct ref_world *w);
void ref_free_gpus(const struct ref_world *w, int *free_gpus);
/* The next submission or end; INT64_MAX: none. */
int64_t ref_next_us(const struct ref_world *w);
void ref_advance(struct ref_world *w, int64_t to_us);
/* Ends the first job that is due now; -1: none. */
int ref_finish_one(struct ref_world *w);
bool ref_has_finish(const struct ref_world *w);
/* Submits the first job after row `after` that is due now, rejects those of more GPUs than there
 * are; -1: none. Returns every submission of the instant, also of rejected jobs. */
int ref_submit_one(struct ref_world *w, int after);
void ref_hold(struct ref_world *w, int task, const int *taken);
/* The same where the placer finds GPUs; false: it finds none. */
bool ref_try_start(struct ref_world *w, int task);
void ref_preempt(struct ref_world *w, int task);

#endif
