/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Virtual clusters: where their list comes from (the cluster's own JSON, another JSON, Helios'
 * cluster_gpu_number.csv) and how they get nodes or quotas. A VC without GPUs stays in the list, so
 * that its jobs are refused for lack of GPUs and not for lack of the VC.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/timeparse.h"
#include "data/csvread.h"
#include "data/jsoncheck.h"
#include "model/cluster_draft.h"

#define DATE_MAX 64u

/* The list, and where each entry was said. */
struct source {
    struct hs_cluster_draft list; /* vcs only */
    struct hs_json_doc *doc;
    const struct hs_json *vcs;
    const char *file;
    int64_t line; /* of the CSV row taken */
    struct hs_diag *diag;
};

static struct hs_place place_of(const struct source *s, uint32_t vc)
{
    if (s->doc == NULL)
        return (struct hs_place){.file = s->file, .line = s->line};
    if (vc == HS_NO_VC)
        return hs_json_place(s->doc, s->vcs);
    return hs_json_place(s->doc, hs_json_get(s->vcs, s->list.vcs[vc].name));
}

/* ---- dealing ---- */

/* The sizes of a CSV change from day to day: a row may be of a larger or smaller cluster. */
static const char *sizes_hint(const struct source *s)
{
    if (s->file == NULL || s->doc != NULL)
        return NULL;
    return "the sizes change from day to day: --vc-date takes another row; --vc=quota deals no "
           "nodes";
}

/* VC after VC takes the next whole nodes in id order until it has its GPUs. */
static enum hs_status deal_nodes(struct hs_cluster *c, const struct source *s)
{
    uint32_t node = 0;
    for (uint32_t v = 0; v < s->list.vc_count; v++) {
        uint64_t wanted = s->list.vcs[v].gpus, dealt = 0;
        while (dealt < wanted && node < c->node_count) {
            dealt += c->nodes[node].gpus;
            c->nodes[node++].vc = v;
        }
        if (dealt == wanted)
            continue;
        struct hs_place place = place_of(s, v);
        if (dealt < wanted)
            return hs_fail(s->diag, HS_E_INPUT, &place, sizes_hint(s),
                           "virtual cluster '%s' needs %" PRIu64 " GPUs, but only %" PRIu64
                           " are left of the cluster's %u",
                           s->list.vcs[v].name, wanted, dealt, c->gpu_count);
        return hs_fail(s->diag, HS_E_INPUT, &place,
                       "a partition deals whole nodes in the order of their numbers",
                       "virtual cluster '%s' needs %" PRIu64 " GPUs, but node '%s' ends its share "
                       "at %" PRIu64,
                       s->list.vcs[v].name, wanted, c->nodes[node - 1].name, dealt);
    }
    if (node == c->node_count)
        return HS_OK;
    const char *hint = sizes_hint(s);
    if (hint == NULL)
        hint = "every node must belong to a virtual cluster";
    struct hs_place place = place_of(s, HS_NO_VC);
    return hs_fail(s->diag, HS_E_INPUT, &place, hint,
                   "the virtual clusters have %u GPUs in all, the cluster %u: %u nodes are left",
                   c->nodes[node].first_gpu, c->gpu_count, c->node_count - node);
}

static enum hs_status set_names(struct hs_cluster *c)
{
    hs_intern_free(&c->vc_names);
    HS_TRY(hs_intern_init(&c->vc_names));
    for (uint32_t v = 0; v < c->vc_count; v++) {
        uint32_t id;
        HS_TRY(hs_intern_get(&c->vc_names, c->vcs[v].name, &id));
    }
    return HS_OK;
}

static enum hs_status apply(struct hs_cluster *c, enum hs_vc_mode mode, const struct source *s)
{
    uint32_t count = s->list.vc_count;
    struct hs_vc *vcs = hs_arena_alloc(&c->arena, count * sizeof *vcs);
    if (vcs == NULL)
        return HS_E_MEMORY;
    for (uint32_t v = 0; v < count; v++) {
        const char *name = s->list.vcs[v].name;
        vcs[v] = (struct hs_vc){.name = hs_arena_text(&c->arena, name, strlen(name)),
                                .quota_gpus = UINT64_MAX,
                                .gpus = c->gpu_count};
        if (vcs[v].name == NULL)
            return HS_E_MEMORY;
        if (mode == HS_VC_QUOTA)
            vcs[v].quota_gpus = s->list.vcs[v].gpus;
        else
            vcs[v].gpus = s->list.vcs[v].gpus;
    }
    c->vcs = vcs;
    c->vc_count = count;
    c->vc_mode = mode;
    HS_TRY(set_names(c));
    if (mode == HS_VC_QUOTA)
        return HS_OK;
    if (s->file != NULL || c->own_node_vc == NULL)
        return deal_nodes(c, s);
    for (uint32_t n = 0; n < c->node_count; n++)
        c->nodes[n].vc = c->own_node_vc[n];
    return HS_OK;
}

