/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON documents. A text is walked (json_walk.c: strict, every fault with its place), then made a
 * tree by cJSON in an arena, then vetted for what only values show: duplicate keys, numbers out of
 * range. cJSON's hooks are global and set only around a parse, so that parsing is not for threads;
 * its values are opaque outside this file.
 */
#include "data/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/fmt.h"
#include "base/io.h"
#include "data/json_private.h"

#define EXACT_MAX 9007199254740991.0 /* 2^53 - 1: beyond it two integers share a double */
#define FEW_KEYS  16                 /* up to here comparing all pairs beats sorting */

/* ---- cJSON ---- */

static struct hs_arena *parse_arena; /* cJSON hands its hooks no context */

static void *parse_alloc(size_t size)
{
    return hs_arena_alloc(parse_arena, size);
}

static void parse_free(void *memory)
{
    (void)memory; /* the arena is freed whole */
}

static const cJSON *node(const struct hs_json *value)
{
    return (const cJSON *)value;
}

static const struct hs_json *json(const cJSON *value)
{
    return (const struct hs_json *)value;
}

/* Keys mostly differ at once. */
static inline bool is_same_key(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

/* ---- checks of a tree: numbers out of range, duplicate keys ---- */

struct ranked_key {
    const cJSON *member;
    uint32_t rank;
};

static int by_key_then_rank(const void *a, const void *b)
{
    const struct ranked_key *x = a, *y = b;
    int order = strcmp(x->member->string, y->member->string);
    return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The earliest member whose key an earlier one has, *first that one; O(n log n). */
static const cJSON *find_duplicate_sorted(const cJSON *object, struct hs_arena *arena,
                                          const cJSON **first)
{
    uint32_t count = hs_json_count(json(object)), n = 0;
    struct ranked_key *keys = hs_arena_alloc(arena, (uint64_t)count * sizeof *keys);
    const cJSON *found = NULL;
    uint32_t rank = UINT32_MAX;

    for (const cJSON *m = object->child; m != NULL; m = m->next, n++)
        keys[n] = (struct ranked_key){m, n};
    qsort(keys, n, sizeof *keys, by_key_then_rank);
    for (uint32_t i = 1; i < n; i++) {
        if (keys[i].rank < rank &&
            strcmp(keys[i].member->string, keys[i - 1].member->string) == 0) {
            found = keys[i].member;
            *first = keys[i - 1].member;
            rank = keys[i].rank;
        }
    }
    return found;
}

static const cJSON *find_duplicate(const cJSON *object, struct hs_arena *arena, const cJSON **first)
{
    uint32_t count = 0;
    for (const cJSON *m = object->child; m != NULL; m = m->next) {
        if (++count > FEW_KEYS)
            return find_duplicate_sorted(object, arena, first);
        for (*first = object->child; *first != m; *first = (*first)->next)
            if (is_same_key((*first)->string, m->string))
                return m;
    }
    return NULL;
}

static bool is_number(const cJSON *value)
{
    return (value->type & 0xFF) == cJSON_Number;
}

/* The first value in the tree that is out of range or has a key that *first has; NULL if none. */
static const cJSON *find_bad(const cJSON *value, struct hs_arena *arena, const cJSON **first)
{
    const cJSON *bad = NULL;
    *first = NULL;
    if (is_number(value))
        return isfinite(value->valuedouble) ? NULL : value;
    if ((value->type & 0xFF) == cJSON_Object)
        bad = find_duplicate(value, arena, first);
    if (bad != NULL)
        return bad;
    for (const cJSON *child = value->child; child != NULL && bad == NULL; child = child->next)
        if (child->child != NULL || is_number(child))
            bad = find_bad(child, arena, first);
    return bad;
}

/* ---- locating ---- */

static struct hs_json_walk walk_of(const struct hs_json_source *source, uint32_t target)
{
    return (struct hs_json_walk){.text = source->text + source->begin,
                                 .len = source->end - source->begin,
                                 .has_comments = source->has_comments,
                                 .target = target};
}

/* Counts values in the order of the text until `value` is met. */
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

struct hs_place hs_json_locate(const struct hs_json_source *source, const struct hs_json *root,
                               const struct hs_json *value, bool of_key)
{
    uint32_t target = 0;
    bool is_found = value != NULL && count_to(node(root), node(value), &target);
    struct hs_json_walk walk = walk_of(source, target);

    if (!is_found || !hs_json_walk(&walk))
        return (struct hs_place){.file = source->file, .line = source->line};
    return hs_json_place_at(source, of_key && walk.key.len > 0 ? walk.key : walk.value);
}

/* ---- parsing ---- */

enum hs_status hs_json_build(const struct hs_json_source *source, const char *text,
                             struct hs_arena *arena, const struct hs_json **root,
                             struct hs_diag *diag)
{
    cJSON_Hooks hooks = {parse_alloc, parse_free};
    parse_arena = arena;
    cJSON_InitHooks(&hooks);
    const cJSON *tree = cJSON_ParseWithLength(text, source->end - source->begin), *first = NULL;
    cJSON_InitHooks(NULL);
    if (tree == NULL) /* a build of cJSON with other limits than the walk */
        return hs_fail(diag, HS_E_INPUT, NULL, NULL, "%s:%lld: cJSON %s cannot parse this JSON",
                       source->file, (long long)source->line, cJSON_Version());
    const cJSON *bad = find_bad(tree, arena, &first);
    if (bad == NULL) {
        *root = json(tree);
        return HS_OK;
    }
    struct hs_place place = hs_json_locate(source, json(tree), json(bad), first != NULL);
    if (first == NULL)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "a number beyond the range of a double");
    char hint[64];
    struct hs_place earlier = hs_json_locate(source, json(tree), json(first), true);
    snprintf(hint, sizeof hint, "the first one is on line %lld", (long long)earlier.line);
    return hs_fail(diag, HS_E_INPUT, &place, hint, "duplicate key '%s'", bad->string);
}

enum hs_status hs_json_parse(const struct hs_json_source *source, char *blanked,
                             struct hs_arena *arena, const struct hs_json **root,
                             struct hs_diag *diag)
{
    struct hs_json_walk walk = walk_of(source, UINT32_MAX);
    walk.blanked = blanked;
    if (!hs_json_walk(&walk)) {
        struct hs_place place = hs_json_place_at(source, walk.value);
        return hs_fail(diag, HS_E_INPUT, &place, walk.hint, "%s", walk.what);
    }
    return hs_json_build(source, blanked != NULL ? blanked : walk.text, arena, root, diag);
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
        if (is_same_key(member->string, key))
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
    char *text; /* as read, comments included */
    struct hs_arena arena;
    struct hs_json_source source;
    const struct hs_json *root;
};

static enum hs_status document_read(struct hs_json_doc *doc, const char *path, struct hs_diag *diag)
{
    size_t len;
    HS_TRY(hs_read_file(path, DOCUMENT_MAX, &doc->text, &len, diag));
    size_t bom = len >= 3 && memcmp(doc->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *name = hs_arena_text(&doc->arena, path, strlen(path));
    char *blanked = hs_arena_text(&doc->arena, doc->text + bom, len - bom);
    doc->source = (struct hs_json_source){.file = name,
                                          .text = doc->text + bom,
                                          .len = len - bom,
                                          .end = len - bom,
                                          .line = 1,
                                          .column = 1,
                                          .has_comments = true};
    return hs_json_parse(&doc->source, blanked, &doc->arena, &doc->root, diag);
}

enum hs_status hs_json_load(struct hs_json_doc **out, const char *path, struct hs_diag *diag)
{
    *out = NULL;
    struct hs_json_doc *doc = hs_alloc_zeroed(1, sizeof *doc);
    enum hs_status status = document_read(doc, path, diag);
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

void hs_json_close(struct hs_json_doc *doc)
{
    if (doc == NULL)
        return;
    hs_arena_free(&doc->arena);
    hs_free(doc->text);
    hs_free(doc);
}

/* ---- checks of documents that a person writes ---- */

#define FAULTS_MAX 20u /* printed */
#define NAME_MAX   255u

void hs_jsoncheck_note(struct hs_jsoncheck *c, enum hs_status status)
{
    if (c->status == HS_OK)
        c->status = status;
}

HS_PRINTF(4, 0)
static void add_fault(struct hs_jsoncheck *c, const struct hs_place *place, const char *hint,
                      const char *fmt, va_list args)
{
    char message[1024];
    (void)vsnprintf(message, sizeof message, fmt, args);
    hs_jsoncheck_note(c, HS_E_INPUT);
    if (c->faults++ < FAULTS_MAX)
        hs_report(c->diag, HS_ERROR, place, hint, "%s", message);
    else if (c->faults == FAULTS_MAX + 1)
        hs_report(c->diag, HS_NOTE, NULL, NULL, "further errors are not shown");
}

void hs_jsoncheck_fault(struct hs_jsoncheck *c, const struct hs_json *at, const char *hint,
                        const char *fmt, ...)
{
    struct hs_place place = hs_json_place(c->doc, at);
    va_list args;
    va_start(args, fmt);
    add_fault(c, &place, hint, fmt, args);
    va_end(args);
}

HS_PRINTF(4, 5)
static void fault_at_key(struct hs_jsoncheck *c, const struct hs_json *member, const char *hint,
                         const char *fmt, ...)
{
    struct hs_place place = hs_json_place_key(c->doc, member);
    va_list args;
    va_start(args, fmt);
    add_fault(c, &place, hint, fmt, args);
    va_end(args);
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

void hs_jsoncheck_keys(struct hs_jsoncheck *c, const struct hs_json *object,
                       const char *const *keys, uint32_t count, const char *what)
{
    char nearest[HS_HINT_SIZE], known[512] = "known keys:";
    for (uint32_t i = 0; i < count; i++)
        hs_append(known, sizeof known, " %s", keys[i]);
    for (const struct hs_json *m = hs_json_first(object); m != NULL; m = hs_json_next(m)) {
        const char *key = hs_json_key(m);
        uint32_t i = 0;
        while (i < count && strcmp(keys[i], key) != 0)
            i++;
        if (i == count)
            fault_at_key(c, m, hs_did_you_mean(nearest, key, keys, count, known),
                         "unknown key '%s' in %s", key, what);
    }
}

bool hs_jsoncheck_name(struct hs_jsoncheck *c, const struct hs_json *at, const char *name,
                       const char *what)
{
    size_t len = strlen(name);
    if (len > 0 && len <= NAME_MAX)
        return true;
    hs_jsoncheck_fault(c, at, NULL, "%s must have 1..%u bytes", what, NAME_MAX);
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
