/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reservations: windows of time in which nodes belong to a user or a virtual cluster (MODEL.md 14).
 *
 *     start,end,nodes,gpus,user,vc,name
 *     2020-04-01 09:00,2020-04-01 17:00,4,,ann,,launch
 *
 * Times are dates of the clock of the trace or, in all rows, durations after the first submission,
 * as of events of machines:
 *
 *     start,end,nodes,gpus,user,vc,name
 *     1d,2d,,64,,research,
 *     86400,90000,n7 n8,,ann,research,review
 *
 * Either `nodes`, names or a number of
 * them, or `gpus`, which must be whole nodes. Numbers are resolved here, in the order of the file:
 * the last nodes that no earlier row has at that time.
 */
#pragma once

#include "model/cluster.h"

#define HS_RESERVATIONS_MAX 100000u

struct hs_reservation {
    int64_t start_us, end_us;     /* [start, end) */
    const char *name, *user, *vc; /* name: "" = none; user, vc: "" = any */
    uint32_t vc_index;            /* of the cluster; UINT32_MAX = any */
    uint32_t *nodes, count;       /* ascending ids */
    int64_t line;
};

/* By start, then by line. */
struct hs_reservations {
    struct hs_arena arena;
    struct hs_reservation *of;
    uint32_t count, cap;
    bool is_dated; /* times are of the clock of the trace, else after the first submission */
};

/* The cluster has its virtual clusters. O(rows^2 + rows x nodes). */
HS_MUST_USE enum hs_status hs_reservations_load(struct hs_reservations *r, const char *path,
                                                const struct hs_cluster *cluster,
                                                struct hs_diag *diag);
void hs_reservations_free(struct hs_reservations *r);
