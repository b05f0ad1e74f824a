/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libcsv calls back for each field and skips blank lines silently; this file inverts control. Lines
 * are passed to it one at a time, so that line numbers are exact and a row can be returned as soon
 * as it is complete; fields are copied to a buffer that the next row reuses. The raw row remains in
 * the window and is scanned again for columns only if a message needs them.
 *
 * After a bad row the reader continues after the row's first line, whatever a broken quote may
 * include.
 *
 * A line without quotes, stray carriage returns and control characters is split here without a
 * state machine (a test compares this with libcsv). Otherwise a parse costs 1.47 times as much.
 */
#include "data/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include <csv.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "data/json.h"

#define FIELDS_MAX  4096u
#define FIELD_MAX   (1u << 20)
#define PLAIN_MAX   (FIELDS_MAX - 1) /* longest line that cannot have too many fields */
#define NOT_PLAIN   UINT32_MAX
#define ROW_MAX     (4u << 20)
#define LINE_MAX    (1u << 20) /* in a table without quotes */
#define WINDOW_MAX  (2 * ROW_MAX)
#define ENTRY_STEP  4096 /* growth of libcsv's field buffer; its default 128 is quadratic */
#define PARSER_MODE (CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_EMPTY_IS_NULL)
#define QUOTE_HINT  "quote the whole field and double the quotes inside it: \"a \"\"b\"\" c\""

#define BLOCK 64u

_Static_assert(BLOCK <= HS_WINDOW_MARGIN, "a line may end where the window does");
_Static_assert(BLOCK <= HS_CSV_TEXT_ROOM, "what is split is put into the text");

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- lines without quotes ---- */

static void trim(const char **begin, char **end)
{
    while (*begin < *end && is_blank(**begin))
        ++*begin;
    while (*begin < *end && is_blank((*end)[-1]))
        --*end;
    **end = '\0';
}

/* Positions of the delimiter in text[0, BLOCK), bit i for byte i; in *others those of quotes,
 * control characters and bytes that are not ASCII. */
static inline uint64_t block_find(const char *text, char delimiter, uint64_t *others)
{
    uint64_t found = 0;
    *others = 0;
#if defined(__SSE2__)
    HS_UNROLL
    for (unsigned i = 0; i < BLOCK; i += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
        const __m128i other =
            _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')), /* signed */
                         _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f))));
        const __m128i ends = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(delimiter));
        found |= (uint64_t)(unsigned)_mm_movemask_epi8(ends) << i;
        *others |= (uint64_t)(unsigned)_mm_movemask_epi8(other) << i;
    }
#else
    for (unsigned i = 0; i < BLOCK; i++) {
        const signed char c = (signed char)text[i];
        found |= (uint64_t)(text[i] == delimiter) << i;
        *others |= (uint64_t)(c < ' ' || c == '"' || c == 0x7f) << i;
    }
#endif
    return found;
}

/* Tells whether a byte of a line needs libcsv, or is the first one of a control character; tabs
 * are none. */
static bool is_special(char c)
{
    const unsigned char u = (unsigned char)c;
    return (u < 0x20 && u != '\t') || u == '"' || u == 0x7f || u == 0xc2;
}

/* Splits line[0, len) by the rules of libcsv, in blocks of bytes, at a tenth of the cost of libcsv;
 * copies the fields, each with a NUL, to text. Reads BLOCK bytes after the line and writes as many
 * after text. Returns the number of fields, at most len + 1; a line of blanks has none. NOT_PLAIN:
 * a byte is special. */
