/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between the files of `horus compare`.
 */
#ifndef HORUS_CLI_VERBS_COMPARE_H
#define HORUS_CLI_VERBS_COMPARE_H

#include "cli/cli.h"

#define HS_COMPARE_COLUMNS "policy,metric,unit,mean,low,high,ratio,ratio_low,ratio_high,runs"
#define HS_ORDER_COLUMNS   "first,second,metric,cells,agree"
#define HS_RUNS_COLUMNS    "policy,seed,assignment" /* then those of summary.csv */

/* A trace under several policies (compare_cells.c). */
HS_MUST_USE enum hs_status hs_compare_policies(struct hs_call *call);

#endif
