/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * sweep.csv: the summaries of the points, in the order of the points, each after its values on the
 * axes. Fields are copied as they are, so that the file is the same wherever the points ran. The
 * manifest comes last: it marks a gathered sweep. Then what a sweep prints: commands and makefiles
 * for other launchers, numbers of points for a job array, the state, and at the end a table over
 * its first two axes.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/timeparse.h"
#include "cli/process.h"
#include "cli/record.h"
#include "cli/sweep/sweep.h"
#include "data/param_table.h"
#include "report/run/run_table.h"

#define HEADER_SIZE    65536u
#define FAILURES_SHOWN 20u

static enum hs_status read_summary(const struct hs_sweep *sweep, const struct hs_sweep_point *point,
                                   const struct hs_summary_taker *taker)
{
    uint64_t hash;
    char path[HS_PATH_SIZE];
    hs_sweep_path(sweep, HS_RUNS_DIR, point->name, "/summary.csv", path);
    return hs_record_read_summary(path, taker, &hash, &sweep->call->diag);
}

/* ---- sweep.csv ---- */

struct gathering {
    struct hs_sweep *sweep;
    struct hs_rundir dir; /* in which both files are built */
    char header[HEADER_SIZE];
    size_t header_len;
    uint32_t columns;     /* of a summary */
    uint64_t header_hash; /* of it */
    struct hs_csvw csv;
    const struct hs_sweep_point *point; /* that the row is about */
    uint32_t index;
    struct hs_output_file file;
};

static enum hs_status put_column(struct gathering *g, const char *prefix, const char *name,
                                 struct hs_diag *diag)
{
    size_t room = sizeof g->header - g->header_len;
    int put = snprintf(g->header + g->header_len, room, ",%s%s", prefix, name);
    if (put < 0 || (size_t)put >= room)
        return hs_fail(diag, HS_E_LIMIT, NULL, NULL, "the header of sweep.csv is too long");
    g->header_len += (size_t)put;
    return HS_OK;
}

static uint64_t hash_of_row(const struct hs_csv_row *row)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < row->count; i++)
        hash = hs_hash_of(row->fields[i], row->lengths[i] + 1) + hash * 31;
    return hash;
}

static enum hs_status take_head(void *ctx, const struct hs_csv_row *head, struct hs_diag *diag)
{
    struct gathering *g = ctx;
    if (g->columns > 0) {
        if (hash_of_row(head) == g->header_hash)
            return HS_OK;
        char path[HS_PATH_SIZE];
        hs_sweep_path(g->sweep, HS_RUNS_DIR, g->point->name, "/summary.csv", path);
        return hs_fail(diag, HS_E_INPUT, &(struct hs_place){.file = path, .line = 1},
                       "was it written by another version? remove the run, and sweep again",
                       "its columns are not those of the points before it");
    }
    g->columns = head->count;
    g->header_hash = hash_of_row(head);
    for (uint32_t i = 0; i < head->count; i++)
        HS_TRY(put_column(g, "", head->fields[i], diag));
    return HS_OK;
}

/* The row of a point; one that is not finished has no values of a summary. */
static void take_row(void *ctx, const struct hs_csv_row *row)
{
    static const char *const states[] = {"missing", "done", "failed"};
    struct gathering *g = ctx;
    hs_csvw_u64(&g->csv, (uint64_t)g->index + 1);
    hs_csvw_text(&g->csv, g->point->name);
    hs_csvw_text(&g->csv, states[g->point->state]);
    if (g->point->state == HS_POINT_MISSING)
        hs_csvw_empty(&g->csv);
    else /* a finished one may have failed before */
        hs_csvw_i64(&g->csv, g->point->state == HS_POINT_FAILED ? g->point->exit_code : 0);
    for (uint32_t k = 0; k < g->sweep->key_count; k++)
        hs_csvw_text(&g->csv, hs_sweep_value(g->sweep, g->index, k));
    for (uint32_t i = 0; i < g->columns; i++)
        hs_csvw_text(&g->csv, i < row->count ? row->fields[i] : NULL);
    hs_csvw_end(&g->csv);
}

static void ignore_row(void *ctx, const struct hs_csv_row *row)
{
    (void)ctx, (void)row;
}

