/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages about files that are no trace yet, with what to paste: columns that a table lacks, and
 * files of other kinds that are often at hand.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "traces/format.h"

#define MAP_SIZE 512

/* Formats "a, b, c" from the header, truncated with "..." if long. */
static void list_header(const struct hs_csv_row *header, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < header->count; i++) {
        bool is_cut = strlen(text) + header->lengths[i] + 8 > size;
        hs_append(text, size, "%s%s", i > 0 && !is_cut ? ", " : "",
                  is_cut ? "..." : header->fields[i]);
        if (is_cut)
            return;
    }
}

/* Tells whether two names differ only in case, blanks and punctuation: "Num GPUs" is num_gpus. */
static bool is_like(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a != '\0' && !isalnum((unsigned char)*a))
            a++;
        while (*b != '\0' && !isalnum((unsigned char)*b))
            b++;
        if (*a == '\0' || tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return *a == *b;
    }
}

const char *hs_table_known_name(const struct hs_csv_row *header, const char *key)
{
    static const char *const guesses[][15] = {
        {"job_id", "id", "job", "job_name", "name", "instance_sn", "uid", "pod_name", "task_id",
         "task", "task_name", "pod", NULL},
        {"submit_time", "submission_time", "submit", "submitted", "timestamp", "arrival",
         "arrival_time", "arrival_s", "submitted_time", "creation_time", "created", "created_at",
         "queued_at", "submitted_at", NULL},
        {"gpus", "gpu_num", "num_gpus", "num_gpu", "gpu_count", "ngpus", "gpu_request",
         "requested_gpus", "gpus_requested", "n_gpus", "gpu", "accelerators", "num_chips", NULL},
        {"duration", "duration_s", "run_time", "runtime_s", "service_sec", "service_time",
         "execution_time", "elapsed", "elapsed_s", "wall_time", NULL},
        {"start_time", "start", "started", "started_at", "scheduled_time", "begin", "began",
         "begin_time", "launched", "launch_time", NULL},
        {"end_time", "end", "ended", "finished", "finished_at", "deletion_time", "completed_at",
         "finish_time", "ended_at", "stop_time", "completion_time", NULL},
        {"user", "user_name", "user_id", "owner", "submitted_by", NULL},
        {"vc", "virtual_cluster", "team", "queue", "partition", "namespace", "project", "tenant",
         "account", "department", "group", NULL},
        {"status", "state", "job_state", "job_status", "final_state", "final_status", "final",
         "phase", "result", NULL},
    };
    for (size_t i = 0; i < HS_COUNT_OF(guesses); i++)
        for (const char *const *name = guesses[i]; strcmp(guesses[i][0], key) == 0 && *name; name++)
            for (uint32_t k = 0; k < header->count; k++)
                if (is_like(header->fields[k], *name))
                    return header->fields[k];
    return NULL;
}

/* The same, else the nearest. */
static const char *guess_column(const struct hs_csv_row *header, const char *key)
{
    const char *known = hs_table_known_name(header, key);
    if (known != NULL || strcmp(key, "job_id") == 0)
        return known != NULL ? known : HS_ROW_NUMBER;
    return hs_nearest(key, header->fields, header->count);
}

/* Returns the likely source name of a required column; NULL if unknown. */
static const char *find_source(const struct hs_table *table, uint32_t index, bool *is_missing)
{
    const struct hs_column *column = &table->columns[index];
    if (table->is_id_row_number && column->kind == HS_CELL_ID)
        return HS_ROW_NUMBER;
    *is_missing = table->field_of[index] == UINT32_MAX;
    return *is_missing ? guess_column(&table->row, column->key)
                       : table->row.fields[table->field_of[index]];
}

/* Appends "KEY=COLUMN" of a required column to a list for --map, unless it has that name; in place
 * of a missing run time "start_time=COLUMN,end_time=COLUMN", where the file has both. */
