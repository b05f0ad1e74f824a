/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The option tables of `horus run`, `horus compare`, `horus sweep` and `horus trace`. Most rows
 * stand in two or three of them, hence the macros.
 */
#include "cli/run_options.h"

#include <stddef.h>

#include "cli/compare_options.h"
#include "cli/sweep_options.h"
#include "cli/textform.h"
#include "model/interference.h"
#include "traces/format.h"
#include "traces/replay.h"
#include "traces/write.h"

#define AT(field) offsetof(struct hs_run_options, field)

static const char *const time_units[] = {"auto", "s", "ms", "us", "min", "h", NULL};
static const char *const attempts[] = {"merge", "split", "sum", NULL};
static const char *const retries[] = {"merge", "attempts", "generate", NULL};
static const char *const cpu_jobs[] = {"skip", "keep", NULL};
static const char *const openb_pending[] = {"drop", "run", NULL};
static const char *const zero_durations[] = {"keep", "drop", "1s", NULL};
static const char *const vc_modes[] = {"ignore", "partition", "quota", NULL};
static const char *const checks[] = {"off", "fast", "full", NULL};
static const char *const assign_modes[] = {"auto", "columns", "telemetry", "mix", "off", NULL};

/* The words of --format. */
static const char *format_at(size_t index)
{
    const struct hs_trace_format *format = index > 0 ? hs_trace_format_at(index - 1) : NULL;
    return index == 0 ? "auto" : format != NULL ? format->name : NULL;
}

/* The words of --to: those that can be written. */
static const char *written_at(size_t index)
{
    const struct hs_trace_format *format = NULL;
    if (index == 0)
        return "auto";
    for (size_t i = 0; (format = hs_trace_format_at(i)) != NULL; i++)
        if (format->layout != NULL && --index == 0)
            return format->name;
    return NULL;
}

#include "cli/model_rows.h"

