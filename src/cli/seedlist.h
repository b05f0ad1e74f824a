/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Seeds as users list them: "4", "1,3,7", "1..5", "1..3,10".
 */
#ifndef HORUS_CLI_SEEDLIST_H
#define HORUS_CLI_SEEDLIST_H

#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"

#define HS_SEEDS_MAX 1000u

/* In the order given, each from `least` to 9e15 and none twice; option names the list in messages.
 */
HS_MUST_USE enum hs_status hs_seedlist_parse(const char *text, const char *option, int64_t least,
                                             struct hs_arena *arena, const int64_t **seeds,
                                             uint32_t *count, struct hs_diag *diag);

#endif
