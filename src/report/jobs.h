/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * jobs.csv: a row a job, in the order in which jobs end; first the 13 columns of evalys' JobSet
 * under their own names, then ours. results/README.md says what each means.
 */
#ifndef HORUS_REPORT_JOBS_H
#define HORUS_REPORT_JOBS_H

#include <stdint.h>

#include "base/diag.h"
#include "data/csvtexts.h"
#include "data/csvwrite.h"
#include "horus/observe.h"

struct hs_jobs_file {
    struct hs_csvw csv;
    struct hs_csvtexts texts;
    const char *workload; /* borrowed */
    uint32_t *gpus;       /* of the last segment told, and whose they were */
    uint32_t gpu_count, gpus_cap;
    uint64_t gpus_of;
};

HS_MUST_USE enum hs_status hs_jobs_file_open(struct hs_jobs_file *f, const char *path,
                                             const char *workload, struct hs_diag *diag);
struct hs_observer hs_jobs_file_observer(struct hs_jobs_file *f);
void hs_jobs_file_free(struct hs_jobs_file *f); /* the csv is closed by its user */

/* The label a job ends with: its recorded outcome when it ran to its end, else what became of it.
 */
const char *hs_job_status_text(const struct hs_job_record *job);

#endif
