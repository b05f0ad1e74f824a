/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Salus policies (README.md): parameters, events, one decision, and a record a rule.
 *
 * A decision admits first, so that new members hand their mini-batches in before members whose own
 * has just ended. Then each lane where something happened chooses its runner. If that is not how
 * the starts of new members were written, the plan is rolled back and they are written once more.
 */
#include "policies/salus/salus.h"

enum { LANES_AUTO, LANES_PAPER, LANES_CODE, LANES_ONE };

static const char *const rule_names[] = {"fifo", "srtf", "pack", "fair", "rr", NULL};
static const char *const lane_names[] = {"auto", "paper", "code", "one", NULL};
static const char *const mode_names[] = {"auto", "exact", "fluid", NULL};
static const char *const startup_names[] = {"fixed", "model", NULL};

static bool is_plain(const struct hs_salus *s, enum hs_salus_rule rule)
{
    return rule == HS_SALUS_FIFO && s->lanes_of == LANES_AUTO;
}

static enum hs_salus_model model_of(const struct hs_salus *s, enum hs_salus_rule rule)
{
    if (s->lanes_of == LANES_CODE)
        return HS_SALUS_CODE;
    bool is_paper =
        s->lanes_of == LANES_PAPER || (s->lanes_of == LANES_AUTO && rule == HS_SALUS_PACK);
    return is_paper ? HS_SALUS_PAPER : HS_SALUS_ONE;
}

static void narrow_needs(const struct hs_salus *s, enum hs_salus_rule rule, uint32_t *can,
                         uint32_t *knows)
{
    uint32_t clock = s->poll_us > 0 ? HS_CAN_TIME : 0;
    if (rule == HS_SALUS_SRTF)
        hs_estimate_needs(&s->estimate, knows);
    else
        *knows &= ~(uint32_t)HS_ESTIMATE_KNOWS;
    if (is_plain(s, rule)) {
        *knows = HS_KNOWS_MEMORY;
        *can = clock;
        return;
    }
    *can = HS_CAN_COLOCATE | HS_CAN_SLICE | (rule == HS_SALUS_FAIR ? HS_CAN_TIME : clock);
}

/* Parts in a million, exact for what a table states. */
static int64_t millionths(double x)
{
    return (int64_t)(x * 1e6 + 0.5);
}

static enum hs_status init_rule(struct hs_salus *s, const struct hs_view *v,
                                enum hs_salus_rule rule)
{
    s->rule = rule;
    s->is_plain = is_plain(s, rule);
    s->touched = HS_NO_LANE;
    s->first_candidate = s->last_candidate = HS_NO_JOB;
    s->lanes.model = model_of(s, rule);
    s->lanes.reserve_mib = s->reserve_mib;
    s->lanes.max_sessions = s->max_sessions;
    s->lanes.infl_p_millionths = millionths(s->infl_p);
    s->lanes.infl_total_millionths = millionths(s->infl_total);
    hs_salus_queue_init(s, v);
    hs_salus_gpus_init(&s->lanes, v);
    if (s->is_plain)
        return HS_OK;
    if (rule == HS_SALUS_SRTF)
        HS_TRY(hs_estimate_open(&s->estimate, v));
    hs_salus_lanes_init(&s->lanes, v);
    uint64_t gpus = s->lanes.gpu_count;
    s->picks.gpus = hs_view_alloc(v, gpus * sizeof *s->picks.gpus);
    s->picks.utils_pm = hs_view_alloc(v, gpus * sizeof *s->picks.utils_pm);
    return HS_OK;
}

/* ---- events ---- */

static bool is_member(const struct hs_view *v, hs_job_id job)
{
    return hs_salus_job(v, job)->lane > 0;
}

static void salus_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct hs_salus *s = state;
    hs_job_id job = event->job;
    bool is_end = event->kind == HS_EVENT_FINISH || event->kind == HS_EVENT_STOPPED;
    if (is_end && is_member(v, job))
        hs_salus_left(s, v, job);
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
    case HS_EVENT_STOPPED: /* its GPU ran out of memory */
        hs_salus_queue_add(s, v, job);
        s->is_awake = true;
        break;
    case HS_EVENT_FINISH:
        hs_salus_queue_remove(s, v, job);
        s->is_awake = true;
        break;
    case HS_EVENT_PROGRESS:
        if (is_member(v, job))
            hs_salus_ready(s, v, job);
        break;
    case HS_EVENT_STEP:
        hs_salus_stepped(s, v, job);
        break;
    case HS_EVENT_MEMORY:
        if (is_member(v, job))
            hs_salus_lane_renew(&s->lanes, v, job);
        s->is_awake = true;
        break;
    case HS_EVENT_TIMER:
        if (event->tag != HS_SALUS_POLL_TAG)
            hs_salus_due(s, v, (uint32_t)event->tag);
        break;
    case HS_EVENT_STARTED:
        break;
    }
}

