/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See sweeptable.h. Reading is O(points x values of an axis).
 */
#include "report/compare/sweeptable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/io.h"
#include "base/fmt.h"
#include "data/csvread.h"
#include "report/run/manifest.h"

const char *const hs_sweep_metrics[HS_SWEEP_METRICS_MAX + 1] = {
    "mean_jct",       "p99_jct", "mean_wait", "p99_wait", "mean_bounded_slowdown",
    "gpu_allocation", NULL};

#define AXIS_PREFIX "axis_"

struct sweep_reading {
    struct hs_sweeptable *t;
    struct hs_csv *csv;
    struct hs_diag *diag;
    uint32_t axis_column[HS_SWEEPTABLE_AXES_MAX], metric_column[HS_SWEEP_METRICS_MAX];
    uint32_t run, state, exit, workload, cluster;
    bool needs_all; /* of the metrics */
    bool has_done;  /* a point */
};

static const char *keep(struct hs_sweeptable *t, const struct hs_csv_row *row, uint32_t column)
{
    return column < row->count ? hs_arena_text(&t->arena, row->fields[column], row->lengths[column])
                               : "";
}

/* ---- the file ---- */

static enum hs_status read_head(struct sweep_reading *r, const struct hs_csv_row *row)
{
    struct hs_sweeptable *t = r->t;
    for (uint32_t c = 0; c < row->count; c++) {
        if (strncmp(row->fields[c], AXIS_PREFIX, strlen(AXIS_PREFIX)) != 0)
            continue;
        const struct hs_place place = hs_csv_place(r->csv, c);
        if (t->axis_count == HS_SWEEPTABLE_AXES_MAX)
            return hs_fail(r->diag, HS_E_LIMIT, &place, NULL,
                           "a report draws sweeps of at most %u keys", HS_SWEEPTABLE_AXES_MAX);
        r->axis_column[t->axis_count] = c;
        struct hs_sweeptable_axis *axis = &t->axes[t->axis_count++];
        axis->key = hs_arena_text(&t->arena, row->fields[c] + strlen(AXIS_PREFIX),
                                  row->lengths[c] - strlen(AXIS_PREFIX));
    }
    for (uint32_t m = 0; m < t->metric_count; m++) {
        const struct hs_place place = hs_csv_place(r->csv, 0);
        r->metric_column[m] = hs_renamed_column(row, t->metrics[m]);
        if (r->metric_column[m] >= row->count && r->needs_all)
            return hs_fail(r->diag, HS_E_INPUT, &place, NULL, "there is no column '%s'",
                           t->metrics[m]);
    }
    r->run = hs_csv_column(row, "run");
    r->state = hs_csv_column(row, "state");
    r->exit = hs_csv_column(row, "exit");
    r->workload = hs_csv_column(row, "workload");
    r->cluster = hs_csv_column(row, "cluster");
    const struct hs_place place = hs_csv_place(r->csv, 0);
    if (r->run >= row->count || r->state >= row->count)
        return hs_fail(r->diag, HS_E_INPUT, &place, NULL,
                       "not the table of a sweep: there is no column run or state");
    return HS_OK;
}

static enum hs_status value_index(struct sweep_reading *r, uint32_t axis, const char *text,
                                  uint32_t *index)
{
    struct hs_sweeptable_axis *a = &r->t->axes[axis];
    for (*index = 0; *index < a->count; ++*index)
        if (strcmp(a->values[*index], text) == 0)
            return HS_OK;
    const struct hs_place place = hs_csv_place(r->csv, r->axis_column[axis]);
    if (a->count == HS_SWEEP_VALUES_MAX)
        return hs_fail(r->diag, HS_E_LIMIT, &place, NULL,
                       "a report draws at most %u values of a key", HS_SWEEP_VALUES_MAX);
    a->values[a->count++] = hs_arena_text(&r->t->arena, text, strlen(text));
    return HS_OK;
}

/* Workload and cluster as long as all points that are done have the same. */
static void take_what(const struct sweep_reading *r, const char **what, const char *text)
{
    if (!r->has_done)
        *what = text;
    else if (*what != NULL && strcmp(*what, text) != 0)
        *what = NULL;
}

