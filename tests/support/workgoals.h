/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requirements on a generated workload: published facts (support/workloads/published.csv), their
 * measured values (support/workstat.h), and the allowed deviation, goal by goal. No code here reads
 * the generator's files.
 *
 *     static struct workgoals g;
 *     workgoals_load(&g);
 *     workgoals_measure(&g, "venus", 0, &stat);             // of each draw
 *     for (uint32_t at = 0; workgoals_next(&g, &at, &row);)
 *         say(&row);
 *     workgoals_free(&g);
 *
 * A goal about many points (a distribution, a profile) is judged by the point of largest deviation.
 */
#ifndef HORUS_TESTS_WORKGOALS_H
#define HORUS_TESTS_WORKGOALS_H

#include <stdbool.h>
#include <stdint.h>

#include "support/workstat.h"

#define WORKGOALS_DRAWS_MAX 8

struct workfact {
    char workload[12], measure[32], gpus[8], at[12], source[40];
    uint32_t kind;   /* of measure */
    double place;    /* `at` as a number; an outcome or a weekday: its index */
    double expected; /* the published figure; of a quantile the share, whose value is `value` */
    double value;
    double part[WORKGOALS_DRAWS_MAX], whole[WORKGOALS_DRAWS_MAX]; /* measured: part / whole */
};

struct workgoals {
    struct workfact *facts;
    uint32_t count, cap;
    uint32_t draws; /* measured of every workload */
};

struct workrow {
    const char *goal, *text;
    const struct workfact *worst; /* the point of largest deviation in the mean of the draws */
    uint32_t points, draws, draws_met;
    double seen;                  /* there, the mean of the draws */
    double off, off_min, off_max; /* of the mean of the draws; of the single draws */
    double allowed;               /* 0: listed only, no requirement */
    bool is_relative;             /* off and allowed are shares of the published figure */
};

void workgoals_load(struct workgoals *g);
void workgoals_free(struct workgoals *g);
/* Measures every figure that has a fact; for Helios' four clusters also their share in what was
 * published of all four together. Draws are counted from 0, the same number for every workload. */
void workgoals_measure(struct workgoals *g, const char *workload, uint32_t draw,
                       struct workstat *stat);
/* Rows of all workloads in the order of the facts; false after the last. */
bool workgoals_next(const struct workgoals *g, uint32_t *at, struct workrow *row);
/* The published figure of a fact, and the mean measured, of a quantile as durations are cut. */
bool workrow_is_met(const struct workrow *row); /* by the mean of the draws; true if listed only */

#endif
