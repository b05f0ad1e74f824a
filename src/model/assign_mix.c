/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Weights proportional to exp(theta u), u the utilization of a profile: of all weights with the
 * wanted mean they are the ones nearest to equal (least relative entropy), so every profile keeps a
 * chance. The mean grows with theta, which is found by bisection. Weights become integers once;
 * what a last bit of exp() may differ between machines is lost in the rounding.
 */
#include "model/assign_mix.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/intern.h"

#define WEIGHT_ONE (UINT64_C(1) << 32)

/* Utilizations are whole per mille: at this theta, neighbours 1 per mille apart differ by e^100 in
 * weight, so that even the least and the largest utilization are reached. */
#define THETA_MAX   1e5
#define THETA_STEPS 120 /* 1e5 / 2^120 is below the resolution of a double near any theta */
#define NEAR_COUNT  5u  /* horus.md 7: "inverse-distance random among 5" */
/* Added to a distance before it is inverted: 1 %, the step in which nvidia-smi reports. */
#define NEAR_BLUR_PM 10u

static bool row_fits(const struct hs_profile *p, const char *gpu, uint32_t mem_limit_mib)
{
    return p->util_pm >= 0 && strcmp(p->gpu, gpu) == 0 &&
           (mem_limit_mib == 0 || p->mem_mib <= mem_limit_mib);
}

/* The type with the most measured profiles; of equals, the first of the file. NULL if none. */
static const char *commonest_gpu(const struct hs_catalogue *catalogue)
{
    const char *best = NULL;
    uint32_t best_count = 0;
    for (uint32_t i = 0; i < catalogue->count; i++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < catalogue->count; k++)
            count += row_fits(&catalogue->profiles[k], catalogue->profiles[i].gpu, 0);
        if (count > best_count) {
            best = catalogue->profiles[i].gpu;
            best_count = count;
        }
    }
    return best;
}

static bool row_before(struct hs_mix_row a, struct hs_mix_row b)
{
    return a.util_pm != b.util_pm ? a.util_pm < b.util_pm : a.profile < b.profile;
}

static enum hs_status group_reserve(struct hs_mix *mix, struct hs_mix_group *group, uint64_t count)
{
    group->rows = hs_arena_alloc(&mix->arena, count * sizeof *group->rows + 1);
    group->ends = hs_arena_alloc(&mix->arena, count * sizeof *group->ends + 1);
    return group->rows != NULL && group->ends != NULL ? HS_OK : HS_E_MEMORY;
}

/* Insertion: a catalogue has some hundred rows and is sorted once. */
static void group_insert(struct hs_mix_group *group, struct hs_mix_row row)
{
    uint32_t at = group->count++;
    for (; at > 0 && row_before(row, group->rows[at - 1]); at--)
        group->rows[at] = group->rows[at - 1];
    group->rows[at] = row;
}

static enum hs_status collect(struct hs_mix *mix, const struct hs_catalogue *catalogue,
                              const struct hs_assign_options *options)
{
    HS_TRY(group_reserve(mix, &mix->single, catalogue->count));
    HS_TRY(group_reserve(mix, &mix->gang, catalogue->count));
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *p = &catalogue->profiles[i];
        if (!row_fits(p, mix->gpu, options->mem_limit_mib))
            continue;
        struct hs_mix_row row = {.util_pm = p->util_pm, .profile = i};
        group_insert(&mix->single, row);
        if (p->is_distributed)
            group_insert(&mix->gang, row);
    }
    return HS_OK;
}

/* exp(theta u), scaled so that the largest is 1. */
static double weight_at(const struct hs_mix_group *group, uint32_t i, double theta)
{
    int32_t top_pm = group->rows[theta > 0 ? group->count - 1 : 0].util_pm;
    return exp(theta * (group->rows[i].util_pm - top_pm) / 1000);
}

static double mean_at(const struct hs_mix_group *group, double theta)
{
    double weights = 0, sum = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        double weight = weight_at(group, i, theta);
        weights += weight;
        sum += weight * group->rows[i].util_pm;
    }
    return sum / weights / 1000;
}

