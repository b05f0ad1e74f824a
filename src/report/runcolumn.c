/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rules by the name of a metric; the first that matches counts. Rounded for the eye: files have
 * every digit.
 */
#include "report/runcolumn.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

static const struct {
    const char *pattern;
    enum hs_runcolumn_kind kind;
    enum hs_runcolumn_best best;
} rules[] = {
    {"makespan", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"*_wait", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"*_jct", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"mean_pending", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"*_time_to_progress", HS_COLUMN_TIME, HS_BEST_LEAST},
    {"mean_isolated", HS_COLUMN_TIME, HS_BEST_NONE},
    {"*_bound", HS_COLUMN_TIME, HS_BEST_NONE},
    {"makespan_bound_longest", HS_COLUMN_TIME, HS_BEST_NONE},
    {"makespan_bound_work", HS_COLUMN_TIME, HS_BEST_NONE},
    {"*_bound_share", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"*slowdown", HS_COLUMN_RATIO, HS_BEST_LEAST},
    {"fairness_*", HS_COLUMN_RATIO, HS_BEST_MOST},
    {"gpu_sharing", HS_COLUMN_SHARE, HS_BEST_NONE},
    {"gpu_allocation*", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"gpu_utilization*", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"goodput", HS_COLUMN_SHARE, HS_BEST_MOST},
    {"fragmentation", HS_COLUMN_SHARE, HS_BEST_LEAST},
    {"*_share", HS_COLUMN_SHARE, HS_BEST_NONE},
    {"ooms", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"preemptions", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"migrations", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"switches", HS_COLUMN_PLAIN, HS_BEST_NONE},
    {"trials_*", HS_COLUMN_PLAIN, HS_BEST_NONE},
    {"retries", HS_COLUMN_PLAIN, HS_BEST_NONE},
    {"deadline_misses", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"lost_gpu_seconds", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"overhead_gpu_seconds", HS_COLUMN_PLAIN, HS_BEST_LEAST},
    {"mean_queue_length", HS_COLUMN_PLAIN, HS_BEST_LEAST},
};

static const struct {
    const char *metric, *title;
} titles[] = {
    {"mean_jct", "mean JCT"},
    {"p50_jct", "p50 JCT"},
    {"p99_jct", "p99 JCT"},
    {"mean_wait", "mean wait"},
    {"p99_wait", "p99 wait"},
    {"mean_pending", "pending"},
    {"mean_time_to_progress", "to progress"},
    {"mean_run_slowdown", "run slowdown"},
    {"p99_run_slowdown", "p99 run slowdown"},
    {"mean_bounded_slowdown", "slowdown"},
    {"gpu_allocation", "GPUs held"},
    {"gpu_utilization", "GPU util"},
    {"gpu_utilization_loaded", "util loaded"},
    {"ooms", "OOMs"},
    {"trials_kept", "trials kept"},
    {"trials_undone", "undone"},
};

/* Things that most policies never do, or that ought not to happen. */
static const char *const events[] = {"ooms", "switches", "migrations", "trials_kept",
                                     "trials_undone"};

struct hs_runcolumn hs_runcolumn_of(const char *metric)
{
    struct hs_runcolumn column = {.metric = metric, .title = metric, .kind = HS_COLUMN_PLAIN};
    size_t rule = 0, title = 0;
    while (rule < sizeof rules / sizeof *rules && fnmatch(rules[rule].pattern, metric, 0) != 0)
        rule++;
    if (rule < sizeof rules / sizeof *rules) {
        column.kind = rules[rule].kind;
        column.best = rules[rule].best;
    }
    while (title < sizeof titles / sizeof *titles && strcmp(titles[title].metric, metric) != 0)
        title++;
    if (title < sizeof titles / sizeof *titles)
        column.title = titles[title].title;
    column.is_of_sharing = fnmatch("*_run_slowdown", metric, 0) == 0;
    column.is_of_resuming =
        strcmp(metric, "mean_pending") == 0 || strcmp(metric, "mean_time_to_progress") == 0;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        column.is_of_events = column.is_of_events || strcmp(metric, events[i]) == 0;
    return column;
}

void hs_runcolumn_text(const struct hs_runcolumn *column, double value,
                       char text[HS_COLUMN_TEXT_SIZE])
{
    if (isnan(value))
        snprintf(text, HS_COLUMN_TEXT_SIZE, "-");
    else if (column->kind == HS_COLUMN_TIME)
        hs_table_time(text, value);
    else if (column->kind == HS_COLUMN_SHARE)
        snprintf(text, HS_COLUMN_TEXT_SIZE, "%.1f %%", 100 * value);
    else if (column->kind == HS_COLUMN_RATIO)
        snprintf(text, HS_COLUMN_TEXT_SIZE, value < 1e6 ? "%.2f" : "%.3g", value);
    else
        snprintf(text, HS_COLUMN_TEXT_SIZE, value < 1e15 && value == floor(value) ? "%.0f" : "%.4g",
                 value);
}

/* Three digits that count: 0.0874, 0.873, 12.3, 123. */
#define DIGITS_SIZE 12
static void three_digits(char text[DIGITS_SIZE], double value)
{
    snprintf(text, DIGITS_SIZE, value < 99.95 ? "%#.3g" : value < 1e6 ? "%.0f" : "%.3g", value);
}

void hs_runcolumn_ratio_text(double ratio, double low, double high, char text[HS_COLUMN_TEXT_SIZE])
{
    char middle[DIGITS_SIZE], least[DIGITS_SIZE], most[DIGITS_SIZE];
    three_digits(middle, ratio);
    three_digits(least, low);
    three_digits(most, high);
    if (isnan(ratio))
        text[0] = '\0';
    else if (isnan(low) || low == high)
        snprintf(text, HS_COLUMN_TEXT_SIZE, "%sx", middle);
    else
        snprintf(text, HS_COLUMN_TEXT_SIZE, "%sx %s-%s", middle, least, most);
}

void hs_runcolumn_spread_text(double mean, double low, double high, char text[HS_COLUMN_TEXT_SIZE])
{
    double percent = 100 * (high - low) / 2 / fabs(mean);
    text[0] = '\0';
    if (isfinite(percent) && percent > 0)
        snprintf(text, HS_COLUMN_TEXT_SIZE, percent < 1000 ? "+-%.1f%%" : "+-%.3g%%", percent);
}
