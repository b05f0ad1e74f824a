/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace format is one const record, last in its file, and a word in the list of reader.c. The
 * reader pulls from an open input and fills plain records; it knows nothing of
 * sorting, limits or the engine. The layout says how jobs are written in the format.
 */
#ifndef HORUS_TRACES_FORMAT_H
#define HORUS_TRACES_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"
#include "horus/trace.h"
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

/* ---- bad rows ----
 *
 * Readers say which value is bad and where; the code that pulls the rows decides what it means: a
 * run stops there (strict), or passes over it and counts (--skip-bad-rows); validation lists every
 * kind with its first rows and its repair.
 */

#define HS_SKIP_BAD "mend the rows, or pass over them with --skip-bad-rows=1%"

/* name, text, repair. */
#define HS_FAULT_LIST(X)                                                                           \
    X(FIELDS, "wrong number of fields", HS_SKIP_BAD)                                               \
    X(MISSING, "required value missing", HS_SKIP_BAD)                                              \
    X(NUMBER, "not a number", HS_SKIP_BAD)                                                         \
    X(TIME, "not a time", HS_SKIP_BAD)                                                             \
    X(RANGE, "out of range", "check --time-unit; else " HS_SKIP_BAD)                               \
    X(FRACTION, "not a whole number", HS_SKIP_BAD)                                                 \
    X(STATE, "unknown state", HS_SKIP_BAD)                                                         \
    X(CLASS, "unknown class", HS_SKIP_BAD)                                                         \
    X(TYPE, "wrong type of JSON value", HS_SKIP_BAD)                                               \
    X(TOO_LONG, "job id too long", "--map=job_id=@row numbers the jobs of a CSV file")             \
    X(DUPLICATE, "job id seen before", "--map=job_id=@row numbers the jobs of a CSV file")         \
    X(ORDER, "out of order in time", "--sort=all (the whole trace in memory), or a larger --sort") \
    X(STRUCTURE, "malformed", HS_SKIP_BAD)

enum hs_fault {
#define HS_FAULT_ENUM(name, what, repair) HS_FAULT_##name,
    HS_FAULT_LIST(HS_FAULT_ENUM)
#undef HS_FAULT_ENUM
        HS_FAULT_COUNT
};

struct hs_fault_text {
    const char *what, *repair;
};
extern const struct hs_fault_text hs_fault_texts[HS_FAULT_COUNT];

#define HS_FAULTS_SHOWN 3 /* reports per kind; further ones are only counted */

struct hs_faults {
    struct hs_diag *diag;
    enum hs_severity severity; /* HS_ERROR, or HS_WARNING where bad rows are tolerated */
    uint64_t total, counts[HS_FAULT_COUNT];
    enum hs_fault kind;   /* of the report under way or the last one */
    bool is_row_bad;      /* set with each bad row; cleared by hs_reader_next */
    bool is_rounded;      /* the GPUs of the row just read were rounded up; cleared likewise */
    bool is_folded;       /* attempts of the row just read were folded into one; cleared likewise */
    struct hs_diag relay; /* where the parsers below a reader (CSV, JSON) report: their errors
                             become faults of the row, kind STRUCTURE */
};

/* Counts, reports the first of each kind, returns HS_E_INPUT. */
HS_PRINTF(5, 6)
enum hs_status hs_trace_bad_row(struct hs_faults *faults, enum hs_fault kind,
                                const struct hs_place *place, const char *hint, const char *fmt,
                                ...);

/* Times and durations beyond 2^53 us (285 years) are taken for a wrong unit. */
#define HS_TRACE_TIME_MAX (INT64_C(1) << 53)

enum hs_cell_result {
    HS_CELL_OK,
    HS_CELL_NOT_A_NUMBER,
    HS_CELL_NOT_A_TIME,
    HS_CELL_NOT_A_COUNT,
    HS_CELL_NOT_WHOLE,
    HS_CELL_TOO_FINE, /* thousandths */
    HS_CELL_NOT_A_SHARE,
    HS_CELL_TWO_SHARES,
    HS_CELL_TOO_LARGE,
    HS_CELL_TOO_LONG, /* a time or span */
    HS_CELL_TOO_MANY, /* a count */
    HS_CELL_OVER_100, /* a percentage */
    HS_CELL_NEGATIVE,
    HS_CELL_NOT_A_BATCH,
    HS_CELL_NOT_A_FLAG,
    HS_CELL_NOT_ATTEMPTS,
    HS_CELL_NOT_THE_SUM, /* attempts */
};

enum hs_cell_result hs_cell_span(const char *text, size_t len, int64_t unit_us, int64_t *out_us);

/* "", "None", "NaN", "NA", "null" and "-" mean a missing number. */
bool hs_cell_is_missing(const char *text, size_t len);

/* The text, or NULL for a missing value (see above) and for NULL. */
const char *hs_cell_word(const char *text);

/* The run times of a job's attempts, gathered while a row is read, in storage that serves every
 * row.
 *
 *     list.count = 0;
 *     hs_attempts_add(&list, run_us); ...
 *     hs_attempts_give(&list, job);            // borrowed until the next row
 */
#define HS_ATTEMPTS_MAX 65535 /* of one job */

struct hs_attempt_list {
    int64_t *run_us;
    uint32_t count, cap;
};

/* Of a list shorter than HS_ATTEMPTS_MAX. */
void hs_attempts_add(struct hs_attempt_list *list, int64_t run_us);
/* One attempt is none: the job does not fail on the way. */
void hs_attempts_give(const struct hs_attempt_list *list, struct hs_trace_job *job);
void hs_attempts_free(struct hs_attempt_list *list);

/* ---- formats ---- */

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

/* ---- rows of a trace in file order ----
 *
 * One format behind them: opens the input, recognises the format, checks every value, counts what a
 * rule passes over. What trace_stream.c sorts and filters, and trace_report.c examines.
 */

struct hs_reader_counts {
    uint64_t rows;
    uint64_t rounded, folded; /* of those handed out */
    uint64_t drops[HS_DROP_COUNT];
};

struct hs_reader {
    const struct hs_trace_options *options;
    const struct hs_trace_format *format;
    enum hs_status (*next)(void *state, struct hs_trace_job *job, int *dropped);
    void *state;
    struct hs_input *input;
    struct hs_faults faults;
    uint32_t outcomes_kept; /* bit set of enum hs_outcome */
    struct hs_reader_counts counts;
};

/* severity: how bad rows are reported. Close it whether or not this succeeds. */
HS_MUST_USE enum hs_status hs_reader_open(struct hs_reader *reader,
                                          const struct hs_trace_options *options,
                                          enum hs_severity severity, struct hs_diag *diag);
/* The next row that no rule drops. HS_E_INPUT with faults.is_row_bad: one bad row, the next call
 * continues behind it; any other failure is final. */
HS_MUST_USE enum hs_status hs_reader_next(struct hs_reader *reader, struct hs_trace_job *job);
/* Of a value of the row just read, by native column name. */
struct hs_place hs_reader_place(const struct hs_reader *reader, const char *column);
void hs_reader_close(struct hs_reader *reader);

#endif
