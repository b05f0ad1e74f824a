/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A chain, neighbours left and right, before a pairing heap: left the first child, right the next
 * sibling, parent the one that a sibling comes after, or whose first child it is. In the links of
 * an ordered set what is known of gangs is not used; there the members are strung when all of them
 * get new keys.
 */
#include "policies/kit_front.h"

#define NO_PARENT HS_ORDER_NO_PARENT /* of the root */
#define CHAINED   HS_ORDER_CHAINED
#define NEAR      4u    /* steps from the end of the chain */
#define HEAP_MOST 4096u /* jobs; what more there are is put on piles */

static inline struct hs_links links_of(const struct hs_front *set, const struct hs_view *v)
{
    return hs_links_of(v, set->link_offset);
}

static bool is_before(const struct hs_front *set, const struct hs_view *v, struct hs_links l,
                      hs_job_id a, hs_job_id b)
{
    return hs_order_link_is_before(v, a, hs_link_at(l, a), b, hs_link_at(l, b)) !=
           set->is_backwards;
}

/* ---- the heap ---- */

/* Two heaps, each by its root, which has no sibling that is still of use. Who is first is as good
 * as random, and so is whether it has a child: nothing branches on either. What is written where
 * there is no child is written over. */
HS_INLINE hs_job_id hang_below(struct hs_links l, hs_job_id a, hs_job_id b, bool is_a_first)
{
    const hs_job_id change = (a ^ b) & (0 - (hs_job_id)is_a_first);
    const hs_job_id above = b ^ change, below = a ^ change;
    struct hs_order_link *root = hs_link_at(l, above), *link = hs_link_at(l, below);
    const hs_job_id child = root->left;
    hs_link_at(l, child != HS_NO_JOB ? child : below)->parent = below & NO_PARENT;
    link->right = child;
    link->parent = above & NO_PARENT;
    root->left = below;
    return above;
}

static HS_APART hs_job_id meld_tied(const struct hs_front *set, const struct hs_view *v,
                                    struct hs_links l, hs_job_id a, hs_job_id b)
{
    return hang_below(l, a, b, hs_order_tie_is_before(v, a, b) != set->is_backwards);
}

HS_INLINE hs_job_id meld(const struct hs_front *set, const struct hs_view *v, struct hs_links l,
                         hs_job_id a, hs_job_id b)
{
    const int64_t key_of_a = hs_link_at(l, a)->key, key_of_b = hs_link_at(l, b)->key;
    if (HS_UNLIKELY(key_of_a == key_of_b))
        return meld_tied(set, v, l, a, b);
    return hang_below(l, a, b, (key_of_a < key_of_b) != set->is_backwards);
}

/* A job and its siblings, in pairs and these from the last one on; HS_NO_JOB of none. */
static hs_job_id meld_siblings(const struct hs_front *set, const struct hs_view *v,
                               struct hs_links l, hs_job_id job)
{
    hs_job_id pairs = HS_NO_JOB, next;
    for (; job != HS_NO_JOB; job = next) {
        hs_job_id other = hs_link_at(l, job)->right, pair = job;
        next = other;
        if (other != HS_NO_JOB) {
            next = hs_link_at(l, other)->right;
            pair = meld(set, v, l, job, other);
        }
        hs_link_at(l, pair)->right = pairs;
        pairs = pair;
    }
    hs_job_id root = pairs;
    if (root == HS_NO_JOB)
        return root;
    for (job = hs_link_at(l, root)->right; job != HS_NO_JOB; job = next) {
        next = hs_link_at(l, job)->right;
        root = meld(set, v, l, root, job);
    }
    hs_link_at(l, root)->right = HS_NO_JOB;
    hs_link_at(l, root)->parent = NO_PARENT;
    return root;
}

static void meld_in(struct hs_front *set, const struct hs_view *v, struct hs_links l,
                    hs_job_id heap)
{
    if (set->root != 0)
        heap = meld(set, v, l, set->root - 1, heap);
    set->root = heap + 1;
}

