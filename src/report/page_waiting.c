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

const struct hs_wait_cause hs_wait_causes[HS_WAITS] = {
    [HS_WAIT_CAPACITY] = {"capacity", "too few GPUs are free", "w0"},
    [HS_WAIT_FRAGMENTATION] = {"fragmentation", "enough are free, on no node together", "w1"},
    [HS_WAIT_LOCALITY] = {"locality", "enough are free, for a gang that takes several nodes", "w2"},
    [HS_WAIT_QUOTA] = {"quota", "its virtual cluster has no room", "w3"},
    [HS_WAIT_ORDER] = {"order", "it would fit; the policy lets it wait", "w4"},
    [HS_WAIT_SHAPE] = {"shape", "enough are free, not where the job needs them", "w1"},
};

/* GPU-seconds; NaN where the run does not tell. */
static double wait_of(const struct hs_summary *s, enum hs_wait cause)
{
    const double shape = hs_summary_get(s, "wait_shape_gpu_seconds"),
                 locality = hs_summary_get(s, "wait_locality_gpu_seconds");
    switch (cause) {
    case HS_WAIT_CAPACITY:
        return hs_summary_get(s, "wait_capacity_gpu_seconds");
    case HS_WAIT_FRAGMENTATION:
        return shape - locality;
    case HS_WAIT_LOCALITY:
        return locality;
    case HS_WAIT_QUOTA:
        return hs_summary_get(s, "wait_quota_gpu_seconds");
    case HS_WAIT_ORDER:
        return hs_summary_get(s, "wait_order_gpu_seconds");
    case HS_WAIT_SHAPE:
    case HS_WAITS:
        break;
    }
    return isnan(locality) ? shape : (double)NAN;
}

static double total_wait(const struct hs_summary *s)
{
    double sum = 0;
    for (uint32_t k = 0; k < HS_WAITS; k++)
        sum += wait_of(s, (enum hs_wait)k) > 0 ? wait_of(s, (enum hs_wait)k) : 0;
    return sum;
}

static void put_waits(struct hs_page *page, const struct hs_chart *c, uint32_t group, double y)
{
    const struct hs_summary *s = page->groups[group].figures.summary;
    double from = 0;
    for (uint32_t k = 0; k < HS_WAITS; k++) {
        const struct hs_wait_cause *cause = &hs_wait_causes[k];
        const double seconds = wait_of(s, (enum hs_wait)k), hours = seconds / SECONDS_OF_HOUR;
        char title[HS_HTML_SAY_MAX], class[32];
        if (!(seconds > 0))
            continue;
        (void)snprintf(class, sizeof class, "layer %s", cause->colour);
        (void)snprintf(title, sizeof title, "%s: %.4g GPU-hours, %.1f %%: %s, %s",
                       page->groups[group].label, hours, 100 * seconds / total_wait(s), cause->key,
                       cause->meaning);
        hs_svg_rect(c->out, class, hs_scale_at(&c->x, from), y,
                    hs_scale_at(&c->x, from + hours) - hs_scale_at(&c->x, from), BAR_HEIGHT, title);
        from += hours;
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

static bool is_in_any(const struct hs_page *page, enum hs_wait cause)
{
    for (uint32_t g = 0; g < hs_page_drawn(page); g++)
        if (wait_of(page->groups[g].figures.summary, cause) > 0)
            return true;
    return false;
}

static void put_wait_legend(struct hs_page *page)
{
    hs_say(page->out, "<p class=\"legend\">");
    for (uint32_t k = 0; k < HS_WAITS; k++)
        if (is_in_any(page, (enum hs_wait)k))
            hs_say(page->out, "<span><i class=\"%s\"></i>%s: %s</span> ", hs_wait_causes[k].colour,
                   hs_wait_causes[k].key, hs_wait_causes[k].meaning);
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
