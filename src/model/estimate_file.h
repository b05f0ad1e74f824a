/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimated run times from a CSV with a header: job_id, and estimate (seconds), which published
 * predictions also call duration or priority. Other columns are passed over. What is wrong is an
 * error at its place: an estimate that is guessed at would be believed.
 *
 *     HS_TRY(hs_estimate_file_open(&f, path, diag));
 *     int64_t us = hs_estimate_file_us(f, "j17");    // -1: not in the file; O(length of the id)
 *     hs_estimate_file_close(f);
 */
#ifndef HORUS_MODEL_ESTIMATE_FILE_H
#define HORUS_MODEL_ESTIMATE_FILE_H

#include <stdint.h>

#include "base/diag.h"

struct hs_estimate_file;

HS_MUST_USE enum hs_status hs_estimate_file_open(struct hs_estimate_file **f, const char *path,
                                                 struct hs_diag *diag);
int64_t hs_estimate_file_us(const struct hs_estimate_file *f, const char *id);
void hs_estimate_file_close(struct hs_estimate_file *f); /* NULL is fine */

#endif
