/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The native format "csv": one header line, columns by name in any order; only job_id, submit_time,
 * gpus and duration are required; other names need a mapping. Numbers are in the time unit
 * (seconds); times may also be written as date and time; unknown columns are ignored.
 *
 * The mapping of names is --map "submit_time=timestamp,..." or a JSON file (`//` comments allowed):
 *
 *     {"columns": {"submit_time": "timestamp", "job_id": "@row", "user": null}, "time_unit": "s"}
 *
 * Columns without a mapping keep their names; null or an empty name ignores a column.
 */
#include <stdio.h>

#include "data/json.h"
#include "traces/format.h"

/* ---- columns ---- */

#define COLUMN(name, kind, is_required, member) HS_COLUMN(name, name, kind, is_required, member)

/* State and GPU count first: see traces/format.h. */
static const struct hs_column columns[] = {
    COLUMN("status", FATE, false, outcome),
    COLUMN("gpus", GPUS, true, gpus),
    COLUMN("gpu_milli", SHARE, false, gpu_milli),
    COLUMN("job_id", ID, true, id),
    COLUMN("submit_time", TIME, true, submit_us),
    COLUMN("duration", SPAN, true, duration_us),
    COLUMN("user", TEXT, false, user),
    COLUMN("vc", TEXT, false, vc),
    COLUMN("gpu_type", TEXT, false, gpu_type),
    COLUMN("model", TEXT, false, model),
    COLUMN("dataset", TEXT, false, dataset),
    COLUMN("batch", BATCH, false, batch),
    COLUMN("precision", TEXT, false, precision),
    COLUMN("nodes", COUNT, false, nodes),
    COLUMN("cpus", MILLI, false, cpus_milli),
    COLUMN("mem_mib", MIB, false, mem_mib),
    COLUMN("gpu_mem_mib", MIB, false, gpu_mem_mib),
    COLUMN("gpu_util", PERCENT, false, gpu_util_pm),
    COLUMN("priority", INT, false, priority),
    COLUMN("deadline", TIME, false, deadline_us),
    COLUMN("preempt_cost", SPAN, false, preempt_cost_us),
    COLUMN("gpus_min", COUNT, false, gpus_min),
    COLUMN("gpus_max", COUNT, false, gpus_max),
    COLUMN("class", CLASS, false, job_class),
    COLUMN("step", SPAN, false, step_us),
    COLUMN("gpu_mem_persistent_mib", MIB, false, gpu_mem_persistent_mib),
    COLUMN("checkpoint_mib", MIB, false, checkpoint_mib),
    COLUMN("gpu_mem_later_mib", MIB, false, gpu_mem_later_mib),
    COLUMN("gpu_mem_later_after", SPAN, false, later_us),
    COLUMN("outcome", FATE, false, outcome),
    HS_COLUMN("ran_on", "gpu_type_ran", NAME, false, gpu_type_ran),
    COLUMN("attempts", ATTEMPTS, false, attempts_us), /* must follow duration, its sum */
    COLUMN("deadline_options", OPTIONS, false, options),
    COLUMN("loss_curve", LOSS, false, loss),
    COLUMN("start_time", TIME, false, start_us), /* both also in place of the duration */
    COLUMN("end_time", TIME, false, end_us),
};

#define COLUMN_COUNT HS_COUNT_OF(columns)

/* ---- column mappings ---- */

struct mapping {
    struct hs_arena arena;                   /* of the names */
    const char *names[HS_TABLE_COLUMNS_MAX]; /* as in hs_table_open */
    int64_t time_unit_us;                    /* 0 = not given */
};

/* place NULL: the mapping comes from the command line. */
static enum hs_status set_name(struct mapping *mapping, const char *key, const char *name,
                               size_t name_len, const struct hs_place *place, struct hs_diag *diag)
{
    const char *keys[HS_TABLE_COLUMNS_MAX];
    for (uint32_t i = 0; i < COLUMN_COUNT; i++) {
        keys[i] = columns[i].key;
        if (strcmp(keys[i], key) != 0)
            continue;
        mapping->names[i] = hs_arena_text(&mapping->arena, name, name_len);
        return HS_OK;
    }
    char hint[HS_HINT_SIZE];
    return hs_fail(diag, place ? HS_E_INPUT : HS_E_USAGE, place,
                   hs_did_you_mean(hint, key, keys, COLUMN_COUNT,
                                   "the left side is a column of the native format"),
                   "mapping of unknown column '%s'", key);
}

static enum hs_status load_list(struct mapping *mapping, const char *list, struct hs_diag *diag)
{
    while (*list) {
        size_t len = strcspn(list, ",");
        const char *equals = memchr(list, '=', len);
        char key[64];
        if (!equals || equals == list || (size_t)(equals - list) >= sizeof key)
            return hs_fail(diag, HS_E_USAGE, NULL,
                           "--map=submit_time=timestamp,gpus=num_gpus, or a .json file",
                           "mapping '%.*s' is not KEY=COLUMN", (int)(len < 64 ? len : 64), list);
        snprintf(key, sizeof key, "%.*s", (int)(equals - list), list);
        HS_TRY(set_name(mapping, key, equals + 1, len - (size_t)(equals + 1 - list), NULL, diag));
        list += len + (list[len] == ',');
    }
    return HS_OK;
}

