/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace format is one const record, last in its file, and a word in the list of format.c. Its
 * reader parses an open input into plain records; it has no part in sorting, limits or the engine.
 * The layout describes how jobs are written in the format.
 */
#pragma once

#include <limits.h>

#include "data/csv.h"
#include "traces/trace_stream.h"

/* ---- bad rows ----
 *
 * Readers report which value is bad and where; their caller decides the consequence: a run stops
 * (strict), or skips and counts the row (--skip-bad-rows); validation lists every kind with its
 * first rows and its repair. */

#define HS_SKIP_BAD "correct the rows, or skip them with --skip-bad-rows=1%"

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
    X(DUPLICATE, "job id seen before",                                                             \
      "--map=job_id=@row numbers the jobs of a CSV file; sacct without --duplicates has one row "  \
      "a job")                                                                                     \
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

#define HS_FAULTS_SHOWN 3 /* reports shown per kind; further ones are only counted */

struct hs_trace_format;

struct hs_faults {
    struct hs_diag *diag;
    const struct hs_trace_format *format; /* of the rows */
    enum hs_severity severity;            /* HS_ERROR, or HS_WARNING if bad rows are tolerated */
    uint64_t total, counts[HS_FAULT_COUNT];
    enum hs_fault kind;       /* of the current or last report */
    bool is_row_bad;          /* set with each bad row; cleared by hs_reader_next */
    bool is_rounded;          /* the GPUs of the last row were rounded up; cleared likewise */
    bool is_folded;           /* attempts of the last row were merged into one; cleared likewise */
    struct hs_intern *states; /* collects the words that are no outcomes; NULL: does not */
    struct hs_diag relay;     /* receives the errors of parsers below the reader (CSV, JSON), which
                                 become faults of the row, kind STRUCTURE */
};

/* Counts a fault, reports it if it is among the first of its kind, returns HS_E_INPUT. */
HS_PRINTF(5, 6)
HS_COLD enum hs_status hs_trace_bad_row(struct hs_faults *faults, enum hs_fault kind,
                                        struct hs_place place, const char *hint, const char *fmt,
                                        ...);

/* Times and durations above 2^53 us (285 years) are assumed to be in a wrong unit. */
#define HS_TRACE_TIME_MAX (INT64_C(1) << 53)

/* Faults of a cell: name, kind of fault, "NAME_OF_COLUMN what", hint. */
#define HS_CELL_LIST(X)                                                                            \
    X(NOT_A_NUMBER, NUMBER, "is not a number", "a decimal number such as 12.5")                    \
    X(NOT_A_SPAN, NUMBER, "is not a number",                                                       \
      "seconds such as 12.5, with a point, or 1:30:00, or 90min; start_time and end_time may "     \
      "take its place")                                                                            \
    X(NOT_A_TIME, TIME, "is not a time",                                                           \
      "a number, or a date, the year first, and time: 2020-04-01 12:30:00")                        \
    X(OTHER_CLOCK, TIME, "has an offset from UTC, or lacks one, unlike the times before",          \
      "give all times an offset (2020-04-01 12:30:00+02:00), or none of them")                     \
    X(NOT_A_COUNT, NUMBER, "is not a number", "a whole number such as 8")                          \
    X(NOT_WHOLE, FRACTION, "is not a whole number",                                                \
      "a gang holds whole GPUs, or one share of each (column gpu_milli)")                          \
    X(TOO_FINE, FRACTION, "has more than three decimals", "shares are in thousandths, e.g. 0.125") \
    X(NOT_A_SHARE, RANGE, "is no share of a GPU", "thousandths of a GPU, from 1 to 1000")          \
    X(TWO_SHARES, RANGE, "is not the share given by gpus",                                         \
      "gpus 0.5 alone, or gpus 1 and gpu_milli 500")                                               \
    X(TOO_LARGE, RANGE, "is out of range", NULL)                                                   \
    X(TOO_LONG, RANGE, "is out of range",                                                          \
      "times may be in another unit: --time-unit=ms reads bare numbers as ms")                     \
    X(TOO_MANY, RANGE, "is out of range", "at most 4294967295: is it the right column?")           \
    X(OVER_100, RANGE, "is out of range", "percent, from 0 to 100")                                \
    X(NEGATIVE, RANGE, "is negative", NULL)                                                        \
    X(NOT_A_BATCH, NUMBER, "is not a whole number from 1 on",                                      \
      "samples a step; leave it empty for a model without")                                        \
    X(NOT_A_FLAG, CLASS, "is neither 0 nor 1",                                                     \
      "1: a job of the best effort; 0: one with a deadline")                                       \
    X(NOT_ATTEMPTS, NUMBER, "is not a list of run times",                                          \
      "at most 65535, e.g. 10/20: fails after 10 s, then runs for 20 s")                           \
    X(NOT_OPTIONS, NUMBER, "is not a list of times and values",                                    \
      "at most 64 in order of time, e.g. 60:10/90:2.5: done 60 s after submission, it is worth "   \
      "10")                                                                                        \
    X(NOT_A_CURVE, NUMBER, "is not a loss curve",                                                  \
      "b0/b1/b2/threshold above 0 (b2: or 0), at most 4000, to six decimals: 1/1.25/0.2/0.01")     \
    X(NOT_VALUES, NUMBER, "is not a list of values, one for each of the times",                    \
      "10-5 beside 159-189; times ascend")                                                         \
    X(NOT_THE_SUM, RANGE, "does not add up to duration",                                           \
      "10/20 where duration is 30; --retries=merge leaves it alone")

