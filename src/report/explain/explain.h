/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why jobs waited, from the files of a finished run: manifest, jobs.csv, segments.csv and, if it is
 * there, decisions.csv. Which job held what is rebuilt from the segments in order of time, and each
 * moment of waiting is booked to the cause that the engine books it to (results/README.md), so that
 * over all jobs the times, multiplied by the GPUs that they want, are the figures of summary.json.
 *
 *     HS_TRY(hs_explain_load(&explain, dir, diag));
 *     HS_TRY(hs_explain_find(explain, "j0815", &job));
 *     hs_explain_say_job(explain, job, &style, out);
 *     hs_explain_close(explain);                             // also after a failed load
 */
#ifndef HORUS_REPORT_EXPLAIN_EXPLAIN_H
#define HORUS_REPORT_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/io.h"

struct hs_explain;

struct hs_explain_style {
    uint32_t columns; /* of the terminal */
    bool use_utf8;
    bool as_json;
};

/* O(segments log segments). HS_E_INPUT for a directory that is not of one run, that has no
 * jobs.csv and segments.csv, or whose files contradict each other. */
HS_MUST_USE enum hs_status hs_explain_load(struct hs_explain **explain, const char *dir,
                                           struct hs_diag *diag);
/* HS_E_INPUT with the nearest name if the run has no such job. */
HS_MUST_USE enum hs_status hs_explain_find(const struct hs_explain *explain, const char *id,
                                           uint32_t *job, struct hs_diag *diag);
/* One job: where its time went, its stages, the jobs that went ahead of it or beside it, its
 * decisions. One of these two is called, once. */
HS_MUST_USE enum hs_status hs_explain_say_job(struct hs_explain *explain, uint32_t job,
                                              const struct hs_explain_style *style,
                                              struct hs_output *out);
/* All jobs: GPU-hours waited by cause, over time, and the jobs that waited most. */
HS_MUST_USE enum hs_status hs_explain_say_run(struct hs_explain *explain,
                                              const struct hs_explain_style *style,
                                              struct hs_output *out);
void hs_explain_close(struct hs_explain *explain);

#endif
