/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A pair is two loads of row numbers and one of a cell, or two tabulated powers. Sets are made of
 * pairs: sums of integers (additive), or the recursion of mean value analysis over the subsets of
 * the co-runners in doubles, with + - * / alone, rounded once at the end: the same bits everywhere.
 *
 * gamma (speed^gamma) raises each pair before sets are made of pairs, so that it means the same
 * physics, a GPU on which every measured pair would have been worse, whatever the number of
 * tenants. Noise comes before gamma: its errors are those of slowdowns as measured.
 *
 * interference.json is read strictly: what is not understood is a fault at its place, and reading
 * goes on.
 */
#include "model/interference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "base/io.h"
#include "base/rng.h"

#define SLOWDOWN_MAX 1000.0 /* slower is standing still; keeps cells within 30 bits */
#define EXCESS_MAX   100.0
#define GAMMA_MAX    10.0
#define OTHERS_MAX   (HS_QUEUEING_TENANTS - 1)
#define FULL_PM      1000

/* Fitted speeds are clipped here, S to 20: the largest slowdown in any public table is 11 (Gavel's
 * simulation file on the V100; 5.8 in its cleaner measurements, configs/models/README.md), and a
 * sum of linear effects may reach 0. No residual leads beyond. */
#define SPEED_FLOOR 0.05

/* The flag and S of a pair share a word. */
#define PAIR_MEASURED (UINT32_C(1) << 31)

#define NOISE_BITS  11
#define NOISE_STEPS (1u << NOISE_BITS)
#define NOISE_HALF  (NOISE_STEPS / 2)

/* How wrong the truth about a pair may be (--interference-noise X): a residual, normal with X times
 * the hold-out RMSE of what answered, is added to the speed that a form or fit gives. It belongs to
 * the ordered pair of jobs and the GPU type: one draw of (seed, type, own, other), whatever the
 * order and number of queries. Jobs are told apart by their profile, those without one by
 * utilization.
 *
 * A measured speed has no residual: no public data state how repeatable each pair is. */
struct pair_noise {
    /* Normal quantiles in the middle of equal steps, up to 3.5; mean 0, mean square 1. */
    double normals[NOISE_STEPS];
    uint64_t *type_keys;    /* of the seed and the name of the type */
    uint64_t *profile_keys; /* of the name: a row more in the catalogue moves no draw */
    uint32_t profiles;
};

/* Ordered pairs of the jobs profiled on one GPU type, S^gamma in Q20. */
struct pair_table {
    uint32_t jobs;
    uint32_t profiles; /* of the catalogue */
    uint16_t *rows;    /* by profile; row + 1, 0 = not in the table */
    uint32_t *cells;   /* [own row x jobs + other row] */
    double error;      /* hold-out RMSE of the speed; NaN = not told */
};

/* One GPU type of the cluster. */
struct pair_source {
    const struct pair_table *table; /* NULL = none */
    double general_error;           /* NaN unless the general form was fitted on this type */
};

struct hs_interference {
    struct hs_interference_options options;
    bool is_flat; /* a constant slowdown beside any co-runner: no model file is needed */
    bool has_general, has_gamma;
    struct hs_pairform general;
    const struct pair_noise *noise; /* NULL = none */
    double general_rmse;            /* on the type where it was fitted; NaN = not told */
    double general_sd;              /* of its residuals; 0 = none */
    uint64_t const_q20;             /* (1 + X)^gamma */
    struct pair_source *types;
    uint32_t type_count;
    struct hs_arena arena;
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
    static const size_t count = sizeof names / sizeof names[0];
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

/* ---- noise ---- */

/* Distribution and keys are tabulated: a residual costs a few nanoseconds. */
static struct pair_noise *noise_make(struct hs_arena *arena, uint64_t seed,
                                     const struct hs_catalogue *catalogue,
                                     const char *const *gpu_types, uint32_t type_count)
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
    /* what lies beyond the last step is made up for; rounding takes libm's last bit away */
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
        uint32_t first = 0; /* types of one name, however spelled, are one */
        while (!hs_model_same_name(gpu_types[first], gpu_types[t]))
            first++;
        noise->type_keys[t] =
            hs_mix64(stream, hs_hash_of(gpu_types[first], strlen(gpu_types[first])));
    }
    return noise;
}