enum hs_cell_result {
    HS_CELL_OK,
#define HS_CELL_ENUM(name, fault, what, hint) HS_CELL_##name,
    HS_CELL_LIST(HS_CELL_ENUM)
#undef HS_CELL_ENUM
};

enum hs_cell_result hs_cell_span(const char *text, size_t len, int64_t unit_us, int64_t *out_us);

/* Parses [days-]hours:minutes:seconds, of which days, and hours, may be missing. */
bool hs_cell_clock(const char *text, int64_t *us);

/* Tells whether the text stands for a missing number: "", "None", "NaN", "NA", "null" or "-". */
bool hs_cell_is_missing(const char *text);

/* The run times of a job's attempts, collected while a row is read, in storage reused for all rows:
 * set count to 0, add, give. */
#define HS_ATTEMPTS_MAX 65535 /* of one job */

struct hs_attempt_list {
    int64_t *run_us;
    uint32_t count, cap;
};

/* The list must be shorter than HS_ATTEMPTS_MAX. */
void hs_attempts_add(struct hs_attempt_list *list, int64_t run_us);
/* Sets the attempts of the job; a single attempt counts as none. */
void hs_attempts_give(const struct hs_attempt_list *list, struct hs_trace_job *job);
void hs_attempts_free(struct hs_attempt_list *list);

/* The deadline options of a job, likewise. */
#define HS_DEADLINE_OPTIONS_MAX 64 /* of one job */

struct hs_option_list {
    struct hs_deadline_option *of;
    uint32_t count, cap;
};

/* False if these texts are no span behind the last one, and no value in thousandths, or the list is
 * full. */
bool hs_options_add(struct hs_option_list *list, const char *span, size_t span_len,
                    const char *value, size_t value_len, int64_t unit_us);
/* Sets the deadline options of a job with a known submission; the first becomes its deadline if it
 * has none. */
void hs_options_give(const struct hs_option_list *list, struct hs_trace_job *job);

/* ---- formats ---- */

struct hs_trace_layout;
struct hs_column;

