/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How wrong the truth about a pair may be (--interference-noise X): a residual, normal with X times
 * the hold-out RMSE of what answered, is added to the speed that a form or fit gives. It belongs to
 * the ordered pair of jobs and the GPU type: one draw of (seed, type, own, other), whoever asks,
 * whenever, how often. Jobs are told apart by their profile, those without one by utilization.
 *
 *     noise = hs_pair_noise_make(&arena, seed, &catalogue, gpu_types, type_count);
 *     own_key = hs_pair_noise_key(noise, tenants[0].profile, tenants[0].util_pm); ...
 *     s_q20 = hs_pair_noise_move_q20(noise, type, own_key, other_key, sd, s_q20);
 *
 * What was measured has no residual: no public campaign tells how repeatable each pair is. Private
 * to interference*.c.
 */
#ifndef HORUS_MODEL_INTERFERENCE_NOISE_H
#define HORUS_MODEL_INTERFERENCE_NOISE_H

#include "base/memory.h"
#include "base/rng.h"
#include "horus/compiler.h"
#include "model/pairform.h"
#include "model/profile.h"

/* Fitted speeds are clipped here, S to 20: the largest slowdown in any public table is 11 (Gavel's
 * simulation file on the V100; 5.8 in its cleaner campaign, calibration.md 3 and 6), and a sum of
 * linear effects may reach 0. No residual leads beyond. */
#define HS_SPEED_FLOOR 0.05

#define HS_NOISE_BITS  11
#define HS_NOISE_STEPS (1u << HS_NOISE_BITS)

struct hs_pair_noise {
    /* Quantiles of the normal distribution in the middle of equal steps, up to 3.5; mean 0, mean
     * square 1. */
    double normals[HS_NOISE_STEPS];
    uint64_t *type_keys;    /* of the seed and the name of the type */
    uint64_t *profile_keys; /* of the name: a row more in the catalogue moves no draw */
    uint32_t profiles;
};

/* NULL when out of memory. */
struct hs_pair_noise *hs_pair_noise_make(struct hs_arena *arena, uint64_t seed,
                                         const struct hs_catalogue *catalogue,
                                         const char *const *gpu_types, uint32_t type_count);

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

#endif
