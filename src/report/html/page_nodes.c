/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where jobs ran: a Gantt chart of the GPUs if there are few placements, else a heat map of node x
 * time.
 */
#include <inttypes.h>
#include <math.h>

#include "base/fixed.h"
#include "report/html/page.h"

#define CELLS_MAX   48000u /* in all maps of the page */
#define COLUMNS_MIN 96u
#define COLUMNS_MAX 480u
#define ROWS_ALONE  160u
#define ROWS_MANY   64u
#define LEVELS      32u
#define ROW_HEIGHT  15.0 /* of a node or GPU if there are few */
#define HEIGHT_MAX  320.0
#define GANTT_MAX   480.0
#define NAMES_MAX   24u  /* beside a map */
#define ROUNDING    1e-6 /* tolerance of sums of times */

static const struct hs_colour full = {0x1f, 0x83, 0xc4, 255};

/* ---- jobs per GPU by node and time interval, in a table of limited size, and, if there are few,
 * the placements ---- */

#define GPUS_MAX       (1u << 24)
#define PLACEMENTS_MAX 500u

struct map_node {
    const char *name, *gpu_type;
    uint64_t gpus, placements;
    double allocation; /* 0 to 1 */
};
struct placement {
    const char *job, *gpus, *ended_by; /* gpus: as in the file, "0-3 6" */
    int64_t start_us, end_us;
    double start_s, end_s;
};

struct occupancy_map {
    struct hs_arena *arena; /* of the page */
    struct map_node *nodes;
    uint32_t *row_of_gpu; /* row of the table */
    uint32_t node_count, node_cap, gpu_count;
    uint32_t rows, columns, nodes_a_row; /* nodes_a_row: the last row may have fewer */
    double *jobs_per_gpu;                /* rows x columns, means over the interval */
    double span_s, most;                 /* most: maximum of jobs_per_gpu */
    struct placement placements[PLACEMENTS_MAX];
    uint64_t segments; /* of the run; only the first PLACEMENTS_MAX are stored */
};

struct nodes_section {
    struct hs_page *page;
    struct occupancy_map *maps, *map; /* maps: of the drawn groups; map: the current one */
    uint32_t group;
    double most; /* top of the colour scale: jobs per GPU */
};

