/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a policy knows and may do with its presets, and what some of its parameters add.
 */
#ifndef HORUS_CLI_POLICY_SCOPE_H
#define HORUS_CLI_POLICY_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "horus/policy.h"

struct hs_policy_scope {
    uint32_t can, knows, more_can, more_knows; /* HS_CAN_x, HS_KNOWS_x */
};

#define HS_POLICY_KNOWS_LEGEND                                                                     \
    "knows: duration, true run times; utilization and slowdown, as --predictor tells them; "       \
    "memory, as --memory-predictor does; deadline, of the trace; rate, measured while running; "   \
    "estimate, run times with noise or from a file; history, run times of finished jobs, by user " \
    "and GPUs; model, the tensor sizes of what a job trains."

struct hs_policy_scope hs_policy_scope_of(const struct hs_policy_ops *policy,
                                          struct hs_arena *arena);
/* "nothing (some parameters: duration)"; in a list, where room is dear, "nothing +". */
void hs_policy_knows_text(const struct hs_policy_scope *scope, bool is_short, char *text,
                          size_t size);
void hs_policy_may_text(const struct hs_policy_scope *scope, bool is_short, char *text,
                        size_t size);

#endif