/* util_pm matters only without a profile. Keys of profiles are hashes, which are never so small. */
static uint64_t noise_key(const struct pair_noise *noise, uint32_t profile, int32_t util_pm)
{
    return profile < noise->profiles ? noise->profile_keys[profile] : (uint32_t)util_pm;
}

/* S with a residual of that standard deviation of the speed, at least 1. A residual makes no job
 * slower than SPEED_FLOOR. + * / alone and rounded once: the same bits everywhere. */
static uint64_t noise_move_q20(const struct pair_noise *noise, uint32_t type, uint64_t own_key,
                               uint64_t other_key, double sd, uint64_t slowdown_q20)
{
    const double one = (double)HS_Q20_ONE, floor_q20 = one / SPEED_FLOOR;
    uint64_t word = hs_mix64(noise->type_keys[type] ^ own_key, other_key);
    double slowdown = (double)(int64_t)slowdown_q20;
    double slowest = slowdown > floor_q20 ? slowdown : floor_q20;
    /* (1 / S + residual) / (1 / S) in Q20; S of it is a speed of 1 */
    double gain = one + sd * noise->normals[word >> (64 - NOISE_BITS)] * slowdown;
    gain = gain < slowdown ? gain : slowdown;
    if (gain * slowest <= slowdown * one)
        return (uint64_t)(int64_t)slowest;
    return (uint64_t)(int64_t)(slowdown * one / gain + 0.5);
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

/* A slowdown of the general form, with noise, then raised. */
static uint64_t alter_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                          struct hs_tenant other, uint64_t slowdown_q20)
{
    const struct pair_noise *noise = m->noise;
    if (noise != NULL && own.util_pm > 0) /* an idle job is not slowed */
        slowdown_q20 = noise_move_q20(noise, type, noise_key(noise, own.profile, own.util_pm),
                                      noise_key(noise, other.profile, other.util_pm), m->general_sd,
                                      slowdown_q20);
    return m->has_gamma ? raise_q20(slowdown_q20, m->options.gamma) : slowdown_q20;
}

static uint64_t pair_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                         struct hs_tenant other, enum hs_slowdown_source *source)
{
    const struct pair_table *table = m->types[type].table;
    uint32_t own_row = table != NULL ? row_of(table, own.profile) : 0;
    uint32_t other_row = table != NULL ? row_of(table, other.profile) : 0;
    if (own_row != 0 && other_row != 0) {
        uint32_t cell = table->cells[(own_row - 1) * table->jobs + other_row - 1];
        *source = cell & PAIR_MEASURED ? HS_SLOWDOWN_MEASURED : HS_SLOWDOWN_FITTED;
        return cell & ~PAIR_MEASURED;
    }
    if (!m->has_general || own.util_pm < 0 || other.util_pm < 0) {
        *source = HS_SLOWDOWN_ASSUMED;
        return HS_Q20_ONE;
    }
    *source = HS_SLOWDOWN_GENERAL;
    uint64_t slowdown_q20 =
        HS_Q20_ONE + hs_pairform_excess_q20(&m->general, own.util_pm, other.util_pm);
    return HS_UNLIKELY(m->noise != NULL || m->has_gamma)
               ? alter_q20(m, type, own, other, slowdown_q20)
               : slowdown_q20;
}

/* ---- more than two tenants ---- */

