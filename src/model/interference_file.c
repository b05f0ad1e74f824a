/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads interference.json strictly: what is not understood is a fault at its place, and reading
 * goes on. Then the tables and forms of the run's GPU types, dense and in Q20.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "data/json.h"
#include "model/interference_private.h"
#include "model/modelfile.h"
#include "model/pairform.h"
#include "model/profile.h"

#define HS_FACTOR_MAX 1000.0 /* a, b, S */

enum hs_tableform { HS_RANK_1, HS_TWO_WAY };

/* What a job's own speed, or that of the other, gains by the partner's utilization: a line, which
 * may have a bend at HS_SLOWDOWN_BEND. */
struct hs_slowdown_curve {
    double value, slope, bend;
};

#define HS_SLOWDOWN_BEND 0.5

/* A job of a table; rank-1 has a in own.value, b in other.value. */
struct hs_tablejob {
    const char *profile;
    uint32_t row;   /* + 1; 0 = not in the catalogue */
    uint32_t model; /* id of its name, the first part of the profile */
    double util;
    struct hs_slowdown_curve own, other;
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

#define NAME_MAX_LEN    255u
#define EFFECT_MAX      10.0 /* on a speed, which is at most 1 */
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct draft_reader {
    struct hs_jsoncheck *check;
    const struct hs_catalogue *catalogue;
};

/* ---- jobs of a table ---- */

static void read_rank_1(struct draft_reader *r, const struct hs_json *job, struct hs_tablejob *e)
{
    static const char *const keys[] = {"profile", "a", "b"};
    hs_jsoncheck_keys(r->check, job, keys, COUNT_OF(keys), "a job of a rank-1 table");
    (void)hs_jsoncheck_number(r->check, job, "a", 0, HS_FACTOR_MAX, &e->own.value);
    (void)hs_jsoncheck_number(r->check, job, "b", 0, HS_FACTOR_MAX, &e->other.value);
}

static void read_effect(struct draft_reader *r, const struct hs_json *job, const char *key,
                        double *value)
{
    (void)hs_jsoncheck_number(r->check, job, key, -EFFECT_MAX, EFFECT_MAX, value);
}

static void read_two_way(struct draft_reader *r, const struct hs_json *job, struct hs_tablejob *e)
{
    static const char *const keys[] = {"profile",  "util",  "own",         "own_slope",
                                       "own_bend", "other", "other_slope", "other_bend"};
    struct hs_jsoncheck *c = r->check;
    hs_jsoncheck_keys(c, job, keys, COUNT_OF(keys), "a job of a two-way table");
    (void)hs_jsoncheck_number(c, job, "util", 0, 1, &e->util);
    read_effect(r, job, "own", &e->own.value);
    read_effect(r, job, "own_slope", &e->own.slope);
    read_effect(r, job, "other", &e->other.value);
    read_effect(r, job, "other_slope", &e->other.slope);
    if (hs_json_get(job, "own_bend") != NULL)
        read_effect(r, job, "own_bend", &e->own.bend);
    if (hs_json_get(job, "other_bend") != NULL)
        read_effect(r, job, "other_bend", &e->other.bend);
}

/* Of a profile or of a model's own name: what stands before the first slash. */
static enum hs_status intern_model(struct hs_tabledraft *d, const char *text, uint32_t *id)
{
    char name[NAME_MAX_LEN + 1];
    size_t len = strcspn(text, "/");
    if (len > NAME_MAX_LEN)
        len = NAME_MAX_LEN;
    memcpy(name, text, len);
    name[len] = '\0';
    *id = hs_intern_get(&d->models, name);
    return HS_OK;
}

static void read_profile(struct draft_reader *r, const struct hs_json *job, struct hs_tabledraft *d,
                         struct hs_tablejob *e)
{
    const struct hs_json *value = hs_json_get(job, "profile");
    if (value == NULL)
        hs_jsoncheck_fault(r->check, job, NULL, "\"profile\" is missing");
    e->profile = hs_jsoncheck_text(r->check, job, "profile");
    if (e->profile == NULL)
        return;
    for (const struct hs_tablejob *before = d->entries; before < e; before++)
        if (before->profile != NULL && hs_model_same_name(before->profile, e->profile)) {
            hs_jsoncheck_fault(r->check, value, NULL, "'%s' is in this table twice", e->profile);
            return;
        }
    if (hs_catalogue_find(r->catalogue, e->profile) != HS_NO_PROFILE)
        e->row = ++d->known;
    hs_jsoncheck_note(r->check, intern_model(d, e->profile, &e->model));
    if (e->model == 0)
        hs_jsoncheck_fault(r->check, value, "MODEL/DATASET/BATCH/PRECISION",
                           "'%s' begins with no model", e->profile);
}

static void read_jobs(struct draft_reader *r, const struct hs_json *jobs, struct hs_tabledraft *d)
{
    const struct hs_json *job = hs_json_first(jobs);
    for (d->count = 0; job != NULL; job = hs_json_next(job)) {
        struct hs_tablejob *e = &d->entries[d->count++];
        if (!hs_jsoncheck_kind(r->check, job, HS_JSON_OBJECT, "a job of a table"))
            continue;
        read_profile(r, job, d, e);
        if (d->form == HS_RANK_1)
            read_rank_1(r, job, e);
        else
            read_two_way(r, job, e);
    }
}

/* ---- measured pairs ---- */

static bool read_index(struct draft_reader *r, const struct hs_json *value,
                       const struct hs_tabledraft *d, uint32_t *index)
{
    int64_t number;
    if (hs_json_int(value, &number) && number >= 0 && number < (int64_t)d->count) {
        *index = (uint32_t)number;
        return true;
    }
    hs_jsoncheck_fault(r->check, value, "jobs are numbered from 0 in the order of \"jobs\"",
                       "a pair names a job 0..%" PRIu32, d->count - 1);
    return false;
}

static void read_pair(struct draft_reader *r, const struct hs_json *pair, struct hs_tabledraft *d)
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
    if (!read_index(r, first, d, &own) || !read_index(r, second, d, &other))
        return;
    if (!(slowdown > 0 && slowdown <= HS_FACTOR_MAX)) {
        hs_jsoncheck_fault(r->check, third, NULL, "a slowdown must be a number above 0, at most %g",
                           HS_FACTOR_MAX);
        return;
    }
    uint32_t *cell = &d->measured[(size_t)own * d->count + other];
    if (*cell != 0)
        hs_jsoncheck_fault(r->check, pair, NULL, "the pair [%" PRIu32 ", %" PRIu32 "] twice", own,
                           other);
    *cell = hs_slowdown_quantise_q20(slowdown);
}

