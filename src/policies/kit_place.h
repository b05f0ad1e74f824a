/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Placers: which free GPUs a gang gets, all or nothing. A policy has one parameter for it
 * (HS_PLACEMENT_PARAM) and calls hs_place.
 *
 *     count        any free GPUs; nodes do not matter (Tiresias' and Muri's default)
 *     yarn         one node: first that fits; else floor(n/g) idle nodes of one rack + the first
 *                  other node of it for the rest
 *     consolidate  one node: fullest that fits; else floor(n/g) idle nodes + the rest on the node
 *                  with most free GPUs (Helios, Lucid)
 *     best_fit     one node: fullest that fits; else most free first, fullest fit for the rest
 *     first_fit    one node: lowest id that fits; else free GPUs in node order
 *     spread       one GPU at a time on the node with most free GPUs
 *     random       free GPUs in node order, greedily (Helios' name for it)
 *
 * g is the size of the largest node that the job may use (GPUs; fewer where its CPU or memory end
 * before). A gang of at most g takes one node or waits. A gang larger than all nodes of size g
 * goes on, under consolidate, with idle nodes of the next smaller size, so that it can run at all.
 * consolidate, yarn and count are monotone: if a gang of n fails, so does every larger one of the
 * same pool (kit_queue relies on it).
 */
#ifndef HORUS_POLICIES_KIT_PLACE_H
#define HORUS_POLICIES_KIT_PLACE_H

#include <stdbool.h>

#include "horus/policy.h"

enum hs_placer {
    HS_PLACE_COUNT,
    HS_PLACE_YARN,
    HS_PLACE_CONSOLIDATE,
    HS_PLACE_BEST_FIT,
    HS_PLACE_FIRST_FIT,
    HS_PLACE_SPREAD,
    HS_PLACE_RANDOM,
};

extern const char *const hs_placer_names[]; /* NULL-terminated, order of the enum */

#define HS_PLACEMENT_PARAM(state_type, field)                                                      \
    {                                                                                              \
        .key = "placement", .type = HS_PARAM_CHOICE, .offset = offsetof(state_type, field),        \
        .preset = "consolidate", .choices = hs_placer_names,                                       \
        .help = "which free GPUs a gang gets",                                                     \
        .source = "Helios/Lucid artifacts; count for Tiresias' published numbers"                  \
    }

/* Appends `start job` with its GPUs to the plan, or leaves the plan as it was and returns false.
 * Honours VC pool, quota room, GPU type, CPU and memory. O(nodes used x log nodes). */
bool hs_place(const struct hs_view *v, struct hs_plan *p, hs_job_id job, enum hs_placer placer);

#endif
