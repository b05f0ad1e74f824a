/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads JSON. A text is first scanned (strict RFC 8259, every fault with its place), then converted
 * to a tree of cJSON's nodes in an arena, then checked for duplicate keys and numbers out of range.
 * cJSON accepts 01, raw line ends inside strings and text truncated by \u0000, and does not track
 * line numbers; the scan refuses all that. The text of a value is located by a second, counting
 * scan. cJSON's hooks are global and set only during a parse, so parsing is not thread-safe; its
 * values are opaque outside this file.
 */
#include "data/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "base/fmt.h"
#include "base/intern.h"
#include "base/io.h"

#define EXACT_MAX  9007199254740991.0 /* 2^53 - 1: above it two integers share a double */
#define FEW_KEYS   16                 /* up to this number comparing all pairs is fastest */
#define NUMBER_MAX 63                 /* longest number that cJSON 1.7.15 accepts */
#define DEPTH_MAX  64                 /* nested containers */

struct json_walk {
    const char *text;
    size_t len, at;
    bool has_comments;         /* allowed */
    char *blanked;             /* NULL, or a copy of text with comments replaced by blanks */
    uint32_t index;            /* values scanned so far, in text order */
    uint32_t target;           /* the value to locate; UINT32_MAX = none */
    struct hs_span value, key; /* of the target; key.len 0 if it has none */
    const char *what, *hint;   /* of the fault at `value` */
};

