/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * summary.json (nested, with units and the reasons of what is absent) and summary.csv (one wide
 * row, the same columns for every trace, so that the rows of a sweep concatenate; virtual clusters,
 * which differ by trace, are in the JSON alone).
 */
#include "report/run/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "data/csvwrite.h"
#include "report/run/manifest.h"

#define SUMMARY_SCHEMA 1

/* The order is that of the figures in stats.c. */
static const char *const class_measures[HS_CLASS_MEASURES] = {
    HS_FIGURE_NAMES("wait"), HS_FIGURE_NAMES("jct"), HS_FIGURE_NAMES("slowdown"),
    "mean_bounded_slowdown", "mean_isolated",        HS_FIGURE_NAMES("run_slowdown"),
    "mean_time_to_progress"};

const char *hs_class_measure(uint32_t index)
{
    return index < HS_CLASS_MEASURES ? class_measures[index] : NULL;
}

uint32_t hs_class_of_gpus(uint32_t gpus)
{
    if (gpus <= 2)
        return gpus;
    const uint32_t log2 = 64 - HS_CLZ64(gpus - 1); /* rounded up */
    return log2 < HS_CLASS_GPUS_COUNT - 1 ? log2 : HS_CLASS_GPUS_COUNT - 1;
}

void hs_class_name(uint32_t index, const char *vc, struct hs_class *out)
{
    static const char *const gpus[] = {"0", "1", "2-4", "5-8", "9-16", "17-32", ">32"};
    static const char *const quintiles[] = {"q1", "q2", "q3", "q4", "q5"};
    const char *name = vc;
    out->kind = "vc";
    if (index < HS_CLASS_QUINTILE) {
        out->kind = "gpus";
        name = gpus[index - HS_CLASS_GPUS];
    } else if (index < HS_CLASS_OUTCOME) {
        out->kind = "user_quintile";
        name = quintiles[index - HS_CLASS_QUINTILE];
    } else if (index < HS_CLASS_JOB) {
        out->kind = "outcome";
        name = hs_outcome_text((enum hs_outcome)(index - HS_CLASS_OUTCOME));
    } else if (index < HS_CLASS_VC) {
        out->kind = "class";
        name = hs_job_class_text((enum hs_job_class)(index - HS_CLASS_JOB));
    }
    /* longer names end in "..." */
    if (snprintf(out->name, sizeof out->name, "%s", name) > HS_CLASS_NAME_MAX)
        memcpy(out->name + HS_CLASS_NAME_MAX - 3, "...", 4);
}

double hs_summary_get(const struct hs_summary *summary, const char *name)
{
    for (uint32_t i = 0; i < summary->count; i++)
        if (strcmp(summary->metrics[i].name, name) == 0)
            return summary->metrics[i].value;
    return (double)NAN;
}

struct hs_output_file hs_output_file_of(struct hs_output *out, const char *name, uint64_t rows)
{
    return (struct hs_output_file){
        .name = name, .hash = hs_output_hash(out), .bytes = hs_output_bytes(out), .rows = rows};
}

/* ---- the assumptions ---- */

#define CARD_FIELDS 18
#define SEED_BEFORE 2 /* the seed, a number, stands before this field */

struct card_field {
    const char *name, *text;
};

static void list_card(const struct hs_card *card, struct card_field out[CARD_FIELDS])
{
    const struct hs_semantics *s = &card->policy_semantics;
    const struct card_field fields[CARD_FIELDS] = {
        {"workload", card->workload},
        {"cluster", card->cluster},
        {"policy", card->policy},
        {"order", s->order},
        {"scan", s->scan},
        {"placement", s->placement},
        {"preemption", s->preemption},
        {"preempt_cost", s->cost},
        {"gang", card->gang},
        {"ties", card->ties},
        {"locality", card->locality},
        {"vc", card->vc},
        {"interference", card->interference},
        {"knows", card->knows},
        {"can", card->can},
        {"profiles", card->profiles},
        {"predictor", card->predictor},
        {"speeds", card->speeds},
    };
    memcpy(out, fields, sizeof fields);
}

void hs_card_write_json(const struct hs_card *card, struct hs_jsonw *w)
{
    struct card_field fields[CARD_FIELDS];
    list_card(card, fields);
    hs_jsonw_put(w, "={");
    for (int i = 0; i < CARD_FIELDS; i++) {
        if (i == SEED_BEFORE)
            hs_jsonw_put(w, "seed=%" PRIu64, card->seed);
        hs_jsonw_put(w, "%s=%s", fields[i].name, fields[i].text);
    }
    hs_jsonw_put(w, "}");
}

/* ---- spreads ---- */

void hs_spread_add(struct hs_spread *spread, double value)
{
    spread->min = spread->runs == 0 ? value : fmin(spread->min, value);
    spread->max = spread->runs == 0 ? value : fmax(spread->max, value);
    spread->runs++;
    double before = value - spread->mean;
    spread->mean += before / spread->runs;
    spread->squares += before * (value - spread->mean);
}