/* The columns of the first finished point; they are those of all. */
static enum hs_status make_header(struct gathering *g)
{
    struct hs_sweep *sweep = g->sweep;
    const struct hs_summary_taker taker = {g, take_head, ignore_row};
    g->header_len = (size_t)snprintf(g->header, sizeof g->header, "%s", HS_SWEEP_COLUMNS);
    for (uint32_t k = 0; k < sweep->key_count; k++)
        HS_TRY(put_column(g, "axis_", sweep->keys[k], &sweep->call->diag));
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        g->point = &sweep->points[i];
        if (g->point->state == HS_POINT_DONE)
            return read_summary(sweep, g->point, &taker);
    }
    return HS_OK;
}

static enum hs_status write_rows(struct gathering *g)
{
    const struct hs_summary_taker taker = {g, take_head, take_row};
    const struct hs_csv_row none = {0};
    struct hs_diag *diag = &g->sweep->call->diag;
    char path[HS_PATH_SIZE];
    enum hs_status status = HS_OK;
    HS_TRY(make_header(g));
    hs_rundir_file(&g->dir, "sweep.csv", path, sizeof path);
    HS_TRY(hs_csvw_open(&g->csv, path, g->header, diag));
    for (g->index = 0; g->index < g->sweep->point_count && status == HS_OK; g->index++) {
        g->point = &g->sweep->points[g->index];
        if (g->point->state == HS_POINT_DONE)
            status = read_summary(g->sweep, g->point, &taker);
        else
            take_row(g, &none);
    }
    enum hs_status closed = hs_record_close_csv(&g->csv, "sweep.csv", &g->file, diag);
    return status != HS_OK ? status : closed;
}

/* ---- manifest.json ---- */

