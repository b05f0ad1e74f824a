/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of formats; opening a trace and reading checked rows from it; writing job records as
 * rows of a CSV, by the table that reads them, or through the format's own functions; and the count
 * of what a format cannot store. Values are checked here, for all formats. O(1) per row read,
 * O(cells) per row written.
 */
#include "traces/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/rng.h"

#define LIST_MAX    256
#define SPAN_MAX_US (INT64_C(7305) * 86400 * HS_TRACE_TIME_UNIT_US) /* 20 years */

/* ---- formats ---- */

/* The order decides between recognisers with equal certainty. */
#define FORMATS(X)                                                                                 \
    X(csv)                                                                                         \
    X(helios)                                                                                      \
    X(philly)                                                                                      \
    X(tiresias)                                                                                    \
    X(acme)                                                                                        \
    X(muri)                                                                                        \
    X(chronus) X(elasticflow) X(swf) X(pai) X(pai_jobs) X(openb) X(gavel) X(slurm) X(generated)

#define FORMAT(name) extern const struct hs_trace_format hs_trace_format_##name;
FORMATS(FORMAT)
#undef FORMAT

static const struct hs_trace_format *const formats[] = {
#define FORMAT(name) &hs_trace_format_##name,
    FORMATS(FORMAT)
#undef FORMAT
};
#define FORMAT_COUNT HS_COUNT_OF(formats)

const char *const hs_drop_texts[HS_DROP_COUNT] = {
#define HS_DROP_TEXT(name, text) text,
    HS_DROP_LIST(HS_DROP_TEXT)
#undef HS_DROP_TEXT
};

/* Slurm states as in Helios and Acme (SC'21 counts TIMEOUT and NODE_FAIL as failed), the three
 * words of Philly, and native ones. */
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
           {"pending", HS_WORD_DROPS(NEVER_STARTED)}},
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

/* Formats "csv, helios or philly": all formats, or the writable ones; returns list. */
static const char *format_list(bool is_for_writing, char list[LIST_MAX])
{
    const char *names[FORMAT_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!is_for_writing || formats[i]->layout != NULL)
            names[count++] = formats[i]->name;
    list[0] = '\0';
    for (size_t i = 0; i < count; i++)
        hs_append(list, LIST_MAX, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", names[i]);
    return list;
}

enum hs_status hs_trace_format_check(const char *name, struct hs_diag *diag)
{
    char list[LIST_MAX], known[LIST_MAX + 16], hint[HS_HINT_SIZE];
    const char *names[FORMAT_COUNT];
    if (strcmp(name, "auto") == 0 || hs_trace_format_find(name))
        return HS_OK;
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        names[i] = formats[i]->name;
    (void)snprintf(known, sizeof known, "one of %s", format_list(false, list));
    return hs_fail(diag, HS_E_USAGE, NULL, hs_did_you_mean(hint, name, names, FORMAT_COUNT, known),
                   "unknown trace format '%s'", name);
}

/* Recognises by content; NULL if no format has a certainty above 0. */
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
    char text[512]; /* user text in it is truncated */
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
        HS_TRY(hs_trace_refuse_known(head, len, &place, diag));
    hs_trace_warn_of_encoding(head, len, place, diag);
    if (!r->format)
        r->format = recognise(head, len);
    if (!r->format) {
        char list[LIST_MAX], hint[LIST_MAX + 160];
        if (head[0] == '{' || head[0] == '[')
            (void)snprintf(hint, sizeof hint,
                           "as CSV it may be one: jq -rs 'flatten | (.[0] | keys_unsorted) as $k | "
                           "$k, (.[] | [.[$k[]]]) | @csv' FILE >jobs.csv");
        else
            (void)snprintf(hint, sizeof hint, "set it with --format: %s ('horus help formats')",
                           format_list(false, list));
        return hs_fail(diag, HS_E_INPUT, &place, hint, "not a trace of a known format");
    }
    return HS_OK;
}

