/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Powers are tabulated in Q30, products taken in 128 bits and rounded once, to the nearest: an
 * excess is at most k, for every pair of utilizations, and exactly k at 100 % beside 100 %.
 */
#include "model/pairform.h"

#include <assert.h>
#include <math.h>

#include "horus/compiler.h"

#define FULL_PM   1000
#define Q30_SHIFT 30
#define K_MAX     1e6 /* keeps k_q20 within 40 bits, and so the product within 100 */

static uint32_t power_q30(int32_t util_pm, double exponent)
{
    double share = (double)util_pm / FULL_PM;
    return (uint32_t)(pow(share, exponent) * (double)(UINT32_C(1) << Q30_SHIFT) + 0.5);
}

static int32_t clamp_pm(int32_t util_pm)
{
    return util_pm < 0 ? 0 : util_pm > FULL_PM ? FULL_PM : util_pm;
}

void hs_pairform_init(struct hs_pairform *form, double k, double alpha, double beta)
{
    assert(k >= 0 && k <= K_MAX && alpha > 0 && beta > 0);
    form->k = k;
    form->alpha = alpha;
    form->beta = beta;
    form->k_q20 = (uint64_t)(k * (double)HS_Q20_ONE + 0.5);
    for (int32_t pm = 0; pm <= FULL_PM; pm++) {
        form->own_q30[pm] = power_q30(pm, alpha);
        form->other_q30[pm] = power_q30(pm, beta);
    }
}

uint64_t hs_pairform_excess_q20(const struct hs_pairform *form, int32_t own_pm, int32_t other_pm)
{
    uint64_t powers_q60 =
        (uint64_t)form->own_q30[clamp_pm(own_pm)] * form->other_q30[clamp_pm(other_pm)];
    hs_u128 half = (hs_u128)1 << (2 * Q30_SHIFT - 1);
    return (uint64_t)(((hs_u128)powers_q60 * form->k_q20 + half) >> (2 * Q30_SHIFT));
}