/* The excess over 1 of a pair, in so far as the other is there. */
static uint64_t excess_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant own,
                           struct hs_tenant other, enum hs_slowdown_source *source)
{
    uint64_t excess = pair_q20(m, type, own, other, source) - HS_Q20_ONE;
    return other.away_q32 > 0 ? hs_q32_mul(excess, HS_Q32_ONE - other.away_q32) : excess;
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

static bool tenant_is_before(const struct hs_tenant *a, const struct hs_tenant *b)
{
    if (a->profile != b->profile)
        return a->profile < b->profile;
    return a->util_pm != b->util_pm ? a->util_pm < b->util_pm : a->away_q32 < b->away_q32;
}

/* Exact mean value analysis of a closed queue (one customer a job, think time for the rest), with
 * the excesses of measured pairs for u_i u_j: S_i(N) = 1 + sum x_ij Q_j(N \ i) / u_j, Q_j(N) = 1 -
 * (1 - u_j) / S_j(N) (Reiser & Lavenberg, JACM 1980). others is sorted in place. */
static uint64_t queueing_q20(const struct hs_interference *m, uint32_t type, struct hs_tenant self,
                             struct hs_tenant *others, uint32_t count)
{
    struct queue q; /* cells are written before they are read: clearing 7 KiB would cost more */
    q.count = count;
    for (uint32_t i = 1; i < count; i++) {
        struct hs_tenant t = others[i];
        uint32_t at = i;
        for (; at > 0 && tenant_is_before(&t, &others[at - 1]); at--)
            others[at] = others[at - 1];
        others[at] = t;
    }
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

uint64_t hs_interference_slowdown_q20(const struct hs_interference *m, uint32_t type,
                                      const struct hs_tenant *tenants, uint32_t count,
                                      uint32_t self, enum hs_slowdown_source *source)
{
    assert(type < m->type_count && self < count && count <= HS_TENANTS_MAX);
    struct hs_tenant others[HS_TENANTS_MAX];
    enum hs_slowdown_source found = HS_SLOWDOWN_ALONE;
    uint64_t slowdown_q20 = HS_Q20_ONE;
    uint32_t active = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i != self && tenants[i].util_pm != 0) /* an idle job slows no other */
            others[active++] = tenants[i];
    if (m->is_flat && active > 0) {
        found = HS_SLOWDOWN_ASSUMED;
        slowdown_q20 = const_q20(m, others, active);
    } else if (active < 2 || m->options.crowd == HS_CROWD_ADDITIVE) {
        for (uint32_t j = 0; j < active; j++)
            slowdown_q20 += excess_q20(m, type, tenants[self], others[j], &found);
    } else {
        assert(active <= OTHERS_MAX);
        slowdown_q20 = queueing_q20(m, type, tenants[self], others, active);
    }
    if (active > 1 && !m->is_flat)
        found = HS_SLOWDOWN_MODELLED;
    if (source != NULL)
        *source = found;
    return slowdown_q20;
}

double hs_interference_error(const struct hs_interference *m, uint32_t type,
                             enum hs_slowdown_source source)
{
    assert(type < m->type_count);
    const struct pair_source *t = &m->types[type];
    if (source == HS_SLOWDOWN_FITTED && t->table != NULL)
        return t->table->error;
    if (source == HS_SLOWDOWN_GENERAL)
        return t->general_error;
    return NAN;
}

double hs_interference_noise_rmse(const struct hs_interference *m, uint32_t type,
                                  enum hs_slowdown_source source)
{
    return source == HS_SLOWDOWN_GENERAL ? m->general_rmse : hs_interference_error(m, type, source);
}

/* ---- the file ---- */

#define FACTOR_MAX   1000.0 /* a, b, S */
#define NAME_MAX_LEN 255u
#define EFFECT_MAX   10.0  /* on a speed, which is at most 1 */
#define JOBS_MAX     1024u /* of a table: its cells take 4 MiB */
#define K_MAX        100.0
#define EXPONENT_MIN 0.01
#define EXPONENT_MAX 10.0

enum table_form { RANK_1, TWO_WAY };

/* What a speed gains by the partner's utilization: a line, with a bend at CURVE_BEND. */
struct slowdown_curve {
    double value, slope, bend;
};

#define CURVE_BEND 0.5

/* A job of a table; rank-1 has a in own.value, b in other.value. */
struct table_job {
    const char *profile;
    uint32_t row;   /* + 1; 0 = not in the catalogue */
    uint32_t model; /* id of its name, the first part of the profile */
    uint64_t noise_key;
    double util;
    struct slowdown_curve own, other;
};

/* A table while it is read; jobs as in the file. */
struct pair_draft {
    enum table_form form;
    uint32_t count, known;
    struct table_job *jobs;
    uint32_t *measured; /* [own x count + other] S in Q20, 0 = not measured */
    struct hs_intern models;
    double *effects; /* on the speed, [own model x count + other model] */
    double error;    /* hold-out RMSE of the speed; NaN = not told */
};

/* Jobs of installed tables that the catalogue does not have. */
struct strangers {
    uint32_t count, of;
    const char *example;
    struct hs_place place; /* of the first table's */
    char gpus[256];
};

struct interference_reader {
    struct hs_jsoncheck *check;
    struct hs_interference *m;
    const struct hs_catalogue *catalogue;
    const char *const *gpu_types;
    struct pair_draft *d; /* the table that is read */
    struct strangers strangers;
};

static void read_list(struct interference_reader *r, const struct hs_json *owner, const char *key,
                      void (*read)(struct interference_reader *r, const struct hs_json *member))
{
    const struct hs_json *list = hs_json_get(owner, key);
    if (list == NULL || !hs_jsoncheck_kind(r->check, list, HS_JSON_ARRAY, key))
        return;
    for (const struct hs_json *at = hs_json_first(list); at != NULL; at = hs_json_next(at))
        read(r, at);
}

/* S, at least 1, in Q20. */
static uint32_t quantise_q20(double slowdown)
{
    return (uint32_t)((slowdown > 1.0 ? slowdown : 1.0) * (double)HS_Q20_ONE + 0.5);
}

/* RMSE of the speed under the first protocol: files begin with the one that a form is used under.
 * NaN if there is none, or null: no fold of it left enough to fit to. */
static double read_error(struct interference_reader *r, const struct hs_json *owner)
{
    const struct hs_json *list = hs_json_get(owner, "holdout");
    double rmse = NAN;
    if (list == NULL || !hs_jsoncheck_kind(r->check, list, HS_JSON_ARRAY, "holdout"))
        return rmse;
    for (const struct hs_json *s = hs_json_first(list); s != NULL; s = hs_json_next(s)) {
        double value = NAN;
        if (hs_jsoncheck_kind(r->check, s, HS_JSON_OBJECT, "a score of holdout") &&
            hs_json_kind(hs_json_get(s, "rmse")) != HS_JSON_NULL)
            (void)hs_jsoncheck_number(r->check, s, "rmse", 0, FACTOR_MAX, &value);
        if (s == hs_json_first(list))
            rmse = value;
    }
    return rmse;
}

static void read_general(struct interference_reader *r, const struct hs_json *general)
{
    static const char *const keys[] = {"gpu", "form", "k", "alpha", "beta", "in_sample", "holdout"};
    struct hs_interference *m = r->m;
    /* Without utilizations in the data there is none. */
    if (general == NULL || !hs_jsoncheck_kind(r->check, general, HS_JSON_OBJECT, "general"))
        return;
    hs_jsoncheck_keys(r->check, general, keys, HS_COUNT_OF(keys), "general");
    m->has_general =
        hs_pairform_read(&m->general, r->check, general, K_MAX, EXPONENT_MIN, EXPONENT_MAX);
    const char *gpu = hs_jsoncheck_text(r->check, general, "gpu");
    double error = read_error(r, general);
    m->general_rmse = error;
    m->general_sd = isnan(error) ? 0 : m->options.noise * error;
    for (uint32_t t = 0; gpu != NULL && t < m->type_count; t++)
        if (hs_model_same_name(gpu, r->gpu_types[t]))
            m->types[t].general_error = error;
}

/* ---- jobs of a table ---- */

static void read_profile(struct interference_reader *r, const struct hs_json *job,
                         struct table_job *e)
{
    struct pair_draft *d = r->d;
    const struct hs_json *value = hs_json_get(job, "profile");
    char model[NAME_MAX_LEN + 1];
    e->profile = hs_modelfile_name(r->check, &r->m->arena, job, "profile");
    if (e->profile == NULL)
        return;
    for (const struct table_job *before = d->jobs; before < e; before++)
        if (before->profile != NULL && hs_model_same_name(before->profile, e->profile)) {
            hs_jsoncheck_fault(r->check, value, NULL, "'%s' is in this table twice", e->profile);
            return;
        }
    const uint32_t profile = hs_catalogue_find(r->catalogue, e->profile);
    if (profile != HS_NO_PROFILE) {
        e->row = ++d->known;
        e->noise_key = r->m->noise != NULL ? noise_key(r->m->noise, profile, -1) : 0;
    }
    (void)snprintf(model, sizeof model, "%.*s", (int)strcspn(e->profile, "/"), e->profile);
    e->model = hs_intern_get(&d->models, model);
    if (e->model == 0)
        hs_jsoncheck_fault(r->check, value, "MODEL/DATASET/BATCH/PRECISION",
                           "'%s' begins with no model", e->profile);
}

static void read_job(struct interference_reader *r, const struct hs_json *job)
{
    static const char *const rank_1[] = {"profile", "a", "b"};
    static const char *const two_way[] = {"profile",  "util",  "own",         "own_slope",
                                          "own_bend", "other", "other_slope", "other_bend"};
    struct table_job *e = &r->d->jobs[r->d->count++];
    struct hs_jsoncheck *c = r->check;
    if (!hs_jsoncheck_kind(c, job, HS_JSON_OBJECT, "a job of a table"))
        return;
    read_profile(r, job, e);
    if (r->d->form == RANK_1) {
        hs_jsoncheck_keys(c, job, rank_1, HS_COUNT_OF(rank_1), "a job of a rank-1 table");
        (void)hs_jsoncheck_number(c, job, "a", 0, FACTOR_MAX, &e->own.value);
        (void)hs_jsoncheck_number(c, job, "b", 0, FACTOR_MAX, &e->other.value);
        return;
    }
    const struct hs_model_number numbers[] = {
        {"util", 0, 1, &e->util},
        {"own", -EFFECT_MAX, EFFECT_MAX, &e->own.value},
        {"own_slope", -EFFECT_MAX, EFFECT_MAX, &e->own.slope},
        {"other", -EFFECT_MAX, EFFECT_MAX, &e->other.value},
        {"other_slope", -EFFECT_MAX, EFFECT_MAX, &e->other.slope}};
    hs_jsoncheck_keys(c, job, two_way, HS_COUNT_OF(two_way), "a job of a two-way table");
    hs_modelfile_numbers(c, job, numbers, HS_COUNT_OF(numbers));
    if (hs_json_get(job, "own_bend") != NULL)
        (void)hs_jsoncheck_number(c, job, "own_bend", -EFFECT_MAX, EFFECT_MAX, &e->own.bend);
    if (hs_json_get(job, "other_bend") != NULL)
        (void)hs_jsoncheck_number(c, job, "other_bend", -EFFECT_MAX, EFFECT_MAX, &e->other.bend);
}

/* ---- pairs of a table ---- */

static bool read_index(struct interference_reader *r, const struct hs_json *value, uint32_t *index)
{
    int64_t number;
    if (hs_json_int(value, &number) && number >= 0 && number < (int64_t)r->d->count) {
        *index = (uint32_t)number;
        return true;
    }
    hs_jsoncheck_fault(r->check, value, "jobs are numbered from 0 in the order of \"jobs\"",
                       "a pair names a job 0..%" PRIu32, r->d->count - 1);
    return false;
}

static void read_pair(struct interference_reader *r, const struct hs_json *pair)
{
    uint32_t own, other;
    if (!hs_jsoncheck_kind(r->check, pair, HS_JSON_ARRAY, "a pair"))
        return;
    if (hs_json_count(pair) != 3) {
        hs_jsoncheck_fault(r->check, pair, NULL, "a pair is [job, co-runner, slowdown]");
        return;
    }
    const struct hs_json *first = hs_json_first(pair);
    const struct hs_json *second = hs_json_next(first);
    const struct hs_json *third = hs_json_next(second);
    double slowdown = hs_json_number(third);
    if (!read_index(r, first, &own) || !read_index(r, second, &other))
        return;
    if (!(slowdown > 0 && slowdown <= FACTOR_MAX)) {
        hs_jsoncheck_fault(r->check, third, NULL, "a slowdown must be a number above 0, at most %g",
                           FACTOR_MAX);
        return;
    }
    uint32_t *cell = &r->d->measured[(size_t)own * r->d->count + other];
    if (*cell != 0)
        hs_jsoncheck_fault(r->check, pair, NULL, "the pair [%" PRIu32 ", %" PRIu32 "] twice", own,
                           other);
    *cell = quantise_q20(slowdown);
}

/* A model of the table; ids are those of the jobs' profiles. */
static bool read_model(struct interference_reader *r, const struct hs_json *value, uint32_t *id)
{
    const char *name = hs_json_text(value);
    *id = name != NULL ? hs_intern_find(&r->d->models, name) : UINT32_MAX;
    if (*id != UINT32_MAX && *id > 0)
        return true;
    hs_jsoncheck_fault(r->check, value, "models are named as in the profiles of \"jobs\"",
                       "a pair of models names a model that has no job here");
    return false;
}

static void read_model_pair(struct interference_reader *r, const struct hs_json *pair)
{
    uint32_t own, other;
    if (!hs_jsoncheck_kind(r->check, pair, HS_JSON_ARRAY, "a pair of models"))
        return;
    const struct hs_json *first = hs_json_first(pair);
    const struct hs_json *second = hs_json_next(first);
    const struct hs_json *third = hs_json_next(second);
    if (hs_json_count(pair) != 3 || hs_json_kind(third) != HS_JSON_NUMBER ||
        fabs(hs_json_number(third)) > EFFECT_MAX) {
        hs_jsoncheck_fault(r->check, pair, NULL,
                           "a pair of models is [model, co-runner, effect on the speed]");
        return;
    }
    if (read_model(r, first, &own) && read_model(r, second, &other))
        r->d->effects[(size_t)(own - 1) * r->d->count + other - 1] = hs_json_number(third);
}

/* ---- cells ---- */

static double curve_at(const struct slowdown_curve *c, double util)
{
    return c->value + c->slope * util + c->bend * (util > CURVE_BEND ? util - CURVE_BEND : 0);
}

/* The speed that the form of a table gives, at least SPEED_FLOOR. */
static double fitted_speed(const struct hs_pairform *general, const struct pair_draft *d,
                           const struct table_job *own, const struct table_job *other)
{
    double speed = 1.0 / (1.0 + own->own.value * other->other.value);
    if (d->form == TWO_WAY)
        speed = 1.0 / (1.0 + general->k * pow(own->util, general->alpha) *
                                 pow(other->util, general->beta)) +
                curve_at(&own->own, other->util) + curve_at(&other->other, own->util);
    speed += d->effects[(size_t)(own->model - 1) * d->count + other->model - 1];
    return speed > SPEED_FLOOR ? speed : SPEED_FLOOR;
}

static uint32_t cell_of(const struct hs_interference *m, const struct pair_draft *d, uint32_t type,
                        uint32_t own, uint32_t other)
{
    const struct table_job *a = &d->jobs[own], *b = &d->jobs[other];
    uint32_t slowdown_q20 = 0, flag = PAIR_MEASURED;
    if (m->options.mode == HS_INTERFERENCE_MEASURED)
        slowdown_q20 = d->measured[(size_t)own * d->count + other];
    if (slowdown_q20 == 0) {
        const double sd = isnan(d->error) ? 0 : m->options.noise * d->error;
        flag = 0;
        slowdown_q20 = quantise_q20(1.0 / fitted_speed(&m->general, d, a, b));
        if (m->noise != NULL)
            slowdown_q20 = (uint32_t)noise_move_q20(m->noise, type, a->noise_key, b->noise_key, sd,
                                                    slowdown_q20);
    }
    if (m->has_gamma)
        slowdown_q20 = (uint32_t)raise_q20(slowdown_q20, m->options.gamma);
    return slowdown_q20 | flag;
}

static struct pair_table *table_build(struct interference_reader *r, uint32_t type)
{
    const struct pair_draft *d = r->d;
    struct hs_arena *arena = &r->m->arena;
    struct pair_table *table = hs_arena_alloc(arena, sizeof *table);
    *table =
        (struct pair_table){.jobs = d->known, .profiles = r->catalogue->count, .error = d->error};
    table->rows = hs_arena_alloc(arena, table->profiles * sizeof *table->rows);
    table->cells = hs_arena_alloc(arena, (uint64_t)d->known * d->known * sizeof *table->cells);
    uint32_t *cell = table->cells;
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->jobs[i].row == 0)
            continue;
        table->rows[hs_catalogue_find(r->catalogue, d->jobs[i].profile)] = (uint16_t)d->jobs[i].row;
        for (uint32_t j = 0; j < d->count; j++)
            if (d->jobs[j].row != 0)
                *cell++ = cell_of(r->m, d, type, i, j);
    }
    return table;
}

