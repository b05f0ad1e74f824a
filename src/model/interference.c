/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pair is two loads of row numbers and one of a cell, or two tabulated powers. Sets are made of
 * pairs: sums of integers (additive), or the recursion of mean value analysis over the subsets of
 * the co-runners in doubles, with + - * / alone, rounded once at the end: the same bits everywhere.
 *
 * gamma (speed^gamma) raises each pair before sets are made of pairs, so that
 * it means the same physics, a GPU on which every measured pair would have been worse, whatever the
 * number of tenants. Noise comes before gamma: its errors are those of slowdowns as measured.
 */
#include "model/interference.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "base/io.h"
#include "base/fmt.h"
#include "model/interference_private.h"
#include "model/modelfile.h"

#define SLOWDOWN_MAX 1000.0 /* slower is standing still; keeps cells within 30 bits */
#define EXCESS_MAX   100.0
#define GAMMA_MAX    10.0
#define OTHERS_MAX   (HS_QUEUEING_TENANTS - 1)
#define FULL_PM      1000
#define NOISE_HALF   (HS_NOISE_STEPS / 2)

const char *hs_slowdown_source_text(enum hs_slowdown_source source)
{
    static const char *const texts[] = {
        [HS_SLOWDOWN_ALONE] = "alone",       [HS_SLOWDOWN_MEASURED] = "measured",
        [HS_SLOWDOWN_FITTED] = "fitted",     [HS_SLOWDOWN_GENERAL] = "general",
        [HS_SLOWDOWN_MODELLED] = "modelled", [HS_SLOWDOWN_ASSUMED] = "assumed",
    };
    return texts[source];
}

/* ---- options ---- */

static enum hs_status parse_const(const char *text, struct hs_interference_options *options,
                                  struct hs_diag *diag)
{
    double excess;
    if (!hs_parse_double(text, strlen(text), &excess) || !(excess >= 0 && excess <= EXCESS_MAX))
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "const:0.2 makes every job run 1.2 times as long beside another",
                       "interference const:X needs a number 0..%g, not '%s'", EXCESS_MAX, text);
    options->mode = HS_INTERFERENCE_CONST;
    options->excess = excess;
    return HS_OK;
}

enum hs_status hs_interference_parse(const char *text, struct hs_interference_options *options,
                                     struct hs_diag *diag)
{
    static const char *const names[] = {
        [HS_INTERFERENCE_MEASURED] = "measured+fit",
        [HS_INTERFERENCE_FIT] = "fit",
        [HS_INTERFERENCE_CONST] = "const",
        [HS_INTERFERENCE_NONE] = "none",
    };
    static const size_t count = sizeof names / sizeof names[0];
    if (strncmp(text, "const", 5) == 0 && (text[5] == ':' || text[5] == '\0'))
        return parse_const(text + 5 + (text[5] == ':'), options, diag);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(text, names[i]) != 0)
            continue;
        options->mode = (enum hs_interference_mode)i;
        options->excess = 0;
        return HS_OK;
    }
    char hint[64] = "one of measured+fit, fit, const:X, none";
    const char *nearest = hs_nearest(text, names, count);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "unknown interference '%s'", text);
}

/* A constant slowdown beside any co-runner: no model file is needed. */
static bool is_flat(const struct hs_interference *m)
{
    return m->options.mode == HS_INTERFERENCE_CONST || m->options.mode == HS_INTERFERENCE_NONE;
}

/* ---- noise ---- */

/* The normal distribution and the keys of profiles and GPU types are tabulated, so that a residual
 * costs a few nanoseconds. */
static void fill_normals(double normals[HS_NOISE_STEPS])
{
    double squares = 0;
    for (uint32_t i = NOISE_HALF; i < HS_NOISE_STEPS; i++) {
        normals[i] = hs_normal_quantile((i + 0.5) / HS_NOISE_STEPS);
        squares += normals[i] * normals[i];
    }
    /* what lies beyond the last step is made up for; rounding takes libm's last bit away */
    double scale = sqrt(NOISE_HALF / squares) * (double)HS_Q20_ONE;
    for (uint32_t i = NOISE_HALF; i < HS_NOISE_STEPS; i++) {
        normals[i] = rint(normals[i] * scale) / (double)HS_Q20_ONE;
        normals[HS_NOISE_STEPS - 1 - i] = -normals[i];
    }
}