/* Returns the first quote, backslash or control character from p on, or stop. */
static inline const char *text_end(const char *p, const char *stop)
{
    while (p < stop && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    return p;
}

/* From after a quote moves to the closing quote, a control character in the text, or stop. */
static const char *skip_text(const char *p, const char *stop)
{
    while ((p = text_end(p, stop)) < stop && *p == '\\')
        p += 1 + (p + 1 < stop && (unsigned char)p[1] >= 0x20);
    return p;
}

static const char control_what[] = "a control character inside a text";

static const char *control_fault(int c, const char **hint)
{
    const bool is_line_end = c == '\n' || c == '\r';
    *hint = is_line_end ? "is the closing quote missing?" : "write a tab as \\t";
    return is_line_end ? "a line end inside a text" : control_what;
}

bool hs_json_find_end(const char *p, const char *stop, const char **at, const char **what,
                      const char **hint)
{
    uint64_t arrays = 0; /* bit d: the container at depth d is an array */
    unsigned depth = 0;
    *what = *hint = NULL;
    for (; p < stop && *what == NULL; p++) {
        const char brace = *p | 0x20; /* '[' and ']' are 0x20 below '{' and '}' */
        const bool is_array = brace != *p;
        *at = p;
        if (*p == '"') {
            *at = p = skip_text(p + 1, stop);
            if (p < stop && *p != '"')
                *what = control_fault(*p, hint);
        } else if (brace == '{') {
            if (depth++ == DEPTH_MAX)
                *what = "more than 64 levels of nesting";
            arrays = arrays << 1 | is_array;
        } else if (brace == '}') {
            if ((arrays & 1) != is_array) {
                *what = is_array ? "expected '}', not ']'" : "expected ']', not '}'";
                return false;
            }
            arrays >>= 1;
            *at = p + 1;
            if (--depth == 0)
                return true;
        }
    }
    if (*what == NULL)
        *at = stop;
    return false;
}

/* ---- the scan ---- */

static bool fault(struct json_walk *w, size_t at, size_t len, const char *what, const char *hint)
{
    w->value = (struct hs_span){at, len};
    w->what = what;
    w->hint = hint;
    return false;
}

static int peek(const struct json_walk *w)
{
    return w->at < w->len ? (unsigned char)w->text[w->at] : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

/* Blanks and skips a comment at w->at, if there is one. */
static bool skip_comment(struct json_walk *w)
{
    size_t begin = w->at;
    const char *from = w->text + begin, *stop;
    size_t left = w->len - begin;

    if (left >= 2 && from[1] == '/') {
        stop = memchr(from, '\n', left);
        w->at = stop != NULL ? (size_t)(stop - w->text) : w->len;
    } else if (left >= 2 && from[1] == '*') {
        for (w->at = begin + 2; w->at + 1 < w->len; w->at++)
            if (w->text[w->at] == '*' && w->text[w->at + 1] == '/')
                break;
        if (w->at + 1 >= w->len)
            return fault(w, begin, 2, "the comment that opens here is never closed", NULL);
        w->at += 2;
    } else {
        return fault(w, begin, 1, "unexpected '/'", "comments are // and /* */");
    }
    if (w->blanked != NULL)
        for (size_t i = begin; i < w->at; i++)
            if (w->blanked[i] != '\n')
                w->blanked[i] = ' ';
    return true;
}

/* Skips white space, and comments if allowed. */
static bool skip_space(struct json_walk *w)
{
    for (;;) {
        for (int c = peek(w); c == ' ' || c == '\n' || c == '\r' || c == '\t'; c = peek(w))
            w->at++;
        if (peek(w) != '/' || !w->has_comments)
            return true;
        if (!skip_comment(w))
            return false;
    }
}

/* Parses the four hex digits of \uXXXX at `at`; -1 if invalid. */
static int32_t hex4(const struct json_walk *w, size_t at)
{
    int32_t code = 0;
    for (size_t i = at; i < at + 4; i++) {
        int c = i < w->len ? w->text[i] : 0;
        int digit = is_digit(c)              ? c - '0'
                    : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                    : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                             : -1;
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* Returns the fault of "\uCODE"; NULL = none. Of the controls tabs and line ends are allowed. */
static const char *escape_fault(int32_t code)
{
    if (code <= 0)
        return code < 0 ? "\\u needs four hexadecimal digits" : "\\u0000 would end the text here";
    const bool is_refused = (code < 0x20 && strchr("\t\n\r", (int)code) == NULL) || code == 0x7f;
    return is_refused ? control_what : NULL;
}

/* Returns CODE of a "\\uCODE" at w->at; -1 if there is none. */
static int32_t next_code(const struct json_walk *w)
{
    const bool is_there = w->len - w->at > 1 && memcmp(w->text + w->at, "\\u", 2) == 0;
    return is_there ? hex4(w, w->at + 2) : -1;
}

/* w->at is the backslash. */
static bool walk_escape(struct json_walk *w)
{
    size_t begin = w->at;
    int c = begin + 1 < w->len ? w->text[begin + 1] : 0;
    int32_t code = c == 'u' ? hex4(w, begin + 2) : c == 'b' || c == 'f' ? '\b' : '\n';
    size_t len = c == 'u' ? 6 : 2;
    if (c == 0 || strchr("\"\\/bfnrtu", c) == NULL)
        return fault(w, begin, 2, "unknown escape", "write a backslash as \\\\");
    w->at += len;
    const char *what = escape_fault(code);
    if (what != NULL)
        return fault(w, begin, code < 0 ? 2 : len, what, NULL);
    if (code < 0xD800 || code > 0xDFFF)
        return true;
    int32_t low = next_code(w);
    if (code > 0xDBFF || low < 0xDC00 || low > 0xDFFF)
        return fault(w, begin, 6, "half of a surrogate pair", NULL);
    w->at += 6;
    return true;
}

static bool walk_string(struct json_walk *w)
{
    size_t begin = w->at++;
    for (;;) {
        w->at = (size_t)(text_end(w->text + w->at, w->text + w->len) - w->text);
        int c = peek(w);
        if (c == '"') {
            w->at++;
            return true;
        }
        if (c == '\\') {
            if (!walk_escape(w))
                return false;
        } else if (c < 0) {
            return fault(w, begin, 1, "the text that begins here is never closed", NULL);
        } else {
            const char *hint, *what = control_fault(c, &hint);
            return fault(w, w->at, 1, what, hint);
        }
    }
}

/* Requires at least one digit. */
static bool walk_digits(struct json_walk *w)
{
    size_t begin = w->at;
    while (is_digit(peek(w)))
        w->at++;
    return w->at > begin;
}

static bool walk_number(struct json_walk *w)
{
    size_t begin = w->at;
    bool is_good;
    w->at += peek(w) == '-';
    bool has_zero = peek(w) == '0';
    size_t digits = w->at;
    is_good = walk_digits(w) && !(has_zero && w->at > digits + 1);
    if (peek(w) == '.') {
        w->at++;
        is_good &= walk_digits(w);
    }
    if (peek(w) == 'e' || peek(w) == 'E') {
        w->at++;
        w->at += peek(w) == '+' || peek(w) == '-';
        is_good &= walk_digits(w);
    }
    size_t end = w->at;
    while (end < w->len && (is_word((unsigned char)w->text[end]) || w->text[end] == '.'))
        end++;
    if (!is_good || end > w->at)
        return fault(w, begin, end - begin, "not a JSON number",
                     "numbers are like 12, -0.5, 1e9; values with a unit go in double quotes");
    if (end - begin > NUMBER_MAX)
        return fault(w, begin, end - begin, "a number of more than 63 characters", NULL);
    return true;
}

static bool walk_literal(struct json_walk *w)
{
    static const char *const literals[] = {"true", "false", "null"};
    size_t begin = w->at, len = 0;

    while (begin + len < w->len && is_word((unsigned char)w->text[begin + len]))
        len++;
    for (size_t i = 0; i < 3; i++) {
        if (len == strlen(literals[i]) && memcmp(w->text + begin, literals[i], len) == 0) {
            w->at += len;
            return true;
        }
    }
    if (begin == w->len)
        return fault(w, begin, 1, "the text ends where a value is expected", NULL);
    if (len > 0 || w->text[begin] == '\'')
        return fault(w, begin, len > 0 ? len : 1, "expected a value",
                     begin == 0 ? "JSON begins with '{' or '[': is it the right file?"
                                : "put text in double quotes; true, false and null are lower case");
    return fault(w, begin, 1, "expected a value", NULL);
}

static bool walk_value(struct json_walk *w, unsigned depth);

/* After a member or element: sets *more; returns false after a fault. */
static bool walk_separator(struct json_walk *w, int close, bool *more)
{
    if (!skip_space(w))
        return false;
    int c = peek(w);
    if (c == close || c == ',') {
        w->at++;
        *more = c == ',';
        return !*more || skip_space(w);
    }
    const char *what = close == '}' ? "expected ',' or '}'" : "expected ',' or ']'";
    if (c < 0)
        what = close == '}' ? "the text ends before '}'" : "the text ends before ']'";
    return fault(w, w->at, 1, what, c == '"' || c == '{' ? "is a comma missing?" : NULL);
}

static bool walk_member(struct json_walk *w, unsigned depth)
{
    size_t begin = w->at;
    if (peek(w) != '"')
        return fault(w, begin, 1,
                     begin == w->len ? "the text ends before '}'"
                                     : "expected a key in double quotes",
                     peek(w) == '}' ? "remove the comma before '}'" : NULL);
    if (!walk_string(w))
        return false;
    if (w->index == w->target)
        w->key = (struct hs_span){begin, w->at - begin};
    if (!skip_space(w))
        return false;
    if (peek(w) != ':')
        return fault(w, w->at, 1, "expected ':' after the key", NULL);
    w->at++;
    return walk_value(w, depth);
}

static bool walk_container(struct json_walk *w, unsigned depth)
{
    bool is_object = w->text[w->at] == '{', more = true;
    int close = is_object ? '}' : ']';

    if (depth == DEPTH_MAX)
        return fault(w, w->at, 1, "more than 64 levels of nesting", NULL);
    w->at++;
    if (!skip_space(w))
        return false;
    if (peek(w) == close) {
        w->at++;
        return true;
    }
    while (more) {
        if (!is_object && peek(w) == ']')
            return fault(w, w->at, 1, "expected a value", "remove the comma before ']'");
        if (!(is_object ? walk_member(w, depth + 1) : walk_value(w, depth + 1)))
            return false;
        if (!walk_separator(w, close, &more))
            return false;
    }
    return true;
}

static bool walk_value(struct json_walk *w, unsigned depth)
{
    if (!skip_space(w))
        return false;
    uint32_t index = w->index++;
    size_t begin = w->at;
    int c = peek(w);
    bool is_good;

    if (c == '{' || c == '[')
        is_good = walk_container(w, depth);
    else if (c == '"')
        is_good = walk_string(w);
    else if (c == '-' || c == '+' || c == '.' || is_digit(c))
        is_good = walk_number(w);
    else
        is_good = walk_literal(w);
    if (is_good && index == w->target)
        w->value = (struct hs_span){begin, c == '{' || c == '[' ? 1 : w->at - begin};
    return is_good;
}

/* Scans a whole document; false at the first fault. O(len). */
static bool walk_document(struct json_walk *w)
{
    if (!walk_value(w, 0) || !skip_space(w))
        return false;
    if (w->at < w->len)
        return fault(w, w->at, 1, "text after the end of the document", NULL);
    return true;
}

struct hs_place hs_place_at(const struct hs_source *source, struct hs_span span)
{
    const char *line = source->text, *at = source->text + source->begin + span.at;
    const char *stop = source->text + source->len;
    struct hs_place place = {.file = source->file, .line = source->line};
    int64_t column = source->column;

    for (const char *nl; (nl = memchr(line, '\n', (size_t)(at - line))) != NULL; line = nl + 1) {
        place.line++;
        column = 1;
    }
    const char *end = memchr(at, '\n', (size_t)(stop - at));
    end = end != NULL ? end : stop;
    if (end > at && end[-1] == '\r')
        end--;
    size_t len = span.len < (size_t)(end - at) ? span.len : (size_t)(end - at);
    place.span = len > 0 ? (int32_t)len : 1;
    if (column == 1) { /* else the line starts before this text */
        place.text = line;
        place.text_len = (size_t)(end - line);
    }
    column += at - line;
    place.column = column < INT32_MAX ? (int32_t)column : INT32_MAX;
    return place;
}

/* ---- cJSON ---- */

static struct hs_arena *parse_arena; /* cJSON's hooks have no context parameter */

static void *parse_alloc(size_t size)
{
    return hs_arena_alloc(parse_arena, size);
}

static void parse_free(void *memory)
{
    (void)memory; /* the arena is freed as a whole */
}

static const cJSON *node(const struct hs_json *value)
{
    return (const cJSON *)value;
}

static const struct hs_json *json(const cJSON *value)
{
    return (const struct hs_json *)value;
}

/* ---- checks of a tree: numbers out of range, duplicate keys ---- */

/* Returns the earliest member whose key an earlier one, *first, has. For many keys a hash table
 * detects new ones. */
static const cJSON *find_duplicate(const cJSON *object, const cJSON **first)
{
    const bool are_many = hs_json_count(json(object)) > FEW_KEYS;
    const cJSON *found = NULL;
    struct hs_intern keys = {.count = 0};
    if (are_many)
        hs_intern_init(&keys);
    for (const cJSON *m = object->child; m != NULL && found == NULL; m = m->next) {
        const uint32_t known = keys.count;
        if (are_many && hs_intern_get(&keys, m->string) == known)
            continue;
        for (*first = object->child; *first != m && found == NULL;)
            if (strcmp((*first)->string, m->string) == 0)
                found = m;
            else
                *first = (*first)->next;
    }
    if (are_many)
        hs_intern_free(&keys);
    return found;
}

static bool is_number(const cJSON *value)
{
    return (value->type & 0xFF) == cJSON_Number;
}

/* Returns the first value that is out of range or has the key of *first; NULL if none. */
static const cJSON *find_bad(const cJSON *value, const cJSON **first)
{
    const cJSON *bad = NULL;
    *first = NULL;
    if (is_number(value))
        return isfinite(value->valuedouble) ? NULL : value;
    if ((value->type & 0xFF) == cJSON_Object)
        bad = find_duplicate(value, first);
    if (bad != NULL)
        return bad;
    for (const cJSON *child = value->child; child != NULL && bad == NULL; child = child->next)
        if (child->child != NULL || is_number(child))
            bad = find_bad(child, first);
    return bad;
}

/* ---- locating ---- */

static struct json_walk walk_of(const struct hs_source *source, uint32_t target)
{
    return (struct json_walk){.text = source->text + source->begin,
                              .len = source->end - source->begin,
                              .has_comments = source->has_comments,
                              .target = target};
}

/* Counts values in text order up to `value`. */
static bool count_to(const cJSON *tree, const cJSON *value, uint32_t *index)
{
    if (tree == value)
        return true;
    ++*index;
    for (const cJSON *child = tree->child; child != NULL; child = child->next)
        if (count_to(child, value, index))
            return true;
    return false;
}

struct hs_place hs_json_locate(const struct hs_source *source, const struct hs_json *root,
                               const struct hs_json *value, bool of_key)
{
    uint32_t target = 0;
    bool is_found = value != NULL && count_to(node(root), node(value), &target);
    struct json_walk walk = walk_of(source, target);

    if (!is_found || !walk_document(&walk))
        return (struct hs_place){.file = source->file, .line = source->line};
    return hs_place_at(source, of_key && walk.key.len > 0 ? walk.key : walk.value);
}

/* ---- parsing ---- */

enum hs_status hs_json_parse(const struct hs_source *source, char *blanked, struct hs_arena *arena,
                             const struct hs_json **root, struct hs_diag *diag)
{
    struct json_walk walk = walk_of(source, UINT32_MAX);
    walk.blanked = blanked;
    if (!walk_document(&walk))
        return hs_fail(diag, HS_E_INPUT, HS_AT(hs_place_at(source, walk.value)), walk.hint, "%s",
                       walk.what);
    cJSON_Hooks hooks = {parse_alloc, parse_free};
    parse_arena = arena;
    cJSON_InitHooks(&hooks);
    const cJSON *tree = cJSON_ParseWithLength(blanked != NULL ? blanked : walk.text, walk.len);
    cJSON_InitHooks(NULL);
    if (tree == NULL) /* cJSON was built with other limits */
        return hs_fail(diag, HS_E_INPUT, NULL, NULL, "%s:%lld: cJSON %s cannot parse this JSON",
                       source->file, (long long)source->line, cJSON_Version());
    const cJSON *first, *bad = find_bad(tree, &first);
    *root = json(tree);
    if (bad == NULL)
        return HS_OK;
    struct hs_place place = hs_json_locate(source, *root, json(bad), first != NULL);
    if (first == NULL)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "a number beyond the range of a double");
    char hint[64];
    struct hs_place earlier = hs_json_locate(source, *root, json(first), true);
    snprintf(hint, sizeof hint, "the first one is on line %lld", (long long)earlier.line);
    return hs_fail(diag, HS_E_INPUT, &place, hint, "duplicate key '%s'", bad->string);
}

/* ---- values ---- */

enum hs_json_kind hs_json_kind(const struct hs_json *value)
{
    if (value == NULL)
        return HS_JSON_ABSENT;
    switch (node(value)->type & 0xFF) {
    case cJSON_False:
    case cJSON_True:
        return HS_JSON_BOOL;
    case cJSON_Number:
        return HS_JSON_NUMBER;
    case cJSON_String:
        return HS_JSON_TEXT;
    case cJSON_Array:
        return HS_JSON_ARRAY;
    case cJSON_Object:
        return HS_JSON_OBJECT;
    default:
        return HS_JSON_NULL;
    }
}

const struct hs_json *hs_json_get(const struct hs_json *object, const char *key)
{
    if (object == NULL || (node(object)->type & 0xFF) != cJSON_Object)
        return NULL;
    for (const cJSON *member = node(object)->child; member != NULL; member = member->next)
        if (strcmp(member->string, key) == 0)
            return json(member);
    return NULL;
}

const struct hs_json *hs_json_first(const struct hs_json *container)
{
    return container != NULL ? json(node(container)->child) : NULL;
}

const struct hs_json *hs_json_next(const struct hs_json *child)
{
    return child != NULL ? json(node(child)->next) : NULL;
}

const char *hs_json_key(const struct hs_json *member)
{
    return member != NULL ? node(member)->string : NULL;
}

const char *hs_json_text(const struct hs_json *value)
{
    return hs_json_kind(value) == HS_JSON_TEXT ? node(value)->valuestring : NULL;
}

double hs_json_number(const struct hs_json *value)
{
    return hs_json_kind(value) == HS_JSON_NUMBER ? node(value)->valuedouble : 0;
}

bool hs_json_int(const struct hs_json *value, int64_t *out)
{
    double number = hs_json_number(value);
    if (hs_json_kind(value) != HS_JSON_NUMBER || fabs(number) > EXACT_MAX ||
        floor(number) != number)
        return false;
    *out = (int64_t)number;
    return true;
}

bool hs_json_bool(const struct hs_json *value)
{
    return value != NULL && cJSON_IsTrue(node(value));
}

uint32_t hs_json_count(const struct hs_json *container)
{
    uint32_t count = 0;
    for (const struct hs_json *c = hs_json_first(container); c != NULL; c = hs_json_next(c))
        count++;
    return count;
}

bool hs_json_equal(const struct hs_json *a, const struct hs_json *b)
{
    return a == b || cJSON_Compare(node(a), node(b), true);
}

const char *hs_json_library_version(void)
{
    return cJSON_Version();
}

/* ---- documents ---- */

#define DOCUMENT_MAX (UINT64_C(16) << 20)

struct hs_json_doc {
    char *text; /* as read, including comments */
    size_t bytes;
    struct hs_arena arena;
    struct hs_source source;
    const struct hs_json *root;
};

enum hs_status hs_json_load(struct hs_json_doc **out, const char *path, struct hs_diag *diag)
{
    *out = NULL;
    struct hs_json_doc *doc = hs_alloc_zeroed(1, sizeof *doc);
    enum hs_status status = hs_read_file(path, DOCUMENT_MAX, &doc->text, &doc->bytes, diag);
    if (status == HS_OK) {
        const bool has_mark = doc->bytes >= 3 && memcmp(doc->text, "\xEF\xBB\xBF", 3) == 0;
        const char *text = doc->text + (has_mark ? 3 : 0);
        const size_t len = doc->bytes - (has_mark ? 3 : 0);
        doc->source = (struct hs_source){.file = hs_arena_text(&doc->arena, path, strlen(path)),
                                         .text = text,
                                         .len = len,
                                         .end = len,
                                         .line = 1,
                                         .column = 1,
                                         .has_comments = true};
        status = hs_json_parse(&doc->source, hs_arena_text(&doc->arena, text, len), &doc->arena,
                               &doc->root, diag);
    }
    if (status == HS_OK)
        *out = doc;
    else
        hs_json_close(doc);
    return status;
}

struct hs_place hs_json_place(const struct hs_json_doc *doc, const struct hs_json *value)
{
    return hs_json_locate(&doc->source, doc->root, value, false);
}

struct hs_place hs_json_place_key(const struct hs_json_doc *doc, const struct hs_json *member)
{
    return hs_json_locate(&doc->source, doc->root, member, true);
}

const struct hs_json *hs_json_root(const struct hs_json_doc *doc)
{
    return doc->root;
}

uint64_t hs_json_hash(const struct hs_json_doc *doc, uint64_t *bytes)
{
    *bytes = doc->bytes;
    return hs_hash_of(doc->text, doc->bytes);
}

void hs_json_close(struct hs_json_doc *doc)
{
    if (doc == NULL)
        return;
    hs_arena_free(&doc->arena);
    hs_free(doc->text);
    hs_free(doc);
}

/* ---- checks of hand-written documents ---- */

#define FAULTS_MAX 20u /* printed */
#define NAME_MAX   255u
#define FAULT_SIZE 1024
#define KEYS_MAX   32u /* of an object */

enum hs_status hs_jsoncheck_close(struct hs_jsoncheck *c)
{
    hs_json_close(c->doc);
    return c->status;
}

static void add_fault(struct hs_jsoncheck *c, struct hs_place place, const char *hint,
                      const char *message)
{
    if (c->status == HS_OK)
        c->status = HS_E_INPUT;
    if (c->faults++ < FAULTS_MAX)
        hs_report(c->diag, HS_ERROR, &place, hint, "%s", message);
    else if (c->faults == FAULTS_MAX + 1)
        hs_report(c->diag, HS_NOTE, NULL, NULL, "further errors are not shown");
}

void hs_jsoncheck_fault(struct hs_jsoncheck *c, const struct hs_json *at, const char *hint,
                        const char *fmt, ...)
{
    char message[FAULT_SIZE];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    add_fault(c, hs_json_place(c->doc, at), hint, message);
}

bool hs_jsoncheck_kind(struct hs_jsoncheck *c, const struct hs_json *value, enum hs_json_kind kind,
                       const char *what)
{
    static const char *const texts[] = {
        [HS_JSON_ABSENT] = "nothing",   [HS_JSON_NULL] = "null", [HS_JSON_BOOL] = "true or false",
        [HS_JSON_NUMBER] = "a number",  [HS_JSON_TEXT] = "text", [HS_JSON_ARRAY] = "an array",
        [HS_JSON_OBJECT] = "an object",
    };
    enum hs_json_kind found = hs_json_kind(value);
    if (found == kind)
        return true;
    hs_jsoncheck_fault(c, value, NULL, "%s must be %s, not %s", what, texts[kind], texts[found]);
    return false;
}

bool hs_jsoncheck_filled(struct hs_jsoncheck *c, const struct hs_json *value,
                         enum hs_json_kind kind, const char *what)
{
    if (!hs_jsoncheck_kind(c, value, kind, what))
        return false;
    if (hs_json_count(value) > 0)
        return true;
    hs_jsoncheck_fault(c, value, NULL, "%s is empty", what);
    return false;
}

const struct hs_json *hs_jsoncheck_first(struct hs_jsoncheck *c, const struct hs_json *owner,
                                         const char *key, bool is_required)
{
    const struct hs_json *list = hs_json_get(owner, key);
    const bool is_good = is_required
                             ? hs_jsoncheck_filled(c, list, HS_JSON_ARRAY, key)
                             : list != NULL && hs_jsoncheck_kind(c, list, HS_JSON_ARRAY, key);
    return is_good ? hs_json_first(list) : NULL;
}

bool hs_jsoncheck_object(struct hs_jsoncheck *c, const struct hs_json *object, const char *what,
                         const char *keys)
{
    char message[FAULT_SIZE], nearest[HS_HINT_SIZE], known[512], words[512];
    const char *names[KEYS_MAX];
    uint32_t count = 0;
    if (!hs_jsoncheck_kind(c, object, HS_JSON_OBJECT, what))
        return false;
    (void)snprintf(known, sizeof known, "known keys: %s", keys);
    (void)snprintf(words, sizeof words, "%s", keys);
    for (char *at = words; count < KEYS_MAX && *at != '\0';) {
        names[count++] = at;
        at += strcspn(at, " ");
        if (*at != '\0')
            *at++ = '\0';
    }
    for (const struct hs_json *m = hs_json_first(object); m != NULL; m = hs_json_next(m)) {
        const char *key = hs_json_key(m);
        uint32_t i = 0;
        while (i < count && strcmp(names[i], key) != 0)
            i++;
        if (i < count)
            continue;
        (void)snprintf(message, sizeof message, "unknown key '%s' in %s", key, what);
        add_fault(c, hs_json_place_key(c->doc, m),
                  hs_did_you_mean(nearest, key, names, count, known), message);
    }
    return true;
}

bool hs_jsoncheck_name(struct hs_jsoncheck *c, const struct hs_json *at, const char *name,
                       const char *what)
{
    const size_t len = strlen(name), end = hs_control_find(name, len);
    if (len > 0 && len <= NAME_MAX && end == len)
        return true;
    hs_jsoncheck_fault(c, at, NULL, "%s must have 1..%u bytes%s", what, NAME_MAX,
                       end < len ? ", none of them a control character" : "");
    return false;
}

int64_t hs_jsoncheck_int(struct hs_jsoncheck *c, const struct hs_json *object, const char *key,
                         int64_t min, int64_t max, int64_t preset)
{
    const struct hs_json *value = hs_json_get(object, key);
    int64_t number;
    if (value == NULL)
        return preset;
    if (hs_json_int(value, &number) && number >= min && number <= max)
        return number;
    hs_jsoncheck_fault(c, value, NULL, "%s must be a whole number %" PRId64 "..%" PRId64, key, min,
                       max);
    return preset;
}

bool hs_jsoncheck_number(struct hs_jsoncheck *c, const struct hs_json *object, const char *key,
                         double min, double max, double *out)
{
    const struct hs_json *value = hs_json_get(object, key);
    double number = hs_json_number(value);
    if (hs_json_kind(value) == HS_JSON_NUMBER && number >= min && number <= max) {
        *out = number;
        return true;
    }
    if (value == NULL)
        hs_jsoncheck_fault(c, object, NULL, "\"%s\" is missing", key);
    else
        hs_jsoncheck_fault(c, value, NULL, "%s must be a number %g..%g", key, min, max);
    return false;
}

const char *hs_jsoncheck_text(struct hs_jsoncheck *c, const struct hs_json *object, const char *key)
{
    const struct hs_json *value = hs_json_get(object, key);
    if (value == NULL || !hs_jsoncheck_kind(c, value, HS_JSON_TEXT, key))
        return NULL;
    const char *text = hs_json_text(value);
    return hs_jsoncheck_name(c, value, text, key) ? text : NULL;
}
