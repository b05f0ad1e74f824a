/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See html.h.
 */
#include "report/html/html.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/fmt.h"

/* Of a code that came in len > 1 bytes: is that its shortest form, and is it in XML 1.0? */
static bool is_character(uint32_t code, size_t len)
{
    const bool is_long = (len == 3 && code < 0x800) || (len == 4 && code < 0x10000);
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return !is_long && !is_surrogate && code <= 0x10ffff && code != 0xfffe && code != 0xffff;
}

/* Bytes of the character at `text` if it is whole and may stand in XML; else 0. RFC 3629, 4. */
static size_t character_length(const unsigned char *text)
{
    const unsigned char lead = text[0];
    if (lead < 0x80)
        return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r';
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    const size_t len = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t code = lead & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    return is_character(code, len) ? len : 0;
}

static const char *escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void hs_html_text(struct hs_output *out, const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    while (*text != '\0') {
        const char *escaped = escape_of(*text);
        size_t len = character_length((const unsigned char *)text);
        if (escaped != NULL)
            hs_output_put(out, escaped, strlen(escaped));
        else if (len > 0)
            hs_output_put(out, text, len);
        else
            hs_output_put(out, replacement, sizeof replacement - 1);
        text += len > 0 ? len : 1;
    }
}

void hs_markup(struct hs_output *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    for (const char *next; *fmt != '\0'; fmt = next) {
        next = fmt + strcspn(fmt, "%");
        hs_output_put(out, fmt, (size_t)(next - fmt));
        if (*next == '\0')
            break;
        const bool is_long = next[1] == 'l';
        next += is_long ? 2 : 1;
        if (*next == 's')
            hs_html_text(out, va_arg(args, const char *));
        else if (*next == 'u')
            hs_say(out, "%" PRIu64, is_long ? va_arg(args, uint64_t) : va_arg(args, uint32_t));
        else
            hs_output_put(out, "%", 1);
        next++;
    }
    va_end(args);
}

void hs_html_value(struct hs_output *out, const struct hs_runcolumn *column, double value)
{
    char text[HS_COLUMN_TEXT_SIZE], digits[HS_FMT_MAX + 1];
    hs_markup(out, " data-metric=\"%s\"", column->metric);
    if (!isnan(value)) {
        digits[hs_fmt_double(digits, value)] = '\0';
        hs_say(out, " data-value=\"%s\"", digits);
    }
    hs_runcolumn_text(column, value, text);
    hs_markup(out, ">%s", text);
}

void hs_html_cell(struct hs_output *out, const struct hs_runcolumn *column, double value,
                  const char *class, const char *below)
{
    hs_say(out, "<td");
    if (class != NULL && class[0] != '\0')
        hs_say(out, " class=\"%s\"", class);
    hs_html_value(out, column, value);
    if (below[0] != '\0')
        hs_markup(out, "<small>%s</small>", below);
    hs_say(out, "</td>");
}

void hs_html_data_uri(struct hs_output *out, const char *type, const unsigned char *bytes,
                      size_t len)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    hs_say(out, "data:%s;base64,", type);
    for (size_t i = 0; i < len; i += 3) {
        const size_t left = len - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        const char four[] = {letters[three >> 18], letters[three >> 12 & 63],
                             left > 1 ? letters[three >> 6 & 63] : '=',
                             left > 2 ? letters[three & 63] : '='};
        hs_output_put(out, four, sizeof four);
    }
}
