/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Salus, its rule as a parameter (kit_salus.h); salus-fifo and the others are its rules by name.
 */
#include "policies/kit_salus.h"

struct salus {
    struct hs_salus core; /* first: the kit takes the state as its own */
    int32_t rule;
};

static enum hs_salus_rule rule_of(const void *state)
{
    return (enum hs_salus_rule)((const struct salus *)state)->rule;
}

static void salus_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    hs_salus_needs(state, rule_of(state), can, knows);
}

static enum hs_status salus_init(void *state, const struct hs_view *v)
{
    return hs_salus_init(state, v, rule_of(state));
}

static void salus_semantics(const void *state, struct hs_semantics *out)
{
    hs_salus_semantics(state, rule_of(state), out);
}

static const struct hs_param params[] = {
    {.key = "rule",
     .type = HS_PARAM_CHOICE,
     .offset = offsetof(struct salus, rule),
     .preset = "srtf",
     .choices = hs_salus_rule_names,
     .help = "who of those that share a lane has the next mini-batch",
     .source = "the runs of Salus' repository"},
    HS_SALUS_PARAMS,
    HS_ESTIMATE_PARAMS(struct hs_salus, estimate, "oracle"),
    {0}};

const struct hs_policy_ops hs_policy_salus = {
    .name = "salus",
    .summary = "jobs keep their memory on a GPU and share it by mini-batches",
    .cite = HS_SALUS_CITE,
    .can = HS_SALUS_CAN,
    .knows = HS_SALUS_KNOWS | HS_ESTIMATE_KNOWS,
    .params = params,
    .state_size = sizeof(struct salus),
    .job_state_size = sizeof(struct hs_salus_job),
    .needs = salus_needs,
    .init = salus_init,
    .on_event = hs_salus_event,
    .decide = hs_salus_decide,
    .semantics = salus_semantics,
    .check = hs_salus_check,
};
