/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Converts rows of a CSV file to trace jobs, and gives formats access to the last row. The header
 * is resolved once, so that a row looks up no name: O(columns present) per row.
 */
#include "base/intern.h"
#include "traces/format.h"

#include <stdio.h>
#include <strings.h>

#include "base/memory.h"

/* ---- cells ---- */

#define MILLION INT64_C(1000000)

static const struct {
    const char *what, *hint;
    enum hs_fault fault;
} results[] = {
#define CELL_RESULT(name, fault, what, hint) [HS_CELL_##name] = {what, hint, HS_FAULT_##fault},
    HS_CELL_LIST(CELL_RESULT)
#undef CELL_RESULT
};

/* Parses up to 9 digits, which cannot overflow: the usual case. */
static bool parse_digits(const char *text, size_t len, uint32_t *out)
{
    if (len - 1 > 8)
        return false;
    uint32_t value = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* Tells whether a text that no parser accepted is a number, which is then too large; 01.03.2024 and
 * 8-16 are none. */
static bool looks_numeric(const char *text, size_t len)
{
    double value;
    return hs_parse_double(text, len, &value);
}

/* Parses a number >= 0, times the unit, in whole steps of the unit. */
static enum hs_cell_result read_scaled(const char *text, size_t len, int64_t unit, int64_t step,
                                       int64_t most, enum hs_cell_result if_large, uint32_t *out)
{
    int64_t value;
    if (!hs_parse_decimal_us(text, len, unit, &value))
        return looks_numeric(text, len) ? if_large : HS_CELL_NOT_A_NUMBER;
    if (value < 0)
        return HS_CELL_NEGATIVE;
    if (value % step != 0)
        return step == MILLION ? HS_CELL_NOT_WHOLE : HS_CELL_TOO_FINE;
    if (value / step > most)
        return if_large;
    *out = (uint32_t)(value / step);
    return HS_CELL_OK;
}

HS_EXPANDED enum hs_cell_result hs_cell_span(const char *text, size_t len, int64_t unit_us,
                                             int64_t *out_us)
{
    uint32_t digits;
    if (HS_LIKELY(unit_us <= MILLION && parse_digits(text, len, &digits)))
        *out_us = (int64_t)digits * unit_us;
    else if (!hs_parse_decimal_us(text, len, unit_us, out_us))
        return looks_numeric(text, len) ? HS_CELL_TOO_LONG : HS_CELL_NOT_A_NUMBER;
    return HS_CELL_OK;
}

bool hs_cell_clock(const char *text, int64_t *us)
{
    const char *dash = strchr(text, '-');
    int64_t parts[3] = {0}, days = 0;
    if (dash != NULL && (!hs_parse_int64(text, (size_t)(dash - text), &days) || days < 0))
        return false;
    text = dash != NULL ? dash + 1 : text;
    for (uint32_t i = 0;; i++, text++) {
        const size_t len = strcspn(text, ":");
        if (i == 3 || !hs_parse_int64(text, len, &parts[2]) || parts[2] < 0 || parts[2] > 1 << 20)
            return false;
        text += len;
        if (*text == '\0')
            break;
        parts[0] = parts[1];
        parts[1] = parts[2];
    }
    *us = (((days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2]) * HS_TRACE_TIME_UNIT_US;
    return days < 1 << 20;
}

/* All dates of a file must have an offset from UTC, or none: otherwise there are two clocks. */
static inline enum hs_cell_result read_time(struct hs_table *table, const char *text, size_t len,
                                            int64_t unit_us, int64_t *out_us)
{
    if (len >= 10 && (text[4] == '-' || text[4] == '/')) {
        if (!hs_parse_datetime_us(text, len, out_us, &table->last_date))
            return HS_CELL_NOT_A_TIME;
        if (!table->has_dates)
            table->has_zones = table->last_date.has_zone;
        table->has_dates = true;
        return table->last_date.has_zone == table->has_zones ? HS_CELL_OK : HS_CELL_OTHER_CLOCK;
    }
    enum hs_cell_result result = hs_cell_span(text, len, unit_us, out_us);
    if (HS_UNLIKELY(table->has_dates && !table->has_zones && !table->is_clock_told))
        hs_table_warn_of_clocks(table);
    return result == HS_CELL_NOT_A_NUMBER ? HS_CELL_NOT_A_TIME : result;
}

static inline enum hs_cell_result read_count(const char *text, size_t len, uint32_t *out)
{
    if (HS_LIKELY(parse_digits(text, len, out)))
        return HS_CELL_OK;
    enum hs_cell_result result =
        read_scaled(text, len, MILLION, MILLION, UINT32_MAX, HS_CELL_TOO_MANY, out);
    return result == HS_CELL_NOT_A_NUMBER ? HS_CELL_NOT_A_COUNT : result;
}

/* Parses a number with at most three decimals, in thousandths. */
static enum hs_cell_result read_milli(const char *text, size_t len, uint32_t *out)
{
    return read_scaled(text, len, MILLION, MILLION / 1000, UINT32_MAX, HS_CELL_TOO_LARGE, out);
}

/* Parses a whole number of GPUs, or a share of one GPU below 1: then sets *milli, which else is
 * unchanged. */
static enum hs_cell_result read_gpus(const char *text, size_t len, uint32_t *gpus, uint32_t *milli)
{
    uint32_t share;
    enum hs_cell_result result = read_count(text, len, gpus);
    if (HS_LIKELY(result != HS_CELL_NOT_WHOLE))
        return result;
    result = read_milli(text, len, &share);
    if (result == HS_CELL_OK && share > 1000)
        return HS_CELL_NOT_WHOLE;
    if (result == HS_CELL_OK) {
        *gpus = 1;
        *milli = share;
    }
    return result;
}

static enum hs_cell_result read_mib(const char *text, size_t len, uint32_t *out)
{
    int64_t mib;
    if (parse_digits(text, len, out))
        return HS_CELL_OK;
    if (!hs_parse_size_mib(text, len, &mib))
        return read_scaled(text, len, 1, 1, UINT32_MAX, HS_CELL_TOO_LARGE, out);
    *out = (uint32_t)mib;
    return mib > (int64_t)UINT32_MAX ? HS_CELL_TOO_LARGE : HS_CELL_OK;
}

bool hs_cell_is_missing(const char *text)
{
    static const char *const words[] = {"", "none", "nan", "na", "null", "-"};
    for (size_t i = 0; i < HS_COUNT_OF(words); i++)
        if (strcasecmp(words[i], text) == 0)
            return true;
    return false;
}

/* ---- attempts ---- */

void hs_attempts_add(struct hs_attempt_list *list, int64_t run_us)
{
    *hs_push(list->run_us, list->count, list->cap, HS_ATTEMPTS_MAX) = run_us;
}

void hs_attempts_give(const struct hs_attempt_list *list, struct hs_trace_job *job)
{
    job->attempts = list->count > 1 ? list->count : 0;
    job->attempts_us = list->count > 1 ? list->run_us : NULL;
}

void hs_attempts_free(struct hs_attempt_list *list)
{
    hs_free(list->run_us);
    *list = (struct hs_attempt_list){0};
}

/* ---- deadline options ---- */

bool hs_options_add(struct hs_option_list *list, const char *span, size_t span_len,
                    const char *value, size_t value_len, int64_t unit_us)
{
    int64_t after_us, milli;
    if (list->count == HS_DEADLINE_OPTIONS_MAX ||
        hs_cell_span(span, span_len, unit_us, &after_us) != HS_CELL_OK || after_us < 0 ||
        after_us > HS_TRACE_TIME_MAX ||
        (list->count > 0 && after_us <= list->of[list->count - 1].after_us) ||
        !hs_parse_decimal_us(value, value_len, 1000, &milli) || milli < 0 || milli > UINT32_MAX)
        return false;
    *hs_push(list->of, list->count, list->cap, HS_DEADLINE_OPTIONS_MAX) =
        (struct hs_deadline_option){after_us, (uint32_t)milli};
    return true;
}

void hs_options_give(const struct hs_option_list *list, struct hs_trace_job *job)
{
    job->options = list->of;
    job->option_count = list->count;
    if (job->deadline_us < 0)
        job->deadline_us = job->submit_us + list->of[0].after_us;
}

/* ---- the header ---- */

static void bind_field(struct hs_table *table, const struct hs_column *column, uint32_t field)
{
    const bool is_guess = column->kind == HS_CELL_FATE && table->guess[0] != '\0';
    bool may_be_empty = column->kind == HS_CELL_FATE || column->kind == HS_CELL_CLASS ||
                        column->kind == HS_CELL_ATTEMPTS || column->kind == HS_CELL_OWN;
    bool tells_cpu_job = table->skips_cpu_jobs && column->kind != HS_CELL_OWN &&
                         column->offset == offsetof(struct hs_trace_job, gpus);
    table->bound[table->bound_count++] =
        (struct hs_table_binding){.column = column,
                                  .field = field,
                                  .kind = (uint16_t)(is_guess ? HS_CELL_GUESS : column->kind),
                                  .offset = (uint16_t)column->offset,
                                  .unit_us = hs_table_unit_of(table, column, field),
                                  .is_filled = column->is_required && !may_be_empty,
                                  .may_drop = column->kind == HS_CELL_FATE || tells_cpu_job};
}

static bool is_recorded(const struct hs_column *column)
{
    return column->offset == offsetof(struct hs_trace_job, start_us) ||
           column->offset == offsetof(struct hs_trace_job, end_us);
}

/* Returns the field with that name; for the native `status`, if no column is called so or outcome,
 * the field with a common other name, a guess. */
static uint32_t find_field(struct hs_table *table, const struct hs_column *column, const char *name,
                           const char *const *names)
{
    const uint32_t field = hs_csv_column(&table->header, name);
    if (field != UINT32_MAX || strcmp(column->key, "status") != 0 || strcmp(name, "status") != 0)
        return field;
    const char *known = hs_table_known_name(&table->header, name);
    bool is_taken = known == NULL || hs_csv_column(&table->header, "outcome") != UINT32_MAX;
    for (uint32_t i = 0; i < table->column_count && names != NULL && !is_taken; i++)
        is_taken = names[i] != NULL &&
                   (table->columns[i].kind == HS_CELL_FATE || strcmp(names[i], known) == 0);
    if (is_taken)
        return UINT32_MAX;
    (void)snprintf(table->guess, sizeof table->guess, "%s", known);
    return hs_csv_column(&table->header, known);
}

static enum hs_status bind_column(struct hs_table *table, uint32_t index, const char *const *names)
{
    const struct hs_column *column = &table->columns[index];
    bool is_named = names && names[index];
    const char *name = is_named ? names[index] : column->name;
    table->field_of[index] = UINT32_MAX;
    if (name[0] == '\0')
        return HS_OK;
    if (column->kind == HS_CELL_ID && strcmp(name, HS_ROW_NUMBER) == 0) {
        table->is_id_row_number = true;
        return HS_OK;
    }
    uint32_t field = find_field(table, column, name, names);
    struct hs_place place = hs_csv_place(table->csv, 0);
    if (field == UINT32_MAX && is_named && !column->is_required)
        return hs_fail(table->faults->diag, HS_E_INPUT, &place,
                       "the right side of a mapping is a column of the file",
                       "no column '%s' for '%s'", name, column->key);
    if (field == UINT32_MAX) {
        table->is_id_row_number |=
            column->kind == HS_CELL_ID && table->faults->format->may_lack_ids;
        return HS_OK;
    }
    uint32_t last = table->header.count - 1;
    name = table->header.fields[field];
    while (strcmp(table->header.fields[last], name) != 0 && last > field)
        last--;
    if (last > field) {
        place = hs_csv_place(table->csv, last);
        return hs_fail(table->faults->diag, HS_E_INPUT, &place, "rename one of them",
                       "column '%s' appears twice", name);
    }
    table->field_of[index] = field;
    bind_field(table, column, field);
    return HS_OK;
}

/* Without a column of the run time, it is from start to end, if both are there: they are read then,
 * and if the options say so. */
static enum hs_status bind_columns(struct hs_table *table, const char *const *names,
                                   bool *has_attempts)
{
    bool is_complete = true;
    uint32_t times = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct hs_column *column = &table->columns[i];
        table->field_of[i] = UINT32_MAX;
        if (is_recorded(column) && !table->keeps_recorded)
            continue;
        HS_TRY(bind_column(table, i, names));
        const bool is_there = table->field_of[i] != UINT32_MAX;
        times += is_there && is_recorded(column);
        *has_attempts |= is_there && column->kind == HS_CELL_ATTEMPTS;
        if (is_there || !column->is_required)
            continue;
        if (column->kind == HS_CELL_SPAN) /* of the run time, in front of start and end */
            table->is_from_times = table->keeps_recorded = true;
        else
            is_complete &= column->kind == HS_CELL_ID && table->is_id_row_number;
    }
    return is_complete && (!table->is_from_times || times == 2)
               ? HS_OK
               : hs_table_fail_missing(table, names);
}

/* Opens the file with the delimiter of its first line, and reads that line. */
static enum hs_status read_header(struct hs_table *table, struct hs_input *input)
{
    const char *head = "";
    size_t len = 0;
    enum hs_status status = hs_input_peek(input, &head, &len);
    if (status != HS_OK && status != HS_END)
        return status;
    hs_csv_open(&table->csv, input, hs_header_delimiter(head, len), &table->faults->relay);
    status = hs_csv_next(table->csv, &table->row);
    return status != HS_END
               ? status
               : hs_fail(table->faults->diag, HS_E_INPUT, HS_AT({.file = hs_input_path(input)}),
                         "the first line names the columns", "the trace is empty");
}

static void set_unit(struct hs_table *table, const struct hs_trace_options *options)
{
    const struct hs_trace_format *format = table->faults->format;
    const bool is_asked = options->time_unit_us > 0 && !format->is_unit_fixed;
    table->unit_us = is_asked              ? options->time_unit_us
                     : format->unit_us > 0 ? format->unit_us
                                           : HS_TRACE_TIME_UNIT_US;
    table->is_unit_fixed = is_asked || format->is_unit_fixed || format->unit_us > 0;
}

enum hs_status hs_table_open(struct hs_table *table, struct hs_input *input,
                             const struct hs_trace_options *options, struct hs_faults *faults,
                             const char *const *names)
{
    const struct hs_trace_format *format = faults->format;
    const struct hs_column *columns = format->table;
    *table = (struct hs_table){.faults = faults,
                               .columns = columns,
                               .column_count = format->table_columns,
                               .row_number = UINT64_MAX,
                               .blank = HS_TRACE_JOB_BLANK(0),
                               .skips_cpu_jobs = options->cpu_jobs == HS_CPU_JOBS_SKIP,
                               .keeps_attempts = options->keeps_attempts,
                               .keeps_recorded = options->keeps_recorded,
                               .map_values = options->map_values};
    set_unit(table, options);
    if (options->map_values != NULL) {
        /* HS_E_USAGE unless it is a list for --map-value. */
        size_t size;
        for (const char *at = options->map_values; *at != '\0'; at += size + (at[size] == ',')) {
            size = strcspn(at, ",");
            const size_t key = strcspn(at, ":,"), equals = strcspn(at, "=,");
            if (key == 0 || key + 1 >= equals || equals + 1 >= size)
                return hs_fail(faults->diag, HS_E_USAGE, NULL,
                               "--map-value=state:Succeeded=completed,state:Error=failed",
                               "'%.*s' is not COLUMN:VALUE=WORD", (int)(size < 64 ? size : 64), at);
        }
    }
    HS_TRY(read_header(table, input));
    table->header = table->row;
    if (format->is_header_less && strcasecmp(table->row.fields[0], columns[0].name) != 0) {
        /* For a file without header: fields are the columns, and the first line is a row. */
        for (uint32_t i = 0; i < table->column_count; i++)
            table->own_names[i] = table->columns[i].name;
        table->header =
            (struct hs_csv_row){.fields = table->own_names, .count = table->column_count};
        table->is_row_pending = true;
    }
    bool has_attempts = false;
    HS_TRY(bind_columns(table, names, &has_attempts));
    if (table->keeps_attempts && !has_attempts) {
        return hs_fail(faults->diag, HS_E_INPUT, HS_AT(hs_csv_place(table->csv, 0)),
                       HS_NO_ATTEMPTS_HINT, "no column 'attempts' for --retries=attempts");
    }
    table->field_count = table->header.count;
    return HS_OK;
}

void hs_table_open_plain(struct hs_table *table, struct hs_input *input, char delimiter,
                         struct hs_faults *faults, const struct hs_column *columns, uint32_t count)
{
    *table = (struct hs_table){.faults = faults,
                               .columns = columns,
                               .column_count = count,
                               .unit_us = HS_TRACE_TIME_UNIT_US,
                               .blank = HS_TRACE_JOB_BLANK(0)};
    hs_plain_open(&table->csv, input, delimiter, &faults->relay);
}

/* ---- rows ---- */

static HS_COLD enum hs_status fail_cell(const struct hs_table *table,
                                        const struct hs_column *column, uint32_t field,
                                        enum hs_cell_result result)
{
    const char *hint = results[result].hint;
    char more[320];
    if (!column->is_required && strcmp(table->faults->format->name, "csv") == 0) {
        (void)snprintf(more, sizeof more, "%s%s--map=%s= leaves the column alone",
                       hint != NULL ? hint : "", hint != NULL ? "; " : "", column->key);
        hint = more;
    }
    return hs_trace_bad_row(table->faults, results[result].fault, hs_csv_place(table->csv, field),
                            hint, "%s %s: '%s'", column->name, results[result].what,
                            table->row.fields[field]);
}

static const struct hs_words class_words = {
    .what = "class",
    .hint = "guaranteed, opportunistic (or spot) or auto; --map=class= leaves the column alone",
    .fault = HS_FAULT_CLASS,
    .of = {{"auto", HS_JOB_CLASS_AUTO},
           {"guaranteed", HS_JOB_CLASS_GUARANTEED},
           {"opportunistic", HS_JOB_CLASS_OPPORTUNISTIC},
           {"spot", HS_JOB_CLASS_OPPORTUNISTIC}},
};

HS_EXPANDED int hs_trace_word(const struct hs_words *words, const char *text, size_t len)
{
    for (const struct hs_word *w = words->of; w->word != NULL; w++)
        if ((w->word[0] | 0x20) == (text[0] | 0x20) &&
            strlen(w->word) ==
                len && /* text may contain NUL bytes, after which nothing is compared */
            (words->is_exact ? strncmp : strncasecmp)(w->word, text, len) == 0)
            return w->value;
    return HS_NO_WORD;
}

static bool is_name(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && strncasecmp(name, text, len) == 0;
}

/* Sets *text, *len to the native word of a value by the list of --map-value; its column is meant by
 * its native name or that of the format, that of outcomes also by "state". */
static HS_APART void translate(const struct hs_table *table, uint32_t field, const char **text,
                               size_t *len)
{
    const struct hs_table_binding *bound = table->bound;
    while (bound->field != field)
        bound++;
    size_t size;
    for (const char *at = table->map_values; *at != '\0'; at += size + (at[size] == ',')) {
        size = strcspn(at, ",");
        const size_t key = strcspn(at, ":"), value = strcspn(at + key + 1, "=");
        const bool is_column = is_name(bound->column->key, at, key) ||
                               is_name(bound->column->name, at, key) ||
                               (bound->column->kind == HS_CELL_FATE && is_name("state", at, key));
        if (!is_column || value != *len || strncmp(at + key + 1, *text, value) != 0)
            continue;
        *text = at + key + value + 2;
        *len = size - key - value - 2;
        return;
    }
}

static HS_COLD enum hs_status fail_word(const struct hs_table *table, uint32_t field,
                                        const struct hs_words *words)
{
    const char *text = table->row.fields[field], *names[HS_JOB_CLASS_COUNT], *hint = words->hint;
    char guess[512];
    if (words == &hs_outcome_words && table->faults->states != NULL)
        (void)hs_intern_get(table->faults->states, text);
    if (words == &hs_outcome_words) { /* to be pasted */
        (void)snprintf(guess, sizeof guess,
                       "%.256s; or --map-value=state:%.60s=completed (or failed, cancelled)%s",
                       hint, text, table->guess[0] != '\0' ? "; or --map=status= to leave it" : "");
        hint = guess;
    }
    for (int i = 0; words == &class_words && i < HS_JOB_CLASS_COUNT; i++)
        names[i] = words->of[i].word;
    if (words == &class_words)
        hint = hs_did_you_mean(guess, text, names, HS_JOB_CLASS_COUNT, hint);
    return hs_trace_bad_row(table->faults, words->fault, hs_csv_place(table->csv, field), hint,
                            "unknown %s '%s'", words->what, text);
}

static inline enum hs_status read_word(const struct hs_table *table, uint32_t field,
                                       const struct hs_words *words, int *out, int *dropped)
{
    const char *text = table->row.fields[field];
    size_t len = table->row.lengths[field];
    if (HS_UNLIKELY(table->map_values != NULL))
        translate(table, field, &text, &len);
    const int value = hs_trace_word(words, text, len);
    if (HS_UNLIKELY(value == HS_NO_WORD))
        return fail_word(table, field, words);
    *(value < 0 ? dropped : out) = value < 0 ? -value : value;
    return HS_OK;
}

/* Reads the first value of a column that may be one of outcomes, which decides whether it is. */
static HS_COLD enum hs_status read_guess(struct hs_table *table,
                                         const struct hs_table_binding *bound, const char *text,
                                         size_t len, int *out, int *dropped)
{
    const char *word = text;
    char hint[256];
    if (table->map_values != NULL)
        translate(table, bound->field, &word, &len);
    const bool is_outcome = hs_trace_word(&hs_outcome_words, word, len) != HS_NO_WORD;
    table->bound[bound - table->bound].kind = is_outcome ? HS_CELL_FATE : HS_CELL_OWN;
    table->bound[bound - table->bound].may_drop = is_outcome;
    if (is_outcome)
        return read_word(table, bound->field, &hs_outcome_words, out, dropped);
    (void)snprintf(hint, sizeof hint,
                   "to read it: --map='status=%s' --map-value='state:%.60s=completed' (or failed, "
                   "cancelled); to leave it: --map=status=",
                   table->guess, text);
    hs_report(table->faults->diag, HS_WARNING, HS_AT(hs_csv_place(table->csv, bound->field)), hint,
              "column '%s' is not read as the outcome of jobs: '%s' is none", table->guess, text);
    return HS_OK;
}

/* Reads a share of each GPU; if gpus already set a share, both must agree. */
static enum hs_cell_result read_share(const char *text, size_t len, uint32_t *milli)
{
    uint32_t share;
    enum hs_cell_result result = read_count(text, len, &share);
    if (result != HS_CELL_OK)
        return result;
    if (*milli != 0 && *milli != share)
        return HS_CELL_TWO_SHARES;
    if (share == 0 || share > 1000)
        return HS_CELL_NOT_A_SHARE;
    *milli = share;
    return HS_CELL_OK;
}

static enum hs_cell_result read_number(struct hs_table *table, const struct hs_table_binding *bound,
                                       const char *text, size_t len, struct hs_trace_job *job)
{
    void *out = (char *)job + bound->offset;
    int64_t value;
    uint32_t batch;
    switch (bound->kind) {
    case HS_CELL_GPUS:
        return read_gpus(text, len, &job->gpus, &job->gpu_milli);
    case HS_CELL_SHARE:
        return read_share(text, len, &job->gpu_milli);
    case HS_CELL_MILLI:
        return read_milli(text, len, out);
    case HS_CELL_MIB:
        return read_mib(text, len, out);
    case HS_CELL_PERCENT:
        return read_scaled(text, len, 10, 1, 1000, HS_CELL_OVER_100, out); /* per mille */
    case HS_CELL_INT:
        if (!hs_parse_int64(text, len, &value))
            return looks_numeric(text, len) ? HS_CELL_TOO_LARGE : HS_CELL_NOT_A_NUMBER;
        *(int32_t *)out = (int32_t)value;
        return value != (int32_t)value ? HS_CELL_TOO_LARGE : HS_CELL_OK;
    case HS_CELL_BATCH: /* as text: part of a profile's key */
        if (read_count(text, len, &batch) != HS_CELL_OK || batch == 0 || batch > INT32_MAX)
            return HS_CELL_NOT_A_BATCH;
        table->batch_text[hs_fmt_u64(table->batch_text, batch)] = '\0';
        *(const char **)out = table->batch_text;
        return HS_CELL_OK;
    case HS_CELL_BEST_EFFORT:
        if (len != 1 || (text[0] != '0' && text[0] != '1'))
            return HS_CELL_NOT_A_FLAG;
        *(enum hs_job_class *)out =
            text[0] == '1' ? HS_JOB_CLASS_OPPORTUNISTIC : HS_JOB_CLASS_GUARANTEED;
        return HS_CELL_OK;
    default: /* kinds handled by read_cell */
        return HS_CELL_NOT_A_NUMBER;
    }
}

/* Each attempt is compared with the remaining duration, so that no sum overflows. */
static enum hs_status read_attempts(struct hs_table *table, const struct hs_column *column,
                                    uint32_t field, struct hs_trace_job *job)
{
    const char *at = table->row.fields[field], *end = at + table->row.lengths[field];
    struct hs_attempt_list *list = &table->attempts;
    int64_t left_us = job->duration_us, run_us = 0;
    if (hs_cell_is_missing(at))
        return HS_OK;
    table->faults->is_folded = !table->keeps_attempts && strchr(at, '/') != NULL;
    if (!table->keeps_attempts)
        return HS_OK;
    for (list->count = 0; at <= end; left_us -= run_us) {
        size_t size = strcspn(at, "/");
        if (hs_cell_span(at, size, table->unit_us, &run_us) != HS_CELL_OK || run_us < 0 ||
            list->count == HS_ATTEMPTS_MAX)
            return fail_cell(table, column, field, HS_CELL_NOT_ATTEMPTS);
        if (run_us > left_us)
            return fail_cell(table, column, field, HS_CELL_NOT_THE_SUM);
        hs_attempts_add(list, run_us);
        at += size + 1;
    }
    if (left_us != 0)
        return fail_cell(table, column, field, HS_CELL_NOT_THE_SUM);
    hs_attempts_give(list, job);
    return HS_OK;
}

static enum hs_status read_options(struct hs_table *table, const struct hs_column *column,
                                   uint32_t field, struct hs_trace_job *job)
{
    const char *at = table->row.fields[field], *end = at + table->row.lengths[field];
    if (hs_cell_is_missing(at))
        return HS_OK;
    for (table->options.count = 0; at <= end;) {
        const size_t size = strcspn(at, "/"), span = strcspn(at, ":");
        if (span >= size || !hs_options_add(&table->options, at, span, at + span + 1,
                                            size - span - 1, table->unit_us))
            return fail_cell(table, column, field, HS_CELL_NOT_OPTIONS);
        at += size + 1;
    }
    hs_options_give(&table->options, job);
    return HS_OK;
}

static enum hs_cell_result read_loss(const char *text, size_t len, struct hs_loss_curve *loss)
{
    double parts[4];
    for (size_t i = 0; i < 4; i++) {
        const size_t size = i < 3 ? strcspn(text, "/") : len;
        int64_t number;
        if (size > len || (size == len && i < 3) ||
            !hs_parse_decimal_us(text, size, HS_LOSS_PARTS, &number) || number < 0 ||
            number > (int64_t)HS_LOSS_MOST * HS_LOSS_PARTS || (number == 0 && i != 2))
            return HS_CELL_NOT_A_CURVE;
        parts[i] = (double)number / HS_LOSS_PARTS;
        text += size + 1;
        len -= size + 1;
    }
    *loss = (struct hs_loss_curve){parts[0], parts[1], parts[2], parts[3]};
    return HS_CELL_OK;
}

static enum hs_status read_cell(struct hs_table *table, const struct hs_table_binding *bound,
                                const char *text, size_t len, struct hs_trace_job *job,
                                int *dropped)
{
    const struct hs_column *column = bound->column;
    void *out = (char *)job + bound->offset;
    enum hs_cell_result result;
    switch (bound->kind) {
    case HS_CELL_TIME:
        result = read_time(table, text, len, bound->unit_us, out);
        break;
    case HS_CELL_SPAN: /* also "1:30:00" and "90min" */
        result = hs_cell_span(text, len, bound->unit_us, out);
        if (HS_UNLIKELY(result == HS_CELL_NOT_A_NUMBER))
            result =
                (strchr(text, ':') != strrchr(text, ':') ? hs_cell_clock(text, out)
                                                         : hs_parse_duration_us(text, len, out))
                    ? HS_CELL_OK
                    : HS_CELL_NOT_A_SPAN;
        break;
    case HS_CELL_COUNT:
        result = read_count(text, len, out);
        break;
    case HS_CELL_NAME:
        *(const char **)out = hs_cell_is_missing(text) ? NULL : text;
        return HS_OK;
    case HS_CELL_FATE:
        return read_word(table, bound->field, &hs_outcome_words, out, dropped);
    case HS_CELL_GUESS:
        return read_guess(table, bound, text, len, out, dropped);
    case HS_CELL_CLASS:
        return hs_cell_is_missing(text)
                   ? HS_OK
                   : read_word(table, bound->field, &class_words, out, dropped);
    case HS_CELL_ATTEMPTS:
        return read_attempts(table, column, bound->field, job);
    case HS_CELL_OPTIONS:
        return read_options(table, column, bound->field, job);
    case HS_CELL_LOSS:
        result = read_loss(text, len, out);
        break;
    case HS_CELL_OWN:
        return HS_OK;
    default:
        result = read_number(table, bound, text, len, job);
    }
    if (HS_LIKELY(result == HS_CELL_OK) || (!column->is_required && hs_cell_is_missing(text)))
        return HS_OK;
    return fail_cell(table, column, bound->field, result);
}

static enum hs_status read_cells(struct hs_table *table, struct hs_trace_job *job, int *dropped)
{
    const char *const *fields = table->row.fields;
    const uint32_t *lengths = table->row.lengths;
    const struct hs_table_binding *stop = table->bound + table->bound_count;
    for (const struct hs_table_binding *bound = table->bound; bound < stop; bound++) {
        const uint32_t len = lengths[bound->field];
        if (len == 0) {
            if (HS_UNLIKELY(bound->is_filled))
                return hs_trace_bad_row(table->faults, HS_FAULT_MISSING,
                                        hs_csv_place(table->csv, bound->field), NULL, "%s is empty",
                                        bound->column->name);
            continue;
        }
        const char *text = fields[bound->field];
        if (bound->kind <= HS_CELL_TEXT)
            memcpy((char *)job + bound->offset, &text, sizeof text);
        else
            HS_TRY(read_cell(table, bound, text, len, job, dropped));
        if (!bound->may_drop)
            continue;
        if (*dropped == 0 && bound->kind != HS_CELL_FATE && job->gpus == 0)
            *dropped = 1 + HS_DROP_CPU_JOB;
        if (*dropped != 0)
            return HS_OK;
    }
    return HS_OK;
}

static HS_APART enum hs_status take_run_time(struct hs_table *table, struct hs_trace_job *job,
                                             int *dropped)
{
    if (job->start_us < 0)
        *dropped = 1 + HS_DROP_NEVER_STARTED;
    else if (job->end_us < 0)
        *dropped = 1 + HS_DROP_NO_TIMES;
    else if (job->end_us < job->start_us)
        return hs_trace_bad_row(table->faults, HS_FAULT_RANGE, hs_table_place(table, "end_time"),
                                NULL, "the end is before the start");
    job->duration_us = job->end_us - job->start_us;
    return HS_OK;
}

enum hs_status hs_table_next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct hs_table *table = state;
    enum hs_status status = table->is_row_pending ? HS_OK : hs_csv_next(table->csv, &table->row);
    table->is_row_pending = false;
    if (HS_UNLIKELY(status == HS_END))
        return HS_END;
    table->row_number++;
    HS_TRY(status);
    memcpy(job, &table->blank, sizeof *job);
    job->line = table->row.line;
    if (HS_UNLIKELY(table->row.count != table->field_count))
        return hs_trace_bad_row(
            table->faults, HS_FAULT_FIELDS, hs_csv_place(table->csv, table->row.count),
            table->row.count > table->field_count ? "are delimiters in values quoted?" : NULL,
            "%u fields where the header has %u", table->row.count, table->field_count);
    for (uint32_t i = 0; HS_UNLIKELY(table->row.has_breaks) && i < table->row.count; i++)
        if (hs_control_find(table->row.fields[i], table->row.lengths[i]) < table->row.lengths[i])
            return hs_trace_bad_row(table->faults, HS_FAULT_STRUCTURE, hs_csv_place(table->csv, i),
                                    NULL, "a line end inside a field");
    if (table->is_id_row_number) {
        table->row_text[hs_fmt_u64(table->row_text, table->row_number)] = '\0';
        job->id = table->row_text;
    }
    HS_TRY(read_cells(table, job, dropped));
    return table->is_from_times && *dropped == 0 ? take_run_time(table, job, dropped) : HS_OK;
}

