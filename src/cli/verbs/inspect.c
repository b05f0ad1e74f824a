/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Verbs that read finished runs. `horus report RUN...`: runs, a comparison or a sweep as one HTML
 * page. `horus plot KIND RUN...`: one figure, for a paper, as SVG; PDF and PNG are converted by
 * rsvg-convert, if installed. `horus explain RUN [--job ID]`: why a job, or all, waited. `horus
 * verify RUN`: the independent check of a schedule.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option_rows.h"
#include "report/explain/explain.h"
#include "report/explain/teams.h"
#include "report/html/page.h"
#include "report/verify/verify.h"

/* ---- report ---- */

struct report_options {
    const char *output;
    bool force;
};

/* Opens the operands from `first` on; warns of runs that differ in the name of the workload or the
 * number of jobs. */
static enum hs_status open_page(struct hs_page *page, struct hs_call *call, uint32_t first)
{
    HS_TRY(hs_page_open(page, (const char *const *)call->operands + first,
                        call->operand_count - first, &call->diag));
    const char *workload = hs_json_text(hs_json_get(page->groups[0].card, "workload"));
    for (uint32_t g = 1; page->kind == HS_PAGE_RUNS && g < page->group_count; g++) {
        const char *other = hs_json_text(hs_json_get(page->groups[g].card, "workload"));
        if (workload != NULL && other != NULL && strcmp(workload, other) == 0 &&
            hs_summary_get(page->rows[g].summary, "n_jobs") ==
                hs_summary_get(page->rows[0].summary, "n_jobs"))
            continue;
        hs_report(page->diag, HS_WARNING, NULL, "'horus compare' runs policies on one trace",
                  "%s and %s are of different jobs: not only the policy differs",
                  page->rows[0].label, page->rows[g].label);
        break;
    }
    return HS_OK;
}

static enum hs_status report(struct hs_call *call)
{
    const struct report_options *options = call->options;
    const char *path = options->output;
    struct hs_page page;
    struct hs_wholefile file;
    HS_TRY(hs_wholefile_check(path, "-o", options->force, NULL, 0, &call->diag));
    hs_show_reading(call);
    enum hs_status status = open_page(&page, call, 0);
    if (status == HS_OK)
        status = hs_wholefile_open(&file, path, &call->diag);
    if (status == HS_OK) {
        status = hs_page_write(&page, &file.out);
        const uint64_t bytes = hs_output_bytes(&file.out);
        status = hs_wholefile_close(&file, status, &call->diag);
        if (status == HS_OK && strcmp(path, "-") != 0)
            hs_say(&call->out, "%s (%" PRIu64 " bytes)\n", path, bytes);
    }
    hs_page_close(&page);
    return status;
}

#define OWNER struct report_options
static const struct hs_option report_table[] = {
    TEXT("output", output, NULL, "report.html", "FILE", "file to write; - is standard output",
         LETTER('o'), SHORT),
    REPLACE(NULL),
    HS_OPTIONS_END,
};
#undef OWNER

const struct hs_verb hs_verb_report = {
    .name = "report",
    .operands = "RUN...",
    .summary = "Write an HTML page of runs, a comparison or a sweep.",
    .details =
        "Writes one self-contained page: it needs no network and no other file. RUN is a directory "
        "of 'horus run' (several are compared with the first), or one directory of 'horus compare' "
        "(made with --outputs=all its page also has distributions and series) or of 'horus sweep'. "
        "The page omits what a run has no data for, and says so. The attribute data-value of every "
        "number has all its digits. The same directories give the same bytes.",
    .examples = {"report results/sample-fifo-0123456789ab", "report results/a results/b -o ab.html",
                 "report results/load-sweep --force"},
    .options = report_table,
    .options_size = sizeof(struct report_options),
    .operands_min = 1,
    .operands_max = HS_PAGE_GROUPS_MAX,
    .run = report,
};

/* ---- plot ---- */

