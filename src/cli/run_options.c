/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The option tables of `horus run`, `horus compare`, `horus sweep` and `horus trace`. Rows that
 * stand in several tables are macros; each table lists them in the order of its help text. Before
 * them the options whose text has a form of its own: parsers, and the same as checks that keep
 * nothing.
 */
#include "cli/run_options.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "cli/option_rows.h"
#include "cli/setup.h"
#include "model/interference.h"
#include "report/report.h"
#include "traces/format.h"
#include "traces/trace_stream.h"
#include "traces/write.h"

/* ---- texts with a form of their own ---- */

#define SEED_MAX INT64_C(9000000000000000) /* as --seed */

enum hs_status hs_sort_parse(const char *text, uint64_t *window, struct hs_diag *diag)
{
    int64_t rows;
    *window = HS_SORT_ALL;
    if (strcmp(text, "all") == 0)
        return HS_OK;
    if (!hs_parse_int64(text, strlen(text), &rows) || rows < 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "--sort=8192 holds back 8192 rows",
                       "sort is neither a number of rows nor 'all': '%s'", text);
    *window = (uint64_t)rows;
    return HS_OK;
}

static const char *const output_names[] = {"jobs", "segments", "series", "nodes", "decisions",
                                           "swf",  "summary",  "all",    NULL};

static const char *output_at(size_t index)
{
    return index < sizeof output_names / sizeof *output_names ? output_names[index] : NULL;
}

enum hs_status hs_outputs_parse(const char *text, uint32_t *outputs, struct hs_diag *diag)
{
    static const uint32_t bits[] = {HS_OUT_JOBS,      HS_OUT_SEGMENTS, HS_OUT_SERIES,  HS_OUT_NODES,
                                    HS_OUT_DECISIONS, HS_OUT_SWF,      HS_OUT_SUMMARY, HS_OUT_ALL};
    const size_t count = sizeof bits / sizeof *bits;
    *outputs = HS_OUT_SUMMARY;
    for (size_t len;; text += len + 1) {
        char word[32], hint[HS_HINT_SIZE];
        size_t i = 0;
        len = strcspn(text, ",");
        (void)snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word),
                       text);
        while (i < count && strcmp(word, output_names[i]) != 0)
            i++;
        if (i == count)
            return hs_fail(diag, HS_E_USAGE, NULL,
                           hs_did_you_mean(hint, word, output_names, count, "did you mean 'all'?"),
                           "outputs: unknown output '%s'; expected all, summary, or a list of "
                           "jobs,segments,series,nodes,decisions,swf",
                           word);
        *outputs |= bits[i];
        if (text[len] == '\0')
            return HS_OK;
    }
}

enum hs_status hs_sample_parse(const char *text, int64_t *sample_us, struct hs_diag *diag)
{
    *sample_us = strcmp(text, "auto") == 0 ? 0 : -1;
    if (*sample_us == 0 || strcmp(text, "exact") == 0)
        return HS_OK;
    if (!hs_parse_duration_us(text, strlen(text), sample_us) || *sample_us <= 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "for example 60s",
                       "sample is neither a time, 'auto' nor 'exact': '%s'", text);
    return HS_OK;
}

enum hs_status hs_reserve_parse(const char *text, int64_t *mib, struct hs_diag *diag)
{
    *mib = -1;
    if (strcmp(text, "auto") == 0)
        return HS_OK;
    if (!hs_parse_size_mib(text, strlen(text), mib) || *mib > UINT32_MAX)
        return hs_fail(diag, HS_E_USAGE, NULL, "for example 1GiB, or auto",
                       "memory_reserve is neither a size nor 'auto': '%s'", text);
    return HS_OK;
}

/* Compares it with all before: a list is short. */
static enum hs_status add_seed(int64_t *list, uint32_t *count, int64_t seed, const char *option,
                               struct hs_diag *diag)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == seed)
            return hs_fail(diag, HS_E_USAGE, NULL, "the same run twice is one run",
                           "%s: %" PRId64 " is given twice", option, seed);
    if (*count == HS_SEEDS_MAX)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "%s: more than %u seeds", option,
                       HS_SEEDS_MAX);
    list[(*count)++] = seed;
    return HS_OK;
}

