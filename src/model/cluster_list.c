/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cluster from a list of its machines, one a row, as the traces come with them:
 *
 *     sn,cpu_milli,memory_mib,gpu,model                 openb (alibaba/clusterdata, 2023)
 *     machineId, number of GPUs, single GPU mem         Philly (cluster_machine_list)
 *     ,machineId,number of GPUs                         its revision
 *
 * Columns are found by name; further ones are ignored. All nodes stand in one rack, in the order of
 * the rows, and bear the names of the list. Machines without GPUs are left out, with a warning.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/timeparse.h"
#include "data/csvread.h"
#include "model/cluster_draft.h"

#define NONE UINT32_MAX

enum column { NAME, GPUS, TYPE, GPU_MEMORY, CPU_MILLI, MEMORY, COLUMN_COUNT };

/* Names of each column, as one list or the other has them. */
static const char *const column_names[COLUMN_COUNT][3] = {
    [NAME] = {"sn", "machineId"}, [GPUS] = {"gpu", "number of GPUs"},
    [TYPE] = {"model"},           [GPU_MEMORY] = {"single GPU mem"},
    [CPU_MILLI] = {"cpu_milli"},  [MEMORY] = {"memory_mib"},
};

struct list {
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t field_of[COLUMN_COUNT]; /* NONE = not in the file */
    uint32_t field_count;
    struct hs_cluster *cluster;
    struct hs_cluster_draft draft;
    struct hs_intern names;
    uint32_t idle_count, odd_cpu_count; /* machines without GPUs; with a part of a core */
    struct hs_diag *diag;
};

static uint32_t find_column(const struct hs_csv_row *header, enum column column)
{
    uint32_t field = NONE;
    for (const char *const *name = column_names[column]; *name != NULL && field == NONE; name++)
        field = hs_csv_column(header, *name);
    return field;
}

bool hs_cluster_is_list(const char *head, size_t len)
{
    size_t end = 0, commas = 0;
    while (end < len && head[end] != '\n' && head[end] != '\r')
        commas += head[end++] == ',';
    char line[256];
    if (commas == 0 || end >= sizeof line)
        return false;
    memcpy(line, head, end);
    line[end] = '\0';
    return (strncmp(line, "sn,", 3) == 0 && strstr(line, ",gpu,") != NULL) ||
           strstr(line, "machineId") != NULL;
}

HS_PRINTF(4, 5)
static enum hs_status list_fail(struct list *l, uint32_t field, const char *hint, const char *fmt,
                                ...)
{
    char message[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    struct hs_place place = hs_csv_place(l->csv, field);
    return hs_fail(l->diag, HS_E_INPUT, &place, hint, "%s", message);
}

static const char *text_of(const struct list *l, enum column column)
{
    return l->field_of[column] == NONE ? "" : l->row.fields[l->field_of[column]];
}

/* A whole number up to max; a missing column or cell is `absent`, or an error if that is NONE. */
static enum hs_status read_number(struct list *l, enum column column, uint32_t max, uint32_t absent,
                                  uint32_t *out)
{
    const char *text = text_of(l, column);
    int64_t value;
    *out = absent;
    if (text[0] == '\0' && absent != NONE)
        return HS_OK;
    bool is_number = column == GPU_MEMORY ? hs_parse_size_mib(text, strlen(text), &value)
                                          : hs_parse_int64(text, strlen(text), &value);
    if (!is_number || value < 0 || value > max)
        return list_fail(l, l->field_of[column], NULL, "%s must be a whole number 0..%u, not '%s'",
                         column_names[column][0], max, text);
    *out = (uint32_t)value;
    return HS_OK;
}

/* By its name, or by its memory where the list gives that alone: GPU-12GB. */
static enum hs_status read_type(struct list *l, uint32_t *type)
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
    *type = hs_draft_find_type(&l->draft, text);
    if (*type != NONE)
        return HS_OK;
    const char *copy = hs_arena_text(&l->cluster->arena, text, strlen(text));
    if (copy == NULL)
        return HS_E_MEMORY;
    *type = l->draft.type_count;
    enum hs_status status =
        hs_draft_add_type(&l->draft, copy, mem_mib > 0 ? mem_mib : hs_gpu_known_mem_mib(copy));
    return status == HS_OK
               ? HS_OK
               : list_fail(l, 0, NULL, "more than %u GPU types", (unsigned)HS_GPU_TYPES_MAX);
}

