/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the file of an experiment to axes. Every value is checked where it stands, so that a mistake
 * is reported with its line before the first point runs.
 */
#include "cli/sweep/sweep.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "cli/run_options.h"
#include "data/json.h"
#include "data/param_table.h"

struct experiment {
    struct hs_sweep *sweep;
    const struct hs_json_doc *doc;
    struct hs_diag *diag;
};

HS_PRINTF(4, 5)
static enum hs_status fail_at(const struct experiment *x, const struct hs_json *value,
                              const char *hint, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    struct hs_place place = hs_json_place(x->doc, value);
    return hs_fail(x->diag, HS_E_INPUT, &place, hint, "%s", text);
}

static enum hs_status expect(const struct experiment *x, const struct hs_json *value,
                             enum hs_json_kind kind, const char *what)
{
    return hs_json_kind(value) == kind ? HS_OK : fail_at(x, value, NULL, "expected %s", what);
}

/* '-' and '_' are the same in keys. */
static bool are_same_key(const char *a, const char *b)
{
    for (; *a != '\0' && (*a == '-' ? '_' : *a) == (*b == '-' ? '_' : *b); a++)
        b++;
    return *a == *b;
}

static uint32_t find_key(const struct hs_sweep *sweep, uint32_t from, const char *key)
{
    while (from < sweep->key_count && !are_same_key(sweep->keys[from], key))
        from++;
    return from;
}

/* Starts an axis; its keys follow. */
static enum hs_status add_axis(const struct experiment *x, const struct hs_json *value,
                               struct hs_sweep_axis **axis)
{
    struct hs_sweep *sweep = x->sweep;
    if (sweep->axis_count == HS_SWEEP_AXES_MAX)
        return fail_at(x, value, NULL, "more than %u axes", HS_SWEEP_AXES_MAX);
    *axis = &sweep->axes[sweep->axis_count++];
    **axis = (struct hs_sweep_axis){.first_key = sweep->key_count};
    return HS_OK;
}

/* A swept key that is given elsewhere, too, is refused: which of the two is meant cannot be known.
 */
