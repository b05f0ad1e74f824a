/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Connects trace, policy, engine and report. After any failure everything opened is closed and the
 * run directory is complete or absent, or kept with its checkpoint.
 */
#include "cli/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "report/explain/teams.h"
#include "report/html/page.h"
#include "report/run/observers.h"

/* ---- one pass over the trace ---- */

struct pass {
    const struct hs_setup *setup;
    const struct hs_run_call *call;
    struct hs_diag *diag;
    struct hs_trace *trace;
    struct hs_assign *assign;
    struct hs_retry retry;
    struct hs_report *report;
    struct hs_engine *engine;
    struct hs_run_result *result;
    const struct hs_rundir *dir;
    struct hs_status_line status_line;
    char label[48];
    struct checkpoints *checkpoints; /* NULL: none */
    double predicted_s;              /* time when its length was last looked at; -1: it was noted */
};

/* ---- checkpoints ---- */

struct checkpoints {
    struct hs_image_head head;
    struct hs_rundir *dir;
    int64_t next_us, next_wall_us; /* time of the simulation, of this process */
    bool is_on;                    /* else there is only the snapshot */
};

static int64_t wall_us(const struct pass *pass)
{
    return (int64_t)(hs_status_line_elapsed_s(&pass->status_line) * 1e6);
}

static bool is_checkpoint_due(const struct pass *pass, int64_t now_us)
{
    const struct hs_run_options *options = pass->setup->options;
    const struct checkpoints *c = pass->checkpoints;
    return c != NULL && c->is_on &&
           ((options->save_sim_us > 0 && now_us >= c->next_us) ||
            (options->save_us > 0 && wall_us(pass) >= c->next_wall_us));
}

static enum hs_status write_checkpoint(const struct pass *pass, int64_t now_us)
{
    const struct hs_run_options *options = pass->setup->options;
    struct checkpoints *c = pass->checkpoints;
    c->head.time_us = now_us;
    if (options->save_sim_us > 0)
        c->next_us = (now_us / options->save_sim_us + 1) * options->save_sim_us;
    HS_TRY(hs_image_write(HS_RUNDIR_FILE(c->dir, HS_RUNDIR_CHECKPOINT), &c->head, pass->diag));
    c->dir->beside.is_kept = true;
    c->next_wall_us = wall_us(pass) + options->save_us;
    return HS_OK;
}

/* Called at the horizon. */
static enum hs_status write_snapshot(void *ctx)
{
    const struct pass *pass = ctx;
    struct hs_image_head head = pass->checkpoints->head;
    head.time_us = pass->setup->options->until_us;
    head.has_files = true;
    return hs_image_write(pass->setup->options->snapshot, &head, pass->diag);
}

static enum hs_status stop_by_signal(const struct pass *pass, int64_t now_us)
{
    const double day = (double)now_us / 86400e6;
    hs_interrupt_unhurried();
    if (pass->checkpoints == NULL || !pass->checkpoints->is_on)
        return hs_fail(pass->diag, HS_E_INTERRUPTED, NULL, NULL,
                       "stopped by %s on day %.1f of the simulation: nothing was kept",
                       hs_interrupt_name(), day);
    HS_TRY(write_checkpoint(pass, now_us));
    return hs_fail(pass->diag, HS_E_INTERRUPTED, NULL,
                   "the same command with --resume continues it",
                   "stopped by %s on day %.1f of the simulation: a checkpoint was written",
                   hs_interrupt_name(), day);
}

/* Returns the progress furthest advanced: the share of finished jobs, or of time or events if these
 * are limited. -1 if unknown. */
static double share_done(const struct pass *pass, const struct hs_instant *now,
                         struct hs_engine_figures *figures)
{
    const struct hs_run_options *options = pass->setup->options;
    hs_engine_get_figures(pass->engine, figures);
    double until_us = (double)options->until_us, share = -1;
    double expected = hs_trace_expected(pass->trace), max_events = (double)options->max_events;
    uint64_t live = now->running + now->pending + now->suspended;
    if (expected > 0)
        share = (double)(figures->jobs > live ? figures->jobs - live : 0) / expected;
    if (until_us > 0 && (double)now->time_us / until_us > share)
        share = (double)now->time_us / until_us;
    if (max_events > 0 && (double)figures->events / max_events > share)
        share = (double)figures->events / max_events;
    return share < 1 ? share : 1;
}

#define LONG_AFTER_S 5.0

