/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The truth about sharing a GPU (MODEL.md 5): the speeds of the jobs that run on it at one time.
 * What the engine applies, and what no policy may see.
 *
 *     HS_TRY(hs_interference_load(&m, path, &catalogue, &options, types, type_count, diag));
 *     hs_interference_speeds(m, type, tenants, count, shares);   // shares[i].speed_q32
 *
 * First the form: for a pair the measured table of that GPU type and sharing mode, else the
 * coefficients fitted for both jobs (rank-1 or two-way), else 1 + k u^alpha v^beta of their
 * utilizations; for more tenants the excesses are added up. Then the cap: together they use no more
 * of the GPU than its capacity, which is shared out max-min fairly. All tables are dense and in Q20
 * after loading. How far the fits may be off is a dial (--interference-noise).
 */
#pragma once

#include "model/cluster.h"
#include "model/profile.h"

#define HS_TENANTS_MAX 16u /* of one GPU, beside those that take turns */

enum hs_interference_mode {
    HS_INTERFERENCE_MEASURED, /* measured+fit */
    HS_INTERFERENCE_FIT,      /* the same without measured pairs */
    HS_INTERFERENCE_CONST,    /* S = 1 + X beside any co-runner */
    HS_INTERFERENCE_NONE,
};

struct hs_interference_options {
    enum hs_interference_mode mode;
    double excess;   /* CONST: X >= 0 */
    double gamma;    /* 0..10; S of a pair becomes S^gamma, at most 1000; 1 = as measured */
    double capacity; /* of every GPU type, > 0; 0 = that of the model file; INFINITY = no cap */
    /* X >= 0: pairs not measured get seeded residuals of X times the hold-out RMSE */
    double noise;
    uint64_t seed; /* of the noise */
};

/* "measured+fit", "fit", "none", "const:X": sets mode and excess; else HS_E_USAGE. */
HS_MUST_USE enum hs_status hs_interference_parse(const char *text,
                                                 struct hs_interference_options *options,
                                                 struct hs_diag *diag);
/* "auto", "none" or a number 0.1..8 as options.capacity; else HS_E_USAGE. */
HS_MUST_USE enum hs_status hs_capacity_parse(const char *text, double *capacity,
                                             struct hs_diag *diag);

/* A GPU type of the cluster, and how its GPUs are shared. */
struct hs_interference_type {
    const char *gpu;
    enum hs_sharing_mode mode;
};

/* Where the form of a slowdown comes from, for horus predict and for counting. */
enum hs_slowdown_source {
    HS_SLOWDOWN_ALONE,
    HS_SLOWDOWN_MEASURED,
    HS_SLOWDOWN_FITTED,   /* both jobs profiled on this type */
    HS_SLOWDOWN_GENERAL,  /* from their utilizations */
    HS_SLOWDOWN_MODELLED, /* more than two tenants */
    HS_SLOWDOWN_ASSUMED,  /* const, or no form in the file */
};
extern const char *const hs_slowdown_sources[]; /* their texts */

/* A job that runs on the GPU. */
struct hs_tenant {
    uint32_t profile;    /* HS_NO_PROFILE = none */
    int32_t util_pm;     /* of the GPU when it is alone, per mille; an unknown one counts as 1000 */
    uint32_t turn_group; /* tenants of one group take turns (MODEL.md 6); 0 = none */
    uint32_t turn_set;   /* of its group: those that have their turn together; 0 = none */
    uint64_t away_q32;   /* part of the time in which it has not its turn, Q32; 0 outside groups */
    uint64_t rest_q32;   /* part of its turn in which a throttle stops it, Q32; 0 = no throttle */
    bool yields;         /* it runs in what the others leave idle, and slows none of them */
};

/* A claim to a part of a GPU, and what is given. */
struct hs_fair_share {
    uint64_t demand_q32, weight_q32;
    uint64_t given_q32;
    uint64_t speed_q32; /* hs_interference_speeds: of the tenant in its turn, 1 = alone */
};

/* Max-min fair: each gets its demand or weight x level, whatever is less, and the level is the
 * highest at which the sum is at most the capacity. Rounded up: the sum may exceed the capacity by
 * less than count x 2^-32. Independent of the order; O(count) for each distinct round of claims
 * that are met, which are seldom more than two. count <= 2^16, sum of weights < 2^48. */
void hs_share_fairly(struct hs_fair_share *shares, uint32_t count, uint64_t capacity_q32);

struct hs_interference;

/* types: of the cluster; type t of later calls is an index into them. Names are compared as
 * profile names are. The catalogue is read during the call only. const:X and none need no file:
 * path may be NULL. Jobs of the file that the catalogue lacks are noted and left out. */
HS_MUST_USE enum hs_status hs_interference_load(struct hs_interference **m, const char *path,
                                                const struct hs_catalogue *catalogue,
                                                const struct hs_interference_options *options,
                                                const struct hs_interference_type *types,
                                                uint32_t type_count, struct hs_diag *diag);
/* The speeds of tenants that run at one time on one GPU, into shares[0 .. count): Q32, at most 1,
 * each relative to the job alone on that type, in its turn and before its throttle. Allocates
 * nothing; does not depend on the order. */
void hs_interference_speeds(const struct hs_interference *m, uint32_t type,
                            const struct hs_tenant *tenants, uint32_t count,
                            struct hs_fair_share *shares);
/* S of the form, before the cap, in Q20, >= 1: of tenants[self] beside the others. source may be
 * NULL. */
uint64_t hs_interference_slowdown_q20(const struct hs_interference *m, uint32_t type,
                                      const struct hs_tenant *tenants, uint32_t count,
                                      uint32_t self, enum hs_slowdown_source *source);
/* What `units` >= 2 jobs, or groups of jobs that take turns, may use of a GPU together, Q32;
 * UINT64_MAX = as much as the form gives them. */
uint64_t hs_interference_capacity_q32(const struct hs_interference *m, uint32_t type,
                                      uint32_t units);
/* Error (RMSE of the speed) of the table (FITTED) or form (GENERAL) behind a source on a type:
 * under the first protocol of its "holdout", or where the form is that of another type, of its rows
 * held against that form. NaN = unknown. */
double hs_interference_error(const struct hs_interference *m, uint32_t type,
                             enum hs_slowdown_source source);
/* Of the same table or form: was it fitted to pairs whose sharing mode their source does not state?
 * They stand for time slicing, the default of the driver. */
bool hs_interference_is_unstated(const struct hs_interference *m, uint32_t type,
                                 enum hs_slowdown_source source);
/* The RMSE for the residuals of --interference-noise: a form whose error on the type is unknown has
 * that of the type where it was fitted, where it is off by no more. */
double hs_interference_noise_rmse(const struct hs_interference *m, uint32_t type,
                                  enum hs_slowdown_source source);
/* The GPU type whose form stands for the type; NULL = none. */
const char *hs_interference_form_gpu(const struct hs_interference *m, uint32_t type);
void hs_interference_free(struct hs_interference *m);
