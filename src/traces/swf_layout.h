/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a log in the Standard Workload Format is written (traces/swf_log.c reads it): a job a line as
 * it comes, in 18 whole numbers. Users, queues and partitions are numbers there: a name that is one
 * stays, another gets the next that is free and a comment in front of the first line that has it,
 * "; Queue: 3 name", the way headers name them. A job whose id is no number gets that of its row.
 */
#ifndef HORUS_TRACES_SWF_LAYOUT_H
#define HORUS_TRACES_SWF_LAYOUT_H

#include "traces/layout.h"

/* What a header says of partitions that are demands. */
#define HS_SWF_ASKED_TYPES "GPU types asked for"

extern const struct hs_trace_layout hs_swf_layout;

#endif
