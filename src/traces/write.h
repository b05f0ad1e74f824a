/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs out as a native CSV. Read back with default options it yields the same records, but for the
 * line they stand on; jobs without GPUs want --cpu-jobs=keep, attempts --retries=attempts.
 *
 *     HS_TRY(hs_trace_writer_open(&w, "out.csv", diag));
 *     while ((status = source.next(source.ctx, &job)) == HS_OK)
 *         hs_trace_writer_put(&w, &job);
 *     return hs_trace_writer_close(&w, status == HS_END ? HS_OK : status, diag);
 */
#ifndef HORUS_TRACES_WRITE_H
#define HORUS_TRACES_WRITE_H

#include "base/wholefile.h"
#include "data/csvwrite.h"
#include "horus/trace.h"

struct hs_trace_writer {
    struct hs_wholefile file;
    struct hs_csvw csv; /* has the output of `file` while open */
};

/* "-" is standard output; a file is complete or absent. */
HS_MUST_USE enum hs_status hs_trace_writer_open(struct hs_trace_writer *w, const char *path,
                                                struct hs_diag *diag);
/* Errors are sticky in the output: they are told at the close. */
void hs_trace_writer_put(struct hs_trace_writer *w, const struct hs_trace_job *job);
/* status: of what was written; the file stays only if it is HS_OK. */
HS_MUST_USE enum hs_status hs_trace_writer_close(struct hs_trace_writer *w, enum hs_status status,
                                                 struct hs_diag *diag);

#endif
