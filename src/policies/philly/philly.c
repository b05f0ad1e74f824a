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
 *   is no try: it stays due. After a walk that held a job back and started one there is another.
 *   (A pass ends with no job due: one that holds others back is tried later in that walk.)
 * - Otherwise it is tried: placed at its level (philly.h: what lower levels allow comes
 *   first); or else by preemption, below. If both fail, tries++; every relax_after tries level++,
 *   up to max_level; due again at now + retry, or, with retry=0, in the next pass.
 * - On a pool that is wholly idle waiting brings nothing: the level goes up at once until the job
 *   starts, and one that fails at max_level is turned away.
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
 * Cost of a pass: O(VCs), O(log waiting) for each VC with due jobs, and O(log waiting) and a
 * placement (philly.h) for each due job that is looked at: one at max_level is not, when a
 * smaller one of its VC failed there and nothing changed. For one held back a placement for
 * each VC under its quota; for one that preempts a placement for each victim, and O(running). With
 * retry > 0 a job is tried once each `retry`; with retry=0 all waiting jobs are tried in each pass.
 * One timer waits, for the next try; after a preemption perhaps also one that went before it and
 * tells nothing.
 *
 * Structures: a waiting job is in one of two sets of its VC: due, in the order of the queue, or
 * asleep until its next try. A pass empties the first: it starts jobs or sends them to sleep.
 * Sleepers cost nothing while they sleep on. A job that fails is tried every `retry` from then on,
 * so what orders sleepers is the phase of that time, and the number of their tries follows from the
 * clock: in a pass those of its phase are due, and a failure changes nothing. A job at max_level
 * that is larger than one of its kind that failed is not even looked at.
 */
#include "policies/philly/philly.h"

#include "policies/lib/params.h"
#include "policies/lib/vc_queues.h"

#define PHILLY_PPM 1000000u /* of fair_ppm */

/* ---- placement by locality ----
 * Racks are sorted by free GPUs only when a gang looks for several nodes; whether a rack is worth
 * it is read from its sum first. Its nodes with GPUs for the job are collected and sorted. */

/* A gang being placed. */
struct level_gang {
    struct hs_locality *l;
    const struct hs_view *v;
    struct hs_plan *p;
    hs_job_id job;
    uint32_t gpus;
    uint32_t size;  /* g */
    uint32_t nodes; /* collected in l->nodes */
};

void hs_locality_init(struct hs_locality *l, const struct hs_view *v)
{
    l->racks = hs_view_alloc(v, (uint64_t)v->racks * sizeof *l->racks);
    l->nodes = hs_view_alloc(v, (uint64_t)v->nodes * sizeof *l->nodes);
}

/* Most free first, then lowest id. */
static struct hs_sort_entry entry_of(uint32_t id, uint32_t free_gpus)
{
    return (struct hs_sort_entry){.key = -(int64_t)free_gpus, .rank = id, .job = id};
}

static uint32_t room_of(const struct hs_sort_entry *e)
{
    return (uint32_t)-e->key;
}

/* Nodes of a rack, by the GPUs that the job could take now, in the order in which they give them.
 */
static void collect_nodes(struct level_gang *g, uint32_t rack)
{
    g->nodes = 0;
    for (uint32_t node = g->v->rack_first[rack]; node < g->v->rack_first[rack + 1]; node++) {
        uint32_t gpus = hs_view_node_free(g->v, node);
        if (gpus == 0 || hs_view_first_fit(g->v, g->job, 1, node) != node)
            continue; /* not its pool, or no CPU for one */
        uint32_t workers = hs_view_node_workers(g->v, g->job, node);
        gpus = workers < gpus ? workers : gpus;
        if (gpus == 0)
            continue;
        g->l->nodes[g->nodes++] = entry_of(node, gpus);
    }
    hs_sort(g->l->nodes, g->nodes);
}

/* Racks with so many free GPUs at least, in the order in which they are tried. */
static uint32_t collect_racks(const struct level_gang *g, uint32_t least)
{
    uint32_t count = 0;
    for (uint32_t rack = 0; rack < g->v->racks; rack++) {
        uint32_t free_gpus = hs_view_rack_free(g->v, rack);
        if (free_gpus >= least)
            g->l->racks[count++] = entry_of(rack, free_gpus);
    }
    hs_sort(g->l->racks, count);
    return count;
}

