/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pairs of jobs by what they use alone and together, forms that predict the one from the other,
 * and their errors on pairs that were held out.
 *
 *     HS_TRY(hs_joint_collect(&data, set, sets));
 *     HS_TRY(hs_joint_holdout(&data, &hs_joint_forms[f], HS_JOINT_GPU, HS_JOINT_UNSEEN_MODEL,
 *                             NULL, &score));
 */
#ifndef HORUS_CALIBRATE_JOINT_H
#define HORUS_CALIBRATE_JOINT_H

#include <stdbool.h>

#include "base/intern.h"
#include "calibrate/measure.h"
#include "calibrate/score.h"

enum hs_joint_target { HS_JOINT_GPU, HS_JOINT_BANDWIDTH, HS_JOINT_TARGETS };

/* One pair; fractions. Only the utilizations of the GPU are surely there, others may be NaN. */
struct hs_joint_row {
    double alone[HS_JOINT_TARGETS][2], joint[HS_JOINT_TARGETS];
    double mem_mib[2], joint_mem_mib;
    uint32_t model[2], job[2]; /* ids, from 1 */
    uint32_t models;           /* id of the unordered pair of models */
    const char *gpu;
};

struct hs_joint_data {
    struct hs_joint_row *rows; /* in the order of the data */
    uint32_t count, cap;
    struct hs_intern models, model_pairs, jobs;
};

enum hs_joint_protocol {
    HS_JOINT_UNSEEN_MODEL,  /* each pair once for each of its two models */
    HS_JOINT_UNSEEN_MODELS, /* all pairs of the same two models */
    HS_JOINT_UNSEEN_PAIR,   /* every 20th pair */
    HS_JOINT_PROTOCOLS
};
extern const char *const hs_joint_protocol_texts[HS_JOINT_PROTOCOLS];

#define HS_JOINT_PARAMETERS_MAX 3u

struct hs_joint_form {
    const char *text;
    uint32_t parameters;
    double start[HS_JOINT_PARAMETERS_MAX];
    /* NaN where the row lacks what the form needs: not used then. */
    double (*value)(const double *theta, const struct hs_joint_row *row,
                    enum hs_joint_target target);
};
enum {
    HS_JOINT_INDEPENDENT,
    HS_JOINT_SLOWED,
    HS_JOINT_STRETCHED,
    HS_JOINT_SCALED,
    HS_JOINT_NORM,
    HS_JOINT_SUM,
    HS_JOINT_MAX,
    HS_JOINT_FORMS
};
extern const struct hs_joint_form hs_joint_forms[HS_JOINT_FORMS];

/* Pairs that no cleaning step marked and whose GPU utilizations are all there. */
HS_MUST_USE enum hs_status hs_joint_collect(struct hs_joint_data *data,
                                            const struct hs_measurements *set, uint32_t sets);
void hs_joint_free(struct hs_joint_data *data);
/* Is the row held out in that fold? Folds count from 0. */
uint32_t hs_joint_folds(const struct hs_joint_data *data, enum hs_joint_protocol protocol);
bool hs_joint_is_held(const struct hs_joint_data *data, enum hs_joint_protocol protocol,
                      uint32_t fold, uint32_t row);

/* On all rows with is_used; HS_E_INPUT, without a message, if they do not determine theta. */
HS_MUST_USE enum hs_status hs_joint_fit(const struct hs_joint_data *data, const bool *is_used,
                                        const struct hs_joint_form *form,
                                        enum hs_joint_target target, double *theta);
/* predicted: of each row, from the last fold in which it was held out; NaN where the form says
 * nothing; may be NULL. Where a fold cannot be fitted the score has 0 rows. */
HS_MUST_USE enum hs_status hs_joint_holdout(const struct hs_joint_data *data,
                                            const struct hs_joint_form *form,
                                            enum hs_joint_target target,
                                            enum hs_joint_protocol protocol, double *predicted,
                                            struct hs_score *score);

/* Known jobs: J + 4 J (1 - J) (e_i + e_j) with J of the independent form and an effect e of each
 * job, by ridge; as good as 0 for jobs never seen. effects: by job id, 0 .. jobs.count. */
HS_MUST_USE enum hs_status hs_joint_fit_effects(const struct hs_joint_data *data,
                                                const bool *is_used, double ridge, double *effects,
                                                struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_joint_holdout_effects(const struct hs_joint_data *data, double ridge,
                                                    enum hs_joint_protocol protocol,
                                                    struct hs_score *score, struct hs_diag *diag);

#endif
