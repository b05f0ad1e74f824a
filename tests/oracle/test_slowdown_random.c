/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * hs_interference_slowdown_q20 against the slowdowns of tests/ref/refslow.h on random sets of jobs:
 * drawn models of all forms (support/rated.h), and the shipped configs/models/interference.json,
 * 200 sets a GPU type. The reference reads the shipped file by itself and computes in long double;
 * the allowed difference is that of rounding to Q20 (refslow.h, REF_PAIR_ERROR), carried through
 * sums and queues beside the number.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "data/json.h"
#include "support/rated.h"
#include "support/sink.h"

#define SETS_PER_TYPE 200
#define WORLDS        60
#define TENANTS_MOST  6 /* of a queue */

static struct sink sink;

/* Draws any profile, often one of the table; the value `profiles` stands for none. */
static int draw_profile(struct dice *d, int profiles, const struct ref_table *table)
{
    if (table->rows > 0 && roll(d, 0, 3) > 0)
        return table->row[roll(d, 0, table->rows - 1)].profile;
    return roll(d, 0, profiles);
}

static int draw_set(struct dice *d, int profiles, const struct ref_table *table,
                    struct hs_tenant *engine, struct ref_tenant *reference)
{
    int count = roll(d, 1, TENANTS_MOST);
    for (int i = 0; i < count; i++) {
        int profile = draw_profile(d, profiles, table),
            util_pm = roll(d, 0, 9) == 0 ? -1 : roll(d, 1, 1000);
        util_pm = i > 0 && roll(d, 0, 9) == 0 ? 0 : util_pm; /* self is not idle */
        uint64_t away_q32 = i > 0 && roll(d, 0, 3) == 0 ? hs_mix64(d->seed, d->count++) >> 32 : 0;
        engine[i] =
            (struct hs_tenant){.profile = profile < profiles ? (uint32_t)profile : HS_NO_PROFILE,
                               .util_pm = util_pm,
                               .away_q32 = away_q32};
        reference[i] = (struct ref_tenant){.profile = profile < profiles ? profile : REF_NO_PROFILE,
                                           .util_pm = util_pm,
                                           .presence = 1 - (long double)away_q32 / 4294967296.0L};
    }
    return count;
}

/* The error as a part of the allowed one. */
static long double compare(const struct hs_interference *truth, const struct ref_slow_model *model,
                           int type, int profiles, struct dice *d)
{
    struct hs_tenant engine[TENANTS_MOST];
    struct ref_tenant reference[TENANTS_MOST];
    long double bound;
    int count = draw_set(d, profiles, &model->table[type], engine, reference);
    uint64_t q20 =
        hs_interference_slowdown_q20(truth, (uint32_t)type, engine, (uint32_t)count, 0, NULL);
    long double slowdown = ref_slow(model, type, reference, count, 0, &bound);
    long double error = fabsl((long double)q20 * REF_Q20 - slowdown);
    bound += REF_Q20; /* of the sum */
    if (!(error <= bound)) {
        for (int i = 0; i < count; i++)
            print_error("  profile %d, utilization %d, there %.6Lf\n", reference[i].profile,
                        reference[i].util_pm, reference[i].presence);
        fail_msg("type %d: %.9Lf, reference %.9Lf +- %.9Lf", type, (long double)q20 * REF_Q20,
                 slowdown, bound);
    }
    return error / bound;
}

static void drawn_models(void **state)
{
    long double worst = 0;
    (void)state;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        static struct rated world;
        rated_draw(&world, (enum rated_kind)(seed % RATED_KINDS), hs_mix64(seed, 3));
        struct dice d = {.seed = hs_mix64(seed, 4)};
        for (int type = 0; type < (int)world.cluster.type_count; type++)
            for (int i = 0; i < SETS_PER_TYPE; i++)
                worst = fmaxl(worst, compare(world.truth, &world.slow, type, RATED_PROFILES, &d));
        rated_free(&world);
    }
    print_message("drawn models: largest error %.3Lf of its bound\n", worst);
}

/* ---- the shipped file ---- */

static struct hs_catalogue catalogue;
static const char *models[REF_MODELS_MAX];
static int model_count;

static long double number(const struct hs_json *row, const char *name)
{
    return (long double)hs_json_number(hs_json_get(row, name));
}

static struct ref_curve curve(const struct hs_json *row, const char *at_0, const char *slope,
                              const char *bend)
{
    return (struct ref_curve){number(row, at_0), number(row, slope), number(row, bend)};
}

static int model_index(const char *name)
{
    for (int i = 0; i < model_count; i++)
        if (strcmp(models[i], name) == 0)
            return i;
    assert_true(model_count < REF_MODELS_MAX);
    models[model_count] = name;
    return model_count++;
}