/* What the collected nodes have, in order, at most `rest`; returns what is still missing. */
static uint32_t take(const struct level_gang *g, uint32_t rest)
{
    for (uint32_t i = 0; i < g->nodes && rest > 0; i++) {
        uint32_t room = room_of(&g->l->nodes[i]);
        uint32_t gpus = room < rest ? room : rest;
        hs_plan_on_node(g->p, g->l->nodes[i].job, gpus);
        rest -= gpus;
    }
    return rest;
}

static bool place_in_one_rack(struct level_gang *g, uint32_t most_servers)
{
    uint32_t count = collect_racks(g, g->gpus);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t room = 0;
        collect_nodes(g, g->l->racks[i].job);
        for (uint32_t n = 0; n < g->nodes && n < most_servers; n++)
            room += room_of(&g->l->nodes[n]);
        if (room < g->gpus)
            continue;
        hs_plan_start(g->p, g->job);
        (void)take(g, g->gpus);
        return true;
    }
    return false;
}

bool hs_locality_place(struct hs_locality *l, const struct hs_view *v, struct hs_plan *p,
                       hs_job_id job, enum hs_locality_level level)
{
    struct level_gang g = {.l = l, .v = v, .p = p, .job = job, .gpus = hs_view_gpus(v, job)};
    if (g.gpus == 0) {
        hs_plan_start(p, job);
        return true;
    }
    g.size = hs_view_node_size(v, job, UINT32_MAX);
    if (hs_view_free_gpus(v, hs_view_vc(v, job)) < g.gpus || g.size == 0)
        return false;
    uint32_t node = g.gpus <= g.size ? hs_view_best_fit(v, job, g.gpus) : HS_NO_NODE;
    if (node != HS_NO_NODE) {
        hs_plan_start_on_node(p, job, node);
        return true;
    }
    if ((g.gpus > g.size && place_in_one_rack(&g, (g.gpus - 1) / g.size + 1)) ||
        (level >= HS_LOCALITY_RACK && place_in_one_rack(&g, UINT32_MAX)))
        return true;
    if (level < HS_LOCALITY_ANYWHERE)
        return false;
    uint32_t mark = hs_plan_mark(p), rest = g.gpus, count = collect_racks(&g, 1);
    hs_plan_start(p, job);
    for (uint32_t i = 0; i < count && rest > 0; i++) {
        collect_nodes(&g, l->racks[i].job);
        rest = take(&g, rest);
    }
    if (rest > 0)
        hs_plan_rollback(p, mark);
    return rest == 0;
}

/* ---- queues ---- */

enum requeue { REQUEUE_TAIL, REQUEUE_HEAD };
static const char *const requeue_names[] = {"tail", "head", NULL};

struct philly_vc {
    struct hs_job_queue due;    /* by place in the queue */
    struct hs_job_queue asleep; /* by time modulo retry, then by place in the queue */
    int64_t wake_us;   /* of the first of them; INT64_MAX = there is none, 0 = in each pass */
    int64_t passes;    /* so far */
    bool has_sleepers; /* within a pass: some are due and have not been walked yet */
    uint64_t quota;
};

struct philly_policy {
    int64_t retry_us, relax_after, max_level;
    double fair_preempt;
    int32_t requeue;
    struct hs_preempt_cost cost; /* parameters up to here */
    uint64_t fair_ppm;
    struct hs_locality locality;
    struct philly_vc *vcs;
    uint32_t *by_use; /* VCs with due jobs in the order of the walk */
    uint32_t vc_count, due_count;
    struct hs_job_queue running; /* by start of the placement */
    bool *is_awake;              /* per VC: something happened since its last pass */
    bool is_time;                /* the next try of a job is now */
    int64_t timer_us;            /* of the last timer set */
    uint32_t preemptors;         /* counts the tries by preemption */
};