enum hs_status hs_reader_open(struct hs_reader *reader, const struct hs_trace_options *options,
                              enum hs_severity severity, struct hs_diag *diag)
{
    *reader = (struct hs_reader){.options = options};
    reader->faults = (struct hs_faults){.diag = diag, .severity = severity};
    hs_diag_init(&reader->faults.relay, relay, &reader->faults); /* must not move */
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
                       "--retries=attempts: the %s format has no attempts", format->name);
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

/* Reports the violated rule, if any: not every unusual value is a fault. */
static HS_COLD enum hs_status explain_bad_values(struct hs_reader *r, const struct hs_trace_job *j)
{
    const int64_t most = HS_TRACE_TIME_MAX;
    static const char in_unit[] = "is it in another unit? --time-unit=ms reads bare numbers as ms";
    char mixed[160], date[HS_CLOCK_TEXT];
    const char *submit_hint = in_unit;
    /* a thousandth of it is near the first row: milliseconds among seconds */
    if (r->first_line > 0 && llabs(j->submit_us / 1000 - r->first_us) < SPAN_MAX_US) {
        (void)snprintf(mixed, sizeof mixed,
                       "milliseconds among seconds? as such it is %s; line %lld is in seconds",
                       hs_trace_clock_text(date, j->submit_us / 1000), (long long)r->first_line);
        submit_hint = mixed;
    }
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
        {j->submit_us > most, HS_FAULT_RANGE, "submit_time", is_beyond, submit_hint},
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
         "is set without gpu_mem_later_after",
         "the run time in isolation after which it is the peak"},
        {has_after && !has_later, HS_FAULT_MISSING, "gpu_mem_later_after",
         "is set without gpu_mem_later_mib", "the peak from that much run time in isolation on"},
    };
    for (size_t i = 0; i < HS_COUNT_OF(rules); i++)
        if (rules[i].is_broken)
            return hs_trace_bad_row(&r->faults, rules[i].kind, hs_reader_place(r, rules[i].column),
                                    rules[i].hint, "%s %s", rules[i].column, rules[i].what);
    return HS_OK;
}

/* Returns nonzero if a rare column is set or a value is unusual: nearly all rows take this one
 * branch. */
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

/* Returns 0, or 1 + drop kind. */
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
        job->attempts = 0; /* attempts of 0 s each would not add up */
    }
    return 0;
}

/* ---- job ids seen ---- */

#define IDS_MIN    1024 /* slots */
#define DIGITS_MIN 4    /* fewest digits of an id with a number */
#define DIGITS_MAX 18

/* Returns the slot of the key, and occupies it if it was free. */
static uint64_t *slot_of(struct hs_id_set *set, uint64_t words, uint64_t key, bool *is_new)
{
    if (set->count * 4 >= set->size * 3) {
        struct hs_id_set old = *set;
        *set = (struct hs_id_set){.size = old.size > 0 ? 2 * old.size : IDS_MIN};
        set->words = hs_alloc_zeroed(set->size, words * sizeof *set->words);
        for (uint64_t i = 0; i < old.size; i++) {
            const uint64_t *slot = &old.words[i * words];
            if (slot[0] != 0)
                memcpy(slot_of(set, words, slot[0], is_new), slot, words * sizeof *slot);
        }
        hs_free(old.words);
    }
    uint64_t at = (key >> 1) & (set->size - 1); /* the last bit is always set */
    while (set->words[at * words] != 0 && set->words[at * words] != key)
        at = (at + 1) & (set->size - 1);
    uint64_t *slot = &set->words[at * words];
    *is_new = slot[0] == 0;
    set->count += *is_new;
    slot[0] = key;
    return slot;
}

static bool is_id_new(struct hs_reader *r, const char *id, size_t len)
{
    uint64_t number = 0, unit = 1;
    size_t text = len;
    bool is_new;
    const size_t least = len > DIGITS_MAX ? len - DIGITS_MAX : 0;
    for (; text > least; text--, unit *= 10) {
        const unsigned digit = (unsigned)(unsigned char)id[text - 1] - '0';
        if (digit > 9)
            break;
        number += digit * unit;
    }
    if (len - text < DIGITS_MIN) {
        (void)slot_of(&r->ids, 1, hs_hash_of(id, len) | 1, &is_new);
        return is_new;
    }
    /* includes the number of digits, so that 0007 differs from 00007 */
    const uint64_t prefix = text > 0 ? hs_hash_of(id, text) : 0;
    const uint64_t key = hs_mix64(prefix + len - text, number / 64) | 1;
    const uint64_t bit = UINT64_C(1) << number % 64;
    if (key != r->last_key)
        r->last_bits = slot_of(&r->numbers, 2, key, &is_new) + 1;
    r->last_key = key;
    is_new = (*r->last_bits & bit) == 0;
    *r->last_bits |= bit;
    return is_new;
}

