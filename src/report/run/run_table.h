/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table at the end of `horus run` and `horus compare`, and how any table for a reader shows a
 * metric: its title, its figures rounded, and which way is better. Files have every digit.
 */
#pragma once

#include "report/run/manifest.h"

/* ---- intervals ----
 * Of 95 % over independent runs, by Student's t; NaN stands for an absent value, in arguments and
 * results. */

struct hs_replicated {
    double value, low, high; /* low and high NaN below two runs */
    uint32_t runs;           /* that have a value */
};

/* Of values[0], values[stride], ... count of them; those that are NaN are left out. */
struct hs_replicated hs_replicated_mean(const double *values, size_t stride, uint32_t count);

/* Of two policies over pairs of runs that share their seeds, where what a seed does to both cancels
 * (common random numbers): the ratio estimator of survey sampling (Cochran, Sampling Techniques,
 * 3rd ed., ch. 6): sum of the values / sum of the firsts, which is the ratio of the means; its
 * interval by t with the residuals values[i] - ratio * firsts[i], and not below 0. Nothing where
 * one of a pair is absent or negative, and where the firsts are all 0. */
struct hs_replicated hs_replicated_ratio(const double *values, const double *firsts, size_t stride,
                                         uint32_t count);

/* ---- columns ---- */

enum hs_runcolumn_kind { HS_COLUMN_TIME, HS_COLUMN_SHARE, HS_COLUMN_RATIO, HS_COLUMN_PLAIN };
enum hs_runcolumn_best { HS_BEST_NONE, HS_BEST_LEAST, HS_BEST_MOST };

struct hs_runcolumn {
    const char *metric, *title; /* title: the metric's own name where it has no other */
    enum hs_runcolumn_kind kind;
    enum hs_runcolumn_best best;
    bool is_of_sharing;  /* says something only where jobs have shared GPUs */
    bool is_of_events;   /* only where it is not 0 */
    bool is_of_resuming; /* only where a job waited again, or still, after its first start */
};

struct hs_runcolumn hs_runcolumn_of(const char *metric);
/* Says in the title of a utilization that it rests on profiles that were drawn. */
void hs_runcolumn_assume(struct hs_runcolumn *column);

#define HS_COLUMN_TEXT_SIZE 48
/* "12.82 h", "64.9 %", "1.25", "-" for NaN; returns text. */
const char *hs_runcolumn_text(const struct hs_runcolumn *column, double value,
                              char text[HS_COLUMN_TEXT_SIZE]);
/* "0.873x", with an interval that has a length "0.873x 0.861-0.885"; "" for NaN. */
void hs_runcolumn_ratio_text(double ratio, double low, double high, char text[HS_COLUMN_TEXT_SIZE]);

/* Half the length of an interval against its mean, "+-2.1%"; "" where there is none, or no length.
 */
void hs_runcolumn_spread_text(double mean, double low, double high, char text[HS_COLUMN_TEXT_SIZE]);

/* ---- the table: one row a run or policy ---- */

struct hs_table_row {
    const char *label;
    const struct hs_summary *summary;
    /* Of each metric of the summary: ratios to the first row; where they are NULL, the means of
     * several runs, for their intervals; both may be NULL. */
    const struct hs_replicated *ratios, *means;
};
struct hs_run_table {
    const struct hs_table_row *rows;
    const char *const *metrics; /* columns, ends with NULL; NULL: what a run shows */
    uint32_t row_count;
    uint32_t columns; /* of the terminal: a narrow one loses the last that do not fit */
    bool shows_all;   /* the columns were asked for: none is left out */
    bool use_utf8, use_color;
};
/* Aligned, best value of each column marked '*', ratios or intervals below the values, utilization
 * sparkline where every row has one. */
void hs_table_print(struct hs_output *out, const struct hs_run_table *table);
/* The columns of a run in order of importance; NULL past the last. */
const char *hs_table_run_column(uint32_t index);
extern const char *const hs_table_compare_metrics[]; /* likewise of a comparison */
/* Whether the column says anything: some row has a value, what is of sharing was shared, what it
 * counts happened, and jobs waited again, or still, after they had started. */
bool hs_table_is_telling(const struct hs_run_table *table, const struct hs_runcolumn *how);
/* The metric that tells the share of the jobs with an assumed utilization. */
#define HS_ASSUMED_SHARE "assumed_utilization_share"
/* Is the metric a utilization, and is that of some job in some row assumed? */
bool hs_table_is_assumed(const struct hs_run_table *table, const char *metric);
/* The value to mark; NaN where fewer than two rows have one, or all the same. */
double hs_table_best(const struct hs_run_table *table, const struct hs_runcolumn *how);
/* Text below a value, ratio or interval, "" for none, of HS_COLUMN_TEXT_SIZE bytes. */
void hs_table_below(const struct hs_table_row *row, const char *metric, char *text);
/* A time as the tables show it: "12.5 s", "1.23 h", "-4.20 d". */
#define HS_TABLE_TIME_SIZE 24
const char *hs_table_time(char text[HS_TABLE_TIME_SIZE], double seconds);
/* The same, good until the end of the block. */
#define HS_TIME(seconds) hs_table_time((char[HS_TABLE_TIME_SIZE]){0}, seconds)
