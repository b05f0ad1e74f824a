/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CSV out (RFC 4180, '\n' ends): fields are appended in order, quoted only when they must be.
 *
 *     hs_csvw_text(&w, job->id);
 *     hs_csvw_seconds(&w, job->submit_us);
 *     hs_csvw_end(&w);
 *
 * Errors are sticky in the output; the row calls never fail.
 */
#ifndef HORUS_DATA_CSVWRITE_H
#define HORUS_DATA_CSVWRITE_H

#include <stdint.h>

#include "base/io.h"

struct hs_csvw {
    struct hs_output out;
    uint64_t rows; /* data rows ended, the header not counted */
    int in_row;
};

/* Opens path and writes the header: comma-separated names. */
HS_MUST_USE enum hs_status hs_csvw_open(struct hs_csvw *w, const char *path, const char *header,
                                        struct hs_diag *diag);
void hs_csvw_text(struct hs_csvw *w, const char *text); /* NULL = empty */
void hs_csvw_i64(struct hs_csvw *w, int64_t value);
void hs_csvw_u64(struct hs_csvw *w, uint64_t value);
void hs_csvw_seconds(struct hs_csvw *w, int64_t us);
void hs_csvw_ratio(struct hs_csvw *w, uint64_t num, uint64_t den,
                   unsigned decimals); /* den 0 = empty */
void hs_csvw_double(struct hs_csvw *w, double value);
void hs_csvw_empty(struct hs_csvw *w);
/* Ascending ids as evalys interval sets: "0-7 16 20-23". */
void hs_csvw_ids(struct hs_csvw *w, const uint32_t *ids, uint32_t count);
void hs_csvw_end(struct hs_csvw *w); /* ends the row */
HS_MUST_USE enum hs_status hs_csvw_close(struct hs_csvw *w, struct hs_diag *diag);

#endif