#define CONVERTER "rsvg-convert"
#define PNG_ZOOM  "2" /* pixels of a PNG for one of the layout */

extern char **environ;

struct plot_options {
    const char *output;
    struct hs_figure_options figure;
    bool force;
};

static const char *const formats[] = {".svg", ".pdf", ".png", ".csv", NULL};

/* Returns the format from the suffix; NULL = none. "-" is SVG on standard output. */
static const char *format_of(const char *path)
{
    const size_t length = strlen(path);
    if (strcmp(path, "-") == 0)
        return formats[0];
    for (const char *const *f = formats; *f != NULL; f++)
        if (length > 4 && strcmp(path + length - 4, *f) == 0)
            return *f;
    return NULL;
}

/* Runs the converter from one open file, the SVG, to another. */
static enum hs_status convert(const char *format, int from, int to, struct hs_diag *diag)
{
    const char *const args[] = {
        CONVERTER, "-f", format + 1, "-z", strcmp(format, ".png") == 0 ? PNG_ZOOM : "1", NULL};
    posix_spawn_file_actions_t streams;
    pid_t pid;
    int ended = 0;
    (void)posix_spawn_file_actions_init(&streams);
    (void)posix_spawn_file_actions_adddup2(&streams, from, STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&streams, to, STDOUT_FILENO);
    const int failed =
        posix_spawnp(&pid, CONVERTER, &streams, NULL, (char *const *)(uintptr_t)args, environ);
    (void)posix_spawn_file_actions_destroy(&streams);
    if (failed == 0)
        while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
            ;
    if (failed == ENOENT || (failed == 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 127))
        return hs_fail(diag, HS_E_IO, NULL,
                       "install it (Debian: apt-get install librsvg2-bin), or write .svg",
                       CONVERTER " is not installed: it makes %s of the figure", format + 1);
    if (failed != 0)
        return hs_fail(diag, HS_E_IO, NULL, NULL, "cannot run " CONVERTER ": %s", strerror(failed));
    return ended == 0 ? HS_OK
                      : hs_fail(diag, HS_E_IO, NULL, NULL, CONVERTER " failed on the figure");
}

/* Writes the points of the figure; its SVG is discarded. */
static enum hs_status write_points(struct hs_page *page, uint32_t kind,
                                   const struct hs_figure_options *options, struct hs_output *out,
                                   struct hs_diag *diag)
{
    struct hs_csvw rows = {.out = *out};
    struct hs_output none;
    HS_TRY(hs_output_open(&none, "/dev/null", diag));
    hs_say(&rows.out, "%s\n", HS_POINT_HEAD);
    page->points = &rows;
    const enum hs_status status = hs_figure_write(page, kind, options, &none);
    *out = rows.out;
    const enum hs_status closed = hs_output_close(&none, diag);
    return status != HS_OK ? status : closed;
}

/* A figure to convert is first written at the place of the result, then opened, unlinked and read
 * from its descriptor, so that no other file exists. */
