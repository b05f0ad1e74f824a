/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Connects trace, policy, engine and report. Whatever fails, everything opened is closed and the
 * run directory is complete or absent.
 */
#include "cli/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "cli/process.h"
#include "cli/record.h"
#include "report/html/page.h"
#include "report/run/rundir.h"
#include "traces/trace_stream.h"

/* One pass over the trace. */
struct pass {
    const struct hs_setup *setup;
    const struct hs_run_call *call;
    struct hs_diag *diag;
    struct hs_trace *trace;
    struct hs_assign *assign;
    struct hs_retry retry;
    struct hs_report *report;
    struct hs_engine *engine;
    struct hs_status_line status_line;
    char label[48];
};

/* What is shown: of the jobs, the share that has left; of the time, the share that has passed where
 * the clock is stopped: whichever is nearer to its end. -1 when neither is known. */
static enum hs_status pass_poll(void *ctx, const struct hs_instant *now)
{
    struct pass *pass = ctx;
    if (hs_interrupt_signal() != 0)
        return hs_fail(pass->diag, HS_E_INTERRUPTED, NULL, NULL,
                       "stopped by %s on day %.1f of the simulation: nothing was kept",
                       hs_interrupt_name(), (double)now->time_us / 86400e6);
    if (!hs_status_line_is_due(&pass->status_line))
        return HS_OK;
    struct hs_engine_figures figures;
    hs_engine_get_figures(pass->engine, &figures);
    double until_us = (double)pass->setup->options->until_us, share = -1;
    double expected = hs_trace_expected(pass->trace);
    uint64_t live = now->running + now->pending + now->suspended;
    if (expected > 0)
        share = (double)(figures.jobs > live ? figures.jobs - live : 0) / expected;
    if (until_us > 0 && (double)now->time_us / until_us > share)
        share = (double)now->time_us / until_us;
    hs_status_line_show_run(&pass->status_line, now, share < 1 ? share : 1, figures.events);
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
    return HS_OK;
}

static enum hs_status open_report(struct pass *pass, const struct hs_rundir *dir)
{
    const struct hs_setup *setup = pass->setup;
    struct hs_report_options options = {
        .dir = dir,
        .cluster = &setup->cluster,
        .speed = setup->models.speed,
        .semantics = &setup->card.policy_semantics,
        .workload_name = setup->workload,
        .outputs = setup->outputs,
        .sample_us = setup->sample_us,
        .warmup_us = setup->options->warmup_us,
        .cooldown_us = setup->options->cooldown_us,
        .is_preemptive = (setup->can & HS_CAN_PREEMPT) != 0,
        .is_sharing = (setup->can & HS_CAN_COLOCATE) != 0, /* lanes too */
        .is_resizing = (setup->can & HS_CAN_RESIZE) != 0,
    };
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
        .interference = setup->models.interference,
        .speed = setup->models.speed,
        .has_locality = options->locality == 0,
        .predictor = setup->models.predictor,
        .catalogue = &setup->models.catalogue,
        .restart = setup->models.restart,
        .memcurve = setup->models.memcurve,
        .storage_mib_per_s = (uint32_t)options->storage_bandwidth,
        .max_tenants = (uint32_t)options->max_tenants,
        .memory_reserve_mib = setup->models.memory_reserve_mib,
        .oom_delay_us = options->oom_delay,
        .oom_retries = (uint32_t)options->oom_retries,
        .startup_us = options->startup_us,
        .poll = pass_poll,
        .poll_ctx = pass,
    };
}

/* The jobs of the trace, each with its profile and with the failed attempts generated for it. */
static enum hs_status open_jobs(struct pass *pass, struct hs_job_source *jobs)
{
    const struct hs_setup *setup = pass->setup;
    HS_TRY(hs_trace_open(&pass->trace, &setup->trace, pass->diag));
    HS_TRY(hs_assign_open(&pass->assign, hs_trace_source(pass->trace), &setup->models.catalogue,
                          &setup->models.assign, pass->diag));
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
    if (pass->trace != NULL)
        hs_trace_close(pass->trace);
    pass->assign = NULL;
    pass->trace = NULL;
}

static void close_run(struct pass *pass)
{
    if (pass->engine != NULL)
        hs_engine_close(pass->engine);
    pass->engine = NULL;
    close_jobs(pass);
}

/* Before the trace is closed: what became of its rows, and its hash, which is that of the whole
 * file also where --max-jobs or --until end the run earlier. */
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