static struct hs_pair_noise *noise_make(struct hs_arena *arena, uint64_t seed,
                                        const struct hs_catalogue *catalogue,
                                        const char *const *gpu_types, uint32_t type_count)
{
    struct hs_pair_noise *noise = hs_arena_alloc(arena, sizeof *noise);
    uint64_t *profiles = hs_arena_alloc(arena, (uint64_t)catalogue->count * sizeof *profiles);
    uint64_t *types = hs_arena_alloc(arena, (uint64_t)type_count * sizeof *types);
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

/* ---- pairs ---- */

uint64_t hs_slowdown_raise_q20(uint64_t slowdown_q20, double gamma)
{
    double raised = pow((double)slowdown_q20 / (double)HS_Q20_ONE, gamma);
    return (uint64_t)((raised < SLOWDOWN_MAX ? raised : SLOWDOWN_MAX) * (double)HS_Q20_ONE + 0.5);
}

/* Row of a job + 1, 0 = not in the table. */
static uint32_t row_of(const struct hs_pair_table *table, uint32_t profile)
{
    return profile < table->profiles ? table->rows[profile] : 0;
}

/* A slowdown of the general form, with noise, then raised. */
static uint64_t alter_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                          struct hs_tenant other, uint64_t slowdown_q20)
{
    const struct hs_pair_noise *noise = m->noise;
    if (noise != NULL && own.util_pm > 0) /* an idle job is not slowed */
        slowdown_q20 = hs_pair_noise_move_q20(
            noise, type, hs_pair_noise_key(noise, own.profile, own.util_pm),
            hs_pair_noise_key(noise, other.profile, other.util_pm), m->general_sd, slowdown_q20);
    return m->has_gamma ? hs_slowdown_raise_q20(slowdown_q20, m->options.gamma) : slowdown_q20;
}

/* Beside one active co-runner. */
static uint64_t pair_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                         struct hs_tenant other, enum hs_slowdown_source *source)
{
    const struct hs_pair_table *table = m->types[type].table;
    uint32_t own_row = table != NULL ? row_of(table, own.profile) : 0;
    uint32_t other_row = table != NULL ? row_of(table, other.profile) : 0;
    if (own_row != 0 && other_row != 0) {
        uint32_t cell = table->cells[(own_row - 1) * table->jobs + other_row - 1];
        *source = cell & HS_PAIR_MEASURED ? HS_SLOWDOWN_MEASURED : HS_SLOWDOWN_FITTED;
        return cell & ~HS_PAIR_MEASURED;
    }
    if (!m->has_general || own.util_pm < 0 || other.util_pm < 0) {
        *source = HS_SLOWDOWN_ASSUMED;
        return HS_Q20_ONE;
    }
    *source = HS_SLOWDOWN_GENERAL;
    uint64_t slowdown_q20 =
        HS_Q20_ONE + hs_pairform_excess_q20(&m->general, own.util_pm, other.util_pm);
    return HS_UNLIKELY(m->is_altered) ? alter_q20(m, type, own, other, slowdown_q20) : slowdown_q20;
}

/* ---- more than two tenants ---- */

/* The excess over 1 of a pair, in so far as the other is there. */
static uint64_t excess_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                           struct hs_tenant other, enum hs_slowdown_source *source)
{
    uint64_t excess = pair_q20(m, type, own, other, source) - HS_Q20_ONE;
    return other.away_q32 > 0 ? hs_q32_mul(excess, HS_Q32_ONE - other.away_q32) : excess;
}

static uint64_t additive_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant self,
                             const struct hs_tenant *others, uint32_t count)
{
    enum hs_slowdown_source source;
    uint64_t sum_q20 = HS_Q20_ONE;
    for (uint32_t j = 0; j < count; j++)
        sum_q20 += excess_q20(m, type, self, others[j], &source);
    return sum_q20;
}

static double pair_excess(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                          struct hs_tenant other)
{
    enum hs_slowdown_source source;
    return (double)excess_q20(m, type, own, other, &source) / (double)HS_Q20_ONE;
}

/* What the co-runners of a queue are to each other. */
struct queue {
    uint32_t count;
    double util[OTHERS_MAX]; /* solo; an unknown one counts as 1, which makes its part additive */
    double excess[OTHERS_MAX][OTHERS_MAX];         /* [own][other] */
    double crowding[1u << OTHERS_MAX][OTHERS_MAX]; /* [set][j in set]: Q_j(set) / Q_j({j}) */
};

