/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the utilization predictor out of predictor.json: "fit", "shift" and, for the errors,
 * "holdout". The rest of the file belongs to the estimates that policies are told
 * (predictor_load.c).
 */
#include <math.h>
#include <string.h>

#include "model/modelfile.h"
#include "model/utilmodel_private.h"

#define COEFFICIENT_MAX 1e18
#define EFFECT_MAX      100.0
#define CONFIGS_MAX     1e9

struct reader {
    struct hs_jsoncheck check;
    struct hs_utilmodel *m;
};

struct number {
    const char *key;
    double min, max;
    double *to;
};

static void *take(struct reader *r, uint64_t count, size_t size)
{
    void *memory = hs_arena_alloc(&r->m->arena, count * size);
    if (memory == NULL && r->check.status == HS_OK)
        hs_jsoncheck_note(&r->check, hs_fail(r->check.diag, HS_E_MEMORY, NULL, NULL,
                                             "no memory for the utilization predictor"));
    return memory;
}

/* A text that must be there; NULL after a fault. */
static const char *read_name(struct reader *r, const struct hs_json *object, const char *key)
{
    if (hs_json_get(object, key) == NULL)
        hs_jsoncheck_fault(&r->check, object, NULL, "\"%s\" is missing", key);
    const char *text = hs_jsoncheck_text(&r->check, object, key);
    char *copy = text != NULL ? take(r, strlen(text) + 1, 1) : NULL;
    if (copy != NULL)
        memcpy(copy, text, strlen(text));
    return copy;
}

/* A container that must be there; NULL after a fault. */
static const struct hs_json *read_member(struct reader *r, const struct hs_json *object,
                                         const char *key, enum hs_json_kind kind)
{
    const struct hs_json *member = hs_json_get(object, key);
    if (member == NULL)
        hs_jsoncheck_fault(&r->check, object, "write the file again with 'horus calibrate'",
                           "\"%s\" is missing", key);
    else if (hs_jsoncheck_kind(&r->check, member, kind, key))
        return member;
    return NULL;
}

static void read_numbers(struct reader *r, const struct hs_json *object,
                         const struct number *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)hs_jsoncheck_number(&r->check, object, numbers[i].key, numbers[i].min, numbers[i].max,
                                  numbers[i].to);
}

/* A load of 0 has no logarithm. */
#define POSITIVE    1e-12, COEFFICIENT_MAX
#define AT_LEAST_0  0, COEFFICIENT_MAX
#define ANY_EFFECT  -EFFECT_MAX, EFFECT_MAX
#define COUNT_OF(a) (uint32_t)(sizeof(a) / sizeof((a)[0]))

static void read_form(struct reader *r, const struct hs_json *fit)
{
    struct hs_utilform *form = &r->m->form;
    const struct number load[] = {{"launch", POSITIVE, &form->launch},
                                  {"per_gmac", AT_LEAST_0, &form->per_gmac},
                                  {"per_moutput", AT_LEAST_0, &form->per_moutput},
                                  {"amp", ANY_EFFECT, &form->amp}};
    const struct number busy[] = {{"layer_ms", AT_LEAST_0, &form->busy_layer_ms},
                                  {"gmac_ms", AT_LEAST_0, &form->busy_gmac_ms},
                                  {"moutput_ms", AT_LEAST_0, &form->busy_moutput_ms},
                                  {"amp", ANY_EFFECT, &form->busy_amp},
                                  {"margin", POSITIVE, &form->busy_margin}};
    const struct hs_json *object = read_member(r, fit, "load", HS_JSON_OBJECT);
    if (object != NULL)
        read_numbers(r, object, load, COUNT_OF(load));
    object = read_member(r, fit, "busy", HS_JSON_OBJECT);
    if (object != NULL)
        read_numbers(r, object, busy, COUNT_OF(busy));
}

