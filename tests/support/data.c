/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The only file that defines where data is searched.
 */
#include "support/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

const char *data_path(const char *folder, const char *name)
{
    static char paths[4][4096];
    static unsigned next;
    const char *root = getenv("HORUS_DATA");
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s/%s",
                   root != NULL && root[0] != '\0' ? root : "../shared/data", folder, name);
    return path;
}

const char *data_find(const char *folder, const char *name)
{
    const char *path = data_path(folder, name);
    if (access(path, R_OK) == 0)
        return path;
    print_message("SKIPPED: there is no %s (set HORUS_DATA)\n", path);
    return NULL;
}

const char *data_need(const char *folder, const char *name)
{
    const char *path = data_find(folder, name);
    if (path == NULL)
        skip();
    return path;
}
