/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Salus with round robin, mini-batch by mini-batch: kit_salus.h.
 */
#include "policies/kit_salus.h"

static void salus_rr_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    hs_salus_needs(state, HS_SALUS_RR, can, knows);
}

static enum hs_status salus_rr_init(void *state, const struct hs_view *v)
{
    return hs_salus_init(state, v, HS_SALUS_RR);
}

static void salus_rr_semantics(const void *state, struct hs_semantics *out)
{
    hs_salus_semantics(state, HS_SALUS_RR, out);
}

static const struct hs_param params[] = {HS_SALUS_PARAMS, {0}};

const struct hs_policy_ops hs_policy_salus_rr = {
    .name = "salus-rr",
    .summary = "the mini-batch of whoever had fewest since somebody came is next",
    .cite = HS_SALUS_CITE,
    .can = HS_SALUS_CAN,
    .knows = HS_SALUS_KNOWS,
    .params = params,
    .state_size = sizeof(struct hs_salus),
    .job_state_size = sizeof(struct hs_salus_job),
    .needs = salus_rr_needs,
    .init = salus_rr_init,
    .on_event = hs_salus_event,
    .decide = hs_salus_decide,
    .semantics = salus_rr_semantics,
    .check = hs_salus_check,
};
