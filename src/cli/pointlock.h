/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One process at a time on one point of a sweep, on this machine or on another that shares the
 * directory: a lock on a file beside it, which ends with the process however that ends.
 */
#ifndef HORUS_CLI_POINTLOCK_H
#define HORUS_CLI_POINTLOCK_H

#include "base/diag.h"

struct hs_pointlock {
    int fd; /* -1: not held */
};

/* Waits while another process holds it: whoever was killed may have left one behind that is still
 * at work. HS_E_INTERRUPTED if a signal ends that, HS_E_IO where files cannot be locked. */
HS_MUST_USE enum hs_status hs_pointlock_take(struct hs_pointlock *lock, const char *path,
                                             struct hs_diag *diag);
/* Removes the file. */
void hs_pointlock_free(struct hs_pointlock *lock, const char *path);

#endif
