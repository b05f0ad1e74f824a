/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profile catalogue (configs/profiles.csv): data of one training configuration, a (model,
 * dataset, batch, precision), measured alone on one GPU. Read-only after loading; profiles are in
 * the order of the file, and jobs and model tables refer to them by index.
 *
 *     HS_TRY(hs_catalogue_load(&catalogue, "builtin:profiles.csv", diag));
 *     uint32_t id = hs_catalogue_match(&catalogue, "resnet-18", NULL, "64", "amp", &match);
 *     if (id != HS_NO_PROFILE) use(catalogue.profiles[id].util_pm);
 *
 * Also what the files of configs/models have in common: the head {"kind": "interference", "format":
 * 1, ...}, the set of files that a run uses (the shipped ones, each replaced by a given file of its
 * kind), names, and the general form of slowdowns.
 *
 *     HS_TRY(hs_modelset_init(&set, "my-interference.json,my-speed.json", diag));
 *     HS_TRY(hs_interference_load(&truth, set.path[HS_MODEL_INTERFERENCE], &catalogue, diag));
 */
#pragma once

#include "base/intern.h"
#include "data/json.h"
#include "horus/trace.h"

#define HS_PROFILES_MAX 65535u

/* Counts of the computation graph (features of Horus: Yeung et al., TPDS'21), forward pass; NaN =
 * unknown. They are independent of the batch: the FLOPs of a step are macs x batch. */
#define HS_FEATURE_LIST(X)                                                                         \
    X(MACS, "macs")               /* multiply-adds of one sample */                                \
    X(PARAMS, "params")           /* trainable parameters */                                       \
    X(LAYERS, "layers")           /* convolution + linear + recurrent layers */                    \
    X(CONVS, "convs")             /* convolutions */                                               \
    X(LINEARS, "linears")         /* linear-like: dense, embedding, attention product */           \
    X(ACTIVATIONS, "activations") /* activation operators */                                       \
    X(OTHERS, "others")           /* normalisation, pooling, dropout, ... */                       \
    X(OUTPUTS, "outputs")         /* elements of all layer outputs of one sample */

enum hs_feature {
#define HS_FEATURE_ENUM(name, text) HS_FEATURE_##name,
    HS_FEATURE_LIST(HS_FEATURE_ENUM)
#undef HS_FEATURE_ENUM
        HS_FEATURE_COUNT
};

struct hs_profile {
    const char *key;                                 /* "ResNet18/CIFAR-10/64/fp32" */
    const char *model, *dataset, *batch, *precision; /* batch "" if the model has none */
    const char *family;                              /* speed class of configs/models/speed.json */
    const char *gpu;             /* type of the measurements of utilization, memory and time */
    int32_t util_pm;             /* solo GPU utilization, mean; -1 = not measured */
    int32_t util_peak_pm;        /* its peak; the mean if no peak was measured */
    int32_t bw_util_pm;          /* memory-bandwidth utilization; -1 = not measured */
    uint32_t mem_mib;            /* peak GPU memory; 0 = unknown */
    uint32_t mem_persistent_mib; /* part of it kept between iterations; 0 = unknown */
    uint32_t checkpoint_mib;     /* 0 = unknown */
    int32_t sharing_score;       /* how much it disturbs others, 0..2 (Lucid); -1 = none */
    int32_t skew_pm;             /* share of the largest parameter tensor; -1 = unknown */
    double step_ms;              /* one mini-batch alone; NaN = unknown */
    double host_ms;              /* part of it: data loading and CPU work; NaN = unknown */
    double cpus;                 /* cores per GPU; NaN = unknown */
    double features[HS_FEATURE_COUNT];
    bool is_inference;   /* serves a model; else trains one */
    bool is_distributed; /* usually trained on many GPUs: may be assigned to gangs */
};

struct hs_catalogue {
    struct hs_arena arena;
    struct hs_profile *profiles;
    uint32_t count, cap;
    struct hs_intern keys; /* folded key; id = index + 1 */
    uint64_t input_hash;   /* of the file, for the manifest */
    uint64_t input_bytes;
};

enum hs_match {
    HS_MATCH_NONE,
    HS_MATCH_EXACT,
    HS_MATCH_PART,  /* the given fields agree; the first such row of the file */
    HS_MATCH_BATCH, /* same model and, if given and known, dataset and precision; nearest batch by
                       ratio among those with a utilization, ties to the smaller */
};

