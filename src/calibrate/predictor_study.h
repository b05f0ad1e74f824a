/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All that `horus calibrate predictor` finds out, before it is printed and written.
 */
#ifndef HORUS_CALIBRATE_PREDICTOR_STUDY_H
#define HORUS_CALIBRATE_PREDICTOR_STUDY_H

#include "calibrate/calibration.h"
#include "calibrate/pairgeneral.h"
#include "calibrate/predictor_holdout.h"

/* Estimates of memory by 4 (A B + P + B P) bytes, A outputs of a sample, P parameters, B batch
 * (policies/horus.md 2.3), against what was measured. */
struct hs_utilmemory {
    uint32_t rows, short_rows;       /* estimated, estimated too low */
    double rmse_mib, ln_mean, ln_sd; /* ln of estimate / measured */
};

struct hs_utilstudy {
    struct hs_calibrate_options options; /* data_count counts the catalogue, the last of set, too */
    struct hs_measurements set[HS_CALIBRATE_DATA_MAX + 1];
    struct hs_clean_counts counts[HS_CALIBRATE_DATA_MAX + 1];
    struct hs_catalogue catalogue;
    struct hs_utilrows rows;
    struct hs_utilfit fit;
    struct hs_utilshift load, logit;
    struct hs_utilholdout holdout;
    struct hs_utilmemory memory;
    bool has_general; /* policies' own copy of the pair form: the data has pairs */
    struct hs_general_fit general;
};

void hs_utilstudy_say(const struct hs_utilstudy *s, struct hs_output *out);
HS_MUST_USE enum hs_status hs_utilstudy_write(const struct hs_utilstudy *s, struct hs_jsonw *w,
                                              struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_utilstudy_write_rows(const struct hs_utilstudy *s, const char *path,
                                                   struct hs_diag *diag);

#endif
