/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where jobs ran: a Gantt chart of the GPUs for few placements, else a heat map of node x time as
 * a picture.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/png.h"
#include "report/html.h"
#include "report/page.h"
#include "report/placemap.h"
#include "report/svg.h"

#define CELLS_MAX   48000u /* of all maps of the page */
#define COLUMNS_MIN 96u
#define COLUMNS_MAX 480u
#define ROWS_ALONE  160u
#define ROWS_MANY   64u
#define LEVELS      32u
#define ROW_HEIGHT  15.0 /* of a node, or GPU, where there are few */
#define HEIGHT_MAX  320.0
#define GANTT_MAX   480.0
#define NAMES_MAX   24u /* beside a map */
#define LEFT        62.0
#define ROUNDING    1e-6 /* of sums of times */

static const struct hs_colour full = {0x1f, 0x83, 0xc4, 255};

struct section {
    struct hs_page *page;
    struct hs_placemap *map;
    uint32_t group;
    double span_s, most; /* of the colours: jobs per GPU */
    bool is_last;
};

/* ---- heat map ---- */

static double limit(double value, double most)
{
    return value < most ? value : most;
}

/* The same colour, more of it: stands on a light page as on a dark one. */
static enum hs_status encode(const struct section *s, unsigned char **png, size_t *len)
{
    const struct hs_placemap *map = s->map;
    const size_t count = (size_t)map->rows * map->columns;
    struct hs_colour palette[LEVELS];
    uint8_t *pixels = hs_alloc_zeroed(count, 1);
    if (pixels == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < LEVELS; i++) {
        palette[i] = full;
        palette[i].alpha = (uint8_t)(255 * i / (LEVELS - 1));
    }
    for (size_t i = 0; i < count; i++) {
        const double level = limit(map->jobs_per_gpu[i] / s->most, 1) * (LEVELS - 1);
        pixels[i] = (uint8_t)(level > 0 && level < 1 ? 1 : lround(level));
    }
    const struct hs_picture picture = {.width = map->columns,
                                       .height = map->rows,
                                       .pixels = pixels,
                                       .palette = palette,
                                       .colours = LEVELS};
    enum hs_status status = hs_png_encode(&picture, png, len);
    hs_free(pixels);
    return status;
}

static enum hs_status put_picture(const struct section *s, const struct hs_chart *c)
{
    unsigned char *png;
    size_t len;
    if (encode(s, &png, &len) != HS_OK)
        return hs_fail(s->page->diag, HS_E_MEMORY, NULL, NULL, "no memory for a picture");
    hs_say(c->out, "<image preserveAspectRatio=\"none\" x=\"");
    hs_svg_length(c->out, c->left);
    hs_say(c->out, "\" y=\"");
    hs_svg_length(c->out, c->top);
    hs_say(c->out, "\" width=\"");
    hs_svg_length(c->out, c->right - c->left);
    hs_say(c->out, "\" height=\"");
    hs_svg_length(c->out, c->bottom - c->top);
    hs_say(c->out, "\" href=\"");
    hs_html_data_uri(c->out, "image/png", png, len);
    hs_say(c->out, "\"/>\n");
    hs_free(png);
    return HS_OK;
}

/* Of its nodes: "n0 (V100): held 56.3 %, 424 placements". */
static void row_text(const struct hs_placemap *map, uint32_t row, char text[HS_HTML_SAY_MAX])
{
    const uint32_t first = row * map->nodes_a_row;
    double held = 0, gpus = 0;
    uint64_t placements = 0;
    uint32_t n = first;
    for (; n < first + map->nodes_a_row && n < map->node_count; n++) {
        held += map->nodes[n].allocation * map->nodes[n].gpus;
        gpus += map->nodes[n].gpus;
        placements += map->nodes[n].placements;
    }
    (void)snprintf(text, HS_HTML_SAY_MAX, "%s%s%s (%s): GPUs held %.1f %%, %" PRIu64 " placements",
                   map->nodes[first].name, n > first + 1 ? " to " : "",
                   n > first + 1 ? map->nodes[n - 1].name : "", map->nodes[first].gpu_type,
                   gpus > 0 ? 100 * held / gpus : 0, placements);
}

