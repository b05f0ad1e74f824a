/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace in memory, read once and replayed any number of times: what the points of a sweep share.
 * A trace that is opened on a cache hands out the same jobs and the same counts as one that
 * reads the file, at any load and scale of time.
 *
 *     HS_TRY(hs_trace_cache_record(&cache, &options, diag));
 *     options.trace_cache = cache; // may be NULL: then the file is read
 *     HS_TRY(hs_trace_open(&t, &options, diag));
 */
#ifndef HORUS_TRACES_TRACE_CACHE_H
#define HORUS_TRACES_TRACE_CACHE_H

#include "base/intern.h"
#include "traces/format.h"
#include "traces/trace_stream.h"

/* What had been counted when a job was handed out. */
struct hs_trace_cache_mark {
    uint64_t rows, reordered, rounded, folded;
    uint32_t drops; /* row of hs_trace_cache.drops */
};

struct hs_trace_cache_drops {
    uint64_t counts[HS_DROP_COUNT];
};

struct hs_trace_cache {
    struct hs_arena texts;  /* ids and attempts */
    struct hs_intern names; /* every other text */
    struct hs_trace_job *jobs;
    struct hs_trace_cache_mark *marks;  /* of each job, and one more: at the end of the trace */
    struct hs_trace_cache_drops *drops; /* each set of counts that occurred */
    uint32_t jobs_cap, marks_cap, drops_cap, drops_count;
    uint64_t count;
    int64_t first_us; /* recorded submission of the first row */
    uint64_t hash, bytes;
    const char *format; /* name */
};

/* Reads the whole trace by the options, but at load and scale 1. *trace_cache is NULL where the
 * trace is refused or has bad rows: each run that reads it reports them. 300 bytes a job. */
HS_MUST_USE enum hs_status hs_trace_cache_record(struct hs_trace_cache **trace_cache,
                                                 const struct hs_trace_options *options,
                                                 struct hs_diag *diag);
/* Equal for options that give the same cache, whatever their load and scale of time. */
uint64_t hs_trace_cache_key(const struct hs_trace_options *options);
void hs_trace_cache_free(struct hs_trace_cache *trace_cache); /* NULL is fine */

#endif