static void read_pairs(struct draft_reader *r, const struct hs_json *pairs, struct hs_tabledraft *d)
{
    if (pairs == NULL || !hs_jsoncheck_kind(r->check, pairs, HS_JSON_ARRAY, "pairs"))
        return;
    for (const struct hs_json *p = hs_json_first(pairs); p != NULL; p = hs_json_next(p))
        read_pair(r, p, d);
}

/* ---- effects of two models ---- */

/* A model of the table; ids are those of the jobs' profiles. */
static bool read_model(struct draft_reader *r, const struct hs_json *value, struct hs_tabledraft *d,
                       uint32_t *id)
{
    const char *name = hs_json_text(value);
    *id = name != NULL ? hs_intern_find(&d->models, name) : UINT32_MAX;
    if (*id != UINT32_MAX && *id > 0)
        return true;
    hs_jsoncheck_fault(r->check, value, "models are named as in the profiles of \"jobs\"",
                       "a pair of models names a model that has no job here");
    return false;
}

static void read_model_pair(struct draft_reader *r, const struct hs_json *pair,
                            struct hs_tabledraft *d)
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
    if (read_model(r, first, d, &own) && read_model(r, second, d, &other))
        d->effects[(size_t)(own - 1) * d->count + other - 1] = hs_json_number(third);
}

static void read_model_pairs(struct draft_reader *r, const struct hs_json *pairs,
                             struct hs_tabledraft *d)
{
    if (pairs == NULL || !hs_jsoncheck_kind(r->check, pairs, HS_JSON_ARRAY, "model_pairs"))
        return;
    for (const struct hs_json *p = hs_json_first(pairs); p != NULL; p = hs_json_next(p))
        read_model_pair(r, p, d);
}

