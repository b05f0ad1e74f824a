/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a policy may do: append actions to a plan. The engine checks each action against a shadow
 * of the cluster as it is appended and applies the whole plan after decide(), or none of it.
 *
 *     uint32_t mark = hs_plan_mark(p);
 *     hs_plan_start(p, job);
 *     hs_plan_on_node(p, node, 8);
 *     if (!enough) hs_plan_rollback(p, mark);     // as if it had never been said
 *
 * An illegal action (two gangs on one GPU, a start of a running job, ...) fails the run with an
 * error that names policy, job, node and rule; the calls after it are ignored, so a policy need
 * not test each one. Releases count before takes: what one action frees the next may use.
 * preempt + start of one job in one plan is a move: free if it ends up on the same nodes,
 * otherwise a migration that pays the cost given to preempt.
 */
#ifndef HORUS_PLAN_H
#define HORUS_PLAN_H

#include <stdint.h>

#include "horus/view.h"

struct hs_plan;

/* Start a pending or suspended job. Its GPUs follow: exactly its gang size in all (or a count
 * within its elastic range, with HS_CAN_RESIZE), before the next action. */
void hs_plan_start(struct hs_plan *p, hs_job_id job);
void hs_plan_on_node(struct hs_plan *p, uint32_t node, uint32_t gpus); /* free GPUs of a node */
void hs_plan_on_gpu(struct hs_plan *p, uint32_t gpu); /* one GPU; shared with HS_CAN_COLOCATE */

/* Take all GPUs from a placed job (HS_CAN_PREEMPT). resume_cost_us is added to what it owes before
 * it makes progress again; an unpaid rest of an earlier cost stays owed. */
void hs_plan_preempt(struct hs_plan *p, hs_job_id job, int64_t resume_cost_us);
/* A job that is not paused owes cost_us more before it makes progress (again). */
void hs_plan_owe(struct hs_plan *p, hs_job_id job, int64_t cost_us);
/* Move a placed job (HS_CAN_MIGRATE): new GPUs follow as for start; it pauses for pause_us. */
void hs_plan_migrate(struct hs_plan *p, hs_job_id job, int64_t pause_us);
/* Stop and continue a job that stays resident on its GPUs (HS_CAN_SLICE). */
void hs_plan_pause(struct hs_plan *p, hs_job_id job);
void hs_plan_resume(struct hs_plan *p, hs_job_id job);
/* Time slices (HS_CAN_SLICE): jobs of one lane take turns on the GPUs they share and do not
 * interfere; each gets its share, Q32 in (0, 1], of the lane's time, and the shares of a lane on a
 * GPU add up to at most 1. Different lanes run at once and interfere. Lane 0, the default, is
 * nobody's: a job in it runs beside all others, with share 1. */
void hs_plan_slice(struct hs_plan *p, hs_job_id job, uint32_t lane, uint64_t share_q32);
/* Throttle, Q32 in (0, 1] (HS_CAN_THROTTLE). Like lane and share it ends with the placement, also
 * when the job is moved. */
void hs_plan_cap(struct hs_plan *p, hs_job_id job, uint64_t cap_q32);
/* GPU memory a job may use, MiB per GPU (HS_CAN_THROTTLE); 0 lifts the limit, which otherwise
 * stays with the job wherever it goes. */
void hs_plan_mem_limit(struct hs_plan *p, hs_job_id job, uint32_t mib);
/* End a placed job (HS_CAN_PREEMPT): it counts as failed, its work as lost. */
void hs_plan_kill(struct hs_plan *p, hs_job_id job);
/* Turn away a waiting job that never started; reason is a static text for jobs.csv and messages. */
void hs_plan_reject(struct hs_plan *p, hs_job_id job, const char *reason);
/* Call on_event(HS_EVENT_TIMER) with this tag at at_us >= now (HS_CAN_TIME). */
void hs_plan_timer(struct hs_plan *p, int64_t at_us, uint64_t tag);

/* Savepoint of the plan, and return to it. */
uint32_t hs_plan_mark(const struct hs_plan *p);
void hs_plan_rollback(struct hs_plan *p, uint32_t mark);

#endif
