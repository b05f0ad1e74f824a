/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The iterator over a trace: reader -> reorder window -> replay (what of it, how fast) -> limit.
 * Every row read ends in exactly one count: accepted, bad, dropped, or still held when a limit ends
 * the trace. A window of 0 or 1 hands rows through without a copy.
 */
#include "traces/trace.h"

#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/memory.h"
#include "traces/reader.h"
#include "traces/reorder.h"
#include "traces/replay.h"
#include "traces/say.h"
#include "traces/tape.h"

#define BAD_MEASURE 1000 /* the tolerated share is of at least so many rows while reading */

struct hs_trace {
    const struct hs_trace_options *options;
    struct hs_diag *diag;
    struct hs_reader reader;
    struct hs_reorder held;
    enum hs_status ended; /* HS_OK while rows may follow */
    bool has_all_rows;
    bool has_first;
    struct hs_replay replay;
    uint64_t accepted, bad;
    int64_t first_us; /* recorded submission of the first row */
    int64_t last_us;  /* of the last row handed on, recorded clock */
    int64_t last_line;
    uint64_t taken; /* jobs of the tape */
};

void hs_trace_options_default(struct hs_trace_options *options)
{
    *options = (struct hs_trace_options){.sort_window = HS_SORT_WINDOW,
                                         .window = {.to_us = INT64_MAX},
                                         .load = 1,
                                         .scale_time = 1,
                                         .sample = 1};
}

enum hs_status hs_trace_open(struct hs_trace **trace, const struct hs_trace_options *options,
                             struct hs_diag *diag)
{
    *trace = NULL;
    struct hs_replay replay;
    HS_TRY(hs_replay_open(&replay, options, diag));
    struct hs_trace *t = hs_alloc_zeroed(1, sizeof *t);
    if (!t)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for a trace");
    t->options = options;
    t->diag = diag;
    t->replay = replay;
    t->last_us = INT64_MIN;
    hs_reorder_init(&t->held);
    if (options->tape != NULL) {
        t->first_us = options->tape->first_us;
        *trace = t;
        return HS_OK;
    }
    enum hs_severity severity = options->skip_bad_permille > 0 ? HS_WARNING : HS_ERROR;
    enum hs_status status = hs_reader_open(&t->reader, options, severity, diag);
    if (status != HS_OK) {
        hs_trace_close(t);
        return status;
    }
    *trace = t;
    return HS_OK;
}

/* "3 not a number, 1 out of range". */
static void list_faults(const struct hs_faults *faults, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int kind = 0; kind < HS_FAULT_COUNT && used < size; kind++)
        if (faults->counts[kind] > 0)
            used += (size_t)snprintf(text + used, size - used, "%s%llu %s", used > 0 ? ", " : "",
                                     (unsigned long long)faults->counts[kind],
                                     hs_fault_text((enum hs_fault)kind));
}

/* More than the tolerated share, of the rows read or of `least` if that is more. */
static enum hs_status check_bad_share(struct hs_trace *t, uint64_t least)
{
    uint64_t rows = t->reader.rows > least ? t->reader.rows : least;
    uint32_t permille = t->options->skip_bad_permille;
    if (t->bad * 1000 <= permille * rows)
        return HS_OK;
    char kinds[512];
    struct hs_place place = {.file = hs_input_path(t->reader.input)};
    list_faults(&t->reader.faults, kinds, sizeof kinds);
    return hs_fail(t->diag, HS_E_INPUT, &place, "`horus trace validate` lists them all",
                   "%llu of %llu rows are bad, more than the %u.%u%% tolerated: %s",
                   (unsigned long long)t->bad, (unsigned long long)t->reader.rows, permille / 10,
                   permille % 10, kinds);
}

/* The next row in file order, bad ones passed over as far as that is allowed. */
static enum hs_status pull(struct hs_trace *t, struct hs_trace_job *job)
{
    for (;;) {
        enum hs_status status = hs_reader_next(&t->reader, job);
        if (status != HS_E_INPUT || !t->reader.faults.is_row_bad)
            return status;
        if (t->options->skip_bad_permille == 0)
            return status;
        t->bad++;
        HS_TRY(check_bad_share(t, BAD_MEASURE));
    }
}

static enum hs_status fail_late(struct hs_trace *t, const struct hs_trace_job *job)
{
    char late[HS_FMT_MAX + 1], hint[160];
    late[hs_fmt_seconds(late, t->last_us - job->submit_us)] = '\0';
    uint64_t window = t->options->sort_window > 0 ? t->options->sort_window : 1;
    snprintf(hint, sizeof hint,
             "%llu rows were held back to sort them: --sort=%llu holds more, --sort=all the whole "
             "trace",
             (unsigned long long)t->options->sort_window, (unsigned long long)window * 8);
    struct hs_place place = hs_reader_place(&t->reader, "submit_time");
    return hs_fail(t->diag, HS_E_INPUT, &place, hint,
                   "job '%s' was submitted %s s before the job of line %lld, which has been "
                   "handed out",
                   job->id, late, (long long)t->last_line);
}

