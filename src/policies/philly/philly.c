/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Microsoft Philly's scheduler as its authors describe it (Jeon et al., ATC'19); its code was never
 * published. Virtual clusters with quotas that may be exceeded while GPUs are idle, gangs that wait
 * for locality and give it up step by step, preemption for the sake of fair shares.
 *
 * Definition. A VC's quota is at most the cluster; `used` are the GPUs that its jobs hold, those
 * started by the plan included. A waiting job has tries = 0, level = 0 (max_level if relax_after is
 * 0) and is due from its submission on.
 * - Pass: after the events of an instant at which a job was submitted (and not rejected), ended
 *   (or failed) after it held GPUs, or is to be tried again. It looks at the jobs that are due.
 * - Walk: VCs by used / quota as it stands when the walk begins, exactly; ties by index, quota 0
 *   last. The due jobs of a VC by (submission, row); an attempt counts from its resubmission, or,
 *   with requeue=head, goes before all first attempts (several of them by resubmission, row).
 * - A job of n GPUs with used + n > quota is held back if the first due job of another VC, of m
 *   GPUs, has used + m <= quota and could be placed now, at its level and without preemption. That
 *   is no try: it stays due. After a walk that held a job back and started one there is another.
 *   (A pass ends with no job due: one that holds others back is tried later in that walk.)
 * - Otherwise it is tried: placed at its level, or else by preemption, both below. If both fail,
 *   tries++; every relax_after tries level++, up to max_level; due again at now + retry, or, with
 *   retry=0, in the next pass.
 * - Levels; g is the size of the largest node that the job may use (hs_view_node_size). 0: the
 *   fewest servers that could hold it, ceil(n / g), all in one rack; 1: one rack, on any number
 *   of its servers; 2: anywhere. What lower levels allow is tried first: a gang is never spread
 *   further than the free GPUs force it to be. n <= g: the node with fewest free GPUs that
 *   suffice, lowest id. Else racks by free GPUs of all their nodes, also those of other virtual
 *   clusters, most first, lowest id on ties: the first that can hold the gang gets it (0, 1), or
 *   each gives what it has (2). Within a rack nodes by the GPUs that the job may take of them now,
 *   most first, lowest id on ties; each gives all of them until the gang is whole, and at level 0
 *   the ceil(n / g) first must hold it.
 * - On a pool that is wholly idle waiting brings nothing: the level goes up at once until the job
 *   starts, and one that fails at max_level is rejected.
 * - Fair share: a job with used + n <= quota, when at least fair_preempt of all GPUs are held. Jobs
 *   that hold GPUs, the last started first (start of their placement; ties: submitted last, highest
 *   row), not those started by this pass: each whose VC keeps at least its quota without it is
 *   preempted, until the job can be placed at its level. If that is never, none is.
 * - A preempted job keeps its place (submission) and its work, and begins anew with tries = 0 and
 *   the first level. It is due from the next pass on; if none comes before, it is tried at
 *   now + retry.
 * - A job without GPUs is never preempted.
 *
 * --vc=ignore: one VC whose quota is the cluster: no borrowing, no preemption; order, retries and
 * locality remain. --vc=partition: the quota is the VC's own nodes, so none can borrow; a VC has
 * passes of its own and is as independent as a separate run.
 *
 * Cost of a placement: O(log nodes) at level 0 for n <= g; else O(racks log racks), and for each
 * rack with enough free GPUs that is looked at O(nodes of the rack) and a sort of those with free
 * GPUs. Of a pass: O(VCs), O(log waiting) for each VC with due jobs, and O(log waiting) and a
 * placement for each due job. For one held back a placement for each VC under its quota; for one
 * that preempts a placement for each victim, and O(running). One timer waits, for the next try;
 * after a preemption perhaps also one that went before it and tells nothing.
 *
 * Structures: a waiting job is in one of two sets of its VC: due, in the order of the queue, or
 * asleep until its next try. A pass empties the first: it starts jobs or sends them to sleep.
 * Sleepers cost nothing while they sleep on. A job that fails is tried every `retry` from then on,
 * so what orders sleepers is the phase of that time, and the number of their tries follows from the
 * clock: in a pass those of its phase are due, and a failure changes nothing.
 */