/* ---- decisions ---- */

static enum hs_status salus_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct hs_salus *s = state;
    uint32_t mark = hs_plan_mark(p);
    hs_salus_queue_scan(s, v, p);
    for (uint32_t id = s->touched; id != HS_NO_LANE; id = s->lanes.lanes[id].next_touched)
        hs_salus_choose(s, v, id);
    bool is_other = false; /* candidates start as their lanes chose, not as was written */
    for (hs_job_id m = s->first_candidate; m != HS_NO_JOB; m = hs_salus_job(v, m)->next_candidate) {
        struct hs_salus_job *j = hs_salus_job(v, m);
        bool waits = j->lane > 0 && j->wanted_q32 == 0;
        is_other = is_other || waits != j->starts_waiting;
        j->starts_waiting = waits;
    }
    if (is_other) {
        hs_plan_rollback(p, mark);
        hs_salus_queue_repeat(s, v, p);
    }
    for (uint32_t id = s->touched; id != HS_NO_LANE; id = s->lanes.lanes[id].next_touched)
        hs_salus_turn(s, v, p, id);
    s->touched = HS_NO_LANE;
    hs_salus_queue_poll(s, v, p);
    for (hs_job_id m = s->first_candidate; m != HS_NO_JOB; m = hs_salus_job(v, m)->next_candidate)
        hs_salus_job(v, m)->is_candidate = false;
    s->first_candidate = s->last_candidate = HS_NO_JOB;
    return HS_OK;
}

/* ---- what it is ---- */

static void describe(const struct hs_salus *s, enum hs_salus_rule rule, struct hs_semantics *out)
{
    static const char *const orders[] = {[HS_SALUS_FIFO] = "submit",
                                         [HS_SALUS_SRTF] = "declared - used time",
                                         [HS_SALUS_PACK] = "mini-batches as handed in",
                                         [HS_SALUS_FAIR] = "used time",
                                         [HS_SALUS_RR] = "mini-batches since a job came"};
    static const char *const placements[] = {[HS_SALUS_PAPER] = "lanes that grow",
                                             [HS_SALUS_CODE] = "lanes as cut",
                                             [HS_SALUS_ONE] = "one lane a GPU"};
    bool is_server = is_plain(s, rule);
    *out = (struct hs_semantics){
        .order = orders[rule],
        .scan = is_server ? "strict" : "fit",
        .placement = is_server ? "consolidate" : placements[model_of(s, rule)],
        .preemption = is_server ? "none" : "at mini-batches, memory kept",
        .cost = s->startup_by == HS_SALUS_BY_MODEL ? "restart at the start" : "free",
        .ties = is_server || rule == HS_SALUS_SRTF ? NULL : "as handed in"};
}

static const char *salus_check(const void *state, const struct hs_view *v)
{
    const struct hs_salus *s = state;
    const char *broken = hs_salus_queue_check(s, v);
    if (broken == NULL && !s->is_plain)
        broken = hs_salus_lanes_check(&s->lanes, v);
    return broken != NULL || s->is_plain ? broken : hs_salus_turns_check(s, v);
}

/* ---- records ---- */

#define LANE_PARAMS                                                                                \
    HS_PARAM_CHOICE(                                                                               \
        struct hs_salus, lanes_of, "lanes", "auto", lane_names,                                    \
        "who may share a GPU: as in the paper, as in the code, or in one lane that has all of "    \
        "it; auto: paper for pack, one for srtf, fair and rr, nobody for fifo",                    \
        .source = "lanemgr.cpp and the drivers of the trace experiment in Salus' repository"),     \
        HS_PARAM_CHOICE(struct hs_salus, mode, "mode", "auto", mode_names,                         \
                        "pack, fair, rr: turns by mini-batches, or the shares of time that come "  \
                        "of them; auto: exact while at most fluid_above jobs are admitted"),       \
        HS_PARAM_INT(struct hs_salus, fluid_above, "fluid_above", "1000", 0, 1e9,                  \
                     "jobs that may take exact turns at the same time", .only_with = "mode=auto",  \
                     .unit = "jobs"),                                                              \
        HS_PARAM_REAL(struct hs_salus, infl_p, "infl_p", "1.1", 1, 10,                             \
                      "persistent memory is taken for so many times what is predicted",            \
                      .source = "Salus' drivers"),                                                 \
        HS_PARAM_REAL(struct hs_salus, infl_total, "infl_total", "1.05", 1, 10,                    \
                      "and this, with what a mini-batch needs beside it, for so many times that",  \
                      .source = "Salus' drivers"),                                                 \
        HS_PARAM_SIZE_MIB(struct hs_salus, reserve_mib, "reserve", "300MiB", 0, 0,                 \
                          "memory of each GPU that no lane gets", .source = "Salus' code"),        \
        HS_PARAM_INT(struct hs_salus, max_sessions, "max_sessions", "100", 1, 1e9,                 \
                     "jobs admitted to one GPU at most", .unit = "jobs",                           \
                     .source = "Salus' drivers"),                                                  \
        HS_PARAM_DURATION(struct hs_salus, poll_us, "poll", "0s", 0, 86400,                        \
                          "admit one job at each multiple of this; 0: at once, any number",        \
                          .source = "0.1 s: the driver of Salus' fifo runs"),                      \
        HS_PARAM_DURATION(struct hs_salus, startup_us, "startup", "0s", 0, 86400,                  \
                          "what a job does on the CPU before its first mini-batch"),               \
        HS_PARAM_CHOICE(struct hs_salus, startup_by, "startup_by", "fixed", startup_names,         \
                        "always startup, or by its model (--restart-table), and startup where "    \
                        "that is not known"),                                                      \
        HS_PARAM_DURATION(struct hs_salus, step_us, "step", "0.35s", 1e-6, 86400,                  \
                          "mini-batch of a job of which it is not known, for its share of a lane", \
                          .source = "median of seven of Salus' workloads: 0.02 to 1.06 s")