struct hs_trace_format {
    const char *name, *summary;
    const char *columns; /* required columns, as one line for messages and `horus help formats` */
    bool has_attempts;   /* the format may contain attempts */
    bool is_sorted;      /* rows are always in order of submission: none is buffered */
    const struct hs_trace_layout *layout; /* how it is written (see below); NULL = read only */
    /* Recognition, 0..100: `certainty` if the first line of a CSV has all names of `header`
     * (separated by commas, ignoring case), else the result of recognise for the first bytes; NULL
     * = 0. */
    const char *header;
    int certainty;
    int (*recognise)(const char *head, size_t len);
    /* For a format that is a table (see below): its columns. Then open, next, place and close
     * default to those of the table, and its state is or begins with the table. */
    const struct hs_column *table;
    uint32_t table_columns;
    int64_t unit_us;     /* unit of times without a unit; 0 = seconds */
    bool is_unit_fixed;  /* defined by the format: --time-unit does not apply */
    bool may_lack_ids;   /* the row number is the id if the file has no ids */
    bool is_header_less; /* usually: if the first line does not begin with the first column's name,
                            it is a row, and fields are the columns in order of the table */
    size_t state_size;   /* 0 = size of the table */
    /* Bad rows are reported to faults, everything else to faults->diag. */
    enum hs_status (*open)(void *state, struct hs_input *input,
                           const struct hs_trace_options *options, struct hs_faults *faults);
    /* Returns HS_OK: job is filled, or *dropped (0 on entry) is 1 + drop kind and the row is only
     * counted. HS_END. HS_E_INPUT through hs_trace_bad_row: the row is bad; the next call continues
     * with the next row. Any other failure ends the trace. */
    enum hs_status (*next)(void *state, struct hs_trace_job *job, int *dropped);
    /* Returns the place of a value of the last row, by its native column name ("submit_time"), for
     * messages of the caller. */
    struct hs_place (*place)(void *state, const char *column);
    /* Returns the total number of rows; NULL = unknown before the end. */
    uint64_t (*rows)(const void *state);
    /* Called also after a failed open; the state is zeroed before open. */
    void (*close)(void *state);
};

const struct hs_trace_format *hs_trace_format_at(size_t index); /* NULL after the last */
const struct hs_trace_format *hs_trace_format_find(const char *name);
/* Returns HS_E_USAGE with the nearest name unless name is a format or "auto". */
HS_MUST_USE enum hs_status hs_trace_format_check(const char *name, struct hs_diag *diag);

/* Hint for --retries=attempts if there are none. */
#define HS_NO_ATTEMPTS_HINT "--retries=merge runs each job once, --retries=generate draws attempts"

/* ---- words ----
 *
 * Texts for the values of an enumeration. A negative value is -1 - enum hs_drop: the row is
 * dropped. */

struct hs_word {
    const char *word;
    int value;
};

struct hs_words {
    const char *what, *hint; /* "unknown WHAT 'x'"; allowed words */
    enum hs_fault fault;     /* fault of unknown words */
    bool is_exact;           /* case matters */
    struct hs_word of[16];   /* terminated by a NULL word */
};

#define HS_WORD_DROPS(drop) (-1 - HS_DROP_##drop)
#define HS_NO_WORD          INT_MIN

/* The words for a job's outcome in all formats. */
extern const struct hs_words hs_outcome_words;

/* Returns the value of the word text[0, len); HS_NO_WORD if unknown. */
int hs_trace_word(const struct hs_words *words, const char *text, size_t len);

/* ---- rows of a trace in file order ----
 *
 * Opens the input, recognises its format, reads and checks rows through it, and counts those that a
 * rule drops. Used by trace_stream.c, which sorts and filters, and by trace_report.c. */

/* Job ids seen so far, by a 64-bit hash, with open addressing. An id is a text and the number at
 * its end. Ids with equal text whose numbers differ only in the last 6 bits share a slot (a key and
 * a bit set): consecutive ids need 0.3 to 0.7 bytes each. Ids whose number has fewer than 4 digits,
 * as most irregular ids, use a slot with just a key each, 11 to 21 bytes. */
struct hs_id_set {
    uint64_t *words;
    uint64_t size, count; /* slots, a power of two; used slots */
};

struct hs_reader {
    const struct hs_trace_options *options;
    const struct hs_trace_format *format;
    enum hs_status (*next)(void *state, struct hs_trace_job *job, int *dropped);
    void *state;
    struct hs_input *input;
    struct hs_faults faults;
    uint32_t outcomes_kept;        /* bit set of enum hs_outcome */
    bool allows_duplicates;        /* job ids may repeat */
    int64_t first_us, first_line;  /* of the first row accepted; line 0 = none yet */
    bool is_span_told;             /* the warning about submissions years apart was given */
    struct hs_id_set ids, numbers; /* with one and two words per slot; key 0 = free */
    uint64_t last_key, *last_bits; /* of numbers: consecutive ids usually share it */
    struct hs_trace_counts counts; /* accepted, bad, reordered are not set by the reader */
};