/* Notes once that the run takes long; looks again at twice the time until it does. */
static void note_length(struct pass *pass, const struct hs_instant *now)
{
    const double used_s = hs_status_line_elapsed_s(&pass->status_line);
    struct hs_engine_figures figures;
    if (used_s < LONG_AFTER_S || used_s < 2 * pass->predicted_s)
        return;
    const double share = share_done(pass, now, &figures);
    pass->predicted_s =
        hs_run_note_length(pass->setup, used_s, share, figures.events, pass->diag) ? -1 : used_s;
}

static enum hs_status pass_poll(void *ctx, const struct hs_instant *now)
{
    struct pass *pass = ctx;
    if (hs_interrupt_signal() != 0)
        return stop_by_signal(pass, now->time_us);
    if (is_checkpoint_due(pass, now->time_us))
        HS_TRY(write_checkpoint(pass, now->time_us));
    const struct hs_run_options *options = pass->setup->options;
    if (options->max_wall_us > 0 &&
        hs_status_line_elapsed_s(&pass->status_line) * 1e6 >= (double)options->max_wall_us)
        return HS_END;
    if (pass->predicted_s >= 0)
        note_length(pass, now);
    if (!hs_status_line_is_due(&pass->status_line))
        return HS_OK;
    struct hs_engine_figures figures;
    const double share = share_done(pass, now, &figures);
    hs_status_line_show_run(&pass->status_line, now, share, figures.events);
    return HS_OK;
}

static enum hs_status note_rejected(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct hs_intake *intake = ctx;
    (void)now_us;
    if (intake->rejected < HS_REJECTED_SHOWN)
        (void)snprintf(intake->rejections[intake->rejected], sizeof intake->rejections[0],
                       "%s rejected: %s", job->id, job->reason);
    intake->rejected++;
    intake->demand_us -= (hs_u128)hs_record_milli(job) * (uint64_t)job->work_us;
    uint32_t i = 0;
    while (i < intake->reason_count && i + 1 < HS_REASONS_MAX &&
           strncmp(intake->reasons[i].reason, job->reason, sizeof intake->reasons[i].reason - 1) !=
               0)
        i++;
    if (i == intake->reason_count) {
        intake->reason_count++;
        (void)snprintf(intake->reasons[i].reason, sizeof intake->reasons[i].reason, "%s",
                       i + 1 < HS_REASONS_MAX ? job->reason : "other reasons");
    }
    intake->reasons[i].jobs++;
    return HS_OK;
}

static enum hs_status note_submission(void *ctx, int64_t now_us, const struct hs_submission *job)
{
    struct hs_intake *intake = ctx;
    if (job->index == 0)
        intake->first_us = now_us;
    intake->last_us = now_us;
    intake->demand_us += (hs_u128)job->gpus * job->gpu_milli * (uint64_t)job->work_us;
    return HS_OK;
}

static struct hs_report_options report_options(const struct hs_setup *setup)
{
    return (struct hs_report_options){
        .cluster = &setup->cluster,
        .speed = setup->speed,
        .semantics = &setup->card.policy_semantics,
        .workload_name = setup->workload,
        .outputs = setup->outputs,
        .sample_us = setup->sample_us,
        .max_rows = (uint64_t)setup->options->max_rows,
        .warmup_us = setup->options->warmup_us,
        .cooldown_us = setup->options->cooldown_us,
        .has_fairness = setup->options->fairness,
        .has_events = hs_machines_are_any(&setup->machines),
        .has_power = setup->options->power,
        .is_preemptive = (setup->can & HS_CAN_PREEMPT) != 0,
        .is_sharing = (setup->can & HS_CAN_COLOCATE) != 0, /* slice groups, too */
        .is_resizing = (setup->can & HS_CAN_RESIZE) != 0,
        .is_allotting = (setup->can & HS_CAN_HOST) != 0,
    };
}

static enum hs_status open_report(struct pass *pass, const struct hs_rundir *dir)
{
    struct hs_report_options options = report_options(pass->setup);
    options.dir = dir;
    return hs_report_open(&pass->report, &options, pass->diag);
}

