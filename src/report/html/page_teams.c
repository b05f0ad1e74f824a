/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sections of a page: who got what, by virtual cluster and by user; and, of a backtest, the same
 * groups beside what the trace records of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/explain/teams.h"
#include "report/html/page.h"

#define SHOWN 20u /* teams of a table; the run's directory has all */

static void put_time(struct hs_output *out, const char *metric, double seconds)
{
    const struct hs_runcolumn column = {.metric = metric, .kind = HS_COLUMN_TIME};
    hs_html_cell(out, &column, seconds, NULL, "");
}

static void put_teams(struct hs_page *page, const struct hs_teams *teams)
{
    static const char *const heads[] = {"jobs",     "GPU-hours", "share",    "mean wait",
                                        "p50 wait", "p95 wait",  "p99 wait", "mean JCT"};
    struct hs_output *out = page->out;
    const uint32_t count = teams->count < SHOWN ? teams->count : SHOWN;
    hs_page_begin_table(page, NULL, "figures");
    hs_markup(out, "<th scope=\"col\">%s</th>",
              teams->by == HS_TEAMS_VC ? "virtual cluster" : "user");
    for (size_t i = 0; i < HS_COUNT_OF(heads); i++)
        hs_markup(out, "<th scope=\"col\">%s</th>", heads[i]);
    hs_say(out, "%s" HS_TABLE_ROWS, teams->has_deadlines ? "<th scope=\"col\">late</th>" : "");
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_team *t = &teams->of[i];
        const double done = t->done > 0 ? (double)t->done * 1e6 : (double)NAN;
        hs_markup(out, "<tr data-class=\"%s %s\"><th scope=\"row\">%s</th><td>%" PRIu64 "</td>",
                  hs_teams_words[teams->by], t->name, t->name, t->jobs);
        hs_say(out, "<td>%.1f</td><td>%.1f&#8239;%%</td>", (double)t->gpu_us / 3600e6,
               teams->gpu_us > 0 ? 100 * (double)t->gpu_us / (double)teams->gpu_us : 0);
        put_time(out, "mean_wait", (double)t->wait_us / done);
        for (size_t q = 0; q < 3; q++)
            put_time(out, heads[4 + q],
                     t->done > 0 ? (double)t->quantile_us[q] / 1e6 : (double)NAN);
        put_time(out, "mean_jct", (double)t->jct_us / done);
        if (teams->has_deadlines)
            hs_say(out, "<td>%" PRIu64 " of %" PRIu64 "</td>", t->misses, t->deadlines);
        hs_say(out, "</tr>\n");
    }
    hs_say(out, HS_TABLE_END "\n");
    if (count < teams->count)
        HS_PAGE_NOTE(page, "%u more with less GPU time.", teams->count - count);
    if (!isnan(teams->jain))
        HS_PAGE_NOTE(page,
                     "Jain's index over %u: %.4f (1 = all wait in proportion to their GPU time).",
                     teams->count, teams->jain);
}

enum hs_status hs_put_teams(struct hs_page *page)
{
    static const enum hs_teams_by kinds[] = {HS_TEAMS_VC, HS_TEAMS_USER};
    for (uint32_t g = 0; g < page->drawn; g++) {
        if (!hs_page_has(page, g, "jobs.csv"))
            continue;
        if (page->group_count > 1)
            hs_markup(page->out, "<details><summary>%s</summary>\n", page->rows[g].label);
        for (size_t k = 0; k < HS_COUNT_OF(kinds); k++) {
            struct hs_teams teams;
            const enum hs_status status =
                hs_teams_read(&teams, &page->runs[page->groups[g].first].manifest, kinds[k]);
            if (status == HS_OK && (teams.count > 1 || teams.has_deadlines))
                put_teams(page, &teams);
            hs_teams_free(&teams);
            HS_TRY(status);
        }
        if (page->groups[g].count > 1)
            HS_PAGE_NOTE(page, "From the first of its %u runs.", page->groups[g].count);
        if (page->group_count > 1)
            hs_say(page->out, "</details>\n");
    }
    return HS_OK;
}

/* ---- beside what happened ---- */

struct backtest_row {
    const char *group, *key, *metric;
    uint64_t jobs;
    double recorded[4], simulated[4]; /* mean, p50, p90, p95 */
    double mean_error, p50_error, p90_error;
};

