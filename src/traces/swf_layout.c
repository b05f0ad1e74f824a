/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory is that of the names. O(1) a job.
 */
#include "traces/swf_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"
#include "base/timeparse.h"

#define UNKNOWN (-1)

static const struct hs_column columns[] = {
    {"job_id", "job", HS_CELL_ID, true, offsetof(struct hs_trace_job, id)},
    {"submit_time", "submit", HS_CELL_TIME, true, offsetof(struct hs_trace_job, submit_us)},
    {"duration", "run", HS_CELL_SPAN, true, offsetof(struct hs_trace_job, duration_us)},
    {"gpus", "processors", HS_CELL_COUNT, true, offsetof(struct hs_trace_job, gpus)},
    {"mem_mib", "memory", HS_CELL_MIB, false, offsetof(struct hs_trace_job, mem_mib)},
    {"outcome", "status", HS_CELL_FATE, false, offsetof(struct hs_trace_job, outcome)},
    {"user", "user", HS_CELL_TEXT, false, offsetof(struct hs_trace_job, user)},
    {"vc", "queue", HS_CELL_TEXT, false, offsetof(struct hs_trace_job, vc)},
    {"gpu_type", "partition", HS_CELL_TEXT, false, offsetof(struct hs_trace_job, gpu_type)},
};

/* Words as they are read from other formats; the numbers are those of the definition. */
static const char *const outcomes[HS_OUTCOME_COUNT] = {[HS_OUTCOME_COMPLETED] = "completed",
                                                       [HS_OUTCOME_CANCELLED] = "cancelled",
                                                       [HS_OUTCOME_FAILED] = "failed"};
static const int statuses[HS_OUTCOME_COUNT] = {[HS_OUTCOME_UNKNOWN] = UNKNOWN,
                                               [HS_OUTCOME_COMPLETED] = 1,
                                               [HS_OUTCOME_CANCELLED] = 5,
                                               [HS_OUTCOME_FAILED] = 0};

struct numbers {
    const char *what; /* of the comment */
    struct hs_intern names;
    uint32_t *of; /* by id of names */
    uint32_t cap;
    struct hs_intern taken; /* as text */
    uint32_t last;          /* that a name got which is none */
};

struct writing {
    struct hs_csvw *csv;
    struct numbers users, queues, partitions;
    int64_t first_us, rows;
};

/* A number as people write it: no sign, no zero in front. */
static bool is_plain_number(const char *text, uint32_t *number)
{
    int64_t value;
    size_t len = strlen(text);
    if (len == 0 || len > 9 || strspn(text, "0123456789") != len || (text[0] == '0' && len > 1))
        return false;
    *number = hs_parse_int64(text, len, &value) ? (uint32_t)value : 0;
    return true;
}

static bool is_name_kept(const char *name)
{
    size_t len = strlen(name);
    for (const char *c = name; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20)
            return false;
    return name[0] != ' ' && name[len - 1] != ' ';
}

static bool keeps(const struct hs_trace_job *job, const struct hs_column *column)
{
    uint32_t number;
    if (column->offset == offsetof(struct hs_trace_job, id))
        return is_plain_number(job->id, &number);
    if (column->offset == offsetof(struct hs_trace_job, mem_mib))
        return job->gpus > 0 && job->gpus <= 1024; /* rounded down to a KiB of each */
    if (column->kind != HS_CELL_TEXT)
        return true;
    const char *name;
    memcpy(&name, (const char *)job + column->offset, sizeof name);
    return is_name_kept(name);
}

/* ---- numbers of names ---- */

static enum hs_status take(struct numbers *n, uint32_t number, bool *was_free)
{
    char text[HS_FMT_MAX + 1];
    uint32_t id;
    text[hs_fmt_u64(text, number)] = '\0';
    *was_free = hs_intern_find(&n->taken, text) == UINT32_MAX;
    return hs_intern_get(&n->taken, text, &id);
}

/* *is_new_name: it has to be told. */
static enum hs_status find_number(struct numbers *n, const char *name, uint32_t *number,
                                  bool *is_new_name)
{
    bool was_free = false;
    uint32_t id, known = n->names.count;
    *is_new_name = false;
    HS_TRY(hs_intern_get(&n->names, name, &id));
    HS_TRY(hs_grow((void **)&n->of, &n->cap, (uint64_t)id + 1, sizeof *n->of, HS_INTERN_MAX));
    if (id < known) {
        *number = n->of[id];
        return HS_OK;
    }
    if (is_plain_number(name, &n->of[id]))
        HS_TRY(take(n, n->of[id], &was_free));
    *is_new_name = !was_free;
    while (!was_free) {
        n->of[id] = ++n->last;
        HS_TRY(take(n, n->of[id], &was_free));
    }
    *number = n->of[id];
    return HS_OK;
}

