/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gives each job of a trace a profile, once, before any policy sees it:
 * the model it names; else the profile whose utilization is near the telemetry it carries; else a
 * draw from a mix. A filter on a job source: records come out in the order they go in.
 *
 *     HS_TRY(hs_assign_open(&a, source, &catalogue, &options, diag));
 *     HS_TRY(hs_engine_run(engine, hs_assign_source(a)));
 *     hs_assign_counts(a, &counts);
 *
 * Draws are keyed by (seed, "assign", index of the job): nothing a policy does shifts them. Jobs
 * without GPUs get no profile.
 */
#ifndef HORUS_MODEL_ASSIGN_H
#define HORUS_MODEL_ASSIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/sample.h"
#include "base/memory.h"
#include "horus/trace.h"
#include "model/profile.h"

enum hs_assign_mode {
    HS_ASSIGN_AUTO,      /* columns, else telemetry, else mix */
    HS_ASSIGN_COLUMNS,   /* only what the trace names */
    HS_ASSIGN_TELEMETRY, /* columns or telemetry; a utilization of 0 is idle, it tells nothing */
    HS_ASSIGN_MIX,       /* mix for every job, whatever the trace says */
    HS_ASSIGN_OFF,
};

struct hs_assign_options {
    enum hs_assign_mode mode;
    uint64_t seed;
    double target_util;     /* mean solo utilization of the mix, 0..1 */
    double sticky;          /* chance that a job of the same user and size within a day keeps the
                               profile of the one before */
    uint32_t mem_limit_mib; /* memory of the GPUs: larger profiles are not drawn; 0 = none */
    const char *gpu;        /* telemetry and mix draw from profiles measured on this type; NULL =
                               the type with the most of them in the catalogue */
    double load;            /* by which the source divided its gaps (--load), so that a day stays a
                               recorded day and jobs their profiles; 0 = 1 */
};

#define HS_ASSIGN_EXAMPLE 160 /* of text; longer names are cut */

struct hs_assign_counts {
    uint64_t by_columns, by_telemetry, by_mix, none;
    uint64_t inexact; /* by_columns: another batch, dataset or precision than the job names */
    char inexact_example[HS_ASSIGN_EXAMPLE]; /* what the first of them names, as a key */
    char inexact_instead[HS_ASSIGN_EXAMPLE]; /* the profile that stands for it */
    uint64_t unknown_model;                  /* named a model that the catalogue does not know */
    char unknown_example[64];
    struct hs_fractions utils; /* of the jobs on GPUs, as the trace has them */
};

struct hs_assign;

/* HS_E_USAGE when no mix of the profiles reaches target_util: the message tells what can be. */
HS_MUST_USE enum hs_status hs_assign_open(struct hs_assign **assign, struct hs_job_source source,
                                          const struct hs_catalogue *catalogue,
                                          const struct hs_assign_options *options,
                                          struct hs_diag *diag);
/* Fills profile, and gpu_util_pm, gpu_mem_mib where the record has none (a profile is of a whole
 * GPU: of a share they are as much less); unless the profile came by columns also model, dataset,
 * batch and precision. Idle utilizations give way to the mix, and under HS_ASSIGN_MIX so does all
 * that the record says of utilization and memory. The new texts are those of the catalogue. */
struct hs_job_source hs_assign_source(struct hs_assign *assign);
void hs_assign_get_counts(const struct hs_assign *assign, struct hs_assign_counts *counts);
void hs_assign_close(struct hs_assign *assign);

struct hs_mix_row {
    int32_t util_pm;
    uint32_t profile; /* index in the catalogue */
};

struct hs_mix_group {
    struct hs_mix_row *rows; /* ascending in (util_pm, profile) */
    uint64_t *ends;          /* cumulative weights; the last is 2^32 */
    uint32_t count;
};

struct hs_mix {
    struct hs_arena arena;
    struct hs_mix_group single; /* jobs of one GPU: every profile that fits */
    struct hs_mix_group gang;   /* jobs of more: the distributed ones */
    const char *gpu;            /* the type, a text of the catalogue or of the options */
};

/* Weights are worked out for the modes that draw from the mix. HS_E_USAGE when nothing fits or the
 * target is out of reach. */
HS_MUST_USE enum hs_status hs_mix_open(struct hs_mix *mix, const struct hs_catalogue *catalogue,
                                       const struct hs_assign_options *options,
                                       struct hs_diag *diag);
/* O(log profiles). */
uint32_t hs_mix_draw(const struct hs_mix *mix, uint32_t gpus, uint64_t bits);
/* One of the five profiles nearest in utilization. */
uint32_t hs_mix_draw_near(const struct hs_mix *mix, int32_t util_pm, uint64_t bits);
void hs_mix_close(struct hs_mix *mix);

#endif
