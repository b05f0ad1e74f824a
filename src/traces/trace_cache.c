/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recording reads through hs_trace, so that sorting, dropping and limits have one
 * implementation; a replay needs none of it.
 */
#include "traces/trace_cache.h"

#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

#define JOBS_MAX (UINT64_C(1) << 31)

static void say_nothing(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    (void)ctx, (void)severity, (void)text, (void)len;
}

static void keep_job(struct hs_trace_cache *trace_cache, const struct hs_trace_job *job)
{
    hs_grow((void **)&trace_cache->jobs, &trace_cache->jobs_cap, trace_cache->count + 1,
            sizeof *trace_cache->jobs, JOBS_MAX);
    struct hs_trace_job *kept = &trace_cache->jobs[trace_cache->count];
    *kept = *job;
    kept->id = hs_arena_text(&trace_cache->texts, job->id, strlen(job->id));
    const char **names[] = {&kept->user,    &kept->vc,    &kept->gpu_type, &kept->model,
                            &kept->dataset, &kept->batch, &kept->precision};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (*names[i] != NULL)
            *names[i] =
                hs_intern_text(&trace_cache->names, hs_intern_get(&trace_cache->names, *names[i]));
    if (job->attempts > 0) {
        int64_t *attempts_us =
            hs_arena_alloc(&trace_cache->texts, job->attempts * sizeof *job->attempts_us);
        memcpy(attempts_us, job->attempts_us, job->attempts * sizeof *attempts_us);
        kept->attempts_us = attempts_us;
    }
    trace_cache->count++;
}

/* What is counted by now; drops are rare, so that most jobs share a set of counts. */
static void keep_mark(struct hs_trace_cache *trace_cache, const struct hs_trace *trace,
                      uint64_t index)
{
    struct hs_trace_counts counts;
    hs_trace_get_counts(trace, &counts);
    hs_grow((void **)&trace_cache->marks, &trace_cache->marks_cap, index + 1,
            sizeof *trace_cache->marks, JOBS_MAX);
    size_t size = sizeof trace_cache->drops->counts;
    if (trace_cache->drops_count == 0 ||
        memcmp(trace_cache->drops[trace_cache->drops_count - 1].counts, counts.drops, size) != 0) {
        hs_grow((void **)&trace_cache->drops, &trace_cache->drops_cap,
                (uint64_t)trace_cache->drops_count + 1, sizeof *trace_cache->drops, JOBS_MAX);
        memcpy(trace_cache->drops[trace_cache->drops_count++].counts, counts.drops, size);
    }
    trace_cache->marks[index] = (struct hs_trace_cache_mark){
        counts.rows, counts.reordered, counts.rounded, counts.folded, trace_cache->drops_count - 1};
}

static enum hs_status keep_all(struct hs_trace_cache *trace_cache, struct hs_trace *trace)
{
    struct hs_trace_job *job;
    enum hs_status status;
    while ((status = hs_trace_next(trace, &job)) == HS_OK) {
        if (trace_cache->count + 1 == JOBS_MAX)
            return HS_E_LIMIT;
        keep_job(trace_cache, job);
        keep_mark(trace_cache, trace, trace_cache->count - 1);
    }
    if (status != HS_END)
        return status;
    keep_mark(trace_cache, trace, trace_cache->count);
    trace_cache->first_us = hs_trace_first_us(trace);
    trace_cache->format = hs_trace_format_name(trace);
    return hs_trace_identity(trace, &trace_cache->hash, &trace_cache->bytes);
}

enum hs_status hs_trace_cache_record(struct hs_trace_cache **trace_cache,
                                     const struct hs_trace_options *options, struct hs_diag *diag)
{
    struct hs_trace_options recorded = *options;
    struct hs_trace *trace = NULL;
    struct hs_diag silent;
    recorded.load = recorded.scale_time = 1;
    recorded.trace_cache = NULL;
    *trace_cache = NULL;
    hs_diag_init(&silent, say_nothing, NULL);
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

void hs_trace_cache_free(struct hs_trace_cache *trace_cache)
{
    if (trace_cache == NULL)
        return;
    hs_arena_free(&trace_cache->texts);
    hs_intern_free(&trace_cache->names);
    hs_free(trace_cache->jobs);
    hs_free(trace_cache->marks);
    hs_free(trace_cache->drops);
    hs_free(trace_cache);
}
