/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The iterator over a trace: reader -> window that restores order -> time window and sample ->
 * limit -> load and time scale. Or over a trace in memory, which was recorded through the same
 * iterator, so that sorting, dropping and limits have one implementation. A sorted format, and a
 * window of 0 or 1 row, pass rows through without a copy.
 *
 * Buffered rows are returned in order of (submit, row): rows that arrive in order are in a ring
 * buffer, late ones in a heap. Invariant: the ring is ascending; all other buffered rows are in the
 * heap; the first row is the smaller of the two heads. O(1) per row in order, O(log window) per
 * late row; no allocation once the window and its texts have their size.
 *
 * Load and scale are whole multiples of 10^-9, and each time is scaled separately, in 128 bits,
 * submissions relative to the first row: errors do not accumulate. A time above 0 remains at least
 * a microsecond.
 */
#include "traces/trace_stream.h"

#include <stdio.h>

#include "base/heap.h"
#include "base/intern.h"
#include "base/rng.h"
#include "traces/format.h"

#define ONE         UINT64_C(1000000000)                            /* load and scale of 1 */
#define JOBS_MAX    (UINT64_C(1) << 31)                             /* of a cache */
#define CALENDAR_US (INT64_C(7305) * 86400 * HS_TRACE_TIME_UNIT_US) /* 1990-01-01 */

/* ---- the reorder window ---- */

#define ROWS_MAX    (UINT32_C(1) << 31)
#define FETCH_AHEAD 4                   /* distance of prefetching, rows */
#define TEXT_MAX    (UINT32_C(1) << 24) /* of one row: 8 CSV fields of at most 1 MiB */
#define TEXT_ROOM   56                  /* enough for most rows; longer texts are allocated */

struct reorder_slot {
    struct hs_trace_job job;
    uint64_t row;
    int64_t *attempts_us;
    struct hs_deadline_option *options;
    char *long_text;
    uint32_t attempts_cap, options_cap, long_cap;
    uint32_t next_free; /* as reorder.free */
    char text[TEXT_ROOM];
};

struct reorder {
    struct hs_arena arena; /* of the slots */
    struct reorder_slot **slots;
    uint32_t *ring; /* slots in order of (submit, row); a power of two long */
    uint32_t slots_cap, ring_cap;
    uint32_t slot_count;
    uint32_t free; /* first free slot + 1; 0 = none */
    uint32_t ring_head, ring_count;
    int64_t newest_us; /* submission of the last row in the ring */
    struct hs_heap late;
    uint32_t out;   /* slot + 1 of the row that the caller uses; 0 = none */
    uint64_t count; /* rows held */
    uint64_t pushed;
    uint64_t next_row;  /* number of the row after the latest one returned */
    uint64_t reordered; /* rows returned after a row that came later */
};

/* Returns the record for the next push. Slots never move, because they contain texts. */
static struct hs_trace_job *reorder_room(struct reorder *r)
{
    if (HS_UNLIKELY(r->free == 0)) {
        hs_grow(r->slots, r->slots_cap, (uint64_t)r->slot_count + 1, ROWS_MAX);
        r->slots[r->slot_count] = hs_arena_alloc(&r->arena, sizeof **r->slots);
        r->free = ++r->slot_count;
    }
    return &r->slots[r->free - 1]->job;
}

/* Copies the texts; returns false if they do not fit. */
static bool keep_texts(struct hs_trace_job *job, char *at, size_t room)
{
    HS_UNROLL
    for (int i = 0; i < HS_JOB_TEXTS; i++) {
        if (job->texts[i] == NULL)
            continue;
        size_t size = strlen(job->texts[i]) + 1;
        if (HS_UNLIKELY(size > room))
            return false;
        job->texts[i] = memcpy(at, job->texts[i], size);
        at += size;
        room -= size;
    }
    return true;
}

