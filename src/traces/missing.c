/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages about files that are no trace yet, with what to paste: columns that a table lacks, and
 * files of other kinds that are often at hand.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "traces/format.h"

#define MAP_SIZE  512
#define SECOND_US INT64_C(1000000)

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

/* Returns the unit, in microseconds, that the last word of a name is ("duration_ms", "Run time
 * (hours)"), and where that begins; 0 if there is none. */
static int64_t unit_of_name(const char *name, size_t *stem)
{
    static const struct {
        const char *name;
        int64_t us;
    } units[] = {{"us", 1},
                 {"ms", 1000},
                 {"s", SECOND_US},
                 {"sec", SECOND_US},
                 {"secs", SECOND_US},
                 {"seconds", SECOND_US},
                 {"min", 60 * SECOND_US},
                 {"mins", 60 * SECOND_US},
                 {"minutes", 60 * SECOND_US},
                 {"h", 3600 * SECOND_US},
                 {"hrs", 3600 * SECOND_US},
                 {"hours", 3600 * SECOND_US},
                 {"days", 86400 * SECOND_US}};
    size_t end = strlen(name), at;
    while (end > 0 && !isalpha((unsigned char)name[end - 1]))
        end--;
    for (at = end; at > 0 && isalpha((unsigned char)name[at - 1]);)
        at--;
    *stem = at;
    for (size_t i = 0; i < sizeof units / sizeof *units && at > 0; i++)
        if (strlen(units[i].name) == end - at &&
            strncasecmp(units[i].name, name + at, end - at) == 0)
            return units[i].us;
    return 0;
}

int64_t hs_table_unit_of(const struct hs_table *table, const struct hs_column *column,
                         uint32_t field)
{
    const char *name = table->header.fields[field];
    size_t stem;
    const int64_t unit_us = unit_of_name(name, &stem);
    if (unit_us == 0 || unit_us == table->unit_us || table->is_unit_fixed ||
        (column->kind != HS_CELL_TIME && column->kind != HS_CELL_SPAN))
        return table->unit_us;
    hs_report(table->faults->diag, HS_NOTE, HS_AT(hs_csv_place(table->csv, field)),
              "--time-unit=s reads all times in seconds",
              "bare numbers of '%s' are in the unit that this name ends in", name);
    return unit_us;
}

/* Tells whether names differ only in case, blanks and punctuation ("Num GPUs" is num_gpus), also in
 * front of a unit: "Run time (min)" is run_time. */
static bool is_named(const char *name, const char *known)
{
    size_t stem;
    for (const char *at = name;; at++, known++) {
        while (*at != '\0' && !isalnum((unsigned char)*at))
            at++;
        while (*known != '\0' && !isalnum((unsigned char)*known))
            known++;
        if (*known == '\0')
            return *at == '\0' || (unit_of_name(name, &stem) > 0 && at == name + stem);
        if (tolower((unsigned char)*at) != tolower((unsigned char)*known))
            return false;
    }
}

const char *hs_table_known_name(const struct hs_csv_row *header, const char *key)
{
    static const char *const guesses[][15] = {
        {"job_id", "id", "job", "job_name", "name", "instance_sn", "uid", "pod_name", "task_id",
         "task", "task_name", "pod", NULL},
        {"submit_time", "submission_time", "submit", "submitted", "timestamp", "arrival",
         "arrival_time", "submitted_time", "creation_time", "created", "created_at", "queued_at",
         "submitted_at", NULL},
        {"gpus", "gpu_num", "num_gpus", "num_gpu", "gpu_count", "ngpus", "gpu_request",
         "requested_gpus", "gpus_requested", "n_gpus", "gpu", "accelerators", "num_chips", NULL},
        {"duration", "run_time", "service", "service_time", "execution_time", "elapsed",
         "wall_time", NULL},
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
                if (is_named(header->fields[k], *name))
                    return header->fields[k];
    return NULL;
}

/* Returns the likely source name of a required column; NULL if unknown. */
static const char *find_source(const struct hs_table *table, uint32_t index, bool *is_missing)
{
    const struct hs_column *column = &table->columns[index];
    if (table->is_id_row_number && column->kind == HS_CELL_ID)
        return HS_ROW_NUMBER;
    *is_missing = table->field_of[index] == UINT32_MAX;
    if (!*is_missing)
        return table->row.fields[table->field_of[index]];
    const char *known = hs_table_known_name(&table->row, column->key);
    if (known != NULL)
        return known;
    return strcmp(column->key, "job_id") == 0
               ? HS_ROW_NUMBER
               : hs_nearest(column->key, table->row.fields, table->row.count);
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
    const bool is_sacct = hs_csv_column(&table->row, "JobID") != UINT32_MAX &&
                          hs_csv_column(&table->row, "State") != UINT32_MAX;
    snprintf(hint, sizeof hint,
             "the file has: %s; name the columns with --format=csv --map=%s%s%s%s%s", header, quote,
             map, quote, is_sacct ? ", or take those of " : "", is_sacct ? hs_trace_sacct : "");
    return hs_fail(table->faults->diag, HS_E_INPUT, HS_AT(hs_csv_place(table->csv, 0)), hint,
                   "missing column%s %s", count > 1 ? "s" : "", missing);
}

void hs_table_warn_of_clocks(struct hs_table *table)
{
    const struct hs_place place = hs_csv_place(table->csv, 0);
    table->is_clock_told = true;
    hs_report(table->faults->diag, HS_WARNING, &place,
              "give the dates their offset from UTC (2020-04-01 12:30:00+02:00)",
              "some times are dates without an offset from UTC, some are numbers: the dates are "
              "assumed to be UTC, as numbers of seconds since 1970 are");
}

/* ---- other files ---- */

const char hs_trace_sacct[] =
    "sacct --allusers --allocations --parsable2 --starttime=2024-01-01 "
    "--format=JobID,User,Partition,State,Submit,Start,End,ReqTRES,AllocTRES";

static bool has_text(const char *head, size_t len, const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i + size <= len; i++)
        if (memcmp(head + i, text, size) == 0)
            return true;
    return false;
}

