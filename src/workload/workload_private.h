/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between workload.c, which finds a file, and workload_read.c, which reads it.
 */
#ifndef HORUS_WORKLOAD_PRIVATE_H
#define HORUS_WORKLOAD_PRIVATE_H

#include "workload/workload.h"

/* Everything but the hash; the arena is to be freed whatever this returns. */
HS_MUST_USE enum hs_status hs_workload_read(struct hs_workload *workload, const char *path,
                                            struct hs_diag *diag);

#endif
