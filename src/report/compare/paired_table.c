/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `horus compare RUN_A RUN_B` prints, rounded for a reader: what differs between the runs, the
 * metrics of all jobs, then which jobs win and which lose; and the files that it writes, with every
 * digit.
 */
#include "report/compare/paired.h"
#include "report/run/run_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "data/csvwrite.h"

#define CELL_SIZE    96
#define ROWS_MAX     (HS_PAIRED_GROUPS + 1)
#define COLUMNS_MAX  10
#define GAP          2u
#define SETTINGS_MAX 24

/* "12,345", good until the end of the block. */
#define GROUPED(count) hs_fmt_grouped((char[HS_FMT_MAX]){0}, count)

/* A table: the first row is its head. */
struct grid {
    char cells[ROWS_MAX][COLUMNS_MAX][CELL_SIZE];
    uint32_t rows, columns;
    uint32_t left; /* columns that are set left */
};

/* Texts, NULL behind the last. */
static void add_row(struct grid *g, ...)
{
    va_list args;
    uint32_t column = 0;
    va_start(args, g);
    for (const char *text; (text = va_arg(args, const char *)) != NULL; column++)
        (void)snprintf(g->cells[g->rows][column], CELL_SIZE, "%s", text);
    va_end(args);
    g->columns = column;
    g->rows++;
}

/* Columns that do not fit are left out, but for the first three. */
static void put_grid(struct hs_output *out, const struct grid *g, uint32_t columns)
{
    int width[COLUMNS_MAX] = {0};
    uint32_t used = 0, shown = 0;
    for (; shown < g->columns; shown++) {
        for (uint32_t r = 0; r < g->rows; r++) {
            const int length = (int)strlen(g->cells[r][shown]);
            width[shown] = length > width[shown] ? length : width[shown];
        }
        used += (uint32_t)width[shown] + (shown > 0 ? GAP : 0);
        if (used > columns && shown >= 3)
            break;
    }
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t c = 0; c < shown; c++) {
            const bool is_left = c < g->left, is_last = c + 1 == shown;
            hs_say(out, "%*s%*s%s", c > 0 ? (int)GAP : 0, "",
                   is_left ? (is_last ? 0 : -width[c]) : width[c], g->cells[r][c],
                   is_last ? "\n" : "");
        }
}

/* ---- what differs between the runs ---- */

static void add_setting(struct grid *g, const struct hs_paired *p, const char *key)
{
    const char *text[HS_PAIRED_RUNS];
    char number[HS_PAIRED_RUNS][HS_RUNMANIFEST_NUMBER_SIZE];
    for (int r = 0; r < HS_PAIRED_RUNS; r++) {
        const struct hs_json *value = hs_json_get(p->runs[r].manifest.config, key);
        text[r] = hs_json_kind(value) == HS_JSON_BOOL ? (hs_json_bool(value) ? "true" : "false")
                                                      : hs_runmanifest_text(value, number[r]);
        text[r] = text[r] != NULL ? text[r] : "-";
    }
    if (strcmp(text[HS_PAIRED_A], text[HS_PAIRED_B]) != 0 && g->rows < SETTINGS_MAX)
        add_row(g, key, text[HS_PAIRED_A], text[HS_PAIRED_B], NULL);
}

/* The keys of A's configuration, then those that only B's has. */
static void put_settings(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    struct grid g = {.left = COLUMNS_MAX};
    const struct hs_json *config = p->runs[HS_PAIRED_A].manifest.config;
    add_row(&g, "", "A", "B", NULL);
    add_row(&g, "run", p->runs[HS_PAIRED_A].dir, p->runs[HS_PAIRED_B].dir, NULL);
    for (const struct hs_json *m = hs_json_first(config); m != NULL; m = hs_json_next(m))
        add_setting(&g, p, hs_json_key(m));
    const struct hs_json *other = hs_json_first(p->runs[HS_PAIRED_B].manifest.config);
    for (; other != NULL; other = hs_json_next(other))
        if (hs_json_get(config, hs_json_key(other)) == NULL)
            add_setting(&g, p, hs_json_key(other));
    put_grid(out, &g, columns);
}

static void put_counts(const struct hs_paired *p, struct hs_output *out)
{
    const struct {
        uint32_t jobs;
        const char *what;
    } left_out[] = {{p->only_done[HS_PAIRED_A], "done in A alone"},
                    {p->only_done[HS_PAIRED_B], "done in B alone"},
                    {p->done_in_none, "done in neither"},
                    {p->outside, "outside --warmup and --cooldown"}};
    const char *before = "; not:";
    hs_say(out, "\njobs        %s compared, done in both", GROUPED(p->count));
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (left_out[i].jobs > 0) {
            hs_say(out, "%s %s %s", before, GROUPED(left_out[i].jobs), left_out[i].what);
            before = ",";
        }
    hs_say(out, "\n");
}