static void put_rows(const struct section *s, const struct hs_chart *c)
{
    const struct hs_placemap *map = s->map;
    const double height = (c->bottom - c->top) / map->rows;
    const uint32_t every = (map->rows + NAMES_MAX - 1) / NAMES_MAX;
    for (uint32_t row = 0; row < map->rows; row++) {
        char text[HS_HTML_SAY_MAX];
        row_text(map, row, text);
        hs_svg_rect(c->out, "probe", c->left, c->top + row * height, c->right - c->left, height,
                    text);
        if (row % every == 0)
            hs_svg_text(c->out, c->left - 7, c->top + (row + 0.5) * height + 4, "end", "tick",
                        map->nodes[row * map->nodes_a_row].name);
    }
}

static enum hs_status put_map(const struct section *s)
{
    const double many = s->page->group_count > 1 ? 0.5 : 1,
                 head = s->page->group_count > 1 ? 18 : 6,
                 height = limit(ROW_HEIGHT * s->map->rows, HEIGHT_MAX * many);
    struct hs_chart c = {.width = HS_PAGE_WIDTH,
                         .height = head + height + (s->is_last ? 24 : 6),
                         .left = LEFT,
                         .right = HS_PAGE_WIDTH - 14,
                         .top = head,
                         .bottom = head + height,
                         .x = {.from = 0, .to = s->span_s},
                         .y = {.from = 0, .to = 1}};
    hs_chart_begin(&c, s->page->out, "Jobs per GPU by node and time");
    if (s->is_last)
        hs_chart_x_axis(&c, HS_AXIS_TIME, 10);
    if (s->page->group_count > 1)
        hs_svg_text(c.out, c.left, 11, "start", "name", s->page->groups[s->group].label);
    enum hs_status status = put_picture(s, &c);
    put_rows(s, &c);
    hs_chart_end(&c);
    return status;
}

/* ---- Gantt chart ---- */

static const char *ending_class(const char *ended_by)
{
    return strcmp(ended_by, "finish") == 0 ? "bar k0"
           : strcmp(ended_by, "oom") == 0 || strcmp(ended_by, "failure") == 0 ||
                   strcmp(ended_by, "kill") == 0
               ? "bar k1"
           : strcmp(ended_by, "horizon") == 0 ? "bar w0"
                                              : "bar k4";
}

static void put_placement(const struct hs_chart *c, const struct hs_placement *p, double gpu_height)
{
    const double x = hs_scale_at(&c->x, p->start_s), end = hs_scale_at(&c->x, p->end_s);
    const char *set = p->gpus;
    char title[HS_HTML_SAY_MAX], start[HS_TABLE_TIME_SIZE], length[HS_TABLE_TIME_SIZE];
    uint32_t first, last;
    hs_table_time(start, p->start_s);
    hs_table_time(length, p->end_s - p->start_s);
    (void)snprintf(title, sizeof title, "%s: GPUs %s from %s, for %s, until %s", p->job, p->gpus,
                   start, length, p->ended_by);
    while (hs_gpuset_next(&set, &first, &last))
        hs_svg_rect(c->out, ending_class(p->ended_by), x, c->top + first * gpu_height,
                    end - x < 0.4 ? 0.4 : end - x, (last - first + 1) * gpu_height, title);
}

static void put_gantt(const struct section *s)
{
    const struct hs_placemap *map = s->map;
    const double head = s->page->group_count > 1 ? 18 : 6,
                 height = limit(ROW_HEIGHT * map->gpu_count, GANTT_MAX);
    struct hs_chart c = {.width = HS_PAGE_WIDTH,
                         .height = head + height + 24,
                         .left = LEFT,
                         .right = HS_PAGE_WIDTH - 14,
                         .top = head,
                         .bottom = head + height,
                         .x = {.from = 0, .to = s->span_s},
                         .y = {.from = 0, .to = 1}};
    const double gpu_height = height / map->gpu_count;
    const uint32_t every = (map->node_count + NAMES_MAX - 1) / NAMES_MAX;
    uint32_t gpu = 0;
    hs_chart_begin(&c, s->page->out, "Placements of jobs on GPUs over time");
    hs_chart_x_axis(&c, HS_AXIS_TIME, 10);
    if (s->page->group_count > 1)
        hs_svg_text(c.out, c.left, 11, "start", "name", s->page->groups[s->group].label);
    for (uint32_t n = 0; n < map->node_count; gpu += map->nodes[n++].gpus) {
        struct hs_path path;
        hs_path_begin(&path, c.out, "axis");
        hs_path_to(&path, c.left, c.top + gpu * gpu_height);
        hs_path_to(&path, c.right, c.top + gpu * gpu_height);
        hs_path_end(&path, NULL);
        if (n % every == 0)
            hs_svg_text(c.out, c.left - 7,
                        c.top + (gpu + map->nodes[n].gpus / 2.0) * gpu_height + 4, "end", "tick",
                        map->nodes[n].name);
    }
    for (uint64_t i = 0; i < map->segments; i++)
        put_placement(&c, &map->placements[i], gpu_height);
    hs_chart_end(&c);
}