static enum hs_status write_figure(struct hs_call *call, struct hs_page *page, uint32_t kind)
{
    const struct plot_options *o = call->options;
    struct hs_diag *diag = &call->diag;
    const char *format = format_of(o->output);
    struct hs_wholefile file;
    HS_TRY(hs_wholefile_open(&file, o->output, diag));
    const bool is_csv = strcmp(format, ".csv") == 0;
    enum hs_status status = is_csv ? write_points(page, kind, &o->figure, &file.out, diag)
                                   : hs_figure_write(page, kind, &o->figure, &file.out);
    if (is_csv || strcmp(format, ".svg") == 0)
        return hs_wholefile_close(&file, status, diag);
    const enum hs_status closed = hs_output_close(&file.out, diag);
    if (status == HS_OK)
        status = closed;
    if (status == HS_OK && !file.beside.is_open)
        status = hs_fail(diag, HS_E_USAGE, HS_AT({.file = o->output}), NULL,
                         "a figure that is converted is written to a file alone");
    if (status == HS_OK) {
        const int from = open(file.beside.tmp, O_RDONLY | O_CLOEXEC);
        (void)unlink(file.beside.tmp);
        const int to =
            open(file.beside.tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        status = from >= 0 && to >= 0
                     ? convert(format, from, to, diag)
                     : hs_fail(diag, HS_E_IO, NULL, NULL, "cannot convert: %s", strerror(errno));
        if (status == HS_OK && fsync(to) != 0)
            status = hs_fail(diag, HS_E_IO, HS_AT({.file = o->output}), NULL, "cannot write: %s",
                             strerror(errno));
        (void)close(from);
        (void)close(to);
    }
    return hs_wholefile_end(&file, status, diag);
}

static enum hs_status plot(struct hs_call *call)
{
    const struct plot_options *o = call->options;
    struct hs_page page;
    uint32_t kind;
    HS_TRY(hs_word_find_at(
        hs_figure_kind, call->operands[0], "plot: unknown kind of a figure",
        "there are cdf, classes, faults, gantt, heat, pareto, sweep, time and waits", &kind,
        &call->diag));
    if (format_of(o->output) == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, HS_AT({.file = o->output}), NULL,
                       "the name of a figure must end in .svg, .pdf, .png or .csv");
    HS_TRY(hs_wholefile_check(o->output, "-o", o->force, NULL, 0, &call->diag));
    hs_show_reading(call);
    enum hs_status status = open_page(&page, call, 1);
    if (status == HS_OK)
        status = write_figure(call, &page, kind);
    if (status == HS_OK && strcmp(o->output, "-") != 0)
        hs_say(&call->out, "%s\n", o->output);
    hs_page_close(&page);
    return status;
}

static const char *const scales[] = {"auto", "linear", "log", NULL};

#define OWNER struct plot_options
static const struct hs_option plot_table[] = {
    TEXT("output", output, NULL, "figure.svg", "FILE",
         "file to write: .svg, .pdf, .png, or .csv for the points; - is standard output, as SVG",
         LETTER('o'), SHORT),
    TEXT("metric", figure.metrics, NULL, NULL, "LIST",
         "metrics to draw, at most six. cdf: jct, wait, slowdown, queueing_delay, run_slowdown; "
         "classes: measures of summary.json; sweep: columns of sweep.csv",
         SHORT),
    TEXT("by", figure.by, NULL, NULL, "NAME",
         "classes: classes of jobs by gpus, vc, user_quintile, outcome or class", SHORT),
    TEXT("x", figure.x, NULL, NULL, "NAME",
         "sweep: the key on the horizontal axis; absent: the one with most numbers", SHORT),
    CHOICE("scale", figure.scale, NULL, "auto", scales,
           "scale of the values of cdf, classes, sweep; auto: logarithmic if their range is wide",
           SHORT),
    TEXT("title", figure.title, NULL, NULL, "TEXT", "title above the figure", SHORT),
    REAL("width", figure.width, NULL, "760", 200, 4000,
         "width of the figure in pixels, with letters of 11 pixels", UNIT("X"), SHORT),
    REAL("height", figure.height, NULL, "0", 0, 4000,
         "height of each plot in it, in pixels; 0: as the kind needs", UNIT("X"), SHORT),
    REPLACE(NULL),
    HS_OPTIONS_END,
};
#undef OWNER

const struct hs_verb hs_verb_plot = {
    .name = "plot",
    .operands = "KIND RUN...",
    .summary = "Draw a figure of runs as SVG, PDF, PNG or points in CSV.",
    .details =
        "KIND is one of: cdf: share of the jobs at or below a completion time, wait or slowdown. "
        "classes: means of classes of jobs, by gang size or --by. faults: GPUs in use and out of "
        "service, and the times at which failures and drains stopped jobs. gantt: the GPUs of each "
        "job over time, for at most 500 placements. heat: jobs per GPU by node and time. pareto: "
        "two metrics against each other, and the Pareto-optimal runs. sweep: metrics along an axis "
        "of a sweep, with 95 % intervals over its seeds. time: GPU allocation, utilization and "
        "waiting jobs over time. waits: GPUs requested by waiting jobs, by cause. RUN is a "
        "directory of 'horus run', of 'horus compare --outputs=all', or of 'horus sweep'; a figure "
        "has at most 8 runs or policies. Figures look as those of 'horus report'; the same "
        "directories give the same bytes of SVG. PDF and PNG need rsvg-convert. CSV has the points "
        "of the figure, for TikZ or another program: see 'Figures of runs' in results/README.md.",
    .examples = {"plot cdf results/fifo results/srtf -o cdf.pdf",
                 "plot classes results/three --by=vc --metric=mean_jct,p99_jct",
                 "plot sweep results/load -o load.svg --metric=mean_jct"},
    .word_at = hs_figure_kind,
    .options = plot_table,
    .options_size = sizeof(struct plot_options),
    .operands_min = 2,
    .operands_max = HS_PAGE_GROUPS_MAX + 1,
    .run = plot,
};

/* ---- where a run was made ---- */

/* Returns the path from any folder; in the arena. */
static const char *absolute(struct hs_call *call, const char *path)
{
    char here[HS_PATH_SIZE];
    if (path[0] == '/' || getcwd(here, sizeof here) == NULL)
        return path;
    const char *joined = HS_PATH("%s/%s", here, path);
    return hs_arena_text(&call->arena, joined, strlen(joined));
}

const char *hs_enter_folder_of(struct hs_call *call, const char *run, const char **path)
{
    struct hs_runmanifest m;
    struct hs_diag silent = {.least = HS_ERROR + 1};
    const bool is_open = hs_runmanifest_open(&m, run, &silent) == HS_OK;
    const char *folder =
        is_open
            ? hs_json_text(hs_json_get(hs_json_get(hs_json_root(m.doc), "volatile"), "directory"))
            : NULL;
    bool wants = false;
    for (uint32_t i = 0; folder != NULL && i < m.input_count && !wants; i++) {
        const char *input = m.inputs[i].path;
        wants = input[0] != '/' && strchr(input, ':') == NULL && access(input, R_OK) != 0 &&
                access(HS_PATH("%s/%s", folder, input), R_OK) == 0;
    }
    if (wants) {
        run = absolute(call, run);
        if (path != NULL && *path != NULL)
            *path = absolute(call, *path);
        if (chdir(folder) == 0)
            hs_report(&call->diag, HS_NOTE, NULL, NULL,
                      "paths of the run are read in %s, where it was made", folder);
    }
    hs_runmanifest_close(&m);
    return run;
}

/* ---- reading a large run takes a while ---- */

/* Each thing that is read or done has a stopwatch of its own, by which its end is estimated. */
static void show_reading(void *ctx, const char *what, double share)
{
    struct hs_call *call = ctx;
    if (what != call->reading_what)
        hs_status_line_start(&call->reading, &call->terminal, call->terminal.err_is_tty, 0);
    call->reading_what = what;
    if (hs_status_line_is_due(&call->reading))
        hs_status_line_show(&call->reading, what, share);
}

void hs_show_reading(struct hs_call *call)
{
    call->diag.advance = show_reading;
    call->diag.advance_ctx = call;
}

/* ---- explain ---- */

struct explain_options {
    const char *job;
    int32_t by; /* 0: not given; else enum hs_teams_by + 1 */
    bool json, csv;
};

static const char *const by_words[] = {"cause", "vc", "user", "gpus", "state", NULL};

static enum hs_status explain(struct hs_call *call)
{
    const struct explain_options *options = call->options;
    if (options->by > 0 && options->job != NULL)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "leave one out",
                       "explain: both --job and --by");
    if (options->csv && options->by == 0)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, "--by=user --csv",
                       "explain: --csv is for --by");
    hs_show_reading(call);
    if (options->by > 0)
        return hs_teams_explain(call->operands[0], (enum hs_teams_by)(options->by - 1),
                                options->json  ? HS_TEAMS_JSON
                                : options->csv ? HS_TEAMS_CSV
                                               : HS_TEAMS_TEXT,
                                &call->out, &call->diag);
    return hs_explain(hs_enter_folder_of(call, call->operands[0], NULL), options->job,
                      options->json, call->terminal.use_utf8, &call->out, &call->diag);
}

