/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus trace validate`: one pass over the rows in file order, whatever is wrong with them. The
 * messages of readers and parsers are caught, the first of each kind kept, and listed at the end.
 * Memory: the sort window, 16 to 32 bytes a job id, the names of VCs.
 */
#include "traces/doctor.h"

#include <string.h>

#include "base/fractions.h"
#include "base/memory.h"
#include "traces/idset.h"
#include "traces/load.h"
#include "traces/reader.h"
#include "traces/reorder.h"
#include "traces/say.h"

struct doctor {
    const struct hs_trace_options *options;
    struct hs_diag *diag;   /* of the caller */
    struct hs_diag catcher; /* of the reader */
    struct hs_reader reader;
    struct hs_reorder held;
    struct hs_idset ids;
    struct hs_load load;
    struct hs_fractions utils;
    struct hs_arena texts;
    const char *shown[HS_FAULT_COUNT][HS_FAULTS_SHOWN]; /* first line of each message */
    uint64_t jobs, late;
    int64_t newest_us;     /* latest submission so far */
    int64_t handed_out_us; /* submission that a run would have handed out last */
    int64_t latest_us;     /* by how much a row came late, at most */
    bool is_open;          /* the header was understood: faults are those of rows */
    bool is_cut_short;     /* the file could not be read to its end */
};

/* Warnings, notes and whatever is not about a row go to the caller as they are. */
static void catch_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct doctor *d = ctx;
    const struct hs_faults *faults = &d->reader.faults;
    if (severity != HS_ERROR || !faults->is_row_bad || !d->is_open) {
        *(severity == HS_ERROR ? &d->diag->errors : &d->diag->warnings) += severity != HS_NOTE;
        if (severity >= d->diag->least)
            d->diag->emit(d->diag->ctx, severity, text, len);
        return;
    }
    const char *end = memchr(text, '\n', len);
    uint64_t nth = faults->counts[faults->kind] - 1;
    if (nth < HS_FAULTS_SHOWN)
        d->shown[faults->kind][nth] =
            hs_arena_text(&d->texts, text, end ? (size_t)(end - text) : len);
}

/* Pushes the time of the job through the window that a run would use. */
static enum hs_status check_order(struct doctor *d, const struct hs_trace_job *job)
{
    if (d->jobs > 0 && job->submit_us < d->newest_us) {
        d->late++;
        if (d->newest_us - job->submit_us > d->latest_us)
            d->latest_us = d->newest_us - job->submit_us;
    }
    if (d->jobs == 0 || job->submit_us > d->newest_us)
        d->newest_us = job->submit_us;
    if (d->options->sort_window == HS_SORT_ALL)
        return HS_OK;
    if (job->submit_us < d->handed_out_us) {
        struct hs_place place = hs_reader_place(&d->reader, "submit_time");
        d->reader.faults.is_row_bad = true;
        (void)hs_trace_bad_row(
            &d->reader.faults, HS_FAULT_ORDER, &place, NULL,
            "job '%s' comes %s s late, past the %llu rows held back", job->id,
            hs_figure_seconds((uint64_t)(d->handed_out_us - job->submit_us)).text,
            (unsigned long long)d->options->sort_window);
        return HS_OK;
    }
    struct hs_trace_job *time_only = hs_reorder_room(&d->held);
    if (time_only == NULL)
        return HS_E_MEMORY;
    *time_only = (struct hs_trace_job){.id = "", .submit_us = job->submit_us};
    HS_TRY(hs_reorder_push(&d->held));
    if (d->held.count < d->options->sort_window)
        return HS_OK;
    const struct hs_trace_job *first = hs_reorder_pop(&d->held);
    if (first != NULL)
        d->handed_out_us = first->submit_us;
    hs_reorder_give_back(&d->held, 0);
    return HS_OK;
}

static enum hs_status examine(struct doctor *d, const struct hs_trace_job *job)
{
    bool was_there;
    HS_TRY(check_order(d, job));
    HS_TRY(hs_idset_add(&d->ids, job->id, &was_there));
    if (was_there) {
        struct hs_place place = hs_reader_place(&d->reader, "job_id");
        (void)hs_trace_bad_row(&d->reader.faults, HS_FAULT_DUPLICATE, &place, NULL,
                               "job id '%s' was seen before", job->id);
    }
    d->jobs++;
    if (job->gpus > 0)
        hs_fractions_count(&d->utils, job->gpu_util_pm);
    return hs_load_add(&d->load, job);
}

/* Reads on over every bad row. A file that cannot be read to its end is one more fault. */
static enum hs_status examine_all(struct doctor *d)
{
    struct hs_trace_job job;
    for (;;) {
        enum hs_status status = hs_reader_next(&d->reader, &job);
        if (status == HS_END)
            return HS_OK;
        if (status == HS_E_INPUT && d->reader.faults.is_row_bad)
            continue;
        if (status == HS_E_INPUT) {
            d->is_cut_short = true;
            d->reader.faults.total += d->reader.faults.counts[HS_FAULT_STRUCTURE] == 0;
            return HS_OK;
        }
        HS_TRY(status);
        status = examine(d, &job);
        if (status != HS_OK)
            return hs_fail(d->diag, status, NULL, NULL, "no memory to examine %s",
                           d->options->path);
    }
}

static void say_faults(const struct doctor *d, struct hs_output *out)
{
    const struct hs_faults *faults = &d->reader.faults;
    for (int kind = 0; kind < HS_FAULT_COUNT; kind++) {
        if (faults->counts[kind] == 0)
            continue;
        hs_say(out, "\n%llu %s\n", (unsigned long long)faults->counts[kind],
               hs_fault_text((enum hs_fault)kind));
        for (int i = 0; i < HS_FAULTS_SHOWN && d->shown[kind][i]; i++)
            hs_say(out, "    %s\n", d->shown[kind][i]);
        hs_say(out, "    repair: %s\n", hs_fault_repair((enum hs_fault)kind));
    }
    if (d->is_cut_short)
        hs_say(out, "\nthe file cannot be read to its end: rows and jobs are those before it\n");
}

static uint64_t say_report(struct doctor *d, struct hs_output *out)
{
    const struct hs_reader *r = &d->reader;
    const struct hs_trace_counts counts = {.rows = r->counts.rows,
                                           .accepted = d->jobs,
                                           .rounded = r->counts.rounded,
                                           .drop_texts = hs_drop_texts,
                                           .drops = r->counts.drops,
                                           .drop_kinds = HS_DROP_COUNT};
    hs_say_intake(out, hs_input_path(r->input), r->format->name, &counts);
    if (d->late > 0)
        hs_say(out, "out of order %llu rows, at most %s s late\n", (unsigned long long)d->late,
               hs_figure_seconds((uint64_t)d->latest_us).text);
    say_faults(d, out);
    hs_load_say(&d->load, out);
    uint64_t faults = r->faults.total;
    hs_say(out, "\n%llu fault%s\n", (unsigned long long)faults, faults == 1 ? "" : "s");
    return faults;
}

enum hs_status hs_trace_validate(const struct hs_trace_options *options,
                                 const struct hs_doctor_cluster *cluster, struct hs_output *out,
                                 struct hs_diag *diag)
{
    struct doctor *d = hs_alloc_zeroed(1, sizeof *d);
    if (!d)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory to examine a trace");
    d->options = options;
    d->diag = diag;
    d->handed_out_us = INT64_MIN;
    hs_diag_init(&d->catcher, catch_message, d);
    hs_reorder_init(&d->held);
    enum hs_status status = hs_load_init(&d->load, cluster);
    if (status != HS_OK)
        hs_report(diag, HS_ERROR, NULL, NULL, "no memory to examine a trace");
    else
        status = hs_reader_open(&d->reader, options, HS_ERROR, &d->catcher);
    d->is_open = status == HS_OK;
    if (status == HS_OK)
        status = examine_all(d);
    if (status == HS_OK) {
        hs_fractions_warn(&d->utils, NULL, "gpu_util", "jobs", diag);
        status = say_report(d, out) > 0 ? HS_E_INPUT : HS_OK;
    }
    hs_reader_close(&d->reader);
    hs_reorder_free(&d->held);
    hs_idset_free(&d->ids);
    hs_load_free(&d->load);
    hs_arena_free(&d->texts);
    hs_free(d);
    return status;
}