/* ---- tables ---- */

static bool read_form(struct interference_reader *r, const struct hs_json *table)
{
    static const char *const names[] = {[RANK_1] = "rank-1", [TWO_WAY] = "two-way"};
    const struct hs_json *value = hs_json_get(table, "form");
    const char *text = hs_json_text(value);
    for (uint32_t i = 0; text != NULL && i < HS_COUNT_OF(names); i++)
        if (strcmp(text, names[i]) == 0) {
            r->d->form = (enum table_form)i;
            if (i == TWO_WAY && hs_json_get(hs_json_root(r->check->doc), "general") == NULL)
                hs_jsoncheck_fault(r->check, value, NULL,
                                   "two-way effects are added to \"general\", which is missing");
            return true;
        }
    hs_jsoncheck_fault(r->check, value != NULL ? value : table, NULL,
                       "the form of a table must be \"rank-1\" or \"two-way\"");
    return false;
}

static const char *read_gpu(struct interference_reader *r, const struct hs_json *table)
{
    const struct hs_json *value = hs_json_get(table, "gpu");
    const char *gpu = hs_modelfile_name(r->check, &r->m->arena, table, "gpu");
    const struct hs_json *before =
        hs_json_first(hs_json_get(hs_json_root(r->check->doc), "tables"));
    for (; gpu != NULL && before != table; before = hs_json_next(before)) {
        const char *name = hs_json_text(hs_json_get(before, "gpu"));
        if (name != NULL && hs_model_same_name(name, gpu))
            hs_jsoncheck_fault(r->check, value, NULL, "a second table for GPU type '%s'", gpu);
    }
    return gpu;
}

