/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * interference.json is read strictly: unknown content is a fault at its place, and reading
 * continues.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fixed.h"
#include "base/fmt.h"
#include "model/interference_data.h"

#define FACTOR_MAX   1000.0 /* a, b, S */
#define NAME_MAX_LEN 255u
#define EFFECT_MAX   10.0  /* on a speed, at most 1 */
#define JOBS_MAX     1024u /* per table: its cells take 4 MiB */
#define K_MAX        100.0
#define EXPONENT_MIN 0.01
#define EXPONENT_MAX 10.0

enum table_form { RANK_1, TWO_WAY };

/* Gain of speed by the partner's utilization: linear, with a bend at CURVE_BEND. */
struct slowdown_curve {
    double value, slope, bend;
};

#define CURVE_BEND 0.5

/* A job of a table; rank-1 has a in own.value, b in other.value. */
struct table_job {
    const char *profile;
    uint32_t row;          /* row + 1; 0 = not in the catalogue */
    uint32_t model;        /* id of its name, the first part of the profile */
    uint32_t in_catalogue; /* index in it */
    double util;
    struct slowdown_curve own, other;
};

/* A table during reading; jobs as in the file. */
struct pair_draft {
    enum table_form form;
    const struct hs_pairform *general; /* TWO_WAY: of the type and mode of the table */
    uint32_t count, known;
    struct table_job *jobs;
    uint32_t *measured; /* [own x count + other] S in Q20, 0 = not measured */
    struct hs_intern models;
    double *effects; /* on the speed, [own model x count + other model] */
    double error;    /* hold-out RMSE of the speed; NaN = unknown */
};

/* Jobs of tables that the catalogue does not contain. */
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
    struct pair_draft *d; /* the current table */
    struct strangers strangers;
};

static void read_list(struct interference_reader *r, const struct hs_json *owner, const char *key,
                      void (*read)(struct interference_reader *r, const struct hs_json *member))
{
    const struct hs_json *at = hs_jsoncheck_first(r->check, owner, key, false);
    for (; at != NULL; at = hs_json_next(at))
        read(r, at);
}

/* Returns max(S, 1) in Q20. */
static uint32_t quantise_q20(double slowdown)
{
    return (uint32_t)((slowdown > 1.0 ? slowdown : 1.0) * (double)HS_Q20_ONE + 0.5);
}

/* RMSE of the speed under the first protocol: files begin with the one under which a form is used.
 * NaN if there is none, or null: no fold had enough data to fit. */
static double read_error(struct interference_reader *r, const struct hs_json *owner)
{
    const struct hs_json *first = hs_jsoncheck_first(r->check, owner, "holdout", false);
    double rmse = NAN;
    for (const struct hs_json *s = first; s != NULL; s = hs_json_next(s)) {
        double value = NAN;
        if (hs_jsoncheck_kind(r->check, s, HS_JSON_OBJECT, "a score of holdout") &&
            hs_json_kind(hs_json_get(s, "rmse")) != HS_JSON_NULL)
            (void)hs_jsoncheck_number(r->check, s, "rmse", 0, FACTOR_MAX, &value);
        if (s == first)
            rmse = value;
    }
    return rmse;
}

/* Reads the mode of a form or table; false after a fault. Measurements in an unstated mode count as
 * time slicing, the driver's default. */
static bool read_mode(struct interference_reader *r, const struct hs_json *owner,
                      enum hs_sharing_mode *mode, bool *is_unknown)
{
    const struct hs_json *value = hs_json_get(owner, "mode");
    const char *text = hs_json_text(value);
    for (uint32_t i = 0; text != NULL && hs_sharing_modes[i] != NULL; i++)
        if (strcmp(text, hs_sharing_modes[i]) == 0) {
            *mode = (enum hs_sharing_mode)i;
            return true;
        }
    *mode = HS_SHARING_TIMESLICE;
    *is_unknown = text != NULL && strcmp(text, "unknown") == 0;
    if (!*is_unknown)
        hs_jsoncheck_fault(r->check, value != NULL ? value : owner, NULL,
                           "a mode must be \"timeslice\", \"mps\", \"mig\" or \"unknown\"");
    return *is_unknown;
}

