/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the members of a table strictly: what is not understood is a fault at its place, and
 * reading goes on.
 */
#include "model/interference_draft.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/modelfile.h"

#define NAME_MAX_LEN 255u
#define EFFECT_MAX   10.0 /* on a speed, which is at most 1 */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct reader {
    struct hs_jsoncheck *check;
    const struct hs_catalogue *catalogue;
};

/* ---- jobs of a table ---- */

static void read_rank_1(struct reader *r, const struct hs_json *job, struct hs_tablejob *e)
{
    static const char *const keys[] = {"profile", "a", "b"};
    hs_jsoncheck_keys(r->check, job, keys, COUNT_OF(keys), "a job of a rank-1 table");
    (void)hs_jsoncheck_number(r->check, job, "a", 0, HS_FACTOR_MAX, &e->own.value);
    (void)hs_jsoncheck_number(r->check, job, "b", 0, HS_FACTOR_MAX, &e->other.value);
}

static void read_effect(struct reader *r, const struct hs_json *job, const char *key, double *value)
{
    (void)hs_jsoncheck_number(r->check, job, key, -EFFECT_MAX, EFFECT_MAX, value);
}

static void read_two_way(struct reader *r, const struct hs_json *job, struct hs_tablejob *e)
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
    return hs_intern_get(&d->models, name, id);
}

static void read_profile(struct reader *r, const struct hs_json *job, struct hs_tabledraft *d,
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

static void read_jobs(struct reader *r, const struct hs_json *jobs, struct hs_tabledraft *d)
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

static bool read_index(struct reader *r, const struct hs_json *value, const struct hs_tabledraft *d,
                       uint32_t *index)
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

static void read_pair(struct reader *r, const struct hs_json *pair, struct hs_tabledraft *d)
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

static void read_pairs(struct reader *r, const struct hs_json *pairs, struct hs_tabledraft *d)
{
    if (pairs == NULL || !hs_jsoncheck_kind(r->check, pairs, HS_JSON_ARRAY, "pairs"))
        return;
    for (const struct hs_json *p = hs_json_first(pairs); p != NULL; p = hs_json_next(p))
        read_pair(r, p, d);
}

/* ---- effects of two models ---- */

/* A model of the table; ids are those of the jobs' profiles. */
static bool read_model(struct reader *r, const struct hs_json *value, struct hs_tabledraft *d,
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

static void read_model_pair(struct reader *r, const struct hs_json *pair, struct hs_tabledraft *d)
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

static void read_model_pairs(struct reader *r, const struct hs_json *pairs, struct hs_tabledraft *d)
{
    if (pairs == NULL || !hs_jsoncheck_kind(r->check, pairs, HS_JSON_ARRAY, "model_pairs"))
        return;
    for (const struct hs_json *p = hs_json_first(pairs); p != NULL; p = hs_json_next(p))
        read_model_pair(r, p, d);
}

void hs_tabledraft_read(struct hs_tabledraft *draft, struct hs_jsoncheck *check,
                        const struct hs_catalogue *catalogue, const struct hs_json *table)
{
    struct reader r = {check, catalogue};
    read_jobs(&r, hs_json_get(table, "jobs"), draft);
    read_pairs(&r, hs_json_get(table, "pairs"), draft);
    read_model_pairs(&r, hs_json_get(table, "model_pairs"), draft);
}
