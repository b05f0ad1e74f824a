/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * summary.json (nested, with units and the reasons of what is absent) and summary.csv (one wide
 * row, the same columns for every trace, so that the rows of a sweep concatenate; virtual clusters,
 * which differ by trace, are in the JSON alone).
 */
#include <math.h>
#include <string.h>

#include "report/card.h"
#include "report/classes.h"
#include "report/report.h"
#include "report/spread.h"

#define SUMMARY_SCHEMA 1
#define HEADER_SIZE    16384

/* Measures of the classes that are columns of the CSV. */
static const char *const csv_measures[] = {"mean_wait", "mean_jct", "mean_slowdown"};
#define CSV_MEASURES (sizeof csv_measures / sizeof *csv_measures)

static uint32_t measure_index(const char *name)
{
    uint32_t index = 0;
    while (strcmp(hs_class_measure(index), name) != 0)
        index++;
    return index;
}

/* ---- summary.json ---- */

static void write_metrics(const struct hs_summary *s, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "metrics");
    hs_jsonw_object(w);
    for (uint32_t i = 0; i < s->count; i++) {
        hs_jsonw_key(w, s->metrics[i].name);
        hs_jsonw_double(w, s->metrics[i].value);
    }
    hs_jsonw_end_object(w);
    hs_jsonw_key(w, "units");
    hs_jsonw_object(w);
    for (uint32_t i = 0; i < s->count; i++) {
        hs_jsonw_key(w, s->metrics[i].name);
        hs_jsonw_text(w, s->metrics[i].unit);
    }
    hs_jsonw_end_object(w);
    hs_jsonw_key(w, "absent");
    hs_jsonw_object(w);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->metrics[i].absent_because == NULL)
            continue;
        hs_jsonw_key(w, s->metrics[i].name);
        hs_jsonw_text(w, s->metrics[i].absent_because);
    }
    hs_jsonw_end_object(w);
}

static void write_class(const struct hs_class *class, struct hs_jsonw *w)
{
    hs_jsonw_key(w, class->name);
    hs_jsonw_object(w);
    hs_jsonw_member_u64(w, "jobs", class->jobs);
    for (uint32_t i = 0; i < HS_CLASS_MEASURES; i++) {
        hs_jsonw_key(w, hs_class_measure(i));
        hs_jsonw_double(w, class->value[i]);
    }
    hs_jsonw_end_object(w);
}

/* Classes of one kind stand together. */
static void write_classes(const struct hs_summary *s, struct hs_jsonw *w)
{
    hs_jsonw_key(w, "classes");
    hs_jsonw_object(w);
    for (uint32_t i = 0; i < s->class_count; i++) {
        if (i == 0 || strcmp(s->classes[i].kind, s->classes[i - 1].kind) != 0) {
            hs_jsonw_key(w, s->classes[i].kind);
            hs_jsonw_object(w);
        }
        write_class(&s->classes[i], w);
        if (i + 1 == s->class_count || strcmp(s->classes[i].kind, s->classes[i + 1].kind) != 0)
            hs_jsonw_end_object(w);
    }
    hs_jsonw_end_object(w);
}

static enum hs_status write_json(const struct hs_summary *s, const struct hs_card *card,
                                 const char *path, struct hs_output_file *file,
                                 struct hs_diag *diag)
{
    struct hs_output out;
    struct hs_jsonw w;
    HS_TRY(hs_output_open(&out, path, diag));
    hs_jsonw_begin(&w, &out);
    hs_jsonw_object(&w);
    hs_jsonw_member_u64(&w, "schema", SUMMARY_SCHEMA);
    hs_jsonw_key(&w, "card");
    hs_card_write_json(card, &w);
    write_metrics(s, &w);
    write_classes(s, &w);
    hs_spread_write_json(s, &w);
    hs_jsonw_member_text(&w, "sparkline", s->sparkline);
    hs_jsonw_end_object(&w);
    hs_jsonw_finish(&w);
    *file = (struct hs_output_file){.name = "summary.json",
                                    .hash = hs_output_hash(&out),
                                    .bytes = hs_output_bytes(&out),
                                    .rows = 0};
    return hs_output_close(&out, diag);
}

/* ---- summary.csv ---- */

struct header {
    char text[HEADER_SIZE];
    size_t length;
};

static void header_put(struct header *h, const char *text)
{
    size_t length = strlen(text);
    if (h->length + length < sizeof h->text) {
        memcpy(h->text + h->length, text, length + 1);
        h->length += length;
    }
}

