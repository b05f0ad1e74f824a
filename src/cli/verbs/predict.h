/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the models say of jobs alone on a GPU type and of all of them on one GPU: every number with
 * its source and, where it is known, its error on held-out rows; beside the truth, what a policy is
 * told.
 */
#ifndef HORUS_CLI_VERBS_PREDICT_H
#define HORUS_CLI_VERBS_PREDICT_H

#include <stdbool.h>

#include "base/io.h"
#include "model/cluster.h"
#include "model/interference.h"
#include "model/profile.h"
#include "model/predictor.h"
#include "model/speed.h"

struct hs_predict_options {
    const char *job, *with, *gpu; /* with: one a line; NULL = alone */
    const char *models, *profiles, *interference;
    struct hs_interference_options how; /* mode and excess by --interference */
    struct hs_predictor_options told;
    bool json, list;
};

struct hs_predicted_figure {
    double value;         /* NaN = not known */
    double error;         /* in the unit of the value, unless said otherwise; NaN = not known */
    const char *source;   /* where it comes from, or why it is not known */
    bool is_extrapolated; /* to a GPU type on which that was neither measured nor fitted */
    bool is_raised;       /* a slowdown to the power --gamma */
};

struct hs_predicted_job {
    const char *asked;    /* as it was given */
    const char *parts[4]; /* of it: model, batch, precision, dataset */
    enum hs_match match;
    const char *key;
    const char *taken;     /* of an unmeasured one: the row that a run takes; else NULL */
    uint32_t profile, row; /* in the catalogue: itself, and the row taken */
    /* What a run applies, so of the row taken. */
    struct hs_predicted_figure util, memory_mib, step_ms; /* alone; utilizations are fractions */
    struct hs_predicted_figure *speeds;  /* by GPU type, the first is that asked about */
    struct hs_predicted_figure slowdown; /* error: of the speed */
    struct hs_predicted_figure util_told, memory_told_mib, slowdown_told;
    /* The best there is for what was asked about, where its utilization was not measured. */
    bool has_estimate;
    struct hs_predicted_figure util_estimated;
    struct hs_predicted_figure slowdown_estimated; /* beside the others as asked about */
};

struct hs_prediction {
    const struct hs_predict_options *options;
    struct hs_catalogue catalogue;
    struct hs_predicted_job *jobs;
    const char **types;
    const char **measured; /* GPU types that the catalogue or a loaded model file knows */
    uint32_t count, type_count, measured_count;
    const char *predictor, *run_predictor; /* that of the predictions shown; the default of a run */
    struct hs_predicted_figure util, memory_mib; /* of all together */
    uint32_t reserve_mib;                        /* what sharing costs beyond their sum */
    uint32_t capacity_mib;                       /* of the GPU; 0 = not known */
    bool has_estimate;    /* of any of the jobs: then all slowdowns have one, too */
    bool knows_fit, fits; /* sum and reserve within the capacity? */
    struct hs_arena arena;
    /* What is asked. */
    struct hs_modelset files;
    struct hs_interference *truth;
    struct hs_speed *speed;
    struct hs_predictor *regress, *told;
    struct hs_cluster cluster;            /* one node of each GPU type */
    double joint_error, memory_error_mib; /* of pairs; NaN = not known */
    /* GPU types that the truth's and the policies' general form and the regression were fitted on;
     * NULL = not in the file. */
    const char *general_gpu, *told_gpu, *regress_gpu;
};

/* Fills a zeroed p; to be freed whether or not this succeeds. */
HS_MUST_USE enum hs_status
hs_predict(struct hs_prediction *p, const struct hs_predict_options *options, struct hs_diag *diag);
void hs_prediction_free(struct hs_prediction *p);

#endif