static const struct hs_rowcell node_cells[] = {
    {"name", HS_ROWCELL_TEXT, offsetof(struct map_node, name)},
    {"gpu_type", HS_ROWCELL_TEXT, offsetof(struct map_node, gpu_type)},
    {"gpus", HS_ROWCELL_COUNT, offsetof(struct map_node, gpus)},
    {"placements", HS_ROWCELL_COUNT, offsetof(struct map_node, placements)},
    {"allocation", HS_ROWCELL_DOUBLE, offsetof(struct map_node, allocation)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static const struct hs_rowcell segment_cells[] = {
    {"job_id", HS_ROWCELL_TEXT, offsetof(struct placement, job)},
    {"start", HS_ROWCELL_TIME, offsetof(struct placement, start_us)},
    {"end", HS_ROWCELL_TIME, offsetof(struct placement, end_us)},
    {"allocated_resources", HS_ROWCELL_TEXT, offsetof(struct placement, gpus)},
    {"ended_by", HS_ROWCELL_TEXT, offsetof(struct placement, ended_by)},
    {NULL, HS_ROWCELL_TEXT, 0},
};

static void keep_text(struct occupancy_map *map, const char **text)
{
    *text = hs_arena_text(map->arena, *text, strlen(*text));
}

static enum hs_status read_node(void *ctx, const struct hs_rowfile *f)
{
    struct occupancy_map *map = ctx;
    hs_grow(map->nodes, map->node_cap, (uint64_t)map->node_count + 1, GPUS_MAX);
    struct map_node *node = &map->nodes[map->node_count];
    HS_TRY(hs_rowfile_read(f, node));
    if (node->gpus > GPUS_MAX - map->gpu_count)
        return hs_rowfile_bad(f, "gpus", "a number of GPUs of a node");
    keep_text(map, &node->name);
    keep_text(map, &node->gpu_type);
    map->gpu_count += (uint32_t)node->gpus;
    map->node_count++;
    return HS_OK;
}

/* Chooses as many nodes per row as needed, then columns for the remaining cells. */
static void shape(const struct nodes_section *s, struct occupancy_map *map)
{
    const uint32_t rows_max = s->page->drawn > 1 ? ROWS_MANY : ROWS_ALONE,
                   columns_max = s->page->figure != NULL ? COLUMNS_MAX / 2 : COLUMNS_MAX;
    map->nodes_a_row = (map->node_count + rows_max - 1) / rows_max;
    map->nodes_a_row = map->nodes_a_row > 0 ? map->nodes_a_row : 1;
    map->rows = (map->node_count + map->nodes_a_row - 1) / map->nodes_a_row;
    map->columns = CELLS_MAX / s->page->drawn / (map->rows > 0 ? map->rows : 1);
    map->columns = map->columns < columns_max ? map->columns : columns_max;
    map->columns = map->columns > COLUMNS_MIN ? map->columns : COLUMNS_MIN;
    map->span_s = s->page->span_s;
    map->jobs_per_gpu = hs_arena_alloc(map->arena, ((uint64_t)map->rows * map->columns + 1) *
                                                       sizeof *map->jobs_per_gpu);
    map->row_of_gpu =
        hs_arena_alloc(map->arena, ((uint64_t)map->gpu_count + 1) * sizeof *map->row_of_gpu);
    uint32_t gpu = 0;
    for (uint32_t n = 0; n < map->node_count; n++)
        for (uint32_t i = 0; i < map->nodes[n].gpus; i++)
            map->row_of_gpu[gpu++] = n / map->nodes_a_row;
}

/* Adds one job on `gpus` GPUs of a row. */
static void add_held(struct occupancy_map *map, const struct placement *p, uint32_t row,
                     uint32_t gpus)
{
    const double width = map->span_s / map->columns;
    uint32_t first = (uint32_t)(p->start_s / width), last = (uint32_t)(p->end_s / width);
    last = last < map->columns ? last : map->columns - 1;
    for (uint32_t c = first; c <= last; c++) {
        const double from = p->start_s > c * width ? p->start_s : c * width,
                     to = p->end_s < (c + 1) * width ? p->end_s : (c + 1) * width;
        if (to > from)
            map->jobs_per_gpu[(size_t)row * map->columns + c] += gpus * (to - from);
    }
}

static enum hs_status read_segment(void *ctx, const struct hs_rowfile *f)
{
    struct occupancy_map *map = ctx;
    struct placement p;
    uint32_t first, last;
    HS_TRY(hs_rowfile_read(f, &p));
    if (p.end_us < p.start_us)
        return hs_rowfile_bad(f, "end", "a time at or after the start");
    const char *set = p.gpus;
    p.start_s = (double)p.start_us / HS_US_PER_S;
    p.end_s = (double)p.end_us / HS_US_PER_S;
    if (map->segments < PLACEMENTS_MAX) {
        keep_text(map, &p.job);
        keep_text(map, &p.gpus);
        keep_text(map, &p.ended_by);
        map->placements[map->segments] = p;
    }
    map->segments++;
    p.end_s = p.end_s < map->span_s ? p.end_s : map->span_s;
    while (*set != '\0' && p.start_s < map->span_s) {
        if (!hs_rowfile_range(&set, &first, &last))
            return hs_rowfile_bad(f, "allocated_resources", "a set of GPUs such as '0-3 6'");
        if (last >= map->gpu_count)
            return hs_rowfile_bad(f, "allocated_resources", "a set of GPUs of this cluster");
        for (uint32_t end; first <= last; first = end) { /* one map row after another */
            const uint32_t row = map->row_of_gpu[first];
            for (end = first; end <= last && map->row_of_gpu[end] == row;)
                end++;
            add_held(map, &p, row, end - first);
        }
    }
    return HS_OK;
}

/* Reads nodes.csv and segments.csv of the first run of each group. O(segments + cells). */
static enum hs_status read_maps(struct nodes_section *s)
{
    for (uint32_t g = 0; g < s->page->drawn; g++) {
        struct occupancy_map *map = &s->maps[g];
        map->arena = &s->page->arena;
        if (!hs_page_has(s->page, g, "segments.csv") || !hs_page_has(s->page, g, "nodes.csv"))
            continue;
        struct hs_runmanifest *run = &s->page->runs[s->page->groups[g].first].manifest;
        HS_TRY(hs_rowfile_each(run, "nodes.csv", node_cells, read_node, map));
        shape(s, map);
        HS_TRY(hs_rowfile_each(run, "segments.csv", segment_cells, read_segment, map));
        const double width = map->span_s / map->columns;
        uint32_t *gpus = hs_arena_alloc(map->arena, ((uint64_t)map->rows + 1) * sizeof *gpus);
        for (uint32_t gpu = 0; gpu < map->gpu_count; gpu++)
            gpus[map->row_of_gpu[gpu]]++;
        for (size_t i = 0; i < (size_t)map->rows * map->columns; i++) { /* contains GPU-seconds */
            double *cell = &map->jobs_per_gpu[i];
            if (gpus[i / map->columns] > 0)
                *cell /= gpus[i / map->columns] * width;
            map->most = *cell > map->most ? *cell : map->most;
        }
        if (map->most > s->most + ROUNDING) /* the dark end of the colour scale */
            s->most = ceil(map->most - ROUNDING);
    }
    return HS_OK;
}

static enum hs_status with_maps(struct hs_page *page,
                                enum hs_status (*put)(struct nodes_section *s))
{
    struct nodes_section s = {.page = page,
                              .most = 1,
                              .maps = hs_arena_alloc(&page->arena, page->drawn * sizeof *s.maps)};
    enum hs_status status = read_maps(&s);
    if (status == HS_OK)
        status = put(&s);
    for (uint32_t g = 0; g < s.page->drawn; g++)
        hs_free(s.maps[g].nodes);
    return status;
}

/* ---- heat map ---- */

static uint8_t level_of(const struct nodes_section *s, double jobs_per_gpu)
{
    const double level = fmin(jobs_per_gpu / s->most, 1) * (LEVELS - 1);
    return (uint8_t)(level > 0 && level < 1 ? 1 : lround(level));
}

/* Draws a PNG: one colour with varying opacity suits light and dark pages. */
static void put_picture(const struct nodes_section *s, const struct hs_chart *c)
{
    const struct occupancy_map *map = s->map;
    const size_t count = (size_t)map->rows * map->columns;
    struct hs_colour palette[LEVELS];
    uint8_t *pixels = hs_alloc_zeroed(count, 1);
    unsigned char *png;
    size_t len;
    for (uint32_t i = 0; i < LEVELS; i++) {
        palette[i] = full;
        palette[i].alpha = (uint8_t)(255 * i / (LEVELS - 1));
    }
    for (size_t i = 0; i < count; i++)
        pixels[i] = level_of(s, map->jobs_per_gpu[i]);
    if (hs_png_encode(&(struct hs_picture){.width = map->columns,
                                           .height = map->rows,
                                           .pixels = pixels,
                                           .palette = palette,
                                           .colours = LEVELS},
                      &png, &len) == HS_OK) {
        hs_svg_image(c->out, c->left, c->top, c->right - c->left, c->bottom - c->top, png, len);
        hs_free(png);
    }
    hs_free(pixels);
}

/* Draws names of rows, and tooltips: "n0 (V100): GPU allocation 56.3 %, 424 placements". */
static void put_rows(const struct nodes_section *s, const struct hs_chart *c)
{
    const struct occupancy_map *map = s->map;
    const double height = (c->bottom - c->top) / map->rows;
    const uint32_t every = (map->rows + NAMES_MAX - 1) / NAMES_MAX;
    for (uint32_t row = 0; row < map->rows; row++) {
        const struct map_node *first = &map->nodes[row * map->nodes_a_row], *n = first;
        const double y = c->top + row * height;
        double held = 0, gpus = 0;
        uint64_t placements = 0;
        for (; n < first + map->nodes_a_row && n < map->nodes + map->node_count; n++) {
            held += isnan(n->allocation) ? 0 : n->allocation * (double)n->gpus;
            gpus += (double)n->gpus;
            placements += n->placements;
        }
        const bool is_one = n == first + 1;
        hs_svg_rect(c->out, "probe", NULL, c->left, y, c->right - c->left, height,
                    HS_TEXT("%s%s%s (%s): GPU allocation %.1f %%, %" PRIu64 " placements",
                            first->name, is_one ? "" : " to ", is_one ? "" : n[-1].name,
                            first->gpu_type, gpus > 0 ? 100 * held / gpus : 0, placements));
        if (row % every == 0)
            hs_svg_text(c->out, c->left - 7, c->top + (row + 0.5) * height + 4, "end", "tick",
                        first->name);
    }
}

static void put_ramp(const struct nodes_section *s, const struct hs_chart *c)
{
    const double x = c->right + 10, height = c->bottom - c->top;
    if (s->group == 0)
        hs_say(c->out,
               "<linearGradient id=\"ramp\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"><stop "
               "stop-color=\"#fff\"/><stop offset=\"1\" stop-color=\"#%02x%02x%02x\"/>"
               "</linearGradient>\n",
               full.red, full.green, full.blue);
    hs_say(c->out,
           "<rect x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"%.1f\" fill=\"url(#ramp)\" "
           "stroke=\"#5c6670\" stroke-width=\".5\"/>\n",
           x, c->top, height);
    for (uint32_t i = 0; i <= 2; i++)
        hs_svg_text(c->out, x + 14, c->bottom - height * i / 2 + 4, "start", "tick",
                    HS_SHORT_NUMBER(s->most * i / 2));
}

/* Draws one path per colour level, because converters blur an enlarged picture. */
static void put_cells(const struct nodes_section *s, const struct hs_chart *c)
{
    const struct occupancy_map *map = s->map;
    const double width = (c->right - c->left) / map->columns,
                 height = (c->bottom - c->top) / map->rows;
    for (uint32_t level = 1; level < LEVELS; level++) {
        struct hs_path path;
        hs_say(c->out, "<g class=\"cells\" fill-opacity=\"%.3f\">", level / (LEVELS - 1.0));
        hs_path_begin(&path, c->out, "cell", NULL);
        for (uint32_t row = 0; row < map->rows; row++)
            for (uint32_t i = 0, end; i < map->columns; i = end) {
                const double *cells = &map->jobs_per_gpu[(size_t)row * map->columns];
                for (end = i + 1;
                     end < map->columns && level_of(s, cells[end]) == level_of(s, cells[i]); end++)
                    ;
                if (level_of(s, cells[i]) != level)
                    continue;
                hs_path_move(&path, c->left + i * width, c->top + row * height);
                hs_path_to(&path, c->left + end * width, c->top + row * height);
                hs_path_to(&path, c->left + end * width, c->top + (row + 1) * height);
                hs_path_to(&path, c->left + i * width, c->top + (row + 1) * height);
                hs_path_close(&path);
            }
        hs_path_end(&path, NULL);
        hs_say(c->out, "</g>\n");
    }
    const size_t cells = s->page->points != NULL ? (size_t)map->rows * map->columns : 0;
    for (size_t i = 0; i < cells; i++) {
        const double column = (double)(i % map->columns);
        hs_csvw_row(s->page->points, HS_POINT_CELLS, s->page->rows[s->group].label,
                    map->nodes[i / map->columns * map->nodes_a_row].name, "time_s",
                    map->span_s * column / map->columns, map->span_s * (column + 1) / map->columns,
                    "jobs_per_gpu", hs_fmt_round6(map->jobs_per_gpu[i]), (double)NAN, (double)NAN);
    }
}

/* ---- Gantt chart ---- */

/* Ends of a placement; after one not listed the job continues elsewhere or later. */
static const struct ending {
    const char *name, *colour;
    bool is_lost;
} endings[] = {{"finish", "k0", false},  {"oom", "k1", true},  {"failure", "k1", true},
               {"fault", "k1", true},    {"kill", "k1", true}, {"profile", "k1", true},
               {"horizon", "w0", false}, {NULL, "k4", false}};

static const struct ending *ending_of(const struct placement *p)
{
    const struct ending *e = endings;
    while (e->name != NULL && strcmp(e->name, p->ended_by) != 0)
        e++;
    return e;
}

static void put_placement(const struct hs_chart *c, const struct placement *p, double gpu_height)
{
    const double x = hs_scale_at(&c->x, p->start_s), end = hs_scale_at(&c->x, p->end_s);
    const char *set = p->gpus;
    const char *title = HS_TEXT("%s: GPUs %s from %s, for %s, until %s", p->job, p->gpus,
                                HS_TIME(p->start_s), HS_TIME(p->end_s - p->start_s), p->ended_by);
    uint32_t first, last;
    while (*set != '\0' && hs_rowfile_range(&set, &first, &last))
        hs_svg_rect(c->out, "bar", ending_of(p)->colour, x, c->top + first * gpu_height,
                    end - x < 0.4 ? 0.4 : end - x, (last - first + 1) * gpu_height, title);
}

static void put_nodes(const struct occupancy_map *map, const struct hs_chart *c, double gpu_height)
{
    const uint32_t every = (map->node_count + NAMES_MAX - 1) / NAMES_MAX;
    uint32_t gpu = 0;
    for (uint32_t n = 0; n < map->node_count; gpu += (uint32_t)map->nodes[n++].gpus) {
        const double y = c->top + gpu * gpu_height;
        hs_svg_line(c->out, "axis", NULL, c->left, y, c->right, y);
        if (n % every == 0)
            hs_svg_text(c->out, c->left - 7,
                        c->top + (gpu + (double)map->nodes[n].gpus / 2) * gpu_height + 4, "end",
                        "tick", map->nodes[n].name);
    }
}

/* ---- a Gantt chart for a paper: a colour a job, shared GPUs divided ---- */

struct lanes {
    const struct nodes_section *s;
    struct hs_chart c;
    double gpu_height;
    uint32_t by_start[PLACEMENTS_MAX];                    /* placements */
    uint32_t slot[PLACEMENTS_MAX], slots[PLACEMENTS_MAX]; /* on this GPU; slots 0 = not */
    uint32_t first[PLACEMENTS_MAX]; /* first GPU of a box not drawn yet; or NONE */
    bool is_named[PLACEMENTS_MAX];
};
#define NONE UINT32_MAX

/* Draws the box of a placement on the GPUs [first, end), which it uses exclusively, or on one
 * shared GPU. */
static void put_box(struct lanes *l, uint32_t i, uint32_t first, uint32_t end)
{
    const struct placement *p = &l->s->map->placements[i];
    const struct ending *ending = ending_of(p);
    const double share = 1.0 / (l->slots[i] > 0 ? l->slots[i] : 1),
                 x = hs_scale_at(&l->c.x, p->start_s), right = hs_scale_at(&l->c.x, p->end_s),
                 y = l->c.top + (first + (share < 1 ? l->slot[i] * share : 0)) * l->gpu_height,
                 height = (end - first) * share * l->gpu_height;
    uint32_t sum = 0; /* a colour that is equal for all segments of a job, in all runs */
    for (const char *c = p->job; *c != '\0'; c++)
        sum = 31 * sum + (unsigned char)*c;
    hs_svg_rect(l->c.out, "bar", hs_page_colour(sum % HS_PAGE_DRAWN_MAX), x, y, right - x, height,
                p->job);
    if (l->s->page->points != NULL) {
        const double lower = first + (share < 1 ? l->slot[i] * share : 0),
                     upper = lower + (end - first) * share;
        hs_csvw_row(l->s->page->points, HS_POINT_CELLS, l->s->page->rows[l->s->group].label, p->job,
                    "time_s", p->start_s, p->end_s, "gpu", (lower + upper) / 2, lower, upper);
    }
    if (ending->is_lost || ending->name == NULL)
        hs_svg_line(l->c.out, ending->is_lost ? "lost" : "stop", NULL, right, y, right, y + height);
    if (!l->is_named[i] && height >= 10 && right - x > 6 + 5.6 * (double)strlen(p->job)) {
        hs_svg_text(l->c.out, (x + right) / 2, y + height / 2 + 3, "middle", "job", p->job);
        l->is_named[i] = true;
    }
}

static bool has_gpu(const struct placement *p, uint32_t gpu)
{
    const char *set = p->gpus;
    uint32_t first, last;
    while (*set != '\0' && hs_rowfile_range(&set, &first, &last))
        if (gpu >= first && gpu <= last)
            return true;
    return false;
}

/* Assigns slots to the placements on a GPU: the lowest free one at each start. A GPU is divided by
 * the number of slots of each group of placements that overlap directly or through others. */
static void divide_gpu(struct lanes *l, uint32_t gpu)
{
    const struct occupancy_map *map = l->s->map;
    double until[PLACEMENTS_MAX], latest = 0;
    uint32_t members[PLACEMENTS_MAX], count = 0, used = 0;
    for (uint32_t k = 0; k <= map->segments; k++) {
        const uint32_t i = k < map->segments ? l->by_start[k] : NONE;
        const struct placement *p = i != NONE ? &map->placements[i] : NULL;
        if (p != NULL && (!has_gpu(p, gpu) || !(p->end_s > p->start_s))) {
            l->slots[i] = 0;
            continue;
        }
        if (p == NULL || p->start_s >= latest) { /* no overlap with a later one */
            for (uint32_t m = 0; m < count; m++)
                l->slots[members[m]] = used;
            count = used = 0;
        }
        if (p == NULL)
            return;
        uint32_t slot = 0;
        while (slot < used && until[slot] > p->start_s)
            slot++;
        used += slot == used;
        until[slot] = p->end_s;
        l->slot[i] = slot;
        members[count++] = i;
        latest = p->end_s > latest ? p->end_s : latest;
    }
}

static void put_lanes(struct lanes *l)
{
    const struct occupancy_map *map = l->s->map;
    for (uint32_t i = 0; i < map->segments; i++) { /* insertion sort by start */
        uint32_t k = i;
        for (; k > 0 && map->placements[l->by_start[k - 1]].start_s > map->placements[i].start_s;
             k--)
            l->by_start[k] = l->by_start[k - 1];
        l->by_start[k] = i;
        l->first[i] = NONE;
    }
    for (uint32_t gpu = 0; gpu <= map->gpu_count; gpu++) {
        if (gpu < map->gpu_count)
            divide_gpu(l, gpu);
        for (uint32_t i = 0; i < map->segments; i++) {
            const uint32_t slots = gpu < map->gpu_count ? l->slots[i] : 0;
            if (slots == 1 && l->first[i] == NONE)
                l->first[i] = gpu;
            if (slots != 1 && l->first[i] != NONE) {
                l->slots[i] = 1;
                put_box(l, i, l->first[i], gpu);
                l->slots[i] = slots;
                l->first[i] = NONE;
            }
            if (slots > 1)
                put_box(l, i, gpu, gpu + 1);
        }
    }
}

/* ---- the section, and the figures ---- */

static void put_plot(struct nodes_section *s, const struct hs_frame *frame, bool is_heat,
                     bool has_axis)
{
    const struct occupancy_map *map = s->map = &s->maps[s->group];
    const bool is_page = s->page->figure == NULL, is_last = s->group + 1 == s->page->drawn;
    const double gpu_height = frame->height / map->gpu_count;
    struct hs_chart c = {.x = {.from = 0, .to = s->page->span_s}, .y = {.from = 0, .to = 1}};
    hs_plot_begin(s->page, frame, s->group, 0, &c,
                  is_heat ? "Jobs per GPU by node and time"
                          : "Placements of jobs on GPUs over time");
    if (has_axis || !is_page)
        hs_page_time_axis(s->page, &c, has_axis);
    hs_plot_name(s->page, &c, s->group);
    if (is_heat) {
        (is_page ? put_picture : put_cells)(s, &c);
        put_rows(s, &c);
    } else if (is_page) {
        put_nodes(map, &c, gpu_height);
        for (uint64_t i = 0; i < map->segments; i++)
            put_placement(&c, &map->placements[i], gpu_height);
    } else {
        put_lanes(&(struct lanes){.s = s, .c = c, .gpu_height = gpu_height});
        put_nodes(map, &c, gpu_height);
    }
    if (is_heat && !is_page)
        put_ramp(s, &c);
    hs_plot_end(s->page, &c, is_last ? "Time since the first submission" : NULL,
                is_heat ? "Node" : "GPUs by node");
    if (is_heat && !is_page && s->group == 0)
        hs_svg_text(c.out, c.right + 50, c.top - 7, "end", "tick", "Jobs per GPU");
}

static enum hs_status put_groups(struct nodes_section *s)
{
    struct hs_output *out = s->page->out;
    bool has_maps = false;
    uint32_t last = s->page->drawn;
    for (uint32_t g = 0; g < s->page->drawn; g++)
        has_maps |= s->maps[g].segments > PLACEMENTS_MAX;
    while (last > 0 && s->maps[last - 1].segments == 0)
        last--;
    hs_say(out, "<figure class=\"stack\"><figcaption>%s</figcaption>\n",
           has_maps ? "Jobs per GPU, by node and time" : "Placements, by GPU and time");
    if (has_maps)
        hs_say(out,
               "<p class=\"legend\"><span>jobs per GPU: 0 <b class=\"ramp\"></b> %.3g</span></p>\n",
               s->most);
    for (s->group = 0; s->group < last; s->group++) {
        const struct occupancy_map *map = &s->maps[s->group];
        const bool has_axis = !has_maps || s->group + 1 == last, is_one = s->page->group_count == 1;
        const struct hs_frame frame = {
            .width = HS_PAGE_WIDTH,
            .height = has_maps ? fmin(ROW_HEIGHT * map->rows, is_one ? HEIGHT_MAX : HEIGHT_MAX / 2)
                               : fmin(ROW_HEIGHT * map->gpu_count, GANTT_MAX),
            .margin = {62, 14, is_one ? 6 : 18, has_axis ? 24 : 6}};
        if (map->segments > 0)
            put_plot(s, &frame, has_maps, has_axis);
    }
    if (!has_maps)
        HS_PAGE_NOTE(s->page, "A bar is a placement of a job. Blue: the job finished; yellow: it "
                              "was preempted, suspended or moved; orange: it or one of its nodes "
                              "failed, it ran out of memory or was killed.");
    else if (s->maps[0].nodes_a_row > 1)
        HS_PAGE_NOTE(s->page, "Each row is %" PRIu32 " nodes.", s->maps[0].nodes_a_row);
    hs_say(out, "</figure>\n");
    return HS_OK;
}

enum hs_status hs_put_nodes(struct hs_page *page)
{
    return with_maps(page, put_groups);
}

static void put_figure(struct nodes_section *s, bool is_heat, double height,
                       const struct hs_figure_key *keys, uint32_t count)
{
    struct hs_frame frame = {
        .rows = s->page->drawn,
        .columns = 1,
        .height = height,
        .margin = {66, is_heat ? 62 : 16, is_heat || s->page->drawn > 1 ? 20 : 8, 6},
        .last = 34};
    hs_figure_begin(s->page, &frame, keys, count);
    for (s->group = 0; s->group < s->page->drawn; s->group++)
        put_plot(s, &frame, is_heat, s->group + 1 == s->page->drawn);
}

static enum hs_status put_heat(struct nodes_section *s)
{
    put_figure(s, true, s->page->drawn > 1 ? 140 : 260, NULL, 0);
    return HS_OK;
}

enum hs_status hs_draw_heat(struct hs_page *page)
{
    return with_maps(page, put_heat);
}

static enum hs_status put_gantts(struct nodes_section *s)
{
    static const struct hs_figure_key keys[] = {{"stop", NULL, "taken off its GPUs"},
                                                {"lost", NULL, "failed or killed"}};
    struct hs_figure_key shown[2];
    bool has[2] = {false, false};
    uint32_t count = 0, most = 1;
    for (uint32_t g = 0; g < s->page->drawn; g++) {
        const struct occupancy_map *map = &s->maps[g];
        if (map->segments > PLACEMENTS_MAX)
            return hs_fail(s->page->diag, HS_E_INPUT, HS_AT({.file = s->page->rows[g].label}),
                           "draw it as 'heat', or a shorter run",
                           "%" PRIu64 " placements; a Gantt chart has at most %u", map->segments,
                           PLACEMENTS_MAX);
        most = map->gpu_count > most ? map->gpu_count : most;
        for (uint64_t i = 0; i < map->segments; i++) {
            const struct ending *e = ending_of(&map->placements[i]);
            has[0] = has[0] || e->name == NULL;
            has[1] = has[1] || e->is_lost;
        }
    }
    for (uint32_t k = 0; k < 2; k++)
        if (has[k])
            shown[count++] = keys[k];
    put_figure(s, false, fmin(ROW_HEIGHT * most, GANTT_MAX), shown, count);
    return HS_OK;
}

enum hs_status hs_draw_gantt(struct hs_page *page)
{
    return with_maps(page, put_gantts);
}