static void write_sweep(void *ctx, struct hs_jsonw *w)
{
    const struct hs_sweep *sweep = ctx;
    hs_jsonw_member_object(w, "sweep");
    hs_jsonw_member_text(w, "name", sweep->name);
    hs_jsonw_member_u64(w, "points", sweep->point_count);
    hs_jsonw_member_u64(w, "done", hs_sweep_count(sweep, HS_POINT_DONE));
    hs_jsonw_member_u64(w, "failed", hs_sweep_count(sweep, HS_POINT_FAILED));
    hs_jsonw_member_u64(w, "missing", hs_sweep_count(sweep, HS_POINT_MISSING));
    hs_jsonw_member_array(w, "axes");
    for (uint32_t a = 0; a < sweep->axis_count; a++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_array(w, "keys");
        for (uint32_t k = 0; k < sweep->axes[a].key_count; k++)
            hs_jsonw_text(w, sweep->keys[sweep->axes[a].first_key + k]);
        hs_jsonw_end_array(w);
        hs_jsonw_member_u64(w, "values", sweep->axes[a].rows);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

static enum hs_status write_manifest(struct gathering *g)
{
    struct hs_sweep *sweep = g->sweep;
    const struct hs_manifest_input input = {.role = "experiment",
                                            .path = sweep->file,
                                            .hash = sweep->file_hash,
                                            .bytes = sweep->file_bytes};
    bool is_whole = hs_sweep_count(sweep, HS_POINT_DONE) == sweep->point_count;
    struct hs_manifest manifest = {.status = is_whole ? "complete" : "partial",
                                   .seed = (uint64_t)sweep->base.seed,
                                   .inputs = &input,
                                   .input_count = 1,
                                   .outputs = &g->file,
                                   .output_count = 1,
                                   .write_config = hs_record_config,
                                   .config_ctx = &sweep->config,
                                   .write_more = write_sweep,
                                   .more_ctx = sweep};
    manifest.machine.command = sweep->call->command;
    manifest.machine.host = hs_record_machine(NULL, 0, false).host;
    return hs_record_manifest(&manifest, NULL, &g->dir, &sweep->call->diag);
}

/* A manifest is there only beside the sweep.csv that it describes. */
static enum hs_status publish(const struct gathering *g)
{
    static const char *const files[] = {"sweep.csv", "manifest.json"};
    const char *dir = g->sweep->dir;
    char from[HS_PATH_SIZE], to[HS_PATH_SIZE];
    (void)snprintf(to, sizeof to, "%s/manifest.json", dir);
    if (unlink(to) != 0 && errno != ENOENT)
        return hs_fail(&g->sweep->call->diag, HS_E_IO, &(struct hs_place){.file = to}, NULL,
                       "cannot remove: %s", strerror(errno));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hs_rundir_file(&g->dir, files[i], from, sizeof from);
        (void)snprintf(to, sizeof to, "%s/%s", dir, files[i]);
        if (rename(from, to) != 0)
            return hs_fail(&g->sweep->call->diag, HS_E_IO, &(struct hs_place){.file = to}, NULL,
                           "cannot rename: %s", strerror(errno));
    }
    return HS_OK;
}

/* Two processes that end at the same time gather one after the other, the later for both. */
enum hs_status hs_sweep_gather(struct hs_sweep *sweep)
{
    char path[HS_PATH_SIZE], lock_path[HS_PATH_SIZE];
    struct hs_file_lock lock;
    struct hs_diag *diag = &sweep->call->diag;
    struct gathering *g = hs_arena_alloc(&sweep->call->arena, sizeof *g);
    g->sweep = sweep;
    (void)snprintf(lock_path, sizeof lock_path, "%s/gather.lock", sweep->dir);
    (void)snprintf(path, sizeof path, "%s/gather", sweep->dir);
    HS_TRY(hs_file_lock_take(&lock, lock_path, diag));
    enum hs_status status = hs_sweep_settle(sweep);
    if (status == HS_OK)
        status = hs_rundir_open(&g->dir, path, true, diag);
    if (status == HS_OK) {
        status = write_rows(g);
        if (status == HS_OK)
            status = write_manifest(g);
        if (status == HS_OK)
            status = publish(g);
        hs_rundir_discard(&g->dir);
    }
    hs_file_lock_free(&lock, lock_path);
    return status;
}

/* ---- what is printed ---- */

/* What reads a command. */
enum reader { BY_SHELL, BY_MAKE };

/* In single quotes where its reader would see more in it than the text. Between the quotes the
 * quote itself is the shell's, '$' is make's own. */
static void say_word(struct hs_output *out, enum reader reader, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._=+-/:,@%";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        hs_say(out, "%s", word);
        return;
    }
    hs_output_put(out, "'", 1);
    for (const char *c = word; *c != '\0'; c++)
        if (*c == '\'' || (*c == '$' && reader == BY_MAKE))
            hs_say(out, "%s", *c == '$' ? "$$" : "'\\''");
        else
            hs_output_put(out, c, 1);
    hs_output_put(out, "'", 1);
}

/* The sweep, with the values that were given beside the experiment. */
static void say_command(struct hs_output *out, enum reader reader, const struct hs_sweep *sweep)
{
    char value[4096], pair[4200];
    const struct hs_config *config = &sweep->call->config;
    say_word(out, reader, sweep->call->command[0]);
    hs_say(out, " sweep ");
    say_word(out, reader, sweep->file);
    hs_say(out, " -o ");
    say_word(out, reader, sweep->dir);
    for (size_t i = 0; config->options[i].param.key != NULL; i++) {
        const struct hs_param *param = &config->options[i].param;
        if (config->options[i].is_local || config->origin[i] < HS_FROM_SET)
            continue;
        (void)hs_param_print(param, config->base, value, sizeof value);
        (void)snprintf(pair, sizeof pair, "%s=%s", param->key, value);
        hs_say(out, " --set ");
        say_word(out, reader, pair);
    }
}

void hs_sweep_say_list(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        say_command(out, BY_SHELL, sweep);
        hs_say(out, " --index %" PRIu32 "\n", i + 1);
    }
}

/* A point that fails stops its target, not those of others (make -k). */
void hs_sweep_say_make(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    hs_say(out, "# make -k -j 8 -f FILE\n.PHONY: all");
    for (uint32_t i = 0; i < sweep->point_count; i++)
        hs_say(out, " %" PRIu32, i + 1);
    hs_say(out, "\nall:");
    for (uint32_t i = 0; i < sweep->point_count; i++)
        hs_say(out, " %" PRIu32, i + 1);
    hs_say(out, "\n\t");
    say_command(out, BY_MAKE, sweep);
    hs_say(out, " --gather\n");
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        hs_say(out, "%" PRIu32 ":\n\t@", i + 1);
        say_command(out, BY_MAKE, sweep);
        hs_say(out, " --index $@\n");
    }
}

