/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A huge array, or JSON Lines, is split into its elements: the walk over an element finds its end,
 * and cJSON parses that element alone. Where the walk finds a fault, or the end of what was read,
 * brackets and quotes tell where the element ends, whatever is in it. Memory of one element. A
 * fault inside an element leaves the next one readable. A fault of the structure (a control
 * character in a string, a missing comma, a truncated file) does not: the first call returns
 * HS_E_INPUT, later ones HS_E_IO, so that no caller takes it for one bad row after another.
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "data/source.h"

#define ELEMENT_MAX (16u << 20)
#define WINDOW_MAX  (ELEMENT_MAX + (2u << 20))
#define PREFIX_MAX  4096u /* of the line before an element that is kept for excerpts */

enum phase { PHASE_START, PHASE_FIRST, PHASE_ARRAY, PHASE_LINES, PHASE_BEHIND, PHASE_LOST };

struct hs_jsonstream {
    struct hs_window window;
    struct hs_diag *diag;
    struct hs_arena arena;
    const struct hs_json *element;
    enum phase phase;
    uint32_t at;          /* next byte of the window to be parsed */
    uint32_t kept;        /* what messages may quote begins here */
    int64_t line, column; /* of kept */
    uint32_t begin;       /* of the element */
};

/* ---- window and places ---- */

/* Moves `kept` on to the line of `to`, or to `to` itself when that line is long. */
static void keep_from(struct hs_jsonstream *s, uint32_t to)
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

static enum hs_status window_more(struct hs_jsonstream *s)
{
    enum hs_status status = hs_window_more(&s->window, s->kept);
    s->at -= s->kept;
    s->begin -= s->kept;
    s->kept = 0;
    return status;
}

/* The JSON [begin, end) of the window, and the lines around it. */
static struct hs_source source_of(const struct hs_jsonstream *s, uint32_t begin, uint32_t end)
{
    return (struct hs_source){.file = hs_input_path(s->window.input),
                              .text = s->window.bytes + s->kept,
                              .len = s->window.end - s->kept,
                              .begin = begin - s->kept,
                              .end = end - s->kept,
                              .line = s->line,
                              .column = s->column};
}

static struct hs_place byte_place(const struct hs_jsonstream *s, uint32_t at)
{
    struct hs_source source = source_of(s, at, at);
    return hs_place_at(&source, (struct hs_span){0, 1});
}

/* A fault at the next byte that leaves no way on. */
static enum hs_status lost(struct hs_jsonstream *s, const char *what, const char *hint)
{
    keep_from(s, s->at);
    struct hs_place place = byte_place(s, s->at);
    s->phase = PHASE_LOST;
    return hs_fail(s->diag, HS_E_INPUT, &place, hint, "%s", what);
}

/* ---- splitting ---- */

static enum hs_status truncated(struct hs_jsonstream *s, const char *what)
{
    s->at = s->window.end;
    return lost(s, what, "a truncated download? compare its size with the original");
}

/* From the brace at s->at to behind the element. */
static enum hs_status element_split(struct hs_jsonstream *s)
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
    struct hs_place place = byte_place(s, s->begin);
    s->phase = PHASE_LOST;
    return hs_fail(s->diag, HS_E_LIMIT, &place, "is a closing bracket missing?",
                   "an element of more than 16 MiB");
}

/* ---- between elements ---- */

/* To the next byte that is not white space; HS_END at the end of the file. */
static enum hs_status seek_byte(struct hs_jsonstream *s, int *c)
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

/* A byte-order mark, then '[' or the first object of JSON Lines. */
static enum hs_status stream_begin(struct hs_jsonstream *s, int *c)
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
        struct hs_place place = {.file = hs_input_path(s->window.input), .line = s->line};
        return hs_fail(s->diag, HS_E_INPUT, &place, NULL, "the file is empty");
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

/* Behind an element of the array: to the next one, or behind the array. */
static enum hs_status array_step(struct hs_jsonstream *s, int *c)
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

/* To the first byte of the next element. */
static enum hs_status element_seek(struct hs_jsonstream *s)
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
        return lost(s, "text behind the end of the array", NULL);
    if (c != '{')
        return lost(s, "expected '{'",
                    s->phase == PHASE_LINES ? "one object a line, no commas between them" : NULL);
    if (s->phase == PHASE_FIRST)
        s->phase = PHASE_ARRAY;
    keep_from(s, s->at);
    return HS_OK;
}

void hs_jsonstream_open(struct hs_jsonstream **out, struct hs_input *input, struct hs_diag *diag)
{
    struct hs_jsonstream *s = hs_alloc_zeroed(1, sizeof *s);
    *out = s;
    s->window = (struct hs_window){.input = input, .diag = diag, .max = WINDOW_MAX};
    s->diag = diag;
    s->line = s->column = 1;
}

enum hs_status hs_jsonstream_next(struct hs_jsonstream *s, const struct hs_json **element)
{
    s->element = *element = NULL;
    if (s->phase == PHASE_LOST)
        return HS_E_IO;
    hs_arena_reset(&s->arena);
    HS_TRY(element_seek(s));
    /* Nearly all elements are in the window and without a fault: one walk finds the end. Else the
     * whole element is loaded, with its faults, and the first of them is reported. */
    struct hs_source source = source_of(s, s->at, s->window.end);
    size_t len;
    enum hs_status status =
        hs_json_element(&source, ELEMENT_MAX, &s->arena, &s->element, &len, s->diag);
    s->begin = s->at;
    s->at += (uint32_t)len; /* a bad element is passed over */
    HS_TRY(status);
    if (len == 0) {
        HS_TRY(element_split(s));
        source = source_of(s, s->begin, s->at);
        HS_TRY(hs_json_parse(&source, NULL, &s->arena, &s->element, s->diag));
    }
    *element = s->element;
    return HS_OK;
}

int64_t hs_jsonstream_line(const struct hs_jsonstream *s)
{
    return s->line;
}

struct hs_place hs_jsonstream_place(struct hs_jsonstream *s, const struct hs_json *value)
{
    if (s->element == NULL)
        return (struct hs_place){.file = hs_input_path(s->window.input), .line = s->line};
    struct hs_source source = source_of(s, s->begin, s->at);
    return hs_json_locate(&source, s->element, value != NULL ? value : s->element, false);
}

void hs_jsonstream_close(struct hs_jsonstream *s)
{
    if (s == NULL)
        return;
    hs_arena_free(&s->arena);
    hs_window_free(&s->window);
    hs_free(s);
}
