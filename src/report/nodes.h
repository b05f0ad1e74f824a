/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * nodes.csv: a row a node, from own counts of the tenants of every GPU. O(gang) per placement,
 * memory O(GPUs).
 */
#ifndef HORUS_REPORT_NODES_H
#define HORUS_REPORT_NODES_H

#include <stdint.h>

#include "base/diag.h"
#include "horus/observe.h"
#include "model/cluster.h"
#include "report/report.h"

struct hs_node_gpu {
    int64_t since_us; /* the account is complete up to here */
    uint32_t node;
    uint32_t tenants;
    uint32_t util_pm; /* sum over the tenants; unknown counts 0 */
    bool is_divided;  /* they have shares of it, which is no sharing */
};

struct hs_node_account {
    uint64_t held_us, shared_us; /* GPU x us */
    hs_u128 util_pm_us;
    uint64_t placements;
};

struct hs_nodes {
    const struct hs_cluster *cluster; /* borrowed */
    struct hs_node_gpu *gpus;
    struct hs_node_account *accounts;
    bool has_util; /* at least one job told its utilization */
};

HS_MUST_USE enum hs_status hs_nodes_open(struct hs_nodes *n, const struct hs_cluster *cluster);
struct hs_observer hs_nodes_observer(struct hs_nodes *n);
/* span_us: time over which the means are taken. */
HS_MUST_USE enum hs_status hs_nodes_write(const struct hs_nodes *n, const char *path,
                                          int64_t span_us, struct hs_output_file *file,
                                          struct hs_diag *diag);
void hs_nodes_free(struct hs_nodes *n);

#endif