/* Inserts the record last returned by reorder_room, and copies its borrowed texts. */
static void reorder_push(struct reorder *r)
{
    const uint32_t id = r->free - 1;
    struct reorder_slot *slot = r->slots[id];
    struct hs_trace_job *job = &slot->job;
    if (HS_UNLIKELY(r->ring_count == r->ring_cap)) {
        uint32_t old = r->ring_cap;
        hs_grow(r->ring, r->ring_cap, old ? 2 * (uint64_t)old : 64, ROWS_MAX);
        /* it was full: moves wrapped entries after the old end */
        memcpy(r->ring + old, r->ring, r->ring_head * sizeof *r->ring);
    }
    if (HS_UNLIKELY(!keep_texts(job, slot->text, sizeof slot->text))) {
        size_t need = 0; /* some texts may already be in slot->text */
        for (int i = 0; i < HS_JOB_TEXTS; i++)
            need += job->texts[i] != NULL ? strlen(job->texts[i]) + 1 : 0;
        hs_grow(slot->long_text, slot->long_cap, need, TEXT_MAX);
        (void)keep_texts(job, slot->long_text, need);
    }
    if (HS_UNLIKELY(job->attempts > 0)) {
        hs_grow(slot->attempts_us, slot->attempts_cap, job->attempts, UINT32_MAX);
        memcpy(slot->attempts_us, job->attempts_us, job->attempts * sizeof *slot->attempts_us);
        job->attempts_us = slot->attempts_us;
    }
    if (HS_UNLIKELY(job->option_count > 0)) {
        hs_grow(slot->options, slot->options_cap, job->option_count, HS_DEADLINE_OPTIONS_MAX);
        memcpy(slot->options, job->options, job->option_count * sizeof *slot->options);
        job->options = slot->options;
    }
    r->free = slot->next_free;
    slot->row = r->pushed++;
    r->count++;
    if (HS_UNLIKELY(r->ring_count > 0 && job->submit_us < r->newest_us)) {
        hs_heap_set(&r->late, id, job->submit_us, slot->row);
        return;
    }
    r->ring[(r->ring_head + r->ring_count++) & (r->ring_cap - 1)] = id;
    r->newest_us = job->submit_us;
}

/* Removes the first row from the heap if it precedes the first row of the ring. */
static HS_APART bool pop_late(struct reorder *r, uint32_t *slot)
{
    *slot = hs_heap_next_id(&r->late);
    const struct reorder_slot *late = r->slots[*slot];
    if (r->ring_count > 0) {
        const struct reorder_slot *head = r->slots[r->ring[r->ring_head]];
        if (late->job.submit_us > head->job.submit_us ||
            (late->job.submit_us == head->job.submit_us && late->row > head->row))
            return false;
    }
    hs_heap_remove(&r->late, *slot);
    return true;
}

/* Returns the first buffered row, valid until the next pop; NULL if there is none. */
static struct hs_trace_job *reorder_pop(struct reorder *r)
{
    uint32_t slot;
    if (r->count == 0)
        return NULL;
    if (HS_LIKELY(r->late.count == 0) || !pop_late(r, &slot)) {
        slot = r->ring[r->ring_head];
        r->ring_head = (r->ring_head + 1) & (r->ring_cap - 1);
        r->ring_count--;
    }
    r->count--;
    if (r->out != 0) {
        r->slots[r->out - 1]->next_free = r->free;
        r->free = r->out;
    }
    r->out = slot + 1;
    /* The window is larger than a cache, and a row was last accessed one window ago. */
    if (r->ring_count > FETCH_AHEAD)
        hs_prefetch(r->slots[r->ring[(r->ring_head + FETCH_AHEAD) & (r->ring_cap - 1)]],
                    sizeof(struct reorder_slot));
    struct reorder_slot *first = r->slots[slot];
    if (first->row < r->next_row)
        r->reordered++;
    else
        r->next_row = first->row + 1;
    return &first->job;
}