enum hs_status hs_seeds_parse(const char *text, const char *option, int64_t least,
                              struct hs_arena *arena, const int64_t **seeds, uint32_t *count,
                              struct hs_diag *diag)
{
    int64_t *list = hs_arena_alloc(arena, HS_SEEDS_MAX * sizeof *list);
    *seeds = list;
    *count = 0;
    for (size_t len;; text += len + 1) {
        int64_t first, last;
        size_t dots = 0;
        len = strcspn(text, ",");
        while (dots < len && strncmp(text + dots, "..", 2) != 0)
            dots++;
        const char *behind = text + (dots < len ? dots + 2 : 0); /* "4" or "1..5" */
        if (!hs_parse_int64(text, dots, &first) ||
            !hs_parse_int64(behind, (size_t)(text + len - behind), &last) || first < least ||
            last < least || first > SEED_MAX || last > SEED_MAX)
            return hs_fail(diag, HS_E_USAGE, NULL, "for example 1..5 or 1,3,7",
                           "%s: '%.*s' is neither a number from %" PRId64 " to %" PRId64
                           " nor a range of them",
                           option, (int)len, text, least, SEED_MAX);
        if (last < first)
            return hs_fail(diag, HS_E_USAGE, NULL, "the smaller end first: 1..5",
                           "%s: the range '%.*s' runs downwards", option, (int)len, text);
        for (; first <= last; first++)
            HS_TRY(add_seed(list, count, first, option, diag));
        if (text[len] == '\0')
            return HS_OK;
    }
}

/* ---- checks ---- */

#define DEFINE_CHECK(name, type, parse)                                                            \
    static enum hs_status check_##name(const char *text, struct hs_diag *diag)                     \
    {                                                                                              \
        type value = {0};                                                                          \
        return parse(text, &value, diag);                                                          \
    }

DEFINE_CHECK(outputs, uint32_t, hs_outputs_parse)
DEFINE_CHECK(sample, int64_t, hs_sample_parse)

enum hs_status hs_check_sort(const char *text, struct hs_diag *diag)
{
    uint64_t window;
    return hs_sort_parse(text, &window, diag);
}
DEFINE_CHECK(window, struct hs_trace_window, hs_trace_window_parse)
DEFINE_CHECK(reserve, int64_t, hs_reserve_parse)
DEFINE_CHECK(interference, struct hs_interference_options, hs_interference_parse)

static enum hs_status check_name(const char *text, struct hs_diag *diag)
{
    if (strpbrk(text, "/\n") == NULL)
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, "it becomes part of a directory name",
                   "name contains a slash or a line end: '%s'", text);
}

static enum hs_status check_list(const char *text, const char *option, int64_t least,
                                 struct hs_diag *diag)
{
    struct hs_arena arena = {0};
    const int64_t *seeds;
    uint32_t count;
    enum hs_status status = hs_seeds_parse(text, option, least, &arena, &seeds, &count, diag);
    hs_arena_free(&arena);
    return status;
}

static enum hs_status check_seeds(const char *text, struct hs_diag *diag)
{
    return check_list(text, "--seeds", 0, diag);
}

static enum hs_status check_assignments(const char *text, struct hs_diag *diag)
{
    return check_list(text, "--assignments", 1, diag);
}

/* Errors only: the set-up of the policy warns of a parameter without effect. */
static enum hs_status check_policy(const char *text, struct hs_diag *diag)
{
    struct hs_arena arena = {0};
    const struct hs_policy_ops *policy;
    void *state;
    const uint64_t warnings = diag->warnings;
    const enum hs_severity least = diag->least;
    diag->least = HS_ERROR;
    enum hs_status status = hs_setup_policy(text, &policy, &state, &arena, diag);
    diag->least = least;
    diag->warnings = warnings;
    hs_arena_free(&arena);
    return status;
}

static enum hs_status check_date(const char *text, struct hs_diag *diag)
{
    static const char form[] = "dddd-dd-dd";
    size_t i = 0;
    for (; form[i] != '\0'; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            break;
    if (form[i] == '\0' && text[i] == '\0')
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, "for example 2020-04-01",
                   "a date is YYYY-MM-DD, not '%s'", text);
}

/* ---- tables ---- */