/* What ends the comment is a blank. */
static void put_name(struct hs_output *out, const char *what, uint32_t number, const char *name)
{
    hs_say(out, "; %s: %" PRIu32 " ", what, number);
    for (const char *c = name; *c != '\0'; c++)
        hs_output_put(out, (unsigned char)*c < 0x20 ? " " : c, 1);
    hs_output_put(out, "\n", 1);
}

/* Of a name, after its comment; UNKNOWN for none. */
static int64_t number_of(struct writing *w, struct numbers *n, const char *name)
{
    uint32_t number;
    bool is_new_name;
    if (name == NULL || name[0] == '\0')
        return UNKNOWN;
    if (find_number(n, name, &number, &is_new_name) != HS_OK) {
        w->csv->out.error = ENOMEM; /* told at the close */
        return UNKNOWN;
    }
    if (is_new_name)
        put_name(&w->csv->out, n->what, number, name);
    return number;
}

/* ---- the log ---- */

static enum hs_status open_numbers(struct numbers *n, const char *what)
{
    n->what = what;
    HS_TRY(hs_intern_init(&n->names));
    return hs_intern_init(&n->taken);
}

static void close_numbers(struct numbers *n)
{
    hs_intern_free(&n->names);
    hs_intern_free(&n->taken);
    hs_free(n->of);
}

static enum hs_status end_writing(void *state)
{
    struct writing *w = state;
    close_numbers(&w->users);
    close_numbers(&w->queues);
    close_numbers(&w->partitions);
    return HS_OK;
}

static enum hs_status begin_writing(void *state, struct hs_csvw *csv,
                                    const struct hs_trace_options *options, struct hs_diag *diag)
{
    (void)options;
    struct writing *w = state;
    w->csv = csv;
    enum hs_status status = open_numbers(&w->users, "User");
    if (status == HS_OK)
        status = open_numbers(&w->queues, "Queue");
    if (status == HS_OK)
        status = open_numbers(&w->partitions, "Partition");
    if (status == HS_OK) {
        hs_say(&csv->out, "; Version: 2.2\n; Conversion: horus\n; Queues: virtual clusters\n"
                          "; Partitions: " HS_SWF_ASKED_TYPES "\n; Note: a processor is a GPU\n");
        return HS_OK;
    }
    (void)end_writing(w);
    return hs_fail(diag, status, NULL, NULL, "no memory to write a trace");
}

static int64_t seconds(int64_t us)
{
    return us / HS_TRACE_TIME_UNIT_US;
}

/* KiB of each GPU. */
static int64_t memory_of(const struct hs_trace_job *job)
{
    if (job->mem_mib == 0 || job->gpus == 0)
        return UNKNOWN;
    return (int64_t)((uint64_t)job->mem_mib * 1024 / job->gpus);
}

/* Job, submit, wait, run, allocated, CPU time, memory, requested, time, memory, status, user,
 * group, executable, queue, partition, preceding job, think time. */
static void put_job(void *state, const struct hs_trace_job *job)
{
    struct writing *w = state;
    struct hs_output *out = &w->csv->out;
    uint32_t number;
    if (w->rows++ == 0) {
        w->first_us = job->submit_us;
        hs_say(out, "; UnixStartTime: %" PRId64 "\n", seconds(w->first_us));
    }
    int64_t user = number_of(w, &w->users, job->user), queue = number_of(w, &w->queues, job->vc);
    int64_t partition = number_of(w, &w->partitions, job->gpu_type);
    hs_say(out, "%" PRId64 " %" PRId64 " -1 %" PRId64 " -1 -1 -1 %" PRIu32 " -1 %" PRId64 " %d ",
           is_plain_number(job->id, &number) ? (int64_t)number : w->rows,
           seconds(job->submit_us - w->first_us), seconds(job->duration_us), job->gpus,
           memory_of(job), statuses[job->outcome]);
    hs_say(out, "%" PRId64 " -1 -1 %" PRId64 " %" PRId64 " -1 -1\n", user, queue, partition);
}

const struct hs_trace_layout hs_swf_layout = {
    .suffix = ".swf",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .keeps = keeps,
    .grain_us = HS_TRACE_TIME_UNIT_US,
    .outcomes = outcomes,
    .state_size = sizeof(struct writing),
    .begin = begin_writing,
    .put = put_job,
    .end = end_writing,
};