#define AT(field) offsetof(struct backtest_row, field)
static const struct hs_rowcell backtest_cells[] = {
    {"group", HS_ROWCELL_TEXT, AT(group)},
    {"key", HS_ROWCELL_TEXT, AT(key)},
    {"metric", HS_ROWCELL_TEXT, AT(metric)},
    {"jobs", HS_ROWCELL_COUNT, AT(jobs)},
    {"recorded_mean", HS_ROWCELL_DOUBLE, AT(recorded[0])},
    {"recorded_p50", HS_ROWCELL_DOUBLE, AT(recorded[1])},
    {"recorded_p90", HS_ROWCELL_DOUBLE, AT(recorded[2])},
    {"recorded_p95", HS_ROWCELL_DOUBLE, AT(recorded[3])},
    {"simulated_mean", HS_ROWCELL_DOUBLE, AT(simulated[0])},
    {"simulated_p50", HS_ROWCELL_DOUBLE, AT(simulated[1])},
    {"simulated_p90", HS_ROWCELL_DOUBLE, AT(simulated[2])},
    {"simulated_p95", HS_ROWCELL_DOUBLE, AT(simulated[3])},
    {"mean_error", HS_ROWCELL_DOUBLE, AT(mean_error)},
    {"p50_error", HS_ROWCELL_DOUBLE, AT(p50_error)},
    {"p90_error", HS_ROWCELL_DOUBLE, AT(p90_error)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

struct backtest_table {
    struct hs_page *page;
    char group[32];   /* of the open table; "" = none */
    char said[256];   /* what stands below the table of all jobs */
    double wait_s[2]; /* p95 of the group's last row of waits: recorded, simulated */
};

static void put_error(struct hs_output *out, double share, bool has_sign)
{
    if (isfinite(share))
        hs_say(out, has_sign ? "<td>%+.1f&#8239;%%</td>" : "<td>%.1f&#8239;%%</td>", 100 * share);
    else
        hs_say(out, "<td>-</td>");
}

/* A table of all jobs: two lines a metric, as large as the recorded ones and as simulated. */
static void put_of_all(struct backtest_table *t, const struct backtest_row *row)
{
    struct hs_output *out = t->page->out;
    const bool is_time = strcmp(row->metric, "gpus_held") != 0;
    const struct hs_runcolumn column = {.metric = row->metric,
                                        .kind = is_time ? HS_COLUMN_TIME : HS_COLUMN_PLAIN};
    const char *title = strcmp(row->metric, "jct") == 0 ? "JCT" : is_time ? "wait" : "GPUs held";
    for (int side = 0; side < 2; side++) {
        const double *values = side == 0 ? row->recorded : row->simulated;
        hs_markup(out, "<tr><th scope=\"row\">%s, %s</th>", title,
                  side == 0 ? "recorded" : "simulated");
        for (int i = 0; i < 4; i++)
            hs_html_cell(out, &column, values[i], NULL, "");
        hs_say(out, "</tr>\n");
    }
    if (strcmp(row->metric, "jct") != 0)
        return;
    (void)snprintf(t->said, sizeof t->said,
                   "The error of the mean JCT is %+.1f %%; the error per job has a median of %.1f "
                   "%% and a 90th percentile of %.1f %%.",
                   100 * row->mean_error, 100 * row->p50_error, 100 * row->p90_error);
}

static void begin_group(struct backtest_table *t, const char *group)
{
    static const char *const all[] = {"mean", "p50", "p90", "p95", NULL},
                             *const others[] = {"jobs",      "p95 wait", "simulated",  "mean JCT",
                                                "simulated", "error",    "job by job", NULL};
    struct hs_output *out = t->page->out;
    const bool is_all = strcmp(group, "all") == 0;
    if (t->group[0] != '\0')
        hs_say(out, HS_TABLE_END "%s\n", strcmp(t->group, "all") == 0 ? "" : "</details>");
    if (strcmp(t->group, "all") == 0)
        HS_PAGE_NOTE(t->page, "%s", t->said);
    (void)snprintf(t->group, sizeof t->group, "%s", group);
    if (group[0] == '\0')
        return;
    const char *title = strcmp(group, "vc") == 0     ? "virtual cluster"
                        : strcmp(group, "gpus") == 0 ? "number of GPUs"
                                                     : group;
    hs_page_begin_table(t->page, is_all ? NULL : HS_TEXT("By %s", title), "figures");
    hs_say(out, "<th></th>");
    for (const char *const *head = is_all ? all : others; *head != NULL; head++)
        hs_say(out, "<th scope=\"col\">%s</th>", *head);
    hs_say(out, HS_TABLE_ROWS);
}

static enum hs_status add_backtest_row(void *ctx, const struct hs_rowfile *f)
{
    struct backtest_table *t = ctx;
    struct backtest_row row;
    HS_TRY(hs_rowfile_read(f, &row));
    if (strcmp(t->group, row.group) != 0)
        begin_group(t, row.group);
    if (strcmp(row.group, "all") == 0) {
        put_of_all(t, &row);
    } else if (strcmp(row.metric, "wait") == 0) {
        t->wait_s[0] = row.recorded[3];
        t->wait_s[1] = row.simulated[3];
    } else {
        hs_markup(t->page->out, "<tr><th scope=\"row\">%s</th><td>%" PRIu64 "</td>", row.key,
                  row.jobs);
        put_time(t->page->out, "p95_wait", t->wait_s[0]);
        put_time(t->page->out, "p95_wait", t->wait_s[1]);
        put_time(t->page->out, "mean_jct", row.recorded[0]);
        put_time(t->page->out, "mean_jct", row.simulated[0]);
        put_error(t->page->out, row.mean_error, true);
        put_error(t->page->out, row.p50_error, false);
        hs_say(t->page->out, "</tr>\n");
    }
    return HS_OK;
}

enum hs_status hs_put_backtest(struct hs_page *page)
{
    for (uint32_t g = 0; g < page->drawn; g++) {
        struct backtest_table table = {.page = page};
        if (!hs_page_has(page, g, "backtest.csv"))
            continue;
        if (page->group_count > 1)
            hs_markup(page->out, "<h3>%s</h3>\n", page->rows[g].label);
        HS_TRY(hs_rowfile_each(&page->runs[page->groups[g].first].manifest, "backtest.csv",
                               backtest_cells, add_backtest_row, &table));
        begin_group(&table, "");
    }
    HS_PAGE_NOTE(page, "For the jobs not used for calibration. Error: of the mean; job by job: "
                       "median of the absolute errors.");
    return HS_OK;
}
