/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures for papers: one SVG with a legend above and plots in rows and columns. Colours are those
 * of the page (Okabe and Ito), written out: an SVG may not rely on variables of CSS, which
 * converters do not know. Widths of lines are ten times as large as they look: paths are in tenths.
 */
#include <stdio.h>
#include <string.h>

#include "report/html/html.h"
#include "report/html/page.h"

#define TITLE_HEIGHT 24.0
#define KEY_HEIGHT   18.0
#define KEY_GAP      16.0
#define KEY_MARK     22.0 /* width of a line or square, and the blank behind it */
#define LETTER       6.4  /* mean width of one at 12 pixels */
#define TITLE_BELOW  32.0 /* of the x axis */

static const struct kind {
    const char *name;
    enum hs_status (*draw)(struct hs_page *page);
    bool is_of_sweep, has_metrics, has_scale;
} kinds[HS_FIGURE_KINDS] = {
    {"cdf", hs_figure_cdf, false, true, true},
    {"classes", hs_figure_classes, false, true, true},
    {"gantt", hs_figure_gantt, false, false, false},
    {"heat", hs_figure_heat, false, false, false},
    {"sweep", hs_figure_sweep, true, true, true},
    {"time", hs_figure_time, false, false, false},
    {"waits", hs_figure_waits, false, false, false},
};

const char *hs_figure_kind(size_t index)
{
    return index < HS_FIGURE_KINDS ? kinds[index].name : NULL;
}

/* dash: of a line, tenths, so that curves differ in grey print, too. */
static const struct colour {
    const char *name, *value, *dash;
} colours[] = {{"k0", "#0072b2", "none"},  {"k1", "#d55e00", "70 25"},
               {"k2", "#009e73", "20 20"}, {"k3", "#b6568b", "100 25 20 25"},
               {"k4", "#c98500", "none"},  {"k5", "#56b4e9", "70 25"},
               {"k6", "#6b6f76", "20 20"}, {"k7", "#999933", "100 25 20 25"},
               {"w0", "#8796a8", "none"},  {"w1", "#e69f00", "none"},
               {"w2", "#f3cf7b", "none"},  {"w3", "#cc79a7", "none"},
               {"w4", "#d55e00", "none"}};

static void put_style(struct hs_output *out)
{
    hs_say(out, "<style>\n"
                "text{font:11px 'DejaVu Sans',Arial,Helvetica,sans-serif;fill:#222}\n"
                "text.name{font-size:12px}text.title{font-size:15px}text.job{font-size:9px}\n"
                ".grid{stroke:#e3e6ea;stroke-width:8;fill:none}\n"
                ".axis{stroke:#5c6670;stroke-width:8;fill:none}\n"
                ".stop{stroke:#1b1f24;stroke-width:12;fill:none}\n"
                ".lost{stroke:#b2182b;stroke-width:24;fill:none}\n"
                ".probe{fill:none}\n"
                ".line{fill:none;stroke-width:18;stroke-linejoin:round}\n"
                ".area{fill-opacity:.32}.interval{fill-opacity:.16}\n"
                ".bar{fill-opacity:.55;stroke:#fff;stroke-width:.5}\n"
                ".cell{fill:#1f83c4;shape-rendering:crispEdges}\n");
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        hs_say(out, ".%s{fill:%s}.line.%s{fill:none;stroke:%s;stroke-dasharray:%s}\n",
               colours[i].name, colours[i].value, colours[i].name, colours[i].value,
               colours[i].dash);
    hs_say(out, "</style>\n");
}

/* ---- the frame ---- */

static double key_width(const struct hs_figure_key *key)
{
    return KEY_MARK + LETTER * (double)strlen(key->label) + KEY_GAP;
}

/* Where a key stands: *x along its row, and the row, from 0. */
static uint32_t place_keys(const struct hs_page *page, const struct hs_figure_key *keys,
                           uint32_t count, double *x)
{
    uint32_t row = 0;
    *x = KEY_GAP;
    for (uint32_t i = 0; i < count; i++) {
        if (*x > KEY_GAP && *x + key_width(&keys[i]) > page->figure->width) {
            row++;
            *x = KEY_GAP;
        }
        *x += i + 1 < count ? key_width(&keys[i]) : 0;
    }
    return row;
}

static void put_keys(struct hs_page *page, const struct hs_figure_key *keys, uint32_t count,
                     double top)
{
    for (uint32_t i = 0; i < count; i++) {
        double x;
        const double y = top + KEY_HEIGHT * (place_keys(page, keys, i + 1, &x) + 0.5);
        if (strcmp(keys[i].class, "line") == 0 || keys[i].colour == NULL) {
            struct hs_path path;
            hs_path_begin(&path, page->out, keys[i].class, keys[i].colour);
            hs_path_to(&path, x, y);
            hs_path_to(&path, x + KEY_MARK - 5, y);
            hs_path_end(&path, NULL);
        } else {
            hs_svg_rect(page->out, keys[i].class, keys[i].colour, x + 5, y - 5, 10, 10, NULL);
        }
        hs_svg_text(page->out, x + KEY_MARK, y + 4, "start", "name", keys[i].label);
    }
}

