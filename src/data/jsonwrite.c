/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes JSON. Text that is not UTF-8 would make the whole file unreadable for parsers, so each
 * byte outside a valid sequence is written as the code point with its value (\u00XX).
 */
#include "data/json.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/fmt.h"
#include "base/io.h"

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

/* Writes text[0, len) as a quoted JSON text. */
static void text_put(struct hs_output *out, const char *text, size_t len)
{
    static const char hex[] = "0123456789abcdef", special[] = "\"\\\n\t\r";
    const unsigned char *p = (const unsigned char *)text, *end = p + len;

    hs_output_put(out, "\"", 1);
    for (size_t n; p < end; p += n) {
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

static void put_bool(struct hs_jsonw *w, bool value)
{
    value_begin(w);
    put(w, value ? "true" : "false");
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
        put_bool(w, va_arg(*args, int));
        return;
    }
    if (*what == 'g')
        len = hs_fmt_double(digits, va_arg(*args, double));
    else if (*what == '.')
        len = hs_fmt_double(digits, hs_fmt_round6(va_arg(*args, double)));
    else if (*what == 'u')
        len = hs_fmt_u64(digits, va_arg(*args, unsigned));
    else if (*what == '0') {
        uint64_t hash = va_arg(*args, uint64_t);
        digits[len++] = '"';
        for (int shift = 60; shift >= 0; shift -= 4)
            digits[len++] = hex[hash >> shift & 15];
        digits[len++] = '"';
    } else if (strncmp(what, PRId64, strlen(PRId64)) == 0)
        len = hs_fmt_i64(digits, va_arg(*args, int64_t));
    else
        len = hs_fmt_u64(digits, va_arg(*args, uint64_t));
    if (len > 0)
        number_put(w, digits, len);
    else
        hs_jsonw_text(w, NULL);
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
        put_bool(w, false);
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