static void put_method(const struct hs_paired *p, struct hs_output *out)
{
    if (p->resamples == 0)
        return;
    if (p->blocks < HS_BOOTSTRAP_BLOCKS_WITH) {
        hs_say(out, "intervals   none: of fewer than %u jobs they would mean nothing\n",
               HS_BOOTSTRAP_BLOCKS_WITH);
        return;
    }
    hs_say(out,
           "intervals   %s times %" PRIu32 " blocks of %s jobs in order of submission, drawn with "
           "replacement\n",
           GROUPED(p->resamples), p->blocks, GROUPED(p->count / p->blocks));
    if (p->correlation > hs_bootstrap_chance(p->blocks))
        hs_say(out,
               "            too narrow: even neighbouring blocks are alike (correlation %.2f)\n",
               p->correlation);
}

/* ---- figures ---- */

static const struct {
    const char *title, *name;
    bool is_time;
} metrics[HS_PAIRED_METRICS] = {{"wait", "wait", true},
                                {"JCT", "jct", true},
                                {"slowdown", "slowdown", false},
                                {"bounded slowdown", "bounded_slowdown", false},
                                {"run slowdown", "run_slowdown", false}};

/* Texts of cells, good until the end of the block. */
#define VALUE(metric, value)       value_text((char[CELL_SIZE]){0}, metric, value)
#define RATIO(ratio)               ratio_text((char[CELL_SIZE]){0}, ratio)
#define SHARE(count, of)           share_text((char[CELL_SIZE]){0}, count, of)
#define INTERVAL(range, low, high) interval_text((char[CELL_SIZE]){0}, range, low, high)

static const char *value_text(char text[CELL_SIZE], int metric, double value)
{
    if (isnan(value))
        return "-";
    if (metrics[metric].is_time)
        return hs_table_time(text, value);
    (void)snprintf(text, CELL_SIZE, fabs(value) < 1e6 ? "%.2f" : "%.3g", value);
    return text;
}

static const char *ratio_text(char text[CELL_SIZE], double ratio)
{
    if (isnan(ratio))
        return "-";
    (void)snprintf(text, CELL_SIZE, ratio == 0 || (ratio >= 0.01 && ratio < 1000) ? "%.3f" : "%.2g",
                   ratio);
    return text;
}

static const char *share_text(char text[CELL_SIZE], uint64_t count, uint64_t of)
{
    if (of == 0)
        return "-";
    (void)snprintf(text, CELL_SIZE, "%.1f %%", 100 * (double)count / (double)of);
    return text;
}

static const char *interval_text(char text[CELL_SIZE], const struct hs_bootstrap_range *range,
                                 const char *low, const char *high)
{
    if (isnan(range->low))
        return "-";
    (void)snprintf(text, CELL_SIZE, "%.40s .. %.40s", low, high);
    return text;
}

static void put_metrics(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    struct grid means = {.left = 1}, by_job = {.left = 1};
    add_row(&means, "", "mean A", "mean B", "B - A", "95 % interval", "B / A", "95 % interval",
            NULL);
    add_row(&by_job, "job by job", "B better", "equal", "B worse", "median B - A", NULL);
    for (int m = 0; m < HS_PAIRED_METRICS; m++) {
        const struct hs_paired_figures *f = &p->groups[0].figures[m];
        const struct hs_bootstrap_range *d = &f->difference_95, *r = &f->ratio_95;
        add_row(&means, metrics[m].title, VALUE(m, f->mean[HS_PAIRED_A]),
                VALUE(m, f->mean[HS_PAIRED_B]), VALUE(m, f->difference),
                INTERVAL(d, VALUE(m, d->low), VALUE(m, d->high)), RATIO(f->ratio),
                INTERVAL(r, RATIO(r->low), RATIO(r->high)), NULL);
        add_row(&by_job, metrics[m].title, SHARE(f->better, f->jobs), SHARE(f->equal, f->jobs),
                SHARE(f->worse, f->jobs), VALUE(m, f->median_difference), NULL);
    }
    put_grid(out, &means, columns);
    hs_say(out, "\n");
    put_grid(out, &by_job, columns);
}

static const char *group_title(char text[CELL_SIZE], const struct hs_paired *p,
                               const struct hs_paired_group *group)
{
    if (strcmp(group->kind, "gpus") == 0) {
        (void)snprintf(text, CELL_SIZE, "%s GPU%s", group->name,
                       strcmp(group->name, "1") == 0 ? "" : "s");
    } else if (strcmp(group->kind, "vc") == 0) {
        (void)snprintf(text, CELL_SIZE, "vc %s", group->name);
    } else {
        const uint32_t q = (uint32_t)(group->name[1] - '1'); /* "q1".. */
        const bool is_last = q + 1 == HS_PAIRED_QUARTILES;
        (void)snprintf(text, CELL_SIZE, "isolated %s %s %s", group->name, is_last ? ">" : "<=",
                       HS_TIME((double)p->quartile_us[is_last ? q - 1 : q] / 1e6));
    }
    return text;
}