/* Reads "jobs", "pairs" and "model_pairs" of a table of known form, with arrays for count jobs;
 * faults go to the check. */
static void hs_tabledraft_read(struct hs_tabledraft *draft, struct hs_jsoncheck *check,
                               const struct hs_catalogue *catalogue, const struct hs_json *table)
{
    struct draft_reader r = {check, catalogue};
    read_jobs(&r, hs_json_get(table, "jobs"), draft);
    read_pairs(&r, hs_json_get(table, "pairs"), draft);
    read_model_pairs(&r, hs_json_get(table, "model_pairs"), draft);
}

#define JOBS_MAX     1024u /* of a table: its cells take 4 MiB */
#define K_MAX        100.0
#define EXPONENT_MIN 0.01
#define EXPONENT_MAX 10.0

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
    struct strangers strangers;
};

/* ---- scores ---- */

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
            (void)hs_jsoncheck_number(r->check, s, "rmse", 0, HS_FACTOR_MAX, &value);
        if (s == hs_json_first(list))
            rmse = value;
    }
    return rmse;
}

/* ---- the general form ---- */

static void read_general(struct interference_reader *r, const struct hs_json *general)
{
    static const char *const keys[] = {"gpu", "form", "k", "alpha", "beta", "in_sample", "holdout"};
    struct hs_jsoncheck *c = r->check;
    double k = 0, alpha = 1, beta = 1;
    /* Without utilizations in the data there is none. */
    if (general == NULL || !hs_jsoncheck_kind(c, general, HS_JSON_OBJECT, "general"))
        return;
    hs_jsoncheck_keys(c, general, keys, COUNT_OF(keys), "general");
    bool has_all = hs_jsoncheck_number(c, general, "k", 0, K_MAX, &k);
    has_all &= hs_jsoncheck_number(c, general, "alpha", EXPONENT_MIN, EXPONENT_MAX, &alpha);
    has_all &= hs_jsoncheck_number(c, general, "beta", EXPONENT_MIN, EXPONENT_MAX, &beta);
    const char *gpu = hs_jsoncheck_text(c, general, "gpu");
    double error = read_error(r, general);
    if (!has_all)
        return;
    hs_pairform_init(&r->m->general, k, alpha, beta);
    r->m->has_general = true;
    r->m->general_rmse = error;
    r->m->general_sd = isnan(error) ? 0 : r->m->options.noise * error;
    for (uint32_t t = 0; gpu != NULL && t < r->m->type_count; t++)
        if (hs_model_same_name(gpu, r->gpu_types[t]))
            r->m->types[t].general_error = error;
}

/* ---- cells ---- */

static double at(const struct hs_slowdown_curve *c, double util)
{
    return c->value + c->slope * util +
           c->bend * (util > HS_SLOWDOWN_BEND ? util - HS_SLOWDOWN_BEND : 0);
}

static double fitted_slowdown(const struct hs_pairform *general, const struct hs_tabledraft *d,
                              const struct hs_tablejob *own, const struct hs_tablejob *other)
{
    double speed = 1.0 / (1.0 + own->own.value * other->other.value);
    if (d->form == HS_TWO_WAY)
        speed = 1.0 / (1.0 + general->k * pow(own->util, general->alpha) *
                                 pow(other->util, general->beta)) +
                at(&own->own, other->util) + at(&other->other, own->util);
    speed += d->effects[(size_t)(own->model - 1) * d->count + other->model - 1];
    return 1.0 / (speed > HS_SPEED_FLOOR ? speed : HS_SPEED_FLOOR);
}

/* What the residuals of a table go by. */
struct residuals {
    double sd; /* 0 where the file tells no error */
    uint32_t type;
    uint64_t *job_keys; /* by job of the file */
};

