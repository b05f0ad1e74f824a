/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Virtual clusters: reads their sizes from the cluster's JSON, another one, or a CSV of days; then
 * assigns nodes or quotas. O(nodes).
 */
#include "model/cluster.h"

#include <inttypes.h>
#include <stdio.h>

#include "data/csv.h"

uint32_t hs_cluster_vc(const struct hs_cluster *cluster, const char *name)
{
    if (cluster->vc_mode == HS_VC_IGNORE)
        return 0;
    uint32_t id = hs_intern_find(&cluster->vc_names, name);
    return id == 0 || id == UINT32_MAX ? UINT32_MAX : id - 1;
}

#define DATE_MAX 64u
#define NO_VC    UINT32_MAX

/* The list, and the source of each entry. */
struct source {
    struct hs_vc_list list;
    struct hs_json_doc *doc; /* owns the names; NULL: a CSV, or the cluster's own */
    const struct hs_json *vcs;
    const char *file; /* NULL: the cluster's own */
    /* of a CSV */
    struct hs_csv *csv;
    struct hs_csv_row row;
    struct hs_intern names;
    uint32_t date_column, total_column, columns;
    int64_t line; /* of the row taken */
    struct hs_diag *diag;
};

static struct hs_place place_of(const struct source *s, uint32_t vc)
{
    if (s->doc == NULL)
        return (struct hs_place){.file = s->file, .line = s->line};
    if (vc == NO_VC)
        return hs_json_place(s->doc, s->vcs);
    return hs_json_place(s->doc, hs_json_get(s->vcs, s->list.vcs[vc].name));
}

/* A CSV has different sizes for each day: a row may belong to a larger or smaller cluster. */
static const char *sizes_hint(const struct source *s)
{
    if (s->file == NULL || s->doc != NULL)
        return NULL;
    return "the sizes change from day to day: --vc-date takes another row; --vc=quota deals no "
           "nodes";
}

