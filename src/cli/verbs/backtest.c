/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus backtest TRACE`: a run beside the starts and ends that its trace records. Calibrates the
 * start-up delay and the size of the cluster by simulations of the first part of the trace, then
 * compares the rest of one run over the whole trace.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/simulate.h"
#include "report/stats/exact.h"

#define LEAST      0.25                   /* of overcommit; the most is 1 / LEAST */
#define STEP       (1 / 64.0)             /* the last one of overcommit, from 1 on */
#define GRAIN_US   INT64_C(10000)         /* of the fitted delay: hundredths of a second */
#define STARTUP_US INT64_C(1000000000000) /* as --startup */

struct calibration {
    struct hs_call *call;
    struct hs_run_options options; /* with the best values so far */
    struct hs_run_call run_call;
    struct hs_trace_cache *cache; /* of the first part */
    uint32_t jobs, first, runs, nodes;
    int64_t startup_us; /* as fitted; 0 = none */
    hs_u128 best;       /* squares */
    uint64_t compared;
};

/* One simulation of the whole trace or of the first part, with the files of a run if dir. */
static enum hs_status simulate(struct calibration *c, const struct hs_run_options *options,
                               bool is_first, const char *dir, struct hs_backtest *b)
{
    struct hs_call *call = c->call;
    struct hs_run_options own = *options;
    struct hs_config config = hs_run_config(&call->config, &own);
    struct hs_run_call run_call = c->run_call;
    struct hs_setup *setup = hs_alloc_zeroed(1, sizeof *setup);
    struct hs_run_result *result = hs_alloc_zeroed(1, sizeof *result);
    struct hs_diag muted = call->diag;
    struct hs_diag *diag = dir != NULL ? &call->diag : &muted;
    muted.least = HS_ERROR;
    enum hs_status status = hs_setup_open(setup, &own, &config, diag);
    if (status == HS_OK) {
        hs_backtest_init(b, setup->cluster.gpu_count);
        b->keeps_changes = dir != NULL;
        b->first = c->first;
        setup->trace.keeps_recorded = true;
        setup->trace.trace_cache = is_first ? c->cache : NULL;
        run_call.backtest = b;
        c->nodes = setup->cluster.node_count;
        status = dir != NULL ? hs_simulate(setup, &run_call, dir, result, diag)
                             : hs_simulate_figures(setup, &run_call, result, diag);
    }
    call->diag.errors = diag->errors;
    hs_setup_close(setup);
    hs_free(setup);
    hs_free(result);
    return status;
}

/* Simulates the first part with this many nodes, and keeps the value if it is better. */
static enum hs_status attempt(struct calibration *c, double overcommit, bool *is_better)
{
    struct hs_run_options options = c->options;
    struct hs_backtest b = {0};
    uint64_t jobs = 0;
    options.overcommit = overcommit;
    enum hs_status status = simulate(c, &options, true, NULL, &b);
    const hs_u128 squares = hs_backtest_squares(&b, 0, c->first, &jobs);
    hs_backtest_free(&b);
    c->runs++;
    /* if fewer jobs end, some no longer fit */
    *is_better = status == HS_OK && jobs >= c->compared && (c->compared == 0 || squares < c->best);
    if (*is_better) {
        c->options = options;
        c->best = squares;
        c->compared = jobs;
    }
    return status;
}

/* A pattern search (Hooke and Jeeves, J. ACM 8, 1961) of the least squares: steps up and down that
 * go on as long as they help, halved. The sum is no smooth function of the number of nodes. */
static enum hs_status search(struct calibration *c)
{
    bool is_better;
    HS_TRY(attempt(c, c->options.overcommit, &is_better));
    const uint32_t nodes = c->nodes;
    for (double by = 1; by >= STEP && by * nodes >= 1; by /= 2)
        for (int sign = 1; sign >= -1; sign -= 2)
            do {
                const double overcommit = c->options.overcommit + sign * by;
                is_better = false;
                if (overcommit >= LEAST && overcommit <= 1 / LEAST)
                    HS_TRY(attempt(c, overcommit, &is_better));
            } while (is_better);
    return HS_OK;
}

/* ---- the trace ---- */

/* The least trimmed squares (Rousseeuw, J. Am. Stat. Assoc. 79, 1984): the mean of that half of the
 * values which differs least from its mean. Jobs that were stopped and resumed, or that failed at
 * once, are in the other half. Sorts the values. */
static int64_t trimmed_mean(int64_t *values, uint32_t count)
{
    const uint32_t half = count / 2 + 1;
    double sum = 0, squares = 0, least = INFINITY;
    int64_t mean = 0;
    qsort(values, count, sizeof *values, hs_order_at);
    for (uint32_t i = 0; i < count; i++) {
        sum += (double)values[i];
        squares += (double)values[i] * (double)values[i];
        if (i >= half) {
            sum -= (double)values[i - half];
            squares -= (double)values[i - half] * (double)values[i - half];
        }
        if (i + 1 >= half && squares - sum * sum / half < least) {
            least = squares - sum * sum / half;
            mean = (int64_t)(sum / half);
        }
    }
    return mean;
}

/* Reads the trace: counts the jobs, and fits how much longer than their run times those of the
 * first part ran. */
static enum hs_status survey(struct calibration *c, const struct hs_trace_options *options)
{
    struct hs_diag *diag = &c->call->diag, errors = *diag; /* the run warns of the trace */
    struct hs_trace *trace = NULL;
    struct hs_trace_job *job;
    int64_t *over_us = NULL;
    uint32_t cap = 0, told = 0, used = 0;
    double span_us = 0, run_us = 0;
    errors.least = HS_ERROR;
    enum hs_status status = hs_trace_open(&trace, options, &errors);
    while (status == HS_OK && (status = hs_trace_next(trace, &job)) == HS_OK) {
        const bool has_both = job->start_us >= 0 && job->end_us >= 0;
        told += job->start_us >= job->submit_us;
        *hs_push(over_us, c->jobs, cap, UINT32_MAX) =
            has_both ? job->end_us - job->start_us - job->duration_us : INT64_MIN;
        span_us += has_both ? (double)(job->end_us - job->start_us) : 0;
        run_us += has_both ? (double)job->duration_us : 0;
    }
    hs_trace_close(trace);
    diag->errors = errors.errors;
    if (status == HS_END && told == 0)
        status = hs_fail(diag, HS_E_INPUT, HS_AT({.file = options->path}),
                         "a csv needs the columns start_time and end_time, or "
                         "--map=start_time=COLUMN,end_time=COLUMN; 'horus run' does not",
                         "no job has a recorded start at or after its submission: there is nothing "
                         "to compare with");
    if (span_us > 10 * run_us || 10 * span_us < run_us)
        hs_report(
            diag, HS_WARNING, HS_AT({.file = options->path}),
            "a column is read in the unit that its name ends in, such as duration_min",
            "the times from start to end are %.3g times the run times: are both in the same unit?",
            span_us / run_us);
    c->first = (uint32_t)(c->options.first / 100 * c->jobs);
    for (uint32_t i = 0; i < c->first; i++)
        if (over_us[i] != INT64_MIN)
            over_us[used++] = over_us[i];
    if (used > 0)
        c->startup_us = trimmed_mean(over_us, used) / GRAIN_US * GRAIN_US;
    hs_free(over_us);
    return status == HS_END ? HS_OK : status;
}

/* ---- the verb ---- */

static bool fits_startup(const struct calibration *c)
{
    const int32_t wanted = c->options.calibrate;
    return c->startup_us > 0 && c->startup_us <= STARTUP_US &&
           (wanted == HS_CALIBRATED_BOTH || wanted == HS_CALIBRATED_STARTUP);
}

static bool fits_overcommit(const struct calibration *c)
{
    const int32_t wanted = c->options.calibrate;
    return c->options.vc != HS_VC_PARTITION &&
           (wanted == HS_CALIBRATED_BOTH || wanted == HS_CALIBRATED_OVERCOMMIT);
}

static enum hs_status calibrate(struct calibration *c, struct hs_trace_options *trace)
{
    if (!fits_startup(c) && !fits_overcommit(c))
        c->first = 0;
    if (c->first == 0)
        return HS_OK;
    if (fits_startup(c))
        c->options.startup_us = c->startup_us;
    if (!fits_overcommit(c))
        return HS_OK;
    trace->max_jobs = c->first;
    HS_TRY(hs_trace_cache_record(&c->cache, trace, &c->call->diag));
    enum hs_status status = search(c);
    hs_trace_cache_free(c->cache);
    c->cache = NULL;
    return status;
}

/* The root of the mean of the squares of a part, in seconds; NaN of none. */
static double rms_of(const struct hs_backtest *b, uint32_t from, uint32_t to)
{
    uint64_t jobs = 0;
    const hs_u128 squares = hs_backtest_squares(b, from, to, &jobs);
    return sqrt((double)squares / (double)jobs) / 1e6;
}

static void say_backtest(const struct calibration *c, const struct hs_backtest *b, const char *dir)
{
    struct hs_output *out = &c->call->out;
    const struct hs_run_options *o = &c->options;
    struct hs_jsonw w;
    if (!o->json) {
        hs_say(out, "%s on %s under %s: %" PRIu64 " GPUs", o->trace, o->cluster, o->policy,
               b->gpus);
        if (o->overcommit != 1)
            hs_say(out, ", overcommitted %g times", o->overcommit);
        hs_say(out, "\n\n");
        hs_backtest_print(b, out);
        hs_say(out, "files       %s/\n", dir);
        return;
    }
    hs_jsonw_begin(&w, out);
    hs_jsonw_put(&w, "={ trace=%s cluster=%s policy=%s gpus=%" PRIu64 " directory=%s", o->trace,
                 o->cluster, o->policy, b->gpus, dir);
    hs_backtest_json(b, &w);
    hs_jsonw_put(&w, "}");
    hs_jsonw_finish(&w);
}

/* Runs as given for the errors to compare with, then as calibrated, with files. */
static enum hs_status compare(struct calibration *c, const char *dir)
{
    const struct hs_run_options *given = c->call->options;
    struct hs_backtest base = {0}, b = {0};
    enum hs_status status = HS_OK;
    double rms[2] = {(double)NAN, (double)NAN};
    if (c->first > 0) {
        status = simulate(c, given, false, NULL, &base);
        rms[0] = rms_of(&base, 0, c->first);
        rms[1] = rms_of(&base, c->first, c->jobs);
        hs_backtest_free(&base);
    }
    if (status == HS_OK)
        status = simulate(c, &c->options, false, dir, &b);
    if (status == HS_OK) {
        b.runs = c->runs;
        b.startup_us = c->options.startup_us;
        b.overcommit = c->options.overcommit;
        b.fits_startup = fits_startup(c);
        b.fits_overcommit = fits_overcommit(c);
        for (int part = 0; part < 2; part++) {
            b.rms[part][0] = rms[part];
            b.rms[part][1] = rms_of(&b, part == 0 ? 0 : c->first, part == 0 ? c->first : c->jobs);
        }
        say_backtest(c, &b, dir);
    }
    hs_backtest_free(&b);
    return status;
}

static enum hs_status backtest(struct hs_call *call)
{
    struct calibration c = {
        .call = call, .run_call = {.by = call, .shows_progress = hs_run_shows_progress(call)}};
    struct hs_setup setup = {0};
    char dir[HS_PATH_SIZE];
    HS_TRY(hs_run_begin(call));
    const struct hs_run_options *options = call->options;
    if (options->print_config) {
        hs_config_print(&call->config, &call->out);
        return HS_OK;
    }
    if (strcmp(options->trace != NULL ? options->trace : "", "-") == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "put it into a file",
                       "backtest reads the trace several times: it cannot be standard input");
    if (options->read.load != 1 || options->read.scale_time != 1)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave --load and --scale-time out",
                       "backtest: the recorded schedule does not apply to a trace changed by "
                       "--load or --scale-time");
    if (options->retries == HS_RETRIES_GENERATE)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "--retries=merge or --retries=attempts",
                       "backtest: attempts of --retries=generate have no recorded times");
    c.options = *options;
    enum hs_status status = hs_setup_open(&setup, options, &call->config, &call->diag);
    if (status == HS_OK)
        status = hs_setup_dir(&setup, dir, &call->diag);
    if (status == HS_OK) {
        hs_run_note_cluster(call);
        setup.trace.keeps_recorded = true;
        status = survey(&c, &setup.trace);
    }
    if (status == HS_OK)
        status = calibrate(&c, &setup.trace);
    hs_setup_close(&setup);
    return status == HS_OK ? compare(&c, dir) : status;
}

const struct hs_verb hs_verb_backtest = {
    .name = "backtest",
    .operands = "TRACE",
    .summary = "Compare a simulated with the recorded schedule.",
    .details =
        "Simulates a trace and compares the result with the recorded schedule. The trace must have "
        "the start times of its jobs (start_time and end_time of a csv, of Helios, Acme, Slurm, "
        "openb and Philly; the waits of swf). The first part of the jobs is used to fit --startup "
        "(least trimmed squares of the time from start to end minus the run time) and "
        "--overcommit, the number of nodes (least squares of the completion times); the rest is "
        "compared: waits, completion times and GPUs held, by gang size, virtual cluster, user, "
        "outcome and time. The run directory also has backtest.csv (one row per group and metric) "
        "and backtest_jobs.csv. The output lists, with figures, what the log does not record.",
    .examples = {"backtest log.csv -c 16x8:V100 -p fifo",
                 "backtest cluster_log.csv -c venus -p fifo:scan=fit --calibrate=none",
                 "backtest jobs.txt -c nodes.json -p sjf --first=30 --json"},
    .options = hs_backtest_option_table,
    .options_size = sizeof(struct hs_run_options),
    .operands_max = 1,
    .run = backtest,
};
