/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs out in any format that has a layout, compressed if the file is named so. Read back with
 * default options, a native CSV yields the same records, but for the line they stand on; jobs
 * without GPUs want --cpu-jobs=keep, attempts --retries=attempts. Other formats hold less
 * (traces/losses.h).
 *
 *     HS_TRY(hs_trace_writer_choose("auto", "out.csv.gz", &format, diag));
 *     HS_TRY(hs_trace_writer_open(&w, format, NULL, "out.csv.gz", diag));
 *     while ((status = source.next(source.ctx, &job)) == HS_OK)
 *         hs_trace_writer_put(&w, &job);
 *     return hs_trace_writer_close(&w, status == HS_END ? HS_OK : status, diag);
 */
#ifndef HORUS_TRACES_WRITE_H
#define HORUS_TRACES_WRITE_H

#include "base/wholefile.h"
#include "data/csvwrite.h"
#include "horus/trace.h"
#include "traces/format.h"
#include "traces/layout.h"

struct hs_trace_writer {
    struct hs_wholefile file;
    struct hs_csvw csv; /* has the output of `file` while open */
    const struct hs_trace_layout *layout;
    struct hs_layout_rows rows; /* of a CSV */
    void *state;                /* of another format */
};

/* HS_E_USAGE unless it is "auto" or a format that can be written. */
HS_MUST_USE enum hs_status hs_trace_writer_check(const char *name, struct hs_diag *diag);
/* The format named, or with "auto" or NULL the one of the file's suffix (".csv.gz": the native
 * CSV). HS_E_USAGE where there is none, or none that can be written. */
HS_MUST_USE enum hs_status hs_trace_writer_choose(const char *name, const char *path,
                                                  const struct hs_trace_format **format,
                                                  struct hs_diag *diag);
/* "-" is standard output; a file is complete or absent. The writer must not move until the close.
 * format has a layout. options: of which some formats want files as they do to be read
 * (gavel_throughputs); NULL for none. */
HS_MUST_USE enum hs_status hs_trace_writer_open(struct hs_trace_writer *w,
                                                const struct hs_trace_format *format,
                                                const struct hs_trace_options *options,
                                                const char *path, struct hs_diag *diag);
/* Errors are sticky in the output: they are told at the close. */
void hs_trace_writer_put(struct hs_trace_writer *w, const struct hs_trace_job *job);
/* status: of what was written; the file stays only if it is HS_OK. */
HS_MUST_USE enum hs_status hs_trace_writer_close(struct hs_trace_writer *w, enum hs_status status,
                                                 struct hs_diag *diag);

#endif
