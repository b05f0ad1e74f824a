/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles: 0 A/d/1, 1 A/d/4 (no speed of its own: that of A/d/1), 2 B, 3 C of families F, F, G;
 * 4 D of family F and 5 E of family H, of which no speed is known.
 */
#include "support/rated.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/sink.h"

static const char profiles[] = "model,dataset,batch,precision,family,util\n"
                               "A,d,1,fp32,F,50\nA,d,4,fp32,F,50\nB,d,1,fp32,F,50\n"
                               "C,d,1,fp32,G,50\nD,d,1,fp32,F,50\nE,d,1,fp32,H,50\n";
static const char *const keys[RATED_PROFILES] = {"A/d/1/fp32", "A/d/4/fp32", "B/d/1/fp32",
                                                 "C/d/1/fp32", "D/d/1/fp32", "E/d/1/fp32"};
static const char *const models[] = {"A", "B", "C", "D", "E"};
static const int model_of[RATED_PROFILES] = {0, 0, 1, 2, 3, 4};
static const char *const types[] = {"V100", "P100", "K80"};
static const char *const families[] = {"F", "G"};
static const int family_of[RATED_PROFILES] = {0, 0, 0, 1, 0, -1};

static struct hs_catalogue catalogue;
static struct sink sink;

int roll(struct dice *d, int low, int high)
{
    return low + (int)(hs_mix64(d->seed, d->count++) % (uint64_t)(high - low + 1));
}

long double pick(struct dice *d, int count, const long double *of)
{
    return of[roll(d, 0, count - 1)];
}

/* The double nearest to a decimal, as a reader of the file gets it. */
long double real(struct dice *d, double low, double high)
{
    char text[32];
    double value;
    (void)snprintf(text, sizeof text, "%.6g", low + (high - low) * roll(d, 0, 1000000) / 1e6);
    if (sscanf(text, "%lf", &value) != 1)
        fail_msg("%s", text);
    return value;
}