/* The id of a row may be a duplicate. Rereads the file up to the first row with this id, to report
 * its place; if there is none, only the hashes are equal, which is no error. */
static HS_COLD enum hs_status fail_duplicate(struct hs_reader *r, const struct hs_trace_job *job)
{
    struct stat info;
    struct hs_reader again;
    struct hs_trace_job first;
    struct hs_diag silent = {.least = HS_ERROR + 1};
    char where[512] = "";
    if (r->faults.counts[HS_FAULT_DUPLICATE] < HS_FAULTS_SHOWN &&
        stat(r->options->path, &info) == 0 && S_ISREG(info.st_mode)) {
        enum hs_status status = hs_reader_open(&again, r->options, HS_WARNING, &silent);
        again.allows_duplicates = true;
        while (status == HS_OK || again.faults.is_row_bad) {
            status = hs_reader_next(&again, &first);
            if (status == HS_OK && strcmp(first.id, job->id) == 0)
                break;
        }
        const bool is_same = status == HS_OK && first.line == job->line;
        if (status == HS_OK) {
            const struct hs_place place = hs_reader_place(&again, "job_id");
            (void)snprintf(where, sizeof where, ": %.400s:%lld:%d", place.file,
                           (long long)place.line, (int)place.column);
        }
        hs_reader_close(&again);
        if (is_same)
            return HS_OK;
    }
    return hs_trace_bad_row(&r->faults, HS_FAULT_DUPLICATE, hs_reader_place(r, "job_id"),
                            hs_fault_texts[HS_FAULT_DUPLICATE].repair,
                            "job id '%s' was seen before%s", job->id, where);
}

/* Warns of 20240301 as a number of seconds. */
static HS_COLD void warn_of_calendar(struct hs_reader *r, int64_t submit_us)
{
    const int64_t number = submit_us / 1000000, month = number / 100 % 100, day = number % 100;
    if (number < 19700101 || number > 20991231 || month < 1 || month > 12 || day < 1 || day > 31)
        return;
    hs_report(r->faults.diag, HS_WARNING, HS_AT(hs_reader_place(r, "submit_time")),
              "a date is written 2024-03-01, or 2024/03/01",
              "the first submission is read as %lld s: is it a date?", (long long)number);
}

/* Compares an accepted row with the rows before. Submissions years apart indicate two units or two
 * clocks. */
static enum hs_status check_against_others(struct hs_reader *r, const struct hs_trace_job *job,
                                           size_t id_len)
{
    if (HS_UNLIKELY(r->first_line == 0)) {
        r->first_us = job->submit_us;
        r->first_line = job->line;
        warn_of_calendar(r, job->submit_us);
    }
    if (HS_UNLIKELY(llabs(job->submit_us - r->first_us) > SPAN_MAX_US) && !r->is_span_told &&
        !r->format->is_sorted) {
        char first[HS_CLOCK_TEXT], here[HS_CLOCK_TEXT];
        r->is_span_told = true;
        hs_report(
            r->faults.diag, HS_WARNING, HS_AT(hs_reader_place(r, "submit_time")),
            "are seconds and milliseconds mixed, or dates and numbers? --window=FROM..TO takes "
            "a part",
            "submissions are more than 20 years apart: %s here, %s in line %lld",
            hs_trace_clock_text(here, job->submit_us), hs_trace_clock_text(first, r->first_us),
            (long long)r->first_line);
    }
    const bool is_known = !r->allows_duplicates && !is_id_new(r, job->id, id_len);
    return HS_UNLIKELY(is_known) ? fail_duplicate(r, job) : HS_OK;
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
            job->has_range = (job->gpus_min | job->gpus_max) != 0;
            if (job->gpus_min == 0)
                job->gpus_min = job->gpus;
            if (job->gpus_max == 0)
                job->gpus_max = job->gpus;
            if (job->gpu_milli == 0)
                job->gpu_milli = 1000;
            if (!reader->options->keeps_recorded)
                job->start_us = job->end_us = -1;
            const size_t id_len = strlen(job->id);
            if (HS_UNLIKELY(rare_values(job) != 0 || id_len > HS_JOB_ID_MAX))
                HS_TRY(explain_bad_values(reader, job));
            dropped = apply_rules(reader, job);
            if (!dropped)
                HS_TRY(check_against_others(reader, job, id_len));
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
    hs_free(reader->ids.words);
    hs_free(reader->numbers.words);
    reader->state = NULL;
    reader->ids = reader->numbers = (struct hs_id_set){0};
    if (reader->input)
        hs_input_close(reader->input);
    reader->input = NULL;
}