/* A job is in one of these sets at most. */
enum philly_set { PHILLY_NONE, PHILLY_DUE, PHILLY_ASLEEP, PHILLY_RUNNING };

struct philly_scratch {
    struct hs_job_queue_link link;
    int64_t first_round; /* of its tries */
    uint32_t victim_of;  /* number of the try that preempts it in this plan; 0 = none */
    enum philly_set set : 8;
    bool is_new;     /* it was not tried yet */
    bool is_relaxed; /* asleep: to be tried at the last level, where larger gangs fail first */
};

/* One decision. */
struct philly_pass {
    struct philly_policy *s;
    const struct hs_view *v;
    struct hs_plan *p;
    int64_t phase; /* of now */
    bool has_started, has_held_back, has_preempted;
};

/* One VC in one walk. */
struct queue_walk {
    struct philly_pass *x;
    uint32_t vc;
    bool has_sleepers;            /* those that wake now are due, too */
    bool has_rivals;              /* another VC may have a better right to the idle GPUs */
    struct hs_gang_limits bounds; /* a try of a job beyond them fails */
    struct hs_job_queue_place at; /* in the queue */
};

static struct philly_scratch *scratch_of(const struct hs_view *v, hs_job_id job)
{
    return hs_view_scratch(v, job);
}

static struct hs_job_queue *set_of(struct philly_policy *s, const struct hs_view *v, hs_job_id job,
                                   enum philly_set set)
{
    struct philly_vc *vc = &s->vcs[hs_view_vc(v, job)];
    return set == PHILLY_RUNNING ? &s->running : set == PHILLY_DUE ? &vc->due : &vc->asleep;
}

static void leave(struct philly_policy *s, const struct hs_view *v, hs_job_id job)
{
    struct philly_scratch *j = scratch_of(v, job);
    if (j->set != PHILLY_NONE)
        hs_job_queue_remove(set_of(s, v, job, j->set), v, job);
    j->set = PHILLY_NONE;
}

static void enter(struct philly_policy *s, const struct hs_view *v, hs_job_id job,
                  enum philly_set set, int64_t key)
{
    leave(s, v, job);
    scratch_of(v, job)->set = set;
    hs_job_queue_add(set_of(s, v, job, set), v, job, key);
}

/* The key of a waiting job: the phase of its tries, then those that go before all others of it. */
static int64_t waiting_key(const struct philly_policy *s, const struct hs_view *v, hs_job_id job,
                           int64_t phase)
{
    bool is_first = s->requeue == REQUEUE_HEAD && hs_view_attempt(v, job) > 0;
    return 2 * phase + !is_first;
}

/* As a new request. */
static void become_due(struct philly_policy *s, const struct hs_view *v, hs_job_id job)
{
    struct philly_scratch *j = scratch_of(v, job);
    j->is_new = true;
    j->is_relaxed = false;
    j->victim_of = 0;
    enter(s, v, job, PHILLY_DUE, waiting_key(s, v, job, 0));
}

static void philly_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    struct philly_policy *s = state;
    hs_job_id job = event->job;
    switch (event->kind) {
    case HS_EVENT_SUBMIT:
        *scratch_of(v, job) = (struct philly_scratch){0};
        become_due(s, v, job);
        hs_wake(s->is_awake, s->vc_count, v, job);
        break;
    case HS_EVENT_STARTED:
        enter(s, v, job, PHILLY_RUNNING, hs_view_now_us(v));
        break;
    case HS_EVENT_STOPPED:
        become_due(s, v, job);
        break;
    case HS_EVENT_FINISH:
        if (scratch_of(v, job)->set == PHILLY_RUNNING) /* not one that was turned away */
            hs_wake(s->is_awake, s->vc_count, v, job);
        leave(s, v, job);
        break;
    case HS_EVENT_TIMER:
        s->is_time = s->is_time || s->timer_us == hs_view_now_us(v);
        break;
    case HS_EVENT_PROGRESS:
    case HS_EVENT_STEP:
    case HS_EVENT_MEMORY:
        break;
    }
}

/* ---- a try ---- */

