/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a subject of `horus calibrate` and reads back the model file that it writes.
 *
 *     struct hs_calibrate_options options = {.data = {data_need("calibration", "lucid")},
 *                                            .data_count = 1};
 *     doc = subject_run("utilization", &options); // fails the test on any message
 *     mae = subject_score(hs_json_get(hs_json_root(doc), "joint"), "unseen model", "mae");
 *
 * Needs a scratch folder (support/sink.h).
 */
#ifndef HORUS_TESTS_SUBJECT_H
#define HORUS_TESTS_SUBJECT_H

#include "calibrate/calibration.h"
#include "support/sink.h"

extern struct sink subject_sink;

/* The model goes to scratch_path("model.json"), the table to scratch_path("table.txt"). */
HS_MUST_USE enum hs_status subject_try(const char *name,
                                       const struct hs_calibrate_options *options);
struct hs_json_doc *subject_run(const char *name, const struct hs_calibrate_options *options);
/* A figure of the holdout entry of that protocol; fails the test if it is absent. */
double subject_score(const struct hs_json *owner, const char *protocol, const char *key);

#endif
