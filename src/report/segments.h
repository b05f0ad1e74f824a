/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * segments.csv: a row an uninterrupted placement, in the order in which they end: the exact Gantt.
 */
#ifndef HORUS_REPORT_SEGMENTS_H
#define HORUS_REPORT_SEGMENTS_H

#include "base/diag.h"
#include "data/csvwrite.h"
#include "horus/observe.h"

HS_MUST_USE enum hs_status hs_segments_open(struct hs_csvw *csv, const char *path,
                                            struct hs_diag *diag);
struct hs_observer hs_segments_observer(struct hs_csvw *csv);

#endif