static const char *const time_units[] = {"auto", "s", "ms", "us", "min", "h", NULL};
static const char *const attempts[] = {"merge", "split", "sum", NULL};
static const char *const retries[] = {"merge", "attempts", "generate", NULL};
static const char *const cpu_jobs[] = {"skip", "keep", NULL};
static const char *const openb_pending[] = {"drop", "run", NULL};
static const char *const zero_durations[] = {"keep", "drop", "1s", NULL};
static const char *const vc_modes[] = {"ignore", "partition", "quota", NULL};
static const char *const checks[] = {"off", "fast", "full", NULL};
static const char *const assign_modes[] = {"auto", "columns", "telemetry", "mix", "off", NULL};
static const char *const crowds[] = {"additive", "queueing", NULL};
static const char *const localities[] = {"measured", "none", NULL};
static const char *const predictors[] = {"oracle", "noisy", "table", "regress", NULL};
static const char *const memory_predictors[] = {"oracle", "formula", "noisy", NULL};
static const char *const holdouts[] = {"config", "model", NULL};

/* The words of --format. */
static const char *format_at(size_t index)
{
    const struct hs_trace_format *format = index > 0 ? hs_trace_format_at(index - 1) : NULL;
    return index == 0 ? "auto" : format != NULL ? format->name : NULL;
}

/* The words of --to: the formats that can be written. */
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

#define OWNER             struct hs_run_options
#define AT(field)         offsetof(OWNER, field)
#define OF_COMPARE(field) offsetof(struct hs_compare_options, field)
#define OF_SWEEP(field)   offsetof(struct hs_sweep_options, field)
#define YEARS_100_S       3153600000
#define SEED_RANGE        HS_RANGE(0, 9e15)

#define INTAKE                        "Reading the trace"
#define READ(name, kind, preset, ...) ROW_AT(name, kind, read.name, INTAKE, preset, __VA_ARGS__)
#define TRACE_ROWS                                                                                 \
    READ(format, TEXT, "auto", "trace format, or auto: by content ('horus help formats')",         \
         UNIT("NAME"), SHORT, .check = hs_trace_format_check, .word_at = format_at),               \
        READ(map, TEXT, NULL,                                                                      \
             "columns of a csv by their own names: 'submit_time=timestamp,...' or a JSON file",    \
             UNIT("MAP")),                                                                         \
        ROW(time_unit, CHOICE, INTAKE, "auto",                                                     \
            "unit of bare numbers; auto: the format's own, minutes in chronus, ms in muri, else "  \
            "seconds",                                                                             \
            WORDS(time_units)),                                                                    \
        READ(gavel_throughputs, TEXT, NULL,                                                        \
             "file of the steps a second of Gavel's jobs, for its traces: one of its "             \
             "*_throughputs.json",                                                                 \
             UNIT("FILE")),                                                                        \
        READ(                                                                                      \
            philly_attempts, CHOICE, "merge",                                                      \
            "a Philly job of several attempts: first start to last end; one job each; or the sum " \
            "of their times",                                                                      \
            WORDS(attempts), SOURCE("merge: philly-traces notebook")),                             \
        ROW(retries, CHOICE, INTAKE, "merge",                                                      \
            "runs of a job that failed: folded into one; submitted again as the trace tells "      \
            "them; or made up as often as on Philly, on top of the recorded run",                  \
            WORDS(retries), SOURCE("generate: Jeon et al., ATC'19")),                              \
        READ(cpu_jobs, CHOICE, "skip", "jobs that ask for no GPU; skipped ones are counted",       \
             WORDS(cpu_jobs)),                                                                     \
        READ(zero_duration, CHOICE, "keep",                                                        \
             "jobs that ran for 0 s: keep, drop (counted) or make them 1 s long",                  \
             WORDS(zero_durations)),                                                               \
        READ(                                                                                      \
            openb_pending, CHOICE, "drop",                                                         \
            "pods of openb that were never scheduled: drop (counted), or run for as long as they " \
            "existed",                                                                             \
            WORDS(openb_pending)),                                                                 \
        READ(outcomes, TEXT, NULL,                                                                 \
             "keep only jobs with these recorded outcomes, e.g. completed,failed; absent: all",    \
             UNIT("OUTCOMES")),                                                                    \
        ROW(sort, TEXT, INTAKE, "8192",                                                            \
            "rows held back to put late ones in order; all: the whole trace in memory",            \
            UNIT("N|all"), .check = hs_check_sort),                                                \
        ROW(skip_bad_rows, REAL, INTAKE, "0",                                                      \
            "share of bad rows that may be passed over, counted; 0: the first one is an error",    \
            HS_RANGE(0, 100), UNIT("%")),                                                          \
        READ(max_jobs, INT, "0", "take only the first N jobs; 0: all", HS_RANGE(0, 9e15)),         \
        READ(load, REAL, "1",                                                                      \
             "scale the arrival rate: gaps between submissions are divided by this",               \
             HS_RANGE(HS_REPLAY_LEAST, HS_REPLAY_MOST)),                                           \
        READ(scale_time, REAL, "1",                                                                \
             "multiply the trace's times, gaps and durations alike: 0.1 replays it in a tenth of " \
             "the time at the same load",                                                          \
             HS_RANGE(HS_REPLAY_LEAST, HS_REPLAY_MOST)),                                           \
        ROW(window, TEXT, INTAKE, NULL,                                                            \
            "keep submissions from FROM on and before TO: times after the first one or dates of "  \
            "the trace's clock; absent: all",                                                      \
            UNIT("FROM..TO"), .check = check_window),                                              \
        HS_OPTION(REAL, "sample_jobs", AT(read.sample), "1",                                       \
                  "keep each job with this probability, by its id and --seed", HS_RANGE(1e-9, 1),  \
                  .group = INTAKE)