/* Counts the tries of a job that was asleep all the time. */
static int64_t round_now(const struct philly_pass *x, uint32_t vc)
{
    return x->s->retry_us > 0 ? hs_view_now_us(x->v) / x->s->retry_us : x->s->vcs[vc].passes;
}

static int64_t tries_of(const struct philly_pass *x, hs_job_id job)
{
    const struct philly_scratch *j = scratch_of(x->v, job);
    return j->is_new ? 0 : round_now(x, hs_view_vc(x->v, job)) - j->first_round;
}

static int64_t level_after(const struct philly_policy *s, int64_t tries)
{
    int64_t level = s->relax_after > 0 ? tries / s->relax_after : s->max_level;
    return level < s->max_level ? level : s->max_level;
}

static bool is_within_quota(const struct philly_pass *x, hs_job_id job)
{
    uint32_t vc = hs_view_vc(x->v, job);
    return hs_view_vc_held(x->v, vc) + hs_view_gpus(x->v, job) <= x->s->vcs[vc].quota;
}

static bool place(const struct philly_pass *x, hs_job_id job, int64_t level)
{
    static const char *const texts[] = {[HS_LOCALITY_SERVERS] = NULL,
                                        [HS_LOCALITY_RACK] = "locality relaxed: within one rack",
                                        [HS_LOCALITY_ANYWHERE] = "locality relaxed: anywhere"};
    hs_plan_reason(x->p, texts[level]);
    return hs_locality_place(&x->s->locality, x->v, x->p, job, (enum hs_locality_level)level);
}

/* GPUs held beyond quotas, which preemption could take; 0: so few GPUs are held that fair shares do
 * not matter. */
static uint64_t gpus_beyond_quotas(const struct philly_pass *x, uint32_t own)
{
    uint64_t all = hs_view_total_gpus(x->v, own), beyond = 0;
    if (x->s->fair_ppm == 0 ||
        (all - hs_view_free_gpus(x->v, own)) * PHILLY_PPM < x->s->fair_ppm * all)
        return 0;
    for (uint32_t vc = 0; vc < x->s->vc_count; vc++) {
        uint64_t held = hs_view_vc_held(x->v, vc), quota = x->s->vcs[vc].quota;
        beyond += held > quota ? held - quota : 0;
    }
    return beyond;
}

static bool is_worth_preempting(const struct philly_pass *x, hs_job_id job)
{
    uint32_t vc = hs_view_vc(x->v, job);
    if (!is_within_quota(x, job))
        return false;
    uint64_t beyond = gpus_beyond_quotas(x, vc);
    return beyond > 0 && hs_view_free_gpus(x->v, vc) + beyond >= hs_view_gpus(x->v, job);
}

static bool place_by_preemption(const struct philly_pass *x, hs_job_id job, int64_t level)
{
    struct hs_job_queue *running = &x->s->running;
    uint32_t mark = hs_plan_mark(x->p);
    hs_job_id victim = hs_job_queue_last(running, x->v);
    x->s->preemptors++;
    for (; victim != HS_NO_JOB; victim = hs_job_queue_prev(running, x->v, victim)) {
        uint32_t vc = hs_view_vc(x->v, victim), gpus = hs_view_gpus_held(x->v, victim);
        if (gpus == 0 || scratch_of(x->v, victim)->victim_of != 0 ||
            hs_view_vc_held(x->v, vc) < x->s->vcs[vc].quota + gpus)
            continue;
        hs_plan_reason(x->p, "its virtual cluster is over its quota: the GPUs go to one below");
        hs_plan_preempt(x->p, victim, hs_cost_us(&x->s->cost, x->v, victim));
        scratch_of(x->v, victim)->victim_of = x->s->preemptors;
        if (place(x, job, level))
            return true;
    }
    hs_plan_rollback(x->p, mark);
    victim = hs_job_queue_last(running, x->v);
    for (; victim != HS_NO_JOB; victim = hs_job_queue_prev(running, x->v, victim))
        if (scratch_of(x->v, victim)->victim_of == x->s->preemptors)
            scratch_of(x->v, victim)->victim_of = 0;
    return false;
}

