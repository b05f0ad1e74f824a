/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Salus with PACK: lanes that run at the same time, mini-batches as they are handed in
 * (kit_salus.h).
 */
#include "policies/kit_salus.h"

static void salus_pack_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    hs_salus_needs(state, HS_SALUS_PACK, can, knows);
}

static enum hs_status salus_pack_init(void *state, const struct hs_view *v)
{
    return hs_salus_init(state, v, HS_SALUS_PACK);
}

static void salus_pack_semantics(const void *state, struct hs_semantics *out)
{
    hs_salus_semantics(state, HS_SALUS_PACK, out);
}

static const struct hs_param params[] = {HS_SALUS_PARAMS, {0}};

const struct hs_policy_ops hs_policy_salus_pack = {
    .name = "salus-pack",
    .summary = "mini-batches alternate in lanes that run at the same time",
    .cite = HS_SALUS_CITE,
    .can = HS_SALUS_CAN,
    .knows = HS_SALUS_KNOWS,
    .params = params,
    .state_size = sizeof(struct hs_salus),
    .job_state_size = sizeof(struct hs_salus_job),
    .needs = salus_pack_needs,
    .init = salus_pack_init,
    .on_event = hs_salus_event,
    .decide = hs_salus_decide,
    .semantics = salus_pack_semantics,
    .check = hs_salus_check,
};
