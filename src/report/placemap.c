/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See placemap.h.
 */
#include "report/placemap.h"

#include <stdlib.h>
#include <string.h>

#include "base/timeparse.h"

#define GPUS_MAX (1u << 24)

struct reading {
    struct hs_placemap *map;
    double start_s, end_s;
};

/* ---- sets of GPUs ---- */

static bool read_id(const char **text, uint32_t *id)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    unsigned long value = strtoul(*text, &end, 10);
    if (value >= GPUS_MAX)
        return false;
    *id = (uint32_t)value;
    *text = end;
    return true;
}

bool hs_gpuset_next(const char **text, uint32_t *first, uint32_t *last)
{
    const char *at = *text;
    while (*at == ' ')
        at++;
    *text = at;
    if (*at == '\0')
        return false;
    bool is_set = read_id(&at, first);
    *last = *first;
    if (is_set && *at == '-') {
        at++;
        is_set = read_id(&at, last) && *last >= *first;
    }
    is_set = is_set && (*at == ' ' || *at == '\0');
    *text = is_set ? at : NULL;
    return is_set;
}

/* ---- nodes.csv ---- */

enum { NAME, TYPE, GPUS, PLACEMENTS, ALLOCATION };
static const char *const node_columns[] = {"name",       "gpu_type",   "gpus",
                                           "placements", "allocation", NULL};

static double number_of(const struct hs_rowfile *f, uint32_t column)
{
    const char *text = hs_rowfile_text(f, column);
    double value;
    return hs_parse_double(text, strlen(text), &value) ? value : 0;
}

static const char *keep_text(struct hs_placemap *map, const char *text)
{
    return hs_arena_text(&map->arena, text, strlen(text));
}

static enum hs_status read_node(void *ctx, const struct hs_rowfile *f)
{
    struct hs_placemap *map = ((struct reading *)ctx)->map;
    uint64_t gpus, placements;
    HS_TRY(hs_rowfile_count(f, GPUS, &gpus));
    HS_TRY(hs_rowfile_count(f, PLACEMENTS, &placements));
    if (gpus > GPUS_MAX - map->gpu_count)
        return hs_rowfile_bad(f, GPUS, "a number of GPUs of a node");
    HS_TRY(hs_grow((void **)&map->nodes, &map->node_cap, (uint64_t)map->node_count + 1,
                   sizeof *map->nodes, GPUS_MAX));
    struct hs_placemap_node *node = &map->nodes[map->node_count++];
    *node = (struct hs_placemap_node){.name = keep_text(map, hs_rowfile_text(f, NAME)),
                                      .gpu_type = keep_text(map, hs_rowfile_text(f, TYPE)),
                                      .gpus = (uint32_t)gpus,
                                      .placements = placements,
                                      .allocation = number_of(f, ALLOCATION)};
    map->gpu_count += (uint32_t)gpus;
    return node->name != NULL && node->gpu_type != NULL ? HS_OK : HS_E_MEMORY;
}

/* Rows of as many nodes as it takes, then columns for the cells that are left. */
static enum hs_status shape(struct hs_placemap *map, const struct hs_placemap_size *size)
{
    map->nodes_a_row = (map->node_count + size->rows_max - 1) / size->rows_max;
    map->nodes_a_row = map->nodes_a_row > 0 ? map->nodes_a_row : 1;
    map->rows = (map->node_count + map->nodes_a_row - 1) / map->nodes_a_row;
    map->columns = size->cells / (map->rows > 0 ? map->rows : 1);
    if (map->columns > size->columns_max)
        map->columns = size->columns_max;
    if (map->columns < size->columns_min)
        map->columns = size->columns_min;
    map->span_s = size->span_s;
    map->jobs_per_gpu =
        hs_alloc_zeroed((uint64_t)map->rows * map->columns + 1, sizeof *map->jobs_per_gpu);
    HS_TRY(hs_grow((void **)&map->row_of_gpu, &map->gpu_cap, (uint64_t)map->gpu_count + 1,
                   sizeof *map->row_of_gpu, GPUS_MAX + 1));
    uint32_t gpu = 0;
    for (uint32_t n = 0; n < map->node_count; n++)
        for (uint32_t i = 0; i < map->nodes[n].gpus; i++)
            map->row_of_gpu[gpu++] = n / map->nodes_a_row;
    return map->jobs_per_gpu != NULL ? HS_OK : HS_E_MEMORY;
}

/* ---- segments.csv ---- */

