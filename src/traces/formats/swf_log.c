/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Standard Workload Format, version 2.2, of the Parallel Workloads Archive (D. Feitelson,
 * www.cs.huji.ac.il/labs/parallel/workload/swf.html): comments after ';', of which "Key: value" at
 * the top form the header, then one line of 18 numbers per job, -1 = unknown. Processors are
 * interpreted as GPUs.
 *
 *     submission  UnixStartTime + TimeZone (which converts it to local time) + field 2
 *     run time    field 4; -1: dropped
 *     GPUs        field 8, requested, else field 5, allocated; both -1: dropped
 *     memory      field 10, KiB per processor, times processors
 *     status      1 completed, 0 failed, 5 cancelled. 2, 3 and 4 are lines about parts of a run
 *                 whose job has its own line: dropped, as the definition requires for workloads
 *     user, VC    field 12; field 15, queue, named by a line "Queue: 1 name", as users are by
 *                 "User: 1 name" in files written here; such lines may be anywhere among the jobs
 *     GPU type    field 16, partition, if the header says "Partitions: GPU types asked for", as in
 *                 files written here; otherwise it is the part of the machine where a job ran, or,
 *                 in jobs.swf of a run, the type that it ran on
 *
 * Results of the logged scheduler (wait) and users' estimates (requested time) are not read.
 *
 * Each job is written as a line of 18 whole numbers. Users, queues and partitions are numbers: a
 * name that is a number is kept, another gets the next free number, and a comment before its first
 * line, "; Queue: 3 name", as in headers. A job whose id is not a number gets its row number.
 */
#include <inttypes.h>
#include <strings.h>

#include "base/intern.h"
#include "traces/format.h"

/* ---- writing ---- */

#define ASKED_TYPES "GPU types asked for" /* marks partitions as demands */
#define UNKNOWN     (-1)

/* A message about gpus points to the last column of that name: requested processors. */
enum { JOB, SUBMIT, WAIT, RUN, ALLOCATED, REQUESTED, MEMORY, STATUS, USER, QUEUE, PARTITION };

static const struct hs_column columns[] = {
    [JOB] = HS_COLUMN("job_id", "job number", ID, true, id),
    [SUBMIT] = HS_COLUMN("submit_time", "submit time", TIME, true, submit_us),
    [WAIT] = HS_COLUMN("start_time", "wait time", OWN, false, start_us),
    [RUN] = HS_COLUMN("duration", "run time", SPAN, true, duration_us),
    [ALLOCATED] = HS_COLUMN("gpus", "allocated processors", COUNT, true, gpus),
    [REQUESTED] = HS_COLUMN("gpus", "requested processors", COUNT, true, gpus),
    [MEMORY] = HS_COLUMN("mem_mib", "requested memory", MIB, false, mem_mib),
    [STATUS] = HS_COLUMN("outcome", "status", FATE, false, outcome),
    [USER] = HS_COLUMN("user", "user", TEXT, false, user),
    [QUEUE] = HS_COLUMN("vc", "queue", TEXT, false, vc),
    [PARTITION] = HS_COLUMN("gpu_type", "partition", TEXT, false, gpu_type),
};

#define COLUMN_COUNT HS_COUNT_OF(columns)

/* Field numbers of the definition, minus one. */
static const uint32_t field_of[COLUMN_COUNT] = {0, 1, 2, 3, 4, 7, 9, 10, 11, 14, 15};

/* Words as read by other formats; the numbers are those of the definition. */
static const char *const outcomes[HS_OUTCOME_COUNT] = {[HS_OUTCOME_COMPLETED] = "completed",
                                                       [HS_OUTCOME_CANCELLED] = "cancelled",
                                                       [HS_OUTCOME_FAILED] = "failed"};
static const struct hs_words statuses = {
    .what = "status",
    .hint = "0 failed, 1 completed, 5 cancelled, 2 to 4 part of a run, -1",
    .fault = HS_FAULT_STATE,
    .is_exact = true,
    .of = {[HS_OUTCOME_UNKNOWN] = {"-1", HS_OUTCOME_UNKNOWN},
           [HS_OUTCOME_COMPLETED] = {"1", HS_OUTCOME_COMPLETED},
           [HS_OUTCOME_CANCELLED] = {"5", HS_OUTCOME_CANCELLED},
           [HS_OUTCOME_FAILED] = {"0", HS_OUTCOME_FAILED},
           {"2", HS_WORD_DROPS(PARTIAL)},
           {"3", HS_WORD_DROPS(PARTIAL)},
           {"4", HS_WORD_DROPS(PARTIAL)}},
};

struct swf_numbers {
    struct hs_intern names;
    uint32_t *of; /* by id in names */
    uint32_t cap;
    struct hs_intern taken; /* as text */
    uint32_t last;          /* assigned to a name that is not a number */
};

