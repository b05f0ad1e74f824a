/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a sweep prints: commands and makefiles for whoever launches its points, numbers of points
 * for a job array, how far it is, and at its end a table over its first two axes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/sweep.h"
#include "data/param.h"

#define FAILURES_SHOWN 20u

/* For whom a command is. */
enum reader { BY_SHELL, BY_MAKE };

/* A character between single quotes: the quote itself is the shell's, '$' is make's own. */
static const char *quoted(enum reader reader, char c)
{
    return c == '\'' ? "'\\''" : c == '$' && reader == BY_MAKE ? "$$" : NULL;
}

/* In single quotes where its reader would see more in it than the text. */
static void say_word(struct hs_output *out, enum reader reader, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._=+-/:,@%";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        hs_say(out, "%s", word);
        return;
    }
    hs_output_put(out, "'", 1);
    for (const char *c = word; *c != '\0'; c++) {
        const char *text = quoted(reader, *c);
        hs_output_put(out, text != NULL ? text : c, text != NULL ? strlen(text) : 1);
    }
    hs_output_put(out, "'", 1);
}

/* A run is made of the experiment and of what was given beside it. */
static void say_settings(struct hs_output *out, enum reader reader, const struct hs_sweep *sweep)
{
    char value[4096], pair[4200];
    const struct hs_config *config = &sweep->call->config;
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

static void say_command(struct hs_output *out, enum reader reader, const struct hs_sweep *sweep)
{
    say_word(out, reader, sweep->call->command[0]);
    hs_say(out, " sweep ");
    say_word(out, reader, sweep->file);
    hs_say(out, " -o ");
    say_word(out, reader, sweep->dir);
    say_settings(out, reader, sweep);
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

static void say_failures(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    char text[512];
    uint32_t shown = 0;
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

void hs_sweep_say_status(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    say_shape(sweep);
    hs_say(out, "finished %" PRIu32 ", failed %" PRIu32 ", missing %" PRIu32 "\n",
           hs_sweep_count(sweep, HS_POINT_DONE), hs_sweep_count(sweep, HS_POINT_FAILED),
           hs_sweep_count(sweep, HS_POINT_MISSING));
    say_failures(sweep);
}

/* ---- the table at the end ---- */

/* Rows: the first key that has several values, columns: the next that is no seed; means over the
 * rest. UINT32_MAX: there is none. */
struct pivot {
    const struct hs_sweep *sweep;
    const double *values;
    uint32_t row_key, column_key;
};

static bool is_seed(const char *key)
{
    size_t len = strlen(key);
    return len >= 4 && strcmp(key + len - 4, "seed") == 0;
}

static const char *value_of(const struct pivot *p, uint32_t point, uint32_t key)
{
    const char *text = key != UINT32_MAX ? hs_sweep_value(p->sweep, point, key) : "";
    return text != NULL ? text : "";
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
    for (uint32_t k = 0; k < p->sweep->key_count; k++)
        if (k != other && !is_seed(p->sweep->keys[k]) && varies(p, k))
            return k;
    return UINT32_MAX;
}

/* Is this the first point with its value of that key? */
static bool is_first(const struct pivot *p, uint32_t point, uint32_t key)
{
    for (uint32_t i = 0; i < point; i++)
        if (strcmp(value_of(p, i, key), value_of(p, point, key)) == 0)
            return false;
    return true;
}

static double mean_of(const struct pivot *p, uint32_t row, uint32_t column)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sweep->point_count; i++) {
        if (isnan(p->values[i]) ||
            strcmp(value_of(p, i, p->row_key), value_of(p, row, p->row_key)) != 0 ||
            strcmp(value_of(p, i, p->column_key), value_of(p, column, p->column_key)) != 0)
            continue;
        sum += p->values[i];
        count++;
    }
    return count > 0 ? sum / count : (double)NAN;
}

#define ROW_WIDTH         28u
#define ROW_WIDTH_MAX     44u
#define COLUMN_WIDTH      12u
#define COLUMN_WIDTH_MAX  28u
#define TABLE_ROWS_MAX    64u
#define TABLE_COLUMNS_MAX 16u

/* What the rows or the columns of the table are: the first point with each value of a key. */
struct heads {
    uint32_t key, width, count;
    uint32_t points[TABLE_ROWS_MAX];
    bool are_cut; /* there are more than these */
};

/* As many as there are, or `most`; as wide as the widest of them, and a blank. */
static void find_heads(const struct pivot *p, uint32_t key, uint32_t most, uint32_t width_max,
                       struct heads *heads)
{
    heads->key = key;
    heads->count = 0;
    heads->are_cut = false;
    for (uint32_t i = 0; i < p->sweep->point_count && !heads->are_cut; i++) {
        if (!is_first(p, i, key))
            continue;
        heads->are_cut = heads->count == most;
        if (heads->are_cut)
            break;
        uint32_t width = (uint32_t)strlen(value_of(p, i, key)) + 1;
        if (width > heads->width)
            heads->width = width < width_max ? width : width_max;
        heads->points[heads->count++] = i;
    }
}

static void say_row(const struct pivot *p, const struct heads *rows, uint32_t row,
                    const struct heads *columns)
{
    struct hs_output *out = &p->sweep->call->out;
    int width = (int)rows->width;
    hs_say(out, "%-*.*s", width, width - 1, value_of(p, row, rows->key));
    bool is_time = strcmp(p->sweep->metric_unit, "s") == 0;
    for (uint32_t c = 0; c < columns->count; c++) {
        char text[HS_TABLE_TIME_SIZE] = "-";
        double mean = mean_of(p, row, columns->points[c]);
        if (!isnan(mean) && is_time)
            hs_table_time(text, mean);
        else if (!isnan(mean))
            (void)snprintf(text, sizeof text, "%.6g", mean);
        hs_say(out, "%*s", (int)columns->width, text);
    }
    hs_say(out, "\n");
}

/* "mean_jct, mean over seed". */
static void say_subject(const struct pivot *p)
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
}

