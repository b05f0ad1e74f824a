/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tabulates the normal distribution and the keys of profiles and GPU types, so that a residual
 * costs a few nanoseconds.
 */
#include "model/interference_noise.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/tquantile.h"
#include "model/modelfile.h"

#define HALF (HS_NOISE_STEPS / 2)

static void fill_normals(double normals[HS_NOISE_STEPS])
{
    double squares = 0;
    for (uint32_t i = HALF; i < HS_NOISE_STEPS; i++) {
        normals[i] = hs_normal_quantile((i + 0.5) / HS_NOISE_STEPS);
        squares += normals[i] * normals[i];
    }
    /* what lies beyond the last step is made up for; rounding takes libm's last bit away */
    double scale = sqrt(HALF / squares) * (double)HS_Q20_ONE;
    for (uint32_t i = HALF; i < HS_NOISE_STEPS; i++) {
        normals[i] = rint(normals[i] * scale) / (double)HS_Q20_ONE;
        normals[HS_NOISE_STEPS - 1 - i] = -normals[i];
    }
}

struct hs_pair_noise *hs_pair_noise_make(struct hs_arena *arena, uint64_t seed,
                                         const struct hs_catalogue *catalogue,
                                         const char *const *gpu_types, uint32_t type_count)
{
    struct hs_pair_noise *noise = hs_arena_alloc(arena, sizeof *noise);
    uint64_t *profiles = hs_arena_alloc(arena, (uint64_t)catalogue->count * sizeof *profiles);
    uint64_t *types = hs_arena_alloc(arena, (uint64_t)type_count * sizeof *types);
    if (noise == NULL || profiles == NULL || types == NULL)
        return NULL;
    fill_normals(noise->normals);
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const char *name = catalogue->profiles[i].key;
        profiles[i] = hs_hash_of(name, strlen(name));
    }
    uint64_t stream = hs_seed_of(seed, "interference-noise");
    for (uint32_t t = 0; t < type_count; t++) {
        uint32_t first = 0; /* types of one name, however spelled, are one */
        while (!hs_model_same_name(gpu_types[first], gpu_types[t]))
            first++;
        types[t] = hs_mix64(stream, hs_hash_of(gpu_types[first], strlen(gpu_types[first])));
    }
    noise->type_keys = types;
    noise->profile_keys = profiles;
    noise->profiles = catalogue->count;
    return noise;
}