static uint32_t cell_of(const struct hs_interference *m, const struct hs_tabledraft *d,
                        const struct residuals *of, uint32_t own, uint32_t other)
{
    uint32_t slowdown_q20 = 0, flag = HS_PAIR_MEASURED;
    if (m->options.mode == HS_INTERFERENCE_MEASURED)
        slowdown_q20 = d->measured[(size_t)own * d->count + other];
    if (slowdown_q20 == 0) {
        flag = 0;
        slowdown_q20 = hs_slowdown_quantise_q20(
            fitted_slowdown(&m->general, d, &d->entries[own], &d->entries[other]));
        if (m->noise != NULL)
            slowdown_q20 = (uint32_t)hs_pair_noise_move_q20(
                m->noise, of->type, of->job_keys[own], of->job_keys[other], of->sd, slowdown_q20);
    }
    if (m->has_gamma)
        slowdown_q20 = (uint32_t)hs_slowdown_raise_q20(slowdown_q20, m->options.gamma);
    return slowdown_q20 | flag;
}

static bool residuals_make(struct interference_reader *r, const struct hs_tabledraft *d,
                           uint32_t type, double error, struct residuals *of)
{
    const struct hs_pair_noise *noise = r->m->noise;
    *of = (struct residuals){.type = type};
    if (noise == NULL)
        return true;
    of->sd = isnan(error) ? 0 : r->m->options.noise * error;
    of->job_keys = hs_arena_alloc(&r->m->arena, (uint64_t)d->count * sizeof *of->job_keys);
    for (uint32_t i = 0; of->job_keys != NULL && i < d->count; i++)
        if (d->entries[i].row != 0)
            of->job_keys[i] = hs_pair_noise_key(
                noise, hs_catalogue_find(r->catalogue, d->entries[i].profile), -1);
    return of->job_keys != NULL;
}

static struct hs_pair_table *table_build(struct interference_reader *r,
                                         const struct hs_tabledraft *d, uint32_t type, double error)
{
    struct residuals residuals;
    struct hs_arena *arena = &r->m->arena;
    struct hs_pair_table *table = hs_arena_alloc(arena, sizeof *table);
    uint16_t *rows = hs_arena_alloc(arena, (uint64_t)r->catalogue->count * sizeof *rows);
    uint32_t *cells = hs_arena_alloc(arena, (uint64_t)d->known * d->known * sizeof *cells);
    if (table == NULL || rows == NULL || cells == NULL ||
        !residuals_make(r, d, type, error, &residuals))
        return NULL;
    *table = (struct hs_pair_table){.jobs = d->known,
                                    .profiles = r->catalogue->count,
                                    .rows = rows,
                                    .cells = cells,
                                    .error = error};
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->entries[i].row == 0)
            continue;
        rows[hs_catalogue_find(r->catalogue, d->entries[i].profile)] = (uint16_t)d->entries[i].row;
        for (uint32_t j = 0; j < d->count; j++)
            if (d->entries[j].row != 0)
                *cells++ = cell_of(r->m, d, &residuals, i, j);
    }
    return table;
}

/* ---- tables ---- */

static void count_strangers(struct interference_reader *r, const struct hs_json *table,
                            const struct hs_tabledraft *d, const char *gpu)
{
    struct strangers *s = &r->strangers;
    for (uint32_t i = 0; i < d->count && s->example == NULL; i++)
        if (d->entries[i].row == 0)
            s->example = d->entries[i].profile;
    if (s->count == 0)
        s->place = hs_json_place(r->check->doc, hs_json_get(table, "jobs"));
    size_t len = strlen(s->gpus);
    (void)snprintf(s->gpus + len, sizeof s->gpus - len, "%s%s", len > 0 ? ", " : "", gpu);
    s->count += d->count - d->known;
    s->of += d->count;
}

/* One note for all tables: they are mostly of the same jobs. */
static void note_strangers(const struct interference_reader *r)
{
    const struct strangers *s = &r->strangers;
    if (s->count > 0)
        hs_report(r->check->diag, HS_NOTE, &s->place, NULL,
                  "%" PRIu32 " of %" PRIu32 " jobs measured on %s are not in the catalogue and are "
                  "left out, e.g. '%s'",
                  s->count, s->of, s->gpus, s->example);
}

