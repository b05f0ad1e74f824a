/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a trace of Gavel is written (traces/gavel.c reads it): with --gavel-throughputs in ten
 * fields, total steps being the duration times the speed, to the nearest step; a job that the file
 * does not know ends the trace. Without it in the twelve fields of Shockwave, which tell the
 * duration.
 */
#ifndef HORUS_TRACES_GAVEL_LAYOUT_H
#define HORUS_TRACES_GAVEL_LAYOUT_H

#include "traces/layout.h"

/* A job type that stands for no model. */
#define HS_GAVEL_NO_MODEL "-"

extern const struct hs_trace_layout hs_gavel_layout;

#endif