static enum hs_status add_key(const struct experiment *x, struct hs_sweep_axis *axis,
                              const struct hs_json *member)
{
    struct hs_sweep *sweep = x->sweep;
    const char *key = hs_json_key(member);
    enum hs_origin origin = hs_config_origin(&sweep->call->config, key);
    struct hs_place place = hs_json_place_key(x->doc, member);
    if (find_key(sweep, 0, key) < sweep->key_count)
        return hs_fail(x->diag, HS_E_INPUT, &place, NULL, "'%s' is swept twice", key);
    if (sweep->key_count == HS_SWEEP_KEYS_MAX)
        return hs_fail(x->diag, HS_E_INPUT, &place, NULL, "more than %u keys are swept",
                       HS_SWEEP_KEYS_MAX);
    if (origin != HS_FROM_DEFAULT)
        return hs_fail(x->diag, HS_E_INPUT, &place, "leave it out there", "'%s' is swept and %s",
                       key,
                       origin == HS_FROM_FILE ? "stands in \"config\" too" : "given as option too");
    char *kept = hs_arena_text(&sweep->call->arena, key, strlen(key));
    for (char *c = kept; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c; /* sweep.csv has one spelling for its readers */
    sweep->keys[sweep->key_count++] = kept;
    axis->key_count++;
    return HS_OK;
}

static enum hs_status make_room(const struct experiment *x, const struct hs_json *value,
                                struct hs_sweep_axis *axis, uint64_t rows)
{
    if (rows == 0)
        return fail_at(x, value, "at least one value", "an axis without a value");
    if (rows > HS_SWEEP_POINTS_MAX)
        return fail_at(x, value, NULL, "more than %u values", HS_SWEEP_POINTS_MAX);
    axis->rows = (uint32_t)rows;
    axis->pairs =
        hs_arena_alloc(&x->sweep->call->arena, rows * axis->key_count * sizeof *axis->pairs);
    return HS_OK;
}

static enum hs_status read_value(const struct experiment *x, struct hs_sweep_axis *axis,
                                 uint32_t row, uint32_t key, const struct hs_json *value,
                                 const struct hs_json *place_of)
{
    return hs_config_pair(&x->sweep->call->config, x->doc, x->sweep->keys[axis->first_key + key],
                          value, place_of, &axis->pairs[(size_t)row * axis->key_count + key],
                          x->diag);
}

/* "1..3" for a key of integers, such as the seed. */
static enum hs_status read_range(const struct experiment *x, struct hs_sweep_axis *axis,
                                 const struct hs_json *member)
{
    const int64_t *numbers;
    uint32_t count;
    char pair[128];
    const char *key = hs_json_key(member);
    struct hs_diag silent = {.least = HS_ERROR}; /* the message about seeds is replaced below */
    if (hs_seeds_parse(hs_json_text(member), key, 0, &x->sweep->call->arena, &numbers, &count,
                       &silent) != HS_OK)
        return fail_at(x, member, "upwards, each once, at most 1000: \"1..5\" or \"1..3,7\"",
                       "expected a list of values, or a range of numbers");
    HS_TRY(make_room(x, member, axis, count));
    for (uint32_t i = 0; i < count; i++) {
        int len = snprintf(pair, sizeof pair, "%.100s=%" PRId64, key, numbers[i]);
        axis->pairs[i] = hs_arena_text(&x->sweep->call->arena, pair, (size_t)len);
    }
    return HS_OK;
}

/* The values of one key, which is key number `key` of its axis. */
static enum hs_status read_list(const struct experiment *x, struct hs_sweep_axis *axis,
                                uint32_t key, const struct hs_json *member)
{
    uint32_t row = 0;
    HS_TRY(expect(x, member, HS_JSON_ARRAY, "a list of values: [...]"));
    if (key == 0)
        HS_TRY(make_room(x, member, axis, hs_json_count(member)));
    if (hs_json_count(member) != axis->rows)
        return fail_at(x, member, "lists of \"zip\" advance together",
                       "%" PRIu32 " values, where the first list has %" PRIu32,
                       hs_json_count(member), axis->rows);
    for (const struct hs_json *v = hs_json_first(member); v != NULL; v = hs_json_next(v))
        HS_TRY(read_value(x, axis, row++, key, v, member));
    return HS_OK;
}

static enum hs_status read_grid(const struct experiment *x, const struct hs_json *grid)
{
    struct hs_sweep_axis *axis = NULL;
    HS_TRY(expect(x, grid, HS_JSON_OBJECT, "an object: {\"load\": [0.6, 0.8], ...}"));
    for (const struct hs_json *m = hs_json_first(grid); m != NULL; m = hs_json_next(m)) {
        HS_TRY(add_axis(x, m, &axis));
        HS_TRY(add_key(x, axis, m));
        const char *key = x->sweep->keys[axis->first_key];
        const struct hs_option *option = hs_option_find(x->sweep->call->config.options, key);
        bool is_integer = option != NULL && option->param.type == HS_PARAM_INT;
        if (hs_json_kind(m) == HS_JSON_TEXT && is_integer)
            HS_TRY(read_range(x, axis, m));
        else
            HS_TRY(read_list(x, axis, 0, m));
    }
    return HS_OK;
}

static enum hs_status read_zip(const struct experiment *x, const struct hs_json *zip)
{
    struct hs_sweep_axis *axis = NULL;
    uint32_t key = 0;
    HS_TRY(expect(x, zip, HS_JSON_OBJECT, "an object: {\"cluster\": [...], \"load\": [...]}"));
    HS_TRY(add_axis(x, zip, &axis));
    for (const struct hs_json *m = hs_json_first(zip); m != NULL; m = hs_json_next(m))
        HS_TRY(add_key(x, axis, m));
    for (const struct hs_json *m = hs_json_first(zip); m != NULL; m = hs_json_next(m))
        HS_TRY(read_list(x, axis, key++, m));
    return key > 0 ? HS_OK : fail_at(x, zip, NULL, "\"zip\" has no key");
}

/* The keys of a row need not be those of another. */
static enum hs_status read_rows(const struct experiment *x, const struct hs_json *list)
{
    struct hs_sweep_axis *axis = NULL;
    uint32_t row = 0;
    HS_TRY(expect(x, list, HS_JSON_ARRAY, "a list of points: [{\"policy\": \"fifo\"}, ...]"));
    HS_TRY(add_axis(x, list, &axis));
    for (const struct hs_json *o = hs_json_first(list); o != NULL; o = hs_json_next(o)) {
        HS_TRY(expect(x, o, HS_JSON_OBJECT, "an object: {\"policy\": \"fifo\", \"load\": 1}"));
        for (const struct hs_json *m = hs_json_first(o); m != NULL; m = hs_json_next(m))
            if (find_key(x->sweep, axis->first_key, hs_json_key(m)) == x->sweep->key_count)
                HS_TRY(add_key(x, axis, m));
    }
    if (axis->key_count == 0)
        return fail_at(x, list, NULL, "\"list\" has no point that sets a key");
    HS_TRY(make_room(x, list, axis, hs_json_count(list)));
    for (const struct hs_json *o = hs_json_first(list); o != NULL; o = hs_json_next(o), row++)
        for (const struct hs_json *m = hs_json_first(o); m != NULL; m = hs_json_next(m)) {
            uint32_t key = find_key(x->sweep, axis->first_key, hs_json_key(m));
            if (axis->pairs[(size_t)row * axis->key_count + key - axis->first_key] != NULL)
                return fail_at(x, m, NULL, "'%s' stands twice in a point", hs_json_key(m));
            HS_TRY(read_value(x, axis, row, key - axis->first_key, m, m));
        }
    return HS_OK;
}

static enum hs_status check_members(const struct experiment *x, const struct hs_json *root)
{
    static const char *const members[] = {"name", "config", "grid", "zip", "list", "$schema"};
    static const size_t member_count = sizeof members / sizeof *members;
    char hint[HS_HINT_SIZE];
    HS_TRY(expect(x, root, HS_JSON_OBJECT, "an experiment: {\"config\": {...}, \"grid\": {...}}"));
    for (const struct hs_json *m = hs_json_first(root); m != NULL; m = hs_json_next(m)) {
        size_t i = 0;
        while (i < member_count && strcmp(members[i], hs_json_key(m)) != 0)
            i++;
        struct hs_place place = hs_json_place_key(x->doc, m);
        if (i == member_count)
            return hs_fail(x->diag, HS_E_INPUT, &place,
                           hs_did_you_mean(hint, hs_json_key(m), members, member_count,
                                           "keys of a run stand in \"config\" or on an axis"),
                           "'%s' is no part of an experiment", hs_json_key(m));
    }
    return HS_OK;
}

static enum hs_status read_members(const struct experiment *x, const struct hs_json *root)
{
    const struct hs_json *name, *config, *grid, *zip, *list;
    HS_TRY(check_members(x, root));
    if ((name = hs_json_get(root, "name")) != NULL) {
        const char *text = hs_json_text(name);
        if (text == NULL || *text == '\0' || strpbrk(text, "/\n") != NULL || strlen(text) > 200)
            return fail_at(x, name, "it names the directory of the results",
                           "expected a name of 1 to 200 bytes without a slash");
        x->sweep->name = hs_arena_text(&x->sweep->call->arena, text, strlen(text));
    }
    if ((config = hs_json_get(root, "config")) != NULL)
        HS_TRY(hs_config_load_object(&x->sweep->call->config, x->doc, config, x->diag));
    if ((grid = hs_json_get(root, "grid")) != NULL)
        HS_TRY(read_grid(x, grid));
    if ((zip = hs_json_get(root, "zip")) != NULL)
        HS_TRY(read_zip(x, zip));
    if ((list = hs_json_get(root, "list")) != NULL)
        HS_TRY(read_rows(x, list));
    uint64_t count = 1;
    for (uint32_t a = 0; a < x->sweep->axis_count; a++) {
        count *= x->sweep->axes[a].rows;
        if (count > HS_SWEEP_POINTS_MAX)
            return fail_at(x, root, "sweep in parts", "more than %u points", HS_SWEEP_POINTS_MAX);
    }
    if (x->sweep->axis_count == 0)
        return fail_at(x, root, "for example \"grid\": {\"policy\": [\"fifo\", \"srtf\"]}",
                       "nothing is swept: no \"grid\", \"zip\" or \"list\"");
    x->sweep->point_count = (uint32_t)count;
    return HS_OK;
}

/* Bytes, so that the path of a file of a point fits. */
#define DIR_MAX (HS_PATH_SIZE - HS_RUN_NAME_SIZE - 64u)

static enum hs_status name_dir(struct hs_sweep *sweep)
{
    struct hs_diag *diag = &sweep->call->diag, silent = {.least = HS_ERROR};
    struct hs_json_doc *doc;
    char dir[HS_WORKLOAD_MAX + 16], path[HS_PATH_SIZE];
    const char *given = sweep->options->run.output;
    (void)snprintf(dir, sizeof dir, "results/%s", sweep->name);
    if (given == NULL)
        given = dir;
    size_t len = strlen(given);
    if (len == 0 || len > DIR_MAX)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL,
                       "the name of a sweep's directory has 1 to %u bytes, not %zu", DIR_MAX, len);
    while (len > 1 && given[len - 1] == '/')
        len--;
    sweep->dir = hs_arena_text(&sweep->call->arena, given, len);
    /* The manifest of a run or a comparison would be replaced by that of the sweep. Another process
     * may be replacing one just now: a manifest that cannot be read is ignored. */
    (void)snprintf(path, sizeof path, "%s/manifest.json", sweep->dir);
    if (hs_json_load(&doc, path, &silent) != HS_OK)
        return HS_OK;
    bool is_sweep = hs_json_get(hs_json_root(doc), "sweep") != NULL;
    hs_json_close(doc);
    if (is_sweep)
        return HS_OK;
    return hs_fail(diag, HS_E_IO, &(struct hs_place){.file = sweep->dir},
                   "name another directory with -o, or remove this one",
                   "a run or a comparison stands here, not a sweep");
}

