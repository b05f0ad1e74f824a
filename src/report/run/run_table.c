/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One row per run or policy, with as many columns as fit the terminal, most important first. A cell
 * is the value, followed by '*' if it is the best of its column, and below it the ratio to the
 * first row; in the first row the interval of a mean.
 */
#include "report/run/run_table.h"

#include <float.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>

#include "base/rng.h"

/* ---- intervals: mean, then squares about it ---- */

#define UPPER     0.975 /* both tails of a 95 % interval */
#define ROUNDINGS 4.0   /* two means, a quotient, a product: half an epsilon each, doubled */

static const struct hs_replicated nothing = {(double)NAN, (double)NAN, (double)NAN, 0};

/* The mean of non-NaN values is origin + shift, computed from distances to the first value, so that
 * equal values have no spread. */
struct mean {
    double origin, shift;
    uint32_t runs;
};

static struct mean mean_of(const double *values, size_t stride, uint32_t count)
{
    struct mean m = {.runs = 0};
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!isnan(values[i * stride])) {
            m.origin = m.runs++ == 0 ? values[i * stride] : m.origin;
            sum += values[i * stride] - m.origin;
        }
    m.shift = sum / m.runs;
    return m;
}

/* Returns half the length of the interval; NaN below two runs. */
static double half_width(double squares, uint32_t runs)
{
    if (runs < 2)
        return (double)NAN;
    return hs_t_quantile(UPPER, runs - 1) * sqrt(squares / (runs - 1) / runs);
}

struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count)
{
    const struct mean m = mean_of(values, stride, count);
    double squares = 0;
    if (m.runs == 0)
        return nothing;
    for (uint32_t i = 0; i < count; i++) {
        const double away = (values[i * stride] - m.origin) - m.shift;
        squares += isnan(values[i * stride]) ? 0 : away * away;
    }
    const double mean = m.origin + m.shift, half = half_width(squares, m.runs);
    return (struct hs_replicated){mean, mean - half, mean + half, m.runs};
}

struct hs_replicated hs_replicated_ratio(const double *values, const double *firsts, size_t stride,
                                         uint32_t count)
{
    bool has_ratio = false; /* of means: a first is above 0, and no value is negative or unknown */
    for (uint32_t i = 0; i < count; i++) {
        if (!(values[i * stride] >= 0) || !(firsts[i * stride] >= 0))
            return nothing;
        has_ratio = has_ratio || firsts[i * stride] > 0;
    }
    if (!has_ratio)
        return nothing;
    const struct mean of = mean_of(values, stride, count), first = mean_of(firsts, stride, count);
    const double mean = first.origin + first.shift, ratio = (of.origin + of.shift) / mean;
    double squares = 0;
    for (uint32_t i = 0; i < count; i++) { /* then their mean is 0 */
        const double away = values[i * stride] - ratio * firsts[i * stride];
        /* with a value of ratio times its first only rounding errors remain, which are no spread */
        if (!(fabs(away) <= ROUNDINGS * DBL_EPSILON * values[i * stride]))
            squares += away * away;
    }
    const double half = half_width(squares, count) / mean, low = ratio - half;
    return (struct hs_replicated){ratio, low < 0 ? 0 : low, ratio + half, count};
}

/* ---- columns ---- */

const char *hs_table_time(char text[HS_TABLE_TIME_SIZE], double seconds)
{
    double size = fabs(seconds);
    if (size < 999.95)
        snprintf(text, HS_TABLE_TIME_SIZE, "%.1f s", seconds);
    else if (size < 100 * 3600.0)
        snprintf(text, HS_TABLE_TIME_SIZE, "%.2f h", seconds / 3600);
    else
        snprintf(text, HS_TABLE_TIME_SIZE, "%.2f d", seconds / 86400);
    return text;
}

