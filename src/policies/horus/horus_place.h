/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Horus' placement, shared by horus, horus+ and colocate-fifo (README.md): the cost
 * of a GPU is its memory in use, how far the utilizations on it miss 100 %, and its tenants.
 *
 *     struct horus { struct hs_horus place; ... };
 *     static const struct hs_param params[] = {HS_HORUS_PARAMS(struct horus, place), {0}};
 */
#ifndef HORUS_POLICIES_HORUS_HORUS_PLACE_H
#define HORUS_POLICIES_HORUS_HORUS_PLACE_H

#include "policies/lib/share_place.h"

#define HS_HORUS_TYPES 64 /* GPU types of a cluster */

struct hs_horus {
    struct hs_colocation colocation;
    double w_u_over, w_u_under, w_mem, w_n, w_type; /* parameters */
    int32_t cost, signal;
    /* the same in 2^-20 */
    int64_t over_q20, under_q20, mem_q20, tenant_q20;
    int64_t type_q20[HS_HORUS_TYPES]; /* of being slower than the fastest type */
};

enum { HS_HORUS_INTENDED, HS_HORUS_ASCODED };
enum { HS_SIGNAL_PREDICTED, HS_SIGNAL_MEASURED };
extern const char *const hs_horus_costs[], *const hs_horus_signals[];

#define HS_HORUS_WEIGHT(state_type, field, name, value, text, origin)                              \
    HS_PARAM_REAL(state_type, field, name, value, 0, 1000, text, .source = origin)

#define HS_HORUS_PARAMS(state_type, field)                                                         \
    HS_PARAM_CHOICE(                                                                               \
        state_type, field.cost, "cost", "intended", hs_horus_costs,                                \
        "memory as a fraction of the GPU's; ascoded: in MiB, as published, so that it rules",      \
        .source = "ascoded: github.com/matthewygf/GPUSchedule, for comparison only"),              \
        HS_PARAM_CHOICE(                                                                           \
            state_type, field.signal, "signal", "predicted", hs_horus_signals,                     \
            "utilization of a GPU: sum of its tenants' predictions, or measured on it"),           \
        HS_HORUS_WEIGHT(state_type, field.w_mem, "w_mem", "1.3", "weight of memory in use",        \
                        "the authors' simulator"),                                                 \
        HS_HORUS_WEIGHT(state_type, field.w_u_over, "w_u_over", "1.6",                             \
                        "weight of utilization beyond 100 %", "the authors' simulator"),           \
        HS_HORUS_WEIGHT(state_type, field.w_u_under, "w_u_under", "1",                             \
                        "weight of utilization short of 100 %", "the authors' simulator"),         \
        HS_HORUS_WEIGHT(state_type, field.w_n, "w_n", "1", "weight of each tenant",                \
                        "the authors' simulator"),                                                 \
        HS_HORUS_WEIGHT(state_type, field.w_type, "w_type", "0",                                   \
                        "weight of being slower than the fastest GPU type",                        \
                        "0: the authors' simulator has one type"),                                 \
        HS_SHARE_PARAMS(state_type, field.colocation, "3"),                                        \
        HS_UTIL_CAP_PARAM(state_type, field.colocation)

void hs_horus_init(struct hs_horus *h, const struct hs_view *v);
/* What it knows with these parameters. */
uint32_t hs_horus_knows(const struct hs_horus *h);
bool hs_horus_place(struct hs_horus *h, const struct hs_view *v, struct hs_plan *p, hs_job_id id);
/* Key of a queue: predicted mean utilization, per mille; unknown counts as 100 %. */
int64_t hs_horus_by_utilization(const struct hs_view *v, hs_job_id job);
/* The name of the placement, for the card. */
const char *hs_horus_placement(const struct hs_horus *h);

#endif