#include "policies/lib/vc_queues.h"

#define PHILLY_PPM 1000000u /* of fair_ppm */

enum { LEVEL_SERVERS, LEVEL_RACK, LEVEL_ANYWHERE };

/* ---- queues ---- */

enum requeue { REQUEUE_TAIL, REQUEUE_HEAD };
static const char *const requeue_names[] = {"tail", "head", NULL};

struct philly_vc {
    struct hs_job_queue due;    /* by position in the queue */
    struct hs_job_queue asleep; /* by time modulo retry, then by position in the queue */
    int64_t wake_us;   /* wake time of the first sleeper; INT64_MAX = none, 0 = at each pass */
    int64_t passes;    /* number of passes so far */
    bool has_sleepers; /* within a pass: sleepers that wake now are still to be tried */
    uint64_t quota;
};

struct philly_policy {
    int64_t retry_us, relax_after, max_level;
    double fair_preempt;
    int32_t requeue, types;
    struct hs_preempt_cost cost; /* the parameters end here */
    const struct hs_view *v;
    struct hs_plan *p; /* plan of the present decision */
    int64_t phase;     /* now modulo retry */
    bool has_started, has_held_back, has_preempted;
    uint64_t fair_ppm;
    struct hs_job_place *racks, *nodes; /* memory of a placement */
    struct philly_vc *vcs;
    uint32_t *by_use; /* VCs with due jobs, in the order of the walk */
    uint32_t vc_count, due_count;
    struct hs_job_queue running; /* jobs by the start of their placement */
    bool *is_awake;              /* per VC: an event since its last pass may let a job start */
    bool is_time;                /* a job is to be tried again now */
    int64_t timer_us;            /* time of the last timer that was set */
    uint32_t preemptors;         /* number of tries by preemption */
};

/* A job is in at most one of these sets. */
enum philly_set { PHILLY_NONE, PHILLY_DUE, PHILLY_ASLEEP, PHILLY_RUNNING };

struct philly_scratch {
    struct hs_job_queue_link link;
    int64_t first_round; /* number of the round in which it was first tried */
    uint32_t victim_of;  /* number of the try that preempts it in this plan; 0 = none */
    enum philly_set set : 8;
    bool is_new; /* not tried yet */
};

/* The walk through the queue of one VC. */
struct queue_walk {
    uint32_t vc;
    bool has_sleepers;      /* the sleepers that wake now take part */
    bool has_rivals;        /* a job of another VC may have precedence for idle GPUs */
    uint64_t most_gpus;     /* larger gangs are known to fail */
    struct hs_job_place at; /* position in the queue */
};

static struct philly_scratch *scratch_of(const struct philly_policy *s, hs_job_id job)
{
    return hs_view_scratch(s->v, job);
}

static struct hs_job_queue *set_of(struct philly_policy *s, hs_job_id job, enum philly_set set)
{
    struct philly_vc *vc = &s->vcs[hs_view_vc(s->v, job)];
    return set == PHILLY_RUNNING ? &s->running : set == PHILLY_DUE ? &vc->due : &vc->asleep;
}

static void leave(struct philly_policy *s, hs_job_id job)
{
    struct philly_scratch *j = scratch_of(s, job);
    if (j->set != PHILLY_NONE)
        hs_job_queue_remove(set_of(s, job, j->set), s->v, job);
    j->set = PHILLY_NONE;
}

static void enter(struct philly_policy *s, hs_job_id job, enum philly_set set, int64_t key)
{
    leave(s, job);
    scratch_of(s, job)->set = set;
    hs_job_queue_add(set_of(s, job, set), s->v, job, key);
}

/* Key of a waiting job: the phase of its tries; in each, resubmitted jobs first (requeue=head). */
static int64_t waiting_key(const struct philly_policy *s, hs_job_id job, int64_t phase)
{
    bool is_first = s->requeue == REQUEUE_HEAD && hs_view_attempt(s->v, job) > 0;
    return 2 * phase + !is_first;
}