static void heap_add(struct hs_front *set, const struct hs_view *v, struct hs_links l,
                     hs_job_id job)
{
    struct hs_order_link *link = hs_link_at(l, job);
    link->left = link->right = HS_NO_JOB;
    link->parent = NO_PARENT;
    set->heaped++;
    meld_in(set, v, l, job);
}

static void heap_remove(struct hs_front *set, const struct hs_view *v, struct hs_links l,
                        hs_job_id job)
{
    const struct hs_order_link *link = hs_link_at(l, job);
    hs_job_id below = meld_siblings(set, v, l, link->left);
    set->heaped--;
    if (set->root == job + 1) {
        set->root = below + 1;
        return;
    }
    struct hs_order_link *before = hs_link_at(l, link->parent);
    *(before->left == job ? &before->left : &before->right) = link->right;
    if (link->right != HS_NO_JOB)
        hs_link_at(l, link->right)->parent = link->parent;
    if (below != HS_NO_JOB)
        meld_in(set, v, l, below);
}

/* Every job of a heap once: who comes after whom; HS_NO_JOB: no more. */
static hs_job_id heap_another(struct hs_links l, hs_job_id after)
{
    const struct hs_order_link *link = hs_link_at(l, after);
    if (link->left != HS_NO_JOB)
        return link->left;
    while (link->right == HS_NO_JOB) { /* up, past the siblings before it */
        hs_job_id below;
        do {
            below = after;
            after = link->parent;
            if (after == NO_PARENT)
                return HS_NO_JOB;
            link = hs_link_at(l, after);
        } while (link->left != below);
    }
    return link->right;
}

/* ---- the piles ---- */

/* The nearest of those piled come into the heap, which is empty. */
static void heap_fill(struct hs_front *set, const struct hs_view *v, struct hs_links l)
{
    hs_job_id next;
    for (hs_job_id job = hs_piles_take(&set->piles, l); job != HS_NO_JOB; job = next) {
        next = hs_link_at(l, job)->right;
        heap_add(set, v, l, job);
    }
}

/* Puts a heap on piles, of which there are none, but for the nearest. */
static void heap_spill(struct hs_front *set, const struct hs_view *v, struct hs_links l)
{
    hs_job_id members = HS_NO_JOB, next;
    hs_piles_begin(&set->piles, hs_link_at(l, set->root - 1)->key, set->is_backwards);
    for (hs_job_id job = set->root - 1; job != HS_NO_JOB; job = heap_another(l, job)) {
        hs_link_at(l, job)->least_gpus = members; /* strung: on a pile it has other neighbours */
        members = job;
    }
    for (hs_job_id job = members; job != HS_NO_JOB; job = next) {
        next = hs_link_at(l, job)->least_gpus;
        hs_piles_add(&set->piles, l, job);
    }
    set->root = set->heaped = 0;
    heap_fill(set, v, l);
}

/* ---- the chain ---- */

static inline void chain_first(struct hs_front *set, struct hs_links l, hs_job_id job)
{
    struct hs_order_link *link = hs_link_at(l, job);
    link->parent = CHAINED;
    link->left = HS_NO_JOB;
    link->right = set->first - 1;
    if (set->first != 0)
        hs_link_at(l, set->first - 1)->left = job;
    else
        set->last = job + 1;
    set->first = job + 1;
}

static inline void chain_last(struct hs_front *set, struct hs_links l, hs_job_id job)
{
    struct hs_order_link *link = hs_link_at(l, job);
    link->parent = CHAINED;
    link->left = set->last - 1;
    link->right = HS_NO_JOB;
    if (set->last != 0)
        hs_link_at(l, set->last - 1)->right = job;
    else
        set->first = job + 1;
    set->last = job + 1;
}

static inline void unchain(struct hs_front *set, struct hs_links l, hs_job_id job)
{
    const struct hs_order_link *link = hs_link_at(l, job);
    if (link->left != HS_NO_JOB)
        hs_link_at(l, link->left)->right = link->right;
    else
        set->first = link->right + 1;
    if (link->right != HS_NO_JOB)
        hs_link_at(l, link->right)->left = link->left;
    else
        set->last = link->left + 1;
}

/* ---- the set ---- */

