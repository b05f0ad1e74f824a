/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The models of a run beside its trace and cluster: the profile catalogue, the true speeds and
 * interference, and the predictions that policies get. Loaded once, shared by all passes; what the
 * policy cannot use is left out unless --models gives it.
 *
 *     HS_TRY(hs_models_open(&models, options, &cluster, &need, diag));
 *     config.interference = models.interference;
 *     hs_models_close(&models);
 */
#ifndef HORUS_CLI_MODELS_H
#define HORUS_CLI_MODELS_H

#include "cli/run_options.h"
#include "model/assign.h"
#include "model/cluster.h"
#include "model/interference.h"
#include "model/overheads.h"
#include "model/modelfile.h"
#include "model/predictor.h"
#include "model/speed.h"

/* What the policy needs of them, with its parameters. */
struct hs_models_need {
    const char *policy;  /* its name */
    uint32_t can, knows; /* HS_CAN_x, HS_KNOWS_x */
    uint32_t tenants;    /* of a GPU at most, by the options and by the policy */
    const char *cost;    /* of a preemption, as its card says */
};

struct hs_models {
    struct hs_catalogue catalogue;
    struct hs_modelset files;
    struct hs_assign_options assign;
    struct hs_interference_options interference_options;
    struct hs_interference *interference;
    struct hs_speed *speed;
    struct hs_predictor *predictor;
    struct hs_restart *restart;   /* NULL: no preemption that needs it */
    struct hs_memcurve *memcurve; /* NULL: no memory is limited */
    const char *cost;
    bool is_sharing;       /* the policy shares GPUs */
    uint32_t tenants;      /* of a GPU at most */
    uint32_t told;         /* predictions that it asks for: HS_KNOWS_UTILIZATION, HS_KNOWS_MEMORY */
    bool is_told_slowdown; /* of pairs, by their utilizations */
    uint32_t memory_reserve_mib;
    bool is_reserve_fitted; /* by the utilization file */
    /* For the assumptions in summary.json. */
    char speeds_text[256], profiles_text[160], interference_text[400], locality_text[256],
        predictor_text[256];
};

/* Also notes options of `config` that were given and have no effect. */
HS_MUST_USE enum hs_status hs_models_open(struct hs_models *models,
                                          const struct hs_run_options *options,
                                          const struct hs_config *config,
                                          const struct hs_cluster *cluster,
                                          const struct hs_models_need *need, struct hs_diag *diag);
void hs_models_close(struct hs_models *models);
/* Assumptions that change run times, when the jobs are known. */
void hs_models_warn(const struct hs_models *models, const struct hs_run_options *options,
                    const struct hs_cluster *cluster, const struct hs_assign_counts *assigned,
                    struct hs_diag *diag);
/* Was the file of that kind read? */
bool hs_models_use(const struct hs_models *models, enum hs_model_kind kind);

/* The seed of the draws of profiles: --assign-seed, else --seed. */
int64_t hs_models_assign_seed(const struct hs_run_options *options);
/* The assign options of a verb that reads a trace: mode, seed, target, memory of the cluster's
 * smallest GPU type (cluster may be NULL). */
void hs_models_assign_options(struct hs_assign_options *assign,
                              const struct hs_run_options *options,
                              const struct hs_cluster *cluster);

#endif
