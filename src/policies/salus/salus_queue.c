/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waiting jobs of Salus. They are tried in order of submission when a job came or room was made,
 * and those that do not fit are skipped; under the plain server the first that does not fit keeps
 * the others waiting. With `poll` one job is admitted at each multiple of it.
 *
 * A fresh job is tried once; if it is not admitted it is blocked. It stays blocked until room is
 * made, and a gang of at most a node's size sits on one node: so after a job has left, a scan
 * considers only blocked jobs that may fit the nodes where it was.
 *
 * Blocked jobs of equal demand (gang, memory, constraints) form a class. If the first of a class is
 * not admitted, none of it is, so a scan costs O(classes) and not O(jobs). Jobs have no class where
 * ties are drawn at random, because a search in vain may draw; nor with `poll`, under which the
 * jobs that are left to try set the next timer; nor when the table of classes is full around their
 * hash. Those stand in one queue a VC, and each is compared with the room.
 */
#include "policies/salus/salus.h"

#define CLASSES 2048u
#define PROBES  8u  /* places of the table where a class may stand, from its hash on */
#define WIDEST  16u /* gangs that have limits on their memory */

struct hs_salus_demand_class {
    struct hs_job_queue jobs; /* may be empty until the next scan clears it */
    uint64_t hash;
    uint32_t vc;
    uint32_t next; /* of the VC: number + 1; 0 = none */
    bool is_used;
};

void hs_salus_queue_init(struct hs_salus *s, const struct hs_view *v)
{
    s->armed_us = -1;
    hs_vc_queues_init(&s->waiting, v);
    if (s->is_plain)
        return;
    uint32_t vcs = hs_view_vcs(v);
    s->blocked = hs_view_alloc(v, vcs * sizeof *s->blocked);
    s->first_class = hs_view_alloc(v, vcs * sizeof *s->first_class);
    s->classes = hs_view_alloc(v, CLASSES * sizeof *s->classes);
    s->heads = hs_view_alloc(v, (1 + CLASSES) * sizeof *s->heads);
}

/* ---- demand classes ---- */

static bool is_same_demand(const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    const struct hs_salus_need *x = &hs_salus_job(v, a)->need, *y = &hs_salus_job(v, b)->need;
    return hs_view_gpus(v, a) == hs_view_gpus(v, b) && x->kept_mib == y->kept_mib &&
           x->all_mib == y->all_mib && x->peak_mib == y->peak_mib && x->is_alone == y->is_alone &&
           hs_view_asks_same(v, a, b);
}

/* The class of the job, an empty one of its hash, or a free place; NULL: the table is full there.
 */
static struct hs_salus_demand_class *find_class(const struct hs_salus *s, const struct hs_view *v,
                                                hs_job_id job, uint64_t hash)
{
    struct hs_salus_demand_class *free = NULL;
    for (uint32_t i = 0; i < PROBES; i++) {
        struct hs_salus_demand_class *at = &s->classes[(hash + i) % CLASSES];
        if (!at->is_used)
            free = free == NULL ? at : free;
        else if (at->hash == hash && at->vc == hs_view_vc(v, job) &&
                 (at->jobs.count == 0 || is_same_demand(v, job, hs_job_queue_first(&at->jobs, v))))
            return at;
    }
    return free;
}

static bool add_to_class(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_salus_need *need = &hs_salus_job(v, job)->need;
    uint64_t hash = hs_view_ask_hash(v, job) ^ hs_job_queue_mix(hs_view_gpus(v, job));
    hash = hash * 31 + hs_job_queue_mix((uint64_t)need->all_mib);
    hash = hash * 31 + hs_job_queue_mix((uint64_t)need->kept_mib << 1 | need->is_alone);
    struct hs_salus_demand_class *class = find_class(s, v, job, hash);
    if (class == NULL)
        return false;
    uint32_t number = (uint32_t)(class - s->classes) + 1, vc = hs_view_vc(v, job);
    if (!class->is_used) {
        *class = (struct hs_salus_demand_class){
            .hash = hash, .vc = vc, .next = s->first_class[vc], .is_used = true};
        s->first_class[vc] = number;
    }
    hs_job_queue_add(&class->jobs, v, job, 0);
    hs_salus_job(v, job)->demand_class = number;
    return true;
}

