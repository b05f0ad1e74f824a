/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operations on parameter tables (horus/param.h): set, range-check, print. TEXT and FILE values are
 * copied to the given arena; empty text is absent (NULL). A REAL may be written 25% (0.25, or 25 if
 * the unit is percent).
 */
#pragma once

#include "base/diag.h"
#include "base/memory.h"
#include "horus/param.h"

/* Sets every value to its preset; asserts that presets parse. */
HS_MUST_USE enum hs_status hs_param_defaults(const struct hs_param *table, void *base,
                                             struct hs_arena *arena);
/* Tells whether the text before `end` is the key; '-' and '_' are equal. */
bool hs_param_is_key(const char *text, const char *key, char end);
/* Returns NULL if there is none. */
const struct hs_param *hs_param_find(const struct hs_param *table, const char *key);
/* Parses, checks and stores a value. what: the owner of the parameter, for messages ("policy
 * 'fifo'", "run"). Errors state what was expected and, for unknown keys and choices, the nearest:
 * HS_E_USAGE if place is NULL or has no file, else HS_E_INPUT. */
HS_MUST_USE enum hs_status hs_param_set(const struct hs_param *table, void *base,
                                        struct hs_arena *arena, const char *what, const char *key,
                                        const char *value, const struct hs_place *place,
                                        struct hs_diag *diag);
/* Sets "key=value,key=value" (a list value keeps its slashes). */
HS_MUST_USE enum hs_status hs_param_set_list(const struct hs_param *table, void *base,
                                             struct hs_arena *arena, const char *what,
                                             const char *list, struct hs_diag *diag);
/* Prints the value as text from which hs_param_set reads the same value; returns the length, at
 * most size - 1; NUL-terminated. */
size_t hs_param_print(const struct hs_param *param, const void *base, char *text, size_t size);
/* Describes the allowed values: "strict|fit|easy", "duration", "0..1", ... */
void hs_param_expects(const struct hs_param *param, char *text, size_t size);