/* Puts a job among the due ones, as at its submission. */
static void become_due(struct philly_policy *s, hs_job_id job)
{
    struct philly_scratch *j = scratch_of(s, job);
    j->is_new = true;
    j->victim_of = 0;
    enter(s, job, PHILLY_DUE, waiting_key(s, job, 0));
}

static void philly_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct philly_policy *s = state;
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        *scratch_of(s, job) = (struct philly_scratch){0};
        become_due(s, job);
        hs_wake(s->is_awake, s->vc_count, v, job);
        break;
    case HS_EVENT_STARTED:
        enter(s, job, PHILLY_RUNNING, hs_view_now_us(v));
        break;
    case HS_EVENT_STOPPED:
        become_due(s, job);
        break;
    case HS_EVENT_FINISH:
        if (scratch_of(s, job)->set == PHILLY_RUNNING) /* false for a rejected job */
            hs_wake(s->is_awake, s->vc_count, v, job);
        leave(s, job);
        break;
    case HS_EVENT_TIMER:
        s->is_time = s->is_time || s->timer_us == hs_view_now_us(v);
        break;
    case HS_EVENT_NODE:
        hs_wake(s->is_awake, s->vc_count, v, job);
        break;
    default:
        break;
    }
}

/* ---- a try ---- */

/* Number of the present round: a waiting job is tried once in each. */
static int64_t round_now(struct philly_policy *s, uint32_t vc)
{
    return s->retry_us > 0 ? hs_view_now_us(s->v) / s->retry_us : s->vcs[vc].passes;
}

/* Locality level of the job after `more` further tries. */
static int64_t level_after(struct philly_policy *s, hs_job_id job, int64_t more)
{
    const struct philly_scratch *j = scratch_of(s, job);
    int64_t tries = more;
    tries += j->is_new ? 0 : round_now(s, hs_view_vc(s->v, job)) - j->first_round;
    int64_t level = s->relax_after > 0 ? tries / s->relax_after : s->max_level;
    return level < s->max_level ? level : s->max_level;
}

static bool is_within_quota(struct philly_policy *s, hs_job_id job)
{
    uint32_t vc = hs_view_vc(s->v, job);
    return hs_view_vc_held(s->v, vc) + hs_view_gpus(s->v, job) <= s->vcs[vc].quota;
}

/* ---- placement by locality ---- */

/* Orders by most free GPUs, then by lowest id. */
static struct hs_job_place entry_of(uint32_t id, uint32_t free_gpus)
{
    return (struct hs_job_place){.key = -(int64_t)free_gpus, .rank = id, .job = id};
}

/* Collects the nodes of a rack in the order in which they are used: by the GPUs that the job could
 * take now. */
static uint32_t collect_nodes(struct philly_policy *s, hs_job_id job, uint32_t rack)
{
    uint32_t count = 0, end = s->v->rack_first[rack + 1];
    for (uint32_t node = s->v->rack_first[rack]; node < end; node++) {
        uint32_t gpus = hs_view_node_free(s->v, node);
        if (gpus == 0 || !hs_view_may_use(s->v, job, node))
            continue;
        uint32_t workers = hs_view_node_workers(s->v, job, node);
        gpus = workers < gpus ? workers : gpus;
        if (gpus > 0)
            s->nodes[count] = entry_of(node, gpus);
        if (gpus > 0 && s->types != HS_TYPES_ANY) /* whatever the order of groups of nodes */
            s->nodes[count].rank += (uint64_t)hs_view_node(s->v, node)->gpus << 32;
        count += gpus > 0;
    }
    hs_sort(s->nodes, count);
    return count;
}

/* Collects the racks with at least `least` free GPUs, in the order in which they are tried. */
static uint32_t collect_racks(struct philly_policy *s, uint32_t least)
{
    uint32_t count = 0;
    for (uint32_t rack = 0; rack < s->v->racks; rack++) {
        uint32_t free_gpus = hs_view_rack_free(s->v, rack);
        if (free_gpus >= least)
            s->racks[count++] = entry_of(rack, free_gpus);
    }
    hs_sort(s->racks, count);
    return count;
}