static bool try_to_start(struct philly_pass *x, hs_job_id job)
{
    int64_t level = level_after(x->s, tries_of(x, job));
    bool is_placed = place(x, job, level);
    while (!is_placed && hs_pool_is_idle(x->v, job) && level < x->s->max_level)
        is_placed = place(x, job, ++level);
    if (!is_placed && is_worth_preempting(x, job) && place_by_preemption(x, job, level))
        is_placed = x->has_preempted = true;
    return is_placed;
}

/* On a pool that does not tell its nodes apart for the job, a gang whose like failed fails, too,
 * if it is larger: unless it wants the fewest servers, which 17 GPUs may find where 16 do not. */
static bool is_monotone(const struct philly_pass *x, hs_job_id job)
{
    return !hs_view_is_constrained(x->v, job) &&
           (x->s->max_level > HS_LOCALITY_SERVERS ||
            hs_view_gpus(x->v, job) <= hs_view_node_size(x->v, job, UINT32_MAX));
}

/* Goes to sleep, or sleeps on: then nothing changes but its limits, once. */
static void sleep_on(const struct philly_pass *x, hs_job_id job)
{
    struct philly_scratch *j = scratch_of(x->v, job);
    if (j->is_new)
        j->first_round = round_now(x, hs_view_vc(x->v, job));
    j->is_new = false;
    bool is_relaxed = level_after(x->s, tries_of(x, job) + 1) == x->s->max_level;
    is_relaxed = is_relaxed && is_monotone(x, job);
    if (j->set == PHILLY_ASLEEP && j->is_relaxed == is_relaxed)
        return;
    j->is_relaxed = is_relaxed;
    enter(x->s, x->v, job, PHILLY_ASLEEP, waiting_key(x->s, x->v, job, x->phase));
}

/* ---- a pass ---- */

/* Is the VC using less of its quota? */
static bool is_used_less(const struct philly_pass *x, uint32_t a, uint32_t b)
{
    uint64_t quota_a = x->s->vcs[a].quota, quota_b = x->s->vcs[b].quota;
    if (quota_a == 0 || quota_b == 0)
        return quota_a == quota_b ? a < b : quota_b == 0;
    uint64_t used_a = hs_view_vc_held(x->v, a) * quota_b;
    uint64_t used_b = hs_view_vc_held(x->v, b) * quota_a;
    return used_a == used_b ? a < b : used_a < used_b;
}

