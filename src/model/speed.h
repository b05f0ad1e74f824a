/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The speed of a job on a GPU type, relative to the type its trace was recorded on: measured for
 * its configuration, else for the nearest batch of the same model and dataset, else the factor of
 * its family, else the scalar of the cluster description. Also the scaling of gangs with their GPUs
 * and the slowdown when they are spread (MODEL.md 4). One dense table profile x type, built once;
 * every query is O(1).
 *
 *     HS_TRY(hs_speed_load(&m, path, &catalogue, &cluster, "V100", diag));
 *     rate_q32 = hs_speed_q32(m, job->profile, node->type, NULL);
 */
#pragma once

#include "model/cluster.h"
#include "model/profile.h"

enum hs_speed_source {
    HS_SPEED_REFERENCE, /* the trace's own GPU type */
    HS_SPEED_MEASURED,  /* this configuration on both types */
    HS_SPEED_BATCH,     /* another batch or precision of its model and dataset */
    HS_SPEED_FAMILY,
    HS_SPEED_OTHERS, /* its family is in the file, but was not measured on both: mean of the jobs of
                        other families */
    HS_SPEED_SCALAR, /* of the cluster description */
};

extern const char *const hs_speed_sources[]; /* their texts */

struct hs_speed;

/* How the speeds are predicted that policies see (hs_view_speed_q32). ORACLE: the truth. NOISY: the
 * truth times exp(sigma z), where z is a standard normal draw that depends on the seed, the job and
 * the name of the type. TABLE: an estimate that leaves out the entry from which the truth is read:
 * another batch size of the model if the configuration was measured; otherwise the mean over the
 * other models of the family; the mean over the other families if the truth is the mean of the
 * family. On a type that the file does not contain, it is the scalar of the cluster description,
 * which is also the truth. */
enum hs_speed_predictor_kind {
    HS_SPEED_PREDICTOR_TABLE,
    HS_SPEED_PREDICTOR_ORACLE,
    HS_SPEED_PREDICTOR_NOISY
};
struct hs_speed_predictor {
    enum hs_speed_predictor_kind kind;
    double sigma;
    uint64_t seed; /* of the run */
};

/* reference: name of the GPU type that the trace's durations are for; NULL = the type with most
 * GPUs among those of the cluster whose scalar is 1 (ties: by name). If the file does not contain
 * the reference, a type or anything of the job, the scalar of the type is used, divided by that of
 * the reference. Jobs without a profile always use it. A given reference unknown to both cluster
 * and file is HS_E_USAGE. Names of types are compared like those of profiles. */
HS_MUST_USE enum hs_status hs_speed_load(struct hs_speed **m, const char *path,
                                         const struct hs_catalogue *catalogue,
                                         const struct hs_cluster *cluster, const char *reference,
                                         struct hs_diag *diag);
/* Speed of a profile (HS_NO_PROFILE: none) on cluster type t, Q32, never 0; source may be NULL. */
uint64_t hs_speed_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                      enum hs_speed_source *source);
/* The same for a type of the cluster or the file, by name; false, and 1, if neither knows the speed
 * of the profile there. O(types); the first job of a type not in the cluster builds its column,
 * O(profiles x rows of the file). catalogue: as in hs_speed_load. */
bool hs_speed_by_name(struct hs_speed *m, const struct hs_catalogue *catalogue, uint32_t profile,
                      const char *name, uint64_t *speed_q32);
/* Parses oracle, table or noisy:SIGMA; leaves the seed unchanged. HS_E_USAGE for anything else. */
HS_MUST_USE enum hs_status
hs_speed_predictor_parse(const char *text, struct hs_speed_predictor *how, struct hs_diag *diag);
/* Called once, before predictions are queried; catalogue and cluster as in hs_speed_load. */
void hs_speed_predict_by(struct hs_speed *m, const struct hs_catalogue *catalogue,
                         const struct hs_cluster *cluster, const struct hs_speed_predictor *how);
/* The predicted speed of a job, which is named by its index in the trace, Q32, never 0; 1 on the
 * reference type. Without a predictor it is that of a job without a profile. For HS_MEAN_PROFILE it
 * is the geometric mean over the profiles, without noise, or the scalar of a type on which no
 * profile has a known speed. */
#define HS_MEAN_PROFILE (HS_NO_PROFILE - 1)
uint64_t hs_speed_predicted_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                                uint64_t index);
/* The same, > 0, as the quotient that the file has where that is the prediction, not rounded. */
double hs_speed_predicted(const struct hs_speed *m, uint32_t profile, uint32_t type,
                          uint64_t index);
/* The kind of predictor; ORACLE without one. */
enum hs_speed_predictor_kind hs_speed_predicted_by(const struct hs_speed *m);
/* Error of a predicted pair speed: factor of the first of the two jobs, Q32; 1 unless NOISY. */
uint64_t hs_speed_pair_noise_q32(const struct hs_speed *m, uint32_t type, uint64_t index,
                                 uint64_t beside);
/* GPU type that run times are for: given or determined. */
const char *hs_speed_reference(const struct hs_speed *m);
/* Tell whether the file has speeds of a cluster type relative to the reference, or of spread gangs
 * on it. */