#define PROFILES "Profiles of the jobs"
#define ASSIGN_ROWS                                                                                \
    ROW(assign, CHOICE, PROFILES, "auto",                                                          \
        "where a profile comes from: the model that the trace names, else the GPU utilization "    \
        "that it tells, else a draw from a mix (auto); or only these",                             \
        WORDS(assign_modes)),                                                                      \
        ROW(assign_target, REAL, PROFILES, "52",                                                   \
            "mean GPU utilization of the mix, of jobs on one GPU and of gangs", HS_RANGE(0, 100),  \
            UNIT("%"), SOURCE("52: Jeon et al., ATC'19, mean of Philly")),                         \
        ROW(assign_sticky, REAL, PROFILES, "0.8",                                                  \
            "chance that a drawn job keeps the profile of its user's last job of this size "       \
            "within a day",                                                                        \
            HS_RANGE(0, 1)),                                                                       \
        ROW(profiles, TEXT, PROFILES, "builtin:profiles.csv",                                      \
            "the catalogue; builtin: configs/profiles.csv as compiled in", UNIT("FILE"))
#define ASSIGN_SEED_ROW                                                                            \
    ROW(assign_seed, INT, PROFILES, "0", "of these draws alone; 0: that of --seed", SEED_RANGE)

#define CLUSTER "Cluster"
#define CLUSTER_ROWS                                                                               \
    ROW(vc, CHOICE, CLUSTER, "ignore",                                                             \
        "virtual clusters: none, each with nodes of its own, or GPU quotas on shared nodes",       \
        WORDS(vc_modes)),                                                                          \
        ROW(vc_file, TEXT, CLUSTER, NULL,                                                          \
            "sizes of the virtual clusters: JSON, or Helios' cluster_gpu_number.csv; absent: the " \
            "cluster file's own",                                                                  \
            UNIT("FILE")),                                                                         \
        ROW(vc_date, TEXT, CLUSTER, NULL, "row of cluster_gpu_number.csv; absent: the last",       \
            UNIT("YYYY-MM-DD"), .check = check_date)

#define WORKLOAD_ROWS                                                                              \
    ROW(trace, TEXT, "Workload", NULL,                                                             \
        "the trace, when it is not an operand; - is standard input", UNIT("FILE")),                \
        ROW(name, TEXT, "Workload", NULL,                                                          \
            "of the workload in the results; absent: from the name of the trace",                  \
            UNIT("WORKLOAD"), .check = check_name),                                                \
        ROW(cluster, TEXT, CLUSTER, HS_DEFAULT_CLUSTER,                                            \
            "JSON file or shape NODESxGPUS:TYPE,..., e.g. 20x8:V100,8x4:P100", UNIT("SPEC"),       \
            LETTER('c'), SHORT),                                                                   \
        CLUSTER_ROWS

#define SIMULATION "Simulation"
#define SIMULATION_ROWS                                                                            \
    ROW(seed, INT, SIMULATION, "1", "of every random draw", SEED_RANGE),                           \
        ROW_AT(until, DURATION, until_us, SIMULATION, "0s",                                        \
               "stop the clock here, list what is unfinished; 0: run to the end",                  \
               HS_RANGE(0, YEARS_100_S), SHORT),                                                   \
        ROW_AT(startup, DURATION, startup_us, SIMULATION, "0s",                                    \
               "cost of the first start of every job", HS_RANGE(0, 1e6)),                          \
        ROW(max_tenants, INT, SIMULATION, "16",                                                    \
            "jobs on one GPU at most, whatever a policy's own limit is",                           \
            HS_RANGE(1, HS_TENANTS_MAX)),                                                          \
        ROW(check, CHOICE, SIMULATION, "fast",                                                     \
            "invariants after every instant: none, cheap ones, full recounts", WORDS(checks),      \
            SHORT)