static void read_capacities(struct interference_reader *r, const struct hs_json *owner,
                            struct pair_form *form)
{
    if (hs_json_get(owner, "capacity") == NULL)
        return;
    const struct hs_json *at = hs_jsoncheck_first(r->check, owner, "capacity", true);
    for (; at != NULL; at = hs_json_next(at)) {
        const double capacity = hs_json_number(at);
        if (!(capacity >= HS_CAPACITY_MIN && capacity <= HS_CAPACITY_MAX) ||
            form->capacities == HS_CAPACITIES_MAX) {
            hs_jsoncheck_fault(r->check, at, NULL, "capacities are at most %u numbers %g..%g",
                               HS_CAPACITIES_MAX, HS_CAPACITY_MIN, HS_CAPACITY_MAX);
            return;
        }
        form->capacity_q32[form->capacities++] = hs_capacity_q32(capacity);
    }
}

static void read_cross(struct interference_reader *r, const struct hs_json *owner,
                       const struct pair_form *form)
{
    const struct hs_json *at = hs_jsoncheck_first(r->check, owner, "cross", false);
    for (; at != NULL; at = hs_json_next(at)) {
        const char *gpu = hs_jsoncheck_text(r->check, at, "gpu");
        double rmse;
        if (gpu == NULL || !hs_jsoncheck_number(r->check, at, "rmse", 0, FACTOR_MAX, &rmse))
            continue;
        for (struct pair_source *t = r->m->types; t < r->m->types + r->m->type_count; t++)
            if (t->form == form && isnan(t->error) && hs_model_same_name(gpu, t->type.gpu))
                t->error = rmse;
    }
}

/* Similarity of a form to a GPU type: fitted to type and mode, to the type in an unstated mode, to
 * the mode, or to neither. */
static int nearness(const struct pair_form *form, const struct pair_source *t)
{
    const bool is_mode = form->mode == t->type.mode;
    if (is_mode && hs_model_same_name(form->gpu, t->type.gpu))
        return form->is_unstated ? 2 : 3;
    return is_mode && !form->is_unstated;
}

/* Assigns the form to types of the cluster without a nearer one: the first form of a mode is used
 * for all types without their own. A capacity under time slicing is used only for its own type. */
static void hand_out(struct hs_interference *m, const struct pair_form *form)
{
    for (struct pair_source *t = m->types; t < m->types + m->type_count; t++) {
        const bool is_mode = form->mode == t->type.mode,
                   is_own = is_mode && hs_model_same_name(form->gpu, t->type.gpu);
        if (form->has_form && (t->form == NULL || nearness(form, t) > nearness(t->form, t))) {
            t->form = form;
            t->error = is_own ? form->error : (double)NAN;
        }
        if (form->capacities > 0 && is_mode &&
            (is_own || (t->capacity == NULL && form->mode != HS_SHARING_TIMESLICE)))
            t->capacity = form;
    }
}

static void read_form(struct interference_reader *r, const struct hs_json *owner)
{
    struct hs_interference *m = r->m;
    struct pair_form *form = &m->forms[m->form_count++];
    if (!hs_jsoncheck_object(r->check, owner, "a form",
                             "gpu mode form k alpha beta capacity capacity_sets in_sample "
                             "capacity_from holdout cross"))
        return;
    form->gpu = hs_modelfile_name(r->check, &m->arena, owner, "gpu");
    form->error = read_error(r, owner);
    form->has_form = hs_json_get(owner, "capacity") == NULL || hs_json_get(owner, "k") != NULL ||
                     hs_json_get(owner, "alpha") != NULL || hs_json_get(owner, "beta") != NULL;
    if (form->has_form)
        (void)hs_pairform_read(&form->form, r->check, owner, K_MAX, EXPONENT_MIN, EXPONENT_MAX);
    read_capacities(r, owner, form);
    if (form->gpu == NULL || !read_mode(r, owner, &form->mode, &form->is_unstated))
        return;
    hand_out(m, form);
    read_cross(r, owner, form);
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
        e->in_catalogue = profile;
    }
    (void)snprintf(model, sizeof model, "%.*s", (int)strcspn(e->profile, "/"), e->profile);
    e->model = hs_intern_get(&d->models, model);
    if (e->model == 0)
        hs_jsoncheck_fault(r->check, value, "MODEL/DATASET/BATCH/PRECISION",
                           "'%s' begins with no model", e->profile);
}