#define INTAKE "Reading the trace"
#define TRACE_ROWS                                                                                 \
    {.param = {.key = "format",                                                                    \
               .type = HS_PARAM_TEXT,                                                              \
               .offset = AT(format),                                                               \
               .preset = "auto",                                                                   \
               .unit = "NAME",                                                                     \
               .help = "trace format, or auto: by content ('horus help formats')"},                \
     .check = hs_trace_format_check,                                                               \
     .group = INTAKE,                                                                              \
     .in_short_help = true,                                                                        \
     .word_at = format_at},                                                                        \
        {.param = {.key = "map",                                                                   \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = AT(map),                                                              \
                   .unit = "MAP",                                                                  \
                   .help =                                                                         \
                       "columns of a csv by their own names: 'submit_time=timestamp,...' or a "    \
                       "JSON file"},                                                               \
         .group = INTAKE},                                                                         \
        {.param = {.key = "time_unit",                                                             \
                   .type = HS_PARAM_CHOICE,                                                        \
                   .offset = AT(time_unit),                                                        \
                   .preset = "auto",                                                               \
                   .choices = time_units,                                                          \
                   .help = "unit of bare numbers; auto: the format's own, minutes in chronus, ms " \
                           "in muri, else seconds"},                                               \
         .group = INTAKE},                                                                         \
        {.param = {.key = "gavel_throughputs",                                                     \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = AT(gavel_throughputs),                                                \
                   .unit = "FILE",                                                                 \
                   .help = "file of the steps a second of Gavel's jobs, for its traces: one of "   \
                           "its *_throughputs.json"},                                              \
         .group = INTAKE},                                                                         \
        {.param = {.key = "philly_attempts",                                                       \
                   .type = HS_PARAM_CHOICE,                                                        \
                   .offset = AT(philly_attempts),                                                  \
                   .preset = "merge",                                                              \
                   .choices = attempts,                                                            \
                   .help = "a Philly job of several attempts: first start to last end; one job "   \
                           "each; or the sum of their times",                                      \
                   .source = "merge: philly-traces notebook"},                                     \
         .group = INTAKE},                                                                         \
        {.param = {.key = "retries",                                                               \
                   .type = HS_PARAM_CHOICE,                                                        \
                   .offset = AT(retries),                                                          \
                   .preset = "merge",                                                              \
                   .choices = retries,                                                             \
                   .help = "runs of a job that failed: folded into one; submitted again as the "   \
                           "trace tells them; or made up as often as on Philly, on top of the "    \
                           "recorded run",                                                         \
                   .source = "generate: Jeon et al., ATC'19"},                                     \
         .group = INTAKE},                                                                         \
        {.param = {.key = "cpu_jobs",                                                              \
                   .type = HS_PARAM_CHOICE,                                                        \
                   .offset = AT(cpu_jobs),                                                         \
                   .preset = "skip",                                                               \
                   .choices = cpu_jobs,                                                            \
                   .help = "jobs that ask for no GPU; skipped ones are counted"},                  \
         .group = INTAKE},                                                                         \
        {.param = {.key = "zero_duration",                                                         \
                   .type = HS_PARAM_CHOICE,                                                        \
                   .offset = AT(zero_duration),                                                    \
                   .preset = "keep",                                                               \
                   .choices = zero_durations,                                                      \
                   .help = "jobs that ran for 0 s: keep, drop (counted) or make them 1 s long"},   \
         .group = INTAKE},                                                                         \
        {.param = {.key = "openb_pending",                                                         \
                   .type = HS_PARAM_CHOICE,                                                        \
                   .offset = AT(openb_pending),                                                    \
                   .preset = "drop",                                                               \
                   .choices = openb_pending,                                                       \
                   .help = "pods of openb that were never scheduled: drop (counted), or run for "  \
                           "as long as they existed"},                                             \
         .group = INTAKE},                                                                         \
        {.param = {.key = "outcomes",                                                              \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = AT(outcomes),                                                         \
                   .unit = "OUTCOMES",                                                             \
                   .help = "keep only jobs with these recorded outcomes, e.g. "                    \
                           "completed,failed; absent: all"},                                       \
         .group = INTAKE},                                                                         \
        {.param = {.key = "sort",                                                                  \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = AT(sort),                                                             \
                   .preset = "8192",                                                               \
                   .unit = "N|all",                                                                \
                   .help = "rows held back to put late ones in order; all: the whole trace in "    \
                           "memory"},                                                              \
         .check = hs_check_sort,                                                                   \
         .group = INTAKE},                                                                         \
        {.param = {.key = "skip_bad_rows",                                                         \
                   .type = HS_PARAM_REAL,                                                          \
                   .offset = AT(skip_bad_rows),                                                    \
                   .preset = "0",                                                                  \
                   .max = 100,                                                                     \
                   .unit = "%",                                                                    \
                   .help = "share of bad rows that may be passed over, counted; 0: the first one " \
                           "is an error"},                                                         \
         .group = INTAKE},                                                                         \
        {.param = {.key = "max_jobs",                                                              \
                   .type = HS_PARAM_INT,                                                           \
                   .offset = AT(max_jobs),                                                         \
                   .preset = "0",                                                                  \
                   .max = 9e15,                                                                    \
                   .help = "take only the first N jobs; 0: all"},                                  \
         .group = INTAKE},                                                                         \
        {.param = {.key = "load",                                                                  \
                   .type = HS_PARAM_REAL,                                                          \
                   .offset = AT(load),                                                             \
                   .preset = "1",                                                                  \
                   .min = HS_REPLAY_LEAST,                                                         \
                   .max = HS_REPLAY_MOST,                                                          \
                   .help =                                                                         \
                       "scale the arrival rate: gaps between submissions are divided by this"},    \
         .group = INTAKE},                                                                         \
        {.param = {.key = "scale_time",                                                            \
                   .type = HS_PARAM_REAL,                                                          \
                   .offset = AT(scale_time),                                                       \
                   .preset = "1",                                                                  \
                   .min = HS_REPLAY_LEAST,                                                         \
                   .max = HS_REPLAY_MOST,                                                          \
                   .help = "multiply the trace's times, gaps and durations alike: 0.1 replays it " \
                           "in a tenth of the time at the same load"},                             \
         .group = INTAKE},                                                                         \
        {.param = {.key = "window",                                                                \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = AT(window),                                                           \
                   .unit = "FROM..TO",                                                             \
                   .help = "keep submissions from FROM on and before TO: times after the first "   \
                           "one or dates of the trace's clock; absent: all"},                      \
         .check = hs_check_window,                                                                 \
         .group = INTAKE},                                                                         \
    {                                                                                              \
        .param = {.key = "sample_jobs",                                                            \
                  .type = HS_PARAM_REAL,                                                           \
                  .offset = AT(sample_jobs),                                                       \
                  .preset = "1",                                                                   \
                  .min = 1e-9,                                                                     \
                  .max = 1,                                                                        \
                  .help = "keep each job with this probability, by its id and --seed"},            \
        .group = INTAKE                                                                            \
    }

