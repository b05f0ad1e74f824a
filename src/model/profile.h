/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profile catalogue (configs/profiles.csv): what is known of one training configuration, a
 * (model, dataset, batch, precision), measured alone on one GPU. Read-only after loading; profiles
 * keep the order of the file, and their index is the id that jobs and model tables carry.
 *
 *     HS_TRY(hs_catalogue_load(&catalogue, "builtin:profiles.csv", diag));
 *     uint32_t id = hs_catalogue_match(&catalogue, "resnet-18", NULL, "64", "amp", &match);
 *     if (id != HS_NO_PROFILE) use(catalogue.profiles[id].util_pm);
 */
#ifndef HORUS_MODEL_PROFILE_H
#define HORUS_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/intern.h"
#include "base/memory.h"
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
    int32_t skew_pm;             /* share of the largest parameter tensor in all; -1 = unknown */
    double step_ms;              /* one mini-batch alone; NaN = unknown */
    double host_ms;              /* of that, data loading and CPU work; NaN = unknown */
    double cpus;                 /* cores per GPU; NaN = unknown */
    double features[HS_FEATURE_COUNT];
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
 * type, and no figures; *id is an old one if there is such a row. For questions about it: a job of
 * a trace takes the row that matches best. */
HS_MUST_USE enum hs_status hs_catalogue_add(struct hs_catalogue *catalogue, uint32_t like,
                                            const char *batch, const char *precision, uint32_t *id,
                                            struct hs_diag *diag);
void hs_catalogue_free(struct hs_catalogue *catalogue);

#define HS_PROFILE_KEY_MAX 512u

#endif
