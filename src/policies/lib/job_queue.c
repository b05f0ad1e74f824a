/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A treap with parent links, whose nodes also form a list in order.
 */
#include "policies/lib/job_queue.h"

#define NO_PARENT 0x3fffffffu /* parent of the root; job handles are below it */

/* Array of the links of all jobs: the link of a job lies at its handle times the stride. */
struct links {
    unsigned char *base;
    size_t stride;
    const struct hs_job_queue *queue;
};

static inline struct links links_of(const struct hs_job_queue *q, const struct hs_view *v)
{
    struct links links;
    links.base = hs_view_scratches(v, &links.stride) + q->link_offset;
    links.queue = q;
    return links;
}

static inline struct hs_job_queue_link *link_at(struct links l, hs_job_id job)
{
    void *link = l.base + job * l.stride;
    return link;
}

uint32_t hs_job_queue_mix(uint64_t number)
{
    uint32_t h = (uint32_t)(number ^ number >> 32);
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

bool hs_job_queue_tie_is_before(const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    int64_t submit_a_us = hs_view_submit_us(v, a), submit_b_us = hs_view_submit_us(v, b);
    if (submit_a_us != submit_b_us)
        return submit_a_us < submit_b_us;
    return hs_view_rank(v, a) < hs_view_rank(v, b);
}

HS_INLINE bool is_before(const struct hs_view *v, struct links l, hs_job_id a, hs_job_id b)
{
    const struct hs_priority *levels = l.queue->levels;
    if (HS_UNLIKELY(levels != NULL)) {
        const int64_t level_a = hs_priority_level(levels, v, a);
        const int64_t level_b = hs_priority_level(levels, v, b);
        if (level_a != level_b)
            return level_a < level_b;
    }
    const int64_t key_a = link_at(l, a)->key, key_b = link_at(l, b)->key;
    return key_a != key_b ? key_a < key_b : hs_job_queue_own_tie_is_before(l.queue, v, a, b);
}

bool hs_job_queue_is_before(const struct hs_job_queue *q, const struct hs_view *v, hs_job_id a,
                            hs_job_id b)
{
    return is_before(v, links_of(q, v), a, b);
}

/* ---- sizes below a node ---- */

static inline uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Sets the minima of a subtree from its root and those of the children. */
static inline void refresh(struct links l, struct hs_job_queue_link *link)
{
    uint32_t gpus = link->is_constrained ? UINT32_MAX : link->gpus;
    uint32_t constrained = link->is_constrained ? link->gpus : UINT32_MAX;
    for (int side = 0; side < 2; side++) {
        if (link->child[side] == HS_NO_JOB)
            continue;
        const struct hs_job_queue_link *child = link_at(l, link->child[side]);
        gpus = smaller(gpus, child->least_gpus);
        constrained = smaller(constrained, child->least_constrained);
    }
    link->least_gpus = gpus;
    link->least_constrained = constrained;
}

/* Lowers the minima from an added job upwards, as far as the ancestor whose minimum does not
 * change. */
static void lower_upwards(struct links l, const struct hs_job_queue_link *link)
{
    for (hs_job_id at = link->parent; at != NO_PARENT;) {
        struct hs_job_queue_link *above = link_at(l, at);
        if (above->least_gpus <= link->least_gpus &&
            above->least_constrained <= link->least_constrained)
            break;
        above->least_gpus = smaller(above->least_gpus, link->least_gpus);
        above->least_constrained = smaller(above->least_constrained, link->least_constrained);
        at = above->parent;
    }
}

/* ---- the tree ---- */

/* Constants of xxHash32 (Collet): high bits of a product depend on all bits of the factor. */
static inline uint32_t priority_of(hs_job_id job)
{
    const uint32_t h = job * 0x9e3779b1u;
    return (h ^ h >> 15) * 0x85ebca77u;
}

/* Puts a subtree, perhaps empty, below `parent`; NO_PARENT: it is the whole tree. */
static inline void put_child(struct hs_job_queue *q, struct links l, hs_job_id parent, int side,
                             hs_job_id child)
{
    if (parent == NO_PARENT)
        q->root = child + 1; /* HS_NO_JOB + 1 is 0 */
    else
        link_at(l, parent)->child[side] = child;
    if (child != HS_NO_JOB)
        link_at(l, child)->parent = parent & NO_PARENT;
}

static inline int side_of(struct links l, hs_job_id parent, hs_job_id job)
{
    return parent != NO_PARENT && link_at(l, parent)->child[1] == job;
}

/* Inserts a job where `parent` has no child. Ancestors of lower priority go below it, each with its
 * other subtree, on the side where they lie in the order. */
static void tree_insert(struct hs_job_queue *q, struct links l, hs_job_id job, hs_job_id parent,
                        int side)
{
    const uint32_t priority = priority_of(job);
    struct hs_job_queue_link *link = link_at(l, job);
    bool changes = false; /* an ancestor lost a job from its subtree */
    link->child[0] = link->child[1] = HS_NO_JOB;
    while (parent != NO_PARENT && priority_of(parent) < priority) {
        struct hs_job_queue_link *above = link_at(l, parent);
        const hs_job_id next = above->parent, child = link->child[!side];
        changes |= above->child[side] != child;
        if (changes) {
            put_child(q, l, parent, side, child);
            refresh(l, above);
        }
        link->child[!side] = parent;
        side = side_of(l, next, parent);
        parent = next;
    }
    put_child(q, l, parent, side, job);
    for (int at = 0; at < 2; at++)
        if (link->child[at] != HS_NO_JOB)
            link_at(l, link->child[at])->parent = job & NO_PARENT;
    refresh(l, link);
    lower_upwards(l, link);
}

/* Joins the subtrees of a job in its place. */
static void tree_remove(struct hs_job_queue *q, struct links l, hs_job_id job)
{
    const struct hs_job_queue_link *link = link_at(l, job);
    const hs_job_id top = link->parent;
    hs_job_id parent = top, child[] = {link->child[0], link->child[1]};
    int side = side_of(l, parent, job);
    while (child[0] != HS_NO_JOB && child[1] != HS_NO_JOB) {
        const int of = priority_of(child[0]) < priority_of(child[1]);
        put_child(q, l, parent, side, child[of]);
        parent = child[of];
        side = !of;
        child[of] = link_at(l, parent)->child[side];
    }
    put_child(q, l, parent, side, child[child[0] == HS_NO_JOB]);
    for (bool is_below = parent != top; parent != NO_PARENT;) {
        struct hs_job_queue_link *above = link_at(l, parent);
        const uint32_t gpus = above->least_gpus, constrained = above->least_constrained;
        refresh(l, above);
        if (!is_below && gpus == above->least_gpus && constrained == above->least_constrained)
            break;
        parent = above->parent;
        is_below = is_below && parent != top;
    }
}

/* ---- the queue ---- */

/* Makes two jobs neighbours; HS_NO_JOB: the second is first of the queue, or the first last. */
static inline void link_pair(struct hs_job_queue *q, struct links l, hs_job_id before,
                             hs_job_id after)
{
    if (before == HS_NO_JOB)
        q->first = after + 1; /* HS_NO_JOB + 1 is 0 */
    else
        link_at(l, before)->next = after;
    if (after == HS_NO_JOB)
        q->last = before + 1;
    else
        link_at(l, after)->prev = before;
}

void hs_job_queue_add(struct hs_job_queue *q, const struct hs_view *v, hs_job_id job, int64_t key)
{
    const struct links l = links_of(q, v);
    struct hs_job_queue_link *link = link_at(l, job);
    bool is_constrained = hs_view_is_constrained(v, job);
    link->gpus = q->size_of != NULL ? q->size_of(v, job, &is_constrained) : hs_view_gpus(v, job);
    link->is_constrained = is_constrained;
    link->key = key;
    link->is_linked = true;
    q->count++;
    hs_job_id parent = NO_PARENT, before = q->last - 1, after = HS_NO_JOB;
    int side = 0;
    if (before != HS_NO_JOB && is_before(v, l, before, job)) {
        parent = before;
        side = 1;
    } else if (before != HS_NO_JOB) {
        after = parent = q->first - 1;
        if (is_before(v, l, after, job))
            for (hs_job_id next = q->root - 1; next != HS_NO_JOB;
                 next = link_at(l, parent)->child[side]) {
                parent = next;
                side = !is_before(v, l, job, parent);
            }
        before = side != 0 ? parent : link_at(l, parent)->prev;
        after = side != 0 ? link_at(l, parent)->next : parent;
    }
    link_pair(q, l, before, job);
    link_pair(q, l, job, after);
    tree_insert(q, l, job, parent, side);
}

void hs_job_queue_remove(struct hs_job_queue *q, const struct hs_view *v, hs_job_id job)
{
    const struct links l = links_of(q, v);
    struct hs_job_queue_link *link = link_at(l, job);
    link_pair(q, l, link->prev, link->next);
    tree_remove(q, l, job);
    link->is_linked = false;
    q->count--;
}

void hs_job_queue_rekey(struct hs_job_queue *q, const struct hs_view *v, hs_job_id job, int64_t key)
{
    hs_job_queue_remove(q, v, job);
    hs_job_queue_add(q, v, job, key);
}

/* Removes the members that no longer follow their predecessor, keeps them in a list, and inserts
 * them again when all keys are new. */
void hs_job_queue_rekey_all(struct hs_job_queue *q, const struct hs_view *v,
                            hs_job_queue_key_of *key_of, const void *ctx)
{
    const struct links l = links_of(q, v);
    hs_job_id out = HS_NO_JOB, before = HS_NO_JOB, next;
    for (hs_job_id job = hs_job_queue_first(q); job != HS_NO_JOB; job = next) {
        next = hs_job_queue_next(q, v, job);
        link_at(l, job)->key = key_of(v, job, ctx);
        if (before == HS_NO_JOB || is_before(v, l, before, job)) {
            before = job;
            continue;
        }
        hs_job_queue_remove(q, v, job);
        link_at(l, job)->child[0] = out;
        out = job;
    }
    for (hs_job_id job = out; job != HS_NO_JOB; job = next) {
        next = link_at(l, job)->child[0];
        hs_job_queue_add(q, v, job, link_at(l, job)->key);
    }
}

HS_EXPANDED hs_job_id hs_job_queue_next(const struct hs_job_queue *q, const struct hs_view *v,
                                        hs_job_id job)
{
    return link_at(links_of(q, v), job)->next;
}

hs_job_id hs_job_queue_prev(const struct hs_job_queue *q, const struct hs_view *v, hs_job_id job)
{
    return link_at(links_of(q, v), job)->prev;
}

/* ---- searches by size ---- */

static inline bool is_within_below(struct links l, hs_job_id job, struct hs_gang_limits limits)
{
    if (job == HS_NO_JOB)
        return false;
    const struct hs_job_queue_link *link = link_at(l, job);
    return link->least_gpus <= limits.plain || link->least_constrained <= limits.constrained;
}

static inline bool is_within(const struct hs_job_queue_link *link, struct hs_gang_limits limits)
{
    return link->gpus <= (link->is_constrained ? limits.constrained : limits.plain);
}

/* The first job of a subtree that is within the limits; the subtree has one. */
static hs_job_id first_within_below(struct links l, hs_job_id job, struct hs_gang_limits limits)
{
    for (;;) {
        const struct hs_job_queue_link *link = link_at(l, job);
        if (is_within_below(l, link->child[0], limits))
            job = link->child[0];
        else if (is_within(link, limits))
            return job;
        else
            job = link->child[1];
    }
}

/* The first job of the tree behind a member that is within the limits. */
static HS_APART hs_job_id next_within(struct links l, hs_job_id after, struct hs_gang_limits limits)
{
    const struct hs_job_queue_link *link = link_at(l, after);
    if (is_within_below(l, link->child[1], limits))
        return first_within_below(l, link->child[1], limits);
    hs_job_id below = after;
    for (hs_job_id at = link->parent; at != NO_PARENT; at = link->parent) {
        link = link_at(l, at);
        if (link->child[0] == below) {
            if (is_within(link, limits))
                return at;
            if (is_within_below(l, link->child[1], limits))
                return first_within_below(l, link->child[1], limits);
        }
        below = at;
    }
    return HS_NO_JOB;
}

hs_job_id hs_job_queue_next_within(struct hs_job_queue *q, const struct hs_view *v, hs_job_id after,
                                   struct hs_gang_limits limits)
{
    const struct links l = links_of(q, v);
    /* UINT32_MAX marks an empty subtree, so limits stay below it. */
    limits.plain = hs_smaller(limits.plain, UINT32_MAX - 1);
    limits.constrained = hs_smaller(limits.constrained, UINT32_MAX - 1);
    if (!is_within_below(l, q->root - 1, limits)) /* the common case */
        return HS_NO_JOB;
    return after == HS_NO_JOB ? first_within_below(l, q->root - 1, limits)
                              : next_within(l, after, limits);
}

hs_job_id hs_job_queue_next_from(struct hs_job_queue *q, const struct hs_view *v,
                                 struct hs_job_place from, struct hs_gang_limits limits)
{
    const struct links l = links_of(q, v);
    hs_job_id at = q->root - 1, found = HS_NO_JOB;
    if (!is_within_below(l, at, limits)) /* whatever its place in the order */
        return HS_NO_JOB;
    while (at != HS_NO_JOB) {
        const struct hs_job_queue_link *link = link_at(l, at);
        bool is_behind = link->key > from.key;
        if (link->key == from.key) {
            const struct hs_job_place own = hs_job_place(v, at, link->key);
            is_behind = !hs_job_place_is_before(&own, &from);
        }
        found = is_behind ? at : found;
        at = is_behind ? link->child[0] : link->child[1];
    }
    bool is_it = found == HS_NO_JOB || is_within(link_at(l, found), limits);
    return is_it ? found : hs_job_queue_next_within(q, v, found, limits);
}

bool hs_job_queue_is_valid(const struct hs_job_queue *q, const struct hs_view *v)
{
    const struct links l = links_of(q, v);
    uint32_t count = 0;
    hs_job_id before = HS_NO_JOB;
    HS_EACH_QUEUED(j, q, v) {
        const struct hs_job_queue_link *link = link_at(l, j);
        struct hs_job_queue_link fresh = *link;
        refresh(l, &fresh);
        bool is_true = fresh.least_gpus == link->least_gpus &&
                       fresh.least_constrained == link->least_constrained;
        if ((before != HS_NO_JOB && !is_before(v, l, before, j)) || link->prev != before ||
            !is_true || !link->is_linked)
            return false;
        before = j;
        count++;
    }
    return count == q->count && hs_job_queue_last(q) == before;
}

/* ---- heaps ---- */

void hs_sort_down(struct hs_job_place *a, uint32_t root, uint32_t count)
{
    struct hs_job_place moved = a[root];
    for (;;) {
        uint32_t child = 2 * root + 1;
        if (child >= count)
            break;
        if (child + 1 < count && hs_job_place_is_before(&a[child], &a[child + 1]))
            child++;
        if (!hs_job_place_is_before(&moved, &a[child]))
            break;
        a[root] = a[child];
        root = child;
    }
    a[root] = moved;
}

/* Heapsort needs no memory; it is not stable, but the order is total, so the result is unique. */
void hs_sort(struct hs_job_place *entries, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        hs_sort_down(entries, i, count);
    for (uint32_t end = count; end > 1;) {
        struct hs_job_place largest = entries[0];
        entries[0] = entries[--end];
        entries[end] = largest;
        hs_sort_down(entries, 0, end);
    }
}

static bool is_head_before(const struct hs_merge_heap *h, const struct hs_view *v,
                           struct hs_merge_head a, struct hs_merge_head b)
{
    return hs_job_queue_is_before(h->order, v, a.job, b.job);
}

void hs_merge_heap_add(struct hs_merge_heap *h, const struct hs_view *v, struct hs_merge_head head)
{
    uint32_t at = h->count++;
    for (; at > 0 && is_head_before(h, v, head, h->at[(at - 1) / 2]); at = (at - 1) / 2)
        h->at[at] = h->at[(at - 1) / 2];
    h->at[at] = head;
}

void hs_merge_heap_replace_first(struct hs_merge_heap *h, const struct hs_view *v,
                                 struct hs_merge_head head)
{
    if (head.job == HS_NO_JOB)
        head = h->at[--h->count];
    uint32_t at = 0;
    for (uint32_t below = 1; below < h->count; below = 2 * at + 1) {
        if (below + 1 < h->count && is_head_before(h, v, h->at[below + 1], h->at[below]))
            below++;
        if (is_head_before(h, v, head, h->at[below]))
            break;
        h->at[at] = h->at[below];
        at = below;
    }
    h->at[at] = head;
}

/* ---- chains ---- */

static struct hs_job_chain_link *chain_link(const struct hs_job_chain *c, const struct hs_view *v,
                                            hs_job_id job)
{
    void *link = (unsigned char *)hs_view_scratch(v, job) + c->link_offset;
    return link;
}

/* Links two neighbours; HS_NO_JOB stands for the end of the chain on that side. */
static void join(struct hs_job_chain *c, const struct hs_view *v, hs_job_id a, hs_job_id b)
{
    *(a == HS_NO_JOB ? &c->first : &chain_link(c, v, a)->after) = b;
    *(b == HS_NO_JOB ? &c->last : &chain_link(c, v, b)->before) = a;
}

void hs_job_chain_insert(struct hs_job_chain *c, const struct hs_view *v, hs_job_id job,
                         hs_job_id behind)
{
    hs_job_id after = behind == HS_NO_JOB ? c->first : chain_link(c, v, behind)->after;
    join(c, v, behind, job);
    join(c, v, job, after);
}

void hs_job_chain_remove(struct hs_job_chain *c, const struct hs_view *v, hs_job_id job)
{
    const struct hs_job_chain_link *link = chain_link(c, v, job);
    join(c, v, link->before, link->after);
}

struct chain_sort {
    struct hs_job_chain *chain;
    const struct hs_view *v;
    hs_job_chain_order *precedes;
    const void *ctx;
};

/* Merges two sorted lists that are linked by `after` alone; at a tie the member of `a` comes first.
 */
static hs_job_id merge(const struct chain_sort *s, hs_job_id a, hs_job_id b)
{
    hs_job_id first = HS_NO_JOB, *link = &first;
    while (a != HS_NO_JOB && b != HS_NO_JOB) {
        hs_job_id *next = s->precedes(s->v, b, a, s->ctx) ? &b : &a;
        *link = *next;
        link = &chain_link(s->chain, s->v, *next)->after;
        *next = *link;
    }
    *link = a != HS_NO_JOB ? a : b;
    return first;
}

void hs_job_chain_sort(struct hs_job_chain *c, const struct hs_view *v,
                       hs_job_chain_order *precedes, const void *ctx)
{
    const struct chain_sort s = {c, v, precedes, ctx};
    hs_job_id runs[32], job = c->first; /* runs[i] is empty or a list of 1 << i sorted pieces */
    for (uint32_t i = 0; i < 32; i++)
        runs[i] = HS_NO_JOB;
    while (job != HS_NO_JOB) {
        hs_job_id run = job, end;
        do {
            end = job;
            job = chain_link(c, v, end)->after;
        } while (job != HS_NO_JOB && !precedes(v, job, end, ctx));
        chain_link(c, v, end)->after = HS_NO_JOB;
        uint32_t i = 0;
        for (; runs[i] != HS_NO_JOB; i++) {
            run = merge(&s, runs[i], run);
            runs[i] = HS_NO_JOB;
        }
        runs[i] = run;
    }
    for (uint32_t i = 0; i < 32; i++)
        job = merge(&s, runs[i], job);
    c->first = c->last = HS_NO_JOB;
    while (job != HS_NO_JOB) {
        const hs_job_id next = chain_link(c, v, job)->after;
        hs_job_chain_insert(c, v, job, c->last);
        job = next;
    }
}