/* The kinds of names that comments define. */
enum { USERS, QUEUES, PARTITIONS, KINDS };
static const char *const kinds[KINDS] = {"User", "Queue", "Partition"};

struct swf_writing {
    struct hs_csvw *csv;
    struct swf_numbers numbers[KINDS];
    int64_t first_us;
    int64_t largest; /* job number so far */
    bool has_jobs;
    bool is_counting; /* an id was not a number: numbers only increase from there */
};

/* Tells whether this is a number without sign and leading zeros. */
static bool is_plain_number(const char *text, uint32_t *number)
{
    int64_t value;
    size_t len = strlen(text);
    if (len == 0 || len > 9 || strspn(text, "0123456789") != len || (text[0] == '0' && len > 1))
        return false;
    *number = hs_parse_int64(text, len, &value) ? (uint32_t)value : 0;
    return true;
}

static bool keeps(const struct hs_trace_job *job, const struct hs_column *column)
{
    uint32_t number;
    const char *name;
    if (column->offset == offsetof(struct hs_trace_job, id))
        return is_plain_number(job->id, &number);
    if (column->offset == offsetof(struct hs_trace_job, mem_mib))
        return job->gpus > 0 && job->gpus <= 1024; /* memory per GPU is rounded down to a KiB */
    if (column->kind != HS_CELL_TEXT)
        return true;
    memcpy(&name, (const char *)job + column->offset, sizeof name);
    for (const char *c = name; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20)
            return false;
    return name[0] != ' ' && name[strlen(name) - 1] != ' ';
}

/* ---- numbers of names ---- */

/* Marks the number as used; returns whether it was free. */
static bool take(struct swf_numbers *n, uint32_t number)
{
    char text[HS_FMT_MAX + 1];
    const uint32_t known = n->taken.count;
    text[hs_fmt_u64(text, number)] = '\0';
    return hs_intern_get(&n->taken, text) == known;
}

/* Returns the number of a name (UNKNOWN for none); first writes the comment that defines a new
 * one. */
static int64_t number_of(struct swf_writing *w, int kind, const char *name)
{
    struct swf_numbers *n = &w->numbers[kind];
    struct hs_output *out = &w->csv->out;
    const uint32_t known = n->names.count;
    if (name == NULL || name[0] == '\0')
        return UNKNOWN;
    const uint32_t id = hs_intern_get(&n->names, name);
    hs_grow(n->of, n->cap, (uint64_t)id + 1, HS_INTERN_MAX);
    if (id < known)
        return n->of[id];
    if (is_plain_number(name, &n->of[id]) && take(n, n->of[id]))
        return n->of[id];
    do
        n->of[id] = ++n->last;
    while (!take(n, n->of[id]));
    hs_say(out, "; %s: %" PRIu32 " ", kinds[kind], n->of[id]);
    for (const char *c = name; *c != '\0'; c++) /* replaces characters that would end the comment */
        hs_output_put(out, (unsigned char)*c < 0x20 ? " " : c, 1);
    hs_output_put(out, "\n", 1);
    return n->of[id];
}

/* ---- the log ---- */

static enum hs_status begin_writing(void *state, struct hs_csvw *csv,
                                    const struct hs_trace_options *options, struct hs_diag *diag)
{
    struct swf_writing *w = state;
    (void)options, (void)diag;
    w->csv = csv;
    for (int i = 0; i < KINDS; i++) {
        hs_intern_init(&w->numbers[i].names);
        hs_intern_init(&w->numbers[i].taken);
    }
    hs_say(&csv->out, "; Version: 2.2\n; Conversion: horus\n; Queues: virtual clusters\n"
                      "; Partitions: " ASKED_TYPES "\n; Note: a processor is a GPU\n");
    return HS_OK;
}

static enum hs_status end_writing(void *state)
{
    struct swf_writing *w = state;
    for (int i = 0; i < KINDS; i++) {
        hs_intern_free(&w->numbers[i].names);
        hs_intern_free(&w->numbers[i].taken);
        hs_free(w->numbers[i].of);
    }
    return HS_OK;
}

static int64_t seconds(int64_t us)
{
    return us / HS_TRACE_TIME_UNIT_US;
}

static const struct hs_trace_layout layout;

/* Writes job, submit, wait, run, allocated, CPU time, memory, requested, time, memory, status,
 * user, group, executable, queue, partition, preceding job, think time. */
