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

/* Of a file that is there and has contents that can be lost. */
static bool find_file(const char *path, int standard, struct stat *info)
{
    int failed = strcmp(path, "-") == 0 ? fstat(standard, info) : stat(path, info);
    return failed == 0 && S_ISREG(info->st_mode);
}

static bool is_same_file(const char *output, const char *input)
{
    struct stat out, in;
    return find_file(output, STDOUT_FILENO, &out) && find_file(input, STDIN_FILENO, &in) &&
           out.st_dev == in.st_dev && out.st_ino == in.st_ino;
}

enum hs_status hs_wholefile_check(const char *path, const char *option, const char *const *inputs,
                                  uint32_t count, struct hs_diag *diag)
{
    char beside[HS_WHOLEFILE_PATH_MAX];
    int len = snprintf(beside, sizeof beside, "%s.tmp", path);
    bool has_beside = len > 0 && (size_t)len < sizeof beside;
    for (uint32_t i = 0; i < count; i++)
        if (inputs[i] != NULL &&
            (is_same_file(path, inputs[i]) || (has_beside && is_same_file(beside, inputs[i]))))
            return hs_fail(diag, HS_E_USAGE, NULL, "write to another file",
                           "%s %s would destroy the input %s", option, path, inputs[i]);
    return HS_OK;
}

#define UNFINISHED_MAX 4

/* Written beside at this moment, each by the process that began it; for the handler of a signal. */
static const char *volatile unfinished[UNFINISHED_MAX];
static volatile pid_t owners[UNFINISHED_MAX];

static void replace_unfinished(const char *old, const char *by)
{
    for (size_t i = 0; i < UNFINISHED_MAX; i++)
        if (unfinished[i] == old) {
            owners[i] = getpid();
            unfinished[i] = by;
            return;
        }
}

void hs_wholefile_abandon(void)
{
    for (size_t i = 0; i < UNFINISHED_MAX; i++)
        if (unfinished[i] != NULL && owners[i] == getpid())
            (void)unlink(unfinished[i]);
}

enum hs_status hs_wholefile_begin(struct hs_wholefile *file, const char *path, struct hs_diag *diag)
{
    struct stat info;
    memset(file, 0, sizeof *file);
    /* A device or a pipe is written to; a file renamed to its name would take its place. */
    if (strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return HS_OK;
    int len = snprintf(file->beside, sizeof file->beside, "%s.tmp", path);
    if (len < 0 || (size_t)len >= sizeof file->beside)
        return hs_fail(diag, HS_E_USAGE, NULL, NULL, "the name of the output file is too long");
    (void)snprintf(file->path, sizeof file->path, "%s", path);
    replace_unfinished(NULL, file->beside);
    return HS_OK;
}

enum hs_status hs_wholefile_end(struct hs_wholefile *file, enum hs_status status,
                                struct hs_diag *diag)
{
    if (file->beside[0] == '\0')
        return status;
    if (status == HS_OK && rename(file->beside, file->path) != 0)
        status = hs_fail(diag, HS_E_IO, &(struct hs_place){.file = file->path}, NULL,
                         "cannot write: %s", strerror(errno));
    if (status != HS_OK)
        (void)unlink(file->beside); /* the failure has been reported */
    replace_unfinished(file->beside, NULL);
    return status;
}

enum hs_status hs_wholefile_open(struct hs_wholefile *file, const char *path, struct hs_diag *diag)
{
    HS_TRY(hs_wholefile_begin(file, path, diag));
    if (file->beside[0] == '\0')
        return hs_output_open(&file->out, path, diag);
    enum hs_status status = hs_output_open_as(&file->out, file->beside, path, diag);
    if (status != HS_OK)
        replace_unfinished(file->beside, NULL);
    return status;
}

enum hs_status hs_wholefile_close(struct hs_wholefile *file, enum hs_status status,
                                  struct hs_diag *diag)
{
    enum hs_status closed = hs_output_close(&file->out, diag);
    return hs_wholefile_end(file, status == HS_OK ? closed : status, diag);
}