/* Between two neighbours. */
static void chain_between(struct hs_links l, hs_job_id job, hs_job_id before, hs_job_id after)
{
    struct hs_order_link *link = hs_link_at(l, job);
    link->parent = CHAINED;
    link->left = before;
    link->right = after;
    hs_link_at(l, before)->right = job;
    hs_link_at(l, after)->left = job;
}

/* Is a job, whose link that is, before another? */
static inline bool comes_before(const struct hs_front *set, const struct hs_view *v,
                                struct hs_links l, hs_job_id job, const struct hs_order_link *link,
                                hs_job_id other)
{
    return hs_order_link_is_before(v, job, link, other, hs_link_at(l, other)) != set->is_backwards;
}

/* Into the chain, before its last one and behind its first. If its place is not near the end, those
 * behind it go back to the heap. */
static void chain_insert(struct hs_front *set, const struct hs_view *v, struct hs_links l,
                         hs_job_id job, const struct hs_order_link *link)
{
    hs_job_id after = set->last - 1;
    for (uint32_t steps = 0; steps < NEAR; steps++) {
        hs_job_id before = hs_link_at(l, after)->left;
        if (!comes_before(set, v, l, job, link, before)) {
            chain_between(l, job, before, after);
            return;
        }
        after = before;
    }
    do {
        hs_job_id last = set->last - 1;
        unchain(set, l, last);
        heap_add(set, v, l, last);
    } while (comes_before(set, v, l, job, link, set->last - 1));
    chain_last(set, l, job);
}

/* Takes in a job whose link knows its key. */
static void insert(struct hs_front *set, const struct hs_view *v, struct hs_links l, hs_job_id job)
{
    const struct hs_order_link *link = hs_link_at(l, job);
    if (set->last != 0 && comes_before(set, v, l, job, link, set->last - 1)) {
        if (set->first == set->last || comes_before(set, v, l, job, link, set->first - 1))
            chain_first(set, l, job);
        else
            chain_insert(set, v, l, job, link);
    } else if (hs_piles_want(&set->piles, link->key)) {
        hs_piles_add(&set->piles, l, job);
    } else if (set->root == 0) {
        chain_last(set, l, job);
    } else {
        heap_add(set, v, l, job);
        if (HS_UNLIKELY(set->heaped > HEAP_MOST) && set->piles.count == 0)
            heap_spill(set, v, l);
    }
}

/* Is a key before that of the first in the chain, if there is one? */
static inline bool is_key_first(const struct hs_front *set, struct hs_links l, int64_t key)
{
    if (set->first == 0)
        return false;
    int64_t first = hs_link_at(l, set->first - 1)->key;
    return set->is_backwards ? key > first : key < first;
}

/* Is it behind that of the last in the chain, behind which nobody waits? */
static inline bool is_key_last(const struct hs_front *set, struct hs_links l, int64_t key)
{
    if (set->last == 0 || set->root != 0 || set->piles.count > 0)
        return false;
    int64_t last = hs_link_at(l, set->last - 1)->key;
    return set->is_backwards ? key < last : key > last;
}

void hs_front_add(struct hs_front *set, const struct hs_view *v, hs_job_id job, int64_t key)
{
    const struct hs_links l = links_of(set, v);
    struct hs_order_link *link = hs_link_at(l, job);
    link->key = key;
    link->is_linked = true;
    set->count++;
    if (is_key_last(set, l, key))
        chain_last(set, l, job);
    else if (is_key_first(set, l, key))
        chain_first(set, l, job);
    else
        insert(set, v, l, job);
}

void hs_front_remove(struct hs_front *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_links l = links_of(set, v);
    struct hs_order_link *link = hs_link_at(l, job);
    link->is_linked = false;
    set->count--;
    if (link->parent == CHAINED)
        unchain(set, l, job);
    else if (link->parent == HS_ORDER_PILED)
        hs_piles_remove(&set->piles, l, job);
    else
        heap_remove(set, v, l, job);
}