/* ---- the cluster's own ---- */

static enum hs_status apply_own(struct hs_cluster *c, enum hs_vc_mode mode, struct hs_diag *diag)
{
    if (c->own_vc_count == 0)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "add \"vcs\": {\"name\": gpus} to the cluster's JSON, or give a file of VCs",
                       "the cluster has no virtual clusters");
    struct source s = {.diag = diag, .list = {.vcs = c->own_vcs, .vc_count = c->own_vc_count}};
    return apply(c, mode, &s);
}

/* ---- JSON ---- */

static enum hs_status read_json(struct source *s)
{
    static const char *const keys[] = {"name", "vcs"};
    struct hs_jsoncheck check = {.doc = s->doc, .diag = s->diag};
    const struct hs_json *root = hs_json_root(s->doc);
    if (!hs_jsoncheck_kind(&check, root, HS_JSON_OBJECT, "a list of virtual clusters"))
        return check.status;
    hs_jsoncheck_keys(&check, root, keys, sizeof keys / sizeof keys[0],
                      "a list of virtual clusters");
    s->vcs = hs_json_get(root, "vcs");
    if (s->vcs == NULL)
        hs_jsoncheck_fault(&check, root, "{\"vcs\": {\"name\": gpus, ...}}", "\"vcs\" is missing");
    else
        hs_draft_read_vcs(&s->list, &check, s->vcs);
    return check.status;
}

static enum hs_status apply_json(struct hs_cluster *c, enum hs_vc_mode mode, struct source *s)
{
    struct hs_json_doc *doc;
    HS_TRY(hs_json_load(&doc, s->file, s->diag));
    s->doc = doc;
    enum hs_status status = read_json(s);
    if (status == HS_OK)
        status = apply(c, mode, s);
    hs_json_close(doc);
    return status;
}

/* ---- CSV: date,<name>,<name>,...,total ---- */

struct table {
    struct hs_csv *csv;
    struct hs_csv_row row;
    struct source *source;
    struct hs_intern names; /* of the VCs; the list borrows them */
    uint32_t date_column, total_column, columns;
    char first_date[DATE_MAX], last_date[DATE_MAX];
};