static const struct hs_param lane_params[] = {LANE_PARAMS, {0}};
static const struct hs_param srtf_params[] = {
    LANE_PARAMS, HS_ESTIMATE_PARAMS(struct hs_salus, estimate, "oracle"), {0}};
static const struct hs_param rule_params[] = {
    HS_PARAM_CHOICE(struct hs_salus, rule_param, "rule", "srtf", rule_names,
                    "who of those that share a lane has the next mini-batch",
                    .source = "the runs of Salus' repository"),
    LANE_PARAMS,
    HS_ESTIMATE_PARAMS(struct hs_salus, estimate, "oracle"),
    {0}};

/* A policy of one rule. The hooks differ in the rule alone, which they need before init: it is a
 * constant, or `s->rule_param` of the state s. */
#define SALUS_POLICY(id, policy_name, policy_rule, table, more_knows, text)                        \
    static void id##_needs(const void *state, uint32_t *can, uint32_t *knows)                      \
    {                                                                                              \
        const struct hs_salus *s = state;                                                          \
        narrow_needs(s, (enum hs_salus_rule)(policy_rule), can, knows);                            \
    }                                                                                              \
    static enum hs_status id##_init(void *state, const struct hs_view *v)                          \
    {                                                                                              \
        struct hs_salus *s = state;                                                                \
        return init_rule(s, v, (enum hs_salus_rule)(policy_rule));                                 \
    }                                                                                              \
    static void id##_semantics(const void *state, struct hs_semantics *out)                        \
    {                                                                                              \
        const struct hs_salus *s = state;                                                          \
        describe(s, (enum hs_salus_rule)(policy_rule), out);                                       \
    }                                                                                              \
    const struct hs_policy_ops hs_policy_##id = {                                                  \
        .name = (policy_name),                                                                     \
        .summary = (text),                                                                         \
        .cite = "Yu & Chowdhury, MLSys'20 (lanes=paper), and its code (lanes=code, one)",          \
        .can = HS_CAN_COLOCATE | HS_CAN_SLICE | HS_CAN_TIME,                                       \
        .knows = HS_KNOWS_MEMORY | HS_KNOWS_RATE | (more_knows),                                   \
        .params = (table),                                                                         \
        .state_size = sizeof(struct hs_salus),                                                     \
        .job_state_size = sizeof(struct hs_salus_job),                                             \
        .needs = id##_needs,                                                                       \
        .init = id##_init,                                                                         \
        .on_event = salus_event,                                                                   \
        .decide = salus_decide,                                                                    \
        .semantics = id##_semantics,                                                               \
        .check = salus_check,                                                                      \
    }

SALUS_POLICY(salus, "salus", s->rule_param, rule_params, HS_ESTIMATE_KNOWS,
             "jobs keep their memory on a GPU and share it by mini-batches");
SALUS_POLICY(salus_fifo, "salus-fifo", HS_SALUS_FIFO, lane_params, 0,
             "a plain server: the next job starts when its GPUs are free");
SALUS_POLICY(salus_srtf, "salus-srtf", HS_SALUS_SRTF, srtf_params, HS_ESTIMATE_KNOWS,
             "least declared minus used time runs on a GPU, others wait with their memory on it");
SALUS_POLICY(salus_pack, "salus-pack", HS_SALUS_PACK, lane_params, 0,
             "mini-batches alternate in lanes that run at the same time");
SALUS_POLICY(salus_fair, "salus-fair", HS_SALUS_FAIR, lane_params, 0,
             "the mini-batch of whoever has used a GPU least is next");
SALUS_POLICY(salus_rr, "salus-rr", HS_SALUS_RR, lane_params, 0,
             "the mini-batch of whoever had fewest since somebody came is next");
