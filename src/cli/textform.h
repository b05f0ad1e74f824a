/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Options whose text has a form of its own: outputs=jobs,series, sample=60s, sort=all. The checks
 * are for the option tables: a wrong text is refused where it stands, in a file or a flag.
 */
#ifndef HORUS_CLI_TEXTFORM_H
#define HORUS_CLI_TEXTFORM_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* All HS_E_USAGE. *outputs: HS_OUT_x. *sample_us: 0 auto, -1 exact. *window: rows, HS_SORT_ALL.
 * *mib: -1 auto. */
HS_MUST_USE enum hs_status hs_outputs_parse(const char *text, uint32_t *outputs,
                                            struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_sample_parse(const char *text, int64_t *sample_us,
                                           struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_sort_parse(const char *text, uint64_t *window, struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_reserve_parse(const char *text, int64_t *mib, struct hs_diag *diag);
/* The words of --outputs; NULL past the end. */
const char *hs_output_at(size_t index);

enum hs_status hs_check_outputs(const char *text, struct hs_diag *diag);
enum hs_status hs_check_sample(const char *text, struct hs_diag *diag);
enum hs_status hs_check_sort(const char *text, struct hs_diag *diag);
enum hs_status hs_check_window(const char *text, struct hs_diag *diag); /* FROM..TO */
enum hs_status hs_check_reserve(const char *text, struct hs_diag *diag);
enum hs_status hs_check_interference(const char *text, struct hs_diag *diag);
enum hs_status hs_check_name(const char *text, struct hs_diag *diag);
enum hs_status hs_check_seeds(const char *text, struct hs_diag *diag);
enum hs_status hs_check_assignments(const char *text, struct hs_diag *diag);
enum hs_status hs_check_policy(const char *text, struct hs_diag *diag); /* "fifo:scan=fit" */
enum hs_status hs_check_date(const char *text, struct hs_diag *diag);   /* YYYY-MM-DD */

#endif