/* Into a draft with room for its jobs, and to the cluster's types of its name. */
static void read_filled(struct interference_reader *r, const struct hs_json *table)
{
    const struct pair_draft *d = r->d;
    struct pair_table *built = NULL;
    const char *gpu = read_gpu(r, table);
    if (!read_form(r, table))
        return;
    read_list(r, table, "jobs", read_job);
    read_list(r, table, "pairs", read_pair);
    read_list(r, table, "model_pairs", read_model_pair);
    r->d->error = read_error(r, table);
    for (uint32_t t = 0; r->check->status == HS_OK && t < r->m->type_count; t++) {
        if (!hs_model_same_name(gpu, r->gpu_types[t]))
            continue;
        if (built == NULL)
            built = table_build(r, t);
        r->m->types[t].table = built;
    }
    if (built == NULL || d->known == d->count)
        return;
    struct strangers *s = &r->strangers;
    for (uint32_t i = 0; i < d->count && s->example == NULL; i++)
        if (d->jobs[i].row == 0)
            s->example = d->jobs[i].profile;
    if (s->count == 0)
        s->place = hs_json_place(r->check->doc, hs_json_get(table, "jobs"));
    hs_append(s->gpus, sizeof s->gpus, "%s%s", s->count > 0 ? ", " : "", gpu);
    s->count += d->count - d->known;
    s->of += d->count;
}

