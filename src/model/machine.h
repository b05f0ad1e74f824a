/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes of the machines during a run: nodes that fail and are repaired, are drained, added,
 * removed or slow. Read from a CSV file with the columns time, node, event and, for slow, value:
 *
 *     time,node,event,value
 *     2h,node-003,down,
 *     2h30m,node-003,up,
 *     1d,rack:2,drain,
 *     1d,10%,slow,0.5
 *
 * time: seconds or a duration after the first submission, or in all rows dates of the trace's
 * clock. node: a name of the cluster; rack:N, by number from 0; N%, that share of the nodes, spread
 * over the cluster; all. A row for several nodes is one event for each of them. Rows may be in any
 * order; rows of one time apply in the order of the file. What each event means: MODEL.md 13.
 */
#pragma once

#include "model/cluster.h"

enum hs_machine_change {
    HS_MACHINE_DOWN,   /* fails: its jobs lose the work since their last checkpoint */
    HS_MACHINE_UP,     /* is as it was at first: ends down, drain, cordon and slow */
    HS_MACHINE_CORDON, /* gets no new jobs; those on it go on */
    HS_MACHINE_DRAIN,  /* the same, and jobs that can be preempted leave it without loss */
    HS_MACHINE_ADD,    /* joins the cluster: a node whose first event this is starts outside it */
    HS_MACHINE_REMOVE, /* leaves the cluster; its jobs as on a failure */
    HS_MACHINE_SLOW,   /* its GPUs have this part of their speed */
};
const char *hs_machine_change_text(enum hs_machine_change change);

struct hs_machine_event {
    int64_t at_us; /* by the clock of the trace if is_dated, else after the first submission */
    uint32_t node;
    enum hs_machine_change change;
    uint64_t speed_q32; /* of SLOW, in (0, 1] */
};

struct hs_machines {
    struct hs_machine_event *events; /* by time */
    uint32_t count;
    bool is_dated;
};

/* The events are in the arena; path NULL: none. HS_E_INPUT: a bad row, or an event that cannot
 * happen, such as the failure of a node that is down. */
HS_MUST_USE enum hs_status hs_machines_load(struct hs_machines *machines, const char *path,
                                            const struct hs_cluster *cluster,
                                            struct hs_arena *arena, struct hs_diag *diag);