/* ---- writing: layouts ---- */

/* A job without any optional value. */
static const struct hs_trace_job blank = HS_TRACE_JOB_BLANK(HS_GPU_MILLI);

static bool is_named(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && memcmp(name, text, len) == 0;
}

const struct hs_column *hs_layout_holds(const struct hs_trace_layout *layout, size_t member)
{
    for (uint32_t i = 0; i < layout->column_count; i++)
        if (layout->columns[i].offset == member &&
            (layout->header == NULL || hs_is_listed(layout->header, ',', layout->columns[i].name)))
            return &layout->columns[i];
    return NULL;
}

static const void *member_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    return (const char *)job + column->offset;
}

static int64_t time_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    return *(const int64_t *)member_of(job, column);
}

static uint32_t number_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    return *(const uint32_t *)member_of(job, column);
}

static const char *text_of(const struct hs_trace_job *job, const struct hs_column *column)
{
    return *(const char *const *)member_of(job, column);
}

bool hs_job_tells(const struct hs_trace_job *job, const struct hs_column *column)
{
    if (column->is_required)
        return true;
    switch ((int)column->kind) {
    case HS_CELL_ID:
    case HS_CELL_TEXT:
    case HS_CELL_NAME:
    case HS_CELL_BATCH:
        return text_of(job, column) != NULL && text_of(job, column)[0] != '\0';
    case HS_CELL_TIME:
    case HS_CELL_SPAN:
        return time_of(job, column) != time_of(&blank, column);
    case HS_CELL_ATTEMPTS:
        return job->attempts > 0;
    case HS_CELL_OPTIONS:
        return job->option_count > 0;
    case HS_CELL_LOSS:
        return job->loss.b0 > 0;
    default:
        break;
    }
    if (column->offset == offsetof(struct hs_trace_job, gpus_min) ||
        column->offset == offsetof(struct hs_trace_job, gpus_max))
        return job->has_range;
    return number_of(job, column) != number_of(&blank, column);
}

const char *hs_layout_outcome(const struct hs_trace_layout *layout, enum hs_outcome outcome)
{
    return layout->outcomes != NULL ? layout->outcomes[outcome] : hs_outcome_text(outcome);
}

int64_t hs_layout_round_time(const struct hs_trace_layout *layout, int64_t us)
{
    int64_t grain_us = layout->grain_us > 0 ? layout->grain_us : 1;
    return (us + grain_us / 2) / grain_us * grain_us;
}

int64_t hs_layout_round_span(const struct hs_trace_layout *layout, int64_t us)
{
    bool is_short = us > 0 && us < layout->grain_us;
    return is_short ? layout->grain_us : hs_layout_round_time(layout, us);
}

void hs_layout_round(const struct hs_trace_layout *layout, struct hs_trace_job *job)
{
    for (uint32_t i = 0; layout->grain_us > 1 && i < layout->column_count; i++) {
        const struct hs_column *column = &layout->columns[i];
        if ((column->kind != HS_CELL_TIME && column->kind != HS_CELL_SPAN) ||
            !hs_job_tells(job, column))
            continue;
        int64_t us = time_of(job, column);
        us = column->kind == HS_CELL_TIME ? hs_layout_round_time(layout, us)
                                          : hs_layout_round_span(layout, us);
        memcpy((char *)job + column->offset, &us, sizeof us);
    }
    uint32_t over = layout->cpu_grain > 0 ? job->cpus_milli % layout->cpu_grain : 0;
    if (over > 0)
        job->cpus_milli += layout->cpu_grain - over;
}

