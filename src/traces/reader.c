/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of formats, opening a trace and pulling checked rows from it.
 * The checks of values are here, once for all formats; O(1) a row.
 */
#include "traces/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/memory.h"

/* ---- formats ---- */

/* Order decides between equally sure recognisers. */
#define FORMATS(X)                                                                                 \
    X(csv)                                                                                         \
    X(helios)                                                                                      \
    X(philly)                                                                                      \
    X(tiresias)                                                                                    \
    X(acme)                                                                                        \
    X(muri) X(chronus) X(elasticflow) X(swf) X(pai) X(pai_jobs) X(openb) X(gavel) X(generated)

#define FORMAT(name) extern const struct hs_trace_format hs_trace_format_##name;
FORMATS(FORMAT)
#undef FORMAT

static const struct hs_trace_format *const formats[] = {
#define FORMAT(name) &hs_trace_format_##name,
    FORMATS(FORMAT)
#undef FORMAT
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const char *const hs_drop_texts[HS_DROP_COUNT] = {
#define HS_DROP_TEXT(name, text) text,
    HS_DROP_LIST(HS_DROP_TEXT)
#undef HS_DROP_TEXT
};

/* Slurm states as in Helios and Acme (SC'21 counts TIMEOUT and NODE_FAIL as failed), the three
 * words of Philly, and our own. */
const struct hs_words hs_outcome_words = {
    .what = "state",
    .hint = "COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL, RUNNING, SUSPENDED, Pass, Killed or "
            "unknown",
    .fault = HS_FAULT_STATE,
    .of = {{"completed", HS_OUTCOME_COMPLETED},
           {"cancelled", HS_OUTCOME_CANCELLED},
           {"failed", HS_OUTCOME_FAILED},
           {"timeout", HS_OUTCOME_FAILED},
           {"node_fail", HS_OUTCOME_FAILED},
           {"out_of_memory", HS_OUTCOME_FAILED},
           {"pass", HS_OUTCOME_COMPLETED},
           {"killed", HS_OUTCOME_CANCELLED},
           {"canceled", HS_OUTCOME_CANCELLED},
           {"unknown", HS_OUTCOME_UNKNOWN},
           {"running", HS_WORD_DROPS(STILL_RUNNING)},
           {"suspended", HS_WORD_DROPS(STILL_RUNNING)},
           {"pending", HS_WORD_DROPS(STILL_RUNNING)}},
};

const struct hs_trace_format *hs_trace_format_at(size_t index)
{
    return index < FORMAT_COUNT ? formats[index] : NULL;
}

const struct hs_trace_format *hs_trace_format_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

const char *hs_trace_format_list(bool is_for_writing, char list[HS_FORMAT_LIST_MAX])
{
    const char *names[FORMAT_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!is_for_writing || formats[i]->layout != NULL)
            names[count++] = formats[i]->name;
    list[0] = '\0';
    for (size_t i = 0; i < count; i++)
        hs_append(list, HS_FORMAT_LIST_MAX, "%s%s",
                  i == 0          ? ""
                  : i + 1 < count ? ", "
                                  : " or ",
                  names[i]);
    return list;
}

enum hs_status hs_trace_format_check(const char *name, struct hs_diag *diag)
{
    char list[HS_FORMAT_LIST_MAX], known[HS_FORMAT_LIST_MAX + 16], hint[HS_HINT_SIZE];
    const char *names[FORMAT_COUNT];
    if (strcmp(name, "auto") == 0 || hs_trace_format_find(name))
        return HS_OK;
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        names[i] = formats[i]->name;
    (void)snprintf(known, sizeof known, "one of %s", hs_trace_format_list(false, list));
    return hs_fail(diag, HS_E_USAGE, NULL, hs_did_you_mean(hint, name, names, FORMAT_COUNT, known),
                   "unknown trace format '%s'", name);
}

/* By content; NULL when nothing is surer than 0. */
static const struct hs_trace_format *recognise(const char *head, size_t len)
{
    const struct hs_trace_format *best = NULL;
    int best_sure = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        int sure = 0;
        if (formats[i]->header != NULL && hs_header_has(head, len, formats[i]->header))
            sure = formats[i]->certainty;
        else if (formats[i]->recognise != NULL)
            sure = formats[i]->recognise(head, len);
        if (sure > best_sure) {
            best = formats[i];
            best_sure = sure;
        }
    }
    return best;
}