static enum hs_status read_document(struct mapping *mapping, const struct hs_json_doc *doc,
                                    struct hs_diag *diag)
{
    const struct hs_json *root = hs_json_root(doc);
    struct hs_place place = hs_json_place(doc, root);
    static const char shape[] =
        "{\"columns\": {\"submit_time\": \"timestamp\"}, \"time_unit\": \"s\"}";
    if (hs_json_kind(root) != HS_JSON_OBJECT)
        return hs_fail(diag, HS_E_INPUT, &place, shape, "a mapping file holds an object");
    for (const struct hs_json *m = hs_json_first(root); m; m = hs_json_next(m)) {
        char unit[32];
        place = hs_json_place(doc, m);
        if (strcmp(hs_json_key(m), "columns") == 0 && hs_json_kind(m) == HS_JSON_OBJECT) {
            for (const struct hs_json *c = hs_json_first(m); c; c = hs_json_next(c)) {
                const char *name = hs_json_kind(c) == HS_JSON_NULL ? "" : hs_json_text(c);
                place = hs_json_place(doc, c);
                if (!name)
                    return hs_fail(diag, HS_E_INPUT, &place, "a column name as text, or null",
                                   "mapping of '%s' is not text", hs_json_key(c));
                HS_TRY(set_name(mapping, hs_json_key(c), name, strlen(name), &place, diag));
            }
        } else if (strcmp(hs_json_key(m), "time_unit") == 0) {
            int len = snprintf(unit, sizeof unit, "1%s", hs_json_text(m) ? hs_json_text(m) : "?");
            if (len >= (int)sizeof unit ||
                !hs_parse_duration_us(unit, (size_t)len, &mapping->time_unit_us) ||
                mapping->time_unit_us <= 0)
                return hs_fail(diag, HS_E_INPUT, &place, "us, ms, s, min, h or d",
                               "not a time unit");
        } else {
            return hs_fail(diag, HS_E_INPUT, &place, shape, "unexpected '%s' in a mapping file",
                           hs_json_key(m));
        }
    }
    return HS_OK;
}

/* ---- the format ---- */

/* In order of importance to a reader; new columns are appended. */
static const struct hs_trace_layout layout = {
    .suffix = ".csv",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .header = "job_id,submit_time,gpus,duration,user,vc,gpu_type,model,dataset,batch,precision,"
              "nodes,cpus,mem_mib,gpu_mem_mib,gpu_util,priority,deadline,preempt_cost,gpus_min,"
              "gpus_max,outcome,attempts,class,step,gpu_mem_persistent_mib,checkpoint_mib,"
              "gpu_mem_later_mib,gpu_mem_later_after,gpu_milli,gpu_type_ran,deadline_options,"
              "loss_curve,start_time,end_time",
};

struct native {
    struct hs_table table; /* first: see traces/format.h */
    struct mapping mapping;
};

/* Accepts any CSV that no other format claims, as the message about missing columns explains what
 * to do. */
static int recognise(const char *head, size_t len)
{
    const char *line_end = memchr(head, '\n', len);
    size_t line_len = line_end ? (size_t)(line_end - head) : len;
    const char delimiter = hs_header_delimiter(head, len);
    return memchr(head, delimiter, line_len) && head[0] != '[' && head[0] != '{' ? 5 : 0;
}

static enum hs_status open_native(void *state, struct hs_input *input,
                                  const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct native *n = state;
    const size_t len = options->map != NULL ? strlen(options->map) : 0;
    if (len >= 5 && strcmp(options->map + len - 5, ".json") == 0) {
        struct hs_json_doc *doc;
        HS_TRY(hs_json_load(&doc, options->map, faults->diag));
        enum hs_status status = read_document(&n->mapping, doc, faults->diag);
        hs_json_close(doc);
        HS_TRY(status);
    } else if (len > 0) {
        HS_TRY(load_list(&n->mapping, options->map, faults->diag));
    }
    struct hs_trace_options own = *options;
    if (own.time_unit_us == 0) /* the mapping describes the file, the option this run */
        own.time_unit_us = n->mapping.time_unit_us;
    return hs_table_open(&n->table, input, &own, faults, n->mapping.names);
}

static void close_native(void *state)
{
    struct native *n = state;
    hs_table_close(&n->table);
    hs_arena_free(&n->mapping.arena);
}

const struct hs_trace_format hs_trace_format_csv = {
    .name = "csv",
    .summary = "native CSV: columns by name, other names through --map",
    .columns = "job_id, submit_time, gpus, duration or start_time with end_time; optional: user, "
               "vc, gpu_type, model, dataset, "
               "batch, precision, nodes, cpus, mem_mib, gpu_mem_mib, gpu_util, priority, "
               "deadline, preempt_cost, gpus_min, gpus_max, status or outcome, attempts, "
               "class, step, gpu_mem_persistent_mib, checkpoint_mib, gpu_mem_later_mib, "
               "gpu_mem_later_after, gpu_milli, gpu_type_ran, deadline_options, loss_curve",
    .has_attempts = true,
    .layout = &layout,
    .header = "job_id,submit_time,gpus,duration",
    .certainty = 80,
    .recognise = recognise,
    HS_TABLE(columns),
    .state_size = sizeof(struct native),
    .open = open_native,
    .close = close_native,
};
