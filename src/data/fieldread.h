/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text tables in: lines split into fields at blanks or at tabs, without any quoting, for formats
 * that are no CSV (Standard Workload Format, traces of Gavel). LF and CRLF ends, a missing final
 * newline, a UTF-8 byte-order mark and blank lines are accepted; a NUL byte and a line over 1 MiB
 * are errors with their place.
 *
 *     hs_fieldread_init(&in, input, HS_FIELDS_BLANKS, diag);
 *     while ((s = hs_fieldread_next(&in)) == HS_OK)
 *         use(in.fields[2], in.lengths[2]);
 */
#ifndef HORUS_DATA_FIELDREAD_H
#define HORUS_DATA_FIELDREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"

enum hs_fields_at {
    HS_FIELDS_BLANKS, /* a run of blanks and tabs ends a field; there are none at the ends */
    HS_FIELDS_TABS,   /* each tab ends a field, which may be empty and keeps its blanks */
};

#define HS_FIELDS_MAX 32 /* that are kept of a line; more are counted */

struct hs_fieldread {
    struct hs_window window;
    enum hs_fields_at at;
    bool is_started;
    uint32_t next;       /* of the window: where the next line begins */
    uint32_t begin, end; /* of the window: the line, without its end */
    char *text;          /* a copy of the line, each field with its NUL */
    uint32_t text_cap;
    /* of the line last read */
    const char *fields[HS_FIELDS_MAX];
    uint32_t lengths[HS_FIELDS_MAX];
    uint32_t count; /* of all its fields */
    int64_t line;   /* 1-based */
};

/* Borrows input until close. */
void hs_fieldread_init(struct hs_fieldread *in, struct hs_input *input, enum hs_fields_at at,
                       struct hs_diag *diag);
/* The next line that is not blank. HS_E_INPUT: this line is bad; the next call goes on behind it.
 */
HS_MUST_USE enum hs_status hs_fieldread_next(struct hs_fieldread *in);
/* The line last read, as it stands in the file: not NUL-terminated, good until the next one. */
const char *hs_fieldread_line(const struct hs_fieldread *in, size_t *len);
/* Place of a field of that line; past its last field: behind the line. */
struct hs_place hs_fieldread_place(const struct hs_fieldread *in, uint32_t field);
void hs_fieldread_free(struct hs_fieldread *in);

/* For recognisers. The first line of `head` that is neither blank nor begins with `comment`; false
 * if there is none. */
bool hs_fields_head(const char *head, size_t len, char comment, const char **line,
                    size_t *line_len);
/* Where the fields of a line stand, as many as are kept, and how long they are; returns how many
 * there are. */
uint32_t hs_fields_split(const char *line, size_t len, enum hs_fields_at at, const char **fields,
                         uint32_t *lengths);

#endif
