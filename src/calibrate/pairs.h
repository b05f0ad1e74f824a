/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Speeds of jobs beside others on one GPU type of one campaign, the forms that are fitted to them,
 * and cross-validation of these.
 */
#pragma once

#include "calibrate/measure.h"
#include "calibrate/calibration.h"

/* ---- rows ---- */

/* Utilizations are clipped to [this, 1] where a power is taken of them. */
#define HS_UTIL_MIN 1e-3
/* No speed is below this: S of 20. The largest of any public table is 11 (Gavel's simulation file),
 * and a sum of effects has no bound. The reader of models clips there too. */
#define HS_SPEED_MIN 0.05

struct hs_pairjob {
    const char *key; /* of the profile */
    uint32_t model;
    double util; /* alone; NaN = not measured */
};

/* Directed: job `own` ran at `speed` (1 = alone) beside `other`. */
struct hs_pairrow {
    uint32_t own, other;
    uint32_t pair;       /* the run: both directions have the same */
    bool is_merged;      /* the mean of both directions */
    uint32_t jobs_rank;  /* of the unordered pair of jobs, in an order without meaning */
    uint32_t models;     /* unordered pair of models */
    uint32_t model_pair; /* directed, into model_pairs */
    double speed;
};

struct hs_model_pair {
    uint32_t own, other;
};

struct hs_pairset {
    struct hs_arena *arena;          /* of the rows, and of what is fitted to them */
    const char *gpu, *mode, *format; /* of the measurements, which must live as long */
    struct hs_pairjob *jobs;         /* in the order of the data, as are all others */
    const char **models;
    struct hs_model_pair *model_pairs;
    struct hs_pairrow *rows;
    uint32_t job_count, model_count, model_pair_count, row_count;
    uint32_t runs, models_pairs; /* different row.pair, row.models */
    uint32_t job_folds;          /* of HS_UNSEEN_JOB_PAIR */
    bool has_utils;              /* of every job */
};

enum hs_pair_choice { HS_PAIRS_ALL, HS_PAIRS_OF_ONE_MODEL, HS_PAIRS_OF_TWO_MODELS };

/* The rows that no cleaning step marked. O(rows log rows + models^2). */
HS_MUST_USE enum hs_status hs_pairset_collect(struct hs_pairset *set,
                                              const struct hs_measurements *m, uint32_t gpu,
                                              enum hs_pair_choice choice, struct hs_arena *arena,
                                              struct hs_diag *diag);
/* Makes one row of the two that a job beside itself has, with their mean speed: by name they are
 * the same measurement twice. */
void hs_pairset_merge(struct hs_pairset *set);
/* Utilization of a job, clipped. */
double hs_pairset_util(const struct hs_pairset *set, uint32_t job);

/* What no row of the fit has when a row is predicted. A job's model is unseen when no row with that
 * model in either role was fitted. Pairs of jobs are dealt to folds by the hash of their two keys:
 * both directions and repeated runs are in one fold, the order of the data does not matter, and
 * folds differ by at most one pair. */
enum hs_unseen {
    HS_UNSEEN_OWN_MODEL,
    HS_UNSEEN_OTHER_MODEL,
    HS_UNSEEN_MODEL_PAIR, /* these two models were not fitted beside each other */
    HS_UNSEEN_JOB_PAIR,
    HS_UNSEEN_NOTHING, /* every row predicted by a fit to all */
    HS_UNSEEN_KINDS
};

/* ---- forms ---- */

/* The first member of every form. */
struct hs_pairfit {
    struct hs_pairset *set;
    /* To the rows that are not held (NULL = none is); HS_E_INPUT if too few or too much alike. */
    enum hs_status (*fit)(struct hs_pairfit *fit, const bool *is_held, struct hs_diag *diag);
    double (*speed)(const struct hs_pairfit *fit, uint32_t row);
};

/* The general form, for jobs of which only the utilization is known: S = 1 + k u^alpha v^beta, u of
 * the job, v of its co-runner, by least squares on 1 / S. */
enum { HS_GENERAL_LN_K, HS_GENERAL_ALPHA, HS_GENERAL_BETA, HS_GENERAL_PARAMETERS };
struct hs_pairgeneral {
    struct hs_pairfit fit;
    double theta[HS_GENERAL_PARAMETERS];
    /* Fitted to a mean, the form seldom reaches the worst slowdowns. The cut on the predicted S
     * that decides best, among the rows that are not held, whether a pair is above
     * HS_TUNED_THRESHOLD; with is_tuned every fit finds it, and scales speeds so that it lies
     * there. */
    double cut;
    bool is_tuned;
    struct logistic_row *rows; /* of the fit under way */
};
#define HS_TUNED_THRESHOLD 1.5

/* The set must have utilizations. Where slowdown falls with the job's own utilization, alpha is
 * held at the least that a reader of models takes; a fit whose other coefficients none would take
 * (beta
 * <= 0: a busier co-runner, less slowdown) is HS_E_INPUT. */
void hs_pairgeneral_open(struct hs_pairgeneral *g, struct hs_pairset *set);

/* Known jobs with known utilizations: what they add to the general form. Speed of i beside j =
 * general(u_i, u_j) + own_i(u_j) + other_j(u_i) + effect(model of i, model of j), where own and
 * other are lines of the partner's utilization with a bend at 0.5 (values at three knots). Ridge
 * terms hold all effects near 0: a job, or two models, never measured get 0. */