static struct hs_engine_config engine_config(struct pass *pass, uint64_t jitter_seed)
{
    const struct hs_setup *setup = pass->setup;
    const struct hs_run_options *options = setup->options;
    return (struct hs_engine_config){
        .cluster = &setup->cluster,
        .policy = setup->policy,
        .policy_state = setup->policy_state,
        .check = (enum hs_check)options->check,
        .seed = (uint64_t)options->seed,
        .jitter_seed = jitter_seed,
        .until_us = options->until_us > 0 ? options->until_us : HS_TIME_MAX,
        .max_events = (uint64_t)options->max_events,
        .interference = setup->interference,
        .speed = setup->speed,
        .has_locality = options->locality == 0,
        .rack_q32 = options->locality == 0 && options->rack_speed < 1
                        ? (uint64_t)llround(options->rack_speed * (double)HS_Q32_ONE)
                        : 0,
        .predictor = setup->predictor,
        .catalogue = &setup->catalogue,
        .restart = setup->restart,
        .host = setup->host,
        .stages = setup->stages,
        .reservations = &setup->reservations,
        .memcurve = setup->memcurve,
        .storage_mib_per_s = (uint32_t)options->storage_bandwidth,
        .max_tenants = (uint32_t)options->max_tenants,
        .memory_reserve_mib = setup->memory_reserve_mib,
        .oom_delay_us = options->oom_delay,
        .oom_retries = (uint32_t)options->oom_retries,
        .startup_us = options->startup_us,
        .machines = &setup->machines,
        .checkpoint_us = setup->checkpoint_us,
        .checkpoint_cost_us = options->checkpoint_cost_us,
        .restart_us = options->restart_us,
        .poll = pass_poll,
        .poll_ctx = pass,
        .at_until = options->snapshot != NULL ? write_snapshot : NULL,
    };
}

/* Opens the jobs of the trace, with profiles and generated failed attempts. */
static enum hs_status open_jobs(struct pass *pass, struct hs_job_source *jobs)
{
    const struct hs_setup *setup = pass->setup;
    HS_TRY(hs_trace_open(&pass->trace, &setup->trace, pass->diag));
    HS_TRY(hs_assign_open(&pass->assign, hs_trace_source(pass->trace), &setup->catalogue,
                          &setup->assign, pass->diag));
    *jobs = hs_assign_source(pass->assign);
    if (setup->options->retries != HS_RETRIES_GENERATE)
        return HS_OK;
    hs_retry_open(&pass->retry, *jobs, (uint64_t)setup->options->seed);
    *jobs = hs_retry_source(&pass->retry);
    return HS_OK;
}

static void close_jobs(struct pass *pass)
{
    hs_assign_close(pass->assign);
    hs_trace_close(pass->trace);
    pass->assign = NULL;
    pass->trace = NULL;
}

static void close_run(struct pass *pass)
{
    hs_engine_close(pass->engine);
    close_jobs(pass);
    pass->engine = NULL;
}

/* Called before the trace is closed: stores the counts of its rows, and the hash of the whole file
 * even if --max-jobs or --until ended the run earlier. */
static enum hs_status take_intake(struct pass *pass, struct hs_run_result *result)
{
    struct hs_intake *intake = &result->intake;
    hs_trace_get_counts(pass->trace, &intake->trace);
    hs_assign_get_counts(pass->assign, &intake->assigned);
    intake->retries = pass->retry.counts;
    struct hs_manifest_input *input = &result->trace_input;
    *input = (struct hs_manifest_input){
        .role = "trace", .path = pass->setup->options->trace, .rows = intake->trace.rows};
    HS_TRY(hs_trace_identity(pass->trace, &input->hash, &input->bytes));
    (void)snprintf(result->format, sizeof result->format, "%s", hs_trace_format_name(pass->trace));
    return HS_OK;
}

static enum hs_status pass_open(struct pass *pass, uint64_t jitter_seed, struct hs_job_source *jobs)
{
    const struct hs_engine_config config = engine_config(pass, jitter_seed);
    const struct hs_observer tally = {
        .ctx = &pass->result->intake, .on_submit = note_submission, .on_reject = note_rejected};
    const struct hs_observer *observer;
    struct hs_backtest *backtest = jitter_seed == 0 ? pass->call->backtest : NULL;
    HS_TRY(open_jobs(pass, jobs));
    if (backtest != NULL)
        *jobs = hs_backtest_source(backtest, *jobs);
    HS_TRY(open_report(pass, pass->dir));
    HS_TRY(hs_engine_open(&pass->engine, &config, pass->diag));
    for (size_t i = 0; (observer = hs_report_observer(pass->report, i)) != NULL; i++)
        HS_TRY(hs_engine_observe(pass->engine, observer));
    HS_TRY(hs_engine_observe(pass->engine, &tally));
    return backtest != NULL ? hs_engine_observe(pass->engine, &backtest->observer) : HS_OK;
}