/* The share of j in a slowdown. A co-runner that always queues is met for one whole turn, never
 * more: without that bound a job that is nearly idle alone could, starved by the others, be charged
 * with many turns where the pair form is steep near 0 (beta < 1), and S could exceed n. */
static double queued_excess(double excess, double crowding)
{
    double whole_turn = excess > 1.0 ? excess : 1.0;
    double queued = excess * crowding;
    return queued < whole_turn ? queued : whole_turn;
}

/* Fills crowding[set] from the smaller sets. */
static void queue_visit(struct queue *q, uint32_t set)
{
    for (uint32_t j = 0; j < q->count; j++) {
        if ((set >> j & 1) == 0)
            continue;
        const double *before = q->crowding[set & ~(1u << j)];
        double slowdown = 1.0;
        for (uint32_t k = 0; k < q->count; k++)
            if (k != j && (set >> k & 1) != 0)
                slowdown += queued_excess(q->excess[j][k], before[k]);
        q->crowding[set][j] = (1.0 - (1.0 - q->util[j]) / slowdown) / q->util[j];
    }
}

static int tenant_compare(const struct hs_tenant *a, const struct hs_tenant *b)
{
    if (a->profile != b->profile)
        return a->profile > b->profile ? 1 : -1;
    if (a->util_pm != b->util_pm)
        return a->util_pm > b->util_pm ? 1 : -1;
    return (a->away_q32 > b->away_q32) - (a->away_q32 < b->away_q32);
}

static void sort_tenants(struct hs_tenant *tenants, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct hs_tenant t = tenants[i];
        uint32_t at = i;
        for (; at > 0 && tenant_compare(&tenants[at - 1], &t) > 0; at--)
            tenants[at] = tenants[at - 1];
        tenants[at] = t;
    }
}

/* Exact mean value analysis of a closed queue (one customer a job, think time for the rest), with
 * the excesses of measured pairs in the place of u_i u_j: S_i(N) = 1 + sum x_ij Q_j(N \ i) / u_j,
 * Q_j(N) = 1 - (1 - u_j) / S_j(N). Mean value analysis: Reiser & Lavenberg, JACM 1980. others is
 * sorted in place. */
static uint64_t queueing_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant self,
                             struct hs_tenant *others, uint32_t count)
{
    struct queue q; /* cells are written before they are read: clearing 7 KiB would cost more */
    q.count = count;
    sort_tenants(others, count);
    for (uint32_t j = 0; j < count; j++) {
        q.util[j] = others[j].util_pm < 0 || others[j].util_pm > FULL_PM
                        ? 1.0
                        : (double)others[j].util_pm / FULL_PM;
        for (uint32_t k = 0; k < count; k++)
            q.excess[j][k] = j == k ? 0 : pair_excess(m, type, others[j], others[k]);
    }
    uint32_t all = (1u << count) - 1;
    for (uint32_t set = 1; set <= all; set++)
        queue_visit(&q, set);
    double slowdown = 1.0;
    for (uint32_t j = 0; j < count; j++)
        slowdown += queued_excess(pair_excess(m, type, self, others[j]), q.crowding[all][j]);
    return (uint64_t)(slowdown * (double)HS_Q20_ONE + 0.5);
}

/* ---- any number of tenants ---- */

/* The constant slowdown, scaled by the share of time in which a co-runner is active. */
static uint64_t const_q20(const struct hs_interference *m, const struct hs_tenant *others,
                          uint32_t count)
{
    uint64_t present_q32 = 0;
    for (uint32_t j = 0; j < count; j++)
        present_q32 += HS_Q32_ONE - others[j].away_q32;
    if (present_q32 >= HS_Q32_ONE)
        return m->const_q20;
    return HS_Q20_ONE + hs_q32_mul(m->const_q20 - HS_Q20_ONE, present_q32);
}