#define PROFILES "Profiles of the jobs"
#define ASSIGN_ROWS                                                                                \
    MODEL_ROW(assign, CHOICE, PROFILES, .preset = "auto", .choices = assign_modes,                 \
              .help = "where a profile comes from: the model that the trace names, else the GPU "  \
                      "utilization that it tells, else a draw from a mix (auto); or only these"),  \
        MODEL_ROW(assign_target, REAL, PROFILES, .preset = "52", .max = 100, .unit = "%",          \
                  .help = "mean GPU utilization of the mix, of jobs on one GPU and of gangs",      \
                  .source = "52: Jeon et al., ATC'19, mean of Philly"),                            \
        MODEL_ROW(assign_sticky, REAL, PROFILES, .preset = "0.8", .max = 1,                        \
                  .help = "chance that a drawn job keeps the profile of its user's last job of "   \
                          "this size within a day"),                                               \
        MODEL_ROW(profiles, TEXT, PROFILES, .preset = "builtin:profiles.csv", .unit = "FILE",      \
                  .help = "the catalogue; builtin: configs/profiles.csv as compiled in")

#define CLUSTER "Cluster"
#define CLUSTER_ROWS                                                                               \
    {.param = {.key = "vc",                                                                        \
               .type = HS_PARAM_CHOICE,                                                            \
               .offset = AT(vc),                                                                   \
               .preset = "ignore",                                                                 \
               .choices = vc_modes,                                                                \
               .help = "virtual clusters: none, each with nodes of its own, or GPU quotas on "     \
                       "shared nodes"},                                                            \
     .group = CLUSTER},                                                                            \
        {.param = {.key = "vc_file",                                                               \
                   .type = HS_PARAM_TEXT,                                                          \
                   .offset = AT(vc_file),                                                          \
                   .unit = "FILE",                                                                 \
                   .help = "sizes of the virtual clusters: JSON, or Helios' "                      \
                           "cluster_gpu_number.csv; absent: the cluster file's own"},              \
         .group = CLUSTER},                                                                        \
    {                                                                                              \
        .param = {.key = "vc_date",                                                                \
                  .type = HS_PARAM_TEXT,                                                           \
                  .offset = AT(vc_date),                                                           \
                  .unit = "YYYY-MM-DD",                                                            \
                  .help = "row of cluster_gpu_number.csv; absent: the last"},                      \
        .check = hs_check_date, .group = CLUSTER                                                   \
    }

#define CALL "This call"
#define CONFIG_ROW                                                                                 \
    {                                                                                              \
        .param = {.key = "config",                                                                 \
                  .type = HS_PARAM_TEXT,                                                           \
                  .offset = AT(config_file),                                                       \
                  .unit = "FILE",                                                                  \
                  .help =                                                                          \
                      "JSON with any of the keys above (// comments allowed); flags override it"}, \
        .group = CALL, .in_short_help = true, .is_local = true                                     \
    }
#define SET_ROWS                                                                                   \
    {.param = {.key = "set",                                                                       \
               .type = HS_PARAM_TEXT,                                                              \
               .offset = AT(settings),                                                             \
               .unit = "KEY=VALUE",                                                                \
               .help = "set one key, e.g. policy.scan=fit; may be repeated"},                      \
     .group = CALL,                                                                                \
     .is_repeated = true,                                                                          \
     .is_local = true},                                                                            \
        {.param = {.key = "print_config",                                                          \
                   .type = HS_PARAM_FLAG,                                                          \
                   .offset = AT(print_config),                                                     \
                   .preset = "no",                                                                 \
                   .help = "print the effective config with the origin of each value, and stop"},  \
         .group = CALL,                                                                            \
         .is_local = true},                                                                        \
    {                                                                                              \
        .param = {.key = "quiet",                                                                  \
                  .type = HS_PARAM_FLAG,                                                           \
                  .offset = AT(quiet),                                                             \
                  .preset = "no",                                                                  \
                  .help = "no notes and no progress; warnings and errors stay"},                   \
        .letter = 'q', .group = CALL, .is_local = true                                             \
    }
#define CALL_ROWS CONFIG_ROW, SET_ROWS
#define PROCESSES_ROW(at)                                                                          \
    {                                                                                              \
        .param = {.key = "processes",                                                              \
                  .type = HS_PARAM_INT,                                                            \
                  .offset = at,                                                                    \
                  .preset = "1",                                                                   \
                  .min = 1,                                                                        \
                  .max = 1024,                                                                     \
                  .help = "runs at a time, each in a process of its own"},                         \
        .letter = 'j', .group = CALL, .in_short_help = true, .is_local = true                      \
    }

#include "cli/run_rows.h"
#include "cli/compare_rows.h"
#include "cli/sweep_rows.h"

