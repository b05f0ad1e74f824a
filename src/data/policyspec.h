/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Policies as text: "fifo", "fifo:scan=fit,placement=yarn"; several are one a line.
 */
#ifndef HORUS_DATA_POLICYSPEC_H
#define HORUS_DATA_POLICYSPEC_H

#include <stdbool.h>

#include "base/memory.h"

/* specs with the parameter `key` of every policy set to value; where it is set already, it is
 * replaced, or kept if is_weak. In the arena; NULL when out of memory. */
const char *hs_policyspec_set(struct hs_arena *arena, const char *specs, const char *key,
                              const char *value, bool is_weak);
/* specs with every parameter of `from` (one spec, its name ignored) set. */
const char *hs_policyspec_merge(struct hs_arena *arena, const char *specs, const char *from,
                                bool is_weak);

#endif