static void reorder_free(struct reorder *r)
{
    for (uint32_t i = 0; i < r->slot_count; i++) {
        hs_free(r->slots[i]->long_text);
        hs_free(r->slots[i]->attempts_us);
        hs_free(r->slots[i]->options);
    }
    hs_arena_free(&r->arena);
    hs_free(r->slots);
    hs_free(r->ring);
    hs_heap_free(&r->late);
}

/* ---- the iterator ---- */

/* The counts when a job was returned. */
struct cache_mark {
    uint64_t rows;
    uint64_t others; /* index into counts */
};

struct hs_trace_cache {
    struct hs_arena texts;  /* ids and attempts */
    struct hs_intern names; /* all other texts */
    struct hs_trace_job *jobs;
    struct cache_mark *marks;       /* of each job, and a last one for the end of the trace */
    struct hs_trace_counts *counts; /* each distinct set, without rows and accepted */
    uint32_t jobs_cap, marks_cap, counts_cap, counts_count;
    uint64_t count;
    int64_t first_us; /* recorded submission of the first row */
    uint64_t hash, bytes;
    const char *format; /* name */
};

struct hs_trace {
    const struct hs_trace_options *options;
    struct hs_diag *diag;
    uint64_t load, scale;            /* in units of 10^-9 */
    uint64_t sample;                 /* jobs with a hash below are kept; UINT64_MAX = all */
    uint64_t sample_seed;            /* of these hashes */
    struct hs_attempt_list attempts; /* of the job that was scaled last */
    struct hs_deadline_option moved[HS_DEADLINE_OPTIONS_MAX]; /* its options */
    struct hs_reader reader;
    const char *path, *format; /* name */
    struct reorder held;
    struct hs_trace_job row; /* passed through, or copied from the shared cache */
    bool has_all_rows, has_first;
    int64_t first_us; /* recorded submission of the first row */
    int64_t last_us;  /* of the last row, in order */
    int64_t last_line;
    enum hs_status ended; /* HS_OK while there may be more jobs */
};

void hs_trace_options_default(struct hs_trace_options *options)
{
    *options = (struct hs_trace_options){.sort_window = HS_SORT_WINDOW,
                                         .window = {.to_us = INT64_MAX},
                                         .load = 1,
                                         .scale_time = 1,
                                         .sample = 1,
                                         .seed = 1};
}

/* false for NaN, too. */
static bool is_factor(double value)
{
    return value >= HS_REPLAY_LEAST && value <= HS_REPLAY_MOST;
}

enum hs_status hs_trace_open(struct hs_trace **trace, const struct hs_trace_options *options,
                             struct hs_diag *diag)
{
    const enum hs_severity severity = options->skip_bad_permille > 0 ? HS_WARNING : HS_ERROR;
    *trace = NULL;
    if (!is_factor(options->load))
        return hs_fail(diag, HS_E_USAGE, NULL, "1 replays as recorded, 2 twice as fast",
                       "load must be between 0.000001 and 1000000");
    if (!is_factor(options->scale_time))
        return hs_fail(diag, HS_E_USAGE, NULL, "1 replays as recorded, 0.1 in a tenth of the time",
                       "scale_time must be between 0.000001 and 1000000");
    if (!(options->sample > 0 && options->sample <= 1))
        return hs_fail(diag, HS_E_USAGE, NULL, "0.1 keeps about every tenth job",
                       "sample_jobs must be above 0, and at most 1");
    struct hs_trace *t = hs_alloc_zeroed(1, sizeof *t);
    t->options = options;
    t->diag = diag;
    t->load = (uint64_t)(options->load * (double)ONE + 0.5);
    t->scale = (uint64_t)(options->scale_time * (double)ONE + 0.5);
    t->sample = options->sample < 1 ? (uint64_t)(options->sample * 0x1p64) : UINT64_MAX;
    t->sample_seed = hs_seed_of(options->seed, "sample of jobs");
    t->last_us = INT64_MIN;
    enum hs_status status = HS_OK;
    if (options->trace_cache != NULL) {
        t->path = options->path;
        t->format = options->trace_cache->format;
        t->first_us = options->trace_cache->first_us;
    } else if ((status = hs_reader_open(&t->reader, options, severity, diag)) == HS_OK) {
        t->path = hs_input_path(t->reader.input);
        t->format = t->reader.format->name;
    }
    if (status == HS_OK)
        *trace = t;
    else
        hs_trace_close(t);
    return status;
}

