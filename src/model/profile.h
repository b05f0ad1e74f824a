/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profile catalogue (configs/profiles.csv): what is known of one training configuration, a
 * (model, dataset, batch, precision), measured alone on one GPU. Read-only after loading; profiles
 * keep the order of the file, and their index is the id that jobs and model tables carry.
 *
 *     HS_TRY(hs_catalogue_load(&catalogue, "builtin:profiles.csv", diag));
 *     uint32_t id = hs_catalogue_match(&catalogue, "resnet-18", NULL, "64", "amp", &match);
 *     if (id != HS_NO_PROFILE) use(catalogue.profiles[id].util_pm);
 *
 * And what the files of configs/models share: the head {"kind": "interference", "format": 1, ...},
 * the set of files that a run uses (the shipped ones, each replaced by a given file of its kind),
 * names, and the general form of slowdowns.
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
 * unknown. They do not depend on the batch: the FLOPs of a step are macs x batch. */
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
    const char *model, *dataset, *batch, *precision; /* batch "" where the model has none */
    const char *family;                              /* speed class of configs/models/speed.json */
    const char *gpu;             /* type on which utilization, memory and time were measured */
    int32_t util_pm;             /* solo GPU utilization, mean; -1 = not measured */
    int32_t util_peak_pm;        /* its peak; the mean where no peak was measured */
    int32_t bw_util_pm;          /* memory-bandwidth utilization; -1 = not measured */
    uint32_t mem_mib;            /* peak GPU memory; 0 = unknown */
    uint32_t mem_persistent_mib; /* of that, the part kept between iterations; 0 = unknown */
    uint32_t checkpoint_mib;     /* 0 = unknown */
    int32_t sharing_score;       /* how much it disturbs others, 0..2 (Lucid); -1 = none */
    int32_t skew_pm;             /* share of the largest parameter tensor in all; -1 = unknown */
    double step_ms;              /* one mini-batch alone; NaN = unknown */
    double host_ms;              /* of that, data loading and CPU work; NaN = unknown */
    double cpus;                 /* cores per GPU; NaN = unknown */
    double features[HS_FEATURE_COUNT];
    bool is_inference;   /* it serves a model; else it trains one */
    bool is_distributed; /* a model that is trained on many GPUs: may be given to gangs */
};

struct hs_catalogue {
    struct hs_arena arena;
    struct hs_profile *profiles;
    uint32_t count, cap;
    struct hs_intern keys; /* folded key; the id is index + 1 */
    uint64_t input_hash;   /* of the file, for the manifest */
    uint64_t input_bytes;
};

enum hs_match {
    HS_MATCH_NONE,
    HS_MATCH_EXACT,
    HS_MATCH_PART,  /* the fields given agree; the first such row of the file */
    HS_MATCH_BATCH, /* same model and, if any is given and known, dataset and precision; nearest
                       batch by ratio among those with a utilization, ties to the smaller */
};

/* Unknown columns, two rows of a key, figures out of range are errors at their place. */
HS_MUST_USE enum hs_status hs_catalogue_load(struct hs_catalogue *catalogue, const char *path,
                                             struct hs_diag *diag);
/* The profile that fits best, or HS_NO_PROFILE; names without case, '-', '_' and blanks. dataset,
 * batch, precision may be NULL or "". O(1) for an exact match, else O(profiles). */
uint32_t hs_catalogue_match(const struct hs_catalogue *catalogue, const char *model,
                            const char *dataset, const char *batch, const char *precision,
                            enum hs_match *match);
/* By key as printed, folded; HS_NO_PROFILE if there is none. */
uint32_t hs_catalogue_find(const struct hs_catalogue *catalogue, const char *key);
/* A configuration of like's model and dataset that was not measured: its graph, family and GPU
 * type, and no figures; *id is an old one if there is such a row. Jobs take the best match instead.
 */
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
    HS_MODEL_COUNT
};

extern const char *const hs_model_kinds[HS_MODEL_COUNT];

struct hs_modelset {
    const char *path[HS_MODEL_COUNT]; /* "builtin:models/speed.json" unless given */
    struct hs_arena arena;
};

/* files: comma-separated, NULL or "" for the shipped ones; one of each kind, else an error. */
HS_MUST_USE enum hs_status hs_modelset_init(struct hs_modelset *set, const char *files,
                                            struct hs_diag *diag);
void hs_modelset_free(struct hs_modelset *set);
/* Opens a model file, checks kind and format; check->doc is to be closed by the caller with
 * hs_json_close whatever this returns (NULL is fine there). */
HS_MUST_USE enum hs_status hs_modelfile_open(struct hs_jsoncheck *check, const char *path,
                                             enum hs_model_kind kind, struct hs_diag *diag);
/* A text that must be there, copied to the arena; NULL after a fault. */
const char *hs_modelfile_name(struct hs_jsoncheck *check, struct hs_arena *arena,
                              const struct hs_json *object, const char *key);

/* A member that must be there, a number in [min, max]. */
struct hs_model_number {
    const char *key;
    double min, max;
    double *to;
};
/* Reads them all; nothing of NULL. */
void hs_modelfile_numbers(struct hs_jsoncheck *check, const struct hs_json *object,
                          const struct hs_model_number *numbers, uint32_t count);

#define HS_COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* The samples of a step; 0 where there is no such number. */
int64_t hs_batch_of(const char *text);
/* text without case, '-', '_' and blanks; false if it does not fit into size bytes. */
bool hs_profile_fold(const char *text, char *folded, size_t size);
/* The same model, dataset or GPU type? Compared folded. */
bool hs_model_same_name(const char *a, const char *b);

#define HS_Q20_ONE (UINT64_C(1) << 20)

/* The slowdown of a job of utilization u beside one of utilization v, S = 1 + k u^alpha v^beta
 * (configs/models/README.md), with both powers tabulated once for u = 0..1000 per mille. Slowdowns
 * are Q20 integers from then on: same bits on every machine, no pow() while the clock runs. The
 * truth and the predictor each hold their own. */
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
