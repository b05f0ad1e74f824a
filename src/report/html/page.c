/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frame of the page: its sections in order, and what they share.
 */
#include "report/html/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/builtin.h"
#include "base/fixed.h"
#include "base/timeparse.h"
#include "report/html/html.h"

#define TITLE_GROUPS 4u /* named in it */

struct section {
    const char *id, *heading;
};
static const struct section of_runs[] = {
    {"summary", "Summary"},       {"distributions", "Distributions"},
    {"time", "Over time"},        {"waiting", "Why jobs waited"},
    {"classes", "Kinds of jobs"}, {"nodes", "Where"},
    {"method", "What was run"},   {NULL, NULL}};
static const struct section of_a_sweep[] = {
    {"results", "Results"}, {"points", "Points"}, {"method", "What was run"}, {NULL, NULL}};

const char *hs_page_colour(uint32_t group)
{
    static const char *const classes[HS_PAGE_DRAWN_MAX] = {"k0", "k1", "k2", "k3",
                                                           "k4", "k5", "k6", "k7"};
    return classes[group % HS_PAGE_DRAWN_MAX];
}

void hs_page_begin_section(struct hs_page *page, const char *id, const char *heading)
{
    hs_say(page->out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, heading);
}

void hs_page_end_section(struct hs_page *page)
{
    hs_say(page->out, "</section>\n");
}

void hs_page_note(struct hs_page *page, const char *fmt, ...)
{
    char text[HS_HTML_SAY_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    hs_markup(page->out, "<p class=\"note\">%s</p>\n", text);
}

void hs_page_begin_table(struct hs_page *page, const char *summary)
{
    hs_say(page->out,
           "<details><summary>%s</summary>\n<div class=\"wide\"><table "
           "class=\"figures\"><thead><tr>",
           summary);
}

void hs_page_end_table(struct hs_page *page)
{
    hs_say(page->out, "</tbody></table></div></details>\n");
}

double hs_page_span(const struct hs_page *page)
{
    double span = 0;
    for (uint32_t g = 0; g < hs_page_drawn(page); g++) {
        const struct hs_page_group *group = &page->groups[g];
        const double makespan = hs_summary_get(group->figures.summary, "makespan");
        int64_t us;
        span = makespan > span ? makespan : span;
        /* jobs that a horizon cut may go on behind the last one that ended */
        if (group->count == 0 || !(hs_summary_get(group->figures.summary, "n_unfinished") > 0))
            continue;
        const char *until =
            hs_json_text(hs_json_get(page->runs[group->first].manifest.config, "until"));
        if (until != NULL && hs_parse_duration_us(until, strlen(until), &us) &&
            (double)us / HS_US_PER_S > span)
            span = (double)us / HS_US_PER_S;
    }
    return span;
}

bool hs_page_can_draw(struct hs_page *page, const char *name)
{
    const uint32_t drawn = hs_page_drawn(page);
    uint32_t having = 0;
    for (uint32_t g = 0; g < drawn; g++)
        having += hs_page_has(page, &page->groups[g], name);
    if (having == 0 && page->kind == HS_PAGE_COMPARISON && page->run_count == 0)
        hs_page_note(page,
                     "Left out: the comparison kept no runs, hence no %s. Repeat it with "
                     "--outputs=all.",
                     name);
    else if (having == 0)
        hs_page_note(page, "Left out: there is no %s. Repeat the run with --outputs=all.", name);
    for (uint32_t g = 0; g < drawn && having > 0; g++)
        if (!hs_page_has(page, &page->groups[g], name))
            hs_page_note(page, "%s has no %s and is left out.", page->groups[g].label, name);
    return having > 0;
}

void hs_page_legend(struct hs_page *page)
{
    if (page->group_count < 2)
        return;
    hs_say(page->out, "<p class=\"legend\">");
    for (uint32_t g = 0; g < hs_page_drawn(page); g++)
        hs_markup(page->out, "<span><i class=\"%s\"></i>%s</span> ", hs_page_colour(g),
                  page->groups[g].label);
    hs_say(page->out, "</p>\n");
    if (page->group_count > HS_PAGE_DRAWN_MAX)
        hs_page_note(page, "Drawn are the first %u of %u; the tables have all.", HS_PAGE_DRAWN_MAX,
                     page->group_count);
}

static void put_title(struct hs_page *page)
{
    const struct hs_json *of = page->kind == HS_PAGE_SWEEP
                                   ? hs_json_get(hs_json_root(page->manifest.doc), "sweep")
                                   : page->groups[0].card;
    const char *name =
        hs_json_text(hs_json_get(of, page->kind == HS_PAGE_SWEEP ? "name" : "workload"));
    hs_html_text(page->out, name != NULL ? name : "");
    for (uint32_t g = 0; g < page->group_count && g < TITLE_GROUPS; g++)
        hs_markup(page->out, "%s%s", g == 0 ? ": " : ", ", page->groups[g].label);
    if (page->group_count > TITLE_GROUPS)
        hs_say(page->out, ", ...");
}

/* configs/report.css behind its first comment. */
static void put_style(struct hs_output *out)
{
    static const char comment_end[] = "*/\n";
    const struct hs_builtin *css = hs_builtin_find(HS_BUILTIN "report.css");
    const char *rules = strstr(css->data, comment_end) + strlen(comment_end);
    hs_output_put(out, rules, strlen(rules));
}

/* The policy keeps the promise that nothing is fetched, whatever a name in a trace may hold. */
static void begin_page(struct hs_page *page)
{
    struct hs_output *out = page->out;
    hs_say(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; img-src data:\"/>\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
    put_title(page);
    hs_say(out, "</title>\n<style>\n");
    put_style(out);
    hs_say(out, "</style>\n</head>\n<body>\n<main>\n<header>\n<p class=\"brand\">horus "
                "report</p>\n<h1>");
    put_title(page);
    hs_say(out, "</h1>\n");
}

static void put_contents(struct hs_page *page)
{
    const struct section *s = page->kind == HS_PAGE_SWEEP ? of_a_sweep : of_runs;
    hs_say(page->out, "<nav>");
    for (; s->id != NULL; s++)
        hs_say(page->out, "<a href=\"#%s\">%s</a> ", s->id, s->heading);
    hs_say(page->out, "</nav>\n</header>\n");
}

enum hs_status hs_page_write(struct hs_page *page, struct hs_output *out)
{
    page->out = out;
    begin_page(page);
    if (page->kind == HS_PAGE_SWEEP) {
        hs_page_sweep_head(page);
        put_contents(page);
        hs_page_sweep(page);
    } else {
        hs_page_head(page);
        put_contents(page);
        hs_page_summary(page);
        HS_TRY(hs_page_cdf(page));
        HS_TRY(hs_page_series(page));
        hs_page_waiting(page);
        hs_page_classes(page);
        HS_TRY(hs_page_nodes(page));
    }
    hs_page_method(page);
    hs_say(out, "</main>\n</body>\n</html>\n");
    return HS_OK;
}
