/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run played by hand, reported to observers as by the engine: 2 nodes of 2 GPUs, 4 jobs.
 *
 *     time  0    1    2    5        10             14       16   17      18      20
 *     a     start on 0,1 .......... finish                                        2 GPUs, 10 s
 *     b          submit ........... start on 0-3 . finish                         4 GPUs,  4 s
 *     c               submit ..................... start 0  stop start 3 on 2 fin 1 GPU,   4 s
 *     d                    submit, rejected                                       8 GPUs,  1 s
 *
 * a and c are of user u1, b and d of u2; all of VC v. a has a GPU utilization of 50 %. c has a
 * start-up of 1 s, is suspended at 16 with 300 MiB on the host and migrated at 18. a and d are
 * guaranteed, c is opportunistic. Decisions are reported for the starts of a and c, and at 16 for
 * c, which is throttled to a quarter, limited to 512 MiB and suspended. One trial is undone at 16,
 * two are kept, at 16 and 18.
 */
#ifndef HORUS_TESTS_HANDRUN_H
#define HORUS_TESTS_HANDRUN_H

#include <stdint.h>

#include "horus/observe.h"
#include "model/cluster.h"
#include "report/report.h"

#define HANDRUN_END_US INT64_C(20000000)

/* Fills a cluster with static arrays: it must not be freed. */
void handrun_cluster(struct hs_cluster *cluster);
/* Makes the engine's calls to every observer of the report. Asserts that all succeed. */
void handrun_play(const struct hs_report *report);
/* Writes a whole directory, from open to commit, with all files and a manifest. */
void handrun_write(const char *path, struct hs_summary *summary, struct hs_diag *diag);

#endif
