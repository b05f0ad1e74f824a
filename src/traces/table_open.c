/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first line of a CSV file: which of its fields is which column of a format, once, so that a
 * row looks up no name.
 */
#include "traces/table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* "a, b, c" of the header, cut with "..." where it is long. */
static void list_header(const struct hs_csv_row *header, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < header->count; i++) {
        if (used + header->lengths[i] + 8 > size) {
            memcpy(text + used, "...", 4);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 header->fields[i]);
    }
}

/* Names under which published traces keep what we miss, for a hint that can be pasted. */
static const char *guess_column(const struct hs_csv_row *header, const char *key)
{
    static const char *const guesses[][7] = {
        {"job_id", "id", "jobid", "job", "job_name", "name", NULL},
        {"submit_time", "submit", "timestamp", "arrival_time", "arrival_s", "submitted_time", NULL},
        {"gpus", "gpu_num", "num_gpus", "num_gpu", "gpu_count", "ngpus", NULL},
        {"duration", "duration_s", "run_time", "runtime", "service_sec", "execution_time", NULL},
    };
    for (size_t i = 0; i < sizeof guesses / sizeof guesses[0]; i++) {
        if (strcmp(guesses[i][0], key) != 0)
            continue;
        for (const char *const *name = guesses[i] + 1; *name; name++)
            if (hs_csv_column(header, *name) != UINT32_MAX)
                return *name;
    }
    if (strcmp(key, "job_id") == 0)
        return HS_ROW_NUMBER;
    return hs_nearest(key, header->fields, header->count);
}

/* Where a required column is, or may be; NULL if there is no telling. */
static const char *find_source(const struct hs_table *table, uint32_t index, bool *is_missing)
{
    const struct hs_column *column = &table->columns[index];
    if (table->is_id_row_number && column->kind == HS_CELL_ID)
        return HS_ROW_NUMBER;
    *is_missing = table->field_of[index] == UINT32_MAX;
    return *is_missing ? guess_column(&table->row, column->key)
                       : table->row.fields[table->field_of[index]];
}

/* All missing columns in one message, with the whole --map that would help, as far as one can
 * tell: what is found under another name is in it too, so that it can be pasted. */
static enum hs_status fail_missing(const struct hs_table *table, const char *const *names)
{
    char missing[512] = "", map[512] = "", header[1024], hint[2048];
    size_t missing_used = 0, map_used = 0;
    unsigned count = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct hs_column *column = &table->columns[i];
        if (!column->is_required)
            continue;
        bool is_missing = false;
        const char *source = find_source(table, i, &is_missing);
        bool is_again = i > 0 && strcmp(table->columns[i - 1].key, column->key) == 0;
        if (!is_again && (is_missing || strcmp(source, column->key) != 0))
            map_used += (size_t)snprintf(map + map_used, sizeof map - map_used, "%s%s=%.64s",
                                         map_used > 0 ? "," : "", column->key,
                                         source != NULL ? source : "COLUMN");
        if (!is_missing)
            continue;
        missing_used +=
            (size_t)snprintf(missing + missing_used, sizeof missing - missing_used, "%s'%.64s'",
                             count > 0 ? ", " : "", names && names[i] ? names[i] : column->name);
        count++;
    }
    list_header(&table->row, header, sizeof header);
    snprintf(hint, sizeof hint, "the file has: %s; name the columns with --format=csv --map=%s",
             header, map);
    struct hs_place place = hs_csv_place(table->csv, 0);
    return hs_fail(table->faults->diag, HS_E_INPUT, &place, hint, "missing column%s %s",
                   count > 1 ? "s" : "", missing);
}

static uint32_t count_fields(const struct hs_csv_row *header, const char *name, uint32_t *last)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < header->count; i++)
        if (strcmp(header->fields[i], name) == 0) {
            *last = i;
            count++;
        }
    return count;
}

static void bind_field(struct hs_table *table, const struct hs_column *column, uint32_t field)
{
    bool may_be_empty = column->kind == HS_CELL_FATE || column->kind == HS_CELL_CLASS ||
                        column->kind == HS_CELL_ATTEMPTS || column->kind == HS_CELL_OWN;
    bool tells_cpu_job = table->skips_cpu_jobs && column->kind != HS_CELL_OWN &&
                         column->offset == offsetof(struct hs_trace_job, gpus);
    table->bound[table->bound_count++] =
        (struct hs_bound){.column = column,
                          .field = field,
                          .kind = (uint16_t)column->kind,
                          .offset = (uint16_t)column->offset,
                          .is_filled = column->is_required && !may_be_empty,
                          .may_drop = column->kind == HS_CELL_FATE || tells_cpu_job};
}