/* severity: of bad rows. Must be closed even after a failure. */
HS_MUST_USE enum hs_status hs_reader_open(struct hs_reader *reader,
                                          const struct hs_trace_options *options,
                                          enum hs_severity severity, struct hs_diag *diag);
/* Returns the next row that no rule drops. HS_E_INPUT with faults.is_row_bad: one bad row, the next
 * call continues after it; any other failure is final. */
HS_MUST_USE enum hs_status hs_reader_next(struct hs_reader *reader, struct hs_trace_job *job);
/* Returns the place of a value of the last row, by native column name. */
struct hs_place hs_reader_place(const struct hs_reader *reader, const char *column);
void hs_reader_close(struct hs_reader *reader);

/* ---- tables ----
 *
 * Common code of the CSV formats: a table of columns gives for each member of a trace job its
 * header name and kind. Columns are resolved once; a row then costs one pass over the columns
 * present and no allocation. Cells are read in the order of the table: state must be first and the
 * GPU count second, so that rows dropped for them are not checked for other faults. */

enum hs_cell {
    HS_CELL_ID,          /* text, must not be empty */
    HS_CELL_TEXT,        /* text, empty = NULL; kinds from here on convert the text */
    HS_CELL_NAME,        /* text, NULL if missing (hs_cell_is_missing) */
    HS_CELL_TIME,        /* number in the time unit, or a date and time */
    HS_CELL_SPAN,        /* number in the time unit */
    HS_CELL_COUNT,       /* whole number, "8" or "8.0", to uint32_t */
    HS_CELL_GPUS,        /* the same, or a share below 1, to gpus and gpu_milli */
    HS_CELL_SHARE,       /* 1..1000, of each GPU: gpu_milli; must follow gpus */
    HS_CELL_MILLI,       /* number with up to three decimals, to uint32_t thousandths */
    HS_CELL_MIB,         /* size, bare number = MiB, to uint32_t */
    HS_CELL_PERCENT,     /* 0..100 with decimals, to int32_t per mille */
    HS_CELL_INT,         /* int32_t */
    HS_CELL_FATE,        /* outcome; a job still running is dropped */
    HS_CELL_GUESS,       /* the same if its first value is one, else left alone with a warning */
    HS_CELL_BATCH,       /* whole number >= 1, "64" or "64.0", as text without sign or decimals */
    HS_CELL_CLASS,       /* enum hs_job_class, case ignored */
    HS_CELL_BEST_EFFORT, /* 1: opportunistic; 0: guaranteed; to enum hs_job_class */
    HS_CELL_ATTEMPTS,    /* spans joined by '/', whose sum is the duration; must follow it */
    HS_CELL_OPTIONS, /* "60:10/90:5": spans after submission, values; must follow the deadline */
    HS_CELL_LOSS,    /* "1/1.25/0.2/0.01": a loss curve, b0/b1/b2/threshold */
    HS_CELL_OWN,     /* read by the format (hs_table_cell); may be empty even if required */
};

struct hs_column {
    const char *key;  /* native name */
    const char *name; /* in the header of this format */
    enum hs_cell kind;
    bool is_required; /* the column must exist and its cells must not be empty */
    size_t offset;    /* in struct hs_trace_job */
};

#define HS_COLUMN(key, name, kind, is_required, member)                                            \
    {                                                                                              \
        key, name, HS_CELL_##kind, is_required, offsetof(struct hs_trace_job, member)              \
    }

/* The members of a format whose table has these columns. */
#define HS_TABLE(columns_) .table = columns_, .table_columns = HS_COUNT_OF(columns_)

#define HS_TABLE_COLUMNS_MAX 36
#define HS_ROW_NUMBER        "@row" /* as a source name: the row number, from 0 */

/* A column present in the file. */
struct hs_table_binding {
    const struct hs_column *column;
    uint32_t field;
    uint16_t kind, offset; /* copies from the column */
    int64_t unit_us;       /* of bare numbers, if they are times */
    bool is_filled;        /* an empty cell makes the row bad */
    bool may_drop;         /* may drop the row: by outcome, or as a CPU job */
};