static void put_job(void *state, const struct hs_trace_job *job)
{
    struct swf_writing *w = state;
    struct hs_output *out = &w->csv->out;
    uint32_t number;
    const bool is_number = is_plain_number(job->id, &number);
    w->is_counting = w->is_counting || !is_number;
    const bool is_own = is_number && (!w->is_counting || number > w->largest);
    const int64_t id = is_own ? number : w->largest + 1;
    if (!w->has_jobs) {
        w->has_jobs = true;
        w->first_us = job->submit_us;
        hs_say(out, "; UnixStartTime: %" PRId64 "\n", seconds(w->first_us));
    }
    int64_t user = number_of(w, USERS, job->user), queue = number_of(w, QUEUES, job->vc);
    int64_t partition = number_of(w, PARTITIONS, job->gpu_type), kib = UNKNOWN; /* of each GPU */
    const int64_t wait_us = hs_layout_round_time(&layout, job->start_us) - job->submit_us;
    const int64_t wait = job->start_us >= 0 ? seconds(wait_us) : UNKNOWN;
    if (job->mem_mib > 0 && job->gpus > 0)
        kib = (int64_t)((uint64_t)job->mem_mib * 1024 / job->gpus);
    hs_say(out,
           "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " -1 -1 -1 %" PRIu32 " -1 %" PRId64
           " %s ",
           id, seconds(job->submit_us - w->first_us), wait, seconds(job->duration_us), job->gpus,
           kib, statuses.of[job->outcome].word);
    hs_say(out, "%" PRId64 " -1 -1 %" PRId64 " %" PRId64 " -1 -1\n", user, queue, partition);
    w->largest = id > w->largest ? id : w->largest;
}

static const struct hs_trace_layout layout = {
    .suffix = ".swf",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .keeps = keeps,
    .grain_us = HS_TRACE_TIME_UNIT_US,
    .outcomes = outcomes,
    .state_size = sizeof(struct swf_writing),
    .begin = begin_writing,
    .put = put_job,
    .end = end_writing,
};

/* ---- reading ---- */

#define FIELDS    18
#define NAMES_MAX (1 << 24) /* of users, of queues, of partitions */

struct names {
    const char **of; /* by number; NULL = none */
    uint32_t cap;
};

struct swf {
    struct hs_table table; /* first: see traces/format.h */
    struct hs_arena arena;
    struct names names[KINDS];
    bool is_partition_a_type;
    bool has_jobs; /* the header is over */
    int64_t start_us, zone_us;
};

static int recognise(const char *head, size_t len)
{
    const char *line, *fields[FIELDS];
    uint32_t lengths[FIELDS];
    size_t line_len;
    double value;
    if (!hs_plain_head(head, len, ';', &line, &line_len))
        return len > 0 && head[0] == ';' ? 40 : 0; /* only comments */
    if (hs_plain_split(line, line_len, ' ', fields, lengths, FIELDS) != FIELDS)
        return 0;
    for (int i = 0; i < FIELDS; i++)
        if (!hs_parse_double(fields[i], lengths[i], &value))
            return 0;
    return 95;
}

static enum hs_status open_swf(void *state, struct hs_input *input,
                               const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct swf *s = state;
    (void)options;
    hs_table_open_plain(&s->table, input, ' ', faults, columns, COLUMN_COUNT);
    memcpy(s->table.field_of, field_of, sizeof field_of);
    return HS_OK;
}

/* ---- header ---- */

/* Removes surrounding blanks. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    for (size_t len = strlen(text); len > 0 && strchr(" \t", text[len - 1]) != NULL; len--)
        text[len - 1] = '\0';
    return text;
}

/* Reads "1 name". */
static void read_name(struct names *names, const char *value)
{
    int64_t number;
    size_t digits = strspn(value, "0123456789");
    const char *name = value + digits + strspn(value + digits, " \t");
    if (name[0] == '\0' || !hs_parse_int64(value, digits, &number) || number > NAMES_MAX)
        return; /* another kind of comment */
    hs_grow(names->of, names->cap, (uint64_t)number + 1, NAMES_MAX + 1);
    names->of[number] = name;
}

static enum hs_status read_seconds(const struct swf *s, const char *value, int64_t *out_us)
{
    int64_t seconds;
    const int64_t max = HS_TRACE_TIME_MAX / HS_TRACE_TIME_UNIT_US;
    if (hs_parse_int64(value, strlen(value), &seconds) && seconds >= -max && seconds <= max) {
        *out_us = seconds * HS_TRACE_TIME_UNIT_US;
        return HS_OK;
    }
    return hs_fail(s->table.faults->diag, HS_E_INPUT, HS_AT(hs_csv_place(s->table.csv, 0)),
                   "whole seconds since 1970, or from UTC",
                   "not a number of seconds in the header: '%.64s'", value);
}

