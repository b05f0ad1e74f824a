/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading whole traces in tests.
 */
#include "traced.h"

#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void traced_options(struct traced *t)
{
    memset(t, 0, sizeof *t);
    hs_trace_options_default(&t->options);
}

static const char *keep_text(struct traced *t, const char *text)
{
    if (text == NULL)
        return NULL;
    size_t size = strlen(text) + 1;
    assert_true(t->texts_used + size <= sizeof t->texts);
    char *kept = t->texts + t->texts_used;
    memcpy(kept, text, size);
    t->texts_used += size;
    return kept;
}

static const int64_t *keep_attempts(struct traced *t, const struct hs_trace_job *job)
{
    int64_t *kept = t->attempts_us + t->attempts_used;
    if (job->attempts == 0)
        return NULL;
    assert_true(t->attempts_used + job->attempts <= TRACED_JOBS);
    memcpy(kept, job->attempts_us, job->attempts * sizeof *kept);
    t->attempts_used += job->attempts;
    return kept;
}

static const struct hs_deadline_option *keep_options(struct traced *t,
                                                     const struct hs_trace_job *job)
{
    struct hs_deadline_option *kept = t->options_kept + t->options_used;
    if (job->option_count == 0)
        return NULL;
    assert_true(t->options_used + job->option_count <= TRACED_JOBS);
    memcpy(kept, job->options, job->option_count * sizeof *kept);
    t->options_used += job->option_count;
    return kept;
}

static void keep_job(struct traced *t, const struct hs_trace_job *job)
{
    t->gpus += job->gpus;
    t->duration_us += job->duration_us;
    if (t->count < TRACED_JOBS) {
        struct hs_trace_job *kept = &t->jobs[t->count];
        *kept = *job;
        kept->id = keep_text(t, job->id);
        kept->user = keep_text(t, job->user);
        kept->vc = keep_text(t, job->vc);
        kept->gpu_type = keep_text(t, job->gpu_type);
        kept->model = keep_text(t, job->model);
        kept->dataset = keep_text(t, job->dataset);
        kept->batch = keep_text(t, job->batch);
        kept->precision = keep_text(t, job->precision);
        kept->attempts_us = keep_attempts(t, job);
        kept->options = keep_options(t, job);
    }
    t->count++;
}

/* At the normal end of a trace every row is in exactly one count. */
static void check_counts(const struct traced *t)
{
    uint64_t sum = t->counts.accepted + t->counts.bad;
    for (int i = 0; i < HS_DROP_COUNT; i++)
        sum += t->drops[i];
    assert_int_equal(t->count, t->counts.accepted);
    if (t->options.max_jobs == 0 && t->options.window.to_us == INT64_MAX)
        assert_int_equal(sum, t->counts.rows);
}

void traced_file(struct traced *t, const char *path)
{
    struct hs_trace *trace;
    struct hs_trace_job *job;
    sink_init(&t->sink);
    t->options.path = path;
    t->count = t->gpus = 0;
    t->duration_us = 0;
    t->texts_used = t->attempts_used = t->options_used = 0;
    t->status = hs_trace_open(&trace, &t->options, &t->sink.diag);
    if (t->status != HS_OK)
        return;
    while ((t->status = hs_trace_next(trace, &job)) == HS_OK)
        keep_job(t, job);
    assert_int_equal(hs_trace_next(trace, &job), t->status); /* the end is permanent */
    hs_trace_get_counts(trace, &t->counts);
    memcpy(t->drops, t->counts.drops, sizeof t->drops);
    snprintf(t->format, sizeof t->format, "%s", hs_trace_format_name(trace));
    if (t->status == HS_END)
        check_counts(t);
    hs_trace_close(trace);
}

void traced_text(struct traced *t, const char *name, const char *text)
{
    traced_file(t, scratch_write(name, text, strlen(text)));
}

static size_t size_of(enum hs_cell kind)
{
    return kind == HS_CELL_TIME || kind == HS_CELL_SPAN ? sizeof(int64_t) : sizeof(uint32_t);
}

bool traced_is_same(const struct hs_trace_job *a, const struct hs_trace_job *b,
                    const struct hs_column *column)
{
    const void *at_a = (const char *)a + column->offset, *at_b = (const char *)b + column->offset;
    const char *text_a, *text_b;
    if (!hs_job_tells(a, column) || !hs_job_tells(b, column))
        return hs_job_tells(a, column) == hs_job_tells(b, column);
    switch (column->kind) {
    case HS_CELL_ID:
    case HS_CELL_TEXT:
    case HS_CELL_BATCH:
        memcpy(&text_a, at_a, sizeof text_a);
        memcpy(&text_b, at_b, sizeof text_b);
        return strcmp(text_a, text_b) == 0;
    case HS_CELL_ATTEMPTS:
        return a->attempts == b->attempts &&
               memcmp(a->attempts_us, b->attempts_us, a->attempts * sizeof(int64_t)) == 0;
    case HS_CELL_OPTIONS:
        for (uint32_t i = 0; i < a->option_count && a->option_count == b->option_count; i++)
            if (a->options[i].after_us != b->options[i].after_us ||
                a->options[i].value_milli != b->options[i].value_milli)
                return false;
        return a->option_count == b->option_count;
    case HS_CELL_LOSS:
        return memcmp(&a->loss, &b->loss, sizeof a->loss) == 0;
    default:
        return memcmp(at_a, at_b, size_of(column->kind)) == 0;
    }
}

bool traced_may_change(const struct hs_trace_format *format, const struct hs_trace_job *job,
                       const struct hs_column *column)
{
    return format->layout->keeps != NULL && hs_job_tells(job, column) &&
           hs_layout_holds(format->layout, column->offset) != NULL &&
           !format->layout->keeps(job, column);
}
