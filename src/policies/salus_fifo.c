/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The baseline of Salus' experiments, a plain server; with lanes, the engine's own fifo:
 * kit_salus.h.
 */
#include "policies/kit_salus.h"

static void salus_fifo_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    hs_salus_needs(state, HS_SALUS_FIFO, can, knows);
}

static enum hs_status salus_fifo_init(void *state, const struct hs_view *v)
{
    return hs_salus_init(state, v, HS_SALUS_FIFO);
}

static void salus_fifo_semantics(const void *state, struct hs_semantics *out)
{
    hs_salus_semantics(state, HS_SALUS_FIFO, out);
}

static const struct hs_param params[] = {HS_SALUS_PARAMS, {0}};

const struct hs_policy_ops hs_policy_salus_fifo = {
    .name = "salus-fifo",
    .summary = "a plain server: the next job starts when its GPUs are free",
    .cite = HS_SALUS_CITE,
    .can = HS_SALUS_CAN,
    .knows = HS_SALUS_KNOWS,
    .params = params,
    .state_size = sizeof(struct hs_salus),
    .job_state_size = sizeof(struct hs_salus_job),
    .needs = salus_fifo_needs,
    .init = salus_fifo_init,
    .on_event = hs_salus_event,
    .decide = hs_salus_decide,
    .semantics = salus_fifo_semantics,
    .check = hs_salus_check,
};
