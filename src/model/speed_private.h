/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the speed tables hold after loading, and the model file while it is read; for speed.c and
 * speed_file.c alone.
 */
#ifndef HORUS_MODEL_SPEED_PRIVATE_H
#define HORUS_MODEL_SPEED_PRIVATE_H

#include "base/memory.h"
#include "data/jsoncheck.h"
#include "model/speed.h"

#define HS_SPEED_SIZES 16u /* gang sizes of a curve */

/* A figure by gang size, ascending; Q32. */
struct hs_speed_curve {
    uint32_t count;
    uint32_t gpus[HS_SPEED_SIZES];
    uint64_t value_q32[HS_SPEED_SIZES];
};

/* ---- the file ---- */

/* A job's speeds by type of the file, relative to the file's reference; 0 = not known. */
struct hs_speed_job {
    const char *profile, *model, *dataset, *batch, *precision;
    const double *speed;
};

struct hs_speed_family {
    const char *name;
    const double *speed;
};

struct hs_speed_scaling {
    const char *family;
    uint32_t type; /* of the file */
    struct hs_speed_curve curve;
};

/* Hold-out error of a fallback from one type of the file to another. */
struct hs_speed_holdout {
    enum hs_speed_source fallback;
    uint32_t type, reference;
    double mape;
};

struct hs_speed_file {
    const char *types[HS_GPU_TYPES_MAX];
    struct hs_speed_job *jobs;
    struct hs_speed_family *families;
    struct hs_speed_scaling *scaling, *spread;
    struct hs_speed_holdout *holdout;
    uint32_t type_count, job_count, family_count, scaling_count, spread_count, holdout_count;
    struct hs_arena arena;
};

/* Index of a type by name; UINT32_MAX if the file does not know it. */
uint32_t hs_speed_file_type(const struct hs_speed_file *file, const char *name);
/* Reads and checks the whole file. To be freed with its arena whatever this returns. */
HS_MUST_USE enum hs_status hs_speed_file_read(struct hs_speed_file *file, const char *path,
                                              struct hs_diag *diag);

#endif
