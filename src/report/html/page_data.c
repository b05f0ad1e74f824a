/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See page_data.h.
 */
#include "report/html/page_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "base/timeparse.h"

/* ---- step functions ---- */

void hs_buckets_open(struct hs_buckets *b, struct hs_arena *arena, uint32_t count, double span_s)
{
    *b = (struct hs_buckets){.count = count, .span_s = span_s};
    b->of = hs_arena_alloc(arena, count * sizeof *b->of);
}

static void add(struct hs_bucket *bucket, double length_s, double value)
{
    if (bucket->known_s == 0 || value < bucket->min)
        bucket->min = value;
    if (bucket->known_s == 0 || value > bucket->max)
        bucket->max = value;
    bucket->mean += length_s * value; /* a sum until hs_buckets_finish */
    bucket->known_s += length_s;
}

/* The value that was put last, from its time to until_s. */
static void spread(struct hs_buckets *b, double until_s)
{
    const double width = b->span_s / b->count;
    double from = b->time_s;
    if (until_s > b->span_s)
        until_s = b->span_s;
    while (from < until_s) {
        uint32_t i = (uint32_t)(from / width);
        i += (i + 1) * width <= from; /* rounding put it before the border */
        i = i < b->count ? i : b->count - 1;
        double end = i + 1 < b->count ? (i + 1) * width : b->span_s;
        end = end < until_s ? end : until_s;
        add(&b->of[i], end - from, b->value);
        from = end;
    }
}

void hs_buckets_put(struct hs_buckets *b, double time_s, double value)
{
    if (b->has_value)
        spread(b, time_s);
    b->time_s = time_s;
    b->value = value;
    b->has_value = true;
}

void hs_buckets_finish(struct hs_buckets *b)
{
    if (b->has_value)
        spread(b, b->span_s);
    for (uint32_t i = 0; i < b->count; i++) {
        struct hs_bucket *bucket = &b->of[i];
        if (bucket->known_s > 0)
            bucket->mean /= bucket->known_s;
        else
            bucket->mean = bucket->min = bucket->max = (double)NAN;
    }
}

/* ---- jobs.csv ---- */

#define JOBS_MAX (UINT32_MAX / 2)

enum { SUBMIT, SUCCESS, FIRST_VALUE };
static const char *const value_columns[HS_JOBVALUES] = {
    "turnaround_time", "waiting_time", "slowdown", "queueing_delay", "run_slowdown"};

/* A job that is done; -1 = it has no such value. */
struct row {
    int64_t submit_us, value[HS_JOBVALUES];
};

struct job_reading {
    struct row *rows;
    uint32_t count, cap, wanted;
    int64_t last_submit_us; /* of any job */
};

static enum hs_status read_job(void *ctx, const struct hs_rowfile *f)
{
    struct job_reading *r = ctx;
    struct row row;
    HS_TRY(hs_rowfile_decimal(f, SUBMIT, HS_US_PER_S, "a time in seconds", &row.submit_us));
    r->last_submit_us = row.submit_us > r->last_submit_us ? row.submit_us : r->last_submit_us;
    if (strcmp(hs_rowfile_text(f, SUCCESS), "1") != 0)
        return HS_OK;
    for (uint32_t v = 0, column = FIRST_VALUE; v < HS_JOBVALUES; v++) {
        row.value[v] = -1;
        if (r->wanted >> v & 1)
            HS_TRY(hs_rowfile_decimal(f, column++, HS_US_PER_S, "a number", &row.value[v]));
    }
    hs_grow((void **)&r->rows, &r->cap, (uint64_t)r->count + 1, sizeof *r->rows, JOBS_MAX);
    r->rows[r->count++] = row;
    return HS_OK;
}