static void read_models(struct reader *r, const struct hs_json *fit)
{
    struct hs_utilmodel *m = r->m;
    const struct hs_json *list = read_member(r, fit, "models", HS_JSON_ARRAY);
    m->entries = take(r, (uint64_t)hs_json_count(list) + 1, sizeof *m->entries);
    if (m->entries == NULL)
        return;
    for (const struct hs_json *at = hs_json_first(list); at != NULL; at = hs_json_next(at)) {
        struct hs_utilmodel_entry *entry = &m->entries[m->count];
        double configs = 1;
        const struct number numbers[] = {{"configs", 1, CONFIGS_MAX, &configs},
                                         {"more_work", AT_LEAST_0, &entry->mate.more_work},
                                         {"host", AT_LEAST_0, &entry->mate.host},
                                         {"slope", ANY_EFFECT, &entry->mate.slope},
                                         {"amp", ANY_EFFECT, &entry->mate.amp},
                                         {"slope_amp", ANY_EFFECT, &entry->mate.slope_amp}};
        if (!hs_jsoncheck_kind(&r->check, at, HS_JSON_OBJECT, "a measured model"))
            continue;
        entry->model = read_name(r, at, "model");
        entry->dataset = read_name(r, at, "dataset");
        read_numbers(r, at, numbers, COUNT_OF(numbers));
        entry->configs = (uint32_t)configs;
        m->count++;
    }
}

static void read_errors(struct reader *r, const struct hs_json *root)
{
    for (uint32_t basis = 0; basis < HS_UTIL_BASIS_COUNT; basis++)
        r->m->error[basis] = NAN;
    const struct hs_json *list = read_member(r, root, "holdout", HS_JSON_ARRAY);
    for (const struct hs_json *at = hs_json_first(list); at != NULL; at = hs_json_next(at)) {
        if (!hs_jsoncheck_kind(&r->check, at, HS_JSON_OBJECT, "a score"))
            continue;
        const char *protocol = hs_jsoncheck_text(&r->check, at, "protocol");
        for (uint32_t basis = HS_UTIL_KNOWN_MODEL; basis < HS_UTIL_BASIS_COUNT; basis++)
            if (protocol != NULL && strcmp(protocol, hs_utilbasis_text(basis)) == 0 &&
                hs_json_kind(hs_json_get(at, "rmse")) != HS_JSON_NULL)
                (void)hs_jsoncheck_number(&r->check, at, "rmse", 0, 1, &r->m->error[basis]);
    }
}

static enum hs_status read_all(struct reader *r)
{
    const struct hs_json *root = hs_json_root(r->check.doc);
    const struct number shift[] = {{"per_ln_batch", ANY_EFFECT, &r->m->shift_per_ln_batch},
                                   {"amp", ANY_EFFECT, &r->m->shift_amp}};
    const struct hs_json *fit = read_member(r, root, "fit", HS_JSON_OBJECT);
    if (fit != NULL) {
        r->m->gpu = read_name(r, fit, "gpu");
        read_form(r, fit);
        read_models(r, fit);
    }
    const struct hs_json *object = read_member(r, root, "shift", HS_JSON_OBJECT);
    if (object != NULL)
        read_numbers(r, object, shift, COUNT_OF(shift));
    read_errors(r, root);
    return r->check.status;
}

enum hs_status hs_utilmodel_load(struct hs_utilmodel **m, const char *path, struct hs_diag *diag)
{
    *m = hs_alloc_zeroed(1, sizeof **m);
    if (*m == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the utilization predictor");
    struct reader r = {.m = *m};
    enum hs_status status = hs_modelfile_open(&r.check, path, HS_MODEL_PREDICTOR, diag);
    if (status == HS_OK)
        status = read_all(&r);
    hs_json_close(r.check.doc);
    if (status != HS_OK) {
        hs_utilmodel_free(*m);
        *m = NULL;
    }
    return status;
}

void hs_utilmodel_free(struct hs_utilmodel *m)
{
    if (m == NULL)
        return;
    hs_arena_free(&m->arena);
    hs_free(m);
}
