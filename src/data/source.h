/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What readers of JSON and CSV share: places in a text, and the way from JSON to a tree.
 */
#ifndef HORUS_DATA_SOURCE_H
#define HORUS_DATA_SOURCE_H

#include "base/memory.h"
#include "data/json.h"

/* JSON, or a row, and the lines around it: text[0] stands at line:column of file, text[0, len) may
 * be quoted, text[begin, end) is the JSON. Spans count from begin. */
struct hs_source {
    const char *file, *text;
    size_t len, begin, end;
    int64_t line, column;
    bool has_comments; /* are allowed */
};

struct hs_span {
    size_t at, len;
};

/* Walks and parses the JSON of source; every fault is reported. The tree lives in the arena.
 * blanked: scratch of end - begin bytes that holds a copy, when comments are allowed; else NULL. */
HS_MUST_USE enum hs_status hs_json_parse(const struct hs_source *source, char *blanked,
                                         struct hs_arena *arena, const struct hs_json **root,
                                         struct hs_diag *diag);
/* The same of one value without comments; anything may stand behind it. *len: of it; 0, and nothing
 * done or reported, if it has a fault, does not end in source, or is longer than `most`. */
HS_MUST_USE enum hs_status hs_json_element(const struct hs_source *source, size_t most,
                                           struct hs_arena *arena, const struct hs_json **root,
                                           size_t *len, struct hs_diag *diag);

/* Does the element that begins at p end, by brackets and quotes alone, and where? Else *at is what
 * breaks it, and *what and *hint say how; or *what is NULL, and *at the end of what there is. */
bool hs_json_find_end(const char *p, const char *stop, const char **at, const char **what,
                      const char **hint);

/* The place of source->text[span]; the underline ends with the line. */
struct hs_place hs_place_at(const struct hs_source *source, struct hs_span span);
/* Where the value, or the key of the member, stands in source. */
struct hs_place hs_json_locate(const struct hs_source *source, const struct hs_json *root,
                               const struct hs_json *value, bool of_key);

#endif
