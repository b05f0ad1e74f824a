/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exact work for the reference simulators: nanoseconds of isolated run time, in units of 2^-32 of
 * one, so that a rate of Q32 fractions adds up without a remainder (MODEL.md 1 and 4).
 *
 *     hs_u128 total = ref_work(duration_us), done = 0;
 *     int64_t end_us = ref_finish_us(now_us, total - done, rate_q32);
 *     done = ref_worked(done, total, rate_q32, end_us - now_us);
 */
#ifndef HORUS_TESTS_REFWORK_H
#define HORUS_TESTS_REFWORK_H

#include <stdint.h>

#include "horus/compiler.h"

#define REF_NEVER INT64_MAX

hs_u128 ref_work(int64_t duration_us);
int64_t ref_work_ns(hs_u128 work); /* whole nanoseconds */
/* The time when `left` is done at this rate, rounded up to a microsecond; REF_NEVER at rate 0. */
int64_t ref_finish_us(int64_t now_us, hs_u128 left, uint64_t rate_q32);
/* Done after dt_us more, never above the total. */
hs_u128 ref_worked(hs_u128 done, hs_u128 total, uint64_t rate_q32, int64_t dt_us);

#endif
