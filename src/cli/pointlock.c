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
#include <time.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* Looking, not F_SETLKW: a signal that comes just before it would not be heard until the end. */
#define LOOK_EVERY_NS 100000000

static bool is_current(int fd, const char *path)
{
    struct stat held, there;
    return fstat(fd, &held) == 0 && stat(path, &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

enum hs_status hs_pointlock_take(struct hs_pointlock *lock, const char *path, struct hs_diag *diag)
{
    const struct hs_place place = {.file = path};
    bool has_waited = false;
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
        if (error != EACCES && error != EAGAIN)
            return hs_fail(diag, HS_E_IO, &place, NULL, "cannot lock: %s", strerror(error));
        if (hs_interrupt_signal() != 0)
            return hs_fail(diag, HS_E_INTERRUPTED, &place, NULL,
                           "stopped while another process was running this point");
        if (!has_waited)
            hs_report(diag, HS_NOTE, &place, NULL,
                      "another process is running this point: waiting");
        has_waited = true;
        (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_NS}, NULL);
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