enum { JOB, START, END, SET, ENDED_BY };
static const char *const segment_columns[] = {"job_id",   "start", "end", "allocated_resources",
                                              "ended_by", NULL};

/* So many GPUs of a row, each with one job more. */
static void add_held(struct hs_placemap *map, const struct reading *r, uint32_t row, uint32_t gpus)
{
    const double width = map->span_s / map->columns;
    uint32_t first = (uint32_t)(r->start_s / width), last = (uint32_t)(r->end_s / width);
    last = last < map->columns ? last : map->columns - 1;
    for (uint32_t c = first; c <= last; c++) {
        const double from = r->start_s > c * width ? r->start_s : c * width,
                     to = r->end_s < (c + 1) * width ? r->end_s : (c + 1) * width;
        if (to > from)
            map->jobs_per_gpu[(size_t)row * map->columns + c] += gpus * (to - from);
    }
}

static enum hs_status add_set(struct hs_placemap *map, const struct reading *r,
                              const struct hs_rowfile *f)
{
    const char *set = hs_rowfile_text(f, SET);
    uint32_t first, last;
    while (hs_gpuset_next(&set, &first, &last)) {
        if (last >= map->gpu_count)
            return hs_rowfile_bad(f, SET, "a set of GPUs of this cluster");
        while (first <= last) { /* a row at a time */
            const uint32_t row = map->row_of_gpu[first];
            uint32_t end = first;
            while (end <= last && map->row_of_gpu[end] == row)
                end++;
            add_held(map, r, row, end - first);
            first = end;
        }
    }
    return set != NULL ? HS_OK : hs_rowfile_bad(f, SET, "a set of GPUs such as '0-3 6'");
}

static enum hs_status read_segment(void *ctx, const struct hs_rowfile *f)
{
    struct reading *r = ctx;
    struct hs_placemap *map = r->map;
    r->start_s = number_of(f, START);
    r->end_s = number_of(f, END);
    if (r->start_s < 0 || r->end_s < r->start_s)
        return hs_rowfile_bad(f, END, "a time at or after the start");
    if (map->segments < HS_PLACEMENTS_MAX) {
        struct hs_placement *p = &map->placements[map->segments];
        *p = (struct hs_placement){.job = keep_text(map, hs_rowfile_text(f, JOB)),
                                   .gpus = keep_text(map, hs_rowfile_text(f, SET)),
                                   .ended_by = keep_text(map, hs_rowfile_text(f, ENDED_BY)),
                                   .start_s = r->start_s,
                                   .end_s = r->end_s};
        if (p->job == NULL || p->gpus == NULL || p->ended_by == NULL)
            return HS_E_MEMORY;
    }
    map->segments++;
    r->end_s = r->end_s < map->span_s ? r->end_s : map->span_s;
    return r->start_s < map->span_s ? add_set(map, r, f) : HS_OK;
}

/* GPU-seconds to jobs per GPU. */
static void divide(struct hs_placemap *map)
{
    const double width = map->span_s / map->columns;
    for (uint32_t row = 0; row < map->rows; row++) {
        uint32_t gpus = 0;
        for (uint32_t n = row * map->nodes_a_row;
             n < (row + 1) * map->nodes_a_row && n < map->node_count; n++)
            gpus += map->nodes[n].gpus;
        for (uint32_t c = 0; c < map->columns && gpus > 0; c++) {
            double *cell = &map->jobs_per_gpu[(size_t)row * map->columns + c];
            *cell /= gpus * width;
            map->most = *cell > map->most ? *cell : map->most;
        }
    }
}

enum hs_status hs_placemap_read(struct hs_placemap *map, struct hs_page *page,
                                const struct hs_page_group *group,
                                const struct hs_placemap_size *size)
{
    struct reading reading = {.map = map};
    const struct hs_page_run *run = &page->runs[group->first];
    *map = (struct hs_placemap){0};
    HS_TRY(hs_page_read(page, run, "nodes.csv", node_columns, read_node, &reading));
    if (shape(map, size) != HS_OK)
        return hs_fail(page->diag, HS_E_MEMORY, NULL, NULL, "no memory for a map of the nodes");
    HS_TRY(hs_page_read(page, run, "segments.csv", segment_columns, read_segment, &reading));
    divide(map);
    return HS_OK;
}

void hs_placemap_free(struct hs_placemap *map)
{
    hs_arena_free(&map->arena);
    hs_free(map->nodes);
    hs_free(map->row_of_gpu);
    hs_free(map->jobs_per_gpu);
}