HS_PRINTF(4, 5)
static enum hs_status table_fail(struct table *t, uint32_t column, const char *hint,
                                 const char *fmt, ...)
{
    char message[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    struct hs_place place = hs_csv_place(t->csv, column);
    return hs_fail(t->source->diag, HS_E_INPUT, &place, hint, "%s", message);
}

static bool is_vc_column(const struct table *t, uint32_t column)
{
    return column != t->date_column && column != t->total_column;
}

static enum hs_status table_read_header(struct table *t)
{
    enum hs_status status = hs_csv_next(t->csv, &t->row);
    struct hs_place place = {.file = t->source->file};
    if (status == HS_END)
        return hs_fail(t->source->diag, HS_E_INPUT, &place, NULL, "the file is empty");
    HS_TRY(status);
    t->columns = t->row.count;
    t->date_column = hs_csv_column(&t->row, "date");
    t->total_column = hs_csv_column(&t->row, "total");
    if (t->date_column == UINT32_MAX)
        return table_fail(t, 0, "the header is date,<virtual cluster>,...,total",
                          "there is no column 'date'");
    for (uint32_t i = 0; i < t->columns; i++) {
        const char *name = t->row.fields[i];
        uint32_t id;
        if (!is_vc_column(t, i))
            continue;
        if (name[0] == '\0')
            return table_fail(t, i, NULL, "a column without name");
        if (hs_intern_find(&t->names, name) != UINT32_MAX)
            return table_fail(t, i, NULL, "a second column '%s'", name);
        HS_TRY(hs_intern_get(&t->names, name, &id));
        HS_TRY(hs_draft_add_vc(&t->source->list, hs_intern_text(&t->names, id), 0));
    }
    return HS_OK;
}

static enum hs_status table_read_gpus(struct table *t, uint32_t column, uint64_t *gpus)
{
    int64_t value;
    if (!hs_parse_int64(t->row.fields[column], t->row.lengths[column], &value) || value < 0 ||
        value > UINT32_MAX)
        return table_fail(t, column, "GPUs of a virtual cluster on that day",
                          "'%s' is not a number of GPUs", t->row.fields[column]);
    *gpus = (uint64_t)value;
    return HS_OK;
}

/* Every row is checked, whichever is taken. */
static enum hs_status table_read_row(struct table *t, bool is_taken)
{
    uint64_t gpus, sum = 0;
    if (t->row.count != t->columns)
        return table_fail(t, t->row.count < t->columns ? t->row.count : t->columns, NULL,
                          "%u fields, the header has %u", t->row.count, t->columns);
    for (uint32_t i = 0, v = 0; i < t->columns; i++) {
        if (!is_vc_column(t, i))
            continue;
        HS_TRY(table_read_gpus(t, i, &gpus));
        sum += gpus;
        if (is_taken)
            t->source->list.vcs[v].gpus = gpus;
        v++;
    }
    if (t->total_column == UINT32_MAX)
        return HS_OK;
    HS_TRY(table_read_gpus(t, t->total_column, &gpus));
    if (gpus != sum)
        return table_fail(t, t->total_column, NULL,
                          "the total is %" PRIu64 ", but the virtual clusters have %" PRIu64, gpus,
                          sum);
    return HS_OK;
}

/* The row of the date, or the last one; its line goes to the source. */
static enum hs_status table_read(struct table *t, const char *date)
{
    HS_TRY(table_read_header(t));
    enum hs_status status;
    while ((status = hs_csv_next(t->csv, &t->row)) == HS_OK) {
        const char *day = t->date_column < t->row.count ? t->row.fields[t->date_column] : "";
        bool is_taken = date[0] == '\0' || strcmp(day, date) == 0;
        if (is_taken && date[0] != '\0' && t->source->line > 0)
            return table_fail(t, t->date_column, NULL, "a second row of %s", date);
        HS_TRY(table_read_row(t, is_taken));
        if (is_taken)
            t->source->line = t->row.line;
        if (t->first_date[0] == '\0')
            (void)snprintf(t->first_date, sizeof t->first_date, "%s", day);
        (void)snprintf(t->last_date, sizeof t->last_date, "%s", day);
    }
    if (status != HS_END)
        return status;
    struct hs_place place = {.file = t->source->file};
    if (t->first_date[0] == '\0')
        return hs_fail(t->source->diag, HS_E_INPUT, &place, NULL, "there is no row");
    if (t->source->line == 0)
        return hs_fail(t->source->diag, HS_E_INPUT, &place, NULL,
                       "there is no row of %s; the rows are %s to %s", date, t->first_date,
                       t->last_date);
    return HS_OK;
}

static enum hs_status apply_table(struct hs_cluster *c, enum hs_vc_mode mode, struct source *s,
                                  struct hs_input *input, const char *date)
{
    struct table t = {.source = s};
    HS_TRY(hs_intern_init(&t.names));
    enum hs_status status = hs_csv_open(&t.csv, input, ',', s->diag);
    if (status == HS_OK) {
        status = table_read(&t, date);
        hs_csv_close(t.csv);
    }
    if (status == HS_OK)
        status = apply(c, mode, s);
    hs_intern_free(&t.names);
    return status;
}

/* ---- public ---- */

static bool is_json(const char *head, size_t len)
{
    size_t i = 0;
    while (i < len && (head[i] == ' ' || head[i] == '\t' || head[i] == '\r' || head[i] == '\n'))
        i++;
    return i < len && (head[i] == '{' || head[i] == '/');
}

static enum hs_status apply_file(struct hs_cluster *c, enum hs_vc_mode mode, struct source *s,
                                 const char *date)
{
    struct hs_input *input;
    const char *data;
    size_t len;
    HS_TRY(hs_input_open(&input, s->file, s->diag));
    enum hs_status status = hs_input_peek(input, &data, &len);
    if (status == HS_END || (status == HS_OK && !is_json(data, len)))
        status = apply_table(c, mode, s, input, date);
    else if (status == HS_OK && date[0] != '\0')
        status = hs_fail(s->diag, HS_E_USAGE, NULL, NULL,
                         "a date chooses a row of a CSV; %s is JSON", s->file);
    else if (status == HS_OK)
        status = apply_json(c, mode, s);
    while (status == HS_OK && (status = hs_input_read(input, &data, &len)) == HS_OK)
        continue;
    c->vcs_hash = hs_input_hash(input);
    hs_input_close(input);
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_cluster_set_vcs(struct hs_cluster *cluster, enum hs_vc_mode mode,
                                  const char *file, const char *date, struct hs_diag *diag)
{
    if (mode == HS_VC_IGNORE)
        return HS_OK;
    struct source s = {.file = file, .diag = diag};
    if (date == NULL)
        date = "";
    if (file == NULL && date[0] != '\0')
        return hs_fail(diag, HS_E_USAGE, NULL, "give the CSV of virtual clusters too",
                       "a date chooses a row of a CSV, and there is none");
    enum hs_status status =
        file == NULL ? apply_own(cluster, mode, diag) : apply_file(cluster, mode, &s, date);
    hs_draft_free(&s.list);
    if (status == HS_E_MEMORY)
        return hs_fail(diag, status, NULL, NULL, "no memory for virtual clusters");
    return status;
}
