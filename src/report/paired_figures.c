/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of each group. A metric is taken at a time: its differences are sorted once, for the
 * medians of all groups, and summed by group and block, for means and intervals. Values are
 * integers (microseconds, or millionths), sums are exact. O(jobs log jobs + groups x resamples x
 * blocks).
 */
#include "report/paired.h"

#include <math.h>
#include <stdlib.h>

#include "report/exact.h"
#include "report/stats.h"

#define PPM 1000000

struct difference {
    int64_t value;
    uint32_t job; /* among the compared */
};

struct block_sums {
    hs_i128 of[HS_PAIRED_RUNS];
    hs_i128 jobs;
};

struct figuring {
    struct hs_paired *p;
    uint8_t (*groups_of)[HS_PAIRED_KINDS]; /* a compared job each */
    struct difference *differences;
    uint32_t difference_count;
    struct block_sums *sums; /* groups x blocks */
    struct hs_bootstrap bootstrap;
};

static const char *const metric_names[HS_PAIRED_METRICS] = {"wait", "jct", "slowdown",
                                                            "bounded_slowdown", "run_slowdown"};

const char *hs_paired_metric_name(enum hs_paired_metric metric)
{
    return metric_names[metric];
}

static int64_t ratio_ppm(int64_t num, int64_t den)
{
    uint64_t ppm = den > 0 ? hs_exact_scaled((uint64_t)num, (uint64_t)den, PPM) : 0;
    return den <= 0 ? -1 : ppm < INT64_MAX ? (int64_t)ppm : INT64_MAX;
}

int64_t hs_paired_value(const struct hs_paired_row *row, enum hs_paired_metric metric)
{
    int64_t bounded;
    switch (metric) {
    case HS_PAIRED_WAIT:
        return row->wait_us;
    case HS_PAIRED_JCT:
        return row->jct_us;
    case HS_PAIRED_SLOWDOWN:
        return ratio_ppm(row->jct_us, row->work_us);
    case HS_PAIRED_BOUNDED:
        bounded = ratio_ppm(row->jct_us, row->work_us > HS_BOUND_US ? row->work_us : HS_BOUND_US);
        return bounded > PPM ? bounded : PPM;
    case HS_PAIRED_RUN_SLOWDOWN:
        return ratio_ppm(row->run_us, row->work_us);
    default:
        return -1;
    }
}