enum hs_status hs_sweep_read(struct hs_sweep *sweep, struct hs_call *call)
{
    char name[HS_WORKLOAD_MAX + 1];
    struct hs_json_doc *doc;
    sweep->call = call;
    sweep->options = call->options;
    sweep->file = call->operands[0];
    call->config.file = sweep->file;
    hs_message_log_open(&sweep->once, &call->diag, HS_LOG_UNIQUE);
    HS_TRY(hs_json_load(&doc, sweep->file, &call->diag));
    const struct experiment x = {sweep, doc, &call->diag};
    enum hs_status status = read_members(&x, hs_json_root(doc));
    hs_json_close(doc);
    HS_TRY(status);
    HS_TRY(hs_hash_file(sweep->file, &sweep->file_hash, &sweep->file_bytes, &call->diag));
    sweep->base = sweep->options->run;
    sweep->base.output = NULL;
    sweep->base.force = true; /* replaces what a killed run left; a finished point is not run */
    sweep->config = hs_run_config(&call->config, &sweep->base);
    sweep->config.policy_sets = call->config.policy_sets;
    if (sweep->name == NULL) {
        hs_workload_name(sweep->file, name, sizeof name);
        sweep->name = hs_arena_text(&call->arena, name, strlen(name));
    }
    return name_dir(sweep);
}
