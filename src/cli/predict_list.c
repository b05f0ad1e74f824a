/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus predict --list`: what there is to ask about, one line a model and dataset of the
 * catalogue, in its order.
 */
#include <stdio.h>
#include <string.h>

#include "cli/predict.h"
#include "data/json.h"

#define VALUES_MAX 64u
#define LIST_SIZE  1024

/* What a line is about, or a part of it: all rows of the model and dataset of row `first`. */
struct group {
    const struct hs_catalogue *catalogue;
    uint32_t first;
};

static bool is_member(const struct group *g, uint32_t i)
{
    const struct hs_profile *a = &g->catalogue->profiles[g->first], *b = &g->catalogue->profiles[i];
    return strcmp(a->model, b->model) == 0 && strcmp(a->dataset, b->dataset) == 0;
}

typedef const char *(*column)(const struct hs_profile *row);

static const char *batch_of(const struct hs_profile *row)
{
    return row->batch;
}

static const char *precision_of(const struct hs_profile *row)
{
    return row->precision;
}

static const char *gpu_of(const struct hs_profile *row)
{
    return row->gpu;
}

static bool has_precision(const struct hs_profile *row, const char *precision)
{
    return precision == NULL || strcmp(row->precision, precision) == 0;
}

/* Decimal numbers without leading zeros, as batches are: the longer is the larger. */
static bool is_smaller(const char *a, const char *b)
{
    size_t a_len = strlen(a), b_len = strlen(b);
    return a_len != b_len ? a_len < b_len : strcmp(a, b) < 0;
}

/* Different values of a column, of all members or of those of one precision: batches from the
 * smallest, anything else in the order of the catalogue. */
static uint32_t collect(const struct group *g, column of, const char *precision,
                        const char *values[VALUES_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = g->first; i < g->catalogue->count && count < VALUES_MAX; i++) {
        const struct hs_profile *row = &g->catalogue->profiles[i];
        if (!is_member(g, i) || !has_precision(row, precision))
            continue;
        uint32_t at = 0;
        while (at < count && strcmp(values[at], of(row)) != 0)
            at++;
        if (at < count)
            continue;
        for (at = count++; at > 0 && of == batch_of && is_smaller(of(row), values[at - 1]); at--)
            values[at] = values[at - 1];
        values[at] = of(row);
    }
    return count;
}

/* "16 32 64"; a model without batches has '-'. */
static void join(const struct group *g, column of, const char *precision, char text[LIST_SIZE])
{
    const char *values[VALUES_MAX];
    uint32_t count = collect(g, of, precision, values);
    size_t len = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count && len < LIST_SIZE; i++)
        len += (size_t)snprintf(text + len, LIST_SIZE - len, "%s%s", i > 0 ? " " : "",
                                values[i][0] != '\0' ? values[i] : "-");
}

/* "fp32, amp: 64 128" where both have the same batches, else "fp32: 64 128; amp: 64". */
static void say_batches(struct hs_output *out, const struct group *g)
{
    char batches[LIST_SIZE], before[LIST_SIZE] = "";
    const char *precisions[VALUES_MAX];
    uint32_t count = collect(g, precision_of, NULL, precisions);
    for (uint32_t i = 0; i < count; i++) {
        join(g, batch_of, precisions[i], batches);
        if (i == 0)
            hs_say(out, "%s", precisions[i]);
        else if (strcmp(batches, before) == 0)
            hs_say(out, ", %s", precisions[i]);
        else
            hs_say(out, ": %s; %s", before, precisions[i]);
        memcpy(before, batches, sizeof before);
    }
    hs_say(out, ": %s\n", before);
}

static void say_group(struct hs_output *out, const struct group *g)
{
    char gpus[LIST_SIZE];
    const struct hs_profile *row = &g->catalogue->profiles[g->first];
    join(g, gpu_of, NULL, gpus);
    hs_say(out, "%-18s %-14s %-18s ", row->model, row->dataset[0] != '\0' ? row->dataset : "-",
           gpus);
    say_batches(out, g);
}

static void list_json(struct hs_jsonw *w, const char *key, const struct group *g, column of,
                      const char *precision)
{
    const char *values[VALUES_MAX];
    uint32_t count = collect(g, of, precision, values);
    hs_jsonw_key(w, key);
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < count; i++)
        if (values[i][0] != '\0')
            hs_jsonw_text(w, values[i]);
    hs_jsonw_end_array(w);
}

static void group_json(struct hs_jsonw *w, const struct group *g)
{
    const struct hs_profile *row = &g->catalogue->profiles[g->first];
    const char *precisions[VALUES_MAX];
    uint32_t count = collect(g, precision_of, NULL, precisions);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "model", row->model);
    hs_jsonw_member_text(w, "dataset", row->dataset);
    list_json(w, "gpus", g, gpu_of, NULL);
    hs_jsonw_key(w, "batches");
    hs_jsonw_object(w);
    for (uint32_t i = 0; i < count; i++)
        list_json(w, precisions[i], g, batch_of, precisions[i]);
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
}

static bool is_first_of_group(const struct hs_catalogue *catalogue, uint32_t i)
{
    const struct group g = {catalogue, i};
    for (uint32_t j = 0; j < i; j++)
        if (is_member(&g, j))
            return false;
    return true;
}

static void list(struct hs_output *out, const struct hs_catalogue *catalogue, bool json)
{
    struct hs_jsonw w;
    if (json) {
        hs_jsonw_begin(&w, out);
        hs_jsonw_array(&w);
    } else {
        hs_say(out, "%-18s %-14s %-18s %s\n", "model", "dataset", "measured on",
               "precision: batches");
    }
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct group g = {catalogue, i};
        if (!is_first_of_group(catalogue, i))
            continue;
        if (json)
            group_json(&w, &g);
        else
            say_group(out, &g);
    }
    if (json) {
        hs_jsonw_end_array(&w);
        hs_jsonw_finish(&w);
    }
}

enum hs_status hs_predict_list(struct hs_output *out, const struct hs_predict_options *options,
                               struct hs_diag *diag)
{
    struct hs_catalogue catalogue = {0};
    HS_TRY(hs_catalogue_load(&catalogue, options->profiles, diag));
    list(out, &catalogue, options->json);
    hs_catalogue_free(&catalogue);
    return HS_OK;
}
