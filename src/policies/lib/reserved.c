/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/lib/reserved.h"

#include "policies/lib/job_queue.h"

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
        const int64_t milli = (int64_t)(hs_view_window_free(v, i) * HS_GPU_MILLI);
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