#define TIE_JITTER_ROW                                                                             \
    ROW(tie_jitter, INT, SIMULATION, "0",                                                          \
        "N more runs with seeded random ties: mean and spread beside each metric",                 \
        HS_RANGE(0, 10000), SHORT)
#define POLICY_ROW                                                                                 \
    ROW(policy, TEXT, SIMULATION, "fifo", "scheduling policy ('horus policies' lists them)",       \
        UNIT("NAME[:KEY=VALUE,...]"), LETTER('p'), .check = check_policy, SHORT)

#define TRUTH "Truth: how fast jobs run"
#define TOLD  "Prediction: what policies are told"
#define MODEL_ROWS                                                                                 \
    ROW(models, TEXT, TRUTH, NULL,                                                                 \
        "model files of 'horus calibrate', comma-separated, instead of the built-in ones of "      \
        "their kind",                                                                              \
        UNIT("FILES")),                                                                            \
        ROW(interference, TEXT, TRUTH, "measured+fit",                                             \
            "slowdown of jobs that share a GPU: measured+fit, fit, const:X (1 + X beside "         \
            "anybody) or none",                                                                    \
            UNIT("MODEL"), .check = check_interference),                                           \
        ROW_AT(gamma, REAL, how.gamma, TRUTH, "1",                                                 \
               "slowdowns to this power: 1 as measured, 1.43 makes the worst 3.2",                 \
               HS_RANGE(0, 10), SOURCE("1.43: Horus ICA3PP'20 saw up to 3.2x")),                   \
        ROW_AT(                                                                                    \
            interference_noise, REAL, how.noise, TRUTH, "0",                                       \
            "how wrong the model of slowdowns is: speeds of pairs not measured get residuals of "  \
            "X times its hold-out RMSE, drawn by --seed; 1 = one standard error",                  \
            HS_RANGE(0, 10)),                                                                      \
        ROW_AT(crowd, CHOICE, how.crowd, TRUTH, "additive",                                        \
               "more than two jobs on a GPU: excess slowdowns added up, or the exact queueing "    \
               "recursion; modelled, not measured",                                                \
               WORDS(crowds)),                                                                     \
        ROW(reference_type, TEXT, TRUTH, NULL,                                                     \
            "GPU type on which the trace was recorded; absent: the first of the cluster whose "    \
            "speed is 1",                                                                          \
            UNIT("TYPE")),                                                                         \
        ROW(locality, CHOICE, TRUTH, "measured",                                                   \
            "a gang spread over more nodes than it needs: slowed as measured for its family, or "  \
            "not",                                                                                 \
            WORDS(localities)),                                                                    \
        ROW(memory_reserve, TEXT, TRUTH, "auto",                                                   \
            "memory of a shared GPU that its tenants cannot use; auto: as calibrated",             \
            UNIT("SIZE|auto"), .check = check_reserve,                                             \
            SOURCE("auto: 95 % of Lucid's pairs need less beyond their sum")),                     \
        ROW(oom_delay, DURATION, TRUTH, "30s",                                                     \
            "from a start that overflows its GPU to its end: the attempt is lost",                 \
            HS_RANGE(0, 86400)),                                                                   \
        ROW(oom_retries, INT, TRUTH, "2",                                                          \
            "a job whose GPU ran out of memory so often runs only alone", HS_RANGE(0, 1000)),      \
        ROW(restart_table, TEXT, TRUTH, "builtin:restart.csv",                                     \
            "what starting a model again takes, by model and GPUs, for preempt_cost=restart; "     \
            "builtin: configs/restart.csv as compiled in",                                         \
            UNIT("FILE"), SOURCE("Zhao et al. SIGCOMM'22, Muri simulator")),                       \
        ROW(memory_limits, TEXT, TRUTH, "builtin:memory-limits.csv",                               \
            "speed of a job whose GPU memory a policy limits, by model and limit; builtin: "       \
            "configs/memory-limits.csv as compiled in",                                            \
            UNIT("FILE"), SOURCE("Xiao et al. OSDI'20, AntMan, fig. 10")),                         \
        ROW(storage_bandwidth, INT, TRUTH, "100",                                                  \
            "MiB/s at which a job saves and restores its checkpoint, for preempt_cost=checkpoint", \
            HS_RANGE(1, 1000000), UNIT("MiB/s"),                                                   \
            SOURCE("shared file systems of clouds: Filestore basic HDD 100/100 MiB/s, Amazon EFS " \
                   "bursting 100 MiB/s")),                                                         \
        ROW_AT(predictor, CHOICE, told.kind, TOLD, "noisy",                                        \
               "utilization: the truth, the truth with log-normal noise, other batches of the "    \
               "model, or a regression on its graph",                                              \
               WORDS(predictors), SOURCE("noisy: HotCloud'20 reports an error, not a method")),    \
        ROW_AT(util_noise, REAL, told.util_rmsle, TOLD, "0.154",                                   \
               "noisy: RMSLE of the utilization; one draw a job, by --seed", HS_RANGE(0, 5),       \
               SOURCE("Yeung et al. HotCloud'20")),                                                \
        ROW_AT(util_bias, REAL, told.util_bias, TOLD, "0",                                         \
               "noisy: mean of the log error; below 0 too little is told", HS_RANGE(-5, 5)),       \
        ROW_AT(predictor_holdout, CHOICE, told.holdout, TOLD, "config",                            \
               "regress: fitted without this configuration, or without its model",                 \
               WORDS(holdouts)),                                                                   \
        ROW_AT(memory_predictor, CHOICE, told.memory, TOLD, "oracle",                              \
               "GPU memory: the truth, the formula of Horus, or noise", WORDS(memory_predictors)), \
        ROW_AT(memory_noise, REAL, told.mem_ln_sd, TOLD, "0.665",                                  \
               "noisy: standard deviation of ln(estimate / truth); one draw a job, by --seed",     \
               HS_RANGE(0, 5), SOURCE("the formula against 18 measurements of GPUMemNet"))