/* Formats "3 not a number, 1 out of range". */
static void list_faults(const struct hs_faults *faults, char *text, size_t size)
{
    text[0] = '\0';
    for (int kind = 0; kind < HS_FAULT_COUNT; kind++)
        if (faults->counts[kind] > 0)
            hs_append(text, size, "%s%llu %s", text[0] != '\0' ? ", " : "",
                      (unsigned long long)faults->counts[kind], hs_fault_texts[kind].what);
}

/* Fails if bad rows exceed the tolerated share of the rows read, or of `least` if that is more. */
static enum hs_status check_bad_share(struct hs_trace *t, uint64_t least)
{
    const struct hs_trace_counts *counts = &t->reader.counts;
    uint64_t rows = counts->rows > least ? counts->rows : least;
    uint32_t permille = t->options->skip_bad_permille;
    if (counts->bad * 1000 <= permille * rows)
        return HS_OK;
    char kinds[512];
    list_faults(&t->reader.faults, kinds, sizeof kinds);
    return hs_fail(t->diag, HS_E_INPUT, HS_AT({.file = t->path}),
                   "`horus trace validate` lists them all",
                   "%llu of %llu rows are bad, more than the %u.%u%% tolerated: %s",
                   (unsigned long long)counts->bad, (unsigned long long)counts->rows, permille / 10,
                   permille % 10, kinds);
}

static HS_COLD enum hs_status fail_late(struct hs_trace *t, const struct hs_trace_job *job)
{
    char hint[160];
    uint64_t window = t->options->sort_window > 0 ? t->options->sort_window : 1;
    snprintf(hint, sizeof hint,
             "%llu rows were buffered to sort them: --sort=%llu buffers more, --sort=all the whole "
             "trace",
             (unsigned long long)t->options->sort_window, (unsigned long long)window * 8);
    return hs_fail(
        t->diag, HS_E_INPUT, HS_AT(hs_reader_place(&t->reader, "submit_time")), hint,
        "job '%s' was submitted %s s before the job of line %lld, which has already been replayed",
        job->id, HS_SECONDS(t->last_us - job->submit_us), (long long)t->last_line);
}

/* HS_E_INPUT ends the file; its cause was reported only as the warning of a bad row. */
HS_INLINE enum hs_status check_read(struct hs_trace *t, enum hs_status status)
{
    if (HS_LIKELY(status != HS_E_INPUT) || t->diag->errors > 0)
        return status;
    return hs_fail(t->diag, status, HS_AT({.file = t->path}), NULL,
                   "a malformed row cannot be skipped: the rest of the file cannot be read");
}

/* Returns the next row in order of submission; skips bad ones as far as allowed. Rows are read in
 * batches of 1/64 of the window: reading single rows between events of the engine would evict the
 * code of both from the instruction cache. */
