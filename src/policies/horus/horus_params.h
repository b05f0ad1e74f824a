/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameters that several policies of horus.c have.
 */
#pragma once

#include "policies/lib/place.h"

#define AUTHORS "the authors' simulator"
#define SIGNAL_PARAM(text, ...)                                                                    \
    HS_PARAM_CHOICE(struct horus, signal, "signal", "predicted", signal_names, text, __VA_ARGS__)
#define WEIGHT_PARAM(field, name, value, text, origin)                                             \
    HS_PARAM_REAL(struct horus, field, name, value, 0, 1000, text, .source = origin)
#define MEMORY_WEIGHT_PARAM WEIGHT_PARAM(w_mem, "w_mem", "1.3", "weight of memory in use", AUTHORS)
#define TENANT_WEIGHT_PARAM WEIGHT_PARAM(w_n, "w_n", "1", "weight of each tenant", AUTHORS)
#define LIMIT_PARAMS(tenants_preset)                                                               \
    HS_PARAM_INT(                                                                                  \
        struct horus, max_tenants, "max_tenants", tenants_preset, 1, 16,                           \
        "jobs on one GPU at most (--max-tenants of the run holds too)",                            \
        .source = "3: the authors' simulator, in place of PCIe bandwidth; 2: what was measured"),  \
        HS_PARAM_SIZE_MIB(struct horus, mem_margin_mib, "mem_margin", "500MiB", 0, 0,              \
                          "memory of a shared GPU that stays free after a placement",              \
                          .source = "the authors' simulator"),                                     \
        HS_PARAM_INT(struct horus, share_up_to, "share_up_to", "8", 0, 1000000,                    \
                     "larger gangs share no GPU", .unit = "GPUs"),                                 \
        HS_TYPES_PARAM(struct horus, types)
#define COST_PARAMS                                                                                \
    HS_PARAM_CHOICE(                                                                               \
        struct horus, cost, "cost", "intended", cost_names,                                        \
        "memory as a fraction of the GPU's; ascoded: in MiB, as published, so that it rules",      \
        .source = "ascoded: github.com/matthewygf/GPUSchedule, for comparison only"),              \
        SIGNAL_PARAM("utilization of a GPU: sum of its tenants' predictions, or measured on it",   \
                     .source = NULL),                                                              \
        MEMORY_WEIGHT_PARAM,                                                                       \
        WEIGHT_PARAM(w_u_over, "w_u_over", "1.6", "weight of utilization beyond 100 %", AUTHORS),  \
        WEIGHT_PARAM(w_u_under, "w_u_under", "1", "weight of utilization short of 100 %",          \
                     AUTHORS),                                                                     \
        TENANT_WEIGHT_PARAM,                                                                       \
        WEIGHT_PARAM(w_type, "w_type", "0", "weight of predicted speed short of the fastest type", \
                     "0: the authors' simulator has one type"),                                    \
        LIMIT_PARAMS("3"),                                                                         \
        HS_PARAM_REAL(                                                                             \
            struct horus, util_cap, "util_cap", "0", 0, 1600,                                      \
            "predicted utilizations on a shared GPU add up to at most this; 0: to anything",       \
            .unit = "%", .source = "0: the authors' simulator; 130 limits the slowdown")
#define LOOK_AHEAD_PARAM(value, origin)                                                            \
    HS_PARAM_INT(struct horus, look_ahead, "look_ahead", value, 1, 1000000,                        \
                 "waiting jobs that are tried before the rest waits", .unit = "jobs",              \
                 .source = origin)
