/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cluster from its description: shapes are parsed here, JSON and lists of machines in
 * cluster_file.c. All descriptions become a draft of node groups, of which the arrays are built at
 * their final size in the cluster's arena. Virtual clusters get nodes or quotas from their sizes.
 * O(nodes).
 */
#include "model/cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fixed.h"
#include "base/io.h"
#include "base/fmt.h"
#include "data/csvread.h"
#include "model/cluster_file.h"

#define SHAPE_HINT                                                                                 \
    "no file has this name, and a shape is NODESxGPUS[:TYPE],... such as 16x8:V100,8x4:P100"

/* Memory of one GPU as the vendor's datasheets give it, in the size that the traces' clusters had:
 * Tesla V100 (NVIDIA 2018: 16 GB HBM2; a 32 GB form exists), P100 (2016: 16 GB), P40 (2017: 24 GB),
 * K80 (2015: 24 GB on a board of two GPUs), A100 (2020: 40 GB), T4 (2018: 16 GB), A10 (2021: 24
 * GB); V100M16 and V100M32 are openb's names for both forms of the V100, V100M32 also PAI's. */
static const struct {
    const char *name;
    uint32_t mem_mib;
} known_gpus[] = {
    {"V100", 16 * 1024},    {"P100", 16 * 1024},    {"P40", 24 * 1024},     {"K80", 12 * 1024},
    {"A100", 40 * 1024},    {"T4", 16 * 1024},      {"RTX3090", 24 * 1024}, {"A10", 24 * 1024},
    {"V100M16", 16 * 1024}, {"V100M32", 32 * 1024},
};

uint32_t hs_gpu_known_mem_mib(const char *name)
{
    for (size_t i = 0; i < sizeof known_gpus / sizeof known_gpus[0]; i++)
        if (strcmp(known_gpus[i].name, name) == 0)
            return known_gpus[i].mem_mib;
    return 0;
}

/* ---- the draft ---- */

