/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The grammar of libcsv on a row that is known to be whole: O(length), no state kept.
 */
#include "data/csvraw.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Behind the quote that closes the one at p, or stop. */
static const char *quoted_scan(const char *p, const char *stop)
{
    for (p++; p < stop; p++) {
        if (*p != '"')
            continue;
        if (p + 1 == stop || p[1] != '"')
            return p + 1;
        p++;
    }
    return stop;
}

/* Scans the field at p: *begin and *end without the blanks around it; returns where its delimiter
 * or row end is, or the end of the row. */
static const char *field_scan(const struct hs_csv_raw *raw, const char *p, const char **begin,
                              const char **end)
{
    const char *stop = raw->end;
    while (p < stop && is_blank(*p) && *p != raw->delimiter)
        p++;
    *begin = p;
    if (p < stop && *p == '"')
        p = quoted_scan(p, stop);
    while (p < stop && *p != raw->delimiter && *p != '\n' && *p != '\r')
        p++;
    *end = p;
    while (*end > *begin && is_blank((*end)[-1]))
        --*end;
    return p;
}

struct hs_place hs_csv_raw_place(const struct hs_csv_raw *raw, const char *at, size_t span)
{
    const char *line = raw->begin;
    int64_t number = raw->line;

    for (const char *nl; (nl = memchr(line, '\n', (size_t)(at - line))) != NULL; line = nl + 1)
        number++;
    const char *end = memchr(at, '\n', (size_t)(raw->end - at));
    if (end == NULL)
        end = raw->end;
    if (end > at && end[-1] == '\r')
        end--;
    if (span > (size_t)(end - at))
        span = (size_t)(end - at);
    return (struct hs_place){.file = raw->file,
                             .line = number,
                             .column = (int32_t)(at - line) + 1,
                             .span = (int32_t)(span > 0 ? span : 1),
                             .text = line,
                             .text_len = (size_t)(end - line)};
}

struct hs_place hs_csv_raw_field(const struct hs_csv_raw *raw, uint32_t field)
{
    const char *begin, *end, *p = raw->begin;

    if (p == raw->end)
        return (struct hs_place){.file = raw->file, .line = raw->line};
    for (;; p++, field--) {
        p = field_scan(raw, p, &begin, &end);
        if (field == 0)
            return hs_csv_raw_place(raw, begin, (size_t)(end - begin));
        if (p == raw->end || *p != raw->delimiter)
            return hs_csv_raw_place(raw, p, 1);
    }
}

const char *hs_csv_raw_field_end(const struct hs_csv_raw *raw, uint32_t field)
{
    const char *begin, *end, *p = field_scan(raw, raw->begin, &begin, &end);
    while (field-- > 0 && p < raw->end)
        p = field_scan(raw, p + 1, &begin, &end);
    return p;
}

bool hs_csv_split_plain(char *text, uint32_t len, char delimiter, const char **fields,
                        uint32_t *lengths, uint32_t *count)
{
    char *p = text, *stop = text + len;
    uint32_t n = 0;

    *stop = delimiter;
    for (;; p++) {
        char *begin = p, *end;
        while (*p != delimiter)
            p++;
        for (end = p; begin < end && is_blank(*begin);)
            begin++;
        while (begin < end && is_blank(end[-1]))
            end--;
        *end = '\0';
        fields[n] = begin;
        lengths[n++] = (uint32_t)(end - begin);
        if (p == stop)
            break;
        if (n == HS_CSV_FIELDS_MAX)
            return false;
    }
    *count = n == 1 && lengths[0] == 0 ? 0 : n;
    return true;
}
