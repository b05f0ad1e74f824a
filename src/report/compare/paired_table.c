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
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "data/csvwrite.h"

#define CELL_SIZE    96
#define ROWS_MAX     (HS_PAIRED_GROUPS + 1)
#define COLUMNS_MAX  10
#define GAP          2u
#define SETTINGS_MAX 24

/* A table: the first row is its head, the first columns are aligned left. */
struct grid {
    char cells[ROWS_MAX][COLUMNS_MAX][CELL_SIZE];
    uint32_t rows, columns;
    uint32_t left; /* columns that are set left */
};

static void put_padding(struct hs_output *out, size_t count)
{
    while (count-- > 0)
        hs_output_put(out, " ", 1);
}

static uint32_t width_of(const struct grid *g, uint32_t column)
{
    size_t width = 0;
    for (uint32_t r = 0; r < g->rows; r++) {
        size_t length = strlen(g->cells[r][column]);
        width = length > width ? length : width;
    }
    return (uint32_t)width;
}

/* Columns that do not fit are left out, but for the first three. */
static void put_grid(struct hs_output *out, const struct grid *g, uint32_t columns)
{
    uint32_t width[COLUMNS_MAX], used = 0, shown = 0;
    for (; shown < g->columns; shown++) {
        width[shown] = width_of(g, shown);
        used += width[shown] + (shown > 0 ? GAP : 0);
        if (used > columns && shown >= 3)
            break;
    }
    for (uint32_t r = 0; r < g->rows; r++) {
        for (uint32_t c = 0; c < shown; c++) {
            size_t length = strlen(g->cells[r][c]), rest = width[c] - length;
            bool is_left = c < g->left;
            put_padding(out, (c > 0 ? GAP : 0) + (is_left ? 0 : rest));
            hs_output_put(out, g->cells[r][c], length);
            put_padding(out, is_left && c + 1 < shown ? rest : 0);
        }
        hs_output_put(out, "\n", 1);
    }
}

static char *add_cell(struct grid *g, uint32_t column)
{
    g->columns = column + 1 > g->columns ? column + 1 : g->columns;
    return g->cells[g->rows][column];
}

static void add_head(struct grid *g, const char *const *titles)
{
    for (uint32_t c = 0; titles[c] != NULL; c++)
        (void)snprintf(add_cell(g, c), CELL_SIZE, "%s", titles[c]);
    g->rows++;
}

/* ---- what differs between the runs ---- */

static const char *setting(const struct hs_json *value, char number[HS_RUNMANIFEST_NUMBER_SIZE])
{
    const char *text = hs_runmanifest_text(value, number);
    if (text == NULL)
        text = hs_json_kind(value) == HS_JSON_BOOL ? (hs_json_bool(value) ? "true" : "false") : "-";
    return text;
}

static void add_setting(struct grid *g, const struct hs_paired *p, const char *key)
{
    const char *text[HS_PAIRED_RUNS];
    char number[HS_PAIRED_RUNS][HS_RUNMANIFEST_NUMBER_SIZE];
    for (int r = 0; r < HS_PAIRED_RUNS; r++)
        text[r] = setting(hs_json_get(p->runs[r].manifest.config, key), number[r]);
    if (strcmp(text[HS_PAIRED_A], text[HS_PAIRED_B]) == 0 || g->rows == SETTINGS_MAX)
        return;
    (void)snprintf(add_cell(g, 0), CELL_SIZE, "%s", key);
    for (uint32_t r = 0; r < HS_PAIRED_RUNS; r++)
        (void)snprintf(add_cell(g, 1 + r), CELL_SIZE, "%s", text[r]);
    g->rows++;
}

