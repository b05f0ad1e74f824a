/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pair costs two loads of row numbers and one of a cell, or two tabulated powers. Slowdowns of
 * sets are sums of integers.
 *
 * gamma (speed^gamma) is applied to each pair before pairs are combined, so that for any number of
 * tenants it models a GPU on which every measured pair would have been slower. Noise is applied
 * before gamma: its errors are those of slowdowns as measured.
 */
#include "model/interference_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "base/io.h"
#include "base/rng.h"

#define SLOWDOWN_MAX 1000.0 /* slower is no progress; keeps cells within 30 bits */
#define EXCESS_MAX   100.0
#define GAMMA_MAX    10.0
#define FULL_PM      1000

#define NOISE_BITS  11
#define NOISE_STEPS (1u << NOISE_BITS)
#define NOISE_HALF  (NOISE_STEPS / 2)

/* Error of the truth about a pair (--interference-noise X): a residual, normal with X times the
 * hold-out RMSE of the source, is added to the speed that a form or fit gives. It belongs to the
 * ordered pair of jobs and the GPU type: one draw of (seed, type, own, other), independent of order
 * and number of queries. Jobs are identified by profile, or without one by utilization.
 *
 * A measured speed has no residual: no public data state the repeatability of each pair. */
struct pair_noise {
    /* Normal quantiles at the middle of equal steps, up to 3.5; mean 0, mean square 1. */
    double normals[NOISE_STEPS];
    uint64_t *type_keys;    /* of the seed and the name of the type */
    uint64_t *profile_keys; /* of the name: adding a catalogue row changes no draw */
    uint32_t profiles;
};

const char *const hs_slowdown_sources[] = {
    [HS_SLOWDOWN_ALONE] = "alone",       [HS_SLOWDOWN_MEASURED] = "measured",
    [HS_SLOWDOWN_FITTED] = "fitted",     [HS_SLOWDOWN_GENERAL] = "general",
    [HS_SLOWDOWN_MODELLED] = "modelled", [HS_SLOWDOWN_ASSUMED] = "assumed",
};

enum hs_status hs_interference_parse(const char *text, struct hs_interference_options *options,
                                     struct hs_diag *diag)
{
    static const char *const names[] = {
        [HS_INTERFERENCE_MEASURED] = "measured+fit",
        [HS_INTERFERENCE_FIT] = "fit",
        [HS_INTERFERENCE_CONST] = "const",
        [HS_INTERFERENCE_NONE] = "none",
    };
    static const size_t count = HS_COUNT_OF(names);
    if (strncmp(text, "const", 5) == 0 && (text[5] == ':' || text[5] == '\0')) {
        double excess;
        text += 5 + (text[5] == ':');
        if (!hs_parse_double(text, strlen(text), &excess) || !(excess >= 0 && excess <= EXCESS_MAX))
            return hs_fail(diag, HS_E_USAGE, NULL,
                           "const:0.2 makes every job run 1.2 times as long beside another",
                           "interference const:X needs a number 0..%g, not '%s'", EXCESS_MAX, text);
        options->mode = HS_INTERFERENCE_CONST;
        options->excess = excess;
        return HS_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(text, names[i]) != 0)
            continue;
        options->mode = (enum hs_interference_mode)i;
        options->excess = 0;
        return HS_OK;
    }
    char hint[HS_HINT_SIZE];
    return hs_fail(
        diag, HS_E_USAGE, NULL,
        hs_did_you_mean(hint, text, names, count, "one of measured+fit, fit, const:X, none"),
        "unknown interference '%s'", text);
}

enum hs_status hs_capacity_parse(const char *text, double *capacity, struct hs_diag *diag)
{
    *capacity = strcmp(text, "none") == 0 ? (double)INFINITY : 0;
    if (*capacity > 0 || strcmp(text, "auto") == 0 ||
        (hs_parse_double(text, strlen(text), capacity) && *capacity >= HS_CAPACITY_MIN &&
         *capacity <= HS_CAPACITY_MAX))
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, "1: the tenants of a GPU share the time of one GPU",
                   "a sharing capacity is auto, none or a number %g..%g, not '%s'", HS_CAPACITY_MIN,
                   HS_CAPACITY_MAX, text);
}

/* ---- noise ---- */

