/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Composes the text of a report in one buffer on the stack and hands it to the sink. User data is
 * never trusted: what is not printable UTF-8 appears as \xNN, long source lines are cut to a window
 * around the caret, and a message that does not fit is cut. No allocation, so that "out of memory"
 * can be reported.
 */
#include "base/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define REPORT_MAX  16384
#define MESSAGE_MAX 4096
#define WINDOW      100 /* bytes of a source line that are shown */
#define WINDOW_LEAD 50  /* of them before the caret, if the line is longer */

struct text {
    size_t len;
    char data[REPORT_MAX];
};

static void text_add(struct text *t, const char *data, size_t len)
{
    size_t room = sizeof t->data - t->len;
    if (len > room)
        len = room;
    memcpy(t->data + t->len, data, len);
    t->len += len;
}

static void text_add_str(struct text *t, const char *str)
{
    text_add(t, str, strlen(str));
}

static void text_add_int(struct text *t, int width, int64_t value)
{
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%*" PRId64, width, value);
    text_add(t, digits, (size_t)len);
}

static void text_repeat(struct text *t, char c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_add(t, &c, 1);
}

/* Bytes of the printable character at data; 0 if it must be escaped: controls (C0, DEL, C1) and
 * what is not UTF-8 (RFC 3629: no overlong forms, no surrogates). */
static size_t glyph_len(const char *data, size_t len)
{
    static const uint32_t smallest[] = {0, 0, 0xa0, 0x800, 0x10000};
    unsigned char lead = (unsigned char)data[0];
    if (lead < 0x80)
        return lead >= 0x20 && lead != 0x7f;
    size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || need > len)
        return 0;
    uint32_t point = lead & (0xffu >> (need + 1));
    for (size_t i = 1; i < need; i++) {
        unsigned char c = (unsigned char)data[i];
        if ((c & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (c & 0x3f);
    }
    bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
    return point >= smallest[need] && point <= 0x10ffff && !is_surrogate ? need : 0;
}

static void text_add_safe(struct text *t, const char *data, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < len;) {
        size_t glyph = glyph_len(data + i, len - i);
        if (glyph > 0) {
            text_add(t, data + i, glyph);
            i += glyph;
            continue;
        }
        unsigned char c = (unsigned char)data[i++];
        char escape[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
        text_add(t, escape, sizeof escape);
    }
}

/* Columns that text_add_safe() takes for the bytes up to stop (a character begun counts whole). */
static size_t width_of(const char *data, size_t stop, size_t len)
{
    size_t width = 0;
    for (size_t i = 0; i < stop;) {
        size_t glyph = glyph_len(data + i, len - i);
        width += glyph > 0 ? 1 : 4;
        i += glyph > 0 ? glyph : 1;
    }
    return width;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* What is shown of a source line: bytes [begin, end), around the caret. */
struct window {
    size_t begin, caret, end;
};

static struct window window_of(const struct hs_place *place)
{
    const char *text = place->text;
    size_t len = place->text_len;
    struct window w = {.caret = place->column > 0 ? (size_t)place->column - 1 : 0};
    if (w.caret > len)
        w.caret = len;
    if (len > WINDOW && w.caret > WINDOW - 20)
        w.begin = w.caret - WINDOW_LEAD;
    while (w.begin < w.caret && is_continuation(text[w.begin]))
        w.begin++;
    w.end = len - w.begin > WINDOW ? w.begin + WINDOW : len;
    while (w.end < len && w.end > w.caret && is_continuation(text[w.end]))
        w.end--;
    return w;
}

static void add_caret(struct text *t, const struct hs_place *place, const struct window *w)
{
    const char *shown = place->text + w->begin;
    size_t len = w->end - w->begin;
    size_t span = place->span > 0 ? (size_t)place->span : 1;
    size_t stop = span < w->end - w->caret ? w->caret + span : w->end;
    size_t lead = width_of(shown, w->caret - w->begin, len);
    size_t under = width_of(shown, stop - w->begin, len) - lead;
    text_repeat(t, ' ', lead + (w->begin > 0 ? 3 : 0));
    text_add_str(t, "^");
    if (under > 1)
        text_repeat(t, '~', under - 1);
}

/* The source line and the caret below it, in a gutter that fits the line number. */
static void add_excerpt(struct text *t, const struct hs_place *place)
{
    struct window w = window_of(place);
    text_add_str(t, "\n");
    size_t gutter = t->len;
    text_add_int(t, 5, place->line);
    gutter = t->len - gutter;
    text_add_str(t, w.begin > 0 ? " | ..." : " | ");
    text_add_safe(t, place->text + w.begin, w.end - w.begin);
    if (w.end < place->text_len)
        text_add_str(t, "...");
    if (place->column <= 0)
        return;
    text_add_str(t, "\n");
    text_repeat(t, ' ', gutter);
    text_add_str(t, " | ");
    add_caret(t, place, &w);
}

static void add_where(struct text *t, const struct hs_place *place)
{
    if (place->file == NULL)
        return;
    text_add_safe(t, place->file, strlen(place->file));
    text_add_str(t, ":");
    if (place->line > 0) {
        text_add_int(t, 0, place->line);
        text_add_str(t, ":");
        if (place->column > 0) {
            text_add_int(t, 0, place->column);
            text_add_str(t, ":");
        }
    }
    text_add_str(t, " ");
}

HS_PRINTF(2, 0)
static void add_message(struct text *t, const char *fmt, va_list args)
{
    char message[MESSAGE_MAX];
    int len = vsnprintf(message, sizeof message, fmt, args);
    if (len < 0) {
        text_add_safe(t, fmt, strlen(fmt)); /* better than to lose the report */
    } else if ((size_t)len < sizeof message) {
        text_add_safe(t, message, (size_t)len);
    } else {
        text_add_safe(t, message, sizeof message - 1);
        text_add_str(t, "...");
    }
}

HS_PRINTF(5, 0)
static void report(struct hs_diag *diag, enum hs_severity severity, const struct hs_place *place,
                   const char *hint, const char *fmt, va_list args)
{
    static const char *const names[] = {
        [HS_NOTE] = "note: ", [HS_WARNING] = "warning: ", [HS_ERROR] = "error: "};
    if (severity == HS_ERROR)
        diag->errors++;
    else if (severity == HS_WARNING)
        diag->warnings++;
    if (severity < diag->least || diag->emit == NULL)
        return;
    struct text t;
    t.len = 0;
    if (place == NULL)
        place = diag->where;
    if (place != NULL)
        add_where(&t, place);
    text_add_str(&t, names[severity]);
    add_message(&t, fmt, args);
    if (place != NULL && place->text != NULL && place->line > 0)
        add_excerpt(&t, place);
    if (hint != NULL) {
        text_add_str(&t, "\n      = hint: ");
        text_add_safe(&t, hint, strlen(hint));
    }
    diag->emit(diag->ctx, severity, t.data, t.len);
}

void hs_diag_init(struct hs_diag *diag,
                  void (*emit)(void *ctx, enum hs_severity, const char *text, size_t len),
                  void *ctx)
{
    *diag = (struct hs_diag){.emit = emit, .ctx = ctx, .least = HS_NOTE};
}

void hs_report(struct hs_diag *diag, enum hs_severity severity, const struct hs_place *place,
               const char *hint, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report(diag, severity, place, hint, fmt, args);
    va_end(args);
}

enum hs_status hs_fail(struct hs_diag *diag, enum hs_status status, const struct hs_place *place,
                       const char *hint, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report(diag, HS_ERROR, place, hint, fmt, args);
    va_end(args);
    return status;
}
