/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AntMan (Xiao et al., OSDI'20): guaranteed jobs run as if alone, and opportunistic ones fill what
 * they leave of their GPUs. No prediction of run times; no job is ever moved or put aside.
 *
 * Definition; [ours] is what the paper leaves open.
 * - Tenants are virtual clusters with quotas (--vc=quota; else every quota is without bound). The
 *   class of a job is guaranteed, opportunistic or auto (the column `class`).
 * - Pass, after each submission and end: upgrades, then reservations, then queues. Tenants take
 *   turns: a job has the round after that of the one before it of its tenant, or that of the job
 *   served last, and jobs are served by (round, submission, row) [ours: the paper says "fairly"].
 * - A guaranteed job, or one of class auto, at the head of its tenant's queue whose quota has room
 *   is charged to it. It starts if enough GPUs are usable: without a guaranteed job, not reserved
 *   for one that has waited longer, with memory for its peak beside the least of the opportunistic
 *   jobs there. Else it reserves all of them, also those reserved for one that came later, and
 *   waits; each time GPUs are freed those who wait this way go first, in the order in which they
 *   began to. Without room the queue of the tenant waits behind it, but what is of class auto
 *   becomes opportunistic, conv_wait after its submission.
 * - GPUs of a gang: one node if one has enough (fewest GPUs with opportunistic jobs, then their
 *   least utilization, then the fullest node, lowest id), else whole nodes with most usable GPUs
 *   first. So it never waits for a better place [ours: traces tell no topology].
 * - Upgrade: a job of class auto that runs as an opportunistic one becomes guaranteed where it is
 *   when its quota has room and no GPU of it has an owner or is reserved; before any other starts,
 *   in order of submission within its tenant.
 * - An opportunistic job starts on the GPUs of least mean utilization in `util_window`, if that is
 *   below util_thr on all of them (lowest id on ties). Where a window cannot know what the jobs of
 *   a GPU will use, the sum of their utilizations is charged if it is more: until somebody who has
 *   just come is seen in it, and as long as an opportunistic one is held back, here or on another
 *   GPU of its gang [ours: else GPUs whose jobs stand still look idle, and take ever more].
 *   Reserved GPUs are open to it, not those whose owner came less than `init` ago [ours], nor those
 *   where it would bring the caps to nothing [ours]. Who does not fit is passed over [ours]. While
 *   they wait, utilizations are sampled at multiples of `tick`, as long as some GPU changed within
 *   the window.
 * - Caps, with ramp: when a guaranteed job comes to a GPU, the opportunistic ones there stop for
 *   `init` and have the least memory; then their caps are one step and rise by one each `tick` of
 *   the GPU's clock, which starts with that job, up to the last step at which cap times the sum of
 *   their utilizations is within what the owner leaves. A newcomer beside it begins that ramp anew,
 *   for all of them [ours]. Without ramp they have the last step at once. A gang has the
 *   least cap of its GPUs. When the owner leaves, caps are lifted.
 * - Memory: the owner has its peak, the others the rest (kit_antman_memory.h); what a job lacks is
 *   on the host, at most host_gb of it. An owner that comes to need more is slow for the rest of
 *   its mini-batch, or a whole one, and then has it; whatever else changes, changes at once. Memory
 *   taken and given costs a running job time. Killed is only who needs more than device and
 *   host_gb.
 *
 * Utilizations are what is told of the jobs: by the oracle, what a monitor would measure; unknown
 * counts as nothing. Cost of a pass: O(log) for each job that comes or goes, O(nodes) for a
 * guaranteed job that does not fit idle GPUs of one node, O(log GPUs) a GPU of an opportunistic
 * one, and O(GPUs that changed within the window).
 */
#include "policies/kit_antman.h"

static enum hs_status antman_init(void *state, const struct hs_view *v)
{
    return hs_antman_init(state, v);
}

static void antman_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    hs_antman_event(state, v, event);
}

static enum hs_status antman_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    hs_antman_decide(state, v, p);
    return HS_OK;
}

static void antman_semantics(const void *state, struct hs_semantics *out)
{
    const struct hs_antman *s = state;
    *out = (struct hs_semantics){
        .order = "tenants in turn, submit",
        .scan = "guaranteed: strict with reservations; opportunistic: fit",
        .placement = "guaranteed: fewest nodes; opportunistic: least utilization",
        .preemption = s->has_ramp ? "opportunistic jobs are throttled, by a ramp"
                                  : "opportunistic jobs are throttled",
        .cost = "memory moved"};
}

