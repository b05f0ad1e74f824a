/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The option tables of `horus run`, `horus compare`, `horus sweep` and `horus trace`. Rows used in
 * several tables are macros; each table lists them in the order of its help text. Before them:
 * parsers of options with a special syntax, also used as checks that discard the value. Behind
 * them: checks between options.
 */
#include "cli/simulate.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/option_rows.h"
#include "traces/format.h"

/* ---- options with a special syntax ---- */

#define SEED_MAX INT64_C(9000000000000000) /* as --seed */

enum hs_status hs_sort_parse(const char *text, uint64_t *window, struct hs_diag *diag)
{
    int64_t rows;
    *window = HS_SORT_ALL;
    if (strcmp(text, "all") == 0)
        return HS_OK;
    if (!hs_parse_int64(text, strlen(text), &rows) || rows < 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "--sort=8192 buffers 8192 rows",
                       "sort is neither a number of rows nor 'all': '%s'", text);
    *window = (uint64_t)rows;
    return HS_OK;
}

static const char *const output_names[] = {"jobs", "segments", "series",  "nodes", "decisions",
                                           "swf",  "teams",    "summary", "all",   NULL};

static const char *output_at(size_t index)
{
    return index < HS_COUNT_OF(output_names) ? output_names[index] : NULL;
}

