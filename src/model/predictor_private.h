/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files predictor*.c share: everything that depends on the profile alone is worked out
 * once, at opening, into one row a profile.
 */
#ifndef HORUS_MODEL_PREDICTOR_PRIVATE_H
#define HORUS_MODEL_PREDICTOR_PRIVATE_H

#include "model/pairform.h"
#include "model/predictor.h"

struct hs_profile_guess {
    int32_t util_pm, util_peak_pm; /* -1 = none */
    uint32_t util_error_pm;
    uint32_t mem_mib; /* by the formula; 0 = none */
    uint32_t mem_error_mib;
};

struct hs_predictor {
    struct hs_predictor_options options;
    struct hs_pairform general; /* its own copy: the truth has another */
    double general_error;
    uint64_t util_seed, mem_seed;
    struct hs_profile_guess *guesses; /* one a profile of the catalogue */
    uint32_t guess_count;
};

/* An error of which nothing is known: the estimate may be off by anything. */
#define HS_UTIL_ERROR_MAX_PM 1000u

/* Utilization in per cent, as estimates are told: 1..100 %, in per mille. */
int32_t hs_predictor_told_pm(double util_percent);
/* Root mean square of all residuals but the own one (NaN = there is none), so that the error told
 * of an estimate does not hold its own truth; NaN when no other is left. */
double hs_predictor_other_rms(double sum_of_squares, uint32_t count, double own_residual);

/* Both fill in their part of one guess a profile, from the catalogue alone. */
HS_MUST_USE enum hs_status hs_predictor_guess_table(const struct hs_catalogue *catalogue,
                                                    struct hs_profile_guess *guesses,
                                                    struct hs_diag *diag);
void hs_predictor_guess_memory(const struct hs_catalogue *catalogue,
                               struct hs_profile_guess *guesses);
/* predictor.json: the general form, and with REGRESS the utilizations of the guesses. */
HS_MUST_USE enum hs_status hs_predictor_read(struct hs_predictor *p, const char *path,
                                             const struct hs_catalogue *catalogue,
                                             struct hs_diag *diag);

#endif