hs_job_id hs_front_reach(struct hs_front *set, const struct hs_view *v)
{
    const struct hs_links l = links_of(set, v);
    if (set->root == 0 && set->piles.count > 0)
        heap_fill(set, v, l);
    const hs_job_id job = set->root - 1;
    if (job == HS_NO_JOB)
        return job;
    heap_remove(set, v, l, job);
    chain_last(set, l, job);
    return job;
}

hs_job_id hs_front_next(struct hs_front *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_links l = links_of(set, v);
    hs_job_id next = hs_link_at(l, job)->right;
    return next != HS_NO_JOB ? next : hs_front_reach(set, v);
}

hs_job_id hs_front_prev(const struct hs_front *set, const struct hs_view *v, hs_job_id job)
{
    const struct hs_links l = links_of(set, v);
    return hs_link_at(l, job)->left;
}

hs_job_id hs_front_reached(const struct hs_front *set)
{
    return set->last - 1;
}

hs_job_id hs_front_another(const struct hs_front *set, const struct hs_view *v, hs_job_id after)
{
    const struct hs_links l = links_of(set, v);
    hs_job_id next = set->first - 1;
    uint32_t parent = CHAINED;
    if (after != HS_NO_JOB) {
        const struct hs_order_link *link = hs_link_at(l, after);
        parent = link->parent;
        next = parent == CHAINED ? link->right : HS_NO_JOB;
    }
    if (next == HS_NO_JOB && parent == CHAINED) /* from the chain to the heap, */
        next = set->root - 1;
    else if (next == HS_NO_JOB && parent != HS_ORDER_PILED)
        next = heap_another(l, after);
    if (next != HS_NO_JOB)
        return next;
    /* and from there to the piles */
    return hs_piles_another(&set->piles, l, parent == HS_ORDER_PILED ? after : HS_NO_JOB);
}

void hs_front_rekey_all(struct hs_front *set, const struct hs_view *v, hs_order_key_of *key_of,
                        const void *ctx)
{
    const struct hs_links l = links_of(set, v);
    hs_job_id members = HS_NO_JOB, job = HS_NO_JOB;
    while ((job = hs_front_another(set, v, job)) != HS_NO_JOB) {
        hs_link_at(l, job)->least_gpus = members;
        members = job;
    }
    set->first = set->last = set->root = set->heaped = set->count = 0;
    set->piles = (struct hs_piles){0};
    for (job = members; job != HS_NO_JOB; job = members) {
        struct hs_order_link *link = hs_link_at(l, job);
        members = link->least_gpus;
        link->key = key_of(v, job, ctx);
        set->count++;
        insert(set, v, l, job);
    }
}

/* Whose children they are, how they hang together, and that none is before it. */
static bool are_children_of(const struct hs_front *set, const struct hs_view *v, struct hs_links l,
                            hs_job_id job)
{
    hs_job_id before = job;
    for (hs_job_id j = hs_link_at(l, job)->left; j != HS_NO_JOB; j = hs_link_at(l, j)->right) {
        if (hs_link_at(l, j)->parent != before || !is_before(set, v, l, job, j))
            return false;
        before = j;
    }
    return true;
}

bool hs_front_is_valid(const struct hs_front *set, const struct hs_view *v)
{
    const struct hs_links l = links_of(set, v);
    uint32_t count = 0, heaped = 0;
    hs_job_id before = HS_NO_JOB, last = HS_NO_JOB;
    for (hs_job_id j = HS_NO_JOB; (j = hs_front_another(set, v, j)) != HS_NO_JOB; before = j) {
        const struct hs_order_link *link = hs_link_at(l, j);
        bool is_chained = link->parent == CHAINED, is_next = is_chained || j == set->root - 1;
        count++;
        if (link->parent == HS_ORDER_PILED)
            continue;
        if ((is_next && before != HS_NO_JOB && !is_before(set, v, l, before, j)) ||
            (is_chained ? link->left != before : !are_children_of(set, v, l, j)) ||
            !link->is_linked)
            return false;
        last = is_chained ? j : last;
        heaped += !is_chained;
    }
    return count == set->count && heaped == set->heaped && last == set->last - 1 &&
           hs_piles_are_valid(&set->piles, l);
}
