/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds a cluster from its description: a shape, JSON (configs/README.md), or a list of machines,
 * one per row, as distributed with traces. All are converted to a draft of node groups, from which
 * the arrays are built at their final size in the cluster's arena. O(nodes).
 */
#include "model/cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fixed.h"
#include "data/csv.h"
#include "data/names.h"

#define SHAPE_HINT                                                                                 \
    "no file and no shipped cluster has this name (horus clusters lists them), and a "             \
    "shape is NODESxGPUS[:TYPE],... such as 16x8:V100,8x4:P100"

#define NO_VC        UINT32_MAX
#define SHIPPED_MOST 64u /* names looked at for a hint */

/* ---- the draft: groups of like nodes, as all descriptions give them ---- */

struct node_group {
    const char *name;          /* NULL: nodes are named n0, n1, ... by id */
    const struct hs_json *row; /* its source, for messages; NULL for a shape */
    uint32_t count, gpus, type, rack, cpus, mem_mib;
    uint32_t vc; /* index into vcs or NO_VC */
};

struct cluster_draft {
    struct node_group *groups;
    uint32_t group_count, group_cap;
    uint32_t rack_count;
    uint64_t node_count;
    struct hs_gpu_type types[HS_GPU_TYPES_MAX];
    uint32_t type_count;
    struct hs_vc_list vcs;
};

const char *const hs_sharing_modes[] = {
    [HS_SHARING_TIMESLICE] = "timeslice", [HS_SHARING_MPS] = "mps", [HS_SHARING_MIG] = "mig", NULL};

