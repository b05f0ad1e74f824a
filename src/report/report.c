/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens the observers that the options ask for, hands them out, closes them in the same order.
 * The figures are gathered always; row files only where there is a directory for them.
 */
#include "report/report.h"

#include "base/memory.h"
#include "report/decisions.h"
#include "report/jobs.h"
#include "report/metrics.h"
#include "report/nodes.h"
#include "report/segments.h"
#include "report/series.h"
#include "report/swf.h"

#define OBSERVERS_MAX 7 /* fewer than the engine takes: one is left for the caller */
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
    uint32_t open_files; /* HS_OUT_x whose writer is open */
    bool has_stats;      /* opened */
    struct hs_observer observers[OBSERVERS_MAX];
    uint32_t observer_count;
    struct hs_output_file files[FILES_MAX];
    uint32_t file_count;
};

/* Closes a writer that has failed, which tells why. */
static enum hs_status check_csv(struct hs_report *r, uint32_t output, struct hs_csvw *csv)
{
    if ((r->open_files & output) == 0 || !hs_output_failed(&csv->out))
        return HS_OK;
    r->open_files &= ~output;
    return hs_csvw_close(csv, r->diag);
}

/* A full disk ends the run now, not after it. */
static enum hs_status check_files(struct hs_report *r)
{
    HS_TRY(check_csv(r, HS_OUT_JOBS, &r->jobs.csv));
    HS_TRY(check_csv(r, HS_OUT_SEGMENTS, &r->segments));
    HS_TRY(check_csv(r, HS_OUT_DECISIONS, &r->decisions.csv));
    return check_csv(r, HS_OUT_SERIES, &r->series.csv);
}

