/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which jobs hold which GPUs, from both sides, for policies that look at the jobs that share a GPU
 * with another. A policy that names the GPUs of its jobs keeps it beside the plan:
 *
 *     struct scratch { ...; uint32_t first_allocation; };                  // 0 = holds nothing
 *     hs_allocation_map_add(&map, job, &scratch->first_allocation, gpu);   // with hs_plan_on_gpu
 *     for (uint32_t h = scratch->first_allocation; h != 0; h = map.allocations[h].next_of_job)
 *         ... map.allocations[h].gpu
 *     hs_allocation_map_drop(&map, &scratch->first_allocation);            // it finished, stopped
 *
 * O(1) a GPU to add, O(jobs on it) to drop; a job's GPUs come last added first.
 */
#pragma once

#include "horus/policy.h"

struct hs_map_entry {
    hs_job_id job;
    uint32_t gpu;
    uint32_t next_of_job, next_on_gpu; /* index of the next entry; 0 = end of the list */
    uint32_t limit_mib; /* for the policy's use: GPU memory that the job may use on this GPU */
};

struct hs_allocation_map {
    struct hs_map_entry *allocations; /* entry 0 is unused: 0 ends a list */
    uint32_t *on_gpu;                 /* first entry of each GPU; 0 = none */
    uint32_t free, used; /* first entry of the free list; entries in use or in that list */
    uint32_t gpus;
};

/* Allocates entries for --max-tenants jobs on every GPU of the cluster. */
void hs_allocation_map_init(struct hs_allocation_map *s, const struct hs_view *v);
void hs_allocation_map_add(struct hs_allocation_map *s, hs_job_id job, uint32_t *first_of_job,
                           uint32_t gpu);
void hs_allocation_map_drop(struct hs_allocation_map *s, uint32_t *first_of_job);
/* Adds the GPUs that the last action of the plan gave to the job. */
static inline void hs_allocation_map_add_planned(struct hs_allocation_map *s,
                                                 const struct hs_plan *p, hs_job_id job,
                                                 uint32_t *first_of_job)
{
    for (uint32_t i = 0, gpu; (gpu = hs_plan_gpu(p, i)) != HS_NO_GPU; i++)
        hs_allocation_map_add(s, job, first_of_job, gpu);
}
/* Compares the map with the view: the same jobs on each GPU. Returns NULL or the broken rule.
 * O(GPUs). */
const char *hs_allocation_map_check(const struct hs_allocation_map *s, const struct hs_view *v);

/* For the records of policies that put at most two jobs on a GPU and choose them without the sums
 * of loads (policy.h). */
uint32_t hs_pair_tenants(const void *state);
bool hs_pair_load(const void *state, const struct hs_view *v, hs_job_id job, int32_t sum[HS_LOADS]);