#define OWNER struct explain_options
static const struct hs_option explain_table[] = {
    TEXT("job", job, "Question", NULL, "ID", "id of a job of the run; absent: all jobs", SHORT),
    CHOICE("by", by, "Question", "cause", by_words,
           "causes of waiting; or jobs, GPU-hours, waits and missed deadlines by virtual cluster, "
           "user, gang size or state",
           SHORT),
    FLAG("json", json, "Question", "print as JSON, in exact seconds and GPU-seconds", SHORT),
    FLAG("csv", csv, "Question",
         "with --by: print as CSV, in the form of users.csv of --outputs=teams", SHORT),
    HS_OPTIONS_END,
};
#undef OWNER

const struct hs_verb hs_verb_explain = {
    .name = "explain",
    .operands = "RUN",
    .summary = "Explain why a job waited, or what caused a run's waiting.",
    .details =
        "Rebuilds all allocations from the segments of a finished run, and attributes the waiting "
        "time of each job to its causes: resources (too few free GPUs), fragmentation (enough, but "
        "not on one node), constraint (a gang needs several nodes), quota (used up), or priority "
        "(head-of-line blocking or lower priority: it would have fitted). For one job: these times "
        "before its first start and after preemptions, its timeline, the jobs that overtook it, "
        "released its GPUs or ran beside it, and, if the run was made with --decisions, each "
        "decision about it with its reason. For all jobs: waiting GPU-hours by cause and over "
        "time, and the longest waits. With --by: jobs, GPU-hours and waits by virtual cluster, "
        "user, gang size or recorded state, in order of GPU time, and Jain's index. RUN is a "
        "directory of horus run, also one inside a comparison or a sweep; it must have jobs.csv "
        "and segments.csv.",
    .examples = {"explain results/sample-fifo-0123456789ab",
                 "explain results/sample-fifo-0123456789ab --job j0815",
                 "explain results/sample-fifo-0123456789ab --by=user"},
    .options = explain_table,
    .options_size = sizeof(struct explain_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = explain,
};

/* ---- verify ---- */

struct verify_options {
    bool json;
};

static enum hs_status verify(struct hs_call *call)
{
    const struct verify_options *options = call->options;
    hs_show_reading(call);
    return hs_verify_run(hs_enter_folder_of(call, call->operands[0], NULL), options->json,
                         &call->out, &call->diag);
}

#define OWNER struct verify_options
static const struct hs_option verify_table[] = {
    FLAG("json", json, NULL, "print each check as JSON", SHORT),
    HS_OPTIONS_END,
};
#undef OWNER

const struct hs_verb hs_verb_verify = {
    .name = "verify",
    .operands = "RUN",
    .summary = "Check a finished run independently of the engine.",
    .details =
        "Rebuilds the schedule from segments.csv alone and checks it against the trace, the "
        "cluster and summary.json: no GPU is allocated twice or beyond its capacity, gangs are "
        "complete, GPU types, cores and host memory are as requested, no job starts before its "
        "submission, all work is done, and sums agree. The exit code is 1 if a check fails.",
    .examples = {"verify results/sample-fifo-0123456789ab"},
    .options = verify_table,
    .options_size = sizeof(struct verify_options),
    .operands_min = 1,
    .operands_max = 1,
    .run = verify,
};
