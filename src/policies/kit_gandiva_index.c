/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Treap by splitting and joining (Seidel & Aragon, Algorithmica 1996). Recursion is as deep as the
 * tree, about twice log2 of the servers.
 */
#include "policies/kit_gandiva_index.h"

enum hs_status hs_gandiva_index_init(struct hs_gandiva_index *set, const struct hs_view *v,
                                     uint32_t servers)
{
    set->root = 0;
    set->entries = hs_view_alloc(v, (uint64_t)servers * sizeof *set->entries);
    return set->entries != NULL ? HS_OK : HS_E_MEMORY;
}

/* Finaliser of a 32-bit mix (Murmur3). */
static uint32_t priority_of(uint32_t node)
{
    uint32_t h = node;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

static struct hs_gandiva_entry *entry_of(const struct hs_gandiva_index *set, uint32_t node)
{
    return &set->entries[node - 1];
}

/* Is the node before (key, other)? */
static bool is_before(const struct hs_gandiva_index *set, uint32_t node, uint64_t key,
                      uint32_t other)
{
    uint64_t own = entry_of(set, node)->key;
    return own < key || (own == key && node < other);
}

static void split(const struct hs_gandiva_index *set, uint32_t tree, uint64_t key, uint32_t at,
                  uint32_t *before, uint32_t *rest)
{
    if (tree == 0) {
        *before = *rest = 0;
    } else if (is_before(set, tree, key, at)) {
        split(set, entry_of(set, tree)->right, key, at, &entry_of(set, tree)->right, rest);
        *before = tree;
    } else {
        split(set, entry_of(set, tree)->left, key, at, before, &entry_of(set, tree)->left);
        *rest = tree;
    }
}

static uint32_t join(const struct hs_gandiva_index *set, uint32_t before, uint32_t rest)
{
    if (before == 0 || rest == 0)
        return before + rest;
    if (priority_of(before) > priority_of(rest)) {
        struct hs_gandiva_entry *top = entry_of(set, before);
        top->right = join(set, top->right, rest);
        return before;
    }
    struct hs_gandiva_entry *top = entry_of(set, rest);
    top->left = join(set, before, top->left);
    return rest;
}

void hs_gandiva_index_remove(struct hs_gandiva_index *set, uint32_t server)
{
    struct hs_gandiva_entry *gone = &set->entries[server];
    uint32_t *link = &set->root, node = server + 1;
    if (!gone->is_in)
        return;
    while (*link != node) {
        struct hs_gandiva_entry *entry = entry_of(set, *link);
        link = is_before(set, *link, gone->key, node) ? &entry->right : &entry->left;
    }
    *link = join(set, gone->left, gone->right);
    gone->is_in = false;
}

void hs_gandiva_index_set(struct hs_gandiva_index *set, uint32_t server, uint64_t key)
{
    struct hs_gandiva_entry *entry = &set->entries[server];
    uint32_t before, rest, node = server + 1;
    if (entry->is_in && entry->key == key)
        return;
    hs_gandiva_index_remove(set, server);
    *entry = (struct hs_gandiva_entry){.key = key, .is_in = true};
    split(set, set->root, key, node, &before, &rest);
    set->root = join(set, join(set, before, node), rest);
}

/* The first that is not before (key, node). */
static uint32_t first_from(const struct hs_gandiva_index *set, uint64_t key, uint32_t node)
{
    uint32_t found = 0;
    for (uint32_t at = set->root; at != 0;)
        if (is_before(set, at, key, node)) {
            at = entry_of(set, at)->right;
        } else {
            found = at;
            at = entry_of(set, at)->left;
        }
    return found == 0 ? HS_NO_NODE : found - 1;
}

uint32_t hs_gandiva_index_from(const struct hs_gandiva_index *set, uint64_t key)
{
    return first_from(set, key, 0);
}

uint32_t hs_gandiva_index_next(const struct hs_gandiva_index *set, uint32_t server)
{
    return first_from(set, set->entries[server].key, server + 2);
}

uint32_t hs_gandiva_index_below(const struct hs_gandiva_index *set, uint64_t key)
{
    uint32_t found = 0;
    for (uint32_t at = set->root; at != 0;)
        if (is_before(set, at, key, 0)) {
            found = at;
            at = entry_of(set, at)->right;
        } else {
            at = entry_of(set, at)->left;
        }
    return found == 0 ? HS_NO_NODE : found - 1;
}

uint64_t hs_gandiva_index_key(const struct hs_gandiva_index *set, uint32_t server)
{
    return set->entries[server].key;
}

bool hs_gandiva_index_has(const struct hs_gandiva_index *set, uint32_t server)
{
    return set->entries[server].is_in;
}