/* Insertion: from walk to walk little changes. */
static void sort_by_use(const struct philly_pass *x)
{
    uint32_t *order = x->s->by_use;
    for (uint32_t i = 1; i < x->s->due_count; i++) {
        uint32_t vc = order[i], at = i;
        for (; at > 0 && is_used_less(x, vc, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = vc;
    }
}

/* The first at or behind a place among the sleepers that wake now. */
static hs_job_id sleeper_from(const struct philly_pass *x, uint32_t vc,
                              struct hs_job_queue_place at, struct hs_gang_limits bounds)
{
    hs_job_id job = hs_job_queue_next_from(&x->s->vcs[vc].asleep, x->v, at, bounds);
    return job != HS_NO_JOB && hs_job_queue_key(x->v, job) / 2 == x->phase ? job : HS_NO_JOB;
}

static struct hs_job_queue_place place_of(const struct philly_pass *x, hs_job_id job)
{
    return (struct hs_job_queue_place){.key = 2 * x->phase + (hs_job_queue_key(x->v, job) & 1),
                                       .submit_us = hs_view_submit_us(x->v, job),
                                       .rank = hs_view_rank(x->v, job)};
}

static const struct hs_gang_limits no_limits = {UINT64_MAX, UINT64_MAX};

static struct hs_job_queue_place begin_of_phase(int64_t phase)
{
    return (struct hs_job_queue_place){.key = 2 * phase, .submit_us = INT64_MIN};
}

/* The earlier of two; HS_NO_JOB is the last. */
static hs_job_id earlier(const struct philly_pass *x, hs_job_id a, hs_job_id b)
{
    if (a == HS_NO_JOB || b == HS_NO_JOB)
        return a == HS_NO_JOB ? b : a;
    struct hs_job_queue_place at = place_of(x, a), bt = place_of(x, b);
    return hs_job_queue_place_is_before(&at, &bt) ? a : b;
}

/* The first due job of another VC, if that is within its quota. */
static hs_job_id rival_of(const struct philly_pass *x, uint32_t own, uint32_t vc)
{
    const struct philly_vc *q = &x->s->vcs[vc];
    hs_job_id sleeper = HS_NO_JOB;
    if (vc == own)
        return HS_NO_JOB;
    if (q->has_sleepers)
        sleeper = sleeper_from(x, vc, begin_of_phase(x->phase), no_limits);
    hs_job_id first = earlier(x, hs_job_queue_first(&q->due, x->v), sleeper);
    return first != HS_NO_JOB && is_within_quota(x, first) ? first : HS_NO_JOB;
}

static bool is_held_back(const struct queue_walk *w, hs_job_id job)
{
    const struct philly_pass *x = w->x;
    if (!w->has_rivals || is_within_quota(x, job))
        return false;
    for (uint32_t vc = 0; vc < x->s->vc_count; vc++) {
        hs_job_id rival = rival_of(x, w->vc, vc);
        if (rival == HS_NO_JOB)
            continue;
        uint32_t mark = hs_plan_mark(x->p);
        bool could_place = place(x, rival, level_after(x->s, tries_of(x, rival)));
        hs_plan_rollback(x->p, mark);
        if (could_place)
            return true;
    }
    return false;
}

/* After the state of the cluster changed. */
static void look_around(struct queue_walk *w)
{
    const struct philly_pass *x = w->x;
    uint64_t all = hs_view_total_gpus(x->v, w->vc), room = hs_view_free_gpus(x->v, w->vc);
    uint64_t held = hs_view_vc_held(x->v, w->vc), quota = x->s->vcs[w->vc].quota;
    w->has_rivals = false; /* could there be one that can be placed? */
    for (uint32_t i = 0; i < x->s->due_count && !w->has_rivals; i++) {
        uint32_t vc = x->s->by_use[i];
        hs_job_id rival = rival_of(x, w->vc, vc);
        w->has_rivals =
            rival != HS_NO_JOB && hs_view_gpus(x->v, rival) <= hs_view_free_gpus(x->v, vc);
    }
    w->bounds = no_limits;
    if (w->has_rivals || room == all) /* a job may be held back, or turned away */
        return;
    uint64_t beyond = held < quota ? gpus_beyond_quotas(x, w->vc) : 0;
    uint64_t most = beyond == 0 ? 0 : beyond + room < quota - held ? beyond + room : quota - held;
    w->bounds.plain = w->bounds.constrained = most > room ? most : room;
}

static void serve(struct queue_walk *w, hs_job_id job)
{
    struct philly_pass *x = w->x;
    if (is_held_back(w, job)) {
        x->has_held_back = true;
        if (scratch_of(x->v, job)->set == PHILLY_ASLEEP)
            enter(x->s, x->v, job, PHILLY_DUE, waiting_key(x->s, x->v, job, 0));
    } else if (try_to_start(x, job)) {
        x->has_started = true;
        leave(x->s, x->v, job);
        look_around(w);
    } else if (hs_reject_hopeless(x->v, x->p, job)) {
        leave(x->s, x->v, job);
    } else {
        if (!w->has_rivals && is_monotone(x, job) &&
            level_after(x->s, tries_of(x, job)) == x->s->max_level &&
            hs_view_gpus(x->v, job) <= w->bounds.plain)
            w->bounds.plain = hs_view_gpus(x->v, job) - 1;
        sleep_on(x, job);
    }
}

/* Two queues in one order: the jobs that are due by name, and the sleepers that wake now. The walk
 * itself may put one of the former behind the place where it is, never before it. */
static void walk_vc(struct philly_pass *x, uint32_t vc)
{
    struct philly_vc *q = &x->s->vcs[vc];
    struct queue_walk w = {
        .x = x, .vc = vc, .has_sleepers = q->has_sleepers, .at = begin_of_phase(x->phase)};
    q->has_sleepers = false;
    look_around(&w);
    hs_job_id due = hs_job_queue_first(&q->due, x->v);
    for (;;) {
        hs_job_id sleeper = w.has_sleepers ? sleeper_from(x, vc, w.at, w.bounds) : HS_NO_JOB;
        hs_job_id job = earlier(x, due, sleeper);
        if (job == HS_NO_JOB)
            return;
        if (job == due)
            due = hs_job_queue_next(&q->due, x->v, job);
        w.at = place_of(x, job);
        w.at.rank++;
        serve(&w, job);
    }
}

/* Is there to be a pass? VCs that share nodes share passes; else those that nothing woke take no
 * part. */
static bool begin_pass(struct philly_policy *s, const struct hs_view *v)
{
    bool is_pass = s->is_time, are_apart = v->vcs_are_apart;
    for (uint32_t vc = 0; vc < s->vc_count; vc++)
        is_pass = is_pass || s->is_awake[vc];
    s->due_count = 0;
    for (uint32_t vc = 0; is_pass && vc < s->vc_count; vc++) {
        struct philly_vc *q = &s->vcs[vc];
        bool takes_part = !are_apart || s->is_awake[vc] || s->is_time;
        s->is_awake[vc] = false;
        q->passes += takes_part;
        q->has_sleepers = takes_part && q->asleep.count > 0 && q->wake_us <= hs_view_now_us(v);
        if (q->has_sleepers || (takes_part && q->due.count > 0))
            s->by_use[s->due_count++] = vc;
    }
    s->is_time = false;
    return is_pass;
}

/* For the next try. It never comes before one that an earlier pass set a timer for; a preempted job
 * may have been tried since, and its timer then tells nothing. */
static void set_timer(const struct philly_pass *x)
{
    struct philly_policy *s = x->s;
    int64_t now_us = hs_view_now_us(x->v);
    int64_t at_us = x->has_preempted ? now_us + s->retry_us : INT64_MAX;
    for (uint32_t i = 0; i < s->due_count; i++) { /* when the first sleeper is tried again */
        struct philly_vc *q = &s->vcs[s->by_use[i]];
        hs_job_id job =
            hs_job_queue_next_from(&q->asleep, x->v, begin_of_phase(x->phase + 1), no_limits);
        job = job != HS_NO_JOB ? job : hs_job_queue_first(&q->asleep, x->v);
        q->wake_us = INT64_MAX;
        if (job == HS_NO_JOB)
            continue;
        int64_t wait_us = hs_job_queue_key(x->v, job) / 2 - x->phase;
        q->wake_us = now_us + wait_us + (wait_us > 0 ? 0 : s->retry_us);
    }
    for (uint32_t vc = 0; vc < s->vc_count; vc++)
        if (s->vcs[vc].wake_us < at_us)
            at_us = s->vcs[vc].wake_us;
    if (at_us == INT64_MAX || at_us == s->timer_us)
        return;
    hs_plan_timer(x->p, at_us, 0);
    s->timer_us = at_us;
}

static enum hs_status philly_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    struct philly_policy *s = state;
    struct philly_pass x = {.s = s, .v = v, .p = p};
    if (!begin_pass(s, v))
        return HS_OK;
    if (s->retry_us > 0)
        x.phase = hs_view_now_us(v) % s->retry_us;
    do {
        x.has_started = x.has_held_back = false;
        sort_by_use(&x);
        for (uint32_t i = 0; i < s->due_count; i++)
            walk_vc(&x, s->by_use[i]);
    } while (x.has_held_back && x.has_started);
    if (s->retry_us > 0)
        set_timer(&x);
    return HS_OK;
}

/* ---- the policy ---- */

static void philly_needs(const void *state, uint32_t *can, uint32_t *knows)
{
    const struct philly_policy *s = state;
    (void)knows;
    *can = HS_CAN_BORROW | (s->retry_us > 0 ? HS_CAN_TIME : 0) |
           (s->fair_preempt > 0 ? HS_CAN_PREEMPT : 0);
}

/* Sleepers are told apart by their limits: a job at max_level fails when a smaller gang did. */
static uint32_t sleeper_size(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    const struct philly_scratch *j = hs_view_scratch(v, job);
    *is_constrained = hs_view_is_constrained(v, job) || !j->is_relaxed;
    return hs_view_gpus(v, job);
}

static enum hs_status philly_init(void *state, const struct hs_view *v)
{
    struct philly_policy *s = state;
    s->fair_ppm = (uint64_t)(s->fair_preempt * PHILLY_PPM + 0.5);
    s->vc_count = v->vcs;
    s->vcs = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->vcs);
    s->by_use = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->by_use);
    s->is_awake = hs_view_alloc(v, (uint64_t)s->vc_count * sizeof *s->is_awake);
    for (uint32_t vc = 0; vc < s->vc_count; vc++) {
        uint64_t quota = hs_view_quota(v, vc), gpus = hs_view_total_gpus(v, vc);
        s->vcs[vc].quota = quota < gpus ? quota : gpus;
        s->vcs[vc].asleep.size_of = sleeper_size;
        s->vcs[vc].wake_us = s->retry_us > 0 ? INT64_MAX : 0;
    }
    hs_locality_init(&s->locality, v);
    return HS_OK;
}