struct hs_place hs_table_spot(const struct hs_table *table, uint32_t index)
{
    return hs_csv_place(table->csv, table->field_of[index]);
}

struct hs_place hs_table_place(void *state, const char *key)
{
    const struct hs_table *table = state;
    uint32_t field = 0;
    for (uint32_t i = 0; i < table->column_count; i++)
        if (table->field_of[i] != UINT32_MAX && strcmp(table->columns[i].key, key) == 0)
            field = table->field_of[i];
    return hs_csv_place(table->csv, field);
}

void hs_table_close(void *state)
{
    struct hs_table *table = state;
    hs_attempts_free(&table->attempts);
    hs_free(table->options.of);
    if (table->csv)
        hs_csv_close(table->csv);
}

const char *hs_table_cell(const struct hs_table *table, uint32_t index)
{
    uint32_t field = table->field_of[index];
    return field != UINT32_MAX ? table->row.fields[field] : "";
}

enum hs_status hs_table_check(const struct hs_table *table, uint32_t index,
                              enum hs_cell_result result)
{
    return result == HS_CELL_OK
               ? HS_OK
               : fail_cell(table, &table->columns[index], table->field_of[index], result);
}

enum hs_status hs_table_cell_span(const struct hs_table *table, uint32_t index, int64_t *out_us)
{
    const char *text = hs_table_cell(table, index);
    return hs_table_check(table, index, hs_cell_span(text, strlen(text), table->unit_us, out_us));
}

