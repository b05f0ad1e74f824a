/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Items (GPUs, lanes of Salus) in order of (key, number), each with what is free in it, of two
 * kinds: finds the first with enough of both. Trees share one array of items; an item is in one
 * tree at most.
 *
 *     for (i = hs_capacity_tree_first(&t, tree, key, need); i != HS_NO_CAPACITY;
 *          i = hs_capacity_tree_next(&t, tree, i, need)) ...
 *
 * A treap (Seidel & Aragon, Algorithmica 1996) whose nodes know the most of each kind in their
 * subtree. O(log n) each, and for a search the items that have enough of one kind but not of the
 * other.
 */
#pragma once

#include "horus/policy.h"

#define HS_NO_CAPACITY UINT32_MAX

/* Free capacity of an item, or demand of a job, of two kinds that the caller chooses. */
struct hs_capacity {
    uint64_t of[2];
};

struct hs_capacity_tree_node {
    uint64_t key;
    struct hs_capacity room, most; /* of the item; maximum of each kind in its subtree */
    uint32_t left, right, priority;
    bool is_in;
};

struct hs_capacity_tree {
    struct hs_capacity_tree_node *nodes;
    uint32_t *roots; /* root of each tree */
    uint32_t count;  /* number of items in all trees */
};

void hs_capacity_tree_init(struct hs_capacity_tree *r, const struct hs_view *v, uint64_t items,
                           uint32_t trees);
/* Adds an item, or changes its key or room. */
void hs_capacity_tree_put(struct hs_capacity_tree *r, uint32_t tree, uint32_t item, uint64_t key,
                          struct hs_capacity room);
/* No effect if the item is in no tree. */
void hs_capacity_tree_drop(struct hs_capacity_tree *r, uint32_t tree, uint32_t item);
/* The first item whose key is at least `key` and whose room is at least `need` of both kinds, or
 * HS_NO_CAPACITY. */
uint32_t hs_capacity_tree_first(const struct hs_capacity_tree *r, uint32_t tree, uint64_t key,
                                struct hs_capacity need);
/* The next such item behind `item`, which must be in the tree. */
uint32_t hs_capacity_tree_next(const struct hs_capacity_tree *r, uint32_t tree, uint32_t item,
                               struct hs_capacity need);
/* Maximum of each kind over the items of the tree. O(1). */
struct hs_capacity hs_capacity_tree_most(const struct hs_capacity_tree *r, uint32_t tree);