HS_INLINE enum hs_status next_in_order(struct hs_trace *t, struct hs_trace_job **job)
{
    const uint64_t window = t->options->sort_window;
    const bool is_held = window > 1 && !t->reader.format->is_sorted;
    if (is_held && t->held.count >= window) {
        *job = reorder_pop(&t->held);
        return HS_OK;
    }
    const uint64_t full = window + window / 64;
    while (!t->has_all_rows && (!is_held || t->held.count < full)) {
        *job = is_held ? reorder_room(&t->held) : &t->row;
        enum hs_status status = hs_reader_next(&t->reader, *job);
        t->has_all_rows = status == HS_END;
        if (t->has_all_rows)
            break;
        if (HS_UNLIKELY(status == HS_E_INPUT && t->reader.faults.is_row_bad &&
                        t->options->skip_bad_permille > 0)) {
            t->reader.counts.bad++;
            HS_TRY(check_bad_share(t, HS_BAD_MEASURE));
            continue;
        }
        HS_TRY(check_read(t, status));
        if (HS_UNLIKELY((*job)->submit_us < t->last_us))
            return fail_late(t, *job);
        if (!is_held)
            return HS_OK;
        reorder_push(&t->held);
    }
    *job = reorder_pop(&t->held);
    return *job != NULL ? HS_OK : HS_END;
}

/* Returns the next job inside the time window, the sample and the limit, with recorded times. */
static enum hs_status next_wanted(struct hs_trace *t, struct hs_trace_job **job)
{
    for (;;) {
        if (t->options->max_jobs > 0 && t->reader.counts.accepted == t->options->max_jobs)
            return HS_END;
        HS_TRY(next_in_order(t, job));
        t->last_us = (*job)->submit_us;
        t->last_line = (*job)->line;
        if (HS_UNLIKELY(!t->has_first)) {
            t->first_us = t->last_us;
            t->has_first = true;
        }
        const struct hs_trace_window *window = &t->options->window;
        if (t->last_us - (window->is_to_date ? 0 : t->first_us) >= window->to_us)
            return HS_END;
        if (t->last_us - (window->is_from_date ? 0 : t->first_us) < window->from_us)
            t->reader.counts.drops[HS_DROP_WINDOW]++;
        else if (t->sample != UINT64_MAX && /* depends only on id and seed */
                 hs_mix64(t->sample_seed, hs_hash_of((*job)->id, strlen((*job)->id))) >= t->sample)
            t->reader.counts.drops[HS_DROP_SAMPLE]++;
        else
            return HS_OK;
    }
}

/* At the end of the file: reports bad rows, and fails if they exceed the tolerated share or no job
 * remains; else returns HS_END. */
static enum hs_status finish(struct hs_trace *t)
{
    const struct hs_trace_counts *counts = &t->reader.counts;
    char reasons[512] = "", hint[80] = "the first submission is at ", clock[HS_CLOCK_TEXT];
    struct hs_place place = {.file = t->path};
    HS_TRY(check_bad_share(t, 0));
    if (counts->bad > 0) {
        list_faults(&t->reader.faults, reasons, sizeof reasons);
        hs_report(t->diag, HS_WARNING, &place, NULL, "skipped %llu bad rows of %llu: %s",
                  (unsigned long long)counts->bad, (unsigned long long)counts->rows, reasons);
    }
    if (counts->accepted > 0)
        return HS_END;
    reasons[0] = '\0';
    for (int i = 0; i < HS_DROP_COUNT; i++)
        if (counts->drops[i] > 0)
            hs_append(reasons, sizeof reasons, "%s%llu %s", reasons[0] != '\0' ? ", " : ": ",
                      (unsigned long long)counts->drops[i], hs_drop_texts[i]);
    hs_append(hint, sizeof hint, "%s", hs_trace_clock_text(clock, t->first_us));
    return hs_fail(t->diag, HS_E_INPUT, &place, t->has_first ? hint : NULL,
                   "no job to replay in %llu rows%s", (unsigned long long)counts->rows, reasons);
}

/* ---- load and scale ---- */

/* Returns us >= 0 times the scale, at most the largest time. */
static int64_t scaled(const struct hs_trace *t, int64_t us)
{
    hs_u128 moved = (hs_u128)(uint64_t)us * t->scale / ONE;
    if (moved == 0 && us > 0)
        return 1;
    return moved < INT64_MAX / 4 ? (int64_t)moved : INT64_MAX / 4;
}

