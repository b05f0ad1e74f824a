/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What must hold of lanes and memory after each decision: everything that is kept as a sum is
 * counted anew.
 */
#include "policies/kit_salus_lane.h"

static const char *lane_check(const struct hs_salus_lanes *l, const struct hs_view *v, uint32_t id)
{
    const struct hs_salus_lane *lane = &l->lanes[id];
    int64_t kept_mib = 0, most_mib = 0;
    uint32_t members = 0;
    hs_job_id last = HS_NO_JOB;
    bool has_runner = lane->runner == HS_NO_JOB;
    for (hs_job_id m = lane->first; m != HS_NO_JOB; last = m, m = hs_salus_job(v, m)->after) {
        const struct hs_salus_job *j = hs_salus_job(v, m);
        if (j->lane != id + 1 || j->before != last || hs_view_gpus(v, m) != lane->gpus)
            return "a job stands in the queue of a lane that is not its own";
        members++;
        kept_mib += j->kept_mib;
        most_mib = j->rest_mib > most_mib ? j->rest_mib : most_mib;
        has_runner = has_runner || m == lane->runner;
    }
    if (members != lane->members || last != lane->last || !has_runner)
        return "the queue of a lane is not its members";
    if (kept_mib != lane->kept_mib || most_mib != lane->most_mib)
        return "what a lane keeps is not what its members keep";
    int64_t least_mib = l->model == HS_SALUS_CODE ? kept_mib + most_mib : most_mib;
    return lane->size_mib < least_mib ? "a lane is smaller than what its members need" : NULL;
}

static const char *gpu_check(const struct hs_salus_lanes *l, uint32_t id)
{
    const struct hs_salus_gpu *gpu = &l->gpus[id];
    int64_t used_mib = 0;
    uint32_t lanes = 0, sessions = 0;
    for (uint32_t s = gpu->first_seat; s != HS_NO_SEAT; s = l->seats[s].next_on_gpu) {
        const struct hs_salus_lane *lane = &l->lanes[l->seats[s].lane];
        used_mib += lane->size_mib + (l->model == HS_SALUS_CODE ? 0 : lane->kept_mib);
        sessions += lane->members;
        lanes++;
    }
    if (lanes != gpu->lanes || sessions != gpu->sessions || used_mib != gpu->used_mib)
        return "what a GPU has in use is not what its lanes take";
    if (lanes > l->per_gpu || (int64_t)sessions > l->max_sessions)
        return "a GPU has more lanes or sessions than it may";
    if (gpu->is_whole && sessions > 1)
        return "a job that must be alone is not";
    return used_mib > gpu->capacity_mib && !l->has_grown ? "lanes overflow a GPU" : NULL;
}

const char *hs_salus_lanes_check(const struct hs_salus_lanes *l, const struct hs_view *v)
{
    uint64_t sessions = 0;
    for (uint32_t id = 0; id < l->lanes_used; id++) {
        if (l->lanes[id].members == 0)
            continue;
        const char *broken = lane_check(l, v, id);
        if (broken != NULL)
            return broken;
        sessions += l->lanes[id].members;
    }
    for (uint32_t id = 0; id < l->gpu_count; id++) {
        const char *broken = gpu_check(l, id);
        if (broken != NULL)
            return broken;
    }
    return sessions != l->sessions ? "sessions are miscounted" : NULL;
}
