/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads a cluster from JSON (configs/README.md documents the form) into a draft. Strict: whatever
 * is not understood is an error at its place, and all errors of the file are shown in one go.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/io.h"
#include "data/jsoncheck.h"
#include "model/cluster_draft.h"

#define FILE_MAX  (UINT64_C(16) << 20)
#define Q32_SCALE 4294967296.0

struct reader {
    struct hs_jsoncheck check;
    const struct hs_json *root;
    struct hs_cluster *cluster;
    struct hs_cluster_draft draft;
    struct hs_intern vc_names; /* index + 1, because "" is id 0 */
    bool has_named_nodes;
};

static const char *copy_text(struct reader *r, const char *text)
{
    const char *copy = hs_arena_text(&r->cluster->arena, text, strlen(text));
    if (copy == NULL)
        hs_jsoncheck_note(&r->check, HS_E_MEMORY);
    return copy;
}

/* ---- GPU types ---- */

static uint64_t read_speed(struct reader *r, const struct hs_json *type)
{
    const struct hs_json *value = hs_json_get(type, "speed");
    double speed = value == NULL ? 1.0 : hs_json_number(value);
    uint64_t q32 = 0;
    if (speed > 0 && speed <= HS_GPU_SPEED_MAX)
        q32 = (uint64_t)(speed * Q32_SCALE + 0.5);
    if (q32 == 0)
        hs_jsoncheck_fault(&r->check, value, "1 = the GPUs on which the trace was recorded",
                           "speed must be a number above 0, at most 1000");
    return q32;
}

/* A faulty type is added too: the node groups that name it are not to blame. */
static void read_type(struct reader *r, const struct hs_json *type)
{
    static const char *const keys[] = {"mem_mib", "speed"};
    struct hs_jsoncheck *c = &r->check;
    if (!hs_jsoncheck_name(c, type, hs_json_key(type), "the name of a GPU type"))
        return;
    const char *name = copy_text(r, hs_json_key(type));
    if (name == NULL)
        return;
    if (hs_draft_add_type(&r->draft, name, hs_gpu_known_mem_mib(name)) != HS_OK) {
        hs_jsoncheck_fault(c, type, NULL, "more than %u GPU types", HS_GPU_TYPES_MAX);
        return;
    }
    if (!hs_jsoncheck_kind(c, type, HS_JSON_OBJECT, "a GPU type"))
        return;
    hs_jsoncheck_keys(c, type, keys, sizeof keys / sizeof keys[0], "a GPU type");
    struct hs_gpu_type *added = &r->draft.types[r->draft.type_count - 1];
    added->mem_mib =
        (uint32_t)hs_jsoncheck_int(c, type, "mem_mib", 1, HS_MEM_MIB_MAX, added->mem_mib);
    added->speed_q32 = read_speed(r, type);
}

static void read_types(struct reader *r, const struct hs_json *types)
{
    if (types == NULL || !hs_jsoncheck_filled(&r->check, types, HS_JSON_OBJECT, "gpu_types"))
        return;
    for (const struct hs_json *t = hs_json_first(types); t != NULL; t = hs_json_next(t))
        read_type(r, t);
}

static void fault_type(struct reader *r, const struct hs_json *at, const char *name)
{
    const char *names[HS_GPU_TYPES_MAX];
    char hint[320] = "declare it under \"gpu_types\"";
    for (uint32_t i = 0; i < r->draft.type_count; i++)
        names[i] = r->draft.types[i].name;
    const char *nearest = hs_nearest(name, names, r->draft.type_count);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    hs_jsoncheck_fault(&r->check, at, hint, "unknown GPU type '%s'", name);
}

/* Type of a node group. With "gpu_types" in the file every group names one of them; without, it
 * names a well-known one or none. */
static uint32_t read_group_type(struct reader *r, const struct hs_json *group)
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
    uint32_t type = hs_draft_find_type(&r->draft, name);
    if (type != UINT32_MAX)
        return type;
    if (is_declared || (value != NULL && hs_gpu_known_mem_mib(name) == 0)) {
        fault_type(r, value, name);
        return 0;
    }
    name = copy_text(r, name);
    if (name != NULL)
        hs_jsoncheck_note(&r->check,
                          hs_draft_add_type(&r->draft, name, hs_gpu_known_mem_mib(name)));
    return r->draft.type_count - 1;
}

