/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * summary.json of a finished run, read back: the figures as `horus run` had them, to the last
 * digit.
 *
 *     enum hs_status s = hs_runsummary_load(&r, path, diag);
 *     ... hs_summary_get(&r.summary, "mean_jct"), hs_json_get(r.card, "policy") ...
 *     hs_runsummary_close(&r);                               // also after a failed load
 */
#ifndef HORUS_REPORT_RUNSUMMARY_H
#define HORUS_REPORT_RUNSUMMARY_H

#include "base/diag.h"
#include "data/json.h"
#include "report/report.h"

struct hs_runsummary {
    struct hs_json_doc *doc;
    const struct hs_json *card; /* an object */
    struct hs_summary summary;  /* its texts live as long as doc; spreads are left out */
};

HS_MUST_USE enum hs_status hs_runsummary_load(struct hs_runsummary *r, const char *path,
                                              struct hs_diag *diag);
void hs_runsummary_close(struct hs_runsummary *r);

#endif