/* By name of a metric; the first match applies; others are PLAIN and NONE. */
static const struct {
    const char *pattern;
    enum hs_runcolumn_kind kind;
    enum hs_runcolumn_best best;
} rules[] = {
    {"makespan", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"*_wait", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"*_jct", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"mean_queueing_delay", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"*_time_to_progress", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"mean_isolated", HS_COLUMN_TIME, HS_BEST_NONE},
    {"*slowdown", HS_COLUMN_RATIO, HS_BEST_LEAST},
    {"*_bound_share", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"*_bound*", HS_COLUMN_TIME, HS_BEST_NONE},
    {"fairness_*", HS_COLUMN_RATIO, HS_BEST_MOST},
    {"*_rho", HS_COLUMN_RATIO, HS_BEST_LEAST},
    {"rho_above_1_share", HS_COLUMN_SHARE, HS_BEST_LEAST},
    {"*energy", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"gpu_sharing", HS_COLUMN_SHARE, HS_BEST_NONE},
    {"gpu_allocation*", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"gpu_utilization*", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"useful_gpu_share", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"fragmentation", HS_COLUMN_SHARE, HS_BEST_LEAST},
    {"deadline_miss_share", HS_COLUMN_SHARE, HS_BEST_LEAST},
    {"*_lateness", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"value_kept_share", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"*_share", HS_COLUMN_SHARE, HS_BEST_NONE},
    {"availability", HS_COLUMN_SHARE, HS_BEST_NONE},
    {"run_time", HS_COLUMN_TIME, HS_BEST_NONE},
    {"mean_time_to_fault", HS_COLUMN_TIME, HS_BEST_NONE},
    {"ettr", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"ooms", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"preemptions", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"migrations", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"deadline_misses", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"deadline_rejected", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"deadline_met_gpu_seconds", HS_COLUMN_PLAIN, HS_BEST_MOST},
    {"value_kept", HS_COLUMN_PLAIN, HS_BEST_MOST},
    {"lost_gpu_seconds", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"overhead_gpu_seconds", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"profile_gpu_seconds", HS_COLUMN_PLAIN, HS_BEST_NONE},
    {"mean_queue_length", HS_COLUMN_PLAIN, HS_BEST_LEAST},
};

#define RUN_COLUMNS 30u /* number of run columns, in order of importance */
static const struct {
    const char *metric, *title; /* title NULL: name of the metric */
    enum hs_runcolumn_shown shown;
} titles[] = {
    {"mean_jct", "mean JCT", HS_SHOWN_ALWAYS},
    {"mean_wait", "mean wait", HS_SHOWN_ALWAYS},
    {"mean_queueing_delay", "queueing", HS_SHOWN_OF_RESUMING},
    {"makespan", NULL, HS_SHOWN_ALWAYS},
    {"n_rejected", "rejected", HS_SHOWN_OF_EVENTS},
    {"deadline_misses", "late", HS_SHOWN_OF_EVENTS},
    {"deadline_miss_share", "missed", HS_SHOWN_ALWAYS},
    {"value_kept_share", "value kept", HS_SHOWN_ALWAYS},
    {"slo_mean_jct", "SLO JCT", HS_SHOWN_ALWAYS},
    {"best_effort_mean_jct", "best-effort JCT", HS_SHOWN_ALWAYS},
    {"mean_rho", "mean rho", HS_SHOWN_ALWAYS},
    {"max_rho", "max rho", HS_SHOWN_ALWAYS},
    {"rho_above_1_share", "rho > 1", HS_SHOWN_ALWAYS},
    {"energy", "energy J", HS_SHOWN_ALWAYS},
    {"ooms", "OOMs", HS_SHOWN_OF_EVENTS},
    {"gpu_allocation", "GPU alloc", HS_SHOWN_ALWAYS},
    {"mean_run_slowdown", "run slowdown", HS_SHOWN_ALWAYS},
    {"p99_run_slowdown", "p99 run slowdown", HS_SHOWN_ALWAYS},
    {"mean_time_to_progress", "to progress", HS_SHOWN_OF_RESUMING},
    {"switches", NULL, HS_SHOWN_OF_EVENTS},
    {"migrations", NULL, HS_SHOWN_OF_EVENTS},
    {"trials_kept", "trials kept", HS_SHOWN_OF_EVENTS},
    {"trials_undone", "undone", HS_SHOWN_OF_EVENTS},
    {"profile_gpu_seconds", "profiling GPU s", HS_SHOWN_OF_EVENTS},
    {"p99_lateness", "p99 lateness", HS_SHOWN_ALWAYS},
    {"p99_jct", "p99 JCT", HS_SHOWN_ALWAYS},
    {"p50_jct", "p50 JCT", HS_SHOWN_ALWAYS},
    {"p99_wait", "p99 wait", HS_SHOWN_ALWAYS},
    {"mean_bounded_slowdown", "slowdown", HS_SHOWN_ALWAYS},
    {"gpu_utilization", "GPU util", HS_SHOWN_ALWAYS},
    {"gpu_utilization_loaded", "util loaded", HS_SHOWN_ALWAYS},
    {"p95_jct", "p95 JCT", HS_SHOWN_ALWAYS},
    {"p95_wait", "p95 wait", HS_SHOWN_ALWAYS},
    {"fairness_jain", "Jain's index", HS_SHOWN_ALWAYS},
};

