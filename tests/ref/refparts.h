/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference of shares of GPUs and of sets of GPU types under fifo and sjf: whole gangs and
 * gangs of shares, several GPU types, virtual clusters, CPU and host memory of nodes. In
 * microseconds; one flat array of jobs, one number for each GPU, every question a scan over all of
 * them. Written from the rules below alone.
 *
 *     struct parts s = {.nodes = 2, .node = {{.gpus = 4}, {.gpus = 4, .type = 1}},
 *                       .placer = REF_BEST_FIT, .jobs = jobs, .count = 3};
 *     parts_simulate(&s);      // fills start_us, finish_us, held, ... of each job, and integrals
 *
 *   1. A share m is m thousandths of a GPU and of its memory; no job slows another.
 *   2. A GPU holds shares of at most 1000 thousandths, or one job that has it whole.
 *   3. Workers of a gang of shares are on different GPUs and are placed one after the other: each
 *      on the GPU that holds shares with the least room that is enough, lowest id; else on the
 *      lowest idle GPU of the node that the placer takes for a gang of one. All or nothing.
 *   4. Allowed GPU types: those of the job's set with floor(memory x m / 1000) >= what the job
 *      states, or of unknown memory.
 *   5. A worker takes floor(total / gpus) thousandths of CPU cores and MiB of host memory.
 *   6. A quota counts thousandths: 1000 for a GPU held whole, m for a share.
 *   7. A job that would not fit on the empty cluster is rejected at its submission.
 *   8. Each virtual cluster has a queue of its own, also under quotas; one pass visits them in
 *      order. A strict scan ends a queue at the first job that does not fit, fit passes it over.
 *      fifo orders by (submit, row), sjf by (duration, submit, row).
 *
 * Readings where the rules leave room:
 *   - Fullest and emptiest nodes are by idle GPUs, also where CPU or memory run out before the
 *     GPUs.
 *   - The size of a node, of which a gang needs several, is what the job may use of it when it is
 *     empty; a node is wholly idle when all its GPUs are.
 */
#ifndef HORUS_TESTS_REFPARTS_H
#define HORUS_TESTS_REFPARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "refgang.h"

#define PARTS_NODES_MAX 1280
#define PARTS_GPUS_MAX  6400
#define PARTS_TYPES_MAX 16
#define PARTS_VCS_MAX   4
#define PARTS_GANG_MAX  64

enum parts_vcs { PARTS_ONE, PARTS_PARTITION, PARTS_QUOTA };

struct parts_job {
    /* in; trace order, submit ascending */
    int64_t submit_us, duration_us;
    int gpus, milli;             /* workers, and the share of each, 1 to 1000 */
    uint32_t types;              /* a bit for each allowed type; 0 = any */
    int64_t cpus_milli, mem_mib; /* in all; 0 = none */
    int64_t gpu_mem_mib;         /* of each worker; 0 = not stated */
    int vc;
    /* out */
    int64_t start_us, finish_us; /* -1 = never */
    int held[PARTS_GANG_MAX];    /* ids of its GPUs, ascending */
    int64_t milli_us;            /* thousandths of a GPU x time held */
    bool is_rejected;
    /* state */
    bool is_waiting, is_running;
};

struct parts_node {
    int gpus, type, vc;          /* vc: its owner, PARTITION */
    int64_t cpus_milli, mem_mib; /* 0 = never the limit */
};

struct parts {
    struct parts_node node[PARTS_NODES_MAX];
    int nodes;
    int64_t type_mem_mib[PARTS_TYPES_MAX]; /* 0 = unknown */
    enum ref_placer placer;
    bool is_fit, is_sjf;
    int64_t startup_us; /* cost of every start */
    enum parts_vcs vcs;
    int vc_count; /* at least 1 */
    int quota[PARTS_VCS_MAX];
    struct parts_job *jobs;
    int count;
    /* out */
    int64_t held_us;  /* GPUs held x time */
    int64_t milli_us; /* thousandths held x time */
    /* state */
    int first_gpu[PARTS_NODES_MAX], node_of[PARTS_GPUS_MAX]; /* of each node, of each GPU */
};

/* Runs to the end of the last job: without preemption every job that is not rejected ends. */
void parts_simulate(struct parts *s);
int parts_gpus(const struct parts *s);
/* The most workers of the job that one node could hold if it were empty. */
int parts_largest_node(struct parts *s, const struct parts_job *j);

#endif
