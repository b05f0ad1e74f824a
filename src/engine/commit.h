/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Applies an accepted plan to the jobs: all releases, then all placements, then settings and
 * timers, then the events that tell the policy what came of it.
 */
#ifndef HORUS_ENGINE_COMMIT_H
#define HORUS_ENGINE_COMMIT_H

#include "engine/state.h"

HS_MUST_USE enum hs_status hs_commit(struct hs_engine *e);

#endif
