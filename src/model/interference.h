/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The truth about sharing a GPU (MODEL.md 5): how much slower a job runs beside others. What the
 * engine applies, and what no policy may see.
 *
 *     HS_TRY(hs_interference_load(&m, path, &catalogue, &options, gpu_types, type_count, diag));
 *     s_q20 = hs_interference_slowdown_q20(m, type, tenants, 2, 0);      // of tenants[0]
 *     rate = hs_interference_speed_q32(s_q20);
 *
 * For a pair: the measured table of that GPU type, else the coefficients fitted for both jobs on
 * that type (rank-1 or two-way), else the general form of their utilizations, else 1. For more
 * tenants the excesses are added up, or the exact queueing recursion is run over them: modelled,
 * not measured. All tables are dense and in Q20 after loading. How far the fits may be off is a
 * dial (--interference-noise).
 */
#pragma once

#include "model/profile.h"

enum hs_interference_mode {
    HS_INTERFERENCE_MEASURED, /* measured+fit */
    HS_INTERFERENCE_FIT,      /* the same without measured pairs */
    HS_INTERFERENCE_CONST,    /* S = 1 + X beside any co-runner */
    HS_INTERFERENCE_NONE,
};

enum hs_crowd { HS_CROWD_ADDITIVE, HS_CROWD_QUEUEING };

struct hs_interference_options {
    enum hs_interference_mode mode;
    double excess; /* CONST: X >= 0 */
    double gamma;  /* 0..10; S of a pair becomes S^gamma, at most 1000; 1 = as measured */
    enum hs_crowd crowd;
    /* X >= 0: pairs not measured get seeded residuals of X times the hold-out RMSE */
    double noise;
    uint64_t seed; /* of the noise */
};

/* "measured+fit", "fit", "none", "const:X": sets mode and excess; else HS_E_USAGE. */
HS_MUST_USE enum hs_status hs_interference_parse(const char *text,
                                                 struct hs_interference_options *options,
                                                 struct hs_diag *diag);

/* Where a slowdown comes from, for horus predict and for counting. */
enum hs_slowdown_source {
    HS_SLOWDOWN_ALONE,
    HS_SLOWDOWN_MEASURED,
    HS_SLOWDOWN_FITTED,   /* both jobs profiled on this type */
    HS_SLOWDOWN_GENERAL,  /* from their utilizations */
    HS_SLOWDOWN_MODELLED, /* more than two tenants */
    HS_SLOWDOWN_ASSUMED,  /* const, or a job of unknown utilization */
};
extern const char *const hs_slowdown_sources[]; /* their texts */

struct hs_tenant {
    uint32_t profile; /* HS_NO_PROFILE = none */
    int32_t util_pm;  /* solo; -1 = unknown */
    /* Share of the time in which the job does not run, Q32 below 1: jobs of one slice group take
     * turns (MODEL.md 6). It slows others by that much less. Not read for the job itself. */
    uint64_t away_q32;
};

#define HS_TENANTS_MAX      16u
#define HS_QUEUEING_TENANTS 8u /* the recursion visits 2^n sets */

struct hs_interference;

/* gpu_types: of the cluster; type t of later calls is an index into them. Names are compared as
 * profile names are. The catalogue is read during the call only. const:X and none need no file:
 * path may be NULL. Jobs of the file that the catalogue lacks are noted and left out. */
HS_MUST_USE enum hs_status hs_interference_load(struct hs_interference **m, const char *path,
                                                const struct hs_catalogue *catalogue,
                                                const struct hs_interference_options *options,
                                                const char *const *gpu_types, uint32_t type_count,
                                                struct hs_diag *diag);
/* S of tenants[self] in Q20, >= 1; count <= HS_TENANTS_MAX, and with queueing at most
 * HS_QUEUEING_TENANTS of them active (asserted). Idle tenants (utilization 0) slow no other; one of
 * unknown utilization that is in no table neither slows nor is slowed. Does not depend on the order
 * of the others, allocates nothing; source may be NULL. */
uint64_t hs_interference_slowdown_q20(const struct hs_interference *m, uint32_t type,
                                      const struct hs_tenant *tenants, uint32_t count,
                                      uint32_t self, enum hs_slowdown_source *source);
/* 1 / S in Q32, at most 1. */
static inline uint64_t hs_interference_speed_q32(uint64_t slowdown_q20)
{
    return (UINT64_C(1) << 52) / slowdown_q20;
}
/* Hold-out error (RMSE of the speed) of the table (FITTED) or form (GENERAL) behind a source on a
 * type, under the first protocol of its "holdout". NaN = unknown: the file has none, the form was
 * not fitted on this type, or the source is another one. */
double hs_interference_error(const struct hs_interference *m, uint32_t type,
                             enum hs_slowdown_source source);
/* The same for the residuals of --interference-noise: the form keeps the error of the type where it
 * was fitted on all others, where it is off by no less. */
double hs_interference_noise_rmse(const struct hs_interference *m, uint32_t type,
                                  enum hs_slowdown_source source);
void hs_interference_free(struct hs_interference *m);
