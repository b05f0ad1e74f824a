/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placement of a gang by levels of locality, as Philly's scheduler relaxes it (Jeon et al.,
 * ATC'19):
 *
 *     0  the fewest servers that could hold it, ceil(n / g), all in one rack
 *     1  one rack, on any number of its servers
 *     2  anywhere
 *
 * - g is the size of the largest node that the job may use: its GPUs, fewer where its CPU or host
 *   memory end before (hs_view_node_size).
 * - A level allows what the levels below it allow, and those are tried first: a gang is never
 *   spread further than the free GPUs force it to be.
 * - Level 0, n <= g: best fit over all racks: the node with fewest free GPUs that suffice, lowest
 * id.
 * - Else racks by free GPUs, most first, lowest id on ties; free GPUs of a rack are all of its
 *   nodes', whoever may use them. The first rack that can hold the gang gets it (levels 0 and 1),
 * or each gives what it has (level 2). Within a rack nodes by the GPUs that the job may take of
 * them now, most first, lowest id on ties; each gives all of them until the gang is whole.
 * - Level 0, n > g: the ceil(n / g) first of these nodes must hold it.
 *
 * Each level finds a place whenever there is one; so the larger of two levels never fails where the
 * smaller does not. Cost: O(log nodes) at level 0 for n <= g; else O(racks log racks), and for each
 * rack with enough free GPUs that is looked at O(nodes of the rack) and a sort of those with free
 * GPUs.
 */
#ifndef HORUS_POLICIES_PHILLY_PHILLY_H
#define HORUS_POLICIES_PHILLY_PHILLY_H

#include "policies/lib/job_heap.h"

enum hs_locality_level { HS_LOCALITY_SERVERS, HS_LOCALITY_RACK, HS_LOCALITY_ANYWHERE };

struct hs_locality {
    struct hs_sort_entry *racks, *nodes; /* scratch of a search */
};

void hs_locality_init(struct hs_locality *l, const struct hs_view *v);
/* Appends `start job` with its GPUs to the plan, or leaves the plan as it was and returns false.
 * Honours VC pool, GPU type, CPU and host memory; quotas are the caller's business. */
bool hs_locality_place(struct hs_locality *l, const struct hs_view *v, struct hs_plan *p,
                       hs_job_id job, enum hs_locality_level level);

#endif