static inline uint32_t split_plain(const char *line, uint32_t len, char delimiter, char *text,
                                   const char **fields, uint32_t *lengths)
{
    const char *begin = text;
    size_t count = 0;
    for (uint32_t at = 0; at <= len; at += BLOCK) {
        uint64_t others, ends = block_find(line + at, delimiter, &others);
        char *block = memcpy(text + at, line + at, BLOCK);
        if (len - at < BLOCK) { /* the end of the line ends its last field */
            const uint64_t line_end = UINT64_C(1) << (len - at);
            ends = (ends & (line_end - 1)) | line_end;
            others &= line_end - 1;
        }
        for (; HS_UNLIKELY(others != 0); others &= others - 1)
            if (is_special(block[HS_CTZ64(others)]))
                return NOT_PLAIN;
        for (; ends != 0; ends &= ends - 1) {
            char *end = block + HS_CTZ64(ends), *next = end + 1;
            *end = '\0';
            /* Neither empty nor with a surrounding blank: the usual case. */
            if (HS_UNLIKELY((unsigned char)*begin <= ' ' || (unsigned char)end[-1] <= ' '))
                trim(&begin, &end);
            fields[count] = begin;
            lengths[count++] = (uint32_t)(end - begin);
            begin = next;
        }
    }
    return count == 1 && lengths[0] == 0 ? 0 : (uint32_t)count;
}

/* ---- tables without quotes ---- */

/* A carriage return is at the end of a line. */
static bool is_line_blank(const char *line, size_t len)
{
    while (len > 0 && (is_blank(line[len - 1]) || line[len - 1] == '\r'))
        len--;
    return len == 0;
}

uint32_t hs_plain_split(const char *line, size_t len, char delimiter, const char **fields,
                        uint32_t *lengths, uint32_t room)
{
    const char *end = line + len, *p = line;
    const bool at_blanks = delimiter == ' ';
    for (uint32_t count = 0;; count++) {
        while (at_blanks && p < end && is_line_blank(p, 1))
            p++;
        if (at_blanks && p == end)
            return count;
        const char *begin = p;
        while (p < end && *p != '\t' && !(at_blanks && is_line_blank(p, 1)))
            p++;
        if (count < room) {
            fields[count] = begin;
            lengths[count] = (uint32_t)(p - begin);
        }
        if (!at_blanks && p++ == end)
            return count + 1;
    }
}

bool hs_plain_head(const char *head, size_t len, char comment, const char **line, size_t *line_len)
{
    const char *at = head, *stop = head + len;
    if (len >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0)
        at += 3;
    while (at < stop) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at));
        const char *end = newline != NULL ? newline : stop;
        *line = at;
        *line_len = (size_t)(end - at) - (end > at && end[-1] == '\r');
        if (*at != comment && !is_line_blank(*line, *line_len))
            return true;
        at = end + (newline != NULL);
    }
    return false;
}

/* ---- rows ---- */

enum fault {
    FAULT_NONE,
    FAULT_LINE,
    FAULT_NUL,
    FAULT_CONTROL,
    FAULT_BARE_CR,
    FAULT_FIELDS,
    FAULT_FIELD,
    FAULT_ROW,
    FAULT_OPEN,
    FAULT_INSIDE,
    FAULT_BEHIND,
};

struct hs_csv {
    struct csv_parser parser;
    struct hs_window window;
    struct hs_diag *diag;
    char delimiter;
    bool has_quotes; /* a CSV */
    bool is_started;
    bool is_skipping; /* skips the rest of a line too long to hold */
    bool is_row_done;
    enum fault fault;
    uint32_t at;                 /* next byte of the window to parse */
    uint32_t row_begin, row_end; /* the raw row */
    int64_t line, row_line;      /* of at, of row_begin */
    char *text;                  /* fields of the row, each with a NUL */
    uint32_t text_cap, text_used, count;
    uint32_t lengths[FIELDS_MAX];
    const char *fields[FIELDS_MAX];
};