/* ---- virtual clusters ---- */

static uint32_t add_vc(struct reader *r, const char *name, uint64_t gpus)
{
    uint32_t id;
    enum hs_status status = hs_intern_get(&r->vc_names, name, &id);
    if (status == HS_OK)
        status = hs_draft_add_vc(&r->draft, name, gpus);
    hs_jsoncheck_note(&r->check, status);
    return status == HS_OK ? r->draft.vc_count - 1 : HS_NO_VC;
}

void hs_draft_read_vcs(struct hs_cluster_draft *draft, struct hs_jsoncheck *check,
                       const struct hs_json *vcs)
{
    if (!hs_jsoncheck_filled(check, vcs, HS_JSON_OBJECT, "vcs"))
        return;
    for (const struct hs_json *v = hs_json_first(vcs); v != NULL; v = hs_json_next(v)) {
        const char *name = hs_json_key(v);
        if (!hs_jsoncheck_name(check, v, name, "the name of a virtual cluster"))
            continue;
        int64_t gpus = hs_jsoncheck_int(check, vcs, name, 0, UINT32_MAX, 0);
        hs_jsoncheck_note(check, hs_draft_add_vc(draft, name, (uint64_t)gpus));
    }
}

static void read_vcs(struct reader *r, const struct hs_json *vcs)
{
    if (vcs == NULL)
        return;
    hs_draft_read_vcs(&r->draft, &r->check, vcs);
    for (uint32_t v = 0; v < r->draft.vc_count; v++) {
        uint32_t id;
        hs_jsoncheck_note(&r->check, hs_intern_get(&r->vc_names, r->draft.vcs[v].name, &id));
    }
}

/* Owner of a node group: one of "vcs" where the file has them, else whatever the groups name. */
static uint32_t read_group_vc(struct reader *r, const struct hs_json *group)
{
    const char *name = hs_jsoncheck_text(&r->check, group, "vc");
    if (name == NULL)
        return HS_NO_VC;
    uint32_t id = hs_intern_find(&r->vc_names, name);
    if (id != UINT32_MAX)
        return id - 1;
    if (hs_json_get(r->root, "vcs") == NULL)
        return add_vc(r, name, 0);
    hs_jsoncheck_fault(&r->check, hs_json_get(group, "vc"), "add it to \"vcs\"",
                       "unknown virtual cluster '%s'", name);
    return HS_NO_VC;
}