uint32_t hs_draft_find_type(const struct hs_cluster_draft *draft, const char *name)
{
    for (uint32_t i = 0; i < draft->type_count; i++)
        if (strcmp(draft->types[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

enum hs_status hs_draft_type(struct hs_cluster_draft *draft, struct hs_arena *arena,
                             const char *name, uint32_t mem_mib, uint32_t *type)
{
    *type = hs_draft_find_type(draft, name);
    if (*type != UINT32_MAX)
        return HS_OK;
    if (draft->type_count == HS_GPU_TYPES_MAX)
        return HS_E_LIMIT;
    *type = draft->type_count++;
    draft->types[*type] = (struct hs_gpu_type){
        .name = hs_arena_text(arena, name, strlen(name)),
        .mem_mib = mem_mib > 0 ? mem_mib : hs_gpu_known_mem_mib(name),
        .speed_q32 = HS_Q32_ONE,
    };
    return HS_OK;
}

enum hs_status hs_draft_add_group(struct hs_cluster_draft *draft, const struct hs_node_group *group)
{
    if (draft->node_count + group->count > HS_NODES_MAX)
        return HS_E_LIMIT;
    hs_grow((void **)&draft->groups, &draft->group_cap, draft->group_count + UINT64_C(1),
            sizeof *draft->groups, HS_NODES_MAX);
    draft->groups[draft->group_count++] = *group;
    draft->node_count += group->count;
    return HS_OK;
}

void hs_draft_add_vc(struct hs_cluster_draft *draft, const char *name, uint64_t gpus)
{
    hs_grow((void **)&draft->vcs, &draft->vc_cap, draft->vc_count + UINT64_C(1), sizeof *draft->vcs,
            HS_NODES_MAX);
    draft->vcs[draft->vc_count++] =
        (struct hs_vc){.name = name, .quota_gpus = UINT64_MAX, .gpus = gpus};
}

void hs_draft_free(struct hs_cluster_draft *draft)
{
    hs_free(draft->groups);
    hs_free(draft->vcs);
    *draft = (struct hs_cluster_draft){0};
}

/* "n17"; or the group's name, with a number from 0 when the group has several nodes. */
static const char *node_name(struct hs_cluster *c, const struct hs_node_group *g, uint32_t i)
{
    char text[320];
    if (g->name == NULL)
        (void)snprintf(text, sizeof text, "n%u", c->node_count);
    else if (g->count == 1)
        return g->name;
    else
        (void)snprintf(text, sizeof text, "%s%u", g->name, i);
    return hs_arena_text(&c->arena, text, strlen(text));
}

static void build_group(struct hs_cluster *c, const struct hs_node_group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const char *name = node_name(c, g, i);
        if (c->own_node_vc != NULL)
            c->own_node_vc[c->node_count] = g->vc;
        c->nodes[c->node_count++] = (struct hs_node){
            .name = name,
            .first_gpu = c->gpu_count,
            .gpus = g->gpus,
            .type = g->type,
            .rack = g->rack,
            .cpus = g->cpus,
            .mem_mib = g->mem_mib,
        };
        c->gpu_count += g->gpus;
    }
    if (g->gpus > c->max_node_gpus)
        c->max_node_gpus = g->gpus;
    c->rack_first[g->rack + 1] = c->node_count;
}

void hs_cluster_build(struct hs_cluster *c, const struct hs_cluster_draft *d)
{
    c->type_count = d->type_count;
    c->rack_count = d->rack_count;
    c->own_vc_count = d->vc_count;
    c->vc_count = 1;
    c->nodes = hs_arena_alloc(&c->arena, d->node_count * sizeof *c->nodes);
    c->types = hs_arena_alloc(&c->arena, d->type_count * sizeof *c->types);
    c->rack_first = hs_arena_alloc(&c->arena, (d->rack_count + UINT64_C(1)) * sizeof(uint32_t));
    c->own_vcs = hs_arena_alloc(&c->arena, d->vc_count * sizeof *c->own_vcs);
    c->vcs = hs_arena_alloc(&c->arena, sizeof *c->vcs);
    if (d->groups[0].vc != HS_NO_VC)
        c->own_node_vc = hs_arena_alloc(&c->arena, d->node_count * sizeof *c->own_node_vc);
    memcpy(c->types, d->types, d->type_count * sizeof *c->types);
    for (uint32_t i = 0; i < d->group_count; i++)
        build_group(c, &d->groups[i]);
    for (uint32_t v = 0; v < d->vc_count; v++) {
        c->own_vcs[v] = d->vcs[v];
        c->own_vcs[v].name = hs_arena_text(&c->arena, d->vcs[v].name, strlen(d->vcs[v].name));
    }
    c->vcs[0] = (struct hs_vc){.name = "", .quota_gpus = UINT64_MAX, .gpus = c->gpu_count};
}

/* ---- shapes ---- */

struct shape {
    const char *spec, *at;
    struct hs_cluster *cluster;
    struct hs_cluster_draft draft;
    struct hs_diag *diag;
};

/* Points at [at, at + span) of the shape. */
static enum hs_status shape_fail(const struct shape *s, enum hs_status status, const char *at,
                                 size_t span, const char *what)
{
    struct hs_place place = {
        .line = 1,
        .column = (int32_t)(at - s->spec) + 1,
        .span = (int32_t)span,
        .text = s->spec,
        .text_len = strlen(s->spec),
    };
    return hs_fail(s->diag, status, &place, SHAPE_HINT, "cluster '%s': %s", s->spec, what);
}

static enum hs_status shape_number(struct shape *s, uint32_t max, const char *absent,
                                   const char *outside, uint32_t *value)
{
    size_t digits = strspn(s->at, "0123456789");
    if (digits == 0)
        return shape_fail(s, HS_E_USAGE, s->at, 1, absent);
    uint64_t number = 0;
    for (size_t i = 0; i < digits && number <= max; i++)
        number = 10 * number + (uint64_t)(s->at[i] - '0');
    if (number == 0 || number > max)
        return shape_fail(s, HS_E_USAGE, s->at, digits, outside);
    *value = (uint32_t)number;
    s->at += digits;
    return HS_OK;
}

static enum hs_status shape_group(struct shape *s)
{
    struct hs_node_group g = {.vc = HS_NO_VC};
    const char *begin = s->at, *type = HS_UNTYPED;
    HS_TRY(shape_number(s, HS_NODES_MAX, "expected a number of nodes",
                        "the number of nodes must be 1..1000000", &g.count));
    if (*s->at != 'x')
        return shape_fail(s, HS_E_USAGE, s->at, 1, "expected 'x' after the number of nodes");
    s->at++;
    HS_TRY(shape_number(s, HS_NODE_GPUS_MAX, "expected a number of GPUs per node",
                        "a node must have 1..1024 GPUs", &g.gpus));
    const char *type_at = s->at;
    if (*s->at == ':') {
        type_at = s->at + 1;
        size_t len = strspn(type_at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789_-+.");
        if (len == 0)
            return shape_fail(s, HS_E_USAGE, type_at, 1, "expected the name of a GPU type");
        type = hs_arena_text(&s->cluster->arena, type_at, len);
        s->at = type_at + len;
    }
    if (hs_draft_type(&s->draft, &s->cluster->arena, type, 0, &g.type) != HS_OK)
        return shape_fail(s, HS_E_LIMIT, type_at, (size_t)(s->at - type_at),
                          "more than 64 GPU types");
    if (hs_draft_add_group(&s->draft, &g) != HS_OK)
        return shape_fail(s, HS_E_LIMIT, begin, (size_t)(s->at - begin), "more than 1000000 nodes");
    if (*s->at != ',' && *s->at != '\0')
        return shape_fail(s, HS_E_USAGE, s->at, 1, "expected ',' or the end");
    return HS_OK;
}

static enum hs_status read_shape(struct hs_cluster *cluster, const char *spec, struct hs_diag *diag)
{
    struct shape s = {.spec = spec, .at = spec, .cluster = cluster, .diag = diag};
    s.draft.rack_count = 1;
    enum hs_status status = shape_group(&s);
    while (status == HS_OK && *s.at++ == ',')
        status = shape_group(&s);
    if (status == HS_OK)
        hs_cluster_build(cluster, &s.draft);
    hs_draft_free(&s.draft);
    cluster->input_hash = hs_hash_of(spec, strlen(spec));
    return status;
}

/* ---- any description ---- */

/* By content, unless the name says JSON. */
static enum hs_status read_file(struct hs_cluster *cluster, const char *path, bool is_json,
                                struct hs_diag *diag)
{
    struct hs_input *input;
    const char *head;
    size_t len = 0;
    if (is_json)
        return hs_cluster_read_json(cluster, path, diag);
    HS_TRY(hs_input_open(&input, path, diag));
    enum hs_status status = hs_input_peek(input, &head, &len);
    bool is_list = status == HS_OK && hs_cluster_is_list(head, len);
    if (is_list)
        status = hs_cluster_read_list(cluster, input, diag);
    hs_input_close(input);
    if (is_list || (status != HS_OK && status != HS_END))
        return status;
    return hs_cluster_read_json(cluster, path, diag);
}

enum hs_status hs_cluster_load(struct hs_cluster *cluster, const char *spec, struct hs_diag *diag)
{
    *cluster = (struct hs_cluster){0};
    size_t len = strlen(spec);
    bool is_json = len > 5 && strcmp(spec + len - 5, ".json") == 0;
    bool is_file = is_json || access(spec, F_OK) == 0;
    hs_intern_init(&cluster->vc_names);
    enum hs_status status =
        is_file ? read_file(cluster, spec, is_json, diag) : read_shape(cluster, spec, diag);
    if (status != HS_OK)
        hs_cluster_free(cluster);
    return status;
}

uint32_t hs_cluster_vc(const struct hs_cluster *cluster, const char *name)
{
    if (cluster->vc_mode == HS_VC_IGNORE)
        return 0;
    uint32_t id = hs_intern_find(&cluster->vc_names, name);
    return id == 0 || id == UINT32_MAX ? UINT32_MAX : id - 1;
}

void hs_cluster_free(struct hs_cluster *cluster)
{
    hs_arena_free(&cluster->arena);
    hs_intern_free(&cluster->vc_names);
    *cluster = (struct hs_cluster){0};
}

/* ---- virtual clusters ---- */

#define DATE_MAX 64u

/* The list, and where each entry was said. */
struct source {
    struct hs_cluster_draft list; /* vcs only */
    struct hs_json_doc *doc;      /* which the names belong to; NULL: a CSV, or the cluster's own */
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
    if (vc == HS_NO_VC)
        return hs_json_place(s->doc, s->vcs);
    return hs_json_place(s->doc, hs_json_get(s->vcs, s->list.vcs[vc].name));
}

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

static enum hs_status apply(struct hs_cluster *c, enum hs_vc_mode mode, const struct source *s)
{
    uint32_t count = s->list.vc_count;
    struct hs_vc *vcs = hs_arena_alloc(&c->arena, count * sizeof *vcs);
    for (uint32_t v = 0; v < count; v++) {
        const char *name = s->list.vcs[v].name;
        vcs[v] = (struct hs_vc){.name = hs_arena_text(&c->arena, name, strlen(name)),
                                .quota_gpus = UINT64_MAX,
                                .gpus = c->gpu_count};
        if (mode == HS_VC_QUOTA)
            vcs[v].quota_gpus = s->list.vcs[v].gpus;
        else
            vcs[v].gpus = s->list.vcs[v].gpus;
    }
    c->vcs = vcs;
    c->vc_count = count;
    c->vc_mode = mode;
    hs_intern_free(&c->vc_names);
    hs_intern_init(&c->vc_names);
    for (uint32_t v = 0; v < count; v++)
        (void)hs_intern_get(&c->vc_names, vcs[v].name);
    if (mode == HS_VC_QUOTA)
        return HS_OK;
    if (s->file != NULL || c->own_node_vc == NULL)
        return deal_nodes(c, s);
    for (uint32_t n = 0; n < c->node_count; n++)
        c->nodes[n].vc = c->own_node_vc[n];
    return HS_OK;
}

static enum hs_status read_json(struct source *s)
{
    static const char *const keys[] = {"name", "vcs"};
    HS_TRY(hs_json_load(&s->doc, s->file, s->diag));
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
        hs_draft_add_vc(&s->list, name, 0);
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

/* Every row is checked, whichever is taken. */
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

/* The row of the date, or the last one. */
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

static bool is_json(const char *head, size_t len)
{
    size_t i = 0;
    while (i < len && (head[i] == ' ' || head[i] == '\t' || head[i] == '\r' || head[i] == '\n'))
        i++;
    return i < len && (head[i] == '{' || head[i] == '/');
}

static enum hs_status read_vc_file(struct hs_cluster *c, struct source *s, const char *date)
{
    struct hs_input *input;
    const char *data;
    size_t len;
    HS_TRY(hs_input_open(&input, s->file, s->diag));
    enum hs_status status = hs_input_peek(input, &data, &len);
    if (status == HS_END || (status == HS_OK && !is_json(data, len))) {
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
        s.list =
            (struct hs_cluster_draft){.vcs = cluster->own_vcs, .vc_count = cluster->own_vc_count};
        return apply(cluster, mode, &s);
    }
    hs_intern_init(&s.names);
    enum hs_status status = read_vc_file(cluster, &s, has_date ? date : "");
    if (status == HS_OK)
        status = apply(cluster, mode, &s);
    hs_json_close(s.doc);
    hs_intern_free(&s.names);
    hs_draft_free(&s.list);
    return status;
}
