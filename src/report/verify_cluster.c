/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cluster as `horus verify` reads it for itself: which GPU ids, GPU type, cores
 * and memory each node has. Ids count up through the nodes in the order of the description; a node
 * without a type has GPU. A description that the simulator took is taken to be well formed; what is
 * not understood is bad input all the same.
 */
#include "report/verify_data.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/timeparse.h"
#include "data/csvread.h"
#include "data/json.h"

#define NODES_MAX     1000000u
#define NODE_GPUS_MAX 1024
#define TYPE_SIZE     256

/* node: what each has; its type is that of the name. */
static enum hs_status add_nodes(struct verify_run *run, int64_t count, int64_t gpus,
                                struct verify_node node, const char *type)
{
    struct verify_cluster *c = &run->cluster;
    if (count < 0 || gpus < 0 || gpus > NODE_GPUS_MAX ||
        (uint64_t)count + c->node_count > NODES_MAX)
        return HS_E_LIMIT;
    HS_TRY(hs_intern_get(&run->types, type != NULL && type[0] != '\0' ? type : "GPU", &node.type));
    HS_TRY(hs_grow((void **)&c->node_first, &c->first_cap, c->node_count + (uint64_t)count + 1,
                   sizeof *c->node_first, NODES_MAX + 1));
    HS_TRY(hs_grow((void **)&c->nodes, &c->node_cap, c->node_count + (uint64_t)count,
                   sizeof *c->nodes, NODES_MAX));
    for (int64_t i = 0; i < count; i++) {
        c->nodes[c->node_count] = node;
        c->node_first[c->node_count++] = c->gpu_count;
        c->gpu_count += (uint32_t)gpus;
    }
    c->node_first[c->node_count] = c->gpu_count;
    return HS_OK;
}

/* "133x8:V100,2x4". */
static enum hs_status read_shape(struct verify_run *run, const char *spec)
{
    for (const char *at = spec;; at++) {
        size_t length = strcspn(at, ","), x = strcspn(at, "x,"), type = strcspn(at, ":,");
        int64_t count, gpus;
        if (x >= type || !hs_parse_int64(at, x, &count) ||
            !hs_parse_int64(at + x + 1, type - x - 1, &gpus))
            return hs_fail(run->diag, HS_E_INPUT, NULL, NULL,
                           "manifest: the cluster is neither a file nor a shape: '%s'", spec);
        char name[TYPE_SIZE] = "";
        if (type < length)
            (void)snprintf(name, sizeof name, "%.*s", (int)(length - type - 1), at + type + 1);
        HS_TRY(add_nodes(run, count, gpus, (struct verify_node){0}, name));
        at += length;
        if (*at == '\0')
            return HS_OK;
    }
}

static bool read_whole(const struct hs_json *group, const char *key, int64_t *value)
{
    const struct hs_json *given = hs_json_get(group, key);
    return given == NULL || hs_json_int(given, value);
}

static enum hs_status read_nodes(struct verify_run *run, const struct hs_json_doc *doc,
                                 const struct hs_json *nodes)
{
    const struct hs_json *group = hs_json_first(nodes);
    for (; group != NULL; group = hs_json_next(group)) {
        struct hs_place place = hs_json_place(doc, group);
        struct verify_node node = {0};
        int64_t count = 1, gpus = -1, cpus = 0;
        bool is_whole = read_whole(group, "count", &count) && read_whole(group, "gpus", &gpus) &&
                        read_whole(group, "cpus", &cpus) &&
                        read_whole(group, "mem_mib", &node.mem_mib);
        node.cpus_milli = cpus * 1000;
        if (!is_whole ||
            add_nodes(run, count, gpus, node, hs_json_text(hs_json_get(group, "type"))) != HS_OK)
            return hs_fail(run->diag, HS_E_INPUT, &place, NULL,
                           "not a group of nodes with 'gpus' and perhaps 'count'");
    }
    return HS_OK;
}

