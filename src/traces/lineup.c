/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See lineup.h. A window of 0 or 1 hands rows through without a copy.
 */
#include "traces/lineup.h"

#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "traces/say.h"

#define BAD_MEASURE 1000 /* the tolerated share is of at least so many rows while reading */

enum hs_status hs_lineup_open(struct hs_lineup *in, const struct hs_trace_options *options,
                              const struct hs_replay *replay, struct hs_diag *diag)
{
    const enum hs_severity severity = options->skip_bad_permille > 0 ? HS_WARNING : HS_ERROR;
    *in = (struct hs_lineup){.options = options, .replay = replay, .last_us = INT64_MIN};
    hs_hold_init(&in->hold, diag);
    hs_reorder_init(&in->held);
    HS_TRY(hs_reader_open(&in->reader, options, severity, &in->hold.diag));
    in->held.has_text_room = in->reader.format->has_text_room;
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
static enum hs_status check_bad_share(struct hs_lineup *in, uint64_t least)
{
    uint64_t rows = in->reader.counts.rows > least ? in->reader.counts.rows : least;
    uint32_t permille = in->options->skip_bad_permille;
    if (in->bad * 1000 <= permille * rows)
        return HS_OK;
    char kinds[512];
    struct hs_place place = {.file = hs_input_path(in->reader.input)};
    list_faults(&in->reader.faults, kinds, sizeof kinds);
    return hs_fail(&in->hold.diag, HS_E_INPUT, &place, "`horus trace validate` lists them all",
                   "%llu of %llu rows are bad, more than the %u.%u%% tolerated: %s",
                   (unsigned long long)in->bad, (unsigned long long)in->reader.counts.rows,
                   permille / 10, permille % 10, kinds);
}

static HS_COLD enum hs_status pass_over(struct hs_lineup *in)
{
    in->bad++;
    return check_bad_share(in, BAD_MEASURE);
}

/* The next row in file order, bad ones passed over as far as that is allowed. */
HS_INLINE enum hs_status pull(struct hs_lineup *in, struct hs_trace_job *job)
{
    for (;;) {
        enum hs_status status = hs_reader_next(&in->reader, job);
        if (HS_LIKELY(status != HS_E_INPUT || !in->reader.faults.is_row_bad) ||
            in->options->skip_bad_permille == 0)
            return status;
        HS_TRY(pass_over(in));
    }
}

static enum hs_status fail_late(struct hs_lineup *in, const struct hs_trace_job *job)
{
    char late[HS_FMT_MAX + 1], hint[160];
    late[hs_fmt_seconds(late, in->last_us - job->submit_us)] = '\0';
    uint64_t window = in->options->sort_window > 0 ? in->options->sort_window : 1;
    snprintf(hint, sizeof hint,
             "%llu rows were held back to sort them: --sort=%llu holds more, --sort=all the whole "
             "trace",
             (unsigned long long)in->options->sort_window, (unsigned long long)window * 8);
    struct hs_place place = hs_reader_place(&in->reader, "submit_time");
    return hs_fail(&in->hold.diag, HS_E_INPUT, &place, hint,
                   "job '%s' was submitted %s s before the job of line %lld, which has been "
                   "handed out",
                   job->id, late, (long long)in->last_line);
}

static enum hs_status fail_window(struct hs_lineup *in, enum hs_status status)
{
    return hs_fail(&in->hold.diag, status, NULL, "a smaller window: --sort=N",
                   "no memory for %llu rows held back to sort them",
                   (unsigned long long)in->held.count + 1);
}

static enum hs_status check_order(struct hs_lineup *in, const struct hs_trace_job *job)
{
    return HS_LIKELY(job->submit_us >= in->last_us) ? HS_OK : fail_late(in, job);
}

static enum hs_status fill_window(struct hs_lineup *in)
{
    while (!in->has_all_rows && in->held.count < in->options->sort_window) {
        struct hs_trace_job *job = hs_reorder_room(&in->held);
        if (HS_UNLIKELY(job == NULL))
            return fail_window(in, HS_E_MEMORY);
        enum hs_status status = pull(in, job);
        if (status == HS_END) {
            in->has_all_rows = true;
            return HS_OK;
        }
        HS_TRY(status);
        HS_TRY(check_order(in, job));
        status = hs_reorder_push(&in->held);
        if (HS_UNLIKELY(status != HS_OK))
            return fail_window(in, status);
    }
    return HS_OK;
}

static bool is_full(const struct hs_lineup *in)
{
    return in->options->max_jobs > 0 && in->taken == in->options->max_jobs;
}

/* HS_OK: the row is next in order; *is_wanted: and among those asked for. HS_END: it and all behind
 * it are not. */
HS_INLINE enum hs_status choose(struct hs_lineup *in, const struct hs_trace_job *job,
                                bool *is_wanted)
{
    const struct hs_replay *replay = in->replay;
    in->last_us = job->submit_us;
    in->last_line = job->line;
    if (HS_UNLIKELY(!in->has_first)) {
        in->first_us = job->submit_us;
        in->has_first = true;
    }
    *is_wanted = false;
    if (hs_replay_is_behind(replay, in->first_us, job->submit_us))
        return HS_END;
    if (hs_replay_is_before(replay, in->first_us, job->submit_us))
        in->reader.counts.drops[HS_DROP_WINDOW]++;
    else if (!hs_replay_samples(replay, job->id))
        in->reader.counts.drops[HS_DROP_SAMPLE]++;
    else
        *is_wanted = true;
    in->taken += *is_wanted;
    return HS_OK;
}

static HS_APART enum hs_status next_through(struct hs_lineup *in, struct hs_trace_job **job)
{
    *job = &in->through;
    for (bool is_wanted = false; !is_wanted;) {
        if (is_full(in))
            return HS_END;
        HS_TRY(pull(in, *job));
        HS_TRY(check_order(in, *job));
        HS_TRY(choose(in, *job, &is_wanted));
    }
    return HS_OK;
}

/* Puts the next job that is asked for behind those read. */
static enum hs_status read_one(struct hs_lineup *in)
{
    for (bool is_wanted = false; !is_wanted;) {
        if (is_full(in))
            return HS_END;
        hs_reorder_give_back(&in->held, in->count);
        HS_TRY(fill_window(in));
        struct hs_trace_job *job = hs_reorder_pop(&in->held);
        if (job == NULL)
            return HS_END;
        in->jobs[in->count] = job;
        HS_TRY(choose(in, job, &is_wanted));
    }
    in->marks[in->count++] = (struct hs_lineup_mark){
        .read = in->reader.counts, .bad = in->bad, .reordered = in->held.reordered};
    return HS_OK;
}

/* What is to be said of the first job is said at once, of any other when it is asked for: it is the
 * last of those read. */
static void read_ahead(struct hs_lineup *in)
{
    in->count = in->next = 0;
    do {
        in->ended = read_one(in);
        in->hold.is_holding = true;
    } while (in->ended == HS_OK && in->hold.len == 0 && in->count < HS_REORDER_OUT);
    in->hold.is_holding = false;
}

HS_APART enum hs_status hs_lineup_next_block(struct hs_lineup *in, struct hs_trace_job **job)
{
    if (in->options->sort_window <= 1 || in->reader.format->is_sorted)
        return next_through(in, job);
    if (in->next == in->count && in->ended == HS_OK)
        read_ahead(in);
    const bool is_over = in->next == in->count;
    if (HS_UNLIKELY(in->hold.len > 0) &&
        (is_over || (in->ended == HS_OK && in->next + 1 == in->count)))
        hs_hold_release(&in->hold);
    in->is_over = is_over;
    if (is_over)
        return in->ended;
    *job = in->jobs[in->next++];
    return HS_OK;
}

struct hs_lineup_counts hs_lineup_counted(const struct hs_lineup *in)
{
    if (in->is_over || in->next == 0)
        return (struct hs_lineup_counts){&in->reader.counts, in->bad, in->held.reordered};
    const struct hs_lineup_mark *mark = &in->marks[in->next - 1];
    return (struct hs_lineup_counts){&mark->read, mark->bad, mark->reordered};
}

static enum hs_status fail_no_jobs(struct hs_lineup *in)
{
    char reasons[512], hint[80];
    size_t used = 0;
    reasons[0] = '\0';
    for (int i = 0; i < HS_DROP_COUNT && used < sizeof reasons; i++)
        if (in->reader.counts.drops[i] > 0)
            used += (size_t)snprintf(
                reasons + used, sizeof reasons - used, "%s%llu %s", used > 0 ? ", " : ": ",
                (unsigned long long)in->reader.counts.drops[i], hs_drop_texts[i]);
    struct hs_place place = {.file = hs_input_path(in->reader.input)};
    if (in->has_first)
        (void)snprintf(hint, sizeof hint, "the first submission is at %s",
                       hs_figure_clock(in->first_us).text);
    return hs_fail(&in->hold.diag, HS_E_INPUT, &place, in->has_first ? hint : NULL,
                   "no job to replay in %llu rows%s", (unsigned long long)in->reader.counts.rows,
                   reasons);
}

enum hs_status hs_lineup_finish(struct hs_lineup *in)
{
    HS_TRY(check_bad_share(in, 0));
    if (in->bad > 0) {
        char kinds[512];
        struct hs_place place = {.file = hs_input_path(in->reader.input)};
        list_faults(&in->reader.faults, kinds, sizeof kinds);
        hs_report(&in->hold.diag, HS_WARNING, &place, NULL, "passed over %llu bad rows of %llu: %s",
                  (unsigned long long)in->bad, (unsigned long long)in->reader.counts.rows, kinds);
    }
    return in->taken == 0 ? fail_no_jobs(in) : HS_END;
}

void hs_lineup_close(struct hs_lineup *in)
{
    hs_reader_close(&in->reader);
    hs_reorder_free(&in->held);
    hs_hold_free(&in->hold);
}
