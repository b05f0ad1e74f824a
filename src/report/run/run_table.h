/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table at the end of `horus run` and `horus compare`, and how tables show a metric: its title,
 * rounding, and which direction is better. Files have all digits.
 */
#pragma once

#include "report/run/manifest.h"

/* ---- intervals ----
 * 95 % intervals over independent runs, by Student's t; NaN is an absent value, in arguments and
 * results. */

struct hs_replicated {
    double value, low, high; /* low and high NaN below two runs */
    uint32_t runs;           /* runs with a value */
};

/* Mean and interval of values[0], values[stride], ... (count of them); NaN values are skipped. */
struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count);

/* Ratio of two policies over pairs of runs with equal seeds, where effects of the seed cancel
 * (common random numbers): the ratio estimator of survey sampling (Cochran, Sampling Techniques,
 * 3rd ed., ch. 6): sum of values / sum of firsts, which is the ratio of the means; interval by t on
 * the residuals values[i] - ratio * firsts[i], at least 0. NaN if a value of a pair is absent or
 * negative, or all firsts are 0. */
struct hs_replicated hs_replicated_ratio(const double *values, const double *firsts, size_t stride,
                                         uint32_t count);

/* ---- columns ---- */

enum hs_runcolumn_kind { HS_COLUMN_TIME, HS_COLUMN_SHARE, HS_COLUMN_RATIO, HS_COLUMN_PLAIN };
enum hs_runcolumn_best { HS_BEST_NONE, HS_BEST_LEAST, HS_BEST_MOST };

struct hs_runcolumn {
    const char *metric, *title; /* title: NULL = the name of the metric */
    enum hs_runcolumn_kind kind;
    enum hs_runcolumn_best best;
    /* events: only if not 0, what most policies never do or what should not happen; sharing: only
     * if jobs shared GPUs; resuming: only if a job waited after its first start */
    enum hs_runcolumn_shown {
        HS_SHOWN_ALWAYS,
        HS_SHOWN_OF_EVENTS,
        HS_SHOWN_OF_SHARING,
        HS_SHOWN_OF_RESUMING
    } shown;
};

struct hs_runcolumn hs_runcolumn_of(const char *metric);
/* Adds to the title of a utilization that it rests on drawn profiles. */
void hs_runcolumn_assume(struct hs_runcolumn *column);

#define HS_COLUMN_TEXT_SIZE 48
/* Formats "12.82 h", "64.9 %", "1.25", "-" for NaN; returns text. */
const char *hs_runcolumn_text(const struct hs_runcolumn *column, double value,
                              char text[HS_COLUMN_TEXT_SIZE]);
#define HS_COLUMN_TEXT(column, value)                                                              \
    hs_runcolumn_text(column, value, (char[HS_COLUMN_TEXT_SIZE]){0})
/* Formats "0.873x", or with an interval of positive length "0.873x 0.861-0.885"; "" for NaN. */
const char *hs_runcolumn_ratio_text(double ratio, double low, double high,
                                    char text[HS_COLUMN_TEXT_SIZE]);

/* Formats half the length of an interval relative to its mean, "+-2.1%"; "" if there is none or its
 * length is 0. */
const char *hs_runcolumn_spread_text(double mean, double low, double high,
                                     char text[HS_COLUMN_TEXT_SIZE]);

/* ---- the table: one row a run or policy ---- */

struct hs_table_row {
    const char *label;
    const struct hs_summary *summary;
    /* For each metric of the summary: ratios to the first row; if NULL, means over several runs
     * with intervals; both may be NULL */
    const struct hs_replicated *ratios, *means;
    const char *can; /* what the policy may do, as on its card; NULL = not stated */
};
struct hs_run_table {
    const struct hs_table_row *rows;
    const char *const *metrics; /* columns, NULL-terminated; NULL: those of a run */
    uint32_t row_count;
    const char *next;             /* label of the row next to the best by mean JCT */
    struct hs_replicated to_next; /* ratio of the best to it, over pairs of runs */
    uint32_t columns; /* width of the terminal: last columns that do not fit are dropped */
    bool shows_all;   /* the columns were requested: none is dropped */
    bool use_utf8, use_color;
};
/* Prints aligned columns, the best value of each marked '*', ratios or intervals below the values,
 * and a sparkline of utilization if every row has one. */
void hs_table_print(struct hs_output *out, const struct hs_run_table *table);
/* Returns the columns of a run in order of importance; NULL after the last. */
const char *hs_table_run_column(uint32_t index);
extern const char *const hs_compare_columns[]; /* likewise of a comparison */
/* Tells whether the column is informative: some row has a value and the conditions of the column
 * (sharing, events, resuming) are met. */
bool hs_table_is_telling(const struct hs_run_table *table, const struct hs_runcolumn *how);
/* The metric with the share of jobs whose utilization is assumed. */
#define HS_ASSUMED_SHARE "assumed_utilization_share"
/* Tells whether the metric is a utilization that is assumed for some job of some row. */
bool hs_table_is_assumed(const struct hs_run_table *table, const char *metric);
/* Returns the value to mark; NaN if fewer than two rows have one, or all are equal. */
double hs_table_best(const struct hs_run_table *table, const struct hs_runcolumn *how);
/* Tells whether no other row is as good in these metrics (those that every row has; NULL: mean JCT,
 * p99 JCT and Jain's index) and better in one of them. */
bool hs_table_is_pareto(const struct hs_run_table *table, const char *const *metrics, uint32_t row);
#define HS_FINDING_SIZE 1024
/* Formats the metrics of that: "mean JCT, p99 JCT". */
const char *hs_table_aims(const struct hs_run_table *table, char text[HS_FINDING_SIZE]);
/* Formats in a sentence what the table comes to, by rule; "" if it has nothing to say. */
const char *hs_table_finding(const struct hs_run_table *table, char text[HS_FINDING_SIZE]);
/* The ratio or interval below a value, "" for none; valid until the end of the block. */
#define HS_BELOW(row, metric) hs_table_below(row, metric, (char[HS_COLUMN_TEXT_SIZE]){0})
const char *hs_table_below(const struct hs_table_row *row, const char *metric,
                           char text[HS_COLUMN_TEXT_SIZE]);
/* Formats a time as in tables: "12.5 s", "1.23 h", "-4.20 d". */
#define HS_TABLE_TIME_SIZE 24
const char *hs_table_time(char text[HS_TABLE_TIME_SIZE], double seconds);
/* The same, valid until the end of the block. */
#define HS_TIME(seconds) hs_table_time((char[HS_TABLE_TIME_SIZE]){0}, seconds)