enum hs_status hs_outputs_parse(const char *text, uint32_t *outputs, struct hs_diag *diag)
{
    static const uint32_t bits[] = {HS_OUT_JOBS,
                                    HS_OUT_SEGMENTS,
                                    HS_OUT_SERIES,
                                    HS_OUT_NODES,
                                    HS_OUT_DECISIONS,
                                    HS_OUT_SWF,
                                    HS_OUT_TEAMS | HS_OUT_JOBS,
                                    HS_OUT_SUMMARY,
                                    HS_OUT_ALL};
    const size_t count = HS_COUNT_OF(bits);
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
                           "jobs,segments,series,nodes,decisions,swf,teams",
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

enum hs_status hs_checkpoints_parse(const char *text, int64_t *interval_us, struct hs_diag *diag)
{
    const int64_t years_100_us = INT64_C(3153600000000000);
    if (strcmp(text, "auto") == 0)
        *interval_us = HS_CHECKPOINTS_AUTO;
    else if (strcmp(text, "young-daly") == 0)
        *interval_us = HS_YOUNG_DALY;
    else if (strcmp(text, "none") == 0)
        *interval_us = 0;
    else if (!hs_parse_duration_us(text, strlen(text), interval_us) || *interval_us < 0 ||
             *interval_us > years_100_us)
        return hs_fail(diag, HS_E_USAGE, NULL, "--checkpoint-interval=1h",
                       "an interval of checkpoints is young-daly, none, auto or a time of at most "
                       "100 years, not '%s'",
                       text);
    return HS_OK;
}

/* Compares it with all previous ones: lists are short. */
static enum hs_status add_seed(int64_t *list, uint32_t *count, int64_t seed, const char *option,
                               struct hs_diag *diag)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == seed)
            return hs_fail(diag, HS_E_USAGE, NULL, "give each seed once",
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
static enum hs_status check_faults(const char *text, struct hs_diag *diag)
{
    struct hs_machines machines = {0};
    struct hs_arena arena = {0};
    const enum hs_status status = hs_machines_parse_law(&machines, text, &arena, diag);
    hs_arena_free(&arena);
    return status;
}
DEFINE_CHECK(checkpoints, int64_t, hs_checkpoints_parse)
DEFINE_CHECK(window, struct hs_trace_window, hs_trace_window_parse)
DEFINE_CHECK(reserve, int64_t, hs_reserve_parse)
DEFINE_CHECK(interference, struct hs_interference_options, hs_interference_parse)
DEFINE_CHECK(capacity, double, hs_capacity_parse)
DEFINE_CHECK(speed_predictor, struct hs_speed_predictor, hs_speed_predictor_parse)

static enum hs_status check_name(const char *text, struct hs_diag *diag)
{
    if (*text == '\0' || hs_rundir_is_name(text))
        return HS_OK;
    return hs_fail(diag, HS_E_USAGE, NULL, "it becomes part of a directory name",
                   "name begins with a dot, or has a slash or a control character: '%s'", text);
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

/* Reports only errors: the set-up of the policy warns of a parameter without effect. */
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
static const char *const deadline_rules[] = {"trace", "gavel", "elasticflow", NULL};
static const char *const loss_rules[] = {"trace", "draw", NULL}; /* as enum hs_losses */
static const char *const assign_modes[] = {"auto", "columns", "telemetry", "mix",
                                           "off",  "always",  NULL};
static const char *const unknowns[] = {"full", "draw", "error", NULL}; /* as enum hs_unknown */
static const char *const localities[] = {"measured", "none", NULL};
const char *const hs_sharing_options[] = {"cluster", "timeslice", "mps", "mig", NULL};
const char *const hs_predictors[] = {"oracle", "noisy", "table", "regress", NULL};
const char *const hs_memory_predictors[] = {"oracle", "formula", "noisy", NULL};
const char *const hs_holdouts[] = {"config", "model", NULL};

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

#define OWNER       struct hs_run_options
#define YEARS_100_S 3153600000

#define INTAKE "Reading the trace"
#define TRACE_ROWS                                                                                 \
    TEXT("format", read.format, INTAKE, "auto", "NAME",                                            \
         "trace format, or auto: by content ('horus help formats')", SHORT,                        \
         .check = hs_trace_format_check, .word_at = format_at),                                    \
        TEXT("map", read.map, INTAKE, NULL, "MAP",                                                 \
             "names of the columns of a csv: 'submit_time=timestamp,...' or a JSON file", SHORT),  \
        TEXT("map_value", read.map_values, INTAKE, NULL, "VALUES",                                 \
             "meaning of values of state and class: "                                              \
             "'state:Succeeded=completed,state:Error=failed'"),                                    \
        CHOICE("time_unit", time_unit, INTAKE, "auto", time_units,                                 \
               "unit of bare numbers; auto: the format's own, minutes in chronus, ms in muri, "    \
               "else seconds"),                                                                    \
        TEXT("gavel_throughputs", read.gavel_throughputs, INTAKE, NULL, "FILE",                    \
             "for Gavel's traces: its file of steps per second, one of *_throughputs.json"),       \
        CHOICE("philly_attempts", read.philly_attempts, INTAKE, "merge", attempts,                 \
               "run time of a Philly job with several attempts. merge: first start to last end; "  \
               "split: one job per attempt; sum: sum of their times",                              \
               SOURCE("merge: philly-traces notebook")),                                           \
        CHOICE("retries", retries, INTAKE, "merge", retries,                                       \
               "attempts of a failed job. merge: folded into one run; attempts: resubmitted as "   \
               "the trace records them; generate: drawn as often as on Philly, in addition to "    \
               "the recorded run",                                                                 \
               SOURCE("generate: Jeon et al., ATC'19")),                                           \
        CHOICE("cpu_jobs", read.cpu_jobs, INTAKE, "skip", cpu_jobs,                                \
               "jobs that request no GPU; skipped ones are counted"),                              \
        CHOICE("zero_duration", read.zero_duration, INTAKE, "keep", zero_durations,                \
               "jobs that ran for 0 s: keep, drop (counted) or make them 1 s long"),               \
        CHOICE("openb_pending", read.openb_pending, INTAKE, "drop", openb_pending,                 \
               "pods of openb that were never scheduled: drop (counted), or run for as long as "   \
               "they existed"),                                                                    \
        TEXT("outcomes", read.outcomes, INTAKE, NULL, "OUTCOMES",                                  \
             "keep only jobs with these recorded outcomes, e.g. completed,failed; absent: all"),   \
        TEXT("sort", sort, INTAKE, "8192", "N|all",                                                \
             "rows buffered to sort late ones; all: the whole trace in memory",                    \
             .check = hs_check_sort),                                                              \
        REAL("skip_bad_rows", skip_bad_rows, INTAKE, "0", 0, 100,                                  \
             "percentage of bad rows that may be skipped and counted; 0: the first one is an "     \
             "error",                                                                              \
             UNIT("%")),                                                                           \
        INT("max_jobs", read.max_jobs, INTAKE, "0", 0, 9e15,                                       \
            "take only the first N jobs; 0: all"),                                                 \
        REAL("load", read.load, INTAKE, "1", HS_REPLAY_LEAST, HS_REPLAY_MOST,                      \
             "factor on the arrival rate: divides the gaps between submissions", SHORT),           \
        REAL("scale_time", read.scale_time, INTAKE, "1", HS_REPLAY_LEAST, HS_REPLAY_MOST,          \
             "factor on gaps and durations alike: 0.1 replays the trace in a tenth of the time "   \
             "at the same load"),                                                                  \
        TEXT("window", window, INTAKE, NULL, "FROM..TO",                                           \
             "keep only jobs submitted at or after FROM and before TO: times since the first "     \
             "submission, or dates of the trace; absent: all",                                     \
             .check = check_window),                                                               \
        REAL("sample_jobs", read.sample, INTAKE, "1", 1e-9, 1,                                     \
             "keep each job with this probability, by its id and --seed")

#define PROFILES "Profiles of the jobs"
#define ASSIGN_ROWS                                                                                \
    CHOICE(                                                                                        \
        "assign", assign, PROFILES, "auto", assign_modes,                                          \
        "source of a job's profile. always: the model that the trace names, else its recorded "    \
        "GPU utilization, else a draw from a mix; auto: the same, but no draws where no policy "   \
        "shares GPUs or uses profiles and the only GPU type slows no spread gang; columns: only "  \
        "the model; telemetry: model and utilization; mix: only draws; off: none"),                \
        REAL("assign_target", assign_target, PROFILES, "52", 0, 100,                               \
             "mean GPU utilization of the mix, for one-GPU jobs and for gangs", UNIT("%"),         \
             SOURCE("52: Jeon et al., ATC'19, mean of Philly")),                                   \
        REAL("assign_sticky", assign_sticky, PROFILES, "0.8", 0, 1,                                \
             "probability that a draw repeats the profile of the user's last job of this size "    \
             "within a day"),                                                                      \
        TEXT("profiles", profiles, PROFILES, "builtin:profiles.csv", "FILE",                       \
             "catalogue of profiles; builtin: the compiled-in configs/profiles.csv"),              \
        CHOICE(                                                                                    \
            "deadlines", deadlines, PROFILES, "trace", deadline_rules,                             \
            "deadlines: those of the trace; a job without one gets a random one, at its "          \
            "submission plus its run time times 1.2, 2 or 10 (gavel) or 0.5 to 1.5 (elasticflow)", \
            SOURCE("Narayanan et al. OSDI'20; Gu et al. ASPLOS'23")),                              \
        CHOICE("losses", losses, PROFILES, "trace", loss_rules,                                    \
               "loss curves, for optimus:oracle=no: those of the trace; draw: a job without one "  \
               "gets a random one",                                                                \
               SOURCE("form and thresholds: Peng et al. EuroSys'18"))
#define UNKNOWN_ROWS                                                                               \
    CHOICE("unknown_util", unknown_util, PROFILES, "full", unknowns,                               \
           "GPU utilization of a job, where GPUs are shared, that neither trace nor profile nor "  \
           "model family has: 100 %, that of a random row of the catalogue, or an error"),         \
        CHOICE("unknown_memory", unknown_memory, PROFILES, "full", unknowns,                       \
               "the same for GPU memory; full: a whole GPU, so that the job shares none")
#define ASSIGN_SEED_ROW                                                                            \
    INT("assign_seed", assign_seed, PROFILES, "0", 0, 9e15,                                        \
        "seed of the draws of profiles; 0: that of --seed")

#define CLUSTER "Cluster"
#define CLUSTER_ROWS                                                                               \
    CHOICE("vc", vc, CLUSTER, "ignore", vc_modes,                                                  \
           "virtual clusters: ignored, partitions of the nodes, or GPU quotas on shared nodes",    \
           SHORT),                                                                                 \
        TEXT("vc_file", vc_file, CLUSTER, NULL, "FILE",                                            \
             "sizes of the virtual clusters: JSON, or Helios' cluster_gpu_number.csv; absent: "    \
             "those in the cluster file"),                                                         \
        TEXT("vc_date", vc_date, CLUSTER, NULL, "YYYY-MM-DD",                                      \
             "date of the row of cluster_gpu_number.csv to use; absent: the last row",             \
             .check = check_date),                                                                 \
        TEXT("reservations", reservations, CLUSTER, NULL, "FILE",                                  \
             "nodes reserved for a user or a virtual cluster: CSV with start, end, nodes or "      \
             "gpus, user, vc, name"),                                                              \
        REAL("overcommit", overcommit, CLUSTER, "1", 0.01, 100,                                    \
             "factor on the number of nodes, where a log shows other capacity in use than its "    \
             "cluster file has"),                                                                  \
        TEXT("events", events, CLUSTER, NULL, "FILE",                                              \
             "machine events (failures, drains, additions, removals, slow nodes): CSV with time, " \
             "node, event, value (configs/README.md)"),                                            \
        TEXT("faults", faults, CLUSTER, NULL, "RATES",                                             \
             "random node failures, drawn by --seed: mtbf=30d,repair=4h; optional: shape "         \
             "(Weibull; 1: exponential) and rack_mtbf (whole racks fail)",                         \
             .check = check_faults),                                                               \
        TEXT("checkpoint_interval", checkpoint_interval, CLUSTER, "auto",                          \
             "TIME|young-daly|none|auto",                                                          \
             "work between two checkpoints of a job; a failure of one of its nodes loses the "     \
             "work since the last one; none: all work since it got its GPUs; young-daly: sqrt(2 "  \
             "x --checkpoint-cost x mean time between failures of its nodes); auto: young-daly "   \
             "where --faults and --checkpoint-cost are given, else none",                          \
             .check = check_checkpoints, SOURCE("Young, CACM 1974; Daly, FGCS 2006")),             \
        DURATION("checkpoint_cost", checkpoint_cost_us, CLUSTER, "0s", 0, 1e6,                     \
                 "time that each checkpoint takes; it slows the job evenly over its whole run"),   \
        DURATION("restart_cost", restart_us, CLUSTER, "0s", 0, 1e6,                                \
                 "cost of a start after a failure or a drain, in addition to --startup")

#define WORKLOAD_ROWS                                                                              \
    TEXT("trace", trace, "Workload", NULL, "FILE",                                                 \
         "the trace, if it is not given as an operand; - is standard input"),                      \
        TEXT("name", name, "Workload", NULL, "WORKLOAD",                                           \
             "name of the workload in the results; absent: that of the trace's file",              \
             .check = check_name),                                                                 \
        TEXT("cluster", cluster, CLUSTER, HS_DEFAULT_CLUSTER, "SPEC",                              \
             "JSON file, name ('horus clusters' lists them) or shape NODESxGPUS:TYPE,..., e.g. "   \
             "20x8:V100,8x4:P100",                                                                 \
             LETTER('c'), SHORT),                                                                  \
        CLUSTER_ROWS

#define SIMULATION "Simulation"
#define SIMULATION_ROWS                                                                            \
    INT("seed", seed, SIMULATION, "1", 0, 9e15, "seed of all random draws", SHORT),                \
        DURATION("until", until_us, SIMULATION, "0s", 0, YEARS_100_S,                              \
                 "stop at this simulated time and list the unfinished jobs; 0: run to the end",    \
                 SHORT),                                                                           \
        INT("max_events", max_events, SIMULATION, "0", 0, 9e15,                                    \
            "stop as --until does, with exit code 5, after the instant that reaches this number "  \
            "of events; 0: no limit"),                                                             \
        DURATION("max_wall", max_wall_us, SIMULATION, "0s", 0, YEARS_100_S,                        \
                 "the same after this wall-clock time: where the run stops depends on the "        \
                 "machine; 0: no limit"),                                                          \
        DURATION("startup", startup_us, SIMULATION, "0s", 0, 1e6,                                  \
                 "cost of the first start of every job"),                                          \
        INT("max_tenants", max_tenants, SIMULATION, "16", 1, HS_TENANTS_MAX,                       \
            "most jobs on one GPU, whatever the policy's own limit"),                              \
        CHOICE(                                                                                    \
            "check", check, SIMULATION, "fast", checks,                                            \
            "invariants checked after every instant: none, cheap ones, or all by full recounts")
#define TIE_JITTER_ROW                                                                             \
    INT("tie_jitter", tie_jitter, SIMULATION, "0", 0, 10000,                                       \
        "N more runs with random ties, by --seed: mean and spread of each metric")
#define POLICY_ROW                                                                                 \
    TEXT("policy", policy, SIMULATION, "fifo", "NAME[:KEY=VALUE,...]",                             \
         "scheduling policy ('horus policies' lists them)", LETTER('p'), .check = check_policy,    \
         SHORT)

#define TRUTH      "Truth: how fast jobs run"
#define PREDICTION "Prediction: what policies see"
#define MODEL_ROWS                                                                                 \
    TEXT("models", models, TRUTH, NULL, "FILES",                                                   \
         "model files of 'horus calibrate', comma-separated; each replaces the built-in model of " \
         "its kind"),                                                                              \
        TEXT("interference", interference, TRUTH, "measured+fit", "MODEL",                         \
             "slowdown of jobs that share a GPU, before the limit on its total time "              \
             "(--sharing-capacity): measured+fit, fit, const:X (1 + X beside any other job) or "   \
             "none",                                                                               \
             .check = check_interference),                                                         \
        REAL("gamma", how.gamma, TRUTH, "1", 0, 10,                                                \
             "exponent on slowdowns: 1 as measured; 1.43 raises the worst to 3.2",                 \
             SOURCE("1.43: Horus ICA3PP'20 saw up to 3.2x")),                                      \
        REAL("interference_noise", how.noise, TRUTH, "0", 0, 10,                                   \
             "error of the slowdown model: speeds of unmeasured pairs get residuals of X times "   \
             "its hold-out RMSE, drawn by --seed; 1: one standard error"),                         \
        CHOICE("sharing_mode", sharing_mode, TRUTH, "cluster", hs_sharing_options,                 \
               "how jobs share a GPU. timeslice: kernels of one job at a time; mps: of several "   \
               "at a time; mig: fixed parts; cluster: as the cluster file says, else timeslice"),  \
        TEXT("sharing_capacity", sharing_capacity, TRUTH, "auto", "CAPACITY",                      \
             "limit on the GPU time that the jobs on one GPU use together, 1: that of one job; "   \
             "auto (as measured for GPU type and mode, else 1), a number, or none",                \
             .check = check_capacity),                                                             \
        TEXT("reference_type", reference_type, TRUTH, NULL, "TYPE",                                \
             "GPU type on which the trace was recorded; absent: of the cluster's types of speed "  \
             "1 the one with most GPUs, the first by name among equals"),                          \
        CHOICE("locality", locality, TRUTH, "measured", localities,                                \
               "slowdown of a gang on more nodes than it needs: as measured for its model "        \
               "family, or none"),                                                                 \
        REAL("rack_speed", rack_speed, TRUTH, "1", 0.01, 1,                                        \
             "relative speed of a gang on more racks than it needs; no public measurement "        \
             "separates this from the effect of nodes"),                                           \
        TEXT("memory_reserve", memory_reserve, TRUTH, "auto", "SIZE|auto",                         \
             "memory of a shared GPU that its jobs cannot use; auto: as calibrated",               \
             .check = check_reserve,                                                               \
             SOURCE("auto: 95 % of Lucid's pairs need less than this beyond the sum of both")),    \
        DURATION("oom_delay", oom_delay, TRUTH, "30s", 0, 86400,                                   \
                 "time from a start that overflows GPU memory to its failure; its work is lost"),  \
        INT("oom_retries", oom_retries, TRUTH, "2", 0, 1000,                                       \
            "after this many out-of-memory failures a job only runs alone"),                       \
        TEXT("restart_table", restart_table, TRUTH, "builtin:restart.csv", "FILE",                 \
             "restart times by model and number of GPUs, for preempt_cost=restart; builtin: the "  \
             "compiled-in configs/restart.csv",                                                    \
             SOURCE("Zhao et al. SIGCOMM'22, Muri simulator")),                                    \
        TEXT("memory_limits", memory_limits, TRUTH, "builtin:memory-limits.csv", "FILE",           \
             "speed of a job whose GPU memory a policy limits, by model and limit; builtin: the "  \
             "compiled-in configs/memory-limits.csv",                                              \
             SOURCE("Xiao et al. OSDI'20, AntMan, fig. 10")),                                      \
        INT("storage_bandwidth", storage_bandwidth, TRUTH, "100", 1, 1000000,                      \
            "MiB/s at which a job saves and restores its checkpoint, for preempt_cost=checkpoint", \
            UNIT("MiB/s"),                                                                         \
            SOURCE("shared file systems of clouds: Filestore basic HDD 100/100 MiB/s, Amazon EFS " \
                   "bursting 100 MiB/s")),                                                         \
        CHOICE("predictor", prediction.kind, PREDICTION, "noisy", hs_predictors,                   \
               "predicted utilization: the true one, the true one with log-normal noise, that of " \
               "other batch sizes of the model, or by regression on its graph",                    \
               SOURCE("noisy: HotCloud'20 reports an error, not a method")),                       \
        REAL("util_noise", prediction.util_rmsle, PREDICTION, "0.154", 0, 5,                       \
             "noisy: RMSLE of the utilization; one draw per job, by --seed",                       \
             SOURCE("Yeung et al. HotCloud'20")),                                                  \
        REAL("util_bias", prediction.util_bias, PREDICTION, "0", -5, 5,                            \
             "noisy: mean of the log error; below 0 predictions are too low"),                     \
        CHOICE("predictor_holdout", prediction.holdout, PREDICTION, "config", hs_holdouts,         \
               "regress: fitted without this configuration, or without its model"),                \
        CHOICE("memory_predictor", prediction.memory, PREDICTION, "oracle", hs_memory_predictors,  \
               "predicted GPU memory: the true one, by the formula of Horus, or the true one "     \
               "with log-normal noise"),                                                           \
        REAL("memory_noise", prediction.mem_ln_sd, PREDICTION, "0.665", 0, 5,                      \
             "noisy: standard deviation of ln(estimate / truth); one draw per job, by --seed",     \
             SOURCE("the formula against 18 measurements of GPUMemNet")),                          \
        TEXT("speed_predictor", speed_predictor, PREDICTION, "table", "PREDICTOR",                 \
             "predicted speeds on types and numbers of GPUs. oracle: the true ones; table: those " \
             "of other batch sizes of the model, else of other models (of pairs: by "              \
             "--predictor); noisy:SIGMA: the true ones with log-normal noise, by --seed",          \
             .check = check_speed_predictor)

/* The options of a simulation, for a run and a point of a sweep. */
#define ONE_RUN_ROWS                                                                               \
    WORKLOAD_ROWS, POLICY_ROW, SIMULATION_ROWS, TIE_JITTER_ROW, MODEL_ROWS, ASSIGN_ROWS,           \
        ASSIGN_SEED_ROW, UNKNOWN_ROWS, TRACE_ROWS

#define RESULTS "Results"
#define OUTPUT_ROW(unit, group, help)                                                              \
    TEXT("output", output, group, NULL, unit, help, LETTER('o'), SHORT, LOCAL)
#define OUTPUTS_ROW(preset, help)                                                                  \
    TEXT("outputs", outputs, RESULTS, preset, "LIST", help, .check = check_outputs,                \
         .word_at = output_at)
#define SAMPLE_ROWS                                                                                \
    TEXT("sample", sample, RESULTS, "auto", "TIME|auto|exact",                                     \
         "series.csv has means over intervals of TIME, or over at most 2048 intervals (auto), or " \
         "every change (exact)",                                                                   \
         .check = check_sample),                                                                   \
        INT("max_rows", max_rows, RESULTS, "100000000", 1, 9e15,                                   \
            "most rows of series.csv; a run that would need more is refused"),                     \
        FLAG("fairness", fairness, RESULTS,                                                        \
             "also compute finish-time fairness: a job's JCT divided by that on a 1/N share of "   \
             "the cluster"),                                                                       \
        FLAG("power", power, RESULTS,                                                              \
             "also compute energy: of idle GPUs, and of jobs by their GPU utilization"),           \
        DURATION("warmup", warmup_us, RESULTS, "0s", 0, YEARS_100_S,                               \
                 "exclude jobs submitted in this first part of the run from the job statistics"),  \
        DURATION("cooldown", cooldown_us, RESULTS, "0s", 0, YEARS_100_S,                           \
                 "the same for the last part")

#define CALL "This call"
#define SET_ROWS                                                                                   \
    TEXT("set", settings, CALL, NULL, "KEY=VALUE",                                                 \
         "set one key, e.g. policy.scan=fit; may be repeated", REPEATED, LOCAL),                   \
        FLAG("print_config", print_config, CALL,                                                   \
             "print the effective config with the origin of each value, and stop", LOCAL),         \
        FLAG("quiet", quiet, CALL, "print only warnings and errors, no notes and no progress",     \
             LETTER('q'), LOCAL)
#define CALL_ROWS                                                                                  \
    TEXT("config", config_file, CALL, NULL, "FILE",                                                \
         "JSON with any of the keys above (// comments allowed); flags override it", SHORT,        \
         LOCAL),                                                                                   \
        SET_ROWS
#define PROCESSES_ROW                                                                              \
    INT("processes", processes, CALL, "1", 1, 1024,                                                \
        "number of runs at a time, each in its own process", LETTER('j'), SHORT, LOCAL)
#define FORCE_ROW                                                                                  \
    FLAG("force", force, CALL, "replace an existing run directory", LETTER('f'), LOCAL)
#define RUN_CALL_ROWS                                                                              \
    FLAG("dry_run", dry_run, CALL,                                                                 \
         "check all inputs, including the whole trace, print their sizes, and stop", SHORT,        \
         LOCAL),                                                                                   \
        FORCE_ROW
#define PROGRESS_ROWS                                                                              \
    FLAG("progress", progress, CALL,                                                               \
         "show progress on standard error even if it is not a terminal", LOCAL),                   \
        FLAG("no_progress", no_progress, CALL, "show no progress", LOCAL),                         \
        FLAG("verbose", verbose, CALL, "also print events, decisions, time and memory",            \
             LETTER('v'), LOCAL)

#define CHECKPOINTS "Checkpoints of the run itself"

const struct hs_option hs_run_option_table[] = {
    ONE_RUN_ROWS,
    DURATION("checkpoint", save_us, CHECKPOINTS, "0s", 0, YEARS_100_S,
             "wall-clock time between two checkpoints of the run, which SIGINT and SIGTERM then "
             "write, too; 0: none",
             LOCAL),
    DURATION("checkpoint_sim", save_sim_us, CHECKPOINTS, "0s", 0, YEARS_100_S,
             "the same in simulated time; 0: none", LOCAL),
    FLAG("resume", resume, CHECKPOINTS,
         "continue from the checkpoint that an interrupted run of the same command left, if there "
         "is one",
         LOCAL),
    TEXT("snapshot", snapshot, CHECKPOINTS, NULL, "FILE",
         "write the state of the run at --until to FILE, for --from; compressed if FILE ends in "
         ".gz or .zst",
         LOCAL),
    TEXT("from", from, CHECKPOINTS, NULL, "FILE",
         "continue the run of a snapshot, to its end or to --until, in place of reading a trace; "
         "with -p under another policy",
         LOCAL),
    OUTPUT_ROW("DIR", RESULTS, "run directory; absent: results/TRACE-POLICY-HASH"),
    OUTPUTS_ROW("all", "files to write: all, summary, or some of "
                       "jobs,segments,series,nodes,decisions,swf,teams; all omits the last three"),
    FLAG("decisions", decisions, RESULTS,
         "also write decisions.csv: each action of the policy with its reason"),
    FLAG("report", report, RESULTS, "also write report.html, the page of 'horus report'", SHORT,
         LOCAL),
    FLAG("json", json, RESULTS, "print summary.json in place of the table", SHORT, LOCAL),
    SAMPLE_ROWS,
    CALL_ROWS,
    RUN_CALL_ROWS,
    PROGRESS_ROWS,
    HS_OPTIONS_END,
};

#define BACKTEST "What is compared"

static const char *const calibrated[] = {[HS_CALIBRATED_BOTH] = "both",
                                         [HS_CALIBRATED_STARTUP] = "startup",
                                         [HS_CALIBRATED_OVERCOMMIT] = "overcommit",
                                         [HS_CALIBRATED_NONE] = "none",
                                         NULL};

const struct hs_option hs_backtest_option_table[] = {
    CHOICE("calibrate", calibrate, BACKTEST, "both", calibrated,
           "what is fitted to the first part, by least squares: --startup and --overcommit, or one "
           "of them",
           SHORT, LOCAL),
    REAL("first", first, BACKTEST, "50", 0, 100,
         "part of the jobs, in order of submission, that is used for the fit; the rest is compared",
         UNIT("%"), SHORT, LOCAL),
    ONE_RUN_ROWS,
    OUTPUT_ROW("DIR", RESULTS, "run directory; absent: results/TRACE-POLICY-HASH"),
    OUTPUTS_ROW("all", "files to write besides backtest.csv and backtest_jobs.csv: all, summary, "
                       "or some of jobs,segments,series,nodes,decisions,swf,teams"),
    FLAG("json", json, RESULTS, "print everything as JSON", SHORT, LOCAL),
    SAMPLE_ROWS,
    CALL_ROWS,
    FORCE_ROW,
    PROGRESS_ROWS,
    HS_OPTIONS_END,
};

#define COMPARED "What is compared"

const struct hs_option hs_compare_option_table[] = {
    WORKLOAD_ROWS,
    TEXT("policy", policy, COMPARED, NULL, "NAME[:KEY=VALUE,...]",
         "scheduling policy; repeat -p for each, the first is the reference; in a --config file a "
         "list",
         LETTER('p'), .check = check_policy, SHORT, REPEATED),
    TEXT("seeds", seeds, COMPARED, NULL, "SEEDS",
         "run each policy with each of these seeds, e.g. 1..5 or 1,3,7; absent: that of --seed",
         .check = check_seeds, SHORT),
    TEXT("assignments", assignments, COMPARED, NULL, "SEEDS",
         "and with each of these seeds of the draws of profiles; absent: --assign-seed, or the "
         "run's seed",
         .check = check_assignments, SHORT),
    SIMULATION_ROWS,
    MODEL_ROWS,
    ASSIGN_ROWS,
    ASSIGN_SEED_ROW,
    UNKNOWN_ROWS,
    TRACE_ROWS,
    OUTPUT_ROW("DIR", RESULTS, "directory of the comparison; absent: results/compare-TRACE-HASH"),
    OUTPUTS_ROW("summary", "files of each run: summary, all, or some of "
                           "jobs,segments,series,nodes,decisions,swf,teams; with more than summary "
                           "the directory of every run is kept"),
    TEXT("metrics", metrics, RESULTS, NULL, "LIST",
         "columns of the table, e.g. mean_jct,p99_wait; compare.csv has all"),
    TEXT("fail_if", fail_if, RESULTS, NULL, "CONDITION",
         "exit with code 1 if this holds: 'mean_jct>+1%' (any policy against the first) or "
         "'ooms>0'; '@POLICY' after it: only of that policy; may be repeated",
         SHORT, REPEATED),
    SAMPLE_ROWS,
    CALL_ROWS,
    RUN_CALL_ROWS,
    PROGRESS_ROWS,
    PROCESSES_ROW,
    INT("bootstrap", bootstrap, CALL, "2000", 0, 100000,
        "for two finished runs: resamples for the intervals, seeded by --seed; 0: no intervals",
        LOCAL),
    HS_OPTIONS_END,
};

#define POINTS "Its points"

const struct hs_option hs_sweep_option_table[] = {
    FLAG("list", lists, POINTS, "print the commands that run one point each, one per line", SHORT,
         LOCAL),
    FLAG("make", makes, POINTS, "print a makefile that runs the points and then gathers", SHORT,
         LOCAL),
    FLAG("pending", pending, POINTS, "print the points that are not finished: 3,7,9-12", SHORT,
         LOCAL),
    FLAG("status", status, POINTS, "print how many points are finished, and which failed", SHORT,
         LOCAL),
    FLAG("gather", gathers, POINTS, "write sweep.csv from the finished points", SHORT, LOCAL),
    INT("index", index, POINTS, "0", 0, HS_SWEEP_POINTS_MAX,
        "run only this point, counted from 1; a finished one is not run again", SHORT, LOCAL),
    ONE_RUN_ROWS,
    OUTPUT_ROW("DIR", RESULTS, "directory of the sweep; absent: results/NAME"),
    OUTPUTS_ROW("summary", "files of each point: summary, all, or some of "
                           "jobs,segments,series,nodes,decisions,swf,teams"),
    TEXT("metric", metric, RESULTS, "mean_jct", "NAME",
         "metric of the table at the end; sweep.csv has all of them", LOCAL),
    SAMPLE_ROWS,
    SET_ROWS,
    PROGRESS_ROWS,
    PROCESSES_ROW,
    HS_OPTIONS_END,
};

const struct hs_option hs_trace_option_table[] = {
    TRACE_ROWS,
    ASSIGN_ROWS,
    INT("seed", seed, PROFILES, "1", 0, 9e15, "seed of the draws"),
    TEXT("cluster", cluster, CLUSTER, NULL, "SPEC",
         "validate: cluster for the offered load and for jobs that can never fit; assign: drawn "
         "profiles fit its smallest GPU",
         LETTER('c'), SHORT),
    CLUSTER_ROWS,
    CALL_ROWS,
    OUTPUT_ROW("FILE", CALL,
               "convert, assign: the file to write, compressed if it ends in .gz or .zst; - is "
               "standard output"),
    REPLACE(CALL),
    TEXT("to", to, CALL, "auto", "NAME",
         "convert: format of the file to write, or auto: by its suffix",
         .check = hs_trace_writer_check, SHORT, LOCAL, .word_at = written_at),
    TEXT("compare", reference, CALL, NULL, "FILE",
         "info: distance of the trace from this one, whose format is recognised by content; both "
         "are held in memory, 32 to 64 bytes per job",
         SHORT, LOCAL),
    FLAG("json", json, CALL, "info: print everything as JSON, in seconds", SHORT, LOCAL),
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
    if (options->output != NULL && strcmp(options->output, "-") == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "-o DIR; jobs.csv is in it, among others",
                       "%s: '-o -': the output is a directory, not a stream", call->verb->name);
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