static enum hs_status pass_run(struct pass *pass, uint64_t jitter_seed, const struct hs_rundir *dir,
                               struct hs_run_result *result)
{
    const struct hs_engine_config config = engine_config(pass, jitter_seed);
    const struct hs_observer tally = {.ctx = &result->intake, .on_reject = note_rejected};
    const struct hs_observer *observer;
    struct hs_job_source jobs;
    HS_TRY(open_jobs(pass, &jobs));
    HS_TRY(open_report(pass, dir));
    HS_TRY(hs_engine_open(&pass->engine, &config, pass->diag));
    for (size_t i = 0; (observer = hs_report_observer(pass->report, i)) != NULL; i++)
        HS_TRY(hs_engine_observe(pass->engine, observer));
    HS_TRY(hs_engine_observe(pass->engine, &tally));
    enum hs_status status = hs_engine_run(pass->engine, jobs);
    hs_terminal_status(pass->call->terminal, "");
    HS_TRY(status);
    hs_engine_get_figures(pass->engine, &result->figures);
    HS_TRY(take_intake(pass, result));
    close_run(pass); /* the report sorts in the memory that this frees */
    HS_TRY(hs_report_finish(pass->report, result->figures.end_us, &result->summary, pass->diag));
    uint32_t count = 0;
    const struct hs_output_file *files = hs_report_files(pass->report, &count);
    for (result->file_count = 0; result->file_count < count; result->file_count++)
        result->files[result->file_count] = files[result->file_count];
    return HS_OK;
}

static enum hs_status run_once(const struct hs_setup *setup, const struct hs_run_call *call,
                               uint32_t k, const struct hs_rundir *dir,
                               struct hs_run_result *result, struct hs_diag *diag)
{
    struct pass pass = {.setup = setup, .call = call, .diag = diag};
    uint64_t seed = k > 0 ? hs_jitter_seed((uint64_t)setup->options->seed, k - 1) : 0;
    hs_status_line_start(&pass.status_line, call->terminal, call->shows_progress,
                         setup->cluster.gpu_count);
    if (k > 0)
        (void)snprintf(pass.label, sizeof pass.label, "ties %" PRIu32 "/%" PRId64 " ", k,
                       setup->options->tie_jitter);
    pass.status_line.label = pass.label;
    enum hs_status status = pass_run(&pass, seed, dir, result);
    close_run(&pass);
    if (pass.report != NULL)
        hs_report_close(pass.report);
    return status;
}

/* ---- --tie-jitter ---- */

/* The metrics that get a spread. */
static const char *const main_metrics[] = {
    "makespan", "mean_wait", "p50_wait", "p99_wait",       "mean_jct",
    "p50_jct",  "p99_jct",   "max_wait", "gpu_allocation", "mean_bounded_slowdown",
};

uint64_t hs_jitter_seed(uint64_t seed, uint32_t k)
{
    uint64_t drawn = hs_mix64(hs_seed_of(seed, "tie-jitter"), k);
    return drawn != 0 ? drawn : 1;
}

