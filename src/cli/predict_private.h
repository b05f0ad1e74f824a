/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by the files predict*.c: the jobs as rows, and the models that are asked about them.
 */
#ifndef HORUS_CLI_PREDICT_PRIVATE_H
#define HORUS_CLI_PREDICT_PRIVATE_H

#include "cli/predict.h"
#include "model/cluster.h"
#include "model/interference.h"
#include "model/modelfile.h"
#include "model/speed.h"

struct hs_predict_models {
    struct hs_modelset files;
    struct hs_interference *truth;
    struct hs_speed *speed;
    struct hs_predictor *regress, *told;
    struct hs_cluster cluster;            /* one node of each GPU type */
    double joint_error, memory_error_mib; /* of pairs; NaN = not told */
    /* GPU types that the truth's and the policies' general form and the regression were fitted on;
     * NULL = the file does not tell. */
    const char *general_gpu, *told_gpu, *regress_gpu;
};

/* The jobs asked about as rows of p->catalogue; what was not measured is added. */
HS_MUST_USE enum hs_status hs_predict_find(struct hs_prediction *p,
                                           const struct hs_predict_options *options,
                                           struct hs_diag *diag);
/* Sets types, capacity and reserve of p, too. To be closed whatever this returns. */
HS_MUST_USE enum hs_status hs_predict_open(struct hs_predict_models *m, struct hs_prediction *p,
                                           const struct hs_predict_options *options,
                                           struct hs_diag *diag);
void hs_predict_close(struct hs_predict_models *m);
/* Fills p->measured and the types that forms were fitted on. */
HS_MUST_USE enum hs_status hs_predict_survey(struct hs_predict_models *m, struct hs_prediction *p,
                                             const struct hs_predict_options *options,
                                             struct hs_diag *diag);
/* Both together, kept as long as p. */
const char *hs_predict_text(struct hs_prediction *p, const char *before, const char *name);

#endif