static void read_row(const struct hs_json *row, struct ref_row *r)
{
    uint32_t id = hs_catalogue_find(&catalogue, hs_json_text(hs_json_get(row, "profile")));
    assert_true(id != HS_NO_PROFILE);
    *r = (struct ref_row){.profile = (int)id,
                          .model = model_index(catalogue.profiles[id].model),
                          .a = number(row, "a"),
                          .b = number(row, "b"),
                          .util = number(row, "util"),
                          .own = curve(row, "own", "own_slope", "own_bend"),
                          .other = curve(row, "other", "other_slope", "other_bend")};
}

static void read_table(const struct hs_json *table, struct ref_table *t)
{
    const char *form = hs_json_text(hs_json_get(table, "form"));
    *t = (struct ref_table){.form = strcmp(form, "rank-1") == 0 ? REF_RANK1 : REF_TWO_WAY};
    const struct hs_json *row = hs_json_first(hs_json_get(table, "jobs"));
    for (; row != NULL; row = hs_json_next(row)) {
        assert_true(t->rows < REF_ROWS_MAX);
        read_row(row, &t->row[t->rows++]);
    }
    row = hs_json_first(hs_json_get(table, "model_pairs"));
    for (; row != NULL; row = hs_json_next(row)) {
        const struct hs_json *own = hs_json_first(row), *other = hs_json_next(own);
        t->effect[model_index(hs_json_text(own))][model_index(hs_json_text(other))] =
            hs_json_number(hs_json_next(other));
    }
    row = hs_json_first(hs_json_get(table, "pairs"));
    for (; row != NULL; row = hs_json_next(row)) {
        const struct hs_json *own = hs_json_first(row), *other = hs_json_next(own);
        t->measured[(int)hs_json_number(own)][(int)hs_json_number(other)] =
            hs_json_number(hs_json_next(other));
    }
}

/* Reads the types with a table of time slicing, in the order of the file, and one in no table. */
static int read_model(const struct hs_json *root, struct ref_slow_model *m,
                      struct hs_interference_type *types)
{
    const struct hs_json *general = hs_json_first(hs_json_get(root, "forms"));
    const struct hs_json *table = hs_json_first(hs_json_get(root, "tables"));
    int count = 0;
    *m = (struct ref_slow_model){
        number(general, "k"), number(general, "alpha"), number(general, "beta"), 1, false, {{0}}};
    for (; table != NULL; table = hs_json_next(table)) {
        const char *mode = hs_json_text(hs_json_get(table, "mode"));
        /* The reference has one general form, the first of time slicing. */
        const bool has_own = strcmp(hs_json_text(hs_json_get(table, "form")), "two-way") == 0;
        if ((strcmp(mode, "timeslice") != 0 && strcmp(mode, "unknown") != 0) ||
            (has_own && count > 0))
            continue;
        assert_true(count < REF_TYPES_MAX);
        types[count].gpu = hs_json_text(hs_json_get(table, "gpu"));
        read_table(table, &m->table[count++]);
    }
    types[count++].gpu = "in no table";
    return count;
}

static const struct variant {
    enum hs_interference_mode mode;
    double gamma;
} variants[] = {
    {HS_INTERFERENCE_MEASURED, 1}, {HS_INTERFERENCE_FIT, 1}, {HS_INTERFERENCE_MEASURED, 1.43}};

static void shipped_model(void **state)
{
    static const char path[] = "configs/models/interference.json";
    static struct ref_slow_model model;
    struct hs_interference_type types[REF_TYPES_MAX] = {{0}};
    struct hs_json_doc *doc;
    long double worst = 0;
    (void)state;
    assert_int_equal(hs_catalogue_load(&catalogue, "configs/profiles.csv", &sink.diag), HS_OK);
    assert_int_equal(hs_json_load(&doc, path, &sink.diag), HS_OK);
    int type_count = read_model(hs_json_root(doc), &model, types);
    assert_true(type_count > 1);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        const struct hs_interference_options options = {.mode = variants[v].mode,
                                                        .gamma = variants[v].gamma};
        struct hs_interference *truth;
        struct dice d = {.seed = hs_mix64(v, 5)};
        model.is_fit = variants[v].mode == HS_INTERFERENCE_FIT;
        model.gamma = variants[v].gamma;
        if (hs_interference_load(&truth, path, &catalogue, &options, types, (uint32_t)type_count,
                                 &sink.diag) != HS_OK)
            fail_msg("%s", sink.text);
        for (int type = 0; type < type_count; type++)
            for (int i = 0; i < SETS_PER_TYPE; i++)
                worst = fmaxl(worst, compare(truth, &model, type, (int)catalogue.count, &d));
        hs_interference_free(truth);
    }
    hs_json_close(doc);
    hs_catalogue_free(&catalogue);
    print_message("shipped model: largest error %.3Lf of its bound\n", worst);
}

static int open_all(void **state)
{
    sink_init(&sink);
    return rated_open(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_models),
        cmocka_unit_test(shipped_model),
    };
    return cmocka_run_group_tests(tests, open_all, rated_close);
}