static const char *made(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

int rated_open(void **state)
{
    (void)scratch_open(state);
    sink_init(&sink);
    return hs_catalogue_load(&catalogue, made("profiles.csv", profiles), &sink.diag) != HS_OK;
}

int rated_close(void **state)
{
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

/* ---- text ---- */

struct text {
    size_t len;
    char at[16384];
};

HS_PRINTF(2, 3)
static void put(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    t->len += (size_t)vsnprintf(t->at + t->len, sizeof t->at - t->len, fmt, args);
    va_end(args);
    assert_true(t->len < sizeof t->at);
}

static void put_number(struct text *t, const char *name, long double value)
{
    put(t, "\"%s\": %.17g", name, (double)value);
}

/* ---- the cluster: up to 8 GPUs on up to 4 nodes ---- */

static void draw_cluster(struct rated *w, struct dice *d)
{
    struct rates_scenario *s = &w->scenario;
    int left = roll(d, 1, RATES_GPUS_MAX), nodes = roll(d, 1, RATES_NODES_MAX);
    struct text t = {0};
    while (s->nodes < nodes && left > 0) {
        int size = s->nodes == nodes - 1 ? left : roll(d, 1, left < 4 ? left : 4);
        put(&t, "%s1x%d:%s", s->nodes > 0 ? "," : "", size, types[roll(d, 0, 2)]);
        s->node_gpus[s->nodes++] = size;
        left -= size;
    }
    assert_true(t.len < sizeof w->shape);
    memcpy(w->shape, t.at, t.len + 1);
    assert_int_equal(hs_cluster_load(&w->cluster, w->shape, &sink.diag), HS_OK);
    for (int n = 0; n < s->nodes; n++)
        s->node_type[n] = (int)w->cluster.nodes[n].type;
    for (uint32_t c = 0; c < w->cluster.type_count; c++)
        s->type_mem_mib[c] = w->cluster.types[c].mem_mib;
}

static int index_of(const struct rated *w, const char *type)
{
    for (uint32_t t = 0; t < w->cluster.type_count; t++)
        if (strcmp(w->cluster.types[t].name, type) == 0)
            return (int)t;
    return -1;
}

/* ---- speeds ---- */

static long double draw_speed(const struct rated *w, struct dice *d)
{
    static const long double powers[] = {1, 0.5, 0.25, 0.125},
                             fractions[] = {1, 0.75, 0.625, 0.375};
    switch (w->kind) {
    case RATED_FRACTIONS:
        return pick(d, 4, fractions);
    case RATED_POWERS:
        return pick(d, 4, powers);
    default:
        return real(d, 0.05, 2);
    }
}

/* V100, the reference, is 1. */
static void put_speeds(const struct rated *w, struct dice *d, struct text *t, long double *of)
{
    of[0] = 1;
    for (int i = 1; i < 3; i++)
        of[i] = draw_speed(w, d);
    put(t, "\"speed\": {\"V100\": 1, \"P100\": %.17g, \"K80\": %.17g}}", (double)of[1],
        (double)of[2]);
}

/* Throughputs of 2 and 4 GPUs that are powers of two, or arbitrary, never falling. */
static void draw_gang(const struct rated *w, struct dice *d, const struct rates_speed *first,
                      struct rates_speed *v)
{
    static const long double halves[] = {1, 0.5}, quarters[] = {1, 0.5, 0.25};
    bool is_any = w->kind == RATED_ANY;
    v->sizes = v->spreads = 2;
    v->size[0] = 2;
    v->size[1] = 4;
    v->efficiency[0] = is_any ? real(d, 0.5, 1) : pick(d, 2, halves);
    v->efficiency[1] = is_any ? v->efficiency[0] * 0.75L : v->efficiency[0] * pick(d, 2, halves);
    for (int i = 0; i < 2; i++)
        v->spread[i] = is_any ? real(d, 0.3, 1) : pick(d, 3, quarters);
    if (first != NULL && !is_any) { /* so that means are exact as well */
        memcpy(v->spread, first->spread, sizeof v->spread);
        memcpy(v->efficiency, first->efficiency, sizeof v->efficiency);
    }
}

static void put_gangs(struct text *t, const char *kind, const char *word, bool is_spread,
                      struct rates_speed gangs[2][2])
{
    put(t, ",\n \"%s\": [", kind);
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < 2; i++) {
            const long double *of = is_spread ? gangs[f][i].spread : gangs[f][i].efficiency;
            put(t,
                "%s\n  {\"family\": \"%s\", \"gpu\": \"%s\", \"gpus\": [2, 4], \"%s\": [%.17g, "
                "%.17g]}",
                f + i > 0 ? "," : "", families[f], types[i], word, (double)of[0], (double)of[1]);
        }
    put(t, "]");
}

/* The spread factor of a family, or a type, without a measurement: the mean over the types of the
 * family (f >= 0), over the families on the type (i < 2), or over all. */
static void mean_spread(struct rates_speed gangs[2][2], int f, int i, struct rates_speed *v)
{
    int n = 0;
    v->spreads = 2;
    v->size[0] = 2;
    v->size[1] = 4;
    for (int g = 0; g < 2; g++)
        for (int k = 0; k < 2; k++) {
            if ((f >= 0 && g != f) || (f < 0 && i < 2 && k != i))
                continue;
            n++;
            for (int size = 0; size < 2; size++)
                v->spread[size] += gangs[g][k].spread[size];
        }
    for (int size = 0; size < 2; size++)
        v->spread[size] /= n;
}

/* The scaling of a family on a type without a measurement: its mean over types; of 8 GPUs as of
 * 4. */
static void mean_scaling(struct rates_speed gangs[2][2], int f, struct rates_speed *v)
{
    v->sizes = 3;
    v->size[2] = 8;
    for (int size = 0; size < 3; size++)
        for (int k = 0; k < 2; k++)
            v->efficiency[size] += gangs[f][k].efficiency[size < 2 ? size : 1] / 2;
}

/* Sets the speed of each profile: its own, that of the other batch, its family's, 1. */
static void set_speeds(struct rated *w, long double own[4][3], long double family[2][3],
                       struct rates_speed gangs[2][2])
{
    for (int p = 0; p <= RATES_PROFILES_MAX; p++)
        for (int i = 0; i < 3; i++) {
            int c = index_of(w, types[i]);
            bool is_profile = p < RATED_PROFILES;
            int f = is_profile ? family_of[p] : -1;
            if (c < 0)
                continue;
            struct rates_speed *v = &w->scenario.speed[p][c];
            *v = f >= 0 && i < 2 ? gangs[f][i] : (struct rates_speed){0};
            if (f < 0 || i == 2)
                mean_spread(gangs, f, i, v);
            if (f >= 0 && i == 2)
                mean_scaling(gangs, f, v);
            v->speed = !is_profile || f < 0 ? 1 : p >= 4 ? family[f][i] : own[p == 1 ? 0 : p][i];
        }
}

static void draw_speeds(struct rated *w, struct dice *d)
{
    long double own[4][3], family[2][3];
    struct rates_speed gangs[2][2] = {{{0}}};
    struct text t = {0};
    put(&t, "{\"kind\": \"speed\", \"format\": 2, \"types\": [\"V100\", \"P100\", \"K80\"],\n"
            " \"reference\": \"V100\", \"jobs\": [");
    for (int p = 0; p < 4; p++) {
        if (p == 1)
            continue;
        put(&t, "%s\n  {\"profile\": \"%s\", \"family\": \"%s\", ", p > 0 ? "," : "", keys[p],
            families[family_of[p]]);
        put_speeds(w, d, &t, own[p]);
    }
    put(&t, "],\n \"families\": [");
    for (int f = 0; f < 2; f++) {
        put(&t, "%s\n  {\"family\": \"%s\", \"jobs\": 1, ", f > 0 ? "," : "", families[f]);
        put_speeds(w, d, &t, family[f]);
    }
    put(&t, "]");
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < 2; i++)
            draw_gang(w, d, f + i > 0 ? &gangs[0][0] : NULL, &gangs[f][i]);
    put_gangs(&t, "scaling", "efficiency", false, gangs);
    put_gangs(&t, "spread", "factor", true, gangs);
    put(&t, "}\n");
    set_speeds(w, own, family, gangs);
    if (hs_speed_load(&w->speed, made("speed.json", t.at), &catalogue, &w->cluster, "V100",
                      &sink.diag) != HS_OK)
        fail_msg("%s%s", sink.text, t.at);
}