/* In order of importance: a narrow terminal omits the last ones. */
const char *const hs_compare_columns[] = {"mean_jct",
                                          "mean_wait",
                                          "n_rejected",
                                          "deadline_misses",
                                          "mean_queueing_delay",
                                          "makespan",
                                          "deadline_miss_share",
                                          "value_kept_share",
                                          "slo_mean_jct",
                                          "best_effort_mean_jct",
                                          "p99_lateness",
                                          "ooms",
                                          "profile_gpu_seconds",
                                          "mean_rho",
                                          "rho_above_1_share",
                                          "energy",
                                          "p99_jct",
                                          "p99_wait",
                                          "mean_run_slowdown",
                                          "p99_run_slowdown",
                                          "gpu_utilization_loaded",
                                          NULL};

const char *hs_table_run_column(uint32_t index)
{
    return index < RUN_COLUMNS ? titles[index].metric : NULL;
}

struct hs_runcolumn hs_runcolumn_of(const char *metric)
{
    struct hs_runcolumn column = {.metric = metric, .title = metric, .kind = HS_COLUMN_PLAIN};
    for (size_t i = 0; i < HS_COUNT_OF(rules); i++)
        if (fnmatch(rules[i].pattern, metric, 0) == 0) {
            column.kind = rules[i].kind;
            column.best = rules[i].best;
            break;
        }
    for (size_t i = 0; i < HS_COUNT_OF(titles); i++)
        if (strcmp(titles[i].metric, metric) == 0) {
            column.title = titles[i].title != NULL ? titles[i].title : metric;
            column.shown = titles[i].shown;
        }
    if (fnmatch("*_run_slowdown", metric, 0) == 0)
        column.shown = HS_SHOWN_OF_SHARING;
    return column;
}

const char *hs_runcolumn_text(const struct hs_runcolumn *column, double value,
                              char text[HS_COLUMN_TEXT_SIZE])
{
    if (isnan(value))
        snprintf(text, HS_COLUMN_TEXT_SIZE, "-");
    else if (column->kind == HS_COLUMN_TIME)
        return hs_table_time(text, value);
    else if (column->kind == HS_COLUMN_SHARE)
        snprintf(text, HS_COLUMN_TEXT_SIZE, "%.1f %%", 100 * value);
    else if (column->kind == HS_COLUMN_RATIO)
        snprintf(text, HS_COLUMN_TEXT_SIZE, value < 1e6 ? "%.2f" : "%.3g", value);
    else
        snprintf(text, HS_COLUMN_TEXT_SIZE, value < 1e15 && value == floor(value) ? "%.0f" : "%.4g",
                 value);
    return text;
}

/* Three significant digits: 0.0874, 0.873, 12.3, 123. */
#define THREE_DIGITS(value)                                                                        \
    HS_TEXT((value) < 99.95 ? "%#.3g" : (value) < 1e6 ? "%.0f" : "%.3g", value)

const char *hs_runcolumn_ratio_text(double ratio, double low, double high,
                                    char text[HS_COLUMN_TEXT_SIZE])
{
    const bool is_point = isnan(low) || low == high;
    text[0] = '\0';
    if (!isnan(ratio))
        snprintf(text, HS_COLUMN_TEXT_SIZE, is_point ? "%sx" : "%sx %s-%s", THREE_DIGITS(ratio),
                 THREE_DIGITS(low), THREE_DIGITS(high));
    return text;
}

const char *hs_runcolumn_spread_text(double mean, double low, double high,
                                     char text[HS_COLUMN_TEXT_SIZE])
{
    double percent = 100 * (high - low) / 2 / fabs(mean);
    text[0] = '\0';
    if (isfinite(percent) && percent > 0)
        snprintf(text, HS_COLUMN_TEXT_SIZE, percent < 1000 ? "+-%.1f%%" : "+-%.3g%%", percent);
    return text;
}

/* ---- the table ---- */

