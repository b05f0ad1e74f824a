/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Horus' migration, off by default (policies/horus.md 4: what the authors meant; in their code it
 * is never reached): now and then, when a GPU is idle, the job of highest predicted utilization
 * (unknown counts as 100 %) leaves a GPU of more than two tenants for it. Jobs on one GPU only.
 */
#ifndef HORUS_POLICIES_KIT_MIGRATE_H
#define HORUS_POLICIES_KIT_MIGRATE_H

#include <stdbool.h>

#include "horus/policy.h"

struct hs_migrate {
    bool is_on; /* parameters */
    int64_t every_us;
    int64_t next_us; /* not before */
};

#define HS_MIGRATE_PARAMS(state_type, field)                                                       \
    {.key = "migrate",                                                                             \
     .type = HS_PARAM_FLAG,                                                                        \
     .offset = offsetof(state_type, field.is_on),                                                  \
     .preset = "no",                                                                               \
     .help = "move the busiest job of a GPU with more than two to an idle GPU",                    \
     .source = "the authors' intention; never reached in their simulator"},                        \
    {                                                                                              \
        .key = "migrate_every", .type = HS_PARAM_DURATION,                                         \
        .offset = offsetof(state_type, field.every_us), .preset = "5min", .min = 1, .max = 1e9,    \
        .help = "at most one move in this time"                                                    \
    }

uint32_t hs_migrate_can(const struct hs_migrate *m); /* HS_CAN_x that it needs */
/* True when a job is moved: there may be room where it was. */
bool hs_migrate_decide(struct hs_migrate *m, const struct hs_view *v, struct hs_plan *p);
/* For the card. */
const char *hs_migrate_name(const struct hs_migrate *m);
const char *hs_migrate_cost_name(const struct hs_migrate *m);

#endif
