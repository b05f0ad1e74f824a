/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See kit_asks.h. A pass merges the sets of a VC, and the rest of its queue, by the order of their
 * jobs: a heap of the next job of each that is within the set's bound. O(sets + jobs looked at x
 * log sets + log n).
 */
#include "policies/kit_asks.h"

#include "policies/kit_queue.h"

#define NEAR  8u  /* places of the table that an ask may be at */
#define FREED 64u /* nodes that are looked at; of more all are */

enum hs_status hs_asks_init(struct hs_asks *a, const struct hs_view *v)
{
    const uint32_t vcs = hs_view_vcs(v);
    a->sets = hs_view_alloc(v, HS_ASKS * sizeof *a->sets);
    a->heads = hs_view_alloc(v, (HS_ASKS + 1) * sizeof *a->heads);
    a->first = hs_view_alloc(v, vcs * sizeof *a->first);
    a->count = hs_view_alloc(v, vcs * sizeof *a->count);
    a->releases = hs_view_alloc(v, vcs * sizeof *a->releases);
    bool is_there = a->sets != NULL && a->heads != NULL && a->first != NULL && a->count != NULL &&
                    a->releases != NULL;
    return is_there ? HS_OK : HS_E_MEMORY;
}

/* All jobs of a set have one bound; so they can be told from those that ask for certain nodes and
 * are in the queue itself. */
static uint32_t size_of(const struct hs_view *v, hs_job_id job, bool *is_constrained)
{
    uint32_t size = hs_queue_size(v, job, is_constrained);
    *is_constrained = false;
    return size;
}

/* The set of the job's ask, perhaps an empty one that was of an ask of that hash; NULL: there is
 * none. free: a place for it. */
static struct hs_ask_set *find(struct hs_asks *a, const struct hs_view *v, hs_job_id job,
                               struct hs_ask_set **free)
{
    const uint64_t hash = hs_view_ask_hash(v, job);
    const uint32_t vc = hs_view_vc(v, job);
    *free = NULL;
    for (uint32_t i = 0; i < NEAR; i++) {
        struct hs_ask_set *s = &a->sets[(hash + i) % HS_ASKS];
        if (!s->is_used)
            *free = *free == NULL ? s : *free;
        else if (s->hash == hash && s->vc == vc &&
                 (s->jobs.count == 0 || hs_view_asks_same(v, job, hs_order_first(&s->jobs, v))))
            return s;
    }
    return NULL;
}

bool hs_asks_add(struct hs_asks *a, const struct hs_view *v, hs_job_id job, int64_t key)
{
    if (!hs_view_is_constrained(v, job))
        return false;
    struct hs_ask_set *free, *set = find(a, v, job, &free);
    const uint32_t vc = hs_view_vc(v, job);
    if (set == NULL && free == NULL)
        return false;
    if (set == NULL) {
        set = free;
        *set = (struct hs_ask_set){
            .hash = hs_view_ask_hash(v, job), .vc = vc, .next = a->first[vc], .is_used = true};
        a->first[vc] = (uint32_t)(set - a->sets) + 1;
    }
    if (set->jobs.count == 0) {
        set->jobs = (struct hs_order){.size_of = size_of};
        set->bound = UINT64_MAX;
    }
    a->count[vc]++;
    hs_order_add(&set->jobs, v, job, key);
    return true;
}

bool hs_asks_remove(struct hs_asks *a, const struct hs_view *v, hs_job_id job)
{
    const struct hs_order_link *link = hs_view_scratch(v, job);
    if (!hs_view_is_constrained(v, job) || link->is_constrained)
        return false;
    struct hs_ask_set *free, *set = find(a, v, job, &free);
    a->count[set->vc]--;
    hs_order_remove(&set->jobs, v, job);
    return true;
}

/* ---- a pass ---- */

struct pass {
    struct hs_asks *a;
    struct hs_order *rest;
    const struct hs_view *v;
    struct hs_plan *p;
    enum hs_placer placer;
    bool is_drawn;  /* a search that fails moves the draws of the next one: none is left out */
    uint64_t room;  /* sizes within what is free */
    uint64_t plain; /* sizes worth a try, of the jobs of the rest that any node may serve */
    struct hs_heads heads;
    hs_job_id left; /* the first in order that does not start */
};

