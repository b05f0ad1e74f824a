/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the truth holds after loading; for interference.c and interference_load.c alone.
 */
#ifndef HORUS_MODEL_INTERFERENCE_PRIVATE_H
#define HORUS_MODEL_INTERFERENCE_PRIVATE_H

#include "base/memory.h"
#include "data/jsoncheck.h"
#include "model/interference.h"
#include "model/interference_noise.h"

/* The flag and S of a pair share a word. */
#define HS_PAIR_MEASURED (UINT32_C(1) << 31)

/* Ordered pairs of the jobs profiled on one GPU type, S^gamma in Q20. */
struct hs_pair_table {
    uint32_t jobs;
    uint32_t profiles;     /* of the catalogue */
    const uint16_t *rows;  /* by profile; row + 1, 0 = not in the table */
    const uint32_t *cells; /* [own row x jobs + other row] */
    double error;          /* hold-out RMSE of the speed; NaN = not told */
};

/* One GPU type of the cluster. */
struct hs_pair_source {
    const struct hs_pair_table *table; /* NULL = none */
    double general_error;              /* NaN unless the general form was fitted on this type */
};

struct hs_interference {
    struct hs_interference_options options;
    bool has_general, has_gamma;
    bool is_altered; /* gamma or noise: what the general form says is not the last word */
    struct hs_pairform general;
    struct hs_pair_noise *noise; /* NULL = none */
    double general_rmse;         /* on the type where it was fitted; NaN = not told */
    double general_sd;           /* of its residuals; 0 = none */
    uint64_t const_q20;          /* (1 + X)^gamma */
    struct hs_pair_source *types;
    uint32_t type_count;
    struct hs_arena arena;
};

/* S^gamma in Q20; at most 1000. */
uint64_t hs_slowdown_raise_q20(uint64_t slowdown_q20, double gamma);

/* Fills general and types from the model file; faults go to the check. */
void hs_interference_read(struct hs_interference *m, struct hs_jsoncheck *check,
                          const struct hs_catalogue *catalogue, const char *const *gpu_types);

#endif
