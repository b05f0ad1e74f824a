/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table at the end of `horus run` and `horus compare`: one row a run, the columns that a reader
 * of scheduling papers looks for first, as many of them as the terminal is wide.
 *
 * A cell is the value, '*' if it is the best of its column, and from the second row on the change
 * against the first row. For humans only: numbers are rounded here, never in files.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

#define PART_SIZE   HS_TABLE_TIME_SIZE
#define CELL_SIZE   64
#define SPARK_CELLS 24u
#define GAP         2u

enum column_kind { COLUMN_TIME, COLUMN_SHARE, COLUMN_RATIO };

struct column {
    const char *metric, *title;
    enum column_kind kind;
    bool is_more_better;
    bool is_of_sharing; /* says something only where jobs have shared GPUs */
};

/* In order of importance: a narrow terminal loses the last ones. */
static const struct column columns[] = {
    {"mean_jct", "mean JCT", COLUMN_TIME, false, false},
    {"mean_wait", "mean wait", COLUMN_TIME, false, false},
    {"makespan", "makespan", COLUMN_TIME, false, false},
    {"gpu_allocation", "GPUs held", COLUMN_SHARE, true, false},
    {"mean_run_slowdown", "run slowdown", COLUMN_RATIO, false, true},
    {"p99_run_slowdown", "p99 run slowdown", COLUMN_RATIO, false, true},
    {"p99_jct", "p99 JCT", COLUMN_TIME, false, false},
    {"p50_jct", "p50 JCT", COLUMN_TIME, false, false},
    {"p99_wait", "p99 wait", COLUMN_TIME, false, false},
    {"mean_bounded_slowdown", "slowdown", COLUMN_RATIO, false, false},
    {"gpu_utilization", "GPU util", COLUMN_SHARE, true, false},
};
#define COLUMNS (sizeof columns / sizeof *columns)

struct cell {
    char text[CELL_SIZE];
    bool is_best;
};

struct layout {
    uint32_t width[COLUMNS];
    uint32_t label_width;
    uint32_t shown;
    bool has_spark;
};

void hs_table_time(char text[HS_TABLE_TIME_SIZE], double seconds)
{
    double size = fabs(seconds);
    if (size < 999.95)
        snprintf(text, HS_TABLE_TIME_SIZE, "%.1f s", seconds);
    else if (size < 100 * 3600.0)
        snprintf(text, HS_TABLE_TIME_SIZE, "%.2f h", seconds / 3600);
    else
        snprintf(text, HS_TABLE_TIME_SIZE, "%.2f d", seconds / 86400);
}

static void format_value(char *text, enum column_kind kind, double value)
{
    if (isnan(value))
        snprintf(text, PART_SIZE, "-");
    else if (kind == COLUMN_TIME)
        hs_table_time(text, value);
    else if (kind == COLUMN_SHARE)
        snprintf(text, PART_SIZE, "%.1f %%", 100 * value);
    else
        snprintf(text, CELL_SIZE, value < 1e6 ? "%.2f" : "%.3g", value);
}

/* The change against the first row, "" if there is none: relative, in points for shares. */
static void format_delta(char *text, enum column_kind kind, double value, double first)
{
    double change = kind == COLUMN_SHARE ? 100 * (value - first) : 100 * (value / first - 1);
    text[0] = '\0';
    if (!isfinite(change))
        return;
    const char *unit = kind == COLUMN_SHARE ? "" : "%";
    if (fabs(change) < 1000)
        snprintf(text, PART_SIZE, " %+.1f%s", change, unit);
    else
        snprintf(text, PART_SIZE, " %+.3g%s", change, unit);
}

static double value_of(const struct hs_table_row *row, size_t column)
{
    return hs_summary_get(row->summary, columns[column].metric);
}

/* The best value of a column; NaN when fewer than two rows have one. */
static double best_of(const struct hs_table_row *rows, uint32_t count, size_t column)
{
    double best = (double)NAN;
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++) {
        double value = value_of(&rows[i], column);
        if (isnan(value))
            continue;
        known++;
        if (isnan(best) || (columns[column].is_more_better ? value > best : value < best))
            best = value;
    }
    return known >= 2 ? best : (double)NAN;
}

static struct cell make_cell(const struct hs_table_row *rows, uint32_t row, size_t column,
                             double best)
{
    struct cell cell;
    char number[PART_SIZE], delta[PART_SIZE] = "";
    enum column_kind kind = columns[column].kind;
    double value = value_of(&rows[row], column);
    format_value(number, kind, value);
    if (row > 0)
        format_delta(delta, kind, value, value_of(&rows[0], column));
    cell.is_best = value == best;
    snprintf(cell.text, sizeof cell.text, "%s%s%s", number, cell.is_best ? " *" : "", delta);
    return cell;
}