/* ---- bad rows ---- */

const struct hs_fault_text hs_fault_texts[HS_FAULT_COUNT] = {
#define HS_FAULT_ROW(name, what, repair) {what, repair},
    HS_FAULT_LIST(HS_FAULT_ROW)
#undef HS_FAULT_ROW
};

static void relay(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_faults *faults = ctx;
    struct hs_diag *diag = faults->diag;
    if (severity == HS_ERROR) {
        faults->is_row_bad = true;
        faults->kind = HS_FAULT_STRUCTURE;
        faults->total++;
        if (++faults->counts[HS_FAULT_STRUCTURE] > HS_FAULTS_SHOWN)
            return;
        severity = faults->severity;
    }
    *(severity == HS_ERROR ? &diag->errors : &diag->warnings) += severity != HS_NOTE;
    if (severity >= diag->least)
        diag->emit(diag->ctx, severity, text, len);
}

enum hs_status hs_trace_bad_row(struct hs_faults *faults, enum hs_fault kind, struct hs_place place,
                                const char *hint, const char *fmt, ...)
{
    faults->is_row_bad = true;
    faults->kind = kind;
    faults->total++;
    if (++faults->counts[kind] > HS_FAULTS_SHOWN)
        return HS_E_INPUT;
    char text[512]; /* user text in it is cut, never overrun */
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    hs_report(faults->diag, faults->severity, &place, hint, "%s", text);
    return HS_E_INPUT;
}

/* ---- rows ---- */

static enum hs_status choose_format(struct hs_reader *r, struct hs_diag *diag)
{
    const struct hs_trace_options *o = r->options;
    bool is_auto = !o->format || strcmp(o->format, "auto") == 0;
    if (!is_auto) {
        HS_TRY(hs_trace_format_check(o->format, diag));
        r->format = hs_trace_format_find(o->format);
    } else if (o->map) {
        r->format = hs_trace_format_find("csv");
    }
    if (o->map && strcmp(r->format->name, "csv") != 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "--format=csv, or leave --map out",
                       "--map is for the csv format, not for %s", r->format->name);
    const char *head;
    size_t len = 0;
    enum hs_status status = hs_input_peek(r->input, &head, &len);
    if (status != HS_OK && status != HS_END)
        return status;
    struct hs_place place = {.file = hs_input_path(r->input)};
    if (status == HS_END || len == 0)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "the trace is empty");
    if (!r->format)
        r->format = recognise(head, len);
    if (!r->format) {
        char list[HS_FORMAT_LIST_MAX], hint[HS_FORMAT_LIST_MAX + 64];
        (void)snprintf(hint, sizeof hint, "--format says which: %s ('horus help formats')",
                       hs_trace_format_list(false, list));
        return hs_fail(diag, HS_E_INPUT, &place, hint, "not a trace of a known format");
    }
    return HS_OK;
}

