/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gittins indices from a sample of total services, both forms, by walking the whole sample each
 * time. Services, attained service and delta are in GPU-seconds (las: seconds).
 *
 *   exact  P(S - a <= D | S > a) / E[min(S - a, D) | S > a]: an integer, units of 1e-12 per second
 *   repo   the published table: whole sizes S instead of residuals S - a, evaluated one second
 *          below each entry; numerator and denominator are rounded to 5 decimals before they are
 *          divided; an integer, units of 1e-10 per second
 *
 * A sample of nothing larger than a has index 0.
 */
#ifndef HORUS_TESTS_REFGITTINS_H
#define HORUS_TESTS_REFGITTINS_H

#include <stdint.h>

/* Sorts in place, ascending. */
void ref_sample_sort(double *sample, int count);
/* delta < 0: infinite. */
int64_t ref_gittins_exact(const double *sample, int count, double attained, double delta);
int64_t ref_gittins_repo(const double *sample, int count, int64_t attained_whole, double delta);

#endif