/* Takes GPUs of the collected nodes in order, at most `rest`; returns how many are still missing.
 */
static uint32_t take(struct philly_policy *s, uint32_t count, uint32_t rest)
{
    for (uint32_t i = 0; i < count && rest > 0; i++) {
        uint32_t room = (uint32_t)-s->nodes[i].key, gpus = room < rest ? room : rest;
        hs_plan_on_node(s->p, s->nodes[i].job, gpus);
        rest -= gpus;
    }
    return rest;
}

static bool place_in_one_rack(struct philly_policy *s, hs_job_id job, uint32_t gpus,
                              uint32_t most_servers)
{
    uint32_t racks = collect_racks(s, gpus);
    for (uint32_t i = 0; i < racks; i++) {
        int64_t room = 0;
        uint32_t nodes = collect_nodes(s, job, s->racks[i].job);
        for (uint32_t n = 0; n < nodes && n < most_servers; n++)
            room -= s->nodes[n].key;
        if (room < gpus)
            continue;
        hs_plan_start(s->p, job);
        (void)take(s, nodes, gpus);
        return true;
    }
    return false;
}

/* Appends the start of the job to the plan, or leaves the plan unchanged and returns false. Honours
 * VC pool, GPU type, CPU and host memory; the caller checks quotas. */
static bool place_on_type(struct philly_policy *s, hs_job_id job, int64_t level)
{
    static const char *const texts[] = {[LEVEL_SERVERS] = NULL,
                                        [LEVEL_RACK] = "locality relaxed: within one rack",
                                        [LEVEL_ANYWHERE] = "locality relaxed: anywhere"};
    uint32_t gpus = hs_view_gpus(s->v, job), size = hs_view_node_size(s->v, job, UINT32_MAX);
    hs_plan_reason(s->p, texts[level]);
    if (gpus == 0) {
        hs_plan_start(s->p, job);
        return true;
    }
    if (hs_view_free_gpus(s->v, hs_view_vc(s->v, job)) < gpus || size == 0)
        return false;
    uint32_t node = gpus <= size ? hs_view_best_fit(s->v, job, gpus) : HS_NO_NODE;
    if (node != HS_NO_NODE) {
        hs_plan_start_on_node(s->p, job, node);
        return true;
    }
    if ((gpus > size && place_in_one_rack(s, job, gpus, (gpus - 1) / size + 1)) ||
        (level >= LEVEL_RACK && place_in_one_rack(s, job, gpus, UINT32_MAX)))
        return true;
    if (level < LEVEL_ANYWHERE)
        return false;
    uint32_t mark = hs_plan_mark(s->p), rest = gpus, racks = collect_racks(s, 1);
    hs_plan_start(s->p, job);
    for (uint32_t i = 0; i < racks && rest > 0; i++)
        rest = take(s, collect_nodes(s, job, s->racks[i].job), rest);
    if (rest > 0)
        hs_plan_rollback(s->p, mark);
    return rest == 0;
}

/* All types at a level of locality before the next level. */
static bool place(struct philly_policy *s, hs_job_id job, int64_t level)
{
    struct hs_type_turns turns = hs_type_turns(s->v, job, s->types);
    bool is_placed = false;
    while (hs_next_type(&turns, s->v, is_placed))
        is_placed = place_on_type(s, job, level);
    return is_placed;
}

/* ---- a try, by preemption ---- */

/* GPUs held beyond quotas, which preemption may take; 0 where the cluster is too empty for fair
 * shares to apply. */
static uint64_t gpus_beyond_quotas(struct philly_policy *s, uint32_t own)
{
    uint64_t all = hs_view_total_gpus(s->v, own), beyond = 0;
    if (s->fair_ppm == 0 || (all - hs_view_free_gpus(s->v, own)) * PHILLY_PPM < s->fair_ppm * all)
        return 0;
    for (uint32_t vc = 0; vc < s->vc_count; vc++) {
        uint64_t held = hs_view_vc_held(s->v, vc), quota = s->vcs[vc].quota;
        beyond += held > quota ? held - quota : 0;
    }
    return beyond;
}

