/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How fast a job runs when it may use only part of the GPU memory that it needs and the rest lies
 * on the host (configs/memory-limits.csv): by model, a curve over the limit as a share of the peak
 * (model.md 4, memory_factor).
 *
 *     HS_TRY(hs_memcurve_load(&table, "builtin:memory-limits.csv", diag));
 *     uint64_t q32 = hs_memcurve_q32(table, "VGG-16", 8000, 16000);     // of 0.98
 *     hs_memcurve_free(table);
 */
#ifndef HORUS_MODEL_MEMCURVE_H
#define HORUS_MODEL_MEMCURVE_H

#include <stdint.h>

#include "base/diag.h"

#define HS_MEMCURVE_OTHERS "*" /* the model of rows for all models that have none */

struct hs_memcurve;

/* A CSV of model, limit (per cent of the peak, 0 to 100), speed (relative, above 0 to 1; 1 at 100,
 * falling or level with the limit). Unknown columns, two rows of one model and limit, and figures
 * out of range are errors at their place. */
HS_MUST_USE enum hs_status hs_memcurve_load(struct hs_memcurve **table, const char *path,
                                            struct hs_diag *diag);
/* Speed of a job of `model` (NULL, "": none) with a limit of limit_mib of the peak_mib that it
 * needs, Q32 in (0, 1]: that of the largest measured share of at most this one (below the smallest,
 * of the smallest), because between two of them lies a cliff, somewhere. 1 at a limit of the peak
 * or more, and where there is no row. Names are compared as those of profiles are. */
uint64_t hs_memcurve_q32(const struct hs_memcurve *table, const char *model, uint32_t limit_mib,
                         uint32_t peak_mib);
void hs_memcurve_free(struct hs_memcurve *table); /* NULL is fine */

#endif