void hs_figure_begin(struct hs_page *page, struct hs_frame *f, const struct hs_figure_key *keys,
                     uint32_t count)
{
    struct hs_output *out = page->out;
    const struct hs_figure_options *o = page->figure;
    double x;
    const double head = o->title != NULL ? TITLE_HEIGHT : 4;
    f->height = o->height > 0 ? o->height : f->height;
    f->top = head + (count > 0 ? KEY_HEIGHT * (place_keys(page, keys, count, &x) + 1) + 4 : 0);
    const double height = f->top + f->rows * (f->above + f->height + f->below) + f->last;
    hs_say(out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
           "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
           o->width, height, o->width, height);
    put_style(out);
    hs_say(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    if (o->title != NULL)
        hs_svg_text(out, o->width / 2, 17, "middle", "title", o->title);
    put_keys(page, keys, count, head);
}

void hs_figure_begin_groups(struct hs_page *page, struct hs_frame *frame, const char *class)
{
    struct hs_figure_key keys[HS_PAGE_DRAWN_MAX];
    const uint32_t count = page->group_count > 1 ? page->group_count : 0;
    for (uint32_t g = 0; g < count; g++)
        keys[g] = (struct hs_figure_key){class, hs_page_colour(g), page->groups[g].label};
    hs_figure_begin(page, frame, keys, count);
}

void hs_figure_panel(struct hs_page *page, const struct hs_frame *f, uint32_t row, uint32_t column,
                     struct hs_chart *c)
{
    const double width = (page->figure->width - f->first) / f->columns;
    c->left = f->first + width * column + f->left;
    c->right = f->first + width * (column + 1) - f->right;
    c->top = f->top + row * (f->above + f->height + f->below) + f->above;
    c->bottom = c->top + f->height;
    hs_chart_place(c, page->out);
}

/* A metric without a title of its own goes by its name, without underscores. */
static void put_title(struct hs_output *out, double x, double y, const char *title)
{
    char text[80];
    (void)snprintf(text, sizeof text, "%s", title);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '_' ? ' ' : *at;
    hs_svg_text(out, x, y, "middle", "name", text);
}

void hs_figure_axes(const struct hs_chart *c, const char *x_title, const char *y_title)
{
    struct hs_path path;
    hs_path_begin(&path, c->out, "axis", NULL);
    hs_path_to(&path, c->left, c->top);
    hs_path_to(&path, c->left, c->bottom);
    hs_path_to(&path, c->right, c->bottom);
    hs_path_end(&path, NULL);
    if (x_title != NULL)
        put_title(c->out, (c->left + c->right) / 2, c->bottom + TITLE_BELOW, x_title);
    if (y_title == NULL)
        return;
    hs_say(c->out, "<g transform=\"translate(");
    hs_svg_length(c->out, c->left - 49);
    hs_say(c->out, " ");
    hs_svg_length(c->out, (c->top + c->bottom) / 2);
    hs_say(c->out, ") rotate(-90)\">");
    put_title(c->out, 0, 0, y_title);
    hs_say(c->out, "</g>\n");
}

void hs_figure_end(struct hs_page *page)
{
    hs_say(page->out, "</svg>\n");
}

/* ---- what is drawn ---- */

enum hs_status hs_figure_need(struct hs_page *page, const char *name)
{
    for (uint32_t g = 0; g < page->group_count; g++) {
        const struct hs_page_group *group = &page->groups[g];
        if (hs_page_has(page, group, name))
            continue;
        const struct hs_place place = {.file = group->count > 0 ? page->runs[group->first].dir
                                                                : page->dir};
        return hs_fail(page->diag, HS_E_INPUT, &place, "repeat it with --outputs=all",
                       group->count > 0 ? "there is no %s: --outputs left it out"
                                        : "the comparison kept no runs, hence no %s",
                       name);
    }
    return HS_OK;
}

enum hs_status hs_figure_metrics(struct hs_page *page, const char *preset,
                                 const char *names[HS_FIGURE_METRICS_MAX + 1])
{
    const char *at = page->figure->metrics != NULL ? page->figure->metrics : preset;
    uint32_t count = 0;
    while (*at != '\0') {
        const size_t length = strcspn(at, ",");
        if (count == HS_FIGURE_METRICS_MAX)
            return hs_fail(page->diag, HS_E_USAGE, NULL, NULL, "--metric has at most %u names",
                           HS_FIGURE_METRICS_MAX);
        names[count++] = hs_present_name(hs_arena_text(&page->arena, at, length));
        at += length + (at[length] == ',');
    }
    names[count] = NULL;
    return count > 0 ? HS_OK
                     : hs_fail(page->diag, HS_E_USAGE, NULL, NULL, "--metric names no metric");
}

static enum hs_status check(struct hs_page *page, const struct kind *kind)
{
    const struct hs_figure_options *o = page->figure;
    const char *unused = o->metrics != NULL && !kind->has_metrics           ? "metric"
                         : o->by != NULL && kind->draw != hs_figure_classes ? "by"
                         : o->x != NULL && !kind->is_of_sweep               ? "x"
                         : o->scale != HS_FIGURE_AUTO && !kind->has_scale   ? "scale"
                                                                            : NULL;
    if (unused != NULL)
        return hs_fail(page->diag, HS_E_USAGE, NULL, "horus help plot tells what each kind takes",
                       "a figure of kind '%s' takes no --%s", kind->name, unused);
    if ((page->kind == HS_PAGE_SWEEP) != kind->is_of_sweep)
        return hs_fail(page->diag, HS_E_USAGE, NULL, NULL,
                       kind->is_of_sweep ? "a figure of kind '%s' needs the directory of a sweep"
                                         : "a figure of kind '%s' needs runs, or a comparison",
                       kind->name);
    if (!kind->is_of_sweep && page->group_count > HS_PAGE_DRAWN_MAX)
        return hs_fail(page->diag, HS_E_USAGE, NULL, "name those that matter",
                       "a figure has room for %u runs or policies, not for %u", HS_PAGE_DRAWN_MAX,
                       page->group_count);
    return HS_OK;
}

enum hs_status hs_figure_write(struct hs_page *page, uint32_t kind,
                               const struct hs_figure_options *options, struct hs_output *out)
{
    page->out = out;
    page->figure = options;
    HS_TRY(check(page, &kinds[kind]));
    return kinds[kind].draw(page);
}
