/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbered things in an order, each with the room it has: which is the first of them that has room
 * enough? Things are GPUs (in order of their lanes) and lanes (in order of their members).
 *
 *     struct hs_rooms lanes;
 *     HS_TRY(hs_rooms_init(&lanes, v, count, trees));
 *     hs_rooms_put(&lanes, tree, lane, key, (struct hs_room){free_mib + size_mib, free_mib});
 *     for (i = hs_rooms_first(&lanes, tree, 0, need); i != HS_NO_ROOM;
 *          i = hs_rooms_next(&lanes, tree, i, need)) ...
 *
 * Treaps over one array of nodes, ordered by (key, number); every node knows the most room below
 * it. O(log n) each; a search also looks at those that have the one kind of room and not the other.
 */
#ifndef HORUS_POLICIES_KIT_SALUS_ROOMS_H
#define HORUS_POLICIES_KIT_SALUS_ROOMS_H

#include <stdbool.h>

#include "horus/policy.h"

#define HS_NO_ROOM UINT32_MAX

/* Of a thing: in all, and of that for what stays. Of a newcomer: what it needs. */
struct hs_room {
    uint64_t all_mib, kept_mib;
};

struct hs_rooms_node {
    uint64_t key;
    struct hs_room room, most; /* own, and of the subtree */
    uint32_t left, right, priority;
    bool is_in;
};

struct hs_rooms {
    struct hs_rooms_node *nodes;
    uint32_t *roots; /* of the trees; a thing is in one at most */
};

HS_MUST_USE enum hs_status hs_rooms_init(struct hs_rooms *r, const struct hs_view *v,
                                         uint64_t things, uint32_t trees);
/* Adds a thing, or changes what is known of it. */
void hs_rooms_put(struct hs_rooms *r, uint32_t tree, uint32_t thing, uint64_t key,
                  struct hs_room room);
void hs_rooms_drop(struct hs_rooms *r, uint32_t tree, uint32_t thing); /* no-op if out */
/* The first whose key is at least `key` and whose room is at least `need` of both kinds. */
uint32_t hs_rooms_first(const struct hs_rooms *r, uint32_t tree, uint64_t key, struct hs_room need);
/* The largest room in all, and the largest for what stays, of those from `key` to before `end`. */
struct hs_room hs_rooms_most(const struct hs_rooms *r, uint32_t tree, uint64_t key, uint64_t end);
/* The first such one behind `thing`, which is in. */
uint32_t hs_rooms_next(const struct hs_rooms *r, uint32_t tree, uint32_t thing,
                       struct hs_room need);

#endif
