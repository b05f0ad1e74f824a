/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines and fields of text tables. O(length) a line; no allocation once the longest was seen.
 */
#include "data/fieldread.h"

#include <string.h>

#include "base/memory.h"

#define LINE_MAX   (1u << 20)
#define WINDOW_MAX (4u << 20)

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

void hs_fieldread_init(struct hs_fieldread *in, struct hs_input *input, enum hs_fields_at at,
                       struct hs_diag *diag)
{
    *in = (struct hs_fieldread){.at = at,
                                .window = {.input = input, .diag = diag, .max = WINDOW_MAX}};
}

uint32_t hs_fields_split(const char *line, size_t len, enum hs_fields_at at, const char **fields,
                         uint32_t *lengths)
{
    const char *end = line + len, *p = line;
    for (uint32_t count = 0;; count++) {
        while (at == HS_FIELDS_BLANKS && p < end && is_blank(*p))
            p++;
        if (at == HS_FIELDS_BLANKS && p == end)
            return count;
        const char *begin = p;
        while (p < end && *p != '\t' && (at == HS_FIELDS_TABS || !is_blank(*p)))
            p++;
        if (count < HS_FIELDS_MAX) {
            fields[count] = begin;
            lengths[count] = (uint32_t)(p - begin);
        }
        if (at == HS_FIELDS_TABS && p++ == end)
            return count + 1;
    }
}

struct hs_place hs_fieldread_place(const struct hs_fieldread *in, uint32_t field)
{
    const char *fields[HS_FIELDS_MAX], *line = in->window.bytes + in->begin;
    uint32_t lengths[HS_FIELDS_MAX], len = in->end - in->begin;
    uint32_t count = hs_fields_split(line, len, in->at, fields, lengths);
    bool is_there = field < count && field < HS_FIELDS_MAX;
    return (struct hs_place){.file = hs_input_path(in->window.input),
                             .line = in->line,
                             .column = (int32_t)(is_there ? fields[field] - line : len) + 1,
                             .span = is_there && lengths[field] > 0 ? (int32_t)lengths[field] : 1,
                             .text = line,
                             .text_len = len};
}

static enum hs_status fail_line(struct hs_fieldread *in, uint32_t column, const char *hint,
                                const char *what)
{
    const char *line = in->window.bytes + in->begin;
    const struct hs_place place = {.file = hs_input_path(in->window.input),
                                   .line = in->line,
                                   .column = (int32_t)column + 1,
                                   .span = 1,
                                   .text = line,
                                   .text_len =
                                       in->end - in->begin < 4096 ? in->end - in->begin : 4096};
    return hs_fail(in->window.diag, HS_E_INPUT, &place, hint, "%s", what);
}

/* Reads on until the line at `next` is whole, or longer than is allowed. HS_END: no line is left.
 */
static enum hs_status load_line(struct hs_fieldread *in, const char **newline)
{
    for (uint32_t searched = 0;;) {
        const char *line = in->window.bytes + in->next;
        uint32_t held = in->window.end - in->next;
        *newline = held > searched ? memchr(line + searched, '\n', held - searched) : NULL;
        if (HS_LIKELY(*newline != NULL) || held > LINE_MAX)
            return HS_OK;
        searched = held;
        enum hs_status status = hs_window_more(&in->window, in->next);
        in->next = 0;
        if (status == HS_END)
            return held > 0 ? HS_OK : HS_END;
        HS_TRY(status);
    }
}

/* What is left of a line that is too long to hold. */
static enum hs_status skip_line(struct hs_fieldread *in)
{
    for (;;) {
        const char *from = in->window.bytes + in->next;
        const char *newline = memchr(from, '\n', in->window.end - in->next);
        if (newline != NULL) {
            in->next = (uint32_t)(newline + 1 - in->window.bytes);
            return HS_OK;
        }
        enum hs_status status = hs_window_more(&in->window, in->window.end);
        in->next = 0;
        if (status == HS_END)
            return HS_OK;
        HS_TRY(status);
    }
}

static enum hs_status take_line(struct hs_fieldread *in)
{
    const char *newline;
    HS_TRY(load_line(in, &newline));
    in->begin = in->next;
    in->end = newline != NULL ? (uint32_t)(newline - in->window.bytes) : in->window.end;
    in->next = in->end + (newline != NULL);
    in->line++;
    if (in->end - in->begin > LINE_MAX) {
        enum hs_status failed =
            fail_line(in, 0, "is this a text file?", "a line of more than 1 MiB");
        enum hs_status status = newline != NULL ? HS_OK : skip_line(in);
        return status == HS_OK ? failed : status;
    }
    if (in->end > in->begin && in->window.bytes[in->end - 1] == '\r')
        in->end--;
    if (!in->is_started && in->end - in->begin >= 3 &&
        memcmp(in->window.bytes + in->begin, byte_order_mark, 3) == 0)
        in->begin += 3;
    in->is_started = true;
    return HS_OK;
}

static bool is_line_blank(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_blank(line[i]))
            return false;
    return true;
}

enum hs_status hs_fieldread_next(struct hs_fieldread *in)
{
    do
        HS_TRY(take_line(in));
    while (is_line_blank(in->window.bytes + in->begin, in->end - in->begin));
    const char *line = in->window.bytes + in->begin;
    uint32_t len = in->end - in->begin;
    const char *nul = memchr(line, '\0', len);
    if (nul != NULL)
        return fail_line(in, (uint32_t)(nul - line),
                         "is this text in UTF-8? UTF-16 and binary files are not", "a NUL byte");
    hs_grow((void **)&in->text, &in->text_cap, (uint64_t)len + 1, 1, LINE_MAX + 1);
    memcpy(in->text, line, len);
    in->text[len] = '\0';
    in->count = hs_fields_split(in->text, len, in->at, in->fields, in->lengths);
    for (uint32_t i = 0; i < in->count && i < HS_FIELDS_MAX; i++)
        in->text[in->fields[i] - in->text + in->lengths[i]] = '\0';
    return HS_OK;
}

const char *hs_fieldread_line(const struct hs_fieldread *in, size_t *len)
{
    *len = in->end - in->begin;
    return in->window.bytes + in->begin;
}

bool hs_fields_head(const char *head, size_t len, char comment, const char **line, size_t *line_len)
{
    const char *at = head, *stop = head + len;
    if (len >= 3 && memcmp(head, byte_order_mark, 3) == 0)
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

void hs_fieldread_free(struct hs_fieldread *in)
{
    hs_window_free(&in->window);
    hs_free(in->text);
    in->text = NULL;
}