double hs_spread_deviation(const struct hs_spread *spread)
{
    return spread->runs < 2 ? (double)NAN : sqrt(spread->squares / (spread->runs - 1));
}

/* ---- summary.json ---- */

/* Classes of one kind stand together. */
static void put_classes(const struct hs_summary *s, struct hs_jsonw *w)
{
    hs_jsonw_put(w, "classes={");
    for (uint32_t i = 0; i < s->class_count; i++) {
        const struct hs_class *class = &s->classes[i];
        if (i == 0 || strcmp(class->kind, class[-1].kind) != 0)
            hs_jsonw_put(w, "%s={", class->kind);
        hs_jsonw_put(w, "%s={", class->name);
        hs_jsonw_put(w, "jobs=%" PRIu64, class->jobs);
        for (uint32_t m = 0; m < HS_CLASS_MEASURES; m++)
            hs_jsonw_put(w, "%s=%g", class_measures[m], class->value[m]);
        hs_jsonw_put(w, "}");
        if (i + 1 == s->class_count || strcmp(class->kind, class[1].kind) != 0)
            hs_jsonw_put(w, "}");
    }
    hs_jsonw_put(w, "}");
}

static void write_json(const struct hs_summary *s, const struct hs_card *card,
                       struct hs_output *out)
{
    struct hs_jsonw writer, *w = &writer;
    hs_jsonw_begin(w, out);
    hs_jsonw_put(w, "={ schema=%u", SUMMARY_SCHEMA);
    hs_jsonw_key(w, "assumptions");
    hs_card_write_json(card, w);
    hs_jsonw_put(w, "metrics={");
    for (uint32_t i = 0; i < s->count; i++)
        hs_jsonw_put(w, "%s=%g", s->metrics[i].name, s->metrics[i].value);
    hs_jsonw_put(w, "} units={");
    for (uint32_t i = 0; i < s->count; i++)
        hs_jsonw_put(w, "%s=%s", s->metrics[i].name, s->metrics[i].unit);
    hs_jsonw_put(w, "} absent={");
    for (uint32_t i = 0; i < s->count; i++)
        if (s->metrics[i].absent_because != NULL)
            hs_jsonw_put(w, "%s=%s", s->metrics[i].name, s->metrics[i].absent_because);
    hs_jsonw_put(w, "}");
    put_classes(s, w);
    if (s->spread_count > 0)
        hs_jsonw_put(w, "tie_jitter={ runs=%u", s->spreads[0].runs);
    for (uint32_t i = 0; i < s->spread_count; i++) {
        const struct hs_spread *spread = &s->spreads[i];
        hs_jsonw_put(w, "%s={ mean=%g deviation=%g min=%g max=%g }", spread->name, spread->mean,
                     hs_spread_deviation(spread), spread->min, spread->max);
    }
    if (s->spread_count > 0)
        hs_jsonw_put(w, "}");
    hs_jsonw_put(w, "sparkline=%s }", s->sparkline);
    hs_jsonw_finish(w);
}

/* ---- summary.csv ---- */

/* Metrics [from, to): names in the header, values in the row. */
static void put_columns(const struct hs_summary *s, uint32_t from, uint32_t to, bool is_header,
                        struct hs_csvw *w)
{
    for (uint32_t i = from; i < to; i++)
        if (is_header)
            hs_csvw_text(w, s->metrics[i].name);
        else
            hs_csvw_double(w, s->metrics[i].value);
}

/* "2-4" is 2_4 and ">32" is over_32 in a column name. */
static void put_class_name(const struct hs_class *class, const char *measure, struct hs_csvw *w)
{
    const bool is_over = class->name[0] == '>';
    char name[128];
    (void)snprintf(name, sizeof name, "%s_%s%s_%s", class->kind, is_over ? "over_" : "",
                   class->name + is_over, measure);
    for (char *at = name; (at = strchr(at, '-')) != NULL;)
        *at = '_';
    hs_csvw_text(w, name);
}

/* The same of classes: how many jobs, mean wait, mean JCT and mean slowdown. */
static void put_class_columns(const struct hs_summary *s, uint32_t from, uint32_t to,
                              bool is_header, struct hs_csvw *w)
{
    for (uint32_t i = from; i < to; i++) {
        const struct hs_class *class = NULL;
        struct hs_class like;
        hs_class_name(i, NULL, &like);
        for (uint32_t c = 0; c < s->class_count && class == NULL; c++)
            if (strcmp(s->classes[c].kind, like.kind) == 0 &&
                strcmp(s->classes[c].name, like.name) == 0)
                class = &s->classes[c];
        if (is_header)
            put_class_name(&like, "jobs", w);
        else
            hs_csvw_u64(w, class != NULL ? class->jobs : 0);
        for (uint32_t m = 0; m < 3 * HS_FIGURES; m += HS_FIGURES)
            if (is_header)
                put_class_name(&like, class_measures[m], w);
            else
                hs_csvw_double(w, class != NULL ? class->value[m] : (double)NAN);
    }
}