static enum hs_status read_point(struct sweep_reading *r, const struct hs_csv_row *row)
{
    struct hs_sweeptable *t = r->t;
    hs_grow((void **)&t->points, &t->point_cap, (uint64_t)t->point_count + 1, sizeof *t->points,
            HS_SWEEP_POINTS_MAX);
    struct hs_sweeptable_point *p = &t->points[t->point_count++];
    *p = (struct hs_sweeptable_point){.run = keep(t, row, r->run),
                                      .state = keep(t, row, r->state),
                                      .exit = keep(t, row, r->exit)};
    p->is_done = strcmp(p->state, "done") == 0;
    for (uint32_t a = 0; a < t->axis_count; a++) {
        const uint32_t column = r->axis_column[a];
        HS_TRY(value_index(r, a, column < row->count ? row->fields[column] : "", &p->at[a]));
    }
    for (uint32_t m = 0; m < t->metric_count; m++) {
        const uint32_t column = r->metric_column[m];
        if (column >= row->count ||
            !hs_parse_double(row->fields[column], row->lengths[column], &p->value[m]))
            p->value[m] = (double)NAN;
    }
    if (p->is_done) {
        take_what(r, &t->workload, keep(t, row, r->workload));
        take_what(r, &t->cluster, keep(t, row, r->cluster));
        r->has_done = true;
    }
    return HS_OK;
}

/* ---- axes and their parts ---- */

static void sort_values(struct hs_sweeptable *t, uint32_t axis)
{
    struct hs_sweeptable_axis *a = &t->axes[axis];
    uint32_t new_index[HS_SWEEP_VALUES_MAX], order[HS_SWEEP_VALUES_MAX];
    const char *values[HS_SWEEP_VALUES_MAX];
    double numbers[HS_SWEEP_VALUES_MAX];
    a->is_numeric = true;
    for (uint32_t i = 0; i < a->count && a->is_numeric; i++)
        a->is_numeric = hs_parse_double(a->values[i], strlen(a->values[i]), &a->numbers[i]);
    if (!a->is_numeric)
        return;
    for (uint32_t i = 0; i < a->count; i++) { /* few values: by insertion */
        uint32_t k = i;
        for (; k > 0 && a->numbers[order[k - 1]] > a->numbers[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        new_index[order[i]] = i;
        values[i] = a->values[order[i]];
        numbers[i] = a->numbers[order[i]];
    }
    memcpy(a->values, values, a->count * sizeof *values);
    memcpy(a->numbers, numbers, a->count * sizeof *numbers);
    for (uint32_t p = 0; p < t->point_count; p++)
        t->points[p].at[axis] = new_index[t->points[p].at[axis]];
}

/* Does the value on axis a follow from that on axis b, for every point? */
static bool follows(const struct hs_sweeptable *t, uint32_t a, uint32_t b)
{
    uint32_t value[HS_SWEEP_VALUES_MAX];
    bool is_known[HS_SWEEP_VALUES_MAX] = {false};
    for (uint32_t p = 0; p < t->point_count; p++) {
        const uint32_t at = t->points[p].at[b];
        if (is_known[at] && value[at] != t->points[p].at[a])
            return false;
        is_known[at] = true;
        value[at] = t->points[p].at[a];
    }
    return true;
}

/* The free axis (not yet in a part) with most values; of numbers, or of names. */
static uint32_t longest_free(const struct hs_sweeptable *t, bool is_numeric)
{
    uint32_t longest = HS_SWEEP_NONE;
    for (uint32_t a = 0; a < t->axis_count; a++)
        if (t->axes[a].part == HS_SWEEP_FACET && t->axes[a].is_numeric == is_numeric &&
            (longest == HS_SWEEP_NONE || t->axes[a].count > t->axes[longest].count))
            longest = a;
    return longest;
}

/* Gives the line or x axis; axes whose values follow from it are fixed. */
static void take_part(struct hs_sweeptable *t, uint32_t axis, enum hs_sweep_part part)
{
    *(part == HS_SWEEP_X ? &t->x : &t->line) = axis;
    if (axis == HS_SWEEP_NONE)
        return;
    t->axes[axis].part = part;
    for (uint32_t a = 0; a < t->axis_count; a++)
        if (t->axes[a].part == HS_SWEEP_FACET && follows(t, a, axis))
            t->axes[a].part = HS_SWEEP_FIXED;
}

/* x: the axis that was asked for, or HS_SWEEP_NONE. */
static void give_parts(struct hs_sweeptable *t, uint32_t x)
{
    uint32_t line = HS_SWEEP_NONE;
    for (uint32_t a = 0; a < t->axis_count; a++) {
        struct hs_sweeptable_axis *axis = &t->axes[a];
        const bool is_seed =
            strcmp(axis->key, "seed") == 0 || strcmp(axis->key, "assign_seed") == 0;
        axis->part = axis->count < 2 ? HS_SWEEP_FIXED
                     : is_seed       ? HS_SWEEP_REPLICATE
                                     : HS_SWEEP_FACET;
        if (axis->part == HS_SWEEP_FACET && strcmp(axis->key, "policy") == 0 && a != x)
            line = a;
    }
    take_part(t, x, HS_SWEEP_X);
    take_part(t, line, HS_SWEEP_LINE);
    if (x == HS_SWEEP_NONE)
        take_part(t, longest_free(t, true), HS_SWEEP_X);
    if (line == HS_SWEEP_NONE)
        take_part(t, longest_free(t, false), HS_SWEEP_LINE);
    if (t->line == HS_SWEEP_NONE)
        take_part(t, longest_free(t, true), HS_SWEEP_LINE);
    if (t->x == HS_SWEEP_NONE)
        take_part(t, longest_free(t, false), HS_SWEEP_X);
}

/* Numbers the combinations of the axes of a part as they come. */
static uint32_t combine(struct hs_sweeptable *t, enum hs_sweep_part part)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < t->point_count; p++) {
        uint32_t found = count;
        for (uint32_t before = 0; before < p && found == count; before++) {
            bool is_same = true;
            for (uint32_t a = 0; a < t->axis_count && is_same; a++)
                is_same = t->axes[a].part != part || t->points[p].at[a] == t->points[before].at[a];
            if (is_same)
                found =
                    part == HS_SWEEP_FACET ? t->points[before].facet : t->points[before].replicate;
        }
        if (part == HS_SWEEP_FACET)
            t->points[p].facet = found;
        else
            t->points[p].replicate = found;
        count += found == count;
    }
    return count;
}

