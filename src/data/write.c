/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes CSV and JSON. A JSON text that is not UTF-8 would make the whole file unreadable for
 * parsers, so each byte outside a valid sequence is written as the code point with its value
 * (\u00XX).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/csv.h"
#include "data/json.h"

/* ---- numbers of templates ---- */

/* Formats the argument that `what`, a conversion without its %, takes; returns the length, 0 for a
 * double that is not finite. */
static size_t argument_digits(char digits[HS_FMT_MAX], const char *what, va_list *args)
{
    if (*what == 'g')
        return hs_fmt_double(digits, va_arg(*args, double));
    if (*what == '.')
        return hs_fmt_double(digits, hs_fmt_round6(va_arg(*args, double)));
    if (*what == 'u')
        return hs_fmt_u64(digits, va_arg(*args, unsigned));
    if (strncmp(what, PRId64, strlen(PRId64)) == 0)
        return hs_fmt_i64(digits, va_arg(*args, int64_t));
    return hs_fmt_u64(digits, va_arg(*args, uint64_t));
}

/* ---- JSON ---- */

static void put(struct hs_jsonw *w, const char *text)
{
    hs_output_put(w->out, text, strlen(text));
}

static void line_break(struct hs_jsonw *w)
{
    put(w, "\n");
    for (uint32_t i = 0; i < w->depth; i++)
        put(w, "  ");
}

/* Writes a comma and a new line before a value, unless its key was just written. */
static void value_begin(struct hs_jsonw *w)
{
    if (!w->after_key) {
        if (w->needs_comma)
            put(w, w->one_line > 0 ? ", " : ",");
        if (w->depth > 0 && w->one_line == 0)
            line_break(w);
    }
    w->after_key = false;
    w->needs_comma = true;
}

/* Writes text[0, len) as a quoted JSON text. */
static void text_put(struct hs_output *out, const char *text, size_t len)
{
    static const char hex[] = "0123456789abcdef", special[] = "\"\\\n\t\r";
    const unsigned char *p = (const unsigned char *)text, *end = p + len;

    hs_output_put(out, "\"", 1);
    for (size_t n; p < end; p += n) {
        for (n = 0; p + n < end && p[n] >= ' ' && p[n] < 0x7F && p[n] != '"' && p[n] != '\\';)
            n++;
        if (n > 0) {
            hs_output_put(out, p, n);
            continue;
        }
        char escape[6] = {'\\', 'u', '0', '0', hex[*p >> 4], hex[*p & 15]};
        const char *letter = *p != '\0' ? strchr(special, *p) : NULL;
        n = hs_utf8_len((const char *)p, (size_t)(end - p));
        if (letter != NULL) {
            escape[1] = "\"\\ntr"[letter - special];
            hs_output_put(out, escape, 2);
        } else if (*p < 0x20 || *p == 0x7F) { /* no reader accepts it, including ours */
            hs_output_put(out, "\\ufffd", sizeof escape);
        } else if (n == 0) {
            hs_output_put(out, escape, sizeof escape);
        } else {
            hs_output_put(out, p, n);
        }
        n += n == 0;
    }
    hs_output_put(out, "\"", 1);
}

/* A number, true or false. */
static void number_put(struct hs_jsonw *w, const char *digits, size_t len)
{
    value_begin(w);
    hs_output_put(w->out, digits, len);
}

void hs_jsonw_begin(struct hs_jsonw *w, struct hs_output *out)
{
    *w = (struct hs_jsonw){.out = out};
}

static void key_put(struct hs_jsonw *w, const char *key, size_t len)
{
    value_begin(w);
    text_put(w->out, key, len);
    put(w, ": ");
    w->after_key = true;
}

void hs_jsonw_key(struct hs_jsonw *w, const char *key)
{
    key_put(w, key, strlen(key));
}

void hs_jsonw_text(struct hs_jsonw *w, const char *text)
{
    value_begin(w);
    if (text != NULL)
        text_put(w->out, text, strlen(text));
    else
        put(w, "null");
}

void hs_jsonw_seconds(struct hs_jsonw *w, int64_t us)
{
    char digits[HS_FMT_MAX];
    number_put(w, digits, hs_fmt_seconds(digits, us));
}