/* Unknown columns, duplicate keys, and values out of range are errors at their place. */
HS_MUST_USE enum hs_status hs_catalogue_load(struct hs_catalogue *catalogue, const char *path,
                                             struct hs_diag *diag);
/* Returns the best match, or HS_NO_PROFILE; names are compared without case, '-', '_' and blanks.
 * dataset, batch, precision may be NULL or "". O(1) for an exact match, else O(profiles). */
uint32_t hs_catalogue_match(const struct hs_catalogue *catalogue, const char *model,
                            const char *dataset, const char *batch, const char *precision,
                            enum hs_match *match);
/* Finds a printed key, folded; HS_NO_PROFILE if there is none. */
uint32_t hs_catalogue_find(const struct hs_catalogue *catalogue, const char *key);
/* Adds a configuration of like's model and dataset that was not measured: with its graph, family
 * and GPU type, without measurements; *id is an existing row if there is one. Jobs use the best
 * match instead. */
HS_MUST_USE enum hs_status hs_catalogue_add(struct hs_catalogue *catalogue, uint32_t like,
                                            const char *batch, const char *precision, uint32_t *id,
                                            struct hs_diag *diag);
void hs_catalogue_free(struct hs_catalogue *catalogue);

#define HS_PROFILE_KEY_MAX 512u

/* ---- model files ---- */

#define HS_MODEL_FORMAT 2
enum hs_model_kind {
    HS_MODEL_INTERFERENCE,
    HS_MODEL_UTILIZATION,
    HS_MODEL_PREDICTOR,
    HS_MODEL_SPEED,
    HS_MODEL_HOST,
    HS_MODEL_STAGES,
    HS_MODEL_COUNT
};

extern const char *const hs_model_kinds[HS_MODEL_COUNT];

struct hs_modelset {
    const char *path[HS_MODEL_COUNT]; /* "builtin:models/speed.json" unless given */
    struct hs_arena arena;
};

/* files: comma-separated, NULL or "" for the shipped ones; at most one per kind, else an error. */
HS_MUST_USE enum hs_status hs_modelset_init(struct hs_modelset *set, const char *files,
                                            struct hs_diag *diag);
void hs_modelset_free(struct hs_modelset *set);
/* Opens a model file, checks kind and format; hs_jsoncheck_close even after a failure. */
HS_MUST_USE enum hs_status hs_modelfile_open(struct hs_jsoncheck *check, const char *path,
                                             enum hs_model_kind kind, struct hs_diag *diag);
/* Returns a required text, copied to the arena; NULL after a fault. */
const char *hs_modelfile_name(struct hs_jsoncheck *check, struct hs_arena *arena,
                              const struct hs_json *object, const char *key);

/* A required member, a number in [min, max]. */
struct hs_model_number {
    const char *key;
    double min, max;
    double *to;
};
/* Reads all of them; none if object is NULL. */
void hs_modelfile_numbers(struct hs_jsoncheck *check, const struct hs_json *object,
                          const struct hs_model_number *numbers, uint32_t count);

/* Returns the samples per step; 0 if text is no such number. */
int64_t hs_batch_of(const char *text);
/* Removes case, '-', '_' and blanks; false if the result exceeds size bytes. */
bool hs_profile_fold(const char *text, char *folded, size_t size);
/* Compares names of models, datasets or GPU types, folded. */
bool hs_model_same_name(const char *a, const char *b);

#define HS_Q20_ONE (UINT64_C(1) << 20)

/* The slowdown of a job of utilization u beside one of utilization v, S = 1 + k u^alpha v^beta
 * (configs/models/README.md), with both powers tabulated once for u = 0..1000 per mille. After that
 * slowdowns are Q20 integers: the same bits on every machine, no pow() during a run. The true model
 * and the predictor each have a copy. */
struct hs_pairform {
    double k, alpha, beta;
    uint32_t own_q30[1001], other_q30[1001]; /* k u^alpha is own * k_q20 */
    uint64_t k_q20;
};

/* k >= 0, alpha > 0, beta > 0. */
void hs_pairform_init(struct hs_pairform *form, double k, double alpha, double beta);
/* Reads "k", "alpha" and "beta" of an object; false after a fault. */
bool hs_pairform_read(struct hs_pairform *form, struct hs_jsoncheck *check,
                      const struct hs_json *object, double k_max, double exponent_min,
                      double exponent_max);
/* S - 1 in Q20; utilizations are clamped to 0..1000 (unknown, -1, counts as 0). */
uint64_t hs_pairform_excess_q20(const struct hs_pairform *form, int32_t own_pm, int32_t other_pm);
