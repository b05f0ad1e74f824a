/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run's directory, complete or absent: built as NAME.tmp-ID/ (base/beside.h), each file fsynced
 * and closed, then the directory fsynced and renamed to NAME. An existing NAME is refused unless
 * force. That of a comparison is one too: beside its files it may have a folder runs/ of run
 * directories.
 */
#pragma once

#include <stdbool.h>

#include "base/beside.h"

#define HS_PATH_SIZE HS_BESIDE_PATH_MAX

struct hs_rundir {
    struct hs_beside beside;
    bool may_replace; /* force */
};

/* dir stays where it is until close or discard. */
HS_MUST_USE enum hs_status hs_rundir_open(struct hs_rundir *dir, const char *path, bool force,
                                          struct hs_diag *diag);
/* Makes every folder above path that is missing. */
HS_MUST_USE enum hs_status hs_rundir_make_parents(const char *path, struct hs_diag *diag);
/* Path of a file inside the directory being built; buffer owned by the caller. HS_PATH_SIZE bytes
 * always suffice for the names this program gives. */
void hs_rundir_file(const struct hs_rundir *dir, const char *name, char *path, size_t size);
/* A name of something in a directory, which cannot lead out of it: not empty, no leading dot, no
 * slash, no control character. */
bool hs_rundir_is_name(const char *name);
/* Is there such a file in the directory? */
bool hs_rundir_has(const char *path, const char *name);
#define HS_RUNS_DIR "runs"
/* Removes runs/ again. */
HS_MUST_USE enum hs_status hs_rundir_drop_runs(const struct hs_rundir *dir, struct hs_diag *diag);
/* Commits if the status is HS_OK, else discards; the status, or why it could not commit. */
HS_MUST_USE enum hs_status hs_rundir_close(struct hs_rundir *dir, enum hs_status status,
                                           struct hs_diag *diag);
/* Removes a finished run directory, or what its manifest lists if something else is in it, which is
 * HS_E_IO. */
HS_MUST_USE enum hs_status hs_rundir_remove(const char *path, struct hs_diag *diag);
void hs_rundir_discard(struct hs_rundir *dir); /* removes NAME.tmp-ID; no-op after close */
