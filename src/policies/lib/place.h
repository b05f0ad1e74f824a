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
 *     rack         one node: fullest that fits; else one rack: the one with fewest free GPUs that
 *                  suffice; else racks with most free GPUs first, until one holds the rest. In a
 *                  rack nodes with most free first, fullest fit for the rest. Ties: lowest number
 *     skew         a model whose largest tensor has more than HS_PACK_LIMIT_PM of its parameters:
 *                  consolidate; others: any free GPUs, of nodes that are partly used first, fewest
 *                  free first, then of idle ones (Tiresias)
 *
 * g is the size of the largest node that the job may use (GPUs; fewer where its CPU or memory end
 * before). A gang of at most g takes one node or waits. A gang larger than all nodes of size g
 * goes on, under consolidate, with idle nodes of the next smaller size, so that it can run at all.
 * A share of a GPU goes where it fits most tightly among the GPUs that hold shares already, or else
 * to an idle GPU of the node that a gang of one would get; so each worker of a gang of shares.
 * All but skew are monotone: if a gang of n fails, so does every larger one of the same pool
 * (vc_queues relies on it). Under skew a packed gang of 8 may fail where another model's 16 fit.
 */
#pragma once

#include "policies/lib/params.h"

enum hs_placer {
    HS_PLACE_COUNT,
    HS_PLACE_YARN,
    HS_PLACE_CONSOLIDATE,
    HS_PLACE_BEST_FIT,
    HS_PLACE_FIRST_FIT,
    HS_PLACE_SPREAD,
    HS_PLACE_RANDOM,
    HS_PLACE_RACK,
    HS_PLACE_SKEW,
};

/* Per mille. Any limit from 200 to 600 tells the models of Tiresias' own table apart: its VGGs and
 * AlexNet have 610 to 770, its ResNets and Inceptions 40 to 140. The paper fits it to
 * the history of a cluster, which was not published; the middle is our choice. */
#define HS_PACK_LIMIT_PM 400

/* The GPU types that a gang may use. ANY: all, also mixed. FASTEST: one type, the fastest for the
 * job by predicted speed (ties by name) on which the placer finds GPUs. SPARE: likewise the one on
 * which its speed stands out most from that of the mean job, which leaves a fast type to those
 * that gain most there. MATCH: the type on which
 * the job ran according to the trace; any, where the cluster has no such type. Under all but ANY a
 * gang larger than a type is not placed. */
enum hs_place_types { HS_TYPES_ANY, HS_TYPES_FASTEST, HS_TYPES_SPARE, HS_TYPES_MATCH };

struct hs_place_rule {
    int32_t placer; /* enum hs_placer */
    int32_t types;  /* enum hs_place_types */
};

/* NULL-terminated, in the order of the enums; the plain names are without skew, which only some
 * policies offer. */
extern const char *const hs_placer_names[], *const hs_placer_plain_names[],
                                                *const hs_place_types_names[];

/* field: a struct hs_place_rule. The policy declares HS_KNOWS_SPEED and calls hs_place_needs in its
 * needs(). */
#define HS_PLACEMENT_ROW(state_type, field, names)                                                 \
    HS_PARAM_CHOICE(state_type, field.placer, "placement", "consolidate", (names),                 \
                    "rule by which free GPUs are chosen for a gang",                               \
                    .source = "Helios/Lucid artifacts; count for Tiresias' published numbers"),    \
        HS_TYPES_PARAM(state_type, field.types)
/* Of a policy with a placer of its own, which it calls by hs_place_by_type. */
#define HS_TYPES_PARAM(state_type, field)                                                          \
    HS_PARAM_CHOICE(                                                                               \
        state_type, field, "types", "any", hs_place_types_names,                                   \
        "GPU type of a gang, of those with enough free GPUs. any: no preference; fastest: "        \
        "highest predicted speed; spare: the largest gain relative to the mean job, which leaves " \
        "fast types to the jobs that gain most; match: only the type that it ran on in the trace", \
        .source = "fastest first: Narayanan et al. OSDI'20, FIFO aware")
