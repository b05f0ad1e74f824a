/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Philly cluster_job_log (msr-fiddle/philly-traces; Jeon et al., ATC'19): a JSON array of jobs with
 * their attempts, read one element at a time. Jobs with several attempts are read as one of:
 *
 *     merge   one job, last end - first start, including idle gaps between retries (the official
 *             definition); both must be present
 *     sum     one job, sum of the attempts that have both start and end
 *     split   one job per attempt, id "application_1_2#k": submitted when the previous attempt
 *             ended (SC'21); all but the last count as failed
 *
 * With keeps_attempts a job is submitted once, and its attempts that have both start and end run
 * one after another; their sum is that of `sum`.
 *
 * The number of GPUs is that of attempt 0 (official); split: of the attempt itself. A missing value
 * is null, "", "None" or an absent key. A last attempt with a start but no end was still running.
 * Times have no zone.
 */
#include <stdio.h>

#include "data/json.h"
#include "traces/format.h"

/* ---- elements of a huge array ----
 * A huge array, or JSON Lines, is split into its elements by brackets and quotes, whatever an
 * element contains, and each is parsed alone. Memory of one element. After a fault inside an
 * element the next one is still readable. After a structural fault (a control
 * character in a string, a missing comma, a truncated file) it is not: the first call returns
 * HS_E_INPUT, later ones HS_E_IO, so that callers do not count an endless number of bad rows. */

#define ELEMENT_MAX (16u << 20)
#define WINDOW_MAX  (ELEMENT_MAX + (2u << 20))
#define PREFIX_MAX  4096u /* of the line before an element, kept for excerpts */

enum phase { PHASE_START, PHASE_FIRST, PHASE_ARRAY, PHASE_LINES, PHASE_BEHIND, PHASE_LOST };

struct jsonstream {
    struct hs_window window;
    struct hs_diag *diag;
    struct hs_arena arena;
    const struct hs_json *element;
    enum phase phase;
    uint32_t at;          /* next byte of the window to parse */
    uint32_t kept;        /* start of what messages may quote */
    int64_t line, column; /* of kept */
    uint32_t begin;       /* of the element */
};

/* Moves `kept` to the line of `to`, or to `to` itself if that line is long. */
static void keep_from(struct jsonstream *s, uint32_t to)
{
    const char *p = s->window.bytes + s->kept, *stop = s->window.bytes + to;
    for (const char *nl; (nl = memchr(p, '\n', (size_t)(stop - p))) != NULL; p = nl + 1) {
        s->line++;
        s->column = 1;
    }
    if ((size_t)(stop - p) > PREFIX_MAX) {
        s->column += stop - p;
        p = stop;
    }
    s->kept = (uint32_t)(p - s->window.bytes);
}

static enum hs_status window_more(struct jsonstream *s)
{
    enum hs_status status = hs_window_more(&s->window, s->kept);
    s->at -= s->kept;
    s->begin -= s->kept;
    s->kept = 0;
    return status;
}

/* Returns the JSON [begin, end) of the window, and the lines around it. */
static struct hs_source source_of(const struct jsonstream *s, uint32_t begin, uint32_t end)
{
    return (struct hs_source){.file = hs_input_path(s->window.input),
                              .text = s->window.bytes + s->kept,
                              .len = s->window.end - s->kept,
                              .begin = begin - s->kept,
                              .end = end - s->kept,
                              .line = s->line,
                              .column = s->column};
}

static struct hs_place byte_place(const struct jsonstream *s, uint32_t at)
{
    struct hs_source source = source_of(s, at, at);
    return hs_place_at(&source, (struct hs_span){0, 1});
}

/* Reports a fault at the next byte after which parsing cannot continue. */
static enum hs_status lost(struct jsonstream *s, const char *what, const char *hint)
{
    keep_from(s, s->at);
    s->phase = PHASE_LOST;
    return hs_fail(s->diag, HS_E_INPUT, HS_AT(byte_place(s, s->at)), hint, "%s", what);
}

static enum hs_status truncated(struct jsonstream *s, const char *what)
{
    s->at = s->window.end;
    return lost(s, what, "a truncated download? compare its size with the original");
}

/* Moves from the brace at s->at past the element. */
static enum hs_status element_split(struct jsonstream *s)
{
    s->begin = s->at;
    do {
        const char *bytes = s->window.bytes, *at, *what, *hint;
        bool is_whole =
            hs_json_find_end(bytes + s->begin, bytes + s->window.end, &at, &what, &hint);
        s->at = (uint32_t)(at - bytes);
        if (s->at - s->begin > ELEMENT_MAX)
            break;
        if (is_whole)
            return HS_OK;
        if (what != NULL)
            return lost(s, what, hint);
        enum hs_status status = window_more(s);
        if (status == HS_END) {
            char text[80];
            snprintf(text, sizeof text, "the file ends inside the element that begins on line %lld",
                     (long long)byte_place(s, s->begin).line);
            return truncated(s, text);
        }
        HS_TRY(status);
    } while (true);
    s->phase = PHASE_LOST;
    return hs_fail(s->diag, HS_E_LIMIT, HS_AT(byte_place(s, s->begin)),
                   "is a closing bracket missing?", "an element of more than 16 MiB");
}

/* Moves to the next byte that is not white space; HS_END at the end of the file. */
static enum hs_status seek_byte(struct jsonstream *s, int *c)
{
    for (;;) {
        for (; s->at < s->window.end; s->at++) {
            *c = (unsigned char)s->window.bytes[s->at];
            if (*c != ' ' && *c != '\n' && *c != '\r' && *c != '\t')
                return HS_OK;
        }
        if (s->window.end > 0)
            keep_from(s, s->at);
        HS_TRY(window_more(s));
    }
}

/* Skips a byte-order mark, then '[' or up to the first object of JSON Lines. */
static enum hs_status stream_begin(struct jsonstream *s, int *c)
{
    enum hs_status status = HS_OK;
    while (status == HS_OK && s->window.end < 3)
        status = window_more(s);
    if (status != HS_OK && status != HS_END)
        return status;
    if (s->window.end >= 3 && memcmp(s->window.bytes, "\xEF\xBB\xBF", 3) == 0)
        s->at = s->kept = 3;
    status = seek_byte(s, c);
    if (status == HS_END) {
        s->phase = PHASE_LOST;
        return hs_fail(s->diag, HS_E_INPUT,
                       HS_AT({.file = hs_input_path(s->window.input), .line = s->line}), NULL,
                       "the file is empty");
    }
    HS_TRY(status);
    if (*c == '{') {
        s->phase = PHASE_LINES;
        return HS_OK;
    }
    if (*c != '[')
        return lost(s, "expected '[' or '{'", "a JSON array of objects, or one object a line");
    s->phase = PHASE_FIRST;
    s->at++;
    return seek_byte(s, c);
}

/* After an element of the array: moves to the next one, or past the array. */
static enum hs_status array_step(struct jsonstream *s, int *c)
{
    if (*c == ']') {
        s->phase = PHASE_BEHIND;
        s->at++;
        return seek_byte(s, c);
    }
    if (s->phase == PHASE_FIRST)
        return HS_OK;
    if (*c != ',')
        return lost(s, "expected ',' or ']'", *c == '{' ? "is a comma missing?" : NULL);
    s->at++;
    enum hs_status status = seek_byte(s, c);
    if (status == HS_OK && *c == ']')
        return lost(s, "expected '{'", "remove the comma before ']'");
    return status;
}

/* Moves to the first byte of the next element. */
static enum hs_status element_seek(struct jsonstream *s)
{
    int c = 0;
    enum hs_status status = s->phase == PHASE_START ? stream_begin(s, &c) : seek_byte(s, &c);
    if (status == HS_OK && (s->phase == PHASE_FIRST || s->phase == PHASE_ARRAY))
        status = array_step(s, &c);
    if (status == HS_END && (s->phase == PHASE_FIRST || s->phase == PHASE_ARRAY))
        return truncated(s, "the file ends before ']'");
    if (status != HS_OK)
        return status;
    if (s->phase == PHASE_BEHIND)
        return lost(s, "text after the end of the array", NULL);
    if (c != '{')
        return lost(s, "expected '{'",
                    s->phase == PHASE_LINES ? "one object a line, no commas between them" : NULL);
    if (s->phase == PHASE_FIRST)
        s->phase = PHASE_ARRAY;
    keep_from(s, s->at);
    return HS_OK;
}

/* Reads the next element; s->element lives until the next call. HS_E_INPUT: the element is bad, or
 * the rest of the file cannot be parsed; in the latter case the next call returns HS_E_IO. */
static enum hs_status stream_next(struct jsonstream *s)
{
    s->element = NULL;
    if (s->phase == PHASE_LOST)
        return HS_E_IO;
    hs_arena_reset(&s->arena);
    HS_TRY(element_seek(s));
    HS_TRY(element_split(s));
    const struct hs_source source = source_of(s, s->begin, s->at);
    return hs_json_parse(&source, NULL, &s->arena, &s->element, s->diag);
}

/* Returns the place of a value in the current element (NULL = the element), with excerpt. */
static struct hs_place stream_place(const struct jsonstream *s, const struct hs_json *value)
{
    if (s->element == NULL)
        return (struct hs_place){.file = hs_input_path(s->window.input), .line = s->line};
    struct hs_source source = source_of(s, s->begin, s->at);
    return hs_json_locate(&source, s->element, value != NULL ? value : s->element, false);
}

/* ---- jobs ---- */

#define NO_TIME INT64_MIN

struct philly_log {
    struct jsonstream stream;
    struct hs_faults *faults;
    int32_t attempts_mode;
    bool keeps_attempts, is_sum;
    struct hs_attempt_list attempts; /* of the job */
    bool is_torn;                    /* the last element could not be parsed */
    const struct hs_json *attempt;   /* split: its next attempt; NULL = read an element */
    uint32_t attempt_number;
    int64_t last_end_us; /* split: latest end seen, else the submission */
    char id[HS_JOB_ID_MAX + 16];
};

static int recognise(const char *head, size_t len)
{
    size_t at = len >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < len && strchr(" \t\r\n", head[at]) && head[at] != '\0')
        at++;
    if (at == len || (head[at] != '[' && head[at] != '{'))
        return 0;
    int certainty = 0; /* other JSON is none */
    for (; at + 10 < len; at++)
        if (memcmp(head + at, "\"attempts\"", 10) == 0)
            return 95;
        else if (memcmp(head + at, "\"jobid\"", 7) == 0)
            certainty = 30;
    return certainty;
}

static enum hs_status open_philly(void *state, struct hs_input *input,
                                  const struct hs_trace_options *options, struct hs_faults *faults)
{
    struct philly_log *p = state;
    p->faults = faults;
    p->attempts_mode = options->philly_attempts;
    p->keeps_attempts = options->keeps_attempts;
    p->is_sum = p->attempts_mode == HS_ATTEMPTS_SUM || p->keeps_attempts;
    if (p->keeps_attempts && p->attempts_mode == HS_ATTEMPTS_SPLIT)
        return hs_fail(faults->diag, HS_E_USAGE, NULL,
                       "leave out --philly-attempts=split, or --retries=attempts",
                       "--philly-attempts=split makes a job of each attempt: none is left to be "
                       "submitted again");
    p->stream = (struct jsonstream){.window = {.input = input, .max = WINDOW_MAX},
                                    .diag = &faults->relay,
                                    .line = 1,
                                    .column = 1};
    return HS_OK;
}

static enum hs_status fail_type(const struct philly_log *p, const struct hs_json *value,
                                const char *what, const char *expected)
{
    return hs_trace_bad_row(p->faults, HS_FAULT_TYPE, stream_place(&p->stream, value), NULL,
                            "%s is not %s", what, expected);
}

/* Gets the text of a member; *out is NULL if it is missing in one of the archive's ways. */
static enum hs_status get_text(const struct philly_log *p, const struct hs_json *object,
                               const char *key, const char **out)
{
    const struct hs_json *value = hs_json_get(object, key);
    enum hs_json_kind kind = hs_json_kind(value);
    *out = NULL;
    if (kind == HS_JSON_ABSENT || kind == HS_JSON_NULL)
        return HS_OK;
    if (kind != HS_JSON_TEXT)
        return fail_type(p, value, key, "text");
    const char *text = hs_json_text(value);
    if (hs_control_find(text, strlen(text)) < strlen(text))
        return hs_trace_bad_row(p->faults, HS_FAULT_STRUCTURE, stream_place(&p->stream, value),
                                NULL, "%s has a line end or another control character", key);
    if (text[0] != '\0' && strcmp(text, "None") != 0)
        *out = text;
    return HS_OK;
}

static enum hs_status get_time(struct philly_log *p, const struct hs_json *object, const char *key,
                               int64_t *out_us)
{
    const char *text;
    HS_TRY(get_text(p, object, key, &text));
    *out_us = NO_TIME;
    if (text && !hs_parse_datetime_us(text, strlen(text), out_us, NULL))
        return hs_trace_bad_row(
            p->faults, HS_FAULT_TIME, stream_place(&p->stream, hs_json_get(object, key)),
            "a date and time such as 2017-10-09 07:00:55", "%s is not a time: '%s'", key, text);
    return HS_OK;
}

static enum hs_status get_attempt_times(struct philly_log *p, const struct hs_json *attempt,
                                        int64_t *start_us, int64_t *end_us)
{
    if (hs_json_kind(attempt) != HS_JSON_OBJECT)
        return fail_type(p, attempt, "attempt", "an object");
    HS_TRY(get_time(p, attempt, "start_time", start_us));
    HS_TRY(get_time(p, attempt, "end_time", end_us));
    if (p->is_sum && *end_us != NO_TIME && *end_us < *start_us)
        return hs_trace_bad_row(p->faults, HS_FAULT_RANGE, stream_place(&p->stream, attempt), NULL,
                                "attempt ends before it starts");
    return HS_OK;
}

/* Sums the GPU lists over the machines of an attempt. */
static enum hs_status count_gpus(const struct philly_log *p, const struct hs_json *attempt,
                                 uint32_t *gpus)
{
    const struct hs_json *detail = hs_json_get(attempt, "detail");
    *gpus = 0;
    if (hs_json_kind(detail) == HS_JSON_ABSENT || hs_json_kind(detail) == HS_JSON_NULL)
        return HS_OK;
    if (hs_json_kind(detail) != HS_JSON_ARRAY)
        return fail_type(p, detail, "detail", "a list");
    for (const struct hs_json *m = hs_json_first(detail); m; m = hs_json_next(m)) {
        const struct hs_json *list = hs_json_get(m, "gpus");
        if (hs_json_kind(list) != HS_JSON_ARRAY)
            return fail_type(p, list ? list : m, "gpus", "a list");
        *gpus += hs_json_count(list);
    }
    return HS_OK;
}

/* Reads what all jobs of the element have in common. */
static enum hs_status read_common(struct philly_log *p, struct hs_trace_job *job, int *dropped)
{
    const char *status;
    *job = (struct hs_trace_job)HS_TRACE_JOB_BLANK(0);
    job->line = p->stream.line;
    HS_TRY(get_text(p, p->stream.element, "jobid", &job->id));
    HS_TRY(get_text(p, p->stream.element, "user", &job->user));
    HS_TRY(get_text(p, p->stream.element, "vc", &job->vc));
    HS_TRY(get_time(p, p->stream.element, "submitted_time", &job->submit_us));
    if (!job->id || job->submit_us == NO_TIME)
        return hs_trace_bad_row(p->faults, HS_FAULT_MISSING,
                                stream_place(&p->stream, p->stream.element), NULL, "%s is missing",
                                job->id ? "submitted_time" : "jobid");
    HS_TRY(get_text(p, p->stream.element, "status", &status));
    int outcome = status ? hs_trace_word(&hs_outcome_words, status, strlen(status)) : 0;
    if (outcome == HS_NO_WORD)
        return hs_trace_bad_row(p->faults, HS_FAULT_STATE,
                                stream_place(&p->stream, hs_json_get(p->stream.element, "status")),
                                "Pass, Killed or Failed", "unknown status '%s'", status);
    if (outcome < 0)
        *dropped = -outcome;
    else
        job->outcome = (enum hs_outcome)outcome;
    return HS_OK;
}

static int64_t recorded(int64_t us)
{
    return us != NO_TIME ? us : -1;
}

static enum hs_status read_merged(struct philly_log *p, const struct hs_json *first,
                                  struct hs_trace_job *job, int *dropped)
{
    int64_t first_start_us = NO_TIME, start_us = NO_TIME, end_us = NO_TIME, sum_us = 0;
    bool has_whole = false;
    p->attempts.count = 0;
    for (const struct hs_json *a = first; a; a = hs_json_next(a)) {
        HS_TRY(get_attempt_times(p, a, &start_us, &end_us));
        if (a == first)
            first_start_us = start_us;
        if (start_us == NO_TIME || end_us == NO_TIME)
            continue;
        has_whole = true;
        sum_us += end_us - start_us;
        if (p->attempts.count == HS_ATTEMPTS_MAX)
            return hs_trace_bad_row(p->faults, HS_FAULT_RANGE, stream_place(&p->stream, a), NULL,
                                    "a job has at most %d attempts", HS_ATTEMPTS_MAX);
        if (p->keeps_attempts)
            hs_attempts_add(&p->attempts, end_us - start_us);
    }
    hs_attempts_give(&p->attempts, job);
    p->faults->is_folded = !p->keeps_attempts && hs_json_next(first) != NULL;
    if (end_us == NO_TIME && start_us != NO_TIME)
        *dropped = 1 + HS_DROP_STILL_RUNNING;
    else if (p->is_sum ? !has_whole : (end_us == NO_TIME || first_start_us == NO_TIME))
        *dropped = 1 + HS_DROP_NO_TIMES;
    else
        job->duration_us = p->is_sum ? sum_us : end_us - first_start_us;
    job->start_us = recorded(first_start_us);
    job->end_us = recorded(end_us);
    return HS_OK;
}

static enum hs_status read_split(struct philly_log *p, struct hs_trace_job *job, int *dropped)
{
    const struct hs_json *attempt = p->attempt;
    int64_t start_us, end_us;
    uint32_t own_gpus;
    p->attempt = hs_json_next(attempt);
    p->attempt_number++;
    HS_TRY(get_attempt_times(p, attempt, &start_us, &end_us));
    HS_TRY(count_gpus(p, attempt, &own_gpus));
    snprintf(p->id, sizeof p->id, "%.*s#%u", HS_JOB_ID_MAX, job->id, p->attempt_number);
    job->id = p->id;
    job->submit_us = p->last_end_us;
    if (own_gpus > 0)
        job->gpus = own_gpus;
    if (p->attempt)
        job->outcome = HS_OUTCOME_FAILED;
    if (start_us == NO_TIME || end_us == NO_TIME) {
        bool is_running = !p->attempt && start_us != NO_TIME;
        *dropped = 1 + (is_running ? HS_DROP_STILL_RUNNING : HS_DROP_NO_TIMES);
    } else {
        job->duration_us = end_us - start_us;
        job->start_us = start_us;
        job->end_us = end_us;
    }
    if (end_us != NO_TIME && end_us > p->last_end_us)
        p->last_end_us = end_us;
    return HS_OK;
}

static enum hs_status next(void *state, struct hs_trace_job *job, int *dropped)
{
    struct philly_log *p = state;
    bool is_new = p->attempt == NULL;
    if (is_new) {
        enum hs_status status = stream_next(&p->stream);
        if (status == HS_E_IO && p->is_torn)
            return HS_E_INPUT; /* lost after a structural fault, not a failed read */
        p->is_torn = status == HS_E_INPUT;
        HS_TRY(status);
    }
    const struct hs_json *remaining = p->attempt;
    p->attempt = NULL; /* a fault of the job affects all its attempts */
    HS_TRY(read_common(p, job, dropped));
    const struct hs_json *attempts = hs_json_get(p->stream.element, "attempts");
    enum hs_json_kind kind = hs_json_kind(attempts);
    if (kind != HS_JSON_ARRAY && kind != HS_JSON_ABSENT && kind != HS_JSON_NULL)
        return fail_type(p, attempts, "attempts", "a list");
    const struct hs_json *first = hs_json_first(attempts);
    if (!first && !*dropped)
        *dropped = 1 + HS_DROP_NEVER_STARTED;
    if (*dropped)
        return HS_OK;
    if (hs_json_kind(first) != HS_JSON_OBJECT)
        return fail_type(p, first, "attempt", "an object");
    HS_TRY(count_gpus(p, first, &job->gpus));
    if (p->attempts_mode != HS_ATTEMPTS_SPLIT)
        return read_merged(p, first, job, dropped);
    if (is_new) {
        p->attempt_number = 0;
        p->last_end_us = job->submit_us;
    }
    p->attempt = is_new ? first : remaining;
    return read_split(p, job, dropped);
}

static void close_philly(void *state)
{
    struct philly_log *p = state;
    hs_attempts_free(&p->attempts);
    hs_arena_free(&p->stream.arena);
    hs_window_free(&p->stream.window);
}

/* ---- writing ---- */

#define MACHINE_GPUS 8 /* of the larger machines of the cluster */

static const struct hs_column columns[] = {
    {"job_id", "jobid", HS_CELL_ID, true, offsetof(struct hs_trace_job, id)},
    {"submit_time", "submitted_time", HS_CELL_TIME, true, offsetof(struct hs_trace_job, submit_us)},
    {"gpus", "attempts", HS_CELL_COUNT, true, offsetof(struct hs_trace_job, gpus)},
    {"duration", "attempts", HS_CELL_SPAN, true, offsetof(struct hs_trace_job, duration_us)},
    {"start_time", "attempts", HS_CELL_TIME, false, offsetof(struct hs_trace_job, start_us)},
    {"attempts", "attempts", HS_CELL_ATTEMPTS, false, offsetof(struct hs_trace_job, attempts_us)},
    {"outcome", "status", HS_CELL_FATE, false, offsetof(struct hs_trace_job, outcome)},
    {"user", "user", HS_CELL_TEXT, false, offsetof(struct hs_trace_job, user)},
    {"vc", "vc", HS_CELL_TEXT, false, offsetof(struct hs_trace_job, vc)},
};

static struct hs_place place(void *state, const char *column)
{
    const struct philly_log *p = state;
    const struct hs_json *value = p->stream.element;
    for (size_t i = 0; i < HS_COUNT_OF(columns); i++)
        if (strcmp(columns[i].key, column) == 0 && hs_json_get(p->stream.element, columns[i].name))
            value = hs_json_get(p->stream.element, columns[i].name);
    return stream_place(&p->stream, value);
}

static const char *const outcomes[HS_OUTCOME_COUNT] = {[HS_OUTCOME_COMPLETED] = "Pass",
                                                       [HS_OUTCOME_CANCELLED] = "Killed",
                                                       [HS_OUTCOME_FAILED] = "Failed"};

static enum hs_status begin_writing(void *state, struct hs_csvw *csv,
                                    const struct hs_trace_options *options, struct hs_diag *diag)
{
    struct hs_jsonw *w = state;
    (void)options, (void)diag;
    hs_jsonw_begin(w, &csv->out);
    hs_jsonw_put(w, "=[");
    return HS_OK;
}

static const char *date_text(char text[HS_FMT_MAX + 1], int64_t us)
{
    text[hs_fmt_datetime(text, us)] = '\0';
    return text;
}

static void put_attempt(struct hs_jsonw *w, int64_t start_us, int64_t end_us, uint32_t gpus)
{
    char start[HS_FMT_MAX + 1], end[HS_FMT_MAX + 1], name[16];
    hs_jsonw_put(w, "={ start_time=%s end_time=%s detail=[", date_text(start, start_us),
                 date_text(end, end_us));
    for (uint32_t first = 0; first < gpus; first += MACHINE_GPUS) {
        (void)snprintf(name, sizeof name, "m%u", first / MACHINE_GPUS);
        hs_jsonw_put(w, "={ ip=%s gpus=[", name);
        for (uint32_t i = first; i < gpus && i < first + MACHINE_GPUS; i++) {
            (void)snprintf(name, sizeof name, "gpu%u", i - first);
            hs_jsonw_text(w, name);
        }
        hs_jsonw_put(w, "] }");
    }
    hs_jsonw_put(w, "] }");
}

static const struct hs_trace_layout layout;

/* Writes consecutive attempts; their ends are rounded, so that the last is the end of the job. */
static void put_job(void *state, const struct hs_trace_job *job)
{
    struct hs_jsonw *w = state;
    const int64_t first_us = job->start_us >= 0 ? job->start_us : job->submit_us;
    int64_t start_us = first_us, ran_us = 0;
    char submit[HS_FMT_MAX + 1];
    hs_jsonw_put(w, "=!{ status=%s vc=%s jobid=%s attempts=[", outcomes[job->outcome], job->vc,
                 job->id);
    for (uint32_t i = 0; i + 1 < job->attempts; i++) {
        ran_us += job->attempts_us[i];
        int64_t end_us = first_us + hs_layout_round_time(&layout, ran_us);
        put_attempt(w, start_us, end_us, job->gpus);
        start_us = end_us;
    }
    put_attempt(w, start_us, first_us + job->duration_us, job->gpus);
    hs_jsonw_put(w, "] submitted_time=%s user=%s }", date_text(submit, job->submit_us), job->user);
}

static enum hs_status end_writing(void *state)
{
    struct hs_jsonw *w = state;
    hs_jsonw_put(w, "]");
    hs_jsonw_finish(w);
    return HS_OK;
}

/* "None" means missing in the archive. */
static bool keeps(const struct hs_trace_job *job, const struct hs_column *column)
{
    const char *text;
    if (column->kind != HS_CELL_ID && column->kind != HS_CELL_TEXT)
        return true;
    memcpy(&text, (const char *)job + column->offset, sizeof text);
    if (strcmp(text, "None") == 0)
        return false;
    size_t n = 1; /* bytes of the character; 0: not UTF-8, which is replaced */
    for (size_t len = strlen(text); len > 0 && n > 0; text += n, len -= n)
        n = hs_utf8_len(text, len);
    return n > 0;
}

static const struct hs_trace_layout layout = {
    .suffix = ".json",
    .made_up = "attempts follow each other without a gap, the first at once if the job has no "
               "start, on machines m0, m1, ... of 8 GPUs",
    .columns = columns,
    .column_count = HS_COUNT_OF(columns),
    .grain_us = HS_TRACE_TIME_UNIT_US,
    .outcomes = outcomes,
    .keeps = keeps,
    .state_size = sizeof(struct hs_jsonw),
    .begin = begin_writing,
    .put = put_job,
    .end = end_writing,
};

const struct hs_trace_format hs_trace_format_philly = {
    .name = "philly",
    .summary = "Philly cluster_job_log (ATC'19)",
    .columns = "jobid, submitted_time, attempts[].start_time, end_time, detail[].gpus; optional: "
               "status, user, vc",
    .has_attempts = true,
    .layout = &layout,
    .recognise = recognise,
    .state_size = sizeof(struct philly_log),
    .open = open_philly,
    .next = next,
    .place = place,
    .close = close_philly,
};