/* The last checkpoint goes before its temporary files and the beginnings of columns do. */
static enum hs_status pass_finish(struct pass *pass)
{
    struct hs_run_result *result = pass->result;
    struct hs_rundir *left = pass->checkpoints != NULL ? pass->checkpoints->dir : NULL;
    if (left != NULL && left->beside.is_kept) {
        left->beside.is_kept = false;
        (void)unlink(HS_RUNDIR_FILE(left, HS_RUNDIR_CHECKPOINT));
    }
    hs_engine_get_figures(pass->engine, &result->figures);
    HS_TRY(take_intake(pass, result));
    close_run(pass); /* the report sorts in the memory freed by this */
    HS_TRY(hs_report_finish(pass->report, result->figures.end_us, &result->summary, pass->diag));
    result->summary.rejection_count = result->intake.reason_count;
    memcpy(result->summary.rejections, result->intake.reasons, sizeof result->intake.reasons);
    uint32_t count = 0;
    const struct hs_output_file *files = hs_report_files(pass->report, &count);
    for (result->file_count = 0; result->file_count < count; result->file_count++)
        result->files[result->file_count] = files[result->file_count];
    struct hs_backtest *backtest = pass->call->backtest;
    if (backtest == NULL || pass->dir == NULL)
        return HS_OK;
    hs_backtest_compare(backtest);
    HS_TRY(hs_backtest_write(backtest, pass->dir, &result->files[result->file_count], pass->diag));
    result->file_count += HS_BACKTEST_FILES;
    return HS_OK;
}

/* status: of the engine, or of what failed before it. */
static enum hs_status pass_close(struct pass *pass, enum hs_status status)
{
    const struct checkpoints *c = pass->checkpoints;
    hs_terminal_status(&pass->call->by->terminal, "");
    if (status == HS_OK)
        status = pass_finish(pass);
    close_run(pass);
    if (c == NULL || !c->dir->beside.is_kept) /* else --resume needs the temporary files */
        hs_report_close(pass->report);
    return status;
}

static void pass_start(struct pass *pass, const struct hs_run_call *call)
{
    pass->call = call;
    hs_status_line_start(&pass->status_line, &call->by->terminal, call->shows_progress,
                         pass->setup->cluster.gpu_count);
    pass->status_line.label = pass->label;
}

/* ---- --tie-jitter ---- */

/* Metrics with a spread. */
static const char *const main_metrics[] = {
    "makespan", "mean_wait", "p50_wait", "p99_wait",       "mean_jct",
    "p50_jct",  "p99_jct",   "max_wait", "gpu_allocation", "mean_bounded_slowdown",
};

/* Seed of run k >= 0 under the run's seed; never 0, which means "by rule". */
static uint64_t jitter_seed_of(uint64_t seed, uint32_t k)
{
    uint64_t drawn = hs_mix64(hs_seed_of(seed, "tie-jitter"), k);
    return drawn != 0 ? drawn : 1;
}

/* Adds the figures of another run with random ties. */
static void add_spreads(struct hs_summary *summary, const struct hs_summary *run)
{
    for (size_t i = 0; i < HS_COUNT_OF(main_metrics); i++) {
        for (uint32_t m = 0; m < run->count; m++) {
            const struct hs_metric *metric = &run->metrics[m];
            uint32_t s = 0;
            if (strcmp(metric->name, main_metrics[i]) != 0 || isnan(metric->value))
                continue;
            while (s < summary->spread_count && strcmp(summary->spreads[s].name, metric->name) != 0)
                s++;
            if (s == HS_SPREADS_MAX)
                continue;
            if (s == summary->spread_count)
                summary->spreads[summary->spread_count++] =
                    (struct hs_spread){.name = metric->name};
            hs_spread_add(&summary->spreads[s], metric->value);
        }
    }
}

/* pass: with what is common to all k. */
static enum hs_status run_once(struct pass *pass, const struct hs_run_call *call, uint32_t k)
{
    const struct hs_run_options *options = pass->setup->options;
    struct hs_job_source jobs;
    if (k > 0)
        (void)snprintf(pass->label, sizeof pass->label, "ties %" PRIu32 "/%" PRId64 " ", k,
                       options->tie_jitter);
    pass_start(pass, call);
    enum hs_status status =
        pass_open(pass, k > 0 ? jitter_seed_of((uint64_t)options->seed, k - 1) : 0, &jobs);
    if (status == HS_OK)
        status = hs_engine_run(pass->engine, jobs);
    return pass_close(pass, status);
}

