/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schema of a cluster file, as model/cluster_json.c reads it.
 */
#include "cli/schema.h"
#include "model/cluster.h"

/* A member of an object: a whole number up to `max`, or with max 0 a name. */
struct field {
    const char *key, *description;
    uint32_t min, max;
};

static const struct field group_fields[] = {
    {"count", "nodes of this kind", 1, HS_NODES_MAX},
    {"gpus", "GPUs per node", 1, HS_NODE_GPUS_MAX},
    {"type", "GPU type: one of gpu_types, or without them a well-known one such as V100", 0, 0},
    {"cpus", "CPU cores per node", 1, HS_NODE_CPUS_MAX},
    {"mem_mib", "memory of a node, MiB", 1, HS_MEM_MIB_MAX},
    {"vc", "the virtual cluster that owns the nodes: one of vcs", 0, 0},
    {"name", "of the node, or of the first of them", 0, 0},
};

static void begin_member(struct hs_jsonw *w, const char *key)
{
    hs_jsonw_key(w, key);
    hs_jsonw_object(w);
}

static void put_name(struct hs_jsonw *w)
{
    hs_jsonw_member_text(w, "type", "string");
    hs_jsonw_member_u64(w, "minLength", 1);
    hs_jsonw_member_u64(w, "maxLength", 255);
}

static void put_integer(struct hs_jsonw *w, uint64_t min, uint64_t max)
{
    hs_jsonw_member_text(w, "type", "integer");
    hs_jsonw_member_u64(w, "minimum", min);
    hs_jsonw_member_u64(w, "maximum", max);
}

static void put_field(struct hs_jsonw *w, const struct field *field)
{
    begin_member(w, field->key);
    hs_jsonw_member_text(w, "description", field->description);
    if (field->max > 0)
        put_integer(w, field->min, field->max);
    else
        put_name(w);
    hs_jsonw_end_object(w);
}

static void put_closed(struct hs_jsonw *w)
{
    hs_jsonw_key(w, "additionalProperties");
    hs_jsonw_bool(w, false);
}

static void put_required(struct hs_jsonw *w, const char *key)
{
    hs_jsonw_key(w, "required");
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    hs_jsonw_text(w, key);
    hs_jsonw_end_array(w);
}

static void put_types(struct hs_jsonw *w)
{
    static const struct field memory = {"mem_mib", "memory of a GPU, MiB", 1, HS_MEM_MIB_MAX};
    begin_member(w, "gpu_types");
    hs_jsonw_member_text(w, "description", "the GPU types by name; then every node names one");
    hs_jsonw_member_text(w, "type", "object");
    hs_jsonw_member_u64(w, "minProperties", 1);
    hs_jsonw_member_u64(w, "maxProperties", HS_GPU_TYPES_MAX);
    begin_member(w, "propertyNames");
    put_name(w);
    hs_jsonw_end_object(w);
    begin_member(w, "additionalProperties");
    hs_jsonw_member_text(w, "type", "object");
    begin_member(w, "properties");
    put_field(w, &memory);
    begin_member(w, "speed");
    hs_jsonw_member_text(w, "description", "1: the GPUs on which the trace was recorded");
    hs_jsonw_member_text(w, "type", "number");
    hs_jsonw_member_u64(w, "exclusiveMinimum", 0);
    hs_jsonw_member_u64(w, "maximum", HS_GPU_SPEED_MAX);
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
    put_closed(w);
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
}

static void put_vcs(struct hs_jsonw *w)
{
    begin_member(w, "vcs");
    hs_jsonw_member_text(w, "description", "GPUs of each virtual cluster, for --vc");
    hs_jsonw_member_text(w, "type", "object");
    hs_jsonw_member_u64(w, "minProperties", 1);
    begin_member(w, "propertyNames");
    put_name(w);
    hs_jsonw_end_object(w);
    begin_member(w, "additionalProperties");
    put_integer(w, 0, UINT32_MAX);
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
}

static void put_array(struct hs_jsonw *w, const char *key, const char *description, const char *ref)
{
    begin_member(w, key);
    hs_jsonw_member_text(w, "description", description);
    hs_jsonw_member_text(w, "type", "array");
    hs_jsonw_member_u64(w, "minItems", 1);
    begin_member(w, "items");
    hs_jsonw_member_text(w, "$ref", ref);
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
}

static void put_definitions(struct hs_jsonw *w)
{
    begin_member(w, "$defs");
    begin_member(w, "group");
    hs_jsonw_member_text(w, "type", "object");
    begin_member(w, "properties");
    for (size_t i = 0; i < sizeof group_fields / sizeof *group_fields; i++)
        put_field(w, &group_fields[i]);
    hs_jsonw_end_object(w);
    put_required(w, "gpus");
    put_closed(w);
    hs_jsonw_end_object(w);
    begin_member(w, "rack");
    hs_jsonw_member_text(w, "type", "object");
    begin_member(w, "properties");
    put_array(w, "nodes", "groups of equal nodes", "#/$defs/group");
    hs_jsonw_end_object(w);
    put_required(w, "nodes");
    put_closed(w);
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
}

void hs_schema_cluster(struct hs_jsonw *w)
{
    static const struct field name = {"name", "of the cluster", 0, 0};
    hs_jsonw_member_text(w, "type", "object");
    begin_member(w, "properties");
    hs_schema_key(w);
    put_field(w, &name);
    put_types(w);
    put_array(w, "nodes", "groups of equal nodes: one rack", "#/$defs/group");
    put_array(w, "racks", "racks of nodes", "#/$defs/rack");
    put_vcs(w);
    hs_jsonw_end_object(w);
    put_closed(w);
    hs_jsonw_key(w, "oneOf");
    hs_jsonw_array(w);
    hs_jsonw_object(w);
    put_required(w, "nodes");
    hs_jsonw_end_object(w);
    hs_jsonw_object(w);
    put_required(w, "racks");
    hs_jsonw_end_object(w);
    hs_jsonw_end_array(w);
    put_definitions(w);
}