#define SPARK_CELLS 24u
#define GAP         2u
#define LABEL_WIDTH 28u /* a longer label has its own line */
#define COLUMNS_MAX HS_METRICS_MAX

struct column {
    struct hs_runcolumn how;
    double best; /* NaN: no value is marked */
    uint32_t width, mark_width;
};

struct layout {
    const struct hs_run_table *table;
    struct column columns[COLUMNS_MAX];
    uint32_t count, label_width;
    bool has_spark;
};

/* Blanks are buffered, so that no line ends with blanks. */
struct line {
    struct hs_output *out;
    uint32_t blanks;
};

static double value_of(const struct hs_table_row *row, const char *metric)
{
    return hs_summary_get(row->summary, metric);
}

const char *hs_table_below(const struct hs_table_row *row, const char *metric,
                           char text[HS_COLUMN_TEXT_SIZE])
{
    const struct hs_replicated *all = row->ratios != NULL ? row->ratios : row->means;
    text[0] = '\0';
    for (uint32_t m = 0; all != NULL && m < row->summary->count; m++) {
        if (strcmp(row->summary->metrics[m].name, metric) != 0)
            continue;
        return row->ratios != NULL
                   ? hs_runcolumn_ratio_text(all[m].value, all[m].low, all[m].high, text)
                   : hs_runcolumn_spread_text(all[m].value, all[m].low, all[m].high, text);
    }
    return text;
}

double hs_table_best(const struct hs_run_table *table, const struct hs_runcolumn *how)
{
    double best = (double)NAN;
    bool is_one_better = false;
    for (uint32_t i = 0; i < table->row_count && how->best != HS_BEST_NONE; i++) {
        double value = value_of(&table->rows[i], how->metric);
        if (isnan(value) || value == best)
            continue;
        is_one_better = is_one_better || !isnan(best);
        if (isnan(best) || (how->best == HS_BEST_MOST ? value > best : value < best))
            best = value;
    }
    return is_one_better ? best : (double)NAN;
}

bool hs_table_is_telling(const struct hs_run_table *table, const struct hs_runcolumn *how)
{
    bool is_known = false, is_met = how->shown <= HS_SHOWN_OF_EVENTS;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const double value = value_of(&table->rows[i], how->metric);
        is_known |= how->shown == HS_SHOWN_OF_EVENTS ? value > 0 : !isnan(value);
        is_met |= how->shown == HS_SHOWN_OF_SHARING
                      ? value_of(&table->rows[i], "colocated_share") > 0
                      : value > value_of(&table->rows[i], "mean_wait");
    }
    return is_known && is_met;
}

void hs_runcolumn_assume(struct hs_runcolumn *column)
{
    if (strncmp(column->metric, "gpu_utilization", 15) == 0 && column->title != column->metric)
        column->title = strcmp(column->metric, "gpu_utilization") == 0 ? "assumed GPU util"
                                                                       : "assumed util loaded";
}

bool hs_table_is_assumed(const struct hs_run_table *table, const char *metric)
{
    uint32_t i = 0;
    while (i < table->row_count && !(value_of(&table->rows[i], HS_ASSUMED_SHARE) > 0))
        i++;
    return i < table->row_count && strncmp(metric, "gpu_utilization", 15) == 0;
}

static uint32_t widest(uint32_t width, const char *text)
{
    uint32_t len = (uint32_t)strlen(text);
    return len > width ? len : width;
}

static struct column column_of(const struct hs_run_table *table, const char *metric)
{
    struct column column = {.how = hs_runcolumn_of(metric)};
    column.best = hs_table_best(table, &column.how);
    column.mark_width = isnan(column.best) ? 0 : 2;
    if (hs_table_is_assumed(table, metric))
        hs_runcolumn_assume(&column.how);
    column.width = widest(0, column.how.title);
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct hs_table_row *row = &table->rows[i];
        column.width = widest(column.width, HS_COLUMN_TEXT(&column.how, value_of(row, metric)));
        column.width = widest(column.width, HS_BELOW(row, metric));
    }
    return column;
}

static void put(struct line *line, const char *text)
{
    if (text[0] != '\0')
        hs_say(line->out, "%*s%s", (int)line->blanks, "", text);
    line->blanks = text[0] != '\0' ? 0 : line->blanks;
}

static void end_line(struct line *line)
{
    hs_output_put(line->out, "\n", 1);
    line->blanks = 0;
}