static int compare_values(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

enum hs_status hs_jobvalues_read(struct hs_jobvalues *values, struct hs_page *page,
                                 const struct hs_page_group *group, uint32_t wanted)
{
    const char *columns[FIRST_VALUE + HS_JOBVALUES + 1] = {"submission_time", "success"};
    enum hs_status s = HS_OK;
    for (uint32_t v = 0, column = FIRST_VALUE; v < HS_JOBVALUES; v++)
        if (wanted >> v & 1)
            columns[column++] = value_columns[v];
    for (uint32_t k = 0; k < group->count && s == HS_OK; k++) {
        const struct hs_page_run *run = &page->runs[group->first + k];
        struct job_reading r = {.wanted = wanted};
        s = hs_page_read(page, run, "jobs.csv", columns, read_job, &r);
        const int64_t from_us = hs_runmanifest_duration_us(&run->manifest, "warmup"),
                      to_us =
                          r.last_submit_us - hs_runmanifest_duration_us(&run->manifest, "cooldown");
        for (uint32_t v = 0; v < HS_JOBVALUES; v++) {
            hs_grow((void **)&values->of[v], &values->cap[v], (uint64_t)values->count[v] + r.count,
                    sizeof *values->of[v], JOBS_MAX);
            for (uint32_t i = 0; i < r.count; i++)
                if (r.rows[i].value[v] >= 0 && r.rows[i].submit_us >= from_us &&
                    r.rows[i].submit_us <= to_us)
                    values->of[v][values->count[v]++] = r.rows[i].value[v];
        }
        hs_free(r.rows);
    }
    for (uint32_t v = 0; v < HS_JOBVALUES; v++)
        if (values->count[v] > 0)
            qsort(values->of[v], values->count[v], sizeof *values->of[v], compare_values);
    return s;
}

void hs_jobvalues_free(struct hs_jobvalues *values)
{
    for (int v = 0; v < HS_JOBVALUES; v++)
        hs_free(values->of[v]);
}

uint32_t hs_rank(const int64_t *values, uint32_t count, int64_t limit)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (values[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t hs_nearest_rank(const int64_t *values, uint32_t count, uint32_t permille)
{
    const uint64_t rank = ((uint64_t)count * permille + 999) / 1000;
    return values[rank > 0 ? rank - 1 : 0];
}

/* ---- where jobs ran ---- */

#define GPUS_MAX (1u << 24)

struct map_reading {
    struct hs_occupancy_map *map;
    double start_s, end_s;
};

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

static const char *keep_text(struct hs_occupancy_map *map, const char *text)
{
    return hs_arena_text(&map->arena, text, strlen(text));
}

static enum hs_status read_node(void *ctx, const struct hs_rowfile *f)
{
    struct hs_occupancy_map *map = ((struct map_reading *)ctx)->map;
    uint64_t gpus, placements;
    HS_TRY(hs_rowfile_count(f, GPUS, &gpus));
    HS_TRY(hs_rowfile_count(f, PLACEMENTS, &placements));
    if (gpus > GPUS_MAX - map->gpu_count)
        return hs_rowfile_bad(f, GPUS, "a number of GPUs of a node");
    hs_grow((void **)&map->nodes, &map->node_cap, (uint64_t)map->node_count + 1, sizeof *map->nodes,
            GPUS_MAX);
    struct hs_occupancy_map_node *node = &map->nodes[map->node_count++];
    *node = (struct hs_occupancy_map_node){.name = keep_text(map, hs_rowfile_text(f, NAME)),
                                           .gpu_type = keep_text(map, hs_rowfile_text(f, TYPE)),
                                           .gpus = (uint32_t)gpus,
                                           .placements = placements,
                                           .allocation = number_of(f, ALLOCATION)};
    map->gpu_count += (uint32_t)gpus;
    return HS_OK;
}

/* Rows of as many nodes as it takes, then columns for the cells that are left. */
static void shape(struct hs_occupancy_map *map, const struct hs_occupancy_map_size *size)
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
    hs_grow((void **)&map->row_of_gpu, &map->gpu_cap, (uint64_t)map->gpu_count + 1,
            sizeof *map->row_of_gpu, GPUS_MAX + 1);
    uint32_t gpu = 0;
    for (uint32_t n = 0; n < map->node_count; n++)
        for (uint32_t i = 0; i < map->nodes[n].gpus; i++)
            map->row_of_gpu[gpu++] = n / map->nodes_a_row;
}

/* ---- segments.csv ---- */

enum { JOB, START, END, SET, ENDED_BY };
static const char *const segment_columns[] = {"job_id",   "start", "end", "allocated_resources",
                                              "ended_by", NULL};

/* So many GPUs of a row, each with one job more. */
static void add_held(struct hs_occupancy_map *map, const struct map_reading *r, uint32_t row,
                     uint32_t gpus)
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

static enum hs_status add_set(struct hs_occupancy_map *map, const struct map_reading *r,
                              const struct hs_rowfile *f)
{
    const char *set = hs_rowfile_text(f, SET);
    uint32_t first, last;
    while (*set != '\0') {
        if (!hs_rowfile_range(&set, &first, &last))
            return hs_rowfile_bad(f, SET, "a set of GPUs such as '0-3 6'");
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
    return HS_OK;
}

static enum hs_status read_segment(void *ctx, const struct hs_rowfile *f)
{
    struct map_reading *r = ctx;
    struct hs_occupancy_map *map = r->map;
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
    }
    map->segments++;
    r->end_s = r->end_s < map->span_s ? r->end_s : map->span_s;
    return r->start_s < map->span_s ? add_set(map, r, f) : HS_OK;
}

/* GPU-seconds to jobs per GPU. */
static void divide(struct hs_occupancy_map *map)
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

enum hs_status hs_occupancy_map_read(struct hs_occupancy_map *map, struct hs_page *page,
                                     const struct hs_page_group *group,
                                     const struct hs_occupancy_map_size *size)
{
    struct map_reading reading = {.map = map};
    const struct hs_page_run *run = &page->runs[group->first];
    *map = (struct hs_occupancy_map){0};
    HS_TRY(hs_page_read(page, run, "nodes.csv", node_columns, read_node, &reading));
    shape(map, size);
    HS_TRY(hs_page_read(page, run, "segments.csv", segment_columns, read_segment, &reading));
    divide(map);
    return HS_OK;
}

void hs_occupancy_map_free(struct hs_occupancy_map *map)
{
    hs_arena_free(&map->arena);
    hs_free(map->nodes);
    hs_free(map->row_of_gpu);
    hs_free(map->jobs_per_gpu);
}
