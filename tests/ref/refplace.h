/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The placement of one job by the policies that share GPUs: which GPUs are feasible, what each
 * costs, which are chosen. Written a second time, from the text of the policy and the definitions
 * repeated here; a pure function of the jobs on every GPU, by scans over all of them.
 *
 *     bool fits = place_find(&rules, gpus, gpu_count, &request, chosen);    // chosen[request.gpus]
 *
 * u and p are predicted mean and peak utilization, per mille (unknown: 1000), m predicted memory,
 * MiB (unknown: 0); n, U, M the number and sums of u and m of the tenants of a GPU, C its memory
 * (0 = not stated: it neither limits nor costs). Costs are integers in units of 2^-20; every weight
 * is rounded to them once, every division down.
 *   horus, colocate-fifo  w_mem (M + m) / C + pen(U + p - 1000) + w_n n, pen the excess over 1000
 *                         times w_u_over or the shortfall times w_u_under, per mille; and w_type
 *                         times what the GPU's type lacks of the speed of the fastest
 *   ... as coded          w_mem M + w_mem m / C instead of the first term
 *   gandiva-like          w_mem (M + m) / C + min(U, 1000) / 1000 + w_n n
 *   pack                  -M / C (C = 0: -M units)
 * Readings of the text where it leaves room:
 *   - pack's division is rounded down, then negated. (Where the memories of the GPU types divide
 *     2^20 the two cannot differ in any order.)
 *   - As coded, too, there is no memory term where C = 0.
 *   - A gang larger than share_up_to, which may not share, gets wholly idle nodes and one more, as
 *     by `consolidate`; a job that has run out of memory too often gets idle GPUs by their cost.
 */
#ifndef HORUS_TESTS_REFPLACE_H
#define HORUS_TESTS_REFPLACE_H

#include <stdbool.h>
#include <stdint.h>

#define PLACE_GPUS_MAX  16
#define PLACE_NODES_MAX 8

enum place_cost { PLACE_HORUS, PLACE_AS_CODED, PLACE_GANDIVA, PLACE_PACK };

struct place_rules {
    enum place_cost cost;
    int64_t w_mem_q20, w_u_over_q20, w_u_under_q20, w_n_q20, w_type_q20;
    int max_tenants; /* the lower one of the policy's and the engine's */
    int util_cap_pm; /* 0 = none */
    int share_up_to; /* larger gangs share no GPU */
    int64_t mem_margin_mib, reserve_mib;
};

/* Ascending by node, then by id, which is the index in the array. */
struct place_gpu {
    int node, rack;
    int tenants;      /* n */
    int64_t util_pm;  /* U */
    int64_t used_mib; /* M */
    int64_t mem_mib;  /* C */
    int64_t lag_q20;  /* 1 - its speed / that of the fastest type */
    bool is_barred;   /* not for this job */
    bool has_loner;   /* a tenant that may not share */
};

struct place_request {
    int gpus;
    int64_t util_pm, peak_pm, mem_mib; /* u, p, m */
    bool is_loner;                     /* may not share: ran out of memory too often */
};

bool place_find(const struct place_rules *rules, const struct place_gpu *gpus, int gpu_count,
                const struct place_request *request, int *chosen);

#endif
