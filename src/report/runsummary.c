/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See runsummary.h.
 */
#include "report/runsummary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double number_or_nan(const struct hs_json *value)
{
    return hs_json_kind(value) == HS_JSON_NUMBER ? hs_json_number(value) : (double)NAN;
}

static void read_metrics(struct hs_summary *s, const struct hs_json *root)
{
    const struct hs_json *units = hs_json_get(root, "units"), *absent = hs_json_get(root, "absent");
    const struct hs_json *value = hs_json_first(hs_json_get(root, "metrics"));
    for (; value != NULL && s->count < HS_METRICS_MAX; value = hs_json_next(value)) {
        const char *name = hs_json_key(value), *unit = hs_json_text(hs_json_get(units, name));
        s->metrics[s->count++] =
            (struct hs_metric){.name = name,
                               .unit = unit != NULL ? unit : "",
                               .value = number_or_nan(value),
                               .absent_because = hs_json_text(hs_json_get(absent, name))};
    }
}

static void read_class(struct hs_class *class, const char *kind, const struct hs_json *figures)
{
    int64_t jobs = 0;
    (void)hs_json_int(hs_json_get(figures, "jobs"), &jobs);
    class->kind = kind;
    class->jobs = (uint64_t)jobs;
    (void)snprintf(class->name, sizeof class->name, "%s", hs_json_key(figures));
    for (uint32_t i = 0; i < HS_CLASS_MEASURES; i++)
        class->value[i] = number_or_nan(hs_json_get(figures, hs_class_measure(i)));
}

static void read_classes(struct hs_summary *s, const struct hs_json *root)
{
    const struct hs_json *kind = hs_json_first(hs_json_get(root, "classes"));
    for (; kind != NULL; kind = hs_json_next(kind)) {
        const struct hs_json *class = hs_json_first(kind);
        for (; class != NULL && s->class_count < HS_CLASSES_MAX; class = hs_json_next(class))
            read_class(&s->classes[s->class_count++], hs_json_key(kind), class);
    }
}

enum hs_status hs_runsummary_load(struct hs_runsummary *r, const char *path, struct hs_diag *diag)
{
    *r = (struct hs_runsummary){0};
    HS_TRY(hs_json_load(&r->doc, path, diag));
    const struct hs_json *root = hs_json_root(r->doc);
    const struct hs_place place = hs_json_place(r->doc, root);
    r->card = hs_json_get(root, "card");
    if (hs_json_kind(hs_json_get(root, "metrics")) != HS_JSON_OBJECT ||
        hs_json_kind(r->card) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, &place, NULL,
                       "not the summary of a run: it has no card or no metrics");
    read_metrics(&r->summary, root);
    read_classes(&r->summary, root);
    return HS_OK;
}

void hs_runsummary_close(struct hs_runsummary *r)
{
    if (r->doc != NULL)
        hs_json_close(r->doc);
    r->doc = NULL;
}