/* The keys of A's configuration, then those that only B's has. */
static void put_settings(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    static const char *const head[] = {"", "A", "B", NULL};
    struct grid g = {.left = COLUMNS_MAX};
    const struct hs_json *config = p->runs[HS_PAIRED_A].manifest.config;
    add_head(&g, head);
    (void)snprintf(add_cell(&g, 0), CELL_SIZE, "run");
    for (uint32_t r = 0; r < HS_PAIRED_RUNS; r++)
        (void)snprintf(add_cell(&g, 1 + r), CELL_SIZE, "%s", p->runs[r].dir);
    g.rows++;
    for (const struct hs_json *m = hs_json_first(config); m != NULL; m = hs_json_next(m))
        add_setting(&g, p, hs_json_key(m));
    const struct hs_json *other = hs_json_first(p->runs[HS_PAIRED_B].manifest.config);
    for (; other != NULL; other = hs_json_next(other))
        if (hs_json_get(config, hs_json_key(other)) == NULL)
            add_setting(&g, p, hs_json_key(other));
    put_grid(out, &g, columns);
}

/* "; not: 3 done in A alone", then ", 2 in B alone"; nothing for no jobs. */
static void put_left_out(struct hs_output *out, uint32_t jobs, const char *what, bool *is_first)
{
    char text[32];
    if (jobs == 0)
        return;
    (void)hs_fmt_grouped(text, jobs);
    hs_say(out, "%s %s %s", *is_first ? "; not:" : ",", text, what);
    *is_first = false;
}

static void put_counts(const struct hs_paired *p, struct hs_output *out)
{
    char compared[32];
    bool is_first = true;
    (void)hs_fmt_grouped(compared, p->count);
    hs_say(out, "\njobs        %s compared, done in both", compared);
    put_left_out(out, p->only_done[HS_PAIRED_A], "done in A alone", &is_first);
    put_left_out(out, p->only_done[HS_PAIRED_B], "done in B alone", &is_first);
    put_left_out(out, p->done_in_none, "done in neither", &is_first);
    put_left_out(out, p->outside, "outside --warmup and --cooldown", &is_first);
    hs_say(out, "\n");
}

/* ---- figures ---- */

static void put_value(char text[CELL_SIZE], enum hs_paired_metric metric, double value)
{
    if (isnan(value))
        (void)snprintf(text, CELL_SIZE, "-");
    else if (metric == HS_PAIRED_WAIT || metric == HS_PAIRED_JCT)
        hs_table_time(text, value);
    else
        (void)snprintf(text, CELL_SIZE, fabs(value) < 1e6 ? "%.2f" : "%.3g", value);
}

static void put_ratio(char text[CELL_SIZE], double ratio)
{
    if (isnan(ratio))
        (void)snprintf(text, CELL_SIZE, "-");
    else
        (void)snprintf(text, CELL_SIZE,
                       ratio == 0 || (ratio >= 0.01 && ratio < 1000) ? "%.3f" : "%.2g", ratio);
}

static void put_interval(char text[CELL_SIZE], const char *low, const char *high)
{
    if (strcmp(low, "-") == 0)
        (void)snprintf(text, CELL_SIZE, "-");
    else
        (void)snprintf(text, CELL_SIZE, "%.40s .. %.40s", low, high);
}

static void put_ratio_interval(char text[CELL_SIZE], const struct hs_bootstrap_range *ratio)
{
    char low[CELL_SIZE], high[CELL_SIZE];
    put_ratio(low, ratio->low);
    put_ratio(high, ratio->high);
    put_interval(text, low, high);
}

static void put_share(char text[CELL_SIZE], uint64_t count, uint64_t of)
{
    if (of == 0)
        (void)snprintf(text, CELL_SIZE, "-");
    else
        (void)snprintf(text, CELL_SIZE, "%.1f %%", 100 * (double)count / (double)of);
}

static const char *const metric_titles[HS_PAIRED_METRICS] = {"wait", "JCT", "slowdown",
                                                             "bounded slowdown", "run slowdown"};