/* Scales all times of the job. HS_E_INPUT beyond 285 years. */
static HS_APART enum hs_status move_job(struct hs_trace *t, struct hs_trace_job *job)
{
    uint64_t offset_us = (uint64_t)(job->submit_us - t->first_us);
    hs_u128 moved = (hs_u128)offset_us * t->scale / t->load;
    int64_t submit_us = t->first_us + (int64_t)(moved < INT64_MAX / 4 ? moved : INT64_MAX / 4);
    if (job->deadline_us >= 0) { /* may precede the submission */
        int64_t left_us = job->deadline_us - job->submit_us;
        left_us = left_us < 0 ? -scaled(t, -left_us) : scaled(t, left_us);
        job->deadline_us = submit_us + left_us > 0 ? submit_us + left_us : 0;
    }
    job->submit_us = submit_us;
    if (t->scale != ONE) {
        job->duration_us = scaled(t, job->duration_us);
        job->later_us = scaled(t, job->later_us);
        /* scales the cumulative sums, so that the total is exact */
        int64_t sum_us = 0, before_us = 0;
        t->attempts.count = 0;
        for (uint32_t i = 0; i < job->attempts; i++, before_us = scaled(t, sum_us)) {
            sum_us += job->attempts_us[i];
            hs_attempts_add(&t->attempts, scaled(t, sum_us) - before_us);
        }
        job->attempts_us = t->attempts.run_us;
        for (uint32_t i = 0; i < job->option_count; i++) {
            t->moved[i] = job->options[i];
            t->moved[i].after_us = scaled(t, job->options[i].after_us);
        }
        job->options = t->moved;
    }
    if (job->submit_us > HS_TRACE_TIME_MAX || job->duration_us > HS_TRACE_TIME_MAX ||
        job->deadline_us > HS_TRACE_TIME_MAX || job->later_us > HS_TRACE_TIME_MAX)
        return hs_fail(t->diag, HS_E_INPUT, NULL, "a larger load, or a smaller scale of time",
                       "job '%s' moves beyond 285 years (2^53 microseconds)", job->id);
    return HS_OK;
}

/* ---- the trace ---- */

enum hs_status hs_trace_next(struct hs_trace *trace, struct hs_trace_job **job)
{
    struct hs_trace *t = trace;
    const struct hs_trace_cache *cache = t->options->trace_cache;
    enum hs_status status = HS_END;
    if (t->ended != HS_OK)
        return t->ended;
    if (HS_LIKELY(cache == NULL)) {
        status = next_wanted(t, job);
    } else if (t->reader.counts.accepted < cache->count) {
        t->row = cache->jobs[t->reader.counts.accepted];
        *job = &t->row;
        status = HS_OK;
    }
    if (status == HS_OK && HS_UNLIKELY(t->load != ONE || t->scale != ONE))
        status = move_job(t, *job);
    if (HS_LIKELY(status == HS_OK)) {
        t->reader.counts.accepted++;
        return HS_OK;
    }
    t->ended = status == HS_END && cache == NULL ? finish(t) : status;
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
    return trace->format;
}

/* For a cached trace: the counts when its last job of `accepted` was returned. */
void hs_trace_get_counts(const struct hs_trace *trace, struct hs_trace_counts *counts)
{
    const struct hs_trace_cache *cache = trace->options->trace_cache;
    const uint64_t accepted = trace->reader.counts.accepted;
    *counts = trace->reader.counts;
    counts->reordered = trace->held.reordered;
    if (cache == NULL || accepted == 0)
        return;
    const struct cache_mark *mark =
        &cache->marks[trace->ended == HS_END ? cache->count : accepted - 1];
    *counts = cache->counts[mark->others];
    counts->rows = mark->rows;
    counts->accepted = accepted;
}

const char *hs_trace_path(const struct hs_trace *trace)
{
    return trace->path;
}

