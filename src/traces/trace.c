/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The iterator over a trace: line-up (what of it, in order) -> replay (how fast), or a tape.
 */
#include "traces/trace.h"

#include "base/memory.h"
#include "traces/lineup.h"
#include "traces/tape.h"

struct hs_trace {
    const struct hs_trace_options *options;
    struct hs_diag *diag;
    struct hs_lineup lineup;
    enum hs_status ended; /* HS_OK while jobs may follow */
    struct hs_replay replay;
    struct hs_trace_job taped; /* others have the tape too */
    uint64_t accepted;         /* jobs handed out */
    uint64_t taken;            /* of them, from the tape */
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
    enum hs_status status = HS_OK;
    if (options->tape == NULL)
        status = hs_lineup_open(&t->lineup, options, &t->replay, diag);
    if (status == HS_OK)
        *trace = t;
    else
        hs_trace_close(t);
    return status;
}

static HS_APART enum hs_status next_taped(struct hs_trace *t, struct hs_trace_job **job)
{
    const struct hs_tape *tape = t->options->tape;
    if (t->taken == tape->count)
        return HS_END;
    t->taped = tape->jobs[t->taken++];
    *job = &t->taped;
    return HS_OK;
}

static enum hs_status next_wanted(struct hs_trace *t, struct hs_trace_job **job)
{
    const bool is_taped = t->options->tape != NULL;
    HS_TRY(HS_UNLIKELY(is_taped) ? next_taped(t, job) : hs_lineup_next(&t->lineup, job));
    if (HS_UNLIKELY(t->replay.moves))
        HS_TRY(hs_replay_move(&t->replay, hs_trace_first_us(t), *job, t->diag));
    t->accepted++;
    return HS_OK;
}

static HS_COLD enum hs_status trace_end(struct hs_trace *t, enum hs_status status)
{
    t->ended = status;
    if (status == HS_END && t->options->tape == NULL)
        t->ended = hs_lineup_finish(&t->lineup);
    return t->ended;
}

enum hs_status hs_trace_next(struct hs_trace *trace, struct hs_trace_job **job)
{
    if (trace->ended != HS_OK)
        return trace->ended;
    enum hs_status status = next_wanted(trace, job);
    return HS_LIKELY(status == HS_OK) ? HS_OK : trace_end(trace, status);
}

static enum hs_status source_next(void *ctx, struct hs_trace_job **job)
{
    return hs_trace_next(ctx, job);
}

static const struct hs_trace_job *source_peek(void *ctx)
{
    const struct hs_trace *trace = ctx;
    return hs_lineup_peek(&trace->lineup);
}

struct hs_job_source hs_trace_source(struct hs_trace *trace)
{
    return (struct hs_job_source){.next = source_next, .ctx = trace, .peek = source_peek};
}

const char *hs_trace_format_name(const struct hs_trace *trace)
{
    const struct hs_tape *tape = trace->options->tape;
    return tape != NULL ? tape->format : trace->lineup.reader.format->name;
}

/* As they were when the tape was recorded and the last job handed out was that one. */
static void tape_counts(const struct hs_trace *trace, struct hs_trace_counts *counts)
{
    const struct hs_tape *tape = trace->options->tape;
    bool is_over = trace->ended == HS_END;
    *counts = (struct hs_trace_counts){.accepted = trace->accepted,
                                       .drop_texts = hs_drop_texts,
                                       .drops = trace->lineup.reader.counts.drops,
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
    const struct hs_lineup_counts counted = hs_lineup_counted(&trace->lineup);
    *counts = (struct hs_trace_counts){.rows = counted.read->rows,
                                       .accepted = trace->accepted,
                                       .bad = counted.bad,
                                       .reordered = counted.reordered,
                                       .rounded = counted.read->rounded,
                                       .folded = counted.read->folded,
                                       .drop_texts = hs_drop_texts,
                                       .drops = counted.read->drops,
                                       .drop_kinds = HS_DROP_COUNT};
}

const char *hs_trace_path(const struct hs_trace *trace)
{
    bool is_taped = trace->options->tape != NULL;
    return is_taped ? trace->options->path : hs_input_path(trace->lineup.reader.input);
}

int64_t hs_trace_first_us(const struct hs_trace *trace)
{
    const struct hs_tape *tape = trace->options->tape;
    return tape != NULL ? tape->first_us : trace->lineup.first_us;
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
    const struct hs_reader *reader = &trace->lineup.reader;
    hs_input_progress(reader->input, &done, &total);
    double jobs = (double)(trace->lineup.taken + trace->lineup.held.count);
    bool is_known = jobs >= sample_min && done > 0 && total > 0;
    if (reader->format->rows != NULL)
        jobs = (double)reader->format->rows(reader->state) * o->sample;
    else
        jobs = is_known ? jobs * (double)total / (double)done : 0;
    bool is_limited = o->max_jobs > 0 && (jobs == 0 || jobs > (double)o->max_jobs);
    return is_limited ? (double)o->max_jobs : jobs;
}

enum hs_status hs_trace_identity(struct hs_trace *trace, uint64_t *hash, uint64_t *bytes)
{
    const struct hs_tape *tape = trace->options->tape;
    struct hs_input *input = trace->lineup.reader.input;
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
    hs_lineup_close(&trace->lineup);
    hs_replay_close(&trace->replay);
    hs_free(trace);
}
