/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus verify RUN`: an independent check of an emitted schedule. Rebuilds it from segments.csv
 * alone and holds it against the trace, the cluster and summary.json: no GPU is held twice (unless
 * the card says sharing), gangs are whole, nothing starts before its submission, every job's work
 * is done, sums agree. Includes nothing of engine/ or model/: it parses the cluster for itself.
 * Unlike a simulation it keeps everything in memory: about 320 bytes a job, 64 and more a segment.
 */
#ifndef HORUS_REPORT_VERIFY_VERIFY_H
#define HORUS_REPORT_VERIFY_VERIFY_H

#include "base/diag.h"
#include "base/io.h"

/* A list of checks with counts to out; HS_E_DIFFERS when one fails, with its first lines. */
HS_MUST_USE enum hs_status hs_verify_run(const char *run_dir, struct hs_output *out,
                                         struct hs_diag *diag);

#endif