#define HS_PLACEMENT_PARAM(state_type, field)                                                      \
    HS_PLACEMENT_ROW(state_type, field, hs_placer_plain_names)
/* The same with skew; the policy declares HS_KNOWS_MODEL as well. */
#define HS_PLACEMENT_SKEW_PARAM(state_type, field)                                                 \
    HS_PLACEMENT_ROW(state_type, field, hs_placer_names)

/* Appends `start job` with its GPUs to the plan, or leaves the plan as it was and returns false.
 * Honours VC pool, quota room, GPU type, CPU and memory. O(nodes used x log nodes), for each GPU
 * type that is tried; rack also O(racks) for each rack of a gang that no node holds. */
bool hs_place(const struct hs_view *v, struct hs_plan *p, hs_job_id job, struct hs_place_rule rule);
/* The GPU types that a job may use by enum hs_place_types, the best first, for a placer of the
 * policy's own: at each turn the searches of the view are limited to a type.
 *
 *     struct hs_type_turns turns = hs_type_turns(v, job, types);
 *     while (hs_next_type(&turns, v, is_placed))
 *         is_placed = ..; // on turns.type; HS_ANY_TYPE: on any
 *
 * The limit is lifted where is_placed, or no type is left. O(types) each. */
struct hs_type_turns {
    uint32_t type;
    bool is_limited, is_ranked; /* the latter by speed_q32; else there is one turn */
    uint64_t left;              /* set of the types not tried yet */
    uint64_t speed_q32[HS_GPU_TYPES_MAX];
};
struct hs_type_turns hs_type_turns(const struct hs_view *v, hs_job_id job, int32_t types);
bool hs_next_type(struct hs_type_turns *turns, const struct hs_view *v, bool is_placed);
/* Starts the job on the GPUs of another (allocation_map.h), and adds them to the map. False, and
 * nothing changed, where one of them is not for it, or they are beyond its quota. */
struct hs_allocation_map;
bool hs_place_beside(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                     struct hs_allocation_map *s, uint32_t *first_of_job, uint32_t first_of_other);
/* hs_view_best_fit on nodes of one GPU type, ties by kind unless types is any; later searches are
 * of that type, too (hs_view_search_type). */
uint32_t hs_best_fit_of(const struct hs_view *v, hs_job_id job, uint32_t gpus, uint32_t type,
                        int32_t types);
/* The order of nodes where all else is equal: by GPUs, CPUs and memory, as of searches limited to a
 * GPU type, then by id; with types=any by id. The first three as a number below 1 << 52, or 0. */
uint64_t hs_place_kind(const struct hs_view *v, int32_t types, uint32_t node);
bool hs_place_node_is_before(const struct hs_view *v, int32_t types, uint32_t a, uint32_t b);
/* Removes from *knows what the rule does not need. */
void hs_place_needs(struct hs_place_rule rule, uint32_t *knows);
/* Texts for the assumptions: of such a placer, by types; and of a rule. */
#define HS_ON_TYPE_RAN ", on the GPU type that it ran on in the trace"
#define HS_ON_FASTEST  ", on the fastest GPU type with room (predicted; ties: name)"
#define HS_ON_SPARE                                                                                \
    ", on the GPU type with room where it gains most beside the mean job (predicted; ties: name)"
#define HS_TYPES_TEXTS(placer)                                                                     \
    ((const char *const[]){[HS_TYPES_ANY] = (placer),                                              \
                           [HS_TYPES_FASTEST] = (placer HS_ON_FASTEST),                            \
                           [HS_TYPES_SPARE] = (placer HS_ON_SPARE),                                \
                           [HS_TYPES_MATCH] = (placer HS_ON_TYPE_RAN)})
const char *hs_place_text(struct hs_place_rule rule);
/* Whether the failure of an unconstrained gang implies that larger ones fail as well. */
bool hs_place_is_monotone(struct hs_place_rule rule);