static enum hs_status run_jittered(const struct hs_setup *setup, const struct hs_run_call *call,
                                   struct hs_run_result *result, struct hs_diag *diag)
{
    if (setup->options->tie_jitter == 0)
        return HS_OK;
    struct hs_run_result *run = hs_alloc_zeroed(1, sizeof *run);
    /* The run by rule already warned of the trace. */
    struct hs_diag muted = *diag;
    muted.least = HS_ERROR;
    enum hs_status status = HS_OK;
    for (uint32_t k = 1; k <= setup->options->tie_jitter && status == HS_OK; k++) {
        memset(run, 0, sizeof *run);
        struct pass pass = {.setup = setup, .diag = &muted, .result = run};
        status = run_once(&pass, call, k);
        if (status == HS_OK)
            add_spreads(&result->summary, &run->summary);
        result->cut_ties += hs_run_is_cut(run);
    }
    hs_free(run);
    diag->errors = muted.errors;
    return status;
}

/* ---- the last files of a run ---- */

static void write_parameters(void *result, struct hs_jsonw *w)
{
    hs_record_parameters(((const struct hs_run_result *)result)->setup, w);
}

/* The page is generated from the directory with its manifest, then that is rewritten to list it. */
static enum hs_status write_page(const struct hs_rundir *dir, struct hs_output_file *file,
                                 struct hs_diag *diag)
{
    const char *const paths[] = {dir->beside.tmp};
    struct hs_page page;
    struct hs_output out;
    enum hs_status status = hs_page_open(&page, paths, 1, diag);
    if (status == HS_OK)
        status = hs_output_open(&out, HS_RUNDIR_FILE(dir, HS_PAGE_FILE), diag);
    if (status == HS_OK) {
        status = hs_page_write(&page, &out);
        *file = hs_output_file_of(&out, HS_PAGE_FILE, 0);
        const enum hs_status closed = hs_output_close(&out, diag);
        status = status != HS_OK ? status : closed;
    }
    hs_page_close(&page);
    return status;
}

/* Writes summary, manifest and, with --report, the page of a run. */
static enum hs_status record_run(struct hs_run_result *result, struct hs_message_log *log,
                                 const struct hs_rundir *dir)
{
    const struct hs_setup *setup = result->setup;
    struct hs_manifest_input inputs[HS_INPUTS_MAX];
    struct hs_output_file
        files[HS_RUN_FILES_MAX + HS_SUMMARY_FILES + HS_TEAMS_FILES + HS_KEPT_ROLES + 1];
    struct hs_card card = setup->card;
    char unknown[512];
    hs_setup_unknown(&result->intake.assigned, unknown, sizeof unknown);
    card.unknown = unknown[0] != '\0' ? unknown : NULL;
    struct hs_manifest manifest = {.status = "complete",
                                   .card = &card,
                                   .seed = (uint64_t)setup->options->seed,
                                   .inputs = inputs,
                                   .outputs = files,
                                   .write_config = hs_config_json,
                                   .write_more = write_parameters,
                                   .write_counts = hs_record_counts,
                                   .more_ctx = result,
                                   .machine = result->machine};

    inputs[0] = result->trace_input;
    manifest.input_count = 1;
    HS_TRY(hs_record_inputs(setup, inputs, &manifest.input_count, &log->diag));
    memcpy(files, result->files, result->file_count * sizeof *files);
    HS_TRY(hs_summary_write(&result->summary, &card, dir, files + result->file_count, &log->diag));
    manifest.output_count = result->file_count + HS_SUMMARY_FILES;
    HS_TRY(hs_record_kept(setup->options, dir, files, &manifest.output_count, &log->diag));
    struct hs_config config = *setup->config;
    manifest.config_ctx = &config;
    HS_TRY(hs_record_manifest(&manifest, log, dir, &log->diag));
    if ((setup->outputs & HS_OUT_TEAMS) != 0) { /* from jobs.csv and the manifest */
        HS_TRY(hs_teams_write(dir, &files[manifest.output_count], &log->diag));
        manifest.output_count += HS_TEAMS_FILES;
        HS_TRY(hs_record_manifest(&manifest, log, dir, &log->diag));
    }
    if (!setup->options->report)
        return HS_OK;
    HS_TRY(write_page(dir, &files[manifest.output_count++], &log->diag));
    return hs_record_manifest(&manifest, log, dir, &log->diag);
}