enum hs_status hs_table_cell_count(const struct hs_table *table, uint32_t index, uint32_t *out)
{
    const char *text = hs_table_cell(table, index);
    return hs_table_check(table, index, read_count(text, strlen(text), out));
}

enum hs_status hs_table_cell_time(struct hs_table *table, uint32_t index, int64_t *out_us,
                                  bool *is_there)
{
    const char *text = hs_table_cell(table, index);
    *is_there = !hs_cell_is_missing(text);
    if (!*is_there)
        return HS_OK;
    return hs_table_check(table, index,
                          read_time(table, text, strlen(text), table->unit_us, out_us));
}

enum hs_status hs_table_cell_scaled(const struct hs_table *table, uint32_t index, int64_t unit,
                                    int64_t *out)
{
    const char *text = hs_table_cell(table, index);
    *out = 0;
    if (hs_cell_is_missing(text))
        return HS_OK;
    if (!hs_parse_decimal_us(text, strlen(text), unit, out))
        return hs_table_check(table, index, HS_CELL_NOT_A_NUMBER);
    return *out < 0 ? hs_table_check(table, index, HS_CELL_NEGATIVE) : HS_OK;
}

enum hs_status hs_table_cell_whole(const struct hs_table *table, uint32_t index, int64_t *out)
{
    const char *text = hs_table_cell(table, index);
    if (!hs_parse_int64(text, strlen(text), out))
        return hs_table_check(table, index, HS_CELL_NOT_A_COUNT);
    return *out < 0 ? hs_table_check(table, index, HS_CELL_NEGATIVE) : HS_OK;
}

