/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Speeds of jobs by GPU type, as tables: single jobs and families relative to the fastest type, the
 * errors of what stands in for a job that was not measured, and gangs by family.
 *
 *     HS_TRY(hs_speeds_build(&table, &single, &catalogue));
 *     HS_TRY(hs_speeds_error(&table, HS_SPEEDS_UNSEEN_FAMILY, type, reference, NULL, &score));
 *     HS_TRY(hs_gangs_build(&gangs, &multi, &table));
 */
#ifndef HORUS_CALIBRATE_SPEED_TABLE_H
#define HORUS_CALIBRATE_SPEED_TABLE_H

#include <stdbool.h>

#include "calibrate/measure.h"
#include "calibrate/score.h"
#include "model/profile.h"

#define HS_SPEEDS_TYPES      64u    /* of a set of measurements */
#define HS_SPEEDS_FACTOR_MAX 1000.0 /* between two types; as in speed.json */

struct hs_speeds_job {
    const char *profile, *model, *dataset, *batch, *family;
    double speed[HS_SPEEDS_TYPES]; /* relative to the reference; 0 = not measured */
};

struct hs_speeds_family {
    const char *name;
    uint32_t jobs;
    double speed[HS_SPEEDS_TYPES];
};

/* Texts belong to the measurements and the catalogue. */
struct hs_speeds {
    const char *types[HS_SPEEDS_TYPES]; /* fastest first: types[0] is the reference */
    struct hs_speeds_job *jobs;
    struct hs_speeds_family *families;
    uint32_t type_count, job_count, family_count;
    uint32_t left_out; /* jobs that were not measured on the reference */
    struct hs_arena arena;
};

/* What predicts the speed of a job on a type from that on another. */
enum hs_speeds_scheme {
    HS_SPEEDS_TABLE_FAMILY,  /* geometric mean of the family, the job itself in it */
    HS_SPEEDS_TABLE_SCALAR,  /* of all jobs */
    HS_SPEEDS_UNSEEN_BATCH,  /* nearest other batch of its model and dataset */
    HS_SPEEDS_UNSEEN_FAMILY, /* the others of its family */
    HS_SPEEDS_UNSEEN_SCALAR, /* the jobs of all other families */
    HS_SPEEDS_SCHEMES
};
struct hs_speeds_scheme_text {
    const char *protocol, *fallback, *name;
};
extern const struct hs_speeds_scheme_text hs_speeds_schemes[HS_SPEEDS_SCHEMES];

/* From the one-GPU solos that no cleaning step marked. catalogue may be NULL: families are those
 * of the measurements then. */
HS_MUST_USE enum hs_status hs_speeds_build(struct hs_speeds *table, const struct hs_measurements *m,
                                           const struct hs_catalogue *catalogue);
void hs_speeds_free(struct hs_speeds *table);
/* Speed on a type relative to a reference; NaN where nothing predicts it or it was not measured. */
double hs_speeds_observed(const struct hs_speeds *table, uint32_t job, uint32_t type,
                          uint32_t reference);
double hs_speeds_predicted(const struct hs_speeds *table, enum hs_speeds_scheme scheme,
                           uint32_t job, uint32_t type, uint32_t reference);
/* Of predicted time / time, 1 where all is well: mae is the mean absolute percentage error. */
HS_MUST_USE enum hs_status hs_speeds_error(const struct hs_speeds *table,
                                           enum hs_speeds_scheme scheme, uint32_t type,
                                           uint32_t reference, struct hs_score *score);
/* Family of a solo, as the catalogue says or, if it does not, as the measurements do. */
const char *hs_speeds_family_of(const struct hs_solo *solo, const struct hs_catalogue *catalogue);

/* ---- gangs ---- */

#define HS_GANG_SIZES 16u

/* Mean over the jobs of a family. */
struct hs_gang_curve {
    const char *family, *gpu;
    uint32_t count, jobs; /* sizes; jobs of the size with most */
    uint32_t gpus[HS_GANG_SIZES], n[HS_GANG_SIZES];
    double value[HS_GANG_SIZES];
};

struct hs_gangs {
    struct hs_gang_curve *scaling, *spread;
    uint32_t scaling_count, scaling_cap, spread_count, spread_cap;
};

/* Efficiencies thr(n) / (n thr(1)) of gangs on as few nodes as possible, and throughput of spread
 * gangs relative to them. GPU types whose families scale beyond linear are left out, their gangs
 * marked in m: their baselines come from other hosts (calibration.md 2, trap 6). */
HS_MUST_USE enum hs_status hs_gangs_build(struct hs_gangs *gangs, struct hs_measurements *m,
                                          const struct hs_catalogue *catalogue);
void hs_gangs_free(struct hs_gangs *gangs);

#endif