/* Distribution and keys are tabulated: a residual costs a few nanoseconds. */
static struct pair_noise *noise_make(struct hs_arena *arena, uint64_t seed,
                                     const struct hs_catalogue *catalogue,
                                     const struct hs_interference_type *types, uint32_t type_count)
{
    struct pair_noise *noise = hs_arena_alloc(arena, sizeof *noise);
    const uint64_t stream = hs_seed_of(seed, "interference-noise");
    double *normals = noise->normals, squares = 0;
    noise->type_keys = hs_arena_alloc(arena, type_count * sizeof *noise->type_keys);
    noise->profile_keys = hs_arena_alloc(arena, catalogue->count * sizeof *noise->profile_keys);
    noise->profiles = catalogue->count;
    for (uint32_t i = NOISE_HALF; i < NOISE_STEPS; i++) {
        normals[i] = hs_normal_quantile((i + 0.5) / NOISE_STEPS);
        squares += normals[i] * normals[i];
    }
    /* compensates for the truncated tail; rounding removes libm's last bit */
    double scale = sqrt(NOISE_HALF / squares) * (double)HS_Q20_ONE;
    for (uint32_t i = NOISE_HALF; i < NOISE_STEPS; i++) {
        normals[i] = rint(normals[i] * scale) / (double)HS_Q20_ONE;
        normals[NOISE_STEPS - 1 - i] = -normals[i];
    }
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const char *name = catalogue->profiles[i].key;
        noise->profile_keys[i] = hs_hash_of(name, strlen(name));
    }
    for (uint32_t t = 0; t < type_count; t++) {
        uint32_t first = 0; /* different spellings are one type */
        while (!hs_model_same_name(types[first].gpu, types[t].gpu))
            first++;
        noise->type_keys[t] =
            hs_mix64(stream, hs_hash_of(types[first].gpu, strlen(types[first].gpu)));
    }
    return noise;
}

/* util_pm is used only without a profile. Keys of profiles are hashes, which are never so small. */
static uint64_t noise_key(const struct pair_noise *noise, uint32_t profile, int32_t util_pm)
{
    return profile < noise->profiles ? noise->profile_keys[profile] : (uint32_t)util_pm;
}

/* ---- pairs ---- */

/* S^gamma in Q20; at most 1000. */
static uint64_t raise_q20(uint64_t slowdown_q20, double gamma)
{
    double raised = pow((double)slowdown_q20 / (double)HS_Q20_ONE, gamma);
    return (uint64_t)((raised < SLOWDOWN_MAX ? raised : SLOWDOWN_MAX) * (double)HS_Q20_ONE + 0.5);
}

static uint32_t row_of(const struct pair_table *table, uint32_t profile)
{
    return profile < table->profiles ? table->rows[profile] : 0;
}

uint64_t hs_pair_alter_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                           struct hs_tenant other, double sd, uint64_t slowdown_q20)
{
    const struct pair_noise *noise = m->noise;
    if (noise != NULL && own.util_pm != 0) { /* an idle job is not slowed */
        /* S is at least 1, and no job becomes slower than HS_SPEED_FLOOR. Uses only + * / and one
         * rounding: the same bits everywhere. */
        const double one = (double)HS_Q20_ONE, floor_q20 = one / HS_SPEED_FLOOR;
        const uint64_t own_key = noise_key(noise, own.profile, own.util_pm),
                       other_key = noise_key(noise, other.profile, other.util_pm),
                       word = hs_mix64(noise->type_keys[type] ^ own_key, other_key);
        const double slowdown = (double)(int64_t)slowdown_q20;
        const double slowest = slowdown > floor_q20 ? slowdown : floor_q20;
        /* (1 / S + residual) / (1 / S) in Q20; if it equals S, the speed is 1 */
        double gain = one + sd * noise->normals[word >> (64 - NOISE_BITS)] * slowdown;
        gain = gain < slowdown ? gain : slowdown;
        slowdown_q20 = gain * slowest <= slowdown * one
                           ? (uint64_t)(int64_t)slowest
                           : (uint64_t)(int64_t)(slowdown * one / gain + 0.5);
    }
    return m->has_gamma ? raise_q20(slowdown_q20, m->options.gamma) : slowdown_q20;
}

/* Per mille, when alone; unknown counts as full. */
static int32_t tenant_util_pm(const struct hs_tenant *t)
{
    return t->util_pm < 0 || t->util_pm > FULL_PM ? FULL_PM : t->util_pm;
}

