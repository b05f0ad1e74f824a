/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of the policy's window (horus/view.h) that is about the models which jobs train: what it
 * takes to stop and start one, and how its parameters are spread over tensors.
 */
#include "base/fixed.h"
#include "engine/lookup.h"
#include "horus/policy.h"

/* NULL: it has none. */
static const struct hs_profile *profile_of(const struct hs_view *v, hs_job_id job)
{
    const struct hs_catalogue *catalogue = v->engine->config.catalogue;
    uint32_t profile = hs_lookup_label(v, job)->profile;
    return catalogue != NULL && profile < catalogue->count ? &catalogue->profiles[profile] : NULL;
}

/* The name in the trace goes first: a table may know a variant that the catalogue does not. */
int64_t hs_view_restart_us(const struct hs_view *v, hs_job_id job)
{
    const struct hs_engine *e = v->engine;
    const struct hs_profile *profile = profile_of(v, job);
    if (e->config.restart == NULL)
        return -1;
    return hs_restart_us(e->config.restart,
                         hs_intern_text(&e->names, hs_lookup_traits(v, job)->model),
                         profile != NULL ? profile->model : NULL, hs_lookup_job(v, job)->gpus);
}

/* What the trace tells goes first, here too. */
uint32_t hs_view_checkpoint_mib(const struct hs_view *v, hs_job_id job)
{
    uint32_t told_mib = hs_lookup_traits(v, job)->checkpoint_mib;
    const struct hs_profile *profile = profile_of(v, job);
    if (told_mib > 0 || profile == NULL)
        return told_mib;
    return profile->checkpoint_mib;
}

/* Saved once and read once, whatever the size of the gang: a data-parallel job has one state, the
 * same on each of its GPUs (Gandiva saves one copy: policies/gandiva-antman-salus.md 0.3). */
int64_t hs_view_checkpoint_us(const struct hs_view *v, hs_job_id job)
{
    int64_t per_s = v->engine->config.storage_mib_per_s, mib = hs_view_checkpoint_mib(v, job);
    if (mib == 0 || per_s <= 0)
        return -1;
    return (2 * mib * HS_US_PER_S + per_s - 1) / per_s;
}

int32_t hs_view_skew_pm(const struct hs_view *v, hs_job_id job)
{
    if (!hs_lookup_may_know(v, job, HS_KNOWS_MODEL, "tensor sizes"))
        return -1;
    const struct hs_profile *profile = profile_of(v, job);
    return profile != NULL ? profile->skew_pm : -1;
}
