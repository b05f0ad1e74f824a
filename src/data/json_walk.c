/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A strict walk over JSON text. cJSON accepts 01, raw line ends inside strings and text cut short
 * by \u0000, and knows no line numbers; this walk refuses all that with a place and a reason, and
 * finds the n-th value for messages. Recursion is bounded by HS_JSON_DEPTH_MAX. O(length).
 */
#include <string.h>

#include "data/json_private.h"

#define NUMBER_MAX 63 /* characters that cJSON 1.7.15 takes of a number */

static bool fault(struct hs_json_walk *w, size_t at, size_t len, const char *what, const char *hint)
{
    w->value = (struct hs_json_span){at, len};
    w->what = what;
    w->hint = hint;
    return false;
}

static int peek(const struct hs_json_walk *w)
{
    return w->at < w->len ? (unsigned char)w->text[w->at] : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

/* A comment begins at w->at if there is one; blanks it and moves behind it. */
static bool skip_comment(struct hs_json_walk *w)
{
    size_t begin = w->at;
    const char *from = w->text + begin, *stop;
    size_t left = w->len - begin;

    if (left >= 2 && from[1] == '/') {
        stop = memchr(from, '\n', left);
        w->at = stop != NULL ? (size_t)(stop - w->text) : w->len;
    } else if (left >= 2 && from[1] == '*') {
        for (w->at = begin + 2; w->at + 1 < w->len; w->at++)
            if (w->text[w->at] == '*' && w->text[w->at + 1] == '/')
                break;
        if (w->at + 1 >= w->len)
            return fault(w, begin, 2, "the comment that opens here is never closed", NULL);
        w->at += 2;
    } else {
        return fault(w, begin, 1, "unexpected '/'", "comments are // and /* */");
    }
    if (w->blanked != NULL)
        for (size_t i = begin; i < w->at; i++)
            if (w->blanked[i] != '\n')
                w->blanked[i] = ' ';
    return true;
}

/* Behind white space, and comments if there may be some. */
static bool skip_far(struct hs_json_walk *w)
{
    for (;;) {
        w->at = (size_t)(hs_json_skip_space(w->text + w->at, w->text + w->len) - w->text);
        if (peek(w) != '/' || !w->has_comments)
            return true;
        if (!skip_comment(w))
            return false;
    }
}

/* Mostly there is one blank, or none. */
static inline bool skip_space(struct hs_json_walk *w)
{
    w->at += peek(w) == ' ';
    int c = peek(w);
    return HS_LIKELY(c > ' ' && c != '/') || skip_far(w);
}

/* The four hex digits of \uXXXX at `at`; -1 if they are not. */
static int32_t hex4(const struct hs_json_walk *w, size_t at)
{
    int32_t code = 0;
    for (size_t i = at; i < at + 4; i++) {
        int c = i < w->len ? w->text[i] : 0;
        int digit = is_digit(c)              ? c - '0'
                    : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                    : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                             : -1;
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* w->at is at the backslash. */
static bool walk_escape(struct hs_json_walk *w)
{
    size_t begin = w->at;
    int c = begin + 1 < w->len ? w->text[begin + 1] : 0;

    if (c != 'u') {
        if (c == 0 || strchr("\"\\/bfnrt", c) == NULL)
            return fault(w, begin, 2, "unknown escape", "write a backslash as \\\\");
        w->at += 2;
        return true;
    }
    int32_t code = hex4(w, begin + 2);
    w->at += 6;
    if (code < 0)
        return fault(w, begin, 2, "\\u needs four hexadecimal digits", NULL);
    if (code == 0)
        return fault(w, begin, 6, "\\u0000 would end the text here", NULL);
    if (code < 0xD800 || code > 0xDFFF)
        return true;
    int32_t low = w->at + 1 < w->len && w->text[w->at] == '\\' && w->text[w->at + 1] == 'u'
                      ? hex4(w, w->at + 2)
                      : -1;
    if (code > 0xDBFF || low < 0xDC00 || low > 0xDFFF)
        return fault(w, begin, 6, "half of a surrogate pair", NULL);
    w->at += 6;
    return true;
}

static bool walk_string(struct hs_json_walk *w)
{
    size_t begin = w->at++;
    for (;;) {
        w->at = (size_t)(hs_json_text_end(w->text + w->at, w->text + w->len) - w->text);
        int c = peek(w);
        if (c == '"') {
            w->at++;
            return true;
        }
        if (c == '\\') {
            if (!walk_escape(w))
                return false;
        } else if (c < 0) {
            return fault(w, begin, 1, "the text that begins here is never closed", NULL);
        } else {
            return fault(w, w->at, 1,
                         c == '\n' || c == '\r' ? "a line end inside a text"
                                                : "a control character inside a text",
                         c == '\n' || c == '\r' ? "is the closing quote missing?"
                                                : "write it as \\t or \\u00XX");
        }
    }
}

/* At least one digit. */
static bool walk_digits(struct hs_json_walk *w)
{
    size_t begin = w->at;
    while (is_digit(peek(w)))
        w->at++;
    return w->at > begin;
}

static bool walk_number(struct hs_json_walk *w)
{
    size_t begin = w->at;
    bool is_good;

    w->at += peek(w) == '-';
    bool has_zero = peek(w) == '0';
    size_t digits = w->at;
    is_good = walk_digits(w) && !(has_zero && w->at > digits + 1);
    if (peek(w) == '.') {
        w->at++;
        is_good &= walk_digits(w);
    }
    if (peek(w) == 'e' || peek(w) == 'E') {
        w->at++;
        w->at += peek(w) == '+' || peek(w) == '-';
        is_good &= walk_digits(w);
    }
    size_t end = w->at;
    while (end < w->len && (is_word((unsigned char)w->text[end]) || w->text[end] == '.'))
        end++;
    if (!is_good || end > w->at)
        return fault(w, begin, end - begin, "not a JSON number",
                     "numbers are like 12, -0.5, 1e9; values with a unit go in double quotes");
    if (end - begin > NUMBER_MAX)
        return fault(w, begin, end - begin, "a number of more than 63 characters", NULL);
    return true;
}

static bool walk_literal(struct hs_json_walk *w)
{
    static const char *const literals[] = {"true", "false", "null"};
    size_t begin = w->at, len = 0;

    while (begin + len < w->len && is_word((unsigned char)w->text[begin + len]))
        len++;
    for (size_t i = 0; i < 3; i++) {
        if (len == strlen(literals[i]) && memcmp(w->text + begin, literals[i], len) == 0) {
            w->at += len;
            return true;
        }
    }
    if (begin == w->len)
        return fault(w, begin, 1, "the text ends where a value is expected", NULL);
    if (len > 0 || w->text[begin] == '\'')
        return fault(w, begin, len > 0 ? len : 1, "expected a value",
                     "text goes in double quotes; true, false and null are lower case");
    return fault(w, begin, 1, "expected a value", NULL);
}

static bool walk_value(struct hs_json_walk *w, unsigned depth);

/* Behind a member or element: true and *more set, or a fault. */
static bool walk_separator(struct hs_json_walk *w, int close, bool *more)
{
    if (!skip_space(w))
        return false;
    int c = peek(w);
    if (c == close || c == ',') {
        w->at++;
        *more = c == ',';
        return !*more || skip_space(w);
    }
    const char *what = close == '}' ? "expected ',' or '}'" : "expected ',' or ']'";
    if (c < 0)
        what = close == '}' ? "the text ends before '}'" : "the text ends before ']'";
    return fault(w, w->at, 1, what, c == '"' || c == '{' ? "is a comma missing?" : NULL);
}

static bool walk_member(struct hs_json_walk *w, unsigned depth)
{
    size_t begin = w->at;
    if (peek(w) != '"')
        return fault(w, begin, 1,
                     begin == w->len ? "the text ends before '}'"
                                     : "expected a key in double quotes",
                     peek(w) == '}' ? "remove the comma before '}'" : NULL);
    if (!walk_string(w))
        return false;
    if (w->index == w->target)
        w->key = (struct hs_json_span){begin, w->at - begin};
    if (!skip_space(w))
        return false;
    if (peek(w) != ':')
        return fault(w, w->at, 1, "expected ':' behind the key", NULL);
    w->at++;
    return walk_value(w, depth);
}

static bool walk_container(struct hs_json_walk *w, unsigned depth)
{
    bool is_object = w->text[w->at] == '{', more = true;
    int close = is_object ? '}' : ']';

    if (depth == HS_JSON_DEPTH_MAX)
        return fault(w, w->at, 1, "more than 64 levels of nesting", NULL);
    w->at++;
    if (!skip_space(w))
        return false;
    if (peek(w) == close) {
        w->at++;
        return true;
    }
    while (more) {
        if (!is_object && peek(w) == ']')
            return fault(w, w->at, 1, "expected a value", "remove the comma before ']'");
        if (!(is_object ? walk_member(w, depth + 1) : walk_value(w, depth + 1)))
            return false;
        if (!walk_separator(w, close, &more))
            return false;
    }
    return true;
}

static bool walk_value(struct hs_json_walk *w, unsigned depth)
{
    if (!skip_space(w))
        return false;
    uint32_t index = w->index++;
    size_t begin = w->at;
    int c = peek(w);
    bool is_good;

    if (c == '{' || c == '[')
        is_good = walk_container(w, depth);
    else if (c == '"')
        is_good = walk_string(w);
    else if (c == '-' || c == '+' || c == '.' || is_digit(c))
        is_good = walk_number(w);
    else
        is_good = walk_literal(w);
    if (is_good && index == w->target)
        w->value = (struct hs_json_span){begin, c == '{' || c == '[' ? 1 : w->at - begin};
    return is_good;
}

bool hs_json_walk_value(struct hs_json_walk *w)
{
    return walk_value(w, 0);
}

bool hs_json_walk(struct hs_json_walk *w)
{
    if (!walk_value(w, 0) || !skip_space(w))
        return false;
    if (w->at < w->len)
        return fault(w, w->at, 1, "text behind the end of the document", NULL);
    return true;
}

struct hs_place hs_json_place_at(const struct hs_json_source *source, struct hs_json_span span)
{
    const char *line = source->text, *at = source->text + source->begin + span.at;
    const char *stop = source->text + source->len;
    struct hs_place place = {.file = source->file, .line = source->line};
    int64_t column = source->column;

    for (const char *nl; (nl = memchr(line, '\n', (size_t)(at - line))) != NULL; line = nl + 1) {
        place.line++;
        column = 1;
    }
    const char *end = memchr(at, '\n', (size_t)(stop - at));
    end = end != NULL ? end : stop;
    if (end > at && end[-1] == '\r')
        end--;
    size_t len = span.len < (size_t)(end - at) ? span.len : (size_t)(end - at);
    place.span = len > 0 ? (int32_t)len : 1;
    if (column == 1) { /* else the line does not begin in this text */
        place.text = line;
        place.text_len = (size_t)(end - line);
    }
    column += at - line;
    place.column = column < INT32_MAX ? (int32_t)column : INT32_MAX;
    return place;
}