/* ---- a run ---- */

#define SERIES_ROW_BYTES 30u /* 25.8 of a week, 28 of thirty years */

bool hs_trace_is_read_once(const char *path)
{
    struct stat info;
    return strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

/* Reads the trace once more if series.csv has fixed intervals: the minimum number of rows is then
 * known before the first row. A run lasts longer if jobs wait. */
static enum hs_status foresee_rows(const struct hs_setup *setup, struct hs_diag *diag)
{
    const uint64_t most = (uint64_t)setup->options->max_rows;
    struct hs_diag errors = *diag; /* the run warns of the trace */
    struct pass pass = {.setup = setup, .diag = &errors};
    struct hs_job_source jobs;
    struct hs_trace_job *job;
    int64_t first_us = -1, end_us = 0;
    uint64_t rows = 0;
    errors.least = HS_ERROR;
    if (setup->sample_us <= 0 || (setup->outputs & HS_OUT_SERIES) == 0 ||
        hs_trace_is_read_once(setup->options->trace))
        return HS_OK;
    enum hs_status status = open_jobs(&pass, &jobs);
    while (status == HS_OK && rows <= most && (status = jobs.next(jobs.ctx, &job)) == HS_OK) {
        const int64_t until_us = setup->options->until_us;
        first_us = first_us < 0 ? job->submit_us : first_us;
        if (job->submit_us - first_us + job->duration_us > end_us)
            end_us = job->submit_us - first_us + job->duration_us;
        if (until_us > 0 && end_us > until_us)
            end_us = until_us;
        const uint64_t step_us = (uint64_t)setup->sample_us;
        rows = ((uint64_t)end_us + step_us - 1) / step_us * HS_CH_GPUS_OUT; /* no machine events */
    }
    close_run(&pass);
    diag->errors = errors.errors;
    if (rows > most)
        return hs_fail(diag, HS_E_LIMIT, NULL,
                       "a longer --sample, or --sample=auto; --max-rows N allows more",
                       "series.csv would have at least %" PRIu64 " rows, %.1f GB, for %.1f days in "
                       "steps of %g s; the limit is %" PRIu64 " rows",
                       rows, (double)rows * SERIES_ROW_BYTES / 1e9, (double)end_us / 86400e6,
                       (double)setup->sample_us / 1e6, most);
    return status == HS_END ? HS_OK : status;
}

/* A run; with checkpoints, the root of their image. */
struct simulation {
    struct hs_rundir dir;
    struct hs_message_log log;
    struct hs_status_line stopwatch;
    struct pass pass;
    struct checkpoints checkpoints;
    struct hs_run_options *options; /* with checkpoints; those of the setup */
    struct hs_setup *forked;        /* of a fork; else NULL */
};

static void simulation_start(struct simulation *s, const struct hs_run_call *call)
{
    hs_interrupt_watch();
    hs_status_line_start(&s->stopwatch, &call->by->terminal, false, 0);
}

/* status: of the pass by rule. */
static enum hs_status simulation_end(struct simulation *s, enum hs_status status)
{
    const struct hs_setup *setup = s->pass.setup;
    const struct hs_run_call *call = s->pass.call;
    struct hs_run_result *result = s->pass.result;
    if (status == HS_OK && setup->options->snapshot != NULL &&
        result->figures.stop != HS_STOP_UNTIL)
        status = hs_fail(&s->log.diag, HS_E_INPUT, NULL, "a shorter --until",
                         "no snapshot: the run ends on day %.1f, before --until",
                         (double)result->figures.end_us / 86400e6);
    if (s->forked != NULL)
        hs_append(s->forked->fork_text, sizeof s->forked->fork_text,
                  "; of %" PRIu64 " running jobs %" PRIu64 " stayed where they were",
                  result->figures.fork_running, result->figures.fork_kept);
    if (status == HS_OK)
        status = run_jittered(setup, call, result, s->log.target);
    if (status == HS_OK) {
        hs_run_warn(setup, result, &s->log.diag);
        result->machine =
            hs_record_machine(call->by->command, hs_status_line_elapsed_s(&s->stopwatch), false);
        status = record_run(result, &s->log, &s->dir);
    }
    status = hs_rundir_close(&s->dir, status, &s->log.diag);
    hs_message_log_close(&s->log);
    hs_free(s);
    return status;
}

enum hs_status hs_simulate(const struct hs_setup *setup, const struct hs_run_call *call,
                           const char *dir_path, struct hs_run_result *result, struct hs_diag *diag)
{
    struct simulation *s = hs_alloc_zeroed(1, sizeof *s);
    result->setup = setup;
    simulation_start(s, call);
    enum hs_status status = foresee_rows(setup, diag);
    if (status == HS_OK)
        status = hs_rundir_open(&s->dir, dir_path, setup->options->force, diag);
    if (status != HS_OK) {
        hs_free(s);
        return status;
    }
    hs_message_log_open(&s->log, diag, HS_LOG_WARNINGS);
    s->pass = (struct pass){.setup = setup, .diag = &s->log.diag, .result = result, .dir = &s->dir};
    if (call->image != NULL) {
        const struct hs_run_options *options = setup->options;
        s->pass.checkpoints = &s->checkpoints;
        s->checkpoints = (struct checkpoints){
            .head = *call->image,
            .dir = &s->dir,
            .next_us = options->save_sim_us,
            .next_wall_us = options->save_us,
            .is_on = options->save_us + options->save_sim_us > 0,
        };
        s->options = call->kept;
        *hs_image_root() = s;
    }
    return simulation_end(s, run_once(&s->pass, call, 0));
}

/* ---- forks ---- */

/* Refuses to go on with a snapshot if a file that the run reads has changed since: the manifest
 * names the files as they are now. */
static enum hs_status check_inputs(const struct hs_setup *old, const struct hs_image_head *head,
                                   bool is_fork, struct hs_diag *diag)
{
    struct hs_setup *setup = hs_alloc_zeroed(1, sizeof *setup);
    struct hs_diag muted = *diag; /* the run had the same warnings */
    char name[HS_RUN_NAME_SIZE] = "";
    muted.least = HS_ERROR;
    if (is_fork && hs_trace_is_read_once(old->options->trace))
        return hs_fail(diag, HS_E_USAGE, NULL, "put the trace into a file",
                       "--from reads the trace again, which '%s' does not allow",
                       old->options->trace);
    enum hs_status status = hs_setup_open(setup, old->options, old->config, &muted);
    if (status == HS_OK)
        status = hs_run_identity(setup, name, &muted);
    diag->errors = muted.errors;
    hs_setup_close(setup);
    hs_free(setup);
    if (status == HS_OK && strcmp(name, head->name) != 0)
        return hs_fail(diag, HS_E_INPUT, NULL, "--from needs unchanged inputs",
                       "the inputs are not those that the run had read");
    return status;
}

/* Goes on under another policy. What the past is made of, the cluster and its events, is that of
 * the old setup. */
static enum hs_status fork_run(struct simulation *s, int64_t at_us, const char *policy)
{
    struct pass *pass = &s->pass;
    const struct hs_setup *old = pass->setup;
    struct hs_setup *setup = hs_alloc_zeroed(1, sizeof *setup);
    struct hs_job_source jobs;
    s->options->policy = policy;
    HS_TRY(hs_setup_open(setup, s->options, old->config, pass->diag));
    s->log.warning_count = 0; /* those of the trace come again */
    s->forked = setup;
    (void)snprintf(setup->fork_text, sizeof setup->fork_text, "%s until %.9g s", old->policy->name,
                   (double)at_us / 1e6);
    setup->card.fork = setup->fork_text;
    hs_bits_text(setup->can | old->can, hs_can_words, setup->card.can, sizeof setup->card.can);
    pass->setup = pass->result->setup = setup;
    close_jobs(pass);
    HS_TRY(open_jobs(pass, &jobs));
    struct hs_engine_config config = engine_config(pass, 0);
    config.begin_us = at_us;
    config.cluster = &old->cluster;
    config.machines = &old->machines;
    config.reservations = &old->reservations;
    const struct hs_report_options options = report_options(setup);
    hs_report_fork(pass->report, &options);
    return hs_engine_fork(&pass->engine, &config, jobs);
}

enum hs_status hs_simulate_image(const char *path, struct hs_rundir *dir,
                                 const struct hs_run_call *call, const struct hs_run_options *now,
                                 const char *policy, struct hs_run_result **result,
                                 struct hs_diag *diag)
{
    struct hs_image_head head;
    enum hs_status status = hs_image_read(path, call->image, dir->beside.tmp, &head, diag);
    if (status != HS_OK) {
        hs_rundir_discard(dir);
        return status;
    }
    hs_report(diag, HS_NOTE, NULL, NULL, "continued from day %.1f of the simulation",
              (double)head.time_us / 86400e6);
    struct simulation *s = *hs_image_root();
    if (now->from != NULL)
        status = check_inputs(s->pass.setup, &head, policy != NULL, diag);
    hs_beside_move(&s->dir.beside, &dir->beside);
    s->dir.may_replace = dir->may_replace;
    s->log.target = diag;
    s->options->report = now->report;
    s->options->until_us = now->until_us;
    s->options->snapshot = NULL;
    s->options->save_us = now->save_us;
    s->options->save_sim_us = now->save_sim_us;
    s->checkpoints.next_wall_us = now->save_us;
    s->checkpoints.is_on = now->save_us + now->save_sim_us > 0;
    *result = s->pass.result;
    simulation_start(s, call);
    pass_start(&s->pass, call);
    if (status == HS_OK)
        status = hs_image_enter(&s->log.diag);
    if (status != HS_OK) { /* the run is not there to be closed */
        hs_rundir_discard(&s->dir);
        return status;
    }
    if (policy != NULL)
        status = fork_run(s, head.time_us, policy);
    if (status == HS_OK)
        status =
            hs_engine_continue(s->pass.engine, now->until_us > 0 ? now->until_us : HS_TIME_MAX);
    return simulation_end(s, pass_close(&s->pass, status));
}

enum hs_status hs_simulate_figures(const struct hs_setup *setup, const struct hs_run_call *call,
                                   struct hs_run_result *result, struct hs_diag *diag)
{
    struct pass pass = {.setup = setup, .diag = diag, .result = result};
    return run_once(&pass, call, 0);
}

enum hs_status hs_simulate_options(const struct hs_run_options *options,
                                   const struct hs_config *config, const struct hs_run_call *call,
                                   const char *dir_path, struct hs_diag *diag)
{
    struct hs_run_result *result = hs_alloc_zeroed(1, sizeof *result);
    struct hs_setup *setup = hs_alloc_zeroed(1, sizeof *setup);
    enum hs_status status = hs_setup_open(setup, options, config, diag);
    const uint64_t key = call->trace_count > 0 ? hs_trace_cache_key(&setup->trace) : 0;
    for (uint32_t i = 0; i < call->trace_count; i++)
        if (call->traces[i].key == key)
            setup->trace.trace_cache = call->traces[i].cache;
    if (status == HS_OK)
        status = hs_simulate(setup, call, dir_path, result, diag);
    hs_setup_close(setup);
    hs_free(setup);
    hs_free(result);
    return status;
}

enum hs_status hs_simulate_metrics(const struct hs_setup *setup, struct hs_summary *metrics,
                                   const char *names[HS_METRICS_MAX], struct hs_diag *diag)
{
    struct pass pass = {.setup = setup, .diag = diag};
    HS_TRY(open_report(&pass, NULL));
    enum hs_status status = hs_report_finish(pass.report, 0, metrics, diag);
    hs_report_close(pass.report);
    if (status == HS_OK)
        status = hs_deadlines_fill(NULL, metrics);
    for (uint32_t m = 0; m < metrics->count; m++)
        names[m] = metrics->metrics[m].name;
    return status;
}

enum hs_status hs_simulate_check(const struct hs_setup *setup, struct hs_diag *diag)
{
    struct pass pass = {.setup = setup, .diag = diag};
    const struct hs_engine_config config = engine_config(&pass, 0);
    HS_TRY(hs_engine_open(&pass.engine, &config, diag));
    hs_engine_close(pass.engine);
    return HS_OK;
}

enum hs_status hs_simulate_dry(const struct hs_setup *setup, struct hs_run_result *result,
                               struct hs_diag *diag)
{
    struct hs_trace_job *job;
    struct pass pass = {.setup = setup, .diag = diag};
    HS_TRY(hs_simulate_check(setup, diag));
    struct hs_job_source source;
    enum hs_status status = open_jobs(&pass, &source);
    while (status == HS_OK)
        status = source.next(source.ctx, &job);
    if (status == HS_END)
        status = take_intake(&pass, result);
    close_run(&pass);
    if (status == HS_OK)
        hs_run_warn(setup, result, diag);
    return status;
}