static uint32_t draft_find_type(const struct cluster_draft *draft, const char *name)
{
    for (uint32_t i = 0; i < draft->type_count; i++)
        if (strcmp(draft->types[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

/* Returns the type with this name, created if necessary: with speed 1; 0 MiB selects those of a
 * well-known type. The name is copied. HS_E_LIMIT above HS_GPU_TYPES_MAX. */
static enum hs_status draft_type(struct cluster_draft *draft, struct hs_arena *arena,
                                 const char *name, uint32_t mem_mib, uint32_t *type)
{
    *type = draft_find_type(draft, name);
    if (*type != UINT32_MAX)
        return HS_OK;
    if (draft->type_count == HS_GPU_TYPES_MAX)
        return HS_E_LIMIT;
    *type = draft->type_count++;
    draft->types[*type] = (struct hs_gpu_type){
        .name = hs_arena_text(arena, name, strlen(name)),
        .mem_mib = mem_mib > 0 ? mem_mib : hs_gpu_type_mem_mib(name),
        .speed_q32 = HS_Q32_ONE,
    };
    return HS_OK;
}

static enum hs_status draft_add_group(struct cluster_draft *draft, const struct node_group *group)
{
    if (draft->node_count + group->count > HS_NODES_MAX)
        return HS_E_LIMIT;
    *hs_push(draft->groups, draft->group_count, draft->group_cap, HS_NODES_MAX) = *group;
    draft->node_count += group->count;
    return HS_OK;
}

static void draft_free(struct cluster_draft *draft)
{
    hs_free(draft->groups);
    hs_vc_list_free(&draft->vcs);
    *draft = (struct cluster_draft){0};
}

/* Builds nodes, racks, types and own VCs of a checked draft; copies the names of VCs. */
static void build(struct hs_cluster *c, const struct cluster_draft *d)
{
    c->type_count = d->type_count;
    c->rack_count = d->rack_count;
    c->own_vc_count = d->vcs.count;
    c->vc_count = 1;
    c->nodes = hs_arena_alloc(&c->arena, d->node_count * sizeof *c->nodes);
    c->types = hs_arena_alloc(&c->arena, d->type_count * sizeof *c->types);
    c->rack_first = hs_arena_alloc(&c->arena, (d->rack_count + UINT64_C(1)) * sizeof(uint32_t));
    c->own_vcs = hs_arena_alloc(&c->arena, d->vcs.count * sizeof *c->own_vcs);
    c->vcs = hs_arena_alloc(&c->arena, sizeof *c->vcs);
    if (d->groups[0].vc != NO_VC)
        c->own_node_vc = hs_arena_alloc(&c->arena, d->node_count * sizeof *c->own_node_vc);
    memcpy(c->types, d->types, d->type_count * sizeof *c->types);
    for (const struct node_group *g = d->groups; g < d->groups + d->group_count; g++) {
        for (uint32_t i = 0; i < g->count; i++) {
            char name[320]; /* "n17"; or the group's, with a number from 0 if it has several */
            if (g->name == NULL)
                (void)snprintf(name, sizeof name, "n%u", c->node_count);
            else
                (void)snprintf(name, sizeof name, "%s%u", g->name, i);
            bool is_own = g->name != NULL && g->count == 1;
            if (c->own_node_vc != NULL)
                c->own_node_vc[c->node_count] = g->vc;
            c->nodes[c->node_count++] = (struct hs_node){
                .name = is_own ? g->name : hs_arena_text(&c->arena, name, strlen(name)),
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
    for (uint32_t v = 0; v < d->vcs.count; v++) {
        c->own_vcs[v] = d->vcs.vcs[v];
        c->own_vcs[v].name =
            hs_arena_text(&c->arena, d->vcs.vcs[v].name, strlen(d->vcs.vcs[v].name));
    }
    c->own_cohort_count = d->vcs.cohort_count;
    c->own_cohorts = hs_arena_alloc(&c->arena, d->vcs.cohort_count * sizeof *c->own_cohorts);
    for (uint32_t i = 0; i < d->vcs.cohort_count; i++) {
        c->own_cohorts[i] = d->vcs.cohorts[i];
        c->own_cohorts[i].name = NULL; /* not needed any more */
    }
    c->vcs[0] = (struct hs_vc){.name = "", .quota_gpus = UINT64_MAX, .gpus = c->gpu_count};
}

/* ---- shapes ---- */

struct shape {
    const char *spec, *at;
    struct hs_cluster *cluster;
    struct cluster_draft draft;
    struct hs_diag *diag;
    bool takes_any;   /* any type */
    const char *hint; /* of an error */
};

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
    return hs_fail(s->diag, status, &place, s->hint, "cluster '%s': %s", s->spec, what);
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
    struct node_group g = {.vc = NO_VC};
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
                                     "0123456789_-+. ");
        if (len == 0)
            return shape_fail(s, HS_E_USAGE, type_at, 1, "expected the name of a GPU type");
        type = hs_gpu_type_name(type_at, len);
        if (type == NULL && !s->takes_any) {
            char known[HS_GPU_TYPES_TEXT], hint[HS_GPU_TYPES_TEXT + 100], what[160];
            hs_gpu_types_text(known);
            (void)snprintf(hint, sizeof hint,
                           "known are %s; a cluster file defines others (configs/README.md)",
                           known);
            (void)snprintf(what, sizeof what, "unknown GPU type '%.*s'",
                           (int)(len < 100 ? len : 100), type_at);
            s->hint = hint;
            return shape_fail(s, HS_E_USAGE, type_at, len, what);
        }
        if (type == NULL)
            type = hs_arena_text(&s->cluster->arena, type_at, len);
        s->at = type_at + len;
    }
    if (draft_type(&s->draft, &s->cluster->arena, type, 0, &g.type) != HS_OK)
        return shape_fail(s, HS_E_LIMIT, type_at, (size_t)(s->at - type_at),
                          "more than 64 GPU types");
    if (draft_add_group(&s->draft, &g) != HS_OK)
        return shape_fail(s, HS_E_LIMIT, begin, (size_t)(s->at - begin), "more than 1000000 nodes");
    if (*s->at != ',' && *s->at != '\0')
        return shape_fail(s, HS_E_USAGE, s->at, 1, "expected ',' or the end");
    return HS_OK;
}

static enum hs_status read_shape(struct hs_cluster *cluster, const char *spec, bool takes_any,
                                 struct hs_diag *diag)
{
    struct shape s = {.spec = spec,
                      .at = spec,
                      .cluster = cluster,
                      .diag = diag,
                      .takes_any = takes_any,
                      .hint = SHAPE_HINT};
    const char *names[SHIPPED_MOST];
    char hint[HS_HINT_SIZE], name[HS_SHIPPED_NAME_MAX];
    uint32_t count = 0;
    while (count < SHIPPED_MOST && hs_builtin_shipped("clusters/", count, name))
        names[count++] = hs_arena_text(&cluster->arena, name, strlen(name));
    if (!takes_any)
        s.hint = hs_did_you_mean(hint, spec, names, count, SHAPE_HINT);
    s.draft.rack_count = 1;
    enum hs_status status = shape_group(&s);
    while (status == HS_OK && *s.at++ == ',')
        status = shape_group(&s);
    if (status == HS_OK)
        build(cluster, &s.draft);
    draft_free(&s.draft);
    cluster->input_hash = hs_hash_of(spec, strlen(spec));
    return status;
}

/* ---- lists of machines ----
 *
 *     sn,cpu_milli,memory_mib,gpu,model                 openb (alibaba/clusterdata, 2023)
 *     machineId, number of GPUs, single GPU mem         Philly (cluster_machine_list)
 *     ,machineId,number of GPUs                         its revision
 *     NODELIST|CPUS|MEMORY|GRES                         Slurm: sinfo -N -o '%N|%c|%m|%G'
 *
 * Columns are found by name, others ignored. All nodes are in one rack, in the order and with the
 * names of the rows. Machines without GPUs are omitted, with a warning. sinfo prints a node once
 * per partition: repetitions are ignored. */

#define NONE UINT32_MAX

enum column { NAME, GPUS, TYPE, GPU_MEMORY, CPU_MILLI, MEMORY, CPUS, COLUMN_COUNT };

/* Names of each column in the different lists. */
static const char *const column_names[COLUMN_COUNT][4] = {
    [NAME] = {"sn", "machineId", "NODELIST"},
    [GPUS] = {"gpu", "number of GPUs", "GRES"},
    [TYPE] = {"model"},
    [GPU_MEMORY] = {"single GPU mem"},
    [CPU_MILLI] = {"cpu_milli"},
    [MEMORY] = {"memory_mib", "MEMORY"},
    [CPUS] = {"CPUS"},
};

struct node_list {
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t field_of[COLUMN_COUNT]; /* NONE = not in the file */
    uint32_t field_count;
    struct hs_cluster *cluster;
    struct cluster_draft draft;
    struct hs_intern names;
    uint32_t idle_count, odd_cpu_count; /* machines without GPUs; with part of a core */
    bool is_sinfo;
    struct hs_diag *diag;
};

static bool begins_list(const char *head, size_t len)
{
    size_t end = 0, commas = 0;
    while (end < len && head[end] != '\n' && head[end] != '\r')
        commas += head[end] == ',' || head[end] == '|', end++;
    char line[256];
    if (commas == 0 || end >= sizeof line)
        return false;
    memcpy(line, head, end);
    line[end] = '\0';
    return (strncmp(line, "sn,", 3) == 0 && strstr(line, ",gpu,") != NULL) ||
           strstr(line, "machineId") != NULL ||
           (strstr(line, "NODELIST|") != NULL && strstr(line, "GRES") != NULL);
}

static const char *text_of(const struct node_list *l, enum column column)
{
    return l->field_of[column] == NONE ? "" : l->row.fields[l->field_of[column]];
}

/* Reads a whole number up to max; if missing, it is `absent`, or an error if that is NONE. */
static enum hs_status read_number(struct node_list *l, enum column column, uint32_t max,
                                  uint32_t absent, uint32_t *out)
{
    const char *text = text_of(l, column);
    int64_t value;
    *out = absent;
    if (text[0] == '\0' && absent != NONE)
        return HS_OK;
    bool is_number = column == GPU_MEMORY ? hs_parse_size_mib(text, strlen(text), &value)
                                          : hs_parse_int64(text, strlen(text), &value);
    if (!is_number || value < 0 || value > max)
        return hs_csv_fail(l->csv, l->field_of[column], NULL,
                           "%s must be a whole number 0..%u, not '%s'", column_names[column][0],
                           max, text);
    *out = (uint32_t)value;
    return HS_OK;
}

/* Reads GRES of sinfo: "gpu:a100:4(S:0-1),nvme:1", "gpu:8", "(null)". One type per node. */
static enum hs_status read_gres(struct node_list *l, struct node_group *node)
{
    const char *type = HS_UNTYPED, *at = text_of(l, GPUS);
    size_t type_len = strlen(HS_UNTYPED);
    for (size_t len; *at != '\0'; at += len + (at[len] == ',')) {
        len = strcspn(at, ",");
        if (len < 5 || strncmp(at, "gpu:", 4) != 0)
            continue;
        const char *count = at + 4, *end = at + strcspn(at, ",("), *colon;
        int64_t gpus;
        while ((colon = memchr(count, ':', (size_t)(end - count))) != NULL)
            count = colon + 1;
        if (!hs_parse_int64(count, (size_t)(end - count), &gpus) || gpus < 1 ||
            gpus > HS_NODE_GPUS_MAX || node->gpus > 0)
            return hs_csv_fail(l->csv, l->field_of[GPUS], "gpu:a100:8, one type of GPUs a node",
                               "'%s' is no number of GPUs", text_of(l, GPUS));
        node->gpus = (uint32_t)gpus;
        if (count > at + 4) {
            type = at + 4;
            type_len = (size_t)(count - 1 - type);
        }
    }
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)type_len, type);
    const char *known = hs_gpu_type_name(name, strlen(name));
    if (node->gpus > 0 && draft_type(&l->draft, &l->cluster->arena, known != NULL ? known : name, 0,
                                     &node->type) != HS_OK)
        return hs_csv_fail(l->csv, 0, NULL, "more than %u GPU types", (unsigned)HS_GPU_TYPES_MAX);
    return HS_OK;
}

/* Reads the type by name, or by its memory if the list has only that: GPU-12GB. */
static enum hs_status read_type(struct node_list *l, uint32_t *type)
{
    char name[64];
    uint32_t mem_mib;
    const char *text = text_of(l, TYPE);
    HS_TRY(read_number(l, GPU_MEMORY, HS_MEM_MIB_MAX, 0, &mem_mib));
    if (text[0] == '\0') {
        (void)snprintf(name, sizeof name, mem_mib > 0 ? HS_UNTYPED "-%s" : HS_UNTYPED,
                       text_of(l, GPU_MEMORY));
        text = name;
    }
    const char *known = hs_gpu_type_name(text, strlen(text));
    text = known != NULL ? known : text;
    return draft_type(&l->draft, &l->cluster->arena, text, mem_mib, type) == HS_OK
               ? HS_OK
               : hs_csv_fail(l->csv, 0, NULL, "more than %u GPU types", (unsigned)HS_GPU_TYPES_MAX);
}

static enum hs_status read_row(struct node_list *l)
{
    struct node_group node = {.count = 1, .vc = NO_VC};
    const char *name = text_of(l, NAME);
    uint32_t cpu_milli;
    if (l->row.count != l->field_count)
        return hs_csv_fail(l->csv, l->row.count, NULL, "%u fields where the header has %u",
                           l->row.count, l->field_count);
    if (name[0] == '\0')
        return hs_csv_fail(l->csv, l->field_of[NAME], NULL, "a node without name");
    if (l->is_sinfo && strpbrk(name, "[,") != NULL)
        return hs_csv_fail(l->csv, l->field_of[NAME], "-N of sinfo gives each node a row",
                           "several nodes in one row: '%s'", name);
    if (l->is_sinfo && hs_intern_find(&l->names, name) != NONE)
        return HS_OK;
    if (hs_intern_find(&l->names, name) != NONE)
        return hs_csv_fail(l->csv, l->field_of[NAME], NULL, "a second node of name '%s'", name);
    (void)hs_intern_get(&l->names, name);
    node.name = hs_arena_text(&l->cluster->arena, name, strlen(name));
    HS_TRY(l->is_sinfo ? read_gres(l, &node)
                       : read_number(l, GPUS, HS_NODE_GPUS_MAX, NONE, &node.gpus));
    if (node.gpus == 0) {
        l->idle_count++;
        return HS_OK;
    }
    if (!l->is_sinfo)
        HS_TRY(read_type(l, &node.type));
    HS_TRY(read_number(l, CPU_MILLI, HS_NODE_CPUS_MAX * 1000, 0, &cpu_milli));
    HS_TRY(read_number(l, CPUS, HS_NODE_CPUS_MAX, 0, &node.cpus));
    HS_TRY(read_number(l, MEMORY, HS_MEM_MIB_MAX, 0, &node.mem_mib));
    l->odd_cpu_count += cpu_milli % 1000 != 0;
    node.cpus += cpu_milli / 1000;
    return draft_add_group(&l->draft, &node) == HS_OK
               ? HS_OK
               : hs_csv_fail(l->csv, 0, NULL, "more than %u nodes", HS_NODES_MAX);
}

static enum hs_status read_rows(struct node_list *l)
{
    HS_TRY(hs_csv_next(l->csv, &l->row));
    l->field_count = l->row.count;
    for (enum column c = 0; c < COLUMN_COUNT; c++) {
        const char *const *name = column_names[c];
        for (l->field_of[c] = NONE; *name != NULL && l->field_of[c] == NONE; name++)
            l->field_of[c] = hs_csv_column(&l->row, *name);
        if (c <= GPUS && l->field_of[c] == NONE)
            return hs_csv_fail(l->csv, 0,
                               "a list of machines has columns 'sn' and 'gpu', 'machineId' "
                               "and 'number of GPUs', or NODELIST and GRES",
                               "missing column '%s'", column_names[c][0]);
    }
    enum hs_status status;
    while ((status = hs_csv_next(l->csv, &l->row)) == HS_OK)
        HS_TRY(read_row(l));
    if (status != HS_END)
        return status;
    struct hs_place place = {.file = hs_csv_place(l->csv, 0).file};
    if (l->draft.node_count == 0)
        return hs_fail(l->diag, HS_E_INPUT, &place, NULL, "no node has a GPU");
    if (l->idle_count > 0)
        hs_report(l->diag, HS_WARNING, &place, NULL, "%u machines without GPUs are left out",
                  l->idle_count);
    if (l->odd_cpu_count > 0)
        hs_report(l->diag, HS_WARNING, &place, NULL,
                  "%u nodes have a part of a CPU core: whole cores count", l->odd_cpu_count);
    l->draft.rack_count = 1;
    build(l->cluster, &l->draft);
    return HS_OK;
}

static enum hs_status read_list(struct hs_cluster *cluster, struct hs_input *input, bool is_sinfo,
                                struct hs_diag *diag)
{
    struct node_list l = {.cluster = cluster, .is_sinfo = is_sinfo, .diag = diag};
    hs_intern_init(&l.names);
    hs_csv_open(&l.csv, input, is_sinfo ? '|' : ',', diag);
    enum hs_status status = read_rows(&l);
    hs_csv_close(l.csv);
    hs_intern_free(&l.names);
    draft_free(&l.draft);
    cluster->input_hash = hs_input_hash(input);
    return status;
}

#define Q32_SCALE 4294967296.0

struct cluster_reader {
    struct hs_jsoncheck check;
    const struct hs_json *root;
    struct hs_cluster *cluster;
    struct cluster_draft draft;
    struct hs_intern vc_names; /* index + 1, as "" is id 0 */
    bool has_named_nodes;
};

/* ---- GPU types ---- */

/* Adds a faulty type, too, to avoid errors of the node groups that name it. */
static void read_declared_type(struct cluster_reader *r, const struct hs_json *type)
{
    struct hs_jsoncheck *c = &r->check;
    if (!hs_jsoncheck_name(c, type, hs_json_key(type), "the name of a GPU type"))
        return;
    uint32_t at;
    if (draft_type(&r->draft, &r->cluster->arena, hs_json_key(type), 0, &at) != HS_OK) {
        hs_jsoncheck_fault(c, type, NULL, "more than %u GPU types", HS_GPU_TYPES_MAX);
        return;
    }
    if (!hs_jsoncheck_object(c, type, "a GPU type", "mem_mib speed sharing_mode"))
        return;
    struct hs_gpu_type *added = &r->draft.types[at];
    added->mem_mib =
        (uint32_t)hs_jsoncheck_int(c, type, "mem_mib", 1, HS_MEM_MIB_MAX, added->mem_mib);
    const struct hs_json *value = hs_json_get(type, "speed");
    double speed = value == NULL ? 1.0 : hs_json_number(value);
    added->speed_q32 =
        speed > 0 && speed <= HS_GPU_SPEED_MAX ? (uint64_t)(speed * Q32_SCALE + 0.5) : 0;
    if (added->speed_q32 == 0)
        hs_jsoncheck_fault(c, value, "1 = the GPUs on which the trace was recorded",
                           "speed must be a number above 0, at most 1000");
    const char *mode = hs_jsoncheck_text(c, type, "sharing_mode");
    uint32_t word = 0;
    while (mode != NULL && hs_sharing_modes[word] != NULL &&
           strcmp(mode, hs_sharing_modes[word]) != 0)
        word++;
    if (hs_sharing_modes[word] != NULL)
        added->sharing_mode = (enum hs_sharing_mode)word;
    else
        hs_jsoncheck_fault(c, hs_json_get(type, "sharing_mode"), NULL,
                           "sharing_mode must be \"timeslice\", \"mps\" or \"mig\"");
}

/* Returns the type of a node group: from "gpu_types" if the file has them, else well-known or
 * none. */
static uint32_t read_group_type(struct cluster_reader *r, const struct hs_json *group)
{
    const struct hs_json *value = hs_json_get(group, "type");
    const char *name = hs_jsoncheck_text(&r->check, group, "type");
    bool is_declared = hs_json_count(hs_json_get(r->root, "gpu_types")) > 0;
    if (value != NULL && name == NULL)
        return 0;
    if (name == NULL && is_declared) {
        hs_jsoncheck_fault(&r->check, group, "add \"type\", one of \"gpu_types\"",
                           "a node group without GPU type");
        return 0;
    }
    if (name == NULL)
        name = HS_UNTYPED;
    uint32_t type = draft_find_type(&r->draft, name);
    if (type != UINT32_MAX)
        return type;
    const char *known = is_declared ? NULL : hs_gpu_type_name(name, strlen(name));
    if (known == NULL) {
        const char *names[HS_GPU_TYPES_MAX];
        char hint[HS_HINT_SIZE];
        for (uint32_t i = 0; i < r->draft.type_count; i++)
            names[i] = r->draft.types[i].name;
        hs_jsoncheck_fault(&r->check, value,
                           hs_did_you_mean(hint, name, names, r->draft.type_count,
                                           "declare it under \"gpu_types\""),
                           "unknown GPU type '%s'", name);
        return 0;
    }
    if (draft_type(&r->draft, &r->cluster->arena, known, 0, &type) != HS_OK)
        hs_jsoncheck_fault(&r->check, value, NULL, "more than %u GPU types", HS_GPU_TYPES_MAX);
    return type;
}

/* ---- virtual clusters ---- */

/* Returns the owner of a node group: one of "vcs" if the file has them, else any name. */
static uint32_t read_group_vc(struct cluster_reader *r, const struct hs_json *group)
{
    const char *name = hs_jsoncheck_text(&r->check, group, "vc");
    if (name == NULL)
        return NO_VC;
    uint32_t id = hs_intern_find(&r->vc_names, name);
    if (id != UINT32_MAX)
        return id - 1;
    if (hs_json_get(r->root, "vcs") == NULL) {
        (void)hs_intern_get(&r->vc_names, name);
        hs_vc_list_add(&r->draft.vcs, name);
        return r->draft.vcs.count - 1;
    }
    hs_jsoncheck_fault(&r->check, hs_json_get(group, "vc"), "add it to \"vcs\"",
                       "unknown virtual cluster '%s'", name);
    return NO_VC;
}

/* Checks that all node groups or none have an owner, and that these agree with "vcs". */
static void check_owners(struct cluster_reader *r)
{
    struct cluster_draft *d = &r->draft;
    const struct hs_json *vcs = hs_json_get(r->root, "vcs");
    uint32_t owned = 0;
    for (uint32_t i = 0; i < d->group_count; i++)
        owned += d->groups[i].vc != NO_VC;
    if (owned == 0)
        return;
    uint64_t *sums = hs_alloc_zeroed(d->vcs.count, sizeof *sums);
    for (uint32_t i = 0; i < d->group_count; i++) {
        const struct node_group *g = &d->groups[i];
        if (g->vc == NO_VC)
            hs_jsoncheck_fault(&r->check, g->row, "give \"vc\" to all node groups or to none",
                               "a node group without virtual cluster among others with one");
        else
            sums[g->vc] += (uint64_t)g->count * g->gpus;
    }
    for (uint32_t v = 0; v < d->vcs.count; v++) {
        if (vcs == NULL)
            d->vcs.vcs[v].gpus = sums[v];
        else if (d->vcs.vcs[v].gpus != sums[v])
            hs_jsoncheck_fault(&r->check, hs_json_get(vcs, d->vcs.vcs[v].name), NULL,
                               "virtual cluster '%s' has %" PRIu64
                               " GPUs here, but its nodes have %" PRIu64,
                               d->vcs.vcs[v].name, d->vcs.vcs[v].gpus, sums[v]);
    }
    hs_free(sums);
}

/* ---- nodes ---- */

static void read_group(struct cluster_reader *r, const struct hs_json *row)
{
    struct hs_jsoncheck *c = &r->check;
    if (!hs_jsoncheck_object(c, row, "a node group", "count gpus type cpus mem_mib vc name"))
        return;
    if (hs_json_get(row, "gpus") == NULL)
        hs_jsoncheck_fault(c, row, "add \"gpus\", GPUs per node", "a node group without gpus");
    const char *name = hs_jsoncheck_text(c, row, "name");
    struct node_group g = {
        .name = name != NULL ? hs_arena_text(&r->cluster->arena, name, strlen(name)) : NULL,
        .row = row,
        .count = (uint32_t)hs_jsoncheck_int(c, row, "count", 1, HS_NODES_MAX, 1),
        .gpus = (uint32_t)hs_jsoncheck_int(c, row, "gpus", 1, HS_NODE_GPUS_MAX, 1),
        .type = read_group_type(r, row),
        .rack = r->draft.rack_count - 1,
        .cpus = (uint32_t)hs_jsoncheck_int(c, row, "cpus", 1, HS_NODE_CPUS_MAX, 0),
        .mem_mib = (uint32_t)hs_jsoncheck_int(c, row, "mem_mib", 1, HS_MEM_MIB_MAX, 0),
        .vc = read_group_vc(r, row),
    };
    r->has_named_nodes |= g.name != NULL;
    if (draft_add_group(&r->draft, &g) != HS_OK)
        hs_jsoncheck_fault(c, row, NULL, "more than %u nodes", HS_NODES_MAX);
}

static void read_rack(struct cluster_reader *r, const struct hs_json *nodes)
{
    if (!hs_jsoncheck_filled(&r->check, nodes, HS_JSON_ARRAY, "nodes"))
        return;
    r->draft.rack_count++;
    for (const struct hs_json *g = hs_json_first(nodes); g != NULL; g = hs_json_next(g))
        read_group(r, g);
}

static void read_racks(struct cluster_reader *r, const struct hs_json *racks)
{
    if (!hs_jsoncheck_filled(&r->check, racks, HS_JSON_ARRAY, "racks"))
        return;
    for (const struct hs_json *rack = hs_json_first(racks); rack != NULL;
         rack = hs_json_next(rack)) {
        if (!hs_jsoncheck_object(&r->check, rack, "a rack", "nodes"))
            continue;
        const struct hs_json *nodes = hs_json_get(rack, "nodes");
        if (nodes == NULL)
            hs_jsoncheck_fault(&r->check, rack, NULL, "a rack without nodes");
        else
            read_rack(r, nodes);
    }
}

/* Every output identifies nodes by name, so names must be unique. */
static void check_node_names(struct cluster_reader *r)
{
    struct hs_intern names;
    hs_intern_init(&names);
    uint32_t group = 0, in_group = 0;
    for (uint32_t i = 0; i < r->cluster->node_count; i++, in_group++) {
        if (in_group == r->draft.groups[group].count) {
            group++;
            in_group = 0;
        }
        const char *name = r->cluster->nodes[i].name;
        if (hs_intern_find(&names, name) != UINT32_MAX) {
            hs_jsoncheck_fault(&r->check, r->draft.groups[group].row,
                               "nodes without name are n0, n1, ... by their number in the file",
                               "a second node of name '%s'", name);
            break;
        }
        (void)hs_intern_get(&names, name);
    }
    hs_intern_free(&names);
}

/* ---- document ---- */

static void read_document(struct cluster_reader *r)
{
    struct hs_jsoncheck *c = &r->check;
    if (!hs_jsoncheck_object(c, r->root, "a cluster",
                             "name gpu_types racks nodes vcs cohorts $schema"))
        return;
    const struct hs_json *racks = hs_json_get(r->root, "racks");
    const struct hs_json *nodes = hs_json_get(r->root, "nodes");
    const struct hs_json *types = hs_json_get(r->root, "gpu_types");
    (void)hs_jsoncheck_text(c, r->root, "name");
    if (types != NULL && hs_jsoncheck_filled(c, types, HS_JSON_OBJECT, "gpu_types"))
        for (const struct hs_json *t = hs_json_first(types); t != NULL; t = hs_json_next(t))
            read_declared_type(r, t);
    hs_vc_list_read(&r->draft.vcs, c, r->root);
    for (uint32_t v = 0; v < r->draft.vcs.count; v++)
        (void)hs_intern_get(&r->vc_names, r->draft.vcs.vcs[v].name);
    if ((racks == NULL) == (nodes == NULL)) {
        hs_jsoncheck_fault(c, nodes != NULL ? nodes : r->root,
                           "\"nodes\": [{\"count\": 16, \"gpus\": 8}] is one rack",
                           "a cluster has either racks or nodes");
        return;
    }
    if (racks != NULL)
        read_racks(r, racks);
    else
        read_rack(r, nodes);
    if (r->check.status == HS_OK)
        check_owners(r);
}

static enum hs_status read_json(struct hs_cluster *cluster, const char *path, struct hs_diag *diag)
{
    struct hs_json_doc *doc;
    uint64_t bytes;
    HS_TRY(hs_json_load(&doc, path, diag));
    cluster->input_hash = hs_json_hash(doc, &bytes);
    struct cluster_reader r = {
        .check = {.doc = doc, .diag = diag}, .root = hs_json_root(doc), .cluster = cluster};
    hs_intern_init(&r.vc_names);
    read_document(&r);
    if (r.check.status == HS_OK)
        build(cluster, &r.draft);
    if (r.check.status == HS_OK && r.has_named_nodes)
        check_node_names(&r);
    draft_free(&r.draft);
    hs_intern_free(&r.vc_names);
    hs_json_close(doc);
    return r.check.status;
}

/* ---- loading a description ---- */

/* Refuses nodes in a form that is not read, with the command for one that is. */
static enum hs_status refuse_known(const char *head, size_t len, const char *path,
                                   struct hs_diag *diag)
{
    const struct hs_place place = {.file = path};
    char text[256];
    (void)snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text), head);
    if (strncmp(text, "NodeName=", 9) == 0 || strncmp(text, "PARTITION ", 10) == 0)
        return hs_fail(diag, HS_E_INPUT, &place, "sinfo -N -o '%N|%c|%m|%G' >nodes.txt is read",
                       "nodes in another form of Slurm");
    return strstr(text, "\"apiVersion\"") == NULL
               ? HS_OK
               : hs_fail(diag, HS_E_INPUT, &place,
                         "jq -f configs/mappings/kubernetes-nodes.jq FILE >cluster.json is read",
                         "this is a list of Kubernetes as kubectl prints it");
}

