/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * First-come queues of policies that share GPUs: who waits, and the scans over them with a
 * placement of the policy's own. Capacity only shrinks within a pass, so who was refused once is
 * not asked again in it.
 *
 *     struct pack { struct hs_colocate waiting; struct hs_sharer sharer; };
 *     static bool place(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id job);
 *     hs_colocate_decide(&state->waiting, v, p, place, state, &state->sharer);
 */
#ifndef HORUS_POLICIES_KIT_COLOCATE_H
#define HORUS_POLICIES_KIT_COLOCATE_H

#include "policies/kit_queue.h"
#include "policies/kit_share.h"

struct hs_colocate {
    int32_t scan; /* enum hs_scan: strict or fit */
    struct hs_queue queue;
};

#define HS_COLOCATE_SCAN(state_type, field)                                                        \
    {                                                                                              \
        .key = "scan", .type = HS_PARAM_CHOICE, .offset = offsetof(state_type, field.scan),        \
        .preset = "strict", .choices = hs_scan_two_names,                                          \
        .help = "behind a job that does not fit: stop, or skip it"                                 \
    }

typedef bool hs_place_fn(void *state, const struct hs_view *v, struct hs_plan *p, hs_job_id job);

/* How a scan starts jobs. */
struct hs_colocate_rule {
    hs_place_fn *place;
    void *state;                    /* of place */
    const struct hs_sharer *sharer; /* that it asks first; NULL: gangs are refused one by one */
    uint64_t refusals;              /* jobs of a VC that may be refused: 1 is strict */
    uint32_t max_starts;            /* of a VC; 0 = any number */
};

/* Keeps the queue: in with the submission, out with the start, in again when it was stopped, by
 * key, submission and rank. */
void hs_colocate_event(struct hs_queue *q, const struct hs_view *v, const struct hs_event *event,
                       int64_t key);
/* Starts the jobs of each VC in order; one that is started leaves the queue at once. Returns the
 * starts. Gangs that the sharer knows to be refused cost a step, or none if all that wait may be.
 */
uint32_t hs_colocate_scan(struct hs_queue *q, const struct hs_view *v, struct hs_plan *p,
                          const struct hs_colocate_rule *rule);
/* By the order of submission and the parameter `scan`. */
void hs_colocate_decide(struct hs_colocate *c, const struct hs_view *v, struct hs_plan *p,
                        hs_place_fn *place, void *state, const struct hs_sharer *sharer);
/* No GPU of the VC is idle or open to one more tenant: nobody can start but jobs without GPUs.
 * False for a job with demands of its own, whose failure tells nothing of the others. */
bool hs_is_full(const struct hs_view *v, hs_job_id job);

#endif