static uint64_t pair_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                         struct hs_tenant other, enum hs_slowdown_source *source)
{
    const struct pair_table *table = m->types[type].table;
    uint32_t own_row = table != NULL ? row_of(table, own.profile) : 0;
    uint32_t other_row = table != NULL ? row_of(table, other.profile) : 0;
    if (own_row != 0 && other_row != 0) {
        uint32_t cell = table->cells[(own_row - 1) * table->jobs + other_row - 1];
        *source = cell & HS_PAIR_MEASURED ? HS_SLOWDOWN_MEASURED : HS_SLOWDOWN_FITTED;
        return cell & ~HS_PAIR_MEASURED;
    }
    const struct pair_form *form = m->types[type].form;
    if (form == NULL) {
        *source = HS_SLOWDOWN_ASSUMED;
        return HS_Q20_ONE;
    }
    *source = HS_SLOWDOWN_GENERAL;
    uint64_t slowdown_q20 = HS_Q20_ONE + hs_pairform_excess_q20(&form->form, tenant_util_pm(&own),
                                                                tenant_util_pm(&other));
    return HS_UNLIKELY(m->noise != NULL || m->has_gamma)
               ? hs_pair_alter_q20(m, type, own, other, m->types[type].noise_sd, slowdown_q20)
               : slowdown_q20;
}

/* ---- the form, for any number of tenants ---- */

/* Tells whether both are in one group, whose jobs take turns. */
static bool is_same_turn(const struct hs_tenant *a, const struct hs_tenant *b)
{
    return a->turn_group != 0 && a->turn_group == b->turn_group;
}

/* Tells whether they also have their turn together. */
static bool is_same_set(const struct hs_tenant *a, const struct hs_tenant *b)
{
    return is_same_turn(a, b) && a->turn_set != 0 && a->turn_set == b->turn_set;
}

static bool is_slowed_by(const struct hs_tenant *own, const struct hs_tenant *other)
{
    if (own == other || other->util_pm == 0 || (other->yields && !own->yields))
        return false;
    return !is_same_turn(own, other) || (own->turn_set != 0 && own->turn_set == other->turn_set);
}

static uint64_t share_q32(const struct hs_tenant *t)
{
    return HS_Q32_ONE - t->away_q32;
}

static uint64_t duty_q32(const struct hs_tenant *t)
{
    return HS_Q32_ONE - t->rest_q32;
}

uint64_t hs_interference_slowdown_q20(const struct hs_interference *m, uint32_t type,
                                      const struct hs_tenant *tenants, uint32_t count,
                                      uint32_t self, enum hs_slowdown_source *source)
{
    assert(type < m->type_count && self < count);
    const struct hs_tenant *own = &tenants[self];
    enum hs_slowdown_source found = HS_SLOWDOWN_ALONE;
    uint64_t excess_q20 = 0, present_q32 = 0;
    uint32_t others = 0;
    for (const struct hs_tenant *other = tenants; other < tenants + count; other++) {
        if (!is_slowed_by(own, other))
            continue;
        /* fraction of this tenant's time in which the other runs */
        const uint64_t present = is_same_turn(own, other)
                                     ? duty_q32(other)
                                     : hs_q32_mul(share_q32(other), duty_q32(other));
        others++;
        present_q32 += present;
        if (!m->is_flat)
            excess_q20 += hs_q32_mul(pair_q20(m, type, *own, *other, &found) - HS_Q20_ONE, present);
    }
    if (m->is_flat && others > 0) {
        found = HS_SLOWDOWN_ASSUMED;
        excess_q20 = hs_q32_mul(m->const_q20 - HS_Q20_ONE,
                                present_q32 < HS_Q32_ONE ? present_q32 : HS_Q32_ONE);
    } else if (others > 1 && found != HS_SLOWDOWN_ASSUMED) {
        found = HS_SLOWDOWN_MODELLED;
    }
    if (source != NULL)
        *source = found;
    return HS_Q20_ONE + excess_q20;
}

/* ---- the cap ---- */

#define UNMET UINT64_MAX