static enum hs_status on_submit(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct hs_report *r = ctx;
    hs_stats_submit(&r->stats, now_us, job);
    return hs_bounds_submit(&r->bounds, now_us, job);
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

static enum hs_status on_instant(void *ctx, const struct hs_instant *instant)
{
    struct hs_report *r = ctx;
    hs_stats_tally(&r->stats, instant->tally);
    hs_timeline_step(&r->timeline, instant);
    return r->open_files == 0 ? HS_OK : check_files(r);
}

static void observe(struct hs_report *r, struct hs_observer observer)
{
    r->observers[r->observer_count++] = observer;
}

static enum hs_status open_figures(struct hs_report *r, struct hs_diag *diag)
{
    const struct hs_rundir *dir = r->options.dir;
    HS_TRY(hs_stats_open(&r->stats, dir != NULL ? dir->tmp_path : NULL, r->options.warmup_us,
                         r->options.cooldown_us, diag));
    r->has_stats = true;
    enum hs_status status = hs_timeline_open(&r->timeline);
    if (status == HS_OK)
        status = hs_bounds_open(&r->bounds, r->options.cluster, r->options.speed);
    if (status != HS_OK)
        return hs_fail(diag, status, NULL, NULL, "no memory for the figures of the run");
    observe(r, (struct hs_observer){.ctx = r,
                                    .on_submit = on_submit,
                                    .on_finish = on_finish,
                                    .on_reject = on_reject,
                                    .on_instant = on_instant,
                                    .is_wordless = true});
    return HS_OK;
}

static bool wants(const struct hs_report *r, uint32_t output)
{
    return r->options.dir != NULL && (r->options.outputs & output) != 0;
}

static enum hs_status open_files(struct hs_report *r, struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    if (wants(r, HS_OUT_JOBS)) {
        hs_rundir_file(r->options.dir, "jobs.csv", path, sizeof path);
        HS_TRY(hs_jobs_file_open(&r->jobs, path, r->options.workload_name, diag));
        r->open_files |= HS_OUT_JOBS;
        observe(r, hs_jobs_file_observer(&r->jobs));
    }
    if (wants(r, HS_OUT_SEGMENTS)) {
        hs_rundir_file(r->options.dir, "segments.csv", path, sizeof path);
        HS_TRY(hs_segments_open(&r->segments, path, diag));
        r->open_files |= HS_OUT_SEGMENTS;
        observe(r, hs_segments_observer(&r->segments));
    }
    if (wants(r, HS_OUT_SERIES)) {
        hs_rundir_file(r->options.dir, "series.csv", path, sizeof path);
        HS_TRY(hs_series_open(&r->series, path, r->options.sample_us, r->options.cluster->gpu_count,
                              diag));
        r->open_files |= HS_OUT_SERIES;
        observe(r, hs_series_observer(&r->series));
    }
    if (wants(r, HS_OUT_DECISIONS)) {
        hs_rundir_file(r->options.dir, "decisions.csv", path, sizeof path);
        HS_TRY(hs_decisions_open(&r->decisions, path, r->options.semantics, diag));
        r->open_files |= HS_OUT_DECISIONS;
        observe(r, hs_decisions_observer(&r->decisions));
    }
    if (wants(r, HS_OUT_NODES)) {
        if (hs_nodes_open(&r->nodes, r->options.cluster) != HS_OK)
            return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the account of the nodes");
        r->open_files |= HS_OUT_NODES;
        observe(r, hs_nodes_observer(&r->nodes));
    }
    if (wants(r, HS_OUT_SWF)) {
        HS_TRY(hs_swf_open(&r->swf, &r->options, diag));
        observe(r, hs_swf_observer(&r->swf));
    }
    return HS_OK;
}

/* Closes a writer and lists its file; keeps the first failure. */
static void close_csv(struct hs_report *r, uint32_t output, struct hs_csvw *csv, const char *name,
                      enum hs_status *status, struct hs_diag *diag)
{
    if ((r->open_files & output) == 0)
        return;
    r->open_files &= ~output;
    r->files[r->file_count++] = (struct hs_output_file){.name = name,
                                                        .hash = hs_output_hash(&csv->out),
                                                        .bytes = hs_output_bytes(&csv->out),
                                                        .rows = csv->rows};
    enum hs_status closed = hs_csvw_close(csv, diag);
    if (*status == HS_OK)
        *status = closed;
}

/* The files that are written at the end. */
static enum hs_status write_files(struct hs_report *r, int64_t span_us, struct hs_diag *diag)
{
    char path[HS_PATH_SIZE];
    if (wants(r, HS_OUT_NODES)) {
        struct hs_output_file *file = &r->files[r->file_count++];
        file->name = "nodes.csv";
        hs_rundir_file(r->options.dir, file->name, path, sizeof path);
        HS_TRY(hs_nodes_write(&r->nodes, path, span_us, file, diag));
    }
    if (wants(r, HS_OUT_SWF)) {
        struct hs_output_file *file = &r->files[r->file_count++];
        file->name = "jobs.swf";
        hs_rundir_file(r->options.dir, file->name, path, sizeof path);
        HS_TRY(hs_swf_write(&r->swf, path, file, diag));
    }
    return HS_OK;
}

static enum hs_status close_files(struct hs_report *r, int64_t end_us, int64_t span_us,
                                  struct hs_diag *diag)
{
    enum hs_status status = HS_OK;
    close_csv(r, HS_OUT_JOBS, &r->jobs.csv, "jobs.csv", &status, diag);
    close_csv(r, HS_OUT_SEGMENTS, &r->segments, "segments.csv", &status, diag);
    if ((r->open_files & HS_OUT_SERIES) != 0)
        hs_series_finish(&r->series, end_us, &r->timeline);
    close_csv(r, HS_OUT_SERIES, &r->series.csv, "series.csv", &status, diag);
    close_csv(r, HS_OUT_DECISIONS, &r->decisions.csv, "decisions.csv", &status, diag);
    return status != HS_OK ? status : write_files(r, span_us, diag);
}

enum hs_status hs_report_open(struct hs_report **report, const struct hs_report_options *options,
                              struct hs_diag *diag)
{
    *report = NULL;
    struct hs_report *r = hs_alloc_zeroed(1, sizeof *r);
    if (r == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the report");
    r->options = *options;
    r->diag = diag;
    enum hs_status status = open_figures(r, diag);
    if (status == HS_OK)
        status = open_files(r, diag);
    if (status != HS_OK) {
        hs_report_close(r);
        return status;
    }
    *report = r;
    return HS_OK;
}

const struct hs_observer *hs_report_observer(const struct hs_report *report, size_t index)
{
    return index < report->observer_count ? &report->observers[index] : NULL;
}

enum hs_status hs_report_finish(struct hs_report *r, int64_t end_us, struct hs_summary *summary,
                                struct hs_diag *diag)
{
    int64_t first_us = r->stats.first_submit_us;
    int64_t span_us = first_us >= 0 && end_us > first_us ? end_us - first_us : 0;
    *summary = (struct hs_summary){0};
    hs_timeline_close(&r->timeline, end_us);
    HS_TRY(close_files(r, end_us, span_us, diag));
    if (hs_bounds_finish(&r->bounds) != HS_OK)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "no memory for the bounds");
    HS_TRY(hs_stats_finish(&r->stats, summary));
    struct hs_metrics_source source = {.options = &r->options,
                                       .stats = &r->stats,
                                       .timeline = &r->timeline,
                                       .bounds = &r->bounds,
                                       .gpus = r->options.cluster->gpu_count,
                                       .span_us = span_us};
    hs_metrics_fill(summary, &source);
    hs_metrics_sparkline(summary, &source);
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
    enum hs_status ignored = HS_OK;
    close_csv(r, HS_OUT_JOBS, &r->jobs.csv, "jobs.csv", &ignored, &quiet);
    close_csv(r, HS_OUT_SEGMENTS, &r->segments, "segments.csv", &ignored, &quiet);
    close_csv(r, HS_OUT_SERIES, &r->series.csv, "series.csv", &ignored, &quiet);
    close_csv(r, HS_OUT_DECISIONS, &r->decisions.csv, "decisions.csv", &ignored, &quiet);
    hs_jobs_file_free(&r->jobs);
    hs_nodes_free(&r->nodes);
    hs_swf_close(&r->swf);
    if (r->has_stats)
        hs_stats_close(&r->stats);
    hs_timeline_free(&r->timeline);
    hs_bounds_close(&r->bounds);
    hs_free(r);
}