/* What is simulated, of a run and of a point of a sweep. */
#define ONE_RUN_ROWS                                                                               \
    WORKLOAD_ROWS, POLICY_ROW, SIMULATION_ROWS, TIE_JITTER_ROW, MODEL_ROWS, ASSIGN_ROWS,           \
        ASSIGN_SEED_ROW, TRACE_ROWS

#define RESULTS "Results"
#define OUTPUT_ROW(unit, group, help)                                                              \
    ROW(output, TEXT, group, NULL, help, UNIT(unit), LETTER('o'), SHORT, LOCAL)
#define OUTPUTS_ROW(preset, help)                                                                  \
    ROW(outputs, TEXT, RESULTS, preset, help, UNIT("LIST"), .check = check_outputs,                \
        .word_at = output_at)
#define SAMPLE_ROWS                                                                                \
    ROW(sample, TEXT, RESULTS, "auto",                                                             \
        "series.csv: means per TIME, over at most 2048 intervals, or every change",                \
        UNIT("TIME|auto|exact"), .check = check_sample),                                           \
        ROW_AT(warmup, DURATION, warmup_us, RESULTS, "0s",                                         \
               "leave jobs submitted in the first part out of the job statistics",                 \
               HS_RANGE(0, YEARS_100_S)),                                                          \
        ROW_AT(cooldown, DURATION, cooldown_us, RESULTS, "0s", "the same for the last part",       \
               HS_RANGE(0, YEARS_100_S))

#define CALL "This call"
#define SET_ROWS                                                                                   \
    ROW_AT(set, TEXT, settings, CALL, NULL, "set one key, e.g. policy.scan=fit; may be repeated",  \
           UNIT("KEY=VALUE"), REPEATED, LOCAL),                                                    \
        ROW(print_config, FLAG, CALL, "no",                                                        \
            "print the effective config with the origin of each value, and stop", LOCAL),          \
        ROW(quiet, FLAG, CALL, "no", "no notes and no progress; warnings and errors stay",         \
            LETTER('q'), LOCAL)
#define CALL_ROWS                                                                                  \
    ROW_AT(config, TEXT, config_file, CALL, NULL,                                                  \
           "JSON with any of the keys above (// comments allowed); flags override it",             \
           UNIT("FILE"), SHORT, LOCAL),                                                            \
        SET_ROWS
#define PROCESSES_ROW(at)                                                                          \
    HS_OPTION(INT, "processes", at, "1", "runs at a time, each in a process of its own",           \
              HS_RANGE(1, 1024), LETTER('j'), .group = CALL, SHORT, LOCAL)
#define RUN_CALL_ROWS                                                                              \
    ROW(dry_run, FLAG, CALL, "no",                                                                 \
        "check everything, the whole trace included, print the sizes, and stop", SHORT, LOCAL),    \
        ROW(force, FLAG, CALL, "no", "replace an existing run directory", LETTER('f'), LOCAL)
