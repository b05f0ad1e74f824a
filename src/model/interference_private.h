/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the truth holds after loading; for interference.c and interference_file.c alone.
 */
#ifndef HORUS_MODEL_INTERFERENCE_PRIVATE_H
#define HORUS_MODEL_INTERFERENCE_PRIVATE_H

#include "base/memory.h"
#include "base/rng.h"
#include "data/json.h"
#include "model/interference.h"

/* Fitted speeds are clipped here, S to 20: the largest slowdown in any public table is 11 (Gavel's
 * simulation file on the V100; 5.8 in its cleaner measurements, configs/models/README.md), and a
 * sum of linear effects may reach 0. No residual leads beyond. */
#define HS_SPEED_FLOOR 0.05

/* The flag and S of a pair share a word. */
#define HS_PAIR_MEASURED (UINT32_C(1) << 31)

#define HS_NOISE_BITS  11
#define HS_NOISE_STEPS (1u << HS_NOISE_BITS)

/* How wrong the truth about a pair may be (--interference-noise X): a residual, normal with X times
 * the hold-out RMSE of what answered, is added to the speed that a form or fit gives. It belongs to
 * the ordered pair of jobs and the GPU type: one draw of (seed, type, own, other), whatever the
 * order and number of queries. Jobs are told apart by their profile, those without one by
 * utilization.
 *
 * A measured speed has no residual: no public data state how repeatable each pair is. */
struct hs_pair_noise {
    /* Quantiles of the normal distribution in the middle of equal steps, up to 3.5; mean 0, mean
     * square 1. */
    double normals[HS_NOISE_STEPS];
    uint64_t *type_keys;    /* of the seed and the name of the type */
    uint64_t *profile_keys; /* of the name: a row more in the catalogue moves no draw */
    uint32_t profiles;
};

/* util_pm matters only without a profile. Keys of profiles are hashes, which are never so small. */
static inline uint64_t hs_pair_noise_key(const struct hs_pair_noise *noise, uint32_t profile,
                                         int32_t util_pm)
{
    return profile < noise->profiles ? noise->profile_keys[profile] : (uint32_t)util_pm;
}

/* S with a residual of that standard deviation of the speed, at least 1. A residual makes no job
 * slower than HS_SPEED_FLOOR. + * / alone and rounded once: the same bits everywhere. */
static inline uint64_t hs_pair_noise_move_q20(const struct hs_pair_noise *noise, uint32_t type,
                                              uint64_t own_key, uint64_t other_key, double sd,
                                              uint64_t slowdown_q20)
{
    const double one = (double)HS_Q20_ONE, floor_q20 = one / HS_SPEED_FLOOR;
    uint64_t word = hs_mix64(noise->type_keys[type] ^ own_key, other_key);
    double slowdown = (double)(int64_t)slowdown_q20;
    double slowest = slowdown > floor_q20 ? slowdown : floor_q20;
    /* (1 / S + residual) / (1 / S) in Q20; S of it is a speed of 1 */
    double gain = one + sd * noise->normals[word >> (64 - HS_NOISE_BITS)] * slowdown;
    gain = gain < slowdown ? gain : slowdown;
    if (gain * slowest <= slowdown * one)
        return (uint64_t)(int64_t)slowest;
    return (uint64_t)(int64_t)(slowdown * one / gain + 0.5);
}

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
    const struct hs_pair_noise *noise; /* NULL = none */
    double general_rmse;               /* on the type where it was fitted; NaN = not told */
    double general_sd;                 /* of its residuals; 0 = none */
    uint64_t const_q20;                /* (1 + X)^gamma */
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