static enum hs_status find_axis(const struct hs_sweeptable *t, const char *key, const char *path,
                                struct hs_diag *diag, uint32_t *axis)
{
    char swept[256] = "";
    for (*axis = 0; *axis < t->axis_count; ++*axis) {
        if (t->axes[*axis].count > 1 && strcmp(t->axes[*axis].key, key) == 0)
            return HS_OK;
        hs_append(swept, sizeof swept, " %s", t->axes[*axis].key);
    }
    return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path}, NULL,
                   "'%s' was not swept; there are:%s", key, swept);
}

enum hs_status hs_sweeptable_read(struct hs_sweeptable *t, const char *path,
                                  const char *const *metrics, const char *x, struct hs_diag *diag)
{
    struct sweep_reading r = {.t = t, .diag = diag, .needs_all = metrics != hs_sweep_metrics};
    struct hs_input *input;
    struct hs_csv_row row;
    uint32_t axis = HS_SWEEP_NONE;
    *t = (struct hs_sweeptable){0};
    for (; metrics[t->metric_count] != NULL; t->metric_count++)
        t->metrics[t->metric_count] = metrics[t->metric_count];
    HS_TRY(hs_input_open(&input, path, diag));
    hs_csv_open(&r.csv, input, ',', diag);
    enum hs_status s = hs_csv_next(r.csv, &row);
    if (s == HS_OK)
        s = read_head(&r, &row);
    while (s == HS_OK && (s = hs_csv_next(r.csv, &row)) == HS_OK)
        s = read_point(&r, &row);
    hs_csv_close(r.csv);
    hs_input_close(input);
    if (s != HS_END)
        return s;
    for (uint32_t a = 0; a < t->axis_count; a++)
        sort_values(t, a);
    if (x != NULL)
        HS_TRY(find_axis(t, x, path, diag, &axis));
    give_parts(t, axis);
    t->facets = combine(t, HS_SWEEP_FACET);
    t->replicates = combine(t, HS_SWEEP_REPLICATE);
    t->lines = t->line != HS_SWEEP_NONE ? t->axes[t->line].count : 1;
    t->places = t->x != HS_SWEEP_NONE ? t->axes[t->x].count : 1;
    return HS_OK;
}

void hs_sweeptable_values(const struct hs_sweeptable *t, uint32_t facet, uint32_t metric,
                          double *values)
{
    for (size_t i = 0; i < (size_t)t->lines * t->places * t->replicates; i++)
        values[i] = (double)NAN;
    for (uint32_t i = 0; i < t->point_count; i++) {
        const struct hs_sweeptable_point *p = &t->points[i];
        const uint32_t line = t->line != HS_SWEEP_NONE ? p->at[t->line] : 0,
                       x = t->x != HS_SWEEP_NONE ? p->at[t->x] : 0;
        if (p->is_done && p->facet == facet)
            values[((size_t)line * t->places + x) * t->replicates + p->replicate] =
                p->value[metric];
    }
}

void hs_sweeptable_facet(const struct hs_sweeptable *t, uint32_t facet, char *text, size_t size)
{
    uint32_t p = 0;
    text[0] = '\0';
    while (p < t->point_count && t->points[p].facet != facet)
        p++;
    for (uint32_t a = 0; a < t->axis_count && p < t->point_count; a++)
        if (t->axes[a].part == HS_SWEEP_FACET)
            hs_append(text, size, "%s%s = %s", text[0] != '\0' ? ", " : "", t->axes[a].key,
                      t->axes[a].values[t->points[p].at[a]]);
}

void hs_sweeptable_free(struct hs_sweeptable *t)
{
    hs_arena_free(&t->arena);
    hs_free(t->points);
    t->points = NULL;
}