double hs_trace_expected(const struct hs_trace *trace)
{
    const struct hs_trace_options *o = trace->options;
    const double sample_min = 1000; /* with fewer, rows read ahead in blocks would matter */
    uint64_t done = 0, total = 0;
    if (o->trace_cache != NULL)
        return (double)o->trace_cache->count;
    if (trace->ended != HS_OK)
        return (double)trace->reader.counts.accepted;
    const struct hs_reader *reader = &trace->reader;
    hs_input_progress(reader->input, &done, &total);
    double jobs = (double)(trace->reader.counts.accepted + trace->held.count);
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
    reorder_free(&trace->held);
    hs_attempts_free(&trace->attempts);
    hs_free(trace);
}

/* ---- windows and clocks ---- */

/* A bound that is not given is left unchanged. */
static bool read_bound(const char *text, size_t len, int64_t *us, bool *is_date)
{
    if (len == 0)
        return true;
    *is_date = hs_parse_datetime_us(text, len, us, NULL);
    return *is_date || (hs_parse_duration_us(text, len, us) && *us >= 0);
}

enum hs_status hs_trace_window_parse(const char *text, struct hs_trace_window *window,
                                     struct hs_diag *diag)
{
    static const char form[] = "FROM..TO, for example 10d..20d, 2017-10-01..2017-12-01 or ..12h";
    const char *dots = strstr(text, "..");
    *window = (struct hs_trace_window){.to_us = INT64_MAX};
    if (dots == NULL ||
        !read_bound(text, (size_t)(dots - text), &window->from_us, &window->is_from_date) ||
        !read_bound(dots + 2, strlen(dots + 2), &window->to_us, &window->is_to_date))
        return hs_fail(diag, HS_E_USAGE, NULL, form,
                       "window is not two times or dates with '..' between: '%s'", text);
    bool is_open = window->to_us == INT64_MAX;
    if (!is_open && window->is_from_date == window->is_to_date && window->from_us >= window->to_us)
        return hs_fail(diag, HS_E_USAGE, NULL, form, "the window ends before it begins: '%s'",
                       text);
    return HS_OK;
}

const char *hs_trace_clock_text(char text[HS_CLOCK_TEXT], int64_t us)
{
    text[us < CALENDAR_US ? hs_fmt_seconds(text, us) : hs_fmt_datetime(text, us)] = '\0';
    return text;
}

/* ---- traces in memory ---- */

/* Stores the current counts; most jobs share all except the rows. */
static void keep_mark(struct hs_trace_cache *cache, const struct hs_trace *trace, uint64_t index)
{
    struct hs_trace_counts counts;
    hs_trace_get_counts(trace, &counts);
    hs_grow(cache->marks, cache->marks_cap, index + 1, JOBS_MAX);
    cache->marks[index].rows = counts.rows;
    counts.rows = counts.accepted = 0;
    if (cache->counts_count == 0 ||
        memcmp(&cache->counts[cache->counts_count - 1], &counts, sizeof counts) != 0) {
        *hs_push(cache->counts, cache->counts_count, cache->counts_cap, JOBS_MAX) = counts;
    }
    cache->marks[index].others = cache->counts_count - 1;
}

