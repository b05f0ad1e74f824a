/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads and writes JSON. On reading `//` and block comments are allowed, duplicate keys and control
 * characters inside texts refused, every value can be located for a message. json.c is the only
 * file that includes cJSON.h.
 *
 *     HS_TRY(hs_json_load(&doc, path, diag));
 *     const struct hs_json *nodes = hs_json_get(hs_json_root(doc), "nodes");
 *     if (hs_json_kind(nodes) != HS_JSON_ARRAY) {
 *         struct hs_place place = hs_json_place(doc, nodes);
 *         return hs_fail(diag, HS_E_INPUT, &place, NULL, "nodes must be a list");
 *     }
 */
#pragma once

#include <stdbool.h>

#include "base/diag.h"
#include "base/memory.h"

struct hs_json; /* one value; opaque */
struct hs_json_doc;

enum hs_json_kind {
    HS_JSON_ABSENT, /* NULL pointer */
    HS_JSON_NULL,
    HS_JSON_BOOL,
    HS_JSON_NUMBER,
    HS_JSON_TEXT,
    HS_JSON_ARRAY,
    HS_JSON_OBJECT,
};

/* Loads at most 16 MiB. */
HS_MUST_USE enum hs_status hs_json_load(struct hs_json_doc **doc, const char *path,
                                        struct hs_diag *diag);
const struct hs_json *hs_json_root(const struct hs_json_doc *doc);
/* Hash of the bytes of the file, as hs_hash_of; *bytes: their number. */
uint64_t hs_json_hash(const struct hs_json_doc *doc, uint64_t *bytes);
struct hs_place hs_json_place(const struct hs_json_doc *doc, const struct hs_json *value);
/* Place of the key of an object's member, for "unknown key"; of the value if it has no key. */
struct hs_place hs_json_place_key(const struct hs_json_doc *doc, const struct hs_json *member);
void hs_json_close(struct hs_json_doc *doc);

/* All accept NULL, for which they return ABSENT, NULL, 0, false. */
enum hs_json_kind hs_json_kind(const struct hs_json *value);
const struct hs_json *hs_json_get(const struct hs_json *object, const char *key);
const struct hs_json *hs_json_first(const struct hs_json *container); /* child, in file order */
const struct hs_json *hs_json_next(const struct hs_json *child);
const char *hs_json_key(const struct hs_json *member);       /* NULL unless a member of an object */
const char *hs_json_text(const struct hs_json *value);       /* NULL unless TEXT */
double hs_json_number(const struct hs_json *value);          /* 0 unless NUMBER */
bool hs_json_int(const struct hs_json *value, int64_t *out); /* false unless an exact integer */
bool hs_json_bool(const struct hs_json *value);
uint32_t hs_json_count(const struct hs_json *container);
/* Tells whether two values are equal, ignoring the order of members; two absent ones are. */
bool hs_json_equal(const struct hs_json *a, const struct hs_json *b);

/* ---- places in a text, and parsing ---- */

/* JSON, or a row, and the lines around it: text[0] is at line:column of file, text[0, len) may be
 * quoted, text[begin, end) is the JSON. Spans are relative to begin. */
struct hs_source {
    const char *file, *text;
    size_t len, begin, end;
    int64_t line, column;
    bool has_comments; /* allowed */
};

struct hs_span {
    size_t at, len;
};

/* Scans and parses the JSON of source; every fault is reported. The tree is allocated in the arena.
 * blanked: scratch of end - begin bytes for a copy if comments are allowed; else NULL. */
HS_MUST_USE enum hs_status hs_json_parse(const struct hs_source *source, char *blanked,
                                         struct hs_arena *arena, const struct hs_json **root,
                                         struct hs_diag *diag);
/* Tells whether the element at p ends, judged only by brackets and quotes, and sets *at to its end.
 * Otherwise *at is the fault, described by *what and *hint; or *what is NULL, *at the text's
 * end. */
bool hs_json_find_end(const char *p, const char *stop, const char **at, const char **what,
                      const char **hint);