static bool place_by_preemption(struct philly_policy *s, hs_job_id job, int64_t level)
{
    struct hs_job_queue *running = &s->running;
    uint32_t mark = hs_plan_mark(s->p);
    hs_job_id victim = hs_job_queue_last(running);
    s->preemptors++;
    for (; victim != HS_NO_JOB; victim = hs_job_queue_prev(running, s->v, victim)) {
        uint32_t vc = hs_view_vc(s->v, victim), gpus = hs_view_gpus_held(s->v, victim);
        if (gpus == 0 || scratch_of(s, victim)->victim_of != 0 ||
            hs_view_vc_held(s->v, vc) < s->vcs[vc].quota + gpus)
            continue;
        hs_plan_reason(s->p, "its virtual cluster is over its quota: the GPUs go to one below");
        hs_plan_preempt(s->p, victim, hs_cost_us(&s->cost, s->v, victim));
        scratch_of(s, victim)->victim_of = s->preemptors;
        if (place(s, job, level))
            return true;
    }
    hs_plan_rollback(s->p, mark);
    victim = hs_job_queue_last(running);
    for (; victim != HS_NO_JOB; victim = hs_job_queue_prev(running, s->v, victim))
        if (scratch_of(s, victim)->victim_of == s->preemptors)
            scratch_of(s, victim)->victim_of = 0;
    return false;
}

static bool try_to_start(struct philly_policy *s, hs_job_id job)
{
    int64_t level = level_after(s, job, 0);
    bool is_placed = place(s, job, level);
    while (!is_placed && hs_pool_is_idle(s->v, job) && level < s->max_level)
        is_placed = place(s, job, ++level);
    if (is_placed || !is_within_quota(s, job))
        return is_placed;
    uint32_t vc = hs_view_vc(s->v, job);
    uint64_t beyond = gpus_beyond_quotas(s, vc);
    is_placed = beyond > 0 && hs_view_free_gpus(s->v, vc) + beyond >= hs_view_gpus(s->v, job) &&
                place_by_preemption(s, job, level);
    s->has_preempted = s->has_preempted || is_placed;
    return is_placed;
}

/* ---- a pass ---- */

/* Whether VC a uses a smaller share of its quota than VC b. */
static bool is_used_less(struct philly_policy *s, uint32_t a, uint32_t b)
{
    uint64_t quota_a = s->vcs[a].quota, quota_b = s->vcs[b].quota;
    if (quota_a == 0 || quota_b == 0)
        return quota_a == quota_b ? a < b : quota_b == 0;
    uint64_t used_a = hs_view_vc_held(s->v, a) * quota_b;
    uint64_t used_b = hs_view_vc_held(s->v, b) * quota_a;
    return used_a == used_b ? a < b : used_a < used_b;
}

/* The first sleeper that wakes now, at that position or behind it. */
static hs_job_id sleeper_from(struct philly_policy *s, uint32_t vc, struct hs_job_place at,
                              uint64_t most_gpus)
{
    const struct hs_gang_limits most = {most_gpus, most_gpus};
    hs_job_id job = hs_job_queue_next_from(&s->vcs[vc].asleep, s->v, at, most);
    return job != HS_NO_JOB && hs_job_queue_key(s->v, job) / 2 == s->phase ? job : HS_NO_JOB;
}

static struct hs_job_place place_of(struct philly_policy *s, hs_job_id job)
{
    return hs_job_place(s->v, job, 2 * s->phase + (hs_job_queue_key(s->v, job) & 1));
}

static struct hs_job_place begin_of_phase(int64_t phase)
{
    return (struct hs_job_place){.key = 2 * phase, .submit_us = INT64_MIN};
}

/* The earlier of two jobs; HS_NO_JOB comes last. */
static hs_job_id earlier(struct philly_policy *s, hs_job_id a, hs_job_id b)
{
    if (a == HS_NO_JOB || b == HS_NO_JOB)
        return a == HS_NO_JOB ? b : a;
    struct hs_job_place at = place_of(s, a), bt = place_of(s, b);
    return hs_job_place_is_before(&at, &bt) ? a : b;
}

