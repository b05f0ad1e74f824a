/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The checks of MODEL.md 11, after every instant. fast: sums that must balance, O(1). full: every
 * index against a recount, O(cluster + live jobs).
 */
#ifndef HORUS_ENGINE_INVARIANT_H
#define HORUS_ENGINE_INVARIANT_H

#include "engine/state.h"

/* HS_E_INVARIANT, reported with time and rule, when something does not hold. */
HS_MUST_USE enum hs_status hs_invariant_check(struct hs_engine *e);

#endif
