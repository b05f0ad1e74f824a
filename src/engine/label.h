/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a trace record says of a job besides its demand: its names, what it trains, its wishes. Most
 * jobs of a trace are given one of few profiles: they refer to one record of what it says.
 */
#ifndef HORUS_ENGINE_LABEL_H
#define HORUS_ENGINE_LABEL_H

#include "engine/state.h"

/* The label of a new job, with its traits and wishes. */
HS_MUST_USE enum hs_status hs_label_fill(struct hs_engine *e, uint32_t slot,
                                         const struct hs_trace_job *record);

#endif