static void read_table(struct interference_reader *r, const struct hs_json *table)
{
    static const char *const keys[] = {"gpu",         "form",  "lambda",    "jobs",
                                       "model_pairs", "pairs", "in_sample", "holdout"};
    struct hs_jsoncheck *c = r->check;
    if (!hs_jsoncheck_kind(c, table, HS_JSON_OBJECT, "a table"))
        return;
    hs_jsoncheck_keys(c, table, keys, HS_COUNT_OF(keys), "a table");
    const struct hs_json *jobs = hs_json_get(table, "jobs");
    uint32_t count = hs_json_count(jobs);
    if (jobs == NULL)
        hs_jsoncheck_fault(c, table, NULL, "\"jobs\" is missing");
    if (jobs == NULL || !hs_jsoncheck_filled(c, jobs, HS_JSON_ARRAY, "jobs"))
        return;
    if (count > JOBS_MAX) {
        hs_jsoncheck_fault(c, jobs, NULL, "a table of %" PRIu32 " jobs, more than %u", count,
                           JOBS_MAX);
        return;
    }
    struct pair_draft d = {.jobs = hs_alloc_zeroed(count, sizeof *d.jobs),
                           .measured = hs_alloc_zeroed((uint64_t)count * count, sizeof *d.measured),
                           .effects = hs_alloc_zeroed((uint64_t)count * count, sizeof *d.effects)};
    hs_intern_init(&d.models);
    r->d = &d;
    read_filled(r, table);
    hs_free(d.jobs);
    hs_free(d.measured);
    hs_free(d.effects);
    hs_intern_free(&d.models);
}

