/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The iterator over a trace: reader -> window that restores order -> window of time and sample ->
 * limit -> load and scale of time. Or a trace that is already in memory. A sorted format, and a
 * window of 0 or 1 row, pass rows through without a copy. O(1) a row in order, O(log window) a late
 * one.
 */
#include "traces/trace_stream.h"

#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/memory.h"
#include "traces/reader.h"
#include "traces/reorder.h"
#include "traces/replay.h"
#include "traces/trace_cache.h"
#include "traces/trace_report.h"

#define BAD_MEASURE 1000 /* the tolerated share is of at least so many rows while reading */

struct hs_trace {
    const struct hs_trace_options *options;
    struct hs_diag *diag;
    struct hs_replay replay;
    struct hs_reader reader;
    struct hs_reorder held;
    struct hs_trace_job row; /* passed through, or copied from the cache, which is shared */
    bool has_all_rows, has_first;
    int64_t first_us; /* recorded submission of the first row */
    int64_t last_us;  /* of the last row in order */
    int64_t last_line;
    uint64_t bad;         /* rows passed over */
    uint64_t accepted;    /* jobs handed out */
    enum hs_status ended; /* HS_OK while jobs may follow */
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
    const enum hs_severity severity = options->skip_bad_permille > 0 ? HS_WARNING : HS_ERROR;
    *trace = NULL;
    struct hs_replay replay;
    HS_TRY(hs_replay_open(&replay, options, diag));
    struct hs_trace *t = hs_alloc_zeroed(1, sizeof *t);
    t->options = options;
    t->diag = diag;
    t->replay = replay;
    t->last_us = INT64_MIN;
    hs_reorder_init(&t->held);
    if (options->trace_cache == NULL) {
        enum hs_status status = hs_reader_open(&t->reader, options, severity, diag);
        if (status != HS_OK) {
            hs_trace_close(t);
            return status;
        }
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
    uint64_t rows = t->reader.counts.rows > least ? t->reader.counts.rows : least;
    uint32_t permille = t->options->skip_bad_permille;
    if (t->bad * 1000 <= permille * rows)
        return HS_OK;
    char kinds[512];
    struct hs_place place = {.file = hs_input_path(t->reader.input)};
    list_faults(&t->reader.faults, kinds, sizeof kinds);
    return hs_fail(t->diag, HS_E_INPUT, &place, "`horus trace validate` lists them all",
                   "%llu of %llu rows are bad, more than the %u.%u%% tolerated: %s",
                   (unsigned long long)t->bad, (unsigned long long)t->reader.counts.rows,
                   permille / 10, permille % 10, kinds);
}

/* The next row in file order; bad ones are passed over as far as that is allowed. */
HS_INLINE enum hs_status pull(struct hs_trace *t, struct hs_trace_job *job)
{
    for (;;) {
        enum hs_status status = hs_reader_next(&t->reader, job);
        if (HS_LIKELY(status != HS_E_INPUT || !t->reader.faults.is_row_bad) ||
            t->options->skip_bad_permille == 0)
            return status;
        t->bad++;
        HS_TRY(check_bad_share(t, BAD_MEASURE));
    }
}

static HS_COLD enum hs_status fail_late(struct hs_trace *t, const struct hs_trace_job *job)
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

static enum hs_status fill_window(struct hs_trace *t)
{
    while (!t->has_all_rows && t->held.count < t->options->sort_window) {
        struct hs_trace_job *job = hs_reorder_room(&t->held);
        enum hs_status status = pull(t, job);
        if (status == HS_END) {
            t->has_all_rows = true;
            return HS_OK;
        }
        if (status == HS_OK && HS_UNLIKELY(job->submit_us < t->last_us))
            return fail_late(t, job);
        HS_TRY(status);
        hs_reorder_push(&t->held);
    }
    return HS_OK;
}

/* The next row in order of submission. */
HS_INLINE enum hs_status next_in_order(struct hs_trace *t, struct hs_trace_job **job)
{
    if (t->options->sort_window > 1 && !t->reader.format->is_sorted) {
        HS_TRY(fill_window(t));
        *job = hs_reorder_pop(&t->held);
        return *job != NULL ? HS_OK : HS_END;
    }
    *job = &t->row;
    HS_TRY(pull(t, *job));
    return HS_LIKELY(t->row.submit_us >= t->last_us) ? HS_OK : fail_late(t, *job);
}

/* The next job inside the window of time, the sample and the limit, at its recorded times. */
static enum hs_status next_wanted(struct hs_trace *t, struct hs_trace_job **job)
{
    for (;;) {
        if (t->options->max_jobs > 0 && t->accepted == t->options->max_jobs)
            return HS_END;
        HS_TRY(next_in_order(t, job));
        t->last_us = (*job)->submit_us;
        t->last_line = (*job)->line;
        if (HS_UNLIKELY(!t->has_first)) {
            t->first_us = t->last_us;
            t->has_first = true;
        }
        if (hs_replay_is_behind(&t->replay, t->first_us, t->last_us))
            return HS_END;
        if (hs_replay_is_before(&t->replay, t->first_us, t->last_us))
            t->reader.counts.drops[HS_DROP_WINDOW]++;
        else if (!hs_replay_samples(&t->replay, (*job)->id))
            t->reader.counts.drops[HS_DROP_SAMPLE]++;
        else
            return HS_OK;
    }
}

static HS_APART enum hs_status next_cached(struct hs_trace *t, struct hs_trace_job **job)
{
    const struct hs_trace_cache *cache = t->options->trace_cache;
    if (t->accepted == cache->count)
        return HS_END;
    t->row = cache->jobs[t->accepted];
    *job = &t->row;
    return HS_OK;
}

static enum hs_status fail_no_jobs(struct hs_trace *t)
{
    char reasons[512], hint[80];
    size_t used = 0;
    reasons[0] = '\0';
    for (int i = 0; i < HS_DROP_COUNT && used < sizeof reasons; i++)
        if (t->reader.counts.drops[i] > 0)
            used += (size_t)snprintf(
                reasons + used, sizeof reasons - used, "%s%llu %s", used > 0 ? ", " : ": ",
                (unsigned long long)t->reader.counts.drops[i], hs_drop_texts[i]);
    struct hs_place place = {.file = hs_input_path(t->reader.input)};
    if (t->has_first)
        (void)snprintf(hint, sizeof hint, "the first submission is at %s",
                       hs_figure_clock(t->first_us).text);
    return hs_fail(t->diag, HS_E_INPUT, &place, t->has_first ? hint : NULL,
                   "no job to replay in %llu rows%s", (unsigned long long)t->reader.counts.rows,
                   reasons);
}

/* At the end of the file: reports the bad rows, and fails where they are more than is tolerated or
 * where no job is left; else HS_END. */
static enum hs_status finish(struct hs_trace *t)
{
    HS_TRY(check_bad_share(t, 0));
    if (t->bad > 0) {
        char kinds[512];
        struct hs_place place = {.file = hs_input_path(t->reader.input)};
        list_faults(&t->reader.faults, kinds, sizeof kinds);
        hs_report(t->diag, HS_WARNING, &place, NULL, "passed over %llu bad rows of %llu: %s",
                  (unsigned long long)t->bad, (unsigned long long)t->reader.counts.rows, kinds);
    }
    return t->accepted == 0 ? fail_no_jobs(t) : HS_END;
}

enum hs_status hs_trace_next(struct hs_trace *trace, struct hs_trace_job **job)
{
    struct hs_trace *t = trace;
    const bool is_cached = t->options->trace_cache != NULL;
    if (t->ended != HS_OK)
        return t->ended;
    enum hs_status status = HS_UNLIKELY(is_cached) ? next_cached(t, job) : next_wanted(t, job);
    if (status == HS_OK && HS_UNLIKELY(t->replay.moves))
        status = hs_replay_move(&t->replay, hs_trace_first_us(t), *job, t->diag);
    if (HS_LIKELY(status == HS_OK)) {
        t->accepted++;
        return HS_OK;
    }
    t->ended = status == HS_END && !is_cached ? finish(t) : status;
    return t->ended;
}

static enum hs_status source_next(void *ctx, struct hs_trace_job **job)
{
    return hs_trace_next(ctx, job);
}

struct hs_job_source hs_trace_source(struct hs_trace *trace)
{
    return (struct hs_job_source){.next = source_next, .ctx = trace};
}

const char *hs_trace_format_name(const struct hs_trace *trace)
{
    const struct hs_trace_cache *cache = trace->options->trace_cache;
    return cache != NULL ? cache->format : trace->reader.format->name;
}

/* Of a cached trace: as counted when its last job of `accepted` was handed out. */
void hs_trace_get_counts(const struct hs_trace *trace, struct hs_trace_counts *counts)
{
    const struct hs_trace_cache *cache = trace->options->trace_cache;
    const struct hs_reader_counts *read = &trace->reader.counts;
    *counts = (struct hs_trace_counts){.rows = read->rows,
                                       .accepted = trace->accepted,
                                       .bad = trace->bad,
                                       .reordered = trace->held.reordered,
                                       .rounded = read->rounded,
                                       .folded = read->folded,
                                       .drop_texts = hs_drop_texts,
                                       .drops = read->drops,
                                       .drop_kinds = HS_DROP_COUNT};
    if (cache == NULL || trace->accepted == 0)
        return;
    const struct hs_trace_cache_mark *mark =
        &cache->marks[trace->ended == HS_END ? cache->count : trace->accepted - 1];
    counts->rows = mark->rows;
    counts->reordered = mark->reordered;
    counts->rounded = mark->rounded;
    counts->folded = mark->folded;
    counts->drops = cache->drops[mark->drops].counts;
}

const char *hs_trace_path(const struct hs_trace *trace)
{
    bool is_cached = trace->options->trace_cache != NULL;
    return is_cached ? trace->options->path : hs_input_path(trace->reader.input);
}

int64_t hs_trace_first_us(const struct hs_trace *trace)
{
    const struct hs_trace_cache *trace_cache = trace->options->trace_cache;
    return trace_cache != NULL ? trace_cache->first_us : trace->first_us;
}

double hs_trace_expected(const struct hs_trace *trace)
{
    const struct hs_trace_options *o = trace->options;
    const double sample_min = 1000; /* of fewer the rows read ahead in blocks would be too many */
    uint64_t done = 0, total = 0;
    if (o->trace_cache != NULL)
        return (double)o->trace_cache->count;
    if (trace->ended != HS_OK)
        return (double)trace->accepted;
    const struct hs_reader *reader = &trace->reader;
    hs_input_progress(reader->input, &done, &total);
    double jobs = (double)(trace->accepted + trace->held.count);
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
    const struct hs_trace_cache *trace_cache = trace->options->trace_cache;
    struct hs_input *input = trace->reader.input;
    const char *data;
    size_t len;
    enum hs_status status = HS_OK;
    if (trace_cache == NULL)
        while ((status = hs_input_read(input, &data, &len)) == HS_OK)
            ;
    *hash = trace_cache != NULL ? trace_cache->hash : hs_input_hash(input);
    *bytes = trace_cache != NULL ? trace_cache->bytes : hs_input_bytes(input);
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
