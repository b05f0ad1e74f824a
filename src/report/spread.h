/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Spreads of metrics over runs with random ties, in summary.json.
 */
#ifndef HORUS_REPORT_SPREAD_H
#define HORUS_REPORT_SPREAD_H

#include "data/json.h"
#include "report/report.h"

/* The member "tie_jitter" of the object being written; nothing when there is no spread. */
void hs_spread_write_json(const struct hs_summary *summary, struct hs_jsonw *w);

#endif