/* The first due job of another VC, if its VC stays within its quota. */
static hs_job_id rival_of(struct philly_policy *s, uint32_t own, uint32_t vc)
{
    const struct philly_vc *q = &s->vcs[vc];
    hs_job_id sleeper = HS_NO_JOB;
    if (vc == own)
        return HS_NO_JOB;
    if (q->has_sleepers)
        sleeper = sleeper_from(s, vc, begin_of_phase(s->phase), UINT64_MAX);
    hs_job_id first = earlier(s, hs_job_queue_first(&q->due), sleeper);
    return first != HS_NO_JOB && is_within_quota(s, first) ? first : HS_NO_JOB;
}

static bool is_held_back(struct philly_policy *s, const struct queue_walk *w, hs_job_id job)
{
    if (!w->has_rivals || is_within_quota(s, job))
        return false;
    for (uint32_t vc = 0; vc < s->vc_count; vc++) {
        hs_job_id rival = rival_of(s, w->vc, vc);
        if (rival == HS_NO_JOB)
            continue;
        uint32_t mark = hs_plan_mark(s->p);
        bool could_place = place(s, rival, level_after(s, rival, 0));
        hs_plan_rollback(s->p, mark);
        if (could_place)
            return true;
    }
    return false;
}

/* Updates the walk after the state of the cluster changed. */
static void look_around(struct philly_policy *s, struct queue_walk *w)
{
    uint64_t all = hs_view_total_gpus(s->v, w->vc), room = hs_view_free_gpus(s->v, w->vc);
    uint64_t held = hs_view_vc_held(s->v, w->vc), quota = s->vcs[w->vc].quota;
    w->has_rivals = false; /* set below if such a job could be placed */
    for (uint32_t i = 0; i < s->due_count && !w->has_rivals; i++) {
        uint32_t vc = s->by_use[i];
        hs_job_id rival = rival_of(s, w->vc, vc);
        w->has_rivals =
            rival != HS_NO_JOB && hs_view_gpus(s->v, rival) <= hs_view_free_gpus(s->v, vc);
    }
    w->most_gpus = UINT64_MAX;
    if (w->has_rivals || room == all) /* a job may be held back, or rejected */
        return;
    uint64_t beyond = held < quota ? gpus_beyond_quotas(s, w->vc) : 0;
    uint64_t most = beyond == 0 ? 0 : beyond + room < quota - held ? beyond + room : quota - held;
    w->most_gpus = most > room ? most : room;
}

static void serve(struct philly_policy *s, struct queue_walk *w, hs_job_id job)
{
    if (is_held_back(s, w, job)) {
        s->has_held_back = true;
        if (scratch_of(s, job)->set == PHILLY_ASLEEP)
            enter(s, job, PHILLY_DUE, waiting_key(s, job, 0));
    } else if (try_to_start(s, job)) {
        s->has_started = true;
        leave(s, job);
        look_around(s, w);
    } else if (hs_reject_hopeless(s->v, s->p, job)) {
        leave(s, job);
    } else {
        struct philly_scratch *j = scratch_of(s, job);
        if (j->is_new)
            j->first_round = round_now(s, w->vc);
        j->is_new = false;
        if (j->set != PHILLY_ASLEEP)
            enter(s, job, PHILLY_ASLEEP, waiting_key(s, job, s->phase));
    }
}

/* Walks two queues in one order: the due jobs, and the sleepers that wake now. The walk may move a
 * due job to behind the current position, never to before it. */
static void walk_vc(struct philly_policy *s, uint32_t vc)
{
    struct philly_vc *q = &s->vcs[vc];
    struct queue_walk w = {
        .vc = vc, .has_sleepers = q->has_sleepers, .at = begin_of_phase(s->phase)};
    q->has_sleepers = false;
    look_around(s, &w);
    hs_job_id due = hs_job_queue_first(&q->due);
    for (;;) {
        hs_job_id sleeper = w.has_sleepers ? sleeper_from(s, vc, w.at, w.most_gpus) : HS_NO_JOB;
        hs_job_id job = earlier(s, due, sleeper);
        if (job == HS_NO_JOB)
            return;
        if (job == due)
            due = hs_job_queue_next(&q->due, s->v, job);
        w.at = place_of(s, job);
        w.at.rank++;
        serve(s, &w, job);
    }
}

