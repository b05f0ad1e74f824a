/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whose job it is: the VC by the size of the job, then one of the users of that VC by their
 * weights. Users are spread over the VCs once, the largest first, so that each VC's users have
 * weights in all as its jobs have GPU time.
 */
#ifndef HORUS_WORKLOAD_PEOPLE_H
#define HORUS_WORKLOAD_PEOPLE_H

#include "workload/workplan.h"

struct hs_people {
    const struct hs_workload *workload;
    double *vc_sums;         /* [size][VC] running sums of weights; NULL without VCs */
    uint32_t *vc_users;      /* [VC + 1] its first user */
    double *user_sums;       /* running sums of weights, within a VC */
    const char **user_names; /* "u00001" has the largest weight */
    struct hs_arena arena;
};

/* Close it whether or not this succeeds. */
HS_MUST_USE enum hs_status hs_people_open(struct hs_people *people, const struct hs_workplan *plan);
/* Of the job's batch and size alone. *vc and *user NULL where the workload has none. */
void hs_people_of(const struct hs_people *people, const struct hs_workplan_job *job,
                  const char **vc, const char **user);
void hs_people_close(struct hs_people *people);

#endif