/* The key of the columns before their values. */
static void say_heads(const struct pivot *p, uint32_t row_width, const struct heads *columns)
{
    struct hs_output *out = &p->sweep->call->out;
    int width = (int)columns->width;
    if (columns->key == UINT32_MAX)
        return;
    hs_say(out, "%*.*s", (int)row_width, (int)row_width, p->sweep->keys[columns->key]);
    for (uint32_t c = 0; c < columns->count; c++)
        hs_say(out, "%*.*s", width, width - 1, value_of(p, columns->points[c], columns->key));
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
    struct heads rows = {.width = ROW_WIDTH}, columns = {.width = COLUMN_WIDTH};
    find_heads(p, p->row_key, TABLE_ROWS_MAX, ROW_WIDTH_MAX, &rows);
    find_heads(p, p->column_key, TABLE_COLUMNS_MAX, COLUMN_WIDTH_MAX, &columns);
    uint32_t terminal = p->sweep->call->terminal.columns;
    uint32_t room = terminal > rows.width ? (terminal - rows.width) / columns.width : 0;
    if (room == 0)
        room = 1;
    if (columns.count > room) {
        columns.count = room;
        columns.are_cut = true;
    }
    say_subject(p);
    say_heads(p, rows.width, &columns);
    for (uint32_t r = 0; r < rows.count; r++)
        say_row(p, &rows, rows.points[r], &columns);
    say_cut(p, &columns);
    say_cut(p, &rows);
}

enum hs_status hs_sweep_say_end(const struct hs_sweep *sweep)
{
    struct hs_output *out = &sweep->call->out;
    double *values = hs_alloc_zeroed(sweep->point_count, sizeof *values);
    if (values == NULL)
        return hs_fail(&sweep->call->diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    enum hs_status status = hs_sweep_metric(sweep, sweep->options->metric, values);
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