static enum hs_status read_file(struct hs_interference *m, const char *path,
                                const struct hs_catalogue *catalogue, const char *const *gpu_types,
                                struct hs_diag *diag)
{
    static const char *const keys[] = {"kind", "format",  "data",  "cleaning",
                                       "rows", "general", "tables"};
    struct hs_jsoncheck check;
    struct interference_reader r = {
        .check = &check, .m = m, .catalogue = catalogue, .gpu_types = gpu_types};
    const struct strangers *s = &r.strangers;
    enum hs_status status = hs_modelfile_open(&check, path, HS_MODEL_INTERFERENCE, diag);
    if (status == HS_OK) {
        const struct hs_json *root = hs_json_root(check.doc);
        hs_jsoncheck_keys(&check, root, keys, HS_COUNT_OF(keys), "an interference model");
        read_general(&r, hs_json_get(root, "general"));
        read_list(&r, root, "tables", read_table);
        status = check.status;
    }
    if (s->count > 0) /* one note for all tables: they are mostly of the same jobs */
        hs_report(diag, HS_NOTE, &s->place, NULL,
                  "%" PRIu32 " of %" PRIu32 " jobs measured on %s are not in the catalogue and are "
                  "left out, e.g. '%s'",
                  s->count, s->of, s->gpus, s->example);
    hs_json_close(check.doc);
    return status;
}

enum hs_status hs_interference_load(struct hs_interference **out, const char *path,
                                    const struct hs_catalogue *catalogue,
                                    const struct hs_interference_options *options,
                                    const char *const *gpu_types, uint32_t type_count,
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
    m->general_rmse = NAN;
    m->type_count = type_count;
    m->types = hs_arena_alloc(&m->arena, type_count * sizeof *m->types);
    for (uint32_t t = 0; t < type_count; t++)
        m->types[t].general_error = NAN;
    if (options->noise > 0 && !m->is_flat)
        m->noise = noise_make(&m->arena, options->seed, catalogue, gpu_types, type_count);
    enum hs_status status = m->is_flat ? HS_OK : read_file(m, path, catalogue, gpu_types, diag);
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
