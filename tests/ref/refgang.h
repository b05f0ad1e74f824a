/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The placement of an exclusive gang: the placers of the design text, written a second time, by
 * scans over all nodes, one rack. And the cost of its preemption.
 *
 *     if (ref_place(REF_YARN, node_gpus, nodes, free_gpus, 5, taken)) // taken[node] of 5 GPUs
 *         ...
 */
#ifndef HORUS_TESTS_REFGANG_H
#define HORUS_TESTS_REFGANG_H

#include <stdbool.h>
#include <stdint.h>

#define REF_NODES_MAX 64

enum ref_placer {
    REF_COUNT,
    REF_YARN,
    REF_CONSOLIDATE,
    REF_BEST_FIT,
    REF_FIRST_FIT,
    REF_SPREAD,
};

enum ref_cost { REF_FREE, REF_TABLE, REF_PER_JOB };

int ref_sum(const int *values, int count);

/* Fills taken[REF_NODES_MAX] and returns true, or returns false. O(nodes x gpus). */
bool ref_place(enum ref_placer placer, const int *node_gpus, int nodes, const int *free_gpus,
               int gpus, int *taken);
/* table: of 1 GPU, of up to 8, of more; own: of the job itself. In their unit. */
int64_t ref_cost_of(enum ref_cost cost, const int64_t table[3], int gpus, int64_t own);

#endif
