/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear programs by GLPK. Its settings make a solution depend only on the program: the primal
 * method from the basis of slacks, textbook pricing and ratio test, which use neither random
 * numbers nor time; branch and bound without cuts, heuristics or presolver. A fatal error of the
 * library is left by a jump; all its memory is freed.
 */
#include "horus/lp.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>

#include "base/memory.h"

#define FACTORS_MAX 100000000u /* of GLPK: 500 million */

struct lp_row {
    double lower, upper, price;
    int status; /* in the basis of the last solution */
};

struct hs_lp {
    struct lp_row *rows;
    double *costs, *values; /* by column */
    int *statuses;
    bool *are_binary;
    int *row_of, *column_of;
    double *factors; /* these three from 1, as in GLPK */
    uint32_t rows_count, columns_count, factors_count;
    uint32_t solved_columns; /* in the last basis, where a solve starts; 0: slack basis */
    uint32_t rows_cap, costs_cap, values_cap, statuses_cap, are_binary_cap, row_of_cap,
        column_of_cap, factors_cap;
    bool is_maximum, has_binary;
    double gap;
};

struct hs_lp *hs_lp_open(void)
{
    return hs_alloc_zeroed(1, sizeof(struct hs_lp));
}

void hs_lp_close(struct hs_lp *lp)
{
    if (lp == NULL)
        return;
    hs_free(lp->rows);
    hs_free(lp->costs);
    hs_free(lp->values);
    hs_free(lp->statuses);
    hs_free(lp->are_binary);
    hs_free(lp->row_of);
    hs_free(lp->column_of);
    hs_free(lp->factors);
    hs_free(lp);
}

void hs_lp_begin(struct hs_lp *lp, bool is_maximum)
{
    lp->rows_count = lp->columns_count = lp->factors_count = lp->solved_columns = 0;
    lp->is_maximum = is_maximum;
    lp->has_binary = false;
    lp->gap = 0;
}

uint32_t hs_lp_column(struct hs_lp *lp, double cost)
{
    const uint64_t need = (uint64_t)lp->columns_count + 1;
    hs_grow(lp->costs, lp->costs_cap, need, FACTORS_MAX);
    hs_grow(lp->values, lp->values_cap, need, FACTORS_MAX);
    hs_grow(lp->statuses, lp->statuses_cap, need, FACTORS_MAX);
    hs_grow(lp->are_binary, lp->are_binary_cap, need, FACTORS_MAX);
    lp->costs[lp->columns_count] = cost;
    lp->are_binary[lp->columns_count] = false;
    return lp->columns_count++;
}

void hs_lp_gap(struct hs_lp *lp, double gap)
{
    lp->gap = gap;
}

void hs_lp_binary(struct hs_lp *lp, uint32_t column)
{
    lp->are_binary[column] = lp->has_binary = true;
}

uint32_t hs_lp_row(struct hs_lp *lp, double lower, double upper)
{
    hs_grow(lp->rows, lp->rows_cap, (uint64_t)lp->rows_count + 1, FACTORS_MAX);
    lp->solved_columns = 0;
    lp->rows[lp->rows_count] = (struct lp_row){.lower = lower, .upper = upper};
    return lp->rows_count++;
}

void hs_lp_set(struct hs_lp *lp, uint32_t row, uint32_t column, double factor)
{
    if (factor == 0)
        return;
    const uint32_t at = ++lp->factors_count;
    const uint64_t need = (uint64_t)at + 1;
    hs_grow(lp->row_of, lp->row_of_cap, need, FACTORS_MAX);
    hs_grow(lp->column_of, lp->column_of_cap, need, FACTORS_MAX);
    hs_grow(lp->factors, lp->factors_cap, need, FACTORS_MAX);
    lp->row_of[at] = (int)row + 1;
    lp->column_of[at] = (int)column + 1;
    lp->factors[at] = factor;
}

