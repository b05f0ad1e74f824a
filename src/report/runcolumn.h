/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a table for people shows a metric: its title, its figures rounded, and which way is better.
 */
#ifndef HORUS_REPORT_RUNCOLUMN_H
#define HORUS_REPORT_RUNCOLUMN_H

#include <stdbool.h>
#include <stddef.h>

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

#define HS_COLUMN_TEXT_SIZE 48
/* "12.82 h", "64.9 %", "1.25", "-" for NaN. */
void hs_runcolumn_text(const struct hs_runcolumn *column, double value,
                       char text[HS_COLUMN_TEXT_SIZE]);
/* "0.873x", with an interval that has a length "0.873x 0.861-0.885"; "" for
 * NaN. */
void hs_runcolumn_ratio_text(double ratio, double low, double high, char text[HS_COLUMN_TEXT_SIZE]);

/* Half the length of an interval against its mean, "+-2.1%"; "" where there is none, or no length.
 */
void hs_runcolumn_spread_text(double mean, double low, double high, char text[HS_COLUMN_TEXT_SIZE]);

#endif
