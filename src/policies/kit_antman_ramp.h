/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much of a GPU its opportunistic jobs may use beside a guaranteed one: caps in steps, of which
 * all on the GPU have as many. Integers throughout; utilizations and steps are per mille.
 */
#ifndef HORUS_POLICIES_KIT_ANTMAN_RAMP_H
#define HORUS_POLICIES_KIT_ANTMAN_RAMP_H

#include <stdint.h>

/* Steps that make a cap of 1; the last one may be short. */
uint32_t hs_antman_full_steps(uint32_t step_pm);
/* Q32, rounded down: k of 0.1 never are more than k / 10. */
uint64_t hs_antman_cap_q32(uint32_t step_pm, uint32_t steps);
/* The most steps at which cap x (sum of the utilizations of the opportunistic jobs) fits into what
 * the guaranteed one leaves. */
uint32_t hs_antman_most_steps(uint32_t step_pm, uint32_t guaranteed_pm, uint32_t sum_pm);

#endif