/* ---- interference ---- */

static void draw_rank1_row(const struct rated *w, struct dice *d, struct text *t, struct ref_row *r)
{
    static const long double as[] = {0, 1, 1, 1}, bs[] = {0, 1, 3};
    static const long double few[] = {0.25, 0.5, 1, 2};
    r->a = w->kind == RATED_FRACTIONS ? pick(d, 4, as)
           : w->kind == RATED_POWERS  ? pick(d, 4, few)
                                      : real(d, 0, 2);
    r->b = w->kind == RATED_FRACTIONS ? pick(d, 3, bs)
           : w->kind == RATED_POWERS  ? pick(d, 4, few)
                                      : real(d, 0, 2);
    put_number(t, "a", r->a);
    put(t, ", ");
    put_number(t, "b", r->b);
}

static void put_curve(struct dice *d, struct text *t, const char *name, struct ref_curve *c)
{
    c->at_0 = real(d, -0.1, 0.1);
    c->slope = real(d, -0.2, 0.1);
    c->bend = real(d, -0.2, 0.2);
    put(t, ", \"%s\": %.17g, \"%s_slope\": %.17g, \"%s_bend\": %.17g", name, (double)c->at_0, name,
        (double)c->slope, name, (double)c->bend);
}

static void draw_effects(struct dice *d, struct text *t, struct ref_table *table)
{
    put(t, ",\n   \"model_pairs\": [");
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            table->effect[i][j] = real(d, -0.1, 0.1);
            put(t, "%s[\"%s\", \"%s\", %.17g]", i + j > 0 ? ", " : "", models[i], models[j],
                (double)table->effect[i][j]);
        }
    put(t, "]");
}

/* Of jobs 0 beside 1, 1 beside 0, 2 beside 2. */
static void draw_measured(const struct rated *w, struct dice *d, struct text *t,
                          struct ref_table *table)
{
    static const long double exact[] = {0.5, 1, 2, 4}, near[] = {0.75, 1.25, 2.5, 3};
    static const int own[] = {0, 1, 2}, other[] = {1, 0, 2};
    put(t, ",\n   \"pairs\": [");
    for (int i = 0; i < 3; i++) {
        long double slowdown = w->kind == RATED_FRACTIONS ? pick(d, 4, exact)
                               : w->kind == RATED_POWERS  ? pick(d, 4, near)
                                                          : real(d, 0.8, 4);
        table->measured[own[i]][other[i]] = slowdown;
        put(t, "%s[%d, %d, %.17g]", i > 0 ? ", " : "", own[i], other[i], (double)slowdown);
    }
    put(t, "]");
}