/* Whether the column says anything: some run has a value, and what is of sharing was shared. */
static bool is_known(const struct hs_table_row *rows, uint32_t count, size_t column)
{
    bool is_known = false, is_shared = !columns[column].is_of_sharing;
    for (uint32_t i = 0; i < count; i++) {
        is_known = is_known || !isnan(value_of(&rows[i], column));
        is_shared = is_shared || hs_summary_get(rows[i].summary, "colocated_share") > 0;
    }
    return is_known && is_shared;
}

/* Widths of the columns that fit; width 0 = left out. */
static struct layout make_layout(const struct hs_table_row *rows, uint32_t count, uint32_t width)
{
    struct layout layout = {.label_width = 6}; /* "policy" */
    for (uint32_t i = 0; i < count; i++)
        if (strlen(rows[i].label) > layout.label_width)
            layout.label_width = (uint32_t)strlen(rows[i].label);
    uint32_t used = layout.label_width;
    for (size_t c = 0; c < COLUMNS; c++) {
        uint32_t need = (uint32_t)strlen(columns[c].title);
        double best = best_of(rows, count, c);
        for (uint32_t i = 0; i < count; i++) {
            struct cell cell = make_cell(rows, i, c, best);
            if (strlen(cell.text) > need)
                need = (uint32_t)strlen(cell.text);
        }
        /* the first column stays, however narrow the terminal */
        if (!is_known(rows, count, c) || (layout.shown > 0 && used + GAP + need > width))
            continue;
        layout.width[c] = need;
        layout.shown++;
        used += GAP + need;
    }
    layout.has_spark = used + GAP + SPARK_CELLS <= width;
    return layout;
}

static void put(struct hs_output *out, const char *text)
{
    hs_output_put(out, text, strlen(text));
}

static void put_padding(struct hs_output *out, size_t count)
{
    while (count-- > 0)
        put(out, " ");
}

static void put_right(struct hs_output *out, const char *text, uint32_t width, bool is_marked)
{
    put_padding(out, GAP + width - strlen(text));
    if (is_marked)
        put(out, "\033[1m");
    put(out, text);
    if (is_marked)
        put(out, "\033[0m");
}

/* The summary's line of levels, thinned to SPARK_CELLS by taking the mean of neighbours. */
static void put_spark(struct hs_output *out, const char *levels, bool use_utf8)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
    size_t count = strlen(levels), width = count < SPARK_CELLS ? count : SPARK_CELLS;
    put_padding(out, GAP);
    for (size_t i = 0; i < width; i++) {
        size_t from = i * count / width, to = (i + 1) * count / width;
        size_t sum = 0;
        for (size_t k = from; k < to; k++)
            sum += (size_t)(levels[k] <= '9' ? levels[k] - '0' : levels[k] - 'a' + 10);
        /* 0..15 to 0..8, rounded up so that only an idle cluster is blank */
        size_t step = (sum * 8 + 15 * (to - from) - 1) / (15 * (to - from));
        put(out, use_utf8 ? blocks[step] : ascii[step]);
    }
}

static void put_head(struct hs_output *out, const struct layout *layout)
{
    put(out, "policy");
    put_padding(out, layout->label_width - 6);
    for (size_t c = 0; c < COLUMNS; c++)
        if (layout->width[c] > 0)
            put_right(out, columns[c].title, layout->width[c], false);
    put(out, layout->has_spark ? "  GPUs held over time\n" : "\n");
}

void hs_table_print(struct hs_output *out, const struct hs_table_row *rows, uint32_t count,
                    uint32_t width, bool use_utf8, bool use_color)
{
    struct layout layout = make_layout(rows, count, width);
    put_head(out, &layout);
    for (uint32_t i = 0; i < count; i++) {
        put(out, rows[i].label);
        put_padding(out, layout.label_width - strlen(rows[i].label));
        for (size_t c = 0; c < COLUMNS; c++) {
            if (layout.width[c] == 0)
                continue;
            struct cell cell = make_cell(rows, i, c, best_of(rows, count, c));
            put_right(out, cell.text, layout.width[c], cell.is_best && use_color);
        }
        if (layout.has_spark)
            put_spark(out, rows[i].summary->sparkline, use_utf8);
        put(out, "\n");
    }
}