struct hs_table {
    struct hs_csv *csv;
    struct hs_csv_row row;
    struct hs_csv_row header;                    /* field names */
    const char *own_names[HS_TABLE_COLUMNS_MAX]; /* for a file without header */
    bool is_row_pending;                         /* `row` was read ahead */
    struct hs_faults *faults;
    const struct hs_column *columns;
    uint32_t column_count;
    uint32_t field_of[HS_TABLE_COLUMNS_MAX];             /* UINT32_MAX = not in the file */
    struct hs_table_binding bound[HS_TABLE_COLUMNS_MAX]; /* in order of the table */
    uint32_t bound_count;
    uint32_t field_count;
    int64_t unit_us;
    uint64_t row_number; /* of the last row read, from 0 */
    char row_text[HS_FMT_MAX + 1], batch_text[HS_FMT_MAX + 1];
    struct hs_trace_job blank; /* initial value of a row; copying is faster than clearing */
    bool is_id_row_number;
    bool is_unit_fixed; /* by option or format; else duration_ms, say, is in milliseconds */
    bool skips_cpu_jobs;
    bool keeps_attempts;
    bool keeps_recorded;       /* binds the columns of recorded starts and ends */
    const char *map_values;    /* of the options */
    char guess[64];            /* name of the column of kind HS_CELL_GUESS */
    bool is_from_times;        /* run time = end - start, for no column has it */
    bool has_dates, has_zones; /* the file has dates; with offsets from UTC */
    bool is_clock_told;        /* the warning about dates and numbers was given */
    struct hs_last_date last_date;
    struct hs_attempt_list attempts; /* of the current row */
    struct hs_option_list options;   /* likewise */
};

/* Opens the table of faults->format. names: source names that replace those of the columns, "" to
 * ignore a column; NULL entries or NULL: the default names. */
HS_MUST_USE enum hs_status hs_table_open(struct hs_table *table, struct hs_input *input,
                                         const struct hs_trace_options *options,
                                         struct hs_faults *faults, const char *const *names);
/* Returns the column of a header that has a common other name for job_id, submit_time, gpus,
 * duration, start_time, end_time, user, vc or status; NULL if none has. */
const char *hs_table_known_name(const struct hs_csv_row *header, const char *key);
/* The unit of bare times: that of the column's name, if neither options nor format tell one. */
int64_t hs_table_unit_of(const struct hs_table *table, const struct hs_column *column,
                         uint32_t field);
/* Reports all missing columns in one message, with a complete --map, as far as names can be
 * guessed; names as in hs_table_open. HS_E_INPUT. */
enum hs_status hs_table_fail_missing(const struct hs_table *table, const char *const *names);
extern const char hs_trace_sacct[]; /* the command that prints what the format slurm reads */
/* Refuses what is often at hand and no trace, with what to do instead. HS_E_INPUT. */
enum hs_status hs_trace_refuse_known(const char *head, size_t len, const struct hs_place *place,
                                     struct hs_diag *diag);
/* Warns, once, of dates of local time beside seconds since 1970: these are apart by the offset from
 * UTC. */
HS_COLD void hs_table_warn_of_clocks(struct hs_table *table);
/* Warns of text that is not UTF-8 among the first bytes of a file: outputs would hold it. */
void hs_trace_warn_of_encoding(const char *head, size_t len, struct hs_place place,
                               struct hs_diag *diag);
/* The members next, place and close of a format whose state begins with a struct hs_table. */
HS_MUST_USE enum hs_status hs_table_next(void *state, struct hs_trace_job *job, int *dropped);
struct hs_place hs_table_place(void *state, const char *key);
void hs_table_close(void *state);

/* The same for a table without quotes or header (hs_plain_open), whose format reads rows and cells
 * itself and must fill field_of. */
void hs_table_open_plain(struct hs_table *table, struct hs_input *input, char delimiter,
                         struct hs_faults *faults, const struct hs_column *columns, uint32_t count);

/* Returns the text of a cell of the last row, by index in the table of columns, without surrounding
 * blanks; "" if the file has no such column. */
const char *hs_table_cell(const struct hs_table *table, uint32_t index);
/* Parse these cells as numbers; an invalid one is HS_E_INPUT, reported. A missing time is
 * allowed. */
