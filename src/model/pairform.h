/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slowdown of a job of utilization u beside one of utilization v, S = 1 + k u^alpha v^beta
 * (configs/models/README.md), with both powers tabulated once for u = 0..1000 per mille. Slowdowns
 * are Q20 integers from then on: same bits on every machine, no pow() while the clock runs. A plain
 * form without state of its own: the truth and the predictor each hold their own.
 */
#ifndef HORUS_MODEL_PAIRFORM_H
#define HORUS_MODEL_PAIRFORM_H

#include <stdint.h>

#define HS_Q20_ONE (UINT64_C(1) << 20)

struct hs_pairform {
    double k, alpha, beta;
    uint32_t own_q30[1001], other_q30[1001]; /* k u^alpha is own * k_q20 */
    uint64_t k_q20;
};

/* k >= 0, alpha > 0, beta > 0. */
void hs_pairform_init(struct hs_pairform *form, double k, double alpha, double beta);
/* S - 1 in Q20; utilizations are clamped to 0..1000 (unknown, -1, counts as 0). */
uint64_t hs_pairform_excess_q20(const struct hs_pairform *form, int32_t own_pm, int32_t other_pm);

#endif
