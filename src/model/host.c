/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/host.h"

#include <math.h>
#include <string.h>

#include "base/fixed.h"

#define AXIS_MAX  1e6 /* cores; MiB: 1024 times as many */
#define SPEED_MAX 1000.0

struct host_axis {
    uint32_t count;
    uint32_t at[HS_HOST_POINTS]; /* ascending */
};

/* speed_q32[m * cpus.count + c] */
struct host_grid {
    const char *model;
    struct host_axis cpus, mem; /* thousandths; MiB */
    uint64_t *speed_q32;
};

struct hs_host {
    struct hs_arena arena;
    struct host_grid *grids;
    const struct host_grid **of_profile; /* NULL: no grid */
    uint32_t count, profiles;
};

/* ---- reading ---- */

static bool read_axis(struct hs_jsoncheck *check, const struct hs_json *owner, const char *key,
                      double unit, struct host_axis *axis)
{
    const struct hs_json *at = hs_jsoncheck_first(check, owner, key, true);
    for (; at != NULL; at = hs_json_next(at)) {
        const double value = hs_json_number(at) * unit;
        const bool is_first = axis->count == 0;
        if (axis->count == HS_HOST_POINTS || !(value > 0) || value > AXIS_MAX * 1024 ||
            (!is_first && value <= axis->at[axis->count - 1])) {
            hs_jsoncheck_fault(check, at, NULL, "%s are at most %u numbers above 0, ascending", key,
                               HS_HOST_POINTS);
            return false;
        }
        axis->at[axis->count++] = (uint32_t)llrint(value);
    }
    return axis->count > 0;
}

/* Reads a row per amount of memory, with a number per count of CPUs. */
static void read_speeds(struct hs_jsoncheck *check, const struct hs_json *owner,
                        struct host_grid *grid)
{
    const struct hs_json *rows = hs_json_get(owner, "speed");
    uint64_t *to = grid->speed_q32;
    bool is_good = hs_json_kind(rows) == HS_JSON_ARRAY && hs_json_count(rows) == grid->mem.count;
    for (const struct hs_json *row = hs_json_first(rows); is_good && row != NULL;
         row = hs_json_next(row)) {
        is_good = hs_json_kind(row) == HS_JSON_ARRAY && hs_json_count(row) == grid->cpus.count;
        for (const struct hs_json *at = hs_json_first(row); is_good && at != NULL;
             at = hs_json_next(at)) {
            is_good = hs_json_number(at) > 0 && hs_json_number(at) <= SPEED_MAX;
            *to++ = is_good ? (uint64_t)llrint(hs_json_number(at) * 0x1p32) : 0;
        }
    }
    if (!is_good)
        hs_jsoncheck_fault(check, rows != NULL ? rows : owner, NULL,
                           "speed is a list of %u lists of %u numbers above 0 and at most %g",
                           grid->mem.count, grid->cpus.count, SPEED_MAX);
}

static void read_grids(struct hs_jsoncheck *check, struct hs_host *host)
{
    const struct hs_json *root = hs_json_root(check->doc);
    (void)hs_jsoncheck_object(check, root, "a model of hosts", "kind format notes grids");
    const struct hs_json *at = hs_jsoncheck_first(check, root, "grids", true);
    host->grids = hs_arena_alloc(&host->arena,
                                 hs_json_count(hs_json_get(root, "grids")) * sizeof *host->grids);
    for (; at != NULL; at = hs_json_next(at)) {
        struct host_grid *grid = &host->grids[host->count];
        if (!hs_jsoncheck_object(check, at, "a grid", "model cpus mem_mib speed"))
            continue;
        grid->model = hs_modelfile_name(check, &host->arena, at, "model");
        for (uint32_t i = 0; grid->model != NULL && i < host->count; i++)
            if (hs_model_same_name(host->grids[i].model, grid->model))
                hs_jsoncheck_fault(check, at, NULL, "model '%s' appears twice", grid->model);
        if (grid->model == NULL || !read_axis(check, at, "cpus", 1000, &grid->cpus) ||
            !read_axis(check, at, "mem_mib", 1, &grid->mem))
            continue;
        grid->speed_q32 = hs_arena_alloc(
            &host->arena, (uint64_t)grid->cpus.count * grid->mem.count * sizeof *grid->speed_q32);
        read_speeds(check, at, grid);
        host->count++;
    }
}

enum hs_status hs_host_load(struct hs_host **out, const char *path,
                            const struct hs_catalogue *catalogue, struct hs_diag *diag)
{
    struct hs_host *host = hs_alloc_zeroed(1, sizeof *host);
    *out = host;
    struct hs_jsoncheck check;
    if (hs_modelfile_open(&check, path, HS_MODEL_HOST, diag) == HS_OK)
        read_grids(&check, host);
    host->profiles = catalogue->count;
    host->of_profile =
        hs_arena_alloc(&host->arena, (uint64_t)catalogue->count * sizeof *host->of_profile + 1);
    for (uint32_t p = 0; p < catalogue->count; p++)
        for (uint32_t i = 0; i < host->count; i++)
            if (hs_model_same_name(host->grids[i].model, catalogue->profiles[p].model))
                host->of_profile[p] = &host->grids[i];
    return hs_jsoncheck_close(&check);
}

void hs_host_free(struct hs_host *host)
{
    if (host == NULL)
        return;
    hs_arena_free(&host->arena);
    hs_free(host);
}

/* ---- queries ---- */

static const struct host_grid *grid_of(const struct hs_host *host, uint32_t profile)
{
    return profile < host->profiles ? host->of_profile[profile] : NULL;
}

bool hs_host_axes_of(const struct hs_host *host, uint32_t profile, struct hs_host_axes *axes)
{
    const struct host_grid *grid = grid_of(host, profile);
    if (grid != NULL)
        *axes =
            (struct hs_host_axes){grid->cpus.count, grid->mem.count, grid->cpus.at, grid->mem.at};
    return grid != NULL;
}

/* Finds x between the points *low and *low + 1, at fraction *part / *whole. */
static void find(const struct host_axis *axis, uint32_t x, uint32_t *low, uint64_t *part,
                 uint64_t *whole)
{
    uint32_t i = 0;
    while (i + 1 < axis->count && x >= axis->at[i + 1])
        i++;
    const bool is_edge = i + 1 == axis->count || x <= axis->at[i];
    *low = i;
    *part = is_edge ? 0 : x - axis->at[i];
    *whole = is_edge ? 1 : axis->at[i + 1] - axis->at[i];
}

static uint64_t between(uint64_t low, uint64_t high, uint64_t part, uint64_t whole)
{
    return (uint64_t)(((hs_u128)low * (whole - part) + (hs_u128)high * part) / whole);
}

uint64_t hs_host_speed_q32(const struct hs_host *host, uint32_t profile, uint32_t cpus_milli,
                           uint32_t mem_mib)
{
    const struct host_grid *grid = grid_of(host, profile);
    if (grid == NULL || (cpus_milli | mem_mib) == 0)
        return HS_Q32_ONE;
    uint32_t c, m;
    uint64_t part, whole, of_mem[2];
    find(&grid->cpus, cpus_milli, &c, &part, &whole);
    const uint32_t next = part > 0; /* if 0, there may be no other point */
    find(&grid->mem, mem_mib, &m, &of_mem[0], &of_mem[1]);
    const uint64_t *row = &grid->speed_q32[m * grid->cpus.count + c];
    const uint64_t low = between(row[0], row[next], part, whole);
    if (of_mem[0] == 0)
        return low;
    row += grid->cpus.count;
    return between(low, between(row[0], row[next], part, whole), of_mem[0], of_mem[1]);
}
