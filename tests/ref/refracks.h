/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The placement of a gang by levels of locality, written a second time: level 0 is the fewest
 * servers in one rack, 1 one rack, 2 anywhere; the lower levels are tried first. See refphilly.h.
 */
#ifndef HORUS_TESTS_REFRACKS_H
#define HORUS_TESTS_REFRACKS_H

#include <stdbool.h>

#include "refgang.h"

struct ref_racks {
    int nodes;
    int node_gpus[REF_NODES_MAX];
    int rack_of[REF_NODES_MAX]; /* ascending */
    bool may_use[REF_NODES_MAX];
};

/* Fills taken[REF_NODES_MAX] and returns true, or returns false. */
bool ref_place_racks(const struct ref_racks *c, const int *free_gpus, int gpus, int level,
                     int *taken);

#endif