static void load(const struct hs_lp *lp, glp_prob *p)
{
    glp_set_obj_dir(p, lp->is_maximum ? GLP_MAX : GLP_MIN);
    if (lp->rows_count > 0)
        glp_add_rows(p, (int)lp->rows_count);
    for (uint32_t i = 0; i < lp->rows_count; i++) {
        const struct lp_row *row = &lp->rows[i];
        const bool has_lower = isfinite(row->lower), has_upper = isfinite(row->upper);
        const int kind = has_lower && has_upper ? (row->lower < row->upper ? GLP_DB : GLP_FX)
                         : has_lower            ? GLP_LO
                         : has_upper            ? GLP_UP
                                                : GLP_FR;
        glp_set_row_bnds(p, (int)i + 1, kind, row->lower, row->upper);
    }
    if (lp->columns_count > 0)
        glp_add_cols(p, (int)lp->columns_count);
    for (uint32_t i = 0; i < lp->columns_count; i++) {
        if (lp->are_binary[i])
            glp_set_col_kind(p, (int)i + 1, GLP_BV);
        else
            glp_set_col_bnds(p, (int)i + 1, GLP_LO, 0, 0);
        glp_set_obj_coef(p, (int)i + 1, lp->costs[i]);
    }
    glp_load_matrix(p, (int)lp->factors_count, lp->row_of, lp->column_of, lp->factors);
    for (uint32_t i = 0; i < lp->solved_columns; i++)
        glp_set_col_stat(p, (int)i + 1, lp->statuses[i]);
    for (uint32_t i = 0; i < lp->rows_count && lp->solved_columns > 0; i++)
        glp_set_row_stat(p, (int)i + 1, lp->rows[i].status);
}

static void count_subproblems(glp_tree *tree, void *most)
{
    int total;
    glp_ios_tree_size(tree, NULL, NULL, &total);
    if (total > *(const int *)most)
        glp_ios_terminate(tree);
}

/* Starts from the optimum of the relaxation. */
static enum hs_lp_status branch(struct hs_lp *lp, glp_prob *p, int subproblems)
{
    glp_iocp how;
    glp_init_iocp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.cb_func = count_subproblems;
    how.cb_info = &subproblems;
    how.mip_gap = lp->gap;
    const int failure = glp_intopt(p, &how);
    const bool is_near = failure == GLP_EMIPGAP;
    if (failure != 0 && !is_near)
        return failure == GLP_ESTOP ? HS_LP_LIMIT : HS_LP_FAILED;
    if (!is_near && glp_mip_status(p) != GLP_OPT)
        return glp_mip_status(p) == GLP_NOFEAS ? HS_LP_INFEASIBLE : HS_LP_FAILED;
    for (uint32_t i = 0; i < lp->columns_count; i++)
        lp->values[i] = glp_mip_col_val(p, (int)i + 1);
    return HS_LP_OPTIMAL;
}

static enum hs_lp_status solve(struct hs_lp *lp, glp_prob *p, int iterations)
{
    glp_smcp how;
    load(lp, p);
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = GLP_PRIMAL;
    how.pricing = GLP_PT_STD;
    how.r_test = GLP_RT_STD;
    how.it_lim = iterations;
    how.presolve = GLP_OFF;
    const int failure = glp_simplex(p, &how);
    if (failure != 0)
        return failure == GLP_EITLIM ? HS_LP_LIMIT : HS_LP_FAILED;
    switch (glp_get_status(p)) {
    case GLP_OPT:
        break;
    case GLP_NOFEAS:
        return HS_LP_INFEASIBLE;
    case GLP_UNBND:
        return HS_LP_UNBOUNDED;
    default:
        return HS_LP_FAILED;
    }
    if (lp->has_binary)
        return branch(lp, p, iterations);
    for (uint32_t i = 0; i < lp->columns_count; i++) {
        lp->values[i] = glp_get_col_prim(p, (int)i + 1);
        lp->statuses[i] = glp_get_col_stat(p, (int)i + 1);
    }
    for (uint32_t i = 0; i < lp->rows_count; i++) {
        lp->rows[i].price = glp_get_row_dual(p, (int)i + 1);
        lp->rows[i].status = glp_get_row_stat(p, (int)i + 1);
    }
    lp->solved_columns = lp->columns_count;
    return HS_LP_OPTIMAL;
}

static void leave(void *place)
{
    longjmp(*(jmp_buf *)place, 1);
}

/* Suppresses the library's output, including fatal errors. */
static int swallow(void *nothing, const char *text)
{
    (void)nothing;
    (void)text;
    return 1;
}

enum hs_lp_status hs_lp_solve(struct hs_lp *lp, int iterations)
{
    jmp_buf place;
    if (setjmp(place) != 0) {
        glp_free_env(); /* frees p, too */
        return HS_LP_FAILED;
    }
    glp_term_hook(swallow, NULL);
    glp_error_hook(leave, &place);
    glp_prob *p = glp_create_prob();
    const enum hs_lp_status status = solve(lp, p, iterations);
    glp_delete_prob(p);
    glp_error_hook(NULL, NULL);
    return status;
}

double hs_lp_value(const struct hs_lp *lp, uint32_t column)
{
    return lp->values[column];
}

double hs_lp_price(const struct hs_lp *lp, uint32_t row)
{
    return lp->rows[row].price;
}

const char *hs_lp_library_version(void)
{
    return glp_version();
}