static enum hs_status fail_window(const struct hs_trace *t, enum hs_status status)
{
    return hs_fail(t->diag, status, NULL, "a smaller window: --sort=N",
                   "no memory for %llu rows held back to sort them",
                   (unsigned long long)t->held.count + 1);
}

static enum hs_status fill_window(struct hs_trace *t)
{
    while (!t->has_all_rows && t->held.count < t->options->sort_window) {
        struct hs_trace_job *job = hs_reorder_room(&t->held);
        if (HS_UNLIKELY(job == NULL))
            return fail_window(t, HS_E_MEMORY);
        enum hs_status status = pull(t, job);
        if (status == HS_END) {
            t->has_all_rows = true;
            return HS_OK;
        }
        HS_TRY(status);
        if (HS_UNLIKELY(job->submit_us < t->last_us))
            return fail_late(t, job);
        status = hs_reorder_push(&t->held);
        if (HS_UNLIKELY(status != HS_OK))
            return fail_window(t, status);
    }
    return HS_OK;
}

static enum hs_status next_sorted(struct hs_trace *t, struct hs_trace_job *job)
{
    if (t->options->sort_window <= 1 || t->reader.format->is_sorted) {
        HS_TRY(pull(t, job));
        if (job->submit_us < t->last_us)
            return fail_late(t, job);
    } else {
        HS_TRY(fill_window(t));
        if (!hs_reorder_pop(&t->held, job))
            return HS_END;
    }
    t->last_us = job->submit_us;
    t->last_line = job->line;
    return HS_OK;
}

static enum hs_status fail_no_jobs(struct hs_trace *t)
{
    char reasons[512], hint[80];
    size_t used = 0;
    reasons[0] = '\0';
    for (int i = 0; i < HS_DROP_COUNT && used < sizeof reasons; i++)
        if (t->reader.drops[i] > 0)
            used += (size_t)snprintf(reasons + used, sizeof reasons - used, "%s%llu %s",
                                     used > 0 ? ", " : ": ", (unsigned long long)t->reader.drops[i],
                                     hs_drop_texts[i]);
    struct hs_place place = {.file = hs_input_path(t->reader.input)};
    if (t->has_first)
        (void)snprintf(hint, sizeof hint, "the first submission is at %s",
                       hs_figure_clock(t->first_us).text);
    return hs_fail(t->diag, HS_E_INPUT, &place, t->has_first ? hint : NULL,
                   "no job to replay in %llu rows%s", (unsigned long long)t->reader.rows, reasons);
}

static enum hs_status finish(struct hs_trace *t)
{
    HS_TRY(check_bad_share(t, 0));
    if (t->bad > 0) {
        char kinds[512];
        struct hs_place place = {.file = hs_input_path(t->reader.input)};
        list_faults(&t->reader.faults, kinds, sizeof kinds);
        hs_report(t->diag, HS_WARNING, &place, NULL, "passed over %llu bad rows of %llu: %s",
                  (unsigned long long)t->bad, (unsigned long long)t->reader.rows, kinds);
    }
    return t->accepted == 0 ? fail_no_jobs(t) : HS_END;
}

static enum hs_status next_recorded(struct hs_trace *t, struct hs_trace_job *job)
{
    const struct hs_trace_options *o = t->options;
    if (o->tape != NULL) {
        if (t->taken == o->tape->count)
            return HS_END;
        *job = o->tape->jobs[t->taken++];
        return HS_OK;
    }
    for (;;) {
        if (o->max_jobs > 0 && t->accepted == o->max_jobs)
            return HS_END;
        HS_TRY(next_sorted(t, job));
        if (!t->has_first) {
            t->first_us = job->submit_us;
            t->has_first = true;
        }
        if (hs_replay_is_behind(&t->replay, t->first_us, job->submit_us))
            return HS_END;
        if (hs_replay_is_before(&t->replay, t->first_us, job->submit_us))
            t->reader.drops[HS_DROP_WINDOW]++;
        else if (!hs_replay_samples(&t->replay, job->id))
            t->reader.drops[HS_DROP_SAMPLE]++;
        else
            return HS_OK;
    }
}

static enum hs_status next_wanted(struct hs_trace *t, struct hs_trace_job *job)
{
    HS_TRY(next_recorded(t, job));
    HS_TRY(hs_replay_move(&t->replay, t->first_us, job, t->diag));
    t->accepted++;
    return HS_OK;
}