static const char *philly_check(const void *state, const struct hs_view *v)
{
    const struct philly_policy *s = state;
    const char *fault = NULL;
    if (!hs_job_queue_is_valid(&s->running, v))
        return "the list of running jobs is out of order";
    for (hs_job_id j = hs_job_queue_first(&s->running, v); j != HS_NO_JOB;
         j = hs_job_queue_next(&s->running, v, j))
        if (hs_job_waits(v, j))
            return "the list of running jobs holds one that waits";
    for (uint32_t vc = 0; fault == NULL && vc < s->vc_count; vc++) {
        for (hs_job_id j = hs_job_queue_first(&s->vcs[vc].due, v); j != HS_NO_JOB;
             j = hs_job_queue_next(&s->vcs[vc].due, v, j))
            if (hs_view_state(v, j) != HS_JOB_SUSPENDED) /* by the very pass */
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
                                 .placement = "locality levels",
                                 .preemption = is_fair ? "fair share" : "none",
                                 .cost = is_fair ? hs_cost_names[s->cost.model] : "none"};
}

static const struct hs_param params[] = {
    HS_PARAM_DURATION(struct philly_policy, retry_us, "retry", "120s", 0, 1e6,
                      "time between two tries of a job; 0: at each submission and end",
                      .source = "Jeon et al. ATC'19: back-off of 2 minutes"),
    HS_PARAM_INT(struct philly_policy, relax_after, "relax_after", "5", 0, 1e6,
                 "tries at a level of locality before the next; 0: max_level at once",
                 .source = "Jeon et al. ATC'19: a fixed number, not given; 5 is ours"),
    HS_PARAM_INT(struct philly_policy, max_level, "max_level", "2", 0, 2,
                 "0: fewest servers in one rack, 1: one rack, 2: anywhere",
                 .source = "Jeon et al. ATC'19"),
    HS_PARAM_REAL(struct philly_policy, fair_preempt, "fair_preempt", "0.9", 0, 1,
                  "share of GPUs in use from which jobs beyond quotas make way; 0: never",
                  .source = "Jeon et al. ATC'19"),
    HS_PARAM_CHOICE(struct philly_policy, requeue, "requeue", "tail", requeue_names,
                    "where in its queue a failed attempt is submitted again"),
    HS_COST_PARAMS(struct philly_policy, cost),
    {0}};

const struct hs_policy_ops hs_policy_philly = {
    .name = "philly",
    .summary = "quotas that may be exceeded, locality that is given up after a while",
    .cite = "Jeon et al. ATC'19; no code was published",
    .can = HS_CAN_BORROW | HS_CAN_PREEMPT | HS_CAN_TIME,
    .params = params,
    .state_size = sizeof(struct philly_policy),
    .job_state_size = sizeof(struct philly_scratch),
    .needs = philly_needs,
    .init = philly_init,
    .on_event = philly_event,
    .decide = philly_decide,
    .semantics = philly_semantics,
    .check = philly_check,
};