/* ---- the section ---- */

static void put_scale(const struct section *s)
{
    hs_say(s->page->out, "<p class=\"legend\"><span>jobs per GPU: 0 <b class=\"ramp\"></b> ");
    hs_html_say(s->page->out, "%.3g", s->most);
    hs_say(s->page->out, "</span></p>\n");
}

static void put_note(const struct section *s, const struct hs_placemap *maps, bool has_maps)
{
    if (has_maps && maps[0].nodes_a_row > 1)
        hs_page_note(s->page, "A row is %" PRIu32 " nodes.", maps[0].nodes_a_row);
    if (!has_maps)
        hs_page_note(s->page, "A bar is a placement of a job: blue until it finished, orange until "
                              "it was preempted, suspended or moved, red until it failed, ran out "
                              "of memory or was killed.");
}

static enum hs_status put_groups(struct section *s, struct hs_placemap *maps, uint32_t drawn)
{
    bool has_maps = false;
    uint32_t last = drawn;
    enum hs_status status = HS_OK;
    s->most = 1;
    for (uint32_t g = 0; g < drawn; g++) {
        has_maps = has_maps || maps[g].segments > HS_PLACEMENTS_MAX;
        s->most = maps[g].most > s->most + ROUNDING ? ceil(maps[g].most - ROUNDING) : s->most;
    }
    while (last > 0 && maps[last - 1].segments == 0)
        last--;
    hs_say(s->page->out, "<figure class=\"stack\"><figcaption>%s</figcaption>\n",
           has_maps ? "Jobs per GPU, by node and time" : "Placements, by GPU and time");
    if (has_maps)
        put_scale(s);
    for (s->group = 0; s->group < last && status == HS_OK; s->group++) {
        s->map = &maps[s->group];
        s->is_last = s->group + 1 == last;
        if (s->map->segments == 0)
            continue;
        if (has_maps)
            status = put_map(s);
        else
            put_gantt(s);
    }
    put_note(s, maps, has_maps);
    hs_say(s->page->out, "</figure>\n");
    return status;
}

static enum hs_status read_groups(struct section *s, struct hs_placemap *maps, uint32_t drawn)
{
    const struct hs_placemap_size size = {.rows_max = drawn > 1 ? ROWS_MANY : ROWS_ALONE,
                                          .columns_min = COLUMNS_MIN,
                                          .columns_max = COLUMNS_MAX,
                                          .cells = CELLS_MAX / drawn,
                                          .span_s = s->span_s};
    for (uint32_t g = 0; g < drawn; g++)
        if (hs_page_has(s->page, &s->page->groups[g], "segments.csv") &&
            hs_page_has(s->page, &s->page->groups[g], "nodes.csv"))
            HS_TRY(hs_placemap_read(&maps[g], s->page, &s->page->groups[g], &size));
    return HS_OK;
}

static enum hs_status put_section(struct section *s)
{
    const uint32_t drawn = hs_page_drawn(s->page);
    struct hs_placemap *maps = hs_alloc_zeroed(drawn, sizeof *maps);
    if (maps == NULL)
        return hs_fail(s->page->diag, HS_E_MEMORY, NULL, NULL, "no memory for maps of the nodes");
    enum hs_status status = read_groups(s, maps, drawn);
    if (status == HS_OK)
        status = put_groups(s, maps, drawn);
    for (uint32_t g = 0; g < drawn; g++)
        hs_placemap_free(&maps[g]);
    hs_free(maps);
    return status;
}

enum hs_status hs_page_nodes(struct hs_page *page)
{
    struct section s = {.page = page, .span_s = hs_page_span(page)};
    enum hs_status status = HS_OK;
    hs_page_begin_section(page, "nodes", "Where");
    if (hs_page_can_draw(page, "segments.csv") && hs_page_can_draw(page, "nodes.csv")) {
        if (s.span_s > 0)
            status = put_section(&s);
        else
            hs_page_note(page, "Left out: no time passed in the simulation.");
    }
    hs_page_end_section(page);
    return status;
}
