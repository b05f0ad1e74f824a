/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads interference.json (configs/models/README.md documents it) into the dense tables of the
 * truth. The whole file is checked, also tables of GPU types that the cluster does not have; jobs
 * that the catalogue does not have are left out with a note, for the catalogue may be the user's.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/interference_draft.h"
#include "model/interference_private.h"
#include "model/modelfile.h"

#define JOBS_MAX     1024u /* of a table: its cells take 4 MiB */
#define K_MAX        100.0
#define EXPONENT_MIN 0.01
#define EXPONENT_MAX 10.0

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Jobs of installed tables that the catalogue does not have. */
struct strangers {
    uint32_t count, of;
    const char *example;
    struct hs_place place; /* of the first table's */
    char gpus[256];
};

struct reader {
    struct hs_jsoncheck *check;
    struct hs_interference *m;
    const struct hs_catalogue *catalogue;
    const char *const *gpu_types;
    struct strangers strangers;
};

/* ---- scores ---- */

/* RMSE of the speed under the first protocol: files begin with the one that a form is used under.
 * NaN if there is none, or null: no fold of it left enough to fit to. */
static double read_error(struct reader *r, const struct hs_json *owner)
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

static void read_general(struct reader *r, const struct hs_json *general)
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

static double at(const struct hs_curve *c, double util)
{
    return c->value + c->slope * util + c->bend * (util > HS_CURVE_BEND ? util - HS_CURVE_BEND : 0);
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

static bool residuals_make(struct reader *r, const struct hs_tabledraft *d, uint32_t type,
                           double error, struct residuals *of)
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

static struct hs_pair_table *table_build(struct reader *r, const struct hs_tabledraft *d,
                                         uint32_t type, double error)
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

static void count_strangers(struct reader *r, const struct hs_json *table,
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
static void note_strangers(const struct reader *r)
{
    const struct strangers *s = &r->strangers;
    if (s->count > 0)
        hs_report(r->check->diag, HS_NOTE, &s->place, NULL,
                  "%" PRIu32 " of %" PRIu32 " jobs measured on %s are not in the catalogue and are "
                  "left out, e.g. '%s'",
                  s->count, s->of, s->gpus, s->example);
}

/* Gives the table to the types of the cluster that bear its name. */
static void install(struct reader *r, const struct hs_json *json, const struct hs_tabledraft *d,
                    const char *gpu, double error)
{
    struct hs_pair_table *table = NULL;
    for (uint32_t t = 0; t < r->m->type_count; t++) {
        if (!hs_model_same_name(gpu, r->gpu_types[t]))
            continue;
        if (table == NULL) {
            if (d->known < d->count)
                count_strangers(r, json, d, gpu);
            table = table_build(r, d, t, error);
            if (table == NULL) {
                hs_jsoncheck_note(r->check, hs_fail(r->check->diag, HS_E_MEMORY, NULL, NULL,
                                                    "no memory for the pairs on %s", gpu));
                return;
            }
        }
        r->m->types[t].table = table;
    }
}

static bool read_form(struct reader *r, const struct hs_json *table, enum hs_tableform *form)
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

static const char *read_gpu(struct reader *r, const struct hs_json *table)
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

static void read_filled(struct reader *r, const struct hs_json *table, struct hs_tabledraft *d)
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

static void read_table(struct reader *r, const struct hs_json *table)
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
    if (d.entries == NULL || d.measured == NULL || d.effects == NULL ||
        hs_intern_init(&d.models) != HS_OK)
        hs_jsoncheck_note(c, hs_fail(c->diag, HS_E_MEMORY, NULL, NULL, "no memory for a table"));
    else
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
    struct reader r = {.check = check, .m = m, .catalogue = catalogue, .gpu_types = gpu_types};
    hs_jsoncheck_keys(check, root, keys, COUNT_OF(keys), "an interference model");
    read_general(&r, hs_json_get(root, "general"));
    const struct hs_json *tables = hs_json_get(root, "tables");
    if (tables == NULL || !hs_jsoncheck_kind(check, tables, HS_JSON_ARRAY, "tables"))
        return;
    for (const struct hs_json *t = hs_json_first(tables); t != NULL; t = hs_json_next(t))
        read_table(&r, t);
    note_strangers(&r);
}
