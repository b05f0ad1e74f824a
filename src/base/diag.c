/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Composes the text of a report in one buffer on the stack and passes it to the sink. User data is
 * not trusted: what is not printable UTF-8 is printed as \xNN, long source lines are truncated to a
 * window around the caret, and a message that does not fit is truncated. No allocation, so that
 * "out of memory" can be reported.
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
#define WINDOW_LEAD 50  /* of these before the caret, if the line is longer */

struct text {
    size_t len;
    char data[REPORT_MAX];
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void text_add(struct text *t, const char *data, size_t len)
{
    len = least(len, sizeof t->data - t->len);
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

size_t hs_utf8_len(const char *text, size_t len)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)text[0];
    if (lead < 0x80)
        return 1;
    size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || need > len)
        return 0;
    uint32_t point = lead & (0xffu >> (need + 1));
    for (size_t i = 1; i < need; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (c & 0x3f);
    }
    bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
    return point >= smallest[need] && point <= 0x10ffff && !is_surrogate ? need : 0;
}

static bool is_control(const char *data, size_t len)
{
    const unsigned char c = (unsigned char)data[0];
    return c < 0x20 || c == 0x7f ||
           (c == 0xc2 && len > 1 && ((unsigned char)data[1] & 0xe0) == 0x80);
}

size_t hs_control_find(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && !is_control(text + at, len - at))
        at++;
    return at;
}

/* Returns the bytes of the printable character at data; 0 if it must be escaped: controls and
 * invalid UTF-8. */
static size_t glyph_len(const char *data, size_t len)
{
    return is_control(data, len) ? 0 : hs_utf8_len(data, len);
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

/* Returns the columns that text_add_safe() uses for the bytes up to stop, or a character's end. */
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

/* Adds the source line and the caret below it, with a margin for the line number. Of a long line
 * only bytes [begin, end) around the caret are shown. */
static void add_excerpt(struct text *t, const struct hs_place *place)
{
    const char *text = place->text;
    size_t len = place->text_len, begin = 0;
    size_t caret = place->column > 0 ? (size_t)place->column - 1 : 0;
    caret = least(caret, len);
    if (len > WINDOW && caret > WINDOW - 20)
        begin = caret - WINDOW_LEAD;
    while (begin < caret && is_continuation(text[begin]))
        begin++;
    size_t end = begin + least(len - begin, WINDOW);
    while (end < len && end > caret && is_continuation(text[end]))
        end--;
    text_add_str(t, "\n");
    size_t gutter = t->len;
    text_add_int(t, 5, place->line);
    gutter = t->len - gutter;
    text_add_str(t, begin > 0 ? " | ..." : " | ");
    text_add_safe(t, text + begin, end - begin);
    if (end < len)
        text_add_str(t, "...");
    if (place->column <= 0)
        return;
    text_add_str(t, "\n");
    text_repeat(t, ' ', gutter);
    text_add_str(t, " | ");
    size_t stop = caret + least(place->span > 0 ? (size_t)place->span : 1, end - caret);
    size_t lead = width_of(text + begin, caret - begin, end - begin);
    size_t under = width_of(text + begin, stop - begin, end - begin) - lead;
    text_repeat(t, ' ', lead + (begin > 0 ? 3 : 0));
    text_add_str(t, "^");
    if (under > 1)
        text_repeat(t, '~', under - 1);
}

HS_PRINTF(2, 0)
static void add_message(struct text *t, const char *fmt, va_list args)
{
    char message[MESSAGE_MAX];
    int len = vsnprintf(message, sizeof message, fmt, args);
    if (len < 0) {
        text_add_safe(t, fmt, strlen(fmt)); /* preferable to losing the report */
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
    if (place != NULL && place->file != NULL) {
        const int64_t numbers[] = {place->line, place->column};
        text_add_safe(&t, place->file, strlen(place->file));
        for (int i = 0; i < 2 && numbers[i] > 0; i++) {
            text_add_str(&t, ":");
            text_add_int(&t, 0, numbers[i]);
        }
        text_add_str(&t, ": ");
    }
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

void hs_warn_some(struct hs_diag *diag, const char *hint, uint64_t some, uint64_t many,
                  const char *fmt, ...)
{
    char message[MESSAGE_MAX];
    va_list args;
    if (some == 0)
        return;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    hs_report(diag, HS_WARNING, NULL, hint, "%" PRIu64 " of %" PRIu64 " %s", some, many, message);
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

/* ---- nearest words ---- */

#define NAME_MAX_LEN 64

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Rows i-2, i-1, i of the distance table. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][NAME_MAX_LEN + 1];
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        const size_t *before = rows[(i + 1) % 3];
        const size_t *above = rows[(i + 2) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

const char *hs_nearest(const char *word, const char *const *words, size_t count)
{
    size_t len = strlen(word);
    if (len > NAME_MAX_LEN)
        return NULL;
    const char *nearest = NULL;
    size_t best = 2 + len / 3; /* one above the limit */
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(words[i]);
        if (other > NAME_MAX_LEN || (other > len ? other - len : len - other) >= best)
            continue;
        size_t distance = edit_distance(word, len, words[i], other);
        if (distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

const char *hs_did_you_mean(char text[HS_HINT_SIZE], const char *word, const char *const *words,
                            size_t count, const char *otherwise)
{
    const char *nearest = hs_nearest(word, words, count);
    if (nearest == NULL)
        return otherwise;
    (void)snprintf(text, HS_HINT_SIZE, "did you mean '%.100s'?", nearest);
    return text;
}
