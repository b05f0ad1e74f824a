/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mechanism=opt: what each job of a round wants, by an integer program.
 *
 *     x[j][c] in {0, 1}: job j has cell c, a point of its measurement no slower than its fair part
 *     most      sum of speed[j][c] x[j][c]
 *     so that   each job has one cell, and all have at most the CPUs and memory of all nodes
 *
 * Nodes do not matter to it: what does not fit on one is placed as under tune. Where the solver
 * comes to its limit jobs want what they do under tune.
 */
#include "policies/synergy/synergy.h"

#include <math.h>

/* ours: with many like jobs the proof of an optimum takes half a minute, this milliseconds */
#define GAP         1e-3
#define SUBPROBLEMS 10000
#define CELLS_MAX   (HS_HOST_POINTS * HS_HOST_POINTS + 1)

struct host_cells {
    struct hs_synergy_share at[CELLS_MAX];
    uint64_t speed_q32[CELLS_MAX];
    uint32_t count;
};

static uint64_t speed_of(const struct hs_view *v, hs_job_id job, struct hs_synergy_share share)
{
    return hs_view_host_q32(v, job, (uint32_t)share.cpus_milli, (uint32_t)share.mem_mib);
}

/* Unless a cell of no more is as fast. */
static void add_cell(struct host_cells *cells, struct hs_synergy_share share, uint64_t speed_q32)
{
    for (uint32_t i = 0; i < cells->count; i++)
        if (cells->speed_q32[i] >= speed_q32 &&
            hs_synergy_is_same(hs_synergy_at_most(cells->at[i], share), cells->at[i]))
            return;
    cells->at[cells->count] = share;
    cells->speed_q32[cells->count++] = speed_q32;
}

static void find_cells(const struct hs_synergy *s, const struct hs_view *v, hs_job_id job,
                       struct host_cells *cells)
{
    const uint32_t gang = hs_view_gpus(v, job);
    const struct hs_synergy_share most = {s->server.cpus_milli / gang, s->server.mem_mib / gang};
    const uint64_t fair_q32 = speed_of(v, job, s->fair);
    struct hs_host_axes axes = {.cpu_count = 0};
    cells->count = 0;
    if (gang <= v->max_node_gpus)
        (void)hs_view_host_axes(v, job, &axes);
    for (uint32_t m = 0; m < axes.mem_count; m++)
        for (uint32_t c = 0; c < axes.cpu_count; c++) {
            const struct hs_synergy_share share = {axes.cpus_milli[c], axes.mem_mib[m]};
            const uint64_t q32 = speed_of(v, job, share);
            if (q32 >= fair_q32 && hs_synergy_is_same(hs_synergy_at_most(share, most), share))
                add_cell(cells, share, q32);
        }
    add_cell(cells, s->fair, fair_q32);
}

/* One row a job, and its columns; the rows 0 and 1 are those of CPUs and memory. */
static void add_job(const struct hs_view *v, hs_job_id job, const struct host_cells *cells)
{
    const double gang = hs_view_gpus(v, job);
    const uint32_t row = hs_lp_row(v->lp, 1, 1);
    for (uint32_t i = 0; i < cells->count; i++) {
        const uint32_t column = hs_lp_column(v->lp, (double)cells->speed_q32[i] / 0x1p32);
        hs_lp_binary(v->lp, column);
        hs_lp_set(v->lp, row, column, 1);
        hs_lp_set(v->lp, 0, column, gang * (double)cells->at[i].cpus_milli / 1e3);
        hs_lp_set(v->lp, 1, column, gang * (double)cells->at[i].mem_mib / 1e3);
    }
}

void hs_synergy_optimise(struct hs_synergy *s, const struct hs_view *v, uint32_t count)
{
    struct host_cells cells;
    double cpus = 0, mem = 0;
    uint32_t column = 0;
    for (uint32_t i = 0; i < v->nodes; i++) {
        cpus += (double)s->nodes[i].left.cpus_milli / 1e3;
        mem += (double)s->nodes[i].left.mem_mib / 1e3;
    }
    hs_lp_begin(v->lp, true);
    hs_lp_gap(v->lp, GAP);
    (void)hs_lp_row(v->lp, -INFINITY, cpus);
    (void)hs_lp_row(v->lp, -INFINITY, mem);
    for (uint32_t i = 0; i < count; i++) {
        find_cells(s, v, s->kept[i].job, &cells);
        add_job(v, s->kept[i].job, &cells);
    }
    const bool is_solved = hs_lp_solve(v->lp, SUBPROBLEMS) == HS_LP_OPTIMAL;
    if (!is_solved)
        hs_view_warn(v, "a program of CPUs and host memory is not solved: its jobs, and those of "
                        "others that are not, get what serves each best");
    for (uint32_t i = 0; i < count; i++) {
        struct hs_synergy_scratch *j = hs_synergy_of(v, s->kept[i].job);
        j->wants = j->best;
        find_cells(s, v, s->kept[i].job, &cells);
        for (uint32_t c = 0; is_solved && c < cells.count; c++, column++)
            if (hs_lp_value(v->lp, column) > .5)
                j->wants = cells.at[c];
    }
}