void hs_sweep_say_pending(const struct hs_sweep *sweep)
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

/* "90 points: 6 policy x 5 load x 3 seed". */
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

void hs_sweep_say_status(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    char text[512];
    uint32_t shown = 0;
    say_shape(sweep);
    hs_say(out, "finished %" PRIu32 ", failed %" PRIu32 ", missing %" PRIu32 "\n",
           hs_sweep_count(sweep, HS_POINT_DONE), hs_sweep_count(sweep, HS_POINT_FAILED),
           hs_sweep_count(sweep, HS_POINT_MISSING));
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        const struct hs_sweep_point *point = &sweep->points[i];
        if (point->state != HS_POINT_FAILED || shown++ >= FAILURES_SHOWN)
            continue;
        hs_sweep_point_text(sweep, i, text, sizeof text);
        hs_say(out, "\n  point %" PRIu32 "  %s\n    exit %" PRId32 "  ", i + 1, text,
               point->exit_code);
        hs_sweep_failure_text(sweep, point, text, sizeof text);
        hs_say(out, "%s\n    %s/failed/%s.log\n", text, sweep->dir, point->name);
    }
    if (shown > FAILURES_SHOWN)
        hs_say(out, "\n  and %" PRIu32 " more in %s/failed/\n", shown - FAILURES_SHOWN, sweep->dir);
}

/* ---- the table at the end ---- */

struct metric {
    const char *name;
    uint32_t column;
    double value;
};

static enum hs_status find_metric(void *ctx, const struct hs_csv_row *head, struct hs_diag *diag)
{
    struct metric *m = ctx;
    m->column = hs_csv_column(head, m->name);
    if (m->column < head->count)
        return HS_OK;
    return hs_fail(diag, HS_E_INPUT, NULL, "was it written by another version?",
                   "a summary has no column '%s'", m->name);
}

static void take_metric(void *ctx, const struct hs_csv_row *row)
{
    struct metric *m = ctx;
    if (m->column >= row->count ||
        !hs_parse_double(row->fields[m->column], row->lengths[m->column], &m->value))
        m->value = (double)NAN;
}

/* The figures of a metric in the order of points, NaN = none; read from the summaries. */
static enum hs_status read_metric(const struct hs_sweep *sweep, const char *name, double *values)
{
    struct metric m = {.name = name};
    const struct hs_summary_taker taker = {&m, find_metric, take_metric};
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        values[i] = (double)NAN;
        if (sweep->points[i].state != HS_POINT_DONE)
            continue;
        HS_TRY(read_summary(sweep, &sweep->points[i], &taker));
        values[i] = m.value;
    }
    return HS_OK;
}

/* Rows: the values of the first key that has several; columns: those of the next that is no seed;
 * cells: means over the rest. A key is UINT32_MAX where there is none. */
struct pivot {
    const struct hs_sweep *sweep;
    const double *values;
    uint32_t row_key, column_key;
};

#define ROW_WIDTH         28u
#define ROW_WIDTH_MAX     44u
#define COLUMN_WIDTH      12u
#define COLUMN_WIDTH_MAX  28u
#define TABLE_ROWS_MAX    64u
#define TABLE_COLUMNS_MAX 16u

/* The different values of a key. */
struct heads {
    uint32_t key, width, count;
    const char *values[TABLE_ROWS_MAX];
    bool are_cut; /* there are more than these */
};

static const char *value_of(const struct pivot *p, uint32_t point, uint32_t key)
{
    const char *text = key != UINT32_MAX ? hs_sweep_value(p->sweep, point, key) : "";
    return text != NULL ? text : "";
}

/* As many as there are, or `most`; as wide as the widest of them, and a blank. */
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

static uint32_t pick_key(const struct pivot *p, uint32_t other)
{
    for (uint32_t k = 0; k < p->sweep->key_count; k++) {
        const char *key = p->sweep->keys[k];
        size_t len = strlen(key);
        bool is_seed = len >= 4 && strcmp(key + len - 4, "seed") == 0;
        if (k != other && !is_seed && varies(p, k))
            return k;
    }
    return UINT32_MAX;
}

