/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pairs of jobs by what they use alone and together, and forms that predict the one from the other.
 *
 *     hs_joint_collect(&data, set, sets, &arena);
 *     struct hs_joint_model model = {.form = &hs_joint_forms[f], .target = HS_JOINT_GPU};
 *     HS_TRY(hs_joint_fit(&data, &model, HS_JOINT_NOTHING_HELD, 0, diag));
 */
#ifndef HORUS_CALIBRATE_UTILIZATION_H
#define HORUS_CALIBRATE_UTILIZATION_H

#include "calibrate/measure.h"

enum hs_joint_target { HS_JOINT_GPU, HS_JOINT_BANDWIDTH, HS_JOINT_TARGETS };

/* One pair; fractions. Utilizations of the GPU are always there, the others may be NaN. */
struct hs_joint_row {
    double alone[HS_JOINT_TARGETS][2], joint[HS_JOINT_TARGETS];
    double mem_mib[2], joint_mem_mib;
    const char *gpu, *key[2];
    uint32_t model[2], job[2]; /* ids, from 1 */
    uint32_t models;           /* id of the unordered pair of models */
};

struct hs_joint_data {
    struct hs_joint_row *rows; /* in the order of the data */
    uint32_t count;
    uint32_t models, model_pairs, jobs; /* one more than the largest id */
};

/* Pairs that no cleaning step marked and whose GPU utilizations are all there. Texts are those of
 * the measurements. */
void hs_joint_collect(struct hs_joint_data *data, const struct hs_measurements *set, uint32_t sets,
                      struct hs_arena *arena);

#define HS_JOINT_PARAMETERS_MAX 3u

struct hs_joint_form {
    const char *text;
    const char *parameters[HS_JOINT_PARAMETERS_MAX]; /* names, as many as it has */
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

/* A form with fitted parameters; or, with form NULL, GPU utilization of known jobs:
 * J + 4 J (1 - J) (e_i + e_j) with J of the independent form and an effect e of each job, held near
 * 0 by ridge, and 0 for jobs never seen. */
struct hs_joint_model {
    const struct hs_joint_form *form;
    enum hs_joint_target target;
    double theta[HS_JOINT_PARAMETERS_MAX];
    double ridge;
    double *effects; /* by job id: room of the caller */
};

enum hs_joint_protocol {
    HS_JOINT_UNSEEN_MODEL,  /* each pair once for each of its two models */
    HS_JOINT_UNSEEN_MODELS, /* all pairs of the same two models */
    HS_JOINT_UNSEEN_PAIR,   /* every 20th pair */
    HS_JOINT_PROTOCOLS,
    HS_JOINT_NOTHING_HELD = HS_JOINT_PROTOCOLS
};

/* To all rows that the fold of the protocol does not hold out; HS_E_INPUT, without a message for a
 * form, if they do not determine the parameters. */
HS_MUST_USE enum hs_status hs_joint_fit(const struct hs_joint_data *data,
                                        struct hs_joint_model *model,
                                        enum hs_joint_protocol protocol, uint32_t fold,
                                        struct hs_diag *diag);

#endif
