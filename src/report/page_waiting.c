/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why jobs waited: a bar a group, divided by cause.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/page.h"
#include "report/svg.h"

#define LABEL_WIDTH     150.0
#define BAR_HEIGHT      18.0
#define ROW_HEIGHT      26.0
#define SECONDS_OF_HOUR 3600.0

static const char *const causes[][2] = {
    {"capacity", "too few GPUs are free"},
    {"shape", "enough are free, but not where the job needs them"},
    {"quota", "its virtual cluster has no room"},
    {"order", "it would fit; the policy lets it wait"},
};
#define CAUSES (sizeof causes / sizeof *causes)

uint32_t hs_page_cause(const char *cause, size_t length, const char **meaning)
{
    uint32_t i = 0;
    while (i < CAUSES &&
           (strlen(causes[i][0]) != length || strncmp(causes[i][0], cause, length) != 0))
        i++;
    *meaning = i < CAUSES ? causes[i][1] : "";
    return i;
}

/* "wait_capacity_gpu_seconds": the cause is what stands between. */
static bool is_cause(const char *metric, int *length)
{
    static const char begin[] = "wait_", end[] = "_gpu_seconds";
    const size_t len = strlen(metric), around = sizeof begin + sizeof end - 2;
    *length = (int)(len - around);
    return len > around && strncmp(metric, begin, sizeof begin - 1) == 0 &&
           strcmp(metric + len - (sizeof end - 1), end) == 0;
}

static double total_wait(const struct hs_summary *s)
{
    double sum = 0;
    int length;
    for (uint32_t m = 0; m < s->count; m++)
        if (is_cause(s->metrics[m].name, &length) && !isnan(s->metrics[m].value))
            sum += s->metrics[m].value;
    return sum;
}

static void put_waits(struct hs_page *page, const struct hs_chart *c, uint32_t group, double y)
{
    const struct hs_summary *s = page->groups[group].figures.summary;
    double from = 0;
    int length;
    for (uint32_t m = 0; m < s->count; m++) {
        const double value = s->metrics[m].value;
        char title[HS_HTML_SAY_MAX], class[32];
        if (!is_cause(s->metrics[m].name, &length))
            continue;
        if (!(value > 0))
            continue;
        const char *cause = s->metrics[m].name + strlen("wait_"), *meaning;
        (void)snprintf(class, sizeof class, "layer w%" PRIu32,
                       hs_page_cause(cause, (size_t)length, &meaning));
        (void)snprintf(title, sizeof title, "%s: %.4g GPU-hours, %.1f %%: %.*s, %s",
                       page->groups[group].label, value / SECONDS_OF_HOUR,
                       100 * value / total_wait(s), length, cause, meaning);
        hs_svg_rect(c->out, class, hs_scale_at(&c->x, from), y,
                    hs_scale_at(&c->x, from + value / SECONDS_OF_HOUR) - hs_scale_at(&c->x, from),
                    BAR_HEIGHT, title);
        from += value / SECONDS_OF_HOUR;
    }
}

static void put_wait_chart(struct hs_page *page, double most)
{
    const uint32_t drawn = hs_page_drawn(page);
    struct hs_chart c = {.width = HS_PAGE_WIDTH,
                         .height = 4 + ROW_HEIGHT * drawn + 36,
                         .left = page->group_count > 1 ? LABEL_WIDTH : 14,
                         .right = HS_PAGE_WIDTH - 14,
                         .top = 4,
                         .bottom = 4 + ROW_HEIGHT * drawn,
                         .x = {.from = 0, .to = most / SECONDS_OF_HOUR},
                         .y = {.from = 0, .to = 1}};
    hs_chart_begin(&c, page->out, "GPU-hours of waiting by cause");
    hs_chart_x_axis(&c, HS_AXIS_PLAIN, 7);
    hs_svg_text(c.out, c.right, c.height - 4, "end", "tick", "GPU-hours");
    for (uint32_t g = 0; g < drawn; g++) {
        put_waits(page, &c, g, c.top + ROW_HEIGHT * g + 4);
        if (page->group_count > 1)
            hs_svg_text(c.out, c.left - 8, c.top + ROW_HEIGHT * g + 17, "end", "name",
                        page->groups[g].label);
    }
    hs_chart_end(&c);
}

static bool is_in_any(const struct hs_page *page, const char *metric)
{
    for (uint32_t g = 0; g < hs_page_drawn(page); g++)
        if (hs_summary_get(page->groups[g].figures.summary, metric) > 0)
            return true;
    return false;
}

static void put_wait_legend(struct hs_page *page)
{
    const struct hs_summary *s = page->groups[0].figures.summary;
    int length;
    hs_say(page->out, "<p class=\"legend\">");
    for (uint32_t m = 0; m < s->count; m++) {
        if (!is_cause(s->metrics[m].name, &length) || !is_in_any(page, s->metrics[m].name))
            continue;
        const char *cause = s->metrics[m].name + strlen("wait_"), *meaning;
        hs_say(page->out, "<span><i class=\"w%" PRIu32 "\"></i>",
               hs_page_cause(cause, (size_t)length, &meaning));
        hs_html_say(page->out, "%.*s%s%s", length, cause, meaning[0] != '\0' ? ": " : "", meaning);
        hs_say(page->out, "</span> ");
    }
    hs_say(page->out, "</p>\n");
}

void hs_page_waiting(struct hs_page *page)
{
    double most = 0;
    hs_page_begin_section(page, "waiting", "Why jobs waited");
    for (uint32_t g = 0; g < hs_page_drawn(page); g++) {
        const double total = total_wait(page->groups[g].figures.summary);
        most = total > most ? total : most;
    }
    if (most > 0) {
        put_wait_legend(page);
        hs_say(page->out, "<figure>\n");
        put_wait_chart(page, most);
        hs_say(page->out, "</figure>\n");
        hs_page_note(page, "GPUs wanted by waiting jobs x time. A job waits for one cause at a "
                           "time; 'All metrics' above has the figures.");
    } else {
        hs_page_note(page, "No job waited.");
    }
    hs_page_end_section(page);
}