static enum hs_status keep_all(struct hs_trace_cache *trace_cache, struct hs_trace *trace)
{
    struct hs_trace_job *job;
    enum hs_status status;
    while ((status = hs_trace_next(trace, &job)) == HS_OK) {
        if (trace_cache->count + 1 == JOBS_MAX)
            return HS_E_LIMIT;
        hs_grow(trace_cache->jobs, trace_cache->jobs_cap, trace_cache->count + 1, JOBS_MAX);
        struct hs_trace_job *kept = &trace_cache->jobs[trace_cache->count];
        *kept = *job;
        kept->id = hs_arena_text(&trace_cache->texts, job->id, strlen(job->id));
        for (int i = 1; i < HS_JOB_TEXTS; i++)
            if (kept->texts[i] != NULL)
                kept->texts[i] = hs_intern_text(&trace_cache->names,
                                                hs_intern_get(&trace_cache->names, job->texts[i]));
        if (job->attempts > 0) {
            size_t size = job->attempts * sizeof *job->attempts_us;
            kept->attempts_us =
                memcpy(hs_arena_alloc(&trace_cache->texts, size), job->attempts_us, size);
        }
        if (job->option_count > 0) {
            size_t size = job->option_count * sizeof *job->options;
            kept->options = memcpy(hs_arena_alloc(&trace_cache->texts, size), job->options, size);
        }
        keep_mark(trace_cache, trace, trace_cache->count++);
    }
    if (status != HS_END)
        return status;
    keep_mark(trace_cache, trace, trace_cache->count);
    trace_cache->first_us = trace->first_us;
    trace_cache->format = trace->format;
    return hs_trace_identity(trace, &trace_cache->hash, &trace_cache->bytes);
}

enum hs_status hs_trace_cache_record(struct hs_trace_cache **trace_cache,
                                     const struct hs_trace_options *options, struct hs_diag *diag)
{
    struct hs_trace_options recorded = *options;
    struct hs_trace *trace = NULL;
    struct hs_diag silent = {.least = HS_ERROR + 1};
    recorded.load = recorded.scale_time = 1;
    recorded.trace_cache = NULL;
    *trace_cache = NULL;
    struct hs_trace_cache *t = hs_alloc_zeroed(1, sizeof *t);
    hs_intern_init(&t->names);
    enum hs_status status = hs_trace_open(&trace, &recorded, &silent);
    if (status == HS_OK)
        status = keep_all(t, trace);
    hs_trace_close(trace);
    if (status == HS_E_LIMIT)
        hs_report(diag, HS_NOTE, NULL, NULL, "%s does not fit into memory: each run reads it",
                  options->path);
    if (status == HS_OK && silent.errors + silent.warnings == 0)
        *trace_cache = t;
    else
        hs_trace_cache_free(t);
    return status == HS_E_INTERRUPTED ? status : HS_OK;
}

static uint64_t mix_text(uint64_t key, const char *text)
{
    return hs_seed_of(hs_mix64(key, text != NULL), text != NULL ? text : "");
}

uint64_t hs_trace_cache_key(const struct hs_trace_options *o)
{
    const bool is_generated = strncmp(o->path, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) == 0;
    const uint64_t numbers[] = {(uint64_t)o->time_unit_us,
                                (uint64_t)o->philly_attempts,
                                (uint64_t)o->cpu_jobs,
                                (uint64_t)o->zero_duration,
                                (uint64_t)o->openb_pending,
                                o->keeps_attempts,
                                o->sort_window,
                                o->max_jobs,
                                (uint64_t)o->window.from_us,
                                (uint64_t)o->window.to_us,
                                o->window.is_from_date,
                                o->window.is_to_date,
                                (uint64_t)(o->sample * 0x1p52),
                                o->sample < 1 || is_generated ? o->seed : 0,
                                o->gpus,
                                o->skip_bad_permille};
    uint64_t key = mix_text(0, o->path);
    key = mix_text(mix_text(mix_text(key, o->format), o->map), o->outcomes);
    key = mix_text(mix_text(key, o->gavel_throughputs), o->map_values);
    for (size_t i = 0; i < HS_COUNT_OF(numbers); i++)
        key = hs_mix64(key, numbers[i]);
    return key;
}

void hs_trace_cache_free(struct hs_trace_cache *trace_cache)
{
    if (trace_cache == NULL)
        return;
    hs_arena_free(&trace_cache->texts);
    hs_intern_free(&trace_cache->names);
    hs_free(trace_cache->jobs);
    hs_free(trace_cache->marks);
    hs_free(trace_cache->counts);
    hs_free(trace_cache);
}
