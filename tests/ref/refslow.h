/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slowdown of a job beside others, written a second time: from the forms of
 * configs/models/README.md, in long double, without tables, without a line of src/model. The
 * slowdown of a pair is the measured one, else that of the coefficients of the GPU type, else that
 * of the general form; in a set the excesses of pairs add up. An unknown utilization is 100 %.
 *
 *     S = ref_slow(&model, type, tenants, 3, 0, &error);     // of tenants[0]
 *
 * Readings of the text where it leaves room:
 *   - Sets of three and more consist of the same pairs as sets of two, measured ones included.
 *   - A tenant that is active for a part of the time adds that part of its excess (MODEL.md 6).
 */
#ifndef HORUS_TESTS_REFSLOW_H
#define HORUS_TESTS_REFSLOW_H

#include <stdbool.h>

#define REF_ROWS_MAX   64
#define REF_MODELS_MAX 32
#define REF_TYPES_MAX  5
#define REF_NO_PROFILE (-1)

enum ref_form { REF_NO_TABLE, REF_RANK1, REF_TWO_WAY };

struct ref_curve {
    long double at_0, slope, bend; /* at_0 + slope x + bend max(0, x - 0.5) */
};

struct ref_row {
    int profile, model;
    long double a, b;            /* rank-1 */
    long double util;            /* two-way */
    struct ref_curve own, other; /* two-way */
};

struct ref_table {
    enum ref_form form;
    int rows;
    struct ref_row row[REF_ROWS_MAX];
    long double effect[REF_MODELS_MAX][REF_MODELS_MAX]; /* on the speed, own model first */
    long double measured[REF_ROWS_MAX][REF_ROWS_MAX];   /* S; 0 = not measured */
};

struct ref_slow_model {
    long double k, alpha, beta, gamma;
    bool is_fit; /* measured pairs do not count */
    struct ref_table table[REF_TYPES_MAX];
};

struct ref_tenant {
    int profile;
    int util_pm;          /* -1 = unknown */
    long double presence; /* part of the time that it is active; 1 unless in a slice group */
};

#define REF_TENANTS_MAX 16

/* Of per mille, 0..1; an unknown one is 1. */
long double ref_util_pm(int util_pm);

/* S >= 1 of tenants[self]. error (may be NULL): the largest error of a computation that is exact
 * but for pair excesses within REF_PAIR_ERROR. */
long double ref_slow(const struct ref_slow_model *m, int type, const struct ref_tenant *tenants,
                     int count, int self, long double *error);

/* Max-min fair, by raising the level to one demand after the other: each gets its demand, or weight
 * x level, and together the capacity, or less if they demand less. */
void ref_fill(int count, const long double *demand, const long double *weight, long double capacity,
              long double *given);

/* A pair's S is rounded to Q20 (one unit at worst); where it comes from the general form, k is
 * rounded likewise and each power to Q30, which with k <= 8 is another unit, and 2^-5 of one. Both
 * are raised to gamma after rounding, which multiplies them by gamma S^(gamma - 1). */
#define REF_Q20        (1.0L / 1048576)
#define REF_PAIR_ERROR (2.04L * REF_Q20)

#endif