static enum hs_status read_file(struct hs_cluster *cluster, const char *path, bool is_json,
                                struct hs_diag *diag)
{
    struct hs_input *input;
    const char *head;
    size_t len = 0;
    HS_TRY(hs_input_open(&input, path, diag));
    enum hs_status status = hs_input_peek(input, &head, &len);
    bool is_list = status == HS_OK && !is_json && begins_list(head, len);
    if (is_list)
        status = read_list(cluster, input, memchr(head, '|', len) != NULL, diag);
    else if (status == HS_OK)
        status = refuse_known(head, len, path, diag);
    hs_input_close(input);
    if (is_list || (status != HS_OK && status != HS_END))
        return status;
    status = read_json(cluster, path, diag);
    if (status == HS_E_INPUT && !is_json)
        hs_report(
            diag, HS_NOTE, HS_AT({.file = path}), NULL,
            "a cluster is a shape such as 16x8:V100, JSON, or a list of machines (sn,gpu,...), "
            "not a trace");
    return status;
}

enum hs_status hs_cluster_load(struct hs_cluster *cluster, const char *spec, struct hs_diag *diag)
{
    *cluster = (struct hs_cluster){0};
    spec = hs_builtin_cluster(spec);
    size_t len = strlen(spec);
    bool is_json = len > 5 && strcmp(spec + len - 5, ".json") == 0;
    bool is_file = is_json || access(spec, F_OK) == 0;
    hs_intern_init(&cluster->vc_names);
    enum hs_status status =
        is_file ? read_file(cluster, spec, is_json, diag) : read_shape(cluster, spec, false, diag);
    if (status != HS_OK)
        hs_cluster_free(cluster);
    return status;
}