static enum hs_status read_description(struct verify_run *run, const struct hs_json_doc *doc)
{
    const struct hs_json *root = hs_json_root(doc);
    const struct hs_json *rack = hs_json_first(hs_json_get(root, "racks"));
    HS_TRY(read_nodes(run, doc, hs_json_get(root, "nodes")));
    for (; rack != NULL; rack = hs_json_next(rack))
        HS_TRY(read_nodes(run, doc, hs_json_get(rack, "nodes")));
    return HS_OK;
}

/* ---- a list of machines: GPUs and type of each row, those without GPUs left out ---- */

/* Columns; UINT32_MAX = there is none. Types are named by a model, or by their memory: 12GB is the
 * type GPU-12GB. */
struct machines {
    uint32_t gpus, cpus_milli, mem_mib, model, memory;
};

static bool read_cell(const struct hs_csv_row *row, uint32_t field, int64_t *value)
{
    return field < row->count && hs_parse_int64(row->fields[field], row->lengths[field], value);
}

static void machine_type(const struct machines *m, const struct hs_csv_row *row,
                         char type[TYPE_SIZE])
{
    uint32_t field = m->model < row->count ? m->model : m->memory;
    if (field >= row->count)
        return;
    (void)snprintf(type, TYPE_SIZE, "%s%.*s", m->model < row->count ? "" : "GPU-",
                   (int)row->lengths[field], row->fields[field]);
}

static enum hs_status read_machines(struct verify_run *run, struct hs_csv *csv)
{
    struct hs_csv_row row;
    HS_TRY(hs_csv_next(csv, &row));
    struct machines m = {.gpus = hs_csv_column(&row, "gpu"),
                         .cpus_milli = hs_csv_column(&row, "cpu_milli"),
                         .mem_mib = hs_csv_column(&row, "memory_mib"),
                         .model = hs_csv_column(&row, "model"),
                         .memory = hs_csv_column(&row, "single GPU mem")};
    if (m.gpus == UINT32_MAX)
        m.gpus = hs_csv_column(&row, "number of GPUs");
    enum hs_status status;
    while ((status = hs_csv_next(csv, &row)) == HS_OK) {
        struct hs_place place = hs_csv_place(csv, m.gpus);
        struct verify_node node = {0};
        char type[TYPE_SIZE] = "";
        int64_t gpus;
        (void)read_cell(&row, m.cpus_milli, &node.cpus_milli);
        (void)read_cell(&row, m.mem_mib, &node.mem_mib);
        machine_type(&m, &row, type);
        if (!read_cell(&row, m.gpus, &gpus) ||
            (gpus != 0 && add_nodes(run, 1, gpus, node, type) != HS_OK))
            return hs_fail(run->diag, HS_E_INPUT, &place, NULL, "not a machine with GPUs");
    }
    return status == HS_END ? HS_OK : status;
}

static enum hs_status read_list(struct verify_run *run, struct hs_input *input)
{
    struct hs_csv *csv;
    enum hs_status status = hs_csv_open(&csv, input, ',', run->diag);
    if (status != HS_OK)
        return status;
    status = read_machines(run, csv);
    hs_csv_close(csv);
    return status;
}

static enum hs_status read_json(struct verify_run *run, const char *path)
{
    struct hs_json_doc *doc;
    HS_TRY(hs_json_load(&doc, path, run->diag));
    enum hs_status s = read_description(run, doc);
    hs_json_close(doc);
    return s;
}

/* A file that is not called JSON is a list of machines if it does not begin like JSON. */
static enum hs_status read_file(struct verify_run *run, const char *path)
{
    struct hs_input *input;
    const char *head;
    size_t len = 0;
    HS_TRY(hs_input_open(&input, path, run->diag));
    enum hs_status status = hs_input_peek(input, &head, &len);
    bool is_list = status == HS_OK && len > 0 && strchr("{/ \t\r\n", head[0]) == NULL;
    if (is_list)
        status = read_list(run, input);
    hs_input_close(input);
    return is_list || status != HS_OK ? status : read_json(run, path);
}

enum hs_status verify_load_cluster(struct verify_run *run, const char *spec)
{
    size_t length = strlen(spec);
    if (length > 5 && strcmp(spec + length - 5, ".json") == 0)
        return read_json(run, spec);
    return access(spec, F_OK) == 0 ? read_file(run, spec) : read_shape(run, spec);
}
