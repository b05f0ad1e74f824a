/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A set of servers in order of a key, then of their number: which of thousands has least of
 * something is one descent.
 *
 *     HS_TRY(hs_gandiva_index_init(&set, v, servers));
 *     hs_gandiva_index_set(&set, server, key);                  // also when it is in already
 *     for (s = hs_gandiva_index_from(&set, key); s != HS_NO_NODE; s = hs_gandiva_index_next(&set,
 * s))
 *
 * A treap over arrays whose priorities are a mix of the numbers: same shape on every machine.
 * O(log servers) each.
 */
#ifndef HORUS_POLICIES_KIT_GANDIVA_INDEX_H
#define HORUS_POLICIES_KIT_GANDIVA_INDEX_H

#include <stdbool.h>

#include "horus/policy.h"

struct hs_gandiva_entry {
    uint64_t key;
    uint32_t left, right; /* + 1; 0 = none */
    bool is_in;
};

struct hs_gandiva_index {
    struct hs_gandiva_entry *entries;
    uint32_t root;
};

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