static enum hs_status read_name(struct list *l, const char **out)
{
    const char *text = text_of(l, NAME);
    uint32_t id;
    if (text[0] == '\0')
        return list_fail(l, l->field_of[NAME], NULL, "a node without name");
    if (hs_intern_find(&l->names, text) != NONE)
        return list_fail(l, l->field_of[NAME], NULL, "a second node of name '%s'", text);
    HS_TRY(hs_intern_get(&l->names, text, &id));
    *out = hs_arena_text(&l->cluster->arena, text, strlen(text));
    return *out != NULL ? HS_OK : HS_E_MEMORY;
}

static enum hs_status read_row(struct list *l)
{
    struct hs_node_group node = {.count = 1, .vc = HS_NO_VC};
    uint32_t cpu_milli;
    if (l->row.count != l->field_count)
        return list_fail(l, l->row.count, NULL, "%u fields where the header has %u", l->row.count,
                         l->field_count);
    HS_TRY(read_name(l, &node.name));
    HS_TRY(read_number(l, GPUS, HS_NODE_GPUS_MAX, NONE, &node.gpus));
    if (node.gpus == 0) {
        l->idle_count++;
        return HS_OK;
    }
    HS_TRY(read_type(l, &node.type));
    HS_TRY(read_number(l, CPU_MILLI, HS_NODE_CPUS_MAX * 1000, 0, &cpu_milli));
    HS_TRY(read_number(l, MEMORY, HS_MEM_MIB_MAX, 0, &node.mem_mib));
    l->odd_cpu_count += cpu_milli % 1000 != 0;
    node.cpus = cpu_milli / 1000;
    enum hs_status status = hs_draft_add_group(&l->draft, &node);
    return status == HS_E_LIMIT ? list_fail(l, 0, NULL, "more than %u nodes", HS_NODES_MAX)
                                : status;
}

static enum hs_status read_header(struct list *l)
{
    HS_TRY(hs_csv_next(l->csv, &l->row));
    l->field_count = l->row.count;
    for (enum column c = 0; c < COLUMN_COUNT; c++) {
        l->field_of[c] = find_column(&l->row, c);
        if (c <= GPUS && l->field_of[c] == NONE)
            return list_fail(l, 0,
                             "a list of machines has columns 'sn' and 'gpu', or 'machineId' "
                             "and 'number of GPUs'",
                             "missing column '%s'", column_names[c][0]);
    }
    return HS_OK;
}

static enum hs_status read_rows(struct list *l)
{
    HS_TRY(read_header(l));
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
    return hs_cluster_build(l->cluster, &l->draft);
}

static enum hs_status read_input(struct list *l, struct hs_input *input)
{
    HS_TRY(hs_intern_init(&l->names));
    enum hs_status status = hs_csv_open(&l->csv, input, ',', l->diag);
    if (status == HS_OK) {
        status = read_rows(l);
        hs_csv_close(l->csv);
    }
    hs_intern_free(&l->names);
    return status;
}

enum hs_status hs_cluster_read_list(struct hs_cluster *cluster, struct hs_input *input,
                                    struct hs_diag *diag)
{
    struct list l = {.cluster = cluster, .diag = diag};
    enum hs_status status = read_input(&l, input);
    hs_draft_free(&l.draft);
    cluster->input_hash = hs_input_hash(input);
    return status;
}