/* ---- blocked jobs ---- */

static void block(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    bool may_have_class = s->poll_us == 0 && !hs_view_ties_are_drawn(v);
    j->least = hs_salus_clip(&j->need, s->lanes.least_capacity_mib);
    if (s->lanes.model == HS_SALUS_CODE) /* a lane as cut has room for all of it or for none */
        j->least.kept_mib = 0;
    if (may_have_class && add_to_class(s, v, job))
        return;
    hs_job_queue_add(&s->blocked[hs_view_vc(v, job)], v, job, 0);
}

static void unblock(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    if (j->demand_class != 0)
        hs_job_queue_remove(&s->classes[j->demand_class - 1].jobs, v, job);
    else if (hs_job_queue_has(v, job))
        hs_job_queue_remove(&s->blocked[hs_view_vc(v, job)], v, job);
    j->demand_class = 0;
}

void hs_salus_queue_add(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    j->need = hs_salus_need(&s->lanes, v, job);
    j->is_fresh = true;
    hs_vc_queues_add(&s->waiting, v, job, 0);
}

void hs_salus_queue_remove(struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    if (j->is_fresh)
        hs_vc_queues_remove(&s->waiting, v, job);
    else if (!s->is_plain)
        unblock(s, v, job);
    j->is_fresh = false;
}

/* ---- which blocked jobs may fit ---- */

/* One scan over the jobs of a VC. */
struct scan {
    struct hs_salus *s;
    const struct hs_view *v;
    struct hs_plan *p;
    uint32_t vc, pool;
    struct hs_merge_heap heads; /* next job of each class, by its number, and of the others, 0 */
    struct hs_capacity limits[WIDEST + 1]; /* by gang size: no more than this has room */
    bool is_idle; /* the pool: all jobs are tried, to reject those that never fit */
    bool is_all;  /* room was made anywhere, or under a quota, not on certain nodes */
};

static void widen(struct hs_capacity *limit, uint64_t all_mib, uint64_t kept_mib)
{
    limit->all_mib = all_mib > limit->all_mib ? all_mib : limit->all_mib;
    limit->kept_mib = kept_mib > limit->kept_mib ? kept_mib : limit->kept_mib;
}

/* A gang of k fits new lanes on a node if it fits the GPU with the k-th most room, or it joins a
 * lane of k GPUs. */
static void widen_by_node(struct scan *x, uint32_t node)
{
    const struct hs_salus_lanes *l = &x->s->lanes;
    uint32_t first = hs_view_node_first_gpu(x->v, node),
             end = first + hs_view_node_gpus(x->v, node);
    uint64_t free_mib[WIDEST + 1] = {0}; /* from 1, descending */
    for (uint32_t gpu = first; gpu < end; gpu++) {
        uint64_t mib = hs_salus_free_mib(l, gpu);
        for (uint32_t k = 1; k <= WIDEST && mib > 0; k++)
            if (mib > free_mib[k]) {
                uint64_t smaller = free_mib[k];
                free_mib[k] = mib;
                mib = smaller;
            }
        for (uint32_t at = l->gpus[gpu].first_slot; at != HS_NO_SLOT;
             at = l->slots[at].next_on_gpu) {
            uint32_t lane = l->slots[at].lane;
            struct hs_capacity room = hs_salus_room(l, lane);
            if (l->lanes[lane].gpus <= WIDEST)
                widen(&x->limits[l->lanes[lane].gpus], room.all_mib, room.kept_mib);
        }
    }
    for (uint32_t k = 1; k <= WIDEST; k++)
        widen(&x->limits[k], free_mib[k], free_mib[k]);
}

static void set_limits(struct scan *x)
{
    const struct hs_salus_pool *pool = &x->s->lanes.pools[x->pool];
    x->is_idle = hs_view_free_gpus(x->v, x->vc) == hs_view_total_gpus(x->v, x->vc);
    x->is_all = pool->freed_count > HS_SALUS_FREED || x->is_idle ||
                hs_view_quota(x->v, x->vc) != UINT64_MAX;
    uint64_t most_mib = x->is_all ? UINT64_MAX : 0;
    for (uint32_t k = 0; k <= WIDEST; k++)
        x->limits[k] = (struct hs_capacity){most_mib, most_mib};
    for (uint32_t i = 0; i < pool->freed_count && !x->is_all; i++)
        widen_by_node(x, pool->freed[i]);
}

