/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An output while it is built, file or directory: beside its place, under a name that cannot be
 * guessed, and under a lock, so that one process at a time writes an output.
 *
 *     HS_TRY(hs_beside_lock(&b, path, diag));          // .NAME.horus; removes what a dead one left
 *     status = hs_beside_make(&b, &fd, diag);          // NAME.tmp-ID
 *     ... write, sync, then
 *     status = hs_beside_rename(&b, diag);
 *     hs_beside_close(&b);                             // what is not renamed goes, then the lock
 *
 * The lock file is held by flock(2) and names what its holder builds: a process that was killed
 * holds no lock, and the next one knows what is left of it. Nothing else is ever removed.
 */
#pragma once

#include <stdbool.h>

#include "base/diag.h"

#define HS_BESIDE_PATH_MAX 4096u
#define HS_BESIDE_ID_SIZE  13u /* 48 random bits in hexadecimal digits */

struct hs_beside {
    char path[HS_BESIDE_PATH_MAX];   /* the output; a path that fits leaves room for the others */
    char tmp[HS_BESIDE_PATH_MAX];    /* PATH.tmp-ID, where it is built */
    char lock[HS_BESIDE_PATH_MAX];   /* of the lock file */
    char id[HS_BESIDE_ID_SIZE];      /* of tmp */
    char dead_id[HS_BESIDE_ID_SIZE]; /* of a writer killed in a replacement, "" = none */
    bool is_open, is_made, is_swapping;
    int fd;    /* of the lock file; -1: the file system has no locks */
    int owner; /* the process that opened it */
    struct hs_beside *next;
};

/* Opens and locks a file, which is made if there is none: 0, or the error; EWOULDBLOCK: it is held;
 * EINTR: to be tried again. Whoever holds it may remove it, and then closes it. */
int hs_lock_try(const char *path, int *fd);
/* Waits a second for another writer to end, then refuses (HS_E_IO). *b stays where it is until it
 * is closed. */
HS_MUST_USE enum hs_status hs_beside_lock(struct hs_beside *b, const char *path,
                                          struct hs_diag *diag);
/* The file that a path means: a link of the user stays, what it leads to is replaced. */
HS_MUST_USE enum hs_status hs_beside_follow(const char *path, char target[HS_BESIDE_PATH_MAX],
                                            struct hs_diag *diag);
/* An empty file, *fd its descriptor, or an empty directory (fd NULL). */
HS_MUST_USE enum hs_status hs_beside_make(struct hs_beside *b, int *fd, struct hs_diag *diag);
/* PATH followed by ".tmp-" or ".old-" and the ID. */
void hs_beside_name(const struct hs_beside *b, const char *between, const char *id,
                    char name[HS_BESIDE_PATH_MAX]);
/* tmp takes its place, and the directory above is synced. What stands there is replaced if it is a
 * file, or an empty directory. */
HS_MUST_USE enum hs_status hs_beside_rename(struct hs_beside *b, struct hs_diag *diag);
/* The directory tmp is complete and changes places with that at path: at once, or, where the system
 * cannot, by two renames over PATH.old-ID. A start after a kill in between finds dead_id. */
HS_MUST_USE enum hs_status hs_beside_swap(struct hs_beside *b, char old[HS_BESIDE_PATH_MAX],
                                          struct hs_diag *diag);
/* No-op if it is not open. */
void hs_beside_close(struct hs_beside *b);
/* Removes what a killed writer of path left, if it left anything and was not replacing. */
HS_MUST_USE enum hs_status hs_beside_settle(const char *path, struct hs_diag *diag);
/* Removes what this process is building, and its locks; async-signal-safe. */
void hs_beside_abandon(void);
/* Removes a file, or a directory that the program has made with files and at most two levels of
 * directories; true if it is gone. Async-signal-safe. */
bool hs_beside_remove(const char *path);
/* The directory of path on the disk: a new name in it survives a power failure. */
HS_MUST_USE enum hs_status hs_beside_sync_above(const char *path, struct hs_diag *diag);