/* Each VC gets the next whole nodes in id order until it has its GPUs. */
static enum hs_status deal_nodes(struct hs_cluster *c, const struct source *s)
{
    uint32_t node = 0;
    for (uint32_t v = 0; v < s->list.count; v++) {
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
    struct hs_place place = place_of(s, NO_VC);
    return hs_fail(s->diag, HS_E_INPUT, &place, hint,
                   "the virtual clusters have %u GPUs in all, the cluster %u: %u nodes are left",
                   c->nodes[node].first_gpu, c->gpu_count, c->node_count - node);
}

static enum hs_status apply(struct hs_cluster *c, enum hs_vc_mode mode, const struct source *s)
{
    uint32_t count = s->list.count;
    struct hs_vc *vcs = hs_arena_alloc(&c->arena, count * sizeof *vcs);
    for (uint32_t v = 0; v < count; v++) {
        const char *name = s->list.vcs[v].name;
        vcs[v] = s->list.vcs[v];
        vcs[v].name = hs_arena_text(&c->arena, name, strlen(name));
        if (mode == HS_VC_PARTITION)
            continue;
        vcs[v].quota_gpus = vcs[v].most_gpus = vcs[v].gpus;
        vcs[v].gpus = c->gpu_count;
    }
    c->vcs = vcs;
    c->vc_count = count;
    c->vc_mode = mode;
    hs_intern_free(&c->vc_names);
    hs_intern_init(&c->vc_names);
    for (uint32_t v = 0; v < count; v++)
        (void)hs_intern_get(&c->vc_names, vcs[v].name);
    if (mode == HS_VC_QUOTA) {
        hs_quotas_build(c, s->list.cohorts, s->list.cohort_count);
        return HS_OK;
    }
    if (s->file != NULL || c->own_node_vc == NULL)
        return deal_nodes(c, s);
    for (uint32_t n = 0; n < c->node_count; n++)
        c->nodes[n].vc = c->own_node_vc[n];
    return HS_OK;
}

static enum hs_status read_json(struct source *s)
{
    static const char *const keys[] = {"name", "vcs", "cohorts"};
    HS_TRY(hs_json_load(&s->doc, s->file, s->diag));
    struct hs_jsoncheck check = {.doc = s->doc, .diag = s->diag};
    const struct hs_json *root = hs_json_root(s->doc);
    if (!hs_jsoncheck_kind(&check, root, HS_JSON_OBJECT, "a list of virtual clusters"))
        return check.status;
    hs_jsoncheck_keys(&check, root, keys, HS_COUNT_OF(keys), "a list of virtual clusters");
    s->vcs = hs_json_get(root, "vcs");
    if (s->vcs == NULL)
        hs_jsoncheck_fault(&check, root, "{\"vcs\": {\"name\": gpus, ...}}", "\"vcs\" is missing");
    hs_vc_list_read(&s->list, &check, root);
    return check.status;
}

/* ---- CSV: date,<name>,<name>,...,total ---- */

static bool is_vc_column(const struct source *s, uint32_t column)
{
    return column != s->date_column && column != s->total_column;
}

static enum hs_status table_read_header(struct source *s)
{
    enum hs_status status = hs_csv_next(s->csv, &s->row);
    struct hs_place place = {.file = s->file};
    if (status == HS_END)
        return hs_fail(s->diag, HS_E_INPUT, &place, NULL, "the file is empty");
    HS_TRY(status);
    s->columns = s->row.count;
    s->date_column = hs_csv_column(&s->row, "date");
    s->total_column = hs_csv_column(&s->row, "total");
    if (s->date_column == UINT32_MAX)
        return hs_csv_fail(s->csv, 0, "the header is date,<virtual cluster>,...,total",
                           "there is no column 'date'");
    for (uint32_t i = 0; i < s->columns; i++) {
        const char *name = s->row.fields[i];
        if (!is_vc_column(s, i))
            continue;
        if (name[0] == '\0')
            return hs_csv_fail(s->csv, i, NULL, "a column without name");
        if (hs_intern_find(&s->names, name) != UINT32_MAX)
            return hs_csv_fail(s->csv, i, NULL, "a second column '%s'", name);
        name = hs_intern_text(&s->names, hs_intern_get(&s->names, name));
        hs_vc_list_add(&s->list, name, 0);
    }
    return HS_OK;
}

static enum hs_status table_read_gpus(const struct source *s, uint32_t column, uint64_t *gpus)
{
    int64_t value;
    if (!hs_parse_int64(s->row.fields[column], s->row.lengths[column], &value) || value < 0 ||
        value > UINT32_MAX)
        return hs_csv_fail(s->csv, column, "GPUs of a virtual cluster on that day",
                           "'%s' is not a number of GPUs", s->row.fields[column]);
    *gpus = (uint64_t)value;
    return HS_OK;
}

/* All rows are checked. */
static enum hs_status table_read_row(struct source *s, bool is_taken)
{
    uint64_t gpus, sum = 0;
    if (s->row.count != s->columns)
        return hs_csv_fail(s->csv, s->row.count < s->columns ? s->row.count : s->columns, NULL,
                           "%u fields, the header has %u", s->row.count, s->columns);
    for (uint32_t i = 0, v = 0; i < s->columns; i++) {
        if (!is_vc_column(s, i))
            continue;
        HS_TRY(table_read_gpus(s, i, &gpus));
        sum += gpus;
        if (is_taken)
            s->list.vcs[v].gpus = gpus;
        v++;
    }
    if (s->total_column == UINT32_MAX)
        return HS_OK;
    HS_TRY(table_read_gpus(s, s->total_column, &gpus));
    if (gpus != sum)
        return hs_csv_fail(s->csv, s->total_column, NULL,
                           "the total is %" PRIu64 ", but the virtual clusters have %" PRIu64, gpus,
                           sum);
    return HS_OK;
}

static enum hs_status table_read(struct source *s, const char *date)
{
    char first_date[DATE_MAX] = "", last_date[DATE_MAX] = "";
    HS_TRY(table_read_header(s));
    enum hs_status status;
    while ((status = hs_csv_next(s->csv, &s->row)) == HS_OK) {
        const char *day = s->date_column < s->row.count ? s->row.fields[s->date_column] : "";
        bool is_taken = date[0] == '\0' || strcmp(day, date) == 0;
        if (is_taken && date[0] != '\0' && s->line > 0)
            return hs_csv_fail(s->csv, s->date_column, NULL, "a second row of %s", date);
        HS_TRY(table_read_row(s, is_taken));
        if (is_taken)
            s->line = s->row.line;
        (void)snprintf(last_date, sizeof last_date, "%s", day);
        if (first_date[0] == '\0')
            (void)snprintf(first_date, sizeof first_date, "%s", day);
    }
    if (status != HS_END)
        return status;
    struct hs_place place = {.file = s->file};
    if (first_date[0] == '\0')
        return hs_fail(s->diag, HS_E_INPUT, &place, NULL, "there is no row");
    if (s->line == 0)
        return hs_fail(s->diag, HS_E_INPUT, &place, NULL,
                       "there is no row of %s; the rows are %s to %s", date, first_date, last_date);
    return HS_OK;
}

static enum hs_status read_vc_file(struct hs_cluster *c, struct source *s, const char *date)
{
    struct hs_input *input;
    const char *data = "";
    size_t len = 0, begin = 0;
    HS_TRY(hs_input_open(&input, s->file, s->diag));
    enum hs_status status = hs_input_peek(input, &data, &len);
    while (begin < len && data[begin] != '\0' && strchr(" \t\r\n", data[begin]) != NULL)
        begin++;
    const bool is_json = begin < len && (data[begin] == '{' || data[begin] == '/');
    if (status == HS_END || (status == HS_OK && !is_json)) {
        hs_csv_open(&s->csv, input, ',', s->diag);
        status = table_read(s, date);
        hs_csv_close(s->csv);
    } else if (status == HS_OK && date[0] != '\0') {
        status = hs_fail(s->diag, HS_E_USAGE, NULL, NULL,
                         "a date chooses a row of a CSV; %s is JSON", s->file);
    } else if (status == HS_OK) {
        status = read_json(s);
    }
    while (status == HS_OK && (status = hs_input_read(input, &data, &len)) == HS_OK)
        continue;
    c->vcs_hash = hs_input_hash(input);
    hs_input_close(input);
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_cluster_set_vcs(struct hs_cluster *cluster, enum hs_vc_mode mode,
                                  const char *file, const char *date, struct hs_diag *diag)
{
    struct source s = {.file = file, .diag = diag};
    const bool has_date = date != NULL && date[0] != '\0';
    if (mode == HS_VC_IGNORE)
        return HS_OK;
    if (file == NULL && has_date)
        return hs_fail(diag, HS_E_USAGE, NULL, "give the CSV of virtual clusters too",
                       "a date chooses a row of a CSV, and there is none");
    if (file == NULL && cluster->own_vc_count == 0)
        return hs_fail(diag, HS_E_USAGE, NULL,
                       "add \"vcs\": {\"name\": gpus} to the cluster's JSON, or give a file of VCs",
                       "the cluster has no virtual clusters");
    if (file == NULL) {
        s.list = (struct hs_vc_list){.vcs = cluster->own_vcs,
                                     .count = cluster->own_vc_count,
                                     .cohorts = cluster->own_cohorts,
                                     .cohort_count = cluster->own_cohort_count};
        return apply(cluster, mode, &s);
    }
    hs_intern_init(&s.names);
    enum hs_status status = read_vc_file(cluster, &s, has_date ? date : "");
    if (status == HS_OK)
        status = apply(cluster, mode, &s);
    hs_json_close(s.doc);
    hs_intern_free(&s.names);
    hs_vc_list_free(&s.list);
    return status;
}
