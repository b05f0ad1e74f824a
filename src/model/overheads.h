/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Overheads by model: how long the training process takes to start again (configs/restart.csv,
 * MODEL.md 7), and its speed where only a part of the GPU memory that it needs may be on the GPU
 * (configs/memory-limits.csv, MODEL.md 4).
 *
 *     HS_TRY(hs_restart_load(&table, "builtin:restart.csv", diag));
 *     int64_t us = hs_restart_us(table, "VGG-16", NULL, 4);            // 8 s as shipped
 *     hs_overheads_free(table);
 *     uint64_t q32 = hs_memcurve_q32(curves, "VGG-16", 8000, 16000);   // of 0.98
 */
#ifndef HORUS_MODEL_OVERHEADS_H
#define HORUS_MODEL_OVERHEADS_H

#include <stdint.h>

#include "base/diag.h"

/* Rows of model, key and value. */
struct hs_overheads;

/* A CSV of model, gpus, restart_s (seconds). Unknown columns, two rows of one model and size, and
 * figures that are none are errors at their place. */
HS_MUST_USE enum hs_status hs_restart_load(struct hs_overheads **table, const char *path,
                                           struct hs_diag *diag);
/* Of a gang of `gpus`: by the rows of `model`, else of `other` (both may be NULL or ""), else those
 * for all others; of these the largest size of at most `gpus`, else the smallest. -1 if there is no
 * row. Names are compared as those of profiles are. O(length of the names + log rows). */
int64_t hs_restart_us(const struct hs_overheads *table, const char *model, const char *other,
                      uint32_t gpus);
/* A CSV of model, limit (per cent of the peak, 0 to 100), speed (relative, above 0 to 1; 1 at 100,
 * falling or level with the limit). Unknown columns, two rows of one model and limit, and figures
 * out of range are errors at their place. */
HS_MUST_USE enum hs_status hs_memcurve_load(struct hs_overheads **table, const char *path,
                                            struct hs_diag *diag);
/* Speed of a job of `model` (NULL, "": none) with a limit of limit_mib of the peak_mib that it
 * needs, Q32 in (0, 1]: that of the largest measured share of at most this one (below the smallest,
 * of the smallest), because between two of them lies a cliff, somewhere. 1 at a limit of the peak
 * or more, and where there is no row. Names are compared as those of profiles are. */
uint64_t hs_memcurve_q32(const struct hs_overheads *table, const char *model, uint32_t limit_mib,
                         uint32_t peak_mib);
void hs_overheads_free(struct hs_overheads *table); /* NULL is fine */

#endif
