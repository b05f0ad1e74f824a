/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace format is one file with one const record, last in the file, and one line in
 * formats.def. The reader pulls from an open input and fills plain records; it knows nothing of
 * sorting, limits or the engine. The layout says how jobs are written in the format.
 */
#ifndef HORUS_TRACES_FORMAT_H
#define HORUS_TRACES_FORMAT_H

#include <stddef.h>

#include "base/diag.h"
#include "base/io.h"
#include "horus/trace.h"
#include "traces/cell.h"
#include "traces/trace_stream.h"

/* Why a row was not taken, counted by kind; the text is what `trace info` and the manifest print.
 * Dropped: by a rule of the format that the options name. Faults: bad rows, an error unless
 * --skip-bad-rows allows them. */
#define HS_DROP_LIST(X)                                                                            \
    X(CPU_JOB, "CPU job (0 GPUs)")                                                                 \
    X(STILL_RUNNING, "still running at the snapshot")                                              \
    X(NEVER_STARTED, "never started")                                                              \
    X(NO_TIMES, "start or end missing")                                                            \
    X(NO_DEMAND, "number of processors not known")                                                 \
    X(PARTIAL, "part of the run of a job")                                                         \
    X(ZERO_DURATION, "duration 0")                                                                 \
    X(OUTCOME, "outcome not asked for")                                                            \
    X(WINDOW, "outside the time window")                                                           \
    X(SAMPLE, "not in the sample")

enum hs_drop {
#define HS_DROP_ENUM(name, text) HS_DROP_##name,
    HS_DROP_LIST(HS_DROP_ENUM)
#undef HS_DROP_ENUM
        HS_DROP_COUNT
};

struct hs_trace_layout;
struct hs_column;

struct hs_trace_format {
    const char *name, *summary;
    const char *columns; /* what it needs, one line for messages and `horus help formats` */
    bool has_attempts;   /* it can tell the attempts of a job */
    bool is_sorted;      /* rows come in order of submission whatever the file: none is held back */
    const struct hs_trace_layout *layout; /* how it is written (traces/write.h); NULL = it is not */
    /* Recognition, 0..100: `certainty` where the first line of a CSV has all names of `header`
     * (NULL ends them, case ignored), else what recognise makes of the first bytes; NULL = 0. */
    const char *const *header;
    int certainty;
    int (*recognise)(const char *head, size_t len);
    /* A format that is a table (traces/table.h): its columns; next, place and close are then those
     * of the table where they are NULL, and so is open. Its state is or begins with the table. */
    const struct hs_column *table;
    uint32_t table_columns;
    int64_t unit_us;     /* of bare numbers that are times; 0 = seconds */
    bool is_unit_fixed;  /* by the definition of the format: --time-unit is about other formats */
    bool is_header_less; /* mostly: a first line that does not begin with the name of the first
                            column is a row, whose fields are the columns in order of the table */
    size_t state_size;   /* 0 = that of the table */
    /* Bad rows go to faults, everything else to faults->diag. */
    enum hs_status (*open)(void *state, struct hs_input *input,
                           const struct hs_trace_options *options, struct hs_faults *faults);
    /* HS_OK: job filled, or *dropped (0 on entry) set to 1 + drop kind: the row is to be counted
     * and passed over. HS_END. HS_E_INPUT through hs_trace_bad_row: this row is bad; calling again
     * goes on with the next row. Any other failure ends the trace. */
    enum hs_status (*next)(void *state, struct hs_trace_job *job, int *dropped);
    /* Place of a value of the row just read, by its native column name ("submit_time"), for
     * messages of the caller. */
    struct hs_place (*place)(void *state, const char *column);
    /* The number of rows in all; NULL = unknown before the end. */
    uint64_t (*rows)(const void *state);
    /* Also after a failed open; the state is zeroed before open. */
    void (*close)(void *state);
};

const struct hs_trace_format *hs_trace_format_at(size_t index); /* NULL past the end */
const struct hs_trace_format *hs_trace_format_find(const char *name);
/* HS_E_USAGE with the nearest name, unless it is that of a format or "auto". */
HS_MUST_USE enum hs_status hs_trace_format_check(const char *name, struct hs_diag *diag);
/* "csv, helios or philly": all, or those that can be written; in list, which is returned. */
#define HS_FORMAT_LIST_MAX 256
const char *hs_trace_format_list(bool is_for_writing, char list[HS_FORMAT_LIST_MAX]);
/* By content; NULL when nothing is surer than 0. */
const struct hs_trace_format *hs_trace_format_recognise(const char *head, size_t len);

extern const char *const hs_drop_texts[HS_DROP_COUNT];

/* What to do where --retries=attempts finds none. */
#define HS_NO_ATTEMPTS_HINT                                                                        \
    "--retries=merge runs each job once, --retries=generate makes attempts up"

/* A job of which nothing is known yet. */
#define HS_TRACE_JOB_BLANK                                                                         \
    {                                                                                              \
        .deadline_us = -1, .preempt_cost_us = -1, .gpu_util_pm = -1,                               \
        .job_class = HS_JOB_CLASS_AUTO, .profile = HS_NO_PROFILE, .outcome = HS_OUTCOME_UNKNOWN    \
    }

/* A word for the outcome of a job, as any of the formats writes it, case ignored: an enum
 * hs_outcome, HS_FATE_RUNNING for a job that had not ended at the snapshot, or -1 for an unknown
 * word. */
#define HS_FATE_RUNNING HS_OUTCOME_COUNT
int hs_outcome_parse(const char *text, size_t len);

#endif