static void put_groups(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    struct grid g = {.left = 1};
    add_row(&g, "JCT", "jobs", "mean A", "mean B", "B / A", "95 % interval", "B better", "equal",
            "B worse", NULL);
    for (uint32_t i = 1; i < p->group_count; i++) {
        const struct hs_paired_figures *f = &p->groups[i].figures[HS_PAIRED_JCT];
        const struct hs_bootstrap_range *r = &f->ratio_95;
        add_row(&g, group_title((char[CELL_SIZE]){0}, p, &p->groups[i]), GROUPED(f->jobs),
                VALUE(HS_PAIRED_JCT, f->mean[HS_PAIRED_A]),
                VALUE(HS_PAIRED_JCT, f->mean[HS_PAIRED_B]), RATIO(f->ratio),
                INTERVAL(r, RATIO(r->low), RATIO(r->high)), SHARE(f->better, f->jobs),
                SHARE(f->equal, f->jobs), SHARE(f->worse, f->jobs), NULL);
    }
    put_grid(out, &g, columns);
}

void hs_paired_print(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    put_settings(p, out, columns);
    put_counts(p, out);
    put_method(p, out);
    hs_say(out, "\n");
    put_metrics(p, out, columns);
    hs_say(out, "\n");
    put_groups(p, out, columns);
}

/* ---- the files ---- */

static const char figures_header[] =
    "group,key,metric,jobs,mean_a,mean_b,difference,difference_low,difference_high,ratio,"
    "ratio_low,ratio_high,better,equal,worse,median_difference";
static const char jobs_header[] =
    "job_id,submission_time,gpus,vc,wait_a,wait_b,jct_a,jct_b,difference,isolated,run_a,run_b,"
    "compared";

static void put_figures(struct hs_csvw *w, const struct hs_paired *p)
{
    for (uint32_t i = 0; i < p->group_count * HS_PAIRED_METRICS; i++) {
        const struct hs_paired_group *group = &p->groups[i / HS_PAIRED_METRICS];
        const struct hs_paired_figures *f = &group->figures[i % HS_PAIRED_METRICS];
        hs_csvw_text(w, group->kind);
        hs_csvw_text(w, group->name);
        hs_csvw_text(w, metrics[i % HS_PAIRED_METRICS].name);
        hs_csvw_u64(w, f->jobs);
        hs_csvw_double(w, f->mean[HS_PAIRED_A]);
        hs_csvw_double(w, f->mean[HS_PAIRED_B]);
        hs_csvw_double(w, f->difference);
        hs_csvw_double(w, f->difference_95.low);
        hs_csvw_double(w, f->difference_95.high);
        hs_csvw_double(w, f->ratio);
        hs_csvw_double(w, f->ratio_95.low);
        hs_csvw_double(w, f->ratio_95.high);
        hs_csvw_ratio(w, f->better, f->jobs, 6);
        hs_csvw_ratio(w, f->equal, f->jobs, 6);
        hs_csvw_ratio(w, f->worse, f->jobs, 6);
        hs_csvw_double(w, f->median_difference);
        hs_csvw_end(w);
    }
}

static void put_seconds_if(struct hs_csvw *w, int64_t us)
{
    if (us >= 0)
        hs_csvw_seconds(w, us);
    else
        hs_csvw_empty(w);
}

static void put_jobs(struct hs_csvw *w, const struct hs_paired *p)
{
    const struct hs_paired_run *in_a = &p->runs[HS_PAIRED_A];
    uint32_t next = 0; /* of the compared */
    for (uint32_t i = 0; i < in_a->count; i++) {
        const struct hs_paired_row *a = &in_a->rows[i], *b = &p->runs[HS_PAIRED_B].rows[i];
        const bool is_compared = next < p->count && p->compared[next] == i;
        next += is_compared;
        hs_csvw_text(w, a->id);
        hs_csvw_seconds(w, a->submit_us);
        hs_csvw_u64(w, a->gpus);
        hs_csvw_text(w, hs_intern_text(&in_a->vcs, a->vc));
        put_seconds_if(w, a->wait_us);
        put_seconds_if(w, b->wait_us);
        put_seconds_if(w, a->jct_us);
        put_seconds_if(w, b->jct_us);
        if (a->is_done && b->is_done)
            hs_csvw_seconds(w, b->jct_us - a->jct_us);
        else
            hs_csvw_empty(w);
        hs_csvw_seconds(w, a->work_us);
        put_seconds_if(w, a->run_us);
        put_seconds_if(w, b->run_us);
        hs_csvw_u64(w, is_compared);
        hs_csvw_end(w);
    }
}

static enum hs_status write_file(const struct hs_paired *p, const struct hs_rundir *dir,
                                 const char *name, const char *header,
                                 void (*put)(struct hs_csvw *w, const struct hs_paired *p),
                                 struct hs_output_file *file)
{
    char path[HS_PATH_SIZE];
    struct hs_csvw w;
    hs_rundir_file(dir, name, path, sizeof path);
    HS_TRY(hs_csvw_open(&w, path, header, p->diag));
    put(&w, p);
    return hs_close_listed(&w, name, file, p->diag);
}

enum hs_status hs_paired_write(const struct hs_paired *p, const struct hs_rundir *dir,
                               struct hs_output_file files[HS_PAIRED_FILES])
{
    HS_TRY(write_file(p, dir, "paired.csv", figures_header, put_figures, &files[0]));
    return write_file(p, dir, "jobs_paired.csv", jobs_header, put_jobs, &files[1]);
}
