/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shares of time by linear program, of Gavel (OSDI'20 4): jobs that are alike in all that the
 * program knows of them are one class, whose members get equal parts. That is exact: the mean over
 * the members of any solution is one, too, and as good.
 *
 *     struct hs_gavel_program program = {.lp = v->lp, .objective = HS_GAVEL_LAS, ...};
 *     hs_gavel_begin(&program);
 *     class.first_column = hs_gavel_add(&program, &class);          // for each class
 *     if (hs_lp_solve(v->lp, HS_LP_ITERATIONS) == HS_LP_OPTIMAL)
 *         hs_gavel_shares(&program, first_column, shares);
 */
#pragma once

#include "horus/policy.h"

#define HS_GAVEL_TYPES 8 /* of GPUs at most: each job has its figures by type */

enum hs_gavel_objective {
    HS_GAVEL_LAS,        /* the least of the rates, each relative to an equal part of all GPUs */
    HS_GAVEL_FIFO,       /* no program */
    HS_GAVEL_ISOLATED,   /* an equal part of each type: no program */
    HS_GAVEL_FTF,        /* the largest finish time relative to that of an equal part */
    HS_GAVEL_MAKESPAN,   /* the time until the last job is done */
    HS_GAVEL_THROUGHPUT, /* the sum of the rates */
};

struct hs_gavel_class {
    uint32_t members, gang;
    double weight;                /* las */
    double speed[HS_GAVEL_TYPES]; /* rate at its gang, on any scale for las; 0 = cannot run */
    double left;                  /* makespan: work to do */
    double least;                 /* ftf: the least rate that is enough */
};

struct hs_gavel_program {
    struct hs_lp *lp;
    enum hs_gavel_objective objective;
    uint32_t types;
    double gpus[HS_GAVEL_TYPES];
    uint32_t rows[HS_GAVEL_TYPES]; /* of the GPUs of each type */
    uint32_t goal;                 /* column of what is as large as possible (las, makespan) */
};

void hs_gavel_begin(struct hs_gavel_program *p);
/* Its first column: one for each type. */
uint32_t hs_gavel_add(struct hs_gavel_program *p, const struct hs_gavel_class *c);
/* Of each member, by type. */
void hs_gavel_shares(const struct hs_gavel_program *p, uint32_t first_column, double *shares);
/* An equal part of each type for each of so many jobs, at most all the time. */
void hs_gavel_isolated(const struct hs_gavel_program *p, const struct hs_gavel_class *c,
                       uint64_t jobs, double *shares);
/* The rate of a member with these shares. */
double hs_gavel_rate(const struct hs_gavel_program *p, const struct hs_gavel_class *c,
                     const double *shares);