void hs_jitter_add(struct hs_summary *summary, const struct hs_summary *run)
{
    for (size_t i = 0; i < sizeof main_metrics / sizeof *main_metrics; i++) {
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

static enum hs_status run_jittered(const struct hs_setup *setup, const struct hs_run_call *call,
                                   struct hs_run_result *result, struct hs_diag *diag)
{
    if (setup->options->tie_jitter == 0)
        return HS_OK;
    struct hs_run_result *run = hs_alloc_zeroed(1, sizeof *run);
    /* The run by rule has warned of the trace. */
    struct hs_diag muted = *diag;
    muted.least = HS_ERROR;
    enum hs_status status = HS_OK;
    for (uint32_t k = 1; k <= setup->options->tie_jitter && status == HS_OK; k++) {
        memset(run, 0, sizeof *run);
        status = run_once(setup, call, k, NULL, run, &muted);
        if (status == HS_OK)
            hs_jitter_add(&result->summary, &run->summary);
    }
    hs_free(run);
    diag->errors = muted.errors;
    return status;
}

/* ---- warnings ---- */

void hs_warn_of_rows(const struct hs_trace_counts *counts, bool has_order, struct hs_diag *diag)
{
    for (int i = 0; i < HS_DROP_COUNT; i++)
        if (counts->drops[i] > 0)
            hs_report(diag, HS_WARNING, NULL, NULL, "%" PRIu64 " of %" PRIu64 " rows left out: %s",
                      counts->drops[i], counts->rows, hs_drop_texts[i]);
    if (has_order && counts->reordered > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " rows came late and were put in order of submission",
                  counts->reordered, counts->rows);
    if (counts->rounded > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " jobs had their GPUs rounded up: " HS_ROUNDED_TEXT,
                  counts->rounded, counts->accepted);
}

void hs_warn_of_profiles(const struct hs_assign_counts *assigned,
                         const struct hs_retry_counts *retries, uint64_t jobs, struct hs_diag *diag)
{
    if (assigned->inexact > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " jobs name a batch, dataset or precision that the "
                  "catalogue does not have, e.g. '%s': %s stands for it",
                  assigned->inexact, jobs, assigned->inexact_example, assigned->inexact_instead);
    if (assigned->unknown_model > 0)
        hs_report(diag, HS_WARNING, NULL,
                  "add its row to the catalogue (--profiles); by default an assumed profile is "
                  "drawn for them, --assign=columns leaves them without one",
                  "%" PRIu64 " of %" PRIu64
                  " jobs name a model that the catalogue does not know, e.g. '%s'",
                  assigned->unknown_model, jobs, assigned->unknown_example);
    hs_fractions_warn(&assigned->utils, NULL, "gpu_util", "jobs", diag);
    if (retries->jobs > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "%" PRIu64 " of %" PRIu64 " jobs fail %" PRIu64
                  " times before their recorded run: %.1f h of run time on top of the trace's",
                  retries->jobs, jobs, retries->failures, (double)retries->added_us / 3600e6);
}

static void warn(const struct hs_setup *setup, const struct hs_run_result *result,
                 struct hs_diag *diag)
{
    const struct hs_intake *intake = &result->intake;
    const struct hs_engine_figures *figures = &result->figures;
    const uint64_t jobs = intake->trace.accepted;
    hs_models_warn(&setup->models, &intake->assigned, diag);
    hs_warn_of_rows(&intake->trace, true, diag);
    hs_warn_of_profiles(&intake->assigned, &intake->retries, jobs, diag);
    for (uint64_t i = 0; i < intake->rejected && i < HS_REJECTED_SHOWN; i++)
        hs_report(diag, HS_WARNING, NULL, NULL, "job %s", intake->rejections[i]);
    if (intake->rejected > 0)
        hs_report(diag, HS_WARNING, NULL, "they have status rejected in jobs.csv",
                  "%" PRIu64 " of %" PRIu64 " jobs were rejected: they can never run",
                  intake->rejected, jobs);
    if (figures->shares_rounded > 0)
        hs_report(diag, HS_WARNING, NULL, "'horus policies' tells which policies may divide GPUs",
                  "%" PRIu64 " of %" PRIu64
                  " jobs want a share of a GPU and get whole GPUs: policy "
                  "'%s' does not divide them",
                  figures->shares_rounded, figures->jobs, setup->policy->name);
    if (figures->unnamed > 0)
        hs_report(diag, HS_WARNING, NULL, "the policy's pred_unknown was taken for them",
                  "%" PRIu64 " of %" PRIu64 " jobs are not in the file of estimates",
                  figures->unnamed, figures->jobs);
    if (figures->unfinished > 0)
        hs_report(diag, HS_WARNING, NULL, NULL,
                  "jobs not finished at the end of the simulation: %" PRIu64, figures->unfinished);
}

/* ---- the last files of a run ---- */

/* What the manifest of a run is about. */
struct recorded {
    const struct hs_setup *setup;
    const struct hs_run_result *result;
};

static void write_parameters(void *ctx, struct hs_jsonw *w)
{
    hs_record_parameters(((const struct recorded *)ctx)->setup, w);
}

/* What happened, jobs by the origin of their profile, invariants checked. */
static void write_counts(void *ctx, struct hs_jsonw *w)
{
    static const char *const checks[] = {"off", "fast", "full"};
    const struct recorded *run = ctx;
    const struct hs_engine_figures *f = &run->result->figures;
    const struct hs_assign_counts *a = &run->result->intake.assigned;
    hs_jsonw_put(w,
                 "engine={ events=%" PRIu64 " instants=%" PRIu64 " decisions=%" PRIu64
                 " jobs=%" PRIu64 " finished=%" PRIu64 " failed=%" PRIu64 " rejected=%" PRIu64
                 " unfinished=%" PRIu64 " peak_live_jobs=%" PRIu64 " shares_divided=%" PRIu64
                 " shares_rounded=%" PRIu64 " }",
                 f->events, f->instants, f->decisions, f->jobs, f->finished, f->failed, f->rejected,
                 f->unfinished, f->peak_live_jobs, f->shares_divided, f->shares_rounded);
    hs_jsonw_put(w,
                 "assigned={ by_columns=%" PRIu64 " by_columns_inexact=%" PRIu64
                 " by_telemetry=%" PRIu64 " by_mix=%" PRIu64 " none=%" PRIu64
                 " } checks={ %s=%" PRIu64 " }",
                 a->by_columns, a->inexact, a->by_telemetry, a->by_mix, a->none,
                 checks[run->setup->options->check], f->checks);
}

/* The page is made from the directory with its manifest, which is then written again to list it. */
static enum hs_status write_page(const struct hs_rundir *dir, struct hs_output_file *file,
                                 struct hs_diag *diag)
{
    const char *const paths[] = {dir->tmp_path};
    char path[HS_PATH_SIZE];
    struct hs_page page;
    struct hs_output out;
    hs_rundir_file(dir, HS_PAGE_FILE, path, sizeof path);
    enum hs_status status = hs_page_open(&page, paths, 1, diag);
    if (status == HS_OK)
        status = hs_output_open(&out, path, diag);
    if (status == HS_OK) {
        status = hs_page_write(&page, &out);
        *file = hs_output_file_of(&out, HS_PAGE_FILE, 0);
        const enum hs_status closed = hs_output_close(&out, diag);
        status = status != HS_OK ? status : closed;
    }
    hs_page_close(&page);
    return status;
}

/* Summary, manifest and, with --report, the page of a run. */
static enum hs_status record_run(const struct hs_setup *setup, const struct hs_run_result *result,
                                 struct hs_message_log *log, const struct hs_rundir *dir)
{
    struct hs_manifest_input inputs[HS_INPUTS_MAX];
    struct hs_output_file files[HS_RUN_FILES_MAX + HS_SUMMARY_FILES + 1];
    struct recorded recorded = {setup, result};
    struct hs_manifest manifest = {.status = "complete",
                                   .card = &setup->card,
                                   .seed = (uint64_t)setup->options->seed,
                                   .inputs = inputs,
                                   .outputs = files,
                                   .write_config = hs_record_config,
                                   .write_more = write_parameters,
                                   .write_counts = write_counts,
                                   .more_ctx = &recorded,
                                   .machine = result->machine};

    inputs[0] = result->trace_input;
    manifest.input_count = 1;
    HS_TRY(hs_record_inputs(setup, inputs, &manifest.input_count, &log->diag));
    memcpy(files, result->files, result->file_count * sizeof *files);
    HS_TRY(hs_summary_write(&result->summary, &setup->card, dir, files + result->file_count,
                            &log->diag));
    manifest.output_count = result->file_count + HS_SUMMARY_FILES;
    struct hs_config config = *setup->config;
    manifest.config_ctx = &config;
    HS_TRY(hs_record_manifest(&manifest, log, dir, &log->diag));
    if (!setup->options->report)
        return HS_OK;
    HS_TRY(write_page(dir, &files[manifest.output_count++], &log->diag));
    return hs_record_manifest(&manifest, log, dir, &log->diag);
}

/* ---- a run ---- */

enum hs_status hs_simulate(const struct hs_setup *setup, const struct hs_run_call *call,
                           const char *dir_path, struct hs_run_result *result, struct hs_diag *diag)
{
    struct hs_rundir dir = {0};
    struct hs_message_log log;
    struct hs_status_line stopwatch;

    hs_interrupt_watch();
    hs_status_line_start(&stopwatch, call->terminal, false, 0);
    if (dir_path != NULL)
        HS_TRY(hs_rundir_open(&dir, dir_path, setup->options->force, diag));
    hs_message_log_open(&log, diag, HS_LOG_WARNINGS);
    enum hs_status status =
        run_once(setup, call, 0, dir_path != NULL ? &dir : NULL, result, &log.diag);
    if (status == HS_OK)
        status = run_jittered(setup, call, result, diag);
    if (status == HS_OK) {
        warn(setup, result, &log.diag);
        result->machine =
            hs_record_machine(call->command, hs_status_line_elapsed_s(&stopwatch), false);
        if (dir_path != NULL)
            status = record_run(setup, result, &log, &dir);
        if (status == HS_OK && dir_path != NULL)
            status = hs_rundir_commit(&dir, &log.diag);
    }
    if (status != HS_OK && dir_path != NULL)
        hs_rundir_discard(&dir);
    hs_message_log_close(&log);
    return status;
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
    close_jobs(&pass);
    if (status == HS_OK)
        warn(setup, result, diag);
    return status;
}
