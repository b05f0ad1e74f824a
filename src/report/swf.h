/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * jobs.swf: the schedule in the Standard Workload Format, version 2.2, of the Parallel Workloads
 * Archive (Chapin et al., JSSPP 1999; D. Feitelson, "The Standard Workload Format",
 * www.cs.huji.ac.il/labs/parallel/workload/swf.html): a line a job in order of submission, 18
 * numbers, -1 for what is not known. A processor is a GPU. results/README.md has the fields.
 *
 * Jobs end in another order than they come: what is known of one waits in a file, in its place.
 * Memory O(users + virtual clusters).
 */
#ifndef HORUS_REPORT_SWF_H
#define HORUS_REPORT_SWF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/intern.h"
#include "horus/observe.h"
#include "model/cluster.h"
#include "report/report.h"
#include "report/spool.h"

struct hs_swf {
    const struct hs_report_options *options; /* borrowed */
    struct hs_diag *diag;
    struct hs_spool records;
    struct hs_intern users, vcs; /* numbered in order of submission */
    uint64_t gpus_of;            /* whose the last segment told was, and its GPUs */
    uint32_t gpu_count;
};

HS_MUST_USE enum hs_status hs_swf_open(struct hs_swf *s, const struct hs_report_options *options,
                                       struct hs_diag *diag);
struct hs_observer hs_swf_observer(struct hs_swf *s);
HS_MUST_USE enum hs_status hs_swf_write(struct hs_swf *s, const char *path,
                                        struct hs_output_file *file, struct hs_diag *diag);
void hs_swf_close(struct hs_swf *s);

#endif
