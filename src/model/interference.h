/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The true interference on a GPU (MODEL.md 5): the speeds of the jobs that run on it at one time.
 * The engine applies it; policies may not see it.
 *
 *     HS_TRY(hs_interference_load(&m, path, &catalogue, &options, types, type_count, diag));
 *     hs_interference_speeds(m, type, tenants, count, shares);   // shares[i].speed_q32
 *
 * First the form: for a pair the measured table of that GPU type and sharing mode, else the
 * coefficients fitted for both jobs (rank-1 or two-way), else 1 + k u^alpha v^beta of their
 * utilizations; for more tenants the excesses are added. Then the cap: together they use at most
 * the capacity of the GPU, which is shared max-min fairly. All tables are dense and in Q20 after
 * loading. --interference-noise adds errors to the fits.
 */
#pragma once

#include "model/cluster.h"
#include "model/profile.h"

#define HS_TENANTS_MAX 16u /* per GPU, excluding those that take turns */

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
    double capacity; /* of every GPU type, > 0; 0 = from the model file; INFINITY = no cap */
    /* X >= 0: residuals of pairs not measured, X times the hold-out RMSE */
    double noise;
    uint64_t seed; /* of the noise */
};

/* Parses "measured+fit", "fit", "none", "const:X" to mode and excess; else HS_E_USAGE. */
HS_MUST_USE enum hs_status hs_interference_parse(const char *text,
                                                 struct hs_interference_options *options,
                                                 struct hs_diag *diag);
/* Parses "auto", "none" or a number 0.1..8 like options.capacity; else HS_E_USAGE. */
HS_MUST_USE enum hs_status hs_capacity_parse(const char *text, double *capacity,
                                             struct hs_diag *diag);

/* A GPU type of the cluster, and the sharing mode of its GPUs. */
struct hs_interference_type {
    const char *gpu;
    enum hs_sharing_mode mode;
};

/* Source of a slowdown, for horus predict and for counting. */
enum hs_slowdown_source {
    HS_SLOWDOWN_ALONE,
    HS_SLOWDOWN_MEASURED,
    HS_SLOWDOWN_FITTED,   /* both jobs profiled on the type */
    HS_SLOWDOWN_GENERAL,  /* from utilizations */
    HS_SLOWDOWN_MODELLED, /* more than two tenants */
    HS_SLOWDOWN_ASSUMED,  /* const, or no form in file */
};
extern const char *const hs_slowdown_sources[]; /* their texts */

/* A job that runs on the GPU. */
struct hs_tenant {
    uint32_t profile;    /* HS_NO_PROFILE = none */
    int32_t util_pm;     /* of the GPU when alone, per mille; unknown counts as 1000 */
    uint32_t turn_group; /* tenants of one group take turns (MODEL.md 6); 0 = none */
    uint32_t turn_set;   /* of its group: those that run in the same turn; 0 = none */
    uint64_t away_q32;   /* fraction of time outside its turn, Q32; 0 without a group */
    uint64_t rest_q32;   /* fraction of its turn in which it is throttled, Q32; 0 = none */
    bool yields;         /* in the background: slows only others of it */
    uint32_t stages;     /* its row in model/stages.h, of no use here */
};

/* A claim on a part of a GPU, and the part granted. */
struct hs_fair_share {
    uint64_t demand_q32, weight_q32;
    uint64_t given_q32;
    uint64_t speed_q32; /* hs_interference_speeds: during its turn, 1 = alone */
};

/* Max-min fair: each gets the lesser of its demand and weight x level, with the highest level at
 * which the sum is at most the capacity. Rounded up: the sum may exceed the capacity by less than
 * count x 2^-32. Independent of the order; O(count) per distinct round of claims met, rarely more
 * than two. count <= 2^16, sum of weights < 2^48. */
void hs_share_fairly(struct hs_fair_share *shares, uint32_t count, uint64_t capacity_q32);

struct hs_interference;

/* types: of the cluster; type t of later calls is an index into them. Names are compared like
 * profile names. The catalogue is used only during the call. const:X and none need no file: path
 * may be NULL. Jobs in the file that are not in the catalogue are skipped with a note. */
HS_MUST_USE enum hs_status hs_interference_load(struct hs_interference **m, const char *path,
                                                const struct hs_catalogue *catalogue,
                                                const struct hs_interference_options *options,
                                                const struct hs_interference_type *types,
                                                uint32_t type_count, struct hs_diag *diag);
/* Computes the speeds of tenants that run at one time on one GPU, into shares[0 .. count): Q32, at
 * most 1, each relative to the job alone on that type, during its turn and before its throttle.
 * Does not allocate; independent of the order. */
void hs_interference_speeds(const struct hs_interference *m, uint32_t type,
                            const struct hs_tenant *tenants, uint32_t count,
                            struct hs_fair_share *shares);
/* Returns the form's slowdown S, before the cap, in Q20, >= 1, of tenants[self] beside the others.
 * source may be NULL. */
uint64_t hs_interference_slowdown_q20(const struct hs_interference *m, uint32_t type,
                                      const struct hs_tenant *tenants, uint32_t count,
                                      uint32_t self, enum hs_slowdown_source *source);
/* Returns what `units` >= 2 jobs, or groups of jobs that take turns, may use of a GPU together,
 * Q32; UINT64_MAX = no cap. */
uint64_t hs_interference_capacity_q32(const struct hs_interference *m, uint32_t type,
                                      uint32_t units);
/* Returns the error (RMSE of the speed) of the table (FITTED) or form (GENERAL) behind a source on
 * a type: under the first protocol of its "holdout"; if the form is of another type, that of its
 * rows compared with this form. NaN = unknown. */
double hs_interference_error(const struct hs_interference *m, uint32_t type,
                             enum hs_slowdown_source source);
/* Tells whether the table or form was fitted to pairs whose source does not state the sharing mode.
 * They count as time slicing, the driver's default. */
bool hs_interference_is_unstated(const struct hs_interference *m, uint32_t type,
                                 enum hs_slowdown_source source);
/* RMSE for the residuals of --interference-noise: a form with an unknown error on the type has at
 * least that of the type it was fitted on. */
double hs_interference_noise_rmse(const struct hs_interference *m, uint32_t type,
                                  enum hs_slowdown_source source);
/* The GPU type whose form is used for the type; NULL = none. */
const char *hs_interference_form_gpu(const struct hs_interference *m, uint32_t type);
void hs_interference_free(struct hs_interference *m);
