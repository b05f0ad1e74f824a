/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A set of servers in order of a key, then of their number: which of thousands has least of
 * something is two binary searches.
 *
 *     HS_TRY(hs_gandiva_index_init(&set, v, servers));
 *     hs_gandiva_index_set(&set, server, key);                  // also when it is in already
 *     for (s = hs_gandiva_index_from(&set, key); s != HS_NO_NODE; s = hs_gandiva_index_next(&set,
 * s))
 *
 * A B+ tree of two levels: blocks of entries in order, and a list of the blocks by their first
 * entries. O(log servers) to find, and to change what it takes to move half a block; the list
 * itself moves when a block is cut or two become one, which is once in many changes.
 */
#ifndef HORUS_POLICIES_KIT_GANDIVA_INDEX_H
#define HORUS_POLICIES_KIT_GANDIVA_INDEX_H

#include <stdbool.h>

#include "horus/policy.h"

#define HS_GANDIVA_BLOCK 64

struct hs_gandiva_entry {
    uint64_t key;
    uint32_t server;
    uint32_t block; /* in the list: whose first entry this is */
};

struct hs_gandiva_block {
    struct hs_gandiva_entry entries[HS_GANDIVA_BLOCK];
    uint32_t count;
    uint32_t next_free;
};

struct hs_gandiva_index {
    uint64_t *keys;                /* by server; UINT64_MAX: it is not in */
    struct hs_gandiva_entry *list; /* of blocks that are in use, none of them empty */
    struct hs_gandiva_block *blocks;
    uint32_t listed, used, free_block;
};

/* Keys are below UINT64_MAX. */
HS_MUST_USE enum hs_status hs_gandiva_index_init(struct hs_gandiva_index *set,
                                                 const struct hs_view *v, uint32_t servers);
void hs_gandiva_index_set(struct hs_gandiva_index *set, uint32_t server, uint64_t key);
void hs_gandiva_index_remove(struct hs_gandiva_index *set, uint32_t server); /* no-op if out */
/* The first of this key or a larger one; HS_NO_NODE if there is none. */
uint32_t hs_gandiva_index_from(const struct hs_gandiva_index *set, uint64_t key);
/* The one behind a member. */
uint32_t hs_gandiva_index_next(const struct hs_gandiva_index *set, uint32_t server);
/* The last of a smaller key. */
uint32_t hs_gandiva_index_below(const struct hs_gandiva_index *set, uint64_t key);
uint64_t hs_gandiva_index_key(const struct hs_gandiva_index *set, uint32_t server);
bool hs_gandiva_index_has(const struct hs_gandiva_index *set, uint32_t server);

#endif