bool hs_speed_is_by_model(const struct hs_speed *m, uint32_t type);
bool hs_speed_has_spread(const struct hs_speed *m, uint32_t type);
/* Returns 0 unless every profile has the same speed on every type; then that speed. */
uint64_t hs_speed_uniform_q32(const struct hs_speed *m);
/* Factor <= 1 for a gang of `gpus` spread over more nodes than it needs, Q32: of its family on the
 * type, else the family's mean over other types, else the mean of all on the type, else of all; 1
 * for GPUs without a type, or a file without factors. Other gang sizes use the nearest measured,
 * ties to the smaller. */
uint64_t hs_speed_spread_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                             uint32_t gpus);
/* Its prediction: ORACLE, the truth; TABLE, the mean over other families on the type, else on all
 * types, else the truth; NOISY, the truth with a draw of seed, type and job, at most 1.
 */
uint64_t hs_speed_predicted_spread_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                                       uint32_t gpus, uint64_t index);
/* Throughput of `held` GPUs relative to `gpus`, Q32 (elastic jobs; hs_curve_resized_q32): of its
 * family on the type, else the family's mean over other types; linear if unknown. */
uint64_t hs_speed_resize_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                             uint32_t held, uint32_t gpus);
/* The prediction of hs_speed_resize_q32 that policies see. ORACLE: the truth. TABLE: the mean over
 * the other families on the type; if there is none, over the other families on all types; if there
 * is none, linear in the number of GPUs. NOISY: the truth times a factor drawn from seed, type,
 * number of GPUs and job. */
uint64_t hs_speed_predicted_resize_q32(const struct hs_speed *m, uint32_t profile, uint32_t type,
                                       uint32_t held, uint32_t gpus, uint64_t index);
/* Hold-out error of a fallback (BATCH, FAMILY, OTHERS) between a type and the reference: mean
 * absolute percentage error of the time, as a fraction; NaN if the file does not state it. */
double hs_speed_error(const struct hs_speed *m, uint32_t type, enum hs_speed_source source);
void hs_speed_free(struct hs_speed *m);

/* ---- measured figures of gangs by size, and throughput at any size (MODEL.md 4) ---- */

#define HS_SPEED_CURVE_SIZES 64u

/* A figure by gang size, ascending from 2 on; Q32. */
struct hs_curve {
    uint32_t count;
    uint32_t gpus[HS_SPEED_CURVE_SIZES];
    uint64_t value_q32[HS_SPEED_CURVE_SIZES];
};

/* Returns the figure of the nearest size, ties to the smaller; the curve must not be empty. */
uint64_t hs_curve_nearest_q32(const struct hs_curve *c, uint32_t gpus);
/* Throughput of `held` GPUs relative to that of `gpus`, from efficiencies, thr(n) / (n thr(1));
 * linear where nothing is known (NULL). */
uint64_t hs_curve_resized_q32(const struct hs_curve *c, uint32_t held, uint32_t gpus);

/* ---- overheads by model ----
 *
 * The time to restart a training process (configs/restart.csv, MODEL.md 7), and its speed if only
 * part of the GPU memory that it needs may be on the GPU (configs/memory-limits.csv, MODEL.md 4).
 *
 *     HS_TRY(hs_restart_load(&table, "builtin:restart.csv", diag));
 *     int64_t us = hs_restart_us(table, "VGG-16", NULL, 4);            // 8 s as shipped
 *     hs_overheads_free(table);
 *     uint64_t q32 = hs_memcurve_q32(curves, "VGG-16", 8000, 16000);   // of 0.98 */

/* Rows of model, key and value. */
struct hs_overheads;

/* Loads a CSV of model, gpus, restart_s (seconds). Unknown columns, duplicate (model, size), and
 * invalid values are errors at their place. */
HS_MUST_USE enum hs_status hs_restart_load(struct hs_overheads **table, const char *path,
                                           struct hs_diag *diag);
/* For a gang of `gpus`: uses the rows of `model`, else of `other` (both may be NULL or ""), else
 * those for all others; of these the largest size of at most `gpus`, else the smallest. -1 if there
 * is no row. Names are compared like those of profiles. O(length of the names + log rows). */
int64_t hs_restart_us(const struct hs_overheads *table, const char *model, const char *other,
                      uint32_t gpus);
/* Loads a CSV of model, limit (per cent of the peak, 0 to 100), speed (above 0 to 1; 1 at 100,
 * growing with the limit). Unknown columns, duplicate (model, limit), other values are errors. */
HS_MUST_USE enum hs_status hs_memcurve_load(struct hs_overheads **table, const char *path,
                                            struct hs_diag *diag);
/* Speed of a job of `model` (NULL, "": none) with a limit of limit_mib of its peak_mib, Q32 in (0,
 * 1]: that of the largest measured share of at most this one (below the smallest, of the smallest),
 * because there is a cliff at an unknown place between two of them. 1 at a limit of the peak or
 * more, or without rows. Names are compared like those of profiles. */
uint64_t hs_memcurve_q32(const struct hs_overheads *table, const char *model, uint32_t limit_mib,
                         uint32_t peak_mib);
void hs_overheads_free(struct hs_overheads *table); /* NULL is allowed */
