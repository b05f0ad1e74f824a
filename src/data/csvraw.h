/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The raw text of a CSV row: where its fields stand, for messages, and the split of a line that
 * needs no quoting rules.
 */
#ifndef HORUS_DATA_CSVRAW_H
#define HORUS_DATA_CSVRAW_H

#include <stdint.h>

#include "base/block64.h"
#include "base/diag.h"

#define HS_CSV_FIELDS_MAX 4096u

struct hs_csv_raw {
    const char *file, *begin, *end; /* the row, its line end included */
    int64_t line;                   /* of begin */
    char delimiter;
};

/* The place of at[0, span) inside the row; the span ends with its line. */
struct hs_place hs_csv_raw_place(const struct hs_csv_raw *raw, const char *at, size_t span);
/* The place of a field; behind the row for an index past the end. */
struct hs_place hs_csv_raw_field(const struct hs_csv_raw *raw, uint32_t field);
/* Where the delimiter or row end behind the field is. */
const char *hs_csv_raw_field_end(const struct hs_csv_raw *raw, uint32_t field);

/* Splits line[0, len), a line without quotes, line ends and NULs, by the rules of libcsv, a block
 * of bytes at a time; its fields, each with its NUL, are put into text. HS_CSV_SPLIT_ROOM bytes
 * behind the line are read, and behind text written. Returns how many fields there are, at most len
 * + 1; a line of blanks has none. */
#define HS_CSV_SPLIT_ROOM HS_BLOCK64
uint32_t hs_csv_split_plain(const char *line, uint32_t len, char delimiter, char *text,
                            const char **fields, uint32_t *lengths);

#endif
