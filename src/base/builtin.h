/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files of configs/ that are compiled into the program, so that it needs nothing beside it: the
 * profile catalogue and the calibrated models. A path that begins with "builtin:" names one
 * ("builtin:models/speed.json"); base/io opens it like any other.
 */
#ifndef HORUS_BASE_BUILTIN_H
#define HORUS_BASE_BUILTIN_H

#include <stddef.h>

#define HS_BUILTIN "builtin:"

struct hs_builtin {
    const char *name; /* "models/speed.json" */
    const char *data;
    size_t len;
};

const struct hs_builtin *hs_builtin_at(size_t index); /* NULL past the end; by name, ascending */
/* Of a path with or without the prefix; NULL if there is none. */
const struct hs_builtin *hs_builtin_find(const char *path);

#endif
