/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a policy sees of quotas that are lent within cohorts.
 */
#include "engine/state.h"

static const struct hs_quota *quota_at(const struct hs_view *v, uint32_t at)
{
    return &v->engine->cluster->quotas[at];
}

uint32_t hs_view_cohort(const struct hs_view *v, uint32_t quota)
{
    return v->has_cohorts ? quota_at(v, quota)->parent : HS_NO_QUOTA;
}

uint64_t hs_view_quota_within(const struct hs_view *v, uint32_t vc, uint32_t quota)
{
    const struct hs_engine *e = v->engine;
    const int64_t milli = hs_quota_room(e->cluster, e->vc_held_milli, vc, quota);
    return milli > 0 ? (uint64_t)milli / HS_GPU_MILLI : 0;
}

static bool is_within(const struct hs_view *v, uint32_t at, uint32_t quota)
{
    while (at != HS_NO_QUOTA && at != quota)
        at = quota_at(v, at)->parent;
    return at == quota;
}

bool hs_view_is_borrowing(const struct hs_view *v, uint32_t vc, uint32_t quota)
{
    uint32_t at = vc;
    if (!v->has_cohorts || is_within(v, vc, quota))
        return false;
    for (; at != HS_NO_QUOTA && !is_within(v, quota, at); at = quota_at(v, at)->parent)
        if ((int64_t)v->engine->vc_held_milli[at] <= quota_at(v, at)->subtree_milli)
            return false;
    return at != HS_NO_QUOTA;
}

void hs_view_quota_count(const struct hs_view *v, uint32_t vc, int64_t gpus)
{
    hs_quota_change(v->engine->cluster, v->engine->vc_held_milli, vc, gpus * HS_GPU_MILLI);
}