enum hs_status hs_cluster_load_shape(struct hs_cluster *cluster, const char *shape,
                                     struct hs_diag *diag)
{
    *cluster = (struct hs_cluster){0};
    hs_intern_init(&cluster->vc_names);
    enum hs_status status = read_shape(cluster, shape, true, diag);
    if (status != HS_OK)
        hs_cluster_free(cluster);
    return status;
}

enum hs_status hs_cluster_overcommit(struct hs_cluster *cluster, double factor,
                                     struct hs_diag *diag)
{
    const struct hs_cluster was = *cluster;
    const bool is_one = factor * was.node_count + 0.5 < 1;
    const uint64_t count = is_one ? 1 : (uint64_t)(factor * was.node_count + 0.5);
    uint32_t rack = 0, copies = 0;
    if (factor == 1)
        return HS_OK;
    if (count > HS_NODES_MAX)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL,
                       "overcommit: %" PRIu64 " nodes are more than %u", count, HS_NODES_MAX);
    cluster->nodes = hs_arena_alloc(&cluster->arena, count * sizeof *cluster->nodes);
    if (was.own_node_vc != NULL)
        cluster->own_node_vc = hs_arena_alloc(&cluster->arena, count * sizeof(uint32_t));
    cluster->node_count = cluster->gpu_count = cluster->max_node_gpus = 0;
    for (uint32_t n = 0; n < was.node_count; n++) {
        const uint64_t end = is_one ? 1 : (uint64_t)(factor * (n + 1) + 0.5);
        for (; rack <= was.nodes[n].rack; rack++)
            cluster->rack_first[rack] = cluster->node_count;
        for (copies = 0; cluster->node_count < end;) {
            struct hs_node *node = &cluster->nodes[cluster->node_count];
            char name[320];
            *node = was.nodes[n];
            node->first_gpu = cluster->gpu_count;
            (void)snprintf(name, sizeof name, "%s+%u", node->name, copies);
            if (copies++ > 0)
                node->name = hs_arena_text(&cluster->arena, name, strlen(name));
            if (was.own_node_vc != NULL)
                cluster->own_node_vc[cluster->node_count] = was.own_node_vc[n];
            cluster->node_count++;
            cluster->gpu_count += node->gpus;
            if (node->gpus > cluster->max_node_gpus)
                cluster->max_node_gpus = node->gpus;
        }
    }
    for (; rack <= was.rack_count; rack++)
        cluster->rack_first[rack] = cluster->node_count;
    cluster->vcs[0].gpus = cluster->gpu_count;
    return HS_OK;
}

void hs_cluster_free(struct hs_cluster *cluster)
{
    hs_arena_free(&cluster->arena);
    hs_intern_free(&cluster->vc_names);
    *cluster = (struct hs_cluster){0};
}