static void on_field(void *bytes, size_t len, void *ctx)
{
    struct hs_csv *csv = ctx;
    if (HS_UNLIKELY(csv->is_row_done || csv->count == FIELDS_MAX || len > FIELD_MAX)) {
        if (csv->fault == FAULT_NONE)
            csv->fault = csv->is_row_done           ? FAULT_BARE_CR
                         : csv->count == FIELDS_MAX ? FAULT_FIELDS
                                                    : FAULT_FIELD;
        return;
    }
    char *to = csv->text + csv->text_used;
    if (len != 0)
        memcpy(to, bytes, len);
    to[len] = '\0';
    csv->text_used += (uint32_t)len + 1;
    csv->lengths[csv->count++] = (uint32_t)len;
}

static void on_row(int end, void *ctx)
{
    (void)end;
    ((struct hs_csv *)ctx)->is_row_done = true;
}

static void parser_reset(struct hs_csv *csv)
{
    csv_free(&csv->parser);
    (void)csv_init(&csv->parser, PARSER_MODE); /* fails only for NULL */
    csv_set_delim(&csv->parser, (unsigned char)csv->delimiter);
    csv_set_blk_size(&csv->parser, ENTRY_STEP);
    csv_set_realloc_func(&csv->parser, hs_resize);
    csv_set_free_func(&csv->parser, hs_free);
}

/* ---- places in the raw row ---- */

static struct hs_place place_of(const struct hs_csv *csv, const char *at, size_t span)
{
    const char *row = csv->window.bytes + csv->row_begin;
    const struct hs_source source = {.file = hs_input_path(csv->window.input),
                                     .text = row,
                                     .len = csv->row_end - csv->row_begin,
                                     .line = csv->row_line,
                                     .column = 1};
    return hs_place_at(&source, (struct hs_span){(size_t)(at - row), span});
}

/* Finds the field at p without surrounding blanks; returns its delimiter or row end, or stop. */
static const char *field_scan(const char *p, const char *stop, char delimiter, const char **begin,
                              const char **end)
{
    while (p < stop && is_blank(*p) && *p != delimiter)
        p++;
    *begin = p;
    if (p < stop && *p == '"') /* up to the closing quote, past doubled ones */
        for (p++; p < stop && (*p != '"' || (p + 1 < stop && p[1] == '"')); p++)
            p += *p == '"';
    const char ends[] = {delimiter, '\n', '\r'};
    while (p < stop && memchr(ends, *p, sizeof ends) == NULL)
        p++;
    for (*end = p; *end > *begin && is_blank((*end)[-1]);)
        --*end;
    return p;
}

/* The same for a field by index; after the last field, an empty one after the row. */
static const char *field_find(const struct hs_csv *csv, uint32_t field, const char **begin,
                              const char **end)
{
    const char *p = csv->window.bytes + csv->row_begin, *stop = csv->window.bytes + csv->row_end;
    for (;; p++, field--) {
        p = field_scan(p, stop, csv->delimiter, begin, end);
        bool is_last = p == stop || *p != csv->delimiter;
        if (field > 0 && is_last)
            *begin = *end = p;
        if (field == 0 || is_last)
            return p;
    }
}

struct hs_place hs_csv_place(const struct hs_csv *csv, uint32_t field)
{
    const char *row = csv->window.bytes + csv->row_begin, *begin, *end;
    if (!csv->has_quotes && field < csv->count && field < FIELDS_MAX)
        return place_of(csv, row + (csv->fields[field] - csv->text), csv->lengths[field]);
    if (!csv->has_quotes)
        return place_of(csv, row + csv->text_used, 1);
    if (csv->row_begin == csv->row_end)
        return (struct hs_place){.file = hs_input_path(csv->window.input), .line = csv->row_line};
    (void)field_find(csv, field, &begin, &end);
    return place_of(csv, begin, (size_t)(end - begin));
}