static uint64_t crowd_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant self,
                          struct hs_tenant *others, uint32_t count, enum hs_slowdown_source *source)
{
    if (count == 0) {
        *source = HS_SLOWDOWN_ALONE;
        return HS_Q20_ONE;
    }
    if (is_flat(m)) {
        *source = HS_SLOWDOWN_ASSUMED;
        return const_q20(m, others, count);
    }
    if (count == 1)
        return HS_Q20_ONE + excess_q20(m, type, self, others[0], source);
    *source = HS_SLOWDOWN_MODELLED;
    if (m->options.crowd == HS_CROWD_ADDITIVE)
        return additive_q20(m, type, self, others, count);
    assert(count <= OTHERS_MAX);
    return queueing_q20(m, type, self, others, count);
}

uint64_t hs_interference_slowdown_q20(const struct hs_interference *m, uint32_t type,
                                      const struct hs_tenant *tenants, uint32_t count,
                                      uint32_t self, enum hs_slowdown_source *source)
{
    assert(type < m->type_count && self < count && count <= HS_TENANTS_MAX);
    struct hs_tenant others[HS_TENANTS_MAX];
    enum hs_slowdown_source found;
    uint32_t active = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i != self && tenants[i].util_pm != 0) /* an idle job slows no other */
            others[active++] = tenants[i];
    uint64_t slowdown_q20 = crowd_q20(m, type, tenants[self], others, active, &found);
    if (source != NULL)
        *source = found;
    return slowdown_q20;
}

double hs_interference_error(const struct hs_interference *m, uint32_t type,
                             enum hs_slowdown_source source)
{
    assert(type < m->type_count);
    const struct hs_pair_source *t = &m->types[type];
    if (source == HS_SLOWDOWN_FITTED && t->table != NULL)
        return t->table->error;
    if (source == HS_SLOWDOWN_GENERAL)
        return t->general_error;
    return NAN;
}

double hs_interference_noise_rmse(const struct hs_interference *m, uint32_t type,
                                  enum hs_slowdown_source source)
{
    assert(type < m->type_count);
    return source == HS_SLOWDOWN_GENERAL ? m->general_rmse : hs_interference_error(m, type, source);
}

/* ---- life ---- */

static enum hs_status load_file(struct hs_interference *m, const char *path,
                                const struct hs_catalogue *catalogue, const char *const *gpu_types,
                                struct hs_diag *diag)
{
    struct hs_jsoncheck check;
    enum hs_status status = hs_modelfile_open(&check, path, HS_MODEL_INTERFERENCE, diag);
    if (status == HS_OK) {
        hs_interference_read(m, &check, catalogue, gpu_types);
        status = check.status;
    }
    hs_json_close(check.doc);
    return status;
}

/* Room for what the file fills. */
static bool prepare(struct hs_interference *m, const struct hs_catalogue *catalogue,
                    const char *const *gpu_types)
{
    const struct hs_interference_options *options = &m->options;
    bool has_noise = options->noise > 0 && !is_flat(m);
    m->has_gamma = options->gamma != 1.0;
    m->is_altered = m->has_gamma || has_noise;
    m->const_q20 = HS_Q20_ONE;
    m->general_rmse = NAN;
    if (options->mode == HS_INTERFERENCE_CONST)
        m->const_q20 = hs_slowdown_raise_q20(
            HS_Q20_ONE + (uint64_t)(options->excess * (double)HS_Q20_ONE + 0.5), options->gamma);
    m->types = hs_arena_alloc(&m->arena, m->type_count * sizeof *m->types);
    for (uint32_t t = 0; m->types != NULL && t < m->type_count; t++)
        m->types[t].general_error = NAN;
    if (has_noise)
        m->noise = noise_make(&m->arena, options->seed, catalogue, gpu_types, m->type_count);
    return m->types != NULL && (m->noise != NULL || !has_noise);
}

enum hs_status hs_interference_load(struct hs_interference **out, const char *path,
                                    const struct hs_catalogue *catalogue,
                                    const struct hs_interference_options *options,
                                    const char *const *gpu_types, uint32_t type_count,
                                    struct hs_diag *diag)
{
    assert(options->gamma >= 0 && options->gamma <= GAMMA_MAX && options->noise >= 0);
    *out = NULL;
    struct hs_interference *m = hs_alloc_zeroed(1, sizeof *m);
    m->options = *options;
    m->type_count = type_count;
    prepare(m, catalogue, gpu_types);
    enum hs_status status = is_flat(m) ? HS_OK : load_file(m, path, catalogue, gpu_types, diag);
    if (status == HS_OK)
        *out = m;
    else
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
