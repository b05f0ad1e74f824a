/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files predictor*.c share: everything that depends on the profile alone is worked out
 * once, at opening, into one row a profile.
 */
#ifndef HORUS_MODEL_PREDICTOR_PRIVATE_H
#define HORUS_MODEL_PREDICTOR_PRIVATE_H

#include "base/intern.h"
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

/* NaN where the row has no batch. */
double hs_predictor_log_batch(const struct hs_profile *row);

/* The measured rows of the model of row i, i among them, in file order:
 *     for (at = hs_peers_first(&peers, i); at != HS_NO_PEER; at = hs_peers_next(&peers, at)) */
struct hs_peers {
    struct hs_intern models;
    uint32_t *model_of;     /* by row: id of its model */
    uint32_t *first, *next; /* by model id, by row: row + 1; 0 = none */
};
#define HS_NO_PEER UINT32_MAX
HS_MUST_USE enum hs_status
hs_peers_open(struct hs_peers *peers, const struct hs_catalogue *catalogue, struct hs_diag *diag);
uint32_t hs_peers_first(const struct hs_peers *peers, uint32_t row);
uint32_t hs_peers_next(const struct hs_peers *peers, uint32_t at);
void hs_peers_close(struct hs_peers *peers);

/* These fill in their part of one guess a profile; the first two from the catalogue alone. */
HS_MUST_USE enum hs_status hs_predictor_guess_table(const struct hs_catalogue *catalogue,
                                                    struct hs_profile_guess *guesses,
                                                    struct hs_diag *diag);
void hs_predictor_guess_memory(const struct hs_catalogue *catalogue,
                               struct hs_profile_guess *guesses);
/* Fills in the utilizations that are still unknown, by the fit of predictor.json. */
HS_MUST_USE enum hs_status hs_predictor_guess_regress(const struct hs_catalogue *catalogue,
                                                      const char *path, enum hs_holdout holdout,
                                                      struct hs_profile_guess *guesses,
                                                      struct hs_diag *diag);
/* predictor.json: the general form, and with REGRESS the utilizations it lists as held out. */
HS_MUST_USE enum hs_status hs_predictor_read(struct hs_predictor *p, const char *path,
                                             const struct hs_catalogue *catalogue,
                                             struct hs_diag *diag);

#endif
