/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of interference.json while it is read: jobs as in the file, measured pairs, effects of
 * two models; before it becomes the dense table of a GPU type. Private to interference_*.c.
 */
#ifndef HORUS_MODEL_INTERFERENCE_DRAFT_H
#define HORUS_MODEL_INTERFERENCE_DRAFT_H

#include "base/intern.h"
#include "data/jsoncheck.h"
#include "model/pairform.h"
#include "model/profile.h"

#define HS_FACTOR_MAX 1000.0 /* a, b, S */

enum hs_tableform { HS_RANK_1, HS_TWO_WAY };

/* What a job's own speed, or that of the other, gains by the partner's utilization: a line, which
 * may have a bend at HS_CURVE_BEND. */
struct hs_curve {
    double value, slope, bend;
};
#define HS_CURVE_BEND 0.5

/* A job of a table; rank-1 has a in own.value, b in other.value. */
struct hs_tablejob {
    const char *profile;
    uint32_t row;   /* + 1; 0 = not in the catalogue */
    uint32_t model; /* id of its name, the first part of the profile */
    double util;
    struct hs_curve own, other;
};

/* A table while it is read; jobs as in the file. */
struct hs_tabledraft {
    enum hs_tableform form;
    uint32_t count, known;
    struct hs_tablejob *entries;
    uint32_t *measured; /* [own x count + other] S in Q20, 0 = not measured */
    struct hs_intern models;
    double *effects; /* on the speed, [own model x count + other model] */
};

/* S, at least 1, in Q20. */
static inline uint32_t hs_slowdown_quantise_q20(double slowdown)
{
    return (uint32_t)((slowdown > 1.0 ? slowdown : 1.0) * (double)HS_Q20_ONE + 0.5);
}

/* Reads "jobs", "pairs" and "model_pairs" of a table whose form is known and whose arrays have room
 * for count jobs; faults go to the check. */
void hs_tabledraft_read(struct hs_tabledraft *draft, struct hs_jsoncheck *check,
                        const struct hs_catalogue *catalogue, const struct hs_json *table);

#endif
