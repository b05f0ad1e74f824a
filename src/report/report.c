/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens the observers that the options ask for, hands them out, closes them in the same order.
 * The figures are gathered always; row files only where there is a directory for them.
 */
#include "report/report.h"

#include <string.h>

#include "base/memory.h"
#include "report/run/observers.h"

#define OBSERVERS_MAX 7 /* fewer than the engine takes: one is left for the caller */
#define ROW_FILES_MAX 4
#define FILES_MAX     6

struct hs_report {
    struct hs_report_options options;
    struct hs_diag *diag;
    struct hs_timeline timeline;
    struct hs_stats stats;
    struct hs_bounds bounds;
    struct hs_jobs_file jobs;
    struct hs_csvw segments;
    struct hs_series series;
    struct hs_nodes nodes;
    struct hs_decisions decisions;
    struct hs_swf swf;
    struct {
        const char *name;
        struct hs_csvw *csv;    /* NULL once it is closed */
    } row_files[ROW_FILES_MAX]; /* written while the run goes on */
    uint32_t row_file_count;
    struct hs_observer observers[OBSERVERS_MAX];
    uint32_t observer_count;
    struct hs_output_file files[FILES_MAX];
    uint32_t file_count;
};

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
    for (uint32_t i = 0; i < r->row_file_count; i++) {
        struct hs_csvw *csv = r->row_files[i].csv;
        if (csv == NULL || !hs_output_failed(&csv->out))
            continue;
        r->row_files[i].csv = NULL;
        return hs_csvw_close(csv, r->diag);
    }
    return HS_OK;
}

/* ---- opening ---- */

static void observe(struct hs_report *r, struct hs_observer observer)
{
    r->observers[r->observer_count++] = observer;
}

/* False if the options do not ask for the file; else its path. */
static bool wants(const struct hs_report *r, uint32_t output, const char *name,
                  char path[HS_PATH_SIZE])
{
    if (r->options.dir == NULL || (r->options.outputs & output) == 0)
        return false;
    hs_rundir_file(r->options.dir, name, path, HS_PATH_SIZE);
    return true;
}

static void add_row_file(struct hs_report *r, const char *name, struct hs_csvw *csv,
                         struct hs_observer observer)
{
    r->row_files[r->row_file_count].name = name;
    r->row_files[r->row_file_count++].csv = csv;
    observe(r, observer);
}

static enum hs_status open_files(struct hs_report *r, struct hs_diag *diag)
{
    const struct hs_report_options *options = &r->options;
    char path[HS_PATH_SIZE];
    if (wants(r, HS_OUT_JOBS, "jobs.csv", path)) {
        HS_TRY(hs_jobs_file_open(&r->jobs, path, options->workload_name, diag));
        add_row_file(r, "jobs.csv", &r->jobs.csv, hs_jobs_file_observer(&r->jobs));
    }
    if (wants(r, HS_OUT_SEGMENTS, "segments.csv", path)) {
        HS_TRY(hs_segments_open(&r->segments, path, diag));
        add_row_file(r, "segments.csv", &r->segments, hs_segments_observer(&r->segments));
    }
    if (wants(r, HS_OUT_SERIES, "series.csv", path)) {
        HS_TRY(hs_series_open(&r->series, path, options->sample_us, options->cluster->gpu_count,
                              diag));
        add_row_file(r, "series.csv", &r->series.csv, hs_series_observer(&r->series));
    }
    if (wants(r, HS_OUT_DECISIONS, "decisions.csv", path)) {
        HS_TRY(hs_decisions_open(&r->decisions, path, options->semantics, diag));
        add_row_file(r, "decisions.csv", &r->decisions.csv, hs_decisions_observer(&r->decisions));
    }
    if (wants(r, HS_OUT_NODES, "nodes.csv", path)) {
        hs_nodes_open(&r->nodes, options->cluster);
        observe(r, hs_nodes_observer(&r->nodes));
    }
    if (wants(r, HS_OUT_SWF, "jobs.swf", path)) {
        hs_swf_open(&r->swf, options, diag);
        observe(r, hs_swf_observer(&r->swf));
    }
    return HS_OK;
}

enum hs_status hs_report_open(struct hs_report **report, const struct hs_report_options *options,
                              struct hs_diag *diag)
{
    struct hs_report *r = hs_alloc_zeroed(1, sizeof *r);
    r->options = *options;
    r->diag = diag;
    hs_stats_open(&r->stats, options->dir != NULL ? options->dir->tmp_path : NULL,
                  options->warmup_us, options->cooldown_us, diag);
    hs_timeline_open(&r->timeline);
    hs_bounds_open(&r->bounds, options->cluster, options->speed);
    observe(r, (struct hs_observer){.ctx = r,
                                    .on_submit = on_submit,
                                    .on_finish = on_finish,
                                    .on_reject = on_reject,
                                    .on_instant = on_instant,
                                    .is_counts_only = true});
    enum hs_status status = open_files(r, diag);
    *report = status == HS_OK ? r : NULL;
    if (status != HS_OK)
        hs_report_close(r);
    return status;
}

const struct hs_observer *hs_report_observer(const struct hs_report *report, size_t index)
{
    return index < report->observer_count ? &report->observers[index] : NULL;
}

/* ---- closing ---- */

/* Lists the row files; keeps the first failure. */
static enum hs_status close_row_files(struct hs_report *r, struct hs_diag *diag)
{
    enum hs_status status = HS_OK;
    for (uint32_t i = 0; i < r->row_file_count; i++) {
        struct hs_csvw *csv = r->row_files[i].csv;
        if (csv == NULL)
            continue;
        r->row_files[i].csv = NULL;
        r->files[r->file_count++] = hs_output_file_of(&csv->out, r->row_files[i].name, csv->rows);
        enum hs_status closed = hs_csvw_close(csv, diag);
        status = status == HS_OK ? closed : status;
    }
    return status;
}

enum hs_status hs_report_finish(struct hs_report *r, int64_t end_us, struct hs_summary *summary,
                                struct hs_diag *diag)
{
    const int64_t first_us = r->stats.first_submit_us;
    const int64_t span_us = first_us >= 0 && end_us > first_us ? end_us - first_us : 0;
    char path[HS_PATH_SIZE];
    *summary = (struct hs_summary){0};
    hs_timeline_close(&r->timeline, end_us);
    if (wants(r, HS_OUT_SERIES, "series.csv", path))
        hs_series_finish(&r->series, end_us, &r->timeline);
    HS_TRY(close_row_files(r, diag));
    if (wants(r, HS_OUT_NODES, "nodes.csv", path))
        HS_TRY(hs_nodes_write(&r->nodes, path, span_us, &r->files[r->file_count++], diag));
    if (wants(r, HS_OUT_SWF, "jobs.swf", path))
        HS_TRY(hs_swf_write(&r->swf, path, &r->files[r->file_count++], diag));
    hs_bounds_finish(&r->bounds);
    HS_TRY(hs_stats_finish(&r->stats, summary));
    struct hs_metrics_source source = {.options = &r->options,
                                       .stats = &r->stats,
                                       .timeline = &r->timeline,
                                       .bounds = &r->bounds,
                                       .gpus = r->options.cluster->gpu_count,
                                       .span_us = span_us};
    hs_metrics_fill(summary, &source);
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
    (void)close_row_files(r, &quiet);
    hs_jobs_file_free(&r->jobs);
    hs_nodes_free(&r->nodes);
    hs_swf_close(&r->swf);
    hs_stats_close(&r->stats);
    hs_timeline_free(&r->timeline);
    hs_bounds_close(&r->bounds);
    hs_free(r);
}