enum hs_status hs_csv_fail(const struct hs_csv *csv, uint32_t field, const char *hint,
                           const char *fmt, ...)
{
    char message[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return hs_fail(csv->diag, HS_E_INPUT, HS_AT(hs_csv_place(csv, field)), hint, "%s", message);
}

/* ---- faults ---- */

static const struct {
    const char *what, *hint;
} faults[] = {
    [FAULT_LINE] = {"a line of more than 1 MiB", "is this a text file?"},
    [FAULT_NUL] = {"a NUL byte", "is this text in UTF-8? UTF-16 and binary files are not"},
    [FAULT_CONTROL] = {"a control character", "text in UTF-8 has none but tabs and line ends"},
    [FAULT_BARE_CR] = {"a carriage return without a line feed",
                       "old Macintosh line ends: convert with tr '\\r' '\\n'"},
    [FAULT_FIELDS] = {"more than 4096 fields in a row", NULL},
    [FAULT_FIELD] = {"a field of more than 1 MiB", "is a closing quote missing?"},
    [FAULT_ROW] = {"a row of more than 4 MiB", "is this a CSV file?"},
    [FAULT_OPEN] = {"the quote that opens here is never closed", QUOTE_HINT},
    [FAULT_INSIDE] = {"a quote inside a field that does not begin with one", QUOTE_HINT},
    [FAULT_BEHIND] = {"text after the closing quote", QUOTE_HINT},
};

/* Reports the fault, and continues reading after the first line of the row. */
static enum hs_status row_fail(struct hs_csv *csv, enum fault fault, uint32_t at)
{
    const char *begin, *end;
    struct hs_place place; /* of the byte at the fault */
    if (fault == FAULT_NUL || fault == FAULT_CONTROL || fault == FAULT_INSIDE ||
        fault == FAULT_BEHIND || fault == FAULT_LINE)
        place = place_of(csv, csv->window.bytes + at, 1);
    else if (fault == FAULT_BARE_CR)
        place = place_of(csv, field_find(csv, csv->count - 1, &begin, &end), 1);
    else
        place = hs_csv_place(csv, csv->count);
    enum hs_status status =
        hs_fail(csv->diag, HS_E_INPUT, &place, faults[fault].hint, "%s", faults[fault].what);
    const char *from = csv->window.bytes + csv->row_begin;
    const char *nl = memchr(from, '\n', csv->row_end - csv->row_begin);

    csv->at = nl != NULL ? (uint32_t)(nl + 1 - csv->window.bytes) : csv->row_end;
    csv->line = csv->row_line + (nl != NULL);
    csv->is_skipping = nl == NULL;
    parser_reset(csv);
    return status;
}

/* ---- reading ---- */

/* Refuses a line with a control character other than tabs and line ends, which could reach
 * terminals and other files. line[0, len) is in the window. */
static enum hs_status line_check(struct hs_csv *csv, const char *line, uint32_t len)
{
    for (uint32_t at = 0; (at += (uint32_t)hs_control_find(line + at, len - at)) < len; at++)
        if (strchr("\t\r\n", line[at]) == NULL || line[at] == '\0')
            return row_fail(csv, line[at] == '\0' ? FAULT_NUL : FAULT_CONTROL,
                            (uint32_t)(line + at - csv->window.bytes));
    return HS_OK;
}

static enum hs_status window_more(struct hs_csv *csv)
{
    enum hs_status status = hs_window_more(&csv->window, csv->row_begin);
    csv->row_end -= csv->row_begin;
    csv->at = csv->row_begin = 0; /* nothing is read ahead */
    return status;
}

/* Loads the line after the parsed part of the row, including its '\n' unless the file ends without
 * one or the row is too long. HS_END if there is none. */
static inline enum hs_status line_load(struct hs_csv *csv, uint32_t *len)
{
    uint32_t searched = 0;
    for (;;) {
        const char *line = csv->window.bytes + csv->row_end;
        uint32_t held = csv->window.end - csv->row_end;
        const char *nl = held > searched ? memchr(line + searched, '\n', held - searched) : NULL;
        if (HS_LIKELY(nl != NULL)) {
            *len = (uint32_t)(nl + 1 - line);
            return HS_OK;
        }
        *len = searched = held;
        if (csv->window.end - csv->row_begin > (csv->has_quotes ? ROW_MAX : LINE_MAX))
            return HS_OK;
        enum hs_status status = window_more(csv);
        if (status == HS_END && held > 0)
            return HS_OK;
        if (status != HS_OK)
            return status;
    }
}

/* Reserves space for the fields of a row of this length, each with a NUL. */
static inline void text_reserve(struct hs_csv *csv, uint32_t len)
{
    hs_grow(csv->text, csv->text_cap, (uint64_t)len + HS_CSV_TEXT_ROOM + 1, WINDOW_MAX);
}

/* Splits a line, without its line feed, that begins a row. */
static inline uint32_t plain_split(struct hs_csv *csv, const char *line, uint32_t len)
{
    while (len > 0 && line[len - 1] == '\r')
        len--;
    if (len > PLAIN_MAX)
        return NOT_PLAIN;
    text_reserve(csv, len);
    return split_plain(line, len, csv->delimiter, csv->text, csv->fields, csv->lengths);
}

static enum hs_status line_feed(struct hs_csv *csv, uint32_t len)
{
    const char *line = csv->window.bytes + csv->row_end;
    uint32_t begin = csv->row_end;

    csv->row_end += len;
    HS_TRY(line_check(csv, line, len));
    text_reserve(csv, csv->row_end - csv->row_begin);
    size_t used = csv_parse(&csv->parser, line, len, on_field, on_row, csv);
    if (HS_UNLIKELY(used != len)) {
        if (csv_error(&csv->parser) != CSV_EPARSE)
            hs_fatal(HS_E_MEMORY);
        return row_fail(csv, csv->parser.quoted ? FAULT_BEHIND : FAULT_INSIDE,
                        begin + (uint32_t)used);
    }
    if (csv->fault == FAULT_NONE && csv->parser.entry_pos > FIELD_MAX)
        csv->fault = FAULT_FIELD;
    if (csv->fault == FAULT_NONE && csv->row_end - csv->row_begin > ROW_MAX)
        csv->fault = FAULT_ROW;
    if (HS_UNLIKELY(csv->fault != FAULT_NONE))
        return row_fail(csv, csv->fault, 0);
    csv->line += line[len - 1] == '\n';
    return HS_OK;
}

/* Splits a line of a table without quotes; a blank one has no fields. */
static enum hs_status line_split(struct hs_csv *csv, uint32_t len)
{
    const char *line = csv->window.bytes + csv->row_end;
    bool has_end = line[len - 1] == '\n';
    uint32_t text_len = len - has_end;
    csv->row_end += len;
    if (text_len > LINE_MAX)
        return row_fail(csv, FAULT_LINE, csv->row_begin);
    text_len -= text_len > 0 && line[text_len - 1] == '\r';
    HS_TRY(line_check(csv, line, text_len));
    text_reserve(csv, csv->row_end - csv->row_begin);
    memcpy(csv->text, line, text_len);
    csv->text[text_len] = '\0';
    csv->text_used = text_len;
    csv->line += has_end;
    if (is_line_blank(line, text_len))
        return HS_OK;
    csv->count =
        hs_plain_split(csv->text, text_len, csv->delimiter, csv->fields, csv->lengths, FIELDS_MAX);
    for (uint32_t i = 0; i < csv->count && i < FIELDS_MAX; i++)
        csv->text[csv->fields[i] - csv->text + csv->lengths[i]] = '\0';
    return HS_OK;
}

/* Finds the fields that libcsv wrote consecutively. */
static void fields_find(struct hs_csv *csv)
{
    const char *text = csv->text;
    for (uint32_t i = 0; i < csv->count; i++) {
        csv->fields[i] = text;
        text += csv->lengths[i] + 1;
    }
}

static void row_finish(struct hs_csv *csv, struct hs_csv_row *row)
{
    const char *raw = csv->window.bytes + csv->row_begin;
    const uint32_t len = csv->row_end - csv->row_begin; /* 0 after a CR in a line */
    const bool has_breaks = len > 0 && memchr(raw, '\n', len - 1) != NULL;
    *row = (struct hs_csv_row){csv->fields, csv->lengths, csv->count, csv->row_line, has_breaks};
    csv->at = csv->row_end;
}

static enum hs_status file_finish(struct hs_csv *csv, struct hs_csv_row *row)
{
    csv->at = csv->row_end;
    if (csv_fini(&csv->parser, on_field, on_row, csv) != 0)
        return row_fail(csv, FAULT_OPEN, 0);
    if (csv->fault != FAULT_NONE)
        return row_fail(csv, csv->fault, 0);
    if (!csv->is_row_done)
        return HS_END;
    fields_find(csv);
    row_finish(csv, row);
    return HS_OK;
}

static void row_begin(struct hs_csv *csv)
{
    csv->row_begin = csv->row_end = csv->at;
    csv->row_line = csv->line;
    csv->text_used = csv->count = 0;
    csv->is_row_done = false;
    csv->fault = FAULT_NONE;
}

/* Skips a byte-order mark, or the rest of an abandoned line. */
static enum hs_status row_seek(struct hs_csv *csv)
{
    uint32_t len;
    enum hs_status status;
    if (!csv->is_started) {
        csv->is_started = true;
        do
            status = csv->window.end < 3 ? window_more(csv) : HS_END;
        while (status == HS_OK);
        if (status != HS_END)
            return status;
        if (csv->window.end >= 3 && memcmp(csv->window.bytes, "\xEF\xBB\xBF", 3) == 0)
            csv->at = 3;
    }
    while (csv->is_skipping) {
        row_begin(csv);
        HS_TRY(line_load(csv, &len));
        csv->at = csv->row_end + len;
        csv->is_skipping = csv->window.bytes[csv->at - 1] != '\n';
        csv->line += !csv->is_skipping;
    }
    return HS_OK;
}

/* ---- public ---- */

void hs_plain_open(struct hs_csv **csv, struct hs_input *input, char delimiter,
                   struct hs_diag *diag)
{
    hs_csv_open(csv, input, delimiter, diag);
    (*csv)->has_quotes = false;
}

void hs_csv_open(struct hs_csv **out, struct hs_input *input, char delimiter, struct hs_diag *diag)
{
    struct hs_csv *csv = hs_alloc_zeroed(1, sizeof *csv);
    csv->window = (struct hs_window){.input = input, .max = WINDOW_MAX};
    csv->diag = diag;
    csv->delimiter = delimiter;
    csv->line = 1;
    csv->has_quotes = true;
    parser_reset(csv);
    *out = csv;
}

static HS_APART enum hs_status next_any(struct hs_csv *csv, struct hs_csv_row *row)
{
    if (HS_UNLIKELY(!csv->is_started || csv->is_skipping))
        HS_TRY(row_seek(csv));
    row_begin(csv);
    for (;;) {
        uint32_t len;
        enum hs_status status = line_load(csv, &len);
        if (HS_UNLIKELY(status != HS_OK))
            return status == HS_END ? file_finish(csv, row) : status;
        const char *line = csv->window.bytes + csv->row_end;
        bool is_first = csv->row_end == csv->row_begin, has_end = line[len - 1] == '\n';
        uint32_t count;
        if (!csv->has_quotes) {
            HS_TRY(line_split(csv, len));
            csv->is_row_done = csv->count > 0;
        } else if (is_first && (count = plain_split(csv, line, len - has_end)) != NOT_PLAIN) {
            csv->row_end += len;
            csv->line += has_end;
            csv->count = count;
            if (HS_LIKELY(csv->count > 0)) {
                row_finish(csv, row);
                return HS_OK;
            }
        } else {
            HS_TRY(line_feed(csv, len));
        }
        if (csv->is_row_done) {
            if (csv->has_quotes)
                fields_find(csv);
            row_finish(csv, row);
            return HS_OK;
        }
        if (!csv->parser.quoted && has_end) {
            csv->at = csv->row_end; /* a blank line */
            row_begin(csv);
        }
    }
}

/* A plain line completely in the window, the usual case, is a row. */
HS_EXPANDED enum hs_status hs_csv_next(struct hs_csv *csv, struct hs_csv_row *row)
{
    const char *line = NULL, *nl = NULL;
    if (HS_LIKELY(csv->has_quotes && !csv->is_skipping && csv->at < csv->window.end)) {
        line = csv->window.bytes + csv->at;
        nl = memchr(line, '\n', csv->window.end - csv->at);
    }
    const uint32_t count =
        HS_LIKELY(nl != NULL) ? plain_split(csv, line, (uint32_t)(nl - line)) : NOT_PLAIN;
    if (HS_UNLIKELY(count == 0 || count == NOT_PLAIN)) /* blank, incomplete or for libcsv */
        return next_any(csv, row);
    csv->row_begin = csv->at;
    csv->at = csv->row_end = (uint32_t)(nl + 1 - csv->window.bytes);
    csv->row_line = csv->line++;
    csv->count = count;
    *row = (struct hs_csv_row){csv->fields, csv->lengths, csv->count, csv->row_line, false};
    return HS_OK;
}

void hs_csv_close(struct hs_csv *csv)
{
    if (csv == NULL)
        return;
    csv_free(&csv->parser);
    hs_window_free(&csv->window);
    hs_free(csv->text);
    hs_free(csv);
}

uint32_t hs_csv_column(const struct hs_csv_row *header, const char *name)
{
    for (uint32_t i = 0; i < header->count; i++)
        if (strcmp(header->fields[i], name) == 0)
            return i;
    for (uint32_t i = 0; i < header->count; i++)
        if (strcasecmp(header->fields[i], name) == 0)
            return i;
    return UINT32_MAX;
}

#define TEXT_OF(x)  #x
#define TEXT_OF_(x) TEXT_OF(x)

const char *hs_csv_library_version(void)
{
    return TEXT_OF_(CSV_MAJOR) "." TEXT_OF_(CSV_MINOR) "." TEXT_OF_(CSV_RELEASE);
}

/* ---- tables ---- */

enum hs_status hs_csv_table_open(struct hs_csv_table *t, const char *path,
                                 const struct hs_csv_head *head, struct hs_diag *diag)
{
    *t = (struct hs_csv_table){.head = head};
    memset(t->at, 0xff, sizeof t->at);
    HS_TRY(hs_input_open(&t->input, path, diag));
    hs_csv_open(&t->csv, t->input, ',', diag);
    const enum hs_status status = hs_csv_next(t->csv, &t->row);
    if (status == HS_END)
        return hs_csv_fail(t->csv, 0, "the first line names the columns", "the %s is empty",
                           head->what);
    HS_TRY(status);
    t->width = t->row.count;
    for (uint32_t f = 0; f < t->width; f++) {
        const char *name = t->row.fields[f];
        char hint[HS_HINT_SIZE];
        uint32_t c = 0;
        while (c < head->count && strcasecmp(head->names[c], name) != 0)
            c++;
        if (c < head->count && hs_csv_has(t, c))
            return hs_csv_fail(t->csv, f, "remove one of them", "column '%s' appears twice", name);
        if (c < head->count)
            t->at[c] = f;
        else if (strncmp(name, head->notes, strlen(head->notes)) != 0)
            return hs_csv_fail(t->csv, f,
                               hs_did_you_mean(hint, name, head->names, head->count, head->hint),
                               "unknown column '%s'", name);
    }
    for (uint32_t c = 0; c < head->required; c++)
        if (!hs_csv_has(t, c))
            return hs_csv_fail(t->csv, 0, head->hint, "missing column '%s'", head->names[c]);
    return HS_OK;
}

enum hs_status hs_csv_table_next(struct hs_csv_table *t)
{
    HS_TRY(hs_csv_next(t->csv, &t->row));
    if (t->row.count == t->width)
        return HS_OK;
    return hs_csv_fail(t->csv, t->row.count, "a field without a value is empty, not left out",
                       "%u fields where the header has %u", t->row.count, t->width);
}

enum hs_status hs_csv_table_close(struct hs_csv_table *t, enum hs_status status)
{
    hs_csv_close(t->csv);
    hs_input_close(t->input);
    return status == HS_END ? HS_OK : status;
}

enum hs_status hs_csv_moment(const struct hs_csv_table *t, uint32_t name, bool is_first,
                             bool *is_dated, int64_t *out_us)
{
    const char *text = hs_csv_cell(t, name);
    bool is_date;
    if (!hs_parse_moment_us(text, strlen(text), out_us, &is_date))
        return hs_csv_fail(t->csv, hs_csv_field(t, name),
                           "90min or 2h after the first submission, or YYYY-MM-DD HH:MM:SS",
                           "%s is not a time: '%.64s'", t->head->names[name], text);
    if (!is_first && is_date != *is_dated)
        return hs_csv_fail(t->csv, hs_csv_field(t, name), NULL,
                           "times after the first submission and dates in one file");
    *is_dated = is_date;
    return HS_OK;
}

/* ---- files of numbers ---- */

#define NUMBERS_MAX (1u << 24)
#define MILLIONTHS  INT64_C(1000000)

/* Reads the number of a row; false for a header. */
static enum hs_status read_number(const struct hs_csv *csv, const struct hs_csv_row *row,
                                  bool *is_header, int64_t *value)
{
    const char *text = row->fields[0];
    *is_header = false;
    if (row->count != 1)
        return hs_csv_fail(csv, row->count > 1, NULL, "expected one number a line");
    if (!hs_parse_decimal_us(text, row->lengths[0], MILLIONTHS, value)) {
        bool is_name = strchr("+-.0123456789", text[0]) == NULL;
        *is_header = row->line == 1 && is_name;
        return *is_header ? HS_OK
                          : hs_csv_fail(csv, 0, NULL, "not a number%s: '%.64s'",
                                        is_name ? "" : ", or too large a one", text);
    }
    return *value >= 0 ? HS_OK : hs_csv_fail(csv, 0, NULL, "negative: '%.64s'", text);
}

enum hs_status hs_csv_numbers(const char *path, int64_t **values, uint32_t *count,
                              struct hs_diag *diag)
{
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t cap = 0;
    int64_t value;
    bool is_header;
    *values = NULL;
    *count = 0;
    HS_TRY(hs_input_open(&input, path, diag));
    hs_csv_open(&csv, input, ',', diag);
    enum hs_status status = HS_OK;
    while (status == HS_OK && (status = hs_csv_next(csv, &row)) == HS_OK) {
        status = read_number(csv, &row, &is_header, &value);
        if (status == HS_OK && !is_header && *count == NUMBERS_MAX)
            status = hs_fail(diag, HS_E_LIMIT, HS_AT(hs_csv_place(csv, 0)), NULL,
                             "more than %u numbers", NUMBERS_MAX);
        else if (status == HS_OK && !is_header)
            *hs_push(*values, *count, cap, NUMBERS_MAX) = value;
    }
    hs_csv_close(csv);
    hs_input_close(input);
    if (status == HS_END && *count == 0)
        return hs_fail(diag, HS_E_INPUT, HS_AT({.file = path}),
                       "one number per line, optionally below a header",
                       "there is no number in it");
    return status == HS_END ? HS_OK : status;
}
