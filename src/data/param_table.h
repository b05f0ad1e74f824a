/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parameter tables at work (horus/param.h): set, range-check, print. TEXT and FILE values are
 * copied into the arena given; empty text is the absent one (NULL). A REAL may be written 25%
 * (0.25, or 25 where percent is the unit).
 */
#pragma once

#include "base/diag.h"
#include "base/memory.h"
#include "horus/param.h"

/* Every value to its preset; a preset that does not parse is a bug and asserted. */
HS_MUST_USE enum hs_status hs_param_defaults(const struct hs_param *table, void *base,
                                             struct hs_arena *arena);
/* Is the text in front of `end` the key? '-' and '_' are the same in keys. */
bool hs_param_is_key(const char *text, const char *key, char end);
/* NULL if there is none. */
const struct hs_param *hs_param_find(const struct hs_param *table, const char *key);
/* Parses, checks and stores one value. what: of what the key is a parameter, for messages
 * ("policy 'fifo'", "run"). Errors say what was expected and, for unknown keys and choices, the
 * nearest: HS_E_USAGE when place is NULL or has no file, else HS_E_INPUT. */
HS_MUST_USE enum hs_status hs_param_set(const struct hs_param *table, void *base,
                                        struct hs_arena *arena, const char *what, const char *key,
                                        const char *value, const struct hs_place *place,
                                        struct hs_diag *diag);
/* "key=value,key=value" (a list value keeps its slashes). */
HS_MUST_USE enum hs_status hs_param_set_list(const struct hs_param *table, void *base,
                                             struct hs_arena *arena, const char *what,
                                             const char *list, struct hs_diag *diag);
/* The value as text that hs_param_set reads back to the same value; returns the length, at most
 * size - 1; NUL-terminated. */
size_t hs_param_print(const struct hs_param *param, const void *base, char *text, size_t size);
/* "strict|fit|easy", "duration", "0..1", ...: what may stand for the value. */
void hs_param_expects(const struct hs_param *param, char *text, size_t size);