static bool may_fit_node(const struct scan *x, hs_job_id job, uint32_t node)
{
    const struct hs_salus_lanes *l = &x->s->lanes;
    const struct hs_salus_need *need = &hs_salus_job(x->v, job)->need;
    uint32_t first = hs_view_node_first_gpu(x->v, node), gpus = hs_view_gpus(x->v, job), open = 0;
    for (uint32_t gpu = first; gpu < first + hs_view_node_gpus(x->v, node); gpu++) {
        open += hs_salus_may_open(l, gpu, need);
        for (uint32_t at = l->gpus[gpu].first_slot; at != HS_NO_SLOT; at = l->slots[at].next_on_gpu)
            if (l->lanes[l->slots[at].lane].gpus == gpus &&
                hs_salus_fits(l, l->slots[at].lane, need))
                return true;
    }
    return open >= gpus;
}

/* A gang over several nodes. */
static bool may_fit_pool(const struct scan *x, hs_job_id job)
{
    const struct hs_salus_lanes *l = &x->s->lanes;
    struct hs_capacity least = hs_salus_job(x->v, job)->least;
    uint32_t gpus = hs_view_gpus(x->v, job);
    if (hs_view_free_gpus(x->v, x->vc) + hs_salus_open_gpus(l, x->pool, least.all_mib) >= gpus)
        return true;
    uint32_t lane =
        hs_capacity_tree_first(&l->lane_tree, x->pool, hs_salus_lane_key(gpus, 0), least);
    return lane != HS_NO_CAPACITY && l->lanes[lane].gpus == gpus;
}

static bool may_fit(const struct scan *x, hs_job_id job)
{
    const struct hs_salus_pool *pool = &x->s->lanes.pools[x->pool];
    const struct hs_capacity *least = &hs_salus_job(x->v, job)->least;
    uint32_t gpus = hs_view_gpus(x->v, job);
    if (x->is_idle || (!x->is_all && pool->freed_count == 0))
        return x->is_idle;
    if (gpus > hs_view_node_size(x->v, job, UINT32_MAX))
        return may_fit_pool(x, job);
    if (x->is_all || gpus > WIDEST)
        return true;
    if (least->kept_mib > x->limits[gpus].kept_mib || least->all_mib > x->limits[gpus].all_mib)
        return false;
    bool may = false;
    for (uint32_t i = 0; i < pool->freed_count && !may; i++)
        may = may_fit_node(x, job, pool->freed[i]);
    return may;
}

/* ---- admission ---- */

/* No GPU has so much memory, if its estimate is right. */
static bool is_too_large(const struct hs_salus *s, const struct hs_view *v, hs_job_id job)
{
    const struct hs_salus_need *need = &hs_salus_job(v, job)->need;
    return hs_view_gpus(v, job) > 0 && !need->is_alone &&
           need->peak_mib > s->lanes.most_capacity_mib;
}

/* A job that can never be admitted. */
static bool reject(const struct hs_salus *s, const struct hs_view *v, struct hs_plan *p,
                   hs_job_id job)
{
    bool exceeds = is_too_large(s, v, job);
    if (hs_view_state(v, job) != HS_JOB_PENDING || (!exceeds && !hs_pool_is_idle(v, job)))
        return false;
    hs_salus_job(v, job)->reason = exceeds
                                       ? "it needs more GPU memory than lanes may have of any GPU"
                                       : "the placement rule cannot place it even on idle nodes";
    hs_plan_reject(p, job, hs_salus_job(v, job)->reason);
    return true;
}

