/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How names of profiles are compared: shared by the reader of the catalogue (profile.c), the search
 * in it (profile_match.c) and the table of restarts, which goes by the same names.
 */
#ifndef HORUS_MODEL_PROFILE_PRIVATE_H
#define HORUS_MODEL_PROFILE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#define HS_PROFILE_KEY_MAX 512u

/* text without case, '-', '_' and blanks; false if it does not fit into size bytes. */
bool hs_profile_fold(const char *text, char *folded, size_t size);

#endif