/* Claims of at most weight x left / sum of weights are met, repeatedly, until there are none. */
void hs_share_fairly(struct hs_fair_share *shares, uint32_t count, uint64_t capacity_q32)
{
    uint64_t wanted = 0, weight = 0, left = capacity_q32, met = 1;
    for (uint32_t i = 0; i < count; i++) {
        wanted += shares[i].demand_q32;
        weight += shares[i].weight_q32;
        shares[i].given_q32 = UNMET;
    }
    if (wanted <= capacity_q32) {
        for (uint32_t i = 0; i < count; i++)
            shares[i].given_q32 = shares[i].demand_q32;
        return;
    }
    while (met > 0) {
        const uint64_t left_before = left, weight_before = weight;
        met = 0;
        for (struct hs_fair_share *s = shares; s < shares + count; s++) {
            if (s->given_q32 != UNMET ||
                (hs_u128)s->demand_q32 * weight_before > (hs_u128)s->weight_q32 * left_before)
                continue;
            s->given_q32 = s->demand_q32;
            left -= s->demand_q32;
            weight -= s->weight_q32;
            met++;
        }
    }
    for (struct hs_fair_share *s = shares; s < shares + count; s++)
        if (s->given_q32 == UNMET)
            s->given_q32 = (uint64_t)(((hs_u128)s->weight_q32 * left + weight - 1) / weight);
}

uint64_t hs_interference_capacity_q32(const struct hs_interference *m, uint32_t type,
                                      uint32_t units)
{
    assert(type < m->type_count && units >= 2);
    const struct pair_form *form = m->types[type].capacity;
    if (m->capacity_q32 != 0)
        return m->capacity_q32;
    if (form == NULL)
        return HS_Q32_ONE; /* the time of one GPU */
    return form->capacity_q32[units - 2 < form->capacities ? units - 2 : form->capacities - 1];
}

/* Counts jobs, and groups of jobs that take turns, as one claim on the GPU's time each; with a set,
 * its jobs during their turn. Stops where capacities no longer depend on it. */
static uint32_t count_units(const struct hs_tenant *tenants, uint32_t count,
                            const struct hs_tenant *set)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < count && units < HS_CAPACITIES_MAX + 1; i++) {
        uint32_t before = 0;
        if (set != NULL) {
            units += is_same_set(set, &tenants[i]);
            continue;
        }
        while (before < i && !is_same_turn(&tenants[before], &tenants[i]))
            before++;
        units += before == i;
    }
    return units;
}

/* Job's GPU time at full speed relative to the GPU's time, or to its turn, Q32. */
static uint64_t need_q32(const struct hs_tenant *t, bool is_of_turn)
{
    const uint64_t part_q32 = is_of_turn ? duty_q32(t) : hs_q32_mul(share_q32(t), duty_q32(t));
    return part_q32 * (uint64_t)tenant_util_pm(t) / FULL_PM;
}

/* Slows those of a set, or all (NULL), that together need more GPU time than there is. */
static void limit_speeds(const struct hs_interference *m, uint32_t type,
                         const struct hs_tenant *tenants, uint32_t count,
                         const struct hs_tenant *set, struct hs_fair_share *shares)
{
    const uint32_t units = count_units(tenants, count, set);
    if (units < 2)
        return;
    const bool is_parted = m->types[type].type.mode == HS_SHARING_MIG;
    const uint64_t capacity_q32 = hs_interference_capacity_q32(m, type, units);
    if (capacity_q32 == UINT64_MAX)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_tenant *t = &tenants[i];
        const bool is_in = set == NULL || is_same_set(set, t);
        shares[i].demand_q32 =
            is_in ? hs_q32_mul(need_q32(t, set != NULL), shares[i].speed_q32) : 0;
        shares[i].weight_q32 = !is_in ? 0 : set != NULL ? HS_Q32_ONE : share_q32(t);
        if (is_parted) /* one part's idle time is not available to the others */
            hs_share_fairly(&shares[i], 1, hs_q32_mul(shares[i].weight_q32, capacity_q32 / units));
    }
    if (!is_parted)
        hs_share_fairly(shares, count, capacity_q32);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t need = need_q32(&tenants[i], set != NULL);
        if (shares[i].given_q32 < shares[i].demand_q32)
            shares[i].speed_q32 =
                (uint64_t)((((hs_u128)shares[i].given_q32 << 32) + need - 1) / need);
    }
}

