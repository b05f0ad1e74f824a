/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cluster from its description: shapes are parsed here, JSON in cluster_json.c, lists of machines
 * in cluster_list.c; virtual clusters are dealt in cluster_vcs.c. All descriptions become a draft
 * of node groups, of which the arrays are built at their final size in the cluster's arena.
 * O(nodes).
 */
#include "model/cluster.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fixed.h"
#include "base/hash.h"
#include "base/io.h"
#include "model/cluster_draft.h"

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

/* ---- draft ---- */

uint32_t hs_draft_find_type(const struct hs_cluster_draft *draft, const char *name)
{
    for (uint32_t i = 0; i < draft->type_count; i++)
        if (strcmp(draft->types[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

enum hs_status hs_draft_add_type(struct hs_cluster_draft *draft, const char *name, uint32_t mem_mib)
{
    if (draft->type_count == HS_GPU_TYPES_MAX)
        return HS_E_LIMIT;
    draft->types[draft->type_count++] =
        (struct hs_gpu_type){.name = name, .mem_mib = mem_mib, .speed_q32 = HS_Q32_ONE};
    return HS_OK;
}

enum hs_status hs_draft_add_group(struct hs_cluster_draft *draft, const struct hs_node_group *group)
{
    if (draft->node_count + group->count > HS_NODES_MAX)
        return HS_E_LIMIT;
    HS_TRY(hs_grow((void **)&draft->groups, &draft->group_cap, draft->group_count + UINT64_C(1),
                   sizeof *draft->groups, HS_NODES_MAX));
    draft->groups[draft->group_count++] = *group;
    draft->node_count += group->count;
    return HS_OK;
}

enum hs_status hs_draft_add_vc(struct hs_cluster_draft *draft, const char *name, uint64_t gpus)
{
    HS_TRY(hs_grow((void **)&draft->vcs, &draft->vc_cap, draft->vc_count + UINT64_C(1),
                   sizeof *draft->vcs, HS_NODES_MAX));
    draft->vcs[draft->vc_count++] =
        (struct hs_vc){.name = name, .quota_gpus = UINT64_MAX, .gpus = gpus};
    return HS_OK;
}

void hs_draft_free(struct hs_cluster_draft *draft)
{
    hs_free(draft->groups);
    hs_free(draft->vcs);
    *draft = (struct hs_cluster_draft){0};
}

/* ---- building ---- */

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

static enum hs_status build_group(struct hs_cluster *c, const struct hs_node_group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const char *name = node_name(c, g, i);
        if (name == NULL)
            return HS_E_MEMORY;
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
    return HS_OK;
}

static enum hs_status build_own_vcs(struct hs_cluster *c, const struct hs_cluster_draft *d)
{
    for (uint32_t v = 0; v < d->vc_count; v++) {
        c->own_vcs[v] = d->vcs[v];
        c->own_vcs[v].name = hs_arena_text(&c->arena, d->vcs[v].name, strlen(d->vcs[v].name));
        if (c->own_vcs[v].name == NULL)
            return HS_E_MEMORY;
    }
    c->own_vc_count = d->vc_count;
    return HS_OK;
}

static enum hs_status build_ignored_vcs(struct hs_cluster *c)
{
    c->vcs = hs_arena_alloc(&c->arena, sizeof *c->vcs);
    if (c->vcs == NULL)
        return HS_E_MEMORY;
    c->vcs[0] = (struct hs_vc){.name = "", .quota_gpus = UINT64_MAX, .gpus = c->gpu_count};
    c->vc_count = 1;
    return HS_OK;
}

static enum hs_status build_arrays(struct hs_cluster *c, const struct hs_cluster_draft *d)
{
    c->nodes = hs_arena_alloc(&c->arena, d->node_count * sizeof *c->nodes);
    c->types = hs_arena_alloc(&c->arena, d->type_count * sizeof *c->types);
    c->rack_first = hs_arena_alloc(&c->arena, (d->rack_count + UINT64_C(1)) * sizeof(uint32_t));
    c->own_vcs = hs_arena_alloc(&c->arena, d->vc_count * sizeof *c->own_vcs);
    if (c->nodes == NULL || c->types == NULL || c->rack_first == NULL || c->own_vcs == NULL)
        return HS_E_MEMORY;
    if (d->groups[0].vc != HS_NO_VC) {
        c->own_node_vc = hs_arena_alloc(&c->arena, d->node_count * sizeof *c->own_node_vc);
        if (c->own_node_vc == NULL)
            return HS_E_MEMORY;
    }
    return HS_OK;
}

enum hs_status hs_cluster_build(struct hs_cluster *cluster, const struct hs_cluster_draft *draft)
{
    HS_TRY(build_arrays(cluster, draft));
    memcpy(cluster->types, draft->types, draft->type_count * sizeof *cluster->types);
    cluster->type_count = draft->type_count;
    cluster->rack_count = draft->rack_count;
    for (uint32_t i = 0; i < draft->group_count; i++)
        HS_TRY(build_group(cluster, &draft->groups[i]));
    HS_TRY(build_own_vcs(cluster, draft));
    return build_ignored_vcs(cluster);
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

static enum hs_status shape_type(struct shape *s, uint32_t *type)
{
    const char *name = HS_UNTYPED;
    const char *begin = s->at;
    if (*s->at == ':') {
        begin = s->at + 1;
        size_t len = strspn(begin, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789_-+.");
        if (len == 0)
            return shape_fail(s, HS_E_USAGE, begin, 1, "expected the name of a GPU type");
        name = hs_arena_text(&s->cluster->arena, begin, len);
        if (name == NULL)
            return HS_E_MEMORY;
        s->at = begin + len;
    }
    *type = hs_draft_find_type(&s->draft, name);
    if (*type != UINT32_MAX)
        return HS_OK;
    *type = s->draft.type_count;
    if (hs_draft_add_type(&s->draft, name, hs_gpu_known_mem_mib(name)) != HS_OK)
        return shape_fail(s, HS_E_LIMIT, begin, (size_t)(s->at - begin), "more than 64 GPU types");
    return HS_OK;
}

static enum hs_status shape_group(struct shape *s)
{
    struct hs_node_group g = {.vc = HS_NO_VC};
    const char *begin = s->at;
    HS_TRY(shape_number(s, HS_NODES_MAX, "expected a number of nodes",
                        "the number of nodes must be 1..1000000", &g.count));
    if (*s->at != 'x')
        return shape_fail(s, HS_E_USAGE, s->at, 1, "expected 'x' after the number of nodes");
    s->at++;
    HS_TRY(shape_number(s, HS_NODE_GPUS_MAX, "expected a number of GPUs per node",
                        "a node must have 1..1024 GPUs", &g.gpus));
    HS_TRY(shape_type(s, &g.type));
    enum hs_status status = hs_draft_add_group(&s->draft, &g);
    if (status == HS_E_LIMIT)
        return shape_fail(s, status, begin, (size_t)(s->at - begin), "more than 1000000 nodes");
    return status;
}

static enum hs_status shape_read(struct shape *s)
{
    s->draft.rack_count = 1;
    for (;; s->at++) {
        HS_TRY(shape_group(s));
        if (*s->at == '\0')
            return hs_cluster_build(s->cluster, &s->draft);
        if (*s->at != ',')
            return shape_fail(s, HS_E_USAGE, s->at, 1, "expected ',' or the end");
    }
}

static enum hs_status cluster_read_shape(struct hs_cluster *cluster, const char *spec,
                                         struct hs_diag *diag)
{
    struct shape s = {.spec = spec, .at = spec, .cluster = cluster, .diag = diag};
    enum hs_status status = shape_read(&s);
    hs_draft_free(&s.draft);
    cluster->input_hash = hs_hash_of(spec, strlen(spec));
    return status;
}

/* ---- public ---- */

/* By content, unless the name says JSON. */
static enum hs_status cluster_read_file(struct hs_cluster *cluster, const char *path, bool is_json,
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
    enum hs_status status = hs_intern_init(&cluster->vc_names);
    if (status == HS_OK)
        status = is_file ? cluster_read_file(cluster, spec, is_json, diag)
                         : cluster_read_shape(cluster, spec, diag);
    if (status == HS_E_MEMORY)
        (void)hs_fail(diag, status, NULL, NULL, "no memory for cluster '%s'", spec);
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

uint32_t hs_cluster_type(const struct hs_cluster *cluster, const char *name)
{
    for (uint32_t i = 0; i < cluster->type_count; i++)
        if (strcmp(cluster->types[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

void hs_cluster_free(struct hs_cluster *cluster)
{
    hs_arena_free(&cluster->arena);
    hs_intern_free(&cluster->vc_names);
    *cluster = (struct hs_cluster){0};
}
