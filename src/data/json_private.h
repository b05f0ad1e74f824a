/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a document and a stream of elements share: the way from text to a tree, and to places.
 */
#ifndef HORUS_DATA_JSON_PRIVATE_H
#define HORUS_DATA_JSON_PRIVATE_H

#include "base/memory.h"
#include "data/json.h"

#define HS_JSON_DEPTH_MAX 64 /* nested containers */

/* JSON and the lines around it: text[0] stands at line:column of file, text[0, len) may be quoted,
 * text[begin, end) is the JSON. Spans count from begin. */
struct hs_json_source {
    const char *file, *text;
    size_t len, begin, end;
    int64_t line, column;
    bool has_comments; /* are allowed */
};

struct hs_json_span {
    size_t at, len;
};

/* Walks and parses the JSON of source; every fault is reported. The tree lives in the arena.
 * blanked: scratch of end - begin bytes that holds a copy, when comments are allowed; else NULL. */
HS_MUST_USE enum hs_status hs_json_parse(const struct hs_json_source *source, char *blanked,
                                         struct hs_arena *arena, const struct hs_json **root,
                                         struct hs_diag *diag);
/* The same of one value without comments; anything may stand behind it. *len: of it; 0, and nothing
 * done or reported, if it has a fault, does not end in source, or is longer than `most`. */
HS_MUST_USE enum hs_status hs_json_element(const struct hs_json_source *source, size_t most,
                                           struct hs_arena *arena, const struct hs_json **root,
                                           size_t *len, struct hs_diag *diag);

enum hs_json_end { HS_JSON_MORE, HS_JSON_DONE, HS_JSON_CONTROL, HS_JSON_DEPTH, HS_JSON_BRACKET };

/* Where the element that begins at p ends, by brackets and quotes alone; else *at is what breaks
 * it, or the end of what there is. */
enum hs_json_end hs_json_find_end(const char *p, const char *stop, const char **at);

/* The place of source->text[span]; the underline ends with the line. */
struct hs_place hs_json_place_at(const struct hs_json_source *source, struct hs_json_span span);
/* Where the value, or the key of the member, stands in source. */
struct hs_place hs_json_locate(const struct hs_json_source *source, const struct hs_json *root,
                               const struct hs_json *value, bool of_key);

#endif