enum hs_status hs_table_cell_span(const struct hs_table *table, uint32_t index, int64_t *out_us);
enum hs_status hs_table_cell_count(const struct hs_table *table, uint32_t index, uint32_t *out);
enum hs_status hs_table_cell_time(struct hs_table *table, uint32_t index, int64_t *out_us,
                                  bool *is_there);
/* Parses a decimal number >= 0, times the unit; 0 if missing. */
enum hs_status hs_table_cell_scaled(const struct hs_table *table, uint32_t index, int64_t unit,
                                    int64_t *out);
/* Parses a whole number >= 0 without decimals. */
enum hs_status hs_table_cell_whole(const struct hs_table *table, uint32_t index, int64_t *out);
/* Sets *out to the value of a word, or *dropped; an empty cell leaves *out unchanged. */
enum hs_status hs_table_cell_word(const struct hs_table *table, uint32_t index,
                                  const struct hs_words *words, int *out, int *dropped);
struct hs_place hs_table_spot(const struct hs_table *table, uint32_t index);
/* Returns HS_E_INPUT, reported, unless result is OK. */
enum hs_status hs_table_check(const struct hs_table *table, uint32_t index,
                              enum hs_cell_result result);

/* Returns the delimiter of a first line: the most frequent of , ; | and tab, or a comma if there is
 * none. */
char hs_header_delimiter(const char *head, size_t len);
/* Tells whether the first line of a CSV file has all these fields ("a,b"), ignoring case. */
bool hs_header_has(const char *head, size_t len, const char *names);

/* ---- writing ----
 *
 * Writes jobs in any format with a layout, compressed if the file name says so. Read with default
 * options, a native CSV gives the same records except their line numbers; jobs without GPUs need
 * --cpu-jobs=keep, attempts --retries=attempts. Other formats store less: struct hs_lossy_fields
 * counts what is lost.
 *
 *     HS_TRY(hs_trace_writer_choose("auto", "out.csv.gz", &format, diag));
 *     HS_TRY(hs_trace_writer_open(&w, format, NULL, "out.csv.gz", diag));
 *     while ((status = source.next(source.ctx, &job)) == HS_OK)
 *         hs_trace_writer_put(&w, &job);
 *     return hs_trace_writer_close(&w, status == HS_END ? HS_OK : status, diag);
 *
 * A layout is the part of a format that describes writing: which fields of a job it has, their
 * precision, and for a CSV its cells. A cell with the name of a column of the table is written by
 * that column's kind; other cells are written by a function, as in formats/helios.c. A format that
 * is not CSV has begin, put and end instead of a header; its columns state what it stores. */

/* A cell that the format writes itself. */
struct hs_layout_cell {
    const char *name;                                                 /* in the header */
    void (*put)(struct hs_csvw *csv, const struct hs_trace_job *job); /* writes exactly one field */
};

struct hs_trace_layout {
    const char *suffix;  /* of file names: ".csv"; NULL = chosen only by name */
    const char *made_up; /* what it contains that no job record has, for a note; or NULL */
    const struct hs_column *columns; /* its fields; those without a cell are only read */
    uint32_t column_count;
    const char *header;                 /* names of the cells, comma-separated; NULL = no CSV */
    const struct hs_layout_cell *cells; /* special cells; ends with a NULL name; NULL = none */
    int64_t grain_us;                   /* times are multiples of this; 0 = exact */
    uint32_t cpu_grain;          /* CPU cores are multiples of this, in thousandths; 0 = exact */
    bool has_dates;              /* times are dates and times of day; false = seconds */
    const char *const *outcomes; /* a word per enum hs_outcome, NULL = none; NULL = native words */
    /* Tells whether a member that the format has and the job sets is read back as the same value,
     * apart from rounding; NULL = always. */
    bool (*keeps)(const struct hs_trace_job *job, const struct hs_column *column);
    /* For a format that is not CSV; it writes to &csv->out, whose errors are sticky. The state is
     * zeroed before begin; end is called only after begin, frees its memory and returns the first
     * failure, reported. options: of the writer, or NULL. */
    size_t state_size;
    enum hs_status (*begin)(void *state, struct hs_csvw *csv,
                            const struct hs_trace_options *options, struct hs_diag *diag);
    void (*put)(void *state, const struct hs_trace_job *job);
    enum hs_status (*end)(void *state);
};