/* "1/1.25/0.2/0.01" */
static void put_loss(struct hs_csvw *csv, const struct hs_loss_curve *loss)
{
    const double parts[] = {loss->b0, loss->b1, loss->b2, loss->threshold};
    for (size_t i = 0; i < HS_COUNT_OF(parts); i++) {
        hs_csvw_ratio(csv, (uint64_t)llround(parts[i] * HS_LOSS_PARTS), HS_LOSS_PARTS, 6);
        if (i + 1 < HS_COUNT_OF(parts))
            csv->out.at[-1] = '/'; /* replaces the comma that ended the field */
    }
}

static void put_cell(const struct hs_trace_layout *layout, struct hs_csvw *csv,
                     const struct hs_column *column, const struct hs_trace_job *job)
{
    if (!hs_job_tells(job, column)) {
        hs_csvw_empty(csv);
        return;
    }
    switch ((int)column->kind) {
    case HS_CELL_ID:
    case HS_CELL_TEXT:
    case HS_CELL_NAME:
    case HS_CELL_BATCH:
        hs_csvw_text(csv, text_of(job, column));
        break;
    case HS_CELL_TIME:
    case HS_CELL_SPAN:
        if (column->kind == HS_CELL_TIME && layout->has_dates)
            hs_layout_put_date(csv, time_of(job, column));
        else
            hs_csvw_seconds(csv, time_of(job, column));
        break;
    case HS_CELL_FATE:
        hs_csvw_text(csv, hs_layout_outcome(layout, job->outcome));
        break;
    case HS_CELL_CLASS:
        hs_csvw_text(csv, hs_job_class_text(job->job_class));
        break;
    case HS_CELL_ATTEMPTS: /* "10/20": run times joined by slashes */
        for (uint32_t i = 0; i < job->attempts; i++) {
            hs_csvw_seconds(csv, job->attempts_us[i]);
            if (i + 1 < job->attempts)
                csv->out.at[-1] = '/'; /* replaces the comma that ended the field */
        }
        break;
    case HS_CELL_OPTIONS: /* "60:10/90:5" */
        for (uint32_t i = 0; i < job->option_count; i++) {
            hs_csvw_seconds(csv, job->options[i].after_us);
            csv->out.at[-1] = ':';
            hs_csvw_ratio(csv, job->options[i].value_milli, 1000, 3);
            if (i + 1 < job->option_count)
                csv->out.at[-1] = '/';
        }
        break;
    case HS_CELL_LOSS:
        put_loss(csv, &job->loss);
        break;
    case HS_CELL_MILLI:
        hs_csvw_ratio(csv, number_of(job, column), 1000, 3);
        break;
    case HS_CELL_PERCENT:
        hs_csvw_ratio(csv, number_of(job, column), 10, 1); /* per mille as percent */
        break;
    case HS_CELL_INT:
        hs_csvw_i64(csv, (int32_t)number_of(job, column));
        break;
    default:
        hs_csvw_u64(csv, number_of(job, column));
    }
}

void hs_layout_put_date(struct hs_csvw *csv, int64_t us)
{
    char *to = hs_csvw_begin_field(csv);
    hs_csvw_end_field(csv, to + hs_fmt_datetime(to, us));
}

/* ---- writing: files ---- */

enum hs_status hs_trace_writer_check(const char *name, struct hs_diag *diag)
{
    char list[LIST_MAX];
    HS_TRY(hs_trace_format_check(name, diag));
    const struct hs_trace_format *format = hs_trace_format_find(name);
    if (format != NULL && format->layout == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, format_list(true, list),
                       "the %s format can be read, not written", name);
    return HS_OK;
}