static void put_means(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    static const char *const head[] = {"",      "mean A",        "mean B", "B - A", "95 % interval",
                                       "B / A", "95 % interval", NULL};
    struct grid g = {.left = 1};
    char low[CELL_SIZE], high[CELL_SIZE];
    add_head(&g, head);
    for (int i = 0; i < HS_PAIRED_METRICS; i++, g.rows++) {
        enum hs_paired_metric m = (enum hs_paired_metric)i;
        const struct hs_paired_figures *f = &p->groups[0].figures[m];
        (void)snprintf(add_cell(&g, 0), CELL_SIZE, "%s", metric_titles[m]);
        put_value(add_cell(&g, 1), m, f->mean[HS_PAIRED_A]);
        put_value(add_cell(&g, 2), m, f->mean[HS_PAIRED_B]);
        put_value(add_cell(&g, 3), m, f->difference);
        put_value(low, m, f->difference_95.low);
        put_value(high, m, f->difference_95.high);
        put_interval(add_cell(&g, 4), low, high);
        put_ratio(add_cell(&g, 5), f->ratio);
        put_ratio_interval(add_cell(&g, 6), &f->ratio_95);
    }
    put_grid(out, &g, columns);
}

static void put_shares(struct grid *g, uint32_t column, const struct hs_paired_figures *f)
{
    put_share(add_cell(g, column), f->better, f->jobs);
    put_share(add_cell(g, column + 1), f->equal, f->jobs);
    put_share(add_cell(g, column + 2), f->worse, f->jobs);
}

static void put_job_by_job(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    static const char *const head[] = {"job by job", "B better",     "equal",
                                       "B worse",    "median B - A", NULL};
    struct grid g = {.left = 1};
    add_head(&g, head);
    for (int i = 0; i < HS_PAIRED_METRICS; i++, g.rows++) {
        const struct hs_paired_figures *f = &p->groups[0].figures[i];
        (void)snprintf(add_cell(&g, 0), CELL_SIZE, "%s", metric_titles[i]);
        put_shares(&g, 1, f);
        put_value(add_cell(&g, 4), (enum hs_paired_metric)i, f->median_difference);
    }
    put_grid(out, &g, columns);
}

static void put_method(const struct hs_paired *p, struct hs_output *out)
{
    char resamples[32], size[32];
    (void)hs_fmt_grouped(resamples, p->resamples);
    (void)hs_fmt_grouped(size, p->count / p->blocks);
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
           resamples, p->blocks, size);
    if (p->correlation > hs_bootstrap_chance(p->blocks))
        hs_say(out,
               "            too narrow: even neighbouring blocks are alike (correlation %.2f)\n",
               p->correlation);
}

static void put_group_title(char text[CELL_SIZE], const struct hs_paired *p,
                            const struct hs_paired_group *group)
{
    char length[HS_TABLE_TIME_SIZE];
    if (strcmp(group->kind, "gpus") == 0)
        (void)snprintf(text, CELL_SIZE, "%s GPU%s", group->name,
                       strcmp(group->name, "1") == 0 ? "" : "s");
    else if (strcmp(group->kind, "vc") == 0)
        (void)snprintf(text, CELL_SIZE, "vc %s", group->name);
    else {
        uint32_t q = (uint32_t)(group->name[1] - '1'); /* "q1".. */
        bool is_last = q + 1 == HS_PAIRED_QUARTILES;
        hs_table_time(length, (double)p->quartile_us[is_last ? q - 1 : q] / 1e6);
        (void)snprintf(text, CELL_SIZE, "isolated %s %s %s", group->name,
                       is_last ? ">" : "<=", length);
    }
}