/* True when the job is out of the queue: started or rejected. */
static bool admit(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, hs_job_id job)
{
    struct hs_salus_job *j = hs_salus_job(v, job);
    hs_plan_reason(p, NULL);
    if (hs_view_gpus(v, job) == 0) {
        if (!hs_place(v, p, job, HS_PLACE_COUNT))
            return false;
    } else if (hs_salus_admit(s, v, p, job)) {
        hs_salus_came(s, v, job);
    } else if (!reject(s, v, p, job)) {
        return false;
    }
    j->is_candidate = true;
    j->next_candidate = HS_NO_JOB;
    if (s->last_candidate == HS_NO_JOB)
        s->first_candidate = job;
    else
        hs_salus_job(v, s->last_candidate)->next_candidate = job;
    s->last_candidate = job;
    return true;
}

/* ---- scans ---- */

/* The next job of a class, unless it does not fit; then the others of the class do not either. */
static hs_job_id next_of_class(const struct scan *x, uint32_t number, hs_job_id after)
{
    const struct hs_job_queue *jobs = &x->s->classes[number - 1].jobs;
    hs_job_id job =
        after == HS_NO_JOB ? hs_job_queue_first(jobs, x->v) : hs_job_queue_next(jobs, x->v, after);
    return job != HS_NO_JOB && may_fit(x, job) ? job : HS_NO_JOB;
}

static hs_job_id next_of_others(const struct scan *x, hs_job_id after)
{
    const struct hs_job_queue *queue = &x->s->blocked[x->vc];
    hs_job_id job = after == HS_NO_JOB ? hs_job_queue_first(queue, x->v)
                                       : hs_job_queue_next(queue, x->v, after);
    while (job != HS_NO_JOB && !may_fit(x, job))
        job = hs_job_queue_next(queue, x->v, job);
    return job;
}

static void begin_scan(struct scan *x)
{
    struct hs_salus *s = x->s;
    for (uint32_t *link = &s->first_class[x->vc]; *link != 0;) {
        struct hs_salus_demand_class *class = &s->classes[*link - 1];
        if (class->jobs.count == 0) {
            *link = class->next;
            class->is_used = false;
        } else {
            link = &class->next;
        }
    }
    set_limits(x);
    hs_job_id job = next_of_others(x, HS_NO_JOB);
    if (job != HS_NO_JOB)
        hs_merge_heap_add(&x->heads, x->v, (struct hs_merge_head){job, 0});
    for (uint32_t class = s->first_class[x->vc]; class != 0; class = s->classes[class - 1].next) {
        job = next_of_class(x, class, HS_NO_JOB);
        if (job != HS_NO_JOB)
            hs_merge_heap_add(&x->heads, x->v, (struct hs_merge_head){job, class});
    }
}

static hs_job_id first_blocked(const struct scan *x)
{
    return x->heads.count > 0 ? x->heads.at[0].job : HS_NO_JOB;
}

/* Tries the first blocked job, and puts the one behind it in its place. */
static bool try_blocked(struct scan *x)
{
    struct hs_merge_head head = x->heads.at[0];
    hs_job_id job = head.job;
    bool is_out = (head.set != 0 || may_fit(x, job)) && admit(x->s, x->v, x->p, job);
    if (is_out)
        set_limits(x); /* there is less room */
    if (head.set == 0)
        head.job = next_of_others(x, job);
    else
        head.job = is_out ? next_of_class(x, head.set, job) : HS_NO_JOB;
    if (is_out)
        unblock(x->s, x->v, job);
    hs_merge_heap_replace_first(&x->heads, x->v, head);
    return is_out;
}

static bool try_fresh(struct scan *x, hs_job_id job)
{
    bool is_out = admit(x->s, x->v, x->p, job);
    hs_salus_queue_remove(x->s, x->v, job);
    if (!is_out)
        block(x->s, x->v, job);
    return is_out;
}

/* Fresh and blocked jobs of a VC in order. False: with `poll` it ended at the job that was
 * admitted, and others are left. */
