/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fields of text: quoted only where they must be.
 */
#include "data/csvwrite.h"

#include <string.h>

#define PLAIN_MAX (HS_OUTPUT_ROOM - HS_FMT_MAX) /* bytes of a text copied at one go */

/* Bytes that end the plain part of a text. */
static const bool is_stop[256] = {
    ['\0'] = true, [','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A text that needs quotes or is long. */
static void text_other(struct hs_csvw *w, const char *text)
{
    size_t len = strlen(text);
    if (!is_blank(text[0]) && !is_blank(text[len - 1]) && strpbrk(text, ",\"\r\n") == NULL) {
        hs_output_put(&w->out, text, len);
        hs_output_put(&w->out, ",", 1);
        return;
    }
    hs_output_put(&w->out, "\"", 1);
    for (size_t n; len > 0; text += n, len -= n) {
        n = len < HS_OUTPUT_ROOM / 2 ? len : HS_OUTPUT_ROOM / 2; /* each byte may double */
        char *to = hs_output_room(&w->out, 2 * n);
        for (size_t i = 0; i < n; i++) {
            if (text[i] == '"')
                *to++ = '"';
            *to++ = text[i];
        }
        hs_output_wrote(&w->out, to);
    }
    hs_output_put(&w->out, "\",", 2);
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

void hs_csvw_some_text(struct hs_csvw *w, const char *text)
{
    char *to = hs_output_room(&w->out, HS_OUTPUT_ROOM);
    size_t len = 0;
    for (; len < PLAIN_MAX && !is_stop[(unsigned char)text[len]]; len++)
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

/* "4" or "4-7". */
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
    if (ids[count - 1] - ids[0] == count - 1) /* they ascend: all are neighbours */
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