/* Owners are given by all node groups or by none, and agree with "vcs". */
static void check_owners(struct reader *r)
{
    struct hs_cluster_draft *d = &r->draft;
    const struct hs_json *vcs = hs_json_get(r->root, "vcs");
    uint32_t owned = 0;
    for (uint32_t i = 0; i < d->group_count; i++)
        owned += d->groups[i].vc != HS_NO_VC;
    if (owned == 0)
        return;
    uint64_t *sums = hs_alloc_zeroed(d->vc_count, sizeof *sums);
    if (sums == NULL) {
        hs_jsoncheck_note(&r->check, HS_E_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < d->group_count; i++) {
        const struct hs_node_group *g = &d->groups[i];
        if (g->vc == HS_NO_VC)
            hs_jsoncheck_fault(&r->check, g->row, "give \"vc\" to all node groups or to none",
                               "a node group without virtual cluster among others with one");
        else
            sums[g->vc] += (uint64_t)g->count * g->gpus;
    }
    for (uint32_t v = 0; v < d->vc_count; v++) {
        if (vcs == NULL)
            d->vcs[v].gpus = sums[v];
        else if (d->vcs[v].gpus != sums[v])
            hs_jsoncheck_fault(&r->check, hs_json_get(vcs, d->vcs[v].name), NULL,
                               "virtual cluster '%s' has %" PRIu64
                               " GPUs here, but its nodes have %" PRIu64,
                               d->vcs[v].name, d->vcs[v].gpus, sums[v]);
    }
    hs_free(sums);
}

/* ---- nodes ---- */

static void read_group(struct reader *r, const struct hs_json *row)
{
    static const char *const keys[] = {"count", "gpus", "type", "cpus", "mem_mib", "vc", "name"};
    struct hs_jsoncheck *c = &r->check;
    if (!hs_jsoncheck_kind(c, row, HS_JSON_OBJECT, "a node group"))
        return;
    hs_jsoncheck_keys(c, row, keys, sizeof keys / sizeof keys[0], "a node group");
    if (hs_json_get(row, "gpus") == NULL)
        hs_jsoncheck_fault(c, row, "add \"gpus\", GPUs per node", "a node group without gpus");
    const char *name = hs_jsoncheck_text(c, row, "name");
    struct hs_node_group g = {
        .name = name != NULL ? copy_text(r, name) : NULL,
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
    enum hs_status status = hs_draft_add_group(&r->draft, &g);
    if (status == HS_E_LIMIT)
        hs_jsoncheck_fault(c, row, NULL, "more than %u nodes", HS_NODES_MAX);
    else
        hs_jsoncheck_note(c, status);
}

static void read_rack(struct reader *r, const struct hs_json *nodes)
{
    if (!hs_jsoncheck_filled(&r->check, nodes, HS_JSON_ARRAY, "nodes"))
        return;
    r->draft.rack_count++;
    for (const struct hs_json *g = hs_json_first(nodes); g != NULL; g = hs_json_next(g))
        read_group(r, g);
}

static void read_racks(struct reader *r, const struct hs_json *racks)
{
    static const char *const keys[] = {"nodes"};
    if (!hs_jsoncheck_filled(&r->check, racks, HS_JSON_ARRAY, "racks"))
        return;
    for (const struct hs_json *rack = hs_json_first(racks); rack != NULL;
         rack = hs_json_next(rack)) {
        if (!hs_jsoncheck_kind(&r->check, rack, HS_JSON_OBJECT, "a rack"))
            continue;
        hs_jsoncheck_keys(&r->check, rack, keys, 1, "a rack");
        const struct hs_json *nodes = hs_json_get(rack, "nodes");
        if (nodes == NULL)
            hs_jsoncheck_fault(&r->check, rack, NULL, "a rack without nodes");
        else
            read_rack(r, nodes);
    }
}

/* Nodes are told apart by name in every output. */
static enum hs_status check_node_names(struct reader *r)
{
    struct hs_intern names;
    HS_TRY(hs_intern_init(&names));
    enum hs_status status = HS_OK;
    uint32_t group = 0, in_group = 0;
    for (uint32_t i = 0; i < r->cluster->node_count && status == HS_OK; i++, in_group++) {
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
        uint32_t id;
        status = hs_intern_get(&names, name, &id);
    }
    hs_intern_free(&names);
    return status;
}

/* ---- document ---- */

static void read_document(struct reader *r)
{
    static const char *const keys[] = {"name", "gpu_types", "racks", "nodes", "vcs", "$schema"};
    struct hs_jsoncheck *c = &r->check;
    if (!hs_jsoncheck_kind(c, r->root, HS_JSON_OBJECT, "a cluster"))
        return;
    const struct hs_json *racks = hs_json_get(r->root, "racks");
    const struct hs_json *nodes = hs_json_get(r->root, "nodes");
    hs_jsoncheck_keys(c, r->root, keys, sizeof keys / sizeof keys[0], "a cluster");
    (void)hs_jsoncheck_text(c, r->root, "name");
    read_types(r, hs_json_get(r->root, "gpu_types"));
    read_vcs(r, hs_json_get(r->root, "vcs"));
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

static enum hs_status read_and_build(struct reader *r)
{
    HS_TRY(hs_intern_init(&r->vc_names));
    read_document(r);
    HS_TRY(r->check.status);
    HS_TRY(hs_cluster_build(r->cluster, &r->draft));
    if (r->has_named_nodes)
        HS_TRY(check_node_names(r));
    return r->check.status;
}

enum hs_status hs_cluster_read_json(struct hs_cluster *cluster, const char *path,
                                    struct hs_diag *diag)
{
    char *text;
    size_t len;
    HS_TRY(hs_read_file(path, FILE_MAX, &text, &len, diag));
    cluster->input_hash = hs_hash_of(text, len);
    hs_free(text);

    struct hs_json_doc *doc;
    HS_TRY(hs_json_load(&doc, path, diag));
    struct reader r = {
        .check = {.doc = doc, .diag = diag}, .root = hs_json_root(doc), .cluster = cluster};
    enum hs_status status = read_and_build(&r);
    hs_draft_free(&r.draft);
    hs_intern_free(&r.vc_names);
    hs_json_close(doc);
    return status;
}