/* Returns the place of source->text[span]; the underline ends with the line. */
struct hs_place hs_place_at(const struct hs_source *source, struct hs_span span);
/* Returns the place of the value, or of the member's key, in source. */
struct hs_place hs_json_locate(const struct hs_source *source, const struct hs_json *root,
                               const struct hs_json *value, bool of_key);

/* ---- writing: not by cJSON, because results need exact numbers ---- */
struct hs_output;
struct hs_jsonw {
    struct hs_output *out;
    uint32_t depth;
    uint32_t one_line; /* depth of the container written on one line; 0 = none */
    bool needs_comma, after_key, wants_one_line;
};
/* Indentation is two blanks; keys in call order; numbers by base/fmt. */
void hs_jsonw_begin(struct hs_jsonw *w, struct hs_output *out);
void hs_jsonw_key(struct hs_jsonw *w, const char *key);
void hs_jsonw_text(struct hs_jsonw *w, const char *text); /* NULL = null */
void hs_jsonw_seconds(struct hs_jsonw *w, int64_t us);
/* Writes values by a template of blank-separated words. "key=text", "key=#12", "key=false" are
 * members, "=word" is an element; "key={" and "=[" open, "}" and "]" close; "!" before a bracket
 * puts everything up to its end on one line. Arguments replace %s (a key or a text, NULL = null),
 * %d (a bool), %u, % PRIu64, % PRId64, %016 PRIx64 (a hash, as text), %g (a double; null if not
 * finite) and %.6g (one rounded to six digits):
 *     hs_jsonw_put(w, "fit=!{ gpu=%s rows=%u k=%.6g }", gpu, rows, k); */
HS_PRINTF(2, 3)
void hs_jsonw_put(struct hs_jsonw *w, const char *words, ...);
void hs_jsonw_finish(struct hs_jsonw *w); /* final newline */

const char *hs_json_library_version(void);

/* ---- checks of hand-written documents ---- */

struct hs_jsoncheck {
    struct hs_json_doc *doc;
    struct hs_diag *diag;
    enum hs_status status; /* the first failure */
    uint32_t faults;
};

/* Closes the document, if there is one; returns the status. */
HS_MUST_USE enum hs_status hs_jsoncheck_close(struct hs_jsoncheck *c);
/* Reports HS_E_INPUT at the value. */
HS_PRINTF(4, 5)
void hs_jsoncheck_fault(struct hs_jsoncheck *c, const struct hs_json *at, const char *hint,
                        const char *fmt, ...);
/* Checks the kind of a value; `what` names it in the message. */
bool hs_jsoncheck_kind(struct hs_jsoncheck *c, const struct hs_json *value, enum hs_json_kind kind,
                       const char *what);
/* Checks for an array or object with at least one member. */
bool hs_jsoncheck_filled(struct hs_jsoncheck *c, const struct hs_json *value,
                         enum hs_json_kind kind, const char *what);
/* Returns the first member of the array under a key; NULL if there is none, or after a fault. An
 * array that is required is not empty. */
const struct hs_json *hs_jsoncheck_first(struct hs_jsoncheck *c, const struct hs_json *owner,
                                         const char *key, bool is_required);
/* Checks for an object with no keys but those of a list, "gpus cohort"; false if it is none. */
bool hs_jsoncheck_object(struct hs_jsoncheck *c, const struct hs_json *object, const char *what,
                         const char *keys);
/* Checks that a name has 1..255 bytes. */
bool hs_jsoncheck_name(struct hs_jsoncheck *c, const struct hs_json *at, const char *name,
                       const char *what);
/* Reads a whole number in [min, max]; preset if the key is absent or its value invalid. */
int64_t hs_jsoncheck_int(struct hs_jsoncheck *c, const struct hs_json *object, const char *key,
                         int64_t min, int64_t max, int64_t preset);
/* Reads a required number in [min, max]; false, with *out unchanged, if missing or invalid. */
bool hs_jsoncheck_number(struct hs_jsoncheck *c, const struct hs_json *object, const char *key,
                         double min, double max, double *out);
/* Returns a name, owned by the document; NULL if the key is absent or its value invalid. */
const char *hs_jsoncheck_text(struct hs_jsoncheck *c, const struct hs_json *object,
                              const char *key);