enum hs_status hs_trace_writer_choose(const char *name, const char *path,
                                      const struct hs_trace_format **format, struct hs_diag *diag)
{
    char list[LIST_MAX], hint[LIST_MAX + 32];
    if (name != NULL && strcmp(name, "auto") != 0) {
        HS_TRY(hs_trace_writer_check(name, diag));
        *format = hs_trace_format_find(name);
        return HS_OK;
    }
    const char *packed = hs_output_packed_suffix(path);
    const size_t len = packed != NULL ? (size_t)(packed - path) : strlen(path);
    for (size_t i = 0; (*format = hs_trace_format_at(i)) != NULL; i++) {
        const char *suffix = (*format)->layout != NULL ? (*format)->layout->suffix : NULL;
        size_t cut = suffix != NULL ? strlen(suffix) : len;
        if (cut < len && memcmp(path + len - cut, suffix, cut) == 0)
            return HS_OK;
    }
    (void)snprintf(hint, sizeof hint, "name the format: %s", format_list(true, list));
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "no format is known by the name of the file '%s'",
                   path);
}

enum hs_status hs_trace_writer_open(struct hs_trace_writer *w, const struct hs_trace_format *format,
                                    const struct hs_trace_options *options, const char *path,
                                    struct hs_diag *diag)
{
    const struct hs_trace_layout *layout = format->layout;
    *w = (struct hs_trace_writer){.layout = layout};
    HS_TRY(hs_wholefile_open(&w->file, path, diag));
    hs_output_pack(&w->file.out, path);
    w->csv = (struct hs_csvw){.out = w->file.out};
    if (layout->header != NULL) {
        size_t len;
        for (const char *at = layout->header; *at != '\0'; at += len + (at[len] == ',')) {
            struct hs_writer_cell *cell = &w->cells[w->cell_count++];
            const struct hs_layout_cell *own = layout->cells;
            len = strcspn(at, ",");
            while (own != NULL && own->name != NULL && !is_named(own->name, at, len))
                own++;
            if (own != NULL && own->name != NULL)
                cell->put = own->put;
            else
                for (cell->column = layout->columns; !is_named(cell->column->name, at, len);)
                    cell->column++;
        }
        hs_say(&w->csv.out, "%s\n", layout->header);
        return HS_OK;
    }
    w->state = hs_alloc_zeroed(1, layout->state_size);
    enum hs_status status = layout->begin(w->state, &w->csv, options, diag);
    if (status == HS_OK)
        return HS_OK;
    hs_free(w->state);
    w->file.out = w->csv.out;
    return hs_wholefile_close(&w->file, status, diag);
}

void hs_trace_writer_put(struct hs_trace_writer *w, const struct hs_trace_job *job)
{
    const struct hs_trace_layout *layout = w->layout;
    struct hs_trace_job rounded = *job;
    hs_layout_round(layout, &rounded);
    if (layout->header == NULL) {
        layout->put(w->state, &rounded);
        return;
    }
    for (uint32_t i = 0; i < w->cell_count; i++) {
        if (w->cells[i].put != NULL)
            w->cells[i].put(&w->csv, &rounded);
        else
            put_cell(layout, &w->csv, w->cells[i].column, &rounded);
    }
    hs_csvw_end(&w->csv);
}

enum hs_status hs_trace_writer_close(struct hs_trace_writer *w, enum hs_status status,
                                     struct hs_diag *diag)
{
    enum hs_status ended = w->layout->header == NULL ? w->layout->end(w->state) : HS_OK;
    hs_free(w->state);
    w->file.out = w->csv.out;
    return hs_wholefile_close(&w->file, status != HS_OK ? status : ended, diag);
}

/* ---- writing: what is lost ---- */

void hs_lossy_fields_open(struct hs_lossy_fields *lossy, const struct hs_trace_format *to)
{
    const struct hs_trace_layout *native = hs_trace_format_find("csv")->layout;
    *lossy = (struct hs_lossy_fields){.to = to, .native = native};
    for (uint32_t i = 0; i < native->column_count; i++) {
        size_t member = native->columns[i].offset;
        lossy->held[i] = hs_layout_holds(to->layout, member);
        for (uint32_t k = i + 1; k < native->column_count; k++)
            if (native->columns[k].offset == member)
                lossy->is_alias[i] = true;
    }
}