enum hs_status hs_trace_next(struct hs_trace *trace, struct hs_trace_job *job)
{
    if (trace->ended != HS_OK)
        return trace->ended;
    enum hs_status status = next_wanted(trace, job);
    if (HS_LIKELY(status == HS_OK))
        return HS_OK;
    trace->ended = status;
    if (status == HS_END && trace->options->tape == NULL)
        trace->ended = finish(trace);
    return trace->ended;
}

static enum hs_status source_next(void *ctx, struct hs_trace_job *out)
{
    return hs_trace_next(ctx, out);
}

struct hs_job_source hs_trace_source(struct hs_trace *trace)
{
    return (struct hs_job_source){.next = source_next, .ctx = trace};
}

const char *hs_trace_format_name(const struct hs_trace *trace)
{
    const struct hs_tape *tape = trace->options->tape;
    return tape != NULL ? tape->format : trace->reader.format->name;
}

/* As they were when the tape was recorded and the last job handed out was that one. */
static void tape_counts(const struct hs_trace *trace, struct hs_trace_counts *counts)
{
    const struct hs_tape *tape = trace->options->tape;
    bool is_over = trace->ended == HS_END;
    *counts = (struct hs_trace_counts){.accepted = trace->accepted,
                                       .drop_texts = hs_drop_texts,
                                       .drops = trace->reader.drops,
                                       .drop_kinds = HS_DROP_COUNT};
    if (trace->taken == 0)
        return;
    const struct hs_tape_mark *mark = &tape->marks[is_over ? tape->count : trace->taken - 1];
    counts->rows = mark->rows;
    counts->reordered = mark->reordered;
    counts->rounded = mark->rounded;
    counts->folded = mark->folded;
    counts->drops = tape->drops[mark->drops].counts;
}

void hs_trace_get_counts(const struct hs_trace *trace, struct hs_trace_counts *counts)
{
    if (trace->options->tape != NULL) {
        tape_counts(trace, counts);
        return;
    }
    *counts = (struct hs_trace_counts){.rows = trace->reader.rows,
                                       .accepted = trace->accepted,
                                       .bad = trace->bad,
                                       .reordered = trace->held.reordered,
                                       .rounded = trace->reader.rounded,
                                       .folded = trace->reader.folded,
                                       .drop_texts = hs_drop_texts,
                                       .drops = trace->reader.drops,
                                       .drop_kinds = HS_DROP_COUNT};
}

const char *hs_trace_path(const struct hs_trace *trace)
{
    bool is_taped = trace->options->tape != NULL;
    return is_taped ? trace->options->path : hs_input_path(trace->reader.input);
}

int64_t hs_trace_first_us(const struct hs_trace *trace)
{
    return trace->first_us;
}

double hs_trace_expected(const struct hs_trace *trace)
{
    const struct hs_trace_options *o = trace->options;
    const double sample_min = 1000; /* of fewer the rows read ahead in blocks would be too many */
    uint64_t done = 0, total = 0;
    if (o->tape != NULL)
        return (double)o->tape->count;
    if (trace->ended != HS_OK)
        return (double)trace->accepted;
    const struct hs_trace_format *format = trace->reader.format;
    hs_input_progress(trace->reader.input, &done, &total);
    double jobs = (double)(trace->accepted + trace->held.count);
    bool is_known = jobs >= sample_min && done > 0 && total > 0;
    if (format->rows != NULL)
        jobs = (double)format->rows(trace->reader.state) * o->sample;
    else
        jobs = is_known ? jobs * (double)total / (double)done : 0;
    bool is_limited = o->max_jobs > 0 && (jobs == 0 || jobs > (double)o->max_jobs);
    return is_limited ? (double)o->max_jobs : jobs;
}

enum hs_status hs_trace_identity(struct hs_trace *trace, uint64_t *hash, uint64_t *bytes)
{
    const struct hs_tape *tape = trace->options->tape;
    struct hs_input *input = trace->reader.input;
    const char *data;
    size_t len;
    enum hs_status status = HS_OK;
    if (tape == NULL)
        while ((status = hs_input_read(input, &data, &len)) == HS_OK)
            ;
    *hash = tape != NULL ? tape->hash : hs_input_hash(input);
    *bytes = tape != NULL ? tape->bytes : hs_input_bytes(input);
    return status == HS_END ? HS_OK : status;
}

void hs_trace_close(struct hs_trace *trace)
{
    if (!trace)
        return;
    hs_reader_close(&trace->reader);
    hs_reorder_free(&trace->held);
    hs_replay_close(&trace->replay);
    hs_free(trace);
}
