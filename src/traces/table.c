/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of a CSV file to trace jobs, and what a format may ask of the row just read. O(columns
 * present) a row.
 */
#include "traces/table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fmt.h"
#include "base/word8.h"
#include "traces/cell.h"

#define SHORT_UNIT_US INT64_C(1000000) /* of it eight digits are far from any limit */

static HS_COLD enum hs_status fail_cell(const struct hs_table *table,
                                        const struct hs_column *column, uint32_t field,
                                        enum hs_cell_result result)
{
    struct hs_place place = hs_csv_place(table->csv, field);
    return hs_cell_fail(table->faults, result, &place, column->name, table->row.fields[field]);
}

static HS_COLD enum hs_status fail_empty(const struct hs_table *table,
                                         const struct hs_column *column, uint32_t field)
{
    struct hs_place place = hs_csv_place(table->csv, field);
    return hs_trace_bad_row(table->faults, HS_FAULT_MISSING, &place, NULL, "%s is empty",
                            column->name);
}

static HS_COLD enum hs_status fail_count(const struct hs_table *table)
{
    struct hs_place place = hs_csv_place(table->csv, table->row.count);
    return hs_trace_bad_row(table->faults, HS_FAULT_FIELDS, &place, NULL,
                            "%u fields where the header has %u", table->row.count,
                            table->field_count);
}

/* The first len bytes of a word, at most eight; 0 behind them. No branch: lengths are anything. */
static inline uint64_t head_of(uint64_t word, size_t len)
{
    return word & ~(UINT64_MAX << 4 * len << 4 * len);
}

/* Where the word is, or is to be; the cell has up to sixteen bytes, and both are set to them. */
static inline struct hs_fate_word *fate_word(struct hs_table *table, const char *text, size_t len,
                                             uint64_t *head, uint64_t *tail)
{
    *head = head_of(hs_word8_at(text), len < 8 ? len : 8);
    *tail = head_of(hs_word8_at(text + 8), len < 8 ? 0 : len - 8);
    /* 2^64 over the golden ratio: the upper bits depend on every byte */
    const uint64_t spread = *head * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return &table->fates[spread % HS_FATE_WORDS];
}

/* Every row has one of a few words. False: it is another, or no outcome. */
static inline bool recall_outcome(struct hs_table *table, const char *text, size_t len,
                                  enum hs_outcome *out)
{
    uint64_t head, tail;
    if (HS_UNLIKELY(len > 16))
        return false;
    const struct hs_fate_word *word = fate_word(table, text, len, &head, &tail);
    if (HS_UNLIKELY(word->head != head || word->tail != tail || word->fate < 0 ||
                    word->fate == HS_FATE_RUNNING))
        return false;
    *out = (enum hs_outcome)word->fate;
    return true;
}

static int learn_fate(struct hs_table *table, const char *text, size_t len)
{
    uint64_t head, tail;
    const int fate = hs_fate_parse(text, len);
    if (len <= 16) {
        struct hs_fate_word *word = fate_word(table, text, len, &head, &tail);
        *word = (struct hs_fate_word){head, tail, fate};
    }
    return fate;
}

static enum hs_status read_fate(struct hs_table *table, uint32_t field, const char *text,
                                size_t len, enum hs_outcome *out, int *dropped)
{
    int fate = learn_fate(table, text, len);
    if (fate < 0) {
        struct hs_place place = hs_csv_place(table->csv, field);
        return hs_trace_bad_row(table->faults, HS_FAULT_STATE, &place,
                                "COMPLETED, CANCELLED, FAILED, TIMEOUT, NODE_FAIL, RUNNING, "
                                "SUSPENDED, Pass, Killed or unknown",
                                "unknown state '%s'", text);
    }
    if (fate == HS_FATE_RUNNING)
        *dropped = 1 + HS_DROP_STILL_RUNNING;
    else
        *out = (enum hs_outcome)fate;
    return HS_OK;
}

static enum hs_status read_class(const struct hs_table *table, uint32_t field, const char *text,
                                 size_t len, enum hs_job_class *out)
{
    const char *names[HS_JOB_CLASS_COUNT];
    if (hs_cell_is_missing(text, len))
        return HS_OK;
    for (int i = 0; i < HS_JOB_CLASS_COUNT; i++) {
        names[i] = hs_job_class_text((enum hs_job_class)i);
        if (strcasecmp(names[i], text) != 0)
            continue;
        *out = (enum hs_job_class)i;
        return HS_OK;
    }
    char hint[96] = "guaranteed, opportunistic or auto; --map=class= leaves the column alone";
    const char *nearest = hs_nearest(text, names, HS_JOB_CLASS_COUNT);
    if (nearest != NULL)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    struct hs_place place = hs_csv_place(table->csv, field);
    return hs_trace_bad_row(table->faults, HS_FAULT_CLASS, &place, hint, "unknown class '%s'",
                            text);
}