/* Whether there is a pass now. VCs that share nodes share passes; else only VCs that were woken
 * take part. */
static bool begin_pass(struct philly_policy *s)
{
    bool is_pass = s->is_time, are_apart = s->v->vcs_are_apart;
    for (uint32_t vc = 0; vc < s->vc_count; vc++)
        is_pass = is_pass || s->is_awake[vc];
    s->due_count = 0;
    for (uint32_t vc = 0; is_pass && vc < s->vc_count; vc++) {
        struct philly_vc *q = &s->vcs[vc];
        bool takes_part = !are_apart || s->is_awake[vc] || s->is_time;
        s->is_awake[vc] = false;
        q->passes += takes_part;
        q->has_sleepers = takes_part && q->asleep.count > 0 && q->wake_us <= hs_view_now_us(s->v);
        if (q->has_sleepers || (takes_part && q->due.count > 0))
            s->by_use[s->due_count++] = vc;
    }
    s->is_time = false;
    return is_pass;
}

/* Sets the timer of the next try. It is never before a timer of an earlier pass; if a preempted job
 * was tried in between, that timer has no effect. */
static void set_timer(struct philly_policy *s)
{
    int64_t now_us = hs_view_now_us(s->v);
    int64_t at_us = s->has_preempted ? now_us + s->retry_us : INT64_MAX;
    for (uint32_t i = 0; i < s->due_count; i++) { /* when the first sleeper is tried again */
        struct philly_vc *q = &s->vcs[s->by_use[i]];
        const struct hs_gang_limits all = {UINT64_MAX, UINT64_MAX};
        hs_job_id job = hs_job_queue_next_from(&q->asleep, s->v, begin_of_phase(s->phase + 1), all);
        job = job != HS_NO_JOB ? job : hs_job_queue_first(&q->asleep);
        q->wake_us = INT64_MAX;
        if (job == HS_NO_JOB)
            continue;
        int64_t wait_us = hs_job_queue_key(s->v, job) / 2 - s->phase;
        q->wake_us = now_us + wait_us + (wait_us > 0 ? 0 : s->retry_us);
    }
    for (uint32_t vc = 0; vc < s->vc_count; vc++)
        if (s->vcs[vc].wake_us < at_us)
            at_us = s->vcs[vc].wake_us;
    if (at_us == INT64_MAX || at_us == s->timer_us)
        return;
    hs_plan_timer(s->p, at_us, 0);
    s->timer_us = at_us;
}

static enum hs_status philly_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct philly_policy *s = state;
    s->v = v;
    s->p = p;
    s->phase = s->retry_us > 0 ? hs_view_now_us(v) % s->retry_us : 0;
    s->has_preempted = false;
    if (!begin_pass(s))
        return HS_OK;
    do {
        s->has_started = s->has_held_back = false;
        for (uint32_t i = 1; i < s->due_count; i++) { /* insertion sort: the order changes little */
            uint32_t vc = s->by_use[i], at = i;
            for (; at > 0 && is_used_less(s, vc, s->by_use[at - 1]); at--)
                s->by_use[at] = s->by_use[at - 1];
            s->by_use[at] = vc;
        }
        for (uint32_t i = 0; i < s->due_count; i++)
            walk_vc(s, s->by_use[i]);
    } while (s->has_held_back && s->has_started);
    if (s->retry_us > 0)
        set_timer(s);
    return HS_OK;
}

/* ---- the policy ---- */

static void philly_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct philly_policy *s = state;
    hs_place_needs((struct hs_place_rule){.types = s->types}, knows);
    *can = HS_CAN_BORROW | (s->retry_us > 0 ? HS_CAN_TIME : 0) |
           (s->fair_preempt > 0 ? HS_CAN_PREEMPT : 0);
}