#define POLICY_ROW                                                                                 \
    {                                                                                              \
        .param = {.key = "policy",                                                                 \
                  .type = HS_PARAM_TEXT,                                                           \
                  .offset = AT(policy),                                                            \
                  .preset = "fifo",                                                                \
                  .unit = "NAME[:KEY=VALUE,...]",                                                  \
                  .help = "scheduling policy ('horus policies' lists them)"},                      \
        .letter = 'p', .check = hs_check_policy, .group = "Simulation", .in_short_help = true      \
    }

/* What is simulated, of a run and of a point of a sweep. */
#define ONE_RUN_ROWS                                                                               \
    WORKLOAD_ROWS, POLICY_ROW, SIMULATION_ROWS, TIE_JITTER_ROW, MODEL_ROWS, ASSIGN_ROWS,           \
        ASSIGN_SEED_ROW, TRACE_ROWS

const struct hs_option hs_run_option_table[] = {
    ONE_RUN_ROWS,
    OUTPUT_ROW("DIR", "run directory; absent: results/TRACE-POLICY-HASH", "Results"),
    OUTPUTS_ROW("all", "all, summary, or of jobs,segments,series,nodes,decisions,swf; all: "
                       "without the last two"),
    {.param = {.key = "decisions",
               .type = HS_PARAM_FLAG,
               .offset = AT(decisions),
               .preset = "no",
               .help = "write decisions.csv, too: each action of the policy with its reason"},
     .group = "Results"},
    {.param = {.key = "report",
               .type = HS_PARAM_FLAG,
               .offset = AT(report),
               .preset = "no",
               .help = "write report.html, too: the page of 'horus report'"},
     .group = "Results",
     .is_local = true},
    SAMPLE_ROWS,
    CALL_ROWS,
    RUN_CALL_ROWS,
    PROGRESS_ROWS,
    {.param = {.key = NULL}},
};

const struct hs_option hs_compare_option_table[] = {
    WORKLOAD_ROWS,
    COMPARED_ROWS,
    SIMULATION_ROWS,
    MODEL_ROWS,
    ASSIGN_ROWS,
    ASSIGN_SEED_ROW,
    TRACE_ROWS,
    COMPARISON_ROWS,
    SAMPLE_ROWS,
    CALL_ROWS,
    RUN_CALL_ROWS,
    PROGRESS_ROWS,
    PROCESSES_ROW(OF_COMPARE(processes)),
    {.param = {.key = "bootstrap",
               .type = HS_PARAM_INT,
               .offset = OF_COMPARE(bootstrap),
               .preset = "2000",
               .max = 100000,
               .help = "of two finished runs: resamples for the intervals, seeded by --seed; 0: no "
                       "intervals"},
     .group = CALL,
     .is_local = true},
    {.param = {.key = NULL}},
};

const struct hs_option hs_sweep_option_table[] = {
    SWEEP_ROWS,
    ONE_RUN_ROWS,
    SWEEP_RESULT_ROWS,
    SAMPLE_ROWS,
    SET_ROWS,
    PROGRESS_ROWS,
    PROCESSES_ROW(OF_SWEEP(processes)),
    {.param = {.key = NULL}},
};

const struct hs_option hs_trace_option_table[] = {
    TRACE_ROWS,
    ASSIGN_ROWS,
    {.param = {.key = "seed",
               .type = HS_PARAM_INT,
               .offset = AT(seed),
               .preset = "1",
               .max = 9e15,
               .help = "of the draws"},
     .group = PROFILES},
    {.param = {.key = "cluster",
               .type = HS_PARAM_TEXT,
               .offset = AT(cluster),
               .unit = "SPEC",
               .help = "validate: offered load and jobs that can never fit on this cluster; "
                       "assign: what is drawn fits its smallest GPU"},
     .letter = 'c',
     .group = CLUSTER,
     .in_short_help = true},
    CLUSTER_ROWS,
    CALL_ROWS,
    OUTPUT_ROW("FILE",
               "convert, assign: the file to write, compressed if it ends in .gz or .zst; - is "
               "standard output",
               CALL),
    {.param = {.key = "to",
               .type = HS_PARAM_TEXT,
               .offset = AT(to),
               .preset = "auto",
               .unit = "NAME",
               .help = "convert: format of the file to write, or auto: by its suffix"},
     .check = hs_trace_writer_check,
     .group = CALL,
     .in_short_help = true,
     .is_local = true,
     .word_at = written_at},
    {.param = {.key = "compare",
               .type = HS_PARAM_TEXT,
               .offset = AT(reference),
               .unit = "FILE",
               .help = "info: how far the trace is from this one, which is recognised by its "
                       "content; both are held in memory, 32 to 64 bytes a job"},
     .group = CALL,
     .in_short_help = true,
     .is_local = true},
    {.param = {.key = NULL}},
};
