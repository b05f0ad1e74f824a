/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The final division of an exact 128-bit sum, and the order of integers.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#include "horus/compiler.h"

/* Returns num / den as a double (NaN for den 0), correctly rounded for den < 2^72, because the
 * quotient then has at least 55 bits and the remainder enters as a sticky bit below them; otherwise
 * within one unit in the last place. */
static inline double hs_exact_double(hs_u128 num, hs_u128 den)
{
    if (den == 0)
        return NAN;
    if (num == 0)
        return 0;
    const uint64_t high = (uint64_t)(num >> 64);
    const unsigned shift = high != 0 ? HS_CLZ64(high) : 64 + HS_CLZ64((uint64_t)num);
    hs_u128 scaled = num << shift;
    hs_u128 quotient = scaled / den;
    if (scaled % den != 0)
        quotient |= 1;
    return ldexp((double)quotient, -(int)shift);
}

/* The same for signed num; den >= 0. */
static inline double hs_exact_signed(hs_i128 num, hs_i128 den)
{
    return num < 0 ? -hs_exact_double((hs_u128)-num, (hs_u128)den)
                   : hs_exact_double((hs_u128)num, (hs_u128)den);
}

/* Returns num / den in units of 1/scale, rounded half up; num * scale must be below 2^127.
 * hs_csvw_ratio(w, result, scale, digits of scale) prints it exactly. */
static inline uint64_t hs_exact_scaled(hs_u128 num, hs_u128 den, uint64_t scale)
{
    hs_u128 quotient = (num * scale + den / 2) / den;
    return quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;
}

/* For qsort. */
static inline int hs_order_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return HS_ORDER(x, y);
}

static inline int hs_order_at(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return HS_ORDER(x, y);
}
