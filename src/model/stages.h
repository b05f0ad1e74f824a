/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Iterations as stages: storage and CPU, GPU, network. Jobs on the same GPUs that interleave them
 * advance one iteration each in a period (MODEL.md 5; Zhao et al., Muri, SIGCOMM'22). A row for
 * each model and gang size, measured alone. Read-only after loading.
 *
 *     HS_TRY(hs_stages_load(&m, "builtin:models/stages.json", NULL, diag));
 *     row = hs_stages_row(m, "BERT", NULL, 1);
 *     period_ns = hs_stages_period_ns(m, rows, 2, HS_STAGES_TRUE, false);
 *
 * The period of an order p[0..3] of at most four jobs, absent ones counting nothing: slots begin at
 * f[0] = 0 and f[i+1], the largest of f[i] + network of p[i+1], f[i] + GPU of p[i+2] and, for
 * i >= 1, f[i-1] + storage and CPU of p[i+3], which take two slots; indices of p modulo 4. It is
 * f[i+1] - f[i-3] as soon as that differs from the one before by at most a thousandth, at most
 * f[8] - f[4]; the released simulator at 4e69a78. Two jobs may also take turns in halves: one on
 * storage and CPU while the other is on GPU and network. Then comes an overhead by their number:
 * as published, a period is multiplied by 1.33, 1.5 or 1.37 over 1.015, an iteration alone
 * by 1.015. Here an iteration alone stays as it is, and the period is divided by 1.015 once more.
 * No period is shorter than an iteration of a member alone.
 */
#pragma once

#include "model/interference.h"
#include "model/speed.h"

#define HS_STAGES_MEMBERS 4u
#define HS_STAGES_UNKNOWN 0u /* row of a job of no model in the file: 1 s, all of it on the GPU */

enum { HS_STAGE_DATA, HS_STAGE_GPU, HS_STAGE_NETWORK, HS_STAGE_COUNT };

struct hs_stage_times {
    int64_t iteration_ns; /* alone; less than the sum of the stages where these overlap */
    int64_t stage_ns[HS_STAGE_COUNT];
};

struct hs_stages;

/* how: what policies see. Under NOISY each stage is the truth times exp(sigma z), z a standard
 * normal draw of seed and row; else, and of NULL, the truth. Free with hs_stages_free, whatever
 * this returns. */
HS_MUST_USE enum hs_status hs_stages_load(struct hs_stages **m, const char *path,
                                          const struct hs_speed_predictor *how,
                                          struct hs_diag *diag);
void hs_stages_free(struct hs_stages *m); /* NULL is fine */
/* By the first name (each may be NULL) that has rows: the gang size nearest below, else the
 * smallest; HS_STAGES_UNKNOWN. O(rows). */
uint32_t hs_stages_row(const struct hs_stages *m, const char *model, const char *other,
                       uint32_t gpus);

enum hs_stages_source { HS_STAGES_TRUE, HS_STAGES_PREDICTED };
const struct hs_stage_times *hs_stages_times(const struct hs_stages *m, uint32_t row,
                                             enum hs_stages_source source);
/* Per mille, of a job alone in the released simulator. */
int64_t hs_stages_overhead_pm(const struct hs_stages *m);
/* Of count <= HS_STAGES_MEMBERS rows, in the best order or in the worst; > 0. O(count!). */
int64_t hs_stages_period_ns(const struct hs_stages *m, const uint32_t *rows, uint32_t count,
                            enum hs_stages_source source, bool is_worst);
/* Speeds of the tenants of a GPU, tenants[i].stages being their rows: of one group, or, where some
 * yield, full speed for those that do not and for the others what these leave (AntMan in the same
 * simulator). Q32, at most 1. */
void hs_stages_speeds(const struct hs_stages *m, bool is_worst, const struct hs_tenant *tenants,
                      uint32_t count, struct hs_fair_share *shares);
/* Whether a group uses each of its resources for at most the whole period: GPU and network, and
 * storage and CPU together, which are two. */
bool hs_stages_are_within(const struct hs_stages *m, bool is_worst, const struct hs_tenant *tenants,
                          uint32_t count);