#define PROGRESS_ROWS                                                                              \
    ROW(progress, FLAG, CALL, "no", "progress on standard error even if it is no terminal",        \
        LOCAL),                                                                                    \
        ROW(no_progress, FLAG, CALL, "no", "no progress", LOCAL),                                  \
        ROW(verbose, FLAG, CALL, "no", "also events, decisions, time and memory", LETTER('v'),     \
            LOCAL)

const struct hs_option hs_run_option_table[] = {
    ONE_RUN_ROWS,
    OUTPUT_ROW("DIR", RESULTS, "run directory; absent: results/TRACE-POLICY-HASH"),
    OUTPUTS_ROW(
        "all",
        "all, summary, or of jobs,segments,series,nodes,decisions,swf; all: without the last two"),
    ROW(decisions, FLAG, RESULTS, "no",
        "write decisions.csv, too: each action of the policy with its reason"),
    ROW(report, FLAG, RESULTS, "no", "write report.html, too: the page of 'horus report'", LOCAL),
    SAMPLE_ROWS,
    CALL_ROWS,
    RUN_CALL_ROWS,
    PROGRESS_ROWS,
    HS_OPTIONS_END,
};

#define COMPARED "What is compared"

const struct hs_option hs_compare_option_table[] = {
    WORKLOAD_ROWS,
    ROW(policy, TEXT, COMPARED, NULL,
        "a scheduling policy; give one -p each, the first is the reference; a list in a --config "
        "file",
        UNIT("NAME[:KEY=VALUE,...]"), LETTER('p'), .check = check_policy, SHORT, REPEATED),
    HS_OPTION(
        TEXT, "seeds", OF_COMPARE(seeds), NULL,
        "each policy under each of these seeds, e.g. 1..5 or 1,3,7; absent: the one of --seed",
        UNIT("SEEDS"), .check = check_seeds, .group = COMPARED, SHORT),
    HS_OPTION(TEXT, "assignments", OF_COMPARE(assignments), NULL,
              "and each of these seeds for the draws of profiles; absent: --assign-seed, or the "
              "run's seed",
              UNIT("SEEDS"), .check = check_assignments, .group = COMPARED, SHORT),
    SIMULATION_ROWS,
    MODEL_ROWS,
    ASSIGN_ROWS,
    ASSIGN_SEED_ROW,
    TRACE_ROWS,
    OUTPUT_ROW("DIR", RESULTS, "directory of the comparison; absent: results/compare-TRACE-HASH"),
    OUTPUTS_ROW("summary", "summary, all, or of jobs,segments,series,nodes,decisions,swf: beyond "
                           "summary the directory of every run is kept"),
    HS_OPTION(TEXT, "metrics", OF_COMPARE(metrics), NULL,
              "columns of the table, e.g. mean_jct,p99_wait; compare.csv has all", UNIT("LIST"),
              .group = RESULTS),
    HS_OPTION(TEXT, "fail_if", OF_COMPARE(fail_if), NULL,
              "exit code 1 if it holds: 'mean_jct>+1%' of a policy against the first, or 'ooms>0'; "
              "'@POLICY' behind it: of that one; may be repeated",
              UNIT("CONDITION"), .group = RESULTS, SHORT, REPEATED),
    SAMPLE_ROWS,
    CALL_ROWS,
    RUN_CALL_ROWS,
    PROGRESS_ROWS,
    PROCESSES_ROW(OF_COMPARE(processes)),
    HS_OPTION(
        INT, "bootstrap", OF_COMPARE(bootstrap), "2000",
        "of two finished runs: resamples for the intervals, seeded by --seed; 0: no intervals",
        HS_RANGE(0, 100000), .group = CALL, LOCAL),
    HS_OPTIONS_END,
};

#define POINTS_ROW(name, kind, field, preset, ...)                                                 \
    HS_OPTION(kind, name, OF_SWEEP(field), preset, __VA_ARGS__, .group = "Its points", SHORT, LOCAL)

