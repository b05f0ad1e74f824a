/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One output file that is complete or absent: written beside its place as PATH.tmp and renamed once
 * every byte is on the disk. "-" (standard output), a device and a pipe are written directly: there
 * nothing can be taken back.
 *
 *     HS_TRY(hs_wholefile_check(path, "-o", &input, 1, diag));   // at the very begin
 *     HS_TRY(hs_wholefile_open(&file, path, diag));
 *     enum hs_status status = write_rows(&file.out);
 *     return hs_wholefile_close(&file, status, diag);
 */
#ifndef HORUS_BASE_WHOLEFILE_H
#define HORUS_BASE_WHOLEFILE_H

#include "base/io.h"

#define HS_WHOLEFILE_PATH_MAX 4096

/* HS_E_USAGE if writing path, or the file beside it, would destroy one of the inputs, under
 * whatever name; "-" is what it was redirected to. Devices and pipes can be both. Inputs may be
 * NULL, or not there: opening them reports that. option: how path was given, e.g. "-o". */
HS_MUST_USE enum hs_status hs_wholefile_check(const char *path, const char *option,
                                              const char *const *inputs, uint32_t count,
                                              struct hs_diag *diag);

struct hs_wholefile {
    struct hs_output out;
    char path[HS_WHOLEFILE_PATH_MAX],
        beside[HS_WHOLEFILE_PATH_MAX]; /* beside "" = written directly */
};

HS_MUST_USE enum hs_status hs_wholefile_open(struct hs_wholefile *file, const char *path,
                                             struct hs_diag *diag);
/* In place if status is HS_OK and all could be written, else gone. Returns status, or why it could
 * not be written. */
HS_MUST_USE enum hs_status hs_wholefile_close(struct hs_wholefile *file, enum hs_status status,
                                              struct hs_diag *diag);

/* The same for a file that the caller opens and closes: it writes to file->beside, or to path where
 * that is "". */
HS_MUST_USE enum hs_status hs_wholefile_begin(struct hs_wholefile *file, const char *path,
                                              struct hs_diag *diag);
HS_MUST_USE enum hs_status hs_wholefile_end(struct hs_wholefile *file, enum hs_status status,
                                            struct hs_diag *diag);

/* Removes what this process writes beside at this moment: for the handler of a signal that ends the
 * program, and for one that has run out of memory. */
void hs_wholefile_abandon(void);

#endif
