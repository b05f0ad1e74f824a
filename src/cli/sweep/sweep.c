/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus sweep EXPERIMENT.json`: runs the points, and collects them. sweep.csv has their summaries
 * in the order of the points, each after its values on the axes; fields are copied unchanged, so
 * the file is the same wherever the points ran. The manifest is written last: it marks a complete
 * sweep. Then the output of a sweep: commands and makefiles for other launchers, numbers of points
 * for a job array, the state, and at the end a table over its first two axes.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/sweep/sweep.h"
#include "data/param_table.h"
#include "report/html/page.h"
#include "report/run/run_table.h"

#define FAILURES_SHOWN 20u

/* ---- the experiment: every value is checked at its place, so that a mistake is reported with
 * its line before the first point runs ---- */

/* HS_E_INPUT at the place of a value: hint, format, arguments. */
#define FAIL_AT(sweep, value, ...)                                                                 \
    hs_fail((sweep)->diag, HS_E_INPUT, HS_AT(hs_json_place((sweep)->doc, value)), __VA_ARGS__)

static enum hs_status expect(struct hs_sweep *sweep, const struct hs_json *value,
                             enum hs_json_kind kind, const char *what)
{
    return hs_json_kind(value) == kind ? HS_OK : FAIL_AT(sweep, value, NULL, "expected %s", what);
}

/* '-' and '_' are equal in keys; stored ones have only '_'. */
static uint32_t find_key(const struct hs_sweep *sweep, uint32_t from, const char *key)
{
    for (; from < sweep->key_count; from++) {
        const char *kept = sweep->keys[from];
        size_t i = 0;
        while (kept[i] != '\0' && kept[i] == (key[i] == '-' ? '_' : key[i]))
            i++;
        if (kept[i] == '\0' && key[i] == '\0')
            break;
    }
    return from;
}

/* Starts an axis; its keys follow. */
static enum hs_status add_axis(struct hs_sweep *sweep, const struct hs_json *value,
                               struct hs_sweep_axis **axis)
{
    if (sweep->axis_count == HS_SWEEP_AXES_MAX)
        return FAIL_AT(sweep, value, NULL, "more than %u axes", HS_SWEEP_AXES_MAX);
    *axis = &sweep->axes[sweep->axis_count++];
    **axis = (struct hs_sweep_axis){.first_key = sweep->key_count};
    return HS_OK;
}

/* A swept key that is given elsewhere, too, is refused: which of the two is meant cannot be known.
 */
static enum hs_status add_key(struct hs_sweep *sweep, struct hs_sweep_axis *axis,
                              const struct hs_json *member)
{
    const char *key = hs_json_key(member);
    enum hs_origin origin = hs_config_origin(&sweep->call->config, key);
    struct hs_place place = hs_json_place_key(sweep->doc, member);
    if (find_key(sweep, 0, key) < sweep->key_count)
        return hs_fail(sweep->diag, HS_E_INPUT, &place, NULL, "'%s' is swept twice", key);
    if (sweep->key_count == HS_SWEEP_KEYS_MAX)
        return hs_fail(sweep->diag, HS_E_INPUT, &place, NULL, "more than %u keys are swept",
                       HS_SWEEP_KEYS_MAX);
    if (origin != HS_FROM_DEFAULT)
        return hs_fail(
            sweep->diag, HS_E_INPUT, &place, "leave it out there", "'%s' is swept and %s", key,
            origin == HS_FROM_FILE ? "also set in \"config\"" : "also given as an option");
    char *kept = hs_arena_text(sweep->arena, key, strlen(key));
    for (char *c = kept; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c; /* sweep.csv has one spelling */
    sweep->keys[sweep->key_count++] = kept;
    axis->key_count++;
    return HS_OK;
}

static enum hs_status make_room(struct hs_sweep *sweep, const struct hs_json *value,
                                struct hs_sweep_axis *axis, uint64_t rows)
{
    if (rows == 0)
        return FAIL_AT(sweep, value, "at least one value", "an axis without a value");
    if (rows > HS_SWEEP_POINTS_MAX)
        return FAIL_AT(sweep, value, NULL, "more than %u values", HS_SWEEP_POINTS_MAX);
    axis->rows = (uint32_t)rows;
    axis->pairs = hs_arena_alloc(sweep->arena, rows * axis->key_count * sizeof *axis->pairs);
    return HS_OK;
}

static enum hs_status read_value(struct hs_sweep *sweep, struct hs_sweep_axis *axis, uint32_t row,
                                 uint32_t key, const struct hs_json *value,
                                 const struct hs_json *place_of)
{
    return hs_config_pair(&sweep->call->config, sweep->doc, sweep->keys[axis->first_key + key],
                          value, place_of, &axis->pairs[(size_t)row * axis->key_count + key],
                          sweep->diag);
}

/* Reads "1..3" for a key of integers, such as the seed. */
static enum hs_status read_range(struct hs_sweep *sweep, struct hs_sweep_axis *axis,
                                 const struct hs_json *member)
{
    const int64_t *numbers;
    uint32_t count;
    char pair[128];
    const char *key = hs_json_key(member);
    struct hs_diag silent = {.least = HS_ERROR}; /* the message about seeds is replaced below */
    if (hs_seeds_parse(hs_json_text(member), key, 0, sweep->arena, &numbers, &count, &silent) !=
        HS_OK)
        return FAIL_AT(sweep, member, "upwards, each once, at most 1000: \"1..5\" or \"1..3,7\"",
                       "expected a list of values, or a range of numbers");
    HS_TRY(make_room(sweep, member, axis, count));
    for (uint32_t i = 0; i < count; i++) {
        int len = snprintf(pair, sizeof pair, "%.100s=%" PRId64, key, numbers[i]);
        axis->pairs[i] = hs_arena_text(sweep->arena, pair, (size_t)len);
    }
    return HS_OK;
}

/* Reads the values of one key, which is number `key` of its axis. */
static enum hs_status read_list(struct hs_sweep *sweep, struct hs_sweep_axis *axis, uint32_t key,
                                const struct hs_json *member)
{
    uint32_t row = 0;
    HS_TRY(expect(sweep, member, HS_JSON_ARRAY, "a list of values: [...]"));
    if (key == 0)
        HS_TRY(make_room(sweep, member, axis, hs_json_count(member)));
    if (hs_json_count(member) != axis->rows)
        return FAIL_AT(sweep, member, "lists of \"zip\" advance together",
                       "%" PRIu32 " values, where the first list has %" PRIu32,
                       hs_json_count(member), axis->rows);
    for (const struct hs_json *v = hs_json_first(member); v != NULL; v = hs_json_next(v))
        HS_TRY(read_value(sweep, axis, row++, key, v, member));
    return HS_OK;
}

static enum hs_status read_grid(struct hs_sweep *sweep, const struct hs_json *grid)
{
    struct hs_sweep_axis *axis = NULL;
    HS_TRY(expect(sweep, grid, HS_JSON_OBJECT, "an object: {\"load\": [0.6, 0.8], ...}"));
    for (const struct hs_json *m = hs_json_first(grid); m != NULL; m = hs_json_next(m)) {
        HS_TRY(add_axis(sweep, m, &axis));
        HS_TRY(add_key(sweep, axis, m));
        const char *key = sweep->keys[axis->first_key];
        const struct hs_option *option = hs_option_find(sweep->call->config.options, key);
        bool is_integer = option != NULL && option->param.type == HS_PARAM_INT;
        if (hs_json_kind(m) == HS_JSON_TEXT && is_integer)
            HS_TRY(read_range(sweep, axis, m));
        else
            HS_TRY(read_list(sweep, axis, 0, m));
    }
    return HS_OK;
}

/* Rows may have different keys. */
static enum hs_status read_rows(struct hs_sweep *sweep, const struct hs_json *list)
{
    struct hs_sweep_axis *axis = NULL;
    uint32_t row = 0;
    HS_TRY(expect(sweep, list, HS_JSON_ARRAY, "a list of points: [{\"policy\": \"fifo\"}, ...]"));
    HS_TRY(add_axis(sweep, list, &axis));
    for (const struct hs_json *o = hs_json_first(list); o != NULL; o = hs_json_next(o)) {
        HS_TRY(expect(sweep, o, HS_JSON_OBJECT, "an object: {\"policy\": \"fifo\", \"load\": 1}"));
        for (const struct hs_json *m = hs_json_first(o); m != NULL; m = hs_json_next(m))
            if (find_key(sweep, axis->first_key, hs_json_key(m)) == sweep->key_count)
                HS_TRY(add_key(sweep, axis, m));
    }
    if (axis->key_count == 0)
        return FAIL_AT(sweep, list, NULL, "\"list\" has no point that sets a key");
    HS_TRY(make_room(sweep, list, axis, hs_json_count(list)));
    for (const struct hs_json *o = hs_json_first(list); o != NULL; o = hs_json_next(o), row++)
        for (const struct hs_json *m = hs_json_first(o); m != NULL; m = hs_json_next(m)) {
            uint32_t key = find_key(sweep, axis->first_key, hs_json_key(m));
            if (axis->pairs[(size_t)row * axis->key_count + key - axis->first_key] != NULL)
                return FAIL_AT(sweep, m, NULL, "'%s' is set twice in a point", hs_json_key(m));
            HS_TRY(read_value(sweep, axis, row, key - axis->first_key, m, m));
        }
    return HS_OK;
}

static enum hs_status check_members(struct hs_sweep *sweep, const struct hs_json *root)
{
    static const char *const members[] = {"name", "config", "grid", "zip", "list", "$schema"};
    static const size_t member_count = HS_COUNT_OF(members);
    char hint[HS_HINT_SIZE];
    HS_TRY(
        expect(sweep, root, HS_JSON_OBJECT, "an experiment: {\"config\": {...}, \"grid\": {...}}"));
    for (const struct hs_json *m = hs_json_first(root); m != NULL; m = hs_json_next(m)) {
        size_t i = 0;
        while (i < member_count && strcmp(members[i], hs_json_key(m)) != 0)
            i++;
        if (i == member_count)
            return hs_fail(sweep->diag, HS_E_INPUT, HS_AT(hs_json_place_key(sweep->doc, m)),
                           hs_did_you_mean(hint, hs_json_key(m), members, member_count,
                                           "keys of a run belong in \"config\" or on an axis"),
                           "'%s' is no part of an experiment", hs_json_key(m));
    }
    return HS_OK;
}

static enum hs_status read_members(struct hs_sweep *sweep, const struct hs_json *root)
{
    const struct hs_json *name, *config, *grid, *zip, *list;
    HS_TRY(check_members(sweep, root));
    if ((name = hs_json_get(root, "name")) != NULL) {
        const char *text = hs_json_text(name);
        if (text == NULL || !hs_rundir_is_name(text) || strlen(text) > 200)
            return FAIL_AT(sweep, name, "it names the directory of the results",
                           "expected a name of 1 to 200 bytes without a slash, a leading dot or a "
                           "control character");
        sweep->name = hs_arena_text(sweep->arena, text, strlen(text));
    }
    if ((config = hs_json_get(root, "config")) != NULL)
        HS_TRY(hs_config_load_object(&sweep->call->config, sweep->doc, config, sweep->diag));
    if ((grid = hs_json_get(root, "grid")) != NULL)
        HS_TRY(read_grid(sweep, grid));
    if ((zip = hs_json_get(root, "zip")) != NULL) {
        struct hs_sweep_axis *axis = NULL;
        uint32_t key = 0;
        HS_TRY(
            expect(sweep, zip, HS_JSON_OBJECT, "an object: {\"cluster\": [...], \"load\": [...]}"));
        HS_TRY(add_axis(sweep, zip, &axis));
        for (const struct hs_json *m = hs_json_first(zip); m != NULL; m = hs_json_next(m))
            HS_TRY(add_key(sweep, axis, m));
        for (const struct hs_json *m = hs_json_first(zip); m != NULL; m = hs_json_next(m))
            HS_TRY(read_list(sweep, axis, key++, m));
        HS_TRY(key > 0 ? HS_OK : FAIL_AT(sweep, zip, NULL, "\"zip\" has no key"));
    }
    if ((list = hs_json_get(root, "list")) != NULL)
        HS_TRY(read_rows(sweep, list));
    uint64_t count = 1;
    for (uint32_t a = 0; a < sweep->axis_count; a++) {
        count *= sweep->axes[a].rows;
        if (count > HS_SWEEP_POINTS_MAX)
            return FAIL_AT(sweep, root, "sweep in parts", "more than %u points",
                           HS_SWEEP_POINTS_MAX);
    }
    if (sweep->axis_count == 0)
        return FAIL_AT(sweep, root, "for example \"grid\": {\"policy\": [\"fifo\", \"srtf\"]}",
                       "nothing is swept: no \"grid\", \"zip\" or \"list\"");
    sweep->point_count = (uint32_t)count;
    return HS_OK;
}

/* Refuses to replace the manifest of a run or a comparison, or a foreign table. Another process
 * may be replacing a manifest now, so that there is briefly none. */
static enum hs_status check_place(const struct hs_sweep *sweep)
{
    static const char *const tables[][2] = {{"sweep.csv", HS_SWEEP_COLUMNS},
                                            {HS_SWEEP_TEAMS, "point,run,axis_"}};
    struct hs_diag silent = {.least = HS_ERROR};
    struct hs_json_doc *doc;
    struct hs_input *table;
    const char *head;
    size_t len;
    const char *path = HS_PATH("%s/manifest.json", sweep->dir);
    HS_TRY(hs_regular_check(path, sweep->diag));
    bool is_sweep = hs_json_load(&doc, path, &silent) == HS_OK
                        ? hs_json_get(hs_json_root(doc), "sweep") != NULL
                        : access(path, F_OK) != 0;
    hs_json_close(doc);
    for (size_t i = 0; i < HS_COUNT_OF(tables); i++) {
        const char *columns = tables[i][1];
        path = HS_PATH("%s/%s", sweep->dir, tables[i][0]);
        if (!is_sweep || access(path, F_OK) != 0)
            continue;
        HS_TRY(hs_regular_check(path, sweep->diag));
        HS_TRY(hs_input_open(&table, path, sweep->diag));
        is_sweep = hs_input_peek(table, &head, &len) == HS_OK && len > strlen(columns) &&
                   memcmp(head, columns, strlen(columns)) == 0;
        hs_input_close(table);
    }
    if (is_sweep)
        return HS_OK;
    return hs_fail(sweep->diag, HS_E_IO, HS_AT({.file = sweep->dir}),
                   "name another directory with -o, or remove this one",
                   "this is not the directory of a sweep");
}

/* Bytes; leaves space for the path of a point's file. */
#define DIR_MAX (HS_PATH_SIZE - HS_RUN_NAME_SIZE - 64u)

static enum hs_status read_experiment(struct hs_sweep *sweep, struct hs_call *call)
{
    char name[HS_WORKLOAD_MAX + 1];
    sweep->call = call;
    sweep->diag = &call->diag;
    sweep->arena = &call->arena;
    sweep->options = call->options;
    sweep->file = call->operands[0];
    call->config.file = sweep->file;
    hs_message_log_open(&sweep->once, &call->diag, HS_LOG_UNIQUE);
    HS_TRY(hs_json_load(&sweep->doc, sweep->file, &call->diag));
    enum hs_status status = read_members(sweep, hs_json_root(sweep->doc));
    hs_json_close(sweep->doc);
    HS_TRY(status);
    sweep->input = (struct hs_manifest_input){.role = "experiment", .path = sweep->file};
    HS_TRY(hs_hash_file(sweep->file, &sweep->input.hash, &sweep->input.bytes, &call->diag));
    sweep->base = *sweep->options;
    sweep->base.output = NULL;
    sweep->config = hs_run_config(&call->config, &sweep->base);
    sweep->config.policy_sets = call->config.policy_sets;
    if (sweep->name == NULL) {
        hs_workload_name(sweep->file, name, sizeof name);
        sweep->name = hs_arena_text(&call->arena, name, strlen(name));
        if (sweep->options->output == NULL && !hs_rundir_is_name(name))
            return hs_fail(sweep->diag, HS_E_USAGE, HS_AT({.file = sweep->file}),
                           "-o DIR names one", "no directory can have the name of this file");
    }
    const char *given = sweep->options->output;
    const char *dir = HS_TEXT("results/%s", sweep->name);
    if (given == NULL)
        given = dir;
    size_t len = strlen(given);
    if (len == 0 || len > DIR_MAX)
        return hs_fail(sweep->diag, HS_E_USAGE, NULL, NULL,
                       "the name of a sweep's directory has 1 to %u bytes, not %zu", DIR_MAX, len);
    while (len > 1 && given[len - 1] == '/')
        len--;
    sweep->dir = hs_arena_text(sweep->arena, given, len);
    return check_place(sweep);
}

/* ---- sweep.csv ---- */

/* Writes the row of a point; without values of a summary if it is not finished. */
static enum hs_status write_row(struct hs_sweep *sweep, uint32_t i, const struct hs_csv_row *head,
                                struct hs_csvw *csv, struct hs_arena *arena)
{
    static const char *const states[] = {"missing", "done", "failed"};
    const struct hs_sweep_point *point = &sweep->points[i];
    struct hs_summary_csv summary = {0};
    uint32_t at = 0;
    sweep->values[i] = (double)NAN;
    if (point->state == HS_POINT_DONE) {
        const char *path = HS_SWEEP_PATH(sweep, HS_RUNS_DIR, point->name, "/summary.csv");
        HS_TRY(hs_record_read_summary(path, arena, &summary, sweep->diag));
        sweep->values[i] =
            hs_record_number(&summary.row, hs_csv_column(&summary.head, sweep->options->metric));
    }
    hs_csvw_u64(csv, (uint64_t)i + 1);
    hs_csvw_text(csv, point->name);
    hs_csvw_text(csv, states[point->state]);
    if (point->state == HS_POINT_MISSING)
        hs_csvw_empty(csv);
    else /* a finished one may have failed before */
        hs_csvw_i64(csv, point->state == HS_POINT_FAILED ? point->exit_code : 0);
    for (uint32_t k = 0; k < sweep->key_count; k++)
        hs_csvw_text(csv, hs_sweep_value(sweep, i, k));
    for (uint32_t c = 0; c < head->count; c++, at++) {
        if (at >= summary.head.count || strcmp(summary.head.fields[at], head->fields[c]) != 0)
            at = hs_csv_column(&summary.head, head->fields[c]);
        hs_csvw_text(csv, at < summary.row.count ? summary.row.fields[at] : NULL);
    }
    hs_csvw_end(csv);
    return HS_OK;
}

static enum hs_status write_rows(struct hs_sweep *sweep, const struct hs_rundir *dir,
                                 struct hs_output_file *file)
{
    struct hs_arena arena = {0};
    struct hs_csvw csv;
    struct hs_csv_row widest = {0}; /* of the finished points */
    const struct hs_csv_row *head = &widest;
    char *header;
    for (uint32_t i = 0; i < sweep->point_count; i++)
        if (sweep->points[i].state == HS_POINT_DONE)
            HS_TRY(hs_record_join(
                HS_SWEEP_PATH(sweep, HS_RUNS_DIR, sweep->points[i].name, "/summary.csv"),
                sweep->arena, &widest, sweep->diag));
    if (head->count > 0 && hs_csv_column(head, sweep->options->metric) == UINT32_MAX)
        return hs_fail(sweep->diag, HS_E_INPUT, NULL,
                       "was it written by another version, or has no job a deadline?",
                       "a summary has no column '%s'", sweep->options->metric);
    header =
        hs_record_header(sweep->arena, HS_SWEEP_COLUMNS, "axis_", sweep->keys, sweep->key_count);
    header = hs_record_header(sweep->arena, header, "", head->fields, head->count);
    HS_TRY(hs_open_listed(&csv, dir, "sweep.csv", header, sweep->diag));
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; i < sweep->point_count && status == HS_OK; i++) {
        status = write_row(sweep, i, head, &csv, &arena);
        hs_arena_reset(&arena);
    }
    hs_arena_free(&arena);
    enum hs_status closed = hs_close_listed(&csv, "sweep.csv", file, sweep->diag);
    return status != HS_OK ? status : closed;
}

/* ---- manifest.json ---- */

static void write_sweep(void *ctx, struct hs_jsonw *w)
{
    const struct hs_sweep *sweep = ctx;
    hs_jsonw_put(w, "sweep={ name=%s points=%u done=%u failed=%u missing=%u axes=[", sweep->name,
                 sweep->point_count, hs_sweep_count(sweep, HS_POINT_DONE),
                 hs_sweep_count(sweep, HS_POINT_FAILED), hs_sweep_count(sweep, HS_POINT_MISSING));
    for (uint32_t a = 0; a < sweep->axis_count; a++) {
        hs_jsonw_put(w, "=!{ keys=[");
        for (uint32_t k = 0; k < sweep->axes[a].key_count; k++)
            hs_jsonw_text(w, sweep->keys[sweep->axes[a].first_key + k]);
        hs_jsonw_put(w, "] values=%u }", sweep->axes[a].rows);
    }
    hs_jsonw_put(w, "] }");
}

static enum hs_status write_manifest(struct hs_sweep *sweep, const struct hs_rundir *dir,
                                     const struct hs_output_file *files, uint32_t count)
{
    bool is_whole = hs_sweep_count(sweep, HS_POINT_DONE) == sweep->point_count;
    struct hs_manifest manifest = {.status = is_whole ? "complete" : "partial",
                                   .seed = (uint64_t)sweep->base.seed,
                                   .inputs = &sweep->input,
                                   .input_count = 1,
                                   .outputs = files,
                                   .output_count = count,
                                   .write_config = hs_config_json,
                                   .config_ctx = &sweep->config,
                                   .write_more = write_sweep,
                                   .more_ctx = sweep};
    manifest.machine.command = sweep->call->command;
    manifest.machine.host = hs_record_machine(NULL, 0, false).host;
    return hs_record_manifest(&manifest, NULL, dir, sweep->diag);
}

/* A manifest exists only beside the tables that it describes. */
static enum hs_status publish(struct hs_sweep *sweep, const struct hs_rundir *dir, bool has_teams)
{
    static const char *const files[] = {"sweep.csv", HS_SWEEP_TEAMS, "manifest.json"};
    for (size_t i = HS_COUNT_OF(files) - 1; i > 0; i--) {
        const char *to = HS_PATH("%s/%s", sweep->dir, files[i]);
        if (unlink(to) != 0 && errno != ENOENT)
            return hs_fail(sweep->diag, HS_E_IO, HS_AT({.file = to}), NULL, "cannot remove: %s",
                           strerror(errno));
    }
    for (size_t i = 0; i < HS_COUNT_OF(files); i++) {
        const char *to = HS_PATH("%s/%s", sweep->dir, files[i]);
        if ((i != 1 || has_teams) && rename(HS_RUNDIR_FILE(dir, files[i]), to) != 0)
            return hs_fail(sweep->diag, HS_E_IO, HS_AT({.file = to}), NULL, "cannot rename: %s",
                           strerror(errno));
    }
    return hs_beside_sync_above(HS_PATH("%s/manifest.json", sweep->dir), sweep->diag);
}

/* Two processes that end at the same time collect in turn; the later one includes both. */
static enum hs_status gather(struct hs_sweep *sweep)
{
    struct hs_file_lock lock;
    struct hs_rundir dir;
    struct hs_output_file files[2];
    uint32_t count = 1;
    sweep->values = hs_arena_alloc(sweep->arena, sweep->point_count * sizeof *sweep->values);
    const char *lock_path = HS_PATH("%s/gather.lock", sweep->dir);
    HS_TRY(hs_file_lock_take(&lock, lock_path, sweep->diag));
    enum hs_status status = hs_sweep_settle(sweep);
    if (status == HS_OK)
        status = hs_rundir_open(&dir, HS_PATH("%s/gather", sweep->dir), false, sweep->diag);
    if (status == HS_OK) {
        status = write_rows(sweep, &dir, &files[0]);
        if (status == HS_OK)
            status = hs_sweep_write_teams(sweep, &dir, files, &count);
        if (status == HS_OK)
            status = write_manifest(sweep, &dir, files, count);
        if (status == HS_OK)
            status = publish(sweep, &dir, count > 1);
        hs_rundir_discard(&dir);
    }
    hs_file_lock_free(&lock, lock_path);
    return status;
}

/* ---- printed output ---- */

#define FOUND_MOST 4096u /* points: to group them costs their square */

/* Prints what the table comes to, as the page has it; nothing of a sweep that is too large. */
static enum hs_status say_finding(const struct hs_sweep *sweep)
{
    char text[HS_FINDING_SIZE];
    struct hs_page page;
    if (sweep->point_count > FOUND_MOST)
        return HS_OK;
    const enum hs_status status = hs_page_open(&page, &sweep->dir, 1, sweep->diag);
    if (status == HS_OK && hs_page_sweep_finding(&page, text)[0] != '\0')
        hs_say(&sweep->call->out, "\nfinding     %s\n", text);
    hs_page_close(&page);
    return status;
}

/* Quotes a word if a shell or make would interpret it. Inside the quotes a quote is written for the
 * shell and '$' for make. */
static void say_word(struct hs_output *out, bool for_make, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._=+-/:,@%";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        hs_say(out, "%s", word);
        return;
    }
    hs_output_put(out, "'", 1);
    for (const char *c = word; *c != '\0'; c++)
        if (*c == '\'' || (*c == '$' && for_make))
            hs_say(out, "%s", *c == '$' ? "$$" : "'\\''");
        else
            hs_output_put(out, c, 1);
    hs_output_put(out, "'", 1);
}

/* Prints the command of the sweep, with the values given in addition to the experiment. */
static void say_command(struct hs_output *out, bool for_make, const struct hs_sweep *sweep)
{
    char value[4096], pair[4200];
    const struct hs_config *config = &sweep->call->config;
    say_word(out, for_make, sweep->call->command[0]);
    hs_say(out, " sweep ");
    say_word(out, for_make, sweep->file);
    hs_say(out, " -o ");
    say_word(out, for_make, sweep->dir);
    for (size_t i = 0; config->options[i].param.key != NULL; i++) {
        const struct hs_param *param = &config->options[i].param;
        if (config->options[i].is_local || config->origin[i] < HS_FROM_SET)
            continue;
        (void)hs_param_print(param, config->base, value, sizeof value);
        (void)snprintf(pair, sizeof pair, "%s=%s", param->key, value);
        hs_say(out, " --set ");
        say_word(out, for_make, pair);
    }
}

static void say_list(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        say_command(out, false, sweep);
        hs_say(out, " --index %" PRIu32 "\n", i + 1);
    }
}

/* A point that fails stops only its own target (make -k). */
static void say_make(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    hs_say(out, "# make -k -j 8 -f FILE\n.PHONY: all");
    for (uint32_t i = 0; i < sweep->point_count; i++)
        hs_say(out, " %" PRIu32, i + 1);
    hs_say(out, "\nall:");
    for (uint32_t i = 0; i < sweep->point_count; i++)
        hs_say(out, " %" PRIu32, i + 1);
    hs_say(out, "\n\t");
    say_command(out, true, sweep);
    hs_say(out, " --gather\n");
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        hs_say(out, "%" PRIu32 ":\n\t@", i + 1);
        say_command(out, true, sweep);
        hs_say(out, " --index $@\n");
    }
}

static void say_pending(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    const char *comma = "";
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        uint32_t first = i;
        if (sweep->points[i].state == HS_POINT_DONE)
            continue;
        while (i + 1 < sweep->point_count && sweep->points[i + 1].state != HS_POINT_DONE)
            i++;
        hs_say(out, i > first ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, comma, first + 1, i + 1);
        comma = ",";
    }
    hs_say(out, "\n");
}

/* Prints "90 points: 6 policy x 5 load x 3 seed". */
static void say_shape(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    hs_say(out, "%s: %" PRIu32 " point%s", sweep->name, sweep->point_count,
           sweep->point_count == 1 ? "" : "s");
    for (uint32_t a = 0; a < sweep->axis_count; a++) {
        const struct hs_sweep_axis *axis = &sweep->axes[a];
        hs_say(out, "%s%" PRIu32, a > 0 ? " x " : " = ", axis->rows);
        for (uint32_t k = 0; k < axis->key_count; k++)
            hs_say(out, "%s%s", k > 0 ? "+" : " ", sweep->keys[axis->first_key + k]);
    }
    hs_say(out, "\n");
}

static void say_status(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    char text[512];
    uint32_t shown = 0;
    say_shape(sweep);
    hs_say(out, "finished %" PRIu32 ", failed %" PRIu32 ", missing %" PRIu32 "\n",
           hs_sweep_count(sweep, HS_POINT_DONE), hs_sweep_count(sweep, HS_POINT_FAILED),
           hs_sweep_count(sweep, HS_POINT_MISSING));
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        struct hs_sweep_point *point = &sweep->points[i];
        if (point->state != HS_POINT_FAILED || shown++ >= FAILURES_SHOWN)
            continue;
        hs_sweep_point_text(sweep, i, text, sizeof text);
        hs_say(out, "\n  point %" PRIu32 "  %s\n    exit %" PRId32 "  ", i + 1, text,
               point->exit_code);
        (void)hs_sweep_read_failure(sweep, point, text, sizeof text);
        hs_say(out, "%s\n    %s/failed/%s.log\n", text, sweep->dir, point->name);
    }
    if (shown > FAILURES_SHOWN)
        hs_say(out, "\n  and %" PRIu32 " more in %s/failed/\n", shown - FAILURES_SHOWN, sweep->dir);
}

/* ---- the table at the end ---- */

/* Columns: values of the second key with several that is not a seed; rows: combinations of the
 * values of all other keys; cells: means over seeds alone. A key is UINT32_MAX if there is none. */
struct pivot {
    const struct hs_sweep *sweep;
    const char **rows; /* of each point */
    uint32_t row_key, column_key;
};
#define ROW (UINT32_MAX - 1) /* in place of a key */

#define ROW_WIDTH         28u
#define ROW_WIDTH_MAX     44u
#define COLUMN_WIDTH      12u
#define COLUMN_WIDTH_MAX  28u
#define TABLE_ROWS_MAX    64u
#define TABLE_COLUMNS_MAX 16u

/* The distinct values of a key. */
struct heads {
    uint32_t key, width, count;
    const char *values[TABLE_ROWS_MAX];
    bool are_cut; /* there are more */
};

static const char *value_of(const struct pivot *p, uint32_t point, uint32_t key)
{
    const char *text = key == ROW          ? p->rows[point]
                       : key != UINT32_MAX ? hs_sweep_value(p->sweep, point, key)
                                           : "";
    return text != NULL ? text : "";
}

/* Finds up to `most`; the width is that of the widest, plus a blank. */
static struct heads find_heads(const struct pivot *p, uint32_t key, uint32_t most, uint32_t width,
                               uint32_t width_max)
{
    struct heads heads = {.key = key, .width = width};
    for (uint32_t i = 0; i < p->sweep->point_count && !heads.are_cut; i++) {
        const char *value = value_of(p, i, key);
        uint32_t h = 0, len = (uint32_t)strlen(value) + 1;
        while (h < heads.count && strcmp(heads.values[h], value) != 0)
            h++;
        heads.are_cut = h == most;
        if (h < heads.count || heads.are_cut)
            continue;
        if (len > heads.width)
            heads.width = len < width_max ? len : width_max;
        heads.values[heads.count++] = value;
    }
    return heads;
}

static bool varies(const struct pivot *p, uint32_t key)
{
    for (uint32_t i = 1; i < p->sweep->point_count; i++)
        if (strcmp(value_of(p, i, key), value_of(p, 0, key)) != 0)
            return true;
    return false;
}

static bool is_seed(const struct pivot *p, uint32_t key)
{
    const size_t len = strlen(p->sweep->keys[key]);
    return len >= 4 && strcmp(p->sweep->keys[key] + len - 4, "seed") == 0;
}

static uint32_t pick_key(const struct pivot *p, uint32_t other)
{
    for (uint32_t k = 0; k < p->sweep->key_count; k++)
        if (k != other && !is_seed(p, k) && varies(p, k))
            return k;
    return UINT32_MAX;
}

/* Tells whether neighbours that differ in their seeds alone have the same value, all of them. */
static bool are_seeds_idle(const struct pivot *p)
{
    const double *values = p->sweep->values;
    uint32_t same = 0;
    for (uint32_t i = 1; i < p->sweep->point_count; i++)
        if (strcmp(value_of(p, i, ROW), value_of(p, i - 1, ROW)) == 0 &&
            strcmp(value_of(p, i, p->column_key), value_of(p, i - 1, p->column_key)) == 0 &&
            ++same > 0 && !(values[i] == values[i - 1]))
            return false;
    return same > 0;
}

/* "srtf, startup=50s" */
static void name_rows(struct pivot *p)
{
    struct hs_arena *arena = &p->sweep->call->arena;
    p->rows = hs_arena_alloc(arena, p->sweep->point_count * sizeof *p->rows);
    for (uint32_t k = 0; k < p->sweep->key_count; k++) {
        const bool is_part = k != p->column_key && !is_seed(p, k) && varies(p, k);
        for (uint32_t i = 0; is_part && i < p->sweep->point_count; i++) {
            const char *key = p->sweep->keys[k], *value = value_of(p, i, k);
            const char *text = HS_TEXT("%s, %s=%s", value_of(p, i, ROW), key, value);
            p->rows[i] = k == p->row_key ? value : hs_arena_text(arena, text, strlen(text));
        }
    }
}

/* Formats the mean of a cell; "-" without a point. */
static void cell_text(const struct pivot *p, const char *row, const char *column,
                      char text[HS_TABLE_TIME_SIZE])
{
    const double *values = p->sweep->values;
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sweep->point_count; i++) {
        if (isnan(values[i]) || strcmp(value_of(p, i, ROW), row) != 0 ||
            strcmp(value_of(p, i, p->column_key), column) != 0)
            continue;
        sum += values[i];
        count++;
    }
    if (count == 0)
        (void)snprintf(text, HS_TABLE_TIME_SIZE, "-");
    else if (strcmp(p->sweep->metric_unit, "s") == 0)
        hs_table_time(text, sum / count);
    else
        (void)snprintf(text, HS_TABLE_TIME_SIZE, "%.6g", sum / count);
}

static void say_pivot(const struct hs_sweep *sweep)
{
    struct pivot pivot = {.sweep = sweep}, *p = &pivot;
    struct hs_output *out = &sweep->call->out;
    const uint32_t terminal = sweep->call->terminal.columns;
    const char *before = ", mean over ";
    char text[HS_TABLE_TIME_SIZE];
    p->row_key = pick_key(p, UINT32_MAX);
    p->column_key = p->row_key != UINT32_MAX ? pick_key(p, p->row_key) : UINT32_MAX;
    name_rows(p);
    struct heads rows = find_heads(p, ROW, TABLE_ROWS_MAX, ROW_WIDTH, ROW_WIDTH_MAX);
    struct heads columns =
        find_heads(p, p->column_key, TABLE_COLUMNS_MAX, COLUMN_WIDTH, COLUMN_WIDTH_MAX);
    uint32_t room = terminal > rows.width ? (terminal - rows.width) / columns.width : 0;
    room += room == 0;
    if (columns.count > room) {
        columns.count = room;
        columns.are_cut = true;
    }
    hs_say(out, "\n%s", sweep->options->metric); /* "mean_jct, mean over seed" */
    for (uint32_t k = 0; k < sweep->key_count; k++)
        if (is_seed(p, k) && varies(p, k)) {
            hs_say(out, "%s%s", before, sweep->keys[k]);
            before = ", ";
        }
    hs_say(out, "\n");
    if (columns.key != UINT32_MAX) { /* the key of the columns precedes their values */
        hs_say(out, "%*.*s", (int)rows.width, (int)rows.width, sweep->keys[columns.key]);
        for (uint32_t c = 0; c < columns.count; c++)
            hs_say(out, "%*.*s", (int)columns.width, (int)columns.width - 1, columns.values[c]);
        hs_say(out, "\n");
    }
    for (uint32_t r = 0; r < rows.count; r++) {
        hs_say(out, "%-*.*s", (int)rows.width, (int)rows.width - 1, rows.values[r]);
        for (uint32_t c = 0; c < columns.count; c++) {
            cell_text(p, rows.values[r], columns.values[c], text);
            hs_say(out, "%*s", (int)columns.width, text);
        }
        hs_say(out, "\n");
    }
    if (are_seeds_idle(p))
        hs_say(out, "the same at every seed: " HS_NOTHING_DRAWN "\n");
    static const char cut[] = "not all values of %s are shown: sweep.csv has them\n";
    if (columns.are_cut)
        hs_say(out, cut, sweep->keys[p->column_key]);
    if (rows.are_cut)
        hs_say(out, cut, sweep->keys[p->row_key]);
}

/* ---- the verb ---- */

static enum hs_status all_points(struct hs_sweep *sweep)
{
    const struct hs_run_options *options = sweep->options;
    if (options->lists || options->makes) {
        (options->lists ? say_list : say_make)(sweep);
        return HS_OK;
    }
    if (options->print_config) {
        hs_config_print(&sweep->config, &sweep->call->out);
        return HS_OK;
    }
    HS_TRY(hs_sweep_plan(sweep));
    if (options->pending || options->status) {
        (options->pending ? say_pending : say_status)(sweep);
        return HS_OK;
    }
    const char *runs = HS_SWEEP_PATH(sweep, HS_RUNS_DIR, "", "");
    HS_TRY(hs_rundir_make_parents(runs, sweep->diag)); /* reported once, not for each point */
    enum hs_status status = options->gathers ? HS_OK : hs_sweep_run_all(sweep);
    if (status == HS_E_INTERRUPTED)
        return status;
    HS_TRY(gather(sweep));
    uint32_t left = sweep->point_count - hs_sweep_count(sweep, HS_POINT_DONE);
    hs_warn_some(sweep->diag, "--status lists them", left, sweep->point_count,
                 "points are not finished");
    say_shape(sweep);
    if (left < sweep->point_count) {
        say_pivot(sweep);
        HS_TRY(say_finding(sweep));
    }
    hs_say(&sweep->call->out, "\nfiles       %s/sweep.csv, %s/runs/\n", sweep->dir, sweep->dir);
    return status;
}

static enum hs_status sweep(struct hs_call *call)
{
    const struct hs_run_options *o = call->options;
    struct hs_sweep *sweep = hs_arena_alloc(&call->arena, sizeof *sweep);
    if (o->lists + o->makes + o->pending + o->status + o->gathers + (o->index > 0) > 1)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "one of them at a time",
                       "sweep: more than one of --list, --make, --pending, --status, --gather and "
                       "--index");
    HS_TRY(hs_run_check_looks(call));
    enum hs_status status = read_experiment(sweep, call);
    if (status == HS_OK)
        status = o->index > 0 ? hs_sweep_run_one(sweep) : all_points(sweep);
    hs_message_log_close(&sweep->once);
    return status;
}

const struct hs_verb hs_verb_sweep = {
    .name = "sweep",
    .operands = "EXPERIMENT.json",
    .summary = "Run a grid of options; resume it after an interruption.",
    .details =
        "The experiment is a JSON file: \"config\" has the keys of a run that are the same for all "
        "points, \"grid\" has lists of values to combine, \"zip\" has lists that advance together, "
        "\"list\" has single points; \"name\" is the name of the directory. Numbers may be a "
        "range: \"seed\": \"1..5\". A finished point is never run again, and a failed one does not "
        "stop the others: repeat the command to continue. The directory has runs/ (one run "
        "directory per point), failed/ (messages of failed points), sweep.csv (one row per point: "
        "its values on the axes, then its summary) and manifest.json. scripts/sweep-parallel.sh "
        "and scripts/sweep-slurm.sh run the points on other machines.",
    .examples = {"sweep configs/sweeps/load.json -j 2", "sweep load.json --status",
                 "sweep load.json --index 7"},
    .options = hs_sweep_option_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = sweep,
};