static void append_entry(const struct hs_table *table, uint32_t index, char map[MAP_SIZE],
                         bool *is_missing)
{
    const struct hs_column *column = &table->columns[index];
    const char *source = find_source(table, index, is_missing), *comma = map[0] != '\0' ? "," : "";
    const char *start = hs_table_known_name(&table->row, "start_time");
    const char *end = hs_table_known_name(&table->row, "end_time");
    const bool is_run_time = *is_missing && strcmp(column->key, "duration") == 0 &&
                             hs_table_known_name(&table->row, "duration") == NULL;
    if (index > 0 && strcmp(table->columns[index - 1].key, column->key) == 0)
        return; /* two columns make this one */
    if (is_run_time && start != NULL && end != NULL)
        hs_append(map, MAP_SIZE, "%sstart_time=%.64s,end_time=%.64s", comma, start, end);
    else if (*is_missing || strcmp(source, column->key) != 0)
        hs_append(map, MAP_SIZE, "%s%s=%.64s", comma, column->key,
                  source != NULL ? source : "COLUMN");
}

/* The same for a column that tells users, teams or outcomes, if there is one of another name. */
static void append_optional(const struct hs_table *table, uint32_t index, char map[MAP_SIZE])
{
    const char *key = table->columns[index].key;
    const bool is_state = strcmp(key, "status") == 0;
    if (!is_state && strcmp(key, "user") != 0 && strcmp(key, "vc") != 0)
        return;
    const char *known = hs_table_known_name(&table->row, key);
    const bool is_guess = is_state && table->guess[0] != '\0';
    if (known != NULL && (is_guess || table->field_of[index] == UINT32_MAX))
        hs_append(map, MAP_SIZE, "%s%s=%.64s", map[0] != '\0' ? "," : "", key, known);
}

enum hs_status hs_table_fail_missing(const struct hs_table *table, const char *const *names)
{
    char missing[512] = "", map[MAP_SIZE] = "", header[1024], hint[2048];
    unsigned count = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        bool is_missing = false;
        if (!table->columns[i].is_required) {
            append_optional(table, i, map);
            continue;
        }
        append_entry(table, i, map, &is_missing);
        if (is_missing)
            hs_append(missing, sizeof missing, "%s'%.64s'", count++ > 0 ? ", " : "",
                      names && names[i] ? names[i] : table->columns[i].name);
    }
    list_header(&table->row, header, sizeof header);
    const char *quote = strpbrk(map, " ;|()&*$") != NULL ? "'" : "";
    snprintf(hint, sizeof hint, "the file has: %s; name the columns with --format=csv --map=%s%s%s",
             header, quote, map, quote);
    struct hs_place place = hs_csv_place(table->csv, 0);
    return hs_fail(table->faults->diag, HS_E_INPUT, &place, hint, "missing column%s %s",
                   count > 1 ? "s" : "", missing);
}

/* ---- other files ---- */

static bool has_text(const char *head, size_t len, const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i + size <= len; i++)
        if (memcmp(head + i, text, size) == 0)
            return true;
    return false;
}

enum hs_status hs_trace_refuse_known(const char *head, size_t len, const struct hs_place *place,
                                     struct hs_diag *diag)
{
    if ((head[0] == '{' || head[0] == '/') && /* JSON, possibly after a comment */
        (has_text(head, len, "\"nodes\"") || has_text(head, len, "\"racks\"")))
        return hs_fail(diag, HS_E_INPUT, place, "-c FILE takes it; the operand is a trace of jobs",
                       "this describes a cluster, not jobs");
    static const char sacct[] =
        "sacct --allusers --allocations --parsable2 --starttime=2024-01-01 "
        "--format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES";
    if (has_text(head, len < 200 ? len : 200, "JOBID") && has_text(head, len, "NODELIST"))
        return hs_fail(diag, HS_E_INPUT, place, sacct,
                       "squeue lists jobs that have not ended: their run times are not known");
    if (has_text(head, len < 30 ? len : 30, "JobID "))
        return hs_fail(diag, HS_E_INPUT, place, sacct,
                       "a table of sacct in columns, which cuts long values");
    if (head[0] == '{' && has_text(head, len, "\"items\"") &&
        (has_text(head, len, "\"metadata\"") || has_text(head, len, "\"apiVersion\"")))
        return hs_fail(diag, HS_E_INPUT, place,
                       "jq -rf configs/mappings/kubernetes-pods.jq FILE >jobs.csv makes a trace of "
                       "pods, kubernetes-nodes.jq a cluster of nodes",
                       "this is a list of Kubernetes as kubectl prints it");
    return HS_OK;
}
