/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table is made by the build (scripts/embed.sh) from the files under configs/.
 */
#include "base/builtin.h"

#include <string.h>

#include "builtin_files.def"

const struct hs_builtin *hs_builtin_at(size_t index)
{
    return builtin_files[index].name != NULL ? &builtin_files[index] : NULL;
}

const struct hs_builtin *hs_builtin_find(const char *path)
{
    size_t prefix = strlen(HS_BUILTIN);
    if (strncmp(path, HS_BUILTIN, prefix) == 0)
        path += prefix;
    for (size_t i = 0; builtin_files[i].name != NULL; i++)
        if (strcmp(builtin_files[i].name, path) == 0)
            return &builtin_files[i];
    return NULL;
}