const struct hs_option hs_sweep_option_table[] = {
    POINTS_ROW("list", FLAG, lists, "no", "print one command a line, each of which runs one point"),
    POINTS_ROW("make", FLAG, makes, "no", "print a makefile that runs the points and gathers"),
    POINTS_ROW("pending", FLAG, pending, "no", "print the points that are not finished: 3,7,9-12"),
    POINTS_ROW("status", FLAG, status, "no", "print how many are finished, and what failed"),
    POINTS_ROW("gather", FLAG, gathers, "no", "write sweep.csv from the points that are finished"),
    POINTS_ROW("index", INT, index, "0",
               "run this point alone, from 1; a finished one is left as it is",
               HS_RANGE(0, HS_SWEEP_POINTS_MAX)),
    ONE_RUN_ROWS,
    OUTPUT_ROW("DIR", RESULTS, "directory of the sweep; absent: results/NAME"),
    OUTPUTS_ROW("summary",
                "of each point: summary, all, or of jobs,segments,series,nodes,decisions,swf"),
    HS_OPTION(TEXT, "metric", OF_SWEEP(metric), "mean_jct",
              "of the table at the end; sweep.csv has all", UNIT("NAME"), .group = RESULTS, LOCAL),
    SAMPLE_ROWS,
    SET_ROWS,
    PROGRESS_ROWS,
    PROCESSES_ROW(OF_SWEEP(processes)),
    HS_OPTIONS_END,
};

const struct hs_option hs_trace_option_table[] = {
    TRACE_ROWS,
    ASSIGN_ROWS,
    ROW(seed, INT, PROFILES, "1", "of the draws", SEED_RANGE),
    ROW(cluster, TEXT, CLUSTER, NULL,
        "validate: offered load and jobs that can never fit on this cluster; assign: what is drawn "
        "fits its smallest GPU",
        UNIT("SPEC"), LETTER('c'), SHORT),
    CLUSTER_ROWS,
    CALL_ROWS,
    OUTPUT_ROW("FILE", CALL,
               "convert, assign: the file to write, compressed if it ends in .gz or .zst; - is "
               "standard output"),
    ROW(to, TEXT, CALL, "auto", "convert: format of the file to write, or auto: by its suffix",
        UNIT("NAME"), .check = hs_trace_writer_check, SHORT, LOCAL, .word_at = written_at),
    ROW_AT(compare, TEXT, reference, CALL, NULL,
           "info: how far the trace is from this one, which is recognised by its content; both "
           "are held in memory, 32 to 64 bytes a job",
           UNIT("FILE"), SHORT, LOCAL),
    HS_OPTIONS_END,
};

/* ---- between options ---- */

struct hs_config hs_run_config(const struct hs_config *of_verb, struct hs_run_options *base)
{
    struct hs_config config = {.options = hs_run_option_table,
                               .base = base,
                               .arena = of_verb->arena,
                               .file = of_verb->file};
    for (uint32_t i = 0; hs_run_option_table[i].param.key != NULL; i++)
        config.origin[i] = hs_config_origin(of_verb, hs_run_option_table[i].param.key);
    return config;
}

enum hs_status hs_run_refuse_both(struct hs_call *call, bool are_both, const char *first,
                                  const char *second)
{
    if (!are_both)
        return HS_OK;
    return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave one out", "%s: both %s and %s",
                   call->verb->name, first, second);
}

enum hs_status hs_run_check_looks(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    HS_TRY(hs_run_refuse_both(call, options->quiet && options->verbose, "--quiet", "--verbose"));
    HS_TRY(hs_run_refuse_both(call, options->progress && options->no_progress, "--progress",
                              "--no-progress"));
    if (options->quiet)
        call->diag.least = HS_WARNING;
    return HS_OK;
}

enum hs_status hs_run_begin(struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    if (call->operand_count == 1 && hs_config_origin(&call->config, "trace") == HS_FROM_FLAG)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave one out",
                       "%s: two traces, '%s' and --trace=%s", call->verb->name, call->operands[0],
                       options->trace);
    HS_TRY(hs_run_check_looks(call));
    if (call->operand_count == 1)
        HS_TRY(hs_config_set(&call->config, "trace", call->operands[0], HS_FROM_FLAG, &call->diag));
    return HS_OK;
}

void hs_run_note_cluster(struct hs_call *call)
{
    if (hs_config_origin(&call->config, "cluster") == HS_FROM_DEFAULT)
        hs_report(&call->diag, HS_NOTE, NULL, "-c SPEC names another",
                  "no cluster given: " HS_DEFAULT_CLUSTER " is taken");
}

bool hs_run_shows_progress(const struct hs_call *call)
{
    const struct hs_run_options *options = call->options;
    bool wants = options->progress || (call->terminal.err_is_tty && !options->quiet);
    return wants && !options->no_progress;
}
