/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Write beside, fsync (hs_output_close does), rename: a reader of PATH never sees half a file.
 */
#include "base/wholefile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A device or a pipe is written to; a file renamed to its name would take its place. */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

enum hs_status hs_wholefile_open(struct hs_wholefile *file, const char *path, struct hs_diag *diag)
{
    memset(file, 0, sizeof *file);
    if (strcmp(path, "-") == 0 || is_special(path))
        return hs_output_open(&file->out, path, diag);
    int len = snprintf(file->beside, sizeof file->beside, "%s.tmp", path);
    if (len < 0 || (size_t)len >= sizeof file->beside)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the name of the output file is too long");
    (void)snprintf(file->path, sizeof file->path, "%s", path);
    return hs_output_open(&file->out, file->beside, diag);
}

enum hs_status hs_wholefile_close(struct hs_wholefile *file, enum hs_status status,
                                  struct hs_diag *diag)
{
    enum hs_status closed = hs_output_close(&file->out, diag);
    if (status == HS_OK)
        status = closed;
    if (file->beside[0] == '\0')
        return status;
    if (status == HS_OK && rename(file->beside, file->path) != 0)
        status = hs_fail(diag, HS_E_IO, &(struct hs_place){.file = file->path}, NULL,
                         "cannot write: %s", strerror(errno));
    if (status != HS_OK)
        (void)unlink(file->beside); /* the failure has been told; what is left is only litter */
    return status;
}