/* Gives the table to the types of the cluster that bear its name. */
static void install(struct interference_reader *r, const struct hs_json *json,
                    const struct hs_tabledraft *d, const char *gpu, double error)
{
    struct hs_pair_table *table = NULL;
    for (uint32_t t = 0; t < r->m->type_count; t++) {
        if (!hs_model_same_name(gpu, r->gpu_types[t]))
            continue;
        if (table == NULL) {
            if (d->known < d->count)
                count_strangers(r, json, d, gpu);
            table = table_build(r, d, t, error);
        }
        r->m->types[t].table = table;
    }
}

static bool read_form(struct interference_reader *r, const struct hs_json *table,
                      enum hs_tableform *form)
{
    static const char *const names[] = {[HS_RANK_1] = "rank-1", [HS_TWO_WAY] = "two-way"};
    const struct hs_json *value = hs_json_get(table, "form");
    const char *text = hs_json_text(value);
    for (uint32_t i = 0; text != NULL && i < COUNT_OF(names); i++)
        if (strcmp(text, names[i]) == 0) {
            *form = (enum hs_tableform)i;
            if (*form == HS_TWO_WAY && hs_json_get(hs_json_root(r->check->doc), "general") == NULL)
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
    const char *gpu = hs_jsoncheck_text(r->check, table, "gpu");
    if (value == NULL)
        hs_jsoncheck_fault(r->check, table, NULL, "\"gpu\" is missing");
    const struct hs_json *before =
        hs_json_first(hs_json_get(hs_json_root(r->check->doc), "tables"));
    for (; gpu != NULL && before != table; before = hs_json_next(before)) {
        const char *name = hs_json_text(hs_json_get(before, "gpu"));
        if (name != NULL && hs_model_same_name(name, gpu))
            hs_jsoncheck_fault(r->check, value, NULL, "a second table for GPU type '%s'", gpu);
    }
    return gpu;
}

static void read_filled(struct interference_reader *r, const struct hs_json *table,
                        struct hs_tabledraft *d)
{
    const char *gpu = read_gpu(r, table);
    bool has_form = read_form(r, table, &d->form);
    if (!has_form)
        return;
    hs_tabledraft_read(d, r->check, r->catalogue, table);
    double error = read_error(r, table);
    if (r->check->status == HS_OK)
        install(r, table, d, gpu, error);
}

static void read_table(struct interference_reader *r, const struct hs_json *table)
{
    static const char *const keys[] = {"gpu",         "form",  "lambda",    "jobs",
                                       "model_pairs", "pairs", "in_sample", "holdout"};
    struct hs_jsoncheck *c = r->check;
    if (!hs_jsoncheck_kind(c, table, HS_JSON_OBJECT, "a table"))
        return;
    hs_jsoncheck_keys(c, table, keys, COUNT_OF(keys), "a table");
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
    struct hs_tabledraft d = {
        .entries = hs_alloc_zeroed(count, sizeof *d.entries),
        .measured = hs_alloc_zeroed((uint64_t)count * count, sizeof *d.measured),
        .effects = hs_alloc_zeroed((uint64_t)count * count, sizeof *d.effects)};
    hs_intern_init(&d.models);
    read_filled(r, table, &d);
    hs_free(d.entries);
    hs_free(d.measured);
    hs_free(d.effects);
    hs_intern_free(&d.models);
}

void hs_interference_read(struct hs_interference *m, struct hs_jsoncheck *check,
                          const struct hs_catalogue *catalogue, const char *const *gpu_types)
{
    static const char *const keys[] = {"kind", "format",  "data",  "cleaning",
                                       "rows", "general", "tables"};
    const struct hs_json *root = hs_json_root(check->doc);
    struct interference_reader r = {
        .check = check, .m = m, .catalogue = catalogue, .gpu_types = gpu_types};
    hs_jsoncheck_keys(check, root, keys, COUNT_OF(keys), "an interference model");
    read_general(&r, hs_json_get(root, "general"));
    const struct hs_json *tables = hs_json_get(root, "tables");
    if (tables == NULL || !hs_jsoncheck_kind(check, tables, HS_JSON_ARRAY, "tables"))
        return;
    for (const struct hs_json *t = hs_json_first(tables); t != NULL; t = hs_json_next(t))
        read_table(&r, t);
    note_strangers(&r);
}