/* A table of the first four profiles. */
static void draw_table(struct rated *w, struct dice *d, struct text *t, int type,
                       enum ref_form form)
{
    static struct ref_table unused;
    int c = index_of(w, types[type]);
    struct ref_table *table = c >= 0 ? &w->slow.table[c] : &unused;
    *table = (struct ref_table){.form = form, .rows = 4};
    put(t, "%s\n  {\"gpu\": \"%s\", \"mode\": \"timeslice\", \"form\": \"%s\", \"jobs\": [",
        type > 0 ? "," : "", types[type], form == REF_RANK1 ? "rank-1" : "two-way");
    for (int p = 0; p < table->rows; p++) {
        struct ref_row *r = &table->row[p];
        *r = (struct ref_row){.profile = p, .model = model_of[p]};
        put(t, "%s\n   {\"profile\": \"%s\", ", p > 0 ? "," : "", keys[p]);
        if (form == REF_RANK1) {
            draw_rank1_row(w, d, t, r);
        } else {
            r->util = real(d, 0.05, 1);
            put_number(t, "util", r->util);
            put_curve(d, t, "own", &r->own);
            put_curve(d, t, "other", &r->other);
        }
        put(t, "}");
    }
    put(t, "]");
    if (w->kind == RATED_ANY)
        draw_effects(d, t, table);
    if (form == REF_RANK1)
        draw_measured(w, d, t, table);
    put(t, "}");
}

static void draw_truth(struct rated *w, struct dice *d)
{
    struct hs_interference_options how = {.mode = HS_INTERFERENCE_MEASURED, .gamma = 1};
    struct hs_interference_type names[HS_GPU_TYPES_MAX];
    bool is_any = w->kind == RATED_ANY;
    struct text t = {0};
    w->slow.k = is_any ? real(d, 0.2, 1.5) : 1;
    w->slow.alpha = is_any ? real(d, 0.5, 2) : 1;
    w->slow.beta = is_any ? real(d, 0.5, 2) : 1;
    w->slow.gamma = 1;
    w->slow.is_fit = roll(d, 0, 3) == 0;
    how.capacity = is_any ? (double)real(d, 0.6, 1.8) : (double)INFINITY;
    w->scenario.capacity = how.capacity;
    how.mode = w->slow.is_fit ? HS_INTERFERENCE_FIT : HS_INTERFERENCE_MEASURED;
    put(&t, "{\"kind\": \"interference\", \"format\": 2, \"forms\": [");
    for (int i = 0; i < 2; i++) /* P100 has a two-way table */
        put(&t,
            "%s{\"gpu\": \"%s\", \"mode\": \"timeslice\", \"k\": %.17g, \"alpha\": %.17g, "
            "\"beta\": %.17g}",
            i > 0 ? ", " : "", types[i], (double)w->slow.k, (double)w->slow.alpha,
            (double)w->slow.beta);
    put(&t, "],\n \"tables\": [");
    draw_table(w, d, &t, 0, REF_RANK1);
    draw_table(w, d, &t, 1, is_any ? REF_TWO_WAY : REF_RANK1);
    put(&t, "]}\n");
    for (uint32_t c = 0; c < w->cluster.type_count; c++)
        names[c] = (struct hs_interference_type){.gpu = w->cluster.types[c].name};
    if (hs_interference_load(&w->truth, made("interference.json", t.at), &catalogue, &how, names,
                             w->cluster.type_count, &sink.diag) != HS_OK)
        fail_msg("%s%s", sink.text, t.at);
}

void rated_draw(struct rated *w, enum rated_kind kind, uint64_t seed)
{
    struct dice d = {.seed = seed};
    sink_clear(&sink);
    memset(w, 0, sizeof *w);
    w->kind = kind;
    draw_cluster(w, &d);
    draw_speeds(w, &d);
    draw_truth(w, &d);
    w->scenario.slow = &w->slow;
}

void rated_free(struct rated *w)
{
    hs_speed_free(w->speed);
    hs_interference_free(w->truth);
    hs_cluster_free(&w->cluster);
}