static enum hs_status bind_column(struct hs_table *table, uint32_t index, const char *const *names)
{
    const struct hs_column *column = &table->columns[index];
    bool is_named = names && names[index];
    const char *name = is_named ? names[index] : column->name;
    table->field_of[index] = UINT32_MAX;
    if (name[0] == '\0')
        return HS_OK;
    if (column->kind == HS_CELL_ID && strcmp(name, HS_ROW_NUMBER) == 0) {
        table->is_id_row_number = true;
        return HS_OK;
    }
    uint32_t field = hs_csv_column(&table->header, name), last = 0;
    struct hs_place place = hs_csv_place(table->csv, 0);
    if (field == UINT32_MAX && is_named && !column->is_required)
        return hs_fail(table->faults->diag, HS_E_INPUT, &place,
                       "the right side of a mapping is a column of the file",
                       "no column '%s' for '%s'", name, column->key);
    if (field == UINT32_MAX)
        return HS_OK;
    if (count_fields(&table->header, name, &last) > 1) {
        place = hs_csv_place(table->csv, last);
        return hs_fail(table->faults->diag, HS_E_INPUT, &place, "rename one of them",
                       "column '%s' appears twice", name);
    }
    table->field_of[index] = field;
    bind_field(table, column, field);
    return HS_OK;
}

static bool binds_attempts(const struct hs_table *table)
{
    for (uint32_t i = 0; i < table->bound_count; i++)
        if (table->bound[i].column->kind == HS_CELL_ATTEMPTS)
            return true;
    return false;
}

static void name_fields(struct hs_table *table)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        table->own_names[i] = table->columns[i].name;
    table->header = (struct hs_csv_row){.fields = table->own_names, .count = table->column_count};
    table->is_row_pending = true;
}

static enum hs_status open_table(struct hs_table *table, struct hs_input *input,
                                 const struct hs_trace_options *options, struct hs_faults *faults,
                                 const struct hs_column *columns, uint32_t column_count,
                                 const char *const *names, bool may_be_bare)
{
    *table = (struct hs_table){.faults = faults,
                               .columns = columns,
                               .column_count = column_count,
                               .unit_us = options->time_unit_us > 0 ? options->time_unit_us
                                                                    : HS_TRACE_TIME_UNIT_US,
                               .row_number = UINT64_MAX,
                               .blank = HS_TRACE_JOB_BLANK,
                               .skips_cpu_jobs = options->cpu_jobs == HS_CPU_JOBS_SKIP,
                               .keeps_attempts = options->keeps_attempts};
    HS_TRY(hs_csv_open(&table->csv, input, ',', hs_faults_relay(faults)));
    enum hs_status status = hs_csv_next(table->csv, &table->row);
    if (status == HS_END) {
        struct hs_place place = {.file = hs_input_path(input)};
        return hs_fail(faults->diag, HS_E_INPUT, &place, "the first line names the columns",
                       "the trace is empty");
    }
    HS_TRY(status);
    table->header = table->row;
    if (may_be_bare && strcasecmp(table->row.fields[0], columns[0].name) != 0)
        name_fields(table);
    bool is_complete = true;
    for (uint32_t i = 0; i < column_count; i++) {
        HS_TRY(bind_column(table, i, names));
        is_complete &= !columns[i].is_required || table->field_of[i] != UINT32_MAX ||
                       (columns[i].kind == HS_CELL_ID && table->is_id_row_number);
    }
    if (!is_complete)
        return fail_missing(table, names);
    if (table->keeps_attempts && !binds_attempts(table)) {
        struct hs_place place = hs_csv_place(table->csv, 0);
        return hs_fail(faults->diag, HS_E_INPUT, &place, HS_NO_ATTEMPTS_HINT,
                       "no column 'attempts' for --retries=attempts");
    }
    table->field_count = table->header.count;
    return HS_OK;
}

enum hs_status hs_table_open(struct hs_table *table, struct hs_input *input,
                             const struct hs_trace_options *options, struct hs_faults *faults,
                             const struct hs_column *columns, uint32_t column_count,
                             const char *const *names)
{
    return open_table(table, input, options, faults, columns, column_count, names, false);
}

enum hs_status hs_table_open_bare(struct hs_table *table, struct hs_input *input,
                                  const struct hs_trace_options *options, struct hs_faults *faults,
                                  const struct hs_column *columns, uint32_t column_count)
{
    return open_table(table, input, options, faults, columns, column_count, NULL, true);
}