/* Writes a right-aligned cell with space for the mark. */
static void put_cell(struct line *line, const struct column *column, const char *text, bool is_best,
                     bool is_bold)
{
    line->blanks += GAP + column->width - (uint32_t)strlen(text);
    put(line, is_bold ? "\033[1m" : "");
    put(line, text);
    put(line, is_best ? " *" : "");
    put(line, is_bold ? "\033[0m" : "");
    line->blanks += is_best ? 0 : column->mark_width;
}

/* Draws the summary's levels, reduced to SPARK_CELLS by averaging neighbours. */
static void put_spark(struct line *line, const char *levels, bool use_utf8)
{
    static const char *const blocks[] = {"", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {"", ".", ":", "-", "=", "+", "*", "%", "#"};
    size_t count = strlen(levels), width = count < SPARK_CELLS ? count : SPARK_CELLS;
    line->blanks += GAP;
    for (size_t i = 0; i < width; i++) {
        size_t from = i * count / width, to = (i + 1) * count / width;
        size_t sum = 0;
        for (size_t k = from; k < to; k++)
            sum += (size_t)(levels[k] <= '9' ? levels[k] - '0' : levels[k] - 'a' + 10);
        /* 0..15 to 0..8, rounded up so that only an idle cluster is blank */
        size_t step = (sum * 8 + 15 * (to - from) - 1) / (15 * (to - from));
        put(line, use_utf8 ? blocks[step] : ascii[step]);
        line->blanks += step == 0;
    }
}

/* Prints the values of a row, and ratios or intervals below them. */
static void put_row(struct line *line, const struct layout *layout, const struct hs_table_row *row)
{
    const uint32_t width = layout->label_width, length = (uint32_t)strlen(row->label);
    bool is_any = false;
    put(line, row->label);
    if (length > width)
        end_line(line);
    line->blanks += length > width ? width : width - length;
    for (uint32_t c = 0; c < layout->count; c++) {
        const struct column *column = &layout->columns[c];
        double value = value_of(row, column->how.metric);
        bool is_best = value == column->best;
        put_cell(line, column, HS_COLUMN_TEXT(&column->how, value), is_best,
                 is_best && layout->table->use_color);
    }
    if (layout->has_spark)
        put_spark(line, row->summary->sparkline, layout->table->use_utf8);
    end_line(line);
    line->blanks = width;
    for (uint32_t c = 0; c < layout->count; c++) {
        const char *text = HS_BELOW(row, layout->columns[c].how.metric);
        is_any = is_any || text[0] != '\0';
        put_cell(line, &layout->columns[c], text, false, false);
    }
    if (is_any)
        end_line(line);
    line->blanks = 0;
}

void hs_table_print(struct hs_output *out, const struct hs_run_table *table)
{
    struct layout layout = {.table = table, .label_width = widest(0, "policy")};
    struct line line = {.out = out};
    for (uint32_t i = 0; i < table->row_count; i++)
        if (strlen(table->rows[i].label) <= LABEL_WIDTH)
            layout.label_width = widest(layout.label_width, table->rows[i].label);
    uint32_t used = layout.label_width;
    for (uint32_t i = 0; layout.count < COLUMNS_MAX; i++) {
        const char *metric = table->metrics != NULL ? table->metrics[i] : hs_table_run_column(i);
        if (metric == NULL)
            break;
        const struct column column = column_of(table, metric);
        const uint32_t need = GAP + column.width + column.mark_width;
        /* the first column is always shown */
        if (!table->shows_all && (!hs_table_is_telling(table, &column.how) ||
                                  (layout.count > 0 && used + need > table->columns)))
            continue;
        layout.columns[layout.count++] = column;
        used += need;
    }
    layout.has_spark = used + GAP + SPARK_CELLS <= table->columns;
    for (uint32_t i = 0; i < table->row_count; i++)
        layout.has_spark = layout.has_spark && table->rows[i].summary->sparkline[0] != '\0';
    put(&line, "policy");
    line.blanks += layout.label_width - (uint32_t)strlen("policy");
    for (uint32_t c = 0; c < layout.count; c++)
        put_cell(&line, &layout.columns[c], layout.columns[c].how.title, false, false);
    put(&line, layout.has_spark ? "  GPU allocation over time" : "");
    end_line(&line);
    for (uint32_t i = 0; i < table->row_count; i++)
        put_row(&line, &layout, &table->rows[i]);
}

#define HARDLY 0.01 /* share of the completion time that counts as no waiting */

/* ---- Pareto points ---- */

static const char *const aims[] = {"mean_jct", "p99_jct", "fairness_jain", NULL};

static bool is_known(const struct hs_run_table *table, const char *metric)
{
    for (uint32_t i = 0; i < table->row_count; i++)
        if (isnan(value_of(&table->rows[i], metric)))
            return false;
    return true;
}

bool hs_table_is_pareto(const struct hs_run_table *table, const char *const *metrics, uint32_t row)
{
    for (uint32_t i = 0; i < table->row_count; i++) {
        bool is_as_good = true, is_better = false;
        for (const char *const *m = metrics != NULL ? metrics : aims; *m != NULL; m++) {
            const double sign = hs_runcolumn_of(*m).best == HS_BEST_MOST ? -1 : 1;
            const double own = sign * value_of(&table->rows[row], *m);
            const double other = sign * value_of(&table->rows[i], *m);
            if (!is_known(table, *m))
                continue;
            is_as_good &= other <= own;
            is_better |= other < own;
        }
        if (is_as_good && is_better)
            return false;
    }
    return true;
}

const char *hs_table_aims(const struct hs_run_table *table, char text[HS_FINDING_SIZE])
{
    text[0] = '\0';
    for (const char *const *m = aims; *m != NULL; m++)
        if (is_known(table, *m))
            hs_append(text, HS_FINDING_SIZE, "%s%s", text[0] != '\0' ? ", " : "",
                      hs_runcolumn_of(*m).title);
    return text;
}

/* ---- the finding ---- */

static void find_of_one(const struct hs_summary *s, char *text)
{
    static const struct {
        const char *metric, *why;
    } causes[] = {{"wait_resources_gpu_seconds", "too few free GPUs"},
                  {"wait_placement_gpu_seconds", "fragmentation or placement constraints"},
                  {"wait_quota_gpu_seconds", "quotas"},
                  {"wait_priority_gpu_seconds", "head-of-line blocking or lower priority"}};
    const double jct = hs_summary_get(s, "mean_jct"),
                 wait = hs_summary_get(s, "mean_queueing_delay");
    double sum = 0, most = 0;
    size_t main = 0;
    for (size_t i = 0; i < HS_COUNT_OF(causes); i++) {
        const double value = hs_summary_get(s, causes[i].metric);
        sum += value > 0 ? value : 0;
        main = value > most ? i : main;
        most = value > most ? value : most;
    }
    if (!(jct > 0))
        return;
    hs_append(text, HS_FINDING_SIZE, "The mean JCT is %s", HS_TIME(jct));
    if (!(wait >= HARDLY * jct))
        hs_append(text, HS_FINDING_SIZE, ", with hardly any waiting.");
    else if (!(most > 0))
        hs_append(text, HS_FINDING_SIZE, ", of which %s is without GPUs.", HS_TIME(wait));
    else
        hs_append(text, HS_FINDING_SIZE,
                  ", of which %s is without GPUs: %.0f %% of the waiting is due to %s.",
                  HS_TIME(wait), 100 * most / sum, causes[main].why);
}

/* The row with the least or most of a metric; `best` unless another has less or more. */
static uint32_t row_with(const struct hs_run_table *table, const char *metric, bool is_most,
                         uint32_t best)
{
    for (uint32_t i = 0; i < table->row_count; i++) {
        const double value = value_of(&table->rows[i], metric);
        const double than = value_of(&table->rows[best], metric);
        best = (is_most ? value > than : value < than) ? i : best;
    }
    return best;
}

/* Returns the ratio of a row's metric to that of the first row; NaN where there is one seed. */
static struct hs_replicated ratio_of(const struct hs_run_table *table, uint32_t row,
                                     const char *metric)
{
    const struct hs_table_row *r = &table->rows[row];
    for (uint32_t m = 0; r->ratios != NULL && m < r->summary->count; m++)
        if (strcmp(r->summary->metrics[m].name, metric) == 0)
            return r->ratios[m];
    return row == 0 ? (struct hs_replicated){1, 1, 1, 0} : nothing;
}

/* Tells whether the intervals of two rows overlap, so that it is not known which has less. */
static bool is_chance(const struct hs_run_table *table, const char *metric, uint32_t a, uint32_t b)
{
    const struct hs_replicated x = ratio_of(table, a, metric), y = ratio_of(table, b, metric);
    return (x.low < x.high || y.low < y.high) && x.low <= y.high && y.low <= x.high;
}

/* Says what may make a mean shorter besides the order of jobs. */
static void find_terms(const struct hs_table_row *row, const struct hs_table_row *than, char *text)
{
    static const struct {
        const char *can, *words;
    } terms[] = {{"co-locate", "jobs may share GPUs"},
                 {"resize any", "any job may get more or fewer GPUs than it requests"},
                 {"host", "jobs may get other CPUs and host memory than their share"}};
    const char *can = row->can != NULL ? row->can : "", *other = than->can != NULL ? than->can : "";
    const double fewer = value_of(than, "n_done") - value_of(row, "n_done");
    const double assumed = value_of(row, HS_ASSUMED_SHARE);
    for (size_t i = 0; i < HS_COUNT_OF(terms); i++)
        if (strstr(can, terms[i].can) != NULL && strstr(other, terms[i].can) == NULL)
            hs_append(text, HS_FINDING_SIZE, " Under %.80s, unlike %.80s, %s.", row->label,
                      than->label, terms[i].words);
    if (fewer > 0)
        hs_append(text, HS_FINDING_SIZE, " Under %.80s %g fewer jobs were completed.", row->label,
                  fewer);
    if (assumed > 0)
        hs_append(text, HS_FINDING_SIZE, " The profiles of %.0f %% of the jobs are assumed.",
                  100 * assumed);
}

static void say_soonest(const struct hs_run_table *table, uint32_t best, char *text)
{
    const double jct = value_of(&table->rows[best], "mean_jct");
    uint32_t alike = 0;
    for (uint32_t i = 0; i < table->row_count; i++)
        alike += i != best && value_of(&table->rows[i], "mean_jct") == jct;
    hs_append(text, HS_FINDING_SIZE, "The mean JCT is lowest under %.80s", table->rows[best].label);
    if (alike > 0)
        hs_append(text, HS_FINDING_SIZE, ", and equally low under %u other%s", alike,
                  alike > 1 ? "s" : "");
}

static void find_of_several(const struct hs_run_table *table, char *text)
{
    const uint32_t best = row_with(table, "mean_jct", false, 0);
    const uint32_t worst = row_with(table, "mean_jct", true, 0);
    const struct hs_table_row *row = &table->rows[best], *than = &table->rows[best > 0 ? 0 : worst];
    const double jct = value_of(row, "mean_jct"), other = value_of(than, "mean_jct");
    const struct hs_replicated ratio = ratio_of(table, best, "mean_jct");
    if (isnan(jct) || isnan(other))
        return;
    if (jct == other) {
        hs_append(text, HS_FINDING_SIZE, "The mean JCT is %s under each.", HS_TIME(jct));
        return;
    }
    say_soonest(table, best, text);
    hs_append(text, HS_FINDING_SIZE, ": %s, %.3g times that under %.80s", HS_TIME(jct), jct / other,
              than->label);
    if (ratio.low < ratio.high)
        hs_append(text, HS_FINDING_SIZE, " (%.3g to %.3g with 95 %% confidence)", ratio.low,
                  ratio.high);
    if (table->to_next.low < table->to_next.high && table->to_next.high >= 1)
        hs_append(text, HS_FINDING_SIZE, "; the difference to %.80s may be chance", table->next);
    const uint32_t last = row_with(table, "p99_jct", false, best),
                   fair = row_with(table, "fairness_jain", true, best);
    if (last != best && !is_chance(table, "p99_jct", last, best))
        hs_append(text, HS_FINDING_SIZE, "; the p99 JCT is lowest under %.80s",
                  table->rows[last].label);
    if (fair != best && fair != last && is_known(table, "fairness_jain") &&
        !is_chance(table, "fairness_jain", fair, best))
        hs_append(text, HS_FINDING_SIZE, "; users wait most evenly under %.80s",
                  table->rows[fair].label);
    hs_append(text, HS_FINDING_SIZE, ".");
    find_terms(row, than, text);
}

const char *hs_table_finding(const struct hs_run_table *table, char text[HS_FINDING_SIZE])
{
    text[0] = '\0';
    if (table->row_count == 1)
        find_of_one(table->rows[0].summary, text);
    else if (table->row_count > 1)
        find_of_several(table, text);
    return text;
}
