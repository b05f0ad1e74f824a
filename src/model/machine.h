/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes of the machines during a run: nodes that fail and are repaired, are drained, added,
 * removed or slow, by a CSV file (configs/README.md has its form). A row for several nodes is one
 * event for each of them; rows of one time apply in the order of the file. What each event means:
 * MODEL.md 13.
 */
#pragma once

#include "model/cluster.h"

enum hs_machine_change {
    HS_MACHINE_DOWN,   /* fails: its jobs lose the work since their last checkpoint */
    HS_MACHINE_UP,     /* is as it was at first: ends down, drain, cordon and slow */
    HS_MACHINE_CORDON, /* gets no new jobs; those on it go on */
    HS_MACHINE_DRAIN,  /* the same, and jobs that can be preempted leave it without loss */
    HS_MACHINE_ADD,    /* joins the cluster; a node with this as its first event is absent before */
    HS_MACHINE_REMOVE, /* leaves the cluster; its jobs as on a failure */
    HS_MACHINE_SLOW,   /* its GPUs have this part of their speed */
};

/* "down", "up", ... */
const char *hs_machine_change_text(enum hs_machine_change change);

struct hs_machine_event {
    int64_t at_us; /* by the clock of the trace if is_dated, else after the first submission */
    uint32_t node;
    enum hs_machine_change change;
    uint64_t speed_q32; /* of SLOW, in (0, 1] */
};

/* Failures by draw: every node, and every rack as a whole, is up for a time of the Weibull
 * distribution with this mean and shape (1: exponential), then down for one of the exponential
 * distribution; a node is down while it or its rack is. */
struct hs_fault_law {
    int64_t mtbf_us, rack_mtbf_us, repair_us; /* means; mtbf 0: it does not fail */
    double shape;
    uint64_t seed;
};

struct hs_machines {
    struct hs_machine_event *events; /* by time; NULL: by draw */
    uint32_t count;
    bool is_dated;
    struct hs_fault_law law;
};

/* The events are in the arena; path NULL: none. HS_E_INPUT: a bad row, or an event that cannot
 * happen, such as the failure of a node that is down. */
HS_MUST_USE enum hs_status hs_machines_load(struct hs_machines *machines, const char *path,
                                            const struct hs_cluster *cluster,
                                            struct hs_arena *arena, struct hs_diag *diag);

/* Reads "mtbf=30d,repair=4h[,shape=0.7][,rack_mtbf=300d]" into machines->law. HS_E_USAGE. */
HS_MUST_USE enum hs_status hs_machines_parse_law(struct hs_machines *machines, const char *text,
                                                 struct hs_arena *arena, struct hs_diag *diag);
/* Whether anything happens to any machine. */
static inline bool hs_machines_are_any(const struct hs_machines *machines)
{
    return machines != NULL &&
           (machines->count > 0 || machines->law.mtbf_us > 0 || machines->law.rack_mtbf_us > 0);
}

/* The events of a run in order of time: of the file, or drawn one after the other. The draws of a
 * node depend on the seed and its number alone, so that no policy or trace shifts them. */
struct hs_machine_feed;
/* Both are borrowed; memory of the arena: O(nodes). */
void hs_machine_feed_open(struct hs_machine_feed **feed, const struct hs_machines *machines,
                          const struct hs_cluster *cluster, struct hs_arena *arena);
/* Returns the next event; NULL after the last of a file. Drawn ones never end. */
const struct hs_machine_event *hs_machine_feed_next(const struct hs_machine_feed *feed);
/* Goes on to the one after it. O(log nodes) for a drawn one. */
void hs_machine_feed_advance(struct hs_machine_feed *feed);
void hs_machine_feed_close(struct hs_machine_feed *feed);