static void put_row(const struct hs_summary *s, const struct hs_card *card, bool is_header,
                    struct hs_csvw *w)
{
    struct card_field fields[CARD_FIELDS];
    list_card(card, fields);
    for (int i = 0; i < CARD_FIELDS; i++) {
        if (i == SEED_BEFORE && is_header)
            hs_csvw_text(w, "seed");
        else if (i == SEED_BEFORE)
            hs_csvw_u64(w, card->seed);
        hs_csvw_text(w, is_header ? fields[i].name : fields[i].text);
    }
    put_columns(s, 0, s->before_classes, is_header, w);
    put_class_columns(s, HS_CLASS_ALL + 1, HS_CLASS_JOB, is_header, w);
    put_columns(s, s->before_classes, s->before_job_classes, is_header, w);
    put_class_columns(s, HS_CLASS_JOB, HS_CLASS_VC, is_header, w);
    put_columns(s, s->before_job_classes, s->count, is_header, w);
    hs_csvw_end(w);
}

enum hs_status hs_summary_write(const struct hs_summary *summary, const struct hs_card *card,
                                const struct hs_rundir *dir,
                                struct hs_output_file files[HS_SUMMARY_FILES], struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    struct hs_output json;
    struct hs_csvw csv = {0};
    hs_rundir_file(dir, "summary.json", path, sizeof path);
    HS_TRY(hs_output_open(&json, path, diag));
    write_json(summary, card, &json);
    files[0] = hs_output_file_of(&json, "summary.json", 0);
    HS_TRY(hs_output_close(&json, diag));
    hs_rundir_file(dir, "summary.csv", path, sizeof path);
    HS_TRY(hs_output_open(&csv.out, path, diag));
    put_row(summary, card, true, &csv);
    put_row(summary, card, false, &csv);
    files[1] = hs_output_file_of(&csv.out, "summary.csv", 1);
    return hs_csvw_close(&csv, diag);
}

/* ---- summary.json read back ---- */

static double number_or_nan(const struct hs_json *value)
{
    return hs_json_kind(value) == HS_JSON_NUMBER ? hs_json_number(value) : (double)NAN;
}

enum hs_status hs_runsummary_load(struct hs_runsummary *r, const char *path, struct hs_diag *diag)
{
    struct hs_summary *s = &r->summary;
    *r = (struct hs_runsummary){0};
    HS_TRY(hs_json_load(&r->doc, path, diag));
    const struct hs_json *root = hs_json_root(r->doc);
    const struct hs_json *metrics = hs_json_get(root, "metrics");
    const struct hs_place place = hs_json_place(r->doc, root);
    r->card = hs_renamed_get(root, "assumptions");
    if (hs_json_kind(metrics) != HS_JSON_OBJECT || hs_json_kind(r->card) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, &place, NULL,
                       "not the summary of a run: it has no assumptions or no metrics");
    const struct hs_json *value = hs_json_first(metrics);
    for (; value != NULL && s->count < HS_METRICS_MAX; value = hs_json_next(value)) {
        const char *key = hs_json_key(value);
        const char *unit = hs_json_text(hs_json_get(hs_json_get(root, "units"), key));
        s->metrics[s->count++] = (struct hs_metric){
            .name = hs_present_name(key),
            .unit = unit != NULL ? unit : "",
            .value = number_or_nan(value),
            .absent_because = hs_json_text(hs_json_get(hs_json_get(root, "absent"), key))};
    }
    const struct hs_json *kind = hs_json_first(hs_json_get(root, "classes"));
    for (; kind != NULL; kind = hs_json_next(kind)) {
        const struct hs_json *figures = hs_json_first(kind);
        for (; figures != NULL && s->class_count < HS_CLASSES_MAX;
             figures = hs_json_next(figures)) {
            struct hs_class *class = &s->classes[s->class_count++];
            int64_t jobs = 0;
            (void)hs_json_int(hs_json_get(figures, "jobs"), &jobs);
            class->kind = hs_json_key(kind);
            class->jobs = (uint64_t)jobs;
            (void)snprintf(class->name, sizeof class->name, "%s", hs_json_key(figures));
            for (uint32_t m = 0; m < HS_CLASS_MEASURES; m++)
                class->value[m] = number_or_nan(hs_json_get(figures, class_measures[m]));
        }
    }
    return HS_OK;
}

void hs_runsummary_close(struct hs_runsummary *r)
{
    if (r->doc != NULL)
        hs_json_close(r->doc);
    r->doc = NULL;
}