static enum hs_status philly_init(void *state, const struct hs_view *v)
{
    struct philly_policy *s = state;
    s->v = v;
    s->fair_ppm = (uint64_t)(s->fair_preempt * PHILLY_PPM + 0.5);
    s->vc_count = v->vcs;
    s->vcs = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->vcs);
    s->by_use = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->by_use);
    s->is_awake = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->is_awake);
    for (uint32_t vc = 0; vc < s->vc_count; vc++) {
        uint64_t quota = hs_view_quota(v, vc), gpus = hs_view_total_gpus(v, vc);
        s->vcs[vc].quota = quota < gpus ? quota : gpus;
        s->vcs[vc].wake_us = s->retry_us > 0 ? INT64_MAX : 0;
    }
    s->racks = hs_view_alloc(v, (uint64_t)v->racks * sizeof *s->racks);
    s->nodes = hs_view_alloc(v, (uint64_t)v->nodes * sizeof *s->nodes);
    return HS_OK;
}

static const char *philly_check(const void *state, const struct hs_view *v)
{
    const struct philly_policy *s = state;
    const char *fault = NULL;
    if (!hs_job_queue_is_valid(&s->running, v))
        return "the list of running jobs is out of order";
    HS_EACH_QUEUED(j, &s->running, v)
        if (hs_job_waits(v, j))
            return "the list of running jobs holds one that waits";
    for (uint32_t vc = 0; fault == NULL && vc < s->vc_count; vc++) {
        HS_EACH_QUEUED(j, &s->vcs[vc].due, v)
            if (hs_view_state(v, j) != HS_JOB_SUSPENDED) /* preempted by this very pass */
                return "a job was due and was not tried";
        fault = hs_waiting_check(&s->vcs[vc].asleep, v);
    }
    return fault;
}

static void philly_semantics(const void *state, struct hs_semantics *out)
{
    const struct philly_policy *s = state;
    bool is_fair = s->fair_preempt > 0;
    *out = (struct hs_semantics){.order = "submit, virtual clusters by use of quota",
                                 .scan = s->retry_us > 0 ? "fit, each job by retries" : "fit",
                                 .placement = HS_TYPES_TEXTS("locality levels")[s->types],
                                 .preemption = is_fair ? "fair share" : "none",
                                 .cost = is_fair ? hs_cost_names[s->cost.model] : "none"};
}

static const struct hs_param params[] = {
    HS_PARAM_DURATION(struct philly_policy, retry_us, "retry", "120s", 0, 1e6,
                      "time between two attempts to place a job; 0: at each submission and end",
                      .floor =
                          1, /* below a second each try would be an event of each waiting job */
                      .source = "Jeon et al. ATC'19: back-off of 2 minutes"),
    HS_PARAM_INT(struct philly_policy, relax_after, "relax_after", "5", 0, 1e6,
                 "attempts at one level of locality before it is relaxed; 0: max_level at once",
                 .source = "Jeon et al. ATC'19: a fixed number, not given; 5 is ours"),
    HS_PARAM_INT(struct philly_policy, max_level, "max_level", "2", 0, 2,
                 "0: fewest servers in one rack, 1: one rack, 2: anywhere",
                 .source = "Jeon et al. ATC'19"),
    HS_PARAM_REAL(struct philly_policy, fair_preempt, "fair_preempt", "0.9", 0, 1,
                  "share of GPUs in use from which jobs beyond their quota are preempted; 0: never",
                  .source = "Jeon et al. ATC'19"),
    HS_PARAM_CHOICE(struct philly_policy, requeue, "requeue", "tail", requeue_names,
                    "end of its queue at which a failed attempt is submitted again"),
    HS_TYPES_PARAM(struct philly_policy, types),
    HS_COST_PARAMS(struct philly_policy, cost),
    {0}};

const struct hs_policy_ops hs_policy_philly = {
    .name = "philly",
    .summary = "quotas that may be exceeded, locality that is relaxed after some attempts",
    .cite = "Jeon et al. ATC'19; no code was published",
    .can = HS_CAN_BORROW | HS_CAN_PREEMPT | HS_CAN_TIME,
    .knows = HS_KNOWS_SPEED,
    .params = params,
    HS_POLICY_HOOKS(philly, struct philly_policy, struct philly_scratch),
};
