/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trace format is one file with one const record, last in the file, and one line in
 * formats.def. The reader pulls from an open input and fills plain records; it knows nothing of
 * sorting, limits or the engine. The layout says how jobs are written in the format.
 */
#ifndef HORUS_TRACES_FORMAT_H
#define HORUS_TRACES_FORMAT_H

#include <stddef.h>

#include "base/diag.h"
#include "base/io.h"
#include "horus/trace.h"
#include "traces/fault.h"
#include "traces/trace.h"

/* Why a row was not taken, counted by kind; the text is what `trace info` and the manifest print.
 * Dropped: by a rule of the format that the options name. Faults: bad rows, an error unless
 * --skip-bad-rows allows them. */
#define HS_DROP_LIST(X)                                                                            \
    X(CPU_JOB, "CPU job (0 GPUs)")                                                                 \
    X(STILL_RUNNING, "still running at the snapshot")                                              \
    X(NEVER_STARTED, "never started")                                                              \
    X(NO_TIMES, "start or end missing")                                                            \
    X(NO_DEMAND, "number of processors not known")                                                 \
    X(PARTIAL, "part of the run of a job")                                                         \
    X(ZERO_DURATION, "duration 0")                                                                 \
    X(OUTCOME, "outcome not asked for")                                                            \
    X(WINDOW, "outside the time window")                                                           \
    X(SAMPLE, "not in the sample")

enum hs_drop {
#define HS_DROP_ENUM(name, text) HS_DROP_##name,
    HS_DROP_LIST(HS_DROP_ENUM)
#undef HS_DROP_ENUM
        HS_DROP_COUNT
};

struct hs_trace_layout;

#define HS_TRACE_TEXT_ROOM 48

struct hs_trace_format {
    const char *name, *summary;
    const char *columns; /* what it needs, one line for messages and `horus help formats` */
    bool has_attempts;   /* it can tell the attempts of a job */
    bool is_sorted;      /* rows come in order of submission whatever the file: none is held back */
    bool has_text_room;  /* HS_TRACE_TEXT_ROOM bytes may be read from the first of an id on */
    const struct hs_trace_layout
        *layout; /* how it is written (traces/layout.h); NULL = it is not */
    /* How sure, 0..100, from the first bytes. */
    int (*recognise)(const char *head, size_t len);
    size_t state_size;
    /* Bad rows go to faults, everything else to faults->diag. */
    enum hs_status (*open)(void *state, struct hs_input *input,
                           const struct hs_trace_options *options, struct hs_faults *faults);
    /* HS_OK: job filled, or *dropped (0 on entry) set to 1 + drop kind: the row is to be counted
     * and passed over. HS_END. HS_E_INPUT through hs_trace_bad_row: this row is bad; calling again
     * goes on with the next row. Any other failure ends the trace. */
    enum hs_status (*next)(void *state, struct hs_trace_job *job, int *dropped);
    /* Place of a value of the row just read, by its native column name ("submit_time"), for
     * messages of the caller. */
    struct hs_place (*place)(void *state, const char *column);
    /* How many rows there are in all; NULL = nobody knows before the end. */
    uint64_t (*rows)(const void *state);
    /* Also after a failed open; the state is zeroed before open. */
    void (*close)(void *state);
};

const struct hs_trace_format *hs_trace_format_at(size_t index); /* NULL past the end */
const struct hs_trace_format *hs_trace_format_find(const char *name);
/* HS_E_USAGE with the nearest name, unless it is that of a format or "auto". */
HS_MUST_USE enum hs_status hs_trace_format_check(const char *name, struct hs_diag *diag);
/* "csv, helios or philly": all, or those that can be written; in list, which is returned. */
#define HS_FORMAT_LIST_MAX 256
const char *hs_trace_format_list(bool is_for_writing, char list[HS_FORMAT_LIST_MAX]);
/* By content; NULL when nothing is surer than 0. */
const struct hs_trace_format *hs_trace_format_recognise(const char *head, size_t len);

extern const char *const hs_drop_texts[HS_DROP_COUNT];

/* What to do where --retries=attempts finds none. */
#define HS_NO_ATTEMPTS_HINT                                                                        \
    "--retries=merge runs each job once, --retries=generate makes attempts up"

/* A job of which nothing is known yet. */
#define HS_TRACE_JOB_BLANK                                                                         \
    {                                                                                              \
        .deadline_us = -1, .preempt_cost_us = -1, .gpu_util_pm = -1,                               \
        .job_class = HS_JOB_CLASS_AUTO, .profile = HS_NO_PROFILE, .outcome = HS_OUTCOME_UNKNOWN    \
    }

/* A word for the fate of a job, as any of the formats writes it, case ignored: an enum hs_outcome,
 * HS_FATE_RUNNING for a job that had not ended at the snapshot, or -1 for an unknown word. */
#define HS_FATE_RUNNING HS_OUTCOME_COUNT
int hs_fate_parse(const char *text, size_t len);

#endif