enum hs_status hs_table_cell_word(const struct hs_table *table, uint32_t index,
                                  const struct hs_words *words, int *out, int *dropped)
{
    const uint32_t field = table->field_of[index];
    bool is_there = field != UINT32_MAX && table->row.lengths[field] > 0;
    return is_there ? read_word(table, field, words, out, dropped) : HS_OK;
}

char hs_header_delimiter(const char *head, size_t len)
{
    static const char delimiters[] = ",;|\t";
    uint32_t counts[sizeof delimiters - 1] = {0}, best = 0;
    for (size_t at = 0; at < len && head[at] != '\n'; at++)
        for (uint32_t d = 0; d < sizeof delimiters - 1; d++)
            counts[d] += head[at] == delimiters[d];
    for (uint32_t d = 1; d < sizeof delimiters - 1; d++)
        best = counts[d] > counts[best] ? d : best;
    return delimiters[best];
}

static bool has_field(const char *head, size_t len, const char *name, size_t name_len)
{
    const char delimiter = hs_header_delimiter(head, len);
    size_t at = len >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < len && head[at] != '\n' && head[at] != '\r') {
        size_t end = at;
        while (end < len && head[end] != delimiter && head[end] != '\n' && head[end] != '\r')
            end++;
        bool is_quoted = end - at >= 2 && head[at] == '"' && head[end - 1] == '"';
        const char *field = head + at + is_quoted;
        if (end - at - 2 * (size_t)is_quoted == name_len && strncasecmp(field, name, name_len) == 0)
            return true;
        at = end + (end < len && head[end] == delimiter);
    }
    return false;
}

bool hs_header_has(const char *head, size_t len, const char *names)
{
    for (size_t name_len; *names != '\0'; names += name_len + (names[name_len] == ',')) {
        name_len = strcspn(names, ",");
        if (!has_field(head, len, names, name_len))
            return false;
    }
    return true;
}