/* Reads "; Key: value". */
static enum hs_status read_comment(struct swf *s)
{
    const struct hs_place place = hs_csv_place(s->table.csv, 0);
    char *line = hs_arena_text(&s->arena, place.text, place.text_len), *colon = strchr(line, ':');
    if (colon == NULL)
        return HS_OK;
    *colon = '\0';
    const char *key = trimmed(strchr(line, ';') + 1), *value = trimmed(colon + 1);
    for (int i = 0; i < KINDS; i++)
        if (strcasecmp(key, kinds[i]) == 0)
            read_name(&s->names[i], value);
    if (s->has_jobs)
        return HS_OK;
    if (strcasecmp(key, "UnixStartTime") == 0)
        return read_seconds(s, value, &s->start_us);
    if (strcasecmp(key, "TimeZone") == 0)
        return read_seconds(s, value, &s->zone_us);
    if (strcasecmp(key, "Partitions") == 0)
        s->is_partition_a_type = strcasecmp(value, ASKED_TYPES) == 0;
    return HS_OK;
}

/* ---- jobs ---- */

static bool is_known(const struct swf *s, uint32_t index)
{
    return strcmp(hs_table_cell(&s->table, index), "-1") != 0;
}

/* Returns the name of the number in a field, else the number as text. */
static const char *find_name(const struct swf *s, uint32_t index, int kind)
{
    const struct names *names = &s->names[kind];
    int64_t number;
    if (!is_known(s, index))
        return NULL;
    const char *text = hs_table_cell(&s->table, index);
    bool has_name = hs_parse_int64(text, strlen(text), &number) && number >= 0 &&
                    number < (int64_t)names->cap && names->of[number] != NULL;
    return has_name ? names->of[number] : text;
}

/* Drops rows before it reads their other fields, whose faults are then not reported. */
static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct swf *s = state;
    struct hs_table *table = &s->table;
    uint32_t kib;
    int64_t wait_us;
    HS_TRY(hs_csv_next(table->csv, &table->row));
    while (table->row.fields[0][0] == ';') {
        HS_TRY(read_comment(s));
        HS_TRY(hs_csv_next(table->csv, &table->row));
    }
    s->has_jobs = true;
    *job = table->blank;
    job->line = table->row.line;
    if (table->row.count != FIELDS)
        return hs_trace_bad_row(table->faults, HS_FAULT_FIELDS,
                                hs_csv_place(table->csv, table->row.count),
                                "one line a job, ';' begins a comment",
                                "%u numbers where the format has 18", table->row.count);
    HS_TRY(hs_table_cell_word(table, STATUS, &statuses, (int *)&job->outcome, dropped));
    if (*dropped)
        return HS_OK;
    uint32_t gpus = is_known(s, REQUESTED) ? REQUESTED : ALLOCATED;
    if (!is_known(s, RUN) || !is_known(s, gpus)) {
        *dropped = 1 + (is_known(s, RUN) ? HS_DROP_NO_DEMAND : HS_DROP_NO_TIMES);
        return HS_OK;
    }
    if (!is_known(s, SUBMIT))
        return hs_trace_bad_row(table->faults, HS_FAULT_MISSING, hs_table_spot(table, SUBMIT), NULL,
                                "the submit time of a job is not known");
    HS_TRY(hs_table_cell_span(table, RUN, &job->duration_us));
    HS_TRY(hs_table_cell_count(table, gpus, &job->gpus));
    HS_TRY(hs_table_cell_span(table, SUBMIT, &job->submit_us));
    job->submit_us += s->start_us + s->zone_us;
    if (is_known(s, WAIT)) {
        HS_TRY(hs_table_cell_span(table, WAIT, &wait_us));
        job->start_us = job->submit_us + wait_us;
        job->end_us = job->start_us + job->duration_us;
    }
    job->id = table->row.fields[field_of[JOB]];
    job->user = find_name(s, USER, USERS);
    job->vc = find_name(s, QUEUE, QUEUES);
    if (s->is_partition_a_type)
        job->gpu_type = find_name(s, PARTITION, PARTITIONS);
    if (!is_known(s, MEMORY))
        return HS_OK;
    HS_TRY(hs_table_cell_count(table, MEMORY, &kib));
    uint64_t mib = ((uint64_t)kib * job->gpus + 1023) / 1024; /* KiB of each to MiB of all */
    if (mib > UINT32_MAX)
        return hs_table_check(table, MEMORY, HS_CELL_TOO_LARGE);
    job->mem_mib = (uint32_t)mib;
    return HS_OK;
}

static void close_swf(void *state)
{
    struct swf *s = state;
    hs_table_close(&s->table);
    for (int i = 0; i < KINDS; i++)
        hs_free(s->names[i].of);
    hs_arena_free(&s->arena);
}

const struct hs_trace_format hs_trace_format_swf = {
    .name = "swf",
    .summary = "Standard Workload Format 2.2, also jobs.swf of a run",
    .columns = "18 numbers a line: job, submit, run, processors (requested, else allocated), "
               "status; optional: memory, user, queue, partition",
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct swf),
    .open = open_swf,
    .next = next,
    .close = close_swf,
};