static double mean_of(const struct pivot *p, const char *row, const char *column)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sweep->point_count; i++) {
        if (isnan(p->values[i]) || strcmp(value_of(p, i, p->row_key), row) != 0 ||
            strcmp(value_of(p, i, p->column_key), column) != 0)
            continue;
        sum += p->values[i];
        count++;
    }
    return count > 0 ? sum / count : (double)NAN;
}

/* "mean_jct, mean over seed"; then the key of the columns before their values. */
static void say_heads(const struct pivot *p, const struct heads *rows, const struct heads *columns)
{
    const struct hs_sweep *sweep = p->sweep;
    struct hs_output *out = &sweep->call->out;
    const char *before = ", mean over ";
    hs_say(out, "\n%s", sweep->options->metric);
    for (uint32_t k = 0; k < sweep->key_count; k++)
        if (k != p->row_key && k != p->column_key && varies(p, k)) {
            hs_say(out, "%s%s", before, sweep->keys[k]);
            before = ", ";
        }
    hs_say(out, "\n");
    if (columns->key == UINT32_MAX)
        return;
    hs_say(out, "%*.*s", (int)rows->width, (int)rows->width, sweep->keys[columns->key]);
    for (uint32_t c = 0; c < columns->count; c++)
        hs_say(out, "%*.*s", (int)columns->width, (int)columns->width - 1, columns->values[c]);
    hs_say(out, "\n");
}

static void say_cut(const struct pivot *p, const struct heads *heads)
{
    if (heads->are_cut)
        hs_say(&p->sweep->call->out, "not all values of %s are shown: sweep.csv has them\n",
               p->sweep->keys[heads->key]);
}

static void say_pivot(const struct pivot *p)
{
    struct hs_output *out = &p->sweep->call->out;
    struct heads rows = find_heads(p, p->row_key, TABLE_ROWS_MAX, ROW_WIDTH, ROW_WIDTH_MAX);
    struct heads columns =
        find_heads(p, p->column_key, TABLE_COLUMNS_MAX, COLUMN_WIDTH, COLUMN_WIDTH_MAX);
    bool is_time = strcmp(p->sweep->metric_unit, "s") == 0;
    uint32_t terminal = p->sweep->call->terminal.columns;
    uint32_t room = terminal > rows.width ? (terminal - rows.width) / columns.width : 0;
    if (room == 0)
        room = 1;
    if (columns.count > room) {
        columns.count = room;
        columns.are_cut = true;
    }
    say_heads(p, &rows, &columns);
    for (uint32_t r = 0; r < rows.count; r++) {
        hs_say(out, "%-*.*s", (int)rows.width, (int)rows.width - 1, rows.values[r]);
        for (uint32_t c = 0; c < columns.count; c++) {
            char text[HS_TABLE_TIME_SIZE] = "-";
            double mean = mean_of(p, rows.values[r], columns.values[c]);
            if (!isnan(mean) && is_time)
                hs_table_time(text, mean);
            else if (!isnan(mean))
                (void)snprintf(text, sizeof text, "%.6g", mean);
            hs_say(out, "%*s", (int)columns.width, text);
        }
        hs_say(out, "\n");
    }
    say_cut(p, &columns);
    say_cut(p, &rows);
}

enum hs_status hs_sweep_say_end(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    double *values = hs_alloc_zeroed(sweep->point_count, sizeof *values);
    enum hs_status status = read_metric(sweep, sweep->options->metric, values);
    if (status == HS_OK) {
        struct pivot p = {.sweep = sweep, .values = values};
        p.row_key = pick_key(&p, UINT32_MAX);
        p.column_key = p.row_key != UINT32_MAX ? pick_key(&p, p.row_key) : UINT32_MAX;
        say_shape(sweep);
        if (hs_sweep_count(sweep, HS_POINT_DONE) > 0)
            say_pivot(&p);
        hs_say(out, "\nfiles       %s/sweep.csv, %s/runs/\n", sweep->dir, sweep->dir);
    }
    hs_free(values);
    return status;
}
