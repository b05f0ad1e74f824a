/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run's directory, complete or absent: it is built as NAME.tmp-ID/ (base/beside.h), each file is
 * fsynced and closed, then the directory is fsynced and renamed to NAME. An existing NAME is
 * refused unless force. The directory of a comparison works the same way and may contain a folder
 * runs/ of run directories.
 */
#pragma once

#include <stdbool.h>

#include "base/beside.h"
#include "base/fmt.h"

#define HS_PATH_SIZE HS_BESIDE_PATH_MAX
/* A formatted text that is valid until the end of the block, with room for a path of HS_PATH_SIZE
 * bytes and a name or words beside it. */
#define HS_PATH(...)                                                                               \
    hs_text((char[HS_PATH_SIZE + HS_TEXT_SIZE]){0}, HS_PATH_SIZE + HS_TEXT_SIZE, __VA_ARGS__)

struct hs_rundir {
    struct hs_beside beside;
    bool may_replace; /* force */
};

/* dir must not move until close or discard. What a killed run left with a checkpoint is removed
 * only by force. */
HS_MUST_USE enum hs_status hs_rundir_open(struct hs_rundir *dir, const char *path, bool force,
                                          struct hs_diag *diag);
/* The file in a directory being built with which a killed run goes on. */
#define HS_RUNDIR_CHECKPOINT ".checkpoint.zst"
/* Opens what a killed run left with a checkpoint; *is_there: false, and not open, if there is
 * none. */
HS_MUST_USE enum hs_status hs_rundir_resume(struct hs_rundir *dir, const char *path, bool force,
                                            bool *is_there, struct hs_diag *diag);
/* Creates all missing parent folders of path. */
HS_MUST_USE enum hs_status hs_rundir_make_parents(const char *path, struct hs_diag *diag);
/* The path of a file inside the directory being built. */
#define HS_RUNDIR_FILE(dir, name) HS_PATH("%s/%s", (dir)->beside.tmp, name)
/* Tells whether name is safe as a name in a directory: not empty, no leading dot, no slash, no
 * control character. */
bool hs_rundir_is_name(const char *name);
/* Tells whether the directory contains the file. */
bool hs_rundir_has(const char *path, const char *name);
#define HS_RUNS_DIR "runs"
/* Refuses a directory with finished runs in a folder of it ("" or "/runs"), and names one. */
HS_MUST_USE enum hs_status hs_rundir_refuse_many(const char *path, const char *folder,
                                                 struct hs_diag *diag);
/* Removes runs/. */
HS_MUST_USE enum hs_status hs_rundir_drop_runs(const struct hs_rundir *dir, struct hs_diag *diag);
/* Commits if the status is HS_OK, else discards. Returns the status, or the error of the commit. */
HS_MUST_USE enum hs_status hs_rundir_close(struct hs_rundir *dir, enum hs_status status,
                                           struct hs_diag *diag);
/* Removes a finished run directory; if it contains anything else, only the files its manifest
 * lists, and returns HS_E_IO. */
HS_MUST_USE enum hs_status hs_rundir_remove(const char *path, struct hs_diag *diag);
void hs_rundir_discard(struct hs_rundir *dir); /* removes NAME.tmp-ID; no-op after close */