static void put_groups(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    static const char *const head[] = {"JCT",           "jobs",     "mean A", "mean B",  "B / A",
                                       "95 % interval", "B better", "equal",  "B worse", NULL};
    struct grid g = {.left = 1};
    add_head(&g, head);
    for (uint32_t i = 1; i < p->group_count; i++, g.rows++) {
        const struct hs_paired_group *group = &p->groups[i];
        const struct hs_paired_figures *f = &group->figures[HS_PAIRED_JCT];
        put_group_title(add_cell(&g, 0), p, group);
        (void)hs_fmt_grouped(add_cell(&g, 1), f->jobs);
        put_value(add_cell(&g, 2), HS_PAIRED_JCT, f->mean[HS_PAIRED_A]);
        put_value(add_cell(&g, 3), HS_PAIRED_JCT, f->mean[HS_PAIRED_B]);
        put_ratio(add_cell(&g, 4), f->ratio);
        put_ratio_interval(add_cell(&g, 5), &f->ratio_95);
        put_shares(&g, 6, f);
    }
    put_grid(out, &g, columns);
}

void hs_paired_print(const struct hs_paired *p, struct hs_output *out, uint32_t columns)
{
    put_settings(p, out, columns);
    put_counts(p, out);
    put_method(p, out);
    hs_say(out, "\n");
    put_means(p, out, columns);
    hs_say(out, "\n");
    put_job_by_job(p, out, columns);
    hs_say(out, "\n");
    put_groups(p, out, columns);
}

/* ---- the files ---- */

static const char *const metric_names[HS_PAIRED_METRICS] = {"wait", "jct", "slowdown",
                                                            "bounded_slowdown", "run_slowdown"};

static const char figures_header[] =
    "group,key,metric,jobs,mean_a,mean_b,difference,difference_low,difference_high,ratio,"
    "ratio_low,ratio_high,better,equal,worse,median_difference";
static const char jobs_header[] =
    "job_id,submission_time,gpus,vc,wait_a,wait_b,jct_a,jct_b,difference,isolated,run_a,run_b,"
    "compared";

static void put_figures(struct hs_csvw *w, const struct hs_paired_group *group,
                        enum hs_paired_metric metric)
{
    const struct hs_paired_figures *f = &group->figures[metric];
    hs_csvw_text(w, group->kind);
    hs_csvw_text(w, group->name);
    hs_csvw_text(w, metric_names[metric]);
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

static void put_seconds_if(struct hs_csvw *w, int64_t us)
{
    if (us >= 0)
        hs_csvw_seconds(w, us);
    else
        hs_csvw_empty(w);
}

static void put_job(struct hs_csvw *w, const struct hs_paired *p, uint32_t row, bool is_compared)
{
    const struct hs_paired_row *a = &p->runs[HS_PAIRED_A].rows[row],
                               *b = &p->runs[HS_PAIRED_B].rows[row];
    hs_csvw_text(w, a->id);
    hs_csvw_seconds(w, a->submit_us);
    hs_csvw_u64(w, a->gpus);
    hs_csvw_text(w, hs_intern_text(&p->runs[HS_PAIRED_A].vcs, a->vc));
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

static void put_all_figures(struct hs_csvw *w, const struct hs_paired *p)
{
    for (uint32_t g = 0; g < p->group_count; g++)
        for (int m = 0; m < HS_PAIRED_METRICS; m++)
            put_figures(w, &p->groups[g], (enum hs_paired_metric)m);
}

static void put_all_jobs(struct hs_csvw *w, const struct hs_paired *p)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < p->runs[HS_PAIRED_A].count; i++) {
        bool is_compared = next < p->count && p->compared[next] == i;
        put_job(w, p, i, is_compared);
        next += is_compared;
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
    *file = hs_output_file_of(&w.out, name, w.rows);
    return hs_csvw_close(&w, p->diag);
}

enum hs_status hs_paired_write(const struct hs_paired *p, const struct hs_rundir *dir,
                               struct hs_output_file files[HS_PAIRED_FILES])
{
    HS_TRY(write_file(p, dir, "paired.csv", figures_header, put_all_figures, &files[0]));
    return write_file(p, dir, "jobs_paired.csv", jobs_header, put_all_jobs, &files[1]);
}