static const char to_csv[] =
    "a CSV is read: job_id,submit_time,start_time,end_time,gpus,user, a row a job that has ended, "
    "times as seconds or 2020-04-01 12:30:00 ('horus help formats')";
static const char is_cluster[] = "this describes a cluster, not jobs";
static const char cluster_hint[] = "-c FILE takes it; the operand is a trace of jobs";
static const char is_squeue[] =
    "squeue and scontrol list jobs that have not ended: their run times are not known";

/* What a file is that begins with one of these characters (NULL: any) and has the texts. */
static const struct {
    const char *begin, *texts[2];
    size_t within; /* so many bytes from the start */
    const char *what, *hint;
} known[] = {
    {"{/", {"\"nodes\"", ""}, SIZE_MAX, is_cluster, cluster_hint}, /* '/': after a comment */
    {"{/", {"\"racks\"", ""}, SIZE_MAX, is_cluster, cluster_hint},
    {NULL, {"JOBID", "NODELIST"}, 200, is_squeue, hs_trace_sacct},
    {NULL, {"JobId=", "JobState="}, 2000, is_squeue, hs_trace_sacct},
    {NULL,
     {"JobID ", ""},
     30,
     "a table of sacct in columns, which cuts long values",
     hs_trace_sacct},
    {"0123456789",
     {"|", "cpu="},
     500,
     "the first line is a job, not the names of columns: sacct without its header",
     hs_trace_sacct},
    {"{", {"\"jobs\"", "\"allocation_nodes\""}, SIZE_MAX, "sacct's JSON", hs_trace_sacct},
    {"{",
     {"\"items\"", "\"apiVersion\""},
     SIZE_MAX,
     "this is a list of Kubernetes as kubectl prints it",
     "jq -rf configs/mappings/kubernetes-pods.jq FILE >jobs.csv makes a trace of pods, "
     "kubernetes-nodes.jq a cluster of nodes (installed below share/doc/horus)"},
    {NULL,
     {"READY ", "STATUS "},
     200,
     "a table of kubectl without times and GPUs",
     "kubectl get pods --all-namespaces -o json | jq -rf configs/mappings/kubernetes-pods.jq "
     ">jobs.csv"},
    {NULL, {"JOBID", "FROM_HOST"}, 200, "a list of jobs of LSF", to_csv},
    {NULL, {"JOBID", "PSUSP"}, 200, "a list of jobs of LSF", to_csv},
    {"{", {"\"COMMAND\":\"bjobs\"", ""}, SIZE_MAX, "a list of jobs of LSF", to_csv},
    {NULL, {"Job id ", "Time Use"}, 200, "a list of jobs of PBS", to_csv},
    {NULL, {"Resource_List", ""}, 4000, "jobs of PBS", to_csv},
    {"{", {"\"pbs_version\"", ""}, SIZE_MAX, "jobs of PBS", to_csv},
    {"=", {"qname ", "jobnumber "}, 2000, "jobs of Grid Engine", to_csv},
    {NULL, {"-- Schedd: ", "OWNER "}, 400, "jobs of HTCondor", to_csv},
    {"#",
     {"", ""},
     0,
     "the first line is a comment, not the names of columns",
     "grep -v '^#' FILE | horus ... -"},
    {"s", {"sep=", ""}, 4, "the first line is Excel's delimiter line", "sed 1d FILE | horus ... -"},
};

enum hs_status hs_trace_refuse_known(const char *head, size_t len, const struct hs_place *place,
                                     struct hs_diag *diag)
{
    if (len >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0) {
        head += 3;
        len -= 3;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t within = len < known[i].within ? len : known[i].within;
        if ((known[i].begin == NULL || (len > 0 && strchr(known[i].begin, head[0]) != NULL)) &&
            has_text(head, within, known[i].texts[0]) && has_text(head, within, known[i].texts[1]))
            return hs_fail(diag, HS_E_INPUT, place, known[i].hint, "%s", known[i].what);
    }
    return HS_OK;
}

void hs_trace_warn_of_encoding(const char *head, size_t len, struct hs_place place,
                               struct hs_diag *diag)
{
    size_t at = 0, size = 1;
    for (; at + 4 < len && size > 0; at += size)
        size = (unsigned char)head[at] < 0x80 ? 1 : hs_utf8_len(head + at, len - at);
    place.line = 1;
    for (size_t i = 0; i < at && size == 0; i++)
        place.line += head[i] == '\n';
    if (size == 0)
        hs_report(diag, HS_WARNING, &place,
                  "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE > OTHER",
                  "text that is not UTF-8: names are kept unchanged");
}
