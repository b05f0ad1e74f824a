/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Record locks, because they reach over network file systems. Whoever is done removes the file
 * while he holds it, so that a lock counts only if the path still leads to the file that is locked.
 */
#include "cli/pointlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_current(int fd, const char *path)
{
    struct stat held, there;
    return fstat(fd, &held) == 0 && stat(path, &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

enum hs_status hs_pointlock_take(struct hs_pointlock *lock, const char *path, struct hs_diag *diag)
{
    const struct hs_place place = {.file = path};
    for (;;) {
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->fd < 0)
            return hs_fail(diag, HS_E_IO, &place, NULL, "cannot open: %s", strerror(errno));
        bool is_locked = fcntl(lock->fd, F_SETLK, &whole) == 0;
        int error = errno;
        bool is_there = is_current(lock->fd, path);
        if (is_locked && is_there)
            return HS_OK;
        (void)close(lock->fd);
        lock->fd = -1;
        if (!is_there) /* its owner was about to be done */
            continue;
        if (error == EACCES || error == EAGAIN)
            return hs_fail(diag, HS_E_IO, &place, "wait for it, or end it",
                           "another process is running this point");
        return hs_fail(diag, HS_E_IO, &place, NULL, "cannot lock: %s", strerror(error));
    }
}

void hs_pointlock_free(struct hs_pointlock *lock, const char *path)
{
    if (lock->fd < 0)
        return;
    (void)unlink(path);
    (void)close(lock->fd);
    lock->fd = -1;
}
