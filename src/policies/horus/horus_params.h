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
#define TENANT_WEIGHT_PARAM WEIGHT_PARAM(w_n, "w_n", "1", "weight of each job on the GPU", AUTHORS)
#define LIMIT_PARAMS(tenants_preset)                                                               \
    HS_PARAM_INT(                                                                                  \
        struct horus, max_tenants, "max_tenants", tenants_preset, 1, 16,                           \
        "most jobs on one GPU (--max-tenants of the run also applies)",                            \
        .source = "3: the authors' simulator, in place of PCIe bandwidth; 2: what was measured"),  \
        HS_PARAM_SIZE_MIB(struct horus, mem_margin_mib, "mem_margin", "500MiB", 0, 0,              \
                          "memory of a shared GPU that must stay free after a placement",          \
                          .source = "the authors' simulator"),                                     \
        HS_PARAM_INT(struct horus, share_up_to, "share_up_to", "8", 0, 1000000,                    \
                     "largest gang that may share GPUs", .unit = "GPUs"),                          \
        HS_TYPES_PARAM(struct horus, types)
#define COST_PARAMS                                                                                \
    HS_PARAM_CHOICE(struct horus, cost, "cost", "intended", cost_names,                            \
                    "unit of the memory term. intended: fraction of the GPU's memory; ascoded: "   \
                    "MiB, as in the published code, so that it dominates the cost",                \
                    .source = "ascoded: github.com/matthewygf/GPUSchedule, for comparison only"),  \
        SIGNAL_PARAM("utilization of a GPU: sum of its tenants' predictions, or measured on it",   \
                     .source = NULL),                                                              \
        MEMORY_WEIGHT_PARAM,                                                                       \
        WEIGHT_PARAM(w_u_over, "w_u_over", "1.6", "weight of utilization above 100 %", AUTHORS),   \
        WEIGHT_PARAM(w_u_under, "w_u_under", "1", "weight of utilization below 100 %", AUTHORS),   \
        TENANT_WEIGHT_PARAM,                                                                       \
        WEIGHT_PARAM(w_type, "w_type", "0",                                                        \
                     "weight of the predicted speed below that of the fastest type",               \
                     "0: the authors' simulator has one type"),                                    \
        LIMIT_PARAMS("3"),                                                                         \
        HS_PARAM_REAL(struct horus, util_cap, "util_cap", "0", 0, 1600,                            \
                      "limit on the sum of predicted utilizations on a shared GPU, %; 0: none",    \
                      .unit = "%", .source = "0: the authors' simulator; 130 limits the slowdown")
#define LOOK_AHEAD_PARAM(value, origin)                                                            \
    HS_PARAM_INT(struct horus, look_ahead, "look_ahead", value, 1, 1000000,                        \
                 "number of waiting jobs that are tried at each decision", .unit = "jobs",         \
                 .source = origin)