#define HS_EFFECT_KNOTS 3u
extern const double hs_effect_knots[HS_EFFECT_KNOTS]; /* 0, 0.5, 1 */
/* Chosen on the folds that score it: 2 to 4 differ by less than .001 of RMSE. The effect of two
 * models is held HS_EFFECT_PAIRS times as strongly. */
#define HS_EFFECT_RIDGE 3.0
#define HS_EFFECT_PAIRS 3.0

struct hs_job_effects {
    double own[HS_EFFECT_KNOTS], other[HS_EFFECT_KNOTS];
};
struct hs_paireffects {
    struct hs_pairfit fit;
    struct hs_pairgeneral general;
    bool is_general_given;       /* not fitted anew with each fit */
    struct hs_job_effects *jobs; /* by job; the begin of the solution */
    double *pairs;               /* by model pair; the rest of it */
    double *lambdas;             /* by column of the linear problem */
    double *x, *y;
    uint32_t columns;
};
/* general: coefficients from elsewhere (of another GPU type), NULL = of this set's own. HS_E_LIMIT
 * for too many jobs. O(rows + columns^3) a fit. */
HS_MUST_USE enum hs_status hs_paireffects_open(struct hs_paireffects *e, struct hs_pairset *set,
                                               const double *general, double ridge,
                                               struct hs_diag *diag);

/* Known jobs without utilizations: two numbers each, sensitivity a and pressure b, S = 1 + a_i b_j,
 * and an effect of each two models on the speed beyond that. */
#define HS_RANK1_RIDGE 1.0 /* in rows: of so many more rows of two models the residual is 0 */
/* Of ln a and ln b about their common mean, in the same rows: sets the common factor of a and b,
 * and keeps finite what pairs near idle leave open. */
#define HS_RANK1_PRIOR 1e-3
struct hs_pairrank1 {
    struct hs_pairfit fit;
    double ridge;
    double *theta, *start;     /* ln a, ln b, then their mean */
    double *ln_a, *ln_b;       /* in theta, by job */
    double *pairs;             /* effect on the speed, by model pair */
    double *weights;           /* of them, work */
    struct logistic_row *rows; /* of the fit under way */
};
/* A fit to part of the rows starts from the last one to all of them. */
void hs_pairrank1_open(struct hs_pairrank1 *f, struct hs_pairset *set, double ridge);

/* How well a rank-1 form predicts a new job after a few tries: each job in turn is left out of the
 * fit, then its a and b are found from `anchors` co-runs with known jobs, drawn towards those of
 * its own model (of all jobs, where no other of its model is known), and everything else that it
 * did is predicted. Anchors are the first of the job's partners in the order of a hash of both
 * keys; a job with fewer partners is tried with all. A row counts twice, once for each of its jobs
 * as the new one, where neither is an anchor of the other. A job without which nothing can be
 * fitted is left out. Trial packing like Gandiva's needs no more than this. */
#define HS_COLD_STEPS 6u /* 0, 1, 2, 3, 5, 8 anchors */
HS_MUST_USE enum hs_status hs_paircold_study(struct hs_pairrank1 *f,
                                             struct hs_score scores[HS_COLD_STEPS],
                                             struct hs_diag *diag);

/* ---- cross-validation ---- */

/* "May these two share a GPU?": a pair is good when max(S of both) <= threshold. */
#define HS_PAIR_THRESHOLDS 3u
extern const double hs_pair_thresholds[HS_PAIR_THRESHOLDS]; /* 1.1, 1.2, 1.5 */

struct hs_pairscore {
    struct hs_score speed;
    uint32_t pairs;                      /* decided: those with both directions */
    double accuracy[HS_PAIR_THRESHOLDS]; /* share of right decisions; NaN without any pair */
    double balanced[HS_PAIR_THRESHOLDS]; /* mean of the shares among good and among bad pairs */
};

/* Of the rows whose prediction is a number. */
void hs_pairscore(const struct hs_pairset *set, const double *predicted,
                  struct hs_pairscore *score);
/* predicted: one a row, NaN where the fold leaves too little to fit to, which a warning counts.
 * score: of these, may be NULL. Afterwards the form is that of the last fold. */
HS_MUST_USE enum hs_status hs_pairholdout(struct hs_pairfit *fit, enum hs_unseen what,
                                          double *predicted, struct hs_pairscore *score,
                                          struct hs_diag *diag);
/* A line of a "holdout" list, with n, errors and decisions; and its members alone. */
void hs_pairscore_write(struct hs_jsonw *w, const char *protocol, const struct hs_pairscore *score);
void hs_pairscore_write_members(struct hs_jsonw *w, const char *protocol,
                                const struct hs_pairscore *score);

/* Fit of the general form and its errors in one call. */
struct hs_general_fit {
    const char *gpu; /* of the measurements */
    double k, alpha, beta;
    uint32_t rows;
    struct hs_pairscore scores[HS_UNSEEN_KINDS]; /* OWN_MODEL, OTHER_MODEL and NOTHING alone */
};
/* To the GPU type of all the sets that has most rows with utilizations, the first of equals. */
HS_MUST_USE enum hs_status hs_general_study(const struct hs_measurements *set, uint32_t sets,
                                            enum hs_pair_choice choice, struct hs_general_fit *fit,
                                            struct hs_arena *arena, struct hs_diag *diag);
