/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens the files that the options ask for, hands out the observers, closes the files in the same
 * order. The figures are gathered always; files only where there is a directory for them.
 */
#include "report/report.h"

#include <string.h>

#include "base/memory.h"
#include "report/run/observers.h"

/* In the order of the manifest. */
static const struct hs_row_format *const formats[HS_ROW_FILES] = {
    &hs_jobs_file,      &hs_segments_file, &hs_series_file,
    &hs_decisions_file, &hs_nodes_file,    &hs_swf_file};

/* ---- the figures ---- */

static enum hs_status on_submit(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct hs_report *r = ctx;
    hs_stats_submit(&r->stats, now_us, job);
    hs_bounds_submit(&r->bounds, now_us, job);
    return HS_OK;
}

static enum hs_status on_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_report *r = ctx;
    return hs_stats_end(&r->stats, now_us, job);
}

static enum hs_status on_reject(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_report *r = ctx;
    (void)now_us;
    hs_bounds_reject(&r->bounds, job);
    return HS_OK;
}

/* A full disk ends the run now, not after it: a writer that has failed is closed, which says why.
 */
static enum hs_status on_instant(void *ctx, const struct hs_instant *instant)
{
    struct hs_report *r = ctx;
    memcpy(r->stats.policy_counter, instant->policy_counter, sizeof r->stats.policy_counter);
    hs_timeline_step(&r->timeline, instant);
    for (uint32_t i = 0; i < r->open_count; i++)
        if (hs_output_failed(&r->open[i]->csv.out))
            return hs_csvw_close(&r->open[i]->csv, r->diag);
    return HS_OK;
}

/* ---- opening and closing ---- */

static enum hs_status open_file(struct hs_report *r, const struct hs_row_format *format)
{
    char path[HS_PATH_SIZE];
    struct hs_row_file *file = hs_alloc_zeroed(1, format->state_size);
    r->open[r->open_count++] = file;
    file->format = format;
    file->observer = format->observer;
    file->observer.ctx = file;
    file->report = r;
    if (format->open != NULL)
        format->open(file);
    hs_rundir_file(r->options.dir, format->name, path, sizeof path);
    return hs_csvw_open(&file->csv, path, format->header, r->diag);
}

enum hs_status hs_report_open(struct hs_report **report, const struct hs_report_options *options,
                              struct hs_diag *diag)
{
    struct hs_report *r = hs_alloc_zeroed(1, sizeof *r);
    enum hs_status status = HS_OK;
    r->options = *options;
    r->diag = diag;
    hs_stats_open(&r->stats, options->dir != NULL ? options->dir->tmp_path : NULL,
                  options->warmup_us, options->cooldown_us, diag);
    hs_timeline_open(&r->timeline);
    hs_bounds_open(&r->bounds, options->cluster, options->speed);
    for (uint32_t i = 0; i < HS_ROW_FILES && options->dir != NULL && status == HS_OK; i++)
        if ((options->outputs & formats[i]->output) != 0)
            status = open_file(r, formats[i]);
    r->observer = (struct hs_observer){.ctx = r,
                                       .on_submit = on_submit,
                                       .on_finish = on_finish,
                                       .on_reject = on_reject,
                                       .on_instant = on_instant,
                                       .is_counts_only = true};
    *report = status == HS_OK ? r : NULL;
    if (status != HS_OK)
        hs_report_close(r);
    return status;
}

const struct hs_observer *hs_report_observer(const struct hs_report *report, size_t index)
{
    /* the figures last: series.csv looks at the timeline before it moves on */
    if (index < report->open_count)
        return &report->open[index]->observer;
    return index == report->open_count ? &report->observer : NULL;
}

/* Writes what is left of the files and lists them; keeps the first failure. */
static enum hs_status finish_files(struct hs_report *r, int64_t end_us, struct hs_diag *diag)
{
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; i < r->open_count; i++) {
        struct hs_row_file *file = r->open[i];
        if (file->format->finish != NULL && status == HS_OK)
            status = file->format->finish(file, end_us);
        r->files[r->file_count++] =
            hs_output_file_of(&file->csv.out, file->format->name, file->csv.rows);
        enum hs_status closed = hs_csvw_close(&file->csv, diag);
        status = status == HS_OK ? closed : status;
    }
    return status;
}

enum hs_status hs_report_finish(struct hs_report *r, int64_t end_us, struct hs_summary *summary,
                                struct hs_diag *diag)
{
    const int64_t first_us = r->stats.first_submit_us;
    r->span_us = first_us >= 0 && end_us > first_us ? end_us - first_us : 0;
    *summary = (struct hs_summary){0};
    HS_TRY(finish_files(r, end_us, diag));
    hs_timeline_advance(&r->timeline, end_us);
    hs_bounds_finish(&r->bounds);
    HS_TRY(hs_stats_finish(&r->stats, summary));
    hs_metrics_fill(summary, r);
    return HS_OK;
}

const struct hs_output_file *hs_report_files(const struct hs_report *report, uint32_t *count)
{
    *count = report->file_count;
    return report->files;
}

void hs_report_close(struct hs_report *r)
{
    if (r == NULL)
        return;
    /* what is still open belongs to a run that failed: its own error has been reported, and the
     * directory is discarded */
    struct hs_diag quiet;
    hs_diag_init(&quiet, NULL, NULL);
    for (uint32_t i = 0; i < r->open_count; i++) {
        enum hs_status known = hs_csvw_close(&r->open[i]->csv, &quiet);
        (void)known;
        if (r->open[i]->format->free != NULL)
            r->open[i]->format->free(r->open[i]);
        hs_free(r->open[i]);
    }
    hs_stats_close(&r->stats);
    hs_timeline_free(&r->timeline);
    hs_bounds_close(&r->bounds);
    hs_free(r);
}
