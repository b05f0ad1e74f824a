/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of a trace in file order, one format behind them: opens the input, recognises the format,
 * checks every value, counts what a rule passes over. What trace_stream.c sorts and filters, and
 * trace_validate.c examines.
 */
#ifndef HORUS_TRACES_READER_H
#define HORUS_TRACES_READER_H

#include "base/io.h"
#include "traces/format.h"

struct hs_reader_counts {
    uint64_t rows;
    uint64_t rounded, folded; /* of those handed out */
    uint64_t drops[HS_DROP_COUNT];
};

struct hs_reader {
    const struct hs_trace_options *options;
    const struct hs_trace_format *format;
    enum hs_status (*next)(void *state, struct hs_trace_job *job, int *dropped);
    void *state;
    struct hs_input *input;
    struct hs_faults faults;
    uint32_t outcomes_kept; /* bit set of enum hs_outcome */
    struct hs_reader_counts counts;
};

/* severity: how bad rows are reported. Close it whether or not this succeeds. */
HS_MUST_USE enum hs_status hs_reader_open(struct hs_reader *reader,
                                          const struct hs_trace_options *options,
                                          enum hs_severity severity, struct hs_diag *diag);
/* The next row that no rule drops. HS_E_INPUT with faults.is_row_bad: one bad row, the next call
 * continues behind it; any other failure is final. */
HS_MUST_USE enum hs_status hs_reader_next(struct hs_reader *reader, struct hs_trace_job *job);
/* Of a value of the row just read, by native column name. */
struct hs_place hs_reader_place(const struct hs_reader *reader, const char *column);
void hs_reader_close(struct hs_reader *reader);

#endif