/* "2-4" is 2_4 and ">32" is over_32 in a column name. */
static void header_put_class(struct header *h, const struct hs_class *class, const char *measure)
{
    header_put(h, ",");
    header_put(h, class->kind);
    header_put(h, "_");
    for (const char *c = class->name; *c != '\0'; c++)
        header_put(h, *c == '>' ? "over_" : *c == '-' ? "_" : (const char[]){*c, '\0'});
    header_put(h, "_");
    header_put(h, measure);
}

static void header_put_metrics(struct header *h, const struct hs_summary *s, uint32_t from,
                               uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        header_put(h, ",");
        header_put(h, s->metrics[i].name);
    }
}

static void header_put_classes(struct header *h, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        struct hs_class class;
        hs_classes_name(NULL, i, &class);
        header_put_class(h, &class, "jobs");
        for (size_t m = 0; m < CSV_MEASURES; m++)
            header_put_class(h, &class, csv_measures[m]);
    }
}

static void make_header(const struct hs_summary *s, struct header *h)
{
    h->length = 0;
    header_put(h, HS_CARD_COLUMNS);
    header_put_metrics(h, s, 0, s->before_classes);
    header_put_classes(h, HS_CLASS_ALL + 1, HS_CLASS_JOB);
    header_put_metrics(h, s, s->before_classes, s->before_job_classes);
    header_put_classes(h, HS_CLASS_JOB, HS_CLASS_VC);
    header_put_metrics(h, s, s->before_job_classes, s->count);
}

static const struct hs_class *find_class(const struct hs_summary *s, const struct hs_class *like)
{
    for (uint32_t i = 0; i < s->class_count; i++)
        if (strcmp(s->classes[i].kind, like->kind) == 0 &&
            strcmp(s->classes[i].name, like->name) == 0)
            return &s->classes[i];
    return NULL;
}

static void write_values(const struct hs_summary *s, uint32_t from, uint32_t to, struct hs_csvw *w)
{
    for (uint32_t i = from; i < to; i++)
        hs_csvw_double(w, s->metrics[i].value);
}

static void write_class_values(const struct hs_summary *s, uint32_t from, uint32_t to,
                               struct hs_csvw *w)
{
    for (uint32_t i = from; i < to; i++) {
        struct hs_class like;
        hs_classes_name(NULL, i, &like);
        const struct hs_class *class = find_class(s, &like);
        hs_csvw_u64(w, class != NULL ? class->jobs : 0);
        for (size_t m = 0; m < CSV_MEASURES; m++)
            hs_csvw_double(w, class != NULL ? class->value[measure_index(csv_measures[m])]
                                            : (double)NAN);
    }
}

static void write_row(const struct hs_summary *s, const struct hs_card *card, struct hs_csvw *w)
{
    hs_card_write_csv(card, w);
    write_values(s, 0, s->before_classes, w);
    write_class_values(s, HS_CLASS_ALL + 1, HS_CLASS_JOB, w);
    write_values(s, s->before_classes, s->before_job_classes, w);
    write_class_values(s, HS_CLASS_JOB, HS_CLASS_VC, w);
    write_values(s, s->before_job_classes, s->count, w);
    hs_csvw_end(w);
}

static enum hs_status write_csv(const struct hs_summary *s, const struct hs_card *card,
                                const char *path, struct hs_output_file *file, struct hs_diag *diag)
{
    struct header header;
    struct hs_csvw w;
    make_header(s, &header);
    HS_TRY(hs_csvw_open(&w, path, header.text, diag));
    write_row(s, card, &w);
    *file = (struct hs_output_file){.name = "summary.csv",
                                    .hash = hs_output_hash(&w.out),
                                    .bytes = hs_output_bytes(&w.out),
                                    .rows = w.rows};
    return hs_csvw_close(&w, diag);
}

double hs_summary_get(const struct hs_summary *summary, const char *name)
{
    for (uint32_t i = 0; i < summary->count; i++)
        if (strcmp(summary->metrics[i].name, name) == 0)
            return summary->metrics[i].value;
    return (double)NAN;
}

enum hs_status hs_summary_write(const struct hs_summary *summary, const struct hs_card *card,
                                const struct hs_rundir *dir,
                                struct hs_output_file files[HS_SUMMARY_FILES], struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    hs_rundir_file(dir, "summary.json", path, sizeof path);
    HS_TRY(write_json(summary, card, path, &files[0], diag));
    hs_rundir_file(dir, "summary.csv", path, sizeof path);
    return write_csv(summary, card, path, &files[1], diag);
}