/* As text, for it is part of a profile's key. */
static enum hs_cell_result read_batch(struct hs_table *table, const char *text, size_t len,
                                      const char **out)
{
    uint32_t batch;
    enum hs_cell_result result = hs_cell_batch(text, len, &batch);
    if (result != HS_CELL_OK)
        return result;
    table->batch_text[hs_fmt_u64(table->batch_text, batch)] = '\0';
    *out = table->batch_text;
    return HS_CELL_OK;
}

/* Of a job whose GPUs were told as a share, the same or nothing. */
static enum hs_cell_result read_share(const char *text, size_t len, uint32_t *milli)
{
    uint32_t share;
    enum hs_cell_result result = hs_cell_count(text, len, &share);
    if (result != HS_CELL_OK)
        return result;
    if (*milli != 0 && *milli != share)
        return HS_CELL_TWO_SHARES;
    if (share == 0 || share > 1000)
        return HS_CELL_NOT_A_SHARE;
    *milli = share;
    return HS_CELL_OK;
}

static enum hs_cell_result read_number(struct hs_table *table, const struct hs_bound *bound,
                                       const char *text, size_t len, struct hs_trace_job *job)
{
    void *out = (char *)job + bound->offset;
    switch (bound->kind) {
    case HS_CELL_GPUS:
        return hs_cell_gpus(text, len, &job->gpus, &job->gpu_milli);
    case HS_CELL_SHARE:
        return read_share(text, len, &job->gpu_milli);
    case HS_CELL_MILLI:
        return hs_cell_milli(text, len, out);
    case HS_CELL_MIB:
        return hs_cell_mib(text, len, out);
    case HS_CELL_PERCENT:
        return hs_cell_percent(text, len, out);
    case HS_CELL_INT:
        return hs_cell_int(text, len, out);
    case HS_CELL_BATCH:
        return read_batch(table, text, len, out);
    case HS_CELL_BEST_EFFORT:
        return hs_cell_best_effort(text, len, out);
    default: /* those of read_any */
        return HS_CELL_NOT_A_NUMBER;
    }
}

static enum hs_status read_attempts(struct hs_table *table, const struct hs_column *column,
                                    uint32_t field, struct hs_trace_job *job)
{
    const char *text = table->row.fields[field];
    size_t len = table->row.lengths[field];
    enum hs_cell_result result;
    if (hs_cell_is_missing(text, len))
        return HS_OK;
    if (!table->keeps_attempts) {
        table->faults->is_folded = memchr(text, '/', len) != NULL;
        return HS_OK;
    }
    if (hs_attempts_parse(&table->attempts, text, len, table->unit_us, job->duration_us, &result) !=
        HS_OK)
        return hs_fail(table->faults->diag, HS_E_MEMORY, NULL, NULL,
                       "no memory for the attempts of a job");
    if (result != HS_CELL_OK)
        return fail_cell(table, column, field, result);
    hs_attempts_give(&table->attempts, job);
    return HS_OK;
}

/* A cell of any kind and text. */
static HS_APART enum hs_status read_any(struct hs_table *table, const struct hs_bound *bound,
                                        const char *text, size_t len, struct hs_trace_job *job,
                                        int *dropped)
{
    const struct hs_column *column = bound->column;
    void *out = (char *)job + bound->offset;
    enum hs_cell_result result;
    switch (bound->kind) {
    case HS_CELL_TIME:
        result = hs_cell_time(text, len, table->unit_us, &table->day, out);
        break;
    case HS_CELL_SPAN:
        result = hs_cell_span(text, len, table->unit_us, out);
        break;
    case HS_CELL_COUNT:
        result = hs_cell_count(text, len, out);
        break;
    case HS_CELL_FATE:
        return read_fate(table, bound->field, text, len, out, dropped);
    case HS_CELL_CLASS:
        return read_class(table, bound->field, text, len, out);
    case HS_CELL_ATTEMPTS:
        return read_attempts(table, column, bound->field, job);
    case HS_CELL_OWN:
        return HS_OK;
    default:
        result = read_number(table, bound, text, len, job);
    }
    if (HS_LIKELY(result == HS_CELL_OK) || (!column->is_required && hs_cell_is_missing(text, len)))
        return HS_OK;
    return fail_cell(table, column, bound->field, result);
}

/* Nearly all numbers are of few digits; a cell may be read behind its end. */
static inline bool read_short_span(const char *text, size_t len, int64_t unit_us, int64_t *out_us)
{
    uint32_t number;
    if (HS_UNLIKELY(unit_us > SHORT_UNIT_US || !hs_word8_number(hs_word8_at(text), len, &number)))
        return false;
    *out_us = number * unit_us;
    return true;
}

static inline bool read_short_milli(const char *text, size_t len, uint32_t *out_milli)
{
    uint32_t number;
    if (!hs_word8_number(hs_word8_at(text), len, &number) || number > UINT32_MAX / 1000)
        return false;
    *out_milli = number * 1000;
    return true;
}

/* As most counts are. */
static inline bool read_digit(const char *text, size_t len, uint32_t *out)
{
    const uint32_t digit = (uint32_t)(unsigned char)text[0] - '0';
    if (len != 1 || digit > 9)
        return false;
    *out = digit;
    return true;
}