/* what: the conversion without %. */
static void put_argument(struct hs_jsonw *w, const char *what, va_list *args)
{
    static const char hex[] = "0123456789abcdef";
    char digits[HS_FMT_MAX];
    size_t len = 0; /* 0: not finite, null */
    if (*what == 's') {
        hs_jsonw_text(w, va_arg(*args, const char *));
        return;
    }
    if (*what == 'd') {
        const bool value = va_arg(*args, int);
        number_put(w, value ? "true" : "false", value ? 4 : 5);
        return;
    }
    if (*what == '0') {
        uint64_t hash = va_arg(*args, uint64_t);
        digits[len++] = '"';
        for (int shift = 60; shift >= 0; shift -= 4)
            digits[len++] = hex[hash >> shift & 15];
        digits[len++] = '"';
    } else {
        len = argument_digits(digits, what, args);
    }
    if (len > 0)
        number_put(w, digits, len);
    else
        hs_jsonw_text(w, NULL);
}

static void container_end(struct hs_jsonw *w, const char *bracket)
{
    w->depth--;
    if (w->needs_comma && w->one_line == 0)
        line_break(w);
    if (w->depth < w->one_line)
        w->one_line = 0;
    hs_output_put(w->out, bracket, 1);
    w->needs_comma = true;
}

static void put_word(struct hs_jsonw *w, const char *word, size_t len, va_list *args)
{
    const char *end = word + len, *value = memchr(word, '=', len);
    if (value == NULL) {
        container_end(w, word);
        return;
    }
    if (*word == '%')
        hs_jsonw_key(w, va_arg(*args, const char *));
    else if (value > word)
        key_put(w, word, (size_t)(value - word));
    w->wants_one_line = *++value == '!';
    value += w->wants_one_line;
    len = (size_t)(end - value);
    if (len == 1 && (*value == '{' || *value == '[')) {
        value_begin(w);
        hs_output_put(w->out, value, 1);
        w->depth++;
        w->needs_comma = false;
        if (w->wants_one_line && w->one_line == 0)
            w->one_line = w->depth;
        w->wants_one_line = false;
    } else if (*value == '%')
        put_argument(w, value + 1, args);
    else if (*value == '#' && value[1] >= '0' && value[1] <= '9')
        number_put(w, value + 1, len - 1);
    else if (len == strlen("false") && memcmp(value, "false", len) == 0)
        number_put(w, value, len);
    else {
        value_begin(w);
        text_put(w->out, value, len);
    }
}

void hs_jsonw_put(struct hs_jsonw *w, const char *words, ...)
{
    va_list args;
    va_start(args, words);
    for (size_t len; *words != '\0'; words += len + (words[len] == ' ')) {
        len = strcspn(words, " ");
        put_word(w, words, len, &args);
    }
    va_end(args);
}

void hs_jsonw_finish(struct hs_jsonw *w)
{
    put(w, "\n");
}

/* ---- CSV ---- */

#define COPY_MAX (HS_OUTPUT_ROOM - HS_FMT_MAX) /* bytes of a text copied at once */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Bytes that end the plain part of a text. */
static const bool is_stop[256] = {
    ['\0'] = true, [','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true};

/* Writes a text that needs quotes or is long. */
static void text_other(struct hs_csvw *w, const char *text)
{
    const bool is_plain =
        !is_blank(text[0]) && !is_blank(text[strlen(text) - 1]) && strpbrk(text, ",\"\r\n") == NULL;
    hs_output_put(&w->out, "\"", !is_plain);
    for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
        hs_output_put(&w->out, text, (size_t)(quote + 1 - text));
        hs_output_put(&w->out, "\"", 1);
    }
    hs_output_put(&w->out, text, strlen(text));
    hs_output_put(&w->out, is_plain ? "," : "\",", is_plain ? 1 : 2);
}

enum hs_status hs_csvw_open(struct hs_csvw *w, const char *path, const char *header,
                            struct hs_diag *diag)
{
    *w = (struct hs_csvw){.is_single = strchr(header, ',') == NULL};
    HS_TRY(hs_output_open(&w->out, path, diag));
    hs_output_put(&w->out, header, strlen(header));
    hs_output_put(&w->out, "\n", 1);
    return HS_OK;
}

