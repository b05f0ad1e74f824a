/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text of `horus trace info` and `validate`: formatted lines to an output, numbers with decimals
 * through base/fmt.
 */
#ifndef HORUS_TRACES_SAY_H
#define HORUS_TRACES_SAY_H

#include "base/fmt.h"
#include "base/io.h"
#include "traces/trace.h"

/* A number as text, to live in a caller's expression. */
struct hs_figure {
    char text[40];
};

struct hs_figure hs_figure_ratio(uint64_t num, uint64_t den, unsigned decimals); /* den 0: "-" */
/* Seconds, rounded to milliseconds below 1,000 s and to seconds from there on. */
struct hs_figure hs_figure_seconds(uint64_t us);
/* "2020-04-01 00:00:00" of a trace clock that is a calendar (from 1990 on), else seconds. */
struct hs_figure hs_figure_clock(int64_t us);

/* What was read, by what, and what was passed over by which rule: the head of both reports. */
void hs_say_intake(struct hs_output *out, const char *path, const char *format,
                   const struct hs_trace_counts *counts);

#endif
