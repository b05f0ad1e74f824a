/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a trace asks of a cluster: offered load per GPU type and VC, and the jobs that no empty
 * cluster could ever hold.
 */
#ifndef HORUS_TRACES_LOAD_H
#define HORUS_TRACES_LOAD_H

#include "base/intern.h"
#include "traces/doctor.h"

#define HS_UNFIT_SHOWN 3

struct hs_load_sum {
    hs_u128 gpu_us;
    uint64_t jobs;
};

struct hs_load {
    const struct hs_doctor_cluster *cluster; /* NULL: demand alone */
    struct hs_intern types, vcs;             /* id 0: none named */
    struct hs_load_sum *by_type, *by_vc;
    uint32_t by_type_cap, by_vc_cap;
    struct hs_load_sum all;
    int64_t first_us, last_us;
    uint64_t unfit;
    char unfit_texts[HS_UNFIT_SHOWN][512];
};

HS_MUST_USE enum hs_status hs_load_init(struct hs_load *load,
                                        const struct hs_doctor_cluster *cluster);
HS_MUST_USE enum hs_status hs_load_add(struct hs_load *load, const struct hs_trace_job *job);
void hs_load_say(const struct hs_load *load, struct hs_output *out);
void hs_load_free(struct hs_load *load);

#endif
