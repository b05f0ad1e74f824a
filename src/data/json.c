/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cJSON behind a wall: its allocations go to an arena (its hooks are global and are set only
 * around a parse, so parsing is not for threads), its values are opaque outside.
 *
 * Where a text has no escape, no comment, no fault, and of numbers none but plain integers, its
 * tree of cJSON's nodes is made in one go over a copy of it, in which the texts of the tree lie, at
 * a fraction of the cost. All other texts are cJSON's, and a test holds the two ways against each
 * other.
 */
#include "data/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json_private.h"

#define EXACT_MAX     9007199254740991.0 /* 2^53 - 1: beyond it two integers share a double */
#define FEW_KEYS      16                 /* up to here comparing all pairs beats sorting */
#define DIGITS_MAX    15                 /* of an integer that a double holds whatever they are */
#define PLANTED_NODES 16                 /* at a time */

/* ---- cJSON ---- */

static struct {
    struct hs_arena *arena;
    bool is_exhausted;
} parsing;

static void *parse_alloc(size_t size)
{
    void *memory = hs_arena_alloc(parsing.arena, size);
    parsing.is_exhausted |= memory == NULL;
    return memory;
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

/* ---- vetting: what the text is allowed to say but no reader should be asked to guess at ---- */

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

    if (keys == NULL) {
        parsing.is_exhausted = true;
        return NULL;
    }
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

static enum hs_status bad_fail(const struct hs_json_source *source, const cJSON *root,
                               const cJSON *bad, const cJSON *first, struct hs_diag *diag)
{
    struct hs_place place = hs_json_locate(source, json(root), json(bad), first != NULL);
    char hint[64];

    if (first == NULL)
        return hs_fail(diag, HS_E_INPUT, &place, NULL, "a number beyond the range of a double");
    struct hs_place earlier = hs_json_locate(source, json(root), json(first), true);
    snprintf(hint, sizeof hint, "the first one is on line %lld", (long long)earlier.line);
    return hs_fail(diag, HS_E_INPUT, &place, hint, "duplicate key '%s'", bad->string);
}

/* Makes a tree of a copy of a text. Each step returns where the text goes on, or NULL where it is
 * not plain, or not JSON. */
struct planter {
    const char *stop; /* of the copy: a NUL */
    struct hs_arena *arena;
    cJSON *nodes; /* not in use */
    uint32_t node_count, depth;
};

static inline char *pass_space(const struct planter *p, char *at)
{
    at += *at == ' ';
    return HS_LIKELY(*at > ' ') ? at : at + (hs_json_skip_space(at, p->stop) - at);
}

/* The text at `at` without its quotes. */
static char *plant_text(const struct planter *p, char *at, char **text)
{
    if (*at != '"')
        return NULL;
    char *begin = at + 1, *end = begin + (hs_json_text_end(begin, p->stop) - begin);
    if (*end != '"')
        return NULL;
    *end = '\0';
    *text = begin;
    return end + 1;
}

static char *plant_number(char *at, cJSON *node)
{
    const bool is_negative = *at == '-';
    const char *digits = at += is_negative;
    int64_t number = 0;
    for (; *at >= '0' && *at <= '9' && at - digits < DIGITS_MAX; at++)
        number = number * 10 + (*at - '0');
    if (at == digits || (*digits == '0' && at - digits > 1))
        return NULL;
    node->type = cJSON_Number;
    node->valuedouble = is_negative ? -(double)number : (double)number;
    return strchr(" \t\r\n,]}", *at) != NULL ? at : NULL; /* at the end, too */
}

static char *plant_literal(char *at, const char *word, int type, cJSON *node)
{
    const size_t len = strlen(word);
    node->type = type;
    return strncmp(at, word, len) == 0 ? at + len : NULL;
}

static char *plant(struct planter *p, char *at, cJSON **node);

static char *plant_member(struct planter *p, char *at, bool has_key, cJSON **child)
{
    char *key = NULL;
    if (has_key && (at = plant_text(p, at, &key)) != NULL) {
        at = pass_space(p, at);
        at = *at == ':' ? pass_space(p, at + 1) : NULL;
    }
    at = at != NULL ? plant(p, at, child) : NULL;
    if (at != NULL)
        (*child)->string = key;
    return at;
}

static char *plant_container(struct planter *p, char *at, cJSON *node)
{
    const bool is_object = *at == '{';
    const char close = is_object ? '}' : ']';
    cJSON **link = &node->child;
    node->type = is_object ? cJSON_Object : cJSON_Array;
    if (p->depth == HS_JSON_DEPTH_MAX)
        return NULL;
    p->depth++;
    at = pass_space(p, at + 1);
    for (bool has_more = *at != close; has_more; link = &(*link)->next) {
        at = plant_member(p, at, is_object, link);
        if (at == NULL)
            return NULL;
        at = pass_space(p, at);
        has_more = *at == ',';
        if (has_more)
            at = pass_space(p, at + 1);
    }
    p->depth--;
    return *at == close ? at + 1 : NULL;
}

/* The value at `at`. */
static char *plant(struct planter *p, char *at, cJSON **node)
{
    if (p->node_count == 0) {
        p->nodes = hs_arena_alloc(p->arena, PLANTED_NODES * sizeof *p->nodes);
        parsing.is_exhausted |= p->nodes == NULL;
        if (p->nodes == NULL)
            return NULL;
        p->node_count = PLANTED_NODES;
    }
    p->node_count--;
    *node = p->nodes++;
    switch (*at) {
    case '{':
    case '[':
        return plant_container(p, at, *node);
    case '"':
        (*node)->type = cJSON_String;
        return plant_text(p, at, &(*node)->valuestring);
    case 't':
        return plant_literal(at, "true", cJSON_True, *node);
    case 'f':
        return plant_literal(at, "false", cJSON_False, *node);
    case 'n':
        return plant_literal(at, "null", cJSON_NULL, *node);
    default:
        return plant_number(at, *node);
    }
}

/* NULL if the text is not plain JSON, or memory is exhausted. */
static const cJSON *tree_plant(const char *text, size_t len, struct hs_arena *arena)
{
    char *copy = hs_arena_text(arena, text, len);
    parsing.is_exhausted = copy == NULL;
    if (copy == NULL)
        return NULL;
    struct planter planter = {.stop = copy + len, .arena = arena};
    cJSON *tree = NULL;
    char *end = plant(&planter, pass_space(&planter, copy), &tree);
    return end != NULL && pass_space(&planter, end) == planter.stop ? tree : NULL;
}

static const cJSON *tree_parse(const char *text, size_t len, struct hs_arena *arena)
{
    cJSON_Hooks hooks = {parse_alloc, parse_free};
    parsing.arena = arena;
    parsing.is_exhausted = false;
    cJSON_InitHooks(&hooks);
    const cJSON *tree = cJSON_ParseWithLength(text, len);
    cJSON_InitHooks(NULL);
    return tree;
}

static enum hs_status vet(const struct hs_json_source *source, const cJSON *tree,
                          struct hs_arena *arena, const struct hs_json **root, struct hs_diag *diag)
{
    const cJSON *first = NULL, *bad = tree != NULL ? find_bad(tree, arena, &first) : NULL;
    if (parsing.is_exhausted)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: no memory for this JSON", source->file);
    if (bad != NULL)
        return bad_fail(source, tree, bad, first, diag);
    *root = json(tree);
    return HS_OK;
}

enum hs_status hs_json_build_plain(const struct hs_json_source *source, struct hs_arena *arena,
                                   const struct hs_json **root, struct hs_diag *diag)
{
    const size_t len = source->end - source->begin;
    return vet(source, tree_plant(source->text + source->begin, len, arena), arena, root, diag);
}

enum hs_status hs_json_build(const struct hs_json_source *source, const char *text,
                             struct hs_arena *arena, const struct hs_json **root,
                             struct hs_diag *diag)
{
    const size_t len = source->end - source->begin;
    const cJSON *tree = tree_plant(text, len, arena);
    if (tree == NULL && !parsing.is_exhausted)
        tree = tree_parse(text, len, arena);
    if (tree == NULL &&
        !parsing.is_exhausted) /* a build of cJSON with other limits than the walk */
        return hs_fail(diag, HS_E_INPUT, NULL, NULL, "%s:%lld: cJSON %s cannot parse this JSON",
                       source->file, (long long)source->line, cJSON_Version());
    return vet(source, tree, arena, root, diag);
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