static const char *antman_check(const void *state, const struct hs_view *v)
{
    const struct hs_antman *s = state;
    const char *broken = hs_holds_check(&s->holds, v);
    if (broken == NULL)
        broken = hs_antman_check_queues(s, v);
    return broken != NULL ? broken : hs_antman_check_gpus(s, v);
}

#define AT(field) .offset = offsetof(struct hs_antman, field)

static const struct hs_param params[] = {
    {.key = "util_thr",
     .type = HS_PARAM_REAL,
     AT(util_thr),
     .preset = "0.8",
     .min = 0.001,
     .max = 1,
     .help = "an opportunistic job starts on GPUs of less mean utilization",
     .source = "Xiao et al., OSDI'20: 80 %"},
    {.key = "util_window",
     .type = HS_PARAM_DURATION,
     AT(window_us),
     .preset = "10s",
     .min = 1,
     .max = 1e6,
     .help = "over which that mean is taken",
     .source = "Xiao et al., OSDI'20"},
    {.key = "tick",
     .type = HS_PARAM_DURATION,
     AT(tick_us),
     .preset = "10s",
     .min = 0.001,
     .max = 1e6,
     .help = "between steps of a ramp, and between looks at utilizations while jobs wait",
     .source = "the authors' code: statistics every 10 s"},
    {.key = "init",
     .type = HS_PARAM_DURATION,
     AT(init_us),
     .preset = "10s",
     .max = 1e6,
     .help = "how long the others make way for a guaranteed job that starts"},
    {.key = "ramp",
     .type = HS_PARAM_FLAG,
     AT(has_ramp),
     .preset = "on",
     .help = "caps rise by steps; off: as high as they may be at once, without init"},
    {.key = "step",
     .type = HS_PARAM_REAL,
     AT(step),
     .preset = "0.1",
     .min = 0.001,
     .max = 1,
     .help = "by which caps rise"},
    {.key = "conv_wait",
     .type = HS_PARAM_DURATION,
     AT(conv_wait_us),
     .preset = "0s",
     .max = 1e9,
     .help = "how long a job of class auto waits for quota before it is opportunistic"},
    {.key = "shrink_ms_per_gb",
     .type = HS_PARAM_REAL,
     AT(shrink_ms_per_gb),
     .preset = "1",
     .max = 1e6,
     .help = "what giving GPU memory costs a running job",
     .source = "Xiao et al., OSDI'20: 17 ms for 16.3 GB of ResNet-50"},
    {.key = "growth_ms_per_gb",
     .type = HS_PARAM_REAL,
     AT(growth_ms_per_gb),
     .preset = "7",
     .max = 1e6,
     .help = "what getting GPU memory costs a running job",
     .source = "Xiao et al., OSDI'20: 115 ms for 16.3 GB of ResNet-50"},
    {.key = "host_gb",
     .type = HS_PARAM_INT,
     AT(host_gb),
     .preset = "64",
     .max = 1e6,
     .unit = "GB",
     .help = "memory on the host that stands in for memory of the GPU, for each worker",
     .source = "the authors' code: at most 64 GB"},
    {.key = "mem_chunk",
     .type = HS_PARAM_REAL,
     AT(mem_chunk),
     .preset = "0.1",
     .min = 0.05,
     .max = 1,
     .help = "share of its peak by which the memory of an opportunistic job is chosen"},
    {0}};

const struct hs_policy_ops hs_policy_antman = {
    .name = "antman",
    .summary = "guaranteed jobs as if alone, opportunistic ones in what these leave of their GPUs",
    .cite = "Xiao et al., OSDI'20",
    .can = HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_THROTTLE | HS_CAN_TIME | HS_CAN_BORROW |
           HS_CAN_PREEMPT,
    .knows = HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY | HS_KNOWS_RATE,
    .params = params,
    .state_size = sizeof(struct hs_antman),
    .job_state_size = sizeof(struct hs_antman_job),
    .wants_mean_util = true,
    .init = antman_init,
    .on_event = antman_event,
    .decide = antman_decide,
    .semantics = antman_semantics,
    .check = antman_check,
};
