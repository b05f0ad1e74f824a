/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace read to its end inside a test: jobs with copies of their texts, counts, reports.
 *
 *     struct traced t;
 *     traced_options(&t);
 *     traced_text(&t, "a.csv", "job_id,submit_time,gpus,duration\n1,0,1,5\n");
 *     assert_int_equal(t.status, HS_END);
 *     assert_int_equal(t.jobs[0].duration_us, 5000000);
 */
#ifndef HORUS_TESTS_TRACED_H
#define HORUS_TESTS_TRACED_H

#include "sink.h"
#include "traces/format.h"

#define TRACED_JOBS 128

struct traced {
    struct hs_trace_options options;
    enum hs_status status; /* the last one: HS_END after a whole trace */
    struct hs_trace_job jobs[TRACED_JOBS];
    uint64_t count; /* may exceed the number of kept jobs */
    uint64_t gpus;  /* sum over all jobs */
    int64_t duration_us;
    struct hs_trace_counts counts;
    uint64_t drops[HS_DROP_COUNT];
    char format[32];
    char texts[32768];
    int64_t attempts_us[TRACED_JOBS]; /* of the jobs kept */
    struct hs_deadline_option options_kept[TRACED_JOBS];
    size_t texts_used, attempts_used, options_used;
    struct sink sink;
};

void traced_options(struct traced *t); /* defaults; change t->options before reading */
void traced_file(struct traced *t, const char *path);
/* Writes the text to a file of the scratch folder and reads it. */
void traced_text(struct traced *t, const char *name, const char *text);

/* True if two jobs have the same value of this member, or both none. */
bool traced_is_same(const struct hs_trace_job *a, const struct hs_trace_job *b,
                    const struct hs_column *column);
/* True if a value that the format has, according to its table, may come back as another: then the
 * format declares that, and `convert` reports it. */
bool traced_may_change(const struct hs_trace_format *format, const struct hs_trace_job *job,
                       const struct hs_column *column);
#endif
