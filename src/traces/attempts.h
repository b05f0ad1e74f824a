/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The run times of a job's attempts, gathered while a row is read, in storage that serves every
 * row; no allocation once the longest list was seen.
 *
 *     list.count = 0;
 *     HS_TRY(hs_attempts_add(&list, run_us)); ...
 *     hs_attempts_give(&list, job);            // borrowed until the next row
 */
#ifndef HORUS_TRACES_ATTEMPTS_H
#define HORUS_TRACES_ATTEMPTS_H

#include <stddef.h>

#include "horus/trace.h"
#include "traces/cell.h"

#define HS_ATTEMPTS_MAX 65535 /* of one job */

struct hs_attempt_list {
    int64_t *run_us;
    uint32_t count, cap;
};

/* HS_E_LIMIT past HS_ATTEMPTS_MAX. */
HS_MUST_USE enum hs_status hs_attempts_add(struct hs_attempt_list *list, int64_t run_us);
/* "10/20", in the unit, whose sum must be duration_us; *result says what is wrong with it. A status
 * other than HS_OK: no memory. */
HS_MUST_USE enum hs_status hs_attempts_parse(struct hs_attempt_list *list, const char *text,
                                             size_t len, int64_t unit_us, int64_t duration_us,
                                             enum hs_cell_result *result);
/* One attempt is none: the job does not fail on the way. */
void hs_attempts_give(const struct hs_attempt_list *list, struct hs_trace_job *job);
void hs_attempts_free(struct hs_attempt_list *list);

#endif
