/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The grammar of libcsv on a row that is known to be whole: O(length), no state kept.
 */
#include "data/csvraw.h"

#include <stdbool.h>
#include <string.h>

#include "base/block64.h"
#include "horus/compiler.h"

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

/* ---- lines without quotes ---- */

static void trim(const char **begin, char **end)
{
    while (*begin < *end && is_blank(**begin))
        ++*begin;
    while (*begin < *end && is_blank((*end)[-1]))
        --*end;
    **end = '\0';
}

uint32_t hs_csv_split_plain(const char *line, uint32_t len, char delimiter, char *text,
                            const char **fields, uint32_t *lengths)
{
    const char *begin = text;
    size_t count = 0;

    for (uint32_t at = 0; at <= len; at += HS_BLOCK64) {
        uint64_t ends = hs_block64_find(line + at, delimiter);
        char *block = memcpy(text + at, line + at, HS_BLOCK64);
        if (len - at < HS_BLOCK64) { /* the end of the line is that of its last field */
            const uint64_t line_end = UINT64_C(1) << (len - at);
            ends = (ends & (line_end - 1)) | line_end;
        }
        for (; ends != 0; ends &= ends - 1) {
            char *end = block + HS_CTZ64(ends), *next = end + 1;
            *end = '\0';
            /* Neither empty nor with a blank at an end: nearly all are. */
            if (HS_UNLIKELY((unsigned char)*begin <= ' ' || (unsigned char)end[-1] <= ' '))
                trim(&begin, &end);
            fields[count] = begin;
            lengths[count++] = (uint32_t)(end - begin);
            begin = next;
        }
    }
    return count == 1 && lengths[0] == 0 ? 0 : (uint32_t)count;
}
