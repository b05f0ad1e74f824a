/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/lib/reserved.h"

#include "policies/lib/job_queue.h"

static uint64_t free_of(const struct hs_view *v, const struct hs_reserved *w)
{
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < w->count; i++)
        gpus += hs_view_node_free(v, w->nodes[i]);
    return gpus;
}

bool hs_reserved_has_room(const struct hs_view *v)
{
    for (uint32_t i = 0; i < v->windows; i++)
        if (hs_view_window_is_open(v, i) && free_of(v, hs_view_window(v, i)) > 0)
            return true;
    return false;
}

/* GPUs of the node that the job may have. */
static uint64_t room_of(const struct hs_view *v, hs_job_id job, uint32_t node)
{
    return hs_view_may_use(v, job, node)
               ? hs_smaller(hs_view_node_free(v, node), hs_view_node_workers(v, job, node))
               : 0;
}

static bool start_in(const struct hs_view *v, struct hs_plan *p, hs_job_id job,
                     const struct hs_reserved *w)
{
    uint64_t left = hs_view_gpus(v, job), all = 0, least = UINT64_MAX;
    uint32_t node = HS_NO_NODE;
    for (uint32_t i = 0; i < w->count; i++) {
        const uint64_t room = room_of(v, job, w->nodes[i]);
        all += room;
        if (room >= left && room < least) {
            least = room;
            node = w->nodes[i];
        }
    }
    if (left == 0 || all < left || hs_view_quota_room(v, hs_view_vc(v, job)) < left)
        return false;
    hs_plan_reason(p, "on nodes reserved for it");
    hs_plan_start(p, job);
    while (left > 0) {
        for (uint32_t i = 0; i < w->count && least == UINT64_MAX; i++)
            if (node == HS_NO_NODE || room_of(v, job, w->nodes[i]) > room_of(v, job, node))
                node = w->nodes[i];
        const uint64_t taken = hs_smaller(left, room_of(v, job, node));
        hs_plan_on_node(p, node, (uint32_t)taken);
        left -= taken;
    }
    hs_plan_reason(p, NULL);
    return true;
}

bool hs_reserved_start(const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    for (uint32_t i = 0; i < v->windows; i++)
        if (hs_view_window_is_open(v, i) && hs_view_window_is_for(v, i, job) &&
            start_in(v, p, job, hs_view_window(v, i)))
            return true;
    return false;
}

static bool concerns(const struct hs_view *v, uint32_t window, uint32_t vc)
{
    return !hs_view_window_is_over(v, window) &&
           (!v->vcs_are_apart || hs_view_node(v, hs_view_window(v, window)->nodes[0])->vc == vc);
}

bool hs_reserved_take(struct hs_free_profile *f, const struct hs_view *v, uint32_t vc)
{
    bool has_memory = true;
    for (uint32_t i = 0; i < v->windows && has_memory; i++) {
        const struct hs_reserved *w = hs_view_window(v, i);
        if (!concerns(v, i, vc))
            continue;
        const int64_t milli = (int64_t)(free_of(v, w) * HS_GPU_MILLI);
        has_memory = hs_view_window_is_open(v, i)
                         ? hs_free_profile_add(f, w->end_us, INT64_MAX, milli)
                         : hs_free_profile_add(f, w->start_us, w->end_us, -milli);
    }
    return has_memory;
}

bool hs_reserved_correct(struct hs_free_profile *f, const struct hs_view *v, hs_job_id job,
                         int64_t from_us, int64_t sign)
{
    bool has_memory = true;
    for (uint32_t i = 0; i < v->windows && has_memory; i++) {
        const struct hs_reserved *w = hs_view_window(v, i);
        if (hs_view_window_is_over(v, i) || w->end_us <= from_us)
            continue;
        const int64_t milli = (int64_t)hs_view_window_held(v, i, job) * HS_GPU_MILLI;
        has_memory =
            hs_free_profile_add(f, hs_later(w->start_us, from_us), w->end_us, sign * milli);
    }
    return has_memory;
}