void hs_interference_speeds(const struct hs_interference *m, uint32_t type,
                            const struct hs_tenant *tenants, uint32_t count,
                            struct hs_fair_share *shares)
{
    const bool is_parted = m->types[type].type.mode == HS_SHARING_MIG;
    for (uint32_t i = 0; i < count; i++)
        shares[i].speed_q32 =
            is_parted ? HS_Q32_ONE
                      : (UINT64_C(1) << 52) /
                            hs_interference_slowdown_q20(m, type, tenants, count, i, NULL);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0;
        while (before < i && !is_same_set(&tenants[before], &tenants[i]))
            before++;
        if (before == i && tenants[i].turn_set != 0)
            limit_speeds(m, type, tenants, count, &tenants[i], shares);
    }
    limit_speeds(m, type, tenants, count, NULL, shares);
}

double hs_interference_error(const struct hs_interference *m, uint32_t type,
                             enum hs_slowdown_source source)
{
    assert(type < m->type_count);
    const struct pair_source *t = &m->types[type];
    if (source == HS_SLOWDOWN_FITTED && t->table != NULL)
        return t->table->error;
    if (source == HS_SLOWDOWN_GENERAL)
        return t->error;
    return NAN;
}

bool hs_interference_is_unstated(const struct hs_interference *m, uint32_t type,
                                 enum hs_slowdown_source source)
{
    const struct pair_source *t = &m->types[type];
    return source == HS_SLOWDOWN_GENERAL ? t->form != NULL && t->form->is_unstated
                                         : t->table != NULL && t->table->is_unstated;
}

double hs_interference_noise_rmse(const struct hs_interference *m, uint32_t type,
                                  enum hs_slowdown_source source)
{
    const double error = hs_interference_error(m, type, source);
    const struct pair_form *form = m->types[type].form;
    return isnan(error) && source == HS_SLOWDOWN_GENERAL && form != NULL ? form->error : error;
}

const char *hs_interference_form_gpu(const struct hs_interference *m, uint32_t type)
{
    return m->types[type].form != NULL ? m->types[type].form->gpu : NULL;
}

uint64_t hs_capacity_q32(double capacity)
{
    return (uint64_t)ceil(capacity * (double)HS_Q32_ONE);
}

enum hs_status hs_interference_load(struct hs_interference **out, const char *path,
                                    const struct hs_catalogue *catalogue,
                                    const struct hs_interference_options *options,
                                    const struct hs_interference_type *types, uint32_t type_count,
                                    struct hs_diag *diag)
{
    assert(options->gamma >= 0 && options->gamma <= GAMMA_MAX && options->noise >= 0);
    struct hs_interference *m = hs_alloc_zeroed(1, sizeof *m);
    m->options = *options;
    m->is_flat = options->mode == HS_INTERFERENCE_CONST || options->mode == HS_INTERFERENCE_NONE;
    m->has_gamma = options->gamma != 1.0;
    m->const_q20 = HS_Q20_ONE;
    if (options->mode == HS_INTERFERENCE_CONST)
        m->const_q20 = raise_q20(
            HS_Q20_ONE + (uint64_t)(options->excess * (double)HS_Q20_ONE + 0.5), options->gamma);
    if (options->capacity > 0)
        m->capacity_q32 =
            isinf(options->capacity) ? UINT64_MAX : hs_capacity_q32(options->capacity);
    m->type_count = type_count;
    m->types = hs_arena_alloc(&m->arena, type_count * sizeof *m->types);
    for (uint32_t t = 0; t < type_count; t++)
        m->types[t] = (struct pair_source){.type = types[t], .error = NAN};
    if (options->noise > 0 && !m->is_flat)
        m->noise = noise_make(&m->arena, options->seed, catalogue, types, type_count);
    enum hs_status status = m->is_flat ? HS_OK : hs_interference_read(m, path, catalogue, diag);
    for (uint32_t t = 0; t < type_count; t++) {
        const double rmse = hs_interference_noise_rmse(m, t, HS_SLOWDOWN_GENERAL);
        m->types[t].noise_sd = isnan(rmse) ? 0 : options->noise * rmse;
    }
    *out = status == HS_OK ? m : NULL;
    if (status != HS_OK)
        hs_interference_free(m);
    return status;
}

void hs_interference_free(struct hs_interference *m)
{
    if (m == NULL)
        return;
    hs_arena_free(&m->arena);
    hs_free(m);
}
