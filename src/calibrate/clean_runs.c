/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cleaning rules about runs: did both jobs run at a time, do repeated runs agree, and did a model
 * meet another at all. O(rows log rows) at most.
 */
#include <math.h>
#include <stdio.h>

#include "calibrate/clean_rules.h"

/* Two runs of one pair differ by sqrt 2 x 0.047 (standard deviation, calibration.md 2, trap 4);
 * three times that is no noise. */
#define CONTRADICTION 0.2

/* Trap 2. A comparison with a NaN is false: what was not measured is not judged. */
enum hs_status hs_clean_overlap(struct hs_measurements *m, double tolerance)
{
    for (uint32_t i = 0; i < m->pair_count; i++) {
        struct hs_pair *row = &m->pairs[i];
        double busier = fmax(m->solos[row->own].util, m->solos[row->other].util);
        if (hs_clean_is_measured(row) && row->joint_util < busier - tolerance)
            row->dropped |= HS_DROPPED(NO_OVERLAP);
    }
    return HS_OK;
}

static int by_pair(const void *a, const void *b)
{
    const struct hs_clean_ranked *x = a, *y = b;
    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    if (x->other != y->other)
        return x->other < y->other ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The end of the rows of one direction of one pair of jobs, and how far its runs are apart. The two
 * rows of a job beside itself are one run: their mean. */
static uint32_t runs_spread(const struct hs_measurements *m, const struct hs_clean_ranked *ranked,
                            uint32_t begin, uint32_t count, double *spread)
{
    double low = INFINITY, high = 0;
    uint32_t end = begin;
    while (end < count && ranked[end].own == ranked[begin].own &&
           ranked[end].other == ranked[begin].other) {
        uint32_t pair = m->pairs[ranked[end].row].pair, rows = 0;
        double sum = 0;
        for (; end < count && m->pairs[ranked[end].row].pair == pair &&
               ranked[end].own == ranked[begin].own;
             end++, rows++)
            sum += ranked[end].speed;
        low = fmin(low, sum / rows);
        high = fmax(high, sum / rows);
    }
    *spread = high - low;
    return end;
}

/* Nothing tells which of the runs is right: all of them. */
enum hs_status hs_clean_contradicted(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    uint32_t count;
    struct hs_clean_ranked *ranked = hs_clean_rank(m, &count, by_pair);
    if (ranked == NULL)
        return HS_E_MEMORY;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        double spread;
        end = runs_spread(m, ranked, begin, count, &spread);
        for (uint32_t i = begin; i < end && spread > CONTRADICTION; i++)
            m->pairs[ranked[i].row].dropped |= HS_DROPPED(CONTRADICTED);
    }
    hs_free(ranked);
    return HS_OK;
}

/* ---- models that met nobody ---- */

struct meeting {
    struct hs_intern names; /* of a model on a GPU type */
    uint32_t *of_solo;
    bool *met; /* by name: another model */
    bool is_mixed[sizeof((struct hs_measurements *)0)->gpus / sizeof(const char *)]; /* GPU type */
};

static enum hs_status name_models(struct meeting *w, const struct hs_measurements *m)
{
    char name[512];
    w->of_solo = hs_alloc_zeroed((uint64_t)m->solo_count + 1, sizeof *w->of_solo);
    w->met = hs_alloc_zeroed((uint64_t)m->solo_count + 2, sizeof *w->met);
    if (w->of_solo == NULL || w->met == NULL)
        return HS_E_MEMORY;
    HS_TRY(hs_intern_init(&w->names));
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *solo = &m->solos[i];
        (void)snprintf(name, sizeof name, "%u %.400s", solo->gpu, solo->model);
        HS_TRY(hs_intern_get(&w->names, name, &w->of_solo[i]));
    }
    return HS_OK;
}

static enum hs_status mark_lone(struct meeting *w, struct hs_measurements *m)
{
    HS_TRY(name_models(w, m));
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct hs_pair *row = &m->pairs[i];
        uint32_t own = w->of_solo[row->own], other = w->of_solo[row->other];
        if (row->dropped != 0 || own == other)
            continue;
        w->met[own] = w->met[other] = true;
        w->is_mixed[row->gpu] = true;
    }
    for (uint32_t i = 0; i < m->pair_count; i++) {
        struct hs_pair *row = &m->pairs[i];
        if (row->dropped == 0 && !w->met[w->of_solo[row->own]] && w->is_mixed[row->gpu])
            row->dropped |= HS_DROPPED(LONE);
    }
    return HS_OK;
}

/* Nothing about other models can be learned from them, nor they be held out. Where no model met
 * another on a GPU type, that is the campaign's subject. */
enum hs_status hs_clean_lone(struct hs_measurements *m, double tolerance)
{
    (void)tolerance;
    struct meeting work = {.of_solo = NULL};
    enum hs_status status = mark_lone(&work, m);
    hs_intern_free(&work.names);
    hs_free(work.of_solo);
    hs_free(work.met);
    return status;
}