static bool scan_vc(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    const struct hs_job_queue *fresh = &s->waiting.by_vc[vc];
    struct scan x = {.s = s,
                     .v = v,
                     .p = p,
                     .vc = vc,
                     .pool = s->lanes.pool_count > 1 ? vc : 0,
                     .heads = {.at = s->heads, .order = s->blocked}};
    begin_scan(&x);
    for (;;) {
        hs_job_id first = hs_job_queue_first(fresh, v), blocked = first_blocked(&x);
        if (first == HS_NO_JOB && blocked == HS_NO_JOB)
            return true;
        bool is_fresh_next =
            first != HS_NO_JOB &&
            (blocked == HS_NO_JOB || hs_job_queue_is_before(fresh, v, first, blocked));
        bool is_out = is_fresh_next ? try_fresh(&x, first) : try_blocked(&x);
        if (is_out && s->poll_us > 0)
            return fresh->count == 0 && first_blocked(&x) == HS_NO_JOB;
    }
}

/* The plain server: in order, until a job does not fit. */
static bool serve_vc(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p, uint32_t vc)
{
    const struct hs_job_queue *queue = &s->waiting.by_vc[vc];
    while (queue->count > 0) {
        hs_job_id job = hs_job_queue_first(queue, v);
        int64_t startup_us = hs_view_gpus(v, job) > 0 ? hs_salus_startup_us(s, v, job) : 0;
        hs_plan_reason(p, NULL);
        bool is_placed = !is_too_large(s, v, job) && hs_place(v, p, job, HS_PLACE_CONSOLIDATE);
        if (is_placed && startup_us > 0)
            hs_plan_add_overhead(p, job, startup_us);
        if (!is_placed && !reject(s, v, p, job))
            break;
        hs_salus_queue_remove(s, v, job);
        if (s->poll_us > 0)
            return queue->count == 0;
    }
    return true;
}

void hs_salus_queue_scan(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p)
{
    if (!s->is_awake || (s->poll_us > 0 && hs_view_now_us(v) % s->poll_us != 0))
        return;
    bool is_over = true;
    for (uint32_t vc = 0; vc < s->waiting.vcs; vc++)
        is_over = (s->is_plain ? serve_vc : scan_vc)(s, v, p, vc) && is_over;
    s->is_awake = !is_over;
    for (uint32_t pool = 0; is_over && pool < s->lanes.pool_count; pool++)
        s->lanes.pools[pool].freed_count = 0;
}

void hs_salus_queue_repeat(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p)
{
    for (hs_job_id j = s->first_candidate; j != HS_NO_JOB; j = hs_salus_job(v, j)->next_candidate) {
        if (hs_salus_job(v, j)->reason != NULL)
            hs_plan_reject(p, j, hs_salus_job(v, j)->reason);
        else if (hs_salus_job(v, j)->lane == 0)
            hs_plan_start(p, j);
        else
            hs_salus_start(s, v, p, j);
    }
}

void hs_salus_queue_poll(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p)
{
    int64_t now_us = hs_view_now_us(v);
    if (!s->is_awake || s->armed_us > now_us)
        return;
    s->armed_us = (now_us / s->poll_us + 1) * s->poll_us;
    hs_plan_timer(p, s->armed_us, HS_SALUS_POLL_TAG);
}

/* ---- invariants ---- */

static const char *check_blocked(const struct hs_job_queue *jobs, const struct hs_view *v,
                                 bool is_class)
{
    if (!hs_job_queue_is_valid(jobs, v))
        return "blocked jobs are out of order";
    hs_job_id first = hs_job_queue_first(jobs, v);
    for (hs_job_id j = first; j != HS_NO_JOB; j = hs_job_queue_next(jobs, v, j))
        if (!hs_job_waits(v, j) || (is_class && !is_same_demand(v, j, first)))
            return "a blocked job does not wait, or is in the class of another demand";
    return NULL;
}

const char *hs_salus_queue_check(const struct hs_salus *s, const struct hs_view *v)
{
    const char *broken = hs_vc_queues_check(&s->waiting, v);
    for (uint32_t vc = 0; vc < s->waiting.vcs && !s->is_plain && broken == NULL; vc++) {
        if (s->waiting.by_vc[vc].count > 0 && !s->is_awake)
            return "a job that came was not looked at";
        broken = check_blocked(&s->blocked[vc], v, false);
    }
    for (uint32_t i = 0; i < CLASSES && !s->is_plain && broken == NULL; i++)
        broken = check_blocked(&s->classes[i].jobs, v, true);
    return broken;
}