static double find_theta(const struct hs_mix_group *group, double target)
{
    double low = -THETA_MAX, high = THETA_MAX;
    for (int i = 0; i < THETA_STEPS; i++) {
        double middle = low + (high - low) / 2;
        if (mean_at(group, middle) < target)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void set_weights(struct hs_mix_group *group, double target)
{
    double theta = find_theta(group, target), total = 0, sum = 0;
    for (uint32_t i = 0; i < group->count; i++)
        total += weight_at(group, i, theta);
    for (uint32_t i = 0; i < group->count; i++) {
        sum += weight_at(group, i, theta);
        group->ends[i] = (uint64_t)llrint(sum / total * (double)WEIGHT_ONE);
    }
    group->ends[group->count - 1] = WEIGHT_ONE;
}

static void percent_text(char *text, uint64_t pm)
{
    text[hs_fmt_ratio(text, pm, 10, 1)] = '\0';
}

static enum hs_status group_weigh(struct hs_mix_group *group, const char *jobs, double target,
                                  struct hs_diag *diag)
{
    int32_t least_pm = group->rows[0].util_pm, most_pm = group->rows[group->count - 1].util_pm;
    if (target >= least_pm / 1000.0 && target <= most_pm / 1000.0) {
        set_weights(group, target);
        return HS_OK;
    }
    char least[HS_FMT_MAX + 1], most[HS_FMT_MAX + 1], wanted[HS_FMT_MAX + 1], hint[192];
    percent_text(least, (uint64_t)least_pm);
    percent_text(most, (uint64_t)most_pm);
    percent_text(wanted, (uint64_t)llrint(target * 1000));
    (void)snprintf(hint, sizeof hint,
                   "--assign-target=%s; or --assign=columns, if the trace names its models",
                   target < least_pm / 1000.0 ? least : most);
    return hs_fail(diag, HS_E_USAGE, NULL, hint,
                   "a mean utilization of %s %% is out of reach for %s: their profiles have from "
                   "%s %% to %s %%",
                   wanted, jobs, least, most);
}

static enum hs_status fail_nothing_fits(const struct hs_mix *mix,
                                        const struct hs_assign_options *options,
                                        struct hs_diag *diag)
{
    if (options->mem_limit_mib > 0)
        return hs_fail(diag, HS_E_USAGE, NULL, "--assign=columns or --assign=off draws none",
                       "no profile measured on %s fits into %u MiB", mix->gpu,
                       options->mem_limit_mib);
    return hs_fail(diag, HS_E_USAGE, NULL, "--assign=columns or --assign=off draws none",
                   "no profile has a GPU utilization measured on %s", mix->gpu);
}

/* Jobs of several GPUs where no profile of a distributed model fits: better a model that is not
 * usually trained so than none. */
static void lend_rows(struct hs_mix *mix, struct hs_diag *diag)
{
    hs_report(diag, HS_WARNING, NULL, NULL,
              "no profile of a distributed model fits: jobs of several GPUs draw from all "
              "profiles");
    mix->gang = mix->single;
}

enum hs_status hs_mix_open(struct hs_mix *mix, const struct hs_catalogue *catalogue,
                           const struct hs_assign_options *options, struct hs_diag *diag)
{
    *mix = (struct hs_mix){.gpu = options->gpu};
    if (mix->gpu == NULL)
        mix->gpu = commonest_gpu(catalogue);
    if (mix->gpu == NULL)
        mix->gpu = "any GPU type";
    enum hs_status status = collect(mix, catalogue, options);
    if (status != HS_OK)
        return hs_fail(diag, status, NULL, NULL, "no memory for the mix of profiles");
    if (mix->single.count == 0)
        return fail_nothing_fits(mix, options, diag);
    if (options->mode != HS_ASSIGN_AUTO && options->mode != HS_ASSIGN_MIX)
        return HS_OK;
    HS_TRY(group_weigh(&mix->single, "jobs of one GPU", options->target_util, diag));
    if (mix->gang.count > 0)
        return group_weigh(&mix->gang, "jobs of several GPUs", options->target_util, diag);
    lend_rows(mix, diag);
    return HS_OK;
}

uint32_t hs_mix_draw(const struct hs_mix *mix, uint32_t gpus, uint64_t bits)
{
    const struct hs_mix_group *group = gpus > 1 ? &mix->gang : &mix->single;
    uint64_t at = bits >> 32;
    uint32_t low = 0;
    /* The first end above `at` is among ends[low, low + left). No branch: no processor could guess
     * where a draw goes. */
    for (uint32_t left = group->count, half; left > 1; left -= half) {
        half = left / 2;
        low += half * (group->ends[low + half - 1] <= at);
    }
    return group->rows[low].profile;
}

/* First row with at least this utilization. */
static uint32_t first_at_least(const struct hs_mix_group *group, int32_t util_pm)
{
    uint32_t low = 0, high = group->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (group->rows[middle].util_pm < util_pm)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t hs_mix_draw_near(const struct hs_mix *mix, int32_t util_pm, uint64_t bits)
{
    const struct hs_mix_group *group = &mix->single;
    uint64_t ends[NEAR_COUNT], total = 0;
    uint32_t rows[NEAR_COUNT], count = 0;
    uint32_t right = first_at_least(group, util_pm), left = right; /* rows [left, right) taken */
    for (; count < NEAR_COUNT && count < group->count; count++) {
        bool is_left =
            left > 0 && (right == group->count || util_pm - group->rows[left - 1].util_pm <
                                                      group->rows[right].util_pm - util_pm);
        uint32_t row = is_left ? --left : right++;
        int32_t away_pm = group->rows[row].util_pm - util_pm;
        total += WEIGHT_ONE / ((uint32_t)(away_pm < 0 ? -away_pm : away_pm) + NEAR_BLUR_PM);
        rows[count] = group->rows[row].profile;
        ends[count] = total;
    }
    assert(count > 0);
    uint64_t at = (uint64_t)(((hs_u128)bits * total) >> 64);
    uint32_t i = 0;
    while (ends[i] <= at)
        i++;
    return rows[i];
}

void hs_mix_close(struct hs_mix *mix)
{
    hs_arena_free(&mix->arena);
    *mix = (struct hs_mix){0};
}
