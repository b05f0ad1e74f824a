/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs that Salus did not admit when it tried, in order of arrival. What was refused stays refused
 * until room is made, and a gang of at most a node's size is placed on one node: so after a job has
 * left, only those are worth another try that the nodes where it was might take.
 *
 *     hs_salus_refused_begin(&scan, s, v, vc);
 *     while ((job = hs_salus_refused_head(&scan)) != HS_NO_JOB) {
 *         bool is_out = hs_salus_refused_may_fit(&scan, job) && admit(job);
 *         hs_salus_refused_next(&scan, is_out);
 *     }
 *
 * Those that are alike stand together, and the first of them is tried for all. The others stand in
 * sets by the size of their gang, whose bounds are memory: of each set the next that the nodes
 * might take is one descent of a tree.
 */
#ifndef HORUS_POLICIES_KIT_SALUS_REFUSED_H
#define HORUS_POLICIES_KIT_SALUS_REFUSED_H

#include "policies/kit_salus.h"

struct hs_salus_refused_scan {
    struct hs_salus *s;
    const struct hs_view *v;
    uint32_t vc;
    struct hs_heads heads; /* next of each set and of each kind */
    struct hs_bounds bounds[HS_SALUS_GANGS];
};

HS_MUST_USE enum hs_status hs_salus_refused_init(struct hs_salus *s, const struct hs_view *v);
void hs_salus_refused_add(struct hs_salus *s, const struct hs_view *v, hs_job_id job);
void hs_salus_refused_remove(struct hs_salus *s, const struct hs_view *v, hs_job_id job);
void hs_salus_refused_begin(struct hs_salus_refused_scan *scan, struct hs_salus *s,
                            const struct hs_view *v, uint32_t vc);
hs_job_id hs_salus_refused_head(const struct hs_salus_refused_scan *scan);
bool hs_salus_refused_may_fit(const struct hs_salus_refused_scan *scan, hs_job_id job);
/* Past the head, which is taken out of its set if it was admitted: then there is less room. */
void hs_salus_refused_next(struct hs_salus_refused_scan *scan, bool is_out);
const char *hs_salus_refused_check(const struct hs_salus *s, const struct hs_view *v);

#endif
