/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A field is quoted only when it must be: for the delimiter, quotes, line ends, and blanks at
 * either end, which readers trim. A row whose only field is empty is written as "" because readers
 * skip blank lines. Numbers are formatted straight into the output's buffer.
 */
#include "data/csvwrite.h"

#include <string.h>

#include "base/fmt.h"

/* Values of in_row. */
enum { ROW_EMPTY, ROW_STARTED, ROW_ONE_EMPTY_FIELD };

/* Room for one number, the comma before it written. */
static char *field_begin(struct hs_csvw *w)
{
    char *to = hs_output_room(&w->out, HS_FMT_MAX + 1);
    if (w->in_row != ROW_EMPTY)
        *to++ = ',';
    w->in_row = ROW_STARTED;
    return to;
}

static int needs_quotes(const char *text, size_t len)
{
    if (len == 0)
        return 0;
    if (text[0] == ' ' || text[0] == '\t' || text[len - 1] == ' ' || text[len - 1] == '\t')
        return 1;
    return strpbrk(text, ",\"\r\n") != NULL;
}

/* len <= HS_OUTPUT_ROOM / 2: each byte may double. */
static void quoted_put(struct hs_csvw *w, const char *text, size_t len)
{
    char *to = hs_output_room(&w->out, 2 * len);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            *to++ = '"';
        *to++ = text[i];
    }
    hs_output_wrote(&w->out, to);
}

enum hs_status hs_csvw_open(struct hs_csvw *w, const char *path, const char *header,
                            struct hs_diag *diag)
{
    *w = (struct hs_csvw){0};
    HS_TRY(hs_output_open(&w->out, path, diag));
    hs_output_put(&w->out, header, strlen(header));
    hs_output_put(&w->out, "\n", 1);
    return HS_OK;
}

void hs_csvw_text(struct hs_csvw *w, const char *text)
{
    size_t len = text != NULL ? strlen(text) : 0;
    if (len == 0) {
        hs_csvw_empty(w);
        return;
    }
    hs_output_wrote(&w->out, field_begin(w));
    if (!needs_quotes(text, len)) {
        hs_output_put(&w->out, text, len);
        return;
    }
    hs_output_put(&w->out, "\"", 1);
    for (size_t n; len > 0; text += n, len -= n) {
        n = len < HS_OUTPUT_ROOM / 2 ? len : HS_OUTPUT_ROOM / 2;
        quoted_put(w, text, n);
    }
    hs_output_put(&w->out, "\"", 1);
}

void hs_csvw_i64(struct hs_csvw *w, int64_t value)
{
    char *to = field_begin(w);
    hs_output_wrote(&w->out, to + hs_fmt_i64(to, value));
}

void hs_csvw_u64(struct hs_csvw *w, uint64_t value)
{
    char *to = field_begin(w);
    hs_output_wrote(&w->out, to + hs_fmt_u64(to, value));
}

void hs_csvw_seconds(struct hs_csvw *w, int64_t us)
{
    char *to = field_begin(w);
    hs_output_wrote(&w->out, to + hs_fmt_seconds(to, us));
}

void hs_csvw_ratio(struct hs_csvw *w, uint64_t num, uint64_t den, unsigned decimals)
{
    if (den == 0) {
        hs_csvw_empty(w);
        return;
    }
    char *to = field_begin(w);
    hs_output_wrote(&w->out, to + hs_fmt_ratio(to, num, den, decimals));
}

void hs_csvw_double(struct hs_csvw *w, double value)
{
    char text[HS_FMT_MAX];
    size_t len = hs_fmt_double(text, value);
    if (len == 0) {
        hs_csvw_empty(w);
        return;
    }
    char *to = field_begin(w);
    memcpy(to, text, len);
    hs_output_wrote(&w->out, to + len);
}

void hs_csvw_empty(struct hs_csvw *w)
{
    int is_first = w->in_row == ROW_EMPTY;
    hs_output_wrote(&w->out, field_begin(w));
    if (is_first)
        w->in_row = ROW_ONE_EMPTY_FIELD;
}

void hs_csvw_ids(struct hs_csvw *w, const uint32_t *ids, uint32_t count)
{
    if (count == 0) {
        hs_csvw_empty(w);
        return;
    }
    hs_output_wrote(&w->out, field_begin(w));
    for (uint32_t i = 0; i < count;) {
        uint32_t last = i;
        while (last + 1 < count && ids[last + 1] == ids[last] + 1)
            last++;
        char *to = hs_output_room(&w->out, 2 * HS_FMT_MAX);
        if (i > 0)
            *to++ = ' ';
        to += hs_fmt_u64(to, ids[i]);
        if (last > i) {
            *to++ = '-';
            to += hs_fmt_u64(to, ids[last]);
        }
        hs_output_wrote(&w->out, to);
        i = last + 1;
    }
}

void hs_csvw_end(struct hs_csvw *w)
{
    if (w->in_row == ROW_ONE_EMPTY_FIELD)
        hs_output_put(&w->out, "\"\"", 2);
    hs_output_put(&w->out, "\n", 1);
    w->in_row = ROW_EMPTY;
    w->rows++;
}

enum hs_status hs_csvw_close(struct hs_csvw *w, struct hs_diag *diag)
{
    return hs_output_close(&w->out, diag);
}