static bool is_rounded(const struct hs_trace_layout *layout, const struct hs_column *column,
                       const struct hs_trace_job *job)
{
    const char *at = (const char *)job + column->offset;
    int64_t us = 0;
    if (column->kind == HS_CELL_MILLI)
        return layout->cpu_grain > 1 && job->cpus_milli % layout->cpu_grain > 0;
    if (layout->grain_us <= 1)
        return false;
    if (column->kind == HS_CELL_TIME || column->kind == HS_CELL_SPAN)
        memcpy(&us, at, sizeof us);
    for (uint32_t i = 0; column->kind == HS_CELL_ATTEMPTS && i < job->attempts; i++)
        if (job->attempts_us[i] % layout->grain_us > 0)
            us = job->attempts_us[i];
    return us % layout->grain_us > 0;
}

void hs_lossy_fields_count(struct hs_lossy_fields *lossy, const struct hs_trace_job *job)
{
    const struct hs_trace_layout *layout = lossy->to->layout;
    /* the format's word for one outcome may be read as another */
    const char *word = hs_layout_outcome(layout, job->outcome);
    bool is_kept =
        word != NULL && hs_trace_word(&hs_outcome_words, word, strlen(word)) == (int)job->outcome;
    lossy->jobs++;
    for (uint32_t i = 0; i < lossy->native->column_count; i++) {
        const struct hs_column *column = &lossy->native->columns[i];
        /* Whether it is an end that the format does not hold, but its start and run time tell. */
        if (lossy->is_alias[i] || !hs_job_tells(job, column) ||
            (lossy->held[i] == NULL &&
             lossy->native->columns[i].offset == offsetof(struct hs_trace_job, end_us) &&
             hs_layout_holds(lossy->to->layout, offsetof(struct hs_trace_job, start_us)) != NULL &&
             job->end_us == job->start_us + job->duration_us))
            continue;
        if (lossy->held[i] == NULL)
            lossy->lost[i]++;
        else if (column->kind == HS_CELL_FATE)
            lossy->outcomes[job->outcome] += !is_kept;
        else if (layout->keeps != NULL && !layout->keeps(job, column))
            lossy->changed[i]++;
        else if (is_rounded(layout, column, job))
            lossy->rounded[i]++;
    }
}

bool hs_lossy_fields_warn(const struct hs_lossy_fields *lossy, struct hs_diag *diag)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < lossy->native->column_count; i++) {
        const struct hs_column *column = &lossy->native->columns[i];
        bool is_share = column->kind == HS_CELL_SHARE;
        lost += lossy->lost[i] + lossy->rounded[i] + lossy->changed[i];
        hs_warn_some(diag, NULL, lossy->lost[i], lossy->jobs,
                     "jobs lose their %s: the %s format has none%s", column->key, lossy->to->name,
                     is_share ? ", a share becomes a whole GPU" : "");
        hs_warn_some(diag, NULL, lossy->changed[i], lossy->jobs,
                     "jobs: %s is not what the %s format can hold, and reads back as something "
                     "else",
                     column->key, lossy->to->name);
        bool is_time = column->kind != HS_CELL_MILLI;
        hs_warn_some(diag, NULL, lossy->rounded[i], lossy->jobs,
                     "jobs: %s rounded%s to steps of %s %s", column->key, is_time ? "" : " up",
                     is_time ? HS_SECONDS(lossy->to->layout->grain_us)
                             : HS_RATIO(lossy->to->layout->cpu_grain, 1000, 3),
                     is_time ? "s" : "core");
    }
    for (int i = 0; i < HS_OUTCOME_COUNT; i++) {
        const char *word = hs_layout_outcome(lossy->to->layout, (enum hs_outcome)i);
        lost += lossy->outcomes[i];
        hs_warn_some(diag, NULL, lossy->outcomes[i], lossy->jobs,
                     "jobs: outcome '%s' becomes %s, the %s format has no word of its own for it",
                     hs_outcome_text((enum hs_outcome)i), word != NULL ? word : "unknown",
                     lossy->to->name);
    }
    return lost > 0;
}
