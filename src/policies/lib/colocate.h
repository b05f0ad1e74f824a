/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Queues in order of submission for policies that share GPUs, and scans over them with a placement
 * of the policy's own. Capacity only shrinks within a pass, so a job that was refused once is not
 * tried again in it.
 *
 *     struct mine { struct hs_colocate waiting; ... };
 *     static bool place(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id job);
 *     hs_colocate_decide(&state->waiting, v, p, place, state, NULL);
 */
#ifndef HORUS_POLICIES_LIB_COLOCATE_H
#define HORUS_POLICIES_LIB_COLOCATE_H

#include "policies/lib/vc_queues.h"

struct hs_colocate {
    int32_t scan; /* enum hs_scan: strict or fit */
    struct hs_vc_queues queue;
};

#define HS_COLOCATE_SCAN(state_type, field)                                                        \
    HS_PARAM_CHOICE(state_type, field.scan, "scan", "strict", hs_scan_two_names,                   \
                    "behind a job that does not fit: stop, or skip it")

typedef bool hs_place_fn(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id job);

typedef uint32_t hs_blocked_gpus_fn(const void *state, const struct hs_view *v, uint32_t vc);

/* How a scan starts jobs. */
struct hs_colocate_rule {
    hs_place_fn *place;
    void *state; /* of both functions */
    /* The least gang of the VC, among those without demands of their own, that is refused as things
     * stand, as are all larger ones; UINT32_MAX: not known. NULL: gangs are refused one by one. */
    hs_blocked_gpus_fn *blocked_gpus;
    uint64_t max_refusals; /* jobs of a VC that may be refused: 1 is strict */
    uint32_t max_starts;   /* of a VC; 0 = any number */
};

/* Keeps the queue: in with the submission, out with the start, in again when it was stopped, by
 * key, submission and rank. */
void hs_colocate_event(struct hs_vc_queues *q, const struct hs_view *v,
                       const struct hs_event *event, int64_t key);
/* Starts the jobs of each VC in order; one that is started leaves the queue at once. Returns the
 * starts. Gangs that are known to be refused cost a step, or none where the whole queue may be
 * refused.
 */
uint32_t hs_colocate_scan(struct hs_vc_queues *q, const struct hs_view *v, struct hs_plan *p,
                          const struct hs_colocate_rule *rule);
/* By the order of submission and the parameter `scan`. */
void hs_colocate_decide(struct hs_colocate *c, const struct hs_view *v, struct hs_plan *p,
                        hs_place_fn *place, void *state, hs_blocked_gpus_fn *blocked_gpus);
/* No GPU of the VC is idle or open to one more tenant: only jobs without GPUs can start. False for
 * a job that asks for certain nodes: its failure tells nothing of the others. */
bool hs_is_full(const struct hs_view *v, hs_job_id job);

#endif
