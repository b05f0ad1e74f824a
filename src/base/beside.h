/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An output, file or directory, while it is written: beside its place, under an unguessable name
 * and a lock, so that only one process at a time writes an output.
 *
 *     HS_TRY(hs_beside_lock(&b, path, NULL, diag));    // .NAME.horus; removes leftovers
 *     status = hs_beside_make(&b, &fd, diag);          // NAME.tmp-ID
 *     ... write, sync, then
 *     status = hs_beside_rename(&b, diag);
 *     hs_beside_close(&b);                             // removes the rest and the lock
 *
 * The lock file is held by flock(2) and names what its holder writes: a killed process holds no
 * lock, and the next one knows what it left. Nothing else is ever removed.
 */
#pragma once

#include <stdbool.h>

#include "base/diag.h"

#define HS_BESIDE_PATH_MAX 4096u
#define HS_BESIDE_ID_SIZE  13u /* 48 random bits in hexadecimal digits */

struct hs_beside {
    char path[HS_BESIDE_PATH_MAX];   /* the output; if it fits, the other paths do, too */
    char tmp[HS_BESIDE_PATH_MAX];    /* PATH.tmp-ID, where it is written */
    char lock[HS_BESIDE_PATH_MAX];   /* of the lock file */
    char id[HS_BESIDE_ID_SIZE];      /* of tmp */
    char dead_id[HS_BESIDE_ID_SIZE]; /* of a writer killed while replacing, "" = none */
    bool is_open, is_made, is_swapping;
    bool is_kept; /* what is made stays, with the lock file, unless it gets to its place */
    int fd;       /* of the lock file; -1: the file system has no locks */
    int owner;    /* the process that opened it */
    struct hs_beside *next;
};

/* Opens and locks a file, created if necessary. Returns 0 or an error; EWOULDBLOCK: it is locked;
 * EINTR: try again. The holder may remove the file, and then closes it. */
int hs_lock_try(const char *path, int *fd);
/* Waits up to a second for another writer, then refuses (HS_E_IO). *b must not move until closed.
 * What a killed writer left is taken over, and kept, if it is a directory with the file `mark`
 * (NULL: never): then is_made is set, and the caller goes on with it or drops it. */
HS_MUST_USE enum hs_status hs_beside_lock(struct hs_beside *b, const char *path, const char *mark,
                                          struct hs_diag *diag);
/* Removes what was made or taken over. */
HS_MUST_USE enum hs_status hs_beside_drop(struct hs_beside *b, struct hs_diag *diag);
/* *to, which is not open, takes the place of *from. */
void hs_beside_move(struct hs_beside *to, struct hs_beside *from);
/* Resolves links: a link of the user is kept, and its target replaced. */
HS_MUST_USE enum hs_status hs_beside_follow(const char *path, char target[HS_BESIDE_PATH_MAX],
                                            struct hs_diag *diag);
/* Creates an empty file with descriptor *fd, or an empty directory (fd NULL). */
HS_MUST_USE enum hs_status hs_beside_make(struct hs_beside *b, int *fd, struct hs_diag *diag);
/* Builds PATH followed by ".tmp-" or ".old-" and the ID. */
void hs_beside_name(const struct hs_beside *b, const char *between, const char *id,
                    char name[HS_BESIDE_PATH_MAX]);
/* Renames tmp to its place, replacing a file or an empty directory, and syncs the parent
 * directory. */
HS_MUST_USE enum hs_status hs_beside_rename(struct hs_beside *b, struct hs_diag *diag);
/* Exchanges the complete directory tmp with that at path: atomically, or, if the system cannot, by
 * two renames via PATH.old-ID. After a kill in between the next start finds dead_id. */
HS_MUST_USE enum hs_status hs_beside_swap(struct hs_beside *b, char old[HS_BESIDE_PATH_MAX],
                                          struct hs_diag *diag);
/* Does nothing if it is not open. */
void hs_beside_close(struct hs_beside *b);
/* Removes leftovers of a killed writer of path, unless it was replacing. */
HS_MUST_USE enum hs_status hs_beside_settle(const char *path, struct hs_diag *diag);
/* Removes what this process is writing, and its locks; async-signal-safe. */
void hs_beside_abandon(void);
/* Removes a file, or a directory made by the program, with files and at most two levels of
 * directories; returns true if it is gone. Async-signal-safe. */
bool hs_beside_remove(const char *path);
/* Syncs the directory of path, so that a new name in it survives a power failure. */
HS_MUST_USE enum hs_status hs_beside_sync_above(const char *path, struct hs_diag *diag);
