/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recording goes through hs_trace itself, so that sorting, dropping and limits are done by the one
 * code that does them; what is replayed needs none of it.
 */
#include "traces/tape.h"

#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

#define JOBS_MAX (UINT64_C(1) << 31)

static void say_nothing(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    (void)ctx, (void)severity, (void)text, (void)len;
}

static enum hs_status keep_name(struct hs_tape *tape, const char **text)
{
    uint32_t id;
    if (*text == NULL)
        return HS_OK;
    HS_TRY(hs_intern_get(&tape->names, *text, &id));
    *text = hs_intern_text(&tape->names, id);
    return HS_OK;
}

static enum hs_status keep_job(struct hs_tape *tape, const struct hs_trace_job *job)
{
    HS_TRY(hs_grow((void **)&tape->jobs, &tape->jobs_cap, tape->count + 1, sizeof *tape->jobs,
                   JOBS_MAX));
    struct hs_trace_job *kept = &tape->jobs[tape->count];
    *kept = *job;
    kept->id = hs_arena_text(&tape->texts, job->id, strlen(job->id));
    if (kept->id == NULL)
        return HS_E_MEMORY;
    const char **names[] = {&kept->user,    &kept->vc,    &kept->gpu_type, &kept->model,
                            &kept->dataset, &kept->batch, &kept->precision};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        HS_TRY(keep_name(tape, names[i]));
    if (job->attempts > 0) {
        int64_t *attempts_us =
            hs_arena_alloc(&tape->texts, job->attempts * sizeof *job->attempts_us);
        if (attempts_us == NULL)
            return HS_E_MEMORY;
        memcpy(attempts_us, job->attempts_us, job->attempts * sizeof *attempts_us);
        kept->attempts_us = attempts_us;
    }
    tape->count++;
    return HS_OK;
}

/* What is counted by now; drops are rare, so that most jobs share a set of counts. */
static enum hs_status keep_mark(struct hs_tape *tape, const struct hs_trace *trace, uint64_t index)
{
    struct hs_trace_counts counts;
    hs_trace_get_counts(trace, &counts);
    HS_TRY(
        hs_grow((void **)&tape->marks, &tape->marks_cap, index + 1, sizeof *tape->marks, JOBS_MAX));
    size_t size = sizeof tape->drops->counts;
    if (tape->drops_count == 0 ||
        memcmp(tape->drops[tape->drops_count - 1].counts, counts.drops, size) != 0) {
        HS_TRY(hs_grow((void **)&tape->drops, &tape->drops_cap, (uint64_t)tape->drops_count + 1,
                       sizeof *tape->drops, JOBS_MAX));
        memcpy(tape->drops[tape->drops_count++].counts, counts.drops, size);
    }
    tape->marks[index] = (struct hs_tape_mark){counts.rows, counts.reordered, counts.rounded,
                                               counts.folded, tape->drops_count - 1};
    return HS_OK;
}

static enum hs_status keep_all(struct hs_tape *tape, struct hs_trace *trace)
{
    struct hs_trace_job *job;
    enum hs_status status;
    while ((status = hs_trace_next(trace, &job)) == HS_OK) {
        HS_TRY(keep_job(tape, job));
        HS_TRY(keep_mark(tape, trace, tape->count - 1));
    }
    if (status != HS_END)
        return status;
    HS_TRY(keep_mark(tape, trace, tape->count));
    tape->first_us = hs_trace_first_us(trace);
    tape->format = hs_trace_format_name(trace);
    return hs_trace_identity(trace, &tape->hash, &tape->bytes);
}

enum hs_status hs_tape_record(struct hs_tape **tape, const struct hs_trace_options *options,
                              struct hs_diag *diag)
{
    struct hs_trace_options recorded = *options;
    struct hs_trace *trace = NULL;
    struct hs_diag silent;
    recorded.load = recorded.scale_time = 1;
    recorded.tape = NULL;
    *tape = NULL;
    hs_diag_init(&silent, say_nothing, NULL);
    struct hs_tape *t = hs_alloc_zeroed(1, sizeof *t);
    enum hs_status status = t != NULL ? hs_intern_init(&t->names) : HS_E_MEMORY;
    if (status == HS_OK)
        status = hs_trace_open(&trace, &recorded, &silent);
    if (status == HS_OK)
        status = keep_all(t, trace);
    hs_trace_close(trace);
    if (status == HS_E_MEMORY || status == HS_E_LIMIT)
        hs_report(diag, HS_NOTE, NULL, NULL, "%s does not fit into memory: each run reads it",
                  options->path);
    if (status == HS_OK && silent.errors + silent.warnings == 0)
        *tape = t;
    else
        hs_tape_free(t);
    return status == HS_E_INTERRUPTED ? status : HS_OK;
}

static uint64_t mix_text(uint64_t key, const char *text)
{
    return hs_seed_of(hs_mix64(key, text != NULL), text != NULL ? text : "");
}

uint64_t hs_tape_key(const struct hs_trace_options *o)
{
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
                                o->sample < 1 ? o->sample_seed : 0,
                                o->gpus,
                                o->skip_bad_permille};
    uint64_t key = mix_text(0, o->path);
    key = mix_text(mix_text(mix_text(key, o->format), o->map), o->outcomes);
    key = mix_text(key, o->gavel_throughputs);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        key = hs_mix64(key, numbers[i]);
    return key;
}

void hs_tape_free(struct hs_tape *tape)
{
    if (tape == NULL)
        return;
    hs_arena_free(&tape->texts);
    hs_intern_free(&tape->names);
    hs_free(tape->jobs);
    hs_free(tape->marks);
    hs_free(tape->drops);
    hs_free(tape);
}