static void read_job(struct interference_reader *r, const struct hs_json *job)
{
    static const char *const bends[] = {"own_bend", "other_bend"};
    struct table_job *e = &r->d->jobs[r->d->count++];
    struct hs_jsoncheck *c = r->check;
    if (!hs_jsoncheck_kind(c, job, HS_JSON_OBJECT, "a job of a table"))
        return;
    read_profile(r, job, e);
    if (r->d->form == RANK_1) {
        (void)hs_jsoncheck_object(c, job, "a job of a rank-1 table", "profile a b");
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
    (void)hs_jsoncheck_object(c, job, "a job of a two-way table",
                              "profile util own own_slope own_bend other other_slope other_bend");
    hs_modelfile_numbers(c, job, numbers, HS_COUNT_OF(numbers));
    for (int i = 0; i < 2; i++)
        if (hs_json_get(job, bends[i]) != NULL)
            (void)hs_jsoncheck_number(c, job, bends[i], -EFFECT_MAX, EFFECT_MAX,
                                      i == 0 ? &e->own.bend : &e->other.bend);
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

/* Reads a model of the table; ids are those of the jobs' profiles. */
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

static uint32_t cell_of(const struct hs_interference *m, const struct pair_draft *d, uint32_t type,
                        uint32_t own, uint32_t other)
{
    const struct table_job *a = &d->jobs[own], *b = &d->jobs[other];
    const struct hs_tenant tenants[] = {{.profile = a->in_catalogue, .util_pm = 1},
                                        {.profile = b->in_catalogue, .util_pm = 1}};
    double sd = 0; /* no residual for measured values */
    uint32_t slowdown_q20 = 0, flag = HS_PAIR_MEASURED;
    if (m->options.mode == HS_INTERFERENCE_MEASURED)
        slowdown_q20 = d->measured[(size_t)own * d->count + other];
    if (slowdown_q20 == 0) {
        sd = isnan(d->error) ? 0 : m->options.noise * d->error;
        flag = 0;
        double speed = 1.0 / (1.0 + a->own.value * b->other.value); /* by the form of the table */
        if (d->form == TWO_WAY)
            speed = 1.0 / (1.0 + d->general->k * pow(a->util, d->general->alpha) *
                                     pow(b->util, d->general->beta)) +
                    curve_at(&a->own, b->util) + curve_at(&b->other, a->util);
        speed += d->effects[(size_t)(a->model - 1) * d->count + b->model - 1];
        slowdown_q20 = quantise_q20(1.0 / fmax(speed, HS_SPEED_FLOOR));
    }
    return (uint32_t)hs_pair_alter_q20(m, type, tenants[0], tenants[1], sd, slowdown_q20) | flag;
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
        table->rows[d->jobs[i].in_catalogue] = (uint16_t)d->jobs[i].row;
        for (uint32_t j = 0; j < d->count; j++)
            if (d->jobs[j].row != 0)
                *cell++ = cell_of(r->m, d, type, i, j);
    }
    return table;
}

/* ---- tables ---- */

static bool read_table_form(struct interference_reader *r, const struct hs_json *table,
                            const char *gpu, enum hs_sharing_mode mode)
{
    static const char *const names[] = {[RANK_1] = "rank-1", [TWO_WAY] = "two-way"};
    const struct hs_json *value = hs_json_get(table, "form");
    const char *text = hs_json_text(value);
    for (uint32_t i = 0; text != NULL && i < HS_COUNT_OF(names); i++) {
        if (strcmp(text, names[i]) != 0)
            continue;
        r->d->form = (enum table_form)i;
        for (const struct pair_form *f = r->m->forms; f < r->m->forms + r->m->form_count; f++)
            if (r->d->general == NULL && f->has_form && f->mode == mode &&
                hs_model_same_name(f->gpu, gpu))
                r->d->general = &f->form;
        if (i == TWO_WAY && r->d->general == NULL)
            hs_jsoncheck_fault(r->check, value, NULL,
                               "two-way effects are added to a form of '%s' and its mode, which "
                               "\"forms\" lacks",
                               gpu);
        return i != TWO_WAY || r->d->general != NULL;
    }
    hs_jsoncheck_fault(r->check, value != NULL ? value : table, NULL,
                       "the form of a table must be \"rank-1\" or \"two-way\"");
    return false;
}

static const char *read_gpu(struct interference_reader *r, const struct hs_json *table,
                            enum hs_sharing_mode mode)
{
    const char *word = hs_sharing_modes[mode];
    const struct hs_json *value = hs_json_get(table, "gpu");
    const char *gpu = hs_modelfile_name(r->check, &r->m->arena, table, "gpu");
    const struct hs_json *before =
        hs_json_first(hs_json_get(hs_json_root(r->check->doc), "tables"));
    for (; gpu != NULL && before != table; before = hs_json_next(before)) {
        const char *name = hs_json_text(hs_json_get(before, "gpu"));
        const char *other = hs_json_text(hs_json_get(before, "mode"));
        if (name != NULL && other != NULL && hs_model_same_name(name, gpu) &&
            strcmp(other, word) == 0)
            hs_jsoncheck_fault(r->check, value, NULL, "a second table for GPU type '%s', %s", gpu,
                               word);
    }
    return gpu;
}

static void count_strangers(struct interference_reader *r, const struct hs_json *table,
                            const char *gpu)
{
    const struct pair_draft *d = r->d;
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

/* Fills a draft, and assigns the table to the cluster's types with its name. */
static void read_filled(struct interference_reader *r, const struct hs_json *table)
{
    const struct pair_draft *d = r->d;
    struct pair_table *built = NULL;
    enum hs_sharing_mode mode;
    bool is_unstated = false;
    const char *gpu = read_mode(r, table, &mode, &is_unstated) ? read_gpu(r, table, mode) : NULL;
    if (gpu == NULL || !read_table_form(r, table, gpu, mode))
        return;
    read_list(r, table, "jobs", read_job);
    read_list(r, table, "pairs", read_pair);
    read_list(r, table, "model_pairs", read_model_pair);
    r->d->error = read_error(r, table);
    for (uint32_t t = 0; r->check->status == HS_OK && t < r->m->type_count; t++) {
        const struct hs_interference_type *type = &r->m->types[t].type;
        const struct pair_table *had = r->m->types[t].table;
        if (type->mode != mode || !hs_model_same_name(gpu, type->gpu) ||
            (had != NULL && is_unstated))
            continue;
        if (built == NULL)
            built = table_build(r, t);
        built->is_unstated = is_unstated;
        r->m->types[t].table = built;
    }
    if (built != NULL && d->known < d->count)
        count_strangers(r, table, gpu);
}

static void read_table(struct interference_reader *r, const struct hs_json *table)
{
    struct hs_jsoncheck *c = r->check;
    if (!hs_jsoncheck_object(c, table, "a table",
                             "gpu mode form lambda jobs model_pairs pairs in_sample holdout"))
        return;
    const struct hs_json *jobs = hs_json_get(table, "jobs");
    const uint32_t count = hs_json_count(jobs);
    if (jobs == NULL)
        hs_jsoncheck_fault(c, table, NULL, "\"jobs\" is missing");
    if (jobs == NULL || hs_jsoncheck_first(c, table, "jobs", true) == NULL)
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

enum hs_status hs_interference_read(struct hs_interference *m, const char *path,
                                    const struct hs_catalogue *catalogue, struct hs_diag *diag)
{
    struct hs_jsoncheck check;
    struct interference_reader r = {.check = &check, .m = m, .catalogue = catalogue};
    const struct strangers *s = &r.strangers;
    if (hs_modelfile_open(&check, path, HS_MODEL_INTERFERENCE, diag) == HS_OK) {
        const struct hs_json *root = hs_json_root(check.doc);
        (void)hs_jsoncheck_object(&check, root, "an interference model",
                                  "kind format data cleaning rows checks forms tables");
        m->forms = hs_arena_alloc(&m->arena, (uint64_t)hs_json_count(hs_json_get(root, "forms")) *
                                                 sizeof *m->forms);
        read_list(&r, root, "forms", read_form);
        read_list(&r, root, "tables", read_table);
    }
    if (s->count > 0) /* one note for all tables: they mostly have the same jobs */
        hs_report(diag, HS_NOTE, &s->place, NULL,
                  "%" PRIu32 " of %" PRIu32 " jobs measured on %s are not in the catalogue and are "
                  "left out, e.g. '%s'",
                  s->count, s->of, s->gpus, s->example);
    return hs_jsoncheck_close(&check);
}
