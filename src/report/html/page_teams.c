/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Section of a page: who got what, by virtual cluster and by user.
 */
#include <inttypes.h>
#include <math.h>

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
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
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
        hs_page_note(page, "%u more that held less.", teams->count - count);
    if (!isnan(teams->jain))
        hs_page_note(page,
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
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            struct hs_teams teams;
            const enum hs_status status =
                hs_teams_read(&teams, &page->runs[page->groups[g].first].manifest, kinds[k]);
            if (status == HS_OK && (teams.count > 1 || teams.has_deadlines))
                put_teams(page, &teams);
            hs_teams_free(&teams);
            HS_TRY(status);
        }
        if (page->groups[g].count > 1)
            hs_page_note(page, "Of the first of its %u runs.", page->groups[g].count);
        if (page->group_count > 1)
            hs_say(page->out, "</details>\n");
    }
    return HS_OK;
}