enum hs_status hs_reader_open(struct hs_reader *reader, const struct hs_trace_options *options,
                              enum hs_severity severity, struct hs_diag *diag)
{
    *reader = (struct hs_reader){.options = options};
    reader->faults = (struct hs_faults){.diag = diag, .severity = severity};
    hs_diag_init(&reader->faults.relay, relay, &reader->faults); /* which must not move */
    reader->outcomes_kept = options->outcomes == NULL ? UINT32_MAX : 0;
    for (const char *list = options->outcomes; list != NULL;) { /* "completed,failed" */
        size_t len = strcspn(list, ",");
        int outcome = hs_trace_word(&hs_outcome_words, list, len);
        if (outcome < 0)
            return hs_fail(diag, HS_E_USAGE, NULL,
                           "a list of completed, cancelled, failed, unknown",
                           "unknown outcome '%.*s'", (int)(len < 64 ? len : 64), list);
        reader->outcomes_kept |= 1u << outcome;
        list = list[len] == '\0' ? NULL : list + len + 1;
    }
    HS_TRY(hs_input_open(&reader->input, options->path, diag));
    HS_TRY(choose_format(reader, diag));
    const struct hs_trace_format *format = reader->faults.format = reader->format;
    if (options->gavel_throughputs != NULL && !options->writes_gavel &&
        strcmp(format->name, "gavel") != 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "leave --gavel-throughputs out",
                       "--gavel-throughputs is for the gavel format, not for %s", format->name);
    if (options->keeps_attempts && !format->has_attempts)
        return hs_fail(diag, HS_E_USAGE, NULL, HS_NO_ATTEMPTS_HINT,
                       "--retries=attempts: a trace of the %s format tells of no attempts",
                       format->name);
    reader->next = format->next != NULL ? format->next : hs_table_next;
    reader->state =
        hs_alloc_zeroed(1, format->state_size > 0 ? format->state_size : sizeof(struct hs_table));
    if (format->open != NULL)
        return format->open(reader->state, reader->input, options, &reader->faults);
    return hs_table_open(reader->state, reader->input, options, &reader->faults, NULL);
}

struct hs_place hs_reader_place(const struct hs_reader *reader, const char *column)
{
    const struct hs_trace_format *format = reader->format;
    return (format->place != NULL ? format->place : hs_table_place)(reader->state, column);
}

/* Which rule is broken, if one is: not every value out of the ordinary is a fault. */
static HS_COLD enum hs_status explain_bad_values(struct hs_reader *r, const struct hs_trace_job *j)
{
    const int64_t most = HS_TRACE_TIME_MAX;
    static const char in_unit[] = "is it in another unit? --time-unit=ms reads bare numbers as ms";
    static const char is_beyond[] = "is beyond 285 years (2^53 microseconds)";
    const bool has_later = j->gpu_mem_later_mib > 0, has_after = j->later_us > 0;
    const struct {
        bool is_broken;
        enum hs_fault kind;
        const char *column, *what, *hint;
    } rules[] = {
        {strlen(j->id) > HS_JOB_ID_MAX, HS_FAULT_TOO_LONG, "job_id", "is longer than 255 bytes",
         NULL},
        {j->submit_us < -most, HS_FAULT_RANGE, "submit_time", is_beyond, in_unit},
        {j->submit_us > most, HS_FAULT_RANGE, "submit_time", is_beyond, in_unit},
        {j->submit_us < 0, HS_FAULT_RANGE, "submit_time", "is negative", NULL},
        {j->duration_us < 0, HS_FAULT_RANGE, "duration", "is negative", NULL},
        {j->duration_us > most, HS_FAULT_RANGE, "duration", is_beyond, in_unit},
        {j->deadline_us > most || j->deadline_us < -1, HS_FAULT_RANGE, "deadline",
         "is out of range", in_unit},
        {j->preempt_cost_us > most || j->preempt_cost_us < -1, HS_FAULT_RANGE, "preempt_cost",
         "is out of range", in_unit},
        {j->step_us < 0 || j->step_us > most, HS_FAULT_RANGE, "step", "is out of range", in_unit},
        {j->gpus > HS_JOB_GPUS_MAX, HS_FAULT_RANGE, "gpus", "is out of range",
         "GPUs of one job are at most 65535"},
        {j->gpus_min > j->gpus || j->gpus_max < j->gpus || j->gpus_max > HS_JOB_GPUS_MAX,
         HS_FAULT_RANGE, "gpus_min", "and gpus_max do not enclose gpus",
         "gpus_min <= gpus <= gpus_max <= 65535"},
        {j->nodes > j->gpus, HS_FAULT_RANGE, "nodes", "is more than gpus",
         "each node of a gang holds a GPU of it"},
        {j->gpu_mem_mib > 0 && j->gpu_mem_persistent_mib > j->gpu_mem_mib, HS_FAULT_RANGE,
         "gpu_mem_persistent_mib", "is more than gpu_mem_mib",
         "of the peak, what stays between mini-batches"},
        {has_later && j->gpu_mem_persistent_mib > j->gpu_mem_later_mib, HS_FAULT_RANGE,
         "gpu_mem_persistent_mib", "is more than gpu_mem_later_mib",
         "of each peak, what stays between mini-batches"},
        {j->later_us < 0, HS_FAULT_RANGE, "gpu_mem_later_after", "is negative", NULL},
        {j->later_us > most, HS_FAULT_RANGE, "gpu_mem_later_after", is_beyond, in_unit},
        {has_later && !has_after, HS_FAULT_MISSING, "gpu_mem_later_mib",
         "stands without gpu_mem_later_after",
         "the run time in isolation after which it is the peak"},
        {has_after && !has_later, HS_FAULT_MISSING, "gpu_mem_later_after",
         "stands without gpu_mem_later_mib", "the peak from that much run time in isolation on"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].is_broken)
            return hs_trace_bad_row(&r->faults, rules[i].kind, hs_reader_place(r, rules[i].column),
                                    rules[i].hint, "%s %s", rules[i].column, rules[i].what);
    return HS_OK;
}

