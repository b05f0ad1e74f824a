/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus plot KIND RUN...`: one figure of finished runs, for a paper. The program draws SVG;
 * rsvg-convert, where it is installed, makes PDF and PNG of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wholefile.h"
#include "cli/cli.h"
#include "report/html/page.h"

#define CONVERTER "rsvg-convert"
#define PNG_ZOOM  "2" /* pixels of a PNG for one of the layout */

extern char **environ;

struct plot_options {
    const char *output, *title, *metric, *by, *x;
    double width, height;
    int scale;
    bool force;
};

static const char *const formats[] = {".svg", ".pdf", ".png", NULL};

/* The format by the end of the name; NULL = none of them. "-" is SVG on standard output. */
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

/* Runs the converter: from the SVG `from` to `to`. */
static enum hs_status convert(const char *format, const char *from, const char *to,
                              struct hs_diag *diag)
{
    const char *const args[] = {
        CONVERTER, "-f", format + 1, "-z", strcmp(format, ".png") == 0 ? PNG_ZOOM : "1",
        "-o",      to,   from,       NULL};
    pid_t pid;
    int ended = 0;
    const int failed =
        posix_spawnp(&pid, CONVERTER, NULL, NULL, (char *const *)(uintptr_t)args, environ);
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

static enum hs_status write_svg(struct hs_call *call, struct hs_page *page, uint32_t kind,
                                const char *path)
{
    const struct plot_options *o = call->options;
    const struct hs_figure_options figure = {.title = o->title,
                                             .metrics = o->metric,
                                             .by = o->by,
                                             .x = o->x,
                                             .width = o->width,
                                             .height = o->height,
                                             .scale = (enum hs_figure_scale)o->scale};
    struct hs_wholefile file;
    HS_TRY(hs_wholefile_open(&file, path, &call->diag));
    const enum hs_status status = hs_figure_write(page, kind, &figure, &file.out);
    return hs_wholefile_close(&file, status, &call->diag);
}

/* By way of an SVG beside it, which is removed. */
static enum hs_status write_converted(struct hs_call *call, struct hs_page *page, uint32_t kind)
{
    const struct plot_options *o = call->options;
    struct hs_wholefile file;
    char svg[HS_WHOLEFILE_PATH_MAX];
    const int length = snprintf(svg, sizeof svg, "%s.tmp.svg", o->output);
    if (length < 0 || (size_t)length >= sizeof svg)
        return hs_fail(&call->diag, HS_E_USAGE, NULL, NULL,
                       "the name of the output file is too long");
    HS_TRY(hs_wholefile_begin(&file, o->output, &call->diag));
    enum hs_status status = write_svg(call, page, kind, svg);
    if (status == HS_OK)
        status = convert(format_of(o->output), svg,
                         file.beside[0] != '\0' ? file.beside : o->output, &call->diag);
    (void)unlink(svg);
    return hs_wholefile_end(&file, status, &call->diag);
}

static enum hs_status plot(struct hs_call *call)
{
    const struct plot_options *o = call->options;
    struct hs_page page;
    uint32_t kind;
    const struct hs_place place = {.file = o->output};
    for (kind = 0; kind < HS_FIGURE_KINDS; kind++)
        if (strcmp(hs_figure_kind(kind), call->operands[0]) == 0)
            break;
    if (kind == HS_FIGURE_KINDS)
        return hs_fail(&call->diag, HS_E_USAGE, NULL,
                       "there are cdf, classes, gantt, heat, sweep, time and waits",
                       "unknown kind '%s' of a figure", call->operands[0]);
    if (format_of(o->output) == NULL)
        return hs_fail(&call->diag, HS_E_USAGE, &place, NULL,
                       "the name of a figure must end in .svg, .pdf or .png");
    if (!o->force && strcmp(o->output, "-") != 0 && access(o->output, F_OK) == 0)
        return hs_fail(&call->diag, HS_E_IO, &place,
                       "give --force to replace it, or another name with -o", "this file exists");
    enum hs_status status = hs_page_open(&page, (const char *const *)call->operands + 1,
                                         call->operand_count - 1, &call->diag);
    if (status == HS_OK)
        status = strcmp(format_of(o->output), ".svg") == 0 ? write_svg(call, &page, kind, o->output)
                                                           : write_converted(call, &page, kind);
    if (status == HS_OK && strcmp(o->output, "-") != 0)
        hs_say(&call->out, "%s\n", o->output);
    hs_page_close(&page);
    return status;
}

static const char *const scales[] = {"auto", "linear", "log", NULL};

#define ROW(name, kind, preset, ...)                                                               \
    HS_OPTION(kind, #name, offsetof(struct plot_options, name), preset, __VA_ARGS__,               \
              .in_short_help = true)

static const struct hs_option options_table[] = {
    ROW(output, TEXT, "figure.svg",
        "where the figure goes: .svg, .pdf or .png; - is standard output, SVG",
        .param.unit = "FILE", .letter = 'o'),
    ROW(metric, TEXT, NULL,
        "cdf: some of jct, wait, slowdown, queueing_delay, run_slowdown; classes: measures of "
        "summary.json; sweep: columns of sweep.csv; at most six",
        .param.unit = "LIST"),
    ROW(by, TEXT, NULL, "classes: gpus, vc, user_quintile, outcome or class", .param.unit = "NAME"),
    ROW(x, TEXT, NULL, "sweep: the key along the axis; else that of most numbers",
        .param.unit = "NAME"),
    ROW(scale, CHOICE, "auto",
        "of the values of cdf, classes, sweep; auto: logarithmic where they are wide",
        .param.choices = scales),
    ROW(title, TEXT, NULL, "above the figure", .param.unit = "TEXT"),
    ROW(width, REAL, "760", "of the figure, in pixels at letters of 11", .param.unit = "X",
        HS_RANGE(200, 4000)),
    ROW(height, REAL, "0", "of each plot in it; 0: as the kind needs it", .param.unit = "X",
        HS_RANGE(0, 4000)),
    ROW(force, FLAG, "no", "replace FILE"),
    HS_OPTIONS_END,
};

const struct hs_verb hs_verb_plot = {
    .name = "plot",
    .operands = "KIND RUN...",
    .summary = "One figure of finished runs, for a paper: SVG, PDF or PNG.",
    .details =
        "KIND is one of: cdf: share of the jobs at or below a completion time, wait, slowdown. "
        "classes: means of classes of jobs, by gang size or --by. gantt: which job held which GPU "
        "when, of at most 500 placements. heat: jobs per GPU by node and time. sweep: metrics "
        "along an axis of a sweep, with 95 % intervals over its seeds. time: GPU allocation, "
        "utilization and waiting jobs. waits: the GPUs that waiting jobs want, by cause. RUN is a "
        "directory of 'horus run', or one of 'horus compare --outputs=all', or of 'horus sweep'; "
        "up to 8 runs or policies stand in a figure. It is drawn as 'horus report' draws; the "
        "same directories give the same bytes of SVG. PDF and PNG need rsvg-convert.",
    .examples = {"plot cdf results/fifo results/srtf -o cdf.pdf",
                 "plot classes results/three --by=vc --metric=mean_jct,p99_jct",
                 "plot sweep results/load -o load.svg --metric=mean_jct"},
    .word_at = hs_figure_kind,
    .options = options_table,
    .options_size = sizeof(struct plot_options),
    .operands_min = 2,
    .operands_max = HS_PAGE_GROUPS_MAX + 1,
    .run = plot,
};
