/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Microsoft Philly's scheduler as its authors describe it (Jeon et al., ATC'19); its code was never
 * published. Virtual clusters with quotas that may be exceeded while GPUs are idle, gangs that wait
 * for locality and give it up step by step, preemption for the sake of fair shares.
 *
 * Definition. A VC's quota is at most the cluster; `used` are the GPUs that its jobs hold, those
 * started by the plan included. A waiting job has tries = 0, level = 0 (max_level if relax_after is
 * 0) and is due from its submission on.
 * - Pass: after the events of an instant at which a job was submitted (and not turned away), ended
 *   (or failed) after it held GPUs, or is to be tried again. It looks at the jobs that are due.
 * - Walk: VCs by used / quota as it stands when the walk begins, exactly; ties by index, quota 0
 *   last. The due jobs of a VC by (submission, row); an attempt counts from its resubmission, or,
 *   with requeue=head, goes before all first attempts (several of them by resubmission, row).
 * - A job of n GPUs with used + n > quota is held back if the first due job of another VC, of m
 *   GPUs, has used + m <= quota and could be placed now, at its level and without preemption. That
 *   is no try: it stays due. After a walk that held somebody back and started somebody there is
 *   another. (A pass ends with nobody due: who holds others back is tried later in that walk.)
 * - Otherwise it is tried: placed at its level (kit_locality.h: what lower levels allow comes
 *   first); or else by preemption, below. If both fail, tries++; every relax_after tries level++,
 *   up to max_level; due again at now + retry, or, with retry=0, in the next pass.
 * - On a pool that is wholly idle waiting brings nothing: the level goes up at once until the job
 *   starts, and one that fails at max_level is turned away.
 * - Fair share: a job with used + n <= quota, when at least fair_preempt of all GPUs are held. Jobs
 *   that hold GPUs, the last started first (start of their placement; ties: submitted last, highest
 *   row), not those started by this pass: each whose VC keeps at least its quota without it is
 *   preempted, until the job can be placed at its level. If that is never, nobody is.
 * - A preempted job keeps its place (submission) and its work, and begins anew with tries = 0 and
 *   the first level. It is due from the next pass on; if none comes before, it is tried at
 *   now + retry.
 * - A job without GPUs is nobody's victim.
 *
 * --vc=ignore: one VC whose quota is the cluster: no borrowing, no preemption; order, retries and
 * locality remain. --vc=partition: the quota is the VC's own nodes, so nobody can borrow; a VC has
 * passes of its own and is as independent as a separate run.
 *
 * Cost of a pass: O(VCs), O(log waiting) for each VC with due jobs, and O(log waiting) and a
 * placement (kit_locality.h) for each due job that is looked at: who was tried at max_level is not,
 * when a smaller one of his VC failed there and nothing changed. For one held back a placement for
 * each VC under its quota; for one that preempts a placement for each victim, and O(running). With
 * retry > 0 a job is tried once each `retry`; with retry=0 all waiting jobs are tried in each pass.
 * One timer waits, for the next try; after a preemption perhaps also one that went before it and
 * tells nothing.
 */
#include "policies/kit_philly.h"

static void philly_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct hs_philly *s = state;
    (void)knows;
    *can = HS_CAN_BORROW | (s->retry_us > 0 ? HS_CAN_TIME : 0) |
           (s->fair_preempt > 0 ? HS_CAN_PREEMPT : 0);
}

static enum hs_status philly_init(void *state, const struct hs_view *v)
{
    return hs_philly_init(state, v);
}

static void philly_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    hs_philly_event(state, v, event);
}

static enum hs_status philly_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    hs_philly_decide(state, v, p);
    return HS_OK;
}

static const char *philly_check(const void *state, const struct hs_view *v)
{
    return hs_philly_check(state, v);
}

static void philly_semantics(const void *state, struct hs_semantics *out)
{
    const struct hs_philly *s = state;
    bool is_fair = s->fair_preempt > 0;
    *out = (struct hs_semantics){.order = "submit, virtual clusters by use of quota",
                                 .scan = s->retry_us > 0 ? "fit, each job by retries" : "fit",
                                 .placement = "locality levels",
                                 .preemption = is_fair ? "fair share" : "none",
                                 .cost = is_fair ? hs_cost_names[s->cost.model] : "none"};
}

#define AT(field) .offset = offsetof(struct hs_philly, field)

static const struct hs_param params[] = {
    {.key = "retry",
     .type = HS_PARAM_DURATION,
     AT(retry_us),
     .preset = "120s",
     .max = 1e6,
     .help = "time between two tries of a job; 0: at each submission and end",
     .source = "Jeon et al. ATC'19: back-off of 2 minutes"},
    {.key = "relax_after",
     .type = HS_PARAM_INT,
     AT(relax_after),
     .preset = "5",
     .max = 1e6,
     .help = "tries at a level of locality before the next; 0: max_level at once",
     .source = "Jeon et al. ATC'19: a fixed number, not given; 5 is ours"},
    {.key = "max_level",
     .type = HS_PARAM_INT,
     AT(max_level),
     .preset = "2",
     .max = 2,
     .help = "0: fewest servers in one rack, 1: one rack, 2: anywhere",
     .source = "Jeon et al. ATC'19"},
    {.key = "fair_preempt",
     .type = HS_PARAM_REAL,
     AT(fair_preempt),
     .preset = "0.9",
     .max = 1,
     .help = "share of GPUs in use from which jobs beyond quotas make way; 0: never",
     .source = "Jeon et al. ATC'19"},
    {.key = "requeue",
     .type = HS_PARAM_CHOICE,
     AT(requeue),
     .preset = "tail",
     .choices = hs_requeue_names,
     .help = "where in its queue a failed attempt is submitted again"},
    HS_COST_PARAMS(struct hs_philly, cost),
    {0}};

const struct hs_policy_ops hs_policy_philly = {
    .name = "philly",
    .summary = "quotas that may be exceeded, locality that is given up after a while",
    .cite = "Jeon et al. ATC'19; no code was published",
    .can = HS_CAN_BORROW | HS_CAN_PREEMPT | HS_CAN_TIME,
    .params = params,
    .state_size = sizeof(struct hs_philly),
    .job_state_size = sizeof(struct hs_philly_scratch),
    .needs = philly_needs,
    .init = philly_init,
    .on_event = philly_event,
    .decide = philly_decide,
    .semantics = philly_semantics,
    .check = philly_check,
};
