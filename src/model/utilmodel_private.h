/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fitted predictor as loaded; for utilmodel.c and utilmodel_load.c alone.
 */
#ifndef HORUS_MODEL_UTILMODEL_PRIVATE_H
#define HORUS_MODEL_UTILMODEL_PRIVATE_H

#include "base/memory.h"
#include "model/utilmodel.h"

struct hs_utilmodel_entry {
    const char *model, *dataset;
    uint32_t configs; /* measured */
    struct hs_utilmate mate;
};

struct hs_utilmodel {
    struct hs_arena arena;
    const char *gpu;
    struct hs_utilform form;
    double shift_per_ln_batch, shift_amp;
    struct hs_utilmodel_entry *entries;
    uint32_t count;
    double error[HS_UTIL_BASIS_COUNT]; /* NaN = not told */
};

#endif