/* Total: no two are of one job. */
static int compare_differences(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static void take_job(struct figuring *f, enum hs_paired_metric metric, uint32_t job)
{
    struct hs_paired *p = f->p;
    uint32_t block = hs_bootstrap_block(job, p->count, p->blocks);
    int64_t value[HS_PAIRED_RUNS];
    for (int r = 0; r < HS_PAIRED_RUNS; r++)
        value[r] = hs_paired_value(&p->runs[r].rows[p->compared[job]], metric);
    if (value[HS_PAIRED_A] < 0)
        return;
    int64_t difference = value[HS_PAIRED_B] - value[HS_PAIRED_A];
    f->differences[f->difference_count++] = (struct difference){difference, job};
    for (int k = 0; k < HS_PAIRED_KINDS; k++) {
        if (f->groups_of[job][k] == HS_PAIRED_NO_GROUP)
            continue;
        struct hs_paired_figures *figures = &p->groups[f->groups_of[job][k]].figures[metric];
        struct block_sums *sums = &f->sums[f->groups_of[job][k] * p->blocks + block];
        for (int r = 0; r < HS_PAIRED_RUNS; r++)
            sums->of[r] += value[r];
        sums->jobs++;
        figures->jobs++;
        figures->better += difference < 0;
        figures->equal += difference == 0;
        figures->worse += difference > 0;
    }
}

/* The smallest with at least half of all not above it, as everywhere. */
static void find_medians(struct figuring *f, enum hs_paired_metric metric)
{
    uint64_t seen[HS_PAIRED_GROUPS] = {0};
    if (f->difference_count > 0)
        qsort(f->differences, f->difference_count, sizeof *f->differences, compare_differences);
    for (uint32_t i = 0; i < f->difference_count; i++) {
        const struct difference *d = &f->differences[i];
        for (int k = 0; k < HS_PAIRED_KINDS; k++) {
            uint8_t group = f->groups_of[d->job][k];
            if (group == HS_PAIRED_NO_GROUP)
                continue;
            struct hs_paired_figures *figures = &f->p->groups[group].figures[metric];
            if (++seen[group] == (figures->jobs + 1) / 2)
                figures->median_difference = hs_exact_signed(d->value, PPM);
        }
    }
}

static void find_means(struct figuring *f, uint32_t group, enum hs_paired_metric metric)
{
    const struct hs_paired *p = f->p;
    struct hs_paired_figures *figures = &f->p->groups[group].figures[metric];
    hs_i128 difference[HS_BOOTSTRAP_BLOCKS_MAX], units[HS_BOOTSTRAP_BLOCKS_MAX];
    hs_i128 of_a[HS_BOOTSTRAP_BLOCKS_MAX], of_b[HS_BOOTSTRAP_BLOCKS_MAX];
    hs_i128 sum[HS_PAIRED_RUNS] = {0}, all = (hs_i128)figures->jobs * PPM;
    for (uint32_t b = 0; b < p->blocks; b++) {
        const struct block_sums *sums = &f->sums[group * p->blocks + b];
        of_a[b] = sums->of[HS_PAIRED_A];
        of_b[b] = sums->of[HS_PAIRED_B];
        difference[b] = of_b[b] - of_a[b];
        units[b] = sums->jobs * PPM;
        sum[HS_PAIRED_A] += of_a[b];
        sum[HS_PAIRED_B] += of_b[b];
    }
    for (int r = 0; r < HS_PAIRED_RUNS; r++)
        figures->mean[r] = hs_exact_signed(sum[r], all);
    figures->difference = hs_exact_signed(sum[HS_PAIRED_B] - sum[HS_PAIRED_A], all);
    figures->ratio = hs_exact_signed(sum[HS_PAIRED_B], sum[HS_PAIRED_A]);
    figures->difference_95 = hs_bootstrap_interval(&f->bootstrap, difference, units);
    figures->ratio_95 = hs_bootstrap_interval(&f->bootstrap, of_b, of_a);
    if (figures->jobs == 0)
        figures->median_difference = (double)NAN;
}

static void figure_metric(struct figuring *f, enum hs_paired_metric metric)
{
    struct hs_paired *p = f->p;
    f->difference_count = 0;
    for (uint32_t i = 0; i < p->group_count * p->blocks; i++)
        f->sums[i] = (struct block_sums){0};
    for (uint32_t i = 0; i < p->count; i++)
        take_job(f, metric, i);
    find_medians(f, metric);
    for (uint32_t g = 0; g < p->group_count; g++)
        find_means(f, g, metric);
}

/* By the differences of the JCT, in order of submission: what all metrics follow. */
static enum hs_status choose_blocks(struct hs_paired *p)
{
    int64_t *differences = hs_alloc_zeroed(p->count, sizeof *differences);
    if (differences == NULL)
        return HS_E_MEMORY;
    for (uint32_t i = 0; i < p->count; i++)
        differences[i] = p->runs[HS_PAIRED_B].rows[p->compared[i]].jct_us -
                         p->runs[HS_PAIRED_A].rows[p->compared[i]].jct_us;
    p->blocks = hs_bootstrap_blocks(differences, p->count, &p->correlation);
    hs_free(differences);
    return HS_OK;
}

static enum hs_status figure_all(struct figuring *f)
{
    struct hs_paired *p = f->p;
    f->groups_of = hs_alloc_zeroed(p->count, sizeof *f->groups_of);
    f->differences = hs_alloc_zeroed(p->count, sizeof *f->differences);
    f->sums =
        hs_alloc_zeroed((uint64_t)HS_PAIRED_GROUPS * HS_BOOTSTRAP_BLOCKS_MAX, sizeof *f->sums);
    if (f->groups_of == NULL || f->differences == NULL || f->sums == NULL)
        return HS_E_MEMORY;
    HS_TRY(choose_blocks(p));
    HS_TRY(hs_paired_make_groups(p, f->groups_of));
    HS_TRY(hs_bootstrap_open(&f->bootstrap, p->blocks, p->resamples, p->seed));
    for (int m = 0; m < HS_PAIRED_METRICS; m++)
        figure_metric(f, (enum hs_paired_metric)m);
    return HS_OK;
}

enum hs_status hs_paired_compare(struct hs_paired *p, uint32_t resamples, uint64_t seed)
{
    struct figuring f = {.p = p};
    struct hs_place place = {.file = p->runs[HS_PAIRED_B].dir};
    if (p->count == 0)
        return hs_fail(p->diag, HS_E_INPUT, &place, NULL,
                       "no job did all its work both in it and in %s: nothing to compare",
                       p->runs[HS_PAIRED_A].dir);
    p->resamples = resamples;
    p->seed = seed;
    enum hs_status status = figure_all(&f);
    hs_bootstrap_close(&f.bootstrap);
    hs_free(f.groups_of);
    hs_free(f.differences);
    hs_free(f.sums);
    return status == HS_OK ? HS_OK : hs_fail(p->diag, status, NULL, NULL, "out of memory");
}