/* What nearly every cell holds of the kinds that nearly every file has; else false. */
static inline bool read_usual(struct hs_table *table, const struct hs_bound *bound,
                              const char *text, size_t len, struct hs_trace_job *job)
{
    void *out = (char *)job + bound->offset;
    switch (bound->kind) {
    case HS_CELL_TIME:
        return len > 8 ? hs_cell_same_day(text, len, &table->day, out)
                       : read_short_span(text, len, table->unit_us, out);
    case HS_CELL_SPAN:
        return read_short_span(text, len, table->unit_us, out);
    case HS_CELL_COUNT:
        return read_digit(text, len, out) || hs_word8_number(hs_word8_at(text), len, out);
    case HS_CELL_MILLI:
        return read_short_milli(text, len, out);
    case HS_CELL_FATE:
        return recall_outcome(table, text, len, out);
    default:
        return false;
    }
}

static enum hs_status read_cells(struct hs_table *table, struct hs_trace_job *job, int *dropped)
{
    const char *const *fields = table->row.fields;
    const uint32_t *lengths = table->row.lengths;
    const struct hs_bound *stop = table->bound + table->bound_count;
    for (const struct hs_bound *bound = table->bound; bound < stop; bound++) {
        const uint32_t len = lengths[bound->field];
        const char *text = fields[bound->field];
        if (len == 0) {
            if (HS_UNLIKELY(bound->is_filled))
                return fail_empty(table, bound->column, bound->field);
        } else if (bound->kind <= HS_CELL_TEXT) {
            memcpy((char *)job + bound->offset, &text, sizeof text);
        } else if (!read_usual(table, bound, text, len, job)) {
            HS_TRY(read_any(table, bound, text, len, job, dropped));
        }
        if (!bound->may_drop)
            continue;
        if (*dropped == 0 && bound->kind != HS_CELL_FATE && job->gpus == 0)
            *dropped = 1 + HS_DROP_CPU_JOB;
        if (*dropped != 0)
            return HS_OK;
    }
    return HS_OK;
}

enum hs_status hs_table_next(struct hs_table *table, struct hs_trace_job *job, int *dropped)
{
    enum hs_status status = table->is_row_pending ? HS_OK : hs_csv_next(table->csv, &table->row);
    table->is_row_pending = false;
    if (HS_UNLIKELY(status == HS_END))
        return HS_END;
    table->row_number++;
    HS_TRY(status);
    memcpy(job, &table->blank, sizeof *job);
    job->line = table->row.line;
    if (HS_UNLIKELY(table->row.count != table->field_count))
        return fail_count(table);
    if (table->is_id_row_number) {
        table->row_text[hs_fmt_u64(table->row_text, table->row_number)] = '\0';
        job->id = table->row_text;
    }
    return read_cells(table, job, dropped);
}

struct hs_place hs_table_place(const struct hs_table *table, const char *key)
{
    uint32_t field = 0;
    for (uint32_t i = 0; i < table->bound_count; i++)
        if (strcmp(table->bound[i].column->key, key) == 0)
            field = table->bound[i].field;
    return hs_csv_place(table->csv, field);
}

void hs_table_close(struct hs_table *table)
{
    hs_attempts_free(&table->attempts);
    if (table->csv)
        hs_csv_close(table->csv);
}

const char *hs_table_cell(const struct hs_table *table, uint32_t index, size_t *len)
{
    uint32_t field = table->field_of[index];
    *len = field != UINT32_MAX ? table->row.lengths[field] : 0;
    return field != UINT32_MAX ? table->row.fields[field] : "";
}

enum hs_status hs_table_fail(const struct hs_table *table, uint32_t index,
                             enum hs_cell_result result)
{
    return fail_cell(table, &table->columns[index], table->field_of[index], result);
}

enum hs_status hs_table_format_next(void *state, struct hs_trace_job *job, int *dropped)
{
    return hs_table_next(state, job, dropped);
}

struct hs_place hs_table_format_place(void *state, const char *column)
{
    return hs_table_place(state, column);
}

void hs_table_format_close(void *state)
{
    hs_table_close(state);
}

bool hs_header_has(const char *head, size_t len, const char *name)
{
    size_t name_len = strlen(name), at = 0;
    if (len >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0)
        at = 3;
    while (at < len && head[at] != '\n' && head[at] != '\r') {
        size_t end = at;
        while (end < len && head[end] != ',' && head[end] != '\n' && head[end] != '\r')
            end++;
        bool is_quoted = end - at >= 2 && head[at] == '"' && head[end - 1] == '"';
        const char *field = head + at + is_quoted;
        if (end - at - 2 * (size_t)is_quoted == name_len && strncasecmp(field, name, name_len) == 0)
            return true;
        at = end + (end < len && head[end] == ',');
    }
    return false;
}

bool hs_header_has_all(const char *head, size_t len, const char *const *names)
{
    while (*names != NULL && hs_header_has(head, len, *names))
        names++;
    return *names == NULL;
}