/* Not 0 where a value is given by few formats or is out of the usual range: nearly all rows pass
 * by this one branch. */
static uint64_t rare_values(const struct hs_trace_job *job)
{
    const uint64_t times = (uint64_t)(job->submit_us | job->duration_us) / HS_TRACE_TIME_MAX;
    const uint64_t limits = (uint64_t)(~job->deadline_us | ~job->preempt_cost_us);
    const uint64_t steps = (uint64_t)(job->step_us | job->later_us);
    const uint32_t range = (job->gpus_min ^ job->gpus) | (job->gpus_max ^ job->gpus);
    const uint32_t gang = job->gpus / (HS_JOB_GPUS_MAX + 1) | job->nodes;
    const uint32_t memory = job->gpu_mem_persistent_mib | job->gpu_mem_later_mib;
    return times | limits | steps | range | gang | memory;
}

/* 0, or 1 + drop kind. */
static int apply_rules(const struct hs_reader *r, struct hs_trace_job *job)
{
    if (job->gpus == 0 && r->options->cpu_jobs == HS_CPU_JOBS_SKIP)
        return 1 + HS_DROP_CPU_JOB;
    if (!(r->outcomes_kept >> job->outcome & 1u))
        return 1 + HS_DROP_OUTCOME;
    if (job->duration_us == 0 && r->options->zero_duration == HS_ZERO_DROP)
        return 1 + HS_DROP_ZERO_DURATION;
    if (job->duration_us == 0 && r->options->zero_duration == HS_ZERO_ONE_SECOND) {
        job->duration_us = 1000000;
        job->attempts = 0; /* of 0 s each: they would not add up */
    }
    return 0;
}

enum hs_status hs_reader_next(struct hs_reader *reader, struct hs_trace_job *job)
{
    for (;;) {
        int dropped = 0;
        reader->faults.is_row_bad = reader->faults.is_rounded = reader->faults.is_folded = false;
        enum hs_status status = reader->next(reader->state, job, &dropped);
        if (status == HS_OK || reader->faults.is_row_bad)
            reader->counts.rows++;
        HS_TRY(status);
        if (!dropped) {
            if (job->gpus_min == 0)
                job->gpus_min = job->gpus;
            if (job->gpus_max == 0)
                job->gpus_max = job->gpus;
            if (job->gpu_milli == 0)
                job->gpu_milli = 1000;
            if (HS_UNLIKELY(rare_values(job) != 0 || strlen(job->id) > HS_JOB_ID_MAX))
                HS_TRY(explain_bad_values(reader, job));
            dropped = apply_rules(reader, job);
        }
        if (!dropped) {
            reader->counts.rounded += reader->faults.is_rounded;
            reader->counts.folded += reader->faults.is_folded;
            return HS_OK;
        }
        reader->counts.drops[dropped - 1]++;
    }
}

void hs_reader_close(struct hs_reader *reader)
{
    if (reader->state)
        (reader->format->close != NULL ? reader->format->close : hs_table_close)(reader->state);
    hs_free(reader->state);
    reader->state = NULL;
    if (reader->input)
        hs_input_close(reader->input);
    reader->input = NULL;
}