static struct hs_order *jobs_of(const struct pass *x, uint32_t set)
{
    return set == 0 ? x->rest : &x->a->sets[set - 1].jobs;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct hs_bounds bounds_of(const struct pass *x, uint32_t set)
{
    uint64_t bound = smaller(x->room, set == 0 ? x->plain : x->a->sets[set - 1].bound);
    return (struct hs_bounds){.plain = bound, .constrained = x->room};
}

static bool is_within(const struct pass *x, const struct hs_head *head)
{
    bool is_constrained = false;
    uint32_t size = hs_queue_size(x->v, head->job, &is_constrained);
    const struct hs_bounds bounds = bounds_of(x, head->set);
    is_constrained = head->set == 0 && hs_view_is_constrained(x->v, head->job);
    return size <= (is_constrained ? bounds.constrained : bounds.plain);
}

static bool is_before(const struct pass *x, hs_job_id a, hs_job_id b)
{
    return hs_order_is_before(x->rest, x->v, a, b);
}

static void leave(struct pass *x, hs_job_id job)
{
    if (job != HS_NO_JOB && (x->left == HS_NO_JOB || is_before(x, job, x->left)))
        x->left = job;
}

/* The next job of a set that is worth a try; those that it passes over are left. */
static hs_job_id next_of(struct pass *x, uint32_t set, hs_job_id after)
{
    struct hs_order *jobs = jobs_of(x, set);
    hs_job_id found = hs_order_next_within(jobs, x->v, after, bounds_of(x, set));
    hs_job_id next =
        after == HS_NO_JOB ? hs_order_first(jobs, x->v) : hs_order_next(jobs, x->v, after);
    if (next != found)
        leave(x, next);
    return found;
}

/* Nodes that workers have left since the last pass of the VC; false: too many to be known. */
static bool freed_nodes(const struct pass *x, uint32_t vc, uint32_t *nodes, uint32_t *count)
{
    uint64_t now = hs_view_releases(x->v), at = x->a->releases[vc];
    x->a->releases[vc] = now;
    *count = 0;
    if (now - at > FREED)
        return false;
    for (; at < now; at++) {
        uint32_t gpu = hs_view_release_gpu(x->v, at);
        if (gpu == HS_NO_GPU)
            return false;
        uint32_t node = hs_view_gpu_node(x->v, gpu);
        if (*count == 0 || nodes[*count - 1] != node)
            nodes[(*count)++] = node;
    }
    return true;
}

/* What a failure told of an ask holds while no node has room that could seat one of its workers. */
static void forget_old_failures(const struct pass *x, uint32_t vc)
{
    uint32_t nodes[FREED], count;
    bool is_idle = hs_view_free_gpus(x->v, vc) == hs_view_total_gpus(x->v, vc);
    bool are_known = freed_nodes(x, vc, nodes, &count) && !is_idle;
    for (uint32_t set = x->a->first[vc]; set != 0; set = x->a->sets[set - 1].next) {
        struct hs_ask_set *s = &x->a->sets[set - 1];
        bool is_new = !are_known;
        for (uint32_t i = 0; i < count && !is_new && s->bound != UINT64_MAX; i++)
            is_new = hs_view_may_seat(x->v, hs_order_first(&s->jobs, x->v), nodes[i]);
        if (is_new)
            s->bound = UINT64_MAX;
    }
}

/* Sets that have no jobs any more make room in the table. */
static void drop_empty_sets(struct hs_asks *a, uint32_t vc)
{
    for (uint32_t *at = &a->first[vc]; *at != 0;) {
        struct hs_ask_set *set = &a->sets[*at - 1];
        if (set->jobs.count == 0) {
            *at = set->next;
            set->is_used = false;
        } else {
            at = &set->next;
        }
    }
}

static void narrow(struct pass *x, const struct hs_head *head)
{
    uint32_t gpus = hs_view_gpus(x->v, head->job), milli = hs_view_gpu_milli(x->v, head->job);
    uint64_t *bound = head->set == 0 ? &x->plain : &x->a->sets[head->set - 1].bound;
    bool is_constrained = hs_view_is_constrained(x->v, head->job);
    bool is_gang_of_shares = milli < HS_GPU_MILLI && gpus > 1;
    bool is_telling = head->set == 0 ? !is_constrained : !x->is_drawn;
    if (is_telling && hs_placer_is_monotone(x->placer) && !is_gang_of_shares)
        *bound = smaller(*bound, (uint64_t)gpus * milli - 1);
}

/* True when the job is out of the way of the others. */
static bool try_head(struct pass *x, const struct hs_head *head, uint32_t vc)
{
    if (!is_within(x, head))
        return false;
    bool passes = x->left != HS_NO_JOB && is_before(x, x->left, head->job);
    hs_plan_because(x->p, passes ? "passes jobs before it that do not fit now" : NULL);
    if (!hs_place_or_reject(x->v, x->p, head->job, x->placer)) {
        narrow(x, head);
        return false;
    }
    x->room = hs_queue_room_milli(x->v, vc);
    return true;
}

void hs_asks_scan(struct hs_asks *a, struct hs_order *rest, const struct hs_view *v,
                  struct hs_plan *p, uint32_t vc, enum hs_placer placer)
{
    struct pass x = {.a = a,
                     .rest = rest,
                     .v = v,
                     .p = p,
                     .placer = placer,
                     .is_drawn = hs_view_ties_are_drawn(v),
                     .room = hs_queue_room_milli(v, vc),
                     .plain = UINT64_MAX,
                     .heads = {.at = a->heads, .order = rest},
                     .left = HS_NO_JOB};
    drop_empty_sets(a, vc);
    forget_old_failures(&x, vc);
    for (uint32_t set = 0, next = a->first[vc];; set = next, next = a->sets[set - 1].next) {
        hs_job_id job = next_of(&x, set, HS_NO_JOB);
        if (job != HS_NO_JOB)
            hs_heads_add(&x.heads, v, (struct hs_head){job, set});
        if (next == 0)
            break;
    }
    while (x.heads.count > 0) {
        struct hs_head head = x.heads.at[0];
        if (!try_head(&x, &head, vc))
            leave(&x, head.job);
        head.job = next_of(&x, head.set, head.job);
        hs_heads_replace_first(&x.heads, v, head);
    }
    hs_plan_because(p, NULL);
}

bool hs_asks_is_valid(const struct hs_asks *a, const struct hs_view *v)
{
    for (uint32_t i = 0; i < HS_ASKS; i++) {
        const struct hs_order *jobs = &a->sets[i].jobs;
        if (a->sets[i].is_used && !hs_order_is_valid(jobs, v))
            return false;
        for (hs_job_id j = hs_order_first(jobs, v); j != HS_NO_JOB; j = hs_order_next(jobs, v, j))
            if (!hs_job_waits(v, j) || !hs_view_asks_same(v, j, hs_order_first(jobs, v)))
                return false;
    }
    return true;
}