/* Returns the column that stores this member of a job (given by offset); NULL if the format has
 * none. */
const struct hs_column *hs_layout_holds(const struct hs_trace_layout *layout, size_t member);
/* Tells whether the job has a value in this field other than "not given". */
bool hs_job_tells(const struct hs_trace_job *job, const struct hs_column *column);
/* Returns the format's word for an outcome, or NULL. */
const char *hs_layout_outcome(const struct hs_trace_layout *layout, enum hs_outcome outcome);
/* Round to the nearest multiple of the grain; a span above 0 becomes at least one. */
int64_t hs_layout_round_time(const struct hs_trace_layout *layout, int64_t us);
int64_t hs_layout_round_span(const struct hs_trace_layout *layout, int64_t us);
/* Writes a field with date and time. */
void hs_layout_put_date(struct hs_csvw *csv, int64_t us);
/* Rounds all times that are given, and cores (up), but not times of attempts. */
void hs_layout_round(const struct hs_trace_layout *layout, struct hs_trace_job *job);

struct hs_trace_writer {
    struct hs_wholefile file;
    struct hs_csvw csv; /* owns the output of `file` while open */
    const struct hs_trace_layout *layout;
    struct hs_writer_cell {
        const struct hs_column *column; /* or NULL */
        void (*put)(struct hs_csvw *csv, const struct hs_trace_job *job);
    } cells[HS_TABLE_COLUMNS_MAX]; /* of a CSV */
    uint32_t cell_count;
    void *state; /* of a format that is not CSV */
};

/* Returns HS_E_USAGE unless name is "auto" or a writable format. */
HS_MUST_USE enum hs_status hs_trace_writer_check(const char *name, struct hs_diag *diag);
/* Chooses the named format, or for "auto" or NULL that of the file's suffix (".csv.gz": native
 * CSV). HS_E_USAGE if there is none that can be written. */
HS_MUST_USE enum hs_status hs_trace_writer_choose(const char *name, const char *path,
                                                  const struct hs_trace_format **format,
                                                  struct hs_diag *diag);
/* Opens a file, complete or absent after the close; "-" is standard output. The writer must not
 * move until then. format must have a layout. options: some formats need files to write, as to read
 * (gavel_throughputs); NULL for none. */
HS_MUST_USE enum hs_status hs_trace_writer_open(struct hs_trace_writer *w,
                                                const struct hs_trace_format *format,
                                                const struct hs_trace_options *options,
                                                const char *path, struct hs_diag *diag);
/* Errors are sticky in the output and reported by the close. */
void hs_trace_writer_put(struct hs_trace_writer *w, const struct hs_trace_job *job);
/* status: of the data written; the file is kept only if it is HS_OK. */
HS_MUST_USE enum hs_status hs_trace_writer_close(struct hs_trace_writer *w, enum hs_status status,
                                                 struct hs_diag *diag);

/* What jobs lose when written in another format: members it does not have, times and cores it
 * rounds, values that are read back differently. Determined from the tables of both; O(columns) per
 * job. Counts each written job; warns at the end if anything was lost. */
struct hs_lossy_fields {
    const struct hs_trace_format *to;
    const struct hs_trace_layout *native;               /* its columns are all members */
    const struct hs_column *held[HS_TABLE_COLUMNS_MAX]; /* the columns with them; NULL = lost */
    bool is_alias[HS_TABLE_COLUMNS_MAX];                /* another column has the same member */
    uint64_t lost[HS_TABLE_COLUMNS_MAX];                /* number of jobs that had it */
    uint64_t rounded[HS_TABLE_COLUMNS_MAX], changed[HS_TABLE_COLUMNS_MAX];
    uint64_t outcomes[HS_OUTCOME_COUNT]; /* number of jobs with outcomes without a word */
    uint64_t jobs;
};

/* to must have a layout. */
void hs_lossy_fields_open(struct hs_lossy_fields *lossy, const struct hs_trace_format *to);
void hs_lossy_fields_count(struct hs_lossy_fields *lossy, const struct hs_trace_job *job);
/* One warning per member, in the order of the native columns; returns whether there is any. */
bool hs_lossy_fields_warn(const struct hs_lossy_fields *lossy, struct hs_diag *diag);