enum hs_status hs_csvw_widen(struct hs_csvw *w, const char *names, const char *cells,
                             struct hs_diag *diag)
{
    char path[HS_BESIDE_PATH_MAX];
    struct hs_input *input;
    const char *data, *ending = names;
    size_t len;
    bool is_quoted = false;
    (void)snprintf(path, sizeof path, "%s", w->out.path);
    HS_TRY(hs_csvw_close(w, diag));
    HS_TRY(hs_input_open(&input, path, diag));
    (void)unlink(path); /* the input has it open; the new file is a different one */
    enum hs_status status = hs_output_open(&w->out, path, diag);
    while (status == HS_OK && (status = hs_input_read(input, &data, &len)) == HS_OK) {
        size_t done = 0;
        for (size_t i = 0; i < len; i++) {
            is_quoted ^= data[i] == '"'; /* a quote in the text is doubled */
            if (data[i] != '\n' || is_quoted)
                continue;
            hs_output_put(&w->out, data + done, i - done);
            hs_output_put(&w->out, ending, strlen(ending));
            ending = cells;
            done = i;
        }
        hs_output_put(&w->out, data + done, len - done);
    }
    hs_input_close(input);
    return status == HS_END ? HS_OK : status;
}

void hs_csvw_some_text(struct hs_csvw *w, const char *text)
{
    char *to = hs_output_room(&w->out, HS_OUTPUT_ROOM);
    size_t len = 0;
    for (; len < COPY_MAX && !is_stop[(unsigned char)text[len]]; len++)
        to[len] = text[len];
    if (text[len] != '\0' || is_blank(text[0]) || is_blank(text[len - 1]))
        text_other(w, text);
    else
        hs_csvw_end_field(w, to + len);
}

void hs_csvw_ratio(struct hs_csvw *w, uint64_t num, uint64_t den, unsigned decimals)
{
    if (den == 0) {
        hs_csvw_empty(w);
        return;
    }
    char *to = hs_csvw_begin_field(w);
    hs_csvw_end_field(w, to + hs_fmt_ratio(to, num, den, decimals));
}

void hs_csvw_double(struct hs_csvw *w, double value)
{
    char *to = hs_csvw_begin_field(w);
    size_t len = hs_fmt_double(to, value);
    if (len > 0)
        hs_csvw_end_field(w, to + len);
    else
        hs_csvw_empty(w);
}

/* Formats "4" or "4-7". */
static char *put_set(char *to, uint32_t first, uint32_t last)
{
    to += hs_fmt_u64(to, first);
    if (last == first)
        return to;
    *to++ = '-';
    return to + hs_fmt_u64(to, last);
}

void hs_csvw_ids(struct hs_csvw *w, const uint32_t *ids, uint32_t count)
{
    if (count == 0) {
        hs_csvw_empty(w);
        return;
    }
    uint32_t first = 0, last = 0;
    if (ids[count - 1] - ids[0] == count - 1) /* ascending: consecutive ids */
        last = count - 1;
    for (;; first = ++last) {
        while (last + 1 < count && ids[last + 1] == ids[last] + 1)
            last++;
        if (last + 1 == count)
            break;
        char *to = hs_output_room(&w->out, 2 * HS_FMT_MAX);
        to = put_set(to, ids[first], ids[last]);
        *to++ = ' ';
        hs_output_wrote(&w->out, to);
    }
    char *to = hs_output_room(&w->out, 2 * HS_FMT_MAX);
    hs_csvw_end_field(w, put_set(to, ids[first], ids[last]));
}

enum hs_status hs_csvw_close(struct hs_csvw *w, struct hs_diag *diag)
{
    return hs_output_close(&w->out, diag);
}

void hs_csvw_row(struct hs_csvw *w, const char *cells, ...)
{
    va_list args;
    va_start(args, cells);
    for (size_t len; *cells != '\0'; cells += len + (cells[len] == ' ')) {
        len = strcspn(cells, " ");
        if (cells[1] == 's') {
            hs_csvw_text(w, va_arg(args, const char *));
            continue;
        }
        char *to = hs_csvw_begin_field(w);
        const size_t digits = argument_digits(to, cells + 1, &args);
        if (digits > 0)
            hs_csvw_end_field(w, to + digits);
        else
            hs_csvw_empty(w);
    }
    va_end(args);
    hs_csvw_end(w);
}
