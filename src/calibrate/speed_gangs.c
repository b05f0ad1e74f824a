/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gangs by family: how throughput grows with their GPUs, and what it loses when they are spread
 * over more nodes than they need. Means over the jobs of a family (calibration.md 6).
 */
#include <math.h>
#include <string.h>

#include "calibrate/speed_table.h"

#define CURVES_MAX 65536u

/* Noise reaches 1.02 on the mean of a family (ResNet-50 on two K80), other hosts 1.2 and more
 * (calibration.md 2, trap 6). */
#define LINEAR_MAX 1.1

/* The speed of a solo's job on other GPUs of its type; 0 if it was not measured. */
static double find_speed(const struct hs_measurements *m, const struct hs_solo *of, uint32_t gpus,
                         bool is_spread)
{
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *solo = &m->solos[i];
        if (solo->gpu == of->gpu && solo->gpus == gpus && solo->is_spread == is_spread &&
            solo->dropped == 0 && strcmp(solo->key, of->key) == 0)
            return solo->speed;
    }
    return 0;
}

static struct hs_gang_curve *find_curve(struct hs_gang_curve *curves, uint32_t count,
                                        const char *family, const char *gpu)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(curves[i].family, family) == 0 && strcmp(curves[i].gpu, gpu) == 0)
            return &curves[i];
    return NULL;
}

/* Sums for now, means later. Sizes ascend. */
static enum hs_status curve_add(struct hs_gang_curve *c, uint32_t gpus, double value)
{
    uint32_t at = 0;
    while (at < c->count && c->gpus[at] < gpus)
        at++;
    if (at == c->count || c->gpus[at] != gpus) {
        if (c->count == HS_GANG_SIZES)
            return HS_E_LIMIT;
        for (uint32_t i = c->count++; i > at; i--) {
            c->gpus[i] = c->gpus[i - 1];
            c->n[i] = c->n[i - 1];
            c->value[i] = c->value[i - 1];
        }
        c->gpus[at] = gpus;
        c->n[at] = 0;
        c->value[at] = 0;
    }
    c->n[at]++;
    c->value[at] += value;
    if (c->n[at] > c->jobs)
        c->jobs = c->n[at];
    return HS_OK;
}

static enum hs_status add_to(struct hs_gang_curve **curves, uint32_t *count, uint32_t *cap,
                             const char *family, const char *gpu, uint32_t gpus, double value)
{
    struct hs_gang_curve *curve = find_curve(*curves, *count, family, gpu);
    if (curve == NULL) {
        HS_TRY(hs_grow((void **)curves, cap, (uint64_t)*count + 1, sizeof **curves, CURVES_MAX));
        curve = &(*curves)[(*count)++];
        *curve = (struct hs_gang_curve){.family = family, .gpu = gpu};
    }
    return curve_add(curve, gpus, value);
}

static enum hs_status add_gang(struct hs_gangs *gangs, const struct hs_measurements *m,
                               const struct hs_solo *gang, const char *family)
{
    const char *gpu = m->gpus[gang->gpu];
    double single = find_speed(m, gang, 1, false), spread = find_speed(m, gang, gang->gpus, true);
    if (single > 0)
        HS_TRY(add_to(&gangs->scaling, &gangs->scaling_count, &gangs->scaling_cap, family, gpu,
                      gang->gpus, gang->speed / (gang->gpus * single)));
    if (spread > 0)
        HS_TRY(add_to(&gangs->spread, &gangs->spread_count, &gangs->spread_cap, family, gpu,
                      gang->gpus, spread / gang->speed));
    return HS_OK;
}

static void divide_sums(struct hs_gang_curve *curves, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < curves[i].count; k++)
            curves[i].value[k] /= curves[i].n[k];
}

/* ---- trap 6 ---- */

static bool is_beyond_linear(const struct hs_gangs *gangs, const char *gpu)
{
    for (uint32_t i = 0; i < gangs->scaling_count; i++) {
        const struct hs_gang_curve *c = &gangs->scaling[i];
        for (uint32_t k = 0; strcmp(c->gpu, gpu) == 0 && k < c->count; k++)
            if (c->value[k] > LINEAR_MAX)
                return true;
    }
    return false;
}

static uint32_t drop_type(struct hs_gang_curve *curves, uint32_t count, const char *gpu)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(curves[i].gpu, gpu) != 0)
            curves[kept++] = curves[i];
    return kept;
}

static void drop_types(struct hs_gangs *gangs, struct hs_measurements *m)
{
    for (uint32_t g = 0; g < m->gpu_count; g++) {
        if (!is_beyond_linear(gangs, m->gpus[g]))
            continue;
        gangs->scaling_count = drop_type(gangs->scaling, gangs->scaling_count, m->gpus[g]);
        gangs->spread_count = drop_type(gangs->spread, gangs->spread_count, m->gpus[g]);
        for (uint32_t i = 0; i < m->solo_count; i++)
            if (m->solos[i].gpu == g && m->solos[i].gpus > 1)
                m->solos[i].dropped |= HS_DROPPED(SUPERLINEAR);
    }
}

enum hs_status hs_gangs_build(struct hs_gangs *gangs, struct hs_measurements *m,
                              const struct hs_catalogue *catalogue)
{
    *gangs = (struct hs_gangs){0};
    for (uint32_t i = 0; i < m->solo_count; i++) {
        const struct hs_solo *solo = &m->solos[i];
        if (solo->gpus < 2 || solo->is_spread || solo->dropped != 0)
            continue;
        enum hs_status status = add_gang(gangs, m, solo, hs_speeds_family_of(solo, catalogue));
        if (status != HS_OK) {
            hs_gangs_free(gangs);
            return status;
        }
    }
    divide_sums(gangs->scaling, gangs->scaling_count);
    divide_sums(gangs->spread, gangs->spread_count);
    drop_types(gangs, m);
    return HS_OK;
}

void hs_gangs_free(struct hs_gangs *gangs)
{
    hs_free(gangs->scaling);
    hs_free(gangs->spread);
    *gangs = (struct hs_gangs){0};
}
