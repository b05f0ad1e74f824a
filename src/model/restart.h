/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long the training process of a model takes to start again (configs/restart.csv): what a
 * preempted job pays when it gets GPUs once more, by model and gang size (model.md 7).
 *
 *     HS_TRY(hs_restart_load(&table, "builtin:restart.csv", diag));
 *     int64_t us = hs_restart_us(table, "VGG-16", NULL, 4);     // 8 s as shipped
 *     hs_restart_free(table);
 */
#ifndef HORUS_MODEL_RESTART_H
#define HORUS_MODEL_RESTART_H

#include <stdint.h>

#include "base/diag.h"

#define HS_RESTART_OTHERS "*" /* the model of rows for all models that have none */

struct hs_restart;

/* A CSV of model, gpus, restart_s (seconds). Unknown columns, two rows of one model and size, and
 * figures that are none are errors at their place. */
HS_MUST_USE enum hs_status hs_restart_load(struct hs_restart **table, const char *path,
                                           struct hs_diag *diag);
/* Of a gang of `gpus`: by the rows of `model`, else of `other` (both may be NULL or ""), else those
 * for all others; of these the largest size of at most `gpus`, else the smallest. -1 if there is no
 * row. Names are compared as those of profiles are. O(length of the names + log rows). */
int64_t hs_restart_us(const struct hs_restart *table, const char *model, const char *other,
                      uint32_t gpus);
void hs_restart_free(struct hs_restart *table); /* NULL is fine */

#endif
