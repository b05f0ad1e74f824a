/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What json.c, json_doc.c, json_walk.c and jsonstream.c share. A text is first walked (strict RFC
 * 8259, every fault with its place), then made a tree of cJSON's nodes in an arena, then vetted for
 * what only values can show. To find the text of a value again it is walked a second time,
 * counting. An element of a stream that is a line of plain JSON is made a tree without a walk.
 */
#ifndef HORUS_DATA_JSON_PRIVATE_H
#define HORUS_DATA_JSON_PRIVATE_H

#include "base/memory.h"
#include "base/word8.h"
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

struct hs_json_walk {
    const char *text;
    size_t len, at;
    bool has_comments;              /* are allowed */
    char *blanked;                  /* NULL, or a copy of text in which comments become blanks */
    uint32_t index;                 /* values met so far, in the order of the text */
    uint32_t target;                /* which one to locate; UINT32_MAX = none */
    struct hs_json_span value, key; /* of the target; key.len 0 if it has none */
    const char *what, *hint;        /* of the fault, which is at `value` */
};

/* Of text[0, stop): behind the white space at p. */
static inline const char *hs_json_skip_space(const char *p, const char *stop)
{
    while (stop - p >= 8 && hs_word8_at(p) == HS_WORD8_OF(' '))
        p += 8;
    while (p < stop && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* The first of quote, backslash and control characters from p on, or stop. */
static inline const char *hs_json_text_end(const char *p, const char *stop)
{
    for (; stop - p >= 8; p += 8) {
        uint64_t word = hs_word8_at(p);
        uint64_t ends = hs_word8_zeros(word ^ HS_WORD8_OF('"')) |
                        hs_word8_zeros(word ^ HS_WORD8_OF('\\')) |
                        hs_word8_zeros(word & HS_WORD8_OF(0xe0));
        if (ends != 0)
            return p + hs_word8_first(ends);
    }
    while (p < stop && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    return p;
}

/* One document from the first byte to the last; false at the first fault. O(len). */
bool hs_json_walk(struct hs_json_walk *walk);
/* One value, up to walk->at; anything may stand behind it. */
bool hs_json_walk_value(struct hs_json_walk *walk);

/* The place of source->text[span]; the underline ends with the line. */
struct hs_place hs_json_place_at(const struct hs_json_source *source, struct hs_json_span span);

/* Walks and parses the JSON of source; every fault is reported. The tree lives in the arena.
 * blanked: scratch of end - begin bytes that holds a copy, when comments are allowed; else NULL. */
HS_MUST_USE enum hs_status hs_json_parse(const struct hs_json_source *source, char *blanked,
                                         struct hs_arena *arena, const struct hs_json **root,
                                         struct hs_diag *diag);
/* The same of JSON without comments that was walked. */
HS_MUST_USE enum hs_status hs_json_build(const struct hs_json_source *source, const char *text,
                                         struct hs_arena *arena, const struct hs_json **root,
                                         struct hs_diag *diag);
/* Where the value, or the key of the member, stands in source. */
struct hs_place hs_json_locate(const struct hs_json_source *source, const struct hs_json *root,
                               const struct hs_json *value, bool of_key);

/* text[0, len) as a JSON text, in its quotes; text[len] must be readable. */
void hs_json_put_text(struct hs_output *out, const char *text, size_t len);

#endif
