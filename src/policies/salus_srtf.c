/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Salus with shortest remaining time first: kit_salus.h.
 */
#include "policies/kit_salus.h"

static void salus_srtf_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    hs_salus_needs(state, HS_SALUS_SRTF, can, knows);
}

static enum hs_status salus_srtf_init(void *state, const struct hs_view *v)
{
    return hs_salus_init(state, v, HS_SALUS_SRTF);
}

static void salus_srtf_semantics(const void *state, struct hs_semantics *out)
{
    hs_salus_semantics(state, HS_SALUS_SRTF, out);
}

static const struct hs_param params[] = {
    HS_SALUS_PARAMS, HS_ESTIMATE_PARAMS(struct hs_salus, estimate, "oracle"), {0}};

const struct hs_policy_ops hs_policy_salus_srtf = {
    .name = "salus-srtf",
    .summary = "least declared minus used time runs on a GPU, others wait with their memory on it",
    .cite = HS_SALUS_CITE,
    .can = HS_SALUS_CAN,
    .knows = HS_SALUS_KNOWS | HS_ESTIMATE_KNOWS,
    .params = params,
    .state_size = sizeof(struct hs_salus),
    .job_state_size = sizeof(struct hs_salus_job),
    .needs = salus_srtf_needs,
    .init = salus_srtf_init,
    .on_event = hs_salus_event,
    .decide = hs_salus_decide,
    .semantics = salus_srtf_semantics,
    .check = hs_salus_check,
};
